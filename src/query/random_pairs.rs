//! Steps from randomly displaced states, in pairs of opposite displacements, and the mean of their Jacobians.

use super::normal::Normal;
use crate::error::{Error, Result};
use crate::joint::{block_mul, block_tr_mul};
use crate::linalg::all_finite;
use crate::model::Model;
use crate::step::info::check_length;
use crate::step::{Sim, StepJacobians};

/// A displacement with both signs, and the simulation that steps from there.
pub(super) struct Pair {
    sim: Sim,
    warm: Vec<f64>,
    /// Standard normal numbers, and their products with the widths: of q, v, u one after the other.
    xi: Vec<f64>,
    shift: Vec<f64>,
    widths: [f64; 3],
    tangent: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    /// Tangent of q⁺ at the last step's, then v⁺; for zeroth order the difference of both signs.
    outcome: Vec<f64>,
    other: Vec<f64>,
}

impl Pair {
    pub fn new(sim: &Sim) -> Result<Pair> {
        let m = sim.model();
        let (nq, nv, nu) = (m.nq(), m.nv(), m.nu());
        let mut warm = vec![0.0; sim.memory_size()];
        sim.get_memory(&mut warm)?;
        Ok(Pair {
            sim: sim.renewed()?,
            warm,
            xi: vec![0.0; 2 * nv + nu],
            shift: vec![0.0; 2 * nv + nu],
            widths: [0.0; 3],
            tangent: vec![0.0; nv],
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            u: vec![0.0; nu],
            q_next: vec![0.0; nq],
            v_next: vec![0.0; nv],
            outcome: vec![0.0; 2 * nv],
            other: vec![0.0; 2 * nv],
        })
    }

    pub fn draw(&mut self, widths: [f64; 3], rng: &mut Normal) {
        let nv = self.v.len();
        self.widths = widths;
        for (k, (x, shift)) in self.xi.iter_mut().zip(&mut self.shift).enumerate() {
            *x = rng.next();
            *shift = *x * self.widths[(k / nv.max(1)).min(2)];
        }
    }

    /// Steps from the state displaced by `sign` times the shift, and keeps the result.
    fn step(&mut self, base: &Sim, sign: f64) -> Result<()> {
        let nv = self.v.len();
        let s = &base.state;
        for (t, x) in self.tangent.iter_mut().zip(&self.shift) {
            *t = sign * x;
        }
        base.model.integrate(&s.q, &self.tangent, &mut self.q);
        for (k, v) in self.v.iter_mut().enumerate() {
            *v = s.v[k] + sign * self.shift[nv + k];
        }
        for (k, u) in self.u.iter_mut().enumerate() {
            *u = s.u[k] + sign * self.shift[2 * nv + k];
        }
        self.sim.set_memory(&self.warm)?;
        self.sim.set_act(&s.drives.act)?;
        self.sim.step(
            &self.q,
            &self.v,
            &self.u,
            &mut self.q_next,
            &mut self.v_next,
        )?;
        let info = self.sim.step_info()?;
        if !info.converged {
            return Err(Error::not_converged(format!(
                "the contact solver stopped at residual {:e}",
                info.residual
            )));
        }
        let (dq, dv) = self.outcome.split_at_mut(nv);
        base.model.difference(&s.q_next, &self.q_next, dq);
        dv.copy_from_slice(&self.v_next);
        Ok(())
    }

    /// `outcome` ← f(x ⊕ Σ ξ) − f(x ⊕ −Σ ξ).
    pub fn difference(&mut self, base: &Sim) -> Result<()> {
        self.step(base, 1.0)?;
        std::mem::swap(&mut self.outcome, &mut self.other);
        self.step(base, -1.0)?;
        for (a, b) in self.outcome.iter_mut().zip(&self.other) {
            *a = b - *a;
        }
        Ok(())
    }

    /// Adds the Jacobians at both displaced states to the mean, or neither.
    pub fn jacobians(&mut self, base: &Sim, mean: &mut Mean<'_>) -> Result<()> {
        mean.pair.iter_mut().for_each(|x| x.fill(0.0));
        for sign in [1.0, -1.0] {
            self.step(base, sign)?;
            self.sim.step_jacobians(mean.sample())?;
            mean.carry(&base.model, &self.tangent, &self.outcome)?;
            mean.add_to_pair();
        }
        mean.add_pair();
        Ok(())
    }
}

/// Sums of the requested Jacobians.
pub(super) struct Mean<'a> {
    out: [Option<&'a mut [f64]>; 8],
    sum: [Vec<f64>; 8],
    /// Jacobians of one pair, so that a pair that fails halfway leaves no trace.
    pair: [Vec<f64>; 8],
    one: [Vec<f64>; 8],
    nv: usize,
}

impl<'a> Mean<'a> {
    pub fn new(out: StepJacobians<'a>, columns: [usize; 4], nv: usize) -> Result<Mean<'a>> {
        let names = [
            "dq_dq", "dq_dv", "dq_du", "dq_dp", "dv_dq", "dv_dv", "dv_du", "dv_dp",
        ];
        let out = [
            out.dq_dq, out.dq_dv, out.dq_du, out.dq_dp, out.dv_dq, out.dv_dv, out.dv_du, out.dv_dp,
        ];
        for (i, x) in out.iter().enumerate() {
            if let Some(x) = x {
                check_length(names[i], x, nv * columns[i % 4])?;
            }
        }
        let sum = out
            .each_ref()
            .map(|x| vec![0.0; x.as_ref().map_or(0, |x| x.len())]);
        Ok(Mean {
            pair: sum.clone(),
            one: sum.clone(),
            out,
            sum,
            nv,
        })
    }

    /// True if a Jacobian by q, v, u or p (0–3) was requested and has columns.
    pub fn wants(&self, kind: usize) -> bool {
        !self.sum[kind].is_empty() || !self.sum[kind + 4].is_empty()
    }

    /// Buffers for the requested Jacobians of one sample.
    pub fn sample(&mut self) -> StepJacobians<'_> {
        let mut i = 0;
        let [a, b, c, d, e, f, g, h] = self.one.each_mut().map(|x| {
            i += 1;
            self.out[i - 1].is_some().then_some(&mut x[..])
        });
        StepJacobians {
            dq_dq: a,
            dq_dv: b,
            dq_du: c,
            dq_dp: d,
            dv_dq: e,
            dv_dv: f,
            dv_du: g,
            dv_dp: h,
        }
    }

    /// Maps a sample's Jacobians from the tangents at the displaced q and its q⁺ to those at the last step's
    /// q and q⁺, which are `shift` and `outcome` away.
    fn carry(&mut self, model: &Model, shift: &[f64], outcome: &[f64]) -> Result<()> {
        let (t, nv) = (model.topology(), self.nv);
        for l in t.wide_links() {
            let at = l.iv..l.iv + l.kind.nv();
            let from = l.kind.integrate_blocks(&shift[at.clone()]).by_w;
            for i in [0, 4] {
                for r in 0..self.one[i].len().min(nv) {
                    let mut x = [0.0; 6];
                    let x = &mut x[..at.len()];
                    for (x, c) in x.iter_mut().zip(at.clone()) {
                        *x = self.one[i][c * nv + r];
                    }
                    block_tr_mul(&from, x);
                    for (x, c) in x.iter().zip(at.clone()) {
                        self.one[i][c * nv + r] = *x;
                    }
                }
            }
            let to = l.kind.integrate_blocks(&outcome[at.clone()]).by_w;
            let Some(inverse) = to[0].inverse() else {
                return Err(Error::numerical("a rotation of π between the outcomes"));
            };
            // [[A, B], [0, A]]⁻¹ = [[A⁻¹, −A⁻¹ B A⁻¹], [0, A⁻¹]]
            let across = inverse.mul_mat(&to[1]).mul_mat(&inverse) * -1.0;
            let to = [inverse, across, inverse];
            for i in 0..4 {
                for column in self.one[i].chunks_exact_mut(nv) {
                    block_mul(&to, &mut column[at.clone()]);
                }
            }
        }
        Ok(())
    }

    fn add_to_pair(&mut self) {
        add(&mut self.pair, &self.one);
    }

    fn add_pair(&mut self) {
        add(&mut self.sum, &self.pair);
    }

    pub fn add_sample(&mut self) {
        add(&mut self.sum, &self.one);
    }

    /// Adds a pair's difference times its displacement.
    pub fn correlate(&mut self, pair: &Pair) {
        let nv = self.nv;
        for (i, sum) in self.sum.iter_mut().enumerate() {
            let rows = &pair.outcome[(i / 4) * nv..(i / 4 + 1) * nv];
            let kind = i % 4;
            for (k, column) in sum.chunks_exact_mut(nv.max(1)).enumerate() {
                let weight = pair.xi[kind * nv + k] / (2.0 * pair.widths[kind]);
                for (s, x) in column.iter_mut().zip(rows) {
                    *s += weight * x;
                }
            }
        }
    }

    pub fn deliver(mut self, scale: f64) -> Result<()> {
        for x in self.sum.iter_mut().flatten() {
            *x *= scale;
        }
        if !self.sum.iter().all(|x| all_finite(x)) {
            return Err(Error::numerical("a smoothed Jacobian is not finite"));
        }
        for (out, sum) in self.out.into_iter().zip(&self.sum) {
            if let Some(out) = out {
                out.copy_from_slice(sum);
            }
        }
        Ok(())
    }
}

fn add(to: &mut [Vec<f64>; 8], from: &[Vec<f64>; 8]) {
    for (to, x) in to.iter_mut().flatten().zip(from.iter().flatten()) {
        *to += x;
    }
}
