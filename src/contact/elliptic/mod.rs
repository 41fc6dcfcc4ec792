//! Contact with torsional and rolling friction: `condim` 4 and 6 of MuJoCo.
//!
//! The friction impulses of a contact lie in an elliptic cone Σ (λᵢ/μᵢ)² ≤ λ_n² of sliding, torsional
//! and rolling impulses, or each of them lies within ±μᵢ λ_n. Rows of angular velocities are scaled by
//! μᵢ/μ ([`Block::Torsion`](super::block::Block::Turning)). This turns the set into a round cone, or a
//! pyramid, with one coefficient μ and up to five tangents. The laws are then the same as with three
//! rows:
//!
//! | law | |
//! |---|---|
//! | rigid ([`ncp`](super::ncp), [`lcp`](super::lcp)) | K ∋ λ ⟂ σ + Γ(σ) ∈ K*, Γ = μ‖σ_T‖ e_n |
//! | compliant ([`convex`](super::convex)) | λ = P(−R⁻¹σ), the projection on K in the norm of R |
//!
//! For a pyramid ‖σ_T‖ is the 1-norm. One method solves all three laws. With R and a centre c,
//!
//!   λ = P(c − R⁻¹(σ + s e_n)),   σ = G λ + g
//!
//! is the optimum of a convex problem. Newton's method with an exact line search finds it from any start
//! (`descent`). With c = s = 0 it is the compliant law. The rigid laws are its fixed points with c = λ
//! and s = μ‖σ_T‖: proximal steps (Rockafellar, Monotone operators and the proximal point algorithm,
//! 1976) on the sequence of convex problems of Cadoux (Analyse convexe du problème de frottement de
//! Coulomb, 2009). This sequence converges only linearly. If it is slow, an interior point (`interior`)
//! includes the slope of the shift, with the same Newton systems. Both end with Newton's method on the
//! faces of the modes they found (`faces`), which reaches round-off and gives the matrix of the
//! derivative.
//!
//! Each island with such a contact is solved by itself, in a matrix of its rows, or of the coordinates
//! of its trees if these are far fewer (`coordinates`). This suits the contacts of feet, wheels and
//! fingers, not heaps of bodies. The law of three rows solves all other islands.

mod active_face;
mod answer;
mod aware;
mod coordinates;
mod descent;
mod faces;
mod groups;
mod inside;
mod interior;
mod law;
mod linearize;
mod pairs;
mod plain;
mod residual;
mod rigid;
mod slope_system;
mod solver;
mod system;
mod unit;

pub use law::Elliptic;

#[cfg(test)]
mod tests;
