//! Pivots: one block changes its mode at a time. For friction in cones, limits and boxes.

use super::active_set::{ActiveSetSystem, Purpose};
use super::block_law;
use super::cone::{exit, planar_norm};
use super::fixed_modes::{put_on_faces, turn_onto_cones};
use super::modes::held_residual;
use super::modes::largest;
use super::work::Work;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::PIVOT_MISSES;

/// Moves from an admissible impulse towards the solution of its modes while every impulse stays admissible.
/// The block that ends a step changes its mode, and only this block. This needs few factorizations where
/// sweeps converge slowly because rows are nearly dependent (subspace minimization; Silcowitz, Niebe and
/// Erleben 2010 use it for this iteration). Returns true if the modes are consistent.
pub(super) fn pivot(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    tolerance: f64,
    budget: usize,
    factorizations: &mut usize,
) -> bool {
    let slack = 0.1 * tolerance * largest(problem.g).max(1.0);
    let (mut before, mut entering, mut driving) = (f64::INFINITY, None, false);
    let mut missed = 0;
    for _ in 0..budget {
        active_set.set_faces(problem.blocks, work);
        active_set.factor(problem, Purpose::Near);
        *factorizations += 1;
        put_on_faces(problem, work, active_set);
        let m = active_set.order;
        let Work {
            sigma,
            kept,
            x,
            scratch,
            ..
        } = work;
        active_set.restrict(|r| [-sigma[r]], x);
        active_set.solve_step(problem, 0.0, &mut x[..m], scratch);
        kept.fill(0.0);
        active_set.expand(&x[..m], |row, [value]| kept[row] = value);
        let mut limit = 1.0;
        if let Some(block) = entering {
            let normal = work.offsets[block + 1] - 1;
            driving |= work.lambda[normal] == 0.0;
            if work.kept[normal] < 0.0 && driving {
                work.kept.iter_mut().for_each(|d| *d = -*d);
                limit = f64::INFINITY;
            }
        }
        let (step, blocking) = longest_step(problem.blocks, work, active_set, limit);
        if step == f64::INFINITY {
            return false;
        }
        for (l, d) in work.lambda.iter_mut().zip(&work.kept) {
            *l += step * d;
        }
        turn_onto_cones(problem.blocks, work, active_set);
        if let Some((block, mode)) = blocking {
            work.modes[block] = mode;
            let part = work.offsets[block]..work.offsets[block + 1];
            if mode == Mode::Breaking {
                work.lambda[part].fill(0.0);
            } else {
                block_law::project(problem.blocks[block], &mut work.lambda[part]);
            }
            if entering == Some(block) {
                entering = None;
            }
            work.update_sigma(problem);
            before = f64::INFINITY;
            continue;
        }
        driving = false;
        work.update_sigma(problem);
        let residual = held_residual(problem.blocks, work);
        let worst = worst_velocity(problem.blocks, work, slack.max(residual));
        if let Some((block, mode)) = worst {
            entering = (work.modes[block] == Mode::Breaking).then_some(block);
            work.modes[block] = mode;
            before = f64::INFINITY;
            continue;
        }
        if residual <= slack {
            return true;
        }
        // Slip directions turn, so that a step may miss, but not repeatedly.
        missed += usize::from(residual > 0.5 * before);
        if missed > PIVOT_MISSES {
            return false;
        }
        before = residual;
    }
    false
}

/// The block whose velocity violates its mode most, and a mode that fits this velocity better.
fn worst_velocity(blocks: &[Block], work: &Work, slack: f64) -> Option<(usize, Mode)> {
    let (mut worst, mut found) = (slack, None);
    for (i, block) in blocks.iter().enumerate() {
        let at = work.offsets[i];
        let sigma = &work.sigma[at..at + block.rows()];
        let lambda = &work.lambda[at..at + block.rows()];
        let (size, mode) = match (*block, work.modes[i], sigma) {
            (Block::Contact { .. }, Mode::Breaking, [.., z]) => (-z, Mode::Sliding),
            (Block::Contact { mu }, Mode::Sliding, [x, y, _]) if mu > 0.0 => {
                let force = planar_norm(lambda[0], lambda[1]).max(f64::MIN_POSITIVE);
                ((lambda[0] * x + lambda[1] * y) / force, Mode::Sticking)
            }
            (Block::Unilateral, Mode::Breaking, [s]) => (-s, Mode::Sticking),
            (Block::Box { .. }, Mode::AtLower, [s]) => (-s, Mode::Sticking),
            (Block::Box { .. }, Mode::AtUpper, [s]) => (*s, Mode::Sticking),
            _ => continue,
        };
        if size > worst {
            (worst, found) = (size, Some((i, mode)));
        }
    }
    found
}

/// The largest step along `work.kept`, at most 1, for which impulses stay admissible; and the block that
/// ends the step, with its new mode.
fn longest_step(
    blocks: &[Block],
    work: &Work,
    active_set: &ActiveSetSystem,
    limit: f64,
) -> (f64, Option<(usize, Mode)>) {
    let (mut step, mut blocking) = (limit, None);
    for face in &active_set.faces {
        let (at, block) = (work.offsets[face.block], blocks[face.block]);
        let part = at..at + block.rows();
        let (l, d) = (&work.lambda[part.clone()], &work.kept[part]);
        let zero = |l: f64, d: f64| if d < 0.0 { l / -d } else { f64::INFINITY };
        let (reach, mode) = match (block, l, d) {
            (Block::Contact { mu }, &[x, y, z], &[a, b, c]) => {
                let open = zero(z, c);
                if face.size < 3 {
                    (open, Mode::Breaking)
                } else {
                    let slides = exit(mu, &[x, y, z], &[a, b, c]);
                    if open <= slides {
                        (open, Mode::Breaking)
                    } else {
                        (slides, Mode::Sliding)
                    }
                }
            }
            (Block::Unilateral, [l], [d]) => (zero(*l, *d), Mode::Breaking),
            (Block::Box { bound }, [l], [d]) if *d < 0.0 => (zero(l + bound, *d), Mode::AtLower),
            (Block::Box { bound }, [l], [d]) => (zero(bound - l, -d), Mode::AtUpper),
            _ => continue,
        };
        if reach < step {
            (step, blocking) = (reach.max(0.0), Some((face.block, mode)));
        }
    }
    (step, blocking)
}
