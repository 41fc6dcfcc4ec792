//! Newton's method for a stage, to round-off.
//!
//! The size of a correction is measured in the unknown, so that it does not depend on the scale of the
//! balance: ‖Δ‖ = max |Δ_k|, relative to the velocities of the stage. If corrections do not shrink, a
//! shorter step is taken (the natural test of Deuflhard, Newton Methods for Nonlinear Problems, 2004,
//! §3.3).
//!
//! Let the factors of H belong to a point at the distance d. After a correction of size s, the next
//! correction is about γ s (s + 2 d), where γ measures half the relative variation of H. The largest γ
//! observed so far predicts the next correction, for the old factors and for new ones; the cheaper choice
//! is taken. The iteration stops if the prediction is below the tolerance. γ is kept from step to step,
//! together with the dofs that moved when it was observed. With every step in which it is not observed, a
//! larger γ is assumed.
//!
//! Round-off of the balance is recognized by its effect: two successive corrections are larger than γ
//! predicts, although no slopes jump near by. Along a thousand links this round-off is a few times that of
//! positions. It does not update γ, and later steps do not try to get far below it.

use super::linear::Linear;
use super::memory::Memory;
use super::physics::Physics;
use super::stage::{Rule, StageState};
use super::way::{Goal, JUMPS, Limits, SHRINKS, SURPLUS, Way, difference, largest, stays_clear};
use crate::error::{Error, Result};
use crate::linalg::all_finite;
use crate::model::Model;

/// Corrections up to this size are round-off if they no longer shrink with factors of the current point.
/// This is the round-off of forces from lengths, amplified by stiff springs.
const ROUND_OFF: f64 = 1e-8;

/// Smallest step length, as a share of a correction.
const SHORTEST: f64 = 1.0 / 1024.0;

/// A guess is replaced by the fallback [`Newton::rest`] if its first correction is at least this share of
/// its distance from the fallback. `NEAR` and `LEADS` are exceptions.
const GUESS: f64 = 0.5;
/// A guess is kept if its first correction is at most this share of the velocities.
const NEAR: f64 = 0.01;
/// A guess is kept if the second correction is at most this share of the first, as after a jump of inputs.
const LEADS: f64 = 0.1;

/// Corrections of this many roundings of the stage's positions are round-off.
const ROUNDINGS: f64 = 4.0 * f64::EPSILON;

/// Dampers of cables that grow with tautness can make the method fail, because they make forces a hundred
/// times stiffer than their springs. Then a homotopy starts with dampers that grow slower by these factors;
/// each solution is the guess for the next factor.
const EASED: [f64; 5] = [1e4, 1e3, 1e2, 10.0, 3.0];

/// Tolerance of the intermediate solutions of this homotopy.
const ON_THE_WAY: f64 = 1e-6;

/// Result of the search for a stage.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Found {
    pub iterations: usize,
    /// Size of the last correction.
    pub residual: f64,
    pub converged: bool,
    /// Distance of the forces from the next jump of their slopes.
    pub margin: f64,
}

/// Workspace; vectors of nv entries.
#[derive(Clone, Debug)]
pub(in crate::step) struct Newton {
    /// The correction, the next one, and the start of the first.
    step: Vec<f64>,
    next: Vec<f64>,
    from: Vec<f64>,
    balance: Vec<f64>,
    /// Fallback: the starting point if the guess is rejected.
    rest: Vec<f64>,
    guess: Vec<f64>,
    memory: Memory,
}

/// A stage to solve: the functions to evaluate, and the start of its step.
pub(in crate::step) struct Problem<'a, 'b> {
    pub physics: Physics<'a>,
    pub rule: Rule,
    pub q: &'b [f64],
}

/// Sets w for a constant rate.
fn go_on(at: &mut StageState, rule: &Rule, rate: &[f64]) {
    for ((w, w0), rate) in at.w.iter_mut().zip(&at.w0).zip(rate) {
        *w = w0 + rate / rule.rate;
    }
}

impl Newton {
    pub fn new(nv: usize, stages: usize) -> Newton {
        let zeros = || vec![0.0; nv];
        Newton {
            step: zeros(),
            next: zeros(),
            from: zeros(),
            balance: zeros(),
            rest: zeros(),
            guess: zeros(),
            memory: Memory::new(nv, stages),
        }
    }

    pub fn memory(&self) -> &[f64] {
        self.memory.all()
    }

    pub fn memory_mut(&mut self) -> &mut [f64] {
        self.memory.all_mut()
    }

    /// Forgets the curvature of H.
    pub fn forget_curvature(&mut self) {
        self.memory.forget_curvature();
    }

    /// Stores, after a step has been accepted, the data of its stages from which the next step starts.
    pub fn remember<'a>(
        &mut self,
        model: &Model,
        stages: impl DoubleEndedIterator<Item = &'a StageState> + Clone,
    ) {
        self.memory.remember(model, stages);
    }

    /// First guess of w of stage `i`, which follows the stage `before`.
    pub fn guess(&self, i: usize, at: &mut StageState, rule: &Rule, before: Option<&StageState>) {
        self.memory.guess(i, at, rule, before);
    }

    /// Computes the starting point for a rejected guess. For the first stage it is the velocity `v` at the
    /// start of the step. For a later stage it is the velocity that leads to the end of the stage `before`,
    /// where stiff modes have come to rest.
    fn rest(&mut self, at: &StageState, rule: &Rule, v: &[f64], before: Option<&StageState>) {
        let Some(before) = before else {
            return self.rest.copy_from_slice(v);
        };
        for (k, rest) in self.rest.iter_mut().enumerate() {
            *rest = (before.xi[k] - at.xi0[k]) / rule.displacement;
        }
    }

    /// Moves `at` from its w to a solution. Tries in turn: [`Newton::search`] from the guess; the search
    /// from the velocity after the accelerations at the start of the step, where the velocity is `v`; the
    /// homotopy with slower dampers. After the stage `before`, `linear` holds the factors of H of that
    /// stage.
    pub fn solve(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        limits: Limits,
        v: &[f64],
        before: Option<&StageState>,
    ) -> Result<Found> {
        self.rest(at, &problem.rule, v, before);
        problem.physics.prescribed.write(&mut at.w);
        problem.physics.prescribed.write(&mut self.rest);
        // Corrections stay in the range of the reductions, whose numbers may have changed since the last
        // step.
        linear.project(&mut at.w);
        linear.project(&mut self.rest);
        let mut found = self.search(problem, at, linear, limits, before.is_some())?;
        if found.converged {
            return Ok(found);
        }
        match before {
            // Along the line through the last solution.
            Some(before) => go_on(at, &problem.rule, before.tangents().rate),
            None => {
                let Problem { physics, rule, q } = &mut *problem;
                physics.accelerate([q, v], rule.displacement, &mut self.next)?;
                go_on(at, rule, &self.next);
                physics.prescribed.write(&mut at.w);
            }
        }
        linear.project(&mut at.w);
        self.guess.copy_from_slice(&at.w);
        let iterations = found.iterations + 1;
        found = self.search(problem, at, linear, limits, false)?;
        found.iterations += iterations;
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

    /// Newton's method. With `factored`, `linear` holds the factors of another stage's H, which are tried
    /// first.
    fn search(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        limits: Limits,
        factored: bool,
    ) -> Result<Found> {
        let (model, rule, q) = (problem.physics.model, problem.rule, problem.q);
        (at.is_settled, at.is_factored) = (false, false);
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
        // The velocity that an acceleration of 1 adds: the scale if all bodies are at rest.
        let slowest = largest(&at.w0).max(1.0 / rule.rate);
        // If the first correction has been taken: its size, and the distance of a jump of slopes before it.
        let mut first = None;
        let is_far = size >= GUESS * far && far > 0.0 && size > NEAR * slowest.max(largest(&at.w));
        let before = [size, found.margin];
        if is_far && self.leads_on(problem, at, linear, &mut found, size) {
            size = largest(&self.step);
            first = Some(before);
        } else if is_far {
            // The forces are too stiff for this guess.
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
        let scale = slowest.max(largest(&at.w));
        size /= scale;
        let rounding = ROUNDINGS * (1.0 + largest(&at.q)) / (rule.reach() * scale);
        let goal = Goal::new(limits.tolerance, rounding, at.curvature.floor / scale);
        let mut way = Way {
            gone: if is_fresh { 0.0 } else { f64::INFINITY },
            bend: 0.0,
            last: 0.0,
            price: linear.price(),
        };
        // The smallest correction with factors of the current point, and how many such corrections were no
        // smaller; then how many jumps were crossed, and whether jumps of slopes are far compared with the
        // corrections.
        let (mut least, mut stalls, mut crossed, mut is_clear) = (f64::INFINITY, 0, 0, false);
        let (mut is_first, mut was_odd) = (is_fresh, false);
        if let Some([first, before]) = first {
            let (first, margins) = (first / scale, [before, found.margin]);
            if is_fresh {
                let taken = (&self.next[..], scale);
                (at.curvature).see(taken, [first, size], goal.noise(), margins);
            }
            way.go(1.0, first, size);
            (is_first, is_clear) = (false, stays_clear(margins, size / first));
        }
        loop {
            found.residual = size;
            let (is_fresh, rate) = (way.gone == 0.0, way.rate(size));
            at.is_settled = size <= goal.rounding;
            at.is_factored = is_fresh && at.is_settled;
            if is_fresh && size <= ROUND_OFF && size > SHRINKS * least {
                stalls += 1;
            }
            if size <= limits.tolerance || goal.is_round_off(size, stalls) {
                self.finish(at);
                break;
            }
            if is_clear && way.gone.is_finite() && goal.is_noise(size) {
                self.finish(at);
                break;
            }
            if is_clear && goal.is_met(size, rate) {
                found.residual = goal.floor.max(size * rate);
                self.finish(at);
                break;
            }
            if is_first {
                let reach = at.curvature.reach(&self.step) / scale;
                let foreseen = at.curvature.rate(reach);
                if at.curvature.is_clear(reach, found.margin) && goal.is_met(reach, foreseen) {
                    found.residual = goal.floor.max(reach * foreseen);
                    at.curvature.trust();
                    self.finish(at);
                    break;
                }
            }
            is_first = false;
            // Across a jump of slopes, iterations with factors of another point oscillate.
            let is_stuck = way.last > SHRINKS && size > ROUND_OFF;
            if !is_fresh
                && (is_stuck || goal.balances(size, rate) > way.balances_if_renewed(&goal, size))
            {
                if linear.factor(&mut problem.physics, &rule, at).is_err() {
                    // No factorization gives a direction from here.
                    return Ok(found);
                }
                size = self.correct_now(linear, problem) / scale;
                way.renew();
                continue;
            }
            if is_fresh {
                least = least.min(size);
            }
            if found.iterations >= limits.iterations {
                at.lead(model, &rule, q);
                return Ok(found);
            }
            self.from.copy_from_slice(&at.w);
            let before = found.margin;
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
            let may_jump = size <= ROUND_OFF && is_fresh;
            stalls += usize::from(next >= size && may_jump);
            let margins = [before, found.margin];
            let is_known = stays_clear(margins, next / (share * size));
            let least_seen = size.min(next);
            let may_be_floor = is_known
                && share == 1.0
                && least_seen <= ROUND_OFF
                && goal.may_be_floor(least_seen);
            let is_floor = was_odd && may_be_floor && next > SHRINKS * size;
            was_odd = !is_floor && may_be_floor && rate > 0.0 && next > SURPLUS * rate * size;
            let stays = size <= goal.rounding
                || goal.is_round_off(size, stalls)
                || is_floor
                || may_jump && may_be_floor;
            if next >= size && (stays || !may_jump) {
                at.w.copy_from_slice(&self.from);
                if stays {
                    if is_known {
                        at.curvature.floor = size * scale;
                    }
                    (at.is_settled, at.is_factored) = (false, false);
                    break;
                }
                if is_fresh && crossed == JUMPS {
                    at.lead(model, &rule, q);
                    return Ok(found);
                }
                if is_fresh {
                    // Slopes jump within the shortest step. Cross the jump and continue with the slopes
                    // beyond it.
                    self.take(at, SHORTEST);
                    crossed += 1;
                }
                // The factors are those of another point.
                at.lead(model, &rule, q);
                problem.physics.balance(at, &mut self.balance)?;
                linear.factor(&mut problem.physics, &rule, at)?;
                size = self.correct_now(linear, problem) / scale;
                way.renew();
                continue;
            }
            std::mem::swap(&mut self.step, &mut self.next);
            if is_floor {
                // The remaining error is below the size of a correction that counts.
                at.curvature.floor = next * scale;
                found.residual = next;
                (at.is_settled, at.is_factored) = (next <= goal.rounding, false);
                self.finish(at);
                break;
            }
            if was_odd {
                // Either round-off, or curvature in another direction: the next correction decides.
                (way.gone, is_clear, size) = (way.gone + size, false, next);
                continue;
            }
            if is_fresh && share == 1.0 {
                let taken = (&self.next[..], scale);
                (at.curvature).see(taken, [size, next], goal.noise(), margins);
            }
            way.go(share, size, next);
            is_clear = is_known;
            size = next;
        }
        at.lead(model, &rule, q);
        found.converged = true;
        Ok(found)
    }

    /// The first correction of a stage, and its size. The balance must have been evaluated.
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
            linear.factor(&mut problem.physics, &problem.rule, at)?;
        }
        Ok(self.correct_now(linear, problem))
    }

    /// Takes the first correction, of this size. True if the next correction is so small that the iteration
    /// will converge, and no slopes jump near by.
    fn leads_on(
        &mut self,
        problem: &mut Problem<'_, '_>,
        at: &mut StageState,
        linear: &mut Linear,
        found: &mut Found,
        size: f64,
    ) -> bool {
        self.from.copy_from_slice(&at.w);
        if !size.is_finite() {
            return false;
        }
        self.take(at, 1.0);
        at.lead(problem.physics.model, &problem.rule, problem.q);
        found.iterations += 1;
        let Ok(margin) = problem.physics.balance(at, &mut self.balance) else {
            return false;
        };
        self.correct(linear, problem);
        let next = largest(&self.next);
        let leads = next <= LEADS * size && stays_clear([found.margin, margin], next / size);
        if leads {
            found.margin = margin;
            std::mem::swap(&mut self.step, &mut self.next);
        }
        leads
    }

    /// The correction at the point of the last balance, and its size.
    fn correct_now(&mut self, linear: &mut Linear, problem: &Problem<'_, '_>) -> f64 {
        self.correct(linear, problem);
        std::mem::swap(&mut self.step, &mut self.next);
        largest(&self.step)
    }

    /// Takes the last correction, from the point of the last balance.
    fn finish(&self, at: &mut StageState) {
        at.balanced.copy_from_slice(&at.w);
        self.take(at, 1.0);
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
