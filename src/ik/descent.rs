//! One start of a search: damped steps within the bounds, down to a minimum of the objective.
//!
//! A step is judged by the decrease of the objective. If some tasks have much larger weights than others,
//! the objective has a narrow curved valley, and a step along it first increases the objective. So a step
//! that increases it is followed by a second one before both are rejected. Once the decrease is below
//! round-off, light tasks may still be far from their best: undamped steps with exact second derivatives
//! follow, judged by their predicted decrease. If the gradient is zero but the objective decreases to both
//! sides (for example, with a stretched arm), the search leaves the point.

use super::options::IkOutcome;
use super::solver::Ik;
use crate::error::{Error, Result};

/// Damping per objective: the initial value, and the smallest value above zero.
const DAMPING: [f64; 2] = [1e-2, 1e-8];
/// Damping that is always added, per largest diagonal entry.
const FLOOR: f64 = 1e-13;
/// The same with exact second derivatives at the end: smaller stiffnesses cannot be separated from round-off.
const DEFINITE: f64 = 1e-11;
/// A step below this size counts as zero [rad, m].
pub(super) const STILL: f64 = 1e-12;
/// A decrease below this share of the objective is lost in round-off.
const UNSEEN: f64 = 1e-13;
/// A decrease below this share of the prediction counts as none.
const GAIN: f64 = 1e-4;
/// Attempts at a step.
const TRIES: usize = 30;
/// Curvature below this share of the largest counts as zero.
const FLAT: f64 = 1e-9;
/// Iterations that find the direction of most negative curvature.
const ROUNDS: usize = 60;

/// State of the choice of steps.
struct Pace {
    damping: f64,
    /// Use exact second derivatives.
    newton: bool,
    /// Predicted decrease of the last step, once the objective shows no decrease.
    promised: Option<f64>,
}

impl Pace {
    const START: Pace = Pace {
        damping: DAMPING[0],
        newton: false,
        promised: None,
    };

    fn slower(&mut self, bent: bool) {
        let fine = bent || self.promised.is_some();
        self.damping = (8.0 * self.damping).max(DAMPING[usize::from(fine)]);
    }

    /// Update after a step with this share of its predicted decrease.
    fn after(&mut self, gain: f64) {
        if gain > 0.75 {
            self.damping *= 0.1;
            if self.damping < DAMPING[1] {
                self.damping = 0.0;
            }
        } else if gain < 0.25 {
            self.damping *= 4.0;
        }
    }
}

impl Ik {
    /// One start, from `work.q` to its end.
    pub(super) fn descend(&mut self, iterations: &mut usize) -> Result<(IkOutcome, f64)> {
        let mut objective = self.visit();
        let mut pace = Pace::START;
        for _ in 0..self.options.max_iterations {
            if !objective.is_finite() {
                return Err(Error::numerical(
                    "q0: the residuals there are not finite; it or a target is too far",
                ));
            }
            let (met, preferences) = self.met();
            if met && !preferences {
                return Ok((IkOutcome::Solved, objective));
            }
            *iterations += 1;
            objective = match self.advance(objective, &mut pace) {
                Some(next) => next,
                None => match self.leave_saddle(objective) {
                    Some(next) => {
                        pace = Pace::START;
                        next
                    }
                    None if met => return Ok((IkOutcome::Solved, objective)),
                    None => return Ok((IkOutcome::Stationary, objective)),
                },
            };
        }
        let (met, preferences) = self.met();
        let outcome = if met && !preferences {
            IkOutcome::Solved
        } else {
            IkOutcome::Iterations
        };
        Ok((outcome, objective))
    }

    /// Takes a step and returns the objective there, or `None` if there is no way down. The blocks are those
    /// of `work.q` before and after.
    fn advance(&mut self, objective: f64, pace: &mut Pace) -> Option<f64> {
        self.assemble();
        let mut bent = pace.newton && self.bend();
        for _ in 0..TRIES {
            let floor = if pace.promised.is_some() {
                DEFINITE
            } else {
                FLOOR
            };
            let damping = pace.damping * objective + floor * self.stiffest();
            self.hold_bounds();
            let promise = self.bounded_step(damping);
            let still = self.largest_step() <= STILL;
            let promise = match promise {
                // A step along a bound may have a positive prediction, too.
                Some(p) if p > 0.0 || still => p,
                _ if bent => {
                    bent = false;
                    self.visit();
                    self.assemble();
                    continue;
                }
                _ => {
                    pace.slower(bent);
                    continue;
                }
            };
            let unseen = promise <= UNSEEN * objective;
            match pace.promised {
                None if unseen || still => {
                    *pace = Pace {
                        damping: 0.0,
                        newton: true,
                        promised: Some(f64::INFINITY),
                    };
                    return Some(self.visit());
                }
                Some(_) if still && pace.damping > 0.0 => {
                    pace.damping = 0.0;
                    return Some(self.visit());
                }
                Some(last) if pace.damping == 0.0 && (still || unseen && promise > 0.5 * last) => {
                    break;
                }
                _ => (),
            }
            let next = self.try_step();
            if unseen {
                if next <= objective * (1.0 + 10.0 * UNSEEN) {
                    pace.promised = Some(promise);
                    pace.after(1.0);
                    self.move_on();
                    return Some(next);
                }
                pace.slower(bent);
                continue;
            }
            let mut gain = (objective - next) / promise;
            let mut taken = gain > GAIN;
            let mut next = next;
            if !taken
                && next.is_finite()
                && let Some(second) = self.second_step(damping, objective - GAIN * promise)
            {
                (next, gain, taken) = (second, (objective - second) / promise, true);
            }
            if !taken {
                pace.slower(bent);
                continue;
            }
            pace.after(gain);
            pace.newton = pace.promised.is_some() || next > 0.3 * objective;
            self.move_on();
            return Some(next);
        }
        self.visit();
        None
    }

    /// Fills the blocks at `work.q` and returns the objective.
    pub(super) fn visit(&mut self) -> f64 {
        let q = std::mem::take(&mut self.work.q);
        let objective = self.evaluate(&q);
        self.work.q = q;
        objective
    }

    /// Adds exact second derivatives to the matrix at `work.q`, if they are available.
    fn bend(&mut self) -> bool {
        let known = self.model.topology().varying.is_empty();
        if known {
            let q = std::mem::take(&mut self.work.q);
            self.add_second_order(&q);
            self.work.q = q;
        }
        known
    }

    /// Fills the blocks one step ahead of `work.q`, at `work.trial`, and returns the objective.
    fn try_step(&mut self) -> f64 {
        let w = &mut self.work;
        match &mut self.whole {
            None => self.model.integrate(&w.q, &w.step, &mut w.trial),
            Some(all) => {
                let map = all.map.clone();
                map.q.place(&w.q, &mut all.q);
                map.v.expand(&w.step, &mut all.gradient);
                self.model.integrate(&all.q, &all.gradient, &mut all.moved);
                map.q.find(&all.moved, &mut w.trial);
            }
        }
        keep(&self.coordinate, &self.lower, &self.upper, &mut w.trial);
        let trial = std::mem::take(&mut w.trial);
        let objective = self.evaluate(&trial);
        self.work.trial = trial;
        objective
    }

    /// Moves to the point tried last.
    fn move_on(&mut self) {
        std::mem::swap(&mut self.work.q, &mut self.work.trial);
    }

    /// Takes a step from the point tried last. The result becomes the point tried if its objective is below
    /// `most`. Otherwise nothing changes except the blocks.
    fn second_step(&mut self, damping: f64, most: f64) -> Option<f64> {
        let w = &mut self.work;
        w.base.copy_from_slice(&w.q);
        w.kept.0.copy_from_slice(&w.gradient);
        w.kept.1.copy_from_slice(&w.matrix);
        self.move_on();
        self.assemble();
        self.hold_bounds();
        let next = (self.bounded_step(damping)).map_or(f64::INFINITY, |_| self.try_step());
        let w = &mut self.work;
        w.q.copy_from_slice(&w.base);
        if next < most {
            return Some(next);
        }
        w.gradient.copy_from_slice(&w.kept.0);
        w.matrix.copy_from_slice(&w.kept.1);
        None
    }

    /// At a point without slope from which the objective falls to both sides, moves down and returns the
    /// objective.
    fn leave_saddle(&mut self, objective: f64) -> Option<f64> {
        self.assemble();
        if !self.bend() {
            return None;
        }
        self.hold_bounds();
        let n = self.nv();
        let flat = FLAT * self.stiffest();
        let w = &mut self.work;
        w.factored.choose((0..n).filter(|k| !w.fixed[*k]));
        if w.factored.factor(&w.matrix, n, flat, [0.0; 2]) || w.most_negative(ROUNDS) >= -flat {
            return None;
        }
        for size in [0.3, -0.3, 0.03, -0.03, 0.003, -0.003] {
            self.work.step_along(size);
            let next = self.try_step();
            if next < (1.0 - FLAT) * objective {
                self.move_on();
                return Some(next);
            }
        }
        self.visit();
        None
    }

    fn stiffest(&self) -> f64 {
        let n = self.nv();
        (0..n).fold(0.0, |m, k| self.work.matrix[k * n + k].max(m))
    }

    fn largest_step(&self) -> f64 {
        self.work.step.iter().fold(0.0, |m, d| d.abs().max(m))
    }

    /// Whether all tasks are within their tolerance, and whether there are preferences.
    fn met(&self) -> (bool, bool) {
        let (mut met, mut preferences) = (true, false);
        for b in &self.blocks {
            let bound = match b.task {
                Some(t) => self.tasks[t].bound(self.options.tolerance),
                None => Some(self.options.tolerance),
            };
            match bound {
                // NaN is never within a tolerance.
                Some(bound) => met &= b.largest() <= bound,
                None => preferences |= b.weight.iter().any(|w| *w > 0.0),
            }
        }
        (met, preferences)
    }

    /// Marks the dofs that a bound holds at `work.q`.
    pub(super) fn hold_bounds(&mut self) {
        for k in 0..self.nv() {
            let g = self.work.gradient[k];
            self.work.fixed[k] = self.coordinate[k] != usize::MAX && {
                let x = self.work.q[self.coordinate[k]];
                (x <= self.lower[k] && g >= 0.0) || (x >= self.upper[k] && g <= 0.0)
            };
        }
    }

    /// Minimizes gᵀd + ½ dᵀ(A + μ) d within the bounds, into `work.step`: joints that would pass a bound move
    /// to it, and the others are solved again. Returns the predicted change of the undamped model, or `None`
    /// if A + μ is not definite.
    fn bounded_step(&mut self, damping: f64) -> Option<f64> {
        let n = self.nv();
        let w = &mut self.work;
        w.step.fill(0.0);
        loop {
            w.factored.choose((0..n).filter(|k| !w.fixed[*k]));
            if !w.factored.factor(&w.matrix, n, damping, [0.0; 2]) {
                return None;
            }
            for i in 0..w.factored.free.len() {
                let k = w.factored.free[i];
                let mut rest = -w.gradient[k];
                for (l, d) in w.step.iter().enumerate() {
                    if w.fixed[l] && *d != 0.0 {
                        rest -= w.matrix[k.max(l) * n + k.min(l)] * d;
                    }
                }
                w.factored.x[i][0] = rest;
            }
            w.factored.solve();
            let mut passed = false;
            for i in 0..w.factored.free.len() {
                let (k, d) = (w.factored.free[i], w.factored.x[i][0]);
                w.step[k] = d;
                if self.coordinate[k] == usize::MAX {
                    continue;
                }
                let at = w.q[self.coordinate[k]];
                let d_held = d.clamp(self.lower[k] - at, self.upper[k] - at);
                if d_held != d {
                    (w.step[k], w.fixed[k], passed) = (d_held, true, true);
                }
            }
            if !passed {
                break;
            }
        }
        let mut promise = 0.0;
        for k in 0..n {
            let row = &w.matrix[k * n..k * n + k];
            let off: f64 = row.iter().zip(&w.step).map(|(a, d)| a * d).sum();
            let d = w.step[k];
            promise -= d * (w.gradient[k] + off + 0.5 * w.matrix[k * n + k] * d);
        }
        Some(promise)
    }
}

/// Moves coordinates into their bounds.
pub(super) fn keep(coordinate: &[usize], lower: &[f64], upper: &[f64], q: &mut [f64]) {
    for ((iq, lo), hi) in coordinate.iter().zip(lower).zip(upper) {
        if *iq != usize::MAX {
            q[*iq] = q[*iq].clamp(*lo, *hi);
        }
    }
}
