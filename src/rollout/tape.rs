//! The kept states of a trajectory.

use crate::error::{Error, Result};
use crate::step::Sim;

/// States one after the other: q, v, and the memory of the step, which is as long as the step needs.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    memory: Vec<f64>,
    /// End of each state's memory.
    ends: Vec<usize>,
    nq: usize,
    nv: usize,
    na: usize,
}

impl Tape {
    pub fn new(sim: &Sim, count: usize) -> Result<Self> {
        let (nq, nv, nm) = (sim.model().nq(), sim.model().nv(), sim.memory_size());
        Ok(Tape {
            q: room(nq, count)?,
            v: room(nv, count)?,
            memory: room(nm, count)?,
            ends: room(1, count)?,
            nq,
            nv,
            na: sim.act().len(),
        })
    }

    /// Records state i, and forgets those after it. States are recorded in order.
    pub fn record(&mut self, i: usize, sim: &Sim, q: &[f64], v: &[f64]) {
        debug_assert!(i <= self.ends.len() && i < self.ends.capacity());
        self.q.truncate(i * self.nq);
        self.v.truncate(i * self.nv);
        self.ends.truncate(i);
        self.memory.truncate(self.start(i));
        self.q.extend_from_slice(q);
        self.v.extend_from_slice(v);
        sim.append_memory(&mut self.memory);
        self.ends.push(self.memory.len());
    }

    /// Start of state i's memory.
    fn start(&self, i: usize) -> usize {
        i.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    pub fn q(&self, i: usize) -> &[f64] {
        &self.q[i * self.nq..][..self.nq]
    }

    pub fn v(&self, i: usize) -> &[f64] {
        &self.v[i * self.nv..][..self.nv]
    }

    pub fn memory(&self, i: usize) -> &[f64] {
        &self.memory[self.start(i)..self.ends[i]]
    }

    /// Activations, which are at the end of the memory.
    pub fn act(&self, i: usize) -> &[f64] {
        let memory = self.memory(i);
        &memory[memory.len() - self.na..]
    }
}

/// Capacity for `n · count` numbers, or an error if memory does not suffice. It stays untouched until a run
/// needs it.
pub(super) fn room<T>(n: usize, count: usize) -> Result<Vec<T>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n.saturating_mul(count)).map_err(|_| {
        Error::capacity(format!(
            "max_steps: there is no memory for {n} × {count} numbers"
        ))
    })?;
    Ok(v)
}
