//! Sensors in MJCF, with their sites.

use super::mjcf_tendons::{Paths, name_joint};
use super::names::Names;
use super::writer::Writer;
use super::xml_text::Xml;
use crate::load::mjcf::sensor_tag;
use crate::model::Model;
use crate::model::sensor::{Reading, Seat, Sensor, SensorFrame, usual_field};
use crate::spatial::Vec3;

/// Sensors, before the bodies are written.
pub(super) struct Sensors {
    /// For each sensor the sites of its frame and of its reference.
    seats: Vec<[Option<String>; 2]>,
}

/// The magnetic field of a file, the same for all of its magnetometers.
pub(super) fn magnetic(model: &Model) -> Vec3 {
    let mut magnetometers = (model.sensors().iter()).filter(|s| s.reading == Reading::Magnetometer);
    magnetometers.next().map_or(usual_field(), |s| s.field)
}

impl Sensors {
    pub fn new(w: &mut Writer, paths: &mut Paths) -> Sensors {
        let model = w.model;
        let mut seats = Vec::new();
        for s in model.sensors() {
            let mut seat = |f: &SensorFrame| {
                let felt = (s.reading == Reading::Touch).then_some(&s.zone);
                paths.seat(w, (f.body, &f.placement), felt, &s.name)
            };
            let is_frame = s.reading.seat() == Seat::Frame;
            seats.push([
                is_frame.then(|| seat(&s.frame)),
                s.reference.as_ref().map(seat),
            ]);
            match s.reading.seat() {
                Seat::Joint | Seat::BallJoint => name_joint(w, &model.joints()[s.index].name),
                Seat::Body => w.bodies.need(s.frame.body, &mut w.losses),
                _ => {}
            }
        }
        Sensors { seats }
    }

    /// Writes the section. `actuators` are the written actuators.
    pub fn write(
        &self,
        xml: &mut Xml,
        w: &mut Writer,
        tendons: &Names,
        (actuators, kept): (&Names, &[usize]),
    ) {
        let (model, field) = (w.model, magnetic(w.model));
        if model.sensors().is_empty() {
            return;
        }
        let given = model.sensors().iter().map(|s| &s.name[..]);
        let names = Names::new("sensor", given, &mut w.losses);
        xml.start("sensor");
        for (id, (s, seats)) in model.sensors().iter().zip(&self.seats).enumerate() {
            if s.reading.seat() == Seat::Actuator && !kept.contains(&s.index) {
                let what = "sensors of actuators that are left out are left out";
                w.losses.note(what, &s.name);
                continue;
            }
            if s.reading == Reading::Magnetometer && s.field != field {
                let what = "magnetometers get the magnetic field of the first one";
                w.losses.note(what, &s.name);
            }
            let [seat, reference] = seats.each_ref().map(|n| n.as_deref().unwrap_or(""));
            xml.start(sensor_tag(s.reading)).named("name", names.of(id));
            let (attribute, of) = match s.reading.seat() {
                Seat::Frame => (frame_attribute(xml, s), seat),
                Seat::Joint | Seat::BallJoint => ("joint", &w.pieces[s.index][0].name[..]),
                Seat::Tendon => ("tendon", tendons.of(s.index)),
                Seat::Actuator => ("actuator", actuators.of(s.index)),
                Seat::Body => ("body", w.bodies.of(s.frame.body)),
            };
            xml.attribute(attribute, of);
            if s.reference.is_some() {
                xml.attribute("reftype", "site")
                    .attribute("refname", reference);
            }
            xml.unless(&[0.0], "cutoff", &[s.cutoff]);
            xml.end();
        }
        xml.end();
    }
}

/// The attribute that names the site of a frame sensor. Sensors on any object first state that it is a site.
fn frame_attribute(xml: &mut Xml, s: &Sensor) -> &'static str {
    match s.reading {
        Reading::Gyro
        | Reading::Velocimeter
        | Reading::Accelerometer
        | Reading::Magnetometer
        | Reading::Rangefinder
        | Reading::Touch
        | Reading::Force
        | Reading::Torque => "site",
        _ => {
            xml.attribute("objtype", "site");
            "objname"
        }
    }
}
