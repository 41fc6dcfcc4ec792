//! Forms that are common in MuJoCo files. The expectations are MuJoCo's numbers.

use super::*;
use crate::model::spec::ShapeSpec;
use crate::model::tendon::Transmission;

#[test]
fn infinite_ranges_bound_nothing() {
    let m = bodies(
        "<body><joint name='a' range='-inf inf'/><joint name='b' axis='1 0 0' range='-inf 1'/>\
         <joint name='c' axis='0 1 0' range='-INF +inf' limited='true' actuatorfrcrange='-inf inf'/></body>",
    );
    let limits: Vec<_> = m.bodies[1].joints.iter().map(|j| j.limits).collect();
    assert_eq!(limits, [None, Some((f64::NEG_INFINITY, 1.0)), None]);
    let m = model(
        "<worldbody><body><joint name='j'/></body></worldbody><actuator><motor joint='j' ctrlrange='-inf inf' forcerange='-2 inf'/></actuator>",
    );
    assert_eq!(m.actuators[0].control_range, None);
    assert_eq!(m.actuators[0].force_range, Some((-2.0, f64::INFINITY)));
    let e = failure("<worldbody><body><joint range='nan 1'/></body></worldbody>");
    assert!(e.message.contains("line 2: <joint>: range"), "{e}");
}

const MESH: &str = "0 0 0 .5 0 0 0 .3 0 .1 .05 1.2 .6 .2 .3";

/// Sizes and places of MuJoCo 4.0, which stores meshes in single precision.
#[test]
fn primitives_are_fitted_to_meshes() {
    let inertia = [0.22592593, 0.11280865, 0.33796298];
    let middle = [0.2653007, 0.11122414, 0.60175552];
    for (kind, around, size) in [
        ("sphere", false, [0.24029627, 0.0, 0.0]),
        ("sphere", true, [0.61020478, 0.0, 0.0]),
        ("capsule", false, [0.16137821, 0.31744328, 0.0]),
        ("capsule", true, [0.3107899, 0.29941488, 0.0]),
        ("cylinder", false, [0.16137821, 0.39813239, 0.0]),
        ("cylinder", true, [0.3107899, 0.61020478, 0.0]),
        ("ellipsoid", false, [0.10195053, 0.22080589, 0.39813239]),
        ("ellipsoid", true, [0.14973159, 0.3107899, 0.61020478]),
        ("box", false, [0.10195053, 0.22080589, 0.39813239]),
        ("box", true, [0.14973159, 0.3107899, 0.61020478]),
    ] {
        for scale in [1.0, 2.0] {
            let m = model(&format!(
                "<compiler fitaabb='{around}'/><asset><mesh name='m' vertex='{MESH}'/></asset><worldbody><body><freejoint/>\
                 <geom type='{kind}' mesh='m' size='9 9 9' fitscale='{scale}'/></body></worldbody>"
            ));
            let g = &m.geoms[0];
            let found = match g.shape {
                ShapeSpec::Sphere { radius } => [radius, 0.0, 0.0],
                ShapeSpec::Capsule {
                    radius,
                    half_length,
                } => [radius, half_length, 0.0],
                ShapeSpec::Cylinder {
                    radius,
                    half_length,
                } => [radius, half_length, 0.0],
                ShapeSpec::Ellipsoid { semi_axes } => semi_axes.to_array(),
                ShapeSpec::Box { half_extents } => half_extents.to_array(),
                _ => panic!("{kind}"),
            };
            let place = if around { middle } else { inertia };
            for k in 0..3 {
                assert!(
                    (found[k] - scale * size[k]).abs() < 1e-7,
                    "{kind} {around}: {found:?}"
                );
                assert!(
                    (g.placement.pos[k] - place[k]).abs() < 1e-7,
                    "{kind} {around}"
                );
            }
            // Its z axis is the longest one; MuJoCo's quaternion 0.71879352 −0.00628592 −0.04056732
            // 0.69401056.
            let z = g.placement.rot.c[2];
            let theirs = [-0.06704255, -0.04727364, 0.99662955];
            let along = z.dot(Vec3::from_slice(&theirs)).abs();
            assert!((along - 1.0).abs() < 1e-6, "{kind}: {z:?}");
        }
    }
}

/// An actuator at a site keeps the names of the sites, and its gear.
#[test]
fn actuators_act_at_sites() {
    let bodies = "<worldbody><body name='drone'><freejoint/><geom size='.1'/><site name='a' pos='.1 .2 0'/>\
         <body name='arm'><joint/><geom size='.1'/><site name='c'/></body></body><site name='w'/></worldbody>";
    let m = model(&format!(
        "{bodies}<actuator><motor site='a' gear='0 0 1 0 0 -.02' ctrlrange='0 5'/><general site='c' gear='0 0 2'/>\
         <position site='c' refsite='w' kp='3'/></actuator>"
    ));
    let at = |site: &str, reference: Option<&str>| Transmission::Site {
        site: site.into(),
        reference: reference.map(Into::into),
    };
    let targets = [at("a", None), at("c", None), at("c", Some("w"))];
    for (a, target) in m.actuators.iter().zip(targets) {
        assert_eq!(a.transmission, target);
    }
    assert_eq!(m.actuators[0].gear, [0.0, 0.0, 1.0, 0.0, 0.0, -0.02]);
    assert_eq!(m.actuators[1].gear[..3], [0.0, 0.0, 2.0]);
    for (actuator, message) in [
        ("<motor site='x'/>", "site: nothing is named"),
        ("<motor site='a' refsite='x'/>", "refsite: nothing is named"),
        ("<position site='a' dampratio='1'/>", "dampratio"),
    ] {
        let e = failure(&format!("{bodies}\n<actuator>{actuator}</actuator>"));
        assert!(
            e.message.contains("line 3: ") && e.message.contains(message),
            "{actuator}: {e}"
        );
    }
}

#[test]
fn a_joint_bounds_the_sum_of_several_actuators() -> crate::error::Result<()> {
    let with = |actuators: &str| {
        load(&format!(
            "<mujoco><worldbody><body><joint name='j' actuatorfrcrange='-3 3'/><geom size='.1'/></body></worldbody>\
             <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator>{actuators}</actuator></mujoco>"
        ))
    };
    let pulled = with("<motor joint='j'/><motor tendon='t'/>")?;
    assert!(pulled.warnings[0].contains("line 1: actuatorfrcrange bounds"));
    let bounds = |m: &ModelSpec| m.bodies[1].joints[0].actuator_bounds;
    let several = with("<motor joint='j' ctrlrange='-1 1'/><position joint='j' gear='-2'/>")?;
    assert_eq!(several.actuators[0].force_range, None);
    assert_eq!(bounds(&several), Some((-3.0, 3.0)));
    assert!(several.warnings.is_empty(), "{:?}", several.warnings);
    let one = with("<motor joint='j' gear='-2'/>")?;
    assert_eq!(one.actuators[0].force_range, Some((-1.5, 1.5)));
    assert_eq!(bounds(&one), None);
    Ok(())
}

#[test]
fn compensation_by_actuators_and_parents_that_touch() {
    let m = bodies(
        "<body gravcomp='1'><joint name='j' actuatorgravcomp='true'/><geom size='.1'/></body>",
    );
    assert!(
        m.warnings[0].contains("actuatorgravcomp"),
        "{:?}",
        m.warnings
    );
    let e = failure(
        "<worldbody><body gravcomp='1'>\n<joint actuatorgravcomp='true' actuatorfrcrange='-1 1'/></body></worldbody>",
    );
    assert!(
        e.message.contains("line 3: <joint>: actuatorgravcomp"),
        "{e}"
    );
    assert!(!model("").parents_touch);
    assert!(model("<option><flag filterparent='disable'/></option>").parents_touch);
}

/// Attributes with a prefix belong to other programs; elements with one are unknown.
#[test]
fn prefixes_are_those_of_other_programs() {
    let text = "<mujoco xmlns:xsi='a' xsi:noNamespaceSchemaLocation='m.xsd' foo:bar='1'><worldbody/></mujoco></mujoco>";
    assert_eq!(load(text).expect("as MuJoCo").bodies.len(), 1);
    let e = failure("<x:actuator/>");
    assert!(e.message.contains("<x:actuator>: unknown element"), "{e}");
}
