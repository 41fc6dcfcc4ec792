//! Lengths of tendons and springs with their derivatives, against differences.

use super::tendons::anchors;
use super::{by_q, difference, param, relative_error};
use diffsim::dynamics::Dynamics;
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::tendon::{Displacement, Paths};

/// Lengths at a configuration, with the recursions there.
pub struct Probe {
    pub dynamics: Dynamics,
    pub paths: Paths,
}

impl Probe {
    pub fn new(model: &Model) -> Self {
        Probe {
            dynamics: Dynamics::new(model, false),
            paths: Paths::new(model, true),
        }
    }

    pub fn go(&mut self, model: &Model, q: &[f64]) {
        self.dynamics.update_positions(model, model.params(), q);
        self.paths.update(&self.dynamics.kin, q);
    }

    pub fn lengths(&self) -> Vec<f64> {
        let paths = &self.paths;
        (0..paths.len()).map(|i| paths.length(i)).collect()
    }

    /// Dense, one column of nv numbers a length.
    pub fn moments(&self, nv: usize) -> Vec<f64> {
        let mut all = vec![0.0; nv * self.paths.len()];
        for (i, column) in all.chunks_exact_mut(nv).enumerate() {
            self.paths.moments(i).for_each(|(k, g)| column[k] = g);
        }
        all
    }
}

/// The largest relative error of moments and second derivatives at q.
pub fn derivative_error(model: &Model, q: &[f64]) -> f64 {
    let (nv, mut probe) = (model.nv(), Probe::new(model));
    let n = probe.paths.len();
    let by_lengths = by_q(model, q, |q| {
        probe.go(model, q);
        probe.lengths()
    });
    let by_moments = by_q(model, q, |q| {
        probe.go(model, q);
        probe.moments(nv)
    });
    probe.go(model, q);
    probe.paths.differentiate(&probe.dynamics.kin);
    let moments = probe.moments(nv);
    let mut worst = 0.0f64;
    for i in 0..n {
        let lengths: Vec<f64> = (0..nv).map(|k| by_lengths[k * n + i]).collect();
        worst = worst.max(relative_error(&moments[i * nv..][..nv], &lengths));
        let (dofs, m) = (probe.paths.support(i), probe.paths.support(i).len());
        assert!(dofs.is_sorted());
        let mut hessian = vec![0.0; nv * nv];
        for (c, column) in dofs.iter().enumerate() {
            for (r, row) in dofs.iter().enumerate() {
                hessian[column * nv + row] = probe.paths.hessian(i)[c * m + r];
            }
        }
        let moved: Vec<f64> = (0..nv)
            .flat_map(|k| by_moments[(k * n + i) * nv..][..nv].to_vec())
            .collect();
        worst = worst.max(relative_error(&hessian, &moved));
    }
    worst
}

/// The largest relative error of what displaced joints and points do to lengths and moments at q.
pub fn displacement_error(model: &Model, q: &[f64]) -> f64 {
    let nv = model.nv();
    let mut probe = Probe::new(model);
    let n = probe.paths.len();
    let joints = model.joints().iter().enumerate();
    let mut list: Vec<Param> = (joints.filter(|(_, j)| j.nv > 0))
        .flat_map(|(id, _)| (0..6).map(move |k| param(ParamKind::JointPlacement, id, k)))
        .collect();
    list.extend(anchors(model));
    let mut worst = 0.0f64;
    for p in list {
        let mut params = model.params().clone();
        let loaded = params.get(model, &p);
        let both = difference(super::EPS, |x| {
            params.set(model, &p, loaded + x);
            params.refresh(model);
            probe.dynamics.update_positions(model, &params, q);
            probe.paths.place_points(model, &params);
            probe.paths.update(&probe.dynamics.kin, q);
            [probe.lengths(), probe.moments(nv)].concat()
        });
        probe.paths.place_points(model, model.params());
        probe.go(model, q);
        let at = (&probe.dynamics.kin, &probe.paths);
        let displaced = Displacement::of(model, model.params(), at.0, &p).unwrap();
        let mut ours = vec![0.0; n + n * nv];
        for i in 0..n {
            let (lengths, moments) = ours.split_at_mut(n);
            let moment = &mut moments[i * nv..][..nv];
            lengths[i] = at.1.along(at.0, i, &displaced, |k, x| moment[k] += x);
        }
        worst = worst.max(relative_error(&ours, &both));
    }
    worst
}
