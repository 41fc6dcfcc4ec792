//! Workspace of θ-steps and their derivatives, beside that of the stage.

use super::matrix::Matrix;
use crate::integrator::implicit::Stage;
use crate::linalg::LANES;
use crate::model::Model;

/// State of a simulation with the θ-method, beside its stage
/// ([`Implicit`](crate::step::implicit::Implicit)). Sized at creation.
#[derive(Debug)]
pub(crate) struct ThetaWorkspace {
    /// θ h [s]: the time step with which implicit forces enter the matrix.
    pub step: f64,
    pub(super) matrix: Matrix,
    /// True if the matrix for impulses is needed: the last step has rows, or would have rows for a selected
    /// parameter.
    pub(super) has_impulses: bool,
    /// Columns by the selected parameters, nv entries each: of the forces that change velocities by v̂ − v*,
    /// at fixed impulses.
    pub(super) by_p: Vec<f64>,
    /// Forces of a group of columns, row by row.
    pub(super) force: Vec<f64>,
    pub(super) work: Vec<f64>,
    pub(super) zero: Vec<f64>,
}

impl ThetaWorkspace {
    pub fn new(model: &Model, stage: &Stage, h: f64, derivatives: bool) -> ThetaWorkspace {
        let nv = model.nv();
        // For deep trees, columns are computed one by one.
        let in_lanes = derivatives && !model.topology().is_deep();
        ThetaWorkspace {
            step: stage.share * h,
            matrix: Matrix::new(model),
            has_impulses: false,
            by_p: Vec::new(),
            force: vec![0.0; if in_lanes { LANES * nv } else { 0 }],
            work: vec![0.0; nv],
            zero: vec![0.0; nv],
        }
    }

    /// Allocates the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.by_p = vec![0.0; nv * np];
    }
}
