//! `<geom>`: shape, placement, contact filters and share of the body's inertia.

use super::asset::Assets;
use super::fit::Fitted;
use super::node::Node;
use super::orientation::Angles;
use super::paint::Paint;
use super::solid::{self, Solid};
use crate::error::Result;
use crate::model::fluid::FluidCoefficients;
use crate::model::spec::{GeomSpec, MeshMode, OpenMesh, ShapeSpec};
use crate::spatial::{Inertia, Mat3, Pose, Quat, Vec3};

/// Least friction coefficient of a contact, as in MuJoCo (mjMINMU).
pub(super) const LEAST_FRICTION: f64 = 1e-5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    Sdf,
}

const SHAPES: [(&str, Shape); 9] = [
    ("plane", Shape::Plane),
    ("hfield", Shape::HeightField),
    ("sphere", Shape::Sphere),
    ("capsule", Shape::Capsule),
    ("ellipsoid", Shape::Ellipsoid),
    ("cylinder", Shape::Cylinder),
    ("box", Shape::Box),
    ("mesh", Shape::Mesh),
    ("sdf", Shape::Sdf),
];

/// A geom's attributes as written.
#[derive(Clone)]
pub(super) struct GeomSettings {
    shape: Shape,
    position: Vec3,
    orientation: Quat,
    ends: Option<[f64; 6]>,
    size: [f64; 3],
    mesh: Option<String>,
    fit_scale: f64,
    height_field: Option<String>,
    mass: Option<f64>,
    density: f64,
    shell: bool,
    group: i32,
    contype: u32,
    conaffinity: u32,
    condim: i32,
    priority: i32,
    friction: [f64; 3],
    margin: f64,
    gap: f64,
    meets_fluid: bool,
    fluid: FluidCoefficients,
    paint: Paint,
}

impl Default for GeomSettings {
    fn default() -> Self {
        GeomSettings {
            shape: Shape::Sphere,
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            ends: None,
            size: [0.0; 3],
            mesh: None,
            fit_scale: 1.0,
            height_field: None,
            mass: None,
            density: 1000.0,
            shell: false,
            group: 0,
            contype: 1,
            conaffinity: 1,
            condim: 3,
            priority: 0,
            friction: [1.0, 0.005, 0.0001],
            margin: 0.0,
            gap: 0.0,
            meets_fluid: false,
            fluid: FluidCoefficients::default(),
            paint: Paint::default(),
        }
    }
}

/// A geom, its inertia about the frame of its element, and its group.
pub(super) struct BuiltGeom {
    pub spec: GeomSpec,
    pub inertia: Result<Inertia>,
    /// Principal axes of the inertia: those of the shape.
    pub axes: Option<Mat3>,
    pub group: i32,
}

impl GeomSettings {
    pub fn read(&mut self, node: Node<'_>, angles: &Angles) -> Result<()> {
        self.shape = node.keyword("type", &SHAPES)?.unwrap_or(self.shape);
        self.position = node.vec3("pos")?.unwrap_or(self.position);
        self.orientation = angles.orientation(node)?.unwrap_or(self.orientation);
        self.ends = node.array("fromto")?.or(self.ends);
        node.numbers("size", 1, &mut self.size)?;
        for (value, name) in [(&mut self.mesh, "mesh"), (&mut self.height_field, "hfield")] {
            if let Some(text) = node.text(name) {
                *value = Some(text.to_string());
            }
        }
        self.fit_scale = node.magnitude("fitscale")?.unwrap_or(self.fit_scale);
        self.mass = node.magnitude("mass")?.or(self.mass);
        self.density = node.magnitude("density")?.unwrap_or(self.density);
        self.shell = node.flag("shellinertia")?.unwrap_or(self.shell);
        self.group = node.integer("group")?.unwrap_or(self.group);
        for (bits, name) in [
            (&mut self.contype, "contype"),
            (&mut self.conaffinity, "conaffinity"),
        ] {
            *bits = node.integer(name)?.map_or(*bits, |x| x as u32);
        }
        self.condim = condim(node)?.unwrap_or(self.condim);
        self.priority = node.integer("priority")?.unwrap_or(self.priority);
        node.numbers("friction", 1, &mut self.friction)?;
        if let Some(x) = self.friction.iter().find(|x| **x < 0.0) {
            return Err(node.error(format!("friction: expected numbers ≥ 0, found {x}")));
        }
        self.margin = node.magnitude("margin")?.unwrap_or(self.margin);
        self.gap = node.number("gap")?.map_or(self.gap, |gap| gap.max(0.0));
        let shapes = [("none", false), ("ellipsoid", true)];
        self.meets_fluid = node
            .keyword("fluidshape", &shapes)?
            .unwrap_or(self.meets_fluid);
        let mut fluid = self.fluid.to_array();
        node.numbers("fluidcoef", 1, &mut fluid)?;
        self.fluid = FluidCoefficients::from_array(fluid);
        self.paint.read(node);
        Ok(())
    }

    /// Builds the geom of body `body`. Its element is in `frame` (in body axes).
    pub fn build(
        &self,
        node: Node<'_>,
        assets: &Assets,
        body: usize,
        frame: &Pose,
        fit_box: bool,
    ) -> Result<BuiltGeom> {
        let (shape, placement) = self.shape(node, assets, fit_box)?;
        let placement = frame.compose(&placement);
        let inertia = self.solid(node, assets, &shape).map(|solid| {
            let mass = self.mass.unwrap_or(self.density * solid.measure);
            solid.with_mass(mass).transformed(&placement)
        });
        let axes = Some(placement.rot).filter(|_| !matches!(shape, ShapeSpec::Mesh { .. }));
        let mut spec = GeomSpec::new(node.name(), body, placement, shape);
        spec.friction = self.friction;
        if self.condim > 3 {
            spec.friction = self.friction.map(|f| f.max(LEAST_FRICTION));
        }
        spec.condim = self.condim;
        spec.contype = self.contype;
        spec.conaffinity = self.conaffinity;
        spec.priority = self.priority;
        spec.margin = self.margin;
        spec.gap = self.gap;
        spec.fluid = self.meets_fluid.then_some(self.fluid);
        spec.rgba = self.paint.colour(assets.materials());
        spec.origin = node.origin();
        Ok(BuiltGeom {
            spec,
            inertia,
            axes,
            group: self.group,
        })
    }

    fn shape(&self, node: Node<'_>, assets: &Assets, fit_box: bool) -> Result<(ShapeSpec, Pose)> {
        let mut size = self.size;
        let mut placement = Pose::from_quat(self.orientation, self.position);
        let fitted = match self.shape {
            Shape::Sphere => Some(Fitted::Sphere),
            Shape::Capsule => Some(Fitted::Capsule),
            Shape::Cylinder => Some(Fitted::Cylinder),
            Shape::Box | Shape::Ellipsoid => Some(Fitted::Box),
            _ => None,
        };
        if self.mesh.is_some() && matches!(self.shape, Shape::Plane | Shape::HeightField) {
            return Err(node.error("mesh: planes and height fields are not fitted to meshes"));
        }
        if let (Some(name), Some(fitted)) = (&self.mesh, fitted) {
            let asset = assets.mesh(node, Some(name.as_str()))?;
            let (own, found) = asset.fit(node, fitted, fit_box)?;
            size = found.map(|x| x * self.fit_scale);
            placement = placement.compose(&own);
        } else if let Some(ends) = self.ends {
            let (centre, along) = segment(ends);
            match self.shape {
                Shape::Capsule | Shape::Cylinder => size[1] = 0.5 * along.norm(),
                Shape::Box | Shape::Ellipsoid => {
                    size = [size[0], size[0], 0.5 * along.norm()];
                }
                _ => {
                    return Err(node.error(
                        "fromto: only a capsule, cylinder, box or ellipsoid can be given so",
                    ));
                }
            }
            let q = Quat::of_z_to(along)
                .ok_or_else(|| node.error("fromto: the two points coincide"))?;
            placement = Pose::from_quat(q, centre);
        }
        let needed = match self.shape {
            Shape::Sphere => 1,
            Shape::Capsule | Shape::Cylinder => 2,
            Shape::Box | Shape::Ellipsoid => 3,
            _ => 0,
        };
        if let Some(k) = (0..needed).find(|&k| size[k] <= 0.0) {
            return Err(node.error(format!(
                "size: number {} must be > 0, found {}",
                k + 1,
                size[k]
            )));
        }
        let [a, b, c] = size;
        let shape = match self.shape {
            Shape::Plane => {
                if a < 0.0 || b < 0.0 {
                    return Err(node.error(format!("size: expected numbers ≥ 0, found {a} {b}")));
                }
                ShapeSpec::Plane {
                    half_extents: [a, b],
                }
            }
            Shape::Sphere => ShapeSpec::Sphere { radius: a },
            Shape::Capsule => ShapeSpec::Capsule {
                radius: a,
                half_length: b,
            },
            Shape::Cylinder => ShapeSpec::Cylinder {
                radius: a,
                half_length: b,
            },
            Shape::Ellipsoid => ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(a, b, c),
            },
            Shape::Box => ShapeSpec::Box {
                half_extents: Vec3::new(a, b, c),
            },
            Shape::Mesh => {
                let asset = assets.mesh(node, self.mesh.as_deref())?;
                ShapeSpec::Mesh {
                    mesh: asset.mesh.clone(),
                    mode: MeshMode::Hull,
                    open: OpenMesh::Hull,
                }
            }
            Shape::HeightField => ShapeSpec::HeightField(
                assets
                    .height_field(node, self.height_field.as_deref())?
                    .clone(),
            ),
            Shape::Sdf => return Err(node.unsupported("type=\"sdf\" is not supported")),
        };
        Ok((shape, placement))
    }

    fn solid(&self, node: Node<'_>, assets: &Assets, shape: &ShapeSpec) -> Result<Solid> {
        if self.mass.unwrap_or(self.density) == 0.0 {
            return Ok(Solid::NONE);
        }
        match shape {
            ShapeSpec::Mesh { .. } if self.shell => {
                Err(node.error("shellinertia: a mesh's inertia is set in its asset"))
            }
            ShapeSpec::Mesh { .. } => assets.mesh(node, self.mesh.as_deref())?.solid(node),
            primitive if self.shell => solid::shell(primitive).ok_or_else(|| {
                node.unsupported("shellinertia is not supported for this type of geom")
            }),
            primitive => Ok(solid::filled(primitive)),
        }
    }
}

/// `condim` of a geom or pair.
pub(super) fn condim(node: Node<'_>) -> Result<Option<i32>> {
    match node.integer("condim")? {
        Some(n) if ![1, 3, 4, 6].contains(&n) => {
            Err(node.error(format!("condim: expected 1, 3, 4 or 6, found {n}")))
        }
        n => Ok(n),
    }
}

/// Midpoint, and the vector from the second point to the first: the z axis of the frame.
pub(super) fn segment(ends: [f64; 6]) -> (Vec3, Vec3) {
    let (from, to) = (Vec3::from_slice(&ends), Vec3::from_slice(&ends[3..]));
    ((from + to) * 0.5, from - to)
}
