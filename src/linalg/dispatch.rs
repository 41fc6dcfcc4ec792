//! One source, two instruction sets: hot kernels are compiled for the baseline and for AVX2, and
//! the choice is made at run time once per call.
//!
//! No kernel fuses a multiplication with an addition, so both give the same bits.

/// Defines `fn name(args)` that runs `fn kernel(args)`, marked `#[inline(always)]`, compiled for the
/// widest vectors of the processor; both may be generic over a number of lanes.
macro_rules! dispatch {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident $(<const $lanes:ident: usize>)? = $($kernel:ident)::+($($arg:ident : $ty:ty),* $(,)?)
        $(-> $result:ty)?
    ) => {
        $(#[$doc])*
        $vis fn $name $(<const $lanes: usize>)? ($($arg: $ty),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide $(<const $lanes: usize>)? ($($arg: $ty),*) $(-> $result)? {
                    $($kernel)::+($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has AVX2.
                    return unsafe { wide($($arg),*) };
                }
            }
            $($kernel)::+($($arg),*)
        }
    };
}

/// Calls `f::<W>(args)` for the next of the tiles into which `$lanes` (above zero) lanes are cut, and is its
/// width W.
///
/// The tiles are as even as they can be and at most six lanes wide: two running sums of that width stay in
/// registers.
macro_rules! by_tile {
    ($lanes:expr, $f:ident($($arg:expr),* $(,)?)) => {{
        let lanes: usize = $lanes;
        let width = lanes.div_ceil(lanes.div_ceil(6));
        match width {
            1 => $f::<1>($($arg),*),
            2 => $f::<2>($($arg),*),
            3 => $f::<3>($($arg),*),
            4 => $f::<4>($($arg),*),
            5 => $f::<5>($($arg),*),
            _ => $f::<6>($($arg),*),
        }
        width
    }};
}

/// Proof that the processor has the vectors for which [`wide`](macro@wide) compiles a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Wide(());

impl Wide {
    pub fn here() -> Option<Wide> {
        #[cfg(target_arch = "x86_64")]
        if !std::arch::is_x86_feature_detected!("avx2") {
            return None;
        }
        Some(Wide(()))
    }
}

/// Defines `fn name(proof, args)` that runs `fn kernel(args)`, marked `#[inline(always)]`, compiled for the
/// vectors of [`Wide`] alone: for kernels that only pay with them.
macro_rules! wide {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident = $($kernel:ident)::+($($arg:ident : $ty:ty),* $(,)?)
    ) => {
        $(#[$doc])*
        $vis fn $name(_proof: $crate::linalg::Wide, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($arg: $ty),*) {
                    $($kernel)::+($($arg),*)
                }
                // SAFETY: the proof exists only on a processor with AVX2.
                unsafe { wide($($arg),*) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            $($kernel)::+($($arg),*)
        }
    };
}

pub(crate) use by_tile;
pub(crate) use dispatch;
pub(crate) use wide;
