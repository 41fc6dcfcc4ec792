//! Versions, statuses and the last error.

use super::message;
use crate::error::Status;
use std::ffi::{CStr, c_char};

/// Outcome of a fallible call. The numbers never change and are never reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_status {
    /// Done.
    DS_OK = 0,
    /// An argument is null, of the wrong size, out of range, or contradicts another.
    DS_ERR_INVALID_ARGUMENT = 1,
    /// A file cannot be read or written.
    DS_ERR_IO = 2,
    /// A file violates its format.
    DS_ERR_PARSE = 3,
    /// The request is valid, but this version does not support it.
    DS_ERR_UNSUPPORTED = 4,
    /// A capacity chosen at creation is too small, or there is not enough memory.
    DS_ERR_CAPACITY = 5,
    /// The contact solver stopped above its tolerance.
    DS_ERR_NOT_CONVERGED = 6,
    /// An argument or a result is not finite.
    DS_ERR_NUMERICAL = 7,
    /// A result of a step was asked for before any step.
    DS_ERR_NO_STEP = 8,
    /// A defect of the library; the message says where. Please report it.
    DS_ERR_INTERNAL = 9,
}

impl From<Status> for ds_status {
    fn from(status: Status) -> ds_status {
        match status {
            Status::Ok => ds_status::DS_OK,
            Status::InvalidArgument => ds_status::DS_ERR_INVALID_ARGUMENT,
            Status::Io => ds_status::DS_ERR_IO,
            Status::Parse => ds_status::DS_ERR_PARSE,
            Status::Unsupported => ds_status::DS_ERR_UNSUPPORTED,
            Status::Capacity => ds_status::DS_ERR_CAPACITY,
            Status::NotConverged => ds_status::DS_ERR_NOT_CONVERGED,
            Status::Numerical => ds_status::DS_ERR_NUMERICAL,
            Status::NoStep => ds_status::DS_ERR_NO_STEP,
            Status::Internal => ds_status::DS_ERR_INTERNAL,
        }
    }
}

/// Version of the binary interface. A program built against a header with the same number runs with
/// this library. Compare with DS_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn ds_abi_version() -> u32 {
    1
}

/// Version of the library, "major.minor.patch". Static; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ds_version_string() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Name of a status, such as "DS_ERR_PARSE"; "DS_ERR_UNKNOWN" for an invalid number. Static; never
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ds_status_name(status: i32) -> *const c_char {
    const NAMES: [&CStr; 10] = [
        c"DS_OK",
        c"DS_ERR_INVALID_ARGUMENT",
        c"DS_ERR_IO",
        c"DS_ERR_PARSE",
        c"DS_ERR_UNSUPPORTED",
        c"DS_ERR_CAPACITY",
        c"DS_ERR_NOT_CONVERGED",
        c"DS_ERR_NUMERICAL",
        c"DS_ERR_NO_STEP",
        c"DS_ERR_INTERNAL",
    ];
    usize::try_from(status)
        .ok()
        .and_then(|i| NAMES.get(i))
        .unwrap_or(&c"DS_ERR_UNKNOWN")
        .as_ptr()
}

/// Message of the last failing call of this thread: the argument, the expected and the actual value;
/// for files the element, its name and the line. UTF-8. Empty before any failure; a successful call
/// does not change it. Never NULL; valid until the next failing call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn ds_last_error() -> *const c_char {
    message::last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_numbers() {
        for status in [
            Status::Ok,
            Status::InvalidArgument,
            Status::Io,
            Status::Parse,
            Status::Unsupported,
            Status::Capacity,
            Status::NotConverged,
            Status::Numerical,
            Status::NoStep,
            Status::Internal,
        ] {
            let c = ds_status::from(status);
            assert_eq!(c as i32, status as i32);
            // SAFETY: static and terminated.
            let name = unsafe { CStr::from_ptr(ds_status_name(c as i32)) };
            assert_eq!(name.to_str(), Ok(format!("{c:?}").as_str()));
        }
        for unknown in [-1, 10, i32::MIN, i32::MAX] {
            // SAFETY: static and terminated.
            let name = unsafe { CStr::from_ptr(ds_status_name(unknown)) };
            assert_eq!(name, c"DS_ERR_UNKNOWN");
        }
    }
}
