//! The description of a model before it is compiled: the output of loaders and builders.
//!
//! Plain data in the structure of the file. Nothing here is checked; [`Model::compile`] checks.
//!
//! [`Model::compile`]: super::Model::compile

use super::activation::Activation;
use super::deformable::DeformableSpec;
use super::fluid::{Fluid, FluidCoefficients};
use super::mesh::TriMesh;
use super::muscle::Muscle;
use super::params::CONTACT_DISSIPATION;
pub use super::reduction::ReductionSpec;
use super::sensor::{SensorSpec, Zone};
use super::tendon::{SpringSpec, TendonSpec, Transmission};
use crate::joint::VaryingJoint;
pub use crate::joint::composition::JointKind;
use crate::spatial::{Inertia, Mat3, Pose, Vec3};
use std::sync::Arc;

/// Time step of an MJCF file without one [s]: MuJoCo's default.
pub const MJCF_TIME_STEP: f64 = 0.002;

/// Time step of any other model without one [s].
pub const USUAL_TIME_STEP: f64 = 0.001;

/// The integrator named in an MJCF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileIntegrator {
    Euler,
    Rk4,
    Implicit,
    ImplicitFast,
}

impl FileIntegrator {
    /// Their names in MJCF.
    pub const NAMES: [(&str, FileIntegrator); 4] = [
        ("Euler", FileIntegrator::Euler),
        ("RK4", FileIntegrator::Rk4),
        ("implicit", FileIntegrator::Implicit),
        ("implicitfast", FileIntegrator::ImplicitFast),
    ];

    /// Its name in MJCF.
    pub fn name(self) -> &'static str {
        FileIntegrator::NAMES[self as usize].0
    }
}

/// A robot or scene as described by a file or by code.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    pub name: String,
    /// Gravitational acceleration, world axes [m/s²].
    pub gravity: Vec3,
    /// The fluid around all bodies.
    pub fluid: Fluid,
    /// Time step of the file [s].
    pub time_step: Option<f64>,
    /// Integrator of the file.
    pub integrator: Option<FileIntegrator>,
    /// Body 0 is the world. Parents precede children. The order is otherwise free: compilation renumbers
    /// depth first, siblings in this order.
    pub bodies: Vec<BodySpec>,
    pub geoms: Vec<GeomSpec>,
    pub sites: Vec<SiteSpec>,
    pub springs: Vec<SpringSpec>,
    pub tendons: Vec<TendonSpec>,
    pub deformables: Vec<DeformableSpec>,
    pub actuators: Vec<ActuatorSpec>,
    pub sensors: Vec<SensorSpec>,
    pub keyframes: Vec<KeyframeSpec>,
    pub equalities: Vec<EqualitySpec>,
    pub reductions: Vec<ReductionSpec>,
    /// Whether geoms of a body may touch those of its parent.
    pub parents_touch: bool,
    /// Pairs of bodies whose geoms never touch.
    pub excludes: Vec<(usize, usize)>,
    /// Pairs of geoms that may touch regardless of the filters, with their own contact parameters.
    pub pairs: Vec<PairSpec>,
    /// Parts of the file that were read but are not used, one line each.
    pub warnings: Vec<String>,
}

impl Default for ModelSpec {
    fn default() -> Self {
        ModelSpec {
            name: String::new(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            fluid: Fluid::default(),
            time_step: None,
            integrator: None,
            bodies: vec![BodySpec::world()],
            geoms: Vec::new(),
            sites: Vec::new(),
            springs: Vec::new(),
            tendons: Vec::new(),
            deformables: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            keyframes: Vec::new(),
            equalities: Vec::new(),
            reductions: Vec::new(),
            parents_touch: false,
            excludes: Vec::new(),
            pairs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// A rigid body and the joints by which it moves relative to its parent.
#[derive(Clone, Debug)]
pub struct BodySpec {
    pub name: String,
    /// Index of the parent in [`ModelSpec::bodies`].
    pub parent: usize,
    /// Frame of the body in its parent's frame with every joint at its reference.
    pub placement: Pose,
    /// Inertia about the body frame.
    pub inertia: Inertia,
    /// Principal axes of the inertia, columns in the body's frame, if the description gives them. They
    /// are the axes of the body's box in a fluid. Otherwise they are computed; for equal moments they
    /// are arbitrary.
    pub inertia_axes: Option<Mat3>,
    /// Share of its own weight that a force at its centre of mass compensates. With 1 the body floats.
    pub gravity_compensation: f64,
    /// From the parent outwards. Empty: welded to the parent. Several joints act one after the other,
    /// each in the frame that the earlier ones have moved.
    pub joints: Vec<JointSpec>,
    /// Whether it is a mocap body on a free joint: simulations prescribe the velocity of its dofs from
    /// the start, 0 at first.
    pub mocap: bool,
    /// Place in the description, for messages: "line 12".
    pub origin: String,
}

impl BodySpec {
    pub fn world() -> Self {
        BodySpec {
            name: "world".into(),
            parent: 0,
            placement: Pose::IDENTITY,
            inertia: Inertia::ZERO,
            inertia_axes: None,
            gravity_compensation: 0.0,
            joints: Vec::new(),
            mocap: false,
            origin: String::new(),
        }
    }
}

/// One joint. Lengths, axes and anchors are in the body's frame.
#[derive(Clone, Debug)]
pub struct JointSpec {
    pub name: String,
    pub kind: JointKind,
    /// A single link with this motion, about the anchor and along the body's axes, in place of the
    /// primitive joints of `kind`.
    pub varying: Option<Arc<dyn VaryingJoint>>,
    /// Direction; its length does not matter.
    pub axis: Vec3,
    /// Second axis of a universal or an Euler joint.
    pub axis2: Vec3,
    /// Third axis of an Euler joint.
    pub axis3: Vec3,
    /// Of a spline. A curve has frames, column-major 4×4 matrices; a surface has 16 vectors of six.
    pub control: Arc<[f64]>,
    /// The last frame of a curve leads to the first again.
    pub cyclic: bool,
    /// Point about which a rotation takes place.
    pub anchor: Vec3,
    /// Coordinate at which the body is at its placement (one-dof joints).
    pub reference: f64,
    /// Viscous coefficient on every dof of the joint [N s/m or N m s/rad].
    pub damping: f64,
    /// Spring coefficient on every dof [N/m or N m/rad].
    pub stiffness: f64,
    /// Coefficients of the quadratic and the cubic term of the spring: with the displacement e the force is
    /// −(k + k₁ e + k₂ e²) e on a one-dof joint, and −(k + k₁ ‖e‖ + k₂ ‖e‖²) e on a spherical joint and on
    /// each half of a free one.
    pub stiffness_terms: [f64; 2],
    /// The same of the damper: on each dof the force is −(d + d₁ |v| + d₂ v²) v.
    pub damping_terms: [f64; 2],
    /// Rest coordinate of the spring of a one-dof joint. The spring of a spherical joint rests at the
    /// identity, that of a free joint at the body's placement in the file.
    pub spring_reference: f64,
    /// Rotor inertia reflected to every dof [kg or kg m²].
    pub armature: f64,
    /// Dry friction on every dof [N or N m].
    pub friction_loss: f64,
    /// Coulomb friction by the load that a revolute, prismatic or spherical joint carries
    /// ([`load_friction`]): its coefficient, and the radius [m] and height [m] of the bearing; height 0
    /// ignores moments.
    ///
    /// [`load_friction`]: super::load_friction
    pub friction_coefficient: f64,
    pub friction_radius: f64,
    pub friction_height: f64,
    /// Lower and upper bound of the coordinate of a one-dof joint (or the largest angle of a
    /// spherical one as the upper bound).
    pub limits: Option<(f64, f64)>,
    /// Distance before a limit at which it enters the step [rad or m].
    pub limit_margin: f64,
    /// Largest |force| of the file. It clamps actuators only with the load option `effort_limits`.
    pub effort_limit: f64,
    /// Largest |velocity| of the file. Steps enforce it only with the option `velocity_limits`.
    pub velocity_limit: f64,
    /// Bounds of the sum of the forces of all actuators on a one-dof joint. Inputs on dofs have no such
    /// bound.
    pub actuator_bounds: Option<(f64, f64)>,
    pub origin: String,
}

impl JointSpec {
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        JointSpec {
            name: name.into(),
            kind,
            varying: None,
            axis: Vec3::Z,
            axis2: Vec3::Y,
            axis3: Vec3::X,
            control: Arc::default(),
            cyclic: false,
            anchor: Vec3::ZERO,
            reference: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            stiffness_terms: [0.0; 2],
            damping_terms: [0.0; 2],
            spring_reference: 0.0,
            armature: 0.0,
            friction_loss: 0.0,
            friction_coefficient: 0.0,
            friction_radius: 0.0,
            friction_height: 0.0,
            limits: None,
            limit_margin: 0.0,
            effort_limit: f64::INFINITY,
            velocity_limit: f64::INFINITY,
            actuator_bounds: None,
            origin: String::new(),
        }
    }
}

/// Shape of a geometry, relative to its own frame, lengths in metres.
#[derive(Clone, Debug)]
pub enum ShapeSpec {
    /// The half space z ≤ 0. It is drawn with these half extents (0: unbounded), but has no edges.
    Plane {
        half_extents: [f64; 2],
    },
    Sphere {
        radius: f64,
    },
    /// A thickened segment along z from −half_length to half_length.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    /// With the axis along z.
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Ellipsoid {
        semi_axes: Vec3,
    },
    Box {
        half_extents: Vec3,
    },
    Mesh {
        mesh: Arc<TriMesh>,
        mode: MeshMode,
        open: OpenMesh,
    },
    /// Heights over a regular grid in the xy plane, solid below.
    HeightField(Arc<HeightField>),
}

/// The collision shape of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshMode {
    /// Its convex hull.
    Hull,
    /// A union of convex pieces, computed when the file is loaded.
    Decomposed,
}

/// Treatment of an open mesh, which bounds no solid: its holes make up more than a thousandth of its
/// surface. For decomposition a mesh is open if any edge has a triangle on one side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMesh {
    /// Refuse it.
    Error,
    /// Use its convex hull, with a warning.
    Hull,
}

/// Heights [m] at the nodes of a regular grid centred at the origin, row by row along x.
#[derive(Clone, Debug)]
pub struct HeightField {
    pub columns: usize,
    pub rows: usize,
    /// Half extents of the grid along x and y.
    pub half_extents: [f64; 2],
    /// Thickness of the solid below height 0.
    pub base: f64,
    pub heights: Vec<f64>,
}

/// How a geom takes part in hydroelastic contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HydroelasticKind {
    /// It touches in points.
    None,
    /// By its surface.
    Rigid,
    /// By a pressure field inside.
    Compliant,
}

/// The hydroelastic properties of a geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hydroelastic {
    pub kind: HydroelasticKind,
    /// The pressure at the medial axis [Pa].
    pub modulus: f64,
    /// Length of the edges of curved surfaces [m].
    pub resolution: f64,
    /// Least thickness of the layer beyond the surface in which faces are foreseen [m].
    pub margin: f64,
    /// Of a compliant plane: the depth at which the pressure is the modulus [m].
    pub slab_thickness: f64,
}

/// A geom that touches in points.
impl Default for Hydroelastic {
    fn default() -> Hydroelastic {
        Hydroelastic {
            kind: HydroelasticKind::None,
            modulus: 1e7,
            resolution: 0.02,
            margin: 0.0,
            slab_thickness: 1.0,
        }
    }
}

/// A geometry attached to a body.
#[derive(Clone, Debug)]
pub struct GeomSpec {
    pub name: String,
    pub body: usize,
    /// In the body's frame.
    pub placement: Pose,
    pub shape: ShapeSpec,
    /// Sliding, torsional [m] and rolling [m] coefficients.
    pub friction: [f64; 3],
    /// Coefficient of restitution, 0 to 1. A pair has the larger value of its geoms.
    pub restitution: f64,
    /// For compliant and penalty contact: stiffness [N/m], infinite for the law's default; dissipation
    /// time [s]; viscous friction [N s/m], infinite for the law's default.
    pub stiffness: f64,
    pub dissipation: f64,
    pub tangential: f64,
    /// 1: frictionless, 3: sliding, 4: also torsional, 6: also rolling friction.
    pub condim: i32,
    /// Two geoms may touch if `contype & conaffinity` of one with the other is nonzero.
    pub contype: u32,
    pub conaffinity: u32,
    /// The pair has the friction and condim of the geom with the higher priority; with equal priorities,
    /// the larger values.
    pub priority: i32,
    /// Distance at which a contact enters the step [m].
    pub margin: f64,
    /// Additional distance within which adhesion pulls with full force [m]. Not used otherwise.
    pub gap: f64,
    pub hydroelastic: Hydroelastic,
    /// If given, the geom is an ellipsoid in the fluid. A body without such a geom is a box with its
    /// inertia.
    pub fluid: Option<FluidCoefficients>,
    /// Colour, 0 to 1 each; NaN if the description gives none.
    pub rgba: [f32; 4],
    pub origin: String,
}

impl GeomSpec {
    pub fn new(name: impl Into<String>, body: usize, placement: Pose, shape: ShapeSpec) -> Self {
        GeomSpec {
            name: name.into(),
            body,
            placement,
            shape,
            friction: [1.0, 0.005, 0.0001],
            restitution: 0.0,
            stiffness: f64::INFINITY,
            dissipation: CONTACT_DISSIPATION,
            tangential: f64::INFINITY,
            condim: 3,
            contype: 1,
            conaffinity: 1,
            priority: 0,
            margin: 0.0,
            gap: 0.0,
            hydroelastic: Hydroelastic::default(),
            fluid: None,
            rgba: [f32::NAN; 4],
            origin: String::new(),
        }
    }
}

/// A named frame on a body.
#[derive(Clone, Debug)]
pub struct SiteSpec {
    pub name: String,
    pub body: usize,
    pub placement: Pose,
    /// Region of a touch sensor at this site, relative to its frame.
    pub zone: Zone,
}

/// A motor, servo or muscle: force = gain·w + bias[0] + bias[1]·l + bias[2]·l̇, clamped to
/// `force_range`. Here l = gear·q, or gear times the length of its tendon. w is u clamped to
/// `control_range`, or the activation that follows it. The gain grows by gain_slopes[0]·l +
/// gain_slopes[1]·l̇. The torque is τ = gear·force. The force of an adhesion actuator pulls its body to
/// the bodies it touches.
#[derive(Clone, Debug)]
pub struct ActuatorSpec {
    pub name: String,
    pub transmission: Transmission,
    /// The first entry for one-dof joints; three entries for spherical, six for free joints (Pinocchio's
    /// order of v).
    pub gear: [f64; 6],
    pub gain: f64,
    pub gain_slopes: [f64; 2],
    pub bias: [f64; 3],
    /// Muscle forces that replace the gain, and the bias.
    pub active: Option<Muscle>,
    pub passive: Option<Muscle>,
    pub activation: Option<Activation>,
    pub control_range: Option<(f64, f64)>,
    pub force_range: Option<(f64, f64)>,
    pub origin: String,
}

impl ActuatorSpec {
    /// A motor of unit gear without bounds.
    pub fn new(name: impl Into<String>, transmission: Transmission) -> Self {
        ActuatorSpec {
            name: name.into(),
            transmission,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain: 1.0,
            gain_slopes: [0.0; 2],
            bias: [0.0; 3],
            active: None,
            passive: None,
            activation: None,
            control_range: None,
            force_range: None,
            origin: String::new(),
        }
    }

    /// Whether its force depends on the length of its transmission, or on the rate of this length.
    pub fn feels_motion(&self) -> bool {
        let muscle = self.active.is_some() || self.passive.is_some();
        muscle || self.gain_slopes != [0.0; 2] || self.bias[1..] != [0.0; 2]
    }
}

/// A stored state. `qpos` and `qvel` are in MuJoCo's layout (free joint: quaternion w first, linear
/// velocity in world axes), without mocap bodies. Numbers that are missing at the end are neutral or zero.
/// `mocap` has position and quaternion, w first, of each mocap body. An empty list stands for their
/// placements.
#[derive(Clone, Debug)]
pub struct KeyframeSpec {
    pub name: String,
    pub qpos: Vec<f64>,
    pub mocap: Vec<f64>,
    pub qvel: Vec<f64>,
    pub ctrl: Vec<f64>,
    pub act: Vec<f64>,
    pub origin: String,
}

/// A bilateral constraint; used by the contact stage.
#[derive(Clone, Debug)]
pub struct EqualitySpec {
    pub name: String,
    pub active: bool,
    pub kind: EqualityKind,
    pub origin: String,
}

#[derive(Clone, Debug)]
pub enum EqualityKind {
    /// A point of `body1` (in its frame) stays at the point of `body2` that coincides with it at the
    /// reference.
    Connect {
        body1: usize,
        body2: usize,
        anchor: Vec3,
    },
    /// `body2` keeps its pose in `body1`.
    Weld {
        body1: usize,
        body2: usize,
        /// Point at which the weld acts, in the frame of `body2`.
        anchor: Vec3,
        /// Position of the anchor, and orientation of `body2`, in `body1`. By default those at the
        /// reference configuration.
        relative: Option<Pose>,
        /// Length [m] that makes a rotation comparable to a displacement. With 0 only the anchor is
        /// held.
        torque_scale: f64,
    },
    /// Two points, each in its body's frame, stay at a distance [m]: a massless rod.
    Distance {
        body1: usize,
        body2: usize,
        anchor1: Vec3,
        anchor2: Vec3,
        /// By default the distance at the reference configuration.
        length: Option<f64>,
    },
    /// q1 − ref1 = Σ coefficients[k]·(q2 − ref2)^k. Without `joint2` it is held at coefficients[0].
    Joint {
        joint1: String,
        joint2: Option<String>,
        coefficients: [f64; 5],
        /// Which coordinates of the joints; those of spherical and free joints have no such equality.
        dofs: [usize; 2],
    },
    /// l1 − ref1 = Σ coefficients[k]·(l2 − ref2)^k of the tendons' lengths, with references at the
    /// reference configuration. Without `tendon2` it is held at coefficients[0].
    Tendon {
        tendon1: String,
        tendon2: Option<String>,
        coefficients: [f64; 5],
    },
}

/// A pair of geoms, by index in [`ModelSpec::geoms`], with its own contact parameters.
#[derive(Clone, Debug)]
pub struct PairSpec {
    pub geom1: usize,
    pub geom2: usize,
    /// Sliding along the two tangents, torsional, rolling about the two tangents.
    pub friction: Option<[f64; 5]>,
    pub condim: Option<i32>,
    pub margin: Option<f64>,
    /// As of a geom. By default the sum of the two geoms' values.
    pub gap: Option<f64>,
}
