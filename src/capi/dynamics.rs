//! Dynamics without contact: at any state.

use super::args::{self, Out};
use super::edge::{self, Side};
use super::sim::{any, ds_sim, get, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::reduction::Reduction;
use crate::query::SensorRoom;
use crate::step::Sim;
use std::sync::Arc;

/// A sim and a configuration of its model.
pub(super) unsafe fn placed<'a>(
    sim: *mut ds_sim,
    q: *const f64,
) -> Result<(&'a mut ds_sim, &'a [f64])> {
    let s = get(sim)?;
    let q = args::array(q, s.sim.model().free_nq(), "q")?;
    Ok((s, q))
}

/// A sim and a state of its model.
pub(super) unsafe fn moving<'a>(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
) -> Result<(&'a mut ds_sim, &'a [f64], &'a [f64])> {
    let (s, q) = placed(sim, q)?;
    let v = args::array(v, s.sim.model().free_nv(), "v")?;
    Ok((s, q, v))
}

/// A sim and a state in the coordinates of all joints, with memory for results in them.
pub(super) struct Within<'a> {
    pub sim: &'a mut Sim,
    pub stage: &'a mut [f64],
    pub map: &'a Option<Arc<Reduction>>,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Other vectors of all dofs, and memory for matrices.
    pub a: &'a mut [f64],
    pub b: &'a mut [f64],
    pub matrices: &'a mut [f64],
    pub product: &'a mut [f64],
    pub room: &'a mut SensorRoom,
    /// The caller's q and v.
    pub given: [&'a [f64]; 2],
}

impl Within<'_> {
    /// Number of dofs of the interface.
    pub fn nv(&self) -> usize {
        self.sim.model().free_nv()
    }
}

/// A sim and a configuration of its model, for calls that convert reduced coordinates.
pub(super) unsafe fn placed_within<'a>(sim: *mut ds_sim, q: *const f64) -> Result<Within<'a>> {
    let s = any(sim)?;
    let q = args::array(q, s.sim.model().free_nq(), "q")?;
    Ok(within(s, q, &[]))
}

/// A sim and a state of its model, for calls that convert reduced coordinates.
pub(super) unsafe fn moving_within<'a>(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
) -> Result<Within<'a>> {
    let s = any(sim)?;
    let q = args::array(q, s.sim.model().free_nq(), "q")?;
    let v = args::array(v, s.sim.model().free_nv(), "v")?;
    Ok(within(s, q, v))
}

fn within<'a>(s: &'a mut ds_sim, q: &'a [f64], v: &'a [f64]) -> Within<'a> {
    let e = &mut s.edge;
    Within {
        sim: &mut s.sim,
        stage: &mut s.stage,
        q: edge::place(&e.map, q, &mut e.q),
        v: edge::expand(&e.map, v, &mut e.v),
        map: &e.map,
        a: &mut e.a,
        b: &mut e.b,
        matrices: &mut e.matrices,
        product: &mut e.product,
        room: &mut s.sensors,
        given: [q, v],
    }
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
        let s = placed_within(sim, q)?;
        let nbody = s.sim.model().nbody();
        let out = Out::new(placements, 16 * nbody, "placements")?;
        let x = args::matrix(out, &[("q", s.given[0])])?;
        s.sim.forward_kinematics(s.q, x)
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
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let a = args::array(a, nv, "a")?;
        let out = Out::new(tau, nv, "tau")?;
        let [x] = parts(s.stage, [nv]);
        match s.map {
            None => s.sim.inverse_dynamics(s.q, s.v, a, x)?,
            Some(map) => {
                let a = edge::expand(s.map, a, s.a);
                s.sim.inverse_dynamics(s.q, s.v, a, s.b)?;
                map.v.expand_transposed(s.b, x);
            }
        }
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
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let tau = args::array(tau, nv, "tau")?;
        let out = Out::new(a, nv, "a")?;
        let [x] = parts(s.stage, [nv]);
        match s.map {
            None => s.sim.forward_dynamics(s.q, s.v, tau, x)?,
            Some(map) => {
                let tau = edge::force(s.map, tau, s.a);
                s.sim.forward_dynamics(s.q, s.v, tau, s.b)?;
                map.v.restrict(s.b, x);
            }
        }
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
        let s = placed_within(sim, q)?;
        let nv = s.nv();
        let x = args::matrix(Out::new(M, nv * nv, "M")?, &[("q", s.given[0])])?;
        let Some(map) = s.map else {
            return s.sim.mass_matrix(s.q, x);
        };
        let n = map.v.sizes()[0];
        let full = &mut s.matrices[..n * n];
        s.sim.mass_matrix(s.q, full)?;
        edge::reduce(
            &map.v,
            (n, full),
            [Side::Force, Side::Velocity],
            s.product,
            x,
        );
        Ok(())
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
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let a = args::array(a, nv, "a")?;
        let outs = [
            Out::optional(dtau_dq, nv * nv, "dtau_dq")?,
            Out::optional(dtau_dv, nv * nv, "dtau_dv")?,
        ];
        let [q, v] = s.given;
        let [by_q, by_v] = args::in_place(outs, &[("q", q), ("v", v), ("a", a)])?;
        let Some(map) = s.map else {
            return s.sim.inverse_dynamics_derivatives(s.q, s.v, a, by_q, by_v);
        };
        let n = map.v.sizes()[0];
        let [full_q, full_v] = parts(s.matrices, [n * n; 2]);
        let a = edge::expand(s.map, a, s.a);
        let wanted = [
            by_q.is_some().then_some(&mut *full_q),
            by_v.is_some().then_some(&mut *full_v),
        ];
        let [want_q, want_v] = wanted;
        s.sim
            .inverse_dynamics_derivatives(s.q, s.v, a, want_q, want_v)?;
        for (from, to) in [(full_q, by_q), (full_v, by_v)] {
            if let Some(to) = to {
                edge::reduce(
                    &map.v,
                    (n, from),
                    [Side::Force, Side::Velocity],
                    s.product,
                    to,
                );
            }
        }
        Ok(())
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
        let s = moving_within(sim, q, v)?;
        let nv = s.nv();
        let tau = args::array(tau, nv, "tau")?;
        let [q, v] = s.given;
        let outs = [
            Out::optional(da_dq, nv * nv, "da_dq")?,
            Out::optional(da_dv, nv * nv, "da_dv")?,
            Out::optional(da_dtau, nv * nv, "da_dtau")?,
        ];
        let [by_q, by_v, by_tau] = args::in_place(outs, &[("q", q), ("v", v), ("tau", tau)])?;
        let Some(map) = s.map else {
            return (s.sim).forward_dynamics_derivatives(s.q, s.v, tau, by_q, by_v, by_tau);
        };
        let n = map.v.sizes()[0];
        let [full_q, full_v, full_tau] = parts(s.matrices, [n * n; 3]);
        let tau = edge::force(s.map, tau, s.a);
        s.sim.forward_dynamics_derivatives(
            s.q,
            s.v,
            tau,
            by_q.is_some().then_some(&mut *full_q),
            by_v.is_some().then_some(&mut *full_v),
            by_tau.is_some().then_some(&mut *full_tau),
        )?;
        for (from, to, side) in [
            (full_q, by_q, Side::Velocity),
            (full_v, by_v, Side::Velocity),
            (full_tau, by_tau, Side::Force),
        ] {
            if let Some(to) = to {
                edge::reduce(&map.v, (n, from), [Side::Velocity, side], s.product, to);
            }
        }
        Ok(())
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
        let s = placed_within(sim, q)?;
        let (nv, q) = (s.nv(), s.given[0]);
        let body = args::index(body, s.sim.model().nbody(), "body", "body")?;
        let point = args::array(point, 3, "point")?;
        let out = Out::new(J, 6 * nv, "J")?;
        let x = args::matrix(out, &[("q", q), ("point", point)])?;
        let point = std::array::from_fn(|i| point[i]);
        let Some(map) = s.map else {
            return s.sim.body_jacobian(s.q, body, point, x);
        };
        let full = &mut s.matrices[..6 * map.v.sizes()[0]];
        s.sim.body_jacobian(s.q, body, point, full)?;
        map.v.times(6, full, x);
        Ok(())
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
        let s = placed_within(sim, q)?;
        let count = s.sim.model().sites().len();
        let out = Out::new(placements, 16 * count, "placements")?;
        let x = args::matrix(out, &[("q", s.given[0])])?;
        s.sim.site_placements(s.q, x)
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
        let s = placed_within(sim, q)?;
        let site = args::index(site, s.sim.model().sites().len(), "site", "site")?;
        let x = args::matrix(Out::new(J, 6 * s.nv(), "J")?, &[("q", s.given[0])])?;
        let Some(map) = s.map else {
            return s.sim.site_jacobian(s.q, site, x);
        };
        let full = &mut s.matrices[..6 * map.v.sizes()[0]];
        s.sim.site_jacobian(s.q, site, full)?;
        map.v.times(6, full, x);
        Ok(())
    })
}

/// Kinetic and potential energy [J]. The kinetic energy includes rotors (armature). The potential energy
/// includes gravity, zero at the world's origin, all springs, also those of joints and tendons, and
/// deformable bodies. Contacts and limits are not included. Either result may be NULL. q: nq numbers; v: nv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_energy(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    kinetic: *mut f64,
    potential: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = moving_within(sim, q, v)?;
        let kinetic = Out::optional(kinetic, 1, "kinetic")?;
        let potential = Out::optional(potential, 1, "potential")?;
        let (t, u) = s.sim.energy(s.q, s.v)?;
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
        let s = placed_within(sim, q)?;
        let nv = s.nv();
        let outs = [
            Out::optional(mass, 1, "mass")?,
            Out::optional(com, 3, "com")?,
            Out::optional(J, 3 * nv, "J")?,
        ];
        let [j] = parts(s.stage, [3 * nv]);
        let mut c = [0.0; 3];
        let m = match s.map {
            None => s.sim.center_of_mass(s.q, &mut c, Some(&mut *j))?,
            Some(map) => {
                let full = &mut s.matrices[..3 * map.v.sizes()[0]];
                let m = s.sim.center_of_mass(s.q, &mut c, Some(&mut *full))?;
                map.v.times(3, full, j);
                m
            }
        };
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
        let s = moving_within(sim, q, v)?;
        let about = match args::optional_array(about, 3, "about")? {
            [x, y, z] => [*x, *y, *z],
            _ => [0.0; 3],
        };
        let out = Out::new(momentum, 6, "momentum")?;
        args::publish([(&s.sim.momentum(s.q, s.v, about)?, out)])
    })
}
