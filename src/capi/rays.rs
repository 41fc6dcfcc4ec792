//! Ray casts.

use super::args::{self, Out};
use super::dynamics::placed;
use super::report::ds_gradient;
use super::sim::ds_sim;
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::query::Rays;
use crate::step::{Gradient, Sim};

/// The caller's array with one element per ray, or `None`.
unsafe fn each<'a, T>(p: *mut T, count: usize, name: &str) -> Result<Option<&'a mut [T]>> {
    if p.is_null() || count == 0 {
        return Ok(None);
    }
    args::array(p.cast_const(), count, name)?;
    // SAFETY: not null and aligned, as just checked; the header's rules promise the elements.
    Ok(Some(std::slice::from_raw_parts_mut(p, count)))
}

unsafe fn excluded(sim: &Sim, body: i32) -> Result<Option<usize>> {
    match body {
        -1 => Ok(None),
        body => args::index(body, sim.model().nbody(), "exclude_body", "body").map(Some),
    }
}

/// Finds the first geom that a ray hits at q (nq numbers). origin [m], direction: 3 numbers each,
/// world axes. max_distance [m], may be infinite. exclude_body: a body that the ray passes
/// through; -1 for none. *distance: from the origin [m]; -1 without a hit. normal: outward normal
/// of the surface, 3 numbers, world axes. *geom: its id; -1 without a hit. ddistance: the
/// derivative of the distance by q (tangent), 1×nv, for a ray at rest; *gradient: its label. Any
/// of these may be NULL. Rules: docs/concepts.md, Rays and sensors. Contacts and the last step do
/// not change. Allocates as ds_sim_collide does.
///
/// Errors: those of ds_sim_step for q; DS_ERR_INVALID_ARGUMENT for a direction of length zero, an
/// id out of range or a max_distance that is not positive; DS_ERR_UNSUPPORTED with DS_CONTACT_NONE
/// for geoms that a sim with contact refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_ray_cast(
    sim: *mut ds_sim,
    q: *const f64,
    origin: *const f64,
    direction: *const f64,
    max_distance: f64,
    exclude_body: i32,
    distance: *mut f64,
    normal: *mut f64,
    geom: *mut i32,
    ddistance: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    ds_sim_ray_casts(
        sim,
        q,
        1,
        origin,
        direction,
        max_distance,
        exclude_body,
        distance,
        normal,
        geom,
        ddistance,
        gradient,
    )
}

/// Same as ds_sim_ray_cast for count rays: origins and directions 3×count numbers, distances count,
/// normals 3×count, geoms count, ddistances nv×count (one column per ray), gradients count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_ray_casts(
    sim: *mut ds_sim,
    q: *const f64,
    count: usize,
    origins: *const f64,
    directions: *const f64,
    max_distance: f64,
    exclude_body: i32,
    distances: *mut f64,
    normals: *mut f64,
    geoms: *mut i32,
    ddistances: *mut f64,
    gradients: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nv = s.sim.model().nv();
        let vectors = count.saturating_mul(3);
        let (origins, directions) = (
            args::array(origins, vectors, "origins")?,
            args::array(directions, vectors, "directions")?,
        );
        let rays = Rays {
            origins,
            directions,
            max_distance,
            exclude_body: excluded(&s.sim, exclude_body)?,
        };
        let outs = [
            Out::optional(distances, count, "distances")?,
            Out::optional(normals, vectors, "normals")?,
            Out::optional(ddistances, count.saturating_mul(nv), "ddistances")?,
        ];
        let inputs = [("q", q), ("origins", origins), ("directions", directions)];
        let [mut distances, mut normals, columns] = args::in_place(outs, &inputs)?;
        let mut geoms = each(geoms, count, "geoms")?;
        let mut gradients = each(gradients, count, "gradients")?;
        s.sim.ray_casts(q, &rays, columns, |i, hit| {
            if let Some(x) = &mut distances {
                x[i] = hit.map_or(-1.0, |h| h.distance);
            }
            if let Some(x) = &mut normals {
                let normal = hit.map_or([0.0; 3], |h| h.normal);
                x[3 * i..3 * i + 3].copy_from_slice(&normal);
            }
            if let Some(x) = &mut geoms {
                x[i] = args::id(hit.map(|h| h.geom));
            }
            if let Some(x) = &mut gradients {
                x[i] = hit.map_or(Gradient::Exact, |h| h.gradient).into();
            }
        })
    })
}
