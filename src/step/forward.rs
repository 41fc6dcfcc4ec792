//! Acceleration and contact forces at a state by the laws of a step, without advancing the state.
//!
//! The acceleration is a = (v̂ − v̂₀)/h, with the velocities v̂₀ before and v̂ after a step from the state,
//! both in the axes of the state. It satisfies M a + b = τ + Jᵀλ/h with the implicit terms of τ. Impulses
//! act within a time step, so an acceleration with contact depends on the time step. One of the forces is
//! the torque of the discrete Euler equations on free bodies ([`Gyroscopic`](crate::force::Gyroscopic)).
//! Implicit formulas (BDF1, SDIRK2) balance forces at another state; for them a = (v⁺ − v)/h.

use super::act::ActJacobians;
use super::adjoints::StepAdjoint;
use super::info::{REACH, check_finite, check_length};
use super::jacobians::StepJacobians;
use super::link::Seed;
use super::sim::Sim;
use crate::error::{Error, Result};
use crate::linalg::{all_finite, within};

/// Destination of the Jacobians of the acceleration: dense column-major, nv rows; columns by the tangent of
/// q, by v, u, the selected parameters and the activations.
#[derive(Default)]
pub struct AccelerationJacobians<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_u: Option<&'a mut [f64]>,
    pub by_p: Option<&'a mut [f64]>,
    pub by_act: Option<&'a mut [f64]>,
}

impl Sim {
    /// Acceleration and contact forces at a state by the laws of a step, without advancing the state.
    /// Lengths nq, nv, nu, nv. Afterwards the step from here is the last step for all queries: contacts
    /// (whose forces are impulses over the time step), modes, info, derivatives. The warm start of the next
    /// step does not change.
    ///
    /// # Errors
    /// As [`Sim::step`].
    pub fn forward(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        acceleration: &mut [f64],
    ) -> Result<()> {
        self.need_single_step()?;
        check_length("acceleration", acceleration, self.model.nv())?;
        self.take(q, v, u, &[])?;
        self.tell_acceleration(acceleration);
        match all_finite(acceleration) {
            true => Ok(()),
            false => Err(Error::numerical(
                "acceleration: it would not be finite, the state is too large",
            )),
        }
    }

    /// The state (q, v) at the start and at the end of the last step.
    pub(crate) fn ends(&self) -> [[&[f64]; 2]; 2] {
        let s = &self.state;
        [[&s.q, &s.v], [&s.q_next, &s.v_next]]
    }

    /// The acceleration of the last step.
    pub(crate) fn tell_acceleration(&self, out: &mut [f64]) {
        let (s, h) = (&self.state, self.options.time_step);
        match self.implicit {
            None => out.copy_from_slice(&s.acc),
            Some(_) => {
                for (a, (next, v)) in out.iter_mut().zip(s.v_next.iter().zip(&s.v)) {
                    *a = (next - v) / h;
                }
            }
        }
    }

    /// Jacobians of the acceleration of the last step or [`Sim::forward`].
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`].
    pub fn acceleration_jacobians(&mut self, out: AccelerationJacobians<'_>) -> Result<()> {
        let (nv, nu, np, na) = (self.model.nv(), self.model.nu(), self.np(), self.act.len());
        self.need_step()?;
        for (name, x, columns) in [
            ("da_dq", &out.by_q, nv),
            ("da_dv", &out.by_v, nv),
            ("da_du", &out.by_u, nu),
            ("da_dp", &out.by_p, np),
            ("da_dact", &out.by_act, na),
        ] {
            if let Some(x) = x {
                check_length(name, x, nv * columns)?;
            }
        }
        if self.implicit.is_some() {
            return self.implicit_acceleration_jacobians(out);
        }
        let mut by_p = out.by_p;
        let by_inputs = out.by_u.is_some() || out.by_act.is_some();
        self.prepare_columns(by_inputs, by_p.is_some())?;
        let rate = 1.0 / self.options.time_step;
        let Some(lin) = &mut self.linear else {
            return Err(Error::internal("the linearization is missing"));
        };
        if !self.integrator.is_within(REACH) {
            return Err(Error::numerical(
                "a Jacobian of the acceleration is not finite",
            ));
        }
        let [dofs, inputs, full] = lin.kinds();
        if let Some(out) = out.by_q {
            dofs.write(rate, &lin.by_q, out);
        }
        if let Some(out) = out.by_u {
            inputs.write(rate, &lin.by_u, out);
        }
        if let Some(out) = &mut by_p {
            full.write(rate, &lin.by_p, out);
        }
        if let Some(out) = out.by_act {
            lin.by_activations().write(rate, &lin.by_act, out);
        }
        if let Some(out) = out.by_v {
            dofs.write(rate, &lin.by_v, out);
            let at = self.state.start(&self.model, self.options.time_step);
            for (k, column) in out.chunks_exact_mut(nv.max(1)).enumerate() {
                lin.unit.fill(0.0);
                lin.unit[k] = -rate;
                (self.integrator).start_direction(&at, &lin.unit[..nv], column);
            }
            lin.unit.fill(0.0);
        }
        if let Some(out) = by_p {
            self.subtract_start(rate, out);
        }
        Ok(())
    }

    fn implicit_acceleration_jacobians(
        &mut self,
        mut out: AccelerationJacobians<'_>,
    ) -> Result<()> {
        let (nv, rate) = (self.model.nv(), 1.0 / self.options.time_step);
        self.step_jacobians(StepJacobians {
            dv_dq: out.by_q.as_deref_mut(),
            dv_dv: out.by_v.as_deref_mut(),
            dv_du: out.by_u.as_deref_mut(),
            dv_dp: out.by_p.as_deref_mut(),
            ..StepJacobians::default()
        })?;
        self.step_act_jacobians(ActJacobians {
            dv_dact: out.by_act.as_deref_mut(),
            ..ActJacobians::default()
        })?;
        if let Some(x) = &mut out.by_v {
            for k in 0..nv {
                x[k * nv + k] -= 1.0;
            }
        }
        for x in [out.by_q, out.by_v, out.by_u, out.by_p, out.by_act]
            .into_iter()
            .flatten()
        {
            x.iter_mut().for_each(|x| *x *= rate);
        }
        Ok(())
    }

    /// Adjoint of the acceleration of the last step or [`Sim::forward`] at fixed activations: from ∂L/∂a to
    /// ∂L/∂(q, v, u, p). Lengths nv, nv, nv, nu, np.
    ///
    /// # Errors
    /// As [`Sim::step_vjp`].
    pub fn acceleration_vjp(
        &mut self,
        a_bar: &[f64],
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
        self.acceleration_vjp_act(a_bar, out)
    }

    /// [`Sim::acceleration_vjp`] including the gradient by the activations.
    pub fn acceleration_vjp_act(&mut self, a_bar: &[f64], mut out: StepAdjoint<'_>) -> Result<()> {
        let mut v_bar = out.v.take();
        let nv = self.model.nv();
        self.need_step()?;
        check_finite("a_bar", a_bar, nv)?;
        let rate = 1.0 / self.options.time_step;
        let mut direction = std::mem::take(&mut self.direction);
        direction.dq_next.fill(0.0);
        for (x, a) in direction.dv_next.iter_mut().zip(a_bar) {
            *x = a * rate;
        }
        let (zero, velocity) = (&direction.dq_next[..], &direction.dv_next[..]);
        let is_implicit = self.implicit.is_some();
        let seed = Seed {
            velocity: if is_implicit { &[] } else { velocity },
            ..Seed::of(zero, if is_implicit { velocity } else { zero }, &[])
        };
        let out = StepAdjoint {
            v: v_bar.as_deref_mut(),
            ..out
        };
        let done = match within(f64::MAX, velocity) {
            true => self.adjoint(&seed, out),
            false => Err(Error::numerical("a_bar: it is too large")),
        };
        if let Some(out) = v_bar.filter(|_| is_implicit && done.is_ok()) {
            for (out, x) in out.iter_mut().zip(velocity) {
                *out -= x;
            }
        }
        self.direction = direction;
        done
    }
}
