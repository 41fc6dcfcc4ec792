//! LU by rows with column exchanges, in place: for many small matrices stored one after the other.

use super::add_scaled;
use crate::linalg::within;

/// A = L U Qᵀ of a square row-major `a`, L with its diagonal, U with unit diagonal; `columns` receives the
/// new place of each column. False at a row whose pivot is at most `tolerance` times its largest entry, or
/// not finite.
pub(crate) fn factor_plain(a: &mut [f64], columns: &mut [usize], tolerance: f64) -> bool {
    let n = columns.len();
    for (k, c) in columns.iter_mut().enumerate() {
        *c = k;
    }
    for i in 0..n {
        let (above, below) = a.split_at_mut(i * n);
        let row = &mut below[..n];
        if !within(f64::INFINITY, row) {
            return false;
        }
        let size = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (j, upper) in above.chunks_exact(n).enumerate() {
            let l = row[j];
            add_scaled(-l, &upper[j + 1..], &mut row[j + 1..]);
        }
        let mut best = i;
        for c in i..n {
            if row[c].abs() > row[best].abs() {
                best = c;
            }
        }
        let pivot = row[best];
        if !pivot.is_finite() || pivot.abs() <= tolerance * size {
            return false;
        }
        if best != i {
            columns.swap(i, best);
            a.chunks_exact_mut(n).for_each(|row| row.swap(i, best));
        }
        let inverse = 1.0 / pivot;
        a[i * n + i + 1..(i + 1) * n]
            .iter_mut()
            .for_each(|x| *x *= inverse);
    }
    true
}

/// x ← A⁻¹ x. `scratch` has the length of x.
pub(crate) fn solve_plain(a: &[f64], columns: &[usize], x: &mut [f64], scratch: &mut [f64]) {
    let n = columns.len();
    for (i, row) in a.chunks_exact(n.max(1)).enumerate() {
        let sum: f64 = row.iter().zip(&scratch[..i]).map(|(l, y)| l * y).sum();
        scratch[i] = (x[i] - sum) / row[i];
    }
    for (i, row) in a.chunks_exact(n.max(1)).enumerate().rev() {
        let known = scratch[i + 1..n].iter();
        let sum: f64 = row[i + 1..].iter().zip(known).map(|(u, y)| u * y).sum();
        scratch[i] -= sum;
        x[columns[i]] = scratch[i];
    }
}

/// x ← A⁻ᵀ x.
pub(crate) fn solve_plain_transposed(
    a: &[f64],
    columns: &[usize],
    x: &mut [f64],
    scratch: &mut [f64],
) {
    let n = columns.len();
    for (y, c) in scratch.iter_mut().zip(columns) {
        *y = x[*c];
    }
    for (i, row) in a.chunks_exact(n.max(1)).enumerate() {
        let y = scratch[i];
        add_scaled(-y, &row[i + 1..], &mut scratch[i + 1..n]);
    }
    for (i, row) in a.chunks_exact(n.max(1)).enumerate().rev() {
        let y = scratch[i] / row[i];
        x[i] = y;
        add_scaled(-y, &row[..i], &mut scratch[..i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    #[test]
    fn solves_what_it_multiplies() {
        for n in [1, 2, 5, 12] {
            // Zeros on the diagonal force column exchanges.
            let a: Vec<f64> = (0..n * n)
                .map(|k| {
                    if n > 1 && k % (n + 1) == 0 {
                        0.0
                    } else {
                        scattered(k, 3)
                    }
                })
                .collect();
            let x: Vec<f64> = (0..n).map(|k| scattered(k, 7)).collect();
            let (mut lu, mut columns) = (a.clone(), vec![0; n]);
            assert!(factor_plain(&mut lu, &mut columns, 1e-14));
            let mut scratch = vec![0.0; n];
            for transposed in [false, true] {
                let entry = |r: usize, c: usize| match transposed {
                    false => a[r * n + c],
                    true => a[c * n + r],
                };
                let mut b: Vec<f64> = (0..n)
                    .map(|r| (0..n).map(|c| entry(r, c) * x[c]).sum())
                    .collect();
                match transposed {
                    false => solve_plain(&lu, &columns, &mut b, &mut scratch),
                    true => solve_plain_transposed(&lu, &columns, &mut b, &mut scratch),
                }
                for (b, x) in b.iter().zip(&x) {
                    assert!((b - x).abs() < 1e-11, "{n}: {b} {x}");
                }
            }
        }
    }

    #[test]
    fn refuses_rows_that_depend_on_each_other_and_infinity() {
        let mut columns = [0; 2];
        assert!(!factor_plain(
            &mut [1.0, 2.0, 2.0, 4.0],
            &mut columns,
            1e-14
        ));
        assert!(!factor_plain(
            &mut [1.0, 0.0, f64::INFINITY, 4.0],
            &mut columns,
            1e-14
        ));
        assert!(factor_plain(&mut [1.0, 2.0, 2.0, 4.1], &mut columns, 1e-14));
    }
}
