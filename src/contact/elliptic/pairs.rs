//! Pairs of impulses and velocities of a unit inside their sets. The central path gives their products
//! the value κ.
//!
//! A cone has λ̃ ∘ ỹ = κ e as in [`ncp`](crate::contact::ncp), with any number of tangents,
//!
//!   λ̃ = (μ λ_n, λ_T),  ỹ = (σ_n/μ + ‖σ_T‖, σ_T),  λ̃ ∘ ỹ = (λ̃·ỹ, λ̃₀ ỹ_T + ỹ₀ λ̃_T).
//!
//! A limit has λ σ = κ. An impulse within a bound has (λ + bound) s₁ = (bound − λ) s₂ = κ with σ = s₁ −
//! s₂.

use super::active_face::{ActiveFace, Scales};
use super::unit::{Set, Slope, Unit, WIDEST, Wide, norm};

/// Products of a unit. For a cone: by rows, head first. Otherwise: the product of the normal, then the
/// two of each tangent.
pub(super) type Products = [f64; 2 * WIDEST - 1];

pub(super) const NO_PRODUCTS: Products = [0.0; 2 * WIDEST - 1];

/// The pairs of a unit, or their change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub impulse: Wide,
    pub velocity: Wide,
    /// s₁ and s₂ by tangents.
    pub slack: [[f64; 2]; WIDEST - 1],
}

/// The kind of pairs that a unit has.
enum Kind {
    Cone(f64),
    Bounded(Bounded),
    /// Held, without a bound.
    Free,
}

/// At most one normal, and `tangents` tangents within `part` times the normal impulse plus `bound`.
#[derive(Clone, Copy)]
struct Bounded {
    has_normal: bool,
    tangents: usize,
    part: f64,
    bound: f64,
}

impl Bounded {
    /// λ + bound and bound − λ of tangent k.
    fn room(&self, k: usize, l: &Wide, last: usize) -> [f64; 2] {
        let bound = self.part * l[last] + self.bound;
        [bound + l[k], bound - l[k]]
    }

    /// The change of both with the impulses.
    fn change(&self, k: usize, dl: &Wide, last: usize) -> [f64; 2] {
        Bounded {
            bound: 0.0,
            ..*self
        }
        .room(k, dl, last)
    }
}

fn kind(unit: &Unit) -> Kind {
    let bounded = |has_normal, tangents, part, bound| {
        Kind::Bounded(Bounded {
            has_normal,
            tangents,
            part,
            bound,
        })
    };
    match unit.set {
        Set::Cone { mu } if mu > 0.0 => Kind::Cone(mu),
        Set::Pyramid { mu } if mu > 0.0 => bounded(true, unit.rows - 1, mu, 0.0),
        Set::Cone { .. } | Set::Pyramid { .. } | Set::HalfLine => bounded(true, 0, 0.0, 0.0),
        Set::Interval { bound } => bounded(false, usize::from(bound > 0.0), 0.0, bound),
        Set::Line => Kind::Free,
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest step along which x stays positive, at most `step`.
fn within(x: f64, d: f64, step: f64) -> f64 {
    if d < 0.0 { step.min(-x / d) } else { step }
}

impl Pairs {
    pub const NONE: Pairs = Pairs {
        impulse: [0.0; WIDEST],
        velocity: [0.0; WIDEST],
        slack: [[0.0; 2]; WIDEST - 1],
    };

    /// A point in the middle of the sets.
    pub fn middle(unit: &Unit, scales: Scales) -> Pairs {
        let mut pairs = Pairs {
            slack: [[scales.velocity; 2]; WIDEST - 1],
            ..Pairs::NONE
        };
        let has_normal = match kind(unit) {
            Kind::Cone(_) => true,
            Kind::Bounded(own) => own.has_normal,
            Kind::Free => false,
        };
        if has_normal {
            pairs.impulse[unit.rows - 1] = scales.impulse;
            pairs.velocity[unit.rows - 1] = scales.velocity;
        }
        pairs
    }

    pub fn moved(&self, by: &Pairs, step: f64) -> Pairs {
        let along = |x: &Wide, d: &Wide| std::array::from_fn(|k| x[k] + step * d[k]);
        Pairs {
            impulse: along(&self.impulse, &by.impulse),
            velocity: along(&self.velocity, &by.velocity),
            slack: std::array::from_fn(|k| {
                [0, 1].map(|side| self.slack[k][side] + step * by.slack[k][side])
            }),
        }
    }

    /// Whether the velocity of a row has no pair. It then follows from the impulses.
    pub fn follows(unit: &Unit, row: usize) -> bool {
        match kind(unit) {
            Kind::Bounded(own) => row >= own.tangents && !(own.has_normal && row + 1 == unit.rows),
            _ => false,
        }
    }

    /// ỹ₀ − ‖ỹ_T‖ and ỹ₀ of a cone.
    fn heads(&self, mu: f64, last: usize) -> [f64; 2] {
        let over = self.velocity[last] / mu;
        [over, over + norm(&self.velocity[..last])]
    }

    pub fn products(&self, unit: &Unit) -> Products {
        let mut out = NO_PRODUCTS;
        let last = unit.rows - 1;
        let (l, s) = (&self.impulse, &self.velocity);
        match kind(unit) {
            Kind::Cone(mu) => {
                let (head, [_, y]) = (mu * l[last], self.heads(mu, last));
                out[0] = head * y + dot(&l[..last], &s[..last]);
                for k in 0..last {
                    out[k + 1] = head * s[k] + y * l[k];
                }
            }
            Kind::Bounded(own) => {
                if own.has_normal {
                    out[0] = l[last] * s[last];
                }
                for k in 0..own.tangents {
                    let room = own.room(k, l, last);
                    for side in 0..2 {
                        out[1 + 2 * k + side] = room[side] * self.slack[k][side];
                    }
                }
            }
            Kind::Free => {}
        }
        out
    }

    /// Sum of the products whose target is κ, and their number.
    pub fn sum(unit: &Unit, products: &Products) -> (f64, usize) {
        match kind(unit) {
            Kind::Cone(_) => (products[0], 1),
            Kind::Bounded(own) => {
                let count = usize::from(own.has_normal) + 2 * own.tangents;
                (products.iter().sum(), count)
            }
            Kind::Free => (0.0, 0),
        }
    }

    /// −∂λ/∂σ along the path. `ease` is the compliance of held rows without a bound.
    pub fn slope(&self, unit: &Unit, ease: f64) -> Slope {
        let mut slope = [[0.0; WIDEST]; WIDEST];
        let last = unit.rows - 1;
        let (l, s) = (&self.impulse, &self.velocity);
        match kind(unit) {
            Kind::Cone(mu) => {
                let (head, slip) = (mu * l[last], norm(&s[..last]));
                let mut put = |column: usize, b: Wide| {
                    let x = self.divide(mu, last, &b);
                    for (line, x) in slope.iter_mut().zip(x) {
                        line[column] = x;
                    }
                };
                for k in 0..last {
                    // L(λ̃) times the derivative of ỹ by the velocity along a tangent.
                    let along = if slip > 0.0 { s[k] / slip } else { 0.0 };
                    let mut b = [0.0; WIDEST];
                    b[0] = head * along + l[k];
                    for j in 0..last {
                        b[j + 1] = along * l[j];
                    }
                    b[k + 1] += head;
                    put(k, b);
                }
                let mut b = [0.0; WIDEST];
                b[0] = head / mu;
                for j in 0..last {
                    b[j + 1] = l[j] / mu;
                }
                put(last, b);
            }
            Kind::Bounded(own) => {
                if own.has_normal {
                    slope[last][last] = l[last] / s[last];
                }
                for k in 0..own.tangents {
                    let [stiffness, by_bound] = self.stiffness(k, own.room(k, l, last));
                    slope[k][k] = 1.0 / stiffness;
                    if own.has_normal {
                        slope[k][last] = -by_bound * own.part / stiffness * slope[last][last];
                    }
                }
            }
            Kind::Free if ease > 0.0 => slope[0][0] = 1.0 / ease,
            Kind::Free => {}
        }
        slope
    }

    /// The change of impulses at fixed velocities that gives these products: dλ = `target` − 𝒢 dσ.
    pub fn target(&self, unit: &Unit, kappa: f64, correction: &Products, slope: &Slope) -> Wide {
        let mut out = [0.0; WIDEST];
        let last = unit.rows - 1;
        let (l, s) = (&self.impulse, &self.velocity);
        match kind(unit) {
            Kind::Cone(mu) => {
                // L(ỹ)⁻¹ (κ e − λ̃ ∘ ỹ) = κ ỹ⁻¹ − λ̃, without the cancellation in the product.
                let mut b = correction[..WIDEST].iter().map(|e| -e);
                let mut b: Wide = std::array::from_fn(|_| b.next().unwrap_or(0.0));
                b[0] += kappa;
                out = self.divide(mu, last, &b);
                for k in 0..unit.rows {
                    out[k] -= l[k];
                }
            }
            Kind::Bounded(own) => {
                if own.has_normal {
                    out[last] = (kappa - correction[0]) / s[last] - l[last];
                }
                for k in 0..own.tangents {
                    let room = own.room(k, l, last);
                    let [stiffness, by_bound] = self.stiffness(k, room);
                    let wanted = |side: usize| (kappa - correction[1 + 2 * k + side]) / room[side];
                    let velocity = wanted(0) - wanted(1) - s[k];
                    out[k] = (velocity - by_bound * own.part * out[last]) / stiffness;
                }
            }
            Kind::Free => out[0] = -slope[0][0] * s[0],
        }
        out
    }

    /// Completes `by`, which holds the changes of impulses, with the changes of s₁ and s₂.
    pub fn follow(&self, unit: &Unit, kappa: f64, correction: &Products, by: &mut Pairs) {
        let Kind::Bounded(own) = kind(unit) else {
            return;
        };
        let last = unit.rows - 1;
        for k in 0..own.tangents {
            let room = own.room(k, &self.impulse, last);
            let change = own.change(k, &by.impulse, last);
            for side in 0..2 {
                let s = self.slack[k][side];
                let wanted = kappa - correction[1 + 2 * k + side];
                by.slack[k][side] = (wanted - s * change[side]) / room[side] - s;
            }
        }
    }

    /// The largest step inside the sets, at most `step`.
    pub fn reach(&self, unit: &Unit, by: &Pairs, mut step: f64) -> f64 {
        let last = unit.rows - 1;
        let (l, dl) = (&self.impulse, &by.impulse);
        let normal = |step: f64| {
            let step = within(l[last], dl[last], step);
            within(self.velocity[last], by.velocity[last], step)
        };
        match kind(unit) {
            Kind::Cone(mu) => {
                step = normal(step);
                let form =
                    |x: &Wide, y: &Wide| mu * mu * x[last] * y[last] - dot(&x[..last], &y[..last]);
                let (a, b, c) = (form(dl, dl), form(l, dl), form(l, l));
                let discriminant = b * b - a * c;
                if discriminant >= 0.0 {
                    let denominator = discriminant.sqrt() - b;
                    if denominator > 0.0 {
                        step = step.min((c / denominator).max(0.0));
                    }
                }
            }
            Kind::Bounded(own) => {
                if own.has_normal {
                    step = normal(step);
                }
                for k in 0..own.tangents {
                    let at = own.room(k, l, last);
                    let change = own.change(k, dl, last);
                    for side in 0..2 {
                        step = within(at[side], change[side], step);
                        step = within(self.slack[k][side], by.slack[k][side], step);
                    }
                }
            }
            Kind::Free => {}
        }
        step
    }

    /// The face that the unit tends to.
    pub fn tending(&self, unit: &Unit, scales: Scales) -> ActiveFace {
        let last = unit.rows - 1;
        let l = self.impulse.map(|x| x / scales.impulse);
        let s = self.velocity.map(|x| x / scales.velocity);
        let parts = !matches!(unit.set, Set::Interval { .. } | Set::Line);
        if parts && l[last] < s[last] {
            return ActiveFace::Open;
        }
        match unit.set {
            Set::Cone { mu } => match mu * l[last] - norm(&l[..last]) > norm(&s[..last]) {
                true if mu > 0.0 => ActiveFace::Held,
                _ => ActiveFace::Sliding,
            },
            Set::Pyramid { .. } | Set::Interval { .. } => {
                let mut signs = [0; WIDEST - 1];
                if let Kind::Bounded(own) = kind(unit) {
                    let own = Bounded {
                        bound: own.bound / scales.impulse,
                        ..own
                    };
                    for (k, sign) in signs.iter_mut().enumerate().take(own.tangents) {
                        let room = own.room(k, &l, last);
                        let [lower, upper] = self.slack[k].map(|s| s / scales.velocity);
                        *sign = i8::from(room[1] < upper) - i8::from(room[0] < lower);
                    }
                }
                ActiveFace::Bounded(signs)
            }
            Set::HalfLine | Set::Line => ActiveFace::Held,
        }
    }

    /// Response of s₁ and s₂ of tangent k to its impulse, and to its bound. `room` holds the distances
    /// to both bounds.
    fn stiffness(&self, k: usize, room: [f64; 2]) -> [f64; 2] {
        let [lower, upper] = [0, 1].map(|side| self.slack[k][side] / room[side]);
        [lower + upper, lower - upper]
    }

    /// The impulses L(ỹ)⁻¹ b. The head is the first entry of b; the normal impulse is the last entry of
    /// the result.
    fn divide(&self, mu: f64, last: usize, b: &Wide) -> Wide {
        let y = &self.velocity[..last];
        let [over, head] = self.heads(mu, last);
        let determinant = over * (2.0 * head - over);
        let rise = (head * b[0] - dot(y, &b[1..])) / determinant;
        let mut out = [0.0; WIDEST];
        for k in 0..last {
            out[k] = (b[k + 1] - rise * y[k]) / head;
        }
        out[last] = rise / mu;
        out
    }
}
