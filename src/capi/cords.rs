//! Springs and tendons: in a builder, and their lengths.

use super::args::{self, Growing, Out};
use super::builder::{self, ds_builder, range, vec3};
use super::sim::ds_sim;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::cord::{PathPoint, SpringSpec, TendonPath, TendonSpec};
use crate::spatial::Vec3;
use std::ffi::c_char;
use std::ptr;

/// A spring and damper between two points without rest length: k (x2 - x1) + d (v2 - v1) on the first,
/// the opposite on the second. Fill with ds_spring_desc_init, then change fields. Everything is copied
/// during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_spring_desc {
    /// Size of this struct in bytes; set by ds_spring_desc_init.
    pub struct_size: usize,
    /// Name, unique among springs; NULL for none.
    pub name: *const c_char,
    /// The bodies, 0 for the world. Default 0.
    pub body1: i32,
    pub body2: i32,
    /// The points, each in the frame of its body [m]. Default 0.
    pub anchor1: [f64; 3],
    pub anchor2: [f64; 3],
    /// k [N/m]. Default 0.
    pub stiffness: f64,
    /// d [N s/m]. Default 0.
    pub damping: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_spring_desc {
    const NAME: &'static str = "ds_spring_desc";
    const FIRST: usize = size_of::<ds_spring_desc>();

    fn defaults() -> Self {
        ds_spring_desc {
            struct_size: size_of::<ds_spring_desc>(),
            name: ptr::null(),
            body1: 0,
            body2: 0,
            anchor1: [0.0; 3],
            anchor2: [0.0; 3],
            stiffness: 0.0,
            damping: 0.0,
        }
    }
}

/// What the length of a tendon is.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_tendon_kind {
    /// The sum of the coordinates of one-dof joints times coefficients.
    DS_TENDON_FIXED = 0,
    /// The length of a path along points.
    DS_TENDON_SPATIAL = 1,
}

/// A tendon of length l with the force -k (l - rest) - d dl/dt along it. Fill with ds_tendon_desc_init,
/// then change fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_tendon_desc {
    /// Size of this struct in bytes; set by ds_tendon_desc_init.
    pub struct_size: usize,
    /// Name, unique among tendons; NULL for none.
    pub name: *const c_char,
    /// A ds_tendon_kind. Default DS_TENDON_SPATIAL.
    pub kind: i32,
    /// 1: below rest_upper there is no force at all, and above it none that pushes. Default 0.
    pub pull_only: i32,
    /// Number of joints of a fixed tendon, of points of a spatial one.
    pub count: usize,
    /// Fixed: names of joints that are there, each once.
    pub joints: *const *const c_char,
    /// Fixed: what a coordinate counts [m/rad or 1].
    pub coefficients: *const f64,
    /// Spatial: the body of each point, 0 for the world.
    pub bodies: *const i32,
    /// Spatial: the points, 3 × count numbers, each in the frame of its body [m].
    pub anchors: *const f64,
    /// k [N/m]. Default 0.
    pub stiffness: f64,
    /// d [N s/m]. Default 0.
    pub damping: f64,
    /// Lengths between which the spring does not act [m]. Default NaN for both: the length while every
    /// joint is at its reference.
    pub rest_lower: f64,
    pub rest_upper: f64,
    /// Bounds of the length [m]. Default -inf and inf: none.
    pub lower: f64,
    pub upper: f64,
    /// Dry friction against dl/dt [N]. Default 0.
    pub friction_loss: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_tendon_desc {
    const NAME: &'static str = "ds_tendon_desc";
    const FIRST: usize = size_of::<ds_tendon_desc>();

    fn defaults() -> Self {
        ds_tendon_desc {
            struct_size: size_of::<ds_tendon_desc>(),
            name: ptr::null(),
            kind: ds_tendon_kind::DS_TENDON_SPATIAL as i32,
            pull_only: 0,
            count: 0,
            joints: ptr::null(),
            coefficients: ptr::null(),
            bodies: ptr::null(),
            anchors: ptr::null(),
            stiffness: 0.0,
            damping: 0.0,
            rest_lower: f64::NAN,
            rest_upper: f64::NAN,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            friction_loss: 0.0,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_spring_desc_init(spring: *mut ds_spring_desc) {
    args::init(spring)
}

/// Adds a spring between points of bodies that are there. Ids follow the order of additions.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a body that is none, a name taken twice, points that are not finite, a negative
/// stiffness or damping; nothing is added then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_spring(
    builder: *mut ds_builder,
    spring: *const ds_spring_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(spring, "spring")?;
        let d = args::grown(spring, "spring")?;
        b.add_spring(SpringSpec {
            name: builder::name(d.name)?.into(),
            body1: builder::body(d.body1, "spring.body1")?,
            body2: builder::body(d.body2, "spring.body2")?,
            anchor1: vec3(d.anchor1),
            anchor2: vec3(d.anchor2),
            stiffness: d.stiffness,
            damping: d.damping,
            origin: String::new(),
        })?;
        Ok(())
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_tendon_desc_init(tendon: *mut ds_tendon_desc) {
    args::init(tendon)
}

unsafe fn path(d: &ds_tendon_desc) -> Result<TendonPath> {
    if d.kind == ds_tendon_kind::DS_TENDON_FIXED as i32 {
        let joints = args::array(d.joints, d.count, "tendon.joints")?;
        let coefficients = args::array(d.coefficients, d.count, "tendon.coefficients")?;
        let terms = joints.iter().zip(coefficients);
        let terms: Result<_> = terms
            .map(|(joint, x)| Ok((args::text(*joint, "tendon.joints")?.to_owned(), *x)))
            .collect();
        return Ok(TendonPath::Fixed(terms?));
    }
    if d.kind != ds_tendon_kind::DS_TENDON_SPATIAL as i32 {
        return Err(Error::invalid(format!(
            "tendon.kind: must be a ds_tendon_kind, got {}",
            d.kind
        )));
    }
    let bodies = args::array(d.bodies, d.count, "tendon.bodies")?;
    let numbers = d.count.checked_mul(3).ok_or_else(|| {
        let count = d.count;
        Error::invalid(format!(
            "tendon.count: {count} points are more than memory holds"
        ))
    })?;
    let anchors = args::array(d.anchors, numbers, "tendon.anchors")?;
    let points = bodies.iter().zip(anchors.chunks_exact(3));
    let points: Result<_> = points
        .map(|(body, at)| {
            Ok(PathPoint::Point {
                body: builder::body(*body, "tendon.bodies")?,
                at: Vec3::from_slice(at),
            })
        })
        .collect();
    Ok(TendonPath::Spatial(points?))
}

/// Adds a tendon over joints, or through points of bodies, that are there. Ids follow the order of additions.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a joint or body that is none, fewer than two points or no joint, a name taken twice,
/// numbers that are not finite or negative where they must not be, a lower bound or rest above the upper one; nothing is added
/// then. That a joint has one dof is seen by ds_builder_build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_tendon(
    builder: *mut ds_builder,
    tendon: *const ds_tendon_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(tendon, "tendon")?;
        let d = args::grown(tendon, "tendon")?;
        let given = !(d.rest_lower.is_nan() && d.rest_upper.is_nan());
        b.add_tendon(TendonSpec {
            name: builder::name(d.name)?.into(),
            path: path(&d)?,
            stiffness: d.stiffness,
            damping: d.damping,
            rest: given.then_some((d.rest_lower, d.rest_upper)),
            pull_only: args::flag(d.pull_only, "tendon.pull_only")?,
            limits: range(d.lower, d.upper),
            limit_margin: 0.0,
            friction_loss: d.friction_loss,
            origin: String::new(),
        })?;
        Ok(())
    })
}

/// Lengths of all tendons at q [m; of a fixed one in the unit of its sum]. lengths: one number a tendon.
/// moments: their derivatives by the tangent of q, nv × the number of tendons, column-major; may be NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a NULL or a quaternion far from unit length, DS_ERR_NUMERICAL for a q that is not
/// finite; nothing is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_tendon_lengths(
    sim: *mut ds_sim,
    q: *const f64,
    lengths: *mut f64,
    moments: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = args::exclusive(sim, "sim")?;
        let (nv, count) = (s.sim.model().nv(), s.sim.model().tendons().len());
        let q = args::configuration(q, s.sim.model(), "q")?;
        let outs = [
            Out::new(lengths, count, "lengths")?,
            Out::optional(moments, nv * count, "moments")?,
        ];
        let [lengths, moments] = args::in_place(outs, &[("q", q)])?;
        s.sim
            .tendon_lengths(q, lengths.unwrap_or_default(), moments)
    })
}
