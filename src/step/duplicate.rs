//! Copies of a simulation.

use super::parts::{Parts, law_of};
use super::sim::Sim;
use crate::error::Result;

impl Sim {
    /// The same simulation with a new workspace. It keeps parameters, wrenches, prescribed velocities and
    /// pair filters. Warm starts and the last step are forgotten.
    pub(crate) fn renewed(&self) -> Result<Sim> {
        let parts = Parts {
            integrator: (self.integrator).duplicate(&self.model, self.options.derivatives),
            formula: self.implicit.as_ref().map(|i| i.formula),
            law: match &self.contact {
                Some(c) => c.renewed_law(),
                None => law_of(&self.options),
            },
            forces: self.forces.duplicate_others(),
        };
        let mut sim = Sim::with_parts(self.model.clone(), &self.options, parts)?;
        if let (Some(to), Some(from)) = (sim.scene_mut(), self.scene()) {
            to.filter_as(&self.model, from);
        }
        sim.filter_adhesion();
        sim.drive_as(&self.driven);
        sim.select_params(&self.selected)?;
        sim.params = self.params.clone();
        sim.forces.wrenches = self.forces.wrenches.clone();
        sim.forces.copy_feedback(&self.forces);
        sim.refresh_forces();
        sim.refresh_contact()?;
        Ok(sim)
    }

    /// A copy of this simulation: parameters, wrenches, prescribed velocities, pair filters and warm starts
    /// are the same, and so are the bits of all following steps. The last step is not copied.
    ///
    /// # Errors
    /// As [`Sim::new`].
    pub fn duplicate(&self) -> Result<Sim> {
        let mut sim = self.renewed()?;
        let mut warm = vec![0.0; self.memory_size()];
        self.get_memory(&mut warm)?;
        sim.set_memory(&warm)?;
        Ok(sim)
    }
}
