//! Queries of a model.

use super::args::{self, Out};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::spec::{JointKind, ShapeSpec};
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

/// A robot or scene: constant once made, and safe to use from many threads at once.
pub struct ds_model {
    pub(super) model: Arc<Model>,
    bodies: Vec<CString>,
    joints: Vec<CString>,
    geoms: Vec<CString>,
    actuators: Vec<CString>,
    keyframes: Vec<CString>,
    warnings: Vec<CString>,
}

impl ds_model {
    pub(super) fn new(model: Model) -> ds_model {
        ds_model {
            bodies: args::strings(model.bodies().iter().map(|b| &b.name)),
            joints: args::strings(model.joints().iter().map(|j| &j.name)),
            geoms: args::strings(model.geoms().iter().map(|g| &g.name)),
            actuators: args::strings(model.actuators().iter().map(|a| &a.name)),
            keyframes: args::strings(model.keyframes().iter().map(|k| &k.name)),
            warnings: args::strings(model.warnings().iter()),
            model: Arc::new(model),
        }
    }
}

/// How a joint moves. In brackets the entries of q and of v.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_joint_kind {
    /// No motion: a named weld. (0, 0)
    DS_JOINT_FIXED = 0,
    /// Rotation about the axis [rad]. (1, 1)
    DS_JOINT_REVOLUTE = 1,
    /// As revolute, without limits. (1, 1)
    DS_JOINT_CONTINUOUS = 2,
    /// Translation along the axis [m]. (1, 1)
    DS_JOINT_PRISMATIC = 3,
    /// Quaternion (x y z w); angular velocity in body axes. (4, 3)
    DS_JOINT_SPHERICAL = 4,
    /// Position and quaternion (x y z, qx qy qz qw); twist in body axes (linear; angular). (7, 6)
    DS_JOINT_FREE = 5,
    /// Translations along two directions perpendicular to the axis. (2, 2)
    DS_JOINT_PLANAR_TRANSLATION = 6,
    /// Translations along x, y, z. (3, 3)
    DS_JOINT_TRANSLATION = 7,
    /// Translations in the plane perpendicular to the axis, then the rotation about it. (3, 3)
    DS_JOINT_PLANAR = 8,
    /// Rotation about the axis, then about a second one that the first carries along. (2, 2)
    DS_JOINT_UNIVERSAL = 9,
}

impl From<JointKind> for ds_joint_kind {
    fn from(kind: JointKind) -> Self {
        match kind {
            JointKind::Fixed => ds_joint_kind::DS_JOINT_FIXED,
            JointKind::Revolute => ds_joint_kind::DS_JOINT_REVOLUTE,
            JointKind::Continuous => ds_joint_kind::DS_JOINT_CONTINUOUS,
            JointKind::Prismatic => ds_joint_kind::DS_JOINT_PRISMATIC,
            JointKind::Spherical => ds_joint_kind::DS_JOINT_SPHERICAL,
            JointKind::Free => ds_joint_kind::DS_JOINT_FREE,
            JointKind::PlanarTranslation => ds_joint_kind::DS_JOINT_PLANAR_TRANSLATION,
            JointKind::Translation => ds_joint_kind::DS_JOINT_TRANSLATION,
            JointKind::Planar => ds_joint_kind::DS_JOINT_PLANAR,
            JointKind::Universal => ds_joint_kind::DS_JOINT_UNIVERSAL,
        }
    }
}

/// Shape of a geom, about and along its own axes. In brackets its sizes [m].
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_geom_kind {
    /// The half space z <= 0 (half extents of the drawing along x and y; 0: unbounded).
    DS_GEOM_PLANE = 0,
    /// (radius)
    DS_GEOM_SPHERE = 1,
    /// Along z (radius, half length of the cylindrical part).
    DS_GEOM_CAPSULE = 2,
    /// Along z (radius, half length).
    DS_GEOM_CYLINDER = 3,
    /// (semi-axes along x, y, z)
    DS_GEOM_ELLIPSOID = 4,
    /// (half extents along x, y, z)
    DS_GEOM_BOX = 5,
    /// Triangles; no sizes.
    DS_GEOM_MESH = 6,
    /// (half extents along x and y, thickness below height 0)
    DS_GEOM_HEIGHT_FIELD = 7,
}

fn kind(shape: &ShapeSpec) -> ds_geom_kind {
    use ds_geom_kind as k;
    match shape {
        ShapeSpec::Plane { .. } => k::DS_GEOM_PLANE,
        ShapeSpec::Sphere { .. } => k::DS_GEOM_SPHERE,
        ShapeSpec::Capsule { .. } => k::DS_GEOM_CAPSULE,
        ShapeSpec::Cylinder { .. } => k::DS_GEOM_CYLINDER,
        ShapeSpec::Ellipsoid { .. } => k::DS_GEOM_ELLIPSOID,
        ShapeSpec::Box { .. } => k::DS_GEOM_BOX,
        ShapeSpec::Mesh { .. } => k::DS_GEOM_MESH,
        ShapeSpec::HeightField(_) => k::DS_GEOM_HEIGHT_FIELD,
    }
}

pub(super) unsafe fn get<'a>(model: *const ds_model) -> Result<&'a ds_model> {
    args::reference(model, "model")
}

unsafe fn count(model: *const ds_model, of: impl FnOnce(&Model) -> usize) -> usize {
    wall::value(0, || Ok(of(&get(model)?.model)))
}

unsafe fn find(
    model: *const ds_model,
    name: *const c_char,
    what: &str,
    of: impl FnOnce(&Model, &str) -> Option<usize>,
) -> i32 {
    wall::value(-1, || {
        let m = get(model)?;
        let name = args::text(name, "name")?;
        match of(&m.model, name) {
            Some(i) => Ok(args::id(Some(i))),
            None => Err(Error::invalid(format!(
                "name: no {what} is called \"{name}\""
            ))),
        }
    })
}

unsafe fn named(
    model: *const ds_model,
    id: i32,
    what: &str,
    of: impl FnOnce(&ds_model) -> &Vec<CString>,
) -> *const c_char {
    wall::value(ptr::null(), || {
        let list = of(get(model)?);
        Ok(list[args::index(id, list.len(), what, what)?].as_ptr())
    })
}

/// What an id can stand for.
#[derive(Clone, Copy)]
enum Part {
    Body,
    Joint,
    Geom,
}

impl Part {
    /// The index that `id` is.
    fn index(self, id: i32, m: &Model) -> Result<usize> {
        let (count, name) = match self {
            Part::Body => (m.nbody(), "body"),
            Part::Joint => (m.njoint(), "joint"),
            Part::Geom => (m.ngeom(), "geom"),
        };
        args::index(id, count, name, name)
    }
}

/// A number about the body, joint or geom `id`; -1 on failure.
unsafe fn about(
    model: *const ds_model,
    id: i32,
    part: Part,
    of: impl FnOnce(&Model, usize) -> i32,
) -> i32 {
    wall::value(-1, || {
        let m = &get(model)?.model;
        Ok(of(m, part.index(id, m)?))
    })
}

/// Numbers about the body, joint or geom `id`.
unsafe fn numbers_about<const N: usize>(
    model: *const ds_model,
    id: i32,
    part: Part,
    out: *mut f64,
    of: impl FnOnce(&Model, usize) -> [f64; N],
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let x = of(m, part.index(id, m)?);
        let out = Out::new(out, N, "out")?;
        // Limits may be infinite: copied without the check of a computed result.
        args::copy(&x, out);
        Ok(())
    })
}

/// Releases a model. Sims and rollouts made from it live on. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_free(model: *mut ds_model) {
    args::take(model)
}

/// Length of configurations q. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nq(model: *const ds_model) -> usize {
    count(model, Model::nq)
}

/// Length of velocities v and of tangent vectors: the number of dofs. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nv(model: *const ds_model) -> usize {
    count(model, Model::nv)
}

/// Number of inputs u. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nu(model: *const ds_model) -> usize {
    count(model, Model::nu)
}

/// Number of bodies, the world (body 0) included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nbody(model: *const ds_model) -> usize {
    count(model, Model::nbody)
}

/// Number of joints, fixed ones included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_njoint(model: *const ds_model) -> usize {
    count(model, Model::njoint)
}

/// Number of geoms. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_ngeom(model: *const ds_model) -> usize {
    count(model, Model::ngeom)
}

/// Number of keyframes. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_nkeyframe(model: *const ds_model) -> usize {
    count(model, |m| m.keyframes().len())
}

/// Id of the body of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "body", Model::body_id)
}

/// Id of the joint of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "joint", Model::joint_id)
}

/// Id of the geom of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "geom", Model::geom_id)
}

/// Index in u of the actuator of this name; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_actuator_id(model: *const ds_model, name: *const c_char) -> i32 {
    find(model, name, "actuator", |m, name| {
        m.actuators().iter().position(|a| a.name == name)
    })
}

/// Name of a body, "" if it has none; NULL for an id that is none. Lives as long as the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_name(model: *const ds_model, body: i32) -> *const c_char {
    named(model, body, "body", |m| &m.bodies)
}

/// Name of a joint, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_name(model: *const ds_model, joint: i32) -> *const c_char {
    named(model, joint, "joint", |m| &m.joints)
}

/// Name of a geom, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_name(model: *const ds_model, geom: i32) -> *const c_char {
    named(model, geom, "geom", |m| &m.geoms)
}

/// Name of the actuator of an input, as ds_model_body_name. With DS_ACTUATION_FULL it is the name
/// of the joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_actuator_name(
    model: *const ds_model,
    actuator: i32,
) -> *const c_char {
    named(model, actuator, "actuator", |m| &m.actuators)
}

/// Name of a keyframe, as ds_model_body_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_keyframe_name(
    model: *const ds_model,
    keyframe: i32,
) -> *const c_char {
    named(model, keyframe, "keyframe", |m| &m.keyframes)
}

/// Number of things that the loader read but does not use. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_warning_count(model: *const ds_model) -> usize {
    count(model, |m| m.warnings().len())
}

/// What the loader read but does not use, in one line; NULL for an index out of range. Lives as
/// long as the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_warning(model: *const ds_model, index: usize) -> *const c_char {
    let index = i32::try_from(index).unwrap_or(-1);
    named(model, index, "warning", |m| &m.warnings)
}

/// Parent of a body; the world is its own. -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_parent(model: *const ds_model, body: i32) -> i32 {
    about(model, body, Part::Body, |m, i| {
        args::id(Some(m.bodies()[i].parent))
    })
}

/// Placement of a body in its parent's frame while every joint is at its reference: a column-major
/// 4×4 matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_placement(
    model: *const ds_model,
    body: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, body, Part::Body, out, |m, i| {
        m.bodies()[i].placement.homogeneous()
    })
}

/// Inertia of a body as loaded, about its origin and along its axes, 10 numbers:
/// m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_inertia(
    model: *const ds_model,
    body: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, body, Part::Body, out, |m, i| {
        m.params().body_inertia[i].to_params()
    })
}

/// A ds_joint_kind; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_type(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        ds_joint_kind::from(m.joint(i).kind) as i32
    })
}

/// The body that a joint moves; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_body(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).body))
    })
}

/// Index in q of a joint's first coordinate; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_q_index(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).iq))
    })
}

/// Index in v of a joint's first dof; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_v_index(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).iv))
    })
}

/// Number of a joint's coordinates in q; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_nq(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).nq))
    })
}

/// Number of a joint's dofs; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_nv(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).nv))
    })
}

/// Lower and upper bound of a one-dof joint's coordinate [rad or m], -inf and inf where it has
/// none; of a spherical joint 0 and the largest angle [rad]. 2 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_limits(
    model: *const ds_model,
    joint: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, joint, Part::Joint, out, |m, i| {
        let (lo, hi) = m
            .joint(i)
            .limits
            .unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        [lo, hi]
    })
}

/// Largest |force| [N or N m] and |velocity| [m/s or rad/s] that the file gives a joint, inf where
/// it gives none. Informative: no step enforces them. 2 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_effort_velocity(
    model: *const ds_model,
    joint: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, joint, Part::Joint, out, |m, i| {
        [m.joint(i).effort_limit, m.joint(i).velocity_limit]
    })
}

/// The body of a geom; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_body(model: *const ds_model, geom: i32) -> i32 {
    about(model, geom, Part::Geom, |m, i| {
        args::id(Some(m.geoms()[i].body))
    })
}

/// A ds_geom_kind; -1 for an id that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_type(model: *const ds_model, geom: i32) -> i32 {
    about(model, geom, Part::Geom, |m, i| {
        kind(&m.geoms()[i].shape) as i32
    })
}

/// Sizes of a geom [m] as its ds_geom_kind says, the unused ones zero. 3 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_size(
    model: *const ds_model,
    geom: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, geom, Part::Geom, out, |m, i| {
        m.geoms()[i].shape.sizes()
    })
}

/// Placement of a geom in its body's frame: a column-major 4×4 matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_placement(
    model: *const ds_model,
    geom: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, geom, Part::Geom, out, |m, i| {
        m.geoms()[i].placement.homogeneous()
    })
}

/// Friction coefficients of a geom as loaded: sliding, torsional [m], rolling [m]. 3 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_friction(
    model: *const ds_model,
    geom: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, geom, Part::Geom, out, |m, i| {
        m.params().geom_friction[i]
    })
}

/// Gravity as loaded, world axes [m/s²]. 3 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_gravity(model: *const ds_model, out: *mut f64) -> ds_status {
    wall::status(|| {
        let g = get(model)?.model.params().gravity.to_array();
        args::publish([(&g, Out::new(out, 3, "out")?)])
    })
}

/// Time step that the file asks for [s]; 0 where it asks for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_time_step(model: *const ds_model) -> f64 {
    wall::value(0.0, || Ok(get(model)?.model.time_step().unwrap_or(0.0)))
}
