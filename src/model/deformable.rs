//! Deformable bodies: nodes that edges, triangles and tetrahedra join.
//!
//! A free node is a body on a translation joint, so that gravity, contact and all derivatives treat it as
//! any other body. An attached node is a point of a body of the model.

use crate::linalg::sort_few;
use crate::spatial::Vec3;

/// The law of the stress. For small strains all are Hooke's law.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// Stable neo-Hookean: smooth at every deformation, inverted tetrahedra included.
    NeoHookean = 0,
    /// Hooke's law in the axes that turn with the tetrahedron.
    Corotated = 1,
    /// Saint Venant–Kirchhoff with plane stress: the law of triangles, and of them alone.
    Membrane = 2,
}

/// A node of a deformable body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The body that carries it: its own one, or the body to which it is attached.
    pub body: usize,
    /// Place in the frame of this body [m].
    pub at: Vec3,
    /// Whether the body is the node's own.
    pub is_free: bool,
}

/// A deformable body.
#[derive(Clone, Debug)]
pub struct DeformableSpec {
    pub name: String,
    pub nodes: Vec<Node>,
    /// Places of the nodes in the shape without stress [m].
    pub rest: Vec<Vec3>,
    pub edges: Vec<[usize; 2]>,
    pub triangles: Vec<[usize; 3]>,
    pub tets: Vec<[usize; 4]>,
    /// Of the triangles [m].
    pub thickness: f64,
    /// Of the tetrahedra.
    pub material: Material,
    /// Mass per volume of tetrahedra and triangles [kg/m³]; without these, per length of the edges [kg/m].
    pub density: f64,
    /// Of tetrahedra and triangles: Young's modulus [Pa] and Poisson's ratio.
    pub young: f64,
    pub poisson: f64,
    /// Of each edge [N/m].
    pub stiffness: f64,
    /// Ratio of damping to stiffness [s].
    pub damping: f64,
    pub origin: String,
}

/// Components of [`ParamKind::Deformable`](super::params::ParamKind::Deformable) before the coordinates of
/// the rest shape.
pub const DEFORMABLE_NUMBERS: usize = 5;

/// The names of these components.
pub const NAMES: [&str; DEFORMABLE_NUMBERS] =
    ["density", "young", "poisson", "stiffness", "damping"];

/// Current numbers of a deformable body.
#[derive(Clone, Debug)]
pub struct DeformableParams {
    /// In the order of [`NAMES`].
    pub numbers: [f64; DEFORMABLE_NUMBERS],
    pub rest: Vec<Vec3>,
}

impl DeformableParams {
    pub fn get(&self, component: usize) -> f64 {
        match component.checked_sub(DEFORMABLE_NUMBERS) {
            None => self.numbers[component],
            Some(k) => self.rest[k / 3][k % 3],
        }
    }

    pub fn set(&mut self, component: usize, value: f64) {
        match component.checked_sub(DEFORMABLE_NUMBERS) {
            None => self.numbers[component] = value,
            Some(k) => self.rest[k / 3][k % 3] = value,
        }
    }
}

/// Six times the volume of a tetrahedron with a sign, and the gradient of this number by its corners.
pub fn six_volumes(x: [Vec3; 4]) -> (f64, [Vec3; 4]) {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let by = [b.cross(c), c.cross(a), a.cross(b)];
    let first = -(by[0] + by[1] + by[2]);
    (a.dot(by[0]), [first, by[0], by[1], by[2]])
}

/// The area of a triangle, and the gradients of its corners' shape functions in its plane. The gradient of
/// the area by a corner is the area times that of its function.
pub fn triangle(x: [Vec3; 3]) -> (f64, [Vec3; 3]) {
    let [a, b, c] = x;
    let twice = (b - a).cross(c - a);
    let by = twice * (1.0 / twice.dot(twice));
    let gradients = [by.cross(c - b), by.cross(a - c), by.cross(b - a)];
    (0.5 * twice.norm(), gradients)
}

impl DeformableSpec {
    /// Whether it has a volume: tetrahedra or triangles.
    pub fn has_volume(&self) -> bool {
        !(self.tets.is_empty() && self.triangles.is_empty())
    }

    pub fn numbers(&self) -> DeformableParams {
        DeformableParams {
            numbers: [
                self.density,
                self.young,
                self.poisson,
                self.stiffness,
                self.damping,
            ],
            rest: self.rest.clone(),
        }
    }

    /// Visits the mass of each free node per unit of density, and its derivative along a motion of one
    /// coordinate of the rest shape, in parts: (node, share, slope). Without volume, edges carry the
    /// mass.
    pub fn for_shares(
        &self,
        rest: &[Vec3],
        along: Option<(usize, usize)>,
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        for tet in &self.tets {
            let (six, by) = six_volumes(tet.map(|i| rest[i]));
            let slope = along.map_or(0.0, |(node, axis)| {
                let corners = tet.iter().zip(by).filter(|(i, _)| **i == node);
                corners.map(|(_, by)| by[axis]).sum()
            });
            for i in tet.iter().filter(|i| self.nodes[**i].is_free) {
                visit(*i, six / 24.0, slope / 24.0);
            }
        }
        for corners in &self.triangles {
            let (area, by) = triangle(corners.map(|i| rest[i]));
            let slope = along.map_or(0.0, |(node, axis)| {
                let corners = corners.iter().zip(by).filter(|(i, _)| **i == node);
                corners.map(|(_, by)| area * by[axis]).sum()
            });
            for i in corners.iter().filter(|i| self.nodes[**i].is_free) {
                let [share, slope] = [area, slope].map(|x| self.thickness * x / 3.0);
                visit(*i, share, slope);
            }
        }
        let edges = match self.has_volume() {
            false => &self.edges[..],
            true => &[],
        };
        for [a, b] in edges {
            let d = rest[*b] - rest[*a];
            let slope = along.map_or(0.0, |(node, axis)| {
                let sign = f64::from(u8::from(node == *b)) - f64::from(u8::from(node == *a));
                sign * d[axis] / d.norm()
            });
            for i in [a, b].into_iter().filter(|i| self.nodes[**i].is_free) {
                visit(*i, d.norm() / 2.0, slope / 2.0);
            }
        }
    }

    /// The triangles that bound the tetrahedra, counter-clockwise seen from outside, and its own triangles.
    pub fn surface(&self) -> Vec<[usize; 3]> {
        const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let of_tet = |tet: &[usize; 4]| FACES.map(|face| face.map(|corner| tet[corner]));
        let mut faces: Vec<([usize; 3], [usize; 3])> = (self.tets.iter())
            .flat_map(of_tet)
            .map(|face| {
                let mut corners = face;
                sort_few(&mut corners, |a, b| a < b);
                (corners, face)
            })
            .collect();
        faces.sort_unstable();
        let groups = faces.chunk_by(|a, b| a.0 == b.0);
        let bounding = groups.filter(|g| g.len() == 1).map(|g| g[0].1);
        bounding.chain(self.triangles.iter().copied()).collect()
    }

    /// Force per displacement of each node that the elements around it offer, to an order of magnitude
    /// [N/m]: Young's modulus times the edge of a cube of the node's share of volume, or times the thickness
    /// of triangles, and the edges' stiffness.
    pub fn stiffness_at_nodes(&self) -> Vec<f64> {
        let mut volumes = vec![0.0; self.rest.len()];
        let mut flat = vec![0.0; self.rest.len()];
        for tet in &self.tets {
            let (six, _) = six_volumes(tet.map(|i| self.rest[i]));
            tet.iter().for_each(|i| volumes[*i] += six / 24.0);
        }
        for i in self.triangles.iter().flatten() {
            flat[*i] = self.young * self.thickness;
        }
        for i in self.edges.iter().flatten() {
            flat[*i] += self.stiffness;
        }
        let both = volumes.into_iter().zip(flat);
        both.map(|(v, flat): (f64, f64)| self.young * v.cbrt() + flat)
            .collect()
    }

    /// Volume of all tetrahedra and triangles [m³]; without these, length of all edges [m].
    pub fn extent(&self) -> f64 {
        let volume = |tet: &[usize; 4]| six_volumes(tet.map(|i| self.rest[i])).0 / 6.0;
        let length = |e: &[usize; 2]| (self.rest[e[1]] - self.rest[e[0]]).norm();
        let area = |corners: &[usize; 3]| triangle(corners.map(|i| self.rest[i])).0;
        match self.has_volume() {
            false => self.edges.iter().map(length).sum(),
            true => {
                let flat: f64 = self.triangles.iter().map(area).sum();
                self.tets.iter().map(volume).sum::<f64>() + self.thickness * flat
            }
        }
    }

    /// Mass of each node; zero for attached ones.
    pub fn masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.nodes.len()];
        self.for_shares(&self.rest, None, |i, share, _| {
            masses[i] += self.density * share
        });
        masses
    }
}

/// The inverse of the matrix of edges of a tetrahedron at rest: gradients of the corners' shape functions.
pub fn gradients(x: [Vec3; 4]) -> [Vec3; 4] {
    let (six, by) = six_volumes(x);
    by.map(|g| g * (1.0 / six))
}
