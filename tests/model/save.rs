//! Models saved and loaded again are the same models; things that a format cannot express are reported.

use crate::common::alike::{apart, differences};
use crate::common::robots::{From, find, mesh_dirs};
use crate::common::{KINDS, Rng, random_q, random_tree, relative_error, single_joint};
use diffsim::error::Status;
use diffsim::load::mjcf::{self, MjcfOptions};
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::load::urdf::{Mimic, MissingMesh};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::sensor::{Reading, Sensor, SensorSpec, Zone, ZoneShape};
use diffsim::model::spec::{JointKind, JointSpec, ModelSpec, OpenMesh};
use diffsim::model::{Actuation, Model};
use diffsim::query::SensorRoom;
use diffsim::save::save_file;
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("save-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Saved, and loaded with what the lines on losses call for.
fn again(model: &Model, path: &Path) -> (Model, Vec<String>) {
    let losses = save_file(model, path, false).unwrap();
    let options = LoadOptions {
        mimic: Mimic::Couple,
        open_mesh: OpenMesh::Hull,
        ..LoadOptions::default()
    };
    let loaded = load_file(path, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (loaded, losses)
}

fn said(losses: &[String], what: &str) -> bool {
    losses.iter().any(|l| l.contains(what))
}

#[test]
fn examples_come_back_with_their_bits() {
    let folder = folder("examples");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    let mut count = 0;
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        let urdf = path.extension().is_some_and(|e| e == "urdf");
        if !urdf && path.extension().is_none_or(|e| e != "xml") {
            continue;
        }
        count += 1;
        let model = load_file(&path, &LoadOptions::default()).unwrap();
        let (loaded, losses) = again(&model, &folder.join("robot.xml"));
        assert_eq!(apart(&model, &loaded, 1), 0.0, "{}", path.display());
        assert_eq!(losses.is_empty(), !urdf, "{losses:?}");
        let twice = folder.join("twice.xml");
        save_file(&loaded, &twice, false).unwrap();
        assert_eq!(
            fs::read(&twice).unwrap(),
            fs::read(folder.join("robot.xml")).unwrap()
        );
        if urdf {
            let (loaded, losses) = again(&model, &folder.join("robot.urdf"));
            assert_eq!(apart(&model, &loaded, 1), 0.0, "{}", path.display());
            assert!(losses.is_empty(), "{losses:?}");
            let names = |m: &Model| {
                m.joints()
                    .iter()
                    .map(|j| j.name.clone())
                    .collect::<Vec<_>>()
            };
            assert_eq!(names(&model), names(&loaded));
        }
    }
    assert!(count >= 5);
}

/// Values of all sensors of two models at random states, and how far these are apart.
fn sensors_apart(a: &Arc<Model>, b: &Arc<Model>) -> f64 {
    let mut rng = Rng::new(2);
    let mut both = [a, b].map(|m| {
        let options = Options {
            contact: Contact::Ncp,
            time_step: 1e-3,
            ..Options::default()
        };
        let sim = Sim::new(m.clone(), &options).unwrap();
        let room = SensorRoom::new(&sim);
        (sim, room)
    });
    let mut off = 0.0_f64;
    for _ in 0..20 {
        let q = random_q(&mut rng, a, 0.6);
        let (v, u) = (rng.vector(a.nv(), 1.0), rng.vector(a.nu(), 1.0));
        let [x, y] = both.each_mut().map(|(sim, room)| {
            let mut data = vec![f64::NAN; a.nsensordata()];
            sim.sensors(room, &q, &v, &u, &mut data).unwrap();
            data
        });
        off = off.max(relative_error(&x, &y));
    }
    off
}

#[test]
fn sensors_come_back() {
    let folder = folder("sensors");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/models/sensors.xml");
    let model = Arc::new(load_file(&path, &LoadOptions::default()).unwrap());
    let (loaded, losses) = again(&model, &folder.join("robot.xml"));
    let loaded = Arc::new(loaded);
    let told = |m: &Model| {
        let of = |s: &Sensor| {
            (
                s.name.clone(),
                s.reading,
                s.index,
                s.cutoff,
                s.field,
                s.address,
            )
        };
        m.sensors().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(told(&model), told(&loaded));
    let kinds: HashSet<_> = (model.sensors().iter())
        .map(|s| format!("{:?}", s.reading))
        .collect();
    assert_eq!(kinds.len(), 30);
    let off = sensors_apart(&model, &loaded);
    assert!(off < 1e-11, "{off:e}");
    assert!(
        said(&losses, "places of sensors become sites"),
        "{losses:?}"
    );
    // Saved again it is the same file, and there is nothing left to say.
    let twice = folder.join("twice.xml");
    let losses = save_file(&loaded, &twice, false).unwrap();
    assert!(!said(&losses, "sensors"), "{losses:?}");
    assert_eq!(
        fs::read(&twice).unwrap(),
        fs::read(folder.join("robot.xml")).unwrap()
    );
    // A URDF has none.
    assert!(said(
        &save_file(&model, &folder.join("robot.urdf"), false).unwrap(),
        "sensors are left out"
    ));
}

#[test]
fn sensors_of_zones_fields_limits_and_of_what_is_left_out() {
    let folder = folder("more-sensors");
    let mut b = ModelBuilder::new("m");
    let ball = Inertia::from_com(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    let body = b.add_body(0, "body", Pose::IDENTITY, ball).unwrap();
    let mut hinge = JointSpec::new("hinge", JointKind::Revolute);
    hinge.limits = Some((-1.0, 1.0));
    b.add_joint(body, hinge).unwrap();
    let at = Pose::translation(Vec3::new(0.1, 0.2, 0.3));
    let mut seen = Vec::new();
    for (name, reading, field, zone) in [
        ("first", Reading::Magnetometer, 0.3, 0.005),
        ("second", Reading::Magnetometer, 0.4, 0.005),
        ("small", Reading::Touch, 0.0, 0.01),
        ("large", Reading::Touch, 0.0, 0.02),
        ("large too", Reading::Touch, 0.0, 0.02),
        ("gyro", Reading::Gyro, 0.0, 0.005),
        ("", Reading::JointLimitForce, 0.0, 0.005),
    ] {
        let mut s = SensorSpec::new(name, reading);
        (s.frame.body, s.frame.placement) = (body, at);
        s.of = "hinge".into();
        s.field = Vec3::new(field, 0.0, 0.0);
        s.zone = Zone {
            shape: ZoneShape::Box,
            size: [zone, 0.02, 0.03],
        };
        seen.push((reading, s.zone));
        b.add_sensor(s).unwrap();
    }
    let (loaded, losses) = again(&b.build().unwrap(), &folder.join("robot.xml"));
    assert!(
        said(&losses, "get the magnetic field of the first") && said(&losses, "become sites"),
        "{losses:?}"
    );
    for (s, (reading, zone)) in loaded.sensors().iter().zip(&seen) {
        assert_eq!(s.reading, *reading);
        assert!(s.reading != Reading::Touch || s.zone == *zone);
        assert!(s.reading != Reading::Magnetometer || s.field == Vec3::new(0.3, 0.0, 0.0));
    }
    assert_eq!(loaded.sensors().len(), seen.len());
    // One site for all sensors without a zone, one for each zone; sensors of the same zone share one.
    assert_eq!(loaded.sites().len(), 3);
}

/// Inertias that no file has given, and rotations that no quaternion has, leave a few roundings.
const ROUNDINGS: f64 = 1e-13;

#[test]
fn random_models_come_back_from_mjcf() {
    let folder = folder("random");
    let trees = (0..40).map(|seed| random_tree(seed, 12));
    let single = KINDS.into_iter().map(|kind| single_joint(7, kind));
    for (k, model) in trees.chain(single).enumerate() {
        let (loaded, losses) = again(&model, &folder.join("robot.xml"));
        let off = apart(&model, &loaded, k as u64);
        assert!(off < ROUNDINGS, "model {k}: {off:e} {losses:?}");
        assert_eq!(model.nbody(), loaded.nbody());
        for (a, b) in model.bodies().iter().zip(loaded.bodies()) {
            assert_eq!((&a.name, a.parent), (&b.name, b.parent));
        }
        let several = model.joints().iter().any(|j| j.link_count > 1);
        assert_eq!(
            several,
            said(&losses, "of one degree of freedom each"),
            "{losses:?}"
        );
    }
}

/// Trees of what a URDF can say.
fn plain(seed: u64) -> Model {
    let tree = random_tree(seed, 10);
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(seed + 100);
    for (id, b) in tree.bodies().iter().enumerate().skip(1) {
        let joints = tree.joints().iter().filter(|j| j.body == id);
        let joints = joints.map(|j| {
            let mut joint = crate::common::random_joint(&mut rng, j.name.clone(), j.kind);
            joint.armature = 0.0;
            joint.stiffness = 0.0;
            joint.reference = 0.0;
            joint
        });
        spec.bodies.push(diffsim::model::spec::BodySpec {
            name: b.name.clone(),
            parent: b.parent,
            placement: b.placement,
            inertia: tree.params().body_inertia[id],
            joints: joints.collect(),
            ..diffsim::model::spec::BodySpec::world()
        });
    }
    Model::compile(spec, Actuation::FromFile).unwrap()
}

#[test]
fn random_models_come_back_from_urdf() {
    let folder = folder("random-urdf");
    for seed in 0..40 {
        let model = plain(seed);
        let (loaded, losses) = again(&model, &folder.join("robot.urdf"));
        let [smooth, steps] = differences(&model, &loaded, seed);
        // Without rotor inertia some mass matrices are nearly singular.
        assert!(
            smooth < ROUNDINGS && steps < 1e-10,
            "seed {seed}: {smooth:e} {steps:e} {losses:?}"
        );
        let ball = model
            .joints()
            .iter()
            .any(|j| j.kind == JointKind::Spherical);
        assert_eq!(ball, said(&losses, "ball joints are no part of the format"));
    }
}

#[test]
fn a_urdf_says_what_it_leaves_out() {
    let folder = folder("losses");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    let model = load_file(&models.join("quadruped.xml"), &LoadOptions::default()).unwrap();
    let (loaded, losses) = again(&model, &folder.join("robot.urdf"));
    assert_eq!(
        (loaded.nq(), loaded.nv(), loaded.nu()),
        (model.nq(), model.nv(), 0)
    );
    for what in [
        "actuators are left out: 12",
        "keyframes are left out: 1",
        "armature",
        "planes",
    ] {
        assert!(said(&losses, what), "{what}: {losses:#?}");
    }
    let strict = save_file(&model, &folder.join("strict.urdf"), true).unwrap_err();
    assert_eq!(strict.status, Status::Unsupported);
    assert!(
        strict.message.contains("actuators are left out"),
        "{strict}"
    );
    assert!(!folder.join("strict.urdf").exists());
    assert_eq!(
        save_file(&model, &folder.join("strict.xml"), true).unwrap(),
        [""; 0]
    );
}

/// All that MJCF can say of a model, once.
const ALL: &str = r#"<mujoco model="a &quot;b&quot; &lt;c&gt; &amp; d">
  <compiler angle="radian"/>
  <option gravity="0.1 -0.2 -9" timestep="0.0025"/>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1  0.1 0.1 0.1000000000000003"/>
    <hfield name="hills" nrow="2" ncol="3" size="1 2 0.3 0.1" elevation="0 1 2 3 1 0.7"/>
  </asset>
  <worldbody>
    <site name="post" pos="0.1 0.2 0.3"/>
    <geom name="floor" type="plane" size="0 3 1" priority="7" friction="0.3"/>
    <geom name="ground" type="hfield" hfield="hills" pos="5 0 0.1" euler="0.1 0.2 0.3"/>
    <body name="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;" pos="0 0 1" euler="1 2 3">
      <freejoint name="fr&#10;ee&#9;"/>
      <inertial pos="0.1 0.01 0.003" mass="1.7" fullinertia="0.03 0.04 0.05 0.001 -0.002 0.0031"/>
      <geom name="a" type="ellipsoid" size="0.1 0.2 0.3" rgba="0.1 0.2 0.3 0.4" margin="0.003" gap="0.002" condim="1"/>
      <geom type="mesh" mesh="wedge" contype="2" conaffinity="6" pos="0.3 0.1 0"/>
      <site name="eye" pos="1 2 3" euler="0.3 0 0"/>
      <site name="eye2" pos="1 2.5 3"/>
      <body name="日本語" pos="0.3 0 0.7" quat="0.3 0.4 -0.2 0.9">
        <joint name="j1" axis="1 2 3" pos="0.1 0.2 0.3" range="-1.1 1.3" damping="0.7" armature="0.01"
          stiffness="3" springref="0.2" ref="0.1" frictionloss="0.05" margin="0.01" actuatorfrcrange="-9 9"/>
        <inertial pos="0 0 0" mass="0.2" diaginertia="0.001 0.002 0.0015"/>
        <geom name="b" type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.02" contype="-1"/>
        <body pos="0 0.1 0">
          <joint name="j2" type="ball" range="0 2" damping="0.1"/>
          <inertial pos="0.2 0.1 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>
          <geom name="c" type="box" size="0.1 0.1 0.1"/>
          <geom type="cylinder" size="0.1 0.2"/>
        </body>
        <body name="slider" gravcomp="0.7">
          <joint name="j3" type="slide" axis="0 1 0" range="-0.5 0.25"/>
          <inertial pos="0.2 0.1 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>
        </body>
      </body>
    </body>
    <body name="guide" mocap="true" pos="1 2 3" quat="0.5 0.5 -0.5 0.5">
      <inertial pos="0 0 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>
      <site name="hold" pos="0.1 0 0"/>
    </body>
    <body name="hollow" mocap="true"/>
  </worldbody>
  <contact>
    <exclude body1="slider" body2="日本語"/>
    <pair geom1="a" geom2="c" friction="0.1 0.2 0.3 0.4 0.5" condim="3" margin="0.002" gap="0.005"/>
  </contact>
  <equality>
    <connect name="loop" body1="slider" body2="日本語" anchor="0.1 0.2 0.3" active="false"/>
    <weld body1="slider" body2="world" relpose="0 1 2 0.5 0.5 0.5 0.5" torquescale="0.3" anchor="0.1 0 0"/>
    <weld name="held" site1="eye2" site2="hold"/>
    <connect site1="hold" site2="eye2" active="false"/>
    <joint joint1="j1" joint2="j3" polycoef="0.1 2 0.3 0 0.5"/>
    <joint joint1="j3" active="false"/>
    <tendon tendon1="cable" tendon2="sum" polycoef="0.1 2 0.3 0 0.5"/>
    <tendon tendon1="sum" active="false"/>
  </equality>
  <tendon>
    <fixed name="sum" stiffness="3" damping="0.2" springlength="0.1 0.3" frictionloss="0.1" range="-1 2" margin="0.01">
      <joint joint="j1" coef="0.5"/><joint joint="j3" coef="-2"/>
    </fixed>
    <spatial name="cable" stiffness="7" springlength="0.2">
      <site site="eye"/><site site="eye2"/><pulley divisor="2.5"/><site site="eye2"/><site site="post"/>
    </spatial>
  </tendon>
  <actuator>
    <motor name="m" joint="j1" gear="3" forcerange="-3 3"/>
    <position name="p" joint="j3" kp="10" kv="0.3" ctrlrange="-0.2 0.3"/>
    <general joint="j2" gear="1 2 3" gainprm="2"/>
    <motor joint="fr&#10;ee&#9;" gear="0 0 0 1 0 3"/>
    <motor name="winch" tendon="cable" gear="-2" ctrlrange="0 9"/>
    <position tendon="sum" kp="5" kv="0.1" forcerange="-3 3"/>
    <general joint="j3" dyntype="filter" dynprm="0.3" actearly="true" actrange="-1 0.5" gaintype="affine" gainprm="1 2 3"/>
    <muscle name="strong" tendon="cable" lengthrange="0.1 0.5" force="30" timeconst="0.02 0.05" tausmooth="0.1" vmax="2"/>
    <intvelocity joint="j3" kp="4" kv="0.2" inheritrange="1"/>
    <general joint="j3" dyntype="filterexact" dynprm="0.3" gaintype="muscle" gainprm="0.7 1.1 8 100 0.4 1.7 1.2 1.3 1.1"
      lengthrange="-1 2" biastype="affine" biasprm="1 2 -3"/>
    <damper joint="j3" kv="2" ctrlrange="0 3"/>
    <adhesion name="sticky" body="日本語" ctrlrange="0 3" gain="7" forcerange="0 20"/>
    <general body="日本語" ctrlrange="0 3" dyntype="filter" dynprm="0.2"/>
  </actuator>
  <keyframe><key name="home" qpos="1 2 3 0.5 0.5 0.5 0.5 0.3 1 0 0 0 0.1" qvel="1 2 3 4 5 6 7 8 9 1 2"
    ctrl="1 2 3 4 5 6 7 8 9 10 11 12 13" act="5 4 3 2 1" mpos="3 2 1 0.1 0.2 0.3" mquat="0.5 0.5 0.5 0.5 1 0 0 0"/></keyframe>
</mujoco>"#;

#[test]
fn all_that_mjcf_says_comes_back() {
    let path = folder("all").join("all.mjcf");
    let model = load_str(ALL, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    assert_eq!(save_file(&model, &path, false).unwrap(), [""; 0]);
    let text = fs::read_to_string(&path).unwrap();
    let read = |text: &str| {
        let mut spec = mjcf::read_str(text, None, &MjcfOptions::default()).unwrap();
        // Lines of the file are others, and the sign of zero is none.
        let blank = |s: &mut String| s.clear();
        spec.bodies.iter_mut().for_each(|b| {
            blank(&mut b.origin);
            b.joints.iter_mut().for_each(|j| blank(&mut j.origin));
        });
        spec.geoms.iter_mut().for_each(|g| blank(&mut g.origin));
        spec.tendons.iter_mut().for_each(|t| blank(&mut t.origin));
        spec.actuators.iter_mut().for_each(|a| blank(&mut a.origin));
        spec.keyframes.iter_mut().for_each(|k| blank(&mut k.origin));
        spec.equalities
            .iter_mut()
            .for_each(|e| blank(&mut e.origin));
        spec.warnings.clear();
        spec
    };
    let (before, after) = (read(ALL), read(&text));
    let lines = |spec: &ModelSpec| -> Vec<String> {
        let lines = format!("{spec:#?}").replace("-0.0,", "0.0,");
        lines.lines().map(str::to_owned).collect()
    };
    let (a, b) = (lines(&before), lines(&after));
    let differ: Vec<_> = a.iter().zip(&b).filter(|(a, b)| a != b).collect();
    assert!(a.len() == b.len() && differ.is_empty(), "{differ:#?}");
}

#[test]
fn names_that_xml_has_not_are_changed_and_said() {
    let mut tree = random_tree(3, 2);
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(1);
    for (k, name) in ["a\u{1}b", "a\u{fffd}b", "\u{1b}"].into_iter().enumerate() {
        let mut body = crate::common::random_body(&mut rng, k + 1, 0, JointKind::Revolute);
        body.name = name.into();
        body.joints[0].anchor = Vec3::ZERO;
        body.joints[0].name = format!("{name}'s");
        spec.bodies.push(body);
    }
    tree = Model::compile(spec, Actuation::FromFile).unwrap_or(tree);
    for file in ["robot.xml", "robot.urdf"] {
        let (loaded, losses) = again(&tree, &folder("names").join(file));
        let names: Vec<&str> = loaded.bodies()[1..].iter().map(|b| &b.name[..]).collect();
        assert_eq!(names, ["a\u{fffd}b_", "a\u{fffd}b", "\u{fffd}"]);
        assert!(
            said(&losses, "body names that are not valid in a file"),
            "{losses:?}"
        );
        assert!(apart(&tree, &loaded, 1) < ROUNDINGS || file == "robot.urdf");
    }
}

/// Bounds of any size come back; what is open is closed far away, and said.
#[test]
fn limits_are_those_of_the_model() {
    let folder = folder("limits");
    let far = (-1e300, 1e300);
    let close = 1e10;
    for (given, read) in [
        (far, far),
        ((0.25, 0.25), (0.25, 0.25)),
        ((-1e12, f64::INFINITY), (-1e12, close)),
    ] {
        let mut spec = ModelSpec::default();
        let mut body = crate::common::random_body(&mut Rng::new(1), 1, 0, JointKind::Prismatic);
        body.joints[0].limits = Some(given);
        body.joints[0].reference = 0.0;
        spec.bodies.push(body);
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        for file in ["robot.xml", "robot.urdf"] {
            let (loaded, losses) = again(&model, &folder.join(file));
            let (lower, upper) = loaded.joints()[0].limits.unwrap();
            // MJCF has no range without room.
            let room = if read.0 == read.1 { 1e-12 } else { 0.0 };
            assert!(
                lower == read.0 && (upper - read.1).abs() <= room,
                "{file}: {lower} {upper}"
            );
            assert_eq!(given != read, said(&losses, "that are open"), "{losses:?}");
        }
    }
}

#[test]
fn files_are_whole_or_as_they_were() {
    let folder = folder("files");
    let model = single_joint(1, JointKind::Revolute);
    let fails = |path: &Path, status: Status, what: &str| {
        let e = save_file(&model, path, false).unwrap_err();
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.contains(what), "{e}");
    };
    fails(
        &folder.join("robot.sdf"),
        Status::Unsupported,
        "expected a file .urdf, .xml or .mjcf",
    );
    fails(
        &folder.join("robot"),
        Status::Unsupported,
        "expected a file",
    );
    fails(
        &folder.join("nowhere/robot.xml"),
        Status::Io,
        "cannot be written",
    );
    fs::create_dir(folder.join("folder.xml")).unwrap();
    fails(&folder.join("folder.xml"), Status::Io, "it is a folder");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // One that is there is replaced, and no other is left.
    fs::write(folder.join("robot.xml"), "old").unwrap();
    save_file(&model, &folder.join("robot.xml"), false).unwrap();
    assert!(
        fs::read_to_string(folder.join("robot.xml"))
            .unwrap()
            .starts_with("<?xml")
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    // The folder of meshes is a file: the description stays as it was, too.
    let model = load_str(ALL, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    fs::write(folder.join("robot.urdf"), "old").unwrap();
    fs::write(folder.join("robot_meshes"), "a file").unwrap();
    let e = save_file(&model, &folder.join("robot.urdf"), false).unwrap_err();
    assert_eq!(e.status, Status::Io);
    assert_eq!(
        fs::read_to_string(folder.join("robot.urdf")).unwrap(),
        "old"
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
}

/// Robots of packages: those that come back with the bits of their M and bias, and those whose rotations or
/// inertias MJCF says in other numbers.
#[test]
fn robots_of_packages_come_back() {
    let gymnasium = [
        "ant",
        "half_cheetah",
        "hopper",
        "humanoid",
        "pusher",
        "reacher",
        "swimmer",
        "walker2d",
    ];
    let exact = [
        "a1_description/urdf/a1",
        "go2_description/urdf/go2",
        "talos_data/robots/talos_left_arm",
    ];
    let close = [
        "ur_description/urdf/ur5_robot",
        "panda_description/urdf/panda",
        "allegro_hand_description/urdf/allegro_left_hand",
        "kinova_description/robots/kinova",
        "tiago_description/robots/tiago_dual",
    ];
    let mjcf = gymnasium.map(|name| ((From::Gymnasium, format!("{name}.xml")), true));
    let urdf = |name: &str| (From::ExampleRobotData, format!("{name}.urdf"));
    let exact = exact.map(|name| (urdf(name), true));
    let close = close.map(|name| (urdf(name), false));
    let folder = folder("robots");
    for ((from, file), bits) in mjcf.into_iter().chain(exact).chain(close) {
        let Some(path) = find((from, &file)) else {
            continue;
        };
        let options = LoadOptions {
            mesh_dirs: mesh_dirs(),
            mimic: Mimic::Couple,
            open_mesh: OpenMesh::Hull,
            missing_mesh: MissingMesh::Skip,
            ..LoadOptions::default()
        };
        let model = load_file(&path, &options).unwrap();
        for to in ["robot.xml", "robot.urdf"] {
            if to == "robot.urdf" && file.ends_with("xml") {
                continue;
            }
            let (loaded, losses) = again(&model, &folder.join(to));
            let [smooth, steps] = differences(&model, &loaded, 1);
            let least = said(&losses, "get the nearest physical ones");
            let bound = if bits { 0.0 } else { 1e-12 };
            assert!(
                smooth <= bound || least && smooth < 1e-2,
                "{file} {to}: {smooth:e} {losses:#?}"
            );
            assert!(!bits || steps == 0.0, "{file} {to}: {steps:e}");
        }
    }
}
