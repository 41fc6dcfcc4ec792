//! Invalid files: each with its status and words that identify the error.

use super::*;
use crate::error::Status;

#[track_caller]
fn refused(status: Status, inside: &str, expected: &[&str]) {
    let e = failure(inside);
    assert_eq!(e.status, status, "{e}");
    for words in expected {
        assert!(e.message.contains(words), "{words:?} is not in: {e}");
    }
}

/// `<body name="b">` starts on line 3.
fn in_body(inside: &str) -> String {
    format!("<worldbody>\n<body name=\"b\">\n{inside}</body></worldbody>")
}

#[test]
fn unknown_elements_and_attributes() {
    for (inside, expected) in [
        (
            "<worldbdy/>",
            "line 2: <worldbdy>: unknown element inside <mujoco>",
        ),
        (
            "<worldbody><geom sise=\"1\"/></worldbody>",
            "<geom>: unknown attribute sise",
        ),
        (
            "<default><joint dampin=\"1\"/></default>",
            "<joint>: unknown attribute dampin",
        ),
        (
            "<worldbody><geom><geom/></geom></worldbody>",
            "unknown element inside <geom>",
        ),
        (
            "<default><geom name=\"g\"/></default>",
            "cannot have the attribute name",
        ),
        (
            "<option><flag contct=\"disable\"/></option>",
            "unknown attribute contct",
        ),
        ("<compiler angel=\"radian\"/>", "unknown attribute angel"),
        (
            "<keyframe><key pos=\"1\"/></keyframe>",
            "unknown attribute pos",
        ),
    ] {
        refused(Status::Parse, inside, &[expected]);
    }
}

#[test]
fn numbers() {
    for (geom, expected) in [
        ("size=\"1 2 3 4\"", "size: expected 1 to 3 numbers, found 4"),
        ("size=\"\"", "size: expected 1 to 3 numbers, found 0"),
        (
            "size=\"nan\"",
            "size: expected a finite number, found \"nan\"",
        ),
        ("size=\"inf\"", "found \"inf\""),
        ("size=\"1e999\"", "found \"1e999\""),
        ("size=\"1,2\"", "found \"1,2\""),
        ("size=\"0\"", "size: number 1 must be > 0"),
        ("size=\"-1\"", "size: number 1 must be > 0"),
        ("type=\"box\" size=\"1 2\"", "size: number 3 must be > 0"),
        ("size=\"1\" pos=\"1 2\"", "pos: expected 3 numbers, found 2"),
        ("size=\"1\" mass=\"-1\"", "mass: expected a number ≥ 0"),
        (
            "size=\"1\" friction=\"-1\"",
            "friction: expected numbers ≥ 0",
        ),
        (
            "size=\"1\" condim=\"2\"",
            "condim: expected 1, 3, 4 or 6, found 2",
        ),
        ("size=\"1\" contype=\"1.5\"", "contype: expected an integer"),
        (
            "size=\"1\" type=\"ball\"",
            "type: expected one of plane, hfield, sphere",
        ),
        (
            "size=\"1\" quat=\"0 0 0 0\"",
            "quat: a quaternion of length zero",
        ),
        (
            "size=\"1\" axisangle=\"0 0 0 1\"",
            "axisangle: an axis of length zero",
        ),
        (
            "size=\"1\" xyaxes=\"1 0 0 2 0 0\"",
            "xyaxes: a y axis along the x axis",
        ),
        (
            "size=\"1\" zaxis=\"0 0 0\"",
            "zaxis: a z axis of length zero",
        ),
        (
            "size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"",
            "several orientations given: quat, euler",
        ),
        (
            "size=\"1\" fromto=\"0 0 0 1 1 1\"",
            "fromto: only a capsule",
        ),
        (
            "type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\"",
            "fromto: the two points coincide",
        ),
        ("type=\"mesh\"", "attribute mesh is missing"),
        ("type=\"mesh\" mesh=\"m\"", "mesh: no asset is named \"m\""),
        (
            "type=\"hfield\" hfield=\"m\"",
            "hfield: no asset is named \"m\"",
        ),
        ("class=\"c\" size=\"1\"", "class: no default class \"c\""),
    ] {
        let text = in_body(&format!("<geom name=\"g\" {geom}/>"));
        refused(
            Status::Parse,
            &text,
            &["line 4: <geom name=\"g\">: ", expected],
        );
    }
}

#[test]
fn joints_and_inertias() {
    for (inside, expected) in [
        (
            "<joint axis=\"0 0 0\"/>",
            "line 4: <joint>: axis: has length zero",
        ),
        (
            "<joint range=\"1 0\"/>",
            "the lower bound 1 must be below the upper 0",
        ),
        ("<joint limited=\"true\"/>", "must be below the upper"),
        (
            "<joint limited=\"maybe\"/>",
            "limited: expected one of true, false, auto",
        ),
        ("<joint damping=\"-1\"/>", "damping: expected a number ≥ 0"),
        (
            "<joint type=\"ball\" range=\"1 2\"/>",
            "the lower bound of a ball joint must be 0",
        ),
        ("<joint/><freejoint/>", "must be the only joint"),
        ("<freejoint/><joint/>", "must be the only joint"),
        (
            "<body><freejoint/></body>",
            "only possible on a body of the world",
        ),
        (
            "<joint name=\"j\"/>\n<joint name=\"j\"/>",
            "line 5: <joint name=\"j\">: the name \"j\" is already taken: line 4",
        ),
        ("<body name=\"b\"/>", "already taken: line 3"),
        ("<body name=\"world\"/>", "already taken: the world itself"),
        (
            "<inertial mass=\"1\"/>",
            "<inertial>: attribute pos is missing",
        ),
        ("<inertial pos=\"0 0 0\"/>", "attribute mass is missing"),
        (
            "<inertial pos=\"0 0 0\" mass=\"-1\"/>",
            "mass: expected a number ≥ 0",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 3\"/>",
            "<body> name=\"b\": no distribution of mass",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 -1\"/>",
            "diaginertia: expected numbers ≥ 0",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 2 0 0\"/>",
            "the inertia is not positive",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\" fullinertia=\"1 1 1 0 0 0\"/>",
            "both diaginertia and fullinertia",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 0 0 0\" euler=\"1 0 0\"/>",
            "cannot be combined with an orientation",
        ),
        (
            "<inertial pos=\"0 0 0\" mass=\"1\"/><inertial pos=\"0 0 0\" mass=\"1\"/>",
            "two <inertial>",
        ),
        (
            "<geom size=\"1e200\"/>",
            "<body> name=\"b\": the inertia is beyond the range",
        ),
        (
            "<geom size=\"1\" mass=\"1\" pos=\"1e200 0 0\"/>",
            "<body> name=\"b\"",
        ),
        (
            "<frame pos=\"1e308 0 0\"><geom size=\"1\" mass=\"0\" pos=\"1e308 0 0\"/></frame>",
            "line 4: <geom> name=\"\": its numbers are so large",
        ),
        ("<replicate count=\"0\"/>", "count: expected a number ≥ 1"),
    ] {
        refused(Status::Parse, &in_body(inside), &[expected]);
    }
    refused(
        Status::Parse,
        "<worldbody><joint/></worldbody>",
        &["the world cannot have joints"],
    );
    refused(
        Status::Parse,
        "<compiler autolimits=\"false\"/><worldbody><body><joint range=\"0 1\"/></body></worldbody>",
        &["range without limited"],
    );
}

#[test]
fn physics_that_is_missing() {
    for (inside, expected) in [
        ("<composite/>", "<composite>"),
        (
            "<flexcomp><elasticity young=\"1\" elastic2d=\"bend\"/></flexcomp>",
            "elastic2d=\"bend\"",
        ),
        ("<plugin/>", "<plugin>"),
        ("<freejoint align=\"true\"/>", "align"),
        (
            "<body><joint type=\"free\" damping=\"1 2\"/></body>",
            "only the linear coefficient",
        ),
        ("<geom type=\"sdf\"/>", "sdf"),
        (
            "<geom type=\"ellipsoid\" size=\"1 2 3\" shellinertia=\"true\"/>",
            "shellinertia",
        ),
    ] {
        refused(
            Status::Unsupported,
            &in_body(inside),
            &["line 4: ", expected],
        );
    }
    for (inside, expected) in [
        ("<compiler coordinate=\"global\"/>", "coordinate=\"global\""),
        ("<compiler alignfree=\"true\"/>", "alignfree"),
        (
            "<option><flag actuation=\"disable\"/></option>",
            "actuation",
        ),
        ("<deformable/>", "<deformable>"),
        ("<extension/>", "<extension>"),
        ("<asset><mesh builtin=\"sphere\"/></asset>", "builtin"),
        (
            "<equality><flex flex=\"f\"/></equality>",
            "this kind of equality",
        ),
    ] {
        refused(Status::Unsupported, inside, &["line 2: ", expected]);
    }
    // A neutral value is not refused.
    let m = model("<worldbody><body mocap=\"false\"/></worldbody>");
    assert!(m.warnings.is_empty());
}

#[test]
fn actuators() {
    let with = |actuator: &str| {
        format!(
            "<worldbody><body><joint name=\"j\" actuatorfrcrange=\"-1 1\"/></body><body>\
             <joint name=\"b\" type=\"ball\"/></body><body><freejoint name=\"f\"/></body>\
             </worldbody>\n<actuator>{actuator}</actuator>"
        )
    };
    for (actuator, expected) in [
        (
            "<muscle joint=\"j\"/>",
            "a muscle without lengthrange, and its length depends on joint \"j\", which has no limits",
        ),
        (
            "<general joint=\"j\" biastype=\"muscle\" biasprm=\".7 1.1 8 100 .4 1.7 1.2 1.3 1.2\"/>",
            "a muscle without lengthrange",
        ),
        ("<general joint=\"j\" dyntype=\"user\"/>", "dyntype"),
        ("<general joint=\"j\" gaintype=\"dcmotor\"/>", "gaintype"),
        ("<general joint=\"j\" biastype=\"user\"/>", "biastype"),
        (
            "<general joint=\"j\" dyntype=\"filter\" actdim=\"2\"/>",
            "actdim=2",
        ),
        ("<general joint=\"j\" actdim=\"1\"/>", "actdim=1"),
        ("<pid joint=\"j\"/>", "<pid>"),
        ("<muscle joint=\"j\" delay=\"1\"/>", "delay"),
        ("<motor joint=\"j\" delay=\"1\"/>", "delay"),
        (
            "<motor joint=\"f\" gear=\"1 0 0 1\"/>",
            "together with a torque",
        ),
        ("<position joint=\"f\"/>", "a servo with a force"),
        ("<motor jointinparent=\"b\"/>", "jointinparent"),
        (
            "<general cranksite=\"s\" slidersite=\"s\" cranklength=\"1\"/>",
            "cranksite",
        ),
    ] {
        refused(
            Status::Unsupported,
            &with(actuator),
            &["line 3: ", expected],
        );
    }
    for (actuator, expected) in [
        (
            "<motor name=\"m\"/>",
            "<motor name=\"m\">: attribute joint is missing",
        ),
        (
            "<position joint=\"j\" dampratio=\"1\"/>",
            "the mass matrix is singular",
        ),
        ("<motor joint=\"x\"/>", "joint: nothing is named \"x\""),
        (
            "<motor joint=\"b\" name=\"m\"/><motor joint=\"b\" name=\"m\"/>",
            "the name \"m\" is already taken",
        ),
        (
            "<motor joint=\"j\" ctrlrange=\"1 -1\"/>",
            "ctrlrange: the lower bound",
        ),
        (
            "<motor joint=\"j\" gear=\"1 2 3 4 5 6 7\"/>",
            "gear: expected 1 to 6 numbers, found 7",
        ),
        (
            "<position joint=\"j\" kv=\"1\" dampratio=\"1\"/>",
            "both kv and dampratio",
        ),
        (
            "<position joint=\"j\" inheritrange=\"1\"/>",
            "joint \"j\" has no range",
        ),
        ("<motor joint=\"j\" kp=\"1\"/>", "unknown attribute kp"),
    ] {
        refused(Status::Parse, &with(actuator), &["line 3: ", expected]);
    }
}

#[test]
fn classes_assets_and_references() {
    for (inside, expected) in [
        ("<default class=\"x\"/>", "can only be \"main\""),
        (
            "<default><default/></default>",
            "attribute class is missing",
        ),
        (
            "<default><default class=\"a\"/><default class=\"a\"/></default>",
            "class \"a\" is already defined at line 2",
        ),
        (
            "<default><default class=\"main\"/></default>",
            "class \"main\" is already defined",
        ),
        (
            "<worldbody><body childclass=\"x\"/></worldbody>",
            "childclass: no default class \"x\"",
        ),
        (
            "<asset><mesh name=\"m\"/></asset>",
            "<mesh name=\"m\">: expected a file or vertices",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"1 2\"/></asset>",
            "vertex: expected a multiple of 3",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 3\"/></asset>",
            "face: expected indices from 0 to 2, found 3",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 -1\"/></asset>",
            "found -1",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 .5\"/></asset>",
            "found 0.5",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0\"/></asset>",
            "must have a convex hull",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0\" face=\"0 0 0\" scale=\"0 1 1\"/></asset>",
            "scale: expected numbers other than 0",
        ),
        (
            "<asset><mesh vertex=\"0 0 0\" face=\"0 0 0\"/></asset>",
            "attribute name is missing",
        ),
        (
            "<asset><hfield name=\"h\" nrow=\"1\" ncol=\"2\" size=\"1 1 1 1\"/></asset>",
            "nrow: expected 2 or more, found 1",
        ),
        (
            "<asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1\"/></asset>",
            "size: expected 4 numbers",
        ),
        (
            "<asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"1\"/></asset>",
            "nrow·ncol = 4 numbers, found 1",
        ),
        (
            "<contact><exclude body1=\"x\" body2=\"y\"/></contact>",
            "body1: nothing is named \"x\"",
        ),
        (
            "<contact><pair geom1=\"x\" geom2=\"y\"/></contact>",
            "geom1: nothing is named \"x\"",
        ),
        (
            "<equality><connect body1=\"world\"/></equality>",
            "attribute anchor is missing",
        ),
        (
            "<equality><joint joint1=\"x\"/></equality>",
            "joint1: nothing is named \"x\"",
        ),
        (
            "<equality><tendon tendon1=\"x\"/></equality>",
            "tendon1: nothing is named \"x\"",
        ),
        (
            "<keyframe><key qpos=\"1\"/></keyframe>",
            "qpos: expected at most 0 numbers, found 1",
        ),
        (
            "<option timestep=\"0\"/>",
            "timestep: expected a number > 0",
        ),
        (
            "<compiler eulerseq=\"xy\"/>",
            "eulerseq: expected three letters",
        ),
        (
            "<compiler eulerseq=\"xyw\"/>",
            "eulerseq: expected three letters",
        ),
        (
            "<compiler angle=\"grad\"/>",
            "angle: expected one of degree, radian",
        ),
    ] {
        refused(Status::Parse, inside, &["line 2: ", expected]);
    }
}
