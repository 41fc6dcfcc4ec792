//! Descriptions of joints, geoms and actuators for a builder.

use super::args::Growing;
use super::load;
use super::model_parts::{ds_geom_kind, ds_joint_kind};
use crate::model::muscle::Muscle;
use crate::model::spec::{GeomSpec, JointKind, JointSpec, ShapeSpec};
use crate::spatial::Pose;
use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

/// A joint. Fill with ds_joint_desc_init, then change fields. Axes and anchor are in the body's
/// frame. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_joint_desc {
    /// Size of this struct in bytes; set by ds_joint_desc_init.
    pub struct_size: usize,
    /// Name, unique among joints; NULL for none.
    pub name: *const c_char,
    /// A ds_joint_kind. Default DS_JOINT_REVOLUTE.
    pub kind: i32,
    /// 1: the spline curve is closed: its last control frame is followed by the first one. Default 0.
    pub cyclic: i32,
    /// Axis of a revolute, prismatic, planar, universal or Euler joint, of any length. Default z.
    pub axis: [f64; 3],
    /// Second axis of a universal or Euler joint. Default y.
    pub axis2: [f64; 3],
    /// Point about which the joint rotates [m]. Default 0.
    pub anchor: [f64; 3],
    /// For one-dof joints: the coordinate at which the body is at its placement [rad or m]. Default
    /// 0.
    pub reference: f64,
    /// Viscous coefficient on every dof [N m s/rad or N s/m]. Default 0.
    pub damping: f64,
    /// Spring coefficient on every dof [N m/rad or N/m]. Default 0.
    pub stiffness: f64,
    /// For one-dof joints: the coordinate at which the spring is at rest. Default 0.
    pub spring_reference: f64,
    /// Rotor inertia reflected to every dof [kg m² or kg]. Default 0.
    pub armature: f64,
    /// Dry friction on every dof [N m or N]. Default 0.
    pub friction_loss: f64,
    /// For a one-dof joint: lower bound of the coordinate [rad or m]. For a spherical joint: at
    /// most 0. Default -inf: no bound.
    pub lower: f64,
    /// For a one-dof joint: upper bound of the coordinate [rad or m]. For a spherical joint: the
    /// largest angle from its reference [rad], above 0; pi or more is no bound. Default inf: no
    /// bound.
    pub upper: f64,
    /// Distance to a limit below which the limit enters the step [rad or m]. Default 0.
    pub limit_margin: f64,
    /// Largest |force| [N m or N]. It is not enforced unless ds_load_options.effort_limits is 1.
    /// Default inf.
    pub effort: f64,
    /// Largest |velocity| [rad/s or m/s]. It is not enforced unless ds_options.velocity_limits is 1.
    /// Default inf.
    pub velocity: f64,
    /// Third axis of an Euler joint. Default x.
    pub axis3: [f64; 3],
    /// Number of control frames of a spline curve, 2 or more, or 3 of a cyclic one; 16 of a surface. Default
    /// 0.
    pub control_count: usize,
    /// Of a curve 16 numbers each, column-major 4×4: the placements of the body, about the anchor, in the
    /// frame that it has at its placement. Neighbours are less than half a turn apart. Of a surface 6 numbers
    /// each: translation along x, y, z [m] and angles about x, y, z [rad]; vector 4 i + j belongs to the i-th
    /// spline of the first coordinate and the j-th of the second. Default NULL.
    pub control: *const f64,
    /// For a revolute, prismatic or spherical joint: coefficient of Coulomb friction by the load that the
    /// joint carries in the step. Revolute and spherical joints resist up to coefficient × radius × load
    /// [N m], a prismatic one up to coefficient × load [N]. It adds to friction_loss, which a spherical joint
    /// does not have beside it. Default 0.
    pub friction_coefficient: f64,
    /// Radius of the bearing or of the ball [m]; positive if a revolute or spherical joint has a
    /// friction_coefficient. Default 0.
    pub friction_radius: f64,
    /// Distance between the ends of the bearing [m], which converts moments to loads. Default 0: moments do
    /// not contribute, as in a spherical joint.
    pub friction_height: f64,
    /// For a revolute or prismatic joint: lower bound of the sum of the forces of all its actuators [N m or
    /// N]. Inputs on dofs (ds_load_options.actuation) have no such bound. Default -inf.
    pub actuator_lower: f64,
    /// Upper bound of the sum. Default inf.
    pub actuator_upper: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_joint_desc {
    const NAME: &'static str = "ds_joint_desc";
    const FIRST: usize = offset_of!(ds_joint_desc, effort);

    fn defaults() -> Self {
        let j = JointSpec::new("", JointKind::Revolute);
        ds_joint_desc {
            struct_size: size_of::<ds_joint_desc>(),
            name: ptr::null(),
            kind: ds_joint_kind::DS_JOINT_REVOLUTE as i32,
            cyclic: 0,
            axis: j.axis.to_array(),
            axis2: j.axis2.to_array(),
            anchor: j.anchor.to_array(),
            reference: j.reference,
            damping: j.damping,
            stiffness: j.stiffness,
            spring_reference: j.spring_reference,
            armature: j.armature,
            friction_loss: j.friction_loss,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            limit_margin: j.limit_margin,
            effort: j.effort_limit,
            velocity: j.velocity_limit,
            axis3: j.axis3.to_array(),
            control_count: 0,
            control: ptr::null(),
            friction_coefficient: j.friction_coefficient,
            friction_radius: j.friction_radius,
            friction_height: j.friction_height,
            actuator_lower: f64::NEG_INFINITY,
            actuator_upper: f64::INFINITY,
        }
    }
}

/// A geom. Fill with ds_geom_desc_init, then change fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_geom_desc {
    /// Size of this struct in bytes; set by ds_geom_desc_init.
    pub struct_size: usize,
    /// Name, unique among geoms; NULL for none.
    pub name: *const c_char,
    /// A ds_geom_kind. Default DS_GEOM_SPHERE.
    pub kind: i32,
    /// Directions that a contact resists: 1 (normal), 3 (with sliding friction), 4 (with torsional
    /// friction), 6 (with rolling friction). Default 3.
    pub condim: i32,
    /// Sizes as the kind says [m]. Default 0: you must set them.
    pub size: [f64; 3],
    /// Pose in the body's frame: a column-major 4×4 matrix. Default the identity.
    pub placement: [f64; 16],
    /// Coefficients of sliding, torsional [m] and rolling [m] friction; positive if condim includes
    /// this friction. Default 1, 0.005, 0.0001.
    pub friction: [f64; 3],
    /// Two geoms may touch if (contype & conaffinity) of one with the other is not zero. Default 1.
    pub contype: u32,
    /// See contype. Default 1.
    pub conaffinity: u32,
    /// A pair has the friction of the geom with the higher priority; if they are equal, the larger
    /// friction. Default 0.
    pub priority: i32,
    /// A ds_mesh_mode. Default DS_MESH_HULL.
    pub mesh_mode: i32,
    /// Distance at which a contact enters the step [m]. Default 0.
    pub margin: f64,
    /// For a mesh: 3 × vertex_count numbers [m]. Default NULL.
    pub vertices: *const f64,
    /// Number of vertices. Default 0.
    pub vertex_count: usize,
    /// For a mesh: 3 × triangle_count indices of vertices, counter-clockwise seen from outside.
    pub triangles: *const u32,
    /// Number of triangles. Default 0.
    pub triangle_count: usize,
    /// For a mesh: a ds_open_mesh. Default DS_OPEN_MESH_HULL.
    pub open_mesh: i32,
    /// Must be 0.
    pub reserved: i32,
    /// Coefficient of restitution, 0 to 1; the larger one of a pair counts. Default 0.
    pub restitution: f64,
    /// Contact stiffness, with DS_CONTACT_CONVEX and DS_CONTACT_PENALTY [N/m]. Default inf: the law's
    /// own.
    pub stiffness: f64,
    /// Dissipation time of these contacts [s]. Default 0.01.
    pub dissipation: f64,
    /// Friction force per slip velocity below the friction bound, with DS_CONTACT_PENALTY [N s/m].
    /// Default inf: the law's own.
    pub tangential: f64,
    /// For adhesion: distance beyond the margin up to which it pulls with full force [m]. The gaps of
    /// two geoms add up, as margins do. It has no effect on contacts. Default 0.
    pub gap: f64,
    /// For a height field: rows × columns heights [m], row by row along x, over a grid with the
    /// extents in size. Default NULL.
    pub heights: *const f64,
    /// Number of nodes along x, 2 or more. Default 0.
    pub columns: usize,
    /// Number of nodes along y, 2 or more. Default 0.
    pub rows: usize,
    /// A ds_hydroelastic: how the geom touches others in faces, with DS_CONTACT_CONVEX. Default
    /// DS_HYDROELASTIC_NONE.
    pub hydroelastic: i32,
    /// Must be 0.
    pub reserved2: i32,
    /// For a compliant geom: the pressure on its medial axis, where it is deepest inside [Pa]. Default 1e7.
    pub modulus: f64,
    /// Approximate length of the edges in the mesh of curved surfaces [m]. Default 0.02.
    pub resolution: f64,
    /// Faces that are open by at most this distance, or by at most a tenth of the depth of the medial axis,
    /// are predicted contacts [m]. Default 0.
    pub hydroelastic_margin: f64,
    /// For a compliant plane: depth at which the pressure is the modulus [m]. Default 1.
    pub slab_thickness: f64,
}

/// How a geom takes part in hydroelastic contact. Two geoms touch in faces if one is compliant and the
/// other one rigid or compliant; otherwise in points. Planes never touch planes.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_hydroelastic {
    /// It touches in points.
    DS_HYDROELASTIC_NONE = 0,
    /// By its surface, which is rigid.
    DS_HYDROELASTIC_RIGID = 1,
    /// By a pressure field inside. A compliant mesh must be convex. Height fields have neither kind.
    DS_HYDROELASTIC_COMPLIANT = 2,
}

// SAFETY: repr(C), the size first, 32-bit fields in pairs, else words: no padding, every bit
// pattern a value.
unsafe impl Growing for ds_geom_desc {
    const NAME: &'static str = "ds_geom_desc";
    const FIRST: usize = offset_of!(ds_geom_desc, open_mesh);

    fn defaults() -> Self {
        let g = GeomSpec::new("", 0, Pose::IDENTITY, ShapeSpec::Sphere { radius: 0.0 });
        ds_geom_desc {
            struct_size: size_of::<ds_geom_desc>(),
            name: ptr::null(),
            kind: ds_geom_kind::DS_GEOM_SPHERE as i32,
            condim: g.condim,
            size: [0.0; 3],
            placement: g.placement.homogeneous(),
            friction: g.friction,
            contype: g.contype,
            conaffinity: g.conaffinity,
            priority: g.priority,
            mesh_mode: load::ds_mesh_mode::DS_MESH_HULL as i32,
            margin: g.margin,
            vertices: ptr::null(),
            vertex_count: 0,
            triangles: ptr::null(),
            triangle_count: 0,
            open_mesh: load::ds_open_mesh::DS_OPEN_MESH_HULL as i32,
            reserved: 0,
            restitution: g.restitution,
            stiffness: g.stiffness,
            dissipation: g.dissipation,
            tangential: g.tangential,
            gap: g.gap,
            heights: ptr::null(),
            columns: 0,
            rows: 0,
            hydroelastic: g.hydroelastic.kind as i32,
            reserved2: 0,
            modulus: g.hydroelastic.modulus,
            resolution: g.hydroelastic.resolution,
            hydroelastic_margin: g.hydroelastic.margin,
            slab_thickness: g.hydroelastic.slab_thickness,
        }
    }
}

/// Dynamics of an actuator's activation, driven by its clamped input u. A step advances act to act+
/// with Euler's method, except for DS_ACTIVATION_FILTER_EXACT.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_activation {
    /// No activation: u itself drives the actuator.
    DS_ACTIVATION_NONE = 0,
    /// dact/dt = u.
    DS_ACTIVATION_INTEGRATOR = 1,
    /// dact/dt = (u - act)/T with T = activation_time[0].
    DS_ACTIVATION_FILTER = 2,
    /// Same as DS_ACTIVATION_FILTER, solved exactly over a step with constant u.
    DS_ACTIVATION_FILTER_EXACT = 3,
    /// dact/dt = (u - act)/T with u clamped to [0, 1]. With m = 0.5 + 1.5 act, T is
    /// activation_time[0] m if u > act, otherwise activation_time[1]/m. T changes smoothly from one
    /// to the other while u - act is within ± activation_smoothing/2.
    DS_ACTIVATION_MUSCLE = 4,
}

/// A motor, servo or muscle on a joint, along a tendon or at a site, or the adhesion of a body. Fill with
/// ds_actuator_desc_init, then change fields. Everything is copied during the call.
///
/// force = g w + bias[0] + bias[1] l + bias[2] dl/dt, clamped to its range, and tau = force dl/dq,
/// which on a joint is gear force. l is gear q, of a spherical joint gear · its rotation vector, of a
/// tendon gear[0] times its length. w is u clamped to its range, or the activation that follows it.
/// g = gain + gain_slopes[0] l + gain_slopes[1] dl/dt. Of spherical joints and sites dl/dt stands for
/// the velocity along the gear.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_actuator_desc {
    /// Size of this struct in bytes; set by ds_actuator_desc_init.
    pub struct_size: usize,
    /// Name, unique among actuators; NULL for none.
    pub name: *const c_char,
    /// Name of an existing joint; NULL if tendon, body or site is given.
    pub joint: *const c_char,
    /// Torque on each dof of the joint per unit of force; a tendon uses the first only. Default 1, 0,
    /// 0, 0, 0, 0.
    pub gear: [f64; 6],
    /// Force per unit of u. Default 1.
    pub gain: f64,
    /// Constant force, and force per unit of length and of its rate. The last two are only for
    /// tendons, sites, spherical and one-dof joints. Default 0.
    pub bias: [f64; 3],
    /// Lower bound of u. Default -inf.
    pub control_lower: f64,
    /// Upper bound of u. Default inf.
    pub control_upper: f64,
    /// Lower bound of the force. Default -inf.
    pub force_lower: f64,
    /// Upper bound of the force. Default inf.
    pub force_upper: f64,
    /// Name of an existing tendon on which the actuator pulls or pushes, instead of a joint. Default
    /// NULL.
    pub tendon: *const c_char,
    /// Change of the gain per unit of length and of its rate. A damper has gain 0 and -d as second
    /// slope. Default 0.
    pub gain_slopes: [f64; 2],
    /// A ds_activation. Default DS_ACTIVATION_NONE.
    pub activation: i32,
    /// 1: the force of a step uses the activation at the end of the step. 0: at its start. Default 0.
    pub act_early: i32,
    /// Time constants [s], positive. Filters use the first; a muscle uses them for rising and falling
    /// activation. Default 1, 1.
    pub activation_time: [f64; 2],
    /// For a muscle: width of u - act over which the time constants change smoothly; 0: abruptly.
    /// Default 0.
    pub activation_smoothing: f64,
    /// Lower bound of the activation at the end of a step. Default -inf.
    pub act_lower: f64,
    /// Upper bound of the activation. Default inf.
    pub act_upper: f64,
    /// 1: the muscle's active force by length and speed replaces the gain. Default 0.
    pub muscle_active: i32,
    /// 1: the muscle's passive force replaces the bias. Default 0.
    pub muscle_passive: i32,
    /// Range of lengths l in which the muscle works, ordered. You must set it. Default 0, 0.
    pub muscle_length_range: [f64; 2],
    /// The lengths of the muscle that correspond to this range, in units of the optimal length.
    /// Default 0.75, 1.05.
    pub muscle_range: [f64; 2],
    /// Active force at the optimal length and at rest. Negative: muscle_scale divided by the norm of
    /// the acceleration that a unit force gives the model at its neutral configuration. Default -1.
    pub muscle_force: f64,
    /// Used for a negative muscle_force. Default 200.
    pub muscle_scale: f64,
    /// Shortest length with active force, in units of the optimal length, below 1. Default 0.5.
    pub muscle_lmin: f64,
    /// Longest length with active force, in units of the optimal length, above 1. Default 1.6.
    pub muscle_lmax: f64,
    /// Shortening speed at which the active force is zero, in optimal lengths per second, positive.
    /// Default 1.5.
    pub muscle_vmax: f64,
    /// Scale of the passive force: at (1 + lmax)/2 it is half of this, in units of the active force.
    /// Default 1.3.
    pub muscle_fpmax: f64,
    /// Active force at the highest lengthening speed, in units of the active force, at least 1.
    /// Default 1.2.
    pub muscle_fvmax: f64,
    /// Adhesion: name of an existing body with a geom that adheres to touching geoms, instead of a
    /// joint. The force gain w [N] is distributed over its contacts and pulls along their normals.
    /// gain must not be negative and control_lower must be at least 0. Of the other fields, only
    /// bounds and activation may be set. Default NULL.
    pub body: *const c_char,
    /// Name of an existing site, instead of a joint. gear is a force [N] and a torque [N m] per unit of
    /// force along the axes of the site. Its length l is 0, its rate gear · the site's velocity along
    /// its axes. Default NULL.
    pub site: *const c_char,
    /// With site: name of a site along whose axes gear acts, and on which the opposite acts. l is gear ·
    /// the displacement of the site from it [m], and its rotation vector [rad]. Default NULL.
    pub reference_site: *const c_char,
}

// SAFETY: repr(C), the size first, only words: no padding, every bit pattern a value.
unsafe impl Growing for ds_actuator_desc {
    const NAME: &'static str = "ds_actuator_desc";
    const FIRST: usize = offset_of!(ds_actuator_desc, tendon);

    fn defaults() -> Self {
        let muscle = Muscle::default();
        ds_actuator_desc {
            struct_size: size_of::<ds_actuator_desc>(),
            name: ptr::null(),
            joint: ptr::null(),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain: 1.0,
            bias: [0.0; 3],
            control_lower: f64::NEG_INFINITY,
            control_upper: f64::INFINITY,
            force_lower: f64::NEG_INFINITY,
            force_upper: f64::INFINITY,
            tendon: ptr::null(),
            gain_slopes: [0.0; 2],
            activation: ds_activation::DS_ACTIVATION_NONE as i32,
            act_early: 0,
            activation_time: [1.0; 2],
            activation_smoothing: 0.0,
            act_lower: f64::NEG_INFINITY,
            act_upper: f64::INFINITY,
            muscle_active: 0,
            muscle_passive: 0,
            muscle_length_range: [0.0; 2],
            muscle_range: [muscle.range.0, muscle.range.1],
            muscle_force: muscle.force,
            muscle_scale: muscle.scale,
            muscle_lmin: muscle.shortest,
            muscle_lmax: muscle.longest,
            muscle_vmax: muscle.fastest,
            muscle_fpmax: muscle.passive,
            muscle_fvmax: muscle.lengthening,
            body: ptr::null(),
            site: ptr::null(),
            reference_site: ptr::null(),
        }
    }
}
