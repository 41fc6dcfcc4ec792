//! Directional derivatives and adjoints of the last step.
//!
//! The step solves r = M a + b + D v⁺ + K (e + h v⁺) − τ = 0 with v⁺ = v + h a. One factorization of
//! A = M + h D + h² K serves them all: dv⁺ = dv − h A⁻¹ (R_q dq + R_v dv − τ_u du + R_p dp). With free joints in world
//! axes this is the velocity v̂ of [`world_axes`], and what comes before and after it is put around it.

use super::contact::Friction;
use super::info::{Gradient, check_finite, check_length};
use super::linearization::*;
use super::parameters::At;
use super::sim::Sim;
use super::state::{Held, Last};
use crate::error::{Error, Result};
use crate::integrator::{End, Tangent};
use crate::linalg::all_finite;

/// The state of the last step as [`At`] sees it.
macro_rules! at {
    ($sim:expr, $d:expr) => {
        At {
            model: &$sim.model,
            params: &$sim.params,
            kin: &$sim.dynamics.kin,
            rnea: &$sim.dynamics.rnea,
            id: &$d.id,
            v: &$sim.state.v,
            forces: &$sim.forces,
            q: &$sim.state.q,
            u: &$sim.state.u,
            acc: &$sim.state.acc,
            time_step: $sim.options.time_step,
        }
    };
}

/// Visits what forces and couplings between dofs add to R_q and R_v: (row, column, by q, by v).
macro_rules! force_terms {
    ($sim:expr, $visit:expr) => {{
        let mut visit = $visit;
        ($sim.forces).for_terms($sim.options.time_step, &mut visit);
        if let Some(l) = $sim.contact.as_ref().and_then(|c| c.linear.as_ref()) {
            l.variation.for_couplings(|k, x| visit(k, k, x, 0.0));
        }
    }};
}

pub(crate) use at;

impl Sim {
    pub(crate) fn need_taken(&self) -> Result<()> {
        if self.last == Last::Step {
            Ok(())
        } else {
            Err(Error::no_step("a derivative was asked for before a step"))
        }
    }

    pub(crate) fn need_step(&self) -> Result<()> {
        self.need_taken()?;
        if self.linear.is_none() {
            return Err(Error::invalid(
                "options.derivatives is 0: this simulation was made without their workspace",
            ));
        }
        Ok(())
    }

    /// Prepares what all derivatives of the last step need, unless it is there: the recursions at its
    /// acceleration with the contact loads, and the factors of A in `Dynamics::mass`.
    fn prepare(&mut self) -> Result<()> {
        self.need_step()?;
        if self.held >= Held::Balance {
            return Ok(());
        }
        let fresh = self.held == Held::Velocities;
        if !fresh {
            self.dynamics
                .update(&self.model, &self.params, &self.state.q, &self.state.v);
        }
        // Without the contact loads of an earlier linearization.
        self.apply_loads();
        let (model, s, h) = (&*self.model, &self.state, self.options.time_step);
        let at = s.for_forces(model, &self.params, &self.dynamics.kin, h);
        if !fresh {
            self.forces.apply(&at, &mut self.tau);
        }
        self.forces.differentiate(&at);
        let d = &mut self.dynamics;
        if let Some(c) = &mut self.contact {
            let friction = Friction {
                coefficients: &self.params.geom_friction,
                selected: &self.selected,
            };
            let state = [&s.q[..], &s.v, &s.v_end];
            c.linearize(model, &d.kin, state, friction, &mut d.external)?;
        }
        // A step with contacts has left the factors.
        if !fresh || self.contact.is_none() {
            d.factor_mass(model, &self.diagonal);
            if let Some(k) = d.mass.singular_at() {
                return Err(Error::numerical(format!(
                    "the mass matrix is singular at joint \"{}\"",
                    model.joint_of_dof(k).name
                )));
            }
        }
        let contact = self.contact.as_ref().and_then(|c| c.linear.as_ref());
        if let Some(why) = contact.and_then(|l| l.refused) {
            self.state.info.gradient = Gradient::Refused;
            return Err(Error::numerical(why));
        }
        match self.contact {
            Some(_) => d.accelerate(model, &self.params, &s.v, &s.acc),
            None => d.inverse(model, &self.params, &s.v, &s.acc, &mut self.work),
        }
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        if let (Some(c), Some(d)) = (&mut self.contact, &self.dynamics.derivatives) {
            for p in &self.selected {
                c.check_parameter(&at!(self, d), p, &mut lin.column)?;
            }
            if c.linear.as_ref().is_some_and(|l| l.one_sided) {
                self.state.info.gradient = Gradient::OneSided;
            } else if self.state.only_modes_switch {
                // Both sides were compared.
                self.state.info.gradient = Gradient::Exact;
            }
        }
        let s = &self.state;
        self.integrator.linearize(&s.start(model, h), &s.v_end);
        self.held = Held::Balance;
        Ok(())
    }

    /// Builds R_q and R_v at the last step, or of a deep tree what takes their products, unless they are there.
    pub(crate) fn linearize(&mut self) -> Result<()> {
        self.prepare()?;
        if self.held >= Held::Matrices {
            return Ok(());
        }
        let model = &*self.model;
        let (contact, t) = (&mut self.contact, model.topology());
        let axes = self.integrator.axes();
        (self.dynamics).differentiate_inverse_with(model, &self.params, axes, |kin, stiffness| {
            if let Some(c) = contact {
                c.expand(t, kin, stiffness);
            }
        });
        let Some(d) = &mut self.dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        if !t.is_deep() {
            force_terms!(self, |row, column, by_q, by_v| {
                add_entry(&mut d.id, t, [row, column], by_q, by_v);
            });
        }
        if !t.is_deep() {
            let at = self.state.start(model, self.options.time_step);
            (self.integrator).for_start_terms(&at, &self.diagonal, &mut |row, column, x| {
                add_entry(&mut d.id, t, [row, column], 0.0, x);
            });
        }
        self.held = Held::Matrices;
        Ok(())
    }

    /// Derivative of the last step along (dq, dv, du, dp); lengths nv, nv, nu, np, nv, nv. An empty
    /// slice stands for zero.
    pub fn step_jvp(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        du: &[f64],
        dp: &[f64],
        dq_next: &mut [f64],
        dv_next: &mut [f64],
    ) -> Result<()> {
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        for (name, x, n) in [
            ("dq", dq, nv),
            ("dv", dv, nv),
            ("du", du, nu),
            ("dp", dp, np),
        ] {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        check_length("dq_next", dq_next, nv)?;
        check_length("dv_next", dv_next, nv)?;
        self.linearize()?;
        self.velocity_direction(dq, dv, du, dp)?;
        let model = &*self.model;
        let h = self.options.time_step;
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        let state = Tangent {
            q: dq,
            v: dv,
            carried: &[],
        };
        let next = End {
            q: &mut lin.dq,
            v: &mut lin.column,
            carried: &mut lin.carried,
        };
        let at = self.state.start(model, h);
        self.integrator.end_direction(&at, state, &lin.dv, next);
        if !all_finite(&lin.column) || !all_finite(&lin.dq) {
            return Err(Error::numerical("the derivative of the step is not finite"));
        }
        dq_next.copy_from_slice(&lin.dq);
        dv_next.copy_from_slice(&lin.column);
        Ok(())
    }

    /// δv̂ along (dq, dv, du, dp) into `Linearization::dv`; after [`Sim::linearize`].
    pub(crate) fn velocity_direction(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        du: &[f64],
        dp: &[f64],
    ) -> Result<()> {
        let model = &*self.model;
        let (t, h) = (model.topology(), self.options.time_step);
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        let r = &mut lin.dv;
        r.fill(0.0);
        if t.is_deep() {
            (self.dynamics).inverse_direction(model, &self.params, dq, dv, r);
            force_terms!(self, |row, column, by_q, by_v| {
                r[row] +=
                    by_q * dq.get(column).unwrap_or(&0.0) + by_v * dv.get(column).unwrap_or(&0.0);
            });
        }
        let Some(d) = &mut self.dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        if !t.is_deep() && !dq.is_empty() {
            packed_mul(t, &d.id.above_q, &d.id.below_q, dq, r);
        }
        if !t.is_deep() && !dv.is_empty() {
            packed_mul(t, &d.id.above_v, &d.id.below_v, dv, r);
        }
        self.forces.input_direction(du, r);
        for (p, dp) in self.selected.iter().zip(dp) {
            at!(self, d).column(p, &mut lin.column);
            for (r, c) in r.iter_mut().zip(&lin.column) {
                *r += c * dp;
            }
        }
        for r in r.iter_mut() {
            *r *= -h;
        }
        if let Some(c) = &mut self.contact {
            c.direction(t, &self.dynamics.kin, dq, dv, r);
            for (p, dp) in self.selected.iter().zip(dp) {
                lin.column.fill(0.0);
                c.parameter(&at!(self, d), p, &mut lin.column);
                c.add_direction(*dp);
                for (r, f) in r.iter_mut().zip(&lin.column) {
                    *r += f * dp;
                }
            }
        }
        let mass = &mut self.dynamics.mass;
        mass.solve(t, r);
        if !dv.is_empty() && t.is_deep() {
            let at = self.state.start(model, h);
            self.integrator.start_direction(&at, dv, r);
        } else {
            // Packed rows hold the rest already.
            for (r, dv) in r.iter_mut().zip(dv) {
                *r += dv;
            }
        }
        if let Some(c) = &mut self.contact {
            c.correct_one(model, mass, r)?;
        }
        Ok(())
    }

    /// Adjoint of the last step: from ∂L/∂(q⁺, v⁺) to ∂L/∂(q, v, u, p); lengths nv, nv in, nv, nv, nu,
    /// np out. Gradients by q and q⁺ are in tangent coordinates.
    pub fn step_vjp(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let nv = self.model.nv();
        check_finite("q_next_bar", q_next_bar, nv)?;
        check_finite("v_next_bar", v_next_bar, nv)?;
        let next = Tangent {
            q: q_next_bar,
            v: v_next_bar,
            carried: &[],
        };
        self.adjoint(next, &[], q_bar, v_bar, u_bar, p_bar, None)
    }

    /// [`Sim::step_vjp`] of a function that depends on the contact impulses, too: 3 entries a contact, or none; and
    /// between steps on what the integrator carries.
    pub(crate) fn adjoint(
        &mut self,
        next: Tangent<'_>,
        impulse_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
        carried_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        for (name, x, n) in [
            ("q_bar", &q_bar, nv),
            ("v_bar", &v_bar, nv),
            ("u_bar", &u_bar, nu),
            ("p_bar", &p_bar, np),
        ] {
            if let Some(x) = x {
                check_length(name, x, n)?;
            }
        }
        let by_parameters = p_bar.is_some() && np > 0;
        if by_parameters {
            // Parameters' columns are taken from its composites.
            self.linearize()?;
        } else {
            self.prepare()?;
        }
        let model = &*self.model;
        let (t, h) = (model.topology(), self.options.time_step);
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        let mass = &mut self.dynamics.mass;
        // z = ∂L/∂v̂ in all, then −h A⁻¹ z weighs the rows of r.
        let (z, weights) = (&mut lin.dv, &mut lin.dq);
        let at = self.state.start(model, h);
        self.integrator.end_adjoint(&at, next, z);
        weights.copy_from_slice(z);
        match &mut self.contact {
            // z becomes the adjoint of the velocity at fixed impulses.
            Some(c) if c.has_rows() => {
                c.correct_transposed(t, mass, impulse_bar, by_parameters, z, weights)?
            }
            _ => mass.solve(t, weights),
        }
        if !all_finite(weights) {
            return Err(Error::numerical("the adjoint of the step is not finite"));
        }
        if let (Some(out), Some(d)) = (p_bar, &self.dynamics.derivatives) {
            for (out, p) in out.iter_mut().zip(&self.selected) {
                at!(self, d).column(p, &mut lin.column);
                *out = -h * dot(&lin.column, weights);
                if let Some(c) = &mut self.contact {
                    lin.column.fill(0.0);
                    c.parameter(&at!(self, d), p, &mut lin.column);
                    *out += dot(&lin.column, weights) + c.parameter_adjoint();
                }
            }
        }
        let (q_sum, v_sum) = (&mut lin.q_sum, &mut lin.v_sum);
        self.integrator.start_adjoint(&at, z, v_sum);
        let state = End {
            q: q_sum,
            v: v_sum,
            carried: &mut lin.carried,
        };
        self.integrator.state_adjoint(&at, next, state);
        if let Some(c) = &mut self.contact {
            c.direction_adjoint(t, &self.dynamics.kin, weights, q_sum, v_sum);
        }
        for w in weights.iter_mut() {
            *w *= -h;
        }
        if let Some(out) = u_bar {
            self.forces.input_adjoint(weights, out);
        }
        self.dynamics
            .inverse_adjoint(model, &self.params, weights, q_sum, v_sum);
        force_terms!(self, |row, column, by_q, by_v| {
            q_sum[column] += by_q * weights[row];
            v_sum[column] += by_v * weights[row];
        });
        if let Some(out) = q_bar {
            out.copy_from_slice(q_sum);
        }
        if let Some(out) = v_bar {
            out.copy_from_slice(v_sum);
        }
        if let Some(out) = carried_bar {
            out.copy_from_slice(&lin.carried);
        }
        Ok(())
    }
}
