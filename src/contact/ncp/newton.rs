//! Newton's method with fixed modes: solve the equations of a guessed set of modes, check every
//! inequality, repair the modes, repeat. A verified result is exact to round-off, and its matrix is the
//! one that the derivative needs.

use super::active_set::{ActiveSetSystem, Purpose};
use super::block_law;
use super::cone::planar_norm;
use super::fixed_modes::{correct, solve_fixed, step_fixed};
use super::ladder::Choice;
use super::least_norm::LeastNorm;
use super::modes::{CLOSED, held_residual, largest};
use super::pyramid;
use super::wide::{self, WideMode};
use super::work::Work;
use crate::contact::digits::{HELD, READABLE, ROUND_OFF};
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::tuning::{CERTAIN_FINISHED, NEWTON_CORRECTIONS, NEWTON_FEW};

fn purpose(choice: Choice) -> Purpose {
    match choice.is_least() {
        true => Purpose::Rank,
        false => Purpose::Near,
    }
}

/// Runs from `work.modes`, `work.lambda` and its σ. `is_warm` means that they come from a solution. Returns
/// true if `work` holds a verified solution; `active_set` then holds the matrix of the last iteration. With
/// false the content of `work` is undefined. `budget` has the number of iterations, and the number of
/// further iterations once blocks at a switch are closed.
pub(super) fn run(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    least_norm: &mut LeastNorm,
    tolerance: f64,
    choice: Choice,
    is_warm: bool,
    budget: [usize; 2],
    factorizations: &mut usize,
) -> bool {
    let velocity = work.speed(problem.g).max(1.0);
    let slack = HELD * tolerance * velocity;
    let exact = match choice {
        Choice::Any => 0.01 * slack,
        _ => 1e-15 * velocity,
    };
    let mut promoted = false;
    let mut before = f64::INFINITY;
    let mut flips_before = 0;
    let [mut left, closing] = budget;
    while left > 0 {
        left -= 1;
        active_set.set_faces(problem.blocks, work);
        active_set.factor(problem, purpose(choice));
        *factorizations += 1;
        let plain = match (choice.is_least(), problem.delassus) {
            (true, Delassus::Dense(_)) => {
                solve_fixed(problem, work, active_set, least_norm, is_warm, choice)
            }
            _ => Some(step_fixed(problem, work, active_set, slack)),
        };
        // Not all rows that slowly come to rest can be active, and other modes would lead back here. Stop;
        // an earlier solution stays.
        let Some(plain) = plain else { break };
        if choice == Choice::Least && least_norm.is_spent() {
            break;
        }
        let mut flips = check_impulses(problem.blocks, work);
        let mut slips = 0;
        work.update_sigma(problem);
        if flips == 0 {
            let mut residual = held_residual(problem.blocks, work);
            let contracting = residual <= READABLE * velocity && plain;
            for _ in 0..NEWTON_CORRECTIONS {
                if !contracting || residual <= exact {
                    break;
                }
                // A correction with the old matrix reduces the error by a factor of about the size of the
                // last step.
                work.keep();
                correct(problem, work, active_set, slack);
                work.update_sigma(problem);
                let next = held_residual(problem.blocks, work);
                if next >= residual {
                    work.restore();
                    break;
                }
                residual = next;
            }
            flips += check_velocities(problem.blocks, work, slack);
            if flips == 0 && residual <= slack {
                // The slip directions may be far from those of the matrix. The certificate does not show
                // their error, because its residual is of second order in it.
                let unfinished = choice != Choice::Any && residual > CERTAIN_FINISHED * velocity;
                if unfinished && active_set.turns() && residual < 0.5 * before && left > 0 {
                    before = residual;
                    continue;
                }
                if promoted || choice == Choice::Any || !promote(problem, work) {
                    return true;
                }
                promoted = true;
                left += closing;
                continue;
            }
            let stuck = active_set.symmetric || residual > 0.25 * before;
            before = residual;
            if flips == 0 && stuck && active_set.may_be_deficient() {
                slips = release_moving(problem.blocks, work, slack);
                if slips == 0 {
                    flips += release_one(problem.blocks, work, slack);
                }
            }
        } else {
            flips += check_velocities(problem.blocks, work, slack);
        }
        let lost = match choice {
            Choice::Least => false,
            Choice::Same => flips > 0,
            Choice::Direct => flips > NEWTON_FEW,
            // If the number of repairs grows, the iteration does not end.
            Choice::Nearest | Choice::Any => flips > NEWTON_FEW && flips > flips_before,
        };
        if lost {
            break;
        }
        flips_before = flips;
        if flips + slips > 0 {
            before = f64::INFINITY;
        } else if active_set.symmetric {
            // Repeating the solve would leave the same residual.
            break;
        }
    }
    if promoted {
        // The solution that was verified before the promotion stays.
        work.restore_verified();
        active_set.set_faces(problem.blocks, work);
        active_set.factor(problem, purpose(choice));
        return true;
    }
    false
}

/// Moves blocks whose impulse left its set to the neighbouring mode. Returns their number.
fn check_impulses(blocks: &[Block], work: &mut Work) -> usize {
    let slack = ROUND_OFF * largest(&work.lambda);
    let mut flips = 0;
    for (i, block) in blocks.iter().enumerate() {
        let at = work.offsets[i];
        if work.is_wide(i) {
            let part = work.part(i);
            let (lambda, mode) = (
                &mut work.lambda[part],
                wide::mode_of(blocks, &work.modes, i),
            );
            if let Some(next) = mode.by_impulse(*block, lambda, slack) {
                wide::set_mode(blocks, &mut work.modes, i, next);
                block_law::project(*block, lambda);
                flips += 1;
            }
            continue;
        }
        let lambda = &mut work.lambda[at..at + block.rows()];
        let mode = &mut work.modes[i];
        let next = match (*block, *mode, &mut *lambda) {
            (
                Block::Contact { .. } | Block::Pyramid { .. },
                Mode::Sticking | Mode::Sliding | Mode::Bounded(_),
                [.., z],
            ) if *z < -slack => Mode::Breaking,
            (Block::Pyramid { mu }, Mode::Sticking | Mode::Bounded(_), [x, y, z]) => {
                let leaves = |l: f64| l.abs() > mu * *z + slack;
                let mut bounds = pyramid::bounds(*mode);
                for (b, l) in bounds.iter_mut().zip([*x, *y]) {
                    if *b == 0 && leaves(l) {
                        *b = pyramid::sign(l);
                    }
                }
                if bounds == pyramid::bounds(*mode) {
                    continue;
                }
                Mode::Bounded(bounds)
            }
            (Block::Contact { mu }, Mode::Sticking, [x, y, z])
                if planar_norm(*x, *y) > mu * *z + slack =>
            {
                Mode::Sliding
            }
            (Block::Unilateral, Mode::Sticking, [x]) if *x < -slack => Mode::Breaking,
            (Block::Box { bound }, Mode::Sticking, [x]) if *x > bound + slack => Mode::AtUpper,
            (Block::Box { bound }, Mode::Sticking, [x]) if *x < -bound - slack => Mode::AtLower,
            _ => continue,
        };
        *mode = next;
        block_law::project(*block, lambda);
        flips += 1;
    }
    flips
}

/// Moves blocks whose velocity contradicts their mode. Returns their number.
fn check_velocities(blocks: &[Block], work: &mut Work, slack: f64) -> usize {
    let mut flips = 0;
    for (i, block) in blocks.iter().enumerate() {
        let at = work.offsets[i];
        if work.is_wide(i) {
            let (part, mode) = (work.part(i), wide::mode_of(blocks, &work.modes, i));
            let w = [&work.diagonal[i - 1], &work.diagonal[i]];
            let state = (&mut work.lambda[part.clone()], &work.sigma[part]);
            if let Some(next) = mode.by_velocity(*block, state, w, slack) {
                wide::set_mode(blocks, &mut work.modes, i, next);
                flips += 1;
            }
            continue;
        }
        let sigma = &work.sigma[at..at + block.rows()];
        let lambda = &mut work.lambda[at..at + block.rows()];
        let mode = &mut work.modes[i];
        match (*block, *mode, sigma) {
            (Block::Contact { .. } | Block::Pyramid { .. }, Mode::Breaking, [.., z])
                if *z < -slack =>
            {
                let mut free = [0.0; 3];
                free.copy_from_slice(sigma);
                lambda.copy_from_slice(&block_law::solve(
                    *block,
                    &work.diagonal[i],
                    free,
                    [0.0; 3],
                ));
                *mode = match (mode_of_impulse(*block, lambda, sigma), *block) {
                    (Mode::Breaking, Block::Pyramid { mu }) => {
                        pyramid::mode_of_velocity(mu, sigma, slack)
                    }
                    (Mode::Breaking, _) => Mode::Sliding,
                    (closed, _) => closed,
                };
            }
            (Block::Pyramid { .. }, Mode::Bounded(mut bounds), [x, y, _]) => {
                for (b, s) in bounds.iter_mut().zip([*x, *y]) {
                    if f64::from(*b) * s > slack {
                        *b = 0;
                    }
                }
                if pyramid::closed(bounds) == *mode {
                    continue;
                }
                *mode = pyramid::closed(bounds);
            }
            (Block::Contact { mu }, Mode::Sliding, [x, y, _])
                if mu > 0.0
                    && lambda[0] * x + lambda[1] * y
                        > slack * planar_norm(lambda[0], lambda[1]) =>
            {
                *mode = Mode::Sticking;
            }
            (Block::Unilateral, Mode::Breaking, [s]) if *s < -slack => *mode = Mode::Sticking,
            (Block::Box { .. }, Mode::AtLower, [s]) if *s < -slack => *mode = Mode::Sticking,
            (Block::Box { .. }, Mode::AtUpper, [s]) if *s > slack => *mode = Mode::Sticking,
            _ => continue,
        }
        flips += 1;
    }
    flips
}

/// If active rows are inconsistent, the least-squares solution leaves velocities. Tangents of pyramids with
/// torsional or rolling friction that then move get their bounds: a foot with gaps of different sizes must
/// turn to close them all. Returns the number of these contacts.
fn release_moving(blocks: &[Block], work: &mut Work, slack: f64) -> usize {
    let mut released = 0;
    for (i, block) in blocks.iter().enumerate() {
        if !work.is_wide(i) || !matches!(block, Block::Pyramid { .. }) {
            continue;
        }
        let mode = wide::mode_of(blocks, &work.modes, i);
        let (sigma, rows) = work.weighted(i, &work.sigma);
        if let Some(next) = mode.released(*block, &sigma[..rows], slack) {
            wide::set_mode(blocks, &mut work.modes, i, next);
            released += 1;
        }
    }
    released
}

/// If active rows are inconsistent, the least-squares solution leaves velocities. Releases the row that
/// opens fastest.
fn release_one(blocks: &[Block], work: &mut Work, slack: f64) -> usize {
    let mut fastest = (slack, None);
    for (i, block) in blocks.iter().enumerate() {
        let normal = match (block, work.modes[i]) {
            (
                Block::Contact { .. } | Block::Pyramid { .. },
                Mode::Sticking | Mode::Sliding | Mode::Bounded(_),
            ) => work.offsets[i] + 2,
            (Block::Unilateral, Mode::Sticking) => work.offsets[i],
            _ => continue,
        };
        if work.sigma[normal] > fastest.0 {
            fastest = (work.sigma[normal], Some(i));
        }
    }
    match fastest.1 {
        Some(i) => {
            work.modes[i] = Mode::Breaking;
            if work.is_wide(i) {
                work.modes[i - 1] = Mode::Breaking;
            }
            1
        }
        None => 0,
    }
}

/// Takes the closed side at a switch: open blocks without velocity become active. Stores the verified state
/// before.
pub(super) fn promote(problem: &Problem, work: &mut Work) -> bool {
    let blocks = problem.blocks;
    let closed = CLOSED * work.speed(problem.g).max(1.0);
    let next = |i: usize, work: &Work| -> Option<Mode> {
        let at = work.offsets[i];
        let sigma = &work.sigma[at..at + blocks[i].rows()];
        match (blocks[i], work.modes[i], sigma) {
            (Block::Contact { mu }, Mode::Breaking, [x, y, z]) if *z <= closed => {
                Some(if mu > 0.0 && planar_norm(*x, *y) <= closed {
                    Mode::Sticking
                } else {
                    Mode::Sliding
                })
            }
            (Block::Contact { mu }, Mode::Sliding, [x, y, _])
                if mu > 0.0 && planar_norm(*x, *y) <= closed =>
            {
                Some(Mode::Sticking)
            }
            (Block::Pyramid { mu }, Mode::Breaking, [.., z]) if *z <= closed => {
                Some(pyramid::mode_of_velocity(mu, sigma, closed))
            }
            (Block::Pyramid { .. }, Mode::Bounded(mut bounds), [x, y, _]) => {
                for (b, s) in bounds.iter_mut().zip([*x, *y]) {
                    *b = if s.abs() <= closed { 0 } else { *b };
                }
                (pyramid::closed(bounds) != work.modes[i]).then(|| pyramid::closed(bounds))
            }
            (Block::Unilateral, Mode::Breaking, [s]) if *s <= closed => Some(Mode::Sticking),
            (Block::Box { .. }, Mode::AtLower | Mode::AtUpper, [s]) if s.abs() <= closed => {
                Some(Mode::Sticking)
            }
            _ => None,
        }
    };
    let next_wide = |i: usize, work: &Work| {
        let mode = wide::mode_of(blocks, &work.modes, i);
        let (sigma, rows) = work.weighted(i, &work.sigma);
        mode.promoted(blocks[i], &sigma[..rows], closed)
    };
    let stays = |i: usize| match work.is_wide(i) {
        true => next_wide(i, work).is_none(),
        false => next(i, work).is_none(),
    };
    if (0..blocks.len()).all(stays) {
        return false;
    }
    work.keep_verified();
    for i in 0..blocks.len() {
        if work.is_wide(i) {
            if let Some(mode) = next_wide(i, work) {
                wide::set_mode(blocks, &mut work.modes, i, mode);
            }
        } else if let Some(mode) = next(i, work) {
            work.modes[i] = mode;
        }
    }
    true
}

/// The mode of an impulse from a block's own solution, which lies exactly on its face.
pub(super) fn mode_of_impulse(block: Block, lambda: &[f64], sigma: &[f64]) -> Mode {
    match (block, lambda) {
        (Block::Contact { .. }, [.., z]) if *z <= 0.0 => Mode::Breaking,
        (Block::Contact { mu }, [x, y, z]) => {
            if planar_norm(*x, *y) < mu * z * (1.0 - ROUND_OFF) {
                Mode::Sticking
            } else {
                Mode::Sliding
            }
        }
        (Block::Pyramid { mu }, &[x, y, z]) => pyramid::mode_of_impulse(mu, [x, y, z]),
        (Block::Unilateral, [x]) if *x <= 0.0 => Mode::Breaking,
        (Block::Box { bound }, [x]) if x.abs() >= bound => {
            if *x > 0.0 || (*x == 0.0 && sigma[0] < 0.0) {
                Mode::AtUpper
            } else {
                Mode::AtLower
            }
        }
        _ => Mode::Sticking,
    }
}

/// Guesses the modes of the blocks that `wanted` selects, from their impulses and velocities.
pub(super) fn guess_modes(
    blocks: &[Block],
    work: &mut Work,
    wanted: impl Fn(&[Mode], usize) -> bool,
) {
    for (i, block) in blocks.iter().enumerate() {
        let (part, is_wide) = (work.part(i), work.is_wide(i));
        let (lambda, sigma) = (&work.lambda[part.clone()], &work.sigma[part]);
        if is_wide {
            let mode = match wanted(&work.modes, i) || wanted(&work.modes, i - 1) {
                true => WideMode::of_impulse(*block, lambda),
                false => wide::mode_of(blocks, &work.modes, i),
            };
            wide::set_mode(blocks, &mut work.modes, i, mode);
        } else if wanted(&work.modes, i) && !matches!(block, Block::Torsion { .. }) {
            work.modes[i] = mode_of_impulse(*block, lambda, sigma);
        }
    }
}
