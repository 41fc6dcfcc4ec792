//! Little-endian numbers into and out of bytes.

use crate::error::{Error, Result};
use crate::spatial::{Pose, Quat};

/// Writes one number after the other into a slice that is long enough.
pub struct Cursor<'a> {
    to: &'a mut [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(to: &'a mut [u8]) -> Self {
        Cursor { to, at: 0 }
    }

    pub fn bytes(&mut self, x: &[u8]) {
        self.to[self.at..self.at + x.len()].copy_from_slice(x);
        self.at += x.len();
    }

    pub fn u32(&mut self, x: u32) {
        self.bytes(&x.to_le_bytes());
    }

    pub fn u64(&mut self, x: u64) {
        self.bytes(&x.to_le_bytes());
    }

    pub fn f64(&mut self, x: f64) {
        self.bytes(&x.to_le_bytes());
    }

    pub fn numbers(&mut self, x: &[f64]) {
        for &x in x {
            self.f64(x);
        }
    }

    pub fn pose(&mut self, p: &Pose) {
        self.numbers(&p.pos.to_array());
        self.numbers(&Quat::from_mat3(&p.rot).to_array());
    }

    /// Zeros up to the next multiple of 8.
    pub fn pad(&mut self) {
        while !self.at.is_multiple_of(8) {
            self.bytes(&[0]);
        }
    }

    pub fn written(&self) -> usize {
        self.at
    }
}

/// An id in a file's form: -1 for none.
pub fn id(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

/// Numbers and texts appended to a growing list.
#[derive(Default)]
pub struct Sink(pub Vec<u8>);

impl Sink {
    pub fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn f32(&mut self, x: f32) {
        self.0.extend(x.to_le_bytes());
    }

    pub fn numbers(&mut self, x: &[f64]) {
        self.0.extend(x.iter().flat_map(|x| x.to_le_bytes()));
    }

    pub fn pose(&mut self, p: &Pose) {
        self.numbers(&p.pos.to_array());
        self.numbers(&Quat::from_mat3(&p.rot).to_array());
    }

    /// Its length in bytes, then UTF-8.
    pub fn text(&mut self, text: &str) {
        self.u32(id(text.len()));
        self.0.extend(text.as_bytes());
    }

    pub fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
    }
}

/// Reads the output of [`Cursor`] and [`Sink`]; missing bytes are an error.
#[derive(Clone, Copy)]
pub struct Source<'a>(pub &'a [u8]);

impl<'a> Source<'a> {
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        let (head, rest) = (self.0.split_at_checked(n))
            .ok_or_else(|| Error::parse("a chunk is shorter than its stated length"))?;
        self.0 = rest;
        Ok(head)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut x = [0; N];
        x.copy_from_slice(self.bytes(N)?);
        Ok(x)
    }

    pub fn u32(&mut self) -> Result<u32> {
        self.fixed().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64> {
        self.fixed().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64> {
        self.fixed().map(f64::from_le_bytes)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut x = [0.0; N];
        for x in &mut x {
            *x = self.f64()?;
        }
        Ok(x)
    }

    pub fn numbers(&mut self, n: usize) -> Result<Vec<f64>> {
        let bytes = self.bytes(n.saturating_mul(8))?;
        let one = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
        Ok(bytes.chunks_exact(8).map(one).collect())
    }

    /// Reads `n` triangles of `points` points.
    pub fn triangles(&mut self, n: u32, points: u32) -> Result<Vec<[u32; 3]>> {
        let bytes = self.bytes((n as usize).saturating_mul(12))?;
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let triangle = |b: &[u8]| [0, 4, 8].map(|k| word(&b[k..]));
        let faces: Vec<_> = bytes.chunks_exact(12).map(triangle).collect();
        if faces.iter().flatten().any(|i| *i >= points) {
            return Err(Error::parse("a triangle has a vertex index out of range"));
        }
        Ok(faces)
    }

    pub fn text(&mut self) -> Result<String> {
        let n = self.u32()? as usize;
        let bytes = self.bytes(n)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Error::parse("a name is not UTF-8"))
    }
}
