//! The iterate and the linear system of all methods on the central path: G + D in scaled units, with D
//! block-diagonal.

mod by_trees;

use super::modes::tending;
use super::wide::{self, WIDEST, Wide};
use super::work::Work;
use crate::contact::capacity::Capacity;
use crate::contact::digits::{DEPENDENT, IDLE};
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Delassus, Problem, Small};
use crate::contact::tree_system::TreeSystem;
use crate::linalg::Lu;

/// D of a contact with torsional or rolling friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideShift {
    pub block: usize,
    pub slope: [Wide; WIDEST],
}

/// The iterate, the system and its factorization. The units make the mean diagonal of each block of G
/// and the largest entry of g equal to one: λ = unit · velocity · λ', σ = velocity / unit · σ'.
#[derive(Debug)]
pub(super) struct PathSystem {
    matrix: Vec<f64>,
    lu: Lu,
    trees: TreeSystem,
    /// Unit of each block.
    unit: Vec<f64>,
    velocity: f64,
    /// Blocks whose normal row is in the null space of G: no impulse changes its velocity. Such a block can
    /// be on the central path only if this velocity is positive. The velocity of surfaces that glide on
    /// each other is zero; on the path it is made positive.
    is_null: Vec<bool>,
    /// Bounds of boxes.
    pub bounds: Vec<f64>,
    pub lambda: Vec<f64>,
    pub sigma: Vec<f64>,
    /// The modes that the blocks tend to.
    pub modes: Vec<Mode>,
    /// D of each block. Fill it before [`PathSystem::factor`].
    pub shift: Vec<Small>,
    /// D of contacts with torsional or rolling friction. Their `shift` is zero.
    pub wides: Vec<WideShift>,
    /// Largest entry of D of each block, at least one. Used by trees only.
    sizes: Vec<f64>,
    x: Vec<[f64; 1]>,
    remainder: Vec<[f64; 1]>,
    rows: Vec<[f64; 1]>,
    part: Vec<f64>,
    z: Vec<[f64; 1]>,
}

impl PathSystem {
    pub fn new(
        [max_rows, dense]: [usize; 2],
        capacity: &Capacity,
        trees: TreeSystem,
    ) -> PathSystem {
        let max_blocks = capacity.blocks;
        let rows = || Vec::with_capacity(max_rows);
        PathSystem {
            matrix: Vec::with_capacity(dense * dense),
            lu: Lu::new(dense),
            trees,
            unit: Vec::with_capacity(max_blocks),
            velocity: 1.0,
            is_null: Vec::with_capacity(max_blocks),
            bounds: Vec::with_capacity(max_blocks),
            lambda: Vec::with_capacity(max_rows),
            sigma: Vec::with_capacity(max_rows),
            modes: Vec::with_capacity(max_blocks),
            shift: Vec::with_capacity(max_blocks),
            wides: Vec::with_capacity(capacity.torsion),
            sizes: Vec::with_capacity(max_blocks),
            x: rows(),
            remainder: rows(),
            rows: rows(),
            part: Vec::with_capacity(max_rows),
            z: vec![[0.0]; capacity.coordinates],
        }
    }

    /// Computes the units of a problem, and starts in the middle of its cones at rest. Returns false if
    /// no row responds to any impulse.
    pub fn start(&mut self, problem: &Problem, work: &Work) -> bool {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        let mean = |i: usize| {
            let rows = problem.blocks[i].rows();
            (0..rows).map(|r| work.diagonal[i][r][r]).sum::<f64>() / rows as f64
        };
        let largest = (0..nb).map(mean).fold(0.0, f64::max);
        if largest <= 0.0 {
            return false;
        }
        self.unit.clear();
        self.unit
            .extend((0..nb).map(|i| mean(i).max(1e-12 * largest).sqrt().recip()));
        self.wides.clear();
        for i in (0..nb).filter(|i| work.is_wide(*i)) {
            // One unit keeps the cone round.
            self.unit[i - 1] = self.unit[i];
            self.wides.push(WideShift {
                block: i,
                slope: [[0.0; WIDEST]; WIDEST],
            });
        }
        self.is_null.clear();
        self.is_null.extend((0..nb).map(|i| {
            let last = problem.blocks[i].rows() - 1;
            let parts = match problem.blocks[i] {
                Block::Contact { mu } | Block::Pyramid { mu } => mu == 0.0,
                Block::Unilateral => true,
                _ => false,
            };
            parts && work.diagonal[i][last][last] <= IDLE * largest
        }));
        let size = (0..nb)
            .flat_map(|i| (work.offsets[i]..work.offsets[i + 1]).map(move |r| (i, r)))
            .fold(0.0f64, |m, (i, r)| {
                m.max((problem.g[r] * self.unit[i]).abs())
            });
        self.velocity = if size > 0.0 { size } else { 1.0 };
        self.shift.clear();
        self.shift.resize(nb, [[0.0; 3]; 3]);
        self.x.resize(n, [0.0]);
        self.remainder.resize(n, [0.0]);
        self.rows.resize(n, [0.0]);
        self.part.resize(n, 0.0);
        self.start_iterate(problem, work);
        if let Delassus::Trees(rows) = problem.delassus {
            self.trees.analyze(rows);
        }
        true
    }

    fn start_iterate(&mut self, problem: &Problem, work: &Work) {
        for v in [&mut self.lambda, &mut self.sigma] {
            v.clear();
            v.resize(problem.rows(), 0.0);
        }
        self.modes.clear();
        self.modes.resize(problem.blocks.len(), Mode::Unknown);
        self.bounds.clear();
        for (i, block) in problem.blocks.iter().enumerate() {
            if let Block::Contact { .. } | Block::Pyramid { .. } | Block::Unilateral = block {
                self.lambda[work.offsets[i + 1] - 1] = 1.0;
            }
            self.bounds.push(match block {
                Block::Box { bound } => bound / (self.unit[i] * self.velocity),
                _ => 0.0,
            });
        }
    }

    /// Updates the modes that the blocks tend to. Returns whether they are unchanged. `slack` returns,
    /// for a block's index and velocity, the two parts whose difference is σ.
    pub fn update_modes(
        &mut self,
        blocks: &[Block],
        offsets: &[usize],
        slack: impl Fn(usize, &[f64]) -> [f64; 4],
    ) -> bool {
        let mut same = true;
        for (i, block) in blocks.iter().enumerate() {
            if matches!(block, Block::Torsion { .. }) || wide::is_wide(blocks, i) {
                continue;
            }
            let part = offsets[i]..offsets[i + 1];
            let (l, s) = (&self.lambda[part.clone()], &self.sigma[part]);
            let new = tending(*block, self.bounds[i], l, s, slack(i, s));
            same &= self.modes[i] == new;
            self.modes[i] = new;
        }
        same
    }

    /// Writes impulses and modes in the problem's units into `work`, and updates σ.
    pub fn write(&self, problem: &Problem, work: &mut Work) {
        self.write_impulses(&work.offsets, &mut work.lambda);
        work.modes.copy_from_slice(&self.modes);
        work.update_sigma(problem);
    }

    fn write_impulses(&self, offsets: &[usize], lambda: &mut [f64]) {
        for (i, unit) in self.unit.iter().enumerate() {
            for r in offsets[i]..offsets[i + 1] {
                lambda[r] = self.lambda[r] * unit * self.velocity;
            }
            if self.is_null[i] {
                lambda[offsets[i + 1] - 1] = 0.0;
            }
        }
    }

    /// Gλ + g, scaled.
    pub fn velocities(&mut self, problem: &Problem, offsets: &[usize], sigma: &mut [f64]) {
        sigma.copy_from_slice(problem.g);
        let mut part = std::mem::take(&mut self.part);
        self.write_impulses(offsets, &mut part);
        problem
            .delassus
            .add_product(offsets, &part, &mut self.z, sigma);
        self.part = part;
        for (i, unit) in self.unit.iter().enumerate() {
            for s in &mut sigma[offsets[i]..offsets[i + 1]] {
                *s *= unit / self.velocity;
            }
            if self.is_null[i] {
                let normal = &mut sigma[offsets[i + 1] - 1];
                *normal = normal.max(1.0);
            }
        }
    }

    /// σ = Gλ + g.
    pub fn update_sigma(&mut self, problem: &Problem, offsets: &[usize]) {
        let mut sigma = std::mem::take(&mut self.sigma);
        self.velocities(problem, offsets, &mut sigma);
        self.sigma = sigma;
    }

    /// Factors G + D. A singular matrix leads to numbers that end the path.
    pub fn factor(&mut self, problem: &Problem, offsets: &[usize]) {
        if let Delassus::Trees(rows) = problem.delassus {
            self.factor_by_trees(problem, rows);
            return;
        }
        let n = problem.rows();
        let a = &mut self.matrix;
        a.clear();
        a.resize(n * n, 0.0);
        for (i, block) in problem.blocks.iter().enumerate() {
            let at = offsets[i];
            problem.delassus.for_row(
                i,
                problem.blocks,
                offsets,
                |_| true,
                |j, g| {
                    let scale = self.unit[i] * self.unit[j];
                    let columns = problem.blocks[j].rows();
                    for (r, line) in g.iter().enumerate().take(block.rows()) {
                        let start = (at + r) * n + offsets[j];
                        for (a, x) in a[start..start + columns].iter_mut().zip(line) {
                            *a = scale * x;
                        }
                    }
                },
            );
            for r in 0..block.rows() {
                let line = &mut a[(at + r) * n..(at + r + 1) * n];
                for c in 0..block.rows() {
                    line[at + c] += self.shift[i][r][c];
                }
                // Added to the matrix only: fixed points do not move.
                line[at + r] += DEPENDENT;
                if frozen(*block, r) {
                    line.fill(0.0);
                    line[at + r] = 1.0;
                }
            }
        }
        for wide in &self.wides {
            let first = offsets[wide.block - 1];
            let part = first..offsets[wide.block + 1];
            for (row, slope) in part.clone().zip(&wide.slope) {
                for (a, d) in a[row * n..][part.clone()].iter_mut().zip(slope) {
                    *a += d;
                }
            }
        }
        self.lu.factor(a, n, n, 0.0);
    }

    /// Whether the determinant of the factored matrix is negative.
    pub fn is_negative(&self, problem: &Problem) -> bool {
        match problem.delassus {
            Delassus::Dense(_) => self.lu.is_negative(),
            Delassus::Trees(_) => self.is_negative_by_trees(problem.blocks),
        }
    }

    /// x ← (G + D)⁻¹ b, zero in frozen rows. If G is stored by trees, a `rough` solution has about eight
    /// digits.
    pub fn solve(
        &mut self,
        problem: &Problem,
        offsets: &[usize],
        b: &[f64],
        x: &mut [f64],
        rough: bool,
    ) {
        for (i, block) in problem.blocks.iter().enumerate() {
            for (k, r) in (offsets[i]..offsets[i + 1]).enumerate() {
                self.x[r][0] = if frozen(*block, k) { 0.0 } else { b[r] };
            }
        }
        match problem.delassus {
            Delassus::Dense(_) => self.lu.solve(&mut self.x, &mut self.remainder),
            Delassus::Trees(rows) => self.solve_by_trees(problem, rows, b, rough),
        }
        for (to, from) in x.iter_mut().zip(&self.x) {
            *to = from[0];
        }
    }
}

/// Rows whose impulse is zero by law: tangents without friction, dry friction without a bound.
pub(super) fn frozen(block: Block, row: usize) -> bool {
    match block {
        Block::Contact { mu } | Block::Pyramid { mu } => mu == 0.0 && row < 2,
        Block::Box { bound } => bound == 0.0,
        _ => false,
    }
}
