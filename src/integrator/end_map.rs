//! The derivative of the map to (q⁺, v⁺) for schemes with δq⁺ = B_q δq + h B_w δv̂, δv⁺ = T δv̂. The
//! matrices have blocks for the links with a quaternion. For other links ⊕ is addition, and each block
//! is 1.

use super::{By, End, Start, Tangent};
use crate::dynamics::coupling::Columns;
use crate::joint::{IntegrateBlocks, LinkMatrix, block_mul, block_tr_mul};
use crate::linalg::{dispatch, within};
use crate::model::Model;
use crate::model::topology::{Link, Topology};

/// B_q and B_w, and T of free links.
#[derive(Debug, Default)]
pub struct EndMap {
    blocks: Vec<IntegrateBlocks>,
    turns: Vec<LinkMatrix>,
}

impl EndMap {
    /// Memory is only allocated with `derivatives`.
    pub fn new(model: &Model, derivatives: bool) -> EndMap {
        let room = |n: usize| if derivatives { n } else { 0 };
        EndMap {
            blocks: Vec::with_capacity(room(model.topology().wide_links().count())),
            turns: Vec::with_capacity(room(model.free_links().count())),
        }
    }

    /// Sets the blocks of each wide link in order: B_q and B_w, and T if it is not 1. Either all free
    /// links have T or none.
    pub fn fill(
        &mut self,
        t: &Topology,
        mut of: impl FnMut(&Link) -> (IntegrateBlocks, Option<LinkMatrix>),
    ) {
        self.blocks.clear();
        self.turns.clear();
        for l in t.wide_links() {
            let (block, turn) = of(l);
            self.blocks.push(block);
            self.turns.extend(turn);
        }
    }

    pub fn is_within(&self, bound: f64) -> bool {
        let small = |m: &LinkMatrix| {
            m.iter()
                .all(|m| m.c.iter().all(|c| within(bound, &c.to_array())))
        };
        self.blocks.iter().all(|b| small(&b.by_q) && small(&b.by_w)) && self.turns.iter().all(small)
    }

    /// h B_w v̂ and T v̂ of columns, plus B_q for columns by positions.
    pub fn columns(
        &self,
        at: &Start<'_>,
        by: By,
        which: Columns<'_>,
        v_end: &[f64],
        q_next: Option<&mut [f64]>,
        v_next: Option<&mut [f64]>,
    ) {
        if let Some(out) = v_next {
            velocity_columns(at.model, &self.turns, which, v_end, out);
        }
        if let Some(out) = q_next {
            let (t, by_q) = (at.model.topology(), by == By::Positions);
            position_columns(t, &self.blocks, which, at.h, v_end, by_q, out);
        }
    }

    /// h B_w δv̂, plus B_q δq unless δq is empty; and T δv̂.
    pub fn direction(&self, at: &Start<'_>, dq: &[f64], dv_end: &[f64], next: End<'_>) {
        let t = at.model.topology();
        for (out, dv) in next.q.iter_mut().zip(dv_end) {
            *out = at.h * dv;
        }
        for (b, l) in self.blocks.iter().zip(t.wide_links()) {
            block_mul(&b.by_w, &mut next.q[l.iv..l.iv + l.kind.nv()]);
        }
        if !dq.is_empty() {
            // δv⁺ is not computed yet: use its memory.
            next.v.copy_from_slice(dq);
            for (b, l) in self.blocks.iter().zip(t.wide_links()) {
                block_mul(&b.by_q, &mut next.v[l.iv..l.iv + l.kind.nv()]);
            }
            for (out, x) in next.q.iter_mut().zip(&*next.v) {
                *out += x;
            }
        }
        next.v.copy_from_slice(dv_end);
        for (turn, l) in self.turns.iter().zip(at.model.free_links()) {
            block_mul(turn, &mut next.v[l.iv..l.iv + 6]);
        }
    }

    /// x ← B_w x.
    pub fn displace(&self, t: &Topology, x: &mut [f64]) {
        for (b, l) in self.blocks.iter().zip(t.wide_links()) {
            block_mul(&b.by_w, &mut x[l.iv..l.iv + l.kind.nv()]);
        }
    }

    /// x ← B_wᵀ x.
    pub fn displace_transposed(&self, t: &Topology, x: &mut [f64]) {
        for (b, l) in self.blocks.iter().zip(t.wide_links()) {
            block_tr_mul(&b.by_w, &mut x[l.iv..l.iv + l.kind.nv()]);
        }
    }

    /// `out` += `scale` B_w x.
    pub fn add_displacement(&self, t: &Topology, scale: f64, x: &[f64], out: &mut [f64]) {
        self.add_displaced(t, scale, x, out, block_mul);
    }

    /// `out` += `scale` B_wᵀ x.
    pub fn add_displacement_adjoint(&self, t: &Topology, scale: f64, x: &[f64], out: &mut [f64]) {
        self.add_displaced(t, scale, x, out, block_tr_mul);
    }

    fn add_displaced(
        &self,
        t: &Topology,
        scale: f64,
        x: &[f64],
        out: &mut [f64],
        multiply: fn(&LinkMatrix, &mut [f64]),
    ) {
        let mut add = |from: usize, x: &[f64]| {
            for (out, x) in out[from..].iter_mut().zip(x) {
                *out += scale * x;
            }
        };
        let mut from = 0;
        for (b, l) in self.blocks.iter().zip(t.wide_links()) {
            let mut own = [0.0; 6];
            let own = &mut own[..l.kind.nv()];
            own.copy_from_slice(&x[l.dofs()]);
            multiply(&b.by_w, own);
            add(from, &x[from..l.iv]);
            add(l.iv, own);
            from = l.iv + l.kind.nv();
        }
        add(from, &x[from..]);
    }

    /// Adds `scale` B_w to the columns by all dofs.
    pub fn add_displacement_columns(
        &self,
        t: &Topology,
        which: Columns<'_>,
        scale: f64,
        out: &mut [f64],
    ) {
        let added = t.links.iter().filter(|l| l.kind.quaternion().is_none());
        for k in added.flat_map(Link::dofs) {
            out[which.index(k, k)] += scale;
        }
        for (b, l) in self.blocks.iter().zip(t.wide_links()) {
            let size = l.kind.nv();
            for k in 0..size {
                let mut e = [0.0; 6];
                e[k] = scale;
                block_mul(&b.by_w, &mut e[..size]);
                let own = &mut out[which.index(l.iv + k, l.iv)..][..size];
                for (o, x) in own.iter_mut().zip(e) {
                    *o += x;
                }
            }
        }
    }

    /// z = h B_wᵀ q̄⁺ + Tᵀ v̄⁺.
    pub fn adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        z.copy_from_slice(next.q);
        for (b, l) in self.blocks.iter().zip(at.model.topology().wide_links()) {
            block_tr_mul(&b.by_w, &mut z[l.iv..l.iv + l.kind.nv()]);
        }
        let mut from = 0;
        for (turn, l) in self.turns.iter().zip(at.model.free_links()) {
            let mut own = [0.0; 6];
            own.copy_from_slice(&next.v[l.dofs()]);
            block_tr_mul(turn, &mut own);
            scale_and_add(at.h, &mut z[from..l.iv], &next.v[from..]);
            scale_and_add(at.h, &mut z[l.dofs()], &own);
            from = l.iv + 6;
        }
        scale_and_add(at.h, &mut z[from..], &next.v[from..]);
    }

    /// B_qᵀ q̄⁺.
    pub fn position_adjoint(&self, at: &Start<'_>, q_bar: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q_bar);
        for (b, l) in self.blocks.iter().zip(at.model.topology().wide_links()) {
            block_tr_mul(&b.by_q, &mut out[l.iv..l.iv + l.kind.nv()]);
        }
    }
}

#[inline(always)]
fn scale_and_add(h: f64, out: &mut [f64], x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out = h * *out + x;
    }
}

#[inline(always)]
fn velocity_columns_kernel(
    model: &Model,
    turns: &[LinkMatrix],
    which: Columns<'_>,
    v_end: &[f64],
    out: &mut [f64],
) {
    which.write(1.0, v_end, out);
    for (turn, l) in turns.iter().zip(model.free_links()) {
        which.multiply(turn, l, out);
    }
}

dispatch! {
    fn velocity_columns = velocity_columns_kernel(
        model: &Model, turns: &[LinkMatrix], which: Columns<'_>, v_end: &[f64], out: &mut [f64],
    )
}

#[inline(always)]
fn position_columns_kernel(
    t: &Topology,
    blocks: &[IntegrateBlocks],
    which: Columns<'_>,
    h: f64,
    v_end: &[f64],
    by_q: bool,
    out: &mut [f64],
) {
    which.write(h, v_end, out);
    for (b, l) in blocks.iter().zip(t.wide_links()) {
        which.multiply(&b.by_w, l, out);
    }
    if !by_q {
        return;
    }
    let added = t.links.iter().filter(|l| l.kind.quaternion().is_none());
    for k in added.flat_map(Link::dofs) {
        out[which.index(k, k)] += 1.0;
    }
    for (b, l) in blocks.iter().zip(t.wide_links()) {
        let size = l.kind.nv();
        for k in 0..size {
            let mut e = [0.0; 6];
            e[k] = 1.0;
            block_mul(&b.by_q, &mut e[..size]);
            let own = &mut out[which.index(l.iv + k, l.iv)..][..size];
            for (o, x) in own.iter_mut().zip(e) {
                *o += x;
            }
        }
    }
}

dispatch! {
    fn position_columns = position_columns_kernel(
        t: &Topology, blocks: &[IntegrateBlocks], which: Columns<'_>, h: f64, v_end: &[f64], by_q: bool,
        out: &mut [f64],
    )
}
