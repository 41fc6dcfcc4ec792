//! Ray casts against all geoms, regardless of the contact filters.
//!
//! Called by range sensors and by `ds_sim_ray_cast`.

use super::Scene;
use super::solid::Solid;
use crate::collision::polytope;
use crate::collision::ray::{Crossing, Ray};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Pose, Vec3};

/// Relative enlargement of balls and boxes, so that round-off misses no geom.
const SLACK: f64 = 1e-9;

/// Where a ray first meets a geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    pub geom: usize,
    pub link: usize,
    /// In world axes.
    pub crossing: Crossing,
}

impl Solid {
    pub(super) fn first_crossing(&self, ray: &Ray, reach: f64) -> Option<Crossing> {
        match self {
            Solid::Primitive { shape, .. } => shape.span(ray)?.first(),
            Solid::Pieces(pieces) => polytope::first_of(pieces, ray),
            Solid::Terrain(terrain) => terrain.first_crossing(ray, reach),
        }
    }
}

/// The nearest crossing so far, and the distance up to which a nearer one may be.
struct Nearest<'a> {
    scene: &'a Scene,
    model: &'a Model,
    ray: &'a Ray,
    without: Option<usize>,
    reach: f64,
    hit: Option<RayHit>,
}

impl Nearest<'_> {
    /// Tests a geom whose link is at `link`.
    fn look(&mut self, geom: usize, link: &Pose) {
        if Some(self.model.geoms()[geom].body) == self.without {
            return;
        }
        let g = &self.scene.geoms[geom];
        let pose = link.compose(&g.in_link);
        let ray = self.ray.seen_from(&pose);
        let solid = &self.scene.solids[geom];
        let found = solid.first_crossing(&ray, self.reach * (1.0 + SLACK));
        let Some(mut crossing) = found.filter(|c| c.at <= self.reach) else {
            return;
        };
        crossing.normal = pose.rot.mul_vec(crossing.normal);
        let found = RayHit {
            geom,
            link: g.link,
            crossing,
        };
        let first = match self.hit {
            None => found,
            Some(before) => {
                let kink = before.crossing.or_earlier(crossing).kink;
                let place = |h: &RayHit| (h.crossing.at, h.geom);
                let mut first = match place(&found) < place(&before) {
                    true => found,
                    false => before,
                };
                first.crossing.kink |= kink;
                first
            }
        };
        self.reach = self.reach.min(first.crossing.reach());
        self.hit = Some(first);
    }

    /// Whether a ball lies beside the ray, behind it or out of reach.
    fn misses(&self, centre: Vec3, radius: f64) -> bool {
        let to = centre - self.ray.origin;
        let along = to.dot(self.ray.direction);
        let wide = radius + SLACK * (radius + to.max_abs());
        let beside = (to - self.ray.direction * along).norm_squared() > wide * wide;
        beside || along < -wide || along > self.reach + wide
    }
}

impl Scene {
    /// Where a ray first meets a geom within `reach` [m], with the links placed by the kinematics.
    /// Geoms of the body `without` do not count. Contacts and placements of the scene do not change.
    pub fn ray_cast(
        &self,
        model: &Model,
        kin: &Kinematics,
        ray: &Ray,
        reach: f64,
        without: Option<usize>,
    ) -> Option<RayHit> {
        let mut nearest = Nearest {
            scene: self,
            model,
            ray,
            without,
            reach,
            hit: None,
        };
        let mut link = (WORLD, Pose::IDENTITY);
        for (i, g) in self.geoms.iter().enumerate() {
            if g.in_hierarchy {
                continue;
            }
            if g.link != link.0 {
                link = match g.link {
                    WORLD => (WORLD, Pose::IDENTITY),
                    l => (l, kin.link_pose(model, l)),
                };
            }
            if !nearest.misses(link.1.point(g.centre), g.radius) {
                nearest.look(i, &link.1);
            }
        }
        let reach = nearest.reach;
        self.statics.tree.pierce(ray, reach, &mut |geom| {
            nearest.look(geom as usize, &Pose::IDENTITY);
            nearest.reach
        });
        nearest.hit
    }
}
