//! Products of the contact stage that run over all rows and columns.

use super::contact::{Columns, ContactLinear};
use crate::constraint::{Constraints, Stabilization};
use crate::dynamics::mass::{BranchMatrix, DenseInverse};
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

#[inline(always)]
fn fill_response_kernel(c: &Constraints, inverse: &DenseInverse, l: &mut ContactLinear) {
    for b in 0..c.groups() {
        let (at, n) = (c.offsets[b] * l.stride, c.range(b).len());
        let out = &mut l.response[at..at + n * l.stride];
        out.fill(F4::ZERO);
        c.rows.for_dofs(b, |k| {
            let j = c.rows.column(b, k).0;
            for (r, out) in out.chunks_exact_mut(l.stride).enumerate() {
                let x = F4::splat(j[r]);
                for (o, m) in out.iter_mut().zip(inverse.row(k)) {
                    *o += x * *m;
                }
            }
        });
    }
}

#[inline(always)]
fn project_kernel(
    c: &Constraints,
    l: &mut ContactLinear,
    s: &Stabilization,
    kind: Columns,
    x: &[f64],
    columns: usize,
) {
    let rows = c.g.len();
    let nv = x.len() / columns;
    for b in 0..c.groups() {
        let range = c.range(b);
        for (j, x) in x.chunks_exact(nv).enumerate() {
            let y = c.rows.times(b, x).0;
            let w = &mut l.w[j * rows..][range.clone()];
            w.copy_from_slice(&y[..range.len()]);
        }
        match kind {
            Columns::Configuration => c.rows.for_dofs(b, |k| {
                let y = l.variation.column(b, k).0;
                for (w, y) in l.w[k * rows..][range.clone()].iter_mut().zip(y) {
                    *w += y;
                }
            }),
            Columns::Velocity => {
                if s.kd != 0.0
                    && let Some(row) = c.normal_row(b)
                {
                    c.rows.for_dofs(b, |k| {
                        l.w[k * rows + row] -= s.kd * c.rows.column(b, k).0[range.len() - 1];
                    });
                }
            }
            Columns::Parameter => {
                for (out, w) in l.w[range.clone()].iter_mut().zip(&l.w_param[range.clone()]) {
                    *out += w;
                }
            }
            Columns::Input => {}
        }
    }
}

#[inline(always)]
fn add_response_kernel(l: &ContactLinear, rows: usize, nv: usize, x: &mut [f64], columns: usize) {
    for j in 0..columns {
        let column = &mut x[j * nv..(j + 1) * nv];
        for r in 0..rows {
            let d = l.dlambda[j * rows + r];
            if d != 0.0 {
                let response = F4::flat(&l.response[r * l.stride..(r + 1) * l.stride]);
                for (x, m) in column.iter_mut().zip(response) {
                    *x += d * m;
                }
            }
        }
    }
}

dispatch! {
    /// v_next = v_free + A⁻¹ Jᵀ λ.
    pub(super) fn respond = respond_kernel(
        c: &Constraints, m: &BranchMatrix, model: &Model, v_free: &[f64], v_next: &mut [f64],
    )
}

dispatch! {
    pub(super) fn fill_response = fill_response_kernel(
        c: &Constraints, inverse: &DenseInverse, l: &mut ContactLinear,
    )
}

dispatch! {
    /// w = J x, plus what the kind of columns adds.
    pub(super) fn project = project_kernel(
        c: &Constraints, l: &mut ContactLinear, s: &Stabilization, kind: Columns, x: &[f64],
        columns: usize,
    )
}

dispatch! {
    /// x += A⁻¹ Jᵀ dλ, column by column.
    pub(super) fn add_response = add_response_kernel(
        l: &ContactLinear, rows: usize, nv: usize, x: &mut [f64], columns: usize,
    )
}
