//! Columns over the rows of a problem, one a dof, of which no more than a few are there at once.
//!
//! A row has numbers in the columns of its own island of dofs only. The k-th columns of islands that do not meet may go
//! through a solver together.

use crate::linalg::LANES;

/// Columns that a law's derivative is applied to, and what becomes of the result.
pub trait Columns {
    /// Columns of the island of a block, and of the largest one.
    fn count(&self, block: usize) -> usize;
    fn most(&self) -> usize;

    /// x ← the rows of these blocks, one after the other, in the columns of their islands from the `first` on.
    fn read(&self, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]);

    /// Takes what the derivative makes of them.
    fn take(&mut self, blocks: &[usize], first: usize, y: &[[f64; LANES]]);
}
