//! A group of rows: residual, force and stiffness, with the velocities X of its dofs.

use crate::spatial::{Mat3, Vec3};
use std::ops::Range;

/// The kind of a block.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    Frame,
    Center,
    /// One dof by its coordinate.
    Dof {
        iq: usize,
    },
    /// A reduced coordinate, and its index among the reduced dofs.
    Reduced {
        iq: usize,
        dof: usize,
    },
    /// A link with a quaternion, by its coordinates.
    Spherical {
        iq: usize,
    },
    Free {
        iq: usize,
    },
    /// An equality of the model.
    Equality(usize),
}

/// Rows of one task, or of an equality.
#[derive(Clone, Debug)]
pub struct Block {
    /// `None` for an equality.
    pub task: Option<usize>,
    pub of: Of,
    /// Index of its first row among the rows of its task.
    pub first: usize,
    /// 1, 3 or 6.
    pub rows: usize,
    /// Range in the solver's list of dofs, increasing.
    pub dofs: Range<usize>,
    /// Start of its X: `rows` numbers for each dof.
    pub x: usize,
    pub weight: [f64; 6],
    pub residual: [f64; 6],
    /// y of g = Xᵀ y.
    pub force: [f64; 6],
    /// K of A = Xᵀ K X, for the first three rows and for the rest.
    pub stiffness: [Mat3; 2],
}

impl Block {
    pub fn new(
        task: Option<usize>,
        of: Of,
        first: usize,
        rows: usize,
        dofs: Range<usize>,
        x: usize,
    ) -> Block {
        Block {
            task,
            of,
            first,
            rows,
            dofs,
            x,
            weight: [0.0; 6],
            residual: [0.0; 6],
            force: [0.0; 6],
            stiffness: [Mat3::ZERO; 2],
        }
    }

    /// Sets force and stiffness of residuals whose rates are X v.
    pub fn set_plain(&mut self, part: usize, residual: Vec3) {
        let w = self.squares(part);
        self.put(part, residual, w.mul_vec(residual), w);
    }

    #[inline(always)]
    pub fn put(&mut self, part: usize, residual: Vec3, force: Vec3, stiffness: Mat3) {
        self.residual[3 * part..3 * part + 3].copy_from_slice(&residual.to_array());
        self.force[3 * part..3 * part + 3].copy_from_slice(&force.to_array());
        self.stiffness[part] = stiffness;
    }

    /// W² of three rows.
    #[inline(always)]
    pub fn squares(&self, part: usize) -> Mat3 {
        let w = Vec3::from_slice(&self.weight[3 * part..]);
        Mat3::diagonal(w.scale(w))
    }

    /// ½ ‖W r‖².
    pub fn objective(&self) -> f64 {
        let rows = self.weight.iter().zip(&self.residual);
        0.5 * rows.map(|(w, r)| (w * r) * (w * r)).sum::<f64>()
    }

    /// Largest residual of a row that is not free.
    pub fn largest(&self) -> f64 {
        let rows = self.weight.iter().zip(&self.residual);
        let mut most = 0.0;
        for (w, r) in rows {
            if *w > 0.0 && r.abs() > most {
                most = r.abs();
            }
        }
        most
    }

    /// Columns of X with their dofs.
    #[inline(always)]
    pub fn columns<'a>(
        &self,
        dofs: &'a [usize],
        x: &'a [f64],
    ) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        let list = &dofs[self.dofs.clone()];
        let x = &x[self.x..self.x + list.len() * self.rows];
        list.iter().copied().zip(x.chunks_exact(self.rows))
    }

    /// K x of a column, three rows at a time.
    #[inline(always)]
    pub fn stiff(&self, x: &[f64]) -> [f64; 6] {
        let mut out = [0.0; 6];
        match *x {
            [a] => out[0] = self.stiffness[0].c[0].x * a,
            _ => {
                for (part, x) in x.chunks_exact(3).enumerate() {
                    let y = self.stiffness[part].mul_vec(Vec3::from_slice(x));
                    out[3 * part..3 * part + 3].copy_from_slice(&y.to_array());
                }
            }
        }
        out
    }
}
