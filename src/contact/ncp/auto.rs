//! The default path: runs the methods of [`METHODS`] in order, each with its budget.

use super::continuation::{Continuation, NEARNESS, Nearness};
use super::fixed_modes::may_keep_modes;
use super::interior::Interior;
use super::ladder::{Attempt, Choice, FROM_MODES, METHODS, POLISH, Rung, SETTLE, When};
use super::modes::{CLOSED, residuals};
use super::{NcpOptions, NcpSolver};
use super::{newton, parametric, pivot};
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::digits::READABLE;
use crate::contact::mode::Mode;
use crate::contact::problem::{Delassus, Problem};
use crate::contact::tally::{Method, Stage};
use crate::contact::tuning::{
    ALTERNATIONS, CHUNK, FEW_HELD, INTERIOR_NEAR, INTERIOR_PATIENCE, RIGID_ALTERNATIONS, SWEEP,
    SWEEPS,
};

impl NcpSolver {
    /// Runs the methods of [`METHODS`] until one solves the problem.
    pub(super) fn solve_auto(
        &mut self,
        problem: &Problem,
        warm: &[f64],
        options: &NcpOptions,
    ) -> Certificate {
        let mut certificate = Certificate::new(Path::Newton);
        self.work.update_sigma(problem);
        self.best.clear();
        for rung in &METHODS {
            if rung.effort > options.effort || !self.is_for(rung.when, problem) {
                continue;
            }
            if self.best.is_known() && self.grant(1) == 0 {
                break;
            }
            certificate.effort = rung.effort;
            if self.climb(problem, warm, options, rung, &mut certificate) {
                return certificate;
            }
            if self.best.is_known() {
                self.recall(problem, &mut certificate);
            }
        }
        self.classify_all(problem, CLOSED);
        certificate
    }

    /// Whether a line of the tables applies to this problem.
    fn is_for(&self, when: When, problem: &Problem) -> bool {
        let is_dense = matches!(problem.delassus, Delassus::Dense(_));
        match when {
            When::Always => true,
            When::Narrow => !self.wide,
            When::Torsion => self.wide,
            When::Rigid => !self.wide && !self.yields,
            When::RigidCones => !self.wide && !self.yields && !problem.has_pyramids(),
            When::Alternating => self.wide || self.yields,
            When::Pyramids => !self.wide && problem.has_pyramids(),
            When::Dense => is_dense,
            When::Trees => !is_dense,
            When::FewHeld => is_dense && self.held(problem) <= FEW_HELD,
            When::Warm => is_dense && self.is_warm && self.held(problem) > FEW_HELD,
        }
    }

    /// Tries one method, and counts it. Returns false if the problem is not solved.
    fn climb(
        &mut self,
        problem: &Problem,
        warm: &[f64],
        options: &NcpOptions,
        rung: &Rung,
        certificate: &mut Certificate,
    ) -> bool {
        let before = self.spent.work;
        let found = self.attempt(problem, warm, options, rung, certificate);
        let work = self.spent.work - before;
        (certificate.tally).count(Stage::Rigid(rung.method), found, work);
        found
    }

    fn attempt(
        &mut self,
        problem: &Problem,
        warm: &[f64],
        options: &NcpOptions,
        rung: &Rung,
        certificate: &mut Certificate,
    ) -> bool {
        certificate.path = rung.path;
        match rung.method {
            Method::Given => {
                let mut modes = problem.blocks.iter().zip(&self.work.modes);
                self.is_warm = modes.all(|(block, mode)| mode.fits(*block));
                let solved = self.newton_from(problem, options, rung.at_most, certificate);
                if !solved {
                    self.is_warm = false;
                    self.restart(problem, warm);
                    self.remember(self.residual(problem), Path::Newton);
                }
                solved
            }
            Method::Guessed => {
                self.best.clear();
                let sweeps = self.left().grant(SWEEPS, SWEEP);
                certificate.sweeps += self.sweeps(problem, sweeps, options);
                self.remember(self.residual(problem), Path::Pgs);
                self.guess_modes(problem);
                self.newton_from(problem, options, rung.at_most, certificate)
            }
            Method::Alternating => {
                self.solve_alternating(problem, options, rung.at_most, certificate)
            }
            Method::Parametric => {
                self.solve_parametric(problem, options, rung.at_most, certificate)
            }
            Method::Pivots => {
                let is_dense = self.is_for(When::Dense, problem);
                self.solve_pivots(problem, options, rung.at_most, certificate)
                    || is_dense && {
                        self.rest(problem);
                        self.solve_pivots(problem, options, rung.at_most, certificate)
                    }
            }
            Method::Interior => self.solve_interior(problem, options, rung, certificate),
            Method::Continuation => self.follow_path(problem, options, rung, certificate),
        }
    }

    /// The methods of the last stage alone.
    pub(super) fn solve_last(&mut self, problem: &Problem, options: &NcpOptions) -> Certificate {
        let mut certificate = Certificate::new(Path::Continuation);
        self.work.update_sigma(problem);
        self.best.clear();
        self.remember(self.residual(problem), Path::Continuation);
        let last = METHODS.iter().filter(|r| r.effort == Effort::Thorough);
        for rung in last {
            if !self.is_for(rung.when, problem) {
                continue;
            }
            certificate.effort = rung.effort;
            if self.climb(problem, &[], options, rung, &mut certificate) {
                return certificate;
            }
            self.recall(problem, &mut certificate);
        }
        self.classify_all(problem, CLOSED);
        certificate
    }

    /// Newton's method from the present modes; unknown modes are guessed. It finds the nearest solution
    /// first, then the least-norm one if impulses are not unique. The least-norm impulse is tried first if
    /// few rows are active, and once from the modes of the last step: a robot at rest keeps them.
    pub(super) fn newton_from(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        let unknown = |modes: &[Mode], i: usize| !modes[i].fits(problem.blocks[i]);
        newton::guess_modes(problem.blocks, &mut self.work, unknown);
        for Attempt { choice, when, .. } in FROM_MODES {
            if !self.is_for(when, problem) {
                continue;
            }
            if choice == Choice::Same {
                if !may_keep_modes(problem, &mut self.work, &mut self.active_set) {
                    continue;
                }
                self.keep_found();
            }
            if self.newton(problem, options, choice, budget, certificate) {
                if choice == Choice::Any {
                    // If settling fails, the solution found so far stays.
                    self.settle(problem, options, certificate);
                }
                return true;
            }
            if choice == Choice::Same {
                self.return_to_found(problem);
            }
        }
        false
    }

    /// Goes from a solution within tolerance to the least-norm solution with its modes, or else to one that
    /// is exact to round-off. Returns false if the solution stays as it was.
    pub(super) fn settle(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        certificate: &mut Certificate,
    ) -> bool {
        self.keep_found();
        // With the least-norm impulse more blocks can be made active than with another one.
        if self.is_for(When::Dense, problem) {
            newton::promote(problem, &mut self.work);
        }
        SETTLE.iter().any(|attempt| {
            let wanted = self.is_for(attempt.when, problem);
            let (choice, budget) = (attempt.choice, attempt.at_most);
            let done = wanted && self.newton(problem, options, choice, budget, certificate);
            if wanted && !done {
                self.return_to_found(problem);
            }
            done
        })
    }

    fn keep_found(&mut self) {
        self.found.clone_from(&self.work.lambda);
        self.found_modes.clone_from(&self.work.modes);
    }

    fn return_to_found(&mut self, problem: &Problem) {
        self.work.lambda.copy_from_slice(&self.found);
        self.work.modes.copy_from_slice(&self.found_modes);
        self.work.update_sigma(problem);
    }

    /// Number of rows that are active in the present modes.
    fn held(&self, problem: &Problem) -> usize {
        let held = (problem.blocks.iter().zip(&self.work.modes))
            .filter(|(_, mode)| matches!(mode, Mode::Sticking | Mode::Sliding | Mode::Bounded(_)));
        held.map(|(block, _)| block.rows()).sum()
    }

    fn rest(&mut self, problem: &Problem) {
        self.work.lambda.fill(0.0);
        self.work.update_sigma(problem);
    }

    /// Parametric pivots, then settles the result.
    fn solve_parametric(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        let found = self.follow_pivots(problem, budget, certificate, |s, budget, count| {
            parametric::pivot(problem, &mut s.work, &mut s.active_set, budget, count)
        });
        // If settling fails, the result of the pivots stays, and its residual decides whether it is solved.
        found
            && (self.settle(problem, options, certificate)
                || self.residual(problem) <= options.tolerance)
    }

    /// Pivots from the present impulses, then settles the result.
    fn solve_pivots(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        let enough = options.tolerance;
        let found = self.follow_pivots(problem, budget, certificate, |s, budget, count| {
            let (work, active_set) = (&mut s.work, &mut s.active_set);
            pivot::pivot(problem, work, active_set, enough, budget, count)
        });
        // The modes are consistent but not exact: rows are nearly dependent.
        found && self.settle(problem, options, certificate)
    }

    /// Runs pivots from the modes of the present impulses within a budget of factorizations, and counts
    /// them.
    fn follow_pivots(
        &mut self,
        problem: &Problem,
        budget: usize,
        certificate: &mut Certificate,
        run: impl FnOnce(&mut Self, usize, &mut usize) -> bool,
    ) -> bool {
        self.guess_modes(problem);
        let (budget, before) = (self.grant(budget), certificate.newton);
        let found = run(self, budget, &mut certificate.newton);
        self.spent.spend(certificate.newton - before, 1.0);
        found
    }

    /// Alternating directions from the present impulses, and Newton's method with `budget` factorizations
    /// from their modes, whenever these stay the same for [`CHUNK`] iterations.
    fn solve_alternating(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        if !self.admm.start(problem, &mut self.work) {
            return false;
        }
        self.spent.spend(1, 1.0);
        let (mut done, mut tried) = (0, false);
        self.found_modes.clear();
        let most = match self.yields {
            true => ALTERNATIONS,
            false => RIGID_ALTERNATIONS,
        };
        while done < most {
            if self.grant(1) == 0 {
                break;
            }
            let until = [done, done + CHUNK];
            let factorizations;
            [done, factorizations] =
                (self.admm).run(problem, &mut self.work, options.tolerance, until);
            self.spent.spend(1 + factorizations, 1.0);
            certificate.admm += 1 + factorizations;
            self.guess_modes(problem);
            let settled = self.found_modes == self.work.modes;
            tried &= settled;
            self.found_modes.clone_from(&self.work.modes);
            if settled && !tried {
                tried = true;
                self.remember(self.residual(problem), Path::Admm);
                if self.newton_from(problem, options, budget, certificate) {
                    return true;
                }
            }
        }
        self.remember(self.residual(problem), Path::Admm);
        false
    }

    /// Shrinks κ along the central path. When the modes no longer change, polishes them.
    fn solve_interior(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        rung: &Rung,
        certificate: &mut Certificate,
    ) -> bool {
        let part = match rung.when {
            When::Torsion => INTERIOR_NEAR,
            _ => 1.0,
        };
        if !(self.interior).start(problem, &self.work, &mut self.shifted, part) {
            // No row responds to any impulse.
            return false;
        }
        let mut before = f64::INFINITY;
        let (mut stalled, mut tried) = (0, false);
        for k in 0..rung.at_most {
            if self.grant(1) == 0 {
                break;
            }
            self.spent.spend(1, 1.0);
            let step = (self.interior).advance(problem, &self.work, &mut self.shifted);
            certificate.interior += 1;
            let Some(distance) = self.interior.distance(&self.shifted) else {
                break;
            };
            stalled = if step < 0.1 { stalled + 1 } else { 0 };
            let settled = (self.interior).update_modes(problem, &self.work, &mut self.shifted);
            tried &= settled;
            // The modes are settled and worth a polish.
            if settled && !tried && distance < READABLE {
                tried = true;
                if self.polish(problem, options, certificate) {
                    return true;
                }
            }
            let last = stalled == INTERIOR_PATIENCE || k + 1 == rung.at_most;
            if distance < READABLE {
                self.shifted.write(problem, &mut self.work);
                let residual = self.residual(problem);
                // Round-off is often within reach: follow the path while the residual still falls.
                let ending = last || residual > 0.3 * before;
                before = residual;
                let enough = if ending { 1e-2 } else { 1e-3 } * options.tolerance;
                if residual <= enough {
                    self.snap(problem, residual);
                    certificate.path = rung.path;
                    return true;
                }
                self.remember(residual, rung.path);
            }
            if last {
                break;
            }
        }
        if self.best.residual > options.tolerance || options.effort == Effort::Thorough {
            return false;
        }
        self.recall(problem, certificate);
        self.classify_all(problem, CLOSED);
        true
    }

    /// Follows the central path through its folds. When the modes no longer change, polishes them. If
    /// the path ends too early, it is followed again and more closely.
    fn follow_path(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        rung: &Rung,
        certificate: &mut Certificate,
    ) -> bool {
        let mut left = rung.at_most;
        for nearness in NEARNESS {
            let before = certificate.continuation;
            if self.follow_so_near(problem, options, nearness, left, certificate) {
                return true;
            }
            left -= certificate.continuation - before;
            if self.best.residual <= options.tolerance {
                self.recall(problem, certificate);
                self.classify_all(problem, CLOSED);
                return true;
            }
        }
        false
    }

    /// One attempt with a budget of factorizations. Returns whether its modes were polished.
    fn follow_so_near(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        nearness: Nearness,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        let (enough, allowed) = (1e-2 * options.tolerance, self.grant(budget));
        let (path, system) = (&mut self.continuation, &mut self.shifted);
        let mut goes_on = path.start(problem, &self.work, system, nearness, allowed);
        let mut counted = self.count_continuation(0);
        let (mut polished, mut tried, mut before) = (false, false, f64::INFINITY);
        while goes_on && self.best.residual > enough && !polished {
            let allowed = self.grant(budget - counted);
            goes_on = (self.continuation).advance(problem, &self.work, &mut self.shifted, allowed);
            counted = self.count_continuation(counted);
            let settled = Continuation::update_modes(problem, &self.work, &mut self.shifted);
            tried &= settled;
            self.shifted.write(problem, &mut self.work);
            let residual = self.residual(problem);
            self.remember(residual, Path::Continuation);
            if self.continuation.distance() < READABLE {
                // Once solved, follow the path while the residual still falls.
                goes_on &= residual > options.tolerance || residual < 0.3 * before;
                before = residual;
                if settled && !tried {
                    tried = true;
                    polished = self.polish(problem, options, certificate);
                }
            }
        }
        certificate.continuation += counted;
        polished
    }

    /// Adds the factorizations of continuation beyond `counted` to the spent work. Returns all of them.
    fn count_continuation(&mut self, counted: usize) -> usize {
        let all = self.continuation.factorizations();
        self.spent.spend(all - counted, 1.0);
        all
    }

    /// Newton's method in the modes of the iterate on the central path.
    fn polish(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        certificate: &mut Certificate,
    ) -> bool {
        let done = POLISH.iter().any(|attempt| {
            self.is_for(attempt.when, problem) && {
                self.shifted.write(problem, &mut self.work);
                let (choice, budget) = (attempt.choice, attempt.at_most);
                self.newton(problem, options, choice, budget, certificate)
            }
        });
        if done {
            certificate.path = Path::Polished;
        }
        done
    }

    /// Puts the interior point's impulses on the faces of their modes, if this does not raise the
    /// residual.
    fn snap(&mut self, problem: &Problem, residual: f64) {
        Interior::snap(&self.shifted, problem, &mut self.work);
        if self.residual(problem) > residual {
            self.shifted.write(problem, &mut self.work);
        }
    }

    pub(super) fn residual(&self, problem: &Problem) -> f64 {
        let work = &self.work;
        let all = residuals(problem.blocks, problem.g, &work.lambda, &work.sigma);
        all.into_iter().fold(0.0, |m, r| if r <= m { m } else { r })
    }

    fn restart(&mut self, problem: &Problem, warm: &[f64]) {
        self.work.lambda.copy_from_slice(warm);
        self.work.update_sigma(problem);
    }

    /// Returns to the best iterate. `certificate` receives its path.
    fn recall(&mut self, problem: &Problem, certificate: &mut Certificate) {
        self.work.lambda.copy_from_slice(&self.best.lambda);
        self.work.update_sigma(problem);
        certificate.path = self.best.path;
    }

    /// Keeps the iterate, which `path` found, if its residual is the smallest so far.
    fn remember(&mut self, residual: f64, path: Path) {
        let best = &mut self.best;
        if residual < best.residual || !best.is_known() {
            // NaN counts as larger than any number.
            best.residual = if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            };
            best.path = path;
            best.lambda.clear();
            best.lambda.extend_from_slice(&self.work.lambda);
        }
    }

    fn newton(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        choice: Choice,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        // In pyramids slip directions do not turn. Blocks at a switch that become active then change
        // impulses only, and get the same budget again.
        let closing = match problem.has_pyramids() {
            true => self.grant(2 * budget) - self.grant(budget),
            false => 0,
        };
        let (budget, before) = ([self.grant(budget), closing], certificate.newton);
        self.least_norm.work = 0.0;
        let done = newton::run(
            problem,
            &mut self.work,
            &mut self.active_set,
            &mut self.least_norm,
            options.tolerance,
            choice,
            self.is_warm,
            budget,
            &mut certificate.newton,
        );
        self.spent.spend(certificate.newton - before, 1.0);
        self.spent.work += self.least_norm.work;
        let solved = done && self.residual(problem) <= options.tolerance;
        let is_dense = matches!(problem.delassus, Delassus::Dense(_));
        self.factored = solved && (choice.is_least() || !is_dense);
        certificate.least_norm = solved && choice.is_least() && is_dense;
        solved
    }
}
