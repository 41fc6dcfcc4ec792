//! Hydroelastic patches.

use super::args;
use super::sim::{ds_sim, look};
use super::status::ds_status;
use super::wall;
use crate::query::Patch;
use std::ptr;

/// The faces through which two geoms press each other, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_patch {
    /// Geom A.
    pub geom_a: i32,
    /// Geom B.
    pub geom_b: i32,
    /// Of the faces that are closed [m²].
    pub area: f64,
    /// Of that area; of all faces where none is closed [m].
    pub centroid: [f64; 3],
    /// Unit vector from A to B: the mean over the area.
    pub normal: [f64; 3],
    /// On B in the last step [N]. Zero after ds_sim_collide.
    pub force: [f64; 3],
    /// On B about the centroid [N m]. Zero after ds_sim_collide.
    pub torque: [f64; 3],
    /// Its faces among those of ds_sim_contacts: the first one.
    pub first_contact: usize,
    /// Number of its faces, those that are not closed among them.
    pub contact_count: usize,
}

impl From<Patch> for ds_patch {
    fn from(p: Patch) -> Self {
        ds_patch {
            geom_a: args::id(Some(p.geom[0])),
            geom_b: args::id(Some(p.geom[1])),
            area: p.area,
            centroid: p.centroid,
            normal: p.normal,
            force: p.force,
            torque: p.torque,
            first_contact: p.first,
            contact_count: p.count,
        }
    }
}

/// How far apart patches lie in the array of ds_sim_patches [bytes]: a newer library's may be longer than
/// ds_patch is in this header.
#[unsafe(no_mangle)]
pub extern "C" fn ds_patch_size() -> usize {
    size_of::<ds_patch>()
}

/// The hydroelastic patches of the last step or ds_sim_collide, in the order of the contacts: *count of them
/// from *patches on, NULL for none, ds_patch_size() apart. They belong to the sim and live until its next
/// call.
///
/// Errors: DS_ERR_NO_STEP before either.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_patches(
    sim: *const ds_sim,
    patches: *mut *const ds_patch,
    count: *mut usize,
) -> ds_status {
    wall::status(|| {
        let s = look(sim)?;
        s.sim.need_contacts()?;
        let patches = args::place(patches, "patches")?;
        let count = args::place(count, "count")?;
        let mut list = s.patches.borrow_mut();
        list.clear();
        list.extend(s.sim.patches().map(ds_patch::from));
        count.write(list.len());
        patches.write(if list.is_empty() {
            ptr::null()
        } else {
            list.as_ptr()
        });
        Ok(())
    })
}
