//! The error of a search that finds more contacts than the scene has capacity for.

use crate::error::Error;
use crate::model::Model;

/// Number of pairs of geoms that the error names.
const NAMED: usize = 3;

/// Counts of a search that found too many contacts: the total, and the pairs with most contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowd {
    pub needed: usize,
    /// Pairs with most contacts first; entries with zero contacts are unused.
    pairs: [([usize; 2], usize); NAMED],
}

impl Crowd {
    /// Whether there were too many contacts.
    pub fn is_there(&self) -> bool {
        self.needed > 0
    }

    #[cold]
    pub fn count(&mut self, geoms: [usize; 2], contacts: usize) {
        self.needed += contacts;
        let place = self.pairs.iter().position(|(_, n)| contacts > *n);
        if let Some(place) = place {
            self.pairs[place..].rotate_right(1);
            self.pairs[place] = (geoms, contacts);
        }
    }

    /// After a search that found more contacts than `capacity`: an error that names their number, the
    /// geoms and a remedy.
    pub fn refusal(&self, model: &Model, capacity: usize) -> Option<Error> {
        if !self.is_there() {
            return None;
        }
        let name = |g: usize| {
            let geom = &model.geoms()[g];
            match geom.name.as_str() {
                "" => format!("geom {g} of \"{}\"", model.bodies()[geom.body].name),
                name => format!("\"{name}\""),
            }
        };
        let most: Vec<String> = (self.pairs.iter())
            .filter(|(_, n)| *n > 0)
            .map(|([a, b], n)| format!("{n} of {} and {}", name(*a), name(*b)))
            .collect();
        Some(Error::capacity(format!(
            "options.max_contacts: {} do not suffice for {} contacts, among them {}; raise it, or keep geoms that \
             overlap by design from touching (exclude_overlapping when loading, ds_sim_set_pair_enabled), or choose \
             smaller margins",
            capacity,
            self.needed,
            most.join(", ")
        )))
    }
}
