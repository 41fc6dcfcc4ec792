//! The laws on the central path as equations that need no iterate inside the cones.
//!
//! Let P_κ be the smoothed projection on a cone, p_κ(z) = (z + √(z² + 4κ))/2 on each of the eigenvalues
//! of z (Chen and Harker 1993, Kanzow 1996; for cones Fukushima, Luo and Tseng 2002). The equation λ̃ =
//! P_κ(λ̃ − ỹ) then means λ̃ ∘ ỹ = (κ, 0) with both inside. The De Saxcé shift ‖σ_T‖ in ỹ is smoothed as
//! well, by a length of κ; otherwise the path would have kinks.

use super::cone::planar_norm;
use super::path_system::frozen;
use crate::contact::problem::{Block, Small};

/// F of one block, linearized in κ = e^τ, impulse and velocity, and solved for the velocity:
/// dσ = −(right + by_tau dτ + shift dλ).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    /// ‖F‖².
    pub error: f64,
    pub shift: Small,
    pub right: [f64; 3],
    pub by_tau: [f64; 3],
}

/// The law of a block. `bound` is the scaled bound of a box.
pub(super) fn law(block: Block, bound: f64, l: &[f64], s: &[f64], kappa: f64) -> Law {
    match (block, l, s) {
        (Block::Contact { mu }, [x, y, z], [u, v, w]) if mu > 0.0 => {
            contact(mu, [*x, *y, *z], [*u, *v, *w], kappa)
        }
        (Block::Pyramid { mu }, [x, y, z], [u, v, w]) if mu > 0.0 => {
            pyramid(mu, [*x, *y, *z], [*u, *v, *w], kappa)
        }
        (Block::Contact { .. } | Block::Pyramid { .. }, [.., l], [.., s]) => {
            in_row(2, half_line(*l, *s, kappa))
        }
        (Block::Unilateral, [l], [s]) => in_row(0, half_line(*l, *s, kappa)),
        (Block::Box { .. }, [l], [s]) if !frozen(block, 0) => {
            in_row(0, segment(bound, *l, *s, kappa).0)
        }
        (Block::Bilateral, _, [s]) => in_row(0, [*s, 0.0, *s, 0.0]),
        _ => Law::default(),
    }
}

fn in_row(row: usize, [f, shift, right, by_tau]: [f64; 4]) -> Law {
    let mut law = Law {
        error: f * f,
        ..Law::default()
    };
    law.shift[row][row] = shift;
    law.right[row] = right;
    law.by_tau[row] = by_tau;
    law
}

fn root(z: f64, kappa: f64) -> f64 {
    (z * z + 4.0 * kappa).sqrt()
}

/// p_κ(z) and p_κ(−z), whose product is κ, each without cancellation.
fn pair(z: f64, kappa: f64) -> [f64; 2] {
    let large = 0.5 * (z.abs() + root(z, kappa));
    let small = kappa / large;
    if z > 0.0 {
        [large, small]
    } else {
        [small, large]
    }
}

/// λ ≥ 0.
fn half_line(l: f64, s: f64, kappa: f64) -> [f64; 4] {
    let z = l - s;
    let [p, n] = pair(z, kappa);
    let (f, shift) = (l - p, n / p);
    [f, shift, f * (1.0 + shift), -n]
}

/// |λ| ≤ bound, by P = p_κ(z + bound) − p_κ(z − bound) − bound.
///
/// Also returns the change of dσ by a larger bound.
fn segment(bound: f64, l: f64, s: f64, kappa: f64) -> ([f64; 4], f64) {
    let z = l - s;
    let [above, below] = [z + bound, z - bound];
    let f = l - (pair(above, kappa)[0] - pair(below, kappa)[0] - bound);
    let [q, r] = [root(above, kappa), root(below, kappa)];
    let [u, v] = [above / q, below / r];
    // u − v, without cancellation if both tend to the same end.
    let slope = if u * v > 0.0 {
        8.0 * kappa * z * bound / (q * q * r * r * (u + v))
    } else {
        0.5 * (u - v)
    };
    let by_kappa = 1.0 / q - 1.0 / r;
    let shift = (1.0 - slope) / slope;
    let law = [f, shift, f / slope, -kappa * by_kappa / slope];
    (law, 0.5 * (u + v) / slope)
}

/// λ_n ≥ 0, and |λ_t| ≤ μ p for both tangents with the projection p of λ_n, which equals λ_n after a
/// step.
fn pyramid(mu: f64, l: [f64; 3], s: [f64; 3], kappa: f64) -> Law {
    let normal = half_line(l[2], s[2], kappa);
    let mut law = in_row(2, normal);
    let rest = normal[0];
    for k in 0..2 {
        let (own, by_bound) = segment(mu * (l[2] - rest), l[k], s[k], kappa);
        law.error += own[0] * own[0];
        law.shift[k][k] = own[1];
        law.shift[k][2] = -mu * by_bound;
        law.right[k] = own[2] - mu * by_bound * rest;
        law.by_tau[k] = own[3];
    }
    law
}

fn contact(mu: f64, l: [f64; 3], s: [f64; 3], kappa: f64) -> Law {
    let slip = planar_norm(planar_norm(s[0], s[1]), kappa);
    let tilde = [mu * l[2], l[0], l[1]];
    let z = [tilde[0] - s[2] / mu - slip, l[0] - s[0], l[1] - s[1]];
    let radius = planar_norm(z[1], z[2]);
    let d = if radius > 0.0 {
        [z[1] / radius, z[2] / radius]
    } else {
        [1.0, 0.0]
    };
    let [[pa, na], [pb, nb]] = [z[0] + radius, z[0] - radius].map(|z| pair(z, kappa));
    let spectral = |a: f64, b: f64| {
        let along = 0.5 * (a - b);
        [0.5 * (a + b), along * d[0], along * d[1]]
    };
    let projected = spectral(pa, pb);
    let f: [f64; 3] = std::array::from_fn(|i| tilde[i] - projected[i]);
    // P'⁻¹ − 1, with the eigenvalues a and b in the plane of the axis and d, and c across it.
    let (a, b) = (na / pa, nb / pb);
    let c = if radius > 1e-7 * (z[0].abs() + kappa.sqrt()) {
        (nb - na) / (pa - pb)
    } else {
        0.5 * (a + b)
    };
    let [mean, x, y] = spectral(a, b);
    let across = mean - c;
    let inverse = [
        [mean, x, y],
        [x, c + across * d[0] * d[0], across * d[0] * d[1]],
        [y, across * d[0] * d[1], c + across * d[1] * d[1]],
    ];
    // From a change of ỹ to a change of σ.
    let velocity = |y: [f64; 3]| {
        let along = (s[0] * y[1] + s[1] * y[2]) / slip;
        [y[1], y[2], mu * (y[0] - along)]
    };
    let column = |k: usize| velocity([inverse[0][k], inverse[1][k], inverse[2][k]]);
    let columns = [column(1), column(2), column(0).map(|x| mu * x)];
    let product = |k: usize| inverse[k][0] * f[0] + inverse[k][1] * f[1] + inverse[k][2] * f[2];
    let from = spectral(na, nb);
    Law {
        error: f.iter().map(|f| f * f).sum(),
        shift: [0, 1, 2].map(|r| columns.map(|c| c[r])),
        right: velocity(std::array::from_fn(|k| f[k] + product(k))),
        by_tau: velocity([kappa * kappa / slip - from[0], -from[1], -from[2]]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::scattered;

    const BOUND: f64 = 0.4;

    /// A velocity that satisfies the law with this impulse.
    fn velocity(block: Block, l: &[f64], kappa: f64) -> Vec<f64> {
        match block {
            Block::Contact { mu } if mu > 0.0 => {
                let head = mu * l[2];
                let factor = kappa / (head * head - l[0] * l[0] - l[1] * l[1]);
                let [x, y] = [-factor * l[0], -factor * l[1]];
                let slip = (x * x + y * y + kappa * kappa).sqrt();
                vec![x, y, mu * (factor * head - slip)]
            }
            Block::Pyramid { mu } if mu > 0.0 => {
                let tangent = |l_t: f64| {
                    let [mut low, mut high] = [-50.0, 50.0];
                    for _ in 0..200 {
                        let middle = 0.5 * (low + high);
                        match segment(mu * l[2], l_t, middle, kappa).0[2] > 0.0 {
                            true => high = middle,
                            false => low = middle,
                        }
                    }
                    low
                };
                vec![tangent(l[0]), tangent(l[1]), kappa / l[2]]
            }
            Block::Contact { .. } | Block::Pyramid { .. } => vec![0.0, 0.0, kappa / l[2]],
            Block::Unilateral => vec![kappa / l[0]],
            Block::Box { .. } => {
                let [mut low, mut high] = [-20.0, 20.0];
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    match law(block, BOUND, l, &[middle], kappa).right[0] > 0.0 {
                        true => high = middle,
                        false => low = middle,
                    }
                }
                vec![low]
            }
            Block::Bilateral | Block::Torsion { .. } => vec![0.0],
        }
    }

    #[test]
    fn the_linearization_is_tangent_to_the_laws() {
        let mut numbers = (0..).map(|k| scattered(k, 3));
        for kappa in [1.0f64, 1e-2, 1e-5] {
            for block in [
                Block::Contact { mu: 0.7 },
                Block::Contact { mu: 0.0 },
                Block::Pyramid { mu: 0.7 },
                Block::Unilateral,
                Block::Box { bound: BOUND },
                Block::Bilateral,
            ] {
                for _ in 0..20 {
                    let n = block.rows();
                    let mut l: Vec<f64> = numbers.by_ref().take(n).collect();
                    match block {
                        Block::Contact { .. } | Block::Pyramid { .. } => {
                            l[2] = 1.5 * l[0].hypot(l[1]) + l[2].abs() + 0.1;
                        }
                        Block::Unilateral => l[0] = l[0].abs() + 0.1,
                        _ => l[0] *= 0.9 * BOUND,
                    }
                    let s = velocity(block, &l, kappa);
                    let at = law(block, BOUND, &l, &s, kappa);
                    assert!(at.error.sqrt() < 1e-13, "{block:?} {kappa} {l:?} {s:?}");
                    let mut direction: Vec<f64> = numbers.by_ref().take(n + 1).collect();
                    if block == (Block::Contact { mu: 0.0 }) {
                        direction[..2].fill(0.0);
                    }
                    let errors = [1e-4, 1e-5].map(|step| {
                        let change = step * direction[n];
                        let moved: Vec<f64> = (0..n).map(|r| l[r] + step * direction[r]).collect();
                        let sigma: Vec<f64> = (0..n)
                            .map(|r| {
                                let by_l: f64 = (0..n).map(|c| at.shift[r][c] * direction[c]).sum();
                                s[r] - at.by_tau[r] * change - step * by_l
                            })
                            .collect();
                        let law = law(block, BOUND, &moved, &sigma, kappa * change.exp());
                        law.error.sqrt()
                    });
                    let [far, near] = errors;
                    assert!(near < 0.02 * far + 1e-13, "{block:?} {kappa} {errors:?}");
                    assert!(far < 1e-6, "{block:?} {kappa} {errors:?}");
                }
            }
        }
    }
}
