//! Prescribed motion.

use super::args::{self, Out};
use super::sim::{ds_sim, get, look};
use super::status::ds_status;
use super::wall;

/// Prescribes the velocity [m/s or rad/s] of a dof, 0 to nv-1, at the end of every following step;
/// NaN frees the dof. For forces, contacts, limits and equalities the dof has infinite inertia.
/// The dofs of a joint begin at ds_model_joint_v_index. Does not allocate; the last step is
/// forgotten; ds_sim_reset keeps prescribed velocities. For derivatives by the velocity see
/// DS_PARAM_PRESCRIBED; for the axes of a free joint and for constraints between prescribed dofs
/// see docs/concepts.md, Prescribed motion. With implicit integrators, prescribe all three linear
/// dofs of a free joint or none; otherwise a step is DS_ERR_UNSUPPORTED.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a dof out of range, and for NaN while DS_PARAM_PRESCRIBED
/// of the dof is selected; DS_ERR_NUMERICAL for an infinite velocity. Then nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_prescribe(sim: *mut ds_sim, dof: i32, velocity: f64) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let dof = args::index(dof, s.sim.model().nv(), "dof", "dof")?;
        s.sim.prescribe(dof, velocity)
    })
}

/// The prescribed velocities of all dofs, nv numbers; NaN for a dof without one.
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

/// The generalized impulses [N s or N m s] that enforced the prescribed velocities in the last step:
/// the impulse of a motor that drives the dof, in addition to all other forces and impulses of the
/// step. Its mean force is the impulse divided by the time step. nv numbers, zero for dofs that are
/// not prescribed. Limits and dry friction of a prescribed dof itself are not included. Costs about
/// one inverse dynamics and does not change the other results of the step.
///
/// Errors: DS_ERR_NO_STEP before a step; DS_ERR_NUMERICAL; DS_ERR_UNSUPPORTED with integrators other
/// than DS_INTEGRATOR_SYMPLECTIC_EULER and DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD.
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
