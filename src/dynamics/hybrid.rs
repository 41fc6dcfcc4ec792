//! Hybrid dynamics: some dofs have given accelerations, the others given forces.
//!
//! Featherstone (2008), §9.2; Sueda's notes on RedMax, §2.10 and §2.13. The free dofs solve M_ff a_f = τ_f
//! − (b + M_fp a_p)_f. A dof with given acceleration has infinite inertia: with an infinite diagonal entry
//! its 1/D is zero, it transmits no force, and solutions with the factors have zero rows and columns there.
//! No kernel needs a special case.

use super::mass_times::mass_times;
use super::workspace::Dynamics;
use crate::model::Model;
use crate::model::params::Params;

impl Dynamics {
    /// a with A a = τ − b + Jᵀ(external) in the rows of all dofs with a finite diagonal `pivots`. The
    /// other dofs have the accelerations `given`, which must be zero elsewhere. A is the system matrix;
    /// its factors are kept. Call it after [`Dynamics::update`]. If A is singular some numbers are not
    /// finite.
    pub fn forward_given(
        &mut self,
        model: &Model,
        params: &Params,
        pivots: &[f64],
        tau: &[f64],
        given: &[f64],
        a: &mut [f64],
    ) {
        self.factor_system(model, pivots);
        self.rest_of_forces(model, params, tau, given, a);
        self.system.subtract_couplings(given, a);
        self.system.solve(&mut self.mass, model.topology(), a);
        if self.mass.singular_at(pivots).is_some() {
            a.fill(f64::NAN);
        }
        for (a, given) in a.iter_mut().zip(given) {
            *a += given;
        }
    }

    /// τ − (M `given` + b) + Jᵀ(external).
    fn rest_of_forces(
        &mut self,
        model: &Model,
        params: &Params,
        tau: &[f64],
        given: &[f64],
        out: &mut [f64],
    ) {
        self.inverse(model, params, given, out);
        for (out, tau) in out.iter_mut().zip(tau) {
            *out = tau - *out;
        }
    }

    /// `out` ← the system matrix, without its diagonal beyond M, times x; or its transpose. Positions
    /// must be those of A.
    pub fn times_system(&mut self, model: &Model, transposed: bool, x: &[f64], out: &mut [f64]) {
        mass_times(&mut self.mass_times, &self.kin, model, x, out);
        for x in out.iter_mut() {
            *x = -*x;
        }
        match transposed {
            false => self.system.subtract_couplings(x, out),
            true => self.system.subtract_couplings_transposed(x, out),
        }
        for x in out.iter_mut() {
            *x = -*x;
        }
    }

    /// Hybrid dynamics: where `prescribed`, `a` is given and `tau` is found; elsewhere the reverse. Both
    /// arrays are completed. Call it after [`Dynamics::update`].
    pub fn hybrid(
        &mut self,
        model: &Model,
        params: &Params,
        prescribed: &[bool],
        tau: &mut [f64],
        a: &mut [f64],
    ) {
        let mut pivots = std::mem::take(&mut self.unit);
        for (k, pivot) in pivots.iter_mut().enumerate() {
            *pivot = match prescribed[k] {
                true => f64::INFINITY,
                false => params.armature[k],
            };
            if !prescribed[k] {
                a[k] = 0.0;
            }
        }
        self.factor_mass(model, &pivots);
        pivots.fill(0.0);
        self.unit = pivots;
        let mut left = std::mem::take(&mut self.scratch);
        self.rest_of_forces(model, params, tau, a, &mut left);
        // The force on a dof with given acceleration is not known yet.
        for (x, _) in left.iter_mut().zip(prescribed).filter(|(_, p)| **p) {
            *x = 0.0;
        }
        self.mass.solve(model.topology(), &mut left);
        for (k, a) in a.iter_mut().enumerate() {
            if !prescribed[k] {
                *a = left[k];
            }
        }
        self.inverse(model, params, a, &mut left);
        for (k, tau) in tau.iter_mut().enumerate() {
            if prescribed[k] {
                *tau = left[k];
            }
        }
        self.scratch = left;
    }
}
