//! Workspace of θ-steps and their derivatives.

use super::matrix::Matrix;
use crate::force::Forces;
use crate::integrator::implicit::Stage;
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::step::implicit::{Lanes, Linear, Newton, Rule, StageState, Start};

/// State of a simulation with the θ-method. Sized at creation.
#[derive(Debug)]
pub(crate) struct Theta {
    pub(super) rule: Rule,
    /// θ h [s]: the time step with which implicit forces enter the matrix.
    pub step: f64,
    /// Stage of the last step, and of a step in progress.
    pub stage: Solved,
    pub(super) pending: Solved,
    pub(super) linear: Linear,
    pub newton: Newton,
    pub(super) matrix: Matrix,
    /// True if the matrix for impulses is needed: the last step has rows, or would have rows for a selected
    /// parameter.
    pub(super) has_impulses: bool,
    pub(super) columns: Columns,
    pub(super) lanes: Lanes<Vec<f64>>,
    pub(super) start: Start,
    /// δv*, or its adjoint.
    pub(super) free: Vec<f64>,
    pub(super) xi: Vec<f64>,
    pub(super) zero: Vec<f64>,
}

/// A stage, and the accuracy of its solution.
#[derive(Debug)]
pub(in crate::step) struct Solved {
    pub at: StageState,
    pub(super) residual: f64,
    pub(super) converged: bool,
}

/// Columns by each selected parameter, nv entries each.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Columns of the stage's balance.
    pub(super) stage: Vec<f64>,
    /// Columns of the forces that change velocities by v̂ − v*, at fixed impulses.
    pub(super) forces: Vec<f64>,
}

impl Theta {
    pub fn new(model: &Model, stage: &Stage, h: f64, forces: &Forces, derivatives: bool) -> Theta {
        let nv = model.nv();
        // For deep trees, columns are computed one by one.
        let lanes = derivatives && !model.topology().is_deep();
        let [rows, dofs] = if lanes {
            [nv.max(model.nu()), nv]
        } else {
            [0; 2]
        };
        let zeros = || vec![0.0; nv];
        let solved = || Solved {
            at: StageState::new(model),
            residual: 0.0,
            converged: true,
        };
        Theta {
            rule: Rule::of(stage, h),
            step: stage.share * h,
            stage: solved(),
            pending: solved(),
            linear: Linear::new(model, forces),
            newton: Newton::new(nv, 1),
            matrix: Matrix::new(model),
            has_impulses: false,
            columns: Columns::default(),
            lanes: Lanes::new(rows, dofs),
            start: Start {
                w0: zeros(),
                xi0: zeros(),
            },
            free: zeros(),
            xi: zeros(),
            zero: zeros(),
        }
    }

    /// Allocates the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.columns = Columns {
            stage: vec![0.0; nv * np],
            forces: vec![0.0; nv * np],
        };
    }

    /// Takes the current values of the reductions.
    pub fn reduce(&mut self, reduction: &Reduction) {
        self.linear.reduce(reduction);
    }

    /// Configuration at the pending step's stage.
    pub(in crate::step) fn place(&self) -> &[f64] {
        &self.pending.at.q
    }

    /// Makes the pending step the last one.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.stage, &mut self.pending);
    }
}
