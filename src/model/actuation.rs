//! Actuators of a description, bound to the dofs on which they act.

use super::Actuator;
use super::check::described;
use super::compile::Compiler;
use super::cord::Transmission;
use super::spec::ActuatorSpec;
use crate::error::{Error, Result};
use std::collections::HashMap;

impl Compiler {
    pub(super) fn actuators(&self, specs: &[ActuatorSpec]) -> Result<Vec<Actuator>> {
        let mut names = HashMap::new();
        specs
            .iter()
            .map(|a| {
                let who = described(&a.name, &a.origin);
                if !a.name.is_empty() && names.insert(a.name.clone(), ()).is_some() {
                    return Err(Error::invalid(format!(
                        "actuator {who}: the name is taken twice"
                    )));
                }
                let Transmission::Joint(name) = &a.transmission else {
                    return Err(Error::unsupported(format!(
                        "actuator {who}: it acts on a tendon, and tendons are not in this version"
                    )));
                };
                let joint = *self.joint_ids.get(name).ok_or_else(|| {
                    Error::invalid(format!(
                        "actuator {who}: no joint is called \"{name}\""
                    ))
                })?;
                let j = &self.joints[joint];
                if j.nv == 0 {
                    return Err(Error::invalid(format!(
                        "actuator {who}: it must act on a joint that moves, got \"{}\", which is fixed",
                        j.name
                    )));
                }
                let finite = a.gear.iter().chain(&a.bias).all(|x| x.is_finite());
                if !finite || !a.gain.is_finite() {
                    return Err(Error::invalid(format!(
                        "actuator {who}: gear, gain and bias must be finite"
                    )));
                }
                for (what, r) in [("control", a.control_range), ("force", a.force_range)] {
                    if let Some((lo, hi)) = r
                        && (lo.is_nan() || hi.is_nan() || lo > hi)
                    {
                        return Err(Error::invalid(format!(
                            "actuator {who}: {what} range must be ordered, got {lo} {hi}"
                        )));
                    }
                }
                if j.nv != 1 && (a.bias[1] != 0.0 || a.bias[2] != 0.0) {
                    return Err(Error::unsupported(format!(
                        "actuator {who}: a servo needs a one-dof joint, \"{}\" has {} dofs",
                        j.name, j.nv
                    )));
                }
                Ok(Actuator {
                    name: a.name.clone(),
                    joint,
                    iq: j.iq,
                    iv: j.iv,
                    gear: a.gear[..j.nv].to_vec(),
                    gain: a.gain,
                    bias: a.bias,
                    control_range: a.control_range,
                    force_range: a.force_range,
                })
            })
            .collect()
    }

    /// One motor of unit gear on every dof.
    pub(super) fn full_actuation(&self) -> Vec<Actuator> {
        let mut list = Vec::with_capacity(self.topology.nv());
        for (id, j) in self.joints.iter().enumerate() {
            for k in 0..j.nv {
                list.push(Actuator {
                    name: j.name.clone(),
                    joint: id,
                    iq: j.iq,
                    iv: j.iv + k,
                    gear: vec![1.0],
                    gain: 1.0,
                    bias: [0.0; 3],
                    control_range: None,
                    force_range: None,
                });
            }
        }
        list
    }
}
