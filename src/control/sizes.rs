//! Sizes of a horizon's states.

use crate::model::Model;

/// Sizes of a model: nq, nv, nu, na.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub nq: usize,
    pub nv: usize,
    pub nu: usize,
    pub na: usize,
}

impl Sizes {
    pub fn of(model: &Model) -> Sizes {
        Sizes {
            nq: model.nq(),
            nv: model.nv(),
            nu: model.nu(),
            na: model.na(),
        }
    }

    /// Size of a state's tangent: of q; v; activations.
    pub fn nx(&self) -> usize {
        2 * self.nv + self.na
    }
}

/// `out` = to − from.
pub fn subtract(to: &[f64], from: &[f64], out: &mut [f64]) {
    for (out, (to, from)) in out.iter_mut().zip(to.iter().zip(from)) {
        *out = to - from;
    }
}
