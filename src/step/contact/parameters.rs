//! Parameters that act through the constraints.

use super::{ContactStage, solved_by};
use crate::collision::scene::PairFriction;
use crate::constraint::Source;
use crate::error::Result;
use crate::model::params::{Param, ParamKind};
use crate::step::parameters::At;

/// The geoms' coefficients, and which parameters derivatives are taken by.
pub(in crate::step) struct Friction<'a> {
    pub coefficients: &'a [[f64; 3]],
    pub selected: &'a [Param],
}

impl Friction<'_> {
    /// Whether a selected coefficient is that of both geoms of a pair, of which the larger counts.
    pub(super) fn is_at_kink(&self, pair: PairFriction) -> bool {
        pair.tied(self.coefficients).is_some_and(|geoms| {
            let chosen = |p: &Param| {
                p.kind == ParamKind::GeomFriction && geoms.contains(&(p.index as usize))
            };
            self.selected.iter().any(chosen)
        })
    }
}

impl ContactStage {
    /// Effects of a parameter: σ at fixed velocity and the laws' bounds are kept for the call that
    /// follows, impulses on the dofs are added to `force`.
    pub fn parameter(&mut self, at: &At<'_>, p: &Param, force: &mut [f64]) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        l.w_param.fill(0.0);
        l.limits.fill(0.0);
        let index = p.index as usize;
        match p.kind {
            ParamKind::GeomFriction => {
                for (b, source) in c.sources.iter().enumerate() {
                    if let Source::Contact(i) = *source
                        && !c.stabilization(b, &self.stabilization).slips(c.gaps[b])
                    {
                        let c = &self.scene.contacts()[i];
                        if c.friction.source(&at.params.geom_friction) == Some(index) {
                            l.limits[b] = 1.0;
                        }
                    }
                }
            }
            ParamKind::JointFriction => {
                let dof = at.model.dof_of(p);
                for (b, source) in c.sources.iter().enumerate() {
                    if *source == (Source::Friction { dof }) {
                        l.limits[b] = at.time_step;
                    }
                }
            }
            ParamKind::JointPlacement => {
                let xi = at.placement_twist(index, p.component as usize);
                let first = at.model.joint(index).first_link;
                let t = at.model.topology();
                let links = first..t.links[first].end;
                l.variation
                    .displaced(c, t, at.kin, links, xi, &mut l.w_param, force);
            }
            ParamKind::GeomSize => {
                let size = (index, p.component as usize);
                let (t, scene, sigma) = (at.model.topology(), &self.scene, &mut l.w_param);
                l.variation.resized(c, scene, t, at.kin, size, sigma, force);
            }
            ParamKind::ContactStiffness | ParamKind::ContactDissipation => {
                let Some(compliance) = &c.compliance else {
                    return;
                };
                for (b, source) in c.sources.iter().enumerate() {
                    let (Source::Contact(i), Some(row)) = (*source, c.normal_row(b)) else {
                        continue;
                    };
                    let geoms = self.scene.contacts()[i].geom;
                    if geoms.contains(&index) {
                        let s = c.stabilization(b, &self.stabilization);
                        let at_contact = (c.gaps[b], c.lambda[row]);
                        let of = (geoms, c.weights.contact(geoms));
                        l.w_param[row] = compliance.by_material(at.params, of, p, at_contact, &s);
                    }
                }
            }
            ParamKind::Stabilization => {
                self.gain(p.component as usize, at.v);
            }
            _ => {}
        }
    }

    /// Notes whether redundant constraints, which agree on every variation of the state, also agree on that of a
    /// parameter which moves the geometry.
    pub fn check_parameter(&mut self, at: &At<'_>, p: &Param, force: &mut [f64]) -> Result<()> {
        if matches!(p.kind, ParamKind::JointPlacement | ParamKind::GeomSize) {
            self.parameter(at, p, force);
            let problem = self.constraints.problem();
            let law = solved_by(&mut self.law, &mut self.relaxed);
            if let Some(l) = &mut self.linear
                && !problem.blocks.is_empty()
            {
                let w = &l.w_param[..problem.rows()];
                l.one_sided |= !law.linearize(&problem)?.answers(&problem, w)?;
            }
        }
        Ok(())
    }

    /// How σ varies with a gain: 0 for K_p, 1 for K_d.
    fn gain(&mut self, which: usize, v: &[f64]) {
        // A step that yields keeps nothing of the old velocity.
        let keeps = !self.gave_up_push_out();
        let (c, s, Some(l)) = (&self.constraints, &self.stabilization, &mut self.linear) else {
            return;
        };
        for b in 0..c.groups() {
            let rows = c.range(b);
            match c.sources[b] {
                Source::Contact(_) | Source::Limit { .. } => {
                    let row = rows.end - 1;
                    l.w_param[row] = match which {
                        0 => c.stabilization(b, s).by_kp(c.gaps[b]),
                        _ if keeps => -c.rows.times(b, v).0[rows.len() - 1],
                        _ => 0.0,
                    };
                }
                Source::Equality { error, .. } if which == 0 => {
                    let by_kp = c.undoing(b, error, s).by_kp();
                    for (x, e) in l.w_param[rows].iter_mut().zip(by_kp.to_array()) {
                        *x = e;
                    }
                }
                Source::Equality { .. } | Source::Friction { .. } => {}
            }
        }
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
