//! Derivatives of inverse dynamics by q and v, and M, in one sweep over the tree.
//!
//! With ξ_j = S_j the displacement of dof j, its effect on the subtree of j has two parts: a rigid
//! motion of the subtree, and a change of the velocity and acceleration with which the subtree is
//! carried. In world axes, with v_p, a_p of the parent link and v_b of the own link:
//!
//! - η_j = v_p × S_j,  α_j = a_p × S_j + v_p × η_j,  β_j = (v_b + v_p) × S_j
//! - i above j:  ∂τ_i/∂q_j = S_iᵀ (S_j ×* f + I α_j + 2B η_j),  ∂τ_i/∂v_j = S_iᵀ (I β_j + 2B S_j)
//! - i below j:  ∂τ_i/∂q_j = S_iᵀ (I α_j + 2B η_j),             ∂τ_i/∂v_j = S_iᵀ (I β_j + 2B S_j)
//!
//! where f, I, 2B are those of the subtree of the lower of the two. For any displacement u of a body
//! that moves with v, 2B u is the sum of v ×* I u, u ×* I v and −I (v × u). This is the scheme of Singh,
//! Russo & Wensing (RA-L 2022). Per pair of dofs it costs a few dot products of six numbers. For a rigid
//! body 2B has twelve numbers: with momentum (h_l; h_a) and the rate İ of the rotational inertia, 2B
//! (u_l; u_w) = (2 u_w × h_l; İ u_w − h_a × u_w).

use super::external::LinkStiffness;
use super::kinematics::Kinematics;
use super::mass::{BranchMatrix, PathBlock, set_path};
use super::rnea::{Rnea, world_acceleration};
pub use super::varying::Carried;
use super::varying::{for_forces, gained};
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::{LANES, Topology, WORLD};
use crate::spatial::{Inertia, Mat3, Sym3, Twist, Vec3, Wrench};

/// The sums over the subtree of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Composite {
    pub inertia: Inertia,
    pub momentum: Wrench,
    /// Rate of change of the rotational inertia about the tree's origin.
    pub inertia_rate: Sym3,
}

impl Composite {
    #[inline(always)]
    pub fn of(inertia: &Inertia, v: Twist) -> Self {
        let w = v.ang;
        let i = inertia.i.to_mat3();
        let p = Mat3::from_columns(w.cross(i.c[0]), w.cross(i.c[1]), w.cross(i.c[2]));
        let (h, u) = (inertia.h, v.lin);
        let d = 2.0 * h.dot(u);
        let sym = |r: usize, c: usize| p.at(r, c) + p.at(c, r) - h[r] * u[c] - h[c] * u[r];
        Composite {
            inertia: *inertia,
            momentum: inertia.mul(v),
            inertia_rate: Sym3::new(
                sym(0, 0) + d,
                sym(0, 1),
                sym(1, 1) + d,
                sym(0, 2),
                sym(1, 2),
                sym(2, 2) + d,
            ),
        }
    }

    #[inline(always)]
    pub fn add(&mut self, o: &Composite) {
        self.inertia += o.inertia;
        self.momentum += o.momentum;
        self.inertia_rate += o.inertia_rate;
    }

    /// 2B u.
    #[inline(always)]
    pub fn two_b(&self, u: Twist) -> Wrench {
        let h = self.momentum;
        Wrench::new(
            u.ang.cross(h.lin) * 2.0,
            self.inertia_rate.mul_vec(u.ang) - h.ang.cross(u.ang),
        )
    }

    /// The angular part of sᵀ 2B; the linear part is zero.
    #[inline(always)]
    pub fn two_b_row(&self, s: Twist) -> Vec3 {
        let h = self.momentum;
        h.lin.cross(s.lin) * 2.0 + self.inertia_rate.mul_vec(s.ang) + h.ang.cross(s.ang)
    }
}

/// [`Composite::two_b_row`] of a single body that moves with `v` and has the momentum I v, from İ s =
/// ω × I s − I (ω × s) + 2(h·u) s − (u·s) h − (h·s) u, with u the linear part of `v` and h the first
/// moment.
#[inline(always)]
pub(super) fn two_b_row(inertia: &Inertia, v: Twist, momentum: Wrench, s: Twist) -> Vec3 {
    let (i, h) = (&inertia.i, inertia.h);
    let (u, w, s_ang) = (v.lin, v.ang, s.ang);
    let rate = w.cross(i.mul_vec(s_ang)) - i.mul_vec(w.cross(s_ang)) + s_ang * (2.0 * h.dot(u))
        - h * u.dot(s_ang)
        - u * h.dot(s_ang);
    momentum.lin.cross(s.lin) * 2.0 + rate + momentum.ang.cross(s_ang)
}

/// The axes in which the linear velocity of a free joint is constant at zero acceleration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeAxes {
    /// The body's own axes, as in inverse dynamics.
    Body,
    /// The world's axes, for a point of the body. A change of v by e then changes the acceleration by
    /// δ(ω × v), whose force is subtracted from ∂τ/∂v. It is S_i I (S δ(ω × v)), so it is subtracted
    /// from β.
    World,
}

/// Derivatives of inverse dynamics, branch-packed: for a dof k and its ancestor at depth d. For a deep
/// tree there are only the sums over subtrees, from [`subtrees`].
#[derive(Clone, Debug)]
pub struct RneaDerivatives {
    /// ∂τ_d/∂q_k and ∂τ_d/∂v_k: the ancestor's force by the dof.
    pub above_q: Vec<F4>,
    pub above_v: Vec<F4>,
    /// ∂τ_k/∂q_d and ∂τ_k/∂v_d: the dof's force by the ancestor.
    pub below_q: Vec<F4>,
    pub below_v: Vec<F4>,
    /// Per link: the sums over its subtree.
    pub composite: Vec<Composite>,
    /// Per link: stiffness of the loads on it; after [`rnea_derivatives`] of those on its subtree.
    pub stiffness: LinkStiffness,
    /// Per dof: η, α, β.
    pub carried: Vec<Carried>,
    /// Per free link, along its axes: the point whose velocity is constant with [`FreeAxes::World`].
    pub centres: Vec<Vec3>,
    path: Vec<PathBlock<24>>,
    filled: Vec<usize>,
}

impl RneaDerivatives {
    pub fn new(model: &Model) -> Self {
        let t = model.topology();
        let packed = || F4::zeros(t.packed / LANES);
        RneaDerivatives {
            above_q: packed(),
            above_v: packed(),
            below_q: packed(),
            below_v: packed(),
            composite: vec![Composite::default(); t.links.len()],
            stiffness: LinkStiffness::new(t.links.len()),
            carried: vec![Carried::default(); t.nv()],
            centres: vec![Vec3::ZERO; model.free_links().count()],
            path: vec![[F4::ZERO; 24]; t.max_depth / LANES],
            filled: vec![WORLD; t.max_depth],
        }
    }

    /// Writes ∂τ/∂q and ∂τ/∂v as dense column-major nv×nv matrices.
    pub fn to_dense(&self, t: &Topology, dq: Option<&mut [f64]>, dv: Option<&mut [f64]>) {
        for (out, above, below) in [
            (dq, &self.above_q, &self.below_q),
            (dv, &self.above_v, &self.below_v),
        ] {
            if let Some(out) = out {
                unpack(t, F4::flat(above), F4::flat(below), out);
            }
        }
    }
}

/// Dense column-major matrix from the packed parts above and below the diagonal.
pub(super) fn unpack(t: &Topology, above: &[f64], below: &[f64], out: &mut [f64]) {
    let n = t.nv();
    out.fill(0.0);
    for (k, dof) in t.dofs.iter().enumerate() {
        let mut a = k;
        for d in (0..=dof.depth).rev() {
            out[k * n + a] = above[dof.row + d];
            out[a * n + k] = below[dof.row + d];
            a = t.dofs[a].parent;
        }
    }
}

#[inline(always)]
fn dot6(p: &[F4], f: &[F4; 6]) -> F4 {
    p[0] * f[0] + p[1] * f[1] + p[2] * f[2] + (p[3] * f[3] + p[4] * f[4] + p[5] * f[5])
}

#[inline(always)]
fn dot3(p: &[F4], f: &[F4; 3]) -> F4 {
    p[0] * f[0] + p[1] * f[1] + p[2] * f[2]
}

/// The sums over the subtree of each link. `kin` must hold positions, velocities and inertias.
pub fn gather(composite: &mut [Composite], kin: &Kinematics, t: &Topology) {
    for (i, c) in composite.iter_mut().enumerate() {
        *c = Composite::of(&kin.inertia[i], kin.v[i]);
    }
    for (i, l) in t.links.iter().enumerate().rev() {
        if l.parent != WORLD {
            let own = composite[i];
            composite[l.parent].add(&own);
        }
    }
}

/// Fills [`RneaDerivatives::composite`] and sums its stiffness as [`rnea_derivatives`] does, without the
/// matrices.
pub fn subtrees(w: &mut RneaDerivatives, kin: &Kinematics, t: &Topology) {
    gather(&mut w.composite, kin, t);
    for (i, l) in t.links.iter().enumerate().rev() {
        if l.parent != WORLD {
            w.stiffness.pass_on(i, l.parent);
        }
    }
}

#[inline(always)]
fn rnea_derivatives_kernel(
    w: &mut RneaDerivatives,
    kin: &Kinematics,
    rnea: &Rnea,
    model: &Model,
    params: &Params,
    axes: FreeAxes,
    mut m: Option<&mut BranchMatrix>,
) {
    let t = model.topology();
    let world = world_acceleration(params);
    // All slices have the same length, so that one bounds check serves all.
    let (links, dofs) = (&t.links[..], &t.dofs[..]);
    let (n, nv) = (links.len(), dofs.len());
    let (v, a_of, f_of) = (&kin.v[..n], &rnea.a[..n], &rnea.f[..n]);
    let (s_of, carried) = (&kin.s[..nv], &mut w.carried[..nv]);
    let composite = &mut w.composite[..n];
    for (i, l) in links.iter().enumerate() {
        composite[i] = Composite::of(&kin.inertia[i], v[i]);
        let (vp, ap) = if l.parent == WORLD {
            (Twist::ZERO, world)
        } else {
            (v[l.parent], a_of[l.parent])
        };
        for k in l.dofs() {
            carried[k] = Carried::of(s_of[k], vp, v[i], ap);
        }
    }
    for (index, link) in t.varying.iter().enumerate() {
        let own = &mut carried[links[link.link].dofs()];
        for (own, gained) in own
            .iter_mut()
            .zip(gained(kin, &rnea.varying[index], t, index))
        {
            *own += gained;
        }
    }
    if axes == FreeAxes::World {
        for (l, c) in model.free_links().zip(&w.centres) {
            let i = t.dofs[l.iv].link;
            let vp = match l.parent {
                WORLD => Twist::ZERO,
                p => kin.v[p],
            };
            let own = kin.v[i] - vp;
            let centre = kin.pos[i] + kin.rot[i].mul_vec(*c);
            let linear = own.at(centre);
            for k in l.dofs() {
                let s = kin.s[k];
                let turned = own.ang.cross(s.at(centre)) + s.ang.cross(linear);
                carried[k].beta.lin -= turned;
            }
        }
    }
    let (path, filled) = (&mut w.path[..], &mut w.filled[..]);
    filled.fill(WORLD);
    for (k, dof) in dofs.iter().enumerate().rev() {
        let mut a = k;
        while a != WORLD && filled[dofs[a].depth] != a {
            let depth = dofs[a].depth;
            filled[depth] = a;
            let c = &carried[a];
            set_path(path, depth, 0, s_of[a].to_array());
            set_path(path, depth, 6, c.eta.to_array());
            set_path(path, depth, 12, c.alpha.to_array());
            set_path(path, depth, 18, c.beta.to_array());
            a = dofs[a].parent;
        }
        let i = dof.link;
        let l = &links[i];
        let (s, carried) = (s_of[k], carried[k]);
        let c = &composite[i];
        let force = c.inertia.mul(s);
        let row = c.two_b_row(s);
        let mut by_q = c.inertia.mul(carried.alpha) + c.two_b(carried.eta);
        let by_v = c.inertia.mul(carried.beta) + c.two_b(s);
        let load = w.stiffness.get(i);
        if let Some(e) = load {
            by_q += e.mul(s);
        }
        let turned = s.cross_wrench(f_of[i]);
        let up = (by_q + turned).to_array().map(F4::splat);
        let uv = by_v.to_array().map(F4::splat);
        let f = force.to_array().map(F4::splat);
        let g = row.to_array().map(F4::splat);
        let (first, blocks) = (dof.row / LANES, dof.depth / LANES + 1);
        let above = &path[..blocks];
        if let Some(m) = &mut m {
            for (x, p) in m.rows[first..][..blocks].iter_mut().zip(above) {
                *x = dot6(&p[0..6], &f);
            }
        }
        let above_q = &mut w.above_q[first..][..blocks];
        let above_v = &mut w.above_v[first..][..blocks];
        let below_q = &mut w.below_q[first..][..blocks];
        let below_v = &mut w.below_v[first..][..blocks];
        for (b, p) in above.iter().enumerate() {
            above_q[b] = dot6(&p[0..6], &up);
            above_v[b] = dot6(&p[0..6], &uv);
            below_q[b] = dot6(&p[12..18], &f) + dot3(&p[9..12], &g);
            below_v[b] = dot6(&p[18..24], &f) + dot3(&p[3..6], &g);
        }
        if let Some(e) = load {
            let e = e.tr_mul(s).to_array().map(F4::splat);
            for (x, p) in below_q.iter_mut().zip(above) {
                *x += dot6(&p[0..6], &e);
            }
        }
        if l.nv > 1 {
            // Dofs of one joint move the same body, so that none of them turns the forces of the others.
            let above = F4::flat_mut(above_q);
            for j in l.iv..k {
                above[dofs[j].depth] -= s_of[j].dot(turned);
            }
        }
        if k == l.iv && l.parent != WORLD {
            let own = composite[i];
            composite[l.parent].add(&own);
            w.stiffness.pass_on(i, l.parent);
        }
    }
    for_forces(kin, rnea, t, |row, column, x| {
        // The entry is stored with the lower dof of the two.
        let at = t.dofs[row.max(column)].row + t.dofs[row.min(column)].depth;
        if row <= column {
            F4::flat_mut(&mut w.above_q)[at] += x;
        }
        if row >= column {
            F4::flat_mut(&mut w.below_q)[at] += x;
        }
    });
}

dispatch! {
    /// Computes the derivatives of inverse dynamics by q and v, and M (without armature) if requested.
    ///
    /// `kin` must hold positions, velocities and inertias, `rnea` the recursion at the acceleration in
    /// question, and `w` the stiffness of the links' loads.
    pub fn rnea_derivatives = rnea_derivatives_kernel(
        w: &mut RneaDerivatives, kin: &Kinematics, rnea: &Rnea, model: &Model, params: &Params,
        axes: FreeAxes, m: Option<&mut BranchMatrix>,
    )
}
