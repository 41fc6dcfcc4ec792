//! Hydroelastic patches: the faces of a pair of geoms as a whole.

use crate::collision::patch::MOST_VERTICES;
use crate::error::{Error, Result};
use crate::model::spec::HydroelasticKind;
use crate::spatial::Vec3;
use crate::step::{Contact, ContactReport, Sim};

/// The faces through which two geoms press each other, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub geom: [usize; 2],
    /// Area of the closed faces [m²] and its centroid [m]. If no face is closed, the centroid is that of
    /// all faces.
    pub area: f64,
    pub centroid: [f64; 3],
    /// Unit vector from A to B, the mean over the area.
    pub normal: [f64; 3],
    /// Force on B in the last step [N], and torque on B about the centroid [N m].
    pub force: [f64; 3],
    pub torque: [f64; 3],
    /// Its faces among the contacts.
    pub first: usize,
    pub count: usize,
}

impl Patch {
    /// Of faces of one pair, `first` being the number of the first one; impulses count over a time [s].
    fn of(faces: &[ContactReport], first: usize, h: f64) -> Patch {
        let point = |c: &ContactReport| Vec3::from_slice(&c.point);
        let is_closed = |c: &ContactReport| c.gap <= 0.0;
        let any = faces.iter().any(is_closed);
        let counts = |c: &&ContactReport| is_closed(c) || !any;
        let (mut whole, mut moment, mut normal) = (0.0, Vec3::ZERO, Vec3::ZERO);
        for c in faces.iter().filter(counts) {
            whole += c.area;
            moment += point(c) * c.area;
            normal += Vec3::from_slice(&c.normal) * c.area;
        }
        let centroid = moment * (1.0 / whole);
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for c in faces {
            let f = c.force_on_b(1.0 / h);
            force += f;
            torque += (point(c) - centroid).cross(f);
        }
        Patch {
            geom: faces[0].geom,
            area: if any { whole } else { 0.0 },
            centroid: centroid.to_array(),
            normal: normal.normalized().unwrap_or(Vec3::ZERO).to_array(),
            force: force.to_array(),
            torque: torque.to_array(),
            first,
            count: faces.len(),
        }
    }
}

/// The polygons of faces. Contact i has the vertices `starts[i]..starts[i + 1]`, in order around its face;
/// none if it is a point.
#[derive(Clone, Debug, Default)]
pub struct Outlines {
    /// In the world [m].
    pub vertices: Vec<[f64; 3]>,
    /// At the vertices [Pa]; negative on faces that are not closed.
    pub pressures: Vec<f64>,
    pub starts: Vec<usize>,
}

impl Outlines {
    /// Room for the faces of this many contacts.
    ///
    /// # Errors
    /// `Capacity` without memory.
    pub fn new(contacts: usize) -> Result<Outlines> {
        let mut out = Outlines::default();
        let vertices = contacts.saturating_mul(MOST_VERTICES);
        let reserved = (out.vertices.try_reserve_exact(vertices))
            .and_then(|()| out.pressures.try_reserve_exact(vertices))
            .and_then(|()| out.starts.try_reserve_exact(contacts.saturating_add(1)));
        match reserved {
            Ok(()) => Ok(out),
            Err(_) => Err(Error::capacity(format!(
                "options.max_contacts: there is no memory for the faces of {contacts} contacts"
            ))),
        }
    }
}

pub(super) fn outlines(sim: &Sim, out: &mut Outlines) {
    out.vertices.clear();
    out.pressures.clear();
    out.starts.clear();
    out.starts.push(0);
    let Some(scene) = sim.scene() else { return };
    for c in scene.contacts() {
        scene.outline(c, |x, pressure| {
            out.vertices.push(x.to_array());
            out.pressures.push(pressure);
        });
        out.starts.push(out.vertices.len());
    }
}

pub(super) fn has_patches(sim: &Sim) -> bool {
    let kinds = sim.model().geoms().iter().map(|g| g.hydroelastic.kind);
    let mut pressed = kinds.filter(|k| *k != HydroelasticKind::None);
    sim.options().contact == Contact::Convex && pressed.next().is_some()
}

pub(super) fn patches(sim: &Sim) -> impl Iterator<Item = Patch> {
    let h = sim.options().time_step;
    let mut first = 0;
    let together = |a: &ContactReport, b: &ContactReport| a.geom == b.geom;
    let pairs = sim.contacts().chunk_by(together).map(move |faces| {
        let at = first;
        first += faces.len();
        (at, faces)
    });
    let pressed = pairs.filter(|(_, faces)| faces[0].area > 0.0);
    pressed.map(move |(at, faces)| Patch::of(faces, at, h))
}
