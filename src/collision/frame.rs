//! The contact frame: two tangents as a function of the normal, and its derivative.
//!
//! Away from −z the frame is the smallest rotation that takes z to the normal, so n = z gives t₁ = x,
//! t₂ = y. No frame is continuous over the whole sphere. This one jumps at n_z = [`SWITCH`]: below it,
//! the smallest rotation that takes −z to the normal is applied to the frame (x, −y, −z). Upward and
//! downward normals are thus both far from the jump.

use crate::spatial::{Mat3, Vec3};

/// Normals with n_z below this use the frame around −z.
const SWITCH: f64 = -0.5;

/// The rotation R_c = [t₁ t₂ n] of a unit normal `n`.
#[inline]
pub fn contact_frame(n: Vec3) -> Mat3 {
    let (s, k) = chart(n);
    let (x, y) = (n.x * k, n.y * k);
    Mat3::from_columns(
        Vec3::new(1.0 - n.x * x, -n.x * y, -s * n.x),
        Vec3::new(-s * n.x * y, s * (1.0 - n.y * y), -n.y),
        n,
    )
}

/// The rotation δφ (world axes) of the whole frame for a change `dn` ⟂ `n` of the normal: δR_c = δφ ×
/// R_c.
#[inline]
pub fn contact_frame_rotation(n: Vec3, dn: Vec3) -> Vec3 {
    let (s, k) = chart(n);
    n.cross(dn) + n * (s * k * (n.y * dn.x - n.x * dn.y))
}

/// The matrix of [`contact_frame_rotation`]: δφ = G δn.
#[inline]
pub fn contact_frame_derivative(n: Vec3) -> Mat3 {
    let (s, k) = chart(n);
    Mat3::skew(n) + Mat3::outer(n, Vec3::new(n.y, -n.x, 0.0) * (s * k))
}

/// The sign s of the pole s·z in use and 1/(1 + s n_z).
#[inline(always)]
fn chart(n: Vec3) -> (f64, f64) {
    let s = if n.z < SWITCH { -1.0 } else { 1.0 };
    (s, 1.0 / (1.0 + s * n.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::so3_exp;

    fn normals() -> impl Iterator<Item = Vec3> {
        // A Fibonacci lattice covers the sphere evenly.
        (0..500).map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 500.0;
            let (s, c) = (2.399963229728653 * f64::from(i)).sin_cos();
            let r = (1.0 - z * z).sqrt();
            Vec3::new(r * c, r * s, z)
        })
    }

    #[test]
    fn the_poles_have_the_frames_documented() {
        assert_eq!(contact_frame(Vec3::Z), Mat3::IDENTITY);
        let down = contact_frame(-Vec3::Z);
        assert_eq!(down, Mat3::from_columns(Vec3::X, -Vec3::Y, -Vec3::Z));
    }

    #[test]
    fn every_normal_has_a_rotation() {
        for n in normals() {
            let r = contact_frame(n);
            let e = r.transpose().mul_mat(&r) - Mat3::IDENTITY;
            assert!(e.c.iter().all(|c| c.max_abs() < 4e-15), "{n:?}");
            assert!((r.determinant() - 1.0).abs() < 4e-15);
            assert_eq!(r.c[2], n);
        }
    }

    #[test]
    fn the_frame_turns_as_its_derivative_says() {
        let h = 1e-6;
        for n in normals().filter(|n| (n.z - SWITCH).abs() > 1e-5) {
            let r = contact_frame(n);
            for axis in [Vec3::X, Vec3::new(0.3, -0.5, 0.8)] {
                let dn = axis.cross(n);
                let phi = contact_frame_rotation(n, dn);
                assert!((contact_frame_derivative(n).mul_vec(dn) - phi).norm() < 1e-14);
                let plus = contact_frame(so3_exp(axis * h).mul_vec(n));
                let minus = contact_frame(so3_exp(axis * -h).mul_vec(n));
                for k in 0..3 {
                    let difference = (plus.c[k] - minus.c[k]) * (0.5 / h);
                    assert!((difference - phi.cross(r.c[k])).norm() < 1e-9, "{n:?}");
                }
            }
        }
    }
}
