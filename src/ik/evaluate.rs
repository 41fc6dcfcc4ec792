//! Residuals, forces and rows at a configuration.

use super::block::{Block, Of};
use super::loops::Loops;
use super::rotation::Turn;
use super::solver::{Ik, home};
use super::target::Target;
use super::task::{IkKind, IkTask};
use crate::dynamics::jacobian::center_of_mass;
use crate::dynamics::kinematics::{inertias, positions};
use crate::dynamics::motion::{Frame, ReferenceFrame, Seen};
use crate::error::Result;
use crate::joint::free_pose;
use crate::linalg::F4;
use crate::model::topology::LinkKind;
use crate::spatial::{Mat3, Pose, Quat, Vec3};

/// World placement of a frame on a link.
pub(super) fn frame_pose(ik: &Ik, body: usize, placement: &Pose) -> Pose {
    ik.kin.body_pose(&ik.model, body).compose(placement)
}

impl Ik {
    pub(super) fn add_equalities(&mut self) -> Result<()> {
        self.loops = Loops::new(&self.model)?;
        let Some(loops) = &self.loops else {
            return Ok(());
        };
        let mut found = Vec::new();
        for (i, e) in loops.list.iter().enumerate() {
            let dofs: Vec<usize> = loops.rows.dofs(i).collect();
            found.push((i, e.rows(), dofs));
        }
        for (i, rows, dofs) in found {
            self.add_block(None, Of::Equality(i), 0, rows, dofs);
        }
        Ok(())
    }

    /// The blocks of a task.
    pub(super) fn add_blocks(&mut self, number: usize, task: &IkTask) {
        let model = self.model.clone();
        let t = model.topology();
        match task.kind {
            IkKind::Frame { body, .. } => {
                let link = model.bodies()[body].link;
                let mut dofs: Vec<usize> = t.path(link).collect();
                dofs.reverse();
                self.add_block(Some(number), Of::Frame, 0, 6, dofs);
            }
            IkKind::CenterOfMass => {
                self.add_block(Some(number), Of::Center, 0, 3, (0..t.nv()).collect());
            }
            IkKind::Posture => {
                for l in &t.links {
                    let Some([iq, first]) = home(&model, l) else {
                        continue;
                    };
                    let all = l.dofs();
                    match l.kind {
                        LinkKind::Free => {
                            let of = Of::Free { iq };
                            self.add_block(Some(number), of, first, 6, all.collect());
                        }
                        LinkKind::Spherical => {
                            let of = Of::Spherical { iq };
                            self.add_block(Some(number), of, first, 3, all.collect());
                        }
                        _ => {
                            for (j, k) in all.enumerate() {
                                let of = Of::Dof { iq: iq + j };
                                self.add_block(Some(number), of, first + j, 1, vec![k]);
                            }
                        }
                    }
                }
                let Some(r) = model.reduction() else {
                    return;
                };
                for [iq, dof] in r.own_coordinates() {
                    let dofs = r.v.back_factors(dof).iter().map(|(k, _)| *k).collect();
                    let of = Of::Reduced { iq, dof };
                    self.add_block(Some(number), of, dof, 1, dofs);
                }
            }
        }
    }

    fn add_block(
        &mut self,
        task: Option<usize>,
        of: Of,
        first: usize,
        rows: usize,
        dofs: Vec<usize>,
    ) {
        let (start, x) = (self.dofs.len(), self.x.len());
        self.dofs.extend(dofs);
        let range = start..self.dofs.len();
        self.x.resize(x + rows * range.len(), 0.0);
        self.blocks
            .push(Block::new(task, of, first, rows, range, x));
    }

    /// Fills all blocks at q and returns the objective.
    pub(super) fn evaluate(&mut self, q: &[f64]) -> f64 {
        let placed = Ik::place(&mut self.whole, q);
        positions(&mut self.kin, &self.model, self.model.params(), placed);
        let mut center = Vec3::ZERO;
        if self.blocks.iter().any(|b| matches!(b.of, Of::Center)) {
            inertias(&mut self.kin, self.model.params());
            let jacobian = Some(&mut self.center_jacobian[..]);
            center_of_mass(
                &self.model,
                &self.kin,
                &mut self.subtree,
                &mut center,
                jacobian,
            );
        }
        if let Some(loops) = &mut self.loops {
            loops.update(&self.model, &self.kin, placed);
        }
        let mut objective = 0.0;
        let mut blocks = std::mem::take(&mut self.blocks);
        for b in &mut blocks {
            self.fill(b, q, center);
            objective += b.objective();
        }
        self.blocks = blocks;
        objective
    }

    fn set_weights(&self, b: &mut Block) {
        let Some(task) = b.task.map(|t| &self.tasks[t]) else {
            b.weight[..b.rows].fill(self.options.equality_weight);
            return;
        };
        let factors = match task.kind {
            IkKind::Posture if task.dofs.is_empty() => &[1.0; 6],
            IkKind::Posture => &task.dofs[b.first..b.first + b.rows],
            _ => &task.axes[..],
        };
        for (w, f) in b.weight[..b.rows].iter_mut().zip(factors) {
            *w = task.weight * f;
        }
    }

    fn fill(&mut self, b: &mut Block, q: &[f64], center: Vec3) {
        self.set_weights(b);
        let x = &mut self.x[b.x..b.x + b.rows * b.dofs.len()];
        match (
            b.of,
            b.task.map(|t| (&self.tasks[t].kind, &self.targets[t])),
        ) {
            (Of::Frame, Some((IkKind::Frame { body, placement }, Some(Target::Frame(target))))) => {
                let at = self.kin.body_pose(&self.model, *body).compose(placement);
                let frame = Frame {
                    body: *body,
                    placement: *placement,
                    reference: ReferenceFrame::LocalWorldAligned,
                };
                if let Some(seen) = Seen::new(&self.model, &self.kin, &frame) {
                    for (k, x) in self.dofs[b.dofs.clone()].iter().zip(x.chunks_exact_mut(6)) {
                        let t = seen.tell(self.kin.s[*k]);
                        x[..3].copy_from_slice(&t.lin.to_array());
                        x[3..].copy_from_slice(&at.rot.tr_mul_vec(t.ang).to_array());
                    }
                }
                b.set_plain(0, at.pos - target.pos);
                turned(b, 1, &target.rot, &at.rot);
            }
            (Of::Center, Some((_, Some(Target::Center(target))))) => {
                x.copy_from_slice(&self.center_jacobian);
                b.set_plain(0, center - *target);
            }
            (Of::Dof { iq }, Some((_, Some(Target::Posture(target))))) => {
                x[0] = 1.0;
                b.set_plain(0, Vec3::new(q[iq] - target[iq], 0.0, 0.0));
            }
            (Of::Reduced { iq, dof }, Some((_, Some(Target::Posture(target))))) => {
                let map = self.whole.as_ref().map(|w| &w.map.v);
                let back = map.map_or(&[][..], |map| map.back_factors(dof));
                x.iter_mut().zip(back).for_each(|(x, (_, b))| *x = *b);
                b.set_plain(0, Vec3::new(q[iq] - target[iq], 0.0, 0.0));
            }
            (Of::Spherical { iq }, Some((_, Some(Target::Posture(target))))) => {
                let rot = |q: &[f64]| Quat::from_slice(&q[iq..]).normalized().to_mat3();
                identity(x, 3, 0);
                turned(b, 0, &rot(target), &rot(q));
            }
            (Of::Free { iq }, Some((_, Some(Target::Posture(target))))) => {
                let [at, wanted] = [q, target].map(|q| free_pose(&q[iq..]));
                identity(x, 6, 3);
                for (x, c) in x.chunks_exact_mut(6).zip(at.rot.c) {
                    x[..3].copy_from_slice(&c.to_array());
                }
                b.set_plain(0, at.pos - wanted.pos);
                turned(b, 1, &wanted.rot, &at.rot);
            }
            (Of::Equality(i), _) => {
                if let Some(loops) = &self.loops {
                    let dofs = &self.dofs[b.dofs.clone()];
                    for (k, x) in dofs.iter().zip(x.chunks_exact_mut(b.rows)) {
                        let F4(column) = loops.rows.column(i, *k);
                        x.copy_from_slice(&column[..b.rows]);
                    }
                    b.set_plain(0, loops.violation[i]);
                }
            }
            // A task without a target was refused before.
            _ => (),
        }
    }

    /// g = Xᵀ y, and the lower triangle of A = Xᵀ K X, row-major.
    pub(super) fn assemble(&mut self) {
        let n = self.model.nv();
        let (g, a) = match &mut self.whole {
            None => (&mut self.work.gradient, &mut self.work.matrix),
            Some(w) => (&mut w.gradient, &mut w.matrix),
        };
        g.fill(0.0);
        a.fill(0.0);
        for b in &self.blocks {
            for (i, (k, x)) in b.columns(&self.dofs, &self.x).enumerate() {
                g[k] += x.iter().zip(&b.force).map(|(x, y)| x * y).sum::<f64>();
                let stiff = b.stiff(x);
                for (l, other) in b.columns(&self.dofs, &self.x).take(i + 1) {
                    a[k * n + l] += other.iter().zip(&stiff).map(|(x, y)| x * y).sum::<f64>();
                }
            }
        }
        if let Some(w) = &mut self.whole {
            let map = w.map.clone();
            map.v
                .expand_transposed(&w.gradient, &mut self.work.gradient);
            w.project(&mut self.work.matrix);
        }
    }
}

/// Three rows of a rotation's distance from its target, X the angular velocity along the axes of `rot`.
fn turned(b: &mut Block, part: usize, target: &Mat3, rot: &Mat3) {
    let turn = Turn::new(target, rot);
    let w2 = b.squares(part);
    let rate = turn.rate;
    let force = rate.tr_mul_vec(w2.mul_vec(turn.w));
    let stiffness = rate.transpose().mul_mat(&w2.mul_mat(&rate));
    b.put(part, turn.w, force, stiffness);
}

/// Ones on the diagonal of `rows` × `rows` numbers, from column `from` on; zeros elsewhere.
fn identity(x: &mut [f64], rows: usize, from: usize) {
    x.fill(0.0);
    for k in from..rows {
        x[k * rows + k] = 1.0;
    }
}
