//! Robots whose actuators have states, and steps from states with activations.

use super::checker::quadruped_spec;
use super::tendons::tendon;
use super::tethers::{arms, paths};
use super::{Rng, random_q};
use diffsim::error::Result;
use diffsim::model::activation::{Activation, ActivationLaw};
use diffsim::model::muscle::Muscle;
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::step::Sim;

pub fn state(law: ActivationLaw) -> Option<Activation> {
    Some(Activation::new(law))
}

pub const MUSCLE: ActivationLaw = ActivationLaw::Muscle {
    rise: 0.01,
    fall: 0.04,
    smoothing: 0.2,
};

/// One of each: without a state a motor and a damper; an integrator, filters, early ones and one at its
/// bound, muscles.
pub fn kinds(on: impl Fn() -> Transmission, name: &str) -> Vec<ActuatorSpec> {
    let new = |kind: &str| ActuatorSpec::new(format!("{name} {kind}"), on());
    let motor = new("motor");
    let mut damper = new("damper");
    (damper.gain, damper.gain_slopes) = (0.3, [0.2, -0.7]);
    let mut servo = new("integrator");
    (servo.gain, servo.bias) = (8.0, [0.3, -8.0, -0.4]);
    servo.activation = state(ActivationLaw::Integrator);
    servo.control_range = Some((-3.0, 3.0));
    let mut filter = new("filter");
    filter.activation = state(ActivationLaw::Filter {
        time_constant: 0.05,
    });
    filter.gear[0] = -1.4;
    let mut exact = new("early");
    exact.activation = Some(Activation {
        early: true,
        ..Activation::new(ActivationLaw::FilterExact {
            time_constant: 0.02,
        })
    });
    let mut held = new("held");
    held.activation = Some(Activation {
        early: true,
        range: Some((-0.001, 0.001)),
        ..Activation::new(ActivationLaw::Integrator)
    });
    let mut muscle = new("muscle");
    muscle.activation = state(MUSCLE);
    let curves = Muscle {
        length_range: (-1.0, 2.0),
        force: 7.0,
        ..Muscle::default()
    };
    (muscle.active, muscle.passive) = (Some(curves), Some(curves));
    let mut strong = new("early muscle");
    strong.activation = Some(Activation {
        early: true,
        ..Activation::new(MUSCLE)
    });
    strong.active = Some(Muscle {
        force: -1.0,
        scale: 3.0,
        ..curves
    });
    strong.force_range = Some((-2.0, 1e3));
    vec![motor, damper, servo, filter, exact, held, muscle, strong]
}

pub fn actuate(spec: &mut ModelSpec) {
    let mut list = Vec::new();
    let hinges = (spec.bodies.iter().flat_map(|b| &b.joints))
        .filter(|j| matches!(j.kind, JointKind::Revolute | JointKind::Prismatic));
    for j in hinges.take(2) {
        list.extend(kinds(|| Transmission::Joint(j.name.clone()), &j.name));
    }
    for t in &spec.tendons {
        list.extend(kinds(|| Transmission::Tendon(t.name.clone()), &t.name));
    }
    spec.actuators = list;
}

/// Two trees between which muscles pull, one of them with a free joint.
pub fn pulled() -> Model {
    let (mut spec, mut rng) = arms();
    for (name, path) in paths(&mut rng) {
        spec.tendons.push(tendon(name, path));
    }
    actuate(&mut spec);
    Model::compile(spec, Actuation::FromFile).unwrap()
}

/// A state of a robot and its actuators, with inputs; or a tangent.
#[derive(Clone, Debug)]
pub struct Point {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
    pub u: Vec<f64>,
}

impl Point {
    pub fn random(rng: &mut Rng, model: &Model) -> Point {
        let between = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.range(0.15, 0.85)).collect();
        Point {
            q: random_q(rng, model, 0.3),
            v: rng.vector(model.nv(), 0.8),
            act: between(rng, model.na()),
            u: between(rng, model.nu()),
        }
    }

    pub fn direction(rng: &mut Rng, model: &Model) -> Point {
        let [q, v] = [(); 2].map(|()| rng.vector(model.nv(), 1.0));
        Point {
            q,
            v,
            act: rng.vector(model.na(), 1.0),
            u: rng.vector(model.nu(), 1.0),
        }
    }

    pub fn moved(&self, model: &Model, along: &Point, e: f64) -> Point {
        let add = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + e * d).collect();
        let mut q = self.q.clone();
        let dq: Vec<f64> = along.q.iter().map(|d| e * d).collect();
        model.integrate(&self.q, &dq, &mut q);
        Point {
            q,
            v: add(&self.v, &along.v),
            act: add(&self.act, &along.act),
            u: add(&self.u, &along.u),
        }
    }
}

pub fn step(sim: &mut Sim, memory: &[f64], at: &Point) -> Result<Point> {
    sim.set_memory(memory)?;
    sim.set_act(&at.act)?;
    let mut next = at.clone();
    sim.step(&at.q, &at.v, &at.u, &mut next.q, &mut next.v)?;
    next.act.copy_from_slice(sim.act());
    Ok(next)
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
/// On its feet with filters on the joints.
pub fn walker() -> Model {
    let mut spec = quadruped_spec(false);
    for body in 1..spec.bodies.len() {
        let joint = &spec.bodies[body].joints[0];
        if joint.limits.is_some() {
            let on = Transmission::Joint(joint.name.clone());
            let mut hold = ActuatorSpec::new(&joint.name, on);
            (hold.gain, hold.bias) = (40.0, [0.0, -40.0, -1.0]);
            hold.activation = state(ActivationLaw::Filter {
                time_constant: 0.03,
            });
            spec.actuators.push(hold);
        }
    }
    Model::compile(spec, Actuation::FromFile).unwrap()
}
