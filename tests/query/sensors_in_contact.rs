//! Sensors under contact: values by weights, derivatives against differences in every mode, and sensors
//! without a derivative.

use crate::common::sensing::{compare, jacobians, largest_error, sim, told};
use crate::common::{Rng, by_vector, relative_error};
use allocation_counter::measure;
use diffsim::contact::mode::Mode;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::query::{SensorJacobians, SensorRoom};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

/// A block at rest on a plate that stands on a foot.
const STANDING: &str = r#"<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="plate" pos="0 0 0.1">
      <freejoint/>
      <geom type="box" size="0.2 0.2 0.1" mass="2"/>
      <site name="under" pos="0 0 -0.1" type="box" size="0.3 0.3 0.02"/>
      <site name="corner" pos="0.2 0.2 -0.1" size="0.05"/>
      <site name="aside" pos="2 0 0" size="0.05"/>
      <body name="block" pos="0 0 0.3">
        <joint type="slide" axis="0 0 1" damping="1"/>
        <geom type="sphere" size="0.1" mass="0.5" contype="0" conaffinity="0"/>
        <site name="held"/>
      </body>
    </body>
  </worldbody>
  <actuator><position joint="" name="none"/></actuator>
  <sensor>
    <touch name="all" site="under"/>
    <touch name="one" site="corner"/>
    <touch name="none" site="aside"/>
    <force name="carried" site="held"/>
    <force name="base" site="under"/>
    <accelerometer name="acc" site="under"/>
  </sensor>
</mujoco>"#;

#[test]
fn what_stands_feels_its_weight() {
    let text = STANDING.replace(
        r#"<actuator><position joint="" name="none"/></actuator>"#,
        "",
    );
    let model = Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let g = 9.81;
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut sim = sim(&model, contact, Integrator::SymplecticEulerWorld);
        let mut room = SensorRoom::new(&sim);
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
        q[2] -= 1e-4;
        // The block falls at first by its damper: its weight is told as it is carried.
        for _ in 0..3000 {
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
            (q, v) = (qn, vn);
            q[7] = 0.0;
            v[6] = 0.0;
        }
        let data = told(&mut sim, &mut room, &q, &v, &[]);
        let huge = vec![1e308; data.len()];
        let mut bar = [vec![7.0; model.nv()]];
        let [out] = bar.each_mut().map(|x| Some(&mut x[..]));
        if contact == Contact::Convex {
            let e = sim.sensor_vjp(&mut room, &q, &v, &[], &huge, [out, None, None, None]);
            assert!(e.unwrap_err().message.starts_with("data_bar"));
            assert_eq!(bar[0], vec![7.0; model.nv()]);
        }
        let at = |name: &str| model.sensors()[model.sensor_id(name).unwrap()].address;
        let (all, base) = (data[at("all")], data[at("base") + 2]);
        // The block is let go and falls freely, so that the plate alone is carried.
        assert!((all - 2.0 * g).abs() < 0.02, "{contact:?}: {all}");
        assert!((data[at("one")] - 0.25 * all).abs() < 0.02 * all);
        assert_eq!(data[at("none")], 0.0);
        assert!(
            data[at("carried") + 2].abs() < 0.02,
            "{}",
            data[at("carried") + 2]
        );
        // Nothing but contacts holds the base.
        assert!(base.abs() < 1e-6 * all, "{base}");
        assert!((data[at("acc") + 2] - g).abs() < 0.02);
        // How four corners share the weight is open where they are rigid, its sum is not.
        let out = SensorJacobians::default();
        let shared = sim.sensor_jacobians(&mut room, &q, &v, &[], out);
        match contact {
            Contact::Convex => drop(shared.unwrap()),
            _ => {
                let e = shared.unwrap_err();
                assert!(e.message.contains("sensor \"one\""), "{}", e.message);
                assert_eq!(e.status, diffsim::error::Status::Unsupported);
            }
        }
        let whole = text.replace(r#"<touch name="one" site="corner"/>"#, "");
        let whole =
            Arc::new(load_str(&whole, Format::Mjcf, None, &LoadOptions::default()).unwrap());
        let mut sim = self::sim(&whole, contact, Integrator::SymplecticEulerWorld);
        let mut room = SensorRoom::new(&sim);
        let ([_, by_v, _], _) = jacobians(&mut sim, &mut room, [&q, &v, &[]]);
        let n = whole.nsensordata();
        let numeric = by_vector(&v, |v| told(&mut sim, &mut room, &q, v, &[]));
        // Along the vertical all corners keep their modes.
        let (exact, numeric) = (&by_v[2 * n..3 * n], &numeric[2 * n..3 * n]);
        assert!(exact[0].abs() > 100.0, "{exact:?}");
        assert!(
            relative_error(exact, numeric) < 1e-6,
            "{exact:?} {numeric:?}"
        );
    }
}

/// On three round feet, with a ball on the back; a motor, a filter and a muscle in the legs.
const PRESSED: &str = r#"<mujoco>
  <default><geom friction="0.6"/><default class="leg"><geom contype="0" conaffinity="0"/></default></default>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="0.7"/>
    <body name="trunk" pos="0 0 0.4">
      <freejoint/>
      <geom type="ellipsoid" size="0.3 0.25 0.1" mass="3"/>
      <site name="back" pos="0 0 0.1" type="box" size="0.1 0.1 0.05"/>
      <body name="a" pos="0.3 0 0">
        <joint name="a" axis="0 1 0.1" stiffness="300" damping="5"/>
        <geom class="leg" type="capsule" fromto="0 0 0 0.05 0 -0.35" size="0.03"/>
        <geom name="foot a" size="0.05" pos="0.05 0 -0.35"/>
        <site name="hip a" euler="10 20 30"/>
        <site name="foot a" pos="0.05 0 -0.38" size="0.04"/>
      </body>
      <body name="b" pos="-0.2 0.2 0">
        <joint name="b" axis="0.1 1 0" stiffness="300" damping="5"/>
        <geom class="leg" type="capsule" fromto="0 0 0 0 0.05 -0.35" size="0.03"/>
        <geom name="foot b" type="ellipsoid" size="0.04 0.06 0.05" pos="0 0.05 -0.35"/>
        <site name="hip b" pos="0 0 -0.1"/>
        <site name="foot b" pos="0 0.05 -0.4" type="capsule" size="0.04 0.02"/>
      </body>
      <body name="c" pos="-0.2 -0.2 0">
        <joint name="c" axis="0 1 0" stiffness="300" damping="5"/>
        <geom class="leg" type="capsule" fromto="0 0 0 0 -0.05 -0.35" size="0.03"/>
        <geom name="foot c" size="0.05" pos="0 -0.05 -0.35"/>
        <site name="hip c"/>
      </body>
    </body>
    <body name="ball" pos="0 0 0.5501">
      <freejoint/>
      <geom size="0.05" mass="0.4"/>
      <site name="ball" pos="0.01 0 0.02"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="a"/>
    <general joint="b" dyntype="filter" dynprm="0.03" actearly="true" gainprm="2"/>
    <muscle joint="c" lengthrange="-1 1" force="4" tausmooth="0.2"/>
  </actuator>
  <sensor>
    <touch name="foot a" site="foot a"/>
    <touch name="foot b" site="foot b"/>
    <touch name="back" site="back"/>
    <force name="hip a" site="hip a"/>
    <torque name="turn a" site="hip a"/>
    <force name="hip b" site="hip b"/>
    <torque name="turn b" site="hip b" cutoff="30"/>
    <torque name="turn c" site="hip c"/>
    <force name="ball" site="ball"/>
    <torque name="turned ball" site="ball"/>
    <accelerometer name="acc" site="back"/>
  </sensor>
</mujoco>"#;

/// What contacts press on, in all modes, by every law.
#[test]
fn jacobians_of_what_contacts_press_on() {
    let model = Arc::new(load_str(PRESSED, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let at = |name: &str| model.sensors()[model.sensor_id(name).unwrap()].address;
    let ball = model.nq() - 7;
    for (contact, integrator) in [
        (Contact::Ncp, Integrator::SymplecticEulerWorld),
        (Contact::Ncp, Integrator::SymplecticEuler),
        (Contact::Ncp, Integrator::ImplicitEuler),
        (Contact::Lcp, Integrator::SymplecticEulerWorld),
        (Contact::Lcp, Integrator::Midpoint),
        (Contact::Convex, Integrator::SymplecticEulerWorld),
        (Contact::Convex, Integrator::Midpoint),
        (Contact::Penalty, Integrator::SymplecticEulerWorld),
        (Contact::Penalty, Integrator::SymplecticEuler),
    ] {
        let options = Options {
            contact,
            integrator,
            time_step: if contact == Contact::Penalty {
                1e-3
            } else {
                1e-2
            },
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let mut room = SensorRoom::new(&sim);
        let mut rng = Rng::new(12);
        let (mut stuck, mut slid) = (0, 0);
        let mut largest = 0.0_f64;
        let mut felt = ["foot a", "foot b", "back", "ball"].map(|name| (name, 0));
        for round in 0..6 {
            let u: Vec<f64> = (0..3).map(|_| rng.range(0.2, 0.8)).collect();
            let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 0.05));
            sim.reset();
            sim.set_act(&[0.3, 0.4]).unwrap();
            for _ in 0..60 {
                let (mut qn, mut vn) = (q.clone(), v.clone());
                sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                (q, v) = (qn, vn);
            }
            if round % 2 == 0 {
                (v[0], v[1]) = (0.4, -0.3);
            }
            // Push both into their supports, farther than the increment of the differences.
            q[2] -= 1e-4;
            q[ball + 2] -= 2e-4;
            let ([by_q, by_v, by_u], gradient) = jacobians(&mut sim, &mut room, [&q, &v, &u]);
            let info = sim.step_info().unwrap();
            if gradient != Gradient::Exact || info.switch_distance < 1e-5 {
                continue;
            }
            for c in sim.contacts() {
                match c.mode {
                    Mode::Sticking => stuck += 1,
                    Mode::Sliding | Mode::Bounded(_) => slid += 1,
                    _ => {}
                }
            }
            let data = told(&mut sim, &mut room, &q, &v, &u);
            for (name, felt) in &mut felt {
                *felt += usize::from(data[at(name)] != 0.0);
            }
            let worst = largest_error(&mut sim, &mut room, [&q, &v, &u], [&by_q, &by_v]);
            let numeric = by_vector(&u, |u| told(&mut sim, &mut room, &q, &v, u));
            compare(&model, "u", &by_u, &numeric, &[]);
            // Impulses are found to a tolerance.
            assert!(worst < 1e-5, "{contact:?} {integrator:?}: {worst:e}");
            largest = largest.max(worst);
            let bar = rng.vector(model.nsensordata(), 1.0);
            let mut bars = [model.nv(), model.nv(), model.nu()].map(|n| vec![f64::NAN; n]);
            let [a, b, c] = bars.each_mut().map(|x| Some(&mut x[..]));
            let outs = [a, b, c, None];
            sim.sensor_vjp(&mut room, &q, &v, &u, &bar, outs).unwrap();
            for (bars, j) in bars.iter().zip([&by_q, &by_v, &by_u]) {
                for (x, column) in bars.iter().zip(j.chunks(bar.len())) {
                    let sum: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
                    assert!((x - sum).abs() <= 1e-10 * (1.0 + sum.abs()));
                }
            }
        }
        let seen = format!(
            "{contact:?} {integrator:?}: {stuck} stick, {slid} slide, {felt:?}, {largest:.1e}"
        );
        println!("{seen}");
        assert!(stuck + slid > 8 && felt.iter().all(|x| x.1 > 1), "{seen}");
    }
}

/// A ball that rolls and spins, an arm whose tip is on the ground, and a leg on a flat foot; all resist
/// torsion, and rolling with a `condim` of 6. The impulses of the foot's corners depend on each other, their
/// sum does not.
fn torsion(condim: i32, corner: &str) -> Arc<Model> {
    let text = format!(
        r#"<mujoco>
  <default><geom friction="0.6 0.03 0.2" condim="{condim}"/>
    <default class="free"><geom contype="0" conaffinity="0"/></default></default>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="0.5 0.01 0.1"/>
    <body name="ball" pos="0 0 0.0998"><freejoint/>
      <geom size="0.1" mass="0.7"/><site name="ball" pos="0.02 -0.01 0.03" euler="20 10 -30"/></body>
    <body name="arm" pos="2 0 0.9"><joint name="a" axis="0 0 1"/><geom class="free" size="0.05" mass="1"/>
      <body pos="0.05 0 0"><joint axis="0 1 0"/><geom class="free" type="capsule" fromto="0 0 0 0.4 0 -0.2" size="0.03" mass="1.2"/>
        <body pos="0.4 0 -0.2"><joint axis="0 1 0.2"/><geom class="free" type="capsule" fromto="0 0 0 0.1 0.05 -0.3" size="0.03" mass="0.8"/>
          <site name="elbow" pos="0.01 0.02 0" euler="0 30 10"/>
          <body pos="0.1 0.05 -0.3"><joint axis="1 0 0.3"/><geom class="free" size="0.04" mass="0.4"/>
            <body pos="0 0 -0.1"><joint axis="0 1 0.1"/><geom class="free" size="0.03" mass="0.3"/>
              <body pos="0 0.02 -0.05"><joint axis="0.2 0.1 1"/><geom class="free" size="0.03" mass="0.3"/><site name="wrist" euler="5 0 40"/>
                <body pos="0 0.01 -0.1"><joint axis="1 0.1 0"/>
                  <geom size="0.06" pos="0 0 -0.0901" mass="0.3"/><site name="tip" pos="0 0 -0.15" size="0.05"/>
                </body></body></body></body></body></body></body>
    <body name="trunk" pos="-2 0 0.6"><freejoint/><geom class="free" type="box" size="0.1 0.08 0.1" mass="2"/>
      <body pos="0 0 -0.5501"><joint axis="0.1 1 0" stiffness="200" damping="3"/><geom type="box" size="0.12 0.07 0.05" mass="0.6"/>
        <site name="ankle" pos="0 0 0.05" euler="0 0 20"/><site name="corner" pos="0.12 0.07 -0.05" size="0.04"/></body></body>
  </worldbody>
  <sensor><force site="ball"/><torque name="ball" site="ball"/><force site="elbow"/><torque name="elbow" site="elbow"/>
    <force site="wrist"/><torque name="wrist" site="wrist"/><touch name="tip" site="tip"/>
    <force site="ankle"/><torque name="ankle" site="ankle"/>{corner}</sensor></mujoco>"#
    );
    Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

/// A state of [`torsion`]. All bodies touch and rest. If `moves`, the ball slides and spins, the arm turns
/// and the leg is above the ground.
fn turned(model: &Model, rng: &mut Rng, moves: bool) -> [Vec<f64>; 2] {
    let (ball, trunk) = (0, model.nv() - 7);
    let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 1e-3));
    if moves {
        for (k, x) in [0.5, -0.3, 0.0, 0.8, -0.6, 2.0].into_iter().enumerate() {
            v[ball + k] += x;
        }
        (v[6], v[11]) = (0.5, -1.5);
        let height = model.nq() - 6;
        q[height] += 0.2;
    }
    (v[ball + 2], v[trunk + 2]) = (-0.02, -0.02);
    (v[7], v[8]) = (v[7] + 0.05, v[8] + 0.05);
    [q, v]
}

#[test]
fn jacobians_of_what_contacts_that_resist_torsion_press_on() {
    for condim in [4, 6] {
        let model = torsion(condim, "");
        let at = |name: &str| model.sensors()[model.sensor_id(name).unwrap()].address;
        for (contact, integrator) in [
            (Contact::Ncp, Integrator::SymplecticEulerWorld),
            (Contact::Ncp, Integrator::Midpoint),
            (Contact::Lcp, Integrator::SymplecticEuler),
            (Contact::Lcp, Integrator::ImplicitEuler),
            (Contact::Convex, Integrator::SymplecticEulerWorld),
            (Contact::Convex, Integrator::Midpoint),
        ] {
            let mut sim = sim(&model, contact, integrator);
            let mut room = SensorRoom::new(&sim);
            let mut rng = Rng::new(5);
            let (mut stuck, mut slid, mut largest) = (0, 0, 0.0_f64);
            for round in 0..6 {
                let moves = round % 2 == 1;
                let [q, v] = turned(&model, &mut rng, moves);
                sim.reset();
                let ([by_q, by_v, _], gradient) = jacobians(&mut sim, &mut room, [&q, &v, &[]]);
                let info = sim.step_info().unwrap();
                // Of slow slip differences would not resolve how it turns.
                let creeps = sim
                    .contacts()
                    .iter()
                    .any(|c| c.mode == Mode::Sliding && c.velocity[0].hypot(c.velocity[1]) < 0.02);
                if gradient != Gradient::Exact || info.switch_distance < 1e-5 || creeps {
                    continue;
                }
                let turns = sim.contacts().iter().filter(|c| c.torque != [0.0; 3]);
                let expected = if moves { 2 } else { 6 };
                assert_eq!(turns.count(), expected, "{:?}", sim.contacts());
                for c in sim.contacts() {
                    stuck += usize::from(c.mode == Mode::Sticking);
                    slid += usize::from(matches!(c.mode, Mode::Sliding | Mode::Bounded(_)));
                }
                let data = told(&mut sim, &mut room, &q, &v, &[]);
                for name in ["ball", "elbow", "wrist", "tip", "ankle"] {
                    assert!(data[at(name)] != 0.0, "{name}: {data:?}");
                }
                let error = largest_error(&mut sim, &mut room, [&q, &v, &[]], [&by_q, &by_v]);
                largest = largest.max(error);
                let bar = rng.vector(model.nsensordata(), 1.0);
                let mut bars = [model.nv(); 2].map(|n| vec![f64::NAN; n]);
                let [a, b] = bars.each_mut().map(|x| Some(&mut x[..]));
                let outs = [a, b, None, None];
                sim.sensor_vjp(&mut room, &q, &v, &[], &bar, outs).unwrap();
                for (bars, j) in bars.iter().zip([&by_q, &by_v]) {
                    for (x, column) in bars.iter().zip(j.chunks(bar.len())) {
                        let sum: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
                        assert!((x - sum).abs() <= 1e-10 * (1.0 + sum.abs()));
                    }
                }
                let [mut to_q, mut to_v] = [by_q.clone(), by_v.clone()];
                let heap = measure(|| {
                    let out = SensorJacobians {
                        by_q: Some(&mut to_q),
                        by_v: Some(&mut to_v),
                        ..SensorJacobians::default()
                    };
                    (sim.sensor_jacobians(&mut room, &q, &v, &[], out)).unwrap();
                });
                assert_eq!((heap.count_total, &to_q, &to_v), (0, &by_q, &by_v));
            }
            let seen = format!(
                "condim {condim} {contact:?} {integrator:?}: {stuck} stick, {slid} slide, {largest:.1e}"
            );
            println!("{seen}");
            assert!(stuck + slid > 4 && slid > 1 && largest < 1e-5, "{seen}");
        }
        // One corner's share is open where contacts are rigid.
        let model = torsion(condim, r#"<touch name="corner" site="corner"/>"#);
        let [q, v] = turned(&model, &mut Rng::new(5), false);
        for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
            let mut sim = sim(&model, contact, Integrator::SymplecticEulerWorld);
            let mut room = SensorRoom::new(&sim);
            let got = sim.sensor_jacobians(&mut room, &q, &v, &[], SensorJacobians::default());
            match contact {
                Contact::Convex => drop(got.unwrap()),
                _ => {
                    let e = got.unwrap_err().message;
                    assert!(e.starts_with("sensor \"corner\": the contact force"), "{e}");
                }
            }
        }
    }
}

/// With an implicit scheme penalty forces are those of a stage.
#[test]
fn what_penalty_forces_of_a_stage_press_on_is_refused() {
    let model = Arc::new(load_str(PRESSED, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut sim = sim(&model, Contact::Penalty, Integrator::Bdf1);
    let mut room = SensorRoom::new(&sim);
    let (mut q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    q[2] -= 1e-3;
    let data = told(&mut sim, &mut room, &q, &v, &[0.1; 3]);
    assert!(data[0] > 0.0);
    let out = SensorJacobians::default();
    let e = sim
        .sensor_jacobians(&mut room, &q, &v, &[0.1; 3], out)
        .unwrap_err();
    assert_eq!(e.status, diffsim::error::Status::Unsupported);
    let named = e.message.starts_with("sensor \"foot a\"") && e.message.contains("Bdf1");
    assert!(named, "{e}");
    let text = PRESSED.replace(r#"<touch name="foot a""#, "<touch");
    let model = Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut sim = self::sim(&model, Contact::Penalty, Integrator::Bdf1);
    let mut room = SensorRoom::new(&sim);
    let out = SensorJacobians::default();
    let e = sim.sensor_jacobians(&mut room, &q, &v, &[0.1; 3], out);
    let e = e.unwrap_err().message;
    assert!(e.starts_with("sensor 0: a contact acts on it"), "{e}");
}

/// Two fingers of a hand that floats press on each other: dofs that move both turn the force.
#[test]
fn jacobians_where_links_of_a_robot_press_on_each_other() {
    let text = r#"<mujoco><worldbody><body name="palm" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.05 0.02" mass="1"/>
        <body name="l" pos="-0.1 0 0.05"><joint axis="0 1 0.1" stiffness="20" damping="0.1"/>
          <geom size="0.05" pos="0.0501 0 0.2" mass="0.3"/><site name="l" pos="0 0.01 0" euler="20 0 40"/>
          <site name="tip" pos="0.1 0 0.2" size="0.03"/></body>
        <body name="r" pos="0.1 0 0.05"><joint axis="0 1 0" stiffness="20" damping="0.1"/>
          <geom size="0.05" pos="-0.0501 0 0.2" mass="0.3"/><site name="r"/></body></body></worldbody>
        <sensor><force site="l"/><torque site="l"/><force site="r"/><torque site="r"/><touch site="tip"/></sensor></mujoco>"#;
    let model = Arc::new(load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    for contact in [
        Contact::Ncp,
        Contact::Lcp,
        Contact::Convex,
        Contact::Penalty,
    ] {
        for integrator in [
            Integrator::SymplecticEulerWorld,
            Integrator::SymplecticEuler,
        ] {
            let mut sim = sim(&model, contact, integrator);
            let mut room = SensorRoom::new(&sim);
            let mut rng = Rng::new(2);
            for _ in 0..4 {
                let mut dv = rng.vector(model.nv(), 0.5);
                dv[6..].copy_from_slice(&[2e-3, -2e-3]);
                let mut q = model.neutral().to_vec();
                model.integrate(model.neutral(), &dv, &mut q);
                let mut v = rng.vector(model.nv(), 0.4);
                v[6..].copy_from_slice(&[0.2, 0.1]);
                let ([by_q, by_v, _], gradient) = jacobians(&mut sim, &mut room, [&q, &v, &[]]);
                assert_eq!(gradient, Gradient::Exact);
                let data = told(&mut sim, &mut room, &q, &v, &[]);
                assert!(data[12] > 0.01, "{contact:?}: {data:?}");
                let error = largest_error(&mut sim, &mut room, [&q, &v, &[]], [&by_q, &by_v]);
                assert!(error < 2e-6, "{contact:?} {integrator:?}: {error:e}");
                let [mut to_q, mut to_v] = [by_q.clone(), by_v.clone()];
                let heap = measure(|| {
                    let out = SensorJacobians {
                        by_q: Some(&mut to_q),
                        by_v: Some(&mut to_v),
                        ..SensorJacobians::default()
                    };
                    (sim.sensor_jacobians(&mut room, &q, &v, &[], out)).unwrap();
                });
                assert_eq!((heap.count_total, &to_q, &to_v), (0, &by_q, &by_v));
            }
        }
    }
}
