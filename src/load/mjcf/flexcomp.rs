//! `<flexcomp>`: strings of edges (dim 1), membranes of triangles (dim 2) and solids of tetrahedra (dim 3) as
//! deformable bodies.

use super::asset_files::{Files, MjcfOptions};
use super::geom::condim;
use super::names::Names;
use super::node::Node;
use super::{BodyMass, Loader};
use crate::error::{Error, Result};
use crate::load::tet_file::{self, TetMesh, turn};
use crate::model::deformable::{DeformableSpec, Material};
use crate::model::deformable_builder::Skin;
use crate::spatial::{Pose, Vec3};

/// Limit on the number of nodes of one body.
const MAX_NODES: usize = 100_000;

/// Corners of the six tetrahedra of a cell, as in MuJoCo. The bits of a corner, from the highest, are its
/// steps along x, y and z.
const CELL: [[usize; 4]; 6] = [
    [0, 2, 4, 3],
    [0, 4, 1, 3],
    [4, 2, 6, 3],
    [4, 6, 7, 3],
    [4, 5, 1, 3],
    [4, 7, 5, 3],
];

/// Corners of the two triangles of a square, with the step along x in the higher bit.
const SQUARE: [[usize; 3]; 2] = [[0, 2, 3], [0, 3, 1]];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Grid,
    Direct,
    Gmsh,
    Other,
}

const KINDS: [(&str, Kind); 10] = [
    ("grid", Kind::Grid),
    ("direct", Kind::Direct),
    ("gmsh", Kind::Gmsh),
    ("box", Kind::Other),
    ("cylinder", Kind::Other),
    ("ellipsoid", Kind::Other),
    ("square", Kind::Other),
    ("disc", Kind::Other),
    ("circle", Kind::Other),
    ("mesh", Kind::Other),
];

/// Where an element stands: its body, its frame there, and its name.
pub(super) struct Place {
    pub body: usize,
    pub frame: Pose,
    pub name: String,
}

/// The elements between nodes.
struct Shape {
    nodes: Vec<Vec3>,
    edges: Vec<[usize; 2]>,
    triangles: Vec<[usize; 3]>,
    tets: Vec<[usize; 4]>,
}

impl Loader {
    /// Adds a deformable body. The bodies of its free nodes come after all others.
    pub(super) fn read_flexcomp(
        &mut self,
        node: Node<'_>,
        place: Place,
        options: &MjcfOptions,
    ) -> Result<()> {
        let dim = node.integer("dim")?.unwrap_or(2);
        if !(1..=3).contains(&dim) {
            return Err(node.unsupported(format!(
                "dim=\"{dim}\" is not supported; expected 1 (edges), 2 (triangles) or 3 (tetrahedra)"
            )));
        }
        if let Some(dof) = node.text("dof").filter(|dof| *dof != "full") {
            return Err(node.unsupported(format!("dof={dof:?} is not supported; expected full")));
        }
        if self.compilers[0].total_mass > 0.0 {
            return Err(node.unsupported("settotalmass of <compiler> is not supported beside it"));
        }
        if !self.options.spring || !self.options.damper {
            return Err(node.unsupported("disabled springs or dampers are not supported beside it"));
        }
        let count = grid_counts(node, dim)?;
        let shape = self.flex_shape(node, dim, count, options)?;
        let mut body = DeformableSpec {
            name: place.name.clone(),
            nodes: Vec::new(),
            rest: Vec::new(),
            edges: shape.edges,
            triangles: shape.triangles,
            tets: shape.tets,
            thickness: 0.0,
            material: Material::NeoHookean,
            density: 1.0,
            young: 0.0,
            poisson: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            origin: node.origin(),
        };
        let mut friction = [1.0, 0.005, 0.0001];
        let (mut contact, mut friction_rows, mut given) = (true, 3, false);
        let mut pinned = vec![node.flag("rigid")?.unwrap_or(false); shape.nodes.len()];
        for child in node.children() {
            match child.tag() {
                "edge" if dim == 1 => {
                    body.stiffness = child.magnitude("stiffness")?.unwrap_or(0.0);
                    let damping = child.magnitude("damping")?.unwrap_or(0.0);
                    given = body.stiffness > 0.0;
                    if given {
                        body.damping = damping / body.stiffness;
                    }
                }
                "edge" => {
                    for name in ["stiffness", "damping"] {
                        if child.number(name)?.is_some_and(|x| x != 0.0) {
                            return Err(child.unsupported("stiffness and damping need dim=\"1\""));
                        }
                    }
                }
                "elasticity" => {
                    let young = child.magnitude("young")?.unwrap_or(0.0);
                    if dim == 1 && young > 0.0 {
                        return Err(child.unsupported(
                            "young of dim=\"1\" is not supported; expected stiffness of <edge>",
                        ));
                    }
                    body.young = young;
                    body.poisson = child.magnitude("poisson")?.unwrap_or(0.0);
                    if dim > 1 {
                        body.damping = child.magnitude("damping")?.unwrap_or(0.0);
                        given = young > 0.0;
                    }
                    if dim == 2 {
                        body.thickness = child.magnitude("thickness")?.unwrap_or(0.0);
                        self.check_elastic2d(child)?;
                    }
                }
                "contact" => {
                    friction_rows = condim(child)?.unwrap_or(friction_rows);
                    child.numbers("friction", 1, &mut friction)?;
                    let bits = |name| child.integer(name).map(|x| x.unwrap_or(1));
                    contact = bits("contype")? != 0 || bits("conaffinity")? != 0;
                }
                "pin" => pin(child, dim as usize, count, &mut pinned)?,
                _ => {}
            }
        }
        if !given {
            let missing = match dim {
                1 => "a positive stiffness in <edge>",
                _ => "a positive young in <elasticity>",
            };
            return Err(node.unsupported(format!("expected {missing}, found none")));
        }
        let radius = node.magnitude("radius")?.unwrap_or(0.005);
        let skin = (contact && radius > 0.0).then_some(Skin {
            radius,
            friction: friction[0],
            condim: friction_rows,
        });
        let angles = &self.compiler(node).angles;
        let mut frame = place.frame.compose(&angles.pose(node)?);
        let mut above = place.body;
        while above != 0 {
            let b = &self.spec.bodies[above];
            frame = b.placement.compose(&frame);
            above = b.parent;
        }
        body.rest = shape.nodes.iter().map(|x| frame.point(*x)).collect();
        let mass = node.magnitude("mass")?.unwrap_or(1.0);
        body.density = mass / body.extent();
        let attached: Vec<(usize, usize)> = (0..pinned.len())
            .filter(|i| pinned[*i])
            .map(|i| (i, place.body))
            .collect();
        let [bodies, geoms] = [self.spec.bodies.len(), self.spec.geoms.len()];
        (self.spec)
            .add_deformable(body, &attached, skin)
            .map_err(|e| node.error(&e.message))?;
        for i in bodies..self.spec.bodies.len() {
            let b = &mut self.spec.bodies[i];
            b.origin = node.origin();
            Names::insert(&mut self.names.bodies, node, &b.name, i)?;
            self.masses
                .push(BodyMass::point(node.model(), b.inertia.mass));
        }
        for geom in &self.spec.geoms[geoms..] {
            Names::insert(&mut self.names.geoms, node, &geom.name, 0)?;
        }
        self.warnings.add(
            node,
            "flexcomp: each element gives equal shares of its mass to its nodes; contact is by spheres at the nodes, \
             which do not touch each other",
        );
        Ok(())
    }

    /// Accepts the elasticity that triangles have.
    fn check_elastic2d(&mut self, elasticity: Node<'_>) -> Result<()> {
        match elasticity.text("elastic2d").unwrap_or("none") {
            "stretch" => {}
            "both" => self.warnings.add(
                elasticity,
                "elastic2d=\"both\": bending is left out, as with \"stretch\"",
            ),
            other => {
                return Err(elasticity.unsupported(format!(
                    "elastic2d={other:?} is not supported; expected stretch, or both, whose bending is left out"
                )));
            }
        }
        Ok(())
    }

    fn flex_shape(
        &self,
        node: Node<'_>,
        dim: i32,
        count: [usize; 3],
        options: &MjcfOptions,
    ) -> Result<Shape> {
        let kind = node.keyword("type", &KINDS)?.unwrap_or(Kind::Grid);
        let mut shape = match kind {
            Kind::Grid => grid(node, dim, count)?,
            Kind::Direct => direct(node, dim)?,
            Kind::Gmsh if dim == 3 => {
                let files = Files {
                    base_dir: node.tree.models[node.model()].dir.as_deref(),
                    compiler: self.compiler(node),
                    options,
                };
                let path = files.find(node, node.required("file")?)?;
                let TetMesh { nodes, tets } = tet_file::load(&path).map_err(|e| Error {
                    message: format!("{}: <flexcomp>: {}", node.origin(), e.message),
                    ..e
                })?;
                Shape {
                    nodes,
                    edges: Vec::new(),
                    triangles: Vec::new(),
                    tets,
                }
            }
            _ => {
                return Err(node.unsupported(format!(
                    "type={:?} of dim=\"{dim}\" is not supported; expected grid or direct, or gmsh of dim=\"3\"",
                    node.text("type").unwrap_or_default()
                )));
            }
        };
        if shape.nodes.len() > MAX_NODES {
            return Err(too_many(node));
        }
        if kind != Kind::Grid
            && let Some(scale) = node.vec3("scale")?
        {
            for x in &mut shape.nodes {
                *x = Vec3::new(scale.x * x.x, scale.y * x.y, scale.z * x.z);
            }
        }
        for tet in &mut shape.tets {
            turn(&shape.nodes, tet);
        }
        Ok(shape)
    }
}

fn too_many(node: Node<'_>) -> Error {
    Error::capacity(format!(
        "{}: <flexcomp>: more than {MAX_NODES} nodes",
        node.origin()
    ))
}

/// The nodes of a grid along each axis.
fn grid_counts(node: Node<'_>, dim: i32) -> Result<[usize; 3]> {
    let given = node.array::<3>("count")?.unwrap_or([10.0; 3]);
    let most = MAX_NODES as f64;
    if given
        .iter()
        .any(|n| n.fract() != 0.0 || !(1.0..=most).contains(n))
    {
        return Err(node.error(format!(
            "count: expected whole numbers from 1 to {MAX_NODES}, found {given:?}"
        )));
    }
    let [x, y, z] = given.map(|n| n as usize);
    Ok(match dim {
        1 => [x, 1, 1],
        2 => [x, y, 1],
        _ => [x, y, z],
    })
}

/// A grid about the origin, numbered along z first, then y, then x.
fn grid(node: Node<'_>, dim: i32, count: [usize; 3]) -> Result<Shape> {
    let least: [usize; 3] = std::array::from_fn(|k| if (k as i32) < dim { 2 } else { 1 });
    if (0..3).any(|k| count[k] < least[k]) {
        return Err(node.error(format!(
            "count: expected at least {least:?}, found {count:?}"
        )));
    }
    if count.iter().product::<usize>() > MAX_NODES {
        return Err(too_many(node));
    }
    let spacing = node.vec3("spacing")?.unwrap_or(Vec3::new(0.02, 0.02, 0.02));
    let [nx, ny, nz] = count;
    let number = |at: [usize; 3]| (at[0] * ny + at[1]) * nz + at[2];
    let mut nodes = Vec::with_capacity(nx * ny * nz);
    let (mut triangles, mut tets) = (Vec::new(), Vec::new());
    for i in 0..nx * ny * nz {
        let at = [i / (ny * nz), i / nz % ny, i % nz];
        let along = |k: usize| spacing[k] * (at[k] as f64 - 0.5 * (count[k] - 1) as f64);
        nodes.push(Vec3::new(along(0), along(1), along(2)));
        if dim == 3 && (0..3).all(|k| at[k] + 1 < count[k]) {
            let corner =
                |c: usize| number([at[0] + (c >> 2), at[1] + (c >> 1 & 1), at[2] + (c & 1)]);
            tets.extend(CELL.map(|tet| tet.map(corner)));
        }
        if dim == 2 && (0..2).all(|k| at[k] + 1 < count[k]) {
            let corner = |c: usize| number([at[0] + (c >> 1), at[1] + (c & 1), 0]);
            triangles.extend(SQUARE.map(|triangle| triangle.map(corner)));
        }
    }
    let edges = match dim {
        1 => (1..nx).map(|i| [i - 1, i]).collect(),
        _ => Vec::new(),
    };
    Ok(Shape {
        nodes,
        edges,
        triangles,
        tets,
    })
}

/// Points and elements of the file.
fn direct(node: Node<'_>, dim: i32) -> Result<Shape> {
    let (points, elements) = (node.list("point")?, node.list("element")?);
    let width = dim as usize + 1;
    let (Some(points), Some(elements)) = (points, elements) else {
        return Err(node.error("type=\"direct\": expected point and element"));
    };
    if points.len() % 3 != 0 || elements.len() % width != 0 {
        return Err(node.error(format!(
            "point, element: expected 3 and {width} numbers each, found {} and {}",
            points.len(),
            elements.len()
        )));
    }
    let nodes: Vec<Vec3> = points.chunks_exact(3).map(Vec3::from_slice).collect();
    let elements = indices(node, "element", &elements, nodes.len())?;
    let mut shape = Shape {
        nodes,
        edges: Vec::new(),
        triangles: Vec::new(),
        tets: Vec::new(),
    };
    match dim {
        1 => shape.edges.extend_from_slice(elements.as_chunks().0),
        2 => shape.triangles.extend_from_slice(elements.as_chunks().0),
        _ => shape.tets.extend_from_slice(elements.as_chunks().0),
    }
    Ok(shape)
}

/// Numbers of a list, each from 0 to below `end`.
fn indices(node: Node<'_>, name: &str, list: &[f64], end: usize) -> Result<Vec<usize>> {
    list.iter()
        .map(|x| match x.fract() == 0.0 && *x >= 0.0 && *x < end as f64 {
            true => Ok(*x as usize),
            false => Err(node.error(format!(
                "{name}: expected whole numbers from 0 to below {end}, found {x}"
            ))),
        })
        .collect()
}

/// Marks the nodes that a `<pin>` attaches to the body.
fn pin(node: Node<'_>, dim: usize, count: [usize; 3], pinned: &mut [bool]) -> Result<()> {
    let end = pinned.len();
    if let Some(list) = node.list("id")? {
        for i in indices(node, "id", &list, end)? {
            pinned[i] = true;
        }
    }
    if let Some(list) = node.list("range")? {
        for pair in indices(node, "range", &list, end)?.chunks_exact(2) {
            (pair[0]..=pair[1]).for_each(|i| pinned[i] = true);
        }
    }
    let most = count.into_iter().max().unwrap_or(0);
    for (name, corners) in [("grid", 1), ("gridrange", 2)] {
        let Some(list) = node.list(name)? else {
            continue;
        };
        if count.iter().product::<usize>() != end || list.len() % (corners * dim) != 0 {
            return Err(node.error(format!(
                "{name}: expected {} numbers each for the nodes of a grid",
                corners * dim
            )));
        }
        let list = indices(node, name, &list, most)?;
        for ends in list.chunks_exact(corners * dim) {
            let [mut first, mut last] = [[0; 3]; 2];
            first[..dim].copy_from_slice(&ends[..dim]);
            last[..dim].copy_from_slice(&ends[ends.len() - dim..]);
            if (0..3).any(|k| last[k] >= count[k]) {
                return Err(node.error(format!(
                    "{name}: the grid has {count:?} nodes, found {ends:?}"
                )));
            }
            for (i, pinned) in pinned.iter_mut().enumerate() {
                let at = [
                    i / (count[1] * count[2]),
                    i / count[2] % count[1],
                    i % count[2],
                ];
                *pinned |= (0..3).all(|k| (first[k]..=last[k]).contains(&at[k]));
            }
        }
    }
    Ok(())
}
