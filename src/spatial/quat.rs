//! Unit quaternions, and the exponential and logarithm of rotations with their differentials.

use super::mat3::Mat3;
use super::vec3::Vec3;

/// A unit quaternion, stored (x, y, z, w) as in configuration vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Quat {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}

impl Default for Quat {
    fn default() -> Self {
        Quat::IDENTITY
    }
}

impl Quat {
    pub const IDENTITY: Quat = Quat::new(0.0, 0.0, 0.0, 1.0);

    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64, w: f64) -> Self {
        Quat { x, y, z, w }
    }

    #[inline(always)]
    pub fn from_slice(s: &[f64]) -> Self {
        Quat::new(s[0], s[1], s[2], s[3])
    }

    #[inline(always)]
    pub const fn to_array(self) -> [f64; 4] {
        [self.x, self.y, self.z, self.w]
    }

    #[inline(always)]
    pub fn norm_squared(self) -> f64 {
        self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w
    }

    /// Scaled to length one; the identity where the length is zero or not finite.
    #[inline]
    pub fn normalized(self) -> Quat {
        let n2 = self.norm_squared();
        if n2 > 0.0 && n2.is_finite() {
            let s = 1.0 / n2.sqrt();
            Quat::new(self.x * s, self.y * s, self.z * s, self.w * s)
        } else {
            Quat::IDENTITY
        }
    }

    #[inline(always)]
    pub const fn conjugate(self) -> Quat {
        Quat::new(-self.x, -self.y, -self.z, self.w)
    }

    #[inline(always)]
    pub const fn mul(self, o: Quat) -> Quat {
        Quat::new(
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
        )
    }

    /// The rotation matrix; the quaternion must have length one.
    #[inline(always)]
    pub const fn to_mat3(self) -> Mat3 {
        let Quat { x, y, z, w } = self;
        Mat3::from_columns(
            Vec3::new(
                1.0 - 2.0 * (y * y + z * z),
                2.0 * (x * y + w * z),
                2.0 * (x * z - w * y),
            ),
            Vec3::new(
                2.0 * (x * y - w * z),
                1.0 - 2.0 * (x * x + z * z),
                2.0 * (y * z + w * x),
            ),
            Vec3::new(
                2.0 * (x * z + w * y),
                2.0 * (y * z - w * x),
                1.0 - 2.0 * (x * x + y * y),
            ),
        )
    }

    /// The quaternion of a rotation matrix, with w ≥ 0 (Shepperd's choice of the largest pivot).
    pub fn from_mat3(m: &Mat3) -> Quat {
        let (a, b, c) = (m.c[0].x, m.c[1].y, m.c[2].z);
        let t = a + b + c;
        let q = if t >= a && t >= b && t >= c {
            Quat::new(
                m.c[1].z - m.c[2].y,
                m.c[2].x - m.c[0].z,
                m.c[0].y - m.c[1].x,
                1.0 + t,
            )
        } else if a >= b && a >= c {
            Quat::new(
                1.0 + a - b - c,
                m.c[0].y + m.c[1].x,
                m.c[2].x + m.c[0].z,
                m.c[1].z - m.c[2].y,
            )
        } else if b >= c {
            Quat::new(
                m.c[0].y + m.c[1].x,
                1.0 + b - a - c,
                m.c[1].z + m.c[2].y,
                m.c[2].x - m.c[0].z,
            )
        } else {
            Quat::new(
                m.c[2].x + m.c[0].z,
                m.c[1].z + m.c[2].y,
                1.0 + c - a - b,
                m.c[0].y - m.c[1].x,
            )
        };
        let q = q.normalized();
        if q.w < 0.0 {
            Quat::new(-q.x, -q.y, -q.z, -q.w)
        } else {
            q
        }
    }

    /// The smallest rotation that carries the z axis to `direction`; about x for the opposite one. `None` for
    /// a direction of length zero or that is not finite.
    pub fn of_z_to(direction: Vec3) -> Option<Quat> {
        let d = direction.normalized()?;
        let axis = Vec3::Z.cross(d);
        let s = axis.norm();
        Some(if s < 1e-10 {
            if d.z < 0.0 {
                Quat::new(1.0, 0.0, 0.0, 0.0)
            } else {
                Quat::IDENTITY
            }
        } else {
            Quat::exp(axis * (s.atan2(d.z) / s)).normalized()
        })
    }

    /// The rotation by `|w|` radians about `w`.
    #[inline]
    pub fn exp(w: Vec3) -> Quat {
        let half2 = 0.25 * w.norm_squared();
        let half = half2.sqrt();
        // sin(θ/2)/θ
        let (s, c) = if half2 < 1e-4 {
            (
                0.5 * (1.0 - half2 / 6.0 * (1.0 - half2 / 20.0 * (1.0 - half2 / 42.0))),
                half.cos(),
            )
        } else {
            let (s, c) = half.sin_cos();
            (0.5 * s / half, c)
        };
        Quat::new(s * w.x, s * w.y, s * w.z, c)
    }

    /// The rotation vector, of length at most π, with `exp(log(q)) = ±q`.
    #[inline]
    pub fn log(self) -> Vec3 {
        let (v, w) = if self.w < 0.0 {
            (Vec3::new(-self.x, -self.y, -self.z), -self.w)
        } else {
            (Vec3::new(self.x, self.y, self.z), self.w)
        };
        let s2 = v.norm_squared();
        let k = if s2 < 1e-8 {
            // 2 asin(s)/s with w ≥ 0
            2.0 * (1.0 + s2 / 6.0 * (1.0 + 0.45 * s2))
        } else {
            let s = s2.sqrt();
            2.0 * s.atan2(w) / s
        };
        v * k
    }
}

/// Rotation matrix of a rotation vector.
pub fn so3_exp(w: Vec3) -> Mat3 {
    Quat::exp(w).normalized().to_mat3()
}

/// Rotation vector of a rotation matrix, of length at most π.
pub fn so3_log(r: &Mat3) -> Vec3 {
    Quat::from_mat3(r).log()
}

/// The coefficients ((1 − cos θ)/θ², (θ − sin θ)/θ³) of θ² = `t2`.
#[inline]
pub(super) fn exp_coefficients(t2: f64) -> (f64, f64) {
    if t2 < 0.0625 {
        (
            series(t2, [2.0, 12.0, 30.0, 56.0, 90.0, 132.0]),
            series(t2, [6.0, 20.0, 42.0, 72.0, 110.0, 156.0]),
        )
    } else {
        let t = t2.sqrt();
        let (s, c) = t.sin_cos();
        ((1.0 - c) / t2, (t - s) / (t2 * t))
    }
}

/// 1/d₀ (1 − x/d₁ (1 − x/d₂ (…))): the alternating factorial series of the coefficients.
#[inline(always)]
pub(super) fn series(x: f64, d: [f64; 6]) -> f64 {
    let mut s = 1.0;
    for k in (1..6).rev() {
        s = 1.0 - x / d[k] * s;
    }
    s / d[0]
}

/// Jᵣ with exp(w + δ) = exp(w) exp(Jᵣ δ) to first order.
pub fn so3_right_jacobian(w: Vec3) -> Mat3 {
    let (a, b) = exp_coefficients(w.norm_squared());
    let k = Mat3::skew(w);
    Mat3::IDENTITY + k * -a + k.mul_mat(&k) * b
}

/// Jₗ with exp(w + δ) = exp(Jₗ δ) exp(w) to first order; the transpose of Jᵣ.
pub fn so3_left_jacobian(w: Vec3) -> Mat3 {
    so3_right_jacobian(-w)
}

/// Jᵣ⁻¹ with log(R exp(δ)) = log(R) + Jᵣ⁻¹ δ to first order, at w = log(R), |w| ≤ π.
pub fn so3_log_jacobian(w: Vec3) -> Mat3 {
    let t2 = w.norm_squared();
    let c = if t2 < 0.0625 {
        // (1/θ²)(1 − θ/2 cot(θ/2)) = 1/12 + θ²/720 + θ⁴/30240 + …
        1.0 / 12.0
            + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0 + t2 / 47900160.0)))
    } else {
        let t = t2.sqrt();
        let (s, c) = (0.5 * t).sin_cos();
        (1.0 - 0.5 * t * c / s) / t2
    };
    let k = Mat3::skew(w);
    Mat3::IDENTITY + k * 0.5 + k.mul_mat(&k) * c
}
