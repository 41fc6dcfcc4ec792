//! Smoothed derivatives of the last step, which show the next contact before it happens. They never change a
//! step: everything runs on a copy of the simulation.
//!
//! **Randomized.** With x = (q, v, u), ξ standard normal and Σ the widths, the smoothed step is F̄(δ) = E[f(x
//! ⊕ (δ + Σ ξ)) ⊖ f(x)], and its Jacobian at δ = 0 is estimated
//!
//! - to first order by the mean of the exact Jacobians at x ⊕ Σ ξ, mapped to the tangents at x and f(x). It
//!   has little variance, but does not see jumps of f, such as that of v⁺ at an impact;
//! - to zeroth order by the mean of [f(x ⊕ Σ ξ) − f(x ⊕ −Σ ξ)] (Σ⁻¹ ξ)ᵀ/2, which sees jumps, at a variance
//!   that grows with 1/width.
//!
//! Both use every ξ with both signs. Suh et al., Do differentiable simulators give better policy gradients?
//! (ICML 2022), compare the two.
//!
//! **Central path.** The exact Jacobian of the step with complementarity relaxed by κ, see
//! [`crate::contact::relaxed`]. A contact or limit farther than `reach` from closing has no part; where it
//! enters, the relaxed step jumps by about κ h/(reach) in impulse.

use super::normal::Normal;
use super::random_pairs::{Mean, Pair};
use crate::error::{Error, Result};
use crate::step::info::check_length;
use crate::step::{Contact, Gradient, Sim, StepJacobians};

/// How a derivative is smoothed.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothingMethod {
    /// Mean of exact Jacobians at random states.
    FirstOrder = 0,
    /// Correlation of outcomes with random displacements.
    ZerothOrder = 1,
    /// Complementarity relaxed by κ.
    CentralPath = 2,
}

/// Options of [`Sim::smoothed_jacobians`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    pub method: SmoothingMethod,
    /// Standard deviations of the random displacements: of every entry of the tangent of q [m or rad], of v
    /// [m/s or rad/s] and of u. Zero leaves this input unchanged.
    pub width_q: f64,
    pub width_v: f64,
    pub width_u: f64,
    /// Number of random displacements; each takes two steps.
    pub pairs: usize,
    pub seed: u64,
    /// Number of pairs that may fail before the call is refused.
    pub max_failures: usize,
    /// Product of impulse and velocity on the central path [J].
    pub kappa: f64,
    /// Contacts and limits within this distance take part in the central path [m or rad].
    pub reach: f64,
}

impl Default for Smoothing {
    fn default() -> Self {
        Smoothing {
            method: SmoothingMethod::FirstOrder,
            width_q: 1e-2,
            width_v: 1e-2,
            width_u: 0.0,
            pairs: 64,
            seed: 0,
            max_failures: 0,
            kappa: 1e-4,
            reach: 0.02,
        }
    }
}

/// Facts about a smoothed derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothingInfo {
    /// [`Gradient::Smoothed`].
    pub gradient: Gradient,
    /// Pairs in the mean, and pairs left out because one of their steps failed.
    pub pairs: usize,
    pub failures: usize,
}

impl Smoothing {
    fn check(&self) -> Result<()> {
        if self.method == SmoothingMethod::CentralPath {
            if !(self.kappa > 0.0 && self.kappa.is_finite()) {
                return Err(Error::invalid(format!(
                    "smoothing.kappa must be positive and finite, got {}",
                    self.kappa
                )));
            }
            if !(self.reach >= 0.0 && self.reach.is_finite()) {
                return Err(Error::invalid(format!(
                    "smoothing.reach must be finite and not negative, got {}",
                    self.reach
                )));
            }
            return Ok(());
        }
        if self.pairs == 0 {
            return Err(Error::invalid("smoothing.pairs must be positive, got 0"));
        }
        let widths = [
            ("width_q", self.width_q),
            ("width_v", self.width_v),
            ("width_u", self.width_u),
        ];
        for (name, x) in widths {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(Error::invalid(format!(
                    "smoothing.{name} must be finite and not negative, got {x}"
                )));
            }
        }
        if widths.iter().all(|(_, x)| *x == 0.0) {
            return Err(Error::invalid(
                "smoothing: one of width_q, width_v, width_u must be positive",
            ));
        }
        Ok(())
    }
}

pub(super) fn smoothed_jacobians(
    sim: &Sim,
    options: &Smoothing,
    out: StepJacobians<'_>,
) -> Result<SmoothingInfo> {
    options.check()?;
    let (nv, nu, np) = (sim.model.nv(), sim.model.nu(), sim.np());
    let mut mean = Mean::new(out, [nv, nv, nu, np], nv)?;
    let zeroth = options.method == SmoothingMethod::ZerothOrder;
    if !zeroth {
        sim.need_step()?;
    } else {
        sim.need_taken()?;
        for (kind, name, width) in [
            (0, "width_q", options.width_q),
            (1, "width_v", options.width_v),
            (2, "width_u", options.width_u),
        ] {
            if mean.wants(kind) && width == 0.0 {
                return Err(Error::invalid(format!(
                    "smoothing.{name} must be positive: an output by it was asked for to \
                     zeroth order"
                )));
            }
        }
        if mean.wants(3) {
            return Err(Error::invalid(
                "dq_dp, dv_dp: parameters are not displaced, so there is no zeroth-order \
                 estimate by them",
            ));
        }
    }
    let mut info = SmoothingInfo {
        gradient: Gradient::Smoothed,
        pairs: 0,
        failures: 0,
    };
    if options.method == SmoothingMethod::CentralPath {
        let mut sim = relaxed(sim, options)?;
        sim.step_jacobians(mean.sample())?;
        mean.add_sample();
        mean.deliver(1.0)?;
        return Ok(info);
    }
    let mut pair = Pair::new(sim)?;
    let mut rng = Normal::new(options.seed);
    let mut cause = None;
    for _ in 0..options.pairs {
        pair.draw(
            [options.width_q, options.width_v, options.width_u],
            &mut rng,
        );
        let done = if zeroth {
            pair.difference(sim).map(|()| mean.correlate(&pair))
        } else {
            pair.jacobians(sim, &mut mean)
        };
        match done {
            Ok(()) => info.pairs += 1,
            Err(e) => {
                info.failures += 1;
                cause.get_or_insert(e);
            }
        }
    }
    if let Some(e) = cause
        && (info.failures > options.max_failures || info.pairs == 0)
    {
        return Err(Error::not_converged(format!(
            "smoothing: {} of {} pairs failed, max_failures is {}; the first: {e}",
            info.failures, options.pairs, options.max_failures
        )));
    }
    let per_pair = if zeroth { 1.0 } else { 2.0 };
    mean.deliver(1.0 / (per_pair * info.pairs as f64))?;
    Ok(info)
}

pub(super) fn relaxed_step(
    sim: &Sim,
    options: &Smoothing,
    q_next: &mut [f64],
    v_next: &mut [f64],
) -> Result<()> {
    if options.method != SmoothingMethod::CentralPath {
        return Err(Error::invalid(format!(
            "smoothing.method must be CentralPath for a relaxed step, got {:?}",
            options.method
        )));
    }
    options.check()?;
    check_length("q_next", q_next, sim.model.nq())?;
    check_length("v_next", v_next, sim.model.nv())?;
    sim.need_taken()?;
    let sim = relaxed(sim, options)?;
    q_next.copy_from_slice(&sim.state.q_next);
    v_next.copy_from_slice(&sim.state.v_next);
    Ok(())
}

/// A copy whose last step is this simulation's, relaxed.
fn relaxed(last: &Sim, options: &Smoothing) -> Result<Sim> {
    last.refuse_with_loads("smoothing.method CentralPath")?;
    if !matches!(last.options.contact, Contact::Ncp | Contact::None) {
        return Err(Error::unsupported(format!(
            "smoothing.method: CentralPath relaxes rigid contact with circular cones; with {:?}, expected a randomized one",
            last.options.contact
        )));
    }
    let mut sim = last.renewed()?;
    let mut warm = vec![0.0; last.memory_size()];
    last.get_memory(&mut warm)?;
    sim.set_memory(&warm)?;
    sim.widen_speculative_margin(options.reach);
    let (mut q, mut v) = (vec![0.0; last.model.nq()], vec![0.0; last.model.nv()]);
    let s = &last.state;
    sim.set_act(&s.drives.act)?;
    sim.step(&s.q, &s.v, &s.u, &mut q, &mut v)?;
    sim.relax_last_step(options.kappa)?;
    Ok(sim)
}
