//! The derivative of the solution island by island, and its label.

use super::island_solver::IslandSolver;
use crate::contact::certificate::Certificate;
use crate::contact::island_part::{gather, scatter};
use crate::contact::law::{Linearized, Side, Turn, Variation, Variations, Verdict};
use crate::contact::mode::Mode;
use crate::contact::problem::{Delassus, Problem};
use crate::contact::product::{Columns, Islands, Product};
use crate::error::{Error, Result};
use crate::linalg::LANES;

impl IslandSolver {
    /// Takes a solution found elsewhere as if [`IslandSolver::solve`] had found it.
    ///
    /// # Errors
    /// As [`IslandSolver::solve`], for a problem that it could not solve.
    pub fn adopt(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
        certificate: Certificate,
    ) -> Result<()> {
        self.of_others = false;
        problem.validate()?;
        self.solver.check_size(problem, lambda, modes)?;
        let Delassus::Trees(rows) = problem.delassus else {
            self.solver.adopt(problem, lambda, modes, certificate);
            return Ok(());
        };
        self.loaded = None;
        self.sound.clear();
        self.lambda[..lambda.len()].copy_from_slice(lambda);
        self.modes[..modes.len()].copy_from_slice(modes);
        self.working_set.begin(problem.blocks.len());
        self.working_set.start(problem, rows, modes, None);
        // Blocks at a switch take part.
        while (self.working_set.extend(problem, rows, &self.lambda)).is_none() {}
        let inside = self.working_set.blocks();
        self.islands
            .split(rows.trees(), inside, |b| rows.trees_of(b))?;
        for island in 0..self.islands.len() {
            self.certificates[self.islands.blocks(island)[0]] = certificate;
        }
        self.last = Some(certificate);
        Ok(())
    }
}

impl Linearized for IslandSolver {
    /// Islands on which the input is zero are skipped.
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            return self.solver.apply(problem, w, limits, columns, dlambda);
        };
        let (n, nb) = (problem.rows(), problem.blocks.len());
        dlambda.fill(0.0);
        for island in 0..self.islands.len() {
            let mut rest = 0..columns;
            loop {
                let blocks = self.islands.blocks(island).iter();
                let acts = |k: &usize| {
                    let (w, limits) = (&w[k * n..], limits.map(|l| &l[k * nb..]));
                    blocks.clone().any(|b| {
                        let varied = limits.is_some_and(|l| l[*b] != 0.0);
                        varied || w[rows.range(*b)].iter().any(|x| *x != 0.0)
                    })
                };
                self.columns.clear();
                self.columns.extend(rest.by_ref().filter(acts).take(LANES));
                if self.columns.is_empty() {
                    break;
                }
                self.load(problem, rows, island)?;
                let count = self.columns.len();
                let (pn, pb) = (self.part.rows.len(), self.part.members.len());
                let (input, output) = (
                    &mut self.input[..pn * count],
                    &mut self.output[..pn * count],
                );
                gather(&self.part.rows, w, n, &self.columns, input);
                let part_limits = &mut self.limits[..pb * count];
                if let Some(limits) = limits {
                    gather(&self.part.members, limits, nb, &self.columns, part_limits);
                }
                let part_limits = limits.is_some().then_some(&*part_limits);
                let (part_problem, ..) = self.part.problem();
                self.solver
                    .apply(&part_problem, input, part_limits, count, output)?;
                scatter(&self.part.rows, output, n, &self.columns, dlambda);
            }
        }
        Ok(())
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        mut limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            return self
                .solver
                .apply_transpose(problem, lambda_bar, 1, w_bar, limits_bar);
        };
        w_bar.fill(0.0);
        if let Some(limits_bar) = &mut limits_bar {
            limits_bar.fill(0.0);
        }
        for island in 0..self.islands.len() {
            let mut members = self.islands.blocks(island).iter();
            if members.all(|b| lambda_bar[rows.range(*b)].iter().all(|x| *x == 0.0)) {
                continue;
            }
            self.load(problem, rows, island)?;
            let (pn, pb) = (self.part.rows.len(), self.part.members.len());
            let (input, output) = (&mut self.input[..pn], &mut self.output[..pn]);
            gather(&self.part.rows, lambda_bar, 0, &[0], input);
            let part_limits = limits_bar.is_some().then_some(&mut self.limits[..pb]);
            let (part_problem, ..) = self.part.problem();
            self.solver
                .apply_transpose(&part_problem, input, 1, output, part_limits)?;
            scatter(&self.part.rows, output, 0, &[0], w_bar);
            if let Some(limits_bar) = &mut limits_bar {
                let from = &self.limits[..pb];
                scatter(&self.part.members, from, 0, &[0], limits_bar);
            }
        }
        Ok(())
    }

    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict> {
        let mut probe = std::mem::take(&mut self.probe);
        let verdict = probe.judge(problem, self, state);
        self.probe = probe;
        verdict
    }

    fn answers(&mut self, problem: &Problem, w: &[f64]) -> Result<bool> {
        let mut probe = std::mem::take(&mut self.probe);
        let answers = probe.answers(problem, self, w);
        self.probe = probe;
        answers
    }

    fn is_unique(&mut self, problem: &Problem) -> Result<bool> {
        self.independent(problem)
    }

    fn sort_by_descent(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        turn: Turn,
    ) -> Result<usize> {
        self.sort_islands_by_descent(problem, lambda_bar, turn)
    }

    fn put_back(&mut self, problem: &Problem) -> Result<()> {
        self.put_islands_back(problem)
    }

    fn begin_sides(&mut self, problem: &Problem) -> Result<()> {
        self.compare_islands(problem)
    }

    fn differs(&mut self, problem: &Problem, x: &Variation<'_>, side: Side) -> Result<bool> {
        self.islands_differ(problem, x, side)
    }

    fn end_sides(&mut self, problem: &Problem) -> Result<()> {
        self.stop_comparing(problem);
        Ok(())
    }

    fn product(&mut self, problem: &Problem) -> Product<'_> {
        match problem.delassus {
            Delassus::Dense(_) => Product::LowRank(&mut self.solver),
            Delassus::Trees(_) => Product::Islands(self),
        }
    }
}

impl Islands for IslandSolver {
    /// As in the adjoint, the products are restricted to the range of the system of the active rows. If
    /// rows are linearly dependent, the unrestricted map would be large, and its products would consist of
    /// round-off.
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            return Err(Error::internal("a dense problem is split otherwise"));
        };
        for island in 0..self.islands.len() {
            let blocks = self.islands.blocks(island).iter();
            let n: usize = blocks.clone().map(|b| rows.range(*b).len()).sum();
            let count = blocks.map(|b| columns.count(*b)).max().unwrap_or(0);
            for first in (0..count).step_by(LANES) {
                let x = &mut self.input.as_chunks_mut().0[..n];
                columns.read(self.islands.blocks(island), first, x);
                if x.iter().all(|x| *x == [0.0; LANES]) {
                    continue;
                }
                self.load(problem, rows, island)?;
                let x = &mut self.input.as_chunks_mut().0[..n];
                let (part_problem, ..) = self.part.problem();
                self.solver.transpose_lanes(&part_problem, x)?;
                columns.take(self.islands.blocks(island), first, x);
            }
        }
        Ok(())
    }
}
