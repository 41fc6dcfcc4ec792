//! A stage linearized: how its velocity answers what it starts from.
//!
//! With r(w; w₀, ξ₀, q, u, p) = 0 and H = ∂r/∂w,
//!
//!   H δw = −(M δa' + D δv' + Q δq' + r_u δu + r_p δp) at fixed w,
//!
//! where δq', δv' and δa' are what [`Motion`] makes of δw₀, δξ₀ and δq.

use super::balance::{Balance, Of};
use super::physics::Physics;
use super::solver::Solver;
use super::stage::{Rule, StageState};
use crate::error::{Error, Result};
use crate::force::{Forces, Input};
use crate::integrator::implicit::{Motion, Slope};
use crate::model::Model;
use crate::model::topology::Topology;

/// Tangents or adjoints of what a stage starts from, nv entries each.
#[derive(Clone, Debug)]
pub(in crate::step) struct Start {
    pub w0: Vec<f64>,
    pub xi0: Vec<f64>,
}

/// Of a', v' and q'.
#[derive(Clone, Debug)]
struct Work {
    by: [Vec<f64>; 3],
}

/// Sized at creation.
#[derive(Clone, Debug)]
pub(in crate::step) struct Linear {
    rule: Option<Rule>,
    motion: Motion,
    balance: Balance,
    solver: Solver,
    inputs: Vec<Input>,
    work: Work,
}

const MATRICES: [Of; 3] = [Of::Acceleration, Of::Velocity, Of::Position];

impl Linear {
    pub fn new(model: &Model, forces: &Forces) -> Linear {
        let t = model.topology();
        Linear {
            rule: None,
            motion: Motion::new(model),
            balance: Balance::new(t, forces.may_cross()),
            solver: Solver::new(t, forces),
            inputs: Vec::with_capacity(forces.inputs().map(<[Input]>::len).sum()),
            work: Work {
                by: [(); 3].map(|()| vec![0.0; model.nv()]),
            },
        }
    }

    /// Takes slopes and factors H at a stage; after [`Physics::balance`] there. Of `dynamics` the branch-packed
    /// derivatives are lost.
    pub fn take(&mut self, physics: &mut Physics<'_>, rule: &Rule, at: &StageState) -> Result<()> {
        let model = physics.model;
        let t = model.topology();
        physics.differentiate_forces(at);
        let Physics {
            params,
            dynamics,
            forces,
            ..
        } = physics;
        self.balance.take(model, params, dynamics, Some(forces))?;
        self.inputs.clear();
        self.inputs.extend(forces.inputs().flatten());
        self.motion.linearize(t, at.tangents(), &at.v);
        self.rule = Some(*rule);
        (self.solver)
            .factor(t, rule, &self.motion, &self.balance)
            .map_err(|k| {
                Error::numerical(format!(
                    "the matrix of an implicit stage is singular at joint \"{}\"",
                    model.joint_of_dof(k).name
                ))
            })
    }

    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    /// x ← H⁻¹ x.
    pub fn solve(&mut self, t: &Topology, x: &mut [f64]) {
        self.solver.solve(t, x);
    }

    /// x = r_p δp becomes δw along that, along δq and δu, of which an empty one is zero, and along what the stage starts
    /// from.
    pub fn direction(
        &mut self,
        t: &Topology,
        q: &[f64],
        u: &[f64],
        start: &Start,
        x: &mut [f64],
    ) -> Result<()> {
        let Some(rule) = &self.rule else {
            return Err(Error::internal("the stage is not linearized"));
        };
        let (motion, [a, v, q_stage]) = (&self.motion, &mut self.work.by);
        for input in self.inputs.iter().filter(|_| !u.is_empty()) {
            for (x, gear) in x[input.dof..].iter_mut().zip(input.gear()) {
                *x -= gear * input.slope * u[input.input];
            }
        }
        for x in [&mut *a, v, q_stage] {
            x.fill(0.0);
        }
        if !q.is_empty() {
            motion.add(t, Slope::PositionByStart, 1.0, q, q_stage);
        }
        motion.add(t, Slope::Position, 1.0, &start.xi0, q_stage);
        motion.add(t, Slope::VelocityByPosition, 1.0, &start.xi0, v);
        motion.add(t, Slope::AccelerationByPosition, 1.0, &start.xi0, a);
        motion.add(t, Slope::Velocity, -rule.rate, &start.w0, a);
        if rule.share != 1.0 {
            let rest = 1.0 - rule.share;
            motion.add(t, Slope::Velocity, rest, &start.w0, v);
            motion.add(t, Slope::AccelerationByVelocity, rest, &start.w0, a);
        }
        for (of, by) in MATRICES.into_iter().zip(&self.work.by) {
            self.balance.add(t, of, by, x);
        }
        self.solver.solve(t, x);
        x.iter_mut().for_each(|x| *x = -*x);
        Ok(())
    }

    /// From the adjoint by w in `z`: that of the balance into `z`, to be multiplied by r_p; what comes of it by q and by
    /// the stage's start is added, by u too where it is wanted.
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
        for (of, by) in MATRICES.into_iter().zip(&mut self.work.by) {
            by.fill(0.0);
            self.balance.add_transposed(t, of, z, by);
        }
        let (motion, [a, v, q_stage]) = (&self.motion, &self.work.by);
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
                let geared = (input.gear().iter().zip(&z[input.dof..]))
                    .map(|(g, z)| g * z)
                    .sum::<f64>();
                u_bar[input.input] -= input.slope * geared;
            }
        }
        Ok(())
    }
}
