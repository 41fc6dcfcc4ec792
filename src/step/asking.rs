//! The part of a simulation that queries use, borrowed for one call.

use super::drives::Drives;
use super::geometry::Geometry;
use super::info::check_places;
use super::options::Options;
use crate::collision::scene::Scene;
use crate::dynamics::asked::Asked;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::motion;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::linalg::first_not_finite;
use crate::model::Model;
use crate::model::params::Params;

/// A query: the model, the parameters, the forces, and the data that queries write.
pub(crate) struct Query<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub params: &'a mut Params,
    pub forces: &'a mut Forces,
    /// Recursions at the state of the query, and its results.
    pub asked: &'a mut Asked,
    pub geometry: &'a mut Geometry,
    /// Drives w of the actuators ([`Drives`]) for the query.
    pub drives: &'a mut Drives,
    /// Present activations.
    pub act: &'a [f64],
    /// Scene of a step with constraints.
    pub scene: Option<&'a mut Scene>,
}

impl Query<'_> {
    /// Computes placements at q, and the motion if velocities and accelerations of the joints are given.
    ///
    /// # Errors
    /// `Numerical` if a body is too far away.
    pub fn move_to(&mut self, q: &[f64], v: Option<&[f64]>, a: Option<&[f64]>) -> Result<()> {
        let asked = &mut *self.asked;
        (asked.dynamics).update_motion(self.model, self.params, q, v);
        let kin = &asked.dynamics.kin;
        check_places(kin)?;
        if let Some(a) = a {
            motion::accelerations(kin, self.model, a, &mut asked.acceleration);
        }
        Ok(())
    }

    /// Computes placements and inertias at q.
    ///
    /// # Errors
    /// `Numerical` if a body is too far away.
    pub fn update_positions(&mut self, q: &[f64]) -> Result<()> {
        let d = &mut self.asked.dynamics;
        d.update_positions(self.model, self.params, q);
        check_places(&d.kin)
    }

    /// Computes the recursions at (q, v), with the loads on links ([`Forces::load`]). Far places are no error
    /// here: see [`Query::check_asked`].
    pub fn ask(&mut self, q: &[f64], v: &[f64]) {
        let d = &mut self.asked.dynamics;
        d.update(self.model, self.params, q, v);
        d.external.clear();
        (self.forces).load(self.model, self.params, &d.kin, &mut d.external);
    }

    /// Sets the drives of actuators from the inputs u and the present activations.
    pub fn take_drives(&mut self, u: &[f64]) -> Result<()> {
        (self.drives).take(self.model, self.options.time_step, u, self.act)
    }

    /// # Errors
    /// `Numerical` if a body is too far away.
    pub fn check_asked(&self) -> Result<()> {
        check_places(&self.asked.dynamics.kin)
    }

    /// # Errors
    /// `InvalidArgument` without options.derivatives.
    pub fn need_derivatives(&self) -> Result<()> {
        match self.options.derivatives {
            true => Ok(()),
            false => Err(Error::invalid(
                "options.derivatives is 0: this simulation was made without their workspace",
            )),
        }
    }

    /// Copies the result in `asked.work` out if it is finite.
    ///
    /// # Errors
    /// `Numerical` with the name of the first entry that is not.
    pub fn deliver(&self, name: &str, out: &mut [f64]) -> Result<()> {
        match first_not_finite(&self.asked.work) {
            Some(i) => Err(Error::numerical(format!(
                "{name}[{i}] would not be finite: {} moves no mass, or the state is too large",
                self.model.called_of_dof(i)
            ))),
            None => {
                out.copy_from_slice(&self.asked.work);
                Ok(())
            }
        }
    }

    /// Runs `query` on a scene at the placements in `asked`: the scene of the steps, or a separate one if
    /// the steps have no contact.
    ///
    /// # Errors
    /// Those of `query`, and of making the separate scene at the first query.
    pub fn with_scene<T>(
        &mut self,
        query: impl FnOnce(&mut Scene, &Model, &Kinematics) -> Result<T>,
    ) -> Result<T> {
        let (model, kin) = (self.model, &self.asked.dynamics.kin);
        let stage = self.scene.as_deref_mut();
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
}
