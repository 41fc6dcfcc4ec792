//! Smoothed derivatives of the last step, for those who want to feel the next contact before it
//! happens. They never change a step: everything runs on a copy of the simulation.
//!
//! **Randomized.** With x = (q, v, u), ξ standard normal and Σ the widths, the smoothed step is
//! F̄(δ) = E[f(x ⊕ (δ + Σ ξ)) ⊖ f(x)], and its Jacobian at δ = 0 is estimated
//! - to first order by the mean of the exact Jacobians at x ⊕ Σ ξ, carried to the tangents at x and
//!   f(x). It has little variance, but is blind to jumps of f, such as that of v⁺ at an impact;
//! - to zeroth order by the mean of [f(x ⊕ Σ ξ) − f(x ⊕ −Σ ξ)] (Σ⁻¹ ξ)ᵀ/2, which sees jumps, at a
//!   variance that grows with 1/width.
//!
//! Both use every ξ with both signs. Suh et al., Do differentiable simulators give better policy
//! gradients? (ICML 2022), compare the two.
//!
//! **Central path.** The exact Jacobian of the step with complementarity relaxed by κ, see
//! [`crate::contact::relaxed`]. A contact or limit farther than `reach` from closing has no part;
//! where it enters, the relaxed step jumps by about κ h/(reach) in impulse.

use super::normal::Normal;
use crate::error::{Error, Result};
use crate::joint::{block_mul, block_tr_mul};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::model::topology::{Link, Topology};
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
    /// Standard deviations of the random displacements: of every entry of the tangent of q
    /// [m or rad], of v [m/s or rad/s] and of u. Zero leaves that input where it is.
    pub width_q: f64,
    pub width_v: f64,
    pub width_u: f64,
    /// Number of random displacements; each takes two steps.
    pub pairs: usize,
    pub seed: u64,
    /// Pairs that may fail before the whole is refused.
    pub max_failures: usize,
    /// Product of impulse and velocity that the central path keeps [J].
    pub kappa: f64,
    /// Contacts and limits at up to this distance take part in the central path [m or rad].
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

/// What a smoothed derivative is made of.
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

impl Sim {
    /// Smoothed Jacobians of the last step; shapes as in [`StepJacobians`]. By parameters the mean
    /// over random states is taken too; parameters themselves are not displaced.
    ///
    /// Works on a copy of the simulation, made on the heap: the steps that follow have the same bits
    /// with and without this call.
    ///
    /// # Errors
    /// `NoStep` before a step, `InvalidArgument` naming the option, output or missing workspace,
    /// `NotConverged` if more pairs than `max_failures` had a step or derivative that failed (with
    /// the first cause), or if the relaxed problem was not solved. Nothing is written then.
    pub fn smoothed_jacobians(
        &self,
        options: &Smoothing,
        out: StepJacobians<'_>,
    ) -> Result<SmoothingInfo> {
        options.check()?;
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        let mut mean = Mean::new(out, [nv, nv, nu, np], nv)?;
        let zeroth = options.method == SmoothingMethod::ZerothOrder;
        if !zeroth {
            self.need_step()?;
        } else {
            self.need_taken()?;
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
            let mut sim = self.relaxed(options)?;
            sim.step_jacobians(mean.sample())?;
            mean.add_sample();
            mean.deliver(1.0)?;
            return Ok(info);
        }
        let mut pair = Pair::new(self)?;
        let mut rng = Normal::new(options.seed);
        let mut cause = None;
        for _ in 0..options.pairs {
            pair.draw(options, &mut rng);
            let done = if zeroth {
                pair.difference(self).map(|()| mean.correlate(&pair))
            } else {
                pair.jacobians(self, &mut mean)
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

    /// The last step with complementarity relaxed: what [`SmoothingMethod::CentralPath`] is the
    /// Jacobian of; lengths nq, nv. The method, κ and the reach are those of `options`, the rest does
    /// not matter. The simulation stays as it is.
    ///
    /// # Errors
    /// As [`Sim::smoothed_jacobians`]; `InvalidArgument` for another method.
    pub fn relaxed_step(
        &self,
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
        check_length("q_next", q_next, self.model.nq())?;
        check_length("v_next", v_next, self.model.nv())?;
        self.need_taken()?;
        let sim = self.relaxed(options)?;
        q_next.copy_from_slice(&sim.state.q_next);
        v_next.copy_from_slice(&sim.state.v_next);
        Ok(())
    }

    /// A copy whose last step is this one's, relaxed.
    fn relaxed(&self, options: &Smoothing) -> Result<Sim> {
        if self.options.contact == Contact::Convex {
            return Err(Error::unsupported(
                "smoothing.method: CentralPath relaxes rigid contact; with Convex, expected a randomized one",
            ));
        }
        let mut sim = self.renewed()?;
        let mut warm = vec![0.0; self.memory_size()];
        self.get_memory(&mut warm)?;
        sim.set_memory(&warm)?;
        sim.widen_speculative_margin(options.reach);
        let (mut q, mut v) = (vec![0.0; self.model.nq()], vec![0.0; self.model.nv()]);
        let s = &self.state;
        sim.step(&s.q, &s.v, &s.u, &mut q, &mut v)?;
        sim.relax_last_step(options.kappa)?;
        Ok(sim)
    }
}

fn wide_links(t: &Topology) -> impl Iterator<Item = &Link> {
    t.links.iter().filter(|l| l.kind.quaternion().is_some())
}

/// A displacement with both signs, and the simulation that steps from there.
struct Pair {
    sim: Sim,
    warm: Vec<f64>,
    /// Standard normal, and times the widths: of q, v, u one after the other.
    xi: Vec<f64>,
    shift: Vec<f64>,
    widths: [f64; 3],
    tangent: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    /// Tangent of q⁺ at the last step's, then v⁺; for zeroth order of one sign less that of the other.
    outcome: Vec<f64>,
    other: Vec<f64>,
}

impl Pair {
    fn new(sim: &Sim) -> Result<Pair> {
        let m = sim.model();
        let (nq, nv, nu) = (m.nq(), m.nv(), m.nu());
        let mut warm = vec![0.0; sim.memory_size()];
        sim.get_memory(&mut warm)?;
        Ok(Pair {
            sim: sim.renewed()?,
            warm,
            xi: vec![0.0; 2 * nv + nu],
            shift: vec![0.0; 2 * nv + nu],
            widths: [0.0; 3],
            tangent: vec![0.0; nv],
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            u: vec![0.0; nu],
            q_next: vec![0.0; nq],
            v_next: vec![0.0; nv],
            outcome: vec![0.0; 2 * nv],
            other: vec![0.0; 2 * nv],
        })
    }

    fn draw(&mut self, options: &Smoothing, rng: &mut Normal) {
        let nv = self.v.len();
        self.widths = [options.width_q, options.width_v, options.width_u];
        for (k, (x, shift)) in self.xi.iter_mut().zip(&mut self.shift).enumerate() {
            *x = rng.next();
            *shift = *x * self.widths[(k / nv.max(1)).min(2)];
        }
    }

    /// Steps from the state displaced by `sign` times the shift; the outcome is kept.
    fn step(&mut self, base: &Sim, sign: f64) -> Result<()> {
        let nv = self.v.len();
        let s = &base.state;
        for (t, x) in self.tangent.iter_mut().zip(&self.shift) {
            *t = sign * x;
        }
        base.model.integrate(&s.q, &self.tangent, &mut self.q);
        for (k, v) in self.v.iter_mut().enumerate() {
            *v = s.v[k] + sign * self.shift[nv + k];
        }
        for (k, u) in self.u.iter_mut().enumerate() {
            *u = s.u[k] + sign * self.shift[2 * nv + k];
        }
        self.sim.set_memory(&self.warm)?;
        self.sim.step(
            &self.q,
            &self.v,
            &self.u,
            &mut self.q_next,
            &mut self.v_next,
        )?;
        let info = self.sim.step_info()?;
        if !info.converged {
            return Err(Error::not_converged(format!(
                "the contact solver stopped at residual {:e}",
                info.residual
            )));
        }
        let (dq, dv) = self.outcome.split_at_mut(nv);
        base.model.difference(&s.q_next, &self.q_next, dq);
        dv.copy_from_slice(&self.v_next);
        Ok(())
    }

    /// `outcome` ← f(x ⊕ Σ ξ) − f(x ⊕ −Σ ξ).
    fn difference(&mut self, base: &Sim) -> Result<()> {
        self.step(base, 1.0)?;
        std::mem::swap(&mut self.outcome, &mut self.other);
        self.step(base, -1.0)?;
        for (a, b) in self.outcome.iter_mut().zip(&self.other) {
            *a = b - *a;
        }
        Ok(())
    }

    /// Adds the Jacobians at both displaced states to the mean, or none.
    fn jacobians(&mut self, base: &Sim, mean: &mut Mean<'_>) -> Result<()> {
        mean.pair.iter_mut().for_each(|x| x.fill(0.0));
        for sign in [1.0, -1.0] {
            self.step(base, sign)?;
            self.sim.step_jacobians(mean.sample())?;
            mean.carry(&base.model, &self.tangent, &self.outcome)?;
            mean.add_to_pair();
        }
        mean.add_pair();
        Ok(())
    }
}

/// Sums of the Jacobians that were asked for.
struct Mean<'a> {
    out: [Option<&'a mut [f64]>; 8],
    sum: [Vec<f64>; 8],
    /// Of one pair, so that a pair that fails halfway leaves no trace.
    pair: [Vec<f64>; 8],
    one: [Vec<f64>; 8],
    nv: usize,
}

impl<'a> Mean<'a> {
    fn new(out: StepJacobians<'a>, columns: [usize; 4], nv: usize) -> Result<Mean<'a>> {
        let names = [
            "dq_dq", "dq_dv", "dq_du", "dq_dp", "dv_dq", "dv_dv", "dv_du", "dv_dp",
        ];
        let out = [
            out.dq_dq, out.dq_dv, out.dq_du, out.dq_dp, out.dv_dq, out.dv_dv, out.dv_du, out.dv_dp,
        ];
        for (i, x) in out.iter().enumerate() {
            if let Some(x) = x {
                check_length(names[i], x, nv * columns[i % 4])?;
            }
        }
        let sum = out
            .each_ref()
            .map(|x| vec![0.0; x.as_ref().map_or(0, |x| x.len())]);
        Ok(Mean {
            pair: sum.clone(),
            one: sum.clone(),
            out,
            sum,
            nv,
        })
    }

    /// Whether a Jacobian by q, v, u or p (0–3) was asked for and has columns.
    fn wants(&self, kind: usize) -> bool {
        !self.sum[kind].is_empty() || !self.sum[kind + 4].is_empty()
    }

    /// Buffers for one sample's Jacobians, where they were asked for.
    fn sample(&mut self) -> StepJacobians<'_> {
        let mut i = 0;
        let [a, b, c, d, e, f, g, h] = self.one.each_mut().map(|x| {
            i += 1;
            self.out[i - 1].is_some().then_some(&mut x[..])
        });
        StepJacobians {
            dq_dq: a,
            dq_dv: b,
            dq_du: c,
            dq_dp: d,
            dv_dq: e,
            dv_dv: f,
            dv_du: g,
            dv_dp: h,
        }
    }

    /// Carries a sample's Jacobians from the tangents at the displaced q and its q⁺ to those at the
    /// last step's q and q⁺, from which they are `shift` and `outcome` away.
    fn carry(&mut self, model: &Model, shift: &[f64], outcome: &[f64]) -> Result<()> {
        let (t, nv) = (model.topology(), self.nv);
        for l in wide_links(t) {
            let at = l.iv..l.iv + l.kind.nv();
            let from = l.kind.integrate_blocks(&shift[at.clone()]).by_w;
            for i in [0, 4] {
                for r in 0..self.one[i].len().min(nv) {
                    let mut x = [0.0; 6];
                    let x = &mut x[..at.len()];
                    for (x, c) in x.iter_mut().zip(at.clone()) {
                        *x = self.one[i][c * nv + r];
                    }
                    block_tr_mul(&from, x);
                    for (x, c) in x.iter().zip(at.clone()) {
                        self.one[i][c * nv + r] = *x;
                    }
                }
            }
            let to = l.kind.integrate_blocks(&outcome[at.clone()]).by_w;
            let Some(inverse) = to[0].inverse() else {
                return Err(Error::numerical("a rotation of π between the outcomes"));
            };
            // [[A, B], [0, A]]⁻¹ = [[A⁻¹, −A⁻¹ B A⁻¹], [0, A⁻¹]]
            let across = inverse.mul_mat(&to[1]).mul_mat(&inverse) * -1.0;
            let to = [inverse, across, inverse];
            for i in 0..4 {
                for column in self.one[i].chunks_exact_mut(nv) {
                    block_mul(&to, &mut column[at.clone()]);
                }
            }
        }
        Ok(())
    }

    fn add_to_pair(&mut self) {
        add(&mut self.pair, &self.one);
    }

    fn add_pair(&mut self) {
        add(&mut self.sum, &self.pair);
    }

    fn add_sample(&mut self) {
        add(&mut self.sum, &self.one);
    }

    /// Adds a pair's difference times its displacement.
    fn correlate(&mut self, pair: &Pair) {
        let nv = self.nv;
        for (i, sum) in self.sum.iter_mut().enumerate() {
            let rows = &pair.outcome[(i / 4) * nv..(i / 4 + 1) * nv];
            let kind = i % 4;
            for (k, column) in sum.chunks_exact_mut(nv.max(1)).enumerate() {
                let weight = pair.xi[kind * nv + k] / (2.0 * pair.widths[kind]);
                for (s, x) in column.iter_mut().zip(rows) {
                    *s += weight * x;
                }
            }
        }
    }

    fn deliver(mut self, scale: f64) -> Result<()> {
        for x in self.sum.iter_mut().flatten() {
            *x *= scale;
        }
        if !self.sum.iter().all(|x| all_finite(x)) {
            return Err(Error::numerical("a smoothed Jacobian is not finite"));
        }
        for (out, sum) in self.out.into_iter().zip(&self.sum) {
            if let Some(out) = out {
                out.copy_from_slice(sum);
            }
        }
        Ok(())
    }
}

fn add(to: &mut [Vec<f64>; 8], from: &[Vec<f64>; 8]) {
    for (to, x) in to.iter_mut().flatten().zip(from.iter().flatten()) {
        *to += x;
    }
}
