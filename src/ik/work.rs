//! Memory of a search and of a derivative.
//!
//! A search moves the reduced coordinates y of a model. Rows are those of all joints: forces and stiffness
//! are projected, g = Gᵀ Xᵀ y and A = Gᵀ Xᵀ K X G ([`Whole`]).

use crate::linalg::{factor_definite, solve_definite};
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::step::info::Gradient;
use std::sync::Arc;

/// Configuration, forces and stiffness of all joints, for a model with reduced coordinates.
#[derive(Clone, Debug)]
pub struct Whole {
    pub map: Arc<Reduction>,
    pub q: Vec<f64>,
    /// The configuration after a step.
    pub moved: Vec<f64>,
    /// Force, or a tangent vector.
    pub gradient: Vec<f64>,
    /// Lower triangle, row-major.
    pub matrix: Vec<f64>,
    product: Vec<f64>,
}

impl Whole {
    pub fn new(model: &Model) -> Option<Box<Whole>> {
        let map = model.reduction()?.clone();
        let nv = model.nv();
        Some(Box::new(Whole {
            q: vec![0.0; model.nq()],
            moved: vec![0.0; model.nq()],
            gradient: vec![0.0; nv],
            matrix: vec![0.0; nv * nv],
            product: vec![0.0; nv * model.free_nv()],
            map,
        }))
    }

    /// Gᵀ A G of the matrix, by all its entries.
    pub fn project(&mut self, out: &mut [f64]) {
        let (map, n) = (&self.map.v, self.gradient.len());
        for k in 0..n {
            for l in 0..k {
                self.matrix[l * n + k] = self.matrix[k * n + l];
            }
        }
        map.times(n, &self.matrix, &mut self.product);
        let columns = self.product.chunks_exact(n.max(1));
        let rows = out.chunks_exact_mut(map.sizes()[1].max(1));
        columns
            .zip(rows)
            .for_each(|(x, y)| map.expand_transposed(x, y));
    }
}

/// The label of the derivative of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IkGradient {
    pub gradient: Gradient,
    /// True if the solution is the only one nearby; otherwise the derivative is that of the least-norm
    /// motion.
    pub unique: bool,
}

/// State of the factorization of the last solution's derivative.
#[derive(Clone, Copy, Debug)]
pub struct Prepared {
    pub gradient: IkGradient,
}

/// Memory of a derivative when solutions form a family: rows X, X Xᵀ, and a variation of all targets.
#[derive(Clone, Debug)]
pub struct Regular {
    pub capacity: usize,
    pub rows: Vec<f64>,
    pub normal: Vec<f64>,
    pub factored: Factored,
    pub unit: Vec<f64>,
}

impl Regular {
    pub fn new(nv: usize, rows: usize, variations: usize) -> Regular {
        Regular {
            capacity: rows,
            rows: vec![0.0; rows * nv],
            normal: vec![0.0; rows * rows],
            factored: Factored::new(rows),
            unit: vec![0.0; variations],
        }
    }
}

/// Memory of a search, by nq and nv.
#[derive(Clone, Debug)]
pub struct Work {
    pub q: Vec<f64>,
    pub trial: Vec<f64>,
    pub best: Vec<f64>,
    /// Start of a second step, with gradient and matrix there.
    pub base: Vec<f64>,
    pub kept: (Vec<f64>, Vec<f64>),
    pub gradient: Vec<f64>,
    /// Lower triangle, row-major.
    pub matrix: Vec<f64>,
    pub step: Vec<f64>,
    /// True for each dof that is at a bound and stays there.
    pub fixed: Vec<bool>,
    pub factored: Factored,
}

impl Work {
    pub fn new(nq: usize, nv: usize) -> Work {
        Work {
            q: vec![0.0; nq],
            trial: vec![0.0; nq],
            best: vec![0.0; nq],
            base: vec![0.0; nq],
            kept: (vec![0.0; nv], vec![0.0; nv * nv]),
            gradient: vec![0.0; nv],
            matrix: vec![0.0; nv * nv],
            step: vec![0.0; nv],
            fixed: vec![false; nv],
            factored: Factored::new(nv),
        }
    }

    /// The most negative curvature of the matrix of the chosen dofs. Its unit vector goes to `kept.0`, found
    /// by powers of the matrix subtracted from a bound on its eigenvalues.
    pub fn most_negative(&mut self, rounds: usize) -> f64 {
        let (n, free) = (self.step.len(), &self.factored.free);
        let entry = |k: usize, l: usize| self.matrix[k.max(l) * n + k.min(l)];
        let sum = |k: usize| free.iter().map(|l| entry(k, *l).abs()).sum::<f64>();
        let bound = free.iter().fold(0.0, |m: f64, k| m.max(sum(*k)));
        let (x, image) = (&mut self.kept.0, &mut self.step);
        x.fill(0.0);
        // Start values without a pattern, so that no symmetry of a robot makes the start orthogonal to the
        // direction.
        for k in free {
            x[*k] = 1.0 + (0.618_033_988_749_894_9 * (*k + 1) as f64).fract();
        }
        let mut curvature = 0.0;
        for _ in 0..rounds {
            let size = free.iter().map(|k| x[*k] * x[*k]).sum::<f64>().sqrt();
            free.iter().for_each(|k| x[*k] /= size);
            for k in free {
                image[*k] = free.iter().map(|l| entry(*k, *l) * x[*l]).sum();
            }
            curvature = free.iter().map(|k| x[*k] * image[*k]).sum();
            free.iter().for_each(|k| x[*k] = bound * x[*k] - image[*k]);
        }
        curvature
    }

    /// A step along the direction of [`Work::most_negative`], with `size` as its largest entry.
    pub fn step_along(&mut self, size: f64) {
        let most = self.kept.0.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (d, x) in self.step.iter_mut().zip(&self.kept.0) {
            *d = size * x / most;
        }
    }
}

/// The free rows and columns of a symmetric matrix, factored.
#[derive(Clone, Debug)]
pub struct Factored {
    pub free: Vec<usize>,
    values: Vec<f64>,
    scratch: Vec<f64>,
    pub x: Vec<[f64; 1]>,
}

impl Factored {
    pub fn new(n: usize) -> Factored {
        Factored {
            free: Vec::with_capacity(n),
            values: vec![0.0; n * n],
            scratch: vec![0.0; n],
            x: vec![[0.0]; n],
        }
    }

    pub fn choose(&mut self, free: impl Iterator<Item = usize>) {
        self.free.clear();
        self.free.extend(free);
    }

    /// Factors the free part of the lower triangle `a` of order n, plus `damping` on its diagonal. Returns
    /// whether each pivot exceeds `least[0]` times its diagonal entry plus `least[1]`.
    pub fn factor(&mut self, a: &[f64], n: usize, damping: f64, least: [f64; 2]) -> bool {
        let m = self.free.len();
        for (i, k) in self.free.iter().enumerate() {
            for (j, l) in self.free[..=i].iter().enumerate() {
                self.values[i * m + j] = a[k * n + l];
            }
            self.values[i * m + i] += damping;
        }
        if !factor_definite(&mut self.values, m, m, &mut self.scratch) {
            return false;
        }
        let mut pivots = self.free.iter().enumerate();
        pivots.all(|(i, k)| self.values[i * m + i] > least[0] * (a[k * n + k] + damping) + least[1])
    }

    /// x ← A⁻¹ x, in the order of `free`.
    pub fn solve(&mut self) {
        let m = self.free.len();
        solve_definite(&self.values, m, m, &mut self.x[..m]);
    }
}
