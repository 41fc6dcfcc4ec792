//! Sensors: the measurements of a model's description, at any state, and their derivatives.
//!
//! With y(q, v, a, u) the readings and a(q, v, u) the acceleration by the laws of the step
//! ([`Sim::forward`]), dy/dq = ∂y/∂q + ∂y/∂a ∂a/∂q, and likewise by v and u.

mod dual;
mod feel;
mod limits;
mod motion;
mod press;
mod room;
mod rows;
mod subtree;
mod tell;

pub use room::SensorRoom;

use feel::feel_impulses;
use tell::tell_sensors;

use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::step::info::{check_finite, check_length};
use crate::step::{AccelerationJacobians, Gradient, Sim};

/// Receives the Jacobians of all sensors: column-major with
/// [`Model::nsensordata`](crate::model::Model::nsensordata) rows, by the tangent of q and by v, nv columns
/// each, by u, nu columns, and by the activations, na columns.
#[derive(Default)]
pub struct SensorJacobians<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_u: Option<&'a mut [f64]>,
    pub by_act: Option<&'a mut [f64]>,
}

pub(super) fn sensors(
    sim: &mut Sim,
    room: &mut SensorRoom,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    data: &mut [f64],
) -> Result<()> {
    check_length("data", data, sim.model.nsensordata())?;
    read_sensors(sim, room, q, v, u, false)?;
    data.copy_from_slice(&room.data);
    Ok(())
}

pub(super) fn sensor_jacobians(
    sim: &mut Sim,
    room: &mut SensorRoom,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    out: SensorJacobians<'_>,
) -> Result<Gradient> {
    let (n, nv, nu) = (sim.model.nsensordata(), sim.model.nv(), sim.model.nu());
    let outs = [
        ("ddata_dq", out.by_q, nv),
        ("ddata_dv", out.by_v, nv),
        ("ddata_du", out.by_u, nu),
        ("ddata_dact", out.by_act, sim.model.na()),
    ];
    for (name, x, columns) in &outs {
        if let Some(x) = x {
            check_length(name, x, n * columns)?;
        }
    }
    let gradient = read_sensors(sim, room, q, v, u, true)?;
    for ((_, out, _), from) in outs.into_iter().zip(room.all()) {
        if let Some(out) = out {
            out.copy_from_slice(from);
        }
    }
    Ok(gradient)
}

pub(super) fn sensor_vjp(
    sim: &mut Sim,
    room: &mut SensorRoom,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    data_bar: &[f64],
    bars: [Option<&mut [f64]>; 4],
) -> Result<Gradient> {
    let (nv, nu, na) = (sim.model.nv(), sim.model.nu(), sim.model.na());
    check_finite("data_bar", data_bar, sim.model.nsensordata())?;
    for ((name, x), n) in ["q_bar", "v_bar", "u_bar", "act_bar"]
        .iter()
        .zip(&bars)
        .zip([nv, nv, nu, na])
    {
        if let Some(x) = x {
            check_length(name, x, n)?;
        }
    }
    let gradient = read_sensors(sim, room, q, v, u, true)?;
    let n = data_bar.len().max(1);
    let weigh = |column: &[f64]| -> f64 { column.iter().zip(data_bar).map(|(j, y)| j * y).sum() };
    for (bar, from) in bars.iter().zip(room.all()) {
        if bar.is_some() && !from.chunks_exact(n).all(|column| weigh(column).is_finite()) {
            return Err(Error::numerical("data_bar: it is too large"));
        }
    }
    for (bar, from) in bars.into_iter().zip(room.all()) {
        let Some(bar) = bar else {
            continue;
        };
        bar.fill(0.0);
        for (bar, column) in bar.iter_mut().zip(from.chunks_exact(n)) {
            *bar = weigh(column);
        }
    }
    Ok(gradient)
}

fn read_sensors(
    sim: &mut Sim,
    room: &mut SensorRoom,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    differentiate: bool,
) -> Result<Gradient> {
    room.check(sim)?;
    sim.check_state(q, Some(v))?;
    check_finite("u", u, sim.model.nu())?;
    if differentiate {
        sim.query().need_derivatives()?;
    }
    let mut gradient = Gradient::Exact;
    room.acceleration.fill(0.0);
    if differentiate {
        room.by.iter_mut().for_each(|x| x.fill(0.0));
        room.by_u.fill(0.0);
        room.by_act.fill(0.0);
    }
    let forward = sim
        .model
        .sensors()
        .iter()
        .any(|s| s.reading.needs_forward());
    if forward {
        sim.forward(q, v, u, &mut room.acceleration)?;
        if differentiate {
            let [by_q, by_v, by_u, by_act] =
                room.of_acceleration.each_mut().map(|x| Some(&mut x[..]));
            sim.acceleration_jacobians(AccelerationJacobians {
                by_q,
                by_v,
                by_u,
                by_act,
                by_p: None,
            })?;
            feel_impulses(sim, room, q)?;
            gradient = sim.step_info()?.gradient;
        }
    }
    if room.data.is_empty() {
        return Ok(gradient);
    }
    let one_sided = tell_sensors(sim, room, [q, v, u], differentiate)?;
    if one_sided && gradient == Gradient::Exact {
        gradient = Gradient::OneSided;
    }
    if differentiate && forward {
        add_through_acceleration(room, &sim.model);
    }
    let one_sided = cut_sensors(sim, room, differentiate);
    if one_sided && gradient == Gradient::Exact {
        gradient = Gradient::OneSided;
    }
    match all_finite(&room.data) && room.all().into_iter().all(all_finite) {
        true => Ok(gradient),
        false => Err(Error::numerical(
            "data: a sensor's reading, or its derivative, would not be finite: the state is too large",
        )),
    }
}

/// Limits the readings to the cutoffs; returns whether a reading is at its cutoff.
fn cut_sensors(sim: &Sim, room: &mut SensorRoom, differentiate: bool) -> bool {
    let (n, mut at_bound) = (room.data.len(), false);
    for s in sim.model.sensors() {
        let Some([low, high]) = s.reading.range(s.cutoff) else {
            continue;
        };
        for row in s.address..s.address + s.reading.dim() {
            let x = room.data[row];
            at_bound |= x == low || x == high;
            if x > low && x < high {
                continue;
            }
            room.data[row] = x.clamp(low, high);
            if differentiate {
                let others = [&mut room.by_u, &mut room.by_act];
                for columns in room.by.iter_mut().chain(others) {
                    columns
                        .iter_mut()
                        .skip(row)
                        .step_by(n)
                        .for_each(|x| *x = 0.0);
                }
            }
        }
    }
    at_bound
}

/// Adds ∂y/∂a ∂a/∂(q, v, u, act).
fn add_through_acceleration(room: &mut SensorRoom, model: &Model) {
    let (n, nv) = (room.data.len(), model.nv());
    let [by_q, by_v, by_a] = &mut room.by;
    let (by_u, by_act) = (&mut room.by_u, &mut room.by_act);
    let outs = [
        (by_q, nv),
        (by_v, nv),
        (by_u, model.nu()),
        (by_act, model.na()),
    ];
    for ((out, columns), of) in outs.into_iter().zip(&room.of_acceleration) {
        for j in 0..columns {
            let out = &mut out[j * n..(j + 1) * n];
            for (k, x) in of[j * nv..(j + 1) * nv].iter().enumerate() {
                if *x == 0.0 {
                    continue;
                }
                for (out, y) in out.iter_mut().zip(&by_a[k * n..(k + 1) * n]) {
                    *out += x * y;
                }
            }
        }
    }
}
