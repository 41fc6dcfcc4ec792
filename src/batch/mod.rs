//! Many independent simulations of one model, stepped by a pool of threads.
//!
//! Every element has its own simulation with its own warm start and parameters, so which thread steps it
//! changes no bit. Each simulation belongs to a rollout, so that an element can run many steps in one call
//! and differentiate them. The threads are made at creation and sleep between calls; a call makes no heap
//! call and takes a lock only at its begin and its end.

mod episodes;
mod pool;
mod readings;
mod rollout;
mod slices;

use crate::dynamics::four::SIDE_BY_SIDE;
use crate::error::{Error, Result, Status};
use crate::model::Model;
use crate::model::params::Param;
use crate::rollout::Rollout;
use crate::step::{
    Bytes, Options, SideBySide, Sim, StepJacobians, Stepped, is_there, step_side_by_side,
};
pub use episodes::{Episodes, EpisodesAdjoint, EpisodesBars, EpisodesOut};
use pool::Pool;
use readings::Sensors;
pub use rollout::BatchRolloutAdjoint;
use slices::Parts;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// `count` simulations and the threads that step them.
pub struct Batch {
    elements: Vec<Rollout>,
    /// Error of each element in the last call.
    errors: Vec<Option<Error>>,
    /// Workspaces of the elements' sensors, once made.
    sensors: Vec<Sensors>,
    /// For each thread, if the recursions of four elements may run side by side. One for all elements of a
    /// thread stays in the cache.
    fours: Vec<SideBySide>,
    pool: Pool,
}

/// Where the adjoints of a batch's steps go: tangents nv×count, nv×count, nu×count, np×count.
#[derive(Default)]
pub struct BatchAdjoint<'a> {
    pub q_bar: Option<&'a mut [f64]>,
    pub v_bar: Option<&'a mut [f64]>,
    pub u_bar: Option<&'a mut [f64]>,
    pub p_bar: Option<&'a mut [f64]>,
}

impl Batch {
    /// `threads` take part in each call, the caller's among them: 1 starts none, 0 means one per
    /// core; never more than `count`.
    ///
    /// # Errors
    /// Those of [`Sim::new`]; `InvalidArgument` for an empty batch, `Capacity` where the system
    /// refuses memory or a thread.
    pub fn new(
        model: Arc<Model>,
        options: &Options,
        count: usize,
        threads: usize,
    ) -> Result<Batch> {
        if count == 0 {
            return Err(Error::invalid("count must be positive, got 0"));
        }
        options.for_model(&model).check()?;
        let mut elements = Vec::new();
        let mut errors = Vec::new();
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        let threads = threads.min(count);
        // Fewer fours than threads would leave threads idle.
        let fours = match count / SIDE_BY_SIDE {
            n if n >= threads => threads,
            _ => 0,
        };
        let lanes = Bytes::of_lanes(&model).saturating_mul(fours as u128);
        let each = Bytes::of(&model, options).linear;
        let all = each.saturating_mul(count as u128).saturating_add(lanes);
        let none = || {
            let kb = each / 1000;
            Error::capacity(format!(
                "count: there is no memory for {count} simulations of up to {kb} kB"
            ))
        };
        if !is_there(all)
            || elements.try_reserve_exact(count).is_err()
            || errors.try_reserve_exact(count).is_err()
        {
            return Err(none());
        }
        // Not clones of one: a cloned workspace has no room left to grow into.
        for _ in 0..count {
            elements.push(Rollout::without_steps(Sim::new(model.clone(), options)?)?);
        }
        errors.resize(count, None);
        if !is_there(lanes) {
            return Err(none());
        }
        let fours = (0..fours).map_while(|_| SideBySide::new(elements[0].sim()));
        let fours = fours.collect();
        Ok(Batch {
            elements,
            errors,
            sensors: Vec::new(),
            fours,
            pool: Pool::new(threads)?,
        })
    }

    /// Number of simulations.
    pub fn count(&self) -> usize {
        self.elements.len()
    }

    /// Threads that take part in a call, the caller's among them.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    pub fn model(&self) -> &Arc<Model> {
        self.elements[0].sim().model()
    }

    /// Simulation i of the batch, for its parameters, memory, contacts and facts.
    ///
    /// # Errors
    /// `InvalidArgument` for an index out of range.
    pub fn sim(&self, i: usize) -> Result<&Sim> {
        let count = self.count();
        let element = self.elements.get(i);
        (element.map(Rollout::sim)).ok_or_else(|| bad_element(i, count))
    }

    /// Simulation i of the batch, to set its parameters, wrenches and memory. Its last rollout is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for an index out of range.
    pub fn sim_mut(&mut self, i: usize) -> Result<&mut Sim> {
        let count = self.count();
        let element = self.elements.get_mut(i);
        (element.map(Rollout::sim_mut)).ok_or_else(|| bad_element(i, count))
    }

    /// Chooses the same parameters for all elements; their values stay each element's own.
    ///
    /// # Errors
    /// Those of [`Sim::select_params`]; the earlier choice then stays.
    pub fn select_params(&mut self, list: &[Param]) -> Result<()> {
        (self.elements.iter_mut()).try_for_each(|r| r.select_params(list))
    }

    /// Forgets warm starts and last steps, and sets activations to zero.
    pub fn reset(&mut self) {
        for r in &mut self.elements {
            r.sim_mut().reset();
        }
    }

    /// Steps every element once: q (nq×count), v (nv×count), u (nu×count) to q_next and v_next,
    /// column i for element i.
    ///
    /// An element that fails leaves its columns untouched and its status in `each` (count entries);
    /// the others go on.
    ///
    /// # Errors
    /// The error of the first element that failed, by index, naming it. `InvalidArgument` for a
    /// wrong length: then nothing has happened, and `each` is untouched.
    pub fn step(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        q_next: &mut [f64],
        v_next: &mut [f64],
        each: &mut [Status],
    ) -> Result<()> {
        let (nq, nv, nu) = self.sizes();
        for (name, len, rows) in [
            ("q", q.len(), nq),
            ("v", v.len(), nv),
            ("u", u.len(), nu),
            ("q_next", q_next.len(), nq),
            ("v_next", v_next.len(), nv),
        ] {
            self.check(name, Some(len), rows)?;
        }
        let (q_next, v_next) = (Parts::new(q_next, nq), Parts::new(v_next, nv));
        let ends = |i: usize| {
            let part = |n: usize| i * n..(i + 1) * n;
            let start = [&q[part(nq)], &v[part(nv)], &u[part(nu)]];
            // SAFETY: element i is given to one thread.
            (start, unsafe { [q_next.part(i), v_next.part(i)] })
        };
        let alone = |i: usize, element: &mut Rollout| {
            let ([q, v, u], [q_next, v_next]) = ends(i);
            element.sim_mut().step(q, v, u, q_next, v_next)
        };
        self.for_fours(each, alone, |first, four, elements| {
            let mut i = first;
            let all = elements.each_mut().map(|element| {
                let (start, end) = ends(i);
                i += 1;
                Some(Stepped::new(element.sim_mut(), start, end))
            });
            step_side_by_side(four, all)
        })
    }

    /// Jacobians of every element's last step, stacked: each output is `count` dense matrices of
    /// the shapes of [`StepJacobians`], one after the other.
    ///
    /// # Errors
    /// As [`Batch::step`], with those of [`Sim::step_jacobians`]; `NoStep` for an element without a last
    /// step.
    pub fn step_jacobians(&mut self, out: StepJacobians<'_>, each: &mut [Status]) -> Result<()> {
        let (_, nv, nu) = self.sizes();
        let np = self.np(out.dq_dp.is_some() || out.dv_dp.is_some())?;
        let mut outputs = [
            ("dq_dq", out.dq_dq, nv),
            ("dq_dv", out.dq_dv, nv),
            ("dq_du", out.dq_du, nu),
            ("dq_dp", out.dq_dp, np),
            ("dv_dq", out.dv_dq, nv),
            ("dv_dv", out.dv_dv, nv),
            ("dv_du", out.dv_du, nu),
            ("dv_dp", out.dv_dp, np),
        ];
        for (name, x, columns) in &outputs {
            self.check(name, x.as_ref().map(|x| x.len()), nv * columns)?;
        }
        let parts = outputs
            .each_mut()
            .map(|(_, x, columns)| x.as_deref_mut().map(|x| Parts::new(x, nv * *columns)));
        self.for_each(each, |i, element| {
            // SAFETY: element i is given to one thread.
            let [a, b, c, d, e, f, g, h] = parts
                .each_ref()
                .map(|x| x.as_ref().map(|x| unsafe { x.part(i) }));
            element.last_step().step_jacobians(StepJacobians {
                dq_dq: a,
                dq_dv: b,
                dq_du: c,
                dq_dp: d,
                dv_dq: e,
                dv_dv: f,
                dv_du: g,
                dv_dp: h,
            })
        })
    }

    /// Adjoints of every element's last step from ∂L/∂q⁺ (tangent) and ∂L/∂v⁺, nv×count each.
    ///
    /// # Errors
    /// As [`Batch::step_jacobians`].
    pub fn step_vjp(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        out: BatchAdjoint<'_>,
        each: &mut [Status],
    ) -> Result<()> {
        let (_, nv, nu) = self.sizes();
        let np = self.np(out.p_bar.is_some())?;
        self.check("q_next_bar", Some(q_next_bar.len()), nv)?;
        self.check("v_next_bar", Some(v_next_bar.len()), nv)?;
        let mut outputs = [
            ("q_bar", out.q_bar, nv),
            ("v_bar", out.v_bar, nv),
            ("u_bar", out.u_bar, nu),
            ("p_bar", out.p_bar, np),
        ];
        for (name, x, rows) in &outputs {
            self.check(name, x.as_ref().map(|x| x.len()), *rows)?;
        }
        let parts = outputs
            .each_mut()
            .map(|(_, x, rows)| x.as_deref_mut().map(|x| Parts::new(x, *rows)));
        self.for_each(each, |i, element| {
            // SAFETY: element i is given to one thread.
            let [q_bar, v_bar, u_bar, p_bar] = parts
                .each_ref()
                .map(|x| x.as_ref().map(|x| unsafe { x.part(i) }));
            let at = i * nv..(i + 1) * nv;
            element.last_step().step_vjp(
                &q_next_bar[at.clone()],
                &v_next_bar[at],
                q_bar,
                v_bar,
                u_bar,
                p_bar,
            )
        })
    }

    fn sizes(&self) -> (usize, usize, usize) {
        let m = self.model();
        (m.nq(), m.nv(), m.nu())
    }

    /// Number of selected parameters of an element. If `matters`, all elements must have the same number.
    fn np(&self, matters: bool) -> Result<usize> {
        let np = self.elements[0].sim().np();
        let mut sims = self.elements.iter().map(Rollout::sim);
        match sims.position(|s| s.np() != np) {
            Some(i) if matters => Err(Error::invalid(format!(
                "element {i} has {} selected parameters and element 0 has {np}: outputs by parameters need the same number in all elements",
                self.elements[i].sim().np()
            ))),
            _ => Ok(np),
        }
    }

    /// Checks the length of an array of `rows` numbers per element, if it is there.
    fn check(&self, name: &str, len: Option<usize>, rows: usize) -> Result<()> {
        let count = self.count();
        match len {
            Some(len) if Some(len) != rows.checked_mul(count) => Err(Error::invalid(format!(
                "{name} must have {rows} × {count} entries, got {len}"
            ))),
            _ => Ok(()),
        }
    }

    /// Calls `act` for every element on the threads. A panic becomes `Internal`, and the element
    /// starts anew.
    fn for_each(
        &mut self,
        each: &mut [Status],
        act: impl Fn(usize, &mut Rollout) -> Result<()> + Sync,
    ) -> Result<()> {
        self.check_each(each)?;
        let (elements, errors) = (
            Parts::new(&mut self.elements, 1),
            Parts::new(&mut self.errors, 1),
        );
        self.pool.run(each.len(), &|_, i| {
            // SAFETY: the pool gives every index to one thread.
            let (element, error) = unsafe { (elements.part(i), errors.part(i)) };
            for (element, error) in element.iter_mut().zip(error) {
                *error = attempt(i, element, &act);
            }
        });
        self.tell(each)
    }

    /// [`Batch::for_each`] by `alone`; or by `together` for four elements from `first` on, if their
    /// recursions may run side by side. Both must give each element the same bits.
    fn for_fours(
        &mut self,
        each: &mut [Status],
        alone: impl Fn(usize, &mut Rollout) -> Result<()> + Sync,
        together: impl Fn(
            usize,
            &mut SideBySide,
            &mut [Rollout; SIDE_BY_SIDE],
        ) -> [Result<()>; SIDE_BY_SIDE]
        + Sync,
    ) -> Result<()> {
        if self.fours.is_empty() {
            return self.for_each(each, alone);
        }
        self.check_each(each)?;
        let (elements, errors, fours) = (
            Parts::new(&mut self.elements, SIDE_BY_SIDE),
            Parts::new(&mut self.errors, SIDE_BY_SIDE),
            Parts::new(&mut self.fours, 1),
        );
        let runs = each.len().div_ceil(SIDE_BY_SIDE);
        self.pool.run(runs, &|thread, i| {
            let first = i * SIDE_BY_SIDE;
            // SAFETY: the pool gives every index to one thread, and each thread its number.
            let (elements, errors, four) =
                unsafe { (elements.part(i), errors.part(i), fours.part(thread)) };
            let may = elements.iter().all(|x| x.sim().may_run_beside());
            match (<&mut [_; SIDE_BY_SIDE]>::try_from(&mut *elements), four) {
                (Ok(elements), [four]) if may => {
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        four.take_params(elements.each_ref().map(|x| x.sim().params()));
                        together(first, four, elements)
                    }));
                    let outcomes = outcome
                        .unwrap_or_else(|_| elements.each_mut().map(|x| Err(restore(x.sim_mut()))));
                    for (error, outcome) in errors.iter_mut().zip(outcomes) {
                        *error = outcome.err();
                    }
                }
                _ => {
                    for (k, (element, error)) in elements.iter_mut().zip(errors).enumerate() {
                        *error = attempt(first + k, element, &alone);
                    }
                }
            }
        });
        self.tell(each)
    }

    fn check_each(&self, each: &[Status]) -> Result<()> {
        match (each.len(), self.count()) {
            (len, count) if len != count => Err(Error::invalid(format!(
                "each must have {count} entries, got {len}"
            ))),
            _ => Ok(()),
        }
    }

    /// Writes the status of each element in this call. The error is that of the first element that failed.
    fn tell(&self, each: &mut [Status]) -> Result<()> {
        let mut first = None;
        for (i, (status, error)) in each.iter_mut().zip(&self.errors).enumerate() {
            *status = error.as_ref().map_or(Status::Ok, |e| e.status);
            if first.is_none() {
                first = error.as_ref().map(|e| Error {
                    message: format!("element {i}: {e}"),
                    status: e.status,
                });
            }
        }
        first.map_or(Ok(()), Err)
    }
}

/// The error of `act` for an element, if it fails. A panic is `Internal`, and the element starts anew.
fn attempt(
    i: usize,
    element: &mut Rollout,
    act: impl Fn(usize, &mut Rollout) -> Result<()>,
) -> Option<Error> {
    let outcome = catch_unwind(AssertUnwindSafe(|| act(i, element)));
    outcome
        .unwrap_or_else(|_| Err(restore(element.sim_mut())))
        .err()
}

/// Replaces a simulation whose workspace a panic may have left half written.
fn restore(sim: &mut Sim) -> Error {
    let fresh = catch_unwind(AssertUnwindSafe(|| sim.renewed()));
    if let Ok(Ok(fresh)) = fresh {
        *sim = fresh;
    }
    Error::internal("a defect of the library stopped this element; its warm start was cleared")
}

#[cold]
fn bad_element(i: usize, count: usize) -> Error {
    Error::invalid(format!("element must be in 0..{count}, got {i}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Actuation;
    use crate::model::spec::ModelSpec;
    use crate::step::Contact;
    use std::panic::resume_unwind;

    #[test]
    fn explicit_steps_run_side_by_side() {
        let model = Model::compile(ModelSpec::default(), Actuation::FromFile).unwrap();
        let model = Arc::new(model);
        for (contact, count, threads, fours) in [
            (Contact::None, 7, 1, 1),
            (Contact::None, 9, 2, 2),
            (Contact::None, 8, 3, 0),
            (Contact::Ncp, 8, 1, 1),
        ] {
            let options = Options {
                contact,
                ..Options::default()
            };
            let batch = Batch::new(model.clone(), &options, count, threads).unwrap();
            let can = usize::from(crate::linalg::Wide::here().is_some());
            assert_eq!(batch.fours.len(), can * fours);
        }
    }

    #[test]
    fn a_panic_is_an_internal_error_of_its_element_alone() {
        let model = Arc::new(Model::compile(ModelSpec::default(), Actuation::FromFile).unwrap());
        let mut batch = Batch::new(model, &Options::default(), 20, 3).unwrap();
        let mut each = [Status::Io; 20];
        for _ in 0..3 {
            let e = batch
                .for_each(&mut each, |i, _| {
                    if i == 4 || i == 11 {
                        // Unwinds without the report of a panic.
                        resume_unwind(Box::new(()));
                    }
                    Ok(())
                })
                .unwrap_err();
            assert_eq!(e.status, Status::Internal);
            assert!(e.message.starts_with("element 4:"), "{e}");
            for (i, s) in each.iter().enumerate() {
                let expected = if i == 4 || i == 11 {
                    Status::Internal
                } else {
                    Status::Ok
                };
                assert_eq!(*s, expected);
            }
        }
        batch
            .step(&[], &[], &[], &mut [], &mut [], &mut each)
            .unwrap();
        assert_eq!(each, [Status::Ok; 20]);
    }
}
