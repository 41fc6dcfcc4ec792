//! Trajectories: rollouts, episodes of a batch, regulators.

#[path = "../common/mod.rs"]
mod common;
mod control;
mod episodes;
mod rollout;
mod trajectories;
