//! The drives of a step's actuators: their inputs or, for actuators with a state, their activations.
//!
//! An activation act goes to act⁺ = g(act, u) once per step, with every scheme. Forces depend on one number
//! w for each actuator, its drive: u for an actuator without a state, otherwise act (or act⁺, if the file
//! says `actearly`). The step depends on (u, act) only through w and g:
//!
//!   δw = w_u δu + w_act δact,   δact⁺ = g_u δu + g_act δact,
//!   ū = w_uᵀ w̄ + g_uᵀ āct⁺,   āct = w_actᵀ w̄ + g_actᵀ āct⁺.

use super::info::REACH;
use crate::error::{Error, Result};
use crate::linalg::within;
use crate::model::Model;
use crate::model::activation::NextActivation;
use crate::model::bounded::bounded;

/// Activations of a step, and the drives of its actuators.
#[derive(Clone, Debug)]
pub(crate) struct Drives {
    /// na numbers, at the start and at the end of the step.
    pub act: Vec<f64>,
    pub next: Vec<f64>,
    /// Drive w of each actuator; nu numbers.
    pub drive: Vec<f64>,
    /// Distance of the activations from the next jump of their slopes.
    pub margin: f64,
    /// Same for activations with `actearly`, whose value at the end of the step is the drive.
    pub drive_margin: f64,
    slopes: Vec<ActivationSlopes>,
}

/// Slopes of one activation by u and act.
#[derive(Clone, Copy, Debug, Default)]
struct ActivationSlopes {
    /// The actuator that it drives.
    actuator: usize,
    next: [f64; 2],
    drive: [f64; 2],
    /// Distance to the next jump of the slopes.
    margin: f64,
}

impl Drives {
    pub fn new(model: &Model) -> Drives {
        let of = |(actuator, _)| ActivationSlopes {
            actuator,
            ..ActivationSlopes::default()
        };
        let slopes: Vec<ActivationSlopes> = model.activated().map(of).collect();
        Drives {
            act: vec![0.0; slopes.len()],
            next: vec![0.0; slopes.len()],
            drive: vec![0.0; model.nu()],
            margin: f64::INFINITY,
            drive_margin: f64::INFINITY,
            slopes,
        }
    }

    /// Takes the inputs and activations of a step of `h` seconds.
    ///
    /// # Errors
    /// `Numerical` if an activation is not finite.
    pub fn take(&mut self, model: &Model, h: f64, u: &[f64], act: &[f64]) -> Result<()> {
        self.drive.copy_from_slice(u);
        (self.margin, self.drive_margin) = (f64::INFINITY, f64::INFINITY);
        if self.slopes.is_empty() {
            return Ok(());
        }
        self.act.copy_from_slice(act);
        let list = self.slopes.iter_mut().zip(&mut self.next);
        for (i, ((slopes, next), act)) in list.zip(act).enumerate() {
            let a = &model.actuators()[slopes.actuator];
            let Some(state) = &a.activation else {
                return Err(Error::internal("an activation is missing"));
            };
            let input = bounded(u[slopes.actuator], a.control_range);
            let NextActivation {
                act: end,
                by_u,
                by_act,
                margin,
            } = state.next(h, input.value, *act);
            if !end.is_finite() || !within(REACH, &[by_u, by_act]) {
                return Err(Error::numerical(format!(
                    "act[{i}] or its slope would not be finite after the step: it or u[{}] is too large, or a time constant too small",
                    slopes.actuator
                )));
            }
            *next = end;
            slopes.next = [input.times(by_u), by_act];
            (self.drive[slopes.actuator], slopes.drive) = match state.early {
                true => (end, slopes.next),
                false => (*act, [0.0, 1.0]),
            };
            let margin = margin.min(input.margin);
            slopes.margin = margin;
            self.margin = self.margin.min(margin);
            if state.early {
                self.drive_margin = self.drive_margin.min(margin);
            }
        }
        Ok(())
    }

    /// True if there are activations.
    pub fn are_states(&self) -> bool {
        !self.slopes.is_empty()
    }

    /// The actuators that activations drive.
    pub fn driven(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.slopes.iter().map(|s| s.actuator)
    }

    /// The actuators whose activations are at a jump of their slopes.
    pub fn at_jumps(&self) -> impl Iterator<Item = usize> + '_ {
        let jumps = self.slopes.iter().filter(|s| s.margin == 0.0);
        jumps.map(|s| s.actuator)
    }

    /// Converts columns by w to columns by u, in place, and by act; all with the same rows.
    pub fn share(&self, by_u: &mut [f64], by_act: &mut [f64]) {
        if self.slopes.is_empty() || by_u.is_empty() {
            return;
        }
        let rows = by_act.len() / self.slopes.len();
        for (s, act) in self.slopes.iter().zip(by_act.chunks_exact_mut(rows)) {
            let u = &mut by_u[s.actuator * rows..][..rows];
            for (act, u) in act.iter_mut().zip(u) {
                *act = s.drive[1] * *u;
                *u *= s.drive[0];
            }
        }
    }

    /// For each activation: the actuator that it drives, and ∂w by u and act.
    pub fn drive_slopes(&self) -> impl Iterator<Item = (usize, [f64; 2])> + '_ {
        self.slopes.iter().map(|s| (s.actuator, s.drive))
    }

    /// For an actuator with a state: the number of its activation, and ∂w by u and act.
    pub fn state_of(&self, actuator: usize) -> Option<(usize, [f64; 2])> {
        let state = self.slopes.iter().position(|s| s.actuator == actuator)?;
        Some((state, self.slopes[state].drive))
    }

    /// For each activation: the actuator that it drives, and ∂act⁺ by u and act.
    pub fn next_slopes(&self) -> impl Iterator<Item = (usize, [f64; 2])> + '_ {
        self.slopes.iter().map(|s| (s.actuator, s.next))
    }

    /// δw and δact⁺; an empty direction is zero.
    pub fn direction(&self, du: &[f64], dact: &[f64], drive: &mut [f64], next: &mut [f64]) {
        match du.is_empty() {
            true => drive.fill(0.0),
            false => drive.copy_from_slice(du),
        }
        for (i, (s, next)) in self.slopes.iter().zip(next).enumerate() {
            let along = |x: &[f64], i: usize| x.get(i).copied().unwrap_or(0.0);
            let (u, act) = (along(du, s.actuator), along(dact, i));
            drive[s.actuator] = s.drive[0] * u + s.drive[1] * act;
            *next = s.next[0] * u + s.next[1] * act;
        }
    }

    /// Converts w̄ in `u_bar` to ū in place, and computes āct; an empty āct⁺ is zero.
    pub fn adjoint(&self, next: &[f64], u_bar: &mut [f64], act_bar: &mut [f64]) {
        for (i, (s, act_bar)) in self.slopes.iter().zip(act_bar).enumerate() {
            let end = next.get(i).copied().unwrap_or(0.0);
            let drive = u_bar[s.actuator];
            u_bar[s.actuator] = s.drive[0] * drive + s.next[0] * end;
            *act_bar = s.drive[1] * drive + s.next[1] * end;
        }
    }
}
