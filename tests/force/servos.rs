//! Servos that are stiff, and forces that a caller gives with their slopes: a step takes both implicitly.
//! Closed forms, derivatives with every law and scheme with and without limits of force, labels at limits,
//! bits, heap, bad input.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use crate::common::prescribed::{ALL, LAWS, SYMPLECTIC, mjcf, prescribed, with};
use crate::common::*;
use allocation_counter::measure;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ActuatorSpec, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const SERVOS: [Contact; 5] = [
    Contact::Ncp,
    Contact::Lcp,
    Contact::Convex,
    Contact::Penalty,
    Contact::None,
];

/// One hinge of inertia 2 m r²/3 with a servo; no gravity.
fn hinge(kp: f64, kv: f64, beside: &str) -> Arc<Model> {
    mjcf(&format!(
        r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 0 1"/>
        <geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody>
        <actuator><position joint="j" kp="{kp}" kv="{kv}" {beside}/></actuator></mujoco>"#
    ))
}

const INERTIA: f64 = 2.0 / 3.0 * 0.01;

/// (I + h kv + h² kp) (v⁺ − v) = h (kp (u − q) − kv v − h kp v), from h kv/I = 0.3 to 300.
#[test]
fn a_hinge_with_a_stiff_servo_goes_to_its_target() {
    let (h, target) = (0.002, 0.5);
    for (kp, kv) in [
        (100.0, 1.0),
        (100.0, 14.0),
        (100.0, 50.0),
        (1e4, 1000.0),
        (1e6, 0.0),
    ] {
        for contact in SERVOS {
            for scheme in SYMPLECTIC {
                let mut sim = Sim::new(hinge(kp, kv, ""), &with(scheme, contact, h)).unwrap();
                let (mut q, mut v) = ([0.0], [0.0]);
                let (mut x, mut w) = (0.0, 0.0);
                for _ in 0..500 {
                    let (at, speed) = (q, v);
                    sim.step(&at, &speed, &[target], &mut q, &mut v).unwrap();
                    let force = kp * (target - x) - kv * w - h * kp * w;
                    w += h * force / (INERTIA + h * kv + h * h * kp);
                    x += h * w;
                    assert!(
                        (q[0] - x).abs() < 1e-11 && (v[0] - w).abs() < 1e-9,
                        "{kp} {kv}"
                    );
                }
                if kv > 0.0 && kv <= 50.0 {
                    let rate = kp / kv;
                    let slow = target * (1.0 - (-rate).exp());
                    assert!(
                        kv < 14.0 || (q[0] - slow).abs() < 0.003,
                        "{kp} {kv}: {}",
                        q[0]
                    );
                }
            }
        }
    }
}

/// Implicit schemes had it right before: they go where the symplectic ones go, to first order in h.
#[test]
fn all_schemes_agree_on_a_stiff_servo() {
    let mut ends = Vec::new();
    for scheme in ALL {
        let mut sim =
            Sim::new(hinge(100.0, 50.0, ""), &with(scheme, Contact::None, 0.002)).unwrap();
        let (mut q, mut v) = ([0.0], [0.0]);
        for _ in 0..500 {
            let (at, speed) = (q, v);
            sim.step(&at, &speed, &[0.5], &mut q, &mut v).unwrap();
        }
        ends.push(q[0]);
    }
    assert!(ends.iter().all(|x| (x - 0.4323).abs() < 1e-3), "{ends:?}");
}

/// Beyond its limit the force is a constant; at the limit itself the derivative is that of one side.
#[test]
fn at_a_limit_of_force_the_slope_is_zero() {
    let (h, limit) = (0.002, 5.0);
    let model = hinge(100.0, 14.0, r#"forcerange="-5 5""#);
    let mut sim = Sim::new(model, &with(SYMPLECTIC[1], Contact::Ncp, h)).unwrap();
    let step = |sim: &mut Sim, q: f64, v: f64| {
        let (mut qn, mut vn) = ([0.0], [0.0]);
        sim.step(&[q], &[v], &[0.5], &mut qn, &mut vn).unwrap();
        (
            vn[0],
            sim.step_info().unwrap().gradient,
            sim.step_info().unwrap().switch_distance,
        )
    };
    let (v, label, distance) = step(&mut sim, 0.2, 0.3);
    assert!((v - 0.3 - h * limit / INERTIA).abs() < 1e-12);
    assert!(
        label == Gradient::Exact && (distance - 20.8).abs() < 1e-9,
        "{distance}"
    );
    let (mut jq, mut jv) = ([0.0], [0.0]);
    let out = diffsim::step::StepJacobians {
        dv_dq: Some(&mut jq),
        dv_dv: Some(&mut jv),
        ..Default::default()
    };
    sim.step_jacobians(out).unwrap();
    assert!(jq == [0.0] && jv == [1.0], "{jq:?} {jv:?}");
    // 100 (0.5 − 0.45) − 0 = 5.
    let (_, label, distance) = step(&mut sim, 0.45, 0.0);
    assert!(label == Gradient::OneSided && distance == 0.0, "{distance}");
    let (v, label, _) = step(&mut sim, 0.451, 0.0);
    assert!(label == Gradient::Exact);
    assert!((v - h * 4.9 / (INERTIA + h * 14.0 + h * h * 100.0)).abs() < 1e-12);
}

/// Torque, position and velocity of one joint, as robots of the RoboCup have them: beyond the joint's bounds
/// the force is a constant.
#[test]
fn at_the_bounds_of_a_joint_the_slopes_of_all_its_actuators_are_zero() {
    let h = 0.002;
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body>
        <joint name="j" axis="0 0 1" actuatorfrcrange="-4 5"/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody>
        <actuator><motor joint="j"/><position joint="j" kp="100"/><velocity joint="j" kv="14"/></actuator></mujoco>"#;
    let mut sim = Sim::new(mjcf(text), &with(SYMPLECTIC[1], Contact::Ncp, h)).unwrap();
    let mut step = |q: f64, v: f64| {
        let (mut qn, mut vn) = ([0.0], [0.0]);
        let (mut dq, mut dv, mut du) = ([0.0], [0.0], [0.0; 3]);
        sim.step(&[q], &[v], &[-1.25, 0.5, 0.0], &mut qn, &mut vn)
            .unwrap();
        let info = sim.step_info().unwrap();
        let out = diffsim::step::StepJacobians {
            dv_dq: Some(&mut dq),
            dv_dv: Some(&mut dv),
            dv_du: Some(&mut du),
            ..Default::default()
        };
        sim.step_jacobians(out).unwrap();
        (vn[0], info, [dq[0], dv[0], du[0], du[1], du[2]])
    };
    // −1.25 + 100 · 0.3 − 14 · 0.3 = 24.55.
    let (v, info, slopes) = step(0.2, 0.3);
    assert!((v - 0.3 - h * 5.0 / INERTIA).abs() < 1e-12);
    assert!(info.gradient == Gradient::Exact && (info.switch_distance - 19.55).abs() < 1e-9);
    assert_eq!(slopes, [0.0, 1.0, 0.0, 0.0, 0.0]);
    // −1.25 + 100 · 0.0625 = 5.
    let (_, info, _) = step(0.4375, 0.0);
    assert!(info.gradient == Gradient::OneSided && info.switch_distance == 0.0);
    let (v, info, slopes) = step(0.45, 0.0);
    let inertia = INERTIA + h * 14.0 + h * h * 100.0;
    assert!(info.gradient == Gradient::Exact && (v - h * 3.75 / inertia).abs() < 1e-12);
    assert!((slopes[3] - h * 100.0 / inertia).abs() < 1e-12);
}

/// Servos of all kinds on all legs; every second one with a limit that holds it, and every fourth joint with
/// bounds of the sum.
fn serve(spec: &mut ModelSpec) {
    for body in spec.bodies.iter_mut().skip(2).step_by(4) {
        body.joints[0].actuator_bounds = Some((-5.0, 3.0));
    }
    let names: Vec<String> = (spec.bodies.iter().skip(2))
        .map(|b| b.joints[0].name.clone())
        .collect();
    for (k, name) in names.iter().enumerate() {
        let on = || Transmission::Joint(name.clone());
        let mut servo = ActuatorSpec::new(format!("{name} servo"), on());
        (servo.gain, servo.bias) = (60.0, [0.1, -60.0, -8.0]);
        servo.gear[0] = [1.0, -1.3, 0.4][k % 3];
        if k % 2 == 0 {
            servo.force_range = Some((-4.0, 4.0));
        }
        let mut damper = ActuatorSpec::new(format!("{name} damper"), on());
        (damper.gain, damper.gain_slopes) = (0.2, [-0.6, -3.0]);
        damper.gear[0] = 0.8;
        spec.actuators.extend([servo, damper]);
        if k % 4 == 0 {
            let mut velocity = crate::common::activated::kinds(on, name).swap_remove(3);
            velocity.bias = [0.0, 0.0, -2.0];
            spec.actuators.push(velocity);
        }
    }
}

/// Without dry friction, which penalty contact has none of, if that is the law.
fn served(contact: Contact) -> Arc<Model> {
    let mut spec = quadruped_spec(false);
    if contact == Contact::Penalty {
        for joint in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
            joint.friction_loss = 0.0;
        }
    }
    serve(&mut spec);
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

fn gains(model: &Model) -> Vec<diffsim::model::params::Param> {
    let mut list: Vec<_> = (0..model.nu())
        .map(|j| param(ParamKind::ActuatorGain, j, 0))
        .collect();
    list.extend([
        param(ParamKind::BodyInertia, 2, 0),
        param(ParamKind::JointPlacement, 2, 1),
        param(ParamKind::JointArmature, 3, 0),
        param(ParamKind::JointDamping, 3, 0),
        param(ParamKind::Gravity, 0, 2),
    ]);
    list
}

#[test]
fn derivatives_with_every_law_and_scheme() {
    for contact in LAWS {
        let model = served(contact);
        for scheme in ALL {
            let implicit = matches!(scheme, Integrator::Bdf1 | Integrator::Sdirk2);
            if implicit && !matches!(contact, Contact::Penalty | Contact::None) {
                continue;
            }
            if contact == Contact::Penalty && matches!(scheme, Integrator::Midpoint) {
                continue;
            }
            let mut c = Checker::of(Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap());
            (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
            c.select(&gains(&model));
            let (mut q, mut v) = (standing(&model), Rng::new(4).vector(18, 0.1));
            // On its feet.
            (q[2], v[2]) = (0.3115, -0.3);
            let mut rng = Rng::new(7);
            let mut touched = contact == Contact::None;
            for _ in 0..3 {
                let u: Vec<f64> = (0..model.nu()).map(|_| rng.range(0.1, 0.8)).collect();
                touched |= touches(&mut c.sim, &q, &v, &u);
                c.check(&mut q, &mut v, &u);
            }
            assert!(touched, "{scheme:?}, {contact:?}");
            let t = c.tally(&format!("servos, {scheme:?}, {contact:?}"));
            assert!(t.p99 < 1e-5 && t.wrong == 0 && t.apart < 1e-9, "{t:?}");
            assert!(t.checked > 100, "{t:?}");
        }
    }
}

/// 18 × 18 numbers, of which the symmetric part resists or not.
fn slopes(rng: &mut Rng, nv: usize, size: f64, resists: f64) -> Vec<f64> {
    let mut x = rng.vector(nv * nv, size);
    for k in 0..nv {
        x[k * nv + k] -= resists;
    }
    x
}

/// M a + b = τ + h K v + (h D + h² K) a on trees of all joints, deep ones among them.
#[test]
fn a_given_force_balances_at_the_end() {
    for seed in [1, 4, 6, 9] {
        let model = Arc::new(random_tree(seed, 7));
        let nv = model.nv();
        let h = 0.01;
        let mut options = with(Integrator::SymplecticEuler, Contact::None, h);
        options.derivatives = false;
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut bare = Sim::new(model.clone(), &options).unwrap();
        let mut rng = Rng::new(seed);
        let (q, v) = (random_q(&mut rng, &model, 0.8), rng.vector(nv, 2.0));
        let u = rng.vector(model.nu(), 1.0);
        let tau = rng.vector(nv, 5.0);
        let (k, d) = (
            slopes(&mut rng, nv, 30.0, 100.0),
            slopes(&mut rng, nv, 3.0, 20.0),
        );
        sim.set_force(Some([&tau, &k, &d])).unwrap();
        let (mut a, mut free) = (vec![0.0; nv], vec![0.0; nv]);
        sim.forward(&q, &v, &u, &mut a).unwrap();
        bare.forward(&q, &v, &u, &mut free).unwrap();
        // The difference of both balances: A (a − a₀), with A the matrix of the step without the force.
        let mut force = vec![0.0; nv];
        bare.inverse(&q, &v, &u, &a, &mut force).unwrap();
        let mut worst: f64 = 0.0;
        for i in 0..nv {
            let mut wanted = tau[i];
            for j in 0..nv {
                let (k, d) = (k[j * nv + i], d[j * nv + i]);
                wanted += h * k * v[j] + h * (d + h * k) * a[j];
            }
            worst = worst.max((wanted - force[i]).abs() / 100.0);
        }
        assert!(worst < 1e-10, "seed {seed}: {worst:e}");
        assert!(relative_error(&a, &free) > 1e-3);
        // None leaves no trace.
        sim.set_force(None).unwrap();
        sim.forward(&q, &v, &u, &mut a).unwrap();
        assert_eq!(a, free);
    }
}

/// A feedback that a caller computes goes with the servo that does the same, on impulses of contacts, too.
#[test]
fn a_given_servo_is_a_servo() {
    let model = served(Contact::Ncp);
    let plain = Arc::new(Model::compile(quadruped_spec(false), Actuation::Full).unwrap());
    let mut spec = quadruped_spec(false);
    let names: Vec<String> = (spec.bodies.iter().skip(2))
        .map(|b| b.joints[0].name.clone())
        .collect();
    for name in &names {
        let mut servo = ActuatorSpec::new(name, Transmission::Joint(name.clone()));
        (servo.gain, servo.bias) = (300.0, [0.0, -300.0, -40.0]);
        spec.actuators.push(servo);
    }
    let file = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    assert!(model.nu() > file.nu());
    for contact in LAWS {
        for scheme in SYMPLECTIC {
            let options = with(scheme, contact, 2e-3);
            let mut servo = Sim::new(file.clone(), &options).unwrap();
            let mut given = Sim::new(plain.clone(), &options).unwrap();
            let target: Vec<f64> = standing(&plain)[7..].to_vec();
            let (mut q, mut v) = (standing(&plain), vec![0.0; 18]);
            let (mut p, mut w) = (q.clone(), v.clone());
            let mut diagonal = [vec![0.0; 18 * 18], vec![0.0; 18 * 18]];
            for k in 6..18 {
                diagonal[0][19 * k] = -300.0;
                diagonal[1][19 * k] = -40.0;
            }
            for _ in 0..100 {
                let (at, speed) = (q.clone(), v.clone());
                servo.step(&at, &speed, &target, &mut q, &mut v).unwrap();
                let mut tau = vec![0.0; 18];
                for k in 0..12 {
                    tau[6 + k] = 300.0 * (target[k] - p[7 + k]) - 40.0 * w[6 + k];
                }
                given
                    .set_force(Some([&tau, &diagonal[0], &diagonal[1]]))
                    .unwrap();
                let (at, speed) = (p.clone(), w.clone());
                given.step(&at, &speed, &[0.0; 18], &mut p, &mut w).unwrap();
            }
            let apart = relative_error(&q, &p);
            assert!(apart < 1e-7, "{scheme:?}, {contact:?}: {apart:e}");
            assert!(v.iter().all(|x| x.abs() < 5.0));
        }
    }
}

/// Whether a contact of the step from here pushes; the memory stays.
fn touches(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> bool {
    let mut memory = vec![0.0; sim.memory_size()];
    sim.get_memory(&mut memory).unwrap();
    let (mut q2, mut v2) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut q2, &mut v2).unwrap();
    let touched = sim.contacts().iter().any(|c| c.impulse[2] > 0.0);
    // Setting the memory forgets the step and its contacts.
    sim.set_memory(&memory).unwrap();
    touched
}

/// With all entries, within bodies that touch the ground, and with driven dofs.
#[test]
fn derivatives_of_a_given_force() {
    let model = Arc::new(crate::common::checker::quadruped(false));
    for contact in LAWS {
        let mut touched = contact == Contact::None;
        for scheme in SYMPLECTIC {
            for driven in [false, true] {
                let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
                let mut rng = Rng::new(3);
                let tau = rng.vector(18, 3.0);
                let (k, d) = (
                    slopes(&mut rng, 18, 20.0, 200.0),
                    slopes(&mut rng, 18, 2.0, 10.0),
                );
                sim.set_force(Some([&tau, &k, &d])).unwrap();
                let mut list = vec![
                    param(ParamKind::BodyInertia, 2, 0),
                    param(ParamKind::BodyInertia, 3, 5),
                    param(ParamKind::JointPlacement, 2, 1),
                    param(ParamKind::JointArmature, 3, 0),
                    param(ParamKind::JointDamping, 3, 0),
                    param(ParamKind::Gravity, 0, 2),
                    param(ParamKind::ExternalWrench, 3, 4),
                ];
                if driven {
                    sim.prescribe(8, 0.4).unwrap();
                    sim.prescribe(11, -0.3).unwrap();
                    list.push(prescribed(8));
                }
                let mut c = Checker::of(sim);
                (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
                c.select(&list);
                let (mut q, mut v) = (standing(&model), Rng::new(4).vector(18, 0.1));
                (q[2], v[2]) = (0.3115, -0.3);
                for _ in 0..3 {
                    let u = rng.vector(18, 1.0);
                    touched |= touches(&mut c.sim, &q, &v, &u);
                    c.check(&mut q, &mut v, &u);
                }
                let t = c.tally(&format!("given, {scheme:?}, {contact:?}, {driven}"));
                assert!(t.p99 < 1e-5 && t.wrong == 0 && t.apart < 1e-9, "{t:?}");
                assert!(t.checked > 60, "{t:?}");
            }
        }
        assert!(touched, "{contact:?}");
    }
}

#[test]
fn derivatives_of_a_given_force_on_random_trees() {
    for seed in [1, 4, 6, 9] {
        let model = Arc::new(random_tree(seed, 7));
        let nv = model.nv();
        for (contact, scheme) in [
            (Contact::None, SYMPLECTIC[0]),
            (Contact::Ncp, SYMPLECTIC[1]),
        ] {
            let mut sim = Sim::new(model.clone(), &with(scheme, contact, 0.01)).unwrap();
            let mut rng = Rng::new(seed);
            let tau = rng.vector(nv, 3.0);
            let (k, d) = (
                slopes(&mut rng, nv, 5.0, 50.0),
                slopes(&mut rng, nv, 1.0, 6.0),
            );
            sim.set_force(Some([&tau, &k, &d])).unwrap();
            let mut c = Checker::of(sim);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            let (mut q, mut v) = (random_q(&mut rng, &model, 0.8), rng.vector(nv, 1.0));
            for _ in 0..2 {
                let u = rng.vector(model.nu(), 1.0);
                c.check(&mut q, &mut v, &u);
            }
            let t = c.tally(&format!("given, {contact:?}, tree {seed}"));
            assert!(t.p99 < 1e-7 && t.wrong == 0 && t.apart < 1e-9, "{t:?}");
        }
    }
}

#[test]
fn neither_touches_the_heap_and_both_repeat_their_bits() {
    for contact in SERVOS {
        let model = served(contact);
        let options = with(SYMPLECTIC[1], contact, 2e-3);
        let run = |given: bool, again: bool| {
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            let mut rng = Rng::new(3);
            let tau = rng.vector(18, 3.0);
            let (k, d) = (
                slopes(&mut rng, 18, 20.0, 200.0),
                slopes(&mut rng, 18, 2.0, 10.0),
            );
            if given {
                sim.set_force(Some([&tau, &k, &d])).unwrap();
            }
            if again {
                sim = sim.duplicate().unwrap();
            }
            let (mut q, mut v) = (standing(&model), vec![0.1; 18]);
            let u = vec![0.4; model.nu()];
            let mut j = vec![0.0; 18 * 18];
            let (mut at, mut speed) = (q.clone(), v.clone());
            let used = measure(|| {
                for _ in 0..20 {
                    at.copy_from_slice(&q);
                    speed.copy_from_slice(&v);
                    sim.step(&at, &speed, &u, &mut q, &mut v).unwrap();
                    let out = diffsim::step::StepJacobians {
                        dv_dv: Some(&mut j),
                        ..Default::default()
                    };
                    sim.step_jacobians(out).unwrap();
                }
            });
            assert_eq!(used.count_total, 0, "{contact:?}");
            (q, v, j)
        };
        for given in [false, true] {
            assert!(run(given, false) == run(given, true), "{contact:?}");
        }
        assert!(run(true, false) != run(false, false));
    }
}

#[test]
fn a_rollout_of_stiff_servos_has_its_adjoint() {
    let model = served(Contact::Ncp);
    let options = Options {
        checkpoint_interval: 3,
        ..with(SYMPLECTIC[1], Contact::Ncp, 2e-3)
    };
    let mut rollout = Rollout::new(model.clone(), &options, 8).unwrap();
    let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
    let q0 = standing(&model);
    let v0 = vec![0.05; nv];
    let u = vec![0.4; nu * 8];
    let mut run = |v0: &[f64], u: &[f64]| {
        let (mut q, mut v) = (vec![0.0; nq * 9], vec![0.0; nv * 9]);
        rollout
            .run(&q0, v0, u, 8, Some(&mut q), Some(&mut v))
            .unwrap();
        v[nv * 8..].to_vec()
    };
    let (eps, weights) = (1e-6, Rng::new(2).vector(nv, 1.0));
    let loss = |v: Vec<f64>| v.iter().zip(&weights).map(|(a, b)| a * b).sum::<f64>();
    let mut by = [vec![0.0; nv], vec![0.0; nu]];
    for k in 0..nv {
        let mut x = v0.clone();
        x[k] += eps;
        let up = loss(run(&x, &u));
        x[k] -= 2.0 * eps;
        by[0][k] = (up - loss(run(&x, &u))) / (2.0 * eps);
    }
    for k in 0..nu {
        let mut x = u.clone();
        x[k] += eps;
        let up = loss(run(&v0, &x));
        x[k] -= 2.0 * eps;
        by[1][k] = (up - loss(run(&v0, &x))) / (2.0 * eps);
    }
    run(&v0, &u);
    let mut v_bar = vec![0.0; nv * 9];
    v_bar[nv * 8..].copy_from_slice(&weights);
    let q_bar = vec![0.0; nv * 9];
    let (mut v0_bar, mut u_bar) = (vec![0.0; nv], vec![0.0; nu * 8]);
    rollout
        .adjoint(
            &q_bar,
            &v_bar,
            None,
            Some(&mut v0_bar),
            Some(&mut u_bar),
            None,
        )
        .unwrap();
    let off = relative_error(&v0_bar, &by[0]).max(relative_error(&u_bar[..nu], &by[1]));
    assert!(off < 1e-5, "{off:e}");
}

#[test]
fn bad_forces_are_refused() {
    let model = Arc::new(crate::common::checker::quadruped(false));
    let options = with(SYMPLECTIC[1], Contact::Ncp, 2e-3);
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (tau, k) = ([1.0; 18], [0.0; 18 * 18]);
    let mut refused = |given: [&[f64]; 3], status: Status, name: &str| {
        let e = sim.set_force(Some(given)).unwrap_err();
        assert!(e.status == status && e.message.contains(name), "{e:?}");
    };
    refused([&tau[1..], &k, &k], Status::InvalidArgument, "tau");
    refused([&tau, &k[1..], &k], Status::InvalidArgument, "K");
    refused([&tau, &k, &k[..4]], Status::InvalidArgument, "D");
    refused([&[f64::NAN; 18], &[], &[]], Status::Numerical, "tau");
    refused([&tau, &[], &[f64::INFINITY; 324]], Status::Numerical, "D");
    let (q, v) = (standing(&model), vec![0.0; 18]);
    let (mut a, mut b) = (vec![0.0; 18], vec![0.0; 18]);
    sim.forward(&q, &v, &[0.0; 18], &mut a).unwrap();
    (Sim::new(model.clone(), &options).unwrap())
        .forward(&q, &v, &[0.0; 18], &mut b)
        .unwrap();
    assert_eq!(a, b);
    for scheme in [Integrator::ImplicitEuler, Integrator::Midpoint] {
        let mut sim = Sim::new(model.clone(), &with(scheme, Contact::Ncp, 2e-3)).unwrap();
        let e = sim.set_force(Some([&tau, &[], &[]])).unwrap_err();
        assert!(
            e.status == Status::Unsupported && e.message.contains("integrator"),
            "{e:?}"
        );
    }
    let implicit = with(Integrator::Bdf1, Contact::None, 2e-3);
    let mut sim = Sim::new(model, &implicit).unwrap();
    assert!(sim.set_force(Some([&tau, &[], &[]])).is_err());
}
