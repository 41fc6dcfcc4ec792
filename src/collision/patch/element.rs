//! Elements of meshes: triangles of a surface, and tetrahedra with a linear pressure.

use super::scalar::{Real, V3};
use super::tree::Tree;
use crate::spatial::Vec3;

/// Volumes and areas below this share of the cube and square of a mesh's size count as zero.
const FLAT: f64 = 1e-14;

/// A triangle with its outward unit normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub corners: [Vec3; 3],
    pub normal: Vec3,
}

#[derive(Clone, Debug)]
pub(super) struct Surface {
    pub facets: Vec<Facet>,
    pub tree: Tree,
}

/// One of the planes that bound a tetrahedron. Both tetrahedra at the plane have the same numbers;
/// `sign` is the side of this one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wall {
    pub at: Vec3,
    pub normal: Vec3,
    pub sign: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Tetrahedron {
    pub corners: [Vec3; 4],
    /// Pressure at the corners, in units of the modulus.
    pub extents: [f64; 4],
    /// Slope of the pressure [1/m] in units of the modulus, and its length.
    pub gradient: Vec3,
    pub steepness: f64,
    pub walls: [Wall; 4],
}

#[derive(Clone, Debug)]
pub(super) struct Volume {
    pub cells: Vec<Tetrahedron>,
    pub tree: Tree,
    /// Bound on its coordinates [m].
    pub size: f64,
}

pub(super) fn bounds(points: &[Vec3]) -> [Vec3; 2] {
    let mut all = [points[0]; 2];
    for p in points {
        for k in 0..3 {
            all[0][k] = all[0][k].min(p[k]);
            all[1][k] = all[1][k].max(p[k]);
        }
    }
    all
}

/// Six times the volume of a tetrahedron, and the slope of the linear field through its corners.
pub(super) fn slope<T: Real>(corners: &[V3<T>; 4], extents: &[f64; 4]) -> (T, V3<T>) {
    let [a, b, c] = [1, 2, 3].map(|k| corners[k] - corners[0]);
    let volume = a.dot(b.cross(c));
    let [ea, eb, ec] = [1, 2, 3].map(|k| T::of(extents[k] - extents[0]));
    let sum = b.cross(c).times(ea) + c.cross(a).times(eb) + a.cross(b).times(ec);
    (volume, sum.times(T::of(1.0) / volume))
}

/// A tetrahedron with the linear field through its corners; `None` for a flat one.
pub(super) fn tetrahedron(corners: [(usize, (Vec3, f64)); 4], size: f64) -> Option<Tetrahedron> {
    let at = corners.map(|(_, (at, _))| at);
    let extents = corners.map(|(_, (_, e))| e);
    let (volume, gradient) = slope(&at.map(V3::<f64>::of), &extents);
    if volume.abs() <= FLAT * size * size * size {
        return None;
    }
    let gradient = gradient.value();
    let mut walls = [Wall::default(); 4];
    for (k, wall) in walls.iter_mut().enumerate() {
        let mut others = [0, 1, 2, 3].into_iter().filter(|i| *i != k);
        let mut three = [0; 3];
        three.fill_with(|| others.next().unwrap_or(0));
        three.sort_unstable_by_key(|i| corners[*i].0);
        let [p, q, r] = three.map(|i| at[i]);
        let normal = (q - p).cross(r - p).normalized()?;
        let sign = normal.dot(at[k] - p).signum();
        *wall = Wall {
            at: p,
            normal,
            sign,
        };
    }
    Some(Tetrahedron {
        corners: at,
        extents,
        gradient,
        steepness: gradient.norm(),
        walls,
    })
}

pub(super) fn surface(triangles: impl Iterator<Item = [Vec3; 3]>) -> Surface {
    let facets = triangles.filter_map(|corners| {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalized()?;
        Some(Facet { corners, normal })
    });
    let facets: Vec<Facet> = facets.collect();
    let boxes: Vec<[Vec3; 2]> = facets.iter().map(|f| bounds(&f.corners)).collect();
    Surface {
        tree: Tree::new(&boxes),
        facets,
    }
}
