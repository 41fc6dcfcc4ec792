//! What implicit steps and their derivatives are made in.

use super::linear::{Linear, Start};
use super::newton::Newton;
use super::panels::Panels;
use super::stage::StageState;
use crate::force::Forces;
use crate::integrator::implicit::Formula;
use crate::linalg::LANES;
use crate::model::Model;
use crate::step::state::Held;

/// What a simulation with an implicit formula has. Sized at creation.
#[derive(Debug)]
pub(crate) struct Implicit {
    pub formula: Formula,
    /// Of the last step, and of one that may not succeed.
    pub stages: Vec<StageState>,
    pub(super) pending: Vec<StageState>,
    /// Of each stage; while solving, of any state on the way.
    pub(super) linear: Vec<Linear>,
    pub newton: Newton,
    /// The stages in `linear` are those of the last step.
    pub(super) is_linear: bool,
    /// The stage at which the recursions are.
    pub(super) loaded: usize,
    pub(super) work: Work,
    pub(super) panels: Option<Panels>,
}

/// What derivatives take on their way, nv entries each.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) start: Start,
    /// Of w of a stage, and of the one before.
    pub(super) w: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) xi: Vec<f64>,
    pub(super) lanes: Lanes<Vec<f64>>,
}

/// Columns in a group, row by row: unit ones of q, v or u, what a stage starts from, what comes of it, and forces.
#[derive(Debug)]
pub(in crate::step) struct Lanes<T> {
    pub unit: T,
    pub w0: T,
    pub xi0: T,
    pub x: T,
    pub force: T,
}

impl Lanes<Vec<f64>> {
    /// For so many rows, and so many of forces.
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
        // A start without history takes another formula's stages.
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

    /// Makes room for the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.is_linear = false;
        if let Some(panels) = &mut self.panels {
            panels.fit(nv, np);
        }
    }

    /// The pending step is the last one; what is held of it.
    pub fn accept(&mut self) -> Held {
        std::mem::swap(&mut self.stages, &mut self.pending);
        self.is_linear = false;
        match self.stages[0].is_settled {
            true => Held::Stage,
            false => Held::Other,
        }
    }
}
