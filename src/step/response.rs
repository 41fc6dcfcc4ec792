//! The impulses' answer to variations, as a product of low rank.
//!
//! The law's derivative is dλ = −CᵀB w (IslandSolver::split, its X in B), with w = J x + δσ where x = A⁻¹ f is the
//! variation of the velocity at fixed impulses, and δσ what else varies σ. With Y = C J A⁻¹
//!
//!   dv⁺ = x + A⁻¹Jᵀ dλ = K f − Yᵀ B δσ,   K = A⁻¹ − Yᵀ (B J A⁻¹)
//!
//! K takes the place of A⁻¹ for all columns at once. Its rank, not the number of rows, sets the cost:
//! many contacts under one foot are no dearer than the six numbers that they hold.

use crate::constraint::{Constraints, Stabilization, Variation};
use crate::contact::central_path::CentralPath;
use crate::contact::law::Law;
use crate::contact::ncp::Split;
use crate::contact::panels::{NOWHERE, Panel, Panels};
use crate::contact::problem::Delassus;
use crate::dynamics::aba_derivatives::LowRank;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::{DenseInverse, solve_columns};
use crate::error::{Error, Result};
use crate::linalg::{F4, by_tile, dispatch, grow};
use crate::model::topology::{LANES, Topology};
use std::ops::Range;

/// B, C and their products. Sized at creation, but for the relaxed law's C where the problem is held by trees.
#[derive(Debug)]
pub(super) struct Response {
    /// Rank numbers of each island, the panels that hold their columns, and where a dof's column begins, in lanes.
    ranks: Vec<usize>,
    panels: Vec<Panel>,
    at: Vec<usize>,
    /// Lanes of a column of rank numbers where all dofs are one island.
    lanes: usize,
    /// Per row of the problem: columns of B and C. By trees there is no room for them, which would grow with the square of
    /// very many rows: B but selects some, and C is not formed.
    left: Vec<F4>,
    right: Vec<F4>,
    /// Where B selects rows: which of its island's rank numbers is a row's, or [`NOWHERE`].
    places: Vec<usize>,
    islands: Vec<usize>,
    /// Per dof: columns of B ∂σ/∂q, and of B (J + ∂σ/∂v).
    by_q: Vec<F4>,
    by_v: Vec<F4>,
    /// Per dof: columns of B J A⁻¹ and of Y.
    answer: Vec<F4>,
    y: Vec<F4>,
    /// Y by rows.
    y_rows: Vec<F4>,
    /// K by columns, where dofs are of one island.
    pub inverse: DenseInverse,
}

impl Response {
    /// For problems of up to `max_rows`, those of up to `max_dense` dense.
    pub fn new(t: &Topology, max_rows: usize, max_dense: usize) -> Self {
        // Deep trees have their Jacobians otherwise.
        let nv = if t.is_deep() { 0 } else { t.nv() };
        let lanes = max_rows.div_ceil(LANES);
        let panel = || Vec::with_capacity(nv * lanes);
        let square = || Vec::with_capacity(max_dense * max_dense.div_ceil(LANES));
        let inverse = DenseInverse::new(nv);
        Response {
            ranks: Vec::with_capacity(t.trees.len()),
            panels: Vec::with_capacity(t.trees.len()),
            at: vec![0; nv],
            lanes: 0,
            left: square(),
            right: square(),
            places: vec![NOWHERE; max_rows],
            islands: vec![0; max_rows],
            by_q: panel(),
            by_v: panel(),
            answer: panel(),
            y: panel(),
            y_rows: Vec::with_capacity(max_rows * inverse.stride),
            inverse,
        }
    }

    /// What the columns by q and v have beyond K times forces.
    pub fn less(&self) -> LowRank<'_> {
        LowRank {
            ranks: &self.ranks,
            rows: &self.y_rows,
            by_q: &self.by_q,
            by_v: &self.by_v,
            at: &self.at,
        }
    }

    /// B and C of the exact law. By trees each island has its own rank numbers.
    pub fn split(
        &mut self,
        c: &Constraints,
        law: &mut Law,
        t: &Topology,
        coupling: &Coupling,
    ) -> Result<Split> {
        let problem = c.problem();
        let n = match problem.delassus {
            Delassus::Trees(_) => {
                self.select(c, coupling, law.selected(&problem));
                0
            }
            Delassus::Dense(_) => {
                self.ranks.clear();
                self.ranks.push(law.rank(&problem));
                c.g.len() * law.rank(&problem).div_ceil(LANES)
            }
        };
        self.start(t, coupling);
        grow(&mut self.left, n);
        grow(&mut self.right, n);
        let stride = LANES * self.lanes;
        let left = F4::flat_mut(&mut self.left[..n]);
        law.split(&problem, stride, left, F4::flat_mut(&mut self.right[..n]))
    }

    /// B = 1 and C of the relaxed law; `w` and `dlambda` have the problem's rows. Makes room for C where there is none.
    pub fn split_relaxed(
        &mut self,
        c: &Constraints,
        path: &mut CentralPath,
        w: &mut [f64],
        dlambda: &mut [f64],
        t: &Topology,
        coupling: &Coupling,
    ) -> Split {
        let rows = c.g.len();
        self.select(c, coupling, 0..rows);
        self.start(t, coupling);
        let n = rows * self.lanes;
        self.right.reserve(n.saturating_sub(self.right.len()));
        grow(&mut self.right, n);
        self.right[..n].fill(F4::ZERO);
        let stride = LANES * self.lanes;
        for j in 0..rows {
            w.fill(0.0);
            w[j] = 1.0;
            path.apply(w, None, 1, dlambda);
            let right = F4::flat_mut(&mut self.right);
            for (i, d) in dlambda.iter().enumerate() {
                right[i * stride + j] = -d;
            }
        }
        Split::Whole
    }

    /// Takes B for the selection of these rows.
    fn select(&mut self, c: &Constraints, coupling: &Coupling, rows: impl Iterator<Item = usize>) {
        self.places[..c.g.len()].fill(NOWHERE);
        for group in 0..c.groups() {
            // What is between the world and itself moves with any island.
            let tree = c.rows.trees(group).into_iter().flatten().next();
            let island = tree.map_or(0, |tree| coupling.of_tree(tree));
            self.islands[c.range(group)].fill(island);
        }
        self.ranks.clear();
        self.ranks.resize(coupling.len(), 0);
        for row in rows {
            let rank = &mut self.ranks[self.islands[row]];
            self.places[row] = *rank;
            *rank += 1;
        }
    }

    /// Lays out the islands' panels, whose ranks are known.
    fn start(&mut self, t: &Topology, coupling: &Coupling) {
        self.panels.clear();
        let mut first = 0;
        for (island, rank) in self.ranks.iter().enumerate() {
            let lanes = rank.div_ceil(LANES);
            let count = coupling.size(island);
            self.panels.push(Panel {
                first: LANES * first,
                stride: LANES * lanes,
                count,
            });
            for (k, dof) in coupling.spans(island).iter().cloned().flatten().enumerate() {
                self.at[dof] = first + k * lanes;
            }
            first += count * lanes;
        }
        self.lanes = first / t.nv().max(1);
    }

    /// Of the panels of all islands, in lanes.
    fn size(&self) -> usize {
        let end = |p: &Panel| (p.first + p.count * p.stride) / LANES;
        self.panels.last().map_or(0, end)
    }

    /// K and the columns, from B and C. `m` is factored, `inverse` its inverse. Errors: as the solver's.
    pub fn prepare(
        &mut self,
        split: Split,
        law: &mut Law,
        c: &Constraints,
        variation: &Variation,
        s: &Stabilization,
        t: &Topology,
        kin: &Kinematics,
        m: &Factors,
        coupling: &Coupling,
        inverse: &DenseInverse,
    ) -> Result<()> {
        let n = self.size();
        for panel in [
            &mut self.by_q,
            &mut self.by_v,
            &mut self.answer,
            &mut self.y,
        ] {
            grow(panel, n);
        }
        let most = self.ranks.iter().max().copied().unwrap_or(0);
        grow(&mut self.y_rows, most * inverse.stride);
        columns(self, split, c, variation, s, t, kin);
        if split == Split::Middle {
            let stride = LANES * self.lanes;
            for panel in [&mut self.by_q, &mut self.by_v] {
                law.solve_middle(stride, F4::flat_mut(&mut panel[..n]));
            }
            if s.kd == 0.0 {
                self.answer[..n].copy_from_slice(&self.by_v[..n]);
            } else {
                law.solve_middle(stride, F4::flat_mut(&mut self.answer[..n]));
            }
        }
        let Factors::Packed(m) = m else {
            return Err(Error::internal(
                "Jacobians of deep trees come by directions",
            ));
        };
        let (panels, at) = (&self.panels, &self.at);
        let solve = |x: &mut [F4]| {
            for (island, panel) in panels.iter().enumerate() {
                let lanes = panel.stride / LANES;
                for span in coupling.spans(island).iter().filter(|_| lanes > 0) {
                    let own = &mut x[at[span.start]..][..span.len() * lanes];
                    solve_columns(m, t, span.clone(), lanes, own);
                }
            }
        };
        solve(&mut self.answer[..n]);
        match split {
            Split::Half => self.y[..n].copy_from_slice(&self.answer[..n]),
            Split::Middle | Split::Whole => solve(&mut self.y[..n]),
            Split::Adjoint => {
                let (from, to) = (F4::flat(&self.answer[..n]), F4::flat_mut(&mut self.y[..n]));
                let panels = Panels {
                    islands: &self.panels,
                    island: &self.islands,
                    place: &self.places,
                };
                law.times_right(&c.problem(), &panels, from, to)?;
            }
        }
        subtract(self, coupling, inverse);
        Ok(())
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

    /// Adds Σ xᵣ times the columns of up to three rows to that of a dof.
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

/// B ∂σ/∂q and B J where B is to the `left`, and C J where C is to the `right`: lanes from `first` on.
#[inline(always)]
fn columns_tile<const W: usize>(
    r: &mut Response,
    [left, right]: [bool; 2],
    c: &Constraints,
    variation: &Variation,
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

/// What B J has more where a share κ of the old normal velocity is kept: lanes from `first` on.
#[inline(always)]
fn kept_tile<const W: usize>(r: &mut Response, c: &Constraints, s: &Stabilization, first: usize) {
    let lanes = r.lanes;
    let tile = Tile::<W> { first, lanes };
    for b in 0..c.groups() {
        let Some(row) = c.normal_row(b) else { continue };
        for k in c.rows.dofs(b) {
            let x = F4([kept(c, s, b, k), 0.0, 0.0, 0.0]);
            tile.add(&mut r.by_v, k, &r.left, &(row..row + 1), x);
        }
    }
}

/// The same of a group's normal row and a dof.
#[inline(always)]
fn kept(c: &Constraints, s: &Stabilization, b: usize, k: usize) -> f64 {
    -s.kd * c.rows.column(b, k).0[c.range(b).len() - 1]
}

/// B ∂σ/∂q, B J, and what B J has more, where B selects rows.
fn select_columns(
    r: &mut Response,
    c: &Constraints,
    variation: &Variation,
    s: &Stabilization,
    t: &Topology,
    kin: &Kinematics,
) {
    let (at, places) = (&r.at, &r.places);
    let put = |panel: &mut [F4], dof: usize, rows: Range<usize>, x: &[f64]| {
        let column = &mut F4::flat_mut(panel)[LANES * at[dof]..];
        for (place, x) in places[rows].iter().zip(x) {
            if *place != NOWHERE {
                column[*place] += x;
            }
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
    let n = r.size();
    r.answer[..n].copy_from_slice(&r.by_v[..n]);
    for b in 0..c.groups() {
        let Some(row) = c.normal_row(b).filter(|_| s.kd != 0.0) else {
            continue;
        };
        for k in c.rows.dofs(b) {
            put(&mut r.by_v, k, row..row + 1, &[kept(c, s, b, k)]);
        }
    }
}

#[inline(always)]
fn columns_kernel(
    r: &mut Response,
    split: Split,
    c: &Constraints,
    variation: &Variation,
    s: &Stabilization,
    t: &Topology,
    kin: &Kinematics,
) {
    let n = r.size();
    for panel in [&mut r.by_q, &mut r.by_v, &mut r.y] {
        panel[..n].fill(F4::ZERO);
    }
    let left = matches!(split, Split::Half | Split::Middle);
    let sides = [left, matches!(split, Split::Middle | Split::Whole)];
    if sides != [false; 2] {
        let mut b = 0;
        while b < r.lanes {
            b += by_tile!(r.lanes - b, columns_tile(r, sides, c, variation, t, kin, b));
        }
    }
    if !left {
        return select_columns(r, c, variation, s, t, kin);
    }
    r.answer[..n].copy_from_slice(&r.by_v[..n]);
    if s.kd != 0.0 {
        let mut b = 0;
        while b < r.lanes {
            b += by_tile!(r.lanes - b, kept_tile(r, c, s, b));
        }
    }
}

#[inline(always)]
fn subtract_kernel(r: &mut Response, coupling: &Coupling, inverse: &DenseInverse) {
    let stride = inverse.stride;
    for (island, rank) in r.ranks.iter().enumerate() {
        for span in coupling.spans(island) {
            for k in span.clone() {
                let column = &F4::flat(&r.y[r.at[k]..])[..*rank];
                let rows = F4::flat_mut(&mut r.y_rows).chunks_exact_mut(stride * LANES);
                for (row, x) in rows.zip(column) {
                    row[k] = *x;
                }
            }
        }
    }
    for (island, rank) in r.ranks.iter().enumerate() {
        let dofs = coupling.spans(island);
        for k in dofs.iter().flat_map(Range::clone) {
            let out = &mut r.inverse.rows[k * stride..][..stride];
            let answer = &F4::flat(&r.answer[r.at[k]..])[..*rank];
            for span in coupling.spans(island) {
                let (mut b, end) = (span.start / LANES, span.end.div_ceil(LANES));
                while b < end {
                    b += by_tile!(
                        end - b,
                        subtract_tile(out, inverse.row(k), answer, &r.y_rows, b)
                    );
                }
            }
        }
    }
}

/// The lanes from `first` on of a row of K.
#[inline(always)]
fn subtract_tile<const W: usize>(
    out: &mut [F4],
    inverse: &[F4],
    answer: &[f64],
    y_rows: &[F4],
    first: usize,
) {
    let mut sum: [F4; W] = std::array::from_fn(|w| inverse[first + w]);
    for (x, row) in answer.iter().zip(y_rows.chunks_exact(out.len())) {
        for (sum, y) in sum.iter_mut().zip(&row[first..][..W]) {
            *sum -= *y * *x;
        }
    }
    out[first..][..W].copy_from_slice(&sum);
}

dispatch! {
    fn columns = columns_kernel(
        r: &mut Response, split: Split, c: &Constraints, variation: &Variation,
        s: &Stabilization, t: &Topology, kin: &Kinematics,
    )
}

dispatch! {
    fn subtract = subtract_kernel(r: &mut Response, coupling: &Coupling, inverse: &DenseInverse)
}
