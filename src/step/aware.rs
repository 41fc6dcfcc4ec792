//! The aware adjoint: the largest of the step's adjoint and the adjoints in modes that a descent reaches.

use super::adjoints::{Adjoints, StepAdjoint};
use super::info::{Aware, check_finite};
use super::link::{Bars, Seed};
use super::sim::Sim;
use crate::contact::law::Turn;
use crate::error::{Error, Result, Status};

impl Sim {
    /// [`Sim::step_vjp`], or a larger adjoint of the step in modes to which a descent of L leads.
    ///
    /// For the normal impulses λ, ∂L/∂λ = J A⁻¹ ∂L/∂v⁺. A descent of L can change the mode of contacts and
    /// limits with ∂L/∂λ < 0: it pulls active ones apart, and an impulse on an open one lowers L. Two other
    /// adjoints are computed. One treats these active contacts and limits as separating. The other treats
    /// these open ones as active: sticking if they do not slip, otherwise sliding. Positions, velocities
    /// and impulses remain those of the step.
    ///
    /// Of the three, the result is the one whose u_bar (with the gradient by activations) has the largest
    /// Euclidean norm; v_bar for a model without inputs. If norms are equal to nine digits, the exact
    /// adjoint is returned. v_bar is not compared if there are inputs, because releasing contacts nearly
    /// always makes it larger, even where no input has an effect. q_bar is not compared because through an
    /// active contact it is v_bar/h, which no other term would outweigh. For a law without modes the exact
    /// adjoint is always returned.
    ///
    /// # Errors
    /// As [`Sim::step_vjp`]. Then nothing is written.
    pub fn step_vjp_aware(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<Aware> {
        let nv = self.model.nv();
        check_finite("q_next_bar", q_next_bar, nv)?;
        check_finite("v_next_bar", v_next_bar, nv)?;
        let out = StepAdjoint {
            q: q_bar,
            v: v_bar,
            u: u_bar,
            p: p_bar,
            ..StepAdjoint::default()
        };
        self.adjoint_aware(&Seed::of(q_next_bar, v_next_bar, &[]), out)
    }

    /// Result of the last [`Sim::step_vjp_aware`] of the last step.
    ///
    /// # Errors
    /// `NoStep` if it was not called after the step.
    pub fn aware(&self) -> Result<Aware> {
        self.need_taken()?;
        self.state.aware.ok_or_else(|| {
            Error::no_step("no complementarity-aware adjoint was computed since the step")
        })
    }

    /// [`Sim::step_vjp_aware`] in a trajectory: includes the adjoint by the integrator's state between
    /// steps.
    pub(crate) fn adjoint_aware(&mut self, seed: &Seed<'_>, out: StepAdjoint<'_>) -> Result<Aware> {
        self.refuse_with_loads("the aware gradient")?;
        let by_parameters = self.prepare_adjoint(&out)?;
        let Some(mut both) = self.adjoints.take() else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        let found = self.largest(seed, by_parameters, &mut both);
        if let Ok(aware) = found {
            let from = &both[0];
            for (to, from) in [
                (out.q, &from.q),
                (out.v, &from.v),
                (out.act, &from.act),
                (out.u, &from.u),
                (out.p, &from.p),
                (out.carried, &from.carried),
            ] {
                if let Some(to) = to {
                    to.copy_from_slice(from);
                }
            }
            self.state.aware = Some(aware);
        }
        self.adjoints = Some(both);
        found
    }

    /// Computes the largest adjoint in `best`.
    fn largest(
        &mut self,
        seed: &Seed<'_>,
        by_parameters: bool,
        [best, other]: &mut [Adjoints; 2],
    ) -> Result<Aware> {
        self.adjoint_into(seed, by_parameters, best)?;
        let mut aware = Aware::default();
        // ∂L/∂λ is the same in every adjoint.
        for turn in [Turn::Release, Turn::Hold] {
            let resorted = match &mut self.contact {
                Some(c) if c.has_rows() => c.sort_by_descent(turn)?,
                _ => 0,
            };
            if resorted == 0 {
                continue;
            }
            let found = self.adjoint_into(seed, by_parameters, other);
            if let Some(c) = &mut self.contact {
                c.put_back()?;
            }
            match found {
                Ok(()) if other.is_finite() && other.is_larger(best) => {
                    std::mem::swap(best, other);
                    aware = Aware {
                        other: true,
                        resorted,
                    };
                }
                // A larger adjoint is optional: a numerical failure only leaves it out.
                Err(e) if e.status != Status::Numerical => return Err(e),
                _ => {}
            }
        }
        Ok(aware)
    }

    fn adjoint_into(
        &mut self,
        seed: &Seed<'_>,
        by_parameters: bool,
        to: &mut Adjoints,
    ) -> Result<()> {
        let mut bars = Bars {
            u: Some(&mut to.u),
            p: by_parameters.then_some(&mut to.p),
        };
        self.with_linear(|sim, lin| {
            sim.backward(lin, seed, &mut bars)?;
            to.q.copy_from_slice(&lin.q_sum);
            to.v.copy_from_slice(&lin.v_sum);
            to.carried.copy_from_slice(&lin.carried);
            to.act.copy_from_slice(&lin.act);
            Ok(())
        })
    }
}
