//! Geoms in the form that the broad phase needs.

use super::solid::Solid;
use crate::model::Model;
use crate::model::spec::ShapeSpec;
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Vec3};

/// A geom with its link and its bounds.
#[derive(Clone, Debug)]
pub(super) struct SceneGeom {
    pub link: usize,
    /// Placement in the link's frame, or in the world.
    pub in_link: Pose,
    /// Ball that holds the solid: its centre in the link's frame and its radius [m]; infinite for a
    /// plane.
    pub centre: Vec3,
    pub radius: f64,
    /// Box that holds the solid, in its own frame: its centre and half sizes [m].
    pub middle: Vec3,
    pub half: Vec3,
    /// The geom is a plane; only its normal bounds it.
    pub plane: bool,
    /// The geom is static and found through the hierarchy.
    pub in_hierarchy: bool,
    /// Sizes as in [`crate::model::spec::ShapeSpec::sizes`].
    pub sizes: [f64; 3],
}

impl SceneGeom {
    pub fn new(link: usize, in_link: Pose, solid: &Solid, spec: &ShapeSpec) -> SceneGeom {
        let mut geom = SceneGeom {
            link,
            in_link,
            centre: Vec3::ZERO,
            radius: 0.0,
            middle: Vec3::ZERO,
            half: Vec3::ZERO,
            plane: solid.is_plane(),
            in_hierarchy: false,
            sizes: [0.0; 3],
        };
        geom.measure(solid, spec);
        geom
    }

    /// Takes the bounds of this solid, which is made of `spec`.
    pub fn measure(&mut self, solid: &Solid, spec: &ShapeSpec) {
        let (centre, radius) = solid.bound(spec);
        let [low, high] = solid.aabb(spec);
        (self.centre, self.radius) = (self.in_link.point(centre), radius);
        (self.middle, self.half) = ((low + high) * 0.5, (high - low) * 0.5);
        self.sizes = spec.sizes();
    }

    /// Whether the geom (not a plane) at `pose` is farther than `reach` from a point.
    #[inline]
    pub fn is_beyond(&self, pose: &Pose, point: Vec3, reach: f64) -> bool {
        self.outside_box(pose, point).norm_squared() > reach * reach
    }

    /// Distance of a point from the box around the geom at `pose` [m].
    pub fn distance(&self, pose: &Pose, point: Vec3) -> f64 {
        self.outside_box(pose, point).norm()
    }

    /// Vector from the box around the geom to a point, along the geom's axes; zero inside.
    #[inline(always)]
    fn outside_box(&self, pose: &Pose, point: Vec3) -> Vec3 {
        let aside = (pose.inverse_point(point) - self.middle).abs() - self.half;
        let out = |x: f64| x.max(0.0);
        Vec3::new(out(aside.x), out(aside.y), out(aside.z))
    }
}

/// Per link (the world last) the ball around its bounded geoms: centre in the link's frame and radius
/// [m].
pub(super) fn link_bounds(model: &Model, geoms: &[SceneGeom]) -> Vec<(Vec3, f64)> {
    let n = model.topology().links.len();
    let slot = |g: &SceneGeom| if g.link == WORLD { n } else { g.link };
    let bounded = || geoms.iter().filter(|g| g.radius.is_finite());
    let mut counts = vec![0; n + 1];
    for g in bounded() {
        counts[slot(g)] += 1;
    }
    let mut bounds = vec![(Vec3::ZERO, 0.0_f64); n + 1];
    for g in bounded() {
        bounds[slot(g)].0 += g.centre * (1.0 / f64::from(counts[slot(g)]));
    }
    for g in bounded() {
        let (centre, radius) = &mut bounds[slot(g)];
        *radius = radius.max((g.centre - *centre).norm() + g.radius);
    }
    bounds
}
