//! Elimination within a front.
//!
//! Rows and columns are finished one after the other, each by one product with all before it (Crout's order):
//! an entry is loaded and stored once, and its sum stays in a register.

use super::front::Front;
use std::iter::zip;

/// Rows of a tile of a product.
const ROWS: usize = 4;

/// Columns in which rows are exchanged, before the rows of their pivots are finished.
const PANEL: usize = 8;

/// Four rows of N columns.
type Tile<const N: usize> = [[f64; N]; ROWS];

/// A lower triangular matrix with the reciprocals of its diagonal.
type Triangle = [[f64; ROWS]; ROWS];

/// A B for a matrix A of four rows, by its columns, and N columns of B. Rows of B have `row` entries.
#[inline(always)]
fn product<const N: usize>(a: impl Iterator<Item = [f64; ROWS]>, b: &[f64], row: usize) -> Tile<N> {
    let mut sums = [[0.0; N]; ROWS];
    for (a, b) in zip(a, b.chunks(row)) {
        let b = &b.as_chunks::<N>().0[0];
        for (sums, a) in zip(&mut sums, a) {
            for (sum, b) in zip(sums, b) {
                *sum += b * a;
            }
        }
    }
    sums
}

/// x −= a y.
#[inline(always)]
fn subtract<const N: usize>(a: f64, y: &[f64; N], x: &mut [f64; N]) {
    for (x, y) in zip(x, y) {
        *x -= a * y;
    }
}

/// C ← T⁻¹ (C − S) for N columns of up to four rows of C, of `row` entries each. Without T, C ← C − S.
#[inline(always)]
fn put<const N: usize>(mut sums: Tile<N>, t: Option<&Triangle>, c: &mut [f64], row: usize) {
    for (c, sums) in zip(c.chunks(row), &mut sums) {
        for (c, sum) in zip(&c.as_chunks::<N>().0[0], sums) {
            *sum = c - *sum;
        }
    }
    if let Some(t) = t {
        let [x, y, z, w] = &mut sums;
        x.iter_mut().for_each(|x| *x *= t[0][0]);
        subtract(t[1][0], x, y);
        y.iter_mut().for_each(|y| *y *= t[1][1]);
        subtract(t[2][0], x, z);
        subtract(t[2][1], y, z);
        z.iter_mut().for_each(|z| *z *= t[2][2]);
        subtract(t[3][0], x, w);
        subtract(t[3][1], y, w);
        subtract(t[3][2], z, w);
        w.iter_mut().for_each(|w| *w *= t[3][3]);
    }
    for (c, sums) in zip(c.chunks_mut(row), &sums) {
        c.as_chunks_mut::<N>().0[0] = *sums;
    }
}

/// [`put`] of A B for the eight columns from `j` on, or for the last four.
#[inline(always)]
fn strip(
    a: impl Iterator<Item = [f64; ROWS]>,
    b: &[f64],
    t: Option<&Triangle>,
    c: &mut [f64],
    (row, j): (usize, usize),
) {
    let (b, c) = (b.get(j..).unwrap_or(&[]), &mut c[j..]);
    match j + 8 <= row {
        true => put(product::<8>(a, b, row), t, c, row),
        false => put(product::<4>(a, b, row), t, c, row),
    }
}

/// [`strip`] for rows `from..end` of a square matrix, with A in their first `inner` columns and B in its
/// first rows.
#[inline(always)]
fn strip_within(
    m: &mut [f64],
    [from, end, inner]: [usize; 3],
    t: Option<&Triangle>,
    (row, j): (usize, usize),
) {
    let a = columns(&m[from * row..end * row], row, inner);
    let b = m[..inner * row].get(j..).unwrap_or(&[]);
    let c = from * row + j..end * row;
    match j + 8 <= row {
        true => put(product::<8>(a, b, row), t, &mut m[c], row),
        false => put(product::<4>(a, b, row), t, &mut m[c], row),
    }
}

/// The first `inner` columns of four rows of `row` entries; in place of a row beyond the last, the last one.
#[inline(always)]
fn columns(m: &[f64], row: usize, inner: usize) -> impl Iterator<Item = [f64; ROWS]> {
    let last = m.len() / row - 1;
    let rows: [&[f64]; ROWS] = std::array::from_fn(|i| &m[i.min(last) * row..][..inner]);
    (0..inner).map(move |k| rows.map(|r| r[k]))
}

/// The first four entries of all rows.
#[inline(always)]
fn quads(m: &[f64], row: usize) -> impl Iterator<Item = [f64; ROWS]> {
    m.chunks(row).map(|r| r.as_chunks::<ROWS>().0[0])
}

/// Row i, and row k after it, of a matrix with rows of this length.
#[inline(always)]
fn two(m: &mut [f64], row: usize, i: usize, k: usize) -> (&mut [f64], &mut [f64]) {
    let (head, tail) = m.split_at_mut(k * row);
    (&mut head[i * row..][..row], &mut tail[..row])
}

/// Factors A₁₁, A₁₂ and A₂₁ᵀ, and subtracts L₂₁ U₁₂ from the rest. `Err` gives a coordinate without a pivot.
#[inline(always)]
pub(super) fn eliminate(
    f: &Front,
    [square, upper, lower, rest]: [&mut [f64]; 4],
    exchanges: &mut [usize],
) -> Result<(), usize> {
    let (width, [own, beside]) = (f.width, f.rows());
    for begin in (0..width).step_by(PANEL) {
        let end = (begin + PANEL).min(width);
        for first in (begin..width).step_by(ROWS).filter(|_| begin > 0) {
            let rows = [first, (first + ROWS).min(width), begin];
            strip_within(square, rows, None, (own, begin));
        }
        for k in begin..end {
            let size = |i: usize| square[i * own + k].abs();
            let best = (k..width).fold(k, |b, i| if size(i) > size(b) { i } else { b });
            if !(size(best) > f64::MIN_POSITIVE && size(best).is_finite()) {
                return Err(k);
            }
            exchanges[k] = best;
            if best != k {
                for (part, row) in [(&mut *square, own), (&mut *upper, beside)] {
                    let (a, b) = two(part, row, k, best);
                    a.swap_with_slice(b);
                }
            }
            let (done, below) = square.split_at_mut((k + 1) * own);
            let pivots = &mut done[k * own..];
            let inverse = 1.0 / pivots[k];
            pivots[k] = inverse;
            for line in below.chunks_exact_mut(own) {
                let factor = line[k] * inverse;
                line[k] = factor;
                for (x, pivot) in zip(&mut line[k + 1..end], &pivots[k + 1..end]) {
                    *x -= factor * pivot;
                }
            }
        }
        // The rows of these pivots: of A₁₁ right of the panel, of A₁₂ and of A₂₁ᵀ.
        for first in (begin..end).step_by(ROWS) {
            let stop = (first + ROWS).min(end);
            let [mut l, mut u]: [Triangle; 2] = Default::default();
            for i in 0..stop - first {
                for j in 0..i {
                    l[i][j] = square[(first + i) * own + first + j];
                    u[i][j] = square[(first + j) * own + first + i];
                }
                (l[i][i], u[i][i]) = (1.0, square[(first + i) * own + first + i]);
            }
            for j in (end..width).step_by(8) {
                strip_within(square, [first, stop, first], Some(&l), (own, j));
            }
            let rows = &square[first * own..stop * own];
            let (above, next) = upper[..stop * beside].split_at_mut(first * beside);
            for j in (0..beside).step_by(8) {
                let left = columns(rows, own, first);
                strip(left, above, Some(&l), next, (beside, j));
            }
            let (above, next) = lower[..stop * beside].split_at_mut(first * beside);
            for j in (0..beside).step_by(8) {
                let left = quads(&square[first..], own).take(first);
                strip(left, above, Some(&u), next, (beside, j));
            }
        }
    }
    // A strip of columns of U₁₂ stays in the cache.
    for j in (0..beside).step_by(8) {
        for (i, c) in rest.chunks_mut(ROWS * beside).enumerate() {
            let left = quads(&lower[ROWS * i..], beside);
            strip(left, upper, None, c, (beside, j));
        }
    }
    Ok(())
}
