//! What a simulation is put together from.

use super::options::{Integrator, Options};
use crate::integrator::{Scheme, SymplecticEuler, SymplecticEulerWorld};
use crate::model::Model;

/// The parts that options choose, or that are given in their place ([`Sim::with_parts`](super::Sim::with_parts)).
#[derive(Debug)]
pub struct Parts {
    pub integrator: Box<dyn Scheme>,
}

impl Parts {
    pub fn new(model: &Model, options: &Options) -> Parts {
        let integrator: Box<dyn Scheme> = match options.integrator {
            Integrator::SymplecticEuler => {
                Box::new(SymplecticEuler::new(model, options.derivatives))
            }
            _ => Box::new(SymplecticEulerWorld::new(model, options.derivatives)),
        };
        Parts { integrator }
    }
}
