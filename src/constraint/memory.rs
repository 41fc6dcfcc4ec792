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
    /// Per tree: the levels of stabilization of the steps up to the last one.
    pub jams: Vec<Jam>,
}

/// Numbers per group of saved memory: key in four parts, mode, three impulses.
const MEMORY_ENTRY: usize = 8;

impl Memory {
    /// For models with this number of trees.
    pub fn with_capacity(trees: usize, groups: usize) -> Self {
        Memory {
            keys: Vec::with_capacity(groups),
            lambda: Vec::with_capacity(groups),
            modes: Vec::with_capacity(groups),
            max_groups: groups,
            jams: vec![Jam::NONE; trees],
        }
    }

    /// Starts to store a step whose groups have these keys. Continue with [`Memory::push`].
    pub fn start(&mut self, keys: &[Key]) {
        self.forget();
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
        self.jams.fill(Jam::NONE);
    }

    /// True if no tree was jammed.
    pub fn is_free(&self) -> bool {
        self.jams.iter().all(|jam| *jam == Jam::NONE)
    }

    /// Numbers before the groups: their number, and the levels of the trees.
    fn head(&self) -> usize {
        1 + self.jams.len()
    }

    /// Number of saved numbers.
    pub fn size(&self) -> usize {
        self.head() + MEMORY_ENTRY * self.max_groups
    }

    /// Number of saved numbers that are in use; the rest is zero.
    pub fn used(&self) -> usize {
        self.head() + MEMORY_ENTRY * self.keys.len()
    }

    /// Writes the memory as numbers: those in use, and zeros.
    pub fn save(&self, out: &mut [f64]) {
        let (out, unused) = out.split_at_mut(self.used());
        unused.fill(0.0);
        out[0] = self.keys.len() as f64;
        for (out, jam) in out[1..].iter_mut().zip(&self.jams) {
            *out = jam.code();
        }
        let entries = out[self.head()..].chunks_exact_mut(MEMORY_ENTRY);
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
        let (count, head) = (from[0], self.head());
        let room = self.max_groups.min((from.len() - head) / MEMORY_ENTRY);
        if !(count >= 0.0 && count <= room as f64 && count.fract() == 0.0) {
            return Err(bad(0, count));
        }
        if let Some(k) = (1..head).find(|k| Jam::from_code(from[*k]).is_none()) {
            return Err(bad(k, from[k]));
        }
        let entries = || {
            let groups = from[head..].chunks_exact(MEMORY_ENTRY);
            groups.take(count as usize)
        };
        for (i, e) in entries().enumerate() {
            let integer = |x: f64| (0.0..=4294967295.0).contains(&x) && x.fract() == 0.0;
            let at = head + i * MEMORY_ENTRY;
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
        for (jam, code) in self.jams.iter_mut().zip(&from[1..]) {
            *jam = Jam::from_code(*code).unwrap_or(Jam::NONE);
        }
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
