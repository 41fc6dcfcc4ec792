//! Moves contacts with a flat face onto that face.
//!
//! Pair routines put a point midway between the surfaces. Under a body that is not quite level, such
//! points lie in a plane that is not quite perpendicular to the normal. A body that levels itself could
//! then not rest on all of them without slip at one of them, of tilt times rotation. On the face that
//! gives the normal, all points of a patch lie in one plane perpendicular to the normal, and one rigid
//! motion can keep all of them from slipping.

use super::narrow::is_closed_form;
use super::solid::Solid;
use crate::collision::polytope::{Feature, Spot};
use crate::collision::primitive::feature::{Kind, unpack};
use crate::collision::{ContactDerivative, ContactPoint};
use crate::spatial::Mat3;

/// The side whose flat face gives the normal of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    OfA,
    OfB,
    /// No face does, or both do.
    None,
    /// The contact of a middle with the plane of another contact ([`super::middle`]), by its
    /// index among the contacts.
    OfMiddle(u32),
}

impl Face {
    /// Returns a function that finds the face from the feature of a contact of these two solids.
    pub fn teller(a: &Solid, b: &Solid) -> impl Fn(u64) -> Face + use<> {
        let planes = [a.is_plane(), b.is_plane()];
        let closed_form = is_closed_form(a, b);
        let on_terrain = b.is_terrain();
        let either = |a: bool, b: bool| match (a, b) {
            (true, false) => Face::OfA,
            (false, true) => Face::OfB,
            _ => Face::None,
        };
        let flat = |s: Spot| matches!(s, Spot::Face(_) | Spot::Cap(_));
        move |feature| {
            match planes {
                [true, _] => return Face::OfA,
                [_, true] => return Face::OfB,
                _ => {}
            }
            if closed_form {
                let (fa, fb) = unpack(feature);
                return either(fa.kind == Kind::Face, fb.kind == Kind::Face);
            }
            let found = match Feature::decode(feature) {
                Some(
                    Feature::FaceVertex { owner, .. }
                    | Feature::FaceCorner { owner, .. }
                    | Feature::SideSide { owner, .. },
                ) => either(owner == 0, owner == 1),
                Some(Feature::Spots([sa, sb])) => either(flat(sa), flat(sb)),
                _ => Face::None,
            };
            match found {
                // The features of a height field have the field as A.
                Face::OfA if on_terrain => Face::OfB,
                Face::OfB if on_terrain => Face::OfA,
                found => found,
            }
        }
    }

    pub fn is_of_middle(self) -> bool {
        matches!(self, Face::OfMiddle(_))
    }

    /// Offset of the face from midway between the surfaces, in units of the gap along the normal.
    fn share(self) -> f64 {
        match self {
            Face::OfA => -0.5,
            Face::OfB => 0.5,
            Face::None | Face::OfMiddle(_) => 0.0,
        }
    }

    /// Moves a point from midway to the face.
    pub fn place(self, p: ContactPoint) -> ContactPoint {
        ContactPoint {
            point: p.point + p.normal * (self.share() * p.gap),
            ..p
        }
    }

    /// Moves a point from the face to midway.
    pub fn lift(self, p: ContactPoint) -> ContactPoint {
        ContactPoint {
            point: p.point - p.normal * (self.share() * p.gap),
            ..p
        }
    }

    /// Transforms the derivative of the point midway into that of the point on the face.
    pub fn place_derivative(self, d: &mut ContactDerivative, p: &ContactPoint) {
        let (share, n) = (self.share(), p.normal);
        if share == 0.0 {
            return;
        }
        // The normal rotates only with its face, so `normal[0]`, zero to round-off, is left out.
        let c = share * p.gap;
        // ζ.lin midway is ζ.lin + c n × ζ.ang at the face. The point moves by c δn + share n δgap more.
        d.gap[1] += d.gap[0].cross(n) * c;
        d.point[1] += d.point[0].mul_skew(n * c) + Mat3::outer(n * share, d.gap[1]);
        if self == Face::OfB {
            d.point[1] += d.normal[1] * c;
        }
        d.point[0] += Mat3::outer(n * share, d.gap[0]);
    }
}
