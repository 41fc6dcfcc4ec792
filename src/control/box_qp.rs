//! Minimizes ½ xᵀHx + gᵀx with lower ≤ x ≤ upper by projected Newton steps (Bertsekas 1982; for the inputs of
//! a regulator: Tassa, Mansard and Todorov, *Control-limited differential dynamic programming*, ICRA 2014).

use nalgebra::{Cholesky, DMatrix, Dyn};

/// Bound on Newton steps. Each changes the active bounds; few are needed from the last ones.
const STEPS: usize = 100;

/// Share of the predicted decrease that a step must achieve.
const ENOUGH: f64 = 0.1;

/// A solved problem: the free entries, and the factors of H between them.
pub struct Solved {
    pub free: Vec<usize>,
    pub factors: Cholesky<f64, Dyn>,
}

fn value(h: &DMatrix<f64>, g: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    let mut sum = 0.0;
    for c in 0..n {
        let column: f64 = (0..n).map(|r| h[(r, c)] * x[r]).sum();
        sum += x[c] * (0.5 * column + g[c]);
    }
    sum
}

/// Moves x, which is within the bounds, to the minimum; `None` if H is not positive definite between free
/// entries.
pub fn solve(
    h: &DMatrix<f64>,
    g: &[f64],
    [lower, upper]: [&[f64]; 2],
    x: &mut [f64],
) -> Option<Solved> {
    let n = x.len();
    let mut kept: Option<Solved> = None;
    for _ in 0..STEPS {
        let gradient: Vec<f64> = (0..n)
            .map(|r| g[r] + (0..n).map(|c| h[(r, c)] * x[c]).sum::<f64>())
            .collect();
        let free: Vec<usize> = (0..n)
            .filter(|k| {
                let held = x[*k] <= lower[*k] && gradient[*k] > 0.0
                    || x[*k] >= upper[*k] && gradient[*k] < 0.0;
                !held
            })
            .collect();
        let solved = match kept.take() {
            Some(kept) if kept.free == free => kept,
            _ => {
                let m = free.len();
                let part = DMatrix::from_fn(m, m, |r, c| h[(free[r], free[c])]);
                let factors = part.cholesky()?;
                Solved { free, factors }
            }
        };
        let mut step = DMatrix::from_iterator(
            solved.free.len(),
            1,
            solved.free.iter().map(|k| -gradient[*k]),
        );
        let size = step.amax();
        solved.factors.solve_mut(&mut step);
        let promise: f64 = (solved.free.iter().zip(step.iter()))
            .map(|(k, d)| gradient[*k] * d)
            .sum();
        // Round-off of the gradient.
        let scale = g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        if solved.free.is_empty() || size <= 1e-14 * scale || promise >= 0.0 {
            return Some(solved);
        }
        let (before, from) = (value(h, g, x), x.to_vec());
        let mut share = 1.0;
        loop {
            for (k, d) in solved.free.iter().zip(step.iter()) {
                x[*k] = (from[*k] + share * d).clamp(lower[*k], upper[*k]);
            }
            let gained = before - value(h, g, x);
            let asked: f64 = (solved.free.iter())
                .map(|k| gradient[*k] * (from[*k] - x[*k]))
                .sum();
            if gained >= ENOUGH * asked {
                break;
            }
            share *= 0.5;
            if share < 1e-10 {
                x.copy_from_slice(&from);
                return Some(solved);
            }
        }
        kept = Some(solved);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    /// Conditions at the minimum: no gradient where free, none that points inward at a bound.
    #[test]
    fn conditions_of_the_least_hold() {
        for seed in 0..200 {
            let n = 1 + seed % 6;
            let at = |k: usize| scattered(k, seed) - 0.5;
            let m = DMatrix::from_fn(n, n, |r, c| at(7 * r + c));
            let h = &m * m.transpose() + DMatrix::identity(n, n) * 0.05;
            let g: Vec<f64> = (0..n).map(|k| 4.0 * at(100 + k)).collect();
            let lower: Vec<f64> = (0..n).map(|k| -0.3 - at(200 + k).abs()).collect();
            let upper: Vec<f64> = (0..n).map(|k| 0.3 + at(300 + k).abs()).collect();
            let mut x = vec![0.0; n];
            let solved = solve(&h, &g, [&lower, &upper], &mut x).unwrap();
            for k in 0..n {
                let gradient = g[k] + (0..n).map(|c| h[(k, c)] * x[c]).sum::<f64>();
                let inside = x[k] > lower[k] && x[k] < upper[k];
                assert!(lower[k] <= x[k] && x[k] <= upper[k]);
                assert!(!inside || gradient.abs() < 1e-11, "{seed}: {gradient:e}");
                assert!(x[k] > lower[k] || gradient > -1e-11, "{seed}");
                assert!(x[k] < upper[k] || gradient < 1e-11, "{seed}");
                assert!(!inside || solved.free.contains(&k));
            }
        }
    }
}
