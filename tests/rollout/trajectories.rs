//! Gradients of trajectories of 100 steps, with every integrator: by controls, by initial states and by all
//! parameters of the active elements, for trees with all kinds of joints, driven tendons of all kinds, and
//! penalty contact that sticks and slips.

use crate::common::lengths::Probe;
use crate::common::penalty::{all_parameters, roughen};
use crate::common::scene::{at, ball, body, cuboid, free, ground};
use crate::common::tendons::{anchors, tendon, unwrapped};
use crate::common::tethers::{point, spring};
use crate::common::trajectory::{From, compare};
use crate::common::{Rng, param, random_body, random_q};
use diffsim::model::fluid::Fluid;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, GeomSpec, JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath, Transmission, WrapShape, WrapSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Integrator, Options};
use std::sync::Arc;

const STEPS: usize = 100;

const ALL: [Integrator; 7] = [
    Integrator::SymplecticEuler,
    Integrator::SymplecticEulerWorld,
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
    Integrator::Bdf1,
    Integrator::Sdirk2,
    Integrator::Bdf2,
];

fn options(integrator: Integrator, contact: Contact) -> Options {
    Options {
        integrator,
        contact,
        time_step: 1e-3,
        ..Options::default()
    }
}

/// All that a step without contact laws depends on.
fn parameters(model: &Model) -> Vec<Param> {
    use ParamKind as K;
    let mut list = all_parameters(model);
    list.extend(anchors(model));
    for j in 0..model.njoint() {
        for c in 0..model.joint(j).nv {
            list.extend([K::JointDamping, K::JointStiffness].map(|kind| param(kind, j, c)));
            let reference = param(K::JointSpringReference, j, c);
            list.extend(model.check_param(&reference).is_ok().then_some(reference));
        }
    }
    for i in 0..model.tendons().len() {
        list.extend((0..4).map(|c| param(K::Tendon, i, c)));
    }
    for i in 0..model.springs().len() {
        list.extend((0..2).map(|c| param(K::Spring, i, c)));
    }
    for b in 1..model.nbody() {
        list.extend((0..6).map(|c| param(K::ExternalWrench, b, c)));
    }
    list
}

fn actuator(name: &str, transmission: Transmission, gear: f64) -> ActuatorSpec {
    ActuatorSpec {
        gear: [gear, 0.0, 0.0, 0.0, 0.0, 0.0],
        ..ActuatorSpec::new(name, transmission)
    }
}

/// A chain of the kinds, and a branch from its middle of the same.
fn tree(seed: u64, kinds: &[JointKind]) -> ModelSpec {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    for (k, kind) in kinds.iter().chain(kinds).enumerate() {
        let parent = match k == kinds.len() {
            // A free joint is that of a tree's root.
            true if *kind == JointKind::Free => 0,
            true => k / 2,
            false => k,
        };
        let mut b = random_body(&mut rng, k + 1, parent, *kind);
        let j = &mut b.joints[0];
        if *kind != JointKind::Free {
            // No number is at the end of its range.
            (j.armature, j.stiffness) = (j.armature.max(0.02), j.stiffness.max(0.5));
        }
        spec.bodies.push(b);
    }
    spec
}

fn start(model: &Model, seed: u64, [reach, speed, pull]: [f64; 3]) -> From {
    let mut rng = Rng::new(seed);
    From {
        q0: random_q(&mut rng, model, reach),
        v0: rng.vector(model.nv(), speed),
        u: rng.vector(model.nu() * STEPS, pull),
    }
}

#[test]
fn chains_and_trees() {
    use JointKind as J;
    for (name, kinds) in [
        ("hinges", [J::Revolute, J::Prismatic, J::Continuous]),
        ("balls", [J::Spherical, J::Planar, J::Universal]),
        ("in water", [J::Free, J::Spherical, J::PlanarTranslation]),
    ] {
        let mut spec = tree(3, &kinds);
        if name == "in water" {
            spec.fluid = Fluid {
                density: 4.0,
                viscosity: 0.3,
                wind: Vec3::new(0.7, -1.1, 0.4),
            };
        }
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let (from, list) = (start(&model, 5, [0.4, 0.5, 0.5]), parameters(&model));
        for integrator in ALL {
            let o = options(integrator, Contact::None);
            let c = compare(&model, &o, STEPS, &from, &list, 1e-4);
            // Drag has no second derivative where a body's velocity along an axis turns.
            let bound = if name == "in water" { 1e-7 } else { 1e-8 };
            c.accept(&format!("{name}, {integrator:?}"), bound);
        }
    }
}

/// On every tendon a motor, and on the first a servo, too; a motor on a joint.
fn drive(spec: &mut ModelSpec, joint: &str) {
    let names: Vec<String> = spec.tendons.iter().map(|t| t.name.clone()).collect();
    for (k, name) in names.iter().enumerate() {
        let on = Transmission::Tendon(name.clone());
        let gear = -1.0 - 0.3 * k as f64;
        spec.actuators
            .push(actuator(&format!("{name} motor"), on, gear));
    }
    let mut servo = actuator("servo", Transmission::Tendon(names[0].clone()), 0.7);
    (servo.gain, servo.bias) = (12.0, [1.0, -12.0, -0.8]);
    spec.actuators.push(servo);
    let on = Transmission::Joint(joint.into());
    spec.actuators.push(actuator("joint motor", on, 2.0));
}

fn around(
    body: usize,
    placement: Pose,
    shape: WrapShape,
    side: Option<(usize, Vec3)>,
) -> PathPoint {
    PathPoint::Around(WrapSpec {
        body,
        placement,
        shape,
        radius: 0.06,
        side,
    })
}

/// A trunk on three balls with a ball joint's arm, a hinge and a cross on it, beside a puck that a planar
/// joint keeps in the ground; between them paths of every kind, bent and straight, driven, and springs.
fn machine() -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    let mut rng = Rng::new(12);
    let trunk = free(
        &mut spec,
        "trunk",
        at(0.0, 0.0, 0.1985),
        3.0,
        cuboid(0.1, 0.1, 0.02),
    );
    // Only its feet touch.
    let of_trunk = spec.geoms.last_mut().unwrap();
    (of_trunk.contype, of_trunk.conaffinity) = (0, 0);
    for (k, [x, y]) in [[0.1, 0.0], [-0.08, 0.09], [-0.08, -0.1]]
        .into_iter()
        .enumerate()
    {
        let place = at(x, y, -0.15);
        spec.geoms
            .push(GeomSpec::new(format!("foot{k}"), trunk, place, ball(0.05)));
    }
    let mut parent = trunk;
    for kind in [
        JointKind::Spherical,
        JointKind::Revolute,
        JointKind::Universal,
    ] {
        let id = spec.bodies.len();
        let mut b = random_body(&mut rng, id, parent, kind);
        b.placement = Pose::from_quat(rng.quat(), Vec3::new(0.0, 0.02, 0.2));
        let j = &mut b.joints[0];
        (j.stiffness, j.damping, j.armature) = (6.0, 0.1, 0.02);
        spec.bodies.push(b);
        parent = id;
    }
    let puck = body(
        &mut spec,
        "puck",
        JointKind::Planar,
        at(0.5, 0.2, 0.0995),
        0.8,
        ball(0.1),
    );
    roughen(&mut spec);
    for g in &mut spec.geoms[1..] {
        // The largest stable value of explicit steps for such a light trunk.
        g.tangential = 40.0;
    }
    let mut add = |name: &str, path: TendonPath, numbers: [f64; 2], rest| {
        let mut t = tendon(name, path);
        ([t.stiffness, t.damping], t.rest) = (numbers, rest);
        spec.tendons.push(t);
    };
    let rod = Pose::from_quat(
        Quat::exp(Vec3::X * 1.4).normalized(),
        Vec3::new(0.0, 0.0, 0.1),
    );
    let bent = TendonPath::Spatial(vec![
        point(0, Vec3::new(-0.4, 0.05, 0.5)),
        around(trunk, rod, WrapShape::Cylinder, None),
        point(trunk + 1, Vec3::new(0.1, 0.05, 0.1)),
        PathPoint::Pulley { divisor: 2.0 },
        point(trunk, Vec3::new(0.2, 0.05, 0.02)),
        around(
            trunk + 1,
            Pose::IDENTITY,
            WrapShape::Sphere,
            Some((trunk, Vec3::new(0.0, 0.0, 0.5))),
        ),
        point(trunk + 3, Vec3::new(0.05, 0.02, 0.1)),
    ]);
    add("bent", bent, [60.0, 0.4], Some((0.2, 0.25)));
    let across = vec![
        point(puck, Vec3::new(0.0, 0.05, 0.02)),
        point(trunk + 2, Vec3::X * 0.1),
    ];
    add(
        "across",
        TendonPath::Spatial(across),
        [40.0, 0.3],
        Some((0.1, 0.1)),
    );
    let joint = spec_joint(trunk + 2);
    add(
        "hinge",
        TendonPath::Fixed(vec![(joint.clone(), 0.7)]),
        [5.0, 0.1],
        Some((0.3, 0.4)),
    );
    // It only pulls.
    spec.tendons[0].pull_only = true;
    let ends = [(puck, Vec3::Z * 0.02), (trunk, Vec3::new(0.1, 0.1, 0.0))];
    spec.springs.push(spring("between", ends, [8.0, 0.5]));
    spec.springs.push(spring(
        "held",
        [(0, Vec3::Z), (trunk + 3, Vec3::X * 0.1)],
        [6.0, 0.2],
    ));
    drive(&mut spec, &joint);
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        // No number is at the end of its range.
        (j.armature, j.damping) = (j.armature.max(0.01), j.damping.max(0.05));
        j.stiffness = j.stiffness.max(0.1);
    }
    spec
}

fn spec_joint(body: usize) -> String {
    format!("joint{body}")
}

/// How many paths bend somewhere at a configuration.
fn bent(spec: &ModelSpec, q: &[f64]) -> usize {
    let mut straight = spec.clone();
    for t in &mut straight.tendons {
        t.path = unwrapped(&t.path);
    }
    let lengths = [spec.clone(), straight].map(|s| {
        let model = Model::compile(s, Actuation::FromFile).unwrap();
        let mut probe = Probe::new(&model);
        probe.go(&model, q);
        probe.lengths()
    });
    let pairs = lengths[0].iter().zip(&lengths[1]);
    pairs.filter(|(bent, straight)| bent > straight).count()
}

#[test]
fn tendons_and_penalty_contact() {
    let spec = machine();
    let model = Arc::new(Model::compile(spec.clone(), Actuation::FromFile).unwrap());
    let mut from = start(&model, 2, [0.0, 0.05, 0.5]);
    from.v0[0] = 0.1;
    assert_eq!(bent(&spec, &from.q0), 1);
    let list = parameters(&model);
    for integrator in ALL {
        let o = options(integrator, Contact::Penalty);
        let c = compare(&model, &o, STEPS, &from, &list, 3e-6);
        c.accept(&format!("{integrator:?}"), 1e-7);
        assert!(c.modes[1] > 20 && c.modes[2] > 20, "{:?}", c.modes);
    }
}
