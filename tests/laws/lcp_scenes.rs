//! Boxed contact in scenes that nobody would build: heavy on light, fast, thin, rough and slippery.
//! `DIFFSIM_SAMPLES` asks for more of them.

use crate::common::checker::Checker;
use crate::common::runs::Run;
use crate::common::scene::{ball, body, cuboid, ground, plane, tilt};
use crate::common::{Rng, param};
use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

fn samples(default: u64) -> u64 {
    std::env::var("DIFFSIM_SAMPLES").map_or(default, |s| s.parse().unwrap())
}

fn options(h: f64, contact: Contact) -> Options {
    Options {
        contact,
        time_step: h,
        max_contacts: 600,
        ..Options::default()
    }
}

/// Extremes of a scene, as powers of ten and ranges.
struct Wild {
    masses: f64,
    friction: f64,
    speed: f64,
    thin: bool,
}

const TAME: Wild = Wild {
    masses: 0.5,
    friction: 1.0,
    speed: 1.0,
    thin: false,
};

/// Some bodies above and in each other on a floor and an inclined wall.
fn scene(rng: &mut Rng, wild: &Wild) -> (Model, Vec<f64>, Vec<f64>) {
    let mut spec = ModelSpec::default();
    ground(&mut spec, rng.range(0.0, wild.friction));
    let mut wall = tilt(0.9, rng.range(0.0, 6.0));
    wall.pos = Vec3::new(0.0, 0.0, -0.3);
    plane(&mut spec, "wall", wall, rng.range(0.0, wild.friction));
    let count = 2 + rng.below(5);
    for k in 0..count {
        let size = rng.range(0.05, 0.15);
        let least = if wild.thin { 0.02 * size } else { size };
        let shape = match rng.below(5) {
            0 => ball(size),
            1 => cuboid(size, size, size),
            2 => cuboid(size, rng.range(0.5, 1.0) * size, least),
            3 => ShapeSpec::Capsule {
                radius: least,
                half_length: size,
            },
            _ => ShapeSpec::Cylinder {
                radius: size,
                half_length: least,
            },
        };
        let mass = 10f64.powf(rng.range(-wild.masses, wild.masses));
        let place = Vec3::new(
            rng.range(-0.2, 0.2),
            rng.range(-0.2, 0.2),
            0.1 + 0.15 * k as f64,
        );
        let pose = match rng.below(2) {
            0 => Pose::translation(place),
            _ => Pose::from_quat(rng.quat(), place),
        };
        body(
            &mut spec,
            &format!("b{k}"),
            JointKind::Free,
            pose,
            mass,
            shape,
        );
        let mu = rng.range(0.0, wild.friction);
        spec.geoms.last_mut().unwrap().friction[0] = mu;
    }
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    let mut v = rng.vector(model.nv(), wild.speed);
    for twist in v.chunks_exact_mut(6) {
        twist[3..]
            .iter_mut()
            .for_each(|w| *w = w.clamp(-20.0, 20.0));
    }
    let q = model.neutral().to_vec();
    (model, q, v)
}

#[derive(Default, Debug)]
struct Tally {
    steps: usize,
    unsolved: usize,
    given_up: usize,
    iterations: usize,
    worst: f64,
    failed: usize,
    thrown: usize,
}

impl Tally {
    fn run(&mut self, sim: &mut Sim, q: &[f64], v: &[f64], steps: usize, label: &str) {
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let (mut q1, mut v1) = (q.clone(), v.clone());
        let u = vec![0.0; sim.model().nu()];
        for step in 0..steps {
            // Gyroscopic forces throw a body that rotates by a radian in a step, with every contact law.
            let turns = |v: &f64| v.abs() * sim.options().time_step > 0.5;
            if v.iter().any(turns) {
                self.thrown += 1;
                return;
            }
            if let Err(e) = sim.step(&q, &v, &u, &mut q1, &mut v1) {
                println!("{label}, step {step}: {e}");
                self.failed += 1;
                return;
            }
            let info = sim.step_info().unwrap();
            self.steps += 1;
            self.unsolved += usize::from(!info.converged);
            self.given_up += usize::from(info.push_out_given_up);
            self.iterations += info.iterations;
            self.worst = self.worst.max(info.residual);
            if !info.converged && std::env::var("DIFFSIM_SAMPLES").is_ok() {
                println!(
                    "{label}, step {step}: residual {:e} of {} contacts",
                    info.residual, info.contacts
                );
            }
            (q, v) = (q1.clone(), v1.clone());
        }
    }
}

#[test]
fn wild_scenes_are_solved() {
    let mut rng = Rng::new(1);
    let wilds = [
        ("tame", TAME),
        (
            "masses 1e-4 to 1e4",
            Wild {
                masses: 4.0,
                ..TAME
            },
        ),
        (
            "friction to 5",
            Wild {
                friction: 5.0,
                ..TAME
            },
        ),
        (
            "100 m/s",
            Wild {
                speed: 100.0,
                ..TAME
            },
        ),
        ("thin", Wild { thin: true, ..TAME }),
        (
            "all of it",
            Wild {
                masses: 4.0,
                friction: 5.0,
                speed: 100.0,
                thin: true,
            },
        ),
    ];
    for (name, wild) in wilds {
        let mut tallies = [Tally::default(), Tally::default()];
        for sample in 0..samples(6) {
            let longest = if wild.speed > 1.0 || wild.thin {
                -2.7
            } else {
                -1.7
            };
            let h = 10f64.powf(rng.range(-4.0, longest));
            let (model, q, v) = scene(&mut rng, &wild);
            let model = Arc::new(model);
            for (tally, contact) in tallies.iter_mut().zip([Contact::Lcp, Contact::Ncp]) {
                let options = Options {
                    derivatives: false,
                    ..options(h, contact)
                };
                let mut sim = Sim::new(model.clone(), &options).unwrap();
                tally.run(
                    &mut sim,
                    &q,
                    &v,
                    40,
                    &format!("{name} {sample} {contact:?}"),
                );
            }
        }
        println!("{name}: LCP {:?}\n    NCP {:?}", tallies[0], tallies[1]);
        let [lcp, ncp] = tallies;
        assert_eq!(lcp.failed, 0, "{name}");
        assert_eq!(lcp.unsolved, 0, "{name}");
        assert!(10 * lcp.iterations <= 15 * ncp.iterations, "{name}");
    }
}

#[test]
fn a_pile_and_robots_are_solved() {
    let runs = [
        (Run::container(if samples(0) > 0 { 40 } else { 9 }), 500),
        (Run::example("humanoid.xml"), 200),
        (Run::example("quadruped.xml"), 200),
        (Run::example("runner.xml"), 200),
    ];
    for (run, steps) in runs {
        let steps = steps * samples(1) as usize;
        let mut counts = Vec::new();
        for contact in [Contact::Lcp, Contact::Ncp] {
            let run = Run {
                name: run.name.clone(),
                model: run.model.clone(),
                start: run.start.clone(),
                amplitude: run.amplitude.clone(),
                options: Options {
                    contact,
                    ..run.options
                },
            };
            let begin = std::time::Instant::now();
            let moments = run.moments(steps);
            let unsolved = moments.iter().filter(|m| !m.converged).count();
            let iterations: usize = moments.iter().map(|m| m.iterations).sum();
            println!(
                "{}, {contact:?}: {} steps, {unsolved} unsolved, {iterations} iterations, {} contacts at most, {:.1} s",
                run.name,
                moments.len(),
                moments.iter().map(|m| m.contacts).max().unwrap(),
                begin.elapsed().as_secs_f64(),
            );
            assert_eq!(moments.len(), steps);
            counts.push((unsolved, iterations));
        }
        assert_eq!(counts[0].0, 0, "{}", run.name);
    }
}

#[test]
fn derivatives_hold_in_wild_scenes() {
    let mut rng = Rng::new(8);
    let wild = Wild {
        masses: 1.0,
        friction: 2.0,
        speed: 2.0,
        thin: false,
    };
    let (mut checked, mut wrong, mut excluded) = (0, 0, 0);
    for sample in 0..samples(8) {
        let (model, mut q, mut v) = scene(&mut rng, &wild);
        let model = Arc::new(model);
        let mut c = Checker::new(model.clone(), &options(2e-3, Contact::Lcp));
        let friction = (1..model.ngeom()).map(|g| param(ParamKind::GeomFriction, g, 0));
        c.select(&friction.collect::<Vec<_>>());
        for step in 0..15 {
            c.label = format!("scene {sample}, step {step}");
            c.check(&mut q, &mut v, &[]);
        }
        let t = c.tally(&format!("scene {sample}"));
        checked += t.checked;
        wrong += t.wrong;
        excluded += t.excluded;
        assert!(t.apart < 1e-9 && t.apart_one_sided < 1e-6, "{t:?}");
    }
    println!("{checked} checked, {wrong} wrong, {excluded} excluded");
    assert!(200 * wrong <= checked && checked > 4 * excluded);
}

/// The same bits on any number of threads, and after the memory is restored.
#[test]
fn results_are_the_same_bits() {
    const COUNT: usize = 6;
    let mut rng = Rng::new(31);
    let (model, q, v) = scene(&mut rng, &TAME);
    let model = Arc::new(model);
    let o = options(5e-3, Contact::Lcp);
    let ended = |threads: usize| {
        let mut batch = Batch::new(model.clone(), &o, COUNT, threads).unwrap();
        let (mut qs, mut vs) = (q.repeat(COUNT), v.repeat(COUNT));
        for (k, v) in vs.iter_mut().enumerate() {
            *v += 0.01 * (k / model.nv()) as f64;
        }
        let mut each = vec![Status::Ok; COUNT];
        for _ in 0..40 {
            let (q0, v0) = (qs.clone(), vs.clone());
            batch
                .step(&q0, &v0, &[], &mut qs, &mut vs, &mut each)
                .unwrap();
        }
        (qs, vs)
    };
    let one = ended(1);
    assert_eq!(one, ended(2));
    assert_eq!(one, ended(3));
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let (mut q, mut v) = (q, v);
    let mut memory = vec![0.0; sim.memory_size()];
    for step in 0..40 {
        sim.get_memory(&mut memory).unwrap();
        let (mut a, mut b) = ((q.clone(), v.clone()), (q.clone(), v.clone()));
        sim.step(&q, &v, &[], &mut a.0, &mut a.1).unwrap();
        let modes = sim.constraint_modes().to_vec();
        sim.reset();
        sim.set_memory(&memory).unwrap();
        sim.step(&q, &v, &[], &mut b.0, &mut b.1).unwrap();
        assert_eq!(a, b, "step {step}");
        assert_eq!(modes, sim.constraint_modes());
        (q, v) = a;
    }
}
