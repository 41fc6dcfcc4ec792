//! Dynamics under a list of external wrenches, in addition to those of a simulation.

use crate::error::{Error, Result};
use crate::spatial::Wrench;
use crate::step::Query;
use crate::step::info::{check_finite, check_length, check_state};

pub(super) fn inverse_dynamics_with_wrenches(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    bodies: &[i32],
    wrenches: &[f64],
    tau: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_finite("a", a, at.model.nv())?;
    check_length("tau", tau, at.model.nv())?;
    update_with(at, q, v, bodies, wrenches)?;
    let d = &mut at.asked.dynamics;
    d.inverse(at.model, at.params, a, &mut at.asked.work);
    at.deliver("tau", tau)
}

pub(super) fn forward_dynamics_with_wrenches(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    bodies: &[i32],
    wrenches: &[f64],
    a: &mut [f64],
) -> Result<()> {
    check_state(at.model, q, Some(v))?;
    check_finite("tau", tau, at.model.nv())?;
    check_length("a", a, at.model.nv())?;
    update_with(at, q, v, bodies, wrenches)?;
    let (d, p) = (&mut at.asked.dynamics, &*at.params);
    d.forward(at.model, p, &p.armature, tau, &mut at.asked.work);
    at.deliver("a", a)
}

fn update_with(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    bodies: &[i32],
    wrenches: &[f64],
) -> Result<()> {
    let n = at.model.nbody();
    for (i, b) in bodies.iter().enumerate() {
        if !usize::try_from(*b).is_ok_and(|b| b < n) {
            return Err(Error::invalid(format!(
                "bodies[{i}]: must be the id of a body, 0 to {}, got {b}",
                n - 1
            )));
        }
    }
    check_finite("wrenches", wrenches, 6 * bodies.len())?;
    at.ask(q, v);
    let d = &mut at.asked.dynamics;
    for (b, w) in bodies.iter().zip(wrenches.chunks_exact(6)) {
        let w = Wrench::from_slice(w);
        d.external.add_on_body(at.model, &d.kin, *b as usize, w);
    }
    Ok(())
}
