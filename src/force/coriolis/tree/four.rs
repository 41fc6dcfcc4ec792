//! The implicit Coriolis forces of four simulations side by side.
//!
//! The sums are those of [`fill`](super::fill::fill), of the LU along the tree and of the force for one
//! simulation, entry by entry, so that each lane has the bits of its own computation.

use super::fill::{Moved, move_alone};
use super::{Whirling, weight_at};
use crate::dynamics::four::{Four, SIDE_BY_SIDE};
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::tree_lu::TINY;
use crate::linalg::{F4, wide};
use crate::model::topology::{Dof, Topology, WORLD};
use crate::spatial::{Real, Twist};

/// Memory for one tree. Rows begin at `starts` and have an entry for each dof from the root to their own.
#[derive(Clone, Debug)]
pub struct FourWhirling {
    links: Vec<Moved<F4>>,
    rates: Vec<Twist<F4>>,
    starts: Vec<usize>,
    /// w h S above its diagonal, and M + w h S, then its factors: A_dk with the diagonal, and A_kd.
    skew: Vec<F4>,
    above: Vec<F4>,
    below: Vec<F4>,
    sizes: Vec<F4>,
    /// −b, then a_c.
    acc: Vec<F4>,
    force: Vec<F4>,
    /// w h, and whether the force acts.
    scale: F4,
    acts: [bool; SIDE_BY_SIDE],
}

impl FourWhirling {
    pub(in crate::force::coriolis) fn new(t: &Topology, of: &Whirling) -> FourWhirling {
        let dofs = &t.dofs[of.dofs.clone()];
        let (n, mut count) = (dofs.len(), 0);
        let starts = dofs.iter().map(|dof| {
            count += dof.depth + 1;
            count - dof.depth - 1
        });
        FourWhirling {
            starts: starts.collect(),
            links: vec![Moved::at_rest(); of.links.len()],
            rates: vec![Twist::zeros(); n],
            skew: F4::zeros(count),
            above: F4::zeros(count),
            below: F4::zeros(count),
            sizes: F4::zeros(n),
            acc: F4::zeros(n),
            force: F4::zeros(n),
            scale: F4::ZERO,
            acts: [false; SIDE_BY_SIDE],
        }
    }

    /// Adds the force of one tree in each lane. `of` is the tree of any of the simulations; no dof has a
    /// prescribed velocity.
    pub(in crate::force::coriolis) fn apply(
        &mut self,
        of: &Whirling,
        t: &Topology,
        h: f64,
        at: &mut Four,
    ) {
        for lane in 0..SIDE_BY_SIDE {
            let v = at.v[of.dofs.clone()].iter().map(|v| v.0[lane]);
            let x = of.speed(h, v);
            self.acts[lane] = x > 0.0;
            self.scale.0[lane] = if x > 0.0 { weight_at(x) * h } else { 0.0 };
        }
        if self.acts == [false; SIDE_BY_SIDE] {
            return;
        }
        push(at.wide(), self, of, t, &at.kin, &at.armature);
        for (tau, force) in at.tau[of.dofs.clone()].iter_mut().zip(&self.force) {
            for lane in (0..SIDE_BY_SIDE).filter(|lane| self.acts[*lane]) {
                tau.0[lane] += force.0[lane];
            }
        }
    }

    /// The dof above, counted from the first of the tree.
    #[inline(always)]
    fn up(of: &Whirling, dof: &Dof) -> usize {
        dof.parent.wrapping_sub(of.dofs.start)
    }

    #[inline(always)]
    fn fill(&mut self, of: &Whirling, t: &Topology, kin: &Kinematics<F4>, armature: &[F4]) {
        let (places, half) = ((&of.links, &of.dofs), self.scale * 0.5);
        move_alone(&mut self.links, &mut self.rates, t, kin, places);
        let (links, dofs) = (&t.links[of.links.clone()], &t.dofs[of.dofs.clone()]);
        // All slices have the same length, so that one bounds check serves all.
        let n = dofs.len();
        let (s, armature) = (
            &kin.s[of.dofs.clone()][..n],
            &armature[of.dofs.clone()][..n],
        );
        let (rates, starts, is_limb) = (&self.rates[..n], &self.starts[..n], &of.is_limb[..n]);
        let (moved, acc) = (&mut self.links[..links.len()], &mut self.acc[..n]);
        for (k, dof) in dofs.iter().enumerate().rev() {
            let (link, depth) = (dof.link - of.links.start, dof.depth);
            let (parents, own) = moved.split_at_mut(link);
            let own = &own[0];
            let row = starts[k]..=starts[k] + depth;
            let skew = &mut self.skew[row.clone()];
            let (above, below) = (&mut self.above[row.clone()], &mut self.below[row]);
            acc[k] = -s[k].dot(own.force);
            let force = own.inertia.mul(s[k]);
            above[depth] = s[k].dot(force) + armature[k];
            let up = FourWhirling::up(of, dof);
            // Only limbs are between two limbs of a path.
            let whirls = is_limb[k] && dof.parent != WORLD && is_limb[up];
            let mut a = up;
            if whirls {
                let w = own.inertia.mul(rates[k]) + s[k].cross_wrench(own.momentum);
                for d in (0..depth).rev() {
                    let mass = s[a].dot(force);
                    let limb = f64::from(u8::from(is_limb[a]));
                    let turned = (s[a].dot(w) - rates[a].dot(force)) * (half * limb);
                    (skew[d], above[d], below[d]) = (turned, mass + turned, mass - turned);
                    a = FourWhirling::up(of, &dofs[a]);
                }
            } else {
                for d in (0..depth).rev() {
                    let mass = s[a].dot(force);
                    // The sum has the sign of zero that one with a zero has.
                    (skew[d], above[d], below[d]) = (F4::ZERO, mass + F4::ZERO, mass);
                    a = FourWhirling::up(of, &dofs[a]);
                }
            }
            let l = &links[link];
            if k + of.dofs.start == l.iv && l.parent != WORLD {
                parents[l.parent - of.links.start].carry(own);
            }
        }
    }

    /// The LU of M + w h S. A lane with a tiny pivot has no force.
    #[inline(always)]
    fn factor(&mut self, of: &Whirling, dofs: &[Dof]) {
        let (starts, sizes) = (&self.starts[..dofs.len()], &mut self.sizes[..dofs.len()]);
        for (size, (start, dof)) in sizes.iter_mut().zip(starts.iter().zip(dofs)) {
            *size = self.above[start + dof.depth].abs();
        }
        for (k, dof) in dofs.iter().enumerate().rev() {
            let (above_up, row) = self.above.split_at_mut(starts[k]);
            let (below_up, column) = self.below.split_at_mut(starts[k]);
            let (row, column) = (&mut row[..=dof.depth], &column[..dof.depth]);
            let (pivot, size) = (row[dof.depth], sizes[k]);
            for lane in 0..SIDE_BY_SIDE {
                let pivot = pivot.0[lane];
                let is_tiny = pivot.abs() <= TINY * size.0[lane];
                self.acts[lane] &= pivot.is_finite() && !is_tiny;
            }
            for x in &mut row[..dof.depth] {
                *x = *x / pivot;
            }
            let mut a = FourWhirling::up(of, dof);
            for i in (0..dof.depth).rev() {
                let (s, l, up) = (row[i], column[i], starts[a]);
                sizes[a] += (s * l).abs();
                for (to, x) in above_up[up..=up + i].iter_mut().zip(&*row) {
                    *to -= *x * l;
                }
                for (to, x) in below_up[up..up + i].iter_mut().zip(column) {
                    *to -= *x * s;
                }
                a = FourWhirling::up(of, &dofs[a]);
            }
        }
    }

    /// a_c from −b.
    #[inline(always)]
    fn solve(&mut self, of: &Whirling, dofs: &[Dof]) {
        let (starts, acc) = (&self.starts[..dofs.len()], &mut self.acc[..dofs.len()]);
        for (k, dof) in dofs.iter().enumerate().rev() {
            let (own, mut a) = (acc[k], FourWhirling::up(of, dof));
            for l in self.above[starts[k]..][..dof.depth].iter().rev() {
                acc[a] += -*l * own;
                a = FourWhirling::up(of, &dofs[a]);
            }
        }
        for (k, dof) in dofs.iter().enumerate() {
            let (mut sum, mut a) = (F4::ZERO, FourWhirling::up(of, dof));
            for l in self.below[starts[k]..][..dof.depth].iter().rev() {
                sum += *l * acc[a];
                a = FourWhirling::up(of, &dofs[a]);
            }
            acc[k] = (acc[k] - sum) / self.above[starts[k] + dof.depth];
        }
    }

    /// f = −w h S a_c.
    #[inline(always)]
    fn oppose(&mut self, of: &Whirling, dofs: &[Dof]) {
        let (acc, force) = (&self.acc[..dofs.len()], &mut self.force[..dofs.len()]);
        force.fill(F4::ZERO);
        for (k, dof) in dofs.iter().enumerate().filter(|(k, _)| of.is_limb[*k]) {
            let (mut own, mut a) = (F4::ZERO, FourWhirling::up(of, dof));
            for s in self.skew[self.starts[k]..][..dof.depth].iter().rev() {
                if !of.is_limb[a] {
                    break;
                }
                own += *s * acc[a];
                force[a] -= *s * acc[k];
                a = FourWhirling::up(of, &dofs[a]);
            }
            force[k] += own;
        }
    }
}

#[inline(always)]
fn push_kernel(
    w: &mut FourWhirling,
    of: &Whirling,
    t: &Topology,
    kin: &Kinematics<F4>,
    armature: &[F4],
) {
    let dofs = &t.dofs[of.dofs.clone()];
    w.fill(of, t, kin, armature);
    w.factor(of, dofs);
    w.solve(of, dofs);
    w.oppose(of, dofs);
}

wide! {
    /// The force in each lane.
    fn push = push_kernel(
        w: &mut FourWhirling, of: &Whirling, t: &Topology, kin: &Kinematics<F4>, armature: &[F4],
    )
}
