//! The matrix of a stage, ∂r/∂w, and its factors.

use super::balance::Balance;
use super::stage::Rule;
use crate::dynamics::tree_lu::TreeLu;
use crate::force::Forces;
use crate::integrator::implicit::{Motion, Slope};
use crate::joint::{LinkMatrix, block_tr_mul};
use crate::linalg::Lu;
use crate::model::topology::{Link, Topology};

/// Up to so many dofs there is room for all entries, should the tree's order of elimination meet a tiny pivot.
const SMALL: usize = 256;

/// A pivot at most this share of its row counts as zero.
const TINY: f64 = 1e-14;

/// H, then its factors: along the tree, or with pivots where forces join branches, the tree is deep or refuses a pivot.
#[derive(Clone, Debug)]
pub(in crate::step) struct Solver {
    /// None of a deep tree.
    tree: Option<TreeLu>,
    is_tree: bool,
    /// By rows; empty where it may never be needed.
    dense: Vec<f64>,
    lu: Lu,
    scratch: Vec<[f64; 1]>,
    x: Vec<[f64; 1]>,
}

/// What a', v' and q' vary by per unit of w, of one link: M, D and Q are multiplied by these from the right.
struct ByUnknown([LinkMatrix; 3]);

impl ByUnknown {
    fn of(rule: &Rule, blocks: &[LinkMatrix]) -> ByUnknown {
        let sum = |terms: &[(f64, Slope)]| {
            let mut m: LinkMatrix = Default::default();
            for (scale, slope) in terms {
                for (m, b) in m.iter_mut().zip(&blocks[*slope as usize]) {
                    *m += *b * *scale;
                }
            }
            m
        };
        let Rule {
            displacement,
            rate,
            share,
            ..
        } = *rule;
        ByUnknown([
            sum(&[
                (rate, Slope::Velocity),
                (share, Slope::AccelerationByVelocity),
                (displacement, Slope::AccelerationByPosition),
            ]),
            sum(&[
                (share, Slope::Velocity),
                (displacement, Slope::VelocityByPosition),
            ]),
            sum(&[(displacement, Slope::Position)]),
        ])
    }

    /// A row of H in the columns of the link from those of M, D and Q.
    fn row(&self, rows: [[f64; 6]; 3], n: usize) -> [f64; 6] {
        let mut sum = [0.0; 6];
        for (m, mut row) in self.0.iter().zip(rows) {
            block_tr_mul(m, &mut row[..n]);
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += x;
            }
        }
        sum
    }
}

impl Solver {
    pub fn new(t: &Topology, forces: &Forces) -> Solver {
        let nv = t.nv();
        let room = match t.is_deep() || forces.may_cross() || nv <= SMALL {
            true => nv,
            false => 0,
        };
        Solver {
            tree: (!t.is_deep()).then(|| TreeLu::new(t)),
            is_tree: !t.is_deep(),
            dense: vec![0.0; room * room],
            lu: Lu::new(room),
            scratch: vec![[0.0]; room],
            x: vec![[0.0]; room],
        }
    }

    /// Factors ∂r/∂w; the dof at which it is singular, if it is.
    pub fn factor(
        &mut self,
        t: &Topology,
        rule: &Rule,
        motion: &Motion,
        balance: &Balance,
    ) -> Result<(), usize> {
        let mut singular = None;
        if let Some(tree) = self.tree.as_mut().filter(|_| !balance.joins_branches()) {
            fill_tree(tree, t, rule, motion, balance);
            singular = tree.factor(t);
        }
        self.is_tree = self.tree.is_some() && !balance.joins_branches() && singular.is_none();
        if self.is_tree {
            return Ok(());
        }
        let nv = t.nv();
        if self.dense.len() < nv * nv {
            return Err(singular.unwrap_or(0));
        }
        self.fill_dense(t, rule, motion, balance);
        match self.lu.factor(&self.dense, nv, nv, TINY) {
            true => Ok(()),
            false => Err(singular.unwrap_or(0)),
        }
    }

    fn fill_dense(&mut self, t: &Topology, rule: &Rule, motion: &Motion, balance: &Balance) {
        let nv = t.nv();
        self.dense.fill(0.0);
        let related = |a, b| balance.joins_branches() || t.are_on_a_path(a, b);
        for row in 0..nv {
            for column in (0..nv).filter(|c| related(row, *c)) {
                let [m, d, q] = balance.entry(t, row, column);
                self.dense[row * nv + column] =
                    rule.rate * m + rule.share * d + rule.displacement * q;
            }
        }
        for (l, blocks) in motion.wide(t) {
            let by = ByUnknown::of(rule, blocks);
            for row in 0..nv {
                if !related(row, l.iv) {
                    continue;
                }
                let x = by.row(rows(t, balance, row, l), l.nv);
                self.dense[row * nv + l.iv..][..l.nv].copy_from_slice(&x[..l.nv]);
            }
        }
    }

    /// x ← H⁻¹ x.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        if let Some(tree) = self.tree.as_ref().filter(|_| self.is_tree) {
            return tree.solve(t, x);
        }
        self.x.as_flattened_mut().copy_from_slice(x);
        self.lu.solve(&mut self.x, &mut self.scratch);
        x.copy_from_slice(self.x.as_flattened());
    }

    /// x ← H⁻ᵀ x.
    pub fn solve_transposed(&mut self, t: &Topology, x: &mut [f64]) {
        if let Some(tree) = self.tree.as_ref().filter(|_| self.is_tree) {
            return tree.solve_transposed(t, x);
        }
        self.x.as_flattened_mut().copy_from_slice(x);
        self.lu.solve_transpose(&mut self.x, &mut self.scratch);
        x.copy_from_slice(self.x.as_flattened());
    }
}

fn fill_tree(tree: &mut TreeLu, t: &Topology, rule: &Rule, motion: &Motion, balance: &Balance) {
    let plain = |m: f64, d: f64, q: f64| rule.rate * m + rule.share * d + rule.displacement * q;
    for k in 0..t.nv() {
        let Some([m, above_v, above_q, below_v, below_q]) = balance.rows(t, k) else {
            continue;
        };
        let [above, below] = tree.row_mut(t, k);
        for (d, m) in m.iter().enumerate() {
            above[d] = plain(*m, above_v[d], above_q[d]);
            below[d] = plain(*m, below_v[d], below_q[d]);
        }
    }
    for (l, blocks) in motion.wide(t) {
        let by = ByUnknown::of(rule, blocks);
        for row in t.path(l.parent).chain(l.iv..t.dofs[l.iv].end) {
            let x = by.row(rows(t, balance, row, l), l.nv);
            for (c, x) in l.dofs().zip(x) {
                let [above, below] = tree.row_mut(t, row.max(c));
                let d = t.dofs[row.min(c)].depth;
                match row <= c {
                    true => above[d] = x,
                    false => below[d] = x,
                }
            }
        }
    }
}

/// A row of M, D and Q in the columns of a link.
fn rows(t: &Topology, balance: &Balance, row: usize, l: &Link) -> [[f64; 6]; 3] {
    let mut all = [[0.0; 6]; 3];
    for (k, c) in l.dofs().enumerate() {
        for (to, x) in all.iter_mut().zip(balance.entry(t, row, c)) {
            to[k] = x;
        }
    }
    all
}
