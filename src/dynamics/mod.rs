//! Smooth dynamics of the tree and its derivatives.

pub mod aba;
pub mod aba_derivatives;
pub mod external;
pub mod hybrid;
pub mod jacobian;
pub mod kinematics;
pub mod mass;
pub mod rnea;
pub mod rnea_adjoint;
pub mod rnea_derivatives;
mod workspace;

pub use workspace::{Derivatives, Dynamics};
