//! Workspace of an implicit step's Jacobians.

use crate::model::Model;

/// Columns of δw, then of δv⁺, by q, v, u and p. The columns of ξ are in
/// [`Linearization`](crate::step::linearization::Linearization).
#[derive(Debug)]
pub(super) struct Panels {
    pub w: [Vec<f64>; 4],
    /// Columns of δv⁺ by activations.
    pub act: Vec<f64>,
}

impl Panels {
    pub fn new(model: &Model) -> Panels {
        let columns = |n: usize| vec![0.0; model.nv() * n];
        Panels {
            w: [
                columns(model.nv()),
                columns(model.nv()),
                columns(model.nu()),
                Vec::new(),
            ],
            act: columns(model.na()),
        }
    }

    /// Allocates the columns by selected parameters.
    pub fn fit(&mut self, nv: usize, np: usize) {
        self.w[3] = vec![0.0; nv * np];
    }
}
