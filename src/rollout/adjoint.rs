//! The gradient of a function of a trajectory.

use super::{AwareSteps, Rollout};
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
        let steps = self
            .steps
            .ok_or_else(|| Error::no_step("the adjoint was asked for before a run"))?;
        let (nv, nu, np) = (self.sim.model().nv(), self.sim.model().nu(), self.sim.np());
        let na = self.sim.act().len();
        let optional = |x: &Option<&mut [f64]>, n: usize| x.as_ref().map_or(n, |x| x.len());
        let of_acts = match act_bar.is_empty() {
            true => 0,
            false => na * (steps + 1),
        };
        for (name, len, want) in [
            ("q_bar", q_bar.len(), nv * (steps + 1)),
            ("v_bar", v_bar.len(), nv * (steps + 1)),
            ("act_bar", act_bar.len(), of_acts),
            ("q0_bar", optional(&out.q0, nv), nv),
            ("v0_bar", optional(&out.v0, nv), nv),
            ("act0_bar", optional(&out.act0, na), na),
            ("u_bar", optional(&out.u, nu * steps), nu * steps),
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
        grow(&mut self.u_adjoint, nu * steps);
        if self.labels.len() < steps {
            self.labels.resize(steps, Gradient::Refused);
        }
        self.gradient = Gradient::Exact;
        let mut aware = AwareSteps::default();
        self.aware = None;
        self.q_sum.copy_from_slice(&q_bar[nv * steps..]);
        self.v_sum.copy_from_slice(&v_bar[nv * steps..]);
        self.act_sum.fill(0.0);
        if let Some(last) = act_bar.get(na * steps..) {
            add_scaled(1.0, last, &mut self.act_sum);
        }
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
                std::mem::swap(&mut self.act_sum, &mut self.act_adjoint);
                if let Some(here) = act_bar.get(k * na..(k + 1) * na) {
                    add_scaled(1.0, here, &mut self.act_sum);
                }
            }
        }
        deliver([
            ("q0_bar", &self.q_sum[..], out.q0),
            ("v0_bar", &self.v_sum, out.v0),
            ("act0_bar", &self.act_sum, out.act0),
            ("u_bar", &self.u_adjoint[..nu * steps], out.u),
            ("p_bar", &self.p_sum, out.p),
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
        self.labels[k] = kind;
        if kind != Gradient::Exact && self.gradient == Gradient::Exact {
            self.gradient = kind;
        }
        Ok(())
    }
}
