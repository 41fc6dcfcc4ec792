//! Mocap bodies: bodies on a free joint of their own whose dofs are prescribed.

use crate::model::spec::BodySpec;
use crate::spatial::Inertia;
use std::collections::HashSet;

/// Armature of each dof of a mocap body without mass. With it the body has an acceleration if its
/// velocity is no longer prescribed.
const ARMATURE: f64 = 1.0;

/// Gives the joints of mocap bodies unique names, those of the bodies if these are unused, and the
/// armature they need to move by themselves.
pub(super) fn complete(bodies: &mut [BodySpec]) {
    let of_file = bodies.iter().filter(|b| !b.mocap).flat_map(|b| &b.joints);
    let mut taken: HashSet<String> = of_file.map(|j| j.name.clone()).collect();
    for body in bodies.iter_mut().filter(|b| b.mocap) {
        for joint in &mut body.joints {
            while !joint.name.is_empty() && !taken.insert(joint.name.clone()) {
                joint.name += "_mocap";
            }
            if body.inertia == Inertia::ZERO {
                joint.armature = ARMATURE;
            }
        }
    }
}
