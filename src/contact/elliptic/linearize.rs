//! The derivative at a solution.

use super::law::Elliptic;
use super::unit::Unit;
use crate::contact::law::{Linearized, Turn, Variations, Verdict, not_a_function};
use crate::contact::problem::{Delassus, Problem};
use crate::contact::product::{LowRank, Product, Split};
use crate::error::{Error, Result};

/// What may be left of a variation in general position where held rows agree.
const AGREED: f64 = 1e-7;

impl Elliptic {
    /// Limits that a block shares with its unit: those of torsion and rolling are none.
    fn limit_of<'a>(limits: &'a [f64]) -> impl Fn(&Unit) -> f64 + 'a {
        move |unit: &Unit| limits[unit.block]
    }
}

impl Linearized for Elliptic {
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let (n, blocks) = (problem.rows(), problem.blocks.len());
        for c in 0..columns {
            self.system.take(&w[c * n..][..n], &mut self.w);
            let d = &mut self.d[..n];
            d.fill(0.0);
            if let Some(limits) = limits {
                let limits = &limits[c * blocks..][..blocks];
                self.faces
                    .add_by_limits(&self.system, Self::limit_of(limits), d);
                self.system.multiply(d, &mut self.scratch[..n]);
                for (w, by) in self.w.iter_mut().zip(&self.scratch[..n]) {
                    *w += by;
                }
            }
            self.faces.answer(&self.system, &self.w[..n], d);
            self.system.give(d, &mut dlambda[c * n..][..n]);
        }
        Ok(())
    }

    /// dλ along σ with all that moves it: λ = P(−R⁻¹σ).
    fn answer(&mut self, problem: &Problem, dsigma: &[f64], dlambda: &mut [f64]) -> Result<()> {
        if !self.is_compliant {
            return Err(not_a_function());
        }
        let n = problem.rows();
        self.system.take(dsigma, &mut self.w);
        self.d[..n].fill(0.0);
        for (unit, a) in self.system.units.iter().zip(&self.descent.answers) {
            let own = &self.w[unit.range()];
            for (d, slope) in self.d[unit.range()].iter_mut().zip(&a.slope) {
                *d = -slope.iter().zip(own).map(|(s, w)| s * w).sum::<f64>();
            }
        }
        self.system.give(&self.d[..n], dlambda);
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let n = problem.rows();
        self.system.take(lambda_bar, &mut self.w);
        let out = &mut self.d[..n];
        self.faces.answer_transpose(&self.system, &self.w[..n], out);
        if let Some(bar) = limits_bar {
            self.system.multiply(out, &mut self.scratch[..n]);
            for (l, by) in self.scratch[..n].iter_mut().zip(&self.w) {
                *l += by;
            }
            bar.fill(0.0);
            self.faces
                .limits_adjoint(&self.system, &self.scratch[..n], |block, x| bar[block] = x);
        }
        self.system.give(out, w_bar);
        Ok(())
    }

    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict> {
        if self.last.is_some_and(|c| c.at_switch) {
            return Ok(Verdict::OneSided);
        }
        // How dependent contacts that slide share their load decides where friction points: even the velocity is open.
        if !self.is_compliant && self.faces.is_deficient() && self.faces.any_slides() {
            return Ok(Verdict::OneSided);
        }
        let n = problem.rows();
        let mut w = std::mem::take(&mut self.probe);
        state.of_state(&mut w[..n]);
        let answers = self.answers(problem, &w[..n]);
        self.probe = w;
        Ok(match answers? {
            true => Verdict::Exact,
            false => Verdict::OneSided,
        })
    }

    fn answers(&mut self, problem: &Problem, w: &[f64]) -> Result<bool> {
        if !self.faces.is_deficient() {
            return Ok(true);
        }
        let n = problem.rows();
        self.system.take(w, &mut self.w);
        self.d[..n].fill(0.0);
        self.faces
            .answer(&self.system, &self.w[..n], &mut self.d[..n]);
        let largest = self.w[..n].iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let slack = AGREED * largest;
        Ok(self
            .faces
            .is_answered(&self.system, &self.w[..n], &self.d[..n], slack))
    }

    /// Which contacts go to the other side has not been worked out for more than two tangents.
    fn sort_by_descent(
        &mut self,
        _problem: &Problem,
        _lambda_bar: &[f64],
        _turn: Turn,
    ) -> Result<usize> {
        Err(Error::unsupported(
            "complementarity-aware gradients of contacts that resist torsion or rolling (condim 4 and 6), expected condim 1 or 3",
        ))
    }

    fn is_unique(&mut self, _problem: &Problem) -> Result<bool> {
        Ok(!self.faces.is_deficient())
    }

    fn product(&mut self, problem: &Problem) -> Product<'_> {
        match problem.delassus {
            Delassus::Dense(_) => Product::LowRank(self),
            Delassus::Trees(_) => Product::Columns,
        }
    }
}

impl LowRank for Elliptic {
    fn rank(&self) -> usize {
        self.faces.order
    }

    fn split(
        &mut self,
        _problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split> {
        self.faces.split(&self.system, stride, left, right);
        Ok(Split::Middle)
    }

    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]) {
        self.faces.solve_columns(stride, columns);
    }
}
