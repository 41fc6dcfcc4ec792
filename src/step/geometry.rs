//! Workspace of geometry queries.

use super::contact::ContactReport;
use super::options::{Contact, Options};
use crate::collision::ContactDerivative;
use crate::collision::scene::{Scene, SceneContact};
use crate::model::Model;
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::spatial::{Twist, Vec3};

/// Data that geometry queries keep between calls.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Scene of a simulation without contact; the first query makes it.
    pub scene: Option<Box<Scene>>,
    /// Contacts of the last [`Sim::collide`](super::Sim::collide), or of a step with penalty contact.
    pub reports: Vec<ContactReport>,
    /// The same contacts as found by the scene, and the configuration. The scene may have been used for
    /// other queries since.
    pub found: Vec<SceneContact>,
    pub q: Vec<f64>,
    /// Derivatives of the contacts, before they are written.
    pub motions: Vec<ContactDerivative>,
    /// Twists of the links at the end of a step with penalty contact.
    pub twists: Vec<Twist>,
    /// For each geom, the depth above which a contact counts as too deep [m].
    pub depths: Vec<f64>,
}

/// Depth above which a contact counts as too deep, as a share of the geom's least half extent. From a share
/// of one half on, the shortest way out can be on the other side; a quarter warns in time.
const DEEP: f64 = 0.25;

/// Half of a geom's least extent along its axes; for a mesh, along the axes of its frame. Infinite for
/// planes and height fields.
fn least_half_extent(shape: &ShapeSpec) -> f64 {
    let least = |x: Vec3| x.x.min(x.y).min(x.z);
    match shape {
        ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_) => f64::INFINITY,
        ShapeSpec::Sphere { radius } | ShapeSpec::Capsule { radius, .. } => *radius,
        ShapeSpec::Cylinder {
            radius,
            half_length,
        } => radius.min(*half_length),
        ShapeSpec::Ellipsoid { semi_axes } => least(*semi_axes),
        ShapeSpec::Box { half_extents } => least(*half_extents),
        ShapeSpec::Mesh { mesh, .. } => {
            let along = |axis: fn(&Vec3) -> f64| {
                let all = mesh.vertices.iter().map(axis);
                let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                    (low.min(x), high.max(x))
                });
                0.5 * (high - low)
            };
            along(|v| v.x).min(along(|v| v.y)).min(along(|v| v.z))
        }
    }
}

impl Geometry {
    pub fn new(model: &Model, options: &Options) -> Geometry {
        let room = match options.contact {
            Contact::None => 0,
            _ => options.max_contacts,
        };
        Geometry {
            scene: None,
            reports: Vec::with_capacity(room),
            found: Vec::with_capacity(room),
            q: Vec::with_capacity(model.nq()),
            motions: Vec::with_capacity(room),
            twists: match options.contact {
                Contact::Penalty => vec![Twist::ZERO; model.topology().links.len()],
                _ => Vec::new(),
            },
            depths: {
                let of = |g: &GeomSpec| match options.max_depth {
                    0.0 => DEEP * least_half_extent(&g.shape),
                    bound => bound,
                };
                model.geoms().iter().map(of).collect()
            },
        }
    }

    /// Depth of the deepest of these contacts [m], and number of contacts that are too deep for either of
    /// their geoms.
    pub fn deepest(&self, contacts: &[ContactReport]) -> (f64, usize) {
        contacts.iter().fold((0.0, 0), |(deepest, count), c| {
            let bound = c.geom.map(|g| self.depths[g]);
            let is_too_deep = -c.gap > bound[0].min(bound[1]);
            (f64::max(deepest, -c.gap), count + usize::from(is_too_deep))
        })
    }

    pub fn contacts(&self) -> &[ContactReport] {
        &self.reports
    }
}
