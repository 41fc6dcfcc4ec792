//! What a step carries to the next one beside the state.

use super::implicit::{Newton, Rule};
use super::info::{check_finite, check_length};
use super::sim::Sim;
use crate::error::{Error, Result};
use crate::linalg::first_not_finite;

impl Sim {
    /// Length of the memory that a step carries to the next one: the warm starts of the contact solver and of Newton's
    /// method, what the integrator carries, and the activations.
    pub fn memory_size(&self) -> usize {
        self.warm_size() + self.guess().len() + self.carried.len() + self.act.len()
    }

    /// Activations where the next step begins; na numbers, zero at first.
    pub fn act(&self) -> &[f64] {
        &self.act
    }

    /// Sets them. The last step and its derivatives stay.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong length, `Numerical` for what is no number.
    pub fn set_act(&mut self, act: &[f64]) -> Result<()> {
        check_finite("act", act, self.act.len())?;
        self.act.copy_from_slice(act);
        Ok(())
    }

    /// How many numbers the integrator carries from step to step.
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

    /// What Newton's method begins with, where there is one.
    fn guess(&self) -> &[f64] {
        match (&self.implicit, &self.theta) {
            (Some(implicit), _) => implicit.newton.memory(),
            (_, Some(theta)) => theta.newton.memory(),
            _ => &[],
        }
    }

    /// Takes from the last step what the next one's Newton's method begins with.
    pub(super) fn remember_guess(&mut self) {
        let (model, h) = (&*self.model, self.options.time_step);
        if let Some(implicit) = &mut self.implicit {
            let count = Rule::all(implicit.formula, &self.state.carried, h).len();
            (implicit.newton).remember(model, implicit.stages.iter().take(count));
        } else if let Some(theta) = &mut self.theta {
            (theta.newton).remember(model, std::iter::once(&theta.stage.at));
        }
    }

    /// Forgets it.
    pub(super) fn forget_guess(&mut self) {
        if let Some(newton) = self.newton_mut() {
            newton.memory_mut().fill(0.0);
        }
    }

    /// Of that what was seen of forces that have been changed.
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

    /// Copies the memory that a step carries to the next one; `memory_size` entries.
    pub fn get_memory(&self, out: &mut [f64]) -> Result<()> {
        check_length("warm", out, self.memory_size())?;
        let (warm, rest) = out.split_at_mut(self.warm_size());
        let (guess, rest) = rest.split_at_mut(self.guess().len());
        let (carried, act) = rest.split_at_mut(self.carried.len());
        guess.copy_from_slice(self.guess());
        if let Some(c) = &self.contact {
            c.constraints.memory.save(warm);
        }
        carried.copy_from_slice(&self.carried);
        act.copy_from_slice(&self.act);
        Ok(())
    }

    /// Restores the memory; the following steps repeat bit for bit.
    pub fn set_memory(&mut self, memory: &[f64]) -> Result<()> {
        check_length("warm", memory, self.memory_size())?;
        let (warm, rest) = memory.split_at(self.warm_size());
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
