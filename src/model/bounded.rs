//! A number clamped to bounds.

use crate::linalg::smaller;

/// The result of clamping a number.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
    /// True if the number is within the bounds or at a bound: its derivative is then 1, otherwise 0.
    pub free: bool,
    /// Distance to the nearest bound.
    pub margin: f64,
}

impl Bounded {
    /// The derivative of the clamped number, from that of the number.
    #[inline(always)]
    pub fn times(&self, slope: f64) -> f64 {
        if self.free { slope } else { 0.0 }
    }
}

#[inline(always)]
pub fn bounded(x: f64, range: Option<(f64, f64)>) -> Bounded {
    match range {
        None => Bounded {
            value: x,
            free: true,
            margin: f64::INFINITY,
        },
        // Equal bounds: the derivative is 0 on both sides.
        Some((lo, hi)) if lo == hi => Bounded {
            value: lo,
            free: false,
            margin: f64::INFINITY,
        },
        Some((lo, hi)) => Bounded {
            value: x.clamp(lo, hi),
            free: x >= lo && x <= hi,
            margin: smaller((x - lo).abs(), (x - hi).abs()),
        },
    }
}
