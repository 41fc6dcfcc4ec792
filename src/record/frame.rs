//! The layout of a frame; docs/recording.md shows it as a table.

use super::arrows::Arrow;
use super::bytes::{Cursor, id};
use crate::contact::mode::Mode;
use crate::dynamics::kinematics::Kinematics;
use crate::joint::Turn;
use crate::model::Model;
use crate::model::spec::JointKind;
use crate::step::{ContactReport, StepInfo};

pub const HEAD: usize = 56;
pub const CONTACT: usize = 120;
pub const WRENCH: usize = 56;
pub const ARROW: usize = 64;

/// Stands for the gradient label of a state that no step produced.
pub const NO_STEP: u32 = u32::MAX;

/// A coordinate within this distance of its limit is at the limit [rad or m].
const AT_LIMIT: f64 = 1e-6;

/// Data of a frame beside those that the recorder computes.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub time: f64,
    pub step: u64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Input of the step that led here; `None`: zeros.
    pub u: Option<&'a [f64]>,
    pub info: Option<StepInfo>,
    pub contacts: &'a [ContactReport],
    pub channels: &'a [f64],
    /// Body and wrench.
    pub wrenches: &'a [(usize, [f64; 6])],
    pub arrows: &'a [Arrow],
}

/// Bytes of a frame without contacts, wrenches and arrows.
pub fn fixed_size(model: &Model, channels: usize) -> usize {
    let numbers = model.nq() + model.nv() + model.nu() + 7 * model.nbody() + channels;
    HEAD + 8 * numbers + model.njoint().next_multiple_of(8)
}

/// Bytes of a frame with these counts of channel numbers, contacts, wrenches and arrows.
pub fn size(model: &Model, counts: [usize; 4]) -> usize {
    let [channels, contacts, wrenches, arrows] = counts;
    fixed_size(model, channels) + CONTACT * contacts + WRENCH * wrenches + ARROW * arrows
}

/// Writes a frame of the size that [`size`] returns; `kin` holds the kinematics at its q.
pub fn write(to: &mut [u8], model: &Model, kin: &Kinematics, seen: &Seen) {
    let whole = to.len();
    let mut c = Cursor::new(to);
    c.u32(id(whole));
    c.u32(id(seen.contacts.len()));
    c.u32(id(seen.wrenches.len()));
    c.u32(id(seen.arrows.len()));
    c.u32(seen.info.map_or(NO_STEP, |i| i.gradient as u32));
    c.u32(u32::from(seen.info.is_none_or(|i| i.converged)));
    c.f64(seen.time);
    c.u64(seen.step);
    c.f64(seen.info.map_or(0.0, |i| i.residual));
    c.f64(seen.info.map_or(f64::INFINITY, |i| i.switch_distance));
    c.numbers(seen.q);
    c.numbers(seen.v);
    match seen.u {
        Some(u) => c.numbers(u),
        None => (0..model.nu()).for_each(|_| c.f64(0.0)),
    }
    for body in 0..model.nbody() {
        c.pose(&kin.body_pose(model, body));
    }
    c.numbers(seen.channels);
    for joint in model.joints() {
        let at = match joint.limits {
            Some((_, upper)) if joint.kind == JointKind::Spherical => {
                let turn = Turn::of(&seen.q[joint.iq..joint.iq + 4]);
                u8::from(turn.angle >= upper - AT_LIMIT) << 1
            }
            Some((lower, upper)) if joint.nq == 1 => {
                let q = seen.q[joint.iq];
                u8::from(q <= lower + AT_LIMIT) | u8::from(q >= upper - AT_LIMIT) << 1
            }
            _ => 0,
        };
        c.bytes(&[at]);
    }
    c.pad();
    for contact in seen.contacts {
        c.u32(id(contact.geom[0]));
        c.u32(id(contact.geom[1]));
        c.u32(mode(contact.mode));
        c.u32(0);
        c.numbers(&contact.point);
        c.numbers(&contact.normal);
        c.numbers(&contact.tangents[0]);
        c.numbers(&contact.impulse);
        c.f64(contact.gap);
    }
    for (body, wrench) in seen.wrenches {
        c.u32(id(*body));
        c.u32(0);
        c.numbers(wrench);
    }
    for arrow in seen.arrows {
        c.u32(arrow.quantity as u32);
        c.u32(u32::from(arrow.angular));
        c.u32(id(arrow.body));
        c.u32(0);
        c.numbers(&arrow.point);
        c.numbers(&arrow.vector);
    }
    debug_assert_eq!(c.written(), whole);
}

/// The number of a mode in ds_contact_mode.
fn mode(mode: Mode) -> u32 {
    match mode {
        Mode::Breaking => 0,
        Mode::Sticking => 1,
        Mode::Sliding | Mode::Bounded(_) => 2,
        Mode::Unknown | Mode::AtLower | Mode::AtUpper | Mode::Turned(_) => 3,
    }
}
