//! A generalized force of the caller, with its slopes.

use super::args;
use super::sim::{ds_sim, get};
use super::status::ds_status;
use super::wall;

/// Sets a generalized force on all dofs in all following steps, until you change it. tau [N or N m],
/// nv numbers: its value at the state at the start of the next step. K and D: its slopes there,
/// ∂tau/∂q (by the tangent of q) and ∂tau/∂v, nv×nv, column-major; NULL for zero. tau = NULL ends the
/// force. It acts in addition to all other forces.
///
/// The step treats the force implicitly: it uses tau + K h v⁺ + D (v⁺ − v), with the velocity v⁺ at
/// the end. A stiff feedback of your controller, such as tau = Kp (target − q) − Kd v with K = −Kp
/// and D = −Kd, is then as stable as a servo of the model, even if h Kd is many times the inertia.
/// Call this function before every step with the values for the state of this step.
///
/// Nonnegative diagonal entries of −K and −D also affect the response to contact impulses. All other
/// entries affect only the velocity without impulses. Derivatives of the step are exact for fixed
/// tau, K and D; for a closed loop, add the derivatives of your controller.
///
/// Allocates at the first call, and if other entries of K and D are zero than before; steps do not
/// allocate. The last step is forgotten. ds_sim_reset keeps the force. Rollouts and batches do not
/// have such a force.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite; DS_ERR_UNSUPPORTED with integrators
/// other than DS_INTEGRATOR_SYMPLECTIC_EULER and DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD. Then nothing
/// changes.
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
