//! Hydroelastic faces of a scene: its bodies, and how a face moves.

use super::Scene;
use super::found::SceneContact;
use crate::collision::Smoothness;
use crate::collision::patch::{self, FaceDerivative, Representation};
use crate::error::Result;
use crate::model::Model;

impl Scene {
    /// From now on pairs of geoms that say so meet in hydroelastic faces.
    ///
    /// # Errors
    /// As [`Representation::of`].
    pub fn press(&mut self, model: &Model) -> Result<()> {
        let geoms = model.geoms().iter().enumerate();
        let bodies = geoms.map(|(i, g)| match model.may_touch_any(i) {
            true => Representation::of(g, &g.shape),
            false => Ok(None),
        });
        let bodies: Vec<_> = bodies.collect::<Result<_>>()?;
        if bodies.iter().any(Option::is_some) {
            self.patches.bodies = bodies;
        }
        self.set_moduli(&model.params().geom_modulus);
        Ok(())
    }

    /// Takes the moduli of the geoms.
    pub fn set_moduli(&mut self, moduli: &[f64]) {
        self.patches.moduli.clear();
        self.patches.moduli.extend_from_slice(moduli);
    }

    /// Whether a geom meets others in faces.
    pub fn has_patch(&self, geom: usize) -> bool {
        matches!(self.patches.bodies.get(geom), Some(Some(_)))
    }

    /// Whether it has a pressure field.
    pub fn is_compliant(&self, geom: usize) -> bool {
        let body = self.patches.bodies.get(geom).and_then(Option::as_ref);
        body.is_some_and(Representation::is_compliant)
    }

    /// How a face of the last [`Scene::collide`] moves.
    pub fn differentiate_face(&self, c: &SceneContact, out: &mut FaceDerivative) -> Smoothness {
        match self.patches.sides(c.geom, &self.poses) {
            Some([a, b]) => patch::differentiate(a, b, &c.point, c.part, out),
            None => Smoothness::Degenerate,
        }
    }
}
