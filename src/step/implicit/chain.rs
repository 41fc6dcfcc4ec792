//! The links of the chain rule for implicit stages.
//!
//! | link | forward | backward, upwards |
//! |---|---|---|
//! | stages | (δw, δξ) of the last stage | (q̄, v̄, ū, p̄) += adjoints through the stages |
//! | arrive | (δq⁺, δv⁺) from (δw, δξ, δq) | (w̄, ξ̄, q̄) from (q̄⁺, v̄⁺) |
//!
//! A step of a formula has both links. In a step of the θ-method impulses follow the stage instead
//! ([`theta`](crate::step::theta)).

use super::physics::Physics;
use super::stage::{Rule, Source, mix};
use super::way::Limits;
use super::workspace::{Implicit, Work};
use crate::error::{Error, Result};
use crate::integrator::implicit::{Slope, turn_adjoint};
use crate::linalg::{add_scaled, all_finite};
use crate::step::info::Gradient;
use crate::step::linearization::{Linearization, dot};
use crate::step::link::{Along, Bars, Parameters, Seed};
use crate::step::parameters::At;
use crate::step::reduced::ReductionPart;
use crate::step::state::Held;
use crate::step::taken::Taken;

pub(in crate::step) fn missing() -> Error {
    Error::internal("the stages are missing")
}

impl Taken<'_> {
    /// Linearizes the stages of the last step at their solutions, unless this is done.
    pub(in crate::step) fn linearize_stages(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.implicit.as_ref().is_some_and(|i| i.is_linear) {
            return Ok(());
        }
        self.need_stages()?;
        let mut held = Held::StageMatrices;
        // Connects the trees that any of the stages connects.
        let t = self.model.topology();
        let several = t.trees.len() > 1;
        if several {
            lin.coupling.start(t);
        }
        for (i, rule) in self.rules()? {
            let is_factored = (self.implicit.as_ref()).is_some_and(|s| s.stages[i].is_factored);
            let margin = self.linearize_stage(i, &rule)?;
            if several {
                self.forces.couple(self.model, &mut lin.coupling);
            }
            if is_factored {
                // The recursions now have no derivatives.
                held = Held::Stage;
            }
            let one_sided = (self.forces).are_one_sided(self.model, self.params, self.selected);
            if margin == 0.0 || one_sided {
                self.state.info.gradient = Gradient::OneSided;
            }
        }
        if several {
            lin.coupling.finish(t);
        }
        if let Some(of) = &mut self.by_reduction {
            of.stage = None;
        }
        if let Some(implicit) = &mut self.implicit {
            implicit.is_linear = true;
        }
        *self.held = held;
        Ok(())
    }

    /// Refuses if a stage of the last step has no solution.
    pub(in crate::step) fn need_stages(&self) -> Result<()> {
        let count = self.rules()?.len();
        let stages = self.implicit.iter().flat_map(|i| &i.stages[..count]);
        match stages.filter_map(|s| s.missed).reduce(f64::max) {
            None => Ok(()),
            Some(residual) => Err(Error::not_converged(format!(
                "the last step has no derivative: {}",
                Limits::of(self.options).missed(residual)
            ))),
        }
    }

    /// Linearizes a stage of the last step at its solution. Returns the distance of its forces to the next
    /// jump of their slopes.
    pub(in crate::step) fn linearize_stage(&mut self, i: usize, rule: &Rule) -> Result<f64> {
        let is_factored = (self.implicit.as_ref()).is_some_and(|s| s.stages[i].is_factored);
        let margin = match self.held() == Held::Stage {
            true => self.state.info.switch_distance,
            false => self.evaluate_stage(i)?,
        };
        let (mut physics, implicit, _) = self.physics()?;
        let (linear, at) = (&mut implicit.linear[i], &implicit.stages[i]);
        let taken = match is_factored {
            true => linear.check_digits(physics.model.topology(), rule),
            false => linear.take(&mut physics, rule, at, at.is_near),
        };
        implicit.loaded = i;
        match taken {
            Ok(()) => Ok(margin),
            Err(e) => {
                self.state.info.gradient = Gradient::Refused;
                Err(e)
            }
        }
    }

    /// Keeps the columns of the only stage by the selected parameters. After [`Taken::linearize_stage`].
    pub(in crate::step) fn keep_stage_columns(&mut self) -> Result<()> {
        self.reduce_stage(0);
        let Some(implicit) = &mut self.implicit else {
            return Err(missing());
        };
        let mut kept = std::mem::take(&mut implicit.by_p);
        let columns = kept.chunks_exact_mut(self.model.nv().max(1));
        let done = (columns.enumerate()).try_for_each(|(p, x)| self.loaded_column(p, x));
        if let Some(implicit) = &mut self.implicit {
            implicit.by_p = kept;
        }
        done
    }

    /// The functions of a stage, the stages, and the configuration at the start of the last step.
    fn physics(&mut self) -> Result<(Physics<'_>, &mut Implicit, &[f64])> {
        let physics = Physics {
            model: self.model,
            params: self.params,
            dynamics: self.dynamics,
            forces: self.forces,
            u: &self.state.drives.drive,
            prescribed: self.prescribed,
            ease: 1.0,
            tau: self.tau,
        };
        match &mut self.implicit {
            Some(implicit) => Ok((physics, implicit, &self.state.q)),
            None => Err(missing()),
        }
    }

    /// Evaluates the recursions at a stage of the last step. If the last balance of the solve was within
    /// round-off of the solution, it uses the same point. Derivatives then have the same bits whatever was
    /// computed in between.
    fn evaluate_stage(&mut self, i: usize) -> Result<f64> {
        *self.held = Held::Other;
        let rule = self.rules()?.nth(i).map(|(_, rule)| rule);
        let mut r = std::mem::take(self.work);
        let (mut physics, implicit, q) = self.physics()?;
        let (model, at) = (physics.model, &mut implicit.stages[i]);
        let margin = match rule.filter(|_| at.is_settled) {
            Some(rule) => {
                std::mem::swap(&mut at.w, &mut at.balanced);
                at.lead(model, &rule, q);
                let margin = physics.balance(at, &mut r);
                std::mem::swap(&mut at.w, &mut at.balanced);
                at.lead(model, &rule, q);
                margin
            }
            None => physics.balance(at, &mut r),
        };
        *self.work = r;
        margin
    }

    /// Evaluates the recursions at a stage including the matrices for columns by parameters, unless they
    /// are up to date, or the columns are kept.
    pub(super) fn load_stage(&mut self, i: usize) -> Result<()> {
        if self.keeps_columns() {
            return Ok(());
        }
        let loaded = self.implicit.as_ref().map(|s| s.loaded);
        let of_entries = self.by_reduction.as_ref().map(|of| of.stage);
        let has_entries = of_entries.is_none_or(|stage| stage == Some(i));
        if self.held() == Held::StageMatrices && loaded == Some(i) && has_entries {
            return Ok(());
        }
        self.evaluate_stage(i)?;
        self.reduce_stage(i);
        let (mut physics, implicit, _) = self.physics()?;
        physics.differentiate_forces(&implicit.stages[i]);
        let model = self.model;
        (self.dynamics).differentiate_inverse_with_mass(model, self.params);
        if let Some(implicit) = &mut self.implicit {
            implicit.loaded = i;
        }
        *self.held = Held::StageMatrices;
        Ok(())
    }

    /// Computes the parts of the entries of reductions, with the balance of stage `i`.
    fn reduce_stage(&mut self, i: usize) {
        if let (Some(of), Some(r), Some(implicit)) = (
            &mut self.by_reduction,
            &self.params.reduction,
            &self.implicit,
        ) {
            let w = &implicit.stages[i].w;
            of.differentiate_stage(r, (i, &implicit.linear[i]), [&**self.work, w]);
        }
    }

    /// Writes ∂r/∂p of a selected parameter at the loaded stage to `column`.
    pub(super) fn stage_column(&self, p: usize, column: &mut [f64]) -> Result<()> {
        match &self.implicit {
            Some(implicit) if self.keeps_columns() => {
                let nv = column.len();
                column.copy_from_slice(&implicit.by_p[p * nv..][..nv]);
                Ok(())
            }
            _ => self.loaded_column(p, column),
        }
    }

    fn loaded_column(&self, p: usize, column: &mut [f64]) -> Result<()> {
        let (Some(implicit), Some(d)) = (&self.implicit, &self.dynamics.derivatives) else {
            return Err(missing());
        };
        let at = &implicit.stages[implicit.loaded];
        let whole = (self.model, &*self.params);
        let state = [&at.q[..], &at.v, &at.a];
        let of = (&self.dynamics.kin, &self.dynamics.rnea, &d.id);
        let here = At::there(whole, of, self.forces, &self.state.drives.drive, state);
        here.column(&self.selected[p], column);
        self.prescribed.replace_rows(&self.selected[p], column);
        if let Some(of) = &self.by_reduction {
            of.add_balance(|i| f64::from(u8::from(i == p)), column);
        }
        Ok(())
    }

    /// Adds to δw of the loaded stage the part of the entries of reductions.
    pub(super) fn move_stage(&self, along: Parameters<'_>, w: &mut [f64]) {
        match (&self.by_reduction, along) {
            (None, _) | (_, Parameters::Along([])) => {}
            (Some(of), along) => of.add_velocity(ReductionPart::Speed, |i| along.weight(i), w),
        }
    }

    /// The rules of the last step's stages.
    pub(in crate::step) fn rules(
        &self,
    ) -> Result<impl DoubleEndedIterator<Item = (usize, Rule)> + ExactSizeIterator + use<>> {
        let implicit = self.implicit.as_ref().ok_or_else(missing)?;
        let h = self.options.time_step;
        Ok(implicit.source.rules(&self.state.carried, h))
    }

    /// True if the columns of the only stage are kept ([`Taken::keep_stage_columns`]).
    fn keeps_columns(&self) -> bool {
        (self.implicit.as_ref()).is_some_and(|i| matches!(i.source, Source::Scheme(_)))
    }

    /// Adds r_p δp of a stage to `x`.
    fn along_parameters(
        &mut self,
        i: usize,
        along: Parameters<'_>,
        column: &mut [f64],
        x: &mut [f64],
    ) -> Result<()> {
        for (p, dp) in along.entries() {
            self.load_stage(i)?;
            self.stage_column(p, column)?;
            add_scaled(dp, column, x);
        }
        Ok(())
    }
}

pub(in crate::step) fn stages(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let mut displacement = 0.0;
    for (i, rule) in step.rules()? {
        lin.x.fill(0.0);
        step.along_parameters(i, along.p, &mut lin.column, &mut lin.x)?;
        let t = step.model.topology();
        let Some(implicit) = &mut step.implicit else {
            return Err(missing());
        };
        let work = &mut implicit.work;
        if i == 0 {
            work.before.fill(0.0);
        } else {
            work.before.copy_from_slice(&work.w);
        }
        // The integrator's state from the last step does not vary.
        mix(rule.w0, along.v, &work.before, &[], &mut work.start.w0);
        mix(rule.xi0, along.v, &work.before, &[], &mut work.start.xi0);
        (implicit.linear[i]).direction(t, along.q, along.u, &work.start, &mut lin.x)?;
        step.move_stage(along.p, &mut lin.x);
        let Some(implicit) = &mut step.implicit else {
            return Err(missing());
        };
        implicit.work.w.copy_from_slice(&lin.x);
        displacement = rule.displacement;
    }
    let Some(Work { start, w, xi, .. }) = step.implicit.as_mut().map(|i| &mut i.work) else {
        return Err(missing());
    };
    for ((xi, xi0), w) in xi.iter_mut().zip(&start.xi0).zip(&*w) {
        *xi = xi0 + displacement * w;
    }
    Ok(())
}

pub(in crate::step) fn arrive(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    along: &Along<'_>,
) -> Result<()> {
    let (t, last) = (step.model.topology(), step.rules()?.len() - 1);
    let Some(implicit) = &step.implicit else {
        return Err(missing());
    };
    let (motion, work) = (implicit.linear[last].motion(), &implicit.work);
    lin.q_next.fill(0.0);
    lin.v_next.fill(0.0);
    if !along.q.is_empty() {
        motion.add(t, Slope::PositionByStart, 1.0, along.q, &mut lin.q_next);
    }
    motion.add(t, Slope::Position, 1.0, &work.xi, &mut lin.q_next);
    motion.add(t, Slope::Velocity, 1.0, &work.w, &mut lin.v_next);
    motion.add(t, Slope::VelocityByPosition, 1.0, &work.xi, &mut lin.v_next);
    Ok(())
}

pub(in crate::step) fn arrive_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    seed: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    if let Some(p) = &mut bars.p {
        p.fill(0.0);
    }
    lin.q_sum.fill(0.0);
    lin.v_sum.fill(0.0);
    lin.carried.fill(0.0);
    let (model, last) = (step.model, step.rules()?.len() - 1);
    let (t, nv) = (model.topology(), model.nv());
    let Some(implicit) = &mut step.implicit else {
        return Err(missing());
    };
    let (at, motion) = (&implicit.stages[last], implicit.linear[last].motion());
    let Work { w, xi, .. } = &mut implicit.work;
    w.fill(0.0);
    xi.fill(0.0);
    motion.add_transposed(t, Slope::Position, 1.0, seed.next.q, xi);
    motion.add_transposed(t, Slope::VelocityByPosition, 1.0, seed.next.v, xi);
    motion.add_transposed(t, Slope::PositionByStart, 1.0, seed.next.q, &mut lin.q_sum);
    motion.add_transposed(t, Slope::Velocity, 1.0, seed.next.v, w);
    if let Some(both) = seed.next.carried.get(..2 * nv) {
        let next = &step.state.carried_next;
        // The adjoint by v at the start of the step, then by the displacement.
        lin.column.copy_from_slice(&both[..nv]);
        turn_adjoint(model, &at.xi, &next[..nv], xi, &mut lin.column);
        for (v, x) in lin.v_sum.iter_mut().zip(&lin.column) {
            *v += x;
        }
        lin.column.copy_from_slice(&both[nv..]);
        turn_adjoint(model, &at.xi, &next[nv..], xi, &mut lin.column);
        for (xi, x) in xi.iter_mut().zip(&lin.column) {
            *xi += x;
        }
    }
    Ok(())
}

pub(in crate::step) fn stages_transposed(
    step: &mut Taken<'_>,
    lin: &mut Linearization,
    _: &Seed<'_>,
    bars: &mut Bars<'_>,
) -> Result<()> {
    if let Some(u) = &mut bars.u {
        u.fill(0.0);
    }
    let nv = step.model.nv();
    let mut is_end = true;
    for (i, rule) in step.rules()?.rev() {
        {
            let t = step.model.topology();
            let Some(implicit) = &mut step.implicit else {
                return Err(missing());
            };
            let Work {
                start,
                w,
                before,
                xi,
                ..
            } = &mut implicit.work;
            start.w0.fill(0.0);
            if is_end {
                for (w, xi) in w.iter_mut().zip(&*xi) {
                    *w += rule.displacement * xi;
                }
                start.xi0.copy_from_slice(xi);
                is_end = false;
            } else {
                w.copy_from_slice(before);
                start.xi0.fill(0.0);
            }
            lin.z.copy_from_slice(w);
            let u_bar = bars.u.as_deref_mut();
            (implicit.linear[i]).adjoint(t, &mut lin.z, &mut lin.q_sum, u_bar, start)?;
            if !all_finite(&lin.z) {
                return Err(Error::numerical("the adjoint of the step is not finite"));
            }
            before.fill(0.0);
            let [w0, xi0] = [&start.w0, &start.xi0];
            for k in 0..nv {
                lin.v_sum[k] += rule.w0.start * w0[k] + rule.xi0.start * xi0[k];
                before[k] += rule.w0.before * w0[k] + rule.xi0.before * xi0[k];
            }
            let has_history = rule.w0.history != 0.0 || rule.xi0.history != 0.0;
            if let (true, Some((v, rest))) = (has_history, lin.carried.split_at_mut_checked(nv)) {
                for k in 0..nv {
                    v[k] += rule.w0.history * w0[k];
                    rest[k] += rule.xi0.history * xi0[k];
                }
            }
        }
        if let Some(out) = &mut bars.p {
            step.load_stage(i)?;
            for (p, out) in out.iter_mut().enumerate() {
                step.stage_column(p, &mut lin.column)?;
                *out += dot(&lin.column, &lin.z);
            }
            if let (Some(of), Some(implicit)) = (&step.by_reduction, &step.implicit) {
                of.add_velocity_transposed(ReductionPart::Speed, &implicit.work.w, out);
            }
        }
    }
    Ok(())
}
