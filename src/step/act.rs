//! Jacobians of a step by its activations, and Jacobians of the activations.

use super::info::check_length;
use super::jacobians::StepJacobians;
use super::sim::Sim;
use crate::error::Result;

/// Destination of the Jacobians of a step with activations, dense column-major: of the state at the end by
/// the activations at the start (nv rows), and of the activations at the end (na rows).
#[derive(Default)]
pub struct ActJacobians<'a> {
    /// nv×na, by q in the tangent.
    pub dq_dact: Option<&'a mut [f64]>,
    pub dv_dact: Option<&'a mut [f64]>,
    /// na×nv: zero, because activations depend on inputs only.
    pub dact_dq: Option<&'a mut [f64]>,
    pub dact_dv: Option<&'a mut [f64]>,
    /// na×na and na×nu.
    pub dact_dact: Option<&'a mut [f64]>,
    pub dact_du: Option<&'a mut [f64]>,
}

impl Sim {
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
