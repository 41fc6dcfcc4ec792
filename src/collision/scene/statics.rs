//! Many static geoms: moving geoms look them up in a hierarchy of boxes, which stays the same while a
//! simulation runs. A few static geoms are paired like all others.

use super::geom::SceneGeom;
use super::hierarchy::{Aabb, Hierarchy};
use super::pairs::{Rules, ScenePair};
use crate::model::topology::WORLD;
use crate::spatial::Vec3;

/// Up to this many static geoms, a list is faster than the hierarchy.
pub(super) const FEW: usize = 24;

/// Number of static geoms near a moving one for which the narrow phase keeps a warm start.
const NEAR: usize = 8;

#[derive(Clone, Debug, Default)]
pub(super) struct Statics {
    /// Hierarchy over the geoms' boxes, each widened by its geom's margin.
    pub tree: Hierarchy,
    /// Geoms in the hierarchy, ascending.
    pub geoms: Vec<u32>,
    /// Moving geoms that may touch a geom in the hierarchy, sorted by links, with the margin that their
    /// queries need [m].
    pub seekers: Vec<(u32, f64)>,
    /// Pairs of static geoms that the user wants, with at least one of them in the hierarchy.
    pub pairs: Vec<ScenePair>,
    /// Result of a query, with capacity for all geoms.
    pub found: Vec<u32>,
}

/// Marks the bounded static geoms for the hierarchy, if there are more than `few`.
pub(super) fn mark(geoms: &mut [SceneGeom], few: usize) {
    let is_bounded = |g: &SceneGeom| g.link == WORLD && g.radius.is_finite();
    let many = geoms.iter().filter(|g| is_bounded(g)).count() > few;
    for g in geoms {
        g.in_hierarchy = many && is_bounded(g);
    }
}

impl Statics {
    /// Builds the hierarchy of the marked geoms.
    pub fn new(geoms: &[SceneGeom], rules: &Rules) -> Statics {
        let ids = (0..geoms.len()).filter(|&g| geoms[g].in_hierarchy);
        let ids: Vec<u32> = ids.map(|g| g as u32).collect();
        let mut statics = Statics {
            found: Vec::with_capacity(ids.len()),
            geoms: ids,
            ..Statics::default()
        };
        statics.measure(geoms, rules);
        statics.filter(geoms, rules);
        statics
    }

    /// Estimate of how many pairs of convex parts the narrow phase searches.
    pub fn searches(&self) -> usize {
        NEAR * self.seekers.len()
    }

    /// Takes new sizes of the geoms.
    pub fn measure(&mut self, geoms: &[SceneGeom], rules: &Rules) {
        let placed = |&id: &u32| {
            let g = &geoms[id as usize];
            let (centre, axes) = (g.in_link.point(g.middle), &g.in_link.rot.c);
            let [x, y, z] = g.half.to_array();
            let half = axes[0].abs() * x + axes[1].abs() * y + axes[2].abs() * z;
            let half = half + cube(rules.margin(id as usize));
            (id, [centre - half, centre + half])
        };
        let mut items: Vec<(u32, Aabb)> = self.geoms.iter().map(placed).collect();
        self.tree = Hierarchy::new(&mut items);
    }

    /// Takes new rules on pairs.
    pub fn filter(&mut self, geoms: &[SceneGeom], rules: &Rules) {
        let is_held = |g: usize| geoms[g].in_hierarchy;
        let wanted = || rules.wanted().filter(|&(a, b)| is_held(a) || is_held(b));
        let is_still = |g: usize| geoms[g].link == WORLD;
        let both_still = wanted().filter(|&(a, b)| is_still(a) && is_still(b));
        self.pairs = both_still.filter_map(|(a, b)| rules.pair(a, b)).collect();
        let masks = self.geoms.iter().fold((0, 0), |all, &g| {
            let own = rules.masks(g as usize);
            (all.0 | own.0, all.1 | own.1)
        });
        // The part of a named pair's margin that the other geom's box does not include.
        let mut named: Vec<Option<f64>> = vec![None; geoms.len()];
        for (a, b) in wanted() {
            let margin = rules.pair(a, b).map_or(0.0, |p| p.margin);
            for (own, other) in [(a, b), (b, a)] {
                let beyond = margin - rules.margin(other);
                named[own] = Some(named[own].unwrap_or(0.0).max(beyond));
            }
        }
        let seeks = |g: usize| {
            let (contype, conaffinity) = rules.masks(g);
            let masked = contype & masks.1 | conaffinity & masks.0 != 0;
            let own = masked.then(|| rules.margin(g));
            let most = own.into_iter().chain(named[g]).reduce(f64::max)?;
            Some((g as u32, most))
        };
        let moving = (0..geoms.len()).filter(|&g| !is_still(g));
        self.seekers = moving.filter_map(seeks).collect();
        // Geoms of one link stay in their order.
        (self.seekers).sort_by_cached_key(|s| geoms[s.0 as usize].link);
    }
}

pub(super) fn cube(half: f64) -> Vec3 {
    Vec3::new(half, half, half)
}
