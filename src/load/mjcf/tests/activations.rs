//! Actuators with a state.

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

fn refused(inside: &str, expected: &[&str]) {
    let e = failure(inside);
    assert_eq!(e.status, Status::Parse, "{e}");
    for words in expected {
        assert!(e.message.contains(words), "{words:?} is not in: {e}");
    }
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
        &["<key>", "act: expected 2 numbers, found 3"],
    );
}

#[test]
fn what_is_refused() {
    for (actuator, expected) in [
        (
            "<damper joint=\"j\" ctrlrange=\"-1 1\"/>",
            "must not be negative",
        ),
        ("<damper joint=\"j\"/>", "ctrlrange"),
        (
            "<general joint=\"j\" actrange=\"-1 1\"/>",
            "without a state",
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
