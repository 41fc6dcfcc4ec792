//! The part of tendon rows in the derivative of the constraint problem.
//!
//! With the moment g = ∂l/∂q, H = ∂g/∂q and σ = c g·v⁺ + e l + …, ∂σ/∂q = c Hᵀv⁺ + e g. The impulse c λ g
//! on the dofs varies by c λ H. If a tendon is the leader of a coupling, c = −p'(l) varies, too, by −p'': e
//! gets the additional term −p'' g·v⁺, and the variation of the impulse gets −p'' λ g gᵀ.

use super::ConstraintDerivative;
use super::rows::{BEFORE, OnDof, OnTendon, Pull};
use crate::constraint::assemble::Constraints;
use crate::constraint::elastic::Elastic;
use crate::constraint::equality::LengthCoupling;
use crate::constraint::source::{Along, Source};
use crate::dynamics::kinematics::Kinematics;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::Topology;
use crate::spatial::Vec3;
use crate::tendon::{Displacement, Paths, Stretch};

impl ConstraintDerivative {
    /// Adds the row of a tendon, or of the angle of a spherical joint, which is treated as a length. Other
    /// rows have no such variation.
    pub(super) fn push_tendon(
        &mut self,
        c: &Constraints,
        paths: &Paths,
        [v, v_next]: [&[f64]; 2],
        group: usize,
    ) {
        let (tendon, scale, sign) = match c.sources[group] {
            Source::Limit {
                along: Along::Tendon(i),
                sign,
            } => (i, sign, sign),
            Source::Limit {
                along: Along::Turn(i),
                sign,
            } => (paths.of_turn(i), sign, sign),
            Source::Friction {
                along: Along::Tendon(i),
            } => (i, 1.0, 0.0),
            Source::Path {
                tendon,
                sign,
                elastic,
                ..
            } => (tendon, sign * elastic.scale, sign),
            _ => return,
        };
        let (row, target) = (c.range(group).start, c.target(group));
        let own = OnTendon {
            row,
            tendon,
            by_rate: [scale, scale * target.by_speed],
            by_length: sign * target.by_gap,
        };
        let pull = Pull {
            tendon,
            impulse: scale * c.lambda[row],
            bend: 0.0,
        };
        self.push_length(paths, [v, v_next], own, pull);
    }

    /// Adds the row of an equality of tendons.
    pub(super) fn push_lengths(
        &mut self,
        c: &Constraints,
        paths: &Paths,
        coupling: &LengthCoupling,
        v: [&[f64]; 2],
        group: usize,
    ) {
        let row = c.range(group).start;
        let closing = c.target(group).by_violation.vary(Vec3::X).x;
        let [_, slope, bend] = coupling.target(paths);
        let mut push = |tendon: usize, scale: f64, bend: f64| {
            let own = OnTendon {
                row,
                tendon,
                by_rate: [scale, 0.0],
                by_length: closing * scale + bend * paths.rate(tendon, v[1]),
            };
            let pull = Pull {
                tendon,
                impulse: scale * c.lambda[row],
                bend: bend * c.lambda[row],
            };
            self.push_length(paths, v, own, pull);
        };
        push(coupling.follower.tendon, 1.0, 0.0);
        if let Some(leader) = coupling.leader {
            push(leader.tendon, -slope, -bend);
        }
    }

    fn push_length(&mut self, paths: &Paths, [v, v_next]: [&[f64]; 2], own: OnTendon, pull: Pull) {
        self.tendons.push(own);
        let OnTendon { row, tendon, .. } = own;
        let (support, n) = (paths.support(tendon), paths.support(tendon).len());
        let columns = paths.hessian(tendon).chunks_exact(n.max(1));
        for ((dof, g), column) in paths.moments(tendon).zip(columns) {
            let along = |v: &[f64]| -> f64 {
                let products = column.iter().zip(support).map(|(x, k)| x * v[*k]);
                products.sum()
            };
            let mut slope = own.by_length * g + own.by_rate[0] * along(v_next);
            if self.times > BEFORE {
                slope += own.by_rate[1] * along(v);
            }
            self.on_dofs.push(OnDof { row, dof, slope });
        }
        match self.pulls.iter_mut().find(|p| p.tendon == tendon) {
            Some(p) => {
                p.impulse += pull.impulse;
                p.bend += pull.bend;
            }
            None => self.pulls.push(pull),
        }
    }

    /// Adds the impulses on the dofs by the stiffness or damping of a spring or tendon. For a spring or
    /// tendon without both, which has no rows.
    pub fn absent(
        &self,
        c: &Constraints,
        paths: &Paths,
        params: &Params,
        p: &Param,
        force: &mut [f64],
    ) {
        let (index, which) = (p.index as usize, p.component as usize);
        let Some(unit) = [[1.0, 0.0], [0.0, 1.0]].get(which) else {
            return;
        };
        let mut add = |path: usize, law: [f64; 2], elongation: f64, pull_only: bool| {
            let rate = paths.rate(path, &self.v[0]);
            let slope = law[0] * (elongation + self.h * rate) + law[1] * rate;
            if slope > 0.0 || !pull_only {
                for (k, g) in paths.moments(path) {
                    force[k] -= self.h * slope * g;
                }
            }
        };
        let has_force = |law: [f64; 2]| Elastic::new(law, self.h, 1.0).is_some();
        match p.kind {
            ParamKind::Spring if !has_force(params.spring[index]) => {
                for axis in 0..3 {
                    let path = paths.of_spring(index, axis);
                    add(path, *unit, paths.length(path), false);
                }
            }
            ParamKind::Tendon => {
                let [k, d, lower, upper] = params.tendon[index];
                let (length, pull_only) = (paths.length(index), c.tendons[index].pull_only);
                let at = |[k, d]: [f64; 2]| Stretch::of([k, d, lower, upper], length, pull_only);
                if !has_force(at([k, d]).law) {
                    let state = at(*unit);
                    add(index, state.law, state.elongation, pull_only);
                }
            }
            _ => {}
        }
    }

    /// Calls `visit(dof, other, x)` for the impulses on `other` by a displacement of `dof`: within a
    /// branch, or between branches.
    pub fn for_turns(
        &self,
        t: &Topology,
        paths: &Paths,
        within: bool,
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        let acts = |p: &&Pull| p.impulse != 0.0 || p.bend != 0.0;
        for p in self.pulls.iter().filter(acts) {
            let n = paths.support(p.tendon).len();
            let columns = paths.hessian(p.tendon).chunks_exact(n.max(1));
            for ((dof, g), column) in paths.moments(p.tendon).zip(columns) {
                for ((other, along), x) in paths.moments(p.tendon).zip(column) {
                    let x = p.impulse * x + p.bend * g * along;
                    if x != 0.0 && t.are_on_a_path(other, dof) == within {
                        visit(dof, other, x);
                    }
                }
            }
        }
    }

    /// Adjoint of the impulses between branches.
    pub(super) fn tendons_adjoint(
        &self,
        t: &Topology,
        paths: &Paths,
        force_bar: &[f64],
        q_bar: &mut [f64],
    ) {
        self.for_turns(t, paths, false, |from, to, x| {
            q_bar[from] += x * force_bar[to]
        });
    }

    /// Effect of a displacement on the rows that are lengths.
    pub(super) fn tendons_displaced(
        &self,
        (kin, paths): (&Kinematics, &Paths),
        displaced: &Displacement,
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        for p in &self.pulls {
            let length = paths.along(kin, p.tendon, displaced, |k, x| force[k] += p.impulse * x);
            for (k, g) in paths.moments(p.tendon).filter(|_| p.bend != 0.0) {
                force[k] += p.bend * length * g;
            }
        }
        for own in &self.tendons {
            let mut rates = [0.0; 2];
            let length = paths.along(kin, own.tendon, displaced, |k, x| {
                for (rate, v) in rates.iter_mut().zip(&self.v) {
                    *rate += x * v[k];
                }
            });
            let [after, before] = own.by_rate;
            sigma[own.row] += own.by_length * length + after * rates[0] + before * rates[1];
        }
    }
}
