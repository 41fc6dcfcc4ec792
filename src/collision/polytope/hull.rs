//! A convex polytope with the tables that collision needs: faces, edges, neighbours, starts of support
//! searches.

use super::distinct::Distinct;
use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// Most vertices of a hull: 14 bits of a feature identity.
pub const MAX_VERTICES: usize = 1 << 14;
/// Most sides of the polygon by which a face takes part in a contact patch.
pub const MAX_SIDES: usize = 32;

/// Hulls with more vertices than LARGE have a table of start vertices, with CELLS cells along a side of
/// a cube.
const LARGE: usize = 32;
const CELLS: usize = 4;

/// A face: its plane is `normal · x = offset`, and no vertex lies above it.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// Unit, outwards.
    pub normal: Vec3,
    /// Signed distance of the plane from the origin [m].
    pub offset: f64,
    start: u32,
    sides: u32,
}

/// An edge with its two ends and the two faces that it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub ends: [u16; 2],
    pub faces: [u16; 2],
}

/// A convex polytope of non-zero volume, in its geom's frame. Constant once built.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    corners: Vec<u16>,
    edges: Vec<Edge>,
    neighbours: Incidence,
    faces_of: Incidence,
    /// Extreme vertices along ±x, ±y, ±z. A search without a hint starts from them.
    extremes: [u16; 6],
    /// For a large hull, the extreme vertex along the middle of each cell of a cube's surface; else
    /// empty.
    starts: Vec<u16>,
    centre: Vec3,
    size: f64,
    half_extents: Option<Vec3>,
    flatness: f64,
}

/// A list of indices for each vertex, stored one after the other.
#[derive(Clone, Debug, Default)]
struct Incidence {
    start: Vec<u32>,
    items: Vec<u16>,
}

impl Incidence {
    fn new(lists: Vec<Vec<u16>>) -> Self {
        let mut s = Incidence::default();
        s.start.push(0);
        for l in lists {
            s.items.extend(l);
            s.start.push(s.items.len() as u32);
        }
        s
    }

    #[inline(always)]
    fn of(&self, vertex: u16) -> &[u16] {
        let i = usize::from(vertex);
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

impl Hull {
    /// The box with the given half extents [m], which must be positive and finite.
    pub fn cuboid(half_extents: Vec3) -> Result<Hull> {
        let h = half_extents;
        if !(h.is_finite() && h.x > 0.0 && h.y > 0.0 && h.z > 0.0) {
            return Err(Error::invalid(format!(
                "a box needs three positive finite half extents, got {:?}",
                h.to_array()
            )));
        }
        // Vertex i has coordinate k positive where bit k of i is set; face 2k + s has the
        // outward normal (−1)^(1−s) e_k.
        let sign = |i: usize, k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8)
            .map(|i| Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2)))
            .collect();
        let polygons = vec![
            vec![0, 4, 6, 2],
            vec![1, 3, 7, 5],
            vec![0, 1, 5, 4],
            vec![2, 6, 7, 3],
            vec![0, 2, 3, 1],
            vec![4, 5, 7, 6],
        ];
        let mut hull = Hull::from_polygons(vertices, &polygons)?;
        for (f, face) in hull.faces.iter_mut().enumerate() {
            face.normal = Vec3::unit(f / 2) * if f % 2 == 1 { 1.0 } else { -1.0 };
            face.offset = h[f / 2];
        }
        // The tables are built for a cube: for a very flat box the construction could fail.
        for v in &mut hull.vertices {
            *v = v.scale(h);
        }
        hull.measure();
        hull.centre = Vec3::ZERO;
        hull.half_extents = Some(h);
        Ok(hull)
    }

    /// Moves the vertices of a hull. Its faces must stay plane and convex. No heap allocation.
    pub(super) fn reshape(&mut self, vertices: &[Vec3]) {
        self.vertices.clear();
        self.vertices.extend_from_slice(vertices);
        for f in &mut self.faces {
            let polygon = &self.corners[f.start as usize..(f.start + f.sides) as usize];
            if let Some(n) = newell(&self.vertices, polygon) {
                f.normal = n;
                f.offset = n.dot(self.vertices[usize::from(polygon[0])]);
            }
        }
        self.measure();
    }

    /// Computes the fields that depend on the vertices.
    fn measure(&mut self) {
        for (k, e) in self.extremes.iter_mut().enumerate() {
            let dir = Vec3::unit(k / 2) * if k % 2 == 1 { 1.0 } else { -1.0 };
            *e = 0;
            for (i, v) in self.vertices.iter().enumerate() {
                if dir.dot(*v) > dir.dot(self.vertices[usize::from(*e)]) {
                    *e = i as u16;
                }
            }
        }
        let sum = self.vertices.iter().fold(Vec3::ZERO, |s, &v| s + v);
        let centre = sum * (1.0 / self.vertices.len() as f64);
        self.centre = centre;
        self.size = self
            .vertices
            .iter()
            .map(|&v| (v - centre).norm())
            .fold(0.0, f64::max);
    }

    /// A point or a segment: the core of a sphere or a capsule. It is a hull without volume. Its one
    /// pseudo-face has no normal and lists the core's ends.
    pub(super) fn core(ends: &[Vec3]) -> Hull {
        let n = ends.len() as u16;
        let others = |i: u16| (0..n).filter(|&j| j != i).collect::<Vec<u16>>();
        let mut hull = Hull {
            vertices: ends.to_vec(),
            faces: vec![Face {
                normal: Vec3::ZERO,
                offset: 0.0,
                start: 0,
                sides: n.into(),
            }],
            corners: (0..n).collect(),
            edges: (1..n)
                .map(|i| Edge {
                    ends: [i - 1, i],
                    faces: [0, 0],
                })
                .collect(),
            neighbours: Incidence::new((0..n).map(others).collect()),
            faces_of: Incidence::new((0..n).map(|_| vec![0]).collect()),
            extremes: [0; 6],
            starts: Vec::new(),
            centre: Vec3::ZERO,
            size: 0.0,
            half_extents: None,
            flatness: 0.0,
        };
        hull.measure();
        hull
    }

    /// Whether the hull has a volume, and is not the core of a rounded shape.
    pub(super) fn is_solid(&self) -> bool {
        self.vertices.len() > 3
    }

    /// The vertices at the other ends of a vertex's edges, or at the other end of a segment.
    pub(super) fn neighbours(&self, vertex: u16) -> &[u16] {
        self.neighbours.of(vertex)
    }

    /// Cosine of the angle between `dir` and the normal of a face, or the directions perpendicular
    /// to a segment; 0 for a point.
    pub(super) fn alignment(&self, face: u16, dir: Vec3) -> f64 {
        match self.vertices.len() {
            1 => 0.0,
            2 => (self.vertices[1] - self.vertices[0])
                .normalized()
                .map_or(0.0, |u| u.cross(dir).norm()),
            _ => self.face(face).normal.dot(dir),
        }
    }

    /// Builds the tables from convex polygons, counter-clockwise seen from outside, that close a
    /// surface with the topology of a sphere. Anything else is an internal error.
    pub(super) fn from_polygons(vertices: Vec<Vec3>, polygons: &[Vec<u16>]) -> Result<Hull> {
        let n = vertices.len();
        let mut edges: Vec<Edge> = Vec::new();
        let mut open = std::collections::BTreeMap::new();
        let mut neighbours = vec![Vec::new(); n];
        let mut faces_of = vec![Vec::new(); n];
        for (f, polygon) in polygons.iter().enumerate() {
            for (k, &i) in polygon.iter().enumerate() {
                let j = polygon[(k + 1) % polygon.len()];
                faces_of[usize::from(i)].push(f as u16);
                neighbours[usize::from(i)].push(j);
                if open.insert((i, j), f as u16).is_some() {
                    return Err(Error::internal(format!(
                        "hull: two faces run along the side {i}-{j} in the same direction"
                    )));
                }
            }
        }
        for (&(i, j), &f) in &open {
            match open.get(&(j, i)) {
                Some(&g) if i < j => edges.push(Edge {
                    ends: [i, j],
                    faces: [f, g],
                }),
                Some(_) => {}
                None => {
                    return Err(Error::internal(format!("hull: the side {i}-{j} is open")));
                }
            }
        }
        if n + polygons.len() != edges.len() + 2 {
            return Err(Error::internal(format!(
                "hull: {n} vertices, {} faces and {} edges do not close a convex surface",
                polygons.len(),
                edges.len()
            )));
        }
        let mut flatness = 0.0_f64;
        let mut faces = Vec::with_capacity(polygons.len());
        let mut corners = Vec::new();
        for polygon in polygons {
            let normal = newell(&vertices, polygon)
                .ok_or_else(|| Error::internal("hull: a face without area"))?;
            let offset = vertices
                .iter()
                .map(|v| normal.dot(*v))
                .fold(f64::NEG_INFINITY, f64::max);
            for &i in polygon {
                flatness = flatness.max(offset - normal.dot(vertices[usize::from(i)]));
            }
            let kept = reduced(polygon);
            faces.push(Face {
                normal,
                offset,
                start: corners.len() as u32,
                sides: kept.len() as u32,
            });
            corners.extend(kept);
        }
        let mut hull = Hull {
            vertices,
            faces,
            corners,
            edges,
            neighbours: Incidence::new(neighbours),
            faces_of: Incidence::new(faces_of),
            extremes: [0; 6],
            starts: Vec::new(),
            centre: Vec3::ZERO,
            size: 0.0,
            half_extents: None,
            flatness,
        };
        hull.measure();
        if hull.vertices.len() > LARGE {
            hull.starts = (0..6 * CELLS * CELLS)
                .map(|cell| hull.support(middle(cell)))
                .collect();
        }
        Ok(hull)
    }

    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// A point strictly inside.
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Radius of the smallest ball about [`Hull::centre`] that holds the hull [m].
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Largest depth of a corner below its face's plane [m]. Faces are merged from triangles that are
    /// plane only to the digits of a file.
    pub(super) fn flatness(&self) -> f64 {
        self.flatness
    }

    /// Volume of the polytope with [`Hull::polygon`]'s faces [m³].
    pub fn volume(&self) -> f64 {
        let mut volume = 0.0;
        for f in 0..self.faces.len() as u16 {
            let polygon = self.polygon(f);
            let a = self.vertex(polygon[0]) - self.centre;
            for w in polygon.windows(2) {
                let [b, c] = [w[0], w[1]].map(|i| self.vertex(i) - self.centre);
                volume += a.dot(b.cross(c)) / 6.0;
            }
        }
        volume
    }

    /// For a box, its half extents.
    pub fn half_extents(&self) -> Option<Vec3> {
        self.half_extents
    }

    #[inline(always)]
    pub fn vertex(&self, i: u16) -> Vec3 {
        self.vertices[usize::from(i)]
    }

    #[inline(always)]
    pub fn face(&self, f: u16) -> &Face {
        &self.faces[usize::from(f)]
    }

    /// Corners of the polygon by which a face takes part in a contact patch, counter-clockwise: all
    /// corners of the face, or [`MAX_SIDES`] of them, spread evenly, if the face has more.
    #[inline(always)]
    pub fn polygon(&self, face: u16) -> &[u16] {
        let f = self.face(face);
        &self.corners[f.start as usize..(f.start + f.sides) as usize]
    }

    /// Area of the polygon by which a face takes part in a contact patch [m²].
    pub fn area(&self, face: u16) -> f64 {
        let corners = self.polygon(face);
        let first = self.vertex(corners[0]);
        let from_first = |v: u16| self.vertex(v) - first;
        let pairs = corners
            .windows(2)
            .map(|v| from_first(v[0]).cross(from_first(v[1])));
        0.5 * pairs.fold(Vec3::ZERO, |sum, x| sum + x).norm()
    }

    /// Faces that meet at a vertex.
    #[inline(always)]
    pub fn faces_at(&self, vertex: u16) -> &[u16] {
        self.faces_of.of(vertex)
    }

    /// The vertex farthest along `dir` (any length), by hill climbing from `start`.
    #[inline]
    pub fn support_from(&self, dir: Vec3, start: u16) -> u16 {
        if self.half_extents.is_some() {
            return u16::from(dir.x > 0.0)
                | u16::from(dir.y > 0.0) << 1
                | u16::from(dir.z > 0.0) << 2;
        }
        let mut best = start;
        let mut height = dir.dot(self.vertex(start));
        loop {
            let from = best;
            for &j in self.neighbours.of(from) {
                let h = dir.dot(self.vertex(j));
                if h > height {
                    height = h;
                    best = j;
                }
            }
            if best == from {
                return best;
            }
        }
    }

    /// The vertex farthest along `dir` (any length).
    #[inline]
    pub fn support(&self, dir: Vec3) -> u16 {
        if !self.starts.is_empty() {
            return self.support_from(dir, self.starts[cell(dir)]);
        }
        let mut start = self.extremes[0];
        for &e in &self.extremes[1..] {
            if dir.dot(self.vertex(e)) > dir.dot(self.vertex(start)) {
                start = e;
            }
        }
        self.support_from(dir, start)
    }

    /// Whether all neighbours of the given vertices lie below them along `dir` (unit), by more than
    /// `margin` times the hull's size.
    pub(super) fn stands_out(&self, vertices: &Distinct, dir: Vec3, margin: f64) -> bool {
        let most = margin * self.size;
        vertices.iter().all(|i| {
            let top = dir.dot(self.vertex(i)) - most;
            let mut around = self.neighbours.of(i).iter();
            around.all(|&j| dir.dot(self.vertex(j)) < top || vertices.iter().any(|k| k == j))
        })
    }

    /// The face at `vertex` whose normal is most along `dir`.
    pub fn face_towards(&self, vertex: u16, dir: Vec3) -> u16 {
        let mut best = 0;
        let mut most = f64::NEG_INFINITY;
        for &f in self.faces_at(vertex) {
            let c = self.face(f).normal.dot(dir);
            if c > most {
                most = c;
                best = f;
            }
        }
        best
    }
}

/// The cell of a cube's surface through which a direction passes. Each of the six sides has [`CELLS`]²
/// cells.
#[inline]
fn cell(dir: Vec3) -> usize {
    let size = dir.abs();
    let k = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    // From 0 at one border of the side to CELLS at the other. NaN counts as 0.
    let along = |x: f64| ((0.5 * CELLS as f64 * (x / size[k] + 1.0)) as usize).min(CELLS - 1);
    let side = 2 * k + usize::from(dir[k] > 0.0);
    (side * CELLS + along(dir[(k + 1) % 3])) * CELLS + along(dir[(k + 2) % 3])
}

/// The direction through the middle of a cell.
fn middle(cell: usize) -> Vec3 {
    let (side, row, column) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
    let across = |i: usize| (2 * i + 1) as f64 / CELLS as f64 - 1.0;
    let k = side / 2;
    let mut dir = Vec3::ZERO;
    dir[k] = if side % 2 == 1 { 1.0 } else { -1.0 };
    dir[(k + 1) % 3] = across(row);
    dir[(k + 2) % 3] = across(column);
    dir
}

/// Unit normal of a polygon that is nearly plane (Newell's method).
fn newell(vertices: &[Vec3], polygon: &[u16]) -> Option<Vec3> {
    let origin = vertices[usize::from(polygon[0])];
    let mut area = Vec3::ZERO;
    for w in polygon.windows(2) {
        let (p, q) = (vertices[usize::from(w[0])], vertices[usize::from(w[1])]);
        area += (p - origin).cross(q - origin);
    }
    area.normalized()
}

fn reduced(polygon: &[u16]) -> Vec<u16> {
    let n = polygon.len();
    let m = n.min(MAX_SIDES);
    (0..m).map(|k| polygon[k * n / m]).collect()
}
