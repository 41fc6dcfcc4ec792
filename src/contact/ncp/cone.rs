//! The Jordan algebra of one contact, in the self-dual coordinates
//!
//!   λ̃ = (μλ_n, λ_T), ỹ = (σ_n/μ + ‖σ_T‖, σ_T)
//!
//! of impulses and velocities given as (t₁, t₂, n).

/// ‖(x, y)‖ without protection against overflow and underflow: no impulse or velocity is that large or
/// small.
#[inline(always)]
pub(super) fn planar_norm(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// ỹ₀.
pub(super) fn dual_head(mu: f64, s: [f64; 3]) -> f64 {
    s[2] / mu + planar_norm(s[0], s[1])
}

/// λ̃ ∘ ỹ.
pub(super) fn contact_product(mu: f64, l: [f64; 3], s: [f64; 3]) -> [f64; 3] {
    let (head, y) = (mu * l[2], dual_head(mu, s));
    [
        head * y + l[0] * s[0] + l[1] * s[1],
        head * s[0] + y * l[0],
        head * s[1] + y * l[1],
    ]
}

/// L(λ̃)⁻¹ b.
pub(super) fn divide(mu: f64, l: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let (head, force) = (mu * l[2], planar_norm(l[0], l[1]));
    let determinant = (head - force) * (head + force);
    let along = l[0] * b[1] + l[1] * b[2];
    let rise = (head * b[0] - along) / determinant;
    [
        rise,
        (b[1] - rise * l[0]) / head,
        (b[2] - rise * l[1]) / head,
    ]
}

/// The change of σ that changes ỹ by `y`.
pub(super) fn velocity_of(mu: f64, s: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    let slip = planar_norm(s[0], s[1]);
    let along = if slip > 0.0 {
        (s[0] * y[1] + s[1] * y[2]) / slip
    } else {
        0.0
    };
    [y[1], y[2], mu * (y[0] - along)]
}

/// The smallest positive step along `d` that takes λ, tangents first, out of its cone.
#[inline]
pub(super) fn exit(mu: f64, l: &[f64], d: &[f64]) -> f64 {
    let last = l.len() - 1;
    let form = |x: &[f64], y: &[f64]| {
        let tangents = x[..last].iter().zip(y);
        tangents.fold(mu * mu * x[last] * y[last], |sum, (x, y)| sum - x * y)
    };
    let (a, b, c) = (form(d, d), form(l, d), form(l, l));
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return f64::INFINITY;
    }
    let denominator = discriminant.sqrt() - b;
    match denominator > 0.0 {
        true => (c / denominator).max(0.0),
        false => f64::INFINITY,
    }
}
