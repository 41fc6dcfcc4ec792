//! Derivatives of the last step's contact impulses.
//!
//! An impulse's components are those along its contact's own frame (t₁ t₂ n), which moves with the
//! bodies; in the world it is f = t₁ λ₁ + t₂ λ₂ + n λ₃, and its derivative that of the product, with the
//! frame's motion from [`Sim::contact_derivatives`].
//!
//! **Redundant contacts.** Where the constraints of a step depend on each other (four points under a
//! flat foot) the impulses are not unique: the step reports those of least norm. What is given here then
//! is one way to share out the change: the generalized force that all impulses together exert varies as
//! it should, but no single impulse needs to. The calls say so.

use super::adjoints::StepAdjoint;
use super::contact::ImpulseBar;
use super::impulse_workspace::{Direction, parts};
use super::info::{check_finite, check_length, deliver};
use super::link::Seed;
use super::sim::Sim;
use crate::error::{Error, Result};

/// Where the Jacobians of the contact impulses go: column-major, rows t₁, t₂, n [N s] of each contact in
/// the order of [`Sim::contacts`]; columns by the tangent of q, by v, u and the selected parameters.
#[derive(Default)]
pub struct ImpulseJacobians<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_u: Option<&'a mut [f64]>,
    pub by_p: Option<&'a mut [f64]>,
}

/// Whether derivatives of impulses are those of the impulses that the step reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpulseGradient {
    /// The constraints are independent: every impulse is unique, and has the derivative given.
    Unique,
    /// They depend on each other: only the generalized force of all impulses has the derivative given.
    Shared,
}

impl Sim {
    fn need_impulses(&self) -> Result<()> {
        self.need_step()?;
        match self.forces.penalty {
            Some(_) => Err(Error::unsupported(
                "derivatives of contact impulses are not there for contact Penalty, whose impulses are none of a solver",
            )),
            None => Ok(()),
        }
    }

    /// Derivative of the contact impulses of the last step along (dq, dv, du, dp); lengths nv, nv, nu, np,
    /// an empty slice stands for zero. `dimpulse` has 3 entries a contact.
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

    /// Adjoint of the contact impulses of the last step: from ∂L/∂(impulses), 3 entries a contact, to
    /// ∂L/∂(q, v, u, p); lengths nv, nv, nu, np. It costs one [`Sim::step_vjp`].
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

    /// Jacobians of the contact impulses of the last step: row by row, each at the cost of one
    /// [`Sim::impulse_vjp`], or column by column, each at that of one [`Sim::impulse_jvp`], whichever are fewer.
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
            // By the sizes alone, so that a block's bits do not depend on which others are wanted.
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

    /// Lends the workspace while the simulation is used.
    fn with_direction<T>(
        &mut self,
        run: impl FnOnce(&mut Sim, &mut Direction) -> Result<T>,
    ) -> Result<T> {
        let mut direction = std::mem::take(&mut self.direction);
        let done = run(self, &mut direction);
        self.direction = direction;
        done
    }

    /// What the last direction does to the impulses.
    fn write_impulses(&self, out: &mut [f64]) {
        if let Some(c) = &self.contact {
            c.impulse_direction(out);
        }
    }

    /// Finds a change of the last step's impulses of which no motion tells: zero where impulses are unique, else one in general
    /// position. Whether it is known. After a derivative of the step.
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

    /// How the change that [`Sim::find_idle_impulses`] found weighs, and how much it would where all of it is as large as the largest.
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
