//! A step of four simulations of one model whose recursions run side by side ([`Four`]).
//!
//! It has the stages of [`explicit`](super::explicit). Forces that depend on no placement come first, then
//! the free motion of all four, then the end of each step. Each simulation has the bits of a step of its own.

use super::sim::Sim;
use crate::dynamics::four::{Four, SIDE_BY_SIDE};
use crate::error::{Error, Result};

/// A simulation, its state and inputs, and the destination of its next state.
pub(crate) struct Stepped<'a> {
    sim: &'a mut Sim,
    q: &'a [f64],
    v: &'a [f64],
    u: &'a [f64],
    q_next: &'a mut [f64],
    v_next: &'a mut [f64],
}

impl<'a> Stepped<'a> {
    /// `start`: q, v and u. `end`: destinations of q and v.
    pub fn new(
        sim: &'a mut Sim,
        [q, v, u]: [&'a [f64]; 3],
        [q_next, v_next]: [&'a mut [f64]; 2],
    ) -> Self {
        Stepped {
            sim,
            q,
            v,
            u,
            q_next,
            v_next,
        }
    }
}

/// Takes a step of each simulation that is there. All have the model of `four`, which holds their parameters,
/// and are plain ([`Sim::is_plain`]). Each has the result and the errors of [`Sim::step_on`].
pub(crate) fn step_side_by_side(
    four: &mut Four,
    mut all: [Option<Stepped<'_>>; SIDE_BY_SIDE],
) -> [Result<()>; SIDE_BY_SIDE] {
    let mut outcomes = [(); SIDE_BY_SIDE].map(|()| Ok::<(), Error>(()));
    for (lane, of) in all.iter_mut().enumerate() {
        // Forces of fast joints depend on placements.
        if let Some(of) = of.take_if(|of| !of.sim.is_plain_at(of.v)) {
            outcomes[lane] = of.sim.step_on(of.q, of.v, of.u, of.q_next, of.v_next);
        }
        let Some(of) = of else { continue };
        outcomes[lane] = of.sim.set_out(of.q, of.v, of.u);
        let sim = &*of.sim;
        for (to, from) in [
            (&mut four.q, &sim.pending.q),
            (&mut four.v, &sim.pending.v),
            (&mut four.tau, &sim.tau),
            (&mut four.diagonal, &sim.diagonal),
        ] {
            for (to, from) in to.iter_mut().zip(from) {
                to.0[lane] = *from;
            }
        }
    }
    if let Some(of) = all.iter().flatten().next() {
        four.fall(of.sim.model.topology());
    }
    for (lane, (of, outcome)) in all.iter_mut().zip(&mut outcomes).enumerate() {
        if let (Some(of), true) = (of, outcome.is_ok()) {
            *outcome = of.sim.arrive(four, lane, [of.q_next, of.v_next]);
        }
    }
    outcomes
}
