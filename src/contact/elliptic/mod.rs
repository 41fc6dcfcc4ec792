//! Contact whose friction resists torsion and rolling, too: `condim` 4 and 6 of MuJoCo.
//!
//! Friction of a contact is in an elliptic cone Σ (λᵢ/μᵢ)² ≤ λ_n² of sliding, torsional and rolling impulses, or each of them
//! within ±μᵢ λ_n. Rows of angular velocities that are scaled by μᵢ/μ ([`Block::Turning`](super::block::Block::Turning)) turn
//! it into a round cone, or a pyramid, of one coefficient μ and up to five tangents, and the laws stay what they are with
//! three rows:
//!
//! | law | |
//! |---|---|
//! | rigid ([`ncp`](super::ncp), [`lcp`](super::lcp)) | K ∋ λ ⟂ σ + Γ(σ) ∈ K*, Γ = μ‖σ_T‖ e_n, of a pyramid with the norm of sums |
//! | compliant ([`convex`](super::convex)) | λ = P(−R⁻¹σ), the projection on K in the norm of R |
//!
//! One method serves all. With R and a centre c,
//!
//!   λ = P(c − R⁻¹(σ + s e_n)),   σ = G λ + g
//!
//! is the optimum of a convex problem, which Newton's method with an exact line search finds from any start (`descent`).
//! It is the compliant law where c = s = 0. The rigid ones are its fixed point with c = λ and s = μ‖σ_T‖: proximal steps
//! (Rockafellar, Monotone operators and the proximal point algorithm, 1976) on the sequence of convex problems of Cadoux
//! (Analyse convexe du problème de frottement de Coulomb, 2009). Where these come nearer slowly, as they do by a constant factor each,
//! an interior point (`interior`) takes the shift with its slope, by the same Newton systems. Each ends with Newton's method on
//! the faces of the modes that it found (`faces`), which gives round-off and the matrix of the derivative.
//!
//! Islands that have such a contact are solved each by itself, in a matrix of their rows, or of the coordinates of their trees
//! where these are far fewer (`coordinates`): this is for the contacts of feet, wheels and fingers, not for heaps of bodies.
//! All others are left to the law of three rows.

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
mod stand;
mod system;
mod unit;

pub use law::Elliptic;

#[cfg(test)]
mod tests;
