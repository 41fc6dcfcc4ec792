//! The derivative of the solution, and its transpose, from one factorization.
//!
//! Let w = dG λ + dg be the variation of σ at fixed λ. Variations of friction coefficients and bounds
//! move the faces by d = ∂λ/∂(μ, bound) at fixed mode and direction:
//!
//!   dλ = d − R A⁻¹ Lᵀ (w + G d),     A = Lᵀ G R + Q.
//!
//! If active rows are linearly dependent, A⁻¹ is A⁺: dλ is then the least-norm one, and only G dλ and Jᵀdλ
//! are unique.

use super::NcpSolver;
use super::active_set::Purpose;
use super::modes::largest;
use super::wide::{self, WIDEST, Wide};
use super::work::Work;
use crate::contact::certificate::Certificate;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem};
use crate::contact::product::{LowRank, Split};
use crate::error::{Error, Result};
use crate::linalg::LANES;

/// Size of the linearized system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Unknowns: three for a sticking contact, two for a sliding one, one for any other active row.
    pub unknowns: usize,
    /// Rank of the system. If it is below `unknowns`, contacts are redundant and dλ is not unique.
    pub independent: usize,
}

impl NcpSolver {
    /// The largest velocity of an active row in `w` plus the response to it ([`NcpSolver::apply`]); and the
    /// largest one in `w`. Call it after [`NcpSolver::linearize`]. The first number is round-off if the
    /// active rows are consistent. If dependent rows require a motion that no impulse can cause, it
    /// measures their inconsistency. `dlambda` is scratch.
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub fn left_over(
        &mut self,
        problem: &Problem,
        w: &[f64],
        dlambda: &mut [f64],
    ) -> Result<[f64; 2]> {
        let asked = &mut self.panel.as_chunks_mut::<1>().0[..self.active_set.order];
        self.active_set.restrict(|r| [w[r]], asked);
        let size = largest(asked.as_flattened());
        if self.active_set.only_idle_depend(problem) {
            // The equations of all other unknowns have a solution.
            let idle = self.active_set.idle(problem);
            return Ok([idle.fold(0.0, |m, k| m.max(asked[k][0].abs())), size]);
        }
        self.apply(problem, w, None, 1, dlambda)?;
        let mut held = std::mem::take(&mut self.work.free);
        held.copy_from_slice(w);
        self.add_response(problem, dlambda, &mut held);
        let left = &mut self.panel.as_chunks_mut::<1>().0[..self.active_set.order];
        self.active_set.restrict(|r| [held[r]], left);
        self.active_set.add_turns(dlambda, left);
        self.work.free = held;
        Ok([largest(left.as_flattened()), size])
    }

    /// Whether active rows may be linearly dependent. Call it after [`NcpSolver::linearize`].
    pub fn may_be_deficient(&self) -> bool {
        self.active_set.may_be_deficient()
    }

    /// Size of the linearized system. Call it after [`NcpSolver::linearize`].
    pub fn rank(&self) -> Rank {
        Rank {
            unknowns: self.active_set.order,
            independent: self.active_set.rank(),
        }
    }

    /// Prepares [`NcpSolver::apply`] and its transpose at the last solution. `problem` is the problem
    /// that was solved. The factorization of the solve is kept if it is that of the solution; otherwise
    /// it is repeated.
    ///
    /// Errors: `NoStep` before a successful solve, `InvalidArgument` for a problem of another shape,
    /// `NotConverged` if the last solution is not certified, because its derivative would have no
    /// meaning.
    pub fn linearize(&mut self, problem: &Problem) -> Result<Rank> {
        if self.last.is_some() {
            self.check_same(problem)?;
        }
        NcpSolver::check_certificate(self.last.as_ref())?;
        if self.linearized {
            return Ok(self.rank());
        }
        let was_deficient =
            self.factored && !self.active_set.symmetric && self.active_set.deficient();
        self.active_set.set_faces(problem.blocks, &self.work);
        if !self.factored || !self.active_set.is_factored() {
            // The factorization of the solve had nearly the same matrix.
            let purpose = match was_deficient {
                true => Purpose::Deficient,
                false => Purpose::Rank,
            };
            self.active_set.factor(problem, purpose);
            self.factored = true;
        }
        self.linearized = true;
        Ok(self.rank())
    }

    /// Keeps the modes of the solution and their factors, until [`NcpSolver::put_back`].
    pub(super) fn keep_solution(&mut self) {
        self.work.keep_verified();
        self.active_set.keep();
    }

    /// Factors the present modes.
    pub(super) fn factor_modes(&mut self, problem: &Problem) {
        self.active_set.set_aside();
        self.active_set.set_faces(problem.blocks, &self.work);
        self.active_set.factor(problem, Purpose::Rank);
    }

    /// Restores the modes and the factors of [`NcpSolver::keep_solution`].
    pub(super) fn put_back(&mut self, problem: &Problem) {
        self.work.restore_verified();
        self.active_set.take_up(problem);
    }

    /// The certificate of a solution that has a derivative. Errors: as [`NcpSolver::linearize`].
    pub(in crate::contact) fn check_certificate(last: Option<&Certificate>) -> Result<Certificate> {
        let Some(certificate) = last else {
            return Err(Error::no_step("linearization asked for before a solve"));
        };
        if !certificate.converged {
            return Err(Error::not_converged(format!(
                "the last solution has residual {:e}: it has no derivative",
                certificate.residual()
            )));
        }
        Ok(*certificate)
    }

    /// dλ for `columns` directions. `w` is n × columns, column-major. `limits` (blocks × columns, or
    /// `None`) holds dμ of contacts and dbound of boxes. `dlambda` receives n × columns.
    ///
    /// Errors: `NoStep` without [`NcpSolver::linearize`], `InvalidArgument` for a wrong size.
    pub fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        self.check(
            problem,
            columns,
            [("w", w.len()), ("dlambda", dlambda.len())],
            limits.map(<[f64]>::len),
        )?;
        let (n, nb) = (problem.rows(), problem.blocks.len());
        for start in (0..columns).step_by(LANES) {
            let lanes = LANES.min(columns - start);
            let part = start * n..(start + lanes) * n;
            let limits = limits.map(|l| &l[start * nb..(start + lanes) * nb]);
            if lanes == 1 {
                self.apply_panel::<1>(problem, &w[part.clone()], limits, lanes, &mut dlambda[part]);
            } else {
                self.apply_panel::<LANES>(
                    problem,
                    &w[part.clone()],
                    limits,
                    lanes,
                    &mut dlambda[part],
                );
            }
        }
        Ok(())
    }

    fn apply_panel<const W: usize>(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        lanes: usize,
        dlambda: &mut [f64],
    ) {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        let (panel, scratch) = (
            lanes_of::<W>(&mut self.panel),
            lanes_of::<W>(&mut self.panel_scratch),
        );
        dlambda.fill(0.0);
        let m = self.active_set.order;
        match limits {
            None => self.active_set.restrict(
                |r| std::array::from_fn(|k| if k < lanes { w[k * n + r] } else { 0.0 }),
                panel,
            ),
            Some(limits) => {
                // `dlambda` holds w + G d until the solution overwrites it.
                dlambda.copy_from_slice(w);
                for k in 0..lanes {
                    for i in 0..nb {
                        let rate = limits[k * nb + i];
                        if rate != 0.0 {
                            let d = face_rate(problem, &self.work, i, rate);
                            let sigma = &mut dlambda[k * n..(k + 1) * n];
                            add_columns(problem, &self.work, i, &d, sigma);
                        }
                    }
                }
                self.active_set.restrict(
                    |r| std::array::from_fn(|k| if k < lanes { dlambda[k * n + r] } else { 0.0 }),
                    panel,
                );
                dlambda.fill(0.0);
            }
        }
        self.active_set.solve(problem, &mut panel[..m], scratch);
        self.active_set.expand(&panel[..m], |row, value| {
            for k in 0..lanes {
                dlambda[k * n + row] = -value[k];
            }
        });
        let Some(limits) = limits else { return };
        for k in 0..lanes {
            for i in 0..nb {
                let rate = limits[k * nb + i];
                if rate != 0.0 {
                    let d = face_rate(problem, &self.work, i, rate);
                    for (row, d) in self.work.part(i).zip(d) {
                        dlambda[k * n + row] += d;
                    }
                }
            }
        }
    }

    /// The adjoint: from λ̄ = ∂ℓ/∂λ (n × columns) to w̄ (n × columns) and, if requested, the adjoints of
    /// μ and bounds (blocks × columns), such that ⟨λ̄, dλ⟩ = ⟨w̄, w⟩ + ⟨limits̄, limits⟩ for every
    /// direction of [`NcpSolver::apply`].
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        columns: usize,
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let sizes = [("lambda_bar", lambda_bar.len()), ("w_bar", w_bar.len())];
        self.check(
            problem,
            columns,
            sizes,
            limits_bar.as_deref().map(<[f64]>::len),
        )?;
        let n = problem.rows();
        for start in (0..columns).step_by(LANES) {
            let lanes = LANES.min(columns - start);
            let part = start * n..(start + lanes) * n;
            if lanes == 1 {
                self.transpose_panel::<1>(
                    problem,
                    &lambda_bar[part.clone()],
                    lanes,
                    &mut w_bar[part],
                );
            } else {
                self.transpose_panel::<LANES>(
                    problem,
                    &lambda_bar[part.clone()],
                    lanes,
                    &mut w_bar[part],
                );
            }
        }
        let Some(limits_bar) = limits_bar else {
            return Ok(());
        };
        let nb = problem.blocks.len();
        for k in 0..columns {
            // d̄ = λ̄ + G w̄, then ⟨d̄, ∂d/∂limit⟩ block by block.
            let d_bar = &mut self.work.free;
            d_bar.copy_from_slice(&lambda_bar[k * n..(k + 1) * n]);
            for i in 0..nb {
                let (at, end) = (self.work.offsets[i], self.work.offsets[i + 1]);
                problem
                    .delassus
                    .add_columns(i, at, &w_bar[k * n + at..k * n + end], d_bar);
            }
            for i in 0..nb {
                let d = face_rate(problem, &self.work, i, 1.0);
                let own = d.iter().zip(&self.work.free[self.work.part(i)]);
                limits_bar[k * nb + i] = own.map(|(a, b)| a * b).sum();
            }
        }
        Ok(())
    }

    /// Replaces λ̄ by −w̄ of [`NcpSolver::apply_transpose`], for several columns in lanes.
    ///
    /// Errors: as [`NcpSolver::apply`].
    pub fn transpose_lanes(&mut self, problem: &Problem, x: &mut [[f64; LANES]]) -> Result<()> {
        self.check(problem, 1, [("x", x.len()), ("x", x.len())], None)?;
        let (panel, scratch) = (
            lanes_of::<LANES>(&mut self.panel),
            lanes_of::<LANES>(&mut self.panel_scratch),
        );
        let panel = &mut panel[..self.active_set.order];
        self.active_set.restrict_right(|row| x[row], panel);
        self.active_set.solve_transpose(problem, panel, scratch);
        x.fill([0.0; LANES]);
        self.active_set
            .expand_left(panel, |row, value| x[row] = value);
        Ok(())
    }

    fn transpose_panel<const W: usize>(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        lanes: usize,
        w_bar: &mut [f64],
    ) {
        let n = problem.rows();
        let (panel, scratch) = (
            lanes_of::<W>(&mut self.panel),
            lanes_of::<W>(&mut self.panel_scratch),
        );
        let m = self.active_set.order;
        self.active_set.restrict_right(
            |r| {
                std::array::from_fn(|k| {
                    if k < lanes {
                        lambda_bar[k * n + r]
                    } else {
                        0.0
                    }
                })
            },
            panel,
        );
        self.active_set
            .solve_transpose(problem, &mut panel[..m], scratch);
        w_bar.fill(0.0);
        self.active_set.expand_left(&panel[..m], |row, value| {
            for k in 0..lanes {
                w_bar[k * n + row] = -value[k];
            }
        });
    }

    /// Checks that the problem has the shape of the one that was solved.
    fn check_same(&self, problem: &Problem) -> Result<()> {
        let offsets = &self.work.offsets;
        let same = problem.rows() == self.work.lambda.len()
            && problem.blocks.len() == self.work.modes.len()
            && problem
                .blocks
                .iter()
                .zip(offsets.windows(2))
                .all(|(block, at)| block.rows() == at[1] - at[0]);
        if !same {
            return Err(Error::invalid(format!(
                "a problem of {} rows in {} blocks, but {} in {} were solved last, or in other blocks",
                problem.rows(),
                problem.blocks.len(),
                self.work.lambda.len(),
                self.work.modes.len()
            )));
        }
        problem.delassus.check_shape(problem.blocks, problem.rows())
    }

    pub(super) fn check(
        &self,
        problem: &Problem,
        columns: usize,
        sizes: [(&str, usize); 2],
        limits: Option<usize>,
    ) -> Result<()> {
        if !self.linearized {
            return Err(Error::no_step("the last solution was not linearized"));
        }
        self.check_same(problem)?;
        let (n, nb) = (self.work.lambda.len(), self.work.modes.len());
        for (name, size) in sizes {
            if size != n * columns {
                return Err(Error::invalid(format!(
                    "{name} has {size} entries, expected {n} × {columns}"
                )));
            }
        }
        match limits {
            Some(size) if size != nb * columns => Err(Error::invalid(format!(
                "limits have {size} entries, expected {nb} × {columns}"
            ))),
            _ => Ok(()),
        }
    }
}

impl LowRank for NcpSolver {
    fn rank(&self) -> usize {
        self.rank().independent
    }

    /// The map w ↦ −dλ of [`NcpSolver::apply`] as CᵀXB with B and C rank × n. Column i of each is at
    /// `i·stride` of `left` and `right`, padded with zeros.
    ///
    /// Errors: `NoStep` without [`NcpSolver::linearize`], `InvalidArgument` for a wrong size or a stride
    /// below the rank.
    fn split(
        &mut self,
        problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split> {
        let sizes = [("left", left.len()), ("right", right.len())];
        self.check(problem, stride, sizes, None)?;
        if stride < self.active_set.rank() {
            return Err(Error::invalid(format!(
                "a stride of {stride} for rank {}",
                self.active_set.rank()
            )));
        }
        let scratch = lanes_of::<LANES>(&mut self.panel);
        Ok(self
            .active_set
            .split(problem.rows(), stride, left, right, scratch))
    }

    /// Multiplies products with the B of [`Split::Middle`] by X. Each has `rank` numbers, at every
    /// multiple of `stride`.
    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]) {
        let panel = &mut lanes_of::<LANES>(&mut self.panel)[..self.active_set.rank()];
        let scratch = lanes_of::<LANES>(&mut self.panel_scratch);
        for columns in columns.chunks_mut(LANES * stride.max(1)) {
            // Branches without contacts are zero.
            if columns.iter().all(|x| *x == 0.0) {
                continue;
            }
            for (i, x) in panel.iter_mut().enumerate() {
                for (x, column) in x.iter_mut().zip(columns.chunks_exact(stride)) {
                    *x = column[i];
                }
            }
            self.active_set.solve_middle(panel, scratch);
            for (i, x) in panel.iter().enumerate() {
                for (x, column) in x.iter().zip(columns.chunks_exact_mut(stride)) {
                    column[i] = *x;
                }
            }
        }
    }
}

/// A buffer as rows of W lanes.
fn lanes_of<const W: usize>(storage: &mut [f64]) -> &mut [[f64; W]] {
    storage.as_chunks_mut::<W>().0
}

/// The change of λ with μ (or the bound) of block i at a fixed face, times `rate`; by the rows of its law.
pub(super) fn face_rate(problem: &Problem, work: &Work, i: usize, rate: f64) -> Wide {
    let lambda = &work.lambda[work.part(i)];
    let (block, mut out) = (problem.blocks[i], [0.0; WIDEST]);
    match (block, work.modes[i]) {
        _ if work.is_wide(i) => {
            let mode = wide::mode_of(problem.blocks, &work.modes, i);
            return wide::face_rate(block, mode, lambda, rate);
        }
        (Block::Contact { mu }, Mode::Sliding) if mu > 0.0 => {
            (out[0], out[1]) = (lambda[0] / mu * rate, lambda[1] / mu * rate);
        }
        (Block::Pyramid { .. }, Mode::Bounded(signs)) => {
            for (out, s) in out.iter_mut().zip(signs) {
                *out = f64::from(s) * lambda[2] * rate;
            }
        }
        (Block::Box { .. }, Mode::AtUpper) => out[0] = rate,
        (Block::Box { .. }, Mode::AtLower) => out[0] = -rate,
        _ => {}
    }
    out
}

/// σ += G d for impulses d on the rows of the law of block i.
pub(super) fn add_columns(problem: &Problem, work: &Work, i: usize, d: &Wide, sigma: &mut [f64]) {
    let (at, torsion) = (work.offsets[i], work.offsets[i] - work.firsts[i]);
    let (before, own) = d.split_at(torsion);
    if torsion > 0 {
        (problem.delassus).add_columns(i - 1, work.firsts[i], before, sigma);
    }
    let own = &own[..problem.blocks[i].rows()];
    problem.delassus.add_columns(i, at, own, sigma);
}
