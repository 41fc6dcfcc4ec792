//! A model as URDF.
//!
//! - If the robot is welded to the world at its origin, its own link is the root link. Otherwise the root
//!   link is `world`, which our reader takes for the world itself.
//! - A URDF joint turns its child about the child's own origin. If a joint of the model turns about another
//!   point of the body, or a body has several joints, links without mass are added between; the bodies keep
//!   their frames.
//! - Geoms that may touch something are `<collision>`, the others `<visual>`.

use super::aim;
use super::losses::Losses;
use super::names::{Names, of_model};
use super::obj::{Meshes, note_modes};
use super::pieces::{Piece, children, joints_of_bodies, pieces};
use super::shapes::{MATERIAL_LOST, has_material};
use super::whole_file::Written;
use super::xml_text::{UNBOUNDED, Xml, bounded};
use crate::error::Result;
use crate::load::urdf::from_rpy;
use crate::model::spec::{EqualityKind, GeomSpec, JointKind, ShapeSpec, USUAL_TIME_STEP};
use crate::model::topology::LinkKind;
use crate::model::{Joint, Model};
use crate::spatial::{Inertia, Mat3, Pose, Sym3, Vec3};

struct Writer<'m> {
    model: &'m Model,
    links: Names,
    joints: Names,
    geoms: Names,
    pieces: Vec<Vec<Piece>>,
    meshes: Meshes,
    /// Equalities that `<mimic>` expresses.
    mimics: Vec<usize>,
    losses: Losses,
}

pub(super) fn write(model: &Model, stem: &str) -> Result<Written> {
    let mut losses = Losses::default();
    let [mut joints, links, geoms] = of_model(model, &mut losses);
    let mut w = Writer {
        model,
        links,
        geoms,
        pieces: pieces(model, true, &mut joints, &mut losses),
        joints,
        meshes: Meshes::new(stem),
        mimics: Vec::new(),
        losses,
    };
    (1..model.nbody()).for_each(|b| w.links.need(b, &mut w.losses));
    for (id, j) in model.joints().iter().enumerate() {
        w.joints.need(id, &mut w.losses);
        if let ([piece], true) = (&mut w.pieces[id][..], j.name.is_empty()) {
            piece.name = w.joints.of(id).to_owned();
        }
    }
    let mut xml = Xml::new();
    let name = Names::new("robot", std::iter::once(model.name()), &mut w.losses);
    let name = if name.of(0).is_empty() {
        stem
    } else {
        name.of(0)
    };
    xml.start("robot").attribute("name", name);
    w.tree(&mut xml);
    w.left_out();
    Ok(Written {
        text: xml.finish(),
        attached: w.meshes.into_files(),
        losses: w.losses.into_lines(),
    })
}

fn origin(xml: &mut Xml, p: &Pose) {
    if *p == Pose::IDENTITY {
        return;
    }
    xml.start("origin").numbers("xyz", &p.pos.to_array());
    if p.rot != Mat3::IDENTITY {
        xml.numbers("rpy", &aim::roll_pitch_yaw(&p.rot, from_rpy));
    }
    xml.end();
}

impl Writer<'_> {
    /// Links and joints, depth first.
    fn tree(&mut self, xml: &mut Xml) {
        let (children, joints) = (children(self.model), joints_of_bodies(self.model));
        let mut geoms = vec![Vec::new(); self.model.nbody()];
        for (id, g) in self.model.geoms().iter().enumerate() {
            geoms[g.body].push(id);
        }
        let lone = match children[0][..] {
            [b] => {
                joints[b].is_empty()
                    && self.model.bodies()[b].placement == Pose::IDENTITY
                    && geoms[0].is_empty()
            }
            _ => false,
        };
        let mut stack = vec![0];
        while let Some(body) = stack.pop() {
            if body > 0 || !lone {
                if body > 0 && !(lone && body == children[0][0]) {
                    self.joints_of(xml, body, &joints[body]);
                }
                xml.start("link").attribute("name", self.links.of(body));
                self.inertial(xml, body);
                geoms[body].iter().for_each(|&g| self.geom(xml, g));
                xml.end();
            }
            stack.extend(children[body].iter().rev());
        }
    }

    fn inertial(&mut self, xml: &mut Xml, body: usize) {
        let inertia = &self.model.params().body_inertia[body];
        if body == 0 || *inertia == Inertia::ZERO {
            return;
        }
        let (com, about) = aim::inertial(inertia);
        let Sym3 {
            xx,
            xy,
            yy,
            xz,
            yz,
            zz,
        } = about;
        xml.start("inertial");
        origin(xml, &Pose::translation(com));
        xml.start("mass").numbers("value", &[inertia.mass]).end();
        xml.start("inertia");
        for (name, value) in [
            ("ixx", xx),
            ("ixy", xy),
            ("ixz", xz),
            ("iyy", yy),
            ("iyz", yz),
            ("izz", zz),
        ] {
            xml.numbers(name, &[value]);
        }
        xml.end();
        xml.end();
    }

    /// The joints between a body's link and its parent's, with links between them where there must be some.
    fn joints_of(&mut self, xml: &mut Xml, body: usize, joints: &[usize]) {
        let b = &self.model.bodies()[body];
        let link = self.links.of(body).to_owned();
        let mut parent = self.links.of(b.parent).to_owned();
        // The body's frame in that of the link so far, with the joints so far.
        let mut frame = b.placement;
        let moving: usize = joints.iter().map(|&j| self.pieces[j].len()).sum();
        let mut done = 0;
        let mut weld = None;
        for &j in joints {
            let pieces = std::mem::take(&mut self.pieces[j]);
            if pieces.is_empty() {
                weld = Some(self.joints.of(j).to_owned());
            }
            for piece in &pieces {
                done += 1;
                let turns = matches!(piece.kind, LinkKind::Revolute | LinkKind::Spherical);
                let anchor = if turns { piece.anchor } else { Vec3::ZERO };
                let last = done == moving && anchor == Vec3::ZERO;
                let child = match last {
                    true => link.clone(),
                    false => {
                        let name = self.links.fresh(&format!("{link}_{done}"));
                        xml.start("link").attribute("name", &name).end();
                        if done == 1 {
                            self.losses.note(
                                "bodies that turn about another point than their origin, or have several joints, have links \
                                 without mass before them",
                                &link,
                            );
                        }
                        name
                    }
                };
                let at = frame.compose(&Pose::translation(anchor));
                self.joint(xml, &self.model.joints()[j], piece, [&parent, &child], &at);
                frame = Pose::translation(-anchor);
                parent = child;
            }
            self.pieces[j] = pieces;
        }
        if parent != link {
            let name = weld.unwrap_or_else(|| self.joints.fresh(&format!("{link}_joint")));
            xml.start("joint")
                .attribute("name", &name)
                .attribute("type", "fixed");
            self.ends(xml, [&parent, &link], &frame);
            xml.end();
        }
    }

    fn ends(&self, xml: &mut Xml, [parent, child]: [&str; 2], placement: &Pose) {
        origin(xml, placement);
        xml.start("parent").attribute("link", parent).end();
        xml.start("child").attribute("link", child).end();
    }

    fn joint(
        &mut self,
        xml: &mut Xml,
        joint: &Joint,
        piece: &Piece,
        ends: [&str; 2],
        placement: &Pose,
    ) {
        let planar = joint.kind == JointKind::Planar;
        let kind = match (piece.kind, piece.limits) {
            _ if planar => "planar",
            (LinkKind::Revolute, Some(_)) => "revolute",
            (LinkKind::Revolute, None) => "continuous",
            (LinkKind::Prismatic, _) => "prismatic",
            (LinkKind::Spherical, _) => "spherical",
            (LinkKind::Free | LinkKind::Varying { .. }, _) => "floating",
        };
        if piece.kind == LinkKind::Spherical {
            self.losses.note("ball joints are no part of the format: other readers may refuse type=\"spherical\"", &joint.name);
            if piece.limits.is_some() {
                self.losses
                    .note("limits of ball joints are left out", &joint.name);
            }
        }
        xml.start("joint")
            .attribute("name", &piece.name)
            .attribute("type", kind);
        self.ends(xml, ends, placement);
        if planar || piece.nv == 1 {
            xml.start("axis")
                .numbers("xyz", &aim::direction(piece.axis, 1))
                .end();
            self.limit(xml, joint, piece);
        }
        self.dynamics(xml, joint, piece);
        self.mimic(xml, joint);
        xml.end();
    }

    fn mimic(&mut self, xml: &mut Xml, joint: &Joint) {
        for (id, e) in self.model.equalities().iter().enumerate() {
            if let EqualityKind::Joint {
                joint1,
                joint2: Some(leader),
                coefficients: [offset, slope, rest @ ..],
                dofs: [0, 0],
            } = &e.kind
                && *joint1 == joint.name
                && e.active
                && *rest == [0.0; 3]
            {
                let leader = self
                    .model
                    .joint_id(leader)
                    .map_or("", |id| self.joints.of(id));
                xml.start("mimic").attribute("joint", leader);
                xml.numbers("multiplier", &[*slope])
                    .numbers("offset", &[*offset])
                    .end();
                self.mimics.push(id);
                return;
            }
        }
    }

    fn limit(&mut self, xml: &mut Xml, joint: &Joint, piece: &Piece) {
        let (effort, velocity) = (joint.effort_limit, joint.velocity_limit);
        if joint.actuator_bounds.is_some() {
            let what = "joints' bounds of the sum of their actuators are left out";
            self.losses.note(what, &joint.name);
        }
        let sliding = piece.kind == LinkKind::Prismatic;
        if piece.limits.is_none() && !sliding && !effort.is_finite() && !velocity.is_finite() {
            return;
        }
        xml.start("limit");
        if sliding || piece.limits.is_some() {
            let (lower, upper) = piece.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            if !(lower.is_finite() && upper.is_finite()) {
                self.losses.note(
                    format!("joint limits that are open are closed at {UNBOUNDED:e}"),
                    &joint.name,
                );
            }
            let [lower, upper] = [lower, upper].map(|x| bounded(x) - piece.reference);
            xml.numbers("lower", &[lower]).numbers("upper", &[upper]);
        }
        xml.numbers("effort", &[bounded(effort)]);
        xml.numbers("velocity", &[bounded(velocity)]);
        xml.end();
    }

    fn dynamics(&mut self, xml: &mut Xml, joint: &Joint, piece: &Piece) {
        let p = self.model.params();
        let (damping, friction) = (p.damping[piece.iv], p.friction_loss[piece.iv]);
        if self.model.has_load_friction(piece.iv) {
            let what = "friction by the load of joints is left out";
            self.losses.note(what, &joint.name);
        }
        if damping != 0.0 || friction != 0.0 {
            xml.start("dynamics")
                .unless(&[0.0], "damping", &[damping])
                .unless(&[0.0], "friction", &[friction])
                .end();
        }
        let first = piece.iv == joint.iv;
        for (what, lost) in [
            (
                "joints' rotor inertias (armature) are left out",
                p.armature[piece.iv] != 0.0,
            ),
            (
                "joints' springs are left out",
                p.stiffness[piece.iv] != 0.0 || joint.stiffness_terms != [0.0; 2],
            ),
            (
                "joints' damping beyond the linear term is left out",
                joint.damping_terms != [0.0; 2],
            ),
            (
                "joints' limit margins are left out",
                joint.limit_margin != 0.0,
            ),
            (
                "joints' coordinates are counted from 0, not from their reference",
                piece.reference != 0.0,
            ),
        ] {
            if lost && first {
                self.losses.note(what, &joint.name);
            }
        }
    }

    fn geom(&mut self, xml: &mut Xml, id: usize) {
        let g = &self.model.geoms()[id];
        let touches = self.model.may_touch_any(id);
        if matches!(
            g.shape,
            ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_) | ShapeSpec::Ellipsoid { .. }
        ) {
            self.losses
                .note("planes, height fields and ellipsoids are left out", &g.name);
            return;
        }
        if matches!(g.shape, ShapeSpec::Capsule { .. }) {
            self.losses.note(
                "capsules are no part of the format: other readers may refuse <capsule>",
                &g.name,
            );
        }
        if touches {
            self.element(xml, "collision", id, g);
        } else {
            self.losses.note(
                "geoms that touch nothing are only drawn (<visual>)",
                &g.name,
            );
        }
        if !touches || g.rgba[0].is_finite() {
            self.element(xml, "visual", id, g);
        }
    }

    fn element(&mut self, xml: &mut Xml, tag: &'static str, id: usize, g: &GeomSpec) {
        xml.start(tag).named("name", self.geoms.of(id));
        origin(xml, &g.placement);
        xml.start("geometry");
        match &g.shape {
            ShapeSpec::Sphere { radius } => {
                xml.start("sphere").numbers("radius", &[*radius]).end();
            }
            ShapeSpec::Capsule {
                radius,
                half_length,
            } => {
                xml.start("capsule")
                    .numbers("radius", &[*radius])
                    .numbers("length", &[2.0 * half_length])
                    .end();
            }
            ShapeSpec::Cylinder {
                radius,
                half_length,
            } => {
                xml.start("cylinder")
                    .numbers("radius", &[*radius])
                    .numbers("length", &[2.0 * half_length])
                    .end();
            }
            ShapeSpec::Box { half_extents } => {
                xml.start("box")
                    .numbers("size", &(*half_extents * 2.0).to_array())
                    .end();
            }
            ShapeSpec::Mesh { mesh, mode, .. } => {
                let (file, scale) = self.meshes.file(mesh, &g.name, &mut self.losses);
                xml.start("mesh")
                    .attribute("filename", &file)
                    .unless(&[1.0; 3], "scale", &[scale; 3])
                    .end();
                if tag == "collision" {
                    note_modes(&mut self.losses, *mode, &g.name);
                }
            }
            ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_) | ShapeSpec::Ellipsoid { .. } => {}
        }
        xml.end();
        if tag == "visual" && g.rgba[0].is_finite() {
            xml.start("material")
                .attribute("name", &format!("colour_{id}"));
            xml.start("color").colour(g.rgba).end();
            xml.end();
        }
        xml.end();
    }

    /// Notes everything that a URDF cannot express.
    fn left_out(&mut self) {
        let m = self.model;
        for g in m.geoms() {
            let usual = GeomSpec::new("", 0, Pose::IDENTITY, g.shape.clone());
            let filtered = (g.contype, g.conaffinity) != (usual.contype, usual.conaffinity)
                && (g.contype, g.conaffinity) != (0, 0);
            for (what, lost) in [
                (
                    "geoms' friction, contact dimensions and priorities are left out",
                    (g.friction, g.condim, g.priority)
                        != (usual.friction, usual.condim, usual.priority),
                ),
                ("geoms' contact filters are left out", filtered),
                ("geoms' margins are left out", g.margin != 0.0),
                ("geoms' restitution is left out", g.restitution != 0.0),
                (MATERIAL_LOST, has_material(g)),
            ] {
                if lost {
                    self.losses.note(what, &g.name);
                }
            }
        }
        if m.fluid().acts() {
            (self.losses).note("the fluid that bodies move in is left out", m.name());
        }
        let named = |l: &mut Losses, what: &str, names: &mut dyn Iterator<Item = &String>| {
            names.for_each(|n| l.note(what, n))
        };
        let l = &mut self.losses;
        let carried = m.bodies().iter().filter(|b| b.gravity_compensation != 0.0);
        named(
            l,
            "bodies' gravity compensation is left out",
            &mut carried.map(|b| &b.name),
        );
        named(
            l,
            "sites are left out",
            &mut m.sites().iter().map(|s| &s.name),
        );
        for s in m.sensors() {
            l.note("sensors are left out", &s.name);
        }
        named(
            l,
            "springs are left out",
            &mut m.springs().iter().map(|s| &s.name),
        );
        named(
            l,
            "deformable bodies are left out, and their nodes fall apart",
            &mut m.deformables().iter().map(|d| &d.name),
        );
        named(
            l,
            "tendons are left out",
            &mut m.tendons().iter().map(|t| &t.name),
        );
        named(
            l,
            "actuators are left out",
            &mut m.actuators().iter().map(|a| &a.name),
        );
        named(
            l,
            "keyframes are left out",
            &mut m.keyframes().iter().map(|k| &k.name),
        );
        let kept = &self.mimics;
        if !kept.is_empty() {
            l.say("joints that follow others do so only if loaded with mimic");
        }
        let equalities = m
            .equalities()
            .iter()
            .enumerate()
            .filter(|(id, _)| !kept.contains(id));
        named(
            l,
            "equalities other than a joint that follows another are left out",
            &mut equalities.map(|(_, e)| &e.name),
        );
        let chosen = m.chosen_pairs().len() + usize::from(m.parents_touch());
        let apart = m.excludes().len() + m.pairs().len() + chosen;
        if apart > 0 {
            l.say(format!(
                "contact rules for single pairs of bodies or geoms are left out: {apart}"
            ));
        }
        let gravity = m.params().gravity;
        if gravity != Vec3::new(0.0, 0.0, -9.81) {
            let [x, y, z] = gravity.to_array();
            l.say(format!("gravity ({x} {y} {z}) is left out"));
        }
        if m.time_step() != USUAL_TIME_STEP {
            l.say(format!("the time step {} s is left out", m.time_step()));
        }
        if let Some(x) = m.integrator() {
            l.say(format!("the integrator {} is left out", x.name()));
        }
    }
}
