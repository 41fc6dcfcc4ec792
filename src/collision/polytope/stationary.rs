//! Stationary directions of the gap s(n) of two shapes.
//!
//! Newton's method solves the optimality condition x_B − x_A ∥ n, written with the local geometry of
//! the surfaces.

use super::bodies::Bodies;
use super::convex::{Convex, Kind, support};
use super::distinct::Distinct;
use super::feature::Spot;
use super::gjk::SupportMap;
use super::second_order::{Condition, Local};
use crate::spatial::{Pose, Vec3};

/// Most steps of Newton's method.
const MAX_STEPS: usize = 16;
/// Sine of the angle within which a direction may belong to a cap or a side beside the rim.
const NEAR: f64 = 0.05;
/// Sine of the angle between a start and a rim's axis below which Newton's method needs another start
/// ([`Bodies::aimed`]).
const LEAN: f64 = 0.1;

/// A stationary direction of s, A's frame.
#[derive(Clone, Copy)]
pub(super) struct Solution {
    pub spots: [Spot; 2],
    pub normal: Vec3,
    /// s(n) of the whole shapes.
    pub gap: f64,
    /// The point midway between the surfaces, if the two spots define one.
    pub point: Option<Vec3>,
    /// n·(x_B − x_A) of the two spots' own points, and whether these points lie within the spots.
    pub between: f64,
    pub within: bool,
    /// The point lies within both features, and these features support the shapes.
    pub settled: bool,
    /// Newton's method converged far below the rounding of the normal in [`Bodies::canonical`].
    pub sharp: bool,
}

impl Solution {
    /// The body (0 or 1) whose cap or rim an edge or a vertex of the other body touches. The face there is
    /// clipped on the cap, whatever its slope: an edge that leans a little bears at both ends.
    pub fn cap_under_hull(&self) -> Option<u8> {
        match self.spots {
            [Spot::Cap(_) | Spot::Rim(_), Spot::Edge(_) | Spot::Vertex(_)] => Some(0),
            [Spot::Edge(_) | Spot::Vertex(_), Spot::Cap(_) | Spot::Rim(_)] => Some(1),
            _ => None,
        }
    }

    /// The body (0 or 1) whose face a rim of the other body touches, and the face.
    pub fn face_under_rim(&self) -> Option<(u8, u16)> {
        match self.spots {
            [Spot::Face(face), Spot::Rim(_)] => Some((0, face)),
            [Spot::Rim(_), Spot::Face(face)] => Some((1, face)),
            _ => None,
        }
    }
}

/// Offers the spots of a shape that may bear the contact, for an outward normal and the vertices on
/// which the search ended (body frame).
pub(super) fn spots(c: &Convex, n: Vec3, ids: &Distinct, mut offer: impl FnMut(Spot)) {
    match c.kind {
        Kind::Hull { .. } => {
            let ids = &ids.ids[..ids.len];
            if c.hull.is_solid() && ids.len() >= 3 {
                offer(Spot::Face(c.hull.face_towards(ids[0], n)));
            }
            for (k, &i) in ids.iter().enumerate() {
                for &j in &ids[k + 1..] {
                    offer(Spot::Edge([i, j]));
                }
            }
            for &i in ids {
                offer(Spot::Vertex(i));
            }
        }
        Kind::Cylinder { .. } => {
            let upper = n.z > 0.0;
            if n.x.hypot(n.y) < NEAR {
                offer(Spot::Cap(upper));
            }
            if n.z.abs() < NEAR {
                offer(Spot::Side);
                offer(Spot::Rim(!upper));
            }
            offer(Spot::Rim(upper));
        }
        Kind::Ellipsoid { .. } => offer(Spot::Smooth),
    }
}

/// Whether a point on a spot lies within it (body frame).
pub(super) fn within(c: &Convex, spot: Spot, x: Vec3, tolerance: f64) -> bool {
    match (spot, &c.kind) {
        (Spot::Edge([i, j]), _) => {
            let (p, q) = (c.hull.vertex(i), c.hull.vertex(j));
            let t = (x - p).dot(q - p);
            let length = (q - p).norm();
            t >= -tolerance * length && t <= (length + tolerance) * length
        }
        (Spot::Face(f), _) => {
            let n = c.hull.face(f).normal;
            let polygon = c.hull.polygon(f);
            (0..polygon.len()).all(|k| {
                let p = c.hull.vertex(polygon[k]);
                let side = c.hull.vertex(polygon[(k + 1) % polygon.len()]) - p;
                n.cross(side).dot(x - p) >= -tolerance * side.norm()
            })
        }
        (Spot::Side, Kind::Cylinder { half_length, .. }) => x.z.abs() <= half_length + tolerance,
        (Spot::Cap(_), Kind::Cylinder { radius, .. }) => x.x.hypot(x.y) <= radius + tolerance,
        _ => true,
    }
}

impl Bodies<'_> {
    #[inline(always)]
    fn locals(&self, spots: [Spot; 2], n: Vec3) -> Option<(Local, Local)> {
        let a = Local::of(self.a, spots[0], n)?;
        let b = Local::of(self.b, spots[1], -self.b_in_a.rot.tr_mul_vec(n))?;
        Some((a, b.placed(&self.b_in_a)))
    }

    /// The normal that a face or a cap fixes.
    pub(super) fn flat_normal(&self, spots: [Spot; 2]) -> Option<Vec3> {
        let outwards = |c: &Convex, spot| match spot {
            Spot::Face(f) => Some(c.hull.face(f).normal),
            Spot::Cap(upper) => Some(Vec3::Z * if upper { 1.0 } else { -1.0 }),
            _ => None,
        };
        let of_b = outwards(self.b, spots[1]).map(|n| self.b_in_a.rot.mul_vec(n) * -1.0);
        of_b.or_else(|| outwards(self.a, spots[0]))
    }

    /// s(n) by the support points of the whole shapes.
    pub(super) fn separation(&self, n: Vec3) -> f64 {
        -self.support(n, None).w.dot(n)
    }

    /// A starting direction near the axis of a rim, rotated so that it leans towards the other body.
    pub(super) fn aimed(&self, spots: [Spot; 2], n: Vec3) -> Option<Vec3> {
        let mut aimed = None;
        for (k, spot) in spots.iter().enumerate() {
            if !matches!(spot, Spot::Rim(_)) {
                continue;
            }
            let (axis, centre, other) = if k == 0 {
                let (x, _) = support(self.b, -self.b_in_a.rot.tr_mul_vec(n), None);
                (Vec3::Z, self.a.centre(), self.b_in_a.point(x))
            } else {
                let (x, _) = support(self.a, n, None);
                (self.b_in_a.rot.c[2], self.b_in_a.point(self.b.centre()), x)
            };
            let lean = n.cross(axis).norm();
            let aside = other - centre;
            let out = (aside - axis * axis.dot(aside)).normalized();
            if let Some(out) = out
                && lean < LEAN
            {
                let out = if k == 0 { out } else { -out };
                let up = axis * n.dot(axis).signum();
                aimed = (up + out * lean.max(0.1 * LEAN)).normalized();
            }
        }
        aimed
    }

    /// Newton's method from the direction `start`. `None` if it leads to no stationary direction of
    /// these spots.
    pub(super) fn refine(&self, spots: [Spot; 2], start: Vec3, rounding: f64) -> Option<Solution> {
        let mut n = start;
        if let Some(fixed) = self.flat_normal(spots) {
            n = fixed;
            if n.dot(start) < 1.0 - NEAR {
                return None;
            }
        }
        let mut last = f64::INFINITY;
        let mut state = None;
        let mut sharp = false;
        for _ in 0..MAX_STEPS {
            let Some((a, b)) = self.locals(spots, n) else {
                break;
            };
            let d = b.x - a.x;
            let gap = n.dot(d);
            let Some(condition) = Condition::new(n, &a, &b, gap) else {
                break;
            };
            let c = condition.flats.map(|f| -f.dot(n));
            let (dn, slides, _) = condition.solve(d, c);
            let change = dn.norm();
            sharp = change < 1e-12;
            if sharp || change < 1e-9 && change >= last {
                state = condition.is_maximum().then_some((a, b, gap, slides));
                break;
            }
            last = change;
            // A rim's curvature grows without bound towards its axis. No step may cross the axis.
            let reach = spots
                .iter()
                .zip([&Pose::IDENTITY, &self.b_in_a])
                .filter(|(s, _)| matches!(s, Spot::Rim(_)))
                .fold(0.3, |r: f64, (_, p)| {
                    r.min(0.5 * n.cross(p.rot.c[2]).norm())
                });
            let dn = dn * (reach / change).min(1.0);
            n = (n + dn).normalized()?;
        }
        let gap = self.separation(n);
        let mut solution = Solution {
            spots,
            normal: n,
            gap,
            point: None,
            between: gap,
            within: false,
            settled: false,
            sharp,
        };
        let Some((a, b, local_gap, slides)) = state else {
            // Two planes, or a plane and a line, share no single point, but their normal is valid.
            let flat = |s: Spot| matches!(s, Spot::Face(_) | Spot::Cap(_));
            return spots.into_iter().any(flat).then_some(solution);
        };
        let slide = |l: &Local, s: &[f64], sign: f64| {
            l.flats[..l.flat_count]
                .iter()
                .zip(s)
                .fold(l.x, |x, (f, s)| x + *f * (s * sign))
        };
        let xa = slide(&a, &slides, 1.0);
        let xb = slide(&b, &slides[a.flat_count..], -1.0);
        if (xb - xa - n * local_gap).norm() > 10.0 * rounding {
            return None;
        }
        solution.point = Some(xa + n * (0.5 * local_gap));
        solution.between = local_gap;
        solution.within = within(self.a, spots[0], xa, rounding)
            && within(self.b, spots[1], self.b_in_a.inverse_point(xb), rounding);
        solution.settled = solution.within && (local_gap - gap).abs() <= rounding;
        Some(solution)
    }
}
