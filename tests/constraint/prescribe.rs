//! Prescribed motion: closed forms with every law and scheme, the driving forces, refusals, no heap.
//! Derivatives: `prescribe_derivatives.rs`.

use crate::common::checker::{quadruped, standing};
use crate::common::prescribed::{ALL, CONVEYOR, LAWS, Run, SYMPLECTIC, mjcf, prescribed, with};
use crate::common::*;
use allocation_counter::measure;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;

/// Steps of 1 ms.
fn millisecond() -> Options {
    Options {
        time_step: 1e-3,
        ..Options::default()
    }
}

const PENDULUM: &str = r#"<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="arm">
    <joint name="hinge" axis="0 1 0" damping="0.2" armature="0.01"/>
    <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.1"/>
  </body></worldbody></mujoco>"#;

/// It turns at the speed that it is given, and its motor gives what gravity and the damper take.
#[test]
fn a_driven_pendulum() {
    let (h, speed) = (0.01, 1.7);
    let model = mjcf(PENDULUM);
    for (scheme, contact) in ALL.into_iter().flat_map(|s| LAWS.map(|law| (s, law))) {
        let formula = matches!(scheme, Integrator::Bdf1 | Integrator::Sdirk2);
        if formula && contact != Contact::None {
            continue;
        }
        let mut run = Run::new(&model, &with(scheme, contact, h));
        run.sim.prescribe(0, speed).unwrap();
        for k in 0..100 {
            let angle = run.q[0];
            run.step();
            assert_eq!(run.v[0], speed, "{scheme:?}");
            if !SYMPLECTIC.contains(&scheme) {
                continue;
            }
            assert!((run.q[0] - speed * h * f64::from(k + 1)).abs() < 1e-13);
            // Where it begins it is accelerated, too.
            let (inertia, change) = (0.1 + 2.0 * 0.25 + 0.01, if k == 0 { speed } else { 0.0 });
            let held = 2.0 * 9.81 * 0.5 * angle.sin();
            let damped = 0.2 * speed;
            let wanted = inertia * change + h * (held + damped);
            let given = run.impulses()[0];
            assert!((given - wanted).abs() < 1e-12, "{given} {wanted}");
        }
        run.sim.prescribe(0, f64::NAN).unwrap();
        run.step();
        assert!((run.v[0] - speed).abs() > 1e-4);
        if SYMPLECTIC.contains(&scheme) {
            assert_eq!(run.impulses(), [0.0]);
        }
    }
}

/// A box on a conveyor is accelerated by μ g, then goes with it; the belt goes through a wall, which could
/// not stop it.
#[test]
fn a_box_on_a_conveyor() {
    let (h, speed, mu) = (1e-3, 0.5, 0.4);
    let model = mjcf(CONVEYOR);
    let belt = model.joint(model.joint_id("belt").unwrap()).iv;
    let along = if belt == 0 { 1 } else { 0 };
    for (scheme, contact) in SYMPLECTIC
        .into_iter()
        .flat_map(|s| LAWS[..3].iter().map(move |law| (s, *law)))
    {
        let mut run = Run::new(&model, &with(scheme, contact, h));
        run.sim.prescribe(belt, speed).unwrap();
        // The convex law lifts a sliding body, and so pushes it at first.
        let yields = contact == Contact::Convex;
        let bound = if yields { 0.1 } else { 1e-9 };
        for k in 1..=300 {
            run.step();
            assert_eq!(run.v[belt], speed);
            let geoms = |name| model.geom_id(name).unwrap();
            let through = [geoms("plate"), geoms("wall")];
            assert!(
                run.sim
                    .contacts()
                    .iter()
                    .all(|c| c.geom.iter().any(|g| !through.contains(g)))
            );
            let wanted = (f64::from(k) * h * mu * 9.81).min(speed);
            let v = run.v[along];
            // The pyramid of the LCP is that of the friction's axes, which are those of the motion.
            assert!(
                (v - wanted).abs() < bound,
                "{contact:?}, step {k}: {v} for {wanted}"
            );
            let pull = run.impulses()[belt];
            let wanted = match f64::from(k) * h * mu * 9.81 {
                x if x < speed => 2.0 * h * mu * 9.81,
                x if x - h * mu * 9.81 > speed => 0.0,
                _ => continue,
            };
            // The belt itself is there at once.
            let wanted = wanted + if k == 1 { 3.0 * speed } else { 0.0 };
            assert!(
                yields || (pull - wanted).abs() < 1e-9,
                "{contact:?}, step {k}: {pull} for {wanted}"
            );
        }
        assert!(
            (run.v[along] - speed).abs() < 1e-5,
            "{contact:?}: {}",
            run.v[along]
        );
        assert!(run.impulses()[belt].abs() < 1e-4);
    }
}

/// A crank of 0.1 m, a rod of 0.25 m and a slider, whose loop is closed by a connection.
const CRANK: &str = r#"<mujoco><option gravity="0 0 0"/><worldbody>
    <body name="crank"><joint name="motor" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01" mass="0.3" contype="0" conaffinity="0"/>
      <body name="rod" pos="0.1 0 0"><joint name="pin" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.01" mass="0.2" contype="0" conaffinity="0"/></body></body>
    <body name="slider" pos="0.35 0 0"><joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.02 0.02 0.02" mass="0.5" contype="0" conaffinity="0"/></body>
  </worldbody><equality><connect body1="slider" body2="rod" anchor="0 0 0"/></equality></mujoco>"#;

#[test]
fn a_motor_driven_crank() {
    let (h, speed) = (2e-4, 5.0);
    let model = mjcf(CRANK);
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut run = Run::new(&model, &with(Integrator::SymplecticEulerWorld, contact, h));
        run.sim.prescribe(0, speed).unwrap();
        let (mut work, mut energy) = (0.0, 0.0);
        for k in 1..=6000 {
            run.step();
            assert_eq!(run.v[0], speed);
            let angle: f64 = speed * h * f64::from(k);
            let slide =
                |a: f64| 0.1 * a.cos() + (0.25f64.powi(2) - (0.1 * a.sin()).powi(2)).sqrt() - 0.35;
            assert!((run.q[0] - angle).abs() < 1e-10);
            assert!(
                (run.q[2] - slide(angle)).abs() < 1e-4,
                "{contact:?}: {} for {}",
                run.q[2],
                slide(angle)
            );
            let impulse = run.impulses()[0];
            let (q, v) = (run.q.clone(), run.v.clone());
            let (kinetic, _) = run.sim.energy(&q, &v).unwrap();
            // From where the rod goes with the crank.
            if k == 1 {
                energy = kinetic;
            } else {
                work += impulse * speed;
                assert!(
                    (work - (kinetic - energy)).abs() < 0.02,
                    "{contact:?}: {work} for {}",
                    kinetic - energy
                );
            }
        }
    }
}

/// Limits, dry friction and equalities on driven dofs do not hold these, and still hold others.
#[test]
fn what_holds_other_dofs_does_not_hold_driven_ones() {
    let model = mjcf(
        r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>
          <body name="a"><joint name="a" axis="0 1 0" range="-20 20" limited="true" frictionloss="0.4"/>
            <geom size="0.05" pos="0.3 0 0" contype="0" conaffinity="0"/>
            <body name="b" pos="0.3 0 0"><joint name="b" axis="0 1 0" range="-20 20" limited="true" frictionloss="0.1"/>
              <geom size="0.05" pos="0.3 0 0" contype="0" conaffinity="0"/></body></body>
          <body name="c"><joint name="c" type="slide" axis="1 0 0"/><geom size="0.1" contype="0" conaffinity="0"/></body>
          <body name="d"><joint name="d" type="slide" axis="1 0 0"/><geom size="0.1" contype="0" conaffinity="0"/></body>
          <body name="e"><joint name="e" type="slide" axis="1 0 0"/><geom size="0.1" contype="0" conaffinity="0"/></body>
        </worldbody><equality><joint joint1="c" joint2="d" polycoef="0 2 0 0 0"/>
          <joint joint1="e" joint2="d" polycoef="0 -1 0 0 0"/></equality></mujoco>"#,
    );
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut run = Run::new(&model, &with(SYMPLECTIC[1], contact, 1e-3));
        // The first goes beyond its bound; the coupled ones contradict each other, and a third one follows.
        for (k, speed) in [(0, 1.0), (2, 0.3), (3, -0.2)] {
            run.sim.prescribe(k, speed).unwrap();
        }
        for _ in 0..600 {
            run.step();
            assert_eq!(
                [run.v[0], run.v[2], run.v[3]],
                [1.0, 0.3, -0.2],
                "{contact:?}"
            );
        }
        assert!((run.q[0] - 0.6).abs() < 1e-12);
        let bound = 20f64.to_radians();
        assert!(run.q[1].abs() < bound + 1e-2, "{contact:?}: {}", run.q[1]);
        assert!(
            (run.q[4] + run.q[3]).abs() < 1e-6,
            "{contact:?}: {:?}",
            run.q
        );
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let model = Arc::new(quadruped(false));
    let nv = model.nv();
    let mut sim = Sim::new(model.clone(), &millisecond()).unwrap();
    let refuse = |e: diffsim::error::Result<()>, status: Status, words: &str| {
        let e = e.unwrap_err();
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.contains(words), "{e}");
    };
    refuse(
        sim.prescribe(nv, 0.0),
        Status::InvalidArgument,
        "dof must be in 0..18",
    );
    refuse(
        sim.prescribe(3, f64::INFINITY),
        Status::Numerical,
        "velocity must be finite",
    );
    assert!((0..nv).all(|k| sim.prescribed_velocity(k).is_nan()));
    refuse(
        sim.select_params(&[prescribed(7)]),
        Status::Unsupported,
        "dof 7 has no prescribed velocity",
    );
    refuse(
        sim.select_params(&[prescribed(nv)]),
        Status::InvalidArgument,
        "index (a dof)",
    );
    refuse(
        sim.select_params(&[param(ParamKind::Prescribed, 7, 1)]),
        Status::InvalidArgument,
        "component",
    );
    sim.prescribe(7, 0.25).unwrap();
    sim.select_params(&[prescribed(7)]).unwrap();
    refuse(
        sim.prescribe(7, f64::NAN),
        Status::InvalidArgument,
        "dof 7 cannot be freed",
    );
    refuse(
        sim.set_params(&[f64::NAN]),
        Status::Numerical,
        "p[0] must be finite",
    );
    let mut p = [0.0];
    sim.get_params(&mut p).unwrap();
    assert_eq!(p, [0.25]);
    sim.set_params(&[-0.5]).unwrap();
    sim.reset();
    assert_eq!(sim.prescribed_velocity(7), -0.5);
    let mut copy = sim.duplicate().unwrap();
    let (q, v, u) = (standing(&model), vec![0.0; nv], vec![0.0; nv]);
    let mut ends = [(q.clone(), v.clone()), (q.clone(), v.clone())];
    for (sim, (qn, vn)) in [&mut sim, &mut copy].into_iter().zip(&mut ends) {
        refuse(
            sim.prescribed_impulses(&mut vec![0.0; nv]),
            Status::NoStep,
            "no step",
        );
        sim.step(&q, &v, &u, qn, vn).unwrap();
        refuse(
            sim.prescribed_impulses(&mut [0.0]),
            Status::InvalidArgument,
            "impulse",
        );
    }
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0].1[7], -0.5);
    sim.select_params(&[]).unwrap();
    sim.prescribe(7, f64::NAN).unwrap();
    // Freed, it is a simulation that never was prescribed, to the bit.
    let mut fresh = Sim::new(model.clone(), &millisecond()).unwrap();
    for (sim, (qn, vn)) in [&mut sim, &mut fresh].into_iter().zip(&mut ends) {
        sim.reset();
        sim.step(&q, &v, &u, qn, vn).unwrap();
    }
    assert_eq!(ends[0], ends[1]);
    let mut midpoint = Sim::new(
        model.clone(),
        &with(Integrator::Midpoint, Contact::Ncp, 1e-3),
    )
    .unwrap();
    midpoint.prescribe(1, 0.0).unwrap();
    let stepped = midpoint.step(&q, &v, &u, &mut q.clone(), &mut v.clone());
    refuse(stepped, Status::Unsupported, "all three of its linear dofs");
    for k in [0, 2] {
        midpoint.prescribe(k, 0.0).unwrap();
    }
    midpoint
        .step(&q, &v, &u, &mut q.clone(), &mut v.clone())
        .unwrap();
    refuse(
        midpoint.prescribed_impulses(&mut vec![0.0; nv]),
        Status::Unsupported,
        "Midpoint",
    );
}

#[test]
fn nothing_allocates() {
    let model = Arc::new(quadruped(false));
    let (nv, q) = (model.nv(), standing(&model));
    let (v, u) = (vec![0.1; nv], vec![0.0; nv]);
    for (scheme, contact) in [
        (SYMPLECTIC[1], Contact::Ncp),
        (SYMPLECTIC[0], Contact::Convex),
        (Integrator::Midpoint, Contact::Lcp),
        (Integrator::Sdirk2, Contact::None),
    ] {
        let mut sim = Sim::new(model.clone(), &with(scheme, contact, 1e-3)).unwrap();
        sim.prescribe(8, 0.5).unwrap();
        sim.select_params(&[prescribed(8)]).unwrap();
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let (mut dq, mut impulse) = (v.clone(), v.clone());
        let mut jacobians = [nv, nv, nv, 1].map(|n| vec![0.0; nv * n]);
        let mut jv = jacobians.clone();
        let mut bars = [nv, nv, nv, 1].map(|n| vec![0.0; n]);
        let used = measure(|| {
            for k in 0..4 {
                sim.prescribe(8, 0.1).unwrap();
                sim.prescribe(9 + k, -0.2).unwrap();
                sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                sim.step_jacobians(all_jacobians(&mut jacobians, &mut jv))
                    .unwrap();
                sim.step_jvp(&v, &v, &u, &[1.0], &mut dq, &mut vn).unwrap();
                let [a, b, c, d] = bars.each_mut().map(|x| Some(&mut x[..]));
                sim.step_vjp(&v, &v, a, b, c, d).unwrap();
                if SYMPLECTIC.contains(&scheme) {
                    sim.prescribed_impulses(&mut impulse).unwrap();
                }
                sim.prescribe(9 + k, f64::NAN).unwrap();
            }
        });
        assert_eq!(used.count_total, 0, "{scheme:?}, {contact:?}");
    }
}
