//! Motion of bodies, sites and frames on bodies: velocities, accelerations, Jacobians, and their derivatives.

use crate::dynamics::asked::Asked;
use crate::dynamics::motion::{self, Accelerated, Frame, ReferenceFrame, Seen};
use crate::error::{Error, Result};
use crate::model::{Model, check_pose};
use crate::spatial::{Pose, Twist};
use crate::step::Query;
use crate::step::info::{REACH, check_body, check_finite, check_length, check_state};

/// Placements of the frames of one kind in their bodies.
#[derive(Clone, Copy)]
enum Kind {
    Body,
    Site,
}

fn frames(model: &Model, kind: Kind) -> usize {
    match kind {
        Kind::Body => model.nbody(),
        Kind::Site => model.sites().len(),
    }
}

/// The frames of bodies or sites in the requested reference; `None` for those of the world.
fn seen(at: &Query<'_>, kind: Kind, i: usize, reference: ReferenceFrame) -> Option<Seen> {
    let (body, placement) = match kind {
        Kind::Body => (i, Pose::IDENTITY),
        Kind::Site => {
            let site = &at.model.sites()[i];
            (site.body, site.placement)
        }
    };
    let frame = Frame {
        body,
        placement,
        reference,
    };
    Seen::new(at.model, &at.asked.dynamics.kin, &frame)
}

fn velocities_of(
    at: &mut Query<'_>,
    kind: Kind,
    q: &[f64],
    v: &[f64],
    reference: ReferenceFrame,
    out: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_length("velocities", out, 6 * frames(at.model, kind))?;
    at.move_to(q, Some(v), None)?;
    let kin = &at.asked.dynamics.kin;
    for (i, out) in out.chunks_exact_mut(6).enumerate() {
        let seen = seen(at, kind, i, reference);
        let told = seen.map_or(Twist::ZERO, |s| s.tell(kin.v[s.link]));
        out.copy_from_slice(&told.to_array());
    }
    Ok(())
}

fn accelerations_of(
    at: &mut Query<'_>,
    kind: Kind,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    reference: ReferenceFrame,
    out: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_finite("a", a, at.model.nv())?;
    check_length("accelerations", out, 6 * frames(at.model, kind))?;
    at.move_to(q, Some(v), Some(a))?;
    for (i, out) in out.chunks_exact_mut(6).enumerate() {
        let told = told_acceleration(at.asked, seen(at, kind, i, reference));
        out.copy_from_slice(&told.to_array());
    }
    Ok(())
}

fn told_acceleration(asked: &Asked, seen: Option<Seen>) -> Twist {
    let (kin, acceleration) = (&asked.dynamics.kin, &asked.acceleration);
    seen.map_or(Twist::ZERO, |s| {
        s.tell_acceleration(kin.v[s.link], acceleration[s.link])
    })
}

pub(super) fn body_velocities(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    reference: ReferenceFrame,
    velocities: &mut [f64],
) -> Result<()> {
    velocities_of(at, Kind::Body, q, v, reference, velocities)
}

pub(super) fn site_velocities(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    reference: ReferenceFrame,
    velocities: &mut [f64],
) -> Result<()> {
    velocities_of(at, Kind::Site, q, v, reference, velocities)
}

pub(super) fn body_accelerations(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    reference: ReferenceFrame,
    accelerations: &mut [f64],
) -> Result<()> {
    accelerations_of(at, Kind::Body, q, v, a, reference, accelerations)
}

pub(super) fn site_accelerations(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    reference: ReferenceFrame,
    accelerations: &mut [f64],
) -> Result<()> {
    accelerations_of(at, Kind::Site, q, v, a, reference, accelerations)
}

pub(super) fn body_jacobians(
    at: &mut Query<'_>,
    q: &[f64],
    reference: ReferenceFrame,
    jacobians: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    let (nv, n) = (at.model.nv(), at.model.nbody());
    check_length("jacobians", jacobians, 6 * nv * n)?;
    at.move_to(q, None, None)?;
    for (body, j) in jacobians.chunks_exact_mut((6 * nv).max(1)).enumerate() {
        let frame = Frame {
            body,
            placement: Pose::IDENTITY,
            reference,
        };
        motion::jacobian(at.model, &at.asked.dynamics.kin, &frame, j);
    }
    Ok(())
}

pub(super) fn frame_jacobian(
    at: &mut Query<'_>,
    q: &[f64],
    frame: &Frame,
    j: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    check_frame(at.model, frame)?;
    check_length("J", j, 6 * at.model.nv())?;
    at.move_to(q, None, None)?;
    motion::jacobian(at.model, &at.asked.dynamics.kin, frame, j);
    Ok(())
}

pub(super) fn frame_jacobian_rate(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    frame: &Frame,
    rate: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_frame(at.model, frame)?;
    check_length("rate", rate, 6 * at.model.nv())?;
    at.move_to(q, Some(v), None)?;
    motion::jacobian_rate(at.model, &at.asked.dynamics.kin, frame, rate);
    Ok(())
}

pub(super) fn frame_velocity(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    frame: &Frame,
    by_q: Option<&mut [f64]>,
    by_v: Option<&mut [f64]>,
) -> Result<[f64; 6]> {
    check_state(at.model, q, Some(v))?;
    check_frame(at.model, frame)?;
    check_columns(at.model, [("dvelocity_dq", &by_q), ("dvelocity_dv", &by_v)])?;
    at.move_to(q, Some(v), None)?;
    let (model, kin) = (at.model, &at.asked.dynamics.kin);
    let seen = Seen::new(model, kin, frame);
    if by_q.is_some() {
        motion::derivatives(model, kin, frame, None, by_q, None);
    }
    if let Some(j) = by_v {
        motion::jacobian(model, kin, frame, j);
    }
    let told = seen.map_or(Twist::ZERO, |s| s.tell(kin.v[s.link]));
    Ok(told.to_array())
}

pub(super) fn frame_acceleration(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    frame: &Frame,
    by_q: Option<&mut [f64]>,
    by_v: Option<&mut [f64]>,
    by_a: Option<&mut [f64]>,
) -> Result<[f64; 6]> {
    check_state(at.model, q, Some(v))?;
    check_finite("a", a, at.model.nv())?;
    check_frame(at.model, frame)?;
    check_columns(
        at.model,
        [
            ("dacceleration_dq", &by_q),
            ("dacceleration_dv", &by_v),
            ("dacceleration_da", &by_a),
        ],
    )?;
    at.move_to(q, Some(v), Some(a))?;
    let (model, kin) = (at.model, &at.asked.dynamics.kin);
    if by_q.is_some() || by_v.is_some() {
        let accelerated = Accelerated {
            link: &at.asked.acceleration,
            joint: a,
        };
        motion::derivatives(model, kin, frame, Some(accelerated), by_q, by_v);
    }
    if let Some(j) = by_a {
        motion::jacobian(model, kin, frame, j);
    }
    let seen = Seen::new(model, kin, frame);
    Ok(told_acceleration(at.asked, seen).to_array())
}

fn check_columns<const N: usize>(
    model: &Model,
    columns: [(&str, &Option<&mut [f64]>); N],
) -> Result<()> {
    for (name, x) in columns {
        if let Some(x) = x {
            check_length(name, x, 6 * model.nv())?;
        }
    }
    Ok(())
}

fn check_frame(model: &Model, frame: &Frame) -> Result<()> {
    check_body(model, frame.body)?;
    check_pose(&frame.placement, || "placement".into())?;
    let far = frame.placement.pos.max_abs();
    if far < REACH {
        return Ok(());
    }
    Err(Error::numerical(format!(
        "placement: its position must be below {REACH:e}, got {far}"
    )))
}
