//! Hydroelastic faces of a scene: its bodies, and how a face moves.

use super::Scene;
use super::found::SceneContact;
use crate::collision::Smoothness;
use crate::collision::patch::{self, FaceDerivative, Representation, Shift};
use crate::error::Result;
use crate::model::Model;
use crate::spatial::Vec3;

impl Scene {
    /// Enables hydroelastic contact for the geoms that ask for it.
    ///
    /// # Errors
    /// Those of [`Representation::of`].
    pub fn press(&mut self, model: &Model) -> Result<()> {
        let geoms = model.geoms().iter().enumerate();
        let bodies = geoms.map(|(i, g)| match model.may_touch_any(i) {
            true => Representation::of(g, &g.shape),
            false => Ok(None),
        });
        let bodies: Vec<_> = bodies.collect::<Result<_>>()?;
        if bodies.iter().any(Option::is_some) {
            self.patches.bodies = bodies;
            self.patches.shapes = model.geoms().iter().map(|g| g.shape.clone()).collect();
        }
        self.set_moduli(&model.params().geom_modulus);
        Ok(())
    }

    /// Sets the moduli of the geoms [Pa].
    pub fn set_moduli(&mut self, moduli: &[f64]) {
        self.patches.moduli.clear();
        self.patches.moduli.extend_from_slice(moduli);
    }

    /// Whether a geom has a pressure field.
    pub fn is_compliant(&self, geom: usize) -> bool {
        let body = self.patches.bodies.get(geom).and_then(Option::as_ref);
        body.is_some_and(Representation::is_compliant)
    }

    /// Calls `visit` with the vertices of a face of the last [`Scene::collide`], in the world, and the
    /// pressures there [Pa]; not at all for a contact in a point.
    pub fn outline(&self, c: &SceneContact, visit: impl FnMut(Vec3, f64)) {
        if c.press.is_some()
            && let Some([a, b]) = self.patches.sides(c.geom, &self.poses)
        {
            patch::outline(a, b, c.point.feature, c.part, visit);
        }
    }

    /// The derivative of a face of the last [`Scene::collide`].
    pub fn differentiate_face(&self, c: &SceneContact, out: &mut FaceDerivative) -> Smoothness {
        match self.patches.sides(c.geom, &self.poses) {
            Some([a, b]) => patch::differentiate(a, b, &c.point, c.part, out),
            None => Smoothness::Degenerate,
        }
    }

    /// The derivative of a face of the last [`Scene::collide`] by a size of its geom `side`. Its mesh has a
    /// fixed number of elements, and their vertices are linear in the sizes.
    pub fn face_growth(&self, c: &SceneContact, side: usize, component: usize) -> Shift {
        let Some([a, b]) = self.patches.sides(c.geom, &self.poses) else {
            return Shift::default();
        };
        let shape = &self.patches.shapes[c.geom[side]];
        let stretch = |at: Vec3| shape.stretch(component, at);
        patch::grow(a, b, &c.point, c.part, (side, stretch))
    }
}
