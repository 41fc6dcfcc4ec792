//! Limits of joints that act without rows beside contacts.

use crate::common::checker::{Checker, FOURTH_ORDER, free_body, ground, quadruped_spec, standing};
use crate::common::{Rng, param, random_joint};
use diffsim::contact::mode::Mode;
use diffsim::contact::ncp::Method;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

const H: f64 = 1e-3;

/// A robot in a configuration in which it touches the ground, with joints on their limits. `push` is the
/// size of the random forces.
struct Robot {
    name: String,
    model: Arc<Model>,
    q: Vec<f64>,
    push: f64,
    friction: f64,
}

/// On four legs. Most joints begin on a limit.
fn quadruped(friction: f64) -> Robot {
    let mut spec = quadruped_spec(false);
    let q = standing(&Model::compile(spec.clone(), Actuation::Full).unwrap());
    for (i, body) in spec.bodies.iter_mut().skip(2).enumerate() {
        let (joint, q) = (&mut body.joints[0], q[7 + i]);
        joint.friction_loss = friction;
        joint.limits = match i % 4 {
            0 => Some((q, q + 0.3)),
            1 => Some((q - 0.3, q)),
            2 => Some((q - 0.003, q + 0.003)),
            _ => joint.limits,
        };
    }
    Robot {
        name: format!("quadruped with friction {friction}"),
        model: Arc::new(Model::compile(spec, Actuation::Full).unwrap()),
        q,
        push: 3.0,
        friction,
    }
}

/// Links on hinges and slides in random directions. The last one ends in a ball that touches the ground, and
/// so does the first one if it is free.
fn chain(seed: u64, links: usize, is_free: bool, friction: f64) -> Robot {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let first = 1 + usize::from(is_free);
    let (radius, on_ground) = (0.08, Vec3::Z * 0.08);
    if is_free {
        free_body(&mut spec, "base", on_ground, ShapeSpec::Sphere { radius });
    }
    for id in first..first + links {
        let kind = match id % 3 {
            0 => JointKind::Prismatic,
            _ => JointKind::Revolute,
        };
        let mut joint = random_joint(&mut rng, format!("joint{id}"), kind);
        (joint.friction_loss, joint.armature) = (friction, 0.02);
        (joint.reference, joint.spring_reference) = (0.0, 0.0);
        joint.limits = match rng.below(4) {
            0 => Some((-0.2, 0.0)),
            1 => Some((0.0, 0.2)),
            2 => Some((-0.002, 0.002)),
            _ => None,
        };
        let mut body = BodySpec::world();
        (body.name, body.parent) = (format!("link{id}"), id - 1);
        body.placement = Pose::translation(match id {
            1 => on_ground,
            _ => Vec3::new(0.1, 0.05, 0.0),
        });
        body.inertia = rng.inertia();
        body.joints = vec![joint];
        spec.bodies.push(body);
    }
    let last = spec.bodies.len() - 1;
    let mut ball = GeomSpec::new("ball", last, Pose::IDENTITY, ShapeSpec::Sphere { radius });
    (ball.contype, ball.conaffinity) = (0, 1);
    spec.geoms.push(ball);
    let model = Model::compile(spec, Actuation::Full).unwrap();
    Robot {
        name: format!("chain {seed} of {links}, free: {is_free}, friction {friction}"),
        q: model.neutral().to_vec(),
        model: Arc::new(model),
        push: 10.0,
        friction,
    }
}

fn robots() -> Vec<Robot> {
    let mut all = vec![quadruped(0.0), quadruped(1.0)];
    for seed in 0..3 {
        all.push(chain(seed, 5, false, 0.0));
        all.push(chain(seed, 5, false, 0.5));
        all.push(chain(seed, 6, true, 0.5));
    }
    all
}

impl Robot {
    /// The joints with one coordinate.
    fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.model.joints().len()).filter(|i| self.model.joints()[*i].nq == 1)
    }

    /// True for each joint that is on a limit.
    fn on_limit(&self, q: &[f64]) -> Vec<bool> {
        let on = |i: usize| {
            let joint = &self.model.joints()[i];
            joint.limits.is_some_and(|(lo, hi)| {
                let q = q[joint.iq];
                (q - lo).abs().min((q - hi).abs()) < 1e-12
            })
        };
        self.joints().map(on).collect()
    }
}

/// Forces on the joints that last for ten steps, and a speed to begin with.
struct Drive {
    rng: Rng,
    u: Vec<f64>,
}

impl Drive {
    fn new(seed: u64, robot: &Robot) -> Drive {
        let u = vec![0.0; robot.model.nu()];
        let rng = Rng::new(seed);
        Drive { rng, u }
    }

    fn speed(&mut self, robot: &Robot) -> Vec<f64> {
        let nv = robot.model.nv();
        let mut v = vec![0.0; nv];
        // A free base slides along the ground.
        if nv > robot.joints().count() {
            v[..2].copy_from_slice(&self.rng.vector(2, 1.0));
        }
        v
    }

    fn next(&mut self, robot: &Robot, step: usize) {
        if step.is_multiple_of(10) {
            for i in robot.joints() {
                let push = robot.push;
                self.u[robot.model.joints()[i].iv] = self.rng.range(-push, push);
            }
        }
    }
}

/// Cases that a run has passed.
#[derive(Default, Debug)]
struct Seen {
    /// Joints that stay on a limit or leave it, while a contact is closed.
    pressed: usize,
    left: usize,
    /// Closed contacts beside joints that stay on a limit.
    sticking: usize,
    sliding: usize,
}

impl Seen {
    fn add(&mut self, sim: &Sim, [before, after]: [&[bool]; 2]) {
        let count = |mode: Mode| sim.contacts().iter().filter(|c| c.mode == mode).count();
        let [sticking, sliding] = [Mode::Sticking, Mode::Sliding].map(count);
        if sticking + sliding == 0 {
            return;
        }
        let pairs = || before.iter().zip(after);
        let pressed = pairs().filter(|(a, b)| **a && **b).count();
        self.pressed += pressed;
        self.left += pairs().filter(|(a, b)| **a && !**b).count();
        if pressed > 0 {
            self.sticking += sticking;
            self.sliding += sliding;
        }
    }

    fn has_all(&self, least: usize) -> bool {
        let all = [self.pressed, self.left, self.sticking, self.sliding];
        all.into_iter().all(|n| n >= least)
    }
}

/// The velocities are those of a method that has rows for all bounds, except where the contacts have two
/// solutions.
#[test]
fn steps_are_those_with_rows_for_all_limits() {
    let mut seen = Seen::default();
    for robot in robots() {
        let options = Options {
            time_step: H,
            ..Options::default()
        };
        let with_rows = Options {
            solver: Method::Continuation,
            tolerance: 1e-13,
            ..options
        };
        let mut sim = Sim::new(robot.model.clone(), &options).unwrap();
        let mut rows = Sim::new(robot.model.clone(), &with_rows).unwrap();
        let mut drive = Drive::new(1, &robot);
        let (mut q, mut v) = (robot.q.clone(), drive.speed(&robot));
        let (mut worst, mut compared, mut other) = (0.0_f64, 0, v.clone());
        let mut others = 0;
        for k in 0..120 {
            drive.next(&robot, k);
            let (from, speed) = (q.clone(), v.clone());
            sim.step(&from, &speed, &drive.u, &mut q, &mut v).unwrap();
            let info = sim.step_info().unwrap();
            assert!(info.converged, "{}: {:e}", robot.name, info.residual);
            seen.add(&sim, [&robot.on_limit(&from), &robot.on_limit(&q)]);
            let mut place = q.clone();
            rows.step(&from, &speed, &drive.u, &mut place, &mut other)
                .unwrap();
            let theirs = rows.step_info().unwrap();
            if !theirs.converged || theirs.push_out_given_up || info.push_out_given_up {
                continue;
            }
            compared += 1;
            let size = v.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let pairs = v.iter().zip(&other);
            let off = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size;
            // Rigid contact may have several solutions.
            match off > 1e-3 {
                true => others += 1,
                false => worst = worst.max(off),
            }
        }
        println!(
            "{}: {compared} compared, {others} others, {worst:e}",
            robot.name
        );
        assert!(
            compared > 100 && worst < 1e-11 && others <= 1,
            "{}",
            robot.name
        );
    }
    println!("{seen:?}");
    assert!(seen.has_all(50), "{seen:?}");
}

/// All columns, forward and reverse, also by the friction of joints that are on a limit.
#[test]
fn columns_beside_limits_are_those_of_differences() {
    let mut seen = Seen::default();
    for law in [Contact::Ncp, Contact::Lcp] {
        for robot in robots() {
            let options = Options {
                time_step: H,
                contact: law,
                ..Options::default()
            };
            let mut checker = Checker::new(robot.model.clone(), &options);
            let joints = |kind| robot.joints().map(move |i| param(kind, i, 0));
            let mut list: Vec<Param> = match robot.friction > 0.0 {
                true => joints(ParamKind::JointFriction).collect(),
                false => Vec::new(),
            };
            list.extend(joints(ParamKind::JointArmature));
            list.push(param(ParamKind::GeomFriction, 0, 0));
            checker.select(&list);
            (checker.eps, checker.stencil) = (2e-7, FOURTH_ORDER);
            let mut watch = Sim::new(robot.model.clone(), &options).unwrap();
            let mut drive = Drive::new(2, &robot);
            let (mut q, mut v) = (robot.q.clone(), drive.speed(&robot));
            for k in 0..30 {
                drive.next(&robot, k);
                let (from, mut place, mut speed) = (q.clone(), q.clone(), v.clone());
                watch
                    .step(&from, &v, &drive.u, &mut place, &mut speed)
                    .unwrap();
                seen.add(&watch, [&robot.on_limit(&from), &robot.on_limit(&place)]);
                checker.label = format!("step {k}");
                checker.check(&mut q, &mut v, &drive.u);
            }
            checker.report(&format!("{law:?}, {}", robot.name));
        }
    }
    println!("{seen:?}");
    assert!(seen.has_all(10), "{seen:?}");
}
