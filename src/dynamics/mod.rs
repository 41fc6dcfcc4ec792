//! Smooth dynamics of the tree and its derivatives.

pub mod aba;
pub mod aba_derivatives;
pub mod articulated;
pub mod coupling;
pub mod couplings;
pub mod external;
pub mod factors;
pub mod hybrid;
pub mod jacobian;
pub mod kinematics;
pub mod mass;
pub mod mobility;
pub mod rnea;
pub mod rnea_adjoint;
pub mod rnea_derivatives;
pub mod rnea_direction;
pub mod system;
pub mod tree_lu;
mod varying;
mod workspace;

pub use workspace::{Derivatives, Dynamics};
