//! The convex law, the boxed law and hydroelastic patches.

#[path = "../common/mod.rs"]
mod common;
mod convex;
mod convex_options;
mod hydroelastic;
mod hydroelastic_faces;
mod lcp;
mod lcp_closed_forms;
mod lcp_enumeration;
mod lcp_scenes;
mod own_law;
