//! Springs and tendons: additions to a builder, and lengths of tendons.

use super::args::{self, Growing, Out};
use super::builder::{self, ds_builder, range, vec3};
use super::sim::ds_sim;
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, WrapShape, WrapSpec};
use crate::spatial::{Pose, Quat, Vec3};
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// A spring and damper between two points, with rest length 0: the force k (x2 - x1) + d (v2 - v1) on
/// the first point and the opposite force on the second. Fill with ds_spring_desc_init, then change
/// fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_spring_desc {
    /// Size of this struct in bytes; set by ds_spring_desc_init.
    pub struct_size: usize,
    /// Name, unique among springs; NULL for none.
    pub name: *const c_char,
    /// The first body; 0 is the world. Default 0.
    pub body1: i32,
    /// The second body. Default 0.
    pub body2: i32,
    /// The point of body1, in its frame [m]. Default 0.
    pub anchor1: [f64; 3],
    /// The point of body2, in its frame [m]. Default 0.
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

/// Definition of the length of a tendon.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_tendon_kind {
    /// The sum of the coordinates of one-dof joints times coefficients.
    DS_TENDON_FIXED = 0,
    /// The length of a path through points and around solids.
    DS_TENDON_SPATIAL = 1,
}

/// An element of a spatial tendon's path.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_path_kind {
    /// A point of a body through which the path runs.
    DS_PATH_POINT = 0,
    /// A sphere on a body, around which the path bends between the previous and the next point.
    DS_PATH_SPHERE = 1,
    /// A cylinder on a body, unbounded along its axis.
    DS_PATH_CYLINDER = 2,
    /// A pulley: a new branch begins at the next point.
    DS_PATH_PULLEY = 3,
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
    /// 1: a cable. There is no force while the length is below rest_upper, and no pushing force above
    /// it. With implicit schemes, which evaluate the force at the end of a step, the damping grows
    /// smoothly as the cable becomes taut: d x/(x + v0 d/k) at a stretch x, with v0 = 1 cm/s. Default
    /// 0.
    pub pull_only: i32,
    /// Number of joints of a fixed tendon; number of path elements of a spatial tendon.
    pub count: usize,
    /// Fixed: names of existing joints, each at most once.
    pub joints: *const *const c_char,
    /// Fixed: the coefficient of each coordinate [m/rad or 1].
    pub coefficients: *const f64,
    /// Spatial: the body of each point or solid; 0 is the world. Bodies and anchors of pulleys are
    /// ignored.
    pub bodies: *const i32,
    /// Spatial: the points, and the centres of solids, 3 × count numbers, each in the frame of its
    /// body [m].
    pub anchors: *const f64,
    /// k [N/m]. Default 0.
    pub stiffness: f64,
    /// d [N s/m]. Default 0.
    pub damping: f64,
    /// Lower end of the interval of lengths in which the spring does not act [m]. Default NaN for both
    /// ends: the length while every joint is at its reference.
    pub rest_lower: f64,
    /// Upper end of this interval [m].
    pub rest_upper: f64,
    /// Lower bound of the length [m]. Default -inf: no bound.
    pub lower: f64,
    /// Upper bound of the length [m]. Default inf: no bound.
    pub upper: f64,
    /// Dry friction against dl/dt [N]. Default 0.
    pub friction_loss: f64,
    /// Spatial: a ds_path_kind for each element. Default NULL: all are points.
    pub stations: *const i32,
    /// Spatial: for each element, the radius of a solid [m] or the divisor of the branch length for a
    /// pulley; ignored for points. Default NULL, allowed if all elements are points.
    pub sizes: *const f64,
    /// Spatial: the axes of cylinders, of any length, 3 × count numbers, each in the frame of its
    /// body; ignored for other elements. Default NULL: z.
    pub axes: *const f64,
    /// Spatial: the body of each solid's side point; 0 is the world, -1 means no side point. The path
    /// passes the solid on the same side as the polyline through the side point. If the side point is
    /// closer to the solid's centre than the radius, the path runs through the inside of the solid.
    /// Default NULL: no side points; the path takes the shorter way.
    pub side_bodies: *const i32,
    /// Spatial: the side points, 3 × count numbers, each in the frame of its body [m]. Default NULL,
    /// allowed if there are no side points.
    pub sides: *const f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_tendon_desc {
    const NAME: &'static str = "ds_tendon_desc";
    const FIRST: usize = offset_of!(ds_tendon_desc, stations);

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
            stations: ptr::null(),
            sizes: ptr::null(),
            axes: ptr::null(),
            side_bodies: ptr::null(),
            sides: ptr::null(),
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_spring_desc_init(spring: *mut ds_spring_desc) {
    args::init(spring)
}

/// Adds a spring between points of existing bodies. Ids follow the order of additions.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a body out of range, a name that is taken, points that are not
/// finite, or a negative stiffness or damping. Then nothing is added.
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
    let numbers = d.count.checked_mul(3).ok_or_else(|| {
        let count = d.count;
        Error::invalid(format!(
            "tendon.count: {count} stations are more than memory holds"
        ))
    })?;
    let kinds = args::optional_array(d.stations, d.count, "tendon.stations")?;
    let point = ds_path_kind::DS_PATH_POINT as i32;
    let sizes = match kinds.iter().any(|kind| *kind != point) {
        true => args::array(d.sizes, d.count, "tendon.sizes")?,
        false => &[],
    };
    let side_bodies = args::optional_array(d.side_bodies, d.count, "tendon.side_bodies")?;
    let stations = Stations {
        kinds,
        bodies: args::array(d.bodies, d.count, "tendon.bodies")?,
        anchors: args::array(d.anchors, numbers, "tendon.anchors")?,
        sizes,
        axes: args::optional_array(d.axes, numbers, "tendon.axes")?,
        side_bodies,
        sides: match side_bodies.iter().any(|body| *body != NO_SIDE) {
            true => args::array(d.sides, numbers, "tendon.sides")?,
            false => &[],
        },
    };
    let path: Result<_> = (0..d.count).map(|i| stations.station(i)).collect();
    Ok(TendonPath::Spatial(path?))
}

/// The body of a missing side point.
const NO_SIDE: i32 = -1;

/// The arrays of a spatial tendon.
struct Stations<'a> {
    kinds: &'a [i32],
    bodies: &'a [i32],
    anchors: &'a [f64],
    sizes: &'a [f64],
    axes: &'a [f64],
    side_bodies: &'a [i32],
    sides: &'a [f64],
}

impl Stations<'_> {
    fn station(&self, i: usize) -> Result<PathPoint> {
        use ds_path_kind::{DS_PATH_CYLINDER, DS_PATH_POINT, DS_PATH_PULLEY, DS_PATH_SPHERE};
        let kind = self.kinds.get(i).copied().unwrap_or_default();
        let all = [
            DS_PATH_POINT,
            DS_PATH_SPHERE,
            DS_PATH_CYLINDER,
            DS_PATH_PULLEY,
        ];
        let kind = (all.into_iter().find(|k| *k as i32 == kind)).ok_or_else(|| {
            Error::invalid(format!(
                "tendon.stations[{i}]: must be a ds_path_kind, got {kind}"
            ))
        })?;
        if kind == DS_PATH_PULLEY {
            return Ok(PathPoint::Pulley {
                divisor: self.sizes[i],
            });
        }
        let body = builder::body(self.bodies[i], "tendon.bodies")?;
        let at = Vec3::from_slice(&self.anchors[3 * i..]);
        if kind == DS_PATH_POINT {
            return Ok(PathPoint::Point { body, at });
        }
        let (shape, turn) = match kind {
            DS_PATH_CYLINDER => (WrapShape::Cylinder, self.turn(i)?),
            _ => (WrapShape::Sphere, Quat::IDENTITY),
        };
        Ok(PathPoint::Around(WrapSpec {
            body,
            placement: Pose::from_quat(turn, at),
            shape,
            radius: self.sizes[i],
            side: self.side(i)?,
        }))
    }

    /// Rotation that takes z to the axis of cylinder i.
    fn turn(&self, i: usize) -> Result<Quat> {
        if self.axes.is_empty() {
            return Ok(Quat::IDENTITY);
        }
        let axis = Vec3::from_slice(&self.axes[3 * i..]);
        Quat::of_z_to(axis).ok_or_else(|| {
            let given = axis.to_array();
            Error::invalid(format!(
                "tendon.axes[{i}]: must be finite and have a direction, got {given:?}"
            ))
        })
    }

    fn side(&self, i: usize) -> Result<Option<(usize, Vec3)>> {
        match self.side_bodies.get(i) {
            None | Some(&NO_SIDE) => Ok(None),
            Some(body) => {
                let body = builder::body(*body, "tendon.side_bodies")?;
                Ok(Some((body, Vec3::from_slice(&self.sides[3 * i..]))))
            }
        }
    }
}

/// Adds a tendon over existing joints, or through points and around solids of existing bodies. Ids
/// follow the order of additions.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a joint or body that does not exist, for fewer than two points
/// or no joint, for a solid that is not between two points, for a pulley whose branches have fewer
/// than two points, for a name that is taken, for numbers that are not finite or not allowed to be
/// negative, and for a lower bound or rest length above the upper one. Then nothing is added.
/// ds_builder_build checks that the joints have one dof.
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
            stiffness_terms: [0.0; 2],
            damping_terms: [0.0; 2],
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

/// Lengths of all tendons at q [m; for a fixed tendon, the unit of its sum]. lengths: one number per
/// tendon. moments: their derivatives by the tangent of q, nv × the number of tendons, column-major;
/// may be NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a NULL or a quaternion far from unit length; DS_ERR_NUMERICAL
/// for a q or a length that is not finite. Then nothing is written.
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
