//! Forces by kind: also the states of single actuators and tendons, at any state.

use super::args::{self, Out};
use super::dynamics::moving;
use super::report::ds_gradient;
use super::sim::ds_sim;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::force::ForceKinds;
use crate::query::{ForceDerivatives, Transmissions};
use crate::step::Gradient;

/// Kinds of forces. Each is a bit; add them to form a set.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_force_kind {
    /// Springs of joints.
    DS_FORCE_JOINT_SPRING = 1,
    /// Dampers of joints.
    DS_FORCE_JOINT_DAMPER = 2,
    /// Forces that carry bodies against gravity (MJCF's gravcomp).
    DS_FORCE_GRAVITY_COMPENSATION = 4,
    /// Springs and dampers of tendons, springs between points of bodies, and deformable bodies.
    DS_FORCE_TENDON = 8,
    /// Drag and lift of the fluid.
    DS_FORCE_FLUID = 16,
    /// Actuators: the effect of u.
    DS_FORCE_ACTUATOR = 32,
    /// Contacts and limits as penalty forces (DS_CONTACT_PENALTY); none with other laws.
    DS_FORCE_CONTACT = 64,
    /// Wrenches set by ds_sim_set_external_wrench.
    DS_FORCE_EXTERNAL = 128,
    /// The first five: passive forces other than contact.
    DS_FORCE_PASSIVE = 31,
    /// All of them.
    DS_FORCE_ALL = 255,
}

fn kinds(kinds: i32) -> Result<ForceKinds> {
    let all = ds_force_kind::DS_FORCE_ALL as i32;
    match u32::try_from(kinds) {
        Ok(bits) if kinds > 0 && kinds <= all => Ok(ForceKinds(bits)),
        _ => Err(Error::invalid(format!(
            "kinds: must be a sum of ds_force_kind, 1 to {all}, got {kinds}"
        ))),
    }
}

unsafe fn tell(gradient: Option<*mut ds_gradient>, kind: Gradient) {
    if let Some(gradient) = gradient {
        gradient.write(kind.into());
    }
}

/// The generalized force of these kinds at (q, v, u) and the sim's activations, summed over the
/// kinds: nv numbers. Also its derivatives by q (tangent), v and u: nv×nv, nv×nv and nv×nu,
/// column-major; NULL for those not wanted. kinds: a sum of ds_force_kind; u: nu numbers; gradient,
/// which may be NULL: a ds_gradient, one-sided if the slope of a force jumps. The results must not
/// overlap the arguments.
///
/// The forces are those at this state; the implicit treatment of a step is not included. Springs and
/// dampers of tendons are included in full, even if steps replace them by constraint rows. The damper
/// of a cable grows smoothly as the cable becomes taut, as with implicit integrators.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for derivatives if the sim's options.derivatives is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_generalized_forces(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    kinds: i32,
    force: *mut f64,
    dforce_dq: *mut f64,
    dforce_dv: *mut f64,
    dforce_du: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let (nv, nu) = (v.len(), s.sim.model().nu());
        let u = args::array(u, nu, "u")?;
        let (kinds, gradient) = (
            self::kinds(kinds)?,
            args::optional_place(gradient, "gradient")?,
        );
        let outs = [
            Out::new(force, nv, "force")?,
            Out::optional(dforce_dq, nv * nv, "dforce_dq")?,
            Out::optional(dforce_dv, nv * nv, "dforce_dv")?,
            Out::optional(dforce_du, nv * nu, "dforce_du")?,
        ];
        let [force, by_q, by_v, by_u] = args::in_place(outs, &[("q", q), ("v", v), ("u", u)])?;
        let out = ForceDerivatives { by_q, by_v, by_u };
        let force = force.unwrap_or_default();
        let kind = s.sim.generalized_forces(q, v, u, kinds, force, out)?;
        tell(gradient, kind);
        Ok(())
    })
}

/// States of all actuators at (q, v, u) and the sim's activations, nu numbers each: the length of the
/// transmission and its rate (gear times those of the joint or tendon) [rad or m], and the force
/// before the gear, within its bounds [N m or N]. Also the derivatives of the forces by q (tangent),
/// v and u: nu×nv, nu×nv and nu×nu, column-major. NULL for those not wanted. gradient and errors as
/// for ds_generalized_forces. The results must not overlap the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_actuator_states(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    lengths: *mut f64,
    velocities: *mut f64,
    forces: *mut f64,
    dforces_dq: *mut f64,
    dforces_dv: *mut f64,
    dforces_du: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let (nv, nu) = (v.len(), s.sim.model().nu());
        let u = args::array(u, nu, "u")?;
        let gradient = args::optional_place(gradient, "gradient")?;
        let outs = [
            Out::optional(lengths, nu, "lengths")?,
            Out::optional(velocities, nu, "velocities")?,
            Out::optional(forces, nu, "forces")?,
            Out::optional(dforces_dq, nu * nv, "dforces_dq")?,
            Out::optional(dforces_dv, nu * nv, "dforces_dv")?,
            Out::optional(dforces_du, nu * nu, "dforces_du")?,
        ];
        let [lengths, rates, forces, by_q, by_v, by_u] =
            args::in_place(outs, &[("q", q), ("v", v), ("u", u)])?;
        let out = Transmissions {
            lengths,
            rates,
            forces,
            by_q,
            by_v,
            by_u,
        };
        tell(gradient, s.sim.actuator_states(q, v, u, out)?);
        Ok(())
    })
}

/// States of all tendons at (q, v), one number per tendon each: the length and its rate [m, m/s; for
/// a fixed tendon, the unit of its sum], and the tension of its spring and damper [N], positive if it
/// pulls its ends together. Also the derivatives of the tensions by q (tangent) and v: tendons × nv
/// each, column-major. The derivatives of the lengths are the moments of ds_sim_tendon_lengths. NULL
/// for those not wanted. gradient and errors as for ds_generalized_forces. The results must not
/// overlap the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_tendon_states(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    lengths: *mut f64,
    velocities: *mut f64,
    tensions: *mut f64,
    dtensions_dq: *mut f64,
    dtensions_dv: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let (nv, n) = (v.len(), s.sim.model().tendons().len());
        let gradient = args::optional_place(gradient, "gradient")?;
        let outs = [
            Out::optional(lengths, n, "lengths")?,
            Out::optional(velocities, n, "velocities")?,
            Out::optional(tensions, n, "tensions")?,
            Out::optional(dtensions_dq, n * nv, "dtensions_dq")?,
            Out::optional(dtensions_dv, n * nv, "dtensions_dv")?,
        ];
        let [lengths, rates, forces, by_q, by_v] = args::in_place(outs, &[("q", q), ("v", v)])?;
        let out = Transmissions {
            lengths,
            rates,
            forces,
            by_q,
            by_v,
            by_u: None,
        };
        tell(gradient, s.sim.tendon_states(q, v, out)?);
        Ok(())
    })
}
