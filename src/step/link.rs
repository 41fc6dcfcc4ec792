//! A link of a step's chain rule, and its arguments.

use super::contact::ImpulseBar;
use super::linearization::Linearization;
use super::taken::Taken;
use crate::error::Result;
use crate::integrator::Tangent;

/// A direction of all arguments of a step; an empty part is zero.
#[derive(Clone, Copy, Default)]
pub(super) struct Along<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Of the actuators' drives.
    pub u: &'a [f64],
    pub p: Parameters<'a>,
}

/// The part of a direction by the selected parameters.
#[derive(Clone, Copy)]
pub(super) enum Parameters<'a> {
    Along(&'a [f64]),
    /// A unit vector of one parameter; all other parts of the direction are zero.
    Unit(usize),
}

impl<'a> Parameters<'a> {
    /// The entries that are given: a parameter's index among the selected ones, and its entry.
    pub fn entries(self) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (unit, along) = match self {
            Parameters::Unit(p) => (Some((p, 1.0)), &[][..]),
            Parameters::Along(dp) => (None, dp),
        };
        unit.into_iter().chain(along.iter().copied().enumerate())
    }

    /// The entry of a parameter.
    pub fn weight(self, p: usize) -> f64 {
        match self {
            Parameters::Unit(own) => f64::from(u8::from(p == own)),
            Parameters::Along(dp) => dp.get(p).copied().unwrap_or(0.0),
        }
    }
}

impl Default for Parameters<'_> {
    fn default() -> Self {
        Parameters::Along(&[])
    }
}

/// Adjoints of the results of a step, of its impulses, and of v̂ − v̂₀; empty parts are zero.
pub(crate) struct Seed<'a> {
    pub next: Tangent<'a>,
    /// Of the activations; empty for zero.
    pub act: &'a [f64],
    pub impulses: ImpulseBar<'a>,
    pub velocity: &'a [f64],
}

impl<'a> Seed<'a> {
    /// The adjoints of the state and activations at the end only.
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

/// Destinations of the adjoints by u and p. The adjoints by q, v, activations and the integrator's state
/// are in [`Linearization`].
pub(super) struct Bars<'a> {
    pub u: Option<&'a mut [f64]>,
    pub p: Option<&'a mut [f64]>,
}

/// One link, in both directions. Forwards, [`Linearization::x`] passes through all links, first as forces,
/// then as velocities. Backwards, [`Linearization::z`] is the adjoint of velocities and
/// [`Linearization::weights`] of forces.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub forward: fn(&mut Taken<'_>, &mut Linearization, &Along<'_>) -> Result<()>,
    pub backward: fn(&mut Taken<'_>, &mut Linearization, &Seed<'_>, &mut Bars<'_>) -> Result<()>,
}
