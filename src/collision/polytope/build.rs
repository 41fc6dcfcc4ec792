//! The convex hull of a mesh: triangles from a quickhull; coplanar neighbours merged into polygons.

use super::hull::{Hull, MAX_VERTICES};
use crate::error::{Error, Result, Status};
use crate::linalg::sort_few;
use crate::linalg::within;
use crate::model::mesh::TriMesh;
use crate::spatial::{Mat3, Vec3};
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use std::collections::{BTreeMap, BTreeSet};

/// Most triangles of a mesh whose hull is built.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// A point set thinner than this, relative to its extent, has no volume.
const FLAT: f64 = 1e-7;

/// Thickness of the plate that replaces a flat set, relative to its extent.
const PLATE: f64 = 1e-4;

/// Sets up to this thick, relative to their extent, are replaced by such a plate if no hull is found
/// for them.
const THIN: f64 = 1e-3;

/// Coordinates beyond this have no finite products.
const LARGEST: f64 = 1e100;

/// Distance from a face's plane, relative to the extent, within which a triangle belongs to it.
/// Single-precision coordinates scatter by 6e-8. The coarser values are for meshes whose merged faces
/// do not close with the finer ones.
const COPLANAR: [f64; 4] = [2e-7, 2e-6, 2e-5, 2e-4];

/// Random displacements of the points for the quickhull, relative to each extent. If many points lie in one
/// plane, as in CAD models, the quickhull may lose some of them by round-off; displacing the points
/// slightly prevents it. All values are below the tolerances for merging faces.
const JOGGLES: [f64; 4] = [0.0, 1e-10, 1e-9, 1e-8];

impl Hull {
    /// The convex hull of a mesh's vertices, in the mesh's frame. Duplicate vertices, triangles
    /// without area, open edges and winding do not matter.
    ///
    /// Points on a plane become a plate about it, as thick as 10⁻⁴ of their extent. So do points within
    /// 10⁻³ of a plane if no hull is found for them.
    ///
    /// Errors: indices out of range or coordinates that are not finite or beyond 10¹⁰⁰ m; more than
    /// [`MAX_TRIANGLES`] triangles; points on a line; more than [`MAX_VERTICES`] vertices on the hull.
    pub fn from_mesh(mesh: &TriMesh) -> Result<Hull> {
        if mesh.triangles.len() > MAX_TRIANGLES {
            return Err(Error::unsupported(format!(
                "mesh with {} triangles: at most {MAX_TRIANGLES} are supported",
                mesh.triangles.len()
            )));
        }
        check_indices(mesh)?;
        Hull::from_points(&mesh.vertices)
    }

    /// The convex hull of points; errors as for [`Hull::from_mesh`].
    pub fn from_points(points: &[Vec3]) -> Result<Hull> {
        if let Some((i, v)) = points
            .iter()
            .enumerate()
            .find(|(_, v)| !within(LARGEST, &v.to_array()))
        {
            return Err(Error::parse(format!(
                "mesh vertex {i} is not finite, or beyond {LARGEST:e} m: {:?}",
                v.to_array()
            )));
        }
        if points.len() > 3 * MAX_TRIANGLES {
            return Err(Error::unsupported(format!(
                "mesh with {} vertices: at most {} are supported",
                points.len(),
                3 * MAX_TRIANGLES
            )));
        }
        let spread = spread(points)?;
        let flat = spread.extents.z <= FLAT * spread.extents.x;
        let made = match flat {
            false => built(points, &spread),
            true => Err(Error::parse("the points are on a plane")),
        };
        match made {
            Err(_) if flat || spread.extents.z <= THIN * spread.extents.x => {
                let plate = spread.plate(points);
                built(&plate, &self::spread(&plate)?)
            }
            made => made,
        }
        .map_err(|e| match e.status {
            // The points cause the failure, but the reason is not known.
            Status::Internal => Error::invalid(format!(
                "no convex hull is found for the mesh's {} vertices ({})",
                points.len(),
                e.message
            )),
            _ => e,
        })
    }
}

/// The hull of the points, unchanged.
fn built(points: &[Vec3], spread: &Spread) -> Result<Hull> {
    let mut failure = None;
    for joggle in JOGGLES {
        let (vertices, triangles) = match quickhull(points, spread, joggle) {
            Ok(found) => found,
            Err(e) => {
                failure = Some(e);
                continue;
            }
        };
        for tolerance in COPLANAR {
            let tolerance = tolerance * spread.extents.x;
            match merged(&vertices, &triangles, tolerance)
                .and_then(|hull| holding(hull, points, 2.0 * tolerance))
            {
                Ok(hull) => return Ok(hull),
                Err(e) => failure = Some(e),
            }
        }
    }
    Err(failure.unwrap_or_else(|| Error::internal("hull: no tolerance tried")))
}

/// An error if a triangle names a vertex that does not exist.
fn check_indices(mesh: &TriMesh) -> Result<()> {
    let n = mesh.vertices.len();
    for (k, t) in mesh.triangles.iter().enumerate() {
        if let Some(i) = t.iter().find(|&&i| i as usize >= n) {
            return Err(Error::parse(format!(
                "mesh triangle {k} names vertex {i} of {n}"
            )));
        }
    }
    Ok(())
}

/// Principal directions and extents of a point set: length, width and thickness.
struct Spread {
    axes: Mat3,
    extents: Vec3,
    /// A point on the middle plane.
    middle: Vec3,
}

impl Spread {
    /// The points, moved to both sides of a plate about their middle plane.
    fn plate(&self, points: &[Vec3]) -> Vec<Vec3> {
        let up = self.axes.c[2];
        let half = up * (0.5 * PLATE * self.extents.x).max(0.5 * self.extents.z);
        let sides = points.iter().flat_map(|&p| {
            let foot = p - up * up.dot(p - self.middle);
            [foot + half, foot - half]
        });
        sides.collect()
    }
}

/// An error if the points are a point or a line.
fn spread(points: &[Vec3]) -> Result<Spread> {
    let p0 = points
        .first()
        .copied()
        .ok_or_else(|| Error::parse("mesh without vertices: a hull needs at least four"))?;
    let farthest = |score: &dyn Fn(Vec3) -> f64| {
        points
            .iter()
            .map(|&p| (score(p), p))
            .fold((0.0, p0), |m, c| if c.0 > m.0 { c } else { m })
    };
    let degenerate = |what: &str| {
        Error::parse(format!(
            "mesh without volume: its {} vertices lie on a {what}",
            points.len()
        ))
    };
    let (_, p1) = farthest(&|p| (p - p0).norm());
    let (length, p2) = farthest(&|p| (p - p1).norm());
    let Some(u) = (p2 - p1).normalized() else {
        return Err(degenerate("point"));
    };
    let (width, p3) = farthest(&|p| (p - p1).cross(u).norm());
    if width <= FLAT * length {
        return Err(degenerate("line"));
    }
    let Some(w) = u.cross(p3 - p1).normalized() else {
        return Err(degenerate("line"));
    };
    let (height, _) = farthest(&|p| (p - p1).dot(w).abs());
    let heights = points.iter().map(|&p| (p - p1).dot(w));
    let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
    Ok(Spread {
        axes: Mat3::from_columns(u, w.cross(u), w),
        extents: Vec3::new(length, width, height),
        middle: p1 + w * (0.5 * (low + high)),
    })
}

/// A pseudo-random number in ±½, a function of `k` (splitmix64).
fn scatter(k: u64) -> f64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// Vertices and triangles of the hull. The points are displaced by `joggle` for the search.
fn quickhull(points: &[Vec3], spread: &Spread, joggle: f64) -> Result<(Vec<Vec3>, Vec<[u32; 3]>)> {
    // Equal points spoil the search for a first facet, and so do needles and plates. Stretched to equal
    // extents, the set has the same hull.
    let unique: BTreeSet<[u64; 3]> = points
        .iter()
        .map(|v| v.to_array().map(|x| (x + 0.0).to_bits()))
        .collect();
    let unique: Vec<Vec3> = unique
        .into_iter()
        .map(|v| Vec3::from_slice(&v.map(f64::from_bits)))
        .collect();
    let e = spread.extents;
    let stretch = Vec3::new(1.0 / e.x, 1.0 / e.y, 1.0 / e.z);
    let centre = unique[0];
    let stretched: Vec<Vector> = (0..)
        .zip(&unique)
        .map(|(k, &v)| {
            let aside = [0, 1, 2].map(|axis| joggle * scatter(3 * k + axis));
            let v = spread.axes.tr_mul_vec(v - centre).scale(stretch);
            Vector::from_array((v + Vec3::from_slice(&aside)).to_array())
        })
        .collect();
    let (vertices, triangles) = std::panic::catch_unwind(|| try_convex_hull(&stretched))
        .map_err(|_| Error::internal(format!("convex hull of {} vertices failed", points.len())))?
        .map_err(|e| Error::parse(format!("convex hull of {} vertices: {e}", points.len())))?;
    // The hull's vertices are copies of the input's.
    let index: BTreeMap<[u64; 3], usize> = stretched
        .iter()
        .enumerate()
        .map(|(i, v)| (v.to_array().map(f64::to_bits), i))
        .collect();
    let vertices = vertices
        .iter()
        .map(|v| {
            index
                .get(&v.to_array().map(f64::to_bits))
                .map(|&i| unique[i])
        })
        .collect::<Option<_>>()
        .ok_or_else(|| Error::internal("hull: the quickhull moved a vertex"))?;
    Ok((vertices, triangles))
}

/// Work budget of the check of a finished hull, in products of a point with a face.
const MAX_CHECKS: usize = 100_000_000;

/// The hull, if no point lies outside by more than `tolerance`. Of very many points only a part is
/// checked.
fn holding(hull: Hull, points: &[Vec3], tolerance: f64) -> Result<Hull> {
    let stride = 1 + points.len() * hull.faces().len() / MAX_CHECKS;
    for &p in points.iter().step_by(stride) {
        for f in hull.faces() {
            let height = f.normal.dot(p) - f.offset;
            if height > tolerance {
                return Err(Error::internal(format!(
                    "hull: the point {:?} lies {height:e} m outside",
                    p.to_array()
                )));
            }
        }
    }
    Ok(hull)
}

/// Merges triangles into faces and makes a hull of them.
fn merged(vertices: &[Vec3], triangles: &[[u32; 3]], tolerance: f64) -> Result<Hull> {
    let mut regions = Regions::grown(vertices, triangles, tolerance)?;
    let (outlines, is_corner) = loop {
        let outlines = regions.outlines();
        let is_corner = regions.corners();
        if !regions.mend(&outlines, &is_corner) {
            break (outlines, is_corner);
        }
    };
    let corners: Vec<u32> = (0..vertices.len() as u32)
        .filter(|&i| is_corner[i as usize])
        .collect();
    if corners.len() > MAX_VERTICES {
        return Err(Error::parse(format!(
            "convex hull with {} vertices: at most {MAX_VERTICES} are supported",
            corners.len()
        )));
    }
    let number = |i: &u32| corners.binary_search(i).ok().map(|k| k as u16);
    let polygons: Vec<Vec<u16>> = (outlines.iter().flatten())
        .map(|outline| outline.iter().filter_map(number).collect())
        .collect();
    let at = corners.iter().map(|&i| vertices[i as usize]).collect();
    Hull::from_polygons(at, &polygons)
}

/// Triangles of a closed surface in regions, each of which becomes a face.
struct Regions<'a> {
    vertices: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// The triangle of each directed side.
    beyond: BTreeMap<(u32, u32), usize>,
    /// The region of each triangle.
    face_of: Vec<usize>,
    /// Normal and offset of each region.
    planes: Vec<(Vec3, f64)>,
}

/// A closed path along sides of triangles.
type Loop = Vec<u32>;

impl<'a> Regions<'a> {
    /// Grows regions from the largest triangles over neighbours within `tolerance` of their plane.
    fn grown(
        vertices: &'a [Vec3],
        triangles: &'a [[u32; 3]],
        tolerance: f64,
    ) -> Result<Regions<'a>> {
        let corner = |i: u32| vertices[i as usize];
        let area: Vec<Vec3> = triangles
            .iter()
            .map(|t| (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])))
            .collect();
        let mut beyond = BTreeMap::new();
        for (k, t) in triangles.iter().enumerate() {
            for s in 0..3 {
                beyond.insert((t[s], t[(s + 1) % 3]), k);
            }
        }
        let mut order: Vec<usize> = (0..triangles.len()).collect();
        order.sort_by(|&i, &j| {
            area[j]
                .norm_squared()
                .total_cmp(&area[i].norm_squared())
                .then(i.cmp(&j))
        });
        let mut face_of = vec![usize::MAX; triangles.len()];
        let mut planes = Vec::new();
        for seed in order {
            if face_of[seed] != usize::MAX {
                continue;
            }
            let Some(n) = area[seed].normalized() else {
                return Err(Error::internal("hull: a facet without area"));
            };
            let offset = n.dot(corner(triangles[seed][0]));
            let mut queue = vec![seed];
            face_of[seed] = planes.len();
            while let Some(k) = queue.pop() {
                let t = triangles[k];
                for s in 0..3 {
                    let Some(&next) = beyond.get(&(t[(s + 1) % 3], t[s])) else {
                        return Err(Error::internal("hull: the quickhull left an open edge"));
                    };
                    let near = |&i: &u32| (n.dot(corner(i)) - offset).abs() <= tolerance;
                    if face_of[next] == usize::MAX && triangles[next].iter().all(near) {
                        face_of[next] = planes.len();
                        queue.push(next);
                    }
                }
            }
            planes.push((n, offset));
        }
        Ok(Regions {
            vertices,
            triangles,
            beyond,
            face_of,
            planes,
        })
    }

    /// The region on the other side of the side i-j.
    fn across(&self, i: u32, j: u32) -> usize {
        // `grown` has met every side from both of its triangles.
        self.face_of[self.beyond[&(j, i)]]
    }

    /// The loops of sides between each region and others, the longest first. No vertex is twice in a loop.
    fn outlines(&self) -> Vec<Vec<Loop>> {
        let mut sides = vec![BTreeMap::<u32, Vec<u32>>::new(); self.planes.len()];
        for (t, &face) in self.triangles.iter().zip(&self.face_of) {
            for s in 0..3 {
                let (i, j) = (t[s], t[(s + 1) % 3]);
                if self.across(i, j) != face {
                    sides[face].entry(i).or_default().push(j);
                }
            }
        }
        let length = |l: &Loop| {
            let ends = l.iter().zip(l.iter().cycle().skip(1));
            ends.map(|(&i, &j)| (self.vertices[j as usize] - self.vertices[i as usize]).norm())
                .sum::<f64>()
        };
        sides
            .into_iter()
            .map(|mut sides| {
                let mut loops = Vec::new();
                while let Some((&first, _)) = sides.first_key_value() {
                    let mut path = vec![first];
                    while let Some(&at) = path.last() {
                        let Some(ends) = sides.get_mut(&at) else {
                            break;
                        };
                        let next = ends.pop();
                        if ends.is_empty() {
                            sides.remove(&at);
                        }
                        path.extend(next);
                        let place = path.iter().position(|i| next == Some(*i));
                        if let Some(place) = place.filter(|p| p + 1 < path.len()) {
                            let mut closed = path.split_off(place + 1);
                            closed.rotate_right(1);
                            loops.push(closed);
                        }
                    }
                }
                sort_few(&mut loops, |a, b| length(b).total_cmp(&length(a)).is_lt());
                loops
            })
            .collect()
    }

    /// Whether at least three regions meet at each vertex. Other vertices lie on a face or an edge.
    fn corners(&self) -> Vec<bool> {
        let mut meeting = vec![BTreeSet::new(); self.vertices.len()];
        for (t, &face) in self.triangles.iter().zip(&self.face_of) {
            for &i in t {
                meeting[i as usize].insert(face);
            }
        }
        meeting.iter().map(|faces| faces.len() >= 3).collect()
    }

    /// Joins regions that are no polygons with others: a region with fewer than three corners (a sliver along
    /// an edge) with the neighbour whose plane is nearest, and one with holes with the regions in its holes.
    /// Such regions come from points that scatter about a plane by more than the tolerance. Returns whether
    /// any were joined.
    fn mend(&mut self, outlines: &[Vec<Loop>], is_corner: &[bool]) -> bool {
        // A region takes part once a round, so that all of its outlines are valid.
        let mut joined = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for (face, loops) in outlines.iter().enumerate() {
            let Some(longest) = loops.first() else {
                continue;
            };
            let neighbours = |l: &Loop| -> BTreeSet<usize> {
                let ends = l.iter().zip(l.iter().cycle().skip(1));
                ends.map(|(&i, &j)| self.across(i, j)).collect()
            };
            let corners = longest.iter().filter(|&&i| is_corner[i as usize]).count();
            let is_sliver = corners < 3;
            let absorbed: Vec<(usize, usize)> = if loops.len() > 1 {
                let inner = loops[1..].iter().flat_map(neighbours);
                inner.map(|inner| (inner, face)).collect()
            } else if is_sliver {
                let height = |other: usize| {
                    let (n, offset) = self.planes[other];
                    let above = |&i: &u32| (n.dot(self.vertices[i as usize]) - offset).abs();
                    longest.iter().map(above).fold(0.0, f64::max)
                };
                let near = neighbours(longest).into_iter();
                let nearest = near.min_by(|&a, &b| height(a).total_cmp(&height(b)));
                nearest.map(|n| (face, n)).into_iter().collect()
            } else {
                continue;
            };
            for (from, into) in absorbed {
                if !taken.contains(&from) && !joined.contains_key(&into) {
                    taken.extend([from, into]);
                    joined.insert(from, into);
                }
            }
        }
        for face in &mut self.face_of {
            if let Some(&into) = joined.get(face) {
                *face = into;
            }
        }
        !joined.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of a plate with rounded edges, with the digits of a CAD file: many points in each plane.
    fn plate() -> Vec<Vec3> {
        let rounded = |x: f64| (x * 1e6).round() / 1e6;
        let mut points = Vec::new();
        for sides in 0..8 {
            let side = |axis: u32| if sides >> axis & 1 == 1 { 1.0 } else { -1.0 };
            for (i, j) in (0..7).flat_map(|i| (0..7).map(move |j| (i, j))) {
                let [(sa, ca), (sb, cb)] =
                    [i, j].map(|k| (f64::from(k) * 15.0).to_radians().sin_cos());
                let round = Vec3::new(ca * cb, sa * cb, sb) * 0.002;
                let p = Vec3::new(0.0225, 0.0145, 0.0035) + round;
                points.push(Vec3::new(
                    rounded(side(0) * p.x),
                    rounded(side(1) * p.y),
                    rounded(side(2) * p.z),
                ));
            }
        }
        points
    }

    #[test]
    fn joggled_points_have_the_hull_of_the_points() {
        let points = plate();
        let spread = spread(&points).unwrap();
        let tolerance = COPLANAR[0] * spread.extents.x;
        let hulls = JOGGLES.map(|joggle| {
            let (vertices, triangles) = quickhull(&points, &spread, joggle).unwrap();
            let hull = merged(&vertices, &triangles, tolerance).unwrap();
            holding(hull, &points, 2.0 * tolerance).unwrap()
        });
        for hull in &hulls[1..] {
            assert_eq!(hull.faces().len(), hulls[0].faces().len());
            assert_eq!(hull.vertices().len(), hulls[0].vertices().len());
            assert!(hull.vertices().iter().all(|v| points.contains(v)));
        }
    }

    /// A cube whose top is in two regions: a triangle with two corners, or a square with a hole and the
    /// square in it. Points that scatter about a plane by more than the tolerance make such regions.
    #[test]
    fn regions_that_are_no_polygons_join_their_neighbours() {
        let sides: [[u32; 4]; 5] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
        ];
        let sign = |i: u32, axis: u32| if i >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let outer = [4, 5, 7, 6];
        for has_hole in [false, true] {
            let mut vertices: Vec<Vec3> = (0..8)
                .map(|i| Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2)))
                .collect();
            let cut = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
            let mut triangles: Vec<[u32; 3]> = sides.into_iter().flat_map(cut).collect();
            let mut face_of: Vec<usize> = (0..10).map(|t| t / 2).collect();
            for k in 0..4 {
                let (a, b) = (outer[k], outer[(k + 1) % 4]);
                if has_hole {
                    let (c, d) = (8 + k as u32, 8 + (k as u32 + 1) % 4);
                    vertices.push(Vec3::new(0.5 * sign(a, 0), 0.5 * sign(a, 1), 1.0));
                    triangles.extend(cut([a, b, d, c]));
                    face_of.extend([5, 5]);
                } else {
                    triangles.push([a, b, 8]);
                    face_of.push(if k == 0 { 6 } else { 5 });
                }
            }
            if has_hole {
                triangles.extend(cut([8, 9, 10, 11]));
                face_of.extend([6, 6]);
            } else {
                vertices.push(Vec3::new(0.0, 0.0, 1.0));
            }
            let mut beyond = BTreeMap::new();
            for (k, t) in triangles.iter().enumerate() {
                for s in 0..3 {
                    beyond.insert((t[s], t[(s + 1) % 3]), k);
                }
            }
            let normal = |f: usize| Vec3::unit(f.min(5) / 2) * sign(f.min(5) as u32, 0);
            let mut regions = Regions {
                vertices: &vertices,
                triangles: &triangles,
                beyond,
                face_of,
                planes: (0..7).map(|f| (normal(f), 1.0)).collect(),
            };
            let (outlines, is_corner) = (regions.outlines(), regions.corners());
            assert!(regions.mend(&outlines, &is_corner));
            assert!(regions.face_of.iter().all(|f| *f < 6));
            let (outlines, is_corner) = (regions.outlines(), regions.corners());
            assert!(!regions.mend(&outlines, &is_corner));
            assert_eq!(is_corner.iter().filter(|c| **c).count(), 8);
            assert!(
                outlines[..6]
                    .iter()
                    .all(|l| l.len() == 1 && l[0].len() == 4)
            );
        }
    }
}
