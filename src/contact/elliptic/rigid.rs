//! The rigid laws as fixed points of convex problems, with an interior point where these come nearer slowly (`inside`), ended by
//! Newton's method on faces.

use super::descent::{Centre, Descent};
use super::faces::Faces;
use super::interior::Interior;
use super::residual::{largest, positive, residuals};
use super::stand::{CLOSED, Scales, Stand, classify, is_told, neighbour};
use super::system::System;
use super::unit::{Set, Unit, size};
use crate::contact::allowance::Allowance;
use crate::contact::certificate::{Certificate, Path};
use crate::contact::digits::{ROUND_OFF, switch_units};
use crate::contact::mode::Mode;
use crate::contact::problem::Regularization;

/// R of the convex problems beside what a unit responds with, from one of them to the next and at its ends. What is gentle is
/// solved in a few steps from anywhere, what is stiff is near the end.
const SOFTEST: f64 = 1.0;
const SOFTER: f64 = 0.1;
const STIFFEST: f64 = 1e-7;

/// What one may be off to count as solved.
const SOLVED: f64 = 1e-6;

/// Share of the tolerance that a solution of the rigid problem is off at most.
pub(super) const FOUND: f64 = 1e-2;

/// Newton steps of one of them, and how far one is solved at most, relative to its impulses.
const STEPS: usize = 100;
const ENOUGH: f64 = 1e-11;

/// Convex problems whose solution is within the tolerance after which faces are no longer looked for: corners of which not all can
/// bear, by less than that, have none.
const CONTENT: usize = 4;

/// Factorizations after which the interior point is tried, and from which part of the way into the sets: from one of the two the
/// path mostly does not turn back.
const INSIDE: [(usize, f64); 2] = [(12, 1.0), (30, 0.1)];

/// How often all units that break their law are moved to neighbouring faces from one guess, and then the worst of them alone:
/// of corners that cannot all bear one is to let go.
const REPAIRS: usize = 4;
const SINGLE_REPAIRS: usize = 8;

/// Factorizations that looking for faces may take: so many, and beyond these so many times as many as all else took. Far from
/// the solution repairs lead from one guess to the next. Walkers with `condim` 4 and 6 take 3 % more work without a bound (pyramids
/// 8 %) and 2 % (5 %) with twice as many to begin with; with one time as many a problem of 640 hard ones is lost.
pub(super) const LOOKING: [f64; 2] = [12.0, 2.0];

/// Newton steps on faces, and the velocity that is round-off beside the largest of the problem.
pub(super) const POLISH: usize = 12;
const EXACT: f64 = 1e-15;

/// Vectors of the rigid laws. Sized at creation.
#[derive(Debug)]
pub(super) struct Rigid {
    pub stands: Vec<Stand>,
    pub guessed: Vec<Stand>,
    shift: Vec<f64>,
    centre: Vec<f64>,
    kept: Vec<f64>,
    best: Vec<f64>,
    polished: Vec<f64>,
    pub interior: Interior,
    /// What the present solve may spend, and has.
    allowed: Allowance,
    pub spent: Allowance,
    /// The part of it that went into looking for faces.
    pub looking: f64,
}

impl Rigid {
    pub fn new(rows: usize, blocks: usize) -> Rigid {
        Rigid {
            stands: Vec::with_capacity(blocks),
            guessed: Vec::with_capacity(blocks),
            shift: Vec::with_capacity(blocks),
            centre: vec![0.0; rows],
            kept: vec![0.0; rows],
            best: vec![0.0; rows],
            polished: vec![0.0; rows],
            interior: Interior::new(rows, blocks),
            allowed: Allowance::NONE,
            spent: Allowance::NONE,
            looking: 0.0,
        }
    }

    /// From the impulses given, within what is `allowed`.
    pub fn solve(
        &mut self,
        system: &mut System,
        descent: &mut Descent,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        allowed: &Allowance,
    ) -> Certificate {
        (self.allowed, self.spent, self.looking) = (*allowed, Allowance::NONE, 0.0);
        let weight = system.weight();
        let mut certificate = Certificate::new(Path::Newton);
        system.velocity(lambda, sigma);
        let mut best = f64::INFINITY;
        let n = lambda.len();
        let mut share = SOFTEST * SOFTER;
        let (mut content, mut solved, mut is_inside) = (0, false, false);
        let mut inside = INSIDE.iter().peekable();
        if !self.stands.is_empty() {
            self.kept[..n].copy_from_slice(lambda);
            if self.polish(
                system,
                faces,
                [&mut *lambda, &mut *sigma],
                tolerance,
                &mut certificate.newton,
            ) {
                return self.certify(system, [lambda, sigma], tolerance, certificate);
            }
            lambda.copy_from_slice(&self.kept[..n]);
            system.velocity(lambda, sigma);
        }
        while self.grant(1, weight) > 0 {
            let is_slow = |(after, _): &&(usize, f64)| certificate.newton >= *after;
            if let Some((_, part)) = inside.next_if(is_slow) {
                certificate.path = Path::Polished;
                self.kept[..n].copy_from_slice(lambda);
                let state = [&mut *lambda, &mut *sigma];
                let tools = (&mut *descent, &mut *faces);
                let found =
                    self.go_inside(system, tools, state, [tolerance, *part], &mut certificate);
                if let Some(on_faces) = found {
                    solved = on_faces;
                    is_inside = !on_faces;
                    break;
                }
                system.velocity(lambda, sigma);
                let residual = largest(&residuals(system, lambda, sigma));
                if residual < best {
                    best = residual;
                    self.best[..n].copy_from_slice(lambda);
                    share = SOFTEST * SOFTER;
                } else {
                    lambda.copy_from_slice(&self.kept[..n]);
                    system.velocity(lambda, sigma);
                }
                continue;
            }
            self.take(system, lambda, sigma);
            self.kept[..n].copy_from_slice(lambda);
            self.guessed.clear();
            // By R of the problem at hand, and where impulses weigh as much as velocities: on the way to a solution a stiff R lets go
            // of whatever moves apart at all.
            for softness in [share, SOFTEST] {
                soften(system, softness);
                self.stand_by_answers(system, descent, sigma);
                if self.stands == self.guessed {
                    continue;
                }
                self.guessed.clone_from(&self.stands);
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
            let left = self.grant(STEPS, weight);
            let before = certificate.newton;
            let centre = Centre {
                impulse: &self.centre[..n],
                shift: &self.shift,
            };
            let off = descent.run(
                system,
                centre,
                [lambda, sigma],
                [ENOUGH, SOLVED],
                left,
                &mut certificate.newton,
            );
            if off > SOLVED {
                // A gentler one first.
                lambda.copy_from_slice(&self.kept[..n]);
                system.velocity(lambda, sigma);
                if share == SOFTEST {
                    break;
                }
                share = (share / SOFTER).min(SOFTEST);
            } else {
                share = (share * SOFTER).max(STIFFEST);
            }
            certificate.path = Path::Polished;
            // A step that cost nothing is one all the same.
            certificate.newton += 1;
            self.spent.spend(certificate.newton - before, weight);
            let residual = largest(&residuals(system, lambda, sigma));
            if residual < best {
                best = residual;
                self.best[..n].copy_from_slice(lambda);
            }
            content += usize::from(best <= tolerance);
            if content == CONTENT {
                break;
            }
        }
        if !solved && !is_inside && best.is_finite() {
            lambda.copy_from_slice(&self.best[..n]);
            system.velocity(lambda, sigma);
        }
        let scales = scales(system, lambda);
        let is_told = |unit: &Unit| {
            let range = unit.range();
            is_told(unit, &lambda[range.clone()], &sigma[range], scales)
        };
        let is_open = !solved && !system.units.iter().all(is_told);
        let mut certificate = self.certify(system, [lambda, sigma], tolerance, certificate);
        certificate.at_switch |= is_open;
        certificate
    }

    /// How many of at most `wanted` factorizations of this weight are left.
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
        self.stand(system, lambda, sigma, &mut certificate);
        certificate
    }

    /// Takes the modes of the last step as the first guess, if all are known.
    pub fn guess(&mut self, system: &System, modes: &[Mode], lambda: &[f64]) {
        self.stands.clear();
        for unit in &system.units {
            let Some(stand) = Stand::of_mode(unit, modes[unit.block], &lambda[unit.range()]) else {
                break;
            };
            self.stands.push(stand);
        }
        if self.stands.len() < system.units.len() {
            self.stands.clear();
        }
    }

    /// Where units stand by what they answer to the impulses taken.
    fn stand_by_answers(&mut self, system: &System, descent: &mut Descent, sigma: &[f64]) {
        let centre = Centre {
            impulse: &self.centre[..sigma.len()],
            shift: &self.shift,
        };
        descent.look(system, centre, sigma);
        self.stands.clear();
        let stands = system.units.iter().zip(&descent.answers);
        self.stands
            .extend(stands.map(|(unit, a)| Stand::of_answer(unit, a)));
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

    /// Newton's method on the faces of where units stand, which a few repairs move to their neighbours. True: the impulses solve
    /// the problem.
    fn polish(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        for repair in 0..REPAIRS + SINGLE_REPAIRS {
            let before = self.spent.work;
            if self.looking > LOOKING[0] + LOOKING[1] * (before - self.looking) {
                return false;
            }
            let has_ended =
                self.newton(system, faces, [&mut *lambda, &mut *sigma], tolerance, count);
            self.looking += self.spent.work - before;
            if !has_ended {
                return false;
            }
            let is_found = largest(&residuals(system, lambda, sigma)) <= FOUND * tolerance;
            // Little friction that pushes what it is to stop is no residual.
            let alone = repair >= REPAIRS;
            if !self.repair(system, [&*lambda, &*sigma], tolerance, alone) {
                return is_found;
            }
        }
        false
    }

    /// To the end of Newton's method on faces; false where there is no step.
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
        for _ in 0..POLISH {
            faces.of_rigid(system, &self.stands, lambda, sigma);
            system.velocity(lambda, sigma);
            let held = faces.held_velocity(system, lambda, sigma);
            // Round-off, or no way to it. Next to a solution one step may overshoot: what slides slowly turns far.
            let is_worse = held >= 0.5 * before;
            let ends = is_stalled || !is_near || before <= ROUND_OFF * speed;
            if held <= EXACT * speed || is_worse && ends {
                if held > before {
                    lambda.copy_from_slice(&self.polished[..n]);
                    system.velocity(lambda, sigma);
                }
                return true;
            }
            is_stalled = is_worse;
            let weight = system.weight_of_faces(faces.order);
            if self.grant(1, weight) == 0 {
                return false;
            }
            if held < before {
                before = held;
                is_near = largest(&residuals(system, lambda, sigma)) <= tolerance;
                self.polished[..n].copy_from_slice(lambda);
            }
            *count += 1;
            self.spent.spend(1, weight);
            if !faces.step(system, lambda, sigma) {
                return false;
            }
            system.velocity(lambda, sigma);
        }
        true
    }

    /// Moves units that break their law to the neighbouring face, or the worst of them alone; whether any did.
    pub fn repair(
        &mut self,
        system: &System,
        [lambda, sigma]: [&[f64]; 2],
        tolerance: f64,
        alone: bool,
    ) -> bool {
        let slack = [size(lambda), system.speed(sigma)].map(|x| 0.1 * tolerance * x);
        let mut worst: Option<(usize, Stand, f64)> = None;
        for (k, unit) in system.units.iter().enumerate() {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            let Some((next, off)) = neighbour(unit, self.stands[k], [l, s], slack) else {
                continue;
            };
            if !alone {
                self.stands[k] = next;
            }
            if worst.is_none_or(|(_, _, most)| off > most) {
                worst = Some((k, next, off));
            }
        }
        if let Some((k, next, _)) = worst {
            self.stands[k] = next;
        }
        worst.is_some()
    }

    /// Where units stand at a solution, and how near they are to stand elsewhere.
    fn stand(
        &mut self,
        system: &System,
        lambda: &[f64],
        sigma: &[f64],
        certificate: &mut Certificate,
    ) {
        let scales = scales_of_switches(system, lambda);
        self.stands.clear();
        certificate.margin = f64::INFINITY;
        for unit in &system.units {
            let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
            let (stand, margin) = classify(unit, l, s, scales);
            self.stands.push(stand);
            certificate.margin = certificate.margin.min(margin);
        }
        certificate.at_switch = certificate.margin <= CLOSED;
    }
}

/// The units of a problem with these impulses.
fn scales(system: &System, lambda: &[f64]) -> Scales {
    Scales {
        velocity: positive(system.speed(&system.g)),
        impulse: positive(size(lambda)),
    }
}

/// In which distances to switches are measured: what is round-off beside them is no distance.
fn scales_of_switches(system: &System, lambda: &[f64]) -> Scales {
    let units = system.units.iter();
    let response = units.fold(0.0f64, |m, u| m.max(system.normal_response(u)));
    let [velocity, impulse] = switch_units([system.speed(&system.g), size(lambda), response]);
    Scales { velocity, impulse }
}

/// Sets R to a share of the responses. Tangents that turn may respond with far more than the normal of their cone; a pyramid is
/// projected on with one R.
fn soften(system: &mut System, share: f64) {
    for k in 0..system.units.len() {
        let unit = &system.units[k];
        let tangential = positive(share * system.response(unit));
        let normal = match unit.set {
            Set::Cone { .. } => positive(share * system.normal_response(unit)),
            _ => tangential,
        };
        system.units[k].r = Regularization { tangential, normal };
    }
}
