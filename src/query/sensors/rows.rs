//! The destination of one sensor's readings.

use super::motion::By;
use super::room::SensorRoom;
use crate::model::sensor::Sensor;
use crate::step::drives::Drives;

/// Readings of one sensor, and the destinations of their derivatives.
pub(super) struct Rows<'a> {
    data: &'a mut [f64],
    by: [&'a mut [f64]; 3],
    by_u: &'a mut [f64],
    by_act: &'a mut [f64],
    address: usize,
    dim: usize,
    /// Number of readings of all sensors.
    n: usize,
}

impl Rows<'_> {
    pub fn tell(&mut self, values: &[f64]) {
        self.data[self.address..][..self.dim].copy_from_slice(&values[..self.dim]);
    }

    pub fn add(&mut self, by: By, dof: usize, values: &[f64]) {
        let column = &mut self.by[by as usize][dof * self.n + self.address..][..self.dim];
        column.iter_mut().zip(values).for_each(|(x, y)| *x += y);
    }

    /// Adds a derivative by the drive of an actuator.
    pub fn add_drive(&mut self, drives: &Drives, actuator: usize, value: f64) {
        let at = |i: usize| i * self.n + self.address;
        match drives.state_of(actuator) {
            None => self.by_u[at(actuator)] += value,
            Some((act, [by_u, by_act])) => {
                self.by_u[at(actuator)] += value * by_u;
                self.by_act[at(act)] += value * by_act;
            }
        }
    }
}

impl SensorRoom {
    pub(super) fn rows(&mut self, s: &Sensor) -> Rows<'_> {
        Rows {
            n: self.data.len(),
            data: &mut self.data,
            by: self.by.each_mut().map(|x| &mut x[..]),
            by_u: &mut self.by_u,
            by_act: &mut self.by_act,
            address: s.address,
            dim: s.reading.dim(),
        }
    }
}
