//! Sizes of the largest problem.

/// The problem of one tree, or of one island, is stored as a matrix up to this many rows, and by trees
/// above.
pub const DENSE: usize = 72;

/// Sizes of the largest problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capacity {
    pub rows: usize,
    pub blocks: usize,
    /// Contacts with torsional or rolling friction.
    pub torsion: usize,
    /// Number of trees, coordinates of all trees together, coordinates of the largest tree. All are zero
    /// if every problem is dense.
    pub trees: usize,
    pub coordinates: usize,
    pub largest_tree: usize,
}
