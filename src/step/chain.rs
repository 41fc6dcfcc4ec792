//! The chain rule of a step, as one list of links.
//!
//! The step solves r = M a + b − f(q, v, u) = 0, adds impulses, and advances from v̂₀ through
//! v̂ = v̂₀ + h a + A⁻¹ Jᵀ λ to (q⁺, v⁺) = Φ(q, v, v̂):
//!
//! | link | forward | backward, upwards |
//! |---|---|---|
//! | balance | x = −h (R_q δq + R_v δv − f_u δu + R_p δp) | (q̄, v̄, ū, p̄) += −h Rᵀ w |
//! | rows | δσ, δbounds; x += forces of rows between bodies | (q̄, v̄, p̄) += their transposes, of σ̄ and w |
//! | impulses | x ← A⁻¹ x + δv̂₀ | w = A⁻¹ z; v̄ += δv̂₀ᵀ z |
//! | | x += A⁻¹ Jᵀ δλ(J x + δσ, δbounds) | z, σ̄ ← through the law |
//! | impacts | s = S (δq, δp) of contacts that rebound | (q̄, p̄) += Sᵀ s̄ |
//! | end | (δq⁺, δv⁺) = Φ' (δq, δv, x) | z = Φ_v̂ᵀ (q̄⁺, v̄⁺), (q̄, v̄) += Φ_q,vᵀ (q̄⁺, v̄⁺) |
//! | | δq⁺ += B_w s | s̄ = B_wᵀ q̄⁺ |
//!
//! A step of an implicit formula has one link for its stages and one for its end
//! ([`implicit`](super::implicit)). The θ-method begins with the link of the stages, and has links of its own
//! for balance and impulses ([`theta`](super::theta)).
//!
//! A direction (JVP) runs down the table, an adjoint (VJP) runs up. Panels of columns take the same links
//! in the forms of [`jacobians`](super::jacobians): R by branches of the tree, the response to forces as
//! one matrix, Φ' by columns.

use super::adjoints::StepAdjoint;
use super::implicit::{arrive, arrive_transposed, stages, stages_transposed};
use super::linearization::*;
use super::link::{Along, Bars, Link, Parameters, Seed};
use super::parameters::At;
use super::reduced::ReductionPart;
use super::taken::{Taken, at, force_terms};
use super::theta;
use crate::error::{Error, Result};
use crate::integrator::{End, Tangent};
use crate::linalg::{add_scaled, all_finite};

const CHAIN: [Link; 5] = [
    Link {
        forward: balance,
        backward: balance_transposed,
    },
    Link {
        forward: rows,
        backward: rows_transposed,
    },
    Link {
        forward: impulses,
        backward: impulses_transposed,
    },
    Link {
        forward: impacts,
        backward: impacts_transposed,
    },
    Link {
        forward: end,
        backward: end_transposed,
    },
];

/// Links of an implicit formula.
const STAGES: [Link; 2] = [
    Link {
        forward: stages,
        backward: stages_transposed,
    },
    Link {
        forward: arrive,
        backward: arrive_transposed,
    },
];

/// Links of the θ-method.
const THETA: [Link; 6] = [
    STAGES[0],
    Link {
        forward: theta::change,
        backward: theta::change_transposed,
    },
    CHAIN[1],
    Link {
        forward: theta::impulses,
        backward: theta::impulses_transposed,
    },
    CHAIN[3],
    CHAIN[4],
];

/// Number of links after those whose result is h times the change of forces at fixed acceleration and
/// impulses.
const FROM_LOADS: usize = 3;

/// Number of links after those whose result is δv̂.
const FROM_VELOCITY: usize = 2;

/// Negative zero: adding to it keeps both signs of zero.
const NOTHING: f64 = -0.0;

fn balance(step: &mut Taken<'_>, lin: &mut Linearization, along: &Along<'_>) -> Result<()> {
    let (t, h, r) = (step.model.topology(), step.options.time_step, &mut lin.x);
    let Along { q, v, u, p } = *along;
    r.fill(0.0);
    if t.is_deep() && !(q.is_empty() && v.is_empty()) {
        (step.dynamics).inverse_direction(step.model, step.params, q, v, r);
        force_terms!(step, |row, column, by_q, by_v| {
            r[row] += by_q * q.get(column).unwrap_or(&0.0) + by_v * v.get(column).unwrap_or(&0.0);
        });
    }
    let Some(d) = &step.dynamics.derivatives else {
        return Err(Error::internal("the workspace of derivatives is missing"));
    };
    if !t.is_deep() && !q.is_empty() {
        packed_mul(t, &d.id.above_q, &d.id.below_q, q, r);
    }
    if !t.is_deep() && !v.is_empty() {
        packed_mul(t, &d.id.above_v, &d.id.below_v, v, r);
    }
    // R contains the contact terms within branches. For deep trees R is not formed, so they are added here.
    step.forces.times_cross(t, t.is_deep(), [q, v], r);
    step.forces.input_direction(u, r);
    for (p, dp) in p.entries() {
        at!(step, d).column(&step.selected[p], &mut lin.column);
        add_scaled(dp, &lin.column, r);
    }
    if let Some(of) = &step.by_reduction {
        of.add_balance(|i| p.weight(i), &mut lin.x);
    }
    for r in lin.x.iter_mut() {
        *r *= -h;
    }
    step.subtract_prescribed(along, &mut lin.x);
    step.subtract_free(along, &mut lin.x)
}

fn balance_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let (h, weights) = (step.options.time_step, &mut lin.weights);
    if let (Some(out), Some(d)) = (&mut bars.p, &step.dynamics.derivatives) {
        for (out, p) in out.iter_mut().zip(step.selected) {
            at!(step, d).column(p, &mut lin.column);
            *out += -h * dot(&lin.column, weights) + step.prescribed.adjoint(p);
        }
        if let Some(of) = &step.by_reduction {
            of.add_balance_transposed(-h, weights, out);
        }
    }
    for w in weights.iter_mut() {
        *w *= -h;
    }
    if let Some(out) = &mut bars.u {
        step.forces.input_adjoint(weights, out);
    }
    let (q_sum, v_sum) = (&mut lin.q_sum, &mut lin.v_sum);
    (step.dynamics).inverse_adjoint(step.model, step.params, weights, q_sum, v_sum);
    force_terms!(step, |row, column, by_q, by_v| {
        q_sum[column] += by_q * weights[row];
        v_sum[column] += by_v * weights[row];
    });
    (step.forces).times_cross_transposed(step.model.topology(), weights, q_sum, v_sum);
    step.adjoin_free(lin, bars.u.as_deref_mut(), bars.p.as_deref_mut())
}

fn rows(step: &mut Taken<'_>, lin: &mut Linearization, along: &Along<'_>) -> Result<()> {
    let (Some(c), Some(d)) = (&mut step.contact, &step.dynamics.derivatives) else {
        return Ok(());
    };
    let (t, r) = (step.model.topology(), &mut lin.x);
    c.direction(t, &step.dynamics.kin, along.q, along.v, r);
    match along.p {
        Parameters::Unit(p) => {
            c.parameter(&at!(step, d), &step.selected[p], r);
            c.add_direction(1.0);
        }
        Parameters::Along(dp) => {
            for (p, dp) in step.selected.iter().zip(dp) {
                lin.column.fill(0.0);
                c.parameter(&at!(step, d), p, &mut lin.column);
                c.add_direction(*dp);
                for (r, f) in r.iter_mut().zip(&lin.column) {
                    *r += f * dp;
                }
            }
        }
    }
    Ok(())
}

fn rows_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    let (Some(c), Some(d)) = (&mut step.contact, &step.dynamics.derivatives) else {
        return Ok(());
    };
    if let Some(out) = &mut bars.p {
        for (out, p) in out.iter_mut().zip(step.selected) {
            lin.column.fill(0.0);
            c.parameter(&at!(step, d), p, &mut lin.column);
            *out += dot(&lin.column, &lin.weights) + c.parameter_adjoint();
        }
    }
    let (t, kin) = (step.model.topology(), &step.dynamics.kin);
    c.direction_adjoint(t, kin, &lin.weights, &mut lin.q_sum, &mut lin.v_sum);
    Ok(())
}

fn impulses(step: &mut Taken<'_>, lin: &mut Linearization, along: &Along<'_>) -> Result<()> {
    let by_directions = step.by_directions();
    let (model, t, x) = (step.model, step.model.topology(), &mut lin.x);
    let mass = &mut step.dynamics.mass;
    match step.contact {
        Some(_) => mass.solve(t, x),
        None => step.dynamics.system.solve(mass, t, x),
    }
    if !along.v.is_empty() && by_directions {
        let at = step.state.start(model, step.options.time_step);
        step.integrator.start_direction(&at, along.v, x);
    } else {
        // The branch-packed R_v already contains the rest.
        for (x, dv) in x.iter_mut().zip(along.v) {
            *x += dv;
        }
    }
    step.move_start(along, &mut lin.x);
    if let Some(of) = &step.by_reduction {
        of.add_velocity(ReductionPart::Speed, |i| along.p.weight(i), &mut lin.x);
    }
    step.write_prescribed(&mut lin.x);
    let (mass, x) = (&mut step.dynamics.mass, &mut lin.x);
    match &mut step.contact {
        Some(c) => c.correct_one(model, mass, x)?,
        None => return Ok(()),
    }
    match step.has_loads() {
        true => step.correct_loads(lin, along),
        false => Ok(()),
    }
}

fn impulses_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    seed: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    if step.has_loads() {
        step.correct_loads_transposed(lin, seed, bars)?;
    }
    let (t, mass) = (step.model.topology(), &mut step.dynamics.mass);
    let (z, weights) = (&mut lin.z, &mut lin.weights);
    weights.copy_from_slice(z);
    match &mut step.contact {
        // z becomes the adjoint of the velocity at fixed impulses.
        Some(c) if c.has_rows() => {
            c.correct_transposed(t, mass, &seed.impulses, bars.p.is_some(), z, weights)?;
        }
        Some(_) => mass.solve(t, weights),
        None => (step.dynamics.system).solve_transposed(mass, t, weights),
    }
    if !all_finite(weights) {
        return Err(Error::numerical("the adjoint of the step is not finite"));
    }
    step.adjoin_split(z, weights)?;
    let at = step.state.start(step.model, step.options.time_step);
    step.integrator.start_adjoint(&at, z, &mut lin.v_sum);
    step.move_start_transposed(z, bars);
    if let (Some(of), Some(out)) = (&step.by_reduction, &mut bars.p) {
        of.add_velocity_transposed(ReductionPart::Speed, z, out);
    }
    Ok(())
}

fn impacts(step: &mut Taken<'_>, lin: &mut Linearization, along: &Along<'_>) -> Result<()> {
    step.leave(lin, along.q, |i| along.p.weight(i))
}

fn impacts_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    step.leave_transposed(lin, bars.p.as_deref_mut())
}

fn end(step: &mut Taken<'_>, lin: &mut Linearization, along: &Along<'_>) -> Result<()> {
    let state = Tangent {
        q: along.q,
        v: along.v,
        carried: &[],
    };
    let next = End {
        q: &mut lin.q_next,
        v: &mut lin.v_next,
        carried: &mut lin.carried,
    };
    let at = step.state.start(step.model, step.options.time_step);
    step.integrator.end_direction(&at, state, &lin.x, next);
    if step.impacts() > 0 {
        step.integrator.displace(&at, &mut lin.left);
        for (q, x) in lin.q_next.iter_mut().zip(&lin.left) {
            *q += x;
        }
    }
    step.move_end(along, &mut lin.q_next, &mut lin.v_next);
    Ok(())
}

fn end_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    seed: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    if let Some(out) = &mut bars.p {
        out.fill(NOTHING);
    }
    let at = step.state.start(step.model, step.options.time_step);
    if step.impacts() > 0 {
        lin.left.copy_from_slice(seed.next.q);
        step.integrator.displace_transposed(&at, &mut lin.left);
    }
    step.integrator.end_adjoint(&at, seed.next, &mut lin.z);
    lin.v_sum.fill(NOTHING);
    if !seed.velocity.is_empty() {
        for ((z, before), x) in lin.z.iter_mut().zip(&mut lin.column).zip(seed.velocity) {
            (*z, *before) = (*z + x, -x);
        }
        (step.integrator).start_adjoint(&at, &lin.column, &mut lin.v_sum);
        step.move_start_transposed(&lin.column, bars);
    }
    let state = End {
        q: &mut lin.q_sum,
        v: &mut lin.v_sum,
        carried: &mut lin.carried,
    };
    step.integrator.state_adjoint(&at, seed.next, state);
    step.move_end_transposed(seed.next.q, seed.next.v, bars);
    Ok(())
}

impl Taken<'_> {
    /// The links of the step.
    pub(super) fn chain(&self) -> &'static [Link] {
        match (&self.implicit, &self.theta) {
            (_, Some(_)) => &THETA,
            (Some(_), _) => &STAGES,
            _ => &CHAIN,
        }
    }

    /// Runs the links downwards, up to the last `rest` ones.
    fn forward(&mut self, lin: &mut Linearization, along: &Along<'_>, rest: usize) -> Result<()> {
        let links = self.chain();
        let mut links = links[..links.len().saturating_sub(rest)].iter();
        links.try_for_each(|link| (link.forward)(self, lin, along))
    }

    /// Runs the links upwards, and then from the actuators' drives to inputs and activations. Call
    /// [`Taken::prepare_adjoint`] first.
    pub(super) fn backward(
        &mut self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        bars: &mut Bars<'_>,
    ) -> Result<()> {
        let up = |step: &mut Taken<'_>, lin: &mut Linearization, bars: &mut Bars<'_>| {
            (step.chain().iter().rev()).try_for_each(|link| (link.backward)(step, lin, seed, bars))
        };
        if !self.state.drives.are_states() {
            return up(self, lin, bars);
        }
        let mut drive = std::mem::take(&mut lin.drive);
        let mut of_drive = Bars {
            u: Some(&mut drive),
            p: bars.p.as_deref_mut(),
        };
        let done = up(self, lin, &mut of_drive);
        (self.state.drives).adjoint(seed.act, &mut drive, &mut lin.act);
        if let (Ok(()), Some(u)) = (&done, &mut bars.u) {
            u.copy_from_slice(&drive);
        }
        lin.drive = drive;
        done
    }

    /// Writes h times the change of forces along a direction, at fixed acceleration and impulses, to
    /// [`Linearization::x`], and computes δσ at fixed velocity. After [`Taken::linearize`].
    pub(super) fn loads_direction(
        &mut self,
        lin: &mut Linearization,
        along: &Along<'_>,
    ) -> Result<()> {
        self.forward(lin, along, FROM_LOADS)
    }

    /// Writes δv̂ along a direction to [`Linearization::x`]. After [`Taken::linearize`].
    pub(super) fn velocity_along(
        &mut self,
        lin: &mut Linearization,
        along: &Along<'_>,
    ) -> Result<()> {
        self.forward(lin, along, FROM_VELOCITY)
    }

    /// The derivative along (dq, dv, dact, du, dp); an empty slice is zero.
    pub(super) fn jvp(
        &mut self,
        lin: &mut Linearization,
        [dq, dv, dact, du, dp]: [&[f64]; 5],
        [dq_next, dv_next]: [&mut [f64]; 2],
        dact_next: Option<&mut [f64]>,
    ) -> Result<()> {
        self.linearize(lin)?;
        let mut drive = std::mem::take(&mut lin.drive);
        if self.state.drives.are_states() {
            (self.state.drives).direction(du, dact, &mut drive, &mut lin.act);
        }
        let along = Along {
            q: dq,
            v: dv,
            u: if self.model.na() > 0 { &drive } else { du },
            p: Parameters::Along(dp),
        };
        let done = self.forward(lin, &along, 0);
        lin.drive = drive;
        done?;
        if !all_finite(&lin.v_next) || !all_finite(&lin.q_next) || !all_finite(&lin.act) {
            return Err(Error::numerical("the derivative of the step is not finite"));
        }
        dq_next.copy_from_slice(&lin.q_next);
        dv_next.copy_from_slice(&lin.v_next);
        if let Some(x) = dact_next {
            x.copy_from_slice(&lin.act);
        }
        Ok(())
    }

    /// Prepares the matrices that the adjoint needs. True if parameters are wanted.
    pub(super) fn prepare_adjoint(
        &mut self,
        lin: &mut Linearization,
        out: &StepAdjoint<'_>,
    ) -> Result<bool> {
        let by_parameters = out.p.is_some() && self.np() > 0;
        if by_parameters {
            // Columns by parameters are computed from its composites.
            self.linearize(lin)?;
        } else {
            self.prepare(lin)?;
        }
        Ok(by_parameters)
    }

    /// Writes the adjoints by the arguments of the step, from those by its results.
    pub(super) fn adjoint(
        &mut self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        mut out: StepAdjoint<'_>,
    ) -> Result<()> {
        let by_parameters = self.prepare_adjoint(lin, &out)?;
        let mut bars = Bars {
            u: out.u.take(),
            p: out.p.take().filter(|_| by_parameters),
        };
        self.backward(lin, seed, &mut bars)?;
        out.deliver(lin);
        Ok(())
    }
}
