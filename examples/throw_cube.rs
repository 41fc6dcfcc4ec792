//! Throws a cube so that it comes to rest at a chosen pose.
//!
//! The unknown is the initial velocity of a flight that ends in impacts, sliding and sticking; or
//! the impulse of a kick on a cube that rests on the floor. Gauss–Newton on the final pose uses the
//! product of the steps' exact Jacobians, and beside it finite differences of the whole rollout.
//! After "Estimating initial conditions" in "End-to-end and highly-efficient differentiable simulation for
//! robotics".

pub mod common;

use common::gauss_newton::{Budget, Gradient, LeastSquares, Run, minimize};
use common::report::Report;
use diffsim::error::Result;
use diffsim::load::mjcf::{self, MjcfOptions};
use diffsim::model::topology::LinkKind;
use diffsim::model::{Actuation, Model};
use diffsim::record::{Recorder, RecorderOptions};
use diffsim::step::{Options, Sim, StepJacobians};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};
use std::path::Path;
use std::sync::Arc;

const CUBE: &str = r#"<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.1" friction="0.4"/>
    <body name="cube" pos="0 0 0.05">
      <freejoint/>
      <geom name="cube" type="box" size="0.05 0.05 0.05" mass="1" friction="0.4"/>
    </body>
  </worldbody>
</mujoco>"#;

const HALF_EDGE: f64 = 0.05;

/// From [`Unknown::Impulse`] to N s and N m s: brings all six to one order of magnitude.
const IMPULSE_SCALE: [f64; 6] = [1.0, 1.0, 1.0, HALF_EDGE, HALF_EDGE, HALF_EDGE];

/// Steps of 2 ms: enough for the cube to come to rest.
pub const STEPS: usize = 500;

/// The unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Twist of the cube at the start, body axes [m/s, rad/s].
    Velocity,
    /// Impulse on the cube in the first step, body axes at its centre: linear [N s], then angular in
    /// units of a linear one that acts at half an edge [N s · 0.05 m].
    Impulse,
}

/// Finds a throw that ends at a given pose.
pub struct Throw {
    pub sim: Sim,
    unknown: Unknown,
    pub q0: Vec<f64>,
    target: Vec<f64>,
}

impl Throw {
    /// The target is where the cube ends when `reference` is the initial velocity or impulse.
    pub fn new(unknown: Unknown, q0: &[f64], reference: &DVector<f64>) -> Result<Self> {
        let spec = mjcf::read_str(CUBE, None, &MjcfOptions::default())?;
        let model = Arc::new(Model::compile(spec, Actuation::Full)?);
        let options = Options {
            time_step: 2e-3,
            require_convergence: true,
            ..Options::default()
        };
        let mut throw = Throw {
            sim: Sim::new(model, &options)?,
            unknown,
            q0: q0.to_vec(),
            target: q0.to_vec(),
        };
        throw.target = throw.end(reference)?;
        Ok(throw)
    }

    /// Where the cube ends.
    fn end(&mut self, x: &DVector<f64>) -> Result<Vec<f64>> {
        let mut end = self.q0.clone();
        self.run(x, |_, q| {
            end.copy_from_slice(q);
            Ok(())
        })?;
        Ok(end)
    }

    /// Steps through the throw and calls `each` after every step.
    fn run(
        &mut self,
        x: &DVector<f64>,
        mut each: impl FnMut(&mut Sim, &[f64]) -> Result<()>,
    ) -> Result<()> {
        let (mut q, mut v) = (self.q0.clone(), vec![0.0; 6]);
        let mut u = vec![0.0; 6];
        match self.unknown {
            Unknown::Velocity => v.copy_from_slice(x.as_slice()),
            Unknown::Impulse => {
                let h = self.sim.options().time_step;
                for ((u, x), scale) in u.iter_mut().zip(x.iter()).zip(IMPULSE_SCALE) {
                    *u = scale * x / h;
                }
            }
        }
        let (mut q_next, mut v_next) = (q.clone(), v.clone());
        self.sim.reset();
        for _ in 0..STEPS {
            self.sim.step(&q, &v, &u, &mut q_next, &mut v_next)?;
            each(&mut self.sim, &q_next)?;
            std::mem::swap(&mut q, &mut q_next);
            std::mem::swap(&mut v, &mut v_next);
            u.fill(0.0);
        }
        Ok(())
    }

    /// Writes a recording of the throw.
    fn record(&mut self, x: &DVector<f64>, path: &Path) -> Result<()> {
        let model = self.sim.model().clone();
        let mut recorder = Recorder::new(model, &RecorderOptions::default())?;
        self.run(x, |sim, _| recorder.step(sim).map(drop))?;
        recorder.save(path)
    }

    /// Motion that brings the target to q [m, rad].
    fn miss(&self, q: &[f64]) -> DVector<f64> {
        let mut r = DVector::zeros(6);
        self.sim
            .model()
            .difference(&self.target, q, r.as_mut_slice());
        r
    }
}

impl LeastSquares for Throw {
    fn residual(&mut self, x: &DVector<f64>) -> Result<DVector<f64>> {
        let end = self.end(x)?;
        Ok(self.miss(&end))
    }

    fn linearize(&mut self, x: &DVector<f64>) -> Result<(DVector<f64>, DMatrix<f64>)> {
        let h = self.sim.options().time_step;
        // Derivatives of the state by the unknown, carried along.
        let (mut dq, mut dv) = (Matrix6::zeros(), Matrix6::zeros());
        if self.unknown == Unknown::Velocity {
            dv = Matrix6::identity();
        }
        let mut first = self.unknown == Unknown::Impulse;
        let mut last = self.q0.clone();
        let [mut qq, mut qv, mut vq, mut vv, mut qu, mut vu] = [Matrix6::zeros(); 6];
        self.run(x, |sim, q| {
            sim.step_jacobians(StepJacobians {
                dq_dq: Some(qq.as_mut_slice()),
                dq_dv: Some(qv.as_mut_slice()),
                dv_dq: Some(vq.as_mut_slice()),
                dv_dv: Some(vv.as_mut_slice()),
                dq_du: Some(qu.as_mut_slice()),
                dv_du: Some(vu.as_mut_slice()),
                ..StepJacobians::default()
            })?;
            (dq, dv) = (qq * dq + qv * dv, vq * dq + vv * dv);
            if std::mem::take(&mut first) {
                let scale = Matrix6::from_diagonal(&Vector6::from(IMPULSE_SCALE)) / h;
                (dq, dv) = (qu * scale, vu * scale);
            }
            last.copy_from_slice(q);
            Ok(())
        })?;
        let r = self.miss(&last);
        let j = miss_by_pose(&r) * dq;
        Ok((r, DMatrix::from_column_slice(6, 6, j.as_slice())))
    }
}

/// Derivative of [`Throw::miss`] by the tangent of the pose: the inverse of the right Jacobian of
/// the exponential of SE(3).
pub fn miss_by_pose(r: &DVector<f64>) -> Matrix6<f64> {
    let blocks = LinkKind::Free.integrate_blocks(r.as_slice()).by_w;
    let dense = blocks.map(|m| Matrix3::from_iterator(m.c.iter().flat_map(|c| c.to_array())));
    let mut jr = Matrix6::zeros();
    jr.fixed_view_mut::<3, 3>(0, 0).copy_from(&dense[0]);
    jr.fixed_view_mut::<3, 3>(3, 3).copy_from(&dense[0]);
    jr.fixed_view_mut::<3, 3>(0, 3).copy_from(&dense[1]);
    // Singular only a full turn away from the target, beyond the range of the logarithm.
    jr.try_inverse().unwrap_or_else(Matrix6::identity)
}

/// The problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The velocity of a throw from 30 cm, tilted, with spin: the cube lands on an edge, falls on a
    /// face, slides, turns and stops.
    Throw,
    /// The impulse of a kick on the resting cube: it slides, turns and stops.
    Kick,
    /// The same with a lift: it hops, lands and slides. A small moment decides on which edge it
    /// lands, so the final pose has a kink wherever that changes.
    Hop,
}

impl Task {
    pub const ALL: [Task; 3] = [Task::Throw, Task::Kick, Task::Hop];

    pub fn title(self) -> &'static str {
        match self {
            Task::Throw => "Initial velocity of a thrown cube",
            Task::Kick => "Impulse of a kick: the cube slides",
            Task::Hop => "Impulse of a kick: the cube hops, lands and slides",
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Task::Throw => "throw_velocity",
            Task::Kick => "throw_kick",
            Task::Hop => "throw_hop",
        }
    }

    /// The problem and a first guess.
    pub fn problem(self) -> Result<(Throw, DVector<f64>)> {
        let resting = [0.0, 0.0, HALF_EDGE, 0.0, 0.0, 0.0, 1.0];
        let (unknown, q0, reference, guess) = match self {
            Task::Throw => (
                Unknown::Velocity,
                [0.0, 0.0, 0.3, 0.0, 0.1_f64.sin(), 0.0, 0.1_f64.cos()],
                [2.0, 0.5, 0.3, 0.3, 0.5, 1.0],
                [1.8, 0.4, 0.2, 0.2, 0.4, 0.8],
            ),
            Task::Kick => (
                Unknown::Impulse,
                resting,
                [1.5, 0.4, 0.0, 0.0, 0.0, 0.04],
                [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            ),
            Task::Hop => (
                Unknown::Impulse,
                resting,
                [1.5, 0.4, 0.8, 0.0, 0.0, 0.04],
                [1.2, 0.2, 0.6, 0.0, 0.0, 0.02],
            ),
        };
        let throw = Throw::new(unknown, &q0, &DVector::from_row_slice(&reference))?;
        Ok((throw, DVector::from_row_slice(&guess)))
    }
}

/// The gradients that are compared.
pub const GRADIENTS: [Gradient; 3] = [
    Gradient::Exact,
    Gradient::Forward(1e-6),
    Gradient::Central(1e-6),
];

pub fn solve(task: Task, gradient: Gradient, iterations: usize) -> Result<Run> {
    let (mut throw, guess) = task.problem()?;
    let budget = Budget {
        iterations,
        tolerance: 1e-10,
        rank_tolerance: 1e-6,
    };
    minimize(&mut throw, guess, gradient, budget)
}

fn main() -> Result<()> {
    let out = common::output_directory()?;
    for task in Task::ALL {
        let report = Report {
            title: task.title(),
            evaluations: "rollouts",
            residual: "miss of the final pose",
            units: "m, rad",
            path: out.join(task.file_name()).with_extension("svg"),
        };
        let run = report.compare(&GRADIENTS, |gradient| solve(task, gradient, 40))?;
        let (mut throw, guess) = task.problem()?;
        for (name, x) in [("guess", &guess), ("found", &run.x)] {
            throw.record(x, &out.join(format!("{}_{name}.dsrec", task.file_name())))?;
        }
    }
    Ok(())
}
