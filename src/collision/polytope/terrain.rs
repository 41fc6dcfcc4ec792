//! Contact of a height field with a convex shape.
//!
//! Each triangle of the grid stands for the prism between the triangle and the base. Neighbouring
//! prisms share inner walls that no shape can touch. A contact therefore counts only if its normal
//! belongs to the surface: to a triangle, or to a convex edge or vertex, whose normals lie between
//! those of the triangles that meet there.
//!
//! Where the shape overlaps a prism without such a contact, the triangle's own normal is taken, so that
//! nothing sinks through. A shape wholly below the surface is at least raised along the normal of the
//! triangle over its centre. The field has no outer walls.

use super::convex::{Convex, Kind, support};
use super::feature::{Feature, Spot};
use super::height_grid::{BLOCK, HeightGrid};
use super::hull::Hull;
use super::manifold::inflated;
use super::pair::{ON_FACE, Pair, ROUNDING};
use super::patch::{Candidates, MOST_POINTS, choose};
use super::placed::of_features;
use super::{Depths, MAX_POINTS, Manifold, Memory, PairCache, collide_deep, differentiate};
use crate::collision::{Approach, ContactDerivative, ContactPoint, Smoothness};
use crate::error::{Error, Result};
use crate::model::spec::HeightField;
use crate::spatial::{Pose, Vec3};

/// Most contacts kept before the reduction to [`MAX_POINTS`]. Further triangles are left out.
const MAX_FOUND: usize = MOST_POINTS;
/// The prism's upper face.
const TOP: u16 = 0;

/// A contact with one triangle of the field. Its identity from step to step is (`triangle`,
/// `contact.feature`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TerrainContact {
    pub contact: ContactPoint,
    pub triangle: u32,
}

/// The heights in the form the narrow phase needs, and the memory of its queries.
#[derive(Clone, Debug)]
pub struct Terrain {
    grid: HeightGrid,
    prism: Convex,
    room: Room,
}

/// Buffers of a query.
#[derive(Debug)]
struct Room {
    found: Vec<TerrainContact>,
    points: Vec<ContactPoint>,
}

impl Room {
    fn new() -> Room {
        Room {
            found: Vec::with_capacity(MAX_FOUND),
            points: Vec::with_capacity(MAX_FOUND),
        }
    }
}

impl Clone for Room {
    /// New buffers of the same capacity: a cloned vector would have none.
    fn clone(&self) -> Room {
        Room::new()
    }
}

impl Terrain {
    /// Errors: fewer than two columns or rows; heights that are missing, not finite (holes) or not
    /// above the base; extents that are not positive.
    pub fn new(field: &HeightField) -> Result<Terrain> {
        let grid = HeightGrid::new(field)?;
        let prism = Hull::from_polygons(
            vec![
                Vec3::new(0.0, 0.0, 1.0),
                Vec3::new(1.0, 0.0, 1.0),
                Vec3::new(0.0, 1.0, 1.0),
                Vec3::ZERO,
                Vec3::X,
                Vec3::Y,
            ],
            &[
                vec![0, 1, 2],
                vec![5, 4, 3],
                vec![3, 4, 1, 0],
                vec![4, 5, 2, 1],
                vec![5, 3, 0, 2],
            ],
        )?;
        Ok(Terrain {
            grid,
            prism: prism.into(),
            room: Room::new(),
        })
    }

    pub(super) fn grid(&self) -> &HeightGrid {
        &self.grid
    }

    /// The greatest height [m].
    pub fn highest(&self) -> f64 {
        self.grid.highest()
    }

    /// Contacts of the field (A) with `b` (B), up to [`MAX_POINTS`] in `out`. Returns their number. If
    /// there are too many, those that may touch within the step are kept. No heap allocation.
    pub fn collide(
        &mut self,
        pose: &Pose,
        b: &Convex,
        pose_b: &Pose,
        approach: &Approach,
        out: &mut [TerrainContact; MAX_POINTS],
    ) -> usize {
        self.room.found.clear();
        let approach = approach.seen_from(pose);
        let margin = approach.farthest;
        let b_in_a = pose.relative(pose_b);
        let reach = |axis: Vec3| {
            let (x, _) = support(b, b_in_a.rot.tr_mul_vec(axis), None);
            b_in_a.point(x).dot(axis) + b.radius() + margin
        };
        let cells = |k: usize, count: usize| {
            let axis = Vec3::unit(k);
            let cell = |x: f64| ((x - self.grid.origin[k]) / self.grid.spacing[k]).floor();
            let last = (count - 2) as f64;
            let (from, to) = (cell(-reach(-axis)), cell(reach(axis)));
            if to < 0.0 || from > last {
                0..0
            } else {
                from.max(0.0) as usize..to.min(last) as usize + 1
            }
        };
        let (columns, rows) = (cells(0, self.grid.columns), cells(1, self.grid.rows));
        let lowest = -reach(-Vec3::Z);
        let centre = b_in_a.point(b.centre());
        let ball = b.size() * (1.0 + ROUNDING) + margin;
        // Whether the shape cannot reach anything up to the height `top` between these nodes.
        let (origin, spacing) = (self.grid.origin, self.grid.spacing);
        let is_beyond = |from: [usize; 2], to: [usize; 2], top: f64| {
            let aside = |k: usize| {
                let x = |i: usize| origin[k] + spacing[k] * i as f64 - centre[k];
                x(from[k]).max(-x(to[k])).max(0.0)
            };
            let d = Vec3::new(aside(0), aside(1), (centre.z - top).max(0.0));
            top < lowest || d.norm_squared() > ball * ball
        };
        let mut sunk = false;
        for r in rows {
            let mut next = columns.start;
            while next < columns.end {
                let from = next;
                next = ((from / BLOCK + 1) * BLOCK).min(columns.end);
                if is_beyond([from, r], [next, r + 1], self.grid.highest_near(from, r)) {
                    continue;
                }
                for (c, half) in (from..next).flat_map(|c| [(c, 0), (c, 1)]) {
                    let triangle = (2 * (r * (self.grid.columns - 1) + c) + half) as u32;
                    let top = self.grid.triangle(triangle);
                    let highest = top.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.z));
                    if !is_beyond([c, r], [c + 1, r + 1], highest) {
                        self.shape(&top);
                        sunk |= self.touch(triangle, b, &b_in_a, &approach);
                    }
                }
            }
        }
        if sunk && self.room.found.is_empty() {
            self.raise(b, &b_in_a);
        }
        self.reduce(pose, &approach, ROUNDING * b.size(), out)
    }

    /// The derivative of a contact found by [`Terrain::collide`] on the same shape and poses.
    pub fn differentiate(
        &mut self,
        pose: &Pose,
        b: &Convex,
        pose_b: &Pose,
        contact: &TerrainContact,
    ) -> Result<(ContactDerivative, Smoothness)> {
        let count = 2 * (self.grid.columns - 1) * (self.grid.rows - 1);
        if contact.triangle as usize >= count {
            return Err(Error::invalid(format!(
                "height field with {count} triangles has no triangle {}",
                contact.triangle
            )));
        }
        let top = self.grid.triangle(contact.triangle);
        self.shape(&top);
        let (d, smoothness) = differentiate(&self.prism, pose, b, pose_b, &contact.contact)?;
        // A shape that reaches beyond this triangle meets the neighbours there, so a tie does not count.
        let smoothness = match smoothness {
            Smoothness::Tied(_) => Smoothness::Smooth,
            other => other,
        };
        Ok((d, smoothness))
    }

    /// The contact of given features with one triangle at the bodies' current places. The features come
    /// from a point found at other places.
    pub fn again(
        &mut self,
        pose: &Pose,
        b: &Convex,
        pose_b: &Pose,
        contact: &ContactPoint,
        triangle: u32,
    ) -> Option<ContactPoint> {
        let top = self.grid.triangle(triangle);
        self.shape(&top);
        of_features(&self.prism, pose, b, pose_b, contact)
    }

    fn shape(&mut self, top: &[Vec3; 3]) {
        let mut v = [Vec3::ZERO; 6];
        for (k, t) in top.iter().enumerate() {
            v[k] = *t;
            v[k + 3] = Vec3::new(t.x, t.y, -self.grid.base);
        }
        self.prism.hull.reshape(&v);
    }

    /// Adds the contacts with one prism, in the field's frame. Returns whether the shape overlaps it.
    fn touch(&mut self, triangle: u32, b: &Convex, b_in_a: &Pose, approach: &Approach) -> bool {
        let mut m = Manifold::default();
        let mut memory = Memory {
            cache: &mut PairCache::default(),
            depths: &mut Depths::new(0),
            key: 0,
        };
        collide_deep(
            &self.prism,
            &Pose::IDENTITY,
            b,
            b_in_a,
            approach,
            &mut memory,
            &mut m,
        );
        if m.points().is_empty() {
            return false;
        }
        let before = self.room.found.len();
        for p in m.points() {
            if self.is_outer(triangle, p) {
                self.add(*p, triangle);
            }
        }
        if self.room.found.len() == before {
            let mut under = Candidates::new();
            self.along_top(b, b_in_a, approach.farthest, &mut under);
            for p in under.points() {
                self.add(*p, triangle);
            }
        }
        m.points().iter().any(|p| p.gap < 0.0)
    }

    /// Adds the contact of a shape below the surface for which no other contact was found: none of its
    /// lowest points along the triangles' normals lies under that triangle. The contact is with the
    /// triangle over the shape's centre.
    fn raise(&mut self, b: &Convex, b_in_a: &Pose) {
        let centre = b_in_a.point(b.centre());
        let place = |k: usize, count: usize| {
            let x = (centre[k] - self.grid.origin[k]) / self.grid.spacing[k];
            let cell = x.floor().clamp(0.0, (count - 2) as f64);
            (cell as usize, x - cell)
        };
        let ((c, x), (r, y)) = (place(0, self.grid.columns), place(1, self.grid.rows));
        let upper = usize::from(y > x);
        let triangle = (2 * (r * (self.grid.columns - 1) + c) + upper) as u32;
        let top = self.grid.triangle(triangle);
        self.shape(&top);
        let (contact, _) = self.lowest(b, b_in_a);
        self.add(contact, triangle);
    }

    fn add(&mut self, contact: ContactPoint, triangle: u32) {
        if self.room.found.len() < MAX_FOUND {
            self.room.found.push(TerrainContact { contact, triangle });
        }
    }

    /// Adds the contacts along the triangle's own normal.
    fn along_top(&self, b: &Convex, b_in_a: &Pose, margin: f64, found: &mut Candidates) {
        let top = *self.prism.hull.face(TOP);
        let against = -b_in_a.rot.tr_mul_vec(top.normal);
        if let Kind::Hull { radius } = b.kind {
            let pair = Pair::new(&self.prism.hull, &b.hull, *b_in_a);
            let tolerance = ROUNDING * b.size();
            pair.reference(0, TOP)
                .clip(b.hull.support(against), margin + radius, tolerance, found);
            found.update(|p| *p = inflated(*p, 0.0, radius));
            return;
        }
        let (contact, x) = self.lowest(b, b_in_a);
        let over = (0..3).all(|k| {
            let p = self.prism.hull.vertex(k);
            let q = self.prism.hull.vertex((k + 1) % 3);
            (q - p).cross(x - p).dot(top.normal) >= 0.0
        });
        if over && contact.gap <= margin {
            found.push(contact);
        }
    }

    /// The contact of the triangle's plane with the shape's lowest point along the plane's normal, and
    /// that point.
    fn lowest(&self, b: &Convex, b_in_a: &Pose) -> (ContactPoint, Vec3) {
        let top = *self.prism.hull.face(TOP);
        let (x, id) = support(b, -b_in_a.rot.tr_mul_vec(top.normal), None);
        let x = b_in_a.point(x);
        let feature = match b.kind {
            Kind::Hull { .. } => Feature::FaceVertex {
                owner: 0,
                face: TOP,
                vertex: id,
            },
            Kind::Cylinder { .. } => Feature::Spots([Spot::Face(TOP), Spot::Rim(id == 1)]),
            Kind::Ellipsoid { .. } => Feature::Spots([Spot::Face(TOP), Spot::Smooth]),
        };
        let gap = top.normal.dot(x) - top.offset;
        let core = ContactPoint {
            point: x - top.normal * (0.5 * gap),
            normal: top.normal,
            gap,
            feature: feature.encode(),
        };
        (inflated(core, 0.0, b.radius()), x)
    }

    /// Whether a contact of a prism is a contact of the whole surface.
    fn is_outer(&self, triangle: u32, p: &ContactPoint) -> bool {
        let vertex = |v: u16| self.grid.in_vertex_cone(triangle, v, p.normal);
        let edge = |e: [u16; 2]| self.grid.in_edge_cone(triangle, e, p.normal);
        match Feature::decode(p.feature) {
            Some(
                Feature::FaceVertex { owner, face, .. }
                | Feature::FaceCorner { owner, face, .. }
                | Feature::SideSide { owner, face, .. },
            ) => {
                // On a face of the other shape, the prism's vertex farthest out along the normal touches.
                if owner == 0 {
                    face == TOP
                } else {
                    let along_top = self.prism.hull.alignment(TOP, p.normal) > 1.0 - ON_FACE;
                    !along_top && vertex(self.prism.hull.support(p.normal))
                }
            }
            Some(Feature::EdgeEdge { a, .. }) => edge(a),
            Some(Feature::EdgeVertex {
                owner,
                edge: e,
                vertex: v,
            }) => {
                if owner == 0 {
                    edge(e)
                } else {
                    vertex(v)
                }
            }
            Some(Feature::VertexVertex { a, .. }) => vertex(a),
            Some(Feature::Spots([spot, _])) => match spot {
                Spot::Face(f) => f == TOP,
                Spot::Edge(e) => edge(e),
                Spot::Vertex(v) => vertex(v),
                _ => false,
            },
            _ => false,
        }
    }

    fn reduce(
        &mut self,
        pose: &Pose,
        approach: &Approach,
        tolerance: f64,
        out: &mut [TerrainContact; MAX_POINTS],
    ) -> usize {
        let Room { found, points } = &mut self.room;
        // Neighbouring triangles both find the points on their common edge.
        let mut n = 0;
        for i in 0..found.len() {
            let p = found[i].contact;
            let known = found[..n].iter().any(|q| {
                (q.contact.point - p.point).norm() <= tolerance
                    && (q.contact.normal - p.normal).norm() <= ROUNDING
            });
            if !known {
                found[n] = found[i];
                n += 1;
            }
        }
        found.truncate(n);
        found.sort_unstable_by_key(|p| (p.triangle, p.contact.feature));
        points.clear();
        points.extend(found.iter().map(|p| p.contact));
        let (kept, count) = choose(points, |p| approach.closes(p), tolerance);
        for (o, &i) in out.iter_mut().zip(&kept[..count]) {
            let mut p = found[i];
            p.contact.point = pose.point(p.contact.point);
            p.contact.normal = pose.rot.mul_vec(p.contact.normal);
            *o = p;
        }
        count
    }
}
