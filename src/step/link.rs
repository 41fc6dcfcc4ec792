//! What runs through a link of a step's chain rule.

use super::contact::ImpulseBar;
use super::linearization::Linearization;
use super::sim::Sim;
use crate::error::Result;
use crate::integrator::Tangent;

/// A direction of all that a step depends on; an empty part is zero.
#[derive(Clone, Copy, Default)]
pub(super) struct Along<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Of what drives the actuators.
    pub u: &'a [f64],
    pub p: Parameters<'a>,
}

/// The part of a direction by the selected parameters.
#[derive(Clone, Copy)]
pub(super) enum Parameters<'a> {
    Along(&'a [f64]),
    /// One of them, and nothing else of the direction.
    Unit(usize),
}

impl Default for Parameters<'_> {
    fn default() -> Self {
        Parameters::Along(&[])
    }
}

/// The adjoint of what a step ends with, of its impulses, and of v̂ − v̂₀, or none.
pub(crate) struct Seed<'a> {
    pub next: Tangent<'a>,
    /// Of the activations; empty where it is zero.
    pub act: &'a [f64],
    pub impulses: ImpulseBar<'a>,
    pub velocity: &'a [f64],
}

impl<'a> Seed<'a> {
    /// Of the state at the end alone.
    pub fn of(q: &'a [f64], v: &'a [f64], act: &'a [f64]) -> Self {
        let carried = &[];
        Seed {
            next: Tangent { q, v, carried },
            act,
            impulses: ImpulseBar::default(),
            velocity: &[],
        }
    }
}

/// Where the adjoints by what a step depends on go: those by q, v, activations and what is carried are in [`Linearization`].
pub(super) struct Bars<'a> {
    pub u: Option<&'a mut [f64]>,
    pub p: Option<&'a mut [f64]>,
}

/// One link, in both directions. [`Linearization::x`] goes through all of them: forces, then velocities; on the way back
/// [`Linearization::z`] weighs velocities and [`Linearization::weights`] forces.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub forward: fn(&mut Sim, &mut Linearization, &Along<'_>) -> Result<()>,
    pub backward: fn(&mut Sim, &mut Linearization, &Seed<'_>, &mut Bars<'_>) -> Result<()>,
}
