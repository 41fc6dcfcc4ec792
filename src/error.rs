//! The one error type: a stable status and a message that names the culprit.

/// Outcome of a fallible call. The numbers are part of the ABI and are never reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    /// An argument is null, of the wrong size, out of range, or contradicts another.
    InvalidArgument = 1,
    /// A file cannot be read or written.
    Io = 2,
    /// A file violates its format.
    Parse = 3,
    /// The request is well formed, but this version does not support it.
    Unsupported = 4,
    /// A capacity chosen at creation, or memory, does not suffice.
    Capacity = 5,
    /// The contact solver stopped above its tolerance.
    NotConverged = 6,
    /// A number that is not finite came in, or would have gone out.
    Numerical = 7,
    /// A result of a step was requested before any step.
    NoStep = 8,
    /// A defect of the library.
    Internal = 9,
}

/// Name of every thread that the library starts.
pub const THREAD_NAME: &str = "diffsim";

/// A status with the sentence that goes with it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub status: Status,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

macro_rules! constructors {
    ($($name:ident => $status:ident),* $(,)?) => {
        impl Error {
            $(#[cold]
            pub fn $name(message: impl Into<String>) -> Error {
                Error { status: Status::$status, message: message.into() }
            })*
        }
    };
}

constructors! {
    invalid => InvalidArgument,
    io => Io,
    parse => Parse,
    unsupported => Unsupported,
    capacity => Capacity,
    not_converged => NotConverged,
    numerical => Numerical,
    no_step => NoStep,
    internal => Internal,
}
