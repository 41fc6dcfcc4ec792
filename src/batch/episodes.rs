//! Trajectories of all elements that may end early, with the readings of sensors, and their adjoint.

use super::Batch;
use super::readings::{Readings, Sensors};
use super::slices::Parts;
use crate::error::{Error, Result, Status};
use crate::rollout::{
    Episode, EpisodeRun, Observer, Rollout, RolloutAdjoint, RolloutBars, Trajectory, check_bounds,
    run_episodes_side_by_side,
};
use crate::step::{Gradient, is_there};

/// Starts, inputs and ends of all elements' rollouts. An empty slice stands for the default.
#[derive(Clone, Copy, Default)]
pub struct Episodes<'a> {
    /// Number of columns of an element's inputs.
    pub steps: usize,
    /// nq×count, nv×count, nu×steps×count.
    pub q0: &'a [f64],
    pub v0: &'a [f64],
    pub u: &'a [f64],
    /// na×count; zero by default.
    pub act0: &'a [f64],
    /// Values of the selected parameters, np×count; those that each element has by default.
    pub p: &'a [f64],
    /// Largest number of steps of each element, at most `steps`; `steps` by default.
    pub lengths: &'a [usize],
    /// Bounds of (q, v) for all elements, in reduced coordinates ([`Episode`]); none by default.
    pub lower: &'a [f64],
    pub upper: &'a [f64],
}

/// Receives the trajectories: (steps+1)×count columns each.
#[derive(Default)]
pub struct EpisodesOut<'a> {
    pub q: Option<&'a mut [f64]>,
    pub v: Option<&'a mut [f64]>,
    pub act: Option<&'a mut [f64]>,
    pub sensors: Option<&'a mut [f64]>,
}

/// Partial derivatives by the trajectories: (steps+1)×count columns each. An empty slice stands for zeros.
#[derive(Clone, Copy, Default)]
pub struct EpisodesBars<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub act: &'a [f64],
    pub sensors: &'a [f64],
}

/// Receives the adjoints of all elements: nv×count, nv×count, na×count, nu×steps×count, np×count.
#[derive(Default)]
pub struct EpisodesAdjoint<'a> {
    pub q0: Option<&'a mut [f64]>,
    pub v0: Option<&'a mut [f64]>,
    pub act0: Option<&'a mut [f64]>,
    pub u: Option<&'a mut [f64]>,
    pub p: Option<&'a mut [f64]>,
}

impl Batch {
    /// Makes the workspaces of sensors, for [`Batch::run_episodes`] with readings.
    pub(super) fn reserve_sensors(&mut self) -> Result<()> {
        let sim = self.elements[0].sim();
        let (m, count) = (sim.model(), self.count());
        if self.sensors.len() == count {
            return Ok(());
        }
        let rows = m.nsensordata() + m.nv();
        let one = 8 * (rows as u128 + 8) * (8 * m.nv() + m.nu() + m.na() + 8) as u128;
        let is_room = is_there(one.saturating_mul(count as u128));
        if !is_room || self.sensors.try_reserve_exact(count).is_err() {
            return Err(Error::capacity(format!(
                "sensors: there is no memory for the readings of {count} simulations"
            )));
        }
        let made = self.elements.iter().map(|x| Sensors::new(x.sim()));
        self.sensors.extend(made);
        Ok(())
    }

    /// Runs a trajectory of up to `steps` steps in every element, as [`Rollout::run_episode`] does, with the
    /// readings of sensors at every state. Elements that are not wanted have length 0.
    ///
    /// An element whose start is refused leaves its part of the results untouched, and has no rollout. One
    /// whose step fails ends before this step; readings that could not be taken stay untouched. Both
    /// have their status in `each`; the others go on.
    ///
    /// # Errors
    /// As [`Batch::step`], with those of [`Rollout::run_episode`] and [`Batch::reserve`].
    pub fn run_episodes(
        &mut self,
        episodes: &Episodes<'_>,
        out: EpisodesOut<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        let (e, steps, count) = (episodes, episodes.steps, self.count());
        if steps == 0 {
            return Err(Error::invalid("steps must be positive, got 0"));
        }
        let (nq, nv, nu) = self.sizes();
        let (na, ns) = (self.model().na(), self.model().nsensordata());
        let np = self.np(!e.p.is_empty())?;
        let states = steps.saturating_add(1);
        let given = |x: &[f64]| (!x.is_empty()).then_some(x.len());
        let wanted = |x: &Option<&mut [f64]>| x.as_ref().map(|x| x.len());
        for (name, len, rows) in [
            ("q0", Some(e.q0.len()), nq),
            ("v0", Some(e.v0.len()), nv),
            ("u", Some(e.u.len()), nu.saturating_mul(steps)),
            ("act0", given(e.act0), na),
            ("p", given(e.p), np),
            ("q", wanted(&out.q), nq.saturating_mul(states)),
            ("v", wanted(&out.v), nv.saturating_mul(states)),
            ("act", wanted(&out.act), na.saturating_mul(states)),
            ("sensors", wanted(&out.sensors), ns.saturating_mul(states)),
            (
                "lengths",
                (!e.lengths.is_empty()).then_some(e.lengths.len()),
                1,
            ),
        ] {
            self.check(name, len, rows)?;
        }
        if let Some(i) = e.lengths.iter().position(|&n| n > steps) {
            let n = e.lengths[i];
            return Err(Error::invalid(format!(
                "lengths[{i}] must be at most {steps}, got {n}"
            )));
        }
        let m = self.model();
        check_bounds([e.lower, e.upper], m.free_nq() + m.free_nv())?;
        self.fit(steps)?;
        let EpisodesOut {
            q,
            v,
            act,
            sensors: data,
        } = out;
        if data.is_some() {
            self.reserve_sensors()?;
        }
        let [q, v, act, data] = [(q, nq), (v, nv), (act, na), (data, ns)]
            .map(|(x, rows)| x.map(|x| Parts::new(x, rows * states)));
        let mut sensors = std::mem::take(&mut self.sensors);
        let rooms = Parts::new(&mut sensors, 1);
        // The episode of an element, and memory for its readings.
        let of = |i: usize| {
            let column = |x, rows: usize| column(x, i, rows, count);
            // SAFETY: element i is given to one thread.
            let ([q, v, act, data], room) = unsafe {
                let outs = [&q, &v, &act, &data];
                let outs = outs.map(|x| x.as_ref().map(|x| x.part(i)));
                (outs, rooms.part(i))
            };
            let episode = Episode {
                q0: column(e.q0, nq),
                v0: column(e.v0, nv),
                act0: column(e.act0, na),
                u: column(e.u, nu * steps),
                steps,
                length: e.lengths.get(i).copied().unwrap_or(steps),
                lower: e.lower,
                upper: e.upper,
            };
            let readings = data.zip(room.first_mut()).map(|(data, sensors)| Readings {
                sensors,
                data,
                bar: &[],
            });
            (episode, Trajectory { q, v, act }, readings)
        };
        let set = |i: usize, element: &mut Rollout| match e.p.is_empty() {
            true => Ok(()),
            false => element.sim_mut().set_params(column(e.p, i, np, count)),
        };
        let alone = |i: usize, element: &mut Rollout| {
            set(i, element)?;
            let (episode, out, mut readings) = of(i);
            let observer = readings.as_mut().map(|x| x as &mut dyn Observer);
            let ended = element.run_episode(&episode, out, observer)?;
            ended.failure.map_or(Ok(()), Err)
        };
        // New parameters may couple joints, or be refused.
        let outcome = match e.p.is_empty() {
            false => self.for_each(each, alone),
            true => self.for_fours(each, alone, |first, beside, elements| {
                let mut parts = [0, 1, 2, 3].map(|k| of(first + k));
                let runs = parts.each_mut().map(|(episode, out, readings)| {
                    let observer = readings.as_mut().map(|x| x as &mut dyn Observer);
                    EpisodeRun::new(*episode, std::mem::take(out), observer)
                });
                let ended = run_episodes_side_by_side(beside, elements, runs);
                ended.map(|of| of.and_then(|ended| ended.failure.map_or(Ok(()), Err)))
            }),
        };
        self.sensors = sensors;
        outcome
    }

    /// Gradient of a function of all elements' last rollouts and of their sensors, each as
    /// [`Rollout::adjoint_of`] gives it.
    ///
    /// # Errors
    /// As [`Batch::rollout_adjoint`], and those of
    /// [`Sim::sensor_vjp`](crate::step::Sim::sensor_vjp). `Unsupported` for a gradient by
    /// parameters on which a reading may depend beside the state.
    pub fn episodes_adjoint(
        &mut self,
        bars: EpisodesBars<'_>,
        out: EpisodesAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        let (_, nv, nu) = self.sizes();
        let (na, ns, count) = (self.model().na(), self.model().nsensordata(), self.count());
        let np = self.np(out.p.is_some())?;
        let steps = self.rollout_steps()?;
        let states = steps + 1;
        for (name, x, rows) in [
            ("q_bar", bars.q, nv),
            ("v_bar", bars.v, nv),
            ("act_bar", bars.act, na),
            ("sensors_bar", bars.sensors, ns),
        ] {
            self.check(name, (!x.is_empty()).then_some(x.len()), rows * states)?;
        }
        let mut outputs = [
            ("q0_bar", out.q0, nv),
            ("v0_bar", out.v0, nv),
            ("act0_bar", out.act0, na),
            ("u_bar", out.u, nu * steps),
            ("p_bar", out.p, np),
        ];
        for (name, x, rows) in &outputs {
            self.check(name, x.as_ref().map(|x| x.len()), *rows)?;
        }
        let by_params = outputs[4].1.is_some() && np > 0;
        if !bars.sensors.is_empty() {
            if by_params {
                self.check_readings()?;
            }
            self.reserve_sensors()?;
        }
        let parts = outputs
            .each_mut()
            .map(|(_, x, rows)| x.as_deref_mut().map(|x| Parts::new(x, *rows)));
        let mut sensors = std::mem::take(&mut self.sensors);
        let rooms = Parts::new(&mut sensors, 1);
        let outcome = self.for_each(each, |i, element| {
            let column = |x, rows: usize| column(x, i, rows * states, count);
            // SAFETY: element i is given to one thread.
            let ([q0, v0, act0, u, p], room) = unsafe {
                let outs = parts.each_ref().map(|x| x.as_ref().map(|x| x.part(i)));
                (outs, rooms.part(i))
            };
            let states = RolloutBars {
                q: column(bars.q, nv),
                v: column(bars.v, nv),
                act: column(bars.act, na),
            };
            let bar = column(bars.sensors, ns);
            let reads = !bar.is_empty();
            let mut readings = room.first_mut().filter(|_| reads).map(|sensors| Readings {
                sensors,
                data: &mut [],
                bar,
            });
            let out = RolloutAdjoint { q0, v0, act0, u, p };
            let observer = readings.as_mut().map(|x| x as &mut dyn Observer);
            element.adjoint_of(states, out, observer)
        });
        self.sensors = sensors;
        outcome
    }

    /// Number of steps that element i took in its last rollout; `None` without one.
    ///
    /// # Errors
    /// `InvalidArgument` for an index out of range.
    pub fn taken(&self, i: usize) -> Result<Option<usize>> {
        let count = self.count();
        let element = self.elements.get(i);
        let taken = element.map(Rollout::steps);
        taken.ok_or_else(|| super::bad_element(i, count))
    }

    /// Labels of element i's steps in the last [`Batch::run_episodes`], as known without a derivative. None
    /// for an element without a rollout.
    ///
    /// # Errors
    /// `InvalidArgument` for an index out of range.
    pub fn known_labels(&self, i: usize) -> Result<&[Gradient]> {
        let count = self.count();
        let element = self.elements.get(i);
        let labels = element.map(Rollout::known_labels);
        labels.ok_or_else(|| super::bad_element(i, count))
    }

    /// Refuses a gradient by parameters on which a reading depends beside the state.
    fn check_readings(&self) -> Result<()> {
        let kinematic = (self.model().sensors().iter()).all(|s| s.reading.is_kinematic());
        let selected = |r: &Rollout| r.sim().selected().iter().any(|p| p.kind.displaces());
        if kinematic && !self.elements.iter().any(selected) {
            return Ok(());
        }
        Err(Error::unsupported(
            "p_bar: with sensors_bar it is known for sensors of the positions and velocities of frames and \
             joints, and parameters that displace no joint",
        ))
    }
}

/// Columns of element i; none of an array that is not there.
fn column(x: &[f64], i: usize, rows: usize, count: usize) -> &[f64] {
    match x.len() == rows * count {
        true => &x[i * rows..(i + 1) * rows],
        false => &[],
    }
}
