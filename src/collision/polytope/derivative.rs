//! The derivative of a contact point of two polytopes, from the features that make it.

use super::convex::Convex;
use super::curved;
use super::feature::Feature;
use super::hull::Hull;
use super::pair::ROUNDING;
use super::stand_in::{self, StandIn};
use crate::collision::{ContactDerivative, ContactPoint, Smoothness, Tie};
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Pose, Vec3};

/// The derivative of a contact point found by [`super::collide`] on the same shapes and poses, and
/// whether its features determine the whole derivative.
///
/// Errors if the point's feature does not name features of these shapes.
pub fn differentiate(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    contact: &ContactPoint,
) -> Result<(ContactDerivative, Smoothness)> {
    let unknown = || {
        Error::invalid(format!(
            "contact feature {:#x} does not name features of these shapes",
            contact.feature
        ))
    };
    let feature = Feature::decode(contact.feature).ok_or_else(unknown)?;
    // The contact of the cores: the same normal, a larger gap.
    let core = |ra: f64, rb: f64| ContactPoint {
        gap: contact.gap + ra + rb,
        ..*contact
    };
    if let Feature::Spots(spots) = feature {
        let (ra, rb) = (a.radius(), b.radius());
        return feature
            .fits(&a.hull, &b.hull)
            .then(|| curved::differentiate(a, pose_a, b, pose_b, spots, &core(ra, rb)))
            .flatten()
            .map(|(d, smoothness)| (inflated(d, contact.normal, ra, rb), smoothness))
            .ok_or_else(unknown);
    }
    if feature == Feature::Indefinite {
        let d = on_face(contact.normal, contact.gap, Mat3::IDENTITY);
        return Ok((d, Smoothness::Degenerate));
    }
    let which = Feature::decode_stand_ins(contact.feature);
    let sa = StandIn::of(a, which[0]).ok_or_else(unknown)?;
    let sb = StandIn::of(b, which[1]).ok_or_else(unknown)?;
    if !feature.fits(sa.hull, sb.hull) {
        return Err(unknown());
    }
    let n = contact.normal;
    let core = core(sa.shell, sb.shell);
    let rounding = ROUNDING * (sa.hull.size() + sb.hull.size());
    let looks = pose_a.rot.tr_mul_vec(n);
    let (pair, aside) = stand_in::facing([sa, sb], &pose_a.relative(pose_b), looks);
    let at = pose_a.inverse_point(contact.point) - aside;
    let slide = pair.slide(feature, at, rounding);
    let smoothness = match feature {
        Feature::EdgeEdge { a, b } if pair.may_lie_level(looks, contact.gap, [a[0], b[0]]) => {
            Smoothness::Degenerate
        }
        _ if slide == Vec3::ZERO => Smoothness::Smooth,
        _ => Smoothness::Tied(Tie {
            slide: pose_a.rot.mul_vec(slide),
            tilt: Vec3::ZERO,
        }),
    };
    let d = of_hulls(sa.hull, pose_a, sb.hull, pose_b, feature, &core);
    let d = sb.rolled(inflated(d, n, sa.shell, sb.shell), n, pose_b);
    let d = match sa.is_line() {
        true => sa.rolled(d.swapped(n), -n, pose_a).swapped(-n),
        false => d,
    };
    Ok((d, smoothness))
}

/// Converts the derivative of the cores' contact into that of shapes with these radii about the cores.
/// The point moves along the normal by c = (ra − rb)/2.
pub(super) fn inflated(d: ContactDerivative, n: Vec3, ra: f64, rb: f64) -> ContactDerivative {
    let c = 0.5 * (ra - rb);
    if c == 0.0 {
        return d;
    }
    // ζ.lin at the cores' point is ζ.lin + c n × ζ.ang at the shapes'.
    let arm = n * c;
    let point = d.point[0] + d.normal[0] * c;
    ContactDerivative {
        point: [point, d.point[1] + d.normal[1] * c + point.mul_skew(arm)],
        normal: [d.normal[0], d.normal[1] + d.normal[0].mul_skew(arm)],
        gap: [d.gap[0], d.gap[1] + d.gap[0].cross(n) * c],
    }
}

fn of_hulls(
    a: &Hull,
    pose_a: &Pose,
    b: &Hull,
    pose_b: &Pose,
    feature: Feature,
    contact: &ContactPoint,
) -> ContactDerivative {
    let of = |owner: u8| {
        if owner == 0 {
            (Placed(a, pose_a), Placed(b, pose_b), contact.normal)
        } else {
            (Placed(b, pose_b), Placed(a, pose_a), -contact.normal)
        }
    };
    // Each case treats the owner as A, with the normal `n` out of it.
    let (owner, d) = match feature {
        Feature::FaceVertex { owner, .. } => {
            let (_, _, n) = of(owner);
            (owner, on_face(n, contact.gap, Mat3::IDENTITY))
        }
        Feature::FaceCorner {
            owner, incident, ..
        } => {
            let (_, other, n) = of(owner);
            let m = other.1.rot.mul_vec(other.0.face(incident).normal);
            let slide = Mat3::outer(n, m) * (1.0 / m.dot(n));
            (owner, on_face(n, contact.gap, slide))
        }
        Feature::SideSide {
            owner,
            face,
            side,
            incident,
            incident_side,
        } => {
            let (reference, other, n) = of(owner);
            let w = reference.side(face, side).cross(n);
            let u = other.side(incident, incident_side);
            let slide = Mat3::IDENTITY - Mat3::outer(u, w) * (1.0 / w.dot(u));
            (owner, on_face(n, contact.gap, slide))
        }
        Feature::EdgeEdge { a: ea, b: eb } => {
            let (pa, pb, n) = of(0);
            (0, of_edges(pa.line(ea), pb.line(eb), n, contact.gap))
        }
        Feature::EdgeVertex { owner, edge, .. } => {
            let (reference, _, n) = of(owner);
            let along = reference.line(edge);
            let u = along * (1.0 / along.norm());
            (owner, of_vertex(Mat3::outer(u, u), n, contact.gap))
        }
        Feature::VertexVertex { .. } | Feature::Spots(_) | Feature::Indefinite => {
            (0, of_vertex(Mat3::ZERO, contact.normal, contact.gap))
        }
    };
    if owner == 0 {
        d
    } else {
        d.swapped(-contact.normal)
    }
}

struct Placed<'a>(&'a Hull, &'a Pose);

impl Placed<'_> {
    fn line(&self, ends: [u16; 2]) -> Vec3 {
        self.1
            .rot
            .mul_vec(self.0.vertex(ends[1]) - self.0.vertex(ends[0]))
    }

    fn side(&self, face: u16, side: u8) -> Vec3 {
        let polygon = self.0.polygon(face);
        let k = usize::from(side);
        self.line([polygon[k], polygon[(k + 1) % polygon.len()]])
    }
}

/// The normal is fixed in A. The patch point x on B's surface, at p + n·gap/2, moves by `slide`·(motion
/// of B's material point there).
pub(super) fn on_face(n: Vec3, gap: f64, slide: Mat3) -> ContactDerivative {
    let arm = n * (0.5 * gap);
    let g = slide.tr_mul_vec(n);
    let point = slide - Mat3::outer(n, g) * 0.5;
    ContactDerivative {
        point: [point, -point.mul_skew(arm)],
        normal: [Mat3::ZERO; 2],
        gap: [g, arm.cross(g)],
    }
}

/// Edges along `u` (of A) and `v` (of B): δn = ±(1 − n nᵀ)(u × (ω × v))/|u × v|.
/// The closest points x_A = … + s u, x_B = … + t v keep x_B − x_A = n·gap.
fn of_edges(u: Vec3, v: Vec3, n: Vec3, gap: f64) -> ContactDerivative {
    let c = u.cross(v);
    let sine = n.dot(c);
    let tangent = Mat3::IDENTITY - Mat3::outer(n, n);
    // u × (ω × v) = (u·v) ω − v (u·ω).
    let turn = (Mat3::IDENTITY * u.dot(v) - Mat3::outer(v, u)) * (1.0 / sine);
    let dn = tangent.mul_mat(&turn);
    let lift = Mat3::skew(n * (0.5 * gap));
    // δs = (v × n)·(δy − gap δn)/(u·(v × n)) with δy = ζ.lin + ζ.ang × (n gap/2), and
    // δp = u δs + (gap δn + n δgap)/2.
    let along = Mat3::outer(u, v.cross(n)) * (1.0 / sine);
    ContactDerivative {
        point: [
            along + Mat3::outer(n, n) * 0.5,
            -along.mul_mat(&(lift + dn * gap)) + dn * (0.5 * gap),
        ],
        normal: [Mat3::ZERO, dn],
        gap: [n, Vec3::ZERO],
    }
}

/// A vertex of B nearest to a line (`along` = u uᵀ) or a point (`along` = 0) of A.
fn of_vertex(along: Mat3, n: Vec3, gap: f64) -> ContactDerivative {
    let arm = n * (0.5 * gap);
    let dn = (Mat3::IDENTITY - Mat3::outer(n, n) - along) * (1.0 / gap);
    let point = (Mat3::IDENTITY + along) * 0.5;
    ContactDerivative {
        point: [point, -point.mul_skew(arm)],
        normal: [dn, -dn.mul_skew(arm)],
        gap: [n, Vec3::ZERO],
    }
}
