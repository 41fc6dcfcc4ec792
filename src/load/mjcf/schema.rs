//! The elements and attributes of MJCF, and their treatment here.
//!
//! The names are those of MuJoCo 4.0's schema. An unknown name is an error, so that typing mistakes are
//! noticed.

use super::flat_tree::Tree;
use super::node::Node;
use super::warnings::Warnings;
use crate::error::Result;

/// One kind of element. Lists are separated by spaces.
struct Rule {
    /// Name of the rule.
    name: &'static str,
    /// Names that are read, or have no physical meaning.
    known: &'static str,
    /// Names that are not used: a warning unless the value is neutral.
    warned: &'static str,
    /// Names of unsupported physics: an error unless the value is neutral.
    refused: &'static str,
    /// Allowed children, as `tag` or `tag=rule`.
    children: &'static str,
}

const fn rule(
    name: &'static str,
    known: &'static str,
    warned: &'static str,
    refused: &'static str,
    children: &'static str,
) -> Rule {
    Rule {
        name,
        known,
        warned,
        refused,
        children,
    }
}

/// Children under this rule are skipped, because they have no physical meaning.
const VISUAL: &str = "visual";
/// As [`VISUAL`], with a warning.
const UNUSED: &str = "unused";
/// The element itself is an error.
const REFUSED: &str = "refused";

const RULES: &[Rule] = &[
    rule(
        "mujoco",
        "model",
        "",
        "",
        "compiler option size statistic=visual visual default extension=refused asset \
         worldbody deformable=refused contact tendon equality actuator sensor keyframe \
         custom=unused",
    ),
    rule(
        "compiler",
        "angle assetdir autolimits balanceinertia boundinertia boundmass coordinate discardvisual \
         eulerseq fitaabb inertiafromgeom inertiagrouprange meshdir settotalmass strippath texturedir \
         usethread savecanonical savecompiled saveinertial",
        "fusestatic conflict passthrough",
        "alignfree",
        "lengthrange",
    ),
    rule(
        "lengthrange",
        "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit",
        "",
        "",
        "",
    ),
    rule(
        "option",
        "gravity timestep integrator density viscosity wind magnetic",
        "ccd_iterations ccd_tolerance cone \
         impratio iterations jacobian ls_iterations ls_tolerance noslip_iterations \
         noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations \
         sleep_tolerance solver tolerance apirate",
        "actuatorgroupdisable",
        "flag",
    ),
    rule(
        "flag",
        "contact gravity limit equality frictionloss spring damper clampctrl constraint actuation \
         filterparent override",
        "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd \
         nativeccd refsafe sensor sleep speculative warmstart",
        "",
        "",
    ),
    rule(
        "size",
        "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt \
         nuser_sensor nuser_site nuser_tendon nuserdata",
        "",
        "",
        "",
    ),
    rule(
        "default",
        "class",
        "",
        "",
        "default joint geom site mesh pair equality=equality_default tendon=tendon_default general motor \
         position velocity intvelocity damper cylinder muscle adhesion orientation=refused pid=refused \
         dcmotor=refused plugin=refused \
         texture=visual material=visual camera=visual light=visual",
    ),
    rule(
        "asset",
        "",
        "",
        "",
        "mesh hfield texture=visual material=visual skin=visual model",
    ),
    rule("model", "content_type file name", "", "", ""),
    rule(
        "mesh",
        "class content_type face file inertia name refpos refquat scale vertex material normal \
         texcoord smoothnormal maxhullvert",
        "",
        "builtin params",
        "plugin=refused",
    ),
    rule(
        "hfield",
        "content_type elevation file name ncol nrow size",
        "",
        "",
        "",
    ),
    rule("worldbody", "", "", "", BODY_CHILDREN),
    rule(
        "body",
        "axisangle childclass euler gravcomp mocap name pos quat user xyaxes zaxis",
        "fuse simple sleep",
        "",
        BODY_CHILDREN,
    ),
    rule(
        "frame",
        "name childclass pos quat axisangle euler xyaxes zaxis",
        "",
        "",
        BODY_CHILDREN,
    ),
    rule(
        "replicate",
        "count euler sep offset childclass",
        "",
        "",
        BODY_CHILDREN,
    ),
    rule(
        "inertial",
        "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis",
        "",
        "",
        "",
    ),
    rule(
        "joint",
        "actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss group \
         limited margin name pos range ref springdamper springref stiffness type user",
        "solimpfriction solimplimit solreffriction solreflimit",
        "springyield",
        "",
    ),
    rule("freejoint", "group name", "", "align", ""),
    rule(
        "geom",
        "axisangle castshadow class conaffinity condim contype density euler fitscale fluidcoef fluidshape \
         friction fromto group hfield margin mass material mesh name pos priority quat rgba shellinertia \
         size type user xyaxes zaxis",
        "gap solimp solmix solref",
        "adhesion surfacevel",
        "plugin=refused",
    ),
    rule(
        "site",
        "axisangle class euler fromto group material mesh name pos quat rgba size type user \
         xyaxes zaxis",
        "",
        "",
        "",
    ),
    rule(
        "flexcomp",
        "axisangle count dim dof element euler file flatskin group inertiabox mass material name point pos quat \
         radius rgba rigid scale spacing texcoord type xyaxes zaxis",
        "",
        "cellcount mesh origin",
        "edge=flex_edge elasticity=flex_elasticity contact=flex_contact pin plugin=refused",
    ),
    rule(
        "flex_edge",
        "damping stiffness",
        "solimp solref",
        "equality",
        "",
    ),
    rule(
        "flex_elasticity",
        "damping elastic2d poisson thickness young",
        "",
        "section sectionsize shear yield",
        "",
    ),
    rule(
        "flex_contact",
        "conaffinity condim contype friction selfcollide activelayers",
        "gap margin passive priority solimp solmix solref",
        "",
        "",
    ),
    rule("pin", "grid gridrange id range", "", "", ""),
    rule("contact", "", "", "", "pair exclude"),
    rule(
        "pair",
        "class condim friction geom1 geom2 margin name",
        "gap solimp solref solreffriction",
        "adhesion",
        "",
    ),
    rule("exclude", "body1 body2 name", "", "", ""),
    rule("tendon", "", "", "", "spatial fixed"),
    rule(
        "spatial",
        TENDON,
        TENDON_WARNED,
        TENDON_REFUSED,
        "site=path_site geom=path_geom pulley",
    ),
    rule(
        "fixed",
        TENDON,
        TENDON_WARNED,
        TENDON_REFUSED,
        "joint=path_joint",
    ),
    rule("tendon_default", TENDON, TENDON_WARNED, TENDON_REFUSED, ""),
    rule("path_site", "site", "", "", ""),
    rule("path_geom", "geom sidesite", "", "", ""),
    rule("pulley", "divisor", "", "", ""),
    rule("path_joint", "coef joint", "", "", ""),
    rule(
        "equality",
        "",
        "",
        "",
        "connect weld joint=joint_equality tendon=tendon_equality flex=flex_equality \
         flexvert=flex_equality flexstrain=flex_equality",
    ),
    rule("equality_default", "active", "solimp solref", "", ""),
    rule(
        "connect",
        "active anchor body1 body2 class name site1 site2",
        "solimp solref",
        "",
        "",
    ),
    rule(
        "weld",
        "active anchor body1 body2 class name relpose site1 site2 torquescale",
        "solimp solref",
        "",
        "",
    ),
    rule(
        "joint_equality",
        "active class joint1 joint2 name polycoef",
        "solimp solref",
        "",
        "",
    ),
    rule(
        "tendon_equality",
        "active class name polycoef tendon1 tendon2",
        "solimp solref",
        "",
        "",
    ),
    rule(
        "flex_equality",
        "active class name flex cell",
        "solimp solref",
        "",
        "",
    ),
    rule(
        "actuator",
        "",
        "",
        "",
        "general motor position velocity intvelocity damper cylinder muscle adhesion \
         orientation=refused pid=refused dcmotor=refused plugin=refused",
    ),
    rule(
        "general",
        "actdim actearly actlimited actrange armature biasprm biastype body class ctrllimited ctrlrange \
         cranklength damping dynprm dyntype forcelimited forcerange gainprm gaintype gear group \
         inheritrange input joint jointinparent name refsite site tendon user lengthrange",
        "",
        "cranksite delay ffrange interp nsample slidersite velrange",
        "",
    ),
    rule("motor", ACTUATOR, "", ACTUATOR_REFUSED, ""),
    rule("position", POSITION, "", ACTUATOR_REFUSED, ""),
    rule("velocity", VELOCITY, "", ACTUATOR_REFUSED, ""),
    rule("intvelocity", INTVELOCITY, "", ACTUATOR_REFUSED, ""),
    rule("damper", DAMPER, "", ACTUATOR_REFUSED, ""),
    rule("cylinder", CYLINDER, "", ACTUATOR_REFUSED, ""),
    rule(
        "muscle",
        MUSCLE,
        "",
        "cranksite delay interp nsample refsite slidersite",
        "",
    ),
    rule(
        "adhesion",
        "body class ctrlrange forcelimited forcerange gain group name user",
        "",
        "armature damping delay interp nsample",
        "",
    ),
    rule(
        "sensor",
        "",
        "",
        "",
        "framepos=frame_sensor framequat=frame_sensor framexaxis=frame_sensor \
         frameyaxis=frame_sensor framezaxis=frame_sensor framelinvel=frame_sensor \
         frameangvel=frame_sensor framelinacc=object_sensor frameangacc=object_sensor \
         gyro=site_sensor velocimeter=site_sensor accelerometer=site_sensor \
         magnetometer=site_sensor rangefinder touch=site_sensor force=site_sensor \
         torque=site_sensor jointpos=joint_sensor jointvel=joint_sensor ballquat=joint_sensor \
         ballangvel=joint_sensor jointactuatorfrc=joint_sensor tendonpos=tendon_sensor \
         tendonvel=tendon_sensor actuatorpos=actuator_sensor actuatorvel=actuator_sensor \
         actuatorfrc=actuator_sensor subtreecom=body_sensor subtreelinvel=body_sensor \
         subtreeangmom=body_sensor camprojection=unused tendonactuatorfrc=unused \
         jointlimitpos=joint_sensor jointlimitvel=joint_sensor jointlimitfrc=joint_sensor \
         tendonlimitpos=tendon_sensor tendonlimitvel=tendon_sensor \
         tendonlimitfrc=tendon_sensor insidesite=unused distance=unused \
         normal=unused fromto=unused contact=unused e_potential=unused e_kinetic=unused \
         clock=unused tactile=unused user=unused plugin=unused",
    ),
    rule(
        "frame_sensor",
        "cutoff name noise objname objtype refname reftype user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "object_sensor",
        "cutoff name noise objname objtype user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "site_sensor",
        "cutoff name noise site user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "rangefinder",
        "camera cutoff data name noise site user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "joint_sensor",
        "cutoff joint name noise user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "tendon_sensor",
        "cutoff name noise tendon user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "actuator_sensor",
        "actuator cutoff name noise user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule(
        "body_sensor",
        "body cutoff name noise user",
        SENSOR_WARNED,
        "",
        "",
    ),
    rule("keyframe", "", "", "", "key"),
    rule("key", "act name time qpos qvel ctrl mpos mquat", "", "", ""),
];

const SENSOR_WARNED: &str = "delay interp interval nsample";
const BODY_CHILDREN: &str = "body frame replicate inertial joint freejoint geom site \
     camera=visual light=visual composite=refused flexcomp attach=refused plugin=refused";
const TENDON: &str = "armature class damping frictionloss group limited margin material name range rgba \
     springlength stiffness user width";
const TENDON_WARNED: &str = "solimpfriction solimplimit solreffriction solreflimit";
const TENDON_REFUSED: &str = "actuatorfrclimited actuatorfrcrange springyield";
const ACTUATOR: &str = "armature damping class cranklength ctrllimited ctrlrange forcelimited forcerange gear \
     group joint jointinparent refsite site lengthrange name tendon user";
const POSITION: &str = "armature damping class cranklength ctrllimited ctrlrange forcelimited forcerange gear \
     group joint jointinparent refsite site lengthrange name tendon user kp kv dampratio inheritrange timeconst";
const INTVELOCITY: &str = "armature damping actlimited actrange class cranklength ctrllimited ctrlrange forcelimited \
     forcerange gear group joint jointinparent refsite site lengthrange name tendon user kp kv dampratio \
     inheritrange";
const DAMPER: &str = "armature damping class cranklength ctrlrange forcelimited forcerange gear group joint \
     jointinparent refsite site kv lengthrange name tendon user";
const CYLINDER: &str = "armature damping area bias class cranklength ctrllimited ctrlrange diameter forcelimited \
     forcerange gear group joint jointinparent refsite site lengthrange name tendon timeconst user";
const MUSCLE: &str = "armature damping class cranklength ctrllimited ctrlrange force forcelimited forcerange fpmax \
     fvmax gear group joint jointinparent site lengthrange lmax lmin name range scale tausmooth tendon \
     timeconst user vmax";
const VELOCITY: &str = "armature damping class cranklength ctrllimited ctrlrange forcelimited forcerange gear \
     group joint jointinparent refsite site lengthrange name tendon user kv";
const ACTUATOR_REFUSED: &str = "cranksite delay interp nsample slidersite";

fn contains(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.name == name)
}

/// Whether a value is neutral: it enables nothing.
fn is_neutral(value: &str) -> bool {
    matches!(value, "none" | "false" | "auto")
        || value
            .split_whitespace()
            .all(|w| w.parse::<f64>().is_ok_and(|x| x == 0.0))
}

/// Checks every element and attribute of the file.
///
/// # Errors
/// `Parse` for an unknown element or attribute, or a duplicate one; `Unsupported` for known physics that
/// this library does not have.
pub(super) fn check(tree: &Tree, warnings: &mut Warnings) -> Result<()> {
    for &id in &tree.stray_text {
        let node = Node { tree, id };
        warnings.add(
            node,
            format!("stray text inside <{}> is ignored", node.tag()),
        );
    }
    let mut stack = vec![(Node { tree, id: 0 }, "mujoco")];
    let parts = tree.models[1..].iter().map(|m| Node { tree, id: m.root });
    for section in parts.flat_map(|root| root.children()) {
        match section.tag() {
            "compiler" => stack.push((section, "compiler")),
            "deformable" | "extension" => stack.push((section, REFUSED)),
            tag @ ("option" | "keyframe") => {
                warnings.add(section, format!("<{tag}> of an attached model is not used"));
            }
            _ => {}
        }
    }
    while let Some((node, name)) = stack.pop() {
        let rule = match name {
            VISUAL => continue,
            UNUSED => {
                warnings.add(node, format!("<{}> is not used", node.tag()));
                continue;
            }
            REFUSED => return Err(node.unsupported("this element is not supported")),
            _ => find(name).ok_or_else(|| node.error("this element is not known"))?,
        };
        check_attributes(node, rule, warnings)?;
        let first = stack.len();
        for child in node.children() {
            let known = rule.children.split_ascii_whitespace().find_map(|entry| {
                let (tag, rule) = entry.split_once('=').unwrap_or((entry, entry));
                (tag == child.tag()).then_some(rule)
            });
            match known {
                Some(rule) => stack.push((child, rule)),
                None => {
                    return Err(child.error(format!("unknown element inside <{}>", node.tag())));
                }
            }
        }
        stack[first..].reverse();
    }
    Ok(())
}

fn check_attributes(node: Node<'_>, rule: &Rule, warnings: &mut Warnings) -> Result<()> {
    for (key, value) in node.attributes() {
        if contains(rule.known, key) {
            continue;
        } else if contains(rule.warned, key) {
            if !is_neutral(value) {
                let tag = node.tag();
                let what = match key.as_str() {
                    // The attribute of geoms and pairs.
                    "gap" => "counts for adhesion alone",
                    _ => "is not used",
                };
                warnings.add(node, format!("attribute {key} of <{tag}> {what}"));
            }
        } else if contains(rule.refused, key) {
            if !is_neutral(value) {
                return Err(node.unsupported(format!("{key}={value:?} is not supported")));
            }
        } else {
            return Err(node.error(format!("unknown attribute {key}")));
        }
    }
    Ok(())
}
