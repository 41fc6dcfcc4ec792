//! Factors of an implicit stage's matrix with entries between dofs of different links, and solving with
//! them.

use super::general_articulation::{ByUnknown, GeneralArticulation, add, add_scaled, alone};
use super::link_terms::LinkTerms;
use super::ties::Ties;
use crate::joint::MAX_DOFS;
use crate::linalg::{F4, dispatch};
use crate::model::topology::{Link, Topology, WORLD};

#[inline(always)]
fn factor_kernel(
    f: &mut GeneralArticulation,
    t: &Topology,
    terms: &LinkTerms,
    given: &[bool],
    of: &mut dyn FnMut(&Link, &mut ByUnknown),
    ties: &mut Ties,
    singular: &mut Option<usize>,
) {
    *singular = None;
    let mut by = [[[0.0; MAX_DOFS]; 3]; MAX_DOFS];
    for (i, asked) in f.asked.iter_mut().enumerate() {
        *asked = alone(terms, i);
    }
    for (i, l) in t.links.iter().enumerate().rev() {
        of(l, &mut by);
        *singular = f.eliminate(terms, i, l, &by, given);
        if singular.is_none()
            && let Some(k) = ties.of_top(i)
        {
            *singular = ties.close(f, t, k);
            if l.parent != WORLD {
                ties.pass_on(k, &mut f.asked[l.parent]);
            }
        }
        if singular.is_some() {
            return;
        }
    }
    if let Some(k) = ties.of_world() {
        *singular = ties.close(f, t, k);
    }
}

#[inline(always)]
fn solve_kernel(f: &mut GeneralArticulation, t: &Topology, ties: &mut Ties, x: &mut [f64]) {
    f.force.fill([0.0; 6]);
    for (i, l) in t.links.iter().enumerate().rev() {
        let mut force = f.up(i, l, x);
        if let Some(k) = ties.of_top(i) {
            ties.answer(f, t, k, x, &mut force);
        }
        if l.parent != WORLD {
            add(&mut f.force[l.parent], &force);
        }
    }
    if let Some(k) = ties.of_world() {
        ties.answer(f, t, k, x, &mut [0.0; 6]);
        ties.release(t, k, &[F4::ZERO; 5], x);
    }
    for (i, l) in t.links.iter().enumerate() {
        let above = match l.parent {
            WORLD => [F4::ZERO; 5],
            p => f.moved[p],
        };
        if let Some(k) = ties.of_top(i) {
            ties.release(t, k, &above, x);
        }
        f.down(i, l, above, x);
    }
}

#[inline(always)]
fn solve_transposed_kernel(
    f: &mut GeneralArticulation,
    t: &Topology,
    ties: &mut Ties,
    x: &mut [f64],
) {
    f.moved.fill([F4::ZERO; 5]);
    for (i, l) in t.links.iter().enumerate().rev() {
        let mut bar = f.down_transposed(i, l, x);
        if let Some(k) = ties.of_top(i) {
            ties.release_transposed(t, k, x, &mut bar);
        }
        if l.parent != WORLD {
            add_scaled(&mut f.moved[l.parent], 1.0, &bar);
        }
    }
    if let Some(k) = ties.of_world() {
        ties.release_transposed(t, k, x, &mut [F4::ZERO; 5]);
        ties.answer_transposed(f, t, k, &[0.0; 6], x);
    }
    for (i, l) in t.links.iter().enumerate() {
        let above = match l.parent {
            WORLD => [0.0; 6],
            p => f.force[p],
        };
        if let Some(k) = ties.of_top(i) {
            ties.answer_transposed(f, t, k, &above, x);
        }
        f.up_transposed(i, l, above, x);
    }
}

dispatch! {
    /// Factors M a + D v + Q q, where `of` gives a, v and q of each link per unit of its unknowns, in
    /// the first n × 3 × n entries. `ties` has taken the terms between links. The rows of `given`
    /// unknowns are those of the identity. If the matrix is singular at a link, `singular` becomes a dof
    /// of it.
    pub fn factor_general = factor_kernel(
        f: &mut GeneralArticulation, t: &Topology, terms: &LinkTerms, given: &[bool],
        of: &mut dyn FnMut(&Link, &mut ByUnknown), ties: &mut Ties, singular: &mut Option<usize>,
    )
}

dispatch! {
    /// x ← H⁻¹ x.
    pub fn solve_general = solve_kernel(
        f: &mut GeneralArticulation, t: &Topology, ties: &mut Ties, x: &mut [f64],
    )
}

dispatch! {
    /// x ← H⁻ᵀ x.
    pub fn solve_general_transposed = solve_transposed_kernel(
        f: &mut GeneralArticulation, t: &Topology, ties: &mut Ties, x: &mut [f64],
    )
}
