//! Placements: rigid transformations, their exponential and logarithm, and the differentials of both.

use super::mat3::Mat3;
use super::quat::{Quat, exp_coefficients, series, so3_exp, so3_log, so3_log_jacobian};
use super::twist::{Twist, Wrench};
use super::vec3::Vec3;

/// The placement of a frame B in a frame A: x_A = rot · x_B + pos.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Pose<T = f64> {
    pub rot: Mat3<T>,
    pub pos: Vec3<T>,
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}

impl<T> Pose<T> {
    #[inline(always)]
    pub const fn new(rot: Mat3<T>, pos: Vec3<T>) -> Self {
        Pose { rot, pos }
    }
}

impl Pose {
    /// Column-major 4×4 homogeneous matrix.
    #[inline(always)]
    pub fn homogeneous(&self) -> [f64; 16] {
        let [x, y, z] = self.rot.c;
        let t = self.pos;
        [
            x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0,
        ]
    }

    pub const IDENTITY: Pose = Pose::new(Mat3::IDENTITY, Vec3::ZERO);

    #[inline(always)]
    pub const fn translation(pos: Vec3) -> Self {
        Pose::new(Mat3::IDENTITY, pos)
    }

    #[inline(always)]
    pub const fn from_quat(q: Quat, pos: Vec3) -> Self {
        Pose::new(q.to_mat3(), pos)
    }

    /// The placement in A of a frame placed at `o` in B.
    #[inline(always)]
    pub fn compose(&self, o: &Pose) -> Pose {
        Pose::new(self.rot.mul_mat(&o.rot), self.point(o.pos))
    }

    #[inline(always)]
    pub fn inverse(&self) -> Pose {
        let rot = self.rot.transpose();
        Pose::new(rot, -rot.mul_vec(self.pos))
    }

    /// The placement of `o` seen from `self`: self⁻¹ o.
    #[inline(always)]
    pub fn relative(&self, o: &Pose) -> Pose {
        let rot = self.rot.transpose();
        Pose::new(rot.mul_mat(&o.rot), rot.mul_vec(o.pos - self.pos))
    }

    /// Coordinates in A of a point given in B.
    #[inline(always)]
    pub fn point(&self, x: Vec3) -> Vec3 {
        self.rot.mul_vec(x) + self.pos
    }

    /// Coordinates in B of a point given in A.
    #[inline(always)]
    pub fn inverse_point(&self, x: Vec3) -> Vec3 {
        self.rot.tr_mul_vec(x - self.pos)
    }

    /// A twist given in B, expressed in A.
    #[inline(always)]
    pub fn twist(&self, t: Twist) -> Twist {
        let ang = self.rot.mul_vec(t.ang);
        Twist::new(self.rot.mul_vec(t.lin) + self.pos.cross(ang), ang)
    }

    /// A twist given in A, expressed in B.
    #[inline(always)]
    pub fn inverse_twist(&self, t: Twist) -> Twist {
        Twist::new(
            self.rot.tr_mul_vec(t.lin - self.pos.cross(t.ang)),
            self.rot.tr_mul_vec(t.ang),
        )
    }

    /// A wrench given in B, expressed in A.
    #[inline(always)]
    pub fn wrench(&self, f: Wrench) -> Wrench {
        let lin = self.rot.mul_vec(f.lin);
        Wrench::new(lin, self.rot.mul_vec(f.ang) + self.pos.cross(lin))
    }

    /// A wrench given in A, expressed in B.
    #[inline(always)]
    pub fn inverse_wrench(&self, f: Wrench) -> Wrench {
        Wrench::new(
            self.rot.tr_mul_vec(f.lin),
            self.rot.tr_mul_vec(f.ang - self.pos.cross(f.lin)),
        )
    }

    /// The placement reached from the identity by moving with body twist `t` for unit time.
    pub fn exp(t: Twist) -> Pose {
        let (a, b) = exp_coefficients(t.ang.norm_squared());
        let wv = t.ang.cross(t.lin);
        Pose::new(so3_exp(t.ang), t.lin + wv * a + t.ang.cross(wv) * b)
    }

    /// The body twist with exp(twist) = self and a rotation of at most π.
    pub fn log(&self) -> Twist {
        let w = so3_log(&self.rot);
        // V(w) = Jₗ(w), so the linear part is Jₗ⁻¹ p = Jᵣ⁻¹(−w) p.
        Twist::new(so3_log_jacobian(-w).mul_vec(self.pos), w)
    }

    /// Jᵣ(t) in 3×3 blocks [A B; 0 A]: exp(t + δ) = exp(t) exp(Jᵣ δ) to first order.
    ///
    /// Barfoot & Furgale 2014, eq. 100–103, for (linear; angular).
    pub fn exp_right_jacobian(t: Twist) -> (Mat3, Mat3) {
        let (v, w) = (Mat3::skew(-t.lin), Mat3::skew(-t.ang));
        let t2 = t.ang.norm_squared();
        let (a, b) = exp_coefficients(t2);
        // c = (cos θ − 1 + θ²/2)/θ⁴, d = (sin θ − θ + θ³/6)/θ⁵
        let (c, d) = if t2 < 0.0625 {
            (
                series(t2, [24.0, 30.0, 56.0, 90.0, 132.0, 182.0]),
                series(t2, [120.0, 42.0, 72.0, 110.0, 156.0, 210.0]),
            )
        } else {
            ((0.5 - a) / t2, (1.0 / 6.0 - b) / t2)
        };
        let (wv, vw) = (w.mul_mat(&v), v.mul_mat(&w));
        let wvw = wv.mul_mat(&w);
        let ww = w.mul_mat(&w);
        let q = v * 0.5
            + (wv + vw + wvw) * b
            + (w.mul_mat(&wv) + vw.mul_mat(&w) - wvw * 3.0) * c
            + (wvw.mul_mat(&w) + w.mul_mat(&wvw)) * (0.5 * (c - 3.0 * d));
        let jac = Mat3::IDENTITY + w * a + ww * b;
        (jac, q)
    }

    pub fn is_finite(&self) -> bool {
        self.rot.is_finite() && self.pos.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = Twist> {
        [1e-9, 1e-4, 0.2, 0.2501, 1.0, 2.9].into_iter().map(|s| {
            Twist::new(
                Vec3::new(0.3, -1.2, 0.7),
                Vec3::new(0.6, -0.5, 0.62449979983984).scale(Vec3::new(s, s, s)),
            )
        })
    }

    #[test]
    fn log_inverts_exp() {
        for t in samples() {
            let r = Pose::exp(t).log();
            assert!(
                (r - t).lin.norm() < 1e-12 && (r - t).ang.norm() < 1e-12,
                "{t:?} {r:?}"
            );
        }
    }

    #[test]
    fn right_jacobian_against_differences() {
        let eps = 1e-6;
        for t in samples() {
            let (a, b) = Pose::exp_right_jacobian(t);
            let at = Pose::exp(t);
            for k in 0..6 {
                let e = Twist::unit(k) * eps;
                let d = (at.relative(&Pose::exp(t + e)).log()
                    - at.relative(&Pose::exp(t - e)).log())
                    * (0.5 / eps);
                let u = Twist::unit(k);
                let lin = a.mul_vec(u.lin) + b.mul_vec(u.ang);
                let ang = a.mul_vec(u.ang);
                assert!(
                    (d.lin - lin).norm() < 1e-9 && (d.ang - ang).norm() < 1e-9,
                    "{t:?} {k}"
                );
            }
        }
    }

    #[test]
    fn log_jacobian_inverts_the_right_jacobian() {
        for t in samples() {
            let p = super::super::quat::so3_right_jacobian(t.ang).mul_mat(&so3_log_jacobian(t.ang));
            let e = p - Mat3::IDENTITY;
            assert!(e.c.iter().all(|c| c.norm() < 1e-12));
        }
    }
}
