//! Fills the rows of tendons: bounds of lengths, dry friction, and spring-dampers.

use super::assemble::Constraints;
use super::elastic::Elastic;
use super::equality::Equality;
use super::equality_list::springs;
use super::memory::Key;
use super::source::{Along, Source};
use crate::contact::problem::Block;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::Topology;
use crate::spatial::Mat3;
use crate::tendon::{Paths, Stretch};

impl Constraints {
    /// True if the spring or tendon of a parameter may have rows.
    pub fn has_elastic(&self, p: &Param) -> bool {
        let index = p.index as usize;
        match p.kind {
            ParamKind::Spring => self.springs[index].joins_links(),
            _ => self.tendons[index].has_rows,
        }
    }

    /// Moves the ends of the springs to their places in `params`.
    pub fn place_springs(&mut self, model: &Model, params: &Params) {
        for (kept, spring) in self.springs.iter_mut().zip(springs(model, params)) {
            *kept = spring;
        }
    }

    /// Stores the distances of the paths to jumps of their slopes.
    pub(super) fn take_paths(&mut self, paths: &Paths) {
        for (i, margin) in self.path_margins.iter_mut().enumerate() {
            *margin = paths.switch_distance(i);
        }
    }

    /// Distance of the paths of a group's rows to a jump of their slopes [m]. Infinite for a group
    /// without a path.
    pub(super) fn path_margin(&self, group: usize) -> f64 {
        let of = |tendon: usize| self.path_margins[tendon];
        match self.sources[group] {
            Source::Limit { along, .. } | Source::Friction { along } => match along {
                Along::Tendon(i) => of(i),
                Along::Turn(i) => self.turn_margins[i],
                Along::Dof(_) => f64::INFINITY,
            },
            Source::Path { tendon, .. } => of(tendon),
            Source::Equality { index, .. } => match &self.equalities[index] {
                Equality::Tendons(c) => {
                    let leader = c.leader.map_or(f64::INFINITY, |l| of(l.tendon));
                    leader.min(of(c.follower.tendon))
                }
                _ => f64::INFINITY,
            },
            _ => f64::INFINITY,
        }
    }

    /// Fills the bounds of lengths within reach.
    pub(super) fn fill_tendon_limits(
        &mut self,
        t: &Topology,
        paths: &Paths,
        [v, v_free]: [&[f64]; 2],
        h: f64,
        speculative_margin: f64,
    ) {
        for tendon in 0..self.tendons.len() {
            let own = &self.tendons[tendon];
            if !own.is_limited() || !self.may_pull(paths, tendon) {
                continue;
            }
            let (margin, bounds) = (own.margin, [(own.lower, 1.0), (own.upper, -1.0)]);
            let speed = [v, v_free].map(|v| paths.rate(tendon, v).abs());
            let reach = margin + speculative_margin + 2.0 * h * speed[0].max(speed[1]);
            for (bound, sign) in bounds {
                let gap = sign * (paths.length(tendon) - bound);
                if bound.is_finite() && gap <= reach {
                    let along = Along::Tendon(tendon);
                    let source = Source::Limit { along, sign };
                    let kind = 5 + u32::from(sign < 0.0);
                    self.push_tendon(
                        t,
                        paths,
                        (tendon, sign),
                        Block::Unilateral,
                        source,
                        gap,
                        kind,
                    );
                }
            }
        }
    }

    pub(super) fn fill_tendon_friction(&mut self, t: &Topology, paths: &Paths, h: f64) {
        for tendon in 0..self.tendons.len() {
            let bound = h * self.tendons[tendon].friction_loss;
            if bound > 0.0 && self.may_pull(paths, tendon) {
                let along = Along::Tendon(tendon);
                let (block, source) = (Block::Box { bound }, Source::Friction { along });
                self.push_tendon(t, paths, (tendon, 1.0), block, source, 0.0, 7);
            }
        }
    }

    /// Fills spring-dampers that act at the lengths at the start of the step. A cable that only pulls
    /// has the sign of its shortening, so that its impulse is positive.
    pub(super) fn fill_paths(&mut self, t: &Topology, params: &Params, paths: &Paths) {
        self.pull_margin = f64::INFINITY;
        for tendon in 0..self.tendons.len() {
            if !self.tendons[tendon].has_rows {
                continue;
            }
            let (h, pull_only) = (self.time_step(), self.tendons[tendon].pull_only);
            let pull = Stretch::of(params.tendon[tendon], paths.length(tendon), pull_only);
            self.pull_margin = self.pull_margin.min(pull.margin);
            let weight = self.levers.mean(paths.moments(tendon));
            let Some(elastic) = Elastic::new(pull.law, h, weight) else {
                continue;
            };
            let (sign, block) = match pull_only {
                true => (-1.0, Block::Unilateral),
                false => (1.0, Block::Bilateral),
            };
            let source = Source::Path {
                tendon,
                sign,
                elastic,
                end: pull.end,
            };
            let (scale, gap) = (sign * elastic.scale, sign * pull.elongation);
            self.push_tendon(t, paths, (tendon, scale), block, source, gap, 9);
        }
    }

    fn push_tendon(
        &mut self,
        t: &Topology,
        paths: &Paths,
        (tendon, scale): (usize, f64),
        block: Block,
        source: Source,
        gap: f64,
        kind: u32,
    ) {
        let key = Key {
            kind,
            a: tendon as u32,
            feature: 0,
        };
        self.tendons[tendon].fill(t, paths, tendon, scale, &mut self.rows);
        self.push((block, 1), source, Mat3::IDENTITY, (gap, false), key);
    }

    /// True if `v_next` passes, by more than `tolerance` [m], a bound of a length that no row holds.
    pub(super) fn misses_tendon(
        &self,
        paths: &Paths,
        v_next: &[f64],
        h: f64,
        tolerance: f64,
    ) -> bool {
        let mut limited = self.tendons.iter().enumerate();
        limited.any(|(i, tendon)| {
            tendon.is_limited() && self.may_pull(paths, i) && {
                let at = paths.length(i) + h * paths.rate(i, v_next);
                [(tendon.lower, 1.0), (tendon.upper, -1.0)]
                    .into_iter()
                    .any(|(bound, sign)| {
                        let along = Along::Tendon(i);
                        sign * (at - bound) < -tolerance
                            && !self.sources.contains(&Source::Limit { along, sign })
                    })
            }
        })
    }
}
