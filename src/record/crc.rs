//! CRC-32 (ISO-HDLC, as in zlib and PNG) of data that arrive in parts.

const TABLE: [[u32; 256]; 8] = tables();

/// The second and later tables advance a byte by 8, 16, ... more bits at once.
const fn tables() -> [[u32; 256]; 8] {
    let mut t = [[0u32; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut c = i as u32;
        let mut k = 0;
        while k < 8 {
            c = if c & 1 == 1 {
                0xedb8_8320 ^ (c >> 1)
            } else {
                c >> 1
            };
            k += 1;
        }
        t[0][i] = c;
        i += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut i = 0;
        while i < 256 {
            let c = t[k - 1][i];
            t[k][i] = (c >> 8) ^ t[0][(c & 0xff) as usize];
            i += 1;
        }
        k += 1;
    }
    t
}

#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

impl Crc32 {
    pub fn new() -> Crc32 {
        Crc32(!0)
    }

    #[must_use]
    pub fn add(self, bytes: &[u8]) -> Crc32 {
        let mut c = self.0;
        let mut words = bytes.chunks_exact(8);
        for w in &mut words {
            let x = c ^ u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
            let byte = |shift: u32| (x >> shift & 0xff) as usize;
            c = TABLE[7][byte(0)] ^ TABLE[6][byte(8)] ^ TABLE[5][byte(16)] ^ TABLE[4][byte(24)];
            c ^= TABLE[3][usize::from(w[4])] ^ TABLE[2][usize::from(w[5])];
            c ^= TABLE[1][usize::from(w[6])] ^ TABLE[0][usize::from(w[7])];
        }
        for &b in words.remainder() {
            c = (c >> 8) ^ TABLE[0][((c ^ u32::from(b)) & 0xff) as usize];
        }
        Crc32(c)
    }

    pub fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_and_parts_of_any_length() {
        assert_eq!(Crc32::new().add(b"123456789").value(), 0xcbf4_3926);
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 37 % 251) as u8).collect();
        let whole = Crc32::new().add(&bytes).value();
        for cut in 0..bytes.len() {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(Crc32::new().add(a).add(b).value(), whole, "cut at {cut}");
        }
    }
}
