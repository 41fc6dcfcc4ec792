//! The search: one start after the other, first at the given configuration and then at random ones.

use super::descent::keep;
use super::options::{IkInfo, IkOutcome};
use super::solver::{Ik, home};
use crate::error::{Error, Result};
use crate::model::topology::LinkKind;
use crate::spatial::Quat;
use crate::step::info::{check_finite, check_length};
use std::f64::consts::PI;

/// Bounds further apart than this do not restrict random starts: of a sliding joint [m], and of a rotating
/// joint [rad], a little more than two turns.
const WIDE: [f64; 2] = [1e4, 13.0];

/// Random numbers, the same from the same seed. Steele, Lea & Flood, Fast Splittable Pseudorandom Number
/// Generators (OOPSLA 2014).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The range of a random start of a coordinate within these bounds.
fn reach(turns: bool, [lo, hi]: [f64; 2], at: f64) -> (f64, f64) {
    match (turns, hi - lo <= WIDE[usize::from(turns)]) {
        (_, true) => (lo, hi),
        (true, false) => (at - PI, at + PI),
        (false, false) => (at, at),
    }
}

impl Ik {
    /// Solves the tasks from q0 (nq) and writes the configuration to q (nq). q0 is moved into the bounds
    /// first. A task that cannot be met is not an error: [`IkInfo::outcome`] reports it, and q is the best of
    /// all starts.
    ///
    /// # Errors
    /// `InvalidArgument` if a task has no target or a quaternion of q0 is invalid; `Numerical` for numbers
    /// that are not finite, or whose squares are not.
    pub fn solve(&mut self, q0: &[f64], q: &mut [f64]) -> Result<IkInfo> {
        check_finite("q0", q0, self.nq())?;
        check_length("q", q, self.nq())?;
        if let Some((joint, norm)) = self.bad_quaternion(q0) {
            return Err(Error::invalid(format!(
                "q0: the quaternion of joint \"{joint}\" must have unit norm, got {norm}"
            )));
        }
        if let Some(task) = self.targets.iter().position(Option::is_none) {
            return Err(Error::invalid(format!(
                "ik: task {task} has no target yet; set it first"
            )));
        }
        self.solved = None;
        self.prepared = None;
        let mut random = Random(self.options.seed);
        self.work.q.copy_from_slice(q0);
        let (mut iterations, mut restarts) = (0, 0);
        let mut best: Option<(IkOutcome, f64)> = None;
        loop {
            self.keep_bounds();
            let (outcome, objective) = self.descend(&mut iterations)?;
            let better = best.is_none_or(|(o, e)| {
                (outcome == IkOutcome::Solved, -objective) > (o == IkOutcome::Solved, -e)
            });
            if better {
                best = Some((outcome, objective));
                self.work.best.copy_from_slice(&self.work.q);
            }
            if outcome == IkOutcome::Solved || restarts == self.options.max_restarts {
                break;
            }
            restarts += 1;
            self.scatter(q0, &mut random);
        }
        self.work.q.copy_from_slice(&self.work.best);
        let objective = self.visit();
        self.assemble();
        self.hold_bounds();
        q.copy_from_slice(&self.work.best);
        let info = IkInfo {
            outcome: best.map_or(IkOutcome::Iterations, |(o, _)| o),
            iterations,
            restarts,
            residual: self.largest(),
            objective,
            slope: self.slope(),
        };
        self.solved = Some(info);
        Ok(info)
    }

    /// Moves `work.q` into the bounds.
    fn keep_bounds(&mut self) {
        keep(&self.coordinate, &self.lower, &self.upper, &mut self.work.q);
    }

    /// A random start. Joints with bounds less than [`WIDE`] apart start within them, other rotating joints
    /// within half a turn of q0, spherical joints at any orientation; the rest as in q0.
    fn scatter(&mut self, q0: &[f64], random: &mut Random) {
        let q = &mut self.work.q;
        q.copy_from_slice(q0);
        let t = self.model.topology();
        for l in &t.links {
            let Some([iq, iv]) = home(&self.model, l) else {
                continue;
            };
            match l.kind {
                LinkKind::Revolute | LinkKind::Prismatic => {
                    let x = random.unit();
                    let reach = reach(
                        l.kind == LinkKind::Revolute,
                        [self.lower[iv], self.upper[iv]],
                        q0[iq],
                    );
                    q[iq] = reach.0 + x * (reach.1 - reach.0);
                }
                LinkKind::Spherical => {
                    // Shoemake's uniform rotation.
                    let [a, b, c] = [0; 3].map(|_| random.unit());
                    let [b, c] = [b, c].map(|x| std::f64::consts::TAU * x);
                    let (s, r) = ((1.0 - a).sqrt(), a.sqrt());
                    let turn = [s * b.sin(), s * b.cos(), r * c.sin(), r * c.cos()];
                    q[iq..iq + 4].copy_from_slice(&turn);
                    debug_assert!(Quat::from_slice(&turn).norm_squared() > 0.9);
                }
                _ => (),
            }
        }
        let Some(r) = self.model.reduction() else {
            return;
        };
        for [iq, iv] in r.own_coordinates() {
            let kind = |k: usize| t.links[t.dofs[k].link].kind;
            let mut dofs = r.v.back_factors(iv).iter();
            let turns = dofs.all(|(k, _)| kind(*k) == LinkKind::Revolute);
            let reach = reach(turns, [self.lower[iv], self.upper[iv]], q0[iq]);
            q[iq] = reach.0 + random.unit() * (reach.1 - reach.0);
        }
    }

    /// Largest residual of all tasks with a tolerance, equalities included.
    fn largest(&self) -> f64 {
        let bound = |task: Option<usize>| match task {
            Some(t) => self.tasks[t].bound(self.options.tolerance),
            None => Some(self.options.tolerance),
        };
        let own = self.blocks.iter().filter(|b| bound(b.task).is_some());
        own.fold(0.0, |m, b| b.largest().max(m))
    }

    pub(super) fn slope(&self) -> f64 {
        let free = self
            .work
            .gradient
            .iter()
            .zip(&self.work.fixed)
            .filter(|(_, f)| !**f);
        free.fold(0.0, |m, (g, _)| g.abs().max(m))
    }
}
