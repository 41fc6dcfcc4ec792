//! Coordinates of inertias in which all values belong to a body that can exist.
//!
//! The pseudo-inertia of a body, the integral of (x, 1)(x, 1)ᵀ over its mass, is positive definite for every
//! body that has an extent, and for no other ten numbers. With the upper triangular factor of Rucker &
//! Wensing, Smooth Parameterization of Rigid-Body Inertia (2022),
//!
//!   [Σ h; hᵀ m] = U Uᵀ,   U = eᵅ [e^d1 s12 s13 t1; 0 e^d2 s23 t2; 0 0 e^d3 t3; 0 0 0 1],
//!
//! the coordinates are θ = (α, d1, d2, d3, s12, s23, s13, t1, t2, t3). The mass is e²ᵅ and t the centre of
//! mass; Σ = ½ tr(I) 1 − I has the second moments of mass.

use super::inertia::{INERTIA_PARAMS, Inertia};
use super::mat3::Sym3;
use super::vec3::Vec3;

type Square = [[f64; 3]; 3];

/// Round-off of a pivot, relative to the numbers that it was found from.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// Second moments of mass from a rotational inertia, and back: the map is its own inverse but for a factor.
fn moments(i: &Sym3) -> Square {
    let half = 0.5 * (i.xx + i.yy + i.zz);
    [
        [half - i.xx, -i.xy, -i.xz],
        [-i.xy, half - i.yy, -i.yz],
        [-i.xz, -i.yz, half - i.zz],
    ]
}

fn rotational(s: &Square) -> Sym3 {
    let [x, y, z] = [s[0][0], s[1][1], s[2][2]];
    Sym3::new(y + z, -s[0][1], x + z, -s[0][2], -s[1][2], x + y)
}

/// θ of an inertia; none where its pseudo-inertia is not positive definite.
pub fn to_log_cholesky(inertia: &Inertia) -> Option<[f64; INERTIA_PARAMS]> {
    let m = inertia.mass;
    if !(m > 0.0 && inertia.is_finite()) {
        return None;
    }
    let t = inertia.h.to_array().map(|h| h / m);
    let about_origin = moments(&inertia.i);
    let mut c = about_origin;
    let mut noise = [0.0; 3];
    for (i, row) in c.iter_mut().enumerate() {
        for (j, x) in row.iter_mut().enumerate() {
            *x = *x / m - t[i] * t[j];
        }
        let sum = inertia.i.xx.abs() + inertia.i.yy.abs() + inertia.i.zz.abs();
        noise[i] = ROUND_OFF * (sum / m + t[i] * t[i]);
    }
    let root = |x: f64, noise: f64| (x > noise).then(|| x.sqrt());
    let r3 = root(c[2][2], noise[2])?;
    let (s13, s23) = (c[0][2] / r3, c[1][2] / r3);
    let r2 = root(c[1][1] - s23 * s23, noise[1])?;
    let s12 = (c[0][1] - s13 * s23) / r2;
    let r1 = root(c[0][0] - s12 * s12 - s13 * s13, noise[0])?;
    let theta = [
        0.5 * m.ln(),
        r1.ln(),
        r2.ln(),
        r3.ln(),
        s12,
        s23,
        s13,
        t[0],
        t[1],
        t[2],
    ];
    theta.iter().all(|x| x.is_finite()).then_some(theta)
}

/// R of U = eᵅ [R t; 0 1].
fn factor(theta: &[f64; INERTIA_PARAMS]) -> Square {
    let [_, d1, d2, d3, s12, s23, s13, ..] = *theta;
    [
        [d1.exp(), s12, s13],
        [0.0, d2.exp(), s23],
        [0.0, 0.0, d3.exp()],
    ]
}

/// The inertia at θ; its numbers may overflow, and its mass may vanish.
pub fn from_log_cholesky(theta: &[f64; INERTIA_PARAMS]) -> Inertia {
    let (m, r, t) = ((2.0 * theta[0]).exp(), factor(theta), &theta[7..]);
    let mut sigma = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let c: f64 = (0..3).map(|k| r[i][k] * r[j][k]).sum();
            sigma[i][j] = m * (c + t[i] * t[j]);
        }
    }
    Inertia {
        mass: m,
        h: Vec3::from_slice(t) * m,
        i: rotational(&sigma),
    }
}

/// Columns of ∂p/∂θ, p as [`Inertia::to_params`] has it.
pub fn log_cholesky_jacobian(
    theta: &[f64; INERTIA_PARAMS],
) -> [[f64; INERTIA_PARAMS]; INERTIA_PARAMS] {
    let (m, r, t) = ((2.0 * theta[0]).exp(), factor(theta), &theta[7..]);
    // Where d1, d2, d3, s12, s23 and s13 stand in R, and how its entry there varies with them.
    let entries = [
        (0, 0, r[0][0]),
        (1, 1, r[1][1]),
        (2, 2, r[2][2]),
        (0, 1, 1.0),
        (1, 2, 1.0),
        (0, 2, 1.0),
    ];
    std::array::from_fn(|column| {
        let mut varied = Inertia::ZERO;
        let mut sigma = [[0.0; 3]; 3];
        match column {
            0 => return from_log_cholesky(theta).to_params().map(|p| 2.0 * p),
            1..=6 => {
                let (row, k, slope) = entries[column - 1];
                for j in 0..3 {
                    sigma[row][j] += m * slope * r[j][k];
                    sigma[j][row] += m * slope * r[j][k];
                }
            }
            _ => {
                let row = column - 7;
                let mut h = [0.0; 3];
                h[row] = m;
                varied.h = Vec3::from_slice(&h);
                for j in 0..3 {
                    sigma[row][j] += m * t[j];
                    sigma[j][row] += m * t[j];
                }
            }
        }
        varied.i = rotational(&sigma);
        varied.to_params()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::so3_exp;

    /// Numbers in [-1, 1] that look random.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    fn close(a: &[f64; 10], b: &[f64; 10], tolerance: f64) {
        let scale = a.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() <= tolerance * scale, "{a:?} {b:?}");
        }
    }

    #[test]
    fn values_and_their_inverse() {
        for seed in 1..200 {
            let mut next = numbers(seed);
            let theta: [f64; 10] = std::array::from_fn(|_| 2.0 * next());
            let p = from_log_cholesky(&theta);
            let again = to_log_cholesky(&p).expect("an inertia of a body");
            // A rotational inertia about the frame has lost digits of small moments.
            for (a, b) in theta.iter().zip(&again) {
                assert!((a - b).abs() < 1e-9, "{theta:?} {again:?}");
            }
            close(
                &p.to_params(),
                &from_log_cholesky(&again).to_params(),
                1e-14,
            );
        }
    }

    #[test]
    fn known_bodies() {
        // A box of 2 kg with edges of 0.2, 0.4 and 0.6 m: second moments m l²/12.
        let about = Sym3::new(
            2.0 * (0.16 + 0.36) / 12.0,
            0.0,
            2.0 * (0.04 + 0.36) / 12.0,
            0.0,
            0.0,
            2.0 * (0.04 + 0.16) / 12.0,
        );
        let com = Vec3::new(0.3, -0.1, 0.7);
        let theta = to_log_cholesky(&Inertia::from_com(2.0, com, about)).expect("a body");
        let d = |l: f64| 0.5 * (l * l / 12.0_f64).ln();
        let wanted = [
            0.5 * 2.0_f64.ln(),
            d(0.2),
            d(0.4),
            d(0.6),
            0.0,
            0.0,
            0.0,
            0.3,
            -0.1,
            0.7,
        ];
        for (a, b) in theta.iter().zip(&wanted) {
            assert!((a - b).abs() < 1e-13, "{theta:?} {wanted:?}");
        }
    }

    #[test]
    fn the_jacobian_is_that_of_differences() {
        for seed in 1..30 {
            let mut next = numbers(seed);
            let theta: [f64; 10] = std::array::from_fn(|_| 1.5 * next());
            let jacobian = log_cholesky_jacobian(&theta);
            let e = 1e-5;
            for (k, column) in jacobian.iter().enumerate() {
                let at = |d: f64| {
                    let mut x = theta;
                    x[k] += d;
                    from_log_cholesky(&x).to_params()
                };
                let (above, below) = (at(e), at(-e));
                let found: [f64; 10] = std::array::from_fn(|i| (above[i] - below[i]) / (2.0 * e));
                close(column, &found, 1e-8);
            }
        }
    }

    #[test]
    fn extremes() {
        // From a grain to a ship, from a disc to a needle.
        for (mass, size) in [(1e-9, 1e-4), (1e9, 100.0)] {
            for (x, y, z) in [(1.0, 1.0, 1e-5), (1e-5, 1e-5, 1.0), (1.0, 1e-3, 1e-6)] {
                let [x, y, z] = [x, y, z].map(|l: f64| mass * (l * size).powi(2));
                let about = Sym3::new(y + z, 0.0, x + z, 0.0, 0.0, x + y);
                let about = about.rotated(&so3_exp(Vec3::new(0.3, -0.8, 0.5)));
                let inertia = Inertia::from_com(mass, Vec3::ZERO, about);
                let theta = to_log_cholesky(&inertia).expect("a body");
                let again = from_log_cholesky(&theta);
                close(&inertia.to_params(), &again.to_params(), 1e-13);
            }
        }
    }

    #[test]
    fn what_no_body_has() {
        let com = Vec3::new(0.1, 0.0, 0.0);
        let of = |m, a, b, c| Inertia::from_com(m, com, Sym3::new(a, 0.0, b, 0.0, 0.0, c));
        for i in [
            of(0.0, 1.0, 1.0, 1.0),
            of(-1.0, 1.0, 1.0, 1.0),
            of(1.0, 0.01, 0.01, 0.1),
            of(1.0, -0.01, 0.1, 0.1),
            of(1.0, f64::NAN, 0.1, 0.1),
            of(f64::INFINITY, 1.0, 1.0, 1.0),
            // On the boundary: a point, and a needle without width.
            of(1.0, 0.0, 0.0, 0.0),
            of(1.0, 0.0, 0.1, 0.1),
        ] {
            assert_eq!(to_log_cholesky(&i), None, "{i:?}");
        }
    }
}
