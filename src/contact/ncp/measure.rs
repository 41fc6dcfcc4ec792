//! What impulses and velocities of a problem are measured in, and what they violate.

/// Units in which a velocity and an impulse of this problem count as one.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    pub velocity: f64,
    pub impulse: f64,
}

/// How far one block is from its law, in raw units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Violation {
    /// Distance of λ from its cone [N·s], up to a factor between 1 and √(1+μ²).
    pub cone: f64,
    /// Violation of σ + Γ ∈ K* [m/s].
    pub dual: f64,
    /// |⟨λ, σ + Γ⟩| [N·m].
    pub complementarity: f64,
}
