//! One front: its nodes, its sizes and its place in memory.

use std::ops::Range;

/// A front.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// Its nodes in `order`, its later nodes and its children.
    pub nodes: Range<usize>,
    pub later: Range<usize>,
    pub children: Range<usize>,
    /// The places of its rest in the front that takes it over.
    pub runs: Range<usize>,
    /// First coordinate in the order of elimination, and the numbers of coordinates that it eliminates and of
    /// later ones.
    pub first: usize,
    pub width: usize,
    pub rest: usize,
    /// Start of its values, and of its rest on the stack of this number.
    pub at: usize,
    pub stack: usize,
    pub rest_at: usize,
}

/// Length of a row with padding.
pub(super) fn padded(n: usize) -> usize {
    n.next_multiple_of(4)
}

impl Front {
    /// Lengths of the rows of A₁₁, and of A₁₂ and A₂₁ᵀ.
    pub fn rows(&self) -> [usize; 2] {
        [self.width, self.rest].map(padded)
    }

    /// Lengths of the three parts of its panel.
    pub fn parts(&self) -> [usize; 3] {
        let [own, rest] = self.rows();
        [self.width * own, self.width * rest, self.width * rest]
    }

    pub fn values(&self) -> Range<usize> {
        self.at..self.at + self.parts().iter().sum::<usize>()
    }

    /// Numbers in its rest.
    pub fn left(&self) -> usize {
        self.rest * padded(self.rest)
    }
}
