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
use super::press::{Room, called, feels, side, touches, weigh};
use super::room::SensorRoom;
use super::subtree::Sums;
use crate::collision::ContactDerivative;
use crate::error::{Error, Result};
use crate::model::sensor::{Reading, Sensor};
use crate::query::contact_motion::{self, ContactDerivatives};
use crate::spatial::{Pose, Vec3};
use crate::step::{Integrator, Seed, Sim, StepAdjoint};

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
            // A function of (q, v), whose slopes are at hand, where the force of the step is that of its beginning.
            return match self.options.integrator {
                Integrator::SymplecticEuler | Integrator::SymplecticEulerWorld => Ok(()),
                other => Err(Error::unsupported(format!(
                    "{}: contacts press on it, and with contact Penalty and {other:?} how their forces vary is not in the derivative of a {:?} sensor",
                    called(&self.model, s),
                    s.reading
                ))),
            };
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
                "{}: what contacts press on it has no derivative, as constraints that depend on each other may share it otherwise",
                called(&self.model, s)
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
            let torque = c.torque_on_b(sign * rate);
            total.relieve(Dual::constant(force), Dual::constant(torque), at);
            if !differentiate {
                continue;
            }
            if s.reading == Reading::Torque && c.torque != [0.0; 3] {
                return Err(Error::unsupported(format!(
                    "{}: contacts that resist torsion or rolling (condim 4 and 6) press on it, and how their torques vary is not in the derivative of a {:?} sensor",
                    called(&model, s),
                    s.reading
                )));
            }
            self.move_contact(&mut room.press, i)?;
            let [points, ..] = &room.press.moved;
            for k in 0..model.nv() {
                for (by, moved) in [By::Positions, By::Velocities]
                    .into_iter()
                    .zip(&room.press.force)
                {
                    let moves = if by == By::Positions {
                        three(points, k)
                    } else {
                        Vec3::ZERO
                    };
                    let force = Dual::new(force, three(moved, k) * sign);
                    let sums = room.subtree.along_mut(by as usize, k);
                    sums.relieve(force, Dual::default(), Dual::new(point, moves));
                }
            }
        }
        Ok(())
    }

    /// How a contact's place and its force on B vary, into `press`.
    fn move_contact(&mut self, press: &mut Room, contact: usize) -> Result<()> {
        let (c, rate) = (self.contacts()[contact], 1.0 / self.options.time_step);
        let [points, normals, tangents] = press.moved.each_mut().map(|x| &mut x[..]);
        let mut out = ContactDerivatives {
            point: Some(points),
            normal: Some(normals),
            tangents: Some(tangents),
            gap: None,
        };
        self.with_scene(|scene, model, kin| {
            let (c, mut d) = (scene.contacts()[contact], ContactDerivative::default());
            scene.differentiate(&c, &mut d);
            contact_motion::check(model, &c, &d)?;
            out.clear();
            contact_motion::write(model, kin, &c, &d, &mut out);
            Ok(())
        })?;
        let [by_q, by_v] = &mut press.force;
        by_q.fill(0.0);
        by_v.fill(0.0);
        let add = |out: &mut [f64], k: usize, x: Vec3| {
            for (out, x) in out[3 * k..3 * k + 3].iter_mut().zip(x.to_array()) {
                *out += x;
            }
        };
        if let Some(penalty) = &self.forces.penalty {
            let t = self.model.topology();
            penalty.for_force(contact, t, &self.dynamics.kin, |k, q, v| {
                add(by_q, k, q);
                add(by_v, k, v);
            });
            return Ok(());
        }
        let [_, normals, tangents] = &press.moved;
        let [x, y, z] = c.impulse;
        for k in 0..self.model.nv() {
            let turned = three(tangents, 2 * k) * x + three(tangents, 2 * k + 1) * y;
            add(by_q, k, (turned + three(normals, k) * z) * rate);
        }
        Ok(())
    }

    pub(super) fn tell_touch(
        &mut self,
        room: &mut SensorRoom,
        s: &Sensor,
        differentiate: bool,
    ) -> Result<()> {
        let frame = Motion::of(&self.model, &self.dynamics, &s.frame);
        let pose = Pose::new(frame.axes.r, frame.at.x);
        let (rate, mut sum) = (1.0 / self.options.time_step, 0.0);
        for i in 0..self.contacts().len() {
            let c = self.contacts()[i];
            if !touches(s, &pose, &c) {
                continue;
            }
            sum += c.impulse[2] * rate;
            // Of impulses that are solved for all of it is in w·dλ.
            if !differentiate || self.forces.penalty.is_none() {
                continue;
            }
            self.move_contact(&mut room.press, i)?;
            let (normal, force) = (Vec3::from_slice(&c.normal), c.force_on_b(rate));
            for k in 0..self.model.nv() {
                let [by_q, by_v] = room.press.force.each_ref().map(|x| normal.dot(three(x, k)));
                let turned = three(&room.press.moved[1], k).dot(force);
                let mut rows = room.rows(s);
                rows.add(By::Positions, k, &[by_q + turned]);
                rows.add(By::Velocities, k, &[by_v]);
            }
        }
        room.rows(s).tell(&[sum]);
        Ok(())
    }
}

fn three(x: &[f64], k: usize) -> Vec3 {
    Vec3::from_slice(&x[3 * k..3 * k + 3])
}
