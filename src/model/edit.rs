//! Editing models: a builder with the description of an existing model, to be changed and built again.

use super::builder::{ModelBuilder, claim};
use super::check::{check_gravity_compensation, check_inertia, check_joint, check_pose, described};
use super::compile::depth_first;
use super::frames::{self, Move};
use super::inherited::{Inherited, Stored, inverse, sorted_geoms};
use super::sensor::Seat;
use super::spec::{ActuatorSpec, BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, PairSpec};
use super::tendon::Transmission;
use super::{ActsOn, Actuation, Model};
use crate::error::{Error, Result};
use crate::spatial::{Inertia, Pose, Quat, Vec3};
use std::collections::HashSet;

fn renumber_pairs(pairs: &mut [PairSpec], place: impl Fn(usize) -> usize) {
    for p in pairs {
        (p.geom1, p.geom2) = (place(p.geom1), place(p.geom2));
    }
}

/// The actuator of a description that acts like an input on a dof.
fn motor(model: &Model, input: usize) -> Result<ActuatorSpec> {
    let a = &model.actuators[input];
    let ActsOn::Joint { joint, iv, .. } = a.acts_on else {
        return Err(Error::internal("an input on a dof acts on a joint"));
    };
    let j = &model.joints[joint];
    if j.name.is_empty() {
        return Err(Error::unsupported(
            "model: its inputs are on dofs, which cannot be attached because a joint has no name",
        ));
    }
    let k = iv - j.iv;
    let name = match j.nv {
        1 => j.name.clone(),
        _ => format!("{}_{k}", j.name),
    };
    let mut spec = ActuatorSpec::new(name, Transmission::Joint(j.name.clone()));
    spec.gear = std::array::from_fn(|i| f64::from(u8::from(i == k)));
    spec.force_range = a.force_range;
    Ok(spec)
}

impl Model {
    /// A joint as in the description, with axes of unit length.
    ///
    /// # Errors
    /// None for a compiled model.
    pub fn described_joint(&self, id: usize) -> Result<JointSpec> {
        let j = &self.joints[id];
        let k = self.joints[..id]
            .iter()
            .filter(|o| o.body == j.body)
            .count();
        let body = depth_first(&self.source.bodies)?[j.body];
        Ok(JointSpec {
            axis: j.axis,
            axis2: j.axis2,
            axis3: j.axis3,
            limits: j.limits,
            ..self.source.bodies[body].joints[k].clone()
        })
    }

    /// The description with bodies, geoms and sites in the order of their ids.
    fn description(&self) -> Result<ModelSpec> {
        let mut spec = ModelSpec::clone(&self.source);
        let order = depth_first(&spec.bodies)?;
        let place = inverse(&order);
        let geoms = sorted_geoms(&spec, &place);
        let geom_place = inverse(&geoms);
        renumber_pairs(&mut spec.pairs, |g| geom_place[g]);
        spec.geoms = geoms.iter().map(|g| spec.geoms[*g].clone()).collect();
        spec.sites.sort_by_cached_key(|s| place[s.body]);
        spec.bodies = order.iter().map(|b| spec.bodies[*b].clone()).collect();
        Move {
            bodies: &|b| place[b],
            world: None,
        }
        .apply(&mut spec);
        // Keyframes are stored by their parts instead.
        spec.keyframes.clear();
        if self.actuation == Actuation::FromFile {
            for (a, bound) in spec.actuators.iter_mut().zip(&self.actuators) {
                a.force_range = bound.force_range;
            }
            spec.actuators.extend(self.added.iter().cloned());
        }
        Ok(spec)
    }
}

impl ModelBuilder {
    /// A builder with all data of a model. Building it at once gives the same model. Ids of bodies,
    /// joints, geoms and sites are the model's; those of added parts come after them.
    ///
    /// # Errors
    /// None for a compiled model.
    pub fn from_model(model: &Model) -> Result<ModelBuilder> {
        let spec = model.description()?;
        let mut builder = ModelBuilder::new(spec.name.clone());
        let dofs = model.actuation != Actuation::FromFile;
        builder.actuation = model.actuation;
        builder.inherited = Inherited {
            more_inputs: dofs,
            added: if dofs {
                model.added.clone()
            } else {
                Vec::new()
            },
            effort_limits: model.effort_limits,
            chosen_pairs: model.chosen_pairs.clone(),
            keyframes: (model.keyframes.iter())
                .map(|k| Stored::of(model, k))
                .collect(),
            notes: model.notes.clone(),
        };
        builder.take_names(&spec)?;
        for (id, body) in spec.bodies.iter().enumerate() {
            let places = (0..body.joints.len()).map(|k| (id, k));
            builder.joint_places.extend(places);
        }
        let inputs = if dofs { &model.added } else { &spec.actuators };
        all(
            &mut builder.actuators,
            "actuator",
            inputs.iter().map(|a| &a.name),
        )?;
        builder.spec = spec;
        Ok(builder)
    }

    /// Records all names of a description except the world's and those of actuators.
    pub(super) fn take_names(&mut self, spec: &ModelSpec) -> Result<()> {
        let bodies = || spec.bodies.iter().skip(1);
        let joints = bodies().flat_map(|b| &b.joints);
        all(&mut self.bodies, "body", bodies().map(|b| &b.name))?;
        all(&mut self.joints, "joint", joints.map(|j| &j.name))?;
        all(&mut self.geoms, "geom", spec.geoms.iter().map(|x| &x.name))?;
        all(&mut self.sites, "site", spec.sites.iter().map(|x| &x.name))?;
        all(
            &mut self.springs,
            "spring",
            spec.springs.iter().map(|x| &x.name),
        )?;
        all(
            &mut self.tendons,
            "tendon",
            spec.tendons.iter().map(|x| &x.name),
        )?;
        all(
            &mut self.deformables,
            "deformable",
            spec.deformables.iter().map(|x| &x.name),
        )?;
        all(
            &mut self.sensors,
            "sensor",
            spec.sensors.iter().map(|x| &x.name),
        )
    }

    /// Adds all parts of another model. Children of its world become children of `body`, with its world
    /// frame at `placement` there. All names get the prefix. Gravity, fluid and time step stay those of
    /// the builder.
    ///
    /// The other model's inputs come after the existing ones. If the builder has inputs on dofs, it gets
    /// inputs on the new dofs instead of the other model's inputs. The other model's keyframes have the
    /// builder's part at neutral. The builder's keyframes have the new part at neutral.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid body, a placement that is no rigid motion, a duplicate name, and
    /// a robot with a free joint or a mocap body attached to anything but the world; nothing has changed
    /// then. `Unsupported` for inputs on dofs of joints without a name.
    pub fn attach(
        &mut self,
        body: usize,
        placement: Pose,
        model: &Model,
        prefix: &str,
    ) -> Result<()> {
        self.known_body(body, "body")?;
        check_pose(&placement, || "placement".into())?;
        let mut spec = model.description()?;
        let floats =
            |b: &&BodySpec| b.parent == 0 && b.joints.iter().any(|j| j.kind == JointKind::Free);
        if let Some(b) = spec.bodies.iter().skip(1).find(floats)
            && body != 0
        {
            return Err(Error::invalid(format!(
                "model: body {} floats on a free joint and can be attached to body 0, the world, only; load it with a \
                 fixed base",
                described(&b.name, &b.origin)
            )));
        }
        if model.actuation != Actuation::FromFile {
            let inputs = 0..model.nu() - model.added.len();
            spec.actuators = inputs.map(|i| motor(model, i)).collect::<Result<_>>()?;
            spec.actuators.extend(model.added.iter().cloned());
            // They are also left out of the model itself.
            spec.sensors.retain(|s| s.reading.seat() != Seat::Actuator);
        }
        let mut keyframes: Vec<_> = (model.keyframes.iter())
            .map(|k| Stored::of(model, k))
            .collect();
        let (bodies, geoms) = (self.spec.bodies.len(), self.spec.geoms.len());
        for (id, j) in model.joints.iter().enumerate() {
            if j.kind == JointKind::Free && model.bodies[j.body].parent == 0 {
                for k in &mut keyframes {
                    displace(&placement, &mut k.joints[id].1);
                }
            }
        }
        Move {
            bodies: &|b| if b == 0 { body } else { bodies + b - 1 },
            world: Some(placement),
        }
        .apply(&mut spec);
        frames::prefix(&mut spec, prefix);
        renumber_pairs(&mut spec.pairs, |g| geoms + g);

        let mut made = self.clone();
        let dofs = made.inherited.more_inputs || made.actuation != Actuation::FromFile;
        if dofs {
            spec.actuators.clear();
        }
        made.take_names(&spec)?;
        all(
            &mut made.actuators,
            "actuator",
            spec.actuators.iter().map(|a| &a.name),
        )?;
        let joints = made.joint_places.len();
        for (i, b) in spec.bodies.iter().enumerate().skip(1) {
            let places = (0..b.joints.len()).map(|k| (bodies + i - 1, k));
            made.joint_places.extend(places);
        }
        let inputs = made.spec.actuators.len();
        for mut k in keyframes {
            k.name
                .insert_str(0, if k.name.is_empty() { "" } else { prefix });
            k.joints.iter_mut().for_each(|j| j.0 += joints);
            if dofs {
                (k.inputs, k.acts) = (Vec::new(), Vec::new());
            }
            k.inputs.iter_mut().for_each(|x| x.0 += inputs);
            k.acts.iter_mut().for_each(|x| x.0 += inputs);
            made.inherited.keyframes.push(k);
        }
        let chosen = model.chosen_pairs.iter();
        let chosen = chosen.map(|&([a, b], enabled)| ([geoms + a, geoms + b], enabled));
        made.inherited.chosen_pairs.extend(chosen);
        made.inherited.notes.extend(model.notes.iter().cloned());
        // All fields are named, so that none can be forgotten.
        let ModelSpec {
            bodies,
            geoms,
            sites,
            springs,
            tendons,
            deformables,
            actuators,
            sensors,
            equalities,
            reductions,
            excludes,
            pairs,
            warnings,
            // Those of the builder stay; keyframes are in `inherited`.
            name: _,
            gravity: _,
            fluid: _,
            time_step: _,
            integrator: _,
            parents_touch: _,
            keyframes: _,
        } = spec;
        let to = &mut made.spec;
        to.bodies.extend(bodies.into_iter().skip(1));
        to.geoms.extend(geoms);
        to.sites.extend(sites);
        to.springs.extend(springs);
        to.tendons.extend(tendons);
        to.deformables.extend(deformables);
        to.actuators.extend(actuators);
        to.sensors.extend(sensors);
        to.equalities.extend(equalities);
        to.reductions.extend(reductions);
        to.excludes.extend(excludes);
        to.pairs.extend(pairs);
        to.warnings.extend(warnings);
        *self = made;
        Ok(())
    }

    /// Removes a geom, with all settings of its pairs. Ids of later geoms decrease by one.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid geom.
    pub fn remove_geom(&mut self, geom: usize) -> Result<()> {
        self.known_geom(geom)?;
        let gone = self.spec.geoms.remove(geom);
        self.geoms.remove(&gone.name);
        let place = |g: usize| if g > geom { g - 1 } else { g };
        (self.spec.pairs).retain(|p| p.geom1 != geom && p.geom2 != geom);
        renumber_pairs(&mut self.spec.pairs, place);
        let chosen = &mut self.inherited.chosen_pairs;
        chosen.retain(|c| !c.0.contains(&geom));
        chosen.iter_mut().for_each(|c| c.0 = c.0.map(place));
        Ok(())
    }

    /// Replaces a geom by another one on the same body. The name may stay the same.
    ///
    /// # Errors
    /// The errors of [`ModelBuilder::add_geom`], and `InvalidArgument` for an invalid geom.
    pub fn set_geom(&mut self, geom: usize, to: GeomSpec) -> Result<()> {
        self.known_geom(geom)?;
        let mut made = self.clone();
        made.geoms.remove(&made.spec.geoms[geom].name);
        let body = made.spec.geoms[geom].body;
        made.add_geom(GeomSpec { body, ..to })?;
        if let Some(new) = made.spec.geoms.pop() {
            made.spec.geoms[geom] = new;
        }
        *self = made;
        Ok(())
    }

    /// Replaces all data of a joint except its kind and the terms of its spring and damper beyond the linear
    /// ones, which come from files only.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid joint, another kind, a duplicate name, or invalid numbers.
    pub fn set_joint(&mut self, joint: usize, to: JointSpec) -> Result<()> {
        let (body, k) = self.joint_place(joint)?;
        let old = &self.spec.bodies[body].joints[k];
        let who = described(&to.name, "");
        if to.kind != old.kind {
            return Err(Error::invalid(format!(
                "joint {who}: its kind must stay {:?}, got {:?}",
                old.kind, to.kind
            )));
        }
        check_joint(&to, &who)?;
        if to.name != old.name {
            let old = old.name.clone();
            claim(&mut self.joints, "joint", &to.name)?;
            self.joints.remove(&old);
        }
        let old = &mut self.spec.bodies[body].joints[k];
        *old = JointSpec {
            varying: old.varying.clone(),
            stiffness_terms: old.stiffness_terms,
            damping_terms: old.damping_terms,
            ..to
        };
        Ok(())
    }

    /// Replaces the placement of a body, its inertia and its gravity compensation.
    ///
    /// # Errors
    /// As [`ModelBuilder::add_body`]. The world cannot be changed.
    pub fn set_body(
        &mut self,
        body: usize,
        placement: Pose,
        inertia: Inertia,
        gravity_compensation: f64,
    ) -> Result<()> {
        self.known_body(body, "body")?;
        if body == 0 {
            return Err(Error::invalid("body: body 0, the world, stays as it is"));
        }
        let who = described(&self.spec.bodies[body].name, "");
        check_pose(&placement, || format!("body {who}: placement"))?;
        check_gravity_compensation(gravity_compensation, &who)?;
        let to = &mut self.spec.bodies[body];
        // A file may have an inertia that no body can have. It is kept unless it changes.
        if inertia != to.inertia {
            if let Some(complaint) = check_inertia(&inertia, &who)? {
                return Err(Error::invalid(complaint));
            }
            to.inertia_axes = None;
        }
        (to.placement, to.inertia) = (placement, inertia);
        to.gravity_compensation = gravity_compensation;
        Ok(())
    }

    /// # Errors
    /// `InvalidArgument` for an invalid joint.
    pub fn joint(&self, joint: usize) -> Result<&JointSpec> {
        let (body, k) = self.joint_place(joint)?;
        Ok(&self.spec.bodies[body].joints[k])
    }

    fn known_geom(&self, geom: usize) -> Result<()> {
        match self.spec.geoms.len() {
            n if geom < n => Ok(()),
            n => Err(Error::invalid(format!(
                "geom: must be the id of a geom of the builder, of which there are {n}, got {geom}"
            ))),
        }
    }

    fn joint_place(&self, joint: usize) -> Result<(usize, usize)> {
        self.joint_places.get(joint).copied().ok_or_else(|| {
            Error::invalid(format!(
                "joint: must be the id of a joint of the builder, of which there are {}, got {joint}",
                self.joint_places.len()
            ))
        })
    }

    pub fn body_id(&self, name: &str) -> Option<usize> {
        self.spec.bodies.iter().position(|b| b.name == name)
    }

    pub fn geom_id(&self, name: &str) -> Option<usize> {
        self.spec.geoms.iter().position(|g| g.name == name)
    }

    pub fn joint_id(&self, name: &str) -> Option<usize> {
        let joint = |&(body, k): &(usize, usize)| &self.spec.bodies[body].joints[k];
        (self.joint_places.iter()).position(|place| joint(place).name == name)
    }
}

/// Records many names.
fn all<'a>(
    names: &mut HashSet<String>,
    what: &str,
    list: impl Iterator<Item = &'a String>,
) -> Result<()> {
    for name in list {
        claim(names, what, name)?;
    }
    Ok(())
}

/// Transforms a free joint's coordinates with the frame in which they are given.
fn displace(frame: &Pose, q: &mut [f64]) {
    let turn = Quat::from_slice(&q[3..7]);
    let at = frame.compose(&Pose::from_quat(turn, Vec3::from_slice(q)));
    q[..3].copy_from_slice(&at.pos.to_array());
    q[3..7].copy_from_slice(&Quat::from_mat3(&at.rot).to_array());
}
