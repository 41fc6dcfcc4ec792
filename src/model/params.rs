//! The numbers of a model that a simulation may change and differentiate by.

use super::deformable::DeformableParams;
use super::reduction::Reduction;
use crate::joint::VaryingLink;
use crate::spatial::{Inertia, Pose, Vec3};
use std::sync::Arc;

/// The kind of a parameter. It defines the meaning of `index` and `component` of [`Param`].
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// index: body; component 0–9: (m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the body origin.
    BodyInertia = 0,
    /// index: geom; component 0: sliding, 1: torsional [m], 2: rolling [m]. The last two only act in
    /// contacts of condim 4 and 6. A pair has the larger value of its geoms.
    GeomFriction = 1,
    /// index: geom; component 0, in [0, 1]. A pair has the larger value of its geoms.
    GeomRestitution = 2,
    /// index: geom; component 0 [N/m]. In series with the other geom's. By default infinite: as rigid as
    /// a step resolves. Penalty contact replaces infinite values by finite ones, which are then read.
    ContactStiffness = 3,
    /// index: geom; component 0 [s]. Added to the other geom's. By default [`CONTACT_DISSIPATION`].
    ContactDissipation = 4,
    /// index: joint; component: dof of the joint.
    JointDamping = 5,
    /// index: joint; component: dof of the joint.
    JointStiffness = 6,
    /// index: joint; component: dof of the joint.
    JointArmature = 7,
    /// index: joint; component 0–2: displacement of the joint's placement along its own axes [m]; 3–5:
    /// rotation vector [rad]. All zero as loaded.
    JointPlacement = 8,
    /// index: geom; component: of [`ShapeSpec::sizes`](super::spec::ShapeSpec::sizes), for a sphere,
    /// capsule, cylinder, ellipsoid or box [m]. Changes the collision shape, not the mass.
    GeomSize = 9,
    /// index: spring; component 0: stiffness, 1: damping, 2–4: the first, 5–7: the second anchor in its
    /// body's frame.
    Spring = 10,
    /// index 0; component 0–2.
    Gravity = 11,
    /// index: joint; component: dof of a joint whose dofs are all one-dof links.
    JointSpringReference = 12,
    /// index: joint; component: dof of the joint.
    JointFriction = 13,
    /// index: body; component 0–5 of the wrench (force; moment) on it, world axes at the body's origin
    /// [N, N m]. The simulation stores its value, not [`Params`].
    ExternalWrench = 14,
    /// index 0; component 0: kp, 1: kd of the step's options. The simulation stores its value.
    Stabilization = 15,
    /// index: geom; component 0 [N s/m]: viscous friction of penalty contact below Coulomb's bound. In
    /// series with the other geom's. The simulation replaces infinite values by finite ones.
    ContactTangential = 16,
    /// index: tendon; component 0: stiffness, 1: damping, 2: lower and 3: upper rest length. Beyond the
    /// upper one this one acts, for any value of the lower one. 4 + 3 i + axis: point i of a spatial
    /// path, in its body's frame. i also counts pulleys and solids, which have no such component. The
    /// rest lengths do not change with points.
    Tendon = 17,
    /// index: dof whose velocity is prescribed; component 0 [m/s or rad/s]. The simulation stores its
    /// value.
    Prescribed = 18,
    /// index: actuator whose gain is not a muscle's; component 0: force per unit of the drive, before
    /// the gear. For adhesion it must not be negative.
    ActuatorGain = 19,
    /// index: geom that is compliant in hydroelastic contact; component 0 [Pa].
    HydroelasticModulus = 20,
    /// index: joint with friction by its load; component 0: coefficient, 1: radius of a revolute joint's
    /// bearing [m].
    JointFrictionCoefficient = 21,
    /// index: joint along a spline; of a curve component 6 i + 0–2: displacement of control frame i along its
    /// own axes [m], 6 i + 3–5: rotation vector [rad], all zero as loaded; of a surface number m of control
    /// vector i at 6 i + m.
    SplineFrame = 22,
    /// index: reduction, in the order in which they were added; component: entry of its matrix,
    /// column-major, then of its offset. Derivatives of a simulation are at fixed coordinates of the joints;
    /// those of the C interface are at fixed reduced ones.
    Reduction = 23,
    /// index: deformable body; component 0: density, 1: Young's modulus, 2: Poisson's ratio, 3: stiffness, 4:
    /// damping, 5 + 3 i + axis: place of node i in the shape without stress. Density and shape also change
    /// the masses of the nodes.
    Deformable = 24,
    /// index: force defined outside the library; component: parameter of this force, which stores its
    /// value. Not in the C interface.
    Force = 1000,
}

impl ParamKind {
    /// Whether it displaces a joint and all that it carries at fixed q.
    pub fn displaces(self) -> bool {
        matches!(self, ParamKind::JointPlacement | ParamKind::SplineFrame)
    }

    /// Whether it moves surfaces at fixed q.
    pub fn moves_surfaces(self) -> bool {
        self.displaces() || self == ParamKind::GeomSize
    }
}

/// One selected parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Param {
    pub kind: ParamKind,
    pub index: i32,
    pub component: i32,
}

impl Param {
    /// For a coordinate of a spring's anchor or of a tendon's path point: the index of the anchor or
    /// point, and the axis of the body.
    pub fn anchor(&self) -> Option<(usize, usize)> {
        let first = match self.kind {
            ParamKind::Spring => SPRING_NUMBERS,
            ParamKind::Tendon => TENDON_NUMBERS,
            _ => return None,
        };
        let k = (self.component as usize).checked_sub(first)?;
        Some((k / 3, k % 3))
    }
}

/// Components before the coordinates of anchors.
pub const SPRING_NUMBERS: usize = 2;
pub const TENDON_NUMBERS: usize = 4;

/// Dissipation time of a geom's contacts as loaded [s].
pub const CONTACT_DISSIPATION: f64 = 0.01;

/// Current values. A model stores the values it was loaded with, a simulation its own copy.
#[derive(Clone, Debug)]
pub struct Params {
    /// True until a value is set: all values are those that the model was loaded with.
    pub as_loaded: bool,
    pub gravity: Vec3,
    /// Per body, about and along the body frame.
    pub body_inertia: Vec<Inertia>,
    /// Per link, about and along the link frame: the sum over the bodies on it.
    pub link_inertia: Vec<Inertia>,
    /// Per link: its frame at the joint's reference, in the parent link's frame.
    pub link_placement: Vec<Pose>,
    /// The varying joints, in the order of the model's.
    pub varying: Vec<VaryingLink>,
    /// Per joint: displacement and rotation vector of its placement, along its own axes.
    pub joint_placement: Vec<[f64; 6]>,
    /// Per dof [N s/m or N m s/rad].
    pub damping: Vec<f64>,
    /// Per dof [N/m or N m/rad].
    pub stiffness: Vec<f64>,
    /// Per dof of one-dof links: rest coordinate of the spring.
    pub spring_reference: Vec<f64>,
    /// Per dof [kg or kg m²].
    pub armature: Vec<f64>,
    /// Per dof [N or N m].
    pub friction_loss: Vec<f64>,
    /// Per joint: coefficient of the friction by its load, and radius of the bearing [m].
    pub joint_friction: Vec<[f64; 2]>,
    /// Per geom: sliding, torsional, rolling.
    pub geom_friction: Vec<[f64; 3]>,
    /// Per geom: coefficient of restitution. A pair has the larger value of its geoms.
    pub geom_restitution: Vec<f64>,
    /// Per geom: contact stiffness [N/m], infinite for as rigid as a step resolves, and dissipation time
    /// [s].
    pub geom_stiffness: Vec<f64>,
    pub geom_dissipation: Vec<f64>,
    /// Per geom: viscous friction of penalty contact [N s/m]; infinite if not given.
    pub geom_tangential: Vec<f64>,
    /// Per geom: pressure at the medial axis in hydroelastic contact [Pa].
    pub geom_modulus: Vec<f64>,
    /// Per geom, as [`ShapeSpec::sizes`](super::spec::ShapeSpec::sizes) [m].
    pub geom_size: Vec<[f64; 3]>,
    /// Per spring: stiffness [N/m] and damping [N s/m].
    pub spring: Vec<[f64; 2]>,
    /// Per spring: its anchors in their bodies' frames [m].
    pub spring_anchors: Vec<[Vec3; 2]>,
    /// Per tendon: stiffness, damping, and lower and upper rest length.
    pub tendon: Vec<[f64; 4]>,
    /// Per tendon: the points of its path in their bodies' frames [m].
    pub tendon_points: Vec<Vec<Vec3>>,
    /// Per deformable body.
    pub deformable: Vec<DeformableParams>,
    /// Per actuator: force per unit of the drive.
    pub actuator_gain: Vec<f64>,
    /// The reduced coordinates of the model, if it has any.
    pub reduction: Option<Arc<Reduction>>,
}
