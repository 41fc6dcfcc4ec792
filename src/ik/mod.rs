//! Inverse kinematics: configurations that bring frames, the centre of mass and postures to their targets.
//!
//! Minimizes ½ Σ ‖W r(q)‖² over all tasks, with joints within their bounds, by a damped Gauss–Newton method
//! on the manifold. Each step solves a quadratic program within the bounds. If residuals remain, exact second
//! derivatives take over. Residuals r, and the rows X of their velocities:
//!
//! - frame: p − p* along the world's axes [m], X the velocity of its origin; w = log(R*ᵀR) [rad], along the
//!   target's axes, X the angular velocity along the frame's
//! - centre of mass: c − c* [m]
//! - posture: q − q* of a dof; log(R*ᵀR) of a spherical joint; p − p* too of a free one
//! - equalities of the model (loops, joints that follow others): their violations
//!
//! With ẇ = Jᵣ⁻¹(w) X v a block has the force y = Jᵣ⁻ᵀ W² w and the stiffness K = Jᵣ⁻ᵀ W² Jᵣ⁻¹, and with
//! these g = Σ Xᵀ y, A = Σ Xᵀ K X. Damping by the objective: T. Sugihara, Solvability-Unconcerned Inverse
//! Kinematics by the Levenberg–Marquardt Method (IEEE T-RO 2011).

mod block;
mod derivative;
mod descent;
mod evaluate;
mod loops;
mod options;
mod rotation;
mod search;
mod second_order;
mod solver;
mod target;
mod task;
mod work;

pub use options::{IkInfo, IkOptions, IkOutcome};
pub use solver::Ik;
pub use task::{IkKind, IkTask};
pub use work::IkGradient;
