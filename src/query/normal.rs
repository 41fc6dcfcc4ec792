//! Random numbers for smoothing: seeded, the same on every machine.

use std::f64::consts::TAU;

/// Standard normal numbers: SplitMix64 and the transform of Box and Muller.
pub(super) struct Normal {
    state: u64,
    spare: Option<f64>,
}

impl Normal {
    pub fn new(seed: u64) -> Self {
        Normal {
            state: seed,
            spare: None,
        }
    }

    /// In (0, 1].
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    pub fn next(&mut self) -> f64 {
        if let Some(x) = self.spare.take() {
            return x;
        }
        let (r, angle) = ((-2.0 * self.uniform().ln()).sqrt(), TAU * self.uniform());
        self.spare = Some(r * angle.sin());
        r * angle.cos()
    }
}
