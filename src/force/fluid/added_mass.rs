//! Added mass and inertia of an ellipsoid, per density of the fluid.
//!
//! Lamb, Hydrodynamics (1932), §§ 114 and 373: with αᵢ = abc ∫₀^∞ dλ / ((sᵢ² + λ) Δ), Δ² = (a² + λ)(b² +
//! λ)(c² + λ), the mass is V αᵢ / (2 − αᵢ). The integrals are ⅔ abc R_D by Carlson, Computing elliptic
//! integrals by duplication (1979).

use crate::spatial::Vec3;
use std::f64::consts::PI;

/// R_D(x, y, z), symmetric in x and y. All arguments are positive.
fn r_d(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    // Each duplication brings the three numbers four times closer. Some fifteen reach round-off.
    let (mut sum, mut factor) = (0.0, 1.0);
    let mut mean = (x + y + 3.0 * z) / 5.0;
    for _ in 0..60 {
        let apart = [x, y, z].map(|a| (mean - a).abs()).into_iter();
        if apart.fold(0.0, f64::max) < 1e-3 * mean {
            break;
        }
        let [rx, ry, rz] = [x, y, z].map(f64::sqrt);
        let lambda = rx * ry + ry * rz + rz * rx;
        sum += factor / (rz * (z + lambda));
        factor *= 0.25;
        [x, y, z] = [x, y, z].map(|a| 0.25 * (a + lambda));
        mean = (x + y + 3.0 * z) / 5.0;
    }
    let (p, q) = ((mean - x) / mean, (mean - y) / mean);
    let r = -(p + q) / 3.0;
    let (pq, rr) = (p * q, r * r);
    let e2 = pq - 6.0 * rr;
    let e3 = (3.0 * pq - 8.0 * rr) * r;
    let e4 = 3.0 * (pq - rr) * rr;
    let e5 = pq * rr * r;
    let series = 1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2
        - 3.0 / 22.0 * e4
        - 9.0 / 52.0 * e2 * e3
        + 3.0 / 26.0 * e5;
    3.0 * sum + factor * series / (mean * mean.sqrt())
}

/// Mass along each semi-axis and moment of inertia about it, per density [m³, m⁵].
pub fn added_mass(s: Vec3) -> (Vec3, Vec3) {
    // The integrals are dimensionless.
    let largest = s.max_abs();
    let unit = s * (1.0 / largest);
    let squares = [0, 1, 2].map(|k| unit[k] * unit[k]);
    let product = unit.x * unit.y * unit.z;
    let alpha = [0, 1, 2].map(|k| {
        let [i, j] = [(k + 1) % 3, (k + 2) % 3];
        2.0 / 3.0 * product * r_d(squares[i], squares[j], squares[k])
    });
    let volume = 4.0 / 3.0 * PI * s.x * s.y * s.z;
    let inertia = |k: usize| {
        let [i, j] = [(k + 1) % 3, (k + 2) % 3];
        let (apart, sum) = (squares[i] - squares[j], squares[i] + squares[j]);
        match apart == 0.0 {
            // A body of revolution carries no fluid when it turns about its axis.
            true => 0.0,
            false => {
                let between = alpha[j] - alpha[i];
                let size = volume * largest * largest / 5.0;
                size * apart * apart * between / (2.0 * apart - sum * between)
            }
        }
    };
    let mass = |k: usize| volume * alpha[k] / (2.0 - alpha[k]);
    (
        Vec3::new(mass(0), mass(1), mass(2)),
        Vec3::new(inertia(0), inertia(1), inertia(2)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_sphere_half_of_what_it_displaces_and_no_inertia() {
        let (mass, inertia) = added_mass(Vec3::new(0.3, 0.3, 0.3));
        let half = 2.0 / 3.0 * PI * 0.3_f64.powi(3);
        for k in 0..3 {
            assert!((mass[k] / half - 1.0).abs() < 1e-14);
            assert_eq!(inertia[k], 0.0);
        }
    }

    /// Lamb's closed form of a prolate spheroid, § 114.
    #[test]
    fn of_a_prolate_spheroid() {
        for (a, b) in [(2.0, 1.0), (1.0, 0.9), (10.0, 1.0), (3e-3, 1e-3)] {
            let e = (1.0_f64 - b * b / (a * a)).sqrt();
            let log = ((1.0 + e) / (1.0 - e)).ln();
            let along = 2.0 * (1.0 - e * e) / e.powi(3) * (0.5 * log - e);
            let across = 1.0 / (e * e) - (1.0 - e * e) / (2.0 * e.powi(3)) * log;
            let volume = 4.0 / 3.0 * PI * a * b * b;
            let (mass, inertia) = added_mass(Vec3::new(a, b, b));
            let expected = [along, across, across].map(|x| volume * x / (2.0 - x));
            for k in 0..3 {
                assert!((mass[k] / expected[k] - 1.0).abs() < 1e-12, "{a} {b} {k}");
            }
            let (e2, s, d) = (e * e, across - along, a * a - b * b);
            let about = volume / 5.0 * a.powi(4) * e2 * e2 * s / (2.0 * d - (a * a + b * b) * s);
            assert_eq!(inertia.x, 0.0);
            for k in 1..3 {
                assert!((inertia[k] / about - 1.0).abs() < 1e-10, "{a} {b} {k}");
            }
        }
    }

    #[test]
    fn an_order_of_the_axes_is_an_order_of_the_answer() {
        let (mass, inertia) = added_mass(Vec3::new(0.1, 0.5, 0.02));
        let (turned, turned_inertia) = added_mass(Vec3::new(0.5, 0.02, 0.1));
        for k in 0..3 {
            assert!((turned[k] / mass[(k + 1) % 3] - 1.0).abs() < 1e-14);
            assert!((turned_inertia[k] / inertia[(k + 1) % 3] - 1.0).abs() < 1e-12);
        }
    }
}
