//! Elimination within a front.

use super::front::{Front, padded};
use crate::linalg::F4;

/// Coordinates that are eliminated one by one, before a product of matrices takes them to all others.
const BAND: usize = 8;

/// Rows of a tile of a product: with eight columns, its sums stay in registers.
const ROWS: usize = 4;

/// The left factor of a product, tile by tile.
#[derive(Clone, Debug, Default)]
pub(super) struct Pack(Vec<[f64; ROWS]>);

impl Pack {
    pub fn reserve(&mut self, f: &Front) {
        let most = (f.width * padded(f.rest)).max(BAND * padded(f.width)) / ROWS;
        if self.0.len() < most {
            self.0.resize(most, [0.0; ROWS]);
        }
    }

    /// Takes a matrix of `rows` rows and `inner` columns by its entries.
    #[inline(always)]
    fn take(&mut self, rows: usize, inner: usize, entry: impl Fn(usize, usize) -> f64) {
        for (tile, to) in self.0.chunks_exact_mut(inner).enumerate() {
            let first = tile * ROWS;
            if first >= rows {
                return;
            }
            for (k, to) in to.iter_mut().enumerate() {
                for (i, to) in to.iter_mut().enumerate() {
                    *to = if first + i < rows {
                        entry(first + i, k)
                    } else {
                        0.0
                    };
                }
            }
        }
    }

    /// C −= A B for the matrix A of `inner` columns that was taken, in the columns from `from` on, which is a
    /// multiple of four. Rows of B and C have `row` entries.
    #[inline(always)]
    fn subtract(&self, inner: usize, b: &[f64], c: &mut [f64], row: usize, from: usize) {
        let mut j = from;
        while j < row {
            let is_wide = j + 8 <= row;
            for (a, c) in (self.0.chunks_exact(inner)).zip(c.chunks_mut(ROWS * row)) {
                match is_wide {
                    true => tile::<2>(a, &b[j..], &mut c[j..], row),
                    false => tile::<1>(a, &b[j..], &mut c[j..], row),
                }
            }
            j += if is_wide { 8 } else { 4 };
        }
    }
}

/// One tile of four V columns.
#[inline(always)]
fn tile<const V: usize>(a: &[[f64; ROWS]], b: &[f64], c: &mut [f64], row: usize) {
    let mut sums = [[F4::ZERO; V]; ROWS];
    for (a, b) in a.iter().zip(b.chunks(row)) {
        let b = &b.as_chunks::<4>().0[..V];
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += F4(*b) * *a;
            }
        }
    }
    for (c, sums) in c.chunks_mut(row).zip(&sums) {
        for (c, sum) in c.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            *c = (F4(*c) - *sum).0;
        }
    }
}

/// y −= a x.
#[inline(always)]
fn subtract(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= a * x;
    }
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
    pack: &mut Pack,
) -> Result<(), usize> {
    let (width, [own, beside]) = (f.width, f.rows());
    for begin in (0..width).step_by(BAND) {
        let end = (begin + BAND).min(width);
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
                subtract(factor, &pivots[k + 1..end], &mut line[k + 1..end]);
            }
        }
        let inner = end - begin;
        for k in begin..end {
            for j in begin..k {
                let (above, line) = two(square, own, j, k);
                let factor = line[j];
                if end < width {
                    subtract(factor, &above[end..], &mut line[end..]);
                }
                let (above, line) = two(upper, beside, j, k);
                subtract(factor, above, line);
                let factor = square[j * own + k];
                let (above, line) = two(lower, beside, j, k);
                subtract(factor, above, line);
            }
            let inverse = square[k * own + k];
            let line = &mut lower[k * beside..][..beside];
            line.iter_mut().for_each(|x| *x *= inverse);
        }
        if end == width {
            break;
        }
        pack.take(width - end, inner, |i, k| {
            square[(end + i) * own + begin + k]
        });
        let (done, below) = square.split_at_mut(end * own);
        pack.subtract(inner, &done[begin * own..], below, own, end);
        let (done, below) = upper.split_at_mut(end * beside);
        pack.subtract(inner, &done[begin * beside..], below, beside, 0);
        pack.take(width - end, inner, |i, k| {
            square[(begin + k) * own + end + i]
        });
        let (done, below) = lower.split_at_mut(end * beside);
        pack.subtract(inner, &done[begin * beside..], below, beside, 0);
    }
    pack.take(f.rest, width, |i, k| lower[k * beside + i]);
    pack.subtract(width, upper, rest, beside, 0);
    Ok(())
}
