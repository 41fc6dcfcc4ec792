//! Dofs with a prescribed velocity.
//!
//! In a step such a dof goes from v̂₀ to a known velocity whatever forces act on it. In A it has infinite
//! inertia ([`hybrid`](crate::dynamics::hybrid)): forces and impulses do not accelerate it, and it acts on
//! the other dofs by its acceleration. This is exact with every law and needs no row. A bilateral row would
//! be compliant with the convex law, would add an unknown impulse to every problem, and would hold only to
//! the solver's tolerance.
//!
//! With w = δv̂ − δv̂₀ on these dofs and zero elsewhere, the chain of a step becomes
//!
//!   x = δv̂₀ + w − A⁻¹ (h δr + A w),   w̄ = z − Aᵀ A⁻ᵀ z,
//!
//! where A⁻¹ has zero rows and columns for these dofs. If R_v already contains A (δv̂₀ − δv), then w is
//! relative to δv. Panels of columns first treat these dofs as continuing with δv̂₀; this is corrected
//! column by column. Rows between dofs that are all prescribed have no impulse and are left out.

use super::linearization::Linearization;
use super::link::Along;
use super::prescribed::Prescribed;
use super::state::Held;
use super::taken::Taken;
use crate::error::Result;
use crate::integrator::Scheme;
use crate::linalg::add_scaled;
use crate::model::Model;
use crate::model::params::ParamKind;
use std::ops::Range;

/// Calls `visit` with the dofs of each free joint that is prescribed as a whole.
pub(super) fn for_whole(
    model: &Model,
    prescribed: &mut Prescribed,
    mut visit: impl FnMut(Range<usize>, &mut Prescribed),
) {
    if prescribed.is_empty() {
        return;
    }
    for l in model.free_links() {
        if prescribed.is_prescribed()[l.dofs()].iter().all(|d| *d) {
            visit(l.dofs(), prescribed);
        }
    }
}

impl Taken<'_> {
    /// [`for_whole`] with the scheme and h, if the scheme has a v̂ for such a joint.
    fn for_whole(&mut self, visit: impl Fn(&dyn Scheme, f64, Range<usize>, &mut Prescribed)) {
        if !self.is_formula() {
            let (scheme, h) = (&*self.integrator, self.options.time_step);
            for_whole(self.model, self.prescribed, |dofs, prescribed| {
                visit(scheme, h, dofs, prescribed)
            });
        }
    }

    /// Subtracts A w of a direction from −h δr in `x`.
    pub(super) fn subtract_prescribed(&mut self, along: &Along<'_>, x: &mut [f64]) {
        if self.prescribed.is_empty() {
            return;
        }
        let prescribed = &mut *self.prescribed;
        let Prescribed { change, .. } = &mut *prescribed;
        change.fill(0.0);
        for (p, dp) in along.p.entries() {
            let p = &self.selected[p];
            if p.kind == ParamKind::Prescribed {
                change[p.index as usize] += dp;
            }
        }
        self.for_whole(|scheme, h, dofs, prescribed| {
            let v = &prescribed.velocity[dofs.clone()];
            scheme.reach_direction(h, v, &mut prescribed.change[dofs]);
        });
        let by_directions = self.by_directions();
        let prescribed = &mut *self.prescribed;
        let start = &mut prescribed.work;
        start.fill(0.0);
        if !along.v.is_empty() && by_directions {
            let at = self.state.start(self.model, self.options.time_step);
            self.integrator.start_direction(&at, along.v, start);
        } else if !along.v.is_empty() {
            // The branch-packed R_v already contains the rest.
            start.copy_from_slice(along.v);
        }
        prescribed.leave_start();
        let (given, work) = (&prescribed.given, &mut prescribed.work);
        (self.dynamics).times_system(self.model, false, given, work);
        for (x, work) in x.iter_mut().zip(&*work) {
            *x -= work;
        }
    }

    /// Corrects panels in which prescribed dofs continued with their velocity, with the response of the
    /// impulses to it. Afterwards their acceleration w acts on the other dofs.
    pub(super) fn drive_columns(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.prescribed.is_empty() {
            return Ok(());
        }
        let (model, nv) = (self.model, self.model.nv());
        for k in self.prescribed.dofs() {
            let (x, unit) = (&mut lin.x, &mut lin.unit[..nv]);
            x.fill(0.0);
            // For a stage, its own columns contain w.
            if self.theta.is_none() {
                unit[k] = 1.0;
                self.dynamics.times_system(model, false, unit, x);
                unit[k] = 0.0;
                self.dynamics.mass.solve(model.topology(), x);
            }
            x[k] -= 1.0;
            if let Some(c) = &mut self.contact {
                c.direction(model.topology(), &self.dynamics.kin, &[], &[], x);
                c.correct_one(model, &mut self.dynamics.mass, x)?;
            }
            let column = &mut lin.by_v[k * nv..][..nv];
            for span in lin.coupling.spans(lin.coupling.of_dof(k)) {
                add_scaled(1.0, &lin.x[span.clone()], &mut column[span.clone()]);
            }
        }
        Ok(())
    }

    /// δv̂ of prescribed dofs, after [`Taken::subtract_prescribed`].
    pub(super) fn write_prescribed(&self, x: &mut [f64]) {
        for k in self.prescribed.dofs() {
            x[k] = self.prescribed.change[k];
        }
    }

    /// On entry z is the adjoint by v̂, and `weights` = A⁻ᵀ z. On return z is the adjoint by v̂₀; the
    /// adjoint by the prescribed velocities is kept in the workspace.
    pub(super) fn adjoin_prescribed(&mut self, z: &mut [f64], weights: &[f64]) {
        if self.prescribed.is_empty() {
            return;
        }
        let prescribed = &mut *self.prescribed;
        (self.dynamics).times_system(self.model, true, weights, &mut prescribed.work);
        prescribed.share(z);
        self.for_whole(|scheme, h, dofs, prescribed| {
            let v = &prescribed.velocity[dofs.clone()];
            scheme.reach_adjoint(h, v, &mut prescribed.change[dofs]);
        });
    }

    /// The balance A a + b − f − Jᵀλ/h of the last step.
    pub(super) fn unheld_balance(&mut self, out: &mut [f64]) -> Result<()> {
        let mut acc = std::mem::take(&mut self.prescribed.given);
        acc.copy_from_slice(&self.state.acc);
        (self.dynamics).update(self.model, self.params, &self.state.q, &self.state.v);
        self.apply_loads();
        *self.held = Held::Other;
        let (model, h, s) = (self.model, self.options.time_step, &*self.state);
        let at = s.for_forces(model, self.params, &self.dynamics.kin, h);
        let forces = self.forces.apply(&at, self.tau);
        if forces.is_ok() {
            let system = &mut self.dynamics.system;
            self.forces.set_products(system);
            self.hold_servos(h, false);
            (self.dynamics).inverse(model, self.params, &acc, out);
            for (k, out) in out.iter_mut().enumerate() {
                // Both terms contain the armature.
                let implicit = self.diagonal[k] - self.params.armature[k];
                *out = self.tau[k] - (*out + implicit * acc[k]);
            }
            let free = match self.contact {
                Some(_) => &self.state.acc_free,
                None => &acc,
            };
            (self.dynamics.system).subtract_couplings(free, out);
            out.iter_mut().for_each(|x| *x = -*x);
            if let Some(c) = &self.contact {
                c.subtract_impulses(1.0 / h, out);
            }
        }
        self.prescribed.given = acc;
        forces.map(|_| ())
    }
}
