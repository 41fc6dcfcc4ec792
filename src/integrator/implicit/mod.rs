//! Implicit formulas: the forces of a stage are those where its velocity leads.
//!
//! The unknown of a stage is a velocity w. With an offset ξ₀, a velocity w₀ to start from and coefficients γ of the formula
//!
//!   q' = q ⊕ ξ, ξ = ξ₀ + γ_q w,   v' ← x = σ w + (1 − σ) w₀,   a' ← ẇ = (w − w₀)/γ_a,   M(q') a' + b(q', v') = f(q', v', u).
//!
//! The step ends where its last stage is. Of a free joint ξ, w and ẇ have their linear part along the axes that the body has
//! where the step begins, in which the velocity of a free body stays; with E = exp(ξ_ang), seen from the body at q' it is
//!
//!   v'_lin = Eᵀ x_lin,   a'_lin = Eᵀ ẇ_lin − ω' × v'_lin.
//!
//! That w is taken for the rate of a rotation vector, of which it differs by ½ ξ × w and more, is an error of third order in
//! the step: ξ is nearly h w. Formulas of second order keep their order.

mod formula;
mod motion;

pub use formula::{Formula, Mix, Stage};
pub use motion::{Motion, Slope, Tangents, arrive, turn, turn_adjoint, velocities};
