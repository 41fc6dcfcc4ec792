//! The bounds of one dof as a graph of velocity and impulse, instead of rows.
//!
//! Limits, speed limits and dry friction of a dof are one monotone graph of the velocity v at the end of
//! a step and the generalized impulse ρ. The graph is a chain of segments in the order of v:
//!
//! | segment | velocity | impulse |
//! |---|---|---|
//! | lower | v = lo | ρ ≥ f where lo < 0, else ρ ≥ −f |
//! | minus | lo < v < min(hi, 0) | ρ = f |
//! | held | v = 0, where lo < 0 < hi | −f ≤ ρ ≤ f |
//! | plus | max(lo, 0) < v < hi | ρ = −f |
//! | upper | v = hi | ρ ≤ −f where hi > 0, else ρ ≤ f |
//!
//! with f = h times the friction loss. A limit and friction at the same velocity are therefore one
//! segment, and never contradict each other. Without friction the chain is lower, plus, upper.
//! `dof_pivots` solves a step on these graphs.

use crate::contact::mode::Mode;
use crate::linalg::smaller;

/// A segment of the graph of a dof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Lower,
    Minus,
    Held,
    Plus,
    Upper,
}

/// The kind of bound at an end of a dof's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    None,
    Limit,
    Speed,
}

/// The graph of a dof in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub dof: usize,
    pub lo: f64,
    pub hi: f64,
    /// Bound of dry friction [N s or N m s].
    pub friction: f64,
    pub lower: End,
    pub upper: End,
    /// For a passed limit that is led back ([`Stabilization::led`](super::Stabilization::led)), the sign
    /// of its row; else 0.
    pub led: f64,
    /// True if the dof has a prescribed velocity, and so no bound.
    pub is_prescribed: bool,
}

impl Range {
    pub fn new(dof: usize) -> Range {
        Range {
            dof,
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            friction: 0.0,
            lower: End::None,
            upper: End::None,
            led: 0.0,
            is_prescribed: false,
        }
    }

    /// True if the range is a single velocity.
    pub fn is_fixed(&self) -> bool {
        self.lo == self.hi
    }

    /// True if a segment is in the chain of the dof.
    fn has(&self, segment: Segment) -> bool {
        let (lo, hi) = (self.lo, self.hi);
        match segment {
            Segment::Lower => lo > f64::NEG_INFINITY,
            _ if lo == hi => false,
            Segment::Minus => self.friction > 0.0 && lo < 0.0,
            Segment::Held => self.friction > 0.0 && lo < 0.0 && hi > 0.0,
            Segment::Plus => self.friction == 0.0 || hi > 0.0,
            Segment::Upper => hi < f64::INFINITY,
        }
    }

    /// The segment of this chain that is nearest to a segment of another step.
    pub fn nearest(&self, segment: Segment) -> Segment {
        if self.has(segment) {
            return segment;
        }
        if self.is_fixed() {
            return Segment::Lower;
        }
        match segment {
            Segment::Upper if self.has(Segment::Plus) => Segment::Plus,
            Segment::Lower if self.has(Segment::Minus) => Segment::Minus,
            _ if self.friction == 0.0 => Segment::Plus,
            _ if self.has(Segment::Held) => Segment::Held,
            // Zero is not inside the range: take the end next to it.
            _ if self.lo >= 0.0 => Segment::Lower,
            _ => Segment::Upper,
        }
    }

    /// The segment if there is no step before: friction holds, and no limit does.
    pub fn natural(&self) -> Segment {
        self.nearest(Segment::Held)
    }

    /// The segment at a velocity within the range.
    pub fn segment_at(&self, v: f64) -> Segment {
        if v <= self.lo {
            Segment::Lower
        } else if v >= self.hi {
            Segment::Upper
        } else if self.friction > 0.0 && v < 0.0 {
            Segment::Minus
        } else if self.friction > 0.0 && v == 0.0 {
            Segment::Held
        } else {
            Segment::Plus
        }
    }

    /// The segment at a velocity of a dof that is free on `segment`; a locked dof keeps its segment.
    pub fn slip_at(&self, v: f64, segment: Segment) -> Segment {
        match segment {
            Segment::Minus if v > 0.0 => Segment::Plus,
            Segment::Plus if v < 0.0 && self.friction > 0.0 => Segment::Minus,
            other => other,
        }
    }

    /// The velocity of a segment on which the dof is locked.
    pub fn velocity(&self, segment: Segment) -> Option<f64> {
        match segment {
            Segment::Lower => Some(self.lo),
            Segment::Held => Some(0.0),
            Segment::Upper => Some(self.hi),
            Segment::Minus | Segment::Plus => None,
        }
    }

    /// The impulse of a segment on which the dof is free.
    pub fn slip_impulse(&self, segment: Segment) -> f64 {
        match segment {
            Segment::Minus => self.friction,
            Segment::Plus => -self.friction,
            _ => 0.0,
        }
    }

    /// True if the dof is free on a segment, and its velocity is more than `closed` inside the range.
    pub fn is_open(&self, segment: Segment, v: f64, closed: f64) -> bool {
        let is_free = self.velocity(segment).is_none();
        is_free && v - self.lo > closed && self.hi - v > closed
    }

    /// Velocities of a segment on which the dof is free.
    pub fn slip_range(&self, segment: Segment) -> [f64; 2] {
        match segment {
            Segment::Minus => [self.lo, self.hi.min(0.0)],
            _ if self.friction == 0.0 => [self.lo, self.hi],
            _ => [self.lo.max(0.0), self.hi],
        }
    }

    /// Impulses of a segment on which the dof is locked.
    pub fn impulse_range(&self, segment: Segment) -> [f64; 2] {
        let f = self.friction;
        match segment {
            _ if self.is_fixed() => [f64::NEG_INFINITY, f64::INFINITY],
            Segment::Lower => [if self.lo < 0.0 { f } else { -f }, f64::INFINITY],
            Segment::Upper => [f64::NEG_INFINITY, if self.hi > 0.0 { -f } else { f }],
            _ => [-f, f],
        }
    }

    /// Distance of (v, ρ) beyond the end of a segment, in the direction in which the chain goes on; 0
    /// inside. It is a velocity if the dof is free, else an impulse with its sign reversed.
    pub fn beyond(&self, segment: Segment, v: f64, rho: f64) -> f64 {
        let outside = |x: f64, [low, high]: [f64; 2]| (x - high).max(0.0) - (low - x).max(0.0);
        match self.velocity(segment) {
            None => outside(v, self.slip_range(segment)),
            Some(_) => -outside(rho, self.impulse_range(segment)),
        }
    }

    /// The segment of the nearest point of the graph, for a dof with this inertia alone.
    pub fn project(&self, inertia: f64, v: f64, rho: f64) -> Segment {
        let (c, f) = (inertia * v - rho, self.friction);
        let slip = match f > 0.0 {
            true if c < -f => (c + f) / inertia,
            true if c > f => (c - f) / inertia,
            true => 0.0,
            false => c / inertia,
        };
        if slip <= self.lo {
            Segment::Lower
        } else if slip >= self.hi {
            Segment::Upper
        } else if f > 0.0 && slip < 0.0 {
            Segment::Minus
        } else if f > 0.0 && slip == 0.0 {
            Segment::Held
        } else {
            Segment::Plus
        }
    }

    /// The segment for a point (v, ρ) beyond this one: the nearest for the dof alone, whose velocity a unit
    /// impulse changes by `mobility`, or else the neighbour in the direction of the point.
    pub fn next(&self, segment: Segment, mobility: f64, [v, rho]: [f64; 2]) -> Segment {
        let nearest = self.project(1.0 / mobility, v, rho);
        match nearest == segment {
            true => self.neighbour(segment, self.beyond(segment, v, rho) > 0.0),
            false => nearest,
        }
    }

    /// The next segment of the chain upwards or downwards.
    pub fn neighbour(&self, segment: Segment, up: bool) -> Segment {
        use Segment::*;
        const CHAIN: [Segment; 5] = [Lower, Minus, Held, Plus, Upper];
        let at = segment as usize;
        let mut others: &mut dyn Iterator<Item = &Segment> = &mut CHAIN[at + 1..].iter();
        let mut below = CHAIN[..at].iter().rev();
        if !up {
            others = &mut below;
        }
        others.copied().find(|s| self.has(*s)).unwrap_or(segment)
    }
}

/// The graph of a dof as rows: impulse and mode of the lower bound, of the upper bound and of dry
/// friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    pub lower: (f64, Mode),
    pub upper: (f64, Mode),
    pub friction: (f64, Mode),
}

impl Range {
    /// Distributes the impulse of a segment over the rows. A velocity within `closed` of a bound or of
    /// zero counts as equal to it.
    pub fn shares(&self, segment: Segment, v: f64, rho: f64, closed: f64) -> Shares {
        let f = self.friction;
        let slips = |v: f64| match v < 0.0 {
            true => (f, Mode::AtUpper),
            false => (-f, Mode::AtLower),
        };
        let open = (0.0, Mode::Breaking);
        let mut shares = Shares {
            lower: open,
            upper: open,
            friction: (0.0, Mode::Sticking),
        };
        match segment {
            Segment::Held => shares.friction = (rho, Mode::Sticking),
            Segment::Minus | Segment::Plus => {
                let (impulse, mode) = slips(if segment == Segment::Minus { -1.0 } else { 1.0 });
                let holds = v.abs() <= closed;
                shares.friction = (impulse, if holds { Mode::Sticking } else { mode });
                if v - self.lo <= closed {
                    shares.lower = (0.0, Mode::Sticking);
                }
                if self.hi - v <= closed {
                    shares.upper = (0.0, Mode::Sticking);
                }
            }
            Segment::Lower | Segment::Upper => {
                let bound = if segment == Segment::Lower {
                    self.lo
                } else {
                    self.hi
                };
                // Friction and the bound are at one velocity: friction takes as much as it can.
                shares.friction = match bound == 0.0 && f > 0.0 {
                    false => slips(bound),
                    true if rho > f => (f, Mode::AtUpper),
                    true if rho < -f => (-f, Mode::AtLower),
                    true => (rho, Mode::Sticking),
                };
                let rest = rho - shares.friction.0;
                let sign = match segment {
                    _ if self.led != 0.0 => self.led,
                    _ if self.is_fixed() && rest < 0.0 => -1.0,
                    Segment::Lower => 1.0,
                    _ => -1.0,
                };
                let rest = sign * rest;
                let holds = bound != 0.0 || rest != 0.0 || f == 0.0 || self.is_fixed();
                let share = (
                    rest,
                    if holds {
                        Mode::Sticking
                    } else {
                        Mode::Breaking
                    },
                );
                match sign > 0.0 {
                    true => shares.lower = share,
                    false => shares.upper = share,
                }
            }
        }
        shares
    }

    /// Distance of the dof's point on its graph to the nearest kink, in these units of velocities and
    /// impulses.
    pub fn margin(&self, segment: Segment, v: f64, rho: f64, [velocity, impulse]: [f64; 2]) -> f64 {
        let f = self.friction;
        if self.is_fixed() {
            return f64::INFINITY;
        }
        let ends = smaller(v - self.lo, self.hi - v) / velocity;
        // For a bound of v by `bound`; both have the sign that makes it a lower bound.
        let held = |bound: f64, rho: f64| match bound < 0.0 {
            _ if f == 0.0 => rho / impulse,
            true => (rho - f) / impulse,
            // If the bound moves to the other side of zero, friction alone acts on the dof, unless it is
            // too weak.
            false => ((rho + f) / impulse).min((bound / velocity).max((rho - f) / impulse)),
        };
        let margin = match segment {
            Segment::Lower => held(self.lo, rho).min((self.hi - v) / velocity),
            Segment::Upper => held(-self.hi, -rho).min((v - self.lo) / velocity),
            Segment::Held => ends.min(1.0 - rho.abs() / f),
            Segment::Minus | Segment::Plus if f > 0.0 => ends.min(v.abs() / velocity),
            Segment::Minus | Segment::Plus => ends,
        };
        margin.max(0.0)
    }
}

/// The bounds of one dof in a model: its index in the list of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    pub dof: usize,
    pub limit: Option<usize>,
    pub speed: Option<usize>,
    pub has_friction: bool,
}
