//! Idle unknowns: single unknowns in the null space of G, whose impulse changes no velocity. Examples are a
//! sideways impulse in a planar mechanism, and an impulse along the arm of a hinge.
//!
//! The row and column of A are zero. The equation of such an unknown therefore has a solution only if its
//! right-hand side is zero, which needs no solve to check.

use super::face::{Face, response_across};
use super::{ActiveSetSystem, Form};
use crate::contact::digits::IDLE;
use crate::contact::problem::{Delassus, Problem};

impl ActiveSetSystem {
    /// The idle unknowns, for a dense G. Empty for a G stored by trees.
    pub fn idle<'a>(&'a self, problem: &Problem<'a>) -> impl Iterator<Item = usize> + use<'a> {
        let n = problem.rows();
        let (values, faces) = match problem.delassus {
            Delassus::Dense(values) => (values, &self.faces[..]),
            Delassus::Trees(_) => (&[][..], &[][..]),
        };
        faces.iter().flat_map(move |face| {
            let idle = move |k: &usize| is_idle(values, n, face, *k);
            (0..face.size).filter(idle).map(|k| face.start + k)
        })
    }

    /// Clears the rows and columns of idle unknowns in the assembled matrix, because scaling the rows would
    /// enlarge their round-off to the size of other rows. Returns whether there are any.
    pub(super) fn clear_idle(values: &[f64], n: usize, faces: &[Face], a: &mut [f64]) -> bool {
        let mut any = false;
        let m = faces.last().map_or(0, |f| f.start + f.size);
        for face in faces {
            for k in 0..face.size {
                if !is_idle(values, n, face, k) {
                    continue;
                }
                any = true;
                a[(face.start + k) * m..][..m].fill(0.0);
                // The impulse of a sliding contact acts along the slip, even if its normal part moves
                // nothing.
                if face.slide.is_none() {
                    a.iter_mut()
                        .skip(face.start + k)
                        .step_by(m)
                        .for_each(|x| *x = 0.0);
                }
            }
        }
        any
    }

    /// Whether the active rows are linearly dependent only because of idle unknowns.
    pub fn only_idle_depend(&self, problem: &Problem) -> bool {
        matches!(self.form, Form::Symmetric | Form::General)
            && self.rank() + self.idle(problem).count() == self.order
    }
}

#[inline(always)]
fn is_idle(values: &[f64], n: usize, face: &Face, k: usize) -> bool {
    // The equation across the slip is solved by turning the slip direction.
    let turns = k > 0 && face.slide.is_some_and(|s| s.turn > 0.0);
    face.wide.is_none() && !turns && response(values, n, face, k) <= IDLE * face.response
}

/// Diagonal of G along the unknown `k` of a face.
#[inline(always)]
fn response(values: &[f64], n: usize, face: &Face, k: usize) -> f64 {
    let at = |r: usize, c: usize| values[(face.row + c) * n + face.row + r];
    match &face.slide {
        Some(_) if k == 0 => at(2, 2),
        Some(slide) => response_across(slide.u, [at(0, 0), at(0, 1), at(1, 1)]),
        None => at(k, k),
    }
}
