//! Springs and tendons between the arms of a small machine.

use super::{Rng, random_body};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, SpringSpec, TendonPath};
use diffsim::spatial::Vec3;

pub fn spring(name: &str, ends: [(usize, Vec3); 2], [stiffness, damping]: [f64; 2]) -> SpringSpec {
    SpringSpec {
        name: name.into(),
        body1: ends[0].0,
        body2: ends[1].0,
        anchor1: ends[0].1,
        anchor2: ends[1].1,
        stiffness,
        damping,
        origin: String::new(),
    }
}

pub fn chain(spec: &mut ModelSpec, rng: &mut Rng, kinds: &[JointKind]) {
    let mut parent = 0;
    for &kind in kinds {
        let id = spec.bodies.len();
        spec.bodies.push(random_body(rng, id, parent, kind));
        parent = id;
    }
}

/// Bodies 1 to 7: a tree of two branches, 1 2 3 and 1 4 5, and one of a free body with 7 on it.
pub fn arms() -> (ModelSpec, Rng) {
    let mut rng = Rng::new(11);
    let mut spec = ModelSpec {
        gravity: rng.vec3(9.0),
        ..ModelSpec::default()
    };
    use JointKind as K;
    chain(
        &mut spec,
        &mut rng,
        &[K::Revolute, K::Spherical, K::Prismatic],
    );
    for (parent, kind) in [
        (1, K::Universal),
        (4, K::Planar),
        (0, K::Free),
        (6, K::Revolute),
    ] {
        let id = spec.bodies.len();
        spec.bodies.push(random_body(&mut rng, id, parent, kind));
    }
    (spec, rng)
}

/// Pairs of bodies of the arms.
pub const PAIRS: [(&str, usize, usize); 5] = [
    ("tree and world", 3, 0),
    ("world and tree", 0, 7),
    ("loop", 3, 5),
    ("two trees", 5, 7),
    ("body and its ancestor", 5, 1),
];

pub fn point(body: usize, at: Vec3) -> PathPoint {
    PathPoint::Point { body, at }
}

/// Tendons over all of the arms: along joints, through points of one tree, and between the trees over a
/// pulley.
pub fn paths(rng: &mut Rng) -> [(&'static str, TendonPath); 3] {
    let mut at = |body| point(body, rng.vec3(0.3));
    [
        (
            "joints",
            TendonPath::Fixed(vec![
                ("joint1".into(), 0.7),
                ("joint3".into(), -1.3),
                ("joint7".into(), 0.4),
            ]),
        ),
        (
            "branches",
            TendonPath::Spatial(vec![at(0), at(3), at(1), at(5)]),
        ),
        (
            "trees",
            TendonPath::Spatial(vec![
                at(3),
                at(7),
                PathPoint::Pulley { divisor: 2.0 },
                at(5),
                at(0),
                at(6),
            ]),
        ),
    ]
}
