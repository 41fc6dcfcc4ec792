//! Bodies, frames, joints, geoms, sites, default classes.

use super::*;
use crate::model::spec::{FileIntegrator, JointKind, ShapeSpec};
use std::f64::consts::FRAC_PI_2;

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];
const MINUS_X: [f64; 3] = [-1.0, 0.0, 0.0];
const MINUS_Z: [f64; 3] = [0.0, 0.0, -1.0];

#[test]
fn tree_names_and_places() {
    let m = load(
        "<mujoco model=\"m\"><worldbody>\n<body name=\"a\" pos=\"1 2 3\">\n<body name=\"b\"/>\n\
         <geom name=\"ga\" size=\"1\"/></body>\n<body name=\"c\"><geom size=\"1\"/></body>\
         <geom name=\"floor\" type=\"plane\" size=\"0 3 1\"/></worldbody></mujoco>",
    )
    .unwrap();
    let names: Vec<&str> = m.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(m.name, "m");
    assert_eq!(names, ["world", "a", "b", "c"]);
    assert_eq!(
        m.bodies.iter().map(|b| b.parent).collect::<Vec<_>>(),
        [0, 0, 1, 0]
    );
    assert_eq!(m.bodies[2].origin, "line 3");
    assert_vec(m.bodies[1].placement.pos, [1.0, 2.0, 3.0]);
    // Geoms are ordered by body, for any order in the file.
    let geoms: Vec<(&str, usize)> = m.geoms.iter().map(|g| (g.name.as_str(), g.body)).collect();
    assert_eq!(geoms, [("floor", 0), ("ga", 1), ("", 3)]);
    assert!(matches!(
        m.geoms[0].shape,
        ShapeSpec::Plane {
            half_extents: [0.0, 3.0]
        }
    ));
}

#[test]
fn five_ways_to_turn_a_quarter() {
    // Each rotation maps x to y and y to −x.
    for form in [
        "quat=\"2 0 0 2\"",
        "axisangle=\"0 0 5 1.5707963267948966\"",
        "euler=\"0 0 1.5707963267948966\"",
        "xyaxes=\"0 2 0 -1 5 0\"",
    ] {
        let m = bodies(&format!("<body {form}/>"));
        assert_axes(&m.bodies[1].placement.rot, Y, MINUS_X);
    }
    // The smallest rotation that maps z to x maps x to −z.
    let m = bodies("<body zaxis=\"3 0 0\"/><body zaxis=\"0 0 -1\"/>");
    assert_axes(&m.bodies[1].placement.rot, MINUS_Z, Y);
    assert_vec(m.bodies[2].placement.rot.c[2], MINUS_Z);
}

#[test]
fn euler_sequences_and_degrees() {
    let turned = |sequence: &str| {
        let m = model(&format!(
            "<compiler eulerseq=\"{sequence}\"/><worldbody><body euler=\"90 90 0\"/></worldbody>"
        ));
        m.bodies[1].placement.rot
    };
    // About x, then about the new y: R = Rx Ry maps x to Rx(−z) = y, and y to Rx(y) = z.
    assert_axes(&turned("xyz"), Y, Z);
    // About the fixed x, then the fixed y: R = Ry Rx maps x to −z, and y to Ry(z) = x.
    assert_axes(&turned("XYZ"), MINUS_Z, X);
}

#[test]
fn frames_place_what_is_in_them() {
    let m = bodies(
        "<body name=\"b\"><frame pos=\"1 0 0\" euler=\"0 0 1.5707963267948966\">\
         <joint axis=\"1 0 0\" pos=\"1 0 0\"/><geom size=\"1\" pos=\"2 0 0\"/>\
         <site name=\"s\" pos=\"0 1 0\"/><body pos=\"1 0 5\"/></frame></body>",
    );
    let joint = &m.bodies[1].joints[0];
    assert_vec(joint.axis, Y);
    assert_vec(joint.anchor, [1.0, 1.0, 0.0]);
    assert_pose(&m.geoms[0].placement, [1.0, 2.0, 0.0], Y, MINUS_X);
    assert_pose(&m.sites[0].placement, [0.0, 0.0, 0.0], Y, MINUS_X);
    assert_pose(&m.bodies[2].placement, [1.0, 1.0, 5.0], Y, MINUS_X);
    assert_eq!(m.bodies[1].placement, Pose::IDENTITY);
}

#[test]
fn replicas_turn_and_advance() {
    let m = bodies(
        "<replicate count=\"3\" offset=\"1 0 0\" euler=\"0 0 1.5707963267948966\" sep=\"_\">\
         <body name=\"r\" pos=\"0 0 1\"><geom name=\"g\" size=\"1\"/></body></replicate>",
    );
    let names: Vec<&str> = m.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "r_0", "r_1", "r_2"]);
    assert_eq!(m.geoms[2].name, "g_2");
    assert_pose(&m.bodies[1].placement, [0.0, 0.0, 1.0], X, Y);
    assert_pose(&m.bodies[2].placement, [1.0, 0.0, 1.0], Y, MINUS_X);
    assert_vec(m.bodies[3].placement.pos, [1.0, 1.0, 1.0]);
}

#[test]
fn joints_with_all_their_numbers() {
    let m = model(
        "<worldbody><body><joint name=\"h\" axis=\"0 0 2\" pos=\"1 2 3\" range=\"-90 180\" \
         ref=\"90\" springref=\"-180\" stiffness=\"2\" damping=\"3\" armature=\"4\" \
         frictionloss=\"5\" margin=\"0.5\"/><joint type=\"slide\" axis=\"0 1 0\" range=\"-1 2\" \
         limited=\"false\" ref=\"7\"/></body><body><joint type=\"ball\" range=\"0 90\"/></body>\
         <body><freejoint name=\"f\"/></body></worldbody>",
    );
    let [hinge, slide] = m.bodies[1].joints.as_slice() else {
        panic!("two joints expected")
    };
    assert_eq!(
        (hinge.name.as_str(), hinge.kind),
        ("h", JointKind::Revolute)
    );
    assert_vec(hinge.axis, Z);
    assert_vec(hinge.anchor, [1.0, 2.0, 3.0]);
    assert_eq!(hinge.limits, Some((-FRAC_PI_2, 2.0 * FRAC_PI_2)));
    assert_near(hinge.reference, FRAC_PI_2);
    assert_near(hinge.spring_reference, -2.0 * FRAC_PI_2);
    assert_eq!((hinge.stiffness, hinge.damping), (2.0, 3.0));
    assert_eq!((hinge.armature, hinge.friction_loss), (4.0, 5.0));
    assert_eq!(hinge.limit_margin, 0.5);
    assert_eq!(
        (slide.kind, slide.limits, slide.reference),
        (JointKind::Prismatic, None, 7.0)
    );
    let ball = &m.bodies[2].joints[0];
    assert_eq!(ball.kind, JointKind::Spherical);
    assert_eq!(ball.limits, Some((0.0, FRAC_PI_2)));
    assert_eq!(m.bodies[3].joints[0].kind, JointKind::Free);
}

#[test]
fn free_joints_differ_in_their_defaults() {
    let m = model(
        "<default><joint damping=\"1\" armature=\"2\" limited=\"true\" range=\"0 1\"/></default>\
         <worldbody><body><freejoint/></body><body><joint type=\"free\"/></body></worldbody>",
    );
    let numbers = |b: usize| {
        let j = &m.bodies[b].joints[0];
        (j.damping, j.armature, j.limits)
    };
    assert_eq!(numbers(1), (0.0, 0.0, None));
    assert_eq!(numbers(2), (1.0, 2.0, None));
    let m = model("<worldbody><body><joint type=\"free\" range=\"0 1\"/></body></worldbody>");
    assert_eq!(
        m.warnings,
        ["line 1: the range of a free joint has no meaning"]
    );
}

#[test]
fn shapes_and_their_segments() {
    let m = bodies(
        "<geom size=\"1\"/><geom type=\"box\" size=\"1 2 3\"/><geom type=\"ellipsoid\" \
         size=\"1 2 3\"/><geom type=\"cylinder\" size=\"1 2\"/>\
         <geom type=\"capsule\" size=\".1\" fromto=\"3 0 0 1 0 0\"/>\
         <geom type=\"box\" size=\".1 .5\" fromto=\"0 0 0 0 0 -4\"/>",
    );
    assert!(matches!(
        m.geoms[0].shape,
        ShapeSpec::Sphere { radius: 1.0 }
    ));
    assert!(matches!(m.geoms[1].shape, ShapeSpec::Box { half_extents } if half_extents.z == 3.0));
    assert!(matches!(m.geoms[2].shape, ShapeSpec::Ellipsoid { semi_axes } if semi_axes.y == 2.0));
    assert!(matches!(
        m.geoms[3].shape,
        ShapeSpec::Cylinder {
            radius: 1.0,
            half_length: 2.0
        }
    ));
    assert!(matches!(
        m.geoms[4].shape,
        ShapeSpec::Capsule {
            radius: 0.1,
            half_length: 1.0
        }
    ));
    // The z axis points from the second end to the first.
    assert_pose(&m.geoms[4].placement, [2.0, 0.0, 0.0], MINUS_Z, Y);
    let ShapeSpec::Box { half_extents } = m.geoms[5].shape else {
        panic!("a box expected")
    };
    assert_vec(half_extents, [0.1, 0.1, 2.0]);
    assert_pose(&m.geoms[5].placement, [0.0, 0.0, -2.0], X, Y);
}

#[test]
fn contact_parameters_of_geoms() {
    let m = bodies(
        "<geom size=\"1\"/><geom size=\"1\" friction=\".5 .1\" condim=\"6\" contype=\"2\" \
         conaffinity=\"4\" priority=\"-1\" margin=\".01\"/>",
    );
    let plain = &m.geoms[0];
    assert_eq!(plain.friction, [1.0, 0.005, 0.0001]);
    assert_eq!((plain.condim, plain.contype, plain.conaffinity), (3, 1, 1));
    let g = &m.geoms[1];
    assert_eq!(g.friction, [0.5, 0.1, 0.0001]);
    assert_eq!((g.condim, g.contype, g.conaffinity), (6, 2, 4));
    assert_eq!((g.priority, g.margin), (-1, 0.01));
}

#[test]
fn classes_nest_and_childclass_reaches_down() {
    let m = model(
        "<default><geom size=\"1 1 1\" friction=\".9\"/><default class=\"a\">\
         <geom friction=\".5 .4\"/><default class=\"b\"><geom type=\"box\" friction=\".3\"/>\
         </default></default></default>\
         <worldbody><geom/><body childclass=\"b\"><geom/><geom class=\"main\"/><body><geom/></body>\
         <frame childclass=\"a\"><geom friction=\".1\"/></frame></body></worldbody>",
    );
    let seen: Vec<([f64; 3], bool)> = m
        .geoms
        .iter()
        .map(|g| (g.friction, matches!(g.shape, ShapeSpec::Box { .. })))
        .collect();
    assert_eq!(
        seen,
        [
            ([0.9, 0.005, 0.0001], false),
            ([0.3, 0.4, 0.0001], true),
            ([0.9, 0.005, 0.0001], false),
            ([0.1, 0.4, 0.0001], false),
            ([0.3, 0.4, 0.0001], true),
        ]
    );
}

#[test]
fn an_orientation_replaces_that_of_the_class() {
    let m = model(
        "<default><geom euler=\"90 0 0\" size=\"1\"/></default>\
         <worldbody><geom/><geom quat=\"1 0 0 0\"/></worldbody>",
    );
    assert_axes(&m.geoms[0].placement.rot, X, Z);
    assert_axes(&m.geoms[1].placement.rot, X, Y);
}

#[test]
fn options_and_flags() {
    let m = model(
        "<option timestep=\".004\" gravity=\"1 2 3\" integrator=\"RK4\"><flag contact=\"disable\" \
         limit=\"disable\" damper=\"disable\" spring=\"disable\" frictionloss=\"disable\"/></option>\
         <worldbody><body><joint range=\"0 1\" damping=\"1\" stiffness=\"1\" frictionloss=\"1\"/>\
         <geom size=\"1\"/></body></worldbody>",
    );
    assert_eq!(m.time_step, Some(0.004));
    assert_vec(m.gravity, [1.0, 2.0, 3.0]);
    let j = &m.bodies[1].joints[0];
    assert_eq!(
        (j.limits, j.damping, j.stiffness, j.friction_loss),
        (None, 0.0, 0.0, 0.0)
    );
    assert_eq!((m.geoms[0].contype, m.geoms[0].conaffinity), (0, 0));
    assert_eq!(
        m.warnings,
        [
            "line 1: integrator RK4 is not supported: DS_INTEGRATOR_MIDPOINT is used, the closest one"
        ]
    );
    assert_eq!(m.integrator, Some(FileIntegrator::Rk4));
    let weightless = model("<option><flag gravity=\"disable\"/></option>");
    assert_vec(weightless.gravity, [0.0; 3]);
    assert_eq!(
        (weightless.time_step, weightless.warnings.len()),
        (Some(0.002), 0)
    );
}

/// As in MuJoCo 4.0: sections are merged attribute by attribute, and flags apply when all sections are
/// read.
#[test]
fn several_sections_of_options() {
    let one = "<worldbody><body><joint range=\"0 1\" frictionloss=\"1\"/><geom size=\"1\"/></body></worldbody>";
    let read = |options: &str| model(&format!("{options}{one}"));
    let m = read(
        "<option gravity=\"0 0 -5\" integrator=\"implicit\"/><option timestep=\".003\"/>\
         <option integrator=\"implicitfast\"/>",
    );
    assert_vec(m.gravity, [0.0, 0.0, -5.0]);
    assert_eq!(
        (m.time_step, m.integrator),
        (Some(0.003), Some(FileIntegrator::ImplicitFast))
    );
    // There is no warning about a value that another section replaces.
    assert!(m.warnings.is_empty(), "{:?}", m.warnings);
    let off = "<option><flag gravity=\"disable\"/></option>";
    for (options, gravity) in [
        (format!("{off}<option gravity=\"0 0 -9.81\"/>"), 0.0),
        (
            format!("{off}<option gravity=\"0 0 -3\"><flag gravity=\"enable\"/></option>"),
            -3.0,
        ),
    ] {
        assert_vec(read(&options).gravity, [0.0, 0.0, gravity]);
    }
    let has = |options: &str| {
        let m = read(options);
        let j = &m.bodies[1].joints[0];
        (
            m.geoms[0].contype != 0,
            j.limits.is_some(),
            j.friction_loss > 0.0,
        )
    };
    let none = "<option><flag constraint=\"disable\"/></option>";
    for (options, expected) in [
        (none.to_string(), (false, false, false)),
        (
            format!("{none}<option><flag contact=\"enable\" limit=\"enable\"/></option>"),
            (false, false, false),
        ),
        (
            format!("{none}<option><flag constraint=\"enable\"/></option>"),
            (true, true, true),
        ),
        (
            format!("<option><flag limit=\"disable\"/></option>{none}<option><flag constraint=\"enable\"/></option>"),
            (true, false, true),
        ),
        (
            "<option><flag contact=\"disable\"/></option><option><flag contact=\"enable\"/></option>".into(),
            (true, true, true),
        ),
    ] {
        assert_eq!(has(&options), expected, "{options}");
    }
    // A feature that is disabled and enabled again is not refused.
    read(
        "<option><flag actuation=\"disable\"/></option><option><flag actuation=\"enable\"/></option>",
    );
    let e = failure("<option><flag actuation=\"disable\"/></option><option timestep=\".1\"/>");
    assert!(e.message.contains("actuation=\"disable\""), "{e}");
}

#[test]
fn a_fluid_and_what_meets_it() {
    let m = model(
        "<option density=\"4000\" viscosity=\".1\" wind=\"1 2 3\"/>\
         <default><geom fluidshape=\"ellipsoid\" fluidcoef=\"1 2\"/></default><worldbody><body>\
         <geom size=\"1\"/><geom size=\"1\" fluidshape=\"none\"/><geom size=\"1\" fluidcoef=\"3 4 5 6 7\"/>\
         </body></worldbody>",
    );
    assert!(m.warnings.is_empty(), "{:?}", m.warnings);
    assert_eq!((m.fluid.density, m.fluid.viscosity), (4000.0, 0.1));
    assert_vec(m.fluid.wind, [1.0, 2.0, 3.0]);
    let coefficients: Vec<_> = (m.geoms.iter())
        .map(|g| g.fluid.map(|c| c.to_array()))
        .collect();
    assert_eq!(
        coefficients,
        [
            Some([1.0, 2.0, 1.5, 1.0, 1.0]),
            None,
            Some([3.0, 4.0, 5.0, 6.0, 7.0])
        ]
    );
    let still =
        model("<option density=\"1\"><flag spring=\"disable\" damper=\"disable\"/></option>");
    assert!(!still.fluid.acts());
}

/// With one geom the axes are those of the geom, with several any principal axes.
#[test]
fn principal_axes_are_those_that_the_file_says() {
    let turned = "euler=\"90 0 0\"";
    let m = model(&format!(
        "<worldbody><body><geom type=\"capsule\" size=\"1 1\" {turned}/><geom size=\"1\" mass=\"0\"/></body>\
         <body><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\" {turned}/></body>\
         <body><geom size=\"1\"/><geom size=\"1\"/></body></worldbody>"
    ));
    for body in &m.bodies[1..3] {
        assert_vec(body.inertia_axes.unwrap().c[2], [0.0, -1.0, 0.0]);
    }
    assert!(m.bodies[3].inertia_axes.is_none());
}

#[test]
fn warnings_are_grouped() {
    let m = load(
        "<mujoco><worldbody>\n<geom size=\"1\" solref=\".1 1\"/>\n<geom size=\"1\" \
         solref=\".2 1\"/></worldbody><sensor><clock/></sensor></mujoco>",
    )
    .unwrap();
    assert_eq!(
        m.warnings,
        [
            "line 2 and 1 more: attribute solref of <geom> is not used",
            "line 3: <clock> is not used"
        ]
    );
}

#[test]
fn visual_geoms_are_discarded_on_request() {
    let m = model(
        "<compiler discardvisual=\"true\"/><worldbody><body><geom name=\"v\" size=\"1\" \
         contype=\"0\" conaffinity=\"0\" mass=\"2\"/><geom name=\"w\" size=\"1\" contype=\"0\" \
         conaffinity=\"0\" mass=\"1\"/><geom name=\"c\" size=\"1\" mass=\"1\"/></body></worldbody>\
         <contact><pair geom1=\"c\" geom2=\"w\"/></contact>",
    );
    let names: Vec<&str> = m.geoms.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["w", "c"]);
    assert_eq!((m.pairs[0].geom1, m.pairs[0].geom2), (1, 0));
    assert_near(m.bodies[1].inertia.mass, 4.0);
}
