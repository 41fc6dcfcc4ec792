//! The rigid laws as fixed points of convex problems. If the fixed-point iteration is slow, an interior
//! point takes over (`inside`). Newton's method on faces ends both.

use super::active_face::{ActiveFace, CLOSED, Scales, classify, is_readable, neighbour};
use super::descent::{Centre, Descent};
use super::faces::Faces;
use super::interior::Interior;
use super::residual::{largest, positive, residuals};
use super::system::System;
use super::unit::{Set, Unit, size};
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::digits::{HELD, ROUND_OFF, switch_units};
use crate::contact::mode::Mode;
use crate::contact::ncp::least_norm::LeastNorm;
use crate::contact::problem::Regularization;
use crate::contact::tally::Stage;
use crate::contact::tuning::{
    FACES_EXACT, FACES_REPAIRS, FACES_SINGLE_REPAIRS, FACES_STEPS, FACES_WORK, INSIDE_STARTS,
    SEQUENCE_CONTENT, SEQUENCE_ENOUGH, SEQUENCE_FOUND, SEQUENCE_SOFTER, SEQUENCE_SOFTEST,
    SEQUENCE_SOLVED, SEQUENCE_STEPS, SEQUENCE_STIFFEST,
};
use crate::contact::work_budget::WorkBudget;

/// Number of factorizations after which a search of this effort ends. A jam has no rigid solution, and no
/// method shows that it has none. A brief search ends before the interior point.
fn patience(effort: Effort) -> usize {
    match effort {
        Effort::Brief => INSIDE_STARTS[0].0,
        Effort::Usual => 60,
        Effort::Thorough => usize::MAX,
    }
}

/// The least effort of a search that goes on after this number of factorizations.
fn effort_at(factorizations: usize) -> Effort {
    let goes_on = |effort: &Effort| factorizations < patience(*effort);
    let lower = [Effort::Brief, Effort::Usual];
    lower.into_iter().find(goes_on).unwrap_or(Effort::Thorough)
}

/// Vectors of the rigid laws. Sized at creation.
#[derive(Debug)]
pub(super) struct Rigid {
    pub active_faces: Vec<ActiveFace>,
    pub guessed: Vec<ActiveFace>,
    shift: Vec<f64>,
    centre: Vec<f64>,
    kept: Vec<f64>,
    best: Vec<f64>,
    polished: Vec<f64>,
    pub interior: Interior,
    least_norm: LeastNorm,
    /// Budget of this solve, and the part of it that is spent.
    allowed: WorkBudget,
    pub spent: WorkBudget,
    /// Work spent on the search for faces.
    pub looking: f64,
    /// Whether the held rows of the last Newton step depend on each other.
    depends: bool,
}

impl Rigid {
    /// The compliant law needs no least-norm impulses.
    pub fn new(rows: usize, blocks: usize, is_compliant: bool) -> Rigid {
        Rigid {
            active_faces: Vec::with_capacity(blocks),
            guessed: Vec::with_capacity(blocks),
            shift: Vec::with_capacity(blocks),
            centre: vec![0.0; rows],
            kept: vec![0.0; rows],
            best: vec![0.0; rows],
            polished: vec![0.0; rows],
            interior: Interior::new(rows, blocks),
            least_norm: LeastNorm::new(if is_compliant { 0 } else { rows }),
            allowed: WorkBudget::NONE,
            spent: WorkBudget::NONE,
            looking: 0.0,
            depends: false,
        }
    }

    /// Solves from the given impulses within the budget `allowed`.
    pub fn solve(
        &mut self,
        system: &mut System,
        descent: &mut Descent,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        effort: Effort,
        allowed: &WorkBudget,
    ) -> Certificate {
        (self.allowed, self.spent, self.looking) = (*allowed, WorkBudget::NONE, 0.0);
        let weight = system.weight();
        let mut certificate = Certificate::new(Path::Newton);
        system.velocity(lambda, sigma);
        let mut best = f64::INFINITY;
        let n = lambda.len();
        let mut share = SEQUENCE_SOFTEST * SEQUENCE_SOFTER;
        let (mut content, mut solved, mut is_inside, mut by_inside) = (0, false, false, false);
        let mut inside = INSIDE_STARTS.iter().peekable();
        if !self.active_faces.is_empty() {
            self.kept[..n].copy_from_slice(lambda);
            let found = self.polish(
                system,
                faces,
                [&mut *lambda, &mut *sigma],
                tolerance,
                &mut certificate.newton,
            );
            (certificate.tally).count(Stage::Faces, found, self.spent.work);
            if found {
                return self.certify(system, [lambda, sigma], tolerance, certificate);
            }
            lambda.copy_from_slice(&self.kept[..n]);
            system.velocity(lambda, sigma);
        }
        let (patience, begun) = (patience(effort), self.spent.work);
        let mut inside_work = 0.0;
        while certificate.iterations() < patience && self.grant(1, weight) > 0 {
            certificate.effort = effort_at(certificate.iterations());
            let is_slow = |(after, _): &&(usize, f64)| certificate.newton >= *after;
            if let Some((_, part)) = inside.next_if(is_slow) {
                certificate.path = Path::Polished;
                self.kept[..n].copy_from_slice(lambda);
                let state = [&mut *lambda, &mut *sigma];
                let tools = (&mut *descent, &mut *faces);
                let before = self.spent.work;
                let found =
                    self.go_inside(system, tools, state, [tolerance, *part], &mut certificate);
                let work = self.spent.work - before;
                (certificate.tally).count(Stage::Inside, found.is_some(), work);
                inside_work += work;
                if let Some(on_faces) = found {
                    by_inside = true;
                    solved = on_faces;
                    is_inside = !on_faces;
                    break;
                }
                system.velocity(lambda, sigma);
                let residual = largest(&residuals(system, lambda, sigma));
                if residual < best {
                    best = residual;
                    self.best[..n].copy_from_slice(lambda);
                    share = SEQUENCE_SOFTEST * SEQUENCE_SOFTER;
                } else {
                    lambda.copy_from_slice(&self.kept[..n]);
                    system.velocity(lambda, sigma);
                }
                continue;
            }
            self.take(system, lambda, sigma);
            self.kept[..n].copy_from_slice(lambda);
            self.guessed.clear();
            // Try the faces for the present R, and for the R at which impulses weigh as much as
            // velocities. With a small R every unit that separates at all, on the way to a solution, is
            // released.
            for softness in [share, SEQUENCE_SOFTEST] {
                soften(system, softness);
                self.take_faces_of_answers(system, descent, sigma);
                if self.active_faces == self.guessed {
                    continue;
                }
                self.guessed.clone_from(&self.active_faces);
                solved = self.polish(
                    system,
                    faces,
                    [&mut *lambda, &mut *sigma],
                    tolerance,
                    &mut certificate.newton,
                );
                if solved {
                    break;
                }
                lambda.copy_from_slice(&self.kept[..n]);
                system.velocity(lambda, sigma);
            }
            if solved {
                break;
            }
            soften(system, share);
            let left = self.grant(SEQUENCE_STEPS, weight);
            let before = certificate.newton;
            let centre = Centre {
                impulse: &self.centre[..n],
                shift: &self.shift,
            };
            let off = descent.run(
                system,
                centre,
                [lambda, sigma],
                [SEQUENCE_ENOUGH, SEQUENCE_SOLVED],
                left,
                &mut certificate.newton,
            );
            if off > SEQUENCE_SOLVED {
                // Return to a larger R.
                lambda.copy_from_slice(&self.kept[..n]);
                system.velocity(lambda, sigma);
                if share == SEQUENCE_SOFTEST {
                    break;
                }
                share = (share / SEQUENCE_SOFTER).min(SEQUENCE_SOFTEST);
            } else {
                share = (share * SEQUENCE_SOFTER).max(SEQUENCE_STIFFEST);
            }
            certificate.path = Path::Polished;
            // A convex problem that took no Newton step counts as one, so that the loop ends.
            certificate.newton += 1;
            self.spent.spend(certificate.newton - before, weight);
            let residual = largest(&residuals(system, lambda, sigma));
            if residual < best {
                best = residual;
                self.best[..n].copy_from_slice(lambda);
            }
            content += usize::from(best <= tolerance);
            if content == SEQUENCE_CONTENT {
                break;
            }
        }
        if !solved && !is_inside && best.is_finite() {
            lambda.copy_from_slice(&self.best[..n]);
            system.velocity(lambda, sigma);
        }
        let scales = scales(system, lambda);
        let is_readable = |unit: &Unit| {
            let range = unit.range();
            is_readable(unit, &lambda[range.clone()], &sigma[range], scales)
        };
        let is_open = !solved && !system.units.iter().all(is_readable);
        let mut certificate = self.certify(system, [lambda, sigma], tolerance, certificate);
        certificate.at_switch |= is_open;
        let found = certificate.converged && !by_inside;
        let work = self.spent.work - begun - inside_work;
        (certificate.tally).count(Stage::Sequence, found, work);
        certificate
    }

    /// Number of factorizations of this weight that the budget allows, at most `wanted`.
    pub fn grant(&self, wanted: usize, weight: f64) -> usize {
        self.allowed.without(&self.spent).grant(wanted, weight)
    }

    fn certify(
        &mut self,
        system: &System,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        mut certificate: Certificate,
    ) -> Certificate {
        [
            certificate.cone,
            certificate.dual,
            certificate.complementarity,
        ] = residuals(system, lambda, sigma);
        certificate.converged = certificate.residual() <= tolerance;
        certificate.spent = self.spent;
        self.active_face(system, lambda, sigma, &mut certificate);
        certificate
    }

    /// Takes the modes of the last step as the first guess, if all are known.
    pub fn guess(&mut self, system: &System, modes: &[Mode], lambda: &[f64]) {
        self.active_faces.clear();
        for unit in &system.units {
            let Some(active_face) =
                ActiveFace::of_mode(unit, modes[unit.block], &lambda[unit.range()])
            else {
                break;
            };
            self.active_faces.push(active_face);
        }
        if self.active_faces.len() < system.units.len() {
            self.active_faces.clear();
        }
    }

    /// Takes the faces from the solution of the convex problem at the present velocities.
    fn take_faces_of_answers(&mut self, system: &System, descent: &mut Descent, sigma: &[f64]) {
        let centre = Centre {
            impulse: &self.centre[..sigma.len()],
            shift: &self.shift,
        };
        descent.look(system, centre, sigma);
        self.active_faces.clear();
        let active_faces = system.units.iter().zip(&descent.answers);
        self.active_faces
            .extend(active_faces.map(|(unit, a)| ActiveFace::of_answer(unit, a)));
    }

    fn take(&mut self, system: &System, lambda: &[f64], sigma: &[f64]) {
        self.centre[..lambda.len()].copy_from_slice(lambda);
        self.shift.clear();
        let shifts = system.units.iter().map(|unit| {
            let tangents = unit.at..unit.at + unit.rows - 1;
            unit.set.shift(&sigma[tangents])
        });
        self.shift.extend(shifts);
    }

    /// Newton's method on the present faces. A few repairs move units to neighbouring faces. Returns
    /// true if the impulses solve the problem.
    fn polish(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        for repair in 0..FACES_REPAIRS + FACES_SINGLE_REPAIRS {
            let before = self.spent.work;
            if self.looking > FACES_WORK[0] + FACES_WORK[1] * (before - self.looking) {
                return false;
            }
            let has_ended =
                self.newton(system, faces, [&mut *lambda, &mut *sigma], tolerance, count);
            if has_ended && self.depends {
                self.least_norm.work = 0.0;
                if faces.go_inside(system, &mut self.least_norm, lambda, sigma) {
                    system.velocity(lambda, sigma);
                }
                self.spent.work += self.least_norm.work * system.weight_of_faces(faces.order);
            }
            self.looking += self.spent.work - before;
            if !has_ended {
                return false;
            }
            let share = if self.depends { HELD } else { SEQUENCE_FOUND };
            let is_found = largest(&residuals(system, lambda, sigma)) <= share * tolerance;
            // Repair even if the residual is small: a small friction impulse that acts along the slip
            // hardly shows in the residual.
            let alone = repair >= FACES_REPAIRS;
            if !self.repair(system, [&*lambda, &*sigma], tolerance, alone) {
                return is_found;
            }
        }
        false
    }

    /// Runs Newton's method on faces to its end. Returns false if a step fails.
    pub fn newton(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        let n = lambda.len();
        let speed = system.speed(&system.g);
        let mut before = f64::INFINITY;
        let (mut is_stalled, mut is_near) = (false, false);
        self.depends = false;
        let mut is_factored = false;
        for _ in 0..FACES_STEPS {
            faces.of_rigid(system, &self.active_faces, lambda, sigma);
            system.velocity(lambda, sigma);
            let held = faces.held_velocity(system, lambda, sigma);
            // The iteration ends at round-off or if it makes no progress. Close to a solution one step
            // may overshoot, because slow slip turns far.
            let is_worse = held >= 0.5 * before;
            let ends = is_stalled || !is_near || before <= ROUND_OFF * speed;
            if held <= FACES_EXACT * speed || is_worse && ends {
                if held > before {
                    lambda.copy_from_slice(&self.polished[..n]);
                    system.velocity(lambda, sigma);
                }
                return true;
            }
            is_stalled = is_worse;
            let is_known = is_factored && faces.is_linear();
            let weight = system.weight_of_faces(faces.order);
            if !is_known && self.grant(1, weight) == 0 {
                return false;
            }
            if held < before {
                before = held;
                is_near = largest(&residuals(system, lambda, sigma)) <= tolerance;
                self.polished[..n].copy_from_slice(lambda);
            }
            if !is_known {
                *count += 1;
                self.spent.spend(1, weight);
                faces.factor(system);
                self.depends = faces.is_deficient();
                is_factored = true;
            }
            faces.step(system, lambda, sigma);
            system.velocity(lambda, sigma);
        }
        true
    }

    /// Moves the units that violate their law to the neighbouring face, or only the worst of them
    /// (`alone`). Returns whether any moved.
    pub fn repair(
        &mut self,
        system: &System,
        [lambda, sigma]: [&[f64]; 2],
        tolerance: f64,
        alone: bool,
    ) -> bool {
        let slack = [size(lambda), system.speed(sigma)].map(|x| 0.1 * tolerance * x);
        let mut worst: Option<(usize, ActiveFace, f64)> = None;
        for (k, unit) in system.units.iter().enumerate() {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            let Some((next, off)) = neighbour(unit, self.active_faces[k], [l, s], slack) else {
                continue;
            };
            if !alone {
                self.active_faces[k] = next;
            }
            if worst.is_none_or(|(_, _, most)| off > most) {
                worst = Some((k, next, off));
            }
        }
        if let Some((k, next, _)) = worst {
            self.active_faces[k] = next;
        }
        worst.is_some()
    }

    /// The face of each unit at a solution, and the distance to the nearest switch.
    fn active_face(
        &mut self,
        system: &System,
        lambda: &[f64],
        sigma: &[f64],
        certificate: &mut Certificate,
    ) {
        let scales = scales_of_switches(system, lambda);
        self.active_faces.clear();
        certificate.margin = f64::INFINITY;
        for unit in &system.units {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            let (active_face, margin) = classify(unit, l, s, scales);
            self.active_faces.push(active_face);
            certificate.margin = certificate.margin.min(margin);
        }
        certificate.at_switch = certificate.margin <= CLOSED;
    }
}

/// The scales of a problem with these impulses.
fn scales(system: &System, lambda: &[f64]) -> Scales {
    Scales {
        velocity: positive(system.speed(&system.g)),
        impulse: positive(size(lambda)),
    }
}

/// The scales of distances to switches: they are bounded from below, so that round-off is no distance.
pub(super) fn scales_of_switches(system: &System, lambda: &[f64]) -> Scales {
    let units = system.units.iter();
    let response = units.fold(0.0f64, |m, u| m.max(system.normal_response(u)));
    let [velocity, impulse] = switch_units([system.speed(&system.g), size(lambda), response]);
    Scales { velocity, impulse }
}

/// Sets R to a share of the responses. Torsional and rolling tangents may respond far more than the
/// normal of their cone. The projection on a pyramid needs a single R.
fn soften(system: &mut System, share: f64) {
    for k in 0..system.units.len() {
        let unit = &system.units[k];
        let tangential = positive(share * system.response(unit));
        let normal = match unit.set {
            Set::Cone { .. } => positive(share * system.normal_response(unit)),
            _ => tangential,
        };
        system.units[k].r = Regularization::new(tangential, normal);
    }
}
