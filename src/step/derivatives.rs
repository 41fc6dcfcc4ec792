//! The derivatives of the last step, as methods of a simulation. [`Taken`] computes them.

use super::act::ActJacobians;
use super::adjoints::StepAdjoint;
use super::column_labels::ColumnLabels;
use super::contact::ImpulseBar;
use super::forward::AccelerationJacobians;
use super::impulse_workspace::parts;
use super::impulses::{ImpulseGradient, ImpulseJacobians};
use super::info::{Aware, check_finite, check_length, check_wanted, deliver};
use super::inverse::InverseJacobians;
use super::jacobian_pattern::{JacobianEntries, JacobianPattern};
use super::jacobians::StepJacobians;
use super::link::Seed;
use super::sim::Sim;
use super::state::Last;
use super::taken::Taken;
use super::workspace::Workspace;
use crate::error::{Error, Result};

/// The last step and the workspace of its derivatives.
impl Sim {
    pub(crate) fn need_taken(&self) -> Result<()> {
        match self.last {
            Last::Step => Ok(()),
            _ => Err(Error::no_step("a derivative was asked for before a step")),
        }
    }

    pub(crate) fn need_step(&self) -> Result<()> {
        self.need_taken()?;
        match self.workspace {
            Some(_) => Ok(()),
            None => Err(no_workspace()),
        }
    }

    /// The parts that derivatives of the last step use, and their workspace.
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a simulation without derivatives.
    fn differentiate(&mut self) -> Result<(Taken<'_>, &mut Workspace)> {
        self.need_taken()?;
        match self.parts() {
            (taken, Some(workspace)) => Ok((taken, workspace)),
            (_, None) => Err(no_workspace()),
        }
    }
}

/// Jacobians.
impl Sim {
    /// Jacobians of the last step; those by inputs are at fixed activations. See [`StepJacobians`].
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a wrong length or a simulation without derivatives;
    /// `Numerical` for a singular mass matrix, and if constraints nearly depend on each other so that a
    /// derivative would be round-off. Then nothing is written.
    pub fn step_jacobians(&mut self, out: StepJacobians<'_>) -> Result<()> {
        let sizes = self.dense_sizes();
        let (mut taken, w) = self.differentiate()?;
        taken.write_jacobians(&mut w.lin, out, [None, None], sizes, false)
    }

    /// Entries of a dense Jacobian by q or v, and of one by u.
    fn dense_sizes(&self) -> [usize; 2] {
        let nv = self.model.nv();
        [nv * nv, nv * self.model.nu()]
    }

    /// [`Sim::step_jacobians`] without the structural zeros: each matrix has the entries of
    /// [`Sim::jacobian_pattern`]. Columns by parameters are dense.
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`].
    pub fn step_jacobians_sparse(&mut self, out: StepJacobians<'_>) -> Result<()> {
        let (mut taken, w) = self.differentiate()?;
        let entries = taken.jacobian_entries(&mut w.lin)?;
        let sizes = [entries.by_state, entries.by_input];
        taken.write_jacobians(&mut w.lin, out, [None, None], sizes, true)
    }

    /// Numbers of entries of [`Sim::jacobian_pattern`].
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` for a simulation without derivatives; those of
    /// [`Sim::step_jacobians`] after a step of an implicit integrator.
    pub fn jacobian_entries(&mut self) -> Result<JacobianEntries> {
        let (mut taken, w) = self.differentiate()?;
        taken.jacobian_entries(&mut w.lin)
    }

    /// Structural nonzeros of the last step's Jacobians, in the order of [`Sim::step_jacobians_sparse`].
    /// The pattern changes only if other bodies touch than before.
    ///
    /// # Errors
    /// As [`Sim::jacobian_entries`]; `InvalidArgument` for a wrong length; `Capacity` for more entries than
    /// `i32` can count. Then nothing is written.
    pub fn jacobian_pattern(&mut self, out: JacobianPattern<'_>) -> Result<()> {
        let (mut taken, w) = self.differentiate()?;
        taken.jacobian_pattern(&mut w.lin, out)
    }

    /// The part of the last step's Jacobians that [`Sim::step_jacobians`] leaves out; see [`ActJacobians`].
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`]. Then nothing is written.
    pub fn step_act_jacobians(&mut self, out: ActJacobians<'_>) -> Result<()> {
        let (mut taken, w) = self.differentiate()?;
        taken.write_act_jacobians(&mut w.lin, out)
    }

    /// Labels of the columns of the last step's derivative. All are 0 if [`Gradient`](super::Gradient) is not
    /// one-sided.
    /// If the step is one-sided, its exact columns are the derivative on all sides of the switch.
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`].
    pub fn column_labels(&mut self) -> Result<ColumnLabels<'_>> {
        let (nv, nu) = (self.model.nv(), self.model.nu());
        let (mut taken, w) = self.differentiate()?;
        taken.label_columns(&mut w.lin)?;
        let (q, rest) = w.lin.labels.split_at(nv);
        let (v, rest) = rest.split_at(nv);
        let (u, p) = rest.split_at(nu);
        Ok(ColumnLabels { q, v, u, p })
    }
}

/// Directions and adjoints.
impl Sim {
    /// Derivative of the last step along (dq, dv, du, dp) at fixed activations. Lengths nv, nv, nu, np, nv,
    /// nv; an empty slice is zero.
    pub fn step_jvp(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        du: &[f64],
        dp: &[f64],
        dq_next: &mut [f64],
        dv_next: &mut [f64],
    ) -> Result<()> {
        self.step_jvp_act(dq, dv, &[], du, dp, dq_next, dv_next, None)
    }

    /// [`Sim::step_jvp`] that also takes a direction `dact` of the activations and returns the variation of
    /// the activations at the end. na entries each; empty for zero, `None` if not wanted.
    pub fn step_jvp_act(
        &mut self,
        dq: &[f64],
        dv: &[f64],
        dact: &[f64],
        du: &[f64],
        dp: &[f64],
        dq_next: &mut [f64],
        dv_next: &mut [f64],
        dact_next: Option<&mut [f64]>,
    ) -> Result<()> {
        let (nv, nu, np) = (self.model.nv(), self.model.nu(), self.np());
        let na = self.act.len();
        for (name, x, n) in [
            ("dq", dq, nv),
            ("dv", dv, nv),
            ("dact", dact, na),
            ("du", du, nu),
            ("dp", dp, np),
        ] {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        check_length("dq_next", dq_next, nv)?;
        check_length("dv_next", dv_next, nv)?;
        if let Some(x) = &dact_next {
            check_length("dact_next", x, na)?;
        }
        let (mut taken, w) = self.differentiate()?;
        let next = [dq_next, dv_next];
        taken.jvp(&mut w.lin, [dq, dv, dact, du, dp], next, dact_next)
    }

    /// Adjoint of the last step: from ∂L/∂(q⁺, v⁺) to ∂L/∂(q, v, u, p) at fixed activations. Lengths nv, nv
    /// in; nv, nv, nu, np out. Gradients by q and q⁺ are in tangent coordinates.
    pub fn step_vjp(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let out = StepAdjoint::of([q_bar, v_bar, u_bar, p_bar]);
        self.step_vjp_act(q_next_bar, v_next_bar, &[], out)
    }

    /// [`Sim::step_vjp`] of a function that also depends on the activations at the end (na entries, empty
    /// for zero), including the gradient by the activations at the start.
    pub fn step_vjp_act(
        &mut self,
        q_next_bar: &[f64],
        v_next_bar: &[f64],
        act_next_bar: &[f64],
        out: StepAdjoint<'_>,
    ) -> Result<()> {
        let nv = self.model.nv();
        check_finite("q_next_bar", q_next_bar, nv)?;
        check_finite("v_next_bar", v_next_bar, nv)?;
        if !act_next_bar.is_empty() {
            check_finite("act_next_bar", act_next_bar, self.act.len())?;
        }
        self.adjoint(&Seed::of(q_next_bar, v_next_bar, act_next_bar), out)
    }

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
        let out = StepAdjoint::of([q_bar, v_bar, u_bar, p_bar]);
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

    /// [`Sim::step_vjp`] of a function that also depends on the contact impulses and, between steps, on the
    /// integrator's state.
    pub(crate) fn adjoint(&mut self, seed: &Seed<'_>, out: StepAdjoint<'_>) -> Result<()> {
        out.check(&self.model, self.np(), self.carried.len())?;
        let (mut taken, w) = self.differentiate()?;
        taken.adjoint(&mut w.lin, seed, out)
    }

    /// [`Sim::step_vjp_aware`] in a trajectory: includes the adjoint by the integrator's state between
    /// steps.
    pub(crate) fn adjoint_aware(&mut self, seed: &Seed<'_>, out: StepAdjoint<'_>) -> Result<Aware> {
        self.refuse_with_loads("the aware gradient")?;
        out.check(&self.model, self.np(), self.carried.len())?;
        let (mut taken, w) = self.differentiate()?;
        taken.adjoint_aware(&mut w.lin, &mut w.adjoints, seed, out)
    }
}

/// Derivatives of the acceleration, and of the inverse of a step.
impl Sim {
    /// Jacobians of the acceleration of the last step or [`Sim::forward`].
    ///
    /// # Errors
    /// As [`Sim::step_jacobians`].
    pub fn acceleration_jacobians(&mut self, out: AccelerationJacobians<'_>) -> Result<()> {
        let (nv, nu, np, na) = (self.model.nv(), self.model.nu(), self.np(), self.act.len());
        self.need_step()?;
        check_wanted([
            ("da_dq", &out.by_q, nv * nv),
            ("da_dv", &out.by_v, nv * nv),
            ("da_du", &out.by_u, nv * nu),
            ("da_dp", &out.by_p, nv * np),
            ("da_dact", &out.by_act, nv * na),
        ])?;
        let (mut taken, w) = self.differentiate()?;
        taken.acceleration_jacobians(&mut w.lin, out)
    }

    /// Adjoint of the acceleration of the last step or [`Sim::forward`] at fixed activations: from ∂L/∂a to
    /// ∂L/∂(q, v, u, p). Lengths nv, nv, nv, nu, np.
    ///
    /// # Errors
    /// As [`Sim::step_vjp`].
    pub fn acceleration_vjp(
        &mut self,
        a_bar: &[f64],
        q_bar: Option<&mut [f64]>,
        v_bar: Option<&mut [f64]>,
        u_bar: Option<&mut [f64]>,
        p_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        let out = StepAdjoint::of([q_bar, v_bar, u_bar, p_bar]);
        self.acceleration_vjp_act(a_bar, out)
    }

    /// [`Sim::acceleration_vjp`] including the gradient by the activations.
    pub fn acceleration_vjp_act(&mut self, a_bar: &[f64], out: StepAdjoint<'_>) -> Result<()> {
        self.need_step()?;
        check_finite("a_bar", a_bar, self.model.nv())?;
        out.check(&self.model, self.np(), self.carried.len())?;
        let (mut taken, w) = self.differentiate()?;
        taken.acceleration_adjoint(&mut w.lin, &mut w.direction, a_bar, out)
    }

    /// Derivatives of the force of the last [`Sim::inverse`]. No other call may have been made since.
    ///
    /// # Errors
    /// `NoStep` before [`Sim::inverse`]; those of [`Sim::step_jacobians`].
    pub fn inverse_jacobians(&mut self, out: InverseJacobians<'_>) -> Result<()> {
        self.taken().need_inverse()?;
        let nv = self.model.nv();
        check_wanted([
            ("dforce_dq", &out.by_q, nv * nv),
            ("dforce_dv", &out.by_v, nv * nv),
            ("dforce_da", &out.by_a, nv * nv),
        ])?;
        let (mut taken, w) = self.differentiate()?;
        taken.inverse_jacobians(&mut w.lin, &mut w.square, out)
    }
}

/// Derivatives of the contact impulses.
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
        for (name, x, n) in [
            ("dq", dq, self.model.nv()),
            ("dv", dv, self.model.nv()),
            ("du", du, self.model.nu()),
            ("dp", dp, self.np()),
        ] {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        let (mut taken, w) = self.differentiate()?;
        let d = &mut w.direction;
        let next = [&mut d.dq_next[..], &mut d.dv_next];
        taken.jvp(&mut w.lin, [dq, dv, &[], du, dp], next, None)?;
        let made = &mut d.bar[..dimpulse.len()];
        taken.write_impulses(made);
        let gradient = taken.impulse_gradient()?;
        deliver([("dimpulse", made, Some(dimpulse))])?;
        Ok(gradient)
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
        let out = StepAdjoint::of([q_bar, v_bar, u_bar, p_bar]);
        out.check(&self.model, self.np(), self.carried.len())?;
        let (mut taken, w) = self.differentiate()?;
        let zero = &mut w.direction.dq_next;
        zero.fill(0.0);
        let seed = Seed {
            impulses: ImpulseBar::of_contacts(impulse_bar),
            ..Seed::of(zero, zero, &[])
        };
        taken.adjoint(&mut w.lin, &seed, out)?;
        taken.impulse_gradient()
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
        let (mut taken, w) = self.differentiate()?;
        let d = &mut w.direction;
        taken.impulse_matrices(&mut w.lin, d, outs.each_ref().map(Option::is_some), rows)?;
        let gradient = taken.impulse_gradient()?;
        let [q, v, u, p] = parts(&mut d.matrices, sizes.map(|n| rows * n));
        let [to_q, to_v, to_u, to_p] = outs;
        deliver([
            ("by_q", q, to_q),
            ("by_v", v, to_v),
            ("by_u", u, to_u),
            ("by_p", p, to_p),
        ])?;
        Ok(gradient)
    }

    /// Finds a change of the last step's impulses in the null space of G: zero if the impulses are unique,
    /// otherwise a random one. True if it could be determined. After a derivative of the step.
    pub(crate) fn find_idle_impulses(&mut self) -> Result<bool> {
        let (mut taken, w) = self.differentiate()?;
        taken.find_idle_impulses(&mut w.lin)
    }

    /// Value of the linear functional `bar` on the change from [`Sim::find_idle_impulses`], and its value
    /// if all entries had the magnitude of the largest.
    pub(crate) fn idle_weight(&self, bar: &ImpulseBar<'_>) -> [f64; 2] {
        self.contact
            .as_ref()
            .map_or([0.0; 2], |c| c.idle_weight(bar))
    }
}

fn no_workspace() -> Error {
    Error::invalid("options.derivatives is 0: this simulation was made without their workspace")
}
