//! Jacobians of an implicit step: all columns go through a stage before the next stage.

use super::chain::missing;
use super::linear::{self, Columns, Start};
use super::panels::Panels;
use super::stage::{Rule, mix};
use super::workspace::{Implicit, Lanes};
use crate::error::{Error, Result};
use crate::integrator::implicit::Slope;
use crate::joint::block_mul;
use crate::linalg::{LANES, axpy, within};
use crate::model::topology::Topology;
use crate::step::info::REACH;
use crate::step::jacobians::StepJacobians;
use crate::step::linearization::Linearization;
use crate::step::link::Parameters;
use crate::step::reduced::ReductionPart;
use crate::step::taken::Taken;

/// The variable by which a panel differentiates, in the order of [`Panels`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::step) enum Kind {
    Position,
    Velocity,
    Input,
    Parameter,
}

const KINDS: [Kind; 4] = [Kind::Position, Kind::Velocity, Kind::Input, Kind::Parameter];

impl Taken<'_> {
    /// The Jacobians of the last step of an implicit formula. The lengths are those of the request.
    pub(in crate::step) fn write_stage_jacobians(
        &mut self,
        lin: &mut Linearization,
        out: StepJacobians<'_>,
        by_act: [Option<&mut [f64]>; 2],
        sparse: bool,
    ) -> Result<()> {
        let acts = by_act.iter().any(Option::is_some);
        let wanted = [
            out.dq_dq.is_some() || out.dv_dq.is_some(),
            out.dq_dv.is_some() || out.dv_dv.is_some(),
            out.dq_du.is_some() || out.dv_du.is_some() || acts,
            out.dq_dp.is_some() || out.dv_dp.is_some(),
        ];
        self.linearize_stages(lin)?;
        let taken = self.implicit.as_mut().and_then(|i| i.panels.take());
        let Some(mut panels) = taken else {
            return Err(Error::internal("the panels of columns are missing"));
        };
        let mut wanted_kinds = KINDS.into_iter().filter(|kind| wanted[*kind as usize]);
        let done = wanted_kinds
            .try_for_each(|kind| self.columns_through_stages(lin, &mut panels, kind))
            .and_then(|()| self.deliver_columns(lin, &mut panels, wanted, (out, by_act), sparse));
        if let Some(implicit) = &mut self.implicit {
            implicit.panels = Some(panels);
        }
        done
    }

    fn columns_through_stages(
        &mut self,
        lin: &mut Linearization,
        panels: &mut Panels,
        kind: Kind,
    ) -> Result<()> {
        let nv = self.model.nv().max(1);
        let panel = &mut panels.w[kind as usize];
        let by_xi = match kind {
            Kind::Position => &mut lin.by_q,
            Kind::Velocity => &mut lin.by_v,
            Kind::Input => &mut lin.by_u,
            Kind::Parameter => &mut lin.by_p,
        };
        let mut last = 0;
        for (i, rule) in self.rules()? {
            if kind == Kind::Parameter && !by_xi.is_empty() {
                self.load_stage(i)?;
            }
            let one = (self.implicit.as_ref()).is_some_and(|s| s.linear[i].takes_single_columns());
            let width = if one { 1 } else { LANES };
            let mut of_w = panel.chunks_mut(width * nv);
            for (g, xi) in by_xi.chunks_mut(width * nv).enumerate() {
                let Some(w) = of_w.next() else { break };
                if i == 0 {
                    w.fill(0.0);
                }
                match one {
                    true => self.column_through_stage(i, &rule, kind, g, &mut lin.unit, w, xi)?,
                    false => self.group_through_stage(i, &rule, kind, g * width, w, xi)?,
                }
            }
            last = i;
        }
        let t = self.model.topology();
        let Some(implicit) = &mut self.implicit else {
            return Err(missing());
        };
        let (motion, column) = (implicit.linear[last].motion(), &mut implicit.work.w);
        if !motion.is_wide() {
            return Ok(());
        }
        for (w, xi) in panel.chunks_exact_mut(nv).zip(by_xi.chunks_exact_mut(nv)) {
            column.fill(0.0);
            motion.add(t, Slope::Velocity, 1.0, w, column);
            motion.add(t, Slope::VelocityByPosition, 1.0, xi, column);
            w.copy_from_slice(column);
            column.fill(0.0);
            motion.add(t, Slope::Position, 1.0, xi, column);
            xi.copy_from_slice(column);
        }
        Ok(())
    }

    /// Advances a column of δw from the previous stage to this one, with δξ.
    fn column_through_stage(
        &mut self,
        i: usize,
        rule: &Rule,
        kind: Kind,
        k: usize,
        unit: &mut [f64],
        w: &mut [f64],
        xi: &mut [f64],
    ) -> Result<()> {
        let nv = w.len();
        // The array of δξ temporarily holds the forces by a parameter.
        xi.fill(0.0);
        if kind == Kind::Parameter {
            self.stage_column(k, xi)?;
        } else {
            unit[k] = 1.0;
        }
        let empty = &[][..];
        let along = |this: Kind, n: usize| if kind == this { &unit[..n] } else { empty };
        let (model, t) = (self.model, self.model.topology());
        let Some(implicit) = &mut self.implicit else {
            return Err(missing());
        };
        let Start { w0, xi0 } = &mut implicit.work.start;
        let v = along(Kind::Velocity, nv);
        mix(rule.w0, v, w, &[], w0);
        mix(rule.xi0, v, w, &[], xi0);
        let (q, u) = (along(Kind::Position, nv), along(Kind::Input, model.nu()));
        let start = &implicit.work.start;
        implicit.linear[i].direction(t, q, u, start, xi)?;
        if kind == Kind::Parameter {
            self.move_stage(Parameters::Unit(k), xi);
        }
        let Some(implicit) = &self.implicit else {
            return Err(missing());
        };
        let start = &implicit.work.start;
        w.copy_from_slice(xi);
        for ((xi, xi0), w) in xi.iter_mut().zip(&start.xi0).zip(&*w) {
            *xi = xi0 + rule.displacement * w;
        }
        if kind != Kind::Parameter {
            unit[k] = 0.0;
        }
        Ok(())
    }

    /// Advances up to [`LANES`] columns, from column `first` on.
    fn group_through_stage(
        &mut self,
        i: usize,
        rule: &Rule,
        kind: Kind,
        first: usize,
        w: &mut [f64],
        xi: &mut [f64],
    ) -> Result<()> {
        let nv = self.model.nv();
        if kind == Kind::Parameter {
            for (k, column) in xi.chunks_exact_mut(nv).enumerate() {
                self.stage_column(first + k, column)?;
            }
        }
        let Some(implicit) = &mut self.implicit else {
            return Err(missing());
        };
        let x = &mut implicit.work.lanes.rows().x[..nv];
        x.fill([0.0; LANES]);
        if kind == Kind::Parameter {
            for (k, column) in xi.chunks_exact(nv).enumerate() {
                x.iter_mut().zip(column).for_each(|(x, p)| x[k] = *p);
            }
        }
        let (model, before) = (self.model, if i > 0 { &*w } else { &[] });
        let group = match kind {
            Kind::Input => [first, model.nu()],
            _ => [first, nv],
        };
        let is_displaced = implicit.take_group(model.topology(), (i, rule), kind, group, before)?;
        let Lanes { xi0, x, .. } = implicit.work.lanes.rows();
        let by_entries = self
            .by_reduction
            .as_ref()
            .filter(|_| kind == Kind::Parameter);
        let columns = w.chunks_exact_mut(nv).zip(xi.chunks_exact_mut(nv));
        for (k, (w, xi)) in columns.enumerate() {
            w.iter_mut().zip(&*x).for_each(|(w, x)| *w = x[k]);
            if let Some(of) = by_entries {
                let p = Parameters::Unit(first + k);
                of.add_velocity(ReductionPart::Speed, |i| p.weight(i), w);
            }
            (xi.iter_mut().zip(&*w)).for_each(|(xi, w)| *xi = rule.displacement * w);
            if is_displaced {
                (xi.iter_mut().zip(&*xi0)).for_each(|(xi, xi0)| *xi += xi0[k]);
            }
        }
        Ok(())
    }

    fn deliver_columns(
        &mut self,
        lin: &mut Linearization,
        panels: &mut Panels,
        wanted: [bool; 4],
        (out, by_act): (StepJacobians<'_>, [Option<&mut [f64]>; 2]),
        sparse: bool,
    ) -> Result<()> {
        let model = self.model;
        let t = model.topology();
        if wanted[Kind::Input as usize] {
            let driven = self.state.drives.driven();
            lin.place_inputs(self.forces.actuator_inputs(), driven);
        }
        let Some(implicit) = &self.implicit else {
            return Err(missing());
        };
        let last = self.rules()?.map(|(i, _)| i).next_back().unwrap_or(0);
        let motion = implicit.linear[last].motion();
        let of_xi = [&lin.by_q, &lin.by_v, &lin.by_u, &lin.by_p];
        let are_small = (of_xi.into_iter().zip(&panels.w).zip(wanted))
            .all(|((xi, w), wanted)| !wanted || within(REACH, xi) && within(REACH, w));
        if !are_small || !motion.is_within(REACH) {
            return Err(Error::numerical("a Jacobian of the step is not finite"));
        }
        if wanted[Kind::Input as usize] {
            let drives = &self.state.drives;
            drives.share(&mut lin.by_u, &mut lin.by_act);
            drives.share(&mut panels.w[Kind::Input as usize], &mut panels.act);
        }
        for (out, from) in by_act.into_iter().zip([&lin.by_act, &panels.act]) {
            if let Some(out) = out {
                lin.by_activations().write(1.0, from, out);
            }
        }
        let of_xi = [&lin.by_q, &lin.by_v, &lin.by_u, &lin.by_p];
        let [mut dofs, mut inputs, full] = lin.kinds();
        if sparse {
            let [by_state, by_input] = &lin.starts;
            (dofs, inputs) = (dofs.packed(by_state), inputs.packed(by_input));
        }
        let of_q = [out.dq_dq, out.dq_dv, out.dq_du, out.dq_dp];
        let of_v = [out.dv_dq, out.dv_dv, out.dv_du, out.dv_dp];
        let which = [dofs, dofs, inputs, full];
        for (k, (q, v)) in of_q.into_iter().zip(of_v).enumerate() {
            if let Some(v) = v {
                which[k].write(1.0, &panels.w[k], v);
            }
            let Some(q) = q else { continue };
            which[k].write(1.0, of_xi[k], q);
            if k > 0 {
                continue;
            }
            let plain = t.links.iter().filter(|l| l.kind.quaternion().is_none());
            for j in plain.flat_map(|l| l.dofs()) {
                q[dofs.index(j, j)] += 1.0;
            }
            for (l, blocks) in motion.wide(t) {
                for k in 0..l.nv {
                    let mut e = [0.0; 6];
                    e[k] = 1.0;
                    block_mul(&blocks[Slope::PositionByStart as usize], &mut e[..l.nv]);
                    let own = &mut q[dofs.index(l.iv + k, l.iv)..][..l.nv];
                    own.iter_mut().zip(e).for_each(|(o, x)| *o += x);
                }
            }
        }
        Ok(())
    }
}

impl Implicit {
    /// Takes up to [`LANES`] of `count` columns, from column `first` on, through a stage. On entry `lanes.x`
    /// is r_p δp, on return δw. `before`: δw of the stage before, in columns; may be empty. If true is
    /// returned, the stage starts from a displacement, which is in `lanes.xi0`.
    pub(in crate::step) fn take_group(
        &mut self,
        t: &Topology,
        (i, rule): (usize, &Rule),
        kind: Kind,
        [first, count]: [usize; 2],
        before: &[f64],
    ) -> Result<bool> {
        let (nv, rows) = (t.nv(), self.work.lanes.rows());
        let [w0, xi0, x] = [rows.w0, rows.xi0, rows.x].map(|x| &mut x[..nv]);
        let unit = &mut rows.unit[..count];
        if kind != Kind::Parameter {
            unit.fill([0.0; LANES]);
            for (k, row) in unit.iter_mut().skip(first).take(LANES).enumerate() {
                row[k] = 1.0;
            }
        }
        // A first stage starts from v only; its displacements mostly start from zero.
        let [starts, is_displaced] = [rule.w0, rule.xi0].map(|by| {
            !before.is_empty() && by.before != 0.0 || kind == Kind::Velocity && by.start != 0.0
        });
        for (by, out, _) in [
            (rule.w0, &mut *w0, starts),
            (rule.xi0, &mut *xi0, is_displaced),
        ]
        .into_iter()
        .filter(|x| x.2)
        {
            out.fill([0.0; LANES]);
            for (k, column) in before.chunks_exact(nv).enumerate() {
                (out.iter_mut().zip(column)).for_each(|(out, w)| out[k] = by.before * w);
            }
            if kind == Kind::Velocity {
                (out.iter_mut().zip(&*unit)).for_each(|(out, v)| axpy(by.start, v, out));
            }
        }
        let none = &[][..];
        let along = Columns {
            q: if kind == Kind::Position { unit } else { none },
            u: if kind == Kind::Input { unit } else { none },
            w0: if starts { w0 } else { none },
            xi0: if is_displaced { xi0 } else { none },
        };
        linear::columns(&mut self.linear[i], t, along, x)?;
        Ok(is_displaced)
    }
}
