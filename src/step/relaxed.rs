//! The last step with relaxed complementarity.

use super::info::Gradient;
use super::sim::Sim;
use super::state::Held;
use crate::error::Result;

impl Sim {
    /// Replaces the last step's impulses and results by those with complementarity relaxed by κ; Jacobians
    /// are then those of these results. The memory of the next step is not relaxed.
    pub(crate) fn relax_last_step(&mut self, kappa: f64) -> Result<()> {
        if self.implicit.is_some() {
            // Without contact there is nothing to relax.
            self.state.info.gradient = Gradient::Smoothed;
            return Ok(());
        }
        let (model, h, s) = (&*self.model, self.options.time_step, &mut self.state);
        if let Some(c) = &mut self.contact {
            c.relax(model, &mut self.dynamics, kappa, &mut s.v_end)?;
            self.driven.write(&mut s.v_end);
        }
        for k in 0..model.nv() {
            s.acc[k] = (s.v_end[k] - s.v_start[k]) / h;
        }
        s.advance(model, &*self.integrator, h)?;
        s.info.gradient = Gradient::Smoothed;
        s.only_modes_switch = false;
        self.held = self.held.min(Held::Velocities);
        Ok(())
    }
}
