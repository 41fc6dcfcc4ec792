//! Reduced coordinates at the interface.
//!
//! A simulation uses the coordinates of all joints. Callers use the reduced ones. With x = offset + G y of
//! [`Map`], arguments become x, results return to y: velocities by the left inverse of G, forces by Gᵀ,
//! matrices by both on their two sides. Without reductions nothing is copied.

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::reduction::{Map, Reduction};
use crate::step::StepJacobians;
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
    /// For a model, and `np` selected parameters.
    pub fn new(model: &Model, np: usize) -> Edge {
        let Some(map) = model.reduction() else {
            return Edge::default();
        };
        let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
        let zeros = |n: usize| vec![0.0; n];
        Edge {
            map: Some(map.clone()),
            q: zeros(nq),
            v: zeros(nv),
            a: zeros(nv),
            b: zeros(nv),
            c: zeros(nq),
            d: zeros(nv),
            matrices: zeros(nv * (4 * nv + 2 * (nu + np)).max(6)),
            product: zeros(nv * nv.max(6)),
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

/// Reduces the Jacobians of a step into the caller's arrays.
pub fn reduce_step(
    map: &Map,
    from: &StepJacobians<'_>,
    product: &mut [f64],
    out: StepJacobians<'_>,
) {
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

/// The eight matrices of a step's Jacobians in one array, those that are wanted.
pub fn lend<'a>(
    out: &StepJacobians<'_>,
    matrices: &'a mut [f64],
    [nv, nu, np]: [usize; 3],
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
        dq_dq: part(out.dq_dq.is_some(), nv * nv),
        dq_dv: part(out.dq_dv.is_some(), nv * nv),
        dq_du: part(out.dq_du.is_some(), nv * nu),
        dq_dp: part(out.dq_dp.is_some(), nv * np),
        dv_dq: part(out.dv_dq.is_some(), nv * nv),
        dv_dv: part(out.dv_dv.is_some(), nv * nv),
        dv_du: part(out.dv_du.is_some(), nv * nu),
        dv_dp: part(out.dv_dp.is_some(), nv * np),
    }
}
