//! The centre of mass and the momentum about it: motion and derivatives.

use crate::dynamics::centroidal::Whole;
use crate::dynamics::motion::{self, Accelerated};
use crate::error::Result;
use crate::step::Query;
use crate::step::info::{check_finite, check_length, check_state};

/// Motion of the centre of mass, world axes, and momentum about it (linear; angular) with its rate.
#[derive(Clone, Copy, Debug)]
pub struct Centroidal {
    /// [kg]
    pub mass: f64,
    /// [m]
    pub center: [f64; 3],
    pub velocity: [f64; 3],
    /// Acceleration by the joints' accelerations, without gravity.
    pub acceleration: [f64; 3],
    /// [N s, N m s]
    pub momentum: [f64; 6],
    /// [N, N m]
    pub rate: [f64; 6],
}

fn whole(at: &mut Query<'_>, q: &[f64], v: &[f64], a: &[f64]) -> Result<Whole> {
    check_state(at.model, q, Some(v))?;
    check_finite("a", a, at.model.nv())?;
    at.asked.dynamics.update(at.model, at.params, q, v);
    at.check_asked()?;
    let asked = &mut *at.asked;
    let kin = &asked.dynamics.kin;
    motion::accelerations(kin, at.model, a, &mut asked.acceleration);
    Ok(Whole::new(at.model, kin))
}

pub(super) fn centroidal(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> Result<Centroidal> {
    let whole = whole(at, q, v, a)?;
    let (kin, acceleration) = (&at.asked.dynamics.kin, &at.asked.acceleration);
    let (momentum, rate) = whole.momentum(at.model, kin, Some(acceleration));
    Ok(Centroidal {
        mass: whole.mass,
        center: whole.center.to_array(),
        velocity: whole.per_mass(momentum).to_array(),
        acceleration: whole.per_mass(rate).to_array(),
        momentum: momentum.to_array(),
        rate: rate.to_array(),
    })
}

pub(super) fn centroidal_map(at: &mut Query<'_>, q: &[f64], map: &mut [f64]) -> Result<()> {
    check_state(at.model, q, None)?;
    check_length("A", map, 6 * at.model.nv())?;
    at.update_positions(q)?;
    let asked = &mut *at.asked;
    let kin = &asked.dynamics.kin;
    let whole = Whole::new(at.model, kin);
    whole.map(&mut asked.subtrees, at.model, kin, map);
    Ok(())
}

pub(super) fn centroidal_derivatives(
    at: &mut Query<'_>,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    [momentum_q, rate_q, rate_v, rate_a]: [&mut [f64]; 4],
) -> Result<()> {
    let n = 6 * at.model.nv();
    check_length("dmomentum_dq", momentum_q, n)?;
    check_length("drate_dq", rate_q, n)?;
    check_length("drate_dv", rate_v, n)?;
    check_length("drate_da", rate_a, n)?;
    let whole = whole(at, q, v, a)?;
    let asked = &mut *at.asked;
    let kin = &asked.dynamics.kin;
    let accelerated = Accelerated {
        link: &asked.acceleration,
        joint: a,
    };
    let out = [momentum_q, rate_q, rate_v, rate_a];
    whole.derivatives(&mut asked.subtrees, at.model, kin, accelerated, out);
    Ok(())
}
