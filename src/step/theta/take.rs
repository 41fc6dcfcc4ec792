//! A step of the θ-method, beside its stage.

use super::ThetaWorkspace;
use super::matrix::factor;
use crate::error::Result;
use crate::step::implicit::{Found, Implicit, solve_stages};
use crate::step::info::{Gradient, StepInfo};
use crate::step::stages::Stepping;

/// The stage: the acceleration of the free motion from the pending (q, v). Afterwards the recursions are at
/// the stage; with contact, the factors of A are available too.
///
/// # Errors
/// Those of [`solve_stages`] and of the factorization.
pub(in crate::step) fn fall(
    at: &mut Stepping<'_>,
    implicit: &mut Implicit,
    theta: &ThetaWorkspace,
) -> Result<Found> {
    let (model, h) = (at.model, at.options.time_step);
    let found = solve_stages(at, implicit)?;
    at.hold_servos(theta.step, true);
    let (s, stage) = (&mut *at.s, &implicit.pending[0]);
    s.v_start.copy_from_slice(&s.v);
    for k in 0..model.nv() {
        s.acc[k] = (stage.w[k] - s.v[k]) / h;
    }
    s.begin(found.margin);
    if at.contact.is_some() {
        factor(model, at.params, at.dynamics, &at.prescribed.pivots, stage)?;
    } else {
        s.v_end.copy_from_slice(&stage.w);
    }
    Ok(found)
}

/// The velocity at the end, with the impulses of contacts and other constraints: collision, rows, law.
///
/// # Errors
/// Those of the contact problem.
pub(in crate::step) fn respond(at: &mut Stepping<'_>, found: &Found) -> Result<()> {
    let (model, params, s, d) = (at.model, at.params, &mut *at.s, &mut *at.dynamics);
    match at.contact.as_deref_mut() {
        None => {
            if let Some(penalty) = &at.forces.penalty {
                s.info.contacts = penalty.scene.contacts().len();
            }
        }
        Some(c) => {
            let certificate = c.solve(
                model,
                params,
                d,
                &s.q,
                &s.v,
                &s.v_start,
                &s.acc,
                &mut s.v_end,
            )?;
            c.complete_rows(model, &d.mass)?;
            at.prescribed.write(&mut s.v_end);
            s.settle(
                at.model.topology(),
                c,
                &certificate,
                found.margin,
                at.options,
            )?;
        }
    }
    s.info = StepInfo {
        iterations: s.info.iterations + found.iterations,
        residual: s.info.residual.max(found.residual),
        converged: s.info.converged && found.converged,
        ..s.info
    };
    if !found.converged {
        s.info.gradient = Gradient::Refused;
        s.only_modes_switch = false;
    }
    Ok(())
}
