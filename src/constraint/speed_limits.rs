//! Bounds of joints' speeds as rows: σ = v⁺ + v̂ ≥ 0 of the lower one, v̂ − v⁺ ≥ 0 of the upper. Nothing in them varies with where the
//! joint is.

use super::assemble::Constraints;
use super::memory::Key;
use super::source::Source;
use crate::contact::problem::Block;
use crate::model::limits::SpeedLimit;
use crate::model::topology::Topology;

/// By how much a speed may grow towards its bound before it is passed.
fn room(l: &SpeedLimit, sign: f64, v: &[f64]) -> f64 {
    l.speed + sign * v[l.dof]
}

impl Constraints {
    /// Bounds that the velocity without impulses leaves less room than `reach` [m/s or rad/s].
    pub(super) fn fill_speed_limits(&mut self, t: &Topology, v_free: &[f64], reach: f64) {
        for i in 0..self.speeds.len() {
            let l = self.speeds[i];
            if self.driven[l.dof] {
                continue;
            }
            for (kind, sign) in [(10, 1.0), (11, -1.0)] {
                // What may not move at all has one row for both ways.
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

    /// Whether `v_next` passes a bound by more than `tolerance` [m/s or rad/s] that no row holds.
    pub(super) fn misses_speed(&self, v_next: &[f64], tolerance: f64) -> bool {
        let mut moving = self
            .speeds
            .iter()
            .filter(|l| l.speed > 0.0 && !self.driven[l.dof]);
        moving.any(|l| {
            let (dof, limit) = (l.dof, l.speed);
            [1.0, -1.0].into_iter().any(|sign| {
                let own = Source::Speed { dof, sign, limit };
                room(l, sign, v_next) < -tolerance && !self.sources.contains(&own)
            })
        })
    }
}
