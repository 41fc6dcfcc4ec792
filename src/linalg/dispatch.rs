//! One source, two instruction sets: hot kernels are compiled for the baseline and for AVX2, and
//! the choice is made at run time once per call.
//!
//! No kernel fuses a multiplication with an addition, so both give the same bits.

/// Defines `fn name(args)` that runs `fn kernel(args)`, marked `#[inline(always)]`, compiled for the
/// widest vectors of the processor.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $kernel:ident($($arg:ident : $ty:ty),* $(,)?)) => {
        $(#[$doc])*
        $vis fn $name($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($arg: $ty),*) {
                    $kernel($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2.
                    return unsafe { wide($($arg),*) };
                }
            }
            $kernel($($arg),*)
        }
    };
}

pub(crate) use dispatch;
