//! Two placed shapes and the support map of their Minkowski difference.

use super::convex::{Convex, support};
use super::gjk::{SupportMap, Vertex};
use crate::collision::Sinks;
use crate::spatial::{Pose, Vec3};

pub(super) struct Bodies<'a> {
    pub a: &'a Convex,
    pub b: &'a Convex,
    pub b_in_a: Pose,
    /// Given if the bodies rest while they overlap.
    pub sinks: Option<Sinks>,
}

impl SupportMap for Bodies<'_> {
    fn support(&self, dir: Vec3, near: Option<Vertex>) -> Vertex {
        let (xa, a) = support(self.a, dir, near.map(|v| v.a));
        let dir_b = -self.b_in_a.rot.tr_mul_vec(dir);
        let (xb, b) = support(self.b, dir_b, near.map(|v| v.b));
        Vertex {
            w: xa - self.b_in_a.point(xb),
            on_b: xb,
            a,
            b,
        }
    }

    fn outlook(&self) -> Vec3 {
        self.b_in_a.point(self.b.centre()) - self.a.centre()
    }
}
