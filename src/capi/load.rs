//! Models from files and strings.

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

/// How the robot is attached to the world.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_base {
    /// As the file says.
    DS_BASE_FROM_FILE = 0,
    /// Free joints between bodies and the world are removed. The bodies stay at their placements in
    /// the file.
    DS_BASE_FIXED = 1,
    /// The one body with mass that is welded to the world gets a free joint named "root_joint".
    /// Nothing changes if all bodies are free already.
    DS_BASE_FREE = 2,
}

/// The meaning of the inputs u.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_actuation {
    /// Inputs of the actuators of the file. A URDF has the actuators of its transmissions if
    /// ds_load_options.transmissions is 1, otherwise none: nu = 0.
    DS_ACTUATION_FROM_FILE = 0,
    /// One input for each dof: nu = nv, and u is the generalized force.
    DS_ACTUATION_FULL = 1,
    /// One input for each dof, except on free joints and on joints of several dofs (planar,
    /// spherical) that connect a body to the world. One-dof joints on the world do have inputs: an
    /// arm's first joint, and also a base made of slides and hinges.
    DS_ACTUATION_JOINTS = 2,
}

/// How to treat a joint that follows another joint.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_mimic {
    /// Refuse the file.
    DS_MIMIC_ERROR = 0,
    /// Let it move independently, with a warning.
    DS_MIMIC_INDEPENDENT = 1,
    /// Couple it to its leader by an equality constraint of the same name: q = multiplier *
    /// q_leader + offset. DS_CONTACT_PENALTY refuses equality constraints.
    DS_MIMIC_COUPLE = 2,
    /// Give both one coordinate, that of the leader: nq and nv do not count the follower, and no
    /// constraint is needed. Also for equalities of two joints of MJCF with coefficients up to degree
    /// 1 (see ds_builder_add_reduction).
    DS_MIMIC_REDUCE = 3,
}

/// How to treat a URDF collision geometry whose mesh file is not found.
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

/// How to treat an open mesh, which bounds no solid. A mesh is open if its holes make up more than a
/// thousandth of its surface; with DS_MESH_DECOMPOSED, if any edge belongs to one triangle only.
/// Geoms that the filters exclude from all contact are not checked.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_open_mesh {
    /// Refuse it.
    DS_OPEN_MESH_ERROR = 0,
    /// Let it collide as its convex hull, with a warning.
    DS_OPEN_MESH_HULL = 1,
}

/// Changes that a load makes to the description in the file. Fill with ds_load_options_init, then
/// change fields. Pass NULL for the defaults. Strings and arrays are copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_load_options {
    /// Size of this struct in bytes; set by ds_load_options_init.
    pub struct_size: usize,
    /// A ds_base. Default DS_BASE_FROM_FILE.
    pub base: i32,
    /// A ds_actuation. Default DS_ACTUATION_FROM_FILE.
    pub actuation: i32,
    /// 1: adds the plane z = 0 of the world as a geom named "ground". Default 0.
    pub ground_plane: i32,
    /// A ds_mimic. Default DS_MIMIC_COUPLE.
    pub mimic: i32,
    /// A ds_missing_mesh. Default DS_MISSING_MESH_ERROR.
    pub missing_mesh: i32,
    /// A ds_mesh_mode. Default DS_MESH_HULL.
    pub mesh_mode: i32,
    /// Friction coefficient of all contacts with the added ground plane, independent of the other
    /// geom. Default 1.
    pub ground_friction: f64,
    /// Directories in which to look for meshes, besides the file's own directory and the directories
    /// above it. For package://pkg/path, each directory's pkg/path and path are tried. The library
    /// reads no environment variables; the command line and the Python and Julia bindings add the
    /// directories of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. mesh_dir_count strings. Default NULL.
    pub mesh_dirs: *const *const c_char,
    /// Number of mesh_dirs. Default 0.
    pub mesh_dir_count: usize,
    /// 0: the bodies of one robot (the subtree of one child of the world) never touch each other.
    /// Default 1: as the file says.
    pub self_collision: i32,
    /// 1: geoms of one robot that overlap at the neutral configuration never touch, as for
    /// ds_model_exclude_overlapping. Default 0.
    pub exclude_overlapping: i32,
    /// A ds_open_mesh. Default DS_OPEN_MESH_HULL.
    pub open_mesh: i32,
    /// Geoms of one robot that overlap in more than three quarters of 24 configurations spread over
    /// the joint limits: typically housings, and parts inside the hull of a hollow part. Default 0:
    /// they never touch; a warning counts them and names three. 1: they may touch. Pairs that the
    /// file names may touch in any case.
    pub keep_inseparable: i32,
    /// 1: clamps the force of each actuator on a joint, and of each input of DS_ACTUATION_JOINTS and
    /// DS_ACTUATION_FULL, to ± the effort of ds_model_joint_effort_velocity, on each dof. An effort
    /// of 0 allows no force; a warning reports it. Beyond the clamp the derivative by the input is 0;
    /// at the clamp it is one-sided. Default 0: steps do not enforce efforts.
    pub effort_limits: i32,
    /// 1: each `<transmission>` of a URDF with one joint and one actuator becomes an actuator of the
    /// same name. u is the motor's torque; the gear is the mechanicalReduction (1 if missing); their
    /// product is the joint's torque. Other transmissions are left out with a warning. Only with
    /// DS_ACTUATION_FROM_FILE. Default 0: all are left out, with a warning.
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
            mimic: ds_mimic::DS_MIMIC_COUPLE as i32,
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
            DS_MIMIC_REDUCE => Mimic::Reduce,
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

/// Loads a robot or scene from a file: .urdf, or .xml and .mjcf for MJCF. The path is in the system's
/// encoding and relative to the working directory. Release *out with ds_model_free.
///
/// Errors: DS_ERR_IO, DS_ERR_PARSE, DS_ERR_UNSUPPORTED; DS_ERR_INVALID_ARGUMENT for a description of
/// an impossible model (a negative mass, a joint that moves nothing). The message gives the file, the
/// line, the element and its name. A mesh that is open or flat or has numbers that are not finite is
/// DS_ERR_PARSE; a mesh of more than 2,000,000 triangles is DS_ERR_UNSUPPORTED.
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

/// Loads a model from a string of `length` bytes of UTF-8, without a terminating NUL. `format` is a
/// ds_format. Meshes with relative paths are searched in mesh_dirs. Files that an MJCF names are
/// searched in the working directory first. Otherwise as ds_model_load.
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
