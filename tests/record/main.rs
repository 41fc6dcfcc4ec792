//! Recordings.

mod record;
mod record_surfaces;
