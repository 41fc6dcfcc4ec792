//! Solves islands with torsional or rolling friction, one at a time, and keeps their solutions.

use super::descent::Descent;
use super::groups::Groups;
use super::system::System;
use super::unit::Unit;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::digits::AT_SWITCH;
use crate::contact::law::Posed;
use crate::contact::problem::{Problem, Regularization};
use crate::contact::tally::Stage;
use crate::contact::work_budget::WorkBudget;

/// Residual that counts as round-off.
const ROUND_OFF: f64 = 1e-15;

/// Memory for the largest island, and the solutions of all islands. Sized at creation.
#[derive(Debug)]
pub(super) struct Solver {
    tolerance: f64,
    pub system: System,
    pub descent: Descent,
    /// Vectors of the loaded island.
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    /// By rows of the problem: the velocities at which the derivative is taken.
    velocities: Vec<f64>,
    regularization: Vec<Regularization>,
    /// The loaded island, and whether Newton's system is factored: `Some(false)` for a singular one.
    loaded: Option<usize>,
    factored: Option<bool>,
    /// Whether any island is at a mode switch.
    pub at_switch: bool,
}

impl Solver {
    pub fn new(capacity: &Capacity, tolerance: f64) -> Solver {
        let Capacity { rows, blocks, .. } = *capacity;
        let numbers = || vec![0.0; rows];
        Solver {
            tolerance,
            system: System::with_capacity(rows, blocks),
            descent: Descent::new(rows, blocks),
            lambda: numbers(),
            sigma: numbers(),
            velocities: numbers(),
            regularization: Vec::with_capacity(blocks),
            loaded: None,
            factored: None,
            at_switch: false,
        }
    }

    /// Starts a new problem.
    pub fn start(&mut self, regularization: &[Regularization]) {
        self.regularization.clear();
        self.regularization.extend_from_slice(regularization);
        self.at_switch = false;
        (self.loaded, self.factored) = (None, None);
    }

    /// Solves an island within the budget. A solution with a number that is not finite is returned as
    /// not converged.
    pub fn solve(
        &mut self,
        posed: &mut Posed<'_>,
        groups: &Groups,
        island: usize,
        left: &WorkBudget,
    ) -> Certificate {
        self.place(&posed.problem, groups, island);
        let lambda = self.system.take(posed.lambda, &mut self.lambda);
        if lambda.is_empty() {
            return Certificate::new(Path::Empty);
        }
        let sigma = &mut self.sigma[..lambda.len()];
        let mut certificate = Certificate::new(Path::Newton);
        let weight = self.system.weight();
        let most = left.grant(usize::MAX, weight);
        let (system, descent) = (&mut self.system, &mut self.descent);
        certificate.dual = descent.run(
            system,
            [lambda, sigma],
            [ROUND_OFF, self.tolerance],
            most,
            &mut certificate.newton,
        );
        certificate.spent.spend(certificate.newton, weight);
        certificate.converged = certificate.dual <= self.tolerance;
        let work = certificate.spent.work;
        (certificate.tally).count(Stage::Compliant, certificate.converged, work);
        descent.look(system, sigma);
        let margins = descent.answers.iter().map(|a| a.margin);
        let margin = margins.fold(f64::INFINITY, f64::min);
        certificate.margin = margin / self.system.speed();
        certificate.at_switch = certificate.margin <= AT_SWITCH;
        self.at_switch |= certificate.at_switch;
        self.system.give(lambda, posed.lambda);
        self.system.give(sigma, &mut self.velocities);
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            posed.modes[unit.block] = a.mode;
            if let Some(block) = unit.torsion {
                posed.modes[block] = a.mode;
            }
        }
        certificate
    }

    /// Impulses at the velocity without impulses.
    pub fn answer(&mut self, posed: &mut Posed<'_>, groups: &Groups, island: usize) {
        self.place(&posed.problem, groups, island);
        let sigma = self.system.take(posed.problem.g, &mut self.sigma);
        self.descent.look(&self.system, sigma);
        self.system.give(sigma, &mut self.velocities);
        let lambda = &mut self.lambda[..sigma.len()];
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            lambda[unit.range()].copy_from_slice(&a.gamma[..unit.rows]);
        }
        self.system.give(lambda, posed.lambda);
    }

    fn place(&mut self, problem: &Problem, groups: &Groups, island: usize) {
        if self.loaded != Some(island) {
            let members = groups.members(island);
            self.system.start(problem, members, &self.regularization);
            (self.loaded, self.factored) = (Some(island), None);
        }
    }

    /// Loads an island with its slopes.
    pub fn look(&mut self, problem: &Problem, groups: &Groups, island: usize) {
        if self.loaded == Some(island) {
            return;
        }
        self.place(problem, groups, island);
        let sigma = self.system.take(&self.velocities, &mut self.sigma);
        self.descent.look(&self.system, sigma);
    }

    /// Prepares the derivative on an island.
    pub fn load(&mut self, problem: &Problem, groups: &Groups, island: usize) {
        self.look(problem, groups, island);
        let (system, descent) = (&self.system, &mut self.descent);
        self.factored.get_or_insert_with(|| descent.factor(system));
    }

    /// Whether Newton's system of the loaded island is singular: rows without R depend on each other.
    pub fn is_singular(&self) -> bool {
        self.factored == Some(false)
    }

    /// Whether a unit of the loaded island is at a mode switch.
    pub fn is_at_switch(&self, k: usize) -> bool {
        self.descent.answers[k].margin <= AT_SWITCH * self.system.speed()
    }

    /// `d` ← `d` − (1 + 𝒢 G)⁻¹𝒢 w, the symmetric response to w; after [`Solver::load`].
    pub fn respond(&mut self, w: &[f64], d: &mut [f64]) {
        self.descent.respond(&self.system, w, d);
    }

    /// Adds to `d` its change by the limits at fixed velocities.
    pub fn add_by_limits(&self, limit: impl Fn(&Unit) -> f64, d: &mut [f64]) {
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            let change = limit(unit);
            for (l, by) in d[unit.range()].iter_mut().zip(&a.by_limit) {
                *l += by * change;
            }
        }
    }

    /// Calls `put(block, adjoint)` with the adjoint of each limit, for the adjoint `bar` of the impulses.
    pub fn limits_adjoint(&self, bar: &[f64], mut put: impl FnMut(usize, f64)) {
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            let along = a.by_limit.iter().zip(&bar[unit.range()]);
            put(unit.block, along.map(|(by, bar)| by * bar).sum());
        }
    }
}
