//! Parts of other models in place of `<attach>`; the expectations are MuJoCo's.

use super::*;
use crate::error::Status;
use crate::load::mjcf::read_file;
use crate::model::spec::ShapeSpec;
use crate::model::tendon::Transmission;
use std::path::PathBuf;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> std::io::Result<Self> {
        let dir =
            std::env::temp_dir().join(format!("diffsim-attach-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("kids"))?;
        Ok(Scratch(dir))
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the folder is there");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const KID: &str = r#"<mujoco model="kid">
 <compiler angle="radian" meshdir="meshes"/>
 <default><joint damping="0.5"/><geom density="500"/><position kp="7"/>
  <default class="big"><geom size=".2"/></default></default>
 <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
 <worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <site name="s0"/>
  <body name="base" pos="0 0 1" childclass="big">
    <joint name="j1" range="-1 1"/><geom name="g1" type="sphere"/><site name="s1"/>
    <body name="arm" pos="0 0 .3"><joint name="j2" type="slide" axis="1 0 0"/><geom name="g2" size=".1"/></body>
  </body>
  <body name="other"><joint name="j3"/><geom name="g3" type="mesh" mesh="m"/></body>
 </worldbody>
 <tendon><fixed name="t"><joint joint="j1" coef="1"/><joint joint="j2" coef="2"/></fixed>
  <fixed name="t3"><joint joint="j3" coef="1"/></fixed></tendon>
 <equality><joint joint1="j1" joint2="j2" name="e"/></equality>
 <contact><exclude body1="base" body2="arm"/><exclude body1="world" body2="base"/></contact>
 <actuator><position name="a1" joint="j1"/><motor name="a3" joint="j3"/><motor name="at" tendon="t"/></actuator>
 <sensor><jointpos name="sp" joint="j1"/><framepos name="so" objtype="site" objname="s0"/><jointpos joint="j3"/></sensor>
 <keyframe><key name="k" qpos="0.1 0.2 0.3"/></keyframe>
</mujoco>"#;

fn main_file(asset: &str, inside: &str) -> String {
    format!(
        "<mujoco>\n<default><joint armature='3' damping='9'/></default>\n<asset>{asset}</asset>\n\
         <worldbody>{inside}</worldbody>\n</mujoco>"
    )
}

fn names<T>(list: &[T], name: impl Fn(&T) -> &str) -> Vec<String> {
    list.iter().map(|x| name(x).to_owned()).collect()
}

const ASSET: &str = "<model name='kid' file='kids/kid.xml'/>";

#[test]
fn a_body_brings_what_names_nothing_else() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let dir = Scratch::new("body")?;
    dir.write("kids/kid.xml", KID);
    let inside = "<body name='b' pos='1 0 0'><frame euler='0 0 90'><attach model='kid' body='base' prefix='l_'/></frame></body>";
    // The file also calls itself kid.
    for asset in [ASSET, "<model file='kids/kid.xml'/>"] {
        let m = read_file(
            &dir.write("main.xml", &main_file(asset, inside)),
            &MjcfOptions::default(),
        )?;
        assert_eq!(
            names(&m.bodies, |b| &b.name),
            ["world", "b", "l_base", "l_arm"]
        );
        assert_pose(
            &m.bodies[2].placement,
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0],
            [-1.0, 0.0, 0.0],
        );
        assert_near(
            m.bodies[2].inertia.mass,
            500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.008,
        );
        let joint = &m.bodies[2].joints[0];
        assert_eq!(
            (joint.name.as_str(), joint.damping, joint.armature),
            ("l_j1", 0.5, 0.0)
        );
        assert_eq!(joint.limits, Some((-1.0, 1.0)));
        assert_eq!(names(&m.geoms, |g| &g.name), ["l_g1", "l_g2"]);
        assert_eq!(names(&m.sites, |s| &s.name), ["l_s1"]);
        assert_eq!(names(&m.tendons, |t| &t.name), ["l_t"]);
        assert_eq!(names(&m.actuators, |a| &a.name), ["l_a1", "l_at"]);
        assert_eq!((m.actuators[0].gain, m.actuators[1].gain), (7.0, 1.0));
        assert_eq!(
            m.actuators[1].transmission,
            Transmission::Tendon("l_t".into())
        );
        assert_eq!(names(&m.sensors, |s| &s.name), ["l_sp"]);
        assert_eq!(names(&m.equalities, |e| &e.name), ["l_e"]);
        assert_eq!(m.excludes, [(2, 3), (0, 2)]);
        let told = |w: &String| w.contains("<keyframe> of an attached model is not used");
        assert!(m.warnings.iter().any(told), "{:?}", m.warnings);
    }
    Ok(())
}

#[test]
fn a_whole_model_twice_and_one_within_another()
-> std::result::Result<(), Box<dyn std::error::Error>> {
    let dir = Scratch::new("twice")?;
    dir.write("kids/kid.xml", KID);
    let both = "<attach model='kid' prefix='l_'/><frame pos='1 0 0'><attach model='kid' prefix='r_'/></frame>";
    let m = read_file(
        &dir.write("main.xml", &main_file(ASSET, both)),
        &MjcfOptions::default(),
    )?;
    let bodies = [
        "world", "l_base", "l_arm", "l_other", "r_base", "r_arm", "r_other",
    ];
    assert_eq!(names(&m.bodies, |b| &b.name), bodies);
    assert_vec(m.bodies[4].placement.pos, [1.0, 0.0, 1.0]);
    assert_eq!(m.geoms.len(), 8);
    assert_eq!(
        (m.actuators.len(), m.sensors.len(), m.excludes.len()),
        (6, 6, 4)
    );

    // A class of the host with the name of a class of the part stays another one.
    let host = main_file(
        "<model name='kid' file='kids/kid.xml'/>",
        "<attach model='kid' prefix=''/><body name='own'><geom class='big'/></body>",
    )
    .replace(
        "</default>",
        "<default class='big'><geom size='.7'/></default></default>",
    );
    let m = read_file(&dir.write("main.xml", &host), &MjcfOptions::default())?;
    let radius = |name: &str| {
        let body = m.bodies.iter().position(|b| b.name == name);
        let geom = m.geoms.iter().find(|g| Some(g.body) == body);
        match geom.map(|g| &g.shape) {
            Some(ShapeSpec::Sphere { radius }) => *radius,
            other => panic!("{name}: {other:?}"),
        }
    };
    assert_eq!((radius("base"), radius("own")), (0.2, 0.7));

    // A hand on an arm in a third file: prefixes are concatenated, and classes stay separate.
    let arm = "<mujoco model='arm'><default><joint damping='2'/></default><asset><model name='kid' file='kid.xml'/></asset>\
               <worldbody><body name='link'><joint name='turn'/><geom size='.1'/><attach model='kid' body='other' prefix='hand_'/>\
               </body></worldbody><actuator><motor name='m' joint='hand_j3'/></actuator></mujoco>";
    dir.write("kids/arm.xml", arm);
    let asset = "<model name='arm' file='kids/arm.xml'/>";
    let inside = "<attach model='arm' body='link' prefix='a_'/>";
    let m = read_file(
        &dir.write("main.xml", &main_file(asset, inside)),
        &MjcfOptions::default(),
    )?;
    assert_eq!(
        names(&m.bodies, |b| &b.name),
        ["world", "a_link", "a_hand_other"]
    );
    let damping: Vec<f64> = m
        .bodies
        .iter()
        .flat_map(|b| &b.joints)
        .map(|j| j.damping)
        .collect();
    assert_eq!(damping, [2.0, 0.5]);
    assert_eq!(names(&m.actuators, |a| &a.name), ["a_m", "a_hand_a3"]);
    assert_eq!(
        m.actuators[0].transmission,
        Transmission::Joint("a_hand_j3".into())
    );
    Ok(())
}

#[test]
fn what_cannot_be_attached_is_refused_with_its_line() -> std::io::Result<()> {
    let dir = Scratch::new("wrong")?;
    dir.write("kids/kid.xml", KID);
    dir.write(
        "kids/self.xml",
        "<mujoco model='self'><asset><model name='self' file='self.xml'/></asset><worldbody><attach model='self' prefix='s'/></worldbody></mujoco>",
    );
    dir.write("kids/robot.xml", "<robot/>");
    for (asset, inside, status, what) in [
        (
            ASSET,
            "<attach model='kid' body='base'/>",
            Status::Parse,
            "line 4: <attach>: attribute prefix is missing",
        ),
        (
            ASSET,
            "<attach prefix='a'/>",
            Status::Parse,
            "attribute model is missing",
        ),
        (
            ASSET,
            "<attach model='kd' prefix='a'/>",
            Status::Parse,
            "line 4: <attach>: no <model> of <asset> is named \"kd\"",
        ),
        (
            ASSET,
            "<attach model='kid' body='bse' prefix='a_'/>",
            Status::Parse,
            "has no body \"a_bse\"",
        ),
        (
            ASSET,
            "<attach model='kid' frame='f' prefix='a_'/>",
            Status::Unsupported,
            "frame",
        ),
        (
            ASSET,
            "<attach model='kid' mdl='f' prefix='a_'/>",
            Status::Parse,
            "unknown attribute mdl",
        ),
        (
            "<model name='kid' file='none.xml'/>",
            "<attach model='kid' prefix='a'/>",
            Status::Io,
            "line 3: <model>: file \"none.xml\" not found",
        ),
        (
            "<model name='kid' file='kids/self.xml'/>",
            "<attach model='kid' prefix='a'/>",
            Status::Parse,
            "includes itself",
        ),
        (
            "<model name='kid' file='kids/robot.xml'/>",
            "<attach model='kid' prefix='a'/>",
            Status::Parse,
            "found <robot>",
        ),
        (
            ASSET,
            "<attach model='kid' prefix='a'/><attach model='kid' prefix='a'/>",
            Status::Parse,
            "already taken",
        ),
    ] {
        let path = dir.write("main.xml", &main_file(asset, inside));
        let e = read_file(&path, &MjcfOptions::default()).expect_err(inside);
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.contains(what), "{what}: {e}");
    }
    Ok(())
}
