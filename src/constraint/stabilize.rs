//! What a step asks of its rows beyond not to close: g with the stabilization of every group, and the laws under it.

use super::assemble::{Constraints, Source};
use super::stabilization::{PushOut, Stabilization, Undoing};
use crate::collision::scene::Scene;
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::model::params::Params;
use crate::spatial::Vec3;

/// Motion along a normal that is round-off beside that across it.
const UNFELT: f64 = 1e-12;

impl Constraints {
    /// g = J v_free + stabilization, and the laws under it.
    pub fn stabilize(&mut self, v: &[f64], v_free: &[f64], s: &Stabilization) {
        let n = self.offsets.last().copied().unwrap_or(0);
        self.g.resize(n, 0.0);
        self.blocks.clone_from(&self.assembled);
        for i in 0..self.groups() {
            let range = self.range(i);
            let last = range.len() - 1;
            if self.leads(i, v, s) {
                self.blocks[i] = Block::Bilateral;
            }
            let own = self.stabilization(i, s);
            let undoing = match self.sources[i] {
                Source::Equality { error, .. } => Some(self.undoing(i, error, s)),
                _ => None,
            };
            let free = self.rows.times(i, v_free);
            let g = &mut self.g[range.clone()];
            g.copy_from_slice(&free.0[..=last]);
            match self.sources[i] {
                Source::Contact(_) | Source::Limit { .. } => {
                    let speed = if s.kd == 0.0 {
                        0.0
                    } else {
                        self.rows.times(i, v).0[last]
                    };
                    g[last] += own.term(self.gaps[i], speed);
                    if (own.slips(self.gaps[i]) || self.is_unfelt(i))
                        && let Block::Contact { mu } = &mut self.blocks[i]
                    {
                        *mu = 0.0;
                    }
                }
                Source::Equality { .. } => {
                    let term = undoing.map_or(Vec3::ZERO, |u| u.term());
                    for (g, x) in g.iter_mut().zip(term.to_array()) {
                        *g += x;
                    }
                }
                Source::Friction { .. } => {}
            }
        }
    }

    /// Whether no dof moves along the normal of a contact: it carries no load, and so has no friction, though any impulse
    /// there would do as well as none.
    fn is_unfelt(&self, group: usize) -> bool {
        let rows = self.range(group).len();
        rows == 3
            && self.rows.dofs(group).all(|k| {
                let [x, y, n, _] = self.rows.column(group, k).0;
                n.abs() <= UNFELT * x.abs().max(y.abs())
            })
    }

    /// R of all blocks for the convex law, after [`Constraints::assemble`]; `v` is the velocity before the step.
    pub fn regularize(&mut self, scene: &Scene, params: &Params, v: &[f64], s: &Stabilization) {
        let Some(mut compliance) = self.compliance.take() else {
            return;
        };
        compliance.clear();
        for (group, source) in self.sources.iter().enumerate() {
            let blocks = match source {
                Source::Equality { .. } => self.offsets[group + 1] - self.offsets[group],
                _ => 1,
            };
            let slip = match source {
                Source::Contact(_) => {
                    let [x, y, ..] = self.rows.times(group, v).0;
                    x.hypot(y)
                }
                _ => 0.0,
            };
            let own = self.bounded(group, s);
            compliance.push(
                (source, blocks),
                (self.gaps[group], slip),
                scene,
                params,
                &own,
            );
        }
        self.compliance = Some(compliance);
    }

    /// How the normal row of a group varies with its gap, at fixed impulse.
    pub fn by_gap(&self, group: usize, s: &Stabilization) -> f64 {
        let asked = self.stabilization(group, s).by_gap(self.gaps[group]);
        match (&self.compliance, self.normal_row(group)) {
            (Some(c), Some(row)) => asked + c.by_gap(group) * self.lambda[row],
            _ => asked,
        }
    }

    /// How the normal row of a contact varies with its speed of push-out where joints bound that, at fixed impulse.
    pub fn by_push_out(&self, group: usize, s: &Stabilization) -> f64 {
        if !self.bounds[group].varies() {
            return 0.0;
        }
        let asked = self.stabilization(group, s).by_push_out(self.gaps[group]);
        match (&self.compliance, self.normal_row(group)) {
            (Some(c), Some(row)) => asked + c.by_push_out(group) * self.lambda[row],
            _ => asked,
        }
    }

    /// How this speed varies with the normal row at a dof.
    pub fn push_out_weight(&self, group: usize, dof: usize) -> f64 {
        let normal = self.rows.column(group, dof).0[self.range(group).len() - 1];
        self.levers.weight(&self.bounds[group], dof, normal)
    }

    /// What is asked of the gap of a group.
    pub fn stabilization(&self, group: usize, s: &Stabilization) -> Stabilization {
        let led = matches!(self.sources[group], Source::Limit { .. })
            && self.blocks[group] == Block::Bilateral;
        let own = Stabilization {
            led,
            ..self.bounded(group, s)
        };
        match &self.compliance {
            Some(c) => c.stabilization(group, &own),
            None => own,
        }
    }

    /// With the bound on push-out that is the group's.
    fn bounded(&self, group: usize, s: &Stabilization) -> Stabilization {
        let mut own = s.of(self.angular[group]);
        if let Source::Contact(_) = self.sources[group] {
            own.max_push_out = self.bounds[group].speed;
        }
        own
    }

    /// How the violation of an equality is undone.
    pub fn undoing(&self, group: usize, error: Vec3, s: &Stabilization) -> Undoing {
        match self.sources[group] {
            Source::Equality { index, .. } => {
                self.equalities[index].undoing(error, &s.of(self.angular[group]))
            }
            _ => s.undoing(error, [f64::INFINITY, 0.0]),
        }
    }

    /// Whether a passed limit is led back. One that an equality has a part in is pushed: two of these might be led to
    /// where no configuration is. So is a compliant one, which rests beyond its bound.
    fn leads(&self, group: usize, v: &[f64], s: &Stabilization) -> bool {
        let Source::Limit { dof, sign } = self.sources[group] else {
            return false;
        };
        self.compliance.is_none()
            && !self.coupled[dof]
            && s.of(self.angular[group])
                .leads(self.gaps[group], sign * v[dof])
    }

    /// Distance of equalities, and of active contacts and limits, to the nearest kink of the stabilization, at gap zero and
    /// where the speed of pushing out reaches its bound, in units of the largest free velocity; infinite
    /// where it has none.
    pub fn kink_distance(&self, s: &Stabilization) -> f64 {
        let scale = self.g.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let distance = |b: usize| match self.sources[b] {
            Source::Friction { .. } => f64::INFINITY,
            Source::Equality { error, .. } => self.undoing(b, error, s).kink_distance,
            _ if self.modes[b] == Mode::Breaking => f64::INFINITY,
            _ => {
                let own = self.stabilization(b, s);
                let kink = own.kink_distance(self.gaps[b]);
                match own.by_push_out(self.gaps[b]) != 0.0 {
                    true => kink.min(self.bounds[b].apart),
                    false => kink,
                }
            }
        };
        (0..self.groups()).fold(f64::INFINITY, |m, b| m.min(distance(b) / scale))
    }

    /// What to ask of the gaps where this cannot be had; none where it asks nothing but not to close further.
    pub fn fallback(&self, s: &Stabilization) -> Option<PushOut> {
        let pushes = |s: &Stabilization| {
            (0..self.groups()).any(|b| self.normal_row(b).is_some() && s.pushes(self.gaps[b]))
        };
        // What contradicts itself without contacts and limits is no jam.
        let blocked = (0..self.groups()).any(|b| self.normal_row(b).is_some());
        let pulls = blocked
            && (0..self.groups()).any(|b| match self.sources[b] {
                Source::Equality { error, .. } => s.pulls(&self.undoing(b, error, s)),
                _ => false,
            });
        let deep = PushOut::Deep;
        if !pushes(s) {
            pulls.then_some(PushOut::Nothing)
        } else if s.push_out == PushOut::Full && pushes(&s.limited_to(deep)) {
            Some(deep)
        } else {
            Some(PushOut::None)
        }
    }
}
