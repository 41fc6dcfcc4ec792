//! Configurations: q ⊕ δq, their difference, and MuJoCo's layout.

use super::Model;
use super::topology::Link;
use crate::joint::{LinkKind, free_pose};
use crate::spatial::{Quat, Vec3};

/// A shorter quaternion counts as the identity: MuJoCo's bound.
const SHORTEST: f64 = 1e-15;

/// Normalizes a quaternion (w last). A quaternion of zeros becomes the identity. A unit quaternion keeps
/// its bits.
fn make_unit(quaternion: &mut [f64]) {
    let largest = quaternion.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    if largest < SHORTEST {
        return quaternion.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
    }
    // Scale first, so that no square overflows or vanishes.
    let squares = quaternion.iter().map(|x| (x / largest).powi(2));
    let norm = largest * squares.sum::<f64>().sqrt();
    if (norm - 1.0).abs() > 4.0 * f64::EPSILON {
        quaternion.iter_mut().for_each(|x| *x /= norm);
    }
}

impl Model {
    /// q ⊕ dv: moves each joint by the tangent vector, in the body frame for spherical and free joints
    /// (the SE(3) exponential). `out` must not overlap the inputs. Lengths nq, nv, nq.
    pub fn integrate(&self, q: &[f64], dv: &[f64], out: &mut [f64]) {
        for l in &self.topology.links {
            (l.kind).integrate(&q[l.iq..], &dv[l.iv..], &mut out[l.iq..]);
        }
    }

    /// The tangent vector dv with q0 ⊕ dv = q1 (rotations of at most π). Lengths nq, nq, nv.
    pub fn difference(&self, q0: &[f64], q1: &[f64], dv: &mut [f64]) {
        for l in &self.topology.links {
            (l.kind).difference(&q0[l.iq..], &q1[l.iq..], &mut dv[l.iv..]);
        }
    }

    /// Configuration from MuJoCo's `qpos` (quaternions w first). Lengths nq. Mocap bodies are not part
    /// of MuJoCo's `qpos`; here they come last: position and quaternion of each, or seven zeros for the
    /// pose of the file. As in MuJoCo quaternions are normalized, and a quaternion of zeros is the
    /// identity.
    pub fn q_from_mujoco(&self, qpos: &[f64], q: &mut [f64]) {
        self.for_links_of_mujoco(|l, at, _| {
            let (own, to) = (at..at + l.kind.nq(), l.iq..l.iq + l.kind.nq());
            if self.is_mocap(l) && qpos[own.clone()].iter().all(|x| *x == 0.0) {
                return q[to.clone()].copy_from_slice(&self.neutral[to]);
            }
            reorder(l.kind, &qpos[own], &mut q[l.iq..], [1, 2, 3, 0]);
            if let Some(first) = l.kind.quaternion() {
                make_unit(&mut q[l.iq + first..][..4]);
            }
        });
    }

    /// MuJoCo's `qpos` from a configuration, followed by the mocap bodies. Lengths nq.
    pub fn q_to_mujoco(&self, q: &[f64], qpos: &mut [f64]) {
        self.for_links_of_mujoco(|l, at, _| {
            let own = l.iq..l.iq + l.kind.nq();
            reorder(l.kind, &q[own], &mut qpos[at..], [3, 0, 1, 2]);
        });
    }

    /// Velocity from MuJoCo's `qvel` (free joint: linear velocity in world axes), with mocap bodies
    /// last. `q` is in this library's layout. Lengths nq, nv, nv.
    pub fn v_from_mujoco(&self, q: &[f64], qvel: &[f64], v: &mut [f64]) {
        self.for_links_of_mujoco(|l, _, at| {
            v[l.dofs()].copy_from_slice(&qvel[at..at + l.kind.nv()]);
            if l.kind == LinkKind::Free {
                let world = Vec3::from_slice(&qvel[at..]);
                let x = free_pose(&q[l.iq..]).rot.tr_mul_vec(world);
                v[l.iv..l.iv + 3].copy_from_slice(&x.to_array());
            }
        });
    }

    /// The inverse of [`Model::v_from_mujoco`].
    pub fn v_to_mujoco(&self, q: &[f64], v: &[f64], qvel: &mut [f64]) {
        self.for_links_of_mujoco(|l, _, at| {
            qvel[at..at + l.kind.nv()].copy_from_slice(&v[l.dofs()]);
            if l.kind == LinkKind::Free {
                let own = Vec3::from_slice(&v[l.iv..]);
                let x = free_pose(&q[l.iq..]).rot.mul_vec(own);
                qvel[at..at + 3].copy_from_slice(&x.to_array());
            }
        });
    }

    /// Calls `visit` with each link and its first index in MuJoCo's qpos and qvel, extended by the mocap
    /// bodies at the end.
    fn for_links_of_mujoco(&self, mut visit: impl FnMut(&Link, usize, usize)) {
        let mocap = self.mocap_links().count();
        let mut last = [self.nq() - 7 * mocap, self.nv() - 6 * mocap];
        let mut next = [0, 0];
        for l in &self.topology.links {
            let at = match self.is_mocap(l) {
                true => &mut last,
                false => &mut next,
            };
            visit(l, at[0], at[1]);
            at[0] += l.kind.nq();
            at[1] += l.kind.nv();
        }
    }

    /// True for the link of a mocap body.
    pub fn is_mocap(&self, l: &Link) -> bool {
        self.bodies[self.joints[l.joint].body].mocap
    }

    /// Links of mocap bodies, in the order of the bodies.
    pub fn mocap_links(&self) -> impl Iterator<Item = &Link> {
        self.topology.links.iter().filter(|l| self.is_mocap(l))
    }

    /// Links of free joints.
    pub fn free_links(&self) -> impl Iterator<Item = &Link> {
        self.topology
            .links
            .iter()
            .filter(|l| l.kind == LinkKind::Free)
    }

    /// Name of the joint and norm of its quaternion, for the first quaternion of `q` whose length is far
    /// from 1.
    pub fn bad_quaternion(&self, q: &[f64]) -> Option<(&str, f64)> {
        self.topology.links.iter().find_map(|l| {
            let n2 = Quat::from_slice(&q[l.iq + l.kind.quaternion()?..]).norm_squared();
            let bad = !(0.25..=4.0).contains(&n2);
            bad.then(|| (self.joint(l.joint).name.as_str(), n2.sqrt()))
        })
    }
}

/// Copies a link's coordinates, with those of its quaternion in this order.
fn reorder(kind: LinkKind, from: &[f64], to: &mut [f64], order: [usize; 4]) {
    to[..from.len()].copy_from_slice(from);
    if let Some(at) = kind.quaternion() {
        for (k, &o) in order.iter().enumerate() {
            to[at + k] = from[at + o];
        }
    }
}
