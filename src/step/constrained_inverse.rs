//! Response of a step with impulses to variations, as a product of low rank.
//!
//! The law's derivative is dλ = −CᵀB w ([`Product`], its X in B), with w = J x + δσ. Here x = A⁻¹ f is the
//! variation of the velocity at fixed impulses, and δσ the remaining variation of σ. With Y = C J A⁻¹
//!
//!   dv⁺ = x + A⁻¹Jᵀ dλ = K f − Yᵀ B δσ,   K = A⁻¹ − Yᵀ (B J A⁻¹).
//!
//! K replaces A⁻¹ for all columns at once. The cost depends on the rank, not on the number of rows: many
//! contacts under one foot cost no more than the six numbers that they constrain. For problems that are
//! stored by trees see [`tree_inverse`](super::tree_inverse).

use super::contact_kernels::subtract_tile;
use super::tree_inverse::TreeInverse;
use crate::constraint::{ConstraintDerivative, Constraints};
use crate::contact::law::Linearized;
use crate::contact::product::{self, Product, Split};
use crate::dynamics::aba_derivatives::LowRank;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::DenseInverse;
use crate::error::{Error, Result};
use crate::linalg::{F4, by_tile, dispatch, grow};
use crate::model::topology::{LANES, Topology};
use std::ops::Range;

/// B, C and their products. Sized at creation for derivatives of low rank. For a law that gives single
/// columns only, there are as many columns as rows.
#[derive(Debug)]
pub(super) struct ConstrainedInverse {
    /// Rank, and number of lanes of a column with this many entries.
    rank: usize,
    lanes: usize,
    /// Per row of the problem: columns of B and C.
    left: Vec<F4>,
    right: Vec<F4>,
    /// Per dof: columns of B ∂σ/∂q, and of B (J + ∂σ/∂v).
    by_q: Vec<F4>,
    by_v: Vec<F4>,
    /// Per dof: columns of B J A⁻¹ and of Y.
    answer: Vec<F4>,
    y: Vec<F4>,
    /// Y by rows.
    y_rows: Vec<F4>,
    trees: TreeInverse,
    /// True if the last response is in the form by trees.
    is_by_trees: bool,
    /// K by columns, for dofs of the same island.
    pub inverse: DenseInverse,
}

/// Form of B and C.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// C = B, or both with X between.
    Half,
    Middle,
    /// B = 1.
    Whole,
}

impl ConstrainedInverse {
    pub fn new(t: &Topology, c: &Constraints) -> Self {
        // The Jacobians of deep trees are computed otherwise.
        let nv = if t.is_deep() { 0 } else { t.nv() };
        let lanes = c.max_dense().div_ceil(LANES);
        let panel = || Vec::with_capacity(nv * lanes);
        let square = || Vec::with_capacity(c.max_dense() * lanes);
        let inverse = DenseInverse::new(nv);
        ConstrainedInverse {
            rank: 0,
            lanes: 0,
            left: square(),
            right: square(),
            by_q: panel(),
            by_v: panel(),
            answer: panel(),
            y: panel(),
            y_rows: Vec::with_capacity(c.max_dense() * inverse.stride),
            trees: TreeInverse::new(t, c),
            is_by_trees: false,
            inverse,
        }
    }

    /// The part of the columns by q and v other than K times forces, if it is in product form.
    pub fn less(&self) -> Option<LowRank<'_>> {
        (!self.is_by_trees).then(|| LowRank {
            rank: self.rank,
            rows: &self.y_rows,
            by_q: &self.by_q,
            by_v: &self.by_v,
            lanes: self.lanes,
        })
    }

    /// Subtracts this part from the columns, if it is in the form by trees.
    pub fn subtract_rest(&self, coupling: &Coupling, by_q: &mut [f64], by_v: &mut [f64]) {
        if self.is_by_trees {
            self.trees.subtract_from(coupling, by_q, by_v);
        }
    }

    /// B and C of a law that gives both.
    fn split(&mut self, c: &Constraints, law: &mut dyn product::LowRank) -> Result<Form> {
        self.start(law.rank());
        let n = c.g.len() * self.lanes;
        grow(&mut self.left, n);
        grow(&mut self.right, n);
        let stride = LANES * self.lanes;
        let left = F4::flat_mut(&mut self.left[..n]);
        let right = F4::flat_mut(&mut self.right[..n]);
        Ok(match law.split(&c.problem(), stride, left, right)? {
            Split::Half => Form::Half,
            Split::Middle => Form::Middle,
        })
    }

    /// B = 1 and C by columns; `w` and `dlambda` have the problem's rows. Allocates the columns.
    fn split_columns(
        &mut self,
        nv: usize,
        c: &Constraints,
        law: &mut dyn Linearized,
        [w, dlambda]: [&mut [f64]; 2],
    ) -> Result<Form> {
        let rows = w.len();
        self.start(rows);
        let n = rows * self.lanes;
        self.reserve(nv, rows);
        grow(&mut self.right, n);
        self.right[..n].fill(F4::ZERO);
        let stride = LANES * self.lanes;
        for j in 0..rows {
            w.fill(0.0);
            w[j] = 1.0;
            law.apply(&c.problem(), w, None, 1, dlambda)?;
            let right = F4::flat_mut(&mut self.right);
            for (i, d) in dlambda.iter().enumerate() {
                right[i * stride + j] = -d;
            }
        }
        Ok(Form::Whole)
    }

    fn reserve(&mut self, nv: usize, rows: usize) {
        let lanes = rows.div_ceil(LANES);
        let reserve = |x: &mut Vec<F4>, n: usize| x.reserve(n.saturating_sub(x.len()));
        reserve(&mut self.right, rows * lanes);
        reserve(&mut self.y_rows, rows * self.inverse.stride);
        for panel in self.panels() {
            reserve(panel, nv * lanes);
        }
    }

    fn panels(&mut self) -> [&mut Vec<F4>; 4] {
        [
            &mut self.by_q,
            &mut self.by_v,
            &mut self.answer,
            &mut self.y,
        ]
    }

    fn start(&mut self, rank: usize) {
        (self.rank, self.lanes) = (rank, rank.div_ceil(LANES));
    }

    /// Computes K and the columns from the law's B and C. `m` is factored, `inverse` is its inverse;
    /// `scratch` has the problem's rows. Errors: those of the law.
    pub fn prepare(
        &mut self,
        law: &mut dyn Linearized,
        c: &Constraints,
        variation: &ConstraintDerivative,
        t: &Topology,
        kin: &Kinematics,
        m: &Factors,
        coupling: &Coupling,
        inverse: &DenseInverse,
        scratch: [&mut [f64]; 2],
    ) -> Result<()> {
        self.is_by_trees = false;
        let form = match law.product(&c.problem()) {
            Product::Islands(islands) => {
                self.is_by_trees = true;
                let (trees, out) = (&mut self.trees, &mut self.inverse);
                return trees.prepare(islands, c, variation, t, kin, coupling, inverse, out);
            }
            Product::LowRank(law) => self.split(c, law)?,
            Product::Columns => self.split_columns(t.nv(), c, law, scratch)?,
        };
        let n = t.nv() * self.lanes;
        for panel in self.panels() {
            grow(panel, n);
        }
        grow(&mut self.y_rows, self.rank * inverse.stride);
        columns(self, form, c, variation, t, kin);
        if let (Form::Middle, Product::LowRank(law)) = (form, law.product(&c.problem())) {
            let stride = LANES * self.lanes;
            for panel in [&mut self.by_q, &mut self.by_v] {
                law.solve_middle(stride, F4::flat_mut(&mut panel[..n]));
            }
            if !c.keeps_speed() {
                self.answer[..n].copy_from_slice(&self.by_v[..n]);
            } else {
                law.solve_middle(stride, F4::flat_mut(&mut self.answer[..n]));
            }
        }
        solve(m, t, self.lanes, &mut self.answer[..n])?;
        match form {
            Form::Half => self.y[..n].copy_from_slice(&self.answer[..n]),
            _ => solve(m, t, self.lanes, &mut self.y[..n])?,
        }
        subtract(self, t, inverse);
        Ok(())
    }
}

fn solve(m: &Factors, t: &Topology, lanes: usize, x: &mut [F4]) -> Result<()> {
    match lanes == 0 || m.solve_columns(t, lanes, x) {
        true => Ok(()),
        false => Err(Error::internal(
            "Jacobians of deep trees come by directions",
        )),
    }
}

/// W lanes, from `first` on, of a row's or dof's column of rank numbers.
#[derive(Clone, Copy)]
struct Tile<const W: usize> {
    first: usize,
    lanes: usize,
}

impl<const W: usize> Tile<W> {
    #[inline(always)]
    fn of(self, panel: &[F4], k: usize) -> &[F4] {
        &panel[k * self.lanes + self.first..][..W]
    }

    /// Adds Σ xᵣ times the columns of up to three rows to the column of a dof.
    #[inline(always)]
    fn add(self, panel: &mut [F4], dof: usize, columns: &[F4], rows: &Range<usize>, x: F4) {
        let to = &mut panel[dof * self.lanes + self.first..][..W];
        let (at, F4(x)) = (rows.start, x);
        if rows.len() == 3 {
            let [a, b, c] = [0, 1, 2].map(|r| self.of(columns, at + r));
            for k in 0..W {
                to[k] += a[k] * x[0] + b[k] * x[1] + c[k] * x[2];
            }
            return;
        }
        for (r, x) in rows.clone().zip(x) {
            for (to, from) in to.iter_mut().zip(self.of(columns, r)) {
                *to += *from * x;
            }
        }
    }
}

/// Adds in W lanes from `first` on: B ∂σ/∂q to `by_q` and B J to `by_v` if `left`; C J to `y` if `right`. B
/// and C are `r.left` and `r.right`.
#[inline(always)]
fn columns_tile<const W: usize>(
    r: &mut ConstrainedInverse,
    [left, right]: [bool; 2],
    c: &Constraints,
    variation: &ConstraintDerivative,
    t: &Topology,
    kin: &Kinematics,
    first: usize,
) {
    let lanes = r.lanes;
    let tile = Tile::<W> { first, lanes };
    for b in 0..c.groups() {
        let rows = c.range(b);
        for k in c.rows.dofs(b) {
            let x = c.rows.column(b, k);
            if left {
                tile.add(&mut r.by_v, k, &r.left, &rows, x);
            }
            if right {
                tile.add(&mut r.y, k, &r.right, &rows, x);
            }
        }
    }
    if !left {
        return;
    }
    for side in variation.sides() {
        for k in t.path(side.link) {
            let x = variation.column(side, kin, k);
            tile.add(&mut r.by_q, k, &r.left, &side.rows, x);
        }
    }
    for d in variation.on_dofs() {
        let x = F4([d.slope, 0.0, 0.0, 0.0]);
        tile.add(&mut r.by_q, d.dof, &r.left, &(d.row..d.row + 1), x);
    }
}

/// Adds the part of B ∂σ/∂v from normal rows whose targets depend on the velocity before the step: lanes
/// from `first` on.
#[inline(always)]
fn kept_tile<const W: usize>(r: &mut ConstrainedInverse, c: &Constraints, first: usize) {
    let lanes = r.lanes;
    let tile = Tile::<W> { first, lanes };
    for b in 0..c.groups() {
        let Some(row) = c.normal_row(b) else { continue };
        for k in c.rows.dofs(b) {
            let x = F4([by_old_speed(c, b, k), 0.0, 0.0, 0.0]);
            tile.add(&mut r.by_v, k, &r.left, &(row..row + 1), x);
        }
    }
}

/// Derivative of the target of a group's normal row by the velocity of a dof before the step.
#[inline(always)]
fn by_old_speed(c: &Constraints, b: usize, k: usize) -> f64 {
    c.by_speed(b) * c.rows.column(b, k).0[c.range(b).len() - 1]
}

/// ∂σ/∂q, J, and J + ∂σ/∂v, for B = 1.
fn whole_columns(
    r: &mut ConstrainedInverse,
    c: &Constraints,
    variation: &ConstraintDerivative,
    t: &Topology,
    kin: &Kinematics,
) {
    let (n, stride) = (t.nv() * r.lanes, LANES * r.lanes);
    let put = |panel: &mut [F4], dof: usize, rows: Range<usize>, x: &[f64]| {
        let column = &mut F4::flat_mut(panel)[dof * stride..];
        for (to, x) in column[rows].iter_mut().zip(x) {
            *to += x;
        }
    };
    for b in 0..c.groups() {
        for k in c.rows.dofs(b) {
            put(&mut r.by_v, k, c.range(b), &c.rows.column(b, k).0);
        }
    }
    for side in variation.sides() {
        for k in t.path(side.link) {
            let x = variation.column(side, kin, k);
            put(&mut r.by_q, k, side.rows.clone(), &x.0);
        }
    }
    for d in variation.on_dofs() {
        put(&mut r.by_q, d.dof, d.row..d.row + 1, &[d.slope]);
    }
    r.answer[..n].copy_from_slice(&r.by_v[..n]);
    for b in 0..c.groups() {
        let Some(row) = c.normal_row(b).filter(|_| c.keeps_speed()) else {
            continue;
        };
        for k in c.rows.dofs(b) {
            put(&mut r.by_v, k, row..row + 1, &[by_old_speed(c, b, k)]);
        }
    }
}

#[inline(always)]
fn columns_kernel(
    r: &mut ConstrainedInverse,
    form: Form,
    c: &Constraints,
    variation: &ConstraintDerivative,
    t: &Topology,
    kin: &Kinematics,
) {
    let n = t.nv() * r.lanes;
    for panel in [&mut r.by_q, &mut r.by_v, &mut r.y] {
        panel[..n].fill(F4::ZERO);
    }
    let left = form != Form::Whole;
    let sides = [left, form != Form::Half];
    let mut b = 0;
    while b < r.lanes {
        b += by_tile!(r.lanes - b, columns_tile(r, sides, c, variation, t, kin, b));
    }
    if !left {
        return whole_columns(r, c, variation, t, kin);
    }
    r.answer[..n].copy_from_slice(&r.by_v[..n]);
    if c.keeps_speed() {
        let mut b = 0;
        while b < r.lanes {
            b += by_tile!(r.lanes - b, kept_tile(r, c, b));
        }
    }
}

#[inline(always)]
fn subtract_kernel(r: &mut ConstrainedInverse, t: &Topology, inverse: &DenseInverse) {
    let (nv, rank, stride, lanes) = (t.nv(), r.rank, inverse.stride, r.lanes);
    for k in 0..nv {
        let column = &F4::flat(&r.y[k * lanes..])[..rank];
        let rows = F4::flat_mut(&mut r.y_rows).chunks_exact_mut(stride * LANES);
        for (row, x) in rows.zip(column) {
            row[k] = *x;
        }
    }
    for k in 0..nv {
        let out = &mut r.inverse.rows[k * stride..][..stride];
        let answer = &F4::flat(&r.answer[k * lanes..])[..rank];
        let mut b = 0;
        while b < stride {
            b += by_tile!(
                stride - b,
                subtract_tile(out, inverse.row(k), answer, &r.y_rows, b)
            );
        }
    }
}

dispatch! {
    fn columns = columns_kernel(
        r: &mut ConstrainedInverse, form: Form, c: &Constraints, variation: &ConstraintDerivative,
        t: &Topology, kin: &Kinematics,
    )
}

dispatch! {
    fn subtract = subtract_kernel(r: &mut ConstrainedInverse, t: &Topology, inverse: &DenseInverse)
}
