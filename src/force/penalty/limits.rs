//! Joint limits as springs and dampers of the same law as contacts.

use super::law::Normal;
use crate::dynamics::kinematics::{Kinematics, inertias, positions};
use crate::error::Result;
use crate::model::Model;
use crate::model::limits::{Limit, limits};
use crate::model::topology::WORLD;

/// Stiffness of a limit is this squared times the inertia of its dof, and the damper damps that critically [1/s].
pub const RATE: f64 = 100.0;

/// A limit, and what it does at the last state.
#[derive(Clone, Copy, Debug)]
struct SoftLimit {
    limit: Limit,
    /// [N/m or N m/rad]
    stiffness: f64,
    normal: Normal,
}

/// Those of all joints.
#[derive(Clone, Debug)]
pub struct SoftLimits(Vec<SoftLimit>);

impl SoftLimits {
    /// Of each dof's inertia where the model was loaded: with nothing else moving, at the neutral configuration.
    ///
    /// # Errors
    /// `Unsupported` naming a joint whose bounds this version cannot enforce.
    pub fn new(model: &Model) -> Result<SoftLimits> {
        let (t, params) = (model.topology(), model.params());
        let mut kin = Kinematics::new(model);
        positions(&mut kin, model, params, model.neutral());
        inertias(&mut kin, params);
        for (i, l) in t.links.iter().enumerate().rev() {
            if l.parent != WORLD {
                let own = kin.inertia[i];
                kin.inertia[l.parent] += own;
            }
        }
        let soft = |limit: Limit| {
            let k = limit.dof;
            let s = kin.s[k];
            let inertia = s.dot(kin.inertia[t.dofs[k].link].mul(s)) + params.armature[k];
            SoftLimit {
                limit,
                stiffness: RATE * RATE * inertia,
                normal: Normal::default(),
            }
        };
        Ok(SoftLimits(limits(model)?.into_iter().map(soft).collect()))
    }

    /// Adds their forces; how far the state is from where one of them begins or ends.
    pub fn apply(&mut self, q: &[f64], v: &[f64], tau: &mut [f64]) -> f64 {
        let mut distance = f64::INFINITY;
        for SoftLimit {
            limit: l,
            stiffness,
            normal,
        } in &mut self.0
        {
            let (below, above) = (l.lower - q[l.iq], q[l.iq] - l.upper);
            // Of two bounds that are both passed the one passed farther holds.
            let (depth, sign) = match below >= above {
                true => (below, 1.0),
                false => (above, -1.0),
            };
            *normal = Normal::new(*stiffness, 2.0 / RATE, depth, -sign * v[l.dof]);
            tau[l.dof] += sign * normal.force;
            distance = distance.min(normal.distance);
        }
        distance
    }

    /// Visits the entries of R_q and R_v.
    #[inline(always)]
    pub fn for_entries(&self, visit: &mut impl FnMut(usize, usize, f64, f64)) {
        for l in self.0.iter().filter(|l| l.normal.force > 0.0) {
            let k = l.limit.dof;
            visit(k, k, l.normal.by_depth, l.normal.by_rate);
        }
    }
}
