//! Bilateral constraints in the step: Jacobians against differences for every kind, closed loops over
//! time, and invariants of the interface.

use crate::common::checker::*;
use crate::common::*;
use diffsim::dynamics::kinematics::{Kinematics, positions};
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{
    BodySpec, EqualityKind, EqualitySpec, JointKind, JointSpec, ModelSpec, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim, StepJacobians};
use std::f64::consts::TAU;
use std::sync::Arc;

fn equality(name: &str, kind: EqualityKind) -> EqualitySpec {
    EqualitySpec {
        name: name.into(),
        active: true,
        kind,
        origin: String::new(),
    }
}

/// A chain of bodies from the world; returns the last one.
fn chain(spec: &mut ModelSpec, rng: &mut Rng, kinds: &[JointKind]) -> usize {
    let mut parent = 0;
    for kind in kinds {
        let id = spec.bodies.len();
        spec.bodies.push(random_body(rng, id, parent, *kind));
        parent = id;
    }
    parent
}

/// A tree with two arms, and a third arm on the world, with one equality.
fn three_arms(kind: impl Fn(&mut Rng) -> EqualityKind) -> Model {
    let (mut spec, mut rng) = arms();
    let kind = kind(&mut rng);
    spec.equalities.push(equality("e", kind));
    Model::compile(spec, Actuation::Full).unwrap()
}

fn arms() -> (ModelSpec, Rng) {
    use JointKind::*;
    let mut rng = Rng::new(17);
    let mut spec = ModelSpec::default();
    chain(&mut spec, &mut rng, &[Spherical, Revolute, Universal]);
    let fork = random_body(&mut rng, 4, 1, Prismatic);
    spec.bodies.push(fork);
    let arm = random_body(&mut rng, 5, 4, Spherical);
    spec.bodies.push(arm);
    chain(&mut spec, &mut rng, &[Free, Revolute]);
    (spec, rng)
}

/// A pose of a point of body `b` in body `a`, not far from that at the reference.
fn near_reference(rng: &mut Rng, a: usize, b: usize, anchor: Vec3) -> Pose {
    let model = Model::compile(arms().0, Actuation::Full).unwrap();
    let mut kin = Kinematics::new(&model);
    positions(&mut kin, &model, model.params(), model.neutral());
    let pose = |body| kin.body_pose(&model, body);
    let shift = Pose::from_quat(Quat::exp(rng.vec3(0.4)).normalized(), rng.vec3(0.2));
    pose(a)
        .relative(&pose(b))
        .compose(&Pose::translation(anchor))
        .compose(&shift)
}

fn placement(model: &Model, joint: &str) -> Vec<Param> {
    let index = model.joint_id(joint).unwrap() as i32;
    let param = |component| Param {
        kind: ParamKind::JointPlacement,
        index,
        component,
    };
    (0..6).map(param).collect()
}

/// Last bodies of the arms: 3 and 5 of one tree, 7 of another, and the world.
const PAIRS: [(&str, usize, usize); 5] = [
    ("tree and world", 3, 0),
    ("world and tree", 0, 7),
    ("loop", 3, 5),
    ("two trees", 5, 7),
    ("body and its ancestor", 5, 1),
];

fn check_kind(name: &str, model: Model) {
    let cases = [
        (Contact::Ncp, 0.0, 0.0, options(4e-3)),
        (Contact::Ncp, 0.0, 0.0, at_once(options(4e-3))),
        (Contact::Ncp, 0.7, 0.2, options(4e-3)),
        (Contact::Convex, 0.0, 0.0, options(4e-3)),
    ];
    for (contact, kp, kd, options) in cases {
        let mut rng = Rng::new(23);
        let nv = model.nv();
        let mut c = Checker::new(
            model.clone(),
            &Options {
                contact,
                kp,
                kd,
                ..options
            },
        );
        // Nothing switches, and the step is smooth over a wide range.
        (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
        let mut list = placement(&model, "joint2");
        list.extend(placement(&model, "joint6"));
        list.push(Param {
            kind: ParamKind::BodyInertia,
            index: 3,
            component: 2,
        });
        if kp > 0.0 {
            list.push(Param {
                kind: ParamKind::Stabilization,
                index: 0,
                component: 0,
            });
        }
        c.select(&list);
        let mut q = random_q(&mut rng, &model, 0.3);
        let mut v = rng.vector(nv, 1.0);
        for _ in 0..4 {
            let u = rng.vector(nv, 3.0);
            c.check(&mut q, &mut v, &u);
        }
        c.report(&format!("{name}, {contact:?}, kp {kp} kd {kd}"));
    }
}

#[test]
fn connected_points() {
    for (name, body1, body2) in PAIRS {
        let model = three_arms(|rng| EqualityKind::Connect {
            body1,
            body2,
            anchor: rng.vec3(0.3),
        });
        check_kind(&format!("connect, {name}"), model);
    }
}

#[test]
fn welds() {
    // Between body and ancestor there are four dofs, too few for six rows.
    for (name, body1, body2) in PAIRS.into_iter().take(4) {
        for given in [false, true] {
            let model = three_arms(|rng| {
                let anchor = rng.vec3(0.3);
                EqualityKind::Weld {
                    body1,
                    body2,
                    anchor,
                    relative: given.then(|| near_reference(rng, body1, body2, anchor)),
                    torque_scale: 0.6,
                }
            });
            check_kind(&format!("weld, {name}, given {given}"), model);
        }
    }
}

#[test]
fn rods() {
    for (name, body1, body2) in PAIRS {
        let model = three_arms(|rng| EqualityKind::Distance {
            body1,
            body2,
            anchor1: rng.vec3(0.3),
            anchor2: rng.vec3(0.3),
            length: None,
        });
        check_kind(&format!("rod, {name}"), model);
    }
}

#[test]
fn joint_couplings() {
    for (name, leader, coefficients) in [
        ("constant", None, [0.2, 9.0, 9.0, 0.0, 0.0]),
        ("linear", Some("joint7"), [0.1, -1.5, 0.0, 0.0, 0.0]),
        ("quartic", Some("joint4"), [0.1, 0.8, -0.7, 1.2, 2.0]),
    ] {
        let model = three_arms(|_| EqualityKind::Joint {
            joint1: "joint2".into(),
            joint2: leader.map(str::to_string),
            coefficients,
            dofs: [0; 2],
        });
        check_kind(&format!("{name} coupling"), model);
    }
}

#[test]
fn couplings_of_joints_with_several_dofs() {
    for (name, joint, leader, dofs) in [
        ("inner", "joint3", Some("joint3"), [1, 0]),
        ("led", "joint2", Some("joint3"), [0, 1]),
        ("following", "joint3", Some("joint7"), [1, 0]),
        ("held", "joint3", None, [1, 0]),
    ] {
        let model = three_arms(|_| EqualityKind::Joint {
            joint1: joint.into(),
            joint2: leader.map(str::to_string),
            coefficients: [0.1, 0.8, -0.7, 0.0, 0.0],
            dofs,
        });
        check_kind(&format!("{name} coupling"), model);
    }
}

/// A quadruped whose feet, legs and trunk are tied in every way.
fn tied_quadruped(tie: bool) -> Model {
    let mut spec = quadruped_spec(false);
    if tie {
        let body = |spec: &ModelSpec, name: &str| {
            let found = spec.bodies.iter().position(|b| b.name == name);
            found.unwrap()
        };
        let rod = EqualityKind::Distance {
            body1: body(&spec, "calf0"),
            body2: body(&spec, "calf1"),
            anchor1: Vec3::new(0.0, 0.0, -0.21),
            anchor2: Vec3::new(0.0, 0.0, -0.21),
            length: None,
        };
        let coupling = EqualityKind::Joint {
            joint1: "thigh2".into(),
            joint2: Some("thigh3".into()),
            coefficients: [0.0, 1.0, 0.1, 0.0, 0.0],
            dofs: [0; 2],
        };
        spec.equalities = vec![equality("rod", rod), equality("coupling", coupling)];
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

#[test]
fn with_contacts_limits_and_friction() {
    for contact in LAWS {
        tied_quadruped_in_contact(contact);
    }
}

fn tied_quadruped_in_contact(contact: Contact) {
    let model = tied_quadruped(true);
    let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
    v[1] = 0.3;
    let rest = q.clone();
    let mut c = Checker::new(
        model.clone(),
        &Options {
            contact,
            ..options(2e-3)
        },
    );
    // The rod makes feet slide at less than 1e-4 m/s, which bends the step within that range.
    c.eps = match contact {
        Contact::Convex => 3e-7,
        _ => 3e-8,
    };
    let mut list = placement(&model, "calf0");
    list.push(Param {
        kind: ParamKind::GeomFriction,
        index: 0,
        component: 0,
    });
    list.push(Param {
        kind: ParamKind::JointFriction,
        index: model.joint_id("calf1").unwrap() as i32,
        component: 0,
    });
    c.select(&list);
    let mut rng = Rng::new(4);
    for step in 0..80 {
        let mut u = vec![0.0; 18];
        for k in 6..18 {
            u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
        }
        if step % 6 == 0 {
            c.check(&mut q, &mut v, &u);
        } else {
            let (q0, v0) = (q.clone(), v.clone());
            c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
        }
    }
    assert!(!c.sim.contacts().is_empty());
    c.report(&format!("tied quadruped, {contact:?}"));
}

/// A slender bar along x that turns about y at its beginning.
fn bar(name: &str, parent: usize, at: Vec3, angle: f64, length: f64) -> BodySpec {
    let mut j = JointSpec::new(name, JointKind::Revolute);
    j.axis = Vec3::Y;
    BodySpec {
        name: name.into(),
        parent,
        placement: Pose::from_quat(Quat::exp(Vec3::Y * angle).normalized(), at),
        inertia: Inertia::from_com(
            length,
            Vec3::new(0.5 * length, 0.0, 0.0),
            Sym3::diagonal(Vec3::new(1.0, length * length, length * length) * (length / 12.0)),
        ),
        joints: vec![j],
        ..BodySpec::world()
    }
}

/// Crank, coupler and rocker in the xz plane, closed by a point: three rows, of which one is redundant.
fn four_bar() -> Model {
    let mut spec = ModelSpec::default();
    // A parallelogram's neighbour: crank 0.2, coupler 0.5, rocker 0.3, ground 0.4.
    let (crank, rocker) = (Vec3::new(0.0, 0.0, -0.2), Vec3::new(0.4, 0.0, 0.0));
    let pin = closing_point(crank, 0.5, rocker, 0.3);
    let angle = |d: Vec3| (-d.z).atan2(d.x);
    let first = angle(crank);
    spec.bodies.push(bar("crank", 0, Vec3::ZERO, first, 0.2));
    let second = angle(pin - crank) - first;
    spec.bodies
        .push(bar("coupler", 1, Vec3::new(0.2, 0.0, 0.0), second, 0.5));
    spec.bodies
        .push(bar("rocker", 0, rocker, angle(pin - rocker), 0.3));
    spec.equalities.push(equality(
        "pin",
        EqualityKind::Connect {
            body1: 2,
            body2: 3,
            anchor: Vec3::new(0.5, 0.0, 0.0),
        },
    ));
    Model::compile(spec, Actuation::Full).unwrap()
}

/// The lower point at distance `a` from `p` and `b` from `q`, all in the xz plane.
fn closing_point(p: Vec3, a: f64, q: Vec3, b: f64) -> Vec3 {
    let d = (q - p).norm();
    let along = (q - p) * (1.0 / d);
    let x = (d * d + a * a - b * b) / (2.0 * d);
    let y = (a * a - x * x).sqrt();
    p + along * x + Vec3::new(along.z, 0.0, -along.x) * y
}

fn gap_of_pin(sim: &mut Sim, q: &[f64]) -> f64 {
    let mut m = vec![0.0; 16 * sim.model().nbody()];
    sim.forward_kinematics(q, &mut m).unwrap();
    let point = |body: usize, x: f64| {
        let m = &m[16 * body..];
        Vec3::new(m[12] + m[0] * x, m[13] + m[1] * x, m[14] + m[2] * x)
    };
    (point(2, 0.5) - point(3, 0.3)).norm()
}

#[test]
fn a_four_bar_linkage_stays_closed() {
    let mut sim = Sim::new(Arc::new(four_bar()), &options(1e-3)).unwrap();
    let (mut q, mut v) = (sim.model().neutral().to_vec(), vec![0.0; 3]);
    let start = gap_of_pin(&mut sim, &q);
    assert!(start < 1e-15, "{start:e}");
    let (mut worst, mut residual, mut travel) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..10_000 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[0.0; 3], &mut q, &mut v).unwrap();
        worst = worst.max(gap_of_pin(&mut sim, &q));
        residual = residual.max(sim.step_info().unwrap().residual);
        travel = travel.max(q[0].abs());
    }
    println!("gap {worst:.1e} m, residual {residual:.1e}, crank turned by {travel:.2} rad");
    assert!(travel > 0.2);
    assert!(residual < 1e-9);
    assert!(worst < 1e-6);
}

#[test]
fn redundant_rows_have_derivatives() {
    let model = four_bar();
    let mut c = Checker::new(model.clone(), &options(2e-3));
    // Displacements that leave the plane would jam the linkage.
    let in_plane = |p: &Param| [0, 2, 4].contains(&p.component);
    let list: Vec<Param> = ["coupler", "rocker"]
        .iter()
        .flat_map(|j| placement(&model, j))
        .filter(in_plane)
        .collect();
    c.select(&list);
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 3]);
    for k in 0..20 {
        c.check(&mut q, &mut v, &[(0.3 * k as f64).sin(), 0.0, 0.1]);
    }
    c.report("four-bar linkage");
}

/// A parallelogram in the xz plane. At its reference all bars lie on one line.
fn flat_parallelogram(gravity: Vec3) -> Model {
    let mut spec = ModelSpec {
        gravity,
        ..ModelSpec::default()
    };
    spec.bodies.push(bar("crank", 0, Vec3::ZERO, 0.0, 0.2));
    let of_coupler = Vec3::new(0.2, 0.0, 0.0);
    spec.bodies.push(bar("coupler", 1, of_coupler, 0.0, 0.4));
    let of_rocker = Vec3::new(0.4, 0.0, 0.0);
    spec.bodies.push(bar("rocker", 0, of_rocker, 0.0, 0.2));
    let pin = EqualityKind::Connect {
        body1: 2,
        body2: 3,
        anchor: Vec3::new(0.4, 0.0, 0.0),
    };
    spec.equalities.push(equality("pin", pin));
    Model::compile(spec, Actuation::Full).unwrap()
}

/// A plate on six rods between two triangles. Turned by a quarter from the middle it is singular.
fn stewart_platform(turn: f64) -> Model {
    let mut spec = ModelSpec::default();
    let shape = ShapeSpec::Sphere { radius: 0.01 };
    free_body(&mut spec, "plate", Vec3::new(0.0, 0.0, 0.5), shape);
    let on_circle = |radius: f64, angle: f64| Vec3::new(angle.cos(), angle.sin(), 0.0) * radius;
    for k in 0..6 {
        let angle = TAU * f64::from(k / 2) / 3.0;
        let to = angle + [-TAU, TAU][k as usize % 2] / 6.0 + turn;
        let rod = EqualityKind::Distance {
            body1: 0,
            body2: 1,
            anchor1: on_circle(0.6, angle),
            anchor2: on_circle(0.3, to),
            length: None,
        };
        spec.equalities.push(equality(&format!("rod{k}"), rod));
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

/// Labels of the columns by q of a step. Columns that are labelled exact must equal differences.
fn labels_by_q(model: &Model, contact: Contact, q: &[f64], v: &[f64]) -> (Gradient, Vec<u8>) {
    let options = Options {
        contact,
        ..options(1e-3)
    };
    let mut sim = Sim::new(Arc::new(model.clone()), &options).unwrap();
    let (nv, u) = (model.nv(), vec![0.0; model.nu()]);
    let (mut to, mut after, mut by) = (q.to_vec(), vec![0.0; nv], vec![0.0; nv * nv]);
    sim.step(q, v, &u, &mut to, &mut after).unwrap();
    sim.step_jacobians(StepJacobians {
        dv_dq: Some(&mut by),
        ..StepJacobians::default()
    })
    .unwrap();
    let gradient = sim.step_info().unwrap().gradient;
    let labels = sim.column_labels().unwrap();
    assert!(labels.v.iter().chain(labels.u).all(|x| *x == 0));
    let labels = labels.q.to_vec();
    let differences = by_q(model, q, |q| {
        sim.step(q, v, &u, &mut to, &mut after).unwrap();
        after.clone()
    });
    let columns = by.chunks_exact(nv).zip(differences.chunks_exact(nv));
    for (k, (ours, theirs)) in columns.enumerate().filter(|(k, _)| labels[*k] == 0) {
        let error = relative_error(ours, theirs);
        assert!(
            error < 1e-6,
            "{contact:?} {q:?} {v:?} column {k}: {error:e}"
        );
    }
    (gradient, labels)
}

/// Rows depend on each other at a singular pose and not beside it. Velocities after the step jump there, also
/// if nothing moves.
#[test]
fn loops_at_singular_poses_are_one_sided_by_positions() {
    let flat = flat_parallelogram(Vec3::new(0.0, 0.0, -9.81));
    let bend = |x: f64| [x, -x, x];
    for contact in [Contact::Ncp, Contact::Lcp] {
        for speed in [bend(0.0), bend(1.0), [0.3, -0.8, 0.7]] {
            let label = labels_by_q(&flat, contact, &[0.0; 3], &speed);
            assert_eq!(label, (Gradient::OneSided, vec![1; 3]), "{speed:?}");
            // Off the pose the only redundant row is that across the plane.
            let label = labels_by_q(&flat, contact, &bend(0.4), &speed);
            assert_eq!(label, (Gradient::Exact, vec![0; 3]), "{speed:?}");
        }
        let (turned, middle) = (stewart_platform(0.25 * TAU), stewart_platform(0.5));
        for speed in [0.0, 0.5] {
            let v = vec![speed; 6];
            let (label, by) = labels_by_q(&turned, contact, turned.neutral(), &v);
            assert_eq!(label, Gradient::OneSided);
            assert!(by.contains(&1), "{by:?}");
            let label = labels_by_q(&middle, contact, middle.neutral(), &v);
            assert_eq!(label, (Gradient::Exact, vec![0; 6]));
        }
    }
    // Nothing moves, so that δJ v⁺ is zero.
    let flat = flat_parallelogram(Vec3::ZERO);
    let label = labels_by_q(&flat, Contact::Ncp, &[0.0; 3], &[0.0; 3]);
    assert_eq!(label, (Gradient::OneSided, vec![1; 3]));
    // Compliant rows depend on each other nowhere.
    let label = labels_by_q(&flat, Contact::Convex, &[0.0; 3], &[0.0; 3]);
    assert_eq!(label, (Gradient::Exact, vec![0; 3]));
}

#[test]
fn memory_repeats_every_bit() {
    let mut sim = Sim::new(Arc::new(tied_quadruped(true)), &options(2e-3)).unwrap();
    let (mut q, mut v) = (standing(sim.model()), vec![0.0; 18]);
    let run = |sim: &mut Sim, q: &mut Vec<f64>, v: &mut Vec<f64>, n: usize| {
        for _ in 0..n {
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &[0.0; 18], q, v).unwrap();
        }
    };
    run(&mut sim, &mut q, &mut v, 30);
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    let (mut q2, mut v2) = (q.clone(), v.clone());
    run(&mut sim, &mut q, &mut v, 20);
    let mut other = Sim::new(sim.model().clone(), &options(2e-3)).unwrap();
    other.set_memory(&memory).unwrap();
    run(&mut other, &mut q2, &mut v2, 20);
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&q), bits(&v)), (bits(&q2), bits(&v2)));
}

#[test]
fn steps_with_equalities_do_not_allocate() {
    let mut sim = Sim::new(Arc::new(tied_quadruped(true)), &options(2e-3)).unwrap();
    let (q, v) = (standing(sim.model()), vec![0.1; 18]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let (mut dq, mut dv) = (vec![0.0; 18], vec![0.0; 18]);
    let used = allocation_counter::measure(|| {
        sim.step(&q, &v, &[0.0; 18], &mut qn, &mut vn).unwrap();
        sim.step_jvp(&[0.1; 18], &[], &[], &[], &mut dq, &mut dv)
            .unwrap();
        sim.step_vjp(&[1.0; 18], &[0.5; 18], Some(&mut dq), None, None, None)
            .unwrap();
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn inactive_equalities_change_no_bit() {
    let step = |model: Model| {
        let mut sim = Sim::new(Arc::new(model), &options(2e-3)).unwrap();
        let (q, v) = (standing(sim.model()), vec![0.1; 18]);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        sim.step(&q, &v, &[0.0; 18], &mut qn, &mut vn).unwrap();
        [qn, vn].concat()
    };
    let mut spec = quadruped_spec(false);
    let hold = EqualityKind::Joint {
        joint1: "hip0".into(),
        joint2: None,
        coefficients: [0.0; 5],
        dofs: [0; 2],
    };
    spec.equalities.push(EqualitySpec {
        active: false,
        ..equality("off", hold)
    });
    let off = Model::compile(spec, Actuation::Full).unwrap();
    let free = step(tied_quadruped(false));
    assert_eq!(step(off), free);
    assert_ne!(step(tied_quadruped(true)), free);
}

/// Six rows on one dof: no velocity closes the gap.
#[test]
fn a_weld_that_cannot_close_says_so() {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(2);
    chain(&mut spec, &mut rng, &[JointKind::Revolute]);
    let weld = EqualityKind::Weld {
        body1: 0,
        body2: 1,
        anchor: Vec3::ZERO,
        relative: Some(rng.pose(0.3)),
        torque_scale: 1.0,
    };
    spec.equalities.push(equality("weld", weld));
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let mut sim = Sim::new(Arc::new(model), &options(1e-3)).unwrap();
    let (mut q, mut v) = ([0.0], [0.0]);
    sim.step(&[0.3], &[0.0], &[0.0], &mut q, &mut v).unwrap();
    let info = sim.step_info().unwrap();
    println!("residual {:.1e}, speed {:.1e}", info.residual, v[0]);
    assert!(!info.converged && v[0].is_finite());
    let (mut dq, mut dv) = ([0.0], [0.0]);
    assert!(
        sim.step_jvp(&[1.0], &[], &[], &[], &mut dq, &mut dv)
            .is_err()
    );
}

#[test]
fn mistakes_are_named() {
    let refused = |kind: EqualityKind| {
        let mut spec = quadruped_spec(false);
        spec.equalities.push(equality("bad", kind));
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let e = Sim::new(Arc::new(model), &options(1e-3)).unwrap_err();
        assert!(e.message.starts_with("equality \"bad\": "), "{e}");
        e.message
    };
    let joint = |a: &str, b: &str, c: f64| EqualityKind::Joint {
        joint1: a.into(),
        joint2: Some(b.into()),
        coefficients: [c, 1.0, 0.0, 0.0, 0.0],
        dofs: [0; 2],
    };
    assert!(refused(joint("hip0", "nobody", 0.0)).contains("no joint is called \"nobody\""));
    assert!(refused(joint("hip0", "trunk_free", 0.0)).contains("numbers of their own"));
    let beyond = EqualityKind::Joint {
        joint1: "hip0".into(),
        joint2: Some("hip1".into()),
        coefficients: [0.0; 5],
        dofs: [0, 1],
    };
    assert!(refused(beyond).contains("joint \"hip1\" must have a dof 1, it has 1"));
    assert!(refused(joint("hip0", "hip0", 0.0)).contains("cannot follow itself"));
    assert!(refused(joint("hip0", "hip1", f64::NAN)).contains("coefficients must be finite"));
    let connect = |body2, x| EqualityKind::Connect {
        body1: 1,
        body2,
        anchor: Vec3::X * x,
    };
    assert!(refused(connect(1, 0.0)).contains("cannot move against each other"));
    assert!(refused(connect(0, f64::INFINITY)).contains("anchor must be finite"));
    let rod = |x| EqualityKind::Distance {
        body1: 0,
        body2: 1,
        anchor1: Vec3::ZERO,
        anchor2: Vec3::ZERO,
        length: Some(x),
    };
    assert!(refused(rod(0.0)).contains("length must be positive"));
    let weld = |torque_scale| EqualityKind::Weld {
        body1: 0,
        body2: 1,
        anchor: Vec3::ZERO,
        relative: None,
        torque_scale,
    };
    assert!(refused(weld(-1.0)).contains("torque scale"));
}

/// PR2 and Talos with jammed linkages of their grippers were unsolved in every step, because every level of
/// stabilization required rigid couplings to close. Couplings yield as limits do, and free dofs move.
#[test]
fn a_coupling_that_limits_keep_from_closing_yields() {
    let mut spec = ModelSpec::default();
    for (name, limits) in [("left", (-1.0, 0.0)), ("right", (0.2, 1.0))] {
        let at = crate::common::scene::at(0.0, 0.0, 0.0);
        let shape = crate::common::scene::ball(0.1);
        let id = crate::common::scene::body(&mut spec, name, JointKind::Prismatic, at, 1.0, shape);
        spec.bodies[id].joints[0].limits = Some(limits);
        spec.bodies[id].joints[0].axis = Vec3::X;
    }
    let at = crate::common::scene::at(0.3, 0.0, 0.0);
    let shape = crate::common::scene::ball(0.1);
    let flap = crate::common::scene::body(&mut spec, "flap", JointKind::Revolute, at, 1.0, shape);
    spec.bodies[flap].parent = flap - 1;
    spec.bodies[flap].joints[0].axis = Vec3::Y;
    spec.bodies[flap].joints[0].anchor = Vec3::X * -0.3;
    for g in &mut spec.geoms {
        (g.contype, g.conaffinity) = (0, 0);
    }
    let name = |b: usize| spec.bodies[b].joints[0].name.clone();
    let coupling = EqualityKind::Joint {
        joint1: name(flap - 2),
        joint2: Some(name(flap - 1)),
        coefficients: [0.0, 1.0, 0.0, 0.0, 0.0],
        dofs: [0; 2],
    };
    spec.equalities = vec![equality("coupling", coupling)];
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let (mut q, mut v, u) = (
        vec![1e-4, 0.2 - 1e-4, 0.4],
        vec![0.0, 0.0, 0.3],
        vec![0.0; 3],
    );
    let mut sim = Sim::new(Arc::new(model.clone()), &options(1e-3)).unwrap();
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    for _ in 0..40 {
        let (from, speed) = (q_next.clone(), v_next.clone());
        sim.step(&from, &speed, &u, &mut q_next, &mut v_next)
            .unwrap();
        let info = sim.step_info().unwrap();
        assert!(
            info.converged && info.push_out_given_up,
            "{q_next:?} {v_next:?} {info:?}"
        );
    }
    // Both limits give way by a little, and then nothing moves.
    assert!(q_next[0] < 2e-3 && q_next[1] > 0.2 - 2e-3, "{q_next:?}");
    assert!(v_next[0].abs().max(v_next[1].abs()) < 1e-2, "{v_next:?}");
    assert!((v_next[2] - v[2]).abs() > 0.1, "{v_next:?}");
    let mut c = Checker::new(model, &options(1e-3));
    c.check(&mut q, &mut v, &u);
    c.report("a coupling that yields");
}

/// A point of a sliding body held to the hinged one it slides on: of the three rows one moves anything, the
/// others are 1e-17, and held both coordinates at rest, with a residual of round-off and an exact label.
#[test]
fn rows_of_round_off_hold_nothing() {
    let text = r#"<mujoco><worldbody><body name="A" pos="0.08 0 0"><joint type="hinge" axis="0 1 0"/>
        <geom type="sphere" size="0.05" mass="1"/><body name="B" pos="-0.145072 0 -0.15"><joint type="slide" axis="0 1 0"/>
        <geom type="sphere" size="0.05" mass="1"/></body></body></worldbody>
        <equality><connect body1="B" body2="A" anchor="0 0 0"/></equality></mujoco>"#;
    let spec = read_str(text, None, &MjcfOptions::default()).unwrap();
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut rng = Rng::new(158);
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let options = Options {
            contact,
            time_step: 2e-3,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        for _ in 0..200 {
            let (q, v) = (rng.vector(2, 1.0), rng.vector(2, 2.0));
            let (mut to, mut after) = ([0.0; 2], [0.0; 2]);
            sim.step(&q, &v, &[], &mut to, &mut after).unwrap();
            assert!(
                (after[0] - v[0]).abs() < 0.1 && after[1].abs() < 0.6,
                "{contact:?} {q:?} {v:?} {after:?}"
            );
            let mut by_q = [0.0; 4];
            sim.step_jacobians(StepJacobians {
                dv_dq: Some(&mut by_q),
                ..StepJacobians::default()
            })
            .unwrap();
            for (k, column) in by_q.chunks_exact(2).enumerate() {
                let [up, down] = [1e-6, -1e-6].map(|width| {
                    let (mut beside, mut after) = ([q[0], q[1]], [0.0; 2]);
                    beside[k] += width;
                    sim.step(&beside, &v, &[], &mut to, &mut after).unwrap();
                    after
                });
                for (x, (up, down)) in column.iter().zip(up.iter().zip(down)) {
                    let slope = (up - down) / 2e-6;
                    assert!(
                        (x - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                        "{contact:?} {k} {x} {slope}"
                    );
                }
            }
        }
    }
}
