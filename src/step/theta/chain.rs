//! The links of the chain rule that a θ-step replaces.
//!
//! | link | forward | backward, upwards |
//! |---|---|---|
//! | balance | δv* by the stage | (q̄, v̄, ū, p̄) += adjoints of z through the stage |
//! | | x = −δ(A Δ) − h R_λ δq at fixed Δ and impulses | (q̄, v̄, ū, p̄) += adjoints of w through both |
//! | impulses | x ← A⁻¹ x + δv* | w = A⁻¹ z |
//! | | x += A⁻¹ Jᵀ δλ(J x + δσ, δbounds) | z, σ̄ ← through the law |
//!
//! R_λ is the balance of the contact loads alone, for bodies at rest without gravity.

use super::linear::missing;
use crate::error::{Error, Result};
use crate::linalg::{add_scaled, all_finite};
use crate::step::implicit::mix;
use crate::step::linearization::*;
use crate::step::link::{Along, Bars, Parameters, Seed};
use crate::step::taken::Taken;

pub(in crate::step) fn balance(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let (t, nv) = (step.model.topology(), step.model.nv());
    let Some(theta) = &mut step.theta else {
        return Err(missing());
    };
    let (free, x) = (&mut theta.free, &mut lin.x);
    free.fill(0.0);
    x.fill(0.0);
    let columns = &theta.columns;
    match along.p {
        Parameters::Unit(p) => {
            free.copy_from_slice(&columns.stage[p * nv..][..nv]);
            if theta.has_impulses {
                x.copy_from_slice(&columns.forces[p * nv..][..nv]);
            }
        }
        Parameters::Along(dp) => {
            for (k, dp) in dp.iter().enumerate() {
                add_scaled(*dp, &columns.stage[k * nv..][..nv], free);
                if theta.has_impulses {
                    add_scaled(*dp, &columns.forces[k * nv..][..nv], x);
                }
            }
        }
    }
    let (rule, start) = (theta.rule, &mut theta.start);
    mix(rule.w0, along.v, &[], &[], &mut start.w0);
    mix(rule.xi0, along.v, &[], &[], &mut start.xi0);
    (theta.linear).direction(t, along.q, along.u, start, free)?;
    if !theta.has_impulses {
        return Ok(());
    }
    theta.xi.copy_from_slice(&start.xi0);
    add_scaled(rule.displacement, free, &mut theta.xi);
    (theta.matrix).subtract_direction(t, along.q, &theta.xi, x);
    if along.q.is_empty() {
        return Ok(());
    }
    lin.column.fill(0.0);
    step.loads_along(along.q, &mut lin.column)?;
    add_scaled(-step.options.time_step, &lin.column, &mut lin.x);
    Ok(())
}

pub(in crate::step) fn balance_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let Some(theta) = step.theta.take() else {
        return Err(missing());
    };
    let (t, nv) = (step.model.topology(), step.model.nv().max(1));
    let (rule, weights) = (theta.rule, &mut lin.weights);
    if theta.has_impulses {
        if let Some(out) = &mut bars.p {
            let columns = theta.columns.forces.chunks_exact(nv);
            for (out, column) in out.iter_mut().zip(columns) {
                *out += dot(column, weights);
            }
        }
        (theta.matrix).subtract_adjoint(t, weights, &mut lin.q_sum, &mut theta.xi);
        add_scaled(rule.displacement, &theta.xi, &mut theta.free);
        add_scaled(rule.xi0.start, &theta.xi, &mut lin.v_sum);
        let h = step.options.time_step;
        weights.iter_mut().for_each(|w| *w *= -h);
        // The adjoint by velocities is zero: the bodies are at rest.
        step.loads_weighed(weights, &mut lin.q_sum, &mut lin.column);
    }
    let t = step.model.topology();
    if let Some(u) = &mut bars.u {
        u.fill(0.0);
    }
    let (start, free) = (&mut theta.start, &mut theta.free);
    start.w0.fill(0.0);
    start.xi0.fill(0.0);
    let done = (theta.linear).adjoint(t, free, &mut lin.q_sum, bars.u.as_deref_mut(), start);
    add_scaled(rule.w0.start, &start.w0, &mut lin.v_sum);
    add_scaled(rule.xi0.start, &start.xi0, &mut lin.v_sum);
    if let Some(out) = &mut bars.p {
        let columns = theta.columns.stage.chunks_exact(nv);
        for (out, column) in out.iter_mut().zip(columns) {
            *out += dot(column, free);
        }
    }
    let is_finite = all_finite(free);
    step.theta = Some(theta);
    done?;
    match is_finite {
        true => Ok(()),
        false => Err(Error::numerical("the adjoint of the step is not finite")),
    }
}

pub(in crate::step) fn impulses(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Along<'_>,
) -> Result<()> {
    let (model, mass, x) = (step.model, &mut step.dynamics.mass, &mut lin.x);
    let Some(theta) = &step.theta else {
        return Err(missing());
    };
    if theta.has_impulses {
        mass.solve(model.topology(), x);
    }
    add_scaled(1.0, &theta.free, x);
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
    let Some(theta) = &mut step.theta else {
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
    theta.free.copy_from_slice(z);
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
