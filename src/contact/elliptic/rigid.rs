//! The rigid laws as fixed points of convex problems, ended by Newton's method on faces.

use super::answer::{Set, norm};
use super::descent::{Centre, Descent};
use super::faces::{Faces, Stand};
use super::units::{System, Unit, WIDEST};
use crate::contact::certificate::{Certificate, Path};
use crate::contact::mode::Mode;
use crate::contact::ncp::pyramid;

/// R of the convex problems beside the least that a unit responds with.
const PROXIMAL: f64 = 0.1;

/// Newton steps of one of them, and how far one is solved at most, relative to its impulses.
const STEPS: usize = 60;
const ENOUGH: f64 = 1e-13;

/// Newton steps on faces.
const POLISH: usize = 12;

/// Scaled velocity below which a row without impulse counts as held, as in [`ncp`](crate::contact::ncp).
const CLOSED: f64 = 1e-9;

/// Vectors of the rigid laws. Sized at creation.
#[derive(Debug)]
pub(super) struct Rigid {
    pub stands: Vec<Stand>,
    shift: Vec<f64>,
    centre: Vec<f64>,
    kept: Vec<f64>,
    best: Vec<f64>,
}

/// What velocities and impulses are measured in.
#[derive(Clone, Copy, Debug)]
struct Scales {
    velocity: f64,
    impulse: f64,
}

impl Rigid {
    pub fn new(rows: usize, blocks: usize) -> Rigid {
        Rigid {
            stands: Vec::with_capacity(blocks),
            shift: Vec::with_capacity(blocks),
            centre: vec![0.0; rows],
            kept: vec![0.0; rows],
            best: vec![0.0; rows],
        }
    }

    /// From the impulses given, in at most `most` factorizations.
    pub fn solve(
        &mut self,
        system: &mut System,
        descent: &mut Descent,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        most: usize,
    ) -> Certificate {
        for k in 0..system.units.len() {
            let r = PROXIMAL * system.least_response(&system.units[k]);
            let r = if r > 0.0 { r } else { 1.0 };
            let own = &mut system.units[k].r;
            (own.tangential, own.normal) = (r, r);
        }
        let system = &*system;
        let mut certificate = Certificate::new(Path::Newton);
        system.velocity(lambda, sigma);
        let mut best = f64::INFINITY;
        let n = lambda.len();
        while certificate.newton < most {
            self.take(system, lambda, sigma);
            let centre = Centre {
                impulse: &self.centre[..n],
                shift: &self.shift,
            };
            descent.look(system, centre, sigma);
            self.stands.clear();
            let stands = system.units.iter().zip(&descent.answers);
            self.stands
                .extend(stands.map(|(unit, a)| Stand::of_answer(unit, a)));
            self.kept[..n].copy_from_slice(lambda);
            if self.polish(
                system,
                faces,
                [lambda, sigma],
                tolerance,
                &mut certificate.newton,
            ) {
                best = 0.0;
                break;
            }
            lambda.copy_from_slice(&self.kept[..n]);
            system.velocity(lambda, sigma);
            let left = STEPS.min(most.saturating_sub(certificate.newton));
            let centre = Centre {
                impulse: &self.centre[..n],
                shift: &self.shift,
            };
            descent.run(
                system,
                centre,
                lambda,
                sigma,
                ENOUGH,
                left,
                &mut certificate.newton,
            );
            certificate.path = Path::Polished;
            // A step that cost nothing is one all the same.
            certificate.newton += 1;
            let residual = largest(&residuals(system, lambda, sigma));
            if residual < best {
                best = residual;
                self.best[..n].copy_from_slice(lambda);
            }
        }
        if best > 0.0 && best.is_finite() {
            lambda.copy_from_slice(&self.best[..n]);
            system.velocity(lambda, sigma);
        }
        [
            certificate.cone,
            certificate.dual,
            certificate.complementarity,
        ] = residuals(system, lambda, sigma);
        certificate.converged = certificate.residual() <= tolerance;
        self.stand(system, lambda, sigma, &mut certificate);
        certificate
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

    /// Newton's method on the faces of where units stand. True: the impulses solve the problem.
    fn polish(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        let n = lambda.len();
        let mut before = f64::INFINITY;
        for _ in 0..POLISH {
            faces.of_rigid(system, &self.stands, lambda, sigma);
            system.velocity(lambda, sigma);
            let residual = largest(&residuals(system, lambda, sigma));
            if residual >= 0.5 * before && before <= tolerance {
                // Round-off: the better one of the two.
                if residual >= before {
                    lambda.copy_from_slice(&self.best[..n]);
                    system.velocity(lambda, sigma);
                }
                return true;
            }
            if residual == 0.0 {
                return true;
            }
            before = residual;
            self.best[..n].copy_from_slice(lambda);
            *count += 1;
            if !faces.step(system, lambda, sigma) {
                return false;
            }
            system.velocity(lambda, sigma);
        }
        before <= tolerance
    }

    /// Where units stand at a solution, and how near they are to stand elsewhere.
    fn stand(
        &mut self,
        system: &System,
        lambda: &[f64],
        sigma: &[f64],
        certificate: &mut Certificate,
    ) {
        let scales = Scales {
            velocity: positive(size(&system.g)),
            impulse: positive(size(lambda)),
        };
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

fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}

fn largest(x: &[f64; 3]) -> f64 {
    // What is no number is worse than any.
    x.iter().fold(0.0, |m, x| match x.is_nan() || *x > m {
        true => *x,
        false => m,
    })
}

/// As [`ncp`](crate::contact::ncp) has it for three rows.
fn classify(unit: &Unit, l: &[f64], s: &[f64], scales: Scales) -> (Stand, f64) {
    let last = unit.rows - 1;
    let (gap, normal) = (s[last] / scales.velocity, l[last] / scales.impulse);
    match unit.set {
        Set::Cone { .. } | Set::Pyramid { .. } | Set::HalfLine if gap > CLOSED && gap > normal => {
            (Stand::Open, gap)
        }
        Set::HalfLine => (Stand::Held, normal.max(gap)),
        Set::Line => (Stand::Held, f64::INFINITY),
        Set::Cone { mu } if mu > 0.0 => {
            let slip = norm(&s[..last]) / scales.velocity;
            let room = mu * l[last] - norm(&l[..last]);
            let inside = room / ((1.0 + mu * mu).sqrt() * scales.impulse);
            if slip <= CLOSED || inside > slip {
                let margin = inside.min(normal).max(0.0).max(slip.max(gap));
                return (Stand::Held, margin);
            }
            (Stand::Sliding, slip.max(inside).min(normal.max(gap)))
        }
        Set::Cone { .. } => (Stand::Sliding, normal.max(gap)),
        Set::Pyramid { mu } => {
            let (mut signs, mut margin) = ([0; WIDEST - 1], normal.max(gap));
            for k in 0..last {
                let slip = s[k].abs() / scales.velocity;
                let room = mu * l[last] - l[k].abs();
                let inside = room / ((1.0 + mu * mu).sqrt() * scales.impulse);
                if mu > 0.0 {
                    margin = margin.min(inside.max(slip));
                }
                if slip > CLOSED && inside <= slip {
                    signs[k] = -pyramid::sign(s[k]);
                }
            }
            (Stand::Bounded(signs), margin.max(0.0))
        }
        Set::Interval { bound } => {
            let slip = s[0].abs() / scales.velocity;
            let inside = match bound > 0.0 {
                true => 1.0 - l[0].abs() / bound,
                false => 0.0,
            };
            let mut signs = [0; WIDEST - 1];
            if slip > CLOSED && inside <= slip {
                signs[0] = -pyramid::sign(s[0]);
            }
            (Stand::Bounded(signs), inside.max(slip))
        }
    }
}

/// Mode of a unit's block, and of its torsion and rolling.
pub(super) fn modes(unit: &Unit, stand: Stand) -> [Mode; 2] {
    match (unit.set, stand) {
        (_, Stand::Open) => [Mode::Breaking; 2],
        (_, Stand::Held) => [Mode::Sticking; 2],
        (_, Stand::Sliding) => [Mode::Sliding; 2],
        (Set::Pyramid { mu: 0.0 }, _) => [Mode::Sliding; 2],
        (Set::Interval { .. }, Stand::Bounded([0, ..])) => [Mode::Sticking; 2],
        (Set::Interval { .. }, Stand::Bounded([1, ..])) => [Mode::AtUpper; 2],
        (Set::Interval { .. }, Stand::Bounded(_)) => [Mode::AtLower; 2],
        (_, Stand::Bounded(signs)) => {
            let turns = signs[2..].iter().any(|s| *s != 0);
            let turning = if turns { Mode::Sliding } else { Mode::Sticking };
            [pyramid::closed([signs[0], signs[1]]), turning]
        }
    }
}

/// Residuals of cone, dual cone and complementarity, scaled as a [`Certificate`] says.
fn residuals(system: &System, lambda: &[f64], sigma: &[f64]) -> [f64; 3] {
    let velocity = size(&system.g).max(1.0);
    let impulse = positive(size(lambda));
    let mut worst = [0.0f64; 3];
    for unit in &system.units {
        let (l, s) = (&lambda[unit.range()], &sigma[unit.range()]);
        let last = unit.rows - 1;
        let along = || l.iter().zip(s).map(|(l, s)| l * s).sum::<f64>();
        let own = match unit.set {
            Set::Cone { mu } => [
                (norm(&l[..last]) - mu * l[last]).max(-l[last]),
                -s[last],
                (along() + l[last] * mu * norm(&s[..last])).abs(),
            ],
            Set::Pyramid { mu } => {
                let bound = mu * l[last];
                let side = |k: usize| (l[k] * s[k] + bound * s[k].abs()).abs();
                [
                    (size(&l[..last]) - bound).max(-l[last]),
                    -s[last],
                    (l[last] * s[last]).abs() + (0..last).map(side).sum::<f64>(),
                ]
            }
            Set::HalfLine => [-l[0], -s[0], along().abs()],
            Set::Interval { bound } => [
                l[0].abs() - bound,
                0.0,
                (along() + bound * s[0].abs()).abs(),
            ],
            Set::Line => [0.0, s[0].abs(), 0.0],
        };
        for (worst, x) in worst.iter_mut().zip(own) {
            // What is no number stays.
            if x > *worst || x.is_nan() {
                *worst = x;
            }
        }
    }
    [
        worst[0] / impulse,
        worst[1] / velocity,
        worst[2] / (impulse * velocity),
    ]
}
