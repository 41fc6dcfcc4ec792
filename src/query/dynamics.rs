//! Smooth dynamics at any state, with the simulation's parameters and the loads on its links: external
//! wrenches, gravity compensation and loads by forces defined outside the library.
//!
//! Forces are total generalized forces: forces on dofs (joint damping, springs, friction, actuators) belong
//! to the step.

use crate::dynamics::asked::Asked;
use crate::dynamics::jacobian;
use crate::dynamics::kinematics::body_placements;
use crate::error::{Error, Result};
use crate::linalg::{F4, all_finite};
use crate::spatial::{Vec3, Wrench};
use crate::step::Query;
use crate::step::info::{REACH, check_body, check_finite, check_length, check_state};

pub(super) fn forward_kinematics(
    at: &mut Query<'_>,
    q: &[f64],
    placements: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    let n = at.model.nbody();
    check_length("placements", placements, 16 * n)?;
    at.move_to(q, None, None)?;
    body_placements(&at.asked.dynamics.kin, at.model, placements);
    Ok(())
}

pub(super) fn inverse_dynamics(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    tau: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_finite("a", a, at.model.nv())?;
    check_length("tau", tau, at.model.nv())?;
    at.ask(q, v);
    at.asked
        .dynamics
        .inverse(at.model, at.params, a, &mut at.asked.work);
    at.deliver("tau", tau)
}

pub(super) fn forward_dynamics(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    a: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_finite("tau", tau, at.model.nv())?;
    check_length("a", a, at.model.nv())?;
    at.ask(q, v);
    let p = &*at.params;
    at.asked
        .dynamics
        .forward(at.model, p, &p.armature, tau, &mut at.asked.work);
    at.deliver("a", a)
}

pub(super) fn mass_matrix(at: &mut Query<'_>, q: &[f64], m: &mut [f64]) -> Result<()> {
    check_state(at.model, q, None)?;
    check_length("M", m, at.model.nv() * at.model.nv())?;
    at.update_positions(q)?;
    if !at.asked.dynamics.mass_matrix(at.model, at.params, m) {
        return Err(Error::numerical(
            "M would not be finite: a mass or a distance is too large",
        ));
    }
    Ok(())
}

pub(super) fn inverse_dynamics_derivatives(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    dtau_dq: Option<&mut [f64]>,
    dtau_dv: Option<&mut [f64]>,
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    let nv = at.model.nv();
    check_finite("a", a, nv)?;
    for (name, x) in [("dtau_dq", &dtau_dq), ("dtau_dv", &dtau_dv)] {
        if let Some(x) = x {
            check_length(name, x, nv * nv)?;
        }
    }
    at.need_derivatives()?;
    at.ask(q, v);
    at.asked
        .dynamics
        .inverse(at.model, at.params, a, &mut at.asked.work);
    at.asked
        .dynamics
        .differentiate_inverse(at.model, &*at.params);
    if at.model.topology().is_deep() {
        let Asked {
            dynamics,
            by_q,
            by_v,
            ..
        } = &mut *at.asked;
        dynamics.inverse_columns(at.model, at.params, by_q, by_v);
        let pairs = [(dtau_dq, by_q), (dtau_dv, by_v)];
        if !pairs.iter().all(|(_, x)| all_finite(x)) {
            return Err(Error::numerical(
                "a derivative is not finite: the state is too large",
            ));
        }
        for (out, x) in pairs {
            if let Some(out) = out {
                out.copy_from_slice(x);
            }
        }
    } else if let Some(d) = &at.asked.dynamics.derivatives {
        let parts = [&d.id.above_q, &d.id.below_q, &d.id.above_v, &d.id.below_v];
        if !parts.iter().all(|x| all_finite(F4::flat(x))) {
            return Err(Error::numerical(
                "a derivative is not finite: the state is too large",
            ));
        }
        d.id.to_dense(at.model.topology(), dtau_dq, dtau_dv);
    }
    Ok(())
}

pub(super) fn forward_dynamics_derivatives(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    da_dq: Option<&mut [f64]>,
    da_dv: Option<&mut [f64]>,
    da_dtau: Option<&mut [f64]>,
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    let nv = at.model.nv();
    check_finite("tau", tau, nv)?;
    for (name, x) in [("da_dq", &da_dq), ("da_dv", &da_dv), ("da_dtau", &da_dtau)] {
        if let Some(x) = x {
            check_length(name, x, nv * nv)?;
        }
    }
    at.need_derivatives()?;
    at.ask(q, v);
    let (model, p) = (at.model, &*at.params);
    let Asked {
        dynamics,
        by_q,
        by_v,
        work,
        ..
    } = &mut *at.asked;
    // Only entries within a tree are computed.
    by_q.fill(0.0);
    by_v.fill(0.0);
    let singular = dynamics.differentiate_forward(model, p, &p.armature, tau, work, by_q, by_v);
    if let Some(k) = singular {
        return Err(Error::numerical(format!(
            "the mass matrix is singular at {}",
            model.said_of_dof(k)
        )));
    }
    if !all_finite(by_q) || !all_finite(by_v) {
        return Err(Error::numerical(
            "a derivative is not finite: the state is too large",
        ));
    }
    if let Some(x) = da_dq {
        x.copy_from_slice(by_q);
    }
    if let Some(x) = da_dv {
        x.copy_from_slice(by_v);
    }
    if let Some(x) = da_dtau {
        dynamics.mass_inverse(model.topology(), x);
    }
    Ok(())
}

pub(super) fn body_jacobian(
    at: &mut Query<'_>,
    q: &[f64],
    body: usize,
    point: [f64; 3],
    j: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, None)?;
    check_body(at.model, body)?;
    check_finite("point", &point, 3)?;
    check_length("J", j, 6 * at.model.nv())?;
    if let Some(i) = point.iter().position(|x| x.abs() >= REACH) {
        return Err(Error::numerical(format!(
            "point[{i}]: must be below {REACH:e}, got {}",
            point[i]
        )));
    }
    at.move_to(q, None, None)?;
    let p = Vec3::from_slice(&point);
    jacobian::body_jacobian(at.model, &at.asked.dynamics.kin, body, p, j);
    Ok(())
}

pub(super) fn body_jacobian_rate(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    body: usize,
    point: [f64; 3],
    rate: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_body(at.model, body)?;
    check_finite("point", &point, 3)?;
    check_length("J_rate", rate, 6 * at.model.nv())?;
    at.ask(q, v);
    let p = Vec3::from_slice(&point);
    jacobian::body_jacobian_rate(at.model, &at.asked.dynamics.kin, body, p, rate);
    Ok(())
}

pub(super) fn energy(at: &mut Query<'_>, q: &[f64], v: &[f64]) -> Result<(f64, f64)> {
    check_state(at.model, q, Some(v))?;
    at.ask(q, v);
    let (model, params, kin) = (at.model, &*at.params, &at.asked.dynamics.kin);
    let (kinetic, potential) = jacobian::energy(model, params, kin, v);
    let stored = at.forces.energy(model, params, kin, q);
    Ok((kinetic, potential + stored))
}

pub(super) fn tendon_lengths(
    at: &mut Query<'_>,
    q: &[f64],
    lengths: &mut [f64],
    moments: Option<&mut [f64]>,
) -> Result<()> {
    check_state(at.model, q, None)?;
    let (nv, count) = (at.model.nv(), at.model.tendons().len());
    check_length("lengths", lengths, count)?;
    if let Some(moments) = &moments {
        check_length("moments", moments, nv * count)?;
    }
    at.update_positions(q)?;
    let paths = at.forces.lengths(&at.asked.dynamics.kin, q);
    if let Some(i) = (0..count).find(|i| !paths.is_finite(*i)) {
        return Err(Error::numerical(format!(
            "tendon \"{}\": its length or its moment is not finite: the path is too long",
            at.model.tendons()[i].name
        )));
    }
    for (i, length) in lengths.iter_mut().enumerate() {
        *length = paths.length(i);
    }
    if let Some(moments) = moments {
        moments.fill(0.0);
        for (i, column) in moments.chunks_exact_mut(nv.max(1)).enumerate() {
            paths.moments(i).for_each(|(k, g)| column[k] = g);
        }
    }
    Ok(())
}

pub(super) fn center_of_mass(
    at: &mut Query<'_>,
    q: &[f64],
    com: &mut [f64; 3],
    j: Option<&mut [f64]>,
) -> Result<f64> {
    check_state(at.model, q, None)?;
    if let Some(j) = &j {
        check_length("J", j, 3 * at.model.nv())?;
    }
    at.update_positions(q)?;
    let mut c = Vec3::ZERO;
    let d = &mut at.asked.dynamics;
    let mass = jacobian::center_of_mass(at.model, &d.kin, &mut d.subtree, &mut c, j);
    *com = c.to_array();
    Ok(mass)
}

pub(super) fn momentum(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    about: [f64; 3],
) -> Result<[f64; 6]> {
    check_state(at.model, q, Some(v))?;
    check_finite("about", &about, 3)?;
    at.ask(q, v);
    let h: Wrench = jacobian::momentum(at.model, &at.asked.dynamics.kin, Vec3::from_slice(&about));
    Ok(h.to_array())
}

pub(super) fn hybrid_dynamics(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    prescribed: &[i32],
    tau: &mut [f64],
    a: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    let nv = at.model.nv();
    check_length("tau", tau, nv)?;
    check_length("a", a, nv)?;
    if prescribed.len() != nv {
        return Err(Error::invalid(format!(
            "prescribed must have {nv} entries, got {}",
            prescribed.len()
        )));
    }
    for (k, p) in prescribed.iter().enumerate() {
        let (name, x) = if *p != 0 {
            ("a", a[k])
        } else {
            ("tau", tau[k])
        };
        if !x.is_finite() {
            return Err(Error::numerical(format!(
                "{name}[{k}] must be finite, got {x}"
            )));
        }
        at.asked.prescribed[k] = *p != 0;
    }
    at.ask(q, v);
    at.asked.work.copy_from_slice(tau);
    at.asked.work2.copy_from_slice(a);
    at.asked.dynamics.hybrid(
        at.model,
        at.params,
        &at.asked.prescribed,
        &mut at.asked.work,
        &mut at.asked.work2,
    );
    if let Some(k) = (0..nv).find(|&k| !(at.asked.work[k] + at.asked.work2[k]).is_finite()) {
        return Err(Error::numerical(format!(
            "the acceleration of {} is not finite: singular mass or a state too large",
            at.model.said_of_dof(k)
        )));
    }
    tau.copy_from_slice(&at.asked.work);
    a.copy_from_slice(&at.asked.work2);
    Ok(())
}
