//! Implicit formulas: the forces of a stage are evaluated at the state that its own velocity leads to.
//!
//! The unknown of a stage is a velocity w. With an offset ξ₀, a start velocity w₀ and coefficients γ of
//! the formula
//!
//!   q' = q ⊕ ξ, ξ = ξ₀ + γ_q w,   v' ← x = σ w + (1 − σ) w₀,   a' ← ẇ = (w − w₀)/γ_a,
//!   M(q') a' + b(q', v') = f(q', v', u).
//!
//! The step ends at its last stage. For a free joint the linear parts of ξ, w and ẇ are along the axes
//! that the body has at the start of the step, in which the velocity of a free body is constant. With
//! E = exp(ξ_ang), in the axes of the body at q' they are
//!
//!   v'_lin = Eᵀ x_lin,   a'_lin = Eᵀ ẇ_lin − ω' × v'_lin.
//!
//! The formula takes w for the rate of a rotation vector, although the two differ by ½ ξ × w and higher
//! terms. As ξ is nearly h w, the error is of third order in the step. Formulas of second order keep
//! their order.

mod formula;
mod motion;

pub use formula::{Formula, Mix, Stage};
pub use motion::{Motion, Slope, Tangents, arrive, turn, turn_adjoint, velocities};
