//! The part of torsional and rolling friction in the derivative of the constraint problem; always
//! reduced.

use super::ConstraintDerivative;
use super::rows::{AFTER, Cross, Side, add};
use crate::collision::scene::Scene;
use crate::constraint::assemble::Constraints;
use crate::constraint::contact_derivative::Change;
use crate::constraint::source::Source;
use crate::constraint::torsion::Torsion;
use crate::constraint::torsion_derivative::TorsionState;
use crate::constraint::varied::moving;
use crate::dynamics::external::{External, Stiffness};
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::F4;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::{Topology, WORLD};
use crate::spatial::Vec3;

impl ConstraintDerivative {
    fn torsion_state<'a>(
        &'a self,
        c: &Constraints,
        group: usize,
        torsion: &'a Torsion,
    ) -> TorsionState<'a> {
        let contact = &self.contacts[torsion.contact].state;
        let along = torsion.along(&c.lambda[c.range(group)]);
        TorsionState {
            torsion,
            contact,
            couple: contact.frame.mul_vec(along),
        }
    }

    /// Adds the torsional and rolling friction of a contact, which must have been added before. Its
    /// couple joins the external loads, with its change by the rotation of the bodies.
    pub(super) fn push_torsion(
        &mut self,
        c: &Constraints,
        group: usize,
        torsion: &Torsion,
        external: &mut External,
    ) {
        let state = self.torsion_state(c, group, torsion);
        let couple = state.couple * (1.0 / self.h);
        let (sides, turns) = (state.contact.sides, state.contact.turns);
        for x in moving(&sides) {
            let (varied, by_xi, by_eta) = self.torsion_state(c, group, torsion).columns(x);
            let (from, to) = (sides.link[x], sides.link[1 - x]);
            self.equalities.sides.push(Side {
                rows: c.range(group),
                link: from,
                time: AFTER,
                by_xi,
                by_eta,
            });
            if turns {
                let mut e = Stiffness::default();
                e.take(&varied.wrench[x], self.h);
                external.stiffen(from, &e);
                Cross::add(
                    &mut self.equalities.cross,
                    [from, to],
                    &varied.wrench[1 - x],
                );
            }
            let sign = if x == 1 { 1.0 } else { -1.0 };
            external.add(from, sides.point[x], Vec3::ZERO, couple * sign);
        }
    }

    /// The part of [`ConstraintDerivative::changed`] by torsional and rolling friction.
    pub(super) fn torsion_changed(
        &self,
        c: &Constraints,
        t: &Topology,
        kin: &Kinematics,
        of: impl Fn(usize) -> Option<Change>,
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        for (group, source) in c.sources.iter().enumerate() {
            let Source::Torsion(torsion) = source else {
                continue;
            };
            let Some(change) = of(torsion.contact) else {
                continue;
            };
            let state = self.torsion_state(c, group, torsion);
            let turned = state.changed(change);
            add(&mut sigma[c.range(group)], turned.rows);
            for (link, sign) in state.contact.sides.link.into_iter().zip([-1.0, 1.0]) {
                if link != WORLD {
                    for k in t.path(link) {
                        force[k] += kin.s[k].ang.dot(turned.couple) * sign;
                    }
                }
            }
        }
    }

    /// Slopes of the rows and of their couples on the dofs by a coefficient of friction, which scales them.
    pub fn torsion_by_friction(
        &self,
        c: &Constraints,
        scene: &Scene,
        params: &Params,
        p: &Param,
        sigma: &mut [f64],
        force: &mut [f64],
    ) {
        if p.kind != ParamKind::GeomFriction {
            return;
        }
        let (index, component) = (p.index as usize, p.component as usize);
        for (group, source) in c.sources.iter().enumerate() {
            let Source::Torsion(torsion) = source else {
                continue;
            };
            let friction = scene.contacts()[torsion.contact].friction;
            let slope = friction.by_geom(&params.geom_friction, component, index);
            if slope == 0.0 {
                continue;
            }
            let sliding = friction.sliding(&params.geom_friction);
            let state = self.torsion_state(c, group, torsion);
            let [a, b] = state.contact.sides.velocity;
            let velocity = torsion.rows_of(state.contact.frame.tr_mul_vec(b.ang - a.ang));
            let mut impulse = F4::ZERO;
            for (k, row) in c.range(group).enumerate() {
                let by = slope * torsion.by_friction(k, component, sliding);
                sigma[row] += by * velocity.0[k];
                impulse.0[k] = by * c.lambda[row];
            }
            c.rows.add_transposed(group, impulse, force);
        }
    }
}
