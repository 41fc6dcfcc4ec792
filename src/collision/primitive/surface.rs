//! The common-normal equations: the derivative of the closest points of two surfaces by the bodies'
//! motion.
//!
//! Near its contact point each surface is described, in its tangent plane, by all pairs (δx, δm): a
//! motion δx along the surface and the rotation δm of its outward normal m for that motion. In
//! principal directions tᵢ these pairs are (xᵢ, yᵢ)·uᵢ for any numbers uᵢ. A face has (1, 0), a vertex
//! (0, 1), a surface of radius r (r, 1), an edge (1, 0) along and (0, 1) across. One form covers them
//! all, without division by a curvature or radius that may vanish.
//!
//! With a + gap·n = b, n = m_A = −m_B, and the displacement ζ of B against A at the contact point,
//! elimination of B's motion along itself leaves, for j = 1, 2,
//!
//!   Σᵢ (sᵢ·tⱼ) Dᵢⱼ uᵢ = tⱼ·( yᴮⱼ ζ.lin + (xᴮⱼ + ½ gap yᴮⱼ) ζ.ang × n ),
//!   Dᵢⱼ = xᴮⱼ yᴬᵢ + yᴮⱼ xᴬᵢ + gap yᴬᵢ yᴮⱼ,
//!
//! with sᵢ, tⱼ the principal directions of A and B, and then δn = Σ yᴬᵢ uᵢ sᵢ,
//! δpoint = ½ n (n·ζ.lin) + Σ (xᴬᵢ + ½ gap yᴬᵢ) uᵢ sᵢ, δgap = n·ζ.lin.

use crate::collision::{ContactDerivative, Smoothness};
use crate::spatial::{Mat3, Pose, Vec3};

/// A determinant below this, relative to the terms that it is made of, counts as zero. Reason for the
/// value: if a capsule lies along the tangent of a rim, the closest point along it is known to about 1e-5
/// of the radius only, and the determinant to the square of this.
const SINGULAR: f64 = 1e-9;

/// Added to the cosines between principal directions when the determinant is judged. Straight surfaces
/// (edges, sides) count as parallel if their angle is below SINGULAR^½ times this value [rad].
const PARALLEL: f64 = 1e-4;

/// A surface around its contact point, to first order.
#[derive(Clone, Copy, Debug)]
pub(in crate::collision) struct LocalSurface {
    /// First principal direction (world axes). The second is n × `axis`. `None` if every direction is
    /// principal.
    pub axis: Option<Vec3>,
    /// Motion along the surface, in each principal direction.
    pub x: [f64; 2],
    /// Rotation of the outward normal for this motion.
    pub y: [f64; 2],
    /// Bound on `y` over all normals of the feature.
    pub most: [f64; 2],
}

impl LocalSurface {
    pub const FACE: LocalSurface = LocalSurface::isotropic(1.0, 0.0);
    pub const VERTEX: LocalSurface = LocalSurface::isotropic(0.0, 1.0);

    pub(super) const fn isotropic(x: f64, y: f64) -> LocalSurface {
        LocalSurface {
            axis: None,
            x: [x, x],
            y: [y, y],
            most: [y, y],
        }
    }

    /// A surface that is straight along `axis` and has the radius `radius` across.
    pub const fn ruled(axis: Vec3, radius: f64) -> LocalSurface {
        LocalSurface {
            axis: Some(axis),
            x: [1.0, radius],
            y: [0.0, 1.0],
            most: [0.0, 1.0],
        }
    }

    #[inline]
    pub(super) fn turned(self, pose: &Pose) -> LocalSurface {
        LocalSurface {
            axis: self.axis.map(|t| pose.rot.mul_vec(t)),
            ..self
        }
    }

    /// kᵀ (∂x/∂p) k for the foot x of a point p at distance `d` above the surface, where the outward
    /// normal is `n`.
    #[inline]
    pub fn foot_slope(&self, n: Vec3, d: f64, k: Vec3) -> f64 {
        let share = |i: usize| {
            let whole = self.x[i] + d * self.y[i];
            if whole > 0.0 { self.x[i] / whole } else { 0.0 }
        };
        match self.axis {
            None => share(0) * (k.norm_squared() - k.dot(n) * k.dot(n)),
            Some(t) => {
                let (c0, c1) = (k.dot(t), k.dot(n.cross(t)));
                share(0) * c0 * c0 + share(1) * c1 * c1
            }
        }
    }
}

/// The derivative of the contact of two surfaces with common normal `n` (A to B) at distance
/// `gap`.
#[inline]
pub(in crate::collision) fn common_normal(
    a: &LocalSurface,
    b: &LocalSurface,
    n: Vec3,
    gap: f64,
    out: &mut ContactDerivative,
) -> Smoothness {
    let half = 0.5 * gap;
    let along = Mat3::outer(n, n);
    out.gap = [n, Vec3::ZERO];
    let (axis_a, axis_b) = match (a.axis, b.axis) {
        (None, None) => {
            let d = b.x[0] * a.y[0] + b.y[0] * (a.x[0] + gap * a.y[0]);
            let size = b.x[0] * a.y[0] + b.y[0] * (a.x[0] + gap.abs() * a.y[0]);
            let smooth = d.abs() > SINGULAR * size;
            let r = if smooth { 1.0 / d } else { 0.0 };
            let across = Mat3::IDENTITY - along;
            let turn = Mat3::skew(-n);
            let (lin, ang) = (b.y[0] * r, (b.x[0] + half * b.y[0]) * r);
            let moved = a.x[0] + half * a.y[0];
            out.normal = [across * (a.y[0] * lin), turn * (a.y[0] * ang)];
            out.point = [across * (moved * lin) + along * 0.5, turn * (moved * ang)];
            return Smoothness::from_bool(smooth);
        }
        (Some(s), None) => (s, s),
        (None, Some(t)) => (t, t),
        (Some(s), Some(t)) => (s, t),
    };
    let s = [axis_a, n.cross(axis_a)];
    let t = [axis_b, n.cross(axis_b)];
    // m[j][i], and the sizes of the terms that make it.
    let mut m = [[0.0; 2]; 2];
    let mut size = [[0.0; 2]; 2];
    for j in 0..2 {
        for i in 0..2 {
            let c = s[i].dot(t[j]);
            let sum = b.x[j] * a.y[i] + b.y[j] * a.x[i];
            m[j][i] = c * (sum + gap * a.y[i] * b.y[j]);
            // A rim seen along its axis is straight, and so is a line along it: use the largest
            // curvature of either.
            let most = b.x[j] * a.most[i] + b.most[j] * (a.x[i] + gap.abs() * a.most[i]);
            size[j][i] = (c.abs() + PARALLEL) * most;
        }
    }
    let (inverse, smooth) = solve(&m, &size);
    let drive = |j: usize| (b.y[j], b.x[j] + half * b.y[j]);
    let (lin0, ang0) = drive(0);
    let (lin1, ang1) = drive(1);
    out.normal = [Mat3::ZERO; 2];
    out.point = [along * 0.5, Mat3::ZERO];
    let mut ang_normal = Mat3::ZERO;
    let mut ang_point = Mat3::ZERO;
    for i in 0..2 {
        let by_lin = t[0] * (inverse[i][0] * lin0) + t[1] * (inverse[i][1] * lin1);
        let by_turn = t[0] * (inverse[i][0] * ang0) + t[1] * (inverse[i][1] * ang1);
        // ζ.ang × n = −n × ζ.ang, and vᵀ(−n × w) = (n × v)ᵀ w.
        let by_ang = n.cross(by_turn);
        let (turned, moved) = (s[i] * a.y[i], s[i] * (a.x[i] + half * a.y[i]));
        out.normal[0] += Mat3::outer(turned, by_lin);
        ang_normal += Mat3::outer(turned, by_ang);
        out.point[0] += Mat3::outer(moved, by_lin);
        ang_point += Mat3::outer(moved, by_ang);
    }
    out.normal[1] = ang_normal;
    out.point[1] = ang_point;
    Smoothness::from_bool(smooth)
}

/// The inverse of a 2×2 matrix, and whether it exists. For a numerically singular matrix, the
/// pseudo-inverse of its rank-one part. `size` bounds the terms whose sums are the entries.
fn solve(m: &[[f64; 2]; 2], size: &[[f64; 2]; 2]) -> ([[f64; 2]; 2], bool) {
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let scale = size[0][0] * size[1][1] + size[0][1] * size[1][0];
    if det.abs() > SINGULAR * scale {
        let r = 1.0 / det;
        let inverse = [[m[1][1] * r, -m[0][1] * r], [-m[1][0] * r, m[0][0] * r]];
        return (inverse, true);
    }
    let square = |a: &[[f64; 2]; 2]| a.iter().flatten().map(|v| v * v).sum::<f64>();
    let (f, f_size) = (square(m), square(size));
    if f > SINGULAR * SINGULAR * f_size {
        let r = 1.0 / f;
        (
            [[m[0][0] * r, m[1][0] * r], [m[0][1] * r, m[1][1] * r]],
            false,
        )
    } else {
        ([[0.0; 2]; 2], false)
    }
}
