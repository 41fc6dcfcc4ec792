//! Fronts and their memory, from an order of elimination.

use super::front::Front;
use super::{Fronts, Later, Run, order};

impl Fronts {
    /// A matrix of zeros with these nodes, by their first coordinates and the number of coordinates. The
    /// blocks of two nodes may differ from zero if they are `joined`. Nodes with a place in space are
    /// eliminated first, in an order that follows from their places.
    pub fn new(starts: &[usize], joined: &[[usize; 2]], places: &[Option<[f64; 3]>]) -> Fronts {
        let nodes = starts.len() - 1;
        let mut neighbours = vec![Vec::new(); nodes];
        for [a, b] in joined.iter().filter(|[a, b]| a != b) {
            neighbours[*a].push(*b);
            neighbours[*b].push(*a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let order = order::dissect(&neighbours, places);
        lay_out(starts, &neighbours, order)
    }
}

/// Cost of moving an entry of a front, in multiplications.
const MOVE: f64 = 12.0;

/// Cost of a front of this width and with this rest, in multiplications.
fn cost(width: usize, rest: usize) -> f64 {
    let [all, rest] = [width + rest, rest].map(|n| n as f64);
    (all.powi(3) - rest.powi(3)) / 3.0 + MOVE * all * all
}

/// Later neighbours of each node after elimination of the nodes before it, all by position in the order.
fn eliminate(neighbours: &[Vec<usize>], order: &[usize]) -> Vec<Vec<usize>> {
    let n = order.len();
    let mut positions = vec![0; n];
    (order.iter().enumerate()).for_each(|(k, node)| positions[*node] = k);
    let mut all: Vec<Vec<usize>> = Vec::with_capacity(n);
    let mut children = vec![Vec::new(); n];
    let mut seen = vec![usize::MAX; n];
    for (k, node) in order.iter().enumerate() {
        let mut list = Vec::new();
        let own = neighbours[*node].iter().map(|i| positions[*i]);
        let filled = children[k]
            .iter()
            .flat_map(|c: &usize| all[*c].iter().copied());
        for i in own.chain(filled).filter(|i| *i > k) {
            if seen[i] != k {
                seen[i] = k;
                list.push(i);
            }
        }
        list.sort_unstable();
        if let Some(next) = list.first() {
            children[*next].push(k);
        }
        all.push(list);
    }
    all
}

/// The same order of elimination, but with each node directly after all nodes whose elimination leads to it.
fn close_ranks(neighbours: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let later = eliminate(neighbours, order);
    let mut children = vec![Vec::new(); order.len()];
    let mut open = Vec::new();
    for (k, list) in later.iter().enumerate() {
        match list.first() {
            Some(next) => children[*next].push(k),
            None => open.push(k),
        }
    }
    // Each node before its children, in reverse.
    let mut sorted = Vec::with_capacity(order.len());
    while let Some(k) = open.pop() {
        sorted.push(order[k]);
        open.extend(&children[k]);
    }
    sorted.reverse();
    sorted
}

/// Positions that a front eliminates, and later ones.
struct Group {
    from: usize,
    end: usize,
    later: Vec<usize>,
    width: usize,
    rest: usize,
}

/// Joins positions with the same later neighbours. Then it joins fronts with the one that takes over their
/// rest, if this is cheaper.
fn group(later: Vec<Vec<usize>>, sizes: &[usize]) -> Vec<Group> {
    let size = |list: &[usize]| list.iter().map(|i| sizes[*i]).sum::<usize>();
    let mut equal: Vec<Group> = Vec::new();
    for (k, later) in later.into_iter().enumerate() {
        let before = equal.last_mut();
        match before.filter(|g| g.later.first() == Some(&k) && g.later.len() == later.len() + 1) {
            Some(g) => {
                (g.end, g.width, g.rest) = (k + 1, g.width + sizes[k], size(&later));
                g.later = later;
            }
            None => equal.push(Group {
                from: k,
                end: k + 1,
                width: sizes[k],
                rest: size(&later),
                later,
            }),
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for mut g in equal {
        while let Some(before) = groups.last() {
            let leads_here = before.later.first().is_some_and(|k| *k < g.end);
            let apart = cost(before.width, before.rest) + cost(g.width, g.rest);
            if !leads_here || cost(before.width + g.width, g.rest) > apart {
                break;
            }
            (g.from, g.width) = (before.from, before.width + g.width);
            groups.pop();
        }
        groups.push(g);
    }
    groups
}

fn lay_out(starts: &[usize], neighbours: &[Vec<usize>], order: Vec<usize>) -> Fronts {
    let order = close_ranks(neighbours, &order);
    let sizes: Vec<usize> = order.iter().map(|i| starts[i + 1] - starts[*i]).collect();
    let mut firsts = vec![0; order.len()];
    for k in 1..order.len() {
        firsts[k] = firsts[k - 1] + sizes[k - 1];
    }
    let groups = group(eliminate(neighbours, &order), &sizes);
    // The front that eliminates each position.
    let mut owners = vec![0; order.len()];
    for (k, g) in groups.iter().enumerate() {
        owners[g.from..g.end].fill(k);
    }
    let mut homes = vec![[0; 2]; order.len()];
    let mut of = Fronts {
        starts: starts.to_vec(),
        homes: Vec::new(),
        fronts: Vec::new(),
        later: Vec::new(),
        runs: Vec::new(),
        children: Vec::new(),
        values: Vec::new(),
        exchanges: vec![0; starts[starts.len() - 1]],
        rests: [Vec::new(), Vec::new()],
        reached: 0,
        order,
    };
    let mut children = vec![Vec::new(); groups.len()];
    let mut at = 0;
    for (k, g) in groups.iter().enumerate() {
        let first = firsts[g.from];
        for i in g.from..g.end {
            homes[of.order[i]] = [k, firsts[i] - first];
        }
        let from = of.later.len();
        let mut place = 0;
        for i in &g.later {
            of.later.push(Later {
                position: firsts[*i],
                at: place,
            });
            place += sizes[*i];
        }
        if let Some(next) = g.later.first() {
            children[owners[*next]].push(k);
        }
        let taken = of.children.len();
        of.children.extend(&children[k]);
        let mut front = Front {
            nodes: g.from..g.end,
            later: from..of.later.len(),
            children: taken..of.children.len(),
            first,
            width: g.width,
            rest: g.rest,
            at,
            ..Front::default()
        };
        at = front.values().end;
        of.fronts.push(std::mem::take(&mut front));
    }
    of.homes = homes;
    of.values = vec![0.0; at];
    connect(&mut of, &groups, &owners, &firsts, &sizes);
    stack(&mut of, &groups, &owners);
    of
}

/// Finds the places of each front's rest in the front that takes it over.
fn connect(of: &mut Fronts, groups: &[Group], owners: &[usize], firsts: &[usize], sizes: &[usize]) {
    for (k, g) in groups.iter().enumerate() {
        let from = of.runs.len();
        let next = g.later.first().map(|i| owners[*i]);
        for ((position, i), later) in (g.later.iter().map(|i| firsts[*i]))
            .zip(&g.later)
            .zip(of.fronts[k].later.clone())
        {
            let Some(next) = next else { break };
            let to = &of.fronts[next];
            let is_own = owners[*i] == next;
            let run = Run {
                from: of.later[later].at,
                len: sizes[*i],
                first: position,
                to: match is_own {
                    true => position - to.first,
                    false => {
                        let all = &of.later[to.later.clone()];
                        all[all.partition_point(|l| l.position < position)].at
                    }
                },
                is_own,
            };
            match of.runs[from..].last_mut() {
                Some(last)
                    if last.is_own == is_own
                        && last.first + last.len == run.first
                        && last.to + last.len == run.to =>
                {
                    last.len += run.len;
                }
                _ => of.runs.push(run),
            }
        }
        of.fronts[k].runs = from..of.runs.len();
    }
}

/// Reserves the stacks of rests.
fn stack(of: &mut Fronts, groups: &[Group], owners: &[usize]) {
    for k in (0..groups.len()).rev() {
        if let Some(next) = groups[k].later.first() {
            of.fronts[k].stack = 1 - of.fronts[owners[*next]].stack;
        }
    }
    let (mut tops, mut most) = ([0; 2], [0; 2]);
    for k in 0..groups.len() {
        let taken = &of.children[of.fronts[k].children.clone()];
        let left: usize = taken.iter().map(|c| of.fronts[*c].left()).sum();
        let f = &mut of.fronts[k];
        f.rest_at = tops[f.stack];
        tops[f.stack] += f.left();
        most[f.stack] = most[f.stack].max(tops[f.stack]);
        tops[1 - f.stack] -= left;
    }
    of.rests = most.map(|n| vec![0.0; n]);
}
