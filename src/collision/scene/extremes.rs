//! Mean and spread of a geom's extreme points (support points) over all directions.

use super::Scene;
use super::narrow::parts;
use crate::spatial::{Mat3, Vec3};

/// Mean and spread of a geom's farthest points along directions that are spread evenly over the sphere;
/// in its link's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Their mean [m].
    pub centroid: Vec3,
    /// Mean of d dᵀ with d measured from the mean [m²].
    pub spread: Mat3,
}

/// Directions in one octant for one order of axes. With all signs and orders of the axes they have the
/// symmetries of a cube. The mean of n nᵀ then equals that over the sphere, and all corners of a box
/// have equal weight.
const GENERATORS: [[f64; 3]; 3] = [[0.9, 0.4, 0.15], [0.75, 0.6, 0.3], [0.95, 0.25, 0.05]];
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

fn directions() -> impl Iterator<Item = Vec3> {
    GENERATORS.into_iter().flat_map(|g| {
        let unit = Vec3::from_slice(&g) * (1.0 / Vec3::from_slice(&g).norm());
        let unit = unit.to_array();
        ORDERS.into_iter().flat_map(move |order| {
            (0..8).map(move |signs: u32| {
                let along = |k: usize| unit[order[k]] * (1.0 - f64::from(signs >> k & 1) * 2.0);
                Vec3::new(along(0), along(1), along(2))
            })
        })
    })
}

impl Scene {
    /// The extremes of a geom. For a plane or a height field, which are ground, a point without spread.
    pub fn extremes(&self, geom: usize) -> Extremes {
        let g = &self.geoms[geom];
        let pieces = parts(&self.solids[geom]);
        if pieces.is_empty() {
            return Extremes {
                centroid: g.centre,
                spread: Mat3::ZERO,
            };
        }
        let extreme = |n: Vec3| {
            let points = pieces.iter().map(|piece| piece.extreme(n));
            points.reduce(|a, b| if b.dot(n) > a.dot(n) { b } else { a })
        };
        // Relative to a point of the geom: far from the origin the squares would lose the spread.
        let about = g.in_link.inverse_point(g.centre);
        let (mut count, mut sum, mut squares) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for d in directions().filter_map(extreme).map(|p| p - about) {
            count += 1.0;
            sum += d;
            squares += Mat3::outer(d, d);
        }
        let mean = sum * (1.0 / count);
        let (turn, own) = (
            g.in_link.rot,
            squares * (1.0 / count) - Mat3::outer(mean, mean),
        );
        Extremes {
            centroid: g.in_link.point(about + mean),
            spread: turn.mul_mat(&own).mul_mat(&turn.transpose()),
        }
    }
}
