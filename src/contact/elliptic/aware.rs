//! The modes that a descent leads to, as in [`ncp`](crate::contact::ncp) for three rows: contacts and
//! limits with λ̄_n < 0 are released, or closed. A closed contact slides along the tangents in which it
//! moves beyond round-off, with its friction at the bound against the motion. Islands contain their open
//! contacts, so a contact that closes joins no islands.

use super::active_face::{ActiveFace, CLOSED};
use super::law::Elliptic;
use super::unit::{Set, Unit, size};
use crate::contact::digits::ROUND_OFF;
use crate::contact::law::Turn;
use crate::contact::problem::Problem;
use crate::error::Result;

/// The face that a descent leads a unit with velocities σ to; `None` if it stays on its face. λ̄ above
/// −`felt` counts as zero. A slip of at most `still` counts as zero.
fn by_descent(
    turn: Turn,
    unit: &Unit,
    active_face: ActiveFace,
    normal_bar: f64,
    sigma: &[f64],
    [felt, still]: [f64; 2],
) -> Option<ActiveFace> {
    let may_open = matches!(
        unit.set,
        Set::Cone { .. } | Set::Pyramid { .. } | Set::HalfLine
    );
    let turns = (active_face == ActiveFace::Open) == (turn == Turn::Hold);
    if !may_open || !turns || normal_bar >= -felt {
        return None;
    }
    Some(match turn {
        Turn::Release => ActiveFace::Open,
        Turn::Hold => ActiveFace::closed(unit, sigma, still),
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
        self.solver.keep_active_faces();
        if !self.solver.is_compliant {
            let felt = ROUND_OFF * size(lambda_bar);
            for island in 0..self.groups.len() {
                self.solver.look(problem, &self.groups, island);
                let system = &self.solver.system;
                let least = [felt, CLOSED * system.speed(&system.g)];
                let bars = self.solver.system.take(lambda_bar, &mut self.w);
                moved += self.solver.move_active_faces(|unit, active_face, sigma| {
                    let bar = bars[unit.at + unit.rows - 1];
                    by_descent(turn, unit, active_face, bar, sigma, least)
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
        self.solver.put_active_faces_back();
        match self.has_plain() {
            true => self.plain.put_back(),
            false => Ok(()),
        }
    }
}
