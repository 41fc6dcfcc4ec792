//! The contact solver without the engine, for programs that have their own dynamics.
//!
//! A problem consists of a system matrix A (nv × nv, symmetric positive definite), contact rows J (3 nc × nv,
//! rows t₁ t₂ n of each contact), the velocity without impulses v_free, a velocity added to that of the
//! contacts (`target`), and friction coefficients. Its solution is
//!
//!   v = v_free + A⁻¹ Jᵀ λ,   σ = J v + target,   a contact law between λ and σ.
//!
//! The laws are those of steps: [`Contact::Ncp`], [`Contact::Lcp`] and [`Contact::Convex`]. The rows of the
//! latter are compliant by a diagonal R: v minimizes ½‖v − v_free‖²_A + ½‖λ‖²_R, where λ is −R⁻¹σ projected
//! on the friction cone in the norm of R. In the terms of Castro, Permenter and Han, "An unconstrained convex
//! formulation of compliant contact", v* is v_free, and v̂ is −target.
//!
//! The derivative is by all parts. With δ for variations at fixed impulses,
//!
//!   δv = dv_free + A⁻¹(dJᵀλ − dA (v − v_free)),   w = dJ v + J δv + dtarget + dR λ,
//!   dλ = law(w, dfriction),   dv = δv + A⁻¹ Jᵀ dλ,
//!
//! and the adjoint is the same chain backward.
//!
//! [`Contact::Ncp`]: crate::step::Contact::Ncp
//! [`Contact::Lcp`]: crate::step::Contact::Lcp
//! [`Contact::Convex`]: crate::step::Contact::Convex

mod data;
mod derivative;
mod options;
mod request;
mod rows;
mod solver;
mod system;

pub use data::{ProblemBars, ProblemData};
pub use options::ProblemOptions;
pub use solver::ContactProblem;
