//! The part of a step's impulses in the loads of joints, and the response of a step to dry friction.

use super::{ContactStage, ImpulseBar};
use crate::dynamics::external::External;
use crate::dynamics::factors::Factors;
use crate::dynamics::kinematics::Kinematics;
use crate::error::Result;
use crate::model::Model;
use crate::model::topology::Topology;
use crate::spatial::Twist;
use std::ops::Range;

impl ContactStage {
    /// Adds the impulses of a solved step, as forces over the step, to the loads of the links.
    pub fn load(
        &mut self,
        model: &Model,
        (kin, mass): (&Kinematics, &Factors),
        state: [&[f64]; 3],
        external: &mut External,
    ) -> Result<()> {
        self.complete_rows(model, mass)?;
        self.paths.differentiate(kin);
        if let Some(l) = &mut self.linear {
            let scene = (&mut self.scene, &self.paths);
            (l.variation).prepare(&self.constraints, scene, model, kin, state, external);
        }
        Ok(())
    }

    /// See [`ConstraintDerivative::power`](crate::constraint::ConstraintDerivative::power).
    pub fn power(
        &mut self,
        tree: (&Topology, &Kinematics),
        of: (Range<usize>, Twist, f64),
        zero: &[f64],
        by_impulse: &mut [f64],
        q_bar: &mut [f64],
    ) {
        if let Some(l) = &mut self.linear {
            l.variation.power(tree, of, zero, by_impulse, q_bar);
        }
    }

    /// Writes the derivatives of the velocity and of the impulses by the dry friction of a dof.
    pub fn answer_of_friction(
        &mut self,
        model: &Model,
        m: &mut Factors,
        dof: usize,
        velocity: &mut [f64],
        impulses: &mut [f64],
    ) -> Result<()> {
        velocity.fill(0.0);
        impulses.fill(0.0);
        match self.constraints.friction_group(dof) {
            Some(group) if self.linear.is_some() => {
                self.answer_along(model, m, Some(group), velocity, impulses)
            }
            _ => Ok(()),
        }
    }

    /// Writes the derivatives of the velocity and of the impulses by a force against a dof.
    pub fn answer_of_force(
        &mut self,
        model: &Model,
        m: &mut Factors,
        dof: usize,
        velocity: &mut [f64],
        impulses: &mut [f64],
    ) -> Result<()> {
        velocity.fill(0.0);
        impulses.fill(0.0);
        velocity[dof] = -self.constraints.time_step();
        m.solve(model.topology(), velocity);
        self.answer_along(model, m, None, velocity, impulses)
    }

    /// Adds the response of the rows to `velocity`, and writes that of the impulses, for a variation of the
    /// velocity without impulses and of the bound of one group, which is a force.
    fn answer_along(
        &mut self,
        model: &Model,
        m: &mut Factors,
        bound: Option<usize>,
        velocity: &mut [f64],
        impulses: &mut [f64],
    ) -> Result<()> {
        if let Some(l) = &mut self.linear {
            l.sigma.fill(0.0);
            l.bounds.fill(0.0);
            if let Some(group) = bound {
                l.bounds[group] = self.constraints.time_step();
            }
        }
        self.correct_one(model, m, velocity)?;
        let change = self.impulse_variation();
        impulses[..change.len()].copy_from_slice(change);
        Ok(())
    }

    /// Variation of the impulses along the last direction.
    pub fn impulse_variation(&self) -> &[f64] {
        let rows = self.constraints.g.len();
        self.linear.as_ref().map_or(&[], |l| &l.dlambda[..rows])
    }

    /// Whether directions end at the rows.
    pub fn ends_at_rows(&self) -> bool {
        self.linear.as_ref().is_some_and(|l| l.ends_at_rows)
    }

    /// The weight of impulses, by rows.
    pub fn weigh_impulses(&self, bar: &ImpulseBar<'_>, impulses: &[f64]) -> f64 {
        let mut sum = 0.0;
        bar.for_rows(&self.constraints, |row, weight| {
            sum += weight * impulses[row]
        });
        sum
    }

    /// The adjoint of the impulses, set to zero, for the next [`ContactStage::correct_transposed`].
    pub fn start_row_bar(&mut self) -> &mut [f64] {
        match &mut self.linear {
            Some(l) => {
                l.row_bar.fill(0.0);
                &mut l.row_bar
            }
            None => &mut [],
        }
    }
}
