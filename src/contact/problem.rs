//! The constraint problem of one step. It contains nothing about robots and nothing about its solution.
//!
//! One law per block of rows relates impulses λ and constraint-space velocities σ = G λ + g:
//!
//! | block | rows | law |
//! |---|---|---|
//! | [`Block::Contact`] | 3: t₁, t₂, n | K_μ ∋ λ ⟂ σ + Γ_μ(σ) ∈ K_μ*, Γ_μ(σ) = (0, 0, μ‖σ_T‖) |
//! | [`Block::Pyramid`] | 3: t₁, t₂, n | 0 ≤ λ_n ⟂ σ_n ≥ 0; a box with the bound μ λ_n along each tangent |
//! | [`Block::Unilateral`] | 1 | 0 ≤ λ ⟂ σ ≥ 0 |
//! | [`Block::Box`] | 1 | σ = 0 if &#124;λ&#124; < bound, else λ = −bound·sign σ |
//! | [`Block::Bilateral`] | 1 | σ = 0 |
//! | [`Block::Torsion`] | 1 to 3 | further tangents of its contact, under the law of the contact |

pub use super::block::{Block, Friction, Lag, Regularization, Small};
use super::whitened_jacobian::WhitenedJacobian;
use crate::error::{Error, Result};
use crate::linalg::{dispatch, first_not_finite};

/// Access to G = J M⁻¹ Jᵀ + R, symmetric positive semi-definite. R ≥ 0 is the diagonal compliance of
/// compliant rows.
#[derive(Clone, Copy, Debug)]
pub enum Delassus<'a> {
    /// n × n, column-major, both triangles filled.
    Dense(&'a [f64]),
    /// By its factor. Each row of the factor has entries on a few trees only.
    Trees(&'a WhitenedJacobian),
}

/// One step's problem. Borrowed: the solver copies nothing of size n².
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub blocks: &'a [Block],
    pub delassus: Delassus<'a>,
    /// σ at λ = 0, including stabilization, n entries [m/s or rad/s].
    pub g: &'a [f64],
}

impl Problem<'_> {
    /// Number of rows n.
    pub fn rows(&self) -> usize {
        self.g.len()
    }

    /// Whether any contact has a friction pyramid.
    pub fn has_pyramids(&self) -> bool {
        let is_pyramid = |b: &Block| matches!(b, Block::Pyramid { .. });
        self.blocks.iter().any(is_pyramid)
    }

    /// Whether any contact has torsional or rolling friction.
    pub fn has_torsion(&self) -> bool {
        let is_torsion = |b: &Block| matches!(b, Block::Torsion { .. });
        self.blocks.iter().any(is_torsion)
    }

    /// Checks that a law of three rows can solve the problem.
    ///
    /// # Errors
    /// `Unsupported` if a contact has torsional or rolling friction.
    pub fn refuse_torsion(&self) -> Result<()> {
        match self.has_torsion() {
            true => Err(Error::unsupported(
                "torsional and rolling friction (condim 4 and 6) are not supported here, expected condim 1 or 3",
            )),
            false => Ok(()),
        }
    }

    /// Checks that torsional and rolling rows come directly before those of their contact.
    ///
    /// # Errors
    /// `InvalidArgument` for another order.
    pub fn check_torsion(&self) -> Result<()> {
        for (i, pair) in self.blocks.windows(2).enumerate() {
            let (Block::Torsion { contact, .. }, next) = (pair[0], pair[1]) else {
                continue;
            };
            let is_contact = matches!(next, Block::Contact { .. } | Block::Pyramid { .. });
            if contact != i + 1 || !is_contact {
                return Err(Error::invalid(format!(
                    "block {i} has the torsional rows of block {contact}, expected those of the next block"
                )));
            }
        }
        match self.blocks.last() {
            Some(Block::Torsion { .. }) => Err(Error::invalid(
                "the last block has torsional rows, expected a contact after them",
            )),
            _ => Ok(()),
        }
    }

    /// Checks sizes, signs and finiteness. Errors: `InvalidArgument` for a size or a sign, `Numerical`
    /// for NaN or ∞.
    pub fn validate(&self) -> Result<()> {
        let n = self.g.len();
        let mut rows = 0;
        for (i, block) in self.blocks.iter().enumerate() {
            rows += block.rows();
            let (name, value) = match *block {
                Block::Contact { mu } | Block::Pyramid { mu } => ("friction coefficient", mu),
                Block::Box { bound } => ("bound", bound),
                _ => continue,
            };
            if !value.is_finite() {
                return Err(Error::numerical(format!(
                    "block {i}: {name} is {value}, expected a finite number"
                )));
            }
            if value < 0.0 {
                return Err(Error::invalid(format!(
                    "block {i}: {name} is {value}, expected at least 0"
                )));
            }
        }
        if rows != n {
            return Err(Error::invalid(format!(
                "g has {n} entries, but the blocks have {rows} rows"
            )));
        }
        if let Some(i) = first_not_finite(self.g) {
            return Err(Error::numerical(format!(
                "g[{i}], the velocity of row {i} without impulses, is {}, expected a finite number",
                self.g[i]
            )));
        }
        self.delassus.check_shape(self.blocks, n)?;
        check_finite(match self.delassus {
            Delassus::Dense(values) => values,
            Delassus::Trees(rows) => {
                check_finite(rows.compliances())?;
                rows.entries()
            }
        })
    }
}

fn check_finite(values: &[f64]) -> Result<()> {
    match first_not_finite(values) {
        None => Ok(()),
        Some(at) => Err(Error::numerical(format!(
            "Delassus entry {at} is {}, expected a finite number",
            values[at]
        ))),
    }
}

/// σ += G[:, at…] δ for a dense G, column-major.
#[inline(always)]
fn add_dense_columns_kernel(values: &[f64], at: usize, delta: &[f64], sigma: &mut [f64]) {
    let n = sigma.len();
    let column = |c: usize| &values[(at + c) * n..(at + c + 1) * n];
    if let [a, b, c] = *delta {
        let (x, y, z) = (column(0), column(1), column(2));
        for (((s, x), y), z) in sigma.iter_mut().zip(x).zip(y).zip(z) {
            *s += x * a + y * b + z * c;
        }
    } else {
        for (c, d) in delta.iter().enumerate() {
            for (s, x) in sigma.iter_mut().zip(column(c)) {
                *s += x * d;
            }
        }
    }
}

/// σ += G λ for a dense G, by blocks.
#[inline(always)]
fn add_dense_product_kernel(values: &[f64], offsets: &[usize], lambda: &[f64], sigma: &mut [f64]) {
    for at in offsets.windows(2) {
        let part = &lambda[at[0]..at[1]];
        if part.iter().any(|l| *l != 0.0) {
            add_dense_columns_kernel(values, at[0], part, sigma);
        }
    }
}

dispatch! {
    fn add_dense_columns = add_dense_columns_kernel(values: &[f64], at: usize, delta: &[f64], sigma: &mut [f64])
}

dispatch! {
    fn add_dense_product = add_dense_product_kernel(
        values: &[f64], offsets: &[usize], lambda: &[f64], sigma: &mut [f64],
    )
}

impl Delassus<'_> {
    /// Checks that the storage belongs to these blocks with n rows. Errors: `InvalidArgument`.
    pub fn check_shape(&self, blocks: &[Block], n: usize) -> Result<()> {
        match self {
            Delassus::Dense(values) if values.len() != n * n => Err(Error::invalid(format!(
                "the Delassus matrix has {} entries, expected {n} × {n}",
                values.len()
            ))),
            Delassus::Dense(_) => Ok(()),
            Delassus::Trees(rows) => rows.check_shape(blocks),
        }
    }

    /// σ += G[:, rows of block i] δ. Block i starts at row `at` and has `delta.len()` rows; n is the
    /// length of σ.
    #[inline]
    pub fn add_columns(&self, i: usize, at: usize, delta: &[f64], sigma: &mut [f64]) {
        match self {
            Delassus::Dense(values) => {
                add_dense_columns(values, at, delta, sigma);
            }
            Delassus::Trees(rows) => rows.add_columns(i, delta, sigma),
        }
    }

    /// σ += G λ. `offsets` are the blocks' first rows. `scratch` holds at least as many numbers as the
    /// trees have coordinates.
    pub fn add_product(
        &self,
        offsets: &[usize],
        lambda: &[f64],
        scratch: &mut [[f64; 1]],
        sigma: &mut [f64],
    ) {
        match self {
            Delassus::Dense(values) => add_dense_product(values, offsets, lambda, sigma),
            Delassus::Trees(rows) => {
                rows.add_product(lambda, &mut scratch[..rows.coordinates()], sigma)
            }
        }
    }

    /// Number of coordinates of the trees; 0 if they are not known.
    pub fn coordinates(&self) -> usize {
        match self {
            Delassus::Dense(_) => 0,
            Delassus::Trees(rows) => rows.coordinates(),
        }
    }

    /// The diagonal block of block i, which starts at row `at` of n.
    #[inline]
    pub fn diagonal(&self, i: usize, at: usize, rows: usize, n: usize) -> Small {
        match self {
            Delassus::Dense(_) => self.dense_block(at, rows, at, rows, n),
            Delassus::Trees(trees) => trees.block(i, i),
        }
    }

    #[inline]
    fn dense_block(
        &self,
        row: usize,
        rows: usize,
        column: usize,
        columns: usize,
        n: usize,
    ) -> Small {
        let mut out = [[0.0; 3]; 3];
        if let Delassus::Dense(values) = self {
            for c in 0..columns {
                let start = (column + c) * n + row;
                for (line, x) in out.iter_mut().zip(&values[start..start + rows]) {
                    line[c] = *x;
                }
            }
        }
        out
    }

    /// Calls `visit(j, Gᵢⱼ)` for the blocks j of block row i that are `wanted`, in order.
    #[inline]
    pub fn for_row(
        &self,
        i: usize,
        blocks: &[Block],
        offsets: &[usize],
        wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, &Small),
    ) {
        let (rows, n) = (blocks[i].rows(), offsets[blocks.len()]);
        for (j, other) in blocks.iter().enumerate().filter(|(j, _)| wanted(*j)) {
            let block = match self {
                Delassus::Dense(_) => {
                    self.dense_block(offsets[i], rows, offsets[j], other.rows(), n)
                }
                Delassus::Trees(trees) => trees.block(i, j),
            };
            visit(j, &block);
        }
    }
}
