//! Derivatives of the last step's contact impulses.
//!
//! The components of an impulse are along its contact's own frame (t₁ t₂ n), which moves with the bodies.
//! In world axes the impulse is f = t₁ λ₁ + t₂ λ₂ + n λ₃; its derivative follows from the product rule,
//! with the frame's motion from [`Sim::contact_derivatives`].
//!
//! **Redundant contacts.** If the constraints of a step are redundant (four points under a flat foot), the
//! impulses are not unique, and the step reports the least-norm impulses. Then the derivative here belongs
//! to one of many choices of the impulses: the generalized force of all impulses together has the right
//! derivative, but a single impulse may not. The calls report this.

use super::adjoints::StepAdjoint;
use super::contact::ImpulseBar;
use super::impulse_workspace::{Direction, parts};
use super::info::{check_finite, check_length, deliver};
use super::link::Seed;
use super::sim::Sim;
use crate::error::{Error, Result};

/// Destination of the Jacobians of the contact impulses: column-major; rows t₁, t₂, n [N s] of each contact
/// in the order of [`Sim::contacts`]; columns by the tangent of q, by v, u and the selected parameters.
#[derive(Default)]
pub struct ImpulseJacobians<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_u: Option<&'a mut [f64]>,
    pub by_p: Option<&'a mut [f64]>,
}

/// Whether the derivatives belong to the impulses that the step reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpulseGradient {
    /// The constraints are independent: every impulse is unique and has the returned derivative.
    Unique,
    /// The constraints are redundant: only the generalized force of all impulses has the returned
    /// derivative.
    Shared,
}

impl Sim {
    fn need_impulses(&self) -> Result<()> {
        self.need_step()?;
        match self.forces.penalty {
            Some(_) => Err(Error::unsupported(
                "derivatives of contact impulses are not available with contact Penalty, which solves for no impulses",
            )),
            None => Ok(()),
        }
    }

    /// Derivative of the contact impulses of the last step along (dq, dv, du, dp). Lengths nv, nv, nu, np;
    /// an empty slice is zero. `dimpulse` has 3 entries per contact.
    ///
    /// # Errors
    /// As [`Sim::step_jvp`].
    pub fn impulse_jvp(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        du: &[f64],
        dp: &[f64],
        dimpulse: &mut [f64],
    ) -> Result<ImpulseGradient> {
        self.need_impulses()?;
        check_length("dimpulse", dimpulse, 3 * self.contacts().len())?;
        self.with_direction(|sim, d| {
            sim.step_jvp(dq, dv, du, dp, &mut d.dq_next, &mut d.dv_next)?;
            let made = &mut d.bar[..dimpulse.len()];
            sim.write_impulses(made);
            let gradient = sim.impulse_gradient()?;
            deliver([("dimpulse", made, Some(dimpulse))])?;
            Ok(gradient)
        })
    }

    /// Adjoint of the contact impulses of the last step: from ∂L/∂(impulses), 3 entries per contact, to
    /// ∂L/∂(q, v, u, p). Lengths nv, nv, nu, np. It costs one [`Sim::step_vjp`].
    ///
    /// # Errors
    /// As [`Sim::step_vjp`].
    pub fn impulse_vjp(
        &mut self,
        impulse_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<ImpulseGradient> {
        self.need_impulses()?;
        check_finite("impulse_bar", impulse_bar, 3 * self.contacts().len())?;
        self.with_direction(|sim, d| {
            d.dq_next.fill(0.0);
            let seed = Seed {
                impulses: ImpulseBar::of_contacts(impulse_bar),
                ..Seed::of(&d.dq_next, &d.dq_next, &[])
            };
            let out = StepAdjoint {
                q: q_bar,
                v: v_bar,
                u: u_bar,
                p: p_bar,
                ..StepAdjoint::default()
            };
            sim.adjoint(&seed, out)?;
            sim.impulse_gradient()
        })
    }

    /// Jacobians of the contact impulses of the last step. They are computed by rows, with one
    /// [`Sim::impulse_vjp`] each, or by columns, with one [`Sim::impulse_jvp`] each, depending on which are
    /// fewer.
    ///
    /// # Errors
    /// As [`Sim::step_jvp`].
    pub fn impulse_jacobians(&mut self, out: ImpulseJacobians<'_>) -> Result<ImpulseGradient> {
        self.need_impulses()?;
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        let rows = 3 * self.contacts().len();
        let sizes = [nv, nv, nu, np];
        let outs = [
            ("by_q", out.by_q),
            ("by_v", out.by_v),
            ("by_u", out.by_u),
            ("by_p", out.by_p),
        ];
        for ((name, out), columns) in outs.iter().zip(sizes) {
            if let Some(out) = out {
                check_length(name, out, rows * columns)?;
            }
        }
        let outs = outs.map(|(_, out)| out);
        self.with_direction(|sim, d| {
            let wanted = outs.each_ref().map(Option::is_some);
            // The choice depends only on the sizes, so that the bits of a block do not depend on which
            // other blocks are wanted.
            if rows < sizes.iter().sum() {
                sim.impulse_rows(d, wanted, rows)?;
            } else {
                sim.impulse_columns(d, wanted, rows)?;
            }
            let gradient = sim.impulse_gradient()?;
            let [q, v, u, p] = parts(&mut d.matrices, sizes.map(|n| rows * n));
            let [to_q, to_v, to_u, to_p] = outs;
            deliver([
                ("by_q", q, to_q),
                ("by_v", v, to_v),
                ("by_u", u, to_u),
                ("by_p", p, to_p),
            ])?;
            Ok(gradient)
        })
    }

    fn impulse_rows(&mut self, d: &mut Direction, wanted: [bool; 4], rows: usize) -> Result<()> {
        d.dq_next.fill(0.0);
        for row in 0..rows {
            d.bar.fill(0.0);
            d.bar[row] = 1.0;
            let Direction {
                bar,
                bars,
                dq_next,
                matrices,
                ..
            } = d;
            let outs = parts(matrices, bars.each_ref().map(|b| rows * b.len()));
            let [q, v, u, p] = bars.each_mut().map(|b| &mut b[..]);
            let seed = Seed {
                impulses: ImpulseBar::of_contacts(&bar[..rows]),
                ..Seed::of(dq_next, dq_next, &[])
            };
            let out = StepAdjoint {
                q: wanted[0].then_some(q),
                v: wanted[1].then_some(v),
                u: wanted[2].then_some(u),
                p: wanted[3].then_some(p),
                ..StepAdjoint::default()
            };
            self.adjoint(&seed, out)?;
            for (out, bar) in outs.into_iter().zip(bars) {
                for (x, bar) in out.iter_mut().skip(row).step_by(rows).zip(bar) {
                    *x = *bar;
                }
            }
        }
        Ok(())
    }

    fn impulse_columns(&mut self, d: &mut Direction, wanted: [bool; 4], rows: usize) -> Result<()> {
        let sizes = d.bars.each_ref().map(Vec::len);
        let outs = parts(&mut d.matrices, sizes.map(|n| rows * n));
        for (kind, (out, n)) in outs.into_iter().zip(sizes).enumerate() {
            if !wanted[kind] {
                continue;
            }
            for (k, column) in out.chunks_exact_mut(rows.max(1)).enumerate() {
                d.unit.fill(0.0);
                d.unit[k] = 1.0;
                let mut along: [&[f64]; 4] = [&[]; 4];
                along[kind] = &d.unit[..n];
                let [dq, dv, du, dp] = along;
                self.step_jvp(dq, dv, du, dp, &mut d.dq_next, &mut d.dv_next)?;
                self.write_impulses(column);
            }
        }
        Ok(())
    }

    /// Lends the workspace to `run`.
    fn with_direction<T>(
        &mut self,
        run: impl FnOnce(&mut Sim, &mut Direction) -> Result<T>,
    ) -> Result<T> {
        let mut direction = std::mem::take(&mut self.direction);
        let done = run(self, &mut direction);
        self.direction = direction;
        done
    }

    /// The variation of the impulses along the last direction.
    fn write_impulses(&self, out: &mut [f64]) {
        if let Some(c) = &self.contact {
            c.impulse_direction(out);
        }
    }

    /// Finds a change of the last step's impulses in the null space of G: zero if the impulses are unique,
    /// otherwise a random one. True if it could be determined. After a derivative of the step.
    pub(crate) fn find_idle_impulses(&mut self) -> Result<bool> {
        let is_unique = self.impulse_gradient()? == ImpulseGradient::Unique;
        self.prepare()?;
        let (t, mass) = (self.model.topology(), &mut self.dynamics.mass);
        match &mut self.contact {
            Some(c) if is_unique => c.no_idle_impulses(),
            Some(c) => return c.find_idle_impulses(t, mass),
            None => {}
        }
        Ok(true)
    }

    /// Value of the linear functional `bar` on the change from [`Sim::find_idle_impulses`], and its value
    /// if all entries had the magnitude of the largest.
    pub(crate) fn idle_weight(&self, bar: &ImpulseBar<'_>) -> [f64; 2] {
        self.contact
            .as_ref()
            .map_or([0.0; 2], |c| c.idle_weight(bar))
    }

    fn impulse_gradient(&mut self) -> Result<ImpulseGradient> {
        let independent = match &mut self.contact {
            Some(c) => c.independent()?,
            None => true,
        };
        Ok(if independent {
            ImpulseGradient::Unique
        } else {
            ImpulseGradient::Shared
        })
    }
}
