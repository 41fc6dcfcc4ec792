//! Hydroelastic patches and the polygons of their faces.

use super::args;
use super::report::ds_patch;
use super::sim::{ds_sim, look_any};
use super::status::ds_status;
use super::wall;
use std::ptr;

/// Distance between patches in the array of ds_sim_patches [bytes]. A newer library's patches may be longer
/// than ds_patch in this header.
#[unsafe(no_mangle)]
pub extern "C" fn ds_patch_size() -> usize {
    size_of::<ds_patch>()
}

/// The hydroelastic patches of the last step or ds_sim_collide, in the order of the contacts: an array of
/// *count patches at *patches, ds_patch_size() bytes apart; NULL if there are none. They belong to the sim
/// and live until the next call on it.
///
/// Errors: DS_ERR_NO_STEP before a step or ds_sim_collide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_patches(
    sim: *const ds_sim,
    patches: *mut *const ds_patch,
    count: *mut usize,
) -> ds_status {
    wall::status(|| {
        let s = look_any(sim)?;
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

/// The polygons of the hydroelastic faces among the contacts of the last step or ds_sim_collide, for drawing.
/// Contact i of ds_sim_contacts has the vertices *starts[i] to *starts[i + 1] - 1, in order around its face;
/// none if it is a point. *vertices: 3 numbers each, in the world [m]. *pressures: one for each vertex [Pa],
/// negative on faces that are not closed. *starts: *contacts + 1 numbers. The arrays belong to the sim and
/// live until its next call; the faces are those at the start of the step. Without hydroelastic geoms
/// *contacts is 0.
///
/// Errors: DS_ERR_NO_STEP before a step or ds_sim_collide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_patch_faces(
    sim: *const ds_sim,
    vertices: *mut *const f64,
    pressures: *mut *const f64,
    starts: *mut *const usize,
    contacts: *mut usize,
) -> ds_status {
    wall::status(|| {
        let s = look_any(sim)?;
        s.sim.need_contacts()?;
        let vertices = args::place(vertices, "vertices")?;
        let pressures = args::place(pressures, "pressures")?;
        let starts = args::place(starts, "starts")?;
        let contacts = args::place(contacts, "contacts")?;
        let mut outlines = s.outlines.borrow_mut();
        if s.sim.has_patches() {
            s.sim.outlines(&mut outlines);
        }
        vertices.write(outlines.vertices.as_flattened().as_ptr());
        pressures.write(outlines.pressures.as_ptr());
        starts.write(outlines.starts.as_ptr());
        contacts.write(outlines.starts.len().saturating_sub(1));
        Ok(())
    })
}
