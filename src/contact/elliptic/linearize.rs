//! The derivative at a solution, island by island.

use super::law::Elliptic;
use super::unit::Unit;
use crate::contact::law::{Linearized, Side, Turn, Variation, Variations, Verdict, not_a_function};
use crate::contact::problem::{Delassus, Problem};
use crate::contact::product::{Columns, Islands, LowRank, Product, Split};
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

    /// Whether the held rows of the loaded island can stay at rest along `w` (by rows of the problem).
    fn is_held(&mut self, w: &[f64]) -> bool {
        let (system, faces) = (&self.solver.system, &mut self.solver.faces);
        let n = system.order();
        system.take(w, &mut self.w);
        let (w, d) = (&self.w[..n], &mut self.d[..n]);
        d.fill(0.0);
        faces.answer(system, w, d);
        let largest = w.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        faces.is_answered(system, w, d, ELLIPTIC_AGREED * largest)
    }

    /// Whether the response on an island may depend on the side of a switch. It does not if it moves no
    /// unit at a switch and changes no impulse of such a unit: it then solves the equations of all sides.
    fn differs_on(&mut self, problem: &Problem, x: &Variation<'_>, island: usize) -> bool {
        let n = self.load(problem, island);
        let own = self.solver.system.take(x.w, &mut self.w);
        let varies = |unit: &Unit| x.limits[unit.block] != 0.0;
        let is_felt = own.iter().any(|w| w.abs() > x.felt);
        if !is_felt && !self.solver.system.units.iter().any(varies) {
            return false;
        }
        if self.solver.faces.is_deficient() {
            let is_open = !self.solver.is_compliant && self.solver.faces.any_slides();
            if is_open || !self.is_held(x.w) {
                return true;
            }
        }
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        self.solver.find_switches();
        let (d, change) = (&mut self.d[..n], &mut self.scratch[..n]);
        let (system, faces) = (&self.solver.system, &mut self.solver.faces);
        d.fill(0.0);
        faces.add_by_limits(system, Self::limit_of(x.limits), d);
        system.multiply(d, change);
        let w = system.take(x.w, &mut self.w);
        for (w, by) in w.iter_mut().zip(&*change) {
            *w += by;
        }
        let at_rest = (ELLIPTIC_AGREED * largest(w)).max(x.felt);
        faces.answer(system, w, d);
        system.multiply(d, change);
        let w = system.take(x.w, &mut self.w);
        let units = system.units.iter().zip(&self.solver.at_switches);
        units.filter(|(_, weak)| **weak).any(|(unit, _)| {
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
            let (system, faces) = (&self.solver.system, &mut self.solver.faces);
            let d = &mut self.d[..n];
            for c in 0..columns {
                let own = system.take(&w[c * rows..][..rows], &mut self.w);
                let limits = limits.map(|limits| &limits[c * blocks..][..blocks]);
                let varies = |unit: &Unit| limits.is_some_and(|l| l[unit.block] != 0.0);
                if own.iter().all(|x| *x == 0.0) && !system.units.iter().any(varies) {
                    continue;
                }
                d.fill(0.0);
                if let Some(limits) = limits {
                    faces.add_by_limits(system, Self::limit_of(limits), d);
                    system.multiply(d, &mut self.scratch[..n]);
                    for (w, by) in own.iter_mut().zip(&self.scratch[..n]) {
                        *w += by;
                    }
                }
                faces.answer(system, own, d);
                system.give(d, &mut dlambda[c * rows..][..rows]);
            }
        }
        match self.has_plain() {
            true => (self.plain).apply([rows, blocks], w, limits, columns, dlambda),
            false => Ok(()),
        }
    }

    /// dλ for the full change of σ: λ = P(−R⁻¹σ).
    fn answer(&mut self, problem: &Problem, dsigma: &[f64], dlambda: &mut [f64]) -> Result<()> {
        if !self.solver.is_compliant {
            return Err(not_a_function());
        }
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
            let (system, faces) = (&self.solver.system, &mut self.solver.faces);
            let own = system.take(lambda_bar, &mut self.w);
            let out = &mut self.d[..n];
            faces.answer_transpose(system, own, out);
            if let Some(bar) = &mut limits_bar {
                let along = &mut self.scratch[..n];
                system.multiply(out, along);
                for (l, by) in along.iter_mut().zip(own) {
                    *l += *by;
                }
                faces.limits_adjoint(system, along, |block, x| bar[block] = x);
            }
            system.give(out, w_bar);
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
        let mut w = std::mem::take(&mut self.probe);
        state.of_state(&mut w[..problem.rows()]);
        let mut is_exact = true;
        for island in 0..self.groups.len() {
            self.load(problem, island);
            let faces = &self.solver.faces;
            if !faces.is_deficient() {
                continue;
            }
            // Dependent sliding contacts can share their load in several ways. The shares decide the
            // direction of friction, so even the velocity is not determined.
            let is_open = !self.solver.is_compliant && faces.any_slides();
            is_exact &= !is_open && self.is_held(&w);
        }
        self.probe = w;
        match (is_exact, self.has_plain()) {
            (false, _) => Ok(Verdict::OneSided),
            (true, false) => Ok(Verdict::Exact),
            (true, true) => self.plain.verdict(state, problem.rows()),
        }
    }

    fn answers(&mut self, problem: &Problem, w: &[f64]) -> Result<bool> {
        for island in 0..self.groups.len() {
            self.load(problem, island);
            if self.solver.faces.is_deficient() && !self.is_held(w) {
                return Ok(false);
            }
        }
        match self.has_plain() {
            true => self.plain.answers(w),
            false => Ok(true),
        }
    }

    fn sort_by_descent(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        turn: Turn,
    ) -> Result<usize> {
        self.sort_islands_by_descent(problem, lambda_bar, turn)
    }

    fn put_back(&mut self, _problem: &Problem) -> Result<()> {
        self.put_islands_back()
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
            if self.solver.faces.is_deficient() {
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
            Delassus::Dense(_) => {
                self.load(problem, 0);
                Product::LowRank(self)
            }
            Delassus::Trees(_) => Product::Islands(self),
        }
    }
}

impl LowRank for Elliptic {
    fn rank(&self) -> usize {
        self.solver.faces.order
    }

    fn split(
        &mut self,
        _problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split> {
        let (system, faces) = (&self.solver.system, &self.solver.faces);
        faces.split(system, stride, left, right);
        Ok(Split::Middle)
    }

    fn solve_middle(&mut self, stride: usize, columns: &mut [f64]) {
        self.solver.faces.solve_columns(stride, columns);
    }
}

impl Islands for Elliptic {
    /// C = −(dλ/dw)ᵀ.
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
                let (system, faces) = (&self.solver.system, &mut self.solver.faces);
                for lane in 0..LANES {
                    let places = || members.iter().flat_map(|b| rows.range(*b));
                    for (row, x) in places().zip(&*panel) {
                        self.change[row] = x[lane];
                    }
                    let own = system.take(&self.change, &mut self.w);
                    if own.iter().all(|x| *x == 0.0) {
                        continue;
                    }
                    let out = &mut self.d[..n];
                    faces.answer_transpose(system, own, out);
                    system.give(out, &mut self.change);
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
