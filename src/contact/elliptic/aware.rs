//! The modes that a descent leads to, as [`ncp`](crate::contact::ncp) has them for three rows: contacts and limits with λ̄_n < 0 let go,
//! or hold, where what turns beyond round-off is at its bound against the motion. Islands know their open contacts, so that none joins
//! another one.

use super::law::Elliptic;
use super::stand::{CLOSED, Stand};
use super::unit::{Set, Unit, size};
use crate::contact::digits::ROUND_OFF;
use crate::contact::law::Turn;
use crate::contact::problem::Problem;
use crate::error::Result;

/// Where a descent leads a unit with the velocities σ; none where it stays as it is. `felt` is the least λ̄, `still` the slip below
/// which there is none.
fn by_descent(
    turn: Turn,
    unit: &Unit,
    stand: Stand,
    normal_bar: f64,
    sigma: &[f64],
    [felt, still]: [f64; 2],
) -> Option<Stand> {
    let may_open = matches!(
        unit.set,
        Set::Cone { .. } | Set::Pyramid { .. } | Set::HalfLine
    );
    let turns = (stand == Stand::Open) == (turn == Turn::Hold);
    if !may_open || !turns || normal_bar >= -felt {
        return None;
    }
    Some(match turn {
        Turn::Release => Stand::Open,
        Turn::Hold => Stand::closed(unit, sigma, still),
    })
}

impl Elliptic {
    /// As [`Linearized::sort_by_descent`](crate::contact::law::Linearized::sort_by_descent).
    pub(super) fn sort_islands_by_descent(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        turn: Turn,
    ) -> Result<usize> {
        let mut moved = 0;
        self.solver.keep_stands();
        if !self.solver.is_compliant {
            let felt = ROUND_OFF * size(lambda_bar);
            for island in 0..self.groups.len() {
                self.solver.look(problem, &self.groups, island);
                let system = &self.solver.system;
                let least = [felt, CLOSED * system.speed(&system.g)];
                let bars = self.solver.system.take(lambda_bar, &mut self.w);
                moved += self.solver.move_stands(|unit, stand, sigma| {
                    let bar = bars[unit.at + unit.rows - 1];
                    by_descent(turn, unit, stand, bar, sigma, least)
                });
            }
        }
        if self.has_plain() {
            moved += self.plain.sort_by_descent(lambda_bar, turn)?;
        }
        Ok(moved)
    }

    /// As [`Linearized::put_back`](crate::contact::law::Linearized::put_back).
    pub(super) fn put_islands_back(&mut self) -> Result<()> {
        self.solver.put_stands_back();
        match self.has_plain() {
            true => self.plain.put_back(),
            false => Ok(()),
        }
    }
}
