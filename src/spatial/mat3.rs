//! 3×3 matrices: rotations, rotational inertias, and the blocks of spatial operators.

use super::vec3::Vec3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A 3×3 matrix, stored by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mat3 {
    pub c: [Vec3; 3],
}

impl Default for Mat3 {
    fn default() -> Self {
        Mat3::ZERO
    }
}

impl Mat3 {
    pub const ZERO: Mat3 = Mat3 { c: [Vec3::ZERO; 3] };
    pub const IDENTITY: Mat3 = Mat3 {
        c: [Vec3::X, Vec3::Y, Vec3::Z],
    };

    #[inline(always)]
    pub const fn from_columns(x: Vec3, y: Vec3, z: Vec3) -> Self {
        Mat3 { c: [x, y, z] }
    }

    #[inline(always)]
    pub const fn from_rows(x: Vec3, y: Vec3, z: Vec3) -> Self {
        Mat3 {
            c: [
                Vec3::new(x.x, y.x, z.x),
                Vec3::new(x.y, y.y, z.y),
                Vec3::new(x.z, y.z, z.z),
            ],
        }
    }

    #[inline(always)]
    pub const fn diagonal(d: Vec3) -> Self {
        Mat3::from_columns(
            Vec3::new(d.x, 0.0, 0.0),
            Vec3::new(0.0, d.y, 0.0),
            Vec3::new(0.0, 0.0, d.z),
        )
    }

    /// The matrix of `v ×`.
    #[inline(always)]
    pub const fn skew(v: Vec3) -> Self {
        Mat3::from_columns(
            Vec3::new(0.0, v.z, -v.y),
            Vec3::new(-v.z, 0.0, v.x),
            Vec3::new(v.y, -v.x, 0.0),
        )
    }

    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: Vec3, b: Vec3) -> Self {
        Mat3::from_columns(a * b.x, a * b.y, a * b.z)
    }

    /// Entry at (row, column).
    #[inline(always)]
    pub fn at(&self, row: usize, col: usize) -> f64 {
        self.c[col][row]
    }

    #[inline(always)]
    pub fn transpose(&self) -> Mat3 {
        Mat3::from_rows(self.c[0], self.c[1], self.c[2])
    }

    /// M [v]×.
    #[inline(always)]
    pub fn mul_skew(&self, v: Vec3) -> Mat3 {
        let [x, y, z] = self.c;
        Mat3::from_columns(y * v.z - z * v.y, z * v.x - x * v.z, x * v.y - y * v.x)
    }

    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3) -> Vec3 {
        self.c[0] * v.x + self.c[1] * v.y + self.c[2] * v.z
    }

    /// `selfᵀ v`.
    #[inline(always)]
    pub fn tr_mul_vec(&self, v: Vec3) -> Vec3 {
        Vec3::new(self.c[0].dot(v), self.c[1].dot(v), self.c[2].dot(v))
    }

    #[inline(always)]
    pub fn mul_mat(&self, o: &Mat3) -> Mat3 {
        Mat3::from_columns(
            self.mul_vec(o.c[0]),
            self.mul_vec(o.c[1]),
            self.mul_vec(o.c[2]),
        )
    }

    #[inline(always)]
    pub fn determinant(&self) -> f64 {
        self.c[0].dot(self.c[1].cross(self.c[2]))
    }

    #[inline(always)]
    pub fn trace(&self) -> f64 {
        self.c[0].x + self.c[1].y + self.c[2].z
    }

    /// The inverse, or `None` for a determinant of zero.
    pub fn inverse(&self) -> Option<Mat3> {
        let r0 = self.c[1].cross(self.c[2]);
        let det = self.c[0].dot(r0);
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        let s = 1.0 / det;
        Some(Mat3::from_rows(
            r0 * s,
            self.c[2].cross(self.c[0]) * s,
            self.c[0].cross(self.c[1]) * s,
        ))
    }

    pub fn is_finite(&self) -> bool {
        self.c.iter().all(|c| c.is_finite())
    }
}

impl Add for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn add(self, o: Mat3) -> Mat3 {
        Mat3::from_columns(self.c[0] + o.c[0], self.c[1] + o.c[1], self.c[2] + o.c[2])
    }
}

impl AddAssign for Mat3 {
    #[inline(always)]
    fn add_assign(&mut self, o: Mat3) {
        *self = *self + o;
    }
}

impl Sub for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn sub(self, o: Mat3) -> Mat3 {
        Mat3::from_columns(self.c[0] - o.c[0], self.c[1] - o.c[1], self.c[2] - o.c[2])
    }
}

impl Neg for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn neg(self) -> Mat3 {
        self * -1.0
    }
}

impl Mul<f64> for Mat3 {
    type Output = Mat3;
    #[inline(always)]
    fn mul(self, s: f64) -> Mat3 {
        Mat3::from_columns(self.c[0] * s, self.c[1] * s, self.c[2] * s)
    }
}

/// A symmetric 3×3 matrix by its six entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Sym3 {
    pub xx: f64,
    pub xy: f64,
    pub yy: f64,
    pub xz: f64,
    pub yz: f64,
    pub zz: f64,
}

impl Sym3 {
    pub const ZERO: Sym3 = Sym3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

    #[inline(always)]
    pub const fn new(xx: f64, xy: f64, yy: f64, xz: f64, yz: f64, zz: f64) -> Self {
        Sym3 {
            xx,
            xy,
            yy,
            xz,
            yz,
            zz,
        }
    }

    #[inline(always)]
    pub const fn diagonal(d: Vec3) -> Self {
        Sym3::new(d.x, 0.0, d.y, 0.0, 0.0, d.z)
    }

    /// The symmetric part of a matrix.
    #[inline(always)]
    pub fn from_mat3(m: &Mat3) -> Self {
        Sym3::new(
            m.c[0].x,
            0.5 * (m.c[1].x + m.c[0].y),
            m.c[1].y,
            0.5 * (m.c[2].x + m.c[0].z),
            0.5 * (m.c[2].y + m.c[1].z),
            m.c[2].z,
        )
    }

    #[inline(always)]
    pub const fn to_mat3(&self) -> Mat3 {
        Mat3::from_columns(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3) -> Vec3 {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    /// `R self Rᵀ` for a rotation R.
    #[inline(always)]
    pub fn rotated(&self, r: &Mat3) -> Sym3 {
        let a = Mat3::from_columns(
            r.c[0] * self.xx + r.c[1] * self.xy + r.c[2] * self.xz,
            r.c[0] * self.xy + r.c[1] * self.yy + r.c[2] * self.yz,
            r.c[0] * self.xz + r.c[1] * self.yz + r.c[2] * self.zz,
        );
        let e = |i: usize, j: usize| {
            a.c[0][i] * r.c[0][j] + a.c[1][i] * r.c[1][j] + a.c[2][i] * r.c[2][j]
        };
        Sym3::new(e(0, 0), e(0, 1), e(1, 1), e(0, 2), e(1, 2), e(2, 2))
    }

    /// `vᵀv 1 − v vᵀ`: the rotational inertia of a unit mass at v.
    #[inline(always)]
    pub fn of_point(v: Vec3) -> Sym3 {
        Sym3::new(
            v.y * v.y + v.z * v.z,
            -v.x * v.y,
            v.x * v.x + v.z * v.z,
            -v.x * v.z,
            -v.y * v.z,
            v.x * v.x + v.y * v.y,
        )
    }
}

impl Add for Sym3 {
    type Output = Sym3;
    #[inline(always)]
    fn add(self, o: Sym3) -> Sym3 {
        Sym3::new(
            self.xx + o.xx,
            self.xy + o.xy,
            self.yy + o.yy,
            self.xz + o.xz,
            self.yz + o.yz,
            self.zz + o.zz,
        )
    }
}

impl AddAssign for Sym3 {
    #[inline(always)]
    fn add_assign(&mut self, o: Sym3) {
        *self = *self + o;
    }
}

impl Sub for Sym3 {
    type Output = Sym3;
    #[inline(always)]
    fn sub(self, o: Sym3) -> Sym3 {
        self + o * -1.0
    }
}

impl Mul<f64> for Sym3 {
    type Output = Sym3;
    #[inline(always)]
    fn mul(self, s: f64) -> Sym3 {
        Sym3::new(
            self.xx * s,
            self.xy * s,
            self.yy * s,
            self.xz * s,
            self.yz * s,
            self.zz * s,
        )
    }
}
