//! Inertias of bodies: coordinates in which every value is a valid inertia.

use super::args::{self, Out};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::no_body_has;
use crate::spatial::{
    INERTIA_PARAMS, Inertia, from_log_cholesky, log_cholesky_jacobian, to_log_cholesky,
};

unsafe fn ten(p: *const f64, name: &str) -> Result<[f64; INERTIA_PARAMS]> {
    let mut ten = [0.0; INERTIA_PARAMS];
    ten.copy_from_slice(args::numbers(p, INERTIA_PARAMS, name)?);
    Ok(ten)
}

/// Coordinates theta of an inertia p (10 numbers each; p as in DS_PARAM_BODY_INERTIA). Every theta is
/// the inertia of a possible body, so an optimizer over theta stays physical. They are the
/// log-Cholesky factor of the pseudo-inertia (Rucker & Wensing 2022): theta is (alpha, d1, d2, d3,
/// s12, s23, s13, t1, t2, t3), the mass is exp(2 alpha), and t is the centre of mass. theta may be p.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for numbers that no body has, and for points, needles and discs
/// without extent in some direction, which have no theta.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inertia_to_log_cholesky(p: *const f64, theta: *mut f64) -> ds_status {
    wall::status(|| {
        let inertia = Inertia::from_params(&ten(p, "p")?);
        let out = Out::new(theta, INERTIA_PARAMS, "theta")?;
        let Some(found) = to_log_cholesky(&inertia) else {
            let why = no_body_has(&inertia).unwrap_or_else(|| {
                "expected a positive mass and an extent along all three axes".into()
            });
            return Err(Error::invalid(format!("p: {why}")));
        };
        args::publish([(&found, out)])
    })
}

/// The inertia p at theta, see ds_inertia_to_log_cholesky; 10 numbers each. dp_dtheta: 10×10,
/// column-major, may be NULL. p may be theta.
///
/// Errors: DS_ERR_NUMERICAL if the numbers overflow or the mass vanishes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inertia_from_log_cholesky(
    theta: *const f64,
    p: *mut f64,
    dp_dtheta: *mut f64,
) -> ds_status {
    wall::status(|| {
        let theta = ten(theta, "theta")?;
        let inertia = from_log_cholesky(&theta);
        if inertia.mass == 0.0 {
            return Err(Error::numerical(format!(
                "theta[0]: the mass exp(2 theta[0]) must be positive and finite, got {}",
                theta[0]
            )));
        }
        let jacobian = log_cholesky_jacobian(&theta);
        args::publish([
            (&inertia.to_params(), Out::new(p, INERTIA_PARAMS, "p")?),
            (
                jacobian.as_flattened(),
                Out::optional(dp_dtheta, INERTIA_PARAMS * INERTIA_PARAMS, "dp_dtheta")?,
            ),
        ])
    })
}
