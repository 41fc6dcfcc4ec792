//! From the ring to a file or to memory.

use super::model::chunks;
use super::recorder::Recorder;
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

    fn head(&self) -> Vec<u8> {
        chunks(
            &self.model,
            self.options.rate,
            &self.channels,
            &self.visuals,
        )
    }

    /// Writes what the ring holds to the file of [`Recorder::open`]; without one nothing happens.
    ///
    /// # Errors
    /// `Io`; the frames stay in the ring then.
    pub fn flush(&mut self) -> Result<()> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        if self.ring.count() > 0 {
            let count = (self.ring.count() as u64).to_le_bytes();
            let [a, b] = self.ring.parts();
            let head = chunk_head(*b"FRMS", &[&count, a, b]);
            output.append(&[&head, &count, a, b])?;
            self.ring.clear();
        }
        Ok(())
    }

    /// The recording of what the ring holds, as a file has it.
    pub fn bytes(&mut self) -> &[u8] {
        let mut all = self.head();
        if self.ring.count() > 0 {
            let count = (self.ring.count() as u64).to_le_bytes();
            let [a, b] = self.ring.parts();
            all.extend(chunk_head(*b"FRMS", &[&count, a, b]));
            all.extend(count);
            all.extend(a);
            all.extend(b);
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

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.flush();
    }
}
