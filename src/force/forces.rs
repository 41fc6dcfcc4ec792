//! The forces that a simulation has.

use super::actuators::Actuators;
use super::face::{Force, Input, State};
use super::joint_damper::JointDamper;
use super::joint_spring::JointSpring;
use super::slopes::Slopes;
use super::wrenches::ExternalWrenches;
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::model::Model;
use crate::model::params::{Param, Params};

/// All forces of a simulation, and their slopes at the last state.
#[derive(Debug)]
pub struct Forces {
    damper: JointDamper,
    spring: JointSpring,
    actuators: Actuators,
    pub wrenches: ExternalWrenches,
    implicit: Slopes,
    slopes: Slopes,
}

impl Forces {
    pub fn new(model: &Model) -> Self {
        Forces {
            damper: JointDamper,
            spring: JointSpring::new(model),
            actuators: Actuators::new(model),
            wrenches: ExternalWrenches::new(model),
            implicit: Slopes::new(model.nv(), 0),
            slopes: Slopes::new(model.nv(), JointSpring::entries(model) + model.nu()),
        }
    }

    /// In the order in which they are summed.
    fn all(&self) -> impl Iterator<Item = &dyn Force> {
        let own: [&dyn Force; 4] = [&self.damper, &self.spring, &self.actuators, &self.wrenches];
        own.into_iter()
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut dyn Force> {
        let own: [&mut dyn Force; 4] = [
            &mut self.damper,
            &mut self.spring,
            &mut self.actuators,
            &mut self.wrenches,
        ];
        own.into_iter()
    }

    /// Takes new parameters; armature + h D̃ + h² K̃ of every dof into `diagonal`.
    pub fn refresh(&mut self, params: &Params, h: f64, diagonal: &mut [f64]) {
        let mut implicit = std::mem::take(&mut self.implicit);
        implicit.clear();
        self.all().for_each(|f| f.implicit(params, &mut implicit));
        for (k, d) in diagonal.iter_mut().enumerate() {
            let [by_q, by_v] = implicit.diagonal[k];
            *d = params.armature[k] + h * (by_v + h * by_q);
        }
        self.implicit = implicit;
    }

    /// Loads on the links; `kin` holds positions.
    pub fn load(&self, model: &Model, kin: &Kinematics, loads: &mut External) {
        self.all().for_each(|f| f.load(model, kin, loads));
    }

    /// The generalized force f(q, v, u) − h K̃ v into `tau`; how far it is from where the slopes jump.
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) -> f64 {
        // What any first summand, of either sign of zero, leaves as it is.
        tau.fill(-0.0);
        let mut distance = f64::INFINITY;
        for f in self.all_mut() {
            f.apply(at, tau);
            distance = distance.min(f.switch_distance());
        }
        distance
    }

    /// Makes what [`Forces::for_terms`] visits, at the state of the last [`Forces::apply`].
    pub fn differentiate(&mut self, at: &State<'_>) {
        let mut slopes = std::mem::take(&mut self.slopes);
        slopes.clear();
        self.all().for_each(|f| f.slopes(at, &mut slopes));
        self.slopes = slopes;
    }

    /// Visits the entries of R_q and R_v: (row, column, by q, by v). One may come more than once.
    #[inline(always)]
    pub fn for_terms(&self, h: f64, mut visit: impl FnMut(usize, usize, f64, f64)) {
        let diagonal = self.slopes.diagonal.iter().zip(&self.implicit.diagonal);
        for (k, ([by_q, by_v], [implicit, _])) in diagonal.enumerate() {
            visit(k, k, *by_q, by_v + h * implicit);
        }
        for e in &self.slopes.entries {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
    }

    /// Slopes by the inputs, in their order.
    pub fn inputs(&self) -> &[Input] {
        self.actuators.inputs()
    }

    /// r −= ∂f/∂u du; an empty `du` stands for zero.
    pub fn input_direction(&self, du: &[f64], r: &mut [f64]) {
        for (input, du) in self.inputs().iter().zip(du) {
            for (r, gear) in r[input.dof..].iter_mut().zip(input.gear()) {
                *r -= gear * input.slope * du;
            }
        }
    }

    /// u_bar ← −(∂f/∂u)ᵀ w.
    pub fn input_adjoint(&self, w: &[f64], u_bar: &mut [f64]) {
        for (out, input) in u_bar.iter_mut().zip(self.inputs()) {
            let geared: f64 = (input.gear().iter().zip(&w[input.dof..]))
                .map(|(g, w)| g * w)
                .sum();
            *out = -input.slope * geared;
        }
    }

    /// Adds the derivative of the balance by a parameter to `r`: [`Force::by_parameter`].
    pub fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        self.all().for_each(|f| f.by_parameter(at, acc, p, r));
    }

    /// Energy that forces store at q [J]; the state of the last [`Forces::apply`] is lost.
    pub fn energy(&mut self, model: &Model, params: &Params, q: &[f64]) -> f64 {
        self.all_mut().map(|f| f.energy(model, params, q)).sum()
    }
}
