//! The contact of given features of two polytopes at any placement.

use super::bodies::Bodies;
use super::convex::{Convex, Kind};
use super::feature::Feature;
use super::hull::Hull;
use super::manifold::inflated;
use super::pair::{Pair, ROUNDING};
use crate::collision::ContactPoint;
use crate::spatial::{Pose, Vec3};

/// Sine of the angle between lines below which their crossing is too inaccurate.
const LEAST_SINE: f64 = 1e-3;

/// The contact of the features of `contact`, which may have been found at another placement of the same
/// shapes. Its gap is the separation along the normal of the features. `None` for features whose normal
/// depends on the placement, and for curved shapes beside an edge or a vertex.
pub fn of_features(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    contact: &ContactPoint,
) -> Option<ContactPoint> {
    let is_hull = |c: &Convex| matches!(c.kind, Kind::Hull { .. });
    let feature = Feature::decode(contact.feature)?;
    if !feature.fits(&a.hull, &b.hull) {
        return None;
    }
    let (ra, rb) = (a.radius(), b.radius());
    if let Feature::Spots(spots) = feature {
        let bodies = Bodies {
            a,
            b,
            b_in_a: pose_a.relative(pose_b),
        };
        let rounding = ROUNDING * (a.size() + b.size());
        let s = bodies.refine(spots, bodies.flat_normal(spots)?, rounding)?;
        let core = ContactPoint {
            point: pose_a.point(s.point?),
            normal: pose_a.rot.mul_vec(s.normal),
            gap: s.between,
            feature: contact.feature,
        };
        return Some(inflated(core, ra, rb));
    }
    if !(is_hull(a) && is_hull(b)) {
        return None;
    }
    let (owner, (x, gap)) = match feature {
        Feature::FaceVertex {
            owner,
            face,
            vertex,
        } => {
            let [own, other] = sides(owner, [(&a.hull, pose_a), (&b.hull, pose_b)]);
            let x = other.point(vertex);
            ((own, owner, face), (x, own.height(face, x)))
        }
        Feature::FaceCorner {
            owner,
            face,
            corner,
            incident,
        } => {
            let [own, other] = sides(owner, [(&a.hull, pose_a), (&b.hull, pose_b)]);
            let at = own.point(own.hull.polygon(face)[usize::from(corner)]);
            let slope = own.normal(face).dot(other.normal(incident));
            if slope > -LEAST_SINE {
                return None;
            }
            let gap = -other.height(incident, at) / slope;
            ((own, owner, face), (at + own.normal(face) * gap, gap))
        }
        Feature::SideSide {
            owner,
            face,
            side,
            incident,
            incident_side,
        } => {
            let [own, other] = sides(owner, [(&a.hull, pose_a), (&b.hull, pose_b)]);
            let (from, along) = own.side(face, side);
            let (y, u) = other.side(incident, incident_side);
            let w = along.cross(own.normal(face));
            let sine = w.dot(u);
            if sine.abs() < LEAST_SINE * w.norm() * u.norm() {
                return None;
            }
            let x = y + u * (w.dot(from - y) / sine);
            ((own, owner, face), (x, own.height(face, x)))
        }
        Feature::EdgeEdge { a: ea, b: eb } if ra + rb == 0.0 => {
            let pair = Pair::new(&a.hull, &b.hull, pose_a.relative(pose_b));
            return pair.crossing(ea, eb).map(|p| ContactPoint {
                point: pose_a.point(p.point),
                normal: pose_a.rot.mul_vec(p.normal),
                ..p
            });
        }
        _ => return None,
    };
    let (own, side, face) = owner;
    let n = own.normal(face);
    let core = ContactPoint {
        point: x - n * (0.5 * gap),
        normal: if side == 0 { n } else { -n },
        gap,
        feature: contact.feature,
    };
    Some(inflated(core, ra, rb))
}

#[derive(Clone, Copy)]
struct Placed<'a> {
    hull: &'a Hull,
    pose: &'a Pose,
}

/// Both hulls with their poses, the owner first.
fn sides<'a>(owner: u8, both: [(&'a Hull, &'a Pose); 2]) -> [Placed<'a>; 2] {
    let [a, b] = both.map(|(hull, pose)| Placed { hull, pose });
    if owner == 0 { [a, b] } else { [b, a] }
}

impl Placed<'_> {
    fn point(&self, vertex: u16) -> Vec3 {
        self.pose.point(self.hull.vertex(vertex))
    }

    fn normal(&self, face: u16) -> Vec3 {
        self.pose.rot.mul_vec(self.hull.face(face).normal)
    }

    /// Height of a point above a face [m].
    fn height(&self, face: u16, x: Vec3) -> f64 {
        let f = self.hull.face(face);
        f.normal.dot(self.pose.inverse_point(x)) - f.offset
    }

    /// Start and extent of a side of a face.
    fn side(&self, face: u16, side: u8) -> (Vec3, Vec3) {
        let polygon = self.hull.polygon(face);
        let k = usize::from(side);
        let from = self.point(polygon[k]);
        (from, self.point(polygon[(k + 1) % polygon.len()]) - from)
    }
}
