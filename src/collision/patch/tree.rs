//! A binary tree of boxes around the elements of a mesh.
//!
//! The tetrahedra of a fine mesh are needles between its surface and its medial axis, and the box of a needle
//! across the axes is wide. Every needle therefore has several boxes, one for each of its pieces by pressure.
//! Pieces of two bodies can share a face only if their boxes and their pressures overlap.

use crate::spatial::{Pose, Vec3};

/// Boxes of inner nodes are larger by this share of the mesh's size than the boxes in them. This is more than
/// the round-off of the comparisons: a node is never left out before its leaves are.
const ROUNDING: f64 = 1e-12;

/// A part of an element: its lower and upper corner, and its least and largest pressure in units of the
/// modulus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub element: u32,
    pub bounds: [Vec3; 2],
    pub extents: [f64; 2],
}

/// A box around two nodes or one piece.
#[derive(Clone, Copy, Debug)]
struct Node {
    centre: Vec3,
    half: Vec3,
    /// Least and largest pressure, in units of the modulus.
    extents: [f64; 2],
    /// Index of the second child (the first one is the next node); the piece of a leaf.
    next: u32,
    is_leaf: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Per piece: its element, the first piece of this element, and its leaf.
    pieces: Vec<[u32; 3]>,
}

/// Depth of the stack: more than that of two trees with the most pieces together.
const STACK: usize = 96;

impl Tree {
    /// A tree around pieces. Those of one element follow each other.
    pub fn new(pieces: &[Piece]) -> Tree {
        let mut tree = Tree::default();
        tree.nodes.reserve(2 * pieces.len());
        let mut first = 0;
        for (k, piece) in pieces.iter().enumerate() {
            if piece.element != pieces[first].element {
                first = k;
            }
            tree.pieces.push([piece.element, first as u32, 0]);
        }
        let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
        if !pieces.is_empty() {
            tree.build(pieces, &mut order);
            let root = tree.nodes[0];
            let more = ROUNDING * (root.centre.max_abs() + root.half.max_abs());
            for node in tree.nodes.iter_mut().filter(|node| !node.is_leaf) {
                node.half += Vec3::new(more, more, more);
            }
        }
        tree
    }

    /// Calls `visit` once for every element with a box that `meets` accepts. The arguments of `meets` are the
    /// centre and the half sizes of a box, and the largest pressure in it.
    pub fn find(&self, meets: impl Fn(Vec3, Vec3, f64) -> bool, mut visit: impl FnMut(u32)) {
        let meets = |node: &Node| meets(node.centre, node.half, node.extents[1]);
        let mut stack = [0u32; STACK];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let i = stack[top];
            let node = &self.nodes[i as usize];
            if !meets(node) {
                continue;
            }
            if node.is_leaf {
                let (element, mut before) = self.leaf(node);
                if !before.any(meets) {
                    visit(element);
                }
            } else if top + 2 <= STACK {
                (stack[top], stack[top + 1]) = (node.next, i + 1);
                top += 2;
            }
        }
    }

    /// Calls `visit` once for every two elements of which two pieces overlap. The other tree is placed at
    /// `pose` in this one's frame; the pressures of both are in units of `moduli`. Pieces that share no
    /// pressure above `least` are left out.
    pub fn find_pairs(
        &self,
        other: &Tree,
        pose: &Pose,
        (moduli, least): ([f64; 2], f64),
        mut visit: impl FnMut(u32, u32),
    ) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let axes = pose.rot.c;
        let spread = axes.map(Vec3::abs);
        let [e, f] = moduli;
        let overlap = |a: &Node, b: &Node| {
            let ([a0, a1], [b0, b1]) = (a.extents, b.extents);
            let most = (e * a1).min(f * b1);
            if e * a0 > most || f * b0 > most || most < least {
                return false;
            }
            let half = spread[0] * b.half.x + spread[1] * b.half.y + spread[2] * b.half.z;
            let between = pose.point(b.centre) - a.centre;
            let apart = between.abs() - a.half - half;
            // NaN counts as near, so that a later check can refuse it.
            if apart.x > 0.0 || apart.y > 0.0 || apart.z > 0.0 {
                return false;
            }
            // Along the other tree's axes.
            let is_apart =
                |k: usize| axes[k].dot(between).abs() > b.half[k] + spread[k].dot(a.half);
            !(0..3).any(is_apart)
        };
        let mut stack = [(0u32, 0u32); STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (i, j) = stack[top];
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if !overlap(a, b) {
                continue;
            }
            let splits_first = !a.is_leaf && (b.is_leaf || a.half.max_abs() >= b.half.max_abs());
            match (a.is_leaf, b.is_leaf) {
                (true, true) => {
                    // The first two pieces that overlap stand for their elements.
                    let ((x, mut before), (y, mut below)) = (self.leaf(a), other.leaf(b));
                    let is_first = !below.any(|q| overlap(a, q))
                        && !before.any(|p| other.all(b).any(|q| overlap(p, q)));
                    if is_first {
                        visit(x, y);
                    }
                }
                _ if top + 2 > STACK => {}
                _ if splits_first => {
                    (stack[top], stack[top + 1]) = ((a.next, j), (i + 1, j));
                    top += 2;
                }
                _ => {
                    (stack[top], stack[top + 1]) = ((i, b.next), (i, j + 1));
                    top += 2;
                }
            }
        }
    }

    /// The element of a leaf, and the leaves of its pieces before this one, the nearest first.
    fn leaf(&self, node: &Node) -> (u32, impl Iterator<Item = &Node>) {
        let [element, first, _] = self.pieces[node.next as usize];
        let before = &self.pieces[first as usize..node.next as usize];
        let leaves = before.iter().rev();
        (element, leaves.map(|p| &self.nodes[p[2] as usize]))
    }

    /// The leaves of all pieces of a leaf's element.
    fn all(&self, node: &Node) -> impl Iterator<Item = &Node> {
        let [element, first, _] = self.pieces[node.next as usize];
        let own = self.pieces[first as usize..].iter();
        let own = own.take_while(move |p| p[0] == element);
        own.map(|p| &self.nodes[p[2] as usize])
    }

    /// Appends the tree of these pieces, its root first.
    fn build(&mut self, pieces: &[Piece], order: &mut [u32]) {
        let around = |(low, high, extents): (Vec3, Vec3, [f64; 2]), i: &u32| {
            let p = &pieces[*i as usize];
            let ([l, h], [e0, e1]) = (p.bounds, p.extents);
            let corner = |f: fn(f64, f64) -> f64, a: Vec3, b: Vec3| {
                Vec3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z))
            };
            (
                corner(f64::min, low, l),
                corner(f64::max, high, h),
                [extents[0].min(e0), extents[1].max(e1)],
            )
        };
        let infinite = Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let nothing = (infinite, -infinite, [f64::INFINITY, f64::NEG_INFINITY]);
        let (low, high, extents) = order.iter().fold(nothing, around);
        let at = self.nodes.len();
        let is_leaf = order.len() == 1;
        self.nodes.push(Node {
            centre: (low + high) * 0.5,
            half: (high - low) * 0.5,
            extents,
            next: order[0],
            is_leaf,
        });
        if is_leaf {
            self.pieces[order[0] as usize][2] = at as u32;
            return;
        }
        let size = high - low;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        // First by their numbers in their elements: this prunes by pressure early.
        let firsts: &[[u32; 3]] = &self.pieces;
        let number = |i: &u32| i - firsts[*i as usize][1];
        let by_number = order.iter().any(|i| number(i) != number(&order[0]));
        let middle = |i: &u32| {
            let [low, high] = pieces[*i as usize].bounds;
            match by_number {
                true => f64::from(number(i)),
                false => low[axis] + high[axis],
            }
        };
        // Sort ties by number: the same tree on every machine.
        order.sort_unstable_by(|a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        let (first, second) = order.split_at_mut(order.len() / 2);
        self.build(pieces, first);
        self.nodes[at].next = self.nodes.len() as u32;
        self.build(pieces, second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;
    use crate::spatial::so3_exp;

    /// Elements of one to three pieces. Every pair that a trial of all pieces finds is found once.
    #[test]
    fn pairs_are_those_of_a_trial_of_all() {
        let pieces = |seed: usize, n: usize| -> Vec<Piece> {
            let at = |i: usize, k: usize| scattered(i, 7 * seed + k);
            let one = |(element, i): (usize, usize)| {
                let corner = Vec3::new(at(i, 1), at(i, 2), at(i, 3));
                let size = Vec3::new(at(i, 4), at(i, 5), at(i, 6)).abs() * 0.5;
                let low = at(i, 8);
                Piece {
                    element: element as u32,
                    bounds: [corner, corner + size],
                    extents: [low, low + 0.5],
                }
            };
            let parts = |e: usize| (0..1 + e % 3).map(move |k| (e, 3 * e + k));
            (0..n).flat_map(parts).map(one).collect()
        };
        let (first, second) = (pieces(1, 57), pieces(2, 90));
        let (a, b) = (Tree::new(&first), Tree::new(&second));
        let pose = Pose::new(so3_exp(Vec3::new(0.3, 0.5, -0.2)), Vec3::new(0.1, 0.0, 0.2));
        let moduli = [2.0, 3.0];
        let mut before = None;
        for least in [f64::NEG_INFINITY, 1.5] {
            let mut found = Vec::new();
            a.find_pairs(&b, &pose, (moduli, least), |i, j| found.push((i, j)));
            let half = |p: &Piece| (p.bounds[1] - p.bounds[0]) * 0.5;
            let middle = |p: &Piece| (p.bounds[1] + p.bounds[0]) * 0.5;
            let mut expected = Vec::new();
            for p in &first {
                for q in &second {
                    let h = half(q);
                    let h = pose.rot.c[0].abs() * h.x
                        + pose.rot.c[1].abs() * h.y
                        + pose.rot.c[2].abs() * h.z;
                    let apart = (pose.point(middle(q)) - middle(p)).abs() - half(p) - h;
                    let pressed = [p, q].map(|x| x.extents);
                    let overlap = moduli[0] * pressed[0][0] <= moduli[1] * pressed[1][1]
                        && moduli[1] * pressed[1][0] <= moduli[0] * pressed[0][1];
                    let between = pose.point(middle(q)) - middle(p);
                    let meets = |k: usize| {
                        let axis = pose.rot.c[k];
                        axis.dot(between).abs() <= half(q)[k] + axis.abs().dot(half(p))
                    };
                    let near = apart.x <= 0.0 && apart.y <= 0.0 && apart.z <= 0.0;
                    let most = (moduli[0] * pressed[0][1]).min(moduli[1] * pressed[1][1]);
                    if near && (0..3).all(meets) && overlap && most >= least {
                        expected.push((p.element, q.element));
                    }
                }
            }
            found.sort_unstable();
            let all = expected.len();
            expected.sort_unstable();
            expected.dedup();
            // Without a least pressure some elements meet in several pieces.
            let more = before.unwrap_or(all);
            assert!(expected.len() > 20 && expected.len() < more);
            before = Some(expected.len());
            assert_eq!(found, expected);
        }
        let mut below = Vec::new();
        let meets = |centre: Vec3, half: Vec3, _: f64| centre.z - half.z < 0.0;
        a.find(meets, |i| below.push(i));
        below.sort_unstable();
        let mut expected: Vec<u32> = (first.iter())
            .filter(|p| p.bounds[0].z < 0.0)
            .map(|p| p.element)
            .collect();
        expected.dedup();
        assert_eq!(below, expected);
    }
}
