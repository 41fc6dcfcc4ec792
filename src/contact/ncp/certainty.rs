//! Decides whether the linear system at hand is the one of the returned solution.

use super::NcpSolver;
use super::measure::Scales;
use super::modes::{CLOSED, classify, largest};
use super::wide;
use crate::contact::certificate::Path;
use crate::contact::digits::{NEGLIGIBLE, switch_units};
use crate::contact::problem::{Block, Problem};
use crate::contact::tuning::{CERTAIN_FINISHED, CERTAIN_OFF};
use crate::linalg::scattered;

impl NcpSolver {
    /// Whether the linear system of [`NcpSolver::linearize`] is that of the last solution. Call
    /// [`NcpSolver::linearize`] before. A certified solution can belong to another system in two cases:
    ///
    /// - Sliding contacts depend on each other (three bodies that touch the ground at one point). There are
    ///   then many solutions, each with its own velocity. The derivative is that of the solution by the
    ///   pseudo-inverse. Newton's method from the modes of the last step finds this solution, at this state
    ///   and at nearby ones. Another method may find another solution at a nearby state.
    /// - Rows are nearly dependent. A small residual then leaves large errors of the impulses: a converged
    ///   Newton's method would change them by more than the distance to other modes.
    ///
    /// `delta` and `change` are scratch with one entry per row.
    pub fn is_certain(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        let path = self.last.map_or(Path::Empty, |c| c.path);
        let is_followed = !self.may_be_open(problem)
            || (self.is_chosen(problem, delta, change)
                && (path <= Path::Newton || !self.is_open(problem, delta, change)));
        is_followed && (self.is_finished() || self.is_settled(problem, delta, change))
    }

    /// Whether the last solution is exact to round-off for its modes.
    pub(super) fn is_finished(&self) -> bool {
        self.last
            .is_none_or(|c| c.path <= Path::Polished && c.residual() <= CERTAIN_FINISHED)
    }

    /// Whether the active rows determine the velocities, whichever of their impulses is taken.
    pub(super) fn is_decided(
        &mut self,
        problem: &Problem,
        delta: &mut [f64],
        change: &mut [f64],
    ) -> bool {
        !self.may_be_open(problem) || !self.is_open(problem, delta, change)
    }

    /// Whether sliding contacts may depend on each other.
    fn may_be_open(&self, problem: &Problem) -> bool {
        !self.active_set.symmetric
            && self.may_be_deficient()
            && !self.active_set.only_idle_depend(problem)
    }

    /// Whether velocities depend on the choice among the impulses.
    fn is_open(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        for (k, x) in self.work.x[..self.active_set.order].iter_mut().enumerate() {
            *x = [scattered(k, 1)];
        }
        !self.stays_in_range(problem, delta, change)
    }

    /// Whether the impulses are in the range of A, as far as velocities show.
    fn is_chosen(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        self.active_set
            .coordinates(&self.work.lambda, &mut self.work.x);
        self.stays_in_range(problem, delta, change)
    }

    /// Whether the part of the workspace's x outside the range of A changes no velocity.
    fn stays_in_range(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        let m = self.active_set.order;
        delta.fill(0.0);
        self.active_set
            .expand(&self.work.x[..m], |row, x| delta[row] = x[0]);
        self.respond(problem, delta, change);
        let all = largest(change);
        // A⁺A does not change a vector in the range.
        let x = &mut self.panel.as_chunks_mut::<1>().0[..m];
        self.active_set.restrict(|r| [change[r]], x);
        self.active_set.add_turns(delta, x);
        let scratch = self.panel_scratch.as_chunks_mut::<1>().0;
        self.active_set.solve(problem, x, scratch);
        self.active_set.expand(x, |row, x| delta[row] -= x[0]);
        self.respond(problem, delta, change);
        largest(change) <= NEGLIGIBLE * all
    }

    /// Whether Newton's correction on the modes of the solution is small compared with the distance to
    /// other modes.
    fn is_settled(&mut self, problem: &Problem, delta: &mut [f64], change: &mut [f64]) -> bool {
        let m = self.active_set.order;
        // First project onto the faces.
        self.active_set
            .coordinates(&self.work.lambda, &mut self.work.x);
        delta.fill(0.0);
        self.active_set
            .expand(&self.work.x[..m], |row, x| delta[row] = x[0]);
        for (d, l) in delta.iter_mut().zip(&self.work.lambda) {
            *d -= l;
        }
        self.respond(problem, delta, change);
        let x = &mut self.panel.as_chunks_mut::<1>().0[..m];
        let sigma = &self.work.sigma;
        self.active_set.restrict(|r| [sigma[r] + change[r]], x);
        let scratch = self.panel_scratch.as_chunks_mut::<1>().0;
        self.active_set.solve(problem, x, scratch);
        self.active_set.expand(x, |row, x| delta[row] -= x[0]);
        self.respond(problem, delta, change);
        let scales = self.scales_of_switches(problem);
        let off = (largest(change) / scales.velocity).max(largest(delta) / scales.impulse);
        off <= CERTAIN_OFF * self.margin(problem)
    }

    /// change ← G delta.
    fn respond(&self, problem: &Problem, delta: &[f64], change: &mut [f64]) {
        change.fill(0.0);
        self.add_response(problem, delta, change);
    }

    /// change += G delta.
    pub(super) fn add_response(&self, problem: &Problem, delta: &[f64], change: &mut [f64]) {
        for i in 0..problem.blocks.len() {
            let (at, end) = (self.work.offsets[i], self.work.offsets[i + 1]);
            let part = &delta[at..end];
            if part.iter().any(|x| *x != 0.0) {
                problem.delassus.add_columns(i, at, part, change);
            }
        }
    }

    /// Distance to the nearest switch of a mode ([`Certificate::margin`]).
    pub(super) fn margin(&self, problem: &Problem) -> f64 {
        let work = &self.work;
        let scales = self.scales_of_switches(problem);
        let blocks = problem.blocks.iter().enumerate();
        blocks.fold(f64::INFINITY, |least, (i, block)| {
            let part = work.part(i);
            let (lambda, sigma) = (&work.lambda[part.clone()], &work.sigma[part]);
            least.min(match work.is_wide(i) {
                true => {
                    let (sigma, rows) = work.weighted(i, &work.sigma);
                    wide::classify(*block, lambda, &sigma[..rows], scales, CLOSED).1
                }
                false => classify(*block, lambda, sigma, scales, CLOSED).1,
            })
        })
    }

    /// The units of distances to switches.
    pub(super) fn scales_of_switches(&self, problem: &Problem) -> Scales {
        let of_rows = |b: &Block| !matches!(b, Block::Torsion { .. });
        let blocks = self.work.diagonal.iter().zip(problem.blocks);
        let blocks = blocks.filter(|(_, b)| of_rows(b));
        let diagonal = blocks.flat_map(|(w, b)| (0..b.rows()).map(|r| w[r][r]));
        let response = diagonal.fold(0.0, f64::max);
        let [velocity, impulse] = switch_units([
            self.work.speed(problem.g),
            largest(&self.work.lambda),
            response,
        ]);
        Scales { velocity, impulse }
    }
}
