//! Finds a random impulse in the null space of G, to test whether redundant constraints make a quantity
//! ambiguous.

use super::impulse_bar::ImpulseBar;
use super::{ContactStage, add, lanes, solved_by};
use crate::contact::mode::Mode;
use crate::contact::problem::Block;
use crate::dynamics::factors::Factors;
use crate::error::Result;
use crate::linalg::scattered;
use crate::model::topology::Topology;

/// Largest velocity that an impulse in the null space may cause, relative to the velocity by the impulse
/// before its projection on the null space.
const STILL: f64 = 1e-7;

impl ContactStage {
    /// Finds a random vector of null(G) among the changes of impulses that the modes allow. If a linear
    /// functional vanishes on it, the functional vanishes on all such vectors (almost surely). Call it
    /// after [`ContactStage::linearize`], with the factors of A. Returns false if the law's linear
    /// system does not give such a vector.
    ///
    /// For a change d that the modes allow, the law's derivative maps G d to −d plus a vector of the null
    /// space. The sum of d and this response is therefore in the null space.
    pub fn find_idle_impulses(&mut self, t: &Topology, m: &mut Factors) -> Result<bool> {
        self.no_idle_impulses();
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(true);
        };
        let rows = c.g.len();
        if rows == 0 {
            return Ok(true);
        }
        let mut first = 0;
        for (block, mode) in c.blocks.iter().zip(&c.modes) {
            let own = first..first + block.rows();
            match *block {
                // Groups of contacts come first.
                Block::Torsion { contact, .. } => {
                    let of = c.range(contact);
                    let share = share(c.modes[contact], &c.lambda[of.clone()], of.start);
                    allowed_torsion(
                        *mode,
                        &c.lambda[own.clone()],
                        first,
                        share,
                        &mut l.idle[own],
                    );
                }
                _ => allowed(*mode, &c.lambda[own.clone()], first, &mut l.idle[own]),
            }
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
                for (d, x) in l.idle.iter_mut().zip(&*answer) {
                    *d += x;
                }
            }
            l.force.fill(0.0);
            for b in 0..c.groups() {
                let d = lanes(&l.idle[c.range(b)]);
                c.rows.add_half(b, d, &mut l.force);
            }
            c.rows.complete(t, m, &mut l.force);
            l.sigma[..rows].fill(0.0);
            for b in 0..c.groups() {
                add(&mut l.sigma[c.range(b)], c.rows.times(b, &l.force));
            }
            *size = l.sigma[..rows].iter().fold(0.0, |m, x| x.abs().max(m));
        }
        Ok(sizes[1] <= STILL * sizes[0])
    }

    /// Sets the vector to zero: impulses are unique.
    pub fn no_idle_impulses(&mut self) {
        if let Some(l) = &mut self.linear {
            l.idle.fill(0.0);
        }
    }

    /// The functional `bar` at the vector, and its value if every entry of the vector had the largest
    /// magnitude.
    pub fn idle_weight(&self, bar: &ImpulseBar<'_>) -> [f64; 2] {
        let (mut sum, mut weights) = (0.0, 0.0);
        let Some(l) = &self.linear else {
            return [0.0; 2];
        };
        let largest = l.idle.iter().fold(0.0_f64, |m, x| x.abs().max(m));
        bar.for_rows(&self.constraints, |row, weight| {
            (sum, weights) = (sum + weight * l.idle[row], weights + weight.abs());
        });
        [sum, largest * weights]
    }
}

/// A random change of a block's impulse among those that its mode allows while its velocity does not
/// change.
fn allowed(mode: Mode, impulse: &[f64], seed: usize, out: &mut [f64]) {
    let share = share(mode, impulse, seed);
    match mode {
        Mode::Breaking | Mode::AtLower | Mode::AtUpper => out.fill(0.0),
        Mode::Sliding => slide(impulse, share, out),
        Mode::Bounded(sides) => {
            slide(impulse, share, out);
            for (k, _) in sides.iter().enumerate().filter(|(_, side)| **side == 0) {
                out[k] = scattered(seed + k, 0);
            }
        }
        Mode::Sticking | Mode::Turned(_) | Mode::Unknown => hold(seed, out),
    }
}

/// The same for torsional and rolling friction. `share` is the relative change of the contact's impulse.
fn allowed_torsion(mode: Mode, impulse: &[f64], seed: usize, share: f64, out: &mut [f64]) {
    match mode {
        Mode::Breaking => out.fill(0.0),
        Mode::Sliding => slide(impulse, share, out),
        Mode::Turned(sides) => {
            slide(impulse, share, out);
            let held = out.iter_mut().zip(sides).enumerate();
            for (k, (out, _)) in held.filter(|(_, (_, side))| *side == 0) {
                *out = scattered(seed + k, 0);
            }
        }
        _ => hold(seed, out),
    }
}

/// Random relative change of the normal impulse of a contact. Impulses at their bound change with it.
fn share(mode: Mode, impulse: &[f64], seed: usize) -> f64 {
    let size = match mode {
        Mode::Sliding => impulse.iter().fold(0.0_f64, |m, x| x.abs().max(m)),
        _ => impulse.last().copied().unwrap_or(0.0),
    };
    let number = match mode {
        Mode::Sliding => scattered(seed, 0),
        _ => scattered(seed + impulse.len() - 1, 0),
    };
    if size > 0.0 { number / size } else { 0.0 }
}

fn slide(impulse: &[f64], share: f64, out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(impulse) {
        *out = share * x;
    }
}

fn hold(seed: usize, out: &mut [f64]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = scattered(seed + k, 0);
    }
}
