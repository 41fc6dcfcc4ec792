//! The matrix of an implicit stage alone, where nothing else is asked of the derivatives of inverse dynamics.
//!
//! A unit of an unknown c of a link brings accelerations, velocities and displacements of its dofs, and with these
//! X̂ = (U, V, A) of the link and all that hangs on it, as in [`link_terms`](super::link_terms). With I, 2B, E and f those of
//! the subtree of the lower of the two dofs, in the notation of [`rnea_derivatives`](super::rnea_derivatives),
//!
//! - row i above c:  S_iᵀ (I A + 2B V + E U + U ×* f)
//! - row i below c:  S_iᵀ (I A + 2B V + E U)
//!
//! which is M a + D v + Q q in one product instead of three.

use super::external::{External, LinkStiffness};
use super::general_articulation::ByUnknown;
use super::kinematics::Kinematics;
use super::mass::{PathBlock, set_path};
use super::rnea::{Rnea, world_acceleration};
use super::rnea_derivatives::{Composite, dot3, dot6};
use super::tree_lu::TreeLu;
use super::varying::{Carried, for_forces, gained};
use crate::joint::MAX_DOFS;
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{LANES, Link, Topology, WORLD};
use crate::spatial::Twist;

/// Sized at creation.
#[derive(Clone, Debug)]
pub struct StageMatrix {
    /// Per link, of its subtree.
    composite: Vec<Composite>,
    stiffness: LinkStiffness,
    /// Per dof, and U, V and A of an unknown.
    carried: Vec<Carried>,
    moved: Vec<[Twist; 3]>,
    /// S, A, V and U of a path, and whose stand at each depth.
    path: Vec<PathBlock<24>>,
    filled: Vec<usize>,
}

impl StageMatrix {
    pub fn new(t: &Topology) -> StageMatrix {
        StageMatrix {
            composite: vec![Composite::default(); t.links.len()],
            stiffness: LinkStiffness::new(t.links.len()),
            carried: vec![Carried::default(); t.nv()],
            moved: vec![[Twist::ZERO; 3]; t.nv()],
            path: vec![[F4::ZERO; 24]; t.max_depth / LANES],
            filled: vec![WORLD; t.max_depth],
        }
    }

    #[inline(always)]
    fn take(
        &mut self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        rnea: &Rnea,
        plain: [f64; 3],
        of: &mut dyn FnMut(&Link, &mut ByUnknown),
    ) {
        let t = model.topology();
        let world = world_acceleration(params);
        for (i, l) in t.links.iter().enumerate() {
            self.composite[i] = Composite::of(&kin.inertia[i], kin.v[i]);
            let (vp, ap) = match l.parent {
                WORLD => (Twist::ZERO, world),
                p => (kin.v[p], rnea.a[p]),
            };
            for k in l.dofs() {
                self.carried[k] = Carried::of(kin.s[k], vp, kin.v[i], ap);
            }
        }
        for (index, link) in t.varying.iter().enumerate() {
            let own = &mut self.carried[t.links[link.link].dofs()];
            let gains = gained(kin, &rnea.varying[index], t, index);
            own.iter_mut().zip(gains).for_each(|(own, x)| *own += x);
        }
        let [a, v, q] = plain;
        for (k, moved) in self.moved.iter_mut().enumerate() {
            let (s, c) = (kin.s[k], &self.carried[k]);
            *moved = [s * q, s * v + c.eta * q, s * a + c.beta * v + c.alpha * q];
        }
        let mut by = [[[0.0; MAX_DOFS]; 3]; MAX_DOFS];
        for l in t.wide_links() {
            of(l, &mut by);
            for (unknown, [a, v, q]) in l.dofs().zip(&by) {
                let mut sum = [Twist::ZERO; 3];
                for (j, k) in l.dofs().enumerate() {
                    let (s, c) = (kin.s[k], &self.carried[k]);
                    sum[0] += s * q[j];
                    sum[1] += s * v[j] + c.eta * q[j];
                    sum[2] += s * a[j] + c.beta * v[j] + c.alpha * q[j];
                }
                self.moved[unknown] = sum;
            }
        }
    }

    #[inline(always)]
    fn fill_kernel(
        &mut self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        rnea: &Rnea,
        external: &External,
        plain: [f64; 3],
        of: &mut dyn FnMut(&Link, &mut ByUnknown),
        out: &mut TreeLu,
    ) {
        let t = model.topology();
        self.take(model, params, kin, rnea, plain, of);
        self.stiffness.set(external);
        let is_loaded = external.turns;
        self.filled.fill(WORLD);
        for k in (0..t.nv()).rev() {
            let dof = &t.dofs[k];
            let mut a = k;
            while a != WORLD && self.filled[t.dofs[a].depth] != a {
                let (depth, [u, v, acc]) = (t.dofs[a].depth, self.moved[a]);
                self.filled[depth] = a;
                set_path(&mut self.path, depth, 0, kin.s[a].to_array());
                set_path(&mut self.path, depth, 6, acc.to_array());
                set_path(&mut self.path, depth, 12, v.to_array());
                if is_loaded {
                    set_path(&mut self.path, depth, 18, u.to_array());
                }
                a = t.dofs[a].parent;
            }
            let i = dof.link;
            let l = &t.links[i];
            let (s, c, [u, v, acc]) = (kin.s[k], &self.composite[i], self.moved[k]);
            let mut asked = c.inertia.mul(acc) + c.two_b(v);
            let load = self.stiffness.get(i);
            if let Some(e) = load {
                asked += e.mul(u);
            }
            let turned = u.cross_wrench(rnea.f[i]);
            let up = (asked + turned).to_array().map(F4::splat);
            let force = c.inertia.mul(s).to_array().map(F4::splat);
            let row = c.two_b_row(s).to_array().map(F4::splat);
            let path = &self.path[..=dof.depth / LANES];
            let [above, below] = out.row_mut(t, k);
            let rows = above.chunks_mut(LANES).zip(below.chunks_mut(LANES));
            for ((above, below), p) in rows.zip(path) {
                let x = dot6(&p[0..6], &up);
                let y = dot6(&p[6..12], &force) + dot3(&p[15..18], &row);
                above.copy_from_slice(&x.0[..above.len()]);
                below.copy_from_slice(&y.0[..below.len()]);
            }
            if let Some(e) = load {
                let e = e.tr_mul(s).to_array().map(F4::splat);
                for (below, p) in below.chunks_mut(LANES).zip(path) {
                    let x = dot6(&p[18..24], &e);
                    below.iter_mut().zip(x.0).for_each(|(below, x)| *below += x);
                }
            }
            if l.nv > 1 {
                // Dofs of one joint move the same body: none of them turns the others' forces.
                for j in l.iv..=k {
                    above[t.dofs[j].depth] -= kin.s[j].dot(turned);
                }
            }
            if k == l.iv && l.parent != WORLD {
                let own = self.composite[i];
                self.composite[l.parent].add(&own);
                self.stiffness.pass_on(i, l.parent);
            }
        }
        let [a, _, q] = plain;
        for (k, rotor) in params.armature.iter().enumerate() {
            out.add(t, k, k, rotor * a);
        }
        for_forces(kin, rnea, t, |row, column, x| {
            out.add(t, row, column, x * q);
        });
        let mut by = [[[0.0; MAX_DOFS]; 3]; MAX_DOFS];
        for l in t.wide_links() {
            of(l, &mut by);
            for (row, rotor) in l.dofs().zip(&params.armature[l.dofs()]) {
                out.add(t, row, row, -rotor * a);
                for (column, by) in l.dofs().zip(&by) {
                    out.add(t, row, column, rotor * by[0][row - l.iv]);
                }
            }
        }
    }
}

dispatch! {
    /// Writes M a + D v + Q q over the paths of a tree, with a, v and q `plain` multiples of the unknown of each dof, of links with
    /// a quaternion `of` their unknowns: the first of each in n × 3 × n entries.
    ///
    /// `kin` and `rnea` must hold inverse dynamics at the state and acceleration in question.
    pub fn fill_stage_matrix = StageMatrix::fill_kernel(
        w: &mut StageMatrix, model: &Model, params: &Params, kin: &Kinematics, rnea: &Rnea,
        external: &External, plain: [f64; 3], of: &mut dyn FnMut(&Link, &mut ByUnknown),
        out: &mut TreeLu,
    )
}
