//! Independent groups of blocks: no two blocks of different islands touch the same moving tree.

use crate::error::{Error, Result};

/// Union–find over blocks and the kinematic trees they touch. Sized at creation.
#[derive(Debug)]
pub struct Islands {
    parent: Vec<usize>,
    label: Vec<usize>,
    of_block: Vec<usize>,
    members: Vec<usize>,
    starts: Vec<usize>,
}

impl Islands {
    pub fn new(max_trees: usize, max_blocks: usize) -> Islands {
        Islands {
            parent: Vec::with_capacity(max_trees),
            label: Vec::with_capacity(max_trees),
            of_block: Vec::with_capacity(max_blocks),
            members: Vec::with_capacity(max_blocks),
            starts: Vec::with_capacity(max_blocks + 1),
        }
    }

    /// Splits these blocks, which must be in increasing order. `touches(b)` gives the one or two trees
    /// that block b acts on; `None` stands for the world, which joins nothing. Islands are numbered by
    /// their first block. Blocks keep their order inside an island.
    ///
    /// Errors: `Capacity` beyond the sizes given at creation, `InvalidArgument` for a tree out of range.
    pub fn split(
        &mut self,
        trees: usize,
        blocks: &[usize],
        touches: impl Fn(usize) -> [Option<usize>; 2],
    ) -> Result<()> {
        if trees > self.parent.capacity() || blocks.len() > self.of_block.capacity() {
            return Err(Error::capacity(format!(
                "{trees} trees and {} blocks, room for {} and {}",
                blocks.len(),
                self.parent.capacity(),
                self.of_block.capacity()
            )));
        }
        for &b in blocks {
            if let Some(tree) = touches(b).into_iter().flatten().find(|t| *t >= trees) {
                return Err(Error::invalid(format!(
                    "block {b} touches tree {tree}, but there are {trees}"
                )));
            }
        }
        self.parent.clear();
        self.parent.extend(0..trees);
        for &b in blocks {
            if let [Some(a), Some(c)] = touches(b) {
                let (a, c) = (self.root(a), self.root(c));
                self.parent[a.max(c)] = a.min(c);
            }
        }
        const NONE: usize = usize::MAX;
        self.label.clear();
        self.label.resize(trees, NONE);
        self.of_block.clear();
        let mut count = 0;
        for &b in blocks {
            let tree = touches(b)
                .into_iter()
                .flatten()
                .next()
                .map(|t| self.root(t));
            let label = tree.map_or(NONE, |t| self.label[t]);
            if label == NONE {
                if let Some(t) = tree {
                    self.label[t] = count;
                }
                self.of_block.push(count);
                count += 1;
            } else {
                self.of_block.push(label);
            }
        }
        // Counting sort keeps the blocks' order inside each island.
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for island in &self.of_block {
            self.starts[island + 1] += 1;
        }
        for k in 0..count {
            self.starts[k + 1] += self.starts[k];
        }
        self.members.clear();
        self.members.resize(blocks.len(), 0);
        for (b, island) in blocks.iter().zip(&self.of_block).rev() {
            let end = &mut self.starts[island + 1];
            *end -= 1;
            self.members[*end] = *b;
        }
        // The fill moved every end to the start of its island: shift back.
        self.starts.rotate_left(1);
        self.starts[count] = blocks.len();
        Ok(())
    }

    fn root(&mut self, mut tree: usize) -> usize {
        while self.parent[tree] != tree {
            self.parent[tree] = self.parent[self.parent[tree]];
            tree = self.parent[tree];
        }
        tree
    }

    /// The island that contains all of these trees; `None` if there are several islands or none.
    pub fn between(&mut self, trees: [Option<usize>; 2]) -> Option<usize> {
        let of = trees.map(|t| t.map(|t| self.root(t)).map(|root| self.label[root]));
        let island = of[0].or(of[1])?;
        let all = of.into_iter().flatten().all(|i| i == island);
        (all && island < self.len()).then_some(island)
    }

    /// Number of islands of the last split.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The blocks of one island, in increasing order.
    pub fn blocks(&self, island: usize) -> &[usize] {
        &self.members[self.starts[island]..self.starts[island + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_join_through_trees_but_not_through_the_world() {
        let touches = [
            [Some(3), None],
            [Some(0), Some(1)],
            [None, Some(2)],
            [Some(1), Some(3)],
            [None, None],
            [Some(2), None],
        ];
        let mut islands = Islands::new(4, 6);
        for _ in 0..2 {
            islands
                .split(4, &[0, 1, 2, 3, 4, 5], |b| touches[b])
                .unwrap();
            assert_eq!(islands.len(), 3);
            assert_eq!(islands.blocks(0), [0, 1, 3]);
            assert_eq!(islands.blocks(1), [2, 5]);
            assert_eq!(islands.blocks(2), [4]);
            assert_eq!(islands.between([Some(0), Some(3)]), Some(0));
            assert_eq!(islands.between([None, Some(2)]), Some(1));
            assert_eq!(islands.between([Some(0), Some(2)]), None);
            assert_eq!(islands.between([None, None]), None);
        }
        islands.split(4, &[1], |b| touches[b]).unwrap();
        assert_eq!(islands.between([Some(3), None]), None);
        islands.split(4, &[0, 1, 4, 5], |b| touches[b]).unwrap();
        assert_eq!(islands.len(), 4);
        for (k, b) in [0, 1, 4, 5].into_iter().enumerate() {
            assert_eq!(islands.blocks(k), [b]);
        }
        assert!(
            islands
                .split(4, &[0, 1, 2, 3, 4, 5], |_| [Some(4), None])
                .unwrap_err()
                .message
                .contains("tree 4")
        );
        assert!(
            islands
                .split(5, &[0, 1, 2, 3, 4, 5], |b| touches[b])
                .is_err()
        );
        islands.split(0, &[], |_| [None, None]).unwrap();
        assert!(islands.is_empty());
    }
}
