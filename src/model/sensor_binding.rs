//! Binds the sensors of a description to the elements that they measure.

use super::check::{check_pose, described};
use super::sensor::{Reading, Seat, Sensor, SensorFrame, SensorSpec};
use super::spec::{EqualityKind, EqualitySpec, JointKind};
use super::tendon::{TendonPath, TendonSpec};
use super::{Actuation, Model};
use crate::error::{Error, Result};
use std::collections::HashMap;

impl Model {
    /// Adds these sensors. `renumbered` maps their bodies to those of the model.
    ///
    /// # Errors
    /// `InvalidArgument` for a body, joint, tendon or actuator that does not exist or has the wrong
    /// kind, a placement that is no rigid motion, or a duplicate name; the errors of
    /// [`SensorSpec::check`].
    pub(super) fn bind_sensors(
        &mut self,
        specs: Vec<SensorSpec>,
        renumbered: &[usize],
        actuation: Actuation,
    ) -> Result<()> {
        let mut address = 0;
        let mut ids = HashMap::new();
        for spec in specs {
            let who = described(&spec.name, &spec.origin);
            spec.check(&who)?;
            let frame = |f: SensorFrame| {
                check_pose(&f.placement, || format!("sensor {who}: placement"))?;
                let body = renumbered.get(f.body).copied();
                let none = || Error::invalid(format!("sensor {who}: there is no body {}", f.body));
                Ok(SensorFrame {
                    body: body.ok_or_else(none)?,
                    placement: f.placement,
                })
            };
            let seat = spec.reading.seat();
            if seat == Seat::Actuator && actuation != Actuation::FromFile {
                self.warnings.push(format!(
                    "sensor {who}: it is left out, as is the actuator that it measures"
                ));
                continue;
            }
            let index = match seat {
                Seat::Frame | Seat::Body => 0,
                _ => self.seat_of(&spec, &who)?,
            };
            if !spec.name.is_empty() && ids.insert(spec.name.clone(), self.sensors.len()).is_some()
            {
                return Err(Error::invalid(format!(
                    "sensor {who}: the name is taken twice"
                )));
            }
            let is_load = matches!(spec.reading, Reading::Force | Reading::Torque);
            let is_spatial = |t: &TendonSpec| matches!(t.path, TendonPath::Spatial(_));
            if is_load
                && (!self.springs.is_empty()
                    || !self.deformables.is_empty()
                    || self.tendons.iter().any(is_spatial))
            {
                self.warnings.push(format!(
                    "sensor {who}: its reading includes the pulls of springs and tendons on the body and all below it"
                ));
            }
            let is_between_bodies = |e: &EqualitySpec| {
                let of_dofs = matches!(
                    e.kind,
                    EqualityKind::Joint { .. } | EqualityKind::Tendon { .. }
                );
                e.active && !of_dofs
            };
            if is_load && self.equalities.iter().any(is_between_bodies) {
                self.warnings.push(format!(
                    "sensor {who}: its reading includes the forces of equalities on the body and all below it"
                ));
            }
            let sensor = Sensor {
                frame: frame(spec.frame)?,
                reference: spec.reference.map(frame).transpose()?,
                name: spec.name,
                reading: spec.reading,
                index,
                cutoff: spec.cutoff,
                field: spec.field,
                zone: spec.zone,
                address,
            };
            address += sensor.reading.dim();
            self.sensors.push(sensor);
        }
        self.sensor_ids = ids;
        Ok(())
    }

    /// The joint, tendon or actuator that a sensor measures.
    fn seat_of(&self, spec: &SensorSpec, who: &str) -> Result<usize> {
        let seat = spec.reading.seat();
        let (what, found) = match seat {
            Seat::Tendon => ("tendon", self.tendon_id(&spec.of)),
            Seat::Actuator => {
                let named = |a: &super::Actuator| !spec.of.is_empty() && a.name == spec.of;
                ("actuator", self.actuators.iter().position(named))
            }
            _ => ("joint", self.joint_id(&spec.of)),
        };
        let Some(index) = found else {
            return Err(Error::invalid(format!(
                "sensor {who}: no {what} is called \"{}\"",
                spec.of
            )));
        };
        let is_bounded = |limits: Option<(f64, f64)>| {
            limits.is_some_and(|(a, b)| a.is_finite() || b.is_finite())
        };
        let of_limit = spec.reading.is_of_limit();
        let expected = match seat {
            Seat::Joint if self.joints[index].nv != 1 => "a joint of one degree of freedom",
            Seat::Joint if of_limit && !is_bounded(self.joints[index].limits) => {
                "a joint with limits"
            }
            Seat::Tendon if of_limit && !is_bounded(self.tendons[index].limits) => {
                "a tendon with limits"
            }
            Seat::BallJoint if self.joints[index].kind != JointKind::Spherical => {
                "a spherical joint"
            }
            Seat::Actuator if self.actuators[index].gear.len() != 1 => {
                "an actuator on a joint of one degree of freedom or on a tendon"
            }
            _ => return Ok(index),
        };
        Err(Error::invalid(format!(
            "sensor {who}: expected {expected}, got \"{}\"",
            spec.of
        )))
    }

    /// The sensors of the description, with the model's body ids.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    pub fn sensor_id(&self, name: &str) -> Option<usize> {
        self.sensor_ids.get(name).copied()
    }

    /// Number of values of all sensors.
    pub fn nsensordata(&self) -> usize {
        (self.sensors.last()).map_or(0, |s| s.address + s.reading.dim())
    }
}
