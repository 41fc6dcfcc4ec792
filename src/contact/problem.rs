//! The constraint problem of one step, with nothing about robots in it and nothing about how it is solved.
//!
//! Impulses λ and constraint-space velocities σ = G λ + g are tied by one law per block of rows:
//!
//! | block | rows | law |
//! |---|---|---|
//! | [`Block::Contact`] | 3: t₁, t₂, n | K_μ ∋ λ ⟂ σ + Γ_μ(σ) ∈ K_μ*, Γ_μ(σ) = (0, 0, μ‖σ_T‖) |
//! | [`Block::Unilateral`] | 1 | 0 ≤ λ ⟂ σ ≥ 0 |
//! | [`Block::Box`] | 1 | σ = 0 where &#124;λ&#124; < bound, else λ = −bound·sign σ |
//! | [`Block::Bilateral`] | 1 | σ = 0 |

use crate::error::{Error, Result};

/// The law of a group of consecutive rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// Contact with Coulomb friction, rows (t₁, t₂, n); `mu` ≥ 0.
    Contact { mu: f64 },
    /// A joint limit or a frictionless contact.
    Unilateral,
    /// Dry friction: the impulse stays within ±`bound` [N·s or N·m·s], `bound` ≥ 0.
    Box { bound: f64 },
    /// An equality: the impulse is free.
    Bilateral,
}

impl Block {
    /// Number of rows.
    #[inline]
    pub fn rows(self) -> usize {
        match self {
            Block::Contact { .. } => 3,
            _ => 1,
        }
    }
}

/// Access to G = J M⁻¹ Jᵀ, symmetric positive semi-definite.
#[derive(Clone, Copy, Debug)]
pub enum Delassus<'a> {
    /// n × n, column-major, both triangles filled.
    Dense(&'a [f64]),
    /// Only the blocks of pairs that share a body.
    Sparse(&'a BlockSparse),
}

/// One step's problem. Borrowed: the solver copies nothing of size n².
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub blocks: &'a [Block],
    pub delassus: Delassus<'a>,
    /// σ at λ = 0, stabilization included, n entries [m/s or rad/s].
    pub g: &'a [f64],
}

impl Problem<'_> {
    /// Number of rows n.
    pub fn rows(&self) -> usize {
        self.g.len()
    }

    /// Checks sizes, signs and finiteness. Errors: `InvalidArgument` for a size or a sign, `Numerical` for NaN or ∞.
    pub fn validate(&self) -> Result<()> {
        let n = self.g.len();
        let mut rows = 0;
        for (i, block) in self.blocks.iter().enumerate() {
            rows += block.rows();
            let (name, value) = match *block {
                Block::Contact { mu } => ("friction coefficient", mu),
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
        if let Some(i) = self.g.iter().position(|x| !x.is_finite()) {
            return Err(Error::numerical(format!(
                "g[{i}] is {}, expected a finite number",
                self.g[i]
            )));
        }
        self.delassus.check_shape(self.blocks, n)?;
        check_finite(match self.delassus {
            Delassus::Dense(values) => values,
            Delassus::Sparse(sparse) => &sparse.values,
        })
    }
}

fn check_finite(values: &[f64]) -> Result<()> {
    // x·0 is 0 for every finite x and NaN otherwise: one pass without branches.
    let mut poison = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (p, x) in poison.iter_mut().zip(chunk) {
            *p += x * 0.0;
        }
    }
    if poison.iter().sum::<f64>() + rest.iter().map(|x| x * 0.0).sum::<f64>() == 0.0 {
        return Ok(());
    }
    let at = values.iter().position(|x| !x.is_finite()).unwrap_or(0);
    Err(Error::numerical(format!(
        "Delassus entry {at} is {}, expected a finite number",
        values[at]
    )))
}

/// Up to 3 × 3, row-major; entries beyond a block's size are zero.
pub type Small = [[f64; 3]; 3];

/// A symmetric matrix of small blocks, both triangles stored, in compressed block rows.
///
/// Because G is symmetric the block row of i also is its block column, so a change of λᵢ updates σ in time
/// proportional to the neighbours of i.
#[derive(Clone, Debug, Default)]
pub struct BlockSparse {
    offsets: Vec<usize>,
    starts: Vec<usize>,
    columns: Vec<usize>,
    places: Vec<usize>,
    values: Vec<f64>,
}

impl BlockSparse {
    /// Room for `blocks` block rows and `pairs` stored blocks (both triangles); refilling within it does not allocate.
    pub fn with_capacity(blocks: usize, pairs: usize) -> BlockSparse {
        BlockSparse {
            offsets: Vec::with_capacity(blocks + 1),
            starts: Vec::with_capacity(blocks + 1),
            columns: Vec::with_capacity(pairs),
            places: Vec::with_capacity(pairs),
            values: Vec::with_capacity(9 * pairs),
        }
    }

    /// Starts an empty matrix; block rows follow by [`BlockSparse::push_row`].
    pub fn clear(&mut self) {
        self.offsets.clear();
        self.offsets.push(0);
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.places.clear();
        self.values.clear();
    }

    /// Appends the next block row. `entries` are (block column, Gᵢⱼ) in increasing column order; `sizes` gives every
    /// block's rows. The caller stores both triangles. Errors: `InvalidArgument` for a column out of order or a size beyond 3.
    pub fn push_row(
        &mut self,
        sizes: impl Fn(usize) -> usize,
        entries: &[(usize, Small)],
    ) -> Result<()> {
        if self.offsets.is_empty() {
            self.clear();
        }
        let i = self.offsets.len() - 1;
        if let Some(pair) = entries.windows(2).find(|p| p[0].0 >= p[1].0) {
            return Err(Error::invalid(format!(
                "block row {i}: column {} follows {}",
                pair[1].0, pair[0].0
            )));
        }
        let rows = sizes(i);
        if let Some((j, _)) = entries
            .iter()
            .find(|(j, _)| !(1..=3).contains(&sizes(*j)) || !(1..=3).contains(&rows))
        {
            return Err(Error::invalid(format!(
                "block row {i}, column {j}: blocks have 1 to 3 rows"
            )));
        }
        self.offsets.push(self.offsets[i] + rows);
        for (j, block) in entries {
            self.columns.push(*j);
            self.places.push(self.values.len());
            for c in 0..sizes(*j) {
                self.values
                    .extend(block.iter().take(rows).map(|row| row[c]));
            }
        }
        self.starts.push(self.columns.len());
        Ok(())
    }

    /// Whether the block rows are those of `blocks` and every stored block has the size of its row and column.
    fn fits(&self, blocks: &[Block]) -> bool {
        self.offsets.len() == blocks.len() + 1
            && blocks.iter().enumerate().all(|(i, block)| {
                self.rows_of(i) == block.rows()
                    && (self.starts[i]..self.starts[i + 1]).all(|k| {
                        let end = self.places.get(k + 1).copied().unwrap_or(self.values.len());
                        blocks.get(self.columns[k]).is_some_and(|other| {
                            end - self.places[k] == block.rows() * other.rows()
                        })
                    })
            })
    }

    fn rows_of(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> {
        (self.starts[i]..self.starts[i + 1]).map(move |k| {
            let j = self.columns[k];
            let size = self.rows_of(i) * self.rows_of(j);
            (j, &self.values[self.places[k]..self.places[k] + size])
        })
    }
}

impl Delassus<'_> {
    /// Checks that the storage is that of these blocks with n rows. Errors: `InvalidArgument`.
    pub fn check_shape(&self, blocks: &[Block], n: usize) -> Result<()> {
        match self {
            Delassus::Dense(values) if values.len() != n * n => Err(Error::invalid(format!(
                "the Delassus matrix has {} entries, expected {n} × {n}",
                values.len()
            ))),
            Delassus::Sparse(sparse) if !sparse.fits(blocks) => Err(Error::invalid(
                "the block-sparse Delassus matrix was built for other blocks",
            )),
            _ => Ok(()),
        }
    }

    /// σ += G[:, rows of block i] δ, where block i starts at row `at` and has `delta.len()` rows; n = σ's length.
    #[inline]
    pub fn add_columns(&self, i: usize, at: usize, delta: &[f64], sigma: &mut [f64]) {
        match self {
            Delassus::Dense(values) => {
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
            Delassus::Sparse(sparse) => {
                // Gⱼᵢ = Gᵢⱼᵀ: walk block row i.
                let rows = delta.len();
                for (j, block) in sparse.row(i) {
                    for (c, s) in sigma[sparse.offsets[j]..sparse.offsets[j + 1]]
                        .iter_mut()
                        .enumerate()
                    {
                        for (d, x) in delta.iter().zip(&block[c * rows..(c + 1) * rows]) {
                            *s += d * x;
                        }
                    }
                }
            }
        }
    }

    /// The diagonal block of block i, which starts at row `at` of n.
    #[inline]
    pub fn diagonal(&self, i: usize, at: usize, rows: usize, n: usize) -> Small {
        match self {
            Delassus::Dense(_) => self.dense_block(at, rows, at, rows, n),
            Delassus::Sparse(sparse) => sparse
                .row(i)
                .find(|(j, _)| *j == i)
                .map_or([[0.0; 3]; 3], |(_, block)| unpack(block, rows, rows)),
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

    /// Calls `visit(j, Gᵢⱼ)` for the stored blocks of block row i that are `wanted`, in order of j.
    #[inline]
    pub fn for_row(
        &self,
        i: usize,
        blocks: &[Block],
        offsets: &[usize],
        wanted: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, &Small),
    ) {
        let rows = blocks[i].rows();
        match self {
            Delassus::Dense(_) => {
                let n = offsets[blocks.len()];
                for (j, block) in blocks.iter().enumerate().filter(|(j, _)| wanted(*j)) {
                    visit(
                        j,
                        &self.dense_block(offsets[i], rows, offsets[j], block.rows(), n),
                    );
                }
            }
            Delassus::Sparse(sparse) => {
                for (j, block) in sparse.row(i).filter(|(j, _)| wanted(*j)) {
                    visit(j, &unpack(block, rows, blocks[j].rows()));
                }
            }
        }
    }
}

#[inline]
fn unpack(block: &[f64], rows: usize, columns: usize) -> Small {
    let mut out = [[0.0; 3]; 3];
    for c in 0..columns {
        for r in 0..rows {
            out[r][c] = block[c * rows + r];
        }
    }
    out
}
