//! Contacts with torsional or rolling friction as part of the interior point.

use super::Interior;
use crate::contact::ncp::cone::exit;
use crate::contact::ncp::path_system::PathSystem;
use crate::contact::ncp::wide::{self, dot};
use crate::contact::ncp::wide_pairs::{At, Products, WidePairs, moved};
use crate::contact::ncp::work::Work;
use crate::contact::problem::{Block, Problem};

impl Interior {
    fn products_of(
        &self,
        problem: &Problem,
        work: &Work,
        system: &PathSystem,
        own: &WidePairs,
        step: f64,
    ) -> Products {
        let part = work.part(own.block);
        let moved = |x: &[f64], d: &[f64]| moved(&x[part.clone()], &d[part.clone()], step);
        let (l, s) = (
            moved(&system.lambda, &self.dlambda),
            moved(&system.sigma, &self.dsigma),
        );
        let at = At {
            block: problem.blocks[own.block],
            l: &l[..part.len()],
            s: &s[..part.len()],
        };
        let mut pairs = *own;
        pairs.advance(step);
        at.products(&pairs.slack)
    }

    /// The sum of the products of all these contacts after `step`, and their number.
    pub(super) fn wide_products(
        &self,
        problem: &Problem,
        work: &Work,
        system: &PathSystem,
        step: f64,
    ) -> (f64, u32) {
        let (mut sum, mut count) = (0.0, 0);
        for own in &self.wides {
            let products = self.products_of(problem, work, system, own, step);
            let tangents = work.part(own.block).len() as u32 - 1;
            match problem.blocks[own.block] {
                Block::Pyramid { .. } => {
                    sum += products.iter().sum::<f64>();
                    count += 1 + 2 * tangents;
                }
                _ => {
                    sum += products[0];
                    count += 1;
                }
            }
        }
        (sum, count)
    }

    /// Takes the products of the present direction as the correction.
    pub(super) fn correct_wides(&mut self, problem: &Problem, work: &Work, system: &PathSystem) {
        for k in 0..self.wides.len() {
            let own = self.wides[k];
            self.wides[k].correction = self.products_of(problem, work, system, &own, 1.0);
        }
    }

    /// Computes D of these contacts.
    pub(super) fn wide_slopes(&self, problem: &Problem, work: &Work, system: &mut PathSystem) {
        for (own, shift) in self.wides.iter().zip(&mut system.wides) {
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            shift.slope = at.slope(&own.slack);
        }
    }

    pub(super) fn wide_targets(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &PathSystem,
        kappa: f64,
    ) {
        for own in &self.wides {
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            let target = at.target(&own.slack, kappa, &own.correction);
            let part = work.part(own.block);
            self.target[part.clone()].copy_from_slice(&target[..part.len()]);
        }
    }

    /// Completes the direction with the changes of σ and of the slacks.
    pub(super) fn follow_wides(
        &mut self,
        problem: &Problem,
        work: &Work,
        system: &PathSystem,
        kappa: f64,
    ) {
        for (own, shift) in self.wides.iter_mut().zip(&system.wides) {
            let part = work.part(own.block);
            let dl = &self.dlambda[part.clone()];
            for (ds, line) in self.dsigma[part].iter_mut().zip(&shift.slope) {
                *ds -= dot(dl, line);
            }
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            let change = At { l: dl, ..at };
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            for k in (0..at.last()).filter(|_| at.is_pyramid()) {
                let (room, by) = (at.room(k), change.room(k));
                for j in 0..2 {
                    let s = own.slack[k][j];
                    let wanted = kappa - own.correction[1 + 2 * k + j];
                    own.dslack[k][j] = (wanted - s * by[j]) / room[j] - s;
                }
            }
        }
    }

    /// The largest step inside the sets of these contacts, at most `step`.
    pub(super) fn wide_reach(
        &self,
        problem: &Problem,
        work: &Work,
        system: &PathSystem,
        mut step: f64,
    ) -> f64 {
        let within = |step: f64, x: f64, d: f64| if d < 0.0 { step.min(-x / d) } else { step };
        for own in &self.wides {
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            let by = own.at(problem, work, [&self.dlambda, &self.dsigma]);
            let last = at.last();
            step = within(step, at.l[last], by.l[last]);
            step = within(step, at.s[last], by.s[last]);
            if at.is_pyramid() {
                for k in 0..last {
                    let (room, change) = (at.room(k), by.room(k));
                    for j in 0..2 {
                        step = within(step, room[j], change[j]);
                        step = within(step, own.slack[k][j], own.dslack[k][j]);
                    }
                }
            } else {
                step = step.min(exit(at.mu(), at.l, by.l));
            }
        }
        step
    }

    /// Updates the modes that these contacts tend to. Returns whether they are unchanged.
    pub(super) fn update_wide_modes(
        &self,
        problem: &Problem,
        work: &Work,
        system: &mut PathSystem,
    ) -> bool {
        let mut same = true;
        for own in &self.wides {
            let at = own.at(problem, work, [&system.lambda, &system.sigma]);
            let (i, next) = (own.block, at.tending(&own.slack));
            let before = [system.modes[i - 1], system.modes[i]];
            wide::set_mode(problem.blocks, &mut system.modes, i, next);
            same &= before == [system.modes[i - 1], system.modes[i]];
        }
        same
    }
}
