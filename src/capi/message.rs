//! The message of the last failing call, thread by thread.

use std::cell::RefCell;
use std::ffi::c_char;

thread_local! {
    /// The message with its terminating NUL; empty before the first.
    static MESSAGE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub fn last() -> *const c_char {
    let at = MESSAGE.try_with(|m| {
        let m = m.borrow();
        (!m.is_empty()).then(|| m.as_ptr().cast())
    });
    // A thread that is ending has lost its message.
    at.ok().flatten().unwrap_or(c"".as_ptr())
}

pub fn words() -> String {
    let words = MESSAGE.with_borrow(|m| String::from_utf8_lossy(m).into_owned());
    words.trim_end_matches('\0').to_owned()
}

pub fn remember(message: &str) {
    // If the thread-local is gone (a thread that is ending), the status alone must do.
    let _ = MESSAGE.try_with(|m| {
        let mut m = m.borrow_mut();
        m.clear();
        m.extend(message.bytes().map(|b| if b == 0 { b'?' } else { b }));
        m.push(0);
    });
}
