//! Builder: models made in code.

use super::args;
use super::builder_desc::{ds_geom_desc, ds_hydroelastic, ds_joint_desc};
use super::load;
use super::model::ds_model;
use super::model_parts::{ds_geom_kind, ds_joint_kind};
use super::status::ds_status;
use super::wall;
use crate::collision::scene::with_geometry;
use crate::error::{Error, Result};
use crate::model::builder::ModelBuilder;
use crate::model::mesh::TriMesh;
use crate::model::sensor::Zone;
use crate::model::spec::{
    GeomSpec, HeightField, Hydroelastic, HydroelasticKind, JointKind, JointSpec, ShapeSpec,
    SiteSpec,
};
use crate::spatial::{INERTIA_PARAMS, Inertia, Mat3, Pose, Sym3, Vec3};
use std::ffi::c_char;
use std::sync::Arc;

/// Collects the description of a model. Body 0, the world, exists from the start. The builder's ids
/// are its own: the built model numbers bodies depth first, so look ids up by name.
pub struct ds_builder(ModelBuilder);

impl ds_builder {
    pub(super) fn new(builder: ModelBuilder) -> ds_builder {
        ds_builder(builder)
    }
}

/// A range, or `None` if both ends are infinite. NaN is kept, to be refused later.
pub(super) fn range(lower: f64, upper: f64) -> Option<(f64, f64)> {
    (lower != f64::NEG_INFINITY || upper != f64::INFINITY).then_some((lower, upper))
}

pub(super) fn vec3(x: [f64; 3]) -> Vec3 {
    Vec3::new(x[0], x[1], x[2])
}

pub(super) fn pose(m: &[f64], name: &str) -> Result<Pose> {
    let column = |k: usize| Vec3::from_slice(&m[4 * k..]);
    if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
        return Err(Error::invalid(format!(
            "{name}: the last row must be 0 0 0 1, got {} {} {} {}; matrices are column-major",
            m[3], m[7], m[11], m[15]
        )));
    }
    Ok(Pose::new(
        Mat3::from_columns(column(0), column(1), column(2)),
        column(3),
    ))
}

pub(super) unsafe fn name<'a>(p: *const c_char) -> Result<&'a str> {
    if p.is_null() {
        return Ok("");
    }
    args::text(p, "name")
}

pub(super) unsafe fn get<'a>(builder: *mut ds_builder) -> Result<&'a mut ModelBuilder> {
    Ok(&mut args::exclusive(builder, "builder")?.0)
}

pub(super) unsafe fn look<'a>(builder: *const ds_builder) -> Result<&'a ModelBuilder> {
    Ok(&args::reference(builder, "builder")?.0)
}

/// A placement; the identity for NULL.
pub(super) unsafe fn placement(p: *const f64) -> Result<Pose> {
    match args::optional_array(p, 16, "placement")? {
        [] => Ok(Pose::IDENTITY),
        m => pose(m, "placement"),
    }
}

/// Converts a body id for the builder.
pub(super) fn body(id: i32, name: &str) -> Result<usize> {
    usize::try_from(id)
        .map_err(|_| Error::invalid(format!("{name}: must be the id of a body, got {id}")))
}

/// Makes an empty world with gravity (0, 0, -9.81). Release *out with ds_builder_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_create(out: *mut *mut ds_builder) -> ds_status {
    wall::status(|| args::give(out, || Ok(ds_builder(ModelBuilder::new("")))))
}

/// Releases a builder. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_free(builder: *mut ds_builder) {
    args::take(builder)
}

/// Sets gravity, 3 numbers, world axes [m/s²].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_gravity(
    builder: *mut ds_builder,
    gravity: *const f64,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        b.set_gravity(Vec3::from_slice(args::array(gravity, 3, "gravity")?))
    })
}

/// Sets the meaning of the inputs, a ds_actuation. DS_ACTUATION_FROM_FILE (the default) means the
/// added actuators.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_actuation(
    builder: *mut ds_builder,
    actuation: i32,
) -> ds_status {
    wall::status(|| {
        get(builder)?.set_actuation(load::actuation(actuation)?);
        Ok(())
    })
}

/// Adds a body, welded to its parent until it gets joints.
///
/// name: unique among bodies; NULL for none. placement: pose of its frame in the parent's frame while
/// every joint is at its reference, a column-major 4×4 matrix; NULL for the identity. inertia: 10
/// numbers m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the body's origin (see
/// ds_inertia_from_com); NULL for none. out: its id; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_body(
    builder: *mut ds_builder,
    parent: i32,
    name: *const c_char,
    placement: *const f64,
    inertia: *const f64,
    out: *mut i32,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let placement = self::placement(placement)?;
        let inertia = match args::optional_array(inertia, INERTIA_PARAMS, "inertia")? {
            [] => Inertia::ZERO,
            p => {
                args::finite(p, "inertia")?;
                Inertia::from_params(p)
            }
        };
        let out = args::optional_place(out, "out")?;
        let id = b.add_body(
            body(parent, "parent")?,
            self::name(name)?,
            placement,
            inertia,
        )?;
        if let Some(out) = out {
            out.write(args::id(Some(id)));
        }
        Ok(())
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_joint_desc_init(joint: *mut ds_joint_desc) {
    args::init(joint)
}

/// Adds a joint between a body and its parent. Several joints of one body act one after the other;
/// the first one is next to the parent. A free joint must be the only joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_joint(
    builder: *mut ds_builder,
    body: i32,
    joint: *const ds_joint_desc,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let joint = joint_spec(joint)?;
        b.add_joint(self::body(body, "body")?, joint)
    })
}

/// The joint that a desc describes.
pub(super) unsafe fn joint_spec(joint: *const ds_joint_desc) -> Result<JointSpec> {
    args::reference(joint, "joint")?;
    let d = args::grown(joint, "joint")?;
    let kind = choice!(d.kind, "joint.kind", ds_joint_kind {
        DS_JOINT_FIXED => JointKind::Fixed,
        DS_JOINT_REVOLUTE => JointKind::Revolute,
        DS_JOINT_CONTINUOUS => JointKind::Continuous,
        DS_JOINT_PRISMATIC => JointKind::Prismatic,
        DS_JOINT_SPHERICAL => JointKind::Spherical,
        DS_JOINT_FREE => JointKind::Free,
        DS_JOINT_PLANAR_TRANSLATION => JointKind::PlanarTranslation,
        DS_JOINT_TRANSLATION => JointKind::Translation,
        DS_JOINT_PLANAR => JointKind::Planar,
        DS_JOINT_UNIVERSAL => JointKind::Universal,
        DS_JOINT_SPLINE_CURVE => JointKind::SplineCurve,
        DS_JOINT_SPLINE_SURFACE => JointKind::SplineSurface,
        DS_JOINT_EULER => JointKind::Euler,
    })?;
    let cyclic = args::flag(d.cyclic, "joint.cyclic")?;
    let width = if kind == JointKind::SplineSurface {
        6
    } else {
        16
    };
    let control = match d.control_count {
        0 => &[][..],
        n => args::array(d.control, n.saturating_mul(width), "joint.control")?,
    };
    for (name, x) in [("joint.effort", d.effort), ("joint.velocity", d.velocity)] {
        if x.is_nan() || x < 0.0 {
            return Err(Error::invalid(format!(
                "{name}: must not be negative, got {x}"
            )));
        }
    }
    Ok(JointSpec {
        axis: vec3(d.axis),
        axis2: vec3(d.axis2),
        axis3: vec3(d.axis3),
        control: control.into(),
        cyclic,
        anchor: vec3(d.anchor),
        reference: d.reference,
        damping: d.damping,
        stiffness: d.stiffness,
        spring_reference: d.spring_reference,
        armature: d.armature,
        friction_loss: d.friction_loss,
        friction_coefficient: d.friction_coefficient,
        friction_radius: d.friction_radius,
        friction_height: d.friction_height,
        limits: range(d.lower, d.upper),
        limit_margin: d.limit_margin,
        effort_limit: d.effort,
        velocity_limit: d.velocity,
        actuator_bounds: range(d.actuator_lower, d.actuator_upper),
        ..JointSpec::new(name(d.name)?, kind)
    })
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_geom_desc_init(geom: *mut ds_geom_desc) {
    args::init(geom)
}

unsafe fn shape(d: &ds_geom_desc) -> Result<ShapeSpec> {
    let [a, b, c] = d.size;
    choice!(d.kind, "geom.kind", ds_geom_kind {
        DS_GEOM_PLANE => ShapeSpec::Plane { half_extents: [a, b] },
        DS_GEOM_SPHERE => ShapeSpec::Sphere { radius: a },
        DS_GEOM_CAPSULE => ShapeSpec::Capsule { radius: a, half_length: b },
        DS_GEOM_CYLINDER => ShapeSpec::Cylinder { radius: a, half_length: b },
        DS_GEOM_ELLIPSOID => ShapeSpec::Ellipsoid { semi_axes: Vec3::new(a, b, c) },
        DS_GEOM_BOX => ShapeSpec::Box { half_extents: Vec3::new(a, b, c) },
        DS_GEOM_MESH => mesh(d)?,
        DS_GEOM_HEIGHT_FIELD => height_field(d)?,
    })
}

unsafe fn height_field(d: &ds_geom_desc) -> Result<ShapeSpec> {
    let [x, y, base] = d.size;
    for (name, count) in [("geom.columns", d.columns), ("geom.rows", d.rows)] {
        if count < 2 {
            return Err(Error::invalid(format!(
                "{name}: must be 2 or more, got {count}"
            )));
        }
    }
    let heights = args::numbers(d.heights, d.columns.saturating_mul(d.rows), "geom.heights")?;
    Ok(ShapeSpec::HeightField(Arc::new(HeightField {
        columns: d.columns,
        rows: d.rows,
        half_extents: [x, y],
        base,
        heights: heights.to_vec(),
    })))
}

unsafe fn mesh(d: &ds_geom_desc) -> Result<ShapeSpec> {
    let (vertices, triangles) = (
        d.vertices.cast::<[f64; 3]>(),
        d.triangles.cast::<[u32; 3]>(),
    );
    let vertices = args::array(vertices, d.vertex_count, "geom.vertices")?;
    let triangles = args::array(triangles, d.triangle_count, "geom.triangles")?;
    Ok(ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.iter().map(|&x| vec3(x)).collect(),
            triangles: triangles.to_vec(),
        }),
        mode: load::mesh_mode(d.mesh_mode)?,
        open: load::open_mesh(d.open_mesh)?,
    })
}

/// Adds a geom to a body. out: its id; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_geom(
    builder: *mut ds_builder,
    body: i32,
    geom: *const ds_geom_desc,
    out: *mut i32,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let out = args::optional_place(out, "out")?;
        let id = b.add_geom(geom_spec(self::body(body, "body")?, geom)?)?;
        if let Some(out) = out {
            out.write(args::id(Some(id)));
        }
        Ok(())
    })
}

/// The geom that a desc describes.
pub(super) unsafe fn geom_spec(body: usize, geom: *const ds_geom_desc) -> Result<GeomSpec> {
    args::reference(geom, "geom")?;
    let d = args::grown(geom, "geom")?;
    args::zero(d.reserved, "geom.reserved")?;
    let placement = pose(&d.placement, "geom.placement")?;
    if ![1, 3, 4, 6].contains(&d.condim) {
        return Err(Error::invalid(format!(
            "geom.condim: must be 1, 3, 4 or 6, got {}",
            d.condim
        )));
    }
    args::zero(d.reserved2, "geom.reserved2")?;
    let kind = choice!(d.hydroelastic, "geom.hydroelastic", ds_hydroelastic {
        DS_HYDROELASTIC_NONE => HydroelasticKind::None,
        DS_HYDROELASTIC_RIGID => HydroelasticKind::Rigid,
        DS_HYDROELASTIC_COMPLIANT => HydroelasticKind::Compliant,
    })?;
    Ok(GeomSpec {
        hydroelastic: Hydroelastic {
            kind,
            modulus: d.modulus,
            resolution: d.resolution,
            margin: d.hydroelastic_margin,
            slab_thickness: d.slab_thickness,
        },
        friction: d.friction,
        restitution: d.restitution,
        stiffness: d.stiffness,
        dissipation: d.dissipation,
        tangential: d.tangential,
        condim: d.condim,
        contype: d.contype,
        conaffinity: d.conaffinity,
        priority: d.priority,
        margin: d.margin,
        gap: d.gap,
        ..GeomSpec::new(name(d.name)?, body, placement, shape(&d)?)
    })
}

/// Adds a named frame to a body.
///
/// name: unique among sites; NULL for none. placement: in the body's frame, a column-major 4×4 matrix;
/// NULL for the identity. out: its id; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_add_site(
    builder: *mut ds_builder,
    body: i32,
    name: *const c_char,
    placement: *const f64,
    out: *mut i32,
) -> ds_status {
    wall::status(|| {
        let b = get(builder)?;
        let placement = self::placement(placement)?;
        let out = args::optional_place(out, "out")?;
        let id = b.add_site(SiteSpec {
            name: self::name(name)?.into(),
            body: self::body(body, "body")?,
            placement,
            zone: Zone::default(),
        })?;
        if let Some(out) = out {
            out.write(args::id(Some(id)));
        }
        Ok(())
    })
}

/// Sets the share of a body's own weight that a force at its centre of mass carries. 0, the initial
/// value: no share; 1: the body floats. All dynamics calls include this force. ds_energy does not, as
/// for all external forces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_set_gravity_compensation(
    builder: *mut ds_builder,
    body: i32,
    share: f64,
) -> ds_status {
    wall::status(|| get(builder)?.set_gravity_compensation(self::body(body, "body")?, share))
}

/// Makes a model of the collected parts. You can add more parts to the builder and build again.
/// Release *out with ds_model_free.
///
/// Errors: DS_ERR_INVALID_ARGUMENT naming the invalid body, joint, geom or actuator; for meshes,
/// those of ds_model_load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_builder_build(
    builder: *const ds_builder,
    out: *mut *mut ds_model,
) -> ds_status {
    wall::status(|| {
        let b = args::reference(builder, "builder")?;
        args::give(out, || Ok(ds_model::new(with_geometry(b.0.build()?)?)))
    })
}

/// Computes the 10 numbers of an inertia from the mass [kg], the centre of mass (3 numbers, body
/// axes) [m] and the rotational inertia about the centre of mass (6 numbers Ixx, Ixy, Iyy, Ixz, Iyz,
/// Izz, body axes) [kg m²].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inertia_from_com(
    mass: f64,
    com: *const f64,
    inertia: *const f64,
    out: *mut f64,
) -> ds_status {
    wall::status(|| {
        args::finite(&[mass], "mass")?;
        let com = args::numbers(com, 3, "com")?;
        let i = args::numbers(inertia, 6, "inertia")?;
        let about_com = Sym3::new(i[0], i[1], i[2], i[3], i[4], i[5]);
        let i = Inertia::from_com(mass, Vec3::from_slice(com), about_com);
        args::publish([(&i.to_params(), args::Out::new(out, INERTIA_PARAMS, "out")?)])
    })
}
