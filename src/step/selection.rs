//! The parameters of a simulation: which can be selected for derivatives, and which values they may have.

use super::contact::ContactStage;
use super::info::check_length;
use super::load_friction::LoadFriction;
use super::loads::refuse_with_loads;
use super::options::{Contact, Options};
use super::prescribed::Prescribed;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::model::deformable::{DEFORMABLE_NUMBERS, NAMES};
use crate::model::deformable_check::{self, is_flat, is_line};
use crate::model::limits::{keep_tightest, limits};
use crate::model::params::{Param, ParamKind, Params};
use crate::model::spec::JointKind;
use crate::model::topology::WORLD;
use crate::model::{ActsOn, Model, SIZES, no_body_has};
use crate::spatial::Inertia;

/// Complaint about a negative value.
fn negative(x: f64) -> Option<&'static str> {
    (x < 0.0).then_some("must not be negative")
}

/// The parts of a simulation by which parameters are selected and checked, borrowed for one call.
pub(super) struct Selection<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    pub options: &'a Options,
    pub forces: &'a Forces,
    pub prescribed: &'a Prescribed,
    pub contact: Option<&'a ContactStage>,
    pub loads: Option<&'a LoadFriction>,
    pub selected: &'a [Param],
}

impl Selection<'_> {
    /// Value of a selected parameter.
    pub fn value(&self, p: &Param) -> f64 {
        match p.kind {
            ParamKind::ExternalWrench => {
                self.forces.wrenches.get(p.index as usize)[p.component as usize]
            }
            ParamKind::Force => self.forces.param(p),
            ParamKind::Prescribed => self.prescribed.velocity(p.index as usize),
            ParamKind::Stabilization => [self.options.kp, self.options.kd][p.component as usize],
            _ => self.params.get(self.model, p),
        }
    }

    /// True if a step with this simulation's options depends on a parameter.
    fn uses(&self, p: &Param) -> bool {
        if p.kind == ParamKind::Prescribed {
            return !self.prescribed.velocity(p.index as usize).is_nan();
        }
        if p.kind == ParamKind::ExternalWrench {
            return self.model.bodies()[p.index as usize].link != WORLD;
        }
        if p.kind == ParamKind::ActuatorGain {
            let adheres = matches!(
                self.model.actuators()[p.index as usize].acts_on,
                ActsOn::Body(_)
            );
            return !adheres || self.forces.adhesion.is_some();
        }
        if self.options.contact == Contact::Penalty {
            match p.kind {
                ParamKind::GeomFriction => return p.component == 0,
                ParamKind::GeomSize
                | ParamKind::ContactStiffness
                | ParamKind::ContactDissipation
                | ParamKind::ContactTangential => return true,
                _ => {}
            }
        }
        if self.contact.is_some() {
            match p.kind {
                ParamKind::GeomFriction => {
                    let turns = self.contact.as_ref().is_some_and(|c| c.scene.turns());
                    return p.component == 0 || turns;
                }
                // A dof without dry friction has no row for it.
                ParamKind::JointFriction => {
                    let k = self.model.dof_of(p);
                    let is_ball = self.model.joint(p.index as usize).kind == JointKind::Spherical;
                    return self.model.params().friction_loss[k] > 0.0
                        || !is_ball && self.model.has_load_friction(k);
                }
                ParamKind::JointFrictionCoefficient => {
                    return (self.model.load_friction()).any(|joint| joint == p.index as usize);
                }
                ParamKind::GeomSize => return true,
                ParamKind::HydroelasticModulus => {
                    let scene = self.contact.as_ref().map(|c| &c.scene);
                    return scene.is_some_and(|s| s.is_compliant(p.index as usize));
                }
                // A spring or tendon that connects more trees than a row can has no row.
                ParamKind::Spring | ParamKind::Tendon if p.anchor().is_none() => {
                    let constraints = self.contact.as_ref().map(|c| &c.constraints);
                    return constraints.is_some_and(|c| c.has_elastic(p));
                }
                ParamKind::Stabilization | ParamKind::GeomRestitution => {
                    return matches!(self.options.contact, Contact::Ncp | Contact::Lcp);
                }
                ParamKind::ContactStiffness | ParamKind::ContactDissipation => {
                    return self.options.contact == Contact::Convex;
                }
                _ => {}
            }
        }
        match p.kind {
            ParamKind::BodyInertia
            | ParamKind::JointDamping
            | ParamKind::JointStiffness
            | ParamKind::JointArmature
            | ParamKind::JointPlacement
            | ParamKind::SplineFrame
            | ParamKind::Gravity
            | ParamKind::JointSpringReference
            | ParamKind::Spring
            | ParamKind::Tendon
            | ParamKind::Deformable
            | ParamKind::Reduction
            | ParamKind::Force
            | ParamKind::Prescribed
            | ParamKind::ExternalWrench
            | ParamKind::ActuatorGain => true,
            // Only contacts and rows have them.
            ParamKind::GeomFriction
            | ParamKind::GeomRestitution
            | ParamKind::GeomSize
            | ParamKind::ContactStiffness
            | ParamKind::ContactDissipation
            | ParamKind::ContactTangential
            | ParamKind::HydroelasticModulus
            | ParamKind::JointFriction
            | ParamKind::JointFrictionCoefficient
            | ParamKind::Stabilization => false,
        }
    }

    /// True if a geom's stiffness may be infinite. With penalty contact it must be finite, except for geoms
    /// fixed to the world.
    fn may_be_rigid(&self, p: &Param) -> bool {
        let geom = &self.model.geoms()[p.index as usize];
        self.options.contact != Contact::Penalty || self.model.bodies()[geom.body].link == WORLD
    }

    /// Checks that parameters can be selected.
    pub fn check(&self, list: &[Param]) -> Result<()> {
        for (i, p) in list.iter().enumerate() {
            let within = |e: Error| Error {
                message: format!("params[{i}]: {e}"),
                ..e
            };
            match p.kind {
                ParamKind::Force => {}
                _ => self.model.check_param(p).map_err(within)?,
            }
            self.check_param_of_loads(p).map_err(within)?;
            let checked = (self.forces).check_param(self.model, self.params, p);
            checked.map_err(within)?;
            if !self.uses(p) && p.kind == ParamKind::Prescribed {
                return Err(Error::unsupported(format!(
                    "params[{i}]: dof {} has no prescribed velocity; prescribe one first",
                    p.index
                )));
            }
            if !self.uses(p) {
                let instead = match (p.kind, self.options.contact) {
                    (ParamKind::GeomRestitution, Contact::Convex | Contact::Penalty) => {
                        ", whose contacts have ContactDissipation instead"
                    }
                    (ParamKind::HydroelasticModulus, _) => {
                        ": only compliant hydroelastic geoms (ds_geom_desc.hydroelastic) with contact Convex have it"
                    }
                    (ParamKind::JointFriction, Contact::Ncp | Contact::Lcp | Contact::Convex) => {
                        ": the joint was loaded without dry friction; give it some in the file or by ds_builder_set_joint"
                    }
                    (ParamKind::JointFrictionCoefficient, _) => {
                        ": the joint was made without friction by load; give it some by ds_joint_desc.friction_coefficient"
                    }
                    _ => "",
                };
                return Err(Error::unsupported(format!(
                    "params[{i}]: {:?} {} of index {} has no effect on a step with contact {:?}{instead}",
                    p.kind, p.component, p.index, self.options.contact
                )));
            }
        }
        Ok(())
    }

    /// Refuses a change of a moving body's inertia to values that no body can have. An unchanged inertia of
    /// the file is allowed.
    pub fn check_inertias(&self, values: &[f64]) -> Result<()> {
        let is_first = |i: usize| {
            let p = self.selected[i];
            let mut before = self.selected[..i].iter();
            p.kind == ParamKind::BodyInertia
                && !before.any(|o| o.kind == p.kind && o.index == p.index)
        };
        for i in (0..values.len()).filter(|i| is_first(*i)) {
            let p = self.selected[i];
            let body = p.index as usize;
            if self.model.bodies()[body].link == WORLD {
                continue;
            }
            let now = self.params.body_inertia[body];
            let mut ten = now.to_params();
            for (x, o) in values.iter().zip(self.selected) {
                if o.kind == p.kind && o.index == p.index {
                    ten[o.component as usize] = *x;
                }
            }
            let asked = Inertia::from_params(&ten);
            if let Some(why) = (asked != now).then(|| no_body_has(&asked)).flatten() {
                let name = &self.model.bodies()[body].name;
                return Err(Error::invalid(format!(
                    "p[{i}]: BodyInertia of body \"{name}\": {why}"
                )));
            }
        }
        Ok(())
    }

    /// Checks values of the selected parameters.
    pub fn check_values(&self, values: &[f64]) -> Result<()> {
        check_length("p", values, self.selected.len())?;
        use ParamKind as K;
        for (i, (x, p)) in values.iter().zip(self.selected).enumerate() {
            let rigid = matches!(p.kind, K::ContactStiffness | K::ContactTangential)
                && *x == f64::INFINITY
                && self.may_be_rigid(p);
            if !x.is_finite() && !rigid {
                return Err(Error::numerical(format!("p[{i}] must be finite, got {x}")));
            }
            let adheres = |actuator: i32| {
                let acts_on = self.model.actuators()[actuator as usize].acts_on;
                matches!(acts_on, ActsOn::Body(_))
            };
            let wrong = match p.kind {
                K::JointDamping | K::JointStiffness | K::JointArmature | K::JointFriction => {
                    negative(*x)
                }
                K::JointFrictionCoefficient | K::GeomFriction | K::ContactDissipation => {
                    negative(*x)
                }
                K::BodyInertia if p.component == 0 => negative(*x),
                K::Spring | K::Tendon if p.component < 2 => negative(*x),
                K::ActuatorGain if adheres(p.index) => negative(*x),
                K::GeomSize
                | K::ContactStiffness
                | K::ContactTangential
                | K::HydroelasticModulus => (*x <= 0.0).then_some("must be positive"),
                K::Stabilization | K::GeomRestitution => {
                    (!(0.0..=1.0).contains(x)).then_some("must be in [0, 1]")
                }
                // Any number, or one that is checked with others below.
                K::BodyInertia
                | K::JointPlacement
                | K::Spring
                | K::Tendon
                | K::Gravity
                | K::JointSpringReference
                | K::ExternalWrench
                | K::Prescribed
                | K::ActuatorGain
                | K::SplineFrame
                | K::Reduction
                | K::Deformable
                | K::Force => None,
            };
            if let Some(wrong) = wrong {
                return Err(Error::invalid(format!(
                    "p[{i}]: {:?} {wrong}, got {x}",
                    p.kind
                )));
            }
            if p.kind == K::GeomSize && !SIZES.contains(x) {
                return Err(Error::invalid(format!(
                    "p[{i}]: GeomSize must be from {:e} to {:e}, got {x:e}",
                    SIZES.start(),
                    SIZES.end()
                )));
            }
        }
        self.check_shapes(values)?;
        let reduced = (self.params).reduced(self.model, self.selected, values);
        let reduced = reduced.map_err(|e| Error::invalid(format!("p: {e}")))?;
        if let (Some(r), Some(_)) = (&reduced, self.contact) {
            keep_tightest(self.model, r, &mut limits(self.model)?)
                .map_err(|e| Error::invalid(format!("p: {e}")))?;
        }
        self.check_deformables(values)
    }

    /// Refuses values that no deformable body has: those of a material, and shapes with flat elements.
    fn check_deformables(&self, values: &[f64]) -> Result<()> {
        let given = |kind: &Param| kind.kind == ParamKind::Deformable;
        for (i, (x, p)) in values
            .iter()
            .zip(self.selected)
            .enumerate()
            .filter(|x| given(x.1.1))
        {
            let component = p.component as usize;
            if let Some(fault) = deformable_check::fault(component, *x) {
                let name = NAMES.get(component).unwrap_or(&"place");
                return Err(Error::invalid(format!("p[{i}]: {name} {fault}, got {x}")));
            }
        }
        for (index, d) in self.model.deformables().iter().enumerate() {
            let is_moved = |p: &&Param| {
                given(p) && p.index as usize == index && p.component as usize >= DEFORMABLE_NUMBERS
            };
            if !self.selected.iter().any(|p| is_moved(&p)) {
                continue;
            }
            let rest = |node: usize| {
                let mut x = self.params.deformable[index].rest[node];
                let all = self.selected.iter().zip(values);
                for (p, value) in all.filter(|(p, _)| is_moved(p)) {
                    let k = p.component as usize - DEFORMABLE_NUMBERS;
                    if k / 3 == node {
                        x[k % 3] = *value;
                    }
                }
                x
            };
            if let Some(k) = d.tets.iter().position(|tet| is_flat(tet.map(rest))) {
                return Err(Error::invalid(format!(
                    "p: Deformable {index}: at these places of its nodes tets[{k}] is flat or inverted"
                )));
            }
            if let Some(k) = d.triangles.iter().position(|t| is_line(t.map(rest))) {
                return Err(Error::invalid(format!(
                    "p: Deformable {index}: at these places of its nodes triangles[{k}] has no area"
                )));
            }
            if let Some(k) = d.edges.iter().position(|e| rest(e[0]) == rest(e[1])) {
                return Err(Error::invalid(format!(
                    "p: Deformable {index}: at these places of its nodes edges[{k}] has length zero"
                )));
            }
        }
        Ok(())
    }

    /// Refuses values with which a joint's path or axis is invalid.
    fn check_shapes(&self, values: &[f64]) -> Result<()> {
        let reshaped =
            |p: &Param| (p.kind == ParamKind::SplineFrame).then(|| self.model.shape_of(p))?;
        let shapes = || {
            self.selected
                .iter()
                .enumerate()
                .map(|(i, p)| (i, reshaped(p)))
        };
        for (i, of) in shapes() {
            let Some(of) = of else { continue };
            // Check each joint once: at the last of its numbers.
            if shapes().skip(i + 1).any(|(_, other)| other == Some(of)) {
                continue;
            }
            let mut joint = self.params.varying[of].joint.clone();
            for (k, _) in shapes().take(i + 1).filter(|(_, other)| *other == Some(of)) {
                let component = self.selected[k].component as usize;
                if joint.parameter(component) != values[k]
                    && let Some(made) = joint.with_parameter(component, values[k])
                {
                    joint = made;
                }
            }
            if let Some(fault) = joint.fault() {
                let index = self.selected[i].index as usize;
                let name = &self.model.joint(index).name;
                return Err(Error::invalid(format!(
                    "p[{i}]: SplineFrame of joint \"{name}\": {fault}"
                )));
            }
        }
        Ok(())
    }

    /// Refuses parameters on which loads depend in a way that has no derivative here.
    fn check_param_of_loads(&self, p: &Param) -> Result<()> {
        if self.loads.is_none() {
            return Ok(());
        }
        let lifted = (self.model.bodies().iter()).any(|b| b.gravity_compensation != 0.0);
        let fault = match p.kind {
            kind if kind.displaces() => true,
            ParamKind::GeomSize | ParamKind::Force => true,
            ParamKind::Gravity | ParamKind::BodyInertia => lifted,
            _ => false,
        };
        match fault {
            true => refuse_with_loads(
                self.loads,
                self.model,
                &format!("derivative by {:?}", p.kind),
            ),
            false => Ok(()),
        }
    }
}
