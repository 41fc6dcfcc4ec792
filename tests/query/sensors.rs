//! Sensors: values by other queries, derivatives against differences, adjoints, addresses, bad input. Values
//! against MuJoCo: `tests/peers`.

use crate::common::sensing::{compare, jacobians, largest_error, sim, told};
use crate::common::{Rng, by_q, by_vector, random_q};
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::sensor::{Reading, SensorFrame, SensorSpec};
use diffsim::model::spec::{JointKind, JointSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::SensorRoom;
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Sim};
use std::path::Path;
use std::sync::Arc;

fn all_kinds() -> Arc<Model> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/models/sensors.xml");
    Arc::new(load_file(&path, &LoadOptions::default()).unwrap())
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

/// Of the force of a bound that holds, the number in this place, against differences; and of the others.
fn held_jacobians(sim: &mut Sim, room: &mut SensorRoom, [q, v, u]: [&[f64]; 3], place: usize) {
    let model = sim.model().clone();
    let n = model.nsensordata();
    let ([by_q, by_v, by_u], gradient) = jacobians(sim, room, [q, v, u]);
    assert_eq!(gradient, Gradient::Exact);
    let data = told(sim, room, q, v, u);
    assert!(data[place] > 1.0, "{data:?}");
    let of_place = |by: &[f64]| by.iter().skip(place).step_by(n).any(|x| x.abs() > 0.1);
    assert!(of_place(&by_q) && of_place(&by_v) && of_place(&by_u));
    let error = largest_error(sim, room, [q, v, u], [&by_q, &by_v]);
    assert!(error < 1e-6, "{error:e}");
    let numeric = by_vector(u, |u| told(sim, room, q, v, u));
    compare(&model, "u", &by_u, &numeric, &[]);
    let bar: Vec<f64> = (0..n).map(|k| 0.3 + 0.1 * k as f64).collect();
    let mut bars = [model.nv(), model.nv(), model.nu()].map(|n| vec![f64::NAN; n]);
    let [a, b, c] = bars.each_mut().map(|x| Some(&mut x[..]));
    sim.sensor_vjp(room, q, v, u, &bar, [a, b, c, None])
        .unwrap();
    for (bars, j) in bars.iter().zip([&by_q, &by_v, &by_u]) {
        for (x, column) in bars.iter().zip(j.chunks(n)) {
            let sum: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
            assert!((x - sum).abs() <= 1e-10 * (1.0 + sum.abs()));
        }
    }
}

#[test]
fn limits_tell_with_what_force_they_hold() {
    let [model, short] = ["9", "1.3"].map(|l| bounded(Actuation::Full, l));
    for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
        let mut sim = sim(&model, contact, Integrator::SymplecticEulerWorld);
        let mut room = SensorRoom::new(&sim);
        let (q, v) = ([0.5, 0.1, 0.0, 0.0, 0.0, 1.0], [0.0; 5]);
        // At its upper bound and pushed on: the bound holds against the whole push, or against a share of it
        // with the compliant law.
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
        let u = [3.0, 0.2, 0.1, -0.2, 0.1];
        let (mut bent, moving) = (q, [0.3, -0.1, 0.2, 0.1, -0.2]);
        bent[0] += 3e-4;
        bent[1] = 0.2;
        held_jacobians(&mut sim, &mut room, [&bent, &moving, &u], 2);
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
        // Both joints are free to give way: a = M⁻¹ (τ − g F), gᵀ a = 0 at rest. The arm's moment of inertia
        // is that of its balls.
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
        let (mut bent, moving) = (q, [0.3, 0.4, 0.2, 0.1, -0.2]);
        bent[1] += 3e-4;
        held_jacobians(&mut sim, &mut room, [&bent, &moving, &pull], 6);
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
    let (q, v) = (random_q(&mut rng, &model, 0.8), rng.vector(6, 1.0));
    for (scheme, most) in [
        (Integrator::SymplecticEuler, 1e-11),
        // The discrete Euler equations differ from those of the sensor by h |ω|³.
        (Integrator::SymplecticEulerWorld, 1e-4),
    ] {
        let mut sim = self::sim(&model, Contact::None, scheme);
        sim.set_external_wrench(1, [5.0, 4.0, 3.0, 2.0, 1.0, -1.0])
            .unwrap();
        let mut room = SensorRoom::new(&sim);
        let data = told(&mut sim, &mut room, &q, &v, &[]);
        assert!(data.iter().all(|x| x.abs() < most), "{scheme:?}: {data:?}");
    }
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
    let pulled = |w: &&String| w.contains("includes the pulls of springs and tendons");
    assert!(warned.len() == 4 && warned.iter().all(pulled), "{warned:?}");
    // MuJoCo takes off what a connection holds.
    let held = r#"<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/><site name="s"/></body></worldbody>
        <equality><connect body1="b" anchor="0 0 1"/></equality><sensor><force site="s"/><touch site="s"/></sensor></mujoco>"#;
    let held = load_str(held, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let told = held
        .warnings()
        .iter()
        .filter(|w| w.contains("includes the forces of equalities"));
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
        "<framequat> with objtype=\"body\" is not supported",
        "<framepos> with objtype=\"camera\" is not supported",
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
        (r#"<ballquat joint="j"/>"#, "this type of joint"),
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
fn zones_need_the_sizes_of_their_shapes_only() {
    let load = |shape: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/><site name="s" {shape}/></body>
            </worldbody><sensor><touch site="s"/></sensor></mujoco>"#
        );
        load_str(&text, Format::Mjcf, None, &LoadOptions::default())
    };
    for shape in [
        r#"size="0.1 0 0""#,
        r#"type="cylinder" size="0.034 0.005 0""#,
        r#"type="capsule" size="0.034 0.005 0""#,
    ] {
        assert_eq!(load(shape).unwrap().nsensordata(), 1, "{shape}");
    }
    for shape in [
        r#"type="cylinder" size="0.034 0 0.005""#,
        r#"type="box" size="0.034 0.005 0""#,
    ] {
        let e = load(shape).unwrap_err();
        assert!(
            e.message.contains("sizes of the zone must be positive"),
            "{e}"
        );
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
