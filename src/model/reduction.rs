//! Reduced coordinates: the dofs of several joints are a linear function of fewer coordinates.
//!
//! A reduction says z = offset + matrix · y for the coordinates z of its joints. All recursions use the
//! coordinates of the joints. Accelerations and impulses stay in the range of G, the matrix of all dofs of
//! the model: A⁻¹ is replaced by P = G (Gᵀ A G)⁻¹ Gᵀ. P depends on the range of G only, so that a basis of
//! this range can be chosen: some of the dofs of each reduction are free, and the others follow them.

use std::ops::Range;

/// A reduction as described.
#[derive(Clone, Debug)]
pub struct ReductionSpec {
    pub name: String,
    /// Names of the joints, in the order of the rows of the matrix.
    pub joints: Vec<String>,
    /// Number of its coordinates.
    pub columns: usize,
    /// Dofs of the joints × columns, column-major.
    pub matrix: Vec<f64>,
    /// One number for each dof; empty for zeros.
    pub offset: Vec<f64>,
    pub origin: String,
}

/// A sparse affine map x = offset + G y, with a left inverse of G.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Entries of G by rows, and the index at which each row begins.
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    offset: Vec<f64>,
    /// Entries of the left inverse by its rows.
    back_starts: Vec<usize>,
    back: Vec<(usize, f64)>,
}

impl Map {
    pub(super) fn of(
        mut rows: Vec<Vec<(usize, f64)>>,
        offset: Vec<f64>,
        back: Vec<Vec<(usize, f64)>>,
    ) -> Map {
        let starts = |rows: &[Vec<(usize, f64)>]| {
            let mut at = 0;
            let ends = rows.iter().map(|row| {
                at += row.len();
                at
            });
            std::iter::once(0).chain(ends).collect()
        };
        for row in &mut rows {
            row.retain(|(_, x)| *x != 0.0);
        }
        Map {
            starts: starts(&rows),
            entries: rows.concat(),
            offset,
            back_starts: starts(&back),
            back: back.concat(),
        }
    }

    /// Number of joint coordinates, and of reduced ones.
    pub fn sizes(&self) -> [usize; 2] {
        [self.starts.len() - 1, self.back_starts.len() - 1]
    }

    fn row(&self, k: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[k]..self.starts[k + 1]]
    }

    fn back_row(&self, i: usize) -> &[(usize, f64)] {
        &self.back[self.back_starts[i]..self.back_starts[i + 1]]
    }

    /// x = offset + G y.
    pub fn place(&self, y: &[f64], x: &mut [f64]) {
        self.expand(y, x);
        for (x, offset) in x.iter_mut().zip(&self.offset) {
            // Zero must not change the sign of a zero.
            if *offset != 0.0 {
                *x += offset;
            }
        }
    }

    /// The y with x = offset + G y. If there is none: the y of the left inverse.
    pub fn find(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.coordinate(i, x);
        }
    }

    /// Entry i of [`Map::find`].
    pub fn coordinate(&self, i: usize, x: &[f64]) -> f64 {
        sum(self.back_row(i), |k| x[k] - self.offset[k])
    }

    /// Adds `scale` times column i of the transpose of the left inverse to `x`.
    pub fn add_restricted(&self, i: usize, scale: f64, x: &mut [f64]) {
        for (k, p) in self.back_row(i) {
            x[*k] += scale * p;
        }
    }

    /// x = G y.
    pub fn expand(&self, y: &[f64], x: &mut [f64]) {
        for (k, x) in x.iter_mut().enumerate() {
            *x = sum(self.row(k), |i| y[i]);
        }
    }

    /// y with x = G y.
    pub fn restrict(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = sum(self.back_row(i), |k| x[k]);
        }
    }

    /// y = Gᵀ x.
    pub fn expand_transposed(&self, x: &[f64], y: &mut [f64]) {
        y.fill(-0.0);
        for (k, x) in x.iter().enumerate() {
            for (i, g) in self.row(k) {
                y[*i] += g * x;
            }
        }
    }

    /// out = m G of a column-major matrix with `rows` rows.
    pub fn times(&self, rows: usize, m: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (k, column) in m.chunks_exact(rows.max(1)).enumerate() {
            for (i, g) in self.row(k) {
                let out = &mut out[i * rows..][..rows];
                out.iter_mut().zip(column).for_each(|(o, x)| *o += g * x);
            }
        }
    }

    /// out = m Bᵀ with the left inverse B, of a column-major matrix with `rows` rows.
    pub fn times_back(&self, rows: usize, m: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, out) in out.chunks_exact_mut(rows.max(1)).enumerate() {
            for (k, p) in self.back_row(i) {
                let column = &m[k * rows..][..rows];
                out.iter_mut().zip(column).for_each(|(o, x)| *o += p * x);
            }
        }
    }

    /// out = m B with the left inverse B, of a column-major matrix with `rows` rows.
    pub fn times_restricted(&self, rows: usize, m: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, column) in m.chunks_exact(rows.max(1)).enumerate() {
            for (k, p) in self.back_row(i) {
                let out = &mut out[k * rows..][..rows];
                out.iter_mut().zip(column).for_each(|(o, x)| *o += p * x);
            }
        }
    }

    /// The reduced coordinates on which a coordinate depends, with their factors.
    pub fn factors(&self, k: usize) -> &[(usize, f64)] {
        self.row(k)
    }

    /// Entries of row i of the left inverse, with their coordinates.
    pub fn back_factors(&self, i: usize) -> &[(usize, f64)] {
        self.back_row(i)
    }

    /// The coordinate where the reduced ones are zero.
    pub fn constant(&self, k: usize) -> f64 {
        self.offset[k]
    }

    /// Calls `visit` with the reduced coordinates on which a coordinate depends.
    pub fn for_leaders(&self, k: usize, visit: impl FnMut(usize)) {
        self.row(k).iter().map(|(i, _)| *i).for_each(visit);
    }

    /// x with Gᵀ x = y: the transpose of [`Map::restrict`].
    pub fn restrict_transposed(&self, y: &[f64], x: &mut [f64]) {
        x.fill(-0.0);
        for (i, y) in y.iter().enumerate() {
            for (k, p) in self.back_row(i) {
                x[*k] += p * y;
            }
        }
    }
}

/// A sum of products. One product keeps the sign of a zero.
fn sum(row: &[(usize, f64)], of: impl Fn(usize) -> f64) -> f64 {
    row.iter().fold(-0.0, |sum, (i, g)| sum + g * of(*i))
}

/// A dof that follows free ones.
#[derive(Clone, Debug)]
pub struct Follower {
    pub dof: usize,
    /// The free dofs, and their coefficients.
    pub leaders: Vec<(usize, f64)>,
    /// Its coordinate where theirs are zero.
    pub constant: f64,
}

/// A joint whose dofs are reduced: index of its reduction and of its first row.
#[derive(Clone, Copy, Debug)]
pub struct Reduced {
    pub reduction: usize,
    pub row: usize,
}

/// A reduction with the dofs of its joints.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub name: String,
    /// Coordinates and dofs by the rows of the matrix.
    pub iq: Vec<usize>,
    pub iv: Vec<usize>,
    pub columns: usize,
    /// By rows.
    pub rows: Vec<Vec<f64>>,
    pub offset: Vec<f64>,
    /// Rows of the left inverse.
    pub back: Vec<Vec<f64>>,
    /// The rows of the free dofs, and for the others their coefficients.
    pub free: Vec<usize>,
    pub follow: Vec<(usize, Vec<f64>)>,
}

/// The motion of a joint's dof by an entry of a reduction, at fixed reduced coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub dof: usize,
    /// Of its coordinate, and of its velocity.
    pub by: [f64; 2],
}

/// All reductions of a model, compiled.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Of v, and of q.
    pub v: Map,
    pub q: Map,
    /// Per joint.
    pub(super) joints: Vec<Option<Reduced>>,
    /// Per reduction: first reduced coordinate in q and dof in v, and the number of its columns.
    pub(super) homes: Vec<[usize; 3]>,
    /// Per joint: its first coordinate and dof among the reduced ones.
    pub(super) places: Vec<[usize; 2]>,
    /// Per reduction: its numbers.
    pub(super) parts: Vec<Part>,
    /// Free dofs in increasing order, and the dofs that follow.
    pub free: Vec<usize>,
    pub followers: Vec<Follower>,
    /// Per tree: its free dofs by their index in `free`, and its followers by their index.
    pub free_of: Vec<Range<usize>>,
    pub followers_of: Vec<Range<usize>>,
}

impl Reduction {
    /// Length of reduced configurations, and number of reduced dofs.
    pub fn sizes(&self) -> [usize; 2] {
        [self.q.sizes()[1], self.v.sizes()[1]]
    }

    /// The place of a joint with `nq` coordinates and `nv` dofs in reduced vectors: first coordinate and dof,
    /// and their numbers. For a joint that is reduced these are the coordinates of its reduction.
    pub fn place(&self, joint: usize, [nq, nv]: [usize; 2]) -> [usize; 4] {
        match self.joints[joint] {
            Some(reduced) => {
                let [iq, iv, columns] = self.homes[reduced.reduction];
                [iq, iv, columns, columns]
            }
            None => {
                let [iq, iv] = self.places[joint];
                [iq, iv, nq, nv]
            }
        }
    }

    /// Whether the coordinates of a joint follow from those of a reduction.
    pub fn is_reduced(&self, joint: usize) -> bool {
        self.joints[joint].is_some()
    }

    /// True if a dof follows with zero coefficients only.
    pub fn is_still(&self, dof: usize) -> bool {
        let mut followers = self.followers.iter();
        followers.any(|f| f.dof == dof && f.leaders.is_empty())
    }

    /// The single free dof that a dof follows, the factor, and its coordinate where that of the free dof is
    /// zero. A free dof follows itself.
    pub fn leader(&self, dof: usize) -> Option<(usize, f64, f64)> {
        let Some(follower) = self.followers.iter().find(|f| f.dof == dof) else {
            return Some((dof, 1.0, 0.0));
        };
        match follower.leaders[..] {
            [(leader, factor)] => Some((leader, factor, follower.constant)),
            _ => None,
        }
    }
}
