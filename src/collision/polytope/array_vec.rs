//! A vector on the stack.

use std::fmt::{Debug, Formatter, Result};
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

/// Up to `N` items. Memory beyond the length is never written, so unused capacity costs no time.
#[derive(Clone)]
pub(super) struct ArrayVec<T: Copy, const N: usize> {
    items: [MaybeUninit<T>; N],
    len: usize,
}

impl<T: Copy, const N: usize> ArrayVec<T, N> {
    #[inline(always)]
    pub const fn new() -> Self {
        ArrayVec {
            items: [const { MaybeUninit::uninit() }; N],
            len: 0,
        }
    }

    /// Appends an item; returns `None` and changes nothing if the capacity is used up.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Option<()> {
        self.items.get_mut(self.len)?.write(item);
        self.len += 1;
        Some(())
    }

    #[inline(always)]
    pub fn pop(&mut self) -> Option<T> {
        let item = *self.last()?;
        self.len -= 1;
        Some(item)
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let mut n = 0;
        for i in 0..self.len {
            if keep(&self[i]) {
                self[n] = self[i];
                n += 1;
            }
        }
        self.len = n;
    }
}

impl<T: Copy + Debug, const N: usize> Debug for ArrayVec<T, N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy, const N: usize> Deref for ArrayVec<T, N> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` items, at most `N`, have been written.
        unsafe { std::slice::from_raw_parts(self.items.as_ptr().cast(), self.len) }
    }
}

impl<T: Copy, const N: usize> DerefMut for ArrayVec<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.items.as_mut_ptr().cast(), self.len) }
    }
}
