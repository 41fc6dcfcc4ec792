//! Reduced coordinates at the interface of batches: [`edge`](super::edge) for columns of all elements, each
//! with the reductions of its own sim.

use super::edge;
use crate::batch::{
    Batch, BatchAdjoint, BatchRolloutAdjoint, Episodes, EpisodesAdjoint, EpisodesBars, EpisodesOut,
};
use crate::error::{Error, Result, Status};
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::step::StepJacobians;

/// Arguments and results of all elements in the coordinates of all joints. Empty without reductions.
#[derive(Default)]
pub struct BatchEdge {
    q: Vec<f64>,
    v: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    matrices: Vec<f64>,
    product: Vec<f64>,
    /// States of the last rollouts, and gradients by them.
    states_q: Vec<f64>,
    states_v: Vec<f64>,
    q_bar: Vec<f64>,
    v_bar: Vec<f64>,
}

fn grow(x: &mut Vec<f64>, n: usize) -> Result<()> {
    let more = n.saturating_sub(x.len());
    if x.try_reserve_exact(more).is_err() {
        return Err(Error::capacity(format!(
            "there is no memory for {n} numbers of all joints"
        )));
    }
    x.resize(n.max(x.len()), 0.0);
    Ok(())
}

/// Lengths of q and v: of all joints, and reduced.
struct Sizes {
    whole: [usize; 2],
    free: [usize; 2],
}

impl Sizes {
    fn of(m: &Model) -> Sizes {
        Sizes {
            whole: [m.nq(), m.nv()],
            free: [m.free_nq(), m.free_nv()],
        }
    }
}

/// Calls `act` for each column of all elements.
fn each_column(
    batch: &Batch,
    from: (usize, &[f64]),
    to: (usize, &mut [f64]),
    act: impl FnMut(&Reduction, &[f64], &mut [f64]),
) {
    columns_of(batch, |_| true, from, to, act);
}

/// Writes the states of the elements that are `done` in reduced coordinates.
fn write_states(
    batch: &Batch,
    done: impl Fn(usize) -> bool,
    Sizes { whole, free }: Sizes,
    [all_q, all_v]: [&[f64]; 2],
    [q, v]: [Option<&mut [f64]>; 2],
) {
    if let Some(q) = q {
        let of = ((whole[0], all_q), (free[0], q));
        columns_of(batch, &done, of.0, of.1, |map, x, y| map.q.find(x, y));
    }
    if let Some(v) = v {
        let of = ((whole[1], all_v), (free[1], v));
        columns_of(batch, &done, of.0, of.1, |map, x, y| map.v.restrict(x, y));
    }
}

/// Calls `act` for each column of some elements, with the reductions of the element. Both arrays have their
/// number of rows, and as many columns for each element.
fn columns_of(
    batch: &Batch,
    which: impl Fn(usize) -> bool,
    (rows, from): (usize, &[f64]),
    (to_rows, to): (usize, &mut [f64]),
    mut act: impl FnMut(&Reduction, &[f64], &mut [f64]),
) {
    let per = from.len() / rows.max(1) / batch.count();
    for i in (0..batch.count()).filter(|i| which(*i)) {
        let Some(map) = reduction(batch, i) else {
            continue;
        };
        let from = from[i * per * rows..][..per * rows].chunks_exact(rows.max(1));
        let to = to[i * per * to_rows..][..per * to_rows].chunks_exact_mut(to_rows.max(1));
        from.zip(to).for_each(|(from, to)| act(map, from, to));
    }
}

fn reduction(batch: &Batch, i: usize) -> Option<&Reduction> {
    batch.sim(i).ok()?.params().reduction.as_deref()
}

impl BatchEdge {
    /// Makes memory for steps with np selected parameters.
    pub fn fit(&mut self, batch: &Batch, np: usize) -> Result<()> {
        let (m, count) = (batch.model(), batch.count());
        if m.reduction().is_none() {
            return Ok(());
        }
        let [nq, nv] = Sizes::of(m).whole;
        for x in [&mut self.q, &mut self.q_next] {
            grow(x, nq * count)?;
        }
        for x in [
            &mut self.v,
            &mut self.v_next,
            &mut self.q_bar,
            &mut self.v_bar,
        ] {
            grow(x, nv * count)?;
        }
        grow(
            &mut self.matrices,
            count * nv * (4 * nv + 2 * (m.nu() + np)),
        )?;
        grow(&mut self.product, nv * nv)
    }

    /// Makes memory for rollouts of this number of steps.
    pub fn reserve(&mut self, batch: &Batch, steps: usize) -> Result<()> {
        let m = batch.model();
        if m.reduction().is_none() {
            return Ok(());
        }
        let columns = steps.saturating_add(1).saturating_mul(batch.count());
        let [nq, nv] = Sizes::of(m).whole;
        grow(&mut self.states_q, nq.saturating_mul(columns))?;
        for x in [&mut self.states_v, &mut self.q_bar, &mut self.v_bar] {
            grow(x, nv.saturating_mul(columns))?;
        }
        Ok(())
    }

    /// [`Batch::step`].
    pub fn step(
        &mut self,
        batch: &mut Batch,
        [q, v, u]: [&[f64]; 3],
        [q_next, v_next]: [&mut [f64]; 2],
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.step(q, v, u, q_next, v_next, each);
        }
        let Sizes { whole, free } = Sizes::of(batch.model());
        let n = whole.map(|n| n * batch.count());
        self.take(batch, [q, v]);
        let next = (&mut self.q_next[..n[0]], &mut self.v_next[..n[1]]);
        let outcome = batch.step(&self.q[..n[0]], &self.v[..n[1]], u, next.0, next.1, each);
        let full = (whole[0], &self.q_next[..n[0]]);
        each_column(batch, full, (free[0], q_next), |map, x, y| map.q.find(x, y));
        let full = (whole[1], &self.v_next[..n[1]]);
        each_column(batch, full, (free[1], v_next), |map, x, y| {
            map.v.restrict(x, y)
        });
        outcome
    }

    /// Takes states of all elements.
    fn take(&mut self, batch: &Batch, [q, v]: [&[f64]; 2]) {
        let Sizes { whole, free } = Sizes::of(batch.model());
        let place = |map: &Reduction, y: &[f64], x: &mut [f64]| map.q.place(y, x);
        let expand = |map: &Reduction, y: &[f64], x: &mut [f64]| map.v.expand(y, x);
        each_column(batch, (free[0], q), (whole[0], &mut self.q), place);
        each_column(batch, (free[1], v), (whole[1], &mut self.v), expand);
    }

    /// Takes gradients by states of all elements; an empty array stands for zeros.
    fn take_bars(&mut self, batch: &Batch, [q, v]: [&[f64]; 2]) {
        let Sizes { whole, free } = Sizes::of(batch.model());
        for (from, to) in [(q, &mut self.q_bar), (v, &mut self.v_bar)] {
            if from.is_empty() {
                to.fill(0.0);
            }
            each_column(batch, (free[1], from), (whole[1], to), |map, y, x| {
                map.v.restrict_transposed(y, x);
            });
        }
    }

    /// [`Batch::step_jacobians`].
    pub fn step_jacobians(
        &mut self,
        batch: &mut Batch,
        out: StepJacobians<'_>,
        np: usize,
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.step_jacobians(out, each);
        }
        let (m, count) = (batch.model().clone(), batch.count());
        let (n, k) = (m.nv(), m.free_nv());
        let whole = [n, m.nu(), np].map(|columns| n * columns);
        let free = [k, m.nu(), np].map(|columns| k * columns);
        let by_p =
            batch.sim(0).is_ok_and(edge::moves) && (out.dq_dp.is_some() || out.dv_dp.is_some());
        let all = whole.map(|n| n * count);
        let outcome = batch.step_jacobians(edge::lend(&out, by_p, &mut self.matrices, all), each);
        let mut from = edge::lend(&out, by_p, &mut self.matrices, all);
        let mut out = out;
        for (i, status) in each.iter().enumerate() {
            let (sim, Some(map)) = (batch.sim(i)?, reduction(batch, i)) else {
                continue;
            };
            if *status == Status::Ok {
                let part = edge::part(&mut from, i, whole);
                edge::reduce_step(
                    map,
                    sim,
                    part,
                    &mut self.product,
                    edge::part(&mut out, i, free),
                );
            }
        }
        outcome
    }

    /// [`Batch::step_vjp`].
    pub fn step_vjp(
        &mut self,
        batch: &mut Batch,
        next: [&[f64]; 2],
        out: BatchAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.step_vjp(next[0], next[1], out, each);
        }
        self.take_bars(batch, next);
        let Sizes { whole, free } = Sizes::of(batch.model());
        let n = whole[1] * batch.count();
        let BatchAdjoint {
            q_bar,
            v_bar,
            u_bar,
            mut p_bar,
        } = out;
        let (q, v) = (&mut self.v[..n], &mut self.v_next[..n]);
        let wanted = BatchAdjoint {
            q_bar: Some(&mut *q),
            v_bar: Some(&mut *v),
            u_bar,
            p_bar: p_bar.as_deref_mut(),
        };
        let outcome = batch.step_vjp(&self.q_bar[..n], &self.v_bar[..n], wanted, each);
        for (i, status) in each.iter().enumerate() {
            let (sim, Some(map)) = (batch.sim(i)?, reduction(batch, i)) else {
                continue;
            };
            if let (Some(p), Status::Ok) = (&mut p_bar, status) {
                let (at, np) = (i * whole[1]..(i + 1) * whole[1], sim.np());
                let ([start, end], selected) = (sim.ends(), sim.selected());
                let p = &mut p[i * np..][..np];
                let bars = [&q[at.clone()], &v[at.clone()]];
                edge::add_motion_transposed(map, selected, start, (1.0, p), bars);
                let bars = [&self.q_bar[at.clone()], &self.v_bar[at]];
                edge::add_motion_transposed(map, selected, end, (-1.0, p), bars);
            }
        }
        for (from, to) in [(&*q, q_bar), (&*v, v_bar)] {
            if let Some(to) = to {
                each_column(batch, (whole[1], from), (free[1], to), |map, x, y| {
                    map.v.expand_transposed(x, y);
                });
            }
        }
        outcome
    }

    /// [`Batch::rollout`]; elements that fail keep their columns.
    pub fn rollout(
        &mut self,
        batch: &mut Batch,
        steps: usize,
        [q0, v0, u]: [&[f64]; 3],
        (q, v): (Option<&mut [f64]>, Option<&mut [f64]>),
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.rollout(steps, q0, v0, u, (q, v), each);
        }
        let Sizes { whole, free } = Sizes::of(batch.model());
        self.take(batch, [q0, v0]);
        let (count, states) = (batch.count(), steps + 1);
        let all_q = &mut self.states_q[..whole[0] * states * count];
        let all_v = &mut self.states_v[..whole[1] * states * count];
        // The adjoint by entries of reductions needs all states.
        let moves = batch.sim(0).is_ok_and(edge::moves);
        let want_q = (moves || q.is_some()).then_some(&mut *all_q);
        let want_v = (moves || v.is_some()).then_some(&mut *all_v);
        let (q0, v0) = (&self.q[..whole[0] * count], &self.v[..whole[1] * count]);
        let outcome = batch.rollout(steps, q0, v0, u, (want_q, want_v), each);
        let done = |i: usize| each[i] == Status::Ok;
        let sizes = Sizes { whole, free };
        write_states(batch, done, sizes, [all_q, all_v], [q, v]);
        outcome
    }

    /// [`Batch::rollout_adjoint`]; elements that fail keep their columns.
    pub fn rollout_adjoint(
        &mut self,
        batch: &mut Batch,
        bars: [&[f64]; 2],
        out: BatchRolloutAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.rollout_adjoint(bars[0], bars[1], out, each);
        }
        let states = batch.rollout_steps()? + 1;
        self.take_bars(batch, bars);
        let Sizes { whole, free } = Sizes::of(batch.model());
        let nv = whole[1];
        let (one, n) = (nv * batch.count(), nv * states * batch.count());
        let BatchRolloutAdjoint {
            q0_bar,
            v0_bar,
            u_bar,
            mut p_bar,
        } = out;
        let (q0, v0) = (&mut self.v[..one], &mut self.v_next[..one]);
        let wanted = BatchRolloutAdjoint {
            q0_bar: Some(&mut *q0),
            v0_bar: Some(&mut *v0),
            u_bar,
            p_bar: p_bar.as_deref_mut(),
        };
        let (all_q, all_v) = (&self.q_bar[..n], &self.v_bar[..n]);
        let outcome = batch.rollout_adjoint(all_q, all_v, wanted, each);
        let done = |i: usize| each[i] == Status::Ok;
        if let Some(p) = &mut p_bar {
            let all = [&self.states_q, &self.states_v].map(|x| &x[..]);
            add_motion(batch, (states, done), all, [q0, v0], [all_q, all_v], p)?;
        }
        for (from, to) in [(&*q0, q0_bar), (&*v0, v0_bar)] {
            if let Some(to) = to {
                columns_of(batch, done, (nv, from), (free[1], to), |map, x, y| {
                    map.v.expand_transposed(x, y);
                });
            }
        }
        outcome
    }

    /// [`Batch::run_episodes`]; elements whose start is refused keep their columns.
    pub fn run_episodes(
        &mut self,
        batch: &mut Batch,
        episodes: &Episodes<'_>,
        out: EpisodesOut<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.run_episodes(episodes, out, each);
        }
        let (e, count) = (*episodes, batch.count());
        self.reserve(batch, e.steps)?;
        let states = e.steps + 1;
        if !e.p.is_empty() && e.lengths.iter().all(|n| *n <= e.steps) {
            // The starts depend on the entries. Refused values are refused again by the run.
            for (i, p) in e.p.chunks_exact(e.p.len() / count).enumerate() {
                let _ = batch.sim_mut(i)?.set_params(p);
            }
        }
        let Sizes { whole, free } = Sizes::of(batch.model());
        self.take(batch, [e.q0, e.v0]);
        let all_q = &mut self.states_q[..whole[0] * states * count];
        let all_v = &mut self.states_v[..whole[1] * states * count];
        // An element that does not start leaves this mark.
        let first = whole[0] * states;
        all_q.iter_mut().step_by(first).for_each(|x| *x = f64::NAN);
        let own = Episodes {
            q0: &self.q[..whole[0] * count],
            v0: &self.v[..whole[1] * count],
            ..e
        };
        let EpisodesOut { q, v, act, sensors } = out;
        let wanted = EpisodesOut {
            q: Some(&mut *all_q),
            v: Some(&mut *all_v),
            act,
            sensors,
        };
        let outcome = batch.run_episodes(&own, wanted, each);
        let done = |i: usize| !all_q[i * first].is_nan();
        let sizes = Sizes { whole, free };
        write_states(batch, done, sizes, [all_q, all_v], [q, v]);
        outcome
    }

    /// [`Batch::episodes_adjoint`]; elements that fail keep their columns.
    pub fn episodes_adjoint(
        &mut self,
        batch: &mut Batch,
        bars: EpisodesBars<'_>,
        out: EpisodesAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        if batch.model().reduction().is_none() {
            return batch.episodes_adjoint(bars, out, each);
        }
        let states = batch.rollout_steps()? + 1;
        self.take_bars(batch, [bars.q, bars.v]);
        let Sizes { whole, free } = Sizes::of(batch.model());
        let nv = whole[1];
        let (one, n) = (nv * batch.count(), nv * states * batch.count());
        let EpisodesAdjoint {
            q0: q0_bar,
            v0: v0_bar,
            act0,
            u,
            p: mut p_bar,
        } = out;
        let (q0, v0) = (&mut self.v[..one], &mut self.v_next[..one]);
        let wanted = EpisodesAdjoint {
            q0: Some(&mut *q0),
            v0: Some(&mut *v0),
            act0,
            u,
            p: p_bar.as_deref_mut(),
        };
        let (all_q, all_v) = (&self.q_bar[..n], &self.v_bar[..n]);
        let own = EpisodesBars {
            q: all_q,
            v: all_v,
            ..bars
        };
        let outcome = batch.episodes_adjoint(own, wanted, each);
        let done = |i: usize| each[i] == Status::Ok;
        if let Some(p) = &mut p_bar {
            let all = [&self.states_q, &self.states_v].map(|x| &x[..]);
            add_motion(batch, (states, done), all, [q0, v0], [all_q, all_v], p)?;
        }
        for (from, to) in [(&*q0, q0_bar), (&*v0, v0_bar)] {
            if let Some(to) = to {
                columns_of(batch, done, (nv, from), (free[1], to), |map, x, y| {
                    map.v.expand_transposed(x, y);
                });
            }
        }
        outcome
    }
}

/// Adds the gradients by entries of reductions through the motion of the joints at all `states` of the last
/// rollouts: with the gradients by the start of all joints, and those by all states that the caller gave.
fn add_motion(
    batch: &Batch,
    (states, done): (usize, impl Fn(usize) -> bool),
    [all_q, all_v]: [&[f64]; 2],
    [q0, v0]: [&[f64]; 2],
    [q_bar, v_bar]: [&[f64]; 2],
    p_bar: &mut [f64],
) -> Result<()> {
    let [nq, nv] = Sizes::of(batch.model()).whole;
    for i in (0..batch.count()).filter(|i| done(*i)) {
        let (sim, Some(map)) = (batch.sim(i)?, reduction(batch, i)) else {
            continue;
        };
        let (selected, np) = (sim.selected(), sim.np());
        let p = &mut p_bar[i * np..][..np];
        if !edge::moves(sim) {
            continue;
        }
        for k in i * states..(i + 1) * states {
            let at = [&all_q[k * nq..][..nq], &all_v[k * nv..][..nv]];
            if k == i * states {
                let bars = [&q0[i * nv..][..nv], &v0[i * nv..][..nv]];
                edge::add_motion_transposed(map, selected, at, (1.0, p), bars);
            }
            let bars = [&q_bar[k * nv..][..nv], &v_bar[k * nv..][..nv]];
            edge::add_motion_transposed(map, selected, at, (-1.0, p), bars);
        }
    }
    Ok(())
}
