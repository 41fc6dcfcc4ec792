//! Smooth dynamics of the tree and its derivatives.

pub mod aba;
pub mod aba_derivatives;
pub mod articulated;
pub mod asked;
pub mod centroidal;
pub mod coriolis;
pub mod coupling;
pub mod couplings;
pub mod external;
pub mod factors;
pub mod four;
pub mod general_articulation;
pub mod gravity;
pub mod hybrid;
pub mod jacobian;
pub mod kinematics;
pub mod link_terms;
pub mod locked;
pub mod mass;
pub mod mass_inverse;
pub mod mass_times;
pub mod mobility;
pub mod motion;
pub mod reduced;
pub mod regressor;
pub mod rnea;
pub mod rnea_adjoint;
pub mod rnea_derivatives;
pub mod rnea_direction;
pub mod spin;
pub mod system;
#[cfg(test)]
mod tests;
pub mod tied;
pub mod ties;
pub mod tree_lu;
mod varying;
mod workspace;

pub use workspace::{Derivatives, Dynamics};
