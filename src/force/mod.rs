//! Forces of a step other than inertia, gravity and constraints: one file each, all behind the trait
//! [`Force`].
//!
//! A force is either generalized, on dofs ([`Force::apply`]), or a load on links ([`Force::load`]),
//! which the recursions carry with all its derivatives. A step is linearly implicit in the terms that a
//! force declares by [`Force::implicit`]: with constant K̃ and D̃ the force is f(q, v, u) − h K̃ v⁺ − D̃
//! (v⁺ − v), so that the system matrix is A = M + h D̃ + h² K̃. All other terms are explicit.
//! Derivatives use R, the forces' part of the step's balance with the opposite sign, at fixed
//! acceleration: R_q = −∂f/∂q and R_v = −∂f/∂v + h K̃. Tendons and springs are implicit along their
//! lengths, which depend on q: they add products g gᵀ to A in every step ([`Elastic`]). Servos on
//! tendons do the same, and servos on joints add to the diagonal of A in every step, because their
//! derivatives are zero at a limit of their force.

mod actuators;
pub mod adhesion;
mod apart;
mod coriolis;
mod deformable;
mod elastic;
mod face;
mod fade;
mod feedback;
mod fluid;
mod forces;
mod gravity_compensation;
mod gyroscopic;
mod joint_damper;
mod joint_spring;
pub mod penalty;
mod slopes;
mod spring;
mod tendon;
mod tension;
mod wrenches;

pub use apart::ForceKinds;
pub use coriolis::{Coriolis, FourWhirling};
pub use elastic::Elastic;
pub use face::{Duplicate, Force, Input, State};
pub use forces::Forces;
pub use gyroscopic::Gyroscopic;
pub use slopes::{Entry, Slopes};
pub use wrenches::ExternalWrenches;
