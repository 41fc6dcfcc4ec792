//! The grid of a height field: its triangles, their greatest heights, and the directions that belong to
//! their surface.

use super::pair::ROUNDING;
use crate::error::{Error, Result};
use crate::model::spec::HeightField;
use crate::spatial::Vec3;
use std::sync::Arc;

/// Cells of a block along either axis.
pub(super) const BLOCK: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct HeightGrid {
    pub columns: usize,
    pub rows: usize,
    pub origin: [f64; 2],
    pub spacing: [f64; 2],
    pub base: f64,
    heights: Arc<[f64]>,
    tops: Arc<Tops>,
}

/// The greatest height of each block of cells, row by row.
#[derive(Debug)]
struct Tops {
    columns: usize,
    heights: Vec<f64>,
}

impl Tops {
    /// Of the nodes with these heights, `columns` in each row.
    fn new(columns: usize, heights: &[f64]) -> Tops {
        let blocks = |nodes: usize| (nodes - 1).div_ceil(BLOCK);
        let rows = heights.len() / columns;
        let mut tops = Tops {
            columns: blocks(columns),
            heights: vec![f64::NEG_INFINITY; blocks(columns) * blocks(rows)],
        };
        for (r, row) in heights.chunks_exact(columns).enumerate() {
            // A node on a border belongs to both blocks.
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

    /// Greatest height of the block that holds this cell [m].
    fn at(&self, column: usize, row: usize) -> f64 {
        self.heights[row / BLOCK * self.columns + column / BLOCK]
    }
}

impl HeightGrid {
    pub fn new(field: &HeightField) -> Result<HeightGrid> {
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
        let [hx, hy] = half_extents;
        Ok(HeightGrid {
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
        })
    }

    /// The greatest height of the block of cells that holds this one [m].
    #[inline]
    pub fn highest_near(&self, column: usize, row: usize) -> f64 {
        self.tops.at(column, row)
    }

    /// The greatest height [m].
    pub fn highest(&self) -> f64 {
        let tops = self.tops.heights.iter();
        tops.fold(f64::NEG_INFINITY, |m, h| m.max(*h))
    }

    fn node(&self, c: usize, r: usize) -> Vec3 {
        Vec3::new(
            self.origin[0] + self.spacing[0] * c as f64,
            self.origin[1] + self.spacing[1] * r as f64,
            self.heights[r * self.columns + c],
        )
    }

    /// (column, row) of the corners of a triangle, counter-clockwise seen from above. An even number is
    /// the lower right half of a cell, an odd one its upper left half. MuJoCo cuts cells in the same
    /// way.
    fn corners(&self, triangle: u32) -> [(usize, usize); 3] {
        let cell = triangle as usize / 2;
        let (c, r) = (cell % (self.columns - 1), cell / (self.columns - 1));
        if triangle.is_multiple_of(2) {
            [(c, r), (c + 1, r), (c + 1, r + 1)]
        } else {
            [(c, r), (c + 1, r + 1), (c, r + 1)]
        }
    }

    pub fn triangle(&self, triangle: u32) -> [Vec3; 3] {
        self.corners(triangle).map(|(c, r)| self.node(c, r))
    }

    /// Whether `n` lies between the normals of the two triangles at an upper edge.
    pub fn in_edge_cone(&self, triangle: u32, e: [u16; 2], n: Vec3) -> bool {
        if e[0] > 2 || e[1] > 2 || e[0] == e[1] {
            return false;
        }
        let nodes = self.corners(triangle);
        let [p, q, own] = [e[0], e[1], 3 - e[0] - e[1]].map(|i| nodes[usize::from(i)]);
        let foot = self.node(p.0, p.1);
        // The node that completes the parallelogram across the edge.
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
    pub fn in_vertex_cone(&self, triangle: u32, v: u16, n: Vec3) -> bool {
        let Some(&(c, r)) = self.corners(triangle).get(usize::from(v)) else {
            return false;
        };
        let foot = self.node(c, r);
        [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)]
            .iter()
            .all(|&(dc, dr)| {
                let (c, r) = (c.wrapping_add_signed(dc), r.wrapping_add_signed(dr));
                c >= self.columns || r >= self.rows || n.dot(self.node(c, r) - foot) <= self.slack()
            })
    }

    fn slack(&self) -> f64 {
        ROUNDING * (self.spacing[0] + self.spacing[1])
    }
}
