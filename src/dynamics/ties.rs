//! Entries between dofs of different links, eliminated along with the links that they tie.
//!
//! Links whose dofs such entries couple, and the links between them, form a group: a connected part of the
//! tree with one topmost link. Other subtrees below the group are eliminated before it. The rest of the
//! tree acts on the group only by the motion X of the parent of the topmost link. Let A₀ be the matrix of
//! the group's dofs without the entries, and U Wᵀ the entries (columns of U are unit vectors of the rows
//! that have some). Let x₀ and p₀ be the unknowns and the force on the parent without them, and R the
//! remainders of unit vectors of the rows after the upward sweep. Then (Sherman–Morrison–Woodbury)
//!
//!   s = C⁻¹ Wᵀ x₀,   x = x₀ − A₀⁻¹ U s,   p = p₀ − P s,   C = 1 + Wᵀ A₀⁻¹ U,   Wᵀ x₀ = Wᵀ x₀|_{X = 0} +
//!   Q X.
//!
//! The parent therefore gets −P C⁻¹ Q in addition to the result of the sweeps. The cost of a group is its
//! number of links times its number of rows, for any size of the tree. Groups share no link. A group below
//! another one is eliminated before it.

use super::general_articulation::{GeneralArticulation, Row, add_scaled, dot};
use crate::linalg::{F4, factor_plain, solve_plain, solve_plain_transposed};
use crate::model::topology::{Topology, WORLD};
use std::ops::Range;

/// A pivot of C at most this share of its row counts as zero.
const TINY: f64 = 1e-14;

/// No group.
const NONE: usize = usize::MAX;

/// An entry between dofs of different links.
#[derive(Clone, Copy, Debug)]
struct Tie {
    row: usize,
    column: usize,
    value: f64,
}

/// The ranges of a group within the arrays of all groups.
#[derive(Clone, Debug)]
struct Group {
    links: Range<usize>,
    rows: Range<usize>,
    ties: Range<usize>,
    /// Number of dofs, and first indices of R and C.
    dofs: usize,
    loads: usize,
    capacitance: usize,
}

/// The entries, and their groups. Sized at creation.
#[derive(Clone, Debug)]
pub struct Ties {
    ties: Vec<Tie>,
    /// Dofs with ties, group by group, and the index of each dof there.
    rows: Vec<usize>,
    places: Vec<usize>,
    groups: Vec<Group>,
    /// Per link: its group; the group whose top it is; and during the search one more than the highest
    /// link that ties from it reach, 0 for the world.
    group: Vec<usize>,
    top: Vec<usize>,
    reach: Vec<usize>,
    /// The group that reaches to the world.
    world: Option<usize>,
    links: Vec<usize>,
    /// Rows of Rᵀ, P and Q.
    loads: Vec<f64>,
    passed: Vec<[f64; 6]>,
    seen: Vec<Row>,
    /// C, factored.
    capacitance: Vec<f64>,
    columns: Vec<usize>,
    /// Per row: s without X, or its adjoint.
    held: Vec<f64>,
    small: [Vec<f64>; 2],
    /// Scratch, nv entries.
    local: Vec<f64>,
}

impl Ties {
    /// With capacity for ties in `rows` rows, and `ties` in total.
    pub fn with_room(t: &Topology, [rows, ties]: [usize; 2]) -> Ties {
        let (nv, links) = (t.nv(), t.links.len());
        let zeros = |n: usize| vec![0.0; n];
        Ties {
            ties: Vec::with_capacity(ties),
            rows: Vec::with_capacity(rows),
            places: vec![NONE; nv],
            groups: Vec::with_capacity(rows),
            group: vec![NONE; links],
            top: vec![NONE; links],
            reach: vec![0; links],
            world: None,
            links: Vec::with_capacity(links),
            loads: zeros(rows * nv),
            passed: vec![[0.0; 6]; rows],
            seen: vec![[F4::ZERO; 5]; rows],
            capacitance: zeros(rows * rows),
            columns: vec![0; rows],
            held: zeros(rows),
            small: [zeros(rows), zeros(rows)],
            local: zeros(nv),
        }
    }

    /// Replaces the ties between dofs of different links: (row, column, value).
    pub fn take(&mut self, t: &Topology, ties: impl Iterator<Item = (usize, usize, f64)>) {
        for row in self.rows.drain(..) {
            self.places[row] = NONE;
        }
        self.ties.clear();
        self.links.clear();
        if !self.groups.is_empty() {
            self.groups.clear();
            self.group.fill(NONE);
            self.top.fill(NONE);
        }
        self.world = None;
        for (k, reach) in self.reach.iter_mut().enumerate() {
            *reach = k + 1;
        }
        for (row, column, value) in ties {
            if self.places[row] == NONE {
                self.places[row] = 0;
                self.rows.push(row);
            }
            self.ties.push(Tie { row, column, value });
            let [a, b] = [row, column].map(|k| t.dofs[k].link);
            let mut top = self.reach[a].min(self.reach[b]);
            while top > 0
                && ![a, b]
                    .iter()
                    .all(|i| (top - 1..t.links[top - 1].end).contains(i))
            {
                top = above(t, top - 1);
            }
            (self.reach[a], self.reach[b]) = (self.reach[a].min(top), self.reach[b].min(top));
        }
        if !self.ties.is_empty() {
            self.group_links(t);
            self.group_rows(t);
        }
    }

    fn group_links(&mut self, t: &Topology) {
        for (i, l) in t.links.iter().enumerate().rev() {
            let reach = self.reach[i];
            if reach > i {
                continue;
            }
            match l.parent {
                WORLD => self.world = Some(0),
                p => {
                    self.reach[p] = self.reach[p].min(reach);
                    // It is in a group.
                    self.group[p] = 0;
                }
            }
        }
        let new = Group {
            links: 0..0,
            rows: 0..0,
            ties: 0..0,
            dofs: 0,
            loads: 0,
            capacitance: 0,
        };
        if self.world.is_some() {
            self.groups.push(new.clone());
        }
        for (i, l) in t.links.iter().enumerate() {
            if self.reach[i] <= i {
                self.group[i] = match l.parent {
                    WORLD => 0,
                    p => self.group[p],
                };
            } else if self.group[i] != NONE {
                self.group[i] = self.groups.len();
                self.top[i] = self.groups.len();
                self.groups.push(new.clone());
            } else {
                continue;
            }
            let group = &mut self.groups[self.group[i]];
            group.links.end += 1;
            group.dofs += l.nv;
        }
        let mut start = 0;
        for group in &mut self.groups {
            let count = group.links.end;
            group.links = start..start;
            start += count;
        }
        self.links.resize(start, 0);
        for (i, k) in self.group.iter().enumerate().filter(|(_, k)| **k != NONE) {
            let end = &mut self.groups[*k].links.end;
            self.links[*end] = i;
            *end += 1;
        }
    }

    fn group_rows(&mut self, t: &Topology) {
        let group = |row: usize| self.group[t.dofs[row].link];
        self.rows.sort_unstable_by_key(|row| (group(*row), *row));
        for (k, row) in self.rows.iter().enumerate() {
            self.places[*row] = k;
        }
        let places = &self.places;
        (self.ties).sort_unstable_by_key(|tie| (places[tie.row], tie.column));
        let (mut rows, mut ties, mut loads, mut capacitance) = (0, 0, 0, 0);
        for (k, of) in self.groups.iter_mut().enumerate() {
            let count = (self.rows[rows..].iter()).take_while(|row| group(**row) == k);
            of.rows = rows..rows + count.count();
            rows = of.rows.end;
            let count = (self.ties[ties..].iter()).take_while(|tie| places[tie.row] < rows);
            of.ties = ties..ties + count.count();
            ties = of.ties.end;
            (of.loads, of.capacitance) = (loads, capacitance);
            loads += of.rows.len() * of.dofs;
            capacitance += of.rows.len() * of.rows.len();
        }
    }

    /// The group of which a link is the top.
    #[inline(always)]
    pub(super) fn of_top(&self, link: usize) -> Option<usize> {
        Some(self.top[link]).filter(|k| *k != NONE)
    }

    /// The group that reaches to the world.
    pub(super) fn of_world(&self) -> Option<usize> {
        self.world
    }

    /// Prepares solving for a group whose links are eliminated. Returns a dof of the group if C is
    /// singular.
    #[inline(always)]
    pub(super) fn close(
        &mut self,
        f: &mut GeneralArticulation,
        t: &Topology,
        k: usize,
    ) -> Option<usize> {
        let of = &self.groups[k];
        let (links, rows) = (&self.links[of.links.clone()], &self.rows[of.rows.clone()]);
        let (n, ties) = (rows.len(), &self.ties[of.ties.clone()]);
        let local = &mut self.local;
        let c = &mut self.capacitance[of.capacitance..][..n * n];
        c.fill(0.0);
        let mut loads = self.loads[of.loads..].chunks_exact_mut(of.dofs.max(1));
        for (j, row) in rows.iter().enumerate() {
            clear(t, links, local);
            local[*row] = 1.0;
            self.passed[of.rows.start + j] = f.sweep_up(t, links, local);
            if let Some(loads) = loads.next() {
                gather(t, links, local, loads);
            }
            f.sweep_down(t, links, local);
            c[j * n + j] = 1.0;
            for tie in ties {
                let i = self.places[tie.row] - of.rows.start;
                c[i * n + j] += tie.value * local[tie.column];
            }
            clear(t, links, local);
            for tie in ties.iter().filter(|tie| tie.row == *row) {
                local[tie.column] += tie.value;
            }
            self.seen[of.rows.start + j] = f.sweep_down_transposed(t, links, local);
        }
        let regular = factor_plain(c, &mut self.columns[of.rows.clone()], TINY);
        rows.first().copied().filter(|_| !regular)
    }

    /// Adds −P C⁻¹ Q to the force that is required from the parent of the top.
    #[inline(always)]
    pub(super) fn pass_on(&mut self, k: usize, asked: &mut [Row; 6]) {
        let rows = self.groups[k].rows.clone();
        // Column by column of Q: each lane of four numbers separately.
        for (b, lane) in (0..5).flat_map(|b| (0..4).map(move |lane| (b, lane))) {
            for (x, seen) in self.small[0].iter_mut().zip(&self.seen[rows.clone()]) {
                *x = seen[b].0[lane];
            }
            self.solve_small(k);
            for (r, asked) in asked.iter_mut().enumerate() {
                let s = &self.small[0][..rows.len()];
                let sum: f64 = (self.passed[rows.clone()].iter().zip(s))
                    .map(|(p, s)| p[r] * s)
                    .sum();
                asked[b].0[lane] -= sum;
            }
        }
    }

    /// `small` ← C⁻¹ `small`.
    #[inline(always)]
    fn solve_small(&mut self, k: usize) {
        let of = &self.groups[k];
        let n = of.rows.len();
        let [x, scratch] = self.small.each_mut().map(|x| &mut x[..n]);
        let c = &self.capacitance[of.capacitance..][..n * n];
        solve_plain(c, &self.columns[of.rows.clone()], x, scratch);
    }

    #[inline(always)]
    fn solve_small_transposed(&mut self, k: usize) {
        let of = &self.groups[k];
        let n = of.rows.len();
        let [x, scratch] = self.small.each_mut().map(|x| &mut x[..n]);
        let c = &self.capacitance[of.capacitance..][..n * n];
        solve_plain_transposed(c, &self.columns[of.rows.clone()], x, scratch);
    }

    /// Upward: computes s of a group without X, and subtracts its effect from `force` on the parent.
    #[inline(always)]
    pub(super) fn answer(
        &mut self,
        f: &mut GeneralArticulation,
        t: &Topology,
        k: usize,
        x: &[f64],
        force: &mut [f64; 6],
    ) {
        let of = &self.groups[k];
        let (links, rows) = (&self.links[of.links.clone()], of.rows.clone());
        for i in links {
            let dofs = t.links[*i].dofs();
            self.local[dofs.clone()].copy_from_slice(&x[dofs]);
        }
        f.sweep_down(t, links, &mut self.local);
        self.small[0][..rows.len()].fill(0.0);
        for tie in &self.ties[of.ties.clone()] {
            self.small[0][self.places[tie.row] - rows.start] += tie.value * self.local[tie.column];
        }
        self.solve_small(k);
        let s = &self.small[0][..rows.len()];
        for (p, s) in self.passed[rows.clone()].iter().zip(s) {
            for (force, p) in force.iter_mut().zip(p) {
                *force -= p * s;
            }
        }
        self.held[rows].copy_from_slice(s);
    }

    /// Downward: subtracts the effect of its ties from the remainders of the group's links.
    #[inline(always)]
    pub(super) fn release(&mut self, t: &Topology, k: usize, above: &Row, x: &mut [f64]) {
        let rows = self.groups[k].rows.clone();
        for (s, seen) in self.small[0].iter_mut().zip(&self.seen[rows.clone()]) {
            *s = dot(seen, above);
        }
        self.solve_small(k);
        let of = &self.groups[k];
        let loads = self.loads[of.loads..].chunks_exact(of.dofs.max(1));
        for (j, loads) in (0..rows.len()).zip(loads) {
            let s = self.small[0][j] + self.held[rows.start + j];
            let dofs = self.links[of.links.clone()].iter();
            let dofs = dofs.flat_map(|i| t.links[*i].dofs());
            for (k, load) in dofs.zip(loads) {
                x[k] -= load * s;
            }
        }
    }

    /// The transpose of [`Ties::release`]: adds to the adjoint of X.
    #[inline(always)]
    pub(super) fn release_transposed(&mut self, t: &Topology, k: usize, x: &[f64], bar: &mut Row) {
        let of = &self.groups[k];
        let rows = of.rows.clone();
        let loads = self.loads[of.loads..].chunks_exact(of.dofs.max(1));
        for (j, loads) in (0..rows.len()).zip(loads) {
            let dofs = self.links[of.links.clone()].iter();
            let dofs = dofs.flat_map(|i| t.links[*i].dofs());
            let sum: f64 = dofs.zip(loads).map(|(k, load)| x[k] * load).sum();
            (self.small[0][j], self.held[rows.start + j]) = (-sum, -sum);
        }
        self.solve_small_transposed(k);
        for (s, seen) in self.small[0].iter().zip(&self.seen[rows]) {
            add_scaled(bar, *s, seen);
        }
    }

    /// The transpose of [`Ties::answer`], from the adjoint of the force on the parent.
    #[inline(always)]
    pub(super) fn answer_transposed(
        &mut self,
        f: &mut GeneralArticulation,
        t: &Topology,
        k: usize,
        above: &[f64; 6],
        x: &mut [f64],
    ) {
        let rows = self.groups[k].rows.clone();
        for (j, p) in self.passed[rows.clone()].iter().enumerate() {
            let taken: f64 = p.iter().zip(above).map(|(p, a)| p * a).sum();
            self.small[0][j] = self.held[rows.start + j] - taken;
        }
        self.solve_small_transposed(k);
        let of = &self.groups[k];
        let links = &self.links[of.links.clone()];
        clear(t, links, &mut self.local);
        for tie in &self.ties[of.ties.clone()] {
            self.local[tie.column] += tie.value * self.small[0][self.places[tie.row] - rows.start];
        }
        f.sweep_down_transposed(t, links, &mut self.local);
        for k in links.iter().flat_map(|i| t.links[*i].dofs()) {
            x[k] += self.local[k];
        }
    }
}

/// One more than the parent of a link, 0 for the world.
fn above(t: &Topology, link: usize) -> usize {
    match t.links[link].parent {
        WORLD => 0,
        p => p + 1,
    }
}

#[inline(always)]
fn clear(t: &Topology, links: &[usize], x: &mut [f64]) {
    links.iter().for_each(|i| x[t.links[*i].dofs()].fill(0.0));
}

#[inline(always)]
fn gather(t: &Topology, links: &[usize], x: &[f64], out: &mut [f64]) {
    let dofs = links.iter().flat_map(|i| t.links[*i].dofs());
    for (out, k) in out.iter_mut().zip(dofs) {
        *out = x[k];
    }
}
