//! How the end of a step varies with the points that it takes free joints' frames around, in its chain and in its Jacobians.
//!
//! A centre of mass moves along the joint's axes with the dofs below and with parameters. By that, at fixed v̂,
//! δx⁺ = C_q δc and δv⁺ = C_v δc ([`Scheme::by_centre`](crate::integrator::Scheme::by_centre)).

use super::jacobians::StepJacobians;
use super::linearization::Linearization;
use super::link::{Along, Bars, Parameters, Seed};
use super::sim::Sim;
use crate::spatial::{Mat3, Vec3};

fn add(out: &mut [f64], x: Vec3) {
    for (out, x) in out.iter_mut().zip(x.to_array()) {
        *out += x;
    }
}

impl Sim {
    /// C_q and C_v of the free joint with this first dof.
    fn by_centre(&self, iv: usize) -> [Mat3; 2] {
        let v_end = &self.state.v_end[iv..iv + 6];
        self.integrator.by_centre(self.options.time_step, v_end)
    }

    /// Visits how centres move with dofs: (first dof of the free joint, dof, change).
    fn for_centres(&self, visit: impl FnMut(usize, usize, Vec3)) {
        if let Some(gyroscopic) = &self.forces.gyroscopic {
            gyroscopic.for_centres(self.model.topology(), &self.dynamics.kin, visit);
        }
    }

    /// Visits how centres move with the selected parameters: (first dof of the free joint, parameter, change).
    fn for_centres_by_parameters(&self, mut visit: impl FnMut(usize, usize, Vec3)) {
        if let Some(gyroscopic) = &self.forces.gyroscopic {
            let (model, params, kin) = (&self.model, &self.params, &self.dynamics.kin);
            for (i, p) in self.selected.iter().enumerate() {
                if let Some((iv, x)) = gyroscopic.centre_by_parameter(model, params, kin, p) {
                    visit(iv, i, x);
                }
            }
        }
    }

    /// Adds what a direction of the dofs and the parameters moves the end by.
    pub(super) fn move_centres(&self, lin: &mut Linearization, along: &Along<'_>) {
        let (q_next, v_next) = (&mut lin.q_next, &mut lin.v_next);
        let mut shift = |iv: usize, x: Vec3| {
            let [by_q, by_v] = self.by_centre(iv);
            add(&mut q_next[iv..iv + 3], by_q.mul_vec(x));
            add(&mut v_next[iv..iv + 3], by_v.mul_vec(x));
        };
        if !along.q.is_empty() {
            self.for_centres(|iv, k, x| shift(iv, x * along.q[k]));
        }
        match along.p {
            Parameters::Along([]) => {}
            Parameters::Along(dp) => {
                self.for_centres_by_parameters(|iv, p, x| shift(iv, x * dp[p]));
            }
            Parameters::Unit(unit) => self.for_centres_by_parameters(|iv, p, x| {
                if p == unit {
                    shift(iv, x);
                }
            }),
        }
    }

    /// Its transpose.
    pub(super) fn move_centres_transposed(
        &self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        bars: &mut Bars<'_>,
    ) {
        let weight = |iv: usize| {
            let [by_q, by_v] = self.by_centre(iv);
            let [q, v] = [seed.next.q, seed.next.v].map(|x| Vec3::from_slice(&x[iv..]));
            by_q.tr_mul_vec(q) + by_v.tr_mul_vec(v)
        };
        self.for_centres(|iv, k, x| lin.q_sum[k] += weight(iv).dot(x));
        if let Some(out) = &mut bars.p {
            self.for_centres_by_parameters(|iv, p, x| out[p] += weight(iv).dot(x));
        }
    }

    /// The same of the Jacobians by q and by the parameters.
    pub(super) fn add_centres(&self, sparse: bool, out: &mut StepJacobians<'_>) {
        let Some(lin) = &self.linear else { return };
        let ([mut dofs, ..], nv) = (lin.kinds(), self.model.nv());
        if sparse {
            dofs = dofs.packed(&lin.starts[0]);
        }
        if out.dq_dq.is_some() || out.dv_dq.is_some() {
            self.for_centres(|iv, k, x| {
                let to = [&mut out.dq_dq, &mut out.dv_dq];
                for (to, by) in to.into_iter().zip(self.by_centre(iv)) {
                    if let Some(to) = to {
                        add(&mut to[dofs.index(k, iv)..][..3], by.mul_vec(x));
                    }
                }
            });
        }
        if out.dq_dp.is_some() || out.dv_dp.is_some() {
            self.for_centres_by_parameters(|iv, p, x| {
                let to = [&mut out.dq_dp, &mut out.dv_dp];
                for (to, by) in to.into_iter().zip(self.by_centre(iv)) {
                    if let Some(to) = to {
                        add(&mut to[p * nv + iv..][..3], by.mul_vec(x));
                    }
                }
            });
        }
    }
}
