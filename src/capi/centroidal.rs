//! Centroidal dynamics: centre of mass of all moving bodies, and the momentum about it.

use super::args::{self, Out};
use super::dynamics::{moving, placed};
use super::sim::{ds_sim, parts};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::query::Centroidal;

/// The centroidal quantities at joint accelerations a; null means zero.
unsafe fn centroidal(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
) -> Result<Centroidal> {
    let (s, q, v) = moving(sim, q, v)?;
    let a = args::optional_array(a, v.len(), "a")?;
    if a.len() == v.len() {
        return s.sim.centroidal(q, v, a);
    }
    let [zero] = parts(&mut s.stage, [v.len()]);
    zero.fill(0.0);
    s.sim.centroidal(q, v, zero)
}

/// Position [m], velocity [m/s] and acceleration [m/s²] of the centre of mass of all moving bodies at
/// joint accelerations a, without gravity: 3 numbers each, world axes; NULL for those not wanted. q:
/// nq numbers; v: nv; a: nv, NULL for zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_center_of_mass_motion(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    com: *mut f64,
    velocity: *mut f64,
    acceleration: *mut f64,
) -> ds_status {
    wall::status(|| {
        let outs = [
            Out::optional(com, 3, "com")?,
            Out::optional(velocity, 3, "velocity")?,
            Out::optional(acceleration, 3, "acceleration")?,
        ];
        let c = centroidal(sim, q, v, a)?;
        args::publish([
            (&c.center, outs[0]),
            (&c.velocity, outs[1]),
            (&c.acceleration, outs[2]),
        ])
    })
}

/// Momentum of all moving bodies about their centre of mass, linear [N s] and angular [N m s], and
/// its rate at joint accelerations a, without gravity [N, N m]: 6 numbers each, world axes; NULL for
/// one not wanted. At a = 0 the rate is the bias of the centroidal dynamics, the rate of
/// ds_centroidal_map times v. q: nq numbers; v: nv; a: nv, NULL for zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_centroidal_momentum(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    momentum: *mut f64,
    rate: *mut f64,
) -> ds_status {
    wall::status(|| {
        let outs = [
            Out::optional(momentum, 6, "momentum")?,
            Out::optional(rate, 6, "rate")?,
        ];
        let c = centroidal(sim, q, v, a)?;
        args::publish([(&c.momentum, outs[0]), (&c.rate, outs[1])])
    })
}

/// The centroidal momentum matrix A, 6×nv, column-major: A v is the momentum of
/// ds_centroidal_momentum. q: nq numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_centroidal_map(
    sim: *mut ds_sim,
    q: *const f64,
    A: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q) = placed(sim, q)?;
        let n = 6 * s.sim.model().nv();
        let out = Out::new(A, n, "A")?;
        let [x] = parts(&mut s.stage, [n]);
        s.sim.centroidal_map(q, x)?;
        args::publish([(x, out)])
    })
}

/// Derivatives of ds_centroidal_momentum: of the momentum by q (tangent), and of its rate by q
/// (tangent), v and a: 6×nv each, column-major; NULL for those not wanted. The derivative of the
/// momentum by v is ds_centroidal_map, which is also the derivative of the rate by a. q: nq numbers;
/// v, a: nv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_centroidal_derivatives(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    a: *const f64,
    dmomentum_dq: *mut f64,
    drate_dq: *mut f64,
    drate_dv: *mut f64,
    drate_da: *mut f64,
) -> ds_status {
    wall::status(|| {
        let (s, q, v) = moving(sim, q, v)?;
        let a = args::array(a, v.len(), "a")?;
        let n = 6 * v.len();
        let outs = [
            Out::optional(dmomentum_dq, n, "dmomentum_dq")?,
            Out::optional(drate_dq, n, "drate_dq")?,
            Out::optional(drate_dv, n, "drate_dv")?,
            Out::optional(drate_da, n, "drate_da")?,
        ];
        let [x, y, z, w] = parts(&mut s.stage, [n, n, n, n]);
        let columns = [&mut *x, &mut *y, &mut *z, &mut *w];
        s.sim.centroidal_derivatives(q, v, a, columns)?;
        args::publish([(x, outs[0]), (y, outs[1]), (z, outs[2]), (w, outs[3])])
    })
}
