//! Kinematics: motion of bodies, sites and frames at any state.

use super::args::{self, Out};
use super::builder::pose;
use super::dynamics::{moving, moving_within, placed};
use super::sim::{ds_sim, parts};
use super::status::ds_status;
use super::wall;
use crate::dynamics::motion::{Frame, ReferenceFrame};
use crate::error::Result;
use crate::model::Model;
use crate::spatial::Pose;

/// Reference frame in which the motion of a frame on a body is given: (linear; angular), 6 numbers.
/// An acceleration is the rate of change of the 6 numbers of the velocity, without gravity.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_reference_frame {
    /// Along the frame's own axes; linear: velocity of the frame's origin. The acceleration is the
    /// spatial one.
    DS_FRAME_LOCAL = 0,
    /// Along the world's axes; linear: velocity of the body's point that is now at the world's
    /// origin. The acceleration is the spatial one.
    DS_FRAME_WORLD = 1,
    /// Along the world's axes; linear: velocity of the frame's origin. The acceleration is the
    /// classical acceleration of this point.
    DS_FRAME_LOCAL_WORLD_ALIGNED = 2,
}

fn reference(frame: i32) -> Result<ReferenceFrame> {
    choice!(frame, "frame", ds_reference_frame {
        DS_FRAME_LOCAL => ReferenceFrame::Local,
        DS_FRAME_WORLD => ReferenceFrame::World,
        DS_FRAME_LOCAL_WORLD_ALIGNED => ReferenceFrame::LocalWorldAligned,
    })
}

/// A frame on a body; a null placement means the body's own frame.
unsafe fn frame_on(model: &Model, body: i32, placement: *const f64, frame: i32) -> Result<Frame> {
    Ok(Frame {
        body: args::index(body, model.nbody(), "body", "body")?,
        placement: match args::optional_array(placement, 16, "placement")? {
            [] => Pose::IDENTITY,
            m => pose(m, "placement")?,
        },
        reference: reference(frame)?,
    })
}

/// Velocities of all bodies' frames: 6 × nbody numbers, (linear; angular), zero for the world. q: nq
/// numbers; v: nv; frame: a ds_reference_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_velocities(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    frame: i32,
    velocities: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let n = 6 * s.sim.model().nbody();
        let (frame, out) = (reference(frame)?, Out::new(velocities, n, "velocities")?);
        let [x] = parts(s.stage, [n]);
        s.sim.body_velocities(s.q, s.v, frame, x)?;
        args::publish([(x, out)])
    })
}

/// Accelerations of all bodies' frames at joint accelerations a, without gravity: 6 × nbody numbers,
/// (linear; angular), zero for the world. At a = 0 they are the rates of the Jacobians times v. q: nq
/// numbers; v, a: nv; frame: a ds_reference_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_accelerations(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    frame: i32,
    accelerations: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let n = 6 * s.sim.model().nbody();
        let (frame, out) = (
            reference(frame)?,
            Out::new(accelerations, n, "accelerations")?,
        );
        let [x] = parts(&mut s.stage, [n]);
        s.sim.body_accelerations(q, v, a, frame, x)?;
        args::publish([(x, out)])
    })
}

/// Velocities of all sites: 6 × nsite numbers, (linear; angular). q: nq numbers; v: nv; frame: a
/// ds_reference_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_site_velocities(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    frame: i32,
    velocities: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let n = 6 * s.sim.model().sites().len();
        let (frame, out) = (reference(frame)?, Out::new(velocities, n, "velocities")?);
        let [x] = parts(s.stage, [n]);
        s.sim.site_velocities(s.q, s.v, frame, x)?;
        args::publish([(x, out)])
    })
}

/// Accelerations of all sites at joint accelerations a, without gravity: 6 × nsite numbers, (linear;
/// angular). q: nq numbers; v, a: nv; frame: a ds_reference_frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_site_accelerations(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    frame: i32,
    accelerations: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let n = 6 * s.sim.model().sites().len();
        let (frame, out) = (
            reference(frame)?,
            Out::new(accelerations, n, "accelerations")?,
        );
        let [x] = parts(&mut s.stage, [n]);
        s.sim.site_accelerations(q, v, a, frame, x)?;
        args::publish([(x, out)])
    })
}

/// Jacobians of all bodies' frames: 6 × nv × nbody numbers, a column-major 6×nv matrix each. q: nq
/// numbers; frame: a ds_reference_frame. jacobians must not overlap q.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_jacobians(
    sim: *mut ds_sim,
    q: *const f64,
    frame: i32,
    jacobians: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let m = s.sim.model();
        let out = Out::new(jacobians, 6 * m.free_nv() * m.nbody(), "jacobians")?;
        let frame = reference(frame)?;
        let x = args::matrix(out, &[("q", q)])?;
        s.sim.body_jacobians(q, frame, x)
    })
}

/// Jacobian J of a frame on a body: J v is its velocity. 6×nv, column-major. q: nq numbers;
/// placement: pose of the frame in the body's frame, a column-major 4×4 matrix, NULL for the body's
/// own frame (for a site, use ds_model_site_placement); frame: a ds_reference_frame. J must not
/// overlap the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_frame_jacobian(
    sim: *mut ds_sim,
    q: *const f64,
    body: i32,
    placement: *const f64,
    frame: i32,
    J: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let of = frame_on(s.sim.model(), body, placement, frame)?;
        let out = Out::new(J, 6 * s.sim.model().free_nv(), "J")?;
        let x = args::matrix(out, &[("q", q)])?;
        s.sim.frame_jacobian(q, &of, x)
    })
}

/// Time derivative of ds_frame_jacobian along v: 6×nv, column-major. Its product with v is the
/// acceleration at a = 0. Arguments as for ds_frame_jacobian; v: nv numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_frame_jacobian_rate(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    body: i32,
    placement: *const f64,
    frame: i32,
    J_rate: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let of = frame_on(s.sim.model(), body, placement, frame)?;
        let out = Out::new(J_rate, 6 * v.len(), "J_rate")?;
        let [x] = parts(&mut s.stage, [6 * v.len()]);
        s.sim.frame_jacobian_rate(q, v, &of, x)?;
        args::publish([(x, out)])
    })
}

/// Velocity of a frame on a body, 6 numbers (linear; angular), and its derivatives by q (tangent) and
/// by v (the Jacobian): 6×nv each, column-major; NULL for those not wanted. Arguments as for
/// ds_frame_jacobian; v: nv numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_frame_velocity(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    body: i32,
    placement: *const f64,
    frame: i32,
    velocity: *mut f64,
    dvelocity_dq: *mut f64,
    dvelocity_dv: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let of = frame_on(s.sim.model(), body, placement, frame)?;
        let n = 6 * v.len();
        let outs = [
            Out::optional(velocity, 6, "velocity")?,
            Out::optional(dvelocity_dq, n, "dvelocity_dq")?,
            Out::optional(dvelocity_dv, n, "dvelocity_dv")?,
        ];
        let [x, y] = parts(&mut s.stage, [n, n]);
        let told = s.sim.frame_velocity(
            q,
            v,
            &of,
            outs[1].wanted().then_some(&mut *x),
            outs[2].wanted().then_some(&mut *y),
        )?;
        args::publish([(&told, outs[0]), (x, outs[1]), (y, outs[2])])
    })
}

/// Acceleration of a frame on a body at joint accelerations a, without gravity: 6 numbers (linear;
/// angular), the rate of ds_frame_velocity. Also its derivatives by q (tangent), v and a (the
/// Jacobian): 6×nv each, column-major; NULL for those not wanted. Arguments as for ds_frame_jacobian;
/// v, a: nv numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_frame_acceleration(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    body: i32,
    placement: *const f64,
    frame: i32,
    acceleration: *mut f64,
    dacceleration_dq: *mut f64,
    dacceleration_dv: *mut f64,
    dacceleration_da: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let of = frame_on(s.sim.model(), body, placement, frame)?;
        let n = 6 * v.len();
        let outs = [
            Out::optional(acceleration, 6, "acceleration")?,
            Out::optional(dacceleration_dq, n, "dacceleration_dq")?,
            Out::optional(dacceleration_dv, n, "dacceleration_dv")?,
            Out::optional(dacceleration_da, n, "dacceleration_da")?,
        ];
        let [x, y, z] = parts(&mut s.stage, [n, n, n]);
        let told = s.sim.frame_acceleration(
            q,
            v,
            a,
            &of,
            outs[1].wanted().then_some(&mut *x),
            outs[2].wanted().then_some(&mut *y),
            outs[3].wanted().then_some(&mut *z),
        )?;
        args::publish([(&told, outs[0]), (x, outs[1]), (y, outs[2]), (z, outs[3])])
    })
}
