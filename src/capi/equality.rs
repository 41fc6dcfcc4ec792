//! Equalities of models made in code: loops that close, joints and tendons that follow others.

use super::args::{self, Growing};
use super::builder::{self, ds_builder, pose, vec3};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::spec::{EqualityKind, EqualitySpec};
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// What an equality holds.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_equality_kind {
    /// anchor1, a point of body1, stays at the point of body2 where it is at the reference: 3 rows.
    DS_EQUALITY_CONNECT = 0,
    /// body2 keeps its pose in body1: 6 rows, acting at anchor2; 3 where torque_scale is 0.
    DS_EQUALITY_WELD = 1,
    /// anchor1 of body1 and anchor2 of body2 stay at a distance, as if on a massless rod: 1 row.
    DS_EQUALITY_DISTANCE = 2,
    /// q1 - ref1 = sum of coefficients[k] (q2 - ref2)^k of two one-dof joints; without joint2,
    /// q1 - ref1 = coefficients[0]: 1 row.
    DS_EQUALITY_JOINT = 3,
    /// l1 - ref1 = sum of coefficients[k] (l2 - ref2)^k of the lengths of two tendons, the references
    /// those at the reference configuration; without tendon2, l1 - ref1 = coefficients[0]: 1 row.
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
    /// 0: it is part of the model but holds nothing. Default 1.
    pub active: i32,
    /// The builder's id of the first body; 0 is the world. Default 0.
    pub body1: i32,
    /// That of the second body. Default 0.
    pub body2: i32,
    /// Point in the frame of body1 [m]. Default 0.
    pub anchor1: [f64; 3],
    /// Point in the frame of body2 [m]. Default 0.
    pub anchor2: [f64; 3],
    /// Of a weld: where anchor2 is in body1, and the orientation of body2 in it, a column-major 4×4
    /// matrix. Default NULL: as at the reference configuration.
    pub relative: *const f64,
    /// Of a weld: the length that makes a rotation comparable to a displacement [m]; 0: only the
    /// anchor is held. Default 1.
    pub torque_scale: f64,
    /// Of a distance [m]. Default 0: as at the reference configuration.
    pub length: f64,
    /// Name of the joint that is coupled, which must be there. Default NULL.
    pub joint1: *const c_char,
    /// Name of the joint it is coupled to; NULL, the default, for a constant.
    pub joint2: *const c_char,
    /// [rad or m per (rad or m)^k]. Default 0, 1, 0, 0, 0.
    pub coefficients: [f64; 5],
    /// Name of the tendon that follows, which must be there. Default NULL.
    pub tendon1: *const c_char,
    /// Name of the tendon that it follows; NULL, the default, for a constant.
    pub tendon2: *const c_char,
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
        }
    }
}

/// What is followed, if anything is.
unsafe fn leader(name: *const c_char, argument: &str) -> Result<Option<String>> {
    if name.is_null() {
        return Ok(None);
    }
    Ok(Some(args::text(name, argument)?.into()))
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

/// Adds an equality, which may close a loop. A step with contact holds it: what is violated at its
/// start is gone, up to the share options.kp, at its end.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a body, joint or tendon that is not there; DS_ERR_NUMERICAL for a
/// number that is not finite. Numbers that make no equality are refused by ds_sim_create.
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
