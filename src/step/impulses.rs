//! Derivatives of the last step's contact impulses.
//!
//! The components of an impulse are along its contact's own frame (t₁ t₂ n), which moves with the bodies.
//! In world axes the impulse is f = t₁ λ₁ + t₂ λ₂ + n λ₃; its derivative follows from the product rule,
//! with the frame's motion from [`Sim::contact_derivatives`](super::sim::Sim::contact_derivatives).
//!
//! **Redundant contacts.** If the constraints of a step are redundant (four points under a flat foot), the
//! impulses are not unique, and the step reports the least-norm impulses. Then the derivative here belongs
//! to one of many choices of the impulses: the generalized force of all impulses together has the right
//! derivative, but a single impulse may not. The calls report this.

use super::adjoints::StepAdjoint;
use super::contact::ImpulseBar;
use super::impulse_workspace::{Direction, parts};
use super::linearization::Linearization;
use super::link::Seed;
use super::taken::Taken;
use crate::error::Result;

/// Destination of the Jacobians of the contact impulses: column-major; rows t₁, t₂, n [N s] of each contact
/// in the order of [`Sim::contacts`](super::sim::Sim::contacts); columns by the tangent of q, by v, u and
/// the selected parameters.
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

impl Taken<'_> {
    /// Writes the Jacobians by rows, with one adjoint each, or by columns, with one direction each, depending
    /// on which are fewer. Entries not wanted are not written.
    pub(super) fn impulse_matrices(
        &mut self,
        lin: &mut Linearization,
        d: &mut Direction,
        wanted: [bool; 4],
        rows: usize,
    ) -> Result<()> {
        // The choice depends only on the sizes, so that the bits of a block do not depend on which other
        // blocks are wanted.
        match rows < d.bars.iter().map(Vec::len).sum() {
            true => self.impulse_rows(lin, d, wanted, rows),
            false => self.impulse_columns(lin, d, wanted, rows),
        }
    }

    fn impulse_rows(
        &mut self,
        lin: &mut Linearization,
        d: &mut Direction,
        wanted: [bool; 4],
        rows: usize,
    ) -> Result<()> {
        d.dq_next.fill(0.0);
        d.start(rows);
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
            let out = StepAdjoint::of([
                wanted[0].then_some(q),
                wanted[1].then_some(v),
                wanted[2].then_some(u),
                wanted[3].then_some(p),
            ]);
            self.adjoint(lin, &seed, out)?;
            for (out, bar) in outs.into_iter().zip(bars) {
                for (x, bar) in out.iter_mut().skip(row).step_by(rows).zip(bar) {
                    *x = *bar;
                }
            }
        }
        Ok(())
    }

    fn impulse_columns(
        &mut self,
        lin: &mut Linearization,
        d: &mut Direction,
        wanted: [bool; 4],
        rows: usize,
    ) -> Result<()> {
        let sizes = d.bars.each_ref().map(Vec::len);
        d.start(rows);
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
                let next = [&mut d.dq_next[..], &mut d.dv_next];
                self.jvp(lin, [dq, dv, &[], du, dp], next, None)?;
                self.write_impulses(column);
            }
        }
        Ok(())
    }

    /// The variation of the impulses along the last direction.
    pub(super) fn write_impulses(&self, out: &mut [f64]) {
        if let Some(c) = &self.contact {
            c.impulse_direction(out);
        }
    }

    /// Finds a change of the last step's impulses in the null space of G: zero if the impulses are unique,
    /// otherwise a random one. True if it could be determined. After a derivative of the step.
    pub(super) fn find_idle_impulses(&mut self, lin: &mut Linearization) -> Result<bool> {
        let is_unique = self.impulse_gradient()? == ImpulseGradient::Unique;
        self.prepare(lin)?;
        let (t, mass) = (self.model.topology(), &mut self.dynamics.mass);
        match &mut self.contact {
            Some(c) if is_unique => c.no_idle_impulses(),
            Some(c) => return c.find_idle_impulses(t, mass),
            None => {}
        }
        Ok(true)
    }

    /// Finds whether every impulse of the step is unique.
    pub(super) fn impulse_gradient(&mut self) -> Result<ImpulseGradient> {
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
