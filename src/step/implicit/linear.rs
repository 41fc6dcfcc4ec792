//! Linearization of a stage: how its velocity responds to its starting values.
//!
//! With r(w; w₀, ξ₀, q, u, p) = 0 and H = ∂r/∂w,
//!
//!   H δw = −(M δa' + D δv' + Q δq' + r_u δu + r_p δp) at fixed w,
//!
//! where [`Motion`] gives δq', δv' and δa' from δw₀, δξ₀ and δq.

use super::balance::{Balance, Of};
use super::physics::Physics;
use super::solver::Solver;
use super::stage::{Rule, StageState};
use crate::error::{Error, Result};
use crate::force::{Forces, Input};
use crate::integrator::implicit::{Motion, Slope};
use crate::linalg::{LANES, dispatch, scattered};
use crate::model::Model;
use crate::model::reduction::Reduction;
use crate::model::topology::Topology;

/// Tangents or adjoints of a stage's starting values, nv entries each.
#[derive(Clone, Debug)]
pub(in crate::step) struct Start {
    pub w0: Vec<f64>,
    pub xi0: Vec<f64>,
}

/// Workspace for a', v' and q'.
#[derive(Clone, Debug)]
struct Work {
    /// Memory for [`LANES`] columns.
    by: [Vec<f64>; 3],
}

/// W directions of a stage's arguments, row by row: of q, u and its starting values. An empty slice is
/// zero.
#[derive(Clone, Copy)]
pub(in crate::step) struct Columns<'a, const W: usize> {
    pub q: &'a [[f64; W]],
    pub u: &'a [[f64; W]],
    pub w0: &'a [[f64; W]],
    pub xi0: &'a [[f64; W]],
}

/// The linearization; sized at creation.
#[derive(Clone, Debug)]
pub(in crate::step) struct Linear {
    rule: Option<Rule>,
    motion: Motion,
    balance: Balance,
    solver: Solver,
    inputs: Vec<Input>,
    /// Prescribed dofs. In their rows the balance is that of the prescribed velocity.
    prescribed: Vec<bool>,
    /// Entries of those rows, for up to [`LANES`] columns.
    own: Vec<f64>,
    work: Work,
}

/// Largest relative error of solving with H at which a derivative keeps five digits.
const LOST: f64 = 1e-5;

/// Seed of the random probe vector for this check.
const PROBE: usize = 17;

const MATRICES: [Of; 3] = [Of::Acceleration, Of::Velocity, Of::Position];

impl Linear {
    pub fn new(model: &Model, forces: &Forces) -> Linear {
        let t = model.topology();
        Linear {
            rule: None,
            motion: Motion::new(model),
            balance: Balance::new(t, Some(forces)),
            solver: Solver::new(t, forces),
            inputs: forces.inputs().flatten().cloned().collect(),
            prescribed: vec![false; model.nv()],
            own: vec![0.0; LANES * model.nv()],
            work: Work {
                by: [(); 3].map(|()| vec![0.0; LANES * model.nv()]),
            },
        }
    }

    /// Factors H at a stage for solves only; the data for columns by parameters are not computed. After
    /// [`Physics::balance`] at this stage.
    pub fn factor(
        &mut self,
        physics: &mut Physics<'_>,
        rule: &Rule,
        at: &StageState,
    ) -> Result<()> {
        physics.differentiate_forces(at);
        self.take_slopes(physics, rule, at, [true, false])
    }

    /// Computes slopes and factors H at a stage. After [`Physics::balance`] at this stage. Overwrites the
    /// branch-packed derivatives of `dynamics`. If the last factors are those of a point near by (`near`),
    /// solves may be refined with them instead.
    pub fn take(
        &mut self,
        physics: &mut Physics<'_>,
        rule: &Rule,
        at: &StageState,
        near: bool,
    ) -> Result<()> {
        physics.differentiate_forces(at);
        self.take_slopes(physics, rule, at, [false, near])?;
        self.check_digits(physics.model.topology(), rule)
    }

    /// Checks that derivatives by the current factors keep enough digits.
    ///
    /// # Errors
    /// `Numerical` if the relative error exceeds [`LOST`].
    pub fn check_digits(&mut self, t: &Topology, rule: &Rule) -> Result<()> {
        if !self.solver.may_lose_digits() {
            return Ok(());
        }
        let lost = self.lost(t, rule);
        match lost <= LOST {
            true => Ok(()),
            false => Err(Error::numerical(format!(
                "forces are so stiff compared with the inertia they act on that a solve of an implicit stage has a relative error of {lost:e}, so that a derivative would be round-off; expected at most {LOST:e}"
            ))),
        }
    }

    /// Relative error of H⁻¹ (H x) for a random probe vector x of size 1.
    fn lost(&mut self, t: &Topology, rule: &Rule) -> f64 {
        let nv = self.prescribed.len();
        let mut x = std::mem::take(&mut self.own);
        let (given, b) = x.split_at_mut(nv);
        let b = &mut b[..nv];
        (given.iter_mut().enumerate()).for_each(|(k, x)| *x = scattered(k, PROBE));
        self.solver.project(given);
        let given = &*given;
        let Rule {
            displacement,
            rate,
            share,
            ..
        } = *rule;
        for (of, by) in MATRICES.into_iter().zip(&mut self.work.by) {
            let by = &mut by[..nv];
            by.fill(0.0);
            let slopes: &[(f64, Slope)] = match of {
                Of::Acceleration => &[
                    (rate, Slope::Velocity),
                    (share, Slope::AccelerationByVelocity),
                    (displacement, Slope::AccelerationByPosition),
                ],
                Of::Velocity => &[
                    (share, Slope::Velocity),
                    (displacement, Slope::VelocityByPosition),
                ],
                Of::Position => &[(displacement, Slope::Position)],
            };
            for (scale, slope) in slopes {
                self.motion.add(t, *slope, *scale, given, by);
            }
        }
        b.fill(0.0);
        for (of, by) in MATRICES.into_iter().zip(&self.work.by) {
            let (by, b) = (by[..nv].as_chunks().0, b.as_chunks_mut().0);
            self.balance.add_columns::<1>(t, of, by, b);
        }
        for (k, _) in self.prescribed.iter().enumerate().filter(|(_, d)| **d) {
            b[k] = given[k];
        }
        self.solver.solve(t, b);
        let all = b.iter().zip(given).map(|(b, x)| (b - x).abs());
        let lost = all.fold(0.0, |m: f64, x| match x.is_finite() {
            true => m.max(x),
            false => f64::INFINITY,
        });
        self.own = x;
        lost
    }

    /// As [`Linear::take`], also with `near`; `alone` as in [`Balance::take`].
    fn take_slopes(
        &mut self,
        physics: &mut Physics<'_>,
        rule: &Rule,
        at: &StageState,
        [alone, near]: [bool; 2],
    ) -> Result<()> {
        let model = physics.model;
        let t = model.topology();
        let Physics {
            params,
            dynamics,
            forces,
            prescribed,
            ..
        } = physics;
        self.prescribed.copy_from_slice(prescribed.is_prescribed());
        (self.balance).take(model, params, dynamics, Some(forces), alone)?;
        for (own, input) in self.inputs.iter_mut().zip(forces.inputs().flatten()) {
            own.take_state(input);
        }
        self.motion.linearize(t, at.tangents(), &at.v);
        self.rule = Some(*rule);
        (self.solver)
            .factor(t, rule, &self.motion, &self.balance, &self.prescribed, near)
            .map_err(|k| {
                Error::numerical(format!(
                    "the matrix of an implicit stage is singular at {}",
                    model.said_of_dof(k)
                ))
            })
    }

    /// Takes the current values of the reductions.
    pub fn reduce(&mut self, reduction: &Reduction) {
        self.solver.reduce(&reduction.v);
    }

    /// x = `scale` times a column of H, with reduced coordinates.
    pub fn column(&self, dof: usize, scale: f64, x: &mut [f64]) {
        self.solver.column(dof, scale, x);
    }

    /// The velocity in the range of the reductions that is nearest to x.
    pub fn project(&mut self, x: &mut [f64]) {
        self.solver.project(x);
    }

    /// Cost of new factors, in balances.
    pub fn price(&self) -> usize {
        self.solver.price()
    }

    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    /// x ← H⁻¹ x.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        self.solver.solve(t, x);
    }

    /// On entry x = r_p δp; in prescribed rows, minus δ of the prescribed velocity. On return x = δw along
    /// δp, δq, δu and the variation of the starting values. An empty δq or δu is zero.
    pub fn direction(
        &mut self,
        t: &Topology,
        q: &[f64],
        u: &[f64],
        start: &Start,
        x: &mut [f64],
    ) -> Result<()> {
        let along = Columns::<1> {
            q: q.as_chunks().0,
            u: u.as_chunks().0,
            w0: start.w0.as_chunks().0,
            xi0: start.xi0.as_chunks().0,
        };
        self.columns_kernel(t, along, x.as_chunks_mut().0)
    }

    /// True if columns are processed one at a time.
    pub(super) fn takes_single_columns(&self) -> bool {
        self.balance.is_by_links()
    }

    /// [`Linear::direction`] for W columns.
    #[inline(always)]
    fn columns_kernel<const W: usize>(
        &mut self,
        t: &Topology,
        along: Columns<'_, W>,
        x: &mut [[f64; W]],
    ) -> Result<()> {
        let Some(rule) = &self.rule else {
            return Err(Error::internal("the stage is not linearized"));
        };
        let Columns { q, u, w0, xi0 } = along;
        let (motion, nv) = (&self.motion, x.len());
        let any_prescribed = self.prescribed.contains(&true);
        if any_prescribed {
            self.own.as_chunks_mut().0[..nv].copy_from_slice(x);
        }
        let [a, v, q_stage] = (self.work.by.each_mut()).map(|x| &mut x.as_chunks_mut().0[..nv]);
        for input in self.inputs.iter().filter(|_| !u.is_empty()) {
            input.subtract(&u[input.input], x);
        }
        let (rest, turns) = (1.0 - rule.share, !xi0.is_empty() && motion.is_wide());
        // Zero terms are not multiplied.
        let varies = [
            turns || !w0.is_empty(),
            turns || !w0.is_empty() && rest != 0.0,
            !q.is_empty() || !xi0.is_empty(),
        ];
        for (x, _) in [&mut *a, v, q_stage]
            .into_iter()
            .zip(varies)
            .filter(|x| x.1)
        {
            x.fill([0.0; W]);
        }
        if !q.is_empty() {
            motion.add_columns(t, Slope::PositionByStart, 1.0, q, q_stage);
        }
        if !xi0.is_empty() {
            motion.add_columns(t, Slope::Position, 1.0, xi0, q_stage);
        }
        if turns {
            motion.add_columns(t, Slope::VelocityByPosition, 1.0, xi0, v);
            motion.add_columns(t, Slope::AccelerationByPosition, 1.0, xi0, a);
        }
        if !w0.is_empty() {
            motion.add_columns(t, Slope::Velocity, -rule.rate, w0, a);
            if rest != 0.0 {
                motion.add_columns(t, Slope::Velocity, rest, w0, v);
                motion.add_columns(t, Slope::AccelerationByVelocity, rest, w0, a);
            }
        }
        let all = MATRICES.into_iter().zip(&self.work.by).zip(varies);
        for ((of, by), _) in all.filter(|x| x.1) {
            let by = &by.as_chunks().0[..nv];
            self.balance.add_columns(t, of, by, x);
        }
        if any_prescribed {
            self.put_own(x);
        }
        self.solver.solve_columns(t, x);
        x.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
        Ok(())
    }

    /// Adjoint: on entry `z` is the adjoint of w; on return it is the adjoint of the balance, to be
    /// multiplied by r_p. Adds the adjoints by q, by the starting values, and by u if `u_bar` is given.
    pub fn adjoint(
        &mut self,
        t: &Topology,
        z: &mut [f64],
        q_bar: &mut [f64],
        u_bar: Option<&mut [f64]>,
        start: &mut Start,
    ) -> Result<()> {
        let Some(rule) = &self.rule else {
            return Err(Error::internal("the stage is not linearized"));
        };
        self.solver.solve_transposed(t, z);
        z.iter_mut().for_each(|z| *z = -*z);
        let nv = z.len();
        self.own[..nv].copy_from_slice(z);
        for (z, _) in z.iter_mut().zip(&self.prescribed).filter(|(_, d)| **d) {
            *z = 0.0;
        }
        for (of, by) in MATRICES.into_iter().zip(&mut self.work.by) {
            by[..nv].fill(0.0);
            self.balance.add_transposed(t, of, z, &mut by[..nv]);
        }
        let (motion, [a, v, q_stage]) = (&self.motion, self.work.by.each_ref().map(|x| &x[..nv]));
        motion.add_transposed(t, Slope::PositionByStart, 1.0, q_stage, q_bar);
        let xi0 = &mut start.xi0;
        motion.add_transposed(t, Slope::Position, 1.0, q_stage, xi0);
        motion.add_transposed(t, Slope::VelocityByPosition, 1.0, v, xi0);
        motion.add_transposed(t, Slope::AccelerationByPosition, 1.0, a, xi0);
        let w0 = &mut start.w0;
        motion.add_transposed(t, Slope::Velocity, -rule.rate, a, w0);
        if rule.share != 1.0 {
            let rest = 1.0 - rule.share;
            motion.add_transposed(t, Slope::Velocity, rest, v, w0);
            motion.add_transposed(t, Slope::AccelerationByVelocity, rest, a, w0);
        }
        if let Some(u_bar) = u_bar {
            for input in &self.inputs {
                u_bar[input.input] -= input.adjoint(z);
            }
        }
        self.put_own::<1>(z.as_chunks_mut().0);
        Ok(())
    }

    /// Restores the saved entries of prescribed rows.
    #[inline(always)]
    fn put_own<const W: usize>(&self, x: &mut [[f64; W]]) {
        let kept = self.own.as_chunks().0;
        for (k, _) in self.prescribed.iter().enumerate().filter(|(_, d)| **d) {
            x[k] = kept[k];
        }
    }
}

dispatch! {
    /// [`Linear::direction`] for [`LANES`] columns.
    pub(in crate::step) fn columns = Linear::columns_kernel(
        linear: &mut Linear,
        t: &Topology,
        along: Columns<'_, LANES>,
        x: &mut [[f64; LANES]],
    ) -> Result<()>
}
