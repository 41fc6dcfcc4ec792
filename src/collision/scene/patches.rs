//! The hydroelastic bodies of a scene.

use crate::collision::patch::{self, Representation, Side};
use crate::error::Result;
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::spatial::Pose;

/// Representations, shapes and moduli [Pa] of the geoms; empty if all contacts are points.
#[derive(Debug, Default)]
pub(super) struct Patches {
    pub bodies: Vec<Option<Representation>>,
    pub shapes: Vec<ShapeSpec>,
    pub moduli: Vec<f64>,
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
            self.shapes[geom] = shape.clone();
        }
        Ok(())
    }
}
