//! Elements of meshes: triangles of a surface, and tetrahedra with a linear pressure.

use super::scalar::{Number, V3};
use super::tree::{Piece, Tree};
use crate::linalg::sort_few;
use crate::spatial::Vec3;

/// Volumes and areas below this share of the cube and square of a mesh's size count as zero.
const FLAT: f64 = 1e-14;

/// Most lengths of the first piece in a tetrahedron.
const FINEST: f64 = 1e4;

/// The first piece of a tetrahedron with a layer is this layer, without its innermost share.
const INNERMOST: f64 = 1.0 / 16.0;

/// Boxes of pieces are larger than the pieces by this share of the mesh's size, which is more than their
/// round-off.
const LARGER: f64 = 1e-12;

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
    /// The largest slope of its pressure, in units of the modulus [1/m].
    pub steepest: f64,
}

/// Lower and upper corner of the box around points.
struct Bounds([Vec3; 2]);

impl Default for Bounds {
    fn default() -> Bounds {
        let infinite = Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY);
        Bounds([infinite, -infinite])
    }
}

impl Bounds {
    fn add(&mut self, p: Vec3) {
        for k in 0..3 {
            self.0[0][k] = self.0[0][k].min(p[k]);
            self.0[1][k] = self.0[1][k].max(p[k]);
        }
    }
}

fn bounds(points: &[Vec3]) -> [Vec3; 2] {
    let mut all = Bounds::default();
    for p in points {
        all.add(*p);
    }
    all.0
}

/// Six times the volume of a tetrahedron, and the slope of the linear field through its corners.
pub(super) fn slope<T: Number>(corners: &[V3<T>; 4], extents: &[f64; 4]) -> (T, V3<T>) {
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
        sort_few(&mut three, |i: &usize, j: &usize| {
            corners[*i].0 < corners[*j].0
        });
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
    let pieces = (0..).zip(&facets).map(|(element, f)| Piece {
        element,
        bounds: bounds(&f.corners),
        // A rigid surface has any pressure.
        extents: [f64::NEG_INFINITY, f64::INFINITY],
    });
    let pieces: Vec<Piece> = pieces.collect();
    Surface {
        tree: Tree::new(&pieces),
        facets,
    }
}

impl Volume {
    /// A mesh of these tetrahedra; `size` bounds its coordinates.
    pub fn new(cells: Vec<Tetrahedron>, size: f64) -> Volume {
        let mut pieces = Vec::new();
        for (element, cell) in (0..).zip(&cells) {
            cell.cut_up(element, LARGER * size, &mut pieces);
        }
        Volume {
            tree: Tree::new(&pieces),
            steepest: cells.iter().fold(0.0, |most, c| c.steepness.max(most)),
            cells,
            size,
        }
    }
}

impl Tetrahedron {
    /// Appends the pieces of a needle from the surface to the medial axis. The first one is the outer part of
    /// the layer, where faces seldom close within a step. The next one is as long as the needle is wide, and
    /// each one after the third is twice as long as the one before it.
    fn cut_up(&self, element: u32, larger: f64, pieces: &mut Vec<Piece>) {
        let (at, e) = (&self.corners, &self.extents);
        let edges = (0..4).flat_map(|i| (0..i).map(move |j| [i, j]));
        let (mut width, mut length) = (0.0f64, 0.0f64);
        for [i, j] in edges.clone() {
            let own = (at[i] - at[j]).norm();
            match e[i] == e[j] {
                true => width = width.max(own),
                false => length = length.max(own),
            }
        }
        let [low, high] = [f64::min, f64::max].map(|f| e.iter().copied().fold(e[0], f));
        let parts = (length / width).min(FINEST);
        let start = (INNERMOST * low).clamp(low, high);
        let (mut from, mut share) = (low, if low < start { 0.0 } else { 1.0 });
        while from < high {
            let to = match 1.5 * share < parts {
                true => start + (high - start) * share / parts,
                false => high,
            };
            share = (2.0 * share).max(1.0);
            let mut own = Bounds::default();
            for (at, e) in at.iter().zip(e) {
                if (from..=to).contains(e) {
                    own.add(*at);
                }
            }
            for [i, j] in edges.clone() {
                for level in [from, to] {
                    let (si, sj) = (e[i] - level, e[j] - level);
                    if si * sj < 0.0 {
                        own.add(at[i] + (at[j] - at[i]) * (si / (si - sj)));
                    }
                }
            }
            let more = Vec3::new(larger, larger, larger);
            pieces.push(Piece {
                element,
                bounds: [own.0[0] - more, own.0[1] + more],
                extents: [from, to],
            });
            from = to;
        }
    }
}
