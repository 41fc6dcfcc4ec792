//! Saving of models to files.

use super::args::{self, Growing};
use super::model::{ds_model, whole};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::save::save_file;
use std::ffi::{CString, c_char};
use std::mem::offset_of;
use std::ptr;

/// How to save a model. Fill with ds_save_options_init, then change fields. Pass NULL for the
/// defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_save_options {
    /// Size of this struct in bytes; set by ds_save_options_init.
    pub struct_size: usize,
    /// 1: if the format cannot express a part of the model, this is an error and no file is written.
    /// Default 0.
    pub strict: i32,
    /// Must be 0.
    pub reserved: i32,
}

// SAFETY: repr(C), the size first, two i32: no padding, every bit pattern a value.
unsafe impl Growing for ds_save_options {
    const NAME: &'static str = "ds_save_options";
    const FIRST: usize = offset_of!(ds_save_options, reserved) + size_of::<i32>();

    fn defaults() -> Self {
        ds_save_options {
            struct_size: size_of::<ds_save_options>(),
            strict: 0,
            reserved: 0,
        }
    }
}

/// The parts of a saved model that its format could not express.
pub struct ds_saved {
    losses: Vec<CString>,
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_save_options_init(options: *mut ds_save_options) {
    args::init(options)
}

/// Saves a model to a file: .urdf, or .xml and .mjcf for MJCF. The path is in the system's
/// encoding and relative to the working directory. An existing file is replaced completely or not
/// at all. Meshes are part of an MJCF; those of a NAME.urdf go to OBJ files in a folder
/// NAME_meshes beside it. Numbers are written so that reading gives the same bits, or the nearest
/// that the format has. Parts that the format cannot express (docs/migration.md, Back to MJCF and
/// URDF) become lines of *out, which may be NULL. Release it with ds_saved_free.
///
/// Errors: DS_ERR_UNSUPPORTED for another extension and, if strict, for a part that cannot be
/// expressed; DS_ERR_IO if a file cannot be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_save(
    model: *const ds_model,
    path: *const c_char,
    options: *const ds_save_options,
    out: *mut *mut ds_saved,
) -> ds_status {
    wall::status(|| {
        let model = &whole(model)?.model;
        let path = args::path(path, "path")?;
        let options = args::grown(options, "options")?;
        args::zero(options.reserved, "reserved")?;
        let strict = args::flag(options.strict, "strict")?;
        let save = || -> Result<ds_saved> {
            let lines = save_file(model, path, strict)?;
            // No line has a NUL, because names have none.
            let losses = lines
                .into_iter()
                .map(|l| CString::new(l).unwrap_or_default());
            Ok(ds_saved {
                losses: losses.collect(),
            })
        };
        if out.is_null() {
            return save().map(|_| ());
        }
        args::give(out, save)
    })
}

/// Releases a ds_saved. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_saved_free(saved: *mut ds_saved) {
    args::take(saved)
}

/// Number of lines about parts that the format could not express. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_saved_warning_count(saved: *const ds_saved) -> usize {
    wall::value(0, || Ok(args::reference(saved, "saved")?.losses.len()))
}

/// Line i, 0 to ds_saved_warning_count-1, in UTF-8; NULL if i is out of range. Lives as long as
/// saved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_saved_warning(saved: *const ds_saved, i: usize) -> *const c_char {
    wall::value(ptr::null(), || {
        let losses = &args::reference(saved, "saved")?.losses;
        let line = losses.get(i).ok_or_else(|| {
            crate::error::Error::invalid(format!("i: must be below {}, got {i}", losses.len()))
        })?;
        Ok(line.as_ptr())
    })
}
