//! Springs and tendons in MJCF, with the sites and geoms that their paths name.

use super::names::Names;
use super::writer::{Writer, place, range, zone};
use super::xml_text::{UNBOUNDED, Xml};
use crate::model::sensor::Zone;
use crate::model::spec::ShapeSpec;
use crate::model::tendon::{PathPoint, SpringSpec, TendonPath, TendonSpec, WrapShape, WrapSpec};
use crate::spatial::{Pose, Vec3};

/// A station of a path by its names in the file.
enum Station {
    Site(String),
    /// The geom, and the site on whose side the path passes.
    Geom(String, Option<String>),
    Pulley(f64),
}

/// An element on a body that only paths and sensors need.
enum Extra {
    Site(Vec3),
    /// The site of a sensor, and its zone.
    Seat(Pose, Zone),
    Solid(WrapSpec),
}

/// Paths, before the bodies are written.
pub(super) struct Paths {
    /// Names of the model's sites.
    pub sites: Names,
    /// Additional elements with body and name.
    extra: Vec<(usize, String, Extra)>,
    springs: Vec<[Station; 2]>,
    tendons: Vec<Vec<Station>>,
}

impl Paths {
    pub fn new(w: &mut Writer) -> Paths {
        let model = w.model;
        let names = model.sites().iter().map(|s| &s.name[..]);
        let mut paths = Paths {
            sites: Names::new("site", names, &mut w.losses),
            extra: Vec::new(),
            springs: Vec::new(),
            tendons: Vec::new(),
        };
        for s in model.springs() {
            let ends = [(s.body1, s.anchor1), (s.body2, s.anchor2)];
            let ends = ends.map(|(body, at)| Station::Site(paths.site(w, body, at, &s.name)));
            paths.springs.push(ends);
        }
        for t in model.tendons() {
            let stations = match &t.path {
                TendonPath::Fixed(terms) => {
                    terms.iter().for_each(|(joint, _)| name_joint(w, joint));
                    Vec::new()
                }
                TendonPath::Spatial(path) => {
                    path.iter().map(|p| paths.station(w, p, &t.name)).collect()
                }
            };
            paths.tendons.push(stations);
        }
        paths
    }

    fn station(&mut self, w: &mut Writer, point: &PathPoint, who: &str) -> Station {
        match point {
            PathPoint::Point { body, at } => Station::Site(self.site(w, *body, *at, who)),
            PathPoint::Around(wrap) => {
                let side = wrap.side.map(|(body, at)| self.site(w, body, at, who));
                Station::Geom(self.solid(w, wrap, who), side)
            }
            PathPoint::Pulley { divisor } => Station::Pulley(*divisor),
        }
    }

    /// The name of a site at a point of a body: one of the model's, or a new one.
    fn site(&mut self, w: &mut Writer, body: usize, at: Vec3, who: &str) -> String {
        let mut sites = w.model.sites().iter();
        if let Some(id) = sites.position(|s| s.body == body && s.placement.pos == at) {
            self.sites.need(id, &mut w.losses);
            return self.sites.of(id).to_owned();
        }
        let known = self
            .extra
            .iter()
            .find(|(of, _, extra)| matches!(extra, Extra::Site(p) if *of == body && *p == at));
        if let Some((_, name, _)) = known {
            return name.clone();
        }
        let name = self.sites.fresh(&format!("{who}_point"));
        let what = "points of springs and tendons become sites if they are not sites yet";
        w.losses.note(what, who);
        self.extra.push((body, name.clone(), Extra::Site(at)));
        name
    }

    /// The name of the site of a sensor: one of the model's, or a new one. `felt`: the zone of the sensor, if
    /// it matters.
    pub fn seat(
        &mut self,
        w: &mut Writer,
        (body, at): (usize, &Pose),
        felt: Option<&Zone>,
        who: &str,
    ) -> String {
        let is_it = |zone: &Zone| felt.is_none_or(|felt| felt == zone);
        let mut sites = w.model.sites().iter();
        let found = sites.position(|s| s.body == body && s.placement == *at && is_it(&s.zone));
        if let Some(id) = found {
            self.sites.need(id, &mut w.losses);
            return self.sites.of(id).to_owned();
        }
        let known = self.extra.iter().find(|(of, _, extra)| {
            matches!(extra, Extra::Seat(p, zone) if *of == body && p == at && is_it(zone))
        });
        if let Some((_, name, _)) = known {
            return name.clone();
        }
        let name = self.sites.fresh(&format!("{who}_seat"));
        let what = "places of sensors become sites if they are not sites yet";
        w.losses.note(what, who);
        let extra = Extra::Seat(*at, felt.copied().unwrap_or_default());
        self.extra.push((body, name.clone(), extra));
        name
    }

    /// The name of a geom that is the solid, or of a new one that touches nothing.
    fn solid(&mut self, w: &mut Writer, wrap: &WrapSpec, who: &str) -> String {
        let is_it = |shape: &ShapeSpec| match shape {
            ShapeSpec::Sphere { radius } => {
                wrap.shape == WrapShape::Sphere && *radius == wrap.radius
            }
            ShapeSpec::Cylinder { radius, .. } => {
                wrap.shape == WrapShape::Cylinder && *radius == wrap.radius
            }
            _ => false,
        };
        let mut geoms = w.model.geoms().iter();
        let found = geoms
            .position(|g| g.body == wrap.body && g.placement == wrap.placement && is_it(&g.shape));
        if let Some(id) = found {
            w.geoms.need(id, &mut w.losses);
            return w.geoms.of(id).to_owned();
        }
        let name = w.geoms.fresh(&format!("{who}_solid"));
        let what =
            "wrapping solids of tendons become geoms without contact if they are not geoms yet";
        w.losses.note(what, who);
        let extra = Extra::Solid(wrap.clone());
        self.extra.push((wrap.body, name.clone(), extra));
        name
    }

    /// Writes the elements on a body that paths need.
    pub fn write_on(&self, xml: &mut Xml, body: usize) {
        for (_, name, extra) in self.extra.iter().filter(|(of, ..)| *of == body) {
            match extra {
                Extra::Site(at) => {
                    xml.start("site").attribute("name", name);
                    place(xml, &Pose::translation(*at));
                }
                Extra::Seat(at, felt) => {
                    xml.start("site").attribute("name", name);
                    zone(xml, felt);
                    place(xml, at);
                }
                Extra::Solid(wrap) => {
                    let (kind, size) = match wrap.shape {
                        WrapShape::Sphere => ("sphere", vec![wrap.radius]),
                        WrapShape::Cylinder => ("cylinder", vec![wrap.radius, wrap.radius]),
                    };
                    xml.start("geom")
                        .attribute("name", name)
                        .attribute("type", kind)
                        .numbers("size", &size)
                        .attribute("contype", "0")
                        .attribute("conaffinity", "0");
                    place(xml, &wrap.placement);
                }
            }
            xml.end();
        }
    }

    /// Writes the section of tendons; returns the names of the model's tendons.
    pub fn write(&self, xml: &mut Xml, w: &mut Writer) -> Names {
        let (springs, tendons) = (w.model.springs(), w.model.tendons());
        let given = tendons.iter().map(|t| &t.name[..]);
        let mut names = Names::new("tendon", given, &mut w.losses);
        if springs.is_empty() && tendons.is_empty() {
            return names;
        }
        xml.start("tendon");
        for ((id, t), stations) in tendons.iter().enumerate().zip(&self.tendons) {
            tendon(xml, w, t, names.of(id), stations);
        }
        for (s, ends) in springs.iter().zip(&self.springs) {
            spring(xml, w, s, &names.fresh(&s.name), ends);
        }
        xml.end();
        names
    }
}

/// Names a joint that a fixed tendon or a sensor refers to.
pub(super) fn name_joint(w: &mut Writer, joint: &str) {
    if let Some(id) = w.model.joint_id(joint)
        && let [piece] = &mut w.pieces[id][..]
        && piece.name.is_empty()
    {
        w.joints.need(id, &mut w.losses);
        piece.name = w.joints.of(id).to_owned();
    }
}

fn stations(xml: &mut Xml, list: &[Station]) {
    for station in list {
        match station {
            Station::Site(name) => xml.start("site").attribute("site", name),
            Station::Geom(name, side) => {
                xml.start("geom").attribute("geom", name);
                xml.named("sidesite", side.as_deref().unwrap_or(""))
            }
            Station::Pulley(divisor) => xml.start("pulley").numbers("divisor", &[*divisor]),
        };
        xml.end();
    }
}

fn tendon(xml: &mut Xml, w: &mut Writer, t: &TendonSpec, name: &str, path: &[Station]) {
    let is_fixed = matches!(t.path, TendonPath::Fixed(_));
    xml.start(if is_fixed { "fixed" } else { "spatial" })
        .named("name", name)
        .polynomial("stiffness", t.stiffness, t.stiffness_terms)
        .polynomial("damping", t.damping, t.damping_terms)
        .unless(&[0.0], "frictionloss", &[t.friction_loss]);
    if let Some((mut lower, mut upper)) = t.rest {
        if t.pull_only {
            lower = -UNBOUNDED;
            if t.damping != 0.0 {
                let what = "tendons that only pull are damped in the file at all lengths";
                w.losses.note(what, &t.name);
            }
        }
        // MJCF's form of an unset value.
        if (lower, upper) == (-1.0, -1.0) {
            upper = upper.next_up();
            let what = "rest lengths of -1 differ in their last bit";
            w.losses.note(what, &t.name);
        }
        xml.numbers("springlength", &[lower, upper]);
    }
    if let Some(limits) = t.limits.filter(|l| l.0.is_finite() || l.1.is_finite()) {
        range(
            xml,
            &mut w.losses,
            "range",
            "tendon limits",
            limits,
            &t.name,
        );
    }
    xml.unless(&[0.0], "margin", &[t.limit_margin]);
    match &t.path {
        TendonPath::Spatial(_) => stations(xml, path),
        TendonPath::Fixed(terms) => {
            for (joint, coefficient) in terms {
                let piece = w.model.joint_id(joint).and_then(|id| w.pieces[id].first());
                let joint = piece.map_or(&joint[..], |p| &p.name);
                xml.start("joint")
                    .attribute("joint", joint)
                    .numbers("coef", &[*coefficient]);
                xml.end();
            }
        }
    }
    xml.end();
}

/// A tendon of rest length zero.
fn spring(xml: &mut Xml, w: &mut Writer, s: &SpringSpec, name: &str, ends: &[Station; 2]) {
    w.losses
        .note("springs become tendons with a rest length of zero", &s.name);
    if s.damping != 0.0 {
        let what = "springs are damped in the file along their line only";
        w.losses.note(what, &s.name);
    }
    xml.start("spatial")
        .named("name", name)
        .unless(&[0.0], "stiffness", &[s.stiffness])
        .unless(&[0.0], "damping", &[s.damping])
        .numbers("springlength", &[0.0, 0.0]);
    stations(xml, ends);
    xml.end();
}
