//! The law of a single block: its exact solution, the projection on its set of impulses, and the violation
//! by a pair (λ, σ).

use super::cone::planar_norm;
use super::measure::Violation;
use super::pyramid;
use super::wide;
use crate::contact::problem::{Block, Small};

/// Projects `lambda` on the block's set of admissible impulses, in the Euclidean norm.
pub fn project(block: Block, lambda: &mut [f64]) {
    match (block, lambda) {
        (Block::Contact { mu }, [x, y, z]) => {
            let tangent = planar_norm(*x, *y);
            if tangent <= mu * *z {
                return;
            }
            if mu * tangent <= -*z {
                (*x, *y, *z) = (0.0, 0.0, 0.0);
                return;
            }
            let normal = (mu * tangent + *z) / (1.0 + mu * mu);
            let scale = mu * normal / tangent;
            (*x, *y, *z) = (scale * *x, scale * *y, normal);
        }
        (Block::Contact { .. }, lambda) => wide::project(block, lambda),
        (Block::Pyramid { mu }, [tangents @ .., n]) => pyramid::project(mu, tangents, n),
        (Block::Unilateral, [x]) => *x = x.max(0.0),
        (Block::Box { bound }, [x]) => *x = x.clamp(-bound, bound),
        _ => {}
    }
}

/// The violation of the law at (λ, σ).
#[inline]
pub fn violation(block: Block, lambda: &[f64], sigma: &[f64]) -> Violation {
    match (block, lambda, sigma) {
        (Block::Contact { mu }, [lx, ly, lz], [sx, sy, sz]) => {
            let slip = (sx * sx + sy * sy).sqrt();
            let force = (lx * lx + ly * ly).sqrt();
            Violation {
                cone: (force - mu * lz).max(-lz).max(0.0),
                // σ + Γ ∈ K* means σ_n + μ‖σ_T‖ ≥ μ‖σ_T‖.
                dual: (-sz).max(0.0),
                complementarity: (lx * sx + ly * sy + lz * (sz + mu * slip)).abs(),
            }
        }
        (Block::Pyramid { mu }, &[lx, ly, lz], &[sx, sy, sz]) => {
            pyramid::violation(mu, [lx, ly, lz], [sx, sy, sz])
        }
        (Block::Contact { .. } | Block::Pyramid { .. }, l, s) => wide::violation(block, l, s),
        (Block::Unilateral, [l], [s]) => Violation {
            cone: (-l).max(0.0),
            dual: (-s).max(0.0),
            complementarity: (l * s).abs(),
        },
        (Block::Box { bound }, [l], [s]) => {
            // λ·σ = −bound·|σ| says all of the law of a box, inside the interval and at both ends.
            Violation {
                cone: (l.abs() - bound).max(0.0),
                dual: 0.0,
                complementarity: (l * s + bound * s.abs()).abs(),
            }
        }
        (Block::Bilateral, _, [s]) => Violation {
            cone: 0.0,
            dual: s.abs(),
            complementarity: 0.0,
        },
        _ => Violation::default(),
    }
}

/// Solves one block exactly with the others fixed: σ = W λ + b. `guess` is the present impulse.
///
/// A block without response (W = 0) keeps its guess.
#[inline]
pub fn solve(block: Block, w: &Small, b: [f64; 3], guess: [f64; 3]) -> [f64; 3] {
    match block {
        Block::Contact { mu } => contact(w, b, mu, guess),
        Block::Pyramid { mu } => pyramid::solve(w, b, mu, guess),
        _ if w[0][0] <= 0.0 => guess,
        Block::Unilateral => [(-b[0] / w[0][0]).max(0.0), 0.0, 0.0],
        Block::Box { bound } => [(-b[0] / w[0][0]).clamp(-bound, bound), 0.0, 0.0],
        Block::Bilateral | Block::Torsion { .. } => [-b[0] / w[0][0], 0.0, 0.0],
    }
}

fn contact(w: &Small, b: [f64; 3], mu: f64, guess: [f64; 3]) -> [f64; 3] {
    if b[2] >= 0.0 {
        return [0.0; 3];
    }
    if mu == 0.0 {
        return if w[2][2] > 0.0 {
            [0.0, 0.0, -b[2] / w[2][2]]
        } else {
            guess
        };
    }
    if let Some(stick) = solve3(w, b, guess)
        && planar_norm(stick[0], stick[1]) <= mu * stick[2]
    {
        return stick;
    }
    let slide = Slide::new(w, b, mu);
    let tangent = planar_norm(guess[0], guess[1]);
    let start = if tangent > 0.0 {
        [-guess[0] / tangent, -guess[1] / tangent]
    } else {
        unit([b[0], b[1]])
    };
    let near = slide.newton(start).and_then(|u| slide.accept(u));
    if let Some(lambda) = near.or_else(|| slide.scan()) {
        return lambda;
    }
    // No slip direction satisfies the law because W is singular. One projected step keeps the sweep
    // bounded.
    let step = w[0][0] + w[1][1] + w[2][2];
    if step <= 0.0 {
        return guess;
    }
    let sigma: [f64; 3] =
        std::array::from_fn(|r| b[r] + (0..3).map(|c| w[r][c] * guess[c]).sum::<f64>());
    let shift = [
        sigma[0],
        sigma[1],
        sigma[2] + mu * planar_norm(sigma[0], sigma[1]),
    ];
    let mut lambda = std::array::from_fn(|r| guess[r] - shift[r] / step);
    project(Block::Contact { mu }, &mut lambda);
    lambda
}

/// λ with (W + ε) λ + b − ε guess = 0. ε has the size of round-off. It regularizes a singular W and does
/// not change fixed points.
fn solve3(w: &Small, b: [f64; 3], guess: [f64; 3]) -> Option<[f64; 3]> {
    let eps = 1e-13 * (w[0][0] + w[1][1] + w[2][2]);
    let a = [w[0][0] + eps, w[1][1] + eps, w[2][2] + eps];
    let r: [f64; 3] = std::array::from_fn(|k| eps * guess[k] - b[k]);
    let l10 = w[1][0] / a[0];
    let l20 = w[2][0] / a[0];
    let d1 = a[1] - l10 * w[1][0];
    let m21 = w[2][1] - l20 * w[1][0];
    let l21 = m21 / d1;
    let d2 = a[2] - l20 * w[2][0] - l21 * m21;
    if !(a[0] > 0.0 && d1 > 0.0 && d2 > 0.0) {
        return None;
    }
    let y1 = r[1] - l10 * r[0];
    let z = (r[2] - l20 * r[0] - l21 * y1) / d2;
    let y = y1 / d1 - l21 * z;
    Some([r[0] / a[0] - l10 * y - l20 * z, y, z])
}

fn unit(v: [f64; 2]) -> [f64; 2] {
    let norm = planar_norm(v[0], v[1]);
    if norm > 0.0 {
        [v[0] / norm, v[1] / norm]
    } else {
        [1.0, 0.0]
    }
}

/// Directions in which the circle is searched, evenly spaced from the first axis.
const ROUND: [[f64; 2]; SAMPLES] = round();
const SAMPLES: usize = 48;

/// Cosine and sine of the angle between two neighbours, an eighth of 60°.
const APART: [f64; 2] = [0.991_444_861_373_810_4, 0.130_526_192_220_051_6];

const fn round() -> [[f64; 2]; SAMPLES] {
    let mut out = [[1.0, 0.0]; SAMPLES];
    let mut k = 1;
    while k < SAMPLES {
        let [x, y] = out[k - 1];
        out[k] = [x * APART[0] - y * APART[1], x * APART[1] + y * APART[0]];
        k += 1;
    }
    out
}

/// Sliding along u: λ = λ_n (−μ u, 1) with σ_n = 0 leaves one equation in the angle of u, σ_T ∥ u.
///
/// It reads e·p = 0, e = u turned by +90°, with p = (w₃₃ − μ w₃·u) σ_T = c + M u.
struct Slide {
    constant: [f64; 2],
    linear: [[f64; 2]; 2],
    /// (w₃₁, w₃₂), w₃₃ and b₃.
    coupling: [f64; 2],
    response: f64,
    closing: f64,
    mu: f64,
    /// Scale of round-off in p.
    size: f64,
}

impl Slide {
    fn new(w: &Small, b: [f64; 3], mu: f64) -> Slide {
        let [x, y, z] = *w;
        let constant = |row: [f64; 3], b0: f64| b0 * z[2] - b[2] * row[2];
        let linear = |row: [f64; 3], b0: f64| {
            [
                mu * (b[2] * row[0] - b0 * z[0]),
                mu * (b[2] * row[1] - b0 * z[1]),
            ]
        };
        Slide {
            constant: [constant(x, b[0]), constant(y, b[1])],
            linear: [linear(x, b[0]), linear(y, b[1])],
            coupling: [w[2][0], w[2][1]],
            response: w[2][2],
            closing: b[2],
            mu,
            size: b[2].abs() * (w[0][0] + w[1][1]) * mu + (b[0].abs() + b[1].abs()) * w[2][2],
        }
    }

    /// p and its derivative by the angle.
    #[inline(always)]
    fn slip(&self, [x, y]: [f64; 2]) -> [[f64; 2]; 2] {
        let ([c, d], [m, n]) = (self.constant, self.linear);
        [
            [c + m[0] * x + m[1] * y, d + n[0] * x + n[1] * y],
            [m[1] * x - m[0] * y, n[1] * x - n[0] * y],
        ]
    }

    /// e·p.
    #[inline(always)]
    fn across(&self, u: [f64; 2]) -> f64 {
        let [p, _] = self.slip(u);
        u[0] * p[1] - u[1] * p[0]
    }

    fn accept(&self, u: [f64; 2]) -> Option<[f64; 3]> {
        let [p, _] = self.slip(u);
        let rate = self.response - self.mu * (self.coupling[0] * u[0] + self.coupling[1] * u[1]);
        if !(rate > 0.0 && u[0] * p[0] + u[1] * p[1] >= 0.0) {
            return None;
        }
        let normal = -self.closing / rate;
        Some([-self.mu * normal * u[0], -self.mu * normal * u[1], normal])
    }

    fn newton(&self, mut u: [f64; 2]) -> Option<[f64; 2]> {
        for _ in 0..12 {
            let [p, turn] = self.slip(u);
            let across = u[0] * p[1] - u[1] * p[0];
            if across.abs() <= 1e-15 * self.size {
                return Some(u);
            }
            let slope = u[0] * (turn[1] - p[0]) - u[1] * (turn[0] + p[1]);
            let step = -across / slope;
            // The step is too long, or NaN because the slope vanishes: scan instead.
            if step.is_nan() || step.abs() >= 1.0 {
                return None;
            }
            u = unit([u[0] - step * u[1], u[1] + step * u[0]]);
            if step.abs() < 1e-15 {
                return Some(u);
            }
        }
        None
    }

    /// The first admissible solution around the circle.
    fn scan(&self) -> Option<[f64; 3]> {
        let across = ROUND.map(|u| self.across(u));
        (0..SAMPLES).find_map(|k| {
            let next = (k + 1) % SAMPLES;
            if (across[k] <= 0.0) == (across[next] <= 0.0) {
                return None;
            }
            let [low, high] = [ROUND[k], ROUND[next]];
            let middle = between(low, high);
            let near = |u: &[f64; 2]| u[0] * middle[0] + u[1] * middle[1] >= APART[0];
            let found = self.newton(middle).filter(near);
            self.accept(found.unwrap_or_else(|| self.bisect(low, high)))
        })
    }

    fn bisect(&self, mut low: [f64; 2], mut high: [f64; 2]) -> [f64; 2] {
        let negative = self.across(low) <= 0.0;
        for _ in 0..60 {
            let middle = between(low, high);
            if (self.across(middle) <= 0.0) == negative {
                low = middle;
            } else {
                high = middle;
            }
        }
        between(low, high)
    }
}

/// The direction that halves the angle between two directions.
fn between(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    unit([a[0] + b[0], a[1] + b[1]])
}
