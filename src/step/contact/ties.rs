//! Contacts of which sides decide how their points move: whether a step feels it.

use super::ContactStage;
use crate::dynamics::Dynamics;
use crate::error::Result;
use crate::linalg::largest;
use crate::model::Model;
use crate::model::topology::Topology;

/// x ← A⁻¹ x.
pub(in crate::step) type SolveSystem = fn(&mut Dynamics, &Topology, &mut [f64]);

/// Relative to what sliding the points does at fixed impulses, and to the velocities: what less than this is left of it once the
/// impulses have changed, too, is not felt.
const FELT: f64 = 1e-6;

impl ContactStage {
    /// Whether v⁺, which is `v_end`, varies with the sliding of any point of which sides decide; `x` has room for a velocity. After
    /// [`ContactStage::linearize`] of a step that has a derivative, with the factors of A.
    ///
    /// A body at rest on several points is at rest on those beside them: all that sliding them does is taken up by impulses. All is
    /// linear: one sliding in general position tells of any.
    pub fn feels_ties(
        &mut self,
        model: &Model,
        dynamics: &mut Dynamics,
        v_end: &[f64],
        solve: SolveSystem,
        x: &mut [f64],
    ) -> Result<bool> {
        let t = model.topology();
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(false);
        };
        if !l.variation.is_tied() {
            return Ok(false);
        }
        x.fill(0.0);
        l.sigma.fill(0.0);
        l.bounds.fill(0.0);
        let (sigma, gaps) = (&mut l.sigma, &mut l.gaps);
        l.variation.untied(c, t, &dynamics.kin, sigma, gaps, x);
        solve(dynamics, t, x);
        let alone = largest(x);
        self.correct_one(model, &mut dynamics.mass, x)?;
        Ok(largest(x) > FELT * alone.max(largest(v_end)))
    }
}
