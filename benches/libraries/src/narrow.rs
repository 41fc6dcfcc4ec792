//! The narrow phase: pairs of solids at poses in which they touch or nearly do.

use crate::timing::compare;
use crate::truth::{self, Solid};
use diffsim::collision::polytope::{self, Convex, Hull, PairCache};
use diffsim::collision::{Shape, primitive};
use diffsim::linalg::scattered;
use diffsim::spatial::{Pose, Vec3, so3_exp};
use parry3d_f64::math::{Pose as PosePeer, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, contact,
};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape as ShapePeer};
use std::error::Error;
use std::hint::black_box;

const POSES: usize = 500;
/// Gaps up to this are contacts [m].
const MARGIN: f64 = 0.02;
/// Of the hull of scattered points.
const POINTS: usize = 40;

/// A solid as either side and the slow check have it.
struct Body {
    name: &'static str,
    shape: Option<Shape>,
    convex: Convex,
    peer: Box<dyn ShapePeer>,
    solid: Solid,
}

fn bodies() -> Result<[Body; 4], Box<dyn Error>> {
    let (radius, half) = (0.1, 0.15);
    let h = Vec3::new(0.1, 0.15, 0.2);
    let corners = (0..8).map(|k| {
        let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        h.scale(Vec3::new(sign(1), sign(2), sign(4)))
    });
    let axes = vec![Vec3::X, Vec3::Y, Vec3::Z];
    let points: Vec<Vec3> = (0..POINTS)
        .filter_map(|k| {
            let x = |i| scattered(3 * k + i, 5);
            Vec3::new(x(0), x(1), x(2)).normalized().map(|n| n.scale(h))
        })
        .collect();
    let hull = Hull::from_points(&points)?;
    let at = |x: Vec3| Vector::new(x.x, x.y, x.z);
    let peer =
        ConvexPolyhedron::from_convex_hull(&points.iter().map(|p| at(*p)).collect::<Vec<_>>())
            .ok_or("no hull of the scattered points")?;
    let round = |points: Vec<Vec3>| Solid {
        points,
        normals: Vec::new(),
        edges: Vec::new(),
        radius,
    };
    Ok([
        Body {
            name: "sphere",
            shape: Some(Shape::Sphere { radius }),
            convex: Convex::sphere(radius)?,
            peer: Box::new(Ball::new(radius)),
            solid: round(vec![Vec3::ZERO]),
        },
        Body {
            name: "capsule",
            shape: Some(Shape::Capsule {
                radius,
                half_length: half,
            }),
            convex: Convex::capsule(radius, half)?,
            peer: Box::new(Capsule::new_z(half, radius)),
            solid: round(vec![Vec3::Z * -half, Vec3::Z * half]),
        },
        Body {
            name: "box",
            shape: Some(Shape::Box { half_extents: h }),
            convex: Convex::cuboid(h)?,
            peer: Box::new(Cuboid::new(at(h))),
            solid: Solid {
                points: corners.collect(),
                normals: axes.clone(),
                edges: axes,
                radius: 0.0,
            },
        },
        Body {
            name: "hull of 40 points",
            shape: None,
            solid: faces_of(&points),
            convex: hull.into(),
            peer: Box::new(peer),
        },
    ])
}

/// The faces of the hull of points in general position: planes through three of them with all others on one
/// side.
fn faces_of(points: &[Vec3]) -> Solid {
    let (mut normals, mut edges) = (Vec::new(), Vec::new());
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let [a, b, c] = [i, j, k].map(|i| points[i]);
                let Some(n) = (b - a).cross(c - a).normalized() else {
                    continue;
                };
                let sides = points.iter().map(|p| (*p - a).dot(n));
                let (low, high) = sides.fold((0.0f64, 0.0f64), |(l, h), x| (l.min(x), h.max(x)));
                if low > -1e-12 || high < 1e-12 {
                    normals.push(n);
                    edges.extend([b - a, c - b, a - c].iter().filter_map(|e| e.normalized()));
                }
            }
        }
    }
    Solid {
        points: points.to_vec(),
        normals,
        edges,
        radius: 0.0,
    }
}

/// B in A, touching A from a random side, 3 cm deep to 1 cm apart along it.
fn poses(a: &Body, b: &Body) -> Vec<Pose> {
    (0..POSES)
        .map(|k| {
            let x = |i| scattered(8 * k + i, 7);
            let rot = so3_exp(Vec3::new(x(0), x(1), x(2)) * 3.0);
            let side = Vec3::new(x(3), x(4), x(5)).normalized().unwrap_or(Vec3::Z);
            let still = b.solid.placed(&Pose::new(rot, Vec3::ZERO));
            let gap = 0.02 * x(6) - 0.01;
            Pose::new(
                rot,
                side * (gap - truth::separation(&a.solid, &still, side)),
            )
        })
        .collect()
}

fn peer(pose: &Pose) -> PosePeer {
    let q = diffsim::spatial::Quat::from_mat3(&pose.rot);
    PosePeer::from_parts(
        Vector::new(pose.pos.x, pose.pos.y, pose.pos.z),
        Rotation::from_xyzw(q.x, q.y, q.z, q.w),
    )
}

/// The deepest point: its gap and normal.
type Deepest = Option<(f64, Vec3)>;

fn deepest<'a>(points: impl Iterator<Item = &'a diffsim::collision::ContactPoint>) -> Deepest {
    points
        .min_by(|a, b| a.gap.total_cmp(&b.gap))
        .map(|p| (p.gap, p.normal))
}

/// As a scene chooses: a closed form, or the search on hulls.
fn ours(a: &Body, b: &Body, pose: &Pose) -> Deepest {
    if let (Some(sa), Some(sb)) = (&a.shape, &b.shape) {
        let mut out = primitive::Manifold::default();
        if primitive::collide(sa, &Pose::IDENTITY, sb, pose, MARGIN, &mut out) {
            return deepest(out.points().iter());
        }
    }
    let (mut out, mut cache) = (polytope::Manifold::default(), PairCache::default());
    polytope::collide(
        &a.convex,
        &Pose::IDENTITY,
        &b.convex,
        pose,
        MARGIN,
        &mut cache,
        &mut out,
    );
    deepest(out.points().iter())
}

fn theirs(a: &Body, b: &Body, pose: &PosePeer) -> Deepest {
    let found = contact(
        &PosePeer::IDENTITY,
        a.peer.as_ref(),
        pose,
        b.peer.as_ref(),
        MARGIN,
    )
    .ok()??;
    let n = found.normal1;
    Some((found.dist, Vec3::new(n.x, n.y, n.z)))
}

type Manifolds = Vec<ContactManifold<(), ()>>;

fn their_manifold(a: &Body, b: &Body, pose: &PosePeer, out: &mut Manifolds) -> Deepest {
    out.clear();
    let (a, b) = (a.peer.as_ref(), b.peer.as_ref());
    DefaultQueryDispatcher
        .contact_manifolds(pose, a, b, MARGIN, out, &mut None)
        .ok()?;
    let points = out
        .iter()
        .flat_map(|m| m.points.iter().map(|p| (p.dist, m.local_n1)));
    points
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(gap, n)| (gap, Vec3::new(n.x, n.y, n.z)))
}

/// Prints the worst errors over poses with a known gap: of the gap, and of the gap along the normal.
fn errors(
    what: &str,
    who: &str,
    a: &Body,
    b: &Body,
    poses: &[Pose],
    find: &mut dyn FnMut(&Pose) -> Deepest,
) {
    let (mut known, mut missed, mut gap, mut normal) = (0, 0, Vec::new(), 0.0f64);
    for pose in poses {
        let placed = b.solid.placed(pose);
        let Some(truth) = truth::gap(&a.solid, &placed).filter(|g| *g < MARGIN) else {
            continue;
        };
        known += 1;
        match find(pose) {
            None => missed += 1,
            Some((g, n)) => {
                gap.push((g - truth).abs());
                normal = normal.max(truth - truth::separation(&a.solid, &placed, n));
            }
        }
    }
    gap.sort_unstable_by(f64::total_cmp);
    let (worst, wrong) = (
        gap.last().copied().unwrap_or(0.0),
        gap.iter().filter(|e| **e > 1e-6).count(),
    );
    println!(
        "{what:34} {who:26} {known} known, {missed} missed, {wrong} wrong by over 1e-6 m, worst gap {worst:.0e} m, normal {normal:.0e} m"
    );
}

pub fn report() -> Result<(), Box<dyn Error>> {
    let bodies = bodies()?;
    for [i, j] in [
        [0, 0],
        [0, 2],
        [1, 1],
        [1, 2],
        [2, 2],
        [1, 3],
        [2, 3],
        [3, 3],
    ] {
        let (a, b) = (&bodies[i], &bodies[j]);
        let poses = poses(a, b);
        let peers: Vec<PosePeer> = poses.iter().map(peer).collect();
        let what = format!("{} on {}", a.name, b.name);
        let mut manifolds = Manifolds::new();
        compare(
            &format!("{what}, {POSES} poses"),
            &mut [
                (
                    "collision",
                    Box::new(|| {
                        for p in &poses {
                            black_box(ours(a, b, black_box(p)));
                        }
                    }),
                ),
                (
                    "parry, contact",
                    Box::new(|| {
                        for p in &peers {
                            black_box(theirs(a, b, black_box(p)));
                        }
                    }),
                ),
                (
                    "parry, manifold",
                    Box::new(|| {
                        for p in &peers {
                            black_box(their_manifold(a, b, black_box(p), &mut manifolds));
                        }
                    }),
                ),
            ],
        );
        errors(&what, "collision", a, b, &poses, &mut |p| ours(a, b, p));
        errors(&what, "parry, contact", a, b, &poses, &mut |p| {
            theirs(a, b, &peer(p))
        });
        let mut manifolds = Manifolds::new();
        errors(&what, "parry, manifold", a, b, &poses, &mut |p| {
            their_manifold(a, b, &peer(p), &mut manifolds)
        });
    }
    Ok(())
}
