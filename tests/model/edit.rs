//! Models taken apart into a builder, changed, and built again.

use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{ActuatorSpec, GeomSpec, JointKind, JointSpec, ShapeSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};
use diffsim::step::{Options, Sim, StepJacobians};
use std::sync::Arc;

/// Steps from a state somewhat off the first keyframe or the neutral one, with a Jacobian: all bits.
fn bits(model: &Model) -> Vec<u64> {
    let options = Options {
        max_contacts: 400,
        ..Options::default()
    };
    let mut sim = Sim::new(Arc::new(model.clone()), &options).unwrap();
    let start = model.keyframes().first().map_or(model.neutral(), |k| &k.q);
    let (nv, nu) = (model.nv(), model.nu());
    let wave = |n: usize, s: f64| {
        (0..n)
            .map(|i| s * (0.7 + i as f64).sin())
            .collect::<Vec<_>>()
    };
    let mut q = start.to_vec();
    model.integrate(start, &wave(nv, 0.05), &mut q);
    let (mut v, u) = (wave(nv, 0.3), wave(nu, 1.0));
    let mut all = Vec::new();
    for _ in 0..5 {
        let (mut q_next, mut v_next) = (vec![0.0; q.len()], vec![0.0; nv]);
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        (q, v) = (q_next, v_next);
        all.extend(q.iter().chain(&v).map(|x| x.to_bits()));
    }
    let mut dv_dq = vec![0.0; nv * nv];
    let jacobians = StepJacobians {
        dv_dq: Some(&mut dv_dq),
        ..StepJacobians::default()
    };
    sim.step_jacobians(jacobians).unwrap();
    all.extend(dv_dq.iter().map(|x| x.to_bits()));
    all
}

fn names(model: &Model) -> Vec<Vec<String>> {
    vec![
        model.bodies().iter().map(|x| x.name.clone()).collect(),
        model.joints().iter().map(|x| x.name.clone()).collect(),
        model.geoms().iter().map(|x| x.name.clone()).collect(),
        model.sites().iter().map(|x| x.name.clone()).collect(),
        model.actuators().iter().map(|x| x.name.clone()).collect(),
        model.tendons().iter().map(|x| x.name.clone()).collect(),
        model.keyframes().iter().map(|x| format!("{x:?}")).collect(),
        model
            .chosen_pairs()
            .iter()
            .map(|x| format!("{x:?}"))
            .collect(),
        model.excludes().iter().map(|x| format!("{x:?}")).collect(),
    ]
}

fn same(a: &Model, b: &Model, who: &str) {
    assert_eq!(names(a), names(b), "{who}");
    let (mut x, mut y) = (a.warnings().to_vec(), b.warnings().to_vec());
    x.sort();
    y.sort();
    assert_eq!(x, y, "{who}");
    assert_eq!(a.time_step(), b.time_step(), "{who}");
    assert_eq!(bits(a), bits(b), "{who}");
}

fn examples() -> impl Iterator<Item = std::path::PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/models");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|p| p.extension().is_some_and(|e| e == "urdf" || e == "xml"))
}

#[test]
fn what_is_taken_apart_and_built_again_is_the_same_to_the_bit() {
    let mut count = 0;
    for path in examples() {
        for actuation in [Actuation::FromFile, Actuation::Full, Actuation::Joints] {
            let options = LoadOptions {
                actuation,
                effort_limits: true,
                exclude_overlapping: true,
                ..LoadOptions::default()
            };
            let model = load_file(&path, &options).unwrap();
            let joint = model.joints().iter().find(|j| j.nv == 1).unwrap();
            let motor = ActuatorSpec::new("more", Transmission::Joint(joint.name.clone()));
            let model = model.with_actuators(&[motor]).unwrap();
            let model = match model.ngeom() {
                n if n > 4 => model.with_pairs(&[[n - 1, n - 3]], false).unwrap(),
                _ => model,
            };
            let builder = ModelBuilder::from_model(&model).unwrap();
            let again = builder.build().unwrap();
            same(&model, &again, &format!("{} {actuation:?}", path.display()));
            // And once more, of what was built.
            let twice = ModelBuilder::from_model(&again).unwrap().build().unwrap();
            same(&model, &twice, "twice");
            count += 1;
        }
    }
    assert!(count >= 24, "{count}");
}

const ARM: &str = r#"<mujoco><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.2"/>
    <geom name="bone" type="capsule" size="0.04 0.2"/>
    <body name="lower" pos="0 0 -0.5"><joint name="elbow" axis="0 1 0" range="-2 2" limited="true"/>
      <geom name="shin" type="capsule" size="0.03 0.2"/></body></body></worldbody>
  <actuator><motor name="m1" joint="shoulder"/><position name="m2" joint="elbow" kp="10"/></actuator>
  <keyframe><key name="bent" qpos="0.3 -0.7" qvel="0.1 0.2" ctrl="1 2"/></keyframe></mujoco>"#;

const HAND: &str = r#"<mujoco><worldbody>
  <geom name="palm" type="box" size="0.05 0.02 0.05" mass="0"/>
  <site name="wrist" pos="0.1 0 0"/>
  <body name="thumb" pos="0.05 0 0"><joint name="j" axis="1 0 0"/><geom name="g" size="0.02" pos="0 0 -0.05"/>
    <site name="tip" pos="0 0 -0.07"/></body>
  <body name="finger" pos="-0.05 0 0"><joint name="k" axis="1 0 0"/><geom name="h" size="0.02" pos="0 0 -0.05"/></body>
  </worldbody><tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="-1"/></fixed>
  <spatial name="s" stiffness="5"><site site="wrist"/><site site="tip"/></spatial></tendon>
  <actuator><motor name="grip" tendon="t"/></actuator>
  <equality><joint joint1="j" joint2="k"/></equality>
  <keyframe><key name="open" qpos="0.4 0.4" ctrl="3"/></keyframe></mujoco>"#;

fn mjcf(text: &str, options: &LoadOptions) -> Model {
    load_str(text, Format::Mjcf, None, options).unwrap()
}

fn plain(text: &str) -> Model {
    mjcf(text, &LoadOptions::default())
}

#[test]
fn a_hand_comes_to_an_arm_with_all_that_it_has() {
    let (arm, hand) = (plain(ARM), plain(HAND));
    let mut b = ModelBuilder::from_model(&arm).unwrap();
    let lower = b.body_id("lower").unwrap();
    let turn = Mat3::from_columns(Vec3::Y, -Vec3::X, Vec3::Z);
    let at = Pose::new(turn, Vec3::new(0.0, 0.0, -0.3));
    for prefix in ["left_", "right_"] {
        b.attach(lower, at, &hand, prefix).unwrap();
    }
    let made = b.build().unwrap();
    let id = |name: &str| made.body_id(name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!((made.nv(), made.nu(), made.nbody()), (6, 4, 7));
    assert_eq!(made.bodies()[id("left_thumb")].parent, id("lower"));
    let palm = &made.geoms()[made.geom_id("right_palm").unwrap()];
    assert_eq!((palm.body, palm.placement), (id("lower"), at));
    let thumb = made.bodies()[id("left_thumb")].placement.pos;
    assert!((thumb - at.point(Vec3::new(0.05, 0.0, 0.0))).norm() < 1e-15);
    let mass = |m: &Model| m.params().body_inertia.iter().map(|i| i.mass).sum::<f64>();
    assert!((mass(&made) - mass(&arm) - 2.0 * mass(&hand)).abs() < 1e-12);
    let inputs: Vec<_> = made.actuators().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(inputs, ["m1", "m2", "left_grip", "right_grip"]);
    // Tendons keep their lengths, whatever they hang on.
    assert_eq!(made.tendon_id("right_s"), Some(3));
    assert_eq!(made.tendons()[3].rest, hand.tendons()[1].rest);
    // The arm's keyframe has the hands at neutral, that of a hand the arm.
    let bent = made.keyframe("bent").unwrap();
    assert_eq!(bent.q, [0.3, -0.7, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(bent.u, [1.0, 2.0, 0.0, 0.0]);
    let open = made.keyframe("right_open").unwrap();
    assert_eq!(open.q, [0.0, 0.0, 0.0, 0.0, 0.4, 0.4]);
    assert_eq!(open.u, [0.0, 0.0, 0.0, 3.0]);
    bits(&made);
    // A name that is there already changes nothing.
    let before = format!("{b:?}");
    let error = b.attach(lower, at, &hand, "left_").unwrap_err();
    assert!(error.message.contains("left_thumb"), "{error}");
    assert_eq!(format!("{b:?}"), before);
    // Inputs on all dofs go with those of a robot that has them, and are made of another's otherwise.
    let full = LoadOptions {
        actuation: Actuation::Full,
        ..LoadOptions::default()
    };
    let mut all = ModelBuilder::from_model(&mjcf(ARM, &full)).unwrap();
    all.attach(lower, at, &hand, "x_").unwrap();
    assert_eq!(all.build().unwrap().nu(), 4);
    let mut some = ModelBuilder::from_model(&arm).unwrap();
    some.attach(lower, at, &mjcf(HAND, &full), "x_").unwrap();
    let made = some.build().unwrap();
    assert_eq!(made.nu(), 4);
    assert_eq!(made.actuators()[3].name, "x_k");
}

#[test]
fn a_second_robot_and_an_obstacle_come_to_a_scene() {
    let robot = |x: f64| {
        let text = format!(
            r#"<mujoco><worldbody><body name="ball" pos="{x} 0 0.5"><freejoint name="root"/><geom name="skin" size="0.1"/></body>
            </worldbody><keyframe><key name="up" qpos="0 0 2 1 0 0 0"/></keyframe></mujoco>"#
        );
        plain(&text)
    };
    let ground =
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/></worldbody></mujoco>"#;
    let mut b = ModelBuilder::from_model(&plain(ground)).unwrap();
    let shift = Pose::translation(Vec3::new(3.0, 0.0, 0.0));
    b.attach(0, Pose::IDENTITY, &robot(0.0), "a/").unwrap();
    b.attach(0, shift, &robot(0.0), "b/").unwrap();
    let block = ShapeSpec::Box {
        half_extents: Vec3::new(0.3, 0.3, 0.1),
    };
    b.add_geom(GeomSpec::new("block", 0, Pose::IDENTITY, block))
        .unwrap();
    let model = b.build().unwrap();
    assert_eq!(&model.neutral()[7..10], [3.0, 0.0, 0.5]);
    assert_eq!(&model.keyframe("b/up").unwrap().q[7..10], [3.0, 0.0, 2.0]);
    assert_eq!(&model.keyframe("b/up").unwrap().q[..3], [0.0, 0.0, 0.5]);
    let mut sim = Sim::new(Arc::new(model.clone()), &Options::default()).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for _ in 0..2000 {
        let (mut x, mut y) = (q.clone(), v.clone());
        sim.step(&q, &v, &[], &mut x, &mut y).unwrap();
        (q, v) = (x, y);
    }
    // One lies on the block, the other one on the floor.
    assert!(
        (q[2] - 0.2).abs() < 1e-6 && (q[9] - 0.1).abs() < 1e-6,
        "{q:?}"
    );
    // A robot that floats hangs on the world only.
    let arm = plain(ARM);
    let mut c = ModelBuilder::from_model(&arm).unwrap();
    let error = c.attach(1, shift, &robot(0.0), "").unwrap_err();
    assert!(error.message.contains("fixed base"), "{error}");
    // Without the block it falls to the floor.
    let block = b.geom_id("block").unwrap();
    b.remove_geom(block).unwrap();
    assert_eq!(b.build().unwrap().ngeom(), 3);
    assert!(
        b.remove_geom(3)
            .unwrap_err()
            .message
            .contains("there are 3")
    );
}

#[test]
fn friction_that_a_file_leaves_at_zero_can_be_given_and_derived_by() {
    let arm = plain(ARM);
    let param = Param {
        kind: ParamKind::JointFriction,
        index: 0,
        component: 0,
    };
    let mut refused = Sim::new(Arc::new(arm.clone()), &Options::default()).unwrap();
    refused.select_params(&[param]).unwrap_err();
    let mut b = ModelBuilder::from_model(&arm).unwrap();
    let id = b.joint_id("shoulder").unwrap();
    let mut joint = b.joint(id).unwrap().clone();
    (joint.friction_loss, joint.armature) = (0.05, 0.01);
    b.set_joint(id, joint.clone()).unwrap();
    let model = b.build().unwrap();
    assert_eq!(model.keyframe("bent").unwrap().q, [0.3, -0.7]);
    let mut sim = Sim::new(Arc::new(model.clone()), &Options::default()).unwrap();
    sim.select_params(&[param]).unwrap();
    let key = model.keyframe("bent").unwrap();
    let mut speed = |friction: f64| {
        sim.set_params(&[friction]).unwrap();
        let (mut q, mut v) = (vec![0.0; 2], vec![0.0; 2]);
        sim.reset();
        sim.step(&key.q, &key.v, &key.u, &mut q, &mut v).unwrap();
        let mut by = vec![0.0; 2];
        let jacobians = StepJacobians {
            dv_dp: Some(&mut by),
            ..StepJacobians::default()
        };
        sim.step_jacobians(jacobians).unwrap();
        (v[0], by[0])
    };
    let (up, down, here) = (speed(0.06).0, speed(0.04).0, speed(0.05).1);
    let slope = (up - down) / 0.02;
    assert!(
        here.abs() > 1e-4 && (here - slope).abs() < 1e-9 * here.abs(),
        "{here} {slope}"
    );
    // What no joint has, and another kind.
    joint.damping = -1.0;
    assert!(
        b.set_joint(id, joint.clone())
            .unwrap_err()
            .message
            .contains("damping")
    );
    let slider = JointSpec::new("shoulder", JointKind::Prismatic);
    assert!(
        b.set_joint(id, slider)
            .unwrap_err()
            .message
            .contains("kind")
    );
    let inertia = Inertia::from_com(3.0, Vec3::ZERO, Sym3::new(0.1, 0.0, 0.1, 0.0, 0.0, 0.1));
    b.set_body(1, Pose::IDENTITY, inertia, 0.0).unwrap();
    assert_eq!(b.build().unwrap().params().body_inertia[1], inertia);
    b.set_body(0, Pose::IDENTITY, inertia, 0.0).unwrap_err();
}
