//! Forces that couple dofs, in a step with constraints: the free velocity treats them implicitly, but
//! impulses act only through the factors of the tree, without them.
//!
//! Let A be the matrix of the tree, and N the implicit terms that couple dofs. A step with constraints is
//!
//!   (A + N) a_f + b − f = 0,   A (a − a_f) = Jᵀ λ / h,   so that A a + N a_f + b − f − Jᵀ λ / h = 0.
//!
//! With r_f and r the two balances at fixed accelerations, the chain of a step uses
//!
//!   y = −(A + N)⁻¹ (h δr_f + (A + N) w),   x = A⁻¹ (−h δr − A w − N y),
//!
//! where w belongs to the dofs with a prescribed velocity. R_f is stored as dense matrices.

use super::derivatives::at;
use super::info::check_finite;
use super::linearization::{Linearization, dot};
use super::link::{Along, Parameters};
use super::parameters::At;
use super::sim::Sim;
use super::split::Split;
use crate::dynamics::system::System;
use crate::error::{Error, Result};
use crate::linalg::add_scaled;

impl Sim {
    /// True if the free velocity of the last or pending step has terms through which impulses do not act.
    pub(super) fn is_split(&self) -> bool {
        self.contact.is_some() && !self.dynamics.system.is_definite()
    }

    /// Refuses implicit user-defined forces between dofs with constraints: derivatives by a force's own
    /// parameters do not separate the part that acts on impulses.
    pub(super) fn check_couplings(&self) -> Result<()> {
        if self.contact.is_some() && self.forces.couples() {
            return Err(Error::unsupported(
                "forces: with constraints, a force between dofs must be explicit; options.contact None makes no constraints",
            ));
        }
        Ok(())
    }

    /// Sets a generalized force on all dofs in all following steps: `force` at the state at the start of
    /// the step [N or N m], with its slopes K = ∂τ/∂q and D = ∂τ/∂v at this state, nv×nv, column-major;
    /// empty means zero. The step uses τ + h K v⁺ + D (v⁺ − v), so that a caller's stiff feedback is as
    /// stable as a servo of the model. `None` ends the force. Derivatives of the step hold τ, K and D
    /// fixed. The last step is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, `Numerical` for a number that is not finite, `Unsupported`
    /// with implicit integrators. Then nothing changes.
    pub fn set_force(&mut self, given: Option<[&[f64]; 3]>) -> Result<()> {
        if let Some([force, by_q, by_v]) = given {
            let nv = self.model.nv();
            check_finite("tau", force, nv)?;
            for (name, x) in [("K", by_q), ("D", by_v)] {
                if !x.is_empty() {
                    check_finite(name, x, nv * nv)?;
                }
            }
            if self.implicit.is_some() || self.theta.is_some() {
                return Err(Error::unsupported(format!(
                    "options.integrator: with {:?} a force with slopes cannot be given; expected SymplecticEuler or SymplecticEulerWorld",
                    self.options.integrator
                )));
            }
        }
        self.forces.set_feedback(given);
        self.refresh_forces();
        self.forget_step();
        Ok(())
    }

    /// Adds the implicit terms of servos, at the state of the last
    /// [`Forces::apply`](crate::force::Forces::apply), to the diagonal.
    pub(super) fn hold_servos(&mut self) {
        if self.forces.has_servos() {
            let (h, has_stage) = (self.implicit_step(), self.theta.is_some());
            self.forces.hold(h, has_stage, &mut self.diagonal);
            self.prescribed.take_diagonal(&self.diagonal);
        }
    }

    /// Allocates the derivative if the balance may be split.
    pub(super) fn fit_split(&mut self) {
        let may_split = matches!(self.dynamics.system, System::Coupled(_));
        if self.contact.is_none() || self.linear.is_none() || !may_split {
            self.split = None;
            return;
        }
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        if self.split.as_ref().is_some_and(|s| s.by_p.len() == nv * np) {
            return;
        }
        self.split = Some(Box::new(Split::new([nv, nu, np])));
    }

    /// Computes R_f of the last step if it is split. Recursions and forces must be at the start of the
    /// step, without contact loads.
    pub(super) fn linearize_free(&mut self) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        let Some(mut split) = self.split.take() else {
            return Err(missing());
        };
        let done = self.take_free(&mut split);
        self.split = Some(split);
        done
    }

    fn take_free(&mut self, split: &mut Split) -> Result<()> {
        let (model, h, s) = (&*self.model, self.options.time_step, &self.state);
        let (t, nv) = (model.topology(), model.nv());
        let start = s.for_forces(model, &self.params, &self.dynamics.kin, h);
        self.forces.differentiate(&start, [&s.acc_free; 2]);
        let d = &mut self.dynamics;
        d.inverse(model, &self.params, &s.acc_free, &mut self.work);
        d.differentiate_inverse(model, &self.params);
        let Split {
            by_q, by_v, by_u, ..
        } = split;
        if t.is_deep() {
            d.inverse_columns(model, &self.params, by_q, by_v);
        } else if let Some(d) = &d.derivatives {
            d.id.to_dense(t, Some(by_q), Some(by_v));
        }
        let mut add = |row: usize, column: usize, q: f64, v: f64| {
            by_q[column * nv + row] += q;
            by_v[column * nv + row] += v;
        };
        self.forces.for_branches(t, h, &mut add);
        self.forces.for_cross(t, &mut add);
        for (slope, input) in by_u.iter_mut().zip(self.forces.actuator_inputs()) {
            *slope = input.slope;
        }
        let Some(d) = &self.dynamics.derivatives else {
            return Err(missing());
        };
        let at = At {
            acc: &self.state.acc_free,
            ..at!(self, d)
        };
        for (p, column) in self
            .selected
            .iter()
            .zip(split.by_p.chunks_exact_mut(nv.max(1)))
        {
            at.column(p, column);
        }
        Ok(())
    }

    /// Subtracts N y of a direction from `x`, after [`Sim::subtract_prescribed`].
    pub(super) fn subtract_free(&mut self, along: &Along<'_>, x: &mut [f64]) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        let Some(split) = &mut self.split else {
            return Err(missing());
        };
        let (nv, h) = (self.model.nv().max(1), self.options.time_step);
        let y = &mut split.free;
        y.fill(0.0);
        for (matrix, direction) in [(&split.by_q, along.q), (&split.by_v, along.v)] {
            for (column, d) in matrix.chunks_exact(nv).zip(direction) {
                add_scaled(*d, column, y);
            }
        }
        match along.p {
            Parameters::Unit(p) => add_scaled(1.0, &split.by_p[p * nv..][..nv], y),
            Parameters::Along(dp) => {
                for (column, d) in split.by_p.chunks_exact(nv).zip(dp) {
                    add_scaled(*d, column, y);
                }
            }
        }
        let inputs = self.forces.actuator_inputs().iter();
        for ((input, slope), du) in inputs.zip(&split.by_u).zip(along.u) {
            input.moments().for_each(|(k, m)| y[k] -= m * slope * du);
        }
        for input in self.forces.other_inputs() {
            if let Some(du) = along.u.get(input.input) {
                input
                    .moments()
                    .for_each(|(k, m)| y[k] -= m * input.slope * du);
            }
        }
        y.iter_mut().for_each(|y| *y *= -h);
        if !self.prescribed.is_empty() {
            add_scaled(-1.0, &self.prescribed.work, y);
        }
        let d = &mut self.dynamics;
        d.system.solve(&mut d.mass, self.model.topology(), y);
        d.system.subtract_couplings(y, x);
        Ok(())
    }

    /// Computes and keeps the adjoint of the free motion's balance from the adjoint `weights` of the whole
    /// balance. Writes the sum of both to `sum`.
    pub(super) fn weigh_free(&mut self, weights: &[f64]) -> Result<()> {
        let Some(split) = &mut self.split else {
            return Err(missing());
        };
        let (d, free) = (&mut self.dynamics, &mut split.free);
        free.fill(0.0);
        d.system.subtract_couplings_transposed(weights, free);
        (d.system).solve_transposed(&mut d.mass, self.model.topology(), free);
        for (sum, (w, free)) in split.sum.iter_mut().zip(weights.iter().zip(&*free)) {
            *sum = w + free;
        }
        Ok(())
    }

    /// [`Sim::adjoin_prescribed`] with the weights of both balances.
    pub(super) fn adjoin_split(&mut self, z: &mut [f64], weights: &[f64]) -> Result<()> {
        if !self.is_split() {
            self.adjoin_prescribed(z, weights);
            return Ok(());
        }
        self.weigh_free(weights)?;
        let Some(split) = self.split.take() else {
            return Err(missing());
        };
        self.adjoin_prescribed(z, &split.sum);
        self.split = Some(split);
        Ok(())
    }

    /// Adds the adjoints by the start of the step through the free motion's balance, after
    /// [`Sim::adjoin_split`].
    pub(super) fn adjoin_free(
        &mut self,
        lin: &mut Linearization,
        u: Option<&mut [f64]>,
        p: Option<&mut [f64]>,
    ) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        let Some(split) = &mut self.split else {
            return Err(missing());
        };
        let (nv, h) = (self.model.nv().max(1), self.options.time_step);
        let w = &mut split.free;
        w.iter_mut().for_each(|w| *w *= -h);
        for (matrix, out) in [(&split.by_q, &mut lin.q_sum), (&split.by_v, &mut lin.v_sum)] {
            for (column, out) in matrix.chunks_exact(nv).zip(out.iter_mut()) {
                *out += dot(column, w);
            }
        }
        if let Some(out) = u {
            let inputs = self.forces.actuator_inputs().iter();
            for (input, slope) in inputs.zip(&split.by_u) {
                let along: f64 = input.moments().map(|(k, m)| m * w[k]).sum();
                out[input.input] -= slope * along;
            }
            for input in self.forces.other_inputs() {
                out[input.input] -= input.adjoint(w);
            }
        }
        if let Some(out) = p {
            for (column, out) in split.by_p.chunks_exact(nv).zip(out) {
                *out += dot(column, w);
            }
        }
        Ok(())
    }
}

fn missing() -> Error {
    Error::internal("the workspace of the free motion's balance is missing")
}
