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

impl Sim {
    /// Readings of all sensors at (q, v, u), in their order. If a sensor needs accelerations or contact
    /// forces, this calls [`Sim::forward`] first, which is the last step afterwards. Noise is not added; a
    /// cutoff holds.
    ///
    /// # Errors
    /// As [`Sim::forward`]; `InvalidArgument` for a wrong length or the workspace of another simulation.
    pub fn sensors(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        data: &mut [f64],
    ) -> Result<()> {
        check_length("data", data, self.model.nsensordata())?;
        self.read_sensors(room, q, v, u, false)?;
        data.copy_from_slice(&room.data);
        Ok(())
    }

    /// Jacobians of the readings of all sensors at (q, v, u), with the acceleration's. Returns
    /// [`Gradient::OneSided`] if one of them, or the step's derivative, is one-sided.
    ///
    /// # Errors
    /// As [`Sim::sensors`] and [`Sim::step_jacobians`]. `Unsupported` for a touch, force or torque sensor
    /// with contacts whose sum of forces has no derivative, because redundant constraints may distribute it
    /// differently; for such a sensor with contact Penalty and an implicit scheme; and for the force of a
    /// bound that redundant constraints may share.
    pub fn sensor_jacobians(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        out: SensorJacobians<'_>,
    ) -> Result<Gradient> {
        let (n, nv, nu) = (self.model.nsensordata(), self.model.nv(), self.model.nu());
        let outs = [
            ("ddata_dq", out.by_q, nv),
            ("ddata_dv", out.by_v, nv),
            ("ddata_du", out.by_u, nu),
            ("ddata_dact", out.by_act, self.model.na()),
        ];
        for (name, x, columns) in &outs {
            if let Some(x) = x {
                check_length(name, x, n * columns)?;
            }
        }
        let gradient = self.read_sensors(room, q, v, u, true)?;
        for ((_, out, _), from) in outs.into_iter().zip(room.all()) {
            if let Some(out) = out {
                out.copy_from_slice(from);
            }
        }
        Ok(gradient)
    }

    /// Adjoint of the readings of all sensors: maps a gradient by the readings to gradients by q, v, u and
    /// the activations; lengths nv, nv, nu, na.
    ///
    /// # Errors
    /// As [`Sim::sensor_jacobians`], which it uses; `Numerical` if a sum would not be finite.
    pub fn sensor_vjp(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        data_bar: &[f64],
        bars: [Option<&mut [f64]>; 4],
    ) -> Result<Gradient> {
        let (nv, nu, na) = (self.model.nv(), self.model.nu(), self.model.na());
        check_finite("data_bar", data_bar, self.model.nsensordata())?;
        for ((name, x), n) in ["q_bar", "v_bar", "u_bar", "act_bar"]
            .iter()
            .zip(&bars)
            .zip([nv, nv, nu, na])
        {
            if let Some(x) = x {
                check_length(name, x, n)?;
            }
        }
        let gradient = self.read_sensors(room, q, v, u, true)?;
        let n = data_bar.len().max(1);
        let weigh =
            |column: &[f64]| -> f64 { column.iter().zip(data_bar).map(|(j, y)| j * y).sum() };
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
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        differentiate: bool,
    ) -> Result<Gradient> {
        room.check(self)?;
        self.check_state(q, Some(v))?;
        check_finite("u", u, self.model.nu())?;
        if differentiate {
            self.need_derivatives()?;
        }
        let mut gradient = Gradient::Exact;
        room.acceleration.fill(0.0);
        if differentiate {
            room.by.iter_mut().for_each(|x| x.fill(0.0));
            room.by_u.fill(0.0);
            room.by_act.fill(0.0);
        }
        let forward = self
            .model
            .sensors()
            .iter()
            .any(|s| s.reading.needs_forward());
        if forward {
            self.forward(q, v, u, &mut room.acceleration)?;
            if differentiate {
                let [by_q, by_v, by_u, by_act] =
                    room.of_acceleration.each_mut().map(|x| Some(&mut x[..]));
                self.acceleration_jacobians(AccelerationJacobians {
                    by_q,
                    by_v,
                    by_u,
                    by_act,
                    by_p: None,
                })?;
                self.feel_impulses(room, q)?;
                gradient = self.step_info()?.gradient;
            }
        }
        if room.data.is_empty() {
            return Ok(gradient);
        }
        let one_sided = self.tell_sensors(room, [q, v, u], differentiate)?;
        if one_sided && gradient == Gradient::Exact {
            gradient = Gradient::OneSided;
        }
        if differentiate && forward {
            add_through_acceleration(room, &self.model);
        }
        let one_sided = self.cut_sensors(room, differentiate);
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
    fn cut_sensors(&self, room: &mut SensorRoom, differentiate: bool) -> bool {
        let (n, mut at_bound) = (room.data.len(), false);
        for s in self.model.sensors() {
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
