//! Products of the contact stage that run over all rows.

use crate::constraint::Constraints;
use crate::dynamics::mass::BranchMatrix;
use crate::linalg::{F4, dispatch};
use crate::model::Model;

#[inline(always)]
fn respond_kernel(
    c: &Constraints,
    m: &BranchMatrix,
    model: &Model,
    v_free: &[f64],
    v_next: &mut [f64],
) {
    v_next.fill(0.0);
    for b in 0..c.groups() {
        let l = c.impulse(b);
        if l != F4::ZERO {
            c.rows.add_half(b, l, v_next);
        }
    }
    c.rows.complete(model.topology(), m, v_next);
    for (x, f) in v_next.iter_mut().zip(v_free) {
        *x += f;
    }
}

dispatch! {
    /// v_next = v_free + A⁻¹ Jᵀ λ.
    pub(super) fn respond = respond_kernel(
        c: &Constraints, m: &BranchMatrix, model: &Model, v_free: &[f64], v_next: &mut [f64],
    )
}
