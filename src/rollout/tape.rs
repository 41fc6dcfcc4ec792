//! The kept states of a trajectory.

use crate::error::{Error, Result};
use crate::linalg::grow;
use crate::step::Sim;

/// States one after the other: q, v, and the memory of the step.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    memory: Vec<f64>,
    nq: usize,
    nv: usize,
    nm: usize,
    na: usize,
}

impl Tape {
    pub fn new(sim: &Sim, count: usize) -> Result<Self> {
        let (nq, nv, nm) = (sim.model().nq(), sim.model().nv(), sim.memory_size());
        Ok(Tape {
            q: room(nq, count)?,
            v: room(nv, count)?,
            memory: room(nm, count)?,
            nq,
            nv,
            nm,
            na: sim.act().len(),
        })
    }

    pub fn record(&mut self, i: usize, sim: &Sim, q: &[f64], v: &[f64]) -> Result<()> {
        grow(&mut self.q, (i + 1) * self.nq);
        grow(&mut self.v, (i + 1) * self.nv);
        grow(&mut self.memory, (i + 1) * self.nm);
        self.q[i * self.nq..][..self.nq].copy_from_slice(q);
        self.v[i * self.nv..][..self.nv].copy_from_slice(v);
        sim.get_memory(&mut self.memory[i * self.nm..][..self.nm])
    }

    pub fn q(&self, i: usize) -> &[f64] {
        &self.q[i * self.nq..][..self.nq]
    }

    pub fn v(&self, i: usize) -> &[f64] {
        &self.v[i * self.nv..][..self.nv]
    }

    pub fn memory(&self, i: usize) -> &[f64] {
        &self.memory[i * self.nm..][..self.nm]
    }

    /// Activations, which are at the end of the memory.
    pub fn act(&self, i: usize) -> &[f64] {
        &self.memory(i)[self.nm - self.na..]
    }
}

/// Capacity for `n · count` numbers, or an error if memory does not suffice. It stays untouched until a run
/// needs it.
pub(super) fn room(n: usize, count: usize) -> Result<Vec<f64>> {
    let mut v = Vec::new();
    v.try_reserve_exact(n.saturating_mul(count)).map_err(|_| {
        Error::capacity(format!(
            "max_steps: there is no memory for {n} × {count} numbers"
        ))
    })?;
    Ok(v)
}
