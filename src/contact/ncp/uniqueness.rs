//! Decides whether constraints determine one derivative of the velocity: redundant constraints must
//! agree on its variation.
//!
//! If active rows are linearly dependent, a small change of the state may require a motion that no impulse
//! can cause: all four corners of a rocking box stick at once only while it is level. The modes then change
//! in every direction, and a least-squares solution has no meaning as a derivative. The condition is linear
//! in the direction of the state, so one random direction shows whether any direction violates it.
//!
//! At a switch the same direction shows whether the modes on its sides have the same response, see
//! [`NcpSolver::sides_agree`].
//!
//! If velocities depend on the choice among the impulses of dependent contacts, the step takes the impulse
//! in the range of their system. If this range turns with the bodies, the choice changes, and the
//! derivative does not include this. A second random variation, of the rows J alone, detects it.
//!
//! In addition, the solver's linear system must be that of its solution, see [`NcpSolver::is_certain`], or
//! that of other modes that lead to it, see [`NcpSolver::others_lead`]. If it is not, or if rows contradict
//! each other, rows may be nearly dependent. Forward and reverse products with the factorization may then
//! be round-off. They are compared on a pair of random vectors.
//!
//! [`NcpSolver::is_certain`]: super::NcpSolver::is_certain
//! [`NcpSolver::others_lead`]: super::NcpSolver::others_lead
//! [`NcpSolver::sides_agree`]: super::NcpSolver::sides_agree

use super::island_solver::IslandSolver;
use super::work::Probe;
use crate::contact::law::{Linearized, Variations, Verdict};
use crate::contact::problem::Problem;
use crate::contact::tuning::{AGREED, DETERMINED};
use crate::error::Result;

const UNDETERMINED: &str = "the derivative is not determined: constraints nearly depend on each other, and its directions \
                            and adjoints would differ by more than 1e-6";

impl Probe {
    /// The label of the derivative: exact if, for every variation of the state, the active rows are
    /// consistent, the velocities unique, and the response the same on all sides of a switch. Call it after
    /// the solver's linearization and before any use of it: it may replace the linearization by that of
    /// other modes.
    pub fn judge(
        &mut self,
        problem: &Problem,
        solver: &mut IslandSolver,
        state: &mut dyn Variations,
    ) -> Result<Verdict> {
        let rows = problem.rows();
        let [sigma, dlambda, weights] =
            [&mut self.sigma, &mut self.dlambda, &mut self.weights].map(|x| &mut x[..rows]);
        let certain = solver.is_certain(problem, [sigma, dlambda])?;
        let deficient = solver.may_be_deficient(problem);
        if certain && !deficient && !solver.is_at_switch(problem) {
            return Ok(Verdict::Exact);
        }
        let wanders = certain && !solver.is_decided(problem, [sigma, dlambda])? && {
            state.of_rows(sigma);
            let [left, asked] = solver.left_over(problem, sigma, dlambda)?;
            left > AGREED * asked
        };
        state.of_state(sigma);
        if !wanders && solver.sides_agree(problem, sigma, certain, [dlambda, weights])? {
            return Ok(Verdict::Exact);
        }
        let may_be_open = !certain || deficient;
        Ok(
            match !may_be_open || self.is_determined(problem, solver, state)? {
                true => Verdict::OneSided,
                false => Verdict::Refused(UNDETERMINED),
            },
        )
    }

    /// For a linear system that may not belong to its solution, or whose rows are inconsistent: compares
    /// ⟨z, dλ(w)⟩ with ⟨w̄(z), w⟩ for a variation w and weights z = J y. They are equal unless round-off
    /// decides. Impulses in the null space do not change them. Two variations are compared: the random one,
    /// and one by a force, which can be small beside the random one.
    fn is_determined(
        &mut self,
        problem: &Problem,
        solver: &mut IslandSolver,
        state: &mut dyn Variations,
    ) -> Result<bool> {
        let rows = problem.rows();
        let [w, z, answer] =
            [&mut self.sigma, &mut self.weights, &mut self.dlambda].map(|x| &mut x[..rows]);
        state.of_velocity(0, z);
        solver.apply(problem, w, None, 1, answer)?;
        let general = dot(z, answer);
        solver.apply_transpose(problem, z, answer, None)?;
        let mut forward_and_reverse = [[general, dot(answer, w)], [0.0; 2]];
        state.of_velocity(1, w);
        forward_and_reverse[1][1] = dot(answer, w);
        solver.apply(problem, w, None, 1, answer)?;
        forward_and_reverse[1][0] = dot(z, answer);
        // With NaN the derivative is not determined either.
        let agree = |[a, b]: [f64; 2]| (a - b).abs() <= DETERMINED * a.abs().max(b.abs());
        Ok(forward_and_reverse.into_iter().all(agree))
    }

    /// Whether some variation of the impulses cancels the variation `w` on all active rows. Call it after
    /// the solver's linearization.
    pub fn answers(
        &mut self,
        problem: &Problem,
        solver: &mut IslandSolver,
        w: &[f64],
    ) -> Result<bool> {
        if !solver.may_be_deficient(problem) {
            return Ok(true);
        }
        let dlambda = &mut self.dlambda[..problem.rows()];
        let [left, asked] = solver.left_over(problem, w, dlambda)?;
        Ok(left <= AGREED * asked)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
