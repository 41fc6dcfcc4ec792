//! Kinds of tasks.

use super::options::check_weight;
use crate::error::{Error, Result};
use crate::model::{Model, check_pose};
use crate::spatial::Pose;

/// The object that a task moves to its target.
#[derive(Clone, Copy, Debug)]
pub enum IkKind {
    /// A frame on a body, `placement` in the body's frame.
    Frame { body: usize, placement: Pose },
    /// The centre of mass of all moving bodies.
    CenterOfMass,
    /// The configuration itself.
    Posture,
}

/// A task with its weights.
#[derive(Clone, Debug)]
pub struct IkTask {
    pub kind: IkKind,
    /// Weight of all its rows [1/m, 1/rad]; 0 leaves the task out.
    pub weight: f64,
    /// Factors of the rows: for a frame, position along the world's axes, then rotation about the target's;
    /// for the centre of mass the first three. A row with 0 is free.
    pub axes: [f64; 6],
    /// Factors of the dofs of a posture, nv numbers; empty: all 1.
    pub dofs: Vec<f64>,
    /// Largest residual that counts as solved. `None`: the options' tolerance; for a posture none, because it
    /// is a preference. Infinite: a preference.
    pub tolerance: Option<f64>,
}

impl IkTask {
    pub fn new(kind: IkKind) -> IkTask {
        IkTask {
            kind,
            weight: 1.0,
            axes: [1.0; 6],
            dofs: Vec::new(),
            tolerance: None,
        }
    }

    pub(super) fn check(&self, model: &Model) -> Result<()> {
        check_weight("task.weight", self.weight)?;
        for (i, w) in self.axes.iter().enumerate() {
            check_weight(&format!("task.axes[{i}]"), *w)?;
        }
        for (i, w) in self.dofs.iter().enumerate() {
            check_weight(&format!("task.dofs[{i}]"), *w)?;
        }
        if let Some(t) = self.tolerance
            && (t.is_nan() || t <= 0.0)
        {
            return Err(Error::invalid(format!(
                "task.tolerance: must be positive, got {t}"
            )));
        }
        let n = self.dofs.len();
        match self.kind {
            IkKind::Posture if n == model.free_nv() || n == 0 => Ok(()),
            IkKind::Posture => Err(Error::invalid(format!(
                "task.dofs: must have nv = {} numbers, got {n}",
                model.free_nv()
            ))),
            _ if n > 0 => Err(Error::invalid(
                "task.dofs: only a posture has factors of dofs",
            )),
            IkKind::Frame { body, placement } => {
                if body >= model.nbody() {
                    return Err(Error::invalid(format!(
                        "task.body: must be the id of a body, 0 to {}, got {body}",
                        model.nbody() - 1
                    )));
                }
                check_pose(&placement, || "task.placement".into())
            }
            IkKind::CenterOfMass => Ok(()),
        }
    }

    /// Bound on the residual; `None` for a preference.
    pub(super) fn bound(&self, default: f64) -> Option<f64> {
        let bound = match (self.tolerance, self.kind) {
            (Some(t), _) => t,
            (None, IkKind::Posture) => f64::INFINITY,
            (None, _) => default,
        };
        (bound < f64::INFINITY).then_some(bound)
    }
}
