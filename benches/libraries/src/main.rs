//! The engine's own arithmetic, factorizations, narrow phase and COLLADA reader beside kept libraries, in one
//! run.
//!
//! usage: cargo run --release --manifest-path benches/libraries/Cargo.toml [DIRECTORY WITH .dae FILES]

#![deny(warnings)]

mod collada;
mod factorizations;
mod narrow;
mod recursion;
mod timing;
mod truth;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    recursion::report();
    factorizations::report()?;
    narrow::report()?;
    match std::env::args().nth(1) {
        Some(directory) => collada::report(directory.as_ref())?,
        None => println!("no directory with .dae files was given: readers are not compared"),
    }
    Ok(())
}
