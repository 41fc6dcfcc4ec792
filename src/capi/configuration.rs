//! Configurations: keyframes, the tangent space, and MuJoCo's layout.

use super::args::{self, Out};
use super::model::{ds_model, get};
use super::status::ds_status;
use super::wall;
use crate::constraint::{home, place_on_ground};
use std::ffi::c_char;

/// The configuration in which every body has the placement of its description. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_neutral(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        args::publish([(m.neutral(), Out::new(q, m.nq(), "q")?)])
    })
}

/// A configuration to start from. It is within all joint limits, with some distance to them. It has
/// no overlaps if such a configuration is found, and equality constraints are closed as well as
/// possible. Each robot on a free joint has its lowest point on the ground, the first infinite plane
/// of the world. The search starts at the keyframe "home", otherwise at the first keyframe, otherwise
/// at the file's placements. It can take seconds if parts of a robot cannot be separated. q: nq
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_home(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let out = Out::new(q, m.nq(), "q")?;
        args::publish([(&home(m)?, out)])
    })
}

/// Moves every robot on a free joint along the ground's normal until its lowest point touches the
/// ground. The ground is the first unbounded plane of the world, otherwise the first plane.
/// Orientations and all other coordinates do not change. q, q_out: nq numbers; q_out may be q.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a model without such a plane or such a robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_place_on_ground(
    model: *const ds_model,
    q: *const f64,
    q_out: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let out = Out::new(q_out, m.nq(), "q_out")?;
        args::publish([(&place_on_ground(m, q)?, out)])
    })
}

/// A keyframe by its name: nq, nv and nu numbers; any pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_keyframe(
    model: *const ds_model,
    name: *const c_char,
    q: *mut f64,
    v: *mut f64,
    u: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let k = m.keyframe(args::text(name, "name")?)?;
        args::publish([
            (&k.q, Out::optional(q, m.nq(), "q")?),
            (&k.v, Out::optional(v, m.nv(), "v")?),
            (&k.u, Out::optional(u, m.nu(), "u")?),
        ])
    })
}

/// q_out = q ⊕ dv: moves each joint by the tangent vector, in body axes for spherical and free
/// joints. q, q_out: nq numbers; dv: nv. q_out may be q.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_integrate(
    model: *const ds_model,
    q: *const f64,
    dv: *const f64,
    q_out: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let dv = args::numbers(dv, m.nv(), "dv")?;
        args::through(m.nq(), Out::new(q_out, m.nq(), "q_out")?, |x| {
            m.integrate(q, dv, x);
            Ok(())
        })
    })
}

/// The tangent vector dv_out with q0 ⊕ dv_out = q1, with rotations of at most pi. q0, q1: nq numbers;
/// dv_out: nv. dv_out may be one of the inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_difference(
    model: *const ds_model,
    q0: *const f64,
    q1: *const f64,
    dv_out: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q0 = args::configuration(q0, m, "q0")?;
        let q1 = args::configuration(q1, m, "q1")?;
        let out = Out::new(dv_out, m.nv(), "dv_out")?;
        args::through(m.nv(), out, |x| {
            m.difference(q0, q1, x);
            Ok(())
        })
    })
}

/// Converts MuJoCo's qpos (quaternions w x y z) to a configuration. nq numbers each; q may be qpos.
/// Mocap bodies, which MuJoCo stores separately (mocap_pos, mocap_quat), follow qpos: 7 numbers each,
/// position and quaternion, or zeros for the pose of the file. As in MuJoCo, quaternions are
/// normalized, and a quaternion of zeros is the identity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_q_from_mujoco(
    model: *const ds_model,
    qpos: *const f64,
    q: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let qpos = args::numbers(qpos, m.nq(), "qpos")?;
        let out = Out::new(q, m.nq(), "q")?;
        args::through(m.nq(), out, |x| {
            m.q_from_mujoco(qpos, x);
            Ok(())
        })
    })
}

/// Converts a configuration to MuJoCo's qpos, followed by the mocap bodies, 7 numbers each. nq
/// numbers each; qpos may be q.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_q_to_mujoco(
    model: *const ds_model,
    q: *const f64,
    qpos: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q = args::numbers(q, m.nq(), "q")?;
        let out = Out::new(qpos, m.nq(), "qpos")?;
        args::through(m.nq(), out, |x| {
            m.q_to_mujoco(q, x);
            Ok(())
        })
    })
}

/// Converts MuJoCo's qvel (free joints: linear velocity in world axes) to a velocity at q, which is
/// in this library's layout. q: nq numbers; qvel, v: nv. v may be qvel. Mocap bodies, which have no
/// velocity in MuJoCo, come last: 6 numbers each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_v_from_mujoco(
    model: *const ds_model,
    q: *const f64,
    qvel: *const f64,
    v: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let qvel = args::numbers(qvel, m.nv(), "qvel")?;
        let out = Out::new(v, m.nv(), "v")?;
        args::through(m.nv(), out, |x| {
            m.v_from_mujoco(q, qvel, x);
            Ok(())
        })
    })
}

/// Converts a velocity at q to MuJoCo's qvel, followed by the mocap bodies, 6 numbers each. q: nq
/// numbers; v, qvel: nv. qvel may be v.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_v_to_mujoco(
    model: *const ds_model,
    q: *const f64,
    v: *const f64,
    qvel: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let v = args::numbers(v, m.nv(), "v")?;
        let out = Out::new(qvel, m.nv(), "qvel")?;
        args::through(m.nv(), out, |x| {
            m.v_to_mujoco(q, v, x);
            Ok(())
        })
    })
}
