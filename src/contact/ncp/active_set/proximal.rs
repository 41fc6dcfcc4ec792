//! The same system for impulses near the present ones, without finding the rank.
//!
//! A + εE is factored instead, E the scale of G on each block, and what ε takes away is put back once:
//! x ← x + (A + εE)⁻¹ (b − A x), where b − A x = εE δ with δ the last change of x. That is regular whatever rows depend
//! on each other and costs a third of a factorization that finds the rank; what it returns is zero and as little else as
//! the equations ask for.

use super::ActiveSetSystem;
use super::assemble::assemble;
use crate::contact::digits::UNFELT;
use crate::contact::ncp::modes::largest;

/// ε: with a tenth 8 of 3,358 problems come out by up to 1e-6 different.
const PROXIMAL: f64 = 1e-7;

/// Share of an answer that is put back from which on it may be one to contradictions alone.
const CONTRADICTED: f64 = 0.1;

impl ActiveSetSystem {
    /// Assembles and factors A + εE of a dense problem with n rows.
    pub(super) fn factor_near(&mut self, values: &[f64], n: usize) {
        let m = self.order;
        let a = self.general.matrix(m);
        assemble(values, n, &self.faces, a, &mut self.rows);
        let largest = (self.faces.iter()).fold(0.0, |m: f64, f| m.max(f.response));
        // What responds to nothing is eased by as much as if it did.
        let floor = if largest > 0.0 { UNFELT * largest } else { 1.0 };
        self.ease.clear();
        for face in &self.faces {
            let ease = PROXIMAL * face.response.max(floor);
            for k in face.start..face.start + face.size {
                a[k * m + k] += ease;
                self.ease.push(ease);
            }
        }
        // A singular matrix leaves numbers that no check lets pass.
        self.general.factor(0.0);
    }

    /// x ← (A + εE)⁻¹ x, ε put back; contradictions up to `unanswered` are not answered.
    pub(super) fn solve_near<const W: usize>(
        &mut self,
        unanswered: f64,
        x: &mut [[f64; W]],
        scratch: &mut [[f64; W]],
    ) {
        let mut put_back = std::mem::take(&mut self.remainder);
        let back = &mut put_back.as_chunks_mut::<W>().0[..self.order];
        self.general.solve(x, scratch);
        back.copy_from_slice(x);
        self.shrink(back, scratch);
        let share = CONTRADICTED * largest(x.as_flattened());
        add(x, 1.0, back);
        if unanswered > 0.0 && largest(back.as_flattened()) > share {
            // What neither shrinks is the answer to a contradiction, which both have once.
            self.shrink(back, scratch);
            let of_rows = back.iter().zip(&self.ease);
            let contradiction = of_rows.fold(0.0, |m: f64, (b, e)| m.max(e * largest(b)));
            if contradiction <= unanswered {
                add(x, -2.0, back);
            }
        }
        self.remainder = put_back;
    }

    /// x ← (A + εE)⁻¹ εE x: next to nothing but for what A does not feel, which it leaves.
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
