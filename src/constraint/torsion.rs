//! Torsional and rolling friction of a contact: the rows' axes and their scales.

use crate::linalg::F4;
use crate::spatial::Vec3;

/// Rows of torsional and rolling friction. A row is the relative angular velocity about an axis of the
/// contact frame, times a lever arm: the ratio of the torsional or rolling coefficient to the sliding one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torsion {
    /// Index of the contact in the scene, which is also its group.
    pub contact: usize,
    /// Number of rows. For each row: its axis, 0, 1 or 2 for t₁, t₂ or n; and its lever arm, which is
    /// its coefficient over that of sliding [m].
    pub rows: usize,
    pub axis: [usize; 3],
    pub reach: [f64; 3],
}

impl Torsion {
    /// With the torsional coefficient and the rolling coefficients about t₁ and t₂ [m]. `None` if a
    /// contact of this `condim` has no such coefficient, or does not resist sliding.
    pub fn new(
        contact: usize,
        condim: i32,
        sliding: f64,
        [torsion, first, second]: [f64; 3],
    ) -> Option<Torsion> {
        let most = match condim {
            4 => 1,
            6 => 3,
            _ => 0,
        };
        let mut own = Torsion {
            contact,
            rows: 0,
            axis: [0; 3],
            reach: [0.0; 3],
        };
        let wanted = [(2, torsion), (0, first), (1, second)];
        for (axis, coefficient) in wanted.into_iter().take(most) {
            let reach = coefficient / sliding;
            if coefficient > 0.0 && reach < f64::INFINITY {
                (own.axis[own.rows], own.reach[own.rows]) = (axis, reach);
                own.rows += 1;
            }
        }
        (own.rows > 0).then_some(own)
    }

    /// Rows of a vector along the frame.
    pub fn rows_of(&self, along: Vec3) -> F4 {
        let x = along.to_array();
        let mut lanes = F4::ZERO;
        for k in 0..self.rows {
            lanes.0[k] = self.reach[k] * x[self.axis[k]];
        }
        lanes
    }

    /// The sum of the rows' axes weighted by `rows`, along the frame: the transpose of
    /// [`Torsion::rows_of`].
    pub fn along(&self, rows: &[f64]) -> Vec3 {
        let mut x = [0.0; 3];
        for (k, row) in rows.iter().enumerate().take(self.rows) {
            x[self.axis[k]] += self.reach[k] * row;
        }
        Vec3::from_slice(&x)
    }

    /// Relative slope of a row's lever arm by a component of the pair's friction: 0 sliding, 1
    /// torsional, 2 rolling.
    pub fn by_friction(&self, row: usize, component: usize, sliding: f64) -> f64 {
        let own = if self.axis[row] == 2 { 1 } else { 2 };
        match component {
            0 => -1.0 / sliding,
            c if c == own => 1.0 / (self.reach[row] * sliding),
            _ => 0.0,
        }
    }
}
