//! Frames one after the other in memory of a fixed size.

/// A ring of byte strings whose lengths are multiples of 8 and stand in their first four bytes. None
/// is split: where the next one does not fit before the end, it goes to the start.
pub struct Ring {
    memory: Vec<u8>,
    /// The oldest frame.
    first: usize,
    /// Behind the newest.
    next: usize,
    /// Behind the last one before the end of the memory, where the newest stand before the oldest.
    turn: Option<usize>,
    count: usize,
}

impl Ring {
    /// None where the memory does not suffice.
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

    /// Number of frames.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn clear(&mut self) {
        (self.first, self.next, self.turn, self.count) = (0, 0, None, 0);
    }

    /// Whether `size` bytes go in without an older frame being dropped.
    pub fn has_room(&self, size: usize) -> bool {
        match self.turn {
            None => size <= self.memory.len() - self.next || size <= self.first,
            Some(_) => size <= self.first - self.next,
        }
    }

    /// Drops the oldest frame.
    pub fn drop_first(&mut self) {
        let at = &self.memory[self.first..];
        self.first += u32::from_le_bytes([at[0], at[1], at[2], at[3]]) as usize;
        self.count -= 1;
        if self.count == 0 {
            self.clear();
        } else if self.turn == Some(self.first) {
            (self.first, self.turn) = (0, None);
        }
    }

    /// Memory for a new frame, where there is room for it. The caller writes it whole.
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

    /// All frames, oldest first, in two runs.
    pub fn parts(&self) -> [&[u8]; 2] {
        match self.turn {
            None => [&self.memory[self.first..self.next], &[]],
            Some(turn) => [&self.memory[self.first..turn], &self.memory[..self.next]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    fn frames(ring: &Ring) -> Vec<u32> {
        let mut found = Vec::new();
        for mut part in ring.parts() {
            while !part.is_empty() {
                let word =
                    |i: usize| u32::from_le_bytes([part[i], part[i + 1], part[i + 2], part[i + 3]]);
                found.push(word(4));
                assert!(
                    part[8..word(0) as usize]
                        .iter()
                        .all(|b| *b == word(4) as u8)
                );
                part = &part[word(0) as usize..];
            }
        }
        found
    }

    #[test]
    fn it_holds_the_newest_frames_whole_and_in_order() {
        for capacity in [64, 72, 200, 1000] {
            let mut ring = Ring::new(capacity).expect("memory");
            let mut held: VecDeque<u32> = VecDeque::new();
            let mut seed = 7u32;
            for k in 0..2000u32 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let size = 8 * (1 + (seed >> 16) as usize % 8);
                while !ring.has_room(size) {
                    ring.drop_first();
                    held.pop_front();
                }
                let to = ring.push(size);
                to.fill(k as u8);
                to[..4].copy_from_slice(&(size as u32).to_le_bytes());
                to[4..8].copy_from_slice(&k.to_le_bytes());
                held.push_back(k);
                assert_eq!(ring.count(), held.len());
                assert_eq!(held, frames(&ring), "capacity {capacity}, frame {k}");
            }
            assert!(held.len() > 1 || capacity < 100);
        }
    }
}
