//! The impulses that a sensor measures and their weights, with workspace for the variation.

use super::subtree::carries;
use crate::collision::Shape;
use crate::collision::ray::Ray;
use crate::model::Model;
use crate::model::sensor::{Reading, Sensor, Zone, ZoneShape};
use crate::spatial::{Pose, Vec3};
use crate::step::{Contact, ContactReport, Sim};

/// True if a sensor measures contacts.
pub(super) fn feels(reading: Reading) -> bool {
    matches!(reading, Reading::Touch | Reading::Force | Reading::Torque)
}

/// True if a sensor measures the impulse of a bound.
pub(super) fn holds(reading: Reading) -> bool {
    matches!(
        reading,
        Reading::JointLimitForce | Reading::TendonLimitForce
    )
}

/// Workspace for weights of impulses, for their adjoints, and for the motion of a contact. Empty without
/// sensors that measure impulses.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// Pose of each sensor that measures contacts, in their order.
    pub poses: Vec<Pose>,
    /// 3 numbers for each contact: weights of impulses, and of torques.
    pub weights: [Vec<f64>; 2],
    /// Adjoints by q, v, u and the activations.
    pub bars: [Vec<f64>; 4],
    /// Point, normal and tangents of a contact by q.
    pub moved: [Vec<f64>; 3],
    /// The contact's force on B by q at fixed components, or of a penalty force by q and v; its torque by q
    /// likewise; 3×nv.
    pub force: [Vec<f64>; 2],
    pub torque: Vec<f64>,
}

impl Room {
    pub fn new(sim: &Sim, differentiates: bool) -> Room {
        let (m, o) = (sim.model(), sim.options());
        let feeling = m.sensors().iter().filter(|s| feels(s.reading)).count();
        let is_pressed = feeling > 0 && differentiates && o.contact != Contact::None;
        let is_held = differentiates && m.sensors().iter().any(|s| holds(s.reading));
        let room = |wanted: bool, n: usize| vec![0.0; if wanted { n } else { 0 }];
        let all = |n: usize| room(is_pressed, n);
        let (nv, numbers) = (m.nv(), 3 * o.max_contacts);
        Room {
            poses: vec![Pose::IDENTITY; feeling],
            weights: [numbers, numbers].map(all),
            bars: [nv, nv, m.nu(), m.na()].map(|n| room(is_pressed || is_held, n)),
            moved: [3 * nv, 3 * nv, 6 * nv].map(all),
            force: [3 * nv, 3 * nv].map(all),
            torque: all(3 * nv),
        }
    }
}

/// The name of a sensor in an error: its name, or its index.
pub(super) fn called(model: &Model, s: &Sensor) -> String {
    let number = || model.sensors().iter().position(|x| x.address == s.address);
    match (s.name.is_empty(), number()) {
        (true, Some(i)) => format!("sensor {i}"),
        _ => format!("sensor \"{}\"", s.name),
    }
}

/// Sign of the contact's force on a subtree relative to that on B; `None` unless exactly one of its bodies is
/// in the subtree and the contact carries load.
pub(super) fn side(model: &Model, s: &Sensor, c: &ContactReport) -> Option<f64> {
    let within = c.body.map(|b| carries(model, s.frame.body, b));
    let sign = match within {
        [true, false] => -1.0,
        [false, true] => 1.0,
        _ => return None,
    };
    (c.impulse != [0.0; 3]).then_some(sign)
}

/// True if a touch sensor counts a contact.
pub(super) fn touches(s: &Sensor, pose: &Pose, c: &ContactReport) -> bool {
    let side = c.body.iter().position(|b| *b == s.frame.body);
    let Some(side) = side.filter(|_| c.impulse[2] > 0.0) else {
        return false;
    };
    // From the point along the normal, away from the body, where the sensor's zone may lie.
    let normal = Vec3::from_slice(&c.normal);
    let ray = Ray {
        origin: Vec3::from_slice(&c.point),
        direction: if side == 0 { normal } else { -normal },
    };
    let met = shape(&s.zone).span(&ray.seen_from(pose));
    met.and_then(|x| x.first()).is_some()
}

/// Weights of a contact's impulse and torque in the k-th reading of a sensor, times the time step; `None` if
/// it does not count.
pub(super) fn weigh(
    model: &Model,
    s: &Sensor,
    pose: &Pose,
    c: &ContactReport,
    k: usize,
) -> Option<[[f64; 3]; 2]> {
    const NONE: [f64; 3] = [0.0; 3];
    if s.reading == Reading::Touch {
        return touches(s, pose, c).then_some([[0.0, 0.0, 1.0], NONE]);
    }
    let sign = side(model, s, c)?;
    let axis = pose.rot.c[k];
    let [t1, t2] = c.tangents.map(|t| Vec3::from_slice(&t));
    let frame = [t1, t2, Vec3::from_slice(&c.normal)];
    let along = |x: Vec3| frame.map(|t| -sign * x.dot(t));
    Some(match s.reading {
        Reading::Torque => {
            let lever = Vec3::from_slice(&c.point) - pose.pos;
            [along(axis.cross(lever)), along(axis)]
        }
        _ => [along(axis), NONE],
    })
}

fn shape(zone: &Zone) -> Shape {
    let [x, y, z] = zone.size;
    let (radius, half_length) = (x, y);
    match zone.shape {
        ZoneShape::Sphere => Shape::Sphere { radius },
        ZoneShape::Capsule => Shape::Capsule {
            radius,
            half_length,
        },
        ZoneShape::Cylinder => Shape::Cylinder {
            radius,
            half_length,
        },
        ZoneShape::Ellipsoid => Shape::Ellipsoid {
            semi_axes: Vec3::new(x, y, z),
        },
        ZoneShape::Box => Shape::Box {
            half_extents: Vec3::new(x, y, z),
        },
    }
}
