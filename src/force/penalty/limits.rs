//! Joint limits as springs and dampers with the law of contacts.

use super::super::face::State;
use super::law::Normal;
use crate::dynamics::kinematics::{Kinematics, inertias, positions};
use crate::error::Result;
use crate::joint::Turn;
use crate::linalg::DIGITS;
use crate::model::Model;
use crate::model::limits::{Limit, limits};
use crate::model::topology::WORLD;
use crate::spatial::Vec3;

/// The stiffness of a limit is the square of this times the inertia of its dof. Its damper is critical
/// [1/s].
pub const RATE: f64 = 100.0;

/// The rate is at most this divided by the length of explicit steps: h² k + 2 h d is then half of the
/// stable maximum.
const STABLE: f64 = 0.449;

/// A limit with its force at the last state.
#[derive(Clone, Copy, Debug)]
struct SoftLimit {
    limit: Limit,
    /// [N/m or N m/rad]
    stiffness: f64,
    /// [s]
    dissipation: f64,
    normal: Normal,
    /// For a spherical joint: its turn and velocity.
    turn: Option<(Turn, Vec3)>,
}

/// The limits of all joints.
#[derive(Clone, Debug)]
pub struct SoftLimits(Vec<SoftLimit>);

impl SoftLimits {
    /// The limits of a model. The stiffness uses each dof's inertia with the parameters of the model,
    /// with all other dofs at rest, at the neutral configuration. h is the length of explicit steps.
    ///
    /// # Errors
    /// `Unsupported` naming a joint whose bounds this version cannot enforce.
    pub fn new(model: &Model, h: Option<f64>) -> Result<SoftLimits> {
        let rate = h.map_or(RATE, |h| RATE.min(STABLE / h));
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
            let inertia = |k: usize| {
                let s = kin.s[k];
                s.dot(kin.inertia[t.dofs[k].link].mul(s)) + params.armature[k]
            };
            // For a turn: the mean over its directions.
            let (first, nv) = (limit.dof, limit.nv());
            let inertia = (first..first + nv).map(inertia).sum::<f64>() / nv as f64;
            SoftLimit {
                limit,
                stiffness: rate * rate * inertia,
                dissipation: 2.0 / rate,
                normal: Normal::default(),
                turn: None,
            }
        };
        Ok(SoftLimits(limits(model)?.into_iter().map(soft).collect()))
    }

    /// Adds their forces. Returns the distance of the state from the begin or end of the nearest force.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) -> f64 {
        let mut distance = f64::INFINITY;
        for SoftLimit {
            limit: l,
            stiffness,
            dissipation,
            normal,
            turn,
        } in &mut self.0
        {
            if l.turn.is_some() {
                let turned = Turn::of(&at.q[l.iq..l.iq + 4]);
                let w = Vec3::from_slice(&at.v[l.dof..l.dof + 3]);
                let (depth, rate) = (turned.angle - l.upper, turned.direction.dot(w));
                *normal = Normal::new([*stiffness, *dissipation], depth, rate, at.ease);
                *turn = Some((turned, w));
                for (tau, u) in tau[l.dof..].iter_mut().zip(turned.direction.to_array()) {
                    *tau -= u * normal.force;
                }
                distance = distance.min(normal.distance);
                if normal.force > 0.0 {
                    distance = distance.min(turned.switch_distance());
                }
                continue;
            }
            let (below, above) = (l.lower - at.q[l.iq], at.q[l.iq] - l.upper);
            // If both bounds are passed, the one passed farther acts.
            let (depth, sign) = match below >= above {
                true => (below, 1.0),
                false => (above, -1.0),
            };
            let rate = -sign * at.v[l.dof];
            *normal = Normal::new([*stiffness, *dissipation], depth, rate, at.ease);
            tau[l.dof] += sign * normal.force;
            distance = match depth.abs() <= DIGITS * at.q[l.iq].abs() {
                true => 0.0,
                false => distance.min(normal.distance),
            };
        }
        distance
    }

    /// Visits the entries of R_q and R_v.
    #[inline(always)]
    pub fn for_entries(&self, visit: &mut impl FnMut(usize, usize, f64, f64)) {
        for l in self.0.iter().filter(|l| l.normal.force > 0.0) {
            let k = l.limit.dof;
            let Some((turn, w)) = &l.turn else {
                visit(k, k, l.normal.by_depth, l.normal.by_rate);
                continue;
            };
            let (u, slope) = (turn.direction.to_array(), turn.slope());
            for (j, by_q) in slope.c.into_iter().enumerate() {
                let depth = l.normal.by_depth * u[j] + l.normal.by_rate * w.dot(by_q);
                for (i, turned) in by_q.to_array().into_iter().enumerate() {
                    let by_q = depth * u[i] + l.normal.force * turned;
                    visit(k + i, k + j, by_q, l.normal.by_rate * u[i] * u[j]);
                }
            }
        }
    }
}
