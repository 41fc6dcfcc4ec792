//! Actuators: what inputs do to joints, through a gear, a gain and a bias, with clamps. Explicit.

use super::face::{Force, Input, State};
use super::slopes::Slopes;
use crate::model::{Actuator, Model};

/// An actuator's force and its slopes.
struct ActuatorForce {
    /// [N or N m] before the gear.
    force: f64,
    /// By u, by length and by velocity of the transmission; zero where a clamp holds.
    by_u: f64,
    by_length: f64,
    by_velocity: f64,
    /// Distance of the input or force to the nearest clamp, in its own unit.
    margin: f64,
}

impl ActuatorForce {
    /// At a clamp itself the slope is that of the unclamped side.
    fn of(a: &Actuator, q: &[f64], v: &[f64], u: f64) -> Self {
        let mut margin = f64::INFINITY;
        let mut clamp = |x: f64, range: Option<(f64, f64)>| match range {
            None => (x, true),
            // Nothing passes, on either side.
            Some((lo, hi)) if lo == hi => (lo, false),
            Some((lo, hi)) => {
                margin = margin.min((x - lo).abs()).min((x - hi).abs());
                (x.clamp(lo, hi), x >= lo && x <= hi)
            }
        };
        let (u, u_free) = clamp(u, a.control_range);
        let (mut length, mut velocity) = (0.0, 0.0);
        if a.bias[1] != 0.0 || a.bias[2] != 0.0 {
            length = a.gear[0] * q[a.iq];
            velocity = a.gear[0] * v[a.iv];
        }
        let raw = a.gain * u + a.bias[0] + a.bias[1] * length + a.bias[2] * velocity;
        let (force, free) = clamp(raw, a.force_range);
        let on = |slope: f64, free: bool| if free { slope } else { 0.0 };
        ActuatorForce {
            force,
            by_u: on(a.gain, free && u_free),
            by_length: on(a.bias[1] * a.gear[0], free),
            by_velocity: on(a.bias[2] * a.gear[0], free),
            margin,
        }
    }
}

/// All actuators of a model, at the last state.
#[derive(Clone, Debug)]
pub struct Actuators {
    inputs: Vec<Input>,
    /// By length and by velocity of each transmission.
    by_state: Vec<[f64; 2]>,
    margin: f64,
}

impl Actuators {
    pub fn new(model: &Model) -> Self {
        Actuators {
            inputs: (model.actuators().iter().enumerate())
                .map(|(j, a)| Input::new(j, a.iv, &a.gear))
                .collect(),
            by_state: vec![[0.0; 2]; model.nu()],
            margin: f64::INFINITY,
        }
    }
}

impl Force for Actuators {
    fn entries(&self, model: &Model) -> usize {
        model.nu()
    }

    fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) {
        self.margin = f64::INFINITY;
        let slopes = self.inputs.iter_mut().zip(&mut self.by_state);
        for (((input, by_state), a), u) in slopes.zip(at.model.actuators()).zip(at.u) {
            let f = ActuatorForce::of(a, at.q, at.v, *u);
            input.slope = f.by_u;
            *by_state = [f.by_length, f.by_velocity];
            self.margin = self.margin.min(f.margin);
            for (tau, gear) in tau[a.iv..].iter_mut().zip(&a.gear) {
                *tau += gear * f.force;
            }
        }
    }

    fn switch_distance(&self) -> f64 {
        self.margin
    }

    fn slopes(&self, _: &State<'_>, into: &mut Slopes) {
        for (input, [by_length, by_velocity]) in self.inputs.iter().zip(&self.by_state) {
            let gear = -input.gear()[0];
            let dofs = [input.dof, input.dof];
            into.add(dofs, gear * by_length, gear * by_velocity);
        }
    }

    fn inputs(&self) -> &[Input] {
        &self.inputs
    }
}
