//! Joint torques that hold a robot still on its contacts, its base free.
//!
//! Contact forces are not unknowns: the step finds them, and Gauss–Newton on the inputs u makes the
//! acceleration (v⁺ − v)/h zero with ∂v⁺/∂u, exact or by finite differences. After "Inverse dynamics
//! through contacts" and appendix E in "End-to-end and highly-efficient differentiable simulation for
//! robotics".

pub mod common;

use common::gauss_newton::{Budget, Gradient, LeastSquares, Run, minimize};
use common::pose::{Support, place};
use common::report::Report;
use diffsim::error::{Error, Result};
use diffsim::load::mjcf::{self, MjcfOptions};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::{Actuation, Model};
use diffsim::record::{Recorder, RecorderOptions};
use diffsim::spatial::{INERTIA_PARAMS, Inertia, Sym3, Vec3};
use diffsim::step::{Options, Sim, StepJacobians};
use nalgebra::{DMatrix, DVector};
use std::path::Path;
use std::sync::Arc;

/// The poses to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Quadruped on four feet.
    Stand,
    /// The same with 10 kg on its back.
    Load,
    /// Quadruped on its two front feet, the centre of mass above them.
    HandStand,
    /// Humanoid on hands and toes.
    PushUp,
}

impl Task {
    pub const ALL: [Task; 4] = [Task::Stand, Task::Load, Task::HandStand, Task::PushUp];

    pub fn title(self) -> &'static str {
        match self {
            Task::Stand => "Quadruped standing",
            Task::Load => "Quadruped standing with 10 kg on its back",
            Task::HandStand => "Quadruped in a hand-stand",
            Task::PushUp => "Humanoid in a push-up",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Task::Stand => "hold_stand",
            Task::Load => "hold_load",
            Task::HandStand => "hold_hand_stand",
            Task::PushUp => "hold_push_up",
        }
    }
}

/// Finds the inputs under which a robot at rest stays at rest.
pub struct Hold {
    pub sim: Sim,
    pub q: Vec<f64>,
    v: Vec<f64>,
    /// Index in u of the first unknown; the inputs before it, which would act on the base, are zero.
    first: usize,
}

impl Hold {
    pub fn new(task: Task) -> Result<Hold> {
        let (file, actuation) = match task {
            Task::PushUp => ("humanoid.xml", Actuation::FromFile),
            // The file's actuators are position servos: torques are asked for instead.
            _ => ("quadruped.xml", Actuation::Full),
        };
        let spec = mjcf::read_file(&common::model_path(file), &MjcfOptions::default())?;
        let model = Arc::new(Model::compile(spec, actuation)?);
        let mut sim = Sim::new(
            model.clone(),
            &Options {
                time_step: 1e-3,
                ..Options::default()
            },
        )?;
        if task == Task::Load {
            add_mass(&mut sim, "trunk", 10.0, Vec3::new(0.0, 0.0, 0.1))?;
        }
        let mut q = model.keyframe("standing")?.q.clone();
        let supports = pose(task, &model, &mut q)?;
        place(&mut sim, &mut q, &supports, task == Task::HandStand)?;
        Ok(Hold {
            v: vec![0.0; model.nv()],
            first: if actuation == Actuation::Full { 6 } else { 0 },
            sim,
            q,
        })
    }

    /// Number of unknown inputs.
    pub fn unknowns(&self) -> usize {
        self.sim.model().nu() - self.first
    }

    /// All inputs, from those that are unknown.
    fn inputs(&self, x: &DVector<f64>) -> Vec<f64> {
        let mut u = vec![0.0; self.first];
        u.extend_from_slice(x.as_slice());
        u
    }

    /// Writes a recording of half a second under these inputs.
    fn record(&mut self, x: &DVector<f64>, path: &Path) -> Result<()> {
        let u = self.inputs(x);
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        let mut recorder = Recorder::new(self.sim.model().clone(), &RecorderOptions::default())?;
        self.sim.reset();
        for _ in 0..(0.5 / self.sim.options().time_step) as usize {
            self.sim.step(&q, &v, &u, &mut q_next, &mut v_next)?;
            recorder.step(&self.sim)?;
            std::mem::swap(&mut q, &mut q_next);
            std::mem::swap(&mut v, &mut v_next);
        }
        recorder.save(path)
    }

    /// Acceleration over one step from rest [m/s², rad/s²].
    fn acceleration(&mut self, x: &DVector<f64>) -> Result<DVector<f64>> {
        let u = self.inputs(x);
        let (mut q_next, mut v_next) = (self.q.clone(), self.v.clone());
        // Without the last step's memory the result depends on x alone.
        self.sim.reset();
        self.sim
            .step(&self.q, &self.v, &u, &mut q_next, &mut v_next)?;
        let h = self.sim.options().time_step;
        Ok((DVector::from_vec(v_next) - DVector::from_column_slice(&self.v)) / h)
    }
}

impl LeastSquares for Hold {
    fn residual(&mut self, x: &DVector<f64>) -> Result<DVector<f64>> {
        self.acceleration(x)
    }

    fn linearize(&mut self, x: &DVector<f64>) -> Result<(DVector<f64>, DMatrix<f64>)> {
        let r = self.acceleration(x)?;
        let (nv, nu) = (self.sim.model().nv(), self.sim.model().nu());
        let mut dv_du = DMatrix::zeros(nv, nu);
        self.sim.step_jacobians(StepJacobians {
            dv_du: Some(dv_du.as_mut_slice()),
            ..StepJacobians::default()
        })?;
        let h = self.sim.options().time_step;
        Ok((r, dv_du.columns(self.first, nu - self.first) / h))
    }
}

/// Adds a point mass to a body [kg, body frame m].
fn add_mass(sim: &mut Sim, body: &str, mass: f64, at: Vec3) -> Result<()> {
    let id = body_id(sim.model(), body)?;
    let inertial: Vec<_> = (0..INERTIA_PARAMS as i32)
        .map(|component| Param {
            kind: ParamKind::BodyInertia,
            index: id,
            component,
        })
        .collect();
    sim.select_params(&inertial)?;
    let mut p = [0.0; INERTIA_PARAMS];
    sim.get_params(&mut p)?;
    let added = Inertia::from_com(mass, at, Sym3::ZERO).to_params();
    for (p, a) in p.iter_mut().zip(added) {
        *p += a;
    }
    sim.set_params(&p)
}

fn body_id(model: &Model, name: &str) -> Result<i32> {
    let id = model.body_id(name).and_then(|id| i32::try_from(id).ok());
    id.ok_or_else(|| Error::invalid(format!("no body is called \"{name}\"")))
}

/// Sets the joints and a rough base pose; returns the supports that should touch the floor.
fn pose(task: Task, model: &Model, q: &mut [f64]) -> Result<Vec<Support>> {
    let mut set = |joint: &str, angle: f64| -> Result<()> {
        let id = model.joint_id(joint);
        let id = id.ok_or_else(|| Error::invalid(format!("no joint is called \"{joint}\"")))?;
        q[model.joint(id).iq] = angle;
        Ok(())
    };
    match task {
        Task::Stand | Task::Load => ["FR_foot", "FL_foot", "RR_foot", "RL_foot"]
            .map(|geom| Support::center(model, geom))
            .into_iter()
            .collect(),
        Task::HandStand => {
            for side in ["FR", "FL"] {
                set(&format!("{side}_thigh_joint"), -0.4)?;
                set(&format!("{side}_calf_joint"), -0.9)?;
            }
            for side in ["RR", "RL"] {
                set(&format!("{side}_thigh_joint"), 1.2)?;
                set(&format!("{side}_calf_joint"), -1.2)?;
            }
            pitch(q, 1.2);
            ["FR_foot", "FL_foot"]
                .map(|geom| Support::center(model, geom))
                .into_iter()
                .collect()
        }
        Task::PushUp => {
            for side in ["right", "left"] {
                set(&format!("{side}_shoulder_pitch"), 1.3)?;
                set(&format!("{side}_elbow"), 0.1)?;
            }
            pitch(q, 1.2);
            let hands = ["right_hand", "left_hand"].map(|geom| Support::center(model, geom));
            let toes = [
                "right_foot_outer",
                "right_foot_inner",
                "left_foot_outer",
                "left_foot_inner",
            ]
            .map(|geom| Support::tip(model, geom));
            hands.into_iter().chain(toes).collect()
        }
    }
}

/// Turns the base about its y axis: nose down for a positive angle.
fn pitch(q: &mut [f64], angle: f64) {
    let (s, c) = (0.5 * angle).sin_cos();
    q[3..7].copy_from_slice(&[0.0, s, 0.0, c]);
}

/// The gradients that are compared.
pub const GRADIENTS: [Gradient; 3] = [
    Gradient::Exact,
    Gradient::Forward(1e-6),
    Gradient::Central(1e-4),
];

/// The quadruped starts from torques without meaning under which feet lift, the humanoid from none:
/// its solutions nearest to a lifted toe leave that toe with neither load nor speed, at a switch of
/// modes, where derivatives are one-sided.
pub fn solve(task: Task, gradient: Gradient, iterations: usize) -> Result<Run> {
    let mut hold = Hold::new(task)?;
    let torque = if task == Task::PushUp { 0.0 } else { 6.0 };
    let guess = DVector::from_fn(hold.unknowns(), |k, _| torque * (3.0 * k as f64).sin());
    let budget = Budget {
        iterations,
        tolerance: 1e-9,
        rank_tolerance: 1e-6,
    };
    minimize(&mut hold, guess, gradient, budget)
}

fn main() -> Result<()> {
    let out = common::output_directory()?;
    for task in Task::ALL {
        let report = Report {
            title: task.title(),
            evaluations: "steps",
            residual: "acceleration",
            units: "m/s², rad/s²",
            path: out.join(task.file_name()).with_extension("svg"),
        };
        let run = report.compare(&GRADIENTS, |gradient| solve(task, gradient, 30))?;
        let mut hold = Hold::new(task)?;
        for (name, x) in [("held", &run.x), ("limp", &(0.0 * &run.x))] {
            hold.record(x, &out.join(format!("{}_{name}.dsrec", task.file_name())))?;
        }
    }
    Ok(())
}
