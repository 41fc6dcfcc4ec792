//! The vectors that the solvers share: one iterate, its backups, and scratch.

use crate::contact::certificate::Path;
use crate::contact::digits::IDLE;
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Problem, Small};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Work {
    /// First row of each block, and n.
    pub offsets: Vec<usize>,
    /// First row of each law: of a contact, the first of its torsional rows if it has any.
    pub firsts: Vec<usize>,
    pub diagonal: Vec<Small>,
    /// Weight of each row's velocity, relative to a sliding row; empty without torsional rows. Torsional rows
    /// have angular velocities times arbitrary lengths. The weight replaces such a velocity by the sliding
    /// velocity with the same energy if that one is smaller. Otherwise the weight is 1: a larger one would
    /// make round-off of the row count as a velocity.
    weights: Vec<f64>,
    pub lambda: Vec<f64>,
    pub sigma: Vec<f64>,
    pub modes: Vec<Mode>,
    pub free: Vec<f64>,
    pub kept: Vec<f64>,
    kept_sigma: Vec<f64>,
    /// Velocities of the impulse that a pseudo-inverse chooses.
    pub chosen: Vec<f64>,
    verified: Vec<f64>,
    verified_sigma: Vec<f64>,
    verified_modes: Vec<Mode>,
    pub x: Vec<[f64; 1]>,
    pub scratch: Vec<[f64; 1]>,
    /// Velocities of the trees.
    pub z: Vec<[f64; 1]>,
}

impl Work {
    pub fn new(max_rows: usize, max_blocks: usize, max_coordinates: usize) -> Work {
        let rows = || Vec::with_capacity(max_rows);
        Work {
            offsets: Vec::with_capacity(max_blocks + 1),
            firsts: Vec::with_capacity(max_blocks),
            diagonal: Vec::with_capacity(max_blocks),
            weights: rows(),
            lambda: rows(),
            sigma: rows(),
            modes: Vec::with_capacity(max_blocks),
            free: rows(),
            kept: rows(),
            kept_sigma: rows(),
            chosen: rows(),
            verified: rows(),
            verified_sigma: rows(),
            verified_modes: Vec::with_capacity(max_blocks),
            x: Vec::with_capacity(max_rows),
            scratch: Vec::with_capacity(max_rows),
            z: vec![[0.0]; max_coordinates],
        }
    }

    /// Sizes all vectors for a problem and takes the warm start. Within the capacities nothing is
    /// allocated.
    pub fn start(&mut self, problem: &Problem, lambda: &[f64], modes: &[Mode]) {
        let n = problem.rows();
        self.offsets.clear();
        self.firsts.clear();
        self.diagonal.clear();
        let (mut at, mut first) = (0, 0);
        for (i, block) in problem.blocks.iter().enumerate() {
            self.offsets.push(at);
            self.firsts.push(first);
            self.diagonal
                .push(problem.delassus.diagonal(i, at, block.rows(), n));
            at += block.rows();
            if !matches!(block, Block::Torsion { .. }) {
                first = at;
            }
        }
        self.offsets.push(at);
        self.weigh(n);
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        self.modes.clear();
        self.modes.extend_from_slice(modes);
        for v in [
            &mut self.sigma,
            &mut self.free,
            &mut self.kept,
            &mut self.kept_sigma,
            &mut self.chosen,
            &mut self.verified,
            &mut self.verified_sigma,
        ] {
            v.resize(n, 0.0);
        }
        self.x.resize(n, [0.0]);
        self.scratch.resize(n, [0.0]);
        self.verified_modes.resize(modes.len(), Mode::Unknown);
    }

    fn weigh(&mut self, rows: usize) {
        self.weights.clear();
        for i in 0..self.firsts.len() {
            if !self.is_wide(i) {
                continue;
            }
            self.weights.resize(rows, 1.0);
            let contact = &self.diagonal[i];
            let sliding = 0.5 * (contact[0][0] + contact[1][1]);
            for (r, row) in (self.firsts[i]..self.offsets[i]).enumerate() {
                let torsion = self.diagonal[i - 1][r][r];
                if sliding > IDLE * torsion && torsion > IDLE * sliding {
                    self.weights[row] = (sliding / torsion).sqrt().min(1.0);
                }
            }
        }
    }

    /// Weight of a row's velocity.
    #[inline]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The largest weighted velocity; NaN is ignored.
    pub fn speed(&self, sigma: &[f64]) -> f64 {
        let larger = |m: f64, x: f64| if x > m { x } else { m };
        match self.weights.is_empty() {
            true => sigma.iter().fold(0.0, |m, x| larger(m, x.abs())),
            false => {
                let all = sigma.iter().zip(&self.weights);
                all.fold(0.0, |m, (x, w)| larger(m, (w * x).abs()))
            }
        }
    }

    /// The weighted velocities of a contact with torsional rows, and their number.
    pub fn weighted(&self, i: usize, sigma: &[f64]) -> ([f64; 6], usize) {
        let (mut out, part) = ([0.0; 6], self.part(i));
        for (out, row) in out.iter_mut().zip(part.clone()) {
            *out = self.weight(row) * sigma[row];
        }
        (out, part.len())
    }

    /// Whether block i is a contact with torsional or rolling friction.
    #[inline]
    pub fn is_wide(&self, i: usize) -> bool {
        self.firsts[i] != self.offsets[i]
    }

    /// The rows of the law of block i.
    #[inline]
    pub fn part(&self, i: usize) -> Range<usize> {
        self.firsts[i]..self.offsets[i + 1]
    }

    /// σ = G λ + g.
    pub fn update_sigma(&mut self, problem: &Problem) {
        self.sigma.copy_from_slice(problem.g);
        problem
            .delassus
            .add_product(&self.offsets, &self.lambda, &mut self.z, &mut self.sigma);
    }

    pub fn keep(&mut self) {
        self.kept.copy_from_slice(&self.lambda);
        self.kept_sigma.copy_from_slice(&self.sigma);
    }

    pub fn restore(&mut self) {
        self.lambda.copy_from_slice(&self.kept);
        self.sigma.copy_from_slice(&self.kept_sigma);
    }

    pub fn keep_verified(&mut self) {
        self.verified.copy_from_slice(&self.lambda);
        self.verified_sigma.copy_from_slice(&self.sigma);
        self.verified_modes.copy_from_slice(&self.modes);
    }

    /// The modes of all blocks, each with the mode that [`Work::keep_verified`] kept.
    pub fn changed_modes(&self) -> impl Iterator<Item = (Mode, Mode)> + '_ {
        self.modes
            .iter()
            .copied()
            .zip(self.verified_modes.iter().copied())
    }

    pub fn restore_verified(&mut self) {
        self.lambda.copy_from_slice(&self.verified);
        self.sigma.copy_from_slice(&self.verified_sigma);
        self.modes.copy_from_slice(&self.verified_modes);
    }
}

/// The best iterate of a solve, its residual, and its path.
#[derive(Debug)]
pub(super) struct Best {
    pub lambda: Vec<f64>,
    pub residual: f64,
    pub path: Path,
}

impl Best {
    pub fn new(max_rows: usize) -> Best {
        Best {
            lambda: Vec::with_capacity(max_rows),
            residual: f64::INFINITY,
            path: Path::Empty,
        }
    }

    pub fn clear(&mut self) {
        self.lambda.clear();
        self.residual = f64::INFINITY;
    }

    pub fn is_known(&self) -> bool {
        !self.lambda.is_empty()
    }
}

/// Vectors for the label of a derivative, by rows of the problem. Sized at creation.
#[derive(Debug, Default)]
pub(super) struct Probe {
    pub sigma: Vec<f64>,
    pub dlambda: Vec<f64>,
    pub weights: Vec<f64>,
}

impl Probe {
    pub fn new(max_rows: usize) -> Probe {
        Probe {
            sigma: vec![0.0; max_rows],
            dlambda: vec![0.0; max_rows],
            weights: vec![0.0; max_rows],
        }
    }
}
