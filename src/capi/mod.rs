//! The C ABI: one file a section of `include/diffsim.h`, in its order, and no logic of its own.
//!
//! Every export takes its arguments through `args` (null, alignment, finiteness, overlap) and runs
//! behind `wall` (panics, statuses, the last error). The page of rules at the top of the header,
//! kept in `cbindgen.toml`, is the safety contract of every function here.

#![allow(non_camel_case_types, non_snake_case, clippy::missing_safety_doc)]
// All functions are unsafe for the one reason that the header gives. What is done with a pointer is in
// `args`, each time with its own reason.
#![allow(unsafe_op_in_unsafe_fn)]

#[macro_use]
mod args;
mod message;
mod wall;

// Blank lines keep the order of the header.
pub mod status;

pub mod load;

pub mod model;

pub mod model_parts;

pub mod visuals;

pub mod save;

pub mod pair_filters;

pub mod configuration;

pub mod builder_desc;

pub mod builder;

pub mod actuators;

pub mod describe;

pub mod edit;

pub mod cords;

pub mod equality;

pub mod inertia;

pub mod options;

pub mod report;

pub mod sim;

pub mod derivatives;

pub mod linearize;

pub mod act;

pub mod forward;

pub mod jacobian_pattern;

pub mod smoothing;

pub mod contacts;

pub mod patches;

pub mod distance_smoothing;

pub mod rays;

pub mod params;

pub mod prescribe;

pub mod given_force;

pub mod dynamics;

pub mod motion;

pub mod terms;

pub mod centroidal;

pub mod forces;

pub mod sensors;

pub mod problem;

pub mod ik;

pub mod control;

pub mod rollout;

pub mod batch;

pub mod record;
