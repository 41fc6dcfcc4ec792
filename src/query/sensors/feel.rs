//! Sensors that measure contact forces: their readings and derivatives.
//!
//! With F = Rλ/h the force of a contact, R its frame and p its point, a touch sensor adds up n·F. Force and
//! torque sensors subtract F and (p − o) × F from the force that the motion of their subtree needs; o is the
//! sensor's origin. Of dF = dR λ/h + R dλ/h the first part is geometry. The second part is one adjoint of the
//! step for each reading, seeded by its weights w of the impulses, dy = w·dλ. Contacts with torsional and
//! rolling friction add a couple Rτ/h to the torque, likewise in two parts. The force of a bound has only the
//! second part.
//!
//! If constraints are redundant, λ is not unique, but w·λ may be: it is unique if w is zero on the null space
//! of the impulses.

use super::dual::Dual;
use super::limits::bound_of;
use super::motion::{By, Motion};
use super::press::{Room, called, feels, holds, side, touches, weigh};
use super::room::SensorRoom;
use super::subtree::Sums;
use crate::collision::ContactDerivative;
use crate::error::{Error, Result};
use crate::model::sensor::Sensor;
use crate::query::contact_motion::{self, ContactDerivatives};
use crate::spatial::{Pose, Vec3};
use crate::step::{Advance, ImpulseBar, Seed, Sim, StepAdjoint};

/// Tolerance for the weight of null-space impulses, relative to the weight of other impulses of their size.
const NOTHING: f64 = 1e-7;

/// Adds the variation of impulses at fixed frames, w·dλ, to the rows of sensors that measure impulses.
/// Call it after the acceleration's Jacobians, at the same step.
pub(super) fn feel_impulses(sim: &mut Sim, room: &mut SensorRoom, q: &[f64]) -> Result<()> {
    let model = sim.model.clone();
    let sensors = model.sensors();
    if !sensors.iter().any(|s| feels(s.reading) || holds(s.reading)) {
        return Ok(());
    }
    let mut press = std::mem::take(&mut room.press);
    let done = sim.query().update_positions(q).and_then(|()| {
        let pressed = sensors.iter().filter(|s| feels(s.reading));
        for (s, pose) in pressed.clone().zip(&mut press.poses) {
            let body = sim.asked.dynamics.kin.body_pose(&model, s.frame.body);
            *pose = body.compose(&s.frame.placement);
        }
        let mut idle_is_known = None;
        if !sim.contacts().is_empty() {
            for (i, s) in pressed.enumerate() {
                for k in 0..s.reading.dim() {
                    feel_number(sim, room, &mut press, (s, i), k, &mut idle_is_known)?;
                }
            }
        }
        for s in sensors.iter().filter(|s| holds(s.reading)) {
            hold_number(sim, room, &mut press, s, &mut idle_is_known)?;
        }
        Ok(())
    });
    room.press = press;
    done
}

fn feel_number(
    sim: &mut Sim,
    room: &mut SensorRoom,
    press: &mut Room,
    (s, i): (&Sensor, usize),
    k: usize,
    idle_is_known: &mut Option<bool>,
) -> Result<()> {
    let (rate, n) = (1.0 / sim.options.time_step, 3 * sim.contacts().len());
    let Room {
        poses,
        weights: [impulses, torques],
        bars,
        ..
    } = press;
    let (impulses, torques) = (&mut impulses[..n], &mut torques[..n]);
    let mut acts = false;
    let parts = impulses
        .chunks_exact_mut(3)
        .zip(torques.chunks_exact_mut(3));
    for (c, (impulse, torque)) in sim.contacts().iter().zip(parts) {
        let w = weigh(&sim.model, s, &poses[i], c, k);
        acts |= w.is_some();
        let [of_impulse, of_torque] = w.unwrap_or_default().map(|w| w.map(|x| rate * x));
        impulse.copy_from_slice(&of_impulse);
        torque.copy_from_slice(&of_torque);
    }
    if !acts {
        return Ok(());
    }
    if sim.forces.penalty.is_some() {
        // If the force of the step is that of its beginning, it is a function of (q, v) whose slopes are
        // available.
        return match sim.advance() {
            Advance::Explicit => Ok(()),
            Advance::Stage | Advance::Formula => Err(Error::unsupported(format!(
                "{}: a contact acts on it; the derivative of a {:?} sensor in contact is not supported with contact Penalty and integrator {:?}",
                called(&sim.model, s),
                s.reading,
                sim.options.integrator
            ))),
        };
    }
    let bar = ImpulseBar {
        contacts: impulses,
        torques,
        bound: None,
    };
    let what = "the contact force on it has";
    weigh_impulses(sim, room, bars, (s, k), (bar, what), idle_is_known)
}

fn hold_number(
    sim: &mut Sim,
    room: &mut SensorRoom,
    press: &mut Room,
    s: &Sensor,
    idle_is_known: &mut Option<bool>,
) -> Result<()> {
    let along = bound_of(sim, s);
    if sim.impulse_of_limit(along) == 0.0 {
        return Ok(());
    }
    let bar = ImpulseBar {
        bound: Some((along, 1.0 / sim.options.time_step)),
        ..ImpulseBar::default()
    };
    let what = "the force at its limit has";
    weigh_impulses(
        sim,
        room,
        &mut press.bars,
        (s, 0),
        (bar, what),
        idle_is_known,
    )
}

/// Adds the contribution of the weights of impulses to the k-th row of a sensor, or refuses.
fn weigh_impulses(
    sim: &mut Sim,
    room: &mut SensorRoom,
    bars: &mut [Vec<f64>; 4],
    (s, k): (&Sensor, usize),
    (bar, what): (ImpulseBar<'_>, &str),
    idle_is_known: &mut Option<bool>,
) -> Result<()> {
    let [q, v, u, act] = bars.each_mut().map(|x| Some(&mut x[..]));
    let out = StepAdjoint {
        q,
        v,
        u,
        act,
        ..StepAdjoint::default()
    };
    let seed = Seed {
        impulses: bar,
        ..Seed::of(&room.zeros, &room.zeros, &[])
    };
    sim.adjoint(&seed, out)?;
    if idle_is_known.is_none() {
        *idle_is_known = Some(sim.find_idle_impulses()?);
    }
    let [sum, size] = sim.idle_weight(&bar);
    if *idle_is_known != Some(true) || sum.abs() > NOTHING * size {
        return Err(Error::unsupported(format!(
            "{}: {what} no derivative: redundant constraints share the force, so that it is not unique",
            called(&sim.model, s)
        )));
    }
    let row = s.address + k;
    let n = room.data.len();
    let [to_q, to_v, _] = &mut room.by;
    let outs = [to_q, to_v, &mut room.by_u, &mut room.by_act];
    for (to, from) in outs.into_iter().zip(bars) {
        for (to, x) in to.iter_mut().skip(row).step_by(n).zip(from) {
            *to += *x;
        }
    }
    Ok(())
}

/// Subtracts the forces of contacts with bodies beyond the subtree; with derivatives also their variation
/// at fixed impulses.
pub(super) fn relieve_of_contacts(
    sim: &mut Sim,
    total: &mut Sums,
    room: &mut SensorRoom,
    s: &Sensor,
    differentiate: bool,
) -> Result<()> {
    let (model, rate) = (sim.model.clone(), 1.0 / sim.options.time_step);
    for i in 0..sim.contacts().len() {
        let c = sim.contacts()[i];
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
        move_contact(sim, &mut room.press, i)?;
        let [points, ..] = &room.press.moved;
        for k in 0..model.nv() {
            for (by, moved) in [By::Positions, By::Velocities]
                .into_iter()
                .zip(&room.press.force)
            {
                let [moves, turns] = match by {
                    By::Positions => [three(points, k), three(&room.press.torque, k) * sign],
                    _ => [Vec3::ZERO; 2],
                };
                let force = Dual::new(force, three(moved, k) * sign);
                let (torque, at) = (Dual::new(torque, turns), Dual::new(point, moves));
                let sums = room.subtree.along_mut(by as usize, k);
                sums.relieve(force, torque, at);
            }
        }
    }
    Ok(())
}

/// Writes the variation of a contact's point, its force and its torque on B into `press`.
fn move_contact(sim: &mut Sim, press: &mut Room, contact: usize) -> Result<()> {
    let (c, rate) = (sim.contacts()[contact], 1.0 / sim.options.time_step);
    let [points, normals, tangents] = press.moved.each_mut().map(|x| &mut x[..]);
    let mut out = ContactDerivatives {
        point: Some(points),
        normal: Some(normals),
        tangents: Some(tangents),
        gap: None,
    };
    sim.query().with_scene(|scene, model, kin| {
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
    press.torque.fill(0.0);
    let add = |out: &mut [f64], k: usize, x: Vec3| {
        for (out, x) in out[3 * k..3 * k + 3].iter_mut().zip(x.to_array()) {
            *out += x;
        }
    };
    if let Some(penalty) = &sim.forces.penalty {
        let t = sim.model.topology();
        penalty.for_force(contact, t, &sim.asked.dynamics.kin, |k, q, v| {
            add(by_q, k, q);
            add(by_v, k, v);
        });
        return Ok(());
    }
    let [_, normals, tangents] = &press.moved;
    for k in 0..sim.model.nv() {
        let axes = [2 * k, 2 * k + 1].map(|i| three(tangents, i));
        let turned =
            |[x, y, z]: [f64; 3]| (axes[0] * x + axes[1] * y + three(normals, k) * z) * rate;
        add(by_q, k, turned(c.impulse));
        add(&mut press.torque, k, turned(c.torque));
    }
    Ok(())
}

pub(super) fn tell_touch(
    sim: &mut Sim,
    room: &mut SensorRoom,
    s: &Sensor,
    differentiate: bool,
) -> Result<()> {
    let frame = Motion::of(&sim.model, &sim.asked, &s.frame);
    let pose = Pose::new(frame.axes.r, frame.at.x);
    let (rate, mut sum) = (1.0 / sim.options.time_step, 0.0);
    for i in 0..sim.contacts().len() {
        let c = sim.contacts()[i];
        if !touches(s, &pose, &c) {
            continue;
        }
        sum += c.impulse[2] * rate;
        // If impulses are solved for, w·dλ contains all of it.
        if !differentiate || sim.forces.penalty.is_none() {
            continue;
        }
        move_contact(sim, &mut room.press, i)?;
        let (normal, force) = (Vec3::from_slice(&c.normal), c.force_on_b(rate));
        for k in 0..sim.model.nv() {
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

fn three(x: &[f64], k: usize) -> Vec3 {
    Vec3::from_slice(&x[3 * k..3 * k + 3])
}
