//! The order of elimination: nested dissection by the places of nodes.

/// Parts of at most this many nodes are not cut further.
const SMALL: usize = 12;

/// Nodes that a plane may cut off less from one side than from the other to save one node of the cut.
const BALANCE: f64 = 20.0;

/// Nodes in an order of elimination with little fill. A plane through the median cuts the nodes into two
/// parts. Nodes of one part with neighbours in the other are eliminated after both. Nodes without a place
/// come last.
pub(super) fn dissect(neighbours: &[Vec<usize>], places: &[Option<[f64; 3]>]) -> Vec<usize> {
    let mut dissection = Dissection {
        neighbours,
        places,
        sides: vec![Side::Out; neighbours.len()],
        order: Vec::with_capacity(neighbours.len()),
    };
    let placed = (0..neighbours.len()).filter(|i| places[*i].is_some());
    dissection.cut(placed.collect());
    let others = (0..neighbours.len()).filter(|i| places[*i].is_none());
    dissection.order.extend(others);
    dissection.order
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Out,
    Below,
    Above,
}

struct Dissection<'a> {
    neighbours: &'a [Vec<usize>],
    places: &'a [Option<[f64; 3]>],
    sides: Vec<Side>,
    order: Vec<usize>,
}

/// Nodes on both sides of a cut, and those of the cut.
type Cut = [Vec<usize>; 3];

impl Dissection<'_> {
    fn cut(&mut self, nodes: Vec<usize>) {
        if nodes.len() <= SMALL {
            return self.order.extend(nodes);
        }
        let mut best: Option<(f64, Cut)> = None;
        for axis in 0..3 {
            let Some(cut) = self.along(&nodes, axis) else {
                continue;
            };
            let [below, above, between] = cut.each_ref().map(|part| part.len() as f64);
            let price = between + (below - above).abs() / BALANCE;
            if best.as_ref().is_none_or(|(least, _)| price < *least) {
                best = Some((price, cut));
            }
        }
        let Some((_, [below, above, between])) = best else {
            return self.order.extend(nodes);
        };
        self.cut(below);
        self.cut(above);
        self.order.extend(between);
    }

    /// `None` if all nodes lie in one plane across the axis.
    fn along(&mut self, nodes: &[usize], axis: usize) -> Option<Cut> {
        let place = |i: usize| self.places[i].map_or(0.0, |p| p[axis]);
        let mut all: Vec<f64> = nodes.iter().map(|i| place(*i)).collect();
        all.sort_unstable_by(f64::total_cmp);
        let least = all[0];
        let middle = all[all.len() / 2];
        // Below the median; if it is the least place, up to it.
        let is_below = |i: usize| place(i) < middle || middle == least && place(i) == middle;
        let (below, above): (Vec<_>, Vec<_>) = nodes.iter().partition(|i| is_below(**i));
        if above.is_empty() {
            return None;
        }
        below.iter().for_each(|i| self.sides[*i] = Side::Below);
        above.iter().for_each(|i| self.sides[*i] = Side::Above);
        let touches = |i: usize, side| self.neighbours[i].iter().any(|k| self.sides[*k] == side);
        let split = |part: &[usize], side| -> [Vec<usize>; 2] {
            let (cut, rest) = part.iter().partition(|i| touches(**i, side));
            [cut, rest]
        };
        let [lower, far_below] = split(&below, Side::Above);
        let [upper, far_above] = split(&above, Side::Below);
        nodes.iter().for_each(|i| self.sides[*i] = Side::Out);
        Some(match lower.len() < upper.len() {
            true => [far_below, above, lower],
            false => [below, far_above, upper],
        })
    }
}
