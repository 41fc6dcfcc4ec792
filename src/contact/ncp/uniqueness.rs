//! Whether constraints leave the velocity one derivative: redundant ones must agree on how it varies.
//!
//! Where held rows depend on each other, a small change of the state may ask of them what no motion can do: all four
//! corners of a rocking box stick at once only while it is level. The modes then differ on all sides of the step, and a
//! solution of least error has no meaning as a derivative. This is one linear condition on every direction of the
//! state, so one direction in general position shows whether any violates it.
//!
//! At a switch the same direction shows whether the modes on its sides answer alike, see [`NcpSolver::sides_agree`].
//!
//! Where velocities depend on how dependent contacts share their impulses, the step takes what is in the range of their
//! system. Where that range turns with the bodies the choice wanders, which the derivative does not follow: one more
//! direction shows it, of the rows alone.
//!
//! And the solver's linear system must be that of its solution, see [`NcpSolver::is_certain`], or that of other modes be so,
//! see [`NcpSolver::others_lead`]. Where it is not, or rows
//! contradict each other, they may be so nearly dependent that what directions and adjoints get from the factorization is
//! round-off: the two are then compared on a pair of vectors in general position.
//!
//! [`NcpSolver::is_certain`]: super::NcpSolver::is_certain
//! [`NcpSolver::others_lead`]: super::NcpSolver::others_lead
//! [`NcpSolver::sides_agree`]: super::NcpSolver::sides_agree

use super::island_solver::IslandSolver;
use super::neighbours::AGREED;
use super::work::Probe;
use crate::contact::law::{Linearized, Variations, Verdict};
use crate::contact::problem::Problem;
use crate::error::Result;

/// Share by which directions and adjoints may differ.
const DETERMINED: f64 = 1e-6;

const UNDETERMINED: &str = "the derivative is not determined: constraints nearly depend on each other, and its directions \
                            and adjoints would differ by more than 1e-6";

impl Probe {
    /// Whether impulses can answer every variation of the state, and in one way, from all sides where the solution is at a
    /// switch; after the solver's linearization, and before any use of it: it may become that of other modes.
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

    /// Of a linear system that its solution may not belong to, or that contradicts itself: with a direction's w and
    /// weights z = J y, ⟨z, dλ(w)⟩ = ⟨w̄(z), w⟩ unless round-off decides. Impulses that cancel each other count for
    /// nothing in it. Two directions: the one in general position, and a force, which it may drown.
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
        // NaN is not determined either.
        let agree = |[a, b]: [f64; 2]| (a - b).abs() <= DETERMINED * a.abs().max(b.abs());
        Ok(forward_and_reverse.into_iter().all(agree))
    }

    /// Whether impulses can answer the variation `w` of σ; after the solver's linearization.
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
