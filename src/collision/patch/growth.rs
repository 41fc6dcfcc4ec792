//! The derivative of a face by a size of one of its bodies.
//!
//! The mesh keeps its elements. Its vertices move with the size, and with them the planes between the
//! elements and the slopes of the field.

use super::cell::{Cell, Elements, View, moved_wall, own_wall};
use super::element::{Facet, Tetrahedron, slope};
use super::polygon::Half;
use super::scalar::{Growth, Number, V3};
use super::search::{Ordered, PRESSED, Shift, Side};
use crate::collision::ContactPoint;
use crate::spatial::Vec3;

/// Elements of which one body's vertices move. `stretch` gives their motion in that body's frame.
struct Growing<F> {
    /// 0 for the first body, 1 for the second.
    side: usize,
    stretch: F,
}

/// A point with its motion.
fn moving(at: Vec3, motion: Vec3) -> V3<Growth> {
    V3(std::array::from_fn(|k| Growth {
        x: at[k],
        d: [motion[k]],
    }))
}

impl<F: Fn(Vec3) -> Vec3> Growing<F> {
    fn motion(&self, side: usize, at: Vec3) -> Vec3 {
        match side == self.side {
            true => (self.stretch)(at),
            false => Vec3::ZERO,
        }
    }

    /// A vertex of the second body.
    fn second_point(&self, view: &View, at: Vec3) -> V3<Growth> {
        moving(
            view.pose.point(at),
            view.pose.rot.mul_vec(self.motion(1, at)),
        )
    }
}

impl<F: Fn(Vec3) -> Vec3> Elements<Growth> for Growing<F> {
    fn first<'a>(&'a self, t: &'a Tetrahedron) -> impl Cell<Growth> + 'a {
        let corners = t.corners.map(|at| moving(at, self.motion(0, at)));
        Grown::of(t, corners, t.walls.each_ref().map(own_wall))
    }

    fn second<'a>(&'a self, view: &'a View, t: &'a Tetrahedron) -> impl Cell<Growth> + 'a {
        let corners = t.corners.map(|at| self.second_point(view, at));
        Grown::of(t, corners, t.walls.each_ref().map(|w| moved_wall(view, w)))
    }

    fn facet(&self, view: &View, facet: &Facet) -> ([V3<Growth>; 3], V3<Growth>) {
        let [a, b, c] = facet.corners.map(|at| self.second_point(view, at));
        ([a, b, c], (b - a).cross(c - a).normalized())
    }
}

/// A tetrahedron whose corners move.
struct Grown<'a> {
    t: &'a Tetrahedron,
    corners: [V3<Growth>; 4],
    gradient: V3<Growth>,
    plain: [Half<f64>; 4],
}

impl<'a> Grown<'a> {
    fn of(t: &'a Tetrahedron, corners: [V3<Growth>; 4], plain: [Half<f64>; 4]) -> Grown<'a> {
        let (_, gradient) = slope(&corners, &t.extents);
        Grown {
            t,
            corners,
            gradient,
            plain,
        }
    }
}

impl Cell<Growth> for Grown<'_> {
    fn corner(&self, k: usize) -> V3<Growth> {
        self.corners[k]
    }

    fn extents(&self) -> &[f64; 4] {
        &self.t.extents
    }

    fn gradient(&self) -> V3<Growth> {
        self.gradient
    }

    fn steepness(&self) -> Growth {
        self.gradient.dot(self.gradient).sqrt()
    }

    fn plain_wall(&self, k: usize) -> (Half<f64>, bool) {
        (self.plain[k], self.t.walls[k].sign > 0.0)
    }

    fn wall(&self, k: usize) -> Half<Growth> {
        let [p, q, r] = [1, 2, 3].map(|i| self.corners[(k + i) % 4]);
        let normal = (q - p).cross(r - p).normalized();
        let inward = normal.dot(self.corners[k] - p).value();
        Half {
            at: p,
            normal: if inward < 0.0 { -normal } else { normal },
            offset: Growth::of(0.0),
        }
    }
}

/// The derivative of a face that [`collide`] gave by a size of body `side`, at fixed placements and moduli.
/// `stretch` is the motion of a vertex of this body with the size, in its frame.
///
/// [`collide`]: super::collide
pub fn grow(
    a: Side<'_>,
    b: Side<'_>,
    point: &ContactPoint,
    part: [u32; 2],
    (side, stretch): (usize, impl Fn(Vec3) -> Vec3),
) -> Shift {
    let o = Ordered::of(a, b);
    let growing = Growing {
        side: if o.is_swapped { 1 - side } else { side },
        stretch,
    };
    let bodies = (o.first.body, o.second.body);
    let section = o.view().section(bodies.0, bodies.1, o.part(part), &growing);
    let Some(sheet) = section.and_then(|s| s.sheet(point.feature == PRESSED)) else {
        return Shift::default();
    };
    let to_world = |v: V3<Growth>| {
        let motion = Vec3::from_slice(&v.0.map(|x| x.d[0]));
        o.first.pose.rot.mul_vec(motion)
    };
    let turn = to_world(sheet.normal);
    Shift {
        point: to_world(sheet.centroid),
        normal: if o.is_swapped { -turn } else { turn },
        gap: sheet.gap.d[0],
        stiffness: sheet.stiffness.d[0],
    }
}
