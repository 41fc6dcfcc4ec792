//! Hydroelastic patches.

use super::args;
use super::report::ds_patch;
use super::sim::{ds_sim, look_any};
use super::status::ds_status;
use super::wall;
use std::ptr;

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
