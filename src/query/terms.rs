//! Single terms of the equations of motion: gravity, bias, Coriolis matrix, M⁻¹, the regressor.

use crate::dynamics::mass_inverse::mass_inverse;
use crate::dynamics::{coriolis, regressor};
use crate::error::{Error, Result};
use crate::spatial::INERTIA_PARAMS;
use crate::step::Query;
use crate::step::info::{check_finite, check_length, check_state};

fn too_large(name: &str) -> Error {
    Error::numerical(format!(
        "{name} would not be finite: the state or an inertia is too large"
    ))
}

pub(super) fn gravity_forces(
    at: &mut Query<'_>,
    q: &[f64],
    g: &mut [f64],
    dg_dq: Option<&mut [f64]>,
) -> Result<()> {
    check_state(at.model, q, None)?;
    let nv = at.model.nv();
    check_length("g", g, nv)?;
    if let Some(x) = &dg_dq {
        check_length("dg_dq", x, nv * nv)?;
    }
    at.update_positions(q)?;
    let (model, params, asked) = (at.model, &*at.params, &mut *at.asked);
    let (kin, weights) = (&asked.dynamics.kin, &mut asked.weights);
    weights.set(kin);
    at.forces.compensate(model, params, kin, &mut weights.link);
    if !weights.gather(model, kin, params.gravity) {
        return Err(too_large("g"));
    }
    weights.forces(params.gravity, g);
    if let Some(x) = dg_dq {
        weights.derivative(model, kin, params.gravity, x);
    }
    Ok(())
}

pub(super) fn bias_forces(at: &mut Query<'_>, q: &[f64], v: &[f64], b: &mut [f64]) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_length("b", b, at.model.nv())?;
    at.asked.dynamics.update(at.model, at.params, q, v);
    let d = &mut at.asked.dynamics;
    d.external.clear();
    (at.forces).load_compensation(at.model, at.params, &d.kin, &mut d.external);
    d.bias(at.model, &*at.params, &mut at.asked.work);
    at.deliver("b", b)
}

pub(super) fn coriolis_matrix(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    c: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_length("C", c, at.model.nv() * at.model.nv())?;
    at.asked.dynamics.update(at.model, at.params, q, v);
    at.check_asked()?;
    let asked = &mut *at.asked;
    let kin = &asked.dynamics.kin;
    let (composite, rate) = (&mut asked.subtrees.composite, &mut asked.rate);
    if !coriolis::prepare(composite, rate, kin, at.model) {
        return Err(too_large("C"));
    }
    coriolis::coriolis_matrix(composite, rate, kin, at.model, c);
    Ok(())
}

pub(super) fn mass_matrix_inverse(
    at: &mut Query<'_>,
    q: &[f64],
    inverse: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    check_length("M_inv", inverse, at.model.nv() * at.model.nv())?;
    at.update_positions(q)?;
    let (d, p) = (&mut at.asked.dynamics, &*at.params);
    match mass_inverse(d, at.model, &p.armature, inverse) {
        None => Ok(()),
        Some(k) => Err(Error::numerical(format!(
            "the mass matrix is singular at {}",
            at.model.said_of_dof(k)
        ))),
    }
}

pub(super) fn inverse_dynamics_regressor(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    y: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    let model = at.model;
    check_finite("a", a, model.nv())?;
    check_length("Y", y, INERTIA_PARAMS * model.nv() * model.nbody())?;
    at.move_to(q, Some(v), Some(a))?;
    let (asked, gravity) = (&*at.asked, at.params.gravity);
    let kin = &asked.dynamics.kin;
    if !regressor::regressor(at.model, kin, &asked.acceleration, gravity, y) {
        return Err(too_large("Y"));
    }
    Ok(())
}
