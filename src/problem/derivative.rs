//! The derivative of the last solution by all parts of its problem, forward and backward.

use super::data::{ProblemBars, ProblemData};
use super::rows::{Rows, add_product, add_transposed_product};
use super::solver::{ContactProblem, no_solve};
use crate::contact::law::{Variations, Verdict};
use crate::error::{Error, Result};
use crate::step::Gradient;
use crate::step::info::{check_finite, check_length, deliver};

impl ContactProblem {
    /// Variation of the velocity (nv) and the impulses (3 for each contact) of the last solution, for a
    /// variation of its problem. Empty parts stand for zero; only the symmetric part of dA counts. If
    /// contacts are redundant (four points of one face), the variation of the impulses is a choice: only
    /// A⁻¹Jᵀdλ is determined, see [`ContactProblem::impulses_are_unique`].
    ///
    /// Afterwards the label of [`ContactProblem::info`] belongs to this direction. It is one-sided if the
    /// problem is at a switch whose sides differ. It is also one-sided if the variation makes the rows of
    /// redundant contacts inconsistent (for example, if only the target of one of four corners varies): the
    /// result is then the derivative of the motions for which they are consistent.
    ///
    /// # Errors
    /// `NoStep` before a solve; `NotConverged` if the problem was not solved; `Numerical` if the derivative
    /// would be round-off or a number is not finite; `InvalidArgument` for a wrong length or a compliance
    /// that the law does not take. Nothing is written then.
    pub fn jvp(
        &mut self,
        by: &ProblemData<'_>,
        dv: &mut [f64],
        dimpulse: &mut [f64],
    ) -> Result<()> {
        self.info.ok_or_else(no_solve)?;
        let (nv, contacts) = (self.options.nv, self.contacts());
        let rows = 3 * contacts;
        by.check_variation(&self.options, contacts)?;
        check_length("dv", dv, nv)?;
        check_length("dimpulse", dimpulse, rows)?;
        let mut exact = self.judge()?;
        let w = &mut self.work;
        let lambda = &self.answer.lambda;
        // δv at fixed impulses.
        w.x.fill(0.0);
        if !by.a.is_empty() {
            add_product(by.a, &self.change, &mut w.x);
            add_transposed_product(by.a, &self.change, &mut w.x);
            w.x.iter_mut().for_each(|x| *x *= -0.5);
        }
        if !by.j.is_empty() {
            add_transposed_product(by.j, lambda, &mut w.x);
        }
        self.system.solve(&mut w.x, &mut w.z);
        for (x, free) in w.x.iter_mut().zip(by.v_free) {
            *x += free;
        }
        if contacts == 0 {
            return deliver([("dv", &w.x, Some(dv))]);
        }
        w.w.clear();
        w.w.resize(rows, 0.0);
        add_product(by.j, &self.v, &mut w.w);
        add_product(&self.rows.j, &w.x, &mut w.w);
        for (w, target) in w.w.iter_mut().zip(by.target) {
            *w += target;
        }
        for ((w, r), l) in w.w.iter_mut().zip(by.compliance).zip(lambda) {
            *w += r * l;
        }
        let problem = self.rows.problem();
        let law = self.law.linearize(&problem)?;
        let moves_rows = [by.j, by.target, by.compliance];
        if moves_rows.iter().any(|x| !x.is_empty()) {
            exact &= !self.at_switch && law.answers(&problem, &w.w)?;
        }
        exact &= !self.at_switch || by.friction.is_empty();
        w.dlambda.clear();
        w.dlambda.resize(rows, 0.0);
        let limits = (!by.friction.is_empty()).then_some(by.friction);
        law.apply(&problem, &w.w, limits, 1, &mut w.dlambda)?;
        w.z.fill([0.0]);
        self.rows.add_transposed(&w.dlambda, &mut w.z);
        self.system.solve_half_transposed(&mut w.z, &mut w.force);
        for (x, change) in w.x.iter_mut().zip(&w.force) {
            *x += change;
        }
        deliver([
            ("dv", &w.x, Some(dv)),
            ("dimpulse", &w.dlambda, Some(dimpulse)),
        ])?;
        self.label(exact);
        Ok(())
    }

    /// Gradient of a function of the last solution by all parts of its problem. `v_bar` (nv) and
    /// `impulse_bar` (3 for each contact) are the function's gradient by velocity and impulses; an empty
    /// slice stands for zero. The gradient by A is symmetric; its product with any dA is right.
    ///
    /// Afterwards the label of [`ContactProblem::info`] belongs to this gradient. The label cannot say
    /// whether the rows of redundant contacts stay consistent, because this depends on the variations of J
    /// and target that you multiply the gradient by. Variations from the motion of one body are consistent.
    /// For others the gradient is that of the motions for which the rows are consistent;
    /// [`ContactProblem::jvp`] reports this for a given direction.
    ///
    /// # Errors
    /// As [`ContactProblem::jvp`].
    pub fn vjp(&mut self, v_bar: &[f64], impulse_bar: &[f64], bars: ProblemBars<'_>) -> Result<()> {
        self.info.ok_or_else(no_solve)?;
        let (nv, contacts) = (self.options.nv, self.contacts());
        let rows = 3 * contacts;
        for (name, x, n) in [("v_bar", v_bar, nv), ("impulse_bar", impulse_bar, rows)] {
            if !x.is_empty() {
                check_finite(name, x, n)?;
            }
        }
        bars.check(&self.options, contacts)?;
        let exact = self.judge()?;
        let w = &mut self.work;
        w.w.clear();
        w.w.resize(rows, 0.0);
        w.limits.clear();
        w.limits.resize(contacts, 0.0);
        w.x.fill(0.0);
        w.x[..v_bar.len()].copy_from_slice(v_bar);
        if contacts > 0 {
            // λ̄ + J A⁻¹ v̄.
            self.system.solve_half(&w.x, &mut w.z);
            w.dlambda.clear();
            w.dlambda.resize(rows, 0.0);
            w.dlambda[..impulse_bar.len()].copy_from_slice(impulse_bar);
            self.rows.add_times(&w.z, &mut w.dlambda);
            let problem = self.rows.problem();
            let law = self.law.linearize(&problem)?;
            let limits = Some(&mut w.limits[..]);
            law.apply_transpose(&problem, &w.dlambda, &mut w.w, limits)?;
            add_transposed_product(&self.rows.j, &w.w, &mut w.x);
        }
        // Adjoint of the force on the dofs.
        w.force.copy_from_slice(&w.x);
        self.system.solve(&mut w.force, &mut w.z);
        for (name, x) in [
            ("the adjoint of v", &w.x[..]),
            ("that of forces", &w.force),
            ("that of J v", &w.w),
            ("friction_bar", &w.limits),
        ] {
            check_finite(name, x, x.len())?;
        }
        self.check_products(&bars)?;
        let others = bars.j.is_some()
            || bars.target.is_some()
            || bars.friction.is_some()
            || bars.compliance.is_some();
        self.write_bars(bars);
        self.label(exact && !(self.at_switch && others));
        Ok(())
    }

    /// Refuses products that would not be finite.
    fn check_products(&self, bars: &ProblemBars<'_>) -> Result<()> {
        let w = &self.work;
        let most = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let [z, rows, lambda] = [&w.force, &w.w, &self.answer.lambda].map(|x| most(x));
        let (v, change) = (most(&self.v), most(&self.change));
        for (name, wanted, bound) in [
            ("A_bar", bars.a.is_some(), 2.0 * z * change),
            ("J_bar", bars.j.is_some(), rows * v + lambda * z),
            ("compliance_bar", bars.compliance.is_some(), rows * lambda),
        ] {
            if wanted && !bound.is_finite() {
                return Err(Error::numerical(format!(
                    "{name}: the result is not finite, the problem or the adjoint is too large"
                )));
            }
        }
        Ok(())
    }

    /// The products of the adjoints of the parts.
    fn write_bars(&self, bars: ProblemBars<'_>) {
        let w = &self.work;
        let z = &w.force;
        let lambda = &self.answer.lambda;
        let rows = lambda.len();
        if let Some(out) = bars.a {
            for (j, column) in out.chunks_exact_mut(z.len()).enumerate() {
                for (i, out) in column.iter_mut().enumerate() {
                    *out = -0.5 * (z[i] * self.change[j] + z[j] * self.change[i]);
                }
            }
        }
        if let Some(out) = bars.j
            && rows > 0
        {
            for (column, (v, z)) in out.chunks_exact_mut(rows).zip(self.v.iter().zip(z)) {
                for ((out, w), l) in column.iter_mut().zip(&w.w).zip(lambda) {
                    *out = w * v + l * z;
                }
            }
        }
        if let Some(out) = bars.v_free {
            out.copy_from_slice(&w.x);
        }
        if let Some(out) = bars.target {
            out.copy_from_slice(&w.w);
        }
        if let Some(out) = bars.friction {
            out.copy_from_slice(&w.limits);
        }
        if let Some(out) = bars.compliance {
            for ((out, w), l) in out.iter_mut().zip(&w.w).zip(lambda) {
                *out = w * l;
            }
        }
    }

    /// True if the impulses of the last solution are known to be the only ones with its velocity. Their
    /// derivative is then determined, too.
    ///
    /// # Errors
    /// As [`ContactProblem::jvp`].
    pub fn impulses_are_unique(&mut self) -> Result<bool> {
        self.judge()?;
        if self.contacts() == 0 {
            return Ok(true);
        }
        let problem = self.rows.problem();
        self.law.linearize(&problem)?.is_unique(&problem)
    }

    /// True if all sides have this derivative, for variations of the free velocity. Evaluated once for each
    /// solution.
    fn judge(&mut self) -> Result<bool> {
        let mut info = self.info.ok_or_else(no_solve)?;
        if self.contacts() == 0 {
            return Ok(true);
        }
        let problem = self.rows.problem();
        let verdict = match self.verdict {
            Some(verdict) => verdict,
            None => {
                let law = self.law.linearize(&problem)?;
                let mut state = General {
                    rows: &self.rows,
                    numbers: &self.work.general,
                };
                law.verdict(&problem, &mut state)?
            }
        };
        self.verdict = Some(verdict);
        if let Verdict::Refused(why) = verdict {
            info.gradient = Gradient::Refused;
            self.info = Some(info);
            return Err(Error::numerical(why));
        }
        Ok(verdict == Verdict::Exact)
    }

    fn label(&mut self, exact: bool) {
        if let Some(info) = &mut self.info {
            info.gradient = match exact {
                true => Gradient::Exact,
                false => Gradient::OneSided,
            };
        }
    }
}

/// Variations of the free velocity.
struct General<'a> {
    rows: &'a Rows,
    numbers: &'a [Vec<f64>; 3],
}

impl Variations for General<'_> {
    fn of_state(&mut self, w: &mut [f64]) {
        w.fill(0.0);
        for x in self.numbers {
            add_product(&self.rows.j, x, w);
        }
    }

    fn of_velocity(&mut self, which: usize, w: &mut [f64]) {
        w.fill(0.0);
        add_product(&self.rows.j, &self.numbers[[0, 2][which]], w);
    }

    fn of_rows(&mut self, w: &mut [f64]) {
        w.fill(0.0);
    }
}
