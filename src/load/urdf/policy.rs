//! The caller's decisions about things that a URDF leaves open.

use std::path::PathBuf;

/// Treatment of a joint that follows another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mimic {
    /// Refuse the file.
    Error,
    /// Let it move independently, with a warning.
    Independent,
    /// Couple it to its leader by an equality with its own name: q = multiplier·q_leader + offset.
    #[default]
    Couple,
    /// Give it and its leader one coordinate, that of the leader.
    Reduce,
}

/// Treatment of a collision geometry whose mesh file is not found, or is of an unsupported format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingMesh {
    /// Refuse the file.
    #[default]
    Error,
    /// Leave the geometry out, with a warning; the dynamics without contact do not need it.
    Skip,
}

#[derive(Clone, Debug, Default)]
pub struct UrdfOptions {
    /// Directories of meshes. For `package://pkg/path`: each directory's `pkg/path` and `path`, then
    /// `pkg/path` in the file's own directory and those above it. For relative paths: the file's directory
    /// first, then these.
    pub mesh_dirs: Vec<PathBuf>,
    pub mimic: Mimic,
    pub missing_mesh: MissingMesh,
    /// True if transmissions of one joint and one actuator become actuators; otherwise all are left out, with
    /// a warning.
    pub transmissions: bool,
}
