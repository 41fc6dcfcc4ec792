//! Actuators with an activation.

use super::*;
use crate::error::Status;
use crate::model::activation::{Activation, ActivationLaw};
use crate::model::muscle::Muscle;
use crate::model::spec::ActuatorSpec;

/// A hinge "j" from -1 to 2 rad with a tendon "t" on it from -3 to 4.
fn with(before: &str, default: &str, actuator: &str) -> String {
    format!(
        "<compiler angle=\"radian\">{before}</compiler><default>{default}</default><worldbody><body>\
         <joint name=\"j\" range=\"-1 2\"/><geom size=\"1\"/></body></worldbody><tendon><fixed name=\"t\" \
         range=\"-3 4\"><joint joint=\"j\" coef=\"2\"/></fixed></tendon><actuator>{actuator}</actuator>"
    )
}

fn one(default: &str, actuator: &str) -> ActuatorSpec {
    model(&with("", default, actuator)).actuators.remove(0)
}

fn law(a: &ActuatorSpec) -> Option<ActivationLaw> {
    a.activation.map(|a| a.law)
}

const FILTER: fn(f64) -> Option<ActivationLaw> =
    |time_constant| Some(ActivationLaw::Filter { time_constant });
const EXACT: fn(f64) -> Option<ActivationLaw> =
    |time_constant| Some(ActivationLaw::FilterExact { time_constant });

/// As MuJoCo 4.0 compiles them.
#[test]
fn shortcuts() {
    let a = one(
        "",
        "<intvelocity joint=\"j\" kp=\"5\" kv=\"2\" inheritrange=\"1\"/>",
    );
    assert_eq!(law(&a), Some(ActivationLaw::Integrator));
    assert_eq!((a.gain, a.bias), (5.0, [0.0, -5.0, -2.0]));
    assert_eq!(a.activation.unwrap().range, Some((-1.0, 2.0)));
    assert_eq!(a.control_range, None);
    let a = one("", "<position joint=\"j\" kp=\"5\" timeconst=\".1\"/>");
    assert_eq!((law(&a), a.gain, a.bias[1]), (EXACT(0.1), 5.0, -5.0));
    assert_eq!(
        law(&one("", "<position joint=\"j\" timeconst=\"0\"/>")),
        None
    );
    let a = one(
        "",
        "<cylinder joint=\"j\" timeconst=\".2\" area=\"3\" bias=\"1 2 3\"/>",
    );
    assert_eq!(
        (law(&a), a.gain, a.bias),
        (FILTER(0.2), 3.0, [1.0, 2.0, 3.0])
    );
    let a = one("", "<cylinder joint=\"j\" diameter=\"2\"/>");
    assert_eq!((law(&a), a.gain), (FILTER(1.0), std::f64::consts::PI));
    let a = one("", "<damper joint=\"j\" kv=\"5\" ctrlrange=\"0 1\"/>");
    assert_eq!((law(&a), a.gain, a.gain_slopes), (None, 0.0, [0.0, -5.0]));
    assert_eq!((a.bias, a.control_range), ([0.0; 3], Some((0.0, 1.0))));
    let a = one("", "<muscle joint=\"j\" lengthrange=\".1 .5\"/>");
    let muscle = Muscle {
        length_range: (0.1, 0.5),
        ..Muscle::default()
    };
    assert_eq!([a.active, a.passive], [Some(muscle); 2]);
    let times = |rise, fall, smoothing| {
        Some(ActivationLaw::Muscle {
            rise,
            fall,
            smoothing,
        })
    };
    assert_eq!(law(&a), times(0.01, 0.04, 0.0));
    let a = one(
        "",
        "<muscle joint=\"j\" timeconst=\".02 .05\" tausmooth=\".3\" lengthrange=\".1 .5\" force=\"100\" \
         scale=\"150\" range=\".8 1.1\" lmin=\".4\" lmax=\"1.7\" vmax=\"2\" fpmax=\"1.4\" fvmax=\"1.3\"/>",
    );
    let muscle = Muscle {
        length_range: (0.1, 0.5),
        range: (0.8, 1.1),
        force: 100.0,
        scale: 150.0,
        shortest: 0.4,
        longest: 1.7,
        fastest: 2.0,
        passive: 1.4,
        lengthening: 1.3,
    };
    assert_eq!([a.active, a.passive], [Some(muscle); 2]);
    assert_eq!(law(&a), times(0.02, 0.05, 0.3));
}

#[test]
fn general_ones() {
    let a = one(
        "",
        "<general joint=\"j\" dyntype=\"filterexact\" dynprm=\".4\" actrange=\"-1 3\" actearly=\"true\" \
         actdim=\"1\" gaintype=\"affine\" gainprm=\"1 2 3\"/>",
    );
    let expected = Activation {
        law: ActivationLaw::FilterExact { time_constant: 0.4 },
        range: Some((-1.0, 3.0)),
        early: true,
    };
    assert_eq!(a.activation, Some(expected));
    assert_eq!((a.gain, a.gain_slopes), (1.0, [2.0, 3.0]));
    let a = one(
        "",
        "<general joint=\"j\" dyntype=\"filter\" actrange=\"-1 1\" actlimited=\"false\" biastype=\"muscle\" \
         biasprm=\".7 1.1 8 100 .4 1.7 1.2 1.3 1.2\" lengthrange=\"-1 2\"/>",
    );
    assert_eq!(a.activation.unwrap().range, None);
    assert_eq!((a.active, a.passive.unwrap().force), (None, 8.0));
}

/// As MuJoCo 4.0 compiles them.
#[test]
fn over_defaults_of_other_shortcuts() {
    let filter = "<general dyntype=\"filter\" dynprm=\".4\" actearly=\"true\" gainprm=\"4 5\"/>";
    for shortcut in ["motor", "position", "velocity"] {
        assert_eq!(
            law(&one(filter, &format!("<{shortcut} joint=\"j\"/>"))),
            None
        );
    }
    let a = one(filter, "<cylinder joint=\"j\"/>");
    assert_eq!(
        (law(&a), a.gain, a.activation.unwrap().early),
        (FILTER(0.4), 4.0, false)
    );
    let a = one(filter, "<muscle joint=\"j\" lengthrange=\"0 1\"/>");
    assert_eq!(a.active.unwrap().range, (0.75, 1.05));
    let muscle = "<muscle force=\"3\" timeconst=\"3 4\"/>";
    assert_eq!(law(&one(muscle, "<cylinder joint=\"j\"/>")), FILTER(1.0));
    let a = one(muscle, "<muscle joint=\"j\" lengthrange=\"0 1\"/>");
    assert_eq!(a.active.unwrap().force, 3.0);
    let a = one(muscle, "<general joint=\"j\" lengthrange=\"0 1\"/>");
    assert_eq!(a.active.unwrap().force, 3.0);
    let a = one(muscle, "<damper joint=\"j\" ctrlrange=\"0 1\"/>");
    assert_eq!((a.active, a.gain_slopes), (None, [0.0, 0.0]));
    let slow = "<position timeconst=\".3\"/>";
    assert_eq!(law(&one(slow, "<position joint=\"j\"/>")), EXACT(0.3));
    let a = one(
        "<intvelocity kp=\"3\" inheritrange=\"1\"/>",
        "<general joint=\"j\"/>",
    );
    assert_eq!(a.activation.unwrap().range, Some((-1.0, 2.0)));
}

#[test]
fn ranges_of_lengths() {
    let limits = "<lengthrange uselimit=\"true\"/>";
    let range = |before: &str, actuator: &str| {
        let m = model(&with(before, "", actuator));
        m.actuators[0].active.unwrap().length_range
    };
    assert_eq!(
        range(limits, "<muscle joint=\"j\" gear=\"2\"/>"),
        (-1.0, 2.0)
    );
    assert_eq!(range(limits, "<muscle tendon=\"t\"/>"), (-3.0, 4.0));
    let given = "<muscle joint=\"j\" lengthrange=\"0 1\"/>";
    assert_eq!(range(limits, given), (0.0, 1.0));
    let anew = "<lengthrange uselimit=\"true\" useexisting=\"false\"/>";
    assert_eq!(range(anew, given), (-1.0, 2.0));
}

/// The results of MuJoCo's simulation for rigid limits.
#[test]
fn lengths_within_the_limits_of_joints() {
    // Only the joint has limits.
    let alone = |actuator: &str| with("", "", actuator).replace("range=\"-3 4\"", "");
    let range = |text: &str| {
        let m = model(text);
        assert!(
            m.warnings.iter().any(|w| w.contains("lengthrange")),
            "{:?}",
            m.warnings
        );
        m.actuators[0].active.unwrap().length_range
    };
    // The gear multiplies the range, and a negative one reverses it.
    assert_eq!(
        range(&alone("<muscle joint=\"j\" gear=\"-2\"/>")),
        (-4.0, 2.0)
    );
    assert_eq!(
        range(&alone("<muscle tendon=\"t\" gear=\"3\"/>")),
        (-6.0, 12.0)
    );
    let near = with("", "", "<muscle tendon=\"t\"/>").replace("-3 4", "-1 3");
    assert_eq!(range(&near), (-1.0, 3.0));
    let numbers = ".7 1.1 8 100 .4 1.7 1.2 1.3 1.2";
    let both = model(&alone(&format!(
        "<general joint=\"j\" gaintype=\"muscle\" gainprm=\"{numbers}\" biastype=\"muscle\" biasprm=\"{numbers}\"/>"
    )));
    let a = &both.actuators[0];
    assert_eq!(a.active.unwrap().length_range, (-1.0, 2.0));
    assert_eq!(a.passive.unwrap().length_range, (-1.0, 2.0));
    // There is no warning if the range is given.
    assert!(
        model(&with("", "", "<muscle joint=\"j\" lengthrange=\"0 1\"/>"))
            .warnings
            .is_empty()
    );
    unsupported(
        &with("<lengthrange mode=\"none\"/>", "", "<muscle joint=\"j\"/>"),
        &["line", "mode=\"none\""],
    );
    unsupported(
        &alone("<muscle joint=\"j\" gear=\"0\"/>"),
        &["line", "does not vary"],
    );
}

/// Two links of unit length in the plane: hinges "a" at the origin and "b" at the end of the first, and
/// a site on each.
fn two_links(ranges: [&str; 2], sites: [&str; 3], rest: &str) -> String {
    let [a, b] = ranges;
    let [still, first, second] = sites;
    format!(
        "<compiler angle=\"radian\"/><worldbody><site name=\"still\" pos=\"{still}\"/><body><joint name=\"a\" {a}/>\
         <geom size=\".1\" pos=\".5 0 0\"/><site name=\"first\" pos=\"{first}\"/><body pos=\"1 0 0\"><joint name=\"b\" {b}/>\
         <geom size=\".1\" pos=\".5 0 0\"/><site name=\"second\" pos=\"{second}\"/></body></body></worldbody>{rest}"
    )
}

fn path(points: [&str; 2], limits: &str) -> String {
    let [from, to] = points;
    format!(
        "<tendon><spatial name=\"s\" {limits}><site site=\"{from}\"/><site site=\"{to}\"/></spatial></tendon>\
         <actuator><muscle tendon=\"s\" gear=\"2\"/></actuator>"
    )
}

#[track_caller]
fn assert_range(text: &str, [lower, upper]: [f64; 2]) {
    let found = model(text).actuators[0].active.unwrap().length_range;
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(
        near(found.0, lower) && near(found.1, upper),
        "{found:?}, expected {lower} {upper}"
    );
}

#[test]
fn lengths_of_paths_within_the_limits_of_joints() {
    let bounds = ["range=\"-1 1\"", "range=\".3 2.5\""];
    // The tip of the second link is |1 + e^(ib)| = 2 cos(b/2) away from the first hinge.
    let on_axis = path(["still", "second"], "");
    let tip = two_links(bounds, ["0 0 0", "0 0 0", "1 0 0"], &on_axis);
    assert_range(&tip, [4.0 * 1.25_f64.cos(), 4.0 * 0.15_f64.cos()]);
    // From a site three units away the tip is nearest when it points at the site, within the limits of
    // the first joint, and farthest at corners of the box.
    let away = two_links(bounds, ["3 0 0", "0 0 0", "1 0 0"], &on_axis);
    let distance = |a: f64, b: f64| {
        let (x, y) = (a.cos() + (a + b).cos(), a.sin() + (a + b).sin());
        (x - 3.0).hypot(y)
    };
    let mut ends = [f64::INFINITY, 0.0_f64];
    for i in 0..=2000 {
        for j in 0..=2000 {
            let (s, t) = (f64::from(i) / 2000.0, f64::from(j) / 2000.0);
            let l = distance(-1.0 + 2.0 * s, 0.3 + 2.2 * t);
            ends = [ends[0].min(l), ends[1].max(l)];
        }
    }
    let found = model(&away).actuators[0].active.unwrap().length_range;
    let slack = 1e-5;
    assert!(
        found.0 <= 2.0 * ends[0] + 1e-9 && found.0 > 2.0 * ends[0] - slack,
        "{found:?} {ends:?}"
    );
    assert!(
        found.1 >= 2.0 * ends[1] - 1e-9 && found.1 < 2.0 * ends[1] + slack,
        "{found:?} {ends:?}"
    );
    // A hinge without limits turns all round: the circle of radius 1 about the origin, seen from a
    // distance of 3. The second joint has no effect.
    let round = two_links(
        ["", "range=\"0 1\""],
        ["3 0 0", "0 1 0", "0 0 0"],
        &path(["still", "first"], ""),
    );
    assert_range(&round, [4.0, 8.0]);
    // The tendon's own limits bound the range, too.
    let limited = path(["still", "first"], "range=\"2.5 9\"");
    let round = two_links(["", "range=\"0 1\""], ["3 0 0", "0 1 0", "0 0 0"], &limited);
    assert_range(&round, [5.0, 8.0]);
}

#[test]
fn lengths_that_more_than_the_limits_of_joints_bounds_are_refused() {
    let bounds = ["range=\"-1 1\"", "range=\".3 2.5\""];
    let muscle = path(["still", "second"], "");
    let sites = ["3 0 0", "0 0 0", "1 0 0"];
    let expected = "a muscle without lengthrange, and";
    let another =
        "<tendon><fixed name=\"f\" range=\"-1 1\"><joint joint=\"b\" coef=\"1\"/></fixed></tendon>";
    let equality = "<equality><joint joint1=\"a\" joint2=\"b\"/></equality>";
    for (more, why) in [
        (another, "limits of tendon \"f\""),
        (equality, "equalities"),
    ] {
        let text = two_links(bounds, sites, &format!("{muscle}{more}"));
        unsupported(&text, &["line", expected, why, "give it"]);
    }
    let turned = two_links(bounds, sites, &muscle).replace(
        "<joint name=\"b\" range=\".3 2.5\"/>",
        "<joint name=\"b\" type=\"ball\"/>",
    );
    unsupported(
        &turned,
        &[
            "line",
            expected,
            "joint \"b\"",
            "more than one degree of freedom",
        ],
    );
    let slides = two_links(bounds, sites, &muscle).replace(
        "<joint name=\"b\" range=\".3 2.5\"/>",
        "<joint name=\"b\" type=\"slide\"/>",
    );
    unsupported(&slides, &["line", expected, "joint \"b\"", "no limits"]);
    // Joints without effect on the length, and inactive equalities, are allowed.
    let still = equality.replace("<joint ", "<joint active=\"false\" ");
    let muscle = path(["still", "first"], "");
    let aside = two_links(
        bounds,
        ["3 0 0", "0 1 0", "1 0 0"],
        &format!("{muscle}{another}{still}"),
    );
    let sine = 1.0_f64.sin();
    assert_range(
        &aside,
        [10.0 - 6.0 * sine, 10.0 + 6.0 * sine].map(|x| 2.0 * x.sqrt()),
    );
}

fn failed(status: Status, inside: &str, expected: &[&str]) {
    let e = failure(inside);
    assert_eq!(e.status, status, "{e}");
    for words in expected {
        assert!(e.message.contains(words), "{words:?} is not in: {e}");
    }
}

fn refused(inside: &str, expected: &[&str]) {
    failed(Status::Parse, inside, expected);
}

fn unsupported(inside: &str, expected: &[&str]) {
    failed(Status::Unsupported, inside, expected);
}

#[test]
fn stored_activations() {
    let text = with(
        "",
        "",
        "<motor joint=\"j\"/><cylinder joint=\"j\"/><intvelocity joint=\"j\"/>",
    );
    let m = model(&format!("{text}<keyframe><key act=\"1 2\"/></keyframe>"));
    assert_eq!(m.keyframes[0].act, [1.0, 2.0]);
    refused(
        &format!("{text}\n<keyframe><key act=\"1 2 3\"/></keyframe>"),
        &["<key>", "act: expected at most 2 numbers, found 3"],
    );
}

#[test]
fn what_is_refused() {
    for (actuator, expected) in [
        ("<damper joint=\"j\" ctrlrange=\"-1 1\"/>", "not negative"),
        ("<damper joint=\"j\"/>", "ctrlrange"),
        (
            "<general joint=\"j\" actrange=\"-1 1\"/>",
            "has no activation",
        ),
        (
            "<general joint=\"j\" dyntype=\"filter\" actlimited=\"true\"/>",
            "actrange",
        ),
        (
            "<muscle joint=\"j\" timeconst=\".3\" lengthrange=\"0 1\"/>",
            "timeconst",
        ),
        (
            "<intvelocity joint=\"j\" inheritrange=\"1\" actrange=\"0 1\"/>",
            "both actrange and inheritrange",
        ),
    ] {
        refused(&with("", "", actuator), &["line", expected]);
    }
}
