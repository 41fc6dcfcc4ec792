//! The balance of forces at a stage.

use super::stage::StageState;
use crate::dynamics::Dynamics;
use crate::error::Result;
use crate::force::{Forces, State};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::model::params::Params;
use crate::spatial::Twist;
use crate::step::prescribed::Prescribed;

/// The functions that a stage's balance is evaluated with.
pub(in crate::step) struct Physics<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    pub dynamics: &'a mut Dynamics,
    pub forces: &'a mut Forces,
    pub u: &'a [f64],
    pub prescribed: &'a Prescribed,
    /// As in [`State`].
    pub ease: f64,
    /// nv entries.
    pub tau: &'a mut [f64],
}

impl Physics<'_> {
    /// r ← M a' + b − f at (q', v'), zero in the rows of prescribed dofs. Returns the distance of f from
    /// the next jump of its slopes.
    ///
    /// # Errors
    /// Those of [`Forces::apply`].
    pub fn balance(&mut self, at: &StageState, r: &mut [f64]) -> Result<f64> {
        let d = &mut *self.dynamics;
        d.update(self.model, self.params, &at.q, &at.v);
        d.external.clear();
        (self.forces).load(self.model, self.params, &d.kin, &mut d.external);
        // Forces are evaluated at the stage itself, without implicit terms.
        let state = State {
            model: self.model,
            params: self.params,
            kin: &d.kin,
            q: &at.q,
            v: &at.v,
            u: self.u,
            time_step: 0.0,
            ease: self.ease,
        };
        let margin = self.forces.apply(&state, self.tau)?;
        d.inverse(self.model, self.params, &at.a, r);
        for (r, tau) in r.iter_mut().zip(&*self.tau) {
            *r -= tau;
        }
        self.prescribed.clear_rows(r);
        Ok(margin)
    }

    /// ẇ by the forces at (q, v), with their implicit terms for a time step; zeros if it is not finite.
    ///
    /// # Errors
    /// Those of [`Forces::apply`].
    pub fn accelerate(
        &mut self,
        [q, v]: [&[f64]; 2],
        time_step: f64,
        rate: &mut [f64],
    ) -> Result<()> {
        let d = &mut *self.dynamics;
        d.update(self.model, self.params, q, v);
        d.external.clear();
        (self.forces).load(self.model, self.params, &d.kin, &mut d.external);
        let state = State {
            model: self.model,
            params: self.params,
            kin: &d.kin,
            q,
            v,
            u: self.u,
            time_step,
            ease: self.ease,
        };
        self.forces.apply(&state, self.tau)?;
        self.forces.set_products(&mut d.system);
        let pivots = &self.prescribed.pivots;
        d.forward_system(self.model, self.params, pivots, self.tau, rate);
        // Free joints along the axes at the start of the step.
        for l in self.model.free_links() {
            let twist = Twist::from_slice(&v[l.iv..]);
            let turned = twist.ang.cross(twist.lin).to_array();
            (rate[l.iv..].iter_mut().zip(turned)).for_each(|(rate, x)| *rate += x);
        }
        if !all_finite(rate) {
            rate.fill(0.0);
        }
        Ok(())
    }

    /// Computes the slopes of forces. After [`Physics::balance`].
    pub fn differentiate_forces(&mut self, at: &StageState) {
        let state = State {
            model: self.model,
            params: self.params,
            kin: &self.dynamics.kin,
            q: &at.q,
            v: &at.v,
            u: self.u,
            time_step: 0.0,
            ease: self.ease,
        };
        self.forces.differentiate(&state, [&[]; 2]);
    }
}
