//! Primitives fitted to meshes: either to the box with the mesh's inertia, or to the bounding box along
//! its principal axes.

use crate::linalg::sort_few;
use crate::model::principal::principal_axes;
use crate::spatial::{Inertia, Mat3, Pose, Vec3};

/// The fitted shape. An ellipsoid has the sizes of a box.
#[derive(Clone, Copy)]
pub(super) enum Fitted {
    Sphere,
    Capsule,
    Cylinder,
    Box,
}

/// The pose in the mesh's frame and the size of a primitive. `inertia` is the mesh's at mass 1. With
/// `vertices` the box is their bounding box. `None` for a mesh without extent.
pub(super) fn fit(
    inertia: &Inertia,
    vertices: Option<&[Vec3]>,
    shape: Fitted,
) -> Option<(Pose, [f64; 3])> {
    let (axes, moments) = principal_axes(&inertia.about_com())?;
    // The shortest side, which has the largest moment, comes first.
    let mut order = [0, 1, 2];
    sort_few(&mut order, |&a: &usize, &b: &usize| {
        moments[b].total_cmp(&moments[a]).is_lt()
    });
    let [x, y] = [axes.c[order[0]], axes.c[order[1]]];
    let rotation = Mat3::from_columns(x, y, x.cross(y));
    let moments = order.map(|k| moments[k]);
    let mut placement = Pose::new(rotation, inertia.com());
    let half = match vertices {
        None => {
            let sum: f64 = moments.iter().sum();
            moments.map(|i| (1.5 * (sum - 2.0 * i)).max(0.0).sqrt())
        }
        Some(vertices) => {
            let own = vertices
                .iter()
                .map(|v| rotation.tr_mul_vec(*v - placement.pos));
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            for v in own {
                for k in 0..3 {
                    low[k] = low[k].min(v[k]);
                    high[k] = high[k].max(v[k]);
                }
            }
            let centre = Vec3::new(low[0] + high[0], low[1] + high[1], low[2] + high[2]) * 0.5;
            placement.pos = placement.point(centre);
            [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]))
        }
    };
    let [a, b, c] = half;
    let is_around = vertices.is_some();
    let across = if is_around { a.max(b) } else { 0.5 * (a + b) };
    let size = match shape {
        Fitted::Sphere if is_around => [a.max(b).max(c), 0.0, 0.0],
        Fitted::Sphere => [(a + b + c) / 3.0, 0.0, 0.0],
        // The round ends of radius `across` lie inside a box around the vertices. They extend by half their
        // radius beyond a box with the inertia of the mesh.
        Fitted::Capsule if is_around => [across, (c - across).max(0.0), 0.0],
        Fitted::Capsule => [across, (c - 0.5 * across).max(0.0), 0.0],
        Fitted::Cylinder => [across, c, 0.0],
        Fitted::Box => half,
    };
    half.iter().all(|x| *x > 0.0).then_some((placement, size))
}
