//! A binary tree of boxes around the elements of a mesh.

use crate::spatial::{Pose, Vec3};

/// A box around two nodes or one element.
#[derive(Clone, Copy, Debug)]
struct Node {
    centre: Vec3,
    half: Vec3,
    /// Index of the second child (the first one is the next node); the element of a leaf.
    next: u32,
    is_leaf: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// Depth of the stack: more than that of two trees with the most elements together.
const STACK: usize = 96;

impl Tree {
    /// A tree around elements with these lower and upper corners.
    pub fn new(boxes: &[[Vec3; 2]]) -> Tree {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        if !boxes.is_empty() {
            build(boxes, &mut order, &mut nodes);
        }
        Tree { nodes }
    }

    /// Calls `visit` for all elements whose boxes `meets` accepts. The arguments of `meets` are the centre
    /// and the half sizes of a box.
    pub fn find(&self, meets: impl Fn(Vec3, Vec3) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack = [0u32; STACK];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let i = stack[top];
            let node = &self.nodes[i as usize];
            if !meets(node.centre, node.half) {
                continue;
            }
            if node.is_leaf {
                visit(node.next);
            } else if top + 2 <= STACK {
                (stack[top], stack[top + 1]) = (node.next, i + 1);
                top += 2;
            }
        }
    }

    /// Calls `visit` for all pairs of elements whose boxes overlap. The other tree is placed at `pose`
    /// in this one's frame.
    pub fn find_pairs(&self, other: &Tree, pose: &Pose, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let spread = pose.rot.c.map(Vec3::abs);
        let mut stack = [(0u32, 0u32); STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (i, j) = stack[top];
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            let half = spread[0] * b.half.x + spread[1] * b.half.y + spread[2] * b.half.z;
            let apart = (pose.point(b.centre) - a.centre).abs() - a.half - half;
            if apart.x > 0.0 || apart.y > 0.0 || apart.z > 0.0 {
                continue;
            }
            let splits_first = !a.is_leaf && (b.is_leaf || a.half.max_abs() >= b.half.max_abs());
            match (a.is_leaf, b.is_leaf) {
                (true, true) => visit(a.next, b.next),
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
}

/// Appends the tree of these elements, its root first.
fn build(boxes: &[[Vec3; 2]], order: &mut [u32], nodes: &mut Vec<Node>) {
    let around = |[low, high]: [Vec3; 2], i: &u32| {
        let [l, h] = boxes[*i as usize];
        let corner = |f: fn(f64, f64) -> f64, a: Vec3, b: Vec3| {
            Vec3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z))
        };
        [corner(f64::min, low, l), corner(f64::max, high, h)]
    };
    let infinite = Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let [low, high] = order.iter().fold([infinite, -infinite], around);
    let at = nodes.len();
    nodes.push(Node {
        centre: (low + high) * 0.5,
        half: (high - low) * 0.5,
        next: order[0],
        is_leaf: order.len() == 1,
    });
    if order.len() == 1 {
        return;
    }
    let size = high - low;
    let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    let middle = |i: &u32| boxes[*i as usize][0][axis] + boxes[*i as usize][1][axis];
    // Sort ties by number: the same tree on every machine.
    order.sort_unstable_by(|a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
    let (first, second) = order.split_at_mut(order.len() / 2);
    build(boxes, first, nodes);
    nodes[at].next = nodes.len() as u32;
    build(boxes, second, nodes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;
    use crate::spatial::so3_exp;

    #[test]
    fn pairs_are_those_of_a_trial_of_all() {
        let boxes = |seed: usize, n: usize| -> Vec<[Vec3; 2]> {
            let at = |i: usize, k: usize| scattered(i, 7 * seed + k);
            let corner = |i| Vec3::new(at(i, 1), at(i, 2), at(i, 3));
            let size = |i| Vec3::new(at(i, 4), at(i, 5), at(i, 6)).abs() * 0.5;
            (0..n).map(|i| [corner(i), corner(i) + size(i)]).collect()
        };
        let (first, second) = (boxes(1, 57), boxes(2, 90));
        let (a, b) = (Tree::new(&first), Tree::new(&second));
        let pose = Pose::new(so3_exp(Vec3::new(0.3, 0.5, -0.2)), Vec3::new(0.1, 0.0, 0.2));
        let mut found = Vec::new();
        a.find_pairs(&b, &pose, |i, j| found.push((i, j)));
        let half = |b: &[Vec3; 2]| (b[1] - b[0]) * 0.5;
        let middle = |b: &[Vec3; 2]| (b[1] + b[0]) * 0.5;
        let mut expected = Vec::new();
        for (i, p) in first.iter().enumerate() {
            for (j, q) in second.iter().enumerate() {
                let h = half(q);
                let h = pose.rot.c[0].abs() * h.x
                    + pose.rot.c[1].abs() * h.y
                    + pose.rot.c[2].abs() * h.z;
                let apart = (pose.point(middle(q)) - middle(p)).abs() - half(p) - h;
                if apart.x <= 0.0 && apart.y <= 0.0 && apart.z <= 0.0 {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        found.sort_unstable();
        assert!(expected.len() > 20);
        assert_eq!(found, expected);
    }
}
