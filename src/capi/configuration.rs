//! Configurations: stored ones, the tangent space, and MuJoCo's layout.

use super::args::{self, Out};
use super::model::{ds_model, get};
use super::status::ds_status;
use super::wall;
use crate::constraint::{home, place_on_ground};
use std::ffi::c_char;

/// The configuration in which every body is placed as the description says. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_neutral(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        args::publish([(m.neutral(), Out::new(q, m.nq(), "q")?)])
    })
}

/// A configuration to start from: within all joint limits, with a little room; without overlap where one is found, equality
/// constraints closed as well as can be; each robot with a free joint with its lowest point on the ground, the first
/// infinite plane of the world. It begins at the keyframe "home", else the first, else where the file places the bodies.
/// Takes up to seconds for a robot whose parts cannot be parted. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_home(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let out = Out::new(q, m.nq(), "q")?;
        args::publish([(&home(m)?, out)])
    })
}

/// q with every robot that has a free joint moved along the normal of the ground until its lowest point
/// touches it. The ground is the first plane of the world that is drawn without bounds, else the first
/// plane. Its turn and all other coordinates stay. q, q_out: nq numbers; q_out may be q.
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

/// A stored state: nq, nv and nu numbers; any pointer may be NULL.
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

/// q_out = q ⊕ dv: each joint moved by the tangent vector, in body axes for spherical and free
/// joints. nq, nv and nq numbers; q_out may be q.
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

/// The tangent vector with q0 ⊕ dv_out = q1, rotations of at most pi. nq, nq and nv numbers;
/// dv_out may be one of the inputs.
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

/// Configuration from MuJoCo's qpos (quaternions w x y z). nq numbers each; q may be qpos. Mocap bodies, which MuJoCo keeps apart
/// from qpos (mocap_pos, mocap_quat), come behind it: 7 numbers each, position and quaternion, or zeros for the pose of the
/// file. As in MuJoCo quaternions are normalized, and one of zeros is the identity.
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

/// MuJoCo's qpos from a configuration, then the mocap bodies, 7 numbers each. nq numbers each; qpos may be q.
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

/// Velocity from MuJoCo's qvel (free joints: linear velocity in world axes) at q, which is in this
/// library's layout. nq, nv and nv numbers; v may be qvel. Mocap bodies, which MuJoCo has no velocities of, come last: 6 numbers each.
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

/// MuJoCo's qvel from a velocity at q, then the mocap bodies, 6 numbers each. nq, nv and nv numbers; qvel may be v.
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
