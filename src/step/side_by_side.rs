//! A step of four simulations of one model whose recursions run side by side ([`Four`]).
//!
//! It has the stages of [`explicit`](super::explicit). Placements, the Coriolis forces of fast joints and the
//! free motion are in lanes, with the factors of A if there are rows; the other stages are taken by one
//! simulation after the other. Each simulation has the bits of a step of its own.

use super::sim::Sim;
use crate::dynamics::four::{Four, SIDE_BY_SIDE};
use crate::error::{Error, Result};
use crate::force::FourWhirling;
use crate::model::Model;
use crate::model::params::Params;
use std::sync::Arc;

/// Memory for the recursions of four simulations.
#[derive(Debug)]
pub(crate) struct SideBySide {
    model: Arc<Model>,
    four: Four,
    whirling: Vec<FourWhirling>,
}

impl SideBySide {
    /// For simulations like this one; `None` if their recursions cannot run side by side
    /// ([`Sim::may_run_beside`]), or not on this processor.
    pub fn new(sim: &Sim) -> Option<SideBySide> {
        let of = (sim.may_run_beside()).then(|| Four::new(&sim.model, sim.contact.is_some()));
        let coriolis = sim.forces.coriolis.iter();
        Some(SideBySide {
            model: sim.model.clone(),
            four: of.flatten()?,
            whirling: coriolis
                .flat_map(|c| c.four(sim.model.topology()))
                .collect(),
        })
    }

    /// Takes the parameters of each simulation.
    pub fn take_params(&mut self, of: [&Params; SIDE_BY_SIDE]) {
        self.four.take_params(of);
    }
}

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

/// Takes a step of each simulation that is there. All have the model and the options of `beside`, which holds
/// their parameters, and may run beside others ([`Sim::may_run_beside`]). Each has the result and the errors
/// of [`Sim::step_on`].
pub(crate) fn step_side_by_side(
    beside: &mut SideBySide,
    mut all: [Option<Stepped<'_>>; SIDE_BY_SIDE],
) -> [Result<()>; SIDE_BY_SIDE] {
    let mut outcomes = [(); SIDE_BY_SIDE].map(|()| Ok::<(), Error>(()));
    if all.iter().all(Option::is_none) {
        return outcomes;
    }
    let SideBySide {
        model,
        four,
        whirling,
    } = beside;
    let t = model.topology();
    // Runs a stage of each simulation that has not failed.
    let mut each = |stage: &mut dyn FnMut(&mut Stepped<'_>, usize) -> Result<()>| {
        for (lane, (of, outcome)) in all.iter_mut().zip(&mut outcomes).enumerate() {
            if let (Some(of), true) = (of, outcome.is_ok()) {
                *outcome = stage(of, lane);
            }
        }
    };
    each(&mut |of, lane| of.sim.set_out(four, lane, [of.q, of.v, of.u]));
    four.place(t);
    each(&mut |of, lane| of.sim.push_beside(four, lane));
    let mut is_whirled = false;
    each(&mut |of, _| {
        if let (Some(coriolis), false) = (&of.sim.forces.coriolis, is_whirled) {
            coriolis.apply_four(whirling, t, of.sim.options.time_step, four);
            is_whirled = true;
        }
        Ok(())
    });
    let mut has_rows = false;
    each(&mut |of, lane| {
        has_rows = of.sim.contact.is_some();
        of.sim.turn_beside(four, lane);
        Ok(())
    });
    match has_rows {
        true => four.factor(t),
        false => four.fall(t),
    }
    each(&mut |of, lane| of.sim.arrive(four, lane, [of.q_next, of.v_next]));
    outcomes
}
