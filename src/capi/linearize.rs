//! Linear model of a step: for control.

use super::args::{self, Out};
use super::edge;
use super::sim::{any, ds_sim, parts};
use super::status::ds_status;
use super::wall;
use crate::step::StepJacobians;

/// Interleaves the chunks of two matrices that are stored one after the other, to form one matrix
/// above the other: chunk c of the first goes to place 2c, chunk c of the second to 2c + 1. In place,
/// by cycles of the permutation.
fn stack(x: &mut [f64], rows: usize) {
    let chunks = x.len() / rows.max(1);
    let columns = chunks / 2;
    let to = |c: usize| {
        if c < columns {
            2 * c
        } else {
            2 * (c - columns) + 1
        }
    };
    for start in 0..chunks {
        // Each cycle is processed from its smallest chunk.
        let mut c = to(start);
        while c > start {
            c = to(c);
        }
        if c < start {
            continue;
        }
        let mut c = to(start);
        while c != start {
            for i in 0..rows {
                x.swap(start * rows + i, c * rows + i);
            }
            c = to(c);
        }
    }
}

/// Takes a step and returns its linear model (δq⁺, δv⁺) = A (δq, δv) + B δu, with δq in the tangent
/// space: A = (dq_dq dq_dv; dv_dq dv_dv), 2nv×2nv, and B = (dq_du; dv_du), 2nv×nu. These are the
/// Jacobians of ds_sim_step_jacobians, to the bit. A or B may be NULL. The step becomes the sim's
/// last step, with its labels, contacts and derivatives. To keep later steps independent of this
/// call, use ds_sim_reset or ds_sim_set_memory. In a model with activations, A and B hold the
/// activations fixed.
///
/// Errors: those of ds_sim_step and of ds_sim_step_jacobians.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_linearize(
    sim: *mut ds_sim,
    q: *const f64,
    v: *const f64,
    u: *const f64,
    A: *mut f64,
    B: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let m = s.sim.model();
        let (nq, nv, nu) = (m.free_nq(), m.free_nv(), m.nu());
        let (q, v) = (args::array(q, nq, "q")?, args::array(v, nv, "v")?);
        let u = args::array(u, nu, "u")?;
        let outs = [
            Out::optional(A, 4 * nv * nv, "A")?,
            Out::optional(B, 2 * nv * nu, "B")?,
        ];
        let [mut a, mut b] = args::in_place(outs, &[("q", q), ("v", v), ("u", u)])?;
        let [x, y] = parts(&mut s.stage, [nq, nv]);
        let e = &mut s.edge;
        match &e.map {
            None => s.sim.step(q, v, u, x, y)?,
            Some(map) => {
                map.q.place(q, &mut e.q);
                map.v.expand(v, &mut e.v);
                s.sim.step(&e.q, &e.v, u, &mut e.c, &mut e.d)?;
            }
        }
        let mut blocks = StepJacobians::default();
        if let Some(a) = a.as_deref_mut() {
            let (by_q, by_v) = a.split_at_mut(2 * nv * nv);
            let ([qq, vq], [qv, vv]) = (halves(by_q), halves(by_v));
            (blocks.dq_dq, blocks.dv_dq) = (Some(qq), Some(vq));
            (blocks.dq_dv, blocks.dv_dv) = (Some(qv), Some(vv));
        }
        if let Some(b) = b.as_deref_mut() {
            let [qu, vu] = halves(b);
            (blocks.dq_du, blocks.dv_du) = (Some(qu), Some(vu));
        }
        match &e.map {
            None => s.sim.step_jacobians(blocks)?,
            Some(map) => {
                let room = [&mut e.matrices[..], &mut e.product];
                edge::step_jacobians(map, &mut s.sim, room, blocks)?;
            }
        }
        if let Some(a) = a {
            for half in halves(a) {
                stack(half, nv);
            }
        }
        if let Some(b) = b {
            stack(b, nv);
        }
        Ok(())
    })
}

fn halves(x: &mut [f64]) -> [&mut [f64]; 2] {
    x.split_at_mut(x.len() / 2).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_two_matrices_come_to_stand_above_each_other() {
        for rows in [1, 2, 3, 6] {
            for columns in 0..40 {
                let entry = |half: usize, c: usize, r: usize| (half * 1000 + c * 10 + r) as f64;
                let mut x = Vec::new();
                for half in 0..2 {
                    for c in 0..columns {
                        x.extend((0..rows).map(|r| entry(half, c, r)));
                    }
                }
                stack(&mut x, rows);
                for c in 0..columns {
                    for half in 0..2 {
                        for r in 0..rows {
                            assert_eq!(x[(2 * c + half) * rows + r], entry(half, c, r));
                        }
                    }
                }
            }
        }
        stack(&mut [], 0);
    }
}
