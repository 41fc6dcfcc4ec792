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
use crate::step::sim::Sim;

pub(in crate::step) fn balance(
    sim: &mut Sim,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let (t, nv) = (sim.model.topology(), sim.model.nv());
    let Some(theta) = &mut sim.theta else {
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
    sim.loads_along(along.q, &mut lin.column)?;
    add_scaled(-sim.options.time_step, &lin.column, &mut lin.x);
    Ok(())
}

pub(in crate::step) fn balance_transposed(
    sim: &mut Sim,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let Some(mut theta) = sim.theta.take() else {
        return Err(missing());
    };
    let (t, nv) = (sim.model.topology(), sim.model.nv().max(1));
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
        let h = sim.options.time_step;
        weights.iter_mut().for_each(|w| *w *= -h);
        // The adjoint by velocities is zero: the bodies are at rest.
        sim.loads_weighed(weights, &mut lin.q_sum, &mut lin.column);
    }
    let t = sim.model.topology();
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
    sim.theta = Some(theta);
    done?;
    match is_finite {
        true => Ok(()),
        false => Err(Error::numerical("the adjoint of the step is not finite")),
    }
}

pub(in crate::step) fn impulses(
    sim: &mut Sim,
    lin: &mut Linearization,
    _: &Along<'_>,
) -> Result<()> {
    let (model, mass, x) = (&*sim.model, &mut sim.dynamics.mass, &mut lin.x);
    let Some(theta) = &sim.theta else {
        return Err(missing());
    };
    if theta.has_impulses {
        mass.solve(model.topology(), x);
    }
    add_scaled(1.0, &theta.free, x);
    match &mut sim.contact {
        Some(c) => c.correct_one(model, mass, x),
        None => Ok(()),
    }
}

pub(in crate::step) fn impulses_transposed(
    sim: &mut Sim,
    lin: &mut Linearization,
    seed: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let (t, mass) = (sim.model.topology(), &mut sim.dynamics.mass);
    let (z, weights) = (&mut lin.z, &mut lin.weights);
    let Some(theta) = &mut sim.theta else {
        return Err(missing());
    };
    match &mut sim.contact {
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

impl Sim {
    /// Adds R_λ δq to `out`.
    fn loads_along(&mut self, q: &[f64], out: &mut [f64]) -> Result<()> {
        let t = self.model.topology();
        if t.is_deep() {
            self.without_gravity(|sim| {
                let d = &mut sim.dynamics;
                d.inverse_direction(&sim.model, &sim.params, q, &[], out);
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
        self.without_gravity(|sim| {
            let d = &mut sim.dynamics;
            d.inverse_adjoint(&sim.model, &sim.params, weights, q_bar, scratch);
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
