//! Trajectories of four simulations of one model whose recursions run side by side.

use super::{Rollout, Trajectory, of_step};
use crate::dynamics::four::{Four, SIDE_BY_SIDE};
use crate::error::{Error, Result};
use crate::step::{Stepped, step_side_by_side};

/// Arguments and results of [`Rollout::run`].
pub(crate) struct Run<'a> {
    pub q0: &'a [f64],
    pub v0: &'a [f64],
    pub u: &'a [f64],
    pub out: Trajectory<'a>,
}

/// Runs each rollout as [`Rollout::run`] does, with the same bits and errors. Conditions:
/// [`step_side_by_side`].
pub(crate) fn run_side_by_side(
    four: &mut Four,
    rollouts: &mut [Rollout; SIDE_BY_SIDE],
    runs: [Run<'_>; SIDE_BY_SIDE],
    steps: usize,
) -> [Result<()>; SIDE_BY_SIDE] {
    let mut outcomes = [(); SIDE_BY_SIDE].map(|()| Ok::<(), Error>(()));
    for ((r, run), outcome) in rollouts.iter_mut().zip(&runs).zip(&mut outcomes) {
        *outcome = (r.check_run(run.q0, run.v0, run.u, steps, &run.out))
            .and_then(|()| r.begin(run.q0, run.v0, &[], run.u));
    }
    for k in 0..steps {
        let mut lane = 0;
        let all = rollouts.each_mut().map(|r| {
            let is_running = outcomes[lane].is_ok();
            lane += 1;
            is_running.then(|| r.set_out(k))
        });
        for (lane, stepped) in step_side_by_side(four, all).into_iter().enumerate() {
            match stepped {
                Err(e) => outcomes[lane] = Err(of_step(k, e)),
                Ok(()) => rollouts[lane].take_next(),
            }
        }
    }
    for ((r, run), outcome) in rollouts.iter_mut().zip(runs).zip(&mut outcomes) {
        if outcome.is_ok() {
            *outcome = r.finish(steps, run.out);
        }
    }
    outcomes
}

impl Rollout {
    /// Step k, to be taken.
    fn set_out(&mut self, k: usize) -> Stepped<'_> {
        self.keep(k);
        let nu = self.sim.model().nu();
        let start = [&self.q[..], &self.v, &self.u[k * nu..(k + 1) * nu]];
        let end = [&mut self.q_next[..], &mut self.v_next];
        Stepped::new(&mut self.sim, start, end)
    }
}
