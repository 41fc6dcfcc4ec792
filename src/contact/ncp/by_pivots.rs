//! What pivots find, polished.

use super::active_set::Purpose;
use super::ladder::FROM_RAY;
use super::{NcpOptions, NcpSolver, parametric, pivot};
use crate::contact::certificate::Certificate;
use crate::contact::problem::{Delassus, Problem};

impl NcpSolver {
    /// Parametric pivots, and polishes what is found.
    pub(super) fn solve_parametric(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        slip: f64,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        self.guess_modes(problem);
        let (budget, before) = (self.grant(budget), certificate.newton);
        let found = parametric::pivot(
            problem,
            &mut self.work,
            &mut self.active_set,
            slip,
            budget,
            &mut certificate.newton,
        );
        self.spent.spend(certificate.newton - before, 1.0);
        // What was found stands where no more is reached: its residual says how well it does.
        found
            && (self.settle(problem, options, certificate)
                || self.residual(problem) <= options.tolerance)
    }

    /// Pivots along a ray, and polishes what is found.
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
        let (budget, before) = (self.grant(budget), certificate.newton);
        let found = self.ray.follow(
            problem,
            rows,
            &mut self.work,
            &mut self.active_set.trees,
            budget,
            &mut certificate.newton,
        );
        self.spent.spend(certificate.newton - before, 1.0);
        found
            && (self.settle(problem, options, certificate)
                || self.newton_from(problem, options, FROM_RAY, certificate))
    }

    /// Pivots, and polishes what is found.
    pub(super) fn solve_pivots(
        &mut self,
        problem: &Problem,
        options: &NcpOptions,
        purpose: Purpose,
        budget: usize,
        certificate: &mut Certificate,
    ) -> bool {
        self.guess_modes(problem);
        let (budget, before) = (self.grant(budget), certificate.newton);
        let found = pivot::pivot(
            problem,
            &mut self.work,
            &mut self.active_set,
            purpose,
            options.tolerance,
            budget,
            &mut certificate.newton,
        );
        self.spent.spend(certificate.newton - before, 1.0);
        // Consistent but not exact: rows are nearly dependent.
        found && self.settle(problem, options, certificate)
    }
}
