//! Derivatives of forward dynamics: −M⁻¹ times those of inverse dynamics.
//!
//! Carpentier & Mansard, Analytical Derivatives of Rigid Body Dynamics Algorithms (RSS 2018).

use super::coupling::Coupling;
use super::mass::DenseInverse;
use super::rnea_derivatives::RneaDerivatives;
use crate::linalg::{F4, by_tile, dispatch};
use crate::model::topology::{LANES, Topology};
use std::ops::Range;

/// One column of ∂τ: its nonzero rows, and their values by q and by v.
#[derive(Clone, Debug)]
pub struct ColumnSupport {
    index: Vec<usize>,
    by_q: Vec<f64>,
    by_v: Vec<f64>,
}

impl ColumnSupport {
    pub fn new(nv: usize) -> Self {
        ColumnSupport {
            index: vec![0; nv],
            by_q: vec![0.0; nv],
            by_v: vec![0.0; nv],
        }
    }
}

/// A product of low rank to be subtracted: Σ rowsᵀ by_q and Σ rowsᵀ by_v.
#[derive(Clone, Copy, Debug)]
pub struct LowRank<'a> {
    pub rank: usize,
    /// Rows with the length of those of the dense inverse.
    pub rows: &'a [F4],
    /// `rank` numbers per column, each column padded to `lanes` lanes.
    pub by_q: &'a [F4],
    pub by_v: &'a [F4],
    pub lanes: usize,
}

#[inline(always)]
fn product_kernel(
    s: &mut ColumnSupport,
    inv: &DenseInverse,
    id: &RneaDerivatives,
    t: &Topology,
    coupling: &Coupling,
    scale: f64,
    less: Option<LowRank<'_>>,
    out_q: &mut [f64],
    out_v: &mut [f64],
) {
    let (n, dofs) = (t.nv(), &t.dofs[..]);
    let (aq, av) = (F4::flat(&id.above_q), F4::flat(&id.above_v));
    let (bq, bv) = (F4::flat(&id.below_q), F4::flat(&id.below_v));
    let rows: &[F4] = match less {
        Some(l) => l.rows,
        None => &[],
    };
    for (k, tree) in t.trees.iter().enumerate() {
        let island = coupling.of_tree(k);
        let spans = coupling.spans(island);
        for j in tree.first_dof..tree.end_dof {
            let dof = &dofs[j];
            let mut places = (s.index.iter_mut()).zip(s.by_q.iter_mut().zip(&mut s.by_v));
            let mut push = |i: usize, q: f64, v: f64| {
                if let Some((index, (by_q, by_v))) = places.next() {
                    (*index, *by_q, *by_v) = (i, q * scale, v * scale);
                }
            };
            let above = dof.row..=dof.row + dof.depth;
            let mut a = j;
            for (q, v) in aq[above.clone()].iter().zip(&av[above]).rev() {
                push(a, *q, *v);
                a = dofs[a].parent;
            }
            let below = j + 1..dof.end;
            let count = dof.depth + 1 + below.len();
            for i in below {
                let at = dofs[i].row + dof.depth;
                push(i, bq[at], bv[at]);
            }
            let (col_q, col_v) = (&mut out_q[j * n..][..n], &mut out_v[j * n..][..n]);
            let (mut less_q, mut less_v): (&[f64], &[f64]) = (&[], &[]);
            if let Some(l) = less {
                less_q = &F4::flat(&l.by_q[j * l.lanes..])[..l.rank];
                less_v = &F4::flat(&l.by_v[j * l.lanes..])[..l.rank];
            }
            for span in spans {
                let (mut b, end) = (span.start / LANES, span.end.div_ceil(LANES));
                while b < end {
                    b += by_tile!(
                        end - b,
                        accumulate(s, count, inv, rows, less_q, less_v, b, span, col_q, col_v)
                    );
                }
            }
        }
    }
}

#[inline(always)]
fn accumulate<const W: usize>(
    s: &ColumnSupport,
    count: usize,
    inv: &DenseInverse,
    less: &[F4],
    less_q: &[f64],
    less_v: &[f64],
    block: usize,
    dofs: &Range<usize>,
    col_q: &mut [f64],
    col_v: &mut [f64],
) {
    let (mut q, mut v) = ([F4::ZERO; W], [F4::ZERO; W]);
    let support = s.index[..count].iter().zip(&s.by_q).zip(&s.by_v);
    for ((&i, &xq), &xv) in support {
        let row = &inv.rows[i * inv.stride + block..][..W];
        for k in 0..W {
            q[k] += row[k] * xq;
            v[k] += row[k] * xv;
        }
    }
    for (i, (&xq, &xv)) in less_q.iter().zip(less_v).enumerate() {
        let row = &less[i * inv.stride + block..][..W];
        for k in 0..W {
            q[k] -= row[k] * xq;
            v[k] -= row[k] * xv;
        }
    }
    // The first and the last block of lanes of a tree may contain rows of neighbouring trees.
    let (lo, hi) = (
        (block * LANES).max(dofs.start),
        ((block + W) * LANES).min(dofs.end),
    );
    for (column, tile) in [(col_q, &q), (col_v, &v)] {
        let tile = F4::flat(tile);
        if hi - lo == tile.len() {
            // The compiler knows this length.
            column[lo..][..tile.len()].copy_from_slice(tile);
        } else {
            let skip = lo - block * LANES;
            for (out, x) in column[lo..hi].iter_mut().zip(&tile[skip..]) {
                *out = *x;
            }
        }
    }
}

dispatch! {
    /// `out` ← `scale` · M⁻¹ ∂τ/∂q and ∂τ/∂v minus a product of low rank, column-major nv×nv. Only rows
    /// in the island of a column are written. `inv` may be another map from forces to accelerations,
    /// whose columns it then holds.
    pub fn inverse_times = product_kernel(
        s: &mut ColumnSupport, inv: &DenseInverse, id: &RneaDerivatives, t: &Topology,
        coupling: &Coupling, scale: f64, less: Option<LowRank<'_>>, out_q: &mut [f64], out_v: &mut [f64],
    )
}
