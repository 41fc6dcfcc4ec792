//! Jacobian-vector and vector-Jacobian products of the last step, and its Jacobians by activations.

use super::act::ActJacobians;
use super::adjoints::StepAdjoint;
use super::info::{check_finite, check_length};
use super::jacobians::StepJacobians;
use super::link::{Along, Parameters, Seed};
use super::sim::Sim;
use crate::error::{Error, Result};
use crate::linalg::all_finite;

impl Sim {
    /// Derivative of the last step along (dq, dv, du, dp) at fixed activations. Lengths nv, nv, nu, np, nv,
    /// nv; an empty slice is zero.
    pub fn step_jvp(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        du: &[f64],
        dp: &[f64],
        dq_next: &mut [f64],
        dv_next: &mut [f64],
    ) -> Result<()> {
        self.step_jvp_act(dq, dv, &[], du, dp, dq_next, dv_next, None)
    }

    /// [`Sim::step_jvp`] that also takes a direction `dact` of the activations and returns the variation of
    /// the activations at the end. na entries each; empty for zero, `None` if not wanted.
    pub fn step_jvp_act(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        dact: &[f64],
        du: &[f64],
        dp: &[f64],
        dq_next: &mut [f64],
        dv_next: &mut [f64],
        dact_next: Option<&mut [f64]>,
    ) -> Result<()> {
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        let na = self.act.len();
        for (name, x, n) in [
            ("dq", dq, nv),
            ("dv", dv, nv),
            ("dact", dact, na),
            ("du", du, nu),
            ("dp", dp, np),
        ] {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        check_length("dq_next", dq_next, nv)?;
        check_length("dv_next", dv_next, nv)?;
        if let Some(x) = &dact_next {
            check_length("dact_next", x, na)?;
        }
        self.linearize()?;
        self.with_linear(|sim, lin| {
            let mut drive = std::mem::take(&mut lin.drive);
            if sim.state.drives.are_states() {
                (sim.state.drives).direction(du, dact, &mut drive, &mut lin.act);
            }
            let along = Along {
                q: dq,
                v: dv,
                u: if na > 0 { &drive } else { du },
                p: Parameters::Along(dp),
            };
            let done = sim
                .chain()
                .iter()
                .try_for_each(|link| (link.forward)(sim, lin, &along));
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
        })
    }

    /// Adjoint of the last step: from ∂L/∂(q⁺, v⁺) to ∂L/∂(q, v, u, p) at fixed activations. Lengths nv, nv
    /// in; nv, nv, nu, np out. Gradients by q and q⁺ are in tangent coordinates.
    pub fn step_vjp(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let out = StepAdjoint {
            q: q_bar,
            v: v_bar,
            u: u_bar,
            p: p_bar,
            ..StepAdjoint::default()
        };
        self.step_vjp_act(q_next_bar, v_next_bar, &[], out)
    }

    /// [`Sim::step_vjp`] of a function that also depends on the activations at the end (na entries, empty
    /// for zero), including the gradient by the activations at the start.
    pub fn step_vjp_act(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        act_next_bar: &[f64],
        out: StepAdjoint<'_>,
    ) -> Result<()> {
        let nv = self.model.nv();
        check_finite("q_next_bar", q_next_bar, nv)?;
        check_finite("v_next_bar", v_next_bar, nv)?;
        if !act_next_bar.is_empty() {
            check_finite("act_next_bar", act_next_bar, self.act.len())?;
        }
        self.adjoint(&Seed::of(q_next_bar, v_next_bar, act_next_bar), out)
    }

    /// The part of the last step's Jacobians that [`Sim::step_jacobians`] leaves out; see [`ActJacobians`].
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`]. Then nothing is written.
    pub fn step_act_jacobians(&mut self, out: ActJacobians<'_>) -> Result<()> {
        let (nv, nu, na) = (self.model.nv(), self.model.nu(), self.act.len());
        self.need_step()?;
        for (name, x, size) in [
            ("dq_dact", &out.dq_dact, nv * na),
            ("dv_dact", &out.dv_dact, nv * na),
            ("dact_dq", &out.dact_dq, na * nv),
            ("dact_dv", &out.dact_dv, na * nv),
            ("dact_dact", &out.dact_dact, na * na),
            ("dact_du", &out.dact_du, na * nu),
        ] {
            if let Some(x) = x {
                check_length(name, x, size)?;
            }
        }
        let none = StepJacobians::default();
        self.write_jacobians(none, [out.dq_dact, out.dv_dact], [nv * nv, nv * nu], false)?;
        let mut rest = [out.dact_dq, out.dact_dv, out.dact_dact, out.dact_du];
        for x in &mut rest {
            x.iter_mut().for_each(|x| x.fill(0.0));
        }
        let [_, _, by_act, by_u] = &mut rest;
        for (i, (j, [u, act])) in self.state.drives.next_slopes().enumerate() {
            if let Some(x) = by_act {
                x[i * na + i] = act;
            }
            if let Some(x) = by_u {
                x[j * na + i] = u;
            }
        }
        Ok(())
    }
}
