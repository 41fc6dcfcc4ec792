//! The geometries of a model: which pairs may touch, and the contacts at a configuration.
//!
//! Pairs follow MuJoCo's rules: `contype`/`conaffinity`, no contact within a body or welded bodies,
//! none between a body and its parent unless the parent is welded to the world, excluded pairs of
//! bodies, and explicit pairs whatever the filters say. Contacts are ordered by links, then by geoms
//! (by geoms alone in a scene with too many pairs for a list), then by features.

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
pub use pairs::{PairFriction, Rules, ScenePair};
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

/// All geometries, pairs and current contacts of a model. Nothing is allocated after creation.
#[derive(Debug)]
pub struct Scene {
    geoms: Vec<SceneGeom>,
    solids: Vec<Solid>,
    /// Those that move with a link, sorted by links, and where those of each link begin.
    moving: Vec<u32>,
    of_link: Vec<u32>,
    rules: Rules,
    /// Pairs without what is in the hierarchy.
    broad: Broad,
    statics: Statics,
    turns: bool,
    /// Per link (the world last): centre in the link's frame and radius around its bounded geoms.
    bounds: Vec<(Vec3, f64)>,
    /// Placements of the links, the world last, and whether their geometries are placed as well.
    frames: Vec<Pose>,
    placed: Vec<bool>,
    poses: Vec<Pose>,
    /// Of the balls around the geometries, in the world.
    middles: Vec<Vec3>,
    /// Of the balls around the links' geometries, in the world; and from the origins of the links' trees.
    centers: Vec<Vec3>,
    arms: Vec<Vec3>,
    motions: Motions,
    carriers: Carriers,
    found: Found,
    meetings: Meetings,
    /// Added to every pair's margin [m].
    wider: f64,
    /// Of the geoms, where contacts act on what glides; and how much farther these act at most.
    friction: Vec<[f64; 3]>,
    stretch: f64,
    buffers: Buffers,
    patches: Patches,
}

impl Scene {
    /// # Errors
    /// `Unsupported` naming a geom whose shape or friction this version cannot do.
    pub fn new(model: &Model, capacity: usize) -> Result<Scene> {
        let rules = Rules::new(model);
        Scene::with(model, capacity, rules, statics::FEW, broad::MAX_LISTED)
    }

    /// One that finds contacts of marked geoms alone, one entry a geom.
    ///
    /// # Errors
    /// As [`Scene::new`].
    pub fn about(model: &Model, capacity: usize, marked: Vec<bool>) -> Result<Scene> {
        let rules = Rules::new(model).about(marked);
        Scene::with(model, capacity, rules, statics::FEW, broad::MAX_LISTED)
    }

    /// Of the pairs of these rules, with a hierarchy of more than `few` static geometries and a list of up to `listed` pairs.
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
        moving.sort_by_key(|&g| geoms[g as usize].link);
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
            broad,
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

    /// Whether any pair resists torsion or rolling.
    pub fn turns(&self) -> bool {
        self.turns
    }

    /// Whether two geoms may touch.
    pub fn is_pair_enabled(&self, a: usize, b: usize) -> bool {
        a.max(b) < self.geoms.len() && self.rules.pair(a.min(b), a.max(b)).is_some()
    }

    /// Lets two geoms touch, or keeps them from it, whatever the model's filters say. May allocate.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that is not there or with itself, and for planes and height
    /// fields with each other; `Unsupported` where the pair's condim is. Nothing changes then.
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

    /// Takes other rules for what may touch.
    fn filter(&mut self, model: &Model, rules: Rules) {
        if let Broad::List(_) = self.broad {
            self.broad = Broad::new(model, &self.geoms, &rules, broad::MAX_LISTED);
        }
        self.statics.filter(&self.geoms, &rules);
        self.rules = rules;
        self.found.clear();
    }

    /// What keeps a geom from touching anything, if it does.
    fn check_solid(&self, model: &Model, geoms: [usize; 2]) -> Result<()> {
        for g in geoms {
            if self.solids[g].is_nothing() {
                Solid::new(&model.geoms()[g])?;
            }
        }
        Ok(())
    }

    /// Takes over the pairs that may touch from another scene of this model, and what a user said of them. This one may be
    /// about some geoms alone.
    pub fn filter_as(&mut self, model: &Model, other: &Scene) {
        let mut rules = self.rules.clone();
        rules.choose_as(&other.rules);
        self.filter(model, rules);
    }

    /// How far apart the surfaces of a contact's pair are held together in full by adhesion [m].
    pub fn adhesive_margin(&self, c: &SceneContact) -> f64 {
        let [a, b] = c.geom;
        let margin = self.rules.pair(a, b).map_or(0.0, |p| p.margin);
        margin + self.rules.gap(c.geom)
    }

    /// A geom's link with the ball around it: the centre in the link's frame, the radius infinite of a plane.
    pub fn ball(&self, geom: usize) -> (usize, Vec3, f64) {
        let g = &self.geoms[geom];
        (g.link, g.centre, g.radius)
    }

    pub fn contacts(&self) -> &[SceneContact] {
        self.found.contacts()
    }

    /// After a search that found too many contacts: how many, between which geoms, and what helps.
    pub fn crowd(&self, model: &Model) -> Option<Error> {
        self.found.crowd.refusal(model, self.found.capacity())
    }

    /// World placement of a geometry at the last [`Scene::place`].
    pub fn pose(&self, geom: usize) -> Pose {
        let g = &self.geoms[geom];
        match g.link {
            WORLD => g.in_link,
            link => self.frames[link].compose(&g.in_link),
        }
    }

    /// Finds contacts this much farther apart from now on [m].
    pub fn widen(&mut self, distance: f64) {
        self.wider += distance;
    }

    /// How a contact of the last [`Scene::collide`] moves with its two bodies.
    pub fn differentiate(&mut self, c: &SceneContact, out: &mut ContactDerivative) -> Smoothness {
        if c.press.is_some() {
            let mut face = FaceDerivative::default();
            let smoothness = self.differentiate_face(c, &mut face);
            *out = face.motion;
            return smoothness;
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

/// Whether any pair that may touch resists torsion or rolling.
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
        // Of two static ones, only those touch that the user wants to.
        let others = (0..geoms.len()).filter(|h| moving(&g) || moving(h));
        for pair in others.filter_map(|h| rules.pair(g.min(h), g.max(h))) {
            any |= check_condim(model, &pair)?;
        }
    }
    Ok(any)
}

/// Whether a pair resists torsion or rolling.
///
/// # Errors
/// `InvalidArgument` where a coefficient of what it resists is zero.
fn check_condim(model: &Model, pair: &ScenePair) -> Result<bool> {
    if pair.condim <= 3 {
        return Ok(false);
    }
    let of = &model.params().geom_friction;
    let [torsion, rolling @ ..] = pair.friction.turning(of);
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

/// The geoms of a pair for an error: by their names, or by their bodies.
fn named(model: &Model, pair: &ScenePair) -> [String; 2] {
    [pair.a, pair.b].map(|geom| {
        let g = &model.geoms()[geom];
        match g.name.is_empty() {
            true => format!("geom {geom} of body \"{}\"", model.bodies()[g.body].name),
            false => format!("geom \"{}\"", g.name),
        }
    })
}
