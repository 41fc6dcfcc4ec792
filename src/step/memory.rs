//! Whether memory suffices for a simulation, asked before it is taken: a failed allocation ends the
//! process.

use crate::error::{Error, Result};
use crate::model::Model;

/// Numbers on each dof, body and geom that the recursions keep, rounded up.
const PER_ITEM: usize = 512;

/// Refuses a simulation for which there is no memory.
///
/// # Errors
/// `Capacity` naming the size.
pub fn check_memory(model: &Model, derivatives: bool) -> Result<()> {
    let (nv, packed) = (model.nv(), model.topology().packed);
    // Without derivatives the mass matrix; with them four packed and three dense matrices more, and
    // what their making takes for a moment.
    let (dense, triangles) = if derivatives { (3, 6) } else { (0, 1) };
    let items = nv + model.nbody() + model.ngeom();
    let bytes = (nv.checked_mul(nv).and_then(|n| n.checked_mul(dense)))
        .and_then(|n| n.checked_add(packed.checked_mul(triangles)?))
        .and_then(|n| n.checked_add(items.checked_mul(PER_ITEM)?))
        .and_then(|n| n.checked_mul(size_of::<f64>()));
    let free = |bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    match bytes {
        Some(bytes) if free(bytes) => Ok(()),
        _ => Err(Error::capacity(format!(
            "there is no memory for the simulation of {nv} dofs{}: about {} MB",
            if derivatives { " with derivatives" } else { "" },
            bytes.map_or(usize::MAX, |b| b >> 20)
        ))),
    }
}
