//! Runs that may end before their last step, and outputs of their states.

use super::{Rollout, Trajectory};
use crate::error::{Error, Result};
use crate::model::reduction::Reduction;
use crate::step::{Gradient, Sim};
use std::ops::Range;

/// A state, and the input with which its outputs are evaluated.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub u: &'a [f64],
}

/// Outputs of the states of a run, and their derivative.
///
/// The outputs of state k are evaluated with the input of step k, those of the last state with the input of
/// the last step. The simulation has its memory before step k. An observer may change this memory: the run
/// restores it.
pub trait Observer {
    /// Reads the outputs of a state into `columns`: one column, or all from the end on.
    ///
    /// # Errors
    /// Those of the outputs. They end the run.
    fn read(&mut self, columns: Range<usize>, sim: &mut Sim, at: At<'_>) -> Result<()>;

    /// Writes the gradients by q (tangent), v, u and the activations of the function whose gradient by these
    /// columns of the outputs is known. Returns the label of the derivative.
    ///
    /// # Errors
    /// Those of the outputs' derivatives.
    fn pull(
        &mut self,
        columns: Range<usize>,
        sim: &mut Sim,
        at: At<'_>,
        bars: [&mut [f64]; 4],
    ) -> Result<Gradient>;
}

/// Start and inputs of a run, and the conditions of its end.
#[derive(Clone, Copy, Default)]
pub struct Episode<'a> {
    pub q0: &'a [f64],
    pub v0: &'a [f64],
    /// Activations: na numbers, or none for zero.
    pub act0: &'a [f64],
    /// nu×steps.
    pub u: &'a [f64],
    /// Number of columns of `u`; a trajectory has one more.
    pub steps: usize,
    /// Largest number of steps to take, at most `steps`.
    pub length: usize,
    /// Bounds of (q, v), in reduced coordinates if the model has any: one number for each, or none. The run
    /// ends after the first step that leads out of them.
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

impl Episode<'_> {
    fn is_outside(&self, reduction: Option<&Reduction>, [q, v]: [&[f64]; 2]) -> bool {
        let bounds = |k: usize, x: f64| {
            let is_below = self.lower.get(k).is_some_and(|bound| x < *bound);
            is_below || self.upper.get(k).is_some_and(|bound| x > *bound)
        };
        match reduction {
            None => {
                let mut state = q.iter().chain(v).enumerate();
                state.any(|(k, x)| bounds(k, *x))
            }
            Some(r) => {
                let [nq, nv] = r.sizes();
                (0..nq).any(|i| bounds(i, r.q.coordinate(i, q)))
                    || (0..nv).any(|i| bounds(nq + i, r.v.coordinate(i, v)))
            }
        }
    }
}

/// Checks bounds of a state: `want` numbers each, or none.
///
/// # Errors
/// `InvalidArgument` naming the bound.
pub(crate) fn check_bounds([lower, upper]: [&[f64]; 2], want: usize) -> Result<()> {
    for (name, bound) in [("lower", lower), ("upper", upper)] {
        let nan = bound.iter().any(|x| x.is_nan());
        if !bound.is_empty() && (bound.len() != want || nan) {
            return Err(Error::invalid(format!(
                "{name} must have {want} entries that are numbers or infinite, got {}{}",
                bound.len(),
                if nan { " with NaN" } else { "" }
            )));
        }
    }
    Ok(())
}

/// The end of a run.
#[derive(Debug)]
pub struct Ended {
    /// Number of steps taken.
    pub taken: usize,
    /// Error of the next step, if it failed.
    pub failure: Option<Error>,
}

/// A run between its begin and its end.
pub(crate) struct EpisodeRun<'a, 'o> {
    episode: Episode<'a>,
    out: Trajectory<'a>,
    observer: Option<&'o mut dyn Observer>,
    ended: Ended,
    is_over: bool,
}

impl<'a, 'o> EpisodeRun<'a, 'o> {
    pub fn new(
        episode: Episode<'a>,
        out: Trajectory<'a>,
        observer: Option<&'o mut dyn Observer>,
    ) -> Self {
        EpisodeRun {
            episode,
            out,
            observer,
            ended: Ended {
                taken: 0,
                failure: None,
            },
            is_over: false,
        }
    }
}

impl Rollout {
    /// Runs a trajectory that may end early: after `length` steps, out of bounds, or before a step that
    /// fails. Columns of `out` after the end repeat the last state. The adjoint is that of the steps taken:
    /// gradients by columns after the end count for the last state, and gradients by inputs after the end
    /// are zero.
    ///
    /// # Errors
    /// `InvalidArgument` for wrong lengths, and for a start that is not a state. Nothing is written then.
    pub fn run_episode(
        &mut self,
        episode: &Episode<'_>,
        out: Trajectory<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Ended> {
        let mut run = EpisodeRun::new(*episode, out, observer);
        self.begin_episode(&mut run)?;
        while let Some(k) = self.next_of_episode(&mut run) {
            let stepped = self.advance(k);
            self.end_step(&mut run, stepped);
        }
        Ok(self.end_episode(run))
    }

    /// # Errors
    /// As [`Rollout::run_episode`].
    pub(super) fn begin_episode(&mut self, run: &mut EpisodeRun<'_, '_>) -> Result<()> {
        let (e, steps) = (&run.episode, run.episode.steps);
        self.check_run(e.q0, e.v0, e.u, steps, &run.out)?;
        let m = self.sim.model();
        check_bounds([e.lower, e.upper], m.free_nq() + m.free_nv())?;
        if e.length > steps {
            return Err(Error::invalid(format!(
                "length must be at most {steps}, got {}",
                e.length
            )));
        }
        self.steps = None;
        self.sim.check_state(e.q0, Some(e.v0))?;
        self.begin(e.q0, e.v0, e.act0, e.u)?;
        self.columns = steps;
        if self.labels.len() < steps {
            self.labels.resize(steps, Gradient::Exact);
        }
        self.labels[..steps].fill(Gradient::Exact);
        self.checkpoints.record(0, &self.sim, &self.q, &self.v);
        self.write_state(0..1, &mut run.out);
        Ok(())
    }

    /// The next step of a run, whose state is recorded and read; `None` after the end.
    pub(super) fn next_of_episode(&mut self, run: &mut EpisodeRun<'_, '_>) -> Option<usize> {
        let k = run.ended.taken;
        if run.is_over || k == run.episode.length {
            return None;
        }
        let interval = self.interval();
        if k > 0 && k.is_multiple_of(interval) {
            self.checkpoints
                .record(k / interval, &self.sim, &self.q, &self.v);
        }
        match self.observe(k, k..k + 1, &mut run.observer) {
            Ok(()) => Some(k),
            Err(error) => {
                self.end_step(run, Err(error));
                None
            }
        }
    }

    /// Takes the outcome of a step whose end is the present state.
    pub(super) fn end_step(&mut self, run: &mut EpisodeRun<'_, '_>, stepped: Result<()>) {
        let k = run.ended.taken;
        match stepped.and_then(|()| self.sim.step_info()) {
            Ok(info) => {
                run.ended.taken = k + 1;
                self.labels[k] = info.gradient;
                self.write_state(k + 1..k + 2, &mut run.out);
                let reduction = self.sim.params().reduction.as_deref();
                run.is_over = run.episode.is_outside(reduction, [&self.q, &self.v]);
            }
            Err(error) => {
                self.labels[k] = Gradient::Refused;
                run.ended.failure = Some(error);
                run.is_over = true;
            }
        }
    }

    pub(super) fn end_episode(&mut self, mut run: EpisodeRun<'_, '_>) -> Ended {
        let (taken, steps) = (run.ended.taken, run.episode.steps);
        self.write_state(taken + 1..steps + 1, &mut run.out);
        if run.ended.failure.is_none() {
            let last = taken.saturating_sub(1);
            let end = self.observe(last, taken..steps + 1, &mut run.observer);
            run.ended.failure = end.err();
        }
        self.steps = Some(taken);
        run.ended
    }

    /// Labels of the steps of the last [`Rollout::run_episode`], as far as they are known before a
    /// derivative is requested. A step that failed has `Refused`, steps after the end have `Exact`.
    pub fn known_labels(&self) -> &[Gradient] {
        match self.steps {
            Some(_) => &self.labels[..self.columns.min(self.labels.len())],
            None => &[],
        }
    }

    fn write_state(&self, columns: Range<usize>, out: &mut Trajectory<'_>) {
        for (to, from) in [
            (&mut out.q, &self.q[..]),
            (&mut out.v, &self.v),
            (&mut out.act, self.sim.act()),
        ] {
            let Some(to) = to else { continue };
            for k in columns.clone() {
                to[k * from.len()..][..from.len()].copy_from_slice(from);
            }
        }
    }

    /// Reads the outputs of the present state with input k. The simulation's memory stays.
    fn observe(
        &mut self,
        k: usize,
        columns: Range<usize>,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Result<()> {
        let Some(observer) = observer else {
            return Ok(());
        };
        let nu = self.sim.model().nu();
        self.segment.record(0, &self.sim, &self.q, &self.v);
        let at = At {
            q: &self.q,
            v: &self.v,
            u: &self.u[k * nu..(k + 1) * nu],
        };
        let outcome = observer.read(columns, &mut self.sim, at);
        self.sim.take_memory(self.segment.memory(0))?;
        outcome.map_err(|e| Error {
            message: format!("step {k}: {e}"),
            ..e
        })
    }

    /// Advances from the last checkpoint to the end, and pulls the outputs of the last state back.
    pub(super) fn pull_end(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<()> {
        let last = steps.saturating_sub(1);
        let checkpoint = last / self.interval();
        self.restore(checkpoint)?;
        for k in checkpoint * self.interval()..steps {
            self.advance(k)?;
        }
        let nu = self.sim.model().nu();
        let at = At {
            q: &self.q,
            v: &self.v,
            u: &self.u[last * nu..(last + 1) * nu],
        };
        let bars = [
            &mut self.q_adjoint[..],
            &mut self.v_adjoint,
            &mut self.u_of_outputs,
            &mut self.act_adjoint,
        ];
        let kind = observer.pull(steps..self.columns + 1, &mut self.sim, at, bars)?;
        // The step's own adjoint overwrites its input's gradient.
        self.u_of_end.copy_from_slice(&self.u_of_outputs);
        self.u_of_outputs.fill(0.0);
        self.add_outputs(last, kind);
        Ok(())
    }

    /// Pulls the outputs of state k back, which is at `in_segment` of the tape.
    pub(super) fn pull_outputs(
        &mut self,
        k: usize,
        in_segment: usize,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let nu = self.sim.model().nu();
        self.sim.take_memory(self.segment.memory(in_segment))?;
        let at = At {
            q: self.segment.q(in_segment),
            v: self.segment.v(in_segment),
            u: &self.u[k * nu..(k + 1) * nu],
        };
        let bars = [
            &mut self.q_adjoint[..],
            &mut self.v_adjoint,
            &mut self.u_of_outputs,
            &mut self.act_adjoint,
        ];
        let kind = observer.pull(k..k + 1, &mut self.sim, at, bars)?;
        self.add_outputs(k, kind);
        Ok(())
    }

    /// Adds the gradients that an observer has written.
    fn add_outputs(&mut self, k: usize, kind: Gradient) {
        let nu = self.u_of_outputs.len();
        for (sums, terms) in [
            (&mut self.q_sum[..], &self.q_adjoint[..]),
            (&mut self.v_sum, &self.v_adjoint),
            (
                &mut self.u_adjoint[k * nu..(k + 1) * nu],
                &self.u_of_outputs,
            ),
            (&mut self.act_sum, &self.act_adjoint),
        ] {
            for (sum, term) in sums.iter_mut().zip(terms) {
                *sum += term;
            }
        }
        self.mark(k, kind);
    }
}
