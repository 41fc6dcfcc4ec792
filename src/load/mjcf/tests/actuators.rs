//! Actuators, keyframes, contact and equality elements, height fields.

use super::*;
use crate::model::spec::{EqualityKind, ShapeSpec};
use crate::model::tendon::Transmission;
use crate::model::{Actuation, Model};

/// A model with a hinge "h" (±1 rad), a slide "s", a ball "b" and a free joint "f".
fn with_joints(inside: &str) -> String {
    format!(
        "<compiler angle=\"radian\"/><worldbody><body name=\"A\"><joint name=\"h\" \
         range=\"-1 1\"/><joint name=\"s\" type=\"slide\" actuatorfrcrange=\"-6 4\"/>\
         <geom name=\"g\" size=\"1\"/></body><body name=\"B\"><joint name=\"b\" type=\"ball\"/>\
         <geom name=\"k\" size=\"1\"/></body><body name=\"C\"><freejoint name=\"f\"/></body>\
         </worldbody>{inside}"
    )
}

#[test]
fn kinds_of_actuators() {
    let m = model(&with_joints(
        "<actuator><motor name=\"m\" joint=\"h\" gear=\"3\" ctrlrange=\"-1 2\" \
         forcerange=\"-5 6\"/><position name=\"p\" joint=\"h\" kp=\"7\" kv=\"2\"/>\
         <velocity joint=\"h\" kv=\"4\"/><general joint=\"h\" gainprm=\"3\" biastype=\"affine\" \
         biasprm=\"1 2 -3\"/><general joint=\"h\" biasprm=\"1 2 -3\"/>\
         <position joint=\"h\" inheritrange=\".5\"/><motor joint=\"b\" gear=\"1 2 3\"/>\
         <motor joint=\"f\" gear=\"0 0 0 1 2 3\"/></actuator>",
    ));
    let laws: Vec<(f64, [f64; 3])> = m.actuators.iter().map(|a| (a.gain, a.bias)).collect();
    assert_eq!(
        laws[..6],
        [
            (1.0, [0.0, 0.0, 0.0]),
            (7.0, [0.0, -7.0, -2.0]),
            (4.0, [0.0, 0.0, -4.0]),
            (3.0, [1.0, 2.0, -3.0]),
            (1.0, [0.0, 0.0, 0.0]),
            (1.0, [0.0, -1.0, 0.0]),
        ]
    );
    let motor = &m.actuators[0];
    assert_eq!(
        (motor.name.as_str(), &motor.transmission, motor.gear[0]),
        ("m", &Transmission::Joint("h".into()), 3.0)
    );
    assert_eq!(motor.control_range, Some((-1.0, 2.0)));
    assert_eq!(motor.force_range, Some((-5.0, 6.0)));
    assert_eq!(m.actuators[1].control_range, None);
    assert_eq!(m.actuators[5].control_range, Some((-0.5, 0.5)));
    assert_eq!(m.actuators[6].gear, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(m.actuators[7].gear, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn one_default_serves_all_shortcuts() {
    let m = model(&with_joints(
        "<default><position kp=\"7\" kv=\"1\"/><general ctrllimited=\"true\" ctrlrange=\"-2 2\"/>\
         </default><actuator><motor joint=\"h\"/><position joint=\"h\"/><general joint=\"h\"/>\
         </actuator>",
    ));
    let laws: Vec<(f64, [f64; 3])> = m.actuators.iter().map(|a| (a.gain, a.bias)).collect();
    let servo = (7.0, [0.0, -7.0, -1.0]);
    assert_eq!(laws, [(1.0, [0.0; 3]), servo, servo]);
    assert!(
        m.actuators
            .iter()
            .all(|a| a.control_range == Some((-2.0, 2.0)))
    );
}

/// As MuJoCo 4.0 compiles them: classes from the outermost to the innermost, with one element in each,
/// then the actuator.
#[test]
fn shortcuts_in_nested_classes() {
    for (classes, element, gain, bias) in [
        // A kind keeps its numbers across classes of other kinds.
        (
            &["position kp=\"30\"", "velocity kv=\"3\""][..],
            "position",
            30.0,
            [0.0, -30.0, 0.0],
        ),
        (
            &["position kp=\"30\" kv=\"2\"", "motor"],
            "position",
            30.0,
            [0.0, -30.0, -2.0],
        ),
        (
            &["velocity kv=\"3\"", "position kp=\"30\"", "motor"],
            "velocity",
            3.0,
            [0.0, 0.0, -3.0],
        ),
        (
            &["position kp=\"30\"", "velocity kv=\"3\""],
            "intvelocity",
            1.0,
            [0.0, -1.0, 0.0],
        ),
        // <general> starts from the element before it, and all kinds start from it afterwards.
        (
            &["position kp=\"30\"", "velocity kv=\"3\""],
            "general",
            3.0,
            [0.0, 0.0, -3.0],
        ),
        (
            &["position kp=\"30\" kv=\"2\"", "general gainprm=\"7\""],
            "position",
            7.0,
            [0.0, -7.0, -2.0],
        ),
        (
            &["position kp=\"30\"", "general gear=\"2\""],
            "velocity",
            30.0,
            [0.0, 0.0, -30.0],
        ),
        (
            &["general gainprm=\"7\"", "velocity kv=\"3\""],
            "position",
            7.0,
            [0.0, -7.0, 0.0],
        ),
        // Kinds with another kind of gain do not start from it.
        (
            &[
                "position kp=\"30\"",
                "general gaintype=\"affine\" gainprm=\"7 8 9\"",
            ],
            "position",
            30.0,
            [0.0, -30.0, 0.0],
        ),
        (
            &["general gaintype=\"affine\" gainprm=\"7 8 9\""],
            "position",
            1.0,
            [0.0, -1.0, 0.0],
        ),
        (
            &["cylinder area=\"11\" bias=\"1 2 3\"", "position kp=\"30\""],
            "cylinder",
            11.0,
            [1.0, 2.0, 3.0],
        ),
    ] {
        let last = classes.len() - 1;
        let opened = classes.iter().enumerate();
        let opened: String = opened
            .map(|(i, class)| format!("<default class=\"c{i}\"><{class}/>"))
            .collect();
        let m = model(&with_joints(&format!(
            "<default>{opened}{}</default><actuator><{element} joint=\"h\" class=\"c{last}\"/></actuator>",
            "</default>".repeat(classes.len()),
        )));
        let a = &m.actuators[0];
        assert_eq!((a.gain, a.bias), (gain, bias), "{classes:?} {element}");
    }
}

/// As MuJoCo 4.0 compiles them.
#[test]
fn shortcuts_over_defaults_of_other_shortcuts() {
    for (default, element, gain, bias) in [
        (
            "position kp=\"7\" kv=\"3\"",
            "velocity",
            1.0,
            [0.0, 0.0, -1.0],
        ),
        ("velocity kv=\"5\"", "velocity", 5.0, [0.0, 0.0, -5.0]),
        ("velocity kv=\"5\"", "position", 1.0, [0.0, -1.0, 0.0]),
        ("velocity kv=\"5\"", "motor", 1.0, [0.0, 0.0, 0.0]),
        ("general gainprm=\"5\"", "velocity", 5.0, [0.0, 0.0, -5.0]),
        (
            "general gainprm=\"5\" biastype=\"affine\" biasprm=\"1 2 -3\"",
            "position",
            5.0,
            [0.0, -5.0, -3.0],
        ),
    ] {
        let m = model(&with_joints(&format!(
            "<default><{default}/></default><actuator><{element} joint=\"h\"/></actuator>"
        )));
        let a = &m.actuators[0];
        assert_eq!((a.gain, a.bias), (gain, bias), "{default} {element}");
    }
    let range = |default: &str, element: &str| {
        let m = model(&with_joints(&format!(
            "<default><position {default}/></default><actuator><{element} joint=\"h\"/></actuator>"
        )));
        m.actuators[0].control_range
    };
    let half = "inheritrange=\".5\"";
    assert_eq!(range(half, "position"), Some((-0.5, 0.5)));
    assert_eq!(
        range(half, "position ctrlrange=\"-2 2\""),
        Some((-2.0, 2.0))
    );
    assert_eq!(range(half, "motor"), None);
    assert_eq!(
        range("ctrlrange=\"-2 2\"", "position inheritrange=\"1\""),
        Some((-1.0, 1.0))
    );
}

#[test]
fn a_joints_force_range_bounds_its_actuator() {
    let force_range = |attributes: &str| {
        let m = model(&with_joints(&format!(
            "<actuator><motor joint=\"s\" {attributes}/></actuator>"
        )));
        m.actuators[0].force_range
    };
    assert_eq!(force_range("gear=\"2\""), Some((-3.0, 2.0)));
    assert_eq!(force_range("gear=\"-2\""), Some((-2.0, 3.0)));
    assert_eq!(force_range("forcerange=\"-1 9\""), Some((-1.0, 4.0)));
    // Disjoint ranges leave the nearest bound.
    assert_eq!(force_range("forcerange=\"8 9\""), Some((4.0, 4.0)));
}

/// As in MuJoCo: the inertia and the damping of a motor count by the gear squared at its joint.
#[test]
fn inertia_and_damping_of_motors_are_those_of_their_joints() {
    let m = model(&with_joints(
        "<default><motor armature=\"0.5\"/></default><actuator><motor joint=\"h\" gear=\"3\" damping=\"0.25\"/>\
         <motor joint=\"h\" armature=\"2\"/><position joint=\"s\" damping=\"4\" gear=\"-0.5\"/></actuator>",
    ));
    let joints = &m.bodies[1].joints;
    let of = |i: usize| (joints[i].armature, joints[i].damping);
    assert_eq!(of(0), (9.0 * 0.5 + 2.0, 9.0 * 0.25));
    // All kinds share the class.
    assert_eq!(of(1), (0.25 * 0.5, 0.25 * 4.0));
    let free = "<option><flag damper=\"disable\"/></option>".to_owned()
        + &with_joints("<actuator><motor joint=\"h\" damping=\"1\" armature=\"1\"/></actuator>");
    let joint = model(&free).bodies[1].joints[0].clone();
    assert_eq!((joint.armature, joint.damping), (1.0, 0.0));
    for (actuator, word) in [
        ("<motor joint=\"b\" armature=\"1\"/>", "ball or free joint"),
        ("<motor site=\"t\" damping=\"1\"/>", "acts on no joint"),
        (
            "<motor joint=\"h\" armature=\"-1\"/>",
            "armature: expected a number ≥ 0",
        ),
    ] {
        let text = with_joints(&format!("<actuator>{actuator}</actuator>")).replace(
            "<freejoint name=\"f\"/>",
            "<freejoint name=\"f\"/><site name=\"t\"/>",
        );
        let e = failure(&text);
        assert!(e.message.contains(word), "{actuator}: {e}");
    }
}

#[test]
fn keyframes_keep_their_layout() {
    let m = model(&with_joints(
        "<actuator><motor joint=\"h\"/></actuator><keyframe><key name=\"home\" \
         qpos=\"1 2 1 0 0 0 3 4 5 1 0 0 0\" ctrl=\"9\"/><key qvel=\"1 2 3 4 5 6 7 8 9 10 11\"/>\
         </keyframe>",
    ));
    assert_eq!(m.keyframes[0].name, "home");
    assert_eq!(m.keyframes[0].qpos.len(), 13);
    assert_eq!(m.keyframes[0].ctrl, [9.0]);
    assert!(m.keyframes[0].qvel.is_empty());
    assert_eq!(m.keyframes[1].qvel[10], 11.0);
    let e = failure(&with_joints(
        "\n<keyframe><key name=\"home\" qvel=\"1 2 3 4 5 6 7 8 9 10 11 12\"/></keyframe>",
    ));
    assert_eq!(
        e.message,
        "line 3: <key name=\"home\">: qvel: expected at most 11 numbers, found 12"
    );
    // As in MuJoCo, the reference completes what is missing.
    let m = model(&with_joints("<keyframe><key qpos=\"1 2\"/></keyframe>"));
    assert!(
        m.warnings
            .iter()
            .any(|w| w.contains("qpos has fewer than 13 numbers"))
    );
    let made = Model::compile(m, Actuation::FromFile).unwrap();
    let (key, mut reference) = (&made.keyframes()[0], made.neutral().to_vec());
    reference[..2].copy_from_slice(&[1.0, 2.0]);
    assert_eq!(key.q, reference);
}

#[test]
fn excludes_and_pairs() {
    let m = model(&with_joints(
        "<contact><exclude body1=\"A\" body2=\"world\"/><pair geom1=\"k\" geom2=\"g\" \
         friction=\".5 .6\" condim=\"4\" margin=\".1\"/><pair geom1=\"g\" geom2=\"k\"/></contact>",
    ));
    assert_eq!(m.excludes, [(1, 0)]);
    let p = &m.pairs[0];
    assert_eq!(
        (p.geom1, p.geom2, p.condim, p.margin),
        (1, 0, Some(4), Some(0.1))
    );
    assert_eq!(p.friction, Some([0.5, 0.6, 0.005, 0.0001, 0.0001]));
    // The other pair has MJCF's defaults, not the values of its geoms.
    let p = &m.pairs[1];
    assert_eq!((p.condim, p.margin), (Some(3), Some(0.0)));
    assert_eq!(p.friction, Some([1.0, 1.0, 0.005, 0.0001, 0.0001]));
}

#[test]
fn equalities() {
    let m = model(&with_joints(
        "<equality><connect name=\"c\" body1=\"A\" anchor=\"1 2 3\"/><weld body1=\"A\" \
         body2=\"B\"/><weld body1=\"A\" relpose=\"1 2 3 1 0 0 0\" torquescale=\"2\" \
         active=\"false\"/><joint joint1=\"h\" joint2=\"s\" polycoef=\"0 2\"/>\
         <joint joint1=\"h\"/><tendon tendon1=\"t\" tendon2=\"w\" polycoef=\"0 3\" active=\"false\"/>\
         <tendon tendon1=\"w\"/><flex flex=\"f\" active=\"false\"/></equality><tendon><fixed name=\"t\">\
         <joint joint=\"h\" coef=\"1\"/></fixed><fixed name=\"w\"><joint joint=\"s\" coef=\"1\"/></fixed></tendon>",
    ));
    let kinds: Vec<&EqualityKind> = m.equalities.iter().map(|e| &e.kind).collect();
    assert_eq!(kinds.len(), 7);
    assert!(matches!(
        kinds[0],
        EqualityKind::Connect { body1: 1, body2: 0, anchor } if anchor.z == 3.0
    ));
    assert!(matches!(
        kinds[1],
        EqualityKind::Weld {
            body1: 1,
            body2: 2,
            relative: None,
            torque_scale: 1.0,
            ..
        }
    ));
    assert!(matches!(
        kinds[2],
        EqualityKind::Weld { relative: Some(p), torque_scale: 2.0, .. } if p.pos.y == 2.0
    ));
    assert!(!m.equalities[2].active);
    assert!(matches!(
        kinds[3],
        EqualityKind::Joint { joint2: Some(j), coefficients: [0.0, 2.0, 0.0, 0.0, 0.0], .. }
            if j == "s"
    ));
    assert!(matches!(kinds[4], EqualityKind::Joint { joint2: None, .. }));
    assert!(matches!(
        kinds[5],
        EqualityKind::Tendon { tendon1: t, tendon2: Some(w), coefficients: [0.0, 3.0, 0.0, 0.0, 0.0] }
            if t == "t" && w == "w"
    ));
    assert!(!m.equalities[5].active && m.equalities[6].active);
    assert!(matches!(
        kinds[6],
        EqualityKind::Tendon { tendon2: None, .. }
    ));
    assert_eq!(m.warnings.len(), 1);
}

#[test]
fn height_fields_are_scaled_and_upright() {
    let m = model(
        "<asset><hfield name=\"h\" nrow=\"2\" ncol=\"3\" size=\"4 5 2 .1\" \
         elevation=\"1 2 3 4 5 7\"/><hfield name=\"flat\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\"/>\
         </asset><worldbody><geom type=\"hfield\" hfield=\"h\"/><geom type=\"hfield\" \
         hfield=\"flat\"/></worldbody>",
    );
    let ShapeSpec::HeightField(h) = &m.geoms[0].shape else {
        panic!("a height field expected")
    };
    assert_eq!(
        (h.rows, h.columns, h.half_extents, h.base),
        (2, 3, [4.0, 5.0], 0.1)
    );
    // Scaled from 1..7 to 0..2, with the text's last row first.
    let expected = [1.0, 4.0 / 3.0, 2.0, 0.0, 1.0 / 3.0, 2.0 / 3.0];
    for (a, b) in h.heights.iter().zip(expected) {
        assert_near(*a, b);
    }
    let ShapeSpec::HeightField(flat) = &m.geoms[1].shape else {
        panic!("a height field expected")
    };
    assert_eq!(flat.heights, [0.0; 4]);
}

/// MuJoCo 4.0's mass and moments.
#[test]
fn a_height_field_has_the_mass_of_a_box() {
    let m = model(
        "<asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 2 .5 .1\" elevation=\"0 0 0 3\"/></asset>\
         <worldbody><body><freejoint/><geom type=\"hfield\" hfield=\"h\"/></body></worldbody>",
    );
    let inertia = m.bodies[1].inertia;
    assert!((inertia.mass - 2800.0).abs() < 1e-9);
    let moments = [3761.91666667, 961.91666667, 4666.66666667];
    for (k, theirs) in moments.into_iter().enumerate() {
        assert!((inertia.i.to_mat3().at(k, k) - theirs).abs() < 1e-7, "{k}");
    }
}

#[test]
fn damping_ratios_feel_the_inertia_at_the_joint() {
    let kv = |inside: &str| {
        let m = model(inside);
        -m.actuators[0].bias[2]
    };
    // I = 2 about the axis and 1 of armature.
    assert_near(
        kv(
            "<worldbody><body><joint name=\"j\" armature=\"1\"/><inertial mass=\"1\" pos=\"0 0 0\" \
             diaginertia=\"2 2 2\"/></body></worldbody><actuator><position joint=\"j\" kp=\"12\" \
             dampratio=\".5\" gear=\"2\"/></actuator>",
        ),
        3.0,
    );
    // Masses 1 and 3 on rails along one line: M = [4 3; 3 3], whose inverse has 1 and 4/3 on its
    // diagonal.
    let rails = |joint: &str| {
        kv(&format!(
            "<default><joint type=\"slide\" axis=\"1 0 0\"/><position kp=\"3\" dampratio=\"1\"/>\
             </default><worldbody><body euler=\"0 0 40\"><joint name=\"a\"/><inertial mass=\"1\" \
             pos=\"0 0 0\" diaginertia=\"1 1 1\"/><body pos=\"1 2 3\"><joint name=\"b\"/>\
             <inertial mass=\"3\" pos=\"0 0 0\" diaginertia=\"1 1 1\"/></body></body></worldbody>\
             <actuator><position joint=\"{joint}\"/></actuator>"
        ))
    };
    assert_near(rails("a"), 2.0 * 3f64.sqrt());
    assert_near(rails("b"), 3.0);
}
