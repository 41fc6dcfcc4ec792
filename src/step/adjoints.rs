//! Adjoints of a step, and their comparison.

use super::info::check_wanted;
use super::linearization::{Linearization, dot};
use crate::error::Result;
use crate::linalg::all_finite;
use crate::model::Model;

/// Norms that differ by at most this share count as equal: another factorization gives other round-off.
const ALIKE: f64 = 1e-9;

/// Adjoints by all arguments of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjoints {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub p: Vec<f64>,
    pub carried: Vec<f64>,
    pub act: Vec<f64>,
}

/// Destinations of the adjoints by the arguments of a step; `None` for those not wanted.
#[derive(Default)]
pub struct StepAdjoint<'a> {
    /// nv, nv and na entries, by q in the tangent.
    pub q: Option<&'a mut [f64]>,
    pub v: Option<&'a mut [f64]>,
    pub act: Option<&'a mut [f64]>,
    /// nu and np.
    pub u: Option<&'a mut [f64]>,
    pub p: Option<&'a mut [f64]>,
    /// By the integrator's state.
    pub carried: Option<&'a mut [f64]>,
}

impl<'a> StepAdjoint<'a> {
    /// Destinations of the adjoints by q, v, u and p.
    pub(super) fn of(wanted: [Option<&'a mut [f64]>; 4]) -> StepAdjoint<'a> {
        let [q, v, u, p] = wanted;
        StepAdjoint {
            q,
            v,
            u,
            p,
            ..StepAdjoint::default()
        }
    }

    /// Checks the lengths of the arrays.
    pub(super) fn check(&self, model: &Model, np: usize, carried: usize) -> Result<()> {
        let (nv, nu) = (model.nv(), model.nu());
        check_wanted([
            ("q_bar", &self.q, nv),
            ("v_bar", &self.v, nv),
            ("act_bar", &self.act, model.na()),
            ("u_bar", &self.u, nu),
            ("p_bar", &self.p, np),
            ("carried_bar", &self.carried, carried),
        ])
    }

    pub(super) fn deliver(self, lin: &Linearization) {
        for (out, sum) in [
            (self.q, &lin.q_sum),
            (self.v, &lin.v_sum),
            (self.act, &lin.act),
            (self.carried, &lin.carried),
        ] {
            if let Some(out) = out {
                out.copy_from_slice(sum);
            }
        }
    }
}

impl Adjoints {
    pub fn new([nv, nu, np, carried, na]: [usize; 5]) -> Adjoints {
        Adjoints {
            q: vec![0.0; nv],
            v: vec![0.0; nv],
            u: vec![0.0; nu],
            p: vec![0.0; np],
            carried: vec![0.0; carried],
            act: vec![0.0; na],
        }
    }

    /// Allocates for the selected parameters.
    pub fn fit(&mut self, np: usize) {
        self.p = vec![0.0; np];
    }

    /// Compares the norms by u and the activations; by v for a model without inputs.
    pub fn is_larger(&self, than: &Adjoints) -> bool {
        let [a, b] = [self, than].map(|x| match x.u.is_empty() {
            true => dot(&x.v, &x.v).sqrt(),
            false => (dot(&x.u, &x.u) + dot(&x.act, &x.act)).sqrt(),
        });
        a > (1.0 + ALIKE) * b
    }

    /// True if all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let all = [&self.q, &self.v, &self.u, &self.p, &self.carried, &self.act];
        all.into_iter().all(|x| all_finite(x))
    }
}
