//! The system of the implicit Coriolis forces at one state: −b, w h S and M + w h S.
//!
//! The columns of the dofs above a dof lie side by side, so that the products of a row take four of them at
//! once, as in the composite-rigid-body algorithm. With W_k = I ṡ_k + s_k ×* P,
//!
//!   S_jk = ½ (s_jᵀ W_k − ṡ_jᵀ I s_k)   for j above k.

use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::mass::{PathBlock, set_path};
use crate::dynamics::tree_lu::TreeLu;
use crate::linalg::{F4, dispatch};
use crate::model::topology::{LANES, Topology, Tree, WORLD, padded};
use crate::spatial::{Inertia, Real, Twist, Wrench};
use std::ops::Range;

/// Numbers of a dof on the path: s, ṡ, and 1 if the dof has a place in S, else 0.
const COLUMN: usize = 13;

/// A link by velocities alone. Sums are over its subtree, once all links of it have been visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved<T = f64> {
    acc: Twist<T>,
    pub inertia: Inertia<T>,
    pub momentum: Wrench<T>,
    pub force: Wrench<T>,
}

impl<T: Real> Moved<T> {
    pub fn at_rest() -> Self {
        Moved {
            acc: Twist::zeros(),
            inertia: Inertia::zeros(),
            momentum: Wrench::zeros(),
            force: Wrench::zeros(),
        }
    }

    /// Adds the sum over a child's subtree.
    #[inline(always)]
    pub fn carry(&mut self, child: &Self) {
        self.inertia += child.inertia;
        self.momentum += child.momentum;
        self.force += child.force;
    }
}

/// Fills the links of a tree, and ṡ of its dofs, each without the links below.
#[inline(always)]
pub(super) fn move_alone<T: Real>(
    moved: &mut [Moved<T>],
    rates: &mut [Twist<T>],
    t: &Topology,
    kin: &Kinematics<T>,
    (own_links, own_dofs): (&Range<usize>, &Range<usize>),
) {
    let (links, start, first) = (&t.links[own_links.clone()], own_links.start, own_dofs.start);
    let s = &kin.s[own_dofs.clone()];
    let (inertia, v, c) = (
        &kin.inertia[own_links.clone()],
        &kin.v[own_links.clone()],
        &kin.c[own_links.clone()],
    );
    let (moved, rates) = (&mut moved[..links.len()], &mut rates[..s.len()]);
    for (i, l) in links.iter().enumerate() {
        let mut acc = c[i];
        if l.parent != WORLD {
            acc = moved[l.parent - start].acc + acc;
        }
        let momentum = inertia[i].mul(v[i]);
        let to = &mut moved[i];
        (to.acc, to.inertia, to.momentum) = (acc, inertia[i], momentum);
        to.force = inertia[i].mul(acc) + v[i].cross_wrench(momentum);
        for k in l.dofs() {
            rates[k - first] = v[i].cross(s[k - first]);
        }
    }
}

/// The system of a tree.
#[derive(Clone, Debug)]
pub struct System {
    /// −b, then a_c.
    pub acc: Vec<f64>,
    /// w h S above its diagonal, branch-packed as `lu`.
    pub skew: Vec<F4>,
    /// M + w h S, then its factors.
    pub lu: TreeLu,
    links: Vec<Moved>,
    /// ṡ of each dof.
    rates: Vec<Twist>,
    path: Vec<PathBlock<COLUMN>>,
    /// The dof whose column is in the path at each depth.
    filled: Vec<usize>,
}

impl System {
    pub fn new(t: &Topology, tree: &Tree) -> System {
        let dofs = &t.dofs[tree.first_dof..tree.end_dof];
        let depth = padded(dofs.iter().map(|d| d.depth + 1).max().unwrap_or(0));
        let mut lu = TreeLu::of(t, tree.first_dof..tree.end_dof);
        System {
            acc: vec![0.0; dofs.len()],
            skew: F4::zeros(lu.packed_mut()[0].len()),
            lu,
            links: vec![Moved::at_rest(); tree.end_link - tree.first_link],
            rates: vec![Twist::ZERO; dofs.len()],
            path: vec![[F4::ZERO; COLUMN]; depth / LANES],
            filled: vec![WORLD; depth],
        }
    }
}

#[inline(always)]
fn fill_kernel(
    of: &mut System,
    t: &Topology,
    kin: &Kinematics,
    (own_links, own_dofs): (&Range<usize>, &Range<usize>),
    [is_free, is_limb]: [&[bool]; 2],
    armature: &[f64],
    scale: f64,
) {
    let (links, dofs) = (&t.links[own_links.clone()], &t.dofs[own_dofs.clone()]);
    let (start, first, n) = (own_links.start, own_dofs.start, own_dofs.len());
    let s = &kin.s[own_dofs.clone()];
    let (is_free, is_limb, armature) = (&is_free[..n], &is_limb[..n], &armature[..n]);
    let (moved, rates) = (&mut of.links[..links.len()], &mut of.rates[..n]);
    move_alone(moved, rates, t, kin, (own_links, own_dofs));
    let (path, filled) = (&mut of.path[..], &mut of.filled[..]);
    filled.fill(WORLD);
    let half = 0.5 * scale;
    let [above, below] = of.lu.packed_mut();
    for (k, dof) in dofs.iter().enumerate().rev() {
        let mut a = k + first;
        while a != WORLD && filled[t.dofs[a].depth] != a {
            let (own, depth) = (a - first, t.dofs[a].depth);
            filled[depth] = a;
            // A dof with a prescribed velocity has no row and no column.
            let (column, rate) = match is_free[own] {
                true => (s[own], rates[own]),
                false => (Twist::ZERO, Twist::ZERO),
            };
            set_path(path, depth, 0, column.to_array());
            set_path(path, depth, 6, rate.to_array());
            let limb = f64::from(u8::from(is_limb[own]));
            path[depth / LANES][12].0[depth % LANES] = limb;
            a = t.dofs[a].parent;
        }
        let link = dof.link - start;
        let own = moved[link];
        let (row, blocks) = ((dof.row - dofs[0].row) / LANES, dof.depth / LANES + 1);
        let (above, below) = (&mut above[row..row + blocks], &mut below[row..row + blocks]);
        let skew = &mut of.skew[row..row + blocks];
        if is_free[k] {
            of.acc[k] = -s[k].dot(own.force);
            let force = own.inertia.mul(s[k]);
            let f = force.to_array().map(F4::splat);
            // Only limbs are between two limbs of a path.
            let whirls = is_limb[k] && dof.parent != WORLD && is_limb[dof.parent - first];
            let w = own.inertia.mul(rates[k]) + s[k].cross_wrench(own.momentum);
            let w = w.to_array().map(F4::splat);
            for (b, p) in path[..blocks].iter().enumerate() {
                let mass = times(p, 0, &f);
                let turned = match whirls {
                    true => (times(p, 0, &w) - times(p, 6, &f)) * (p[12] * half),
                    false => F4::ZERO,
                };
                (skew[b], above[b], below[b]) = (turned, mass + turned, mass - turned);
            }
            F4::flat_mut(above)[dof.depth] = s[k].dot(force) + armature[k];
        } else {
            of.acc[k] = 0.0;
            for rows in [&mut *above, below, skew] {
                rows.fill(F4::ZERO);
            }
            F4::flat_mut(above)[dof.depth] = 1.0;
        }
        let l = &links[link];
        if k + first == l.iv && l.parent != WORLD {
            moved[l.parent - start].carry(&own);
        }
    }
}

/// The products of six numbers of each dof in the block, from the given one, with those of a row.
#[inline(always)]
fn times(block: &PathBlock<COLUMN>, first: usize, x: &[F4; 6]) -> F4 {
    let p = &block[first..first + 6];
    p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + (p[3] * x[3] + p[4] * x[4] + p[5] * x[5])
}

dispatch! {
    /// Fills −b, w h S and M + w h S of the tree with these links and dofs.
    pub(super) fn fill = fill_kernel(
        of: &mut System, t: &Topology, kin: &Kinematics, places: (&Range<usize>, &Range<usize>), flags: [&[bool]; 2],
        armature: &[f64], scale: f64,
    )
}
