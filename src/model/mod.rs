//! The model: constant once built, shared by any number of simulations and threads.

pub mod activation;
mod actuation;
pub mod bounded;
pub mod builder;
mod check;
mod compile;
pub mod deformable;
mod deformable_binding;
pub mod deformable_builder;
pub mod deformable_check;
pub mod derived;
mod edit;
pub mod fluid;
pub mod fluid_shapes;
mod frames;
mod inherited;
pub mod limits;
pub mod load_friction;
pub mod mesh;
pub mod muscle;
pub mod pair_rules;
mod param_values;
pub mod params;
pub mod principal;
mod reducing;
pub mod reduction;
pub mod sensor;
mod sensor_binding;
mod size;
pub mod spec;
pub mod state;
pub mod tendon;
mod tendon_binding;
mod tendon_check;
pub mod topology;

use crate::error::{Error, Result};
use crate::joint::composition;
use crate::spatial::{Mat3, Pose, Vec3};
use activation::Activation;
pub use check::no_body_has;
pub(crate) use check::{REACH, SIZES, check_pose};
use deformable::DeformableSpec;
use derived::Derived;
use fluid::Fluid;
use muscle::Muscle;
use params::Params;
use reduction::Reduction;
use sensor::Sensor;
use spec::{
    ActuatorSpec, EqualitySpec, FileIntegrator, GeomSpec, JointKind, ModelSpec, PairSpec, SiteSpec,
};
use std::collections::HashMap;
use std::sync::Arc;
use tendon::{SpringSpec, TendonSpec};
use topology::{LinkKind, Topology};

/// A rigid body of the description.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    /// Parent body. The world is its own parent.
    pub parent: usize,
    /// Link that carries the body, or [`topology::WORLD`].
    pub link: usize,
    /// The body's frame in the link's frame (in the world's for a body welded to it).
    pub in_link: Pose,
    /// The body's frame in its parent's frame with every joint at its reference.
    pub placement: Pose,
    /// Share of its own weight that a force at its centre of mass compensates.
    pub gravity_compensation: f64,
    /// Principal axes of the inertia, columns in the body's frame, if the description gives them.
    pub inertia_axes: Option<Mat3>,
    /// Whether it is a mocap body: simulations prescribe the velocity of its free joint from the start.
    pub mocap: bool,
}

/// A joint of the description.
#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub kind: JointKind,
    /// The body that it moves.
    pub body: usize,
    pub first_link: usize,
    pub link_count: usize,
    pub iq: usize,
    pub nq: usize,
    pub iv: usize,
    pub nv: usize,
    /// Unit axis in the body's frame.
    pub axis: Vec3,
    /// Second axis of a universal or an Euler joint, and third axis of an Euler joint.
    pub axis2: Vec3,
    pub axis3: Vec3,
    /// Anchor in the body's frame.
    pub anchor: Vec3,
    /// Lower and upper bound of a one-dof joint. For a spherical joint the upper bound is the largest
    /// angle.
    pub limits: Option<(f64, f64)>,
    pub limit_margin: f64,
    /// Coefficients of the quadratic and the cubic terms of its spring and of its damper
    /// ([`spec::JointSpec`]).
    pub stiffness_terms: [f64; 2],
    pub damping_terms: [f64; 2],
    /// Height of the bearing for friction by the joint's load [m]; 0 ignores moments.
    pub friction_height: f64,
    pub effort_limit: f64,
    pub velocity_limit: f64,
    /// Bounds of the sum of the forces of its actuators; `None` if the inputs are on dofs.
    pub actuator_bounds: Option<(f64, f64)>,
    /// Axes of the body at the anchor, in the first link's frame before it moves.
    pub placement_axes: Pose,
}

impl Joint {
    /// The primitive joints that it consists of, outermost first, with their unit axes in the body's
    /// frame.
    pub fn primitives(&self) -> Vec<(LinkKind, Vec3)> {
        composition::primitives(self.kind, [self.axis, self.axis2, self.axis3])
    }

    /// Whether it is an Euler joint whose axes are nearly in one plane, at the coordinates `q` of the model.
    fn is_near_singular(&self, q: &[f64]) -> bool {
        let axes = [self.axis, self.axis2, self.axis3];
        self.kind == JointKind::Euler
            && composition::gimbal(axes, q[self.iq + 1]) < composition::GIMBAL
    }
}

/// An actuator bound to its dofs.
#[derive(Clone, Debug)]
pub struct Actuator {
    pub name: String,
    pub acts_on: ActsOn,
    /// Torque on each dof of the joint per unit of force. For a tendon, its single gear; else 1.
    pub gear: Vec<f64>,
    /// Force per unit of the drive: its control, or its activation if it has one.
    pub gain: f64,
    /// Change of the gain per length and per velocity.
    pub gain_slopes: [f64; 2],
    /// Bias: constant, per length, per velocity.
    pub bias: [f64; 3],
    /// A muscle's active force, which replaces the gain, and its passive force, which replaces the bias.
    pub active: Option<Muscle>,
    pub passive: Option<Muscle>,
    /// Its activation, if it has one.
    pub activation: Option<Activation>,
    pub control_range: Option<(f64, f64)>,
    pub force_range: Option<(f64, f64)>,
}

impl Actuator {
    /// The joint on which it acts, if any.
    pub fn joint(&self) -> Option<usize> {
        match self.acts_on {
            ActsOn::Joint { joint, .. } | ActsOn::Ball { joint, .. } => Some(joint),
            ActsOn::Tendon(_) | ActsOn::Body(_) | ActsOn::Site { .. } => None,
        }
    }

    /// The gear of the description, as far as it is used.
    pub fn gears(&self) -> &[f64] {
        match &self.acts_on {
            ActsOn::Site { gear, .. } => gear,
            ActsOn::Ball { gear, .. } => gear,
            ActsOn::Joint { .. } | ActsOn::Tendon(_) | ActsOn::Body(_) => &self.gear,
        }
    }
}

/// The element that an actuator acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActsOn {
    Joint {
        joint: usize,
        /// First coordinate, and first dof.
        iq: usize,
        iv: usize,
    },
    /// A ball joint on which a servo acts.
    Ball {
        joint: usize,
        iq: usize,
        iv: usize,
        /// Torque on each dof per unit of force.
        gear: [f64; 3],
    },
    /// A tendon, by its index.
    Tendon(usize),
    /// The contacts of a body, by its index.
    Body(usize),
    /// A site, and perhaps a reference site, by their indices.
    Site {
        site: usize,
        reference: Option<usize>,
        /// Force and torque along the axes per unit of force.
        gear: [f64; 6],
    },
}

/// A stored state in this library's layout.
#[derive(Clone, Debug)]
pub struct Keyframe {
    pub name: String,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub act: Vec<f64>,
}

/// A robot or scene, compiled. Immutable; share it by `Arc`.
#[derive(Clone, Debug)]
pub struct Model {
    /// The description that it was compiled from, and the kind of its inputs.
    source: Arc<ModelSpec>,
    actuation: Actuation,
    /// Actuators added after the description's, and whether those before them are clamped to the joints'
    /// effort limits.
    added: Vec<ActuatorSpec>,
    effort_limits: bool,
    /// The warnings that neither compilation nor the check of the geometry produces.
    notes: Vec<String>,
    name: String,
    topology: Topology,
    params: Params,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    geoms: Vec<GeomSpec>,
    sites: Vec<SiteSpec>,
    springs: Vec<SpringSpec>,
    tendons: Vec<TendonSpec>,
    deformables: Vec<DeformableSpec>,
    actuators: Vec<Actuator>,
    sensors: Vec<Sensor>,
    keyframes: Vec<Keyframe>,
    equalities: Vec<EqualitySpec>,
    parents_touch: bool,
    excludes: Vec<(usize, usize)>,
    pairs: Vec<PairSpec>,
    chosen_pairs: Vec<([usize; 2], bool)>,
    warnings: Vec<String>,
    fluid: Fluid,
    time_step: f64,
    integrator: Option<FileIntegrator>,
    neutral: Vec<f64>,
    body_ids: HashMap<String, usize>,
    joint_ids: HashMap<String, usize>,
    geom_ids: HashMap<String, usize>,
    site_ids: HashMap<String, usize>,
    spring_ids: HashMap<String, usize>,
    tendon_ids: HashMap<String, usize>,
    sensor_ids: HashMap<String, usize>,
    geometry: Derived,
}

/// How inputs act on a compiled model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actuation {
    /// The actuators of the description.
    FromFile,
    /// One input per dof: τ = u.
    Full,
    /// One input per dof, without floating bases: free joints, and joints of several dofs on the world.
    Joints,
}

impl Model {
    /// How many Euler joints are near their singularity at q.
    pub fn near_singular(&self, q: &[f64]) -> usize {
        self.joints.iter().filter(|j| j.is_near_singular(q)).count()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of configuration vectors.
    pub fn nq(&self) -> usize {
        self.topology.nq
    }

    /// Length of velocity and tangent vectors.
    pub fn nv(&self) -> usize {
        self.topology.nv()
    }

    /// Length of configurations in reduced coordinates: nq without any.
    pub fn free_nq(&self) -> usize {
        self.reduction().map_or(self.nq(), |r| r.sizes()[0])
    }

    /// Number of dofs in reduced coordinates: nv without any.
    pub fn free_nv(&self) -> usize {
        self.reduction().map_or(self.nv(), |r| r.sizes()[1])
    }

    /// Number of control inputs.
    pub fn nu(&self) -> usize {
        self.actuators.len()
    }

    /// Number of activations, one for each actuator that has one.
    pub fn na(&self) -> usize {
        self.activated().count()
    }

    /// The actuators with an activation, in order: index in u, and the activation.
    pub fn activated(&self) -> impl Iterator<Item = (usize, &Activation)> {
        let list = self.actuators.iter().enumerate();
        list.filter_map(|(j, a)| Some((j, a.activation.as_ref()?)))
    }

    /// Number of bodies, including the world.
    pub fn nbody(&self) -> usize {
        self.bodies.len()
    }

    pub fn njoint(&self) -> usize {
        self.joints.len()
    }

    pub fn ngeom(&self) -> usize {
        self.geoms.len()
    }

    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Its reduced coordinates, if some joints have any.
    pub fn reduction(&self) -> Option<&Arc<Reduction>> {
        self.topology.reduction.as_ref()
    }

    /// The parameters as loaded.
    pub fn params(&self) -> &Params {
        &self.params
    }

    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    pub fn joint(&self, id: usize) -> &Joint {
        &self.joints[id]
    }

    /// The joint of a dof.
    pub fn joint_of_dof(&self, dof: usize) -> &Joint {
        &self.joints[self.topology.links[self.topology.dofs[dof].link].joint]
    }

    /// The joint of a dof as messages name it: by its name, or else by its place.
    pub fn called_of_dof(&self, dof: usize) -> String {
        let id = self.topology.links[self.topology.dofs[dof].link].joint;
        let (j, name) = (&self.joints[id], &self.joints[id].name);
        if name.is_empty() {
            let body = &self.bodies[j.body].name;
            return format!(
                "joint {id}, which has no name, of body {} \"{body}\"",
                j.body
            );
        }
        format!("joint \"{name}\"")
    }

    /// The same, with a note if this joint, or another joint, moves no mass.
    pub fn said_of_dof(&self, dof: usize) -> String {
        let who = self.called_of_dof(dof);
        let notes = || {
            let warnings = self.warnings.iter();
            warnings.filter(|w| w.contains(": it moves no mass"))
        };
        let own = notes().find_map(|w| w.strip_prefix(&who)?.strip_prefix(": "));
        match own.or_else(|| notes().next().map(|w| &w[..])) {
            Some(note) => format!("{who} ({note})"),
            None => who,
        }
    }

    pub fn geoms(&self) -> &[GeomSpec] {
        &self.geoms
    }

    /// The sites, by body, in the description's order within each body.
    pub fn sites(&self) -> &[SiteSpec] {
        &self.sites
    }

    /// The springs of the description, with the model's body ids.
    pub fn springs(&self) -> &[SpringSpec] {
        &self.springs
    }

    /// The tendons of the description, with the model's body ids. `rest` is always given.
    pub fn tendons(&self) -> &[TendonSpec] {
        &self.tendons
    }

    /// The deformable bodies of the description, with the model's body ids.
    pub fn deformables(&self) -> &[DeformableSpec] {
        &self.deformables
    }

    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    pub fn keyframes(&self) -> &[Keyframe] {
        &self.keyframes
    }

    pub fn equalities(&self) -> &[EqualitySpec] {
        &self.equalities
    }

    /// Whether geoms of a body may touch those of its parent.
    pub fn parents_touch(&self) -> bool {
        self.parents_touch
    }

    /// Pairs of bodies whose geoms never touch.
    pub fn excludes(&self) -> &[(usize, usize)] {
        &self.excludes
    }

    /// Pairs of geoms with contact parameters of their own.
    pub fn pairs(&self) -> &[PairSpec] {
        &self.pairs
    }

    /// Storage of the collision module for data derived from the geoms, which never change.
    pub fn geometry(&self) -> &Derived {
        &self.geometry
    }

    /// Parts of the file that were read but are not used, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Time step of the file [s]. Without one it is 0.002 for MJCF and 0.001 for other models.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Integrator of the file.
    pub fn integrator(&self) -> Option<FileIntegrator> {
        self.integrator
    }

    /// The fluid around all bodies.
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// The configuration in which every body has its placement of the description.
    pub fn neutral(&self) -> &[f64] {
        &self.neutral
    }

    pub fn body_id(&self, name: &str) -> Option<usize> {
        self.body_ids.get(name).copied()
    }

    pub fn joint_id(&self, name: &str) -> Option<usize> {
        self.joint_ids.get(name).copied()
    }

    pub fn geom_id(&self, name: &str) -> Option<usize> {
        self.geom_ids.get(name).copied()
    }

    pub fn site_id(&self, name: &str) -> Option<usize> {
        self.site_ids.get(name).copied()
    }

    pub fn spring_id(&self, name: &str) -> Option<usize> {
        self.spring_ids.get(name).copied()
    }

    pub fn tendon_id(&self, name: &str) -> Option<usize> {
        self.tendon_ids.get(name).copied()
    }

    pub fn keyframe(&self, name: &str) -> Result<&Keyframe> {
        self.keyframes
            .iter()
            .find(|k| k.name == name)
            .ok_or_else(|| Error::invalid(format!("name: no keyframe is called \"{name}\"")))
    }
}

// One model serves many threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Model>();
};
