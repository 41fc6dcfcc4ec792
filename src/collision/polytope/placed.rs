//! The contact of given features of two polytopes at any placement.

use super::bodies::Bodies;
use super::convex::Convex;
use super::feature::Feature;
use super::hull::Hull;
use super::manifold::inflated;
use super::pair::{Pair, ROUNDING};
use super::stand_in::StandIn;
use crate::collision::ContactPoint;
use crate::spatial::{Pose, Vec3};

/// Sine of the angle between lines below which their crossing is too inaccurate.
const LEAST_SINE: f64 = 1e-3;

/// The contact of the features of `contact`, which may have been found at another placement of the same
/// shapes. Its gap is the separation along the normal of the features. `None` for features whose normal
/// depends on the placement, and for curved shapes beside an edge or a vertex. A cylinder has the features of
/// its stand-in.
pub fn of_features(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    contact: &ContactPoint,
) -> Option<ContactPoint> {
    let feature = Feature::decode(contact.feature)?;
    let (ra, rb) = (a.radius(), b.radius());
    if let Feature::Spots(spots) = feature {
        if !feature.fits(&a.hull, &b.hull) {
            return None;
        }
        let bodies = Bodies {
            a,
            b,
            b_in_a: pose_a.relative(pose_b),
            sinks: None,
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
    let which = Feature::decode_stand_ins(contact.feature);
    let (sa, sb) = (StandIn::of(a, which[0])?, StandIn::of(b, which[1])?);
    if !feature.fits(sa.hull, sb.hull) {
        return None;
    }
    let (pa, pb) = match feature {
        Feature::FaceVertex { owner, face, .. }
        | Feature::FaceCorner { owner, face, .. }
        | Feature::SideSide { owner, face, .. } => {
            let [own, _] = sides(owner, [(sa.hull, pose_a), (sb.hull, pose_b)]);
            let outward = own.normal(face);
            (sa.placed(pose_a, -outward), sb.placed(pose_b, -outward))
        }
        _ => (*pose_a, *pose_b),
    };
    let both = [(sa.hull, &pa), (sb.hull, &pb)];
    let (owner, (x, gap)) = match feature {
        Feature::FaceVertex {
            owner,
            face,
            vertex,
        } => {
            let [own, other] = sides(owner, both);
            let x = other.point(vertex);
            ((own, owner, face), (x, own.height(face, x)))
        }
        Feature::FaceCorner {
            owner,
            face,
            corner,
            incident,
        } => {
            let [own, other] = sides(owner, both);
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
            let [own, other] = sides(owner, both);
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
        Feature::EdgeEdge { a: ea, b: eb } if ra + rb == 0.0 && !sa.is_line() && !sb.is_line() => {
            let pair = Pair::new(sa.hull, sb.hull, pose_a.relative(pose_b));
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
    Some(inflated(core, sa.shell, sb.shell))
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
