//! Distance of any two geoms, regardless of the contact filters.

use super::Scene;
use super::face::Face;
use super::found::{SceneContact, pair_key};
use super::narrow::{self, Nearest};
use super::pairs::PairFriction;
use crate::collision::{ContactDerivative, Smoothness, Tie};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::Pose;

/// Closest points of two geoms.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    pub contact: SceneContact,
    pub motion: ContactDerivative,
    pub smoothness: Smoothness,
}

impl Scene {
    /// World placements of two different geoms, with the links placed by the kinematics.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that does not exist, or for a geom with itself.
    pub fn placements(
        &self,
        model: &Model,
        kin: &Kinematics,
        geoms: [usize; 2],
    ) -> Result<[Pose; 2]> {
        let n = self.geoms.len();
        let [a, b] = geoms;
        if a >= n || b >= n || a == b {
            return Err(Error::invalid(format!(
                "geoms {a} and {b}: two different indices in 0..{n} are expected"
            )));
        }
        Ok(geoms.map(|geom| {
            let g = &self.geoms[geom];
            if g.link == WORLD {
                g.in_link
            } else {
                kin.link_pose(model, g.link).compose(&g.in_link)
            }
        }))
    }

    /// Closest (or deepest) points of two geoms at these placements, regardless of the contact filters.
    /// Contacts and placements of the scene do not change.
    ///
    /// # Errors
    /// Those of [`Scene::placements`]; `Unsupported` for two planes or height fields, and where a
    /// height field has no distance (beyond its edge or from within).
    pub fn closest(
        &mut self,
        model: &Model,
        geoms: [usize; 2],
        placements: &[Pose; 2],
    ) -> Result<Closest> {
        let [a, b] = geoms;
        let [pa, pb] = placements;
        self.check_solid(model, geoms)?;
        let nothing = || {
            let [x, y] = geoms.map(|g| model.geoms()[g].name.as_str());
            Error::unsupported(format!(
                "geoms \"{x}\" and \"{y}\": there is no distance between planes and height fields, \
                 and none to a height field from beyond its edge or from within"
            ))
        };
        let Ok([sa, sb]) = self.solids.get_disjoint_mut([a, b]) else {
            return Err(Error::invalid(format!(
                "geoms {a} and {b}: two different geoms are expected"
            )));
        };
        let finite = |g: usize| Some(self.geoms[g].radius).filter(|r| r.is_finite());
        let offset = (pa.pos - pb.pos).norm();
        let reach = 4.0 * (offset + finite(a).unwrap_or(0.0) + finite(b).unwrap_or(0.0));
        let Nearest { point, part, tied } =
            narrow::closest(sa, pa, sb, pb, reach, pair_key(geoms), &mut self.buffers)
                .ok_or_else(nothing)?;
        let mut motion = ContactDerivative::default();
        let own = narrow::differentiate(sa, pa, sb, pb, &point, part, &mut motion);
        let smoothness = match tied {
            true => Smoothness::Tied(Tie::NONE),
            false => own,
        };
        Ok(Closest {
            contact: SceneContact {
                geom: geoms,
                link: geoms.map(|g| self.geoms[g].link),
                part,
                point,
                face: Face::None,
                condim: 1,
                friction: PairFriction::NONE,
                press: None,
            },
            motion,
            smoothness,
        })
    }
}
