//! The system matrix of a problem, factored, and the trees into which it and the contacts divide the dofs.
//!
//! Dofs belong together if A couples them, or if a contact acts on more than two such groups. The groups are
//! the trees of the laws: bodies that do not touch are separate islands. Coordinates are dofs in the order of
//! their trees.

use super::data::ProblemData;
use crate::error::{Error, Result};
use crate::linalg::Definite;

/// Sized at creation.
#[derive(Debug)]
pub(super) struct System {
    a: Definite,
    /// Union–find over dofs; the root of a group is its smallest dof.
    parent: Vec<usize>,
    /// Dof of each coordinate, tree of each dof, first coordinate of each tree and the number of coordinates.
    dofs: Vec<usize>,
    tree_of: Vec<usize>,
    starts: Vec<usize>,
    /// Trees on which each contact acts.
    trees_of: Vec<[Option<usize>; 2]>,
    touched: Vec<bool>,
}

impl System {
    pub fn new(nv: usize, contacts: usize) -> System {
        System {
            a: Definite::new(nv),
            parent: vec![0; nv],
            dofs: Vec::with_capacity(nv),
            tree_of: vec![0; nv],
            starts: Vec::with_capacity(nv + 1),
            trees_of: Vec::with_capacity(contacts),
            touched: Vec::with_capacity(nv),
        }
    }

    /// # Errors
    /// `InvalidArgument` for an A that is not definite.
    pub fn factor(&mut self, data: &ProblemData<'_>) -> Result<()> {
        self.find_trees(data);
        let nv = self.dofs.len();
        let matrix = self.a.matrix();
        for block in self.starts.windows(2) {
            for i in block[0]..block[1] {
                for j in block[0]..=i {
                    let (p, q) = (self.dofs[i], self.dofs[j]);
                    matrix[i * nv + j] = 0.5 * (data.a[q * nv + p] + data.a[p * nv + q]);
                }
            }
        }
        self.a.factor(&self.starts).map_err(|bad| {
            Error::invalid(format!(
                "A must be positive definite: its Cholesky pivot {} is {:e}, expected more than {:e}",
                self.dofs[bad.at], bad.value, bad.least
            ))
        })
    }

    fn find_trees(&mut self, data: &ProblemData<'_>) {
        let nv = data.v_free.len();
        for (k, p) in self.parent.iter_mut().enumerate() {
            *p = k;
        }
        for j in 0..nv {
            for i in 0..j {
                if data.a[j * nv + i] != 0.0 || data.a[i * nv + j] != 0.0 {
                    self.join(i, j);
                }
            }
        }
        let rows = 3 * data.contacts();
        let acts = |c: usize, k: usize| data.j[k * rows + 3 * c..][..3].iter().any(|x| *x != 0.0);
        for c in 0..data.contacts() {
            let mut roots = [None; 2];
            for k in (0..nv).filter(|k| acts(c, *k)) {
                let root = self.root(k);
                match roots {
                    [Some(a), Some(b)] if a != root && b != root => {
                        self.join(a, b);
                        self.join(a, root);
                        roots = [Some(self.root(a)), None];
                    }
                    [None, _] => roots[0] = Some(root),
                    [Some(a), None] if a != root => roots[1] = Some(root),
                    _ => {}
                }
            }
        }
        self.number(nv);
        self.trees_of.clear();
        self.touched.clear();
        self.touched.resize(self.trees(), false);
        for c in 0..data.contacts() {
            let mut trees = [None; 2];
            for k in (0..nv).filter(|k| acts(c, *k)) {
                let tree = Some(self.tree_of[k]);
                self.touched[self.tree_of[k]] = true;
                if trees[0].is_none() {
                    trees[0] = tree;
                } else if trees[0] != tree {
                    trees[1] = tree;
                }
            }
            self.trees_of.push(trees);
        }
    }

    /// Numbers the trees in the order of their first dofs.
    fn number(&mut self, nv: usize) {
        self.starts.clear();
        self.dofs.clear();
        for first in 0..nv {
            if self.root(first) != first {
                continue;
            }
            let tree = self.starts.len();
            self.starts.push(self.dofs.len());
            for k in first..nv {
                if self.root(k) == first {
                    self.tree_of[k] = tree;
                    self.dofs.push(k);
                }
            }
        }
        self.starts.push(nv);
    }

    fn root(&mut self, mut k: usize) -> usize {
        while self.parent[k] != k {
            self.parent[k] = self.parent[self.parent[k]];
            k = self.parent[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Number of trees, and of trees on which contacts act.
    pub fn trees(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn touched(&self) -> usize {
        self.touched.iter().filter(|t| **t).count()
    }

    /// Number of coordinates of each tree.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.starts.windows(2).map(|block| block[1] - block[0])
    }

    /// The trees on which a contact acts.
    pub fn trees_of(&self, contact: usize) -> [Option<usize>; 2] {
        self.trees_of[contact]
    }

    /// The dofs of a tree.
    pub fn dofs(&self, tree: usize) -> &[usize] {
        &self.dofs[self.starts[tree]..self.starts[tree + 1]]
    }

    /// x ← B⁻¹ x with A = B Bᵀ, by the coordinates of a tree.
    pub fn solve_half_tree<const W: usize>(&self, tree: usize, x: &mut [[f64; W]]) {
        self.a.solve_half(tree, x);
    }

    /// z ← B⁻¹ x, from dofs to coordinates.
    pub fn solve_half(&self, x: &[f64], z: &mut [[f64; 1]]) {
        for (z, k) in z.iter_mut().zip(&self.dofs) {
            *z = [x[*k]];
        }
        for (tree, block) in self.starts.windows(2).enumerate() {
            self.a.solve_half(tree, &mut z[block[0]..block[1]]);
        }
    }

    /// x ← B⁻ᵀ z, from coordinates, which are overwritten, to dofs.
    pub fn solve_half_transposed(&self, z: &mut [[f64; 1]], x: &mut [f64]) {
        for (tree, block) in self.starts.windows(2).enumerate() {
            self.a
                .solve_half_transposed(tree, &mut z[block[0]..block[1]]);
        }
        for ([z], k) in z.iter().zip(&self.dofs) {
            x[*k] = *z;
        }
    }

    /// x ← A⁻¹ x, with `z` as scratch.
    pub fn solve(&self, x: &mut [f64], z: &mut [[f64; 1]]) {
        self.solve_half(x, z);
        self.solve_half_transposed(z, x);
    }
}
