//! Unknowns whose impulses move nothing: sideways in a planar mechanism.
//!
//! They are the plainest way in which held rows depend on each other: alone, with a zero row and column of A, so that
//! what is asked of them tells whether they are answered, without a solve.

use super::{DEPENDENT, Face, Form, Reduced, response_across};
use crate::contact::problem::{Delassus, Problem};

/// Share of a block's mean response below which an impulse moves nothing: the square of what tells dependent rows, as
/// responses are squares of motions.
const IDLE: f64 = DEPENDENT * DEPENDENT;

impl Reduced {
    /// The unknowns that move nothing, where G is dense; none otherwise.
    pub fn idle<'a>(&'a self, problem: &Problem<'a>) -> impl Iterator<Item = usize> + use<'a> {
        let n = problem.rows();
        let (values, faces) = match problem.delassus {
            Delassus::Dense(values) => (values, &self.faces[..]),
            Delassus::Trees(_) => (&[][..], &[][..]),
        };
        faces.iter().flat_map(move |face| {
            // The normal of a sliding contact always moves something, and its turning answers what is asked across the
            // slip.
            let first = match &face.slide {
                Some(slide) if slide.turn > 0.0 => face.size,
                Some(_) => 1,
                None => 0,
            };
            let idle = move |k: &usize| response(values, n, face, *k) <= IDLE * face.response;
            (first..face.size).filter(idle).map(|k| face.start + k)
        })
    }

    /// Whether held rows depend on each other, as far as they do, only in that some are idle.
    pub fn only_idle_depend(&self, problem: &Problem) -> bool {
        matches!(self.form, Form::Symmetric | Form::General)
            && self.rank() + self.idle(problem).count() == self.order
    }
}

/// Diagonal of G along the unknown `k` of a face.
#[inline(always)]
fn response(values: &[f64], n: usize, face: &Face, k: usize) -> f64 {
    let at = |r: usize, c: usize| values[(face.row + c) * n + face.row + r];
    match &face.slide {
        Some(slide) => response_across(slide.u, [at(0, 0), at(0, 1), at(1, 1)]),
        None => at(k, k),
    }
}
