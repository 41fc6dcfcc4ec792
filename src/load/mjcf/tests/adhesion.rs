//! Actuators that pull a body.

use super::*;
use crate::error::Status;
use crate::model::tendon::Transmission;
use crate::model::{Actuation, Model};

const ROD: &str = "<worldbody><geom name=\"g\" size=\"1\" gap=\".1\"/><body name=\"b\"><freejoint name=\"f\"/><geom \
     name=\"h\" size=\"1\" margin=\".2\"/></body><body name=\"e\"><joint name=\"j\" range=\"-1 1\"/><inertial pos=\"0 0 0\" \
     mass=\"1\" diaginertia=\"1 1 1\"/></body></worldbody>";

fn with(default: &str, actuator: &str) -> String {
    format!("<default>{default}</default>{ROD}\n<actuator>{actuator}</actuator>")
}

/// As MuJoCo 4.0 compiles them: shortcuts share a class's numbers, and an actuator on a body has no
/// gear.
#[test]
fn shortcuts_and_classes() {
    let on = Transmission::Body("b".into());
    for (default, actuator, gain) in [
        ("", "<adhesion body=\"b\" ctrlrange=\"0 2\"/>", 1.0),
        (
            "",
            "<adhesion body=\"b\" ctrlrange=\"0 2\" gain=\"3\"/>",
            3.0,
        ),
        (
            "<adhesion ctrlrange=\"0 2\" gain=\"4\"/>",
            "<adhesion body=\"b\"/>",
            4.0,
        ),
        // The numbers of a servo are dropped, including its gear.
        (
            "<position kp=\"7\" kv=\"2\" gear=\"3\" ctrlrange=\"0 2\"/>",
            "<adhesion body=\"b\"/>",
            1.0,
        ),
        (
            "",
            "<general body=\"b\" ctrlrange=\"0 2\" gainprm=\"5\" gear=\"9\"/>",
            5.0,
        ),
    ] {
        let a = model(&with(default, actuator)).actuators.remove(0);
        assert_eq!((&a.transmission, a.gain), (&on, gain), "{actuator}");
        assert_eq!(a.control_range, Some((0.0, 2.0)));
        assert_eq!((a.bias, a.force_range), ([0.0; 3], None));
        assert_eq!(a.gear, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let limited =
        "<adhesion body=\"world\" ctrlrange=\"0 1\" forcerange=\"0 4\" user=\"1\" group=\"2\"/>";
    let a = model(&with("", limited)).actuators.remove(0);
    assert_eq!(a.force_range, Some((0.0, 4.0)));
    assert_eq!(a.transmission, Transmission::Body("world".into()));
}

/// `gap` only affects adhesion, and a warning says so.
#[test]
fn gaps() {
    let pair = "<contact><pair geom1=\"g\" geom2=\"h\" gap=\".3\"/></contact>";
    let spec = model(&(with("", "") + pair));
    assert_eq!([&spec.geoms[0], &spec.geoms[1]].map(|g| g.gap), [0.1, 0.0]);
    assert_eq!(spec.pairs[0].gap, Some(0.3));
    let said = |w: &&String| w.contains("gap") && w.contains("counts for adhesion alone");
    assert_eq!(spec.warnings.iter().filter(said).count(), 2);
}

#[test]
fn what_is_refused() {
    for (status, actuator, expected) in [
        (
            Status::Parse,
            "<adhesion ctrlrange=\"0 1\"/>",
            "attribute body is missing",
        ),
        (
            Status::Parse,
            "<adhesion body=\"x\" ctrlrange=\"0 1\"/>",
            "nothing is named \"x\"",
        ),
        (
            Status::Parse,
            "<adhesion body=\"b\"/>",
            "ctrlrange: the lower bound 0",
        ),
        (
            Status::Parse,
            "<adhesion body=\"b\" ctrlrange=\"-1 1\"/>",
            "adhesion needs a control range that is not negative, got -1",
        ),
        (
            Status::Parse,
            "<adhesion body=\"b\" ctrlrange=\"0 1\" gain=\"-2\"/>",
            "gain: expected",
        ),
        (
            Status::Parse,
            "<adhesion body=\"b\" ctrlrange=\"0 1\" gear=\"2\"/>",
            "gear",
        ),
        (
            Status::Parse,
            "<general body=\"b\" joint=\"j\"/>",
            "both joint and body given",
        ),
        (
            Status::Parse,
            "<motor body=\"b\"/>",
            "unknown attribute body",
        ),
        (
            Status::Unsupported,
            "<general body=\"b\" ctrlrange=\"0 1\" biastype=\"affine\" biasprm=\"1\"/>",
            "or a bias, is not supported",
        ),
        (
            Status::Unsupported,
            "<general body=\"b\" ctrlrange=\"0 1\" gaintype=\"muscle\"/>",
            "a gain that is not fixed",
        ),
    ] {
        let e = failure(&with("", actuator));
        assert_eq!(e.status, status, "{e}");
        assert!(
            e.message.contains("line 3") && e.message.contains(expected),
            "{e}"
        );
    }
    // Settings that adhesion cannot have, with the line.
    for (actuator, expected) in [
        (
            "<adhesion name=\"a\" body=\"e\" ctrlrange=\"0 1\"/>",
            "body \"e\" has no geom",
        ),
        ("<general name=\"a\" body=\"b\"/>", "needs a control range"),
        (
            "<general name=\"a\" body=\"b\" ctrlrange=\"-1 1\"/>",
            "must not be negative",
        ),
    ] {
        let spec = load(&format!("<mujoco>\n{}\n</mujoco>", with("", actuator))).unwrap();
        let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
        assert!(
            e.message.contains("line 3") && e.message.contains(expected),
            "{e}"
        );
    }
}
