//! Configurations: q ⊕ δq, their difference, and MuJoCo's layout.

use super::Model;
use super::topology::Link;
use crate::joint::{LinkKind, free_pose};
use crate::spatial::{Quat, Vec3};

impl Model {
    /// q ⊕ dv: moves each joint by the tangent vector, in the body frame for spherical and free
    /// joints (the SE(3) exponential). `out` may alias nothing; lengths nq, nv, nq.
    pub fn integrate(&self, q: &[f64], dv: &[f64], out: &mut [f64]) {
        for l in &self.topology.links {
            (l.kind).integrate(&q[l.iq..], &dv[l.iv..], &mut out[l.iq..]);
        }
    }

    /// The tangent vector dv with q0 ⊕ dv = q1 (rotations of at most π); lengths nq, nq, nv.
    pub fn difference(&self, q0: &[f64], q1: &[f64], dv: &mut [f64]) {
        for l in &self.topology.links {
            (l.kind).difference(&q0[l.iq..], &q1[l.iq..], &mut dv[l.iv..]);
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
            if let Some(at) = l.kind.quaternion() {
                for (k, &o) in order.iter().enumerate() {
                    to[at + k] = from[at + o];
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
            let n2 = Quat::from_slice(&q[l.iq + l.kind.quaternion()?..]).norm_squared();
            let bad = !(0.25..=4.0).contains(&n2);
            bad.then(|| (self.joint(l.joint).name.as_str(), n2.sqrt()))
        })
    }
}
