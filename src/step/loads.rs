//! Friction by load in the chain rule of a step, and the computations that do not support it.

use super::info::Gradient;
use super::linearization::{Linearization, dot};
use super::link::{Along, Bars, Seed};
use super::load_friction::LoadFriction;
use super::taken::Taken;
use crate::error::{Error, Result};
use crate::linalg::add_scaled;
use crate::model::Model;

/// Refuses a computation that does not support friction by load.
pub(super) fn refuse_with_loads(
    loads: Option<&LoadFriction>,
    model: &Model,
    what: &str,
) -> Result<()> {
    let Some(loads) = loads else {
        return Ok(());
    };
    let joint = model.joint(loads.joints[0].joint);
    Err(Error::unsupported(format!(
        "{what}: not supported with friction by load (friction_coefficient of joint \"{}\")",
        joint.name
    )))
}

impl Taken<'_> {
    /// Prepares the derivative of friction by load; after the balance of the last step.
    pub(super) fn linearize_friction_by_load(&mut self) -> Result<()> {
        let (Some(loads), Some(c)) = (&mut self.loads, &mut self.contact) else {
            return Ok(());
        };
        loads.linearize(c, (self.model, &*self.params), self.dynamics)?;
        if loads.one_sided {
            self.state.info.gradient = Gradient::OneSided;
        }
        Ok(())
    }

    /// Whether joints have friction by load.
    pub(super) fn has_loads(&self) -> bool {
        self.loads.is_some()
    }

    /// Adds the change of friction by load to a direction, [`Linearization::x`].
    pub(super) fn correct_loads(
        &mut self,
        lin: &mut Linearization,
        along: &Along<'_>,
    ) -> Result<()> {
        let (Some(loads), Some(c)) = (self.loads.take(), &self.contact) else {
            return Ok(());
        };
        if c.ends_at_rows() {
            self.loads = Some(loads);
            return Ok(());
        }
        let (model, h, x) = (self.model, self.options.time_step, &mut lin.x);
        let (m, nv, rows) = (loads.friction.len(), model.nv(), loads.max_rows);
        loads.start.fill(0.0);
        if !along.v.is_empty() {
            let at = self.state.start(model, h);
            (self.integrator).start_direction(&at, along.v, &mut loads.start);
        }
        self.move_start(along, &mut loads.start);
        let impulses = c.impulse_variation();
        for i in 0..loads.joints.len() {
            let span = i * nv..(i + 1) * nv;
            let by = |slopes: &[f64], d: &[f64]| match d.is_empty() {
                true => 0.0,
                false => dot(&slopes[span.clone()], d),
            };
            let mut n = by(&loads.by_q, along.q) + by(&loads.by_v, along.v);
            n += (by(&loads.by_acc, x) - by(&loads.by_acc, &loads.start)) / h;
            n += dot(&loads.by_impulse[i * rows..][..rows], impulses);
            let mut direct = 0.0;
            for (p, dp) in along.p.entries() {
                let p = &self.selected[p];
                n += dp * loads.explicit(i, p, model, self.dynamics);
                direct += dp * loads.by_coefficient(i, p, model, self.params);
            }
            let of = loads.joints[i];
            let slopes = loads.slopes_of(i, (model, self.params));
            for (k, row) in of.range().enumerate() {
                let speed = (0..of.count).map(|l| slopes.by_speed.at(k, l) * x[of.dof + l]);
                loads.scratch[row] =
                    slopes.by_load[k] * n + slopes.along[k] * direct + speed.sum::<f64>();
            }
        }
        for j in 0..m {
            let change = dot(&loads.coupled[j * m..][..m], &loads.scratch);
            add_scaled(change, &loads.answer[j * nv..][..nv], x);
        }
        self.loads = Some(loads);
        Ok(())
    }

    /// Transpose of [`Taken::correct_loads`]: changes [`Linearization::z`] and keeps the adjoint of the
    /// impulses for the rows.
    pub(super) fn correct_loads_transposed(
        &mut self,
        lin: &mut Linearization,
        seed: &Seed<'_>,
        bars: &mut Bars<'_>,
    ) -> Result<()> {
        let (Some(loads), Some(c)) = (self.loads.take(), &mut self.contact) else {
            return Ok(());
        };
        let (model, h) = (self.model, self.options.time_step);
        let (m, nv, rows) = (loads.friction.len(), model.nv(), loads.max_rows);
        for j in 0..m {
            let impulses = &loads.answer_impulse[j * rows..][..rows];
            loads.scratch[j] = dot(&loads.answer[j * nv..][..nv], &lin.z)
                + c.weigh_impulses(&seed.impulses, impulses);
        }
        loads.start.fill(0.0);
        let row_bar = c.start_row_bar();
        for i in 0..loads.joints.len() {
            let of = loads.joints[i];
            let slopes = loads.slopes_of(i, (model, self.params));
            let (mut w, mut direct) = (0.0, 0.0);
            for (k, row) in of.range().enumerate() {
                let column = (0..m).map(|j| loads.coupled[j * m + row] * loads.scratch[j]);
                let weight: f64 = column.sum();
                w += slopes.by_load[k] * weight;
                direct += slopes.along[k] * weight;
                for l in 0..of.count {
                    lin.z[of.dof + l] += slopes.by_speed.at(k, l) * weight;
                }
            }
            let span = i * nv..(i + 1) * nv;
            add_scaled(w, &loads.by_q[span.clone()], &mut lin.q_sum);
            add_scaled(w, &loads.by_v[span.clone()], &mut lin.v_sum);
            add_scaled(w / h, &loads.by_acc[span.clone()], &mut lin.z);
            add_scaled(-w / h, &loads.by_acc[span], &mut loads.start);
            add_scaled(w, &loads.by_impulse[i * rows..][..rows], row_bar);
            if let Some(out) = &mut bars.p {
                for (out, p) in out.iter_mut().zip(self.selected) {
                    *out += w * loads.explicit(i, p, model, self.dynamics)
                        + direct * loads.by_coefficient(i, p, model, self.params);
                }
            }
        }
        let at = self.state.start(model, h);
        (self.integrator).start_adjoint(&at, &loads.start, &mut lin.v_sum);
        self.move_start_transposed(&loads.start, bars);
        self.loads = Some(loads);
        Ok(())
    }
}
