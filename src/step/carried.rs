//! Memory between steps, beside the state.

use super::implicit::{Newton, Rule};
use super::info::{check_finite, check_length};
use super::sim::Sim;
use crate::error::{Error, Result};
use crate::linalg::first_not_finite;

impl Sim {
    /// Length of the memory between steps: the warm starts of the contact solver and of Newton's method,
    /// the integrator's state, and the activations.
    pub fn memory_size(&self) -> usize {
        self.warm_size() + self.guess().len() + self.carried.len() + self.act.len()
    }

    /// Activations at the start of the next step; na numbers, initially zero.
    pub fn act(&self) -> &[f64] {
        &self.act
    }

    /// Sets the activations. The last step and its derivatives do not change.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, `Numerical` for a number that is not finite.
    pub fn set_act(&mut self, act: &[f64]) -> Result<()> {
        check_finite("act", act, self.act.len())?;
        self.act.copy_from_slice(act);
        Ok(())
    }

    /// Length of the integrator's state between steps.
    pub fn carried(&self) -> usize {
        self.carried.len()
    }

    fn newton_mut(&mut self) -> Option<&mut Newton> {
        match (&mut self.implicit, &mut self.theta) {
            (Some(implicit), _) => Some(&mut implicit.newton),
            (_, Some(theta)) => Some(&mut theta.newton),
            _ => None,
        }
    }

    /// Memory of Newton's method; empty without an implicit stage.
    fn guess(&self) -> &[f64] {
        match (&self.implicit, &self.theta) {
            (Some(implicit), _) => implicit.newton.memory(),
            (_, Some(theta)) => theta.newton.memory(),
            _ => &[],
        }
    }

    /// Stores the data from which Newton's method starts in the next step.
    pub(super) fn remember_guess(&mut self) {
        let (model, h) = (&*self.model, self.options.time_step);
        if let Some(implicit) = &mut self.implicit {
            let count = Rule::all(implicit.formula, &self.state.carried, h).len();
            (implicit.newton).remember(model, implicit.stages.iter().take(count));
        } else if let Some(theta) = &mut self.theta {
            (theta.newton).remember(model, std::iter::once(&theta.stage.at));
        }
    }

    /// Forgets the memory of Newton's method.
    pub(super) fn forget_guess(&mut self) {
        if let Some(newton) = self.newton_mut() {
            newton.memory_mut().fill(0.0);
        }
    }

    /// Forgets the curvature γ in the memory of Newton's method, after forces have changed.
    pub(super) fn forget_curvature(&mut self) {
        if let Some(newton) = self.newton_mut() {
            newton.forget_curvature();
        }
    }

    fn warm_size(&self) -> usize {
        self.contact
            .as_ref()
            .map_or(0, |c| c.constraints.memory.size())
    }

    /// Copies the memory between steps; `memory_size` entries.
    pub fn get_memory(&self, out: &mut [f64]) -> Result<()> {
        check_length("warm", out, self.memory_size())?;
        self.write_memory(self.warm_size(), out);
        Ok(())
    }

    /// Appends the memory between steps without the zeros of unused room: most steps use little of it.
    pub(crate) fn append_memory(&self, out: &mut Vec<f64>) {
        let warm = (self.contact.as_ref()).map_or(0, |c| c.constraints.memory.used());
        let (start, rest) = (out.len(), self.memory_size() - self.warm_size());
        out.resize(start + warm + rest, 0.0);
        self.write_memory(warm, &mut out[start..]);
    }

    /// Writes the memory between steps, with this many numbers of the warm start.
    fn write_memory(&self, warm: usize, out: &mut [f64]) {
        let (warm, rest) = out.split_at_mut(warm);
        let (guess, rest) = rest.split_at_mut(self.guess().len());
        let (carried, act) = rest.split_at_mut(self.carried.len());
        guess.copy_from_slice(self.guess());
        if let Some(c) = &self.contact {
            c.constraints.memory.save(warm);
        }
        carried.copy_from_slice(&self.carried);
        act.copy_from_slice(&self.act);
    }

    /// Restores the memory between steps; the following steps repeat bit for bit.
    pub fn set_memory(&mut self, memory: &[f64]) -> Result<()> {
        check_length("warm", memory, self.memory_size())?;
        self.take_memory(memory)
    }

    /// Restores the memory of [`Sim::append_memory`], or that of [`Sim::get_memory`].
    pub(crate) fn take_memory(&mut self, memory: &[f64]) -> Result<()> {
        let rest = self.memory_size() - self.warm_size();
        let (warm, rest) = memory.split_at(memory.len() - rest);
        if let Some(i) = first_not_finite(rest) {
            let i = warm.len() + i;
            return Err(Error::numerical(format!(
                "warm[{i}] must be finite, got {}",
                memory[i]
            )));
        }
        if let Some(c) = &mut self.contact {
            c.constraints.memory.restore(warm)?;
        }
        let (guess, rest) = rest.split_at(self.guess().len());
        let (carried, act) = rest.split_at(self.carried.len());
        if let Some(newton) = self.newton_mut() {
            newton.memory_mut().copy_from_slice(guess);
        }
        self.carried.copy_from_slice(carried);
        self.act.copy_from_slice(act);
        self.forget_step();
        Ok(())
    }
}
