//! Joints: one file a family, with the motion that its coordinates make and how they are added and subtracted.
//!
//! A family says where its coordinates place the frame that it moves, which columns S its dofs have there, and what ⊕
//! and ⊖ are. A user's joint is one or several of them ([`composition`]). Which of the families a link is of is asked
//! here alone: recursions read placements, columns and velocities, and ⊕'s readers blocks. A family whose S depends on q
//! is a [`VaryingJoint`]: what its change adds is done for a list of such links, which is empty for most models.

pub mod composition;
mod family;
mod free;
mod link_kind;
mod prismatic;
mod revolute;
mod spherical;
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
pub use varying::{MAX_DOFS, VaryingJoint, VaryingLink, VaryingState};
