//! Random variations of a step, for the verdict of a law.

use crate::constraint::{ConstraintDerivative, Constraints};
use crate::contact::law::Variations;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::{F4, scattered};
use crate::model::topology::Topology;

/// Random numbers between ±1 for displacements, velocities before the step and forces, and scratch for one
/// of them. Sized at creation.
#[derive(Debug)]
pub(super) struct General {
    numbers: [Vec<f64>; 3],
    direction: Vec<f64>,
}

impl General {
    pub fn new(nv: usize) -> General {
        General {
            numbers: [1, 2, 3].map(|seed| (0..nv).map(|k| scattered(k, seed)).collect()),
            direction: vec![0.0; nv],
        }
    }

    pub fn displacement(&self) -> &[f64] {
        &self.numbers[0]
    }

    pub fn velocity(&self) -> &[f64] {
        &self.numbers[1]
    }
}

/// Variations of the last step.
pub(super) struct OfStep<'a> {
    pub general: &'a mut General,
    pub c: &'a Constraints,
    pub variation: &'a mut ConstraintDerivative,
    pub t: &'a Topology,
    pub kin: &'a Kinematics,
    /// Scratch by groups.
    pub bounds: &'a mut [f64],
}

impl Variations for OfStep<'_> {
    fn of_state(&mut self, w: &mut [f64]) {
        let c = self.c;
        let General { numbers, direction } = &mut *self.general;
        w.fill(0.0);
        // A displacement within one step, so that all parts are velocities.
        for (x, g) in direction.iter_mut().zip(&numbers[0]) {
            *x = c.time_step() * g;
        }
        (self.variation).direction(self.t, self.kin, direction, w, self.bounds);
        if c.keeps_speed() {
            for b in 0..c.groups() {
                if let Some(row) = c.normal_row(b) {
                    let n = c.range(b).len() - 1;
                    w[row] += c.by_speed(b) * c.rows.times(b, &numbers[1]).0[n];
                }
            }
        }
        // An arbitrary force.
        add_velocity(c, &numbers[2], w);
    }

    fn of_velocity(&mut self, which: usize, w: &mut [f64]) {
        w.fill(0.0);
        add_velocity(self.c, &self.general.numbers[[0, 2][which]], w);
    }

    fn of_rows(&mut self, w: &mut [f64]) {
        w.fill(0.0);
        let [dq, x, _] = &self.general.numbers;
        self.variation.of_rows(self.t, self.kin, dq, x, w);
    }
}

/// σ += J x.
fn add_velocity(c: &Constraints, x: &[f64], sigma: &mut [f64]) {
    for b in 0..c.groups() {
        let F4(velocity) = c.rows.times(b, x);
        for (sigma, v) in sigma[c.range(b)].iter_mut().zip(velocity) {
            *sigma += v;
        }
    }
}
