//! Memory that only queries outside a step need.

use super::centroidal::Subtrees;
use super::gravity::Weights;
use crate::model::Model;
use crate::spatial::Twist;

/// Results of the last query. Each query overwrites the memory it needs.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Per link: acceleration without gravity.
    pub acceleration: Vec<Twist>,
    /// Per dof: rate of its column.
    pub rate: Vec<Twist>,
    pub weights: Weights,
    pub subtrees: Subtrees,
}

impl Asked {
    pub fn new(model: &Model) -> Self {
        Asked {
            acceleration: vec![Twist::ZERO; model.topology().links.len()],
            rate: vec![Twist::ZERO; model.nv()],
            weights: Weights::new(model),
            subtrees: Subtrees::new(model),
        }
    }
}
