//! Reads a recording: all whole data, and a description of the damage.

use super::bytes::Source;
use super::crc::Crc32;
use super::frame::{ARROW, CONTACT, WRENCH};
use super::surface::RecordingSurface;
use super::{CHUNK_HEAD, KIND_SURFACE, SIGNATURE, VERSION};
use crate::error::{Error, Result};
use std::sync::Arc;

/// A body of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingBody {
    pub name: String,
    pub parent: usize,
    pub mass: f64,
    pub com: [f64; 3],
}

/// A joint of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingJoint {
    pub name: String,
    /// A [`crate::model::spec::JointKind`].
    pub kind: u32,
    pub body: usize,
    pub iq: usize,
    pub nq: usize,
    pub iv: usize,
    pub nv: usize,
    pub limits: [f64; 2],
    pub axis: [f64; 3],
    pub anchor: [f64; 3],
}

/// A shape of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingShape {
    pub name: String,
    /// True if the shape touches nothing.
    pub visual: bool,
    /// Kind as in ds_geom_kind.
    pub kind: u32,
    pub body: usize,
    pub geom: Option<usize>,
    pub mesh: Option<usize>,
    pub rgba: [f32; 4],
    pub size: [f64; 3],
    /// Position and quaternion (x y z w) in the body's frame.
    pub placement: [f64; 7],
    pub friction: f64,
}

/// Triangles of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingMesh {
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Of each triangle's corners: colours r g b, or with an image places u v there (v upward) and 0. Empty
    /// without either.
    pub corners: Vec<[[f32; 3]; 3]>,
    /// Number of the image.
    pub image: Option<usize>,
}

/// A frame of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub time: f64,
    pub step: u64,
    /// A [`crate::step::Gradient`]; `None` for a state that no step produced.
    pub gradient: Option<u32>,
    pub converged: bool,
    pub residual: f64,
    pub switch_distance: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    /// For each body: position and quaternion (x y z w).
    pub poses: Vec<[f64; 7]>,
    pub channels: Vec<f64>,
    /// For each joint: bit 0 at its lower limit, bit 1 at its upper limit.
    pub limits: Vec<u8>,
    /// geom A, geom B, mode; then point, normal, first tangent, impulse (t1 t2 n) and gap.
    pub contacts: Vec<([u32; 3], [f64; 13])>,
    pub wrenches: Vec<(usize, [f64; 6])>,
    /// quantity, angular, body; point and vector.
    pub arrows: Vec<([u32; 3], [f64; 6])>,
    /// The surfaces that the frame shows.
    pub surfaces: Vec<Arc<RecordingSurface>>,
}

/// The content of a recording.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub name: String,
    pub rate: f64,
    pub gravity: [f64; 3],
    pub nq: usize,
    pub nv: usize,
    pub nu: usize,
    pub bodies: Vec<RecordingBody>,
    pub joints: Vec<RecordingJoint>,
    pub actuators: Vec<String>,
    /// Name and size.
    pub channels: Vec<(String, usize)>,
    pub shapes: Vec<RecordingShape>,
    pub meshes: Vec<RecordingMesh>,
    /// The bytes of PNG and JPEG files.
    pub images: Vec<Vec<u8>>,
    pub frames: Vec<Frame>,
    /// The damage behind the last whole chunk; `None` if the file is whole.
    pub damage: Option<String>,
    /// Surfaces that the next frames show.
    shown: Vec<Arc<RecordingSurface>>,
}

/// Reads a recording. If it ends within a chunk, or a chunk violates its checksum, the data before it are
/// returned, and `damage` describes the fault.
///
/// # Errors
/// `Parse` if this is not a recording or lacks its first chunk; `Unsupported` for another version of the
/// format.
pub fn read(bytes: &[u8]) -> Result<Recording> {
    let Some(mut rest) = bytes.strip_prefix(&SIGNATURE) else {
        return Err(Error::parse(
            "this is not a recording: its signature is missing",
        ));
    };
    let mut recording = Recording::default();
    let mut headed = false;
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        let (kind, payload) = match chunk(rest) {
            Ok(found) => found,
            Err(what) => {
                recording.damage = Some(format!("byte {at}: {what}"));
                break;
            }
        };
        rest = &rest[CHUNK_HEAD + payload.len()..];
        let source = Source(payload);
        let read = match &kind {
            b"HEAD" => {
                headed = true;
                recording.head(source)
            }
            b"IMAG" => recording.image(source),
            b"MESH" => recording.mesh(source),
            b"SHAP" => recording.shapes(source),
            b"FRMS" => recording.frames(source),
            &KIND_SURFACE => recording.surface(source),
            // A later version may have more chunks.
            _ => Ok(()),
        };
        read.map_err(|e| Error {
            status: e.status,
            message: format!("byte {at}: {}", e.message),
        })?;
    }
    if headed {
        return Ok(recording);
    }
    let why = recording.damage.unwrap_or("it has no head".into());
    Err(Error::parse(format!("the recording is not whole: {why}")))
}

fn chunk(bytes: &[u8]) -> std::result::Result<([u8; 4], &[u8]), String> {
    let mut source = Source(bytes);
    let mut head = || -> Result<_> {
        let kind = source.bytes(4)?;
        Ok((
            [kind[0], kind[1], kind[2], kind[3]],
            source.u32()?,
            source.u64()?,
        ))
    };
    let cut = || "the file ends within a chunk".to_owned();
    let (kind, crc, length) = head().map_err(|_| cut())?;
    let payload = usize::try_from(length).ok().and_then(|n| source.0.get(..n));
    let payload = payload.ok_or_else(cut)?;
    let found = Crc32::new()
        .add(&kind)
        .add(&length.to_le_bytes())
        .add(payload);
    if found.value() != crc {
        return Err("a chunk does not match its checksum".into());
    }
    Ok((kind, payload))
}

fn optional(i: u32) -> Option<usize> {
    (i != u32::MAX).then_some(i as usize)
}

impl Recording {
    fn head(&mut self, mut s: Source) -> Result<()> {
        let version = s.u32()?;
        if version != VERSION {
            return Err(Error::unsupported(format!(
                "version {version} of the format, this library reads {VERSION}"
            )));
        }
        let mut counts = [0; 7];
        for n in &mut counts {
            *n = s.u32()? as usize;
        }
        let [nq, nv, nu, bodies, joints, channels, _] = counts;
        (self.nq, self.nv, self.nu) = (nq, nv, nu);
        self.rate = s.f64()?;
        self.gravity = s.array()?;
        self.name = s.text()?;
        for _ in 0..bodies {
            self.bodies.push(RecordingBody {
                name: s.text()?,
                parent: s.u32()? as usize,
                mass: s.f64()?,
                com: s.array()?,
            });
        }
        for _ in 0..joints {
            let name = s.text()?;
            let mut n = [0; 6];
            for n in &mut n {
                *n = s.u32()?;
            }
            let [kind, body, iq, nq, iv, nv] = n;
            let [body, iq, nq, iv, nv] = [body, iq, nq, iv, nv].map(|n| n as usize);
            self.joints.push(RecordingJoint {
                name,
                kind,
                body,
                iq,
                nq,
                iv,
                nv,
                limits: s.array()?,
                axis: s.array()?,
                anchor: s.array()?,
            });
        }
        for _ in 0..nu {
            self.actuators.push(s.text()?);
        }
        for _ in 0..channels {
            self.channels.push((s.text()?, s.u32()? as usize));
        }
        Ok(())
    }

    fn image(&mut self, mut s: Source) -> Result<()> {
        let [_, length] = [s.u32()?, s.u32()?];
        self.images.push(s.bytes(length as usize)?.to_vec());
        Ok(())
    }

    fn mesh(&mut self, mut s: Source) -> Result<()> {
        let [_, vertices, triangles, coat] = [s.u32()?, s.u32()?, s.u32()?, s.u32()?];
        let word = |b: &[u8]| [b[0], b[1], b[2], b[3]];
        let bytes = s.bytes((vertices as usize).saturating_mul(12))?;
        let vertex = |b: &[u8]| [0, 4, 8].map(|k| f32::from_le_bytes(word(&b[k..])));
        let points = bytes.chunks_exact(12).map(vertex).collect();
        let faces = s.triangles(triangles, vertices)?;
        let image = (coat as usize).checked_sub(2);
        if image.is_some_and(|k| k >= self.images.len()) {
            return Err(Error::parse(
                "a mesh has the number of an image out of range",
            ));
        }
        let mut corners = Vec::new();
        if coat > 0 {
            let bytes = s.bytes((triangles as usize).saturating_mul(36))?;
            let corner = |b: &[u8]| [0, 12, 24].map(|k| vertex(&b[k..]));
            corners = bytes.chunks_exact(36).map(corner).collect();
        }
        self.meshes.push(RecordingMesh {
            vertices: points,
            triangles: faces,
            corners,
            image,
        });
        Ok(())
    }

    fn shapes(&mut self, mut s: Source) -> Result<()> {
        for _ in 0..s.u32()? {
            let [role, kind, body, geom, mesh] = [s.u32()?, s.u32()?, s.u32()?, s.u32()?, s.u32()?];
            let mut rgba = [0.0; 4];
            for x in &mut rgba {
                *x = f32::from_bits(s.u32()?);
            }
            self.shapes.push(RecordingShape {
                visual: role == 1,
                kind,
                body: body as usize,
                geom: optional(geom),
                mesh: optional(mesh),
                rgba,
                size: s.array()?,
                placement: s.array()?,
                friction: s.f64()?,
                name: s.text()?,
            });
        }
        Ok(())
    }

    fn surface(&mut self, s: Source) -> Result<()> {
        let surface = RecordingSurface::read(s)?;
        let place = (self.shown).binary_search_by(|x| x.name.cmp(&surface.name));
        match (place, surface.points.is_empty()) {
            (Ok(i), true) => drop(self.shown.remove(i)),
            (Ok(i), false) => self.shown[i] = Arc::new(surface),
            (Err(_), true) => {}
            (Err(i), false) => self.shown.insert(i, Arc::new(surface)),
        }
        Ok(())
    }

    fn frames(&mut self, mut s: Source) -> Result<()> {
        for _ in 0..s.u64()? {
            let size = Source(s.0).u32()? as usize;
            let frame = self.frame(Source(s.bytes(size)?))?;
            self.frames.push(frame);
        }
        Ok(())
    }

    fn frame(&self, mut s: Source) -> Result<Frame> {
        let size = s.u32()? as usize;
        let [contacts, wrenches, arrows] = [s.u32()?, s.u32()?, s.u32()?].map(|n| n as usize);
        let variable = contacts
            .saturating_mul(CONTACT)
            .saturating_add(wrenches.saturating_mul(WRENCH))
            .saturating_add(arrows.saturating_mul(ARROW));
        if variable > size {
            return Err(Error::parse("a frame is shorter than its stated counts"));
        }
        let gradient = s.u32()?;
        let mut frame = Frame {
            gradient: (gradient != super::frame::NO_STEP).then_some(gradient),
            converged: s.u32()? == 1,
            time: s.f64()?,
            step: s.u64()?,
            residual: s.f64()?,
            switch_distance: s.f64()?,
            q: s.numbers(self.nq)?,
            v: s.numbers(self.nv)?,
            u: s.numbers(self.nu)?,
            poses: Vec::new(),
            channels: Vec::new(),
            limits: Vec::new(),
            contacts: Vec::new(),
            wrenches: Vec::new(),
            arrows: Vec::new(),
            surfaces: self.shown.clone(),
        };
        for _ in &self.bodies {
            frame.poses.push(s.array()?);
        }
        frame.channels = s.numbers(self.channels.iter().map(|c| c.1).sum())?;
        let joints = self.joints.len();
        frame.limits = s.bytes(joints)?.to_vec();
        s.bytes(joints.next_multiple_of(8) - joints)?;
        for _ in 0..contacts {
            let [a, b, mode, _] = [s.u32()?, s.u32()?, s.u32()?, s.u32()?];
            frame.contacts.push(([a, b, mode], s.array()?));
        }
        for _ in 0..wrenches {
            let [body, _] = [s.u32()?, s.u32()?];
            frame.wrenches.push((body as usize, s.array()?));
        }
        for _ in 0..arrows {
            let [quantity, angular, body, _] = [s.u32()?, s.u32()?, s.u32()?, s.u32()?];
            frame.arrows.push(([quantity, angular, body], s.array()?));
        }
        if !s.0.is_empty() {
            return Err(Error::parse("a frame is longer than its stated counts"));
        }
        Ok(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::options::{Format, LoadOptions, load_str};
    use crate::load::soup::Coat;
    use crate::load::visual::{Visual, Visuals};
    use crate::model::mesh::TriMesh;
    use crate::model::spec::{MeshMode, OpenMesh, ShapeSpec};
    use crate::record::write::chunk_head;
    use crate::record::{Recorder, RecorderOptions};
    use crate::spatial::{Pose, Vec3};
    use std::sync::Arc;

    /// Any four bytes of a chunk changed, with a matching checksum: an error, or another recording.
    #[test]
    fn whatever_chunks_say_is_read_or_refused() {
        let text =
            "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>";
        let model = load_str(text, Format::Mjcf, None, &LoadOptions::default()).expect("a model");
        let mut recorder =
            Recorder::new(Arc::new(model), &RecorderOptions::default()).expect("a recorder");
        let q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        recorder.add_channel("one", 1).expect("a channel");
        let sheet = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        recorder
            .set_surface("sheet", &sheet, &[[0, 1, 2]], [1.0; 4])
            .expect("a surface");
        let corner = [0.25, 0.75, 0.0];
        let image: Arc<[u8]> = Arc::from(&b"image"[..]);
        for image in [None, Some(image.clone())] {
            let mesh = TriMesh {
                vertices: sheet.map(|p| Vec3::from_slice(&p)).to_vec(),
                triangles: vec![[0, 1, 2]],
            };
            let shape = ShapeSpec::Mesh {
                mesh: Arc::new(mesh),
                mode: MeshMode::Hull,
                open: OpenMesh::Hull,
            };
            let visual = Visual {
                name: "drawn".into(),
                body: 1,
                placement: Pose::IDENTITY,
                shape,
                rgba: [1.0; 4],
                coat: Some(Arc::new(Coat {
                    corners: vec![[corner; 3]],
                    image,
                })),
                file: None,
            };
            let visuals = Visuals {
                shapes: vec![visual],
                ..Visuals::default()
            };
            recorder.add_visuals(visuals).expect("a shape");
        }
        recorder.state(0.0, &q, &[0.0; 6]).expect("a frame");
        let bytes = recorder.bytes().to_vec();
        let whole = read(&bytes).expect("a recording");
        assert_eq!(whole.images, [image.to_vec()]);
        let coats: Vec<_> = whole
            .meshes
            .iter()
            .map(|m| (&m.corners[..], m.image))
            .collect();
        assert_eq!(
            coats,
            [(&[[corner; 3]][..], None), (&[[corner; 3]][..], Some(0))]
        );
        let (mut at, mut refused) = (8, 0);
        while at < bytes.len() {
            let (kind, payload) = chunk(&bytes[at..]).expect("a chunk");
            let end = at + CHUNK_HEAD + payload.len();
            for spot in (0..payload.len()).step_by(4) {
                for word in [0u32, 1, 7, 1 << 16, 1 << 31, u32::MAX] {
                    let mut bad = payload.to_vec();
                    bad[spot..spot + 4].copy_from_slice(&word.to_le_bytes());
                    let head = chunk_head(kind, &[&bad]);
                    let whole = [&bytes[..at], &head, &bad, &bytes[end..]].concat();
                    refused += usize::from(read(&whole).is_err());
                }
            }
            at = end;
        }
        assert!(refused > 20, "{refused}");
    }
}
