//! Collision filters: the pairs of geoms that may touch.

use super::args;
use super::model::{ds_model, get, whole};
use super::status::ds_status;
use super::wall;
use crate::collision::scene::{exclude_overlapping, may_touch};

/// Whether two geoms (ids) may touch, by the filters of the model, ds_model_with_pairs and
/// ds_model_exclude_overlapping: 1 or 0; -1 if an id is out of range. Too slow for a control loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_pair_enabled(
    model: *const ds_model,
    geom_a: i32,
    geom_b: i32,
) -> i32 {
    wall::value(-1, || {
        let m = &get(model)?.model;
        let a = args::index(geom_a, m.ngeom(), "geom_a", "geom")?;
        let b = args::index(geom_b, m.ngeom(), "geom_b", "geom")?;
        Ok(i32::from(may_touch(m, a, b)))
    })
}

/// A copy of the model in which `count` pairs of geoms may touch (enabled: 1) or never touch (0),
/// whatever the filters say. It applies to all sims, rollouts and batches of the copy;
/// ds_sim_set_pair_enabled changes one sim only. geoms: 2×count ids, the two of a pair next to each
/// other. Release *out with ds_model_free; the model does not change.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range, for a geom with itself, and for enabling a
/// pair of planes or height fields.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_with_pairs(
    model: *const ds_model,
    geoms: *const i32,
    count: usize,
    enabled: i32,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let ids = args::array(geoms.cast::<[i32; 2]>(), count, "geoms")?;
        let enabled = args::flag(enabled, "enabled")?;
        let mut pairs = Vec::with_capacity(count);
        for &[a, b] in ids {
            pairs.push([
                args::index(a, m.ngeom(), "geoms", "geom")?,
                args::index(b, m.ngeom(), "geoms", "geom")?,
            ]);
        }
        args::give(out, || Ok(ds_model::new(m.with_pairs(&pairs, enabled)?)))
    })
}

/// A copy of the model in which geoms of one robot (the subtree of one child of the world) never
/// touch if they overlap at q by more than a micrometre: housings inside each other, shafts in their
/// bearings. q: nq numbers; NULL for the configuration of ds_model_neutral. Pairs with the world or
/// another robot do not change. The last warning of the copy counts the pairs; there is no warning if
/// nothing overlaps. Release *out with ds_model_free; the model does not change.
///
/// Errors: those of ds_sim_step for q; those of ds_sim_create for geoms that cannot touch anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_exclude_overlapping(
    model: *const ds_model,
    q: *const f64,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let m = &whole(model)?.model;
        let q = if q.is_null() {
            m.neutral()
        } else {
            args::configuration(q, m, "q")?
        };
        args::give(out, || Ok(ds_model::new(exclude_overlapping(m, q)?)))
    })
}
