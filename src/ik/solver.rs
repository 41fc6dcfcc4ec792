//! The solver: tasks, targets, and queries about a solution.

use super::block::Block;
use super::loops::Loops;
use super::options::{IkInfo, IkOptions, check_weight};
use super::target::{Target, check_reach};
use super::task::{IkKind, IkTask};
use super::work::{Prepared, Regular, Whole, Work};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::model::limits::limits;
use crate::model::topology::Link;
use crate::model::{Model, check_pose};
use crate::spatial::{Pose, Vec3};
use crate::step::info::{check_finite, check_length};
use std::sync::Arc;

/// Solves tasks for one model. All memory is made at creation and when a task is added.
#[derive(Clone, Debug)]
pub struct Ik {
    pub(super) model: Arc<Model>,
    pub(super) options: IkOptions,
    pub(super) tasks: Vec<IkTask>,
    /// Target of each task; `None` before it is set.
    pub(super) targets: Vec<Option<Target>>,
    /// Start of each task's variation among all variations.
    pub(super) offsets: Vec<usize>,
    pub(super) blocks: Vec<Block>,
    /// Dofs of the blocks, and their rows X: up to six numbers for each dof.
    pub(super) dofs: Vec<usize>,
    pub(super) x: Vec<f64>,
    pub(super) loops: Option<Loops>,
    pub(super) kin: Kinematics,
    pub(super) subtree: Vec<(f64, Vec3)>,
    pub(super) center_jacobian: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Coordinate of each bounded dof.
    pub(super) coordinate: Vec<usize>,
    pub(super) work: Work,
    pub(super) whole: Option<Box<Whole>>,
    pub(super) solved: Option<IkInfo>,
    pub(super) prepared: Option<Prepared>,
    pub(super) regular: Regular,
}

impl Ik {
    /// # Errors
    /// `InvalidArgument` naming an option; `Unsupported` naming a joint whose bounds are not those of a
    /// single number.
    pub fn new(model: Arc<Model>, options: &IkOptions) -> Result<Ik> {
        options.check()?;
        let bounds = Bounds::new(&model, options.limits)?;
        let nv = model.nv();
        let mut ik = Ik {
            kin: Kinematics::new(&model),
            subtree: vec![(0.0, Vec3::ZERO); model.topology().links.len()],
            center_jacobian: vec![0.0; 3 * nv],
            work: Work::new(model.free_nq(), model.free_nv()),
            whole: Whole::new(&model),
            loops: None,
            tasks: Vec::new(),
            targets: Vec::new(),
            offsets: Vec::new(),
            blocks: Vec::new(),
            dofs: Vec::new(),
            x: Vec::new(),
            options: *options,
            model,
            lower: bounds.lower,
            upper: bounds.upper,
            coordinate: bounds.coordinate,
            solved: None,
            prepared: None,
            regular: Regular::new(0, 0, 0),
        };
        if options.equality_weight > 0.0 {
            ik.add_equalities()?;
        }
        ik.reserve();
        Ok(ik)
    }

    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Length of configurations, which are in reduced coordinates if the model has any.
    pub fn nq(&self) -> usize {
        self.model.free_nq()
    }

    /// Number of dofs.
    pub fn nv(&self) -> usize {
        self.model.free_nv()
    }

    pub fn options(&self) -> &IkOptions {
        &self.options
    }

    pub fn tasks(&self) -> &[IkTask] {
        &self.tasks
    }

    /// Adds a task and returns its index. The last solution is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` naming the invalid part of the task.
    pub fn add_task(&mut self, task: IkTask) -> Result<usize> {
        task.check(&self.model)?;
        let number = self.tasks.len();
        self.offsets.push(self.variations());
        self.add_blocks(number, &task);
        self.tasks.push(task);
        self.targets.push(None);
        self.reserve();
        self.forget();
        Ok(number)
    }

    /// Reserves memory for all blocks.
    fn reserve(&mut self) {
        let rows = self.blocks.iter().map(|b| b.rows).sum();
        self.regular = Regular::new(self.nv(), rows, self.variations());
    }

    fn forget(&mut self) {
        self.solved = None;
        self.prepared = None;
    }

    fn check_task(&self, task: usize) -> Result<()> {
        match task < self.tasks.len() {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "task: must be the number of a task, of which there are {}, got {task}",
                self.tasks.len()
            ))),
        }
    }

    /// Numbers of a task's target: 16 of a placement (column-major), 3 of a point, nq of a posture.
    pub fn target_size(&self, task: usize) -> Result<usize> {
        self.check_task(task)?;
        Ok(match self.tasks[task].kind {
            IkKind::Frame { .. } => 16,
            IkKind::CenterOfMass => 3,
            IkKind::Posture => self.nq(),
        })
    }

    /// Numbers of a variation of a task's target, and of its residual: 6, 3, nv.
    pub fn variation_size(&self, task: usize) -> Result<usize> {
        self.check_task(task)?;
        Ok(self.width(task))
    }

    fn width(&self, task: usize) -> usize {
        match self.tasks[task].kind {
            IkKind::Frame { .. } => 6,
            IkKind::CenterOfMass => 3,
            IkKind::Posture => self.nv(),
        }
    }

    /// Numbers of a variation of all targets, in the order of the tasks.
    pub fn variations(&self) -> usize {
        (0..self.tasks.len()).map(|t| self.width(t)).sum()
    }

    /// Sets the target of a frame.
    pub fn set_frame_target(&mut self, task: usize, placement: &Pose) -> Result<()> {
        self.check_task(task)?;
        check_pose(placement, || "target".into())?;
        if !matches!(self.tasks[task].kind, IkKind::Frame { .. }) {
            return Err(Error::invalid(format!(
                "task: expected the number of a frame task, got {task}"
            )));
        }
        check_reach(&placement.pos.to_array())?;
        self.put_target(task, Target::Frame(*placement));
        Ok(())
    }

    /// Sets the target of the centre of mass (3 numbers) or of a posture (nq).
    pub fn set_target(&mut self, task: usize, target: &[f64]) -> Result<()> {
        let n = self.target_size(task)?;
        check_finite("target", target, n)?;
        check_reach(target)?;
        match self.tasks[task].kind {
            IkKind::Frame { .. } => {
                return Err(Error::invalid(format!(
                    "task: {task} is a frame task, its target must be a placement"
                )));
            }
            IkKind::CenterOfMass => self.put_target(task, Target::Center(Vec3::from_slice(target))),
            IkKind::Posture => {
                if let Some((joint, norm)) = self.bad_quaternion(target) {
                    return Err(Error::invalid(format!(
                        "target: the quaternion of joint \"{joint}\" must have unit norm, got {norm}"
                    )));
                }
                match &mut self.targets[task] {
                    Some(Target::Posture(q)) => q.copy_from_slice(target),
                    other => {
                        // A target that was never set has no memory to free. Its destructor is left out:
                        // optimized, it branches on bytes that have no value, which valgrind reports.
                        let none = other.replace(Target::Posture(target.to_vec()));
                        std::mem::forget(none);
                    }
                }
                self.forget();
            }
        }
        Ok(())
    }

    /// The configuration of all joints.
    pub(super) fn place<'a>(whole: &'a mut Option<Box<Whole>>, q: &'a [f64]) -> &'a [f64] {
        match whole {
            None => q,
            Some(w) => {
                w.map.q.place(q, &mut w.q);
                &w.q
            }
        }
    }

    /// A quaternion of a configuration that cannot be normalized.
    pub(super) fn bad_quaternion(&mut self, q: &[f64]) -> Option<(String, f64)> {
        let bad = self.model.bad_quaternion(Ik::place(&mut self.whole, q));
        bad.map(|(joint, norm)| (joint.to_owned(), norm))
    }

    fn put_target(&mut self, task: usize, target: Target) {
        self.targets[task] = Some(target);
        self.forget();
    }

    /// Changes the weight of a task; 0 leaves it out.
    pub fn set_weight(&mut self, task: usize, weight: f64) -> Result<()> {
        self.check_task(task)?;
        check_weight("weight", weight)?;
        self.tasks[task].weight = weight;
        self.forget();
        Ok(())
    }

    /// Result of the last search.
    pub fn info(&self) -> Result<IkInfo> {
        self.solved
            .ok_or_else(|| Error::no_step("ik: there is no solution yet; solve first"))
    }

    /// Residual of a task at the last solution, unweighted: 6 numbers of a frame (position along the world's
    /// axes; rotation vector along the target's), 3 of the centre of mass, nv of a posture.
    pub fn residual(&self, task: usize, out: &mut [f64]) -> Result<()> {
        self.info()?;
        self.check_task(task)?;
        check_length("residual", out, self.width(task))?;
        for b in self.blocks.iter().filter(|b| b.task == Some(task)) {
            for i in 0..b.rows {
                out[b.first + i] = b.residual[i];
            }
        }
        Ok(())
    }

    /// Largest violation of the model's equalities at the last solution.
    pub fn equality_residual(&self) -> Result<f64> {
        self.info()?;
        let own = self.blocks.iter().filter(|b| b.task.is_none());
        Ok(own
            .flat_map(|b| b.residual)
            .fold(0.0, |m: f64, r| m.max(r.abs())))
    }
}

/// The first coordinate and dof of a link among those of a search; `None` for a link without any of its own.
pub(super) fn home(model: &Model, l: &Link) -> Option<[usize; 2]> {
    match model.reduction() {
        _ if l.dofs().is_empty() => None,
        None => Some([l.iq, l.iv]),
        Some(r) if r.is_reduced(l.joint) => None,
        Some(r) => Some([r.q.factors(l.iq).first()?.0, r.v.factors(l.iv).first()?.0]),
    }
}

/// Bounds of the dofs of a search, and the coordinate of each bounded dof.
struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
    coordinate: Vec<usize>,
}

impl Bounds {
    /// # Errors
    /// `Unsupported` naming a joint whose bounds are not those of a single number.
    fn new(model: &Model, bounded: bool) -> Result<Bounds> {
        let nv = model.free_nv();
        let mut of = Bounds {
            lower: vec![f64::NEG_INFINITY; nv],
            upper: vec![f64::INFINITY; nv],
            coordinate: vec![usize::MAX; nv],
        };
        let limits = if bounded { limits(model)? } else { Vec::new() };
        for l in limits {
            let joint = model.joint_of_dof(l.dof);
            let fault = |what: &str| {
                Err(Error::unsupported(format!(
                    "options.limits: limits of {what} \"{}\" are not supported; set limits = 0 to ignore limits",
                    joint.name
                )))
            };
            if l.turn.is_some() {
                return fault("spherical joint");
            }
            let (dof, iq, ends) = match model.reduction() {
                None => (l.dof, l.iq, [l.lower, l.upper]),
                Some(r) => match *r.q.factors(l.iq) {
                    // The joint does not move.
                    [] => continue,
                    [(iq, factor)] => {
                        let [(dof, _)] = *r.v.factors(l.dof) else {
                            continue;
                        };
                        let ends = [l.lower, l.upper].map(|x| (x - r.q.constant(l.iq)) / factor);
                        (
                            dof,
                            iq,
                            if factor < 0.0 {
                                [ends[1], ends[0]]
                            } else {
                                ends
                            },
                        )
                    }
                    _ => return fault("a joint that depends on several reduced coordinates,"),
                },
            };
            of.lower[dof] = of.lower[dof].max(ends[0]);
            of.upper[dof] = of.upper[dof].min(ends[1]);
            of.coordinate[dof] = iq;
            if of.lower[dof] > of.upper[dof] {
                return Err(Error::invalid(format!(
                    "model: the bounds of joint \"{}\" leave no position: {} to {}",
                    joint.name, of.lower[dof], of.upper[dof]
                )));
            }
        }
        Ok(of)
    }
}
