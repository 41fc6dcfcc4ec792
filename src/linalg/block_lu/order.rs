//! The order of elimination, and the layout that follows from it.

use super::{BlockLu, Later, Panel, Source};

impl BlockLu {
    /// Starts a matrix with these nodes: the first coordinate of each node, then the number of coordinates.
    pub fn start(&mut self, starts: &[usize]) {
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        let nodes = starts.len() - 1;
        self.words = nodes.div_ceil(64);
        self.neighbours.clear();
        self.neighbours.resize(nodes * self.words, 0);
    }

    /// Declares that the blocks (a, b) and (b, a) may differ from zero.
    pub fn connect(&mut self, a: usize, b: usize) {
        if a != b {
            self.neighbours[a * self.words + b / 64] |= 1 << (b % 64);
            self.neighbours[b * self.words + a / 64] |= 1 << (a % 64);
        }
    }

    /// Chooses the order of elimination (minimum degree, ties by number), finds the fill and lays out the
    /// panels.
    pub fn analyze(&mut self) {
        let (nodes, words) = (self.starts.len() - 1, self.words);
        self.alive.clear();
        self.alive.resize(words, 0);
        for k in 0..nodes {
            self.alive[k / 64] |= 1 << (k % 64);
        }
        self.positions.clear();
        self.positions.resize(nodes, 0);
        self.panels.clear();
        self.later.clear();
        self.degrees.clear();
        for k in 0..nodes {
            self.degrees.push(self.degree(k));
        }
        let mut first = 0;
        for position in 0..nodes {
            let (mut best, mut least) = (0, u32::MAX);
            for k in bits(&self.alive) {
                if self.degrees[k] < least {
                    (best, least) = (k, self.degrees[k]);
                }
            }
            self.alive[best / 64] &= !(1 << (best % 64));
            self.positions[best] = position;
            let size = self.starts[best + 1] - self.starts[best];
            let from = self.later.len();
            self.panels.push(Panel {
                node: best,
                size,
                first,
                after: 0,
                beside: 0,
                at: 0,
                later: from,
                sources: 0,
            });
            first += size;
            let row = &self.neighbours[best * words..(best + 1) * words];
            // Entries are nodes here; positions replace them later.
            self.later.extend(bits(row).map(|node| Later {
                position: node,
                size: 0,
                first: 0,
                at: 0,
            }));
            for i in from..self.later.len() {
                let other = self.later[i].position;
                for w in 0..words {
                    let joined = self.neighbours[best * words + w];
                    self.neighbours[other * words + w] |= joined;
                }
                self.neighbours[other * words + best / 64] &= !(1 << (best % 64));
                self.neighbours[other * words + other / 64] &= !(1 << (other % 64));
                self.degrees[other] = self.degree(other);
            }
        }
        self.panels.push(Panel {
            node: nodes,
            size: 0,
            first,
            after: 0,
            beside: 0,
            at: 0,
            later: self.later.len(),
            sources: 0,
        });
        self.lay_out();
    }

    /// Lays out the columns of the panels and the panels that act on them.
    fn lay_out(&mut self) {
        let nodes = self.positions.len();
        // First the number of panels that act on each panel, then the index of the next one.
        self.columns.clear();
        self.columns.resize(nodes, 0);
        let mut at = 0;
        for k in 0..=nodes {
            self.panels[k].at = at;
            let Some(next) = self.panels.get(k + 1) else {
                break;
            };
            let later = &mut self.later[self.panels[k].later..next.later];
            for l in later.iter_mut() {
                l.position = self.positions[l.position];
            }
            later.sort_unstable_by_key(|l| l.position);
            let rows = self.panels[k].size;
            let mut next = rows * rows;
            for l in later {
                let Panel { size, first, .. } = self.panels[l.position];
                (l.size, l.first, l.at) = (size, first, next);
                next += rows * size;
                self.columns[l.position] += 1;
            }
            let panel = &mut self.panels[k];
            panel.after = next - rows * rows;
            panel.beside = if self.definite { 1 } else { 2 } * panel.after;
            at = panel.values().end;
        }
        let mut from = 0;
        for (panel, count) in self.panels.iter_mut().zip(&mut self.columns) {
            panel.sources = from;
            from += std::mem::replace(count, from);
        }
        self.panels[nodes].sources = from;
        self.sources.clear();
        self.sources.resize(from, Source::default());
        for position in 0..nodes {
            for later in self.panels[position].later..self.panels[position + 1].later {
                let place = &mut self.columns[self.later[later].position];
                self.sources[*place] = Source { position, later };
                *place += 1;
            }
        }
    }

    fn degree(&self, node: usize) -> u32 {
        self.row(node).iter().map(|w| w.count_ones()).sum()
    }

    fn row(&self, node: usize) -> &[u64] {
        &self.neighbours[node * self.words..(node + 1) * self.words]
    }
}

fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(w, bits)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            let k = (bits != 0).then(|| 64 * w + bits.trailing_zeros() as usize);
            bits &= bits.wrapping_sub(1);
            k
        })
    })
}
