//! Steps of implicit formulas: each stage is solved by Newton's method, and the derivative is that of its solution.
//!
//! A stage has its equations in [`integrator::implicit`](crate::integrator::implicit). Of a step what its stages found is
//! kept, so that each can be linearized again there: [`Linear`]. A direction runs through the stages in order, an adjoint
//! back, with transposed solves; Jacobians take all columns through a stage before the next.

mod balance;
mod chain;
mod columns;
mod linear;
mod newton;
mod physics;
mod solver;
mod stage;
mod take;

pub(super) use chain::STAGES;

use crate::force::Forces;
use crate::integrator::implicit::Formula;
use crate::model::Model;
use columns::Panels;
use linear::{Linear, Start};
use newton::Newton;
use stage::StageState;

/// What a simulation with an implicit formula has. Sized at creation.
#[derive(Debug)]
pub(crate) struct Implicit {
    pub formula: Formula,
    /// Of the last step, and of one that may not succeed.
    stages: Vec<StageState>,
    pending: Vec<StageState>,
    /// Of each stage; while solving, of any state on the way.
    linear: Vec<Linear>,
    newton: Newton,
    /// The stages in `linear` are those of the last step.
    is_linear: bool,
    /// The stage at which the recursions are.
    loaded: usize,
    work: Work,
    panels: Option<Panels>,
}

/// What derivatives take on their way, nv entries each.
#[derive(Debug)]
struct Work {
    start: Start,
    /// Of w of a stage, and of the one before.
    w: Vec<f64>,
    before: Vec<f64>,
    xi: Vec<f64>,
}

impl Implicit {
    pub fn new(model: &Model, formula: Formula, forces: &Forces, derivatives: bool) -> Implicit {
        let nv = model.nv();
        // A start without history takes another formula's stages.
        let count = Formula::STAGES;
        let stages = vec![StageState::new(model); count];
        let zeros = || vec![0.0; nv];
        Implicit {
            formula,
            pending: stages.clone(),
            stages,
            linear: (0..count).map(|_| Linear::new(model, forces)).collect(),
            newton: Newton::new(nv),
            is_linear: false,
            loaded: 0,
            work: Work {
                start: Start {
                    w0: zeros(),
                    xi0: zeros(),
                },
                w: zeros(),
                before: zeros(),
                xi: zeros(),
            },
            panels: derivatives.then(|| Panels::new(model)),
        }
    }

    /// Makes room for the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        if let Some(panels) = &mut self.panels {
            panels.fit(nv, np);
        }
    }

    /// The pending step is the last one.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.stages, &mut self.pending);
        self.is_linear = false;
    }
}
