//! The step: schemes, identities, guarantees.

#[path = "../common/mod.rs"]
mod common;
mod digits;
mod first_guess;
mod forward;
mod guarantees;
mod implicit;
mod limbs;
mod many_trees;
mod one_linear_map;
mod own_parts;
mod spin;
mod step;
mod theta;
mod theta_motion;
mod world_axes;
