//! Contact of a plane with the vertices of a convex shape.

use super::convex::{Convex, Kind};
use super::derivative::{inflated, on_face};
use super::feature::Feature;
use super::manifold::Manifold;
use super::pair::ROUNDING;
use super::patch::{ALIKE, Candidates, GENERAL, MAX_CORNERS};
use crate::collision::{Approach, ContactDerivative, ContactPoint};
use crate::spatial::{Mat3, Pose, Vec3};

/// If many vertices are near the plane, the outermost ones both ways along this many lines are kept. The
/// lines are along no axis of the plane, because many vertices may be equally far along an axis.
const DIRECTIONS: usize = 8;

/// Contacts of the half space z ≤ 0 of `plane` (A) with a box, a mesh, or the core of a sphere or
/// capsule (B): every vertex near enough above the plane, or the four most important ones. Cylinders
/// and ellipsoids have no vertices and give no contacts.
///
/// No heap allocation.
pub fn collide_plane(
    plane: &Pose,
    b: &Convex,
    pose_b: &Pose,
    approach: &Approach,
    out: &mut Manifold,
) {
    out.clear();
    let Kind::Hull { radius } = b.kind else {
        return;
    };
    let b_in_a = plane.relative(pose_b);
    // Height of a vertex, and the horizontal directions, in B's frame.
    let up = b_in_a.rot.tr_mul_vec(Vec3::Z);
    let limit = approach.farthest + radius - b_in_a.pos.z;
    let mut found = Candidates::new();
    let contact = |i: u16| {
        let x = b_in_a.point(b.hull.vertex(i));
        let gap = x.z - radius;
        ContactPoint {
            point: Vec3::new(x.x, x.y, 0.5 * gap),
            normal: Vec3::Z,
            gap,
            feature: Feature::FaceVertex {
                owner: 0,
                face: 0,
                vertex: i,
            }
            .encode(),
        }
    };
    let mut add = |i: u16| found.push(contact(i));
    let lowest = b.hull.support(-up);
    if up.dot(b.hull.vertex(lowest)) > limit {
        return;
    }
    let vertices = || b.hull.vertices().iter().zip(0..);
    let near = || vertices().filter(|(x, _)| up.dot(**x) <= limit);
    if near().nth(MAX_CORNERS).is_none() {
        near().for_each(|(_, i)| add(i));
    } else {
        // Keep the outermost of many vertices that may touch, such as a wheel's rim.
        let local = approach.seen_from(plane);
        let near = near().filter(|&(_, i)| local.closes(&contact(i)));
        // Which of several equally low vertices is the lowest is round-off. Take the one that the
        // reduction takes.
        let from = |x: &Vec3| (*x - b.hull.vertex(lowest)).norm();
        let extent = vertices().map(|(x, _)| x).filter(|x| up.dot(**x) <= limit);
        let alike = ALIKE * extent.map(from).fold(0.0, f64::max);
        let level = up.dot(b.hull.vertex(lowest)) + alike;
        let along = b_in_a.rot.tr_mul_vec(GENERAL);
        let first = vertices().filter(|(x, _)| up.dot(**x) <= level);
        let first = first.max_by(|(x, _), (y, _)| along.dot(**x).total_cmp(&along.dot(**y)));
        let lowest = first.map_or(lowest, |(_, i)| i);
        add(lowest);
        let directions: [Vec3; DIRECTIONS] = std::array::from_fn(|k| {
            let angle = std::f64::consts::PI * (k as f64 + GENERAL.x) / DIRECTIONS as f64;
            let d = Vec3::new(angle.cos(), angle.sin(), 0.0);
            b_in_a.rot.tr_mul_vec(d)
        });
        let mut most = [[f64::NEG_INFINITY; DIRECTIONS]; 2];
        let mut kept = [lowest; 2 * DIRECTIONS];
        for (x, i) in near {
            for (k, d) in directions.iter().enumerate() {
                let reach = d.dot(*x);
                if reach >= most[0][k] {
                    (most[0][k], kept[k]) = (reach, i);
                }
                if -reach >= most[1][k] {
                    (most[1][k], kept[DIRECTIONS + k]) = (-reach, i);
                }
            }
        }
        for (k, &i) in kept.iter().enumerate() {
            if i != lowest && !kept[..k].contains(&i) {
                add(i);
            }
        }
    }
    found.reduce(plane, approach, ROUNDING * b.size(), out);
}

/// The derivative of a point found by [`collide_plane`] on the same shape.
pub fn differentiate_plane(b: &Convex, contact: &ContactPoint) -> ContactDerivative {
    let (n, radius) = (contact.normal, b.radius());
    inflated(
        on_face(n, contact.gap + radius, Mat3::IDENTITY),
        n,
        0.0,
        radius,
    )
}
