//! The vertices of one hull that a simplex names.

/// Up to three different vertices of one hull.
pub(super) struct Distinct {
    pub ids: [u16; 3],
    pub len: usize,
}

impl Distinct {
    pub fn new(from: impl Iterator<Item = u16>) -> Self {
        let mut d = Distinct {
            ids: [0; 3],
            len: 0,
        };
        for i in from {
            if d.len < 3 && !d.ids[..d.len].contains(&i) {
                d.ids[d.len] = i;
                d.len += 1;
            }
        }
        let n = d.len;
        d.ids[..n].sort_unstable();
        d
    }

    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.ids[..self.len].iter().copied()
    }

    pub fn sorted(&self) -> [u16; 2] {
        [self.ids[0], self.ids[1]]
    }
}
