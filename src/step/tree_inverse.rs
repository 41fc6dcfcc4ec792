//! Response of a step with impulses to variations, for problems that are stored by trees.
//!
//! As in [`response`](super::constrained_inverse), with B = 1 and with C known by its products only. Row by
//! row the product would have the rank of all rows, many times the number of dofs in a pile. But J and
//! ∂σ/∂q have few entries per row, on the dofs of at most two trees. Summed over rows first,
//!
//!   Z = Yᵀ J,   Q = Yᵀ ∂σ/∂q,   K = A⁻¹ − Z A⁻¹
//!
//! cost, for each row, its entries times the dofs of its island. Only a few columns of Y = C J A⁻¹ are in
//! memory at once.

use super::contact_kernels::subtract_tile;
use crate::constraint::{ConstraintDerivative, Constraints};
use crate::contact::product::{Columns, Islands};
use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::DenseInverse;
use crate::error::Result;
use crate::linalg::{F4, LANES, by_tile, dispatch, grow};
use crate::model::topology::Topology;
use std::ops::Range;

/// Workspace. Allocates nothing if problems are always dense.
#[derive(Debug)]
pub(super) struct TreeInverse {
    homes: Vec<Home>,
    /// ∂σ/∂q at the entries of the rows.
    slopes: Vec<F4>,
    /// Rows per dof, as long as those of the dense inverse: of Zᵀ, of Qᵀ, and of Zᵀ plus the part of ∂σ/∂v.
    z: Vec<F4>,
    by_q: Vec<F4>,
    by_v: Vec<F4>,
    /// True if `by_v` differs from `z`.
    keeps: bool,
    stride: usize,
}

/// Place of a block of the problem: its group, and its rows in the group.
#[derive(Clone, Copy, Debug)]
struct Home {
    group: usize,
    first: usize,
    rows: usize,
}

impl Home {
    /// The block's part of a column of the group.
    #[inline(always)]
    fn of(&self, F4([a, b, c, _]): F4) -> [f64; 3] {
        match (self.rows, self.first) {
            (1, 0) => [a, 0.0, 0.0],
            (1, 1) => [b, 0.0, 0.0],
            (1, _) => [c, 0.0, 0.0],
            _ => [a, b, c],
        }
    }
}

impl TreeInverse {
    pub fn new(t: &Topology, c: &Constraints) -> TreeInverse {
        let room = |n: usize| {
            if c.may_be_by_trees() && !t.is_deep() {
                n
            } else {
                0
            }
        };
        let stride = t.nv().div_ceil(4);
        let square = || Vec::with_capacity(room(t.nv() * stride));
        TreeInverse {
            homes: Vec::with_capacity(room(c.max_blocks())),
            slopes: Vec::with_capacity(room(c.rows.most_entries())),
            z: square(),
            by_q: square(),
            by_v: square(),
            keeps: false,
            stride,
        }
    }

    /// Writes K into `out`, and computes the remaining part of the columns. `inverse` is M⁻¹. Errors: those
    /// of the law.
    pub fn prepare(
        &mut self,
        islands: &mut dyn Islands,
        c: &Constraints,
        variation: &ConstraintDerivative,
        t: &Topology,
        kin: &Kinematics,
        coupling: &Coupling,
        inverse: &DenseInverse,
        out: &mut DenseInverse,
    ) -> Result<()> {
        self.keeps = c.keeps_speed();
        self.find_homes(c);
        self.fill_slopes(c, variation, t, kin);
        let n = t.nv() * self.stride;
        let TreeInverse { z, by_q, by_v, .. } = self;
        let lines = [(z, true), (by_q, true), (by_v, self.keeps)];
        let [z, by_q, by_v] = lines.map(|(lines, is_used)| {
            let n = if is_used { n } else { 0 };
            grow(lines, n);
            let lines = F4::flat_mut(&mut lines[..n]);
            for (dof, line) in lines.chunks_exact_mut(4 * inverse.stride).enumerate() {
                for span in coupling.spans(coupling.of_dof(dof)) {
                    line[span.clone()].fill(0.0);
                }
            }
            lines
        });
        let mut panels = Panels {
            c,
            t,
            coupling,
            inverse,
            homes: &self.homes,
            slopes: &self.slopes,
            keeps: self.keeps,
            stride: 4 * self.stride,
            z,
            by_q,
            by_v,
        };
        islands.times_right(&c.problem(), &mut panels)?;
        complete(&self.z[..n], t, coupling, inverse, out);
        Ok(())
    }

    /// Subtracts from columns, nv × nv, their part other than K times forces.
    pub fn subtract_from(&self, coupling: &Coupling, by_q: &mut [f64], by_v: &mut [f64]) {
        let less_v = if self.keeps { &self.by_v } else { &self.z };
        let (nv, stride) = (coupling.dofs(), 4 * self.stride);
        for (out, less) in [(by_q, &self.by_q), (by_v, less_v)] {
            let lines = F4::flat(less).chunks_exact(stride.max(1));
            for (k, (out, less)) in out.chunks_exact_mut(nv.max(1)).zip(lines).enumerate() {
                for span in coupling.spans(coupling.of_dof(k)) {
                    for (out, less) in out[span.clone()].iter_mut().zip(&less[span.clone()]) {
                        *out -= less;
                    }
                }
            }
        }
    }

    fn find_homes(&mut self, c: &Constraints) {
        self.homes.clear();
        for (group, source) in c.sources.iter().enumerate() {
            let rows = c.range(group).len();
            let count = source.blocks(rows);
            let rows = rows / count;
            self.homes
                .extend((0..count).map(|first| Home { group, first, rows }));
        }
    }

    fn fill_slopes(
        &mut self,
        c: &Constraints,
        variation: &ConstraintDerivative,
        t: &Topology,
        kin: &Kinematics,
    ) {
        let rows = &c.rows;
        grow(&mut self.slopes, rows.entries_in_use());
        for group in 0..c.groups() {
            for (entry, _) in rows.entries_of(group) {
                self.slopes[entry] = F4::ZERO;
            }
        }
        let group_of = |row: usize| c.offsets.partition_point(|first| *first <= row) - 1;
        for side in variation.sides() {
            let group = group_of(side.rows.start);
            for dof in t.path(side.link) {
                self.slopes[rows.entry(group, dof)] += variation.column(side, kin, dof);
            }
        }
        for d in variation.on_dofs() {
            let group = group_of(d.row);
            let slope = &mut self.slopes[rows.entry(group, d.dof)];
            slope.0[d.row - c.offsets[group]] += d.slope;
        }
    }
}

/// The columns of J A⁻¹ by dofs, and the sums to which the columns of Y contribute.
struct Panels<'a> {
    c: &'a Constraints,
    t: &'a Topology,
    coupling: &'a Coupling,
    inverse: &'a DenseInverse,
    homes: &'a [Home],
    slopes: &'a [F4],
    /// True if normal rows depend on the velocity before the step.
    keeps: bool,
    /// Entries of a row.
    stride: usize,
    z: &'a mut [f64],
    by_q: &'a mut [f64],
    by_v: &'a mut [f64],
}

impl Columns for Panels<'_> {
    fn count(&self, block: usize) -> usize {
        self.members(self.homes[block].group).len()
    }

    fn most(&self) -> usize {
        self.coupling.largest()
    }

    fn read(&self, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]) {
        read(self, blocks, first, x);
    }

    fn take(&mut self, blocks: &[usize], first: usize, y: &[[f64; LANES]]) {
        take(self, blocks, first, y);
    }
}

impl<'a> Panels<'a> {
    /// The dofs of a group's island.
    #[inline(always)]
    fn members(&self, group: usize) -> &'a [usize] {
        // A group whose bodies are both fixed to the world depends on no dof.
        match self.c.rows.trees(group).into_iter().flatten().next() {
            Some(tree) => self.coupling.members(self.coupling.of_tree(tree)),
            None => &[],
        }
    }

    /// The members from number `first` on, at most [`LANES`].
    #[inline(always)]
    fn some(&self, group: usize, first: usize) -> &'a [usize] {
        let all = self.members(group);
        let rest = &all[first.min(all.len())..];
        &rest[..rest.len().min(LANES)]
    }
}

#[inline(always)]
fn read_kernel(p: &Panels<'_>, blocks: &[usize], first: usize, x: &mut [[f64; LANES]]) {
    let (rows, mut at) = (&p.c.rows, 0);
    for home in blocks.iter().map(|b| p.homes[*b]) {
        let lines = &mut x[at..at + home.rows];
        at += home.rows;
        lines.fill([0.0; LANES]);
        let dofs = p.some(home.group, first);
        let [Some(from), Some(to)] = [dofs.first(), dofs.last()] else {
            continue;
        };
        let is_near = |tree: usize| {
            let tree = &p.t.trees[tree];
            tree.first_dof <= *to && *from < tree.end_dof
        };
        if !rows.trees(home.group).into_iter().flatten().any(is_near) {
            continue;
        }
        // The inverse is zero between trees, and symmetric.
        for (entry, d) in rows.entries_of(home.group) {
            let answer = F4::flat(p.inverse.row(d));
            let mut lanes = [0.0; LANES];
            if to - from == LANES - 1 {
                lanes.copy_from_slice(&answer[*from..][..LANES]);
            } else {
                for (lane, dof) in lanes.iter_mut().zip(dofs) {
                    *lane = answer[*dof];
                }
            }
            for (line, x) in lines.iter_mut().zip(home.of(rows.at(entry))) {
                for (line, lane) in line.iter_mut().zip(&lanes) {
                    *line += x * lane;
                }
            }
        }
    }
}

dispatch! {
    fn read = read_kernel(p: &Panels<'_>, blocks: &[usize], first: usize, x: &mut [[f64; LANES]])
}

#[inline(always)]
fn take_kernel(p: &mut Panels<'_>, blocks: &[usize], first: usize, y: &[[f64; LANES]]) {
    let (rows, mut at) = (&p.c.rows, 0);
    for home in blocks.iter().map(|b| p.homes[*b]) {
        let mut lines = [[0.0; LANES]; 3];
        lines[..home.rows].copy_from_slice(&y[at..at + home.rows]);
        at += home.rows;
        if lines == [[0.0; LANES]; 3] {
            continue;
        }
        let dofs = p.some(home.group, first);
        let normal = p.c.normal_row(home.group).is_some();
        for (entry, d) in rows.entries_of(home.group) {
            let (jac, slope) = (home.of(rows.at(entry)), home.of(p.slopes[entry]));
            let line = d * p.stride..(d + 1) * p.stride;
            add(jac, &lines, dofs, &mut p.z[line.clone()]);
            add(slope, &lines, dofs, &mut p.by_q[line.clone()]);
            if p.keeps {
                let mut more = jac;
                if normal {
                    more[home.rows - 1] *= 1.0 + p.c.by_speed(home.group);
                }
                add(more, &lines, dofs, &mut p.by_v[line]);
            }
        }
    }
}

dispatch! {
    fn take = take_kernel(p: &mut Panels<'_>, blocks: &[usize], first: usize, y: &[[f64; LANES]])
}

/// Adds a combination of three rows to the entries of some dofs.
#[inline(always)]
fn add(weights: [f64; 3], lines: &[[f64; LANES]; 3], dofs: &[usize], to: &mut [f64]) {
    let ([a, b, c], [x, y, z]) = (weights, lines);
    let mut sum = [0.0; LANES];
    for k in 0..LANES {
        sum[k] = a * x[k] + b * y[k] + c * z[k];
    }
    if let [first, .., last] = *dofs
        && last - first == LANES - 1
    {
        let to = &mut to[first..first + LANES];
        for k in 0..LANES {
            to[k] += sum[k];
        }
        return;
    }
    for (dof, x) in dofs.iter().zip(sum) {
        to[*dof] += x;
    }
}

#[inline(always)]
fn complete_kernel(
    z: &[F4],
    t: &Topology,
    coupling: &Coupling,
    inverse: &DenseInverse,
    out: &mut DenseInverse,
) {
    let stride = inverse.stride;
    for (k, tree) in t.trees.iter().enumerate() {
        let lines = &z[tree.first_dof * stride..];
        for dof in tree.first_dof..tree.end_dof {
            let out = &mut out.rows[dof * stride..][..stride];
            let answer = &F4::flat(inverse.row(dof))[tree.first_dof..tree.end_dof];
            for Range { start, end } in coupling.spans(coupling.of_tree(k)).iter().cloned() {
                let (mut b, end) = (start / 4, end.div_ceil(4));
                while b < end {
                    b += by_tile!(
                        end - b,
                        subtract_tile(out, inverse.row(dof), answer, lines, b)
                    );
                }
            }
        }
    }
}

dispatch! {
    /// K by columns from Zᵀ: combines the rows of dofs with the responses of the dofs of their tree.
    fn complete = complete_kernel(
        z: &[F4], t: &Topology, coupling: &Coupling, inverse: &DenseInverse, out: &mut DenseInverse,
    )
}
