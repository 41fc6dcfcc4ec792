//! Triangles in the world that frames show; docs/recording.md has the layout of their chunk.

use super::bytes::{Cursor, Source, id};
use super::ring::{Ring, is_chunk};
use super::write::chunk_head;
use super::{CHUNK_HEAD, KIND_SURFACE};
use crate::error::{Error, Result};

/// Largest number of names of surfaces in one recorder.
const NAMES: usize = 256;

/// Bytes before the points: two counts and the colour.
const COUNTS: usize = 24;

/// A surface's chunks; an empty chunk means none.
struct Slot {
    name: String,
    /// Chunk that goes before the next frame.
    next: Vec<u8>,
    /// The newest chunk that has left the ring.
    left: Vec<u8>,
}

/// The surfaces that frames show, by name.
#[derive(Default)]
pub struct Surfaces(Vec<Slot>);

impl Surfaces {
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Bytes that a surface needs before the next frame; 0 if it has not changed.
    pub fn waiting(&self, slot: usize) -> usize {
        self.0[slot].next.len()
    }

    /// Writes a waiting surface into memory of its size.
    pub fn hand_over(&mut self, slot: usize, to: &mut [u8]) {
        let next = &mut self.0[slot].next;
        to.copy_from_slice(next);
        next.clear();
    }

    /// Drops the oldest string of a ring. If it is a surface, keeps it, because later frames may show it.
    /// Returns whether it was a frame.
    pub fn drop_first(&mut self, ring: &mut Ring) -> bool {
        let first = ring.oldest();
        let frame = !is_chunk(first);
        if !frame {
            self.keep(first);
        }
        ring.drop_first();
        frame
    }

    fn keep(&mut self, chunk: &[u8]) {
        let word = |at: usize| {
            let b = &chunk[at..at + 4];
            u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize
        };
        let (points, triangles) = (word(CHUNK_HEAD), word(CHUNK_HEAD + 4));
        let at = CHUNK_HEAD + COUNTS + 24 * points + 12 * triangles;
        let name = &chunk[at + 4..at + 4 + word(at)];
        if let Some(slot) = self.0.iter_mut().find(|s| s.name.as_bytes() == name) {
            slot.left.clear();
            if points > 0 {
                slot.left.extend_from_slice(chunk);
            }
        }
    }

    /// Sets a surface for the frames from the next on, for a recorder whose ring has this capacity; see
    /// [`set_surface`](super::Recorder::set_surface).
    pub fn set(
        &mut self,
        capacity: usize,
        name: &str,
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        rgba: [f32; 4],
    ) -> Result<()> {
        if let Some(i) = points.iter().flatten().position(|x| !x.is_finite()) {
            return Err(Error::numerical(format!(
                "points[{i}]: must be finite, got {}",
                points[i / 3][i % 3]
            )));
        }
        let outside = |i: &u32| *i as usize >= points.len();
        if let Some(k) = triangles.iter().flatten().position(outside) {
            return Err(Error::invalid(format!(
                "triangles[{k}]: must be below the number of points, {}, got {}",
                points.len(),
                triangles[k / 3][k % 3]
            )));
        }
        if let Some(i) = rgba.iter().position(|x| !(0.0..=1.0).contains(x)) {
            return Err(Error::invalid(format!(
                "rgba[{i}]: must be 0 to 1, got {}",
                rgba[i]
            )));
        }
        let length = payload(name, points.len(), triangles.len())
            .filter(|n| CHUNK_HEAD + n <= capacity)
            .ok_or_else(|| {
                Error::capacity(format!(
                    "points: {} of them and {} triangles do not fit into the recorder's {capacity} bytes",
                    points.len(),
                    triangles.len()
                ))
            })?;
        let known = self.0.iter().position(|s| s.name == name);
        let slot = match known {
            Some(slot) => slot,
            None if points.is_empty() => return Ok(()),
            None if self.0.len() == NAMES => {
                return Err(Error::capacity(format!(
                    "name: a recorder has room for {NAMES} surfaces"
                )));
            }
            None => self.0.len(),
        };
        if known.is_none() {
            self.0.push(Slot {
                name: name.into(),
                next: Vec::new(),
                left: Vec::new(),
            });
        }
        let Slot { next, left, .. } = &mut self.0[slot];
        let size = CHUNK_HEAD + length;
        for memory in [&mut *next, &mut *left] {
            let more = size.saturating_sub(memory.len());
            memory.try_reserve_exact(more).map_err(|_| {
                Error::capacity(format!("points: there is no memory for {size} bytes"))
            })?;
        }
        next.resize(size, 0);
        let (head, body) = next.split_at_mut(CHUNK_HEAD);
        let mut c = Cursor::new(body);
        c.u32(id(points.len()));
        c.u32(id(triangles.len()));
        rgba.into_iter().for_each(|x| c.u32(x.to_bits()));
        points.iter().for_each(|p| c.numbers(p));
        triangles.iter().flatten().for_each(|i| c.u32(*i));
        c.u32(id(name.len()));
        c.bytes(name.as_bytes());
        c.pad();
        head.copy_from_slice(&chunk_head(KIND_SURFACE, &[body]));
        Ok(())
    }

    /// The surfaces, as chunks, that a frame after everything that has left the ring shows.
    pub fn left(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|s| &s.left[..])
    }
}

/// Bytes of a surface's payload; `None` if the number overflows.
fn payload(name: &str, points: usize, triangles: usize) -> Option<usize> {
    let [points, triangles] = [points, triangles].map(|n| u32::try_from(n).ok());
    let numbers = 24u64 * u64::from(points?) + 12 * u64::from(triangles?);
    let all = usize::try_from(numbers).ok()?;
    all.checked_add(COUNTS + 4 + name.len())?
        .checked_next_multiple_of(8)
}

/// A surface of a recording, in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingSurface {
    pub name: String,
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub rgba: [f32; 4],
}

impl RecordingSurface {
    pub(super) fn read(mut s: Source) -> Result<RecordingSurface> {
        let [points, triangles] = [s.u32()?, s.u32()?];
        let mut rgba = [0.0; 4];
        for x in &mut rgba {
            *x = f32::from_bits(s.u32()?);
        }
        let numbers = s.numbers((points as usize).saturating_mul(3))?;
        let faces = s.triangles(triangles, points)?;
        Ok(RecordingSurface {
            name: s.text()?,
            points: numbers
                .chunks_exact(3)
                .map(|p| [p[0], p[1], p[2]])
                .collect(),
            triangles: faces,
            rgba,
        })
    }
}
