//! Jacobians of the last step: all columns at once, or direction by direction for deep trees.

use super::act::ActJacobians;
use super::constrained_inverse::ConstrainedInverse;
use super::info::{REACH, check_wanted};
use super::linearization::*;
use super::link::{Along, Parameters};
use super::state::Held;
use super::taken::Taken;
use crate::constraint::ConstraintDerivative;
use crate::dynamics::aba_derivatives::inverse_times;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::DenseInverse;
use crate::error::{Error, Result};
use crate::force::Input;
use crate::integrator::By;
use crate::linalg::{F4, dispatch};
use crate::model::topology::Topology;
use crate::tendon::Paths;

/// Destination of the Jacobians of a step: dense column-major, nv rows; columns nv, nv, nu, np. The tangent
/// of q is in the body frame for spherical and free joints.
#[derive(Default)]
pub struct StepJacobians<'a> {
    pub dq_dq: Option<&'a mut [f64]>,
    pub dq_dv: Option<&'a mut [f64]>,
    pub dq_du: Option<&'a mut [f64]>,
    pub dq_dp: Option<&'a mut [f64]>,
    pub dv_dq: Option<&'a mut [f64]>,
    pub dv_dv: Option<&'a mut [f64]>,
    pub dv_du: Option<&'a mut [f64]>,
    pub dv_dp: Option<&'a mut [f64]>,
}

impl Taken<'_> {
    /// Writes the Jacobians, also those of q⁺ and v⁺ by activations.
    pub(super) fn write_jacobians(
        &mut self,
        lin: &mut Linearization,
        mut out: StepJacobians<'_>,
        by_act: [Option<&mut [f64]>; 2],
        [square, by_inputs]: [usize; 2],
        sparse: bool,
    ) -> Result<()> {
        let (nv, np) = (self.model.nv(), self.np());
        check_wanted([
            ("dq_dq", &out.dq_dq, square),
            ("dq_dv", &out.dq_dv, square),
            ("dq_du", &out.dq_du, by_inputs),
            ("dq_dp", &out.dq_dp, nv * np),
            ("dv_dq", &out.dv_dq, square),
            ("dv_dv", &out.dv_dv, square),
            ("dv_du", &out.dv_du, by_inputs),
            ("dv_dp", &out.dv_dp, nv * np),
        ])?;
        if self.is_formula() {
            return self.write_stage_jacobians(lin, out, by_act, sparse);
        }
        let acts = by_act.iter().any(Option::is_some);
        let by_u = out.dv_du.is_some() || out.dq_du.is_some() || acts;
        let by_p = out.dv_dp.is_some() || out.dq_dp.is_some();
        self.prepare_columns(lin, by_u, by_p)?;
        self.check_left(lin, [out.dq_dq.is_some(), out.dq_dp.is_some()])?;
        let (model, h) = (self.model, self.options.time_step);
        if !self.integrator.is_within(REACH) {
            return Err(Error::numerical("a Jacobian of the step is not finite"));
        }
        let [mut dofs, mut inputs, full] = lin.kinds();
        if sparse {
            let [by_state, by_input] = &lin.starts;
            (dofs, inputs) = (dofs.packed(by_state), inputs.packed(by_input));
        }
        let at = self.state.start(model, h);
        let scheme = &*self.integrator;
        let (dq_dq, dq_dp) = (out.dq_dq.as_deref_mut(), out.dq_dp.as_deref_mut());
        let (dv_dq, dv_dp) = (out.dv_dq.take(), out.dv_dp.as_deref_mut());
        scheme.end_columns(&at, By::Positions, dofs, &lin.by_q, dq_dq, dv_dq);
        let (dq_dv, dv_dv) = (out.dq_dv.take(), out.dv_dv.take());
        scheme.end_columns(&at, By::Velocities, dofs, &lin.by_v, dq_dv, dv_dv);
        let (dq_du, dv_du) = (out.dq_du.take(), out.dv_du.take());
        scheme.end_columns(&at, By::Other, inputs, &lin.by_u, dq_du, dv_du);
        scheme.end_columns(&at, By::Other, full, &lin.by_p, dq_dp, dv_dp);
        let ([q, v], acts) = (by_act, lin.by_activations());
        scheme.end_columns(&at, By::Other, acts, &lin.by_act, q, v);
        self.add_centres(&mut out);
        self.add_left(lin, sparse, out.dq_dq, out.dq_dp)
    }

    /// Writes the Jacobians by activations, and those of activations.
    pub(super) fn write_act_jacobians(
        &mut self,
        lin: &mut Linearization,
        out: ActJacobians<'_>,
    ) -> Result<()> {
        let (nv, nu, na) = (self.model.nv(), self.model.nu(), self.model.na());
        check_wanted([
            ("dq_dact", &out.dq_dact, nv * na),
            ("dv_dact", &out.dv_dact, nv * na),
            ("dact_dq", &out.dact_dq, na * nv),
            ("dact_dv", &out.dact_dv, na * nv),
            ("dact_dact", &out.dact_dact, na * na),
            ("dact_du", &out.dact_du, na * nu),
        ])?;
        let none = StepJacobians::default();
        let sizes = [nv * nv, nv * nu];
        self.write_jacobians(lin, none, [out.dq_dact, out.dv_dact], sizes, false)?;
        let mut rest = [out.dact_dq, out.dact_dv, out.dact_dact, out.dact_du];
        for x in &mut rest {
            x.iter_mut().for_each(|x| x.fill(0.0));
        }
        let [_, _, by_act, by_u] = &mut rest;
        for (i, (j, [u, act])) in self.state.drives.next_slopes().enumerate() {
            if let Some(x) = by_act {
                x[i * na + i] = act;
            }
            if let Some(x) = by_u {
                x[j * na + i] = u;
            }
        }
        Ok(())
    }

    /// Computes ∂v̂ of the last step by q and v, and on request by u and p, in the columns of
    /// [`Linearization`].
    pub(super) fn prepare_columns(
        &mut self,
        lin: &mut Linearization,
        by_u: bool,
        by_p: bool,
    ) -> Result<()> {
        let nv = self.model.nv();
        self.linearize(lin)?;
        let by_directions = self.by_directions();
        if self.held() < Held::Columns {
            self.couple(lin)?;
            match by_directions {
                true => self.columns_by_directions(lin)?,
                false if self.theta.is_some() => self.theta_columns(lin)?,
                false => {
                    self.columns_at_once(lin)?;
                    self.drive_columns(lin)?;
                }
            }
            *self.held = Held::Columns;
        }
        if by_directions && by_u {
            self.input_columns_by_directions(lin)?;
        } else if self.theta.is_some() && by_u {
            self.theta_input_columns(lin)?;
        }
        for p in 0..if by_p { self.np() } else { 0 } {
            let along = Along {
                p: Parameters::Unit(p),
                ..Along::default()
            };
            self.velocity_along(lin, &along)?;
            keep_column(lin, p, |l| &mut l.by_p);
        }
        let h = self.options.time_step;
        let Some(d) = &self.dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        if by_u {
            let driven = self.state.drives.driven();
            lin.place_inputs(self.forces.actuator_inputs(), driven);
        }
        if by_u && !by_directions && self.theta.is_none() {
            let answer = match &self.contact {
                Some(c) => c.response(&d.inverse),
                None => &d.inverse,
            };
            let coupling = &lin.coupling;
            let columns = lin.by_u.chunks_exact_mut(nv.max(1));
            for (input, column) in self.forces.actuator_inputs().iter().zip(columns) {
                for span in coupling.spans(coupling.of_dof(input.home())) {
                    column[span.clone()].fill(0.0);
                }
            }
            for inputs in self.forces.inputs() {
                input_columns(inputs, answer, coupling, h, &mut lin.by_u);
            }
        }
        if !lin.products_are_finite(h, by_u, by_p) {
            return Err(Error::numerical("a Jacobian of the step is not finite"));
        }
        if by_u {
            (self.state.drives).share(&mut lin.by_u, &mut lin.by_act);
        }
        Ok(())
    }

    /// Finds which trees the last step connects. A single tree is one island from the start.
    pub(super) fn couple(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.is_formula() {
            return self.linearize_stages(lin);
        }
        // Forces connect trees at the point at which the derivative is taken.
        let may_join = self.contact.is_none() || self.forces.may_touch();
        if may_join && (self.held() < Held::Velocities || self.theta.is_some()) {
            self.prepare(lin)?;
        }
        let t = self.model.topology();
        if t.trees.len() > 1 {
            lin.coupling.start(t);
            if let Some(c) = &self.contact {
                c.couple(&mut lin.coupling);
            }
            self.forces.couple(self.model, &mut lin.coupling);
            lin.coupling.finish(t);
        }
        Ok(())
    }

    /// ∂v̂ by q and v, in columns, from products of dense matrices.
    pub(super) fn columns_at_once(&mut self, lin: &mut Linearization) -> Result<()> {
        let model = self.model;
        let (t, h) = (model.topology(), self.options.time_step);
        let (kin, mass) = (&self.dynamics.kin, &mut self.dynamics.mass);
        let Some(d) = &mut self.dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        let nv = t.nv();
        if nv == 0 {
            return Ok(());
        }
        mass.inverse(t, &mut d.inverse);
        let response = match &mut self.contact {
            Some(c) => c.prepare_response(t, kin, mass, &lin.coupling, &d.inverse)?,
            None => None,
        };
        inverse_times(
            &mut lin.support,
            response.map_or(&d.inverse, |r| &r.inverse),
            &d.id,
            t,
            &lin.coupling,
            -h,
            response.and_then(ConstrainedInverse::less),
            &mut lin.by_q,
            &mut lin.by_v,
        );
        if let Some(response) = response {
            response.subtract_rest(&lin.coupling, &mut lin.by_q, &mut lin.by_v);
        }
        for k in 0..nv {
            lin.by_v[k * nv + k] += 1.0;
        }
        let answer = response.map_or(&d.inverse, |r| &r.inverse);
        let (by_q_columns, by_v_columns) = (&mut lin.by_q, &mut lin.by_v);
        let coupling = &lin.coupling;
        let mut add = |row: usize, column: usize, by_q: f64, by_v: f64| {
            for (columns, slope) in [(&mut *by_q_columns, by_q), (&mut *by_v_columns, by_v)] {
                add_answer(coupling, answer, [column, row], -h * slope, columns);
            }
        };
        // A stage's own columns contain these terms.
        if self.theta.is_none() {
            self.forces.for_cross(t, &mut add);
        }
        if let Some(c) = &self.contact
            && let Some(l) = &c.linear
        {
            let tree = (t, kin, &c.paths);
            add_cross(
                &l.variation,
                tree,
                &lin.coupling,
                &l.response.inverse,
                &mut lin.by_q,
            );
        }
        Ok(())
    }

    /// ∂v̂ by q and v with one sweep over the tree per column.
    fn columns_by_directions(&mut self, lin: &mut Linearization) -> Result<()> {
        let none = Along::default();
        let nv = self.model.nv();
        self.unit_directions(lin, nv, |q| Along { q, ..none }, |l| &mut l.by_q)?;
        self.unit_directions(lin, nv, |v| Along { v, ..none }, |l| &mut l.by_v)
    }

    fn input_columns_by_directions(&mut self, lin: &mut Linearization) -> Result<()> {
        let (none, nu) = (Along::default(), self.model.nu());
        self.unit_directions(lin, nu, |u| Along { u, ..none }, |l| &mut l.by_u)
    }

    /// Columns along all unit vectors of `count` entries.
    fn unit_directions(
        &mut self,
        lin: &mut Linearization,
        count: usize,
        along: impl Fn(&[f64]) -> Along<'_>,
        of: impl Fn(&mut Linearization) -> &mut Vec<f64>,
    ) -> Result<()> {
        let mut unit = std::mem::take(&mut lin.unit);
        unit.fill(0.0);
        let mut done = Ok(());
        for k in 0..count {
            unit[k] = 1.0;
            done = done.and_then(|()| self.velocity_along(lin, &along(&unit[..count])));
            keep_column(lin, k, &of);
            unit[k] = 0.0;
        }
        lin.unit = unit;
        done
    }
}

/// Stores the last direction as column k.
fn keep_column(
    lin: &mut Linearization,
    k: usize,
    of: impl Fn(&mut Linearization) -> &mut Vec<f64>,
) {
    let from = std::mem::take(&mut lin.x);
    let nv = from.len();
    of(lin)[k * nv..][..nv].copy_from_slice(&from);
    lin.x = from;
}

#[inline(always)]
fn input_columns_kernel(
    inputs: &[Input],
    answer: &DenseInverse,
    coupling: &Coupling,
    h: f64,
    out: &mut [f64],
) {
    let nv = coupling.dofs().max(1);
    for input in inputs {
        let column = &mut out[input.input * nv..][..nv];
        for span in coupling.spans(coupling.of_dof(input.home())) {
            let column = &mut column[span.clone()];
            for (k, moment) in input.moments() {
                let x = h * moment * input.slope;
                let row = &F4::flat(answer.row(k))[span.clone()];
                for (c, r) in column.iter_mut().zip(row) {
                    *c += x * r;
                }
            }
        }
    }
}

dispatch! {
    /// Adds to ∂v̂ by u. Only the rows in the island of an input are touched.
    fn input_columns = input_columns_kernel(
        inputs: &[Input], answer: &DenseInverse, coupling: &Coupling, h: f64, out: &mut [f64],
    )
}

/// ∂v̂ += inverse × the impulses between dofs of different branches.
#[inline(always)]
fn add_cross_kernel(
    variation: &ConstraintDerivative,
    (t, kin, paths): (&Topology, &Kinematics, &Paths),
    coupling: &Coupling,
    inverse: &DenseInverse,
    by_q: &mut [f64],
) {
    for cross in variation.cross() {
        for k in t.path(cross.from) {
            let wrench = cross.stiffness.mul(kin.s[k]);
            for i in t.path(cross.to) {
                add_answer(coupling, inverse, [k, i], kin.s[i].dot(wrench), by_q);
            }
        }
    }
    variation.for_turns(t, paths, false, |k, i, impulse| {
        add_answer(coupling, inverse, [k, i], impulse, by_q);
    });
}

/// Adds the response to an impulse on a dof to a column.
#[inline(always)]
fn add_answer(
    coupling: &Coupling,
    inverse: &DenseInverse,
    [column, dof]: [usize; 2],
    impulse: f64,
    columns: &mut [f64],
) {
    let (nv, answer) = (coupling.dofs(), F4::flat(inverse.row(dof)));
    let x = &mut columns[column * nv..][..nv];
    for span in coupling.spans(coupling.of_dof(column)) {
        for (x, a) in x[span.clone()].iter_mut().zip(&answer[span.clone()]) {
            *x += impulse * a;
        }
    }
}

dispatch! {
    fn add_cross = add_cross_kernel(
        variation: &ConstraintDerivative, tree: (&Topology, &Kinematics, &Paths), coupling: &Coupling,
        inverse: &DenseInverse, by_q: &mut [f64],
    )
}
