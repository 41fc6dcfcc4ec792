//! Unrelaxed contact: the true Coulomb cone, solved to round-off and certified.

mod local;
mod modes;
mod pgs;

pub use modes::{Certificate, Mode, Path};

use super::problem::{Problem, Small};
use crate::error::{Error, Result};
use modes::{Scales, classify, largest, residuals};

/// What is asked of a solve.
#[derive(Clone, Copy, Debug)]
pub struct NcpOptions {
    /// Largest scaled residual of a converged solution.
    pub tolerance: f64,
    /// Bound on PGS sweeps.
    pub max_sweeps: usize,
}

impl Default for NcpOptions {
    fn default() -> Self {
        NcpOptions {
            tolerance: 1e-10,
            max_sweeps: 2000,
        }
    }
}

/// Memory for problems of up to a number of rows and blocks.
#[derive(Clone, Debug)]
pub struct NcpSolver {
    max_rows: usize,
    max_blocks: usize,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    diagonal: Vec<Small>,
}

impl NcpSolver {
    pub fn new(max_rows: usize, max_blocks: usize) -> NcpSolver {
        NcpSolver {
            max_rows,
            max_blocks,
            lambda: vec![0.0; max_rows],
            sigma: vec![0.0; max_rows],
            diagonal: vec![[[0.0; 3]; 3]; max_blocks],
        }
    }

    pub fn solve(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        modes: &mut [Mode],
        options: &NcpOptions,
    ) -> Result<Certificate> {
        problem.validate()?;
        let (n, nb) = (problem.rows(), problem.blocks.len());
        if n > self.max_rows || nb > self.max_blocks {
            return Err(Error::capacity(format!(
                "{n} rows in {nb} blocks, room for {} in {}",
                self.max_rows, self.max_blocks
            )));
        }
        if lambda.len() != n || modes.len() != nb {
            return Err(Error::invalid(format!(
                "{} impulses and {} modes, expected {n} and {nb}",
                lambda.len(),
                modes.len()
            )));
        }
        let mut certificate = Certificate::new(Path::Pgs);
        let (work, sigma) = (&mut self.lambda[..n], &mut self.sigma[..n]);
        work.copy_from_slice(lambda);
        sigma.copy_from_slice(problem.g);
        let mut at = 0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let rows = block.rows();
            self.diagonal[i] = problem.delassus.diagonal(i, at, rows, n);
            problem
                .delassus
                .add_columns(i, at, &work[at..at + rows], sigma);
            at += rows;
        }
        let velocity = largest(problem.g).max(1.0);
        while certificate.sweeps < options.max_sweeps {
            let change = pgs::sweep(
                problem.blocks,
                &problem.delassus,
                &self.diagonal,
                work,
                sigma,
            );
            certificate.sweeps += 1;
            if change <= 0.1 * options.tolerance * velocity {
                break;
            }
        }
        [
            certificate.cone,
            certificate.dual,
            certificate.complementarity,
        ] = residuals(problem.blocks, problem.g, work, sigma);
        certificate.converged = certificate.residual() <= options.tolerance;
        let scales = Scales {
            velocity,
            impulse: largest(work).max(f64::MIN_POSITIVE),
        };
        let mut at = 0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let end = at + block.rows();
            let (mode, margin) = classify(*block, &work[at..end], &sigma[at..end], scales, 1e-9);
            modes[i] = mode;
            certificate.margin = certificate.margin.min(margin);
            at = end;
        }
        lambda.copy_from_slice(work);
        Ok(certificate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::problem::{Block, Delassus};

    #[test]
    fn a_point_mass_breaks_sticks_or_slides_as_by_hand() {
        let mass: f64 = 2.0;
        let g: Vec<f64> = (0..9)
            .map(|k| if k % 4 == 0 { 1.0 / mass } else { 0.0 })
            .collect();
        let mut solver = NcpSolver::new(3, 1);
        for (free, mu, expected, mode) in [
            ([0.3, 0.1, 1.0], 0.5, [0.0, 0.0, 0.0], Mode::Breaking),
            ([0.3, 0.4, -2.0], 0.5, [-0.6, -0.8, 4.0], Mode::Sticking),
            ([3.0, 4.0, -2.0], 0.5, [-1.2, -1.6, 4.0], Mode::Sliding),
            ([3.0, 4.0, -2.0], 0.0, [0.0, 0.0, 4.0], Mode::Sliding),
        ] {
            let problem = Problem {
                blocks: &[Block::Contact { mu }],
                delassus: Delassus::Dense(&g),
                g: &free,
            };
            let (mut lambda, mut modes) = ([0.0; 3], [Mode::Unknown]);
            let certificate = solver
                .solve(&problem, &mut lambda, &mut modes, &NcpOptions::default())
                .unwrap();
            assert!(certificate.converged, "{certificate:?}");
            assert_eq!(modes[0], mode);
            for k in 0..3 {
                assert!(
                    (lambda[k] - expected[k]).abs() < 1e-14,
                    "{lambda:?} {expected:?}"
                );
            }
        }
    }
}
