//! Tests the solver against closed forms, against its own alternatives, and on problems that break
//! solvers.

mod gradient;
mod hard;
mod nearest;
mod problems;
mod pyramids;
mod recorded;
mod redundant;
mod solve;
mod trees;
mod wide;
