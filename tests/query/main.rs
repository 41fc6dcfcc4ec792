//! Queries of a state, sensors and rays.

mod asked;
#[path = "../common/mod.rs"]
mod common;
mod rays;
mod sensors;
mod sensors_in_contact;
