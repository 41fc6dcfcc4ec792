//! Models: files, edits, saved copies, settings.

#[path = "../common/mod.rs"]
mod common;
mod edit;
mod home;
mod robust_files;
mod save;
mod settings;
