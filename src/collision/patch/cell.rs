//! Elements of the meshes in the frame of the first body, as the formulas of a face see them.

use super::element::{Facet, Tetrahedron, Wall};
use super::polygon::Half;
use super::scalar::{Number, Seeded, V3};
use crate::spatial::{Pose, Vec3};

/// Placement of the second body in the first one's frame. All coordinates are in that frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub pose: Pose,
    /// Point about which the second body rotates.
    pub about: Vec3,
    pub moduli: [f64; 2],
    /// Size of the meshes [m].
    pub size: f64,
}

impl View {
    #[inline(always)]
    pub fn point<T: Seeded>(&self, x: Vec3) -> V3<T> {
        T::carried(self.pose.point(x), self.about)
    }

    #[inline(always)]
    pub fn direction<T: Seeded>(&self, n: Vec3) -> V3<T> {
        T::turned(self.pose.rot.mul_vec(n))
    }
}

/// A tetrahedron in the frame of the first body.
pub(super) trait Cell<T> {
    fn corner(&self, k: usize) -> V3<T>;
    fn extents(&self) -> &[f64; 4];
    fn gradient(&self) -> V3<T>;
    fn steepness(&self) -> T;
    /// The inner side of a wall without derivatives, and whether the plane itself belongs to it.
    fn plain_wall(&self, k: usize) -> (Half<f64>, bool);
    /// The inner side of a wall.
    fn wall(&self, k: usize) -> Half<T>;
}

/// How the elements of both bodies vary.
pub(super) trait Elements<T> {
    fn first<'a>(&'a self, t: &'a Tetrahedron) -> impl Cell<T> + 'a;
    fn second<'a>(&'a self, view: &'a View, t: &'a Tetrahedron) -> impl Cell<T> + 'a;
    /// The corners of a facet of the second body, and its normal.
    fn facet(&self, view: &View, facet: &Facet) -> ([V3<T>; 3], V3<T>);
}

/// Elements that do not vary in the frames of their bodies.
pub(super) struct Fixed;

impl<T: Seeded> Elements<T> for Fixed {
    #[inline(always)]
    fn first<'a>(&'a self, t: &'a Tetrahedron) -> impl Cell<T> + 'a {
        Own(t)
    }

    #[inline(always)]
    fn second<'a>(&'a self, view: &'a View, t: &'a Tetrahedron) -> impl Cell<T> + 'a {
        Moved { t, view }
    }

    #[inline(always)]
    fn facet(&self, view: &View, facet: &Facet) -> ([V3<T>; 3], V3<T>) {
        (
            facet.corners.map(|x| view.point(x)),
            view.direction(facet.normal),
        )
    }
}

/// A tetrahedron of the first body.
struct Own<'a>(&'a Tetrahedron);

/// The inner side of a wall of the first body.
#[inline(always)]
pub(super) fn own_wall<T: Number>(w: &Wall) -> Half<T> {
    Half {
        at: V3::of(w.at),
        normal: V3::of(w.normal * w.sign),
        offset: T::of(0.0),
    }
}

impl<T: Seeded> Cell<T> for Own<'_> {
    #[inline(always)]
    fn corner(&self, k: usize) -> V3<T> {
        V3::of(self.0.corners[k])
    }

    #[inline(always)]
    fn extents(&self) -> &[f64; 4] {
        &self.0.extents
    }

    #[inline(always)]
    fn gradient(&self) -> V3<T> {
        V3::of(self.0.gradient)
    }

    #[inline(always)]
    fn steepness(&self) -> T {
        T::of(self.0.steepness)
    }

    #[inline(always)]
    fn plain_wall(&self, k: usize) -> (Half<f64>, bool) {
        let w = &self.0.walls[k];
        (own_wall(w), w.sign > 0.0)
    }

    #[inline(always)]
    fn wall(&self, k: usize) -> Half<T> {
        own_wall(&self.0.walls[k])
    }
}

/// A tetrahedron of the second body.
struct Moved<'a> {
    t: &'a Tetrahedron,
    view: &'a View,
}

/// The inner side of a wall of the second body.
#[inline(always)]
pub(super) fn moved_wall<T: Seeded>(view: &View, w: &Wall) -> Half<T> {
    Half {
        at: view.point(w.at),
        normal: view.direction(w.normal * w.sign),
        offset: T::of(0.0),
    }
}

impl<T: Seeded> Cell<T> for Moved<'_> {
    #[inline(always)]
    fn corner(&self, k: usize) -> V3<T> {
        self.view.point(self.t.corners[k])
    }

    #[inline(always)]
    fn extents(&self) -> &[f64; 4] {
        &self.t.extents
    }

    #[inline(always)]
    fn gradient(&self) -> V3<T> {
        self.view.direction(self.t.gradient)
    }

    #[inline(always)]
    fn steepness(&self) -> T {
        T::of(self.t.steepness)
    }

    #[inline(always)]
    fn plain_wall(&self, k: usize) -> (Half<f64>, bool) {
        let w = &self.t.walls[k];
        (moved_wall(self.view, w), w.sign > 0.0)
    }

    #[inline(always)]
    fn wall(&self, k: usize) -> Half<T> {
        moved_wall(self.view, &self.t.walls[k])
    }
}
