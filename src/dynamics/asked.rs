//! The data of queries outside a step. Queries write here and leave the recursions of the last step alone.

use super::Dynamics;
use super::centroidal::Subtrees;
use super::gravity::Weights;
use crate::model::Model;
use crate::spatial::Twist;

/// Recursions and results of the last query. Each query overwrites the memory it needs.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Recursions at the state of the query.
    pub dynamics: Dynamics,
    /// Per link: acceleration without gravity.
    pub acceleration: Vec<Twist>,
    /// Per dof: rate of its column.
    pub rate: Vec<Twist>,
    pub weights: Weights,
    pub subtrees: Subtrees,
    /// Forces and accelerations of the dofs.
    pub work: Vec<f64>,
    pub work2: Vec<f64>,
    /// Which dofs have a given acceleration in hybrid dynamics.
    pub prescribed: Vec<bool>,
    /// Derivatives by q and by v, nv×nv, column-major; empty without derivatives.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
}

impl Asked {
    pub fn new(model: &Model, derivatives: bool) -> Self {
        let nv = model.nv();
        let square = || vec![0.0; if derivatives { nv * nv } else { 0 }];
        Asked {
            dynamics: Dynamics::new(model, derivatives),
            acceleration: vec![Twist::ZERO; model.topology().links.len()],
            rate: vec![Twist::ZERO; nv],
            weights: Weights::new(model),
            subtrees: Subtrees::new(model),
            work: vec![0.0; nv],
            work2: vec![0.0; nv],
            prescribed: vec![false; nv],
            by_q: square(),
            by_v: square(),
        }
    }
}
