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
//!
//! J is the exact derivative of φ. A weld is two groups of rows, a point's and an orientation's.

use super::assemble::tip;
use super::rows::Rows;
use super::stabilization::{Stabilization, Undoing};
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::{Error, Result};
use crate::linalg::F4;
use crate::model::Model;
use crate::model::spec::{EqualityKind, EqualitySpec};
use crate::model::topology::{LinkKind, Topology, WORLD};
use crate::spatial::{Mat3, Pose, Quat, Vec3};

/// A frame that a link carries, in the link's frame; in the world's for [`WORLD`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub link: usize,
    pub at: Pose,
}

impl Mark {
    fn of(model: &Model, body: usize, at: Pose) -> Mark {
        let b = &model.bodies()[body];
        Mark {
            link: b.link,
            at: b.in_link.compose(&at),
        }
    }

    /// Its position about the tree's origin, and that origin.
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
    iq: usize,
    reference: f64,
}

/// One coordinate as a polynomial of another, or a constant.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    pub follower: Coordinate,
    pub leader: Option<Coordinate>,
    coefficients: [f64; 5],
}

impl Coupling {
    /// The follower's target with its first two slopes by the leader.
    pub fn target(&self, q: &[f64]) -> [f64; 3] {
        let Some(l) = self.leader else {
            return [self.coefficients[0], 0.0, 0.0];
        };
        let x = q[l.iq] - l.reference;
        // Horner's scheme; the second slope comes out halved.
        let [mut p, mut first, mut second] = [0.0; 3];
        for c in self.coefficients.iter().rev() {
            second = second * x + first;
            first = first * x + p;
            p = p * x + c;
        }
        [p, first, 2.0 * second]
    }
}

/// An equality, or one half of a weld, ready for the step.
#[derive(Clone, Copy, Debug)]
pub enum Equality {
    Point([Mark; 2]),
    Orientation { marks: [Mark; 2], scale: f64 },
    Distance { marks: [Mark; 2], length: f64 },
    Coupling(Coupling),
}

/// What a relative motion of two bodies does to the rows of an equality at a configuration.
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
    /// φ̇ of a relative motion, 1 against 2: velocity of the points and angular velocity, world axes.
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

    /// Force at the point and moment that an impulse exerts on body 1, world axes; the opposite ones act
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
            Equality::Distance { .. } | Equality::Coupling(_) => 1,
        }
    }

    /// Whether a dof has a part in where its bodies or coordinates are.
    pub fn moves_with(&self, t: &Topology, dof: usize) -> bool {
        let ends = match self {
            Equality::Coupling(c) => [c.follower.dof, c.leader.map_or(WORLD, |l| l.dof)],
            Equality::Point(marks)
            | Equality::Orientation { marks, .. }
            | Equality::Distance { marks, .. } => marks.map(|m| tip(t, m.link)),
        };
        ends.into_iter()
            .any(|k| k != WORLD && (dof..t.dofs[dof].end).contains(&k))
    }

    /// Whether its violation is an angle.
    pub fn is_angular(&self, t: &Topology) -> bool {
        match self {
            Equality::Point(_) | Equality::Distance { .. } => false,
            Equality::Orientation { .. } => true,
            Equality::Coupling(c) => {
                t.links[t.dofs[c.follower.dof].link].kind == LinkKind::Revolute
            }
        }
    }

    /// How its violation is undone by `s`, which is that of its unit.
    pub fn undoing(&self, error: Vec3, s: &Stabilization) -> Undoing {
        let bound = match *self {
            // ‖φ̇‖ of a turn at w Ω, w = cos(θ/2), with which it slows down where J loses rank.
            Equality::Orientation { scale, .. } if s.max_push_out < f64::INFINITY => {
                let x = error.norm() / scale;
                let speed = 0.5 * scale * s.max_push_out;
                [speed * (1.0 - x * x).max(0.0), -s.max_push_out * x]
            }
            _ => [s.max_push_out, 0.0],
        };
        s.undoing(error, bound)
    }

    /// Between which bodies it acts at the configuration of `kin`; none for a coupling of joints.
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
                // Where the points coincide every direction is as good.
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

    /// Appends its group to the Jacobian and returns φ.
    pub fn fill(&self, t: &Topology, kin: &Kinematics, q: &[f64], rows: &mut Rows) -> Vec3 {
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
        let id = rows.push(t, p.link.map(|l| tip(t, l)));
        for (x, sign) in [(0, 1.0), (1, -1.0)] {
            let mut k = tip(t, p.link[x]);
            while k != WORLD {
                let s = kin.s[k];
                let r = p.relation.rows(s.at(p.point[x]), s.ang) * sign;
                *rows.column_mut(id, k) += F4([r.x, r.y, r.z, 0.0]);
                k = t.dofs[k].parent;
            }
        }
        p.error
    }
}

/// The active equalities of a model as groups of rows.
///
/// # Errors
/// `InvalidArgument` naming an equality with numbers that are not finite, with a joint that has not one
/// dof, or between parts that cannot move against each other.
pub fn equalities(model: &Model) -> Result<Vec<Equality>> {
    let mut reference = Kinematics::new(model);
    positions(&mut reference, model, model.params(), model.neutral());
    let mut list = Vec::new();
    for spec in model.equalities().iter().filter(|e| e.active) {
        let reader = Reader {
            model,
            reference: &reference,
            spec,
        };
        reader.read(&mut list)?;
    }
    Ok(list)
}

/// Reads one equality of a model.
struct Reader<'a> {
    model: &'a Model,
    /// At the reference configuration.
    reference: &'a Kinematics,
    spec: &'a EqualitySpec,
}

impl Reader<'_> {
    fn error(&self, what: impl std::fmt::Display) -> Error {
        let origin = match self.spec.origin.as_str() {
            "" => String::new(),
            o => format!(" ({o})"),
        };
        Error::invalid(format!("equality \"{}\"{origin}: {what}", self.spec.name))
    }

    fn finite(&self, name: &str, x: &[f64]) -> Result<()> {
        match x.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(self.error(format!("{name} must be finite, got {x:?}"))),
        }
    }

    /// Refuses bodies that one link or the world carries both.
    fn bodies(&self, pair: [usize; 2]) -> Result<()> {
        let [a, b] = pair.map(|i| &self.model.bodies()[i]);
        if a.link == b.link {
            return Err(self.error(format!(
                "bodies \"{}\" and \"{}\" cannot move against each other",
                a.name, b.name
            )));
        }
        Ok(())
    }

    /// Pose of body `b` in body `a` at the reference configuration.
    fn relative(&self, a: usize, b: usize) -> Pose {
        let pose = |i| self.reference.body_pose(self.model, i);
        pose(a).inverse().compose(&pose(b))
    }

    fn coordinate(&self, name: &str) -> Result<Coordinate> {
        let joint = self
            .model
            .joint_id(name)
            .map(|id| self.model.joint(id))
            .ok_or_else(|| self.error(format!("no joint is called \"{name}\"")))?;
        if joint.nv != 1 {
            return Err(self.error(format!(
                "joint \"{name}\" must have one dof, it has {}",
                joint.nv
            )));
        }
        Ok(Coordinate {
            dof: joint.iv,
            iq: joint.iq,
            reference: self.model.topology().links[joint.first_link].reference,
        })
    }

    fn read(&self, out: &mut Vec<Equality>) -> Result<()> {
        let mark = |body, at| Mark::of(self.model, body, at);
        match &self.spec.kind {
            EqualityKind::Connect {
                body1,
                body2,
                anchor,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor", &anchor.to_array())?;
                let other = self.relative(*body2, *body1).point(*anchor);
                out.push(Equality::Point([
                    mark(*body1, Pose::translation(*anchor)),
                    mark(*body2, Pose::translation(other)),
                ]));
            }
            EqualityKind::Weld {
                body1,
                body2,
                anchor,
                relative,
                torque_scale,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor", &anchor.to_array())?;
                let here = Pose::translation(*anchor);
                let there =
                    relative.unwrap_or_else(|| self.relative(*body1, *body2).compose(&here));
                if !there.is_finite() {
                    return Err(self.error("the relative pose must be finite"));
                }
                if !(*torque_scale >= 0.0 && torque_scale.is_finite()) {
                    return Err(self.error(format!(
                        "the torque scale must be finite and not negative, got {torque_scale}"
                    )));
                }
                let marks = [mark(*body1, there), mark(*body2, here)];
                out.push(Equality::Point(marks));
                if *torque_scale > 0.0 {
                    let scale = *torque_scale;
                    out.push(Equality::Orientation { marks, scale });
                }
            }
            EqualityKind::Distance {
                body1,
                body2,
                anchor1,
                anchor2,
                length,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor1", &anchor1.to_array())?;
                self.finite("anchor2", &anchor2.to_array())?;
                let apart = self.relative(*body1, *body2).point(*anchor2) - *anchor1;
                let length = length.unwrap_or_else(|| apart.norm());
                if !(length > 0.0 && length.is_finite()) {
                    return Err(self.error(format!(
                        "the length must be positive and finite, got {length}; a length of 0 is a \
                         connection of points"
                    )));
                }
                let marks = [
                    mark(*body1, Pose::translation(*anchor1)),
                    mark(*body2, Pose::translation(*anchor2)),
                ];
                out.push(Equality::Distance { marks, length });
            }
            EqualityKind::Joint {
                joint1,
                joint2,
                coefficients,
            } => {
                self.finite("coefficients", coefficients)?;
                if joint2.as_ref() == Some(joint1) {
                    return Err(self.error(format!("joint \"{joint1}\" cannot follow itself")));
                }
                let leader = joint2.as_ref().map(|j| self.coordinate(j)).transpose()?;
                out.push(Equality::Coupling(Coupling {
                    follower: self.coordinate(joint1)?,
                    leader,
                    coefficients: *coefficients,
                }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::mjcf::{MjcfOptions, read_str};
    use crate::model::Actuation;

    const ROBOT: &str = r#"<mujoco><worldbody>
        <body name="a" pos="0.1 0.2 0.5" euler="10 20 30">
          <joint name="ja" axis="1 2 3" ref="0.3"/><geom size=".1" mass="1"/>
          <body name="b" pos="0.3 0 .1" euler="40 -10 5">
            <joint name="jb" type="ball"/><geom size=".1" mass="1"/></body></body>
        <body name="c" pos="-0.2 0.1 0.4" euler="-20 35 60">
          <freejoint/><geom size=".1" mass="1"/></body>
        <body name="d" pos="3 0.1 0.4">
          <joint name="jd" axis="0 1 0" ref="0.1" type="slide"/><geom size=".1" mass="1"/></body>
      </worldbody><equality>
        <weld body1="b" body2="c" anchor="0.1 0.2 0.3" torquescale="0.7"
              relpose="0.4 -0.2 0.1 0.9 0.1 0.2 -0.3"/>
        <weld body1="b" body2="c" anchor="0.1 0.2 0.3" torquescale="1.3"/>
        <weld body1="b" body2="c" relpose="0.4 -0.2 0.1 0.9 0.1 0.2 -0.3"/>
        <connect body1="c" body2="b" anchor="0.3 -0.1 0.2"/>
        <connect body1="c" anchor="0.3 -0.1 0.2"/>
        <joint joint1="jd" joint2="ja" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
        <joint joint1="jd" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
      </equality></mujoco>"#;

    const QPOS: [f64; 13] = [
        0.043, 0.995, -0.02, 0.096, 0.016, -0.361, 0.208, 0.791, 0.926, 0.103, 0.301, 0.204, -0.087,
    ];
    const QVEL: [f64; 11] = [0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.6, -0.1, 0.3, -0.5, 0.7];

    /// `efc_pos` of MuJoCo 4.0 at QPOS, by groups of rows.
    const POS: [[f64; 3]; 10] = [
        [0.960998508318603, 0.044048968393102, -0.677689846195078],
        [0.242170540333091, 0.135963845345908, -0.0318868479570276],
        [0.0485692208341131, -0.120033991429411, -0.377005571842923],
        [-0.249113855204994, 0.227396292130046, 0.331929456410623],
        [1.15121026436828, 0.246755151125917, -0.427230884801419],
        [0.345957914761559, 0.194234064779868, -0.0455526399386109],
        [-0.0977610881641585, -0.0120420897243167, 0.391416011585289],
        [-0.0974053231776361, -0.0700118278322373, 0.409933128418763],
        [-0.305613040499832, 0.0, 0.0],
        [-0.287, 0.0, 0.0],
    ];

    /// Its `efc_J` times QVEL.
    const SPEED: [[f64; 3]; 10] = [
        [0.141882700401919, 0.0880837037950738, -0.575894794211819],
        [-0.1722548906423, 0.164937672964635, 0.279527305977014],
        [0.32233924064092, -0.553559193775905, -0.378441279964799],
        [-0.280335326533031, 0.0217531429978688, 0.586302379627624],
        [0.258004791530398, 0.157107878494315, -0.719947990146647],
        [-0.246078415203285, 0.235625247092336, 0.399324722824306],
        [-0.414557982753322, 0.248382530303051, 0.450008057748229],
        [-0.399545277326248, 0.0934054115657071, 0.490284973937871],
        [0.55414339753948, 0.0, 0.0],
        [0.7, 0.0, 0.0],
    ];

    #[test]
    fn violations_and_rows_are_those_of_mujoco() -> Result<()> {
        let spec = read_str(ROBOT, None, &MjcfOptions::default())?;
        let model = Model::compile(spec, Actuation::FromFile)?;
        let (mut q, mut v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
        model.q_from_mujoco(&QPOS, &mut q);
        model.v_from_mujoco(&q, &QVEL, &mut v);
        let mut kin = Kinematics::new(&model);
        positions(&mut kin, &model, model.params(), &q);
        let list = equalities(&model)?;
        assert_eq!(list.len(), POS.len());
        let mut rows = Rows::new(model.topology(), list.len());
        for (i, e) in list.iter().enumerate() {
            let error = e.fill(model.topology(), &kin, &q, &mut rows).to_array();
            let speed = rows.times(i, &v).0;
            for k in 0..e.rows() {
                assert!((error[k] - POS[i][k]).abs() < 1e-13, "{i}: {error:?}");
                assert!((speed[k] - SPEED[i][k]).abs() < 1e-13, "{i}: {speed:?}");
            }
        }
        Ok(())
    }
}
