//! Workspace of implicit steps and their derivatives.

use super::linear::{Linear, Start};
use super::newton::Newton;
use super::panels::Panels;
use super::stage::StageState;
use crate::force::Forces;
use crate::integrator::implicit::Formula;
use crate::linalg::LANES;
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::step::state::Held;

/// State of a simulation with an implicit formula. Sized at creation.
#[derive(Debug)]
pub(crate) struct Implicit {
    pub formula: Formula,
    /// Stages of the last step, and of a step in progress.
    pub stages: Vec<StageState>,
    pub(super) pending: Vec<StageState>,
    /// Linearization of each stage; during a solve, at intermediate points.
    pub(super) linear: Vec<Linear>,
    pub newton: Newton,
    /// True if `linear` belongs to the stages of the last step.
    pub(super) is_linear: bool,
    /// The stage at which the recursions are evaluated.
    pub(super) loaded: usize,
    pub(super) work: Work,
    pub(super) panels: Option<Panels>,
}

/// Vectors of derivatives on their way, nv entries each.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) start: Start,
    /// For w of a stage, and of the stage before.
    pub(super) w: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) xi: Vec<f64>,
    pub(super) lanes: Lanes<Vec<f64>>,
}

/// Columns in a group, row by row: unit vectors of q, v or u, the starting values of a stage, the results,
/// and forces.
#[derive(Debug)]
pub(in crate::step) struct Lanes<T> {
    pub unit: T,
    pub w0: T,
    pub xi0: T,
    pub x: T,
    pub force: T,
}

impl Lanes<Vec<f64>> {
    /// With `rows` rows, and `forces` rows of forces.
    pub fn new(rows: usize, forces: usize) -> Self {
        let zeros = || vec![0.0; LANES * rows];
        Lanes {
            unit: zeros(),
            w0: zeros(),
            xi0: zeros(),
            x: zeros(),
            force: vec![0.0; LANES * forces],
        }
    }

    pub fn rows(&mut self) -> Lanes<&mut [[f64; LANES]]> {
        Lanes {
            unit: self.unit.as_chunks_mut().0,
            w0: self.w0.as_chunks_mut().0,
            xi0: self.xi0.as_chunks_mut().0,
            x: self.x.as_chunks_mut().0,
            force: self.force.as_chunks_mut().0,
        }
    }
}

impl Implicit {
    pub fn new(model: &Model, formula: Formula, forces: &Forces, derivatives: bool) -> Implicit {
        let nv = model.nv();
        // A start without history uses the stages of another formula.
        let count = formula.most_stages();
        let stages = vec![StageState::new(model); count];
        let zeros = || vec![0.0; nv];
        Implicit {
            formula,
            pending: stages.clone(),
            stages,
            linear: (0..count).map(|_| Linear::new(model, forces)).collect(),
            newton: Newton::new(nv, count),
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
                lanes: Lanes::new(if derivatives { nv.max(model.nu()) } else { 0 }, 0),
            },
            panels: derivatives.then(|| Panels::new(model)),
        }
    }

    /// Allocates the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.is_linear = false;
        if let Some(panels) = &mut self.panels {
            panels.fit(nv, np);
        }
    }

    /// Takes the current values of the reductions.
    pub fn reduce(&mut self, reduction: &Reduction) {
        self.linear.iter_mut().for_each(|l| l.reduce(reduction));
    }

    /// Makes the pending step the last one, and returns the contents of the shared workspace.
    pub fn accept(&mut self) -> Held {
        std::mem::swap(&mut self.stages, &mut self.pending);
        self.is_linear = false;
        match self.stages[0].is_settled {
            true => Held::Stage,
            false => Held::Other,
        }
    }
}
