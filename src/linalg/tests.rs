//! Both factorizations against their contract: A x = b, x in the range, the transpose, the rank.

use super::{General, LANES, Symmetric};

fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// B S C with B, C n × r and S diagonal over two orders of magnitude; C = Bᵀ if symmetric.
fn low_rank(n: usize, r: usize, symmetric: bool, next: &mut impl FnMut() -> f64) -> Vec<f64> {
    let b: Vec<f64> = (0..n * r).map(|_| next()).collect();
    let c: Vec<f64> = if symmetric {
        b.clone()
    } else {
        (0..n * r).map(|_| next()).collect()
    };
    let scale = |k: usize| 10f64.powf(1.0 - 2.0 * k as f64 / r as f64);
    (0..n * n)
        .map(|i| {
            (0..r)
                .map(|k| b[i / n * r + k] * scale(k) * c[i % n * r + k])
                .sum()
        })
        .collect()
}

fn product(a: &[f64], n: usize, x: &[f64], transpose: bool) -> Vec<f64> {
    (0..n)
        .map(|i| {
            (0..n).map(|j| if transpose { a[j * n + i] } else { a[i * n + j] } * x[j]).sum()
        })
        .collect()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

fn lanes<const W: usize>(x: &[f64]) -> Vec<[f64; W]> {
    x.iter()
        .map(|v| std::array::from_fn(|k| v * (k + 1) as f64))
        .collect()
}

#[test]
fn symmetric_solves_and_finds_rank_and_least_norm() {
    let mut next = numbers(1);
    for n in [1usize, 2, 3, 5, 8, 13, 24, 40] {
        for r in [n, (n / 2).max(1), n.saturating_sub(3).max(1)] {
            let a = low_rank(n, r, true, &mut next);
            let mut factor = Symmetric::new(40);
            factor.matrix(n).copy_from_slice(&a);
            factor.factor(1e-11);
            assert_eq!((factor.order(), factor.rank()), (n, r));
            // x = A y is in the range, so the least-norm solution of A x' = A x is x itself.
            let x = product(&a, n, &(0..n).map(|_| next()).collect::<Vec<_>>(), false);
            let b = product(&a, n, &x, false);
            let (mut one, mut many) = (lanes::<1>(&b), lanes::<LANES>(&b));
            factor.solve(&mut one, &mut vec![[0.0]; 40]);
            factor.solve(&mut many, &mut vec![[0.0; LANES]; 40]);
            check(&a, n, r, &x, &b, &one);
            for (one, many) in one.iter().zip(&many) {
                for (w, v) in many.iter().enumerate() {
                    assert!((v - (w + 1) as f64 * one[0]).abs() <= 1e-8 * largest(&x));
                }
            }
        }
    }
}

/// The residual is of round-off size; a deficient system's solution is the one in the range, x.
fn check(a: &[f64], n: usize, r: usize, x: &[f64], b: &[f64], solved: &[[f64; 1]]) {
    let solved = solved.as_flattened();
    let back = product(a, n, solved, false);
    for k in 0..n {
        assert!(
            (back[k] - b[k]).abs() <= 1e-12 * n as f64 * largest(b),
            "{n} {r}: {} {}",
            back[k],
            b[k]
        );
        assert!(
            r == n || (solved[k] - x[k]).abs() <= 1e-8 * largest(x),
            "{n} {r}: {} {}",
            solved[k],
            x[k]
        );
    }
}

#[test]
fn general_solves_in_the_range_and_transposes() {
    let mut next = numbers(2);
    for n in [1usize, 2, 3, 5, 8, 13, 24, 40] {
        for r in [n, (n / 2).max(1), n.saturating_sub(3).max(1)] {
            let a = low_rank(n, r, false, &mut next);
            let mut factor = General::new(40);
            factor.matrix(n).copy_from_slice(&a);
            let full = factor.factor(1e-9);
            assert_eq!(full, r == n);
            if !full {
                factor.matrix(n).copy_from_slice(&a);
                factor.factor_complete(1e-11);
            }
            assert_eq!((factor.order(), factor.rank()), (n, r));
            let x = product(&a, n, &(0..n).map(|_| next()).collect::<Vec<_>>(), false);
            let b = product(&a, n, &x, false);
            let mut solved = lanes::<1>(&b);
            factor.solve(&mut solved, &mut vec![[0.0]; 40]);
            check(&a, n, r, &x, &b, &solved);
            // ⟨y, A⁻ x⟩ = ⟨A⁻ᵀ y, x⟩ for any vectors.
            let [u, v]: [Vec<f64>; 2] = std::array::from_fn(|_| (0..n).map(|_| next()).collect());
            let (mut left, mut right) = (lanes::<LANES>(&u), lanes::<LANES>(&v));
            factor.solve(&mut left, &mut vec![[0.0; LANES]; 40]);
            factor.solve_transpose(&mut right, &mut vec![[0.0; LANES]; 40]);
            let (mut a, mut b, mut size) = (0.0, 0.0, 1.0f64);
            for k in 0..n {
                a += left[k][2] / 3.0 * v[k];
                b += right[k][2] / 3.0 * u[k];
                size = size.max(left[k][2].abs());
            }
            assert!((a - b).abs() <= 1e-10 * size * n as f64, "{n} {r}: {a} {b}");
        }
    }
}

/// Wherever the zero rows are, the others are solved as without them, and the right-hand sides of the zero
/// rows stay.
#[test]
fn zero_lines_leave_the_others_their_inverse() {
    let mut next = numbers(4);
    for (n, idle) in [
        (2, vec![0]),
        (3, vec![1]),
        (6, vec![0, 3]),
        (12, vec![1, 2, 10]),
        (20, (0..11).collect()),
    ] {
        let kept: Vec<usize> = (0..n).filter(|k| !idle.contains(k)).collect();
        let r = kept.len();
        let dense = low_rank(r, r, true, &mut next);
        let (mut all, mut rest) = (Symmetric::new(20), Symmetric::new(20));
        let a = all.matrix(n);
        a.fill(0.0);
        for (i, k) in kept.iter().enumerate() {
            for (j, l) in kept.iter().enumerate() {
                a[k * n + l] = dense[i * r + j];
            }
        }
        rest.matrix(r).copy_from_slice(&dense);
        all.factor(1e-11);
        rest.factor(1e-11);
        assert_eq!((all.rank(), rest.rank()), (r, r));
        let b: Vec<f64> = (0..n).map(|_| next()).collect();
        let part: Vec<f64> = kept.iter().map(|k| b[*k]).collect();
        let (mut x, mut y) = (lanes::<1>(&b), lanes::<1>(&part));
        all.solve(&mut x, &mut [[0.0]; 20]);
        rest.solve(&mut y, &mut [[0.0]; 20]);
        let size = largest(y.as_flattened());
        for (k, y) in kept.iter().zip(&y) {
            assert!((x[*k][0] - y[0]).abs() <= 1e-10 * size, "{n}: {k}");
        }
        assert!(idle.iter().all(|k| x[*k] == [0.0]));
        let mut half = vec![0.0; n * r];
        all.half_inverse(&mut half, r, &mut [[0.0; LANES]; 20]);
        check_split(&half, &half, r, &b, &x);
        // F x = t with the coefficients of each unknown and the unit one.
        let mut t = lanes::<1>(&b);
        all.range_target(&mut t, &mut [[0.0]; 20]);
        for (e, t) in t[..r].iter().enumerate() {
            let unknowns = all.permutation().iter().enumerate();
            let sum: f64 = unknowns
                .map(|(i, k)| all.range_entry(e, i) * x[*k][0])
                .sum();
            assert!((sum - t[0]).abs() <= 1e-10 * size, "{n}: {e}");
        }
    }
}

#[test]
fn zero_and_empty_matrices_solve_to_zero() {
    let (mut symmetric, mut general) = (Symmetric::new(3), General::new(3));
    for n in [0, 3] {
        symmetric.matrix(n).fill(0.0);
        symmetric.factor(1e-11);
        general.matrix(n).fill(0.0);
        assert_eq!(general.factor(1e-11), n == 0);
        general.matrix(n).fill(0.0);
        general.factor_complete(1e-11);
        assert_eq!((symmetric.rank(), general.rank()), (0, 0));
        let (mut x, mut y) = (vec![[1.0]; n], vec![[1.0]; n]);
        symmetric.solve(&mut x, &mut [[0.0]; 3]);
        general.solve(&mut y, &mut [[0.0]; 3]);
        assert!(x.iter().chain(&y).all(|v| v[0] == 0.0));
    }
}

/// The map that columns of `left` and `right` stand for, against a solve.
fn check_split(left: &[f64], right: &[f64], stride: usize, b: &[f64], solved: &[[f64; 1]]) {
    let middle: Vec<f64> = (0..stride)
        .map(|k| {
            b.iter()
                .enumerate()
                .map(|(i, b)| left[i * stride + k] * b)
                .sum()
        })
        .collect();
    let size = largest(solved.as_flattened());
    for (right, x) in right.chunks_exact(stride).zip(solved) {
        let y: f64 = right.iter().zip(&middle).map(|(r, m)| r * m).sum();
        assert!((y - x[0]).abs() <= 1e-10 * size, "{stride}: {y} {}", x[0]);
    }
}

#[test]
fn split_inverses_are_what_solves_apply() {
    let mut next = numbers(3);
    let mut x = [[0.0; LANES]; 24];
    for n in [1usize, 2, 5, 8, 13, 24] {
        for r in [n, (n / 2).max(1), n.saturating_sub(3).max(1)] {
            // Any right side: the deficient ones are solved by least squares.
            let b: Vec<f64> = (0..n).map(|_| next()).collect();
            let (mut left, mut right) = (vec![0.0; n * r], vec![0.0; n * r]);
            let mut symmetric = Symmetric::new(24);
            symmetric
                .matrix(n)
                .copy_from_slice(&low_rank(n, r, true, &mut next));
            symmetric.factor(1e-11);
            symmetric.half_inverse(&mut left, r, &mut x);
            let mut solved = lanes::<1>(&b);
            symmetric.solve(&mut solved, &mut [[0.0]; 24]);
            check_split(&left, &left, r, &b, &solved);

            let a = low_rank(n, r, false, &mut next);
            let mut general = General::new(24);
            general.matrix(n).copy_from_slice(&a);
            if !general.factor(1e-9) {
                general.matrix(n).copy_from_slice(&a);
                general.factor_complete(1e-11);
            }
            left.fill(0.0);
            right.fill(0.0);
            general.split_sides(&mut left, &mut right, r);
            for column in left.chunks_exact_mut(r) {
                let mut x = lanes::<LANES>(column);
                general.solve_middle(&mut x, &mut [[0.0; LANES]; 24]);
                for (out, x) in column.iter_mut().zip(&x) {
                    *out = x[0];
                }
            }
            let mut solved = lanes::<1>(&b);
            general.solve(&mut solved, &mut [[0.0]; 24]);
            check_split(&left, &right, r, &b, &solved);
        }
    }
}

/// Comparisons by the signs of integers: at the bound, beyond it, and for NaN.
#[test]
fn numbers_are_within_a_bound_as_comparisons_say() {
    let kinds = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.0,
        -2.0,
        2.5,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        -f64::NAN,
    ];
    for bound in [f64::MIN_POSITIVE, 2.0, f64::MAX, f64::INFINITY] {
        for x in kinds.into_iter().chain([f64::NEG_INFINITY, 5e-324]) {
            for (length, at) in [(1, 0), (9, 3), (9, 8), (37, 35)] {
                let mut numbers = vec![0.0; length];
                numbers[at] = x;
                assert_eq!(
                    super::within(bound, &numbers),
                    x.abs() < bound,
                    "{x} below {bound}"
                );
                numbers.fill(1.0);
                numbers[at] = x;
                assert_eq!(
                    super::all_positive(&numbers),
                    x > 0.0 && x.is_finite(),
                    "{x} above zero"
                );
            }
        }
    }
}
