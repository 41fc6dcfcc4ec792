//! Binds the actuators of a description to the joints and tendons on which they act.

use super::check::described;
use super::spec::{ActuatorSpec, JointKind};
use super::tendon::{PathPoint, TendonPath, Transmission};
use super::topology::WORLD;
use super::{ActsOn, Actuation, Actuator, Joint, Model};
use crate::error::{Error, Result};
use std::collections::HashSet;

impl Model {
    /// The actuators of a description for this kind of inputs. The model's joints and tendons must exist
    /// already.
    pub(super) fn actuators_of(
        &self,
        specs: &[ActuatorSpec],
        actuation: Actuation,
    ) -> Result<Vec<Actuator>> {
        match actuation {
            Actuation::FromFile => self.bound(specs),
            Actuation::Full => Ok(self.motors(|_| true)),
            Actuation::Joints => Ok(self.motors(|j| !self.is_base(j))),
        }
    }

    /// A copy with further actuators, whose inputs come after the existing ones. Keyframes have 0 there.
    ///
    /// # Errors
    /// `InvalidArgument` naming the actuator for a joint, tendon, body or site that does not exist or does
    /// not move, a duplicate name, or invalid numbers. `Unsupported` for a servo on a planar or free joint,
    /// and for a muscle on a joint of several dofs or at a site.
    pub fn with_actuators(&self, specs: &[ActuatorSpec]) -> Result<Model> {
        let new = self.bound(specs)?;
        let mut model = self.clone();
        for keyframe in &mut model.keyframes {
            keyframe.u.resize(self.nu() + new.len(), 0.0);
        }
        model.actuate(new);
        model.added.extend_from_slice(specs);
        let na = model.na();
        for keyframe in &mut model.keyframes {
            keyframe.act.resize(na, 0.0);
        }
        Ok(model)
    }

    /// Adds actuators, with their gains.
    pub(super) fn actuate(&mut self, new: Vec<Actuator>) {
        let gains = new.iter().map(|a| a.gain);
        self.params.actuator_gain.extend(gains);
        self.actuators.extend(new);
    }

    /// The model with every actuator on a joint clamped to the effort limit of the joint: ± the limit on
    /// each dof.
    pub(crate) fn with_effort_limits(mut self) -> Model {
        self.effort_limits = true;
        let mut idle = Vec::new();
        for a in &mut self.actuators {
            let Some(joint) = a.joint().map(|id| &self.joints[id]) else {
                continue;
            };
            let gear = a.gears().iter().fold(0.0, |m: f64, g| m.max(g.abs()));
            let bound = joint.effort_limit / gear;
            if !bound.is_finite() {
                continue;
            }
            if bound == 0.0 && !idle.contains(&joint.name) {
                idle.push(joint.name.clone());
            }
            let (lower, upper) = a.force_range.unwrap_or((-bound, bound));
            a.force_range = Some((lower.clamp(-bound, bound), upper.clamp(-bound, bound)));
        }
        match idle.first() {
            None => self,
            Some(first) => {
                let count = idle.len();
                self.warned(format!(
                    "effort_limits: the inputs of {count} joints, the first \"{first}\", have no force, as the \
                     effort of these is 0"
                ))
            }
        }
    }

    /// Whether the joint is a floating base: a free joint, or a joint of several dofs on the world.
    fn is_base(&self, joint: &Joint) -> bool {
        let parent = self.bodies[joint.body].parent;
        joint.kind == JointKind::Free || (joint.nv > 1 && self.bodies[parent].link == WORLD)
    }

    fn bound(&self, specs: &[ActuatorSpec]) -> Result<Vec<Actuator>> {
        let mut names: HashSet<&str> = self.actuators.iter().map(|a| &a.name[..]).collect();
        specs
            .iter()
            .map(|a| {
                let who = described(&a.name, &a.origin);
                if !a.name.is_empty() && !names.insert(&a.name) {
                    return Err(Error::invalid(format!(
                        "actuator {who}: the name is taken twice"
                    )));
                }
                let (acts_on, gears) = match &a.transmission {
                    Transmission::Joint(name) => self.driven_joint(a, name, &who)?,
                    Transmission::Tendon(name) => (self.pulled_tendon(name, &who)?, 1),
                    Transmission::Body(name) => (self.adhesive_body(a, name, &who)?, 1),
                    Transmission::Site { site, reference } => {
                        let names = (&site[..], reference.as_deref());
                        (self.pushed_site(a, names, &who)?, 0)
                    }
                };
                let numbers = [&a.gear[..], &a.bias, &a.gain_slopes, &[a.gain]];
                if !numbers.into_iter().flatten().all(|x| x.is_finite()) {
                    return Err(Error::invalid(format!(
                        "actuator {who}: gear, gain and bias must be finite"
                    )));
                }
                let led = |e: Error| Error::invalid(format!("actuator {who}: {}", e.message));
                if let Some(state) = &a.activation {
                    state.check().map_err(led)?;
                }
                let muscles = [&a.active, &a.passive];
                (muscles.into_iter().flatten()).try_for_each(|m| m.check().map_err(led))?;
                for (what, r) in [
                    ("control", a.control_range),
                    ("force", a.force_range),
                    ("activation", a.activation.and_then(|a| a.range)),
                ] {
                    if let Some((lo, hi)) = r
                        && (lo.is_nan() || hi.is_nan() || lo > hi)
                    {
                        return Err(Error::invalid(format!(
                            "actuator {who}: {what} range must be ordered, got {lo} {hi}"
                        )));
                    }
                }
                Ok(Actuator {
                    name: a.name.clone(),
                    acts_on,
                    gear: match gears {
                        // It is part of the transmission.
                        0 => vec![1.0],
                        _ => a.gear[..gears].to_vec(),
                    },
                    gain: a.gain,
                    gain_slopes: a.gain_slopes,
                    bias: a.bias,
                    active: a.active,
                    passive: a.passive,
                    activation: a.activation,
                    control_range: a.control_range,
                    force_range: a.force_range,
                })
            })
            .collect()
    }

    /// A joint, and the number of gears of an actuator on it.
    fn driven_joint(&self, a: &ActuatorSpec, name: &str, who: &str) -> Result<(ActsOn, usize)> {
        let joint = *self.joint_ids.get(name).ok_or_else(|| {
            Error::invalid(format!("actuator {who}: no joint is called \"{name}\""))
        })?;
        let j = &self.joints[joint];
        if j.nv == 0 {
            return Err(Error::invalid(format!(
                "actuator {who}: it must act on a joint that moves, got \"{}\", which is fixed",
                j.name
            )));
        }
        let (iq, iv) = (j.iq, j.iv);
        let is_muscle = a.active.is_some() || a.passive.is_some();
        if j.kind == JointKind::Spherical && a.feels_motion() && !is_muscle {
            let gear = [a.gear[0], a.gear[1], a.gear[2]];
            let ball = ActsOn::Ball {
                joint,
                iq,
                iv,
                gear,
            };
            return Ok((ball, 0));
        }
        if j.nv != 1 && a.feels_motion() {
            return Err(Error::unsupported(format!(
                "actuator {who}: a muscle needs a one-dof joint, a servo or damper a one-dof or spherical \
                 joint; \"{}\" has {} dofs",
                j.name, j.nv
            )));
        }
        Ok((ActsOn::Joint { joint, iq, iv }, j.nv))
    }

    fn pulled_tendon(&self, name: &str, who: &str) -> Result<ActsOn> {
        let id = *self.tendon_ids.get(name).ok_or_else(|| {
            Error::invalid(format!("actuator {who}: no tendon is called \"{name}\""))
        })?;
        if let TendonPath::Spatial(path) = &self.tendons[id].path {
            let mut links = path
                .iter()
                .filter_map(PathPoint::body)
                .map(|b| self.bodies[b].link);
            let first = links.next();
            if links.all(|l| Some(l) == first) {
                return Err(Error::invalid(format!(
                    "actuator {who}: tendon \"{name}\" must pass along bodies that move against each other, its length is constant"
                )));
            }
        }
        Ok(ActsOn::Tendon(id))
    }

    /// A site and its reference, with the gear.
    fn pushed_site(
        &self,
        a: &ActuatorSpec,
        (site, reference): (&str, Option<&str>),
        who: &str,
    ) -> Result<ActsOn> {
        let found = |name: &str| {
            let id = self.site_ids.get(name).copied();
            id.ok_or_else(|| {
                Error::invalid(format!("actuator {who}: no site is called \"{name}\""))
            })
        };
        let (site, reference) = (found(site)?, reference.map(found).transpose()?);
        if a.active.is_some() || a.passive.is_some() {
            return Err(Error::unsupported(format!(
                "actuator {who}: a muscle needs a joint or a tendon, got a site"
            )));
        }
        if self.nv() == 0 {
            return Err(Error::invalid(format!(
                "actuator {who}: no body of the model can move"
            )));
        }
        Ok(ActsOn::Site {
            site,
            reference,
            gear: a.gear,
        })
    }

    /// A body for an adhesion actuator.
    fn adhesive_body(&self, a: &ActuatorSpec, name: &str, who: &str) -> Result<ActsOn> {
        let invalid = |what: String| Err(Error::invalid(format!("actuator {who}: {what}")));
        let Some(id) = self.body_id(name) else {
            return invalid(format!("no body is called \"{name}\""));
        };
        if self.geoms.iter().all(|g| g.body != id) {
            return invalid(format!("body \"{name}\" has no geom that could adhere"));
        }
        if self.nv() == 0 {
            return invalid("no body of the model can move".into());
        }
        let [first, rest @ ..] = a.gear;
        if first != 1.0 || rest != [0.0; 5] {
            return invalid(format!(
                "adhesion has no gear, expected 1, got {:?}",
                a.gear
            ));
        }
        if a.feels_motion() || a.bias != [0.0; 3] {
            return invalid("adhesion is gain times input, without a bias or a muscle".into());
        }
        if a.gain < 0.0 {
            return invalid(format!(
                "the gain of adhesion must not be negative, got {}",
                a.gain
            ));
        }
        let Some((lower, upper)) = a.control_range else {
            return invalid("adhesion needs a control range, from 0 up: it does not push".into());
        };
        if lower < 0.0 {
            return invalid(format!(
                "the control range of adhesion must not be negative, got {lower} {upper}"
            ));
        }
        if let Some((lower, upper)) = a.force_range.filter(|r| r.1 < 0.0) {
            return invalid(format!(
                "the force range of adhesion must reach to 0 or above, got {lower} {upper}"
            ));
        }
        Ok(ActsOn::Body(id))
    }

    /// One motor of unit gear on every dof of the joints for which `driven` holds.
    fn motors(&self, driven: impl Fn(&Joint) -> bool) -> Vec<Actuator> {
        let mut list = Vec::with_capacity(self.nv());
        for (id, j) in self.joints.iter().enumerate().filter(|(_, j)| driven(j)) {
            for k in 0..j.nv {
                list.push(Actuator {
                    name: j.name.clone(),
                    acts_on: ActsOn::Joint {
                        joint: id,
                        iq: j.iq,
                        iv: j.iv + k,
                    },
                    gear: vec![1.0],
                    gain: 1.0,
                    gain_slopes: [0.0; 2],
                    bias: [0.0; 3],
                    active: None,
                    passive: None,
                    activation: None,
                    control_range: None,
                    force_range: None,
                });
            }
        }
        list
    }
}
