//! Runs the pivoting methods and polishes their result.

use super::{NcpOptions, NcpSolver, parametric, pivot};
use crate::contact::certificate::Certificate;
use crate::contact::problem::{Delassus, Problem};
use crate::contact::tuning::RAY_NEWTON;

impl NcpSolver {
    /// Runs a method with the rest of a budget of factorizations, and counts the factorizations.
    fn within(
        &mut self,
        budget: usize,
        certificate: &mut Certificate,
        run: impl FnOnce(&mut Self, usize, &mut usize) -> bool,
    ) -> bool {
        let (budget, before) = (self.grant(budget), certificate.newton);
        let done = run(self, budget, &mut certificate.newton);
        self.spent.spend(certificate.newton - before, 1.0);
        done
    }

    /// Parametric pivots, then polishes the result.
    pub(super) fn solve_parametric(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        self.guess_modes(problem);
        let found = self.within(budget, certificate, |s, budget, count| {
            let (work, active_set) = (&mut s.work, &mut s.active_set);
            parametric::pivot(problem, work, active_set, budget, count)
        });
        // If settling fails, the result of the pivots stays, and its residual decides whether it is solved.
        found
            && (self.settle(problem, options, certificate)
                || self.residual(problem) <= options.tolerance)
    }

    /// Pivots along a ray, then polishes the result.
    pub(super) fn solve_ray(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        let Delassus::Trees(rows) = problem.delassus else {
            return false;
        };
        let found = self.within(budget, certificate, |s, budget, count| {
            let (work, trees) = (&mut s.work, &mut s.active_set.trees);
            s.ray.follow(problem, rows, work, trees, budget, count)
        });
        found
            && (self.settle(problem, options, certificate)
                || self.newton_from(problem, options, RAY_NEWTON, certificate))
    }

    /// Pivots, then polishes the result.
    pub(super) fn solve_pivots(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        self.guess_modes(problem);
        let found = self.within(budget, certificate, |s, budget, count| {
            let (work, active_set, enough) = (&mut s.work, &mut s.active_set, options.tolerance);
            pivot::pivot(problem, work, active_set, enough, budget, count)
        });
        // The modes are consistent but not exact: rows are nearly dependent.
        found && self.settle(problem, options, certificate)
    }
}
