//! A model as MJCF, MuJoCo's format.
//!
//! - Bodies keep their frames, inertias their bits; meshes are in the file.
//! - A joint of several degrees of freedom that MJCF lacks becomes several, with their own names. Fixed
//!   joints are welds without a name. A continuous joint is a hinge without limits.
//! - The compiler takes no inertia from geoms: a body without inertia has none in the file.

use super::mjcf_sensors::{Sensors, magnetic};
use super::mjcf_tendons::Paths;
use super::names::Names;
use super::pieces::{below, children, joints_of_bodies};
use super::shapes::{Assets, geom};
use super::whole_file::Written;
use super::writer::{Writer, place, range, zone};
use super::xml_text::Xml;
use super::{aim, equalities, mjcf_actuators};
use crate::error::Result;
use crate::model::sensor::usual_field;
use crate::model::spec::{EqualityKind, MJCF_TIME_STEP};
use crate::model::topology::LinkKind;
use crate::model::{Actuator, Joint, Model};
use crate::spatial::{Mat3, Vec3};

pub(super) fn write(model: &Model) -> Result<Written> {
    let mut w = Writer::new(model);
    w.split_inner_free_joints();
    let contact = equalities::contact(&mut w);
    w.name_what_is_referred_to(&contact);
    let mut paths = Paths::new(&mut w);
    let sensors = Sensors::new(&mut w, &mut paths);

    let mut xml = Xml::new();
    let name = Names::new("model", std::iter::once(model.name()), &mut w.losses);
    xml.start("mujoco").named("model", name.of(0));
    xml.start("compiler")
        .attribute("angle", "radian")
        .attribute("inertiafromgeom", "false");
    xml.end();
    xml.start("option")
        .numbers("gravity", &model.params().gravity.to_array());
    xml.unless(&[MJCF_TIME_STEP], "timestep", &[model.time_step()]);
    if let Some(integrator) = model.integrator() {
        xml.attribute("integrator", integrator.name());
    }
    let fluid = model.fluid();
    xml.unless(&[0.0], "density", &[fluid.density])
        .unless(&[0.0], "viscosity", &[fluid.viscosity])
        .unless(&[0.0; 3], "wind", &fluid.wind.to_array())
        .unless(
            &usual_field().to_array(),
            "magnetic",
            &magnetic(model).to_array(),
        );
    if model.parents_touch() {
        xml.start("flag").attribute("filterparent", "disable").end();
    }
    xml.end();
    let assets = Assets::write(&mut xml, &mut w);
    w.tree(&mut xml, &assets, &paths);
    equalities::write_contact(&mut xml, &w, &contact);
    for joint in w.model.load_friction() {
        let name = &w.model.joint(joint).name;
        w.losses
            .note("friction by the load of joints is left out", name);
    }
    for d in w.model.deformables() {
        let what = "deformable bodies are left out, and their nodes fall apart";
        w.losses.note(what, &d.name);
    }
    let tendons = paths.write(&mut xml, &mut w);
    equalities::write(&mut xml, &mut w, &tendons);
    let (actuators, kept) = mjcf_actuators::write(&mut xml, &mut w, [&tendons, &paths.sites]);
    w.keyframes(&mut xml, &kept);
    sensors.write(&mut xml, &mut w, &tendons, (&actuators, &kept));
    Ok(Written {
        text: xml.finish(),
        attached: Vec::new(),
        losses: w.losses.into_lines(),
    })
}

impl Writer<'_> {
    /// MJCF has free joints only on children of the world.
    fn split_inner_free_joints(&mut self) {
        for (id, j) in self.model.joints().iter().enumerate() {
            let body = &self.model.bodies()[j.body];
            if body.parent == 0 || !self.pieces[id].iter().any(|p| p.kind == LinkKind::Free) {
                continue;
            }
            self.losses.note(
                "free joints below another body become three slides and a ball joint: the same q, but a linear velocity \
                 in the parent's axes, and a spring that rests without a rotation",
                &j.name,
            );
            for p in std::mem::take(&mut self.pieces[id]) {
                self.pieces[id].extend(below(p, &body.placement, &mut self.joints));
            }
        }
    }

    fn name_what_is_referred_to(&mut self, contact: &equalities::Filters) {
        for &(a, b) in &contact.excludes {
            self.bodies.need(a, &mut self.losses);
            self.bodies.need(b, &mut self.losses);
        }
        for p in &contact.pairs {
            self.geoms.need(p.a, &mut self.losses);
            self.geoms.need(p.b, &mut self.losses);
        }
        for e in self.model.equalities() {
            if let EqualityKind::Connect { body1, body2, .. }
            | EqualityKind::Weld { body1, body2, .. } = e.kind
            {
                self.bodies.need(body1, &mut self.losses);
                self.bodies.need(body2, &mut self.losses);
            }
        }
        for joint in self.model.actuators().iter().filter_map(Actuator::joint) {
            for p in &mut self.pieces[joint] {
                if p.name.is_empty() {
                    self.joints.need(joint, &mut self.losses);
                    p.name = self.joints.of(joint).to_owned();
                }
            }
        }
    }

    /// The bodies, depth first, without recursion.
    fn tree(&mut self, xml: &mut Xml, assets: &Assets, paths: &Paths) {
        let (children, joints) = (children(self.model), joints_of_bodies(self.model));
        let mut geoms = vec![Vec::new(); self.model.nbody()];
        for (id, g) in self.model.geoms().iter().enumerate() {
            geoms[g.body].push(id);
        }
        let mut sites = vec![Vec::new(); self.model.nbody()];
        for (id, s) in self.model.sites().iter().enumerate() {
            sites[s.body].push(id);
        }
        enum Next {
            Enter(usize),
            Leave,
        }
        let mut stack = vec![Next::Enter(0)];
        while let Some(next) = stack.pop() {
            let Next::Enter(body) = next else {
                xml.end();
                continue;
            };
            self.body(xml, body, &joints[body]);
            for &g in &geoms[body] {
                geom(xml, self, assets, g);
            }
            for &s in &sites[body] {
                xml.start("site").named("name", paths.sites.of(s));
                zone(xml, &self.model.sites()[s].zone);
                place(xml, &self.model.sites()[s].placement);
                xml.end();
            }
            paths.write_on(xml, body);
            stack.push(Next::Leave);
            stack.extend(children[body].iter().rev().map(|&c| Next::Enter(c)));
        }
    }

    /// Starts a body's element and writes its inertia and joints.
    fn body(&mut self, xml: &mut Xml, id: usize, joints: &[usize]) {
        if id == 0 {
            xml.start("worldbody");
            return;
        }
        let mut placement = self.model.bodies()[id].placement;
        let split = |j: &usize| self.pieces[*j].len() == 4;
        if joints.iter().any(split) {
            placement.rot = Mat3::IDENTITY;
        }
        xml.start("body").named("name", self.bodies.of(id));
        place(xml, &placement);
        let is_mocap = self.model.bodies()[id].mocap;
        if is_mocap {
            xml.attribute("mocap", "true");
        }
        let share = self.model.bodies()[id].gravity_compensation;
        xml.unless(&[0.0], "gravcomp", &[share]);
        if let Some(inertia) = &self.inertias[id] {
            inertia.write(xml);
        }
        // The file makes its joint.
        let joints = if is_mocap { &[] } else { joints };
        for &j in joints {
            let joint = &self.model.joints()[j];
            if self.pieces[j].is_empty() {
                self.losses.note(
                    "fixed joints have no element: their names are left out",
                    &joint.name,
                );
            }
            for k in 0..self.pieces[j].len() {
                self.joint(xml, j, joint, k);
            }
        }
    }

    fn joint(&mut self, xml: &mut Xml, id: usize, joint: &Joint, k: usize) {
        let (piece, params) = (&self.pieces[id][k], self.model.params());
        let kind = match piece.kind {
            LinkKind::Revolute => "hinge",
            LinkKind::Prismatic => "slide",
            LinkKind::Spherical => "ball",
            LinkKind::Free | LinkKind::Varying { .. } => "free",
        };
        let one_dof = piece.nv == 1;
        xml.start("joint")
            .named("name", &piece.name)
            .attribute("type", kind);
        if piece.kind != LinkKind::Free {
            xml.unless(&[0.0; 3], "pos", &piece.anchor.to_array());
        }
        if one_dof {
            if piece.axis != Vec3::Z {
                xml.numbers("axis", &aim::direction(piece.axis, 2));
            }
            xml.unless(&[0.0], "ref", &[piece.reference]);
            xml.unless(&[0.0], "springref", &[piece.spring_reference]);
        }
        for (name, values, terms) in [
            ("stiffness", &params.stiffness, joint.stiffness_terms),
            ("damping", &params.damping, joint.damping_terms),
        ] {
            xml.polynomial(name, values[piece.iv], terms);
        }
        for (name, values) in [
            ("armature", &params.armature),
            ("frictionloss", &params.friction_loss),
        ] {
            xml.unless(&[0.0], name, &[values[piece.iv]]);
        }
        if let Some((lower, upper)) = piece.limits {
            let lower = if one_dof { lower } else { 0.0 };
            if lower.is_finite() || upper.is_finite() {
                let losses = &mut self.losses;
                range(
                    xml,
                    losses,
                    "range",
                    "joint limits",
                    (lower, upper),
                    &joint.name,
                );
            }
        }
        xml.unless(&[0.0], "margin", &[joint.limit_margin]);
        if k == 0 {
            self.effort(xml, id, joint);
        }
        xml.end();
    }

    /// Bounds of force and speed. A force bound would clamp the actuators of a file, so it is written only if
    /// they already stay within it.
    fn effort(&mut self, xml: &mut Xml, id: usize, joint: &Joint) {
        let effort = joint.effort_limit;
        if let Some((lower, upper)) = joint.actuator_bounds {
            xml.numbers("actuatorfrcrange", &[lower, upper]);
        } else if effort.is_finite() {
            let one_dof = self.pieces[id].len() == 1 && joint.nv == 1;
            let mut acting = self
                .model
                .actuators()
                .iter()
                .filter(|a| a.joint() == Some(id));
            let within = match (acting.next(), acting.next()) {
                (None, _) => true,
                (Some(a), None) => a.force_range.is_some_and(|(l, u)| {
                    let bound = effort / a.gear[0].abs();
                    -bound <= l && u <= bound
                }),
                _ => false,
            };
            if one_dof && effort > 0.0 && within {
                xml.numbers("actuatorfrcrange", &[-effort, effort]);
            } else {
                let what = "joints' effort limits, which would bind their actuators in the file, are left out";
                self.losses.note(what, &joint.name);
            }
        }
        if joint.velocity_limit.is_finite() {
            self.losses
                .note("joints' velocity limits are left out", &joint.name);
        }
    }

    /// The states, with the inputs of the actuators that were written.
    fn keyframes(&mut self, xml: &mut Xml, kept: &[usize]) {
        let keys = self.model.keyframes();
        if keys.is_empty() {
            return;
        }
        let names = Names::new(
            "keyframe",
            keys.iter().map(|k| &k.name[..]),
            &mut self.losses,
        );
        xml.start("keyframe");
        for (id, k) in keys.iter().enumerate() {
            let (mut qpos, mut qvel) = (k.q.clone(), k.v.clone());
            self.model.q_to_mujoco(&k.q, &mut qpos);
            self.model.v_to_mujoco(&k.q, &k.v, &mut qvel);
            let ctrl: Vec<f64> = kept.iter().map(|&a| k.u[a]).collect();
            let states = self.model.activated().zip(&k.act);
            let act: Vec<f64> = states
                .filter(|((a, _), _)| kept.contains(a))
                .map(|(_, act)| *act)
                .collect();
            xml.start("key").named("name", names.of(id));
            let mocap = self.model.mocap_links().count();
            let poses = qpos.split_off(qpos.len() - 7 * mocap);
            qvel.truncate(qvel.len() - 6 * mocap);
            let part = |range: std::ops::Range<usize>| -> Vec<f64> {
                let poses = poses.chunks_exact(7);
                poses
                    .flat_map(|pose| &pose[range.clone()])
                    .copied()
                    .collect()
            };
            for (name, values) in [
                ("qpos", &qpos),
                ("qvel", &qvel),
                ("ctrl", &ctrl),
                ("act", &act),
                ("mpos", &part(0..3)),
                ("mquat", &part(3..7)),
            ] {
                if !values.is_empty() {
                    xml.numbers(name, values);
                }
            }
            xml.end();
        }
        xml.end();
    }
}
