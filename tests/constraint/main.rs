//! Constraints on dofs and between bodies: limits, dry friction, equalities, prescribed motion.

mod ball_friction;
#[path = "../common/mod.rs"]
mod common;
mod dof_bounds;
mod equality;
mod load_friction;
mod mocap;
mod prescribe;
mod prescribe_derivatives;
mod turns;
mod velocity_limits;
