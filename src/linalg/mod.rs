//! Small fixed-size kernels that tree and contact structure make special.

mod dispatch;
mod lanes;

pub(crate) use dispatch::dispatch;
pub use lanes::F4;
