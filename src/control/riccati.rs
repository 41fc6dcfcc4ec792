//! The discrete algebraic Riccati equation by doubling (Chu, Fan, Lin and Wang, *Structure-preserving
//! algorithms for periodic discrete-time algebraic Riccati equations*, Int. J. Control 2004): iterates
//! converge quadratically if the closed loop is stable.

use crate::error::{Error, Result};
use crate::step::info::check_finite;
use nalgebra::linalg::SymmetricEigen;
use nalgebra::{DMatrix, Dyn};

/// Bound on doublings: enough for a closed loop whose slowest mode decays by 1e-12 in a step.
const DOUBLINGS: usize = 45;

/// Bound on the iterations for the eigenvalues of Q, for each row.
const SWEEPS: usize = 100;

/// Tolerated residual of the equation, relative to P.
const RESIDUAL: f64 = 1e-9;

/// K and P of the regulator u = −K x of x⁺ = A x + B u that minimizes Σ xᵀQx + uᵀRu: K nu×nx, P nx×nx with
/// xᵀPx the cost from x on; all column-major. A: nx×nx, B: nx×nu, Q: nx×nx symmetric, without negative
/// directions, R: nu×nu symmetric and positive definite. Allocates.
///
/// # Errors
/// `InvalidArgument` for lengths, an R that is not positive definite, a Q or R that is not symmetric, or a Q
/// with a negative direction; `Numerical` for numbers that are not finite; `NotConverged` if no regulator
/// stabilizes the system: an unstable direction that inputs do not reach, or a direction without decay that
/// the cost does not see.
pub fn lqr([nx, nu]: [usize; 2], [a, b, q, r]: [&[f64]; 4]) -> Result<(Vec<f64>, Vec<f64>)> {
    if nx == 0 || nu == 0 {
        return Err(Error::invalid(format!(
            "nx, nu: must be positive, got {nx} and {nu}"
        )));
    }
    let matrix = |name: &str, x: &[f64], rows: usize, columns: usize| {
        check_finite(name, x, rows.saturating_mul(columns))?;
        Ok(DMatrix::from_column_slice(rows, columns, x))
    };
    let (a, b) = (matrix("A", a, nx, nx)?, matrix("B", b, nx, nu)?);
    let (q, r) = (matrix("Q", q, nx, nx)?, matrix("R", r, nu, nu)?);
    check_symmetric("Q", &q)?;
    check_symmetric("R", &r)?;
    let least = least_eigenvalue(&q)?;
    if least < -1e-12 * q.amax() {
        return Err(Error::invalid(format!(
            "Q: must have no negative direction, got the eigenvalue {least:e}"
        )));
    }
    let Some(cholesky) = r.clone().cholesky() else {
        return Err(Error::invalid("R: must be positive definite"));
    };
    let unsolved = |left: f64| {
        Error::not_converged(format!(
            "A, B, Q: no regulator was found, the Riccati equation has a residual of {left:e}: an unstable direction is not controllable, or a direction without decay has no weight in Q"
        ))
    };
    let (mut ak, mut g, mut p) = (a.clone(), &b * cholesky.solve(&b.transpose()), q.clone());
    for _ in 0..DOUBLINGS {
        let lu = (DMatrix::identity(nx, nx) + &g * &p).lu();
        let (Some(left), Some(right)) = (lu.solve(&ak), lu.solve(&g)) else {
            return Err(unsolved(f64::INFINITY));
        };
        let more = ak.tr_mul(&(&p * &left));
        g += &ak * right * ak.transpose();
        p += &more;
        p = (&p + p.transpose()) * 0.5;
        g = (&g + g.transpose()) * 0.5;
        ak = &ak * left;
        let size = more.amax();
        if !size.is_finite() {
            return Err(unsolved(f64::INFINITY));
        }
        if size <= f64::EPSILON * p.amax() {
            break;
        }
    }
    let pb = &p * &b;
    let Some(h) = (&r + b.tr_mul(&pb)).cholesky() else {
        return Err(unsolved(f64::INFINITY));
    };
    let k = h.solve(&pb.tr_mul(&a));
    let closed = &a - &b * &k;
    let left = (&q + a.tr_mul(&(&p * &closed)) - &p).amax() / p.amax().max(f64::MIN_POSITIVE);
    match left <= RESIDUAL && decays(&closed) {
        true => Ok((k.as_slice().to_vec(), p.as_slice().to_vec())),
        false => Err(unsolved(left)),
    }
}

/// The least eigenvalue of a symmetric matrix.
///
/// # Errors
/// `Numerical` if the iteration does not converge.
fn least_eigenvalue(m: &DMatrix<f64>) -> Result<f64> {
    let most = SWEEPS * m.nrows();
    let eigen: Option<SymmetricEigen<f64, Dyn>> =
        SymmetricEigen::try_new(m.clone(), f64::EPSILON, most);
    match eigen {
        Some(eigen) => Ok(eigen.eigenvalues.min()),
        None => Err(Error::numerical(format!(
            "Q: its eigenvalues were not found in {most} iterations"
        ))),
    }
}

/// True if the powers of the matrix tend to zero, by squaring. Iterations for eigenvalues need not end: those
/// of a closed loop that inputs of round-off should stabilize do not.
fn decays(m: &DMatrix<f64>) -> bool {
    let mut power = m.clone();
    for _ in 0..DOUBLINGS {
        let size = power.norm();
        if size < 0.5 || !size.is_finite() {
            return size < 0.5;
        }
        power = &power * &power;
    }
    false
}

fn check_symmetric(name: &str, m: &DMatrix<f64>) -> Result<()> {
    let off = (m - m.transpose()).amax();
    match off <= 1e-12 * m.amax() {
        true => Ok(()),
        false => Err(Error::invalid(format!(
            "{name}: must be symmetric, entries differ by {off:e}"
        ))),
    }
}
