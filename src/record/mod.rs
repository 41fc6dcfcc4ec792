//! Recordings of simulations, for viewing later. docs/recording.md has the format.
//!
//! A [`Recorder`] reads a simulation after a step; the simulation does not know it. Frames go to a ring of
//! fixed size, and from there to a file or to memory. [`read()`] returns all whole data of a file.

mod arrows;
mod bytes;
mod clock;
mod crc;
mod frame;
mod model;
mod output;
mod read;
mod recorder;
mod ring;
mod skin;
mod surface;
mod write;

pub use arrows::{Arrow, Quantity};
pub use read::{
    Frame, Recording, RecordingBody, RecordingJoint, RecordingMesh, RecordingShape, read,
};
pub use recorder::{Recorder, RecorderOptions};
pub use surface::RecordingSurface;

/// The first bytes of a file: a name, and line ends that a transfer as text would change.
pub const SIGNATURE: [u8; 8] = *b"\x89DSR\r\n\x1a\n";

/// Version of the format.
pub const VERSION: u32 = 1;

/// Bytes before a chunk's payload: kind, checksum, length.
const CHUNK_HEAD: usize = 16;

const KIND_SURFACE: [u8; 4] = *b"SURF";
