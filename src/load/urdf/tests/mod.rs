//! The models that URDF texts give.

mod files;
mod forms;
mod refused;

use super::*;
use crate::error::Status;
use crate::model::spec::{EqualityKind, JointKind, ShapeSpec};
use crate::spatial::{Mat3, Vec3};

const INERTIAL: &str = r#"<inertial><mass value="2"/>
  <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>"#;

fn read(text: &str) -> Result<ModelSpec> {
    read_str(text, None, &UrdfOptions::default())
}

fn error_of(text: &str) -> Error {
    read(text).expect_err("expected the text to be refused")
}

/// Links `a` and `b` with a joint `j` between them.
fn pair(joint_type: &str, joint: &str, link_b: &str) -> String {
    format!(
        r#"<robot name="r">
<link name="a"/>
<link name="b">{link_b}</link>
<joint name="j" type="{joint_type}"><parent link="a"/><child link="b"/>{joint}</joint>
</robot>"#
    )
}

const LIMIT: &str = r#"<limit lower="-1" upper="2" effort="3" velocity="4"/>"#;

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() < 1e-15
}

#[test]
fn a_pair_of_links() {
    let joint = format!(
        r#"<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 3 0"/>{LIMIT}
        <dynamics damping="0.5" friction="0.25"/>"#
    );
    let spec = read(&pair("revolute", &joint, INERTIAL)).unwrap();
    assert_eq!(spec.name, "r");
    assert_eq!(spec.gravity, Vec3::new(0.0, 0.0, -9.81));
    assert!(spec.warnings.is_empty(), "{:?}", spec.warnings);
    let names: Vec<_> = spec.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "b"]);
    assert!(spec.bodies[1].joints.is_empty());
    assert_eq!(spec.bodies[1].parent, 0);
    assert_eq!(spec.bodies[1].inertia.mass, 0.0);

    let b = &spec.bodies[2];
    assert_eq!((b.parent, b.origin.as_str()), (1, "line 3"));
    assert_eq!(b.placement.pos, Vec3::new(1.0, 2.0, 3.0));
    assert!(close(b.placement.rot.mul_vec(Vec3::X), Vec3::Y));
    assert_eq!(b.inertia.mass, 2.0);
    let [j] = b.joints.as_slice() else {
        panic!("{} joints", b.joints.len())
    };
    assert_eq!((j.name.as_str(), j.kind), ("j", JointKind::Revolute));
    assert_eq!((j.axis, j.anchor), (Vec3::new(0.0, 3.0, 0.0), Vec3::ZERO));
    assert_eq!(j.limits, Some((-1.0, 2.0)));
    assert_eq!((j.effort_limit, j.velocity_limit), (3.0, 4.0));
    assert_eq!((j.damping, j.friction_loss), (0.5, 0.25));
    assert!(j.origin.starts_with("line "));
}

#[test]
fn every_joint_type() {
    let kinds = [
        ("fixed", JointKind::Fixed),
        ("continuous", JointKind::Continuous),
        ("floating", JointKind::Free),
        ("planar", JointKind::Planar),
        ("spherical", JointKind::Spherical),
        ("ball", JointKind::Spherical),
        ("revolute", JointKind::Revolute),
        ("prismatic", JointKind::Prismatic),
    ];
    for (name, kind) in kinds {
        let limit = if matches!(name, "revolute" | "prismatic") {
            LIMIT
        } else {
            ""
        };
        let spec = read(&pair(name, limit, "")).unwrap();
        let j = &spec.bodies[2].joints[0];
        assert_eq!(
            (j.kind, j.limits.is_some()),
            (kind, !limit.is_empty()),
            "{name}"
        );
        // The default of the specification, for joints with an axis.
        let has_axis = !matches!(name, "fixed" | "floating" | "spherical" | "ball");
        assert_eq!(j.axis == Vec3::X, has_axis, "{name}");
    }
}

#[test]
fn inertia_moves_to_the_link_frame() {
    // The frame of the inertia is the link's turned by 90° about x and shifted by (1, 0, 2): its
    // principal moments 1, 2, 2.5 lie along x, z, y. Steiner's part is m((c·c)1 − c cᵀ), m = 2.
    let inertial = INERTIAL.replace(
        "<mass",
        r#"<origin rpy="1.5707963267948966 0 0" xyz="1 0 2"/><mass"#,
    );
    let spec = read(&pair("fixed", "", &inertial)).unwrap();
    let i = spec.bodies[2].inertia;
    let expected = [
        2.0,
        2.0,
        0.0,
        4.0,
        1.0 + 2.0 * 4.0,
        0.0,
        2.5 + 2.0 * 5.0,
        -2.0 * 2.0,
        0.0,
        2.0 + 2.0 * 1.0,
    ];
    for (got, want) in i.to_params().iter().zip(expected) {
        assert!((got - want).abs() < 1e-14, "{:?}", i.to_params());
    }
}

#[test]
fn degenerate_inertias_are_kept() {
    let massless = INERTIAL.replace("value=\"2\"", "value=\"0\"");
    let i = read(&pair("fixed", "", &massless)).unwrap().bodies[2].inertia;
    assert_eq!((i.mass, i.i.xx, i.i.yy, i.i.zz), (0.0, 1.0, 2.0, 2.5));
    let rod = INERTIAL.replace("ixx=\"1\"", "ixx=\"0\"");
    let i = read(&pair("fixed", "", &rod)).unwrap().bodies[2].inertia;
    assert_eq!((i.i.xx, i.i.yy), (0.0, 2.0));
}

#[test]
fn rotations_about_fixed_axes_in_order() {
    // x, then y, then z by 90° each: x → x → −z → −z, z → −y → −y → x.
    let q = "1.5707963267948966";
    let of = |attributes: &str| {
        let text = pair("fixed", &format!("<origin {attributes}/>"), "");
        read(&text).unwrap().bodies[2].placement.rot
    };
    let r = of(&format!(r#"rpy="{q} {q} {q}""#));
    assert!(close(r.mul_vec(Vec3::X), -Vec3::Z) && close(r.mul_vec(Vec3::Z), Vec3::X));
    let s = 0.5f64.sqrt();
    let r = of(&format!(r#"quat_xyzw="{s} 0 0 {s}""#));
    assert!(close(r.mul_vec(Vec3::Y), Vec3::Z));
    assert_eq!(of(""), Mat3::IDENTITY);
}

#[test]
fn collisions_with_names_and_without() {
    let link = r#"
<visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>
<collision><origin xyz="0 0 1"/><geometry><box size="2 4 6"/></geometry></collision>
<collision name="ball"><geometry><sphere radius="0.5"/></geometry></collision>
<collision name="ball"><geometry><cylinder radius="0.5" length="3"/></geometry></collision>
<collision name="b_0"><geometry><capsule radius="0.25" length="1"/></geometry></collision>"#;
    let spec = read(&pair("fixed", "", link)).unwrap();
    let names: Vec<_> = spec.geoms.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["b_0_", "ball", "b_2", "b_0"]);
    assert!(spec.geoms.iter().all(|g| g.body == 2));
    assert_eq!(spec.geoms[0].placement.pos, Vec3::Z);
    assert_eq!(spec.geoms[0].friction, [1.0, 0.005, 0.0001]);
    let shapes: Vec<_> = spec
        .geoms
        .iter()
        .map(|g| format!("{:?}", g.shape))
        .collect();
    assert_eq!(
        shapes,
        [
            "Box { half_extents: Vec3 { x: 1.0, y: 2.0, z: 3.0 } }",
            "Sphere { radius: 0.5 }",
            "Cylinder { radius: 0.5, half_length: 1.5 }",
            "Capsule { radius: 0.25, half_length: 0.5 }",
        ]
    );
    assert!(
        matches!(spec.warnings.as_slice(), [w] if w.contains("already taken")),
        "{:?}",
        spec.warnings
    );
}

fn links(names: &[&str]) -> String {
    names
        .iter()
        .map(|n| format!("<link name=\"{n}\"/>\n"))
        .collect()
}

fn fixed(joints: &[(&str, &str)]) -> String {
    let joint = |(k, (p, c)): (usize, &(&str, &str))| {
        format!(
            "<joint name=\"j{k}\" type=\"fixed\"><parent link=\"{p}\"/><child link=\"{c}\"/></joint>\n"
        )
    };
    joints.iter().enumerate().map(joint).collect()
}

fn robot(body: &str) -> String {
    format!("<robot name=\"r\">\n{body}</robot>")
}

#[test]
fn numbered_depth_first_in_the_order_of_the_joints() {
    let joints = fixed(&[
        ("root", "c"),
        ("c", "e"),
        ("root", "b"),
        ("b", "d"),
        ("c", "a"),
    ]);
    let text = robot(&(links(&["a", "b", "c", "d", "e", "root"]) + &joints));
    let spec = read(&text).unwrap();
    let tree: Vec<_> = spec
        .bodies
        .iter()
        .map(|b| (b.name.as_str(), b.parent))
        .collect();
    assert_eq!(
        tree,
        [
            ("world", 0),
            ("root", 0),
            ("c", 1),
            ("e", 2),
            ("a", 2),
            ("b", 1),
            ("d", 5)
        ]
    );
}

#[test]
fn a_root_called_world_is_the_world() {
    let geometry = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let text = robot(&format!(
        "<link name=\"world\">{geometry}{INERTIAL}</link>{}{}",
        links(&["a"]),
        fixed(&[("world", "a")])
    ));
    let spec = read(&text).unwrap();
    assert_eq!(spec.bodies.len(), 2);
    assert_eq!((spec.bodies[1].parent, spec.geoms[0].body), (0, 0));
    assert_eq!(spec.bodies[1].joints[0].kind, JointKind::Fixed);
    assert_eq!(spec.bodies[0].inertia.mass, 0.0);
    assert!(spec.warnings[0].contains("inertia of the world"));

    let below = robot(&(links(&["a", "world"]) + &fixed(&[("a", "world")])));
    assert!(
        error_of(&below)
            .message
            .contains("line 3: <link> \"world\": only the root")
    );
}

#[test]
fn what_is_not_used_is_listed_once_a_kind() {
    let text = robot(
        r#"<link name="a" color="red"><contact/></link><link name="b"/><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<calibration rising="0"/><safety_controller k_velocity="1"/>
<limit lower="0" effort="inf" velocity="1"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/>
<safety_controller k_velocity="1"/><limit effort="1" velocity="1"/></joint>
<transmission name="t"/><transmission name="u"/><gazebo><mu1>1</mu1></gazebo>
<sensor name="s"/><xacro:if xmlns:xacro="x"/><material name="m"/>
"#,
    );
    let spec = read(&text).unwrap();
    let expected = [
        "line 2: <link> \"a\": unknown attribute color, ignored",
        "line 2: <link> \"a\", <contact>: unknown element, ignored",
        "line 4: <joint> \"j\", <calibration>: ignored",
        "line 4: <joint> \"j\", <safety_controller>: ignored, with its soft limits 0 and 0, k_position 0, k_velocity 1 (2 times in the file)",
        "line 5: <joint> \"j\", <limit>: lower and upper ignored",
        "line 7: <joint> \"k\", <limit>: neither lower nor upper is given",
        "line 8: <transmission> \"t\": ignored",
        "line 8: <gazebo>: ignored, with its friction",
        "line 9: <sensor> \"s\": ignored",
        "line 9: <xacro:if>: unknown element, ignored",
    ];
    assert_eq!(spec.warnings.len(), expected.len(), "{:#?}", spec.warnings);
    for (warning, start) in spec.warnings.iter().zip(expected) {
        assert!(warning.starts_with(start), "{warning}");
    }
    assert!(
        spec.warnings[6].contains("(2 times") && spec.warnings[6].contains("transmissions = 1")
    );
    assert_eq!(spec.bodies[2].joints[0].effort_limit, f64::INFINITY);
    assert_eq!(spec.bodies[3].joints[0].limits, Some((0.0, 0.0)));
}

#[test]
fn mimic_is_refused_or_let_free() {
    let joint = format!("{LIMIT}\n<mimic joint=\"lead\" multiplier=\"2\"/>");
    let text = pair("revolute", &joint, "");
    let strict = UrdfOptions {
        mimic: Mimic::Error,
        ..UrdfOptions::default()
    };
    let e = read_str(&text, None, &strict).unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
    let place = "line 5: <joint> \"j\", <mimic>: ";
    assert!(
        e.message.starts_with(place)
            && [
                "\"lead\"",
                "mimic = DS_MIMIC_COUPLE",
                "DS_MIMIC_INDEPENDENT"
            ]
            .iter()
            .all(|word| e.message.contains(word)),
        "{}",
        e.message
    );

    let options = UrdfOptions {
        mimic: Mimic::Independent,
        ..UrdfOptions::default()
    };
    let spec = read_str(&text, None, &options).unwrap();
    assert_eq!(spec.bodies[2].joints[0].kind, JointKind::Revolute);
    assert!(spec.warnings[0].starts_with(place), "{:?}", spec.warnings);
}

#[test]
fn simple_transmissions_become_actuators_where_that_is_asked_for() {
    let text = |transmissions: &str| {
        let joint = |name: &str, kind: &str, child: &str| {
            format!(
                "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"a\"/><child link=\"{child}\"/></joint>\n"
            )
        };
        let tree =
            links(&["a", "b", "c"]) + &joint("j", "continuous", "b") + &joint("w", "fixed", "c");
        robot(&(tree + transmissions))
    };
    let simple = "<type>transmission_interface/SimpleTransmission</type>";
    let reduction = |x: &str| format!("<mechanicalReduction>{x}</mechanicalReduction>");
    let read_all = |transmissions: &str| {
        let options = UrdfOptions {
            transmissions: true,
            ..UrdfOptions::default()
        };
        read_str(&text(transmissions), None, &options)
    };
    let motor = |name: &str, inside: &str, beside: &str| {
        format!(
            "<joint name=\"j\"/><actuator name=\"{name}\">{inside}</actuator>{beside}</transmission>\n"
        )
    };
    let given = format!(
        "<transmission name=\"s\">{simple}{}<transmission name=\"t\" type=\"SimpleTransmission\">{}\
         <transmission name=\"u\">{simple}{}<transmission name=\"v\"><type>Differential</type>{}\
         <transmission name=\"w\">{simple}<joint name=\"w\"/><actuator name=\"k\"/></transmission>",
        motor("m", &reduction(" -160 "), ""),
        motor("n", "", &reduction("2.5")),
        motor("o", "", ""),
        motor("p", "", ""),
    );
    let spec = read_all(&given).unwrap();
    let found: Vec<_> = (spec.actuators.iter())
        .map(|a| (&a.name[..], a.gear[0], a.gain))
        .collect();
    assert_eq!(
        found,
        [("m", -160.0, 1.0), ("n", 2.5, 1.0), ("o", 1.0, 1.0)]
    );
    let place = |name: &str| format!("<transmission> \"{name}\": left out");
    assert!(
        spec.warnings[0].contains(&place("v")),
        "{:?}",
        spec.warnings
    );
    assert!(
        spec.warnings[1].contains(&place("w")),
        "{:?}",
        spec.warnings
    );
    assert_eq!(
        (
            spec.warnings.len(),
            read(&text(&given)).unwrap().actuators.len()
        ),
        (2, 0)
    );
    for wrong in ["0", "x", "inf", ""] {
        let e = read_all(&format!(
            "<transmission name=\"s\">{simple}{}",
            motor("m", &reduction(wrong), "")
        ))
        .unwrap_err();
        assert_eq!(e.status, Status::Parse);
        assert!(
            e.message.contains("<mechanicalReduction>")
                && e.message.ends_with(&format!("got \"{wrong}\"")),
            "{}",
            e.message
        );
    }
}

#[test]
fn mimic_becomes_a_coupling() {
    let two = |mimic: &str, kind: &str| {
        let joint = |name: &str, kind: &str, child: &str, more: &str| {
            format!(
                "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"a\"/><child link=\"{child}\"/>\
                 <axis xyz=\"0 0 1\"/>{LIMIT}{more}</joint>\n"
            )
        };
        let mimic = format!("<mimic {mimic}/>");
        robot(
            &(links(&["a", "b", "c"])
                + &joint("lead", kind, "b", "")
                + &joint("j", "prismatic", "c", &mimic)),
        )
    };
    let options = UrdfOptions {
        mimic: Mimic::Couple,
        ..UrdfOptions::default()
    };
    let spec = read_str(
        &two(
            "joint=\"lead\" multiplier=\"-2\" offset=\"0.5\"",
            "revolute",
        ),
        None,
        &options,
    )
    .unwrap();
    assert_eq!((spec.equalities.len(), spec.warnings.len()), (1, 0));
    assert_eq!(spec.equalities[0].name, "j");
    assert!(matches!(
        &spec.equalities[0].kind,
        EqualityKind::Joint { joint1, joint2: Some(leader), coefficients: [0.5, -2.0, 0.0, 0.0, 0.0], dofs: [0, 0] }
            if joint1 == "j" && leader == "lead"
    ));
    let plain = read_str(&two("joint=\"lead\"", "continuous"), None, &options).unwrap();
    assert!(matches!(
        plain.equalities[0].kind,
        EqualityKind::Joint { coefficients, .. } if coefficients == [0.0, 1.0, 0.0, 0.0, 0.0]
    ));
    for (mimic, kind, expected) in [
        (
            "joint=\"no\"",
            "revolute",
            "\"no\" is not a joint of the file; mimic = DS_MIMIC_INDEPENDENT",
        ),
        ("joint=\"j\"", "revolute", "follows itself"),
        ("joint=\"lead\"", "floating", "\"lead\" is Free"),
    ] {
        let e = read_str(&two(mimic, kind), None, &options).unwrap_err();
        assert!(e.message.contains(expected), "{}", e.message);
    }
}

#[test]
fn a_long_chain_needs_no_stack() {
    let n = 10_000;
    let names: Vec<_> = (0..=n).map(|k| format!("l{k}")).collect();
    let mut body = links(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for k in 0..n {
        body += &pair("revolute", LIMIT, "")
            .lines()
            .find(|l| l.starts_with("<joint"))
            .unwrap_or_default()
            .replace("\"j\"", &format!("\"j{k}\""))
            .replace("\"a\"", &format!("\"l{k}\""))
            .replace("\"b\"", &format!("\"l{}\"", k + 1));
    }
    let spec = read(&robot(&body)).unwrap();
    assert_eq!(spec.bodies.len(), n + 2);
    assert_eq!(spec.bodies[n + 1].parent, n);

    // The last link is above the first: all of them form a cycle without a root.
    let close = fixed(&[("l10000", "l0")]).replace("j0", "close");
    let e = error_of(&robot(&(body + &close)));
    assert!(e.message.contains("cycle"), "{}", e.message);
}
