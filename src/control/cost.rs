//! A sum of weighted squares of deviations from a reference.

use super::sizes::{Sizes, subtract};
use crate::model::Model;
use nalgebra::{DMatrix, SMatrix};

/// ½ Σ w d² with d = (q ⊖ q_ref, v − v_ref, act − act_ref), and ½ Σ w (u − u_ref)².
#[derive(Clone, Debug)]
pub struct Tracking {
    /// Weights at the beginning of each step, then at the end; nx each.
    pub state: [Vec<f64>; 2],
    pub input: Vec<f64>,
    /// References: nodes × (nq, nv, na, nu); one node less for inputs.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
    pub u: Vec<f64>,
}

impl Tracking {
    fn weights(&self, node: usize, steps: usize) -> &[f64] {
        &self.state[usize::from(node == steps)]
    }

    /// The deviation at a node.
    pub fn deviation(&self, model: &Model, node: usize, [q, v, act]: [&[f64]; 3], d: &mut [f64]) {
        let Sizes { nq, nv, na, .. } = Sizes::of(model);
        let (of_q, rest) = d.split_at_mut(nv);
        let (of_v, of_act) = rest.split_at_mut(nv);
        model.difference(&self.q[node * nq..][..nq], q, of_q);
        subtract(v, &self.v[node * nv..][..nv], of_v);
        subtract(act, &self.act[node * na..][..na], of_act);
    }

    /// Cost of a state with this deviation.
    pub fn of_state(&self, node: usize, steps: usize, d: &[f64]) -> f64 {
        let w = self.weights(node, steps);
        0.5 * w.iter().zip(d).map(|(w, d)| w * d * d).sum::<f64>()
    }

    pub fn of_input(&self, node: usize, u: &[f64]) -> f64 {
        let reference = &self.u[node * u.len()..];
        let terms = self.input.iter().zip(u).zip(reference);
        0.5 * terms.map(|((w, u), r)| w * (u - r) * (u - r)).sum::<f64>()
    }

    /// Slope of [`Tracking::of_input`] with respect to one input.
    pub fn by_input(&self, node: usize, k: usize, u: &[f64]) -> f64 {
        self.input[k] * (u[k] - self.u[node * u.len() + k])
    }

    /// Adds gradient and Gauss-Newton Hessian with respect to the state's tangent.
    pub fn expand(
        &self,
        model: &Model,
        node: usize,
        steps: usize,
        d: &[f64],
        gradient: &mut [f64],
        hessian: &mut DMatrix<f64>,
    ) {
        let w = self.weights(node, steps);
        for (k, (w, d)) in w.iter().zip(d).enumerate() {
            gradient[k] += w * d;
            hessian[(k, k)] += w;
        }
        // For the tangent of a quaternion δd = J⁻¹ δq.
        for l in model.topology().wide_links() {
            let n = l.nv;
            let [a, b, c] = l.kind.integrate_blocks(&d[l.dofs()]).by_w;
            let by = SMatrix::<f64, 6, 6>::from_fn(|row, column| match (row / 3, column / 3) {
                (0, 0) => a.c[column][row],
                (0, 1) if n == 6 => b.c[column - 3][row],
                (1, 1) if n == 6 => c.c[column - 3][row - 3],
                _ => f64::from(u8::from(row == column)),
            });
            let back = by.try_inverse().unwrap_or_else(SMatrix::identity);
            let own = |r: usize| if r < n { w[l.iv + r] } else { 0.0 };
            for c in 0..n {
                let slope: f64 = (0..n).map(|r| back[(r, c)] * own(r) * d[l.iv + r]).sum();
                gradient[l.iv + c] += slope - own(c) * d[l.iv + c];
                for r in 0..n {
                    let bend: f64 = (0..n).map(|k| back[(k, r)] * own(k) * back[(k, c)]).sum();
                    let plain = if r == c { own(c) } else { 0.0 };
                    hessian[(l.iv + r, l.iv + c)] += bend - plain;
                }
            }
        }
    }
}
