//! Geometry: contacts without dynamics, their derivatives, distances, filters.

use super::sim::Sim;
use crate::error::{Error, Result};

impl Sim {
    /// Lets two geoms touch, or keeps them from it, whatever the model's filters say. May allocate;
    /// the last step is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that is not there, a geom with itself, planes and height fields
    /// with each other, or a simulation without contact; `Unsupported` where the pair's condim is.
    pub fn set_pair_enabled(&mut self, geom_a: usize, geom_b: usize, enabled: bool) -> Result<()> {
        let Some(c) = &mut self.contact else {
            return Err(Error::invalid(
                "pairs of geoms are chosen in a simulation with contact, not with contact None",
            ));
        };
        c.scene
            .set_pair_enabled(&self.model, geom_a, geom_b, enabled)?;
        self.forget_step();
        Ok(())
    }
}
