//! Derivatives of a stage's balance of forces: ∂r/∂a', ∂r/∂v' and ∂r/∂q'.

use super::super::linearization::{add_entry, dot, packed_mul, packed_mul_columns};
use crate::dynamics::Dynamics;
use crate::dynamics::link_terms::LinkTerms;
pub(in crate::step) use crate::dynamics::link_terms::Of;
use crate::dynamics::mass::BranchMatrix;
use crate::error::{Error, Result};
use crate::force::{Entry, Forces};
use crate::linalg::{F4, axpy};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{LANES, Topology};

/// Form in which the last matrices were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Packed,
    Links,
    Dense,
}

/// Entries between dofs of one branch; M is symmetric.
#[derive(Clone, Debug)]
struct Packed {
    m: BranchMatrix,
    /// By v and by q.
    above: [Vec<F4>; 2],
    below: [Vec<F4>; 2],
}

/// The matrices of a stage. Sized at creation.
#[derive(Clone, Debug)]
pub(in crate::step) struct Balance {
    form: Form,
    packed: Option<Packed>,
    /// For deep trees.
    links: Option<LinkTerms>,
    /// For deep trees with penalty contact, column-major: by a, v and q.
    dense: Option<[Vec<f64>; 3]>,
    /// Entries between dofs of different branches, column-major: by v and q. `None` if no force has such
    /// entries.
    cross: Option<[Vec<f64>; 2]>,
    /// The same entries one by one, in a model with deformable bodies, instead of `cross`.
    list: Option<Vec<Entry>>,
    has_cross: bool,
}

impl Balance {
    /// Allocates for the terms that these forces may add.
    pub fn new(t: &Topology, forces: Option<&Forces>) -> Balance {
        let packed = || F4::zeros(t.packed / LANES);
        let dense = || vec![0.0; t.nv() * t.nv()];
        let (deep, entries) = (t.is_deep(), forces.map_or(0, |f| f.room()[1]));
        let contacts = forces.is_some_and(Forces::may_touch);
        let sparse = forces.is_some_and(Forces::has_deformables) && !deep;
        let crosses = forces.is_some_and(Forces::may_cross) && (contacts || !deep) && !sparse;
        let crossing = forces.map_or(0, |f| f.most_crossing(t));
        Balance {
            form: Form::Packed,
            packed: (!deep).then(|| Packed {
                m: BranchMatrix::new(t),
                above: [packed(), packed()],
                below: [packed(), packed()],
            }),
            links: deep.then(|| LinkTerms::new(t, entries)),
            dense: (deep && contacts).then(|| [dense(), dense(), dense()]),
            cross: crosses.then(|| [dense(), dense()]),
            list: sparse.then(|| Vec::with_capacity(crossing)),
            has_cross: false,
        }
    }

    /// Takes the matrices at the state of the inverse dynamics in `dynamics`, and of the slopes of
    /// `forces`, if given. Overwrites the branch-packed derivatives of `dynamics`. Data for columns by
    /// parameters are kept in `dynamics`, unless the matrices are taken `alone`.
    pub fn take(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        forces: Option<&Forces>,
        alone: bool,
    ) -> Result<()> {
        let t = model.topology();
        let by_links = self.links.is_some() && !forces.is_some_and(Forces::touches);
        if !(alone && by_links) {
            dynamics.differentiate_inverse_with_mass(model, params);
        }
        self.has_cross = false;
        if let Some(packed) = &mut self.packed {
            self.form = Form::Packed;
            packed.take(model, params, dynamics, forces)?;
        } else if let Some(links) = self.links.as_mut().filter(|_| by_links) {
            self.form = Form::Links;
            links.take(model, params, dynamics);
            if let Some(forces) = forces {
                forces.for_branches(t, 0.0, |row, column, by_q, by_v| {
                    links.add_entry(t, row, column, by_q, by_v);
                });
                forces.for_cross(t, |row, column, by_q, by_v| {
                    links.add_entry(t, row, column, by_q, by_v);
                });
            }
            return Ok(());
        } else if let Some([m, by_v, by_q]) = &mut self.dense {
            self.form = Form::Dense;
            if !dynamics.mass_matrix(model, params, m) {
                return Err(Error::numerical("the mass matrix is not finite"));
            }
            dynamics.inverse_columns(model, params, by_q, by_v);
            if let Some(forces) = forces {
                forces.for_branches(t, 0.0, |row, column, q, v| {
                    by_q[column * t.nv() + row] += q;
                    by_v[column * t.nv() + row] += v;
                });
            }
        }
        self.take_cross(t, forces);
        Ok(())
    }

    fn take_cross(&mut self, t: &Topology, forces: Option<&Forces>) {
        if let (Some(list), Some(forces)) = (&mut self.list, forces) {
            list.clear();
            forces.for_cross(t, |row, column, by_q, by_v| {
                list.push(Entry {
                    row,
                    column,
                    by_q,
                    by_v,
                });
            });
            self.has_cross = !list.is_empty();
            return;
        }
        let (Some([by_v, by_q]), Some(forces)) = (&mut self.cross, forces) else {
            return;
        };
        let (nv, mut any) = (t.nv(), false);
        by_v.fill(0.0);
        by_q.fill(0.0);
        forces.for_cross(t, |row, column, q, v| {
            by_q[column * nv + row] += q;
            by_v[column * nv + row] += v;
            any |= q != 0.0 || v != 0.0;
        });
        self.has_cross = any;
    }

    /// The matrices link by link, if they are in this form.
    pub fn links(&self) -> Option<&LinkTerms> {
        self.links.as_ref().filter(|_| self.form == Form::Links)
    }

    /// The entries between dofs of different branches one by one, if they are in this form.
    pub fn listed(&self) -> Option<&[Entry]> {
        self.list.as_deref()
    }

    /// True if entries between dofs of different branches may be nonzero, or if the form does not
    /// distinguish them.
    pub fn joins_branches(&self) -> bool {
        self.has_cross || self.form == Form::Dense
    }

    /// Entries of a row and column by a', v' and q'.
    pub fn entry(&self, t: &Topology, row: usize, column: usize) -> [f64; 3] {
        let mut entry = match (&self.packed, &self.dense) {
            (Some(p), _) if t.are_on_a_path(row, column) => {
                let at = t.dofs[row.max(column)].row + t.dofs[row.min(column)].depth;
                let [by_v, by_q] = if row <= column { &p.above } else { &p.below };
                [&p.m.rows, by_v, by_q].map(|x| F4::flat(x)[at])
            }
            (None, Some(all)) => [0, 1, 2].map(|k| all[k][column * t.nv() + row]),
            _ => [0.0; 3],
        };
        if let (true, Some([by_v, by_q])) = (self.has_cross, &self.cross) {
            entry[1] += by_v[column * t.nv() + row];
            entry[2] += by_q[column * t.nv() + row];
        }
        entry
    }

    /// The branch-packed matrices, if any, as parts above and below the diagonal: M, and the matrices by v'
    /// and by q'.
    pub fn packed(&self) -> Option<[[&[F4]; 3]; 2]> {
        let Packed { m, above, below } = self.packed.as_ref()?;
        Some([above, below].map(|[by_v, by_q]| [&m.rows[..], by_v, by_q]))
    }

    /// `out` += the matrix times W columns, row by row; only one column if the matrices are link by link.
    #[inline(always)]
    pub fn add_columns<const W: usize>(
        &mut self,
        t: &Topology,
        of: Of,
        x: &[[f64; W]],
        out: &mut [[f64; W]],
    ) {
        match (self.form, &self.packed, &mut self.links, &self.dense) {
            (Form::Packed, Some(packed), _, _) => {
                let [rows, columns] = packed.of(of);
                packed_mul_columns(t, rows, columns, x, out);
            }
            (Form::Links, _, Some(links), _) => {
                debug_assert_eq!(W, 1);
                links.add(t, of, x.as_flattened(), out.as_flattened_mut());
            }
            (_, _, _, Some(all)) => add_dense(&all[of as usize], x, out),
            _ => {}
        }
        for e in self.list.iter().flatten() {
            if let Some(slope) = slope_of(e, of) {
                axpy(slope, &x[e.column], &mut out[e.row]);
            }
        }
        if let (true, Some([by_v, by_q])) = (self.has_cross, &self.cross) {
            match of {
                Of::Acceleration => (),
                Of::Velocity => add_dense(by_v, x, out),
                Of::Position => add_dense(by_q, x, out),
            }
        }
    }

    /// True if products and solves take one column at a time.
    pub fn is_by_links(&self) -> bool {
        self.form == Form::Links
    }

    /// `out` += the transposed matrix times x.
    pub fn add_transposed(&mut self, t: &Topology, of: Of, x: &[f64], out: &mut [f64]) {
        match (self.form, &self.packed, &mut self.links, &self.dense) {
            (Form::Packed, Some(packed), _, _) => {
                let [rows, columns] = packed.of(of);
                packed_mul(t, columns, rows, x, out);
            }
            (Form::Links, _, Some(links), _) => links.add_transposed(t, of, x, out),
            (_, _, _, Some(all)) => add_dense_transposed(&all[of as usize], x, out),
            _ => {}
        }
        for e in self.list.iter().flatten() {
            if let Some(slope) = slope_of(e, of) {
                out[e.column] += slope * x[e.row];
            }
        }
        if let (true, Some([by_v, by_q])) = (self.has_cross, &self.cross) {
            match of {
                Of::Acceleration => (),
                Of::Velocity => add_dense_transposed(by_v, x, out),
                Of::Position => add_dense_transposed(by_q, x, out),
            }
        }
    }
}

/// The part of an entry in one of the matrices.
fn slope_of(e: &Entry, of: Of) -> Option<f64> {
    match of {
        Of::Acceleration => None,
        Of::Velocity => Some(e.by_v),
        Of::Position => Some(e.by_q),
    }
}

/// out += A x for a column-major A.
#[inline(always)]
fn add_dense<const W: usize>(a: &[f64], x: &[[f64; W]], out: &mut [[f64; W]]) {
    for (column, x) in a.chunks_exact(x.len().max(1)).zip(x) {
        for (out, a) in out.iter_mut().zip(column) {
            axpy(*a, x, out);
        }
    }
}

/// out += Aᵀ x.
fn add_dense_transposed(a: &[f64], x: &[f64], out: &mut [f64]) {
    for (out, column) in out.iter_mut().zip(a.chunks_exact(x.len().max(1))) {
        *out += dot(column, x);
    }
}

impl Packed {
    /// The parts above and below the diagonal.
    fn of(&self, of: Of) -> [&[F4]; 2] {
        match of {
            Of::Acceleration => [&self.m.rows, &self.m.rows],
            Of::Velocity => [&self.above[0], &self.below[0]],
            Of::Position => [&self.above[1], &self.below[1]],
        }
    }

    fn take(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        forces: Option<&Forces>,
    ) -> Result<()> {
        let (t, Packed { m, above, below }) = (model.topology(), self);
        let Some(d) = &mut dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        if let Some(forces) = forces {
            forces.for_branches(t, 0.0, |row, column, by_q, by_v| {
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
        Ok(())
    }
}
