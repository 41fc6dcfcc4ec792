//! Placements and Jacobians of the sites of a model.

use crate::dynamics::jacobian::body_jacobian;
use crate::error::{Error, Result};
use crate::step::Query;
use crate::step::info::{check_length, check_state};

pub(super) fn site_placements(at: &mut Query<'_>, q: &[f64], placements: &mut [f64]) -> Result<()> {
    check_state(at.model, q, None)?;
    check_length("placements", placements, 16 * at.model.sites().len())?;
    at.move_to(q, None, None)?;
    let kin = &at.asked.dynamics.kin;
    for (site, out) in (at.model.sites().iter()).zip(placements.chunks_exact_mut(16)) {
        let body = kin.body_pose(at.model, site.body);
        out.copy_from_slice(&body.compose(&site.placement).homogeneous());
    }
    Ok(())
}

pub(super) fn site_jacobian(
    at: &mut Query<'_>,
    q: &[f64],
    site: usize,
    j: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    let sites = at.model.sites();
    let Some(site) = sites.get(site) else {
        return Err(Error::invalid(format!(
            "site must be in 0..{}, got {site}",
            sites.len()
        )));
    };
    let (body, point) = (site.body, site.placement.pos);
    check_length("J", j, 6 * at.model.nv())?;
    at.move_to(q, None, None)?;
    body_jacobian(at.model, &at.asked.dynamics.kin, body, point, j);
    Ok(())
}
