//! Trajectories and their adjoint.
//!
//! A rollout keeps the state at every `checkpoint_interval`-th step and all inputs; the adjoint
//! repeats each step once (each segment once more where the interval is longer than 1) and applies
//! the step's adjoint. Memory: 8·(nq + nv + m)·N/k + 8·nu·N + 8·(nq + nv + m)·k bytes for N steps,
//! interval k and m numbers of the step's memory; time: one step and one adjoint per step.

use crate::error::{Error, Result};
use crate::integrator::Tangent;
use crate::linalg::grow;
use crate::model::Model;
use crate::model::params::Param;
use crate::step::{Gradient, Options, Sim, deliver};
use std::sync::Arc;

/// States one after the other: q, v, and what the step remembers.
#[derive(Clone, Debug)]
struct Tape {
    q: Vec<f64>,
    v: Vec<f64>,
    memory: Vec<f64>,
    nq: usize,
    nv: usize,
    nm: usize,
}

impl Tape {
    fn new(sim: &Sim, count: usize) -> Result<Self> {
        let (nq, nv, nm) = (sim.model().nq(), sim.model().nv(), sim.memory_size());
        Ok(Tape {
            q: room(nq, count)?,
            v: room(nv, count)?,
            memory: room(nm, count)?,
            nq,
            nv,
            nm,
        })
    }

    fn record(&mut self, i: usize, sim: &Sim, q: &[f64], v: &[f64]) -> Result<()> {
        grow(&mut self.q, (i + 1) * self.nq);
        grow(&mut self.v, (i + 1) * self.nv);
        grow(&mut self.memory, (i + 1) * self.nm);
        self.q[i * self.nq..][..self.nq].copy_from_slice(q);
        self.v[i * self.nv..][..self.nv].copy_from_slice(v);
        sim.get_memory(&mut self.memory[i * self.nm..][..self.nm])
    }

    fn q(&self, i: usize) -> &[f64] {
        &self.q[i * self.nq..][..self.nq]
    }

    fn v(&self, i: usize) -> &[f64] {
        &self.v[i * self.nv..][..self.nv]
    }

    fn memory(&self, i: usize) -> &[f64] {
        &self.memory[i * self.nm..][..self.nm]
    }
}

/// Room for `n · count` numbers, or an error where memory does not suffice. It stays untouched until a run needs it.
fn room(n: usize, count: usize) -> Result<Vec<f64>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n.saturating_mul(count)).map_err(|_| {
        Error::capacity(format!(
            "max_steps: there is no memory for {n} × {count} numbers"
        ))
    })?;
    Ok(v)
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
    /// Of what the integrator carries.
    carried_adjoint: Vec<f64>,
    carried_sum: Vec<f64>,
    steps: Option<usize>,
    gradient: Gradient,
    aware: Option<AwareSteps>,
}

/// What [`Options::aware_gradient`] made of an adjoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AwareSteps {
    /// Steps of which another adjoint than the exact was taken.
    pub steps: usize,
    /// Contacts and limits that these take in other modes than the steps did, in all.
    pub resorted: usize,
}

impl Rollout {
    /// # Errors
    /// Those of [`Sim::new`]; `InvalidArgument` for no steps, `Capacity` for too many.
    pub fn new(model: Arc<Model>, options: &Options, max_steps: usize) -> Result<Rollout> {
        Rollout::of(Sim::new(model, options)?, max_steps)
    }

    /// A rollout of this simulation, which may be of parts of its own.
    ///
    /// # Errors
    /// As [`Rollout::new`].
    pub fn of(sim: Sim, max_steps: usize) -> Result<Rollout> {
        if max_steps == 0 {
            return Err(Error::invalid("max_steps must be positive, got 0"));
        }
        let (nq, nv, nu) = (sim.model().nq(), sim.model().nv(), sim.model().nu());
        let interval = sim.options().checkpoint_interval.min(max_steps);
        // With it the lengths of all arrays are numbers.
        let longest = max_steps.checked_add(1);
        if longest
            .and_then(|n| n.checked_mul(nq.max(nv).max(nu)))
            .is_none()
        {
            return Err(Error::capacity(format!(
                "max_steps: no array has room for {max_steps} steps"
            )));
        }
        Ok(Rollout {
            checkpoints: Tape::new(&sim, max_steps.div_ceil(interval))?,
            segment: Tape::new(&sim, interval)?,
            u: room(nu, max_steps)?,
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            q_next: vec![0.0; nq],
            v_next: vec![0.0; nv],
            q_adjoint: vec![0.0; nv],
            v_adjoint: vec![0.0; nv],
            q_sum: vec![0.0; nv],
            v_sum: vec![0.0; nv],
            u_adjoint: room(nu, max_steps)?,
            p_adjoint: Vec::new(),
            p_sum: Vec::new(),
            carried_adjoint: vec![0.0; sim.carried()],
            carried_sum: vec![0.0; sim.carried()],
            steps: None,
            gradient: Gradient::Exact,
            aware: None,
            max_steps,
            sim,
        })
    }

    /// The simulation that steps; its parameters and wrenches hold for the whole trajectory.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Changing the simulation forgets the last run.
    pub fn sim_mut(&mut self) -> &mut Sim {
        self.steps = None;
        &mut self.sim
    }

    /// Chooses parameters, as [`Sim::select_params`], and makes room for their gradient.
    pub fn select_params(&mut self, list: &[Param]) -> Result<()> {
        self.sim.select_params(list)?;
        self.steps = None;
        self.p_sum = vec![0.0; list.len()];
        self.p_adjoint = vec![0.0; list.len()];
        Ok(())
    }

    /// Number of steps of the last run; none before one, or after a change of the simulation.
    pub fn steps(&self) -> Option<usize> {
        self.steps
    }

    pub fn max_steps(&self) -> usize {
        self.max_steps
    }

    /// What the last adjoint is: one-sided if any step was at a switch.
    pub fn gradient(&self) -> Gradient {
        self.gradient
    }

    /// What became of [`Options::aware_gradient`] in the last adjoint; zeros without it.
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

    /// Runs `steps` steps from (q0, v0) with inputs `u` (nu×steps, column-major). `q` (nq×(steps+1))
    /// and `v` (nv×(steps+1)) receive the trajectory, the initial state first. With a checkpoint
    /// interval above 1, asking for the trajectory costs a second pass.
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
        let (nq, nv, nu) = {
            let m = self.sim.model();
            (m.nq(), m.nv(), m.nu())
        };
        if steps == 0 || steps > self.max_steps {
            return Err(Error::invalid(format!(
                "steps must be in 1..={}, got {steps}",
                self.max_steps
            )));
        }
        for (name, len, want) in [
            ("q0", q0.len(), nq),
            ("v0", v0.len(), nv),
            ("u", u.len(), nu * steps),
            (
                "q",
                q.as_ref().map_or(nq * (steps + 1), |x| x.len()),
                nq * (steps + 1),
            ),
            (
                "v",
                v.as_ref().map_or(nv * (steps + 1), |x| x.len()),
                nv * (steps + 1),
            ),
        ] {
            if len != want {
                return Err(Error::invalid(format!(
                    "{name} must have {want} entries, got {len}"
                )));
            }
        }
        (self.steps, self.aware) = (None, None);
        self.sim.reset();
        self.u.clear();
        self.u.extend_from_slice(u);
        self.q.copy_from_slice(q0);
        self.v.copy_from_slice(v0);
        let interval = self.interval();
        for k in 0..steps {
            if k % interval == 0 {
                self.checkpoints
                    .record(k / interval, &self.sim, &self.q, &self.v)?;
            }
            self.advance(k)?;
        }
        self.steps = Some(steps);
        if interval == 1 {
            if let Some(q) = q {
                q[..nq * steps].copy_from_slice(&self.checkpoints.q[..nq * steps]);
                q[nq * steps..].copy_from_slice(&self.q);
            }
            if let Some(v) = v {
                v[..nv * steps].copy_from_slice(&self.checkpoints.v[..nv * steps]);
                v[nv * steps..].copy_from_slice(&self.v);
            }
        } else if q.is_some() || v.is_some() {
            self.replay(steps, q, v)?;
        }
        Ok(())
    }

    /// Steps (q, v) once with input k.
    fn advance(&mut self, k: usize) -> Result<()> {
        let nu = self.sim.model().nu();
        let u = &self.u[k * nu..(k + 1) * nu];
        self.sim
            .step_on(&self.q, &self.v, u, &mut self.q_next, &mut self.v_next)
            .map_err(|e| Error {
                message: format!("step {k}: {e}"),
                ..e
            })?;
        std::mem::swap(&mut self.q, &mut self.q_next);
        std::mem::swap(&mut self.v, &mut self.v_next);
        Ok(())
    }

    /// Sets the simulation to checkpoint i.
    fn restore(&mut self, i: usize) -> Result<()> {
        self.q.copy_from_slice(self.checkpoints.q(i));
        self.v.copy_from_slice(self.checkpoints.v(i));
        self.sim.set_memory(self.checkpoints.memory(i))
    }

    /// Writes the trajectory by repeating the run, which has succeeded before.
    fn replay(&mut self, steps: usize, q: Option<&mut [f64]>, v: Option<&mut [f64]>) -> Result<()> {
        let (mut q, mut v) = (q, v);
        self.restore(0)?;
        for k in 0..=steps {
            if let Some(q) = &mut q {
                q[k * self.q.len()..][..self.q.len()].copy_from_slice(&self.q);
            }
            if let Some(v) = &mut v {
                v[k * self.v.len()..][..self.v.len()].copy_from_slice(&self.v);
            }
            if k < steps {
                self.advance(k)?;
            }
        }
        Ok(())
    }

    /// Repeats the last run, bit for bit, and shows the simulation after each step: its number from 0.
    ///
    /// # Errors
    /// `NoStep` before a run; what `see` says.
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

    /// Gradient of L(q_0 … q_N, v_0 … v_N) after a run of N steps, from its partial derivatives
    /// `q_bar` (tangent, nv×(N+1)) and `v_bar` (nv×(N+1)): by the initial state (nv, nv), the inputs
    /// (nu×N) and the selected parameters (np).
    ///
    /// # Errors
    /// `NoStep` before a run; those of [`Sim::step_vjp`]. Nothing is written then.
    pub fn adjoint(
        &mut self,
        q_bar: &[f64],
        v_bar: &[f64],
        q0_bar: Option<&mut [f64]>,
        v0_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let steps = self
            .steps
            .ok_or_else(|| Error::no_step("the adjoint was asked for before a run"))?;
        let (nv, nu, np) = (self.sim.model().nv(), self.sim.model().nu(), self.sim.np());
        let optional = |x: &Option<&mut [f64]>, n: usize| x.as_ref().map_or(n, |x| x.len());
        for (name, len, want) in [
            ("q_bar", q_bar.len(), nv * (steps + 1)),
            ("v_bar", v_bar.len(), nv * (steps + 1)),
            ("q0_bar", optional(&q0_bar, nv), nv),
            ("v0_bar", optional(&v0_bar, nv), nv),
            ("u_bar", optional(&u_bar, nu * steps), nu * steps),
            ("p_bar", optional(&p_bar, np), np),
        ] {
            if len != want {
                return Err(Error::invalid(format!(
                    "{name} must have {want} entries, got {len}"
                )));
            }
        }
        for (name, x) in [("q_bar", q_bar), ("v_bar", v_bar)] {
            if let Some(i) = x.iter().position(|x| !x.is_finite()) {
                return Err(Error::numerical(format!(
                    "{name}[{i}] must be finite, got {}",
                    x[i]
                )));
            }
        }
        if self.p_sum.len() != np {
            // Only after another selection of parameters.
            self.p_sum = vec![0.0; np];
            self.p_adjoint = vec![0.0; np];
        }
        self.p_sum.fill(0.0);
        self.carried_sum.fill(0.0);
        grow(&mut self.u_adjoint, nu * steps);
        self.gradient = Gradient::Exact;
        let mut aware = AwareSteps::default();
        self.aware = None;
        self.q_sum.copy_from_slice(&q_bar[nv * steps..]);
        self.v_sum.copy_from_slice(&v_bar[nv * steps..]);
        let interval = self.interval();
        for segment in (0..steps.div_ceil(interval)).rev() {
            let first = segment * interval;
            let end = (first + interval).min(steps);
            self.restore(segment)?;
            for k in first..end {
                self.segment
                    .record(k - first, &self.sim, &self.q, &self.v)?;
                if k + 1 < end {
                    self.advance(k)?;
                }
            }
            for k in (first..end).rev() {
                self.reverse_step(k, k - first, &mut aware)?;
                let at = k * nv..(k + 1) * nv;
                for (s, (a, b)) in self
                    .q_sum
                    .iter_mut()
                    .zip(self.q_adjoint.iter().zip(&q_bar[at.clone()]))
                {
                    *s = a + b;
                }
                for (s, (a, b)) in self
                    .v_sum
                    .iter_mut()
                    .zip(self.v_adjoint.iter().zip(&v_bar[at]))
                {
                    *s = a + b;
                }
            }
        }
        deliver([
            ("q0_bar", &self.q_sum[..], q0_bar),
            ("v0_bar", &self.v_sum, v0_bar),
            ("u_bar", &self.u_adjoint[..nu * steps], u_bar),
            ("p_bar", &self.p_sum, p_bar),
        ])?;
        self.aware = Some(aware);
        Ok(())
    }

    /// Repeats step k from the segment's state and pulls the sums back through it.
    fn reverse_step(&mut self, k: usize, in_segment: usize, aware: &mut AwareSteps) -> Result<()> {
        let nu = self.sim.model().nu();
        let at = k * nu..(k + 1) * nu;
        self.sim.set_memory(self.segment.memory(in_segment))?;
        self.sim.step_on(
            self.segment.q(in_segment),
            self.segment.v(in_segment),
            &self.u[at.clone()],
            &mut self.q_next,
            &mut self.v_next,
        )?;
        let next = Tangent {
            q: &self.q_sum,
            v: &self.v_sum,
            carried: &self.carried_sum,
        };
        let (q, v) = (Some(&mut self.q_adjoint[..]), Some(&mut self.v_adjoint[..]));
        let (u, p) = (Some(&mut self.u_adjoint[at]), Some(&mut self.p_adjoint[..]));
        let carried = Some(&mut self.carried_adjoint[..]);
        if self.sim.options().aware_gradient {
            let step = self.sim.adjoint_aware(next, q, v, u, p, carried)?;
            aware.steps += usize::from(step.other);
            aware.resorted += step.resorted;
        } else {
            self.sim.adjoint(next, &[], q, v, u, p, carried)?;
        }
        std::mem::swap(&mut self.carried_sum, &mut self.carried_adjoint);
        for (s, x) in self.p_sum.iter_mut().zip(&self.p_adjoint) {
            *s += x;
        }
        let kind = self.sim.step_info()?.gradient;
        if kind != Gradient::Exact && self.gradient == Gradient::Exact {
            self.gradient = kind;
        }
        Ok(())
    }
}
