//! The contact laws with complementarity relaxed, and the derivative of their solution.
//!
//! With κ > 0 [J] every inequality pair of the exact laws has the product κ instead of zero:
//!
//! | block | exact | relaxed |
//! |---|---|---|
//! | unilateral | 0 ≤ λ ⟂ σ ≥ 0 | λ σ = κ |
//! | contact, normal | 0 ≤ λ_N ⟂ σ_N ≥ 0 | λ_N σ_N = κ |
//! | contact, tangential | λ_T minimizes λ_T·σ_T over ‖λ_T‖ ≤ μ λ_N | (μ λ_N, λ_T) ∘ (ψ, σ_T) = (κ, 0) |
//! | box | σ = 0 or λ = −b sign σ | σ (b² − λ²) + 2 κ λ = 0 |
//! | bilateral | σ = 0 | σ = 0 |
//!
//! ∘ is the product of the second-order cone and ψ the multiplier of the friction disk. The first entry
//! gives ψ = (c + √(c² + 4‖σ_T‖²))/2 with c = κ/(μ λ_N). The remaining equation ψ λ_T + μ λ_N σ_T = 0 is
//! smooth everywhere, and becomes Coulomb's law for κ → 0. The box row is the same with two half-lines:
//! σ = κ/(b + λ) − κ/(b − λ). A damped primal-dual Newton method solves all rows together, F(λ, σ) = 0
//! with σ = G λ + g. Its matrix F_λ + F_σ G at the solution also gives the derivative dλ = −(F_λ + F_σ
//! G)⁻¹ (F_σ w + F_μ dμ). The relaxation of friction by maximum dissipation as a cone program is that of
//! Howell et al., Dojo: a differentiable physics engine for robotics (2022).

mod law;

use crate::contact::digits::ROUND_OFF;
use crate::contact::problem::{Block, Problem, Small};
use crate::contact::tuning::{RELAXED_DESCENT, RELAXED_REACH, RELAXED_SOLVED, RELAXED_STEPS};
use crate::error::{Error, Result};
use crate::linalg::General;
pub use law::Relaxed;

/// One block's rows of F with their derivatives, row-major.
#[derive(Clone, Copy, Debug, Default)]
struct RelaxedRows {
    f: [f64; 3],
    by_lambda: Small,
    by_sigma: Small,
    /// Derivative by μ of a contact or the bound of a box.
    by_limit: [f64; 3],
}

/// Solution of a relaxed problem, with its factored Newton matrix.
#[derive(Clone, Debug)]
pub struct CentralPath {
    kappa: f64,
    /// Largest free velocity.
    speed: f64,
    offsets: Vec<usize>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    gap: Vec<f64>,
    rows: Vec<RelaxedRows>,
    matrix: General,
    column: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
}

impl CentralPath {
    /// Solves the relaxed problem from the exact problem's impulses. If Newton's method fails from
    /// there, it follows the path down from a large κ.
    ///
    /// # Errors
    /// `NotConverged` if Newton's method stops above round-off.
    pub fn solve(problem: &Problem, exact: &[f64], kappa: f64) -> Result<CentralPath> {
        if problem.has_pyramids() {
            return Err(Error::unsupported(
                "a central path of friction pyramids, expected circular cones",
            ));
        }
        problem.refuse_torsion()?;
        let n = problem.rows();
        let mut offsets = vec![0];
        for b in problem.blocks {
            offsets.push(offsets[offsets.len() - 1] + b.rows());
        }
        let mut path = CentralPath {
            kappa,
            speed: problem
                .g
                .iter()
                .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs())),
            offsets,
            lambda: exact.to_vec(),
            sigma: vec![0.0; n],
            gap: vec![0.0; n],
            rows: vec![RelaxedRows::default(); problem.blocks.len()],
            matrix: General::new(n),
            column: vec![[0.0]; n],
            scratch: vec![[0.0]; n],
        };
        path.velocities(problem);
        path.sigma.copy_from_slice(&path.gap);
        path.place(problem.blocks);
        let mut residual = path.newton(problem);
        if residual > RELAXED_SOLVED {
            path.lambda.fill(0.0);
            path.velocities(problem);
            path.sigma.copy_from_slice(&path.gap);
            path.kappa = path.large_kappa(problem).max(kappa).min(f64::MAX);
            path.place(problem.blocks);
            loop {
                residual = path.newton(problem);
                if path.kappa <= kappa {
                    break;
                }
                path.kappa = (RELAXED_DESCENT * path.kappa).max(kappa);
            }
        }
        if residual <= RELAXED_SOLVED && path.kappa <= kappa && path.factor(problem) {
            return Ok(path);
        }
        Err(Error::not_converged(format!(
            "the relaxed contact problem stopped at residual {residual:e} for kappa {kappa:e}"
        )))
    }

    /// The impulses of the solution.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// A κ far above g²/G, the scale of λσ.
    fn large_kappa(&self, problem: &Problem) -> f64 {
        let n = problem.rows();
        let mut mobility = f64::INFINITY;
        for (i, b) in problem.blocks.iter().enumerate() {
            let d = problem.delassus.diagonal(i, self.offsets[i], b.rows(), n);
            for (k, row) in d.iter().enumerate().take(b.rows()) {
                if row[k] > 0.0 {
                    mobility = mobility.min(row[k]);
                }
            }
        }
        self.speed * self.speed / mobility
    }

    fn place(&mut self, blocks: &[Block]) {
        for (i, b) in blocks.iter().enumerate() {
            let at = self.offsets[i]..self.offsets[i + 1];
            let (l, s) = (&mut self.lambda[at.clone()], &mut self.sigma[at]);
            place_on_path(*b, self.kappa, l, s);
        }
    }

    /// `gap` ← G λ + g.
    fn velocities(&mut self, problem: &Problem) {
        self.gap.copy_from_slice(problem.g);
        for i in 0..problem.blocks.len() {
            let at = self.offsets[i]..self.offsets[i + 1];
            let delta = &self.lambda[at.clone()];
            problem
                .delassus
                .add_columns(i, at.start, delta, &mut self.gap);
        }
    }

    /// Damped Newton's method until no step lowers the residual. Returns the residual.
    fn newton(&mut self, problem: &Problem) -> f64 {
        let n = problem.rows();
        let mut d_sigma = vec![0.0; n];
        let (mut lambda, mut sigma) = (vec![0.0; n], vec![0.0; n]);
        let mut residual = self.evaluate(problem);
        for _ in 0..RELAXED_STEPS {
            if residual == 0.0 || !self.factor(problem) {
                break;
            }
            // (F_λ + F_σ G) dλ = F_σ gap − F and dσ = G dλ − gap, with gap = σ − (G λ + g).
            for (i, r) in self.rows.iter().enumerate() {
                let at = self.offsets[i]..self.offsets[i + 1];
                for (k, row) in at.clone().enumerate() {
                    let along: f64 = r.by_sigma[k]
                        .iter()
                        .zip(&self.gap[at.clone()])
                        .map(product)
                        .sum();
                    self.column[row][0] = along - r.f[k];
                }
            }
            self.matrix.solve(&mut self.column, &mut self.scratch);
            for (d, gap) in d_sigma.iter_mut().zip(&self.gap) {
                *d = -gap;
            }
            for i in 0..problem.blocks.len() {
                let at = self.offsets[i]..self.offsets[i + 1];
                let delta = [0, 1, 2].map(|k| self.column.get(at.start + k).map_or(0.0, |x| x[0]));
                let delta = &delta[..at.len()];
                problem
                    .delassus
                    .add_columns(i, at.start, delta, &mut d_sigma);
            }
            lambda.copy_from_slice(&self.lambda);
            sigma.copy_from_slice(&self.sigma);
            let mut step = self.longest_step(problem.blocks, &d_sigma);
            let mut lowered = false;
            while !lowered && step > ROUND_OFF {
                for k in 0..n {
                    self.lambda[k] = lambda[k] + step * self.column[k][0];
                    self.sigma[k] = sigma[k] + step * d_sigma[k];
                }
                let trial = self.evaluate(problem);
                lowered = trial < (1.0 - 1e-4 * step) * residual;
                if lowered {
                    residual = trial;
                }
                step *= 0.5;
            }
            if !lowered {
                self.lambda.copy_from_slice(&lambda);
                self.sigma.copy_from_slice(&sigma);
                return self.evaluate(problem);
            }
        }
        residual
    }

    /// The share of the Newton step that keeps the strict inequalities.
    fn longest_step(&self, blocks: &[Block], d_sigma: &[f64]) -> f64 {
        let mut step = 1.0_f64;
        for (i, b) in blocks.iter().enumerate() {
            let last = self.offsets[i + 1] - 1;
            let (l, dl) = (self.lambda[last], self.column[last][0]);
            let (s, ds) = (self.sigma[last], d_sigma[last]);
            step = step.min(match *b {
                Block::Contact { .. } | Block::Unilateral => inside(l, dl).min(inside(s, ds)),
                Block::Box { bound } if bound > 0.0 => {
                    inside(bound - l, -dl).min(inside(bound + l, dl))
                }
                _ => 1.0,
            });
        }
        step
    }

    /// Evaluates F and its derivatives, and `gap` = σ − (G λ + g). Returns the norm of both, with F in
    /// units of κ and of the laws' bounds, and velocities in units of the largest free velocity.
    fn evaluate(&mut self, problem: &Problem) -> f64 {
        self.velocities(problem);
        let mut sum = 0.0;
        for (gap, sigma) in self.gap.iter_mut().zip(&self.sigma) {
            *gap = sigma - *gap;
            sum += (*gap / self.speed).powi(2);
        }
        for (i, b) in problem.blocks.iter().enumerate() {
            let at = self.offsets[i]..self.offsets[i + 1];
            let (l, s) = (&self.lambda[at.clone()], &self.sigma[at]);
            let (row, unit) = match *b {
                Block::Contact { mu } | Block::Pyramid { mu } => {
                    (contact(mu, self.kappa, l, s), self.kappa)
                }
                Block::Unilateral => (unilateral(self.kappa, l[0], s[0]), self.kappa),
                Block::Box { bound } => {
                    let unit = if bound > 0.0 { self.kappa * bound } else { 1.0 };
                    (dry_friction(bound, self.kappa, l[0], s[0]), unit)
                }
                Block::Bilateral | Block::Torsion { .. } => {
                    let mut r = RelaxedRows::default();
                    (r.f[0], r.by_sigma[0][0]) = (s[0], 1.0);
                    (r, self.speed)
                }
            };
            sum += row.f.iter().map(|f| (f / unit).powi(2)).sum::<f64>();
            self.rows[i] = row;
        }
        sum.sqrt()
    }

    /// Factors F_λ + F_σ G.
    fn factor(&mut self, problem: &Problem) -> bool {
        let n = problem.rows();
        let a = self.matrix.matrix(n);
        a.fill(0.0);
        for (i, r) in self.rows.iter().enumerate() {
            let (row, rows) = (self.offsets[i], problem.blocks[i].rows());
            let fill = |j: usize, g: &Small| {
                let columns = problem.blocks[j].rows();
                for k in 0..rows {
                    for c in 0..columns {
                        let x: f64 = (0..rows).map(|m| r.by_sigma[k][m] * g[m][c]).sum();
                        a[(row + k) * n + self.offsets[j] + c] = x;
                    }
                }
            };
            problem
                .delassus
                .for_row(i, problem.blocks, &self.offsets, |_| true, fill);
            for k in 0..rows {
                for c in 0..rows {
                    a[(row + k) * n + row + c] += r.by_lambda[k][c];
                }
            }
        }
        self.matrix.factor(0.0)
    }

    /// dλ for `columns` directions. `w` (n × columns) is the variation of σ at fixed λ; `limits`
    /// (blocks × columns) is the variation of friction coefficients and bounds.
    pub fn direction(
        &mut self,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) {
        let (n, nb) = (self.lambda.len(), self.rows.len());
        for j in 0..columns {
            let w = &w[j * n..(j + 1) * n];
            for (i, r) in self.rows.iter().enumerate() {
                let at = self.offsets[i]..self.offsets[i + 1];
                let limit = limits.map_or(0.0, |l| l[j * nb + i]);
                for (k, row) in at.clone().enumerate() {
                    let along: f64 = r.by_sigma[k].iter().zip(&w[at.clone()]).map(product).sum();
                    self.column[row][0] = -along - r.by_limit[k] * limit;
                }
            }
            self.matrix.solve(&mut self.column, &mut self.scratch);
            for (out, x) in dlambda[j * n..(j + 1) * n].iter_mut().zip(&self.column) {
                *out = x[0];
            }
        }
    }

    /// Adjoint of [`CentralPath::direction`], for one column: −F_σᵀ y and −F_μᵀ y with (F_λ + F_σ G)ᵀ y = λ̄.
    pub fn adjoint(
        &mut self,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) {
        let y = &mut self.column;
        y.copy_from_slice(lambda_bar.as_chunks().0);
        self.matrix.solve_transpose(y, &mut self.scratch);
        let parts = || self.rows.iter().zip(self.offsets.windows(2));
        for (r, at) in parts() {
            let y = &y[at[0]..at[1]];
            for (m, w) in w_bar[at[0]..at[1]].iter_mut().enumerate() {
                let along: f64 = y.iter().zip(&r.by_sigma).map(|([y], s)| y * s[m]).sum();
                *w = -along;
            }
        }
        for (limit, (r, at)) in limits_bar.into_iter().flatten().zip(parts()) {
            let y = y[at[0]..at[1]].iter().zip(&r.by_limit);
            *limit = -y.map(|([y], by)| y * by).sum::<f64>();
        }
    }
}

fn product((a, b): (&f64, &f64)) -> f64 {
    a * b
}

/// Longest step along `d` that keeps x > 0.
fn inside(x: f64, d: f64) -> f64 {
    if d < 0.0 { -RELAXED_REACH * x / d } else { 1.0 }
}

/// ψ, c, and the root in ψ.
fn multiplier(mu: f64, kappa: f64, lambda_n: f64, speed2: f64) -> (f64, f64, f64) {
    let c = kappa / (mu * lambda_n);
    let root = (c * c + 4.0 * speed2).sqrt();
    ((c + root) / 2.0, c, root)
}

fn contact(mu: f64, kappa: f64, l: &[f64], s: &[f64]) -> RelaxedRows {
    let mut r = RelaxedRows::default();
    r.f[2] = l[2] * s[2] - kappa;
    r.by_lambda[2][2] = s[2];
    r.by_sigma[2][2] = l[2];
    if mu == 0.0 {
        // λ_T grows from zero with μ², so that its derivative by μ is zero, too.
        for k in 0..2 {
            r.f[k] = l[k];
            r.by_lambda[k][k] = 1.0;
        }
        return r;
    }
    let (psi, c, root) = multiplier(mu, kappa, l[2], s[0] * s[0] + s[1] * s[1]);
    let by_c = (1.0 + c / root) / 2.0;
    for k in 0..2 {
        r.f[k] = psi * l[k] + mu * l[2] * s[k];
        r.by_lambda[k][k] = psi;
        r.by_lambda[k][2] = mu * s[k] - by_c * c / l[2] * l[k];
        for m in 0..2 {
            r.by_sigma[k][m] = 2.0 * s[m] / root * l[k];
        }
        r.by_sigma[k][k] += mu * l[2];
        r.by_limit[k] = l[2] * s[k] - by_c * c / mu * l[k];
    }
    r
}

fn unilateral(kappa: f64, l: f64, s: f64) -> RelaxedRows {
    let mut r = RelaxedRows::default();
    r.f[0] = l * s - kappa;
    r.by_lambda[0][0] = s;
    r.by_sigma[0][0] = l;
    r
}

fn dry_friction(bound: f64, kappa: f64, l: f64, s: f64) -> RelaxedRows {
    let mut r = RelaxedRows::default();
    if bound == 0.0 {
        (r.f[0], r.by_lambda[0][0]) = (l, 1.0);
        return r;
    }
    let room = (bound - l) * (bound + l);
    r.f[0] = s * room + 2.0 * kappa * l;
    r.by_lambda[0][0] = 2.0 * (kappa - s * l);
    r.by_sigma[0][0] = room;
    r.by_limit[0] = 2.0 * bound * s;
    r
}

/// Moves a pair (λ, σ) that obeys the exact law to a nearby pair with F = 0; zeros become positive.
fn place_on_path(block: Block, kappa: f64, l: &mut [f64], s: &mut [f64]) {
    let pair = |l: f64, s: f64| {
        // Keep the larger of the two in units of √κ.
        let root = kappa.sqrt();
        if l >= s.max(root) {
            (l, kappa / l)
        } else if s >= root {
            (kappa / s, s)
        } else {
            (root, root)
        }
    };
    match block {
        Block::Unilateral => (l[0], s[0]) = pair(l[0], s[0]),
        Block::Bilateral | Block::Torsion { .. } => s[0] = 0.0,
        Block::Box { bound } if bound > 0.0 => {
            if l[0].abs() < 0.99 * bound {
                s[0] = -2.0 * kappa * l[0] / ((bound - l[0]) * (bound + l[0]));
            } else {
                let b2 = s[0] * bound * bound;
                l[0] = -b2 / (kappa + (kappa * kappa + s[0] * b2).sqrt());
            }
        }
        Block::Box { .. } => l[0] = 0.0,
        Block::Contact { mu } | Block::Pyramid { mu } => {
            let before = l[2];
            (l[2], s[2]) = pair(l[2], s[2]);
            if mu == 0.0 {
                (l[0], l[1]) = (0.0, 0.0);
                return;
            }
            let share = l[0].hypot(l[1]) / (mu * l[2]);
            if before > 0.0 && share < 0.99 {
                let (_, c, _) = multiplier(mu, kappa, l[2], 0.0);
                let psi = c / (1.0 - share * share);
                for k in 0..2 {
                    s[k] = -psi * l[k] / (mu * l[2]);
                }
            } else {
                let (psi, _, _) = multiplier(mu, kappa, l[2], s[0] * s[0] + s[1] * s[1]);
                for k in 0..2 {
                    l[k] = -mu * l[2] * s[k] / psi;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
