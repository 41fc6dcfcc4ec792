//! Derivatives by parameters that act through the constraints.

use super::{ContactStage, solved_by};
use crate::collision::scene::SceneContact;
use crate::constraint::{Along, Constraints, Source, Torsion};
use crate::contact::mode::Mode;
use crate::error::Result;
use crate::model::params::{Param, ParamKind, Params};
use crate::step::parameters::At;
use crate::tendon::Displacement;

/// Parameters of which the larger one counts: coefficients of the geoms of a pair, bounds of the joints that
/// follow one coordinate. And the selected parameters.
pub(in crate::step) struct Larger<'a> {
    pub params: &'a Params,
    pub selected: &'a [Param],
}

impl Larger<'_> {
    /// True if a selected coefficient of friction is equal for both geoms of a pair, and has an effect: it
    /// bounds an impulse, or it scales a compliant row of torsional or rolling friction.
    pub(super) fn friction_is_at_kink(&self, c: &Constraints, contacts: &[SceneContact]) -> bool {
        let blocks = c.sources.iter().zip(&c.modes).enumerate();
        let mut felt = blocks.filter_map(|(group, (source, mode))| match (source, mode) {
            (Source::Contact(i), Mode::Sliding) => {
                let condim = contacts[*i].condim;
                Some((
                    *i,
                    [true, matches!(condim, 4 | 6), condim == 6],
                    Some(group),
                ))
            }
            (Source::Contact(i), Mode::Bounded(_)) => Some((*i, [true, false, false], Some(group))),
            (Source::Torsion(torsion), Mode::Sticking | Mode::Turned(_)) => {
                let signs = match mode {
                    Mode::Turned(signs) => *signs,
                    _ => [0; 3],
                };
                let felt = felt_by_torsion(torsion, signs, c.yields(group));
                Some((torsion.contact, felt, None))
            }
            _ => None,
        });
        felt.any(|(contact, felt, group)| {
            let pair = contacts[contact].friction;
            (0..3).filter(|k| felt[*k]).any(|component| {
                let tied = pair.tied(&self.params.geom_friction, component);
                let chosen = |geoms| self.is_selected(ParamKind::GeomFriction, geoms, component);
                tied.is_some_and(chosen) && !group.is_some_and(|group| c.slips(group))
            })
        })
    }

    /// True if some selected coefficient is at a kink.
    pub(super) fn is_at_kink(&self, c: &Constraints, contacts: &[SceneContact]) -> bool {
        self.friction_is_at_kink(c, contacts)
            || self.bound_is_at_kink(c)
            || (c.impacts()).any(|(i, _)| self.restitution_is_at_kink(contacts[i].geom))
    }

    /// True if a bound that holds belongs to two joints, and a selected entry of a reduction decides which of
    /// them is tighter.
    fn bound_is_at_kink(&self, c: &Constraints) -> bool {
        let Some(r) = &self.params.reduction else {
            return false;
        };
        let leader = |dof: usize| r.leader(dof).map(|l| l.0);
        let moves = |p: &Param, dof: usize| {
            let own = r.dofs(p).0;
            leader(own) == leader(dof) && [1.0, -1.0].iter().any(|sign| c.is_tied(own, *sign))
        };
        let of_entry = |p: &&Param| p.kind == ParamKind::Reduction;
        let mut groups = c.sources.iter().zip(&c.modes);
        groups.any(|(source, mode)| match (source, mode) {
            (_, Mode::Breaking) => false,
            (
                Source::Limit {
                    along: Along::Dof(dof),
                    sign,
                },
                _,
            ) => {
                c.is_tied(*dof, *sign)
                    && self
                        .selected
                        .iter()
                        .filter(of_entry)
                        .any(|p| moves(p, *dof))
            }
            _ => false,
        })
    }

    /// True if a selected coefficient of restitution is equal for both geoms of a pair.
    pub(super) fn restitution_is_at_kink(&self, geoms: [usize; 2]) -> bool {
        let [a, b] = geoms.map(|g| self.params.geom_restitution[g]);
        a == b && self.is_selected(ParamKind::GeomRestitution, geoms, 0)
    }

    fn is_selected(&self, kind: ParamKind, geoms: [usize; 2], component: usize) -> bool {
        let chosen = |p: &Param| {
            p.kind == kind && p.component == component as i32 && geoms.contains(&(p.index as usize))
        };
        self.selected.iter().any(chosen)
    }
}

/// The coefficients that have an effect on rows of torsional and rolling friction. `signs` are the bounds
/// at which the rows are, 0 for none.
fn felt_by_torsion(torsion: &Torsion, signs: [i8; 3], yields: bool) -> [bool; 3] {
    let mut felt = [false; 3];
    for (axis, sign) in torsion.axis.iter().zip(signs).take(torsion.rows) {
        let own = if *axis == 2 { 1 } else { 2 };
        felt[own] |= yields || sign != 0;
        felt[0] |= yields && sign == 0;
    }
    felt
}

impl ContactStage {
    /// Computes the effects of a parameter. The changes of σ at fixed velocity and of the laws' bounds stay
    /// in the workspace for the next call. Impulses on the dofs are added to `force`.
    pub fn parameter(&mut self, at: &At<'_>, p: &Param, force: &mut [f64]) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        l.w_param.fill(0.0);
        l.limits.fill(0.0);
        l.gaps.fill(0.0);
        let index = p.index as usize;
        match p.kind {
            kind if kind.displaces() => {
                let moved = at.kin.displaced(at.model, at.params, p);
                let t = at.model.topology();
                let paths = &self.paths;
                let out = [&mut l.w_param[..], &mut l.limits, &mut l.gaps, force];
                (l.variation).displaced(c, t, (at.kin, paths), &moved, out);
            }
            ParamKind::GeomSize => {
                let size = (index, p.component as usize);
                let (t, scene) = (at.model.topology(), &self.scene);
                let out = [&mut l.w_param[..], &mut l.limits, &mut l.gaps, force];
                l.variation.resized(c, scene, t, at.kin, size, out);
            }
            ParamKind::HydroelasticModulus => {
                let (t, scene) = (at.model.topology(), &self.scene);
                let out = [&mut l.w_param[..], &mut l.limits, &mut l.gaps, force];
                l.variation.pressed(c, scene, t, at.kin, index, out);
            }
            _ if p.anchor().is_some() => {
                let (t, at_kin) = (at.model.topology(), (at.kin, &self.paths));
                let sigma = &mut l.w_param;
                if let Some(displaced) = Displacement::of(at.model, at.params, at.kin, p) {
                    l.variation
                        .anchor_displaced(c, t, at_kin, &displaced, sigma, force);
                }
            }
            _ => {
                let (sigma, limits) = (&mut l.w_param, &mut l.limits);
                c.by_parameter(at.model, at.params, &self.scene, at.v, p, sigma, limits);
                l.variation
                    .torsion_by_friction(c, &self.scene, at.params, p, sigma, force);
                if Self::may_begin_to_pull(p) {
                    l.variation.absent(c, &self.paths, at.params, p, force);
                }
            }
        }
    }

    /// True if a spring or tendon without rows would have an impulse at another value of the parameter.
    pub fn may_begin_to_pull(p: &Param) -> bool {
        matches!(p.kind, ParamKind::Spring | ParamKind::Tendon)
    }

    /// Marks the derivative as one-sided if it is so by this parameter. There are two reasons. Redundant
    /// constraints that are consistent for every variation of the state may be inconsistent for a parameter
    /// that moves the geometry. And the parameter may be at a kink of a tendon.
    pub fn check_parameter(&mut self, at: &At<'_>, p: &Param, force: &mut [f64]) -> Result<()> {
        let contradicts = self.contradicts(at, p, force)?;
        if let Some(l) = &mut self.linear {
            l.one_sided |= contradicts;
        }
        Ok(())
    }

    /// True if [`ContactStage::check_parameter`] finds a reason.
    pub fn contradicts(&mut self, at: &At<'_>, p: &Param, force: &mut [f64]) -> Result<bool> {
        if self.paths.has_kink(at.model, at.params, p) {
            return Ok(true);
        }
        if p.kind.moves_surfaces() || p.anchor().is_some() {
            self.parameter(at, p, force);
            let problem = self.constraints.problem();
            let law = solved_by(&mut self.law, &mut self.relaxed);
            if let Some(l) = &self.linear
                && !problem.blocks.is_empty()
            {
                let w = &l.w_param[..problem.rows()];
                return Ok(!law.linearize(&problem)?.answers(&problem, w)?);
            }
        }
        Ok(false)
    }

    /// Adds `scale` times the parameter's effects to the direction.
    pub fn add_direction(&mut self, scale: f64) {
        if let Some(l) = &mut self.linear {
            for (x, w) in l.sigma.iter_mut().zip(&l.w_param) {
                *x += scale * w;
            }
            for (x, w) in l.bounds.iter_mut().zip(&l.limits) {
                *x += scale * w;
            }
        }
    }

    /// Adjoint of the parameter's effects on σ and on the laws' bounds.
    pub fn parameter_adjoint(&self) -> f64 {
        let (c, Some(l)) = (&self.constraints, &self.linear) else {
            return 0.0;
        };
        let (rows, blocks) = (c.g.len(), c.blocks.len());
        let sigma = l.sigma[..rows].iter().zip(&l.w_param);
        let bounds = l.bounds[..blocks].iter().zip(&l.limits);
        sigma.chain(bounds).map(|(a, b)| a * b).sum()
    }
}
