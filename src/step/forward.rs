//! Acceleration and contact forces at a state by the laws of a step, without advancing the state.
//!
//! The acceleration is a = (v̂ − v̂₀)/h, with the velocities v̂₀ before and v̂ after a step from the state,
//! both in the axes of the state. It satisfies M a + b = τ + Jᵀλ/h with the implicit terms of τ. Impulses
//! act within a time step, so an acceleration with contact depends on the time step. One of the forces is
//! the torque of the discrete Euler equations on free bodies ([`Gyroscopic`](crate::force::Gyroscopic)).
//! Implicit formulas (BDF1, SDIRK2) balance forces at another state; for them a = (v⁺ − v)/h.

use super::act::ActJacobians;
use super::adjoints::StepAdjoint;
use super::impulse_workspace::Direction;
use super::info::REACH;
use super::jacobians::StepJacobians;
use super::linearization::Linearization;
use super::link::Seed;
use super::taken::Taken;
use crate::error::{Error, Result};
use crate::linalg::within;

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

impl Taken<'_> {
    /// Writes the Jacobians of the acceleration.
    pub(super) fn acceleration_jacobians(
        &mut self,
        lin: &mut Linearization,
        out: AccelerationJacobians<'_>,
    ) -> Result<()> {
        let nv = self.model.nv();
        if self.is_formula() {
            return self.implicit_acceleration_jacobians(lin, out);
        }
        let mut by_p = out.by_p;
        let by_inputs = out.by_u.is_some() || out.by_act.is_some();
        self.prepare_columns(lin, by_inputs, by_p.is_some())?;
        let rate = 1.0 / self.options.time_step;
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
            let at = self.state.start(self.model, self.options.time_step);
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
        lin: &mut Linearization,
        mut out: AccelerationJacobians<'_>,
    ) -> Result<()> {
        let (nv, rate) = (self.model.nv(), 1.0 / self.options.time_step);
        let by_state = StepJacobians {
            dv_dq: out.by_q.as_deref_mut(),
            dv_dv: out.by_v.as_deref_mut(),
            dv_du: out.by_u.as_deref_mut(),
            dv_dp: out.by_p.as_deref_mut(),
            ..StepJacobians::default()
        };
        let sizes = [nv * nv, nv * self.model.nu()];
        self.write_jacobians(lin, by_state, [None, None], sizes, false)?;
        let by_act = ActJacobians {
            dv_dact: out.by_act.as_deref_mut(),
            ..ActJacobians::default()
        };
        self.write_act_jacobians(lin, by_act)?;
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

    /// Writes the adjoint of the acceleration; `d` is memory for its seed.
    pub(super) fn acceleration_adjoint(
        &mut self,
        lin: &mut Linearization,
        d: &mut Direction,
        a_bar: &[f64],
        mut out: StepAdjoint<'_>,
    ) -> Result<()> {
        let mut v_bar = out.v.take();
        let rate = 1.0 / self.options.time_step;
        d.dq_next.fill(0.0);
        for (x, a) in d.dv_next.iter_mut().zip(a_bar) {
            *x = a * rate;
        }
        let (zero, velocity) = (&d.dq_next[..], &d.dv_next[..]);
        let is_implicit = self.is_formula();
        let seed = Seed {
            velocity: if is_implicit { &[] } else { velocity },
            ..Seed::of(zero, if is_implicit { velocity } else { zero }, &[])
        };
        let out = StepAdjoint {
            v: v_bar.as_deref_mut(),
            ..out
        };
        let done = match within(f64::MAX, velocity) {
            true => self.adjoint(lin, &seed, out),
            false => Err(Error::numerical("a_bar: it is too large")),
        };
        if let Some(out) = v_bar.filter(|_| is_implicit && done.is_ok()) {
            for (out, x) in out.iter_mut().zip(velocity) {
                *out -= x;
            }
        }
        done
    }
}
