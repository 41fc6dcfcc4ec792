//! Loops over one block and its neighbours in a panel.

use crate::linalg::FREE;
use crate::linalg::kernel::{add_combination, add_six_columns, axpy, subtract_combination};

/// Coordinates of a mass point.
const POINT: usize = 3;

#[inline(always)]
pub(super) fn copy<const W: usize>(from: &[[f64; W]], to: &mut [[f64; W]]) {
    if from.len() == FREE {
        to[..FREE].copy_from_slice(&from[..FREE]);
    } else {
        to[..from.len()].copy_from_slice(from);
    }
}

/// y −= A x.
#[inline(always)]
pub(super) fn subtract_times<const W: usize>(a: &[f64], x: &[[f64; W]], y: &mut [[f64; W]]) {
    if x.len() == FREE && y.len() == FREE {
        subtract_times_any(&a[..FREE * FREE], &x[..FREE], &mut y[..FREE]);
    } else {
        subtract_times_any(a, x, y);
    }
}

#[inline(always)]
fn subtract_times_any<const W: usize>(a: &[f64], x: &[[f64; W]], y: &mut [[f64; W]]) {
    for (i, y) in y.iter_mut().enumerate() {
        subtract_combination(&a[i * x.len()..][..x.len()], x, y);
    }
}

/// y −= Aᵀ x.
#[inline(always)]
pub(super) fn subtract_transposed_times<const W: usize>(
    a: &[f64],
    x: &[[f64; W]],
    y: &mut [[f64; W]],
) {
    if W == 1 && x.len() == FREE && y.len() == FREE {
        let (x, y) = (x.as_flattened(), y.as_flattened_mut());
        add_six_columns(-1.0, &a[..FREE * FREE], &x[..FREE], y);
    } else {
        for (i, x) in x.iter().enumerate() {
            for (a, y) in a[i * y.len()..].iter().zip(y.iter_mut()) {
                axpy(-a, x, y);
            }
        }
    }
}

/// x ← D⁻¹ x, or D⁻ᵀ x, by the inverse of a node's block; `y` has the length of x.
#[inline(always)]
pub(super) fn divide<const W: usize>(
    inverse: &[f64],
    x: &mut [[f64; W]],
    y: &mut [[f64; W]],
    transposed: bool,
) {
    let n = x.len();
    if n == FREE {
        divide_any(inverse, &mut x[..FREE], &mut y[..FREE], transposed);
    } else {
        divide_any(inverse, x, &mut y[..n], transposed);
    }
}

#[inline(always)]
fn divide_any<const W: usize>(
    inverse: &[f64],
    x: &mut [[f64; W]],
    y: &mut [[f64; W]],
    transposed: bool,
) {
    let n = y.len();
    y.copy_from_slice(x);
    x.fill([0.0; W]);
    for i in 0..n {
        let line = &inverse[i * n..][..n];
        if transposed {
            for (a, x) in line.iter().zip(x.iter_mut()) {
                axpy(*a, &y[i], x);
            }
        } else {
            add_combination(line, y, &mut x[i]);
        }
    }
}

/// C −= Aᵀ B; [columns of A, rows of A and B, columns of B].
#[inline(always)]
pub(super) fn subtract_product(
    c: &mut [f64],
    a: &[f64],
    b: &[f64],
    [rows, inner, columns]: [usize; 3],
) {
    if rows == FREE && columns == FREE {
        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
        let (top, bottom) = c.as_chunks_mut::<FREE>().0.split_at_mut(FREE / 2);
        subtract_half(top, a, b, 0);
        subtract_half(bottom, a, b, FREE / 2);
        return;
    }
    if [rows, inner, columns] == [POINT; 3]
        && let ([c], [a], [b]) = (c.as_chunks_mut().0, a.as_chunks().0, b.as_chunks().0)
    {
        subtract_points(c, a, b);
        return;
    }
    for k in 0..inner {
        let (a, b) = (&a[k * rows..][..rows], &b[k * columns..][..columns]);
        for (i, a) in a.iter().enumerate() {
            for (c, b) in c[i * columns..][..columns].iter_mut().zip(b) {
                *c -= a * b;
            }
        }
    }
}

/// The same for blocks between mass points, which are most of a deformable body's: C stays in registers.
#[inline(always)]
fn subtract_points(
    c: &mut [f64; POINT * POINT],
    a: &[f64; POINT * POINT],
    b: &[f64; POINT * POINT],
) {
    for i in 0..POINT {
        for j in 0..POINT {
            let sum =
                a[i] * b[j] + a[POINT + i] * b[POINT + j] + a[2 * POINT + i] * b[2 * POINT + j];
            c[i * POINT + j] -= sum;
        }
    }
}

/// The same for three rows of C, starting with `first`: C stays in registers.
#[inline(always)]
fn subtract_half(c: &mut [[f64; FREE]], a: &[[f64; FREE]], b: &[[f64; FREE]], first: usize) {
    // Two widths of vectors, because the compiler does not split six lanes by itself.
    let mut sum = [([0.0; 4], [0.0; 2]); FREE / 2];
    for ((head, tail), c) in sum.iter_mut().zip(c.iter()) {
        head.copy_from_slice(&c[..4]);
        tail.copy_from_slice(&c[4..]);
    }
    for (a, b) in a.iter().zip(b) {
        for ((head, tail), a) in sum.iter_mut().zip(&a[first..first + FREE / 2]) {
            for (x, b) in head.iter_mut().zip(b) {
                *x -= a * b;
            }
            for (x, b) in tail.iter_mut().zip(&b[4..]) {
                *x -= a * b;
            }
        }
    }
    for ((head, tail), c) in sum.iter().zip(c) {
        c[..4].copy_from_slice(head);
        c[4..].copy_from_slice(tail);
    }
}

/// C ← D⁻¹ C for a block of `rows`; `buffer` has the size of C.
#[inline(always)]
pub(super) fn divide_block(inverse: &[f64], c: &mut [f64], rows: usize, buffer: &mut [f64]) {
    let columns = c.len() / rows;
    let copy = &mut buffer[..c.len()];
    copy.copy_from_slice(c);
    c.fill(0.0);
    for i in 0..rows {
        let (inverse, c) = (
            &inverse[i * rows..][..rows],
            &mut c[i * columns..][..columns],
        );
        if rows == FREE && columns == FREE {
            add_six_columns(1.0, &copy[..FREE * FREE], &inverse[..FREE], c);
        } else {
            for (k, a) in inverse.iter().enumerate() {
                for (c, b) in c.iter_mut().zip(&copy[k * columns..]) {
                    *c += a * b;
                }
            }
        }
    }
}

/// A ← C⁻¹ of a symmetric positive definite A = C Cᵀ; only the lower triangle of A is read. False if A is not
/// definite.
#[inline(always)]
pub(super) fn invert_root(a: &mut [f64], n: usize) -> bool {
    if n == FREE {
        invert_root_any(&mut a[..FREE * FREE], FREE)
    } else {
        invert_root_any(a, n)
    }
}

#[inline(always)]
fn invert_root_any(a: &mut [f64], n: usize) -> bool {
    // Cᵀ above the diagonal, reciprocals on it: the rows of Cᵀ add up in lanes.
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let diagonal = rest[i];
        let (row, below) = rest.split_at_mut(n);
        let row = &mut row[i..];
        row.fill(0.0);
        for other in above.chunks_exact(n) {
            let other = &other[i..];
            for (x, y) in row.iter_mut().zip(other) {
                *x += other[0] * y;
            }
        }
        let square = diagonal - row[0];
        if !(square > f64::MIN_POSITIVE && square.is_finite()) {
            return false;
        }
        row[0] = 1.0 / square.sqrt();
        let scale = row[0];
        for (x, other) in row[1..].iter_mut().zip(below.chunks_exact(n)) {
            *x = (other[i] - *x) * scale;
        }
    }
    // C⁻¹ row by row, below the diagonal.
    for i in 0..n {
        let (above, rest) = a.split_at_mut(i * n);
        let scale = rest[i];
        let row = &mut rest[..i];
        row.fill(0.0);
        for (k, other) in above.chunks_exact(n).enumerate() {
            for (x, y) in row.iter_mut().zip(&other[..=k]) {
                *x += other[i] * y;
            }
        }
        row.iter_mut().for_each(|x| *x *= -scale);
    }
    for i in 0..n {
        a[i * n..][i + 1..n].fill(0.0);
    }
    true
}

/// A ← A⁻¹ in place by Gauss–Jordan with row exchanges; `exchanges` has one entry for each row. Returns
/// whether the determinant is negative, or `None` if it is zero.
#[inline(always)]
pub fn invert(a: &mut [f64], n: usize, exchanges: &mut [usize]) -> Option<bool> {
    if n == FREE {
        invert_any(&mut a[..FREE * FREE], FREE, &mut exchanges[..FREE])
    } else {
        invert_any(a, n, exchanges)
    }
}

#[inline(always)]
fn invert_any(a: &mut [f64], n: usize, exchanges: &mut [usize]) -> Option<bool> {
    let mut is_negative = false;
    for k in 0..n {
        let size = |i: usize| a[i * n + k].abs();
        let best = (k..n).fold(k, |b, i| if size(i) > size(b) { i } else { b });
        let largest = size(best);
        if !(largest > f64::MIN_POSITIVE && largest.is_finite()) {
            return None;
        }
        is_negative ^= (best != k) ^ (a[best * n + k] < 0.0);
        exchanges[k] = best;
        if best != k {
            let (head, tail) = a.split_at_mut(best * n);
            head[k * n..(k + 1) * n].swap_with_slice(&mut tail[..n]);
        }
        let (above, rest) = a.split_at_mut(k * n);
        let (row, below) = rest.split_at_mut(n);
        let inverse = 1.0 / row[k];
        // A store to a single entry would delay the vectors that are loaded next.
        for (j, x) in row.iter_mut().enumerate() {
            *x = inverse * if j == k { 1.0 } else { *x };
        }
        for part in [above, below] {
            for line in part.chunks_exact_mut(n) {
                let factor = line[k];
                for (j, (x, r)) in line.iter_mut().zip(row.iter()).enumerate() {
                    let kept = if j == k { 0.0 } else { *x };
                    *x = kept - factor * r;
                }
            }
        }
    }
    // Exchanged rows of A are columns of its inverse.
    for k in (0..n).rev().filter(|k| exchanges[*k] != *k) {
        for line in a.chunks_exact_mut(n) {
            line.swap(k, exchanges[k]);
        }
    }
    Some(is_negative)
}
