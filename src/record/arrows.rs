//! Gradients as arrows on bodies.

use crate::dynamics::kinematics::Kinematics;
use crate::model::{ActsOn, Model};
use crate::spatial::Vec3;

/// The quantity by which a gradient is taken.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The tangent of q: nv numbers.
    Pose = 0,
    /// v: nv numbers.
    Velocity = 1,
    /// u: nu numbers.
    Control = 2,
    /// An arrow of the caller.
    User = 3,
}

/// An arrow on a body, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    pub quantity: Quantity,
    /// True for a moment or rotation about the vector, false for a force or displacement along it.
    pub angular: bool,
    pub body: usize,
    pub point: [f64; 3],
    pub vector: [f64; 3],
}

/// The largest number of arrows of gradients by pose, velocity and control of a model.
pub fn most(model: &Model) -> usize {
    4 * model.topology().links.len() + 2 * model.nu()
}

/// Shows a gradient by the tangent of q or by v as arrows at the origin of each link: one along its
/// translation, one about its rotation. Arrows of length zero are left out.
pub fn of_dofs(
    model: &Model,
    kin: &Kinematics,
    quantity: Quantity,
    gradient: &[f64],
    show: &mut impl FnMut(Arrow),
) {
    for link in 0..model.topology().links.len() {
        of_link(model, kin, quantity, link, |dof| gradient[dof], show);
    }
}

/// Shows a gradient by u as arrows: each actuator's along the motion of its joint. Actuators on tendons,
/// bodies and sites have no arrow.
pub fn of_controls(
    model: &Model,
    kin: &Kinematics,
    gradient: &[f64],
    show: &mut impl FnMut(Arrow),
) {
    for (a, g) in model.actuators().iter().zip(gradient) {
        let ActsOn::Joint { joint, iv, .. } = a.acts_on else {
            continue;
        };
        let joint = model.joint(joint);
        let length = a.gear.iter().map(|x| x * x).sum::<f64>().sqrt();
        let of = |dof: usize| match a.gear.get(dof - iv) {
            Some(gear) if length > 0.0 => g * gear / length,
            _ => 0.0,
        };
        for link in joint.first_link..joint.first_link + joint.link_count {
            of_link(model, kin, Quantity::Control, link, of, show);
        }
    }
}

fn of_link(
    model: &Model,
    kin: &Kinematics,
    quantity: Quantity,
    link: usize,
    gradient: impl Fn(usize) -> f64,
    show: &mut impl FnMut(Arrow),
) {
    let l = &model.topology().links[link];
    let (mut along, mut about) = (Vec3::ZERO, Vec3::ZERO);
    for dof in l.iv..l.iv + l.kind.nv() {
        let s = &kin.s[dof];
        if s.ang == Vec3::ZERO {
            along += s.lin * gradient(dof);
        } else {
            about += s.ang * gradient(dof);
        }
    }
    let point = kin.link_pose(model, link).pos.to_array();
    for (angular, vector) in [(false, along), (true, about)] {
        if vector != Vec3::ZERO {
            show(Arrow {
                quantity,
                angular,
                body: model.joint(l.joint).body,
                point,
                vector: vector.to_array(),
            });
        }
    }
}
