//! The links that move the stations of a path against each other, and sweeps over them.

use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Twist, Wrench};
use std::ops::Range;

/// Place of a link that does not count.
pub const FIXED: usize = usize::MAX;

/// The links from one up to another that does not count, by their places.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub from: usize,
    pub until: usize,
}

impl Span {
    pub fn none() -> Span {
        Span {
            from: FIXED,
            until: FIXED,
        }
    }

    pub fn is_empty(self) -> bool {
        self.from == self.until
    }
}

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

    /// Where the paths from two places to the root meet, or [`FIXED`].
    pub fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            // Parents come before what they carry.
            let further = if b == FIXED || a != FIXED && a > b {
                &mut a
            } else {
                &mut b
            };
            *further = self.carriers[*further].parent;
        }
        a
    }

    /// The places of a span, from its first on upwards.
    fn span(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let mut place = span.from;
        std::iter::from_fn(move || {
            (place != span.until).then(|| {
                let here = place;
                place = self.carriers[here].parent;
                here
            })
        })
    }

    /// Adds a wrench to those on the links of a span.
    pub fn add(&self, span: Span, w: Wrench, wrenches: &mut [Wrench]) {
        self.span(span).for_each(|place| wrenches[place] += w);
    }

    /// S_kᵀ w of every dof, of wrenches on its link.
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

    /// Visits S_kᵀ w for a wrench on the links of a span, for their dofs, by the dofs' places.
    pub fn for_span(
        &self,
        kin: &Kinematics,
        span: Span,
        w: Wrench,
        mut visit: impl FnMut(usize, f64),
    ) {
        for place in self.span(span) {
            let c = &self.carriers[place];
            for k in 0..c.nv {
                visit(c.first + k, kin.s[c.iv + k].dot(w));
            }
        }
    }
}
