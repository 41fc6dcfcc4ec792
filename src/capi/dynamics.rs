//! Dynamics without contact: at any state.

use super::args::{self, Out};
use super::sim::{ds_sim, get, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;

/// A sim and a configuration of its model.
pub(super) unsafe fn placed<'a>(
    sim: *mut ds_sim,
    q: *const f64,
) -> Result<(&'a mut ds_sim, &'a [f64])> {
    let s = get(sim)?;
    let q = args::array(q, s.sim.model().nq(), "q")?;
    Ok((s, q))
}

/// A sim and a state of its model.
pub(super) unsafe fn moving<'a>(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
) -> Result<(&'a mut ds_sim, &'a [f64], &'a [f64])> {
    let (s, q) = placed(sim, q)?;
    let v = args::array(v, s.sim.model().nv(), "v")?;
    Ok((s, q, v))
}

/// World placements of all bodies: 16 × nbody numbers, a column-major 4×4 matrix each.
/// q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_forward_kinematics(
    sim: *mut ds_sim,
    q: *const f64,
    placements: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nbody = s.sim.model().nbody();
        let out = Out::new(placements, 16 * nbody, "placements")?;
        let x = args::matrix(out, &[("q", q)])?;
        s.sim.forward_kinematics(q, x)
    })
}

/// Inverse dynamics: the total generalized force tau that gives the acceleration a at (q, v). It
/// accounts for gravity, gravity compensation and the sim's external wrenches; the mass matrix
/// includes armature. q: nq numbers; v, a, tau: nv. tau may be a.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inverse_dynamics(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    tau: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let nv = v.len();
        let a = args::array(a, nv, "a")?;
        let out = Out::new(tau, nv, "tau")?;
        let [x] = parts(&mut s.stage, [nv]);
        s.sim.inverse_dynamics(q, v, a, x)?;
        args::publish([(x, out)])
    })
}

/// Forward dynamics: the acceleration a under the total generalized force tau at (q, v). It accounts
/// for gravity, gravity compensation and the sim's external wrenches. Joint damping, springs and
/// friction are not included unless tau contains them; steps include them. q: nq numbers; v, tau, a:
/// nv. a may be tau.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_forward_dynamics(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    tau: *const f64,
    a: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let nv = v.len();
        let tau = args::array(tau, nv, "tau")?;
        let out = Out::new(a, nv, "a")?;
        let [x] = parts(&mut s.stage, [nv]);
        s.sim.forward_dynamics(q, v, tau, x)?;
        args::publish([(x, out)])
    })
}

/// Hybrid dynamics. Where prescribed[k] is 1, a[k] is given and tau[k] is computed; where it is 0,
/// tau[k] is given and a[k] is computed. Given entries do not change. q: nq numbers; the others nv
/// entries each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_hybrid_dynamics(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    prescribed: *const i32,
    tau: *mut f64,
    a: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let nv = v.len();
        let prescribed = args::array(prescribed, nv, "prescribed")?;
        let outs = [Out::new(tau, nv, "tau")?, Out::new(a, nv, "a")?];
        let [x, y] = parts(&mut s.stage, [nv, nv]);
        x.copy_from_slice(args::array(tau, nv, "tau")?);
        y.copy_from_slice(args::array(a, nv, "a")?);
        s.sim.hybrid_dynamics(q, v, prescribed, x, y)?;
        args::publish([(x, outs[0]), (y, outs[1])])
    })
}

/// The joint-space inertia matrix with armature: nv×nv, all entries. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_mass_matrix(sim: *mut ds_sim, q: *const f64, M: *mut f64) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nv = s.sim.model().nv();
        let x = args::matrix(Out::new(M, nv * nv, "M")?, &[("q", q)])?;
        s.sim.mass_matrix(q, x)
    })
}

/// Derivatives of ds_inverse_dynamics by q (tangent) and v: nv×nv each, column-major; NULL for one
/// not wanted. The derivative by a is the mass matrix. They must not overlap the arguments or each
/// other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inverse_dynamics_derivatives(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    dtau_dq: *mut f64,
    dtau_dv: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let nv = v.len();
        let a = args::array(a, nv, "a")?;
        let outs = [
            Out::optional(dtau_dq, nv * nv, "dtau_dq")?,
            Out::optional(dtau_dv, nv * nv, "dtau_dv")?,
        ];
        let [by_q, by_v] = args::in_place(outs, &[("q", q), ("v", v), ("a", a)])?;
        s.sim.inverse_dynamics_derivatives(q, v, a, by_q, by_v)
    })
}

/// Derivatives of ds_forward_dynamics by q (tangent), v and tau: nv×nv each, column-major; NULL for
/// one not wanted. They must not overlap the arguments or one another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_forward_dynamics_derivatives(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    tau: *const f64,
    da_dq: *mut f64,
    da_dv: *mut f64,
    da_dtau: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let nv = v.len();
        let tau = args::array(tau, nv, "tau")?;
        let outs = [
            Out::optional(da_dq, nv * nv, "da_dq")?,
            Out::optional(da_dv, nv * nv, "da_dv")?,
            Out::optional(da_dtau, nv * nv, "da_dtau")?,
        ];
        let [by_q, by_v, by_tau] = args::in_place(outs, &[("q", q), ("v", v), ("tau", tau)])?;
        s.sim
            .forward_dynamics_derivatives(q, v, tau, by_q, by_v, by_tau)
    })
}

/// Jacobian J of a point fixed to a body: J v is the point's velocity and the body's angular velocity
/// (linear; angular), world axes. q: nq numbers; point: 3 numbers, body axes [m]; J: 6×nv,
/// column-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_jacobian(
    sim: *mut ds_sim,
    q: *const f64,
    body: i32,
    point: *const f64,
    J: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nv = s.sim.model().nv();
        let body = args::index(body, s.sim.model().nbody(), "body", "body")?;
        let point = args::array(point, 3, "point")?;
        let out = Out::new(J, 6 * nv, "J")?;
        let x = args::matrix(out, &[("q", q), ("point", point)])?;
        s.sim
            .body_jacobian(q, body, std::array::from_fn(|i| point[i]), x)
    })
}

/// World placements of all sites: 16 × nsite numbers, a column-major 4×4 matrix each. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_site_placements(
    sim: *mut ds_sim,
    q: *const f64,
    placements: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let count = s.sim.model().sites().len();
        let out = Out::new(placements, 16 * count, "placements")?;
        let x = args::matrix(out, &[("q", q)])?;
        s.sim.site_placements(q, x)
    })
}

/// Jacobian J of a site: J v is the velocity of its origin and its angular velocity (linear;
/// angular), world axes. q: nq numbers; J: 6×nv, column-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_site_jacobian(
    sim: *mut ds_sim,
    q: *const f64,
    site: i32,
    J: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nv = s.sim.model().nv();
        let site = args::index(site, s.sim.model().sites().len(), "site", "site")?;
        let x = args::matrix(Out::new(J, 6 * nv, "J")?, &[("q", q)])?;
        s.sim.site_jacobian(q, site, x)
    })
}

/// Kinetic and potential energy [J]. The kinetic energy includes rotors (armature). The potential
/// energy includes gravity, zero at the world's origin, and all springs, also those of joints and
/// tendons. Contacts and limits are not included. Either result may be NULL. q: nq numbers; v: nv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_energy(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    kinetic: *mut f64,
    potential: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let kinetic = Out::optional(kinetic, 1, "kinetic")?;
        let potential = Out::optional(potential, 1, "potential")?;
        let (t, u) = s.sim.energy(q, v)?;
        args::publish([(&[t], kinetic), (&[u], potential)])
    })
}

/// Mass [kg], centre of mass (world axes, 3 numbers) [m] and its Jacobian J (3×nv, column-major) of
/// all moving bodies; NULL for those not wanted. q: nq numbers. J must not overlap q.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_center_of_mass(
    sim: *mut ds_sim,
    q: *const f64,
    mass: *mut f64,
    com: *mut f64,
    J: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let nv = s.sim.model().nv();
        let outs = [
            Out::optional(mass, 1, "mass")?,
            Out::optional(com, 3, "com")?,
            Out::optional(J, 3 * nv, "J")?,
        ];
        let [j] = parts(&mut s.stage, [3 * nv]);
        let mut c = [0.0; 3];
        let m = s.sim.center_of_mass(q, &mut c, Some(&mut *j))?;
        args::publish([(&[m], outs[0]), (&c, outs[1]), (j, outs[2])])
    })
}

/// Momentum of all moving bodies: linear [N s], and angular about a point [N m s], 6 numbers, world
/// axes. q: nq numbers; v: nv; about: 3 numbers, world axes, NULL for the origin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_momentum(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    about: *const f64,
    momentum: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let about = match args::optional_array(about, 3, "about")? {
            [x, y, z] => [*x, *y, *z],
            _ => [0.0; 3],
        };
        let out = Out::new(momentum, 6, "momentum")?;
        args::publish([(&s.sim.momentum(q, v, about)?, out)])
    })
}
