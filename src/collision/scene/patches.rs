//! The hydroelastic bodies of a scene.

use super::Scene;
use super::found::SceneContact;
use crate::collision::Smoothness;
use crate::collision::patch::{self, FaceDerivative, Representation, Side};
use crate::error::Result;
use crate::model::Model;
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::spatial::Pose;

/// Representations and moduli [Pa] of the geoms; empty if all contacts are points.
#[derive(Debug, Default)]
pub(super) struct Patches {
    bodies: Vec<Option<Representation>>,
    moduli: Vec<f64>,
}

impl Patches {
    /// Both geoms of a pair, if the pair has hydroelastic contact.
    pub fn sides<'a>(&'a self, geoms: [usize; 2], poses: &'a [Pose]) -> Option<[Side<'a>; 2]> {
        let [a, b] = geoms.map(|g| self.bodies.get(g).and_then(Option::as_ref));
        let bodies = [a?, b?];
        patch::meets(bodies[0], bodies[1]).then(|| {
            [0, 1].map(|i| Side {
                body: bodies[i],
                pose: &poses[geoms[i]],
                modulus: self.moduli[geoms[i]],
            })
        })
    }

    /// Rebuilds a geom with another shape. Allocates.
    ///
    /// # Errors
    /// Those of [`Representation::of`].
    pub fn resize(&mut self, geom: usize, spec: &GeomSpec, shape: &ShapeSpec) -> Result<()> {
        if let Some(body) = self.bodies.get_mut(geom) {
            *body = Representation::of(spec, shape)?;
        }
        Ok(())
    }
}

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
        }
        self.set_moduli(&model.params().geom_modulus);
        Ok(())
    }

    /// Sets the moduli of the geoms [Pa].
    pub fn set_moduli(&mut self, moduli: &[f64]) {
        self.patches.moduli.clear();
        self.patches.moduli.extend_from_slice(moduli);
    }

    /// Whether a geom has hydroelastic contact.
    pub fn has_patch(&self, geom: usize) -> bool {
        matches!(self.patches.bodies.get(geom), Some(Some(_)))
    }

    /// Whether a geom has a pressure field.
    pub fn is_compliant(&self, geom: usize) -> bool {
        let body = self.patches.bodies.get(geom).and_then(Option::as_ref);
        body.is_some_and(Representation::is_compliant)
    }

    /// The derivative of a face of the last [`Scene::collide`].
    pub fn differentiate_face(&self, c: &SceneContact, out: &mut FaceDerivative) -> Smoothness {
        match self.patches.sides(c.geom, &self.poses) {
            Some([a, b]) => patch::differentiate(a, b, &c.point, c.part, out),
            None => Smoothness::Degenerate,
        }
    }
}
