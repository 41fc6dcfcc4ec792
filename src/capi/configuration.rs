//! Configurations: keyframes, the tangent space, and MuJoCo's layout.

use super::args::{self, Out, check_quaternions};
use super::edge::{self, Edge};
use super::model::{ds_model, get, whole};
use super::status::ds_status;
use super::wall;
use crate::constraint::{home, place_on_ground};
use crate::error::Result;
use crate::model::{Keyframe, Model};
use std::ffi::c_char;

/// Publishes a configuration of all joints in the coordinates of the interface.
unsafe fn publish_q(m: &Model, from: &[f64], q: *mut f64, name: &'static str) -> Result<()> {
    let out = Out::new(q, m.free_nq(), name)?;
    match m.reduction() {
        None => args::publish([(from, out)]),
        Some(map) => args::through(m.free_nq(), out, |x| {
            map.q.find(from, x);
            Ok(())
        }),
    }
}

/// Publishes a keyframe.
pub(super) unsafe fn keyframe(m: &Model, k: &Keyframe, [q, v, u]: [*mut f64; 3]) -> Result<()> {
    let outs = [
        Out::optional(q, m.free_nq(), "q")?,
        Out::optional(v, m.free_nv(), "v")?,
        Out::optional(u, m.nu(), "u")?,
    ];
    let Some(map) = m.reduction() else {
        return args::publish([(&k.q, outs[0]), (&k.v, outs[1]), (&k.u, outs[2])]);
    };
    let (mut x, mut y) = (vec![0.0; m.free_nq()], vec![0.0; m.free_nv()]);
    map.q.find(&k.q, &mut x);
    map.v.restrict(&k.v, &mut y);
    args::publish([(&x, outs[0]), (&y, outs[1]), (&k.u, outs[2])])
}

/// The configuration in which every body has the placement of its description. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_neutral(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        publish_q(m, m.neutral(), q, "q")
    })
}

/// A configuration to start from. It is within all joint limits, with some distance to them. It has
/// no overlaps if such a configuration is found, and equality constraints are closed as well as
/// possible. Robots on free joints stand on the ground, the first infinite plane of the world. Robots
/// that rest on each other are put down together; one that rests on something else stays there. The
/// search starts at the keyframe "home", otherwise at the first keyframe, otherwise
/// at the file's placements. It can take seconds if parts of a robot cannot be separated. q: nq
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_home(model: *const ds_model, q: *mut f64) -> ds_status {
    wall::status(|| {
        let m = &whole(model)?.model;
        let out = Out::new(q, m.free_nq(), "q")?;
        args::publish([(&home(m)?, out)])
    })
}

/// Moves every robot on a free joint along the ground's normal until its lowest point touches the
/// ground. Robots that rest on each other move together. A robot that rests on something else, or would
/// be put into it, stays. The ground is the first unbounded plane of the world, otherwise the first plane,
/// or the highest of several planes with its normal.
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
        let m = &whole(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let out = Out::new(q_out, m.free_nq(), "q_out")?;
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
        keyframe(m, k, [q, v, u])
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
        let dv = args::numbers(dv, m.free_nv(), "dv")?;
        let out = Out::new(q_out, m.free_nq(), "q_out")?;
        if m.reduction().is_some() {
            let mut edge = Edge::new(m, 0);
            let q = args::numbers(q, m.free_nq(), "q")?;
            let q = edge::place(&edge.map, q, &mut edge.q);
            check_quaternions(m, q, "q")?;
            m.integrate(q, edge::expand(&edge.map, dv, &mut edge.v), &mut edge.c);
            return publish_q(m, &edge.c, q_out, "q_out");
        }
        let q = args::configuration(q, m, "q")?;
        args::through(m.free_nq(), out, |x| {
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
        let out = Out::new(dv_out, m.free_nv(), "dv_out")?;
        if let Some(map) = m.reduction() {
            let mut edge = Edge::new(m, 0);
            let (q0, q1) = (
                args::numbers(q0, m.free_nq(), "q0")?,
                args::numbers(q1, m.free_nq(), "q1")?,
            );
            let q0 = edge::place(&edge.map, q0, &mut edge.q);
            let q1 = edge::place(&edge.map, q1, &mut edge.c);
            check_quaternions(m, q0, "q0")?;
            check_quaternions(m, q1, "q1")?;
            m.difference(q0, q1, &mut edge.v);
            return args::through(m.free_nv(), out, |x| {
                map.v.restrict(&edge.v, x);
                Ok(())
            });
        }
        let q0 = args::configuration(q0, m, "q0")?;
        let q1 = args::configuration(q1, m, "q1")?;
        args::through(m.free_nv(), out, |x| {
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
        let m = &whole(model)?.model;
        let qpos = args::numbers(qpos, m.free_nq(), "qpos")?;
        let out = Out::new(q, m.free_nq(), "q")?;
        args::through(m.free_nq(), out, |x| {
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
        let m = &whole(model)?.model;
        let q = args::numbers(q, m.free_nq(), "q")?;
        let out = Out::new(qpos, m.free_nq(), "qpos")?;
        args::through(m.free_nq(), out, |x| {
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
        let m = &whole(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let qvel = args::numbers(qvel, m.free_nv(), "qvel")?;
        let out = Out::new(v, m.free_nv(), "v")?;
        args::through(m.free_nv(), out, |x| {
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
        let m = &whole(model)?.model;
        let q = args::configuration(q, m, "q")?;
        let v = args::numbers(v, m.free_nv(), "v")?;
        let out = Out::new(qvel, m.free_nv(), "qvel")?;
        args::through(m.free_nv(), out, |x| {
            m.v_to_mujoco(q, v, x);
            Ok(())
        })
    })
}
