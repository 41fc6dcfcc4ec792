//! Tendons: lengths, paths, springs, rows, actuators.

#[path = "../common/mod.rs"]
mod common;
mod stiff_tendons;
mod tendon_actuators;
mod tendon_edges;
mod tendon_equalities;
mod tendon_forms;
mod tendon_lengths;
mod tendon_rows;
mod tendons;
mod wrapping;
