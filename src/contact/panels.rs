//! Columns over the rows of a problem, kept island by island: a column has numbers of its own island's rows only.

/// Not among the rows of the columns.
pub const NOWHERE: usize = usize::MAX;

/// Where an island's columns stand: the first number of the first one, the numbers from one to the next, their count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    pub first: usize,
    pub stride: usize,
    pub count: usize,
}

/// Columns of islands that are no smaller than the law's own.
#[derive(Debug)]
pub struct Panels<'a> {
    pub islands: &'a [Panel],
    /// Per row of the problem: its island, and its place in a column of that or [`NOWHERE`].
    pub island: &'a [usize],
    pub place: &'a [usize],
}

impl Panels<'_> {
    /// Columns of the island that has most.
    pub fn most_columns(&self) -> usize {
        self.islands.iter().map(|p| p.count).max().unwrap_or(0)
    }

    /// Where the number of a row stands in the k-th column of its island, if that has one.
    #[inline(always)]
    pub fn at(&self, row: usize, k: usize) -> Option<usize> {
        let (panel, place) = (&self.islands[self.island[row]], self.place[row]);
        (k < panel.count && place != NOWHERE).then(|| panel.first + k * panel.stride + place)
    }

    /// [`Panels::at`] of some rows in one of some columns after the other.
    pub fn places<'a>(
        &'a self,
        rows: &'a [usize],
        columns: &'a [usize],
    ) -> impl Iterator<Item = Option<usize>> + 'a {
        let of = move |k: &'a usize| rows.iter().map(|row| self.at(*row, *k));
        columns.iter().flat_map(of)
    }
}
