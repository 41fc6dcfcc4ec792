//! Configurations: q ⊕ δq, their difference, and MuJoCo's layout.

use super::Model;
use super::topology::{Link, LinkKind};
use crate::linalg::F4;
use crate::spatial::{Mat3, Pose, Quat, Twist, Vec3, so3_right_jacobian};

/// Pose of a free link's coordinates; the quaternion is normalized.
#[inline(always)]
pub fn free_pose(q: &[f64]) -> Pose {
    Pose::from_quat(Quat::from_slice(&q[3..7]).normalized(), Vec3::from_slice(q))
}

impl Model {
    /// q ⊕ dv: moves each joint by the tangent vector, in the body frame for spherical and free
    /// joints (the SE(3) exponential). `out` may alias nothing; lengths nq, nv, nq.
    pub fn integrate(&self, q: &[f64], dv: &[f64], out: &mut [f64]) {
        for l in &self.topology.links {
            let (q, v) = (&q[l.iq..], &dv[l.iv..]);
            let out = &mut out[l.iq..];
            match l.kind {
                LinkKind::Revolute | LinkKind::Prismatic => out[0] = q[0] + v[0],
                LinkKind::Spherical => {
                    let r = Quat::from_slice(q).mul(Quat::exp(Vec3::from_slice(v)));
                    out[..4].copy_from_slice(&r.normalized().to_array());
                }
                LinkKind::Free => {
                    let here = free_pose(q);
                    let t = Twist::from_slice(v);
                    // exp's translation; its rotation is taken as a quaternion, which stays unit.
                    let moved = here.point(Pose::exp(t).pos);
                    let r = Quat::from_slice(&q[3..7]).mul(Quat::exp(t.ang));
                    out[..3].copy_from_slice(&moved.to_array());
                    out[3..7].copy_from_slice(&r.normalized().to_array());
                }
            }
        }
    }

    /// The tangent vector dv with q0 ⊕ dv = q1 (rotations of at most π); lengths nq, nq, nv.
    pub fn difference(&self, q0: &[f64], q1: &[f64], dv: &mut [f64]) {
        for l in &self.topology.links {
            let (a, b) = (&q0[l.iq..], &q1[l.iq..]);
            let out = &mut dv[l.iv..];
            match l.kind {
                LinkKind::Revolute | LinkKind::Prismatic => out[0] = b[0] - a[0],
                LinkKind::Spherical => {
                    let (a, b) = (Quat::from_slice(a), Quat::from_slice(b));
                    let r = a.normalized().conjugate().mul(b.normalized());
                    out[..3].copy_from_slice(&r.log().to_array());
                }
                LinkKind::Free => {
                    let t = free_pose(a).relative(&free_pose(b)).log();
                    out[..6].copy_from_slice(&t.to_array());
                }
            }
        }
    }

    /// Configuration from MuJoCo's `qpos` (quaternions w first); lengths nq.
    pub fn q_from_mujoco(&self, qpos: &[f64], q: &mut [f64]) {
        self.permute_q(qpos, q, [1, 2, 3, 0]);
    }

    /// MuJoCo's `qpos` from a configuration; lengths nq.
    pub fn q_to_mujoco(&self, q: &[f64], qpos: &mut [f64]) {
        self.permute_q(q, qpos, [3, 0, 1, 2]);
    }

    fn permute_q(&self, from: &[f64], to: &mut [f64], order: [usize; 4]) {
        for l in &self.topology.links {
            let n = l.kind.nq();
            let (from, to) = (&from[l.iq..l.iq + n], &mut to[l.iq..l.iq + n]);
            to.copy_from_slice(from);
            if n >= 4 {
                for (k, &o) in order.iter().enumerate() {
                    to[n - 4 + k] = from[n - 4 + o];
                }
            }
        }
    }

    /// Velocity from MuJoCo's `qvel` (free joint: linear velocity in world axes); `q` in this
    /// library's layout; lengths nq, nv, nv.
    pub fn v_from_mujoco(&self, q: &[f64], qvel: &[f64], v: &mut [f64]) {
        v.copy_from_slice(qvel);
        for l in self.free_links() {
            let x = free_pose(&q[l.iq..])
                .rot
                .tr_mul_vec(Vec3::from_slice(&qvel[l.iv..]));
            v[l.iv..l.iv + 3].copy_from_slice(&x.to_array());
        }
    }

    /// The inverse of [`Model::v_from_mujoco`].
    pub fn v_to_mujoco(&self, q: &[f64], v: &[f64], qvel: &mut [f64]) {
        qvel.copy_from_slice(v);
        for l in self.free_links() {
            let x = free_pose(&q[l.iq..])
                .rot
                .mul_vec(Vec3::from_slice(&v[l.iv..]));
            qvel[l.iv..l.iv + 3].copy_from_slice(&x.to_array());
        }
    }

    /// Links of free joints.
    pub fn free_links(&self) -> impl Iterator<Item = &Link> {
        self.topology
            .links
            .iter()
            .filter(|l| l.kind == LinkKind::Free)
    }

    /// Name of the joint and the norm of its quaternion, for the first quaternion of `q` that is
    /// too far from unit length to be one.
    pub fn bad_quaternion(&self, q: &[f64]) -> Option<(&str, f64)> {
        self.topology.links.iter().find_map(|l| {
            let n = l.kind.nq();
            if n < 4 {
                return None;
            }
            let n2 = Quat::from_slice(&q[l.iq + n - 4..]).norm_squared();
            let bad = !(0.25..=4.0).contains(&n2);
            bad.then(|| (self.joint(l.joint).name.as_str(), n2.sqrt()))
        })
    }
}

/// Blocks of ∂(q ⊕ w)/∂q and ∂(q ⊕ w)/∂w in tangent coordinates of both sides.
///
/// For one-dof links both are 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegrateBlocks {
    /// Ad(exp(−w)): by q.
    pub by_q: LinkMatrix,
    /// Jᵣ(w): by w.
    pub by_w: LinkMatrix,
}

/// Of a free link the 6×6 matrix [[`m₀`, `m₁`], [0, `m₂`]]; of a spherical one `m₀`.
pub type LinkMatrix = [Mat3; 3];

impl IntegrateBlocks {
    /// At the tangent vector `w` of a spherical or free link.
    pub fn new(kind: LinkKind, w: &[f64]) -> Self {
        match kind {
            LinkKind::Spherical => {
                let w = Vec3::from_slice(w);
                IntegrateBlocks {
                    by_q: [Quat::exp(-w).normalized().to_mat3(), Mat3::ZERO, Mat3::ZERO],
                    by_w: [so3_right_jacobian(w), Mat3::ZERO, Mat3::ZERO],
                }
            }
            _ => {
                let t = Twist::from_slice(w);
                let back = Pose::exp(t).inverse();
                let (a, b) = Pose::exp_right_jacobian(t);
                IntegrateBlocks {
                    by_q: adjoint(&back),
                    by_w: [a, b, a],
                }
            }
        }
    }
}

/// Ad of a pose.
pub fn adjoint(pose: &Pose) -> LinkMatrix {
    let turned = Mat3::skew(pose.pos).mul_mat(&pose.rot);
    [pose.rot, turned, pose.rot]
}

/// m x for the three or six numbers of a link.
#[inline(always)]
pub fn block_mul(m: &LinkMatrix, x: &mut [f64]) {
    let a = Vec3::from_slice(x);
    let mut first = m[0].mul_vec(a);
    if x.len() == 6 {
        let b = Vec3::from_slice(&x[3..]);
        first += m[1].mul_vec(b);
        x[3..6].copy_from_slice(&m[2].mul_vec(b).to_array());
    }
    x[..3].copy_from_slice(&first.to_array());
}

/// A [`LinkMatrix`] by columns in lanes, for many products.
#[derive(Clone, Copy, Debug)]
pub struct LaneMatrix([[F4; 3]; 3]);

impl LaneMatrix {
    #[inline(always)]
    pub fn new(m: &LinkMatrix) -> Self {
        LaneMatrix(m.map(|m| m.c.map(|c| F4([c.x, c.y, c.z, 0.0]))))
    }

    /// x ← m x as [`block_mul`] does, with the same bits.
    #[inline(always)]
    pub fn multiply(&self, x: &mut [f64]) {
        let times = |[a, b, c]: [F4; 3], x: [f64; 3]| a * x[0] + b * x[1] + c * x[2];
        match x {
            [a, b, c] => {
                let F4([x, y, z, _]) = times(self.0[0], [*a, *b, *c]);
                (*a, *b, *c) = (x, y, z);
            }
            [a, b, c, d, e, f] => {
                let (linear, angular) = ([*a, *b, *c], [*d, *e, *f]);
                let F4([x, y, z, _]) = times(self.0[0], linear) + times(self.0[1], angular);
                (*a, *b, *c) = (x, y, z);
                let F4([x, y, z, _]) = times(self.0[2], angular);
                (*d, *e, *f) = (x, y, z);
            }
            _ => (),
        }
    }
}

/// mᵀ x for the three or six numbers of a link.
#[inline(always)]
pub fn block_tr_mul(m: &LinkMatrix, x: &mut [f64]) {
    let a = Vec3::from_slice(x);
    if x.len() == 6 {
        let b = Vec3::from_slice(&x[3..]);
        let second = m[1].tr_mul_vec(a) + m[2].tr_mul_vec(b);
        x[3..6].copy_from_slice(&second.to_array());
    }
    x[..3].copy_from_slice(&m[0].tr_mul_vec(a).to_array());
}
