//! Adjoints that are compared.

use super::linearization::dot;
use crate::linalg::all_finite;

/// Share of a norm by which another may differ and still be the same number: round-off of another factorization.
const ALIKE: f64 = 1e-9;

/// Adjoints by all that a step depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjoints {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub u: Vec<f64>,
    pub p: Vec<f64>,
    pub carried: Vec<f64>,
}

impl Adjoints {
    pub fn new([nv, nu, np, carried]: [usize; 4]) -> Adjoints {
        Adjoints {
            q: vec![0.0; nv],
            v: vec![0.0; nv],
            u: vec![0.0; nu],
            p: vec![0.0; np],
            carried: vec![0.0; carried],
        }
    }

    /// Makes room for the selected parameters.
    pub fn fit(&mut self, np: usize) {
        self.p = vec![0.0; np];
    }

    /// By u, or of a model without inputs by v.
    pub fn is_larger(&self, than: &Adjoints) -> bool {
        let [mine, other] = [self, than].map(|x| match x.u.is_empty() {
            true => &x.v,
            false => &x.u,
        });
        let [a, b] = [mine, other].map(|x| dot(x, x).sqrt());
        a > (1.0 + ALIKE) * b
    }

    /// Whether all numbers are.
    pub fn is_finite(&self) -> bool {
        let all = [&self.q, &self.v, &self.u, &self.p, &self.carried];
        all.into_iter().all(|x| all_finite(x))
    }
}
