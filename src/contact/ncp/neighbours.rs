//! Decides whether the derivative is the same on all sides of a switch, and in which modes it must be
//! taken.
//!
//! The modes around a solution at a switch lie between two extremes: all blocks at a switch active, or all
//! released. Compute the response to a variation with all of them released. If its velocities also keep at
//! rest the rows that would be active, they solve the equations of every set of modes in between: the
//! derivative is the same on all sides.
//!
//! Dry friction may be released even away from a switch. If other rows hold the same motion (a joint at its
//! limit, a leg between its feet), the impulse of the friction is not unique within its bound. If a
//! variation then requires a motion that no impulse can cause, the friction slides. This is valid if the
//! other rows hold for every impulse of the friction within its bound. These rows alone then determine the
//! derivative.
//!
//! If sliding contacts are linearly dependent, the linear system of all of them may give impulses outside
//! the cones. The solver then returns the least-norm impulse within the cones. Some of its contacts are on
//! the edge of their cone and stay there at nearby states: contacts without impulse, or with friction at
//! its bound without slip. If the remaining contacts determine the velocities, and these keep the contacts
//! on the edge at rest, the remaining contacts determine the derivative.

use super::NcpSolver;
use super::cone::planar_norm;
use super::measure::Scales;
use super::modes::{CLOSED, classify, largest};
use super::pyramid;
use super::wide;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::{AGREED, SIDES_FELT, SIDES_RELEASED};
use crate::error::Result;

impl NcpSolver {
    /// Whether the response to the random variation `w` of σ is the same on all sides of the last solution.
    /// Call it after [`NcpSolver::linearize`]; it may replace the linearization by that of other modes.
    /// `delta` and `change` are scratch with one entry per row.
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub fn sides_agree(
        &mut self,
        problem: &Problem,
        w: &[f64],
        delta: &mut [f64],
        change: &mut [f64],
    ) -> Result<Sides> {
        let mut consistent = true;
        if self.may_be_deficient() {
            let [left, asked] = self.left_over(problem, w, delta)?;
            consistent = left <= AGREED * asked;
            let least = SIDES_FELT * largest(w);
            if consistent
                && left > least
                && !self.slips_alike(problem, (w, least), delta, change)?
            {
                return Ok(Sides::DIFFER);
            }
        }
        if consistent && !self.last.is_some_and(|c| c.at_switch) {
            return Ok(Sides::ALIKE);
        }
        let contradicted = !consistent && !self.active_set.only_idle_depend(problem);
        self.keep_solution();
        let released = match contradicted {
            true => self.release_contradicted(problem, AGREED * largest(w)),
            false => 0,
        };
        if released > SIDES_RELEASED {
            self.put_back(problem);
            return Ok(Sides::DIFFER);
        }
        // If all other rows hold without the released friction, switches and inconsistent rows elsewhere do
        // not matter for it.
        let others = released > 0 && {
            self.factor_modes(problem);
            self.is_answered(problem, w, 0.0, delta, change)?
                || self.keep_supported(problem, delta)?
        };
        if others {
            self.keep_solution();
        }
        let consistent = consistent
            || released > 0 && {
                let [left, asked] = self.left_over(problem, w, delta)?;
                left <= AGREED * asked
            };
        let again = match contradicted && !consistent {
            true => self.release_contradicted(problem, AGREED * largest(w)),
            false => 0,
        };
        if self.release_weak(problem) + again == 0 {
            self.put_back(problem);
            return Ok(Sides {
                alike: consistent,
                others,
            });
        }
        self.factor_modes(problem);
        let one = self.is_answered(problem, w, 0.0, delta, change)?;
        if one && !consistent {
            return Ok(Sides::OF_OTHERS);
        }
        self.put_back(problem);
        Ok(Sides {
            alike: one && self.varies_so(problem, w, delta, change)?,
            others,
        })
    }

    /// As [`NcpSolver::sides_agree`], for a solution that is not that of the linear system of its modes,
    /// because this system gives impulses outside the cones ([`NcpSolver::is_certain`]).
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub fn others_lead(
        &mut self,
        problem: &Problem,
        w: &[f64],
        delta: &mut [f64],
        change: &mut [f64],
    ) -> Result<Sides> {
        if !self.is_finished() {
            return Ok(Sides::DIFFER);
        }
        self.keep_solution();
        if self.release_weak(problem) == 0 {
            return Ok(Sides::DIFFER);
        }
        self.factor_modes(problem);
        if self.is_decided(problem, delta, change)
            && self.is_answered(problem, w, 0.0, delta, change)?
        {
            return Ok(Sides::OF_OTHERS);
        }
        self.put_back(problem);
        Ok(Sides::DIFFER)
    }

    /// Whether the velocities vary by `expected`, which is overwritten.
    fn varies_so(
        &mut self,
        problem: &Problem,
        w: &[f64],
        delta: &mut [f64],
        expected: &mut [f64],
    ) -> Result<bool> {
        expected.iter_mut().zip(w).for_each(|(e, w)| *e -= w);
        self.apply(problem, w, None, 1, delta)?;
        delta.iter_mut().for_each(|d| *d = -*d);
        self.add_response(problem, delta, expected);
        Ok(largest(expected) <= AGREED * largest(w))
    }

    /// The modes of the last solution, or the modes of its derivative.
    pub(in crate::contact) fn modes(&self) -> &[Mode] {
        &self.work.modes
    }

    /// change ← the variation of σ with the response `delta` to w.
    fn vary(
        &mut self,
        problem: &Problem,
        w: &[f64],
        delta: &mut [f64],
        change: &mut [f64],
    ) -> Result<()> {
        self.apply(problem, w, None, 1, delta)?;
        change.copy_from_slice(w);
        self.add_response(problem, delta, change);
        Ok(())
    }

    /// Puts each dry friction at a bound whose row is inconsistent with others by [`NcpSolver::left_over`].
    /// Call [`NcpSolver::left_over`] before. Velocities up to `least` are consistent. Returns the number of
    /// rows put at a bound.
    fn release_contradicted(&mut self, problem: &Problem, least: f64) -> usize {
        let left = &self.panel.as_chunks::<1>().0[..self.active_set.order];
        let mut released = 0;
        for face in &self.active_set.faces {
            let [left] = left[face.start];
            if matches!(problem.blocks[face.block], Block::Box { .. }) && left.abs() > least {
                self.work.modes[face.block] = bound_of(&self.work.lambda[face.row..]);
                released += 1;
            }
        }
        released
    }

    /// Whether the velocities vary along w as in the modes of the solution if the dry friction slips whose
    /// rows are inconsistent by more than `least`. The impulses that inconsistent rows require grow with the
    /// variation: beyond the tolerance of a solution these rows slip.
    pub(super) fn slips_alike(
        &mut self,
        problem: &Problem,
        (w, least): (&[f64], f64),
        delta: &mut [f64],
        change: &mut [f64],
    ) -> Result<bool> {
        self.vary(problem, w, delta, change)?;
        self.left_over(problem, w, delta)?;
        self.keep_solution();
        let released = self.release_contradicted(problem, least);
        if released == 0 || released > SIDES_RELEASED {
            self.put_back(problem);
            return Ok(released == 0);
        }
        self.factor_modes(problem);
        let alike = self.varies_so(problem, w, delta, change);
        self.put_back(problem);
        alike
    }

    /// Checks the dry friction that [`NcpSolver::release_contradicted`] put at a bound. It stays there only
    /// if the other rows hold its motion for every impulse of the friction. Returns whether any stays. The
    /// modes of the solution must have been kept before.
    fn keep_supported(&mut self, problem: &Problem, delta: &mut [f64]) -> Result<bool> {
        let mut released = [usize::MAX; SIDES_RELEASED];
        let mut count = 0;
        for (i, (mode, before)) in self.work.changed_modes().enumerate() {
            if mode != before {
                released[count] = i;
                count += 1;
            }
        }
        self.work.restore_verified();
        let (mut any, mut factored) = (false, false);
        for &i in &released[..count] {
            let (at, before) = (self.work.offsets[i], self.work.modes[i]);
            let Block::Box { bound } = problem.blocks[i] else {
                continue;
            };
            self.work.modes[i] = bound_of(&self.work.lambda[at..]);
            self.factor_modes(problem);
            self.work.kept.fill(0.0);
            self.work.kept[at] = bound;
            factored = self.holds_without(problem, delta)?;
            match factored {
                true => any = true,
                false => self.work.modes[i] = before,
            }
        }
        if !factored {
            self.factor_modes(problem);
        }
        Ok(any)
    }

    /// Moves every block at a switch to the mode with the fewest active rows. Returns the number of blocks.
    pub(super) fn release_weak(&mut self, problem: &Problem) -> usize {
        let scales = self.scales_of_switches(problem);
        let work = &mut self.work;
        let mut weak = 0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let (part, is_wide) = (work.part(i), work.is_wide(i));
            let (lambda, sigma) = (&work.lambda[part.clone()], &work.sigma[part]);
            if is_wide {
                let (sigma, rows) = work.weighted(i, &work.sigma);
                let switch = wide::switch(*block, lambda, &sigma[..rows], scales, CLOSED);
                if let Some((released, _)) = switch {
                    wide::set_mode(problem.blocks, &mut work.modes, i, released);
                    weak += 1;
                }
            } else if let Some(switch) = switch(*block, lambda, sigma, scales) {
                work.modes[i] = switch.released;
                weak += 1;
            }
        }
        weak
    }

    /// Whether the response to w in the present modes, in which all blocks at a switch are released, keeps
    /// the rows of these blocks at rest. Dry friction may move if the other rows hold without it. A
    /// velocity up to `felt` counts as rest. `change` receives the variation of the velocities.
    pub(super) fn is_answered(
        &mut self,
        problem: &Problem,
        w: &[f64],
        felt: f64,
        delta: &mut [f64],
        change: &mut [f64],
    ) -> Result<bool> {
        if self.may_be_deficient() {
            let [left, asked] = self.left_over(problem, w, delta)?;
            if left > (AGREED * asked).max(felt) {
                return Ok(false);
            }
        }
        self.vary(problem, w, delta, change)?;
        let at_rest = (AGREED * largest(w)).max(felt);
        let scales = self.scales_of_switches(problem);
        let mut yields = false;
        let work = &mut self.work;
        // Mark dry friction that moves by its bound, to be checked below.
        work.kept.fill(0.0);
        for (i, block) in problem.blocks.iter().enumerate() {
            let (part, is_wide) = (work.part(i), work.is_wide(i));
            let moves = &change[part.clone()];
            let (lambda, sigma) = (&work.lambda[part.clone()], &work.sigma[part.clone()]);
            if is_wide {
                let (sigma, rows) = work.weighted(i, &work.sigma);
                let switch = wide::switch(*block, lambda, &sigma[..rows], scales, CLOSED);
                let held = switch.map(|s| s.1);
                let mut all = moves.iter().zip(held.unwrap_or_default());
                if all.any(|(m, held)| held && m.abs() > at_rest) {
                    return Ok(false);
                }
                continue;
            }
            if let Block::Box { bound } = block {
                let held = switch(*block, lambda, sigma, scales).is_some()
                    || sigma[0].abs() <= CLOSED * scales.velocity
                        && matches!(work.modes[i], Mode::AtLower | Mode::AtUpper);
                if held && moves[0].abs() > at_rest {
                    work.kept[part.start] = *bound;
                    yields = true;
                }
            } else if let Some(switch) = switch(*block, lambda, sigma, scales)
                && (moves.iter().zip(switch.held)).any(|(m, held)| held && m.abs() > at_rest)
            {
                return Ok(false);
            }
        }
        Ok(!yields || self.holds_without(problem, delta)?)
    }

    /// Whether the active rows keep their modes for every impulse of the released rows within its bound.
    /// `kept` contains the bounds of the released rows, and zero for other rows.
    fn holds_without(&mut self, problem: &Problem, delta: &mut [f64]) -> Result<bool> {
        // The other impulses if the released rows have none, and the range of the other impulses to either
        // side.
        let mut middle = std::mem::take(&mut self.work.free);
        let mut reach = std::mem::take(&mut self.work.chosen);
        let mut column = std::mem::take(&mut self.found);
        middle.copy_from_slice(&self.work.lambda);
        reach.fill(0.0);
        column.resize(problem.rows(), 0.0);
        let mut holds = true;
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = self.work.offsets[i];
            let bound = match block {
                Block::Box { .. } => self.work.kept[at],
                _ => 0.0,
            };
            if bound == 0.0 || !holds {
                continue;
            }
            column.fill(0.0);
            problem.delassus.add_columns(i, at, &[1.0], &mut column);
            let own = column[at];
            self.apply(problem, &column, None, 1, delta)?;
            let moved = own + column.iter().zip(&*delta).map(|(g, d)| g * d).sum::<f64>();
            holds = moved.abs() <= AGREED * own;
            for ((middle, reach), d) in middle.iter_mut().zip(&mut reach).zip(&*delta) {
                *middle -= d * self.work.lambda[at];
                *reach += d.abs() * bound;
            }
        }
        let slack = CLOSED * largest(&self.work.lambda);
        holds &= self.active_set.faces.iter().all(|face| {
            let (part, block) = (self.work.part(face.block), problem.blocks[face.block]);
            let (middle, reach) = (&middle[part.clone()], &reach[part]);
            let sticks = face.slide.is_none() && face.wide.is_none();
            largest(reach) <= slack
                || match self.work.is_wide(face.block) {
                    true => wide::is_inside(block, sticks, middle, reach, slack),
                    false => is_inside(block, sticks, middle, reach, slack),
                }
        });
        self.work.free = middle;
        self.work.chosen = reach;
        self.found = column;
        Ok(holds)
    }
}

impl NcpSolver {
    /// True if some block is at a switch.
    pub(super) fn has_weak(&self, problem: &Problem) -> bool {
        let scales = self.scales_of_switches(problem);
        problem.blocks.iter().enumerate().any(|(i, block)| {
            let part = self.work.part(i);
            let (lambda, sigma) = (&self.work.lambda[part.clone()], &self.work.sigma[part]);
            match self.work.is_wide(i) {
                true => {
                    let (sigma, rows) = self.work.weighted(i, &self.work.sigma);
                    wide::switch(*block, lambda, &sigma[..rows], scales, CLOSED).is_some()
                }
                false => switch(*block, lambda, sigma, scales).is_some(),
            }
        })
    }
}

/// The result of a comparison of sides for a linearization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// True if the derivative is the same on all sides.
    pub alike: bool,
    /// True if the derivative is now taken in other modes than the solution's. It is right on all sides if
    /// `alike`, otherwise on one.
    pub others: bool,
}

impl Sides {
    const ALIKE: Sides = Sides {
        alike: true,
        others: false,
    };
    const OF_OTHERS: Sides = Sides {
        alike: true,
        others: true,
    };
    const DIFFER: Sides = Sides {
        alike: false,
        others: false,
    };
}

/// How the sides of an island's solution are compared, for single variations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// No block is at a switch and no rows depend on each other.
    Alike,
    /// Variation by variation.
    Compared,
    /// Not compared: the choice among redundant impulses may differ at nearby states.
    Unknown,
}

/// The modes of a block at a switch.
struct Switch {
    /// The mode with the fewest active rows.
    released: Mode,
    /// The rows that are at rest in the mode with the most active rows.
    held: [bool; 3],
}

/// `None` for a block that is in one mode on all sides.
fn switch(block: Block, lambda: &[f64], sigma: &[f64], scales: Scales) -> Option<Switch> {
    if classify(block, lambda, sigma, scales, CLOSED).1 > CLOSED {
        return None;
    }
    let at_rest = |s: f64| s.abs() <= CLOSED * scales.velocity;
    let (released, held) = match (block, lambda, sigma) {
        (Block::Contact { mu }, [.., l], [x, y, s]) => {
            let leaves = (l / scales.impulse).max(s / scales.velocity) <= CLOSED;
            let slips = mu == 0.0 || planar_norm(*x, *y) > CLOSED * scales.velocity;
            let released = if leaves {
                Mode::Breaking
            } else {
                Mode::Sliding
            };
            let tangents = !(leaves && slips);
            (released, [tangents, tangents, true])
        }
        (Block::Pyramid { mu }, &[x, y, l], &[u, v, s]) => {
            let leaves = (l / scales.impulse).max(s / scales.velocity) <= CLOSED;
            let rests = [u, v].map(|s| mu > 0.0 && at_rest(s));
            if leaves {
                (Mode::Breaking, [rests[0], rests[1], true])
            } else {
                // The tangents at a switch. The other tangents are in one mode on all sides.
                let near = |k: usize, x: f64| {
                    let inside = mu * l - x.abs();
                    rests[k] && inside <= CLOSED * scales.impulse * (1.0 + mu * mu).sqrt()
                };
                let held = [near(0, x), near(1, y)];
                let mode = pyramid::classify(mu, [x, y, l], [u, v, s], scales, CLOSED).0;
                let mut bounds = pyramid::bounds(mode);
                for ((b, near), x) in bounds.iter_mut().zip(held).zip([x, y]) {
                    *b = if near { pyramid::sign(x) } else { *b };
                }
                (pyramid::closed(bounds), [held[0], held[1], false])
            }
        }
        (Block::Box { .. }, ..) => (bound_of(lambda), [true; 3]),
        _ => (Mode::Breaking, [true; 3]),
    };
    Some(Switch { released, held })
}

/// The nearer bound of dry friction.
fn bound_of(lambda: &[f64]) -> Mode {
    if lambda[0] < 0.0 {
        Mode::AtLower
    } else {
        Mode::AtUpper
    }
}

/// Whether all impulses in the range `reach` around `middle` are inside the block's set.
fn is_inside(block: Block, sticks: bool, middle: &[f64], reach: &[f64], slack: f64) -> bool {
    match (block, middle, reach) {
        (Block::Contact { mu }, [x, y, z], [dx, dy, dz]) => {
            let least = z - dz;
            let most = planar_norm(*x, *y) + planar_norm(*dx, *dy);
            least > slack && (mu == 0.0 || !sticks || most < mu * least - slack)
        }
        (Block::Pyramid { mu }, [x, y, z], [dx, dy, dz]) => {
            let least = z - dz;
            let within = |x: f64, d: f64| !sticks || x.abs() + d < mu * least - slack;
            least > slack && (mu == 0.0 || within(*x, *dx) && within(*y, *dy))
        }
        (Block::Unilateral, [x], [d]) => x - d > slack,
        (Block::Box { bound }, [x], [d]) => x.abs() + d < bound - slack,
        _ => true,
    }
}
