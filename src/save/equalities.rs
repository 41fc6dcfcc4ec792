//! Contact filters and equalities in MJCF.

use super::aim;
use super::names::Names;
use super::writer::Writer;
use super::xml_text::Xml;
use crate::collision::scene::{PairFriction, Rules};
use crate::model::Model;
use crate::model::spec::EqualityKind;
use std::collections::{BTreeMap, BTreeSet};

/// A pair of geoms with its own numbers.
pub(super) struct Pair {
    pub a: usize,
    pub b: usize,
    condim: i32,
    friction: [f64; 5],
    margin: f64,
    gap: f64,
}

pub(super) struct Filters {
    /// Pairs of bodies.
    pub excludes: Vec<(usize, usize)>,
    pub pairs: Vec<Pair>,
}

/// Excluded bodies, and pairs of geoms. Pairs that never touch become excluded bodies if no other geoms of
/// these bodies may touch.
pub(super) fn contact(w: &mut Writer) -> Filters {
    let model = w.model;
    let rules = Rules::new(model);
    let mut excludes = model.excludes().to_vec();
    let mut seen = BTreeSet::new();
    let named = model.pairs().iter().map(|p| [p.geom1, p.geom2]);
    let chosen = model.chosen_pairs().iter().filter(|c| c.1).map(|c| c.0);
    let wanted: Vec<[usize; 2]> = named
        .chain(chosen)
        .filter(|&[a, b]| seen.insert([a.min(b), a.max(b)]))
        .collect();
    let mut apart: BTreeMap<[usize; 2], Vec<[usize; 2]>> = BTreeMap::new();
    for &(pair, _) in model.chosen_pairs().iter().filter(|c| !c.1) {
        let [a, b] = pair.map(|g| model.geoms()[g].body);
        apart.entry([a.min(b), a.max(b)]).or_default().push(pair);
    }
    let of_body = |body: usize| (0..model.ngeom()).filter(move |&g| model.geoms()[g].body == body);
    for ([a, b], pairs) in apart {
        let others = of_body(a).any(|g| {
            of_body(b).any(|h| {
                let pair = [g.min(h), g.max(h)];
                g != h && !seen.contains(&pair) && rules.pair(pair[0], pair[1]).is_some()
            })
        });
        if !others {
            excludes.push((a, b));
            continue;
        }
        for [g, h] in pairs {
            let name = |g: usize| &model.geoms()[g].name;
            let what =
                "pairs of geoms that never touch while others of their bodies do cannot be said";
            w.losses
                .note(what, &format!("{} with {}", name(g), name(h)));
        }
    }
    let pairs = wanted
        .into_iter()
        .filter_map(|[a, b]| {
            let pair = rules.pair(a.min(b), a.max(b))?;
            if pair.margin < 0.0 {
                w.losses
                    .note("margins below zero become zero", &model.geoms()[a].name);
            }
            Some(Pair {
                a,
                b,
                condim: pair.condim,
                friction: friction(model, [a, b], pair.friction),
                margin: pair.margin.max(0.0),
                gap: rules.gap([a, b]),
            })
        })
        .collect();
    Filters { excludes, pairs }
}

/// Friction along two tangents, torsion, rolling about two tangents.
fn friction(model: &Model, [a, b]: [usize; 2], sliding: PairFriction) -> [f64; 5] {
    let own = (model.pairs().iter())
        .find(|p| [p.geom1, p.geom2] == [a, b] || [p.geom2, p.geom1] == [a, b]);
    if let Some(friction) = own.and_then(|p| p.friction) {
        return friction;
    }
    let of = &model.params().geom_friction;
    let [s, t, r] = match sliding {
        PairFriction::OfGeom(g) => of[g],
        _ => [0, 1, 2].map(|k| of[a][k].max(of[b][k])),
    };
    [s, s, t, r, r]
}

pub(super) fn write_contact(xml: &mut Xml, w: &Writer, filters: &Filters) {
    if filters.excludes.is_empty() && filters.pairs.is_empty() {
        return;
    }
    xml.start("contact");
    for &(a, b) in &filters.excludes {
        xml.start("exclude")
            .attribute("body1", w.bodies.of(a))
            .attribute("body2", w.bodies.of(b));
        xml.end();
    }
    for p in &filters.pairs {
        xml.start("pair")
            .attribute("geom1", w.geoms.of(p.a))
            .attribute("geom2", w.geoms.of(p.b))
            .integer("condim", i64::from(p.condim))
            .numbers("friction", &p.friction)
            .unless(&[0.0], "margin", &[p.margin])
            .unless(&[0.0], "gap", &[p.gap]);
        xml.end();
    }
    xml.end();
}

/// Whether the joints of an equality have one dof each.
fn of_single_dofs(model: &Model, kind: &EqualityKind) -> bool {
    let EqualityKind::Joint { joint1, joint2, .. } = kind else {
        return true;
    };
    let ids = [Some(joint1), joint2.as_ref()].map(|name| model.joint_id(name?));
    ids.iter().flatten().all(|id| model.joint(*id).nv == 1)
}

pub(super) fn write(xml: &mut Xml, w: &mut Writer, tendons: &Names) {
    let model = w.model;
    let list = model.equalities();
    let names = Names::new("equality", list.iter().map(|e| &e.name[..]), &mut w.losses);
    let tendon = |name: &str| model.tendon_id(name).map_or("", |id| tendons.of(id));
    let joint = |name: &str| model.joint_id(name).map_or("", |id| w.joints.of(id));
    let mut begun = false;
    for (id, e) in list.iter().enumerate() {
        let tag = match e.kind {
            EqualityKind::Connect { .. } => "connect",
            EqualityKind::Weld { .. } => "weld",
            EqualityKind::Joint { .. } if !of_single_dofs(model, &e.kind) => {
                w.losses.note(
                    "equalities of joints with several dofs are left out",
                    &e.name,
                );
                continue;
            }
            EqualityKind::Joint { .. } => "joint",
            EqualityKind::Tendon { .. } => "tendon",
            EqualityKind::Distance { .. } => {
                w.losses.note(
                    "equalities that keep two points at a distance are left out",
                    &e.name,
                );
                continue;
            }
        };
        if !begun {
            xml.start("equality");
            begun = true;
        }
        xml.start(tag).named("name", names.of(id));
        if !e.active {
            xml.attribute("active", "false");
        }
        match &e.kind {
            EqualityKind::Connect {
                body1,
                body2,
                anchor,
            } => {
                xml.attribute("body1", w.bodies.of(*body1))
                    .attribute("body2", w.bodies.of(*body2))
                    .numbers("anchor", &anchor.to_array());
            }
            EqualityKind::Weld {
                body1,
                body2,
                anchor,
                relative,
                torque_scale,
            } => {
                xml.attribute("body1", w.bodies.of(*body1))
                    .attribute("body2", w.bodies.of(*body2))
                    .numbers("anchor", &anchor.to_array())
                    .unless(&[1.0], "torquescale", &[*torque_scale]);
                if let Some(p) = relative {
                    let [w, x, y, z] = aim::quaternion(&p.rot);
                    xml.numbers("relpose", &[p.pos.x, p.pos.y, p.pos.z, w, x, y, z]);
                }
            }
            EqualityKind::Joint {
                joint1,
                joint2,
                coefficients,
                ..
            } => {
                xml.attribute("joint1", joint(joint1));
                if let Some(second) = joint2 {
                    xml.attribute("joint2", joint(second));
                }
                xml.numbers("polycoef", coefficients);
            }
            EqualityKind::Tendon {
                tendon1,
                tendon2,
                coefficients,
            } => {
                xml.attribute("tendon1", tendon(tendon1));
                if let Some(second) = tendon2 {
                    xml.attribute("tendon2", tendon(second));
                }
                xml.numbers("polycoef", coefficients);
            }
            EqualityKind::Distance { .. } => {}
        }
        xml.end();
    }
    if begun {
        xml.end();
    }
}
