//! Chunks: kind, checksum, length, payload.

use super::CHUNK_HEAD;
use super::crc::Crc32;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The head of a chunk whose payload comes in parts.
pub fn chunk_head(kind: [u8; 4], parts: &[&[u8]]) -> [u8; CHUNK_HEAD] {
    let length: usize = parts.iter().map(|p| p.len()).sum();
    let length = (length as u64).to_le_bytes();
    let mut crc = Crc32::new().add(&kind).add(&length);
    for part in parts {
        crc = crc.add(part);
    }
    let mut head = [0; CHUNK_HEAD];
    head[..4].copy_from_slice(&kind);
    head[4..8].copy_from_slice(&crc.value().to_le_bytes());
    head[8..].copy_from_slice(&length);
    head
}

/// A file to which whole chunks are appended.
pub struct Output {
    file: File,
    name: String,
    /// Length of the whole part of the file.
    length: u64,
}

impl Output {
    /// # Errors
    /// `Io` where the file cannot be made.
    pub fn create(path: &Path) -> Result<Output> {
        let name = path.display().to_string();
        let file = File::create(path).map_err(|e| Error::io(format!("path: \"{name}\": {e}")))?;
        Ok(Output {
            file,
            name,
            length: 0,
        })
    }

    /// Appends the parts of something whole, or nothing.
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<()> {
        let written = parts.iter().try_for_each(|p| self.file.write_all(p));
        if let Err(e) = written {
            // A chunk that is half written would hide the chunks after it.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(Error::io(format!("\"{}\": {e}", self.name)));
        }
        self.length += parts.iter().map(|p| p.len() as u64).sum::<u64>();
        Ok(())
    }
}
