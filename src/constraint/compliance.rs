//! Compliance of the convex law: R of every block, and K_p, the share of a penetration that remains after a
//! step.
//!
//! After Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", section
//! 5: R_n = max(β²/(4π²) w, 1/(h k (h + τ_d))) and R_T = σ w. The stiffnesses of the two geoms are in
//! series, and their dissipation times add up. A contact that penetrates aims at v_n = −Φ/(h + τ_d),
//! which is [`Stabilization`] with K_p = τ_d/(h + τ_d). A contact that does not penetrate closes at most
//! its gap. The weight w ([`Weights`](super::weights::Weights)) sets how stiff a near-rigid constraint
//! is. The faces of hydroelastic contact have R_n = 1/(h k (h + τ_d)) at every stiffness.
//!
//! For |Φ| > v̂ (h + τ_d), with v̂ the bound on push-out, the contact would be faster than v̂. It then gets
//! more dissipation, h + τ_d = |Φ|/v̂: it is undone at v̂, and carries the load of its stiffness.
//!
//! With lagged friction, as in Drake's default ("A Theory of Irrotational Contact Fields", Castro, Han and
//! Masterjohn 2024), the normal impulse n₀ of a spring and damper at the state before the step bounds the
//! friction of the step: n₀ = h k max(−Φ − τ_d (J v)_N, 0). It depends on (q, v) alone. k is the stiffness
//! of the contact, for a point at most the near-rigid stiffness.
//!
//! Similar friction, of the same paper, is regularized by a slip speed instead of R_T, and does not lag.
//!
//! `Constraints::regularize` fills it in every step.

use super::source::Source;
use super::stabilization::Stabilization;
use crate::collision::scene::{Scene, SceneContact};
use crate::constraint::tuning::{GLIDE, GLIDE_SMALL};
use crate::contact::problem::{Friction, Lag, Regularization};
use crate::contact::push_out::PushOut;
use crate::model::params::{Param, ParamKind, Params};

/// β: the shortest period of a near-rigid constraint, in steps.
const NEAR_RIGID: f64 = 1.0;

/// σ: regularization of friction, in units of the weight.
const SLIP: f64 = 1e-3;

/// The compliance of one simulation. Sized at creation.
#[derive(Debug)]
pub struct Compliance {
    h: f64,
    /// Of contacts; each contact has its own lag.
    friction: Friction,
    /// Per block of the step.
    pub regularization: Vec<Regularization>,
    groups: Vec<Group>,
}

/// Data of one group of rows.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// K_p.
    kp: f64,
    /// Gap up to which it has friction [m].
    friction_reach: f64,
    /// ∂R/∂Φ of the normal row, and ∂R by the bound on push-out. At the depth at which the bound begins to
    /// act, they are those of the side without bound.
    by_gap: f64,
    by_push_out: f64,
    /// ∂R by the stiffness of a face.
    by_stiffness: f64,
    /// True if the bound on push-out acts.
    is_slowed: bool,
    lag: Lagged,
}

/// The lagged normal impulse n₀ of a contact [N s] with its slopes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lagged {
    pub impulse: f64,
    /// By the gap, by the normal velocity before the step, and by the stiffness of a face.
    pub by_gap: f64,
    pub by_speed: f64,
    pub by_stiffness: f64,
    /// By the compliance 1/k of a contact that is no face, and by the dissipation time.
    by_compliance: f64,
    by_dissipation: f64,
    /// −Φ/(h + τ_d) of a contact at rest, plus its speed of approach: zero where n₀ begins [m/s].
    onset: f64,
}

/// Compliance 1/k [m/N] and dissipation time τ_d [s] of a contact. A face has its own stiffness.
fn material(params: &Params, contact: &SceneContact) -> (f64, f64) {
    let [a, b] = contact.geom;
    let compliance = match contact.press {
        Some(press) => 1.0 / press.stiffness,
        None => 1.0 / params.geom_stiffness[a] + 1.0 / params.geom_stiffness[b],
    };
    let dissipation = params.geom_dissipation[a] + params.geom_dissipation[b];
    (compliance, dissipation)
}

impl Compliance {
    /// Capacity for this number of blocks and groups.
    pub fn new(max_blocks: usize, max_groups: usize, h: f64, friction: Friction) -> Compliance {
        Compliance {
            h,
            friction,
            regularization: Vec::with_capacity(max_blocks),
            groups: Vec::with_capacity(max_groups),
        }
    }

    /// Begins the groups of a step.
    pub(super) fn clear(&mut self) {
        self.regularization.clear();
        self.groups.clear();
    }

    /// True for lagged friction.
    pub fn lags(&self) -> bool {
        matches!(self.friction, Friction::Lagged(_))
    }

    /// The lagged normal impulse of a group.
    pub fn lagged(&self, group: usize) -> &Lagged {
        &self.groups[group].lag
    }

    /// n₀ of a contact.
    fn lag_of(
        &self,
        (compliance, dissipation, is_face): (f64, f64, bool),
        weight: f64,
        (gap, speed): (f64, f64),
    ) -> Lagged {
        let (h, whole) = (self.h, self.h + dissipation);
        let (soft, rigid) = (h / compliance, 1.0 / (near_rigid(weight, is_face) * whole));
        let yields = soft <= rigid;
        let stiffness = soft.min(rigid);
        let depth = -gap - dissipation * speed;
        let onset = depth / whole;
        if depth <= 0.0 {
            return Lagged {
                onset,
                ..Lagged::default()
            };
        }
        let by_dissipation = match yields {
            true => -stiffness * speed,
            false => -stiffness * (speed + onset),
        };
        Lagged {
            impulse: stiffness * depth,
            by_gap: -stiffness,
            by_speed: -stiffness * dissipation,
            by_stiffness: if yields && is_face { h * depth } else { 0.0 },
            by_compliance: match yields && !is_face {
                true => -stiffness * depth / compliance,
                false => 0.0,
            },
            by_dissipation,
            onset,
        }
    }

    /// Slope of the lagged normal impulse of a contact by the stiffness or the dissipation of a geom.
    pub fn lag_by_material(
        &self,
        params: &Params,
        contact: &SceneContact,
        p: &Param,
        group: usize,
    ) -> f64 {
        let g = p.index as usize;
        let (lag, k) = (&self.groups[group].lag, params.geom_stiffness[g]);
        let times = contact.geom.iter().filter(|x| **x == g).count() as f64;
        times
            * match p.kind {
                ParamKind::ContactStiffness => -lag.by_compliance / (k * k),
                _ => lag.by_dissipation,
            }
    }

    /// Appends R, K_p and the reach of friction of the next group, which has `blocks` blocks. `slip` and
    /// `speed` are the sliding speed and the normal velocity of a contact before the step [m/s].
    pub(super) fn push(
        &mut self,
        (source, blocks, weight): (&Source, usize, f64),
        (gap, slip, speed): (f64, f64, f64),
        scene: &Scene,
        params: &Params,
        s: &Stabilization,
    ) {
        let (mut compliance, mut dissipation, mut reach) = (0.0, 0.0, f64::INFINITY);
        let mut is_face = false;
        if let Source::Contact(i) = *source {
            let contact = &scene.contacts()[i];
            (compliance, dissipation) = material(params, contact);
            is_face = contact.press.is_some();
            reach = self.friction_reach(scene, params, i, slip);
        }
        let whole = self.relaxation(gap, dissipation, s);
        let rigid = near_rigid(weight, is_face);
        let soft = compliance / (self.h * whole);
        let mut r = match source.elastic() {
            Some(elastic) => Regularization::new(elastic.compliance(), elastic.compliance()),
            None => Regularization::new(SLIP * weight, rigid.max(soft)),
        };
        let mut lag = Lagged::default();
        if let Source::Contact(_) = source {
            r.friction = self.friction;
        }
        if let Friction::Lagged(own) = &mut r.friction {
            let material = (compliance, dissipation, is_face);
            lag = self.lag_of(material, weight, (gap, speed));
            *own = Lag {
                impulse: lag.impulse,
                margin: lag.onset.abs(),
            };
        }
        let is_slowed = self.is_slowed(gap, dissipation, s);
        let slowed = is_slowed && soft >= rigid;
        self.regularization.extend(std::iter::repeat_n(r, blocks));
        self.groups.push(Group {
            kp: dissipation / (self.h + dissipation),
            friction_reach: reach,
            by_gap: if slowed {
                soft / (whole * s.max_push_out)
            } else {
                0.0
            },
            by_push_out: if slowed { soft / s.max_push_out } else { 0.0 },
            by_stiffness: match is_face && soft >= rigid {
                true => -soft * compliance,
                false => 0.0,
            },
            is_slowed,
            lag,
        });
    }

    /// h + τ_d of a contact of this gap, enlarged if push-out would exceed its bound [s].
    fn relaxation(&self, gap: f64, dissipation: f64, s: &Stabilization) -> f64 {
        let own = self.h + dissipation;
        if self.is_slowed(gap, dissipation, s) {
            -gap / s.max_push_out
        } else {
            own
        }
    }

    fn is_slowed(&self, gap: f64, dissipation: f64, s: &Stabilization) -> bool {
        s.max_push_out > 0.0 && -gap > s.max_push_out * (self.h + dissipation)
    }

    /// Gap up to which a contact that slides at speed `slip` has friction [m]. It is the gap at which
    /// the contact may glide, or the distance that the smaller body moves in a step at the speed of a
    /// fall through its size, whichever is larger.
    fn friction_reach(&self, scene: &Scene, params: &Params, contact: usize, slip: f64) -> f64 {
        let c = &scene.contacts()[contact];
        let radius = c.geom.map(|g| scene.ball(g).2);
        let size = radius[0].min(radius[1]);
        let mu = c.friction.sliding(&params.geom_friction);
        if c.condim == 1 || mu == 0.0 {
            return f64::INFINITY;
        }
        let glides = GLIDE * mu * self.h * slip;
        let falls = self.h * (4.0 * params.gravity.norm() * size).sqrt();
        glides.min(GLIDE_SMALL * size).max(falls)
    }

    /// The stabilization of a group. At [`PushOut::Slow`], a group on which the bound does not act stays a
    /// spring.
    pub(super) fn stabilization(&self, group: usize, s: &Stabilization) -> Stabilization {
        let own = Stabilization {
            kp: self.groups[group].kp,
            friction_reach: self.groups[group].friction_reach,
            ..*s
        };
        match s.push_out {
            PushOut::Slow if !self.groups[group].is_slowed => Stabilization {
                push_out: PushOut::Full,
                max_push_out: f64::INFINITY,
                ..own
            },
            _ => own,
        }
    }

    /// ∂R/∂Φ of the normal row of a group.
    pub(super) fn by_gap(&self, group: usize) -> f64 {
        self.groups[group].by_gap
    }

    /// ∂R of the normal row of a group by the bound on its push-out.
    pub(super) fn by_push_out(&self, group: usize) -> f64 {
        self.groups[group].by_push_out
    }

    /// ∂R of the normal row of a face by its stiffness.
    pub(super) fn by_stiffness(&self, group: usize) -> f64 {
        self.groups[group].by_stiffness
    }

    /// Slope of the normal row of a contact by the stiffness or the dissipation of a geom, at fixed
    /// impulse. It includes the changes of R and of the bias. At the least R (near-rigid), it is the slope
    /// of the compliant side.
    pub fn by_material(
        &self,
        params: &Params,
        (contact, weight): (&SceneContact, f64),
        p: &Param,
        (gap, impulse): (f64, f64),
        s: &Stabilization,
    ) -> f64 {
        let g = p.index as usize;
        let times = contact.geom.iter().filter(|x| **x == g).count() as f64;
        let (compliance, dissipation) = material(params, contact);
        let (h, whole) = (self.h, self.relaxation(gap, dissipation, s));
        let yields = compliance / (h * whole) >= near_rigid(weight, contact.press.is_some());
        let k = params.geom_stiffness[g];
        let by_r = if yields { impulse / (h * whole) } else { 0.0 };
        times
            * match p.kind {
                ParamKind::ContactStiffness if contact.press.is_some() => 0.0,
                ParamKind::ContactStiffness => -by_r / (k * k),
                _ if self.is_slowed(gap, dissipation, s) => 0.0,
                _ => -by_r * compliance / whole + s.by_kp(gap) * h / (whole * whole),
            }
    }
}

/// Least R of a constraint: its period is β steps. A face has no least R; otherwise a part of a patch with
/// few faces would be softer than a part with many, and the body would lean.
fn near_rigid(weight: f64, is_face: bool) -> f64 {
    if is_face {
        return 0.0;
    }
    let turn = NEAR_RIGID / (2.0 * std::f64::consts::PI);
    turn * turn * weight
}
