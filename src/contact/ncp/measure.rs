//! The units of velocities and impulses of a problem, and the violation of a law.

/// The velocity and the impulse of this problem that count as one.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    pub velocity: f64,
    pub impulse: f64,
}

impl Scales {
    /// The units from the largest entries of g and λ.
    pub fn own(g: f64, lambda: f64) -> Scales {
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        Scales {
            velocity: positive(g),
            impulse: positive(lambda),
        }
    }
}

/// The violation of a block's law, in raw units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Violation {
    /// Distance of λ from its cone [N·s], up to a factor between 1 and √(1+μ²).
    pub cone: f64,
    /// Violation of σ + Γ ∈ K* [m/s].
    pub dual: f64,
    /// |⟨λ, σ + Γ⟩| [N·m].
    pub complementarity: f64,
}
