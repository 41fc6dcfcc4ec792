//! Parametric pivots, for laws that are linear on each of their faces: friction in pyramids, limits,
//! boxes.
//!
//! Any admissible impulse solves the problem with some g + d in place of g. From there g + t d is
//! followed to t = 0. Between pivots λ and σ are linear in t. When one of them reaches its bound, its
//! block, and only this block, changes its mode. The path continues to the side on which the new
//! variable stays within its bound; t may grow again (Lemke 1965; Cottle, Pang and Stone, The Linear
//! Complementarity Problem, §4.5, without their condition on the matrix).

use super::active_set::{ActiveSetSystem, Purpose};
use super::modes::largest;
use super::pyramid;
use super::work::Work;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::PARAMETRIC_APART;

/// A number (an impulse, a velocity, a distance to a bound) that must stay above zero while its block keeps
/// its mode.
struct Watched {
    value: f64,
    rate: f64,
    /// The mode that the block takes at zero ([`Mode::Unknown`] for the closed mode), and the number that
    /// grows from zero in this mode.
    next: Mode,
    grows: Grows,
}

/// The number that must grow from zero in a new mode.
#[derive(Clone, Copy, Debug)]
enum Grows {
    /// An entry of σ, or its opposite.
    Velocity(usize, f64),
    /// A normal impulse.
    Impulse(usize),
    /// The distance of an impulse from its bound: bound + μ λ_n − s λ, where bound or μ is zero.
    Slack {
        row: usize,
        sign: f64,
        bound: f64,
        mu: f64,
        normal: usize,
    },
}

impl Grows {
    fn rate(self, lambda: &[f64], sigma: &[f64]) -> f64 {
        match self {
            Grows::Velocity(row, sign) => sign * sigma[row],
            Grows::Impulse(row) => lambda[row],
            Grows::Slack {
                row,
                sign,
                mu,
                normal,
                ..
            } => mu * lambda[normal] - sign * lambda[row],
        }
    }

    fn value(self, lambda: &[f64], sigma: &[f64]) -> f64 {
        let fixed = match self {
            Grows::Slack { bound, .. } => bound,
            _ => 0.0,
        };
        fixed + self.rate(lambda, sigma)
    }
}

/// Pivots from the present impulse and its modes, within `budget` factorizations. Returns true if the
/// modes are those of a solution, up to rows so nearly dependent that round-off decides.
pub(super) fn pivot(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    budget: usize,
    factorizations: &mut usize,
) -> bool {
    let mut d = std::mem::take(&mut work.free);
    let mut rates = std::mem::take(&mut work.kept);
    let mut sigma_rates = std::mem::take(&mut work.chosen);
    let found = follow(
        problem,
        work,
        active_set,
        [&mut d, &mut rates, &mut sigma_rates],
        budget,
        factorizations,
    );
    work.free = d;
    work.kept = rates;
    work.chosen = sigma_rates;
    work.update_sigma(problem);
    found
}

fn follow(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    [d, rates, sigma_rates]: [&mut Vec<f64>; 3],
    budget: usize,
    factorizations: &mut usize,
) -> bool {
    start(problem, work, d);
    let mut t = 1.0;
    let mut grows: Option<Grows> = None;
    for _ in 0..budget {
        active_set.set_faces(problem.blocks, work);
        active_set.factor(problem, Purpose::Near);
        *factorizations += 1;
        let m = active_set.order;
        active_set.restrict(|r| [-d[r]], &mut work.x);
        active_set.solve_step(problem, 0.0, &mut work.x[..m], &mut work.scratch);
        rates.fill(0.0);
        active_set.expand(&work.x[..m], |row, [x]| rates[row] = x);
        sigma_rates.copy_from_slice(d);
        problem
            .delassus
            .add_product(&work.offsets, rates, &mut work.z, sigma_rates);
        let side = match grows {
            Some(g) if g.rate(rates, sigma_rates) > 0.0 => 1.0,
            _ => -1.0,
        };
        let mut first: Option<(f64, usize, Mode, Grows)> = None;
        for (i, block) in problem.blocks.iter().enumerate() {
            watch(*block, i, work, rates, sigma_rates, &mut |w| {
                let rate = side * w.rate;
                let reach = w.value.max(0.0) / -rate;
                if rate < 0.0 && first.is_none_or(|f| reach < f.0) {
                    first = Some((reach, i, w.next, w.grows));
                }
            });
        }
        let end = if side < 0.0 { t } else { f64::INFINITY };
        let reach = first.map_or(end, |f| f.0.min(end));
        if !reach.is_finite() {
            return false;
        }
        t += side * reach;
        for (x, rate) in work.lambda.iter_mut().zip(&*rates) {
            *x += side * reach * rate;
        }
        for (x, rate) in work.sigma.iter_mut().zip(&*sigma_rates) {
            *x += side * reach * rate;
        }
        match first {
            Some((reach, i, mode, g)) if reach < end => {
                work.modes[i] = match mode {
                    // Friction of a closing contact acts against the motion.
                    Mode::Unknown => closed(problem.blocks[i], &work.sigma[work.offsets[i]..]),
                    mode => mode,
                };
                if mode == Mode::Breaking {
                    let part = work.offsets[i]..work.offsets[i + 1];
                    work.lambda[part].fill(0.0);
                }
                grows = Some(g);
            }
            _ => return true,
        }
    }
    false
}

fn closed(block: Block, sigma: &[f64]) -> Mode {
    match block {
        Block::Pyramid { mu } => pyramid::mode_of_velocity(mu, sigma, 0.0),
        _ => Mode::Sticking,
    }
}

/// Computes d for the present impulse. Afterwards σ = Gλ + g + d.
fn start(problem: &Problem, work: &mut Work, d: &mut [f64]) {
    let speed = largest(&work.sigma);
    let scale = PARAMETRIC_APART * speed / problem.rows().max(1) as f64;
    d.fill(0.0);
    let mut count = 1.0;
    for (i, block) in problem.blocks.iter().enumerate() {
        let at = work.offsets[i];
        for r in 0..block.rows() {
            let s = &mut work.sigma[at + r];
            // The side on which σ stays; zero if the row is held.
            let side = match (*block, work.modes[i]) {
                (Block::Pyramid { .. }, Mode::Breaking) if r < 2 => continue,
                (_, Mode::Breaking) | (Block::Box { .. }, Mode::AtLower) => 1.0,
                (Block::Box { .. }, Mode::AtUpper) => -1.0,
                (Block::Pyramid { .. }, Mode::Sliding) if r < 2 => continue,
                (Block::Pyramid { .. }, Mode::Bounded(bounds)) if r < 2 => -f64::from(bounds[r]),
                _ => 0.0,
            };
            let wanted = match side * *s {
                x if side == 0.0 || x >= 0.0 => side * x,
                _ => {
                    count += 1.0;
                    side * scale * count
                }
            };
            d[at + r] = wanted - *s;
            *s = wanted;
        }
    }
}

/// Passes to `see` the numbers that must stay above zero in the block's mode.
fn watch(
    block: Block,
    i: usize,
    work: &Work,
    lambda_rates: &[f64],
    sigma_rates: &[f64],
    see: &mut impl FnMut(Watched),
) {
    let at = work.offsets[i];
    let mut see = |grows: Grows, next: Mode, then: Grows| {
        see(Watched {
            value: grows.value(&work.lambda, &work.sigma),
            rate: grows.rate(lambda_rates, sigma_rates),
            next,
            grows: then,
        });
    };
    match (block, work.modes[i]) {
        (Block::Pyramid { .. }, Mode::Breaking) => {
            let opens = Grows::Velocity(at + 2, 1.0);
            see(opens, Mode::Unknown, Grows::Impulse(at + 2));
        }
        (Block::Pyramid { mu }, mode) => {
            let normal = at + 2;
            see(
                Grows::Impulse(normal),
                Mode::Breaking,
                Grows::Velocity(normal, 1.0),
            );
            let bounds = pyramid::bounds(mode);
            for k in (0..2).filter(|_| mu > 0.0) {
                let with = |s: i8| {
                    let mut next = bounds;
                    next[k] = s;
                    pyramid::closed(next)
                };
                let slack = |s: i8| Grows::Slack {
                    row: at + k,
                    sign: f64::from(s),
                    bound: 0.0,
                    mu,
                    normal,
                };
                let slips = |s: i8| Grows::Velocity(at + k, -f64::from(s));
                match bounds[k] {
                    0 => {
                        see(slack(1), with(1), slips(1));
                        see(slack(-1), with(-1), slips(-1));
                    }
                    s => see(slips(s), with(0), slack(s)),
                }
            }
        }
        (Block::Unilateral, Mode::Breaking) => {
            let opens = Grows::Velocity(at, 1.0);
            see(opens, Mode::Sticking, Grows::Impulse(at));
        }
        (Block::Unilateral, _) => {
            let opens = Grows::Velocity(at, 1.0);
            see(Grows::Impulse(at), Mode::Breaking, opens);
        }
        (Block::Box { bound }, mode) => {
            let slack = |sign: f64| Grows::Slack {
                row: at,
                sign,
                bound,
                mu: 0.0,
                normal: at,
            };
            let slips = |sign: f64| Grows::Velocity(at, -sign);
            match mode {
                Mode::AtLower => see(slips(-1.0), Mode::Sticking, slack(-1.0)),
                Mode::AtUpper => see(slips(1.0), Mode::Sticking, slack(1.0)),
                _ => {
                    see(slack(1.0), Mode::AtUpper, slips(1.0));
                    see(slack(-1.0), Mode::AtLower, slips(-1.0));
                }
            }
        }
        _ => {}
    }
}
