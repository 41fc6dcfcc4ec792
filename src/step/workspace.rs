//! Memory of the derivatives of a step.

use super::adjoints::Adjoints;
use super::impulse_workspace::Direction;
use super::linearization::Linearization;
use super::options::Options;
use crate::model::Model;

/// Memory of the derivatives of a step, kept between calls.
#[derive(Debug)]
pub(super) struct Workspace {
    pub lin: Linearization,
    /// The largest adjoint so far and another one, for the aware gradient.
    pub adjoints: [Adjoints; 2],
    /// For impulses and accelerations.
    pub direction: Direction,
    /// A, nv×nv, for the inverse of a step.
    pub square: Vec<f64>,
}

impl Workspace {
    /// `carried`: number of entries that the integrator carries.
    pub fn new(model: &Model, options: &Options, carried: usize) -> Workspace {
        let (nv, nu, na) = (model.nv(), model.nu(), model.na());
        Workspace {
            lin: Linearization::new(model, carried),
            adjoints: [(); 2].map(|()| Adjoints::new([nv, nu, 0, carried, na])),
            direction: Direction::new(model, options),
            square: vec![0.0; nv * nv],
        }
    }

    /// Allocates for np selected parameters.
    pub fn fit(&mut self, model: &Model, np: usize) {
        let (nv, nu) = (model.nv(), model.nu());
        self.adjoints.iter_mut().for_each(|a| a.fit(np));
        self.direction.fit(np);
        self.lin.by_p = vec![0.0; nv * np];
        self.lin.labels = vec![0; 2 * nv + nu + np];
    }
}
