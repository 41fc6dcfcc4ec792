//! Finds displacements beside which equalities hold more motions than at the state itself.
//!
//! At a singular pose of a loop rows depend on each other that are independent beside it: if all bars of a
//! parallelogram lie on one line, nothing moves its closing point along this line to first order. Beside the
//! pose the rows hold one motion more, so that v⁺ jumps. Let y be any velocity at which the held rows are at
//! rest. Along a displacement the number of independent rows stays the same exactly if impulses can answer
//! δJ y for all y. The condition is linear in y, so that one random y tests all of them.

use super::{ContactStage, add, solved_by};
use crate::constraint::Source;
use crate::dynamics::Dynamics;
use crate::error::Result;
use crate::model::Model;

impl ContactStage {
    /// True if held rows of a step with equalities depend on each other at its configuration `q`, but not
    /// beside it along a random displacement, which stands for all (almost surely). `y` is scratch for a velocity. Call it after
    /// [`ContactStage::linearize`] of a step that has a derivative, with the factors of A.
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
        // Impulses answer a velocity of the dofs. It is the scale for δJ y, which may be round-off.
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
