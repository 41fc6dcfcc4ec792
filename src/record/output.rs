//! From the ring to a file or to memory.

use super::CHUNK_HEAD;
use super::model::chunks;
use super::recorder::Recorder;
use super::ring::Run;
use super::write::{Output, chunk_head};
use crate::error::{Error, Result};
use std::path::Path;

impl Recorder {
    /// From now on frames go to a file whenever the ring is full, and none is lost; what the ring holds goes first.
    ///
    /// # Errors
    /// `Io` where it cannot be written; `InvalidArgument` where there is one already.
    pub fn open(&mut self, path: &Path) -> Result<()> {
        if self.output.is_some() {
            return Err(Error::invalid("recorder: it writes to a file already"));
        }
        let mut output = Output::create(path)?;
        output.append(&[&self.head()])?;
        self.output = Some(output);
        self.flush()
    }

    /// What stands before the frames of the ring: the model, and the surfaces that they show from the start.
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

    /// Writes what the ring holds to the file of [`Recorder::open`]; without one nothing happens.
    ///
    /// # Errors
    /// `Io`; what could not be written stays in the ring then.
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

    /// The recording of what the ring holds, as a file has it.
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

    /// Writes the recording of what the ring holds to a file of its own.
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
        // Nobody is left to be told.
        let _ = self.flush();
    }
}
