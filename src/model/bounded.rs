//! A number held within bounds.

/// What bounds leave of a number.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
    /// Whether it passes. At a bound itself it does, as inside.
    pub free: bool,
    /// How far it is from the nearest bound.
    pub margin: f64,
}

impl Bounded {
    /// A slope of what goes in, of what comes out.
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
        // Nothing passes, on either side.
        Some((lo, hi)) if lo == hi => Bounded {
            value: lo,
            free: false,
            margin: f64::INFINITY,
        },
        Some((lo, hi)) => Bounded {
            value: x.clamp(lo, hi),
            free: x >= lo && x <= hi,
            margin: (x - lo).abs().min((x - hi).abs()),
        },
    }
}
