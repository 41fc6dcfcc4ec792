//! What geometry queries keep.

use super::contact::ContactReport;
use super::options::{Contact, Options};
use crate::collision::ContactDerivative;
use crate::collision::scene::{Scene, SceneContact};
use crate::model::Model;
use crate::spatial::Twist;

/// What geometry queries keep between calls.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Of a simulation without contact; made by the first query.
    pub scene: Option<Box<Scene>>,
    /// Contacts of the last [`Sim::collide`](super::Sim::collide), or of a step by penalty forces.
    pub reports: Vec<ContactReport>,
    /// The same contacts as the scene found them, and where: others may ask it since.
    pub found: Vec<SceneContact>,
    pub q: Vec<f64>,
    /// Of the contacts, before they are written.
    pub motions: Vec<ContactDerivative>,
    /// Of the links at the end of a step by penalty forces.
    pub twists: Vec<Twist>,
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
        }
    }

    pub fn contacts(&self) -> &[ContactReport] {
        &self.reports
    }
}
