//! A body as the box of uniform density with the same mass and moments of inertia.
//!
//! The viscous part is Stokes' law for a sphere with the box's mean side. The quadratic part treats each
//! face by itself.

use super::medium::Medium;
use crate::spatial::{Inertia, Mat3, Sym3, Twist, Vec3, Wrench};
use std::f64::consts::PI;

/// Full sides [m].
#[derive(Clone, Copy, Debug)]
pub struct InertiaBox {
    sides: Vec3,
}

/// The two other axes.
fn others(k: usize) -> [usize; 2] {
    [(k + 1) % 3, (k + 2) % 3]
}

/// 6 (Mᵢ + Mⱼ − Mₖ) of the moments along `axes`: mass times the squares of the sides.
fn squares(about_com: &Sym3, axes: &Mat3) -> [f64; 3] {
    let m = about_com.rotated(&axes.transpose());
    let m = [m.xx, m.yy, m.zz];
    [0, 1, 2].map(|k| 6.0 * (others(k).map(|i| m[i]).iter().sum::<f64>() - m[k]))
}

impl InertiaBox {
    /// The box of a body with mass, along `axes` (columns in its frame). A side whose square would be
    /// negative is zero.
    pub fn of(inertia: &Inertia, axes: &Mat3) -> Self {
        let of = |s: f64| (s.max(0.0) / inertia.mass).sqrt();
        InertiaBox {
            sides: Vec3::from_slice(&squares(&inertia.about_com(), axes).map(of)),
        }
    }

    /// Whether a side has length zero, or there is no mass. The box then has no derivative by the
    /// inertia.
    pub fn is_flat(&self) -> bool {
        !(0..3).all(|k| self.sides[k] > 0.0)
    }

    /// Derivatives of the centre of mass, in the body's frame, and of the sides, along the change `by`
    /// of the inertia. The box must not be flat.
    pub fn vary(&self, inertia: &Inertia, by: &Inertia, axes: &Mat3) -> (Vec3, Vec3) {
        let (m, c) = (inertia.mass, inertia.com());
        let moved = (by.h - c * by.mass) * (1.0 / m);
        // The derivative of m (c·c 1 − c cᵀ) is twice the symmetric product of c and its change, plus
        // the part by the mass.
        let product = Sym3::new(
            c.y * moved.y + c.z * moved.z,
            -0.5 * (c.x * moved.y + c.y * moved.x),
            c.x * moved.x + c.z * moved.z,
            -0.5 * (c.x * moved.z + c.z * moved.x),
            -0.5 * (c.y * moved.z + c.z * moved.y),
            c.x * moved.x + c.y * moved.y,
        );
        let about = by.i - Sym3::of_point(c) * by.mass - product * (2.0 * m);
        let by_square = squares(&about, axes);
        let side = |k: usize| {
            let s = self.sides[k];
            (by_square[k] / m - s * s * by.mass / m) / (2.0 * s)
        };
        (moved, Vec3::new(side(0), side(1), side(2)))
    }

    /// Coefficients of −v, −ω, −|vₖ| vₖ and −|ωₖ| ωₖ.
    fn coefficients(&self, medium: Medium) -> (f64, f64, [f64; 3], [f64; 3]) {
        let b = self.sides;
        let d = (b.x + b.y + b.z) / 3.0;
        let linear = |k: usize| {
            let [i, j] = others(k);
            0.5 * medium.density * b[i] * b[j]
        };
        let angular = |k: usize| {
            let [i, j] = others(k);
            medium.density * b[k] * (b[i].powi(4) + b[j].powi(4)) / 64.0
        };
        (
            3.0 * PI * medium.viscosity * d,
            PI * medium.viscosity * d.powi(3),
            [0, 1, 2].map(linear),
            [0, 1, 2].map(angular),
        )
    }

    /// Force and moment at the centre of mass, along the box's axes, for its velocity `v` relative to
    /// the fluid.
    pub fn wrench(&self, medium: Medium, v: Twist) -> Wrench {
        let (lin, ang, square, turning) = self.coefficients(medium);
        let of = |v: Vec3, by: f64, square: [f64; 3]| {
            let along = |k: usize| -(by + square[k] * v[k].abs()) * v[k];
            Vec3::new(along(0), along(1), along(2))
        };
        Wrench::new(of(v.lin, lin, square), of(v.ang, ang, turning))
    }

    /// Derivative of [`InertiaBox::wrench`] along a change of the velocity.
    pub fn by_velocity(&self, medium: Medium, v: Twist, dv: Twist) -> Wrench {
        let (lin, ang, square, turning) = self.coefficients(medium);
        let of = |v: Vec3, dv: Vec3, by: f64, square: [f64; 3]| {
            let along = |k: usize| -(by + 2.0 * square[k] * v[k].abs()) * dv[k];
            Vec3::new(along(0), along(1), along(2))
        };
        Wrench::new(
            of(v.lin, dv.lin, lin, square),
            of(v.ang, dv.ang, ang, turning),
        )
    }

    /// Derivative of [`InertiaBox::wrench`] along a change of the sides.
    pub fn by_sides(&self, medium: Medium, v: Twist, db: Vec3) -> Wrench {
        let b = self.sides;
        let (d, dd) = ((b.x + b.y + b.z) / 3.0, (db.x + db.y + db.z) / 3.0);
        let viscous = PI * medium.viscosity * dd;
        let linear = |k: usize| {
            let ([i, j], v) = (others(k), v.lin[k]);
            let area = db[i] * b[j] + b[i] * db[j];
            -(3.0 * viscous + 0.5 * medium.density * area * v.abs()) * v
        };
        let angular = |k: usize| {
            let ([i, j], w) = (others(k), v.ang[k]);
            let fourth = b[i].powi(4) + b[j].powi(4);
            let change = 4.0 * (b[i].powi(3) * db[i] + b[j].powi(3) * db[j]);
            let all = medium.density * (db[k] * fourth + b[k] * change) / 64.0;
            -(3.0 * viscous * d * d + all * w.abs()) * w
        };
        Wrench::new(
            Vec3::new(linear(0), linear(1), linear(2)),
            Vec3::new(angular(0), angular(1), angular(2)),
        )
    }
}
