//! Actuators on tendons: their forces and derivatives with every integrator and contact law, across branches
//! and trees, with clamps, servos, the tendon's own spring and bounds; rollouts, batches of joints beside
//! them, heap, bad input.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use crate::common::scene::options;
use crate::common::tendons::{anchors, fixed, tendon};
use crate::common::tethers::{arms, paths, point};
use crate::common::trajectory::{From, compare};
use crate::common::{EPS, LAWS, Rng, all_jacobians, param, random_q, relative_error};
use allocation_counter::measure;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::tendon::{TendonPath, Transmission};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

fn actuator(name: &str, transmission: Transmission, gear: f64) -> ActuatorSpec {
    ActuatorSpec {
        gear: [gear, 0.0, 0.0, 0.0, 0.0, 0.0],
        ..ActuatorSpec::new(name, transmission)
    }
}

/// On every tendon a motor, a servo, and one of each that a clamp holds; one motor on a joint.
fn actuate(spec: &mut ModelSpec) {
    let names: Vec<String> = spec.tendons.iter().map(|t| t.name.clone()).collect();
    for (k, name) in names.iter().enumerate() {
        let on = || Transmission::Tendon(name.clone());
        let k = k as f64;
        let mut motor = actuator(&format!("{name} motor"), on(), 1.7 - k);
        motor.bias[0] = 0.4;
        let mut servo = actuator(&format!("{name} servo"), on(), 0.6 + 0.3 * k);
        (servo.gain, servo.bias) = (12.0, [1.0, -12.0, -0.8]);
        servo.control_range = Some((-5.0, 5.0));
        let mut full = servo.clone();
        full.name = format!("{name} at its most");
        full.force_range = Some((-0.7, 0.7));
        full.bias[0] = 90.0;
        let mut held = servo.clone();
        held.name = format!("{name} beyond its range");
        held.control_range = Some((3.0, 4.0));
        spec.actuators.extend([motor, servo, full, held]);
    }
    let mut joints = spec.bodies.iter().flat_map(|b| &b.joints);
    let moves = joints.find(|j| j.kind != JointKind::Fixed).unwrap();
    let joint = Transmission::Joint(moves.name.clone());
    spec.actuators.push(actuator("joint", joint, 2.0));
}

/// The arms with three tendons that are actuated, the first with a spring, the second with bounds where
/// constraints are.
fn pulled(bounds: bool) -> Model {
    let (mut spec, mut rng) = arms();
    for (name, path) in paths(&mut rng) {
        spec.tendons.push(tendon(name, path));
    }
    let t = &mut spec.tendons;
    (t[0].stiffness, t[0].damping, t[0].rest) = (30.0, 0.5, Some((0.1, 0.1)));
    if bounds {
        t[1].limits = Some((0.0, 0.1));
        t[2].friction_loss = 0.3;
    }
    actuate(&mut spec);
    Model::compile(spec, Actuation::FromFile).unwrap()
}

fn placements(model: &Model) -> Vec<Param> {
    let of = |name| model.joint_id(name).unwrap();
    let each = |j| (0..6).map(move |k| param(ParamKind::JointPlacement, j, k));
    let mut list: Vec<Param> = [of("joint2"), of("joint4"), of("joint6")]
        .into_iter()
        .flat_map(each)
        .collect();
    list.extend([0, 1].map(|k| param(ParamKind::Tendon, 0, k)));
    list.extend(anchors(model));
    list.extend((0..model.nu()).map(|j| param(ParamKind::ActuatorGain, j, 0)));
    list
}

fn check(model: &Model, options: &Options, name: &str) {
    let mut c = Checker::new(model.clone(), options);
    (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
    c.select(&placements(model));
    let q = random_q(&mut Rng::new(5), model, 0.3);
    let label = format!("{name}, {:?}, {:?}", options.integrator, options.contact);
    c.run(&label, &q, 1.0, 2);
}

#[test]
fn derivatives_with_every_integrator_and_law() {
    use Integrator::{
        Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    let one_step = [
        SymplecticEuler,
        SymplecticEulerWorld,
        ImplicitEuler,
        Midpoint,
    ];
    let [free, bound] = [false, true].map(pulled);
    for integrator in one_step {
        for contact in [Contact::None, Contact::Penalty].into_iter().chain(LAWS) {
            let o = Options {
                integrator,
                contact,
                ..options(4e-3)
            };
            let rows = LAWS.contains(&contact);
            check(if rows { &bound } else { &free }, &o, "arms");
        }
    }
    for integrator in [Bdf1, Sdirk2] {
        for contact in [Contact::None, Contact::Penalty] {
            let o = Options {
                integrator,
                contact,
                ..options(4e-3)
            };
            check(&free, &o, "arms");
        }
    }
}

/// Trees of other shapes, with every kind of joint.
#[test]
fn derivatives_of_random_trees() {
    for seed in 0..4 {
        let mut spec = crate::common::tendons::corded_spec(80 + seed, 5 + seed as usize);
        actuate(&mut spec);
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        for contact in [Contact::None, Contact::Ncp] {
            let o = Options {
                contact,
                ..options(4e-3)
            };
            let mut c = Checker::new(model.clone(), &o);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            let first = model.joints().iter().position(|j| j.nv > 0).unwrap();
            let list: Vec<Param> = (0..6)
                .map(|k| param(ParamKind::JointPlacement, first, k))
                .collect();
            c.select(&list);
            let q = random_q(&mut Rng::new(seed), &model, 0.4);
            c.run(&format!("seed {seed}, {contact:?}"), &q, 1.0, 2);
        }
    }
}

/// The same step as with motors on all dofs that do what the tendons' moments make of the actuators' forces.
#[test]
fn they_pull_along_their_moments() {
    let mut rng = Rng::new(21);
    let (mut spec, _) = arms();
    let sum = fixed(&mut rng, &spec);
    for (name, path) in paths(&mut rng) {
        spec.tendons.push(tendon(name, path));
    }
    spec.tendons.push(tendon("sum", sum));
    actuate(&mut spec);
    let full = Arc::new(Model::compile(spec.clone(), Actuation::Full).unwrap());
    let model = Arc::new(Model::compile(spec.clone(), Actuation::FromFile).unwrap());
    let (nv, n) = (model.nv(), model.tendons().len());
    let (q, v) = (random_q(&mut rng, &model, 0.3), rng.vector(nv, 1.0));
    let u = rng.vector(model.nu(), 1.0);
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::SymplecticEulerWorld,
    ] {
        let o = Options {
            integrator,
            contact: Contact::None,
            ..options(4e-3)
        };
        let step = |model: &Arc<Model>, u: &[f64]| {
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.step(&q, &v, u, &mut qn, &mut vn).unwrap();
            vn
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (mut lengths, mut moments) = (vec![0.0; n], vec![0.0; n * nv]);
        sim.tendon_lengths(&q, &mut lengths, Some(&mut moments))
            .unwrap();
        let mut acceleration = vec![0.0; nv];
        sim.forward(&q, &v, &u, &mut acceleration).unwrap();
        let mut tau = vec![0.0; nv];
        for (a, u) in spec.actuators.iter().zip(&u) {
            let Transmission::Tendon(name) = &a.transmission else {
                tau[0] += a.gear[0] * u;
                continue;
            };
            let i = spec.tendons.iter().position(|t| t.name == *name).unwrap();
            let g = &moments[i * nv..][..nv];
            let along = |x: &[f64]| -> f64 { g.iter().zip(x).map(|(g, x)| g * x).sum() };
            let (rate, change) = (along(&v), o.time_step * along(&acceleration));
            let (lo, hi) = a.control_range.unwrap_or((-9.0, 9.0));
            let force = a.gain * u.clamp(lo, hi)
                + a.bias[0]
                + a.gear[0] * (a.bias[1] * lengths[i] + a.bias[2] * rate);
            let (lo, hi) = a.force_range.unwrap_or((-1e9, 1e9));
            // Within its limits, as it is where the step ends.
            let ahead = a.bias[1] * o.time_step * (rate + change) + a.bias[2] * change;
            let force = match force.clamp(lo, hi) == force {
                true => force + a.gear[0] * ahead,
                false => force.clamp(lo, hi),
            };
            for (tau, g) in tau.iter_mut().zip(g) {
                *tau += a.gear[0] * g * force;
            }
        }
        let error = relative_error(&step(&model, &u), &step(&full, &tau));
        assert!(error < 1e-12, "{integrator:?}: {error:e}");
    }
}

/// Feet that a cable draws together, on the ground.
fn drawn_quadruped() -> Model {
    let mut spec = quadruped_spec(false);
    let id = |name: &str| spec.bodies.iter().position(|b| b.name == name).unwrap();
    let foot = Vec3::new(0.0, 0.0, -0.21);
    let between = |a, b| TendonPath::Spatial(vec![point(a, foot), point(b, foot)]);
    let mut across = tendon("across", between(id("calf0"), id("calf3")));
    (across.stiffness, across.damping) = (30.0, 0.3);
    let beside = tendon("beside", between(id("calf1"), id("calf2")));
    spec.tendons.extend([across, beside]);
    let mut servo = actuator("draw", Transmission::Tendon("across".into()), -1.5);
    (servo.gain, servo.bias) = (40.0, [0.0, -40.0, -2.0]);
    let motor = actuator("pull", Transmission::Tendon("beside".into()), -1.0);
    spec.actuators = vec![servo, motor];
    for body in 1..spec.bodies.len() {
        let joint = &spec.bodies[body].joints[0];
        if joint.limits.is_some() {
            let on = Transmission::Joint(joint.name.clone());
            let mut hold = actuator(&joint.name, on, 1.0);
            (hold.gain, hold.bias) = (40.0, [0.0, -40.0, -1.0]);
            spec.actuators.push(hold);
        }
    }
    Model::compile(spec, Actuation::FromFile).unwrap()
}

#[test]
fn beside_contacts() {
    let model = drawn_quadruped();
    for contact in LAWS {
        let o = Options {
            contact,
            ..options(2e-3)
        };
        let mut c = Checker::new(model.clone(), &o);
        c.eps = 3e-7;
        let (mut q, mut v, mut rng) = (standing(&model), vec![0.0; 18], Rng::new(4));
        let rest = q.clone();
        let mut touching = false;
        for step in 0..60 {
            let mut u = vec![-0.4, 3.0];
            u.extend(rest[7..].iter().map(|q| q + rng.range(-0.02, 0.02)));
            if step % 6 == 0 {
                c.check(&mut q, &mut v, &u);
            } else {
                let (q0, v0) = (q.clone(), v.clone());
                c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            }
            touching |= c.sim.contacts().iter().any(|c| c.impulse[2] > 0.0);
        }
        assert!(touching);
        c.report(&format!("drawn quadruped, {contact:?}"));
    }
}

#[test]
fn gradients_of_trajectories() {
    use Integrator::{Bdf2, Midpoint, SymplecticEulerWorld};
    const STEPS: usize = 30;
    let model = Arc::new(pulled(false));
    let (nv, list) = (model.nv(), placements(&model));
    let mut rng = Rng::new(4);
    let from = From {
        q0: random_q(&mut rng, &model, 0.3),
        v0: rng.vector(nv, 0.5),
        u: rng.vector(model.nu() * STEPS, 0.5),
    };
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::None),
        (SymplecticEulerWorld, Contact::Ncp),
        (Midpoint, Contact::Convex),
        (Bdf2, Contact::None),
    ] {
        let o = Options {
            integrator,
            contact,
            checkpoint_interval: 7,
            ..options(2e-3)
        };
        compare(&model, &o, STEPS, &from, &list, 1e-5)
            .accept(&format!("{integrator:?}, {contact:?}"), 1e-7);
    }
}

#[test]
fn no_heap_after_creation_and_the_same_bits() {
    use Integrator::{Midpoint, Sdirk2, SymplecticEulerWorld};
    let model = Arc::new(pulled(false));
    let (nv, nu) = (model.nv(), model.nu());
    let mut rng = Rng::new(1);
    let q = random_q(&mut rng, &model, 0.4);
    let (v, u) = (rng.vector(nv, 1.0), rng.vector(nu, 1.0));
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::None),
        (SymplecticEulerWorld, Contact::Ncp),
        (Midpoint, Contact::Convex),
        (Sdirk2, Contact::Penalty),
    ] {
        let o = Options {
            integrator,
            contact,
            ..options(4e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let list = placements(&model);
        sim.select_params(&list).unwrap();
        let sizes = [nv, nv, nu, list.len()];
        let (mut jq, mut jv) = (
            sizes.map(|n| vec![0.0; nv * n]),
            sizes.map(|n| vec![0.0; nv * n]),
        );
        let (mut qn, mut vn, mut bar) = (q.clone(), v.clone(), vec![0.0; nu]);
        let mut run = || {
            sim.reset();
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            sim.step_vjp(&vn, &v, None, None, Some(&mut bar), None)
                .unwrap();
            let all = jv.iter().flatten().chain(&vn).chain(&bar);
            all.fold(0, |a: u64, x| a.rotate_left(7) ^ x.to_bits())
        };
        let first = run();
        let mut again = 0;
        let used = measure(|| again = run());
        assert_eq!(used.count_total, 0, "{integrator:?}, {contact:?}");
        assert_eq!(again, first, "{integrator:?}, {contact:?}");
    }
}

/// Trees that only a tendon's actuator joins meet in the Jacobians, with zeros left out, too.
#[test]
fn trees_are_joined() {
    let (mut spec, mut rng) = arms();
    let [.., (_, path)] = paths(&mut rng);
    spec.tendons.push(tendon("trees", path));
    let on = Transmission::Tendon("trees".into());
    spec.actuators.push(actuator("pull", on, 1.0));
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let nv = model.nv();
    let o = Options {
        contact: Contact::None,
        ..options(4e-3)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let (q, v) = (random_q(&mut rng, &model, 0.3), rng.vector(nv, 1.0));
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &[2.0], &mut qn, &mut vn).unwrap();
    let (mut by_q, mut by_u) = (vec![0.0; nv * nv], vec![0.0; nv]);
    let out = StepJacobians {
        dv_dq: Some(&mut by_q),
        dv_du: Some(&mut by_u),
        ..StepJacobians::default()
    };
    sim.step_jacobians(out).unwrap();
    let entries = sim.jacobian_entries().unwrap();
    assert_eq!([entries.by_state, entries.by_input], [nv * nv, nv]);
    // The last dof is the second tree's, the first the other's.
    assert!(by_q[nv - 1] != 0.0 && by_q[(nv - 1) * nv] != 0.0);
    assert!(by_u[0] != 0.0 && by_u[nv - 1] != 0.0);
}

#[test]
fn what_is_refused() {
    let refusal = |change: &dyn Fn(&mut ModelSpec)| {
        let (mut spec, mut rng) = arms();
        for (name, path) in paths(&mut rng) {
            spec.tendons.push(tendon(name, path));
        }
        let on = Transmission::Tendon("trees".into());
        spec.actuators.push(actuator("pull", on, 1.0));
        change(&mut spec);
        let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
        e.to_string()
    };
    let says = |e: String, what: &str| assert!(e.contains(what), "{e}");
    says(
        refusal(&|s| s.tendons[2].name = "other".into()),
        "actuator \"pull\": no tendon is called \"trees\"",
    );
    says(
        refusal(&|s| s.tendons[2].path = TendonPath::Spatial(vec![point(3, Vec3::X); 2])),
        "its length is constant",
    );
    says(
        refusal(&|s| s.actuators[0].gear[0] = f64::NAN),
        "actuator \"pull\": gear, gain and bias must be finite",
    );
    says(
        refusal(&|s| s.actuators[0].force_range = Some((1.0, -1.0))),
        "actuator \"pull\": force range must be ordered",
    );
}
