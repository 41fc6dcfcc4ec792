//! The gradient of a function of a trajectory.

use super::{AwareSteps, Observer, Rollout};
use crate::error::{Error, Result};
use crate::integrator::Tangent;
use crate::linalg::{add_scaled, first_not_finite, grow};
use crate::step::{Gradient, ImpulseBar, Seed, StepAdjoint, deliver};

/// Receives the gradient of a function of a trajectory: by the initial state (nv, nv and na entries), the
/// inputs (nu×N) and the selected parameters (np).
#[derive(Default)]
pub struct RolloutAdjoint<'a> {
    pub q0: Option<&'a mut [f64]>,
    pub v0: Option<&'a mut [f64]>,
    /// By the activations.
    pub act0: Option<&'a mut [f64]>,
    pub u: Option<&'a mut [f64]>,
    pub p: Option<&'a mut [f64]>,
}

/// Partial derivatives of a function by the states of a trajectory: tangent and nv×(N+1), nv×(N+1), and
/// na×(N+1). None stands for zeros.
#[derive(Clone, Copy, Default)]
pub struct RolloutBars<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub act: &'a [f64],
}

impl Rollout {
    /// Gradient of L(q_0 … q_N, v_0 … v_N) after a run of N steps, from its partial derivatives `q_bar`
    /// (tangent, nv×(N+1)) and `v_bar` (nv×(N+1)): by the initial state (nv, nv), the inputs (nu×N) and the
    /// selected parameters (np), at the run's initial activations.
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
        let out = RolloutAdjoint {
            q0: q0_bar,
            v0: v0_bar,
            u: u_bar,
            p: p_bar,
            act0: None,
        };
        self.adjoint_act(q_bar, v_bar, &[], out)
    }

    /// [`Rollout::adjoint`] of a function that also depends on the activations, from its partial derivatives
    /// `act_bar` (na×(N+1), or `None` for zero), with its gradient by the initial activations.
    ///
    /// # Errors
    /// As [`Rollout::adjoint`].
    pub fn adjoint_act(
        &mut self,
        q_bar: &[f64],
        v_bar: &[f64],
        act_bar: &[f64],
        out: RolloutAdjoint<'_>,
    ) -> Result<()> {
        let states = self.columns().unwrap_or_default() + 1;
        for (name, bar) in [("q_bar", q_bar), ("v_bar", v_bar)] {
            let want = self.sim.model().nv() * states;
            if self.steps.is_some() && bar.len() != want {
                return Err(Error::invalid(format!(
                    "{name} must have {want} entries, got {}",
                    bar.len()
                )));
            }
        }
        let bars = RolloutBars {
            q: q_bar,
            v: v_bar,
            act: act_bar,
        };
        self.adjoint_of(bars, out, None)
    }

    /// [`Rollout::adjoint_act`] of a function that also depends on outputs of the states, which the observer
    /// pulls back. After a run that ended early it is the adjoint of the steps taken, as
    /// [`Rollout::run_episode`] says.
    ///
    /// # Errors
    /// As [`Rollout::adjoint`], and those of the observer.
    pub fn adjoint_of(
        &mut self,
        bars: RolloutBars<'_>,
        out: RolloutAdjoint<'_>,
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<()> {
        let steps = self
            .steps
            .ok_or_else(|| Error::no_step("the adjoint was asked for before a run"))?;
        let columns = self.columns;
        let (nv, nu, np) = (self.sim.model().nv(), self.sim.model().nu(), self.sim.np());
        let na = self.sim.act().len();
        let RolloutBars {
            q: q_bar,
            v: v_bar,
            act: act_bar,
        } = bars;
        let optional = |x: &Option<&mut [f64]>, n: usize| x.as_ref().map_or(n, |x| x.len());
        let of_states = |x: &[f64], n: usize| match x.is_empty() {
            true => 0,
            false => n * (columns + 1),
        };
        for (name, len, want) in [
            ("q_bar", q_bar.len(), of_states(q_bar, nv)),
            ("v_bar", v_bar.len(), of_states(v_bar, nv)),
            ("act_bar", act_bar.len(), of_states(act_bar, na)),
            ("q0_bar", optional(&out.q0, nv), nv),
            ("v0_bar", optional(&out.v0, nv), nv),
            ("act0_bar", optional(&out.act0, na), na),
            ("u_bar", optional(&out.u, nu * columns), nu * columns),
            ("p_bar", optional(&out.p, np), np),
        ] {
            if len != want {
                return Err(Error::invalid(format!(
                    "{name} must have {want} entries, got {len}"
                )));
            }
        }
        for (name, x) in [("q_bar", q_bar), ("v_bar", v_bar), ("act_bar", act_bar)] {
            if let Some(i) = first_not_finite(x) {
                return Err(Error::numerical(format!(
                    "{name}[{i}] must be finite, got {}",
                    x[i]
                )));
            }
        }
        if self.p_sum.len() != np {
            // Allocates only after another selection of parameters.
            self.p_sum = vec![0.0; np];
            self.p_adjoint = vec![0.0; np];
        }
        self.p_sum.fill(0.0);
        self.carried_sum.fill(0.0);
        grow(&mut self.u_adjoint, nu * columns);
        // Inputs after the end have no effect.
        self.u_adjoint[nu * steps..nu * columns].fill(0.0);
        self.u_of_end.fill(0.0);
        if self.labels.len() < columns {
            self.labels.resize(columns, Gradient::Exact);
        }
        self.labels[..steps].fill(Gradient::Exact);
        self.gradient = Gradient::Exact;
        let mut aware = AwareSteps::default();
        self.aware = None;
        for (sum, bar) in [
            (&mut self.q_sum, q_bar),
            (&mut self.v_sum, v_bar),
            (&mut self.act_sum, act_bar),
        ] {
            sum.fill(0.0);
            // Columns after the end repeat the last state.
            for column in bar.chunks_exact(sum.len().max(1)).skip(steps) {
                add_scaled(1.0, column, sum);
            }
        }
        if let Some(observer) = &mut observer {
            self.pull_end(steps, &mut **observer)?;
        }
        let interval = self.interval();
        for segment in (0..steps.div_ceil(interval)).rev() {
            let first = segment * interval;
            let end = (first + interval).min(steps);
            self.restore(segment)?;
            for k in first..end {
                self.segment.record(k - first, &self.sim, &self.q, &self.v);
                if k + 1 < end {
                    self.advance(k)?;
                }
            }
            for k in (first..end).rev() {
                self.reverse_step(k, k - first, &mut aware)?;
                let at = k * nv..(k + 1) * nv;
                for (sum, from, bar) in [
                    (&mut self.q_sum, &self.q_adjoint, q_bar),
                    (&mut self.v_sum, &self.v_adjoint, v_bar),
                ] {
                    sum.copy_from_slice(from);
                    if let Some(here) = bar.get(at.clone()) {
                        add_scaled(1.0, here, sum);
                    }
                }
                std::mem::swap(&mut self.act_sum, &mut self.act_adjoint);
                if let Some(here) = act_bar.get(k * na..(k + 1) * na) {
                    add_scaled(1.0, here, &mut self.act_sum);
                }
                if let Some(observer) = &mut observer {
                    self.pull_outputs(k, k - first, &mut **observer)?;
                }
            }
        }
        // The outputs of the last state depend on the last input.
        let last = nu * steps.saturating_sub(1);
        add_scaled(1.0, &self.u_of_end, &mut self.u_adjoint[last..last + nu]);
        deliver([
            ("q0_bar", &self.q_sum[..], out.q0),
            ("v0_bar", &self.v_sum, out.v0),
            ("act0_bar", &self.act_sum, out.act0),
            ("u_bar", &self.u_adjoint[..nu * columns], out.u),
            ("p_bar", &self.p_sum, out.p),
        ])?;
        self.aware = Some(aware);
        Ok(())
    }

    /// Repeats step k from the segment's state and pulls the sums back through it.
    fn reverse_step(&mut self, k: usize, in_segment: usize, aware: &mut AwareSteps) -> Result<()> {
        let nu = self.sim.model().nu();
        let at = k * nu..(k + 1) * nu;
        self.sim.take_memory(self.segment.memory(in_segment))?;
        self.sim.step_on(
            self.segment.q(in_segment),
            self.segment.v(in_segment),
            &self.u[at.clone()],
            &mut self.q_next,
            &mut self.v_next,
        )?;
        let seed = Seed {
            next: Tangent {
                q: &self.q_sum,
                v: &self.v_sum,
                carried: &self.carried_sum,
            },
            act: &self.act_sum,
            impulses: ImpulseBar::default(),
            velocity: &[],
        };
        let out = StepAdjoint {
            q: Some(&mut self.q_adjoint),
            v: Some(&mut self.v_adjoint),
            act: Some(&mut self.act_adjoint),
            u: Some(&mut self.u_adjoint[at]),
            p: Some(&mut self.p_adjoint),
            carried: Some(&mut self.carried_adjoint),
        };
        if self.sim.options().aware_gradient {
            let step = self.sim.adjoint_aware(&seed, out)?;
            aware.steps += usize::from(step.other);
            aware.resorted += step.resorted;
        } else {
            self.sim.adjoint(&seed, out)?;
        }
        std::mem::swap(&mut self.carried_sum, &mut self.carried_adjoint);
        for (s, x) in self.p_sum.iter_mut().zip(&self.p_adjoint) {
            *s += x;
        }
        let kind = self.sim.step_info()?.gradient;
        self.mark(k, kind);
        Ok(())
    }

    /// Gives step k this label, unless it has one that is not exact.
    pub(super) fn mark(&mut self, k: usize, kind: Gradient) {
        for label in [&mut self.labels[k], &mut self.gradient] {
            if *label == Gradient::Exact {
                *label = kind;
            }
        }
    }
}
