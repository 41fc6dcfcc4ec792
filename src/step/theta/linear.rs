//! Preparations for the derivatives of a θ-step: at the point where impulses act.

use super::matrix::factor;
use super::workspace::ThetaWorkspace;
use crate::dynamics::rnea_derivatives::FreeAxes;
use crate::error::Result;
use crate::force::State;
use crate::model::params::ParamKind;
use crate::step::contact::ContactStage;
use crate::step::implicit::missing;
use crate::step::linearization::{Linearization, add_entry};
use crate::step::parameters::At;
use crate::step::state::Held;
use crate::step::taken::Taken;

impl Taken<'_> {
    /// Prepares all derivatives of the last step, unless they are up to date: the stage and the slopes of
    /// its balance, the matrix through which impulses act, and the recursions at the start of the step with
    /// the contact loads only.
    pub(in crate::step) fn linearize_theta(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.held() >= Held::Matrices {
            return Ok(());
        }
        let has_factors = self.held() == Held::Velocities;
        *self.held = Held::Other;
        let Some(theta) = self.theta.take() else {
            return Err(missing());
        };
        let done = self.linearize_parts(lin, theta, has_factors);
        self.theta = Some(theta);
        done?;
        let at = self.state.start(self.model, self.options.time_step);
        self.integrator.linearize(&at, &self.state.v_end);
        *self.held = Held::Matrices;
        Ok(())
    }

    fn linearize_parts(
        &mut self,
        lin: &mut Linearization,
        theta: &mut ThetaWorkspace,
        has_factors: bool,
    ) -> Result<()> {
        self.need_stages()?;
        theta.has_impulses = (self.contact.as_ref()).is_some_and(|c| {
            c.has_rows() || self.selected.iter().any(ContactStage::may_begin_to_pull)
        });
        for (i, rule) in self.rules()? {
            self.linearize_stage(i, &rule)?;
        }
        self.keep_stage_columns()?;
        if theta.has_impulses {
            self.change_by_parameters(theta)?;
            self.without_gravity(|step| step.linearize_matrix(theta))?;
            if !has_factors {
                self.hold_servos(theta.step, true);
                let Some(implicit) = &self.implicit else {
                    return Err(missing());
                };
                let (params, at) = (&*self.params, &implicit.stages[0]);
                let pivots = &self.prescribed.pivots;
                factor(self.model, params, self.dynamics, pivots, at)?;
            }
            self.change_by_reduction(theta)?;
        }
        let s = &*self.state;
        (self.dynamics).update(self.model, self.params, &s.q, &s.v);
        self.dynamics.external.clear();
        self.linearize_contact()?;
        self.need_contact_derivative()?;
        if theta.has_impulses {
            self.without_gravity(|step| step.linearize_loads(theta))?;
        }
        self.label_gradient(lin, |d, t, x| d.mass.solve(t, x))
    }

    /// The change v̂ − v* by impulses, and the part of the forces in the columns of its balance: with this
    /// acceleration, minus without it. With the recursions at the stage.
    fn change_by_parameters(&mut self, theta: &mut ThetaWorkspace) -> Result<()> {
        let Some(at) = self.implicit.as_ref().map(|i| &i.stages[0]) else {
            return Err(missing());
        };
        for (k, change) in theta.matrix.change.iter_mut().enumerate() {
            *change = self.state.v_end[k] - at.w[k];
        }
        let state = State {
            model: self.model,
            params: self.params,
            kin: &self.dynamics.kin,
            q: &at.q,
            v: &at.v,
            u: &self.state.drives.drive,
            time_step: theta.step,
            ease: 1.0,
        };
        let columns = theta.by_p.chunks_exact_mut(self.model.nv().max(1));
        for (p, column) in self.selected.iter().zip(columns) {
            column.fill(0.0);
            match p.kind {
                ParamKind::BodyInertia | ParamKind::Gravity => {}
                kind if kind.displaces() => {}
                ParamKind::JointArmature => {
                    let k = self.model.dof_of(p);
                    column[k] = -theta.matrix.change[k];
                }
                _ => {
                    theta.work.fill(0.0);
                    let (change, rest) = (&theta.matrix.change, &theta.zero);
                    self.forces.by_parameter(&state, rest, p, column);
                    (self.forces).by_parameter(&state, change, p, &mut theta.work);
                    for (c, x) in column.iter_mut().zip(&theta.work) {
                        *c -= x;
                    }
                }
            }
        }
        Ok(())
    }

    /// The parts of the selected entries of reductions in these forces. After [`Taken::linearize_matrix`].
    fn change_by_reduction(&mut self, theta: &mut ThetaWorkspace) -> Result<()> {
        let (Some(of), Some(r), Some(c)) = (
            &mut self.by_reduction,
            &self.params.reduction,
            &self.contact,
        ) else {
            return Ok(());
        };
        let (t, pivots) = (self.model.topology(), &self.prescribed.pivots);
        let ThetaWorkspace {
            matrix, by_p, work, ..
        } = theta;
        let change = std::mem::take(&mut matrix.change);
        matrix.times(t, pivots, &change, work);
        c.subtract_impulses(1.0, work);
        of.subtract_change(
            r,
            [&change, work],
            |x, out| matrix.times(t, pivots, x, out),
            by_p,
        );
        matrix.change = change;
        Ok(())
    }

    /// Without gravity.
    fn linearize_matrix(&mut self, theta: &mut ThetaWorkspace) -> Result<()> {
        let Some(at) = self.implicit.as_ref().map(|i| &i.stages[0]) else {
            return Err(missing());
        };
        (theta.matrix).linearize(self.model, self.params, self.dynamics, at)?;
        let Some(d) = &self.dynamics.derivatives else {
            return Err(missing());
        };
        let t = self.model.topology();
        let columns = theta.by_p.chunks_exact_mut(self.model.nv().max(1));
        for (p, column) in self.selected.iter().zip(columns) {
            if p.kind != ParamKind::BodyInertia && !p.kind.displaces() {
                continue;
            }
            let whole = (self.model, &*self.params);
            let state = [&at.q[..], &theta.zero, &theta.matrix.seen];
            let of = (&self.dynamics.kin, &self.dynamics.rnea, &d.id);
            let here = At::there(whole, of, self.forces, &self.state.drives.drive, state);
            here.column_of_bodies(p, &mut theta.work);
            theta.matrix.turn_back(t, &mut theta.work);
            for (c, x) in column.iter_mut().zip(&theta.work) {
                *c -= x;
            }
        }
        Ok(())
    }

    /// The contact loads only: bodies at rest at the start of the step, without gravity.
    fn linearize_loads(&mut self, theta: &mut ThetaWorkspace) -> Result<()> {
        let (model, h, s) = (self.model, self.options.time_step, &*self.state);
        let (params, d) = (&*self.params, &mut *self.dynamics);
        d.update(model, params, &s.q, &theta.zero);
        d.inverse(model, params, &theta.zero, self.work);
        let t = model.topology();
        let (Some(c), Some(of)) = (&mut self.contact, &mut d.derivatives) else {
            return Err(missing());
        };
        of.id.stiffness.set(&d.external);
        c.expand(t, &d.kin, &mut of.id.stiffness);
        d.differentiate_loaded(model, params, FreeAxes::Body);
        let (Some(l), Some(of)) = (&c.linear, &mut d.derivatives) else {
            return Err(missing());
        };
        if !t.is_deep() {
            (l.variation).for_couplings(t, &c.paths, |row, column, x| {
                add_entry(&mut of.id, t, [row, column], x, 0.0);
            });
        }
        let columns = theta.by_p.chunks_exact_mut(model.nv().max(1));
        for (p, column) in self.selected.iter().zip(columns) {
            if !p.kind.displaces() {
                continue;
            }
            let state = [&s.q[..], &theta.zero, &theta.zero];
            let of = (&d.kin, &d.rnea, &of.id);
            let here = At::there((model, params), of, self.forces, &s.drives.drive, state);
            here.column_of_bodies(p, &mut theta.work);
            for (c, x) in column.iter_mut().zip(&theta.work) {
                *c -= h * x;
            }
        }
        Ok(())
    }
}
