//! Applied generalized force: a force of the caller, with its slopes.

use super::args;
use super::sim::{ds_sim, get};
use super::status::ds_status;
use super::wall;

/// Sets a generalized force on all dofs in all following steps, in addition to all other forces.
/// tau: nv numbers [N or N m], the force at the state at the start of the next step; NULL ends the
/// force. K, D: its slopes there, ∂tau/∂q (by the tangent of q) and ∂tau/∂v, nv×nv, column-major;
/// NULL for zero. The step uses tau + K h v⁺ + D (v⁺ − v): a stiff feedback stays stable. Call it
/// before every step. Derivatives of the step hold tau, K and D fixed. Allocates at the first call
/// and for a new pattern of zeros in K and D. The last step is forgotten; ds_sim_reset keeps the
/// force. See docs/control.md, Your own feedback.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite; DS_ERR_UNSUPPORTED with integrators
/// other than DS_INTEGRATOR_SYMPLECTIC_EULER and DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD. Then
/// nothing changes.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn ds_sim_set_force(
    sim: *mut ds_sim,
    tau: *const f64,
    K: *const f64,
    D: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let nv = s.sim.model().nv();
        if tau.is_null() {
            return s.sim.set_force(None);
        }
        // SAFETY: the header's rules promise the elements.
        let given = unsafe {
            [
                args::array(tau, nv, "tau")?,
                args::optional_array(K, nv * nv, "K")?,
                args::optional_array(D, nv * nv, "D")?,
            ]
        };
        s.sim.set_force(Some(given))
    })
}
