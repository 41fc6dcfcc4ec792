//! Derivatives of forces by the state, as a list of nonzero entries.

/// An entry of the derivatives by q and by v.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub row: usize,
    pub column: usize,
    pub by_q: f64,
    pub by_v: f64,
}

/// Sums of derivatives by q and by v, with the sign with which they enter the balance: positive for a
/// force that resists.
#[derive(Clone, Debug, Default)]
pub struct Slopes {
    /// Derivatives of every dof's force by the dof itself, summed: by q and by v.
    pub(super) diagonal: Vec<[f64; 2]>,
    /// The other entries, in order.
    pub(super) entries: Vec<Entry>,
}

impl Slopes {
    /// For `nv` dofs, with capacity for this many entries.
    pub fn new(nv: usize, entries: usize) -> Self {
        Slopes {
            diagonal: vec![[0.0; 2]; nv],
            entries: Vec::with_capacity(entries),
        }
    }

    /// Largest number of entries beside the diagonal.
    pub fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// Reserves memory for this many further entries.
    pub(super) fn reserve(&mut self, more: usize) {
        let count = self.entries.capacity() + more;
        self.entries.reserve_exact(count - self.entries.len());
    }

    pub fn clear(&mut self) {
        self.diagonal.fill([0.0; 2]);
        self.entries.clear();
    }

    /// Adds to the derivatives of dof k's force by the dof itself.
    #[inline(always)]
    pub fn add_own(&mut self, k: usize, by_q: f64, by_v: f64) {
        let own = &mut self.diagonal[k];
        own[0] += by_q;
        own[1] += by_v;
    }

    /// Moves entries on the diagonal from the list to the diagonal.
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

    /// Adds to the derivatives of the force on dof `row` by dof `column`.
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
