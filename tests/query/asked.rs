//! Queries of a state without a step: forces kind by kind, actuators and tendons one by one.

use crate::common::{EPS, Rng, by_q, by_vector, difference, random_q, relative_error};
use diffsim::force::ForceKinds;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::query::{ForceDerivatives, Transmissions};
use diffsim::step::{Contact, Gradient, Options, Sim, StepJacobians};
use std::sync::Arc;

const ROBOT: &str = r#"<mujoco>
  <option density="3" viscosity="0.4" wind="0.5 -0.3 0.2"/>
  <worldbody>
    <site name="anchor" pos="0.4 0.1 1.2"/>
    <body name="trunk" pos="0 0 1" gravcomp="0.4">
      <freejoint name="floating"/>
      <geom type="box" size="0.2 0.1 0.05" mass="2" pos="0.02 0 0"/>
      <site name="hip" pos="0.1 0.05 0"/>
      <body name="thigh" pos="0.2 0 0" gravcomp="1">
        <joint name="hip" type="ball" stiffness="3" damping="0.4"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="0.7" fluidshape="ellipsoid"/>
        <body name="shin" pos="0 0 -0.3">
          <joint name="knee" type="hinge" axis="0 1 0" stiffness="5" springref="20" damping="0.2" armature="0.01"/>
          <geom type="capsule" fromto="0 0 0 0 0.05 -0.3" size="0.02" mass="0.4"/>
          <site name="ankle" pos="0 0.05 -0.3"/>
        </body>
      </body>
      <body name="arm" pos="-0.2 0 0">
        <joint name="slider" type="slide" axis="0 1 1" damping="0.3"/>
        <joint name="swing" type="hinge" axis="1 0 0.3" stiffness="2"/>
        <geom type="sphere" size="0.05" mass="0.3" pos="0 0.1 0.1"/>
        <site name="hand" pos="0 0.2 0.1"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="cable" stiffness="20" damping="0.6" springlength="0.1">
      <site site="ankle"/><site site="hip"/><site site="hand"/>
    </spatial>
    <spatial name="tether" stiffness="9" damping="0.3"><site site="anchor"/><site site="hand"/></spatial>
    <fixed name="sum"><joint joint="knee" coef="0.7"/><joint joint="slider" coef="-1.3"/></fixed>
  </tendon>
  <actuator>
    <motor name="motor" joint="knee" gear="3"/>
    <position name="servo" joint="swing" kp="7" kv="0.5" gear="1.5"/>
    <position name="pull" tendon="cable" kp="4" kv="0.3"/>
    <motor name="bounded" tendon="sum" gear="2" forcerange="-0.1 0.1" ctrlrange="-3 3"/>
  </actuator>
</mujoco>"#;

fn robot() -> Arc<Model> {
    Arc::new(load_str(ROBOT, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

fn sim(model: &Arc<Model>, contact: Contact) -> Sim {
    let options = Options {
        contact,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

struct At {
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
}

fn states(model: &Model, n: u64) -> impl Iterator<Item = At> + '_ {
    (0..n).map(|seed| {
        let mut rng = Rng::new(seed);
        At {
            q: random_q(&mut rng, model, 0.8),
            v: rng.vector(model.nv(), 1.5),
            u: rng.vector(model.nu(), 1.0),
        }
    })
}

fn force(sim: &mut Sim, kinds: ForceKinds, q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; v.len()];
    let none = ForceDerivatives::default();
    sim.generalized_forces(q, v, u, kinds, &mut out, none)
        .unwrap();
    out
}

/// The potential energy knows all springs: its slopes are what gravity and they do.
#[test]
fn potential_energy_is_that_of_gravity_and_all_springs() {
    let model = robot();
    let mut sim = sim(&model, Contact::None);
    // Gravity compensation stores no energy.
    let kinds = ForceKinds::JOINT_SPRING | ForceKinds::TENDON;
    let stored = |sim: &mut Sim, at: &At, rest: &[f64]| {
        let compensated = force(sim, ForceKinds::GRAVITY_COMPENSATION, &at.q, rest, &at.u);
        let springs = force(sim, kinds, &at.q, rest, &at.u);
        assert!(springs.iter().any(|f| f.abs() > 1.0));
        springs
            .iter()
            .zip(compensated)
            .map(|(f, c)| f - c)
            .collect::<Vec<f64>>()
    };
    for at in states(&model, 6) {
        let slopes = by_q(&model, &at.q, |q| vec![sim.energy(q, &at.v).unwrap().1]);
        let mut weight = vec![0.0; model.nv()];
        sim.gravity_forces(&at.q, &mut weight, None).unwrap();
        let rest = vec![0.0; model.nv()];
        let springs = stored(&mut sim, &at, &rest);
        let expected: Vec<f64> = weight.iter().zip(&springs).map(|(g, f)| g - f).collect();
        let error = relative_error(&expected, &slopes);
        assert!(error < 1e-8, "{error:e}");
    }
}

#[test]
fn every_kind_of_force_has_its_derivatives() {
    let model = robot();
    let (nv, nu) = (model.nv(), model.nu());
    for contact in [Contact::None, Contact::Ncp, Contact::Penalty] {
        let mut sim = sim(&model, contact);
        sim.set_external_wrench(3, [1.0, -2.0, 0.5, 0.3, 0.2, -0.1])
            .unwrap();
        for at in states(&model, 4) {
            let (mut total, mut sum) = (vec![0.0; nv], vec![0.0; nv]);
            for bit in 0..9 {
                let kind = ForceKinds(1 << bit);
                let (mut by_q, mut by_v) = (vec![f64::NAN; nv * nv], vec![f64::NAN; nv * nv]);
                let mut by_u = vec![f64::NAN; nv * nu];
                let out = ForceDerivatives {
                    by_q: Some(&mut by_q),
                    by_v: Some(&mut by_v),
                    by_u: Some(&mut by_u),
                };
                let told = sim.generalized_forces(&at.q, &at.v, &at.u, kind, &mut total, out);
                assert_eq!(told.unwrap(), Gradient::Exact);
                assert_eq!(total, force(&mut sim, kind, &at.q, &at.v, &at.u));
                for (s, f) in sum.iter_mut().zip(&total) {
                    *s += f;
                }
                let expected = by_q_of(&model, &mut sim, kind, &at);
                assert!(relative_error(&by_q, &expected[0]) < 2e-8, "by q, {kind:?}");
                assert!(relative_error(&by_v, &expected[1]) < 2e-8, "by v, {kind:?}");
                assert!(relative_error(&by_u, &expected[2]) < 2e-8, "by u, {kind:?}");
                let acts = total.iter().any(|x| *x != 0.0);
                assert_eq!(acts, ![6, 8].contains(&bit), "{kind:?}");
            }
            let all = force(&mut sim, ForceKinds::ALL, &at.q, &at.v, &at.u);
            assert!(relative_error(&all, &sum) < 1e-13);
        }
    }
}

fn by_q_of(model: &Model, sim: &mut Sim, kind: ForceKinds, at: &At) -> [Vec<f64>; 3] {
    [
        by_q(model, &at.q, |q| force(sim, kind, q, &at.v, &at.u)),
        by_vector(&at.v, |v| force(sim, kind, &at.q, v, &at.u)),
        by_vector(&at.u, |u| force(sim, kind, &at.q, &at.v, u)),
    ]
}

/// Explicit forces are those with which a step accelerates: with a vanishing time step a = M⁻¹ (f − b).
/// Dampers and servos act at the step's end, so that the difference falls with the step.
#[test]
fn forces_are_those_of_a_step() {
    let model = robot();
    for h in [1e-7, 1e-8] {
        let options = Options {
            contact: Contact::None,
            time_step: h,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        for at in states(&model, 4) {
            let nv = model.nv();
            let kinds = ForceKinds(ForceKinds::ALL.0 & !ForceKinds::GRAVITY_COMPENSATION.0);
            let tau = force(&mut sim, kinds, &at.q, &at.v, &at.u);
            let (mut a, mut q, mut v) = (vec![0.0; nv], at.q.clone(), at.v.clone());
            sim.forward_dynamics(&at.q, &at.v, &tau, &mut a).unwrap();
            sim.step(&at.q, &at.v, &at.u, &mut q, &mut v).unwrap();
            let rate: Vec<f64> = v.iter().zip(&at.v).map(|(x, y)| (x - y) / h).collect();
            // The free joint's velocity is held in axes that turn.
            let later = 6..nv;
            let error = relative_error(&rate[later.clone()], &a[later]);
            assert!(error < 2e3 * h, "{h}: {error:e}");
        }
    }
}

#[test]
fn actuators_and_tendons_have_theirs() {
    let model = robot();
    let (nv, nu, n) = (model.nv(), model.nu(), model.tendons().len());
    let mut sim = sim(&model, Contact::Ncp);
    for at in states(&model, 6) {
        let of_actuators = |sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]| {
            let [mut l, mut r, mut f] = [(); 3].map(|()| vec![f64::NAN; nu]);
            let out = Transmissions {
                lengths: Some(&mut l),
                rates: Some(&mut r),
                forces: Some(&mut f),
                ..Transmissions::default()
            };
            sim.actuator_states(q, v, u, out).unwrap();
            [l, r, f]
        };
        let of_tendons = |sim: &mut Sim, q: &[f64], v: &[f64]| {
            let [mut l, mut r, mut f] = [(); 3].map(|()| vec![f64::NAN; n]);
            let out = Transmissions {
                lengths: Some(&mut l),
                rates: Some(&mut r),
                forces: Some(&mut f),
                ..Transmissions::default()
            };
            sim.tendon_states(q, v, out).unwrap();
            [l, r, f]
        };
        let [mut by_q_, mut by_v, mut by_u] =
            [nv, nv, nu].map(|columns| vec![f64::NAN; nu * columns]);
        let out = Transmissions {
            by_q: Some(&mut by_q_),
            by_v: Some(&mut by_v),
            by_u: Some(&mut by_u),
            ..Transmissions::default()
        };
        sim.actuator_states(&at.q, &at.v, &at.u, out).unwrap();
        let expected = by_q(&model, &at.q, |q| {
            of_actuators(&mut sim, q, &at.v, &at.u)[2].clone()
        });
        assert!(relative_error(&by_q_, &expected) < 1e-8);
        let expected = by_vector(&at.v, |v| {
            of_actuators(&mut sim, &at.q, v, &at.u)[2].clone()
        });
        assert!(relative_error(&by_v, &expected) < 1e-8);
        let expected = by_vector(&at.u, |u| {
            of_actuators(&mut sim, &at.q, &at.v, u)[2].clone()
        });
        assert!(relative_error(&by_u, &expected) < 1e-8);
        let [mut by_q_, mut by_v] = [(); 2].map(|()| vec![f64::NAN; n * nv]);
        let out = Transmissions {
            by_q: Some(&mut by_q_),
            by_v: Some(&mut by_v),
            ..Transmissions::default()
        };
        sim.tendon_states(&at.q, &at.v, out).unwrap();
        let expected = by_q(&model, &at.q, |q| of_tendons(&mut sim, q, &at.v)[2].clone());
        assert!(relative_error(&by_q_, &expected) < 1e-8);
        let expected = by_vector(&at.v, |v| of_tendons(&mut sim, &at.q, v)[2].clone());
        assert!(relative_error(&by_v, &expected) < 1e-8);
        // Rates are those of lengths along v, and of the joints' where they pull.
        let moved = |x: f64| {
            let mut q = at.q.clone();
            let step: Vec<f64> = at.v.iter().map(|v| v * x).collect();
            model.integrate(&at.q, &step, &mut q);
            q
        };
        let [_, rates, _] = of_tendons(&mut sim, &at.q, &at.v);
        let expected = difference(EPS, |x| of_tendons(&mut sim, &moved(x), &at.v)[0].clone());
        assert!(relative_error(&rates, &expected) < 1e-8);
        let [_, rates, forces] = of_actuators(&mut sim, &at.q, &at.v, &at.u);
        let expected = difference(EPS, |x| {
            of_actuators(&mut sim, &moved(x), &at.v, &at.u)[0].clone()
        });
        assert!(relative_error(&rates, &expected) < 1e-8);
        assert!(forces[3].abs() <= 0.1);
    }
}

/// A question between a step and its derivatives changes no bit of them.
#[test]
fn questions_leave_the_last_step_as_it_is() {
    let model = robot();
    for contact in [Contact::None, Contact::Ncp, Contact::Penalty] {
        let (mut asked, mut other) = (sim(&model, contact), sim(&model, contact));
        let mut found = Vec::new();
        for at in states(&model, 3) {
            for sim in [&mut asked, &mut other] {
                let (mut q, mut v) = (at.q.clone(), at.v.clone());
                sim.step(&at.q, &at.v, &at.u, &mut q, &mut v).unwrap();
                found.push([q, v]);
            }
            let elsewhere: Vec<f64> = at.v.iter().map(|v| 0.3 - v).collect();
            force(&mut asked, ForceKinds::ALL, &at.q, &elsewhere, &at.u);
            asked
                .tendon_states(&at.q, &elsewhere, Transmissions::default())
                .unwrap();
            for sim in [&mut asked, &mut other] {
                let ones = vec![1.0; model.nv()];
                let (mut q, mut v) = (ones.clone(), ones.clone());
                sim.step_jvp(&ones, &ones, &at.u, &[], &mut q, &mut v)
                    .unwrap();
                found.push([q, v]);
            }
        }
        for pair in found.chunks(2) {
            assert_eq!(pair[0], pair[1]);
        }
    }
}

/// Trees that a step connects by contacts, a loop and a spring.
const TREES: &str = r#"<mujoco><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body name="a" pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body name="b" pos="0.02 0.01 .297">
    <joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 1 0"/>
    <geom type="box" size=".1 .1 .1"/><site name="b" pos="0 0 .1"/>
  </body>
  <body name="c" pos="0.5 0 .5">
    <joint type="hinge" axis="0 1 0"/><geom type="box" size=".1 .1 .1" pos="0 0 .1"/><site name="c" pos="0 0 .1"/>
  </body>
</worldbody>
<equality><connect body1="b" body2="c" anchor="0.2 0 0"/></equality>
<tendon><spatial stiffness="20" springlength="0.1"><site site="b"/><site site="c"/></spatial></tendon>
</mujoco>"#;

/// A step and its derivatives leave nothing in the answers of queries, nor queries in each other's. Once, the
/// derivatives of forward dynamics held entries of the step's Jacobians between trees.
#[test]
fn queries_and_steps_leave_nothing_in_each_other() {
    let model = load_str(TREES, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let (model, nv) = (Arc::new(model), 9);
    let mut rng = Rng::new(5);
    let [v, tau] = [0.2, 1.0].map(|s| rng.vector(nv, s));
    let q = model.neutral().to_vec();
    let square = || vec![0.0; nv * nv];
    let derivatives = |sim: &mut Sim, v: &[f64]| {
        let mut all = [square(), square(), square()];
        let [by_q, by_v, by_tau] = all.each_mut().map(|x| Some(&mut x[..]));
        sim.forward_dynamics_derivatives(&q, v, &tau, by_q, by_v, by_tau)
            .unwrap();
        all
    };
    for contact in [Contact::Ncp, Contact::Convex] {
        let (mut asked, mut other) = (sim(&model, contact), sim(&model, contact));
        let fresh = derivatives(&mut other, &v);
        let mut jacobians = Vec::new();
        for sim in [&mut asked, &mut other] {
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.step(&q, &v, &[], &mut q_next, &mut v_next).unwrap();
            assert!(sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
        }
        let mut by_state = |sim: &mut Sim| {
            let mut all = [square(), square()];
            let [by_q, by_v] = all.each_mut().map(|x| Some(&mut x[..]));
            sim.step_jacobians(StepJacobians {
                dv_dq: by_q,
                dv_dv: by_v,
                ..StepJacobians::default()
            })
            .unwrap();
            jacobians.push(all);
        };
        let elsewhere: Vec<f64> = v.iter().map(|v| 0.3 - v).collect();
        derivatives(&mut asked, &elsewhere);
        asked.centroidal(&q, &elsewhere, &tau).unwrap();
        for sim in [&mut asked, &mut other] {
            by_state(sim);
            assert_eq!(derivatives(sim, &v), fresh);
        }
        let out = ForceDerivatives {
            by_q: Some(&mut square()),
            ..ForceDerivatives::default()
        };
        let mut force = vec![0.0; nv];
        asked
            .generalized_forces(&q, &elsewhere, &[], ForceKinds::ALL, &mut force, out)
            .unwrap();
        assert_eq!(derivatives(&mut asked, &v), fresh);
        by_state(&mut asked);
        by_state(&mut other);
        for found in &jacobians[1..] {
            assert_eq!(*found, jacobians[0]);
        }
        let mut acceleration = |q: &[f64]| {
            let mut a = vec![0.0; nv];
            other.forward_dynamics(q, &v, &tau, &mut a).unwrap();
            a
        };
        let expected = by_q(&model, &q, &mut acceleration);
        assert!(relative_error(&fresh[0], &expected) < 1e-8);
    }
}
