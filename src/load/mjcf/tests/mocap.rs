//! Mocap bodies, and equalities between sites.

use super::{assert_axes, assert_near, assert_vec, failure, model};
use crate::error::Status;
use crate::model::spec::{EqualityKind, JointKind};
use crate::model::{Actuation, Model};

const TELEOPERATION: &str = r#"<worldbody>
    <body name="hand" pos="0 0 1"><joint name="target" type="slide"/><geom size="0.1" mass="1"/></body>
    <frame pos="1 0 0"><body name="target" mocap="true" pos="0 2 0" quat="0 0 0 2">
      <site name="t"/><body name="tip" pos="0 0 3"/></body></frame>
    <body name="loose"><freejoint/><geom size="0.1" mass="1"/></body>
    <body name="heavy" mocap="true"><geom size="0.1" mass="2"/></body>
  </worldbody><keyframe>
    <key name="plain"/>
    <key name="full" qpos="0.5 1 2 3 1 0 0 0" mpos="7 8 9 10 11 12" mquat="0 1 0 0 0 0 1 0" qvel="1 2 3 4 5 6 7"/>
    <key name="half" mpos="7 8 9 10 11 12"/>
  </keyframe>"#;

#[test]
fn mocap_bodies_have_free_joints() {
    let m = model(TELEOPERATION);
    let body = |name: &str| m.bodies.iter().find(|b| b.name == name).unwrap();
    let (target, heavy) = (body("target"), body("heavy"));
    assert!(target.mocap && heavy.mocap && !body("hand").mocap && !body("tip").mocap);
    assert_vec(target.placement.pos, [1.0, 2.0, 0.0]);
    for b in [target, heavy] {
        assert!(matches!(b.joints[..], [ref j] if j.kind == JointKind::Free));
    }
    // The joint has the name of the body, unless a joint of the file has it.
    assert_eq!(target.joints[0].name, "target_mocap");
    assert_eq!(heavy.joints[0].name, "heavy");
    // A body without mass gets armature, so that its motion may stop being prescribed.
    assert_eq!([target, heavy].map(|b| b.joints[0].armature), [1.0, 0.0]);
    assert!(m.warnings.is_empty(), "{:?}", m.warnings);
}

#[test]
fn keyframes_place_them() {
    let model = Model::compile(model(TELEOPERATION), Actuation::FromFile).unwrap();
    assert_eq!((model.nq(), model.nv()), (22, 19));
    let neutral = model.neutral();
    let key = |name: &str| model.keyframe(name).unwrap();
    assert_eq!(key("plain").q, neutral);
    // hand; target; loose; heavy.
    let full = [
        0.5, 7.0, 8.0, 9.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 10.0, 11.0,
        12.0, 0.0, 1.0, 0.0, 0.0,
    ];
    assert_eq!(key("full").q, full);
    let rest = [0.0; 6];
    assert_eq!(
        key("full").v,
        [&[1.0], &rest[..], &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &rest].concat()
    );
    let half = &key("half").q;
    assert_eq!([&half[1..4], &half[15..18]], [&full[1..4], &full[15..18]]);
    assert_eq!(
        [&half[..1], &half[4..15], &half[18..]],
        [&neutral[..1], &neutral[4..15], &neutral[18..]]
    );
    assert_near(neutral[6].abs(), 1.0);
    // MuJoCo's coordinates come first, then the mocap bodies.
    let mut qpos = vec![0.0; 22];
    model.q_to_mujoco(&full, &mut qpos);
    let wanted = [
        0.5, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0, 0.0, 1.0, 0.0, 0.0, 10.0, 11.0,
        12.0, 0.0, 0.0, 1.0, 0.0,
    ];
    assert_eq!(qpos, wanted);
    let mut back = vec![0.0; 22];
    model.q_from_mujoco(&qpos, &mut back);
    assert_eq!(back, full);
    let v: Vec<f64> = (0..19).map(f64::from).collect();
    let (mut qvel, mut again) = (vec![0.0; 19], vec![0.0; 19]);
    model.v_to_mujoco(&full, &v, &mut qvel);
    // Half a turn about x, and one about y.
    let wanted = [
        0.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 1.0, -2.0, -3.0, 4.0, 5.0, 6.0, -13.0, 14.0, -15.0,
        16.0, 17.0, 18.0,
    ];
    assert_eq!(qvel, wanted);
    model.v_from_mujoco(&full, &qvel, &mut again);
    assert_eq!(again, v);
}

/// As in MuJoCo 4.0: quaternions are normalized, and those of zeros are the identity.
#[test]
fn quaternions_of_keyframes() {
    let spec = model(
        r#"<worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body>
        <body><joint type="ball"/><geom size="0.1"/></body>
        <body name="mocap" mocap="true" pos="1 2 3" quat="1 1 0 0"/></worldbody><keyframe>
        <key name="long" qpos="0 0 0.5 3 0 4 0 0 0 0 0" mquat="0 3 0 0"/>
        <key name="zero" qpos="0 0 0.5 0 0 0 0 0 2 0 0" mpos="0 0 0" mquat="0 0 0 0"/></keyframe>"#,
    );
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    // (x y z w).
    let long = [
        0.0, 0.0, 0.5, 0.0, 0.8, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0,
    ];
    let zero = [
        0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    for (name, expected) in [("long", long), ("zero", zero)] {
        let q = &model.keyframe(name).unwrap().q;
        for (x, y) in q.iter().zip(&expected) {
            assert!((x - y).abs() < 1e-15, "{name}: {q:?}");
        }
    }
    // Seven zeros, for mocap bodies which MuJoCo's qpos does not contain, stand for the pose of the
    // file.
    let mut q = vec![f64::NAN; 18];
    let qpos: Vec<f64> = (0..18).map(|i| f64::from(u8::from(i < 11))).collect();
    model.q_from_mujoco(&qpos, &mut q);
    assert_eq!(q[11..], model.neutral()[11..]);
    assert_eq!(q[3..7], [0.5; 4]);
    // A unit quaternion keeps its bits; others are normalized.
    let mut again = vec![0.0; 18];
    model.q_to_mujoco(&q, &mut again);
    let mut same = vec![0.0; 18];
    model.q_from_mujoco(&again, &mut same);
    assert_eq!(same, q);
    for scale in [1e-300, 1e-16, 1e-3, 1e300] {
        again[3..7].copy_from_slice(&[0.0, scale, 0.0, scale]);
        model.q_from_mujoco(&again, &mut q);
        let expected = match scale < 1e-15 {
            true => [0.0, 0.0, 0.0, 1.0],
            false => [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0],
        };
        for (x, y) in q[3..7].iter().zip(&expected) {
            assert!((x - y).abs() < 1e-15, "{scale}: {q:?}");
        }
    }
}

#[test]
fn mocap_bodies_that_are_none() {
    for (inside, expected) in [
        (
            "<body><joint/><body mocap=\"true\"/></body>",
            "child of the world",
        ),
        ("<body mocap=\"true\"><joint/></body>", "cannot have joints"),
        (
            "<body mocap=\"true\"><freejoint/></body>",
            "cannot have joints",
        ),
        ("<body mocap=\"yes\"/>", "mocap"),
    ] {
        let e = failure(&format!("<worldbody>{inside}</worldbody>"));
        assert_eq!(e.status, Status::Parse, "{e}");
        assert!(
            e.message.contains("line 2") && e.message.contains(expected),
            "{e}"
        );
    }
    let e = failure(
        "<worldbody><body mocap=\"true\"/></worldbody><keyframe><key mpos=\"1 2\"/></keyframe>",
    );
    assert!(
        e.message.contains("mpos: expected 3 numbers, found 2"),
        "{e}"
    );
}

#[test]
fn sites_that_are_held_together() {
    let bodies = "<worldbody><site name=\"w\" pos=\"1 2 3\"/><body name=\"a\"><freejoint/><geom size=\"1\"/>\
        <site name=\"s\" pos=\"4 5 6\" zaxis=\"1 0 0\"/></body></worldbody>";
    let with = |equality: &str| format!("{bodies}<equality>{equality}</equality>");
    let m = model(&with(
        "<connect site1=\"w\" site2=\"s\"/><weld name=\"n\" site1=\"s\" site2=\"w\" torquescale=\"3\"/>",
    ));
    let kinds: Vec<&EqualityKind> = m.equalities.iter().map(|e| &e.kind).collect();
    let [
        EqualityKind::Weld {
            body1: 0,
            body2: 1,
            anchor,
            relative: Some(point),
            torque_scale: 0.0,
        },
        EqualityKind::Weld {
            body1: 1,
            body2: 0,
            anchor: other,
            relative: Some(pose),
            torque_scale: 3.0,
        },
    ] = kinds[..]
    else {
        panic!("{kinds:?}")
    };
    assert_vec(*anchor, [4.0, 5.0, 6.0]);
    assert_vec(point.pos, [1.0, 2.0, 3.0]);
    assert_vec(*other, [1.0, 2.0, 3.0]);
    assert_vec(pose.pos, [4.0, 5.0, 6.0]);
    assert_axes(&pose.rot, [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]);
    assert_eq!(m.equalities[1].name, "n");
    for (equality, expected) in [
        ("<connect site1=\"w\"/>", "site2"),
        ("<weld site1=\"w\" site2=\"nobody\"/>", "nobody"),
        (
            "<weld site1=\"w\" site2=\"s\" body1=\"a\"/>",
            "body1 beside sites",
        ),
        (
            "<connect site1=\"w\" site2=\"s\" anchor=\"0 0 0\"/>",
            "anchor beside sites",
        ),
    ] {
        let e = failure(&with(equality));
        assert_eq!(e.status, Status::Parse, "{e}");
        assert!(e.message.contains(expected), "{e}");
    }
}
