//! The derivative of the solution and its adjoint, with the matrix of Newton's method.

use super::impulse::Answer;
use super::{ConvexSolver, trees};
use crate::contact::digits::{AT_SWITCH, SLOWEST};
use crate::contact::law::{Linearized, Side, Variation, Variations, Verdict};
use crate::contact::problem::{Friction, Problem, Small};
use crate::contact::product::{Columns, Islands, Product};
use crate::contact::tuning::AGREED;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::error::{Error, Result};
use crate::linalg::LANES;

impl ConvexSolver {
    /// Prepares the derivative at the last solution.
    ///
    /// Errors: `NoStep` before a solve, `NotConverged` if the last solve did not converge.
    pub fn factor_solution(&mut self, problem: &Problem) -> Result<()> {
        let Some(certificate) = &self.last else {
            return Err(Error::no_step("linearization asked for before a solve"));
        };
        if !certificate.converged {
            return Err(Error::not_converged(format!(
                "the last solution has residual {:e}: it has no derivative",
                certificate.residual()
            )));
        }
        let rows = trees(problem)?;
        if !self.factored {
            if !self.factor_answers(rows) {
                return Err(Error::numerical(
                    "the matrix of the contact problem is singular",
                ));
            }
            self.factored = true;
            self.held.clear();
            for (i, a) in self.answers.iter().enumerate() {
                if a.slope != Small::default() {
                    self.held.push(i);
                }
            }
        }
        Ok(())
    }
}

impl Linearized for ConvexSolver {
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        self.factor_solution(problem)?;
        let rows = trees(problem)?;
        let (n, nb) = (problem.rows(), problem.blocks.len());
        for j in 0..columns {
            let (w, out) = (&w[j * n..(j + 1) * n], &mut dlambda[j * n..(j + 1) * n]);
            times_slopes(
                rows,
                &self.answers,
                -1.0,
                w.as_chunks::<1>().0,
                out.as_chunks_mut::<1>().0,
            );
            if let Some(limits) = limits {
                for (i, (a, limit)) in self.answers.iter().zip(&limits[j * nb..]).enumerate() {
                    for (out, by) in out[rows.range(i)].iter_mut().zip(a.by_limit) {
                        *out += by * limit;
                    }
                }
            }
            let y = &mut self.panel[..n];
            y.copy_from_slice(out);
            self.system.answer(rows, y.as_chunks_mut::<1>().0);
            for (i, a) in self.answers.iter().enumerate() {
                let range = rows.range(i);
                for (out, row) in out[range.clone()].iter_mut().zip(&a.slope) {
                    *out -= row
                        .iter()
                        .zip(&y[range.clone()])
                        .map(|(s, y)| s * y)
                        .sum::<f64>();
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, problem: &Problem, dsigma: &[f64], dlambda: &mut [f64]) -> Result<()> {
        self.factor_solution(problem)?;
        if self
            .regularization
            .iter()
            .any(|r| matches!(r.friction, Friction::Lagged(_)))
        {
            return Err(Error::unsupported(
                "options.convex_variant: the derivative of a step's inverse is not supported with lagged friction, \
                 expected the variant Sap or Similar",
            ));
        }
        let (from, to) = (dsigma.as_chunks::<1>().0, dlambda.as_chunks_mut::<1>().0);
        times_slopes(trees(problem)?, &self.answers, -1.0, from, to);
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        self.factor_solution(problem)?;
        let rows = trees(problem)?;
        let n = problem.rows();
        let y = &mut self.panel.as_chunks_mut::<1>().0[..n];
        times_slopes(rows, &self.answers, 1.0, lambda_bar.as_chunks::<1>().0, y);
        self.system.answer(rows, y);
        for ([y], bar) in y.iter_mut().zip(lambda_bar) {
            *y = bar - *y;
        }
        times_slopes(rows, &self.answers, -1.0, y, w_bar.as_chunks_mut::<1>().0);
        if let Some(limits_bar) = limits_bar {
            for (i, (a, bar)) in self.answers.iter().zip(limits_bar).enumerate() {
                *bar = a
                    .by_limit
                    .iter()
                    .zip(&y[rows.range(i)])
                    .map(|(b, [y])| b * y)
                    .sum();
            }
        }
        Ok(())
    }

    /// The two sides of a switch always have different derivatives.
    fn verdict(&mut self, _problem: &Problem, _state: &mut dyn Variations) -> Result<Verdict> {
        Ok(match self.last.is_some_and(|c| c.at_switch) {
            true => Verdict::OneSided,
            false => Verdict::Exact,
        })
    }

    /// A block's impulse is a function of its σ. The slopes on both sides of a kink give the same dγ if dσ
    /// = 0.
    fn differs(&mut self, problem: &Problem, x: &Variation<'_>, side: Side) -> Result<bool> {
        if side == Side::Solution || !x.is_felt() {
            return Ok(false);
        }
        let (rows, n) = (trees(problem)?, problem.rows());
        let mut dlambda = std::mem::take(&mut self.input);
        self.apply(problem, x.w, Some(x.limits), 1, &mut dlambda[..n])?;
        rows.velocities(&dlambda[..n], &mut self.dz);
        self.input = dlambda;
        let size = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let at_rest = (AGREED * size(x.w)).max(x.felt);
        let kink = AT_SWITCH * size(problem.g).max(SLOWEST);
        Ok(self.answers.iter().enumerate().any(|(b, answer)| {
            let own = rows.range(b);
            let moved = x.w[own.clone()].iter().zip(rows.times(b, &self.dz));
            answer.margin <= kink
                && (x.limits[b] != 0.0 || moved.into_iter().any(|(w, [z])| (w + z).abs() > at_rest))
        }))
    }

    fn product(&mut self, _problem: &Problem) -> Product<'_> {
        Product::Islands(self)
    }
}

impl Islands for ConvexSolver {
    /// −dγ/dw, symmetric, times columns. The k-th columns of all islands are solved together, because the
    /// matrix does not couple islands.
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()> {
        self.factor_solution(problem)?;
        let rows = trees(problem)?;
        let n = problem.rows();
        if self.held.is_empty() {
            return Ok(());
        }
        let (x, y) = (
            &mut self.input.as_chunks_mut::<LANES>().0[..n],
            &mut self.panel.as_chunks_mut::<LANES>().0[..n],
        );
        let of_held = self.held.iter().flat_map(|b| rows.range(*b));
        let count = of_held.clone().count();
        for first in (0..columns.most()).step_by(LANES) {
            columns.read(&self.held, first, &mut y[..count]);
            x.fill([0.0; LANES]);
            for (row, y) in of_held.clone().zip(y.iter()) {
                x[row] = *y;
            }
            times_slopes(rows, &self.answers, 1.0, x, y);
            self.system.answer(rows, y);
            for row in of_held.clone() {
                for (x, y) in x[row].iter_mut().zip(&y[row]) {
                    *x -= y;
                }
            }
            times_slopes(rows, &self.answers, 1.0, x, y);
            for (row, x) in of_held.clone().zip(x.iter_mut()) {
                *x = y[row];
            }
            columns.take(&self.held, first, &x[..count]);
        }
        Ok(())
    }
}

/// out ← ±𝒢 x, block by block.
#[inline(always)]
fn times_slopes<const W: usize>(
    rows: &WhitenedJacobian,
    answers: &[Answer],
    sign: f64,
    x: &[[f64; W]],
    out: &mut [[f64; W]],
) {
    for (i, a) in answers.iter().enumerate() {
        let range = rows.range(i);
        for (slope, out) in a.slope.iter().zip(&mut out[range.clone()]) {
            *out = [0.0; W];
            if *slope == [0.0; 3] {
                continue;
            }
            for (s, x) in slope.iter().zip(&x[range.clone()]) {
                for (out, x) in out.iter_mut().zip(x) {
                    *out += sign * s * x;
                }
            }
        }
    }
}
