//! Decides for single variations whether their response is the same on all sides of a solution.
//!
//! [`NcpSolver::sides_agree`] decides it for all variations at once, along a random one. Here an island is
//! linearized twice, and each variation is tested in both linearizations:
//!
//! - In the modes of the solution, the active rows must be consistent for the variation. Redundant rows may
//!   be inconsistent. If they contradict each other only a little, the velocities must be the same when
//!   the dry friction among them slips.
//! - With all blocks at a switch released, the response must keep at rest the rows of these blocks that are
//!   active on another side. It then solves the equations of all modes in between.
//!
//! The test is skipped for an island none of whose rows the variation changes.

use super::NcpSolver;
use super::island_solver::IslandSolver;
use super::linearize::{add_columns, face_rate};
use super::neighbours::Around;
use super::work::Probe;
use crate::contact::island_part::gather;
use crate::contact::law::{Side, Variation};
use crate::contact::problem::{Delassus, Problem};
use crate::contact::tuning::AGREED;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::error::Result;

impl NcpSolver {
    /// Decides how the linearized problem is compared. `delta` and `change` are scratch with one entry per
    /// row.
    fn around(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> Around {
        if !self.is_certain(problem, delta, change) || !self.is_decided(problem, delta, change) {
            return Around::Unknown;
        }
        match self.may_be_deficient() || self.has_weak(problem) {
            true => Around::Compared,
            false => Around::Alike,
        }
    }

    /// Linearizes with all blocks at a switch released, until [`NcpSolver::put_back`]. Returns whether the
    /// active rows determine the velocities.
    fn release(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        self.keep_solution();
        self.release_weak(problem);
        self.factor_modes(problem);
        self.is_decided(problem, delta, change)
    }

    /// `w` += G times the impulses by which variations of coefficients and bounds move the faces.
    fn add_limits(&self, problem: &Problem, limits: &[f64], w: &mut [f64]) {
        for (i, rate) in limits.iter().enumerate().filter(|(_, rate)| **rate != 0.0) {
            let d = face_rate(problem, &self.work, i, *rate);
            add_columns(problem, &self.work, i, &d, w);
        }
    }

    /// Whether the variation passes the test of this side. The effect of its variation of limits is added
    /// to it.
    fn is_alike(
        &mut self,
        problem: &Problem,
        (w, limits, felt): (&mut [f64], &[f64], f64),
        side: Side,
        [delta, change]: [&mut [f64]; 2],
    ) -> Result<bool> {
        self.add_limits(problem, limits, w);
        match side {
            Side::Solution if !self.may_be_deficient() => Ok(true),
            Side::Solution => {
                let [left, asked] = self.left_over(problem, w, delta)?;
                match left > (AGREED * asked).max(felt) {
                    true => Ok(false),
                    false if left <= felt => Ok(true),
                    false => self.slips_alike(problem, (w, felt), delta, change),
                }
            }
            Side::Released => self.is_answered(problem, w, felt, delta, change),
        }
    }
}

impl IslandSolver {
    /// As [`Linearized::begin_sides`](crate::contact::law::Linearized::begin_sides).
    pub(super) fn compare_islands(&mut self, problem: &Problem) -> Result<()> {
        self.around.clear();
        self.released = None;
        let mut probe = std::mem::take(&mut self.probe);
        let done = self.look_around(problem, &mut probe);
        self.probe = probe;
        done
    }

    fn look_around(&mut self, problem: &Problem, probe: &mut Probe) -> Result<()> {
        let [delta, change] = [&mut probe.dlambda, &mut probe.weights];
        let Delassus::Trees(rows) = problem.delassus else {
            let n = problem.rows();
            let around = (self.solver).around(problem, &mut delta[..n], &mut change[..n]);
            self.around.push(around);
            return Ok(());
        };
        for island in 0..self.islands.len() {
            self.load(problem, rows, island)?;
            let n = self.part.rows.len();
            let (part, ..) = self.part.problem();
            let around = (self.solver).around(&part, &mut delta[..n], &mut change[..n]);
            self.around.push(around);
        }
        Ok(())
    }

    /// As [`Linearized::differs`](crate::contact::law::Linearized::differs).
    pub(super) fn islands_differ(
        &mut self,
        problem: &Problem,
        x: &Variation<'_>,
        side: Side,
    ) -> Result<bool> {
        let mut probe = std::mem::take(&mut self.probe);
        let differ = self.any_differs(problem, x, side, &mut probe);
        self.probe = probe;
        differ
    }

    fn any_differs(
        &mut self,
        problem: &Problem,
        x: &Variation<'_>,
        side: Side,
        probe: &mut Probe,
    ) -> Result<bool> {
        for island in 0..self.around.len() {
            let around = self.around[island];
            if around == Around::Alike || !self.feels(problem, x, island) {
                continue;
            }
            if around == Around::Unknown || !self.is_alike_on(problem, x, side, island, probe)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if a row or a block of the island varies.
    fn feels(&self, problem: &Problem, x: &Variation<'_>, island: usize) -> bool {
        let Delassus::Trees(rows) = problem.delassus else {
            return x.is_felt();
        };
        self.islands.blocks(island).iter().any(|b| {
            let own = Variation {
                w: &x.w[rows.range(*b)],
                limits: &x.limits[*b..=*b],
                ..*x
            };
            own.is_felt()
        })
    }

    fn is_alike_on(
        &mut self,
        problem: &Problem,
        x: &Variation<'_>,
        side: Side,
        island: usize,
        probe: &mut Probe,
    ) -> Result<bool> {
        let Delassus::Trees(rows) = problem.delassus else {
            let n = problem.rows();
            let scratch = [&mut probe.dlambda[..n], &mut probe.weights[..n]];
            if side == Side::Released && self.released.is_none() {
                let [delta, change] = scratch;
                self.released = Some((0, self.solver.release(problem, delta, change)));
            }
            if side == Side::Released && self.released != Some((0, true)) {
                return Ok(false);
            }
            let w = &mut probe.sigma[..n];
            w.copy_from_slice(x.w);
            let scratch = [&mut probe.dlambda[..n], &mut probe.weights[..n]];
            return (self.solver).is_alike(problem, (w, x.limits, x.felt), side, scratch);
        };
        match side {
            Side::Solution => self.load(problem, rows, island)?,
            Side::Released => {
                if !self.load_released(problem, rows, island, probe)? {
                    return Ok(false);
                }
            }
        }
        let (n, blocks) = (self.part.rows.len(), self.part.members.len());
        let (w, limits) = (&mut probe.sigma[..n], &mut self.limits[..blocks]);
        gather(&self.part.rows, x.w, 0, &[0], w);
        gather(&self.part.members, x.limits, 0, &[0], limits);
        let scratch = [&mut probe.dlambda[..n], &mut probe.weights[..n]];
        let (part, ..) = self.part.problem();
        (self.solver).is_alike(&part, (w, limits, x.felt), side, scratch)
    }

    /// Prepares an island with its switches released. Returns whether velocities are then determined.
    fn load_released(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        island: usize,
        probe: &mut Probe,
    ) -> Result<bool> {
        if let Some((there, decided)) = self.released
            && there == island
        {
            return Ok(decided);
        }
        self.load(problem, rows, island)?;
        // The solver no longer holds the island's solution.
        self.loaded = None;
        let n = self.part.rows.len();
        let (part, ..) = self.part.problem();
        let scratch = [&mut probe.dlambda[..n], &mut probe.weights[..n]];
        let [delta, change] = scratch;
        let decided = self.solver.release(&part, delta, change);
        self.released = Some((island, decided));
        Ok(decided)
    }

    /// As [`Linearized::end_sides`](crate::contact::law::Linearized::end_sides).
    pub(super) fn stop_comparing(&mut self, problem: &Problem) {
        let was_released = self.released.take().is_some();
        match problem.delassus {
            Delassus::Dense(_) if was_released => self.solver.put_back(problem),
            Delassus::Dense(_) => {}
            Delassus::Trees(_) => self.loaded = None,
        }
    }
}
