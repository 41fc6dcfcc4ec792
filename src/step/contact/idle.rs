//! Impulses that move nothing: what redundant constraints may share out one way or another.

use super::{ContactStage, add, contact_groups, lanes, solved_by};
use crate::contact::mode::Mode;
use crate::dynamics::factors::Factors;
use crate::error::Result;
use crate::linalg::scattered;
use crate::model::topology::Topology;

/// Velocity that idle impulses may leave, relative to what their parts do.
const STILL: f64 = 1e-7;

impl ContactStage {
    /// Of the changes of impulses that the modes allow and that move nothing, one in general position: what weighs it by
    /// zero weighs all of them so. 3 numbers a contact; after [`ContactStage::linearize`] with the factors of A. False where
    /// the law's linear system does not tell them.
    ///
    /// With any change d that the modes allow, the law answers G d by −d and a part of its own choice: the sum of both is idle.
    pub fn idle_impulses(
        &mut self,
        t: &Topology,
        m: &mut Factors,
        out: &mut [f64],
    ) -> Result<bool> {
        out.fill(0.0);
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(true);
        };
        let rows = c.g.len();
        if rows == 0 {
            return Ok(true);
        }
        let problem = c.problem();
        if problem.has_turning() {
            // What slides may turn in more ways than these: known is whether there are any.
            let law = solved_by(&mut self.law, &mut self.relaxed);
            return law.linearize(&problem)?.is_unique(&problem);
        }
        let mut first = 0;
        for (block, mode) in c.blocks.iter().zip(&c.modes) {
            let own = first..first + block.rows();
            allowed(*mode, &c.lambda[own.clone()], first, &mut l.w_param[own]);
            first += block.rows();
        }
        let mut sizes = [0.0_f64; 2];
        for (size, answered) in sizes.iter_mut().zip([false, true]) {
            if answered {
                let (problem, w) = (c.problem(), &l.sigma[..rows]);
                let law = solved_by(&mut self.law, &mut self.relaxed);
                let answer = &mut l.dlambda[..rows];
                law.linearize(&problem)?
                    .apply(&problem, w, None, 1, answer)?;
                for (d, x) in l.w_param.iter_mut().zip(&*answer) {
                    *d += x;
                }
            }
            l.force.fill(0.0);
            for b in 0..c.groups() {
                let d = lanes(&l.w_param[c.range(b)]);
                c.rows.add_half(b, d, &mut l.force);
            }
            c.rows.complete(t, m, &mut l.force);
            l.sigma[..rows].fill(0.0);
            for b in 0..c.groups() {
                add(&mut l.sigma[c.range(b)], c.rows.times(b, &l.force));
            }
            *size = l.sigma[..rows].iter().fold(0.0, |m, x| x.abs().max(m));
        }
        for ((b, _), out) in contact_groups(c).zip(out.chunks_exact_mut(3)) {
            // A frictionless contact has its normal only.
            for (out, d) in (out.iter_mut().rev()).zip(l.w_param[c.range(b)].iter().rev()) {
                *out = *d;
            }
        }
        Ok(sizes[1] <= STILL * sizes[0])
    }
}

/// A change of a block's impulse in general position among those that its mode allows at no change of its velocity.
fn allowed(mode: Mode, impulse: &[f64], seed: usize, out: &mut [f64]) {
    let number = |k: usize| scattered(seed + k, 0);
    match mode {
        Mode::Breaking | Mode::AtLower | Mode::AtUpper => out.fill(0.0),
        Mode::Sliding => {
            let size = impulse.iter().fold(0.0_f64, |m, x| x.abs().max(m));
            let share = if size > 0.0 { number(0) / size } else { 0.0 };
            for (out, x) in out.iter_mut().zip(impulse) {
                *out = share * x;
            }
        }
        Mode::Bounded(sides) => {
            let (tangents, normal) = impulse.split_at(impulse.len() - 1);
            let share = if normal[0] > 0.0 {
                number(2) / normal[0]
            } else {
                0.0
            };
            for (k, x) in tangents.iter().enumerate() {
                out[k] = if sides[k] == 0 { number(k) } else { share * x };
            }
            out[tangents.len()] = share * normal[0];
        }
        Mode::Sticking | Mode::Unknown => {
            for (k, out) in out.iter_mut().enumerate() {
                *out = number(k);
            }
        }
    }
}
