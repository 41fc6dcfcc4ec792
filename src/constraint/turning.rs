//! How a contact resists torsion and rolling.

use crate::linalg::F4;
use crate::spatial::Vec3;

/// Rows of a contact that resist turning: relative angular velocities about axes of its frame, times the distance from the axis
/// at which sliding friction resists as much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// Index in the scene, which is the contact's group.
    pub contact: usize,
    /// The first `rows`: axis t₁, t₂ or n of the frame by number, and its coefficient over that of sliding [m].
    pub rows: usize,
    pub axis: [usize; 3],
    pub reach: [f64; 3],
}

impl Turning {
    /// With torsional and rolling coefficients, the latter about t₁ and t₂ [m]; none where a contact of this dimension has none,
    /// or does not resist sliding.
    pub fn new(
        contact: usize,
        condim: i32,
        sliding: f64,
        [torsion, first, second]: [f64; 3],
    ) -> Option<Turning> {
        let most = match condim {
            4 => 1,
            6 => 3,
            _ => 0,
        };
        let mut own = Turning {
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

    /// The vector along the frame that rows weigh, the transpose of [`Turning::rows_of`].
    pub fn along(&self, rows: &[f64]) -> Vec3 {
        let mut x = [0.0; 3];
        for (k, row) in rows.iter().enumerate().take(self.rows) {
            x[self.axis[k]] += self.reach[k] * row;
        }
        Vec3::from_slice(&x)
    }

    /// How a row's reach varies with a component of the pair's friction: 0 sliding, 1 torsional, 2 rolling, in units of itself.
    pub fn by_friction(&self, row: usize, component: usize, sliding: f64) -> f64 {
        let own = if self.axis[row] == 2 { 1 } else { 2 };
        match component {
            0 => -1.0 / sliding,
            c if c == own => 1.0 / (self.reach[row] * sliding),
            _ => 0.0,
        }
    }
}
