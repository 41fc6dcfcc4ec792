//! A contact point and its derivative: the result of every narrow-phase routine.

use crate::spatial::{Mat3, Twist, Vec3};

/// One point of the contact between geoms A and B, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Midway between the two surfaces [m].
    pub point: Vec3,
    /// Unit normal from A to B.
    pub normal: Vec3,
    /// Signed distance along the normal, negative when penetrating [m].
    pub gap: f64,
    /// Number of the features that touch. It is equal from step to step while the same features touch.
    pub feature: u64,
}

/// Whether a derivative exists at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothness {
    /// The derivative is exact.
    Smooth,
    /// A tie: several features define the contact equally well. Each gives a derivative that is valid for
    /// some motions; this is one of them.
    Tied(Tie),
    /// The derivative does not exist. The returned one leaves out the undetermined part.
    Degenerate,
}

/// A random combination of the vectors by which the derivatives at a tie differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tie {
    /// Displacement of the point, as long as the shapes [m]. Its component along the normal is the
    /// change of the gap there.
    pub slide: Vec3,
    /// Change of the normal, of length one.
    pub tilt: Vec3,
}

impl Tie {
    pub const NONE: Tie = Tie {
        slide: Vec3::ZERO,
        tilt: Vec3::ZERO,
    };
}

impl Smoothness {
    #[inline(always)]
    pub(in crate::collision) fn from_bool(smooth: bool) -> Smoothness {
        if smooth {
            Smoothness::Smooth
        } else {
            Smoothness::Degenerate
        }
    }
}

/// First-order motion of a contact point under a small displacement of B relative to A.
///
/// Let ξ_A, ξ_B be the displacements (twists) of the two bodies with linear parts taken at
/// `ContactPoint::point` (world axes), and ζ = ξ_B − ξ_A. Then
///
/// - δpoint  = ξ_A.lin + `point`·ζ
/// - δnormal = ξ_A.ang × normal + `normal`·ζ
/// - δgap    = `gap`·ζ
///
/// because a common rigid motion carries the contact along. Each 3×6 map is given by its 3×3
/// blocks (by ζ.lin, by ζ.ang); the rows of `normal` are orthogonal to the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactDerivative {
    pub point: [Mat3; 2],
    pub normal: [Mat3; 2],
    /// Coefficients on (ζ.lin, ζ.ang).
    pub gap: [Vec3; 2],
}

impl ContactDerivative {
    /// The derivative of the same contact with A and B exchanged. `normal` is the normal before the
    /// exchange (the caller negates it in the point).
    pub fn swapped(&self, normal: Vec3) -> ContactDerivative {
        // With ζ' = ξ_A − ξ_B = −ζ and ξ_A = ξ_B + ζ':
        // δp = ξ_B.lin + ζ'.lin − P ζ',  δ(−n) = ξ_B.ang × (−n) + ζ'.ang × (−n) + N ζ'.
        ContactDerivative {
            point: [Mat3::IDENTITY - self.point[0], -self.point[1]],
            normal: [self.normal[0], self.normal[1] + Mat3::skew(normal)],
            gap: [-self.gap[0], -self.gap[1]],
        }
    }

    /// (δpoint, δnormal, δgap) for displacements ξ_A, ξ_B with linear parts at the contact point.
    pub fn apply(&self, normal: Vec3, a: Twist, b: Twist) -> (Vec3, Vec3, f64) {
        let z = b - a;
        (
            a.lin + self.point[0].mul_vec(z.lin) + self.point[1].mul_vec(z.ang),
            a.ang.cross(normal) + self.normal[0].mul_vec(z.lin) + self.normal[1].mul_vec(z.ang),
            self.gap[0].dot(z.lin) + self.gap[1].dot(z.ang),
        )
    }
}
