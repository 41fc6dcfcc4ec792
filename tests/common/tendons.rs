//! Springs and tendons on random models.

use super::{Rng, param, random_spec};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::ModelSpec;
use diffsim::model::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, WrapShape, WrapSpec};
use diffsim::model::{Actuation, Model};

pub fn spring(name: &str, bodies: [usize; 2], rng: &mut Rng) -> SpringSpec {
    SpringSpec {
        name: name.into(),
        body1: bodies[0],
        body2: bodies[1],
        anchor1: rng.vec3(0.3),
        anchor2: rng.vec3(0.3),
        stiffness: rng.range(5.0, 50.0),
        damping: rng.range(0.5, 3.0),
        origin: String::new(),
    }
}

pub fn tendon(name: &str, path: TendonPath) -> TendonSpec {
    TendonSpec {
        name: name.into(),
        path,
        stiffness: 0.0,
        damping: 0.0,
        stiffness_terms: [0.0; 2],
        damping_terms: [0.0; 2],
        rest: None,
        pull_only: false,
        limits: None,
        limit_margin: 0.0,
        friction_loss: 0.0,
        origin: String::new(),
    }
}

/// A point of a random body, the world among them.
fn point(rng: &mut Rng, bodies: usize) -> PathPoint {
    PathPoint::Point {
        body: rng.below(bodies),
        at: rng.vec3(0.3),
    }
}

/// Through three points, and after a pulley through two more.
pub fn branched(rng: &mut Rng, bodies: usize) -> TendonPath {
    let mut path: Vec<_> = (0..3).map(|_| point(rng, bodies)).collect();
    path.push(PathPoint::Pulley {
        divisor: rng.range(1.0, 3.0),
    });
    path.extend((0..2).map(|_| point(rng, bodies)));
    TendonPath::Spatial(path)
}

/// A solid on a random body, near its origin; without a side point, with one beside it, or with one inside,
/// which is on another body half of the times.
pub fn solid(rng: &mut Rng, bodies: usize, shape: WrapShape, way: usize) -> PathPoint {
    let (body, placement, radius) = (rng.below(bodies), rng.pose(0.2), rng.range(0.1, 0.3));
    let at = placement.point(rng.vec3(if way == 2 { 0.5 * radius } else { 2.0 }));
    let on = if rng.below(2) == 0 {
        body
    } else {
        rng.below(bodies)
    };
    PathPoint::Around(WrapSpec {
        body,
        placement,
        shape,
        radius,
        side: [None, Some((on, at)), Some((body, at))][way],
    })
}

/// Through points with a solid between any two, the last two after a pulley.
pub fn wrapped(rng: &mut Rng, bodies: usize, ways: [usize; 3]) -> TendonPath {
    let mut path = vec![point(rng, bodies)];
    for (k, way) in ways.into_iter().enumerate() {
        if k == 2 {
            path.push(PathPoint::Pulley {
                divisor: rng.range(1.0, 3.0),
            });
            path.push(point(rng, bodies));
        }
        let shape = [WrapShape::Sphere, WrapShape::Cylinder][rng.below(2)];
        path.push(solid(rng, bodies, shape, way));
        path.push(point(rng, bodies));
    }
    TendonPath::Spatial(path)
}

/// The path without the solids.
pub fn unwrapped(path: &TendonPath) -> TendonPath {
    let mut path = path.clone();
    if let TendonPath::Spatial(list) = &mut path {
        list.retain(|p| !matches!(p, PathPoint::Around(_)));
    }
    path
}

/// Over all joints of one dof.
pub fn fixed(rng: &mut Rng, spec: &ModelSpec) -> TendonPath {
    let joints = spec.bodies.iter().flat_map(|b| &b.joints);
    let single = joints.filter(|j| {
        use diffsim::model::spec::JointKind::{Continuous, Prismatic, Revolute};
        [Revolute, Continuous, Prismatic].contains(&j.kind)
    });
    TendonPath::Fixed(
        single
            .map(|j| (j.name.clone(), rng.range(-1.0, 1.0)))
            .collect(),
    )
}

/// A random tree with tendons that wrap around solids.
pub fn wrapped_spec(seed: u64, n: usize) -> ModelSpec {
    let mut spec = random_spec(seed, n);
    let mut rng = Rng::new(700 + seed);
    for (k, ways) in [[0, 0, 0], [1, 1, 0], [2, 1, 2]].into_iter().enumerate() {
        let mut t = tendon(&format!("wrap{k}"), wrapped(&mut rng, n + 1, ways));
        (t.stiffness, t.damping) = (rng.range(5.0, 50.0), rng.range(0.5, 3.0));
        spec.tendons.push(t);
    }
    spec
}

/// A random tree with spatial and fixed tendons and springs between its bodies.
pub fn corded_spec(seed: u64, n: usize) -> ModelSpec {
    let mut spec = random_spec(seed, n);
    let mut rng = Rng::new(900 + seed);
    for k in 0..3 {
        let mut t = tendon(&format!("cord{k}"), branched(&mut rng, n + 1));
        (t.stiffness, t.damping) = (rng.range(5.0, 50.0), rng.range(0.5, 3.0));
        spec.tendons.push(t);
    }
    let path = fixed(&mut rng, &spec);
    if matches!(&path, TendonPath::Fixed(terms) if !terms.is_empty()) {
        let mut t = tendon("sum", path);
        (t.stiffness, t.damping) = (rng.range(5.0, 50.0), rng.range(0.5, 3.0));
        spec.tendons.push(t);
    }
    for k in 0..2 {
        let bodies = [rng.below(n + 1), 1 + rng.below(n)];
        spec.springs
            .push(spring(&format!("spring{k}"), bodies, &mut rng));
    }
    spec
}

pub fn corded(seed: u64, n: usize) -> Model {
    Model::compile(corded_spec(seed, n), Actuation::Full).expect("cords between bodies are a model")
}

/// The coordinates of all ends of springs and points of tendons in their bodies.
pub fn anchors(model: &Model) -> Vec<Param> {
    let mut list = Vec::new();
    for (i, t) in model.tendons().iter().enumerate() {
        if let TendonPath::Spatial(path) = &t.path {
            let points = path.iter().enumerate();
            let points = points.filter(|(_, p)| matches!(p, PathPoint::Point { .. }));
            list.extend(points.flat_map(|(k, _)| {
                (4 + 3 * k..7 + 3 * k).map(move |c| param(ParamKind::Tendon, i, c))
            }));
        }
    }
    for i in 0..model.springs().len() {
        list.extend((2..8).map(|c| param(ParamKind::Spring, i, c)));
    }
    list
}
