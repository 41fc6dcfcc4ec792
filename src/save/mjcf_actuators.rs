//! Actuators in MJCF.

use super::names::Names;
use super::writer::{Writer, range};
use super::xml_text::Xml;
use crate::model::activation::ActivationLaw;
use crate::model::muscle::Muscle;
use crate::model::topology::LinkKind;
use crate::model::{ActsOn, Actuator};

/// Writes the actuators that MJCF can express. Returns the names of all, and the indices in u of those
/// written.
pub(super) fn write(
    xml: &mut Xml,
    w: &mut Writer,
    [tendons, sites]: [&Names; 2],
) -> (Names, Vec<usize>) {
    let list = w.model.actuators();
    let names = actuator_names(w);
    let mut kept = Vec::new();
    for (id, a) in list.iter().enumerate() {
        let target = match a.acts_on {
            ActsOn::Joint { joint, iv, .. } | ActsOn::Ball { joint, iv, .. } => {
                place(w, a, [joint, iv]).map(|(joint, gear)| (("joint", joint), gear))
            }
            ActsOn::Tendon(i) => Ok((("tendon", tendons.of(i).to_owned()), a.gear.clone())),
            ActsOn::Site { site, gear, .. } => {
                Ok((("site", sites.of(site).to_owned()), gear.to_vec()))
            }
            ActsOn::Body(i) => Ok((("body", w.bodies.of(i).to_owned()), a.gear.clone())),
        };
        match target {
            Ok(((what, joint), gear)) => {
                if kept.is_empty() {
                    xml.start("actuator");
                }
                kept.push(id);
                let reference = match a.acts_on {
                    ActsOn::Site { reference, .. } => reference.map(|i| sites.of(i)),
                    _ => None,
                };
                one(
                    xml,
                    w,
                    a,
                    names.of(id),
                    [(what, &joint), ("refsite", reference.unwrap_or(""))],
                    &gear,
                );
            }
            Err(what) => w.losses.note(what, &a.name),
        }
    }
    if !kept.is_empty() {
        xml.end();
    }
    (names, kept)
}

/// If there is one input for each dof, inputs have the names of their joints, and some names repeat.
fn actuator_names(w: &mut Writer) -> Names {
    let list = w.model.actuators();
    let mut seen: Vec<(&str, usize)> = Vec::new();
    let given: Vec<String> = (list.iter())
        .map(|a| {
            let again = list
                .iter()
                .filter(|b| b.name == a.name && b.joint() == a.joint())
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

/// The joint of the file on which an actuator acts, and its gear there; or the reason why there is none.
fn place(
    w: &Writer,
    a: &Actuator,
    [joint, iv]: [usize; 2],
) -> Result<(String, Vec<f64>), &'static str> {
    let gears = a.gears();
    let dofs = iv..iv + gears.len();
    let mut acting = (w.pieces[joint].iter())
        .filter(|p| (p.iv..p.iv + p.nv).any(|d| dofs.contains(&d) && gears[d - iv] != 0.0));
    let first = acting
        .next()
        .or(w.pieces[joint].iter().find(|p| p.iv == iv));
    let Some(piece) = first else {
        return Err("actuators that act on nothing are left out");
    };
    if acting.next().is_some() {
        return Err("actuators that act on several joints of the file at once are left out");
    }
    let gear: Vec<f64> = (piece.iv..piece.iv + piece.nv)
        .map(|d| {
            if dofs.contains(&d) {
                gears[d - iv]
            } else {
                0.0
            }
        })
        .collect();
    let inner = w.pieces[joint].len() == 4 && piece.nv == 1;
    if inner || (piece.kind == LinkKind::Free && gear[..3] != [0.0; 3]) {
        return Err(
            "actuators whose force on a free joint acts along the body's axes are left out",
        );
    }
    Ok((piece.name.clone(), gear))
}

fn one(
    xml: &mut Xml,
    w: &mut Writer,
    a: &Actuator,
    name: &str,
    targets: [(&str, &str); 2],
    gear: &[f64],
) {
    let is_simple = a.gain_slopes == [0.0; 2] && a.active.is_none() && a.passive.is_none();
    let motor = is_simple
        && a.gain == 1.0
        && a.bias == [0.0; 3]
        && a.activation.is_none()
        && !matches!(a.acts_on, ActsOn::Body(_));
    xml.start(if motor { "motor" } else { "general" })
        .named("name", name);
    for (attribute, target) in targets {
        xml.named(attribute, target);
    }
    if gear != [1.0] {
        xml.numbers("gear", gear);
    }
    if !motor {
        law(xml, w, a);
    }
    for (attribute, what, bounds) in [
        ("ctrlrange", "control ranges", a.control_range),
        ("forcerange", "force ranges", a.force_range),
        (
            "actrange",
            "ranges of activations",
            a.activation.and_then(|s| s.range),
        ),
    ] {
        if let Some((lower, upper)) = bounds.filter(|b| b.0.is_finite() || b.1.is_finite()) {
            range(xml, &mut w.losses, attribute, what, (lower, upper), &a.name);
        }
    }
    xml.end();
}

/// State, gain and bias.
fn law(xml: &mut Xml, w: &mut Writer, a: &Actuator) {
    if let Some(state) = &a.activation {
        let (kind, numbers) = match state.law {
            ActivationLaw::Integrator => ("integrator", [1.0, 0.0, 0.0]),
            ActivationLaw::Filter { time_constant } => ("filter", [time_constant, 0.0, 0.0]),
            ActivationLaw::FilterExact { time_constant } => {
                ("filterexact", [time_constant, 0.0, 0.0])
            }
            ActivationLaw::Muscle {
                rise,
                fall,
                smoothing,
            } => ("muscle", [rise, fall, smoothing]),
        };
        xml.attribute("dyntype", kind).numbers("dynprm", &numbers);
        if state.early {
            xml.attribute("actearly", "true");
        }
    }
    let mut bias = a.bias;
    // MJCF writes a damping ratio in this form.
    if a.gain_slopes == [0.0; 2]
        && a.active.is_none()
        && a.passive.is_none()
        && bias[2] > 0.0
        && bias[1] == -a.gain
    {
        bias[1] = bias[1].next_down().min(-f64::MIN_POSITIVE);
        w.losses.note(
            "servos with negative damping get a stiffness that differs in its last bit",
            &a.name,
        );
    }
    match &a.active {
        Some(muscle) => {
            xml.attribute("gaintype", "muscle")
                .numbers("gainprm", &numbers_of(muscle));
        }
        None if a.gain_slopes != [0.0; 2] => {
            let [by_length, by_rate] = a.gain_slopes;
            xml.attribute("gaintype", "affine")
                .numbers("gainprm", &[a.gain, by_length, by_rate]);
        }
        None => {
            xml.numbers("gainprm", &[a.gain]);
        }
    }
    match &a.passive {
        Some(muscle) => {
            xml.attribute("biastype", "muscle")
                .numbers("biasprm", &numbers_of(muscle));
        }
        None if bias != [0.0; 3] => {
            xml.attribute("biastype", "affine")
                .numbers("biasprm", &bias);
        }
        None => {}
    }
    let ranges = [&a.active, &a.passive].map(|m| m.map(|m| m.length_range));
    let [first, second] = ranges;
    if let Some((lower, upper)) = first.or(second) {
        xml.numbers("lengthrange", &[lower, upper]);
        if second.is_some_and(|other| other != (lower, upper)) {
            w.losses.note(
                "muscles whose passive part has its own length range get the length range of the active part",
                &a.name,
            );
        }
    }
}

/// In the order of `gainprm` and `biasprm`.
fn numbers_of(m: &Muscle) -> [f64; 9] {
    [
        m.range.0,
        m.range.1,
        m.force,
        m.scale,
        m.shortest,
        m.longest,
        m.fastest,
        m.passive,
        m.lengthening,
    ]
}
