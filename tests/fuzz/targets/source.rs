//! Arguments from bytes: the remaining bytes decide, zeros after their end.

/// A number of every kind that a caller might pass.
const STRANGE: [f64; 24] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    -f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -0.0,
    1e-300,
    1e-160,
    1e-100,
    1e-20,
    1e-9,
    1e6,
    1e9,
    1e16,
    1e20,
    1e77,
    1e100,
    1e150,
    1e154,
    1e200,
    1e300,
    -1e160,
];

pub struct Source<'a> {
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    pub fn new(data: &'a [u8]) -> Source<'a> {
        Source { rest: data }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    /// 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// Once in n times.
    pub fn once_in(&mut self, n: u8) -> bool {
        self.byte() % n == n - 1
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// An ordinary number in ±2, or now and then any other.
    pub fn number(&mut self) -> f64 {
        let b = self.byte();
        match b {
            0..=231 => (f64::from(b) - 115.5) / 57.75,
            232..=247 => STRANGE[self.below(STRANGE.len())],
            _ => {
                let bytes = std::array::from_fn(|_| self.byte());
                f64::from_bits(u64::from_le_bytes(bytes))
            }
        }
    }

    /// A positive number of ordinary size, or now and then any other.
    pub fn size(&mut self) -> f64 {
        let b = self.byte();
        match b {
            0..=239 => 1.025_f64.powi(i32::from(b)) * 1e-2,
            _ => self.number(),
        }
    }

    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }

    pub fn array<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }

    /// Numbers near `x`; mostly `x` itself.
    pub fn near(&mut self, x: &[f64]) -> Vec<f64> {
        match self.below(4) {
            0 | 1 => x.to_vec(),
            2 => {
                let mut y = x.to_vec();
                if !y.is_empty() {
                    let at = self.below(y.len());
                    y[at] = self.number();
                }
                y
            }
            _ => x.iter().map(|x| x + 0.2 * self.number()).collect(),
        }
    }

    /// An id of one of n things, or now and then of none.
    pub fn id(&mut self, n: usize) -> i32 {
        let b = self.byte();
        match b {
            0..=249 => i32::from(b) % n.clamp(1, 250) as i32,
            250 => -1,
            251 => n as i32,
            252 => i32::MIN,
            _ => i32::MAX,
        }
    }

    /// A count of ordinary size, or one that no memory holds.
    pub fn count(&mut self, ordinary: usize) -> usize {
        let b = self.byte();
        match b {
            0..=247 => usize::from(b) % (ordinary + 1),
            248..=250 => usize::MAX,
            251..=253 => usize::MAX / 8,
            _ => 1 << 60,
        }
    }
}
