//! Loads files by name, with the caller's changes to their content.

use super::mjcf::{self, MjcfOptions};
use super::urdf::{self, Folders, Mimic, MissingMesh, UrdfOptions};
use super::visual::{Visual, Visuals};
use crate::collision::scene::{exclude_inseparable, exclude_overlapping, with_geometry};
use crate::error::{Error, Result};
use crate::model::pair_rules::robots;
use crate::model::spec::{
    BodySpec, EqualityKind, GeomSpec, JointKind, JointSpec, KeyframeSpec, MeshMode, ModelSpec,
    OpenMesh, ReductionSpec, ShapeSpec,
};
use crate::model::{Actuation, Model};
use crate::spatial::{Inertia, Pose, Quat};
use std::path::{Path, PathBuf};

/// Name of the geom that [`LoadOptions::ground_friction`] adds.
pub const GROUND: &str = "ground";

/// Name of the joint that [`Base::Free`] adds: Pinocchio's.
pub const ROOT_JOINT: &str = "root_joint";

/// Format of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Urdf,
    Mjcf,
}

/// The connection of the robot to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The connection in the file.
    #[default]
    FromFile,
    /// Free joints of bodies on the world are removed: they stay at their placements in the file.
    Fixed,
    /// The one body with mass that is welded to the world gets a free joint, [`ROOT_JOINT`].
    Free,
}

/// The caller's changes to a file.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub base: Base,
    pub actuation: Actuation,
    /// Adds the plane z = 0 of the world, a geom called [`GROUND`]. Each of its contacts has this
    /// friction coefficient, for any coefficient of the other geom.
    pub ground_friction: Option<f64>,
    /// Directories of meshes besides the file's own directory.
    pub mesh_dirs: Vec<PathBuf>,
    pub mimic: Mimic,
    pub missing_mesh: MissingMesh,
    pub mesh_mode: MeshMode,
    pub open_mesh: OpenMesh,
    /// True if bodies of one robot (all bodies below one child of the world) may touch each other.
    pub self_collision: bool,
    /// Excludes contact between geoms of one robot that overlap at the neutral configuration; see
    /// [`exclude_overlapping`].
    pub exclude_overlapping: bool,
    /// Lets geoms of one robot touch even if they overlap in most configurations; see
    /// [`exclude_inseparable`].
    pub keep_inseparable: bool,
    /// Clamps actuator forces to the joints' efforts.
    pub effort_limits: bool,
    /// Makes actuators from a URDF's transmissions; see [`UrdfOptions::transmissions`].
    pub transmissions: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions {
            base: Base::FromFile,
            actuation: Actuation::FromFile,
            ground_friction: None,
            mesh_dirs: Vec::new(),
            mimic: Mimic::default(),
            missing_mesh: MissingMesh::Error,
            mesh_mode: MeshMode::Hull,
            open_mesh: OpenMesh::Hull,
            self_collision: true,
            exclude_overlapping: false,
            keep_inseparable: false,
            effort_limits: false,
            transmissions: false,
        }
    }
}

/// Loads a file: `.urdf`, or `.xml` and `.mjcf` for MJCF.
///
/// # Errors
/// `Unsupported` for another extension; the reader's, [`Model::compile`]'s and [`with_geometry`]'s.
pub fn load_file(path: &Path, options: &LoadOptions) -> Result<Model> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let spec = match extension.as_deref() {
        Some("urdf") => urdf::read_file(path, &options.urdf()),
        Some("xml" | "mjcf") => mjcf::read_file(path, &options.mjcf()),
        _ => Err(Error::unsupported(format!(
            "path: expected a file .urdf, .xml or .mjcf, got \"{}\"",
            path.display()
        ))),
    }?;
    finish(spec, options).map_err(|e| Error {
        status: e.status,
        message: format!("{}: {}", path.display(), e.message),
    })
}

/// Loads a text. Meshes and includes are looked for as if its file were in `base_dir`.
///
/// # Errors
/// The reader's, [`Model::compile`]'s and [`with_geometry`]'s.
pub fn load_str(
    text: &str,
    format: Format,
    base_dir: Option<&Path>,
    options: &LoadOptions,
) -> Result<Model> {
    let spec = match format {
        Format::Urdf => urdf::read_str(text, base_dir, &options.urdf()),
        Format::Mjcf => mjcf::read_str(text, base_dir, &options.mjcf()),
    }?;
    finish(spec, options)
}

/// The visual shapes of a file for a model loaded from it: the `<visual>` elements of a URDF. None for an
/// MJCF: its geoms that touch nothing are in the model.
///
/// # Errors
/// `Io`, `Parse`, and `Unsupported` for other files.
pub fn read_visuals(path: &Path, mesh_dirs: &[PathBuf], model: &Model) -> Result<Visuals> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("urdf") => {
            let text = super::read_text(path)?;
            urdf::visuals(&text, &Folders::of_file(path, mesh_dirs), model).map_err(|e| Error {
                status: e.status,
                message: format!("{}: {}", path.display(), e.message),
            })
        }
        Some("xml" | "mjcf") => Ok(Visuals::default()),
        _ => Err(Error::unsupported(format!(
            "path: expected a file .urdf, .xml or .mjcf, got \"{}\"",
            path.display()
        ))),
    }
}

/// All shapes of a file that touch nothing: those of [`read_visuals`], and the geoms of an MJCF that touch
/// nothing.
///
/// # Errors
/// As [`read_visuals`].
pub fn read_drawings(path: &Path, mesh_dirs: &[PathBuf], model: &Model) -> Result<Visuals> {
    let mut found = read_visuals(path, mesh_dirs, model)?;
    let idle = (model.geoms().iter()).filter(|g| g.contype == 0 && g.conaffinity == 0);
    found.shapes.extend(idle.map(|g| Visual {
        name: g.name.clone(),
        body: g.body,
        placement: g.placement,
        shape: g.shape.clone(),
        rgba: g.rgba,
        coat: None,
        file: None,
    }));
    Ok(found)
}

fn finish(mut spec: ModelSpec, options: &LoadOptions) -> Result<Model> {
    if options.transmissions && options.actuation != Actuation::FromFile {
        return Err(Error::invalid(
            "transmissions: expected with actuation = DS_ACTUATION_FROM_FILE only; other choices replace the actuators",
        ));
    }
    match options.base {
        Base::FromFile => {}
        Base::Fixed => fix_bases(&mut spec),
        Base::Free => free_base(&mut spec)?,
    }
    for g in &mut spec.geoms {
        if let ShapeSpec::Mesh { mode, open, .. } = &mut g.shape {
            (*mode, *open) = (options.mesh_mode, options.open_mesh);
        }
    }
    if !options.self_collision {
        exclude_selves(&mut spec);
    }
    if let Some(friction) = options.ground_friction {
        add_ground(&mut spec, friction)?;
    }
    if options.mimic == Mimic::Reduce {
        reduce_followers(&mut spec);
    }
    let mut model = Model::compile(spec, options.actuation)?;
    if options.effort_limits {
        model = model.with_effort_limits();
    }
    model = with_geometry(model)?;
    if !options.keep_inseparable {
        model = exclude_inseparable(&model)?;
    }
    if options.exclude_overlapping {
        model = exclude_overlapping(&model, model.neutral())?;
    }
    Ok(model)
}

impl LoadOptions {
    fn urdf(&self) -> UrdfOptions {
        UrdfOptions {
            mesh_dirs: self.mesh_dirs.clone(),
            mimic: self.mimic,
            missing_mesh: self.missing_mesh,
            transmissions: self.transmissions,
        }
    }

    fn mjcf(&self) -> MjcfOptions {
        MjcfOptions {
            mesh_dirs: self.mesh_dirs.clone(),
        }
    }
}

/// Excludes contact between all bodies below the same child of the world.
fn exclude_selves(spec: &mut ModelSpec) {
    let robot = robots(spec.bodies.iter().map(|b| b.parent));
    let mut solid: Vec<usize> = spec.geoms.iter().map(|g| g.body).collect();
    solid.retain(|b| *b > 0 && *b < robot.len());
    solid.sort_unstable();
    solid.dedup();
    for (i, &a) in solid.iter().enumerate() {
        for &b in &solid[i + 1..] {
            if robot[a] == robot[b] {
                spec.excludes.push((a, b));
            }
        }
    }
}

/// Replaces equalities by which a joint follows another one linearly by reductions, one for each leader that
/// follows no other joint. The coordinate of a reduction is that of its leader. Equalities that would close
/// a circle or give a joint a second leader stay.
fn reduce_followers(spec: &mut ModelSpec) {
    let reference = |name: &str| {
        let mut all = spec.bodies.iter().flat_map(|b| &b.joints);
        all.find(|j| j.name == name).map(|j| j.reference)
    };
    // Leader, factor and constant of each follower.
    let mut follows: Vec<(String, String, f64, f64)> = Vec::new();
    let mut kept = Vec::new();
    for e in &spec.equalities {
        let line = match &e.kind {
            EqualityKind::Joint {
                joint1,
                joint2: Some(joint2),
                coefficients: [c0, c1, rest @ ..],
                dofs: [0, 0],
            } if e.active && *rest == [0.0; 3] => {
                let refs = reference(joint1).zip(reference(joint2));
                refs.map(|(r1, r2)| (joint1.clone(), joint2.clone(), *c1, r1 + c0 - c1 * r2))
            }
            _ => None,
        };
        let line = line.filter(|(follower, leader, ..)| {
            let leader_of = |name: &str| follows.iter().find(|f| f.0 == name).map(|f| &f.1);
            let mut up = Some(leader);
            while let Some(name) = up.filter(|name| *name != follower) {
                up = leader_of(name);
            }
            up.is_none() && leader_of(follower).is_none()
        });
        match line {
            Some(line) => follows.push(line),
            None => kept.push(e.clone()),
        }
    }
    let mut made: Vec<ReductionSpec> = Vec::new();
    for (follower, leader, factor, constant) in &follows {
        let (mut root, mut factor, mut constant) = (leader, *factor, *constant);
        while let Some((_, up, f, c)) = follows.iter().find(|f| f.0 == *root) {
            // q = constant + factor · (c + f · q_up)
            (constant, factor) = (constant + factor * c, factor * f);
            root = up;
        }
        let reduction = match made.iter().position(|r| r.name == *root) {
            Some(k) => &mut made[k],
            None => {
                made.push(ReductionSpec {
                    name: root.clone(),
                    joints: vec![root.clone()],
                    columns: 1,
                    matrix: vec![1.0],
                    offset: vec![0.0],
                    origin: String::new(),
                });
                let last = made.len() - 1;
                &mut made[last]
            }
        };
        reduction.joints.push(follower.clone());
        reduction.matrix.push(factor);
        reduction.offset.push(constant);
    }
    spec.equalities = kept;
    spec.reductions.extend(made);
}

fn add_ground(spec: &mut ModelSpec, friction: f64) -> Result<()> {
    if !(friction >= 0.0 && friction.is_finite()) {
        return Err(Error::invalid(format!(
            "ground_friction: must be finite and not negative, got {friction}"
        )));
    }
    if spec.geoms.iter().any(|g| g.name == GROUND) {
        return Err(Error::invalid(format!(
            "ground_plane: the description has a geom \"{GROUND}\" of its own"
        )));
    }
    let plane = ShapeSpec::Plane {
        half_extents: [0.0; 2],
    };
    let mut ground = GeomSpec::new(GROUND, 0, Pose::IDENTITY, plane);
    ground.friction[0] = friction;
    // The highest priority: the pair has the ground's friction.
    ground.priority = i32::MAX;
    spec.geoms.push(ground);
    Ok(())
}

fn fix_bases(spec: &mut ModelSpec) {
    for i in 1..spec.bodies.len() {
        let b = &spec.bodies[i];
        if b.parent == 0 && !b.mocap && b.joints.iter().any(|j| j.kind == JointKind::Free) {
            let at = mujoco_indices(&spec.bodies, i);
            spec.bodies[i].joints.clear();
            for k in &mut spec.keyframes {
                k.splice(at, (7, &[]), (6, &[]));
            }
        }
    }
}

fn free_base(spec: &mut ModelSpec) -> Result<()> {
    let welded = |b: &BodySpec| b.joints.iter().all(|j| j.kind == JointKind::Fixed);
    let (top, massive) = subtrees(&spec.bodies);
    let roots: Vec<usize> = (1..spec.bodies.len())
        .filter(|&i| top[i] == i && massive[i])
        .collect();
    let loose: Vec<usize> = roots
        .iter()
        .copied()
        .filter(|&i| welded(&spec.bodies[i]))
        .collect();
    let names = |list: &[usize]| -> String {
        let quoted = list.iter().map(|&i| format!("\"{}\"", spec.bodies[i].name));
        quoted.collect::<Vec<_>>().join(", ")
    };
    match loose[..] {
        [i] => {
            let b = &mut spec.bodies[i];
            b.joints = vec![JointSpec::new(ROOT_JOINT, JointKind::Free)];
            let mut qpos = b.placement.pos.to_array().to_vec();
            let [x, y, z, w] = Quat::from_mat3(&b.placement.rot).to_array();
            qpos.extend([w, x, y, z]);
            let at = mujoco_indices(&spec.bodies, i);
            for k in &mut spec.keyframes {
                k.splice(at, (0, &qpos), (0, &[0.0; 6]));
            }
            Ok(())
        }
        [] => {
            let is_free = |&i: &usize| {
                let joints = &spec.bodies[i].joints;
                joints.iter().all(|j| j.kind == JointKind::Free)
            };
            if !roots.is_empty() && roots.iter().all(is_free) {
                return Ok(());
            }
            let found = match roots.is_empty() {
                true => "no body of the file has mass".to_owned(),
                false => format!("all bodies with mass have joints: {}", names(&roots)),
            };
            Err(Error::invalid(format!(
                "base: DS_BASE_FREE needs a body with mass that is welded to the world; {found}"
            )))
        }
        _ => Err(Error::invalid(format!(
            "base: DS_BASE_FREE needs one body welded to the world, got {}: {}",
            loose.len(),
            names(&loose)
        ))),
    }
}

/// For each body its ancestor that is a child of the world, and whether its subtree has inertia.
fn subtrees(bodies: &[BodySpec]) -> (Vec<usize>, Vec<bool>) {
    let mut top: Vec<usize> = (0..bodies.len()).collect();
    let mut massive: Vec<bool> = bodies.iter().map(|b| b.inertia != Inertia::ZERO).collect();
    for (i, b) in bodies.iter().enumerate() {
        // Compilation refuses a parent that does not come first.
        if b.parent != 0 && b.parent < i {
            top[i] = top[b.parent];
        }
    }
    for i in (1..bodies.len()).rev() {
        if massive[i] && bodies[i].parent < i {
            massive[bodies[i].parent] = true;
        }
    }
    (top, massive)
}

/// Start in MuJoCo's qpos and qvel of the joints of a body on the world.
fn mujoco_indices(bodies: &[BodySpec], body: usize) -> (usize, usize) {
    let (top, _) = subtrees(bodies);
    let before = (1..bodies.len()).filter(|&i| top[i] < body && !bodies[i].mocap);
    let joints = before.flat_map(|i| &bodies[i].joints);
    joints.fold((0, 0), |(q, v), j| {
        let (nq, nv) = match j.kind {
            JointKind::Fixed => (0, 0),
            JointKind::Revolute
            | JointKind::Continuous
            | JointKind::Prismatic
            | JointKind::SplineCurve => (1, 1),
            JointKind::Spherical => (4, 3),
            JointKind::Free => (7, 6),
            JointKind::PlanarTranslation | JointKind::Universal | JointKind::SplineSurface => {
                (2, 2)
            }
            JointKind::Translation | JointKind::Planar | JointKind::Euler => (3, 3),
        };
        (q + nq, v + nv)
    })
}

impl KeyframeSpec {
    /// Replaces some numbers of qpos and qvel. Of a list that ends among them the rest is dropped.
    fn splice(
        &mut self,
        at: (usize, usize),
        (nq, qpos): (usize, &[f64]),
        (nv, qvel): (usize, &[f64]),
    ) {
        for (list, at, n, new) in [
            (&mut self.qpos, at.0, nq, qpos),
            (&mut self.qvel, at.1, nv, qvel),
        ] {
            match list.len() {
                0 => {}
                len if len >= at + n => drop(list.splice(at..at + n, new.iter().copied())),
                _ => list.truncate(at),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Sym3, Vec3};

    fn body(name: &str, parent: usize, kind: Option<JointKind>) -> BodySpec {
        BodySpec {
            name: name.into(),
            parent,
            placement: Pose::translation(Vec3::new(1.0, 2.0, 3.0)),
            inertia: Inertia::from_com(1.0, Vec3::ZERO, Sym3::new(1.0, 0.0, 1.0, 0.0, 0.0, 1.0)),
            joints: kind
                .map(|k| JointSpec::new(format!("j_{name}"), k))
                .into_iter()
                .collect(),
            ..BodySpec::world()
        }
    }

    /// A slider, then a robot whose base hangs by `base`, with a hinge.
    fn scene(base: Option<JointKind>) -> ModelSpec {
        ModelSpec {
            bodies: vec![
                BodySpec::world(),
                body("slider", 0, Some(JointKind::Prismatic)),
                body("base", 0, base),
                body("arm", 2, Some(JointKind::Revolute)),
            ],
            ..ModelSpec::default()
        }
    }

    fn key(qpos: &[f64], qvel: &[f64]) -> KeyframeSpec {
        KeyframeSpec {
            name: "home".into(),
            qpos: qpos.into(),
            mocap: Vec::new(),
            qvel: qvel.into(),
            ctrl: Vec::new(),
            act: Vec::new(),
            origin: String::new(),
        }
    }

    fn with_base(spec: ModelSpec, base: Base) -> Result<Model> {
        finish(
            spec,
            &LoadOptions {
                base,
                ..LoadOptions::default()
            },
        )
    }

    #[test]
    fn a_free_base_is_added_and_keyframes_grow() -> Result<()> {
        let mut spec = scene(None);
        spec.keyframes.push(key(&[0.1, 0.2], &[0.3, 0.4]));
        let m = with_base(spec, Base::Free)?;
        assert_eq!((m.nq(), m.nv()), (9, 8));
        assert_eq!(m.joint_id(ROOT_JOINT), Some(1));
        let k = m.keyframe("home")?;
        assert_eq!(k.q, [0.1, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.2]);
        assert_eq!(k.v, [0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]);
        Ok(())
    }

    #[test]
    fn a_free_base_is_removed_and_keyframes_shrink() -> Result<()> {
        let mut spec = scene(Some(JointKind::Free));
        let qpos = [0.1, 9.0, 9.0, 9.0, 1.0, 0.0, 0.0, 0.0, 0.2];
        spec.keyframes
            .push(key(&qpos, &[0.3, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.4]));
        let m = with_base(spec, Base::Fixed)?;
        assert_eq!((m.nq(), m.nv()), (2, 2));
        let k = m.keyframe("home")?;
        assert_eq!((&k.q[..], &k.v[..]), (&[0.1, 0.2][..], &[0.3, 0.4][..]));
        assert_eq!(m.bodies()[2].placement.pos, Vec3::new(1.0, 2.0, 3.0));
        Ok(())
    }

    #[test]
    fn a_free_base_stays_and_ambiguous_ones_are_refused() -> Result<()> {
        let mut spec = scene(Some(JointKind::Free));
        spec.bodies[1].joints[0].kind = JointKind::Free;
        assert_eq!(with_base(spec, Base::Free)?.nv(), 13);
        let message = |spec| with_base(spec, Base::Free).map_err(|e| e.message).err();
        let hinged = message(scene(Some(JointKind::Revolute))).unwrap_or_default();
        assert!(hinged.contains("\"slider\", \"base\""), "{hinged}");
        let mut spec = scene(None);
        spec.bodies[1].joints.clear();
        let two = message(spec).unwrap_or_default();
        assert!(two.contains("got 2: \"slider\", \"base\""), "{two}");
        Ok(())
    }

    #[test]
    fn the_ground_outranks_every_geom() -> Result<()> {
        let options = LoadOptions {
            ground_friction: Some(0.7),
            ..LoadOptions::default()
        };
        let m = finish(scene(None), &options)?;
        let g = &m.geoms()[m.geom_id(GROUND).unwrap_or(usize::MAX)];
        assert_eq!((g.body, g.friction[0], g.priority), (0, 0.7, i32::MAX));
        let mut spec = scene(None);
        let ball = ShapeSpec::Sphere { radius: 1.0 };
        spec.geoms
            .push(GeomSpec::new(GROUND, 1, Pose::IDENTITY, ball));
        let e = finish(spec, &options).map(|_| ()).unwrap_err();
        assert!(e.message.contains("of its own"));
        Ok(())
    }
}
