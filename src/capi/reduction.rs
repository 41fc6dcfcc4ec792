//! Reduced coordinates of models made in code.

use super::args::{self, Growing};
use super::builder::{self, ds_builder};
use super::status::ds_status;
use super::wall;
use crate::error::Error;
use crate::model::spec::ReductionSpec;
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// Reduced coordinates: the dofs of several joints are offset + matrix · y. Fill with
/// ds_reduction_desc_init, then change fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_reduction_desc {
    /// Size of this struct in bytes; set by ds_reduction_desc_init.
    pub struct_size: usize,
    /// Name for messages; NULL for none.
    pub name: *const c_char,
    /// Number of joints. Default 0.
    pub joint_count: usize,
    /// Names of the joints; they must exist. Joints with a quaternion (spherical, free) are refused.
    /// Default NULL.
    pub joints: *const *const c_char,
    /// Number of coordinates y: 1 or more, fewer than the dofs of the joints. Default 1.
    pub columns: usize,
    /// Dofs of the joints in order × columns, column-major, of full column rank [unit of the dof per
    /// unit of y]. Default NULL.
    pub matrix: *const f64,
    /// One number for each dof: its coordinate at y = 0 [rad or m]. Default NULL: zeros.
    pub offset: *const f64,
}

// SAFETY: repr(C), the size first, then words: no padding, every bit pattern a value.
unsafe impl Growing for ds_reduction_desc {
    const NAME: &'static str = "ds_reduction_desc";
    const FIRST: usize = offset_of!(ds_reduction_desc, offset) + size_of::<*const f64>();

    fn defaults() -> Self {
        ds_reduction_desc {
            struct_size: size_of::<ds_reduction_desc>(),
            name: ptr::null(),
            joint_count: 0,
            joints: ptr::null(),
            columns: 1,
            matrix: ptr::null(),
            offset: ptr::null(),
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_reduction_desc_init(reduction: *mut ds_reduction_desc) {
    args::init(reduction)
}

/// Gives joints reduced coordinates. nq and nv of the model then count the columns in place of the
/// dofs of these joints, at the place of the first of them. Joints, bodies, limits, actuators and
/// parameters stay. A joint can be in one reduction only. Steps, their derivatives, rollouts, batches,
/// sensors, recorders, inverse kinematics and the basic queries take such a model; other calls refuse it
/// with DS_ERR_UNSUPPORTED.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for a joint that does not exist, is listed twice, is in another
/// reduction or has a quaternion, for a wrong number of columns, and for linearly dependent columns;
/// DS_ERR_NUMERICAL for a number that is not finite. The builder does not change then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_reduction(
    builder: *mut ds_builder,
    reduction: *const ds_reduction_desc,
) -> ds_status {
    wall::status(|| {
        let b = builder::get(builder)?;
        args::reference(reduction, "reduction")?;
        let d = args::grown(reduction, "reduction")?;
        let mut joints = Vec::new();
        for &name in args::array(d.joints, d.joint_count, "reduction.joints")? {
            joints.push(args::text(name, "reduction.joints")?.to_owned());
        }
        let rows = b.reduced_dofs(&joints)?;
        if d.columns == 0 || d.columns >= rows.max(1) {
            return Err(Error::invalid(format!(
                "reduction.columns: must be 1 or more and fewer than the {rows} dofs of its joints, got {}",
                d.columns
            )));
        }
        let matrix = args::numbers(d.matrix, rows * d.columns, "reduction.matrix")?;
        let offset = args::optional_array(d.offset, rows, "reduction.offset")?;
        args::finite(offset, "reduction.offset")?;
        b.add_reduction(ReductionSpec {
            name: builder::name(d.name)?.into(),
            joints,
            columns: d.columns,
            matrix: matrix.to_vec(),
            offset: offset.to_vec(),
            origin: String::new(),
        })
    })
}
