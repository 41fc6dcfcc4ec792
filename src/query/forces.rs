//! Generalized forces kind by kind, at any state: springs, dampers, tendons, the fluid and actuators.

use crate::dynamics::asked::Asked;
use crate::error::{Error, Result};
use crate::force::{ForceKinds, State};
use crate::linalg::all_finite;
use crate::spatial::Vec3;
use crate::step::info::{check_finite, check_length};
use crate::step::state::Held;
use crate::step::{Gradient, Sim};

/// Derivatives of a generalized force, column-major with nv rows: by the tangent of q and by v, nv columns
/// each, and by u, nu columns.
#[derive(Default)]
pub struct ForceDerivatives<'a> {
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    pub by_u: Option<&'a mut [f64]>,
}

/// Numbers of each actuator or tendon and their derivatives, column-major with one row for each.
#[derive(Default)]
pub struct Transmissions<'a> {
    /// [m or rad; of an actuator times its gear]
    pub lengths: Option<&'a mut [f64]>,
    pub rates: Option<&'a mut [f64]>,
    /// For an actuator the force before the gear, for a tendon the tension that pulls its ends together [N or
    /// N m].
    pub forces: Option<&'a mut [f64]>,
    /// Derivatives of the forces.
    pub by_q: Option<&'a mut [f64]>,
    pub by_v: Option<&'a mut [f64]>,
    /// For actuators only.
    pub by_u: Option<&'a mut [f64]>,
}

/// The state in the form of forces, without a time step: implicit parts of a step are left out.
macro_rules! at {
    ($sim:ident, $q:expr, $v:expr, $u:expr) => {
        State {
            model: &$sim.model,
            params: &$sim.params,
            kin: &$sim.asked.dynamics.kin,
            q: $q,
            v: $v,
            u: $u,
            time_step: 0.0,
            ease: 1.0,
        }
    };
}

fn label(distance: f64) -> Gradient {
    match distance > 0.0 {
        true => Gradient::Exact,
        false => Gradient::OneSided,
    }
}

impl Sim {
    /// The sum of the generalized forces of these kinds at (q, v, u) and the activations of [`Sim::act`], nv
    /// entries, and its derivatives. Bits beyond all kinds are ignored. Returns [`Gradient::OneSided`] where
    /// slopes jump.
    ///
    /// For tendons and springs this is the whole force, also if steps with constraints use rows of impulses
    /// instead. Dry friction and bounds are such rows and not forces. The damper of a cable fades in as it
    /// becomes taut, as with implicit integrators.
    ///
    /// # Errors
    /// As a step's for its arguments; `InvalidArgument` for derivatives without options.derivatives;
    /// `Numerical` for a result that is not finite.
    pub fn generalized_forces(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        kinds: ForceKinds,
        force: &mut [f64],
        out: ForceDerivatives<'_>,
    ) -> Result<Gradient> {
        self.check_state(q, Some(v))?;
        let (nv, nu) = (self.model.nv(), self.model.nu());
        check_finite("u", u, nu)?;
        check_length("force", force, nv)?;
        for (name, x, columns) in [
            ("dforce_dq", &out.by_q, nv),
            ("dforce_dv", &out.by_v, nv),
            ("dforce_du", &out.by_u, nu),
        ] {
            if let Some(x) = x {
                check_length(name, x, nv * columns)?;
            }
        }
        let differentiate = out.by_q.is_some() || out.by_v.is_some();
        if differentiate || out.by_u.is_some() {
            self.need_derivatives()?;
        }
        self.load_forces(q, kinds, differentiate)?;
        self.take_drives(u)?;
        self.asked.dynamics.update(&self.model, &self.params, q, v);
        self.check_asked()?;
        let drives = &self.pending.drives;
        let at = at!(self, q, v, &drives.drive);
        let distance = self.forces.apply_kinds(kinds, &at, &mut self.work)?;
        let mut gradient = label(match kinds.has(ForceKinds::ACTUATOR) {
            true => distance.min(drives.drive_margin),
            false => distance,
        });
        finite("force", &self.work)?;
        if differentiate {
            let (to_q, to_v) = (&mut self.asked.by_q, &mut self.asked.by_v);
            self.forces
                .for_kinds(kinds, &at, |row, column, by_q, by_v| {
                    to_q[column * nv + row] -= by_q;
                    to_v[column * nv + row] -= by_v;
                });
            if kinds.has(ForceKinds::CONTACT)
                && self.forces.are_one_sided(&self.model, &self.params, &[])
            {
                gradient = Gradient::OneSided;
            }
            finite("dforce_dq", to_q)?;
            finite("dforce_dv", to_v)?;
        }
        if let Some(to) = out.by_u {
            let mut sum = 0.0;
            (self.forces).for_kinds_by_input(kinds, |_, _, x| sum += x.abs());
            finite("dforce_du", &[sum])?;
            to.fill(0.0);
            (self.forces).for_kinds_by_input(kinds, |row, column, x| to[column * nv + row] += x);
            for (j, [by_u, _]) in drives.drive_slopes() {
                to[j * nv..][..nv].iter_mut().for_each(|x| *x *= by_u);
            }
        }
        if differentiate {
            let (from_q, from_v) = (&self.asked.by_q, &self.asked.by_v);
            for (out, from) in [(out.by_q, from_q), (out.by_v, from_v)] {
                if let Some(out) = out {
                    out.copy_from_slice(from);
                }
            }
        }
        force.copy_from_slice(&self.work);
        Ok(gradient)
    }

    /// Computes the forces of loads on links at q, into `work`, and their derivatives, into `asked`: by
    /// inverse dynamics of a robot at rest without gravity.
    fn load_forces(&mut self, q: &[f64], kinds: ForceKinds, differentiate: bool) -> Result<()> {
        self.held = Held::Other;
        self.work.fill(0.0);
        self.work2.fill(0.0);
        if differentiate {
            self.asked.by_q.fill(0.0);
            self.asked.by_v.fill(0.0);
        }
        let carried = ForceKinds::GRAVITY_COMPENSATION | ForceKinds::EXTERNAL | ForceKinds::OTHER;
        if !kinds.has(carried) {
            return Ok(());
        }
        (self.asked.dynamics).update(&self.model, &self.params, q, &self.work2);
        self.check_asked()?;
        let Asked {
            dynamics: d,
            by_q,
            by_v,
            ..
        } = &mut *self.asked;
        let model = &*self.model;
        d.external.clear();
        (self.forces).load_kinds(kinds, model, &self.params, &d.kin, &mut d.external);
        if !d.external.active {
            return Ok(());
        }
        let gravity = std::mem::replace(&mut self.params.gravity, Vec3::ZERO);
        d.inverse(model, &self.params, &self.work2, &mut self.work);
        if differentiate {
            d.differentiate_inverse(model, &self.params);
            if model.topology().is_deep() {
                d.inverse_columns(model, &self.params, by_q, by_v);
            } else if let Some(x) = &d.derivatives {
                x.id.to_dense(model.topology(), Some(by_q), None);
            }
            by_q.iter_mut().for_each(|x| *x = -*x);
            by_v.fill(0.0);
        }
        self.params.gravity = gravity;
        self.work.iter_mut().for_each(|x| *x = -*x);
        Ok(())
    }

    /// Lengths, rates and forces of all actuators at (q, v, u) and the activations of [`Sim::act`], nu
    /// entries each, and derivatives of the forces, nu rows.
    ///
    /// # Errors
    /// As of [`Sim::generalized_forces`].
    pub fn actuator_states(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        mut out: Transmissions<'_>,
    ) -> Result<Gradient> {
        let nu = self.model.nu();
        check_finite("u", u, nu)?;
        self.take_drives(u)?;
        let drive = std::mem::take(&mut self.pending.drives.drive);
        let done = self.transmissions(q, v, &drive, ForceKinds::ACTUATOR, nu, &out);
        self.pending.drives.drive = drive;
        let drives = &self.pending.drives;
        let distance = done?.min(drives.drive_margin);
        let (at, forces) = (at!(self, q, v, &drives.drive), &self.forces);
        let mut sum = 0.0;
        for i in 0..nu {
            sum += forces.actuator(&at, i).map(f64::abs).iter().sum::<f64>();
            sum += forces.actuator_inputs()[i].slope.abs();
            if out.differentiates() {
                forces.for_actuator(&at, i, |_, by_q, by_v| sum += by_q.abs() + by_v.abs());
            }
        }
        finite("forces", &[sum])?;
        out.clear();
        for i in 0..nu {
            let [force, length, rate] = forces.actuator(&at, i);
            out.put(i, [length, rate, force]);
            if let Some(x) = &mut out.by_u {
                x[i * nu + i] = forces.actuator_inputs()[i].slope;
            }
            if out.differentiates() {
                forces.for_actuator(&at, i, |k, by_q, by_v| out.add(k * nu + i, [by_q, by_v]));
            }
        }
        if let Some(x) = &mut out.by_u {
            for (j, [by_u, _]) in drives.drive_slopes() {
                x[j * nu + j] *= by_u;
            }
        }
        Ok(label(distance))
    }

    /// Lengths, rates and tensions of all tendons at (q, v), one entry for each tendon, and derivatives of
    /// the tensions. There are no derivatives by u.
    ///
    /// # Errors
    /// As of [`Sim::generalized_forces`].
    pub fn tendon_states(
        &mut self,
        q: &[f64],
        v: &[f64],
        mut out: Transmissions<'_>,
    ) -> Result<Gradient> {
        let n = self.model.tendons().len();
        let distance = self.transmissions(q, v, &[], ForceKinds::TENDON, n, &out)?;
        let (at, forces) = (at!(self, q, v, &[]), &self.forces);
        let mut sum = 0.0;
        for i in 0..n {
            sum += forces.tendon(&at, i).map(f64::abs).iter().sum::<f64>();
            if out.differentiates() {
                forces.for_tendon(&at, i, |_, x| sum += x.map(f64::abs).iter().sum::<f64>());
            }
        }
        finite("forces", &[sum])?;
        out.clear();
        for i in 0..n {
            out.put(i, forces.tendon(&at, i));
            if out.differentiates() {
                forces.for_tendon(&at, i, |k, [_, _, by_q, by_v]| {
                    out.add(k * n + i, [by_q, by_v]);
                });
            }
        }
        Ok(label(distance))
    }

    /// Sets the drives of actuators from the inputs u and the present activations.
    pub(super) fn take_drives(&mut self, u: &[f64]) -> Result<()> {
        let h = self.options.time_step;
        (self.pending.drives).take(&self.model, h, u, &self.act)
    }

    /// The forces of one kind, each by itself, with their derivatives on request.
    fn transmissions(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        kind: ForceKinds,
        count: usize,
        out: &Transmissions<'_>,
    ) -> Result<f64> {
        self.check_state(q, Some(v))?;
        let nv = self.model.nv();
        for (name, x, columns) in [
            ("lengths", &out.lengths, 1),
            ("rates", &out.rates, 1),
            ("forces", &out.forces, 1),
            ("dforces_dq", &out.by_q, nv),
            ("dforces_dv", &out.by_v, nv),
            ("dforces_du", &out.by_u, count),
        ] {
            if let Some(x) = x {
                check_length(name, x, count * columns)?;
            }
        }
        if out.differentiates() || out.by_u.is_some() {
            self.need_derivatives()?;
        }
        self.asked.dynamics.update(&self.model, &self.params, q, v);
        self.held = Held::Other;
        self.check_asked()?;
        self.work.fill(0.0);
        let at = at!(self, q, v, u);
        let distance = self.forces.apply_kinds(kind, &at, &mut self.work)?;
        if out.differentiates() {
            self.forces.for_kinds(kind, &at, |_, _, _, _| {});
        }
        Ok(distance)
    }
}

impl Transmissions<'_> {
    fn differentiates(&self) -> bool {
        self.by_q.is_some() || self.by_v.is_some()
    }

    fn clear(&mut self) {
        for x in [&mut self.by_q, &mut self.by_v, &mut self.by_u] {
            x.iter_mut().for_each(|x| x.fill(0.0));
        }
    }

    fn put(&mut self, i: usize, values: [f64; 3]) {
        let all = [&mut self.lengths, &mut self.rates, &mut self.forces];
        for (out, x) in all.into_iter().zip(values) {
            if let Some(out) = out {
                out[i] = x;
            }
        }
    }

    fn add(&mut self, i: usize, values: [f64; 2]) {
        for (out, x) in [&mut self.by_q, &mut self.by_v].into_iter().zip(values) {
            if let Some(out) = out {
                out[i] += x;
            }
        }
    }
}

fn finite(name: &str, x: &[f64]) -> Result<()> {
    match all_finite(x) {
        true => Ok(()),
        false => Err(Error::numerical(format!(
            "{name}: the result would not be finite: the state is too large"
        ))),
    }
}
