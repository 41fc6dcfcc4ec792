//! The derivative of a solution by its targets, by the implicit function theorem.
//!
//! If the Hessian H of the free dofs is definite, the solution is a function of the targets: H δq = Xᵀ T δt
//! with T the slope of the forces by the target. If H is not definite, but all residuals are zero and their
//! rows independent, solutions form a smooth family, and δq is the least-norm motion that follows the
//! targets: Xᵀ (X Xᵀ)⁻¹ δt.

use super::block::{Block, Of};
use super::descent::STILL;
use super::options::IkOutcome;
use super::solver::Ik;
use super::target::Target;
use super::work::{IkGradient, Prepared, Whole};
use crate::error::{Error, Result};
use crate::joint::free_pose;
use crate::linalg::first_not_finite;
use crate::spatial::{Mat3, Vec3};
use crate::step::info::{Gradient, check_finite, check_length};

/// A pivot below this share of its diagonal entry counts as zero.
const SINGULAR: f64 = 1e-11;
/// A configuration within this distance of a minimum has the derivative of the minimum [rad, m].
const NEAR: f64 = 1e-6;

impl Ik {
    /// The label of the derivative of the last solution. [`Gradient::OneSided`]: a joint is at a bound that
    /// holds it without force; the derivative belongs to the side where the joint leaves the bound.
    ///
    /// # Errors
    /// `NoStep` before a solution; `NotConverged` if the search ended without a solution, or too far from it;
    /// `Numerical` if the solution is singular; `Unsupported` if second derivatives are needed and not
    /// available.
    pub fn gradient(&mut self) -> Result<IkGradient> {
        let info = self.info()?;
        if let Some(p) = self.prepared {
            return Ok(p.gradient);
        }
        if info.outcome == IkOutcome::Iterations {
            return Err(Error::not_converged(
                "ik: the search ended before it reached a solution, so there is no derivative",
            ));
        }
        let n = self.nv();
        let zero = self.blocks.iter().all(|b| b.largest() <= self.zero(b));
        let q = std::mem::take(&mut self.work.best);
        self.assemble();
        let one_sided = self.hold_firmly(&q, zero);
        let known = self.model.topology().varying.is_empty() && self.equalities_hold();
        if !known && !zero {
            self.work.best = q;
            return Err(Error::unsupported(
                "ik: residuals remain, and second derivatives of the model's equalities, or of joints with varying axes, \
                 are not available",
            ));
        }
        let w = &mut self.work;
        w.factored.choose((0..n).filter(|k| !w.fixed[*k]));
        // With residuals of round-off, their curvature must not count as stiffness.
        let mut unique = zero && w.factored.factor(&w.matrix, n, 0.0, [SINGULAR, 0.0]);
        if known && (unique || !zero) {
            // The remaining slope has curvature, too: a stiffness of this size counts as zero.
            let rest = if zero { 0.0 } else { 100.0 * self.slope() };
            self.add_second_order(&q);
            let w = &mut self.work;
            unique = w.factored.factor(&w.matrix, n, 0.0, [SINGULAR, rest]);
        }
        self.work.best = q;
        if !(unique || zero && self.factor_rows()) {
            return Err(Error::numerical(
                "ik: the solution is singular, so that it has no derivative by the targets; a posture with a small weight \
                 makes it regular",
            ));
        }
        if unique && !zero && self.distance() > NEAR {
            return Err(Error::not_converged(
                "ik: the configuration is not yet at the minimum of the objective, so it has no derivative; weights \
                 that differ less make the minimum easier to find",
            ));
        }
        let gradient = IkGradient {
            gradient: match one_sided {
                true => Gradient::OneSided,
                false => Gradient::Exact,
            },
            unique,
        };
        self.prepared = Some(Prepared { gradient });
        Ok(gradient)
    }

    /// The residual below which a block counts as zero.
    fn zero(&self, b: &Block) -> f64 {
        let bound = b
            .task
            .and_then(|t| self.tasks[t].bound(self.options.tolerance));
        bound.map_or(self.options.tolerance, |x| x.max(self.options.tolerance))
    }

    /// Largest entry of the Newton step from the last solution.
    fn distance(&mut self) -> f64 {
        let mut step = std::mem::take(&mut self.work.step);
        step.copy_from_slice(&self.work.gradient);
        self.solve_free(&mut step);
        let most = step.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        self.work.step = step;
        most
    }

    fn equalities_hold(&self) -> bool {
        let mut own = self.blocks.iter().filter(|b| b.task.is_none());
        own.all(|b| b.largest() <= self.options.tolerance)
    }

    /// Marks the dofs that a bound holds with a force, and returns whether a dof is at its bound without a
    /// force. If residuals are `zero`, forces have the accuracy of the residuals, otherwise that of the
    /// configuration.
    fn hold_firmly(&mut self, q: &[f64], zero: bool) -> bool {
        let n = self.nv();
        let heaviest = self
            .blocks
            .iter()
            .flat_map(|b| b.weight)
            .fold(0.0, f64::max);
        let known = match zero {
            true => (self.blocks.iter()).fold(0.0, |m: f64, b| m.max(self.zero(b))),
            false => STILL,
        };
        let mut one_sided = false;
        for k in 0..n {
            self.work.fixed[k] = false;
            if self.coordinate[k] == usize::MAX {
                continue;
            }
            let (x, g) = (q[self.coordinate[k]], self.work.gradient[k]);
            let (at_lower, at_upper) = (x <= self.lower[k], x >= self.upper[k]);
            if at_lower && at_upper {
                self.work.fixed[k] = true;
            } else if at_lower || at_upper {
                let slack = 10.0 * known * heaviest * self.work.matrix[k * n + k].sqrt();
                let firm = if at_lower { g > slack } else { g < -slack };
                self.work.fixed[k] = firm;
                one_sided |= !firm;
            }
        }
        one_sided
    }

    /// X Xᵀ of the rows that are not free, factored.
    fn factor_rows(&mut self) -> bool {
        let n = self.nv();
        let r = &mut self.regular;
        let mut rows = 0;
        for b in &self.blocks {
            for i in (0..b.rows).filter(|i| b.weight[*i] > 0.0) {
                let row = &mut r.rows[rows * n..(rows + 1) * n];
                row.fill(0.0);
                let whole = self.whole.as_deref();
                for (k, x) in b.columns(&self.dofs, &self.x) {
                    add_force(whole, k, x[i], row);
                }
                let fixed = row.iter_mut().zip(&self.work.fixed);
                fixed.filter(|(_, f)| **f).for_each(|(x, _)| *x = 0.0);
                rows += 1;
            }
        }
        let m = r.capacity;
        for i in 0..rows {
            for j in 0..=i {
                let pair = r.rows[i * n..(i + 1) * n]
                    .iter()
                    .zip(&r.rows[j * n..(j + 1) * n]);
                r.normal[i * m + j] = pair.map(|(a, b)| a * b).sum();
            }
        }
        r.factored.choose(0..rows);
        r.factored.factor(&r.normal, m, 0.0, [SINGULAR, 0.0])
    }

    /// Effect of a variation of the target on the forces of a block, or with `rows` on its rows, −∂r: for the
    /// first three rows and for the others.
    fn target_map(&self, b: &Block, q: &[f64], rows: bool) -> [Mat3; 2] {
        let mut map = match rows {
            true => [Mat3::IDENTITY; 2],
            false => [b.squares(0), b.squares(1)],
        };
        if let (Of::Free { iq }, Some(Some(Target::Posture(x)))) =
            (b.of, b.task.map(|t| &self.targets[t]))
        {
            // The variation is along the target's own axes.
            map[0] = map[0].mul_mat(&free_pose(&x[iq..]).rot);
        }
        if let Some((part, turn, wanted)) = self.turn(b, q) {
            let slope = match rows {
                true => Mat3::IDENTITY,
                false => Ik::force_slope(b, part, &turn),
            };
            map[part] = -slope.mul_mat(&turn.by_target());
            if matches!(b.of, Of::Frame) {
                map[part] = map[part].mul_mat(&wanted.transpose());
            }
        }
        map
    }

    /// Variation δq (tangent, nv) of the last solution by variations of all targets in the order of the
    /// tasks: 6 numbers along the world's axes (linear; angular) for a frame, 3 for the centre of mass, the
    /// tangent (nv) for a posture.
    ///
    /// # Errors
    /// Those of [`Ik::gradient`].
    pub fn jvp(&mut self, targets: &[f64], dq: &mut [f64]) -> Result<()> {
        check_finite("dtarget", targets, self.variations())?;
        check_length("dq", dq, self.nv())?;
        let unique = self.gradient()?.unique;
        dq.fill(0.0);
        let mut row = 0;
        for b in &self.blocks {
            let y = match b.task {
                None => [0.0; 6],
                Some(t) => {
                    let start = self.offsets[t];
                    let map = self.target_map(b, &self.work.best, !unique);
                    apply(b, &map, &targets[start + b.first..][..b.rows], false)
                }
            };
            match unique {
                true => {
                    let whole = self.whole.as_deref();
                    for (k, x) in b.columns(&self.dofs, &self.x) {
                        let force = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>();
                        add_force(whole, k, force, dq);
                    }
                }
                false => {
                    for i in (0..b.rows).filter(|i| b.weight[*i] > 0.0) {
                        self.regular.factored.x[row] = [y[i]];
                        row += 1;
                    }
                }
            }
        }
        match unique {
            true => self.solve_free(dq),
            false => {
                self.regular.factored.solve();
                let n = dq.len();
                for (i, x) in self.regular.factored.x[..row].iter().enumerate() {
                    for (d, j) in dq.iter_mut().zip(&self.regular.rows[i * n..]) {
                        *d += j * x[0];
                    }
                }
            }
        }
        finite("dq", dq)
    }

    /// The transpose of [`Ik::jvp`]: the gradient by all targets of a function of the solution with gradient
    /// q_bar (nv).
    ///
    /// # Errors
    /// Those of [`Ik::gradient`].
    pub fn vjp(&mut self, q_bar: &[f64], targets: &mut [f64]) -> Result<()> {
        check_finite("q_bar", q_bar, self.nv())?;
        check_length("target_bar", targets, self.variations())?;
        let unique = self.gradient()?.unique;
        let n = q_bar.len();
        let mut dq = std::mem::take(&mut self.work.step);
        dq.copy_from_slice(q_bar);
        match unique {
            true => self.solve_free(&mut dq),
            false => {
                let r = &mut self.regular;
                for i in 0..r.factored.free.len() {
                    let row = r.rows[i * n..(i + 1) * n].iter().zip(&dq);
                    r.factored.x[i] = [row.map(|(j, d)| j * d).sum()];
                }
                r.factored.solve();
            }
        }
        let mut row = 0;
        for b in &self.blocks {
            let mut y = [0.0; 6];
            match unique {
                true => {
                    let whole = self.whole.as_deref();
                    for (k, x) in b.columns(&self.dofs, &self.x) {
                        let moved = motion(whole, k, &dq);
                        for (y, x) in y.iter_mut().zip(x) {
                            *y += x * moved;
                        }
                    }
                }
                false => {
                    for i in (0..b.rows).filter(|i| b.weight[*i] > 0.0) {
                        y[i] = self.regular.factored.x[row][0];
                        row += 1;
                    }
                }
            }
            if let Some(t) = b.task {
                let map = self.target_map(b, &self.work.best, !unique);
                let out = apply(b, &map, &y[..b.rows], true);
                targets[self.offsets[t] + b.first..][..b.rows].copy_from_slice(&out[..b.rows]);
            }
        }
        self.work.step = dq;
        finite("target_bar", targets)
    }

    /// ∂q/∂(targets): nv × the variations of all targets, column-major.
    ///
    /// # Errors
    /// Those of [`Ik::gradient`].
    pub fn jacobian(&mut self, out: &mut [f64]) -> Result<()> {
        let (n, m) = (self.nv(), self.variations());
        check_length("dq_dtarget", out, n * m)?;
        self.gradient()?;
        let mut unit = std::mem::take(&mut self.regular.unit);
        let mut done = Ok(());
        for (j, column) in out.chunks_exact_mut(n.max(1)).enumerate() {
            unit[j] = 1.0;
            done = self.jvp(&unit, column);
            unit[j] = 0.0;
            if done.is_err() {
                break;
            }
        }
        self.regular.unit = unit;
        done
    }

    /// x ← H⁻¹ x on the free dofs, 0 on the others.
    fn solve_free(&mut self, x: &mut [f64]) {
        let f = &mut self.work.factored;
        for (i, k) in f.free.iter().enumerate() {
            f.x[i] = [x[*k]];
        }
        f.solve();
        x.fill(0.0);
        for (i, k) in f.free.iter().enumerate() {
            x[*k] = f.x[i][0];
        }
    }
}

/// The map of a block on its rows, or its transpose.
fn apply(b: &Block, map: &[Mat3; 2], x: &[f64], transposed: bool) -> [f64; 6] {
    let mut out = [0.0; 6];
    if b.rows == 1 {
        out[0] = map[0].c[0].x * x[0];
        return out;
    }
    for (part, x) in x.chunks_exact(3).enumerate() {
        let x = Vec3::from_slice(x);
        let y = match transposed {
            true => map[part].tr_mul_vec(x),
            false => map[part].mul_vec(x),
        };
        out[3 * part..3 * part + 3].copy_from_slice(&y.to_array());
    }
    out
}

/// Adds a force on a dof of the joints to forces on the dofs of the search.
fn add_force(whole: Option<&Whole>, k: usize, force: f64, out: &mut [f64]) {
    match whole {
        None => out[k] += force,
        Some(w) => (w.map.v.factors(k).iter()).for_each(|(i, g)| out[*i] += g * force),
    }
}

/// The motion of a dof of the joints.
fn motion(whole: Option<&Whole>, k: usize, dq: &[f64]) -> f64 {
    match whole {
        None => dq[k],
        Some(w) => w.map.v.factors(k).iter().map(|(i, g)| g * dq[*i]).sum(),
    }
}

fn finite(name: &str, x: &[f64]) -> Result<()> {
    match first_not_finite(x) {
        None => Ok(()),
        Some(i) => Err(Error::numerical(format!(
            "{name}[{i}]: the result is not finite: {}",
            x[i]
        ))),
    }
}
