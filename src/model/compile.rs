//! From a description to a model: checks, depth-first numbering, and links.

use super::check::{
    REACH, check_geom, check_gravity_compensation, check_inertia, check_joint,
    check_moving_inertia, check_pose, described, spline,
};
use super::derived::Derived;
use super::fluid_shapes::check_geom_in;
use super::params::Params;
use super::reducing::compile as compile_reductions;
use super::spec::{
    BodySpec, EqualityKind, GeomSpec, JointKind, JointSpec, KeyframeSpec, ModelSpec, SiteSpec,
    USUAL_TIME_STEP,
};
use super::tendon::TendonSpec;
use super::topology::{Topology, WORLD};
use super::{Actuation, Body, Joint, Keyframe, Model};
use crate::error::{Error, Result};
use crate::joint::VaryingJoint;
use crate::joint::composition::{align_z, primitives, unit_axes};
use crate::spatial::{Inertia, Pose, Vec3};
use std::collections::HashMap;
use std::sync::Arc;

impl Model {
    /// Checks a description and compiles it.
    ///
    /// # Errors
    /// `InvalidArgument` naming the invalid body, joint, geom or actuator.
    pub fn compile(spec: ModelSpec, actuation: Actuation) -> Result<Model> {
        let source = Arc::new(spec.clone());
        let order = depth_first(&spec.bodies)?;
        let mut c = Compiler {
            new_body: vec![0; spec.bodies.len()],
            ..Compiler::default()
        };
        for (new, &old) in order.iter().enumerate() {
            c.new_body[old] = new;
        }
        for &old in &order {
            c.body(&spec.bodies[old])?;
        }
        c.topology.finish();
        let reduction = compile_reductions(&spec.reductions, &c.joints, &mut c.topology)?;
        c.topology.reduction = reduction.map(Arc::new);
        let model = c.finish(spec, actuation)?;
        Ok(Model { source, ..model })
    }
}

/// Bodies numbered depth first, siblings in the order of the description.
pub(super) fn depth_first(bodies: &[BodySpec]) -> Result<Vec<usize>> {
    let mut children = vec![Vec::new(); bodies.len()];
    if bodies.is_empty() {
        return Err(Error::invalid(
            "bodies: the first must be the world, got none",
        ));
    }
    for (i, b) in bodies.iter().enumerate().skip(1) {
        if b.parent >= i {
            return Err(Error::invalid(format!(
                "body {}: its parent must come before it, got index {} for body {i}",
                described(&b.name, &b.origin),
                b.parent
            )));
        }
        children[b.parent].push(i);
    }
    let mut order = Vec::with_capacity(bodies.len());
    let mut stack = vec![0];
    while let Some(i) = stack.pop() {
        order.push(i);
        stack.extend(children[i].iter().rev());
    }
    Ok(order)
}

#[derive(Default)]
pub(super) struct Compiler {
    new_body: Vec<usize>,
    pub(super) topology: Topology,
    pub(super) link_placement: Vec<Pose>,
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    inertias: Vec<Inertia>,
    pub(super) neutral: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    spring_reference: Vec<f64>,
    armature: Vec<f64>,
    friction_loss: Vec<f64>,
    joint_friction: Vec<[f64; 2]>,
    body_ids: HashMap<String, usize>,
    pub(super) joint_ids: HashMap<String, usize>,
    warnings: Vec<String>,
}

impl Compiler {
    fn body(&mut self, b: &BodySpec) -> Result<()> {
        let id = self.bodies.len();
        let parent = self.new_body[b.parent];
        let who = described(&b.name, &b.origin);
        check_pose(&b.placement, || format!("body {who}: placement"))?;
        if let Some(axes) = b.inertia_axes {
            let axes = Pose::new(axes, Vec3::ZERO);
            check_pose(&axes, || format!("body {who}: inertia axes"))?;
        }
        check_gravity_compensation(b.gravity_compensation, &who)?;
        let complaint = check_inertia(&b.inertia, &who)?;
        self.warnings
            .extend(complaint.map(|c| format!("{c}; they are used as they are")));
        if !b.name.is_empty() && self.body_ids.insert(b.name.clone(), id).is_some() {
            return Err(Error::invalid(format!(
                "body {who}: the name is taken twice"
            )));
        }
        // The frame in which the next joint is placed, on the last link.
        let (mut link, mut frame) = match id {
            0 => (WORLD, Pose::IDENTITY),
            _ => (self.bodies[parent].link, self.bodies[parent].in_link),
        };
        if id == 0 && !b.joints.is_empty() {
            return Err(Error::invalid("body \"world\": the world has no joints"));
        }
        let free = b.joints.iter().any(|j| j.kind == JointKind::Free);
        if free && b.joints.len() > 1 {
            return Err(Error::invalid(format!(
                "body {who}: a free joint must be the body's only one"
            )));
        }
        // The q of a free joint is the placement itself.
        if !free {
            frame = frame.compose(&b.placement);
        }
        if b.mocap && !(parent == 0 && free) {
            return Err(Error::invalid(format!(
                "body {who}: a mocap body must be a child of the world on a free joint"
            )));
        }
        for j in &b.joints {
            (link, frame) = self.joint(j, id, link, frame, &b.placement)?;
        }
        let far = frame.pos.max_abs();
        if far.is_nan() || far >= REACH {
            return Err(Error::invalid(format!(
                "body {who}: its position in the frame of the body that it moves with must be below {REACH:e}, got {far:e}"
            )));
        }
        self.inertias.push(b.inertia);
        self.bodies.push(Body {
            name: b.name.clone(),
            parent,
            link,
            in_link: frame,
            placement: b.placement,
            gravity_compensation: b.gravity_compensation,
            inertia_axes: b.inertia_axes,
            mocap: b.mocap,
        });
        Ok(())
    }

    /// Adds a joint's links. Returns the last link and the body's frame on it.
    fn joint(
        &mut self,
        j: &JointSpec,
        body: usize,
        mut link: usize,
        mut frame: Pose,
        placement: &Pose,
    ) -> Result<(usize, Pose)> {
        let who = described(&j.name, &j.origin);
        let id = self.joints.len();
        if !j.name.is_empty() && self.joint_ids.insert(j.name.clone(), id).is_some() {
            return Err(Error::invalid(format!(
                "joint {who}: the name is taken twice"
            )));
        }
        check_joint(j, &who)?;
        let (iq, iv) = (self.topology.nq, self.topology.nv());
        let first_link = self.topology.links.len();
        let mut placement_axes = Pose::IDENTITY;
        let axes = unit_axes(j.kind, [j.axis, j.axis2, j.axis3], &who)?;
        let varying = match &j.varying {
            None => spline(j, &who)?.map(|spline| Arc::new(spline) as Arc<dyn VaryingJoint>),
            own => own.clone(),
        };
        let made_of = match varying {
            Some(varying) => vec![(self.topology.take_up(&varying), Vec3::Z)],
            None => primitives(j.kind, axes),
        };
        for (kind, along) in made_of {
            let here = Pose::new(align_z(along), j.anchor);
            if self.topology.links.len() == first_link {
                placement_axes = Pose::new(here.rot.transpose(), Vec3::ZERO);
            }
            let one_dof = kind.nv() == 1;
            let reference = if one_dof { j.reference } else { 0.0 };
            self.topology.push(kind, link, id, reference);
            self.link_placement.push(frame.compose(&here));
            kind.neutral(placement, reference, &mut self.neutral);
            for _ in 0..kind.nv() {
                self.damping.push(j.damping);
                self.stiffness.push(j.stiffness);
                self.spring_reference.push(j.spring_reference);
                self.armature.push(j.armature);
                self.friction_loss.push(j.friction_loss);
            }
            link = self.topology.links.len() - 1;
            frame = here.inverse();
        }
        (self.joint_friction).push([j.friction_coefficient, j.friction_radius]);
        self.joints.push(Joint {
            name: j.name.clone(),
            kind: j.kind,
            body,
            first_link,
            link_count: self.topology.links.len() - first_link,
            iq,
            nq: self.topology.nq - iq,
            iv,
            nv: self.topology.nv() - iv,
            axis: axes[0],
            axis2: axes[1],
            axis3: axes[2],
            anchor: j.anchor,
            limits: match j.kind {
                JointKind::Spherical => j.limits.map(|(_, upper)| (0.0, upper)),
                _ => j.limits,
            },
            limit_margin: j.limit_margin,
            stiffness_terms: j.stiffness_terms,
            damping_terms: j.damping_terms,
            friction_height: j.friction_height,
            effort_limit: j.effort_limit,
            velocity_limit: j.velocity_limit,
            actuator_bounds: j.actuator_bounds,
            placement_axes,
        });
        Ok((link, frame))
    }

    fn finish(mut self, spec: ModelSpec, actuation: Actuation) -> Result<Model> {
        if !spec.gravity.is_finite() {
            return Err(Error::invalid(format!(
                "gravity: must be finite, got {:?}",
                spec.gravity
            )));
        }
        if let Some(h) = spec.time_step
            && !(h > 0.0 && h.is_finite())
        {
            return Err(Error::invalid(format!(
                "time step: must be positive, got {h}"
            )));
        }
        let (geoms, geom_order, geom_ids) = self.geoms(spec.geoms)?;
        spec.fluid.check()?;
        for g in &geoms {
            let moves = self.bodies[g.body].link != WORLD;
            check_geom_in(&spec.fluid, g, moves, &described(&g.name, &g.origin))?;
        }
        let (sites, site_ids) = self.sites(spec.sites)?;
        let (springs, spring_ids) = self.springs(spec.springs)?;
        let (tendons, tendon_ids) = self.tendons(spec.tendons)?;
        let deformables = self.deformables(spec.deformables)?;
        let nlink = self.topology.links.len();
        let params = Params {
            as_loaded: true,
            gravity: spec.gravity,
            body_inertia: std::mem::take(&mut self.inertias),
            link_inertia: vec![Inertia::ZERO; nlink],
            link_placement: std::mem::take(&mut self.link_placement),
            varying: self.topology.varying.clone(),
            joint_placement: vec![[0.0; 6]; self.joints.len()],
            damping: self.damping,
            stiffness: self.stiffness,
            spring_reference: self.spring_reference,
            armature: self.armature,
            friction_loss: self.friction_loss,
            joint_friction: self.joint_friction,
            geom_friction: geoms.iter().map(|g| g.friction).collect(),
            geom_restitution: geoms.iter().map(|g| g.restitution).collect(),
            geom_stiffness: geoms.iter().map(|g| g.stiffness).collect(),
            geom_dissipation: geoms.iter().map(|g| g.dissipation).collect(),
            geom_modulus: geoms.iter().map(|g| g.hydroelastic.modulus).collect(),
            geom_tangential: geoms.iter().map(|g| g.tangential).collect(),
            geom_size: geoms.iter().map(|g| g.shape.sizes()).collect(),
            spring: springs.iter().map(|s| [s.stiffness, s.damping]).collect(),
            spring_anchors: springs.iter().map(|s| [s.anchor1, s.anchor2]).collect(),
            tendon: tendons.iter().map(TendonSpec::numbers).collect(),
            tendon_points: tendons.iter().map(TendonSpec::points).collect(),
            deformable: deformables.iter().map(|d| d.numbers()).collect(),
            actuator_gain: Vec::new(),
            reduction: self.topology.reduction.clone(),
        };
        let mut pairs = spec.pairs;
        for p in &mut pairs {
            for g in [&mut p.geom1, &mut p.geom2] {
                *g = *geom_order
                    .get(*g)
                    .ok_or_else(|| Error::invalid(format!("pair: there is no geom {g}")))?;
            }
        }
        let known = |b: usize| {
            self.new_body
                .get(b)
                .copied()
                .ok_or_else(|| Error::invalid(format!("there is no body {b}")))
        };
        let mut excludes = Vec::new();
        for (a, b) in &spec.excludes {
            excludes.push((known(*a)?, known(*b)?));
        }
        let mut equalities = spec.equalities;
        for e in &mut equalities {
            if let EqualityKind::Connect { body1, body2, .. }
            | EqualityKind::Weld { body1, body2, .. }
            | EqualityKind::Distance { body1, body2, .. } = &mut e.kind
            {
                (*body1, *body2) = (known(*body1)?, known(*body2)?);
            }
        }
        let mut model = Model {
            source: Arc::default(),
            actuation,
            added: Vec::new(),
            effort_limits: false,
            notes: Vec::new(),
            name: spec.name,
            topology: self.topology,
            params,
            bodies: self.bodies,
            joints: self.joints,
            geoms,
            sites,
            springs,
            tendons,
            deformables,
            actuators: Vec::new(),
            sensors: Vec::new(),
            keyframes: Vec::new(),
            equalities,
            parents_touch: spec.parents_touch,
            excludes,
            pairs,
            chosen_pairs: Vec::new(),
            warnings: [spec.warnings, self.warnings].concat(),
            fluid: spec.fluid,
            time_step: spec.time_step.unwrap_or(USUAL_TIME_STEP),
            integrator: spec.integrator,
            neutral: self.neutral,
            body_ids: self.body_ids,
            joint_ids: self.joint_ids,
            geom_ids,
            site_ids,
            spring_ids,
            tendon_ids,
            sensor_ids: HashMap::new(),
            geometry: Derived::default(),
        };
        let mut params = model.params.clone();
        params.refresh(&model);
        model.params = params;
        if actuation != Actuation::FromFile {
            let joints = model.joints.iter_mut();
            joints.for_each(|j| j.actuator_bounds = None);
        }
        let actuators = model.actuators_of(&spec.actuators, actuation)?;
        model.actuate(actuators);
        model.bind_sensors(spec.sensors, &self.new_body, actuation)?;
        model.check_moving_mass()?;
        model.choose_origins();
        for k in &spec.keyframes {
            let key = model.keyframe_from(k, actuation)?;
            model.keyframes.push(key);
        }
        Ok(model)
    }

    pub(super) fn known_body(&self, body: usize, who: impl Fn() -> String) -> Result<usize> {
        self.new_body
            .get(body)
            .copied()
            .ok_or_else(|| Error::invalid(format!("{}: there is no body {body}", who())))
    }

    /// Sites sorted by body, in the description's order within each body, and their names.
    fn sites(&self, mut sites: Vec<SiteSpec>) -> Result<(Vec<SiteSpec>, HashMap<String, usize>)> {
        for s in &mut sites {
            s.body = self.known_body(s.body, || format!("site \"{}\"", s.name))?;
            check_pose(&s.placement, || format!("site \"{}\": placement", s.name))?;
        }
        sites.sort_by_cached_key(|s| s.body);
        let mut ids = HashMap::new();
        for (id, s) in sites.iter().enumerate() {
            if !s.name.is_empty() && ids.insert(s.name.clone(), id).is_some() {
                return Err(Error::invalid(format!(
                    "site \"{}\": the name is taken twice",
                    s.name
                )));
            }
        }
        Ok((sites, ids))
    }

    /// Geoms sorted by body, in the description's order within each body; and the new index of each.
    #[allow(clippy::type_complexity)]
    fn geoms(
        &self,
        specs: Vec<GeomSpec>,
    ) -> Result<(Vec<GeomSpec>, Vec<usize>, HashMap<String, usize>)> {
        let mut order: Vec<usize> = (0..specs.len()).collect();
        let mut list = Vec::with_capacity(specs.len());
        for mut g in specs {
            let who = described(&g.name, &g.origin);
            g.body = self.known_body(g.body, || format!("geom {who}"))?;
            check_geom(&g, &who)?;
            list.push(g);
        }
        order.sort_by_cached_key(|&i| list[i].body);
        let mut place = vec![0; order.len()];
        let mut ids = HashMap::new();
        let mut sorted = Vec::with_capacity(order.len());
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
            let g = list[old].clone();
            if !g.name.is_empty() && ids.insert(g.name.clone(), new).is_some() {
                return Err(Error::invalid(format!(
                    "geom {}: the name is taken twice",
                    described(&g.name, &g.origin)
                )));
            }
            sorted.push(g);
        }
        Ok((sorted, place, ids))
    }
}

impl Model {
    /// Checks bodies that move together, and warns of a joint that moves no mass. Such a joint only has
    /// an acceleration through its rotor or implicit damping; without either a step returns an error.
    fn check_moving_mass(&mut self) -> Result<()> {
        let n = self.topology.links.len();
        let mut names = vec![""; n];
        for b in self.bodies.iter().rev().filter(|b| b.link != WORLD) {
            names[b.link] = &b.name;
        }
        let mut carries = vec![false; n];
        let mut warnings = Vec::new();
        for i in (0..n).rev() {
            let l = &self.topology.links[i];
            check_moving_inertia(&self.params.link_inertia[i], &format!("\"{}\"", names[i]))?;
            carries[i] |= self.params.link_inertia[i] != Inertia::ZERO;
            if !carries[i] && self.params.armature[l.iv] == 0.0 {
                let j = &self.joints[l.joint];
                warnings.push(format!(
                    "joint \"{}\": it moves no mass (body \"{}\" and all below it have no \
                     inertia), so that its acceleration is not determined; give it an armature, \
                     or a body there an inertia",
                    j.name, self.bodies[j.body].name
                ));
            }
            if carries[i] && l.parent != WORLD {
                carries[l.parent] = true;
            }
        }
        self.warnings.extend(warnings);
        Ok(())
    }

    fn choose_origins(&mut self) {
        for t in &mut self.topology.trees {
            t.origin = (t.first_link..t.end_link)
                .find(|&i| self.params.link_inertia[i].mass > 0.0)
                .unwrap_or(t.first_link);
        }
    }

    fn keyframe_from(&self, k: &KeyframeSpec, actuation: Actuation) -> Result<Keyframe> {
        let who = described(&k.name, &k.origin);
        let sized = |what: &str, x: &[f64], n: usize| {
            if x.len() > n {
                return Err(Error::invalid(format!(
                    "keyframe {who}: {what} must have at most {n} numbers, got {}",
                    x.len()
                )));
            }
            match x.iter().find(|x| !x.is_finite()) {
                Some(bad) => Err(Error::invalid(format!(
                    "keyframe {who}: {what} must be finite, got {bad}"
                ))),
                None => Ok(x.len()),
            }
        };
        let mocap = self.mocap_links().count();
        let [nq, nv] = [self.nq() - 7 * mocap, self.nv() - 6 * mocap];
        let (mut q, mut v) = (self.neutral.clone(), vec![0.0; self.nv()]);
        let mut qpos = q.clone();
        self.q_to_mujoco(&q, &mut qpos);
        let given = sized("qpos", &k.qpos, nq)?;
        qpos[..given].copy_from_slice(&k.qpos);
        let given = sized("mocap", &k.mocap, 7 * mocap)?;
        qpos[nq..nq + given].copy_from_slice(&k.mocap);
        self.q_from_mujoco(&qpos, &mut q);
        let given = sized("qvel", &k.qvel, nv)?;
        if given > 0 {
            let mut qvel = v.clone();
            qvel[..given].copy_from_slice(&k.qvel);
            self.v_from_mujoco(&q, &qvel, &mut v);
        }
        let mut u = vec![0.0; self.nu()];
        let mut act = vec![0.0; self.na()];
        if actuation == Actuation::FromFile {
            let given = sized("ctrl", &k.ctrl, self.nu())?;
            u[..given].copy_from_slice(&k.ctrl);
            let given = sized("act", &k.act, self.na())?;
            act[..given].copy_from_slice(&k.act);
        }
        Ok(Keyframe {
            name: k.name.clone(),
            q,
            v,
            u,
            act,
        })
    }
}
