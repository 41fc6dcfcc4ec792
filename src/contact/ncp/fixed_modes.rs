//! Impulses that solve the equations of fixed modes.
//!
//! If active rows are linearly dependent, the impulses are not unique, and [`solve_fixed`] chooses among
//! them. If no contact slides along a circular cone, it prefers impulses strictly inside the cones. If there
//! is such an impulse, no small change of the problem switches a mode; an impulse on an edge would be near a
//! switch only by the choice. If one slides, velocities depend on the choice, or do so at nearby states. An
//! impulse at a distance from the edge may exist at one state and not at the next, so that the velocity or
//! its slope would jump: the choice is then continuous, and a derivative at an edge is compared on both
//! sides.

use super::active_set::{ActiveSetSystem, Face, WideFace};
use super::cone::planar_norm;
use super::ladder::Choice;
use super::least_norm::{AGAIN, INSIDES, Inside, LeastNorm, Piece, Set};
use super::modes::{CLOSED, held_residual, largest};
use super::pyramid;
use super::wide;
use super::work::Work;
use crate::contact::digits::{NEGLIGIBLE, ROUND_OFF};
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::WARM_NEAR;

/// Solves the system with fixed modes, linearized at the present slip directions, for λ. If λ is not
/// unique, it is the first of these that exists:
///
/// - the least-norm impulse, if it lies in the cones;
/// - from a warm start, the impulse nearest to the present one if it lies in the cones, and then the one
///   nearest to it that is strictly inside (if no contact slides so), or else in the cones;
/// - the least-norm impulse strictly inside (if no contact slides so), or else in the cones.
///
/// Returns false if a search within the cones chose λ, `None` if there is no impulse from a warm start or if
/// [`Choice::Same`] needs the last search, otherwise true.
pub(super) fn solve_fixed(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    least_norm: &mut LeastNorm,
    is_warm: bool,
    choice: Choice,
) -> Option<bool> {
    let Work {
        offsets,
        lambda,
        modes,
        free,
        kept,
        ..
    } = work;
    kept.copy_from_slice(lambda);
    lambda.fill(0.0);
    free.copy_from_slice(problem.g);
    for (i, block) in problem.blocks.iter().enumerate() {
        let (Block::Box { bound }, at) = (*block, offsets[i]) else {
            continue;
        };
        let fixed = match modes[i] {
            Mode::AtLower => -bound,
            Mode::AtUpper => bound,
            _ => continue,
        };
        lambda[at] = fixed;
        problem.delassus.add_columns(i, at, &[fixed], free);
    }
    solve_in_range(problem, work, active_set);
    let size = largest(&work.lambda);
    let slack = ROUND_OFF * size;
    // Idle unknowns leave no choice: their least-norm impulse is zero.
    let deficient = active_set.deficient() && !active_set.only_idle_depend(problem);
    let admitted = deficient && is_inside(problem, work, active_set, Inside::CLOSED, slack);
    let is_linear = !active_set.symmetric && !active_set.turns();
    if !deficient || admitted && !is_linear {
        turn_onto_cones(problem.blocks, work, active_set);
        return Some(true);
    }
    if is_linear {
        work.update_sigma(problem);
        work.chosen.copy_from_slice(&work.sigma);
        if put_least(problem, work, active_set, least_norm)
            && is_inside(problem, work, active_set, Inside::CLOSED, slack)
        {
            return Some(true);
        }
        solve_in_range(problem, work, active_set);
        if admitted {
            return Some(true);
        }
    }
    // At bounds of pyramids velocities may depend on the choice. An impulse then counts only if it gives the
    // same velocities.
    let same_velocity = |work: &mut Work| {
        !is_linear || apart_from_chosen(problem, work) <= CLOSED * largest(problem.g).max(1.0)
    };
    std::mem::swap(&mut work.lambda, &mut work.kept);
    let (again, insides) = match active_set.turns() {
        false => (&[AGAIN, Inside::CLOSED][..], &INSIDES[..]),
        true => (&[Inside::CLOSED][..], &[][..]),
    };
    if is_warm {
        let is_inside = stays(problem, work, active_set);
        if is_inside {
            return Some(true);
        }
        // The nearest impulse inside.
        least_norm.set_centre(work.x[..active_set.order].as_flattened());
        pose_range(problem, work, active_set, least_norm);
        let is_found =
            (again.iter()).any(|inside| put(least_norm.solve(inside.of(size)), work, active_set));
        if is_found {
            turn_onto_cones(problem.blocks, work, active_set);
            return Some(false);
        }
    }
    if choice == Choice::Same {
        return None;
    }
    work.lambda.copy_from_slice(&work.kept);
    least_norm.set_centre(&[]);
    pose_range(problem, work, active_set, least_norm);
    let is_found = (insides.iter()).any(|inside| {
        put(least_norm.solve(inside.of(size)), work, active_set) && same_velocity(work)
    });
    if !is_found && !put(least_norm.solve(Inside::CLOSED), work, active_set) {
        if is_warm {
            return None;
        }
        work.lambda.copy_from_slice(&work.kept);
    }
    turn_onto_cones(problem.blocks, work, active_set);
    Some(false)
}

/// Computes λ and the unknowns for `work.free`, the velocities without impulses. The unknowns are in the
/// range of the factored matrix.
fn solve_in_range(problem: &Problem, work: &mut Work, active_set: &mut ActiveSetSystem) {
    let Work {
        lambda,
        free,
        x,
        scratch,
        ..
    } = work;
    active_set.restrict(|r| [-free[r]], x);
    active_set.solve_step(problem, 0.0, &mut x[..active_set.order], scratch);
    active_set.expand(&x[..active_set.order], |row, [value]| lambda[row] = value);
}

/// Writes the equations F x = t of the unknowns, for a choice among their solutions.
fn pose_range(
    problem: &Problem,
    work: &mut Work,
    active_set: &ActiveSetSystem,
    least_norm: &mut LeastNorm,
) {
    let Work {
        free, x, scratch, ..
    } = work;
    active_set.restrict(|r| [-free[r]], x);
    let rank = active_set.rank();
    let (f, t, stride) = least_norm.start(rank, active_set.order);
    active_set.range_equations(f, stride, x, scratch);
    t[..rank].copy_from_slice(x[..rank].as_flattened());
    least_norm.set_pieces((active_set.faces.iter()).filter_map(|f| piece(problem.blocks, f)));
}

/// The set of the unknowns of a face. Those of torsional rows that hold are in the set of their contact.
fn piece(blocks: &[Block], face: &Face) -> Option<Piece> {
    let block = blocks[face.block];
    let torsion = match blocks[..face.block].last() {
        Some(Block::Torsion { rows, .. }) if face.wide.is_none() => *rows,
        _ => 0,
    };
    let set = match block {
        Block::Torsion { .. } => return None,
        Block::Pyramid { mu } if face.wide.is_some() => Set::PyramidFromNormal { mu },
        Block::Contact { .. } if face.wide.is_some() => Set::HalfLine,
        Block::Contact { mu } if face.size == 3 => Set::Cone { mu },
        Block::Pyramid { mu } if face.size == 3 => Set::Pyramid { mu },
        Block::Pyramid { mu } => Set::PyramidFromNormal { mu },
        Block::Contact { .. } | Block::Unilateral => Set::HalfLine,
        Block::Box { bound } => Set::Interval { bound },
        _ => Set::Line,
    };
    Some(Piece {
        start: face.start - torsion,
        size: face.size + torsion,
        set,
    })
}

/// Sets λ to the least-norm impulse among all solutions of the equations, inside the cones or not. Returns
/// true if its velocities agree up to round-off with `work.chosen`, the velocities of the impulse in the
/// range of the matrix.
fn put_least(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    least_norm: &mut LeastNorm,
) -> bool {
    least_norm.set_centre(&[]);
    pose_range(problem, work, active_set, least_norm);
    let Some(best) = least_norm.solve_alone() else {
        return false;
    };
    solve_in_range(problem, work, active_set);
    let pairs = best.iter().zip(&work.x);
    let moved = pairs.fold(0.0, |m: f64, (b, [x])| m.max((b - x).abs()));
    put(Some(best), work, active_set);
    let apart = apart_from_chosen(problem, work);
    let diagonal = work
        .diagonal
        .iter()
        .flat_map(|w| [w[0][0], w[1][1], w[2][2]]);
    apart <= NEGLIGIBLE * moved * diagonal.fold(0.0, f64::max)
}

/// Largest difference between the velocities of the present impulse, which it updates, and those in
/// `work.chosen`.
fn apart_from_chosen(problem: &Problem, work: &mut Work) -> f64 {
    work.update_sigma(problem);
    let pairs = work.sigma.iter().zip(&work.chosen);
    pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// Computes the impulse nearest to the present one, and returns whether it is inside the cones. In this
/// way successive steps keep one choice. `work.x` has its unknowns.
fn stays(problem: &Problem, work: &mut Work, active_set: &mut ActiveSetSystem) -> bool {
    step_fixed(problem, work, active_set, 0.0);
    active_set.coordinates(&work.lambda, &mut work.x);
    let slack = ROUND_OFF * largest(&work.lambda);
    is_inside(problem, work, active_set, Inside::CLOSED, slack)
}

/// Whether a warm start may have the modes of the solution: its impulse is in the cones, and leaves active
/// rows at most [`WARM_NEAR`] of the velocity without impulses. `work.sigma` is up to date.
pub(super) fn may_keep_modes(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
) -> bool {
    if held_residual(problem.blocks, work) > WARM_NEAR * work.speed(problem.g) {
        return false;
    }
    active_set.set_faces(problem.blocks, work);
    active_set.coordinates(&work.lambda, &mut work.x);
    let slack = ROUND_OFF * largest(&work.lambda);
    is_inside(problem, work, active_set, Inside::CLOSED, slack)
}

/// Whether the unknowns are at least as far inside as `inside` says, up to a slack.
fn is_inside(
    problem: &Problem,
    work: &Work,
    active_set: &ActiveSetSystem,
    i: Inside,
    slack: f64,
) -> bool {
    let x = work.x.as_flattened();
    let mut pieces = (active_set.faces.iter()).filter_map(|f| piece(problem.blocks, f));
    pieces.all(|piece| piece.holds(x, i, slack))
}

/// Sets the impulse from its unknowns. Returns false if there are none.
fn put(x: Option<&[f64]>, work: &mut Work, active_set: &ActiveSetSystem) -> bool {
    let Some(best) = x else { return false };
    let Work { x, lambda, .. } = work;
    x.iter_mut().zip(best).for_each(|(x, b)| x[0] = *b);
    active_set.expand(x, |row, [value]| lambda[row] = value);
    true
}

/// As [`solve_fixed`], but with the least change of the present impulse that solves the equations.
/// Velocities up to `unanswered` of inconsistent rows are not corrected.
pub(super) fn step_fixed(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    unanswered: f64,
) -> bool {
    put_on_faces(problem, work, active_set);
    let m = active_set.order;
    let Work {
        lambda,
        sigma,
        x,
        scratch,
        ..
    } = work;
    active_set.restrict(|r| [-sigma[r]], x);
    active_set.solve_step(problem, unanswered, &mut x[..m], scratch);
    active_set.expand(&x[..m], |row, [value]| lambda[row] += value);
    turn_onto_cones(problem.blocks, work, active_set);
    true
}

/// Puts the impulse of every block on its face, and updates σ.
pub(super) fn put_on_faces(problem: &Problem, work: &mut Work, active_set: &ActiveSetSystem) {
    for (i, block) in problem.blocks.iter().enumerate() {
        if work.is_wide(i) {
            let (part, mode) = (work.part(i), wide::mode_of(problem.blocks, &work.modes, i));
            wide::put_on_face(*block, mode, &mut work.lambda[part]);
            continue;
        }
        let part = work.offsets[i]..work.offsets[i + 1];
        match (*block, work.modes[i]) {
            (_, Mode::Breaking) => work.lambda[part].fill(0.0),
            (Block::Box { bound }, Mode::AtLower) => work.lambda[part].fill(-bound),
            (Block::Box { bound }, Mode::AtUpper) => work.lambda[part].fill(bound),
            (Block::Contact { .. } | Block::Pyramid { .. }, Mode::Sliding) => {
                work.lambda[part.start..part.start + 2].fill(0.0)
            }
            (Block::Pyramid { mu }, Mode::Bounded(bounds)) => {
                pyramid::put_at_bounds(mu, bounds, &mut work.lambda[part]);
            }
            _ => {}
        }
    }
    for face in &active_set.faces {
        if let Some(slide) = face.slide
            && !slide.is_fixed
        {
            let force = slide.mu * work.lambda[face.row + 2];
            work.lambda[face.row] = -force * slide.u[0];
            work.lambda[face.row + 1] = -force * slide.u[1];
        } else if let Some(WideFace {
            slide: Some((u, _)),
            ..
        }) = active_set.wide(face)
        {
            let [tangents @ .., n] = &mut work.lambda[face.row..face.row + face.rows] else {
                continue;
            };
            let force = wide::friction(problem.blocks[face.block]) * *n;
            tangents
                .iter_mut()
                .zip(u)
                .for_each(|(l, u)| *l = -force * u);
        }
    }
    work.update_sigma(problem);
}

/// Scales sliding impulses, whose direction moved along a tangent, back to ‖λ_T‖ = μ λ_n.
pub(super) fn turn_onto_cones(blocks: &[Block], work: &mut Work, active_set: &ActiveSetSystem) {
    for face in active_set.faces.iter().filter(|f| f.slide.is_some()) {
        let at = work.offsets[face.block];
        let (Block::Contact { mu }, [x, y, z]) = (blocks[face.block], &mut work.lambda[at..at + 3])
        else {
            continue;
        };
        let force = planar_norm(*x, *y);
        if *z <= 0.0 {
            (*x, *y) = (0.0, 0.0);
        } else if force > 0.0 {
            let scale = mu * *z / force;
            (*x, *y) = (scale * *x, scale * *y);
        }
    }
    for face in active_set.faces.iter().filter(|f| f.wide.is_some()) {
        if let Block::Contact { mu } = blocks[face.block] {
            wide::turn_onto_cone(mu, &mut work.lambda[face.row..face.row + face.rows]);
        }
    }
}

/// One step with the factored matrix towards zero velocity of the active rows. Velocities up to
/// `unanswered` of inconsistent rows are not corrected.
pub(super) fn correct(
    problem: &Problem,
    work: &mut Work,
    active_set: &mut ActiveSetSystem,
    unanswered: f64,
) {
    let m = active_set.order;
    let Work {
        offsets,
        lambda,
        sigma,
        x,
        scratch,
        ..
    } = work;
    active_set.restrict(|r| [-sigma[r]], x);
    for face in &active_set.faces {
        if let Some(slide) = face.slide
            && !slide.is_fixed
        {
            // Measure across the present slip direction of λ, not the one of the matrix.
            let at = offsets[face.block];
            let force = planar_norm(lambda[at], lambda[at + 1]);
            if force > 0.0 {
                let u = [-lambda[at] / force, -lambda[at + 1] / force];
                x[face.start + 1][0] = -slide.across * (sigma[at + 1] * u[0] - sigma[at] * u[1]);
            }
        } else if let Some(
            own @ WideFace {
                slide: Some((_, c)),
                ..
            },
        ) = active_set.wide(face)
        {
            let part = face.row..face.row + face.rows;
            if let Some(u) = wide::against(&lambda[part.clone()]) {
                let across = wide::across(&sigma[part], &u);
                let own = WideFace::restrict(&own.right, across[..face.rows - 1].iter().copied());
                for k in 1..face.size {
                    x[face.start + k][0] = -c * own[k];
                }
            }
        }
    }
    active_set.solve_step(problem, unanswered, &mut x[..m], scratch);
    active_set.expand(&x[..m], |row, [value]| lambda[row] += value);
    turn_onto_cones(problem.blocks, work, active_set);
}
