//! The links that move the stations of a path against each other, and sweeps over them.

use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Twist, Wrench};
use std::ops::Range;

/// Place of a link that does not count.
pub const FIXED: usize = usize::MAX;

/// A link of a support.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    link: usize,
    kind: LinkKind,
    /// Place of its parent, or [`FIXED`].
    parent: usize,
    /// Its first dof, the place of that among the dofs of the support, and how many it has.
    iv: usize,
    first: usize,
    nv: usize,
    /// One past the places of the links below.
    end: usize,
}

/// Links above stations, in increasing order, and the dofs of these.
#[derive(Clone, Debug, Default)]
pub struct Support {
    carriers: Vec<Carrier>,
    dofs: Vec<usize>,
}

impl Support {
    /// Of stations on these links; without the links that carry all of them if what is asked of the stations does not change
    /// as they move together.
    pub fn new(t: &Topology, stations: &[usize], relative: bool) -> Self {
        let mut borne = vec![0; t.links.len()];
        for station in stations {
            let mut link = *station;
            while link != WORLD {
                borne[link] += 1;
                link = t.links[link].parent;
            }
        }
        let mut support = Support::default();
        let all = if relative { stations.len() } else { usize::MAX };
        let moves = |link: usize| borne[link] > 0 && borne[link] < all;
        for (link, l) in t.links.iter().enumerate().filter(|(i, _)| moves(*i)) {
            let parent = match l.parent {
                WORLD => FIXED,
                parent => support.place(parent),
            };
            support.carriers.push(Carrier {
                link,
                kind: l.kind,
                parent,
                iv: l.iv,
                first: support.dofs.len(),
                nv: l.nv,
                end: 0,
            });
            support.dofs.extend(l.dofs());
        }
        for i in 0..support.carriers.len() {
            let end = t.links[support.carriers[i].link].end;
            support.carriers[i].end = support.carriers.partition_point(|c| c.link < end);
        }
        support
    }

    /// Nothing but dofs, in increasing order.
    pub fn of_dofs(dofs: Vec<usize>) -> Self {
        Support {
            carriers: Vec::new(),
            dofs,
        }
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.carriers.len()
    }

    pub fn dofs(&self) -> &[usize] {
        &self.dofs
    }

    /// Place of a link, or [`FIXED`].
    pub fn place(&self, link: usize) -> usize {
        let found = self.carriers.binary_search_by_key(&link, |c| c.link);
        found.unwrap_or(FIXED)
    }

    /// Places of the links that move with one of them.
    pub fn below(&self, place: usize) -> Range<usize> {
        place..self.carriers[place].end
    }

    /// Links with their places and dofs: place, first dof, its place, number.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
        let links = self.carriers.iter().enumerate();
        links.map(|(i, c)| (i, c.iv, c.first, c.nv))
    }

    /// Sums wrenches on links, each about its tree's origin, over all that the link carries.
    pub fn gather(&self, wrenches: &mut [Wrench]) {
        for (i, c) in self.carriers.iter().enumerate().rev() {
            if c.parent != FIXED {
                let own = wrenches[i];
                wrenches[c.parent] += own;
            }
        }
    }

    /// S_kᵀ w of every dof, of wrenches that have been gathered.
    pub fn project(&self, kin: &Kinematics, wrenches: &[Wrench], out: &mut [f64]) {
        for (c, w) in self.carriers.iter().zip(wrenches) {
            for k in 0..c.nv {
                out[c.first + k] = kin.s[c.iv + k].dot(*w);
            }
        }
    }

    /// Adds what the change of S is to S_kᵀ w where a dof of the link at `place` moves what is below, `step` of its dofs from
    /// the first.
    pub fn add_carried(
        &self,
        kin: &Kinematics,
        wrenches: &[Wrench],
        place: usize,
        step: usize,
        out: &mut [f64],
    ) {
        let moved = &self.carriers[place];
        let s = kin.s[moved.iv + step];
        self.for_turned(kin, wrenches, place, s, |k, x| out[k] += x);
        if let LinkKind::Varying { index, .. } = moved.kind {
            let state = &kin.varying[index as usize];
            for k in 0..moved.nv {
                out[moved.first + k] += state.slope(k, step).dot(wrenches[place]);
            }
        }
    }

    /// Visits (ξ × S_k)ᵀ w for the dofs of the link at `place` and of those below, by their places.
    pub fn for_turned(
        &self,
        kin: &Kinematics,
        wrenches: &[Wrench],
        place: usize,
        xi: Twist,
        mut visit: impl FnMut(usize, f64),
    ) {
        for i in self.below(place) {
            let c = &self.carriers[i];
            for k in 0..c.nv {
                visit(c.first + k, xi.cross(kin.s[c.iv + k]).dot(wrenches[i]));
            }
        }
    }

    /// Visits S_kᵀ w for a wrench on the link at `place`, for its dofs and those above, by their places.
    pub fn for_path(
        &self,
        kin: &Kinematics,
        mut place: usize,
        w: Wrench,
        mut visit: impl FnMut(usize, f64),
    ) {
        while place != FIXED {
            let c = &self.carriers[place];
            for k in 0..c.nv {
                visit(c.first + k, kin.s[c.iv + k].dot(w));
            }
            place = c.parent;
        }
    }
}
