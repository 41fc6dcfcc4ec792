//! The modes that a descent leads to, in place of the modes of the solution. With them a gradient can
//! look beyond a contact that holds, or one that is open (after nimble-differentiable-lcp, section 4.4).
//!
//! λ̄ = ∂L/∂λ = J A⁻¹ ∂L/∂v⁺ says two things about a contact or limit. Along −λ̄ its normal impulse grows
//! if λ̄_n < 0. A force along −∂L/∂v⁺ changes its normal velocity by −λ̄_n; if λ̄_n < 0 it pulls the bodies
//! apart. An open contact, λ_n = 0, can only gain an impulse, and a closed one, σ_n = 0, only a velocity.
//! Therefore a descent can lead a contact with λ̄_n < 0 to its other mode, and no other contact: a body on
//! the ground is not pushed into it.
//!
//! [`Turn`] chooses one of two changes. Active contacts are released, which finds forces that part the
//! bodies. Or open contacts are closed, which finds forces that push through the contact. A contact that
//! closes gets the mode that it would have with a very small normal impulse. The friction of such an
//! impulse cannot stop a slip: the contact slides in the direction of its slip, or sticks if there is no
//! slip. Dry friction and equalities keep their mode. Impulses and velocities are those of the solution.

use super::NcpSolver;
use super::cone::planar_norm;
use super::island_solver::IslandSolver;
use super::modes::{CLOSED, largest};
use super::pyramid;
use super::wide;
use super::working_set::sort_by_laws;
use crate::contact::digits::ROUND_OFF;
use crate::contact::law::Turn;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::error::Result;

/// The mode to which a descent leads a block with the velocities σ; `None` if its mode stays. λ̄ above
/// −`felt` and slips of at most `still` count as zero.
fn by_descent(
    turn: Turn,
    block: Block,
    mode: Mode,
    lambda_bar: &[f64],
    sigma: &[f64],
    [felt, still]: [f64; 2],
) -> Option<Mode> {
    let may_open = matches!(
        block,
        Block::Contact { .. } | Block::Pyramid { .. } | Block::Unilateral
    );
    let is_open = mode == Mode::Breaking;
    let turns = is_open == (turn == Turn::Hold);
    if !may_open || !turns || lambda_bar[block.rows() - 1] >= -felt {
        return None;
    }
    Some(match (turn, block) {
        (Turn::Release, _) => Mode::Breaking,
        (Turn::Hold, Block::Contact { mu: 0.0 } | Block::Pyramid { mu: 0.0 }) => Mode::Sliding,
        (Turn::Hold, Block::Contact { .. }) if planar_norm(sigma[0], sigma[1]) > still => {
            Mode::Sliding
        }
        (Turn::Hold, Block::Pyramid { .. }) => {
            let against = |s: f64| {
                if s.abs() > still {
                    -pyramid::sign(s)
                } else {
                    0
                }
            };
            pyramid::closed([against(sigma[0]), against(sigma[1])])
        }
        (Turn::Hold, _) => Mode::Sticking,
    })
}

/// The thresholds below which λ̄, and slip, count as zero.
fn least(problem: &Problem, lambda_bar: &[f64]) -> [f64; 2] {
    [ROUND_OFF * largest(lambda_bar), CLOSED * largest(problem.g)]
}

impl NcpSolver {
    /// Takes the derivative in the modes that a descent leads to, until [`NcpSolver::put_back`]. Returns
    /// the number of blocks that change; with 0 nothing changes. Call it after [`NcpSolver::linearize`].
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub(super) fn sort_by_descent(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        turn: Turn,
    ) -> Result<usize> {
        let size = ("lambda_bar", lambda_bar.len());
        self.check(problem, 1, [size, size], None)?;
        let least = least(problem, lambda_bar);
        self.keep_solution();
        let work = &mut self.work;
        let mut moved = 0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let (part, modes) = (work.part(i), &mut work.modes);
            let (bar, sigma) = (&lambda_bar[part.clone()], &work.sigma[part]);
            if work.firsts[i] != work.offsets[i] {
                let (mode, bar) = (wide::mode_of(problem.blocks, modes, i), bar[bar.len() - 1]);
                if let Some(mode) = mode.by_descent(turn, *block, bar, sigma, least) {
                    wide::set_mode(problem.blocks, modes, i, mode);
                    moved += 1;
                }
            } else if let Some(mode) = by_descent(turn, *block, modes[i], bar, sigma, least) {
                modes[i] = mode;
                moved += 1;
            }
        }
        if moved > 0 {
            self.factor_modes(problem);
        }
        Ok(moved)
    }
}

impl IslandSolver {
    /// As [`NcpSolver::sort_by_descent`]. Contacts that close join islands.
    pub(super) fn sort_islands_by_descent(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        turn: Turn,
    ) -> Result<usize> {
        let Delassus::Trees(rows) = problem.delassus else {
            return self.solver.sort_by_descent(problem, lambda_bar, turn);
        };
        let least = least(problem, lambda_bar);
        let nb = problem.blocks.len();
        self.modes_before[..nb].copy_from_slice(&self.modes[..nb]);
        self.descending.clear();
        self.descending.extend_from_slice(self.working_set.blocks());
        let z = &mut self.solver.work.z[..rows.coordinates()];
        rows.velocities(&self.lambda[..problem.rows()], z);
        let mut moved = 0;
        for (b, block) in problem.blocks.iter().enumerate() {
            let range = rows.range(b);
            let sigma = velocity(rows, b, z, &problem.g[range.clone()]);
            if let Block::Torsion { contact, rows } = *block {
                // Its contact comes before it.
                if self.modes[contact] != self.modes_before[contact] {
                    let (of, mode) = (problem.blocks[contact], &mut self.modes[contact]);
                    let own = wide::close_torsion(of, mode, &sigma[..rows], least[1]);
                    self.modes[b] = own;
                    self.descending.push(b);
                }
                continue;
            }
            let bar = &lambda_bar[range];
            if let Some(mode) = by_descent(turn, *block, self.modes[b], bar, &sigma, least) {
                self.modes[b] = mode;
                moved += 1;
                self.descending.push(b);
            }
        }
        if moved > 0 {
            sort_by_laws(problem.blocks, &mut self.descending);
            self.descending.dedup();
            self.take_apart(rows, true)?;
        }
        Ok(moved)
    }

    /// As [`NcpSolver::put_back`].
    pub(super) fn put_islands_back(&mut self, problem: &Problem) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            self.solver.put_back(problem);
            return Ok(());
        };
        let nb = problem.blocks.len();
        self.modes[..nb].copy_from_slice(&self.modes_before[..nb]);
        self.take_apart(rows, false)
    }

    /// Finds the islands of the solution, or of the modes that a descent leads to.
    fn take_apart(&mut self, rows: &WhitenedJacobian, descending: bool) -> Result<()> {
        self.loaded = None;
        self.sound.clear();
        let blocks = match descending {
            true => &self.descending[..],
            false => self.working_set.blocks(),
        };
        self.islands
            .split(rows.trees(), blocks, |b| rows.trees_of(b))
    }
}

/// σ of a block, from the velocities z of the trees.
fn velocity(rows: &WhitenedJacobian, block: usize, z: &[[f64; 1]], g: &[f64]) -> [f64; 3] {
    let mut sigma = rows.times(block, z).map(|[x]| x);
    for (s, g) in sigma.iter_mut().zip(g) {
        *s += g;
    }
    sigma
}
