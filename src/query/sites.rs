//! Placements and Jacobians of the sites of a model.

use crate::dynamics::jacobian::body_jacobian;
use crate::error::{Error, Result};
use crate::step::Sim;
use crate::step::info::check_length;

impl Sim {
    /// World placements of all sites: 16 × nsite, column-major 4×4 each.
    pub fn site_placements(&mut self, q: &[f64], placements: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        check_length("placements", placements, 16 * self.model.sites().len())?;
        self.move_to(q, None, None)?;
        let kin = &self.asked.dynamics.kin;
        for (site, out) in (self.model.sites().iter()).zip(placements.chunks_exact_mut(16)) {
            let body = kin.body_pose(&self.model, site.body);
            out.copy_from_slice(&body.compose(&site.placement).homogeneous());
        }
        Ok(())
    }

    /// Jacobian of a site: 6×nv, column-major, world axes; rows linear velocity of its origin, then angular
    /// velocity.
    pub fn site_jacobian(&mut self, q: &[f64], site: usize, j: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        let sites = self.model.sites();
        let Some(site) = sites.get(site) else {
            return Err(Error::invalid(format!(
                "site must be in 0..{}, got {site}",
                sites.len()
            )));
        };
        let (body, point) = (site.body, site.placement.pos);
        check_length("J", j, 6 * self.model.nv())?;
        self.move_to(q, None, None)?;
        body_jacobian(&self.model, &self.asked.dynamics.kin, body, point, j);
        Ok(())
    }
}
