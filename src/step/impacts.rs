//! The position jump caused by a change of impact times, in the chain of a step and in its Jacobians; the
//! equations are in [`contact::impact`](super::contact).

use super::contact::ContactStage;
use super::info::REACH;
use super::linearization::*;
use super::parameters::At;
use super::taken::{Taken, at};
use crate::error::{Error, Result};
use crate::linalg::within;

/// The variable by which a column of this jump is the derivative.
enum By {
    /// The gap of an impact.
    Gap(usize),
    Parameter(usize),
}

impl Taken<'_> {
    /// Number of contacts of the last step that rebound; after [`Taken::linearize`].
    pub(super) fn impacts(&self) -> usize {
        self.contact.as_ref().map_or(0, |c| c.impacts())
    }

    /// Calls `visit` for each selected parameter that changes gaps, after [`ContactStage::parameter`] for
    /// it.
    fn for_surfaces(
        &mut self,
        lin: &mut Linearization,
        mut visit: impl FnMut(&mut ContactStage, usize),
    ) {
        let (Some(c), Some(d)) = (&mut self.contact, &self.dynamics.derivatives) else {
            return;
        };
        for (i, p) in self.selected.iter().enumerate() {
            if p.kind.moves_surfaces() {
                c.parameter(&at!(self, d), p, &mut lin.column);
                visit(c, i);
            }
        }
    }

    /// Writes S to [`Linearization::left`] from the gap variations in [`ContactStage`].
    fn displace(&mut self, lin: &mut Linearization) -> Result<()> {
        let (t, mass) = (self.model.topology(), &mut self.dynamics.mass);
        match &mut self.contact {
            Some(c) => c.displacement(t, mass, &mut lin.left),
            None => Ok(()),
        }
    }

    /// S along a displacement (empty for zero), and along the selected parameters times their `scale`.
    pub(super) fn leave(
        &mut self,
        lin: &mut Linearization,
        dq: &[f64],
        scale: impl Fn(usize) -> f64,
    ) -> Result<()> {
        if self.impacts() == 0 {
            return Ok(());
        }
        if let Some(c) = &mut self.contact {
            c.meet(dq);
        }
        self.for_surfaces(lin, |c, i| c.meet_by_parameter(scale(i)));
        self.displace(lin)
    }

    /// Adjoint of [`Taken::leave`]: adds to the adjoints of q and of the parameters from the adjoint of S.
    pub(super) fn leave_transposed(
        &mut self,
        lin: &mut Linearization,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        if self.impacts() == 0 {
            return Ok(());
        }
        let (t, mass) = (self.model.topology(), &mut self.dynamics.mass);
        if let Some(c) = &mut self.contact {
            c.displacement_adjoint(t, mass, &mut lin.left, &mut lin.q_sum)?;
        }
        if let Some(out) = p_bar {
            self.for_surfaces(lin, |c, i| out[i] += c.meeting_adjoint());
        }
        Ok(())
    }

    /// Calls `visit` for the jump of q⁺ by each impact's gap, and by each selected parameter that changes
    /// gaps.
    fn for_left(
        &mut self,
        lin: &mut Linearization,
        [by_q, by_p]: [bool; 2],
        mut visit: impl FnMut(&Taken<'_>, &Linearization, By) -> Result<()>,
    ) -> Result<()> {
        let impacts = if by_q { self.impacts() } else { 0 };
        let parameters = if by_p { self.np() } else { 0 };
        for k in 0..impacts + parameters {
            let by = if k < impacts {
                if let Some(c) = &mut self.contact {
                    c.meet_one(k);
                }
                self.displace(lin)?;
                By::Gap(k)
            } else {
                let p = k - impacts;
                if !self.selected[p].kind.moves_surfaces() {
                    continue;
                }
                self.leave(lin, &[], |i| f64::from(u8::from(i == p)))?;
                By::Parameter(p)
            };
            let at = self.state.start(self.model, self.options.time_step);
            self.integrator.displace(&at, &mut lin.left);
            visit(self, lin, by)?;
        }
        Ok(())
    }

    /// Checks that the columns of [`Taken::add_left`] are finite.
    pub(super) fn check_left(&mut self, lin: &mut Linearization, wanted: [bool; 2]) -> Result<()> {
        if self.impacts() == 0 {
            return Ok(());
        }
        self.for_left(lin, wanted, |_, lin, _| match within(REACH, &lin.left) {
            true => Ok(()),
            false => Err(Error::numerical("a Jacobian of the step is not finite")),
        })
    }

    /// Adds the position jumps to the Jacobians of q⁺ by q and by the parameters.
    pub(super) fn add_left(
        &mut self,
        lin: &mut Linearization,
        sparse: bool,
        mut dq_dq: Option<&mut [f64]>,
        mut dq_dp: Option<&mut [f64]>,
    ) -> Result<()> {
        if self.impacts() == 0 {
            return Ok(());
        }
        let wanted = [dq_dq.is_some(), dq_dp.is_some()];
        self.for_left(lin, wanted, |step, lin, by| {
            match (by, &step.contact, &mut dq_dq, &mut dq_dp) {
                (By::Gap(i), Some(c), Some(out), _) => {
                    let [mut dofs, ..] = lin.kinds();
                    if sparse {
                        dofs = dofs.packed(&lin.starts[0]);
                    }
                    c.for_gap(i, |k, by_q| {
                        for row in dofs.spans(k).iter().cloned().flatten() {
                            out[dofs.index(k, row)] += lin.left[row] * by_q;
                        }
                    });
                }
                (By::Parameter(p), _, _, Some(out)) => {
                    let nv = lin.left.len();
                    for (out, x) in out[p * nv..][..nv].iter_mut().zip(&lin.left) {
                        *out += x;
                    }
                }
                _ => {}
            }
            Ok(())
        })
    }
}
