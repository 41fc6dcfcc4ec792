//! How large problems may be.

/// Rows up to which the problem of one tree, or of one island, is held as a matrix; of more rows by trees.
pub const DENSE: usize = 72;

/// Sizes of the largest problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capacity {
    pub rows: usize,
    pub blocks: usize,
    /// Trees, the coordinates of all and of the largest one: zero if all problems are dense.
    pub trees: usize,
    pub coordinates: usize,
    pub largest_tree: usize,
}
