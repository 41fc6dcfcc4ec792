//! How damping fades in where something begins to touch or to pull.
//!
//! A damper that acts from the first touch on makes the force jump by d ẋ, and an implicit step across the jump may have no
//! solution. At a depth or stretch x it acts by the share x/(x + τ v₀) instead, τ = d/k being its time beside a spring of
//! stiffness k: whole well beyond τ v₀, nothing at x = 0.

/// v₀: what touches or parts more slowly has a force that stays smooth until it ends [m/s, or rad/s].
pub(super) const TOUCH_SPEED: f64 = 0.01;

/// The share with which a damper acts.
#[derive(Clone, Copy, Debug)]
pub struct Fade {
    pub share: f64,
    /// Its slopes by x and by τ.
    pub by_depth: f64,
    pub by_time: f64,
}

impl Fade {
    /// At a depth above 0, of a time τ; `ease` multiplies v₀.
    pub fn new(depth: f64, time: f64, ease: f64) -> Fade {
        let speed = ease * TOUCH_SPEED;
        let whole = depth + time * speed;
        Fade {
            share: depth / whole,
            by_depth: time * speed / (whole * whole),
            by_time: -depth * speed / (whole * whole),
        }
    }
}
