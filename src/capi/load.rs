//! Models from files and texts.

use super::args::{self, Growing};
use super::model::ds_model;
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::load::options::{Base, Format, LoadOptions, load_file, load_str};
use crate::load::urdf::{Mimic, MissingMesh};
use crate::model::Actuation;
use crate::model::spec::{MeshMode, OpenMesh};
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// Format of a description.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_format {
    DS_FORMAT_URDF = 0,
    DS_FORMAT_MJCF = 1,
}

/// How the robot hangs on the world.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_base {
    /// As the file says.
    DS_BASE_FROM_FILE = 0,
    /// Free joints of bodies on the world are removed; they stay at their placements in the file.
    DS_BASE_FIXED = 1,
    /// The one body with mass that is welded to the world gets a free joint named "root_joint".
    /// Nothing changes where all of them are free already.
    DS_BASE_FREE = 2,
}

/// How the inputs u act.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_actuation {
    /// By the actuators of the file. A URDF has those of its transmissions where they are asked for,
    /// else none: nu = 0.
    DS_ACTUATION_FROM_FILE = 0,
    /// One input for each dof: nu = nv and the generalized force is u.
    DS_ACTUATION_FULL = 1,
    /// As DS_ACTUATION_FULL, but with no input on what lets a robot float: free joints, and joints of several
    /// dofs (planar, spherical) of bodies on the world. Those of one dof there have theirs, an arm's first as
    /// a base's that is made of slides and hinges.
    DS_ACTUATION_JOINTS = 2,
}

/// What to do with a URDF joint that follows another one.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_mimic {
    /// Refuse the file.
    DS_MIMIC_ERROR = 0,
    /// Let it move on its own, with a warning.
    DS_MIMIC_INDEPENDENT = 1,
    /// Hold it to its leader by an equality constraint under its own name:
    /// q = multiplier * q_leader + offset.
    DS_MIMIC_COUPLE = 2,
}

/// What to do with a URDF collision geometry whose mesh file is not found.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_missing_mesh {
    /// Refuse the file.
    DS_MISSING_MESH_ERROR = 0,
    /// Leave the geometry out, with a warning.
    DS_MISSING_MESH_SKIP = 1,
}

/// How meshes collide.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_mesh_mode {
    /// As their convex hulls.
    DS_MESH_HULL = 0,
    /// As unions of convex pieces found at load.
    DS_MESH_DECOMPOSED = 1,
}

/// What to do with a mesh that is open and so bounds no solid: its holes make up more than a
/// thousandth of its surface, or, with DS_MESH_DECOMPOSED, any edge has no triangle on its other side.
/// Geoms that the filters keep from touching anything are not looked at.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_open_mesh {
    /// Refuse it.
    DS_OPEN_MESH_ERROR = 0,
    /// Let it collide as its convex hull, with a warning.
    DS_OPEN_MESH_HULL = 1,
}

/// What a load may change about what the file says. Fill with ds_load_options_init, then change
/// fields. NULL in its place means the defaults. Strings and arrays are copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_load_options {
    /// Size of this struct in bytes; set by ds_load_options_init.
    pub struct_size: usize,
    /// A ds_base. Default DS_BASE_FROM_FILE.
    pub base: i32,
    /// A ds_actuation. Default DS_ACTUATION_FROM_FILE.
    pub actuation: i32,
    /// 1 adds the plane z = 0 of the world as a geom named "ground". Default 0.
    pub ground_plane: i32,
    /// A ds_mimic. Default DS_MIMIC_ERROR.
    pub mimic: i32,
    /// A ds_missing_mesh. Default DS_MISSING_MESH_ERROR.
    pub missing_mesh: i32,
    /// A ds_mesh_mode. Default DS_MESH_HULL.
    pub mesh_mode: i32,
    /// Friction coefficient of every contact with the added ground plane, whatever the other
    /// geom's. Default 1.
    pub ground_friction: f64,
    /// Directories in which meshes are looked for besides the file's own and those above it: for
    /// package://pkg/path each directory's pkg/path and path. The library reads no environment variable: the
    /// command line and the bindings of Python and Julia add those of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
    /// mesh_dir_count strings. Default NULL.
    pub mesh_dirs: *const *const c_char,
    /// Number of mesh_dirs. Default 0.
    pub mesh_dir_count: usize,
    /// 0: the bodies of one robot (what hangs on one child of the world) never touch each other.
    /// Default 1: as the file says.
    pub self_collision: i32,
    /// 1: geoms of one robot that overlap at the neutral configuration never touch, as
    /// ds_model_exclude_overlapping says. Default 0.
    pub exclude_overlapping: i32,
    /// A ds_open_mesh. Default DS_OPEN_MESH_HULL.
    pub open_mesh: i32,
    /// 1: geoms of one robot may touch although they overlap in more than three quarters of 24 configurations spread
    /// over the joints' limits. Default 0: they never do, and a warning counts them and names three: housings, parts
    /// within the hull of a hollow one. Pairs that the file names touch in any case.
    pub keep_inseparable: i32,
    /// 1: the force of each actuator on a joint, or of each input of DS_ACTUATION_JOINTS and DS_ACTUATION_FULL, is clamped
    /// to ± the effort that ds_model_joint_effort_velocity gives, on each dof; an effort of 0 leaves no force, and a warning says
    /// so. Beyond the clamp the derivative by the input is 0, at it one-sided. Default 0: no step enforces efforts.
    pub effort_limits: i32,
    /// 1: each `<transmission>` of a URDF with one joint and one actuator becomes an actuator of that name: u is the motor's
    /// torque, its gear the mechanicalReduction (1 where none is given), so that the joint's torque is their product. Others
    /// are left out with a warning. Only with DS_ACTUATION_FROM_FILE. Default 0: all are left out, with a warning.
    pub transmissions: i32,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_load_options {
    const NAME: &'static str = "ds_load_options";
    const FIRST: usize = offset_of!(ds_load_options, self_collision);

    fn defaults() -> Self {
        ds_load_options {
            struct_size: size_of::<ds_load_options>(),
            base: ds_base::DS_BASE_FROM_FILE as i32,
            actuation: ds_actuation::DS_ACTUATION_FROM_FILE as i32,
            ground_plane: 0,
            mimic: ds_mimic::DS_MIMIC_ERROR as i32,
            missing_mesh: ds_missing_mesh::DS_MISSING_MESH_ERROR as i32,
            mesh_mode: ds_mesh_mode::DS_MESH_HULL as i32,
            ground_friction: 1.0,
            mesh_dirs: ptr::null(),
            mesh_dir_count: 0,
            self_collision: 1,
            exclude_overlapping: 0,
            open_mesh: ds_open_mesh::DS_OPEN_MESH_HULL as i32,
            keep_inseparable: 0,
            effort_limits: 0,
            transmissions: 0,
        }
    }
}

pub(super) fn actuation(value: i32) -> Result<Actuation> {
    choice!(value, "actuation", ds_actuation {
        DS_ACTUATION_FROM_FILE => Actuation::FromFile,
        DS_ACTUATION_FULL => Actuation::Full,
        DS_ACTUATION_JOINTS => Actuation::Joints,
    })
}

pub(super) fn mesh_mode(value: i32) -> Result<MeshMode> {
    choice!(value, "mesh_mode", ds_mesh_mode {
        DS_MESH_HULL => MeshMode::Hull,
        DS_MESH_DECOMPOSED => MeshMode::Decomposed,
    })
}

pub(super) fn open_mesh(value: i32) -> Result<OpenMesh> {
    choice!(value, "open_mesh", ds_open_mesh {
        DS_OPEN_MESH_ERROR => OpenMesh::Error,
        DS_OPEN_MESH_HULL => OpenMesh::Hull,
    })
}

pub(super) unsafe fn load_options(p: *const ds_load_options) -> Result<LoadOptions> {
    let o = args::grown(p, "options")?;

    let mut mesh_dirs = Vec::new();
    for &dir in args::array(o.mesh_dirs, o.mesh_dir_count, "mesh_dirs")? {
        mesh_dirs.push(args::path(dir, "mesh_dirs")?.to_owned());
    }
    Ok(LoadOptions {
        base: choice!(o.base, "base", ds_base {
            DS_BASE_FROM_FILE => Base::FromFile,
            DS_BASE_FIXED => Base::Fixed,
            DS_BASE_FREE => Base::Free,
        })?,
        actuation: actuation(o.actuation)?,
        ground_friction: args::flag(o.ground_plane, "ground_plane")?.then_some(o.ground_friction),
        mesh_dirs,
        mimic: choice!(o.mimic, "mimic", ds_mimic {
            DS_MIMIC_ERROR => Mimic::Error,
            DS_MIMIC_INDEPENDENT => Mimic::Independent,
            DS_MIMIC_COUPLE => Mimic::Couple,
        })?,
        missing_mesh: choice!(o.missing_mesh, "missing_mesh", ds_missing_mesh {
            DS_MISSING_MESH_ERROR => MissingMesh::Error,
            DS_MISSING_MESH_SKIP => MissingMesh::Skip,
        })?,
        mesh_mode: mesh_mode(o.mesh_mode)?,
        open_mesh: open_mesh(o.open_mesh)?,
        self_collision: args::flag(o.self_collision, "self_collision")?,
        exclude_overlapping: args::flag(o.exclude_overlapping, "exclude_overlapping")?,
        keep_inseparable: args::flag(o.keep_inseparable, "keep_inseparable")?,
        effort_limits: args::flag(o.effort_limits, "effort_limits")?,
        transmissions: args::flag(o.transmissions, "transmissions")?,
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_load_options_init(options: *mut ds_load_options) {
    args::init(options)
}

/// Loads a robot or scene from a file: .urdf, or .xml and .mjcf for MJCF. The path is in the
/// system's encoding, relative to the working directory. Release *out with ds_model_free.
///
/// Errors: DS_ERR_IO, DS_ERR_PARSE, DS_ERR_UNSUPPORTED, and DS_ERR_INVALID_ARGUMENT for a
/// description that is no model (a mass below zero, a joint that moves nothing); the message has
/// the file, the line, the element and its name. A mesh that is open or flat, or has numbers that are
/// not finite, is DS_ERR_PARSE, one of more than 2,000,000 triangles DS_ERR_UNSUPPORTED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_load(
    path: *const c_char,
    options: *const ds_load_options,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let path = args::path(path, "path")?;
        let options = load_options(options)?;
        args::give(out, || Ok(ds_model::new(load_file(path, &options)?)))
    })
}

/// Loads from a text of `length` bytes of UTF-8; no terminating NUL is needed. `format` is a
/// ds_format. Meshes named by relative paths are looked for in mesh_dirs; what an MJCF names, first in
/// the working directory. Otherwise as ds_model_load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_load_string(
    text: *const c_char,
    length: usize,
    format: i32,
    options: *const ds_load_options,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let bytes = args::array(text.cast::<u8>(), length, "text")?;
        let text = args::utf8(bytes, "text")?;
        let format = choice!(format, "format", ds_format {
            DS_FORMAT_URDF => Format::Urdf,
            DS_FORMAT_MJCF => Format::Mjcf,
        })?;
        let options = load_options(options)?;
        args::give(out, || {
            Ok(ds_model::new(load_str(text, format, None, &options)?))
        })
    })
}
