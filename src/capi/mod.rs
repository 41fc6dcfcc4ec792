//! The C ABI: one file for each section of the headers, without logic of its own. The first sentence of a
//! file is the title of its section; `scripts/header.py` has the order of the sections.
//!
//! Every export checks its arguments through `args` (null, alignment, finiteness, overlap) and runs
//! behind `wall` (panics, statuses, the last error). The rules at the top of the header, kept in
//! `cbindgen.toml`, are the safety contract of every function here.

#![allow(non_camel_case_types, non_snake_case, clippy::missing_safety_doc)]
// All functions are unsafe for the same reason, which the header gives. Operations on pointers are in
// `args`, each with its own reason.
#![allow(unsafe_op_in_unsafe_fn)]

#[macro_use]
mod args;
mod message;
mod wall;
mod words;

// Blank lines keep the order: the section of a new file follows that of the file before it.
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

pub mod deformables;
pub mod tendons;

mod edge;
pub mod equality;

pub mod inertia;

pub mod options;

pub mod reduction;
pub mod report;
pub mod rotations;

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
mod batch_edge;
pub mod batch_episodes;
pub mod batch_rollout;

pub mod record;
