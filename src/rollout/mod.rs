//! Trajectories and their adjoint.
//!
//! A rollout keeps the state at every `checkpoint_interval`-th step and all inputs. The adjoint repeats each
//! step once (each segment once more if the interval is longer than 1) and applies the step's adjoint.
//! Memory: 8·(nq + nv + m)·N/k + 8·nu·N + 8·(nq + nv + m)·k bytes for N steps, interval k and m numbers of
//! the step's memory. Time: one step and one adjoint for each step.

mod adjoint;
mod episode;
mod side_by_side;
mod tape;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::params::Param;
use crate::step::info::check_finite;
use crate::step::{Gradient, Options, Sim};
pub use adjoint::{RolloutAdjoint, RolloutBars};
pub use episode::{At, Ended, Episode, Observer};
pub(crate) use episode::{EpisodeRun, check_bounds};
pub(crate) use side_by_side::{Run, run_episodes_side_by_side, run_side_by_side};
use std::sync::Arc;
use tape::{Tape, room};

/// Receives a trajectory: the states before all steps and after the last, in columns of nq, nv and na
/// numbers.
#[derive(Default)]
pub struct Trajectory<'a> {
    pub q: Option<&'a mut [f64]>,
    pub v: Option<&'a mut [f64]>,
    /// Activations.
    pub act: Option<&'a mut [f64]>,
}

/// Runs a simulation over many steps and differentiates the whole. Allocates only at creation.
#[derive(Debug)]
pub struct Rollout {
    sim: Sim,
    max_steps: usize,
    /// State before step i · interval.
    checkpoints: Tape,
    /// States of one segment.
    segment: Tape,
    u: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    q_adjoint: Vec<f64>,
    v_adjoint: Vec<f64>,
    q_sum: Vec<f64>,
    v_sum: Vec<f64>,
    u_adjoint: Vec<f64>,
    p_adjoint: Vec<f64>,
    p_sum: Vec<f64>,
    /// Adjoint of the integrator's history.
    carried_adjoint: Vec<f64>,
    carried_sum: Vec<f64>,
    act_adjoint: Vec<f64>,
    act_sum: Vec<f64>,
    /// Gradient by an input through the outputs of its state.
    u_of_outputs: Vec<f64>,
    /// Gradient by the last input through the outputs of the last state.
    u_of_end: Vec<f64>,
    /// Number of steps that the last run took.
    steps: Option<usize>,
    /// Number of steps that the last run had inputs for.
    columns: usize,
    gradient: Gradient,
    /// Label of each step's derivative in the last adjoint.
    labels: Vec<Gradient>,
    aware: Option<AwareSteps>,
}

/// Effect of [`Options::aware_gradient`] on an adjoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AwareSteps {
    /// Number of steps that took another adjoint than the exact one.
    pub steps: usize,
    /// Number of contacts and limits whose mode these adjoints changed, in all.
    pub resorted: usize,
}

impl Rollout {
    /// # Errors
    /// Those of [`Sim::new`]; `InvalidArgument` for no steps, `Capacity` for too many.
    pub fn new(model: Arc<Model>, options: &Options, max_steps: usize) -> Result<Rollout> {
        Rollout::of(Sim::new(model, options)?, max_steps)
    }

    /// A rollout of an existing simulation, for example of one with a law or forces of the caller
    /// ([`Sim::with_parts`]).
    ///
    /// # Errors
    /// As [`Rollout::new`].
    pub fn of(sim: Sim, max_steps: usize) -> Result<Rollout> {
        if max_steps == 0 {
            return Err(Error::invalid("max_steps must be positive, got 0"));
        }
        let mut rollout = Rollout::without_steps(sim)?;
        rollout.reserve(max_steps)?;
        Ok(rollout)
    }

    /// A rollout of this simulation without memory for steps. [`Rollout::reserve`] allocates the memory.
    pub(crate) fn without_steps(sim: Sim) -> Result<Rollout> {
        let (nq, nv) = (sim.model().nq(), sim.model().nv());
        Ok(Rollout {
            checkpoints: Tape::new(&sim, 0)?,
            segment: Tape::new(&sim, 0)?,
            u: Vec::new(),
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            q_next: vec![0.0; nq],
            v_next: vec![0.0; nv],
            q_adjoint: vec![0.0; nv],
            v_adjoint: vec![0.0; nv],
            q_sum: vec![0.0; nv],
            v_sum: vec![0.0; nv],
            u_adjoint: Vec::new(),
            p_adjoint: Vec::new(),
            p_sum: Vec::new(),
            carried_adjoint: vec![0.0; sim.carried()],
            carried_sum: vec![0.0; sim.carried()],
            act_adjoint: vec![0.0; sim.act().len()],
            act_sum: vec![0.0; sim.act().len()],
            u_of_outputs: vec![0.0; sim.model().nu()],
            u_of_end: vec![0.0; sim.model().nu()],
            steps: None,
            columns: 0,
            gradient: Gradient::Exact,
            labels: Vec::new(),
            aware: None,
            max_steps: 0,
            sim,
        })
    }

    /// Makes memory for runs of up to `max_steps` steps. If there is enough already, nothing changes;
    /// otherwise the last run is forgotten.
    ///
    /// # Errors
    /// `Capacity` for too many steps: the rollout is as before.
    pub fn reserve(&mut self, max_steps: usize) -> Result<()> {
        if max_steps <= self.max_steps {
            return Ok(());
        }
        let sim = &self.sim;
        let (nq, nv, nu) = (sim.model().nq(), sim.model().nv(), sim.model().nu());
        let interval = sim.options().checkpoint_interval.min(max_steps);
        // Checked here, so that no length of an array overflows.
        let longest = max_steps.checked_add(1);
        if longest
            .and_then(|n| n.checked_mul(nq.max(nv).max(nu)))
            .is_none()
        {
            return Err(Error::capacity(format!(
                "max_steps: no array has room for {max_steps} steps"
            )));
        }
        let checkpoints = Tape::new(sim, max_steps.div_ceil(interval))?;
        let segment = Tape::new(sim, interval)?;
        let (u, u_adjoint) = (room(nu, max_steps)?, room(nu, max_steps)?);
        let more = max_steps - self.labels.len();
        if self.labels.try_reserve_exact(more).is_err() {
            return Err(Error::capacity(format!(
                "max_steps: there is no memory for the labels of {max_steps} steps"
            )));
        }
        (self.checkpoints, self.segment) = (checkpoints, segment);
        (self.u, self.u_adjoint) = (u, u_adjoint);
        self.max_steps = max_steps;
        self.steps = None;
        Ok(())
    }

    /// The simulation that steps; its parameters and wrenches hold for the whole trajectory.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// The simulation; changing it forgets the last run.
    pub fn sim_mut(&mut self) -> &mut Sim {
        self.steps = None;
        &mut self.sim
    }

    /// The simulation, for derivatives of its last step: the last run stays.
    pub(crate) fn last_step(&mut self) -> &mut Sim {
        &mut self.sim
    }

    /// Selects parameters, as [`Sim::select_params`], and reserves memory for their gradient.
    pub fn select_params(&mut self, list: &[Param]) -> Result<()> {
        self.sim.select_params(list)?;
        self.steps = None;
        self.p_sum = vec![0.0; list.len()];
        self.p_adjoint = vec![0.0; list.len()];
        Ok(())
    }

    /// Number of steps that the last run took; `None` before a run, or after a change of the simulation.
    pub fn steps(&self) -> Option<usize> {
        self.steps
    }

    /// Number of steps that the last run had inputs for: as [`Rollout::steps`], unless it ended early.
    pub fn columns(&self) -> Option<usize> {
        self.steps.map(|_| self.columns)
    }

    pub fn max_steps(&self) -> usize {
        self.max_steps
    }

    /// Label of the last adjoint: one-sided if any step was at a switch.
    pub fn gradient(&self) -> Gradient {
        self.gradient
    }

    /// Label of each step's derivative in the last adjoint.
    ///
    /// # Errors
    /// `NoStep` before an adjoint of the last run.
    pub fn labels(&self) -> Result<&[Gradient]> {
        self.aware()?;
        Ok(&self.labels[..self.columns().unwrap_or_default()])
    }

    /// Effect of [`Options::aware_gradient`] on the last adjoint; zeros without it.
    ///
    /// # Errors
    /// `NoStep` before an adjoint of the last run.
    pub fn aware(&self) -> Result<AwareSteps> {
        self.aware
            .ok_or_else(|| Error::no_step("there is no adjoint of the last run"))
    }

    fn interval(&self) -> usize {
        self.sim.options().checkpoint_interval.min(self.max_steps)
    }

    /// Runs `steps` steps from (q0, v0) with inputs `u` (nu×steps, column-major) and activations that begin
    /// at zero. `q` (nq×(steps+1)) and `v` (nv×(steps+1)) receive the trajectory, the initial state first.
    /// With a checkpoint interval above 1, asking for the trajectory costs a second pass.
    ///
    /// # Errors
    /// Those of [`Sim::step`], naming the step. Nothing is written then.
    pub fn run(
        &mut self,
        q0: &[f64],
        v0: &[f64],
        u: &[f64],
        steps: usize,
        q: Option<&mut [f64]>,
        v: Option<&mut [f64]>,
    ) -> Result<()> {
        let out = Trajectory { q, v, act: None };
        self.run_act(q0, v0, &[], u, steps, out)
    }

    /// [`Rollout::run`] from the activations `act0`: na numbers, or `None` for zero.
    ///
    /// # Errors
    /// As [`Rollout::run`].
    pub fn run_act(
        &mut self,
        q0: &[f64],
        v0: &[f64],
        act0: &[f64],
        u: &[f64],
        steps: usize,
        out: Trajectory<'_>,
    ) -> Result<()> {
        self.check_run(q0, v0, u, steps, &out)?;
        self.begin(q0, v0, act0, u)?;
        for k in 0..steps {
            self.keep(k);
            self.advance(k)?;
        }
        self.finish(steps, out)
    }

    /// Records the state before step k if it is a checkpoint.
    fn keep(&mut self, k: usize) {
        let interval = self.interval();
        if k.is_multiple_of(interval) {
            (self.checkpoints).record(k / interval, &self.sim, &self.q, &self.v);
        }
    }

    /// Ends a run of `steps` steps, and writes its trajectory.
    fn finish(&mut self, steps: usize, out: Trajectory<'_>) -> Result<()> {
        let (nq, nv, na) = (self.q.len(), self.v.len(), self.sim.act().len());
        let interval = self.interval();
        (self.columns, self.steps) = (steps, Some(steps));
        let Trajectory { q, v, act } = out;
        if interval == 1 {
            if let Some(q) = q {
                q[..nq * steps].copy_from_slice(&self.checkpoints.q[..nq * steps]);
                q[nq * steps..].copy_from_slice(&self.q);
            }
            if let Some(v) = v {
                v[..nv * steps].copy_from_slice(&self.checkpoints.v[..nv * steps]);
                v[nv * steps..].copy_from_slice(&self.v);
            }
            if let Some(act) = act.filter(|_| na > 0) {
                for (k, act) in act.chunks_exact_mut(na).enumerate() {
                    act.copy_from_slice(match k < steps {
                        true => self.checkpoints.act(k),
                        false => self.sim.act(),
                    });
                }
            }
        } else if q.is_some() || v.is_some() || act.is_some() {
            self.replay(steps, Trajectory { q, v, act })?;
        }
        Ok(())
    }

    /// Checks the lengths of a run's arguments and results.
    fn check_run(
        &self,
        q0: &[f64],
        v0: &[f64],
        u: &[f64],
        steps: usize,
        out: &Trajectory<'_>,
    ) -> Result<()> {
        let (nq, nv, nu) = {
            let m = self.sim.model();
            (m.nq(), m.nv(), m.nu())
        };
        let na = self.sim.act().len();
        if steps == 0 || steps > self.max_steps {
            return Err(Error::invalid(format!(
                "steps must be in 1..={}, got {steps}",
                self.max_steps
            )));
        }
        let states = |x: &Option<&mut [f64]>, n: usize| {
            let want = n * (steps + 1);
            (x.as_ref().map_or(want, |x| x.len()), want)
        };
        let (q, v, act) = (states(&out.q, nq), states(&out.v, nv), states(&out.act, na));
        for (name, (len, want)) in [
            ("q0", (q0.len(), nq)),
            ("v0", (v0.len(), nv)),
            ("u", (u.len(), nu * steps)),
            ("q", q),
            ("v", v),
            ("act", act),
        ] {
            if len != want {
                return Err(Error::invalid(format!(
                    "{name} must have {want} entries, got {len}"
                )));
            }
        }
        Ok(())
    }

    /// Takes the arguments of a run, and forgets the last one.
    fn begin(&mut self, q0: &[f64], v0: &[f64], act0: &[f64], u: &[f64]) -> Result<()> {
        if !act0.is_empty() {
            check_finite("act0", act0, self.sim.act().len())?;
        }
        (self.steps, self.aware) = (None, None);
        self.sim.reset();
        if !act0.is_empty() {
            self.sim.set_act(act0)?;
        }
        self.u.clear();
        self.u.extend_from_slice(u);
        self.q.copy_from_slice(q0);
        self.v.copy_from_slice(v0);
        Ok(())
    }

    /// Steps (q, v) once with input k.
    fn advance(&mut self, k: usize) -> Result<()> {
        let nu = self.sim.model().nu();
        let u = &self.u[k * nu..(k + 1) * nu];
        self.sim
            .step_on(&self.q, &self.v, u, &mut self.q_next, &mut self.v_next)
            .map_err(|e| of_step(k, e))?;
        self.take_next();
        Ok(())
    }

    /// Goes on from the state after the step.
    fn take_next(&mut self) {
        std::mem::swap(&mut self.q, &mut self.q_next);
        std::mem::swap(&mut self.v, &mut self.v_next);
    }

    /// Sets the simulation to checkpoint i.
    fn restore(&mut self, i: usize) -> Result<()> {
        self.q.copy_from_slice(self.checkpoints.q(i));
        self.v.copy_from_slice(self.checkpoints.v(i));
        self.sim.take_memory(self.checkpoints.memory(i))
    }

    /// Writes the trajectory by repeating the run, which has succeeded before.
    fn replay(&mut self, steps: usize, mut out: Trajectory<'_>) -> Result<()> {
        self.restore(0)?;
        for k in 0..=steps {
            for (to, from) in [
                (&mut out.q, &self.q[..]),
                (&mut out.v, &self.v),
                (&mut out.act, self.sim.act()),
            ] {
                if let Some(to) = to {
                    to[k * from.len()..][..from.len()].copy_from_slice(from);
                }
            }
            if k < steps {
                self.advance(k)?;
            }
        }
        Ok(())
    }

    /// Repeats the last run, bit for bit, and passes the simulation to `see` after each step, with the index
    /// of the step.
    ///
    /// # Errors
    /// `NoStep` before a run; the error of `see`.
    pub fn repeat(&mut self, see: &mut impl FnMut(usize, &Sim) -> Result<()>) -> Result<()> {
        let steps = self
            .steps
            .ok_or_else(|| Error::no_step("there is no run to repeat"))?;
        self.restore(0)?;
        for k in 0..steps {
            self.advance(k)?;
            see(k, &self.sim)?;
        }
        Ok(())
    }
}

/// The error of step k, naming it.
fn of_step(k: usize, e: Error) -> Error {
    Error {
        message: format!("step {k}: {e}"),
        ..e
    }
}
