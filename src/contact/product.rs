//! How Jacobians get at the derivative of a law: all of its columns at once, as a product dλ = −CᵀXB w.

use super::problem::Problem;
use crate::error::Result;
use crate::linalg::LANES;

/// What a law has at its solution to build Jacobians from.
pub enum Product<'a> {
    /// B and C of few columns.
    LowRank(&'a mut dyn LowRank),
    /// Products with C, where B and X are 1, island by island.
    Islands(&'a mut dyn Islands),
    /// No more than single columns: B and X are 1, and C is found by applying the derivative to each row.
    Columns,
}

/// The forms that [`LowRank::split`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// C = B, which alone is written, and X = 1.
    Half,
    /// X is applied by [`LowRank::solve_middle`].
    Middle,
}

/// A derivative of low rank.
pub trait LowRank {
    /// Columns of B and C.
    fn rank(&self) -> usize;

    /// Columns of B and C, one a row of the problem, at every multiple of `stride`, padded with zeros.
    ///
    /// # Errors
    /// `InvalidArgument` for a stride below the rank.
    fn split(
        &mut self,
        problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split>;

    /// X of [`Split::Middle`] times columns of that many numbers.
    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]);
}

/// A derivative of which rows on different islands have separate parts.
pub trait Islands {
    /// Products of C with columns.
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()>;
}

/// Columns over the rows of a problem, one a dof, of which no more than a few are there at once.
///
/// A row has numbers in the columns of its own island of dofs only. The k-th columns of islands that do not meet may go
/// through a solver together.
pub trait Columns {
    /// Columns of the island of a block, and of the largest one.
    fn count(&self, block: usize) -> usize;
    fn most(&self) -> usize;

    /// x ← the rows of these blocks, one after the other, in the columns of their islands from the `first` on.
    fn read(&self, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]);

    /// Takes what the derivative makes of them.
    fn take(&mut self, blocks: &[usize], first: usize, y: &[[f64; LANES]]);
}
