//! A step's acceleration and contact forces at a state without moving it, and the force for an acceleration.

use crate::common::checker::{free_body, ground};
use crate::common::{Rng, difference, param, random_q, relative_error};
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{
    AccelerationJacobians, Contact, Gradient, Integrator, InverseJacobians, Options, Sim,
};
use std::sync::Arc;

/// A legged body over the ground, with another body on its back, springs, dampers, limits and dry friction.
const ROBOT: &str = r#"<mujoco>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 0.52">
      <freejoint/>
      <geom type="box" size="0.2 0.15 0.1" mass="3"/>
      <body name="thigh" pos="0.15 0 -0.1">
        <joint name="hip" type="ball" damping="0.3"/>
        <geom type="capsule" fromto="0 0 0 0.05 0 -0.2" size="0.03" mass="0.5" contype="0" conaffinity="0"/>
        <body name="shin" pos="0.05 0 -0.2">
          <joint name="knee" axis="0 1 0.2" stiffness="4" springref="10" damping="0.2" armature="0.02"
                 limited="true" range="-20 3" frictionloss="0.2"/>
          <geom type="sphere" size="0.05" pos="0 0 -0.2" mass="0.4"/>
        </body>
      </body>
      <body name="hind" pos="-0.15 0 -0.1">
        <joint name="slide" type="slide" axis="0.1 0 1" damping="2"/>
        <geom type="sphere" size="0.06" pos="0 0 -0.35" mass="0.6"/>
      </body>
    </body>
    <body name="load" pos="0.02 0.01 0.66">
      <freejoint/>
      <geom type="sphere" size="0.045" mass="0.7"/>
    </body>
  </worldbody>
</mujoco>"#;

/// What the law has rows for.
fn model(contact: Contact) -> Arc<Model> {
    let text = match contact {
        Contact::Penalty => ROBOT.replace("frictionloss=\"0.2\"", ""),
        _ => ROBOT.into(),
    };
    let options = LoadOptions {
        actuation: Actuation::Full,
        ..LoadOptions::default()
    };
    Arc::new(load_str(&text, Format::Mjcf, None, &options).unwrap())
}

fn options(contact: Contact, integrator: Integrator) -> Options {
    Options {
        contact,
        integrator,
        time_step: 2e-3,
        tolerance: 1e-12,
        ..Options::default()
    }
}

fn sim(model: &Arc<Model>, contact: Contact, integrator: Integrator) -> Sim {
    Sim::new(model.clone(), &options(contact, integrator)).unwrap()
}

const ALL: [(Contact, Integrator); 9] = [
    (Contact::None, Integrator::SymplecticEulerWorld),
    (Contact::Ncp, Integrator::SymplecticEuler),
    (Contact::Ncp, Integrator::SymplecticEulerWorld),
    (Contact::Lcp, Integrator::SymplecticEulerWorld),
    (Contact::Convex, Integrator::SymplecticEuler),
    (Contact::Convex, Integrator::SymplecticEulerWorld),
    (Contact::Convex, Integrator::Midpoint),
    (Contact::Penalty, Integrator::SymplecticEulerWorld),
    (Contact::Penalty, Integrator::Bdf1),
];

/// States with contacts and without.
fn state(rng: &mut Rng, model: &Model) -> [Vec<f64>; 3] {
    let (nv, nu) = (model.nv(), model.nu());
    [
        random_q(rng, model, 0.05),
        rng.vector(nv, 0.3),
        rng.vector(nu, 2.0),
    ]
}

#[test]
fn it_is_what_the_step_from_there_has_and_moves_nothing() {
    for (contact, integrator) in ALL {
        let model = model(contact);
        let (nq, nv) = (model.nq(), model.nv());
        let (mut sim, mut other) = (
            sim(&model, contact, integrator),
            sim(&model, contact, integrator),
        );
        let mut rng = Rng::new(1);
        let [mut q, mut v, u] = state(&mut rng, &model);
        let mut touched = 0;
        for _ in 0..20 {
            let elsewhere = state(&mut rng, &model);
            let mut a = vec![0.0; nv];
            sim.forward(&elsewhere[0], &elsewhere[1], &elsewhere[2], &mut a)
                .unwrap();
            sim.forward(&q, &v, &u, &mut a).unwrap();
            let told = sim.contacts().to_vec();
            let (mut q1, mut v1) = (vec![0.0; nq], vec![0.0; nv]);
            let (mut q2, mut v2) = (q1.clone(), v1.clone());
            sim.step(&q, &v, &u, &mut q1, &mut v1).unwrap();
            other.step(&q, &v, &u, &mut q2, &mut v2).unwrap();
            assert!(q1 == q2 && v1 == v2, "{contact:?} {integrator:?}");
            let after = sim.contacts();
            assert_eq!(told.len(), after.len());
            for (x, y) in told.iter().zip(after) {
                assert_eq!((x.impulse, x.velocity), (y.impulse, y.velocity));
            }
            touched += told.len();
            if integrator == Integrator::SymplecticEuler {
                let rate: Vec<f64> = (0..nv).map(|k| (v1[k] - v[k]) / 2e-3).collect();
                assert!(relative_error(&a, &rate) < 1e-12);
            }
            (q, v) = (q1, v1);
        }
        assert!(
            contact == Contact::None || touched > 10,
            "{contact:?}: {touched}"
        );
    }
}

/// M a + b is the sum of all forces, of contacts by their points. The model has no implicit forces, no rows
/// besides those of contacts, and no passive forces.
#[test]
fn acceleration_and_contact_forces_balance() {
    let text = ROBOT
        .replace("limited=\"true\" range=\"-20 3\" frictionloss=\"0.2\"", "")
        .replace("stiffness=\"4\" springref=\"10\"", "");
    let text = ["damping=\"0.3\"", "damping=\"0.2\"", "damping=\"2\""]
        .iter()
        .fold(text, |t, d| t.replace(d, ""));
    let load = LoadOptions {
        actuation: Actuation::Full,
        ..LoadOptions::default()
    };
    let model = Arc::new(load_str(&text, Format::Mjcf, None, &load).unwrap());
    let nv = model.nv();
    for (contact, integrator) in ALL {
        if matches!(integrator, Integrator::Midpoint | Integrator::Bdf1) {
            continue;
        }
        let mut sim = sim(&model, contact, integrator);
        let (mut rng, mut a, mut tau) = (Rng::new(4), vec![0.0; nv], vec![0.0; nv]);
        for _ in 0..20 {
            let [q, mut v, u] = state(&mut rng, &model);
            if integrator == Integrator::SymplecticEulerWorld {
                // Where a free joint spins, the couple of the discrete Euler equations is among the forces.
                for j in model.joints().iter().filter(|j| j.kind == JointKind::Free) {
                    v[j.iv + 3..j.iv + 6].fill(0.0);
                }
            }
            sim.forward(&q, &v, &u, &mut a).unwrap();
            let contacts = sim.contacts().to_vec();
            let (mut bodies, mut wrenches) = (Vec::new(), Vec::new());
            let mut places = vec![0.0; 16 * model.nbody()];
            sim.forward_kinematics(&q, &mut places).unwrap();
            for c in &contacts {
                let axes = [c.tangents[0], c.tangents[1], c.normal];
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let body = c.body[side];
                    let f = [0, 1, 2].map(|k| {
                        let along = (0..3).map(|i| axes[i][k] * c.impulse[i]);
                        sign * along.sum::<f64>() / 2e-3
                    });
                    let r = [0, 1, 2].map(|k| c.point[k] - places[16 * body + 12 + k]);
                    bodies.push(body as i32);
                    wrenches.extend(f);
                    wrenches.extend([
                        r[1] * f[2] - r[2] * f[1],
                        r[2] * f[0] - r[0] * f[2],
                        r[0] * f[1] - r[1] * f[0],
                    ]);
                }
            }
            sim.inverse_dynamics_with_wrenches(&q, &v, &a, &bodies, &wrenches, &mut tau)
                .unwrap();
            let scale = wrenches.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let error = relative_error(&tau, &u) / scale;
            assert!(error < 1e-9, "{contact:?} {integrator:?}: {error}");
            // The same from the wrenches of bodies.
            sim.forward(&q, &v, &u, &mut a).unwrap();
            let mut sums = vec![0.0; 6 * model.nbody()];
            sim.body_contact_wrenches(&mut sums).unwrap();
            let all: Vec<i32> = (0..model.nbody() as i32).collect();
            sim.inverse_dynamics_with_wrenches(&q, &v, &a, &all, &sums, &mut tau)
                .unwrap();
            assert!(relative_error(&tau, &u) / scale < 1e-9);
        }
    }
}

/// Fourth-order differences by a tangent of (q, v, u), or nothing where a mode changes between them.
fn slope(
    model: &Model,
    [q, v, u]: [&[f64]; 3],
    part: usize,
    k: usize,
    mut f: impl FnMut(&[f64], &[f64], &[f64]) -> Vec<f64>,
) -> Vec<f64> {
    difference(1e-6, |x| {
        let (mut at, mut v, mut u) = (vec![0.0; q.len()], v.to_vec(), u.to_vec());
        let mut dq = vec![0.0; v.len()];
        match part {
            0 => dq[k] = x,
            1 => v[k] += x,
            _ => u[k] += x,
        }
        model.integrate(q, &dq, &mut at);
        f(&at, &v, &u)
    })
}

#[test]
fn jacobians_are_those_of_differences_and_adjoints_their_transposes() {
    for (contact, integrator) in ALL {
        let model = model(contact);
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = sim(&model, contact, integrator);
        let mut rng = Rng::new(2);
        let (mut compared, mut touched) = (0, 0);
        for _ in 0..20 {
            let [q, v, u] = state(&mut rng, &model);
            let mut a = vec![0.0; nv];
            sim.forward(&q, &v, &u, &mut a).unwrap();
            let [mut by_q, mut by_v, mut by_u] = [nv, nv, nu].map(|n| vec![f64::NAN; nv * n]);
            sim.acceleration_jacobians(AccelerationJacobians {
                by_q: Some(&mut by_q),
                by_v: Some(&mut by_v),
                by_u: Some(&mut by_u),
                ..AccelerationJacobians::default()
            })
            .unwrap();
            let bar = rng.vector(nv, 1.0);
            let mut bars = [nv, nv, nu].map(|n| vec![f64::NAN; n]);
            let [q_bar, v_bar, u_bar] = &mut bars;
            sim.acceleration_vjp(&bar, Some(q_bar), Some(v_bar), Some(u_bar), None)
                .unwrap();
            for (bars, j) in bars.iter().zip([&by_q, &by_v, &by_u]) {
                let size = j.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for (x, column) in bars.iter().zip(j.chunks(nv)) {
                    let sum: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
                    assert!((x - sum).abs() < 1e-10 * size, "{contact:?} {integrator:?}");
                }
            }
            let info = sim.step_info().unwrap();
            if info.gradient != Gradient::Exact || info.switch_distance < 1e-4 {
                continue;
            }
            let near = sim.contacts().len();
            (compared, touched) = (compared + 1, touched + near);
            for (part, j) in [&by_q, &by_v, &by_u].into_iter().enumerate() {
                let size = j.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for (k, column) in j.chunks(nv).enumerate() {
                    let numeric = slope(&model, [&q, &v, &u], part, k, |q, v, u| {
                        let mut a = vec![0.0; nv];
                        sim.forward(q, v, u, &mut a).unwrap();
                        a
                    });
                    let error = relative_error(column, &numeric) / size;
                    assert!(
                        error < 1e-5,
                        "{contact:?} {integrator:?} {part} {k}: {error}"
                    );
                }
            }
        }
        assert!(compared > 3, "{contact:?} {integrator:?}: {compared}");
        assert!(contact == Contact::None || touched > 0);
    }
}

#[test]
fn the_inverse_finds_the_force_and_its_derivative() {
    for (contact, integrator) in ALL {
        let model = model(contact);
        let nv = model.nv();
        let mut sim = sim(&model, contact, integrator);
        let rigid = matches!(contact, Contact::Ncp | Contact::Lcp);
        let stage = matches!(integrator, Integrator::Midpoint | Integrator::Bdf1);
        let mut rng = Rng::new(3);
        let zero = vec![0.0; model.nu()];
        let (mut compared, mut touched) = (0, 0);
        for _ in 0..20 {
            let [q, v, u] = state(&mut rng, &model);
            let (mut a, mut force) = (vec![0.0; nv], vec![f64::NAN; nv]);
            sim.forward(&q, &v, &u, &mut a).unwrap();
            let done = sim.inverse(&q, &v, &zero, &a, &mut force);
            if rigid || stage {
                let e = done.unwrap_err();
                let what = if stage {
                    "options.integrator"
                } else {
                    "options.contact"
                };
                assert!(e.message.starts_with(what), "{}", e.message);
                continue;
            }
            done.unwrap();
            let scale = sim
                .contacts()
                .iter()
                .fold(1.0_f64, |m, c| m.max(c.impulse[2] / 2e-3));
            let error = relative_error(&force, &u) / scale;
            assert!(error < 1e-8, "{contact:?} {integrator:?}: {error}");
            // Forces of inputs are forces that need not be found.
            sim.inverse(&q, &v, &u, &a, &mut force).unwrap();
            assert!(force.iter().all(|x| x.abs() < 1e-8 * scale));
            sim.inverse(&q, &v, &zero, &a, &mut force).unwrap();
            let near = sim.contacts().iter().filter(|c| c.impulse[2] > 0.0).count();
            let info = sim.step_info().unwrap();
            let [mut by_q, mut by_v, mut by_a] = [(); 3].map(|()| vec![f64::NAN; nv * nv]);
            sim.inverse_jacobians(InverseJacobians {
                by_q: Some(&mut by_q),
                by_v: Some(&mut by_v),
                by_a: Some(&mut by_a),
            })
            .unwrap();
            if info.gradient != Gradient::Exact || info.switch_distance < 1e-4 {
                continue;
            }
            (compared, touched) = (compared + 1, touched + near);
            for (part, j) in [&by_q, &by_v, &by_a].into_iter().enumerate() {
                let size = j.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                for (k, column) in j.chunks(nv).enumerate() {
                    let numeric = slope(&model, [&q, &v, &a], part, k, |q, v, a| {
                        let mut f = vec![0.0; nv];
                        sim.inverse(q, v, &zero, a, &mut f).unwrap();
                        f
                    });
                    let error = relative_error(column, &numeric) / size;
                    assert!(
                        error < 1e-5,
                        "{contact:?} {integrator:?} {part} {k}: {error}"
                    );
                }
            }
        }
        assert!(rigid || stage || compared > 3, "{contact:?}: {compared}");
        assert!(
            contact != Contact::Convex || stage || touched > 3,
            "{touched}"
        );
    }
}

#[test]
fn bad_arguments_are_refused_and_nothing_is_written() {
    let model = model(Contact::Convex);
    let (nv, mut sim) = (
        model.nv(),
        sim(&model, Contact::Convex, Integrator::SymplecticEuler),
    );
    let (q, v, u) = (model.neutral().to_vec(), vec![0.0; nv], vec![0.0; nv]);
    let mut out = vec![7.0; nv];
    let mut bad = v.clone();
    bad[3] = f64::NAN;
    let errors = [
        sim.forward(&q, &bad, &u, &mut out).unwrap_err(),
        sim.forward(&q, &v, &bad, &mut out).unwrap_err(),
        sim.inverse(&q, &v, &u, &bad, &mut out).unwrap_err(),
        sim.inverse(&q, &v, &u[1..], &v, &mut out).unwrap_err(),
    ];
    for (e, name) in errors.iter().zip(["v[3]", "u[3]", "a[3]", "u must"]) {
        assert!(e.message.starts_with(name), "{}", e.message);
    }
    assert!(out.iter().all(|x| *x == 7.0));
    sim.reset();
    assert!(
        sim.acceleration_jacobians(AccelerationJacobians::default())
            .is_err()
    );
    assert!(sim.inverse_jacobians(InverseJacobians::default()).is_err());
    assert!(
        sim.body_contact_wrenches(&mut vec![0.0; 6 * model.nbody()])
            .is_err()
    );
    sim.forward(&q, &v, &u, &mut out).unwrap();
    sim.acceleration_jacobians(AccelerationJacobians::default())
        .unwrap();
}

/// The force found is the one under which the step ends so, whatever activations drive the actuators; dofs
/// with a prescribed velocity have none.
#[test]
fn inverse_with_activations_and_prescribed_dofs() {
    let text = r#"<mujoco><worldbody><body><joint name="a" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/>
        <body pos="0.4 0 0"><joint name="b" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/></body></body></worldbody>
        <actuator><general joint="a" dyntype="filter" dynprm="0.1" gainprm="3"/></actuator></mujoco>"#;
    let model = load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let options = Options {
        contact: Contact::None,
        time_step: 1e-3,
        ..Options::default()
    };
    let mut sim = Sim::new(Arc::new(model), &options).unwrap();
    let (q, v, u, a) = ([0.3, -0.2], [0.5, 0.1], [2.0], [1.0, -2.0]);
    let mut forces = [[0.0; 2]; 2];
    for (act, force) in [0.0, 1.5].into_iter().zip(&mut forces) {
        sim.set_act(&[act]).unwrap();
        sim.inverse(&q, &v, &u, &a, force).unwrap();
    }
    // The actuator's 3 · 1.5 N m need not be found elsewhere.
    let [less, more] = [forces[1][0], forces[0][0]];
    assert!((more - less - 4.5).abs() < 1e-9, "{forces:?}");
    assert!((forces[0][1] - forces[1][1]).abs() < 1e-9);
    sim.prescribe(1, 0.2).unwrap();
    let before = forces[0];
    let error = sim.inverse(&q, &v, &u, &a, &mut forces[0]).unwrap_err();
    assert!(error.message.contains("prescribed"), "{error}");
    assert_eq!(forces[0], before);
}

/// A box barely above a plane.
fn glider(mu: f64, condim: i32) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, mu);
    let half_extents = Vec3::new(0.1, 0.08, 0.05);
    let at = Vec3::new(0.0, 0.0, 0.0505);
    free_body(&mut spec, "a", at, ShapeSpec::Box { half_extents });
    for g in &mut spec.geoms {
        (g.condim, g.friction[0]) = (condim, mu);
    }
    spec
}

/// A corner that slides fast above a plane is lifted by compliant friction before it closes: a search for
/// closing contacts alone did not find it, so that steps left out contacts of their law. Of these states 24
/// had another force than the one they came from, or none.
#[test]
fn the_inverse_finds_the_force_of_what_glides() {
    for (mu, condim) in [(0.6, 3), (1.0, 3), (1.5, 3), (1.0, 6), (1.5, 6)] {
        let spec = glider(mu, condim);
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let o = Options {
            time_step: 5e-3,
            ..options(Contact::Convex, Integrator::SymplecticEulerWorld)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (mut rng, mut pressed) = (Rng::new(1), 0);
        let mut scaled = |by: [f64; 6]| -> Vec<f64> {
            let all = rng.vector(6, 1.0);
            all.iter().zip(by).map(|(x, s)| x * s).collect()
        };
        for k in 0..3000 {
            let mut q = model.neutral().to_vec();
            model.integrate(
                model.neutral(),
                &scaled([0.0, 0.0, 0.002, 0.03, 0.03, 1.0]),
                &mut q,
            );
            let v = scaled([0.6, 0.6, 0.2, 2.0, 2.0, 2.0]);
            let (mut a, mut force) = (vec![0.0; 6], vec![0.0; 6]);
            sim.forward(&q, &v, &[0.0; 6], &mut a).unwrap();
            if !sim.contacts().iter().any(|c| c.impulse[2] > 0.0) {
                continue;
            }
            pressed += 1;
            sim.inverse(&q, &v, &[0.0; 6], &a, &mut force)
                .unwrap_or_else(|e| panic!("{mu} {condim} state {k}: {e}"));
            let size = a.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            let off = force.iter().fold(0.0f64, |m, x| m.max(x.abs())) / size;
            assert!(off < 1e-6, "{mu} {condim} state {k}: {off}");
        }
        assert!(pressed > 2000);
    }
}

/// Coefficients that are set reach as far as those that a model has from the start, in copies, too.
#[test]
fn what_glides_is_found_by_the_coefficients_that_are_set() {
    let [model, other] =
        [1.5, 0.1].map(|mu| Arc::new(Model::compile(glider(mu, 3), Actuation::Full).unwrap()));
    let o = Options {
        time_step: 5e-3,
        ..options(Contact::Convex, Integrator::SymplecticEulerWorld)
    };
    let list = [0, 1].map(|g| param(ParamKind::GeomFriction, g, 0));
    let new = |model: &Arc<Model>| {
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&list).unwrap();
        sim
    };
    let (mut sim, mut plain, mut set) = (new(&model), new(&other), new(&other));
    set.set_params(&[1.5; 2]).unwrap();
    let mut copy = set.duplicate().unwrap();
    let (mut rng, mut farther) = (Rng::new(3), 0);
    for _ in 0..200 {
        let mut q = model.neutral().to_vec();
        let d = rng.vector(6, 1.0);
        let d = [0.0, 0.0, 0.002 * d[2], 0.03 * d[3], 0.03 * d[4], d[5]];
        model.integrate(model.neutral(), &d, &mut q);
        let v = rng.vector(6, 0.6);
        let found = |sim: &mut Sim| {
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.reset();
            sim.step(&q, &v, &[0.0; 6], &mut q_next, &mut v_next)
                .unwrap();
            (sim.contacts().len(), q_next, v_next)
        };
        let expected = found(&mut sim);
        assert_eq!(found(&mut set), expected);
        assert_eq!(found(&mut copy), expected);
        farther += usize::from(found(&mut plain).0 < expected.0);
    }
    assert!(farther > 10, "{farther}");
}
