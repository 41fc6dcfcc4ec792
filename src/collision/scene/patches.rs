//! The hydroelastic bodies of a scene.

use crate::collision::patch::{self, Representation, Side};
use crate::error::Result;
use crate::model::spec::{GeomSpec, ShapeSpec};
use crate::spatial::Pose;

/// Per geom; nothing where all contacts are points.
#[derive(Debug, Default)]
pub(super) struct Patches {
    pub bodies: Vec<Option<Representation>>,
    /// [Pa].
    pub moduli: Vec<f64>,
}

impl Patches {
    /// Both geoms of a pair that meets in faces.
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

    /// Makes a geom anew that has another shape. Allocates.
    ///
    /// # Errors
    /// As [`Representation::of`].
    pub fn resize(&mut self, geom: usize, spec: &GeomSpec, shape: &ShapeSpec) -> Result<()> {
        if let Some(body) = self.bodies.get_mut(geom) {
            *body = Representation::of(spec, shape)?;
        }
        Ok(())
    }
}
