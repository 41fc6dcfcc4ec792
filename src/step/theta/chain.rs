//! The links of the chain rule that a θ-step has in place of the balance and the impulses. Before them the
//! link of the stages writes δv* and δξ.
//!
//! | link | forward | backward, upwards |
//! |---|---|---|
//! | change | x = −δ(A Δ) − h R_λ δq at fixed Δ and impulses | (q̄, p̄) += adjoints of w; ξ̄ |
//! | impulses | x ← A⁻¹ x + δv* | w = A⁻¹ z; the adjoint of v* is z |
//! | | x += A⁻¹ Jᵀ δλ(J x + δσ, δbounds) | z, σ̄ ← through the law |
//!
//! R_λ is the balance of the contact loads alone, for bodies at rest without gravity.

use crate::error::{Error, Result};
use crate::linalg::{add_scaled, all_finite};
use crate::step::implicit::missing;
use crate::step::linearization::*;
use crate::step::link::{Along, Bars, Seed};
use crate::step::reduced::ReductionPart;
use crate::step::taken::Taken;

pub(in crate::step) fn change(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let (t, nv) = (step.model.topology(), step.model.nv());
    let (Some(theta), Some(implicit)) = (&mut step.theta, &step.implicit) else {
        return Err(missing());
    };
    let x = &mut lin.x;
    x.fill(0.0);
    if !theta.has_impulses {
        return Ok(());
    }
    for (p, dp) in along.p.entries() {
        add_scaled(dp, &theta.by_p[p * nv..][..nv], x);
    }
    (theta.matrix).subtract_direction(t, along.q, &implicit.work.xi, x);
    if along.q.is_empty() {
        return Ok(());
    }
    lin.column.fill(0.0);
    step.loads_along(along.q, &mut lin.column)?;
    add_scaled(-step.options.time_step, &lin.column, &mut lin.x);
    Ok(())
}

pub(in crate::step) fn change_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let (Some(theta), Some(implicit)) = (&mut step.theta, &mut step.implicit) else {
        return Err(missing());
    };
    let (t, nv) = (step.model.topology(), step.model.nv().max(1));
    let (weights, xi) = (&mut lin.weights, &mut implicit.work.xi);
    if !theta.has_impulses {
        xi.fill(0.0);
        return Ok(());
    }
    if let Some(out) = &mut bars.p {
        for (out, column) in out.iter_mut().zip(theta.by_p.chunks_exact(nv)) {
            *out += dot(column, weights);
        }
    }
    (theta.matrix).subtract_adjoint(t, weights, &mut lin.q_sum, xi);
    let h = step.options.time_step;
    weights.iter_mut().for_each(|w| *w *= -h);
    // The adjoint by velocities is zero: the bodies are at rest.
    step.loads_weighed(weights, &mut lin.q_sum, &mut lin.column);
    Ok(())
}

pub(in crate::step) fn impulses(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let (model, mass, x) = (step.model, &mut step.dynamics.mass, &mut lin.x);
    let (Some(theta), Some(implicit)) = (&step.theta, &step.implicit) else {
        return Err(missing());
    };
    if theta.has_impulses {
        mass.solve(model.topology(), x);
    }
    add_scaled(1.0, &implicit.work.w, x);
    if let Some(of) = step.by_reduction.as_ref().filter(|_| theta.has_impulses) {
        of.add_velocity(ReductionPart::Change, |i| along.p.weight(i), x);
    }
    match &mut step.contact {
        Some(c) => c.correct_one(model, mass, x),
        None => Ok(()),
    }
}

pub(in crate::step) fn impulses_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    seed: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let (t, mass) = (step.model.topology(), &mut step.dynamics.mass);
    let (z, weights) = (&mut lin.z, &mut lin.weights);
    let (Some(theta), Some(implicit)) = (&step.theta, &mut step.implicit) else {
        return Err(missing());
    };
    match &mut step.contact {
        Some(c) if c.has_rows() => {
            weights.copy_from_slice(z);
            c.correct_transposed(t, mass, &seed.impulses, bars.p.is_some(), z, weights)?;
        }
        Some(_) if theta.has_impulses => {
            weights.copy_from_slice(z);
            mass.solve(t, weights);
        }
        _ => weights.fill(0.0),
    }
    if !all_finite(weights) {
        return Err(Error::numerical("the adjoint of the step is not finite"));
    }
    implicit.work.w.copy_from_slice(z);
    let of = step.by_reduction.as_ref().filter(|_| theta.has_impulses);
    if let (Some(of), Some(out)) = (of, &mut bars.p) {
        of.add_velocity_transposed(ReductionPart::Change, z, out);
    }
    Ok(())
}

impl Taken<'_> {
    /// Adds R_λ δq to `out`.
    fn loads_along(&mut self, q: &[f64], out: &mut [f64]) -> Result<()> {
        let t = self.model.topology();
        if t.is_deep() {
            self.without_gravity(|step| {
                let d = &mut *step.dynamics;
                d.inverse_direction(step.model, step.params, q, &[], out);
            });
            self.for_loads_on_dofs(|row, column, x| out[row] += x * q[column]);
            return Ok(());
        }
        let Some(d) = &self.dynamics.derivatives else {
            return Err(missing());
        };
        packed_mul(t, &d.id.above_q, &d.id.below_q, q, out);
        Ok(())
    }

    /// Adds R_λᵀ w to `q_bar`; `scratch` is overwritten.
    fn loads_weighed(&mut self, weights: &[f64], q_bar: &mut [f64], scratch: &mut [f64]) {
        self.without_gravity(|step| {
            let d = &mut *step.dynamics;
            d.inverse_adjoint(step.model, step.params, weights, q_bar, scratch);
        });
        self.for_loads_on_dofs(|row, column, x| q_bar[column] += x * weights[row]);
    }

    fn for_loads_on_dofs(&self, visit: impl FnMut(usize, usize, f64)) {
        if let Some(c) = &self.contact
            && let Some(l) = &c.linear
        {
            let t = self.model.topology();
            l.variation.for_couplings(t, &c.paths, visit);
        }
    }
}
