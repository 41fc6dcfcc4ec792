//! The long runs that the contact step is judged by: robots with random controls, bodies dropped into a
//! container.

use super::Rng;
use super::checker::ground;
use super::robots::{From, find, mesh_dirs};
use super::scene::{at, cuboid, fixed, free, plane};
use diffsim::load::options::{Base, LoadOptions, ROOT_JOINT, load_file};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Integrator, Options, Sim};
use std::path::Path;
use std::sync::Arc;

/// A model, where it starts, and how far its controls are drawn to either side of zero.
#[derive(Clone)]
pub struct Run {
    pub name: String,
    pub model: Arc<Model>,
    pub start: Vec<f64>,
    pub amplitude: Vec<f64>,
    pub options: Options,
}

/// A state to step from, with the warm start, and what the step said.
#[derive(Clone)]
pub struct Moment {
    pub step: usize,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub memory: Vec<f64>,
    pub iterations: usize,
    pub contacts: usize,
    pub converged: bool,
}

impl Run {
    fn new(name: &str, model: Model, amplitude: Vec<f64>) -> Run {
        Run {
            name: name.into(),
            start: start(&model),
            model: Arc::new(model),
            amplitude,
            options: Options {
                max_contacts: 192,
                time_step: 1e-3,
                integrator: Integrator::SymplecticEulerWorld,
                ..Options::default()
            },
        }
    }

    /// A model of the repository.
    pub fn example(name: &str) -> Run {
        let path = format!("{}/examples/models/{name}", env!("CARGO_MANIFEST_DIR"));
        Run::of(name, Path::new(&path), true)
    }

    /// A robot that others bring; none, aloud, if it is not there.
    pub fn robot(file: (From, &str), self_collision: bool) -> Option<Run> {
        let run = Run::of(file.1, &find(file)?, self_collision);
        for w in run.model.warnings() {
            println!("{}: {w}", file.1);
        }
        Some(run)
    }

    /// A robot as its file has it; a URDF gets a free base, a motor on each joint and the ground.
    fn of(name: &str, path: &Path, self_collision: bool) -> Run {
        if path.extension().is_none_or(|e| e != "urdf") {
            let model = load_file(path, &LoadOptions::default()).unwrap();
            let amplitude = (model.actuators().iter())
                .map(|a| a.control_range.map_or(1.0, |(lo, hi)| 0.5 * (hi - lo)))
                .collect();
            return Run::new(name, model, amplitude);
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
        Run::new(name, model, amplitude)
    }

    /// A simulation in which no two geoms have the same coefficient of friction: of a pair the larger counts,
    /// which has a kink where both are equal.
    pub fn sim(&self, options: &Options) -> Sim {
        let mut sim = Sim::new(self.model.clone(), options).unwrap();
        let all: Vec<Param> = (0..self.model.ngeom())
            .map(|g| Param {
                kind: ParamKind::GeomFriction,
                index: g as i32,
                component: 0,
            })
            .collect();
        sim.select_params(&all).unwrap();
        let mut mu = vec![0.0; all.len()];
        sim.get_params(&mut mu).unwrap();
        for (k, mu) in mu.iter_mut().enumerate() {
            *mu *= 1.0 + 1e-3 * k as f64;
        }
        sim.set_params(&mu).unwrap();
        sim.select_params(&[]).unwrap();
        sim
    }

    /// Spheres and boxes dropped between walls, with a box in the middle of the floor.
    pub fn container(count: usize) -> Run {
        let model = Model::compile(container(count, true), Actuation::FromFile).unwrap();
        let mut run = Run::new(&format!("{count} bodies in a container"), model, Vec::new());
        run.options.max_contacts = 512;
        run
    }

    /// Every state of a run whose controls are drawn anew every ten steps. Stops at a failing step, aloud.
    pub fn moments(&self, steps: usize) -> Vec<Moment> {
        let options = Options {
            derivatives: false,
            ..self.options
        };
        let mut sim = self.sim(&options);
        let mut at = Moment {
            step: 0,
            q: self.start.clone(),
            v: vec![0.0; self.model.nv()],
            u: vec![0.0; self.model.nu()],
            memory: vec![0.0; sim.memory_size()],
            iterations: 0,
            contacts: 0,
            converged: true,
        };
        let (mut q_next, mut v_next) = (at.q.clone(), at.v.clone());
        let mut rng = Rng::new(17);
        let mut moments = Vec::new();
        for step in 0..steps {
            if step % 10 == 0 {
                for (u, a) in at.u.iter_mut().zip(&self.amplitude) {
                    *u = rng.range(-a, *a);
                }
            }
            at.step = step;
            sim.get_memory(&mut at.memory).unwrap();
            if let Err(e) = sim.step(&at.q, &at.v, &at.u, &mut q_next, &mut v_next) {
                println!("{}: step {step} failed: {e}", self.name);
                break;
            }
            let info = sim.step_info().unwrap();
            at.iterations = info.iterations;
            at.contacts = info.contacts;
            at.converged = info.converged;
            moments.push(at.clone());
            at.q.copy_from_slice(&q_next);
            at.v.copy_from_slice(&v_next);
        }
        moments
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

/// `count` moments with contacts that lie evenly in a run, and the `hardest` with most iterations of
/// the others.
pub fn sample(moments: &[Moment], count: usize, hardest: usize) -> Vec<Moment> {
    let touching: Vec<&Moment> = moments
        .iter()
        .filter(|m| m.contacts > 0 && m.converged)
        .collect();
    let mut chosen: Vec<&Moment> = (0..count.min(touching.len()))
        .map(|i| touching[i * touching.len() / count.min(touching.len())])
        .collect();
    let mut others: Vec<&Moment> = touching
        .into_iter()
        .filter(|m| chosen.iter().all(|c| c.step != m.step))
        .collect();
    others.sort_by_key(|m| (std::cmp::Reverse(m.iterations), m.step));
    chosen.extend(others.into_iter().take(hardest));
    chosen.into_iter().cloned().collect()
}

/// Bodies above the floor of a box without a lid: spheres, every third of them a cube if `cubes`.
pub fn container(count: usize, cubes: bool) -> ModelSpec {
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
        let mut pose = Pose::translation(Vec3::new(x, y, 0.25 + 0.2 * layer as f64) + offset);
        let mass = 1000.0 * radius.powi(3) * 4.0;
        let shape = if cubes && i % 3 == 2 {
            pose = Pose::from_quat(rng.quat(), pose.pos);
            cuboid(0.7 * radius, 0.7 * radius, 0.7 * radius)
        } else {
            ShapeSpec::Sphere { radius }
        };
        free(&mut spec, &format!("body{i}"), pose, mass, shape);
    }
    spec
}
