//! The faces of contacts with torsional or rolling friction, with any number of tangents.
//!
//! For a cone that slides in the direction u, with E an orthonormal basis across u,
//!
//!   R = [(−μ u, 1), (E, 0)],   L = [(0, 1), c (E, 0)],   Q = diag(0, s 1),
//!
//! as for two tangents. In a pyramid the tangents at their bounds follow the normal impulse, and each other
//! row has an unknown of its own.

use crate::contact::ncp::wide::{Signs, WIDEST, Wide, against, dot, norm};
use crate::linalg::invert;

/// L, R and Q of a face: rows × unknowns. The first unknown is the normal impulse.
#[derive(Clone, Copy, Debug)]
pub struct WideFace {
    pub rows: usize,
    pub size: usize,
    pub left: [Wide; WIDEST],
    pub right: [Wide; WIDEST],
    /// Q, which is diagonal.
    pub turn: Wide,
    /// The slip direction, and the factor c, of a cone. In a pyramid slip directions do not turn.
    pub slide: Option<(Wide, f64)>,
}

impl WideFace {
    fn new(rows: usize) -> WideFace {
        let mut face = WideFace {
            rows,
            size: 1,
            left: [[0.0; WIDEST]; WIDEST],
            right: [[0.0; WIDEST]; WIDEST],
            turn: [0.0; WIDEST],
            slide: None,
        };
        face.left[rows - 1][0] = 1.0;
        face.right[rows - 1][0] = 1.0;
        face
    }

    /// A pyramid with some tangents at their bounds.
    pub fn bounded(mu: f64, signs: Signs, rows: usize) -> WideFace {
        let mut face = WideFace::new(rows);
        for (k, sign) in signs.iter().enumerate().take(rows - 1) {
            if *sign == 0 {
                face.left[k][face.size] = 1.0;
                face.right[k][face.size] = 1.0;
                face.size += 1;
            } else {
                face.right[k][0] = f64::from(*sign) * mu;
            }
        }
        face
    }

    /// A sliding cone. `response` is the mean response of its tangents.
    pub fn sliding(mu: f64, l: &[f64], s: &[f64], response: f64) -> WideFace {
        let (rows, last) = (l.len(), l.len() - 1);
        let mut face = WideFace::new(rows);
        let slip = norm(&s[..last]);
        let held = mu * l[last].max(0.0) * response;
        // Of the two opposite directions, the one that suffers less from the error of the other.
        let u = match against(l) {
            Some(u) if held >= slip => u,
            _ if slip > 0.0 => std::array::from_fn(|k| if k < last { s[k] / slip } else { 0.0 }),
            _ => [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let along = dot(&u, &s[..last]).max(0.0);
        let (c, turn) = match held + along > 0.0 {
            true => (held / (held + along), along * response / (held + along)),
            false => (1.0, 0.0),
        };
        face.slide = Some((u, c));
        for k in 0..last {
            face.right[k][0] = -mu * u[k];
        }
        // The columns of the reflection that maps an axis to ∓u, without the column of this axis.
        let axis = (0..last).fold(0, |m, k| if u[k].abs() > u[m].abs() { k } else { m });
        let mut w = u;
        w[axis] += if u[axis] < 0.0 { -1.0 } else { 1.0 };
        let square = dot(&w, &w);
        for j in (0..last).filter(|j| *j != axis) {
            for k in 0..last {
                let e = f64::from(u8::from(k == j)) - 2.0 * w[k] * w[j] / square;
                face.right[k][face.size] = e;
                face.left[k][face.size] = c * e;
            }
            face.turn[face.size] = turn;
            face.size += 1;
        }
        face
    }

    /// Mᵀ g for L or R and numbers g by rows.
    #[inline]
    pub fn restrict(m: &[Wide; WIDEST], g: impl IntoIterator<Item = f64>) -> Wide {
        let mut out = [0.0; WIDEST];
        for (g, line) in g.into_iter().zip(m) {
            for (out, m) in out.iter_mut().zip(line) {
                *out += m * g;
            }
        }
        out
    }

    /// The unknowns of the impulse λ: its normal part, and the other unknowns of the nearest R x.
    pub fn coordinates(&self, l: &[f64]) -> Wide {
        let mut x = WideFace::restrict(&self.right, l.iter().copied());
        x[0] = l[self.rows - 1];
        x
    }

    /// (LᵀC R + Q + ε)⁻¹ with the compliance C of the rows; not a number if it is singular.
    pub fn compliance(&self, c: impl Fn(usize) -> f64, ease: f64) -> [Wide; WIDEST] {
        let mut sum = [[0.0; WIDEST]; WIDEST];
        for (k, line) in sum.iter_mut().enumerate() {
            line[k] = if k < self.size {
                self.turn[k] + ease
            } else {
                1.0
            };
        }
        for r in 0..self.rows {
            for (line, left) in sum.iter_mut().zip(&self.left[r]) {
                for (sum, right) in line.iter_mut().zip(&self.right[r]) {
                    *sum += left * c(r) * right;
                }
            }
        }
        match invert(sum.as_flattened_mut(), WIDEST, &mut [0; WIDEST]) {
            Some(_) => sum,
            None => [[f64::NAN; WIDEST]; WIDEST],
        }
    }

    /// R K Lᵀ.
    pub fn weight(&self, k: &[Wide; WIDEST]) -> [Wide; WIDEST] {
        let right = self.right.map(|line| WideFace::restrict(k, line));
        let product = |line: &Wide| std::array::from_fn(|c| dot(line, &self.left[c]));
        std::array::from_fn(|r| product(&right[r]))
    }
}
