//! The law of a contact with a friction pyramid: along each tangent by itself the impulse is within ±μ
//! λ_n. At a bound it acts against the motion.
//!
//! On each of its faces the law is linear, so that one linear system solves a set of modes. In the terms
//! of nimble-differentiable-lcp (§4): held rows are clamping (C), rows of an open contact separate (S),
//! tangents at their bound are U with f_U = E f_C. [`slide`] is E.

use super::active_set::Slide;
use super::measure::{Scales, Violation};
use crate::contact::block::Small;
use crate::contact::digits::ROUND_OFF;
use crate::contact::mode::Mode;

/// The faces: signs of the tangential impulses at their bounds, 0 for a tangent that sticks. In the first
/// entry both stick.
const FACES: [[i8; 2]; 9] = [
    [0, 0],
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
];

/// Round-off in velocities of one block, relative to their summands.
const EXACT: f64 = 1e-14;

/// The mode of a closed contact with friction at these bounds.
pub fn closed(bounds: [i8; 2]) -> Mode {
    match bounds {
        [0, 0] => Mode::Sticking,
        _ => Mode::Bounded(bounds),
    }
}

/// The bounds of a mode.
pub fn bounds(mode: Mode) -> [i8; 2] {
    match mode {
        Mode::Bounded(bounds) => bounds,
        _ => [0, 0],
    }
}

/// −1, 0 or 1.
pub fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// Puts the tangential impulses at their bounds, (t₁, t₂, n).
pub fn put_at_bounds(mu: f64, bounds: [i8; 2], lambda: &mut [f64]) {
    let bound = mu * lambda[2];
    for (l, s) in lambda.iter_mut().zip(bounds).filter(|(_, s)| *s != 0) {
        *l = f64::from(s) * bound;
    }
}

/// Projects on the pyramid over one tangent or two, in the Euclidean norm.
pub fn project(mu: f64, tangents: &mut [f64], normal: &mut f64) {
    *normal = height(mu, tangents, *normal);
    let bound = mu * *normal;
    tangents
        .iter_mut()
        .for_each(|t| *t = t.clamp(-bound, bound));
}

/// The normal impulse of the projection: the root of a piecewise linear function.
fn height(mu: f64, tangents: &[f64], normal: f64) -> f64 {
    let (mut sum, mut weight) = (normal, 1.0);
    let mut least = f64::INFINITY;
    // The larger tangents leave the pyramid first.
    loop {
        let n = (sum / weight).max(0.0);
        let next = (tangents.iter())
            .map(|t| t.abs())
            .filter(|t| *t < least && *t > mu * n)
            .fold(0.0, f64::max);
        if next == 0.0 {
            return n;
        }
        for t in tangents.iter().filter(|t| t.abs() == next) {
            sum += mu * t.abs();
            weight += mu * mu;
        }
        least = next;
    }
}

/// v ← P'(w) v of [`project`].
pub fn projected(mu: f64, w: (&[f64], f64), v: (&mut [f64], &mut f64)) {
    let n = height(mu, w.0, w.1);
    let leaves = |t: f64| t.abs() > mu * n;
    if n == 0.0 && (w.1 < 0.0 || w.0.iter().any(|t| leaves(*t))) {
        v.0.fill(0.0);
        *v.1 = 0.0;
        return;
    }
    let (mut sum, mut weight) = (*v.1, 1.0);
    for (t, v) in w.0.iter().zip(&*v.0).filter(|(t, _)| leaves(**t)) {
        sum += mu * v * t.signum();
        weight += mu * mu;
    }
    *v.1 = sum / weight;
    for (t, v_t) in w.0.iter().zip(v.0).filter(|(t, _)| leaves(**t)) {
        *v_t = mu * *v.1 * t.signum();
    }
}

/// The violation of the law by (λ, σ).
pub fn violation(mu: f64, l: [f64; 3], s: [f64; 3]) -> Violation {
    let bound = mu * l[2];
    let side = |k: usize| (l[k] * s[k] + bound * s[k].abs()).abs();
    Violation {
        cone: (l[0].abs().max(l[1].abs()) - bound).max(-l[2]).max(0.0),
        dual: (-s[2]).max(0.0),
        complementarity: (l[2] * s[2]).abs() + side(0) + side(1),
    }
}

/// Solves the block exactly with the others fixed: σ = W λ + b.
pub fn solve(w: &Small, b: [f64; 3], mu: f64, guess: [f64; 3]) -> [f64; 3] {
    if b[2] >= 0.0 {
        return [0.0; 3];
    }
    if mu == 0.0 {
        return match w[2][2] > 0.0 {
            true => [0.0, 0.0, -b[2] / w[2][2]],
            false => guess,
        };
    }
    let first = bounds(mode_of_impulse(mu, guess));
    let faces = std::iter::once(first).chain(FACES);
    let mut found = faces.filter_map(|face| on_face(w, b, mu, guess, face));
    found.next().unwrap_or_else(|| {
        // No face satisfies the law because W is singular. One projected step keeps the sweep bounded.
        let step = w[0][0] + w[1][1] + w[2][2];
        if step <= 0.0 {
            return guess;
        }
        let sigma = velocity(w, b, guess);
        let mut l: [f64; 3] = std::array::from_fn(|r| guess[r] - sigma[r] / step);
        let [tangents @ .., n] = &mut l;
        project(mu, tangents, n);
        l
    })
}

fn velocity(w: &Small, b: [f64; 3], l: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| b[r] + (0..3).map(|c| w[r][c] * l[c]).sum::<f64>())
}

/// The impulse of a face, if it obeys the law.
fn on_face(w: &Small, b: [f64; 3], mu: f64, guess: [f64; 3], face: [i8; 2]) -> Option<[f64; 3]> {
    // A tangent at its bound has no unknown: its row is λ_t − s μ λ_n = 0.
    let mut a = *w;
    let mut right = b.map(|b| -b);
    // Of the size of round-off: it regularizes a singular W and does not change fixed points.
    let ease = 1e-13 * (w[0][0] + w[1][1] + w[2][2]);
    for r in 0..3 {
        match face.get(r) {
            Some(&s) if s != 0 => {
                let scale = w[2][2];
                a[r] = [0.0; 3];
                a[r][r] = scale;
                a[r][2] = -f64::from(s) * mu * scale;
                right[r] = 0.0;
            }
            _ => {
                a[r][r] += ease;
                right[r] += ease * guess[r];
            }
        }
    }
    let l = eliminate(a, right)?;
    let sigma = velocity(w, b, l);
    let slack = EXACT * b.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let holds = |k: usize| match face[k] {
        0 => l[k].abs() <= mu * l[2],
        s => f64::from(s) * sigma[k] <= slack,
    };
    (l[2] >= 0.0 && holds(0) && holds(1)).then_some(l)
}

/// Solves by elimination with row pivots; `None` for a singular matrix.
fn eliminate(mut a: Small, mut b: [f64; 3]) -> Option<[f64; 3]> {
    for k in 0..3 {
        let pivot = (k..3).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if a[k][k] == 0.0 {
            return None;
        }
        for i in k + 1..3 {
            let f = a[i][k] / a[k][k];
            for c in k..3 {
                a[i][c] -= f * a[k][c];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..3).rev() {
        let known: f64 = (k + 1..3).map(|c| a[k][c] * b[c]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

/// The mode of an impulse.
pub fn mode_of_impulse(mu: f64, l: [f64; 3]) -> Mode {
    let bound = mu * l[2] * (1.0 - ROUND_OFF);
    let side = |l: f64| if l.abs() < bound { 0 } else { sign(l) };
    match l[2] <= 0.0 {
        true => Mode::Breaking,
        false if mu == 0.0 => Mode::Sliding,
        false => closed([side(l[0]), side(l[1])]),
    }
}

/// The closed mode of a contact that moves with σ. A tangent is at rest up to `at_rest`; otherwise its
/// friction is at the bound against the motion.
pub fn mode_of_velocity(mu: f64, s: &[f64], at_rest: f64) -> Mode {
    let side = |s: f64| if s.abs() <= at_rest { 0 } else { -sign(s) };
    match mu == 0.0 {
        true => Mode::Sliding,
        false => closed([side(s[0]), side(s[1])]),
    }
}

/// As [`classify`](super::modes::classify).
pub fn classify(mu: f64, l: [f64; 3], s: [f64; 3], scales: Scales, at_rest: f64) -> (Mode, f64) {
    let normal = l[2] / scales.impulse;
    let gap = s[2] / scales.velocity;
    if gap > at_rest && gap > normal {
        return (Mode::Breaking, gap);
    }
    let mut margin = normal.max(gap);
    if mu == 0.0 {
        return (Mode::Sliding, margin);
    }
    let sides = [0, 1].map(|k| {
        let slip = s[k].abs() / scales.velocity;
        let inside = (mu * l[2] - l[k].abs()) / ((1.0 + mu * mu).sqrt() * scales.impulse);
        margin = margin.min(inside.max(slip));
        let holds = slip <= at_rest || inside > slip;
        if holds { 0 } else { -sign(s[k]) }
    });
    (closed(sides), margin.max(0.0))
}

/// The face of a contact with tangents at their bounds. The impulse along a tangent that holds is an
/// unknown of its own. If no tangent holds, this unknown is zero. `response` is that of the block.
pub fn slide(mu: f64, bounds: [i8; 2], response: f64) -> Slide {
    let [x, y] = bounds.map(|s| -f64::from(s));
    let both = x != 0.0 && y != 0.0;
    let root = if both { 2f64.sqrt() } else { 1.0 };
    Slide {
        mu: root * mu,
        u: [x / root, y / root],
        across: if both { 0.0 } else { 1.0 },
        turn: if both { response } else { 0.0 },
        is_fixed: true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_law;
    use super::*;
    use crate::contact::block::Block;
    use crate::linalg::scattered;

    const MU: f64 = 0.7;

    /// Pseudo-random triples.
    fn triples() -> impl Iterator<Item = [f64; 3]> {
        (0..400).map(|k| [0, 1, 2].map(|r| scattered(3 * k + r, 2)))
    }

    fn projection(at: [f64; 3]) -> [f64; 3] {
        let mut l = at;
        block_law::project(Block::Pyramid { mu: MU }, &mut l);
        l
    }

    #[test]
    fn the_projection_is_the_nearest_point() {
        for (at, other) in triples().zip(triples().skip(1)) {
            let (near, inside) = (projection(at), projection(other));
            let within = MU * near[2] * (1.0 + 1e-15);
            assert!(near[2] >= 0.0 && near[0].abs() <= within && near[1].abs() <= within);
            // Property of the projection on a convex set: none of its points is on the side of the
            // projected point.
            let side: f64 = (0..3)
                .map(|r| (at[r] - near[r]) * (inside[r] - near[r]))
                .sum();
            assert!(side < 1e-15, "{at:?} {inside:?} {side:e}");
        }
    }

    #[test]
    fn the_derivative_of_the_projection_is_that_of_differences() {
        let (eps, mut compared) = (1e-7, [0; 3]);
        for (at, along) in triples().zip(triples().skip(7)) {
            let [mut tangents, mut normal] = [[along[0], along[1]], [along[2], 0.0]];
            projected(MU, (&at[..2], at[2]), (&mut tangents, &mut normal[0]));
            let moved = |s: f64| projection([0, 1, 2].map(|r| at[r] + s * along[r]));
            let (ahead, back) = (moved(eps), moved(-eps));
            let near = projection(at);
            let bound = MU * near[2];
            // Away from the kinks.
            if (0..2).any(|k| (at[k].abs() - bound).abs() < 1e-5) {
                continue;
            }
            compared[(0..2).filter(|k| at[*k].abs() > bound).count()] += 1;
            for (r, exact) in [tangents[0], tangents[1], normal[0]]
                .into_iter()
                .enumerate()
            {
                let difference = (ahead[r] - back[r]) / (2.0 * eps);
                assert!((difference - exact).abs() < 1e-8, "{at:?} {along:?}");
            }
        }
        assert!(compared.iter().all(|n| *n > 20), "{compared:?}");
    }

    #[test]
    fn the_solution_of_a_block_obeys_the_law() {
        let mut faces = Vec::new();
        for (b, m) in triples().zip(triples().skip(11)) {
            // 1 + m mᵀ
            let w: Small =
                [0, 1, 2].map(|r| [0, 1, 2].map(|c| m[r] * m[c] + f64::from(u8::from(r == c))));
            let l = solve(&w, b, MU, [0.0; 3]);
            let v = violation(MU, l, velocity(&w, b, l));
            let worst = v.cone.max(v.dual).max(v.complementarity);
            assert!(worst < 1e-12, "{w:?} {b:?} {l:?}");
            faces.push(mode_of_impulse(MU, l));
        }
        for face in FACES.map(closed).into_iter().chain([Mode::Breaking]) {
            assert!(faces.contains(&face), "{face:?}");
        }
    }

    #[test]
    fn modes_have_numbers_of_their_own() {
        let modes: Vec<Mode> = (0..15)
            .filter_map(|k| Mode::from_index(f64::from(k)))
            .collect();
        assert_eq!(modes.len(), 14);
        for mode in FACES.map(closed) {
            assert_eq!(Mode::from_index(f64::from(mode.index())), Some(mode));
        }
        assert_eq!(Mode::from_index(10.0), None, "no tangent at its bound");
        assert_eq!(Mode::from_index(1.5), None);
    }
}
