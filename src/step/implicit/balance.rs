//! How a stage's balance of forces varies with where it is: ∂r/∂a', ∂r/∂v' and ∂r/∂q'.

use super::super::linearization::{add_entry, dot, packed_mul};
use crate::dynamics::Dynamics;
use crate::dynamics::mass::BranchMatrix;
use crate::error::{Error, Result};
use crate::force::Forces;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{LANES, Topology};

/// One of the three matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::step) enum Of {
    Acceleration,
    Velocity,
    Position,
}

/// Between dofs of one branch, of deep trees between all; M is symmetric.
#[derive(Clone, Debug)]
enum Terms {
    Packed {
        m: BranchMatrix,
        /// By v and by q.
        above: [Vec<F4>; 2],
        below: [Vec<F4>; 2],
    },
    /// Column-major: by a, v and q.
    Dense([Vec<f64>; 3]),
}

/// The matrices of a stage. Sized at creation.
#[derive(Clone, Debug)]
pub(in crate::step) struct Balance {
    terms: Terms,
    /// Between dofs of different branches, column-major: by v and q. None where no force has any.
    cross: Option<[Vec<f64>; 2]>,
    has_cross: bool,
}

impl Balance {
    /// With room for terms between branches if there may be any.
    pub fn new(t: &Topology, may_cross: bool) -> Balance {
        let packed = || F4::zeros(t.packed / LANES);
        let dense = || vec![0.0; t.nv() * t.nv()];
        Balance {
            terms: match t.is_deep() {
                true => Terms::Dense([dense(), dense(), dense()]),
                false => Terms::Packed {
                    m: BranchMatrix::new(t),
                    above: [packed(), packed()],
                    below: [packed(), packed()],
                },
            },
            cross: may_cross.then(|| [dense(), dense()]),
            has_cross: false,
        }
    }

    /// Takes the matrices at the state where `dynamics` holds inverse dynamics, and `forces`, if there are
    /// any, their slopes. Of `dynamics` the branch-packed derivatives are lost.
    pub fn take(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        forces: Option<&Forces>,
    ) -> Result<()> {
        let t = model.topology();
        let nv = t.nv();
        dynamics.differentiate_inverse_with_mass(model, params);
        match &mut self.terms {
            Terms::Packed { m, above, below } => {
                let Some(d) = &mut dynamics.derivatives else {
                    return Err(Error::internal("the workspace of derivatives is missing"));
                };
                if let Some(forces) = forces {
                    forces.for_branches(0.0, |row, column, by_q, by_v| {
                        add_entry(&mut d.id, t, [row, column], by_q, by_v);
                    });
                }
                std::mem::swap(m, &mut d.mass);
                std::mem::swap(&mut above[0], &mut d.id.above_v);
                std::mem::swap(&mut above[1], &mut d.id.above_q);
                std::mem::swap(&mut below[0], &mut d.id.below_v);
                std::mem::swap(&mut below[1], &mut d.id.below_q);
                let rows = F4::flat_mut(&mut m.rows);
                for (dof, armature) in t.dofs.iter().zip(&params.armature) {
                    rows[dof.row + dof.depth] += armature;
                }
            }
            Terms::Dense([m, by_v, by_q]) => {
                if !dynamics.mass_matrix(model, params, m) {
                    return Err(Error::numerical("the mass matrix is not finite"));
                }
                dynamics.inverse_columns(model, params, by_q, by_v);
                if let Some(forces) = forces {
                    forces.for_branches(0.0, |row, column, q, v| {
                        by_q[column * nv + row] += q;
                        by_v[column * nv + row] += v;
                    });
                }
            }
        }
        self.has_cross = false;
        if let (Some([by_v, by_q]), Some(forces)) = (&mut self.cross, forces) {
            let mut any = false;
            by_v.fill(0.0);
            by_q.fill(0.0);
            forces.for_cross(|row, column, q, v| {
                by_q[column * nv + row] += q;
                by_v[column * nv + row] += v;
                any |= q != 0.0 || v != 0.0;
            });
            self.has_cross = any;
        }
        Ok(())
    }

    /// Whether entries between dofs of different branches may differ from zero, or are not told from others.
    pub fn joins_branches(&self) -> bool {
        self.has_cross || matches!(self.terms, Terms::Dense(_))
    }

    /// Entries of one row and column by a', v' and q'.
    pub fn entry(&self, t: &Topology, row: usize, column: usize) -> [f64; 3] {
        let mut entry = match &self.terms {
            Terms::Packed { .. } if !t.are_on_a_path(row, column) => [0.0; 3],
            Terms::Packed { m, above, below } => {
                let at = t.dofs[row.max(column)].row + t.dofs[row.min(column)].depth;
                let [by_v, by_q] = if row <= column { above } else { below };
                [&m.rows, by_v, by_q].map(|x| F4::flat(x)[at])
            }
            Terms::Dense(all) => [0, 1, 2].map(|k| all[k][column * t.nv() + row]),
        };
        if let (true, Some([by_v, by_q])) = (self.has_cross, &self.cross) {
            entry[1] += by_v[column * t.nv() + row];
            entry[2] += by_q[column * t.nv() + row];
        }
        entry
    }

    /// Rows of dof k over its path, where matrices are packed: of M, then what is above and below by v' and by q'.
    pub fn rows(&self, t: &Topology, k: usize) -> Option<[&[f64]; 5]> {
        let Terms::Packed { m, above, below } = &self.terms else {
            return None;
        };
        let dof = &t.dofs[k];
        let of = |x| &F4::flat(x)[dof.row..=dof.row + dof.depth];
        let [above_v, above_q] = above.each_ref().map(|x| of(x));
        let [below_v, below_q] = below.each_ref().map(|x| of(x));
        Some([of(&m.rows), above_v, above_q, below_v, below_q])
    }

    /// `out` += the matrix times x.
    pub fn add(&self, t: &Topology, of: Of, x: &[f64], out: &mut [f64]) {
        self.add_by(t, of, false, x, out);
    }

    /// `out` += its transpose times x.
    pub fn add_transposed(&self, t: &Topology, of: Of, x: &[f64], out: &mut [f64]) {
        self.add_by(t, of, true, x, out);
    }

    fn add_by(&self, t: &Topology, of: Of, transposed: bool, x: &[f64], out: &mut [f64]) {
        match &self.terms {
            Terms::Packed { m, above, below } => {
                let (mut rows, mut columns) = match of {
                    Of::Acceleration => (&m.rows, &m.rows),
                    Of::Velocity => (&above[0], &below[0]),
                    Of::Position => (&above[1], &below[1]),
                };
                if transposed {
                    std::mem::swap(&mut rows, &mut columns);
                }
                packed_mul(t, rows, columns, x, out);
            }
            Terms::Dense(all) => add_dense(&all[of as usize], transposed, x, out),
        }
        if let (true, Some([by_v, by_q])) = (self.has_cross, &self.cross) {
            match of {
                Of::Acceleration => (),
                Of::Velocity => add_dense(by_v, transposed, x, out),
                Of::Position => add_dense(by_q, transposed, x, out),
            }
        }
    }
}

/// out += A x, or Aᵀ x, of a column-major A.
fn add_dense(a: &[f64], transposed: bool, x: &[f64], out: &mut [f64]) {
    for (k, column) in a.chunks_exact(x.len().max(1)).enumerate() {
        if transposed {
            out[k] += dot(column, x);
        } else {
            for (out, a) in out.iter_mut().zip(column) {
                *out += a * x[k];
            }
        }
    }
}
