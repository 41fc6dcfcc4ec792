//! Forms that other programs commonly read.

use super::*;
use crate::error::Result;

fn warned(text: &str) -> Result<(ModelSpec, Vec<String>)> {
    let spec = read(text)?;
    let warnings = spec.warnings.clone();
    Ok((spec, warnings))
}

/// 14 of 322 public files have shapes of size zero: Atlas, Valkyrie, Kinova.
#[test]
fn shapes_without_size_are_left_out() -> Result<()> {
    let shape = |s: &str| {
        pair(
            "fixed",
            "",
            &format!("<collision><geometry>{s}</geometry></collision>"),
        )
    };
    for (text, what) in [
        ("<sphere radius='0'/>", "<sphere>: its radius is 0"),
        ("<box size='0 0 0'/>", "<box>: a length of its size is 0"),
        ("<box size='1 0 1'/>", "<box>: a length of its size is 0"),
        (
            "<cylinder radius='0' length='1'/>",
            "<cylinder>: its radius is 0",
        ),
        (
            "<cylinder radius='1' length='0.0'/>",
            "<cylinder>: its length is 0",
        ),
        (
            "<capsule radius='0' length='1'/>",
            "<capsule>: its radius is 0",
        ),
        (
            "<mesh filename='a.stl' scale='1 0 1'/>",
            "<mesh>: its scale has a 0",
        ),
        ("", "<collision>: has no shape, left out"),
    ] {
        let (spec, warnings) = warned(&shape(text))?;
        assert!(spec.geoms.is_empty(), "{text}");
        assert!(
            warnings.len() == 1
                && warnings[0].contains(what)
                && warnings[0].starts_with("line 3: "),
            "{text}: {warnings:?}"
        );
    }
    let (spec, warnings) = warned(&shape("<capsule radius='0.5' length='0'/>"))?;
    assert!(matches!(
        spec.geoms[0].shape,
        ShapeSpec::Sphere { radius: 0.5 }
    ));
    assert!(warnings.is_empty(), "{warnings:?}");
    // An <origin> within the <geometry>, and a second shape.
    let (spec, warnings) = warned(&shape(
        "<origin xyz='0 0 0'/><sphere radius='1'/><box size='1 1 1'/>",
    ))?;
    assert!(matches!(spec.geoms[..], [ref g] if matches!(g.shape, ShapeSpec::Sphere { .. })));
    assert!(
        warnings[0].contains("<origin>") && warnings[1].contains("one shape, the first"),
        "{warnings:?}"
    );
    Ok(())
}

#[test]
fn joints_without_bounds_move_without_bounds() -> Result<()> {
    let inf = f64::INFINITY;
    for (limit, limits, effort, velocity, what) in [
        ("", None, inf, inf, "has no <limit>"),
        (
            "<limit lower='-1' upper='2' velocity='4'/>",
            Some((-1.0, 2.0)),
            inf,
            4.0,
            "has no effort",
        ),
        (
            "<limit lower='-1' upper='2' effort='3'/>",
            Some((-1.0, 2.0)),
            3.0,
            inf,
            "has no velocity",
        ),
        (
            "<limit lower='-1' upper='2' effort='-1' velocity='4'/>",
            Some((-1.0, 2.0)),
            inf,
            4.0,
            "its effort is negative",
        ),
        (
            "<limit lower='2' upper='-1' effort='3' velocity='4'/>",
            None,
            3.0,
            4.0,
            "lower 2 is above upper -1",
        ),
        (
            "<limit lower='-inf' upper='inf' effort='INF' velocity='infinity'/>",
            None,
            inf,
            inf,
            "",
        ),
        (
            "<limit lower='-inf' upper='1.57,' effort='3' velocity='4'/>",
            Some((-inf, 1.57)),
            3.0,
            4.0,
            "",
        ),
    ] {
        for kind in ["revolute", "prismatic"] {
            let (spec, warnings) = warned(&pair(kind, limit, ""))?;
            let joint = &spec.bodies[2].joints[0];
            assert_eq!(
                (joint.limits, joint.effort_limit, joint.velocity_limit),
                (limits, effort, velocity),
                "{limit}"
            );
            let said = warnings
                .iter()
                .filter(|w| w.contains(what) && w.starts_with("line 4: "));
            assert_eq!(
                said.count(),
                usize::from(!what.is_empty()),
                "{limit}: {warnings:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn numbers_may_have_a_comma_behind_them() -> Result<()> {
    let spec = read(&pair(
        "fixed",
        "<origin xyz='1, 2,\n3,' rpy='0 0 1.5,'/>",
        "",
    ))?;
    assert_eq!(spec.bodies[2].placement.pos, Vec3::new(1.0, 2.0, 3.0));
    for wrong in ["1,2,3", "1 2 3,5", "1 2 3,,", "1 2 ,"] {
        let e = error_of(&pair("fixed", &format!("<origin xyz='{wrong}'/>"), ""));
        assert!(
            e.message
                .starts_with("line 4: <joint> \"j\", <origin>: attribute xyz"),
            "{e}"
        );
    }
    Ok(())
}

#[test]
fn texts_around_the_robot_and_strange_names() -> Result<()> {
    let robot = pair("fixed", "", INERTIAL);
    for (before, after) in [
        ("\n<?xml version='1.0'?>\n", ""),
        (
            "\u{feff}<?xml version='1.0'?><!-- a -- b -->",
            "\n<!-- c -->",
        ),
        ("<!DOCTYPE robot SYSTEM 'a.dtd'>", "</robot>\n"),
        ("[WARN] deprecated\n", ""),
    ] {
        let spec = read(&format!("{before}{robot}{after}"))?;
        assert_eq!(spec.bodies.len(), 3);
    }
    let odd = robot.replace(
        "<link name=\"a\"/>",
        "<link name=\"a\" gz:type='x'><sensor:camera/></link>",
    );
    let (spec, warnings) = warned(&odd)?;
    assert_eq!(spec.bodies.len(), 3);
    assert!(warnings[0].contains("<sensor:camera>"), "{warnings:?}");
    assert_eq!(read("<robot><link name='a'/></robot>")?.name, "");
    // Line numbers stay right after all of these.
    let e = error_of(&format!(
        "\n<?xml\nversion='1.0'?>\n<!--\n--\n-->{}",
        robot.replace("fixed", "x")
    ));
    assert!(e.message.starts_with("line 10: <joint> \"j\""), "{e}");
    Ok(())
}

#[test]
fn inertias_with_parts_missing() -> Result<()> {
    let with = |inertial: &str| warned(&pair("fixed", "", inertial));
    let (spec, warnings) = with("<inertial><origin xyz='0 0 3'/><mass value='2'/></inertial>")?;
    let inertia = &spec.bodies[2].inertia;
    assert_eq!((inertia.mass, inertia.com().z), (2.0, 3.0));
    assert!(
        warnings[0].contains("has no <inertia>: its mass is a point"),
        "{warnings:?}"
    );
    let (spec, warnings) = with(&INERTIAL.replace("ixz=\"0\"", ""))?;
    assert_eq!(spec.bodies[2].inertia.mass, 2.0);
    assert!(
        warnings[0].contains("<inertia>: has no ixz: it is 0"),
        "{warnings:?}"
    );
    let (spec, warnings) = with(&INERTIAL.replace("<mass value=\"2\"/>", ""))?;
    assert_eq!(spec.bodies[2].inertia.mass, 0.0);
    assert!(
        warnings[0].contains("has no <mass>: it weighs nothing"),
        "{warnings:?}"
    );
    Ok(())
}

/// urdfdom (Pinocchio, Drake's and ROS's tools) reads the first of repeated elements; TriFingerPro has two
/// inertials.
#[test]
fn the_first_of_repeated_elements_counts() -> Result<()> {
    let second = "<inertial><mass value='7'/><mass value='8'/></inertial>";
    let (spec, warnings) = warned(&pair("fixed", "", &format!("{INERTIAL}{second}")))?;
    assert_eq!(spec.bodies[2].inertia.mass, 2.0);
    assert_eq!(
        warnings,
        ["line 4: <link> \"b\", <inertial>: a second one, ignored: the first counts"]
    );
    let joint = format!(
        "{LIMIT}<axis xyz='0 0 1'/><origin xyz='1 0 0'/><dynamics damping='1'/>\
         <limit lower='-9' upper='9' effort='9' velocity='9'/><axis xyz='0 1 0'/><origin xyz='9 0 0'/>\
         <dynamics damping='9'/><parent link='b'/><child link='a'/>"
    );
    let (spec, warnings) = warned(&pair("revolute", &joint, ""))?;
    let (once, none) = warned(&pair(
        "revolute",
        &joint[..joint.find("<limit lower='-9'").unwrap_or(0)],
        "",
    ))?;
    assert_eq!(format!("{:?}", spec.bodies), format!("{:?}", once.bodies));
    assert!(none.is_empty() && warnings.len() == 6, "{warnings:?}");
    Ok(())
}
