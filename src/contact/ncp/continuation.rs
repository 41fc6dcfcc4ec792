//! Follows the central path through its folds, to κ = 0: pseudo-arclength continuation.
//!
//! With friction the laws are no optimization problem. The path of solutions from large κ to zero may
//! turn back in κ before it goes on. An interior point, which only shrinks κ, loses the path at such a
//! fold. Here κ = e^τ is an unknown like the impulses: each step goes along the tangent and returns to
//! the path across it (Keller 1977; Allgower and Georg, Introduction to numerical continuation methods,
//! 2003). The sign of the determinant gives the direction. It also shows whether a step has reached
//! another branch. If there is no solution, the impulses grow without bound.

use super::modes::largest;
use super::path_system::PathSystem;
use super::smoothed::law;
use super::work::Work;
use crate::contact::digits::{NEGLIGIBLE, ROUND_OFF};
use crate::contact::problem::Problem;
use crate::contact::tuning::{
    PATH_BOUNDLESS, PATH_CORRECTIONS, PATH_FEW_CORRECTIONS, PATH_GROW, PATH_LINEAR, PATH_LONGEST,
    PATH_SHRINK, PATH_TURN,
};

/// The distance within which a point counts as on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    /// The distance after a step of length one or more, as a share of κ. After a shorter step it shrinks
    /// with the square of the length, as the error of the tangent does. Otherwise the steps would leave the
    /// path at sharp turns.
    near: f64,
    /// The least factor by which `near` shrinks.
    nearest: f64,
}

/// The usual distance, and a smaller one for a path that ends before a fold: near a sharp fold, short steps
/// from further away do not return to the path.
pub(super) const NEARNESS: [Nearness; 2] = [
    Nearness {
        near: 0.05,
        nearest: 1e-4,
    },
    Nearness {
        near: 1e-3,
        nearest: 1e-3,
    },
];

#[derive(Debug)]
pub(super) struct Continuation {
    tau: f64,
    /// The last point on the path.
    from: Vec<f64>,
    from_tau: f64,
    /// Unit tangent at this point, with impulses in units of `scale`.
    tangent: Vec<f64>,
    tangent_tau: f64,
    scale: f64,
    /// The next tangent.
    turned: Vec<f64>,
    turned_tau: f64,
    /// Length of the next step.
    length: f64,
    nearness: Nearness,
    right: Vec<f64>,
    by_tau: Vec<f64>,
    back: Vec<f64>,
    along: Vec<f64>,
    /// Factorizations spent since the start, and their limit.
    factorizations: usize,
    limit: usize,
}

impl Continuation {
    pub fn new(max_rows: usize) -> Continuation {
        let rows = || Vec::with_capacity(max_rows);
        Continuation {
            tau: 0.0,
            from: rows(),
            from_tau: 0.0,
            tangent: rows(),
            tangent_tau: 0.0,
            scale: 1.0,
            turned: rows(),
            turned_tau: 0.0,
            length: 1.0,
            nearness: NEARNESS[0],
            right: rows(),
            by_tau: rows(),
            back: rows(),
            along: rows(),
            factorizations: 0,
            limit: 0,
        }
    }

    /// Finds the start of the path, to be followed within `nearness`. Returns false if it is not found.
    /// Spends at most `limit` factorizations.
    pub fn start(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &mut PathSystem,
        nearness: Nearness,
        limit: usize,
    ) -> bool {
        (self.factorizations, self.limit) = (0, limit);
        self.nearness = nearness;
        if !system.start(problem, work) {
            return false;
        }
        let n = problem.rows();
        for v in [
            &mut self.from,
            &mut self.tangent,
            &mut self.turned,
            &mut self.right,
            &mut self.by_tau,
            &mut self.back,
            &mut self.along,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        (self.tau, self.length) = (0.0, 1.0);
        if !self.descend(problem, work, system) {
            return false;
        }
        let size = system.lambda.iter().map(|l| l * l).sum::<f64>() / n as f64;
        self.scale = 3.0 * size.sqrt().max(1e-3);
        self.turn(problem, work, system);
        self.accept(system);
        true
    }

    /// Damped Newton's method for the impulses at the present κ. Leaves the matrix factored.
    fn descend(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) -> bool {
        let mut error = self.evaluate(problem, work, system);
        loop {
            if !self.factor(problem, work, system) {
                return false;
            }
            if error <= self.nearness.near * self.tau.exp() {
                return true;
            }
            system.solve(problem, &work.offsets, &self.right, &mut self.back, false);
            self.from.copy_from_slice(&system.lambda);
            let mut part = 1.0;
            loop {
                for (l, (from, d)) in
                    (system.lambda.iter_mut()).zip(self.from.iter().zip(&self.back))
                {
                    *l = from - part * d;
                }
                let now = self.evaluate(problem, work, system);
                if now < (1.0 - 1e-4 * part) * error {
                    error = now;
                    break;
                }
                if part < ROUND_OFF {
                    return false;
                }
                part *= 0.5;
            }
        }
    }

    /// One step along the path, with at most `allowed` further factorizations. Returns false if no step
    /// is found, the budget is used up, or the path ends or goes to infinity.
    pub fn advance(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &mut PathSystem,
        allowed: usize,
    ) -> bool {
        self.limit = self.factorizations + allowed;
        while self.length > NEGLIGIBLE && self.factorizations < self.limit {
            self.predict(system);
            if let Some(corrections) = self.correct(problem, work, system) {
                self.accept(system);
                if corrections <= PATH_FEW_CORRECTIONS {
                    self.length *= PATH_GROW;
                }
                self.length = self.length.min(PATH_LONGEST / self.tangent_tau.abs());
                let is_bounded = largest(&system.lambda) < PATH_BOUNDLESS * self.scale;
                return is_bounded && self.distance() > ROUND_OFF;
            }
            self.length *= PATH_SHRINK;
        }
        false
    }

    /// A step along the tangent, linear in κ because the impulses nearly are.
    fn predict(&mut self, system: &mut PathSystem) {
        let change = self.length * self.tangent_tau;
        self.tau = self.from_tau + change;
        let ratio = if change.abs() > 1e-9 {
            change.exp_m1() / change
        } else {
            1.0
        };
        let step = self.length * self.scale * ratio;
        for (l, (from, t)) in (system.lambda.iter_mut()).zip(self.from.iter().zip(&self.tangent)) {
            *l = from + step * t;
        }
    }

    /// Returns to the path across the tangent, and finds the next tangent. Returns the number of Newton
    /// steps.
    fn correct(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &mut PathSystem,
    ) -> Option<usize> {
        let mut before = f64::INFINITY;
        for k in 0..PATH_CORRECTIONS {
            let error = self.evaluate(problem, work, system);
            // Newton's method has reached the accuracy of the linear systems.
            let ends = k > 0 && error > 0.5 * before && error <= PATH_LINEAR;
            let near = ends || error <= self.nearby();
            let slow = k > 2 && error > 0.5 * before;
            if !error.is_finite() || (slow && !near) {
                return None;
            }
            before = error;
            if !self.factor(problem, work, system) {
                return None;
            }
            if near {
                let cosine = self.turn(problem, work, system);
                return (cosine > PATH_TURN).then_some(k);
            }
            system.solve(problem, &work.offsets, &self.right, &mut self.back, false);
            system.solve(problem, &work.offsets, &self.by_tau, &mut self.along, false);
            let dot = |x: &[f64]| x.iter().zip(&self.tangent).map(|(x, t)| x * t).sum::<f64>();
            let (back, along) = (dot(&self.back), dot(&self.along));
            let change = back / (self.scale * self.tangent_tau - along);
            for (l, (b, a)) in (system.lambda.iter_mut()).zip(self.back.iter().zip(&self.along)) {
                *l -= b + change * a;
            }
            self.tau += change;
        }
        None
    }

    /// Distance ‖F‖ below which the present point is on the path.
    fn nearby(&self) -> f64 {
        let kappa = self.tau.exp();
        let Nearness { near, nearest } = self.nearness;
        let wanted = near * self.length.powi(2).clamp(nearest, 1.0) * kappa;
        wanted.max(PATH_LINEAR.min(NEARNESS[0].near * kappa)) + ROUND_OFF
    }

    /// Computes the tangent at the present point. Returns the cosine of its angle with the last one.
    fn turn(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) -> f64 {
        system.solve(problem, &work.offsets, &self.by_tau, &mut self.along, false);
        let size = self.along.iter().map(|x| x * x).sum::<f64>() / (self.scale * self.scale);
        // κ decreases at the start of the path, where the determinant is positive. The path keeps its
        // orientation.
        let sign = if system.is_negative(problem) {
            1.0
        } else {
            -1.0
        };
        let tau = sign / (1.0 + size).sqrt();
        for (t, a) in self.turned.iter_mut().zip(&self.along) {
            *t = -tau * a / self.scale;
        }
        let parts = self.turned.iter().zip(&self.tangent);
        let cosine = tau * self.tangent_tau + parts.map(|(a, b)| a * b).sum::<f64>();
        self.turned_tau = tau;
        cosine
    }

    fn accept(&mut self, system: &PathSystem) {
        self.from.copy_from_slice(&system.lambda);
        self.from_tau = self.tau;
        self.tangent.copy_from_slice(&self.turned);
        self.tangent_tau = self.turned_tau;
    }

    /// Evaluates the laws at the present point. Returns ‖F‖.
    fn evaluate(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) -> f64 {
        let kappa = self.tau.exp();
        system.update_sigma(problem, &work.offsets);
        let mut error = 0.0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let part = work.offsets[i]..work.offsets[i + 1];
            let (l, s) = (&system.lambda[part.clone()], &system.sigma[part.clone()]);
            let law = law(*block, system.bounds[i], l, s, kappa);
            error += law.error;
            system.shift[i] = law.shift;
            self.right[part.clone()].copy_from_slice(&law.right[..block.rows()]);
            self.by_tau[part].copy_from_slice(&law.by_tau[..block.rows()]);
        }
        error.sqrt()
    }

    /// Factors the system. Returns false, with nothing done, if the budget is spent.
    fn factor(&mut self, problem: &Problem, work: &Work, system: &mut PathSystem) -> bool {
        if self.factorizations == self.limit {
            return false;
        }
        system.factor(problem, &work.offsets);
        self.factorizations += 1;
        true
    }

    /// Factorizations spent since the start.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// κ, scaled.
    pub fn distance(&self) -> f64 {
        self.tau.exp()
    }

    /// As [`PathSystem::update_modes`].
    pub fn update_modes(problem: &Problem, work: &Work, system: &mut PathSystem) -> bool {
        let slack = |_, s: &[f64]| {
            let of = |k: usize| s.get(k).copied().unwrap_or(0.0);
            [of(0), -of(0), of(1), -of(1)].map(|s| s.max(0.0))
        };
        system.update_modes(problem.blocks, &work.offsets, slack)
    }
}
