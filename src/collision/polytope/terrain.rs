//! A height field against a convex shape.
//!
//! Each triangle of the grid stands for the prism between it and the base. Prisms next to each
//! other have inner walls that no shape can touch: a contact counts only if its normal belongs to
//! the surface, that is to a triangle or, between the normals of the triangles that meet there, to
//! a convex edge or vertex. Where the shape overlaps a triangle and its prism offers no such
//! contact, the triangle's own normal is taken, so that nothing sinks through; what lies wholly below
//! the surface is at least raised along the normal of the triangle over its centre. The field has no
//! outer walls.

use super::convex::{Convex, Kind};
use super::feature::{Feature, Spot};
use super::hull::Hull;
use super::local::support;
use super::pair::{Pair, ROUNDING};
use super::patch::{Candidates, MOST_POINTS, choose};
use super::{
    Depths, MAX_POINTS, Manifold, Memory, PairCache, collide_deep, differentiate, inflated,
};
use crate::collision::{Approach, ContactDerivative, ContactPoint, Smoothness};
use crate::error::{Error, Result};
use crate::model::spec::HeightField;
use crate::spatial::{Pose, Vec3};
use std::sync::Arc;

/// Most contacts kept before the reduction to [`MAX_POINTS`]; beyond it, triangles are left out.
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

/// The heights as the narrow phase needs them, and the memory that its queries work in.
#[derive(Clone, Debug)]
pub struct Terrain {
    columns: usize,
    rows: usize,
    origin: [f64; 2],
    spacing: [f64; 2],
    base: f64,
    heights: Arc<[f64]>,
    tops: Arc<Tops>,
    prism: Convex,
    room: Room,
}

/// Cells of a block along either axis.
const BLOCK: usize = 16;

/// The greatest height of each block of cells, row by row.
#[derive(Debug)]
struct Tops {
    columns: usize,
    heights: Vec<f64>,
}

impl Tops {
    /// Of as many nodes, column by column in each row.
    fn new(columns: usize, heights: &[f64]) -> Tops {
        let blocks = |nodes: usize| (nodes - 1).div_ceil(BLOCK);
        let rows = heights.len() / columns;
        let mut tops = Tops {
            columns: blocks(columns),
            heights: vec![f64::NEG_INFINITY; blocks(columns) * blocks(rows)],
        };
        for (r, row) in heights.chunks_exact(columns).enumerate() {
            // A node on a border is of both blocks.
            let above = (r / BLOCK).min(blocks(rows) - 1);
            for br in r.saturating_sub(1) / BLOCK..=above {
                for (bc, top) in tops.row_mut(br).iter_mut().enumerate() {
                    let nodes = row[bc * BLOCK..].iter().take(BLOCK + 1);
                    *top = nodes.fold(*top, |m, h| m.max(*h));
                }
            }
        }
        tops
    }

    fn row_mut(&mut self, r: usize) -> &mut [f64] {
        &mut self.heights[r * self.columns..][..self.columns]
    }

    /// Of the block that holds this cell.
    fn at(&self, column: usize, row: usize) -> f64 {
        self.heights[row / BLOCK * self.columns + column / BLOCK]
    }
}

/// What a query works in.
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
    /// As much room: a copied vector would have none.
    fn clone(&self) -> Room {
        Room::new()
    }
}

impl Terrain {
    /// Errors: fewer than two columns or rows, heights missing, not finite (holes) or not above
    /// the base, extents that are not positive.
    pub fn new(field: &HeightField) -> Result<Terrain> {
        let HeightField {
            columns,
            rows,
            half_extents,
            base,
            ref heights,
        } = *field;
        if columns < 2 || rows < 2 || heights.len() != columns * rows {
            return Err(Error::invalid(format!(
                "height field of {columns} columns and {rows} rows with {} heights: at least 2 × 2 and one height a node are expected",
                heights.len()
            )));
        }
        if columns.saturating_mul(rows) > u32::MAX as usize / 2 {
            return Err(Error::unsupported(format!(
                "height field of {columns} × {rows} nodes: at most 2³¹ are supported"
            )));
        }
        if !(half_extents.iter().all(|x| x.is_finite() && *x > 0.0) && base.is_finite()) {
            return Err(Error::invalid(format!(
                "height field with half extents {half_extents:?} and base {base}: positive finite extents are expected"
            )));
        }
        if let Some(i) = heights.iter().position(|h| !(h.is_finite() && *h > -base)) {
            return Err(Error::parse(format!(
                "height field: the height {} at row {}, column {} is not finite or not above the base at {}",
                heights[i],
                i / columns,
                i % columns,
                -base
            )));
        }
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
        let [hx, hy] = half_extents;
        Ok(Terrain {
            columns,
            rows,
            origin: [-hx, -hy],
            spacing: [
                2.0 * hx / (columns - 1) as f64,
                2.0 * hy / (rows - 1) as f64,
            ],
            base,
            heights: heights.as_slice().into(),
            tops: Arc::new(Tops::new(columns, heights)),
            prism: prism.into(),
            room: Room::new(),
        })
    }

    /// The greatest height [m].
    pub fn highest(&self) -> f64 {
        let tops = self.tops.heights.iter();
        tops.fold(f64::NEG_INFINITY, |m, h| m.max(*h))
    }

    /// Contacts of the field (A) with `b` (B), up to [`MAX_POINTS`] in `out`; returns how many.
    /// Where there are too many, those count that may touch. No heap allocation.
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
            let cell = |x: f64| ((x - self.origin[k]) / self.spacing[k]).floor();
            let last = (count - 2) as f64;
            let (from, to) = (cell(-reach(-axis)), cell(reach(axis)));
            if to < 0.0 || from > last {
                0..0
            } else {
                from.max(0.0) as usize..to.min(last) as usize + 1
            }
        };
        let (columns, rows) = (cells(0, self.columns), cells(1, self.rows));
        let lowest = -reach(-Vec3::Z);
        let centre = b_in_a.point(b.centre());
        let ball = b.size() * (1.0 + ROUNDING) + margin;
        // Whether what is not above `top` between these nodes is out of the shape's reach.
        let (origin, spacing) = (self.origin, self.spacing);
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
                if is_beyond([from, r], [next, r + 1], self.tops.at(from, r)) {
                    continue;
                }
                for (c, half) in (from..next).flat_map(|c| [(c, 0), (c, 1)]) {
                    let triangle = (2 * (r * (self.columns - 1) + c) + half) as u32;
                    let top = self.triangle(triangle);
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
        let count = 2 * (self.columns - 1) * (self.rows - 1);
        if contact.triangle as usize >= count {
            return Err(Error::invalid(format!(
                "height field with {count} triangles has no triangle {}",
                contact.triangle
            )));
        }
        let top = self.triangle(contact.triangle);
        self.shape(&top);
        differentiate(&self.prism, pose, b, pose_b, &contact.contact)
    }

    fn node(&self, c: usize, r: usize) -> Vec3 {
        Vec3::new(
            self.origin[0] + self.spacing[0] * c as f64,
            self.origin[1] + self.spacing[1] * r as f64,
            self.heights[r * self.columns + c],
        )
    }

    /// (column, row) of the corners of a triangle, counter-clockwise seen from above: the lower
    /// left half of a cell, or its upper right half.
    fn corners(&self, triangle: u32) -> [(usize, usize); 3] {
        let cell = triangle as usize / 2;
        let (c, r) = (cell % (self.columns - 1), cell / (self.columns - 1));
        if triangle.is_multiple_of(2) {
            [(c, r), (c + 1, r), (c, r + 1)]
        } else {
            [(c + 1, r + 1), (c, r + 1), (c + 1, r)]
        }
    }

    fn triangle(&self, triangle: u32) -> [Vec3; 3] {
        self.corners(triangle).map(|(c, r)| self.node(c, r))
    }

    fn shape(&mut self, top: &[Vec3; 3]) {
        let mut v = [Vec3::ZERO; 6];
        for (k, t) in top.iter().enumerate() {
            v[k] = *t;
            v[k + 3] = Vec3::new(t.x, t.y, -self.base);
        }
        self.prism.hull.reshape(&v);
    }

    /// The contacts with one prism, in the field's frame; whether the shape overlaps it.
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

    /// The contact of a shape below the surface that lies under no triangle with its lowest part along
    /// that triangle's normal: with the triangle over its centre.
    fn raise(&mut self, b: &Convex, b_in_a: &Pose) {
        let centre = b_in_a.point(b.centre());
        let place = |k: usize, count: usize| {
            let x = (centre[k] - self.origin[k]) / self.spacing[k];
            let cell = x.floor().clamp(0.0, (count - 2) as f64);
            (cell as usize, x - cell)
        };
        let ((c, x), (r, y)) = (place(0, self.columns), place(1, self.rows));
        let upper = usize::from(x + y > 1.0);
        let triangle = (2 * (r * (self.columns - 1) + c) + upper) as u32;
        let top = self.triangle(triangle);
        self.shape(&top);
        let (contact, _) = self.lowest(b, b_in_a);
        self.add(contact, triangle);
    }

    fn add(&mut self, contact: ContactPoint, triangle: u32) {
        if self.room.found.len() < MAX_FOUND {
            self.room.found.push(TerrainContact { contact, triangle });
        }
    }

    /// The contacts along the triangle's own normal.
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

    /// The contact of the triangle's plane with the lowest point of the shape along its normal, and
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

    /// Whether a contact of a prism is one of the whole surface.
    fn is_outer(&self, triangle: u32, p: &ContactPoint) -> bool {
        let vertex = |v: u16| self.in_vertex_cone(triangle, v, p.normal);
        let edge = |e: [u16; 2]| self.in_edge_cone(triangle, e, p.normal);
        match Feature::decode(p.feature) {
            Some(
                Feature::FaceVertex { owner, face, .. }
                | Feature::FaceCorner { owner, face, .. }
                | Feature::SideSide { owner, face, .. },
            ) => {
                // On a face of the other shape it is the vertex farthest out that touches.
                if owner == 0 {
                    face == TOP
                } else {
                    vertex(self.prism.hull.support(p.normal))
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

    /// Whether `n` lies between the normals of the two triangles at an upper edge.
    fn in_edge_cone(&self, triangle: u32, e: [u16; 2], n: Vec3) -> bool {
        if e[0] > 2 || e[1] > 2 || e[0] == e[1] {
            return false;
        }
        let nodes = self.corners(triangle);
        let [p, q, own] = [e[0], e[1], 3 - e[0] - e[1]].map(|i| nodes[usize::from(i)]);
        let foot = self.node(p.0, p.1);
        // Across the edge, the node that completes the parallelogram.
        let (c, r) = (
            (p.0 + q.0).wrapping_sub(own.0),
            (p.1 + q.1).wrapping_sub(own.1),
        );
        let below = |c: usize, r: usize| {
            c >= self.columns || r >= self.rows || n.dot(self.node(c, r) - foot) <= self.slack()
        };
        below(own.0, own.1) && below(c, r)
    }

    /// Whether `n` is the normal of a plane that touches the surface at an upper vertex.
    fn in_vertex_cone(&self, triangle: u32, v: u16, n: Vec3) -> bool {
        let Some(&(c, r)) = self.corners(triangle).get(usize::from(v)) else {
            return false;
        };
        let foot = self.node(c, r);
        [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
            .iter()
            .all(|&(dc, dr)| {
                let (c, r) = (c.wrapping_add_signed(dc), r.wrapping_add_signed(dr));
                c >= self.columns || r >= self.rows || n.dot(self.node(c, r) - foot) <= self.slack()
            })
    }

    fn slack(&self) -> f64 {
        ROUNDING * (self.spacing[0] + self.spacing[1])
    }

    fn reduce(
        &mut self,
        pose: &Pose,
        approach: &Approach,
        tolerance: f64,
        out: &mut [TerrainContact; MAX_POINTS],
    ) -> usize {
        let Room { found, points } = &mut self.room;
        // Neighbours share the points on their common edge.
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
