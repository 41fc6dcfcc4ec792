//! The derivative in the modes that a descent step would lead to, for
//! [`Sim::step_vjp_aware`](crate::step::Sim::step_vjp_aware).

use super::{ContactStage, solved_by};
use crate::contact::law::Turn;
use crate::error::Result;

impl ContactStage {
    /// Replaces the derivative by the one in the modes that a descent step would lead to, until
    /// [`ContactStage::put_back`]. It reads the adjoint of the impulses that the last
    /// [`ContactStage::correct_transposed`] left. Returns the number of blocks that change their mode.
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

    /// Restores the derivative of the step after a sort that changed a mode.
    pub fn put_back(&mut self) -> Result<()> {
        let problem = self.constraints.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.put_back(&problem)
    }
}
