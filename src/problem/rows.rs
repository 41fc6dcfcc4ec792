//! The rows of a problem in the form of the laws.

use super::data::ProblemData;
use super::system::System;
use crate::contact::block::{Block, Cone};
use crate::contact::capacity::{Capacity, DENSE};
use crate::contact::problem::{Delassus, Problem, Regularization};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::dispatch;

/// G = H Hᵀ with H = J B⁻ᵀ and A = B Bᵀ, by the coordinates Bᵀ v of the trees.
#[derive(Debug)]
pub(super) struct Rows {
    whitened: WhitenedJacobian,
    /// G, if it is held as a matrix: few rows on one tree, as in a step.
    dense: Vec<f64>,
    most_dense: usize,
    is_dense: bool,
    pub blocks: Vec<Block>,
    pub regularization: Vec<Regularization>,
    /// J v_free + target.
    pub g: Vec<f64>,
    /// J, column-major.
    pub j: Vec<f64>,
    /// Panel of a contact on a tree.
    panel: Vec<[f64; 3]>,
}

impl Rows {
    pub fn new(nv: usize, contacts: usize, yields: bool) -> Rows {
        let rows = 3 * contacts;
        // Compliant laws take their rows by trees.
        let most_dense = if yields { 0 } else { rows.min(DENSE) };
        Rows {
            whitened: WhitenedJacobian::with_capacity(nv, contacts, rows * nv),
            dense: Vec::with_capacity(most_dense * most_dense),
            most_dense,
            is_dense: true,
            blocks: Vec::with_capacity(contacts),
            regularization: Vec::with_capacity(if yields { contacts } else { 0 }),
            g: Vec::with_capacity(rows),
            j: Vec::with_capacity(rows * nv),
            panel: vec![[0.0; 3]; nv],
        }
    }

    /// Capacity that a law needs.
    pub fn capacity(nv: usize, contacts: usize, yields: bool) -> Capacity {
        let rows = 3 * contacts;
        // One dof is one tree.
        let by_trees = yields || rows > DENSE || nv > 1;
        let coordinates = if by_trees { nv } else { 0 };
        Capacity {
            torsion: 0,
            rows,
            blocks: contacts,
            trees: coordinates,
            coordinates,
            largest_tree: coordinates,
        }
    }

    /// Fills the rows of a problem with this A.
    pub fn fill(&mut self, data: &ProblemData<'_>, cone: Cone, system: &System) {
        let contacts = data.contacts();
        let rows = 3 * contacts;
        self.blocks.clear();
        let blocks = data.friction.iter().map(|mu| cone.block(*mu));
        self.blocks.extend(blocks);
        self.regularization.clear();
        let compliances = data.compliance.chunks_exact(3);
        self.regularization
            .extend(compliances.map(|r| Regularization::new(r[0], r[2])));
        self.j.clear();
        self.j.extend_from_slice(data.j);
        self.g.clear();
        self.g.extend_from_slice(data.target);
        add_product(&self.j, data.v_free, &mut self.g);
        self.whitened.clear(system.sizes());
        for c in 0..contacts {
            let trees = system.trees_of(c);
            self.whitened.push(3, trees);
            for (side, tree) in trees.into_iter().flatten().enumerate() {
                let dofs = system.dofs(tree);
                let panel = &mut self.panel[..dofs.len()];
                for (x, k) in panel.iter_mut().zip(dofs) {
                    x.copy_from_slice(&data.j[k * rows + 3 * c..][..3]);
                }
                system.solve_half_tree(tree, panel);
                let lines = self
                    .whitened
                    .panel_mut(c, side)
                    .chunks_exact_mut(dofs.len());
                for (r, line) in lines.enumerate() {
                    for (to, x) in line.iter_mut().zip(panel.iter()) {
                        *to = x[r];
                    }
                }
            }
        }
        self.whitened.finish();
        self.is_dense = rows <= self.most_dense && system.touched() <= 1;
        if self.is_dense {
            self.dense.clear();
            self.dense.resize(rows * rows, 0.0);
            condense(&self.whitened, &mut self.dense, contacts);
        }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            blocks: &self.blocks,
            delassus: match self.is_dense {
                true => Delassus::Dense(&self.dense),
                false => Delassus::Trees(&self.whitened),
            },
            g: &self.g,
        }
    }

    /// out += Hᵀ λ.
    pub fn add_transposed(&self, lambda: &[f64], out: &mut [[f64; 1]]) {
        let blocks = lambda.as_chunks::<1>().0.chunks_exact(3);
        for (i, lambda) in blocks.enumerate() {
            self.whitened.add_transposed(i, lambda, out);
        }
    }

    /// out += H x.
    pub fn add_times(&self, x: &[[f64; 1]], out: &mut [f64]) {
        for (i, out) in out.chunks_exact_mut(3).enumerate() {
            for (out, [y]) in out.iter_mut().zip(self.whitened.times(i, x)) {
                *out += y;
            }
        }
    }
}

/// G, both triangles, from H.
#[inline(always)]
fn condense_kernel(h: &WhitenedJacobian, dense: &mut [f64], contacts: usize) {
    let n = 3 * contacts;
    for i in 0..contacts {
        for j in 0..=i {
            let g = h.block(i, j);
            for (r, line) in g.iter().enumerate() {
                for (c, x) in line.iter().enumerate() {
                    dense[(3 * j + c) * n + 3 * i + r] = *x;
                    dense[(3 * i + r) * n + 3 * j + c] = *x;
                }
            }
        }
    }
}

dispatch! {
    fn condense = condense_kernel(h: &WhitenedJacobian, dense: &mut [f64], contacts: usize)
}

/// y += M x for a column-major M.
pub(super) fn add_product(m: &[f64], x: &[f64], y: &mut [f64]) {
    if y.is_empty() {
        return;
    }
    for (column, x) in m.chunks_exact(y.len()).zip(x) {
        for (y, m) in y.iter_mut().zip(column) {
            *y += m * x;
        }
    }
}

/// y += Mᵀ x.
pub(super) fn add_transposed_product(m: &[f64], x: &[f64], y: &mut [f64]) {
    if x.is_empty() {
        return;
    }
    for (column, y) in m.chunks_exact(x.len()).zip(y) {
        *y += column.iter().zip(x).map(|(m, x)| m * x).sum::<f64>();
    }
}
