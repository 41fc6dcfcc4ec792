//! Trajectories of four simulations of one model whose recursions run side by side.

use super::episode::{Ended, EpisodeRun};
use super::{Rollout, Trajectory, of_step};
use crate::dynamics::four::SIDE_BY_SIDE;
use crate::error::{Error, Result};
use crate::step::{SideBySide, Stepped, step_side_by_side};

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
    beside: &mut SideBySide,
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
        for (lane, stepped) in step_side_by_side(beside, all).into_iter().enumerate() {
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

/// Runs each episode as [`Rollout::run_episode`] does, with the same bits and errors. Conditions:
/// [`step_side_by_side`].
pub(crate) fn run_episodes_side_by_side(
    beside: &mut SideBySide,
    rollouts: &mut [Rollout; SIDE_BY_SIDE],
    runs: [EpisodeRun<'_, '_>; SIDE_BY_SIDE],
) -> [Result<Ended>; SIDE_BY_SIDE] {
    let mut lane = 0;
    // A run that cannot begin has no place.
    let mut runs = runs.map(|mut run| {
        let begun = rollouts[lane].begin_episode(&mut run);
        lane += 1;
        begun.map(|()| run)
    });
    let mut steps = [None; SIDE_BY_SIDE];
    loop {
        for ((step, r), run) in steps.iter_mut().zip(&mut *rollouts).zip(&mut runs) {
            *step = run.as_mut().ok().and_then(|run| r.next_of_episode(run));
        }
        if steps == [None; SIDE_BY_SIDE] {
            break;
        }
        let mut lane = 0;
        let all = rollouts.each_mut().map(|r| {
            let step = steps[lane];
            lane += 1;
            step.map(|k| r.next_step(k))
        });
        let outcomes = step_side_by_side(beside, all);
        for (lane, stepped) in outcomes.into_iter().enumerate() {
            if let (Some(k), Ok(run)) = (steps[lane], &mut runs[lane]) {
                let r = &mut rollouts[lane];
                let stepped = stepped.map_err(|e| of_step(k, e));
                if stepped.is_ok() {
                    r.take_next();
                }
                r.end_step(run, stepped);
            }
        }
    }
    let mut lane = 0;
    runs.map(|run| {
        lane += 1;
        run.map(|run| rollouts[lane - 1].end_episode(run))
    })
}

impl Rollout {
    /// Step k, to be taken after a record of its state.
    fn set_out(&mut self, k: usize) -> Stepped<'_> {
        self.keep(k);
        self.next_step(k)
    }

    fn next_step(&mut self, k: usize) -> Stepped<'_> {
        let nu = self.sim.model().nu();
        let start = [&self.q[..], &self.v, &self.u[k * nu..(k + 1) * nu]];
        let end = [&mut self.q_next[..], &mut self.v_next];
        Stepped::new(&mut self.sim, start, end)
    }
}
