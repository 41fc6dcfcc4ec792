//! The centres of free joints, and the derivative of a step by them. A step integrates the velocity of the
//! centre.
//!
//! A centre, the centre of mass of the joint's link, depends on parameters only. At fixed v and v̂ it gives
//! δv̂₀ = C₀ δc, δx⁺ = C_q δc and δv⁺ = C_v δc
//! ([`Scheme::by_centre`](crate::integrator::Scheme::by_centre)).

use super::jacobians::StepJacobians;
use super::link::{Along, Bars, Parameters};
use super::state::StepState;
use super::taken::Taken;
use crate::dynamics::Dynamics;
use crate::force::Forces;
use crate::model::Model;
use crate::model::params::Params;
use crate::spatial::{Mat3, Vec3};

fn add(out: &mut [f64], x: Vec3) {
    for (out, x) in out.iter_mut().zip(x.to_array()) {
        *out += x;
    }
}

impl StepState {
    pub(super) fn take_centres(&mut self, forces: &Forces, model: &Model, params: &Params) {
        if let Some(gyroscopic) = &forces.gyroscopic {
            gyroscopic.centres(model, params, &mut self.centres);
        }
    }

    /// Computes the acceleration of isolated bodies with [`Gyroscopic::settle`](crate::force::Gyroscopic).
    pub(super) fn settle_free(
        &mut self,
        forces: &Forces,
        dynamics: &Dynamics,
        model: &Model,
        h: f64,
        diagonal_and_applied: [&[f64]; 2],
    ) {
        if let Some(gyroscopic) = &forces.gyroscopic
            && dynamics.system.is_definite()
        {
            let t = model.topology();
            gyroscopic.settle(t, h, dynamics, diagonal_and_applied, &mut self.acc);
        }
    }
}

impl Taken<'_> {
    /// C₀ of the free joint with this first dof.
    fn start_by_centre(&self, iv: usize) -> Mat3 {
        let v = &self.state.v[iv..iv + 6];
        (self.integrator).start_by_centre(self.options.time_step, v)
    }

    /// C_q and C_v.
    fn end_by_centre(&self, iv: usize) -> [Mat3; 2] {
        let v_end = &self.state.v_end[iv..iv + 6];
        self.integrator.by_centre(self.options.time_step, v_end)
    }

    /// Visits the derivatives of centres by the selected parameters: (first dof of the free joint,
    /// parameter, derivative).
    fn for_centres(&self, mut visit: impl FnMut(usize, usize, Vec3)) {
        if let Some(gyroscopic) = &self.forces.gyroscopic {
            for (i, p) in self.selected.iter().enumerate() {
                if let Some((iv, x)) = gyroscopic.centre_by_parameter(self.model, self.params, p) {
                    visit(iv, i, x);
                }
            }
        }
    }

    fn for_centres_along(&self, p: Parameters<'_>, mut visit: impl FnMut(usize, Vec3)) {
        match p {
            Parameters::Along([]) => {}
            Parameters::Along(dp) => self.for_centres(|iv, p, x| visit(iv, x * dp[p])),
            Parameters::Unit(unit) => self.for_centres(|iv, p, x| {
                if p == unit {
                    visit(iv, x);
                }
            }),
        }
    }

    /// x += δv̂₀ along a direction of the parameters.
    pub(super) fn move_start(&self, along: &Along<'_>, x: &mut [f64]) {
        self.for_centres_along(along.p, |iv, c| {
            add(&mut x[iv..iv + 3], self.start_by_centre(iv).mul_vec(c));
        });
    }

    /// Transpose of [`Taken::move_start`]: z is the adjoint by v̂₀.
    pub(super) fn move_start_transposed(&self, z: &[f64], bars: &mut Bars<'_>) {
        if let Some(out) = &mut bars.p {
            self.for_centres(|iv, p, c| {
                // C₀ is symmetric.
                out[p] += self
                    .start_by_centre(iv)
                    .mul_vec(c)
                    .dot(Vec3::from_slice(&z[iv..]));
            });
        }
    }

    /// Adds the change of the end along a direction of the parameters.
    pub(super) fn move_end(&self, along: &Along<'_>, q_next: &mut [f64], v_next: &mut [f64]) {
        self.for_centres_along(along.p, |iv, c| {
            let [by_q, by_v] = self.end_by_centre(iv);
            add(&mut q_next[iv..iv + 3], by_q.mul_vec(c));
            add(&mut v_next[iv..iv + 3], by_v.mul_vec(c));
        });
    }

    /// Transpose of [`Taken::move_end`].
    pub(super) fn move_end_transposed(&self, q: &[f64], v: &[f64], bars: &mut Bars<'_>) {
        if let Some(out) = &mut bars.p {
            self.for_centres(|iv, p, c| {
                let [by_q, by_v] = self.end_by_centre(iv);
                let [q, v] = [q, v].map(|x| Vec3::from_slice(&x[iv..]));
                out[p] += by_q.mul_vec(c).dot(q) + by_v.mul_vec(c).dot(v);
            });
        }
    }

    /// Adds the centres' part to the Jacobians by the parameters.
    pub(super) fn add_centres(&self, out: &mut StepJacobians<'_>) {
        let nv = self.model.nv();
        if out.dq_dp.is_some() || out.dv_dp.is_some() {
            self.for_centres(|iv, p, c| {
                let to = [&mut out.dq_dp, &mut out.dv_dp];
                for (to, by) in to.into_iter().zip(self.end_by_centre(iv)) {
                    if let Some(to) = to {
                        add(&mut to[p * nv + iv..][..3], by.mul_vec(c));
                    }
                }
            });
        }
    }

    /// Subtracts δv̂₀ times `rate` from columns by the parameters.
    pub(super) fn subtract_start(&self, rate: f64, columns: &mut [f64]) {
        let nv = self.model.nv();
        self.for_centres(|iv, p, c| {
            let moved = self.start_by_centre(iv).mul_vec(c) * -rate;
            add(&mut columns[p * nv + iv..][..3], moved);
        });
    }
}
