//! Impulses and velocities of a unit inside their sets, in pairs whose products the central path makes κ.
//!
//! A cone has λ̃ ∘ ỹ = κ e as in [`ncp`](crate::contact::ncp), with any number of tangents,
//!
//!   λ̃ = (μ λ_n, λ_T),  ỹ = (σ_n/μ + ‖σ_T‖, σ_T),  λ̃ ∘ ỹ = (λ̃·ỹ, λ̃₀ ỹ_T + ỹ₀ λ̃_T).
//!
//! A limit has λ σ = κ, and what is within a bound (λ + bound) s₁ = (bound − λ) s₂ = κ with σ = s₁ − s₂.

use super::stand::{Scales, Stand};
use super::unit::{Set, Slope, Unit, WIDEST, Wide, norm};

/// Products of a unit: of a cone those of its rows, head first; else that of the normal, then the two of each tangent.
pub(super) type Products = [f64; 2 * WIDEST - 1];

pub(super) const NO_PRODUCTS: Products = [0.0; 2 * WIDEST - 1];

/// Of a unit, or how they change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs {
    pub impulse: Wide,
    pub velocity: Wide,
    /// s₁ and s₂ by tangents.
    pub slack: [[f64; 2]; WIDEST - 1],
}

/// What a unit's pairs are.
enum Kind {
    Cone(f64),
    /// Of a normal, or none, and so many tangents within this part of it, or this bound.
    Bounded {
        has_normal: bool,
        tangents: usize,
        part: f64,
        bound: f64,
    },
    /// Held without a bound.
    Free,
}

fn kind(unit: &Unit) -> Kind {
    let bounded = |has_normal, tangents, part, bound| Kind::Bounded {
        has_normal,
        tangents,
        part,
        bound,
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
fn positive(x: f64, d: f64, step: f64) -> f64 {
    if d < 0.0 { step.min(-x / d) } else { step }
}

impl Pairs {
    pub const NONE: Pairs = Pairs {
        impulse: [0.0; WIDEST],
        velocity: [0.0; WIDEST],
        slack: [[0.0; 2]; WIDEST - 1],
    };

    /// In the middle of the sets.
    pub fn middle(unit: &Unit, scales: Scales) -> Pairs {
        let mut pairs = Pairs {
            slack: [[scales.velocity; 2]; WIDEST - 1],
            ..Pairs::NONE
        };
        if matches!(
            kind(unit),
            Kind::Cone(_)
                | Kind::Bounded {
                    has_normal: true,
                    ..
                }
        ) {
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

    /// Whether the velocity of a row has no pair, so that it is what the impulses make it.
    pub fn follows(unit: &Unit, row: usize) -> bool {
        match kind(unit) {
            Kind::Bounded {
                has_normal,
                tangents,
                ..
            } => row >= tangents && !(has_normal && row + 1 == unit.rows),
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
            Kind::Bounded {
                has_normal,
                tangents,
                part,
                bound,
            } => {
                if has_normal {
                    out[0] = l[last] * s[last];
                }
                for k in 0..tangents {
                    let room = room(l[k], part * l[last] + bound);
                    for side in 0..2 {
                        out[1 + 2 * k + side] = room[side] * self.slack[k][side];
                    }
                }
            }
            Kind::Free => {}
        }
        out
    }

    /// Sum of the products that are to be κ, and their number.
    pub fn sum(unit: &Unit, products: &Products) -> (f64, usize) {
        match kind(unit) {
            Kind::Cone(_) => (products[0], 1),
            Kind::Bounded {
                has_normal,
                tangents,
                ..
            } => {
                let count = usize::from(has_normal) + 2 * tangents;
                (products.iter().sum(), count)
            }
            Kind::Free => (0.0, 0),
        }
    }

    /// −∂λ/∂σ along the path; what is held without a bound yields by `ease`.
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
                    // L(λ̃) of what the velocity along a tangent changes of ỹ.
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
            Kind::Bounded {
                has_normal,
                tangents,
                part,
                bound,
            } => {
                if has_normal {
                    slope[last][last] = l[last] / s[last];
                }
                for k in 0..tangents {
                    let [stiffness, by_bound] = self.stiffness(k, part * l[last] + bound);
                    slope[k][k] = 1.0 / stiffness;
                    if has_normal {
                        slope[k][last] = -by_bound * part / stiffness * slope[last][last];
                    }
                }
            }
            Kind::Free if ease > 0.0 => slope[0][0] = 1.0 / ease,
            Kind::Free => {}
        }
        slope
    }

    /// How impulses change at fixed velocities to have these products: dλ = `target` − 𝒢 dσ.
    pub fn target(&self, unit: &Unit, kappa: f64, correction: &Products, slope: &Slope) -> Wide {
        let mut out = [0.0; WIDEST];
        let last = unit.rows - 1;
        let (l, s) = (&self.impulse, &self.velocity);
        match kind(unit) {
            Kind::Cone(mu) => {
                // L(ỹ)⁻¹ (κ e − λ̃ ∘ ỹ) = κ ỹ⁻¹ − λ̃, without the product's cancellation.
                let mut b = correction[..WIDEST].iter().map(|e| -e);
                let mut b: Wide = std::array::from_fn(|_| b.next().unwrap_or(0.0));
                b[0] += kappa;
                out = self.divide(mu, last, &b);
                for k in 0..unit.rows {
                    out[k] -= l[k];
                }
            }
            Kind::Bounded {
                has_normal,
                tangents,
                part,
                bound,
            } => {
                if has_normal {
                    out[last] = (kappa - correction[0]) / s[last] - l[last];
                }
                for k in 0..tangents {
                    let bound = part * l[last] + bound;
                    let [stiffness, by_bound] = self.stiffness(k, bound);
                    let room = room(l[k], bound);
                    let wanted = |side: usize| (kappa - correction[1 + 2 * k + side]) / room[side];
                    let velocity = wanted(0) - wanted(1) - s[k];
                    out[k] = (velocity - by_bound * part * out[last]) / stiffness;
                }
            }
            Kind::Free => out[0] = -slope[0][0] * s[0],
        }
        out
    }

    /// Takes into `by`, which has the changes of impulses, those of s₁ and s₂.
    pub fn follow(&self, unit: &Unit, kappa: f64, correction: &Products, by: &mut Pairs) {
        let Kind::Bounded {
            tangents,
            part,
            bound,
            ..
        } = kind(unit)
        else {
            return;
        };
        let last = unit.rows - 1;
        for k in 0..tangents {
            let room_now = room(self.impulse[k], part * self.impulse[last] + bound);
            let change = room(by.impulse[k], part * by.impulse[last]);
            for side in 0..2 {
                let s = self.slack[k][side];
                let wanted = kappa - correction[1 + 2 * k + side];
                by.slack[k][side] = (wanted - s * change[side]) / room_now[side] - s;
            }
        }
    }

    /// The largest step inside the sets, at most `step`.
    pub fn reach(&self, unit: &Unit, by: &Pairs, mut step: f64) -> f64 {
        let last = unit.rows - 1;
        let (l, dl) = (&self.impulse, &by.impulse);
        let normal = |step: f64| {
            let step = positive(l[last], dl[last], step);
            positive(self.velocity[last], by.velocity[last], step)
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
            Kind::Bounded {
                has_normal,
                tangents,
                part,
                bound,
            } => {
                if has_normal {
                    step = normal(step);
                }
                for k in 0..tangents {
                    let at = room(l[k], part * l[last] + bound);
                    let change = room(dl[k], part * dl[last]);
                    for side in 0..2 {
                        step = positive(at[side], change[side], step);
                        step = positive(self.slack[k][side], by.slack[k][side], step);
                    }
                }
            }
            Kind::Free => {}
        }
        step
    }

    /// Where the unit tends to stand.
    pub fn tending(&self, unit: &Unit, scales: Scales) -> Stand {
        let last = unit.rows - 1;
        let l = self.impulse.map(|x| x / scales.impulse);
        let s = self.velocity.map(|x| x / scales.velocity);
        let parts = !matches!(unit.set, Set::Interval { .. } | Set::Line);
        if parts && l[last] < s[last] {
            return Stand::Open;
        }
        match unit.set {
            Set::Cone { mu } => match mu * l[last] - norm(&l[..last]) > norm(&s[..last]) {
                true if mu > 0.0 => Stand::Held,
                _ => Stand::Sliding,
            },
            Set::Pyramid { .. } | Set::Interval { .. } => {
                let mut signs = [0; WIDEST - 1];
                if let Kind::Bounded {
                    tangents,
                    part,
                    bound,
                    ..
                } = kind(unit)
                {
                    for (k, sign) in signs.iter_mut().enumerate().take(tangents) {
                        let room = room(l[k], part * l[last] + bound / scales.impulse);
                        let [lower, upper] = self.slack[k].map(|s| s / scales.velocity);
                        *sign = i8::from(room[1] < upper) - i8::from(room[0] < lower);
                    }
                }
                Stand::Bounded(signs)
            }
            Set::HalfLine | Set::Line => Stand::Held,
        }
    }

    /// What s₁ and s₂ answer a tangent's impulse and its bound with.
    fn stiffness(&self, k: usize, bound: f64) -> [f64; 2] {
        let room = room(self.impulse[k], bound);
        let [lower, upper] = [0, 1].map(|side| self.slack[k][side] / room[side]);
        [lower + upper, lower - upper]
    }

    /// Impulses of L(ỹ)⁻¹ b, whose head is the first: the normal's is the last.
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

/// λ + bound and bound − λ.
fn room(l: f64, bound: f64) -> [f64; 2] {
    [bound + l, bound - l]
}
