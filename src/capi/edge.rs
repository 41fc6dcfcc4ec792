//! Reduced coordinates at the interface.
//!
//! A simulation uses the coordinates of all joints. Callers use the reduced ones. With x = offset + G y of
//! [`Map`], arguments become x, results return to y: velocities by the left inverse of G, forces by Gᵀ,
//! matrices by both on their two sides. Without reductions nothing is copied.

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::params::{Param, ParamKind};
use crate::model::reduction::{Map, Reduction};
use crate::step::{Sim, StepJacobians};
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
}

impl Edge {
    /// For the reductions of a simulation, and its selected parameters.
    pub fn of(sim: &Sim) -> Edge {
        Edge {
            map: sim.params().reduction.clone(),
            ..Edge::new(sim.model(), sim.np())
        }
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

/// Completes the columns by entries of reductions: the step from moved joints, relative to moved joints at its
/// end. The matrices by the state must be there.
fn complete(map: &Reduction, sim: &Sim, full: &mut StepJacobians<'_>) {
    let nv = map.v.sizes()[0];
    let [start, end] = sim.ends();
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
        for_moved(map, sim.selected(), start, |i, dof, [x, w]| {
            let column = by_p[i * nv..][..nv].iter_mut();
            let columns = by_q[dof * nv..][..nv].iter().zip(&by_v[dof * nv..][..nv]);
            column
                .zip(columns)
                .for_each(|(c, (q, v))| *c += x * q + w * v);
        });
        for_moved(map, sim.selected(), end, |i, dof, by| {
            by_p[i * nv + dof] -= by[k]
        });
    }
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
