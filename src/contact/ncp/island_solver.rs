//! Solves the problem of [`ncp`](super) island by island.
//!
//! A problem stored by trees splits where no rows join its trees. Each island is solved by itself, from its
//! own warm start, to its own tolerance and in a fixed order. A collision in one island thus causes no
//! iterations for bodies at rest in another. Small islands are solved with a dense matrix, which finds the
//! impulse of least norm; large ones by trees. Blocks that stay open are left out (`WorkingSet`) and join
//! no islands.

use super::neighbours::Around;
use super::work::Probe;
use super::working_set::WorkingSet;
use super::{Method, NcpOptions, NcpSolver, Sides};
use crate::contact::capacity::{Capacity, DENSE};
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::island::Islands;
use crate::contact::island_part::{Part, gather};
use crate::contact::law::Posed;
use crate::contact::mode::Mode;
use crate::contact::problem::{Delassus, Problem};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::contact::work_budget::WorkBudget;
use crate::error::Result;
use crate::linalg::{LANES, first_not_finite};

/// Memory for problems up to a capacity. Nothing is allocated after creation.
#[derive(Debug)]
pub struct IslandSolver {
    pub(super) solver: NcpSolver,
    pub(super) working_set: WorkingSet,
    pub(super) islands: Islands,
    /// Certificate of each island, at the index of its first block.
    pub(super) certificates: Vec<Certificate>,
    pub(super) part: Part,
    /// Vectors of the whole problem.
    pub(super) lambda: Vec<f64>,
    pub(super) modes: Vec<Mode>,
    pub(super) last: Option<Certificate>,
    /// True if the derivative is taken in other modes than those of the solution
    /// ([`NcpSolver::sides_agree`]). Impulses are then another choice, velocities the same.
    pub(super) of_others: bool,
    /// The island that `part` and the solver hold, linearized.
    pub(super) loaded: Option<usize>,
    /// Islands whose active rows were found to be linearly independent.
    pub(super) sound: Vec<bool>,
    /// Panels of an island's columns, input and output; one number for each of its blocks; indices of
    /// columns.
    pub(super) input: Vec<f64>,
    pub(super) output: Vec<f64>,
    pub(super) limits: Vec<f64>,
    pub(super) columns: Vec<usize>,
    /// While the derivative is taken in the modes of a descent: the modes of the solution, and the
    /// blocks that take part.
    pub(super) modes_before: Vec<Mode>,
    pub(super) descending: Vec<usize>,
    /// Workspace for the label.
    pub(super) probe: Probe,
    /// While sides are compared: how each island is compared; and the island that the solver holds with its
    /// switches released, and whether its velocities are determined.
    pub(super) around: Vec<Around>,
    pub(super) released: Option<(usize, bool)>,
}

impl IslandSolver {
    pub fn new(capacity: &Capacity) -> IslandSolver {
        let Capacity { rows, blocks, .. } = *capacity;
        // Only problems stored by trees are split.
        let split = |n: usize| if capacity.trees == 0 { 0 } else { n };
        let dense = rows.min(DENSE);
        IslandSolver {
            solver: NcpSolver::with_trees(capacity, dense),
            working_set: WorkingSet::new(split(blocks), capacity.coordinates),
            islands: Islands::new(capacity.trees, split(blocks)),
            certificates: vec![Certificate::new(Path::Empty); split(blocks)],
            part: Part::new(capacity, split(rows), split(blocks), DENSE),
            lambda: vec![0.0; split(rows)],
            modes: vec![Mode::Unknown; split(blocks)],
            last: None,
            of_others: false,
            loaded: None,
            sound: Vec::with_capacity(split(blocks)),
            input: vec![0.0; split(rows) * LANES],
            output: vec![0.0; split(rows) * LANES],
            limits: vec![0.0; split(blocks) * LANES],
            columns: Vec::with_capacity(LANES),
            modes_before: vec![Mode::Unknown; split(blocks)],
            descending: Vec::with_capacity(split(blocks)),
            probe: Probe::new(rows),
            around: Vec::with_capacity(split(blocks).max(1)),
            released: None,
        }
    }

    /// As [`NcpSolver::solve`], for a problem of one region.
    pub fn solve(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        modes: &mut [Mode],
        options: &NcpOptions,
    ) -> Result<Certificate> {
        self.begin(problem)?;
        let posed = Posed {
            problem: *problem,
            blocks: None,
            regularization: &[],
            kept: &[],
            lambda,
            modes,
        };
        let certificate = self.solve_region(posed, options)?;
        self.end(problem, &certificate)?;
        Ok(certificate)
    }

    /// Begins a step. [`IslandSolver::solve_region`] follows for each of its regions, and then
    /// [`IslandSolver::end`].
    ///
    /// # Errors
    /// As [`Problem::validate`].
    pub fn begin(&mut self, problem: &Problem) -> Result<()> {
        self.of_others = false;
        (self.last, self.loaded) = (None, None);
        self.sound.clear();
        if let Delassus::Trees(_) = problem.delassus {
            problem.validate()?;
            self.working_set.begin(problem.blocks.len());
        }
        Ok(())
    }

    /// Ends a step: the islands of all regions are linearized together. `certificate` is that of the
    /// regions.
    ///
    /// # Errors
    /// As [`Islands::split`].
    pub fn end(&mut self, problem: &Problem, certificate: &Certificate) -> Result<()> {
        let Delassus::Trees(rows) = problem.delassus else {
            return Ok(());
        };
        self.working_set.list_all(problem);
        let inside = self.working_set.blocks();
        (self.islands).split(rows.trees(), inside, |b| rows.trees_of(b))?;
        self.last = Some(*certificate);
        Ok(())
    }

    /// As [`NcpSolver::solve`], for the blocks of a region. The certificate is that of the worst island; its
    /// counts are sums.
    pub fn solve_region(&mut self, posed: Posed<'_>, options: &NcpOptions) -> Result<Certificate> {
        let Posed {
            problem,
            blocks,
            lambda,
            modes,
            ..
        } = posed;
        let problem = &problem;
        let Delassus::Trees(rows) = problem.delassus else {
            return self.solver.solve(problem, lambda, modes, options);
        };
        self.solver.check_size(problem, lambda, modes)?;
        self.working_set.start(problem, rows, modes, blocks);
        for &b in self.working_set.region() {
            let range = rows.range(b);
            if first_not_finite(&problem.g[range.clone()]).is_some() {
                problem.validate()?;
            }
            if self.working_set.is_new(b) {
                self.lambda[range.clone()].copy_from_slice(&lambda[range]);
                self.modes[b] = modes[b];
            } else {
                self.lambda[range].fill(0.0);
                self.modes[b] = Mode::Breaking;
            }
        }
        let mut all = Certificate::new(Path::Empty);
        let mut now = NcpOptions {
            effort: options.effort.min(Effort::Usual),
            ..*options
        };
        loop {
            let inside = self.working_set.blocks();
            self.islands
                .split(rows.trees(), inside, |b| rows.trees_of(b))?;
            let solved = self.solve_islands(problem, rows, &now, &mut all)?;
            if !solved && options.effort < Effort::Thorough {
                break;
            }
            if let Some(margin) = self.working_set.extend(problem, rows, &self.lambda) {
                all.margin = margin;
                if solved || now.effort == options.effort {
                    break;
                }
                now.effort = options.effort;
                self.complete(rows);
            }
        }
        for island in 0..self.islands.len() {
            all.join(&self.certificates[self.islands.blocks(island)[0]]);
        }
        for &b in self.working_set.region() {
            lambda[rows.range(b)].copy_from_slice(&self.lambda[rows.range(b)]);
            modes[b] = self.modes[b];
        }
        Ok(all)
    }

    /// Adds all blocks between bodies of unsolved islands to the working set. The last methods take long,
    /// and would otherwise start again for each such block that closes in their solution.
    fn complete(&mut self, rows: &WhitenedJacobian) {
        let (islands, certificates) = (&mut self.islands, &self.certificates);
        self.working_set.take_in(|b| {
            let own = islands.between(rows.trees_of(b));
            own.is_some_and(|island| !certificates[islands.blocks(island)[0]].converged)
        });
    }

    /// Solves the islands that have new blocks. With thorough effort it also solves those that are still
    /// unsolved. Returns whether all are solved.
    fn solve_islands(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        options: &NcpOptions,
        all: &mut Certificate,
    ) -> Result<bool> {
        let (mut solved, thorough) = (true, options.effort == Effort::Thorough);
        // The usual methods are not repeated on problems that they did not solve.
        let at_last = NcpOptions {
            method: match options.method {
                Method::Auto => Method::Continuation,
                other => other,
            },
            ..*options
        };
        let left = options.work_budget().without(&all.spent);
        let mut most = WorkBudget::NONE;
        for island in 0..self.islands.len() {
            let blocks = self.islands.blocks(island);
            let is_new = blocks.iter().any(|b| self.working_set.is_new(*b));
            let mut found = self.certificates[blocks[0]];
            let mut spent = WorkBudget::NONE;
            if is_new {
                let now = options.within(&left);
                found = self.solve_island(problem, rows, island, &now, None)?;
                spent.add(&found.spent);
                all.add_work(&found);
            }
            if !is_new && thorough && !found.converged {
                let now = at_last.within(&left);
                let next = self.solve_island(problem, rows, island, &now, Some(&found))?;
                spent.add(&next.spent);
                all.add_work(&next);
                found = next.better(found);
            }
            most.most(&spent);
            self.certificates[self.islands.blocks(island)[0]] = found;
            solved &= found.converged;
        }
        all.spent.add(&most);
        Ok(solved)
    }

    /// Solves one island. A result with a larger residual than that of `there` is not kept.
    fn solve_island(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        island: usize,
        options: &NcpOptions,
        there: Option<&Certificate>,
    ) -> Result<Certificate> {
        let blocks = self.islands.blocks(island);
        let part = &mut self.part;
        part.extract(problem, rows, blocks, &self.lambda, &self.modes, DENSE);
        let (part_problem, lambda, modes) = part.problem();
        let certificate = self.solver.solve(&part_problem, lambda, modes, options)?;
        if there.is_none_or(|there| certificate.residual() < there.residual()) {
            part.put_back(&mut self.lambda, &mut self.modes);
        }
        Ok(certificate)
    }

    /// As [`NcpSolver::linearize`].
    pub fn linearize(&mut self, problem: &Problem) -> Result<()> {
        match problem.delassus {
            Delassus::Dense(_) => self.solver.linearize(problem).map(|_| ()),
            Delassus::Trees(_) => NcpSolver::check_certificate(self.last.as_ref()).map(|_| ()),
        }
    }

    /// Whether the active rows are known to be linearly independent. Always false for large islands.
    pub fn independent(&mut self, problem: &Problem) -> Result<bool> {
        let Delassus::Trees(rows) = problem.delassus else {
            let rank = self.solver.linearize(problem)?;
            return Ok(!self.of_others && rank.independent == rank.unknowns);
        };
        self.linearize(problem)?;
        for island in 0..self.islands.len() {
            self.load(problem, rows, island)?;
            let rank = self.solver.rank();
            if !self.part.is_dense || rank.independent < rank.unknowns {
                return Ok(false);
            }
        }
        Ok(!self.of_others)
    }

    pub(super) fn is_at_switch(&self, problem: &Problem) -> bool {
        match problem.delassus {
            Delassus::Dense(_) => self.solver.is_at_switch(),
            Delassus::Trees(_) => self.last.is_some_and(|c| c.at_switch),
        }
    }

    /// Whether active rows may be linearly dependent, by a test that does not split the problem into
    /// islands.
    pub fn may_be_deficient(&self, problem: &Problem) -> bool {
        matches!(problem.delassus, Delassus::Trees(_)) || self.solver.may_be_deficient()
    }

    /// As [`NcpSolver::left_over`], for the islands whose active rows may be linearly dependent. `dlambda`
    /// is scratch.
    pub fn left_over(
        &mut self,
        problem: &Problem,
        w: &[f64],
        dlambda: &mut [f64],
    ) -> Result<[f64; 2]> {
        let Delassus::Trees(rows) = problem.delassus else {
            return self.solver.left_over(problem, w, dlambda);
        };
        let mut worst = [0.0f64; 2];
        for island in 0..self.islands.len() {
            if self.sound.get(island) == Some(&true) {
                continue;
            }
            self.load(problem, rows, island)?;
            if !self.solver.may_be_deficient() {
                continue;
            }
            let n = self.part.rows.len();
            let (input, output) = (&mut self.input[..n], &mut self.output[..n]);
            gather(&self.part.rows, w, 0, &[0], input);
            let (part_problem, ..) = self.part.problem();
            let [left, size] = self.solver.left_over(&part_problem, input, output)?;
            worst = [worst[0].max(left), worst[1].max(size)];
        }
        Ok(worst)
    }

    /// As [`NcpSolver::is_certain`], for all islands. `scratch` has the problem's rows.
    pub fn is_certain(&mut self, problem: &Problem, scratch: [&mut [f64]; 2]) -> Result<bool> {
        self.all_are(problem, scratch, NcpSolver::is_certain)
    }

    /// As `NcpSolver::is_decided`, for all islands: whether the active rows determine the velocities.
    /// `scratch` has the problem's rows.
    pub fn is_decided(&mut self, problem: &Problem, scratch: [&mut [f64]; 2]) -> Result<bool> {
        self.all_are(problem, scratch, NcpSolver::is_decided)
    }

    /// Whether `test` holds on all islands.
    fn all_are(
        &mut self,
        problem: &Problem,
        scratch: [&mut [f64]; 2],
        test: impl Fn(&mut NcpSolver, &Problem, &mut [f64], &mut [f64]) -> bool,
    ) -> Result<bool> {
        let [y, change] = scratch;
        let Delassus::Trees(rows) = problem.delassus else {
            return Ok(test(&mut self.solver, problem, y, change));
        };
        for island in 0..self.islands.len() {
            self.load(problem, rows, island)?;
            let n = self.part.rows.len();
            let (part, ..) = self.part.problem();
            if !test(&mut self.solver, &part, &mut y[..n], &mut change[..n]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all islands satisfy [`NcpSolver::sides_agree`], or [`NcpSolver::others_lead`] if the
    /// system is not `certain`. `scratch` has the problem's rows.
    pub fn sides_agree(
        &mut self,
        problem: &Problem,
        w: &[f64],
        certain: bool,
        scratch: [&mut [f64]; 2],
    ) -> Result<bool> {
        let [delta, change] = scratch;
        let Delassus::Trees(rows) = problem.delassus else {
            let sides = match certain {
                true => self.solver.sides_agree(problem, w, delta, change)?,
                false => self.solver.others_lead(problem, w, delta, change)?,
            };
            self.of_others |= sides.others;
            return Ok(sides.alike);
        };
        let mut alike = true;
        for island in 0..self.islands.len() {
            let certificate = &self.certificates[self.islands.blocks(island)[0]];
            if certain && self.sound.get(island) == Some(&true) && !certificate.at_switch {
                continue;
            }
            self.load(problem, rows, island)?;
            let n = self.part.rows.len();
            let (input, delta, change) = (&mut self.input[..n], &mut delta[..n], &mut change[..n]);
            gather(&self.part.rows, w, 0, &[0], input);
            let (part_problem, ..) = self.part.problem();
            let solver = &mut self.solver;
            let Sides { alike: own, others } =
                match certain || solver.is_certain(&part_problem, delta, change) {
                    true => solver.sides_agree(&part_problem, input, delta, change)?,
                    false => solver.others_lead(&part_problem, input, delta, change)?,
                };
            alike &= own;
            if others {
                self.of_others = true;
                for (mode, b) in self.solver.modes().iter().zip(&self.part.members) {
                    self.modes[*b] = *mode;
                }
            }
        }
        Ok(alike)
    }

    /// Prepares the derivative on one island.
    pub(super) fn load(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        island: usize,
    ) -> Result<()> {
        if self.loaded == Some(island) {
            return Ok(());
        }
        let certificate = NcpSolver::check_certificate(self.last.as_ref())?;
        self.loaded = None;
        let blocks = self.islands.blocks(island);
        self.part
            .extract(problem, rows, blocks, &self.lambda, &self.modes, DENSE);
        let (part_problem, lambda, modes) = self.part.problem();
        self.solver.adopt(&part_problem, lambda, modes, certificate);
        self.solver.linearize(&part_problem)?;
        self.loaded = Some(island);
        self.sound.resize(self.islands.len(), false);
        self.sound[island] = !self.solver.may_be_deficient();
        Ok(())
    }
}
