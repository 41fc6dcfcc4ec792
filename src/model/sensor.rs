//! Sensors of a model: measured quantities, which are returned together in the order of the description.

use crate::error::{Error, Result};
use crate::spatial::{Pose, Vec3};

/// The quantity that a sensor measures. Quaternions are (x y z w).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Position, orientation and axes of a frame, in those of the reference or the world.
    FramePosition,
    FrameQuaternion,
    FrameXAxis,
    FrameYAxis,
    FrameZAxis,
    /// Velocity of its origin, and angular velocity, relative to the moving reference and in its axes.
    FrameLinearVelocity,
    FrameAngularVelocity,
    /// World axes. At rest the linear acceleration is −g, as an accelerometer measures it.
    FrameLinearAcceleration,
    FrameAngularAcceleration,
    /// Along the frame's own axes.
    Gyro,
    Velocimeter,
    Accelerometer,
    Magnetometer,
    /// Distance along its z axis to the first geom of another body; −1 if there is none.
    Rangefinder,
    /// Sum of the normal forces on its body within the zone.
    Touch,
    /// Force and torque on its body and all bodies it carries by the other bodies, without contacts and
    /// external wrenches, along its axes and about its origin.
    Force,
    Torque,
    JointPosition,
    JointVelocity,
    BallQuaternion,
    BallAngularVelocity,
    JointActuatorForce,
    TendonPosition,
    TendonVelocity,
    /// Length and velocity of the transmission, times the gear, and the force before the gear.
    ActuatorPosition,
    ActuatorVelocity,
    ActuatorForce,
    /// For a body and all bodies it carries: centre of mass, its velocity, and angular momentum about
    /// it.
    SubtreeCenter,
    SubtreeLinearVelocity,
    SubtreeAngularMomentum,
    /// For a bound of a joint or of a tendon's length that is within its margin: the distance minus the
    /// margin, the velocity away from the bound, and the force of the bound. Zero if no bound is within
    /// its margin.
    JointLimitPosition,
    JointLimitVelocity,
    JointLimitForce,
    TendonLimitPosition,
    TendonLimitVelocity,
    TendonLimitForce,
}

/// The kind of element that a sensor is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    Frame,
    Joint,
    BallJoint,
    Tendon,
    Actuator,
    Body,
}

use Reading::*;

impl Reading {
    /// Number of values.
    pub fn dim(self) -> usize {
        match self {
            FrameQuaternion | BallQuaternion => 4,
            Rangefinder | Touch | JointPosition | JointVelocity | JointActuatorForce
            | TendonPosition | TendonVelocity | ActuatorPosition | ActuatorVelocity
            | ActuatorForce => 1,
            _ if self.is_of_limit() => 1,
            _ => 3,
        }
    }

    pub fn seat(self) -> Seat {
        match self {
            JointPosition | JointVelocity | JointActuatorForce | JointLimitPosition
            | JointLimitVelocity | JointLimitForce => Seat::Joint,
            BallQuaternion | BallAngularVelocity => Seat::BallJoint,
            TendonPosition | TendonVelocity | TendonLimitPosition | TendonLimitVelocity
            | TendonLimitForce => Seat::Tendon,
            ActuatorPosition | ActuatorVelocity | ActuatorForce => Seat::Actuator,
            SubtreeCenter | SubtreeLinearVelocity | SubtreeAngularMomentum => Seat::Body,
            _ => Seat::Frame,
        }
    }

    /// Whether it measures a bound, which its joint or tendon must have.
    pub fn is_of_limit(self) -> bool {
        matches!(
            self,
            JointLimitPosition
                | JointLimitVelocity
                | JointLimitForce
                | TendonLimitPosition
                | TendonLimitVelocity
                | TendonLimitForce
        )
    }

    /// Whether it may have a reference frame.
    pub fn is_relative(self) -> bool {
        matches!(
            self,
            FramePosition
                | FrameQuaternion
                | FrameXAxis
                | FrameYAxis
                | FrameZAxis
                | FrameLinearVelocity
                | FrameAngularVelocity
        )
    }

    /// Whether its reading is a function of the motion of frames or joints alone: of no inertia, force, shape
    /// or tendon.
    pub fn is_kinematic(self) -> bool {
        matches!(
            self,
            FramePosition
                | FrameQuaternion
                | FrameXAxis
                | FrameYAxis
                | FrameZAxis
                | FrameLinearVelocity
                | FrameAngularVelocity
                | Gyro
                | Velocimeter
                | Magnetometer
                | JointPosition
                | JointVelocity
                | BallQuaternion
                | BallAngularVelocity
        )
    }

    /// Whether it needs accelerations or contact forces.
    pub fn needs_forward(self) -> bool {
        matches!(
            self,
            FrameLinearAcceleration
                | FrameAngularAcceleration
                | Accelerometer
                | Touch
                | Force
                | Torque
                | JointLimitForce
                | TendonLimitForce
        )
    }

    /// Whether it is never negative, so that a cutoff only bounds it above.
    fn is_positive(self) -> bool {
        matches!(
            self,
            Rangefinder | Touch | JointLimitForce | TendonLimitForce
        )
    }

    /// Whether a cutoff applies: not to directions.
    fn is_cut(self) -> bool {
        !matches!(
            self,
            FrameQuaternion | BallQuaternion | FrameXAxis | FrameYAxis | FrameZAxis
        )
    }

    /// The range to which its values are clamped.
    pub fn range(self, cutoff: f64) -> Option<[f64; 2]> {
        let low = if self.is_positive() {
            f64::NEG_INFINITY
        } else {
            -cutoff
        };
        (cutoff > 0.0 && self.is_cut()).then_some([low, cutoff])
    }
}

/// A frame on a body. The id is that of the description, or that of the model in a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorFrame {
    pub body: usize,
    pub placement: Pose,
}

/// The region in which a touch sensor measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    pub shape: ZoneShape,
    /// Radius, half length along z, or half extents, depending on the shape [m].
    pub size: [f64; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZoneShape {
    #[default]
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
}

impl Zone {
    /// The sizes that the shape uses.
    fn sizes(&self) -> &[f64] {
        match self.shape {
            ZoneShape::Sphere => &self.size[..1],
            ZoneShape::Capsule | ZoneShape::Cylinder => &self.size[..2],
            ZoneShape::Ellipsoid | ZoneShape::Box => &self.size,
        }
    }
}

impl Default for Zone {
    /// The default of a site in MJCF.
    fn default() -> Zone {
        Zone {
            shape: ZoneShape::Sphere,
            size: [0.005; 3],
        }
    }
}

/// A sensor of a description.
#[derive(Clone, Debug)]
pub struct SensorSpec {
    pub name: String,
    pub reading: Reading,
    /// The frame of sensors on frames or bodies.
    pub frame: SensorFrame,
    /// The name of the joint, tendon or actuator of other sensors.
    pub of: String,
    pub reference: Option<SensorFrame>,
    /// Bound of its values, 0 for none.
    pub cutoff: f64,
    /// For a magnetometer: the field, world axes.
    pub field: Vec3,
    /// For a touch sensor.
    pub zone: Zone,
    /// Its place in the file.
    pub origin: String,
}

/// A sensor of a model.
#[derive(Clone, Debug)]
pub struct Sensor {
    pub name: String,
    pub reading: Reading,
    pub frame: SensorFrame,
    /// Index of the joint, tendon or actuator of sensors that are not on frames.
    pub index: usize,
    pub reference: Option<SensorFrame>,
    pub cutoff: f64,
    pub field: Vec3,
    pub zone: Zone,
    /// Index of its first value.
    pub address: usize,
}

impl SensorSpec {
    /// A sensor in the world's frame, with default settings.
    pub fn new(name: impl Into<String>, reading: Reading) -> SensorSpec {
        SensorSpec {
            name: name.into(),
            reading,
            frame: SensorFrame {
                body: 0,
                placement: Pose::IDENTITY,
            },
            of: String::new(),
            reference: None,
            cutoff: 0.0,
            field: usual_field(),
            zone: Zone::default(),
            origin: String::new(),
        }
    }

    /// # Errors
    /// `InvalidArgument` for a cutoff that is negative or not finite, a reference for a sensor without
    /// one, or an empty zone; `Numerical` for a field that is not finite.
    pub fn check(&self, who: &str) -> Result<()> {
        if !(self.cutoff >= 0.0 && self.cutoff.is_finite()) {
            return Err(Error::invalid(format!(
                "sensor {who}: cutoff must be finite and not negative, got {}",
                self.cutoff
            )));
        }
        if !self.field.is_finite() {
            return Err(Error::numerical(format!(
                "sensor {who}: the magnetic field must be finite"
            )));
        }
        if self.reference.is_some() && !self.reading.is_relative() {
            return Err(Error::invalid(format!(
                "sensor {who}: only positions, orientations and velocities of frames can have a reference, got {:?}",
                self.reading
            )));
        }
        let size = self.zone.sizes();
        match size.iter().all(|x| *x > 0.0 && x.is_finite()) {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "sensor {who}: sizes of the zone must be positive and finite, got {size:?}"
            ))),
        }
    }
}

/// The default magnetic field of MJCF.
pub fn usual_field() -> Vec3 {
    Vec3::new(0.0, -0.5, 0.0)
}
