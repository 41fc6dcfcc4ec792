//! Decides which rows can act if some dofs have prescribed velocities.

use super::assemble::Constraints;
use super::equality::Equality;
use crate::model::limits::Limit;
use crate::model::topology::Topology;
use crate::tendon::Paths;

impl Constraints {
    /// Sets which dofs have prescribed velocities. Bounds, dry friction and equalities of such dofs
    /// alone have no rows.
    pub fn set_prescribed(&mut self, prescribed: &[bool]) {
        self.prescribed.copy_from_slice(prescribed);
    }

    /// True if a limit bounds a dof that is not prescribed.
    pub(super) fn may_bind(&self, l: &Limit) -> bool {
        self.prescribed[l.dof..l.dof + l.nv()].iter().any(|d| !d)
    }

    /// True if the length of a tendon depends on a dof that is not prescribed.
    pub(super) fn may_pull(&self, paths: &Paths, tendon: usize) -> bool {
        paths.support(tendon).iter().any(|k| !self.prescribed[*k])
    }

    /// True if the parts of an equality move by a dof that is not prescribed.
    pub(super) fn may_hold(&self, t: &Topology, paths: &Paths, e: &Equality) -> bool {
        let is_free = |k: usize| !self.prescribed[k];
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
            Equality::Tendons(c) => c.dofs(paths).any(is_free),
        }
    }
}
