//! 3×3 matrices: rotations, rotational inertias, and the blocks of spatial operators.

use super::real::Real;
use super::vec3::Vec3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A 3×3 matrix, stored by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mat3<T = f64> {
    pub c: [Vec3<T>; 3],
}

impl Default for Mat3 {
    fn default() -> Self {
        Mat3::ZERO
    }
}

impl<T> Mat3<T> {
    #[inline(always)]
    pub const fn from_columns(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Self {
        Mat3 { c: [x, y, z] }
    }
}

impl<T: Real> Mat3<T> {
    /// Zeros in every lane; [`Mat3::ZERO`] for one number.
    #[inline(always)]
    pub fn zeros() -> Self {
        Mat3::from_columns(Vec3::zeros(), Vec3::zeros(), Vec3::zeros())
    }

    /// The matrix of `v ×`.
    #[inline(always)]
    pub fn skew(v: Vec3<T>) -> Self {
        Mat3::from_columns(
            Vec3::new(T::ZERO, v.z, -v.y),
            Vec3::new(-v.z, T::ZERO, v.x),
            Vec3::new(v.y, -v.x, T::ZERO),
        )
    }

    /// `a bᵀ`.
    #[inline(always)]
    pub fn outer(a: Vec3<T>, b: Vec3<T>) -> Self {
        Mat3::from_columns(a * b.x, a * b.y, a * b.z)
    }

    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        self.c[0] * v.x + self.c[1] * v.y + self.c[2] * v.z
    }

    /// `selfᵀ v`.
    #[inline(always)]
    pub fn tr_mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.c[0].dot(v), self.c[1].dot(v), self.c[2].dot(v))
    }

    #[inline(always)]
    pub fn mul_mat(&self, o: &Self) -> Self {
        Mat3::from_columns(
            self.mul_vec(o.c[0]),
            self.mul_vec(o.c[1]),
            self.mul_vec(o.c[2]),
        )
    }
}

impl Mat3 {
    pub const ZERO: Mat3 = Mat3 { c: [Vec3::ZERO; 3] };
    pub const IDENTITY: Mat3 = Mat3 {
        c: [Vec3::X, Vec3::Y, Vec3::Z],
    };

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

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Mat3::from_columns(self.c[0] + o.c[0], self.c[1] + o.c[1], self.c[2] + o.c[2])
    }
}

impl<T: Real> AddAssign for Mat3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Mat3::from_columns(self.c[0] - o.c[0], self.c[1] - o.c[1], self.c[2] - o.c[2])
    }
}

impl<T: Real> Neg for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self * T::splat(-1.0)
    }
}

impl<T: Real> Mul<T> for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Mat3::from_columns(self.c[0] * s, self.c[1] * s, self.c[2] * s)
    }
}

/// A symmetric 3×3 matrix by its six entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Sym3<T = f64> {
    pub xx: T,
    pub xy: T,
    pub yy: T,
    pub xz: T,
    pub yz: T,
    pub zz: T,
}

impl<T> Sym3<T> {
    #[inline(always)]
    pub const fn new(xx: T, xy: T, yy: T, xz: T, yz: T, zz: T) -> Self {
        Sym3 {
            xx,
            xy,
            yy,
            xz,
            yz,
            zz,
        }
    }
}

impl<T: Real> Sym3<T> {
    /// Zeros in every lane; [`Sym3::ZERO`] for one number.
    #[inline(always)]
    pub fn zeros() -> Self {
        let z = T::ZERO;
        Sym3::new(z, z, z, z, z, z)
    }

    #[inline(always)]
    pub fn mul_vec(&self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }

    /// `R self Rᵀ` for a rotation R.
    #[inline(always)]
    pub fn rotated(&self, r: &Mat3<T>) -> Self {
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
}

impl Sym3 {
    pub const ZERO: Sym3 = Sym3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

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

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
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

impl<T: Real> AddAssign for Sym3<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self + o * T::splat(-1.0)
    }
}

impl<T: Real> Mul<T> for Sym3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
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
