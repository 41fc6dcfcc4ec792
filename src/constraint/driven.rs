//! Which rows may change anything where some dofs have given velocities.

use super::assemble::Constraints;
use super::equality::Equality;
use crate::model::limits::Limit;
use crate::model::topology::Topology;
use crate::tendon::Cords;

impl Constraints {
    /// Takes which dofs have given velocities. Bounds, dry friction and equalities of such alone have no rows.
    pub fn set_driven(&mut self, driven: &[bool]) {
        self.driven.copy_from_slice(driven);
    }

    /// Whether a free dof has a part in what a joint's limit bounds.
    pub(super) fn may_bind(&self, l: &Limit) -> bool {
        self.driven[l.dof..l.dof + l.nv()].iter().any(|d| !d)
    }

    /// The same of the length of a tendon.
    pub(super) fn may_pull(&self, cords: &Cords, tendon: usize) -> bool {
        cords.support(tendon).iter().any(|k| !self.driven[*k])
    }

    /// The same of what an equality holds.
    pub(super) fn may_hold(&self, t: &Topology, cords: &Cords, e: &Equality) -> bool {
        let is_free = |k: usize| !self.driven[k];
        match e {
            Equality::Point(marks)
            | Equality::Orientation { marks, .. }
            | Equality::Distance { marks, .. } => {
                let [a, b] = marks.map(|m| t.nearest(t.tip(m.link), is_free));
                a != b
            }
            Equality::Coupling(c) => {
                is_free(c.follower.dof) || c.leader.is_some_and(|l| is_free(l.dof))
            }
            Equality::Tendons(c) => c.dofs(cords).any(is_free),
        }
    }
}
