//! What a builder is told of joints, geoms and actuators.

use super::args::Growing;
use super::load;
use super::model_parts::{ds_geom_kind, ds_joint_kind};
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
    /// Must be 0.
    pub reserved: i32,
    /// Axis of a revolute, prismatic, planar or universal joint, of any length. Default z.
    pub axis: [f64; 3],
    /// Second axis of a universal joint. Default y.
    pub axis2: [f64; 3],
    /// Point about which a rotation turns [m]. Default 0.
    pub anchor: [f64; 3],
    /// Coordinate at which the body is at its placement, one-dof joints [rad or m]. Default 0.
    pub reference: f64,
    /// Viscous coefficient on every dof [N m s/rad or N s/m]. Default 0.
    pub damping: f64,
    /// Spring coefficient on every dof [N m/rad or N/m]. Default 0.
    pub stiffness: f64,
    /// Coordinate at which the spring of a one-dof joint rests. Default 0.
    pub spring_reference: f64,
    /// Rotor inertia reflected to every dof [kg m² or kg]. Default 0.
    pub armature: f64,
    /// Dry friction on every dof [N m or N]. Default 0.
    pub friction_loss: f64,
    /// Lower bound of the coordinate of a one-dof joint [rad or m]. Default -inf: none.
    pub lower: f64,
    /// Upper bound; of a spherical joint, the largest angle. Default inf: none.
    pub upper: f64,
    /// Distance before a limit at which it enters the step [rad or m]. Default 0.
    pub limit_margin: f64,
}

// SAFETY: repr(C), the size first, i32 in pairs, else words: no padding, every bit pattern a value.
unsafe impl Growing for ds_joint_desc {
    const NAME: &'static str = "ds_joint_desc";
    const FIRST: usize = size_of::<ds_joint_desc>();

    fn defaults() -> Self {
        let j = JointSpec::new("", JointKind::Revolute);
        ds_joint_desc {
            struct_size: size_of::<ds_joint_desc>(),
            name: ptr::null(),
            kind: ds_joint_kind::DS_JOINT_REVOLUTE as i32,
            reserved: 0,
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
    /// A ds_geom_kind; height fields are DS_ERR_UNSUPPORTED here. Default DS_GEOM_SPHERE.
    pub kind: i32,
    /// Directions in which a contact acts: 1, 3 (sliding), 4 (and torsion), 6 (and rolling).
    /// Default 3.
    pub condim: i32,
    /// As the kind says [m]. Default 0: to be set.
    pub size: [f64; 3],
    /// In the body's frame: a column-major 4×4 matrix. Default the identity.
    pub placement: [f64; 16],
    /// Sliding, torsional [m] and rolling [m] coefficients. Default 1, 0.005, 0.0001.
    pub friction: [f64; 3],
    /// Two geoms may touch when contype & conaffinity of one with the other is not zero. Default 1.
    pub contype: u32,
    /// See contype. Default 1.
    pub conaffinity: u32,
    /// The pair's friction is that of the higher priority; at a tie, the larger. Default 0.
    pub priority: i32,
    /// A ds_mesh_mode. Default DS_MESH_HULL.
    pub mesh_mode: i32,
    /// Distance at which a contact enters the step [m]. Default 0.
    pub margin: f64,
    /// Of a mesh: 3 × vertex_count numbers [m]. Default NULL.
    pub vertices: *const f64,
    /// Number of vertices. Default 0.
    pub vertex_count: usize,
    /// Of a mesh: 3 × triangle_count indices of vertices, counter-clockwise from outside.
    pub triangles: *const u32,
    /// Number of triangles. Default 0.
    pub triangle_count: usize,
    /// Of a mesh: a ds_open_mesh. Default DS_OPEN_MESH_ERROR.
    pub open_mesh: i32,
    /// Must be 0.
    pub reserved: i32,
    /// Coefficient of restitution, 0 to 1; of a pair the larger counts. Default 0.
    pub restitution: f64,
    /// Stiffness of its contacts, with DS_CONTACT_CONVEX and DS_CONTACT_PENALTY [N/m]. Default inf: that of the law.
    pub stiffness: f64,
    /// Dissipation time of these [s]. Default 0.01.
    pub dissipation: f64,
    /// Friction per slip below its bound, with DS_CONTACT_PENALTY [N s/m]. Default inf: that of the law.
    pub tangential: f64,
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
            open_mesh: load::ds_open_mesh::DS_OPEN_MESH_ERROR as i32,
            reserved: 0,
            restitution: g.restitution,
            stiffness: g.stiffness,
            dissipation: g.dissipation,
            tangential: g.tangential,
        }
    }
}

/// A motor or servo on a joint: force = gain u + bias[0] + bias[1] l + bias[2] dl/dt with l = gear q,
/// clamped to its range, u clamped to its own first; tau = gear force. Fill with
/// ds_actuator_desc_init, then change fields. Everything is copied during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_actuator_desc {
    /// Size of this struct in bytes; set by ds_actuator_desc_init.
    pub struct_size: usize,
    /// Name, unique among actuators; NULL for none.
    pub name: *const c_char,
    /// Name of the joint, which must be there.
    pub joint: *const c_char,
    /// Torque on each dof of the joint per unit of force. Default 1, 0, 0, 0, 0, 0.
    pub gear: [f64; 6],
    /// Force per unit of u. Default 1.
    pub gain: f64,
    /// Default 0. Only a one-dof joint may have the last two.
    pub bias: [f64; 3],
    /// Lower bound of u. Default -inf.
    pub control_lower: f64,
    /// Upper bound of u. Default inf.
    pub control_upper: f64,
    /// Lower bound of the force. Default -inf.
    pub force_lower: f64,
    /// Upper bound of the force. Default inf.
    pub force_upper: f64,
}

// SAFETY: repr(C), the size first, only words: no padding, every bit pattern a value.
unsafe impl Growing for ds_actuator_desc {
    const NAME: &'static str = "ds_actuator_desc";
    const FIRST: usize = size_of::<ds_actuator_desc>();

    fn defaults() -> Self {
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
        }
    }
}
