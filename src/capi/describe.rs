//! Descriptions of the parts of a model: bodies, joints, geoms and actuators, in the structs of a builder.

use super::args::{self, Growing, Out};
use super::builder_desc::{ds_activation, ds_actuator_desc, ds_geom_desc, ds_joint_desc};
use super::load::{ds_mesh_mode, ds_open_mesh};
use super::model::{ds_model, get};
use super::model_parts::{ds_joint_kind, kind};
use super::status::ds_status;
use super::wall;
use crate::error::{Error, Result};
use crate::model::activation::ActivationLaw;
use crate::model::spec::{GeomSpec, JointKind, JointSpec, MeshMode, OpenMesh, ShapeSpec};
use crate::model::{ActsOn, Actuator};
use crate::spatial::{INERTIA_PARAMS, Inertia, Pose};
use std::ffi::c_char;
use std::ptr;

/// A body. Fill with ds_body_desc_init.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_body_desc {
    /// Size of this struct in bytes; set by ds_body_desc_init.
    pub struct_size: usize,
    /// Name, unique among bodies; "" for none. Default NULL.
    pub name: *const c_char,
    /// The parent body; joints between them, if any, move this body. The world is its own parent.
    /// Default 0.
    pub parent: i32,
    /// Number of the body among the mocap bodies, from 0; -1 if it is not a mocap body. Default -1.
    pub mocap: i32,
    /// Pose of the body's frame in its parent's frame while every joint is at its reference: a
    /// column-major 4×4 matrix. Default the identity.
    pub placement: [f64; 16],
    /// m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the body's origin, in its own axes;
    /// see ds_inertia_to_com. Default 0.
    pub inertia: [f64; 10],
    /// Share of the body's weight that a force at its centre of mass carries. Default 0.
    pub gravity_compensation: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_body_desc {
    const NAME: &'static str = "ds_body_desc";
    const FIRST: usize = size_of::<ds_body_desc>();

    fn defaults() -> Self {
        ds_body_desc {
            struct_size: size_of::<ds_body_desc>(),
            name: ptr::null(),
            parent: 0,
            mocap: -1,
            placement: Pose::IDENTITY.homogeneous(),
            inertia: [0.0; 10],
            gravity_compensation: 0.0,
        }
    }
}

/// Fills the struct with the defaults. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_body_desc_init(body: *mut ds_body_desc) {
    args::init(body)
}

/// Writes the fields of a struct that the caller's header has.
pub(super) unsafe fn tell<T: Growing>(out: *mut T, value: &T) -> Result<()> {
    args::place(out, "out")?;
    args::grown(out.cast_const(), "out")?;
    let size = out.cast::<usize>().read();
    args::write_back(out, value);
    // The caller's size is kept.
    out.cast::<usize>().write(size);
    Ok(())
}

/// Description of a body. Fill *out with ds_body_desc_init first; its name belongs to the model.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_body(
    model: *const ds_model,
    body: i32,
    out: *mut ds_body_desc,
) -> ds_status {
    wall::status(|| {
        let of = get(model)?;
        let m = &of.model;
        let i = args::index(body, m.nbody(), "body", "body")?;
        let b = &m.bodies()[i];
        let before = m.bodies()[..i].iter().filter(|b| b.mocap).count();
        let made = ds_body_desc {
            name: of.bodies[i].as_ptr(),
            parent: args::id(Some(b.parent)),
            mocap: args::id(b.mocap.then_some(before)),
            placement: b.placement.homogeneous(),
            inertia: m.params().body_inertia[i].to_params(),
            gravity_compensation: b.gravity_compensation,
            ..ds_body_desc::defaults()
        };
        tell(out, &made)
    })
}

/// Description of a joint, as loaded. Fill *out with ds_joint_desc_init first; its name belongs to
/// the model. For its body and its place in q and v see ds_model_joint_body, ds_model_joint_q_index
/// and ds_model_joint_v_index.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_joint(
    model: *const ds_model,
    joint: i32,
    out: *mut ds_joint_desc,
) -> ds_status {
    wall::status(|| {
        let of = get(model)?;
        let m = &of.model;
        let i = args::index(joint, m.njoint(), "joint", "joint")?;
        let made = ds_joint_desc {
            name: of.joints[i].as_ptr(),
            ..joint_desc(&m.described_joint(i)?)
        };
        tell(out, &made)
    })
}

/// Description of a joint, without its name.
pub(super) fn joint_desc(j: &JointSpec) -> ds_joint_desc {
    let open = (f64::NEG_INFINITY, f64::INFINITY);
    let (lower, upper) = j.limits.unwrap_or(open);
    let (actuator_lower, actuator_upper) = j.actuator_bounds.unwrap_or(open);
    ds_joint_desc {
        kind: ds_joint_kind::from(j.kind) as i32,
        axis: j.axis.to_array(),
        axis2: j.axis2.to_array(),
        anchor: j.anchor.to_array(),
        reference: j.reference,
        damping: j.damping,
        stiffness: j.stiffness,
        spring_reference: j.spring_reference,
        armature: j.armature,
        friction_loss: j.friction_loss,
        friction_coefficient: j.friction_coefficient,
        friction_radius: j.friction_radius,
        friction_height: j.friction_height,
        lower,
        upper,
        limit_margin: j.limit_margin,
        effort: j.effort_limit,
        velocity: j.velocity_limit,
        actuator_lower,
        actuator_upper,
        axis3: j.axis3.to_array(),
        control_count: match j.kind {
            JointKind::SplineSurface => j.control.len() / 6,
            _ => j.control.len() / 16,
        },
        control: match j.control.is_empty() {
            true => std::ptr::null(),
            false => j.control.as_ptr(),
        },
        cyclic: i32::from(j.cyclic),
        ..ds_joint_desc::defaults()
    }
}

/// Description of a geom, as loaded. Fill *out with ds_geom_desc_init first. Its name, the vertices
/// and triangles of a mesh and the heights of a height field belong to the model. For its body see
/// ds_model_geom_body.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_geom(
    model: *const ds_model,
    geom: i32,
    out: *mut ds_geom_desc,
) -> ds_status {
    wall::status(|| {
        let of = get(model)?;
        let i = args::index(geom, of.model.ngeom(), "geom", "geom")?;
        let made = ds_geom_desc {
            name: of.geoms[i].as_ptr(),
            ..geom_desc(&of.model.geoms()[i])
        };
        tell(out, &made)
    })
}

/// Description of a geom, without its name. Arrays point into the specification `g`.
pub(super) fn geom_desc(g: &GeomSpec) -> ds_geom_desc {
    let mut made = ds_geom_desc {
        kind: kind(&g.shape) as i32,
        condim: g.condim,
        size: g.shape.sizes(),
        placement: g.placement.homogeneous(),
        friction: g.friction,
        contype: g.contype,
        conaffinity: g.conaffinity,
        priority: g.priority,
        margin: g.margin,
        restitution: g.restitution,
        stiffness: g.stiffness,
        dissipation: g.dissipation,
        tangential: g.tangential,
        gap: g.gap,
        hydroelastic: g.hydroelastic.kind as i32,
        modulus: g.hydroelastic.modulus,
        resolution: g.hydroelastic.resolution,
        hydroelastic_margin: g.hydroelastic.margin,
        slab_thickness: g.hydroelastic.slab_thickness,
        ..ds_geom_desc::defaults()
    };
    match &g.shape {
        ShapeSpec::Mesh { mesh, mode, open } => {
            made.vertices = mesh.vertices.as_ptr().cast();
            made.vertex_count = mesh.vertices.len();
            made.triangles = mesh.triangles.as_ptr().cast();
            made.triangle_count = mesh.triangles.len();
            made.mesh_mode = match mode {
                MeshMode::Hull => ds_mesh_mode::DS_MESH_HULL,
                MeshMode::Decomposed => ds_mesh_mode::DS_MESH_DECOMPOSED,
            } as i32;
            made.open_mesh = match open {
                OpenMesh::Error => ds_open_mesh::DS_OPEN_MESH_ERROR,
                OpenMesh::Hull => ds_open_mesh::DS_OPEN_MESH_HULL,
            } as i32;
        }
        ShapeSpec::HeightField(f) => {
            made.heights = f.heights.as_ptr();
            (made.columns, made.rows) = (f.columns, f.rows);
        }
        _ => {}
    }
    made
}

/// Activation fields of an actuator's description: kind, time constants, smoothing.
fn law(a: &Actuator) -> (ds_activation, [f64; 2], f64) {
    use ds_activation as k;
    match a.activation.map(|a| a.law) {
        None => (k::DS_ACTIVATION_NONE, [1.0; 2], 0.0),
        Some(ActivationLaw::Integrator) => (k::DS_ACTIVATION_INTEGRATOR, [1.0; 2], 0.0),
        Some(ActivationLaw::Filter { time_constant }) => {
            (k::DS_ACTIVATION_FILTER, [time_constant, 1.0], 0.0)
        }
        Some(ActivationLaw::FilterExact { time_constant }) => {
            (k::DS_ACTIVATION_FILTER_EXACT, [time_constant, 1.0], 0.0)
        }
        Some(ActivationLaw::Muscle {
            rise,
            fall,
            smoothing,
        }) => (k::DS_ACTIVATION_MUSCLE, [rise, fall], smoothing),
    }
}

/// Description of the actuator of an input, as loaded. Fill *out with ds_actuator_desc_init first;
/// its strings belong to the model. With DS_ACTUATION_FULL it is a motor whose gear is 1 on its dof
/// of the joint.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an index out of range or a struct that was not filled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_actuator(
    model: *const ds_model,
    actuator: i32,
    out: *mut ds_actuator_desc,
) -> ds_status {
    wall::status(|| {
        let of = get(model)?;
        let m = &of.model;
        let i = args::index(actuator, m.nu(), "actuator", "actuator")?;
        let a = &m.actuators()[i];
        let open = (f64::NEG_INFINITY, f64::INFINITY);
        let mut made = ds_actuator_desc {
            name: of.actuators[i].as_ptr(),
            gain: a.gain,
            gain_slopes: a.gain_slopes,
            bias: a.bias,
            ..ds_actuator_desc::defaults()
        };
        let mut first = 0;
        match a.acts_on {
            ActsOn::Joint { joint, iv, .. } | ActsOn::Ball { joint, iv, .. } => {
                made.joint = of.joints[joint].as_ptr();
                first = iv - m.joint(joint).iv;
            }
            ActsOn::Tendon(tendon) => made.tendon = of.tendons[tendon].as_ptr(),
            ActsOn::Body(body) => made.body = of.bodies[body].as_ptr(),
            ActsOn::Site {
                site, reference, ..
            } => {
                made.site = of.sites[site].as_ptr();
                made.reference_site = reference.map_or(ptr::null(), |i| of.sites[i].as_ptr());
            }
        }
        made.gear = [0.0; 6];
        for (to, gear) in made.gear[first..].iter_mut().zip(a.gears()) {
            *to = *gear;
        }
        (made.control_lower, made.control_upper) = a.control_range.unwrap_or(open);
        (made.force_lower, made.force_upper) = a.force_range.unwrap_or(open);
        let (kind, times, smoothing) = law(a);
        made.activation = kind as i32;
        (made.activation_time, made.activation_smoothing) = (times, smoothing);
        if let Some(state) = &a.activation {
            (made.act_lower, made.act_upper) = state.range.unwrap_or(open);
            made.act_early = i32::from(state.early);
        }
        made.muscle_active = i32::from(a.active.is_some());
        made.muscle_passive = i32::from(a.passive.is_some());
        if let Some(muscle) = a.active.or(a.passive) {
            made.muscle_length_range = [muscle.length_range.0, muscle.length_range.1];
            made.muscle_range = [muscle.range.0, muscle.range.1];
            made.muscle_force = muscle.force;
            made.muscle_scale = muscle.scale;
            made.muscle_lmin = muscle.shortest;
            made.muscle_lmax = muscle.longest;
            made.muscle_vmax = muscle.fastest;
            made.muscle_fpmax = muscle.passive;
            made.muscle_fvmax = muscle.lengthening;
        }
        tell(out, &made)
    })
}

/// A keyframe by its number, 0 to ds_model_nkeyframe - 1: nq, nv and nu numbers; any pointer may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_model_keyframe_at(
    model: *const ds_model,
    keyframe: i32,
    q: *mut f64,
    v: *mut f64,
    u: *mut f64,
) -> ds_status {
    wall::status(|| {
        let m = &get(model)?.model;
        let i = args::index(keyframe, m.keyframes().len(), "keyframe", "keyframe")?;
        let k = &m.keyframes()[i];
        super::configuration::keyframe(m, k, [q, v, u])
    })
}

/// Converts the 10 numbers of an inertia to the arguments of ds_inertia_from_com: mass [kg], centre
/// of mass (3 numbers, body axes) [m] and rotational inertia about the centre of mass (6 numbers Ixx,
/// Ixy, Iyy, Ixz, Iyz, Izz, body axes) [kg m²]. Any result pointer may be NULL.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an inertia that is not zero but has no mass: it has no centre
/// of mass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_inertia_to_com(
    inertia: *const f64,
    mass: *mut f64,
    com: *mut f64,
    about_com: *mut f64,
) -> ds_status {
    wall::status(|| {
        let i = Inertia::from_params(args::numbers(inertia, INERTIA_PARAMS, "inertia")?);
        let outs = [
            Out::optional(mass, 1, "mass")?,
            Out::optional(com, 3, "com")?,
            Out::optional(about_com, 6, "about_com")?,
        ];
        if i.mass <= 0.0 && i != Inertia::ZERO {
            return Err(Error::invalid(format!(
                "inertia: its mass must be positive for it to have a centre of mass, got {}",
                i.mass
            )));
        }
        let at = i.com();
        let about = i.about_com();
        let about = [about.xx, about.xy, about.yy, about.xz, about.yz, about.zz];
        let [a, b, c] = outs;
        args::publish([(&[i.mass], a), (&at.to_array(), b), (&about, c)])
    })
}
