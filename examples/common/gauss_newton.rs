//! Nonlinear least squares by Gauss–Newton with a nonmonotone backtracking line search (Grippo,
//! Lampariello and Lucidi, SIAM J. Numer. Anal. 1986).

use diffsim::error::Result;
use nalgebra::{DMatrix, DVector};
use std::time::Instant;

/// r(x), to be made zero.
pub trait LeastSquares {
    fn residual(&mut self, x: &DVector<f64>) -> Result<DVector<f64>>;

    /// The residual and its exact derivative.
    fn linearize(&mut self, x: &DVector<f64>) -> Result<(DVector<f64>, DMatrix<f64>)>;
}

/// Where ∂r/∂x comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gradient {
    Exact,
    /// Forward differences with this step: one more residual per unknown.
    Forward(f64),
    /// Central differences with this step: two more residuals per unknown.
    Central(f64),
}

impl Gradient {
    pub fn label(self) -> String {
        match self {
            Gradient::Exact => "exact gradient".into(),
            Gradient::Forward(step) => format!("forward differences, {step:.0e}"),
            Gradient::Central(step) => format!("central differences, {step:.0e}"),
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub iterations: usize,
    /// On the largest entry of the residual.
    pub tolerance: f64,
    /// Singular values of ∂r/∂x below this share of the largest count as zero.
    pub rank_tolerance: f64,
}

/// Result of an optimization.
#[derive(Clone, Debug)]
pub struct Run {
    pub x: DVector<f64>,
    /// Largest entry of the residual, at the start and after each iteration.
    pub history: Vec<f64>,
    /// Residuals computed with their exact derivative, and without.
    pub linearizations: usize,
    pub evaluations: usize,
    pub seconds: f64,
}

impl Run {
    pub fn iterations(&self) -> usize {
        self.history.len() - 1
    }

    pub fn error(&self) -> f64 {
        *self.history.last().unwrap_or(&f64::INFINITY)
    }

    /// Number of iterations after which the error is at most `tolerance`.
    pub fn iterations_to(&self, tolerance: f64) -> Option<usize> {
        self.history.iter().position(|e| *e <= tolerance)
    }
}

/// Halvings of the step before the line search gives up.
const HALVINGS: usize = 12;
/// Share of the promised decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// A step need only improve on the worst of this many last points: where r has kinks, a monotone
/// search creeps into them.
const MEMORY: usize = 4;

/// Minimizes ½‖r(x)‖² from `x`. Where ∂r/∂x is rank deficient the step is the least-norm one.
/// Stops at the tolerance, at the budget, or where no step along the direction decreases ‖r‖.
pub fn minimize(
    problem: &mut impl LeastSquares,
    mut x: DVector<f64>,
    gradient: Gradient,
    budget: Budget,
) -> Result<Run> {
    let start = Instant::now();
    let (mut linearizations, mut evaluations) = (0, 1);
    let r = problem.residual(&x)?;
    let mut history = vec![r.amax()];
    let mut norms = vec![r.norm()];
    while history.len() <= budget.iterations && *history.last().unwrap_or(&0.0) > budget.tolerance {
        let (r, j) = match gradient {
            Gradient::Exact => {
                linearizations += 1;
                problem.linearize(&x)?
            }
            Gradient::Forward(step) => {
                let r = problem.residual(&x)?;
                evaluations += 1 + x.len();
                let j = columns(&x, |k| {
                    Ok((problem.residual(&moved(&x, k, step))? - &r) / step)
                })?;
                (r, j)
            }
            Gradient::Central(step) => {
                evaluations += 1 + 2 * x.len();
                let j = columns(&x, |k| {
                    let ahead = problem.residual(&moved(&x, k, step))?;
                    Ok((ahead - problem.residual(&moved(&x, k, -step))?) / (2.0 * step))
                })?;
                (problem.residual(&x)?, j)
            }
        };
        let svd = j.svd(true, true);
        let cut = budget.rank_tolerance * svd.singular_values.amax();
        let Ok(direction) = svd.solve(&-&r, cut) else {
            break;
        };
        let recent = &norms[norms.len().saturating_sub(MEMORY)..];
        let worst = recent.iter().fold(0.0_f64, |m, n| m.max(*n));
        let mut scale = 1.0;
        let mut accepted = None;
        for _ in 0..HALVINGS {
            let trial = &x + scale * &direction;
            let r_trial = problem.residual(&trial)?;
            evaluations += 1;
            if r_trial.norm() < (1.0 - ARMIJO * scale) * worst {
                accepted = Some((trial, r_trial));
                break;
            }
            scale *= 0.5;
        }
        let Some((trial, r)) = accepted else {
            break;
        };
        x = trial;
        history.push(r.amax());
        norms.push(r.norm());
    }
    Ok(Run {
        x,
        history,
        linearizations,
        evaluations,
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn moved(x: &DVector<f64>, k: usize, by: f64) -> DVector<f64> {
    let mut x = x.clone();
    x[k] += by;
    x
}

fn columns(
    x: &DVector<f64>,
    column: impl FnMut(usize) -> Result<DVector<f64>>,
) -> Result<DMatrix<f64>> {
    let columns = (0..x.len()).map(column).collect::<Result<Vec<_>>>()?;
    Ok(DMatrix::from_columns(&columns))
}
