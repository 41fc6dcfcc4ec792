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

use super::linearization::{Linearization, dot};
use super::link::Along;
use super::parameters::At;
use super::split::Split;
use super::taken::{Taken, at};
use crate::error::{Error, Result};
use crate::linalg::add_scaled;

impl Taken<'_> {
    /// Computes R_f of the last step if it is split. Recursions and forces must be at the start of the
    /// step, without contact loads.
    pub(super) fn linearize_free(&mut self) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        let Some(split) = self.split.take() else {
            return Err(missing());
        };
        let done = self.take_free(split);
        self.split = Some(split);
        done
    }

    fn take_free(&mut self, split: &mut Split) -> Result<()> {
        let (model, h, s) = (self.model, self.options.time_step, &*self.state);
        let (t, nv) = (model.topology(), model.nv());
        let start = s.for_forces(model, self.params, &self.dynamics.kin, h);
        self.forces.differentiate(&start, [&s.acc_free; 2]);
        let d = &mut *self.dynamics;
        d.inverse(model, self.params, &s.acc_free, self.work);
        d.differentiate_inverse(model, self.params);
        let Split {
            by_q, by_v, by_u, ..
        } = split;
        if t.is_deep() {
            d.inverse_columns(model, self.params, by_q, by_v);
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

    /// Subtracts N y of a direction from `x`, after [`Taken::subtract_prescribed`].
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
        for (p, dp) in along.p.entries() {
            add_scaled(dp, &split.by_p[p * nv..][..nv], y);
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
        let d = &mut *self.dynamics;
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
        let (d, free) = (&mut *self.dynamics, &mut split.free);
        free.fill(0.0);
        d.system.subtract_couplings_transposed(weights, free);
        (d.system).solve_transposed(&mut d.mass, self.model.topology(), free);
        for (sum, (w, free)) in split.sum.iter_mut().zip(weights.iter().zip(&*free)) {
            *sum = w + free;
        }
        Ok(())
    }

    /// [`Taken::adjoin_prescribed`] with the weights of both balances.
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
    /// [`Taken::adjoin_split`].
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
