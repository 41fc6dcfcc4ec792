//! Rigid contact: the round Coulomb cone without relaxation, solved to round-off, certified, and
//! differentiated.
//!
//! After "End-to-end and highly-efficient differentiable simulation for robotics" (unrelaxed NCP,
//! implicit differentiation by mode). The default path guesses modes and solves the system with fixed
//! modes by Newton's method, for the impulse nearest to the present one. It then checks every
//! inequality. If rows depend on each other, it finds the least-norm impulse with the same velocity. If
//! the guess fails, some sweeps of projected Gauss–Seidel guess again; if all contacts are compliant,
//! alternating directions (ADMM) guess instead. Pivots change one block's mode at a time. If these fail, an
//! interior point finds the modes from any start. If rows are so nearly dependent that no set of modes can
//! be solved in double precision, the end of the interior point is the answer. If the central path turns
//! back, continuation follows it through its folds: the last resort. Projected Gauss–Seidel and ADMM alone
//! serve as an independent check.
//!
//! **Torsional and rolling friction.** The torsional rows of a contact are a block of their own, directly
//! before the block of the contact. Both blocks have one law, a round cone or a pyramid of four to six rows
//! (`wide`). Newton's method with fixed modes, alternating directions and the interior point take it; sweeps,
//! pivots and continuation do not.
//!
//! **Without a solution.** Stabilization may require jammed bodies to separate although friction locks
//! them. No impulse does this. Every method then fails, the certificate says so, and the caller requests a
//! lower level of stabilization.
//!
//! **Redundant contacts.** If G is singular on the active rows, λ is not unique, but G λ, Jᵀλ and therefore
//! v⁺ are. The solver returns the impulse of least Euclidean norm if it obeys the laws (of a sliding
//! contact the norm includes the normal impulse only). Otherwise it takes the first of these that exists
//! and gives the same velocities: the impulse of the last step with the smallest possible change, if it is
//! strictly inside the cones; the least-norm impulse that leaves a quarter (or a hundredth) of the friction
//! unused; the least-norm impulse that obeys the laws. If redundant points of one body slide in different
//! directions (a table that turns), rigid Coulomb friction does not even determine the velocity. The same
//! rule then picks one velocity, as a smooth function of the data while the contacts keep their relative
//! places, and the derivative is that of this choice. Problems stored by trees ([`Delassus::Trees`], for
//! piles of bodies) get the impulse nearest to the warm start instead. If Newton's method does not reach
//! the least-norm impulse from any guess, the solver returns the interior point's impulse, in the middle of
//! the admissible ones, or the solution nearest to it or to the impulse of a first-order method.

mod active_set;
mod admm;
mod auto;
mod aware;
mod block_law;
mod certainty;
mod cone;
mod continuation;
mod fixed_modes;
mod interior;
mod island_linear;
pub mod island_solver;
mod ladder;
mod law;
mod least_norm;
mod linearize;
mod measure;
mod modes;
mod neighbours;
mod newton;
mod parametric;
mod path_system;
mod pgs;
mod pivot;
pub(in crate::contact) mod pyramid;
mod resort;
mod sides;
mod smoothed;
mod uniqueness;
mod wide;
mod wide_pairs;
mod work;
mod working_set;

pub use law::Ncp;
pub use linearize::Rank;
pub use neighbours::Sides;

use super::capacity::Capacity;
use super::certificate::{Certificate, Effort, Path};
use super::digits::AT_SWITCH;
use super::mode::Mode;
use super::problem::{Delassus, Problem};
use super::tree_system::TreeSystem;
use super::tuning::SWEEP;
use super::work_budget::{WorkBudget, weight};
use crate::error::{Error, Result};
use crate::linalg::{LANES, first_not_finite};
use active_set::ActiveSetSystem;
use admm::Admm;
use continuation::Continuation;
use interior::Interior;
use least_norm::LeastNorm;
use measure::Scales;
use modes::{CLOSED, classify, largest, residuals};
use path_system::PathSystem;
use work::{Best, Work};

/// The method of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Newton's method with fixed modes, helped by PGS, the interior point and continuation.
    #[default]
    Auto,
    /// Continuation along the central path alone.
    Continuation,
    /// Projected Gauss–Seidel alone.
    Pgs,
    /// ADMM alone.
    Admm,
}

/// Options of a solve.
#[derive(Clone, Copy, Debug)]
pub struct NcpOptions {
    pub method: Method,
    /// Largest scaled residual of a converged solution ([`Certificate`]).
    pub tolerance: f64,
    /// Bound on iterations of any kind: factorizations, PGS sweeps, ADMM iterations.
    pub max_iterations: usize,
    /// Bound on the work of [`Method::Auto`] and [`Method::Continuation`], see [`WorkBudget`]. Infinite
    /// for no bound.
    pub max_work: f64,
    /// The last stage that [`Method::Auto`] may use.
    pub effort: Effort,
    /// True if all contact rows are compliant, which ADMM needs to find modes.
    pub yields: bool,
}

impl Default for NcpOptions {
    fn default() -> Self {
        NcpOptions {
            method: Method::Auto,
            tolerance: 1e-10,
            max_iterations: 2000,
            max_work: f64::INFINITY,
            effort: Effort::Thorough,
            yields: false,
        }
    }
}

impl NcpOptions {
    /// The bounds on iterations and work.
    pub fn work_budget(&self) -> WorkBudget {
        WorkBudget {
            iterations: self.max_iterations,
            work: self.max_work,
        }
    }

    /// The same options with other bounds.
    pub fn within(&self, work_budget: &WorkBudget) -> NcpOptions {
        NcpOptions {
            max_iterations: work_budget.iterations,
            max_work: work_budget.work,
            ..*self
        }
    }
}

/// Memory for problems up to a number of rows and blocks. Nothing is allocated after creation.
#[derive(Debug)]
pub struct NcpSolver {
    capacity: Capacity,
    /// Largest number of rows of a problem with a dense matrix.
    max_dense: usize,
    work: Work,
    active_set: ActiveSetSystem,
    least_norm: LeastNorm,
    shifted: PathSystem,
    interior: Interior,
    continuation: Continuation,
    admm: Admm,
    panel: Vec<f64>,
    panel_scratch: Vec<f64>,
    best: Best,
    /// Budget of this solve, and the part of it that is spent.
    allowed: WorkBudget,
    spent: WorkBudget,
    /// The result of the pivots, and its modes.
    found: Vec<f64>,
    found_modes: Vec<Mode>,
    /// The certificate of the last solve; `None` before the first one or after a failure.
    last: Option<Certificate>,
    /// True if the start had a mode for every block, as the solution of a step has.
    is_warm: bool,
    /// True if all contacts are compliant.
    yields: bool,
    /// True if some contact has torsional or rolling friction.
    wide: bool,
    factored: bool,
    linearized: bool,
}

impl NcpSolver {
    /// Memory grows with the square of `max_rows`.
    pub fn new(max_rows: usize, max_blocks: usize) -> NcpSolver {
        let capacity = Capacity {
            rows: max_rows,
            blocks: max_blocks,
            ..Capacity::default()
        };
        NcpSolver::with_trees(&capacity, max_rows)
    }

    /// As [`NcpSolver::new`], also for problems stored by trees, and for dense ones of at most `dense`
    /// rows. Memory grows with the square of `dense` only.
    pub fn with_trees(capacity: &Capacity, dense: usize) -> NcpSolver {
        let Capacity {
            rows: max_rows,
            blocks: max_blocks,
            ..
        } = *capacity;
        let trees = || TreeSystem::new(capacity);
        NcpSolver {
            capacity: *capacity,
            max_dense: dense,
            work: Work::new(max_rows, max_blocks, capacity.coordinates),
            active_set: ActiveSetSystem::new([max_rows, dense], capacity, trees()),
            least_norm: LeastNorm::new(dense),
            shifted: PathSystem::new([max_rows, dense], capacity, trees()),
            interior: Interior::new(capacity),
            continuation: Continuation::new(max_rows),
            admm: Admm::new([max_rows, dense], TreeSystem::definite(capacity)),
            panel: vec![0.0; max_rows * LANES],
            panel_scratch: vec![0.0; max_rows * LANES],
            best: Best::new(max_rows),
            allowed: WorkBudget::NONE,
            spent: WorkBudget::NONE,
            found: Vec::with_capacity(max_rows),
            found_modes: Vec::with_capacity(max_blocks),
            last: None,
            is_warm: false,
            yields: false,
            wide: false,
            factored: false,
            linearized: false,
        }
    }

    /// Solves the problem. `lambda` (n) holds the warm start and receives the impulses. `modes` (one per
    /// block) holds the guess ([`Mode::Unknown`] for none) and receives the result.
    ///
    /// A solution above the tolerance is returned, too: the certificate says so. Errors leave both
    /// outputs untouched: `Capacity`, `InvalidArgument` for sizes and signs, `Numerical` for NaN or ∞ in
    /// the input or output.
    pub fn solve(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        modes: &mut [Mode],
        options: &NcpOptions,
    ) -> Result<Certificate> {
        self.last = None;
        self.factored = false;
        self.linearized = false;
        (self.is_warm, self.yields) = (false, options.yields);
        self.check_size(problem, lambda, modes)?;
        problem.validate()?;
        problem.check_torsion()?;
        self.wide = problem.has_torsion();
        self.work.start(problem, lambda, modes);
        self.active_set.start(problem);
        let weight = match problem.delassus {
            // If a matrix is larger than usual, the caller accounts for it.
            Delassus::Dense(_) => 1.0,
            Delassus::Trees(rows) => {
                let cost = self.active_set.cost_by_trees(rows);
                weight(cost, rows.rows(), rows.coordinates())
            }
        };
        (self.allowed, self.spent) = (options.work_budget(), WorkBudget::NONE);
        self.allowed.work /= weight;
        let mut certificate = if problem.blocks.is_empty() {
            Certificate::new(Path::Empty)
        } else {
            match options.method {
                Method::Auto => self.solve_auto(problem, lambda, options),
                Method::Continuation => self.solve_last(problem, options),
                Method::Pgs if !self.wide => self.solve_pgs(problem, options),
                Method::Pgs => self.solve_auto(problem, lambda, options),
                Method::Admm => self.solve_admm(problem, options)?,
            }
        };
        let work = &self.work;
        if !work.lambda.iter().chain(&work.sigma).all(|x| x.is_finite()) {
            return Err(Error::numerical(
                "the contact solver gave a number that is not finite",
            ));
        }
        self.certify(problem, options, &mut certificate);
        let is_alone = matches!(options.method, Method::Pgs | Method::Admm);
        if !certificate.converged && !is_alone && options.effort == Effort::Thorough {
            self.settle_for(problem, certificate.residual());
            self.classify_all(problem, CLOSED);
            self.certify(problem, options, &mut certificate);
        }
        certificate.spent = self.spent;
        certificate.spent.work *= weight;
        certificate.tally.weigh(weight);
        lambda.copy_from_slice(&self.work.lambda);
        modes.copy_from_slice(&self.work.modes);
        self.last = Some(certificate);
        Ok(certificate)
    }

    fn is_at_switch(&self) -> bool {
        self.last.is_some_and(|c| c.at_switch)
    }

    /// σ = G λ + g of the last solution.
    pub fn velocity(&self) -> &[f64] {
        &self.work.sigma
    }

    pub(in crate::contact) fn check_size(
        &self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
    ) -> Result<()> {
        let (n, nb) = (problem.rows(), problem.blocks.len());
        let rows = match problem.delassus {
            Delassus::Dense(_) => self.max_dense,
            Delassus::Trees(_) => self.capacity.rows,
        };
        if n > rows || nb > self.capacity.blocks {
            return Err(Error::capacity(format!(
                "{n} rows in {nb} blocks, room for {rows} in {}",
                self.capacity.blocks
            )));
        }
        if let Delassus::Trees(rows) = problem.delassus
            && (rows.trees() > self.capacity.trees
                || rows.coordinates() > self.capacity.coordinates)
        {
            return Err(Error::capacity(format!(
                "{} trees with {} coordinates, room for {} with {}",
                rows.trees(),
                rows.coordinates(),
                self.capacity.trees,
                self.capacity.coordinates
            )));
        }
        if lambda.len() != n || modes.len() != nb {
            return Err(Error::invalid(format!(
                "{} impulses and {} modes, expected {n} and {nb}",
                lambda.len(),
                modes.len()
            )));
        }
        if let Some(i) = first_not_finite(lambda) {
            return Err(Error::numerical(format!(
                "lambda[{i}] is {}, expected a finite number",
                lambda[i]
            )));
        }
        Ok(())
    }

    /// Takes a solution as if it had just been found, so that it can be linearized.
    pub(in crate::contact) fn adopt(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        modes: &[Mode],
        certificate: Certificate,
    ) {
        self.work.start(problem, lambda, modes);
        self.active_set.start(problem);
        self.work.update_sigma(problem);
        self.last = Some(certificate);
        self.factored = false;
        self.linearized = false;
    }

    /// The remaining budget of this solve.
    fn left(&self) -> WorkBudget {
        self.allowed.without(&self.spent)
    }

    /// Number of factorizations that the budget allows, at most `wanted`.
    fn grant(&self, wanted: usize) -> usize {
        self.left().grant(wanted, 1.0)
    }

    fn solve_pgs(&mut self, problem: &Problem, options: &NcpOptions) -> Certificate {
        let mut certificate = Certificate::new(Path::Pgs);
        self.work.update_sigma(problem);
        certificate.sweeps = self.sweeps(problem, options.max_iterations, options);
        self.classify_all(problem, CLOSED);
        certificate
    }

    fn solve_admm(&mut self, problem: &Problem, options: &NcpOptions) -> Result<Certificate> {
        let admm = &mut self.admm;
        let mut certificate = Certificate::new(Path::Admm);
        self.work.update_sigma(problem);
        if admm.start(problem, &mut self.work) {
            let limit = [0, options.max_iterations];
            [certificate.admm, _] = admm.run(problem, &mut self.work, options.tolerance, limit);
        }
        self.spent.spend(certificate.admm, 1.0);
        self.classify_all(problem, CLOSED);
        Ok(certificate)
    }

    /// Sweeps until the velocities settle or the limit is reached. σ is exact afterwards. Returns the
    /// number of sweeps.
    fn sweeps(&mut self, problem: &Problem, limit: usize, options: &NcpOptions) -> usize {
        let velocity = largest(problem.g).max(1.0);
        let Work {
            lambda,
            sigma,
            diagonal,
            z,
            ..
        } = &mut self.work;
        if let Delassus::Trees(rows) = problem.delassus {
            rows.velocities(lambda, z);
        }
        let (mut count, mut change) = (0, f64::INFINITY);
        while count < limit && change > 0.1 * options.tolerance {
            change = pgs::sweep(problem, diagonal, lambda, sigma, z) / velocity;
            count += 1;
        }
        self.spent.spend(count, SWEEP);
        self.work.update_sigma(problem);
        count
    }

    fn guess_modes(&mut self, problem: &Problem) {
        newton::guess_modes(problem.blocks, &mut self.work, |_, _| true);
    }

    fn scales(&self, problem: &Problem) -> Scales {
        Scales::own(self.work.speed(problem.g), largest(&self.work.lambda))
    }

    /// Sets the modes of a solution that no Newton step verified.
    fn classify_all(&mut self, problem: &Problem, closed: f64) {
        let scales = self.scales(problem);
        let work = &mut self.work;
        for (i, block) in problem.blocks.iter().enumerate() {
            let (part, is_wide) = (work.part(i), work.is_wide(i));
            let (lambda, sigma) = (&work.lambda[part.clone()], &work.sigma[part]);
            if is_wide {
                let (sigma, rows) = work.weighted(i, &work.sigma);
                let mode = wide::classify(*block, lambda, &sigma[..rows], scales, closed).0;
                wide::set_mode(problem.blocks, &mut work.modes, i, mode);
            } else {
                work.modes[i] = classify(*block, lambda, sigma, scales, closed).0;
            }
        }
    }

    fn certify(&self, problem: &Problem, options: &NcpOptions, certificate: &mut Certificate) {
        let (lambda, sigma) = (&self.work.lambda, &self.work.sigma);
        [
            certificate.cone,
            certificate.dual,
            certificate.complementarity,
        ] = residuals(problem.blocks, problem.g, lambda, sigma);
        certificate.converged = certificate.residual() <= options.tolerance;
        certificate.redundant = self.factored && self.active_set.deficient();
        certificate.margin = self.margin(problem);
        certificate.at_switch = certificate.margin <= AT_SWITCH;
    }
}

#[cfg(test)]
mod tests;
