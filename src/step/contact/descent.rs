//! The derivative in the modes that a descent leads to, for [`Sim::step_vjp_aware`](crate::step::Sim::step_vjp_aware).

use super::{ContactStage, solved_by};
use crate::contact::law::Turn;
use crate::error::Result;

impl ContactStage {
    /// Takes the derivative in the modes that a descent leads to, by the adjoint of the impulses that the last
    /// [`ContactStage::correct_transposed`] left, until [`ContactStage::put_back`]; returns how many blocks that moves.
    pub fn sort_by_descent(&mut self, turn: Turn) -> Result<usize> {
        let (c, Some(l)) = (&self.constraints, &self.linear) else {
            return Ok(0);
        };
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        let lambda_bar = &l.dlambda[..c.g.len()];
        law.linearize(&problem)?
            .sort_by_descent(&problem, lambda_bar, turn)
    }

    /// The derivative of the step again, after a sort that moved anything.
    pub fn put_back(&mut self) -> Result<()> {
        let problem = self.constraints.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.put_back(&problem)
    }
}
