//! What is measured of a model: quantities that are told together, in the order of the description.

use crate::error::{Error, Result};
use crate::spatial::{Pose, Vec3};

/// What a sensor tells. Quaternions are (x y z w).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Position, orientation and axes of a frame, in those of the reference or the world.
    FramePosition,
    FrameQuaternion,
    FrameXAxis,
    FrameYAxis,
    FrameZAxis,
    /// Velocity of its origin and of its turn, as one sees it who moves with the reference, in its axes.
    FrameLinearVelocity,
    FrameAngularVelocity,
    /// World axes; with what holds it against gravity.
    FrameLinearAcceleration,
    FrameAngularAcceleration,
    /// Along the frame's own axes.
    Gyro,
    Velocimeter,
    Accelerometer,
    Magnetometer,
    /// Distance along its z axis to the first geom of another body, −1 where there is none.
    Rangefinder,
    /// Sum of the normal forces on its body within the zone.
    Touch,
    /// What its body and all that it carries take from the rest but contacts and external wrenches, along its axes, and
    /// about its origin.
    Force,
    Torque,
    JointPosition,
    JointVelocity,
    BallQuaternion,
    BallAngularVelocity,
    JointActuatorForce,
    TendonPosition,
    TendonVelocity,
    /// Of the transmission, times the gear, and the force before it.
    ActuatorPosition,
    ActuatorVelocity,
    ActuatorForce,
    /// Of a body and all that it carries: centre of mass, its velocity, angular momentum about it.
    SubtreeCenter,
    SubtreeLinearVelocity,
    SubtreeAngularMomentum,
    /// Of the bound of a joint or of a tendon's length that is within its margin: how far off, less that, how fast it leaves, and the
    /// force with which it holds; zero while none is.
    JointLimitPosition,
    JointLimitVelocity,
    JointLimitForce,
    TendonLimitPosition,
    TendonLimitVelocity,
    TendonLimitForce,
}

/// On what a sensor sits.
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
    /// Numbers that it tells.
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

    /// Whether it tells of a bound, which its joint or tendon must have.
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

    /// Whether it may be told relative to another frame.
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

    /// Whether accelerations or contact forces are in it.
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

    /// Whether it is never negative, so that a cutoff bounds it on one side.
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

    /// Between what its numbers are kept.
    pub fn range(self, cutoff: f64) -> Option<[f64; 2]> {
        let low = if self.is_positive() {
            f64::NEG_INFINITY
        } else {
            -cutoff
        };
        (cutoff > 0.0 && self.is_cut()).then_some([low, cutoff])
    }
}

/// A frame on a body, whose id is the description's, or the model's in a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorFrame {
    pub body: usize,
    pub placement: Pose,
}

/// What a touch sensor feels in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    pub shape: ZoneShape,
    /// Radius, half length along z, or half extents, as far as the shape has them [m].
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

impl Default for Zone {
    /// That of a site of MJCF which says none.
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
    /// Where it sits, of those on frames or bodies.
    pub frame: SensorFrame,
    /// The joint, tendon or actuator of others.
    pub of: String,
    pub reference: Option<SensorFrame>,
    /// Bound of its numbers, 0 for none.
    pub cutoff: f64,
    /// World axes, of a magnetometer.
    pub field: Vec3,
    /// Of a touch sensor.
    pub zone: Zone,
    /// Where it stands in the file.
    pub origin: String,
}

/// A sensor of a model.
#[derive(Clone, Debug)]
pub struct Sensor {
    pub name: String,
    pub reading: Reading,
    pub frame: SensorFrame,
    /// The joint, tendon or actuator of others.
    pub index: usize,
    pub reference: Option<SensorFrame>,
    pub cutoff: f64,
    pub field: Vec3,
    pub zone: Zone,
    /// Where its numbers begin.
    pub address: usize,
}

impl SensorSpec {
    /// One in the world's frame, of nothing.
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
    /// `InvalidArgument` for a cutoff that is negative or none, a reference where there can be none, a zone that has no
    /// inside; `Numerical` for a field that is not finite.
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
                "sensor {who}: a reference is for positions, orientations and velocities of frames, got {:?}",
                self.reading
            )));
        }
        let size = self.zone.size;
        match size.iter().all(|x| *x > 0.0 && x.is_finite()) {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "sensor {who}: sizes of the zone must be positive and finite, got {size:?}"
            ))),
        }
    }
}

/// The field of a file that says none, as MJCF has it.
pub fn usual_field() -> Vec3 {
    Vec3::new(0.0, -0.5, 0.0)
}
