//! Fills the rows of torsional and rolling friction.

use super::assemble::Constraints;
use super::memory::Key;
use super::source::Source;
use super::torsion::Torsion;
use crate::collision::scene::Scene;
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::dynamics::kinematics::Kinematics;
use crate::model::params::Params;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::Vec3;

impl Constraints {
    /// Fills the rows of all contacts; call it after the contacts' own rows.
    pub(super) fn fill_torsion(
        &mut self,
        t: &Topology,
        params: &Params,
        kin: &Kinematics,
        scene: &Scene,
    ) {
        if !scene.turns() {
            return;
        }
        let friction = &params.geom_friction;
        for (i, c) in scene.contacts().iter().enumerate() {
            let (sliding, torsion) = (c.friction.sliding(friction), c.friction.torsion(friction));
            let Some(torsion) = Torsion::new(i, c.condim, sliding, torsion) else {
                continue;
            };
            let frame = self.frames[i];
            let id = self.rows.push(t, c.link.map(|l| t.tip(l)));
            for (link, sign) in [(c.link[1], 1.0), (c.link[0], -1.0)] {
                let mut k = if link == WORLD { WORLD } else { t.tip(link) };
                while k != WORLD {
                    let along = frame.tr_mul_vec(kin.s[k].ang) * sign;
                    *self.rows.column_mut(id, k) += torsion.rows_of(along);
                    k = t.dofs[k].parent;
                }
            }
            let block = Block::Torsion {
                contact: i,
                rows: torsion.rows,
            };
            let key = Key {
                kind: 9,
                a: c.pair_key(),
                feature: c.identity(),
            };
            self.push(
                (block, 1),
                Source::Torsion(torsion),
                frame,
                (0.0, true),
                key,
            );
        }
    }

    /// Torques of torsional and rolling friction on body B along the frames of contacts [N m s], and
    /// their modes.
    pub fn torques(&self) -> impl Iterator<Item = (&Torsion, Vec3, Mode)> {
        let groups = self.sources.iter().enumerate();
        groups.filter_map(|(group, source)| match source {
            Source::Torsion(torsion) => {
                let along = torsion.along(&self.lambda[self.range(group)]);
                Some((torsion, along, self.modes[group]))
            }
            _ => None,
        })
    }
}
