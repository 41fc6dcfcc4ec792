//! Finds states at which equalities hold fewer motions than at nearby states (singular poses).
//!
//! At a singular pose of a loop, rows are dependent that are independent at nearby poses: if all bars of a
//! parallelogram lie on one line, no motion moves its closing point along this line to first order. At
//! nearby poses the rows hold one motion more, so that v⁺ jumps. Let y be any velocity at which the active
//! rows are at rest. The rank stays the same along a displacement exactly if, for all y, δJ y is in the
//! range of G on the active rows. The condition is linear in y, so that one random y tests all of them.

use super::{ContactStage, add, solved_by};
use crate::constraint::Source;
use crate::dynamics::Dynamics;
use crate::error::Result;
use crate::model::Model;

impl ContactStage {
    /// True if active rows of a step with equalities are dependent at its configuration `q`, but
    /// independent after a random displacement, which stands for all displacements (almost surely). `y` is
    /// scratch for a velocity. Call it after [`ContactStage::linearize`] of a step that has a derivative,
    /// with the factors of A.
    pub fn gains_rank(
        &mut self,
        model: &Model,
        dynamics: &mut Dynamics,
        q: &[f64],
        y: &mut [f64],
    ) -> Result<bool> {
        let c = &self.constraints;
        let is_equality = |s: &Source| matches!(s, Source::Equality { .. });
        if c.g.is_empty() || self.linear.is_none() || !c.sources.iter().any(is_equality) {
            return Ok(false);
        }
        let law = solved_by(&mut self.law, &mut self.relaxed);
        if law.linearize(&c.problem())?.is_unique(&c.problem())? {
            return Ok(false);
        }
        if let Some(l) = &mut self.linear {
            l.sigma.fill(0.0);
            l.bounds.fill(0.0);
            y.copy_from_slice(l.general.velocity());
        }
        self.correct_one(model, &mut dynamics.mass, y)?;
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(false);
        };
        // J x for a velocity x of the dofs: the scale for δJ y, which may be round-off.
        l.sigma.fill(0.0);
        for b in 0..c.groups() {
            let velocity = c.rows.times(b, l.general.velocity());
            add(&mut l.sigma[c.range(b)], velocity);
        }
        let (t, kin) = (model.topology(), &dynamics.kin);
        let dq = l.general.displacement();
        l.variation.of_rows(t, kin, dq, y, &mut l.sigma);
        l.variation
            .of_equalities(c, t, kin, [q, dq, y], &mut l.sigma);
        let problem = c.problem();
        let w = &l.sigma[..problem.rows()];
        let law = solved_by(&mut self.law, &mut self.relaxed);
        Ok(!law.linearize(&problem)?.answers(&problem, w)?)
    }
}
