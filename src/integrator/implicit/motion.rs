//! The state that a stage's unknown leads to, and its derivatives. They are computed link by link,
//! because links with a quaternion do not couple.

use crate::joint::{
    IntegrateBlocks, LinkKind, LinkMatrix, adjoint, block_mul_columns, block_tr_mul_columns,
    free_pose,
};
use crate::linalg::{add_scaled, within};
use crate::model::Model;
use crate::model::topology::{Link, Topology};
use crate::spatial::{Mat3, Pose, Twist, Vec3, so3_exp, so3_right_jacobian};

/// A displacement, a velocity and an acceleration, nv entries each.
#[derive(Clone, Copy)]
pub struct Tangents<'a> {
    pub xi: &'a [f64],
    pub x: &'a [f64],
    pub rate: &'a [f64],
}

/// The derivatives of the state of a stage. For dofs whose ⊕ is addition, the first three are one and
/// the others are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slope {
    /// ∂q'/∂q and ∂q'/∂ξ.
    PositionByStart,
    Position,
    /// ∂v'/∂x, which equals ∂a'/∂ẇ.
    Velocity,
    /// ∂v'/∂ξ, ∂a'/∂ξ and ∂a'/∂x.
    VelocityByPosition,
    AccelerationByPosition,
    AccelerationByVelocity,
}

const SLOPES: usize = 6;

impl Slope {
    /// Whether it is one if ⊕ is addition.
    fn is_one(self) -> bool {
        (self as usize) < Slope::VelocityByPosition as usize
    }
}

/// The derivatives of the state of a stage, for links with a quaternion.
#[derive(Clone, Debug)]
pub struct Motion {
    blocks: Vec<[LinkMatrix; SLOPES]>,
    /// Index of each link's blocks; beyond the end for other links.
    places: Vec<usize>,
}

const ZERO: LinkMatrix = [Mat3::ZERO; 3];
const ONE: LinkMatrix = [Mat3::IDENTITY, Mat3::ZERO, Mat3::IDENTITY];

fn put(to: &mut [f64], x: Vec3) {
    to[..3].copy_from_slice(&x.to_array());
}

/// Writes q ⊕ ξ. For free joints the linear part of ξ is along the axes at q.
pub fn arrive(model: &Model, q: &[f64], xi: &[f64], q_next: &mut [f64]) {
    model.integrate(q, xi, q_next);
    for l in model.free_links() {
        let moved = free_pose(&q[l.iq..]).point(Vec3::from_slice(&xi[l.iv..]));
        put(&mut q_next[l.iq..], moved);
    }
}

/// Applies Eᵀ to the linear parts of free joints: from the axes at q to those at q ⊕ ξ.
pub fn turn(model: &Model, xi: &[f64], x: &mut [f64]) {
    for l in model.free_links() {
        let e = so3_exp(Vec3::from_slice(&xi[l.iv + 3..]));
        let seen = e.tr_mul_vec(Vec3::from_slice(&x[l.iv..]));
        put(&mut x[l.iv..], seen);
    }
}

/// The adjoints of [`turn`]: adds the one by ξ to `xi_bar`, and replaces the adjoint of the result in
/// `x_bar` by the one by x. `turned` is the result.
pub fn turn_adjoint(
    model: &Model,
    xi: &[f64],
    turned: &[f64],
    xi_bar: &mut [f64],
    x_bar: &mut [f64],
) {
    for l in model.free_links() {
        let w = Vec3::from_slice(&xi[l.iv + 3..]);
        let bar = Vec3::from_slice(&x_bar[l.iv..]);
        // δ(Eᵀx) = Eᵀ δx + (Eᵀx) × Jᵣ δξ.
        let by_turn =
            so3_right_jacobian(w).tr_mul_vec(bar.cross(Vec3::from_slice(&turned[l.iv..])));
        for (to, x) in xi_bar[l.iv + 3..].iter_mut().zip(by_turn.to_array()) {
            *to += x;
        }
        put(&mut x_bar[l.iv..], so3_exp(w).mul_vec(bar));
    }
}

/// v' and a' of a stage.
pub fn velocities(model: &Model, at: Tangents<'_>, v: &mut [f64], a: &mut [f64]) {
    v.copy_from_slice(at.x);
    a.copy_from_slice(at.rate);
    turn(model, at.xi, v);
    turn(model, at.xi, a);
    for l in model.free_links() {
        let t = Twist::from_slice(&v[l.iv..]);
        let own = Vec3::from_slice(&a[l.iv..]) - t.ang.cross(t.lin);
        put(&mut a[l.iv..], own);
    }
}

/// The derivatives of a free link, in the order of [`Slope`]. `v` is v'.
fn of_free(at: Tangents<'_>, l: &Link, v: &[f64]) -> [LinkMatrix; SLOPES] {
    let [xi, rate, v] = [at.xi, at.rate, v].map(|x| Twist::from_slice(&x[l.iv..]));
    let (e, jac) = (so3_exp(xi.ang), so3_right_jacobian(xi.ang));
    let back = e.transpose();
    let turned = |x: Vec3| Mat3::skew(x).mul_mat(&jac);
    let by_turn = turned(v.lin);
    let spin = Mat3::skew(v.ang);
    let acceleration = turned(back.mul_vec(rate.lin)) - spin.mul_mat(&by_turn);
    let pose = Pose {
        rot: e,
        pos: xi.lin,
    };
    [
        adjoint(&pose.inverse()),
        [back, Mat3::ZERO, jac],
        [back, Mat3::ZERO, Mat3::IDENTITY],
        [Mat3::ZERO, by_turn, Mat3::ZERO],
        [Mat3::ZERO, acceleration, Mat3::ZERO],
        [spin.mul_mat(&back) * -1.0, Mat3::skew(v.lin), Mat3::ZERO],
    ]
}

fn of_spherical(xi: &[f64]) -> [LinkMatrix; SLOPES] {
    let IntegrateBlocks { by_q, by_w } = LinkKind::Spherical.integrate_blocks(xi);
    [by_q, by_w, ONE, ZERO, ZERO, ZERO]
}

impl Motion {
    pub fn new(model: &Model) -> Motion {
        let t = model.topology();
        let mut places = vec![usize::MAX; t.links.len()];
        for (k, l) in t.wide_links().enumerate() {
            places[t.dofs[l.iv].link] = k;
        }
        Motion {
            blocks: Vec::with_capacity(t.wide_links().count()),
            places,
        }
    }

    /// Computes the derivatives at a stage with velocity `v` (v').
    pub fn linearize(&mut self, t: &Topology, at: Tangents<'_>, v: &[f64]) {
        self.blocks.clear();
        let wide = t.wide_links().map(|l| match l.kind {
            LinkKind::Free => of_free(at, l, v),
            _ => of_spherical(&at.xi[l.dofs()]),
        });
        self.blocks.extend(wide);
    }

    /// Whether all derivatives are below `bound`. NaN is not.
    pub fn is_within(&self, bound: f64) -> bool {
        let mut columns = self.blocks.iter().flatten().flatten().flat_map(|m| m.c);
        columns.all(|c| within(bound, &c.to_array()))
    }

    /// Whether there are links with a quaternion.
    pub fn is_wide(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The links with a quaternion, with their derivatives.
    pub fn wide<'a>(
        &'a self,
        t: &'a Topology,
    ) -> impl Iterator<Item = (&'a Link, &'a [LinkMatrix])> {
        t.wide_links().zip(self.blocks.iter().map(|b| &b[..]))
    }

    /// The derivatives of a link; `None` if it has no quaternion.
    pub fn of_link(&self, link: usize) -> Option<&[LinkMatrix]> {
        self.blocks.get(self.places[link]).map(|b| &b[..])
    }

    /// `out` += `scale` times the derivative times x, nv entries each.
    pub fn add(&self, t: &Topology, slope: Slope, scale: f64, x: &[f64], out: &mut [f64]) {
        let (x, out) = (x.as_chunks().0, out.as_chunks_mut().0);
        self.add_columns::<1>(t, slope, scale, x, out);
    }

    /// The same for W columns, row by row.
    #[inline(always)]
    pub fn add_columns<const W: usize>(
        &self,
        t: &Topology,
        slope: Slope,
        scale: f64,
        x: &[[f64; W]],
        out: &mut [[f64; W]],
    ) {
        self.add_by(t, slope, scale, x, out, block_mul_columns);
    }

    /// The same with the transpose of the derivative.
    pub fn add_transposed(
        &self,
        t: &Topology,
        slope: Slope,
        scale: f64,
        x: &[f64],
        out: &mut [f64],
    ) {
        let (x, out) = (x.as_chunks().0, out.as_chunks_mut().0);
        self.add_transposed_columns::<1>(t, slope, scale, x, out);
    }

    /// The same for W columns, row by row.
    #[inline(always)]
    pub fn add_transposed_columns<const W: usize>(
        &self,
        t: &Topology,
        slope: Slope,
        scale: f64,
        x: &[[f64; W]],
        out: &mut [[f64; W]],
    ) {
        self.add_by(t, slope, scale, x, out, block_tr_mul_columns);
    }

    #[inline(always)]
    fn add_by<const W: usize>(
        &self,
        t: &Topology,
        slope: Slope,
        scale: f64,
        x: &[[f64; W]],
        out: &mut [[f64; W]],
        multiply: impl Fn(&LinkMatrix, &mut [[f64; W]]),
    ) {
        let add_scaled = |scale: f64, x: &[[f64; W]], out: &mut [[f64; W]]| {
            add_scaled(scale, x.as_flattened(), out.as_flattened_mut());
        };
        let mut from = 0;
        for (l, blocks) in self.wide(t) {
            if slope.is_one() {
                add_scaled(scale, &x[from..l.iv], &mut out[from..l.iv]);
            }
            let mut own = [[0.0; W]; 6];
            let own = &mut own[..l.nv];
            own.copy_from_slice(&x[l.dofs()]);
            multiply(&blocks[slope as usize], own);
            add_scaled(scale, own, &mut out[l.dofs()]);
            from = l.iv + l.nv;
        }
        if slope.is_one() {
            add_scaled(scale, &x[from..], &mut out[from..]);
        }
    }
}
