//! Actuators in MJCF.

use super::names::Names;
use super::writer::{Writer, range};
use super::xml_text::Xml;
use crate::model::Actuator;
use crate::model::topology::LinkKind;

/// Writes those that MJCF can say; gives their indices in u.
pub(super) fn write(xml: &mut Xml, w: &mut Writer) -> Vec<usize> {
    let list = w.model.actuators();
    let names = actuator_names(w);
    let mut kept = Vec::new();
    for (id, a) in list.iter().enumerate() {
        match place(w, a) {
            Ok((joint, gear)) => {
                if kept.is_empty() {
                    xml.start("actuator");
                }
                kept.push(id);
                one(xml, w, a, names.of(id), &joint, &gear);
            }
            Err(what) => w.losses.note(what, &a.name),
        }
    }
    if !kept.is_empty() {
        xml.end();
    }
    kept
}

/// Inputs that are one for each dof have the names of their joints, some of them the same.
fn actuator_names(w: &mut Writer) -> Names {
    let list = w.model.actuators();
    let mut seen: Vec<(&str, usize)> = Vec::new();
    let given: Vec<String> = (list.iter())
        .map(|a| {
            let again = list
                .iter()
                .filter(|b| b.name == a.name && b.joint == a.joint)
                .count()
                > 1;
            if a.name.is_empty() || !again {
                return a.name.clone();
            }
            let count = match seen.iter_mut().find(|s| s.0 == a.name) {
                Some(s) => {
                    s.1 += 1;
                    s.1
                }
                None => {
                    seen.push((&a.name, 1));
                    1
                }
            };
            format!("{}_{count}", a.name)
        })
        .collect();
    Names::new("actuator", given.iter().map(|n| &n[..]), &mut w.losses)
}

/// The joint of the file on which an actuator acts and its gear there, or why there is none.
fn place(w: &Writer, a: &Actuator) -> Result<(String, Vec<f64>), &'static str> {
    let dofs = a.iv..a.iv + a.gear.len();
    let mut acting = (w.pieces[a.joint].iter())
        .filter(|p| (p.iv..p.iv + p.nv).any(|d| dofs.contains(&d) && a.gear[d - a.iv] != 0.0));
    let first = acting
        .next()
        .or(w.pieces[a.joint].iter().find(|p| p.iv == a.iv));
    let Some(piece) = first else {
        return Err("actuators that act on nothing are left out");
    };
    if acting.next().is_some() {
        return Err("actuators that act on several joints of the file at once are left out");
    }
    let gear: Vec<f64> = (piece.iv..piece.iv + piece.nv)
        .map(|d| {
            if dofs.contains(&d) {
                a.gear[d - a.iv]
            } else {
                0.0
            }
        })
        .collect();
    let inner = w.pieces[a.joint].len() == 4 && piece.nv == 1;
    if inner || (piece.kind == LinkKind::Free && gear[..3] != [0.0; 3]) {
        return Err(
            "actuators whose force on a free joint acts along the body's axes are left out",
        );
    }
    Ok((piece.name.clone(), gear))
}

fn one(xml: &mut Xml, w: &mut Writer, a: &Actuator, name: &str, joint: &str, gear: &[f64]) {
    let motor = a.gain == 1.0 && a.bias == [0.0; 3];
    xml.start(if motor { "motor" } else { "general" })
        .named("name", name)
        .attribute("joint", joint);
    if gear != [1.0] {
        xml.numbers("gear", gear);
    }
    if !motor {
        let mut bias = a.bias;
        // So it is that MJCF writes a damping ratio.
        if bias[2] > 0.0 && bias[1] == -a.gain {
            bias[1] = bias[1].next_down().min(-f64::MIN_POSITIVE);
            w.losses.note("servos that drive what they should damp get a stiffness that differs in its last bit", &a.name);
        }
        xml.numbers("gainprm", &[a.gain]);
        if bias != [0.0; 3] {
            xml.attribute("biastype", "affine")
                .numbers("biasprm", &bias);
        }
    }
    for (attribute, what, bounds) in [
        ("ctrlrange", "control ranges", a.control_range),
        ("forcerange", "force ranges", a.force_range),
    ] {
        if let Some((lower, upper)) = bounds.filter(|b| b.0.is_finite() || b.1.is_finite()) {
            range(xml, &mut w.losses, attribute, what, (lower, upper), &a.name);
        }
    }
    xml.end();
}
