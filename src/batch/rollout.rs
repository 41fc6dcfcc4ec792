//! Trajectories of all elements in one call, and their adjoint.

use super::slices::Parts;
use super::{Batch, EpisodesAdjoint, EpisodesBars};
use crate::error::{Error, Result, Status};
use crate::rollout::{Rollout, Run, Trajectory, run_side_by_side};
use crate::step::{Gradient, is_there};

/// Receives the adjoints of all elements' rollouts: tangents nv×count, nv×count, nu×steps×count, np×count.
#[derive(Default)]
pub struct BatchRolloutAdjoint<'a> {
    pub q0_bar: Option<&'a mut [f64]>,
    pub v0_bar: Option<&'a mut [f64]>,
    pub u_bar: Option<&'a mut [f64]>,
    pub p_bar: Option<&'a mut [f64]>,
}

impl Batch {
    /// Makes memory for rollouts of up to `steps` steps in every element, with the readings of sensors. If
    /// there is enough already, nothing changes.
    ///
    /// # Errors
    /// `Capacity` where memory does not suffice.
    pub fn reserve(&mut self, steps: usize) -> Result<()> {
        self.fit(steps)?;
        self.reserve_sensors()
    }

    /// [`Batch::reserve`] without readings.
    pub(super) fn fit(&mut self, steps: usize) -> Result<()> {
        let sim = self.elements[0].sim();
        let (m, k) = (sim.model(), sim.options().checkpoint_interval.min(steps));
        let states = (m.nq() + m.nv() + sim.memory_size()) as u128;
        let kept = states * (steps.div_ceil(k.max(1)) as u128 + k as u128);
        let one = kept.saturating_add(2 * m.nu() as u128 * steps as u128);
        let room = steps <= self.room();
        let count = self.count();
        if !room && !is_there(one.saturating_mul(8 * count as u128)) {
            return Err(Error::capacity(format!(
                "steps: there is no memory for rollouts of {steps} steps in {count} simulations"
            )));
        }
        for element in &mut self.elements {
            element.reserve(steps)?;
        }
        Ok(())
    }

    /// Number of steps for which every element has memory.
    fn room(&self) -> usize {
        let each = self.elements.iter().map(Rollout::max_steps);
        each.min().unwrap_or_default()
    }

    /// Runs `steps` steps in every element, each as [`Rollout::run`] does: q0 (nq×count), v0 (nv×count) and
    /// u (nu×steps×count) to the trajectories q (nq×(steps+1)×count) and v (nv×(steps+1)×count).
    ///
    /// An element that fails leaves its trajectory untouched and its status in `each`; the others go on. The
    /// call allocates if no call had as many steps before and [`Batch::reserve`] made no memory for them.
    ///
    /// # Errors
    /// As [`Batch::step`], with those of [`Rollout::run`] and [`Batch::reserve`].
    pub fn rollout(
        &mut self,
        steps: usize,
        q0: &[f64],
        v0: &[f64],
        u: &[f64],
        (q, v): (Option<&mut [f64]>, Option<&mut [f64]>),
        each: &mut [Status],
    ) -> Result<()> {
        if steps == 0 {
            return Err(Error::invalid("steps must be positive, got 0"));
        }
        let (nq, nv, nu) = self.sizes();
        let states = steps.saturating_add(1);
        for (name, len, rows) in [
            ("q0", Some(q0.len()), nq),
            ("v0", Some(v0.len()), nv),
            ("u", Some(u.len()), nu.saturating_mul(steps)),
            ("q", q.as_ref().map(|x| x.len()), nq.saturating_mul(states)),
            ("v", v.as_ref().map(|x| x.len()), nv.saturating_mul(states)),
        ] {
            self.check(name, len, rows)?;
        }
        self.fit(steps)?;
        let q = q.map(|x| Parts::new(x, nq * states));
        let v = v.map(|x| Parts::new(x, nv * states));
        let run = |i: usize| {
            let part = |n: usize| i * n..(i + 1) * n;
            // SAFETY: element i is given to one thread.
            let [q, v] = [&q, &v].map(|x| x.as_ref().map(|x| unsafe { x.part(i) }));
            Run {
                q0: &q0[part(nq)],
                v0: &v0[part(nv)],
                u: &u[part(nu * steps)],
                out: Trajectory { q, v, act: None },
            }
        };
        let alone = |i: usize, element: &mut Rollout| {
            let r = run(i);
            element.run_act(r.q0, r.v0, &[], r.u, steps, r.out)
        };
        self.for_fours(each, alone, |first, four, elements| {
            let runs = [0, 1, 2, 3].map(|k| run(first + k));
            run_side_by_side(four, elements, runs, steps)
        })
    }

    /// Gradient of a function of all elements' last rollouts, each as [`Rollout::adjoint`] gives it, from its
    /// partial derivatives `q_bar` (tangent) and `v_bar` by the states: nv×(steps+1)×count.
    ///
    /// # Errors
    /// As [`Batch::step`], with those of [`Rollout::adjoint`]; `NoStep` for an element whose rollout
    /// failed, or that was stepped, changed or reset since.
    pub fn rollout_adjoint(
        &mut self,
        q_bar: &[f64],
        v_bar: &[f64],
        out: BatchRolloutAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        let states = self.model().nv() * (self.rollout_steps()? + 1);
        self.check("q_bar", Some(q_bar.len()), states)?;
        self.check("v_bar", Some(v_bar.len()), states)?;
        let bars = EpisodesBars {
            q: q_bar,
            v: v_bar,
            ..EpisodesBars::default()
        };
        let out = EpisodesAdjoint {
            q0: out.q0_bar,
            v0: out.v0_bar,
            act0: None,
            u: out.u_bar,
            p: out.p_bar,
        };
        self.episodes_adjoint(bars, out, each)
    }

    /// Number of steps of the elements' last rollouts: that of their inputs, if they ended early.
    ///
    /// # Errors
    /// `NoStep` if no element has one.
    pub fn rollout_steps(&self) -> Result<usize> {
        let mut runs = self.elements.iter().filter_map(Rollout::columns);
        let none = || Error::no_step("batch: the adjoint needs a rollout first");
        runs.next().ok_or_else(none)
    }

    /// Labels of the steps' derivatives in element i's last adjoint.
    ///
    /// # Errors
    /// `InvalidArgument` for an index out of range; those of [`Rollout::labels`].
    pub fn rollout_labels(&self, i: usize) -> Result<&[Gradient]> {
        let count = self.count();
        let element = self.elements.get(i);
        element
            .ok_or_else(|| super::bad_element(i, count))?
            .labels()
    }
}
