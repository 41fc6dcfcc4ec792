//! A bounding-volume hierarchy of boxes, built once and then only queried.
//!
//! Nodes have eight children, so a query compares with eight boxes at once. They are packed full, so n
//! boxes have a tree of ⌈log₈ n⌉ levels and a query needs only the stack. (The traversal of parry's
//! hierarchy allocates beyond a fixed depth.)

use crate::collision::ray::Ray;
use crate::spatial::Vec3;

const WIDTH: usize = 8;
/// Marks a child that is an item, not a node.
const ITEM: u32 = 1 << 31;

/// Lower and upper corner.
pub(super) type Aabb = [Vec3; 2];

#[derive(Clone, Debug, Default)]
pub(super) struct Hierarchy {
    /// The root first.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    /// Indexed by axis and child.
    low: [[f64; WIDTH]; 3],
    high: [[f64; WIDTH]; 3],
    child: [u32; WIDTH],
}

impl Node {
    /// A node without children: NaN boxes, which nothing overlaps, not even an unbounded query.
    const EMPTY: Node = Node {
        low: [[f64::NAN; WIDTH]; 3],
        high: [[f64::NAN; WIDTH]; 3],
        child: [0; WIDTH],
    };

    /// Where a ray enters a child's box; 0 from inside.
    fn entry(&self, child: usize, ray: &Ray) -> Option<f64> {
        let (mut from, mut to) = (0.0, f64::INFINITY);
        for k in 0..3 {
            let (low, high) = (self.low[k][child], self.high[k][child]);
            let (x, rate) = (ray.origin[k], ray.direction[k]);
            if rate != 0.0 {
                let (a, b) = ((low - x) / rate, (high - x) / rate);
                (from, to) = (a.min(b).max(from), a.max(b).min(to));
            } else if !(low <= x && x <= high) {
                return None;
            }
        }
        // The box of an empty child is NaN.
        (from <= to && !self.low[0][child].is_nan()).then_some(from)
    }
}

impl Hierarchy {
    /// Builds the hierarchy of items with these boxes. Query results do not depend on the order of the
    /// items.
    pub fn new(items: &mut [(u32, Aabb)]) -> Hierarchy {
        let mut tree = Hierarchy { nodes: Vec::new() };
        if !items.is_empty() {
            tree.grow(items);
        }
        tree
    }

    /// Adds the node over these items.
    fn grow(&mut self, items: &mut [(u32, Aabb)]) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let mut room = 1;
        while room * WIDTH < items.len() {
            room *= WIDTH;
        }
        self.divide(node, 0, items, room);
        node
    }

    /// Makes these items children of a node, beginning with child `lane`. Each child takes up to `room`
    /// items. Returns the next free child.
    fn divide(
        &mut self,
        node: usize,
        lane: usize,
        items: &mut [(u32, Aabb)],
        room: usize,
    ) -> usize {
        let children = items.len().div_ceil(room);
        if children > 1 {
            let middle = children / 2 * room;
            let axis = widest(items);
            let place = |i: &(u32, Aabb)| i.1[0][axis] + i.1[1][axis];
            items.select_nth_unstable_by(middle, |a, b| {
                place(a).total_cmp(&place(b)).then(a.0.cmp(&b.0))
            });
            let (before, after) = items.split_at_mut(middle);
            let lane = self.divide(node, lane, before, room);
            return self.divide(node, lane, after, room);
        }
        let [low, high] = items[1..].iter().fold(items[0].1, |b, i| around(b, i.1));
        let child = match room {
            1 => ITEM | items[0].0,
            _ => self.grow(items) as u32,
        };
        let node = &mut self.nodes[node];
        for k in 0..3 {
            (node.low[k][lane], node.high[k][lane]) = (low[k], high[k]);
        }
        node.child[lane] = child;
        lane + 1
    }

    /// Adds all items whose boxes overlap or touch this one, in no order. Does not allocate if `found`
    /// has capacity for all items.
    pub fn find(&self, query: &Aabb, found: &mut Vec<u32>) {
        if !self.nodes.is_empty() {
            self.descend(0, query, found);
        }
    }

    /// Visits the items whose boxes a ray meets before `reach`, nearer nodes first. Each visit returns
    /// the new reach, which may be shorter.
    pub fn pierce(&self, ray: &Ray, reach: f64, visit: &mut dyn FnMut(u32) -> f64) {
        if !self.nodes.is_empty() {
            self.pierce_node(0, ray, reach, visit);
        }
    }

    fn pierce_node(
        &self,
        node: usize,
        ray: &Ray,
        mut reach: f64,
        visit: &mut dyn FnMut(u32) -> f64,
    ) -> f64 {
        let node = &self.nodes[node];
        let mut order = [(f64::INFINITY, 0); WIDTH];
        let mut count = 0;
        for i in 0..WIDTH {
            if let Some(from) = node.entry(i, ray) {
                let mut k = count;
                while k > 0 && order[k - 1].0 > from {
                    order[k] = order[k - 1];
                    k -= 1;
                }
                order[k] = (from, node.child[i]);
                count += 1;
            }
        }
        for &(from, child) in &order[..count] {
            if from > reach {
                break;
            }
            reach = match child & ITEM {
                0 => self.pierce_node(child as usize, ray, reach, visit),
                _ => visit(child & !ITEM),
            };
        }
        reach
    }

    fn descend(&self, node: usize, query: &Aabb, found: &mut Vec<u32>) {
        let node = &self.nodes[node];
        let [low, high] = query;
        let mut overlap = [true; WIDTH];
        for k in 0..3 {
            for (i, overlap) in overlap.iter_mut().enumerate() {
                *overlap &= (node.low[k][i] <= high[k]) & (node.high[k][i] >= low[k]);
            }
        }
        for (child, overlap) in node.child.iter().zip(overlap) {
            if !overlap {
                continue;
            }
            if child & ITEM == 0 {
                self.descend(*child as usize, query, found);
            } else {
                found.push(child & !ITEM);
            }
        }
    }
}

/// The axis along which the centres of the boxes spread most.
fn widest(items: &[(u32, Aabb)]) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for k in 0..3 {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (_, [low, high]) in items {
            let middle = low[k] + high[k];
            (least, most) = (least.min(middle), most.max(middle));
        }
        if most - least > best.1 {
            best = (k, most - least);
        }
    }
    best.0
}

/// The box around two boxes.
pub(super) fn around(a: Aabb, b: Aabb) -> Aabb {
    let both = |k: usize| (a[0][k].min(b[0][k]), a[1][k].max(b[1][k]));
    let [x, y, z] = [both(0), both(1), both(2)];
    [Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1)]
}
