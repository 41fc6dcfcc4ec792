//! Fills bounds of joint speeds as rows: σ = v⁺ + v̂ ≥ 0 for the lower bound, v̂ − v⁺ ≥ 0 for the upper
//! bound. They do not depend on the configuration.

use super::assemble::Constraints;
use super::memory::Key;
use super::source::Source;
use crate::contact::problem::Block;
use crate::model::limits::SpeedLimit;
use crate::model::topology::Topology;

/// Distance of a speed to its bound.
fn room(l: &SpeedLimit, sign: f64, v: &[f64]) -> f64 {
    l.speed + sign * v[l.dof]
}

impl Constraints {
    /// Fills the bounds whose distance to the velocity without impulses is at most `reach` [m/s or
    /// rad/s].
    pub(super) fn fill_speed_limits(&mut self, t: &Topology, v_free: &[f64], reach: f64) {
        for i in 0..self.speeds.len() {
            let l = self.speeds[i];
            if self.prescribed[l.dof] || self.alone[l.dof] {
                continue;
            }
            for (kind, sign) in [(10, 1.0), (11, -1.0)] {
                // A dof with the bound zero has one row for both directions.
                let block = match l.speed == 0.0 {
                    true if sign < 0.0 => continue,
                    true => Block::Bilateral,
                    false if room(&l, sign, v_free) > reach => continue,
                    false => Block::Unilateral,
                };
                let source = Source::Speed {
                    dof: l.dof,
                    sign,
                    limit: l.speed,
                };
                let key = Key {
                    kind,
                    a: l.dof as u32,
                    feature: 0,
                };
                self.push_dof(t, l.dof, sign, (block, source), (0.0, false), key);
            }
        }
    }

    /// True if `v_next` passes, by more than `tolerance` [m/s or rad/s], a bound that no row holds.
    pub(super) fn misses_speed(&self, v_next: &[f64], tolerance: f64) -> bool {
        let mut moving = self
            .speeds
            .iter()
            .filter(|l| l.speed > 0.0 && !self.prescribed[l.dof]);
        moving.any(|l| {
            let (dof, limit) = (l.dof, l.speed);
            [1.0, -1.0].into_iter().any(|sign| {
                let own = Source::Speed { dof, sign, limit };
                room(l, sign, v_next) < -tolerance && !self.sources.contains(&own)
            })
        })
    }
}
