//! Frames, and chunks between them, one after the other in memory of fixed size.

use super::{CHUNK_HEAD, KIND_SURFACE};

/// A ring of byte strings whose lengths are multiples of 8: frames, which start with their length, and whole
/// chunks. No string is split: one that does not fit before the end goes to the start.
pub struct Ring {
    memory: Vec<u8>,
    /// Start of the oldest string.
    first: usize,
    /// End of the newest string.
    next: usize,
    /// End of the last string before the end of the memory, if the newest strings lie before the oldest.
    turn: Option<usize>,
    count: usize,
}

impl Ring {
    /// `None` if memory does not suffice.
    pub fn new(capacity: usize) -> Option<Ring> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(capacity).ok()?;
        memory.resize(capacity, 0);
        Some(Ring {
            memory,
            first: 0,
            next: 0,
            turn: None,
            count: 0,
        })
    }

    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// True if `size` bytes fit without dropping an older string.
    pub fn has_room(&self, size: usize) -> bool {
        match self.turn {
            None => size <= self.memory.len() - self.next || size <= self.first,
            Some(_) => size <= self.first - self.next,
        }
    }

    /// The oldest string; empty if the ring is empty.
    pub fn oldest(&self) -> &[u8] {
        let rest = &self.memory[self.first..];
        &rest[..length(rest)]
    }

    /// Drops the oldest string.
    pub fn drop_first(&mut self) {
        self.first += self.oldest().len();
        self.count -= 1;
        if self.count == 0 {
            (self.first, self.next, self.turn) = (0, 0, None);
        } else if self.turn == Some(self.first) {
            (self.first, self.turn) = (0, None);
        }
    }

    /// Memory for a new string, which must fit. The caller writes all of it.
    pub fn push(&mut self, size: usize) -> &mut [u8] {
        if self.turn.is_none() && size > self.memory.len() - self.next {
            self.turn = Some(self.next);
            self.next = 0;
        }
        let at = self.next;
        self.next += size;
        self.count += 1;
        &mut self.memory[at..at + size]
    }

    /// All, oldest first.
    pub fn runs(&self) -> Runs<'_> {
        Runs(match self.turn {
            None => [&self.memory[self.first..self.next], &[]],
            Some(turn) => [&self.memory[self.first..turn], &self.memory[..self.next]],
        })
    }
}

/// True for a chunk, false for a frame: a frame's length is a multiple of 8, the first letter of a chunk's
/// kind is not.
pub fn is_chunk(bytes: &[u8]) -> bool {
    !bytes[0].is_multiple_of(8)
}

const _: () = assert!(!KIND_SURFACE[0].is_multiple_of(8));

/// Length of the string at the start.
fn length(b: &[u8]) -> usize {
    if is_chunk(b) {
        let payload = u64::from_le_bytes([b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]]);
        CHUNK_HEAD + payload as usize
    } else {
        u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize
    }
}

/// Neighbouring strings of one sort in a ring.
pub enum Run<'a> {
    /// Their number, and their bytes in two parts.
    Frames(usize, [&'a [u8]; 2]),
    Chunk(&'a [u8]),
}

impl Run<'_> {
    /// Number of strings.
    pub fn count(&self) -> usize {
        match self {
            Run::Frames(count, _) => *count,
            Run::Chunk(_) => 1,
        }
    }
}

/// The runs of a ring.
pub struct Runs<'a>([&'a [u8]; 2]);

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        if self.0[0].is_empty() {
            self.0.swap(0, 1);
        }
        let [a, b] = self.0;
        if a.is_empty() {
            return None;
        }
        if is_chunk(a) {
            let (chunk, rest) = a.split_at(length(a));
            self.0 = [rest, b];
            return Some(Run::Chunk(chunk));
        }
        let (first, rest, mut count) = frames(a);
        let mut second: &[u8] = &[];
        self.0 = [rest, b];
        if rest.is_empty() {
            let (more, rest, n) = frames(b);
            (second, count) = (more, count + n);
            self.0 = [rest, &[]];
        }
        Some(Run::Frames(count, [first, second]))
    }
}

/// The frames at the start, the rest, and the number of frames.
fn frames(bytes: &[u8]) -> (&[u8], &[u8], usize) {
    let (mut end, mut count) = (0, 0);
    while end < bytes.len() && !is_chunk(&bytes[end..]) {
        end += length(&bytes[end..]);
        count += 1;
    }
    let (head, rest) = bytes.split_at(end);
    (head, rest, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// The numbers in a ring.
    fn held(ring: &Ring) -> Vec<u32> {
        let mut found = Vec::new();
        let mut before = false;
        for run in ring.runs() {
            let chunk = matches!(run, Run::Chunk(_));
            assert!(chunk || !before, "frames in two runs");
            before = !chunk;
            let count = run.count();
            let parts = match run {
                Run::Frames(_, parts) => parts,
                Run::Chunk(bytes) => [bytes, &[]],
            };
            let start = found.len();
            for mut part in parts {
                while !part.is_empty() {
                    let (one, rest) = part.split_at(length(part));
                    let number = u32::from_le_bytes([one[4], one[5], one[6], one[7]]);
                    let body = &one[if is_chunk(one) { 16 } else { 8 }..];
                    assert!(body.iter().all(|b| *b == number as u8));
                    assert_eq!(is_chunk(one), chunk);
                    found.push(number);
                    part = rest;
                }
            }
            assert_eq!(found.len() - start, count);
        }
        found
    }

    #[test]
    fn it_holds_the_newest_whole_and_in_order() {
        for capacity in [64, 72, 200, 1000] {
            let mut ring = Ring::new(capacity).expect("memory");
            let mut want: VecDeque<u32> = VecDeque::new();
            let mut seed = 7u32;
            for k in 0..2000u32 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let size = 8 * (1 + (seed >> 16) as usize % 8);
                while !ring.has_room(size) {
                    ring.drop_first();
                    want.pop_front();
                }
                let to = ring.push(size);
                to.fill(k as u8);
                to[4..8].copy_from_slice(&k.to_le_bytes());
                if size >= CHUNK_HEAD && (seed >> 24).is_multiple_of(3) {
                    to[..4].copy_from_slice(&KIND_SURFACE);
                    to[8..16].copy_from_slice(&((size - CHUNK_HEAD) as u64).to_le_bytes());
                } else {
                    to[..4].copy_from_slice(&(size as u32).to_le_bytes());
                }
                want.push_back(k);
                assert_eq!(want, held(&ring), "capacity {capacity}, number {k}");
            }
            assert!(want.len() > 1 || capacity < 100);
        }
    }
}
