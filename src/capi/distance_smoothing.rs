//! Smoothed distances.

use super::args::{self, Growing, Out};
use super::sim::{ds_sim, get};
use super::smoothing::ds_smoothing_method;
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::query::{
    DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives, SmoothingMethod,
};

/// Options of ds_sim_smoothed_distance. Fill with ds_distance_smoothing_init, then change fields.
/// Pass NULL for the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_distance_smoothing {
    /// Size of this struct in bytes; set by ds_distance_smoothing_init.
    pub struct_size: usize,
    /// DS_SMOOTHING_FIRST_ORDER (the default) or DS_SMOOTHING_ZEROTH_ORDER.
    pub method: i32,
    /// Must be 0.
    pub reserved: i32,
    /// Standard deviation of the random displacement of geom_b along each axis [m]. 0 is allowed for
    /// first order only. Default 0.001.
    pub width_linear: f64,
    /// Standard deviation of its random rotation about each axis [rad], at most 0.5. Default 0.01.
    pub width_angular: f64,
    /// Number of random displacements; each is taken with both signs. Default 64.
    pub pairs: usize,
    /// Seed of the random numbers: the same seed gives the same bits. Default 0.
    pub seed: u64,
}

// SAFETY: repr(C), the size first, i32 in a pair, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_distance_smoothing {
    const NAME: &'static str = "ds_distance_smoothing";
    const FIRST: usize = size_of::<ds_distance_smoothing>();

    fn defaults() -> Self {
        let s = DistanceSmoothing::default();
        ds_distance_smoothing {
            struct_size: size_of::<ds_distance_smoothing>(),
            method: s.method as i32,
            reserved: 0,
            width_linear: s.width_linear,
            width_angular: s.width_angular,
            pairs: s.pairs,
            seed: s.seed,
        }
    }
}

unsafe fn options(p: *const ds_distance_smoothing) -> Result<DistanceSmoothing> {
    // SAFETY: as the caller's.
    let s = unsafe { args::grown(p, "smoothing")? };
    args::zero(s.reserved, "smoothing.reserved")?;
    Ok(DistanceSmoothing {
        method: choice!(s.method, "smoothing.method", ds_smoothing_method {
            DS_SMOOTHING_FIRST_ORDER => SmoothingMethod::FirstOrder,
            DS_SMOOTHING_ZEROTH_ORDER => SmoothingMethod::ZerothOrder,
            DS_SMOOTHING_CENTRAL_PATH => SmoothingMethod::CentralPath,
        })?,
        width_linear: s.width_linear,
        width_angular: s.width_angular,
        pairs: s.pairs,
        seed: s.seed,
    })
}

/// Means over the random displacements, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_smoothed_distance {
    /// Mean of the distance [m].
    pub distance: f64,
    /// Mean of the midpoint between the closest points [m].
    pub point: [f64; 3],
    /// Mean of the normal from A to B; shorter than 1 if the normals differ.
    pub normal: [f64; 3],
}

impl From<SmoothedDistance> for ds_smoothed_distance {
    fn from(s: SmoothedDistance) -> Self {
        ds_smoothed_distance {
            distance: s.distance,
            point: s.point,
            normal: s.normal,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_distance_smoothing_init(smoothing: *mut ds_distance_smoothing) {
    // SAFETY: the header's rules.
    unsafe { args::init(smoothing) }
}

/// Mean of ds_sim_distance over random displacements of geom_b about its own frame, for shapes whose
/// closest point or normal jumps. Also its derivatives by q (tangent): ddistance 1×nv, dpoint and
/// dnormal 3×nv, column-major; NULL if not wanted. First order is the mean of the exact derivatives
/// and does not see jumps. Zeroth order correlates the results with the displacements and does see
/// them.
///
/// Errors: those of ds_sim_distance, for q and for every displaced pose; DS_ERR_INVALID_ARGUMENT
/// naming the option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_smoothed_distance(
    sim: *mut ds_sim,
    geom_a: i32,
    geom_b: i32,
    q: *const f64,
    smoothing: *const ds_distance_smoothing,
    out: *mut ds_smoothed_distance,
    ddistance: *mut f64,
    dpoint: *mut f64,
    dnormal: *mut f64,
) -> ds_status {
    // SAFETY: the header's rules; the caller's struct may be uninitialized, so it is written.
    wall::status(|| unsafe {
        let s = get(sim)?;
        let (nq, nv, ngeom) = {
            let m = s.sim.model();
            (m.nq(), m.nv(), m.ngeom())
        };
        let a = args::index(geom_a, ngeom, "geom_a", "geom")?;
        let b = args::index(geom_b, ngeom, "geom_b", "geom")?;
        let q = args::array(q, nq, "q")?;
        let options = options(smoothing)?;
        let out = args::place(out, "out")?;
        let [distance, point, normal] = args::in_place(
            [
                Out::optional(ddistance, nv, "ddistance")?,
                Out::optional(dpoint, 3 * nv, "dpoint")?,
                Out::optional(dnormal, 3 * nv, "dnormal")?,
            ],
            &[("q", q)],
        )?;
        let derivatives = SmoothedDistanceDerivatives {
            distance,
            point,
            normal,
        };
        let found = s.sim.smoothed_distance(a, b, q, &options, derivatives)?;
        out.write(found.into());
        Ok(())
    })
}
