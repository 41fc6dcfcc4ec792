//! Collision scene of a model: the pairs of geoms that may touch, and their contacts at a configuration.
//!
//! The pairs follow MuJoCo's rules. `contype`/`conaffinity` must match. Geoms of one body or of welded
//! bodies do not touch. A body does not touch its parent unless the parent is welded to the world.
//! Excluded pairs of bodies do not touch. Explicit pairs touch regardless of the filters.
//!
//! Contacts are ordered by links, then by geoms, then by features. A scene with too many pairs for a
//! list orders them by geoms and features only.

mod broad;
mod carriers;
mod clearance;
mod closest;
mod crowd;
mod doubt;
mod extremes;
mod face;
mod faces;
mod found;
mod geom;
mod hierarchy;
mod meetings;
mod middle;
mod motion;
mod narrow;
mod overlap;
mod pairs;
mod patches;
mod ray;
mod search;
mod size;
mod solid;
mod solids;
mod statics;
mod sweep;
#[cfg(test)]
mod tests;
mod watch;

pub use closest::Closest;
pub use found::SceneContact;
pub use overlap::{exclude_inseparable, exclude_overlapping, may_touch, pairs_that_may_touch};
pub use pairs::{FrictionRule, PairFriction, Rules, ScenePair};
pub use ray::RayHit;
pub use solids::with_geometry;

use super::patch::FaceDerivative;
use super::{ContactDerivative, Smoothness};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Vec3};
use broad::Broad;
use carriers::Carriers;
use found::{Found, MAX_GEOMS};
use geom::{SceneGeom, link_bounds};
use meetings::Meetings;
use motion::Motions;
use narrow::Buffers;
use patches::Patches;
use solid::Solid;
use solids::Solids;
use statics::Statics;

/// All geoms, pairs and current contacts of a model. Nothing is allocated after creation.
#[derive(Debug)]
pub struct Scene {
    geoms: Vec<SceneGeom>,
    solids: Vec<Solid>,
    /// Geoms that move with a link, sorted by links, and where the geoms of each link begin in that list.
    moving: Vec<u32>,
    of_link: Vec<u32>,
    rules: Rules,
    /// Pairs, except those found through the hierarchy of static geoms.
    /// `None` while it hands pairs to the scene.
    broad: Option<Box<Broad>>,
    statics: Statics,
    turns: bool,
    /// Per link (the world last): centre in the link's frame and radius around its bounded geoms.
    bounds: Vec<(Vec3, f64)>,
    /// World placements of the links, the world last, and whether the geoms of each link are placed as
    /// well.
    frames: Vec<Pose>,
    placed: Vec<bool>,
    poses: Vec<Pose>,
    /// Centres of the geoms' bounding balls, in the world.
    middles: Vec<Vec3>,
    /// Centres of the links' bounding balls, in the world; and these centres relative to the origins of
    /// the links' trees.
    centers: Vec<Vec3>,
    arms: Vec<Vec3>,
    motions: Motions,
    carriers: Carriers,
    found: Found,
    meetings: Meetings,
    /// Added to every pair's margin [m].
    wider: f64,
    /// Friction coefficients per geom; empty unless contacts act on sliding bodies at a distance
    /// ([`Scene::glide`]). `stretch`: factor on the search distance for such contacts, 1 without them.
    friction: Vec<[f64; 3]>,
    stretch: f64,
    buffers: Buffers,
    patches: Patches,
}

impl Scene {
    /// # Errors
    /// `Unsupported` with the name of a geom whose shape or friction this version does not support.
    pub fn new(model: &Model, capacity: usize) -> Result<Scene> {
        let rules = Rules::new(model);
        Scene::with(model, capacity, rules, statics::FEW, broad::MAX_LISTED)
    }

    /// A scene whose geoms combine their friction by a rule.
    ///
    /// # Errors
    /// As [`Scene::new`].
    pub fn with_friction(model: &Model, capacity: usize, rule: FrictionRule) -> Result<Scene> {
        let rules = Rules::new(model).with_friction(rule);
        Scene::with(model, capacity, rules, statics::FEW, broad::MAX_LISTED)
    }

    /// Number of contacts for which there is memory.
    pub fn capacity(&self) -> usize {
        self.found.capacity()
    }

    /// A scene that finds only contacts of marked geoms; `marked` has one entry a geom.
    ///
    /// # Errors
    /// As [`Scene::new`].
    pub fn about(model: &Model, capacity: usize, marked: Vec<bool>) -> Result<Scene> {
        let rules = Rules::new(model).about(marked);
        Scene::with(model, capacity, rules, statics::FEW, broad::MAX_LISTED)
    }

    /// A scene with these rules. More than `few` static geoms get a hierarchy; up to `listed` pairs get
    /// a list.
    fn with(
        model: &Model,
        capacity: usize,
        rules: Rules,
        few: usize,
        listed: usize,
    ) -> Result<Scene> {
        if model.ngeom() > MAX_GEOMS {
            return Err(Error::unsupported(format!(
                "{} geoms: at most {MAX_GEOMS} are supported",
                model.ngeom()
            )));
        }
        let mut geoms = Vec::with_capacity(model.ngeom());
        let mut solids = Vec::with_capacity(model.ngeom());
        let compiled = Solids::of(model);
        for (i, g) in model.geoms().iter().enumerate() {
            let solid = compiled.wanted(model, i)?;
            let body = &model.bodies()[g.body];
            let in_link = body.in_link.compose(&g.placement);
            geoms.push(SceneGeom::new(body.link, in_link, &solid, &g.shape));
            solids.push(solid);
        }
        statics::mark(&mut geoms, few);
        let turns = turns(model, &geoms, &rules)?;
        let broad = Broad::new(model, &geoms, &rules, listed);
        let statics = Statics::new(&geoms, &rules);
        let links = model.topology().links.len();
        let mut moving: Vec<u32> = (0..geoms.len() as u32).collect();
        moving.retain(|&g| geoms[g as usize].link != WORLD);
        moving.sort_by_cached_key(|&g| geoms[g as usize].link);
        let before = |link| moving.partition_point(|&g| geoms[g as usize].link < link) as u32;
        let bounds = link_bounds(model, &geoms);
        let mut scene = Scene {
            of_link: (0..=links).map(before).collect(),
            moving,
            frames: vec![Pose::IDENTITY; links + 1],
            placed: vec![true; links],
            poses: vec![Pose::IDENTITY; geoms.len()],
            middles: geoms.iter().map(|g| g.centre).collect(),
            centers: vec![Vec3::ZERO; model.topology().links.len() + 1],
            arms: vec![Vec3::ZERO; model.topology().links.len()],
            motions: Motions::new(&geoms, &bounds),
            carriers: Carriers::new(model.topology()),
            bounds,
            found: Found::new(capacity)?,
            meetings: Meetings::new(capacity, model.topology().links.len()),
            wider: 0.0,
            friction: Vec::new(),
            stretch: 1.0,
            buffers: Buffers::new(broad.searches(&solids) + statics.searches()),
            patches: Patches::default(),
            statics,
            geoms,
            solids,
            rules,
            broad: Some(Box::new(broad)),
            turns,
        };
        if let (Some(c), Some(b)) = (scene.centers.last_mut(), scene.bounds.last()) {
            *c = b.0;
        }
        for (pose, g) in scene.poses.iter_mut().zip(&scene.geoms) {
            if g.link == WORLD {
                *pose = g.in_link;
            }
        }
        Ok(scene)
    }

    /// Whether any pair has torsional or rolling friction.
    pub fn turns(&self) -> bool {
        self.turns
    }

    /// Whether two geoms may touch.
    pub fn is_pair_enabled(&self, a: usize, b: usize) -> bool {
        a.max(b) < self.geoms.len() && self.rules.pair(a.min(b), a.max(b)).is_some()
    }

    /// Enables or disables contact of two geoms, regardless of the model's filters. May allocate.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that does not exist, for a geom with itself, and for planes and
    /// height fields with each other. `Unsupported` if the pair's condim is not supported. Nothing
    /// changes then.
    pub fn set_pair_enabled(
        &mut self,
        model: &Model,
        a: usize,
        b: usize,
        enabled: bool,
    ) -> Result<()> {
        model.check_pair(a, b, enabled)?;
        if enabled {
            self.check_solid(model, [a, b])?;
        }
        let mut rules = self.rules.clone();
        rules.choose(a, b, enabled);
        if let Some(pair) = rules.pair(a.min(b), a.max(b))
            && check_condim(model, &pair)?
            && !self.turns
        {
            let [a, b] = named(model, &pair);
            return Err(Error::unsupported(format!(
                "{a} and {b}: condim {}, but no pair of the simulation as it was made resists torsion: \
                 enable it in the model before (ds_model_with_pairs)",
                pair.condim
            )));
        }
        self.filter(model, rules);
        Ok(())
    }

    /// Replaces the rules for which pairs may touch.
    fn filter(&mut self, model: &Model, rules: Rules) {
        if let Some(broad) = &mut self.broad
            && let Broad::List(_) = **broad
        {
            **broad = Broad::new(model, &self.geoms, &rules, broad::MAX_LISTED);
        }
        self.statics.filter(&self.geoms, &rules);
        self.rules = rules;
        self.found.clear();
    }

    /// Returns the error of a geom that cannot touch anything, if one of the two is such a geom.
    fn check_solid(&self, model: &Model, geoms: [usize; 2]) -> Result<()> {
        for g in geoms {
            if self.solids[g].is_nothing() {
                Solid::new(&model.geoms()[g])?;
            }
        }
        Ok(())
    }

    /// Takes over the pairs that may touch from another scene of this model, including the user's
    /// changes. This scene may be restricted to marked geoms.
    pub fn filter_as(&mut self, model: &Model, other: &Scene) {
        let mut rules = self.rules.clone();
        rules.choose_as(&other.rules);
        self.filter(model, rules);
    }

    /// Distance of the surfaces up to which adhesion acts in full on a contact's pair [m].
    pub fn adhesive_margin(&self, c: &SceneContact) -> f64 {
        let [a, b] = c.geom;
        let margin = self.rules.pair(a, b).map_or(0.0, |p| p.margin);
        margin + self.rules.gap(c.geom)
    }

    /// A geom's link and bounding ball: the centre in the link's frame and the radius [m], infinite for
    /// a plane.
    pub fn ball(&self, geom: usize) -> (usize, Vec3, f64) {
        let g = &self.geoms[geom];
        (g.link, g.centre, g.radius)
    }

    pub fn contacts(&self) -> &[SceneContact] {
        self.found.contacts()
    }

    /// After a search that found too many contacts: an error that names their number, the geoms and a
    /// remedy.
    pub fn crowd(&self, model: &Model) -> Option<Error> {
        self.found.crowd.refusal(model, self.found.capacity())
    }

    /// World placement of a geom at the last [`Scene::place`].
    pub fn pose(&self, geom: usize) -> Pose {
        let g = &self.geoms[geom];
        match g.link {
            WORLD => g.in_link,
            link => self.frames[link].compose(&g.in_link),
        }
    }

    /// From now on, finds contacts this much farther apart [m].
    pub fn widen(&mut self, distance: f64) {
        self.wider += distance;
    }

    /// The derivative of a contact of the last [`Scene::collide`] by the motion of its two bodies.
    pub fn differentiate(&mut self, c: &SceneContact, out: &mut ContactDerivative) -> Smoothness {
        if c.press.is_some() {
            let mut face = FaceDerivative::default();
            let smoothness = self.differentiate_face(c, &mut face);
            *out = face.motion;
            return smoothness;
        }
        if let Some(plane) = self.plane_of(c) {
            return self.differentiate_middle(c, &plane, out);
        }
        let [a, b] = c.geom;
        let Ok([sa, sb]) = self.solids.get_disjoint_mut([a, b]) else {
            return Smoothness::Degenerate;
        };
        let (pa, pb) = (&self.poses[a], &self.poses[b]);
        let midway = c.face.lift(c.point);
        let smoothness = narrow::differentiate(sa, pa, sb, pb, &midway, c.part, out);
        c.face.place_derivative(out, &midway);
        smoothness
    }
}

/// Whether any pair that may touch has torsional or rolling friction.
fn turns(model: &Model, geoms: &[SceneGeom], rules: &Rules) -> Result<bool> {
    let mut any = false;
    for (a, b) in rules.wanted() {
        if let Some(pair) = rules.pair(a, b) {
            any |= check_condim(model, &pair)?;
        }
    }
    let moving = |g: &usize| geoms[*g].link != WORLD;
    let unusual = (0..geoms.len()).filter(|&g| rules.condim(g) > 3);
    for g in unusual {
        // Two static geoms touch only if the user enables the pair.
        let others = (0..geoms.len()).filter(|h| moving(&g) || moving(h));
        for pair in others.filter_map(|h| rules.pair(g.min(h), g.max(h))) {
            any |= check_condim(model, &pair)?;
        }
    }
    Ok(any)
}

/// Whether a pair has torsional or rolling friction.
///
/// # Errors
/// `InvalidArgument` if the coefficient of a direction that condim includes is zero.
fn check_condim(model: &Model, pair: &ScenePair) -> Result<bool> {
    if pair.condim <= 3 {
        return Ok(false);
    }
    let of = &model.params().geom_friction;
    let [torsion, rolling @ ..] = pair.friction.torsion(of);
    let sliding = pair.friction.sliding(of);
    let resists = match pair.condim {
        4 => sliding.min(torsion),
        _ => rolling.iter().fold(sliding.min(torsion), |m, r| m.min(*r)),
    };
    if resists > 0.0 {
        return Ok(true);
    }
    let [a, b] = named(model, pair);
    Err(Error::invalid(format!(
        "{a} and {b}: condim {} with sliding friction {sliding}, torsional {torsion} and rolling {rolling:?}, \
         expected positive numbers (condim 3 has sliding friction alone)",
        pair.condim
    )))
}

/// The geoms of a pair for an error message: by their names, or by their bodies.
fn named(model: &Model, pair: &ScenePair) -> [String; 2] {
    [pair.a, pair.b].map(|geom| {
        let g = &model.geoms()[geom];
        match g.name.is_empty() {
            true => format!("geom {geom} of body \"{}\"", model.bodies()[g.body].name),
            false => format!("geom \"{}\"", g.name),
        }
    })
}
