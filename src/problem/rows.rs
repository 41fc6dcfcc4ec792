//! The rows of a problem as the laws take them.

use super::data::ProblemData;
use crate::contact::block::{Block, Cone};
use crate::contact::capacity::{Capacity, DENSE};
use crate::contact::problem::{Delassus, Problem, Regularization};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::linalg::{Definite, LANES, dispatch};

/// G = H Hᵀ with H = J B⁻ᵀ and A = B Bᵀ: one tree, whose coordinates are Bᵀ v.
#[derive(Debug)]
pub(super) struct Rows {
    whitened: WhitenedJacobian,
    /// G, where it is held so.
    dense: Vec<f64>,
    most_dense: usize,
    pub blocks: Vec<Block>,
    pub regularization: Vec<Regularization>,
    /// J v_free + target.
    pub g: Vec<f64>,
    /// J, column-major.
    pub j: Vec<f64>,
    panel: Vec<[f64; LANES]>,
}

impl Rows {
    pub fn new(nv: usize, contacts: usize, yields: bool) -> Rows {
        let rows = 3 * contacts;
        // Laws whose rows yield take them by trees.
        let most_dense = if yields { 0 } else { rows.min(DENSE) };
        Rows {
            whitened: WhitenedJacobian::with_capacity(1, contacts, rows * nv),
            dense: Vec::with_capacity(most_dense * most_dense),
            most_dense,
            blocks: Vec::with_capacity(contacts),
            regularization: Vec::with_capacity(if yields { contacts } else { 0 }),
            g: Vec::with_capacity(rows),
            j: Vec::with_capacity(rows * nv),
            panel: vec![[0.0; LANES]; nv],
        }
    }

    /// What a law needs room for.
    pub fn capacity(nv: usize, contacts: usize, yields: bool) -> Capacity {
        let rows = 3 * contacts;
        let by_trees = yields || rows > DENSE;
        let coordinates = if by_trees { nv } else { 0 };
        Capacity {
            rows,
            blocks: contacts,
            trees: usize::from(by_trees),
            coordinates,
            largest_tree: coordinates,
        }
    }

    /// Fills the rows of a problem with this A.
    pub fn fill(&mut self, data: &ProblemData<'_>, cone: Cone, a: &Definite) {
        let (contacts, nv) = (data.contacts(), data.v_free.len());
        let rows = 3 * contacts;
        self.blocks.clear();
        let blocks = data.friction.iter().map(|mu| cone.block(*mu));
        self.blocks.extend(blocks);
        self.regularization.clear();
        let compliances = data.compliance.chunks_exact(3);
        self.regularization
            .extend(compliances.map(|r| Regularization {
                tangential: r[0],
                normal: r[2],
            }));
        self.j.clear();
        self.j.extend_from_slice(data.j);
        self.g.clear();
        self.g.extend_from_slice(data.target);
        add_product(&self.j, data.v_free, &mut self.g);
        self.whitened.clear(std::iter::once(nv));
        for _ in 0..contacts {
            self.whitened.push(3, [Some(0), None]);
        }
        for first in (0..rows).step_by(LANES) {
            let count = LANES.min(rows - first);
            for (k, lanes) in self.panel.iter_mut().enumerate() {
                *lanes = [0.0; LANES];
                lanes[..count].copy_from_slice(&data.j[k * rows + first..][..count]);
            }
            a.solve_half(&mut self.panel);
            for lane in 0..count {
                let row = first + lane;
                let panel = self.whitened.panel_mut(row / 3, 0);
                let line = &mut panel[row % 3 * nv..][..nv];
                for (to, lanes) in line.iter_mut().zip(&self.panel) {
                    *to = lanes[lane];
                }
            }
        }
        self.whitened.finish();
        if rows <= self.most_dense {
            self.dense.clear();
            self.dense.resize(rows * rows, 0.0);
            condense(&mut self.whitened, &mut self.dense, contacts);
        }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            blocks: &self.blocks,
            delassus: match self.g.len() <= self.most_dense {
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
fn condense_kernel(h: &mut WhitenedJacobian, dense: &mut [f64], contacts: usize) {
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
    fn condense = condense_kernel(h: &mut WhitenedJacobian, dense: &mut [f64], contacts: usize)
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
