//! The cases of the fuzzer: any bytes are a case. A case panics if the library breaks a promise: no panic or
//! DS_ERR_INTERNAL, no output of a failing call, no number in a result that is not finite, no call longer
//! than [`SECONDS`].

mod asked;
mod builder;
mod calls;
mod loaders;
mod questions;
mod session;
mod source;

use std::time::Instant;

/// Most that a case may take, optimized.
pub const SECONDS: f64 = 5.0;

/// A target's name, which is that of its folder of `fuzz/corpus`, and what runs a case.
pub type Target = (&'static str, fn(&[u8]));

pub const ALL: [Target; 11] = [
    ("urdf", loaders::urdf),
    ("mjcf", loaders::mjcf),
    ("stl", loaders::stl),
    ("obj", loaders::obj),
    ("dae", loaders::dae),
    ("glb", loaders::glb),
    ("msh", loaders::msh),
    ("hfield", loaders::hfield),
    ("builder", builder::run),
    ("calls", calls::run),
    ("asked", asked::run),
];

/// Runs a case and says how long it took [s].
pub fn timed(target: fn(&[u8]), data: &[u8]) -> f64 {
    let start = Instant::now();
    target(data);
    start.elapsed().as_secs_f64()
}
