//! A generalized force that a caller gives with its slopes.

use super::args;
use super::sim::{ds_sim, get};
use super::status::ds_status;
use super::wall;

/// Sets a generalized force on all dofs in every step from now on, until it is changed: tau [N or N m], nv
/// numbers, is its value at the state where the next step begins, K and D are its slopes there, ∂tau/∂q by
/// the tangent of q and ∂tau/∂v, nv×nv column-major; NULL stands for zero. tau NULL ends it. It acts beside
/// all other forces and moves bodies as they do.
///
/// The step takes it implicitly: it has tau + K h v⁺ + D (v⁺ − v), with v⁺ the velocity at the end. A stiff
/// feedback that a controller computes itself, such as tau = Kp (target − q) − Kd v with K = −Kp and D = −Kd,
/// is then as stable as a servo of the model, also where h Kd is many times the inertia. Call it before every
/// step with what the controller says of that step's state.
///
/// What of −K and −D is on the diagonal and not negative acts on impulses of contacts, too; all else acts on
/// the velocity without impulses alone. Derivatives of the step are exact with tau, K and D held fixed: those
/// of a closed loop add the controller's own.
///
/// Allocates at the first call, and where other entries of K and D are zero than before; steps do not. The
/// last step is forgotten. ds_sim_reset keeps the force. Rollouts and batches have none.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite, DS_ERR_UNSUPPORTED with other integrators than
/// DS_INTEGRATOR_SYMPLECTIC_EULER and DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD. Nothing changes then.
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
