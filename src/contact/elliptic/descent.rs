//! The convex problem: λ = P(−R⁻¹σ) with σ = G λ + g.
//!
//! Its solution minimizes ½ yᵀG y + ½‖γ‖²_R, γ = P(−R⁻¹x), x = g + G y. The gradient is G (y − γ). A Newton
//! step solves (1 + 𝒢 G) d = γ − y with 𝒢 = −∂γ/∂x, and its length minimizes the cost along d.

use super::answer::{Answer, answer, impulse};
use super::slope_system::SlopeSystem;
use super::system::System;
use super::unit::{Unit, WIDEST};
use crate::contact::digits::{ROUND_OFF, ROUNDINGS};
use crate::contact::tuning::{
    ELLIPTIC_EVALUATIONS, ELLIPTIC_EXACT, ELLIPTIC_PATIENCE, ELLIPTIC_PATIENCE_BELOW,
};

#[derive(Debug)]
pub(super) struct Descent {
    pub answers: Vec<Answer>,
    x: Vec<f64>,
    gamma: Vec<f64>,
    step: Vec<[f64; 1]>,
    d: Vec<f64>,
    d_x: Vec<f64>,
    /// √Gᵢᵢ of each single row: ‖H‖ by rows.
    reach: Vec<f64>,
    newton: SlopeSystem,
}

impl Descent {
    pub fn new(rows: usize, blocks: usize) -> Descent {
        let numbers = || vec![0.0; rows];
        Descent {
            answers: Vec::with_capacity(blocks),
            x: numbers(),
            gamma: numbers(),
            step: vec![[0.0]; rows],
            d: numbers(),
            d_x: numbers(),
            reach: numbers(),
            newton: SlopeSystem::new(rows),
        }
    }

    /// Solves from `lambda` in at most `most` Newton steps, which it adds to `count`. `lambda` receives
    /// the solution. The method ends at a residual of `enough`, or at one of `content` if it no longer
    /// improves. Returns the distance of the impulses from those that their velocities give, relative to
    /// the largest.
    pub fn run(
        &mut self,
        system: &mut System,
        [lambda, sigma]: [&mut [f64]; 2],
        [enough, content]: [f64; 2],
        most: usize,
        count: &mut usize,
    ) -> f64 {
        let (mut best, mut stalled) = (f64::INFINITY, 0);
        let mut residual;
        let mut steps = 0;
        self.find_reach(system);
        loop {
            residual = self.residual(system, lambda, sigma);
            if residual > content {
                residual = self.certified(system, lambda, residual);
            }
            if residual <= enough || steps == most {
                break;
            }
            stalled = if residual < 0.5 * best {
                0
            } else {
                stalled + 1
            };
            best = best.min(residual);
            let patience = if residual <= content {
                ELLIPTIC_PATIENCE_BELOW
            } else {
                ELLIPTIC_PATIENCE
            };
            if stalled > patience || !self.factor(system) {
                break;
            }
            steps += 1;
            self.advance(system, lambda);
        }
        *count += steps;
        // These impulses lie in their sets up to round-off.
        lambda.copy_from_slice(&self.gamma[..lambda.len()]);
        system.velocity(lambda, sigma);
        residual
    }

    /// Computes the slopes at the velocities of a solution.
    pub fn look(&mut self, system: &System, sigma: &[f64]) {
        self.x[..sigma.len()].copy_from_slice(sigma);
        self.answer_all(system);
    }

    /// Factors Newton's system at the present slopes. Returns false if it is singular.
    pub fn factor(&mut self, system: &System) -> bool {
        let slopes = self.answers.iter().map(|a| &a.slope);
        self.newton.factor(system, slopes)
    }

    /// `out` ← `out` − (1 + 𝒢 G)⁻¹𝒢 w, after [`Descent::factor`].
    pub fn respond(&mut self, system: &System, w: &[f64], out: &mut [f64]) {
        let n = w.len();
        for (unit, a) in system.units.iter().zip(&self.answers) {
            let own = &w[unit.range()];
            for (r, line) in self.step[unit.range()].iter_mut().zip(&a.slope) {
                r[0] = line.iter().zip(own).map(|(s, w)| s * w).sum();
            }
        }
        let slopes = self.answers.iter().map(|a| &a.slope);
        self.newton.solve(system, slopes, &mut self.step[..n]);
        for (out, [d]) in out.iter_mut().zip(&self.step) {
            *out -= d;
        }
    }

    fn answer_all(&mut self, system: &System) {
        self.answers.clear();
        let x = &self.x;
        let answers = system.units.iter().map(|u| answer(u, &x[u.range()]));
        self.answers.extend(answers);
        for (unit, a) in system.units.iter().zip(&self.answers) {
            self.gamma[unit.range()].copy_from_slice(&a.gamma[..unit.rows]);
        }
    }

    /// Writes γ − y into the step. Returns its size relative to the impulses.
    fn residual(&mut self, system: &System, lambda: &[f64], sigma: &mut [f64]) -> f64 {
        system.velocity(lambda, sigma);
        self.look(system, sigma);
        let (mut off, mut size) = (0.0f64, 0.0f64);
        for ((step, gamma), y) in self.step.iter_mut().zip(&self.gamma).zip(lambda) {
            step[0] = gamma - y;
            off = off.max(step[0].abs());
            size = size.max(gamma.abs()).max(y.abs());
        }
        if off == 0.0 { 0.0 } else { off / size }
    }

    fn find_reach(&mut self, system: &System) {
        for (reach, g) in self.reach.iter_mut().zip(&system.diagonal) {
            *reach = g.sqrt();
        }
    }

    /// The residual that was just found, corrected for cancellation. If velocities cancel, the impulses
    /// they give have a round-off error. A residual of this size counts as [`ROUND_OFF`].
    fn certified(&self, system: &System, lambda: &[f64], residual: f64) -> f64 {
        let by_all = weighed(&self.reach, lambda);
        let (mut off, mut unsure) = (0.0f64, 0.0f64);
        for unit in &system.units {
            let own = |k: usize| unit.at + k;
            let (mut at, mut by) = ([0.0; WIDEST], [0.0; WIDEST]);
            for k in 0..unit.rows {
                let size = system.g[own(k)].abs() + self.reach[own(k)] * by_all;
                by[k] = ROUNDINGS * f64::EPSILON * size;
                at[k] = unit.pressed(k, self.x[own(k)], by[k]);
            }
            let slope = answer(unit, &at[..unit.rows]).slope;
            for (k, line) in slope.iter().enumerate().take(unit.rows) {
                off = off.max(self.step[own(k)][0].abs());
                unsure = unsure.max(line.iter().zip(&by).map(|(s, by)| s.abs() * by).sum());
            }
        }
        let counts = off / (unsure / ROUND_OFF);
        // If a number is not finite, the residual stays as it is.
        match counts > 0.0 {
            true => residual.min(counts),
            false => residual,
        }
    }

    /// y ← y + t d.
    fn advance(&mut self, system: &System, lambda: &mut [f64]) {
        let n = lambda.len();
        let slopes = self.answers.iter().map(|a| &a.slope);
        self.newton.solve(system, slopes, &mut self.step[..n]);
        for (d, [step]) in self.d.iter_mut().zip(&self.step[..n]) {
            *d = *step;
        }
        let (d, d_x) = (&self.d[..n], &mut self.d_x[..n]);
        system.multiply(d, d_x);
        let from = [&*lambda, &self.gamma, &self.x];
        let t = line_search(&system.units, &self.reach, from, [d, d_x]);
        for (y, d) in lambda.iter_mut().zip(d) {
            *y += t * d;
        }
    }
}

/// Σ √Gᵢᵢ |λᵢ|: an upper bound of the energy norm of the velocity that the impulses cause.
fn weighed(reach: &[f64], impulses: &[f64]) -> f64 {
    let products = reach.iter().zip(impulses).map(|(r, x)| r * x.abs());
    products.sum()
}

/// The zero of the slope dᵀG (y + t d − γ(x + t G d)) for t in 0..1.
fn line_search(
    units: &[Unit],
    reach: &[f64],
    [y, gamma, x]: [&[f64]; 3],
    [d, d_x]: [&[f64]; 2],
) -> f64 {
    let slope = |t: f64| {
        let mut sum = 0.0;
        for unit in units {
            let mut at = [0.0; super::unit::WIDEST];
            for (at, k) in at.iter_mut().zip(unit.range()) {
                *at = x[k] + t * d_x[k];
            }
            let gamma = impulse(unit, &at[..unit.rows]);
            for (k, gamma) in unit.range().zip(gamma) {
                sum += d_x[k] * (y[k] + t * d[k] - gamma);
            }
        }
        sum
    };
    let start: f64 = (d_x.iter().zip(y).zip(gamma))
        .map(|((d, y), gamma)| d * (y - gamma))
        .sum();
    // A slope below this is round-off, if d moves hardly anything.
    let missing = y.iter().zip(gamma).zip(reach);
    let missing: f64 = missing.map(|((y, gamma), r)| r * (y - gamma).abs()).sum();
    let unsure = ROUNDINGS * f64::EPSILON * weighed(reach, d) * missing;
    let enough = (ELLIPTIC_EXACT * start.abs()).max(unsure);
    let (mut low, mut high) = ([0.0, start], [1.0, slope(1.0)]);
    if high[1] <= enough {
        return 1.0;
    }
    let mut t = 1.0;
    for k in 0..ELLIPTIC_EVALUATIONS {
        // False position alternates with bisection.
        t = match k % 2 {
            0 => (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1]),
            _ => 0.5 * (low[0] + high[0]),
        };
        let now = slope(t);
        if now.abs() <= enough {
            break;
        }
        if now > 0.0 {
            high = [t, now];
        } else {
            low = [t, now];
        }
    }
    t
}
