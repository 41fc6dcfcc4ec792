//! Random controls for seconds: the contact problem of every step is solved.
//!
//! Robots of packages and of the user take part where they are there, see [`common::robots`];
//! `DIFFSIM_SECONDS` makes the runs longer than the default.

mod common;

use common::Rng;
use common::robots::*;
use common::scene::*;
use diffsim::load::mjcf;
use diffsim::load::options::{Base, LoadOptions, ROOT_JOINT, load_file};
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Options, Sim};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn seconds(default: f64) -> f64 {
    std::env::var("DIFFSIM_SECONDS").map_or(default, |s| s.parse().unwrap())
}

fn example(name: &str) -> Model {
    let path = format!("{}/examples/models/{name}", env!("CARGO_MANIFEST_DIR"));
    let spec = mjcf::read_file(Path::new(&path), &mjcf::MjcfOptions::default()).unwrap();
    Model::compile(spec, Actuation::FromFile).unwrap()
}

/// What is asked of a run: the residual at its largest and what it took.
#[derive(Default)]
struct Tally {
    steps: usize,
    residual: f64,
    above: usize,
    unconverged: usize,
    iterations: usize,
    most: usize,
    hard: usize,
    contacts: usize,
    /// Steps without the push-out that was asked for.
    jammed: usize,
}

impl Tally {
    /// More iterations than this cannot be Newton steps alone.
    const NEWTON: usize = 40;

    fn add(&mut self, sim: &Sim) {
        let i = sim.step_info().unwrap();
        self.steps += 1;
        self.residual = self.residual.max(i.residual);
        self.above += usize::from(i.residual > RESIDUAL);
        self.unconverged += usize::from(!i.converged);
        self.iterations += i.iterations;
        self.most = self.most.max(i.iterations);
        self.hard += usize::from(i.iterations > Self::NEWTON);
        self.contacts = self.contacts.max(i.contacts);
        self.jammed += usize::from(i.push_out_given_up);
    }

    fn report(&self, name: &str, start: Instant) {
        println!(
            "{name}: {} steps, residual {:.1e}, {} above {RESIDUAL:e}, {} above the tolerance; \
             {} without push-out; iterations {:.1} on average, {} at most, {} steps above {}; \
             {} contacts at most; {:.0} us a step",
            self.steps,
            self.residual,
            self.above,
            self.unconverged,
            self.jammed,
            self.iterations as f64 / self.steps as f64,
            self.most,
            self.hard,
            Self::NEWTON,
            self.contacts,
            start.elapsed().as_secs_f64() * 1e6 / self.steps as f64
        );
    }
}

/// The neutral configuration; joints beyond their limits start in the middle, a free base of a URDF
/// in the air.
fn start(model: &Model) -> Vec<f64> {
    let mut q = model.neutral().to_vec();
    for j in model.joints() {
        if let (1, Some((lo, hi))) = (j.nq, j.limits)
            && !(lo..=hi).contains(&q[j.iq])
        {
            q[j.iq] = 0.5 * (lo + hi);
        }
    }
    if model.joints().first().is_some_and(|j| j.name == ROOT_JOINT) {
        q[2] = 1.2;
    }
    q
}

/// Runs with controls drawn anew every ten steps; `amplitude` for each of them.
fn random_run(name: &str, model: Model, amplitude: &[f64], seconds: f64) -> Tally {
    let options = Options {
        derivatives: false,
        max_contacts: 192,
        ..options(1e-3)
    };
    let model = Arc::new(model);
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (mut q, mut v) = (start(&model), vec![0.0; model.nv()]);
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    let mut u = vec![0.0; model.nu()];
    let mut rng = Rng::new(17);
    let mut tally = Tally::default();
    let start = Instant::now();
    for step in 0..(seconds / options.time_step).round() as usize {
        if step % 10 == 0 {
            for (u, a) in u.iter_mut().zip(amplitude) {
                *u = rng.range(-a, *a);
            }
        }
        if let Err(e) = sim.step(&q, &v, &u, &mut q_next, &mut v_next) {
            let fastest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            println!("{name}: step {step} failed, largest velocity {fastest:.1e}: {e}");
            tally.above += 1;
            break;
        }
        (q, q_next) = (q_next, q);
        (v, v_next) = (v_next, v);
        tally.add(&sim);
    }
    tally.report(name, start);
    tally
}

/// Half the width of the control range, or 1.
fn control_amplitudes(model: &Model) -> Vec<f64> {
    (model.actuators().iter())
        .map(|a| a.control_range.map_or(1.0, |(lo, hi)| 0.5 * (hi - lo)))
        .collect()
}

fn run_example(name: &str) {
    let model = example(name);
    let amplitude = control_amplitudes(&model);
    let tally = random_run(name, model, &amplitude, seconds(10.0));
    assert!(tally.contacts > 0);
    assert_eq!(tally.above, 0);
}

#[test]
fn runner_with_random_controls() {
    run_example("runner.xml");
}

#[test]
fn humanoid_with_random_controls() {
    run_example("humanoid.xml");
}

#[test]
fn quadruped_with_random_controls() {
    run_example("quadruped.xml");
}

/// A robot as its file has it; a URDF gets a free base, a motor on each joint and the ground.
fn robot(path: &Path, self_collision: bool) -> (Model, Vec<f64>) {
    if path.extension().is_none_or(|e| e != "urdf") {
        let model = load_file(path, &LoadOptions::default()).unwrap();
        let amplitude = control_amplitudes(&model);
        return (model, amplitude);
    }
    let options = LoadOptions {
        base: Base::Free,
        actuation: Actuation::Full,
        ground_friction: Some(0.8),
        mesh_dirs: mesh_dirs(),
        self_collision,
        exclude_overlapping: true,
        ..LoadOptions::default()
    };
    let model = load_file(path, &options).unwrap();
    let amplitude = (0..model.nv())
        .map(|k| match model.joint_of_dof(k) {
            j if j.kind == JointKind::Free => 0.0,
            j if j.effort_limit.is_finite() => 0.3 * j.effort_limit,
            _ => 10.0,
        })
        .collect();
    (model, amplitude)
}

fn run_robot(file: (From, &str), self_collision: bool) {
    let Some(path) = find(file) else { return };
    let (model, amplitude) = robot(&path, self_collision);
    for w in model.warnings() {
        println!("{}: {w}", file.1);
    }
    let tally = random_run(file.1, model, &amplitude, seconds(1.0));
    assert_eq!(tally.above, 0);
}

#[test]
fn half_cheetah_with_random_controls() {
    run_robot(HALF_CHEETAH, true);
}

#[test]
fn walker_with_random_controls() {
    run_robot(WALKER, true);
}

#[test]
fn gymnasium_humanoid_with_random_controls() {
    run_robot(HUMANOID, true);
}

#[test]
fn go1_with_random_controls() {
    run_robot(GO1, true);
}

#[test]
fn h1_with_random_controls() {
    run_robot(H1, true);
}

#[test]
fn atlas_on_the_ground_with_random_controls() {
    run_robot(ATLAS, false);
}

#[test]
fn atlas_with_self_collision_and_random_controls() {
    run_robot(ATLAS, true);
}

/// Spheres dropped between walls, with a box in the middle of the floor.
fn container(count: usize) -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for k in 0..4 {
        let turn = Quat::exp(Vec3::Z * (0.5 * std::f64::consts::PI * f64::from(k))).normalized();
        let inward = Quat::exp(Vec3::Y * (0.5 * std::f64::consts::PI)).normalized();
        let mut pose = Pose::from_quat(turn.mul(inward), Vec3::ZERO);
        pose.pos = pose.rot.c[2] * -0.3;
        plane(&mut spec, &format!("wall{k}"), pose, 0.5);
    }
    fixed(
        &mut spec,
        "step",
        at(0.0, 0.0, 0.05),
        cuboid(0.1, 0.1, 0.05),
        0.5,
    );
    let mut rng = Rng::new(4);
    for i in 0..count {
        let (layer, place) = (i / 9, i % 9);
        let radius = rng.range(0.04, 0.07);
        let offset = rng.vec3(0.02);
        let x = 0.17 * (place % 3) as f64 - 0.17;
        let y = 0.17 * (place / 3) as f64 - 0.17;
        let pose = Pose::translation(Vec3::new(x, y, 0.25 + 0.2 * layer as f64) + offset);
        let shape = ShapeSpec::Sphere { radius };
        let mass = 1000.0 * radius.powi(3) * 4.0;
        free(&mut spec, &format!("ball{i}"), pose, mass, shape);
    }
    let options = Options {
        derivatives: false,
        max_contacts: 256,
        ..options(1e-3)
    };
    World::new(spec, Actuation::FromFile, &options)
}

fn pile(count: usize, seconds: f64) -> Tally {
    let mut w = container(count);
    let mut tally = Tally::default();
    let start = Instant::now();
    let (mut q, mut v) = (w.q.clone(), w.v.clone());
    for _ in 0..(seconds * 1e3).round() as usize {
        w.sim.step(&w.q, &w.v, &[], &mut q, &mut v).unwrap();
        w.q.copy_from_slice(&q);
        w.v.copy_from_slice(&v);
        tally.add(&w.sim);
    }
    tally.report(&format!("{count} spheres in a container"), start);
    for n in 0..count {
        let p = w.position(n);
        assert!(p.x.abs() < 0.3 && p.y.abs() < 0.3 && p.z > 0.0, "{p:?}");
    }
    assert_eq!(tally.above, 0);
    tally
}

#[test]
fn ten_spheres_in_a_container() {
    pile(10, seconds(2.0));
}

/// Some of them lock each other between the walls and the box, where no impulse can undo an overlap.
#[test]
fn twelve_spheres_that_jam_in_a_container() {
    let tally = pile(12, seconds(0.4));
    assert!(tally.jammed > 0);
}

#[test]
#[ignore = "takes minutes"]
fn forty_spheres_in_a_container() {
    pile(40, seconds(10.0));
}
