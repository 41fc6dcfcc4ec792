//! The C ABI: one file a section of `include/diffsim.h`, and no logic of its own.
//!
//! Every export takes its arguments through [`args`] (null, alignment, finiteness, overlap) and runs
//! behind [`wall`] (panics, statuses, the last error). The page of rules at the top of the header,
//! kept in `cbindgen.toml`, is the safety contract of every function here.

#![allow(non_camel_case_types, non_snake_case, clippy::missing_safety_doc)]

#[macro_use]
mod args;
mod wall;

pub mod builder;
pub mod configuration;
pub mod dynamics;
pub mod load;
pub mod model;
pub mod params;
pub mod rollout;

pub mod batch;
pub mod sim;
pub mod status;
