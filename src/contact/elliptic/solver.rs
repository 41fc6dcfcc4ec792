//! Solves islands with torsional or rolling friction, one at a time, and keeps their solutions.

use super::active_face::{ActiveFace, CLOSED, classify, modes};
use super::descent::{Centre, Descent};
use super::faces::Faces;
use super::groups::Groups;
use super::rigid::{Rigid, scales_of_switches};
use super::system::System;
use super::unit::Unit;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::digits::{AT_SWITCH, SLOWEST};
use crate::contact::law::Posed;
use crate::contact::mode::Mode;
use crate::contact::problem::{Problem, Regularization};
use crate::contact::tally::Stage;
use crate::contact::work_budget::WorkBudget;

/// Residual of the compliant law that counts as round-off.
const ROUND_OFF: f64 = 1e-15;

/// Memory for the largest island, and the solutions of all islands. Sized at creation.
#[derive(Debug)]
pub(super) struct Solver {
    pub is_compliant: bool,
    tolerance: f64,
    pub system: System,
    pub descent: Descent,
    pub(super) rigid: Rigid,
    pub faces: Faces,
    /// Vectors of the loaded island.
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    /// By rows and blocks of the problem: the point at which the derivative is taken.
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    active_faces: Vec<ActiveFace>,
    active_faces_before: Vec<ActiveFace>,
    regularization: Vec<Regularization>,
    /// The loaded island, and whether its faces are factored.
    loaded: Option<usize>,
    factored: bool,
    /// Whether any island is at a mode switch.
    pub at_switch: bool,
    /// Which units of the loaded island are at a mode switch ([`Solver::find_switches`]).
    pub at_switches: Vec<bool>,
}

impl Solver {
    pub fn new(capacity: &Capacity, is_compliant: bool, tolerance: f64) -> Solver {
        let Capacity { rows, blocks, .. } = *capacity;
        let numbers = || vec![0.0; rows];
        Solver {
            is_compliant,
            tolerance,
            system: System::with_capacity(rows, blocks),
            descent: Descent::new(rows, blocks),
            rigid: Rigid::new(rows, blocks, is_compliant),
            faces: Faces::new(rows, blocks),
            lambda: numbers(),
            sigma: numbers(),
            impulses: numbers(),
            velocities: numbers(),
            active_faces: vec![ActiveFace::Open; blocks],
            active_faces_before: vec![ActiveFace::Open; blocks],
            regularization: Vec::with_capacity(blocks),
            loaded: None,
            factored: false,
            at_switch: false,
            at_switches: Vec::with_capacity(blocks),
        }
    }

    /// Starts a new problem.
    pub fn start(&mut self, regularization: &[Regularization]) {
        self.regularization.clear();
        self.regularization.extend_from_slice(regularization);
        self.at_switch = false;
        (self.loaded, self.factored) = (None, false);
    }

    /// Solves an island within the budget. A solution with a number that is not finite is returned as
    /// not converged.
    pub fn solve(
        &mut self,
        posed: &mut Posed<'_>,
        groups: &Groups,
        island: usize,
        effort: Effort,
        left: &WorkBudget,
    ) -> Certificate {
        self.place(&posed.problem, groups, island);
        let lambda = self.system.take(posed.lambda, &mut self.lambda);
        let sigma = &mut self.sigma[..lambda.len()];
        let certificate = match (lambda.len(), self.is_compliant) {
            (0, _) => Certificate::new(Path::Empty),
            (_, false) => {
                self.rigid.guess(&self.system, posed.modes, lambda);
                self.rigid.solve(
                    &mut self.system,
                    &mut self.descent,
                    &mut self.faces,
                    [lambda, sigma],
                    self.tolerance,
                    effort,
                    left,
                )
            }
            _ => {
                let mut certificate = Certificate::new(Path::Newton);
                let weight = self.system.weight();
                let most = left.grant(usize::MAX, weight);
                let (system, count) = (&mut self.system, &mut certificate.newton);
                let (descent, none) = (&mut self.descent, Centre::NONE);
                certificate.dual = descent.run(
                    system,
                    none,
                    [lambda, sigma],
                    [ROUND_OFF, self.tolerance],
                    most,
                    count,
                );
                certificate.spent.spend(certificate.newton, weight);
                certificate.converged = certificate.dual <= self.tolerance;
                let work = certificate.spent.work;
                (certificate.tally).count(Stage::Compliant, certificate.converged, work);
                descent.look(system, none, sigma);
                let margins = descent.answers.iter().map(|a| a.margin);
                let speed = system.g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                certificate.margin = margins.fold(f64::INFINITY, f64::min) / speed.max(SLOWEST);
                certificate.at_switch = certificate.margin <= AT_SWITCH;
                certificate
            }
        };
        self.at_switch |= certificate.at_switch;
        self.system.give(lambda, posed.lambda);
        self.system.give(lambda, &mut self.impulses);
        self.system.give(sigma, &mut self.velocities);
        self.write_modes(posed.modes);
        certificate
    }

    /// Takes these impulses of the whole problem as the solution of an island of rigid rows.
    pub fn adopt(&mut self, problem: &Problem, groups: &Groups, island: usize, from: &[f64]) {
        self.place(problem, groups, island);
        let system = &self.system;
        let lambda = system.take(from, &mut self.lambda);
        let sigma = &mut self.sigma[..lambda.len()];
        system.velocity(lambda, sigma);
        let scales = scales_of_switches(system, lambda);
        for unit in &system.units {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            self.active_faces[unit.block] = classify(unit, l, s, scales).0;
        }
        system.give(lambda, &mut self.impulses);
        system.give(sigma, &mut self.velocities);
    }

    /// Impulses of the compliant law at the velocity without impulses.
    pub fn answer(&mut self, posed: &mut Posed<'_>, groups: &Groups, island: usize) {
        self.place(&posed.problem, groups, island);
        let sigma = self.system.take(posed.problem.g, &mut self.sigma);
        self.descent.look(&self.system, Centre::NONE, sigma);
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
            (self.loaded, self.factored) = (Some(island), false);
        }
    }

    /// Loads an island. For the compliant law it also computes the slopes.
    pub fn look(&mut self, problem: &Problem, groups: &Groups, island: usize) {
        if self.loaded == Some(island) {
            return;
        }
        self.place(problem, groups, island);
        let sigma = self.system.take(&self.velocities, &mut self.sigma);
        if self.is_compliant {
            self.descent.look(&self.system, Centre::NONE, sigma);
        }
    }

    /// Prepares the derivative on an island.
    pub fn load(&mut self, problem: &Problem, groups: &Groups, island: usize) {
        self.look(problem, groups, island);
        if self.factored {
            return;
        }
        match self.is_compliant {
            true => self.faces.of_answers(&self.system, &self.descent.answers),
            false => {
                self.rigid.active_faces.clear();
                let active_faces = self.system.units.iter().map(|u| self.active_faces[u.block]);
                self.rigid.active_faces.extend(active_faces);
                let lambda = self.system.take(&self.impulses, &mut self.lambda);
                let sigma = self.system.take(&self.velocities, &mut self.sigma);
                self.faces
                    .of_rigid(&self.system, &self.rigid.active_faces, lambda, sigma);
            }
        }
        self.faces.factor(&self.system);
        self.factored = true;
    }

    /// Finds the units of the loaded island that are at a mode switch.
    pub fn find_switches(&mut self) {
        let system = &self.system;
        self.at_switches.clear();
        if self.is_compliant {
            let speed = system.g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let kink = AT_SWITCH * speed.max(SLOWEST);
            let answers = self.descent.answers.iter();
            self.at_switches.extend(answers.map(|a| a.margin <= kink));
            return;
        }
        let lambda = system.take(&self.impulses, &mut self.lambda);
        let sigma = system.take(&self.velocities, &mut self.sigma);
        let scales = scales_of_switches(system, lambda);
        self.at_switches.extend(system.units.iter().map(|unit| {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            classify(unit, l, s, scales).1 <= CLOSED
        }));
    }

    /// Keeps the faces of all units, for [`Solver::put_active_faces_back`].
    pub fn keep_active_faces(&mut self) {
        self.active_faces_before.copy_from_slice(&self.active_faces);
    }

    pub fn put_active_faces_back(&mut self) {
        self.active_faces.copy_from_slice(&self.active_faces_before);
        self.factored = false;
    }

    /// Moves units of the loaded island to the face that `to` returns for their velocities. Returns the
    /// number of units that moved.
    pub fn move_active_faces(
        &mut self,
        to: impl Fn(&Unit, ActiveFace, &[f64]) -> Option<ActiveFace>,
    ) -> usize {
        let sigma = self.system.take(&self.velocities, &mut self.sigma);
        let mut moved = 0;
        for unit in &self.system.units {
            let active_face = &mut self.active_faces[unit.block];
            if let Some(next) = to(unit, *active_face, &sigma[unit.range()]) {
                *active_face = next;
                moved += 1;
            }
        }
        self.factored &= moved == 0;
        moved
    }

    fn write_modes(&mut self, to: &mut [Mode]) {
        for (k, unit) in self.system.units.iter().enumerate() {
            let [own, torsion] = match self.is_compliant {
                true => [self.descent.answers[k].mode; 2],
                false => {
                    let active_face = self.rigid.active_faces[k];
                    self.active_faces[unit.block] = active_face;
                    modes(unit, active_face)
                }
            };
            to[unit.block] = own;
            if let Some(block) = unit.torsion {
                to[block] = torsion;
            }
        }
    }
}
