//! The inverse as a product of low rank.

use super::{ActiveSetSystem, Slide, WIDEST, Wide, WideFace};
use crate::contact::product::Split;
use crate::linalg::{LANES, dot};

impl ActiveSetSystem {
    /// R A⁻¹ Lᵀ (or with A⁺) as CᵀXB with B and C rank × rows. Column i of each is at `i·stride` of
    /// `left` and `right`.
    pub fn split(
        &self,
        rows: usize,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
        scratch: &mut [[f64; LANES]],
    ) -> Split {
        left[..self.order * stride].fill(0.0);
        if self.symmetric {
            self.definite.half_inverse(left, stride, scratch);
            self.spread(rows, stride, left, (|_, [n, _]| [0.0, 0.0, n], |w| &w.left));
            return Split::Half;
        }
        right[..self.order * stride].fill(0.0);
        self.general.split_sides(left, right, stride);
        let on_left = |Slide { u, across, .. }: &Slide, [n, e]: [f64; 2]| {
            [-across * u[1] * e, across * u[0] * e, n]
        };
        self.spread(rows, stride, left, (on_left, |w| &w.left));
        let on_right = |Slide { mu, u, .. }: &Slide, [n, e]: [f64; 2]| {
            [-mu * u[0] * n - u[1] * e, -mu * u[1] * n + u[0] * e, n]
        };
        self.spread(rows, stride, right, (on_right, |w| &w.right));
        Split::Middle
    }

    /// x ← X x for the X of [`Split::Middle`].
    pub fn solve_middle(&self, x: &mut [[f64; LANES]], scratch: &mut [[f64; LANES]]) {
        self.general.solve_middle(x, scratch);
    }

    /// Expands one vector per unknown to one per row of the problem, in place. `slide` expands those of
    /// a sliding contact of three rows, the matrix `wide` those of a wider one.
    fn spread(
        &self,
        rows: usize,
        stride: usize,
        x: &mut [f64],
        (slide, wide): (
            impl Fn(&Slide, [f64; 2]) -> [f64; 3],
            impl Fn(&WideFace) -> &[Wide; WIDEST],
        ),
    ) {
        // The rows of a face never start before its unknowns. Going from the back, no unread entry is
        // overwritten.
        let mut end = rows;
        for face in self.faces.iter().rev() {
            x[(face.row + face.rows) * stride..end * stride].fill(0.0);
            end = face.row;
            let (from, to) = (face.start * stride, face.row * stride);
            match (&face.slide, self.wide(face)) {
                (_, Some(own)) => {
                    let own = wide(own);
                    for k in 0..stride {
                        let mut unknowns = [0.0; WIDEST];
                        for (j, unknown) in unknowns.iter_mut().enumerate().take(face.size) {
                            *unknown = x[from + j * stride + k];
                        }
                        for (r, line) in own.iter().enumerate().take(face.rows) {
                            x[to + r * stride + k] = dot(line, &unknowns);
                        }
                    }
                }
                (Some(s), None) => {
                    for k in 0..stride {
                        let out = slide(s, [x[from + k], x[from + stride + k]]);
                        for (r, out) in out.into_iter().enumerate() {
                            x[to + r * stride + k] = out;
                        }
                    }
                }
                (None, None) => x.copy_within(from..from + face.size * stride, to),
            }
        }
        x[..end * stride].fill(0.0);
    }
}
