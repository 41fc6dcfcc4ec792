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

/// Corrections of at most this size that do not shrink any more, though the factors are those of the place, are round-off:
/// that of forces from lengths, which stiff springs multiply.
const ROUND_OFF: f64 = 1e-8;

/// The share of the correction before to which one must shrink that is more than round-off.
const SHRINKS: f64 = 0.5;

/// The shortest share of a correction that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Iterations that may be left for the factors of H to be kept.
const CHORDS: f64 = 3.0;

/// A guess whose first correction is at least this share of its distance from rest is no better than that.
const GUESS: f64 = 0.5;

/// Where the method fails dampers that fade in may be to blame, as they make forces a hundred times stiffer than their springs.
/// They then fade in so many times more slowly at first, each solution leading to the next.
const EASED: [f64; 5] = [1e4, 1e3, 1e2, 10.0, 3.0];

/// How well the solutions on the way are to be found.
const ON_THE_WAY: f64 = 1e-6;

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
    /// Where to begin should the guess be none.
    rest: Vec<f64>,
    guess: Vec<f64>,
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

/// The largest of |a − b|.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let all = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    all.fold(
        0.0,
        |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x) },
    )
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
            rest: zeros(),
            guess: zeros(),
        }
    }

    /// Takes where a stage begins whose guess turns out to be none: the velocity `v` where the step begins; after another
    /// stage the velocity that leads where that one did, where what is stiff has come to rest.
    pub fn rest(&mut self, at: &StageState, rule: &Rule, v: &[f64], before: Option<&StageState>) {
        let Some(before) = before else {
            return self.rest.copy_from_slice(v);
        };
        for (k, rest) in self.rest.iter_mut().enumerate() {
            *rest = (before.xi[k] - at.xi0[k]) / rule.displacement;
        }
    }

    /// Moves `at` from its w to a solution; as [`Newton::search`], and where that fails by forces that are eased.
    pub fn solve(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        limits: Limits,
        factored: bool,
    ) -> Result<Found> {
        problem.physics.driven.write(&mut at.w);
        problem.physics.driven.write(&mut self.rest);
        self.guess.copy_from_slice(&at.w);
        let mut found = self.search(problem, at, linear, limits, factored)?;
        if found.converged || !problem.physics.forces.fade() {
            return Ok(found);
        }
        at.w.copy_from_slice(&self.guess);
        let on_the_way = Limits {
            tolerance: limits.tolerance.max(ON_THE_WAY),
            ..limits
        };
        for ease in EASED {
            problem.physics.ease = ease;
            match self.search(problem, at, linear, on_the_way, false) {
                Ok(eased) => found.iterations += eased.iterations,
                Err(_) => at.w.copy_from_slice(&self.guess),
            }
        }
        problem.physics.ease = 1.0;
        let last = self.search(problem, at, linear, limits, false)?;
        Ok(Found {
            iterations: found.iterations + last.iterations,
            ..last
        })
    }

    /// Newton's method. With `factored` `linear` holds the factors of another stage's H, which are
    /// tried first.
    fn search(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        limits: Limits,
        factored: bool,
    ) -> Result<Found> {
        let (model, rule, q) = (problem.physics.model, problem.rule, problem.q);
        at.lead(model, &rule, q);
        let mut found = Found {
            iterations: 1,
            residual: f64::INFINITY,
            converged: false,
            margin: problem.physics.balance(at, &mut self.balance)?,
        };
        let mut is_fresh = !factored;
        let mut size = self.begin(problem, at, linear, is_fresh)?;
        let far = difference(&at.w, &self.rest);
        if size >= GUESS * far && far > 0.0 {
            // Forces are too stiff for the guess, or it for them.
            self.from.copy_from_slice(&at.w);
            at.w.copy_from_slice(&self.rest);
            at.lead(model, &rule, q);
            found.margin = problem.physics.balance(at, &mut self.balance)?;
            found.iterations += 1;
            is_fresh = true;
            let other = self.begin(problem, at, linear, true)?;
            if size < other {
                at.w.copy_from_slice(&self.from);
                at.lead(model, &rule, q);
                found.margin = problem.physics.balance(at, &mut self.balance)?;
                size = self.begin(problem, at, linear, true)?;
            } else {
                size = other;
            }
        }
        if !size.is_finite() {
            return Err(Error::numerical(
                "the forces where an implicit step begins are not finite: the state is too large",
            ));
        }
        // What an acceleration of 1 adds, should all be at rest.
        let scale = largest(&at.w0).max(largest(&at.w)).max(1.0 / rule.rate);
        size /= scale;
        // The smallest of the corrections by fresh factors.
        let mut least = f64::INFINITY;
        loop {
            found.residual = size;
            if size <= limits.tolerance || size <= ROUND_OFF && is_fresh && size > SHRINKS * least {
                self.take(at, 1.0);
                break;
            }
            if is_fresh {
                least = least.min(size);
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
                if size <= ROUND_OFF && is_fresh {
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
                if linear.take(&mut problem.physics, &rule, at).is_err() {
                    // No matrix leads on from here.
                    return Ok(found);
                }
                self.correct(linear, problem);
                std::mem::swap(&mut self.step, &mut self.next);
                size = largest(&self.step) / scale;
            }
        }
        at.lead(model, &rule, q);
        found.converged = true;
        Ok(found)
    }

    /// The first correction of a stage whose balance is taken, and its size.
    fn begin(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &StageState,
        linear: &mut Linear,
        factor: bool,
    ) -> Result<f64> {
        if !all_finite(&self.balance) {
            return Ok(f64::INFINITY);
        }
        if factor {
            linear.take(&mut problem.physics, &problem.rule, at)?;
        }
        self.correct(linear, problem);
        std::mem::swap(&mut self.step, &mut self.next);
        Ok(largest(&self.step))
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
