//! The linear system of a fixed set of modes for impulses near the present ones, without finding the
//! rank.
//!
//! Instead of A it factors A + εE, with E the scale of G on each block, and corrects the effect of ε once:
//! x ← x + (A + εE)⁻¹ (b − A x), where b − A x = εE δ with δ the last change of x. This is regular for any
//! dependence between rows, and costs a third of a factorization that finds the rank. In the null space of
//! A the solution is small, so that impulses change little more than the equations require.

use super::ActiveSetSystem;
use super::assemble::assemble;
use crate::contact::digits::NEGLIGIBLE;
use crate::contact::ncp::modes::largest;
use crate::contact::tuning::{NEWTON_CONTRADICTED, NEWTON_PROXIMAL};
use crate::linalg::grow;

impl ActiveSetSystem {
    /// Assembles and factors A + εE of a dense problem with n rows.
    pub(super) fn factor_near(&mut self, values: &[f64], n: usize) {
        let m = self.order;
        let a = self.general.matrix(m);
        grow(&mut self.rows, n);
        assemble(values, n, (&self.faces, &self.wides), a, &mut self.rows);
        let largest = (self.faces.iter()).fold(0.0, |m: f64, f| m.max(f.response));
        // The floor regularizes also rows in the null space of G.
        let floor = if largest > 0.0 {
            NEGLIGIBLE * largest
        } else {
            1.0
        };
        self.ease.clear();
        for face in &self.faces {
            let ease = NEWTON_PROXIMAL * face.response.max(floor);
            for k in face.start..face.start + face.size {
                a[k * m + k] += ease;
                self.ease.push(ease);
            }
        }
        // A singular matrix leads to numbers that no later check accepts.
        self.general.factor(0.0);
    }

    /// x ← (A + εE)⁻¹ x, with ε corrected. Velocities up to `unanswered` of inconsistent rows are not
    /// corrected.
    pub(super) fn solve_near<const W: usize>(
        &mut self,
        unanswered: f64,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
    ) {
        let mut put_back = std::mem::take(&mut self.remainder);
        grow(&mut put_back, W * self.order);
        let back = &mut put_back.as_chunks_mut::<W>().0[..self.order];
        self.general.solve(x, scratch);
        back.copy_from_slice(x);
        self.shrink(back, scratch);
        let share = NEWTON_CONTRADICTED * largest(x.as_flattened());
        add(x, 1.0, back);
        if unanswered > 0.0 && largest(back.as_flattened()) > share {
            // The part that a second correction does not shrink comes from inconsistent rows. Both x and
            // the first correction contain it once.
            self.shrink(back, scratch);
            let of_rows = back.iter().zip(&self.ease);
            let contradiction = of_rows.fold(0.0, |m: f64, (b, e)| m.max(e * largest(b)));
            if contradiction <= unanswered {
                add(x, -2.0, back);
            }
        }
        self.remainder = put_back;
    }

    /// x ← (A + εE)⁻¹ εE x: keeps the part of x in the null space of A and makes the rest nearly zero.
    fn shrink<const W: usize>(&mut self, x: &mut [[f64; W]], scratch: &mut [[f64; W]]) {
        for (x, ease) in x.iter_mut().zip(&self.ease) {
            *x = x.map(|x| ease * x);
        }
        self.general.solve(x, scratch);
    }
}

/// x ← x + scale y.
fn add<const W: usize>(x: &mut [[f64; W]], scale: f64, y: &[[f64; W]]) {
    for (x, y) in x.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
        *x += scale * y;
    }
}
