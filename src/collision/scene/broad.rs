//! The broad phase: finds the pairs that are near enough for the narrow phase.
//!
//! A robot has a fixed list of pairs, most of which are dismissed link by link, by bounding balls. A scene
//! of many bodies has too many pairs for a list. Its boxes are sorted along one axis and swept (Baraff,
//! "Dynamic simulation of non-penetrating rigid bodies", 1992, §2.3.2). Each sort starts from the order of
//! the last call.

use super::geom::SceneGeom;
use super::narrow;
use super::pairs::{Rules, ScenePair};
use super::solid::Solid;
use super::watch::Watch;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::spatial::Vec3;

/// With more pairs than this outside of the hierarchy, the sweep replaces the list.
pub(super) const MAX_LISTED: usize = 20_000;
/// Capacity of a sweep for pairs of overlapping boxes, per geom.
const NEAR_PER_GEOM: usize = 32;
/// The sweep changes to another axis if the variance of the geoms' places along it is larger by this
/// factor.
const BETTER_AXIS: f64 = 2.0;

#[derive(Debug)]
pub(super) enum Broad {
    List(List),
    Sweep(Sweep),
}

/// All pairs, grouped by links.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub pairs: Vec<ScenePair>,
    /// Bounding balls of each pair. They dismiss most pairs.
    pub balls: Vec<Balls>,
    pub groups: Vec<Group>,
    pub watch: Watch,
}

/// The balls around two geoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balls {
    pub a: u32,
    pub b: u32,
    /// Sum of their radii and the pair's margin [m]; infinite if one is a plane.
    pub reach: f64,
}

/// Two links whose geoms are tested against each other, and the range of their pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub link: [usize; 2],
    pub first: usize,
    pub end: usize,
    /// A plane takes part, so no ball bounds the group.
    pub unbounded: bool,
    /// Which of the links have a plane.
    pub planes: [bool; 2],
    /// Largest margin of the pairs [m].
    pub margin: f64,
}

/// Boxes of the bounded geoms, and their order along an axis.
#[derive(Debug)]
pub(super) struct Sweep {
    /// Lower and upper corner, per geom.
    boxes: Vec<[Vec3; 2]>,
    order: Vec<u32>,
    planes: Vec<u32>,
    axis: usize,
    /// Half of the largest margin of any pair [m].
    margin: f64,
    near: Vec<(u32, u32)>,
}

impl List {
    /// Takes new radii of the geoms.
    pub fn measure(&mut self, geoms: &[SceneGeom]) {
        for (balls, p) in self.balls.iter_mut().zip(&self.pairs) {
            balls.reach = geoms[p.a].radius + geoms[p.b].radius + p.margin;
        }
        self.watch.forget();
    }
}

impl Broad {
    /// The broad phase of the geoms outside of the hierarchy: a list of up to `listed` pairs, else a
    /// sweep.
    pub fn new(model: &Model, geoms: &[SceneGeom], rules: &Rules, listed: usize) -> Broad {
        match find_pairs(geoms, rules, listed) {
            Some(pairs) => {
                let balls = pairs.iter().map(|p| Balls {
                    a: p.a as u32,
                    b: p.b as u32,
                    reach: 0.0,
                });
                let groups = group(&pairs, geoms);
                let slots = model.topology().links.len() + 1;
                let mut list = List {
                    watch: Watch::new(groups.len(), slots),
                    groups,
                    balls: balls.collect(),
                    pairs,
                };
                list.measure(geoms);
                Broad::List(list)
            }
            None => Broad::Sweep(Sweep::new(model, geoms)),
        }
    }
}

/// All pairs, grouped by links; `None` if there are more than `most`.
fn find_pairs(geoms: &[SceneGeom], rules: &Rules, most: usize) -> Option<Vec<ScenePair>> {
    let ids = (0..geoms.len()).filter(|&g| !geoms[g].in_hierarchy);
    let ids: Vec<usize> = ids.collect();
    let mut pairs = Vec::new();
    for (i, &a) in ids.iter().enumerate() {
        for &b in &ids[i + 1..] {
            let Some(pair) = rules.pair(a, b) else {
                continue;
            };
            if pairs.len() == most {
                return None;
            }
            pairs.push(pair);
        }
    }
    pairs.sort_by_key(|p| (geoms[p.a].link, geoms[p.b].link, p.a, p.b));
    Some(pairs)
}

impl Broad {
    /// Estimate of how many pairs of convex parts the narrow phase searches.
    pub fn searches(&self, solids: &[Solid]) -> usize {
        match self {
            Broad::List(list) => {
                let of = |p: &ScenePair| narrow::searches(&solids[p.a], &solids[p.b]);
                list.pairs.iter().map(of).sum()
            }
            Broad::Sweep(sweep) => sweep.near.capacity(),
        }
    }
}

fn group(pairs: &[ScenePair], geoms: &[SceneGeom]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, p) in pairs.iter().enumerate() {
        let link = [geoms[p.a].link, geoms[p.b].link];
        let planes = [geoms[p.a].plane, geoms[p.b].plane];
        let unbounded = planes[0] || planes[1];
        match groups.last_mut() {
            Some(g) if g.link == link => {
                g.end = i + 1;
                g.unbounded |= unbounded;
                g.planes = [g.planes[0] | planes[0], g.planes[1] | planes[1]];
                g.margin = g.margin.max(p.margin);
            }
            _ => groups.push(Group {
                link,
                first: i,
                end: i + 1,
                unbounded,
                planes,
                margin: p.margin,
            }),
        }
    }
    groups
}

impl Sweep {
    fn new(model: &Model, geoms: &[SceneGeom]) -> Sweep {
        let of_geoms = model.geoms().iter().map(|g| 2.0 * g.margin);
        let of_pairs = model.pairs().iter().filter_map(|p| p.margin);
        let which = |plane: bool| {
            let ids = (0..geoms.len()).filter(move |&g| !geoms[g].in_hierarchy);
            let ids = ids.filter(move |&g| geoms[g].plane == plane);
            ids.map(|g| g as u32).collect::<Vec<u32>>()
        };
        let (order, planes) = (which(false), which(true));
        Sweep {
            boxes: vec![[Vec3::ZERO; 2]; geoms.len()],
            axis: 0,
            margin: 0.5 * of_geoms.chain(of_pairs).fold(0.0, f64::max),
            near: Vec::with_capacity(NEAR_PER_GEOM * (order.len() + planes.len())),
            order,
            planes,
        }
    }

    /// Pairs of geoms that may be near each other, sorted. `ball(g)`: centre and radius of the ball
    /// around geom g, widened by how far it may move. `above(p, g)`: distance of ball g from plane p.
    ///
    /// # Errors
    /// `Capacity` if more pairs are near each other than the capacity.
    pub fn find(
        &mut self,
        rules: &Rules,
        ball: impl Fn(usize) -> (Vec3, f64),
        above: impl Fn(usize, usize) -> f64,
    ) -> Result<&[(u32, u32)]> {
        let (mut sum, mut squares) = (Vec3::ZERO, Vec3::ZERO);
        for &g in &self.order {
            let (c, r) = ball(g as usize);
            let r = r + self.margin;
            let half = Vec3::new(r, r, r);
            self.boxes[g as usize] = [c - half, c + half];
            sum += c;
            squares += c.scale(c);
        }
        self.sort(sum, squares);
        self.near.clear();
        let k = self.axis;
        for (i, &g) in self.order.iter().enumerate() {
            let [low, high] = self.boxes[g as usize];
            for &h in &self.order[i + 1..] {
                let [l, u] = self.boxes[h as usize];
                if l[k] > high[k] {
                    break;
                }
                let apart = (0..3).any(|x| l[x] > high[x] || u[x] < low[x]);
                if !apart {
                    add(rules, &mut self.near, g, h)?;
                }
            }
        }
        for &p in &self.planes {
            for &g in &self.order {
                if above(p as usize, g as usize) <= 2.0 * self.margin {
                    add(rules, &mut self.near, p, g)?;
                }
            }
        }
        self.near.sort_unstable();
        Ok(&self.near)
    }

    fn sort(&mut self, sum: Vec3, squares: Vec3) {
        let n = self.order.len().max(1) as f64;
        let spread = |k: usize| squares[k] / n - (sum[k] / n) * (sum[k] / n);
        let mut axis = self.axis;
        for k in 0..3 {
            if spread(k) > BETTER_AXIS * spread(axis) {
                axis = k;
            }
        }
        let boxes = &self.boxes;
        let before = |a: u32, b: u32| {
            let (x, y) = (boxes[a as usize][0][axis], boxes[b as usize][0][axis]);
            x.total_cmp(&y).then(a.cmp(&b))
        };
        if axis != self.axis {
            self.axis = axis;
            self.order.sort_unstable_by(|&a, &b| before(a, b));
            return;
        }
        // Nearly sorted from the last call.
        for i in 1..self.order.len() {
            let g = self.order[i];
            let mut j = i;
            while j > 0 && before(self.order[j - 1], g).is_gt() {
                self.order[j] = self.order[j - 1];
                j -= 1;
            }
            self.order[j] = g;
        }
    }
}

fn add(rules: &Rules, near: &mut Vec<(u32, u32)>, a: u32, b: u32) -> Result<()> {
    let (a, b) = (a.min(b), a.max(b));
    if rules.pair(a as usize, b as usize).is_none() {
        return Ok(());
    }
    if near.len() == near.capacity() {
        return Err(Error::capacity(format!(
            "more than {} pairs of geoms are near each other",
            near.len()
        )));
    }
    near.push((a, b));
    Ok(())
}
