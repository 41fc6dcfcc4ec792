//! The warm start of the contact solver: impulses and modes that a step hands to the next one.

use crate::contact::mode::Mode;
use crate::contact::push_out::Jam;
use crate::error::{Error, Result};

/// Identifies a group of rows in the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    pub kind: u32,
    pub a: u32,
    pub feature: u64,
}

/// Impulses and modes of the groups of the last step.
#[derive(Debug)]
pub struct Memory {
    keys: Vec<Key>,
    lambda: Vec<[f64; 3]>,
    /// Of the first block of each group.
    modes: Vec<Mode>,
    max_groups: usize,
    /// The level of stabilization of the steps up to the last one.
    pub jam: Jam,
}

/// Numbers of saved memory before the groups.
const MEMORY_HEAD: usize = 2;

/// Numbers per group of saved memory: key in four parts, mode, three impulses.
const MEMORY_ENTRY: usize = 8;

impl Memory {
    pub fn with_capacity(groups: usize) -> Self {
        Memory {
            keys: Vec::with_capacity(groups),
            lambda: Vec::with_capacity(groups),
            modes: Vec::with_capacity(groups),
            max_groups: groups,
            jam: Jam::NONE,
        }
    }

    /// Starts to store a step whose groups have these keys. `jam` is the level of stabilization up to
    /// this step. Continue with [`Memory::push`].
    pub fn start(&mut self, jam: Jam, keys: &[Key]) {
        self.forget();
        self.jam = jam;
        self.keys.extend_from_slice(keys);
    }

    /// Stores the next group.
    pub fn push(&mut self, mode: Mode, lambda: [f64; 3]) {
        self.modes.push(mode);
        self.lambda.push(lambda);
    }

    /// Keys and modes, in the order of the groups.
    pub fn modes(&self) -> impl DoubleEndedIterator<Item = (Key, Mode)> + '_ {
        self.keys.iter().copied().zip(self.modes.iter().copied())
    }

    /// Keys and impulses, in the order of the groups.
    pub fn impulses(&self) -> impl Iterator<Item = (Key, [f64; 3])> + '_ {
        self.keys.iter().copied().zip(self.lambda.iter().copied())
    }

    pub fn forget(&mut self) {
        self.keys.clear();
        self.lambda.clear();
        self.modes.clear();
        self.jam = Jam::NONE;
    }

    /// Number of saved numbers.
    pub fn size(&self) -> usize {
        MEMORY_HEAD + MEMORY_ENTRY * self.max_groups
    }

    /// Number of saved numbers that are in use; the rest is zero.
    pub fn used(&self) -> usize {
        MEMORY_HEAD + MEMORY_ENTRY * self.keys.len()
    }

    /// Writes the memory as numbers: those in use, and zeros.
    pub fn save(&self, out: &mut [f64]) {
        let (out, unused) = out.split_at_mut(self.used());
        unused.fill(0.0);
        out[0] = self.keys.len() as f64;
        out[1] = self.jam.code();
        let entries = out[MEMORY_HEAD..].chunks_exact_mut(MEMORY_ENTRY);
        for (i, (entry, k)) in entries.zip(&self.keys).enumerate() {
            let low = k.feature & 0xFFFF_FFFF;
            let high = k.feature >> 32;
            let l = self.lambda[i];
            let mode = f64::from(self.modes[i].index());
            entry.copy_from_slice(&[
                f64::from(k.kind),
                f64::from(k.a),
                low as f64,
                high as f64,
                mode,
                l[0],
                l[1],
                l[2],
            ]);
        }
    }

    /// Reads the memory back; zeros at its end may be missing.
    ///
    /// # Errors
    /// `InvalidArgument` for numbers that [`Memory::save`] cannot have written.
    pub fn restore(&mut self, from: &[f64]) -> Result<()> {
        let bad = |i: usize, x: f64| {
            Error::invalid(format!(
                "warm[{i}] is {x}: expected the memory of a simulation with the same model and options"
            ))
        };
        let count = from[0];
        let room = self
            .max_groups
            .min((from.len() - MEMORY_HEAD) / MEMORY_ENTRY);
        if !(count >= 0.0 && count <= room as f64 && count.fract() == 0.0) {
            return Err(bad(0, count));
        }
        let jam = Jam::from_code(from[1]).ok_or_else(|| bad(1, from[1]))?;
        let entries = || {
            let groups = from[MEMORY_HEAD..].chunks_exact(MEMORY_ENTRY);
            groups.take(count as usize)
        };
        for (i, e) in entries().enumerate() {
            let integer = |x: f64| (0.0..=4294967295.0).contains(&x) && x.fract() == 0.0;
            let at = MEMORY_HEAD + i * MEMORY_ENTRY;
            if let Some(k) = (0..4).find(|&k| !integer(e[k])) {
                return Err(bad(at + k, e[k]));
            }
            if Mode::from_index(e[4]).is_none() {
                return Err(bad(at + 4, e[4]));
            }
            if let Some(k) = (5..8).find(|&k| !e[k].is_finite()) {
                return Err(bad(at + k, e[k]));
            }
        }
        self.forget();
        self.jam = jam;
        for e in entries() {
            self.keys.push(Key {
                kind: e[0] as u32,
                a: e[1] as u32,
                feature: e[2] as u64 | (e[3] as u64) << 32,
            });
            self.modes.push(Mode::from_index(e[4]).unwrap_or_default());
            self.lambda.push([e[5], e[6], e[7]]);
        }
        Ok(())
    }

    /// Index of a group in the last step. The search starts at `hint`, and continues from the beginning.
    fn find(&self, key: Key, hint: usize) -> Option<usize> {
        let (before, after) = self.keys.split_at(hint.min(self.keys.len()));
        let among = |keys: &[Key]| keys.iter().position(|k| *k == key);
        among(after)
            .map(|i| i + before.len())
            .or_else(|| among(before))
    }
}

/// Looks up the impulses and modes of groups in the last step, one group after the other.
pub(super) struct Recall<'a> {
    memory: &'a Memory,
    /// The groups of the last step come in nearly the same order.
    next: usize,
}

impl<'a> Recall<'a> {
    pub fn of(memory: &'a Memory) -> Recall<'a> {
        Recall { memory, next: 0 }
    }

    pub fn group(&mut self, key: Key) -> ([f64; 3], Mode) {
        let Some(found) = self.memory.find(key, self.next) else {
            return Default::default();
        };
        self.next = found + 1;
        (self.memory.lambda[found], self.memory.modes[found])
    }
}
