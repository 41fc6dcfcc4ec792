//! The parameters of a model: which exist, their values, and the numbers derived from them.

use super::Model;
use super::deformable::DEFORMABLE_NUMBERS;
use super::params::{Param, ParamKind, Params, SPRING_NUMBERS, TENDON_NUMBERS};
use super::reduction::Reduction;
use super::spec::JointKind;
use super::tendon::{PathPoint, TendonPath, TendonSpec};
use super::topology::{LinkKind, WORLD};
use crate::error::{Error, Result};
use crate::spatial::{INERTIA_PARAMS, Inertia, Mat3, Pose, Quat, Twist, Vec3, so3_right_jacobian};
use std::sync::Arc;

/// The displacement of a joint's placement by six numbers.
fn displacement(p: &[f64; 6]) -> Pose {
    Pose::from_quat(
        Quat::exp(Vec3::new(p[3], p[4], p[5])).normalized(),
        Vec3::new(p[0], p[1], p[2]),
    )
}

impl Params {
    /// Value of a parameter that passed [`Model::check_param`]. Zero for an external wrench and a gain,
    /// which the simulation stores.
    pub fn get(&self, model: &Model, p: &Param) -> f64 {
        let (i, c) = (p.index as usize, p.component as usize);
        match p.kind {
            ParamKind::BodyInertia => self.body_inertia[i].to_params()[c],
            ParamKind::GeomFriction => self.geom_friction[i][c],
            ParamKind::GeomRestitution => self.geom_restitution[i],
            ParamKind::ContactStiffness => self.geom_stiffness[i],
            ParamKind::ContactDissipation => self.geom_dissipation[i],
            ParamKind::ContactTangential => self.geom_tangential[i],
            ParamKind::HydroelasticModulus => self.geom_modulus[i],
            ParamKind::JointFrictionCoefficient => self.joint_friction[i][c],
            ParamKind::GeomSize => self.geom_size[i][c],
            ParamKind::JointPlacement => self.joint_placement[i][c],
            ParamKind::SplineFrame => {
                let shape = model.shape_of(p);
                shape.map_or(0.0, |of| self.varying[of].joint.parameter(c))
            }
            ParamKind::Gravity => self.gravity[c],
            ParamKind::ActuatorGain => self.actuator_gain[i],
            ParamKind::Spring | ParamKind::Tendon => match (p.anchor(), p.kind) {
                (Some((point, axis)), _) => self.anchor(p, point)[axis],
                (None, ParamKind::Spring) => self.spring[i][c],
                (None, _) => self.tendon[i][c],
            },
            ParamKind::Deformable => self.deformable[i].get(c),
            ParamKind::Reduction => self.reduction.as_ref().map_or(0.0, |r| r.parameter(p)),
            ParamKind::ExternalWrench
            | ParamKind::Stabilization
            | ParamKind::Prescribed
            | ParamKind::Force => 0.0,
            ParamKind::JointDamping => self.damping[model.dof_of(p)],
            ParamKind::JointStiffness => self.stiffness[model.dof_of(p)],
            ParamKind::JointArmature => self.armature[model.dof_of(p)],
            ParamKind::JointSpringReference => self.spring_reference[model.dof_of(p)],
            ParamKind::JointFriction => self.friction_loss[model.dof_of(p)],
        }
    }

    /// Sets a parameter that passed [`Model::check_param`], except an external wrench or a gain, which
    /// the simulation stores, and an entry of a reduction ([`Params::reduce`]). Call [`Params::refresh`]
    /// to update derived numbers.
    pub fn set(&mut self, model: &Model, p: &Param, value: f64) {
        self.as_loaded = false;
        let (i, c) = (p.index as usize, p.component as usize);
        match p.kind {
            ParamKind::BodyInertia => {
                let mut x = self.body_inertia[i].to_params();
                x[c] = value;
                self.body_inertia[i] = Inertia::from_params(&x);
            }
            ParamKind::GeomFriction => self.geom_friction[i][c] = value,
            ParamKind::GeomRestitution => self.geom_restitution[i] = value,
            ParamKind::ContactStiffness => self.geom_stiffness[i] = value,
            ParamKind::ContactDissipation => self.geom_dissipation[i] = value,
            ParamKind::ContactTangential => self.geom_tangential[i] = value,
            ParamKind::HydroelasticModulus => self.geom_modulus[i] = value,
            ParamKind::JointFrictionCoefficient => self.joint_friction[i][c] = value,
            ParamKind::GeomSize => self.geom_size[i][c] = value,
            ParamKind::JointPlacement => self.joint_placement[i][c] = value,
            ParamKind::SplineFrame => {
                if let Some(of) = model.shape_of(p)
                    && self.varying[of].joint.parameter(c) != value
                    && let Some(joint) = self.varying[of].joint.with_parameter(c, value)
                {
                    self.varying[of].joint = joint;
                }
            }
            ParamKind::Gravity => self.gravity[c] = value,
            ParamKind::ActuatorGain => self.actuator_gain[i] = value,
            ParamKind::Spring | ParamKind::Tendon => match (p.anchor(), p.kind) {
                (Some((point, axis)), _) => self.anchor_mut(p, point)[axis] = value,
                (None, ParamKind::Spring) => self.spring[i][c] = value,
                (None, _) => self.tendon[i][c] = value,
            },
            ParamKind::Deformable => {
                if self.deformable[i].get(c) != value {
                    self.deformable[i].set(c, value);
                    self.weigh_nodes(model, i);
                }
            }
            ParamKind::ExternalWrench
            | ParamKind::Stabilization
            | ParamKind::Prescribed
            | ParamKind::Reduction
            | ParamKind::Force => {}
            ParamKind::JointDamping => self.damping[model.dof_of(p)] = value,
            ParamKind::JointStiffness => self.stiffness[model.dof_of(p)] = value,
            ParamKind::JointArmature => self.armature[model.dof_of(p)] = value,
            ParamKind::JointSpringReference => self.spring_reference[model.dof_of(p)] = value,
            ParamKind::JointFriction => self.friction_loss[model.dof_of(p)] = value,
        }
    }

    /// Sets the selected entries of reductions.
    ///
    /// # Errors
    /// As [`Reduction::with`].
    pub fn reduce(&mut self, model: &Model, selected: &[Param], values: &[f64]) -> Result<()> {
        if let Some(reduced) = self.reduced(model, selected, values)? {
            self.reduction = Some(Arc::new(reduced));
        }
        Ok(())
    }

    /// The reductions with these values; `None` if no entry is selected.
    ///
    /// # Errors
    /// As [`Reduction::with`].
    pub fn reduced(
        &self,
        model: &Model,
        selected: &[Param],
        values: &[f64],
    ) -> Result<Option<Reduction>> {
        let is_entry = |p: &Param| p.kind == ParamKind::Reduction;
        let Some(now) = self
            .reduction
            .as_ref()
            .filter(|_| selected.iter().any(is_entry))
        else {
            return Ok(None);
        };
        let all = selected.iter().zip(values.iter().copied());
        now.with(model, all.filter(|(p, _)| is_entry(p))).map(Some)
    }

    /// The anchor of a spring, or the point of a tendon's path, in its body's frame.
    fn anchor(&self, p: &Param, point: usize) -> Vec3 {
        let i = p.index as usize;
        match p.kind {
            ParamKind::Spring => self.spring_anchors[i][point],
            _ => self.tendon_points[i][point],
        }
    }

    fn anchor_mut(&mut self, p: &Param, point: usize) -> &mut Vec3 {
        let i = p.index as usize;
        match p.kind {
            ParamKind::Spring => &mut self.spring_anchors[i][point],
            _ => &mut self.tendon_points[i][point],
        }
    }

    /// Sets the masses of the nodes of a deformable body to those of its density and shape.
    fn weigh_nodes(&mut self, model: &Model, index: usize) {
        let d = &model.deformables()[index];
        let of = &self.deformable[index];
        for node in d.nodes.iter().filter(|node| node.is_free) {
            self.body_inertia[node.body] = Inertia::ZERO;
        }
        let inertias = &mut self.body_inertia;
        d.for_shares(&of.rest, None, |i, share, _| {
            inertias[d.nodes[i].body].mass += of.numbers[0] * share;
        });
    }

    /// Recomputes the numbers derived from parameters: lumped inertias and displaced placements.
    pub fn refresh(&mut self, model: &Model) {
        self.link_inertia.fill(Inertia::ZERO);
        for (b, body) in model.bodies().iter().enumerate() {
            if body.link != WORLD {
                self.link_inertia[body.link] += self.body_inertia[b].transformed(&body.in_link);
            }
        }
        for (j, joint) in model.joints().iter().enumerate() {
            if joint.link_count > 0 {
                let loaded = &model.params().link_placement[joint.first_link];
                self.link_placement[joint.first_link] = if self.joint_placement[j] == [0.0; 6] {
                    *loaded
                } else {
                    loaded
                        .compose(&joint.placement_axes)
                        .compose(&displacement(&self.joint_placement[j]))
                        .compose(&joint.placement_axes.inverse())
                };
            }
        }
    }

    /// Motion of a joint's first link per unit of each placement component, in the frame of this link
    /// before the joint moves it.
    pub fn placement_twists(&self, model: &Model, joint: usize) -> [Twist; 6] {
        let p = &self.joint_placement[joint];
        let w = Vec3::new(p[3], p[4], p[5]);
        let rot: Mat3 = Quat::exp(w).normalized().to_mat3();
        let jr = so3_right_jacobian(w);
        let axes = model.joint(joint).placement_axes;
        std::array::from_fn(|c| {
            let t = if c < 3 {
                Twist::new(rot.tr_mul_vec(Vec3::unit(c)), Vec3::ZERO)
            } else {
                Twist::new(Vec3::ZERO, jr.c[c - 3])
            };
            axes.twist(t)
        })
    }
}

impl Model {
    /// Which varying joint of the model a parameter of its shape belongs to.
    pub fn shape_of(&self, p: &Param) -> Option<usize> {
        let j = self.joint(p.index as usize);
        let link = (j.link_count == 1).then(|| &self.topology().links[j.first_link]);
        match link?.kind {
            LinkKind::Varying { index, .. } => Some(usize::from(index)),
            _ => None,
        }
    }

    /// Whether a tendon or spring has a point on a link or on its descendants.
    fn carries_paths(&self, link: usize) -> bool {
        let below = link..self.topology().links[link].end;
        let carried = |body: usize| below.contains(&self.bodies()[body].link);
        let spans = |t: &TendonSpec| match &t.path {
            TendonPath::Spatial(path) => path.iter().filter_map(PathPoint::body).any(carried),
            TendonPath::Fixed(_) => false,
        };
        self.tendons().iter().any(spans)
            || self
                .springs()
                .iter()
                .any(|s| carried(s.body1) || carried(s.body2))
    }

    /// Refuses a parameter that displaces a joint which carries nodes of deformable bodies.
    fn check_displaced_nodes(&self, p: &Param, link: usize) -> Result<()> {
        match self.carries_nodes(link) {
            true => Err(Error::unsupported(format!(
                "param: {:?} of joint \"{}\": it carries nodes of a deformable body, whose derivative by a displaced \
                 joint is not supported",
                p.kind,
                self.joint(p.index as usize).name
            ))),
            false => Ok(()),
        }
    }

    /// The joints with friction by their load, as loaded.
    pub fn load_friction(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.params().joint_friction.iter().enumerate();
        all.filter(|(_, [mu, _])| *mu > 0.0).map(|(joint, _)| joint)
    }

    /// Whether the joint of a dof has friction by its load, as loaded.
    pub fn has_load_friction(&self, dof: usize) -> bool {
        let mut joints = self.load_friction().map(|i| self.joint(i));
        joints.any(|j| (j.iv..j.iv + j.nv).contains(&dof))
    }

    /// The dof of a parameter that belongs to a joint's dof.
    pub fn dof_of(&self, p: &Param) -> usize {
        self.joint(p.index as usize).iv + p.component as usize
    }

    /// Checks that a parameter exists in this model.
    pub fn check_param(&self, p: &Param) -> Result<()> {
        let range = |what: &str, value: i32, count: usize| {
            if value < 0 || value as usize >= count {
                Err(Error::invalid(format!(
                    "param: {what} of {:?} must be in 0..{count}, got {value}",
                    p.kind
                )))
            } else {
                Ok(())
            }
        };
        match p.kind {
            ParamKind::BodyInertia => {
                range("index (a body)", p.index, self.nbody())?;
                range("component", p.component, INERTIA_PARAMS)
            }
            ParamKind::GeomFriction => {
                range("index (a geom)", p.index, self.ngeom())?;
                range("component", p.component, 3)
            }
            ParamKind::ExternalWrench => {
                range("index (a body)", p.index, self.nbody())?;
                range("component", p.component, 6)
            }
            ParamKind::Gravity => {
                range("index", p.index, 1)?;
                range("component", p.component, 3)
            }
            ParamKind::JointPlacement => {
                range("index (a joint)", p.index, self.njoint())?;
                let j = self.joint(p.index as usize);
                if j.link_count == 0 {
                    return Err(Error::unsupported(format!(
                        "param: JointPlacement of joint \"{}\": a fixed joint has no dof to place",
                        j.name
                    )));
                }
                self.check_displaced_nodes(p, j.first_link)?;
                range("component", p.component, 6)
            }
            ParamKind::SplineFrame => {
                range("index (a joint)", p.index, self.njoint())?;
                let j = self.joint(p.index as usize);
                let shape = self.shape_of(p).map(|i| &self.topology().varying[i].joint);
                let count = shape.map_or(0, |joint| joint.parameters());
                if count == 0 {
                    return Err(Error::unsupported(format!(
                        "param: SplineFrame of joint \"{}\": it is not along a spline",
                        j.name
                    )));
                }
                if self.carries_paths(j.first_link) {
                    return Err(Error::unsupported(format!(
                        "param: SplineFrame of joint \"{}\": it carries points of tendons or springs, whose derivative by \
                         the shape of a joint is not supported",
                        j.name
                    )));
                }
                self.check_displaced_nodes(p, j.first_link)?;
                range("component", p.component, count)
            }
            ParamKind::Reduction => {
                let all = self.reduction();
                range("index (a reduction)", p.index, all.map_or(0, |r| r.count()))?;
                let count = all.map_or(0, |r| r.parameters(p.index as usize));
                range("component", p.component, count)
            }
            ParamKind::Deformable => {
                range(
                    "index (a deformable body)",
                    p.index,
                    self.deformables().len(),
                )?;
                let d = &self.deformables()[p.index as usize];
                range(
                    "component",
                    p.component,
                    DEFORMABLE_NUMBERS + 3 * d.nodes.len(),
                )
            }
            ParamKind::JointDamping
            | ParamKind::JointStiffness
            | ParamKind::JointArmature
            | ParamKind::JointFriction => {
                range("index (a joint)", p.index, self.njoint())?;
                let j = self.joint(p.index as usize);
                if j.nv == 0 {
                    return Err(Error::unsupported(format!(
                        "param: {:?} of joint \"{}\": a fixed joint has no dof",
                        p.kind, j.name
                    )));
                }
                range("component", p.component, j.nv)
            }
            ParamKind::JointSpringReference => {
                range("index (a joint)", p.index, self.njoint())?;
                let j = self.joint(p.index as usize);
                if matches!(j.kind, JointKind::Spherical | JointKind::Free) {
                    return Err(Error::unsupported(format!(
                        "param: JointSpringReference of joint \"{}\": its spring rests at a \
                         configuration, not at a number",
                        j.name
                    )));
                }
                range("component", p.component, j.nv)
            }
            ParamKind::JointFrictionCoefficient => {
                range("index (a joint)", p.index, self.njoint())?;
                let j = self.joint(p.index as usize);
                if p.component == 1 && j.kind == JointKind::Prismatic {
                    return Err(Error::unsupported(format!(
                        "param: JointFrictionCoefficient 1 of joint \"{}\": the friction of a prismatic \
                         joint has no radius",
                        j.name
                    )));
                }
                range("component", p.component, 2)
            }
            ParamKind::Stabilization => {
                range("index", p.index, 1)?;
                range("component", p.component, 2)
            }
            ParamKind::GeomSize => {
                range("index (a geom)", p.index, self.ngeom())?;
                let g = &self.geoms()[p.index as usize];
                match g.shape.variable_sizes() {
                    0 => Err(Error::unsupported(format!(
                        "param: GeomSize of geom \"{}\": only spheres, capsules, cylinders, ellipsoids and boxes \
                         have sizes that may change",
                        g.name
                    ))),
                    sizes => range("component", p.component, sizes),
                }
            }
            ParamKind::ContactStiffness
            | ParamKind::ContactDissipation
            | ParamKind::ContactTangential
            | ParamKind::HydroelasticModulus
            | ParamKind::GeomRestitution => {
                range("index (a geom)", p.index, self.ngeom())?;
                range("component", p.component, 1)
            }
            ParamKind::Spring => {
                range("index (a spring)", p.index, self.springs().len())?;
                range("component", p.component, SPRING_NUMBERS + 6)
            }
            ParamKind::Tendon => {
                range("index (a tendon)", p.index, self.tendons().len())?;
                let t = &self.tendons()[p.index as usize];
                let path = match &t.path {
                    TendonPath::Fixed(_) => &[][..],
                    TendonPath::Spatial(path) => path,
                };
                range("component", p.component, TENDON_NUMBERS + 3 * path.len())?;
                match p.anchor() {
                    Some((i, _)) if !matches!(path[i], PathPoint::Point { .. }) => {
                        Err(Error::unsupported(format!(
                            "param: Tendon {} of tendon \"{}\": station {i} of its path is not a point",
                            p.component, t.name
                        )))
                    }
                    _ => Ok(()),
                }
            }
            ParamKind::Prescribed => {
                range("index (a dof)", p.index, self.nv())?;
                range("component", p.component, 1)
            }
            ParamKind::ActuatorGain => {
                range("index (an actuator)", p.index, self.nu())?;
                let a = &self.actuators()[p.index as usize];
                if a.active.is_some() {
                    return Err(Error::unsupported(format!(
                        "param: ActuatorGain of actuator \"{}\": a muscle's curves take the place of the gain",
                        a.name
                    )));
                }
                range("component", p.component, 1)
            }
            ParamKind::Force => Err(Error::unsupported(format!(
                "param: {:?} is not a parameter of a model",
                p.kind
            ))),
        }
    }
}
