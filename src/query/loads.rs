//! Dynamics under a list of external wrenches, in addition to those of a simulation.

use crate::error::{Error, Result};
use crate::spatial::Wrench;
use crate::step::Sim;
use crate::step::info::{check_finite, check_length};

impl Sim {
    /// [`Sim::inverse_dynamics`] with further wrenches (force; moment) on bodies [N, N m], 6 numbers
    /// each, along world axes, at the bodies' origins.
    pub fn inverse_dynamics_with_wrenches(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        bodies: &[i32],
        wrenches: &[f64],
        tau: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("a", a, self.model.nv())?;
        check_length("tau", tau, self.model.nv())?;
        self.update_with(q, v, bodies, wrenches)?;
        let d = &mut self.asked.dynamics;
        d.inverse(&self.model, &self.params, a, &mut self.work);
        self.deliver("tau", tau)
    }

    /// [`Sim::forward_dynamics`] with the wrenches of [`Sim::inverse_dynamics_with_wrenches`].
    pub fn forward_dynamics_with_wrenches(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        bodies: &[i32],
        wrenches: &[f64],
        a: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("tau", tau, self.model.nv())?;
        check_length("a", a, self.model.nv())?;
        self.update_with(q, v, bodies, wrenches)?;
        let (d, p) = (&mut self.asked.dynamics, &self.params);
        d.forward(&self.model, p, &p.armature, tau, &mut self.work);
        self.deliver("a", a)
    }

    fn update_with(
        &mut self,
        q: &[f64],
        v: &[f64],
        bodies: &[i32],
        wrenches: &[f64],
    ) -> Result<()> {
        let n = self.model.nbody();
        for (i, b) in bodies.iter().enumerate() {
            if !usize::try_from(*b).is_ok_and(|b| b < n) {
                return Err(Error::invalid(format!(
                    "bodies[{i}]: must be the id of a body, 0 to {}, got {b}",
                    n - 1
                )));
            }
        }
        check_finite("wrenches", wrenches, 6 * bodies.len())?;
        self.ask(q, v);
        let d = &mut self.asked.dynamics;
        for (b, w) in bodies.iter().zip(wrenches.chunks_exact(6)) {
            let w = Wrench::from_slice(w);
            d.external.add_on_body(&self.model, &d.kin, *b as usize, w);
        }
        Ok(())
    }
}
