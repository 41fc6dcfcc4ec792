//! Motion of frames on links: velocities, accelerations, their Jacobians and derivatives, in one of
//! three reference frames.
//!
//! In the notation of [`rnea_derivatives`](super::rnea_derivatives), with V and A the spatial velocity
//! and acceleration of a link without gravity, for an observer who moves with it,
//!
//!   ∂V/∂q_k = η_k,  ∂V/∂v_k = S_k,  ∂A/∂q_k = α_k − V × η_k,  ∂A/∂v_k = β_k − V × S_k,  ∂A/∂v̇_k = S_k
//!
//! for the dofs k above. An observer at rest sees S_k × V and S_k × A in addition. An observer who moves
//! with the frame's origin and does not turn sees only the rotation about this origin. Carpentier &
//! Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (RSS 2018), §III.

use super::kinematics::{Kinematics, joint_twist};
use super::varying::{Carried, gained};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Pose, Twist, Vec3};

/// The axes, and the point, for which the motion of a frame on a body is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFrame {
    /// Its own axes: velocity of its origin along them.
    Local,
    /// The world's axes: velocity of the body's point that coincides with the world's origin.
    World,
    /// The world's axes: velocity of the frame's origin.
    LocalWorldAligned,
}

/// A frame fixed to a body, and the reference of its motion.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub body: usize,
    /// In the body's frame.
    pub placement: Pose,
    pub reference: ReferenceFrame,
}

/// A frame that moves with a link, at a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub link: usize,
    reference: ReferenceFrame,
    /// Axes in which numbers are given, and the point whose velocity is given, relative to the tree's
    /// origin.
    axes: Option<Mat3>,
    point: Vec3,
}

impl Seen {
    /// `None` for a frame of the world, which does not move. `kin` must hold positions.
    #[inline(always)]
    pub fn new(model: &Model, kin: &Kinematics, frame: &Frame) -> Option<Self> {
        let b = &model.bodies()[frame.body];
        let link = b.link;
        if link == WORLD {
            return None;
        }
        let (rot, pos) = (&kin.rot[link], kin.pos[link]);
        let at = || rot.mul_vec(b.in_link.point(frame.placement.pos)) + pos;
        let (axes, point) = match frame.reference {
            ReferenceFrame::Local => {
                let own = b.in_link.rot.mul_mat(&frame.placement.rot);
                (Some(rot.mul_mat(&own)), at())
            }
            ReferenceFrame::World => (None, -kin.origin[model.topology().links[link].tree]),
            ReferenceFrame::LocalWorldAligned => (None, at()),
        };
        Some(Seen {
            link,
            reference: frame.reference,
            axes,
            point,
        })
    }

    /// Expresses a twist about the tree's origin in the reference frame.
    #[inline(always)]
    pub fn tell(&self, t: Twist) -> Twist {
        let lin = t.at(self.point);
        match &self.axes {
            Some(axes) => Twist::new(axes.tr_mul_vec(lin), axes.tr_mul_vec(t.ang)),
            None => Twist::new(lin, t.ang),
        }
    }

    /// The part of a motion `t` of the link relative to the reference frame.
    #[inline(always)]
    fn missed(&self, t: Twist) -> Twist {
        match self.reference {
            ReferenceFrame::Local => Twist::ZERO,
            ReferenceFrame::World => t,
            ReferenceFrame::LocalWorldAligned => Twist::new(self.point.cross(t.ang), t.ang),
        }
    }

    /// Expresses a spatial acceleration in the reference frame: the rate of [`Seen::tell`] of the
    /// velocity.
    #[inline(always)]
    pub fn tell_acceleration(&self, velocity: Twist, acceleration: Twist) -> Twist {
        let mut told = self.tell(acceleration);
        if self.reference == ReferenceFrame::LocalWorldAligned {
            told.lin += velocity.ang.cross(velocity.at(self.point));
        }
        told
    }
}

#[inline(always)]
fn accelerations_kernel(kin: &Kinematics, model: &Model, acc: &[f64], out: &mut [Twist]) {
    for (i, l) in model.topology().links.iter().enumerate() {
        let own = joint_twist(l, &kin.s, acc) + kin.c[i];
        out[i] = match l.parent {
            WORLD => own,
            p => out[p] + own,
        };
    }
}

dispatch! {
    /// Spatial accelerations of the links, without gravity, for joint accelerations `acc`. `kin` must
    /// hold positions and velocities.
    pub fn accelerations = accelerations_kernel(kin: &Kinematics, model: &Model, acc: &[f64], out: &mut [Twist])
}

/// Writes a twist as column k of a matrix of six rows.
#[inline(always)]
fn put(out: &mut [f64], k: usize, t: Twist) {
    out[6 * k..6 * k + 6].copy_from_slice(&t.to_array());
}

/// The velocity per dof: 6×nv, column-major. `kin` must hold positions.
pub fn jacobian(model: &Model, kin: &Kinematics, frame: &Frame, j: &mut [f64]) {
    j.fill(0.0);
    if let Some(seen) = Seen::new(model, kin, frame) {
        for k in model.topology().path(seen.link) {
            put(j, k, seen.tell(kin.s[k]));
        }
    }
}

/// Time derivative of [`jacobian`] along v. `kin` must hold positions and velocities.
pub fn jacobian_rate(model: &Model, kin: &Kinematics, frame: &Frame, rate: &mut [f64]) {
    rate.fill(0.0);
    let Some(seen) = Seen::new(model, kin, frame) else {
        return;
    };
    let t = model.topology();
    let v = kin.v[seen.link];
    let left = seen.missed(v) - v;
    for k in t.path(seen.link) {
        // S moves with its own link, and the frame with the last link.
        let s = kin.s[k];
        put(
            rate,
            k,
            seen.tell(kin.v[t.dofs[k].link].cross(s) + left.cross(s)),
        );
    }
    for (state, varying) in kin.varying.iter().zip(&t.varying) {
        let l = &t.links[varying.link];
        if (varying.link..l.end).contains(&seen.link) {
            for k in 0..l.nv {
                let ds = seen.tell(state.along(k, state.velocity())).to_array();
                let column = &mut rate[6 * (l.iv + k)..];
                column.iter_mut().zip(ds).for_each(|(x, ds)| *x += ds);
            }
        }
    }
}

/// Accelerations of the links, and the joint accelerations that cause them.
#[derive(Clone, Copy, Debug)]
pub struct Accelerated<'a> {
    pub link: &'a [Twist],
    pub joint: &'a [f64],
}

/// Derivatives of a frame's velocity by the tangent of q; with `accelerated` those of its acceleration
/// by q and v. 6×nv each, column-major. `kin` must hold positions and velocities.
pub fn derivatives(
    model: &Model,
    kin: &Kinematics,
    frame: &Frame,
    accelerated: Option<Accelerated<'_>>,
    mut by_q: Option<&mut [f64]>,
    mut by_v: Option<&mut [f64]>,
) {
    if let Some(out) = &mut by_q {
        out.fill(0.0);
    }
    if let Some(out) = &mut by_v {
        out.fill(0.0);
    }
    let Some(seen) = Seen::new(model, kin, frame) else {
        return;
    };
    let t = model.topology();
    let v = kin.v[seen.link];
    let aligned = seen.reference == ReferenceFrame::LocalWorldAligned;
    let u = v.at(seen.point);
    // Adds the effect of a change of the velocity, if the acceleration is that of the moving point.
    let turned = |mut told: Twist, dv: Twist| {
        if aligned {
            told.lin += dv.ang.cross(u) + v.ang.cross(dv.lin);
        }
        told
    };
    let mut column = |k: usize, s: Twist, c: Carried| {
        let missed = seen.missed(s);
        let dv = seen.tell(c.eta + missed.cross(v));
        match accelerated {
            None => {
                if let Some(out) = &mut by_q {
                    put(out, k, dv);
                }
            }
            Some(a) => {
                if let Some(out) = &mut by_q {
                    let da = c.alpha - v.cross(c.eta) + missed.cross(a.link[seen.link]);
                    put(out, k, turned(seen.tell(da), dv));
                }
                if let Some(out) = &mut by_v {
                    put(out, k, turned(seen.tell(c.beta - v.cross(s)), seen.tell(s)));
                }
            }
        }
    };
    let mut varying = t.varying.iter().enumerate().rev().peekable();
    let mut link = seen.link;
    while link != WORLD {
        let l = &t.links[link];
        let (vp, ap) = match (l.parent, accelerated) {
            (WORLD, _) => (Twist::ZERO, Twist::ZERO),
            (p, None) => (kin.v[p], Twist::ZERO),
            (p, Some(a)) => (kin.v[p], a.link[p]),
        };
        while varying.next_if(|(_, v)| v.link > link).is_some() {}
        let more = varying.next_if(|(_, v)| v.link == link).map(|(index, _)| {
            let acc = accelerated.map_or(&[][..], |a| &a.joint[l.dofs()]);
            gained(kin, acc, t, index)
        });
        for (j, k) in l.dofs().enumerate() {
            let mut c = Carried::of(kin.s[k], vp, kin.v[link], ap);
            if let Some(more) = &more {
                c += more[j];
            }
            column(k, kin.s[k], c);
        }
        link = l.parent;
    }
}
