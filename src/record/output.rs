//! Writes the ring to a file or to memory.

use super::CHUNK_HEAD;
use super::model::chunks;
use super::recorder::Recorder;
use super::ring::Run;
use super::write::{Output, chunk_head};
use crate::error::{Error, Result};
use std::path::Path;

impl Recorder {
    /// From now on frames go to a file whenever the ring is full, and none is lost. The present content of
    /// the ring goes first.
    ///
    /// # Errors
    /// `Io` if the file cannot be written; `InvalidArgument` if a file is open already.
    pub fn open(&mut self, path: &Path) -> Result<()> {
        if self.output.is_some() {
            return Err(Error::invalid("recorder: it writes to a file already"));
        }
        let mut output = Output::create(path)?;
        output.append(&[&self.head()])?;
        self.output = Some(output);
        self.flush()
    }

    /// The data before the frames of the ring: the model, and the surfaces that the frames show from the
    /// start.
    fn head(&self) -> Vec<u8> {
        let mut all = chunks(
            &self.model,
            self.options.rate,
            &self.channels,
            &self.visuals,
        );
        self.surfaces.left().for_each(|chunk| all.extend(chunk));
        all
    }

    /// Writes the content of the ring to the file of [`Recorder::open`]; without a file it does nothing.
    ///
    /// # Errors
    /// `Io`; unwritten frames then stay in the ring.
    pub fn flush(&mut self) -> Result<()> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        while let Some(run) = self.ring.runs().next() {
            let written = match run {
                Run::Frames(count, [a, b]) => {
                    let (head, count) = frames_head(count, [a, b]);
                    output.append(&[&head, &count, a, b])
                }
                Run::Chunk(chunk) => output.append(&[chunk]),
            };
            let count = run.count();
            written?;
            for _ in 0..count {
                self.surfaces.drop_first(&mut self.ring);
            }
        }
        Ok(())
    }

    /// The recording of the content of the ring, in the form of a file.
    pub fn bytes(&mut self) -> &[u8] {
        let mut all = self.head();
        for run in self.ring.runs() {
            match run {
                Run::Frames(count, [a, b]) => {
                    let (head, count) = frames_head(count, [a, b]);
                    for part in [&head[..], &count, a, b] {
                        all.extend(part);
                    }
                }
                Run::Chunk(chunk) => all.extend(chunk),
            }
        }
        self.memory = all;
        &self.memory
    }

    /// Writes the recording of the content of the ring to a separate file.
    ///
    /// # Errors
    /// `Io`.
    pub fn save(&mut self, path: &Path) -> Result<()> {
        let mut output = Output::create(path)?;
        output.append(&[self.bytes()])?;
        self.memory = Vec::new();
        Ok(())
    }
}

/// The head of a chunk of frames, and their number, with which its payload starts.
fn frames_head(count: usize, [a, b]: [&[u8]; 2]) -> ([u8; CHUNK_HEAD], [u8; 8]) {
    let count = (count as u64).to_le_bytes();
    (chunk_head(*b"FRMS", &[&count, a, b]), count)
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // A destructor cannot report an error.
        let _ = self.flush();
    }
}
