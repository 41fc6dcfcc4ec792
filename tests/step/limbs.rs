//! Limbs with light links that whip: their energy, the momentum of a free robot, and the derivatives and the
//! inverse of their steps.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::{Rng, param, random_q, relative_error};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

/// Mass and radius of gyration of the links, from the shoulder to the fingers.
const LINKS: [(f64, f64); 6] = [
    (5.0, 0.1),
    (3.0, 0.1),
    (2.0, 0.1),
    (0.2, 0.03),
    (0.05, 0.02),
    (0.02, 0.01),
];

fn flying(h: f64) -> Options {
    Options {
        time_step: h,
        contact: Contact::None,
        ..Options::default()
    }
}

fn add(spec: &mut ModelSpec, rng: &mut Rng, parent: usize, place: usize, kind: JointKind) -> usize {
    let (mass, size) = LINKS[place];
    let id = spec.bodies.len();
    let mut b = BodySpec::world();
    (b.name, b.parent) = (format!("link{id}"), parent);
    b.placement = rng.pose(if place < 3 { 0.3 } else { 0.05 });
    let moments = Sym3::diagonal(Vec3::new(0.6, 0.8, 1.0) * (mass * size * size));
    let own = Inertia::from_com(mass, rng.vec3(0.5 * size), moments);
    b.inertia = own.transformed(&Pose::from_quat(rng.quat(), Vec3::ZERO));
    let mut joint = JointSpec::new(format!("joint{id}"), kind);
    joint.axis = [Vec3::X, Vec3::Y, Vec3::Z][rng.below(3)];
    b.joints = vec![joint];
    spec.bodies.push(b);
    id
}

/// An arm with these joints; with `fingers`, two chains at its last three links; with `base`, on a free body.
fn arm(seed: u64, kinds: [JointKind; 6], fingers: bool, base: bool) -> Arc<Model> {
    let (mut spec, mut rng) = (ModelSpec::default(), Rng::new(seed));
    let mut at = 0;
    if base {
        let mut b = BodySpec::world();
        b.name = "base".into();
        b.inertia = Inertia::from_com(
            8.0,
            Vec3::new(0.05, 0.02, 0.01),
            Sym3::diagonal(Vec3::new(0.2, 0.3, 0.25)),
        );
        b.joints = vec![JointSpec::new("free", JointKind::Free)];
        spec.bodies.push(b);
        at = 1;
    }
    let mut wrist = at;
    for (place, kind) in kinds.into_iter().enumerate() {
        at = add(&mut spec, &mut rng, at, place, kind);
        if place == 2 {
            wrist = at;
        }
    }
    if fingers {
        for place in 3..6 {
            wrist = add(&mut spec, &mut rng, wrist, place, JointKind::Revolute);
        }
    }
    spec.gravity = Vec3::ZERO;
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

const HINGES: [JointKind; 6] = [JointKind::Revolute; 6];

#[test]
fn light_wrists_that_whip_gain_no_energy() {
    for h in [1e-3, 2e-3, 3e-3, 5e-3, 1e-2] {
        let mut worst = 0.0_f64;
        for seed in 0..20 {
            let model = arm(seed, HINGES, seed % 2 == 1, false);
            let mut rng = Rng::new(100 + seed);
            let mut q = random_q(&mut rng, &model, 1.5);
            let mut v = rng.vector(model.nv(), 17.0);
            let mut sim = Sim::new(model.clone(), &flying(h)).unwrap();
            let u = vec![0.0; model.nu()];
            let start = sim.energy(&q, &v).unwrap().0;
            for _ in 0..(1.0 / h) as usize {
                let (from, speed) = (q.clone(), v.clone());
                sim.step(&from, &speed, &u, &mut q, &mut v).unwrap();
                worst = worst.max(sim.energy(&q, &v).unwrap().0 / start);
            }
        }
        println!("h {h}: {worst:.3}");
        assert!(worst < 1.15, "{h}: {worst}");
    }
}

fn inertial(body: usize) -> impl Iterator<Item = Param> {
    (0..10).map(move |k| param(ParamKind::BodyInertia, body, k))
}

#[test]
fn derivatives_of_fast_limbs() {
    let turning = |kind| [HINGES[0], kind, HINGES[0], HINGES[0], kind, HINGES[0]];
    for (name, model) in [
        ("hinges", arm(1, HINGES, false, false)),
        ("fingers", arm(2, HINGES, true, false)),
        ("flying", arm(3, HINGES, true, true)),
        ("balls", arm(4, turning(JointKind::Spherical), false, true)),
        ("slides", arm(5, turning(JointKind::Prismatic), true, false)),
    ] {
        // Below, within and above the speeds at which the implicit terms begin.
        for turn in [0.04, 0.06, 0.08, 0.2, 0.5] {
            for prescribed in [None, Some(model.nv() - 2)] {
                let h = 2e-2;
                let mut rng = Rng::new(7);
                let q = random_q(&mut rng, &model, 0.7);
                let v = rng.vector(model.nv(), 1.0);
                let size = v.iter().map(|v| v * v).sum::<f64>().sqrt();
                let v: Vec<f64> = v.iter().map(|v| v * turn / h / size).collect();
                let mut c = Checker::new(model.clone(), &flying(h));
                (c.eps, c.stencil) = (4e-6, FOURTH_ORDER);
                if let Some(k) = prescribed {
                    c.sim.prescribe(k, 0.5 * turn / h).unwrap();
                }
                let last = model.nbody() - 1;
                let joint = model.njoint() - 2;
                let placed = (0..6).map(|k| param(ParamKind::JointPlacement, joint, k));
                let own = [param(ParamKind::JointArmature, joint, 0)];
                let all: Vec<Param> = inertial(last - 2).chain(placed).chain(own).collect();
                c.select(&all);
                c.set(&[(16, 1e-3)]);
                c.label = format!("{name} {turn} {prescribed:?}");
                let (mut q, mut v) = (q, v);
                let u = vec![0.0; model.nu()];
                c.check(&mut q, &mut v, &u);
                let tally = c.tally(name);
                assert_eq!(tally.wrong, 0, "{}", c.label);
                assert!(tally.checked > 0 && tally.apart < 1e-10, "{}", c.label);
            }
        }
    }
}

#[test]
fn the_inverse_finds_the_force_on_fast_limbs() {
    for base in [false, true] {
        let model = arm(6, HINGES, true, base);
        let mut sim = Sim::new(model.clone(), &flying(2e-3)).unwrap();
        let mut rng = Rng::new(8);
        let q = random_q(&mut rng, &model, 1.0);
        let (v, u) = (rng.vector(model.nv(), 100.0), rng.vector(model.nu(), 2.0));
        let (mut a, mut force) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        sim.forward(&q, &v, &u, &mut a).unwrap();
        let zero = vec![0.0; model.nu()];
        sim.inverse(&q, &v, &zero, &a, &mut force).unwrap();
        let size = a.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        assert!(relative_error(&force, &u) < 1e-12 * size, "{base}");
    }
}
