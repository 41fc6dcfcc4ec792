//! An array cut into equal parts, each written by the thread that has its element.

use std::marker::PhantomData;

/// Parts of `len` entries of a mutable array of `total` entries.
pub struct Parts<'a, T> {
    start: *mut T,
    len: usize,
    total: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: a part is reached only through `part`, whose caller has it alone.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    /// Parts of `len`; the last one may be shorter.
    pub fn new(array: &'a mut [T], len: usize) -> Self {
        Parts {
            start: array.as_mut_ptr(),
            len,
            total: array.len(),
            array: PhantomData,
        }
    }

    /// Part i; empty beyond the last.
    ///
    /// # Safety
    /// No other reference to part i may exist.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn part(&self, i: usize) -> &mut [T] {
        let first = self.total.min(i.saturating_mul(self.len));
        let len = self.len.min(self.total - first);
        // SAFETY: the part lies within the array, and the caller has it alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(first), len) }
    }
}
