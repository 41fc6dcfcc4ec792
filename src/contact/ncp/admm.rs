//! ADMM (alternating directions) on the cone program, with a proximal term. The De Saxcé shift is an
//! outer fixed point folded into the iterations (Carpentier, Le Lidec and Montaut, RSS 2024; penalty
//! updates in the manner of OSQP).
//!
//!   (G + ηI + P) λ⁺ = η λ + P z + y − g − Γ(y)
//!   z⁺ = proj_K(λ⁺ − P⁻¹ y),   y⁺ = y + P (z⁺ − λ⁺) ∈ K*
//!
//! P is a multiple ρ of each block's mean diagonal of G. At a fixed point z = λ and y = σ + Γ(σ).

use super::block_law::project;
use super::modes::{largest, residuals};
use super::wide::{self, WIDEST};
use super::work::Work;
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::tree_system::TreeSystem;
use crate::contact::tuning::{ADMM_PROXIMAL, ADMM_RELAX, ADMM_RHO};
use crate::linalg::Symmetric;

#[derive(Debug)]
pub(super) struct Admm {
    matrix: Symmetric,
    trees: TreeSystem,
    rows: Vec<[f64; 1]>,
    penalty: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    /// ρ, in units of `penalty`.
    rho: f64,
}

impl Admm {
    pub fn new([max_rows, dense]: [usize; 2], trees: TreeSystem) -> Admm {
        Admm {
            matrix: Symmetric::new(dense),
            trees,
            rows: Vec::with_capacity(max_rows),
            penalty: Vec::with_capacity(max_rows),
            z: Vec::with_capacity(max_rows),
            y: Vec::with_capacity(max_rows),
            rho: 0.0,
        }
    }

    /// Starts from `work.lambda` and its σ. Returns false if no row responds to an impulse.
    pub fn start(&mut self, problem: &Problem, work: &mut Work) -> bool {
        let n = problem.rows();
        self.penalty.clear();
        let mut largest_mean: f64 = 0.0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let rows = block.rows();
            // Projections need one penalty for all rows of a law.
            let of = match block {
                Block::Torsion { .. } => i + 1,
                _ => i,
            };
            let count = problem.blocks[of].rows();
            let mean = (0..count).map(|r| work.diagonal[of][r][r]).sum::<f64>() / count as f64;
            largest_mean = largest_mean.max(mean);
            self.penalty.extend(std::iter::repeat_n(mean, rows));
        }
        if largest_mean <= 0.0 {
            return false;
        }
        for p in &mut self.penalty {
            *p = p.max(1e-12 * largest_mean);
        }
        self.z.clear();
        self.z.extend_from_slice(&work.lambda);
        self.y.clear();
        self.y.extend_from_slice(&work.sigma);
        for (i, block) in laws(problem) {
            project(block, &mut self.z[work.part(i)]);
            project_dual(block, &mut self.y[work.part(i)]);
        }
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.analyze(rows);
            self.rows.resize(n, [0.0]);
        }
        self.rho = ADMM_RHO;
        self.factor(problem, work);
        true
    }

    /// Iterates further, from iteration `done`, until the scaled residual is at most `tolerance` or
    /// `limit` iterations are done in all. Leaves the projected impulse and its σ in `work`. Returns the
    /// number of iterations in all, and that of further factorizations.
    pub fn run(
        &mut self,
        problem: &Problem,
        work: &mut Work,
        tolerance: f64,
        [done, limit]: [usize; 2],
    ) -> [usize; 2] {
        let velocity = largest(problem.g).max(1.0);
        let mut factorizations = 0;
        for iteration in done + 1..=limit {
            let (rho, eta) = (self.rho, ADMM_PROXIMAL);
            for (i, block) in problem.blocks.iter().enumerate() {
                let at = work.offsets[i];
                for r in at..work.offsets[i + 1] {
                    let p = rho * self.penalty[r];
                    work.x[r][0] =
                        eta * self.penalty[r] * work.lambda[r] + p * self.z[r] + self.y[r]
                            - problem.g[r];
                }
                if let Block::Contact { .. } | Block::Pyramid { .. } = block {
                    let normal = work.offsets[i + 1] - 1;
                    work.x[normal][0] -= wide::shift(*block, &self.y[work.firsts[i]..normal]);
                }
            }
            self.solve(problem, work, rho + eta);
            let (mut primal, mut dual) = (0.0f64, 0.0f64);
            for (i, block) in laws(problem) {
                let (at, end) = (work.firsts[i], work.offsets[i + 1]);
                let mut next = [0.0; WIDEST];
                let next = &mut next[..end - at];
                for (k, r) in (at..end).enumerate() {
                    work.lambda[r] = ADMM_RELAX * work.x[r][0] + (1.0 - ADMM_RELAX) * self.z[r];
                    next[k] = work.lambda[r] - self.y[r] / (rho * self.penalty[r]);
                }
                project(block, next);
                for (k, r) in (at..end).enumerate() {
                    let p = rho * self.penalty[r];
                    dual = dual.max(p * (next[k] - self.z[r]).abs());
                    self.y[r] += p * (next[k] - work.lambda[r]);
                    primal = primal.max(self.penalty[r] * (next[k] - work.lambda[r]).abs());
                    self.z[r] = next[k];
                }
            }
            if primal.max(dual) <= 0.1 * tolerance * velocity || iteration == limit {
                work.lambda.copy_from_slice(&self.z);
                work.update_sigma(problem);
                let worst = residuals(problem.blocks, problem.g, &work.lambda, &work.sigma);
                let is_solved = worst.into_iter().all(|x| x <= tolerance);
                if is_solved || iteration == limit {
                    return [iteration, factorizations];
                }
            }
            if iteration % 20 == 0 {
                let ratio = (primal / dual.max(f64::MIN_POSITIVE))
                    .sqrt()
                    .clamp(0.1, 10.0);
                if !(0.5..=2.0).contains(&ratio) {
                    self.rho = (rho * ratio).clamp(1e-6, 1e6);
                    self.factor(problem, work);
                    factorizations += 1;
                }
            }
        }
        [limit, factorizations]
    }

    /// x ← (G + shift · penalty)⁻¹ x.
    fn solve(&mut self, problem: &Problem, work: &mut Work, shift: f64) {
        let x = &mut work.x[..problem.rows()];
        let Delassus::Trees(rows) = problem.delassus else {
            return self.matrix.solve(x, &mut work.scratch);
        };
        let diagonal = |row: usize| shift * self.penalty[row] + rows.compliance(row);
        for (row, (y, x)) in self.rows.iter_mut().zip(x.iter()).enumerate() {
            y[0] = x[0] / diagonal(row);
        }
        self.trees.respond(rows, &mut self.rows, false);
        for (row, (x, y)) in x.iter_mut().zip(&self.rows).enumerate() {
            x[0] = (x[0] - y[0]) / diagonal(row);
        }
    }

    fn factor(&mut self, problem: &Problem, work: &Work) {
        let shift = self.rho + ADMM_PROXIMAL;
        let n = problem.rows();
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.clear_weights(problem.blocks.len());
            for (i, w) in self.trees.weights.iter_mut().enumerate() {
                for (r, row) in rows.range(i).enumerate() {
                    let diagonal = shift * self.penalty[row] + rows.compliance(row);
                    w[r][r] = diagonal.recip();
                }
            }
            self.trees.factor(rows);
            return;
        }
        let a = self.matrix.matrix(n);
        a.fill(0.0);
        for (i, block) in problem.blocks.iter().enumerate() {
            problem.delassus.for_row(
                i,
                problem.blocks,
                &work.offsets,
                |_| true,
                |j, g| {
                    let columns = problem.blocks[j].rows();
                    for (r, line) in g.iter().enumerate().take(block.rows()) {
                        let start = (work.offsets[i] + r) * n + work.offsets[j];
                        a[start..start + columns].copy_from_slice(&line[..columns]);
                    }
                },
            );
        }
        for r in 0..n {
            a[r * n + r] += shift * self.penalty[r];
        }
        self.matrix.factor(0.0);
    }
}

/// The blocks that have a law of their own.
fn laws<'a>(problem: &'a Problem) -> impl Iterator<Item = (usize, Block)> + use<'a> {
    let own = |(_, b): &(usize, Block)| !matches!(b, Block::Torsion { .. });
    problem.blocks.iter().copied().enumerate().filter(own)
}

/// Projects on the dual of the block's cone. A box has none: its multiplier is free. The multiplier of a
/// bilateral row is zero.
fn project_dual(block: Block, y: &mut [f64]) {
    match block {
        Block::Contact { mu } if mu > 0.0 => project(Block::Contact { mu: 1.0 / mu }, y),
        Block::Contact { .. } | Block::Pyramid { .. } => {
            if let [.., n] = y {
                // K_0* is the half space n ≥ 0; without friction the tangent multipliers carry no force.
                *n = n.max(0.0);
            }
        }
        Block::Unilateral => y[0] = y[0].max(0.0),
        Block::Box { .. } => {}
        Block::Bilateral | Block::Torsion { .. } => y[0] = 0.0,
    }
}
