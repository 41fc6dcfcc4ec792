//! Impulses as a function of the velocity at the end of a step, for laws that define such a function.

use super::{ContactStage, add, lanes, solved_by};
use crate::dynamics::Dynamics;
use crate::dynamics::kinematics::twists;
use crate::error::Result;
use crate::linalg::F4;
use crate::model::Model;
use crate::model::params::Params;
use crate::step::contact::request::OfStep;

impl ContactStage {
    /// Adds Jᵀ λ to `out`, with the impulses of a step from (q, v) that ends at `v_end`. `dynamics`
    /// holds the factors of A.
    ///
    /// # Errors
    /// As [`ContactStage::solve`]; errors of the law's [`answer`](crate::contact::law::Law::answer).
    pub fn answer(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        [q, v, v_end]: [&[f64]; 3],
        out: &mut [f64],
    ) -> Result<()> {
        let h = self.constraints.time_step();
        (self.outcome, self.relaxed, self.is_alone) = (None, None, false);
        self.v_free.copy_from_slice(v_end);
        let (kin, mass) = (&dynamics.kin, &mut dynamics.mass);
        self.scene.place(model, kin);
        self.paths.update(kin, q);
        twists(kin, model, v_end, &mut self.twists);
        let horizon = self.horizon();
        self.scene.speculate(&kin.v, &self.twists, horizon);
        self.scene.collide(horizon)?;
        let c = &mut self.constraints;
        let reach = f64::INFINITY;
        c.assemble(
            model,
            params,
            kin,
            &self.scene,
            &self.paths,
            q,
            v,
            &self.v_free,
            h,
            reach,
        );
        c.regularize(&self.scene, params, v);
        c.condense(model.topology(), mass);
        let mut request = OfStep {
            c,
            model,
            mass,
            v,
            v_free: &self.v_free,
            kept: &[],
            v_end: &mut self.kept,
            v_pulled: &mut self.v_pulled,
        };
        self.law.answer(&mut request)?;
        let c = &self.constraints;
        for b in 0..c.groups() {
            c.rows.add_transposed(b, c.impulse(b), out);
        }
        Ok(())
    }

    /// As [`ContactStage::direction`], if only the velocity at the end changes.
    pub fn hold(&mut self) {
        if let Some(l) = &mut self.linear {
            l.sigma.fill(0.0);
        }
    }

    /// Adds `scale` Jᵀ δλ to `out` along the direction, with this change of the velocity at the end.
    pub fn answer_direction(&mut self, dv: &[f64], scale: f64, out: &mut [f64]) -> Result<()> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let rows = c.g.len();
        if rows == 0 {
            return Ok(());
        }
        for b in 0..c.groups() {
            add(&mut l.sigma[c.range(b)], c.rows.times(b, dv));
        }
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        let (w, answer) = (&l.sigma[..rows], &mut l.dlambda[..rows]);
        law.linearize(&problem)?.answer(&problem, w, answer)?;
        for b in 0..c.groups() {
            let impulse = lanes(&answer[c.range(b)]) * F4::splat(scale);
            c.rows.add_transposed(b, impulse, out);
        }
        Ok(())
    }
}
