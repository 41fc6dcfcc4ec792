//! The derivative at a solution, island by island.

use super::law::Elliptic;
use super::unit::Unit;
use crate::contact::law::{Linearized, Side, Variation, Variations, Verdict};
use crate::contact::problem::{Delassus, Problem};
use crate::contact::product::{Columns, Islands, Product};
use crate::contact::tuning::ELLIPTIC_AGREED;
use crate::error::{Error, Result};
use crate::linalg::LANES;

impl Elliptic {
    /// The change of a unit's limit. Torsional and rolling blocks have no limit of their own.
    fn limit_of<'a>(limits: &'a [f64]) -> impl Fn(&Unit) -> f64 + 'a {
        move |unit: &Unit| limits[unit.block]
    }

    /// Prepares the derivative on an island. Returns its number of rows.
    fn load(&mut self, problem: &Problem, island: usize) -> usize {
        self.solver.load(problem, &self.groups, island);
        self.solver.system.order()
    }

    pub(super) fn has_plain(&self) -> bool {
        !self.groups.plain.is_empty()
    }

    /// Whether the response on an island may depend on the side of a switch. It does not if it moves no
    /// unit at a switch and changes no impulse of such a unit: it then solves the equations of all sides.
    fn differs_on(&mut self, problem: &Problem, x: &Variation<'_>, island: usize) -> bool {
        let n = self.load(problem, island);
        let solver = &mut self.solver;
        let own = solver.system.take(x.w, &mut self.w);
        let varies = |unit: &Unit| x.limits[unit.block] != 0.0;
        let is_felt = own.iter().any(|w| w.abs() > x.felt);
        if !is_felt && !solver.system.units.iter().any(varies) {
            return false;
        }
        if solver.is_singular() {
            return true;
        }
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let (d, change) = (&mut self.d[..n], &mut self.scratch[..n]);
        d.fill(0.0);
        solver.add_by_limits(Self::limit_of(x.limits), d);
        solver.system.multiply(d, change);
        for (w, by) in own.iter_mut().zip(&*change) {
            *w += by;
        }
        let at_rest = (ELLIPTIC_AGREED * largest(own)).max(x.felt);
        solver.respond(own, d);
        let system = &solver.system;
        system.multiply(d, change);
        let w = system.take(x.w, &mut self.w);
        let units = system.units.iter().enumerate();
        units
            .filter(|(k, _)| solver.is_at_switch(*k))
            .any(|(_, unit)| {
                let moves = (w[unit.range()].iter().zip(&change[unit.range()]))
                    .any(|(w, by)| (w + by).abs() > at_rest);
                let response = system.response(unit).max(system.normal_response(unit));
                let pushes = |l: &f64| l.abs() * response > at_rest;
                varies(unit) || moves || d[unit.range()].iter().any(pushes)
            })
    }
}

impl Linearized for Elliptic {
    /// Islands on which the input is zero are skipped.
    fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        let (rows, blocks) = (problem.rows(), problem.blocks.len());
        dlambda.fill(0.0);
        for island in 0..self.groups.len() {
            let n = self.load(problem, island);
            let (solver, d) = (&mut self.solver, &mut self.d[..n]);
            for c in 0..columns {
                let own = solver.system.take(&w[c * rows..][..rows], &mut self.w);
                let limits = limits.map(|limits| &limits[c * blocks..][..blocks]);
                let varies = |unit: &Unit| limits.is_some_and(|l| l[unit.block] != 0.0);
                if own.iter().all(|x| *x == 0.0) && !solver.system.units.iter().any(varies) {
                    continue;
                }
                d.fill(0.0);
                if let Some(limits) = limits {
                    solver.add_by_limits(Self::limit_of(limits), d);
                    solver.system.multiply(d, &mut self.scratch[..n]);
                    for (w, by) in own.iter_mut().zip(&self.scratch[..n]) {
                        *w += by;
                    }
                }
                solver.respond(own, d);
                solver.system.give(d, &mut dlambda[c * rows..][..rows]);
            }
        }
        match self.has_plain() {
            true => (self.plain).apply([rows, blocks], w, limits, columns, dlambda),
            false => Ok(()),
        }
    }

    /// dλ for the full change of σ: λ = P(−R⁻¹σ).
    fn answer(&mut self, problem: &Problem, dsigma: &[f64], dlambda: &mut [f64]) -> Result<()> {
        for island in 0..self.groups.len() {
            self.solver.look(problem, &self.groups, island);
            let (system, descent) = (&self.solver.system, &self.solver.descent);
            let own = system.take(dsigma, &mut self.w);
            let d = &mut self.d[..own.len()];
            for (unit, a) in system.units.iter().zip(&descent.answers) {
                let own = &own[unit.range()];
                for (d, slope) in d[unit.range()].iter_mut().zip(&a.slope) {
                    *d = -slope.iter().zip(own).map(|(s, w)| s * w).sum::<f64>();
                }
            }
            system.give(d, dlambda);
        }
        match self.has_plain() {
            true => self.plain.answer_along(dsigma, dlambda),
            false => Ok(()),
        }
    }

    fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        mut limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        w_bar.fill(0.0);
        if let Some(bar) = &mut limits_bar {
            bar.fill(0.0);
        }
        for island in 0..self.groups.len() {
            let n = self.load(problem, island);
            let solver = &mut self.solver;
            let own = solver.system.take(lambda_bar, &mut self.w);
            let out = &mut self.d[..n];
            out.fill(0.0);
            solver.respond(own, out);
            if let Some(bar) = &mut limits_bar {
                let along = &mut self.scratch[..n];
                solver.system.multiply(out, along);
                for (l, by) in along.iter_mut().zip(own) {
                    *l += *by;
                }
                solver.limits_adjoint(along, |block, x| bar[block] = x);
            }
            solver.system.give(out, w_bar);
        }
        match self.has_plain() {
            true => (self.plain).apply_transpose(lambda_bar, w_bar, limits_bar),
            false => Ok(()),
        }
    }

    fn verdict(&mut self, problem: &Problem, state: &mut dyn Variations) -> Result<Verdict> {
        if self.solver.at_switch {
            return Ok(Verdict::OneSided);
        }
        let mut is_exact = true;
        for island in 0..self.groups.len() {
            self.load(problem, island);
            is_exact &= !self.solver.is_singular();
        }
        match (is_exact, self.has_plain()) {
            (false, _) => Ok(Verdict::OneSided),
            (true, false) => Ok(Verdict::Exact),
            (true, true) => self.plain.verdict(state, problem.rows()),
        }
    }

    fn answers(&mut self, problem: &Problem, w: &[f64]) -> Result<bool> {
        for island in 0..self.groups.len() {
            self.load(problem, island);
            if self.solver.is_singular() {
                return Ok(false);
            }
        }
        match self.has_plain() {
            true => self.plain.answers(w),
            false => Ok(true),
        }
    }

    fn begin_sides(&mut self, _problem: &Problem) -> Result<()> {
        match self.has_plain() {
            true => self.plain.begin_sides(),
            false => Ok(()),
        }
    }

    fn differs(&mut self, problem: &Problem, x: &Variation<'_>, side: Side) -> Result<bool> {
        for island in 0..self.groups.len() {
            if side == Side::Solution && self.differs_on(problem, x, island) {
                return Ok(true);
            }
        }
        match self.has_plain() {
            true => self.plain.differs(x, side),
            false => Ok(false),
        }
    }

    fn end_sides(&mut self, _problem: &Problem) -> Result<()> {
        match self.has_plain() {
            true => self.plain.end_sides(),
            false => Ok(()),
        }
    }

    fn is_unique(&mut self, problem: &Problem) -> Result<bool> {
        for island in 0..self.groups.len() {
            self.load(problem, island);
            if self.solver.is_singular() {
                return Ok(false);
            }
        }
        match self.has_plain() {
            true => self.plain.is_unique(),
            false => Ok(true),
        }
    }

    fn product(&mut self, problem: &Problem) -> Product<'_> {
        match problem.delassus {
            Delassus::Dense(_) => Product::Columns,
            Delassus::Trees(_) => Product::Islands(self),
        }
    }
}

impl Islands for Elliptic {
    /// C = −dλ/dw, which is symmetric.
    fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            return Err(Error::internal("a dense problem is split otherwise"));
        };
        for island in 0..self.groups.len() {
            let blocks = self.groups.members(island).iter();
            let count = blocks.map(|b| columns.count(*b)).max().unwrap_or(0);
            for first in (0..count).step_by(LANES) {
                let n = self.load(problem, island);
                let members = self.groups.members(island);
                let panel = &mut self.panel[..n];
                columns.read(members, first, panel);
                let solver = &mut self.solver;
                for lane in 0..LANES {
                    let places = || members.iter().flat_map(|b| rows.range(*b));
                    for (row, x) in places().zip(&*panel) {
                        self.change[row] = x[lane];
                    }
                    let own = solver.system.take(&self.change, &mut self.w);
                    if own.iter().all(|x| *x == 0.0) {
                        continue;
                    }
                    let out = &mut self.d[..n];
                    out.fill(0.0);
                    solver.respond(own, out);
                    solver.system.give(out, &mut self.change);
                    for (row, x) in places().zip(&mut *panel) {
                        x[lane] = -self.change[row];
                    }
                }
                columns.take(members, first, panel);
            }
        }
        match self.has_plain() {
            true => self.plain.times_right(columns),
            false => Ok(()),
        }
    }
}
