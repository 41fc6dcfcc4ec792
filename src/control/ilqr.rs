//! Improves trajectories by an iterative linear-quadratic regulator (Li and Todorov 2004) with bounds on
//! the inputs (Tassa, Mansard and Todorov, *Control-limited differential dynamic programming*, ICRA
//! 2014).
//!
//! The Hessian of the cost is that of Gauss and Newton. The derivatives of the steps are those of the
//! library. The C API and the bindings call it.

use super::cost::Tracking;
use super::passes::{Policy, StateMatrices, Trajectory, forward, linearized};
use super::sizes::Sizes;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::step::info::check_finite;
use crate::step::{Options, Sim};
use std::sync::Arc;

/// Shares of the change of inputs that are tried: 1, 1/3, … 1/81. If all fail, the damping grows by a
/// factor of ten.
const SHARES: i32 = 5;
const SHORTER: f64 = 1.0 / 3.0;

/// Share of the predicted decrease that a trial must achieve.
const ENOUGH: f64 = 1e-4;

/// Least and largest damping. It is added to the curvature by inputs, in units of the curvature's own
/// diagonal (Marquardt 1963), so that the units of inputs do not matter. Below the least value, the
/// change of inputs is the undamped one. Beyond the largest value, it only gets shorter.
const DAMPING: [f64; 2] = [0.1, 1e3];

/// Options of the improvement of a trajectory.
#[derive(Clone, Copy, Debug)]
pub struct IlqrOptions {
    /// Largest number of improvements.
    pub max_iterations: usize,
    /// A decrease below this share of the cost ends the solve.
    pub tolerance: f64,
}

impl Default for IlqrOptions {
    fn default() -> Self {
        IlqrOptions {
            max_iterations: 100,
            tolerance: 1e-9,
        }
    }
}

/// The end of a solve.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IlqrOutcome {
    /// The cost no longer falls by more than the tolerance.
    Converged = 0,
    /// No change of inputs lowers the cost, although the model predicts it: a switch of contacts is near.
    Stuck = 1,
    /// The largest number of iterations was reached.
    Iterations = 2,
}

#[derive(Clone, Copy, Debug)]
pub struct IlqrInfo {
    pub outcome: IlqrOutcome,
    /// Number of improvements of the trajectory.
    pub iterations: usize,
    /// Cost of the returned trajectory, and of the given one.
    pub cost: f64,
    pub first_cost: f64,
    /// Largest slope of the cost by an input that is not at a bound.
    pub slope: f64,
}

/// A horizon of steps, a cost and bounds of inputs. Its memory is allocated at creation, except the
/// matrices of the backward passes.
#[derive(Debug)]
pub struct Ilqr {
    sim: Sim,
    options: IlqrOptions,
    steps: usize,
    cost: Tracking,
    bounds: [Vec<f64>; 2],
    now: Trajectory,
    next: Trajectory,
    slopes: StateMatrices,
    policy: Policy,
    damping: f64,
    solved: bool,
}

impl Ilqr {
    /// At first, the weights of inputs are 1 and all other weights are 0. The references are the neutral
    /// configuration at rest without input. Inputs have no bounds.
    ///
    /// # Errors
    /// As [`Sim::new`]; `InvalidArgument` for a model without inputs, no steps, options without
    /// derivatives, or a tolerance that is negative or not finite; `Capacity` if memory does not
    /// suffice.
    pub fn new(
        model: Arc<Model>,
        step: &Options,
        options: &IlqrOptions,
        steps: usize,
    ) -> Result<Ilqr> {
        let sizes = Sizes::of(&model);
        if sizes.nu == 0 {
            return Err(Error::invalid(
                "model: must have inputs; choose them by ds_load_options.actuation",
            ));
        }
        if steps == 0 {
            return Err(Error::invalid("steps: must be positive, got 0"));
        }
        if !step.derivatives {
            return Err(Error::invalid(
                "options.derivatives: must be 1, plans need derivatives; got 0",
            ));
        }
        if !(options.tolerance >= 0.0 && options.tolerance.is_finite()) {
            return Err(Error::invalid(format!(
                "options.tolerance: must be finite and not negative, got {}",
                options.tolerance
            )));
        }
        check_room(sizes, steps)?;
        let sim = Sim::new(model.clone(), step)?;
        let (Sizes { nq, nv, nu, na }, nx) = (sizes, sizes.nx());
        let mut neutral = Vec::with_capacity(nq * (steps + 1));
        (0..=steps).for_each(|_| neutral.extend_from_slice(model.neutral()));
        Ok(Ilqr {
            sim,
            options: *options,
            steps,
            cost: Tracking {
                state: [(); 2].map(|()| vec![0.0; nx]),
                input: vec![1.0; nu],
                q: neutral,
                v: vec![0.0; nv * (steps + 1)],
                act: vec![0.0; na * (steps + 1)],
                u: vec![0.0; nu * steps],
            },
            bounds: [vec![f64::NEG_INFINITY; nu], vec![f64::INFINITY; nu]],
            now: Trajectory::new(sizes, steps),
            next: Trajectory::new(sizes, steps),
            slopes: StateMatrices::new(sizes, steps),
            policy: Policy::new(sizes, steps),
            damping: 0.0,
            solved: false,
        })
    }

    pub fn model(&self) -> &Arc<Model> {
        self.sim.model()
    }

    /// The simulation with which plans are made. Set its wrenches and parameters here.
    pub fn sim_mut(&mut self) -> &mut Sim {
        self.solved = false;
        &mut self.sim
    }

    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Sets the weights of deviations at the start of each step and at the end, 2 nv + na each (tangent
    /// of q; v; activations), and of inputs, nu.
    ///
    /// # Errors
    /// `InvalidArgument` for a length, a negative weight, or a weight of an input that is zero;
    /// `Numerical` for numbers that are not finite.
    pub fn set_weights(&mut self, state: &[f64], end: &[f64], input: &[f64]) -> Result<()> {
        let sizes = Sizes::of(self.model());
        let (nx, nu) = (sizes.nx(), sizes.nu);
        for (name, x, n) in [("state", state, nx), ("end", end, nx), ("input", input, nu)] {
            check_finite(name, x, n)?;
            let least = if name == "input" {
                f64::MIN_POSITIVE
            } else {
                0.0
            };
            if let Some(i) = x.iter().position(|x| *x < least) {
                let what = if name == "input" {
                    "positive"
                } else {
                    "0 or more"
                };
                return Err(Error::invalid(format!(
                    "{name}[{i}]: a weight must be {what}, got {}",
                    x[i]
                )));
            }
        }
        self.cost.state[0].copy_from_slice(state);
        self.cost.state[1].copy_from_slice(end);
        self.cost.input.copy_from_slice(input);
        self.solved = false;
        Ok(())
    }

    /// Sets the reference of deviations: at a node, 0 to the number of steps, or at all nodes. There is no
    /// input at the last node.
    ///
    /// # Errors
    /// `InvalidArgument` for a node or a length, `Numerical` for numbers that are not finite.
    pub fn set_reference(
        &mut self,
        node: Option<usize>,
        q: &[f64],
        v: &[f64],
        u: &[f64],
    ) -> Result<()> {
        let Sizes { nq, nv, nu, .. } = Sizes::of(self.model());
        let nodes = self.nodes(node)?;
        self.sim.check_state(q, Some(v))?;
        check_finite("u", u, nu)?;
        for k in nodes {
            self.cost.q[k * nq..][..nq].copy_from_slice(q);
            self.cost.v[k * nv..][..nv].copy_from_slice(v);
            if k < self.steps {
                self.cost.u[k * nu..][..nu].copy_from_slice(u);
            }
        }
        self.solved = false;
        Ok(())
    }

    /// Sets the reference of the activations, na numbers, as [`Ilqr::set_reference`] does. At first they
    /// are zero.
    ///
    /// # Errors
    /// As [`Ilqr::set_reference`].
    pub fn set_act_reference(&mut self, node: Option<usize>, act: &[f64]) -> Result<()> {
        let (na, nodes) = (self.model().na(), self.nodes(node)?);
        check_finite("act", act, na)?;
        for k in nodes {
            self.cost.act[k * na..][..na].copy_from_slice(act);
        }
        self.solved = false;
        Ok(())
    }

    fn nodes(&self, node: Option<usize>) -> Result<std::ops::Range<usize>> {
        match node {
            None => Ok(0..self.steps + 1),
            Some(k) if k <= self.steps => Ok(k..k + 1),
            Some(k) => Err(Error::invalid(format!(
                "node: must be in 0..={}, got {k}",
                self.steps
            ))),
        }
    }

    /// Sets the bounds of the inputs, nu each. They may be infinite.
    ///
    /// # Errors
    /// `InvalidArgument` for a length, NaN, or a lower bound above the upper one.
    pub fn set_input_bounds(&mut self, lower: &[f64], upper: &[f64]) -> Result<()> {
        let nu = self.model().nu();
        for (name, x) in [("lower", lower), ("upper", upper)] {
            if x.len() != nu {
                return Err(Error::invalid(format!(
                    "{name} must have {nu} entries, got {}",
                    x.len()
                )));
            }
        }
        if let Some(i) =
            (0..nu).find(|i| lower[*i].is_nan() || upper[*i].is_nan() || lower[*i] > upper[*i])
        {
            return Err(Error::invalid(format!(
                "lower[{i}] must be at most upper[{i}], got {} and {}",
                lower[i], upper[i]
            )));
        }
        self.bounds[0].copy_from_slice(lower);
        self.bounds[1].copy_from_slice(upper);
        self.solved = false;
        Ok(())
    }

    /// Improves the inputs `u`, nu numbers per step, of the trajectory that starts at this state. Inputs
    /// beyond their bounds are first moved to them. `u` is written only on success. Each run of the
    /// steps starts as after [`Sim::reset`], so that the same inputs give the same bits.
    ///
    /// # Errors
    /// Errors of the steps and of their Jacobians along the given inputs, with the number of the step.
    /// If a step or its Jacobians fail along a changed trajectory, the change is only made shorter.
    pub fn solve(&mut self, q0: &[f64], v0: &[f64], u: &mut [f64]) -> Result<IlqrInfo> {
        self.solve_act(q0, v0, &[], u)
    }

    /// [`Ilqr::solve`] with activations at the start: na numbers, or an empty slice for zeros.
    ///
    /// # Errors
    /// As [`Ilqr::solve`].
    pub fn solve_act(
        &mut self,
        q0: &[f64],
        v0: &[f64],
        act0: &[f64],
        u: &mut [f64],
    ) -> Result<IlqrInfo> {
        let Sizes { nu, na, .. } = Sizes::of(self.model());
        self.sim.check_state(q0, Some(v0))?;
        if !act0.is_empty() {
            check_finite("act0", act0, na)?;
        }
        check_finite("u", u, nu * self.steps)?;
        self.solved = false;
        for x in [&mut self.now, &mut self.next] {
            x.q[..q0.len()].copy_from_slice(q0);
            x.v[..v0.len()].copy_from_slice(v0);
            x.act[..na].fill(0.0);
            x.act[..act0.len()].copy_from_slice(act0);
        }
        for (k, (to, u)) in self.now.u.iter_mut().zip(&*u).enumerate() {
            *to = u.clamp(self.bounds[0][k % nu], self.bounds[1][k % nu]);
        }
        let (sim, slopes) = (&mut self.sim, &mut self.slopes);
        let mut cost = linearized(sim, &self.cost, &mut self.now, slopes)?;
        if !cost.is_finite() {
            return Err(Error::numerical(
                "the cost of the trajectory is not finite: weights, references or states are too large",
            ));
        }
        let mut info = IlqrInfo {
            outcome: IlqrOutcome::Iterations,
            iterations: 0,
            cost,
            first_cost: cost,
            slope: f64::INFINITY,
        };
        self.damping = 0.0;
        let mut least_damping = 0.0;
        while info.iterations < self.options.max_iterations {
            let Some(found) = self.improve(cost) else {
                info.outcome = IlqrOutcome::Stuck;
                break;
            };
            info.slope = self.policy.slope;
            if found >= cost {
                info.outcome = IlqrOutcome::Converged;
                break;
            }
            info.iterations += 1;
            let fell = cost - found;
            std::mem::swap(&mut self.now, &mut self.next);
            let (sim, slopes) = (&mut self.sim, &mut self.slopes);
            match linearized(sim, &self.cost, &mut self.now, slopes) {
                Ok(found) => cost = found,
                Err(_) => {
                    // A trajectory without derivatives is not better: go back to the last one, and take
                    // a shorter change from there.
                    std::mem::swap(&mut self.now, &mut self.next);
                    linearized(sim, &self.cost, &mut self.now, slopes)?;
                    info.iterations -= 1;
                    least_damping = (10.0 * f64::max(least_damping, self.damping)).max(DAMPING[0]);
                    self.damping = least_damping;
                    continue;
                }
            }
            least_damping = 0.0;
            if fell <= self.options.tolerance * cost.abs() {
                info.outcome = IlqrOutcome::Converged;
                break;
            }
        }
        info.cost = cost;
        // The policy of the returned trajectory.
        let bounds = self.bounds.each_ref().map(|b| &b[..]);
        let least = self.damping;
        let (policy, sim) = (&mut self.policy, &self.sim);
        if policy.backward(sim, &self.cost, &self.now, &self.slopes, bounds, least) {
            info.slope = policy.slope;
            self.solved = true;
        }
        u.copy_from_slice(&self.now.u);
        Ok(info)
    }

    /// Returns the cost of a better trajectory, which is in `next`. Returns `cost` if the present
    /// trajectory is optimal, and `None` if the changes that the model predicts do not lower the cost.
    fn improve(&mut self, cost: f64) -> Option<f64> {
        let bounds = self.bounds.each_ref().map(|b| &b[..]);
        let model = self.sim.model().clone();
        let sizes = Sizes::of(&model);
        let (nx, nu) = (sizes.nx(), sizes.nu);
        let mut away = vec![0.0; nx];
        while self.damping <= DAMPING[1] {
            let (policy, sim) = (&mut self.policy, &mut self.sim);
            let damping = self.damping;
            if policy.backward(sim, &self.cost, &self.now, &self.slopes, bounds, damping) {
                let [first, second] = policy.promise;
                if -(first + second) <= 1e-15 * cost.abs() {
                    return Some(cost);
                }
                for shorter in 0..SHARES {
                    let share = SHORTER.powi(shorter);
                    let (now, policy) = (&self.now, &*policy);
                    let correct = |node: usize, x: &mut Trajectory| {
                        now.away(&model, node, x, &mut away);
                        for k in 0..nu {
                            let feedback: f64 =
                                (0..nx).map(|c| policy.gains[node][(k, c)] * away[c]).sum();
                            let i = node * nu + k;
                            let wanted = now.u[i] + share * policy.change[i] + feedback;
                            x.u[i] = wanted.clamp(bounds[0][k], bounds[1][k]);
                        }
                    };
                    let run = forward(
                        sim,
                        &self.cost,
                        &mut self.next,
                        cost,
                        correct,
                        |_, _| Ok(()),
                    );
                    let promised = -(share * first + share * share * second);
                    if let Ok(found) = run
                        && cost - found >= ENOUGH * promised
                        && found < cost
                    {
                        self.damping = match self.damping * 0.1 {
                            d if d < DAMPING[0] => 0.0,
                            d => d,
                        };
                        return Some(found);
                    }
                }
            }
            self.damping = (10.0 * self.damping).max(DAMPING[0]);
        }
        None
    }

    /// States of the last trajectory, nq and nv numbers per node. There is one node more than steps.
    ///
    /// # Errors
    /// `NoStep` before [`Ilqr::solve`] has succeeded.
    pub fn states(&self) -> Result<(&[f64], &[f64])> {
        self.check_solved()?;
        Ok((&self.now.q, &self.now.v))
    }

    /// Activations of the last trajectory, na numbers per node.
    ///
    /// # Errors
    /// As [`Ilqr::states`].
    pub fn activations(&self) -> Result<&[f64]> {
        self.check_solved()?;
        Ok(&self.now.act)
    }

    /// K of a step, nu × (2 nv + na), column-major. Near the trajectory, apply the input u + K δx, with
    /// δx = (δq, δv, δact) the state's deviation: q ⊕ δq is the configuration of the state, q that of
    /// the trajectory. Rows of inputs at a bound are zero.
    ///
    /// # Errors
    /// `NoStep` before [`Ilqr::solve`] has succeeded, `InvalidArgument` for a step.
    pub fn gains(&self, step: usize) -> Result<&[f64]> {
        self.check_solved()?;
        match self.policy.gains.get(step) {
            Some(k) => Ok(k.as_slice()),
            None => Err(Error::invalid(format!(
                "step: must be in 0..{}, got {step}",
                self.steps
            ))),
        }
    }

    fn check_solved(&self) -> Result<()> {
        match self.solved {
            true => Ok(()),
            false => Err(Error::no_step("ilqr: there is no plan yet")),
        }
    }
}

/// Checks that memory for the slopes of all steps can be allocated.
fn check_room(n: Sizes, steps: usize) -> Result<()> {
    let (Sizes { nq, nv, nu, na }, nx) = (n, n.nx());
    let beside = 2 * (nq + 5 * nv + 2 * nu + 3 * na);
    let a_step = nx as u128 * (nx + 2 * nu) as u128 + beside as u128;
    let numbers = a_step * (steps as u128 + 1);
    let mut probe: Vec<f64> = Vec::new();
    match usize::try_from(numbers).map(|n| probe.try_reserve_exact(n)) {
        Ok(Ok(())) => Ok(()),
        _ => Err(Error::capacity(format!(
            "steps: there is no memory for {numbers} numbers of a horizon of {steps}"
        ))),
    }
}
