//! Generalized forces kind by kind, at any state: springs, dampers, tendons, the fluid and actuators.

use crate::dynamics::asked::Asked;
use crate::error::{Error, Result};
use crate::force::{ForceKinds, State};
use crate::linalg::all_finite;
use crate::spatial::Vec3;
use crate::step::info::{check_finite, check_length, check_state};
use crate::step::{Gradient, Query};

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
macro_rules! state {
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

pub(super) fn generalized_forces(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    kinds: ForceKinds,
    force: &mut [f64],
    out: ForceDerivatives<'_>,
) -> Result<Gradient> {
    check_state(at.model, q, Some(v))?;
    let (nv, nu) = (at.model.nv(), at.model.nu());
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
        at.need_derivatives()?;
    }
    load_forces(at, q, kinds, differentiate)?;
    at.take_drives(u)?;
    at.asked.dynamics.update(at.model, at.params, q, v);
    at.check_asked()?;
    let drives = &*at.drives;
    let state = state!(at, q, v, &drives.drive);
    let distance = at.forces.apply_kinds(kinds, &state, &mut at.asked.work)?;
    let mut gradient = label(match kinds.has(ForceKinds::ACTUATOR) {
        true => distance.min(drives.drive_margin),
        false => distance,
    });
    finite("force", &at.asked.work)?;
    if differentiate {
        let (to_q, to_v) = (&mut at.asked.by_q, &mut at.asked.by_v);
        at.forces
            .for_kinds(kinds, &state, |row, column, by_q, by_v| {
                to_q[column * nv + row] -= by_q;
                to_v[column * nv + row] -= by_v;
            });
        if kinds.has(ForceKinds::CONTACT) && at.forces.are_one_sided(at.model, at.params, &[]) {
            gradient = Gradient::OneSided;
        }
        finite("dforce_dq", to_q)?;
        finite("dforce_dv", to_v)?;
    }
    if let Some(to) = out.by_u {
        let mut sum = 0.0;
        (at.forces).for_kinds_by_input(kinds, |_, _, x| sum += x.abs());
        finite("dforce_du", &[sum])?;
        to.fill(0.0);
        (at.forces).for_kinds_by_input(kinds, |row, column, x| to[column * nv + row] += x);
        for (j, [by_u, _]) in drives.drive_slopes() {
            to[j * nv..][..nv].iter_mut().for_each(|x| *x *= by_u);
        }
    }
    if differentiate {
        let (from_q, from_v) = (&at.asked.by_q, &at.asked.by_v);
        for (out, from) in [(out.by_q, from_q), (out.by_v, from_v)] {
            if let Some(out) = out {
                out.copy_from_slice(from);
            }
        }
    }
    force.copy_from_slice(&at.asked.work);
    Ok(gradient)
}

/// Computes the forces of loads on links at q, into `work`, and their derivatives, into `asked`: by
/// inverse dynamics of a robot at rest without gravity.
fn load_forces(
    at: &mut Query<'_>,
    q: &[f64],
    kinds: ForceKinds,
    differentiate: bool,
) -> Result<()> {
    at.asked.work.fill(0.0);
    at.asked.work2.fill(0.0);
    if differentiate {
        at.asked.by_q.fill(0.0);
        at.asked.by_v.fill(0.0);
    }
    if !at.forces.has_loads(kinds) {
        return Ok(());
    }
    (at.asked.dynamics).update(at.model, at.params, q, &at.asked.work2);
    at.check_asked()?;
    let Asked {
        dynamics: d,
        by_q,
        by_v,
        work,
        work2,
        ..
    } = &mut *at.asked;
    let model = at.model;
    d.external.clear();
    (at.forces).load_kinds(kinds, model, at.params, &d.kin, &mut d.external);
    if !d.external.active {
        return Ok(());
    }
    let gravity = std::mem::replace(&mut at.params.gravity, Vec3::ZERO);
    d.inverse(model, at.params, work2, work);
    if differentiate {
        d.differentiate_inverse(model, at.params);
        if model.topology().is_deep() {
            d.inverse_columns(model, at.params, by_q, by_v);
        } else if let Some(x) = &d.derivatives {
            x.id.to_dense(model.topology(), Some(by_q), None);
        }
        by_q.iter_mut().for_each(|x| *x = -*x);
        by_v.fill(0.0);
    }
    at.params.gravity = gravity;
    work.iter_mut().for_each(|x| *x = -*x);
    Ok(())
}

pub(super) fn actuator_states(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    mut out: Transmissions<'_>,
) -> Result<Gradient> {
    let nu = at.model.nu();
    check_finite("u", u, nu)?;
    at.take_drives(u)?;
    let drive = std::mem::take(&mut at.drives.drive);
    let done = transmissions(at, q, v, &drive, ForceKinds::ACTUATOR, nu, &out);
    at.drives.drive = drive;
    let drives = &*at.drives;
    let distance = done?.min(drives.drive_margin);
    let (state, forces) = (state!(at, q, v, &drives.drive), &at.forces);
    let mut sum = 0.0;
    for i in 0..nu {
        sum += forces.actuator(&state, i).map(f64::abs).iter().sum::<f64>();
        sum += forces.actuator_by_input(i).abs();
        if out.differentiates() {
            forces.for_actuator(&state, i, |_, by_q, by_v| sum += by_q.abs() + by_v.abs());
        }
    }
    finite("forces", &[sum])?;
    out.clear();
    for i in 0..nu {
        let [force, length, rate] = forces.actuator(&state, i);
        out.put(i, [length, rate, force]);
        if let Some(x) = &mut out.by_u {
            x[i * nu + i] = forces.actuator_by_input(i);
        }
        if out.differentiates() {
            forces.for_actuator(&state, i, |k, by_q, by_v| out.add(k * nu + i, [by_q, by_v]));
        }
    }
    if let Some(x) = &mut out.by_u {
        for (j, [by_u, _]) in drives.drive_slopes() {
            x[j * nu + j] *= by_u;
        }
    }
    Ok(label(distance))
}

pub(super) fn tendon_states(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    mut out: Transmissions<'_>,
) -> Result<Gradient> {
    let n = at.model.tendons().len();
    let distance = transmissions(at, q, v, &[], ForceKinds::TENDON, n, &out)?;
    let (state, forces) = (state!(at, q, v, &[]), &at.forces);
    let mut sum = 0.0;
    for i in 0..n {
        sum += forces.tendon(&state, i).map(f64::abs).iter().sum::<f64>();
        if out.differentiates() {
            forces.for_tendon(&state, i, |_, x| sum += x.map(f64::abs).iter().sum::<f64>());
        }
    }
    finite("forces", &[sum])?;
    out.clear();
    for i in 0..n {
        out.put(i, forces.tendon(&state, i));
        if out.differentiates() {
            forces.for_tendon(&state, i, |k, [_, _, by_q, by_v]| {
                out.add(k * n + i, [by_q, by_v]);
            });
        }
    }
    Ok(label(distance))
}

/// The forces of one kind, each by itself, with their derivatives on request.
fn transmissions(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    u: &[f64],
    kind: ForceKinds,
    count: usize,
    out: &Transmissions<'_>,
) -> Result<f64> {
    check_state(at.model, q, Some(v))?;
    let nv = at.model.nv();
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
        at.need_derivatives()?;
    }
    at.asked.dynamics.update(at.model, at.params, q, v);
    at.check_asked()?;
    at.asked.work.fill(0.0);
    let state = state!(at, q, v, u);
    let distance = at.forces.apply_kinds(kind, &state, &mut at.asked.work)?;
    if out.differentiates() {
        at.forces.for_kinds(kind, &state, |_, _, _, _| {});
    }
    Ok(distance)
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
