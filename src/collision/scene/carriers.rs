//! Which links can move relative to each other if some dofs are prescribed.

use crate::model::topology::{Topology, WORLD};

/// Per link, the world last: the last dof at or above the link that is not prescribed, or [`WORLD`].
#[derive(Debug)]
pub(super) struct Carriers(Vec<usize>);

impl Carriers {
    /// With all dofs free.
    pub fn new(t: &Topology) -> Carriers {
        let mut carriers = Carriers(vec![WORLD; t.links.len() + 1]);
        carriers.take(t, |_| true);
        carriers
    }

    pub fn take(&mut self, t: &Topology, is_free: impl Fn(usize) -> bool) {
        for (link, carrier) in self.0.iter_mut().take(t.links.len()).enumerate() {
            *carrier = t.nearest(t.tip(link), &is_free);
        }
    }

    /// Whether the relative motion of two links is prescribed, so that no impulse could separate them.
    #[inline(always)]
    pub fn are_bound(&self, [a, b]: [usize; 2]) -> bool {
        a != b && self.0[a] == self.0[b]
    }
}
