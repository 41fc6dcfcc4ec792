//! The scene that geometry queries share with a step.

use super::sim::Sim;
use super::state::{Held, Last};
use crate::collision::scene::Scene;
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result, Status};
use crate::model::Model;

impl Sim {
    /// Runs a query on the steps' scene, or on a scene of its own without contact, at the placements of
    /// [`Sim::asked`](Sim).
    pub(crate) fn with_scene<T>(
        &mut self,
        query: impl FnOnce(&mut Scene, &Model, &Kinematics) -> Result<T>,
    ) -> Result<T> {
        let (model, kin) = (&*self.model, &self.asked.dynamics.kin);
        let stage = self.contact.as_mut().map(|c| &mut c.scene);
        let penalty = self.forces.penalty.as_mut().map(|p| &mut p.scene);
        match (stage.or(penalty), &mut self.geometry.scene) {
            (Some(scene), _) => query(scene, model, kin),
            (None, Some(scene)) => query(scene, model, kin),
            (None, none) => {
                let scene = Scene::new(model, self.options.max_contacts)?;
                query(none.insert(Box::new(scene)), model, kin)
            }
        }
    }

    /// The steps' scene, if they have contacts.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        let stage = self.contact.as_ref().map(|c| &c.scene);
        stage.or(self.forces.penalty.as_ref().map(|p| &p.scene))
    }

    pub(super) fn scene_mut(&mut self) -> Option<&mut Scene> {
        let stage = self.contact.as_mut().map(|c| &mut c.scene);
        stage.or(self.forces.penalty.as_mut().map(|p| &mut p.scene))
    }

    /// Copies the user's pair filters from the steps' scene to the adhesion's scene.
    pub(crate) fn filter_adhesion(&mut self) {
        let stage = self.contact.as_ref().map(|c| &c.scene);
        let forces = &mut self.forces;
        let of_steps = stage.or(forces.penalty.as_ref().map(|p| &p.scene));
        if let (Some(adhesion), Some(of_steps)) = (&mut forces.adhesion, of_steps) {
            adhesion.scene.filter_as(&self.model, of_steps);
        }
    }

    /// The error of a search that found too many contacts, with the geoms that have most of them.
    pub(crate) fn name_crowd(&self, e: Error) -> Error {
        if e.status != Status::Capacity {
            return e;
        }
        // Adhesion is searched first.
        let adhesion = self.forces.adhesion.as_ref().map(|a| &a.scene);
        let scene = self.scene().or(self.geometry.scene.as_deref());
        let mut scenes = adhesion.into_iter().chain(scene);
        scenes.find_map(|s| s.crowd(&self.model)).unwrap_or(e)
    }

    /// Places links at the configuration where the contacts of [`Sim::contacts`] were found. True if the
    /// scene still holds them. Only contacts with rows stay in the scene. Other contacts are in `geometry`
    /// only, because forces at other states use the same scene.
    pub(crate) fn place_contacts(&mut self) -> bool {
        let of_step = self.last == Last::Step;
        let of_rows = of_step && self.contact.is_some();
        // A stage finds contacts at its own configuration.
        let has_stages = self.theta.is_some() || self.implicit.is_some();
        if of_step && !of_rows && has_stages {
            // The query moves the scene of the forces.
            self.held = Held::Other;
        }
        let q = match of_rows {
            true => &self.state.q,
            false => &self.geometry.q,
        };
        (self.asked.dynamics).update_motion(&self.model, &self.params, q, None);
        of_rows
    }

    pub(crate) fn need_contacts(&self) -> Result<()> {
        if self.last != Last::Nothing {
            Ok(())
        } else {
            Err(Error::no_step("neither a step nor collide has been done"))
        }
    }
}
