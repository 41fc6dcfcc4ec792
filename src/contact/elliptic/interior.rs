//! Interior point of the rigid laws. It includes the slope of the shift μ‖σ_T‖. The sequence of convex
//! problems takes the shift from its last solution instead, and therefore converges only linearly.
//!
//! Newton steps on the products of [`Pairs`], a predictor and a corrector with one matrix (Mehrotra, On
//! the implementation of a primal-dual interior point method, 1992). Impulses are eliminated unit by
//! unit: along the path dλ = p − 𝒢 dσ. With dσ = G dλ + r this is (1 + 𝒢 G) dλ = p − 𝒢 r, the system of
//! [`descent`](super::descent) with other slopes. The path may turn back in κ before its end; the method
//! then loses it. A path from another starting point often has no such fold.

use super::active_face::{ActiveFace, Scales};
use super::pairs::{NO_PRODUCTS, Pairs, Products};
use super::slope_system::SlopeSystem;
use super::system::System;
use super::unit::Slope;
use crate::contact::tuning::{INSIDE_EASE, INSIDE_FLOOR, INSIDE_REACH, INSIDE_SHORT};

/// An iterate. Sized at creation.
#[derive(Debug)]
pub(super) struct Interior {
    at: Vec<Pairs>,
    by: Vec<Pairs>,
    slopes: Vec<Slope>,
    correction: Vec<Products>,
    /// G λ + g − σ.
    residual: Vec<f64>,
    change: Vec<f64>,
    right: Vec<[f64; 1]>,
    scales: Scales,
    kappa: f64,
    /// True if the last step was cut short: the iterate has left the path and must return before κ
    /// shrinks.
    is_short: bool,
}

impl Interior {
    pub fn new(rows: usize, blocks: usize) -> Interior {
        Interior {
            at: Vec::with_capacity(blocks),
            by: Vec::with_capacity(blocks),
            slopes: Vec::with_capacity(blocks),
            correction: Vec::with_capacity(blocks),
            residual: vec![0.0; rows],
            change: vec![0.0; rows],
            right: vec![[0.0]; rows],
            scales: Scales {
                velocity: 1.0,
                impulse: 1.0,
            },
            kappa: 1.0,
            is_short: false,
        }
    }

    /// Starts in the middle of the sets, at a distance of `part` times the problem's velocity and
    /// impulse from their boundary. Returns false if the velocity is zero or no row responds.
    pub fn start(&mut self, system: &System, part: f64) -> bool {
        let responses = || {
            let all = system.units.iter().map(|unit| system.normal_response(unit));
            all.filter(|r| *r > 0.0)
        };
        let velocity = system.speed(&system.g);
        let count = responses().count();
        if count == 0 || velocity == 0.0 {
            return false;
        }
        let mean = responses().map(f64::ln).sum::<f64>() / count as f64;
        self.scales = Scales {
            velocity,
            impulse: velocity / mean.exp(),
        };
        let middle = Scales {
            velocity: part * self.scales.velocity,
            impulse: part * self.scales.impulse,
        };
        self.at.clear();
        let pairs = system.units.iter().map(|unit| Pairs::middle(unit, middle));
        self.at.extend(pairs);
        self.by.clear();
        self.by.resize(self.at.len(), Pairs::NONE);
        self.update_residual(system);
        self.kappa = self.mean_product(system, 0.0);
        self.is_short = false;
        true
    }

    /// κ relative to the product of the problem's velocity and impulse.
    pub fn distance(&self) -> f64 {
        self.kappa / (self.scales.velocity * self.scales.impulse)
    }

    /// One predictor and corrector step. Returns its length, 0 to 1, or `None` if a number is not
    /// finite.
    pub fn advance(&mut self, system: &mut System, newton: &mut SlopeSystem) -> Option<f64> {
        self.slopes.clear();
        let places = system.units.iter().zip(&self.at);
        let slopes = places.map(|(unit, at)| at.slope(unit, INSIDE_EASE * system.response(unit)));
        self.slopes.extend(slopes);
        if !newton.factor(system, self.slopes.iter()) {
            return None;
        }
        self.correction.clear();
        self.correction.resize(self.at.len(), NO_PRODUCTS);
        let mut aim = 0.5 * self.kappa;
        if !self.is_short {
            self.direct(system, newton, 0.0);
            let reach = self.reach(system).min(1.0);
            let predicted = self.mean_product(system, reach).max(0.0);
            for (k, unit) in system.units.iter().enumerate() {
                self.correction[k] = self.at[k].moved(&self.by[k], 1.0).products(unit);
            }
            let ratio = (predicted / self.kappa).min(1.0);
            aim = self.kappa * ratio.powi(3).clamp(INSIDE_FLOOR, 0.5);
        }
        self.direct(system, newton, aim);
        let mut step = (INSIDE_REACH * self.reach(system)).min(1.0);
        // The products can grow if the slip reverses within a step. Bound them by the present distance
        // from the end.
        let left = self.scales.impulse * system.speed(&self.residual[..system.order()]);
        let allowed = self.kappa.max(0.1 * left);
        while step > 1e-3 && self.mean_product(system, step) > allowed {
            step *= 0.5;
        }
        for (at, by) in self.at.iter_mut().zip(&self.by) {
            *at = at.moved(by, step);
        }
        self.update_residual(system);
        self.kappa = self.mean_product(system, 0.0);
        self.is_short = step < INSIDE_SHORT && !self.is_short;
        (self.kappa.is_finite() && step.is_finite()).then_some(step)
    }

    pub fn write(&self, system: &System, lambda: &mut [f64]) {
        for (unit, at) in system.units.iter().zip(&self.at) {
            lambda[unit.range()].copy_from_slice(&at.impulse[..unit.rows]);
        }
    }

    /// Updates the faces that the units tend to. Returns whether all are unchanged.
    pub fn update_active_faces(&self, system: &System, active_faces: &mut Vec<ActiveFace>) -> bool {
        let is_known = active_faces.len() == self.at.len();
        active_faces.resize(self.at.len(), ActiveFace::Open);
        let mut stay = is_known;
        for ((unit, at), active_face) in system.units.iter().zip(&self.at).zip(active_faces) {
            let next = at.tending(unit, self.scales);
            stay &= *active_face == next;
            *active_face = next;
        }
        stay
    }

    fn update_residual(&mut self, system: &System) {
        let n = system.order();
        let mut lambda = std::mem::take(&mut self.change);
        self.write(system, &mut lambda);
        system.velocity(&lambda[..n], &mut self.residual[..n]);
        self.change = lambda;
        for (unit, at) in system.units.iter().zip(&mut self.at) {
            for (k, r) in self.residual[unit.range()].iter_mut().enumerate() {
                if Pairs::follows(unit, k) {
                    at.velocity[k] = *r;
                }
                *r -= at.velocity[k];
            }
        }
    }

    /// κ after `step`: the mean over all pairs.
    fn mean_product(&self, system: &System, step: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for (unit, (at, by)) in system.units.iter().zip(self.at.iter().zip(&self.by)) {
            let own = Pairs::sum(unit, &at.moved(by, step).products(unit));
            sum += own.0;
            count += own.1;
        }
        sum / count.max(1) as f64
    }

    /// The direction towards products of κ, minus the correction.
    fn direct(&mut self, system: &System, newton: &mut SlopeSystem, kappa: f64) {
        let n = system.order();
        for (k, unit) in system.units.iter().enumerate() {
            let slope = &self.slopes[k];
            let target = self.at[k].target(unit, kappa, &self.correction[k], slope);
            let residual = &self.residual[unit.range()];
            let right = self.right[unit.range()].iter_mut();
            for ((right, target), line) in right.zip(target).zip(slope) {
                let answer: f64 = line.iter().zip(residual).map(|(s, r)| s * r).sum();
                right[0] = target - answer;
            }
        }
        newton.solve(system, self.slopes.iter(), &mut self.right[..n]);
        let change = &mut self.change[..n];
        system.multiply(self.right[..n].as_flattened(), change);
        for (k, unit) in system.units.iter().enumerate() {
            let by = &mut self.by[k];
            for (j, row) in unit.range().enumerate() {
                by.impulse[j] = self.right[row][0];
                by.velocity[j] = self.change[row] + self.residual[row];
            }
            self.at[k].follow(unit, kappa, &self.correction[k], by);
        }
    }

    /// The largest step inside the sets, at most 2.
    fn reach(&self, system: &System) -> f64 {
        let mut step = 2.0;
        for (unit, (at, by)) in system.units.iter().zip(self.at.iter().zip(&self.by)) {
            step = at.reach(unit, by, step);
        }
        step
    }
}
