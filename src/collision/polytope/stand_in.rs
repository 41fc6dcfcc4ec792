//! Stand-ins for curved shapes: polytopes inside a shape that give contact patches of more than one
//! point.
//!
//! A cylinder that lies on a face touches it along the line of its side nearest to the face. This line
//! rolls around the cylinder as the two bodies rotate against each other. Its ends lie on the rims.

use super::bodies::Bodies;
use super::convex::{Convex, Kind};
use super::feature::Spot;
use super::hull::Hull;
use super::pair::Pair;
use crate::collision::ContactDerivative;
use crate::spatial::{Mat3, Pose, Vec3};

/// A cylinder's cap may bear a patch if the normal's cosine to the axis is at least this, else its side: in
/// a step in which a steep cylinder turns fast, the far end of its side may reach the face first.
const CAP: f64 = 0.9;

/// Numbers of the stand-ins, as in [`super::feature::Feature::stand_ins`].
const WHOLE: u8 = 0;
const PRISM: u8 = 1;
const LINE: u8 = 2;

/// The axis of a cylinder in its frame.
const AXIS: Vec3 = Vec3::Z;

#[derive(Clone, Copy)]
pub(super) struct StandIn<'a> {
    pub hull: &'a Hull,
    /// Radius of the shell around the hull [m].
    pub shell: f64,
    /// Distance of the line of a cylinder's side from the axis [m].
    aside: f64,
    which: u8,
}

impl<'a> StandIn<'a> {
    /// The stand-in with this number.
    pub fn of(c: &'a Convex, which: u8) -> Option<StandIn<'a>> {
        let (hull, shell, aside) = match (which, &c.kind) {
            (WHOLE, Kind::Hull { radius }) => (&c.hull, *radius, 0.0),
            (PRISM, Kind::Cylinder { .. }) => (&c.hull, 0.0, 0.0),
            (LINE, Kind::Cylinder { radius, axis, .. }) => (&**axis, 0.0, *radius),
            _ => return None,
        };
        Some(StandIn {
            hull,
            shell,
            aside,
            which,
        })
    }

    /// The stand-in for a contact with this outward normal (body frame).
    pub fn choose(c: &'a Convex, n: Vec3) -> Option<StandIn<'a>> {
        let which = match c.kind {
            Kind::Hull { .. } => WHOLE,
            Kind::Cylinder { .. } if n.z.abs() >= CAP => PRISM,
            Kind::Cylinder { .. } => LINE,
            Kind::Ellipsoid { .. } => return None,
        };
        StandIn::of(c, which)
    }

    pub fn which(&self) -> u8 {
        self.which
    }

    pub fn is_line(&self) -> bool {
        self.which == LINE
    }

    /// Distance from the axis at which the stand-in rolls [m].
    pub fn rolls(&self) -> f64 {
        self.aside
    }

    /// Place of the stand-in in the shape's frame if it faces `outward` (body frame).
    fn place(&self, outward: Vec3) -> Vec3 {
        if !self.is_line() {
            return Vec3::ZERO;
        }
        out(outward) * self.aside
    }

    /// The pose of the hull of the stand-in of a shape at `pose`, towards `outward` (world).
    pub fn placed(&self, pose: &Pose, outward: Vec3) -> Pose {
        Pose {
            pos: pose.point(self.place(pose.rot.tr_mul_vec(outward))),
            ..*pose
        }
    }

    /// The spots of the shape that an edge and a vertex of the stand-in represent.
    fn spots(&self, edge: [u16; 2], vertex: u16) -> Option<[Spot; 2]> {
        match self.which {
            WHOLE => Some([Spot::Edge(edge), Spot::Vertex(vertex)]),
            LINE => Some([Spot::Side, Spot::Rim(vertex != 0)]),
            // A side of the prism is not a line of the rim.
            _ => None,
        }
    }

    /// The derivative of a point on the stand-in of body B, placed at `pose`, over a face of A with
    /// normal `n`. `d` is the derivative of a point fixed in B.
    pub fn rolled(&self, d: ContactDerivative, n: Vec3, pose: &Pose) -> ContactDerivative {
        if !self.is_line() {
            return d;
        }
        let axis = pose.rot.mul_vec(AXIS);
        let out = pose.rot.mul_vec(out(-pose.rot.tr_mul_vec(n)));
        let around = axis.cross(out);
        let turn = around.cross(n) * (self.aside / n.dot(out));
        let (point, gap) = (d.point[0].mul_vec(around), d.gap[0].dot(around));
        ContactDerivative {
            point: [d.point[0], d.point[1] + Mat3::outer(point, turn)],
            normal: d.normal,
            gap: [d.gap[0], d.gap[1] + turn * gap],
        }
    }
}

/// Unit vector away from the axis, to the line of the side farthest along `n`.
fn out(n: Vec3) -> Vec3 {
    Vec3::new(n.x, n.y, 0.0).normalized().unwrap_or(Vec3::X)
}

/// The pair of two stand-ins that face each other along `n` (A's frame), and the place of A's in A's
/// frame.
pub(super) fn facing<'a>([a, b]: [StandIn<'a>; 2], b_in_a: &Pose, n: Vec3) -> (Pair<'a>, Vec3) {
    let aside = a.place(n);
    let beside = b.place(-b_in_a.rot.tr_mul_vec(n));
    let pos = b_in_a.point(beside) - aside;
    (Pair::new(a.hull, b.hull, Pose { pos, ..*b_in_a }), aside)
}

impl Bodies<'_> {
    /// The normal (A's frame) along which a line faces the other stand-in: that of the other's face
    /// most along `n`. `n` if there is no such face.
    pub(super) fn looked_at(&self, stand_ins: &[StandIn; 2], n: Vec3, [va, vb]: [u16; 2]) -> Vec3 {
        let [a, b] = stand_ins;
        match [a.is_line(), b.is_line()] {
            [false, true] if a.hull.is_solid() => a.hull.face(a.hull.face_towards(va, n)).normal,
            [true, false] if b.hull.is_solid() => {
                let rot = &self.b_in_a.rot;
                let f = b.hull.face_towards(vb, -rot.tr_mul_vec(n));
                -rot.mul_vec(b.hull.face(f).normal)
            }
            _ => n,
        }
    }
}

/// The spots of A and B where an edge of `owner` passes a vertex of the other stand-in.
pub(super) fn beside(
    stand_ins: &[StandIn; 2],
    owner: u8,
    edge: [u16; 2],
    vertex: u16,
) -> Option<[Spot; 2]> {
    let [a, b] = stand_ins.map(|s| s.spots(edge, vertex));
    let ([edge_a, vertex_a], [edge_b, vertex_b]) = (a?, b?);
    Some(match owner {
        0 => [edge_a, vertex_b],
        _ => [vertex_a, edge_b],
    })
}
