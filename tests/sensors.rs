//! Sensors: values by other queries, derivatives against differences, adjoints, addresses, bad input. Values against MuJoCo:
//! `tests/peers`.

mod common;

use allocation_counter::measure;
use common::{Rng, by_q, by_vector, difference, random_q, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::sensor::{Reading, SensorFrame, SensorSpec};
use diffsim::model::spec::{JointKind, JointSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{SensorJacobians, SensorRoom};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::path::Path;
use std::sync::Arc;

fn all_kinds() -> Arc<Model> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/models/sensors.xml");
    Arc::new(load_file(&path, &LoadOptions::default()).unwrap())
}

fn sim(model: &Arc<Model>, contact: Contact, integrator: Integrator) -> Sim {
    let options = Options {
        contact,
        integrator,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(model.clone(), &options).unwrap()
}

fn told(sim: &mut Sim, room: &mut SensorRoom, q: &[f64], v: &[f64], u: &[f64]) -> Vec<f64> {
    let mut data = vec![f64::NAN; sim.model().nsensordata()];
    sim.sensors(room, q, v, u, &mut data).unwrap();
    data
}

/// By q, v and u.
fn jacobians(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
) -> ([Vec<f64>; 3], Gradient) {
    let m = sim.model();
    let (n, nv, nu) = (m.nsensordata(), m.nv(), m.nu());
    let [mut by_q, mut by_v, mut by_u] = [nv, nv, nu].map(|c| vec![f64::NAN; n * c]);
    let out = SensorJacobians {
        by_q: Some(&mut by_q),
        by_v: Some(&mut by_v),
        by_u: Some(&mut by_u),
        by_act: None,
    };
    let gradient = sim.sensor_jacobians(room, q, v, u, out).unwrap();
    ([by_q, by_v, by_u], gradient)
}

/// Compares rows of one sensor after the other, so that none hides behind the size of another.
fn compare(model: &Model, what: &str, exact: &[f64], numeric: &[f64], skip: &[usize]) {
    let n = model.nsensordata();
    for (i, s) in model.sensors().iter().enumerate() {
        if skip.contains(&i) {
            continue;
        }
        for row in s.address..s.address + s.reading.dim() {
            let of = |x: &[f64]| -> Vec<f64> { x.iter().skip(row).step_by(n).copied().collect() };
            let error = relative_error(&of(exact), &of(numeric));
            assert!(error < 2e-7, "{what} {} [{row}]: {error}", s.name);
        }
    }
}

#[test]
fn jacobians_of_every_kind_are_those_of_differences() {
    let model = all_kinds();
    for (contact, integrator) in [
        (Contact::None, Integrator::SymplecticEulerWorld),
        (Contact::None, Integrator::SymplecticEuler),
        (Contact::None, Integrator::Bdf1),
        (Contact::Ncp, Integrator::SymplecticEulerWorld),
        (Contact::Convex, Integrator::Midpoint),
    ] {
        let mut sim = sim(&model, contact, integrator);
        let mut room = SensorRoom::new(&sim);
        let mut rng = Rng::new(8);
        let mut seen = 0;
        for _ in 0..6 {
            let q = random_q(&mut rng, &model, 0.6);
            let (v, u) = (rng.vector(model.nv(), 0.8), rng.vector(model.nu(), 1.0));
            let ([by_q, by_v, by_u], gradient) = jacobians(&mut sim, &mut room, [&q, &v, &u]);
            assert_eq!(gradient, Gradient::Exact);
            let data = told(&mut sim, &mut room, &q, &v, &u);
            // Rays that differences take over an edge, and what is near a cutoff.
            let mut skip = Vec::new();
            for (i, s) in model.sensors().iter().enumerate() {
                let x = data[s.address];
                if s.reading == Reading::Rangefinder {
                    let steady = (0..model.nv()).all(|k| {
                        [-4e-4, 4e-4].iter().all(|step| {
                            let (mut dv, mut at) = (vec![0.0; model.nv()], q.clone());
                            dv[k] = *step;
                            model.integrate(&q, &dv, &mut at);
                            let y = told(&mut sim, &mut room, &at, &v, &u)[s.address];
                            (y - x).abs() < 0.02
                        })
                    });
                    seen += usize::from(steady && x > 0.0);
                    if !steady {
                        skip.push(i);
                    }
                }
                if s.cutoff > 0.0
                    && (0..s.reading.dim()).any(|k| {
                        let x = data[s.address + k].abs();
                        x > s.cutoff - 1e-2 && x < s.cutoff + 1e-9 && x != s.cutoff
                    })
                {
                    skip.push(i);
                }
            }
            let numeric = by_q_of(&model, &mut sim, &mut room, [&q, &v, &u]);
            compare(&model, "q", &by_q, &numeric, &skip);
            let numeric = by_vector(&v, |v| told(&mut sim, &mut room, &q, v, &u));
            compare(&model, "v", &by_v, &numeric, &skip);
            let numeric = by_vector(&u, |u| told(&mut sim, &mut room, &q, &v, u));
            compare(&model, "u", &by_u, &numeric, &skip);
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
        assert!(seen > 3, "{seen}");
    }
}

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
        // Down and up all corners keep what they do.
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

/// Of Jacobians by q and v against differences that stay within the modes.
fn largest_error(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
    [by_q, by_v]: [&[f64]; 2],
) -> f64 {
    let model = sim.model().clone();
    let (n, mut worst) = (model.nsensordata(), 0.0_f64);
    for k in 0..model.nv() {
        let mut dv = vec![0.0; model.nv()];
        let numeric = difference(2e-6, |x| {
            dv[k] = x;
            let mut at = q.to_vec();
            model.integrate(q, &dv, &mut at);
            told(sim, room, &at, v, u)
        });
        worst = worst.max(relative_error(&by_q[k * n..][..n], &numeric));
        let numeric = difference(2e-5, |x| {
            let mut at = v.to_vec();
            at[k] += x;
            told(sim, room, q, &at, u)
        });
        worst = worst.max(relative_error(&by_v[k * n..][..n], &numeric));
    }
    worst
}

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
            // Both into what they lie on, farther than differences go.
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

/// A hinge and a slide with limits, a tendon of each kind with limits, and sensors of all of these.
const BOUNDED: &str = r#"<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 0"/>
  <worldbody>
    <site name="above" pos="0 0 1"/>
    <body name="arm">
      <joint name="hinge" axis="0 1 0" range="-1 0.5" margin="0.1"/>
      <geom size="0.1" pos="0.5 0 0" mass="2"/>
      <site name="tip" pos="1 0 0"/>
      <body pos="1 0 0">
        <joint name="slide" type="slide" axis="1 0 0" range="-0.2 0.3"/>
        <geom size="0.1" mass="1"/>
        <site name="end"/>
      </body>
    </body>
    <body pos="5 0 0"><joint name="ball" type="ball" range="0 1"/><geom size="0.1"/></body>
  </worldbody>
  <tendon>
    <spatial name="cable" range="0.9 1.3" margin="0.05"><site site="above"/><site site="end"/></spatial>
    <fixed name="sum" range="-1 1"><joint joint="hinge" coef="2"/><joint joint="slide" coef="-3"/></fixed>
  </tendon>
  <sensor>
    <jointlimitpos name="hinge pos" joint="hinge"/>
    <jointlimitvel name="hinge vel" joint="hinge"/>
    <jointlimitfrc name="hinge frc" joint="hinge"/>
    <jointlimitpos name="slide pos" joint="slide"/>
    <tendonlimitpos name="cable pos" tendon="cable"/>
    <tendonlimitvel name="cable vel" tendon="cable"/>
    <tendonlimitfrc name="cable frc" tendon="cable"/>
    <tendonlimitpos name="sum pos" tendon="sum"/>
    <tendonlimitvel name="sum vel" tendon="sum"/>
    <jointlimitpos name="ball pos" joint="ball"/>
  </sensor>
</mujoco>"#;

/// The cable at most so long.
fn bounded(actuation: Actuation, longest: &str) -> Arc<Model> {
    let options = LoadOptions {
        actuation,
        ..LoadOptions::default()
    };
    let text = BOUNDED.replace("0.9 1.3", &format!("0.9 {longest}"));
    let model = load_str(&text, Format::Mjcf, None, &options).unwrap();
    let left_out = model
        .warnings()
        .iter()
        .filter(|w| w.contains("<jointlimitpos> with joint=\"ball\""));
    assert_eq!((left_out.count(), model.nsensordata()), (1, 9));
    Arc::new(model)
}

#[test]
fn limits_tell_how_far_they_are_passed() {
    let model = bounded(Actuation::FromFile, "1.3");
    let mut sim = sim(&model, Contact::None, Integrator::SymplecticEulerWorld);
    let mut room = SensorRoom::new(&sim);
    let ball = [0.0, 0.0, 0.0, 1.0];
    let at = |hinge: f64, slide: f64| [&[hinge, slide], &ball[..]].concat();
    let v = [0.7, -0.3, 0.0, 0.0, 0.0];
    // The hinge beyond, within the margin before and inside of each of its bounds, and the others alike.
    for (hinge, slide, expected) in [
        (0.55, 0.35, [-0.15, -0.7, -0.05]),
        (0.45, 0.0, [-0.05, -0.7, 0.0]),
        (0.1, -0.25, [0.0, 0.0, -0.05]),
        (-0.95, 0.0, [-0.05, 0.7, 0.0]),
        (-1.25, 0.0, [-0.35, 0.7, 0.0]),
    ] {
        let q = at(hinge, slide);
        let data = told(&mut sim, &mut room, &q, &v, &[]);
        for (x, y) in [data[0], data[1], data[3]].iter().zip(expected) {
            assert!((x - y).abs() < 1e-15, "{hinge} {slide}: {data:?}");
        }
        // The end is at (1 + s)(cos, −sin), the cable from (0, 1) to it.
        let (x, z) = ((1.0 + slide) * hinge.cos(), -(1.0 + slide) * hinge.sin());
        let length = x.hypot(1.0 - z);
        let rate = (x * (z * 0.7 - hinge.cos() * 0.3) + (z - 1.0) * (-x * 0.7 + hinge.sin() * 0.3))
            / length;
        let cable = match length {
            l if l < 0.95 => [l - 0.95, rate],
            l if l > 1.25 => [1.25 - l, -rate],
            _ => [0.0; 2],
        };
        assert!(
            (data[4] - cable[0]).abs() < 1e-14 && (data[5] - cable[1]).abs() < 1e-14,
            "{data:?} {cable:?}"
        );
        let sum = 2.0 * hinge - 3.0 * slide;
        let (wanted, rate) = (1.0 - sum.abs(), -sum.signum() * (1.4 + 0.9));
        let near = wanted < 0.0;
        assert!(
            (data[7] - if near { wanted } else { 0.0 }).abs() < 1e-14,
            "{data:?}"
        );
        assert!(
            (data[8] - if near { rate } else { 0.0 }).abs() < 1e-14,
            "{data:?}"
        );
        assert_eq!((data[2], data[6]), (0.0, 0.0));
        let ([by_q, by_v, by_u], gradient) = jacobians(&mut sim, &mut room, [&q, &v, &[]]);
        assert!(gradient == Gradient::Exact && by_u.is_empty());
        let numeric = by_q_of(&model, &mut sim, &mut room, [&q, &v, &[]]);
        compare(&model, "q", &by_q, &numeric, &[]);
        let numeric = by_vector(&v, |v| told(&mut sim, &mut room, &q, v, &[]));
        compare(&model, "v", &by_v, &numeric, &[]);
    }
    // At a bound without margin.
    let (_, gradient) = jacobians(&mut sim, &mut room, [&at(0.0, 0.3), &v, &[]]);
    assert_eq!(gradient, Gradient::OneSided);
}

#[test]
fn limits_tell_with_what_force_they_hold() {
    let [model, short] = ["9", "1.3"].map(|l| bounded(Actuation::Full, l));
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut sim = sim(&model, contact, Integrator::SymplecticEulerWorld);
        let mut room = SensorRoom::new(&sim);
        let (q, v) = ([0.5, 0.1, 0.0, 0.0, 0.0, 1.0], [0.0; 5]);
        // At its upper bound and pushed on: what pushes is what holds, but for a share with the law that yields.
        let share = if contact == Contact::Convex {
            0.05
        } else {
            1e-9
        };
        let data = told(&mut sim, &mut room, &q, &v, &[3.0, 0.0, 0.0, 0.0, 0.0]);
        assert!(
            (data[2] - 3.0).abs() < 3.0 * share && data[6].abs() < 3.0 * share,
            "{contact:?}: {data:?}"
        );
        let out = SensorJacobians::default();
        let e = sim
            .sensor_jacobians(&mut room, &q, &v, &[3.0, 0.0, 0.0, 0.0, 0.0], out)
            .unwrap_err();
        assert!(
            e.message.contains("\"hinge frc\": a limit holds"),
            "{}",
            e.message
        );
        // Drawn back it holds nothing, and nothing varies.
        let u = [-3.0, 0.0, 0.0, 0.0, 0.0];
        let data = told(&mut sim, &mut room, &q, &v, &u);
        assert_eq!((data[2], data[6]), (0.0, 0.0), "{contact:?}");
        let ([by_q, by_v, by_u], _) = jacobians(&mut sim, &mut room, [&q, &v, &u]);
        for by in [by_q, by_v, by_u] {
            assert!(by.iter().skip(2).step_by(9).all(|x| *x == 0.0));
        }
        // The cable at its longest, stretched by the slide alone: it pulls along itself.
        let mut sim = self::sim(&short, contact, Integrator::SymplecticEulerWorld);
        let mut room = SensorRoom::new(&sim);
        let q = [0.0, 0.69_f64.sqrt() - 1.0, 0.0, 0.0, 0.0, 1.0];
        let pull = [0.0, 2.0, 0.0, 0.0, 0.0];
        let data = told(&mut sim, &mut room, &q, &v, &pull);
        // Both joints are free to give way: a = M⁻¹ (τ − g F), gᵀ a = 0 at rest. The arm's moment of inertia is that of its balls.
        let (x, length) = (0.69_f64.sqrt(), 1.3);
        let g = [x / length, x / length];
        let balls = 0.4 * 0.01 * (2.0 + 1.0);
        let m = [2.0 * 0.25 + 1.0 * x * x + balls, 1.0];
        let force = (g[1] * 2.0 / m[1]) / (g[0] * g[0] / m[0] + g[1] * g[1] / m[1]);
        assert!(
            (data[6] - force).abs() < force * share,
            "{contact:?}: {data:?}, {force}"
        );
        assert_eq!(data[2], 0.0);
    }
    let alone = r#"<mujoco><worldbody><body><joint name="j" range="-1 1"/><geom size="1"/></body></worldbody>
        <sensor><jointlimitfrc joint="j"/></sensor></mujoco>"#;
    let alone = Arc::new(load_str(alone, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let mut penalty = sim(&alone, Contact::Penalty, Integrator::SymplecticEulerWorld);
    let mut room = SensorRoom::new(&penalty);
    let e = penalty.sensors(&mut room, &[0.0], &[0.0], &[], &mut [0.0]);
    assert!(e.unwrap_err().message.contains("Penalty"));
}

#[test]
fn external_wrenches_are_not_what_a_force_sensor_feels() {
    let model = all_kinds();
    let mut sim = sim(&model, Contact::None, Integrator::SymplecticEulerWorld);
    let mut room = SensorRoom::new(&sim);
    let mut rng = Rng::new(1);
    let foot = model.body_id("foot").unwrap();
    sim.set_external_wrench(foot, [1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
        .unwrap();
    let q = random_q(&mut rng, &model, 0.5);
    let (v, u) = (rng.vector(model.nv(), 0.5), rng.vector(model.nu(), 1.0));
    let ([by_q, by_v, _], _) = jacobians(&mut sim, &mut room, [&q, &v, &u]);
    let ranges: Vec<usize> = (0..model.sensors().len())
        .filter(|i| model.sensors()[*i].reading == Reading::Rangefinder)
        .collect();
    let numeric = by_q_of(&model, &mut sim, &mut room, [&q, &v, &u]);
    compare(&model, "q", &by_q, &numeric, &ranges);
    let numeric = by_vector(&v, |v| told(&mut sim, &mut room, &q, v, &u));
    compare(&model, "v", &by_v, &numeric, &ranges);
    // What floats is held by nothing: the sensor of its root would feel nothing.
    let mut b = ModelBuilder::new("float");
    let ball = Inertia::from_com(
        2.0,
        Vec3::new(0.1, 0.0, 0.2),
        Sym3::diagonal(Vec3::new(0.1, 0.2, 0.3)),
    );
    let body = b.add_body(0, "ball", Pose::IDENTITY, ball).unwrap();
    b.add_joint(body, JointSpec::new("free", JointKind::Free))
        .unwrap();
    for reading in [Reading::Force, Reading::Torque] {
        let mut s = SensorSpec::new(format!("{reading:?}"), reading);
        s.frame.body = body;
        b.add_sensor(s).unwrap();
    }
    let model = Arc::new(b.build().unwrap());
    let mut sim = self::sim(&model, Contact::None, Integrator::SymplecticEulerWorld);
    sim.set_external_wrench(1, [5.0, 4.0, 3.0, 2.0, 1.0, -1.0])
        .unwrap();
    let mut room = SensorRoom::new(&sim);
    let (q, v) = (random_q(&mut rng, &model, 0.8), rng.vector(6, 1.0));
    let data = told(&mut sim, &mut room, &q, &v, &[]);
    assert!(data.iter().all(|x| x.abs() < 1e-11), "{data:?}");
}

fn by_q_of(
    model: &Model,
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
) -> Vec<f64> {
    by_q(model, q, |q| told(sim, room, q, v, u))
}

#[test]
fn names_addresses_and_what_is_left_out() {
    let model = all_kinds();
    let mut next = 0;
    for (i, s) in model.sensors().iter().enumerate() {
        assert_eq!((s.address, model.sensor_id(&s.name)), (next, Some(i)));
        next += s.reading.dim();
    }
    assert_eq!(next, model.nsensordata());
    let warned = model.warnings().iter().filter(|w| w.contains("sensor"));
    let warned: Vec<&String> = warned.collect();
    let pulled = |w: &&String| w.contains("pulls of springs and tendons");
    assert!(warned.len() == 4 && warned.iter().all(pulled), "{warned:?}");
    // MuJoCo takes off what a connection holds.
    let held = r#"<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/><site name="s"/></body></worldbody>
        <equality><connect body1="b" anchor="0 0 1"/></equality><sensor><force site="s"/><touch site="s"/></sensor></mujoco>"#;
    let held = load_str(held, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let told = held
        .warnings()
        .iter()
        .filter(|w| w.contains("what equalities hold"));
    assert_eq!(told.count(), 1, "{:?}", held.warnings());
    let text = r#"<mujoco><worldbody><camera name="c"/><body name="b"><joint name="j"/>
        <geom size="1"/><site name="s"/></body></worldbody>
        <actuator><motor name="m" joint="j"/></actuator>
        <sensor><clock/><e_kinetic/><framequat objtype="body" objname="b"/>
        <gyro name="g" site="s" noise="0.1" delay="0.2"/><framepos objtype="camera" objname="c"/>
        <actuatorfrc name="f" actuator="m"/></sensor></mujoco>"#;
    let model = load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let names: Vec<&str> = model.sensors().iter().map(|s| &s.name[..]).collect();
    assert_eq!(names, ["g", "f"]);
    for part in [
        "<clock> is not used",
        "<e_kinetic> is not used",
        "<framequat> with objtype=\"body\" is not there",
        "<framepos> with objtype=\"camera\" is not there",
        "noise of <gyro> is not added",
        "attribute delay of <gyro> is not used",
    ] {
        let found = model.warnings().iter().any(|w| w.contains(part));
        assert!(found, "{part}: {:?}", model.warnings());
    }
    let full = LoadOptions {
        actuation: Actuation::Full,
        ..LoadOptions::default()
    };
    let model = load_str(text, Format::Mjcf, None, &full).unwrap();
    assert_eq!((model.sensors().len(), model.nsensordata()), (1, 3));
    assert!(model.warnings().iter().any(|w| w.contains("sensor \"f\"")));
    for (bad, message) in [
        (r#"<gyro site="none"/>"#, "nothing is named"),
        (r#"<jointpos joint="j" cutoff="-1"/>"#, "cutoff"),
        (r#"<ballquat joint="j"/>"#, "another type"),
        (r#"<jointlimitfrc joint="j"/>"#, "a joint with limits"),
        (
            r#"<gyro site="s" name="x"/><gyro site="s" name="x"/>"#,
            "already taken",
        ),
        (
            r#"<gyro site="s" reftype="site"/>"#,
            "unknown attribute reftype",
        ),
        (r#"<nothing/>"#, "unknown element"),
    ] {
        let start = text.find("<sensor>").unwrap();
        let text = format!("{}<sensor>{bad}</sensor></mujoco>", &text[..start]);
        let e = load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap_err();
        assert!(e.message.contains(message), "{}", e.message);
    }
}

#[test]
fn builders_refuse_what_no_sensor_is() {
    let mut b = ModelBuilder::new("m");
    let ball = Inertia::from_com(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    let body = b.add_body(0, "ball", Pose::IDENTITY, ball).unwrap();
    b.add_joint(body, JointSpec::new("hinge", JointKind::Revolute))
        .unwrap();
    let new = |reading| SensorSpec::new("s", reading);
    let frame = SensorFrame {
        body: 0,
        placement: Pose::IDENTITY,
    };
    let cases = [
        (
            SensorSpec {
                cutoff: -1.0,
                ..new(Reading::Gyro)
            },
            "cutoff",
        ),
        (
            SensorSpec {
                reference: Some(frame),
                ..new(Reading::Gyro)
            },
            "reference",
        ),
        (
            SensorSpec {
                frame: SensorFrame { body: 7, ..frame },
                ..new(Reading::Gyro)
            },
            "body",
        ),
        (
            SensorSpec {
                field: Vec3::new(f64::NAN, 0.0, 0.0),
                ..new(Reading::Magnetometer)
            },
            "field",
        ),
    ];
    for (spec, message) in cases {
        let e = b.add_sensor(spec).unwrap_err();
        assert!(e.message.contains(message), "{}", e.message);
    }
    b.add_sensor(SensorSpec {
        of: "hinge".into(),
        ..new(Reading::JointPosition)
    })
    .unwrap();
    assert!(b.add_sensor(new(Reading::Gyro)).is_err());
    let mut wrong = b.clone();
    let ball = SensorSpec {
        of: "hinge".into(),
        ..SensorSpec::new("t", Reading::BallQuaternion)
    };
    wrong.add_sensor(ball).unwrap();
    assert!(wrong.build().unwrap_err().message.contains("spherical"));
    let model = Arc::new(b.build().unwrap());
    let mut sim = sim(&model, Contact::None, Integrator::SymplecticEuler);
    let mut room = SensorRoom::new(&sim);
    assert_eq!(told(&mut sim, &mut room, &[0.3], &[1.0], &[]), [0.3]);
    let mut data = [7.0];
    assert!(
        sim.sensors(&mut room, &[f64::NAN], &[1.0], &[], &mut data)
            .is_err()
    );
    assert!(
        sim.sensors(&mut room, &[0.3], &[1.0, 2.0], &[], &mut data)
            .is_err()
    );
    let mut other = SensorRoom::new(&self::sim(
        &all_kinds(),
        Contact::None,
        Integrator::SymplecticEuler,
    ));
    assert!(
        sim.sensors(&mut other, &[0.3], &[1.0], &[], &mut data)
            .is_err()
    );
    assert_eq!(data, [7.0]);
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
    assert!(e.starts_with("sensor 0: contacts press on it"), "{e}");
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
