//! Products of the contact stage over all rows.

use crate::constraint::Constraints;
use crate::dynamics::factors::Factors;
use crate::linalg::{F4, dispatch};
use crate::model::Model;

#[inline(always)]
fn respond_kernel(
    c: &Constraints,
    m: &mut Factors,
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
        c: &Constraints, m: &mut Factors, model: &Model, v_free: &[f64], v_next: &mut [f64],
    )
}

/// v = v_free + A⁻¹ Jᵀ λ with the impulses of springs only.
pub(super) fn pulled(
    c: &Constraints,
    m: &mut Factors,
    model: &Model,
    v_free: &[f64],
    v: &mut [f64],
) {
    v.fill(0.0);
    for b in (0..c.groups()).filter(|b| c.sources[*b].elastic().is_some()) {
        c.rows.add_half(b, c.impulse(b), v);
    }
    c.rows.complete(model.topology(), m, v);
    for (x, f) in v.iter_mut().zip(v_free) {
        *x += f;
    }
}

#[inline(always)]
fn gather_kernel(c: &Constraints, half: &[f64], out: &mut [f64]) {
    for b in 0..c.groups() {
        let out = &mut out[c.range(b)];
        for (out, y) in out.iter_mut().zip(c.rows.times_half(b, half).0) {
            *out = y;
        }
    }
}

#[inline(always)]
fn scatter_kernel(c: &Constraints, w: &[f64], z: &mut [f64], half: &mut [f64]) {
    for b in 0..c.groups() {
        let mut lanes = F4::ZERO;
        for (lane, w) in lanes.0.iter_mut().zip(&w[c.range(b)]) {
            *lane = *w;
        }
        if lanes != F4::ZERO {
            c.rows.add_transposed(b, lanes, z);
            c.rows.add_half(b, lanes, half);
        }
    }
}

dispatch! {
    /// J A⁻¹ z of all rows, from the half of A⁻¹ z that `Rows::begin` computes.
    pub(super) fn gather = gather_kernel(c: &Constraints, half: &[f64], out: &mut [f64])
}

dispatch! {
    /// Adds Jᵀ w to `z`, and to `half` the half of A⁻¹ Jᵀ w that `Rows::complete` completes.
    pub(super) fn scatter = scatter_kernel(
        c: &Constraints, w: &[f64], z: &mut [f64], half: &mut [f64],
    )
}

/// The lanes from `first` on of a row of K: a row of the inverse minus a combination of rows of the same
/// length.
#[inline(always)]
pub(super) fn subtract_tile<const W: usize>(
    out: &mut [F4],
    inverse: &[F4],
    answer: &[f64],
    y_rows: &[F4],
    first: usize,
) {
    let mut sum: [F4; W] = std::array::from_fn(|w| inverse[first + w]);
    for (x, row) in answer.iter().zip(y_rows.chunks_exact(out.len())) {
        for (sum, y) in sum.iter_mut().zip(&row[first..][..W]) {
            *sum -= *y * *x;
        }
    }
    out[first..][..W].copy_from_slice(&sum);
}
