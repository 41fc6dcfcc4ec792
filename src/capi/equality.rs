//! Equality constraints: closed loops, and joints and tendons that follow others.

use super::args::{self, Growing};
use super::builder::{self, ds_builder, pose, vec3};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::spec::{EqualityKind, EqualitySpec};
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// Kind of an equality constraint.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_equality_kind {
    /// anchor1, a point of body1, stays at the point of body2 at which it is in the reference
    /// configuration: 3 rows.
    DS_EQUALITY_CONNECT = 0,
    /// body2 keeps its pose in body1: 6 rows, acting at anchor2; 3 rows if torque_scale is 0.
    DS_EQUALITY_WELD = 1,
    /// anchor1 of body1 and anchor2 of body2 stay at a distance, as if on a massless rod: 1 row.
    DS_EQUALITY_DISTANCE = 2,
    /// Couples two coordinates of joints: q1 - ref1 = sum of coefficients[k] (q2 - ref2)^k. Without
    /// joint2, q1 - ref1 = coefficients[0]. Of a joint with several dofs dof1 and dof2 choose the
    /// coordinate, with a reference of 0. Not of spherical and free joints. 1 row.
    DS_EQUALITY_JOINT = 3,
    /// Couples the lengths of two tendons: l1 - ref1 = sum of coefficients[k] (l2 - ref2)^k, with the
    /// lengths at the reference configuration as references. Without tendon2,
    /// l1 - ref1 = coefficients[0]. 1 row.
    DS_EQUALITY_TENDON = 4,
}

/// An equality constraint. Fill with ds_equality_desc_init, then change fields. Fields that the kind
/// does not name have no effect. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_equality_desc {
    /// Size of this struct in bytes; set by ds_equality_desc_init.
    pub struct_size: usize,
    /// Name for messages; NULL for none.
    pub name: *const c_char,
    /// A ds_equality_kind. Default DS_EQUALITY_CONNECT.
    pub kind: i32,
    /// 0: the constraint is part of the model but inactive. Default 1.
    pub active: i32,
    /// The builder's id of the first body; 0 is the world. Default 0.
    pub body1: i32,
    /// The builder's id of the second body. Default 0.
    pub body2: i32,
    /// Point in the frame of body1 [m]. Default 0.
    pub anchor1: [f64; 3],
    /// Point in the frame of body2 [m]. Default 0.
    pub anchor2: [f64; 3],
    /// For a weld: position of anchor2 and orientation of body2 in body1, a column-major 4×4 matrix.
    /// Default NULL: as at the reference configuration.
    pub relative: *const f64,
    /// For a weld: the length that makes a rotation comparable to a displacement [m]. 0: only the
    /// anchor is constrained. Default 1.
    pub torque_scale: f64,
    /// The distance of DS_EQUALITY_DISTANCE [m]. Default 0: as at the reference configuration.
    pub length: f64,
    /// Name of the joint that follows; it must exist. Default NULL.
    pub joint1: *const c_char,
    /// Name of the joint that it follows; NULL, the default, for a constant.
    pub joint2: *const c_char,
    /// [rad or m per (rad or m)^k]. Default 0, 1, 0, 0, 0.
    pub coefficients: [f64; 5],
    /// Name of the tendon that follows; it must exist. Default NULL.
    pub tendon1: *const c_char,
    /// Name of the tendon that it follows; NULL, the default, for a constant.
    pub tendon2: *const c_char,
    /// Which dof of joint1, from 0. Default 0.
    pub dof1: i32,
    /// Which dof of joint2. Default 0.
    pub dof2: i32,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_equality_desc {
    const NAME: &'static str = "ds_equality_desc";
    const FIRST: usize = offset_of!(ds_equality_desc, tendon1);

    fn defaults() -> Self {
        ds_equality_desc {
            struct_size: size_of::<ds_equality_desc>(),
            name: ptr::null(),
            kind: ds_equality_kind::DS_EQUALITY_CONNECT as i32,
            active: 1,
            body1: 0,
            body2: 0,
            anchor1: [0.0; 3],
            anchor2: [0.0; 3],
            relative: ptr::null(),
            torque_scale: 1.0,
            length: 0.0,
            joint1: ptr::null(),
            joint2: ptr::null(),
            coefficients: [0.0, 1.0, 0.0, 0.0, 0.0],
            tendon1: ptr::null(),
            tendon2: ptr::null(),
            dof1: 0,
            dof2: 0,
        }
    }
}

/// The joint or tendon that is followed, if any.
unsafe fn leader(name: *const c_char, argument: &str) -> Result<Option<String>> {
    if name.is_null() {
        return Ok(None);
    }
    Ok(Some(args::text(name, argument)?.into()))
}

fn dof(x: i32, argument: &str) -> Result<usize> {
    usize::try_from(x)
        .map_err(|_| Error::invalid(format!("{argument}: must be 0 or more, got {x}")))
}

unsafe fn kind(d: &ds_equality_desc) -> Result<EqualityKind> {
    let body1 = || builder::body(d.body1, "equality.body1");
    let body2 = || builder::body(d.body2, "equality.body2");
    choice!(d.kind, "equality.kind", ds_equality_kind {
        DS_EQUALITY_CONNECT => EqualityKind::Connect {
            body1: body1()?,
            body2: body2()?,
            anchor: vec3(d.anchor1),
        },
        DS_EQUALITY_WELD => EqualityKind::Weld {
            body1: body1()?,
            body2: body2()?,
            anchor: vec3(d.anchor2),
            relative: match args::optional_array(d.relative, 16, "equality.relative")? {
                [] => None,
                m => Some(pose(m, "equality.relative")?),
            },
            torque_scale: d.torque_scale,
        },
        DS_EQUALITY_DISTANCE => EqualityKind::Distance {
            body1: body1()?,
            body2: body2()?,
            anchor1: vec3(d.anchor1),
            anchor2: vec3(d.anchor2),
            length: (d.length != 0.0).then_some(d.length),
        },
        DS_EQUALITY_JOINT => EqualityKind::Joint {
            joint1: args::text(d.joint1, "equality.joint1")?.into(),
            joint2: leader(d.joint2, "equality.joint2")?,
            coefficients: d.coefficients,
            dofs: [dof(d.dof1, "equality.dof1")?, dof(d.dof2, "equality.dof2")?],
        },
        DS_EQUALITY_TENDON => EqualityKind::Tendon {
            tendon1: args::text(d.tendon1, "equality.tendon1")?.into(),
            tendon2: leader(d.tendon2, "equality.tendon2")?,
            coefficients: d.coefficients,
        },
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_equality_desc_init(equality: *mut ds_equality_desc) {
    args::init(equality)
}

/// Adds an equality constraint, which may close a loop. A step with contact enforces it: a violation
/// at the start of the step is removed at its end, up to the share options.kp.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a body, joint or tendon that does not exist; DS_ERR_NUMERICAL
/// for a number that is not finite. ds_sim_create refuses values that define no valid equality.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_equality(
    builder: *mut ds_builder,
    equality: *const ds_equality_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(equality, "equality")?;
        let d = args::grown(equality, "equality")?;
        args::finite(&d.anchor1, "equality.anchor1")?;
        args::finite(&d.anchor2, "equality.anchor2")?;
        args::finite(&[d.torque_scale], "equality.torque_scale")?;
        args::finite(&[d.length], "equality.length")?;
        args::finite(&d.coefficients, "equality.coefficients")?;
        b.add_equality(EqualitySpec {
            name: builder::name(d.name)?.into(),
            active: args::flag(d.active, "equality.active")?,
            kind: kind(&d)?,
            origin: String::new(),
        })
    })
}
