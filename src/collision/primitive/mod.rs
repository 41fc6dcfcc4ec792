//! The narrow phase of pairs with a closed form, or with a solution along one unknown.
//!
//! | pair | points |
//! |---|---|
//! | plane and sphere, ellipsoid | 1, the lowest |
//! | plane and capsule | 2, both ends |
//! | plane and cylinder | 4, see [`collide`] |
//! | plane and box | 4, the lowest vertices |
//! | sphere and sphere, capsule, cylinder, ellipsoid, box | 1 |
//! | capsule and capsule | 1; 2 when parallel |
//! | capsule and cylinder, box | 1; lying on a face or along the side: both ends of the overlap, and
//! the closest point if it is neither |
//! | capsule and ellipsoid | 1 |
//!
//! Conventions: the normal points from A to B, and the point lies midway between the surfaces. The gap
//! is the signed distance of the surfaces; its negative is the least translation that separates them.
//! Exchanging A and B gives the same points with their normals negated, in the same order. The
//! exception is two capsules, whose order follows A's axis.
//!
//! Degenerate poses: an undetermined normal (concentric spheres, a centre on an axis) is the direction
//! documented with the pair. If a derivative does not exist, the undetermined part of the motion is
//! taken as zero and [`Smoothness::Degenerate`] is returned. If two features are equally near, the
//! contact and its one-sided derivative are those of the reported feature.
//!
//! The scene's narrow phase calls [`collide`], [`distance`] and [`differentiate`].

mod capsule;
mod capsule_solid;
pub(super) mod feature;
mod manifold;
mod plane;
mod project;
mod segment;
mod sphere;
pub(super) mod surface;

pub use manifold::{MAX_POINTS, Manifold};

use super::{ContactDerivative, ContactPoint, Shape, Smoothness};
use crate::spatial::{Pose, Vec3};
use capsule::Capsule;
use feature::{Feature, Kind};
use manifold::exchanged;
use project::{BoxSolid, CylinderSolid, EllipsoidSolid};
use surface::LocalSurface;

/// The rank of a shape in the order in which the pairs below are written.
#[inline(always)]
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::Plane => 0,
        Shape::Sphere { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::Cylinder { .. } => 3,
        Shape::Ellipsoid { .. } => 4,
        Shape::Box { .. } => 5,
    }
}

/// Fills `out` with the contact points of the pair whose gap is at most `margin` [m].
///
/// Returns whether this module handles the pair (see the module's table). A cylinder touches a plane
/// with the lowest points of both rims and with two more points on the lower rim, a third of a turn to
/// either side. If it stands upright to within 1e-4, it touches with the four points of the rim on its
/// x and y axes.
#[inline]
pub fn collide(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f64,
    out: &mut Manifold,
) -> bool {
    collide_sunk(a, pose_a, b, pose_b, margin, false, out)
}

/// [`collide`] for bodies that rest while they overlap, if `sinks` is true.
#[inline]
pub fn collide_sunk(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f64,
    sinks: bool,
    out: &mut Manifold,
) -> bool {
    out.clear();
    if rank(a) <= rank(b) {
        collide_ordered(a, pose_a, b, pose_b, margin, sinks, out)
    } else {
        let handled = collide_ordered(b, pose_b, a, pose_a, margin, sinks, out);
        out.exchange();
        handled
    }
}

#[inline]
fn collide_ordered(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    margin: f64,
    sinks: bool,
    out: &mut Manifold,
) -> bool {
    match (*a, *b) {
        (Shape::Plane, Shape::Plane) => return false,
        (Shape::Plane, Shape::Sphere { radius }) => {
            plane::sphere(pose_a, radius, pose_b, margin, out);
        }
        (
            Shape::Plane,
            Shape::Capsule {
                radius,
                half_length,
            },
        ) => plane::capsule(pose_a, (radius, half_length), pose_b, margin, out),
        (
            Shape::Plane,
            Shape::Cylinder {
                radius,
                half_length,
            },
        ) => plane::cylinder(pose_a, (radius, half_length), pose_b, margin, out),
        (Shape::Plane, Shape::Ellipsoid { semi_axes }) => {
            plane::ellipsoid(pose_a, semi_axes, pose_b, margin, out);
        }
        (Shape::Plane, Shape::Box { half_extents }) => {
            plane::cuboid(pose_a, half_extents, pose_b, margin, out);
        }
        (
            Shape::Capsule {
                radius,
                half_length,
            },
            _,
        ) => {
            let c = Capsule::new((radius, half_length), pose_a);
            return collide_capsule(&c, b, pose_b, margin, sinks, out);
        }
        _ => match closest_ordered(a, pose_a, b, pose_b) {
            Some(point) => {
                if point.gap <= margin {
                    out.push(point);
                }
            }
            None => return false,
        },
    }
    true
}

#[inline]
fn collide_capsule(
    c: &Capsule,
    b: &Shape,
    pose: &Pose,
    margin: f64,
    sinks: bool,
    out: &mut Manifold,
) -> bool {
    match *b {
        Shape::Plane | Shape::Sphere { .. } => return false,
        Shape::Capsule {
            radius,
            half_length,
        } => {
            let d = Capsule::new((radius, half_length), pose);
            capsule::collide(c, &d, margin, out);
        }
        Shape::Cylinder {
            radius,
            half_length,
        } => {
            let solid = CylinderSolid {
                radius,
                half_length,
            };
            capsule_solid::cylinder(c, solid, pose, margin, out);
        }
        Shape::Ellipsoid { semi_axes } => {
            capsule_solid::one(c, EllipsoidSolid { semi_axes }, pose, margin, out);
        }
        Shape::Box { half_extents } => {
            let solid = BoxSolid { half: half_extents };
            capsule_solid::cuboid(c, solid, pose, margin, sinks, out);
        }
    }
    true
}

/// The closest (or deepest) point of the pair: place, normal and signed distance. `None` if this module
/// does not handle the pair.
#[inline]
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<ContactPoint> {
    if rank(a) <= rank(b) {
        closest_ordered(a, pose_a, b, pose_b)
    } else {
        closest_ordered(b, pose_b, a, pose_a).map(|p| exchanged(&p))
    }
}

#[inline]
fn closest_ordered(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<ContactPoint> {
    Some(match (*a, *b) {
        (Shape::Plane, _) => {
            let mut all = Manifold::default();
            if !collide_ordered(a, pose_a, b, pose_b, f64::INFINITY, false, &mut all) {
                return None;
            }
            let lowest = |p: ContactPoint, q: &ContactPoint| if q.gap < p.gap { *q } else { p };
            let (first, rest) = all.points().split_first()?;
            rest.iter().fold(*first, lowest)
        }
        (Shape::Sphere { radius }, Shape::Sphere { radius: radius_b }) => {
            sphere::sphere(radius, pose_a, radius_b, pose_b)
        }
        (
            Shape::Sphere { radius },
            Shape::Capsule {
                radius: radius_b,
                half_length,
            },
        ) => sphere::capsule(radius, pose_a, (radius_b, half_length), pose_b),
        (
            Shape::Sphere { radius },
            Shape::Cylinder {
                radius: r,
                half_length,
            },
        ) => {
            let solid = CylinderSolid {
                radius: r,
                half_length,
            };
            sphere::solid(radius, pose_a, solid, pose_b)
        }
        (Shape::Sphere { radius }, Shape::Ellipsoid { semi_axes }) => {
            sphere::solid(radius, pose_a, EllipsoidSolid { semi_axes }, pose_b)
        }
        (Shape::Sphere { radius }, Shape::Box { half_extents }) => {
            let solid = BoxSolid { half: half_extents };
            sphere::solid(radius, pose_a, solid, pose_b)
        }
        (
            Shape::Capsule {
                radius,
                half_length,
            },
            _,
        ) => {
            let c = Capsule::new((radius, half_length), pose_a);
            return closest_to_capsule(&c, b, pose_b);
        }
        _ => return None,
    })
}

#[inline]
fn closest_to_capsule(c: &Capsule, b: &Shape, pose: &Pose) -> Option<ContactPoint> {
    Some(match *b {
        Shape::Plane | Shape::Sphere { .. } => return None,
        Shape::Capsule {
            radius,
            half_length,
        } => capsule::closest(c, &Capsule::new((radius, half_length), pose)),
        Shape::Cylinder {
            radius,
            half_length,
        } => {
            let solid = CylinderSolid {
                radius,
                half_length,
            };
            capsule_solid::closest(c, solid, pose)
        }
        Shape::Ellipsoid { semi_axes } => {
            capsule_solid::closest(c, EllipsoidSolid { semi_axes }, pose)
        }
        Shape::Box { half_extents } => {
            capsule_solid::closest(c, BoxSolid { half: half_extents }, pose)
        }
    })
}

/// The contact of a ball and a flat face, which may have been found at another placement of the same shapes.
/// The ball is a sphere, an end of a capsule, or the place of a capsule's side over a border of the face.
/// `None` for other features.
pub fn again(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    point: &ContactPoint,
) -> Option<ContactPoint> {
    if rank(a) > rank(b) {
        let turned = again(b, pose_b, a, pose_a, &exchanged(point))?;
        return Some(exchanged(&turned));
    }
    let (ball, flat) = feature::unpack(point.feature);
    if flat.kind != Kind::Face {
        return None;
    }
    let (radius, centre) = match *a {
        Shape::Sphere { radius } => (radius, pose_a.pos),
        Shape::Capsule {
            radius,
            half_length,
        } if ball.kind == Kind::Vertex => {
            let end = Capsule::new((radius, half_length), pose_a).end(ball.index == 1);
            (radius, pose_a.point(Vec3::Z * end.0))
        }
        Shape::Capsule {
            radius,
            half_length,
        } if ball.kind == Kind::Crossing => {
            let Shape::Box { half_extents } = *b else {
                return None;
            };
            let c = Capsule::new((radius, half_length), pose_a);
            let at = capsule_solid::crosses(&c.seen_from(pose_b), half_extents, ball, flat)?;
            (radius, c.at(at))
        }
        _ => return None,
    };
    let (axis, height) = match *b {
        Shape::Box { half_extents } => {
            let k = flat.index as usize / 2;
            (Vec3::unit(k), half_extents[k])
        }
        Shape::Cylinder { half_length, .. } => (Vec3::Z, half_length),
        _ => return None,
    };
    let normal = axis * if flat.index % 2 == 1 { 1.0 } else { -1.0 };
    let at = pose_b.inverse_point(centre);
    let distance = normal.dot(at) - height;
    let foot = project::Foot {
        on: at - normal * distance,
        normal,
        distance,
        feature: flat,
    };
    Some(sphere::ball_on(radius, ball, &foot, pose_b))
}

/// The derivative of a `point` that [`collide`] or [`distance`] gave for the pair.
#[inline]
pub fn differentiate(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    point: &ContactPoint,
    out: &mut ContactDerivative,
) -> Smoothness {
    let (n, gap) = (point.normal, point.gap);
    let (fa, fb) = feature::unpack(point.feature);
    match (a, b) {
        (Shape::Plane, Shape::Cylinder { radius, .. }) if fb.kind == Kind::Spread => {
            plane::differentiate_spread(pose_b, *radius, fb, n, gap, out)
        }
        (Shape::Cylinder { radius, .. }, Shape::Plane) if fa.kind == Kind::Spread => {
            let smoothness = plane::differentiate_spread(pose_a, *radius, fa, -n, gap, out);
            *out = out.swapped(-n);
            smoothness
        }
        (Shape::Capsule { radius, .. }, Shape::Box { .. }) if fa.kind == Kind::Crossing => {
            capsule_solid::differentiate_crossing(pose_a, pose_b, (fa, fb), *radius, point, out)
        }
        (Shape::Box { .. }, Shape::Capsule { radius, .. }) if fb.kind == Kind::Crossing => {
            let turned = exchanged(point);
            let (c, b) = (pose_b, pose_a);
            let smoothness =
                capsule_solid::differentiate_crossing(c, b, (fb, fa), *radius, &turned, out);
            *out = out.swapped(-n);
            smoothness
        }
        _ => {
            let half = n * (0.5 * gap);
            let on = [point.point - half, point.point + half];
            let surface_a = LocalSurface::of(a, pose_a, fa, n, on[0]);
            let surface_b = LocalSurface::of(b, pose_b, fb, -n, on[1]);
            let smoothness = surface::common_normal(&surface_a, &surface_b, n, gap, out);
            let parts = [(a, fa, pose_a, on[0], n), (b, fb, pose_b, on[1], -n)];
            let ends = ends_under(parts[0], parts[1]).or_else(|| ends_under(parts[1], parts[0]));
            let own = |(s, f, pose, on, n): &Part| s.ends(*f, pose, *n, *on);
            match ends.unwrap_or_else(|| parts.iter().any(own)) {
                true => Smoothness::Degenerate,
                false => smoothness,
            }
        }
    }
}

/// A shape with the feature that is touched, its pose, the point, and the outward normal there.
type Part<'a> = (&'a Shape, Feature, &'a Pose, Vec3, Vec3);

/// Whether the feature of `part` ends where `shape` touches it; `None` if `shape` does not decide this.
/// A plane takes each vertex and rim by itself, regardless of its neighbours. A capsule's side decides
/// it for an edge or rim that it crosses.
fn ends_under((shape, feature, pose, ..): Part, part: Part) -> Option<bool> {
    let (other, of, at, on, outward) = part;
    match shape {
        Shape::Plane => Some(false),
        Shape::Capsule { .. } if feature == Feature::SURFACE => {
            Some(other.ends_under_line(of, at, outward, on, pose.rot.mul_vec(Vec3::Z)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
