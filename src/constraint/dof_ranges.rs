//! The graphs (velocity, impulse) of the dofs of a step, from limits, velocity limits and friction losses.

use super::assemble::Constraints;
use super::dof_bounds::{Bounded, End, Range};
use super::limits::gap;
use crate::linalg::{DIGITS, largest};

impl Constraints {
    /// The dofs with bounds or dry friction.
    pub(super) fn bounded_dofs(&self, nv: usize) -> impl Iterator<Item = Bounded> + '_ {
        (0..nv).filter_map(|dof| {
            let own = Bounded {
                dof,
                limit: self.limits.iter().position(|l| l.dof == dof),
                speed: self.speeds.iter().position(|l| l.dof == dof),
                has_friction: self.friction.contains(&dof),
            };
            (own.limit.is_some() || own.speed.is_some() || own.has_friction).then_some(own)
        })
    }

    /// Finds the graph ([`Range`]: admissible pairs of velocity and impulse) of each of these dofs in a
    /// step from (q, v). `v_free` is the velocity without impulses. The friction of a dof is h times its
    /// friction loss. Returns false if the bounds of a dof contradict each other.
    pub(super) fn ranges(
        &self,
        own: &[Bounded],
        friction_loss: &[f64],
        [q, v, v_free]: [&[f64]; 3],
        out: &mut Vec<Range>,
    ) -> bool {
        let h = self.time_step();
        let fastest = largest(v).max(largest(v_free));
        let stabilization = [false, true].map(|angular| self.desired.of(angular));
        out.clear();
        for own in own {
            let dof = own.dof;
            let mut range = Range::new(dof);
            range.is_prescribed = self.prescribed[dof];
            if range.is_prescribed {
                out.push(range);
                continue;
            }
            if own.has_friction {
                range.friction = h * (friction_loss[dof] + self.by_load[dof]);
            }
            if let Some(l) = own.limit.map(|i| &self.limits[i]) {
                for (bound, sign) in [(l.lower, 1.0), (l.upper, -1.0)] {
                    let Some((gap, place)) = gap(l, bound, sign, q) else {
                        continue;
                    };
                    let mut s = stabilization[usize::from(l.angular)];
                    s.led = !self.coupled[dof] && s.leads(gap, sign * v[dof]);
                    let end = -sign * s.term(gap, sign * v[dof]);
                    let rest = DIGITS * (place / h + fastest);
                    // A difference of round-off must not become an impulse.
                    let end = if (v_free[dof] - end).abs() <= rest {
                        v_free[dof]
                    } else {
                        end
                    };
                    if s.led {
                        (range.lo, range.hi, range.led) = (end, end, sign);
                        (range.lower, range.upper) = (End::Limit, End::Limit);
                    } else if range.led == 0.0 && sign > 0.0 {
                        (range.lo, range.lower) = (end, End::Limit);
                    } else if range.led == 0.0 {
                        (range.hi, range.upper) = (end, End::Limit);
                    }
                }
            }
            if let Some(l) = own.speed.map(|i| &self.speeds[i]) {
                if range.lo < -l.speed {
                    (range.lo, range.lower) = (-l.speed, End::Speed);
                }
                if range.hi > l.speed {
                    (range.hi, range.upper) = (l.speed, End::Speed);
                }
            }
            if range.lo.is_nan() || range.hi.is_nan() || range.lo > range.hi {
                return false;
            }
            out.push(range);
        }
        true
    }
}
