//! The derivative of a law in the form that Jacobians read: all columns at once, as a product dλ = −CᵀXB
//! w.

use super::problem::Problem;
use crate::error::Result;
use crate::linalg::LANES;

/// The form in which a law gives its derivative to Jacobians.
pub enum Product<'a> {
    /// B and C with few rows.
    LowRank(&'a mut dyn LowRank),
    /// Products with C, island by island. B and X are 1.
    Islands(&'a mut dyn Islands),
    /// Single columns only: B and X are 1, and C is found by applying the derivative to each row.
    Columns,
}

/// The forms of [`LowRank::split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// C = B, and X = 1. Only one of them is written.
    Half,
    /// X is applied by [`LowRank::solve_middle`].
    Middle,
}

/// A derivative of low rank.
pub trait LowRank {
    /// Number of rows of B and C.
    fn rank(&self) -> usize;

    /// B and C, one column per row of the problem, at every multiple of `stride`, padded with zeros.
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

    /// X of [`Split::Middle`] times columns of `stride` numbers.
    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]);
}

/// A derivative with separate parts for the rows of different islands.
pub trait Islands {
    /// Products of C with columns.
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()>;
}

/// Columns over the rows of a problem, one per dof. Only a few are stored at once.
///
/// A row has nonzero numbers only in the columns of its own island of dofs. The k-th columns of islands
/// that do not couple may go through a solver together.
pub trait Columns {
    /// Number of columns of a block's island, and of the largest island.
    fn count(&self, block: usize) -> usize;
    fn most(&self) -> usize;

    /// x ← the rows of these blocks, one after the other, in the columns of their islands, beginning
    /// with column `first`.
    fn read(&self, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]);

    /// Receives the products with the derivative.
    fn take(&mut self, blocks: &[usize], first: usize, y: &[[f64; LANES]]);
}
