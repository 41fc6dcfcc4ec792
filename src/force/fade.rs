//! Fading in of damping when surfaces begin to touch or a tendon begins to pull.
//!
//! A damper that acts from the first touch on makes the force jump by d ẋ, and an implicit step across
//! the jump may have no solution. Instead, at a depth or stretch x, it acts with the share x/(x + τ v₀),
//! where τ = d/k is its time constant with a spring of stiffness k. The share is 1 well beyond τ v₀, and
//! 0 at x = 0.

/// v₀. At lower speeds of approach or separation the force is smooth until it ends [m/s, or rad/s].
pub(super) const TOUCH_SPEED: f64 = 0.01;

/// The share of a damper that acts.
#[derive(Clone, Copy, Debug)]
pub struct Fade {
    pub share: f64,
    /// Derivatives of the share by x and by τ.
    pub by_depth: f64,
    pub by_time: f64,
}

impl Fade {
    /// The share at a depth above 0, for a time constant τ. `ease` multiplies v₀.
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
