//! Sensor by sensor: readings, and their derivatives by q, v, a and u.

use super::dual::Dual;
use super::feel::{relieve_of_contacts, tell_touch};
use super::limits::{Bounded, force_of_limit, vary};
use super::motion::{ALL, By, Motion, read};
use super::room::SensorRoom;
use super::subtree::{Sums, carries, sums};
use crate::collision::ray::Ray;
use crate::error::Result;
use crate::force::{ForceKinds, State};
use crate::model::Model;
use crate::model::sensor::{Reading, Seat, Sensor, SensorFrame};
use crate::query::rays::{GRAZING, distance_by_q};
use crate::spatial::{Pose, Quat, Vec3};
use crate::step::Sim;

/// All sensors, at the acceleration in `room`; returns whether a derivative is one-sided.
pub(super) fn tell_sensors(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
    differentiate: bool,
) -> Result<bool> {
    let model = sim.model.clone();
    let acceleration = std::mem::take(&mut room.acceleration);
    let mut one_sided = false;
    let done = sim
        .query()
        .move_to(q, Some(v), Some(&acceleration))
        .and_then(|()| {
            let a = differentiate.then_some(&acceleration[..]);
            for s in model.sensors() {
                match (s.reading.seat(), s.reading) {
                    (_, Reading::Rangefinder) => one_sided |= tell_range(sim, room, s, a)?,
                    (_, Reading::Touch) => tell_touch(sim, room, s, differentiate)?,
                    (_, Reading::Force | Reading::Torque) | (Seat::Body, _) => {
                        tell_subtree(sim, room, s, a)?;
                    }
                    (_, Reading::JointLimitForce | Reading::TendonLimitForce) => {
                        let force = force_of_limit(sim, s)?;
                        room.rows(s).tell(&[force]);
                    }
                    (Seat::Frame, _) => tell_frame(sim, room, s, a),
                    (Seat::Joint | Seat::BallJoint, reading)
                        if reading != Reading::JointActuatorForce =>
                    {
                        one_sided |= tell_joint(room, &model, s, [q, v], differentiate);
                    }
                    _ => {}
                }
            }
            // Forces use another workspace than frames.
            one_sided |= tell_transmissions(sim, room, [q, v, u], differentiate)?;
            Ok(one_sided)
        });
    room.acceleration = acceleration;
    done
}

fn tell_frame(sim: &Sim, room: &mut SensorRoom, s: &Sensor, a: Option<&[f64]>) {
    let (model, asked) = (&*sim.model, &*sim.asked);
    let gravity = sim.params.gravity;
    let own = Motion::of(model, asked, &s.frame);
    let reference = s.reference.map(|f| Motion::of(model, asked, &f));
    let [values, _] = read(s.reading, &own, reference.as_ref(), gravity, s.field);
    room.rows(s).tell(&values);
    let Some(a) = a else {
        return;
    };
    Motion::differentiate(model, asked, &s.frame, a, &mut room.own);
    if let Some(f) = &s.reference {
        Motion::differentiate(model, asked, f, a, &mut room.reference);
    }
    for by in ALL {
        for k in 0..model.nv() {
            let own = own.along(&room.own, by, k);
            let reference = reference.map(|r| r.along(&room.reference, by, k));
            let [_, change] = read(s.reading, &own, reference.as_ref(), gravity, s.field);
            room.rows(s).add(by, k, &change);
        }
    }
}

fn tell_subtree(sim: &mut Sim, room: &mut SensorRoom, s: &Sensor, a: Option<&[f64]>) -> Result<()> {
    let model = &*sim.model.clone();
    let root = s.frame.body;
    let is_load = matches!(s.reading, Reading::Force | Reading::Torque);
    let asked = &*sim.asked;
    let (mut total, mass) = sums(model, &sim.params, asked, root, a, &mut room.subtree);
    let at = Motion::of(model, asked, &s.frame);
    if is_load {
        relieve_of_contacts(sim, &mut total, room, s, a.is_some())?;
        for body in (0..model.nbody()).filter(|b| carries(model, root, *b)) {
            relieve_of_wrench(sim, &mut total, room, body, a);
        }
    }
    room.rows(s)
        .tell(&total.read(s.reading, mass, &at).x.to_array());
    let Some(a) = a else {
        return Ok(());
    };
    Motion::differentiate(model, &sim.asked, &s.frame, a, &mut room.own);
    for by in ALL {
        for k in 0..model.nv() {
            let at = at.along(&room.own, by, k);
            let sums = room.subtree.along(by as usize, k).with_values(&total);
            let change = sums.read(s.reading, mass, &at).d.to_array();
            room.rows(s).add(by, k, &change);
        }
    }
    Ok(())
}

/// Subtracts the external wrench of a body.
fn relieve_of_wrench(
    sim: &Sim,
    total: &mut Sums,
    room: &mut SensorRoom,
    body: usize,
    a: Option<&[f64]>,
) {
    let wrench = sim.external_wrench(body);
    if wrench == [0.0; 6] {
        return;
    }
    let (model, asked) = (&*sim.model, &*sim.asked);
    let [force, moment] = [0, 3].map(|k| Dual::constant(Vec3::from_slice(&wrench[k..k + 3])));
    let frame = SensorFrame {
        body,
        placement: Pose::IDENTITY,
    };
    let at = Motion::of(model, asked, &frame);
    total.relieve(force, moment, at.at);
    if let Some(a) = a {
        Motion::differentiate(model, asked, &frame, a, &mut room.own);
        for k in 0..model.nv() {
            let along = at.along(&room.own, By::Positions, k);
            let sums = room.subtree.along_mut(By::Positions as usize, k);
            sums.relieve(force, moment, along.at);
        }
    }
}

fn tell_range(sim: &mut Sim, room: &mut SensorRoom, s: &Sensor, a: Option<&[f64]>) -> Result<bool> {
    let own = Motion::of(&sim.model, &sim.asked, &s.frame);
    let ray = Ray {
        origin: own.at.x,
        direction: own.axes.r.c[2],
    };
    let body = s.frame.body;
    if let Some(a) = a {
        Motion::differentiate(&sim.model, &sim.asked, &s.frame, a, &mut room.own);
    }
    sim.query().with_scene(|scene, model, kin| {
        let hit = scene.ray_cast(model, kin, &ray, f64::INFINITY, Some(body));
        let distance = hit.map_or(-1.0, |h| h.crossing.at);
        room.rows(s).tell(&[distance]);
        let Some(hit) = hit else {
            return Ok(false);
        };
        let n = hit.crossing.normal;
        let rate = n.dot(ray.direction);
        let grazes = rate.abs() < GRAZING;
        if a.is_none() || grazes {
            return Ok(hit.crossing.kink || grazes);
        }
        let mut moved = std::mem::take(&mut room.moved);
        moved.fill(0.0);
        distance_by_q(model, kin, &ray, &hit, &mut moved);
        for (k, moved) in moved.iter().enumerate() {
            let along = own.along(&room.own, By::Positions, k);
            let turned = along.axes.turn.cross(ray.direction) * distance;
            let change = moved - n.dot(along.at.d + turned) / rate;
            room.rows(s).add(By::Positions, k, &[change]);
        }
        room.moved = moved;
        Ok(hit.crossing.kink)
    })
}

/// Sensors of tendons and actuators; returns whether slopes jump.
fn tell_transmissions(
    sim: &mut Sim,
    room: &mut SensorRoom,
    [q, v, u]: [&[f64]; 3],
    differentiate: bool,
) -> Result<bool> {
    let model = sim.model.clone();
    let is_wanted = |s: &&Sensor| {
        s.reading != Reading::TendonLimitForce
            && matches!(s.reading.seat(), Seat::Tendon | Seat::Actuator)
            || s.reading == Reading::JointActuatorForce
    };
    if !model.sensors().iter().any(|s| is_wanted(&s)) {
        return Ok(false);
    }
    sim.query().take_drives(u)?;
    sim.asked.dynamics.update(&model, &sim.params, q, v);
    let drives = &sim.pending.drives;
    let at = State {
        model: &model,
        params: &sim.params,
        kin: &sim.asked.dynamics.kin,
        q,
        v,
        u: &drives.drive,
        time_step: 0.0,
        ease: 1.0,
    };
    let forces = &mut sim.forces;
    sim.asked.work2.fill(0.0);
    forces.apply_kinds(ForceKinds::TENDON, &at, &mut sim.asked.work2)?;
    sim.asked.work.fill(0.0);
    let distance = forces.apply_kinds(ForceKinds::ACTUATOR, &at, &mut sim.asked.work)?;
    let dof_of = |s: &Sensor| model.joints()[s.index].iv;
    if differentiate {
        forces.for_kinds(ForceKinds::ACTUATOR, &at, |row, column, by_q, by_v| {
            for s in model.sensors() {
                if s.reading == Reading::JointActuatorForce && dof_of(s) == row {
                    room.rows(s).add(By::Positions, column, &[-by_q]);
                    room.rows(s).add(By::Velocities, column, &[-by_v]);
                }
            }
        });
        forces.for_kinds_by_input(ForceKinds::ACTUATOR, |row, input, x| {
            for s in model.sensors() {
                if s.reading == Reading::JointActuatorForce && dof_of(s) == row {
                    room.rows(s).add_drive(drives, input, x);
                }
            }
        });
    }
    let mut at_edge = false;
    for s in model.sensors().iter().filter(is_wanted) {
        let mut rows = room.rows(s);
        if s.reading.is_of_limit() {
            let t = &model.tendons()[s.index];
            let [length, rate, _] = forces.tendon(&at, s.index);
            let bounded = Bounded {
                at: length,
                rate,
                limits: t.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY)),
                margin: t.limit_margin,
            };
            at_edge |= bounded.is_at_edge();
            if let Some(sign) = bounded.tell(s.reading, &mut rows)
                && differentiate
            {
                forces.for_tendon(&at, s.index, |k, [moment, turned, _, _]| {
                    vary(&mut rows, s.reading, sign, (k, moment, turned));
                });
            }
            continue;
        }
        if s.reading == Reading::JointActuatorForce {
            rows.tell(&[sim.asked.work[dof_of(s)]]);
            continue;
        }
        let [force, length, rate] = match s.reading.seat() {
            Seat::Tendon => {
                let [length, rate, _] = forces.tendon(&at, s.index);
                [0.0, length, rate]
            }
            _ => forces.actuator(&at, s.index),
        };
        let is_rate = matches!(
            s.reading,
            Reading::TendonVelocity | Reading::ActuatorVelocity
        );
        if s.reading == Reading::ActuatorForce {
            rows.tell(&[force]);
            if differentiate {
                forces.for_actuator(&at, s.index, |k, by_q, by_v| {
                    rows.add(By::Positions, k, &[by_q]);
                    rows.add(By::Velocities, k, &[by_v]);
                });
                let slope = forces.actuator_by_input(s.index);
                rows.add_drive(drives, s.index, slope);
            }
            continue;
        }
        rows.tell(&[if is_rate { rate } else { length }]);
        if !differentiate {
            continue;
        }
        let mut put = |k: usize, [length, rate, turned]: [f64; 3]| match is_rate {
            true => {
                rows.add(By::Positions, k, &[turned]);
                rows.add(By::Velocities, k, &[rate]);
            }
            false => rows.add(By::Positions, k, &[length]),
        };
        match s.reading.seat() {
            Seat::Tendon => forces.for_tendon(&at, s.index, |k, [moment, turned, _, _]| {
                put(k, [moment, moment, turned]);
            }),
            _ => forces.for_motion(&at, s.index, put),
        }
    }
    let jumps = distance.min(drives.drive_margin) == 0.0;
    Ok(differentiate && (jumps || at_edge))
}

/// True if the joint is where a slope jumps.
fn tell_joint(
    room: &mut SensorRoom,
    model: &Model,
    s: &Sensor,
    [q, v]: [&[f64]; 2],
    differentiate: bool,
) -> bool {
    let (joint, mut rows) = (&model.joints()[s.index], room.rows(s));
    let (iq, iv) = (joint.iq, joint.iv);
    if s.reading.is_of_limit() {
        let bounded = Bounded {
            at: q[iq],
            rate: v[iv],
            limits: joint.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY)),
            margin: joint.limit_margin,
        };
        if let Some(sign) = bounded.tell(s.reading, &mut rows)
            && differentiate
        {
            vary(&mut rows, s.reading, sign, (iv, 1.0, 0.0));
        }
        return differentiate && bounded.is_at_edge();
    }
    match s.reading {
        Reading::JointPosition => rows.tell(&q[iq..=iq]),
        Reading::JointVelocity | Reading::BallAngularVelocity => rows.tell(&v[iv..iv + joint.nv]),
        _ => rows.tell(&Quat::from_slice(&q[iq..]).normalized().to_array()),
    }
    if !differentiate {
        return false;
    }
    for k in 0..joint.nv {
        let unit = Vec3::unit(k);
        match s.reading {
            Reading::JointPosition => rows.add(By::Positions, iv, &[1.0]),
            Reading::BallQuaternion => {
                let turn = unit * 0.5;
                let turn = Quat::new(turn.x, turn.y, turn.z, 0.0);
                let quat = Quat::from_slice(&q[iq..]).normalized();
                rows.add(By::Positions, iv + k, &quat.mul(turn).to_array());
            }
            _ => rows.add(By::Velocities, iv + k, &unit.to_array()),
        }
    }
    false
}
