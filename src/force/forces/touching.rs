//! Forces at contacts: penalty contacts, and adhesion actuators.

use super::Forces;
use crate::force::State;
use crate::model::topology::Topology;

impl Forces {
    /// Whether there can be forces at contacts.
    pub fn may_touch(&self) -> bool {
        self.penalty.is_some() || self.adhesion.is_some()
    }

    /// Whether any of them acts at the last [`Forces::apply`].
    pub fn touches(&self) -> bool {
        self.penalty.as_ref().is_some_and(|p| p.acts())
            || self.adhesion.as_ref().is_some_and(|a| a.acts())
    }

    pub(super) fn differentiate_touching(&mut self, at: &State<'_>) {
        if let Some(penalty) = &mut self.penalty {
            penalty.differentiate(at);
        }
        if let Some(adhesion) = &mut self.adhesion {
            adhesion.differentiate(at);
        }
    }

    /// Visits the entries of R_q and R_v of forces at contacts between dofs of one branch: (row, column,
    /// by q, by v).
    #[inline(always)]
    pub fn for_touching(&self, t: &Topology, mut visit: impl FnMut(usize, usize, f64, f64)) {
        if let Some(penalty) = &self.penalty {
            penalty.for_branches(&mut visit);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.for_branches(t, visit);
        }
    }
}
