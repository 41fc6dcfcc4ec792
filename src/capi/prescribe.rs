//! Prescribed motion.

use super::args::{self, Out};
use super::sim::{ds_sim, get, look};
use super::status::ds_status;
use super::wall;

/// Prescribes the velocity [m/s or rad/s] that a dof, 0 to nv-1, has at the end of every step from now on, until it is changed;
/// NaN frees the dof. v_next has it to round-off with every contact law, whatever forces, contacts, limits and equalities act
/// on the dof: to them it is one of infinite inertia. Dofs of a joint begin at ds_model_joint_v_index. Neither allocates, and
/// both are done at any time; the last step is forgotten. ds_sim_reset keeps prescribed velocities, and ds_sim_get_memory does
/// not tell of them. Derivatives by the velocity: DS_PARAM_PRESCRIBED.
///
/// A free joint has it along the body's axes where the step ends, as v_next has, with DS_INTEGRATOR_SYMPLECTIC_EULER, and with
/// DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD where all six of its dofs are prescribed. Else its linear dofs have it along the axes where
/// the step begins, and v_next shows the same vector as seen from those where it ends, by a step's turn apart. With implicit
/// integrators all three linear dofs are prescribed or none: else a step is DS_ERR_UNSUPPORTED.
///
/// What only driven dofs move against each other does not collide, limits and dry friction of driven dofs do nothing, nor do
/// equalities between them: no impulse could change what they bound.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a dof that is none, and for NaN while DS_PARAM_PRESCRIBED of the dof is selected;
/// DS_ERR_NUMERICAL for an infinite velocity. Nothing changes then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_prescribe(sim: *mut ds_sim, dof: i32, velocity: f64) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let dof = args::index(dof, s.sim.model().nv(), "dof", "dof")?;
        s.sim.prescribe(dof, velocity)
    })
}

/// The prescribed velocities of all dofs, nv numbers; NaN of a dof that has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_prescribed_velocities(
    sim: *const ds_sim,
    velocity: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = look(sim)?;
        let nv = s.sim.model().nv();
        let out = args::matrix(Out::new(velocity, nv, "velocity")?, &[])?;
        for (k, out) in out.iter_mut().enumerate() {
            *out = s.sim.prescribed_velocity(k);
        }
        Ok(())
    })
}

/// The generalized impulses [N s or N m s] that held the driven dofs in the last step: what a motor, or whatever drives them,
/// gave beside all other forces and impulses of the step; divided by the time step its mean force. nv numbers, zero of dofs
/// that are not driven. Limits and dry friction of a driven dof itself are not in it. Costs about an inverse dynamics, and
/// writes no bit of the step's other results.
///
/// Errors: DS_ERR_NO_STEP before a step, DS_ERR_NUMERICAL, DS_ERR_UNSUPPORTED with other integrators than DS_INTEGRATOR_SYMPLECTIC_EULER and
/// DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_prescribed_impulses(
    sim: *mut ds_sim,
    impulse: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let nv = s.sim.model().nv();
        let out = args::matrix(Out::new(impulse, nv, "impulse")?, &[])?;
        s.sim.prescribed_impulses(out)
    })
}
