//! Newton's method for a stage, to round-off.
//!
//! Corrections are measured in the unknown itself, where they do not depend on how the balance is scaled: ‖Δ‖ = max |Δ_k|
//! relative to the velocities of the stage. While they shrink fast the factors of H are kept, so that an iteration costs one
//! balance; where they do not shrink a shorter step is taken (the natural test of Deuflhard, Newton Methods for Nonlinear
//! Problems, 2004, §3.3).

use super::linear::Linear;
use super::physics::Physics;
use super::stage::{Rule, StageState};
use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::step::options::Options;

/// Corrections of at most this size that do not shrink any more are round-off.
const ROUND_OFF: f64 = 1e-10;

/// The shortest share of a correction that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Iterations that may be left for the factors of H to be kept.
const CHORDS: f64 = 3.0;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Limits {
    pub tolerance: f64,
    pub iterations: usize,
}

/// What became of a stage.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Found {
    pub iterations: usize,
    /// Size of the correction that is left.
    pub residual: f64,
    pub converged: bool,
    /// How far forces were from where their slopes jump.
    pub margin: f64,
}

/// Vectors of nv entries.
#[derive(Clone, Debug)]
pub(in crate::step) struct Newton {
    /// The correction, the next one, and where the first began.
    step: Vec<f64>,
    next: Vec<f64>,
    from: Vec<f64>,
    balance: Vec<f64>,
}

impl Limits {
    pub fn of(options: &Options) -> Limits {
        Limits {
            tolerance: options.newton_tolerance,
            iterations: options.max_newton,
        }
    }

    /// What a message says of a stage with this correction left.
    pub fn missed(&self, residual: f64) -> String {
        format!(
            "Newton's method stopped at a correction of {residual:e}, above options.newton_tolerance {:e}",
            self.tolerance
        )
    }
}

fn largest(x: &[f64]) -> f64 {
    match all_finite(x) {
        true => x.iter().fold(0.0, |m, x| x.abs().max(m)),
        false => f64::INFINITY,
    }
}

/// A stage on its way: what it is evaluated with, and where its step begins.
pub(in crate::step) struct Problem<'a, 'b> {
    pub physics: Physics<'a>,
    pub rule: Rule,
    pub q: &'b [f64],
}

impl Newton {
    pub fn new(nv: usize) -> Newton {
        let zeros = || vec![0.0; nv];
        Newton {
            step: zeros(),
            next: zeros(),
            from: zeros(),
            balance: zeros(),
        }
    }

    /// Moves `at` from its w to a solution. With `factored` `linear` holds the factors of another stage's H, which are
    /// tried first.
    pub fn solve(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        limits: Limits,
        factored: bool,
    ) -> Result<Found> {
        let (model, rule, q) = (problem.physics.model, problem.rule, problem.q);
        // What an acceleration of 1 adds, should all be at rest.
        let scale = largest(&at.w0).max(largest(&at.w)).max(1.0 / rule.rate);
        at.lead(model, &rule, q);
        let mut found = Found {
            iterations: 1,
            residual: f64::INFINITY,
            converged: false,
            margin: problem.physics.balance(at, &mut self.balance)?,
        };
        if !all_finite(&self.balance) {
            return Err(Error::numerical(
                "the forces where an implicit step begins are not finite: the state is too large",
            ));
        }
        let mut is_fresh = !factored;
        if is_fresh {
            linear.take(&mut problem.physics, &rule, at)?;
        }
        self.correct(linear, problem);
        std::mem::swap(&mut self.step, &mut self.next);
        let mut size = largest(&self.step) / scale;
        loop {
            found.residual = size;
            if size <= limits.tolerance {
                self.take(at, 1.0);
                break;
            }
            if found.iterations >= limits.iterations {
                at.lead(model, &rule, q);
                return Ok(found);
            }
            self.from.copy_from_slice(&at.w);
            let (mut share, mut next) = (1.0, f64::INFINITY);
            while share >= SHORTEST {
                self.take(at, share);
                at.lead(model, &rule, q);
                found.margin = problem.physics.balance(at, &mut self.balance)?;
                found.iterations += 1;
                self.correct(linear, problem);
                next = largest(&self.next) / scale;
                if next < size || size <= ROUND_OFF || !is_fresh {
                    break;
                }
                at.w.copy_from_slice(&self.from);
                share *= 0.5;
            }
            if next >= size {
                at.w.copy_from_slice(&self.from);
                if size <= ROUND_OFF {
                    break;
                }
                at.lead(model, &rule, q);
                if is_fresh {
                    return Ok(found);
                }
                // The factors are another stage's.
                problem.physics.balance(at, &mut self.balance)?;
                linear.take(&mut problem.physics, &rule, at)?;
                is_fresh = true;
                self.correct(linear, problem);
                std::mem::swap(&mut self.step, &mut self.next);
                size = largest(&self.step) / scale;
                continue;
            }
            let rate = next / size;
            std::mem::swap(&mut self.step, &mut self.next);
            size = next;
            if share == 1.0 && size * rate <= limits.tolerance {
                found.residual = size * rate;
                self.take(at, 1.0);
                break;
            }
            is_fresh = (limits.tolerance / size).ln() < CHORDS * rate.ln();
            if is_fresh {
                linear.take(&mut problem.physics, &rule, at)?;
                self.correct(linear, problem);
                std::mem::swap(&mut self.step, &mut self.next);
                size = largest(&self.step) / scale;
            }
        }
        at.lead(model, &rule, q);
        found.converged = true;
        Ok(found)
    }

    /// w += `share` Δ.
    fn take(&self, at: &mut StageState, share: f64) {
        for (w, d) in at.w.iter_mut().zip(&self.step) {
            *w += share * d;
        }
    }

    /// The next correction, −H⁻¹ r.
    fn correct(&mut self, linear: &mut Linear, problem: &Problem<'_, '_>) {
        for (d, r) in self.next.iter_mut().zip(&self.balance) {
            *d = -r;
        }
        linear.solve(problem.physics.model.topology(), &mut self.next);
    }
}
