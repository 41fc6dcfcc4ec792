//! Tendons, and actuators on them.

use super::*;
use crate::model::tendon::{PathPoint, TendonPath, TendonSpec, Transmission, WrapShape};

/// Two hinges "a" and "b" (springs rest at 0.2 and 0.5 rad) with a slide "c", sites and solids, angles
/// in radians.
fn with_parts(inside: &str) -> String {
    format!(
        "<compiler angle=\"radian\"/><worldbody><site name=\"w\" pos=\"0 0 3\"/><body name=\"A\">\
         <joint name=\"a\" axis=\"0 0 1\" springref=\".2\"/><geom name=\"ball\" size=\".1\" pos=\"1 0 0\"/>\
         <site name=\"A1\" pos=\"1 0 0\"/><site name=\"A2\" pos=\"1 .5 0\"/><site name=\"A3\" pos=\"1 -.5 0\"/><body name=\"B\" pos=\"2 0 0\"><joint name=\"b\" pos=\"0 1 0\" \
         springref=\".5\"/><joint name=\"c\" type=\"slide\" axis=\"1 0 0\" range=\"-1 1\"/>\
         <geom name=\"rod\" type=\"cylinder\" size=\".2 1\" euler=\"0 1 0\"/><geom name=\"box\" type=\"box\" \
         size=\"1 1 1\"/><site name=\"B1\" pos=\"0 0 1\"/><site name=\"B2\" pos=\"0 2 0\"/></body></body>\
         <body><joint name=\"ball_joint\" type=\"ball\"/><geom size=\"1\"/></body></worldbody>{inside}"
    )
}

fn tendon(element: &str) -> TendonSpec {
    let m = model(&with_parts(&format!("<tendon>{element}</tendon>")));
    assert!(m.warnings.is_empty(), "{:?}", m.warnings);
    m.tendons[0].clone()
}

#[test]
fn a_fixed_one_is_a_sum_of_coordinates() {
    let t = tendon(
        "<fixed name=\"t\" stiffness=\"7\" damping=\".3\" frictionloss=\".1\" range=\"-1 2\" margin=\".01\" \
         width=\"1\" rgba=\"1 0 0 1\"><joint joint=\"a\" coef=\"2\"/><joint joint=\"b\" coef=\"-3\"/>\
         <joint joint=\"c\" coef=\"0\"/></fixed>",
    );
    let TendonPath::Fixed(terms) = &t.path else {
        panic!("{t:?}");
    };
    let expected = [("a", 2.0), ("b", -3.0), ("c", 0.0)].map(|(n, c)| (n.to_string(), c));
    assert_eq!(terms, &expected);
    assert_eq!((t.name.as_str(), t.stiffness, t.damping), ("t", 7.0, 0.3));
    assert_eq!(
        (t.friction_loss, t.limits, t.limit_margin),
        (0.1, Some((-1.0, 2.0)), 0.01)
    );
    // The length with its joints' springs at rest.
    let (lower, upper) = t.rest.unwrap();
    assert_near(lower, 2.0 * 0.2 - 3.0 * 0.5);
    assert_eq!(lower, upper);
    assert!(!t.pull_only && t.origin == "line 1");
}

#[test]
fn armature_along_one_joint_is_that_of_the_joint() {
    let m = model(&with_parts(
        "<default><tendon armature=\"5\"/></default><tendon><fixed><joint joint=\"b\" coef=\"-3\"/>\
         <joint joint=\"a\" coef=\"0\"/></fixed></tendon>",
    ));
    let joints = m.bodies.iter().flat_map(|b| &b.joints);
    assert_eq!(joints.map(|j| j.armature).sum::<f64>(), 45.0);
    assert_eq!(m.bodies[2].joints[0].armature, 45.0);
}

#[test]
fn a_spatial_one_goes_through_sites_and_around_solids() {
    let t = tendon(
        "<spatial><site site=\"w\"/><geom geom=\"ball\"/><site site=\"A1\"/><pulley divisor=\"2\"/>\
         <site site=\"A1\"/><geom geom=\"rod\" sidesite=\"B2\"/><site site=\"B1\"/></spatial>",
    );
    let TendonPath::Spatial(path) = &t.path else {
        panic!("{t:?}");
    };
    let [
        PathPoint::Point { body: 0, at },
        PathPoint::Around(ball),
        PathPoint::Point { body: 1, .. },
        PathPoint::Pulley { divisor: 2.0 },
        PathPoint::Point { body: 1, .. },
        PathPoint::Around(rod),
        PathPoint::Point { body: 2, .. },
    ] = &path[..]
    else {
        panic!("{path:?}");
    };
    assert_vec(*at, [0.0, 0.0, 3.0]);
    assert_eq!(
        (ball.shape, ball.radius, ball.body),
        (WrapShape::Sphere, 0.1, 1)
    );
    assert!(ball.side.is_none());
    assert_vec(ball.placement.pos, [1.0, 0.0, 0.0]);
    assert_eq!(
        (rod.shape, rod.radius, rod.body),
        (WrapShape::Cylinder, 0.2, 2)
    );
    let (body, side) = rod.side.unwrap();
    assert_eq!(body, 2);
    assert_vec(side, [0.0, 2.0, 0.0]);
    let (s, c) = 1f64.sin_cos();
    assert_vec(rod.placement.rot.c[2], [s, 0.0, c]);
    // Without stiffness it has no rest length. Its other numbers are not set.
    assert_eq!((t.stiffness, t.rest, t.limits), (0.0, None, None));
}

#[test]
fn lengths_at_rest() {
    let path = "<site site=\"w\"/><site site=\"B1\"/><pulley divisor=\"4\"/><site site=\"A1\"/><site site=\"B2\"/>";
    let rest = |attributes: &str| tendon(&format!("<spatial {attributes}>{path}</spatial>")).rest;
    assert_eq!(rest("springlength=\"1.5\""), Some((1.5, 1.5)));
    assert_eq!(rest("springlength=\"-1 2\""), Some((-1.0, 2.0)));
    assert_eq!(rest("springlength=\"0\""), Some((0.0, 0.0)));
    assert_eq!(rest(""), None);
    // The hinges are at 0.2 and 0.5 rad, the second about (2, 1) in A.
    let (lower, upper) = rest("stiffness=\"1\" springlength=\"-1\"").unwrap();
    assert_eq!(lower, upper);
    let turned = |[x, y]: [f64; 2], angle: f64| {
        let (s, c) = angle.sin_cos();
        [c * x - s * y, s * x + c * y]
    };
    let in_a = |p: [f64; 2]| {
        let [x, y] = turned([p[0], p[1] - 1.0], 0.5);
        [x + 2.0, y + 1.0]
    };
    let b1 = turned(in_a([0.0, 0.0]), 0.2);
    let long = b1[0].hypot(b1[1]).hypot(2.0);
    let b2 = in_a([0.0, 2.0]);
    let short = (b2[0] - 1.0).hypot(b2[1]);
    assert_near(lower, long + short / 4.0);
    // Around the ball.
    let bent = "<site site=\"A2\"/><geom geom=\"ball\"/><site site=\"A3\"/>";
    let t = tendon(&format!("<spatial stiffness=\"1\">{bent}</spatial>"));
    let arc = std::f64::consts::PI - 2.0 * 0.2f64.acos();
    assert_near(t.rest.unwrap().0, 2.0 * 0.24f64.sqrt() + 0.1 * arc);
}

#[test]
fn classes_and_flags() {
    let text = "<default><tendon stiffness=\"3\" springlength=\"1\" range=\"0 1\"/><default class=\"x\">\
                <tendon damping=\"2\" frictionloss=\"1\" limited=\"false\"/></default></default><tendon>\
                <fixed><joint joint=\"a\" coef=\"1\"/></fixed><fixed class=\"x\" stiffness=\"4\">\
                <joint joint=\"a\" coef=\"1\"/></fixed></tendon>";
    let m = model(&with_parts(text));
    let numbers = |t: &TendonSpec| (t.stiffness, t.damping, t.friction_loss, t.limits);
    assert_eq!(numbers(&m.tendons[0]), (3.0, 0.0, 0.0, Some((0.0, 1.0))));
    assert_eq!(numbers(&m.tendons[1]), (4.0, 2.0, 1.0, None));
    let off = "<option><flag spring=\"disable\" damper=\"disable\" limit=\"disable\" frictionloss=\"disable\"/></option>";
    let m = model(&with_parts(&format!("{off}{text}")));
    assert_eq!(numbers(&m.tendons[0]), (0.0, 0.0, 0.0, None));
    assert_eq!(numbers(&m.tendons[1]), (0.0, 0.0, 0.0, None));
    // A setting without meaning for rigid limits gets a warning.
    let m = model(&with_parts(
        "<tendon><fixed solreflimit=\".01 1\"><joint joint=\"a\" coef=\"1\"/></fixed></tendon>",
    ));
    assert!(m.warnings[0].contains("attribute solreflimit of <fixed> is not used"));
}

#[test]
fn actuators_on_tendons() {
    let tendons = "<tendon><fixed name=\"f\" range=\"-2 4\"><joint joint=\"a\" coef=\"2\"/>\
                   <joint joint=\"c\" coef=\"-1\"/></fixed><spatial name=\"s\"><site site=\"w\"/>\
                   <site site=\"B1\"/></spatial></tendon>";
    let m = model(&with_parts(&format!(
        "{tendons}<actuator><motor tendon=\"s\" gear=\"3\"/><position tendon=\"f\" kp=\"5\" kv=\"1\" inheritrange=\"1\"/>\
         <general tendon=\"s\" gainprm=\"2\" biastype=\"affine\" biasprm=\"1 -2 -3\"/><motor joint=\"a\"/></actuator>"
    )));
    let on = |k: usize| m.actuators[k].transmission.clone();
    assert_eq!(on(0), Transmission::Tendon("s".into()));
    assert_eq!(on(1), Transmission::Tendon("f".into()));
    assert_eq!(on(3), Transmission::Joint("a".into()));
    assert_eq!(m.actuators[0].gear[0], 3.0);
    assert_eq!(m.actuators[1].control_range, Some((-2.0, 4.0)));
    assert_eq!(m.actuators[2].bias, [1.0, -2.0, -3.0]);
    let fails = |actuator: &str, what: &str| {
        let e = failure(&with_parts(&format!(
            "{tendons}\n<actuator>{actuator}</actuator>"
        )));
        assert!(
            e.message.contains("line 3") && e.message.contains(what),
            "{e}"
        );
    };
    fails("<motor tendon=\"x\"/>", "tendon: nothing is named \"x\"");
    fails(
        "<motor tendon=\"s\" joint=\"a\"/>",
        "both joint and tendon given",
    );
    fails(
        "<position tendon=\"s\" inheritrange=\"1\"/>",
        "inheritrange: tendon \"s\" has no range",
    );
    fails(
        "<position tendon=\"s\" dampratio=\"1\"/>",
        "dampratio of a servo on a spatial tendon",
    );
}

/// As MuJoCo 4.0 compiles it: the effective inertia is 1/(gᵀ M⁻¹ g).
#[test]
fn the_damping_ratio_of_a_servo_on_a_fixed_tendon() {
    let m = model(
        "<worldbody><body><joint name=\"a\" type=\"slide\" axis=\"1 0 0\"/><inertial pos=\"0 0 0\" mass=\"2\" \
         diaginertia=\"1 1 1\"/></body><body><joint name=\"b\" type=\"slide\"/><inertial pos=\"0 0 0\" \
         mass=\"4\" diaginertia=\"1 1 1\"/></body></worldbody><tendon><fixed name=\"f\"><joint joint=\"a\" \
         coef=\"3\"/><joint joint=\"b\" coef=\"-1\"/></fixed></tendon>\
         <actuator><position tendon=\"f\" gear=\"2\" kp=\"10\" dampratio=\".5\"/></actuator>",
    );
    let felt: f64 = 1.0 / (4.0 * (9.0 / 2.0 + 1.0 / 4.0));
    assert_near(m.actuators[0].bias[2], -2.0 * 0.5 * (10.0 * felt).sqrt());
}

#[test]
fn what_is_wrong_with_a_tendon_is_said_with_its_line() {
    let (s, t, g) = (
        "<site site=\"w\"/>",
        "<site site=\"B1\"/>",
        "<geom geom=\"ball\"/>",
    );
    let p = "<pulley divisor=\"2\"/>";
    for (element, what) in [
        ("<fixed/>".to_string(), "the path is empty"),
        ("<spatial/>".to_string(), "the path is empty"),
        (
            "<fixed><joint joint=\"a\"/></fixed>".to_string(),
            "attribute coef is missing",
        ),
        (
            "<fixed><joint joint=\"x\" coef=\"1\"/></fixed>".to_string(),
            "nothing is named \"x\"",
        ),
        (
            "<fixed><joint joint=\"ball_joint\" coef=\"1\"/></fixed>".to_string(),
            "expected a hinge or a slide",
        ),
        (
            "<fixed><joint joint=\"a\" coef=\"1\"/><joint joint=\"a\" coef=\"2\"/></fixed>"
                .to_string(),
            "named twice",
        ),
        (format!("<spatial>{s}</spatial>"), "has one site"),
        (format!("<spatial>{s}{p}{s}{t}</spatial>"), "has one site"),
        (format!("<spatial>{s}{t}{p}{s}</spatial>"), "has one site"),
        (
            format!("<spatial>{s}{t}{p}</spatial>"),
            "followed by a site",
        ),
        (
            format!("<spatial>{s}{t}{p}{p}{s}{t}</spatial>"),
            "followed by a site",
        ),
        (format!("<spatial>{g}{s}{t}</spatial>"), "between two sites"),
        (
            format!("<spatial>{s}{g}{g}{t}</spatial>"),
            "between two sites",
        ),
        (
            format!("<spatial>{s}<geom geom=\"box\"/>{t}</spatial>"),
            "expected a sphere or a cylinder",
        ),
        (
            format!("<spatial>{s}<geom geom=\"ball\" sidesite=\"x\"/>{t}</spatial>"),
            "sidesite: nothing is named \"x\"",
        ),
        (
            format!("<spatial>{s}{t}<pulley divisor=\"0\"/>{s}{t}</spatial>"),
            "divisor: expected a number > 0",
        ),
        (
            format!("<spatial>{s}{t}<pulley/>{s}{t}</spatial>"),
            "attribute divisor is missing",
        ),
        (
            format!("<spatial springlength=\"2 1\">{s}{t}</spatial>"),
            "springlength",
        ),
        (
            format!("<spatial stiffness=\"-1\">{s}{t}</spatial>"),
            "stiffness",
        ),
        (
            format!("<spatial frictionloss=\"-1\">{s}{t}</spatial>"),
            "frictionloss",
        ),
        (
            format!("<spatial range=\"2 1\">{s}{t}</spatial>"),
            "range: the lower bound",
        ),
        (
            format!("<spatial armature=\"1\">{s}{t}</spatial>"),
            "armature of a spatial tendon",
        ),
        (
            "<fixed armature=\"1\"><joint joint=\"a\" coef=\"1\"/><joint joint=\"b\" coef=\"1\"/></fixed>".into(),
            "armature of a tendon along several joints",
        ),
        (
            format!("<spatial actuatorfrcrange=\"-1 1\">{s}{t}</spatial>"),
            "actuatorfrcrange",
        ),
        (
            format!("<spatial name=\"n\">{s}{t}</spatial><spatial name=\"n\">{s}{t}</spatial>"),
            "already taken",
        ),
    ] {
        let e = failure(&with_parts(&format!("<tendon>\n{element}</tendon>")));
        assert!(
            e.message.starts_with("line 3: <") && e.message.contains(what),
            "{element}: {e}"
        );
    }
}
