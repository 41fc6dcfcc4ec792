//! Damping of joints, linear (taken implicitly) and beyond.

use super::face::{Force, State};
use super::slopes::Slopes;
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};

/// f = −d v − (d₁ |v| + d₂ v²) v on each dof. Only the linear term is implicit.
#[derive(Clone, Debug)]
pub struct JointDamper {
    /// Dofs with terms beyond the linear one: d₁ and d₂.
    curved: Vec<(usize, [f64; 2])>,
}

impl JointDamper {
    pub fn new(model: &Model) -> Self {
        let curved = model
            .joints()
            .iter()
            .filter(|j| j.damping_terms != [0.0; 2]);
        JointDamper {
            curved: curved
                .flat_map(|j| (j.iv..j.iv + j.nv).map(move |k| (k, j.damping_terms)))
                .collect(),
        }
    }
}

impl Force for JointDamper {
    fn implicit(&self, params: &Params, into: &mut Slopes) {
        for (k, d) in params.damping.iter().enumerate() {
            into.add_own(k, 0.0, *d);
        }
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        let (damping, v) = (&at.params.damping[..tau.len()], &at.v[..tau.len()]);
        for (k, tau) in tau.iter_mut().enumerate() {
            *tau -= damping[k] * v[k];
        }
        for (k, [quadratic, cubic]) in &self.curved {
            let v = v[*k];
            tau[*k] -= (quadratic * v.abs() + cubic * v * v) * v;
        }
    }

    fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        self.implicit(at.params, into);
        for (k, [quadratic, cubic]) in &self.curved {
            let v = at.v[*k];
            into.add_own(*k, 0.0, 2.0 * quadratic * v.abs() + 3.0 * cubic * v * v);
        }
    }

    fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        if p.kind == ParamKind::JointDamping {
            let k = at.model.dof_of(p);
            r[k] = at.v[k] + at.time_step * acc[k];
        }
    }
}
