//! Reduced coordinates at the interface.
//!
//! A simulation uses the coordinates of all joints. Callers use the reduced ones. With x = offset + G y of
//! [`Map`], arguments become x, results return to y: velocities by the left inverse of G, forces by Gᵀ,
//! matrices by both on their two sides. Without reductions nothing is copied.

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::params::{Param, ParamKind};
use crate::model::reduction::{Map, Reduction};
use crate::step::{AccelerationJacobians, ColumnLabels, Sim, StepJacobians};
use std::sync::Arc;

/// Memory for arguments and results in the coordinates of the joints. Empty without reductions.
#[derive(Debug, Default)]
pub struct Edge {
    pub map: Option<Arc<Reduction>>,
    /// Configuration (nq) and velocity (nv) of a call.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Further arguments and results of a call: nv, nv, nq, nv numbers.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub c: Vec<f64>,
    pub d: Vec<f64>,
    /// Matrices, and a product on the way.
    pub matrices: Vec<f64>,
    pub product: Vec<f64>,
    pub labels: Labels,
}

/// Labels of columns by reduced coordinates.
#[derive(Debug, Default)]
pub struct Labels {
    all: Vec<u8>,
    sizes: [usize; 4],
    /// For each parameter the dof that it moves, if it is an entry of a reduction.
    moved: Vec<Option<usize>>,
}

impl Labels {
    fn new(sizes: [usize; 4]) -> Labels {
        Labels {
            all: vec![0; sizes.iter().sum()],
            sizes,
            moved: Vec::new(),
        }
    }

    /// Takes the labels of the last step. A column by a reduced coordinate or by an entry of a reduction
    /// moves several joints.
    pub fn take(&mut self, map: &Reduction, sim: &mut Sim) -> Result<()> {
        let [nv, _, nu, _] = self.sizes;
        let of = sim.column_labels()?;
        self.all.fill(0);
        for (first, labels) in [(0, of.q), (nv, of.v)] {
            for (k, label) in labels.iter().enumerate() {
                map.v.for_leaders(k, |i| self.all[first + i] |= label);
            }
        }
        let (u, p) = self.all[2 * nv..].split_at_mut(nu);
        u.copy_from_slice(of.u);
        for (p, (label, dof)) in p.iter_mut().zip(of.p.iter().zip(&self.moved)) {
            *p = label | dof.map_or(0, |k| of.q[k] | of.v[k]);
        }
        Ok(())
    }

    pub fn told(&self) -> ColumnLabels<'_> {
        let (q, rest) = self.all.split_at(self.sizes[0]);
        let (v, rest) = rest.split_at(self.sizes[1]);
        let (u, p) = rest.split_at(self.sizes[2]);
        ColumnLabels { q, v, u, p }
    }
}

impl Edge {
    /// For the reductions of a simulation, and its selected parameters.
    pub fn of(sim: &Sim) -> Edge {
        let mut edge = Edge::new(sim.model(), sim.np());
        edge.map.clone_from(&sim.params().reduction);
        if let Some(map) = &edge.map {
            let is_entry = |p: &&Param| p.kind == ParamKind::Reduction;
            let moved = |p: &Param| Some(p).filter(is_entry).map(|p| map.dofs(p).0);
            edge.labels.moved = sim.selected().iter().map(moved).collect();
        }
        edge
    }

    /// For a model, and `np` selected parameters.
    pub fn new(model: &Model, np: usize) -> Edge {
        let Some(map) = model.reduction() else {
            return Edge::default();
        };
        let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
        let readings = model.nsensordata();
        let zeros = |n: usize| vec![0.0; n];
        Edge {
            map: Some(map.clone()),
            labels: Labels::new([model.free_nv(), model.free_nv(), nu, np]),
            q: zeros(nq),
            v: zeros(nv),
            a: zeros(nv),
            b: zeros(nv),
            c: zeros(nq),
            d: zeros(nv),
            matrices: zeros(nv * (4 * nv + 2 * (nu + np)).max(6).max(2 * readings)),
            product: zeros(nv * nv.max(6).max(readings)),
        }
    }
}

/// Refuses a model with reduced coordinates in calls that do not convert them.
pub fn refuse(model: &Model) -> Result<()> {
    match model.reduction() {
        None => Ok(()),
        Some(_) => Err(Error::unsupported(
            "model: some of its joints have reduced coordinates (ds_builder_add_reduction), which this call does not take in this version",
        )),
    }
}

/// The configuration of all joints.
pub fn place<'a>(map: &Option<Arc<Reduction>>, q: &'a [f64], to: &'a mut [f64]) -> &'a [f64] {
    match map {
        None => q,
        Some(map) => {
            map.q.place(q, to);
            to
        }
    }
}

/// A velocity or tangent vector of all joints. An empty one stays empty.
pub fn expand<'a>(map: &Option<Arc<Reduction>>, v: &'a [f64], to: &'a mut [f64]) -> &'a [f64] {
    match map {
        Some(map) if !v.is_empty() => {
            map.v.expand(v, to);
            to
        }
        _ => v,
    }
}

/// A force on all joints that does the same work, or the gradient by a result.
pub fn force<'a>(map: &Option<Arc<Reduction>>, f: &'a [f64], to: &'a mut [f64]) -> &'a [f64] {
    match map {
        Some(map) if !f.is_empty() => {
            map.v.restrict_transposed(f, to);
            to
        }
        _ => f,
    }
}

/// Whether entries of reductions are selected. Then the joints move with them at fixed reduced coordinates.
pub fn moves(sim: &Sim) -> bool {
    let mut selected = sim.selected().iter();
    selected.any(|p| p.kind == ParamKind::Reduction)
}

/// Visits the selected entries of reductions: index of the parameter, dof of a joint, and the motion of its
/// coordinate and velocity by the entry where the joints have the state (q, v).
pub fn for_moved(
    map: &Reduction,
    selected: &[Param],
    [q, v]: [&[f64]; 2],
    mut visit: impl FnMut(usize, usize, [f64; 2]),
) {
    for (i, p) in selected.iter().enumerate() {
        if p.kind == ParamKind::Reduction {
            let moved = map.moved(p, q, v);
            visit(i, moved.dof, moved.by);
        }
    }
}

/// Adds `scale` times the motion along a direction of the parameters; none along an empty one.
pub fn add_motion(
    map: &Reduction,
    selected: &[Param],
    at: [&[f64]; 2],
    (scale, dp): (f64, &[f64]),
    [dq, dv]: [&mut [f64]; 2],
) {
    if !dp.is_empty() {
        for_moved(map, selected, at, |i, dof, [x, w]| {
            dq[dof] += scale * dp[i] * x;
            dv[dof] += scale * dp[i] * w;
        });
    }
}

/// Writes a direction of all joints: that of reduced coordinates, with the motion along the parameters.
pub fn take_direction(
    map: &Reduction,
    sim: &Sim,
    [dq, dv, dp]: [&[f64]; 3],
    [to_q, to_v]: [&mut [f64]; 2],
) {
    for (to, from) in [(&mut *to_q, dq), (&mut *to_v, dv)] {
        match from.is_empty() {
            true => to.fill(0.0),
            false => map.v.expand(from, to),
        }
    }
    let [start, _] = sim.ends();
    add_motion(map, sim.selected(), start, (1.0, dp), [to_q, to_v]);
}

/// Adds `scale` times the gradient by the parameters, through the motion of the joints, to `p`.
pub fn add_motion_transposed(
    map: &Reduction,
    selected: &[Param],
    at: [&[f64]; 2],
    (scale, p): (f64, &mut [f64]),
    [q_bar, v_bar]: [&[f64]; 2],
) {
    for_moved(map, selected, at, |i, dof, [x, w]| {
        p[i] += scale * (x * q_bar[dof] + w * v_bar[dof]);
    });
}

/// Adds to columns by entries of reductions: the columns `by_state` for the motion of the joints at the
/// start.
fn add_start(map: &Reduction, sim: &Sim, by_state: [&[f64]; 2], by_p: &mut [f64]) {
    let nv = map.v.sizes()[0];
    let [start, _] = sim.ends();
    for_moved(map, sim.selected(), start, |i, dof, by| {
        for (columns, x) in by_state.iter().zip(by) {
            let column = columns[dof * nv..][..nv].iter();
            by_p[i * nv..]
                .iter_mut()
                .zip(column)
                .for_each(|(c, s)| *c += x * s);
        }
    });
}

/// Completes the columns by entries of reductions: the step from moved joints, relative to moved joints at
/// its end. The matrices by the state must be there.
fn complete(map: &Reduction, sim: &Sim, full: &mut StepJacobians<'_>) {
    let nv = map.v.sizes()[0];
    let [_, end] = sim.ends();
    let StepJacobians {
        dq_dq,
        dq_dv,
        dq_dp,
        dv_dq,
        dv_dv,
        dv_dp,
        ..
    } = full;
    for (k, by_q, by_v, by_p) in [(0, dq_dq, dq_dv, dq_dp), (1, dv_dq, dv_dv, dv_dp)] {
        let (Some(by_q), Some(by_v), Some(by_p)) = (by_q, by_v, by_p) else {
            continue;
        };
        add_start(map, sim, [&**by_q, &**by_v], by_p);
        for_moved(map, sim.selected(), end, |i, dof, by| {
            by_p[i * nv + dof] -= by[k]
        });
    }
}

/// Computes the Jacobians of the acceleration of the last step and reduces them.
pub fn acceleration_jacobians(
    map: &Reduction,
    sim: &mut Sim,
    [matrices, product]: [&mut [f64]; 2],
    out: AccelerationJacobians<'_>,
) -> Result<()> {
    let (nv, np) = (sim.model().nv(), sim.np());
    let moves = moves(sim) && out.by_p.is_some();
    let (by_q, rest) = matrices.split_at_mut(nv * nv);
    let (by_v, rest) = rest.split_at_mut(nv * nv);
    let (by_u, rest) = rest.split_at_mut(nv * sim.model().nu());
    let by_p = &mut rest[..nv * np];
    sim.acceleration_jacobians(AccelerationJacobians {
        by_q: (moves || out.by_q.is_some()).then_some(&mut *by_q),
        by_v: (moves || out.by_v.is_some()).then_some(&mut *by_v),
        by_u: out.by_u.is_some().then_some(&mut *by_u),
        by_p: out.by_p.is_some().then_some(&mut *by_p),
        by_act: None,
    })?;
    if moves {
        add_start(map, sim, [by_q, by_v], by_p);
        let acceleration = &mut product[..nv];
        sim.tell_acceleration(acceleration);
        let at = [sim.ends()[0][0], &*acceleration];
        for_moved(map, sim.selected(), at, |i, dof, [_, a]| {
            by_p[i * nv + dof] -= a
        });
    }
    let by_state = [Side::Velocity, Side::Velocity];
    let other = [Side::Velocity, Side::Same];
    for (from, out, sides) in [
        (by_q, out.by_q, by_state),
        (by_v, out.by_v, by_state),
        (by_u, out.by_u, other),
        (by_p, out.by_p, other),
    ] {
        if let Some(out) = out {
            reduce(&map.v, (nv, from), sides, product, out);
        }
    }
    Ok(())
}

/// A column-major matrix of forces by velocities, on all joints.
pub fn spread(map: &Map, m: &[f64], product: &mut [f64], out: &mut [f64]) {
    let [whole, free] = map.sizes();
    let product = &mut product[..whole * free];
    let columns = m
        .chunks_exact(free.max(1))
        .zip(product.chunks_exact_mut(whole.max(1)));
    columns.for_each(|(y, x)| map.restrict_transposed(y, x));
    map.times_restricted(whole, product, out);
}

/// Whether the numbers along one side of a matrix are velocities, forces, or others, which stay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Velocity,
    Force,
    Same,
}

/// Reduces a column-major matrix with `rows` rows. Its sides are those of the rows and of the columns: the
/// columns of a Jacobian by velocities are of kind `Velocity`, those of an inverse mass matrix `Force`.
pub fn reduce(
    map: &Map,
    (rows, from): (usize, &[f64]),
    [left, right]: [Side; 2],
    product: &mut [f64],
    out: &mut [f64],
) {
    let columns = match right {
        Side::Same => from,
        _ => {
            let n = rows * map.sizes()[1];
            match right {
                Side::Velocity => map.times(rows, from, &mut product[..n]),
                _ => map.times_back(rows, from, &mut product[..n]),
            }
            &product[..n]
        }
    };
    let height = match left {
        Side::Same => rows,
        _ => map.sizes()[1],
    };
    let pairs = columns
        .chunks_exact(rows.max(1))
        .zip(out.chunks_exact_mut(height.max(1)));
    for (from, to) in pairs {
        match left {
            Side::Same => to.copy_from_slice(from),
            Side::Velocity => map.restrict(from, to),
            Side::Force => map.expand_transposed(from, to),
        }
    }
}

/// Computes the Jacobians of the last step and reduces them into the caller's arrays.
pub fn step_jacobians(
    reduction: &Reduction,
    sim: &mut Sim,
    [matrices, product]: [&mut [f64]; 2],
    out: StepJacobians<'_>,
) -> Result<()> {
    let nv = sim.model().nv();
    let sizes = [nv, sim.model().nu(), sim.np()].map(|columns| nv * columns);
    let by_p = moves(sim) && (out.dq_dp.is_some() || out.dv_dp.is_some());
    sim.step_jacobians(lend(&out, by_p, matrices, sizes))?;
    let from = lend(&out, by_p, matrices, sizes);
    reduce_step(reduction, sim, from, product, out);
    Ok(())
}

/// Reduces the Jacobians of the last step.
pub fn reduce_step(
    reduction: &Reduction,
    sim: &Sim,
    mut from: StepJacobians<'_>,
    product: &mut [f64],
    out: StepJacobians<'_>,
) {
    let map = &reduction.v;
    complete(reduction, sim, &mut from);
    let by_state = [Side::Velocity, Side::Velocity];
    let other = [Side::Velocity, Side::Same];
    let rows = map.sizes()[0];
    for (from, out, sides) in [
        (&from.dq_dq, out.dq_dq, by_state),
        (&from.dq_dv, out.dq_dv, by_state),
        (&from.dq_du, out.dq_du, other),
        (&from.dq_dp, out.dq_dp, other),
        (&from.dv_dq, out.dv_dq, by_state),
        (&from.dv_dv, out.dv_dv, by_state),
        (&from.dv_du, out.dv_du, other),
        (&from.dv_dp, out.dv_dp, other),
    ] {
        if let (Some(from), Some(out)) = (from, out) {
            reduce(map, (rows, from), sides, product, out);
        }
    }
}

/// The eight matrices of a step's Jacobians in one array, those that are wanted, and with `by_state` the
/// square ones.
pub fn lend<'a>(
    out: &StepJacobians<'_>,
    by_state: bool,
    matrices: &'a mut [f64],
    [square, by_u, by_p]: [usize; 3],
) -> StepJacobians<'a> {
    let mut rest = matrices;
    let mut part = |wanted: bool, n: usize| {
        if !wanted {
            return None;
        }
        let (part, tail) = std::mem::take(&mut rest).split_at_mut(n);
        rest = tail;
        Some(part)
    };
    StepJacobians {
        dq_dq: part(by_state || out.dq_dq.is_some(), square),
        dq_dv: part(by_state || out.dq_dv.is_some(), square),
        dq_du: part(out.dq_du.is_some(), by_u),
        dq_dp: part(out.dq_dp.is_some(), by_p),
        dv_dq: part(by_state || out.dv_dq.is_some(), square),
        dv_dv: part(by_state || out.dv_dv.is_some(), square),
        dv_du: part(out.dv_du.is_some(), by_u),
        dv_dp: part(out.dv_dp.is_some(), by_p),
    }
}

/// Matrices of these sizes of element i of a batch.
pub fn part<'a>(
    of: &'a mut StepJacobians<'_>,
    i: usize,
    [square, by_u, by_p]: [usize; 3],
) -> StepJacobians<'a> {
    fn cut<'a>(x: &'a mut Option<&mut [f64]>, i: usize, n: usize) -> Option<&'a mut [f64]> {
        x.as_deref_mut().map(|x| &mut x[i * n..][..n])
    }
    StepJacobians {
        dq_dq: cut(&mut of.dq_dq, i, square),
        dq_dv: cut(&mut of.dq_dv, i, square),
        dq_du: cut(&mut of.dq_du, i, by_u),
        dq_dp: cut(&mut of.dq_dp, i, by_p),
        dv_dq: cut(&mut of.dv_dq, i, square),
        dv_dv: cut(&mut of.dv_dv, i, square),
        dv_du: cut(&mut of.dv_du, i, by_u),
        dv_dp: cut(&mut of.dv_dp, i, by_p),
    }
}
