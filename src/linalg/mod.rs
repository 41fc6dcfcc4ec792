//! Small dense factorizations that know when rows depend on each other, in memory sized at creation.
//!
//! Right-hand sides come as panels of `W` lanes: one loop serves one vector (`W = 1`) and eight columns at a time.

mod general;
mod kernel;
mod symmetric;

pub use general::General;
pub use kernel::dot;
pub use symmetric::Symmetric;

/// Columns that [`Symmetric::solve`] and [`General::solve`] treat at once for best speed.
pub const LANES: usize = 8;

#[cfg(test)]
mod tests;
