//! Computes the rotation of a body in a step by the discrete Euler equations on SO(3).
//!
//! A body with the inertia I about a point rotates by exp(h ω) in a step. Its motion over two steps
//! makes the discrete action stationary if
//!
//!   F₊(ω⁺) = F₋(ω) + h τ,   F±(ω) = p ± ½ x × p + c x × (x × p),   p = I ω,  x = h ω,
//!   c = (1 − (θ/2) cot(θ/2))/θ²,  θ = |x|.
//!
//! R F₋(ω) is the angular momentum at the end of the step: exp(x) F₋(ω) = F₊(ω), so that it is constant
//! up to round-off if no torque acts. The energy stays within a band of the size (h ω)². The explicit
//! formula would gain (h ω)²/2 a step, and the implicit formula would lose as much. The formulas hold
//! along any axes, as long as all vectors are along the same axes.
//!
//! Sources: Marsden & West, Discrete mechanics and variational integrators (2001); for the exponential
//! map Hall & Leok, Lie group spectral variational integrators (2017).
//!
//! Newton's method starts at the end of the continuous motion, which is near the solution. For a slender
//! body that rotates by more than 1 rad in a step, it does not reach the solution from ω itself. It
//! keeps its matrix as long as the residual shrinks fast. If the body rotates by more than π in a step,
//! the step is implicit: I ω⁺ + h ω⁺ × I ω⁺ = I ω + h τ. This only loses energy.
//!
//! `force::gyroscopic` calls it.

use crate::spatial::{Mat3, Sym3, Vec3};

/// Largest rotation in a step for F± [rad]. Beyond π, F± of a slender body that spins about its axis has
/// the sign of −p across the axis, and one F± belongs to several ω of different energy.
const LARGEST_TURN: f64 = std::f64::consts::PI;

/// Up to this rotation, Newton's method starts from ω. Beyond it, a better start is integrated, in two
/// parts per rotation of this size [rad].
const PART: f64 = 0.5;

/// Largest share of the residual that a step of Newton's method with a kept matrix may leave.
const SHRINKS: f64 = 0.1;

/// An inertia is zero about an axis if its determinant is below this share of its trace to the third.
const SINGULAR: f64 = 1e-13;

/// Relative to the momentum: a residual below this is round-off if a whole step of Newton's method does
/// not reduce it.
const ROUND_OFF: f64 = 1e-12;

/// The equation that ω⁺ solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Variational,
    Implicit,
    /// No solution of either was found: ω⁺ = ω + I⁻¹ h τ.
    Kept,
    /// The inertia about an axis is zero. Another inertia resists rotation about it, and Euler's
    /// equation is explicit.
    Explicit,
}

/// The rotation of a body in a step.
#[derive(Clone, Copy, Debug)]
pub struct Spin {
    inertia: Sym3,
    h: f64,
    omega: Vec3,
    push: Vec3,
    next: Vec3,
    kind: Kind,
}

/// Slopes of ω⁺ by the torque's impulse h τ, and of [`Spin::impulse`] by ω.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpinSlopes {
    by_push: Mat3,
    impulse_by_omega: Mat3,
}

/// c(θ) and c'(θ)/θ, from θ².
fn coefficients(t2: f64) -> (f64, f64) {
    if t2 < 0.1 {
        // |B₂ₖ|/(2k)!, k = 1 to 7.
        const C: [f64; 7] = [
            1.0 / 12.0,
            1.0 / 720.0,
            1.0 / 30_240.0,
            1.0 / 1_209_600.0,
            1.0 / 47_900_160.0,
            691.0 / 1_307_674_368_000.0,
            1.0 / 74_724_249_600.0,
        ];
        let (mut value, mut slope) = (0.0, 0.0);
        for k in (0..7).rev() {
            value = value * t2 + C[k];
            if k > 0 {
                slope = slope * t2 + 2.0 * k as f64 * C[k];
            }
        }
        (value, slope)
    } else {
        let t = t2.sqrt();
        let (s, c) = (0.5 * t).sin_cos();
        let rest = 1.0 - 0.5 * t * c / s;
        let slope = 0.25 * t2 / (s * s) - 0.5 * t * c / s - 2.0 * rest;
        (rest / t2, slope / (t2 * t2))
    }
}

/// F± with this sign.
fn momentum(inertia: &Sym3, h: f64, omega: Vec3, sign: f64) -> Vec3 {
    let (p, x) = (inertia.mul_vec(omega), omega * h);
    let across = x.cross(p);
    p + across * (0.5 * sign) + x.cross(across) * coefficients(x.norm_squared()).0
}

/// ∂F±/∂ω.
fn momentum_slope(inertia: &Sym3, h: f64, omega: Vec3, sign: f64) -> Mat3 {
    let (p, x) = (inertia.mul_vec(omega), omega * h);
    let (c, slope) = coefficients(x.norm_squared());
    let (across, columns) = (x.cross(p), inertia.to_mat3().c);
    let twice = x.cross(across);
    let column = |k: usize| {
        let dx = Vec3::unit(k) * h;
        let turned = dx.cross(p) + x.cross(columns[k]);
        let again = dx.cross(across) + x.cross(turned);
        columns[k] + turned * (0.5 * sign) + again * c + twice * (slope * h * x[k])
    };
    Mat3::from_columns(column(0), column(1), column(2))
}

/// I ω + h ω × I ω; below, its slope.
fn implicit(inertia: &Sym3, h: f64, omega: Vec3) -> Vec3 {
    let p = inertia.mul_vec(omega);
    p + omega.cross(p) * h
}

fn implicit_slope(inertia: &Sym3, h: f64, omega: Vec3) -> Mat3 {
    let (p, columns) = (inertia.mul_vec(omega), inertia.to_mat3().c);
    let column = |k: usize| columns[k] + (omega.cross(columns[k]) + Vec3::unit(k).cross(p)) * h;
    Mat3::from_columns(column(0), column(1), column(2))
}

/// The start of Newton's method: ω at the end of the step by Euler's equation under a constant torque. The
/// classical Runge–Kutta scheme integrates it in substeps. If the step rotates the body by less than
/// [`PART`], it is the present ω.
fn ahead(inertia: &Sym3, h: f64, omega: Vec3, push: Vec3) -> Vec3 {
    let parts = 2.0 * (h * omega.norm() / PART).floor();
    if parts == 0.0 {
        return omega;
    }
    let inverse = inertia.to_mat3().inverse().unwrap_or(Mat3::ZERO);
    let rate = |w: Vec3| inverse.mul_vec(push - w.cross(inertia.mul_vec(w)) * h);
    let part = 1.0 / parts;
    let mut w = omega;
    for _ in 0..parts as usize {
        let a = rate(w);
        let b = rate(w + a * (0.5 * part));
        let c = rate(w + b * (0.5 * part));
        let d = rate(w + c * part);
        w += (a + (b + c) * 2.0 + d) * (part / 6.0);
    }
    w
}

/// Damped Newton's method from `start` to a point at which `of` is `target` up to round-off. All its
/// points satisfy `reaches`.
fn newton(
    start: Vec3,
    target: Vec3,
    scale: f64,
    of: impl Fn(Vec3) -> Vec3,
    slope: impl Fn(Vec3) -> Mat3,
    reaches: impl Fn(Vec3) -> bool,
) -> Option<Vec3> {
    let (mut w, mut r) = (start, of(start) - target);
    let mut kept = None;
    for _ in 0..60 {
        let size = r.norm();
        // A residual of round-off with always the same sign would add up over the steps.
        if size == 0.0 {
            return Some(w);
        }
        let (inverse, is_new) = match kept {
            Some(inverse) => (inverse, false),
            None => (slope(w).inverse()?, true),
        };
        let step = -inverse.mul_vec(r);
        let mut share = 1.0;
        loop {
            let trial = w + step * share;
            if reaches(trial) {
                let residual = of(trial) - target;
                let left = residual.norm();
                if left < size * (1.0 - 1e-4 * share) {
                    kept = (left <= SHRINKS * size).then_some(inverse);
                    (w, r) = (trial, residual);
                    break;
                }
            }
            if size <= ROUND_OFF * scale {
                return Some(w);
            }
            if !is_new {
                kept = None;
                break;
            }
            share *= 0.5;
            if share < 1e-4 {
                return None;
            }
        }
    }
    None
}

impl Spin {
    /// For a body with this inertia about the point and the angular velocity `omega`. `push` is the
    /// impulse of the torque.
    pub fn new(inertia: Sym3, h: f64, omega: Vec3, push: Vec3) -> Spin {
        let of = |next, kind| Spin {
            inertia,
            h,
            omega,
            push,
            next,
            kind,
        };
        let (matrix, trace) = (inertia.to_mat3(), inertia.xx + inertia.yy + inertia.zz);
        if matrix.determinant() <= SINGULAR * trace * trace * trace {
            return of(omega, Kind::Explicit);
        }
        let p = inertia.mul_vec(omega);
        let reaches = |w: Vec3| h * w.norm() < LARGEST_TURN;
        if reaches(omega) {
            let start = ahead(&inertia, h, omega, push);
            let target = momentum(&inertia, h, omega, -1.0) + push;
            let found = newton(
                if reaches(start) { start } else { omega },
                target,
                p.norm() + target.norm(),
                |w| momentum(&inertia, h, w, 1.0),
                |w| momentum_slope(&inertia, h, w, 1.0),
                reaches,
            );
            if let Some(next) = found {
                return of(next, Kind::Variational);
            }
        }
        let target = p + push;
        let found = newton(
            omega,
            target,
            p.norm() + target.norm(),
            |w| implicit(&inertia, h, w),
            |w| implicit_slope(&inertia, h, w),
            |w| w.is_finite(),
        );
        match found {
            Some(next) => of(next, Kind::Implicit),
            None => {
                let inverse = matrix.inverse().unwrap_or(Mat3::ZERO);
                of(omega + inverse.mul_vec(push), Kind::Kept)
            }
        }
    }

    /// ω⁺.
    pub fn next(&self) -> Vec3 {
        self.next
    }

    /// True if the inertia about an axis is zero, so that Euler's equation is explicit.
    pub fn is_explicit(&self) -> bool {
        self.kind == Kind::Explicit
    }

    /// The impulse that, together with −h ω × I ω and the push, takes I ω to I ω⁺.
    pub fn impulse(&self) -> Vec3 {
        let (i, w) = (&self.inertia, self.omega);
        if self.kind == Kind::Explicit {
            return Vec3::ZERO;
        }
        i.mul_vec(self.next - w) + w.cross(i.mul_vec(w)) * self.h - self.push
    }

    pub fn slopes(&self) -> SpinSlopes {
        let (i, h) = (&self.inertia, self.h);
        let (after, before) = match self.kind {
            Kind::Variational => (
                momentum_slope(i, h, self.next, 1.0),
                momentum_slope(i, h, self.omega, -1.0),
            ),
            Kind::Implicit => (implicit_slope(i, h, self.next), i.to_mat3()),
            Kind::Kept => (i.to_mat3(), i.to_mat3()),
            Kind::Explicit => return SpinSlopes::default(),
        };
        let by_push = after.inverse().unwrap_or(Mat3::ZERO);
        let (columns, w) = (i.to_mat3().c, self.omega);
        let p = i.mul_vec(w);
        let column = |k: usize| {
            let next = i.mul_vec(by_push.mul_vec(before.c[k]));
            let turned = Vec3::unit(k).cross(p) + w.cross(columns[k]);
            next - columns[k] + turned * h
        };
        SpinSlopes {
            by_push,
            impulse_by_omega: Mat3::from_columns(column(0), column(1), column(2)),
        }
    }

    /// Slope of the impulse by ω.
    pub fn impulse_by_omega<'a>(&self, slopes: &'a SpinSlopes) -> &'a Mat3 {
        &slopes.impulse_by_omega
    }

    /// Change of the impulse with the push.
    pub fn impulse_by_push(&self, slopes: &SpinSlopes, d: Vec3) -> Vec3 {
        match self.kind {
            Kind::Explicit => Vec3::ZERO,
            _ => self.inertia.mul_vec(slopes.by_push.mul_vec(d)) - d,
        }
    }

    /// Change of the impulse with a change of the inertia.
    pub fn impulse_by_inertia(&self, slopes: &SpinSlopes, d: &Sym3) -> Vec3 {
        let (i, h, w, next) = (&self.inertia, self.h, self.omega, self.next);
        // All terms are linear in the inertia.
        let unbalanced = match self.kind {
            Kind::Variational => momentum(d, h, w, -1.0) - momentum(d, h, next, 1.0),
            Kind::Implicit => d.mul_vec(w) - implicit(d, h, next),
            Kind::Kept => d.mul_vec(w - next),
            Kind::Explicit => return Vec3::ZERO,
        };
        let moved = i.mul_vec(slopes.by_push.mul_vec(unbalanced));
        moved + d.mul_vec(next - w) + w.cross(d.mul_vec(w)) * h
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Quat;

    const SHAPES: [[f64; 3]; 5] = [
        [0.0833, 0.0833, 5e-5],
        [1.0, 1.0, 2.0],
        [1.0, 1.0, 0.003],
        [1.0, 2.0, 2.8],
        [1.0, 1.0, 1e-6],
    ];

    const SPINS: [[f64; 3]; 3] = [[0.001, 0.0, 1.0], [1.0, 0.02, 0.03], [0.5, -0.6, 0.7]];

    fn unit(x: [f64; 3]) -> Vec3 {
        let x = Vec3::from_slice(&x);
        x * (1.0 / x.norm())
    }

    #[test]
    fn momentum_stays_and_energy_is_within_a_band() {
        for (shape, spin) in SHAPES
            .iter()
            .flat_map(|a| SPINS.iter().map(move |b| (a, b)))
        {
            for turn in [0.1, 0.5, 1.0, 1.5, 2.0] {
                let inertia = Sym3::diagonal(Vec3::from_slice(shape));
                let (h, mut w) = (0.01, unit(*spin) * (turn / 0.01));
                let energy = |w: Vec3| w.dot(inertia.mul_vec(w));
                let (e0, mut r) = (energy(w), Quat::IDENTITY);
                let l0 = momentum(&inertia, h, w, -1.0);
                let mut worst = 0.0f64;
                for _ in 0..10_000 {
                    let s = Spin::new(inertia, h, w, Vec3::ZERO);
                    assert_eq!(s.kind, Kind::Variational, "{shape:?} {spin:?} {turn}");
                    w = s.next();
                    r = r.mul(Quat::exp(w * h)).normalized();
                    worst = worst.max((energy(w) / e0 - 1.0).abs());
                }
                let l = r.to_mat3().mul_vec(momentum(&inertia, h, w, -1.0));
                let off = (l - l0).norm() / l0.norm();
                assert!(
                    worst < 0.016 * turn * turn && off < 1e-12,
                    "{shape:?} {turn}: {worst} {off}"
                );
            }
        }
    }

    #[test]
    fn any_spin_stays_finite() {
        for shape in SHAPES {
            for turn in [2.2, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0, 50.0, 1e3, 1e6] {
                for spin in SPINS {
                    let inertia = Sym3::diagonal(Vec3::from_slice(&shape));
                    let mut w = unit(spin) * turn;
                    let e0 = w.dot(inertia.mul_vec(w));
                    let mut top = 0.0f64;
                    for _ in 0..2000 {
                        w = Spin::new(inertia, 1.0, w, Vec3::ZERO).next();
                        top = top.max(w.dot(inertia.mul_vec(w)) / e0);
                    }
                    assert!(top < 2.0, "{shape:?} {turn} {spin:?} {top}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_differences() {
        for (shape, spin) in SHAPES
            .iter()
            .flat_map(|a| SPINS.iter().map(move |b| (a, b)))
        {
            for turn in [1e-3, 0.2, 0.4, 1.0, 2.0, 8.0] {
                let inertia =
                    Sym3::diagonal(Vec3::from_slice(shape)) + Sym3::of_point(Vec3::X) * 0.1;
                let (h, w) = (0.5, unit(*spin) * (turn / 0.5));
                let push = Vec3::new(0.01, -0.02, 0.005) * turn;
                let s = Spin::new(inertia, h, w, push);
                let slopes = s.slopes();
                let d = Vec3::new(0.3, -0.5, 0.2);
                let change = Sym3::new(0.1, 0.02, 0.2, -0.03, 0.01, 0.15);
                let e = 1e-6;
                let by = |f: &dyn Fn(f64) -> Spin| (f(e).impulse() - f(-e).impulse()) * (0.5 / e);
                let pairs = [
                    (
                        by(&|e| Spin::new(inertia, h, w + d * e, push)),
                        s.impulse_by_omega(&slopes).mul_vec(d),
                    ),
                    (
                        by(&|e| Spin::new(inertia, h, w, push + d * e)),
                        s.impulse_by_push(&slopes, d),
                    ),
                    (
                        by(&|e| Spin::new(inertia + change * e, h, w, push)),
                        s.impulse_by_inertia(&slopes, &change),
                    ),
                ];
                for (k, (difference, exact)) in pairs.into_iter().enumerate() {
                    let off = (difference - exact).norm() / (1e-3 + exact.norm());
                    assert!(off < 1e-6, "{shape:?} {turn} {k}: {off}");
                }
            }
        }
    }
}
