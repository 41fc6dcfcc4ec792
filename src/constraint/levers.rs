//! Computes the bound on the push-out speed of a contact between bodies that joints hold.
//!
//! Near the axis of a joint a contact has a short lever arm, and a push moves light links most: a low speed
//! at the contact may turn a joint at hundreds of radians a second. The push-out speed s of a contact is
//! therefore at most the speed at which its joints reach their own bounds b_k. Let J_k be the normal row,
//! and m_k the mass that dof k moves. A push moves the dofs at the speeds s d_k J_k / G with d_k = 1/m_k, G
//! = Σ d_k J_k². The bound
//!
//!   s = G / R,   R² = Σ (d_k J_k / b_k)²
//!
//! makes the norm of these speeds, in units of b_k, equal to 1. A dof of a free body has no bound: it
//! adds to G only. The masses m_k are those of all links beyond the dof in the neutral configuration.
//! They are constant, so that s varies with J only:
//!
//!   δs = Σ w_k δJ_k,   w_k = d_k J_k (2/R − G d_k / (b_k² R³)).
//!
//! `fill` calls it for each contact; `stabilize` applies the bound.

use super::rows::Rows;
use crate::constraint::tuning::{GAINED, THROWN};
use crate::contact::push_out::PushOut;
use crate::dynamics::kinematics::{Kinematics, inertias, positions};
use crate::model::Model;
use crate::model::topology::{LinkKind, WORLD};

/// Mobilities of the dofs and the bounds on their speeds. For one model.
#[derive(Debug)]
pub struct Levers {
    /// d_k [1/kg or 1/(kg m²)].
    mobility: Vec<f64>,
    /// Per dof: 1/b_k, 0 for dofs of free bodies [s/m or s/rad]. `free_slowness` is 1/`max_push_out` for
    /// the translations of free bodies, 0 for their rotations and for joints [s/m].
    slowness: Vec<f64>,
    free_slowness: Vec<f64>,
    /// The first dofs of free bodies.
    free: Vec<usize>,
    max_push_out: f64,
    /// True if no dof has a bound.
    is_free: bool,
}

/// The bound on the push-out speed of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Largest speed [m/s].
    pub speed: f64,
    /// R if the joints determine the bound; 0 if the contact's own bound is lower.
    rate: f64,
    /// Distance to the other bound [m/s].
    pub apart: f64,
}

impl Bound {
    /// True if the bound varies with the normal row.
    pub fn varies(&self) -> bool {
        self.rate > 0.0
    }
}

impl Levers {
    /// `max_push_out` bounds lengths [m/s], `max_push_out_angle` angles [rad/s].
    pub fn new(model: &Model, [max_push_out, max_push_out_angle]: [f64; 2]) -> Levers {
        let (t, params) = (model.topology(), model.params());
        let mut kin = Kinematics::new(model);
        positions(&mut kin, model, params, model.neutral());
        inertias(&mut kin, params);
        let mut composite = kin.inertia.clone();
        for (i, l) in t.links.iter().enumerate().rev() {
            if l.parent != WORLD {
                let own = composite[i];
                composite[l.parent] += own;
            }
        }
        let dofs = t.dofs.iter().enumerate();
        let mobility = dofs.map(|(k, dof)| {
            let s = kin.s[k];
            let mass = s.dot(composite[dof.link].mul(s)) + params.armature[k];
            1.0 / mass.max(f64::MIN_POSITIVE)
        });
        let slowness = t.dofs.iter().map(|dof| match t.links[dof.link].kind {
            LinkKind::Free => 0.0,
            LinkKind::Prismatic => 1.0 / max_push_out,
            LinkKind::Revolute | LinkKind::Spherical | LinkKind::Varying { .. } => {
                1.0 / max_push_out_angle
            }
        });
        let slowness: Vec<f64> = slowness.collect();
        let free = t.links.iter().filter(|l| l.kind == LinkKind::Free);
        let free: Vec<usize> = free.map(|l| l.iv).collect();
        let mut free_slowness = vec![0.0; t.nv()];
        for k in &free {
            free_slowness[*k..*k + 3].fill(1.0 / max_push_out);
        }
        Levers {
            mobility: mobility.collect(),
            max_push_out,
            is_free: slowness.iter().all(|x| *x == 0.0),
            slowness,
            free_slowness,
            free,
        }
    }

    /// The bound of a contact without joints.
    pub fn own(&self) -> Bound {
        Bound {
            speed: self.max_push_out,
            rate: 0.0,
            apart: f64::INFINITY,
        }
    }

    /// The bound of a group whose normal row is in this lane.
    #[inline(always)]
    pub fn bound(&self, rows: &Rows, group: usize, lane: usize, gap: f64) -> Bound {
        // An open contact is not pushed.
        if self.is_free || gap >= 0.0 {
            return self.own();
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for k in rows.dofs(group) {
            let j = rows.column(group, k).0[lane];
            let answer = self.mobility[k] * j;
            sum += answer * j;
            if answer != 0.0 {
                let x = answer * self.slowness[k];
                squares += x * x;
            }
        }
        // No joint moves, or no joint is allowed to move.
        if !(squares > 0.0 && squares < f64::INFINITY) {
            return match squares > 0.0 {
                true => Bound {
                    speed: 0.0,
                    ..self.own()
                },
                false => self.own(),
            };
        }
        let rate = squares.sqrt();
        let speed = sum / rate;
        let apart = (self.max_push_out - speed).abs();
        match speed < self.max_push_out {
            true => Bound { speed, rate, apart },
            false => Bound {
                apart,
                ..self.own()
            },
        }
    }

    /// Estimate of the diagonal of G: the mean over the first `lanes` rows of a group.
    pub fn answer(&self, rows: &Rows, group: usize, lanes: usize) -> f64 {
        let square = |k: usize| {
            let column = rows.column(group, k).0;
            column[..lanes].iter().map(|x| x * x).sum::<f64>() * self.mobility[k]
        };
        rows.dofs(group).map(square).sum::<f64>() / lanes as f64
    }

    /// The same for a row given by its entries.
    pub fn mean(&self, row: impl Iterator<Item = (usize, f64)>) -> f64 {
        row.map(|(k, x)| x * x * self.mobility[k]).sum()
    }

    /// The largest excess of a dof over the speed from which it is thrown, relative to its bound: a dof is
    /// thrown if this is positive. A thrown dof is faster than `THROWN` times its bound at the end of the
    /// step, and exceeds the speeds before the step and without impulses by a share of the bound. For a free
    /// body the speed of the fastest other one counts, too, because an impact can pass it on. Only dofs with
    /// `moves` are considered.
    pub fn excess(
        &self,
        push_out: PushOut,
        moves: &[bool],
        v: &[f64],
        v_free: &[f64],
        v_end: &[f64],
    ) -> f64 {
        let gained = GAINED[usize::from(push_out != PushOut::Full)];
        let speed = |v: &[f64], k: usize| v[k].hypot(v[k + 1]).hypot(v[k + 2]);
        // The speeds of the fastest free body and of the second, and the first dof of the fastest.
        let (mut first, mut second, mut leader) = (0.0, 0.0, 0);
        for &k in self.free.iter().filter(|k| moves[**k]) {
            let own = speed(v, k).max(speed(v_free, k));
            if own > first {
                (first, second, leader) = (own, first, k);
            } else if own > second {
                second = own;
            }
        }
        let excess = |k: usize| {
            let slowness = self.slowness[k] + self.free_slowness[k];
            let others = match self.free_slowness[k] > 0.0 {
                true if (leader..leader + 3).contains(&k) => second,
                true => first,
                false => 0.0,
            };
            let own = v[k].abs().max(v_free[k].abs()).max(others);
            let (fast, gains) = (v_end[k].abs() * slowness, (v_end[k].abs() - own) * slowness);
            (fast - THROWN).min(gains - gained)
        };
        let own = (0..v.len()).filter(|k| moves[*k]);
        own.map(excess).fold(f64::NEG_INFINITY, f64::max)
    }

    /// w_k of a dof, for a bound that varies.
    #[inline(always)]
    pub fn weight(&self, bound: &Bound, k: usize, j: f64) -> f64 {
        let (d, slowness, r) = (self.mobility[k], self.slowness[k], bound.rate);
        d * j * (2.0 / r - bound.speed * d * slowness * slowness / (r * r))
    }
}
