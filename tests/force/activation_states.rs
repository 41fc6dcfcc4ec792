//! Actuators with a state: activations, memory, labels, queries, smoothing, heap, bad input.

use crate::common::activated::{Point, kinds, pulled, state, walker};
use crate::common::checker::standing;
use crate::common::scene::options;
use crate::common::{Rng, relative_error};
use allocation_counter::measure;
use diffsim::error::Status;
use diffsim::force::ForceKinds;
use diffsim::load::options::{LoadOptions, load_file};
use diffsim::model::activation::{Activation, ActivationLaw};
use diffsim::model::muscle::Muscle;
use diffsim::model::sensor::Reading;
use diffsim::model::spec::{ActuatorSpec, JointKind};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::query::{
    ForceDerivatives, SensorJacobians, SensorRoom, Smoothing, SmoothingMethod, Transmissions,
};
use diffsim::rollout::{Rollout, RolloutAdjoint, Trajectory};
use diffsim::step::{
    AccelerationJacobians, ActJacobians, Contact, Gradient, Integrator, Options, Sim, StepAdjoint,
    StepJacobians,
};
use std::sync::Arc;

#[test]
fn activations_are_memory() {
    let model = Arc::new(pulled());
    let o = options(2e-3);
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let mut rng = Rng::new(8);
    let at = Point::random(&mut rng, &model);
    assert!(sim.act().iter().all(|x| *x == 0.0));
    sim.set_act(&at.act).unwrap();
    let (mut q, mut v) = (at.q.clone(), at.v.clone());
    sim.step(&at.q, &at.v, &at.u, &mut q, &mut v).unwrap();
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    assert_eq!(memory[memory.len() - model.na()..], *sim.act());
    let mut copy = sim.duplicate().unwrap();
    let mut ends = Vec::new();
    for sim in [&mut sim, &mut copy] {
        let (mut qn, mut vn) = (q.clone(), v.clone());
        sim.step(&q, &v, &at.u, &mut qn, &mut vn).unwrap();
        ends.push((qn, vn, sim.act().to_vec()));
    }
    sim.set_memory(&memory).unwrap();
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &at.u, &mut qn, &mut vn).unwrap();
    ends.push((qn, vn, sim.act().to_vec()));
    assert!(ends[0] == ends[1] && ends[0] == ends[2]);
    // A step that fails leaves them where they are.
    let kept = sim.act().to_vec();
    let far = vec![f64::MAX; model.nu()];
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &far, &mut qn, &mut vn).unwrap_err();
    assert_eq!(sim.act(), kept);
    // Errors are reported before the last step is forgotten.
    let e = sim.set_act(&kept[1..]).unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    memory[0] = 0.0;
    *memory.last_mut().unwrap() = f64::NAN;
    assert_eq!(
        sim.set_memory(&memory).unwrap_err().status,
        Status::Numerical
    );
    sim.reset();
    assert!(sim.act().iter().all(|x| *x == 0.0));
}

/// A filter's closed form, an integrator's, and bounds.
#[test]
fn they_follow_their_inputs() {
    let mut spec = crate::common::random_spec(3, 2);
    let mut b =
        crate::common::random_body(&mut Rng::new(2), spec.bodies.len(), 0, JointKind::Revolute);
    b.joints[0].name = "hinge".into();
    spec.bodies.push(b);
    let on = || Transmission::Joint("hinge".into());
    let laws = [
        ActivationLaw::FilterExact { time_constant: 0.1 },
        ActivationLaw::Filter { time_constant: 0.1 },
        ActivationLaw::Integrator,
    ];
    spec.actuators = laws
        .map(|law| ActuatorSpec {
            activation: Some(Activation {
                range: (law == ActivationLaw::Integrator).then_some((-1.0, 0.05)),
                ..Activation::new(law)
            }),
            ..ActuatorSpec::new(format!("{law:?}"), on())
        })
        .into();
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let o = Options {
        contact: Contact::None,
        ..options(0.01)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    for k in 1..=10 {
        sim.step(&q, &v, &[1.0; 3], &mut qn, &mut vn).unwrap();
        let t = 0.01 * f64::from(k);
        assert!((sim.act()[0] - (1.0 - (-t / 0.1f64).exp())).abs() < 1e-14);
        assert!((sim.act()[1] - (1.0 - 0.9f64.powi(k))).abs() < 1e-14);
        assert!((sim.act()[2] - t.min(0.05)).abs() < 1e-14);
    }
    let info = sim.step_info().unwrap();
    assert_eq!((info.switch_distance * 1e6).round(), 1e4);
}

/// A slope that no number holds is refused, not told.
#[test]
fn time_constants_too_small() {
    let mut spec = crate::common::random_spec(3, 2);
    let mut b =
        crate::common::random_body(&mut Rng::new(2), spec.bodies.len(), 0, JointKind::Revolute);
    b.joints[0].name = "hinge".into();
    spec.bodies.push(b);
    let mut a = ActuatorSpec::new("a", Transmission::Joint("hinge".into()));
    a.activation = state(ActivationLaw::Filter {
        time_constant: 1e-310,
    });
    spec.actuators = vec![a];
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut sim = Sim::new(model.clone(), &options(0.01)).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let e = sim.step(&q, &v, &[0.0], &mut qn, &mut vn).unwrap_err();
    assert_eq!(e.status, Status::Numerical);
    assert!(e.message.contains("act[0]"), "{e}");
}

/// A muscle at rest is at a kink of its time constant, and says so.
#[test]
fn kinks_are_labelled() {
    let model = Arc::new(pulled());
    let o = Options {
        contact: Contact::None,
        ..options(2e-3)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let at = Point::random(&mut Rng::new(8), &model);
    let (mut q, mut v) = (at.q.clone(), at.v.clone());
    sim.step(&at.q, &at.v, &at.u, &mut q, &mut v).unwrap();
    let info = sim.step_info().unwrap();
    assert_eq!(
        (info.gradient, info.switch_distance),
        (Gradient::OneSided, 0.0)
    );
    sim.set_act(&at.act).unwrap();
    sim.step(&at.q, &at.v, &at.u, &mut q, &mut v).unwrap();
    let info = sim.step_info().unwrap();
    assert!(info.gradient == Gradient::Exact && info.switch_distance > 0.0);
}

/// Forces and their derivatives without a step.
#[test]
fn questions() {
    let model = Arc::new(pulled());
    let (nv, nu) = (model.nv(), model.nu());
    let o = Options {
        contact: Contact::None,
        ..options(2e-3)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let at = Point::random(&mut Rng::new(9), &model);
    sim.set_act(&at.act).unwrap();
    let ask = |sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]| {
        let mut x = vec![0.0; nu];
        let out = Transmissions {
            forces: Some(&mut x),
            ..Transmissions::default()
        };
        assert_eq!(sim.actuator_states(q, v, u, out).unwrap(), Gradient::Exact);
        x
    };
    let mut slopes = [nv, nv, nu].map(|n| vec![0.0; nu * n]);
    let [a, b, c] = slopes.each_mut().map(|x| Some(&mut x[..]));
    let out = Transmissions {
        by_q: a,
        by_v: b,
        by_u: c,
        ..Transmissions::default()
    };
    sim.actuator_states(&at.q, &at.v, &at.u, out).unwrap();
    let by_u = crate::common::by_vector(&at.u, |u| ask(&mut sim, &at.q, &at.v, u));
    let by_v = crate::common::by_vector(&at.v, |v| ask(&mut sim, &at.q, v, &at.u));
    let by_q = crate::common::by_q(&model, &at.q, |q| ask(&mut sim, q, &at.v, &at.u));
    for (found, by) in slopes.iter().zip([by_q, by_v, by_u]) {
        let error = relative_error(found, &by);
        assert!(error < 1e-7, "{error:e}");
    }
    let kinds = ForceKinds::ACTUATOR;
    let (mut force, mut by_u) = (vec![0.0; nv], vec![0.0; nv * nu]);
    let out = ForceDerivatives {
        by_u: Some(&mut by_u),
        ..ForceDerivatives::default()
    };
    sim.generalized_forces(&at.q, &at.v, &at.u, kinds, &mut force, out)
        .unwrap();
    let by = crate::common::by_vector(&at.u, |u| {
        let mut f = vec![0.0; nv];
        sim.generalized_forces(&at.q, &at.v, u, kinds, &mut f, ForceDerivatives::default())
            .unwrap();
        f
    });
    assert!(relative_error(&by_u, &by) < 1e-7);
    assert_eq!(sim.act(), at.act);
}

/// The acceleration by the activations, forward and back, with dofs that are driven and by schemes with and
/// without stages.
#[test]
fn accelerations_by_activations() {
    let model = Arc::new(pulled());
    let (nv, nu, na) = (model.nv(), model.nu(), model.na());
    for integrator in [
        Integrator::SymplecticEulerWorld,
        Integrator::SymplecticEuler,
        Integrator::Midpoint,
        Integrator::Bdf1,
    ] {
        let o = Options {
            contact: Contact::None,
            integrator,
            ..options(2e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let mut rng = Rng::new(6);
        let at = Point::random(&mut rng, &model);
        for driven in [vec![], vec![1, nv - 1]] {
            driven.iter().for_each(|k| sim.prescribe(*k, 0.4).unwrap());
            let ask = |sim: &mut Sim, act: &[f64]| {
                sim.set_act(act).unwrap();
                let mut a = vec![0.0; nv];
                sim.forward(&at.q, &at.v, &at.u, &mut a).unwrap();
                a
            };
            let numeric = crate::common::by_vector(&at.act, |act| ask(&mut sim, act));
            ask(&mut sim, &at.act);
            let mut by_act = vec![f64::NAN; nv * na];
            sim.acceleration_jacobians(AccelerationJacobians {
                by_act: Some(&mut by_act),
                ..AccelerationJacobians::default()
            })
            .unwrap();
            let error = relative_error(&by_act, &numeric);
            assert!(error < 1e-7, "{integrator:?} {driven:?}: {error:e}");
            assert!(by_act.iter().any(|x| x.abs() > 1e-2));
            let a_bar = rng.vector(nv, 1.0);
            let [mut act, mut u, mut same] = [na, nu, nu].map(|n| vec![f64::NAN; n]);
            let out = StepAdjoint {
                act: Some(&mut act),
                u: Some(&mut u),
                ..StepAdjoint::default()
            };
            sim.acceleration_vjp_act(&a_bar, out).unwrap();
            for (x, column) in act.iter().zip(by_act.chunks(nv)) {
                let sum: f64 = column.iter().zip(&a_bar).map(|(a, b)| a * b).sum();
                assert!((x - sum).abs() <= 1e-10 * (1.0 + sum.abs()));
            }
            (sim.acceleration_vjp(&a_bar, None, None, Some(&mut same), None)).unwrap();
            assert_eq!(u, same);
            let short = AccelerationJacobians {
                by_act: Some(&mut by_act[1..]),
                ..AccelerationJacobians::default()
            };
            let e = sim.acceleration_jacobians(short).unwrap_err();
            assert!(e.message.starts_with("da_dact"), "{e}");
        }
    }
}

/// Sensors feel what actuators do with their activations, not with their inputs.
#[test]
fn sensors_of_actuators_with_a_state() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/models/muscles.xml");
    let model = Arc::new(load_file(&path, &LoadOptions::default()).unwrap());
    let (n, nv, nu) = (model.nsensordata(), model.nv(), model.nu());
    let o = Options {
        contact: Contact::None,
        ..options(2e-3)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let mut room = SensorRoom::new(&sim);
    let at = Point::random(&mut Rng::new(4), &model);
    sim.set_act(&at.act).unwrap();
    let mut forces = vec![0.0; nu];
    let out = Transmissions {
        forces: Some(&mut forces),
        ..Transmissions::default()
    };
    sim.actuator_states(&at.q, &at.v, &at.u, out).unwrap();
    let tell = |sim: &mut Sim, room: &mut SensorRoom, q: &[f64], v: &[f64], u: &[f64]| {
        let mut data = vec![0.0; n];
        sim.sensors(room, q, v, u, &mut data).unwrap();
        data
    };
    let data = tell(&mut sim, &mut room, &at.q, &at.v, &at.u);
    let felt = model
        .sensors()
        .iter()
        .filter(|s| s.reading == Reading::ActuatorForce);
    let felt: Vec<[f64; 2]> = felt.map(|s| [data[s.address], forces[s.index]]).collect();
    assert_eq!(felt.len(), 5);
    assert!(felt.iter().all(|[x, y]| x == y), "{felt:?}");
    let na = model.na();
    let mut slopes = [nv, nv, nu, na].map(|columns| vec![0.0; n * columns]);
    let [by_q, by_v, by_u, by_act] = slopes.each_mut().map(|x| Some(&mut x[..]));
    let out = SensorJacobians {
        by_q,
        by_v,
        by_u,
        by_act,
    };
    (sim.sensor_jacobians(&mut room, &at.q, &at.v, &at.u, out)).unwrap();
    let by_u = crate::common::by_vector(&at.u, |u| tell(&mut sim, &mut room, &at.q, &at.v, u));
    let by_v = crate::common::by_vector(&at.v, |v| tell(&mut sim, &mut room, &at.q, v, &at.u));
    let by_q = crate::common::by_q(&model, &at.q, |q| {
        tell(&mut sim, &mut room, q, &at.v, &at.u)
    });
    let by_act = crate::common::by_vector(&at.act, |act| {
        sim.set_act(act).unwrap();
        tell(&mut sim, &mut room, &at.q, &at.v, &at.u)
    });
    sim.set_act(&at.act).unwrap();
    for (found, by) in slopes.iter().zip([by_q, by_v, by_u, by_act]) {
        let error = relative_error(found, &by);
        assert!(error < 1e-7, "{error:e}");
    }
    let bar = Rng::new(8).vector(n, 1.0);
    let mut bars = [nv, nv, nu, na].map(|n| vec![f64::NAN; n]);
    let outs = bars.each_mut().map(|x| Some(&mut x[..]));
    (sim.sensor_vjp(&mut room, &at.q, &at.v, &at.u, &bar, outs)).unwrap();
    for (bars, j) in bars.iter().zip(&slopes) {
        for (x, column) in bars.iter().zip(j.chunks(n)) {
            let sum: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
            assert!((x - sum).abs() <= 1e-10 * (1.0 + sum.abs()));
        }
    }
    assert_eq!(sim.act(), at.act);
}

/// What is smoothed is the step that was taken, from its activations.
#[test]
fn smoothed_steps() {
    let model = Arc::new(walker());
    let (nv, nu) = (model.nv(), model.nu());
    let mut sim = Sim::new(model.clone(), &options(2e-3)).unwrap();
    let mut q = standing(&model);
    q[2] += 1.0;
    let (v, u) = (vec![0.0; nv], vec![0.3; nu]);
    sim.set_act(&q[7..]).unwrap();
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
    let central = Smoothing {
        method: SmoothingMethod::CentralPath,
        ..Smoothing::default()
    };
    let (mut qs, mut vs) = (q.clone(), v.clone());
    sim.relaxed_step(&central, &mut qs, &mut vs).unwrap();
    assert!(relative_error(&vs, &vn) < 1e-9);
    let (mut exact, mut mean) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
    let out = |x| StepJacobians {
        dv_dv: Some(x),
        ..StepJacobians::default()
    };
    sim.step_jacobians(out(&mut exact)).unwrap();
    let little = Smoothing {
        width_q: 1e-7,
        width_v: 1e-7,
        pairs: 3,
        ..Smoothing::default()
    };
    sim.smoothed_jacobians(&little, out(&mut mean)).unwrap();
    assert!(relative_error(&exact, &mean) < 1e-5);
}

#[test]
fn no_heap_after_creation_and_the_same_bits() {
    use Integrator::{Midpoint, Sdirk2, SymplecticEulerWorld};
    let model = Arc::new(pulled());
    let (nv, nu, na) = (model.nv(), model.nu(), model.na());
    let at = Point::random(&mut Rng::new(1), &model);
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::Ncp),
        (Midpoint, Contact::Convex),
        (Sdirk2, Contact::Penalty),
    ] {
        let o = Options {
            integrator,
            contact,
            checkpoint_interval: 3,
            ..options(4e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let steps = 8;
        let mut rollout = Rollout::new(model.clone(), &o, steps).unwrap();
        let us = at.u.repeat(steps);
        let mut acts = [nv * na, nv * na, na * na, na * nu].map(|n| vec![0.0; n]);
        let (mut next, mut bar) = (at.clone(), vec![0.0; na]);
        let mut path = vec![0.0; na * (steps + 1)];
        let (zero, mut ub) = (vec![0.0; nv * (steps + 1)], vec![0.0; nu * steps]);
        let weights = vec![1.0; na * (steps + 1)];
        let mut run = || {
            sim.reset();
            sim.set_act(&at.act).unwrap();
            sim.step(&at.q, &at.v, &at.u, &mut next.q, &mut next.v)
                .unwrap();
            let [a, b, c, d] = acts.each_mut().map(|x| Some(&mut x[..]));
            sim.step_act_jacobians(ActJacobians {
                dq_dact: a,
                dv_dact: b,
                dact_dact: c,
                dact_du: d,
                ..ActJacobians::default()
            })
            .unwrap();
            let out = StepAdjoint {
                act: Some(&mut bar),
                ..StepAdjoint::default()
            };
            sim.step_vjp_act(&at.v, &at.v, &at.act, out).unwrap();
            let out = Trajectory {
                act: Some(&mut path),
                ..Trajectory::default()
            };
            rollout
                .run_act(&at.q, &at.v, &at.act, &us, steps, out)
                .unwrap();
            let out = RolloutAdjoint {
                u: Some(&mut ub),
                ..RolloutAdjoint::default()
            };
            rollout.adjoint_act(&zero, &zero, &weights, out).unwrap();
            let all = acts.iter().flatten().chain(&bar).chain(&path).chain(&ub);
            all.fold(0, |a: u64, x| a.rotate_left(7) ^ x.to_bits())
        };
        let first = run();
        let mut again = 0;
        let used = measure(|| again = run());
        assert_eq!(used.count_total, 0, "{integrator:?}, {contact:?}");
        assert_eq!(again, first, "{integrator:?}, {contact:?}");
    }
}

#[test]
fn what_is_refused() {
    let refusal = |change: &dyn Fn(&mut ActuatorSpec)| {
        let mut spec = crate::common::random_spec(3, 2);
        let mut b =
            crate::common::random_body(&mut Rng::new(2), spec.bodies.len(), 0, JointKind::Revolute);
        b.joints[0].name = "hinge".into();
        spec.bodies.push(b);
        let mut list = kinds(|| Transmission::Joint("hinge".into()), "a");
        let last = list.last_mut().unwrap();
        last.name = "a".into();
        change(last);
        spec.actuators = list;
        let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        e.to_string()
    };
    let with = |law: ActivationLaw| refusal(&|a| a.activation = state(law));
    let muscle = |change: fn(&mut Muscle)| refusal(&|a| a.active.iter_mut().for_each(change));
    let negative = ActivationLaw::Filter {
        time_constant: -1.0,
    };
    let width = ActivationLaw::Muscle {
        rise: 1.0,
        fall: 1.0,
        smoothing: f64::NAN,
    };
    for (found, expected) in [
        (
            with(negative),
            "actuator \"a\": the time constant of its activation must be positive",
        ),
        (
            with(width),
            "actuator \"a\": the smoothing width of its activation must be finite",
        ),
        (
            refusal(&|a| a.activation.as_mut().unwrap().range = Some((1.0, -1.0))),
            "actuator \"a\": activation range must be ordered, got 1 -1",
        ),
        (
            muscle(|m| m.length_range = (0.0, 0.0)),
            "actuator \"a\": its muscle needs an ordered length range",
        ),
        (muscle(|m| m.range.1 = 0.0), "an ordered operating range"),
        (muscle(|m| m.shortest = 1.0), "lmin < 1 < lmax, got 1 1.6"),
        (muscle(|m| m.fastest = 0.0), "a positive vmax, got 0"),
        (
            muscle(|m| m.lengthening = 0.9),
            "fvmax of at least 1, got 0.9",
        ),
        (muscle(|m| m.scale = f64::INFINITY), "must be finite"),
        (
            refusal(&|a| a.gain_slopes[1] = f64::NAN),
            "gear, gain and bias must be finite",
        ),
    ] {
        assert!(found.contains(expected), "{found}");
    }
    let mut spec = crate::common::random_spec(3, 2);
    let b =
        crate::common::random_body(&mut Rng::new(2), spec.bodies.len(), 0, JointKind::Spherical);
    let on = Transmission::Joint(b.joints[0].name.clone());
    spec.bodies.push(b);
    spec.actuators = kinds(|| on.clone(), "a").split_off(6);
    let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
    assert!(
        e.to_string().contains("muscle needs a one-dof joint"),
        "{e}"
    );
}
