//! What steps of the θ-method and their derivatives are made in.

use super::matrix::Matrix;
use crate::force::Forces;
use crate::integrator::implicit::Stage;
use crate::model::Model;
use crate::step::implicit::{Lanes, Linear, Newton, Rule, StageState, Start};

/// What a simulation with such a scheme has. Sized at creation.
#[derive(Debug)]
pub(crate) struct Theta {
    pub(super) rule: Rule,
    /// θ h [s]: with it what forces declare as implicit enters the matrix.
    pub step: f64,
    /// Of the last step, and of one that may not succeed.
    pub stage: Solved,
    pub(super) pending: Solved,
    pub(super) linear: Linear,
    pub newton: Newton,
    pub(super) matrix: Matrix,
    /// The matrix by which impulses act counts: the last step has rows, or would have some beside a selected parameter.
    pub(super) has_impulses: bool,
    pub(super) columns: Columns,
    pub(super) lanes: Lanes<Vec<f64>>,
    pub(super) start: Start,
    /// δv*, or its adjoint.
    pub(super) free: Vec<f64>,
    pub(super) xi: Vec<f64>,
    pub(super) zero: Vec<f64>,
}

/// A stage, and how well it is solved.
#[derive(Debug)]
pub(in crate::step) struct Solved {
    pub at: StageState,
    pub(super) residual: f64,
    pub(super) converged: bool,
}

/// By each selected parameter, nv entries each.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Of the stage's balance.
    pub(super) stage: Vec<f64>,
    /// Of the forces that change velocities by v̂ − v*, at fixed impulses.
    pub(super) forces: Vec<f64>,
}

impl Theta {
    pub fn new(model: &Model, stage: &Stage, h: f64, forces: &Forces, derivatives: bool) -> Theta {
        let nv = model.nv();
        // Of deep trees columns come one by one.
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

    /// Makes room for the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.columns = Columns {
            stage: vec![0.0; nv * np],
            forces: vec![0.0; nv * np],
        };
    }

    /// Where the pending step's stage leads.
    pub(in crate::step) fn place(&self) -> &[f64] {
        &self.pending.at.q
    }

    /// The pending step is the last one.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.stage, &mut self.pending);
    }
}
