//! Inputs from others, by a seed.

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "inf",
    "1e9",
    "4294967296",
    "<body>",
    "</body>",
    "<geom size='1'/>",
    "<replicate count='9'>",
    "<joint type='ball'/>",
    "<freejoint/>",
    "name=''",
    " 0 0 0",
    "'",
    "\"",
    "<",
    ">",
    "\0",
    "<!--",
];

/// A corpus' input with a few changes, or bytes at random.
pub fn input(parents: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let r = &mut Random(seed);
    if r.below(8) == 0 {
        return (0..r.below(400)).map(|_| r.next() as u8).collect();
    }
    let mut data = parents[r.below(parents.len())].clone();
    for _ in 0..1 + r.below(6) {
        let at = r.below(data.len() + 1);
        match r.below(7) {
            0 if at < data.len() => data[at] = r.next() as u8,
            1 if at < data.len() => data[at] ^= 1 << r.below(8),
            2 => {
                let end = (at + r.below(24)).min(data.len());
                data.drain(at..end);
            }
            3 => {
                let end = (at + r.below(64)).min(data.len());
                let copy = data[at..end].to_vec();
                let to = r.below(data.len() + 1);
                data.splice(to..to, copy);
            }
            4 => {
                let other = &parents[r.below(parents.len())];
                let from = r.below(other.len() + 1);
                let end = (from + r.below(200)).min(other.len());
                data.splice(at..at, other[from..end].iter().copied());
            }
            5 => {
                let token = TOKENS[r.below(TOKENS.len())];
                let end = (at + r.below(8)).min(data.len());
                data.splice(at..end, token.bytes());
            }
            _ => {
                let bytes: Vec<u8> = (0..r.below(9)).map(|_| r.next() as u8).collect();
                data.splice(at..at, bytes);
            }
        }
    }
    data
}
