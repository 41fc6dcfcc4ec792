//! The interface of a force to a step.

use super::slopes::Slopes;
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::axpy;
use crate::model::Model;
use crate::model::params::{Param, Params};
use std::fmt::{Debug, Formatter};

/// State at the beginning of a step.
#[derive(Clone, Copy)]
pub struct State<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    /// Recursions at (q, v).
    pub kin: &'a Kinematics,
    /// nq and nv numbers.
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// Drives of the actuators, nu numbers: the inputs, or the activations of actuators that have one.
    pub u: &'a [f64],
    /// [s]
    pub time_step: f64,
    /// Factor on v₀, by which dampers fade in more slowly: 1, except during the homotopy of Newton's
    /// method.
    pub ease: f64,
}

/// A force with its derivatives. It may keep results of [`Force::apply`]: the other methods that take a
/// state are called after it, with the same state.
///
/// A force defined outside the library comes with [`Parts`](crate::step::Parts). Its derivatives may
/// couple dofs of any two branches or trees: such terms are products of low rank around the factors of
/// the trees.
pub trait Force: Send + Duplicate {
    /// Largest number of entries that [`Force::slopes`] adds.
    fn entries(&self, _model: &Model) -> usize {
        0
    }

    /// Adds K̃ and D̃. They may depend on parameters only.
    fn implicit(&self, _params: &Params, _into: &mut Slopes) {}

    /// Adds to the loads on links, for a force that depends on placements and parameters alone; `kin` holds
    /// positions. Steps and queries of the dynamics (inverse, forward) include loads. Only steps include the
    /// forces of [`Force::apply`].
    fn load(&self, _model: &Model, _params: &Params, _kin: &Kinematics, _loads: &mut External) {}

    /// Adds f(q, v, u) − h K̃ v to `tau`, nv entries [N or N m].
    fn apply(&mut self, _at: &State<'_>, _tau: &mut [f64]) {}

    /// Distance of the last [`Force::apply`] from the nearest jump of the derivatives, in the unit of
    /// the quantity that jumps.
    fn switch_distance(&self) -> f64 {
        f64::INFINITY
    }

    /// Adds −∂f/∂q (by the tangent) and −∂f/∂v.
    fn slopes(&self, _at: &State<'_>, _into: &mut Slopes) {}

    /// ∂f/∂u: a fixed number of inputs, each on fixed dofs.
    fn inputs(&self) -> &[Input] {
        &[]
    }

    /// Adds the derivative of −(f − h K̃ v − (h D̃ + h² K̃) a) by a parameter at fixed q, v and
    /// acceleration `acc` to `r`, nv entries. Adds nothing for a parameter of another force.
    fn by_parameter(&self, _at: &State<'_>, _acc: &[f64], _p: &Param, _r: &mut [f64]) {}

    /// Number of its own parameters. Their values are
    /// [`ParamKind::Force`](crate::model::params::ParamKind::Force).
    fn parameters(&self) -> usize {
        0
    }

    fn parameter(&self, _component: usize) -> f64 {
        0.0
    }

    fn set_parameter(&mut self, _component: usize, _value: f64) {}

    /// Energy stored at q [J]; `kin` holds positions. Results kept by [`Force::apply`] may be lost.
    fn energy(&mut self, _model: &Model, _params: &Params, _kin: &Kinematics, _q: &[f64]) -> f64 {
        0.0
    }
}

// A supertrait would keep the texts of all types behind this one in the library.
impl Debug for dyn Force {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a force")
    }
}

/// Copies a boxed force. Any force that is `Clone` has it.
pub trait Duplicate {
    fn duplicate(&self) -> Box<dyn Force>;
}

impl<F: Force + Clone + 'static> Duplicate for F {
    fn duplicate(&self) -> Box<dyn Force> {
        Box::new(self.clone())
    }
}

/// The effect of an input on dofs, per unit of u.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Index of the input.
    pub input: usize,
    /// Force per unit of u, before the moment. Zero if a clamp holds.
    pub slope: f64,
    dofs: Vec<usize>,
    moment: Vec<f64>,
}

impl Input {
    /// An input on these dofs, of any branches. The dofs are the same at all states.
    pub fn new(input: usize, moment: impl IntoIterator<Item = (usize, f64)>) -> Self {
        let (dofs, moment) = moment.into_iter().unzip();
        Input {
            input,
            slope: 0.0,
            dofs,
            moment,
        }
    }

    pub fn dofs(&self) -> &[usize] {
        &self.dofs
    }

    /// One of the dofs. A step joins the trees of all dofs with its tree.
    #[inline(always)]
    pub fn home(&self) -> usize {
        self.dofs[0]
    }

    /// Force on each of the dofs per unit of force before the moment.
    pub fn moment_mut(&mut self) -> &mut [f64] {
        &mut self.moment
    }

    /// Sets the moments from a function over all dofs.
    pub fn set_moments(&mut self, of: impl Fn(usize) -> f64) {
        for (moment, k) in self.moment.iter_mut().zip(&self.dofs) {
            *moment = of(*k);
        }
    }

    /// Copies the state-dependent data of the same input at another state.
    pub fn take_state(&mut self, from: &Input) {
        self.slope = from.slope;
        match (&self.dofs[..], &from.dofs[..], &mut self.moment[..]) {
            // Most inputs push one joint.
            ([k], [l], [moment]) if k == l => *moment = from.moment[0],
            _ => {
                self.dofs.clone_from(&from.dofs);
                self.moment.clone_from(&from.moment);
            }
        }
    }

    /// Dofs with their moments.
    #[inline(always)]
    pub fn moments(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.dofs.iter().copied().zip(self.moment.iter().copied())
    }

    /// r −= (∂f/∂u) du, for W columns.
    #[inline(always)]
    pub fn subtract<const W: usize>(&self, du: &[f64; W], r: &mut [[f64; W]]) {
        for (k, moment) in self.moments() {
            axpy(-(moment * self.slope), du, &mut r[k]);
        }
    }

    /// (∂f/∂u)ᵀ w.
    #[inline(always)]
    pub fn adjoint(&self, w: &[f64]) -> f64 {
        let sum: f64 = self.moments().map(|(k, moment)| moment * w[k]).sum();
        self.slope * sum
    }
}
