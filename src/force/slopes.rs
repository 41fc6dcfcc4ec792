//! Slopes of forces by the state, as a list of what is not zero.

/// One number of a slope by q and one by v.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub row: usize,
    pub column: usize,
    pub by_q: f64,
    pub by_v: f64,
}

/// Sums of slopes by q and by v, of the sign with which they enter the balance: positive where a force resists.
#[derive(Clone, Debug, Default)]
pub struct Slopes {
    /// Of every dof's force by the dof itself, in a form that sums: by q and by v.
    pub(super) diagonal: Vec<[f64; 2]>,
    /// What comes to it, in order.
    pub(super) entries: Vec<Entry>,
}

impl Slopes {
    /// Of `nv` dofs, with room for so many entries.
    pub fn new(nv: usize, entries: usize) -> Self {
        Slopes {
            diagonal: vec![[0.0; 2]; nv],
            entries: Vec::with_capacity(entries),
        }
    }

    /// The most entries beside the diagonal.
    pub fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// Makes room for so many more than there are.
    pub(super) fn reserve(&mut self, more: usize) {
        let count = self.entries.capacity() + more;
        self.entries.reserve_exact(count - self.entries.len());
    }

    pub fn clear(&mut self) {
        self.diagonal.fill([0.0; 2]);
        self.entries.clear();
    }

    /// Adds to the slopes of dof k's force by the dof itself.
    #[inline(always)]
    pub fn add_own(&mut self, k: usize, by_q: f64, by_v: f64) {
        let own = &mut self.diagonal[k];
        own[0] += by_q;
        own[1] += by_v;
    }

    /// Moves the entries on the diagonal there.
    pub(super) fn gather_diagonal(&mut self) {
        let diagonal = &mut self.diagonal;
        self.entries.retain(|e| {
            if e.row == e.column {
                diagonal[e.row][0] += e.by_q;
                diagonal[e.row][1] += e.by_v;
            }
            e.row != e.column
        });
    }

    /// Adds to the slopes of the force on dof `row` by dof `column`.
    #[inline(always)]
    pub fn add(&mut self, [row, column]: [usize; 2], by_q: f64, by_v: f64) {
        self.entries.push(Entry {
            row,
            column,
            by_q,
            by_v,
        });
    }
}
