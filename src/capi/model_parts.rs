//! Parts of a model: bodies, joints, geoms, gravity.

use super::args::{self, Out};
use super::model::{ds_model, get};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::Model;
use crate::model::spec::{JointKind, ShapeSpec};

/// Motion of a joint. In brackets: the numbers of entries in q and v.
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
    /// Along a curve: a cubic B-spline of the control frames in cumulative form. The coordinate grows by 1
    /// from one frame to the next: q = i is near frame i. An open curve passes through its first frame at 0
    /// and its last at count - 1; beyond them it goes on as a uniform screw motion. (1, 1)
    DS_JOINT_SPLINE_CURVE = 10,
    /// On a patch of a surface: translations along x, y, z, then rotations about x, y, z, each a bicubic
    /// B-spline of two coordinates, from 0 to 1 within the patch. (2, 2)
    DS_JOINT_SPLINE_SURFACE = 11,
    /// Rotations about three axes, each carried along by those before it [rad]. Where all three are in one
    /// plane, a direction of rotation is lost: ds_step_info.near_singular. (3, 3)
    DS_JOINT_EULER = 12,
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
            JointKind::SplineCurve => ds_joint_kind::DS_JOINT_SPLINE_CURVE,
            JointKind::SplineSurface => ds_joint_kind::DS_JOINT_SPLINE_SURFACE,
            JointKind::Euler => ds_joint_kind::DS_JOINT_EULER,
        }
    }
}

/// Shape of a geom, along and about its own axes. In brackets: its sizes [m].
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

pub(super) fn kind(shape: &ShapeSpec) -> ds_geom_kind {
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

/// The kinds of parts that an id can name.
#[derive(Clone, Copy)]
enum Part {
    Body,
    Joint,
    Geom,
    Site,
}

impl Part {
    /// The index of `id`, checked against the number of parts of this kind.
    fn index(self, id: i32, m: &Model) -> Result<usize> {
        let (count, name) = match self {
            Part::Body => (m.nbody(), "body"),
            Part::Joint => (m.njoint(), "joint"),
            Part::Geom => (m.ngeom(), "geom"),
            Part::Site => (m.sites().len(), "site"),
        };
        args::index(id, count, name, name)
    }
}

/// A number of the part `id`; -1 on failure.
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

/// Numbers of the part `id`.
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
        // Limits may be infinite: copy without the check of computed results.
        args::copy(&x, out);
        Ok(())
    })
}

/// Parent of a body; the world is its own parent. -1 if the id is out of range.
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

/// Number of a body among the mocap bodies (MJCF's mocap="true"), from 0 in their order; -1 for other
/// bodies and if the id is out of range. A mocap body is on a free joint whose six dofs have a
/// prescribed velocity of 0 (ds_sim_prescribe) in every new sim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_mocap(model: *const ds_model, body: i32) -> i32 {
    about(model, body, Part::Body, |m, i| {
        let bodies = m.bodies();
        let before = bodies[..i].iter().filter(|b| b.mocap).count();
        args::id(bodies[i].mocap.then_some(before))
    })
}

/// Share of a body's own weight that a force at its centre of mass carries, as loaded. 0: no share;
/// 1: the body floats. 1 number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body_gravity_compensation(
    model: *const ds_model,
    body: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, body, Part::Body, out, |m, i| {
        [m.bodies()[i].gravity_compensation]
    })
}

/// Kind of a joint, a ds_joint_kind; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_type(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        ds_joint_kind::from(m.joint(i).kind) as i32
    })
}

/// The body that a joint moves; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_body(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(m.joint(i).body))
    })
}

/// First coordinate and dof of a joint, and their numbers.
fn joint_place(m: &Model, i: usize) -> [usize; 4] {
    let j = m.joint(i);
    match m.reduction() {
        None => [j.iq, j.iv, j.nq, j.nv],
        Some(reduction) => reduction.place(i, [j.nq, j.nv]),
    }
}

/// Index in q of a joint's first coordinate; -1 if the id is out of range. For a joint with reduced
/// coordinates (ds_builder_add_reduction) it is that of its reduction, as in the next three calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_q_index(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(joint_place(m, i)[0]))
    })
}

/// Index in v of a joint's first dof; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_v_index(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(joint_place(m, i)[1]))
    })
}

/// Number of a joint's coordinates in q; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_nq(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(joint_place(m, i)[2]))
    })
}

/// Number of a joint's dofs; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint_nv(model: *const ds_model, joint: i32) -> i32 {
    about(model, joint, Part::Joint, |m, i| {
        args::id(Some(joint_place(m, i)[3]))
    })
}

/// Lower and upper bound of a one-dof joint's coordinate [rad or m]; -inf and inf if it has none. For
/// a spherical joint: 0 and the largest angle [rad]. 2 numbers.
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

/// Largest |force| [N or N m] and |velocity| [m/s or rad/s] of a joint in the file; inf if the file
/// gives none. Steps enforce the force if ds_load_options.effort_limits is 1, and the velocity if
/// ds_options.velocity_limits is 1. 2 numbers.
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

/// The body of a geom; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_body(model: *const ds_model, geom: i32) -> i32 {
    about(model, geom, Part::Geom, |m, i| {
        args::id(Some(m.geoms()[i].body))
    })
}

/// Kind of a geom, a ds_geom_kind; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_type(model: *const ds_model, geom: i32) -> i32 {
    about(model, geom, Part::Geom, |m, i| {
        kind(&m.geoms()[i].shape) as i32
    })
}

/// Sizes of a geom [m] as its ds_geom_kind says; unused ones are zero. 3 numbers.
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

/// Coefficient of restitution of a geom as loaded. 1 number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom_restitution(
    model: *const ds_model,
    geom: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, geom, Part::Geom, out, |m, i| {
        [m.params().geom_restitution[i]]
    })
}

/// The body of a site; -1 if the id is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_site_body(model: *const ds_model, site: i32) -> i32 {
    about(model, site, Part::Site, |m, i| {
        args::id(Some(m.sites()[i].body))
    })
}

/// Placement of a site in its body's frame: a column-major 4×4 matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_site_placement(
    model: *const ds_model,
    site: i32,
    out: *mut f64,
) -> ds_status {
    numbers_about(model, site, Part::Site, out, |m, i| {
        m.sites()[i].placement.homogeneous()
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

/// Time step of the model [s], used if ds_options.time_step is 0. It is the time step of the file.
/// For an MJCF without one it is 0.002, MuJoCo's default; for a URDF and a built model it is 0.001.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_time_step(model: *const ds_model) -> f64 {
    wall::value(0.0, || Ok(get(model)?.model.time_step()))
}
