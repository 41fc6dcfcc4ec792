//! How a contact point of two polytopes moves with the bodies, by the features that make it.

use super::feature::Feature;
use super::hull::Hull;
use crate::collision::{ContactDerivative, ContactPoint};
use crate::error::{Error, Result};
use crate::spatial::{Mat3, Pose, Vec3};

/// The derivative of a contact point found by [`super::collide`] on the same hulls and poses.
///
/// Errors where the point's feature does not name features of these hulls.
pub fn differentiate(
    a: &Hull,
    pose_a: &Pose,
    b: &Hull,
    pose_b: &Pose,
    contact: &ContactPoint,
) -> Result<ContactDerivative> {
    let feature = Feature::decode(contact.feature)
        .filter(|f| f.fits(a, b))
        .ok_or_else(|| {
            Error::invalid(format!(
                "feature {:#x} does not name features of hulls with {} and {} faces",
                contact.feature,
                a.faces().len(),
                b.faces().len()
            ))
        })?;
    let of = |owner: u8| {
        if owner == 0 {
            (Placed(a, pose_a), Placed(b, pose_b), contact.normal)
        } else {
            (Placed(b, pose_b), Placed(a, pose_a), -contact.normal)
        }
    };
    // Each case sees the owner as A, with the normal `n` out of it.
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
        Feature::VertexVertex { .. } => (0, of_vertex(Mat3::ZERO, contact.normal, contact.gap)),
    };
    Ok(if owner == 0 {
        d
    } else {
        d.swapped(-contact.normal)
    })
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

/// The normal is fixed in A; the patch point x on B's surface, at p + n·gap/2, moves by
/// `slide`·(motion of B's material point there).
fn on_face(n: Vec3, gap: f64, slide: Mat3) -> ContactDerivative {
    let lift = Mat3::skew(n * (0.5 * gap));
    let g = slide.tr_mul_vec(n);
    let point = slide - Mat3::outer(n, g) * 0.5;
    ContactDerivative {
        point: [point, -point.mul_mat(&lift)],
        normal: [Mat3::ZERO; 2],
        gap: [g, (n * (0.5 * gap)).cross(g)],
    }
}

/// Edges along `u` (of A) and `v` (of B): δn = ±(1 − n nᵀ)(u × (ω × v))/|u × v|, and the closest
/// points x_A = … + s u, x_B = … + t v keep x_B − x_A = n·gap.
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
    let lift = Mat3::skew(n * (0.5 * gap));
    let dn = (Mat3::IDENTITY - Mat3::outer(n, n) - along) * (1.0 / gap);
    let point = (Mat3::IDENTITY + along) * 0.5;
    ContactDerivative {
        point: [point, -point.mul_mat(&lift)],
        normal: [dn, -dn.mul_mat(&lift)],
        gap: [n, Vec3::ZERO],
    }
}
