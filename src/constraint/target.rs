//! Slopes of the target of a group's rows: σ = J v⁺ + b(φ, J v, θ) + R λ, with φ the gap or violation
//! and θ parameters.
//!
//! Stabilization, compliance and the bounds on push-out set the slopes of b + R λ. The derivative of a
//! step reads only these slopes.

use super::assemble::Constraints;
use super::compliance::{Compliance, Lagged};
use super::rebound::{Rebound, of_pair};
use super::source::{Along, Source};
use super::stabilization::Undoing;
use crate::collision::scene::Scene;
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};

/// Slopes of the target of a group at fixed impulses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target {
    /// Of the normal row by its gap [1/s].
    pub by_gap: f64,
    /// Of the normal row by its velocity before the step.
    pub by_speed: f64,
    /// Of the normal row by the push-out speed, if joints bound it.
    pub by_push_out: f64,
    /// Of the normal row by the stiffness of a face.
    pub by_stiffness: f64,
    /// Of the rows of an equality by its violation.
    pub by_violation: Undoing,
}

impl Constraints {
    /// The rebound of a group whose row is that of a rebound.
    #[inline(always)]
    pub fn rebound(&self, group: usize) -> Option<&Rebound> {
        self.rebounds.get(group).filter(|r| r.holds)
    }

    /// Contacts that rebound with an impulse, by groups. Call it after the solve.
    pub fn impacts(&self) -> impl Iterator<Item = (usize, &Rebound)> {
        let all = self.rebounds.iter().enumerate();
        all.filter(|(group, r)| r.holds && self.modes[*group] != Mode::Breaking)
    }

    /// Slopes of the target of a group. Call it after the solve.
    #[inline(always)]
    pub fn target(&self, group: usize) -> Target {
        let s = self.asked(group);
        if let Source::Equality { error, .. } = self.sources[group] {
            return Target {
                by_violation: self.undoing(group, error, s),
                ..Target::default()
            };
        }
        match self.sources[group] {
            Source::Spring { error, elastic, .. } => {
                return Target {
                    by_violation: Undoing::linear(error, elastic.by_elongation()),
                    ..Target::default()
                };
            }
            Source::Path { elastic, .. } => {
                return Target {
                    by_gap: elastic.by_elongation(),
                    ..Target::default()
                };
            }
            _ => {}
        }
        let Some(row) = self.normal_row(group) else {
            return Target::default();
        };
        let (own, gap, bound) = (
            self.stabilization(group, s),
            self.gaps[group],
            &self.bounds[group],
        );
        let by_speed = self.by_speed(group);
        if self.rebound(group).is_some() {
            return Target {
                by_speed,
                ..Target::default()
            };
        }
        let mut target = Target {
            by_gap: own.by_gap(gap),
            by_speed,
            ..Target::default()
        };
        let is_bounded = bound.varies() && bound.speed <= s.max_push_out;
        if is_bounded {
            target.by_push_out = own.by_push_out(gap);
        }
        if let Some(c) = &self.compliance {
            target.by_gap += c.by_gap(group) * self.lambda[row];
            target.by_stiffness = c.by_stiffness(group) * self.lambda[row];
            if is_bounded {
                target.by_push_out += c.by_push_out(group) * self.lambda[row];
            }
        }
        target
    }

    /// Slope of a group's normal row by its velocity before the step.
    #[inline(always)]
    pub fn by_speed(&self, group: usize) -> f64 {
        match self.rebound(group) {
            Some(rebound) => rebound.e,
            None => -self.asked(group).kd,
        }
    }

    /// True if any row has a nonzero [`Target::by_speed`], or with lagged friction.
    pub fn keeps_speed(&self) -> bool {
        self.regions.parts.iter().any(|part| part.asked.kd != 0.0)
            || self.lags()
            || self.rebounds.iter().any(|r| r.holds)
    }

    /// True for lagged friction.
    pub fn lags(&self) -> bool {
        self.compliance.as_ref().is_some_and(Compliance::lags)
    }

    /// The lagged normal impulse of a contact, and μ; `None` without lagged friction, or for a contact
    /// without friction.
    pub fn lagged(&self, group: usize) -> Option<(&Lagged, f64)> {
        let compliance = self.compliance.as_ref().filter(|c| c.lags())?;
        match (self.sources[group], self.blocks[group]) {
            (Source::Contact(_), Block::Contact { mu }) if mu > 0.0 => {
                Some((compliance.lagged(group), mu))
            }
            _ => None,
        }
    }

    /// Slopes by a parameter that does not move the geometry, at fixed velocity and impulses: of the
    /// rows into `sigma`, of friction coefficients and bounds into `limits` (by blocks). Both must be
    /// zero on entry. `v` is the velocity before the step.
    pub fn by_parameter(
        &self,
        model: &Model,
        params: &Params,
        scene: &Scene,
        v: &[f64],
        p: &Param,
        sigma: &mut [f64],
        limits: &mut [f64],
    ) {
        let index = p.index as usize;
        for (group, source) in self.sources.iter().enumerate() {
            match (p.kind, *source) {
                (ParamKind::GeomFriction, Source::Contact(i)) => {
                    let friction = &scene.contacts()[i].friction;
                    if p.component == 0 && !self.slips(group) {
                        limits[group] = friction.by_geom(&params.geom_friction, 0, index);
                    }
                    // The bound of lagged friction is μ n₀.
                    if let Some(c) = self.compliance.as_ref().filter(|c| c.lags()) {
                        limits[group] *= c.lagged(group).impulse;
                    }
                }
                (ParamKind::JointFriction, Source::Friction { along })
                    if along == Along::Dof(model.dof_of(p)) =>
                {
                    limits[group] = self.time_step();
                }
                (
                    ParamKind::ContactStiffness | ParamKind::ContactDissipation,
                    Source::Contact(i),
                ) => {
                    let contact = &scene.contacts()[i];
                    if let (Some(compliance), Some(row)) =
                        (&self.compliance, self.normal_row(group))
                        && contact.geom.contains(&index)
                    {
                        let s = self.stabilization(group, self.asked(group));
                        let at_contact = (self.gaps[group], self.lambda[row]);
                        let of = (contact, self.weights.contact(contact.geom));
                        sigma[row] = compliance.by_material(params, of, p, at_contact, &s);
                        if let Some((_, mu)) = self.lagged(group) {
                            limits[group] =
                                mu * compliance.lag_by_material(params, contact, p, group);
                        }
                    }
                }
                (ParamKind::GeomRestitution, Source::Contact(i)) => {
                    let geoms = scene.contacts()[i].geom;
                    if let (Some(rebound), Some(row)) =
                        (self.rebound(group), self.normal_row(group))
                        && of_pair(&params.geom_restitution, geoms).1 == index
                    {
                        sigma[row] = rebound.speed;
                    }
                }
                (
                    ParamKind::Spring,
                    Source::Spring {
                        index,
                        error,
                        elastic,
                    },
                ) if index as i32 == p.index && p.anchor().is_none() => {
                    let rows = self.range(group);
                    let at = error.to_array().into_iter().zip(&self.lambda[rows.clone()]);
                    for (sigma, (error, impulse)) in sigma[rows].iter_mut().zip(at) {
                        *sigma = elastic.by_parameter(p.component as usize, error, *impulse);
                    }
                }
                (
                    ParamKind::Tendon,
                    Source::Path {
                        tendon,
                        sign,
                        elastic,
                        end,
                    },
                ) if tendon == index && p.anchor().is_none() => {
                    let row = self.range(group).start;
                    let (gap, impulse) = (self.gaps[group], self.lambda[row]);
                    sigma[row] = match p.component as usize {
                        0 if end.is_none() => 0.0,
                        which @ (0 | 1) => elastic.by_parameter(which, gap, impulse),
                        which if end == Some(which - 2) => -sign * elastic.by_elongation(),
                        _ => 0.0,
                    };
                }
                (ParamKind::Stabilization, _) if self.rebound(group).is_none() => {
                    self.by_gain(group, p.component, v, &mut sigma[self.range(group)]);
                }
                _ => {}
            }
        }
    }

    /// Slopes of a group's rows by a gain: 0 for K_p, 1 for K_d.
    fn by_gain(&self, group: usize, which: i32, v: &[f64], sigma: &mut [f64]) {
        let (s, last) = (self.asked(group), sigma.len() - 1);
        match self.sources[group] {
            Source::Contact(_) | Source::Limit { .. } => {
                sigma[last] = match which {
                    0 => self.stabilization(group, s).by_kp(self.gaps[group]),
                    // K_d has no effect on a compliant row.
                    _ if s.limits() => 0.0,
                    _ => -self.rows.times(group, v).0[last],
                };
            }
            Source::Equality { error, .. } if which == 0 => {
                let by_kp = self.undoing(group, error, s).by_kp().to_array();
                sigma.copy_from_slice(&by_kp[..=last]);
            }
            _ => {}
        }
    }
}
