//! The boundary between the library and its C caller. No panic and no print passes it, and every
//! failure leaves a status and a message.

use super::message::{self, remember};
use super::status::ds_status;
use super::words::in_c;
use crate::error::{Error, Result, THREAD_NAME};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// True while this thread is inside a call from C.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs the body of an export that returns a status.
pub fn status(body: impl FnOnce() -> Result<()>) -> ds_status {
    match run(body) {
        Ok(()) => ds_status::DS_OK,
        Err(e) => {
            remember(&in_c(&e.message));
            e.status.into()
        }
    }
}

/// Runs the body of an export that returns a value, `otherwise` on failure.
pub fn value<T>(otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    run(body).unwrap_or_else(|e| {
        remember(&in_c(&e.message));
        otherwise
    })
}

fn run<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    silence_panics();
    let outer = INSIDE.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outer);
    outcome.unwrap_or_else(|_| {
        // The hook has left the words.
        Err(Error::internal(message::words()))
    })
}

/// Keeps the words of a panic inside a call from C, or in a thread of ours that serves one, for
/// [`message::last`] instead of standard error.
/// Panics elsewhere in the process go where they went before.
fn silence_panics() {
    static HOOK: Once = Once::new();
    if HOOK.is_completed() || std::thread::panicking() {
        return;
    }
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            let ours = std::thread::current().name() == Some(THREAD_NAME);
            if ours || INSIDE.try_with(Cell::get) == Ok(true) {
                remember(&format!("defect of the library, please report it: {panic}"));
            } else {
                before(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn message() -> String {
        // SAFETY: terminated, and not replaced while it is read.
        unsafe { CStr::from_ptr(message::last()) }
            .to_string_lossy()
            .into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_that_says_where() {
        let s = status(|| panic!("the {} wheel came off", "left"));
        assert_eq!(s, ds_status::DS_ERR_INTERNAL);
        assert!(
            message().contains("the left wheel came off"),
            "{}",
            message()
        );
        assert!(message().contains("wall.rs"), "{}", message());
        assert_eq!(value(7, || -> Result<i32> { panic!("again") }), 7);
        assert!(message().contains("again"));
        assert_eq!(status(|| Ok(())), ds_status::DS_OK);
    }

    #[test]
    fn messages_are_per_thread_and_survive_success() {
        assert_eq!(
            status(|| Err(Error::invalid("one\0two"))),
            ds_status::DS_ERR_INVALID_ARGUMENT
        );
        assert_eq!(status(|| Ok(())), ds_status::DS_OK);
        assert_eq!(message(), "one?two");
        let other = std::thread::spawn(message).join();
        assert_eq!(other.ok().as_deref(), Some(""));
    }
}
