//! The exact Hessian: the change of g = Xᵀ y with the configuration beyond Xᵀ K X.
//!
//! A column X_k moves with the dofs j above it and with those of its own link, and rotates by ω_j × X_k. Dofs
//! below move its point, by ω_k × X_j. Angular velocities along the frame's axes depend only on the latter,
//! as ω_k × ω_j.

use super::block::{Block, Of};
use super::evaluate::frame_pose;
use super::rotation::Turn;
use super::solver::Ik;
use super::target::Target;
use super::task::IkKind;
use crate::joint::free_pose;
use crate::model::topology::Topology;
use crate::spatial::{Mat3, Quat, Vec3};

/// True if dof j moves dof k: j is above k, or of the same link.
fn carries(t: &Topology, j: usize, k: usize) -> bool {
    t.dofs[j].link == t.dofs[k].link || (j < k && k < t.dofs[j].end)
}

impl Ik {
    /// The rotation of a block from its target, and the index of its part.
    pub(super) fn turn(&self, b: &Block, q: &[f64]) -> Option<(usize, Turn, Mat3)> {
        let task = b.task?;
        let target = self.targets[task].as_ref()?;
        let quat = |q: &[f64], at: usize| Quat::from_slice(&q[at..]).normalized().to_mat3();
        let (part, wanted, rot) = match (b.of, self.tasks[task].kind, target) {
            (Of::Frame, IkKind::Frame { body, placement }, Target::Frame(p)) => {
                (1, p.rot, frame_pose(self, body, &placement).rot)
            }
            (Of::Spherical { iq }, _, Target::Posture(x)) => (0, quat(x, iq), quat(q, iq)),
            (Of::Free { iq }, _, Target::Posture(x)) => {
                (1, free_pose(&x[iq..]).rot, free_pose(&q[iq..]).rot)
            }
            _ => return None,
        };
        Some((part, Turn::new(&wanted, &rot), wanted))
    }

    /// ∂y/∂w of a block's rotation: its weights, and the variation of Jᵣ⁻ᵀ.
    pub(super) fn force_slope(b: &Block, part: usize, turn: &Turn) -> Mat3 {
        let w2 = b.squares(part);
        turn.rate.transpose().mul_mat(&w2) + turn.force_by_turn(w2.mul_vec(turn.w))
    }

    /// Adds the second-order terms at q to the lower triangle of `work.matrix`, which holds A.
    pub(super) fn add_second_order(&mut self, q: &[f64]) {
        let n = self.model.nv();
        let mut a = std::mem::take(match &mut self.whole {
            None => &mut self.work.matrix,
            Some(w) => &mut w.matrix,
        });
        let t = self.model.topology();
        for b in &self.blocks {
            if let Some((part, turn, _)) = self.turn(b, q) {
                let bent = turn
                    .force_by_turn(b.squares(part).mul_vec(turn.w))
                    .mul_mat(&turn.rate);
                for (k, x) in b.columns(&self.dofs, &self.x) {
                    let left = bent.tr_mul_vec(Vec3::from_slice(&x[3 * part..]));
                    for (l, other) in b.columns(&self.dofs, &self.x) {
                        if l <= k {
                            a[k * n + l] += left.dot(Vec3::from_slice(&other[3 * part..]));
                        }
                    }
                }
            }
            if !matches!(b.of, Of::Frame | Of::Center | Of::Free { .. }) {
                continue;
            }
            let (f, m) = (Vec3::from_slice(&b.force), Vec3::from_slice(&b.force[3..]));
            let at = self.frame_rotation(b);
            let free = matches!(b.of, Of::Free { .. });
            let spin = |k: usize, x: &[f64]| match free {
                // World axes, as the columns of the position.
                true if k - t.links[t.dofs[k].link].iv >= 3 => {
                    Vec3::from_slice(&self.x[b.x + 6 * (k - t.links[t.dofs[k].link].iv - 3)..])
                }
                true => Vec3::ZERO,
                false => match &at {
                    Some(rot) => rot.mul_vec(Vec3::from_slice(&x[3..])),
                    None => self.kin.s[k].ang,
                },
            };
            for (k, x) in b.columns(&self.dofs, &self.x) {
                let (lin, w) = (Vec3::from_slice(x), spin(k, x));
                for (j, other) in b.columns(&self.dofs, &self.x) {
                    // g is the derivative of one function if no bound holds: one half of each pair suffices.
                    if j > k {
                        continue;
                    }
                    let wj = spin(j, other);
                    let mut sum = 0.0;
                    if carries(t, j, k) {
                        sum += wj.cross(lin).dot(f);
                    } else if carries(t, k, j) {
                        sum += w.cross(Vec3::from_slice(other)).dot(f);
                        if let Some(rot) = &at {
                            sum += rot.tr_mul_vec(w.cross(wj)).dot(m);
                        }
                    }
                    a[k * n + j] += sum;
                }
            }
        }
        match &mut self.whole {
            None => self.work.matrix = a,
            Some(w) => {
                w.matrix = a;
                w.project(&mut self.work.matrix);
            }
        }
    }

    fn frame_rotation(&self, b: &Block) -> Option<Mat3> {
        match (b.of, b.task.map(|t| self.tasks[t].kind)) {
            (Of::Frame, Some(IkKind::Frame { body, placement })) => {
                Some(frame_pose(self, body, &placement).rot)
            }
            _ => None,
        }
    }
}
