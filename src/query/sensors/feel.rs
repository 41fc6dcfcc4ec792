//! Sensors that feel forces: what contacts do to them, and how that varies.
//!
//! With F = Rλ/h the force of a contact, R its frame and p its point, a touch sensor adds up n·F, and force and torque sensors
//! take F and (p − o) × F off what the motion of their subtree takes, o the sensor's origin. Of dF = dR λ/h + R dλ/h the first
//! part is geometry; the second is one adjoint of the step for each number that is told, seeded by its weights w of the
//! impulses, dy = w·dλ.
//!
//! Where constraints depend on each other λ is not unique, but w·λ may be: where w weighs all impulses by zero that move nothing.

use super::dual::Dual;
use super::motion::{By, Motion};
use super::press::{Room, feels, side, touches, weigh};
use super::room::SensorRoom;
use super::subtree::Sums;
use crate::collision::ContactDerivative;
use crate::error::{Error, Result};
use crate::model::sensor::Sensor;
use crate::query::contact_motion::{self, ContactDerivatives};
use crate::spatial::{Pose, Vec3};
use crate::step::{Seed, Sim, StepAdjoint};

/// What idle impulses may weigh, relative to the sum of the parts.
const NOTHING: f64 = 1e-7;

impl Sim {
    /// Adds to the rows of sensors that feel contacts how these vary at fixed frames: w·dλ. After the acceleration's
    /// Jacobians, at the same step.
    pub(super) fn feel_impulses(&mut self, room: &mut SensorRoom, q: &[f64]) -> Result<()> {
        let model = self.model.clone();
        let pressed = |s: &&Sensor| feels(s.reading);
        if self.contacts().is_empty() || !model.sensors().iter().any(|s| pressed(&s)) {
            return Ok(());
        }
        let mut press = std::mem::take(&mut room.press);
        let done = self.update_positions(q).and_then(|()| {
            let sensors = model.sensors().iter().filter(pressed);
            for (s, pose) in sensors.zip(&mut press.poses) {
                let body = self.dynamics.kin.body_pose(&model, s.frame.body);
                *pose = body.compose(&s.frame.placement);
            }
            let mut idle_is_known = None;
            let mut sensors = model.sensors().iter().filter(pressed).zip(0..);
            sensors.try_for_each(|(s, i)| {
                (0..s.reading.dim()).try_for_each(|k| {
                    self.feel_number(room, &mut press, (s, i), k, &mut idle_is_known)
                })
            })
        });
        room.press = press;
        done
    }

    fn feel_number(
        &mut self,
        room: &mut SensorRoom,
        press: &mut Room,
        (s, i): (&Sensor, usize),
        k: usize,
        idle_is_known: &mut Option<bool>,
    ) -> Result<()> {
        let (rate, n) = (1.0 / self.options.time_step, 3 * self.contacts().len());
        let (weights, mut acts) = (&mut press.weights[..n], false);
        for (c, to) in self.contacts().iter().zip(weights.chunks_exact_mut(3)) {
            let w = weigh(&self.model, s, &press.poses[i], c, k);
            acts |= w.is_some();
            to.copy_from_slice(&w.unwrap_or_default().map(|w| rate * w));
        }
        if !acts {
            return Ok(());
        }
        if self.forces.penalty.is_some() {
            return Err(Error::unsupported(format!(
                "sensor \"{}\": contacts press on it, and with contact Penalty how their forces vary is not in the derivative of a {:?} sensor",
                s.name, s.reading
            )));
        }
        let [q, v, u, act] = press.bars.each_mut().map(|x| Some(&mut x[..]));
        let out = StepAdjoint {
            q,
            v,
            u,
            act,
            ..StepAdjoint::default()
        };
        let seed = Seed {
            impulses: weights,
            ..Seed::of(&room.zeros, &room.zeros, &[])
        };
        self.adjoint(&seed, out)?;
        let idle = &mut press.idle[..n];
        if idle_is_known.is_none() {
            *idle_is_known = Some(self.idle_impulses(idle)?);
        }
        let parts = weights.iter().zip(&*idle).map(|(w, x)| w * x);
        let (sum, size) = parts.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
        if *idle_is_known != Some(true) || f64::abs(sum) > NOTHING * size {
            return Err(Error::unsupported(format!(
                "sensor \"{}\": what contacts press on it has no derivative, as constraints that depend on each other may share it otherwise",
                s.name
            )));
        }
        let row = s.address + k;
        let n = room.data.len();
        let [to_q, to_v, _] = &mut room.by;
        let outs = [to_q, to_v, &mut room.by_u, &mut room.by_act];
        for (to, from) in outs.into_iter().zip(&press.bars) {
            for (to, x) in to.iter_mut().skip(row).step_by(n).zip(from) {
                *to += x;
            }
        }
        Ok(())
    }

    /// Takes off what contacts with bodies beyond the subtree do; with derivatives how that moves at fixed impulses, too.
    pub(super) fn relieve_of_contacts(
        &mut self,
        total: &mut Sums,
        room: &mut SensorRoom,
        s: &Sensor,
        differentiate: bool,
    ) -> Result<()> {
        let (model, rate) = (self.model.clone(), 1.0 / self.options.time_step);
        for i in 0..self.contacts().len() {
            let c = self.contacts()[i];
            let Some(sign) = side(&model, s, &c) else {
                continue;
            };
            let (force, point) = (c.force_on_b(sign * rate), Vec3::from_slice(&c.point));
            let at = Dual::constant(point);
            total.relieve(Dual::constant(force), Dual::default(), at);
            if !differentiate {
                continue;
            }
            let [points, normals, tangents] = room.press.moved.each_mut().map(|x| &mut x[..]);
            let mut out = ContactDerivatives {
                point: Some(points),
                normal: Some(normals),
                tangents: Some(tangents),
                gap: None,
            };
            self.with_scene(|scene, model, kin| {
                let (c, mut d) = (scene.contacts()[i], ContactDerivative::default());
                scene.differentiate(&c, &mut d);
                contact_motion::check(model, &c, &d)?;
                out.clear();
                contact_motion::write(model, kin, &c, &d, &mut out);
                Ok(())
            })?;
            let three = |x: &[f64], k: usize| Vec3::from_slice(&x[3 * k..3 * k + 3]);
            let [points, normals, tangents] = &room.press.moved;
            for k in 0..model.nv() {
                let [x, y, z] = c.impulse;
                let turned = three(tangents, 2 * k) * x
                    + three(tangents, 2 * k + 1) * y
                    + three(normals, k) * z;
                let force = Dual::new(force, turned * (sign * rate));
                let at = Dual::new(point, three(points, k));
                let sums = room.subtree.along_mut(By::Positions as usize, k);
                sums.relieve(force, Dual::default(), at);
            }
        }
        Ok(())
    }

    pub(super) fn tell_touch(&self, room: &mut SensorRoom, s: &Sensor) {
        let frame = Motion::of(&self.model, &self.dynamics, &s.frame);
        let pose = Pose::new(frame.axes.r, frame.at.x);
        let rate = 1.0 / self.options.time_step;
        let felt = self.contacts().iter().filter(|c| touches(s, &pose, c));
        let sum = felt.map(|c| c.impulse[2] * rate).sum();
        room.rows(s).tell(&[sum]);
    }
}
