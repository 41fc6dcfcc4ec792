//! Newton on a regularized problem: near modes from any start, in few factorizations.
//!
//! With a compliance R per block and the De Saxcé shift s = μ‖σ_T‖ held, the laws read λ = P_K(y), y = −(σ + s)/R, and
//! with σ = G λ + g they are the optimum of the convex
//!
//!   ℓ(λ̂) = ½ λ̂ᵀ G λ̂ + Σ ½ R ‖P_K(y(λ̂))‖²
//!
//! (Castro, Permenter and Han 2022). Newton with an exact line search descends from any start; the shift follows. A
//! small R moves the solution little, so that its modes are those of the rigid problem except near a switch.

use super::local::project;
use super::modes::{Mode, largest};
use super::newton::mode_of_impulse;
use super::tree_system::TreeSystem;
use super::work::Work;
use crate::contact::problem::{Block, Delassus, Problem, Small};
use crate::linalg::{factor_definite, solve_definite};

/// R in units of the mean diagonal of G on the block.


/// Relative decrease of the gradient at which modes are read off.
const CLOSE: f64 = 1e-3;

#[derive(Clone, Debug)]
pub(super) struct Regularized {
    trees: TreeSystem,
    ease: f64,
    close: f64,
    compliance: Vec<f64>,
    shift: Vec<f64>,
    /// λ̂ and its direction; P_K(y) and the direction of σ.
    lambda: Vec<f64>,
    dlambda: Vec<f64>,
    impulse: Vec<f64>,
    dsigma: Vec<f64>,
    faces: Vec<Face>,
    matrix: Vec<f64>,
    diagonal: Vec<f64>,
    x: Vec<[f64; 1]>,
    rows: Vec<[f64; 1]>,
    z: Vec<[f64; 1]>,
    modes: Vec<Mode>,
}

/// A direction in which a block's impulse moves, and how much of it: P' = Σ e b bᵀ.
#[derive(Clone, Copy, Debug)]
struct Face {
    block: usize,
    at: usize,
    rows: usize,
    b: [f64; 3],
    e: f64,
}

impl Regularized {
    pub fn new(max_rows: usize, max_blocks: usize, max_coordinates: usize, trees: TreeSystem) -> Regularized {
        let rows = || vec![0.0; max_rows];
        Regularized {
            trees,
            close: std::env::var("CLOSE").map_or(1e-3, |s| s.parse().unwrap()),
            ease: std::env::var("EASE").map_or(1e-4, |s| s.parse().unwrap()),
            compliance: vec![0.0; max_blocks],
            shift: vec![0.0; max_blocks],
            lambda: rows(),
            dlambda: rows(),
            impulse: rows(),
            dsigma: rows(),
            faces: Vec::with_capacity(max_rows),
            matrix: vec![0.0; max_rows * max_rows],
            diagonal: rows(),
            x: vec![[0.0]; max_rows],
            rows: vec![[0.0]; max_rows],
            z: vec![[0.0]; max_coordinates],
            modes: vec![Mode::Unknown; max_blocks],
        }
    }

    /// From `work`'s impulses, whose σ is up to date, to impulses near a solution. Returns the number of factorizations.
    pub fn run(&mut self, problem: &Problem, work: &mut Work, limit: usize) -> usize {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.analyze(rows);
        }
        let trace = |i: usize| {
            let rows = problem.blocks[i].rows();
            (0..rows).map(|r| work.diagonal[i][r][r]).sum::<f64>() / rows as f64
        };
        let top = (0..nb).map(trace).fold(0.0, f64::max);
        if top <= 0.0 {
            return 0;
        }
        for i in 0..nb {
            self.compliance[i] = self.ease * trace(i).max(1e-9 * top);
        }
        self.lambda[..n].copy_from_slice(&work.lambda);
        self.modes[..nb].fill(Mode::Unknown);
        let scale = largest(problem.g).max(f64::MIN_POSITIVE);
        let mut count = 0;
        while count < limit {
            if count == 0 || std::env::var("SHIFT").is_ok() { self.update_shift(problem, work); }
            self.project(problem, work);
            // b = Gλ + g − σ at λ = P_K(y).
            for (x, (p, l)) in self.dlambda.iter_mut().zip(self.impulse[..n].iter().zip(&self.lambda)) {
                *x = p - l;
            }
            self.dsigma[..n].fill(0.0);
            problem.delassus.add_product(&work.offsets, &self.dlambda[..n], &mut self.z, &mut self.dsigma[..n]);
            let gap = largest(&self.dsigma[..n]);
            let same = self.same_modes(problem, work);
            if gap <= CLOSE * self.ease * scale || (same && gap <= self.close * scale) {
                break;
            }
            self.direction(problem, work);
            count += 1;
            let step = self.line_search(problem, work);
            if std::env::var("TRACE").is_ok() { println!("   {count} gap {gap:.2e} scale {scale:.2e} same {same} step {step:.3} faces {}", self.faces.len()); }
            for (l, d) in self.lambda[..n].iter_mut().zip(&self.dlambda) {
                *l += step * d;
            }
            for (s, d) in work.sigma.iter_mut().zip(&self.dsigma) {
                *s += step * d;
            }
        }
        work.lambda.copy_from_slice(&self.impulse[..n]);
        for (i, block) in problem.blocks.iter().enumerate() {
            let part = work.offsets[i]..work.offsets[i + 1];
            work.modes[i] = mode_of_impulse(*block, &work.lambda[part.clone()], &work.sigma[part]);
        }
        work.update_sigma(problem);
        count
    }

    fn same_modes(&mut self, problem: &Problem, work: &Work) -> bool {
        let mut same = true;
        for (i, block) in problem.blocks.iter().enumerate() {
            let part = work.offsets[i]..work.offsets[i + 1];
            let mode = mode_of_impulse(*block, &self.impulse[part.clone()], &work.sigma[part]);
            same &= self.modes[i] == mode;
            self.modes[i] = mode;
        }
        same
    }

    fn update_shift(&mut self, problem: &Problem, work: &Work) -> f64 {
        let mut moved: f64 = 0.0;
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let next = match *block {
                Block::Contact { mu } => mu * work.sigma[at].hypot(work.sigma[at + 1]),
                _ => 0.0,
            };
            moved = moved.max((next - self.shift[i]).abs());
            self.shift[i] = next;
        }
        moved
    }

    /// y of a block at σ + step dσ.
    #[inline]
    fn force(&self, work: &Work, block: Block, i: usize, step: f64) -> [f64; 3] {
        let (at, r) = (work.offsets[i], -1.0 / self.compliance[i]);
        let mut y = [0.0; 3];
        for k in 0..block.rows() {
            y[k] = r * (work.sigma[at + k] + step * self.dsigma[at + k]);
        }
        if let Block::Contact { mu } = block {
            y[2] += r * self.shift[i];
            if mu == 0.0 {
                (y[0], y[1]) = (0.0, 0.0);
            }
        }
        y
    }

    /// P_K(y) and the directions of its derivative.
    fn project(&mut self, problem: &Problem, work: &Work) {
        self.faces.clear();
        self.dsigma[..problem.rows()].fill(0.0);
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = work.offsets[i];
            let rows = block.rows();
            let y = self.force(work, *block, i, 0.0);
            let mut p = y;
            project(*block, &mut p[..rows]);
            self.impulse[at..at + rows].copy_from_slice(&p[..rows]);
            let mut face = |b: [f64; 3], e: f64| self.faces.push(Face { block: i, at, rows, b, e });
            match *block {
                Block::Contact { mu } if mu > 0.0 => {
                    let tangent = y[0].hypot(y[1]);
                    if p[2] <= 0.0 {
                    } else if tangent <= mu * y[2] {
                        face([1.0, 0.0, 0.0], 1.0);
                        face([0.0, 1.0, 0.0], 1.0);
                        face([0.0, 0.0, 1.0], 1.0);
                    } else {
                        let (tx, ty) = (y[0] / tangent, y[1] / tangent);
                        let c = (1.0 + mu * mu).sqrt().recip();
                        face([c * mu * tx, c * mu * ty, c], 1.0);
                        face([-ty, tx, 0.0], mu * p[2] / tangent);
                    }
                }
                Block::Contact { .. } => {
                    if p[2] > 0.0 {
                        face([0.0, 0.0, 1.0], 1.0);
                    }
                }
                Block::Unilateral if p[0] <= 0.0 => {}
                Block::Box { bound } if y[0].abs() >= bound => {}
                _ => face([1.0, 0.0, 0.0], 1.0),
            }
        }
    }

    /// dλ and dσ of the Newton step: (1 + G W) dσ = b.
    fn direction(&mut self, problem: &Problem, work: &Work) {
        let n = problem.rows();
        let rows = match problem.delassus {
            Delassus::Trees(rows) => rows,
            Delassus::Dense(values) => return self.direction_dense(values, n),
        };
        self.trees.clear_weights(problem.blocks.len());
        for f in &self.faces {
            let w = &mut self.trees.weights[f.block];
            let scale = f.e / self.compliance[f.block];
            for r in 0..f.rows {
                for c in 0..f.rows {
                    w[r][c] += scale * f.b[r] * f.b[c];
                }
            }
        }
        self.trees.factor(rows);
        let apply = |w: &[Small], from: &[f64], to: &mut [[f64; 1]]| {
            for (i, block) in problem.blocks.iter().enumerate() {
                let at = work.offsets[i];
                for r in 0..block.rows() {
                    to[at + r][0] = (0..block.rows()).map(|c| w[i][r][c] * from[at + c]).sum();
                }
            }
        };
        // dσ = b − H (1 + HᵀWH)⁻¹ Hᵀ W b, on rows with weight; then λ moves by dλ = (P − λ) − W dσ.
        apply(&self.trees.weights, &self.dsigma, &mut self.rows);
        self.trees.respond(rows, &mut self.rows, false);
        for (i, w) in self.trees.weights.iter().enumerate() {
            if *w != [[0.0; 3]; 3] {
                for r in rows.range(i) {
                    self.dsigma[r] -= self.rows[r][0];
                }
            }
        }
        apply(&self.trees.weights, &self.dsigma, &mut self.rows);
        for (d, w) in self.dlambda[..n].iter_mut().zip(&self.rows) {
            *d -= w[0];
        }
        self.dsigma[..n].fill(0.0);
        problem.delassus.add_product(&work.offsets, &self.dlambda[..n], &mut self.z, &mut self.dsigma[..n]);
    }

    fn direction_dense(&mut self, values: &[f64], n: usize) {
        let m = self.faces.len();
        for (k, f) in self.faces.iter().enumerate() {
            // G b, then its products with the other directions.
            let column = &mut self.diagonal[..n];
            let first = &values[f.at * n..];
            match f.rows {
                3 => {
                    let (x, y, z) = (&first[..n], &first[n..2 * n], &first[2 * n..3 * n]);
                    for r in 0..n {
                        column[r] = f.b[0] * x[r] + f.b[1] * y[r] + f.b[2] * z[r];
                    }
                }
                _ => column.copy_from_slice(&first[..n]),
            }
            let line = &mut self.matrix[k * m..k * m + k + 1];
            for (a, other) in line.iter_mut().zip(&self.faces) {
                *a = match other.rows {
                    3 => other.b[0] * column[other.at] + other.b[1] * column[other.at + 1] + other.b[2] * column[other.at + 2],
                    _ => column[other.at],
                };
            }
            line[k] += self.compliance[f.block] / f.e;
            self.x[k][0] = (0..f.rows).map(|r| f.b[r] * self.dsigma[f.at + r]).sum();
        }
        if !factor_definite(&mut self.matrix[..m * m], m, m, &mut self.diagonal) {
            return;
        }
        solve_definite(&self.matrix[..m * m], m, m, &mut self.x[..m]);
        for (f, x) in self.faces.iter().zip(&self.x) {
            for r in 0..f.rows {
                self.dlambda[f.at + r] -= f.b[r] * x[0];
            }
        }
        self.dsigma[..n].fill(0.0);
        for (c, d) in self.dlambda[..n].iter().enumerate() {
            if *d != 0.0 {
                for (s, x) in self.dsigma.iter_mut().zip(&values[c * n..(c + 1) * n]) {
                    *s += d * x;
                }
            }
        }
    }

    /// The zero of ℓ's slope along the direction, or 1 where that is near.
    fn line_search(&self, problem: &Problem, work: &Work) -> f64 {
        let n = problem.rows();
        let dot = |a: &[f64]| a[..n].iter().zip(&self.dsigma).map(|(a, b)| a * b).sum::<f64>();
        let (constant, linear) = (dot(&self.lambda), dot(&self.dlambda));
        let slope = |step: f64| {
            let mut sum = constant + step * linear;
            for (i, block) in problem.blocks.iter().enumerate() {
                let rows = block.rows();
                let mut p = self.force(work, *block, i, step);
                project(*block, &mut p[..rows]);
                let at = work.offsets[i];
                for k in 0..rows {
                    sum -= p[k] * self.dsigma[at + k];
                }
            }
            sum
        };
        let first = slope(0.0);
        if first >= 0.0 {
            return 1.0;
        }
        let enough = 0.1 * first.abs();
        let (mut low, mut high, mut below, mut above) = (0.0, 1.0, first, slope(1.0));
        if above.abs() <= enough {
            return 1.0;
        }
        while above < 0.0 && high < 8.0 {
            (low, below) = (high, above);
            high *= 2.0;
            above = slope(high);
        }
        if above < 0.0 {
            return high;
        }
        let mut at = high;
        for k in 0..20 {
            at = if k % 3 == 2 { 0.5 * (low + high) } else { low - below * (high - low) / (above - below) };
            let s = slope(at);
            if s.abs() <= enough {
                break;
            }
            if s < 0.0 {
                (low, below) = (at, s);
            } else {
                (high, above) = (at, s);
            }
        }
        at
    }
}
