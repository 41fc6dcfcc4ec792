//! What a force is asked for.

use super::slopes::Slopes;
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::{Param, Params};
use std::fmt::Debug;

/// State at the beginning of a step.
#[derive(Clone, Copy)]
pub struct State<'a> {
    pub model: &'a Model,
    pub params: &'a Params,
    /// Recursions at (q, v).
    pub kin: &'a Kinematics,
    /// nq, nv and nu numbers.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub u: &'a [f64],
    /// [s]
    pub time_step: f64,
}

/// A force with its derivatives. What [`Force::apply`] has found may be kept: the others that take a state come after
/// it and see the same one.
///
/// One made outside comes with [`Parts`](crate::step::Parts). Its slopes may join dofs of any two branches or trees: such
/// terms are products of low rank around the tree's factors.
pub trait Force: Debug + Send + Duplicate {
    /// The most entries that [`Force::slopes`] adds.
    fn entries(&self, _model: &Model) -> usize {
        0
    }

    /// Adds K̃ and D̃, which may depend on nothing but parameters.
    fn implicit(&self, _params: &Params, _into: &mut Slopes) {}

    /// Adds to the loads on links; `kin` holds positions.
    fn load(&self, _model: &Model, _params: &Params, _kin: &Kinematics, _loads: &mut External) {}

    /// Adds f(q, v, u) − h K̃ v to `tau`, nv entries [N or N m].
    fn apply(&mut self, _at: &State<'_>, _tau: &mut [f64]) {}

    /// How far the last [`Force::apply`] was from where the slopes jump, in the unit of what jumps.
    fn switch_distance(&self) -> f64 {
        f64::INFINITY
    }

    /// Adds −∂f/∂q and −∂f/∂v; by q in the tangent.
    fn slopes(&self, _at: &State<'_>, _into: &mut Slopes) {}

    /// ∂f/∂u.
    fn inputs(&self) -> &[Input] {
        &[]
    }

    /// Adds the derivative of −(f − h K̃ v − (h D̃ + h² K̃) a) by a parameter at fixed q, v and acceleration `acc` to `r`, nv
    /// entries; nothing for one that is not its own.
    fn by_parameter(&self, _at: &State<'_>, _acc: &[f64], _p: &Param, _r: &mut [f64]) {}

    /// Its own parameters: how many, their values [`ParamKind::Force`](crate::model::params::ParamKind::Force).
    fn parameters(&self) -> usize {
        0
    }

    fn parameter(&self, _component: usize) -> f64 {
        0.0
    }

    fn set_parameter(&mut self, _component: usize, _value: f64) {}

    /// Energy that it stores at q [J]. What [`Force::apply`] has kept may be lost.
    fn energy(&mut self, _model: &Model, _params: &Params, _q: &[f64]) -> f64 {
        0.0
    }
}

/// A copy behind the face: any force that is `Clone` has it.
pub trait Duplicate {
    fn duplicate(&self) -> Box<dyn Force>;
}

impl<F: Force + Clone + 'static> Duplicate for F {
    fn duplicate(&self) -> Box<dyn Force> {
        Box::new(self.clone())
    }
}

/// How an input acts: its force on consecutive dofs per unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    /// Its number.
    pub input: usize,
    /// The first dof.
    pub dof: usize,
    /// Force per unit of u, before the gear; zero where a clamp holds.
    pub slope: f64,
    gear: [f64; 6],
    dofs: usize,
}

impl Input {
    /// On up to six dofs, as many as there are gears, from `dof` on.
    pub fn new(input: usize, dof: usize, gears: &[f64]) -> Self {
        let mut gear = [0.0; 6];
        gear[..gears.len()].copy_from_slice(gears);
        Input {
            input,
            dof,
            slope: 0.0,
            gear,
            dofs: gears.len(),
        }
    }

    /// Force on each dof per unit of force before the gear.
    #[inline(always)]
    pub fn gear(&self) -> &[f64] {
        &self.gear[..self.dofs]
    }
}
