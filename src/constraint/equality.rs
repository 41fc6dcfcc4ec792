//! Bilateral constraints: points, welds, joint couplings and rods as rows of a Jacobian.
//!
//! Conventions are MuJoCo's. The violation φ of an equality between bodies 1 and 2 is, with p₁, p₂ its
//! points and R₁, R₂ the orientations that a weld holds together:
//!
//! - point: p₁ − p₂, world axes [m]
//! - orientation: s·vec(e), e the quaternion of R₂ᵀR₁ with a scalar part of at least zero, s the weld's
//!   torque scale; this is s sin(θ/2) along the axis, so its Jacobian loses rank at half a turn
//! - distance: ‖p₁ − p₂‖ − length [m]
//! - coupling: q₁ − ref₁ − Σ c_k (q₂ − ref₂)^k [m or rad]
//! - coupling of tendons: the same of their lengths [m]
//!
//! J is the exact derivative of φ. A weld is two groups of rows, a point's and an orientation's.

use super::rows::Rows;
use super::stabilization::{Stabilization, Undoing};
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::{DIGITS, F4};
use crate::model::Model;
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Mat3, Pose, Quat, Vec3};
use crate::tendon::Paths;

/// A frame fixed to a link, relative to the link's frame; for [`WORLD`], relative to the world.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub link: usize,
    pub at: Pose,
}

impl Mark {
    pub fn of(model: &Model, body: usize, at: Pose) -> Mark {
        let b = &model.bodies()[body];
        Mark {
            link: b.link,
            at: b.in_link.compose(&at),
        }
    }

    /// Its position relative to the tree's origin, and that origin.
    #[inline(always)]
    fn point(&self, t: &Topology, kin: &Kinematics) -> (Vec3, Vec3) {
        match self.link {
            WORLD => (self.at.pos, Vec3::ZERO),
            l => (
                kin.rot[l].mul_vec(self.at.pos) + kin.pos[l],
                kin.origin[t.links[l].tree],
            ),
        }
    }

    #[inline(always)]
    fn rotation(&self, kin: &Kinematics) -> Mat3 {
        match self.link {
            WORLD => self.at.rot,
            l => kin.rot[l].mul_mat(&self.at.rot),
        }
    }
}

/// The coordinate of a one-dof link.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    pub dof: usize,
    pub iq: usize,
    pub reference: f64,
}

/// One coordinate as a polynomial of another, or a constant.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    pub follower: Coordinate,
    pub leader: Option<Coordinate>,
    pub coefficients: [f64; 5],
}

impl Coupling {
    /// The follower's target with its first two slopes by the leader.
    pub fn target(&self, q: &[f64]) -> [f64; 3] {
        target(
            &self.coefficients,
            self.leader.map(|l| q[l.iq] - l.reference),
        )
    }
}

/// A polynomial of the leader, with its first two slopes. Without a leader it is a constant.
fn target(coefficients: &[f64; 5], leader: Option<f64>) -> [f64; 3] {
    let Some(x) = leader else {
        return [coefficients[0], 0.0, 0.0];
    };
    // Horner's scheme; the second slope comes out halved.
    let [mut p, mut first, mut second] = [0.0; 3];
    for c in coefficients.iter().rev() {
        second = second * x + first;
        first = first * x + p;
        p = p * x + c;
    }
    [p, first, 2.0 * second]
}

/// The length of a tendon.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub tendon: usize,
    pub reference: f64,
}

/// One length as a polynomial of another, or a constant.
#[derive(Clone, Copy, Debug)]
pub struct LengthCoupling {
    pub follower: Length,
    pub leader: Option<Length>,
    pub coefficients: [f64; 5],
    /// The trees on which the tendons act.
    pub trees: [Option<usize>; 2],
}

impl LengthCoupling {
    /// The follower's target with its first two slopes by the leader.
    pub fn target(&self, paths: &Paths) -> [f64; 3] {
        let leader = self.leader.map(|l| paths.length(l.tendon) - l.reference);
        target(&self.coefficients, leader)
    }

    /// Dofs on which the lengths depend; one may come twice.
    pub fn dofs<'a>(&self, paths: &'a Paths) -> impl Iterator<Item = usize> + 'a {
        let leader = self.leader.map_or(&[][..], |l| paths.support(l.tendon));
        let follower = paths.support(self.follower.tendon);
        follower.iter().chain(leader).copied()
    }

    /// Appends its row and returns φ.
    pub fn fill(&self, t: &Topology, paths: &Paths, rows: &mut Rows) -> Vec3 {
        let [target, slope, _] = self.target(paths);
        let id = rows.push_on(t, self.trees, self.dofs(paths));
        let follower = (self.follower, 1.0);
        for (length, scale) in std::iter::once(follower).chain(self.leader.map(|l| (l, -slope))) {
            for (k, g) in paths.moments(length.tendon) {
                rows.column_mut(id, k).0[0] += scale * g;
            }
        }
        let Length { tendon, reference } = self.follower;
        Vec3::new(paths.length(tendon) - reference - target, 0.0, 0.0)
    }
}

/// An equality, or one half of a weld, ready for the step.
#[derive(Clone, Copy, Debug)]
pub enum Equality {
    Point([Mark; 2]),
    Orientation { marks: [Mark; 2], scale: f64 },
    Distance { marks: [Mark; 2], length: f64 },
    Coupling(Coupling),
    Tendons(LengthCoupling),
}

/// Maps a relative motion of two bodies to the rows of an equality, at a configuration.
#[derive(Clone, Copy, Debug)]
pub enum Relation {
    Point,
    /// Unit vector from point 2 to point 1, and their distance.
    Distance {
        normal: Vec3,
        distance: f64,
    },
    /// Orientation R₂ of the second mark, and e as scalar and vector.
    Orientation {
        frame: Mat3,
        w: f64,
        u: Vec3,
        scale: f64,
    },
}

impl Relation {
    /// φ̇ for the motion of body 1 relative to body 2: velocity of the points and angular velocity,
    /// world axes.
    #[inline(always)]
    pub fn rows(&self, lin: Vec3, ang: Vec3) -> Vec3 {
        match *self {
            Relation::Point => lin,
            Relation::Distance { normal, .. } => Vec3::new(normal.dot(lin), 0.0, 0.0),
            Relation::Orientation { frame, w, u, scale } => {
                let omega = frame.tr_mul_vec(ang);
                (omega * w + omega.cross(u)) * (0.5 * scale)
            }
        }
    }

    /// Force at the point and moment that an impulse exerts on body 1, world axes. The opposite ones act
    /// on body 2.
    pub fn transposed(&self, lambda: Vec3) -> (Vec3, Vec3) {
        match *self {
            Relation::Point => (lambda, Vec3::ZERO),
            Relation::Distance { normal, .. } => (normal * lambda.x, Vec3::ZERO),
            Relation::Orientation { frame, w, u, scale } => {
                let m = (lambda * w + u.cross(lambda)) * (0.5 * scale);
                (Vec3::ZERO, frame.mul_vec(m))
            }
        }
    }
}

/// An equality between two bodies at a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Posed {
    pub link: [usize; 2],
    /// The points about the origins of their trees.
    pub point: [Vec3; 2],
    pub relation: Relation,
    pub error: Vec3,
}

impl Equality {
    pub fn rows(&self) -> usize {
        match self {
            Equality::Point(_) | Equality::Orientation { .. } => 3,
            Equality::Distance { .. } | Equality::Coupling(_) | Equality::Tendons(_) => 1,
        }
    }

    /// The coupling, for an equality of tendon lengths.
    pub fn along_tendons(&self) -> Option<&LengthCoupling> {
        match self {
            Equality::Tendons(coupling) => Some(coupling),
            _ => None,
        }
    }

    /// True if it acts between bodies that can move relative to each other.
    pub fn joins_links(&self) -> bool {
        match self {
            Equality::Coupling(_) | Equality::Tendons(_) => true,
            Equality::Point([a, b])
            | Equality::Orientation { marks: [a, b], .. }
            | Equality::Distance { marks: [a, b], .. } => a.link != b.link,
        }
    }

    /// True if a dof moves its bodies or coordinates.
    pub fn moves_with(&self, t: &Topology, paths: &Paths, dof: usize) -> bool {
        let below = dof..t.dofs[dof].end;
        let ends = match self {
            Equality::Tendons(c) => return c.dofs(paths).any(|k| below.contains(&k)),
            Equality::Coupling(c) => [c.follower.dof, c.leader.map_or(WORLD, |l| l.dof)],
            Equality::Point(marks)
            | Equality::Orientation { marks, .. }
            | Equality::Distance { marks, .. } => marks.map(|m| t.tip(m.link)),
        };
        ends.into_iter().any(|k| k != WORLD && below.contains(&k))
    }

    /// True if its violation is an angle.
    pub fn is_angular(&self, t: &Topology) -> bool {
        match self {
            Equality::Point(_) | Equality::Distance { .. } | Equality::Tendons(_) => false,
            Equality::Orientation { .. } => true,
            Equality::Coupling(c) => {
                t.links[t.dofs[c.follower.dof].link].kind == LinkKind::Revolute
            }
        }
    }

    /// The term that undoes its violation with the stabilization `s` of its unit.
    pub fn undoing(&self, error: Vec3, s: &Stabilization) -> Undoing {
        let bound = match *self {
            // ‖φ̇‖ of a rotation at the speed w Ω, w = cos(θ/2). The factor w slows the rotation down
            // where J loses rank.
            Equality::Orientation { scale, .. } if s.max_push_out < f64::INFINITY => {
                let x = error.norm() / scale;
                let speed = 0.5 * scale * s.max_push_out;
                [speed * (1.0 - x * x).max(0.0), -s.max_push_out * x]
            }
            _ => [s.max_push_out, 0.0],
        };
        s.undoing(error, bound)
    }

    /// The equality between two bodies at the configuration of `kin`; `None` for a coupling.
    pub fn pose(&self, t: &Topology, kin: &Kinematics) -> Option<Posed> {
        let (Equality::Point(marks)
        | Equality::Orientation { marks, .. }
        | Equality::Distance { marks, .. }) = self
        else {
            return None;
        };
        let [(a, origin_a), (b, origin_b)] = marks.map(|m| m.point(t, kin));
        let apart = (a - b) + (origin_a - origin_b);
        let (relation, error) = match *self {
            Equality::Orientation { marks, scale } => {
                let [r1, r2] = marks.map(|m| m.rotation(kin));
                let e = Quat::from_mat3(&r2.transpose().mul_mat(&r1));
                let u = Vec3::new(e.x, e.y, e.z);
                let relation = Relation::Orientation {
                    frame: r2,
                    w: e.w,
                    u,
                    scale,
                };
                (relation, u * scale)
            }
            Equality::Distance { length, .. } => {
                let distance = apart.norm();
                // If the points coincide, the direction is arbitrary.
                let normal = apart.normalized().unwrap_or(Vec3::X);
                (
                    Relation::Distance { normal, distance },
                    Vec3::new(distance - length, 0.0, 0.0),
                )
            }
            _ => (Relation::Point, apart),
        };
        Some(Posed {
            link: marks.map(|m| m.link),
            point: [a, b],
            relation,
            error,
        })
    }

    /// Appends its group to the Jacobian and returns φ. `paths` holds lengths and moments of tendons at
    /// q.
    pub fn fill(
        &self,
        t: &Topology,
        (kin, paths): (&Kinematics, &Paths),
        q: &[f64],
        rows: &mut Rows,
    ) -> Vec3 {
        if let Equality::Tendons(c) = self {
            return c.fill(t, paths, rows);
        }
        if let Equality::Coupling(c) = self {
            let [target, slope, _] = c.target(q);
            let f = c.follower;
            let id = rows.push(t, [f.dof, c.leader.map_or(WORLD, |l| l.dof)]);
            rows.column_mut(id, f.dof).0[0] = 1.0;
            if let Some(l) = c.leader {
                rows.column_mut(id, l.dof).0[0] = -slope;
            }
            return Vec3::new(q[f.iq] - f.reference - target, 0.0, 0.0);
        }
        let Some(p) = self.pose(t, kin) else {
            return Vec3::ZERO;
        };
        let id = rows.push(t, p.link.map(|l| t.tip(l)));
        for (x, sign) in [(0, 1.0), (1, -1.0)] {
            let mut k = t.tip(p.link[x]);
            while k != WORLD {
                let s = kin.s[k];
                let r = p.relation.rows(s.at(p.point[x]), s.ang) * sign;
                *rows.column_mut(id, k) += F4([r.x, r.y, r.z, 0.0]);
                k = t.dofs[k].parent;
            }
        }
        // An entry is zero up to round-off if the motions of both bodies cancel, or if the dof's motion has
        // no component along the row. Set such entries to zero: the solver would enforce a row of
        // round-off like any other row.
        for (link, point) in p.link.into_iter().zip(p.point) {
            for k in t.path(link) {
                let s = kin.s[k];
                let rounding = DIGITS * (s.ang.norm() + s.lin.norm() + s.at(point).norm());
                let column = &mut rows.column_mut(id, k).0;
                let gone = column.iter_mut().filter(|x| x.abs() <= rounding);
                gone.for_each(|x| *x = 0.0);
            }
        }
        p.error
    }
}
