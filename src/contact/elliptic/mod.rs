//! Compliant contact with torsional and rolling friction: `condim` 4 and 6 of MuJoCo with the convex law.
//!
//! The friction impulses of a contact lie in an elliptic cone Σ (λᵢ/μᵢ)² ≤ λ_n² of sliding, torsional
//! and rolling impulses, or each of them lies within ±μᵢ λ_n. Rows of angular velocities are scaled by
//! μᵢ/μ ([`Block::Torsion`](super::block::Block::Torsion)). This turns the set into a round cone, or a
//! pyramid, with one coefficient μ and up to five tangents. The law is then that of three rows
//! ([`convex`](super::convex)): λ = P(−R⁻¹σ), the projection on K in the norm of R. The rigid laws have
//! their own solver for any number of tangents ([`ncp`](super::ncp)).
//!
//! The impulses minimize a convex function. Newton's method with an exact line search finds them from any
//! start (`descent`).
//!
//! Each island with such a contact is solved by itself, in a matrix of its rows, or of the coordinates
//! of its trees if these are far fewer (`coordinates`). This suits the contacts of feet, wheels and
//! fingers, not heaps of bodies. The law of three rows solves all other islands.

mod answer;
mod coordinates;
mod descent;
mod groups;
mod law;
mod linearize;
mod plain;
mod slope_system;
mod solver;
mod system;
mod unit;

pub use law::Elliptic;

#[cfg(test)]
mod tests;
