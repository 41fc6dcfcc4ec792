//! The links that move the stations of a path relative to each other, and sweeps over them.

use crate::dynamics::kinematics::Kinematics;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Twist, Wrench};
use std::ops::Range;

/// Index of a link that does not count.
pub const FIXED: usize = usize::MAX;

/// The links from one up to, and excluding, another, by their indices.
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
    /// Index of its parent, or [`FIXED`].
    parent: usize,
    /// Its first dof, the index of this dof among the dofs of the support, and the number of its dofs.
    iv: usize,
    first: usize,
    nv: usize,
    /// One past the indices of the links below.
    end: usize,
}

/// Links above stations, in increasing order, and their dofs.
#[derive(Clone, Debug, Default)]
pub struct Support {
    carriers: Vec<Carrier>,
    dofs: Vec<usize>,
}

impl Support {
    /// The support of stations on these links. With `relative`, without the links above all stations: the
    /// result then must not change when the stations move together.
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

    /// A support of dofs only, in increasing order.
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

    /// Index of a link, or [`FIXED`].
    pub fn place(&self, link: usize) -> usize {
        let found = self.carriers.binary_search_by_key(&link, |c| c.link);
        found.unwrap_or(FIXED)
    }

    /// Indices of the links that move with a link.
    pub fn below(&self, place: usize) -> Range<usize> {
        place..self.carriers[place].end
    }

    /// Links with their indices and dofs: index, first dof, index of this dof, number of dofs.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
        let links = self.carriers.iter().enumerate();
        links.map(|(i, c)| (i, c.iv, c.first, c.nv))
    }

    /// Common ancestor of two indices, or [`FIXED`].
    pub fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            // Parents come before their children.
            let further = if b == FIXED || a != FIXED && a > b {
                &mut a
            } else {
                &mut b
            };
            *further = self.carriers[*further].parent;
        }
        a
    }

    /// The indices of a span, from its first link upward.
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

    /// S_kᵀ w of every dof, for the wrenches on its link.
    pub fn project(&self, kin: &Kinematics, wrenches: &[Wrench], out: &mut [f64]) {
        for (c, w) in self.carriers.iter().zip(wrenches) {
            for k in 0..c.nv {
                out[c.first + k] = kin.s[c.iv + k].dot(*w);
            }
        }
    }

    /// Adds the effect of the change of S on S_kᵀ w when a dof of the link at `place` (`step` dofs from its
    /// first) moves everything below.
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

    /// Visits (ξ × S_k)ᵀ w for the dofs of the link at `place` and of those below, by index.
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

    /// Visits S_kᵀ w for a wrench on the links of a span, for their dofs, by the dofs' indices.
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
