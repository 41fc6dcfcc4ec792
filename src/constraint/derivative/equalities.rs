//! The part of equalities and springs in the derivative of the constraint problem.

use super::ConstraintDerivative;
use super::rows::{AFTER, BEFORE, Bend, Cross, OnDof, Side, add, lanes_to_vec, three_lanes};
use crate::constraint::assemble::Constraints;
use crate::constraint::equality::{Coupling, Equality};
use crate::constraint::equality_derivative::EqualityState;
use crate::constraint::source::Source;
use crate::constraint::varied::moving;
use crate::dynamics::external::{External, Stiffness};
use crate::dynamics::kinematics::{Kinematics, link_twists};
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Vec3, Wrench};
use crate::tendon::{Displacement, Paths};

impl ConstraintDerivative {
    /// Adds an equality or a spring. Its impulses join the external loads as forces over the step, with
    /// their change by the rotation of the bodies.
    pub(super) fn push_equality(
        &mut self,
        c: &Constraints,
        t: &Topology,
        (kin, paths): (&Kinematics, &Paths),
        [q, v, v_next]: [&[f64]; 3],
        group: usize,
        external: &mut External,
    ) {
        let equality = match c.equality(group) {
            Some(Equality::Coupling(coupling)) => {
                return self.push_coupling(c, coupling, (q, v_next), group);
            }
            Some(Equality::Tendons(coupling)) => {
                return self.push_lengths(c, paths, coupling, [v, v_next], group);
            }
            Some(equality) => equality,
            None => return,
        };
        let Some(p) = equality.pose(t, kin) else {
            return;
        };
        let scale = c.sources[group].elastic().map_or(1.0, |e| e.scale);
        let velocity = p.link.map(|l| self.flow[AFTER].of(l));
        let impulse = lanes_to_vec(c.impulse(group)) * scale;
        let state = EqualityState::new(&p, velocity, impulse);
        let undoing = c.target(group).by_violation;
        for x in moving(&state.sides) {
            let varied = state.columns(x);
            let (from, to) = (p.link[x], p.link[1 - x]);
            self.equalities.sides.push(Side {
                rows: c.range(group),
                link: from,
                time: AFTER,
                by_xi: std::array::from_fn(|k| {
                    three_lanes(varied.velocity[k] * scale + undoing.vary(varied.gap[k]))
                }),
                by_eta: varied.by_eta.map(|x| three_lanes(x * scale)),
            });
            if state.turns() {
                let mut e = Stiffness::default();
                e.take(&varied.wrench[x], self.h);
                external.stiffen(from, &e);
                let cross = &mut self.equalities.cross;
                Cross::add(cross, [from, to], &varied.wrench[1 - x]);
            }
        }
        let (f, m) = p.relation.transposed(impulse * (1.0 / self.h));
        for (x, sign) in [(0, 1.0), (1, -1.0)] {
            if p.link[x] != WORLD {
                external.add(p.link[x], p.point[x], f * sign, m * sign);
            }
        }
    }

    /// Effect of displacing a point of a tendon's path or an end of a spring, by the parameter that is
    /// its coordinate.
    pub fn anchor_displaced(
        &self,
        c: &Constraints,
        t: &Topology,
        (kin, paths): (&Kinematics, &Paths),
        displaced: &Displacement,
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        self.tendons_displaced((kin, paths), displaced, sigma, force);
        let Displacement::End { spring, end, by } = *displaced else {
            return;
        };
        for (group, source) in c.sources.iter().enumerate() {
            let Source::Spring { index, elastic, .. } = *source else {
                continue;
            };
            let Some(p) = c.springs[index].pose(t, kin).filter(|_| index == spring) else {
                continue;
            };
            // σ = s (v₁ − v₂) + …, and the impulse acts at the displaced point.
            let link = p.link[end];
            let by = if end == 0 { by } else { -by };
            let turned = self.flow[AFTER].of(link).ang.cross(by) * elastic.scale;
            let gap = c.target(group).by_violation.vary(by);
            let rows = &mut sigma[c.range(group)];
            for (x, dx) in rows.iter_mut().zip((turned + gap).to_array()) {
                *x += dx;
            }
            let impulse = lanes_to_vec(c.impulse(group)) * elastic.scale;
            let w = Wrench::new(Vec3::ZERO, by.cross(impulse));
            for i in t.path(link) {
                force[i] += kin.s[i].dot(w);
            }
        }
    }

    /// Adds to `sigma` the variation of the equalities' rows along `dq` times any velocity x: δJ x. It
    /// leaves out equalities of tendon lengths.
    pub fn of_equalities(
        &mut self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        [q, dq, x]: [&[f64]; 3],
        sigma: &mut [f64],
    ) {
        link_twists(t, &kin.s, dq, &mut self.xi);
        self.any.set(t, kin, x);
        let eta = &mut self.eta[BEFORE];
        self.any.displaced(t, kin, dq, eta);
        for group in 0..c.groups() {
            let Some(equality) = c.equality(group) else {
                continue;
            };
            let rows = &mut sigma[c.range(group)];
            if let Equality::Coupling(coupling) = equality
                && let Some(leader) = &coupling.leader
            {
                let [_, _, bend] = coupling.target(q);
                rows[0] -= bend * dq[leader.dof] * x[leader.dof];
            }
            let Some(p) = equality.pose(t, kin) else {
                continue;
            };
            let scale = c.sources[group].elastic().map_or(1.0, |e| e.scale);
            let velocity = p.link.map(|l| self.any.of(l));
            let state = EqualityState::new(&p, velocity, Vec3::ZERO);
            for side in moving(&state.sides) {
                let link = p.link[side];
                let by = state.velocity(side, self.xi[link], eta[link]) * scale;
                add(rows, three_lanes(by));
            }
        }
    }

    fn push_coupling(
        &mut self,
        c: &Constraints,
        coupling: &Coupling,
        (q, v_next): (&[f64], &[f64]),
        group: usize,
    ) {
        let row = c.range(group).start;
        let closing = c.target(group).by_violation.vary(Vec3::X).x;
        self.on_dofs.push(OnDof {
            row,
            dof: coupling.follower.dof,
            slope: closing,
        });
        if let Some(leader) = &coupling.leader {
            let [_, slope, bend] = coupling.target(q);
            self.on_dofs.push(OnDof {
                row,
                dof: leader.dof,
                slope: -closing * slope - bend * v_next[leader.dof],
            });
            let by_q = bend * c.impulse(group).0[0] / self.h;
            if by_q != 0.0 {
                // R holds −τ, and a force is an impulse per step.
                self.bends.push(Bend {
                    dof: leader.dof,
                    by_q,
                });
            }
        }
    }
}
