//! Finds whether a step depends on contact points that are not unique (ties: two features define the point
//! equally well, and it moves with either).

use super::ContactStage;
use crate::dynamics::Dynamics;
use crate::error::Result;
use crate::linalg::largest;
use crate::model::Model;
use crate::model::topology::Topology;

/// x ← A⁻¹ x.
pub(in crate::step) type SolveSystem = fn(&mut Dynamics, &Topology, &mut [f64]);

/// A change of v⁺ below this counts as zero. It is relative to the velocities, and to the change of v⁺ by
/// sliding the points at fixed impulses.
const FELT: f64 = 1e-6;

impl ContactStage {
    /// True if v⁺ = `v_end` changes when a contact point that is not unique slides along its feature. `x`
    /// is scratch for a velocity. Call it after [`ContactStage::linearize`] of a step that has a
    /// derivative, with the factors of A.
    ///
    /// A body at rest on several points is also at rest on neighbouring points: only impulses change when
    /// the points slide. The problem is linear, so that one random sliding tests all of them.
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
        let out = [&mut l.sigma[..], &mut l.bounds, &mut l.gaps, &mut *x];
        l.variation.untied(c, t, &dynamics.kin, out);
        solve(dynamics, t, x);
        let alone = largest(x);
        self.correct_one(model, &mut dynamics.mass, x)?;
        Ok(largest(x) > FELT * alone.max(largest(v_end)))
    }
}
