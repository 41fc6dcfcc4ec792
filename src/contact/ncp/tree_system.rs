//! What is solved with the factored 1 + Hᵀ W H of [`TreeRows`].

use crate::contact::island_solver::Capacity;
use crate::contact::problem::Small;
use crate::contact::tree_rows::TreeRows;
use crate::linalg::{BlockLu, LANES};

/// Factorization and memory. Sized at creation; a capacity of no trees takes none.
#[derive(Debug)]
pub(super) struct TreeSystem {
    lu: BlockLu,
    /// W, a block of the problem each: filled before [`TreeSystem::factor`].
    pub weights: Vec<Small>,
    z: Vec<f64>,
    scratch: Vec<f64>,
}

impl TreeSystem {
    pub fn new(capacity: &Capacity) -> TreeSystem {
        let Capacity {
            trees,
            coordinates,
            largest_tree,
            ..
        } = *capacity;
        let blocks = if trees == 0 { 0 } else { capacity.blocks };
        TreeSystem {
            lu: BlockLu::new(trees, coordinates, largest_tree),
            weights: Vec::with_capacity(blocks),
            z: vec![0.0; coordinates * LANES],
            scratch: vec![0.0; largest_tree * LANES],
        }
    }

    /// Chooses the order of elimination; once per problem.
    pub fn analyze(&mut self, rows: &TreeRows) {
        rows.analyze(&mut self.lu);
    }

    pub fn clear_weights(&mut self, blocks: usize) {
        self.weights.clear();
        self.weights.resize(blocks, [[0.0; 3]; 3]);
    }

    /// False if the matrix is singular.
    pub fn factor(&mut self, rows: &TreeRows) -> bool {
        rows.factor(&self.weights, &mut self.lu)
    }

    /// y ← H (1 + Hᵀ W H)⁻¹ Hᵀ y, or with Wᵀ, over the problem's rows. Rows of blocks without weight are not read.
    pub fn respond<const W: usize>(
        &mut self,
        rows: &TreeRows,
        y: &mut [[f64; W]],
        transposed: bool,
    ) {
        let n = rows.coordinates();
        let (z, scratch) = (
            &mut self.z.as_chunks_mut::<W>().0[..n],
            self.scratch.as_chunks_mut::<W>().0,
        );
        z.fill([0.0; W]);
        let weighted = || (self.weights.iter().enumerate()).filter(|(_, w)| **w != [[0.0; 3]; 3]);
        for (i, _) in weighted() {
            rows.add_transposed(i, &y[rows.range(i)], z);
        }
        if transposed {
            self.lu.solve_transpose(z, scratch);
        } else {
            self.lu.solve(z, scratch);
        }
        for (i, _) in weighted() {
            let range = rows.range(i);
            let out = rows.times(i, z);
            y[range.clone()].copy_from_slice(&out[..range.len()]);
        }
    }

    /// y ← G y over the rows of blocks with weight, which are the only ones read and written.
    pub fn multiply<const W: usize>(&mut self, rows: &TreeRows, y: &mut [[f64; W]]) {
        let z = &mut self.z.as_chunks_mut::<W>().0[..rows.coordinates()];
        z.fill([0.0; W]);
        let weighted = || (self.weights.iter().enumerate()).filter(|(_, w)| **w != [[0.0; 3]; 3]);
        for (i, _) in weighted() {
            rows.add_transposed(i, &y[rows.range(i)], z);
        }
        for (i, _) in weighted() {
            let range = rows.range(i);
            let out = rows.times(i, z);
            y[range.clone()].copy_from_slice(&out[..range.len()]);
        }
    }
}
