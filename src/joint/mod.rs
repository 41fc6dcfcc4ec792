//! Joints: one file for each family, with the motion of its coordinates, and their addition and subtraction.
//!
//! A family defines the placement of its moved frame by the coordinates, the columns S of its dofs, and ⊕ and
//! ⊖. A user's joint is one or several of them ([`composition`]). Only this room distinguishes the families
//! of links: recursions read placements, columns and velocities, and users of ⊕ read blocks. A family whose S
//! depends on q is a [`VaryingJoint`]: the additional terms of its change are computed for a list of such
//! links, which is empty for most models.

pub mod composition;
mod family;
mod free;
mod link_kind;
mod prismatic;
mod revolute;
mod screws;
mod spherical;
pub mod spline;
mod tangent;
mod turn;
mod varying;

pub use free::free_pose;
pub use link_kind::LinkKind;
pub use tangent::{
    IntegrateBlocks, LaneMatrix, LinkMatrix, adjoint, block_mul, block_mul_columns, block_tr_mul,
    block_tr_mul_columns,
};
pub use turn::Turn;
pub use varying::{MAX_DOFS, Reshaped, VaryingJoint, VaryingLink, VaryingState};
