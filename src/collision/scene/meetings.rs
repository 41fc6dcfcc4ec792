//! Data of a step on predicted contacts: the contacts that are set aside, and the decisions on them.
//!
//! A contact predicted along the normal of the closest features may not happen: the bodies may pass
//! each other beside it. Such contacts are set aside and the step is solved without them. The motion of
//! this solution decides. Pairs that meet on it get the contact through which they meet.

use super::SceneContact;
use super::pairs::ScenePair;
use crate::spatial::Twist;

/// Two parts of geoms that may meet. All triangles of a height field are one part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parts {
    pub geom: [usize; 2],
    pub part: [u32; 2],
}

/// The decision on contacts that were set aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// They stay contacts, unchanged.
    Kept,
    /// Other contacts replace them.
    Replaced,
}

/// Two parts that meet within the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub parts: Parts,
    pub link: [usize; 2],
    /// The share of the step after which they meet.
    pub at: f64,
}

#[derive(Debug)]
pub(super) struct Meetings {
    /// Whether the search keeps the contacts of parts that meet within the step in `aside`, to decide later
    /// which of them enter the step.
    pub on: bool,
    /// The length of the step [s].
    pub h: f64,
    /// Number of rounds so far in which parts met.
    pub rounds: usize,
    /// Contacts that are set aside.
    pub aside: Vec<SceneContact>,
    /// Contacts that replace others.
    pub met: Vec<SceneContact>,
    pub verdicts: Vec<(Parts, Verdict)>,
    pub hits: Vec<Hit>,
    /// Velocities of the links without contact impulses, about the origins of their trees.
    pub free: Vec<Twist>,
}

impl Meetings {
    pub fn new(capacity: usize, links: usize) -> Meetings {
        Meetings {
            on: false,
            h: 0.0,
            rounds: 0,
            aside: Vec::with_capacity(capacity),
            met: Vec::with_capacity(capacity),
            verdicts: Vec::with_capacity(capacity),
            hits: Vec::with_capacity(capacity),
            free: vec![Twist::ZERO; links],
        }
    }

    /// Forgets all contacts that were set aside.
    pub fn clear(&mut self) {
        self.on = false;
        self.rounds = 0;
        self.aside.clear();
        self.met.clear();
        self.verdicts.clear();
        self.hits.clear();
    }

    pub fn verdict(&self, parts: Parts) -> Option<Verdict> {
        let known = self.verdicts.iter().find(|(p, _)| *p == parts);
        known.map(|(_, verdict)| *verdict)
    }

    /// Whether no other hit of either moving link is earlier.
    pub fn is_first(&self, hit: &Hit, world: usize) -> bool {
        self.hits.iter().all(|other| {
            let shares = |l: &usize| *l != world && other.link.contains(l);
            !hit.link.iter().any(shares) || hit.at <= other.at
        })
    }
}

impl SceneContact {
    /// The parts of the contact. Contacts that differ only in the features have the same parts.
    pub(super) fn parts(&self, terrain: [bool; 2]) -> Parts {
        Parts {
            geom: self.geom,
            part: [0, 1].map(|i| if terrain[i] { 0 } else { self.part[i] }),
        }
    }

    pub(super) fn like(&self) -> ScenePair {
        ScenePair {
            a: self.geom[0],
            b: self.geom[1],
            condim: self.condim,
            friction: self.friction,
            margin: 0.0,
        }
    }
}
