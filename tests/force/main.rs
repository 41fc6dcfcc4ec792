//! Forces: actuators, servos, fluids, penalty contact, deformable bodies, forces of a caller.

mod activation_states;
mod activations;
#[path = "../common/mod.rs"]
mod common;
mod curves;
mod deformables;
mod fluid;
mod forces;
mod gravity_compensation;
mod penalty;
mod penalty_defaults;
mod penalty_gradients;
mod penalty_shapes;
mod servos;
mod sites;
