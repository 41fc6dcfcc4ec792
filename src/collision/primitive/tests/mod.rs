//! Tests of every ordered pair against independent references, and of degenerate poses by name.

mod degenerate;
mod grid;
mod pairs;

use crate::collision::Shape;
use crate::spatial::{Mat3, Pose, Quat, Twist, Vec3, so3_exp};

/// A small generator (splitmix64): the same poses on every machine.
struct Random(u64);

impl Random {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(
            self.uniform(-1.0, 1.0),
            self.uniform(-1.0, 1.0),
            self.uniform(-1.0, 1.0),
        )
    }

    /// Uniform on the sphere.
    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            let n = v.norm();
            if n > 0.1 && n <= 1.0 {
                return v * (1.0 / n);
            }
        }
    }

    fn rotation(&mut self) -> Mat3 {
        loop {
            let (v, w) = (self.vector(), self.uniform(-1.0, 1.0));
            let n2 = v.norm_squared() + w * w;
            if n2 > 0.01 && n2 <= 1.0 {
                return Quat::new(v.x, v.y, v.z, w).normalized().to_mat3();
            }
        }
    }
}

/// max n·x over a bounded shape (the support function).
fn support(shape: &Shape, pose: &Pose, n: Vec3) -> f64 {
    let m = pose.rot.tr_mul_vec(n);
    let local = match *shape {
        Shape::Plane => f64::INFINITY,
        Shape::Sphere { radius } => radius,
        Shape::Capsule {
            radius,
            half_length,
        } => radius + half_length * m.z.abs(),
        Shape::Cylinder {
            radius,
            half_length,
        } => radius * m.x.hypot(m.y) + half_length * m.z.abs(),
        Shape::Ellipsoid { semi_axes } => m.scale(semi_axes).norm(),
        Shape::Box { half_extents } => m.abs().dot(half_extents),
    };
    n.dot(pose.pos) + local
}

/// The separation of two shapes along `n`. The signed distance is its largest value over all n.
fn separation(a: (&Shape, &Pose), b: (&Shape, &Pose), n: Vec3) -> f64 {
    let low_b = -support(b.0, b.1, -n);
    match a.0 {
        // A half space has one supporting direction only.
        Shape::Plane => low_b - n.dot(a.1.pos),
        _ => low_b - support(a.0, a.1, n),
    }
}

/// The pose moved by a twist with linear part at `p`, world axes.
fn moved(pose: &Pose, p: Vec3, t: Twist) -> Pose {
    let r = so3_exp(t.ang);
    Pose::new(r.mul_mat(&pose.rot), p + r.mul_vec(pose.pos - p) + t.lin)
}
