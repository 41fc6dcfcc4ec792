//! Cost of implicit time stepping beside symplectic steps: a chain of five links, Go1 on its feet, and chains
//! of 10 to 1000 links with five cables. `cargo bench --bench implicit`, with the names of parts to run only
//! these; on a busy machine pinned, `taskset -c 1`. Kinds take turns in many short rounds, of which the
//! fastest counts, because other processes only add time. Of Go1 figures are medians over the steps. Go1
//! comes from `target/venvs/peers`, which tests/peers/run.sh makes.

#[path = "../tests/common/mod.rs"]
mod common;

use common::robots::{GO1, find, mesh_dirs};
use common::scene::lying_spec;
use common::tendons::{spring, tendon};
use common::{Rng, all_jacobians};
use diffsim::load::options::{Base, Format, LoadOptions, load_str};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Sym3, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    if runs("five") {
        five_links();
    }
    if runs("go1") {
        go1();
    }
    if runs("cables") {
        cables();
    }
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

/// Go1 without the dry friction in its joints, which penalty contact does not have.
fn robot() -> Option<Model> {
    let path = find(GO1)?;
    let text = std::fs::read_to_string(&path).unwrap();
    let text: Vec<String> = (text.split("friction=\""))
        .enumerate()
        .map(|(k, part)| match part.split_once('"') {
            Some((_, rest)) if k > 0 => format!("friction=\"0\"{rest}"),
            _ => part.to_string(),
        })
        .collect();
    let options = LoadOptions {
        base: Base::Free,
        actuation: Actuation::Full,
        ground_friction: Some(0.8),
        mesh_dirs: mesh_dirs(),
        self_collision: false,
        exclude_overlapping: true,
        ..LoadOptions::default()
    };
    Some(load_str(&text.concat(), Format::Urdf, path.parent(), &options).unwrap())
}

fn point(body: usize, at: Vec3) -> PathPoint {
    PathPoint::Point { body, at }
}

fn swinging(links: usize) -> ModelSpec {
    let mut spec = lying_spec(links, 0);
    spec.geoms.clear();
    for (k, b) in spec.bodies[1..].iter_mut().enumerate() {
        let j = &mut b.joints[0];
        j.axis = [Vec3::X, Vec3::Y, Vec3::new(0.5, 0.3, 1.0), Vec3::Z, Vec3::Y][k % 5];
        (j.damping, j.armature) = (0.0, 1e-3);
        b.inertia = Inertia::from_com(
            0.5,
            Vec3::new(0.05, 0.01, 0.02),
            Sym3::diagonal(Vec3::new(1e-3, 2e-3, 2e-3)),
        );
    }
    spec
}

/// With springs and dampers in the joints, a spring to the world and a tendon along the links.
fn elastic() -> ModelSpec {
    let mut spec = swinging(5);
    for (k, b) in spec.bodies[1..].iter_mut().enumerate() {
        let j = &mut b.joints[0];
        (j.stiffness, j.damping) = (2.0, 0.02);
        j.spring_reference = 0.1 * k as f64;
    }
    let path = [1, 3, 5].map(|b| point(b, Vec3::new(0.05, 0.02, 0.03)));
    let mut tendon = tendon("cord", TendonPath::Spatial(path.to_vec()));
    (tendon.stiffness, tendon.damping) = (50.0, 0.5);
    spec.tendons.push(tendon);
    spec.springs
        .push(spring("spring", [0, 5], &mut Rng::new(3)));
    spec
}

struct Times {
    /// Of a step, and of one with its Jacobians, or its adjoint [µs]; in the end of these alone.
    step: f64,
    jacobians: f64,
    vjp: f64,
    iterations: f64,
}

/// A simulation with the state it starts from.
struct Case {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Case {
    fn new(model: &Arc<Model>, options: &Options) -> Case {
        let mut rng = Rng::new(5);
        Case {
            sim: Sim::new(model.clone(), options).unwrap(),
            q: rng.vector(model.nq(), 0.3),
            v: rng.vector(model.nv(), 1.0),
        }
    }

    /// Along a trajectory of so many steps.
    fn times(&mut self, steps: usize, with_jacobians: bool) -> Times {
        let (nv, nu) = (self.v.len(), self.sim.model().nu());
        let sizes = if with_jacobians {
            [nv, nv, nu, 0]
        } else {
            [0; 4]
        };
        let mut jq = sizes.map(|n| vec![0.0; nv * n]);
        let mut jv = jq.clone();
        let u = vec![0.0; nu];
        let mut bars = [nv, nv, nu].map(|n| vec![0.0; n]);
        let mut iterations = 0;
        let mut run = |what: usize| {
            self.sim.reset();
            let (mut q, mut v) = (self.q.clone(), self.v.clone());
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            let start = Instant::now();
            for _ in 0..steps {
                self.sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
                match what {
                    1 => self
                        .sim
                        .step_jacobians(all_jacobians(&mut jq, &mut jv))
                        .unwrap(),
                    2 => {
                        let [q_bar, v_bar, u_bar] = &mut bars;
                        self.sim
                            .step_vjp(
                                &self.v,
                                &self.v,
                                Some(q_bar),
                                Some(v_bar),
                                Some(u_bar),
                                None,
                            )
                            .unwrap();
                    }
                    _ => iterations += self.sim.step_info().unwrap().iterations,
                }
                std::mem::swap(&mut q, &mut q_next);
                std::mem::swap(&mut v, &mut v_next);
            }
            black_box(&v);
            start.elapsed().as_secs_f64() * 1e6 / steps as f64
        };
        let step = run(0);
        Times {
            step,
            jacobians: if with_jacobians { run(1) } else { 0.0 },
            vjp: run(2),
            iterations: iterations as f64 / steps as f64,
        }
    }
}

fn free(integrator: Integrator, h: f64) -> Options {
    Options {
        time_step: h,
        integrator,
        contact: Contact::None,
        ..Options::default()
    }
}

fn fastest(rounds: &[Times]) -> Times {
    let of = |f: fn(&Times) -> f64| rounds.iter().map(f).fold(f64::INFINITY, f64::min);
    // Those of derivatives were with their steps.
    let step = of(|t| t.step);
    Times {
        step,
        jacobians: (of(|t| t.jacobians) - step).max(0.0),
        vjp: of(|t| t.vjp) - step,
        iterations: of(|t| t.iterations),
    }
}

/// All cases in turns.
fn rounds(cases: &mut [Case], count: usize, steps: usize, with_jacobians: bool) -> Vec<Times> {
    let mut all: Vec<Vec<Times>> = cases.iter().map(|_| Vec::new()).collect();
    for _ in 0..count {
        for (case, times) in cases.iter_mut().zip(&mut all) {
            times.push(case.times(steps, with_jacobians));
        }
    }
    all.iter().map(|t| fastest(t)).collect()
}

fn five_links() {
    let all = [
        Integrator::SymplecticEuler,
        Integrator::Bdf1,
        Integrator::Sdirk2,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
    ];
    for (name, spec) in [("plain", swinging(5)), ("elastic", elastic())] {
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        for h in [1e-3, 5e-3] {
            println!(
                "\nchain of five links, {name}, h = {h} s; beside SymplecticEuler in brackets"
            );
            let mut cases: Vec<Case> = all
                .iter()
                .map(|i| Case::new(&model, &free(*i, h)))
                .collect();
            let times = rounds(&mut cases, 100, 100, true);
            for (integrator, t) in all.iter().zip(&times) {
                println!(
                    "{:16} step {:7.3} µs ({:4.2})  Jacobians {:7.3} µs ({:4.2})  VJP {:7.3} µs ({:4.2})  iterations {:.2}",
                    format!("{integrator:?}"),
                    t.step,
                    t.step / times[0].step,
                    t.jacobians,
                    t.jacobians / times[0].jacobians,
                    t.vjp,
                    t.vjp / times[0].vjp,
                    t.iterations
                );
            }
        }
    }
}

/// Torques that hold a stance, or lift the diagonal pairs of legs in turn.
fn drive(model: &Model, at: &[f64], q: &[f64], v: &[f64], time: f64, trots: bool, u: &mut [f64]) {
    for (a, u) in model.actuators().iter().zip(u) {
        *u = 0.0;
        let joint = a.joint().map(|j| model.joint(j));
        let Some(joint) = joint.filter(|j| j.nv == 1) else {
            continue;
        };
        let name = &joint.name;
        let pair = name.starts_with("FR") || name.starts_with("RL");
        let phase = (std::f64::consts::TAU * 2.0 * time).sin();
        let lift = match pair {
            true => phase.max(0.0),
            false => (-phase).max(0.0),
        };
        let mut target = at[joint.iq];
        if trots && name.contains("thigh") {
            target += 0.3 * lift;
        }
        if trots && name.contains("calf") {
            target -= 0.6 * lift;
        }
        *u = (60.0 * (target - q[joint.iq]) - 1.5 * v[joint.iv]).clamp(-30.0, 30.0);
    }
}

fn go1() {
    let Some(model) = robot().map(Arc::new) else {
        return;
    };
    let model = &model;
    let mut stance = model.neutral().to_vec();
    for j in model.joints().iter().filter(|j| j.nv == 1) {
        stance[j.iq] = match &j.name {
            name if name.contains("thigh") => 0.8,
            name if name.contains("calf") => -1.6,
            _ => 0.0,
        };
    }
    stance[2] = 0.33;
    let h = 1e-3;
    for trots in [false, true] {
        let what = if trots { "trotting" } else { "standing" };
        println!("\nGo1 {what}, h = {h} s; beside Ncp in brackets");
        let kinds = [
            (Integrator::SymplecticEulerWorld, Contact::Ncp),
            (Integrator::SymplecticEulerWorld, Contact::Penalty),
            (Integrator::Bdf1, Contact::Penalty),
            (Integrator::Sdirk2, Contact::Penalty),
            (Integrator::ImplicitEuler, Contact::Ncp),
        ];
        let mut base = [0.0; 2];
        for (k, (integrator, contact)) in kinds.into_iter().enumerate() {
            let options = Options {
                time_step: h,
                integrator,
                contact,
                max_contacts: 64,
                ..Options::default()
            };
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            let (nv, nu) = (model.nv(), model.nu());
            let (mut q, mut v) = (stance.clone(), vec![0.0; nv]);
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            let mut u = vec![0.0; nu];
            let mut jq = [nv, nv, nu, 0].map(|n| vec![0.0; nv * n]);
            let mut jv = jq.clone();
            let (mut steps, mut jacobians) = (Vec::new(), Vec::new());
            let (mut contacts, mut iterations) = (0, 0);
            for step in 0..4000 {
                drive(model, &stance, &q, &v, step as f64 * h, trots, &mut u);
                let start = Instant::now();
                sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
                let after = Instant::now();
                if step >= 1000 {
                    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
                    jacobians.push(after.elapsed().as_secs_f64() * 1e6);
                    steps.push((after - start).as_secs_f64() * 1e6);
                    let info = sim.step_info().unwrap();
                    contacts += info.contacts;
                    iterations += info.iterations;
                }
                std::mem::swap(&mut q, &mut q_next);
                std::mem::swap(&mut v, &mut v_next);
            }
            let count = steps.len() as f64;
            let [step, jacobians] = [steps, jacobians].map(median);
            if k == 0 {
                base = [step, jacobians];
            }
            println!(
                "{:40} step {step:8.2} µs ({:4.2})  Jacobians {jacobians:8.2} µs ({:4.2})  contacts {:.1}, iterations {:.1}, height {:.3}",
                format!("{integrator:?} {contact:?}"),
                step / base[0],
                jacobians / base[1],
                contacts as f64 / count,
                iterations as f64 / count,
                q[2]
            );
        }
    }
}

/// Five cables spread along the chain: three over five links each, two of fixed coefficients. Nothing has
/// weight: a chain of 1000 links that its own weight pulls at whips, and a step of 1 ms then has no solution
/// nearby.
fn cabled(links: usize) -> ModelSpec {
    let mut spec = swinging(links);
    spec.gravity = Vec3::ZERO;
    let first = |k: usize| 1 + k * (links - 5) / 5;
    for k in 0..5 {
        let path = match k {
            1 | 3 => {
                let names = (0..5).map(|i| format!("hinge{}", first(k) + i));
                TendonPath::Fixed(names.map(|n| (n, 0.05)).collect())
            }
            _ => {
                let ends = [first(k), first(k) + 2, first(k) + 5];
                let at = Vec3::new(0.05, 0.02, 0.03);
                TendonPath::Spatial(ends.map(|b| point(b, at)).to_vec())
            }
        };
        let mut tendon = tendon(&format!("cable{k}"), path);
        (tendon.stiffness, tendon.damping) = (20.0, 0.2);
        spec.tendons.push(tendon);
    }
    for b in &mut spec.bodies[1..] {
        let j = &mut b.joints[0];
        assert_eq!(j.kind, JointKind::Revolute);
        (j.stiffness, j.damping) = (1.0, 0.05);
    }
    spec
}

fn cables() {
    let kinds = [
        (Integrator::SymplecticEulerWorld, Contact::None),
        (Integrator::SymplecticEulerWorld, Contact::Ncp),
        (Integrator::SymplecticEulerWorld, Contact::Convex),
        (Integrator::SymplecticEulerWorld, Contact::Penalty),
        (Integrator::ImplicitEuler, Contact::None),
        (Integrator::ImplicitEuler, Contact::Ncp),
        (Integrator::Midpoint, Contact::None),
        (Integrator::Midpoint, Contact::Convex),
        (Integrator::Bdf1, Contact::None),
        (Integrator::Bdf1, Contact::Penalty),
        (Integrator::Sdirk2, Contact::None),
    ];
    let sizes = [10, 30, 100, 300, 1000];
    println!(
        "\nchains of {sizes:?} links with five cables, h = 1 ms: time [µs], and exponents from 100 to 1000, 10 to 1000"
    );
    let models = sizes.map(|n| Arc::new(Model::compile(cabled(n), Actuation::Full).unwrap()));
    for (integrator, contact) in kinds {
        let mut all = Vec::new();
        for (model, n) in models.iter().zip(sizes) {
            let options = Options {
                contact,
                ..free(integrator, 1e-3)
            };
            let mut case = Case::new(model, &options);
            // Speeds add up along the chain.
            case.q.iter_mut().for_each(|x| *x *= 0.1);
            case.v.iter_mut().for_each(|x| *x /= n as f64);
            // Jacobians have n² numbers; of few dofs they are measured elsewhere.
            let started = Instant::now();
            let mut rounds = vec![case.times(2, n <= 300)];
            while rounds.len() < 15 && started.elapsed().as_secs_f64() < 1.5 {
                rounds.push(case.times(50, n <= 300));
            }
            if rounds.len() > 3 {
                rounds.remove(0);
            }
            all.push(fastest(&rounds));
        }
        for (name, of) in [
            ("step", (|t| t.step) as fn(&Times) -> f64),
            // By itself, as it may grow where the cost of each does not.
            ("iterations", |t| t.iterations),
            ("VJP", |t| t.vjp),
            ("Jacobians", |t| t.jacobians),
        ] {
            let x: Vec<f64> = all.iter().map(of).collect();
            let exponents = match x[4] > 0.0 {
                true => format!(
                    "{:5.2} {:5.2}",
                    (x[4] / x[2]).log10(),
                    (x[4] / x[0]).log10() / 2.0
                ),
                false => format!("{:5.2} (30 to 300)", (x[3] / x[1]).log10()),
            };
            let times: String = x.iter().map(|t| format!("{t:11.2}")).collect();
            println!(
                "{:36} {name:10} {times}  {exponents}",
                format!("{integrator:?} {contact:?}")
            );
        }
    }
}
