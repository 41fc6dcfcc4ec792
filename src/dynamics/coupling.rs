//! The islands of trees that a step joins. Dofs of different islands are not coupled in any derivative.

use crate::joint::{LaneMatrix, LinkMatrix};
use crate::linalg::{dispatch, within};
use crate::model::topology::{Link, Topology};
use std::ops::Range;
use std::slice::from_ref;

/// If at most one in this many entries may be nonzero, a matrix is filled with zeros first.
const MOSTLY_ZERO: usize = 8;

/// Islands of trees, each with its dofs. Sized at creation.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Per tree: an earlier tree of its island, or itself. After [`Coupling::finish`]: the number of its
    /// island.
    island: Vec<usize>,
    starts: Vec<usize>,
    spans: Vec<Range<usize>>,
    /// Number of dofs of each island.
    sizes: Vec<usize>,
    /// Island of each dof.
    homes: Vec<usize>,
    /// Dofs island by island, and the index of the first dof of each island.
    members: Vec<usize>,
    firsts: Vec<usize>,
    /// Index of each dof within its island.
    places: Vec<usize>,
    /// The last islands of the trees, and the number of times they have changed.
    before: Vec<usize>,
    changes: u64,
    all: Range<usize>,
}

impl Coupling {
    pub fn new(t: &Topology) -> Self {
        let n = t.trees.len();
        Coupling {
            island: Vec::with_capacity(n),
            starts: Vec::with_capacity(n + 1),
            spans: Vec::with_capacity(n),
            sizes: Vec::with_capacity(n),
            homes: vec![0; t.nv()],
            members: vec![0; t.nv()],
            firsts: Vec::with_capacity(n + 1),
            places: vec![0; t.nv()],
            before: Vec::with_capacity(n),
            changes: 0,
            all: 0..t.nv(),
        }
    }

    /// Islands of single trees.
    pub fn separate(t: &Topology) -> Self {
        let mut c = Coupling::new(t);
        c.start(t);
        c.finish(t);
        c
    }

    /// Starts with every tree by itself.
    pub fn start(&mut self, t: &Topology) {
        self.island.clear();
        self.island.extend(0..t.trees.len());
    }

    fn root(&mut self, mut tree: usize) -> usize {
        while self.island[tree] != tree {
            self.island[tree] = self.island[self.island[tree]];
            tree = self.island[tree];
        }
        tree
    }

    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.island[a.max(b)] = a.min(b);
    }

    pub fn join_all(&mut self) {
        self.island.fill(0);
    }

    /// Numbers the islands in the order of their first trees; after the last tree has been joined.
    pub fn finish(&mut self, t: &Topology) {
        self.sizes.clear();
        self.starts.clear();
        self.starts.push(0);
        for (tree, place) in t.trees.iter().enumerate() {
            // Roots come first, so that they already have their number.
            if self.island[tree] == tree {
                self.island[tree] = self.sizes.len();
                self.sizes.push(0);
                self.starts.push(0);
            } else {
                self.island[tree] = self.island[self.island[tree]];
            }
            let island = self.island[tree];
            let dofs = place.first_dof..place.end_dof;
            self.sizes[island] += dofs.len();
            self.homes[dofs].fill(island);
        }
        self.fill_spans(t);
    }

    fn fill_spans(&mut self, t: &Topology) {
        for island in &self.island {
            self.starts[island + 1] += 1;
        }
        for k in 0..self.sizes.len() {
            self.starts[k + 1] += self.starts[k];
        }
        self.spans.clear();
        self.spans.resize(t.trees.len(), 0..0);
        for (tree, island) in t.trees.iter().zip(&self.island).rev() {
            // The ends move down to the starts of their islands.
            self.starts[island + 1] -= 1;
            self.spans[self.starts[island + 1]] = tree.first_dof..tree.end_dof;
        }
        self.starts.rotate_left(1);
        if let Some(last) = self.starts.last_mut() {
            *last = t.trees.len();
        }
        self.merge();
        self.fill_members();
    }

    fn fill_members(&mut self) {
        self.firsts.clear();
        self.firsts.push(0);
        let mut at = 0;
        for island in 0..self.sizes.len() {
            for span in &self.spans[self.starts[island]..self.starts[island + 1]] {
                for dof in span.clone() {
                    self.members[at] = dof;
                    self.places[dof] = at - self.firsts[island];
                    at += 1;
                }
            }
            self.firsts.push(at);
        }
        if self.before != self.island {
            self.before.clone_from(&self.island);
            self.changes += 1;
        }
    }

    /// Merges adjacent ranges into one.
    fn merge(&mut self) {
        let (mut from, mut count) = (0, 0);
        for island in 0..self.sizes.len() {
            let (first, end) = (count, self.starts[island + 1]);
            for k in from..end {
                let span = self.spans[k].clone();
                if count > first && self.spans[count - 1].end == span.start {
                    self.spans[count - 1].end = span.end;
                } else {
                    self.spans[count] = span;
                    count += 1;
                }
            }
            from = end;
            self.starts[island + 1] = count;
        }
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Number of dofs of all islands.
    #[inline(always)]
    pub fn dofs(&self) -> usize {
        self.homes.len()
    }

    /// The island of a tree.
    #[inline(always)]
    pub fn of_tree(&self, tree: usize) -> usize {
        self.island[tree]
    }

    /// The island of a dof.
    #[inline(always)]
    pub fn of_dof(&self, dof: usize) -> usize {
        self.homes[dof]
    }

    /// Number of dofs of an island.
    pub fn size(&self, island: usize) -> usize {
        self.sizes[island]
    }

    /// The dofs of an island, in increasing order.
    #[inline(always)]
    pub fn spans(&self, island: usize) -> &[Range<usize>] {
        &self.spans[self.starts[island]..self.starts[island + 1]]
    }

    /// The dofs of an island, one by one.
    #[inline(always)]
    pub fn members(&self, island: usize) -> &[usize] {
        &self.members[self.firsts[island]..self.firsts[island + 1]]
    }

    /// Dofs of the largest island.
    pub fn largest(&self) -> usize {
        self.sizes.iter().max().copied().unwrap_or(0)
    }

    /// Columns, one for each dof.
    pub fn by_dofs(&self) -> Columns<'_> {
        self.columns(Some(Homed {
            homes: &self.homes,
            members: &self.members,
            firsts: &self.firsts,
        }))
    }

    /// Columns that each belong to an island.
    pub fn by_homes<'a>(&'a self, homes: &'a Homes) -> Columns<'a> {
        self.columns(Some(Homed {
            homes: &homes.homes,
            members: &homes.members,
            firsts: &homes.firsts,
        }))
    }

    fn columns<'a>(&'a self, homed: Option<Homed<'a>>) -> Columns<'a> {
        Columns {
            coupling: self,
            homed,
            starts: None,
        }
    }

    /// Columns over all dofs.
    pub fn full(&self) -> Columns<'_> {
        self.columns(None)
    }

    /// Number of times the islands have changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Number of pairs of dofs in the same island.
    pub fn entries(&self) -> usize {
        self.sizes.iter().map(|n| n * n).sum()
    }
}

/// The islands of columns. Sized at creation.
#[derive(Clone, Debug)]
pub struct Homes {
    homes: Vec<usize>,
    /// Columns island by island, and the index of the first column of each island.
    members: Vec<usize>,
    firsts: Vec<usize>,
}

impl Homes {
    pub fn new(t: &Topology, columns: usize) -> Homes {
        Homes {
            homes: vec![0; columns],
            members: vec![0; columns],
            firsts: Vec::with_capacity(t.trees.len() + 1),
        }
    }

    /// Takes the islands of the columns' dofs.
    pub fn place(&mut self, coupling: &Coupling, dofs: impl Iterator<Item = usize>) {
        self.firsts.clear();
        self.firsts.resize(coupling.len() + 1, 0);
        for (home, dof) in self.homes.iter_mut().zip(dofs) {
            *home = coupling.of_dof(dof);
            self.firsts[*home] += 1;
        }
        let mut end = 0;
        for first in &mut self.firsts {
            end += *first;
            *first = end;
        }
        for (column, home) in self.homes.iter().enumerate().rev() {
            // The ends move down to the starts of their islands.
            self.firsts[*home] -= 1;
            self.members[self.firsts[*home]] = column;
        }
    }
}

/// The island of each column, and the columns of each island.
#[derive(Clone, Copy, Debug)]
struct Homed<'a> {
    homes: &'a [usize],
    members: &'a [usize],
    firsts: &'a [usize],
}

/// The rows that each column of a matrix contains. All other entries are zero.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    coupling: &'a Coupling,
    homed: Option<Homed<'a>>,
    /// For packed storage: the index at which each column begins, and the end. Otherwise all rows are
    /// stored.
    starts: Option<&'a [usize]>,
}

impl<'a> Columns<'a> {
    /// The same columns in packed storage: only the rows that they contain, one column after the other,
    /// laid out by [`Columns::lay_out`].
    pub fn packed(self, starts: &'a [usize]) -> Columns<'a> {
        Columns {
            starts: Some(starts),
            ..self
        }
    }

    /// The index at which each packed column begins, and the end: one number more than there are
    /// columns.
    pub fn lay_out(&self, starts: &mut [usize]) {
        let mut at = 0;
        for (j, start) in starts.iter_mut().enumerate() {
            *start = at;
            if self.homed.is_none_or(|homed| j < homed.homes.len()) {
                at += self.spans(j).iter().map(Range::len).sum::<usize>();
            }
        }
    }

    /// Index of an entry that the column contains.
    #[inline(always)]
    pub fn index(&self, column: usize, row: usize) -> usize {
        match self.starts {
            None => column * self.coupling.dofs() + row,
            Some(starts) if self.homed.is_none() => starts[column] + row,
            Some(starts) => starts[column] + self.coupling.places[row],
        }
    }

    /// Rows of a column.
    #[inline(always)]
    pub fn spans(&self, column: usize) -> &'a [Range<usize>] {
        match self.homed {
            Some(homed) => self.coupling.spans(homed.homes[column]),
            None => from_ref(&self.coupling.all),
        }
    }

    /// Whether all columns contain all rows, so that the matrix is contiguous.
    #[inline(always)]
    fn are_whole(&self) -> bool {
        self.homed.is_none() || self.coupling.len() == 1
    }

    /// Multiplies the rows of a link by `m`, in those columns of `x` that contain them.
    #[inline(always)]
    pub fn multiply(&self, m: &LinkMatrix, link: &Link, x: &mut [f64]) {
        // A constant if the kind is known at compile time.
        let size = link.kind.nv();
        let block = LaneMatrix::new(m);
        let all = match self.starts {
            None => 0..x.len() / self.coupling.dofs(),
            Some(starts) => 0..starts.len() - 1,
        };
        let homed = self.homed.filter(|_| !self.are_whole());
        match (homed, self.coupling.island.get(link.tree)) {
            (Some(homed), Some(island)) => {
                for &j in &homed.members[homed.firsts[*island]..homed.firsts[island + 1]] {
                    block.multiply(&mut x[self.index(j, link.iv)..][..size]);
                }
            }
            _ => {
                for j in all {
                    block.multiply(&mut x[self.index(j, link.iv)..][..size]);
                }
            }
        }
    }

    /// out ← `scale` times the columns. Each column of `from` has nv entries; entries outside its rows
    /// are not read. Packed columns are written without gaps.
    #[inline(always)]
    pub fn write(&self, scale: f64, from: &[f64], out: &mut [f64]) {
        if self.are_whole() {
            for (o, x) in out.iter_mut().zip(from) {
                *o = scale * x;
            }
            return;
        }
        let nv = self.coupling.dofs().max(1);
        // Many zeros are written fastest all at once.
        let few = self.starts.is_none() && MOSTLY_ZERO * self.coupling.entries() <= nv * nv;
        if few {
            out.fill(0.0);
        }
        let mut at = 0;
        for (j, from) in from.chunks_exact(nv).enumerate() {
            for span in self.spans(j) {
                let to = self.index(j, span.start);
                if !few {
                    out[at..to].fill(0.0);
                }
                at = to + span.len();
                for (o, x) in out[to..at].iter_mut().zip(&from[span.clone()]) {
                    *o = scale * x;
                }
            }
        }
        if !few {
            out[at..].fill(0.0);
        }
    }
}

#[inline(always)]
fn are_within_kernel(which: &Columns<'_>, bound: f64, columns: &[f64]) -> bool {
    if which.are_whole() {
        return within(bound, columns);
    }
    let nv = which.coupling.dofs().max(1);
    let mut columns = columns.chunks_exact(nv).enumerate();
    columns.all(|(j, x)| (which.spans(j).iter()).all(|s| within(bound, &x[s.clone()])))
}

dispatch! {
    /// Whether all numbers of the columns are below `bound`. NaN is not.
    pub fn are_within = are_within_kernel(which: &Columns<'_>, bound: f64, columns: &[f64]) -> bool
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::topology::{LinkKind, WORLD};

    #[test]
    fn islands_hold_the_dofs_of_joined_trees() {
        let mut t = Topology::default();
        for size in [2, 1, 3, 1, 2] {
            let mut parent = WORLD;
            for _ in 0..size {
                t.push(LinkKind::Revolute, parent, 0, 0.0);
                parent = t.links.len() - 1;
            }
        }
        t.finish();
        let mut c = Coupling::new(&t);
        for _ in 0..2 {
            c.start(&t);
            c.join(4, 2);
            c.join(1, 2);
            c.join(2, 4);
            c.finish(&t);
            assert_eq!(c.len(), 3);
            assert_eq!((c.spans(0), c.size(0)), (from_ref(&(0..2)), 2));
            assert_eq!((c.spans(1), c.size(1)), (&[2..6, 7..9][..], 6));
            assert_eq!((c.spans(2), c.size(2)), (from_ref(&(6..7)), 1));
            assert_eq!(
                (0..9).map(|k| c.of_dof(k)).collect::<Vec<_>>(),
                [0, 0, 1, 1, 1, 1, 2, 1, 1]
            );
            assert_eq!(c.entries(), 4 + 36 + 1);
            assert_eq!((c.members(1), c.largest()), (&[2, 3, 4, 5, 7, 8][..], 6));
        }
        c.start(&t);
        c.join_all();
        c.finish(&t);
        assert_eq!((c.len(), c.spans(0)), (1, from_ref(&(0..9))));
        c.start(&t);
        c.finish(&t);
        assert_eq!((c.len(), c.spans(4)), (5, from_ref(&(7..9))));
    }
}
