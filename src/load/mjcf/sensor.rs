//! `<sensor>`. Sensors that this library does not have become warnings.

use super::Loader;
use super::names::Names;
use super::node::Node;
use crate::error::Result;
use crate::model::sensor::{Reading, Seat, SensorFrame, SensorSpec};
use crate::model::spec::{JointKind, ShapeSpec};
use crate::spatial::Pose;

/// The supported elements. All others are listed in the schema.
const READINGS: &[(&str, Reading)] = &[
    ("framepos", Reading::FramePosition),
    ("framequat", Reading::FrameQuaternion),
    ("framexaxis", Reading::FrameXAxis),
    ("frameyaxis", Reading::FrameYAxis),
    ("framezaxis", Reading::FrameZAxis),
    ("framelinvel", Reading::FrameLinearVelocity),
    ("frameangvel", Reading::FrameAngularVelocity),
    ("framelinacc", Reading::FrameLinearAcceleration),
    ("frameangacc", Reading::FrameAngularAcceleration),
    ("gyro", Reading::Gyro),
    ("velocimeter", Reading::Velocimeter),
    ("accelerometer", Reading::Accelerometer),
    ("magnetometer", Reading::Magnetometer),
    ("rangefinder", Reading::Rangefinder),
    ("touch", Reading::Touch),
    ("force", Reading::Force),
    ("torque", Reading::Torque),
    ("jointpos", Reading::JointPosition),
    ("jointvel", Reading::JointVelocity),
    ("ballquat", Reading::BallQuaternion),
    ("ballangvel", Reading::BallAngularVelocity),
    ("jointactuatorfrc", Reading::JointActuatorForce),
    ("tendonpos", Reading::TendonPosition),
    ("tendonvel", Reading::TendonVelocity),
    ("actuatorpos", Reading::ActuatorPosition),
    ("actuatorvel", Reading::ActuatorVelocity),
    ("actuatorfrc", Reading::ActuatorForce),
    ("subtreecom", Reading::SubtreeCenter),
    ("subtreelinvel", Reading::SubtreeLinearVelocity),
    ("subtreeangmom", Reading::SubtreeAngularMomentum),
    ("jointlimitpos", Reading::JointLimitPosition),
    ("jointlimitvel", Reading::JointLimitVelocity),
    ("jointlimitfrc", Reading::JointLimitForce),
    ("tendonlimitpos", Reading::TendonLimitPosition),
    ("tendonlimitvel", Reading::TendonLimitVelocity),
    ("tendonlimitfrc", Reading::TendonLimitForce),
];

/// The element of a reading.
pub fn sensor_tag(reading: Reading) -> &'static str {
    let of = READINGS.iter().find(|(_, r)| *r == reading);
    of.map_or("", |(tag, _)| tag)
}

/// A frame named by a sensor. Parts of it may be unknown until the whole file is read.
struct Found {
    frame: SensorFrame,
    /// True if its origin is the body's centre of mass, and its axes are unknown.
    is_central: bool,
}

impl Loader {
    pub(super) fn read_sensors(&mut self, section: Node<'_>) -> Result<()> {
        for node in section.children() {
            let known = READINGS.iter().find(|(tag, _)| *tag == node.tag());
            if let Some((_, reading)) = known {
                self.read_sensor(node, *reading)?;
            }
        }
        Ok(())
    }

    fn read_sensor(&mut self, node: Node<'_>, reading: Reading) -> Result<()> {
        let mut spec = SensorSpec::new(node.name(), reading);
        spec.origin = node.origin();
        spec.cutoff = node.magnitude("cutoff")?.unwrap_or(0.0);
        spec.field = self.options.magnetic;
        if node.number("noise")?.is_some_and(|x| x != 0.0) {
            let tag = node.tag();
            (self.warnings).add(
                node,
                format!("noise of <{tag}> is not added to its readings"),
            );
        }
        let mut is_central = false;
        if reading.is_of_limit() && !self.options.limit {
            let message = format!("limits do not act: <{}> is left out", node.tag());
            self.warnings.add(node, message);
            return Ok(());
        }
        match reading.seat() {
            Seat::Frame if node.has("camera") => {
                return self.leave_out(node, "camera");
            }
            Seat::Frame
                if reading == Reading::Rangefinder
                    && node.text("data").is_some_and(|d| d != "dist") =>
            {
                return self.leave_out(node, "data");
            }
            Seat::Frame => {
                let by_object = node.has("objtype");
                let found = match by_object {
                    true => self.sensed_frame(node, "objtype", "objname")?,
                    false => Some(self.sensed_site(node, "site")?),
                };
                let Some(found) = found else {
                    return self.leave_out(node, "objtype");
                };
                let turned = matches!(
                    reading,
                    Reading::FrameQuaternion
                        | Reading::FrameXAxis
                        | Reading::FrameYAxis
                        | Reading::FrameZAxis
                );
                if found.is_central && turned {
                    return self.leave_out(node, "objtype");
                }
                is_central = found.is_central;
                spec.frame = found.frame;
                if node.has("reftype") {
                    match self.sensed_frame(node, "reftype", "refname")? {
                        Some(found) if !found.is_central => spec.reference = Some(found.frame),
                        _ => return self.leave_out(node, "reftype"),
                    }
                }
                if reading == Reading::Touch {
                    let site = Names::find(&self.names.sites, node, "site")?;
                    spec.zone = self.spec.sites[site].zone;
                }
            }
            Seat::Body => {
                spec.frame.body = Names::find(&self.names.bodies, node, "body")?;
            }
            Seat::Tendon => {
                Names::find(&self.names.tendons, node, "tendon")?;
                spec.of = node.required("tendon")?.into();
            }
            Seat::Actuator => {
                let actuator = Names::find(&self.names.actuators, node, "actuator")?;
                let entry = self.actuated[actuator].map(|joint| &self.joints[joint]);
                let wide = entry.is_some_and(|e| {
                    let kind = self.spec.bodies[e.body].joints[e.position].kind;
                    !matches!(kind, JointKind::Revolute | JointKind::Prismatic)
                });
                if wide {
                    return self.leave_out(node, "actuator");
                }
                spec.of = node.required("actuator")?.into();
            }
            Seat::Joint | Seat::BallJoint => {
                let entry = &self.joints[Names::find(&self.names.joints, node, "joint")?];
                let joint = &self.spec.bodies[entry.body].joints[entry.position];
                let is_ball = joint.kind == JointKind::Spherical;
                if is_ball && reading.is_of_limit() {
                    return self.leave_out(node, "joint");
                }
                if is_ball != (reading.seat() == Seat::BallJoint) {
                    return Err(node.error("joint: the sensor does not support this type of joint"));
                }
                spec.of = joint.name.clone();
            }
        }
        if is_central {
            self.central_sensors.push(self.spec.sensors.len());
        }
        Names::insert(&mut self.names.sensors, node, &spec.name, 0)?;
        self.spec.sensors.push(spec);
        Ok(())
    }

    fn leave_out(&mut self, node: Node<'_>, attribute: &str) -> Result<()> {
        let (tag, value) = (node.tag(), node.text(attribute).unwrap_or_default());
        let message =
            format!("<{tag}> with {attribute}={value:?} is not supported: the sensor is left out");
        self.warnings.add(node, message);
        Ok(())
    }

    fn sensed_site(&self, node: Node<'_>, attribute: &str) -> Result<Found> {
        let site = &self.spec.sites[Names::find(&self.names.sites, node, attribute)?];
        Ok(Found {
            frame: SensorFrame {
                body: site.body,
                placement: site.placement,
            },
            is_central: false,
        })
    }

    /// The frame of an object; `None` for an unknown one: a camera, or a mesh geom, whose frame is not
    /// that of the file.
    fn sensed_frame(&self, node: Node<'_>, kind: &str, name: &str) -> Result<Option<Found>> {
        let kinds = ["site", "xbody", "body", "geom", "camera"].map(|k| (k, k));
        let at = |body: usize, placement: Pose, is_central: bool| {
            Some(Found {
                frame: SensorFrame { body, placement },
                is_central,
            })
        };
        Ok(match node.keyword(kind, &kinds)? {
            Some("site") => Some(self.sensed_site(node, name)?),
            Some(kind @ ("xbody" | "body")) => {
                let body = Names::find(&self.names.bodies, node, name)?;
                at(body, Pose::IDENTITY, kind == "body" && body != 0)
            }
            Some("geom") => {
                let geom = &self.spec.geoms[Names::find(&self.names.geoms, node, name)?];
                match geom.shape {
                    ShapeSpec::Mesh { .. } => None,
                    _ => at(geom.body, geom.placement, false),
                }
            }
            _ => None,
        })
    }

    /// Moves the sensors at centres of mass there.
    pub(super) fn place_central_sensors(&mut self) {
        for i in &self.central_sensors {
            let frame = &mut self.spec.sensors[*i].frame;
            frame.placement.pos = self.spec.bodies[frame.body].inertia.com();
        }
    }
}
