//! Convex compliant contact: the velocity that minimizes kinetic energy and the energy of compliant constraints.
//!
//! After sap-convex-compliant-contact (Castro et al., An unconstrained convex formulation of compliant contact): with the
//! change z of the trees' velocities by impulses, in coordinates in which kinetic energy is half the square
//! ([`TreeRows`]),
//!
//!   min ½‖z‖² + ½‖γ(σ)‖²_R,   σ = H z + g,   γ(σ) = P(−R⁻¹σ),
//!
//! the paper's stage 2. It is strictly convex and has one solution whatever the contacts are. Its gradient is z − Hᵀγ and
//! its Hessian 1 + Hᵀ𝒢H with 𝒢 = −∂γ/∂σ: Newton's method with an exact line search converges from any start, and the
//! matrix at the solution serves the derivative,
//!
//!   dγ = (1 − 𝒢K)(−𝒢 w + ∂γ/∂μ dμ),   K = H (1 + Hᵀ𝒢H)⁻¹ Hᵀ,
//!
//! where w is the variation of σ at fixed γ. A variation of R acts like one of σ: w = δR γ.
//!
//! Sliding contacts separate at μ‖σ_T‖, as in every convex approximation of Coulomb friction.

mod law;
mod linearize;
mod local;

pub use law::Regularization;

use super::island_solver::Capacity;
use super::ncp::{Certificate, Effort, Mode, Path};
use super::problem::{Delassus, Problem, Small};
use super::tree_rows::TreeRows;
use super::tree_system::TreeSystem;
use crate::error::{Error, Result};
use crate::linalg::LANES;
use law::{Answer, answer, energy, impulse, is_line};
use local::{Local, relax};

/// Residual at which Newton's method ends, whatever larger tolerance is asked for; a last step with its factorization is
/// left out below the other one. So differences of steps show derivatives.
const FINE: f64 = 1e-12;
const ROUND_OFF: f64 = 1e-16;

/// Residual of a start that is left as it is.
const START: f64 = 1e-15;

/// What a step with an old factorization may leave of the residual before a new one pays, and how close to Newton's own
/// the step before must have been.
const GOOD_CHORD: f64 = 0.2;
const NEARLY: f64 = 0.1;

/// Steps shorter than this were held up by contacts that change their mode, and are followed by steps of single bodies.
const SHORT: f64 = 0.9;

/// After one shorter than this sliding contacts are expected to stop ([`Answer::cautious`]).
const CAUTIOUS: f64 = 0.6;

/// Newton steps without progress before the method gives up, and before it is content with the tolerance.
const PATIENCE: usize = 100;
const PATIENCE_BELOW: usize = 2;

/// Share of the slope along a step that its end may have left.
const EXACT: f64 = 0.05;

/// How far beyond Newton's step the line search looks.
const LONGEST: f64 = 1.5;

/// Blocks this close to another mode take part in the order of elimination, which then is seldom chosen twice [m/s].
const SOON: f64 = 0.1;

/// Scaled margin below which a solution is at a switch.
const AT_SWITCH: f64 = 1e-12;

/// What is asked of a solve.
#[derive(Clone, Copy, Debug)]
pub struct ConvexOptions {
    /// Largest ‖z − Hᵀγ‖ in units of the larger of the two.
    pub tolerance: f64,
    /// Newton steps.
    pub max_iterations: usize,
}

/// Memory for problems up to a capacity; after creation nothing is allocated.
#[derive(Debug)]
pub struct ConvexSolver {
    system: TreeSystem,
    /// Blocks for which the order of elimination was chosen.
    planned: Vec<bool>,
    regularization: Vec<Regularization>,
    answers: Vec<Answer>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    d_sigma: Vec<f64>,
    z: Vec<[f64; 1]>,
    dz: Vec<[f64; 1]>,
    /// Blocks whose impulse is not a line along dz.
    bent: Vec<usize>,
    /// Trees to be relaxed body by body.
    disturbed: Vec<bool>,
    /// z − Hᵀγ.
    gradient: Vec<[f64; 1]>,
    /// Rows of the blocks that answer a variation, and panels over all rows.
    held: Vec<usize>,
    panel: Vec<f64>,
    input: Vec<f64>,
    last: Option<Certificate>,
    factored: bool,
    cautious: bool,
}

impl ConvexSolver {
    pub fn new(capacity: &Capacity) -> ConvexSolver {
        let Capacity {
            rows,
            blocks,
            coordinates,
            ..
        } = *capacity;
        ConvexSolver {
            system: TreeSystem::definite(capacity),
            planned: Vec::with_capacity(blocks),
            regularization: Vec::with_capacity(blocks),
            answers: Vec::with_capacity(blocks),
            lambda: Vec::with_capacity(rows),
            sigma: Vec::with_capacity(rows),
            d_sigma: Vec::with_capacity(rows),
            z: Vec::with_capacity(coordinates),
            dz: Vec::with_capacity(coordinates),
            bent: Vec::with_capacity(blocks),
            disturbed: Vec::with_capacity(capacity.trees),
            gradient: Vec::with_capacity(coordinates),
            held: Vec::with_capacity(rows),
            panel: vec![0.0; rows * LANES],
            input: vec![0.0; rows * LANES],
            last: None,
            factored: false,
            cautious: false,
        }
    }

    /// Solves the problem with a regularization a block, from the better of two velocities: those of the impulses that
    /// `lambda` brings, and `kept`, z of a velocity that is near, such as that before the step. `lambda` takes the
    /// impulses, `modes` the modes.
    ///
    /// A solution above the tolerance is returned, too: the certificate says so, whose `dual` is the residual. Errors, which
    /// leave both outputs untouched: `Capacity`, `InvalidArgument` for sizes and signs, `Numerical` for NaN or ∞ in or out.
    pub fn solve(
        &mut self,
        problem: &Problem,
        regularization: &[Regularization],
        kept: &[f64],
        lambda: &mut [f64],
        modes: &mut [Mode],
        options: &ConvexOptions,
    ) -> Result<Certificate> {
        self.cautious = false;
        (self.last, self.factored) = (None, false);
        problem.validate()?;
        let rows = trees(problem)?;
        self.check(problem, rows, regularization, kept, lambda, modes)?;
        self.regularization.clear();
        self.regularization.extend_from_slice(regularization);
        self.start(problem, rows, kept, lambda);
        let mut certificate = Certificate::new(Path::Newton);
        certificate.effort = Effort::Brief;
        let mut residual = self.residual(problem, rows);
        if residual > FINE {
            // Most of what changed since the last step is a matter of single bodies.
            self.disturbed.clear();
            self.disturbed.resize(rows.trees(), true);
            self.relax(problem, rows);
            residual = self.residual(problem, rows);
        }
        let (mut best, mut stalled) = (f64::INFINITY, 0);
        let patience = |residual: f64| {
            if residual <= options.tolerance.max(FINE) {
                PATIENCE_BELOW
            } else {
                PATIENCE
            }
        };
        // What needs no step at all is at round-off.
        let mut enough = START;
        while residual > enough
            && certificate.newton < options.max_iterations
            && stalled < patience(residual)
            && self.factor(problem, rows)
        {
            enough = FINE.min(options.tolerance);
            let step = self.newton_step(problem, rows);
            certificate.newton += 1;
            self.cautious = step < CAUTIOUS;
            if step < SHORT {
                for (sigma, d) in self.sigma.iter_mut().zip(&self.d_sigma) {
                    *sigma += step * d;
                }
                self.find_disturbed(rows);
                self.relax(problem, rows);
            }
            residual = self.residual(problem, rows);
            if (1.0 - step).abs() < NEARLY {
                residual = self.chords(problem, rows, residual, enough, usize::MAX);
            }
            stalled = if residual < 0.5 * best {
                0
            } else {
                stalled + 1
            };
            best = best.min(residual);
        }
        if certificate.newton > 0 {
            residual = self.chords(problem, rows, residual, ROUND_OFF, 1);
        }
        if problem.blocks.is_empty() {
            certificate.path = Path::Empty;
        }
        if !self.lambda.iter().chain(&self.sigma).all(|x| x.is_finite()) {
            return Err(Error::numerical(
                "the contact solver left the finite numbers",
            ));
        }
        certificate.dual = residual;
        certificate.converged = residual <= options.tolerance;
        self.answer_all(problem, rows);
        self.factored = false;
        self.cautious = false;
        let largest = problem.g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let margins = self.answers.iter().map(|a| a.margin / unit);
        certificate.margin = margins.fold(f64::INFINITY, f64::min);
        certificate.at_switch = certificate.margin <= AT_SWITCH;
        lambda.copy_from_slice(&self.lambda);
        for (mode, a) in modes.iter_mut().zip(&self.answers) {
            *mode = a.mode;
        }
        self.last = Some(certificate);
        Ok(certificate)
    }

    fn check(
        &self,
        problem: &Problem,
        rows: &TreeRows,
        regularization: &[Regularization],
        kept: &[f64],
        lambda: &[f64],
        modes: &[Mode],
    ) -> Result<()> {
        let (n, blocks) = (problem.rows(), problem.blocks.len());
        if LANES * n > self.panel.len() {
            return Err(Error::capacity(format!(
                "{n} rows, room for {}",
                self.panel.len() / LANES
            )));
        }
        for (name, given, expected) in [
            ("regularizations", regularization.len(), blocks),
            ("modes", modes.len(), blocks),
            ("impulses", lambda.len(), n),
            ("coordinates", kept.len(), rows.coordinates()),
        ] {
            if given != expected {
                return Err(Error::invalid(format!(
                    "{given} {name}, expected {expected}"
                )));
            }
        }
        let positive = |r: &Regularization| r.tangential > 0.0 && r.normal > 0.0;
        match regularization.iter().position(|r| !positive(r)) {
            Some(i) => Err(Error::invalid(format!(
                "block {i}: regularization is {:?}, expected positive numbers",
                regularization[i]
            ))),
            None => Ok(()),
        }
    }

    /// The better z of the warm start.
    fn start(&mut self, problem: &Problem, rows: &TreeRows, kept: &[f64], lambda: &[f64]) {
        let (n, coordinates) = (problem.rows(), rows.coordinates());
        for x in [&mut self.lambda, &mut self.sigma, &mut self.d_sigma] {
            x.clear();
            x.resize(n, 0.0);
        }
        for x in [&mut self.z, &mut self.dz, &mut self.gradient] {
            x.clear();
            x.resize(coordinates, [0.0]);
        }
        self.planned.clear();
        self.planned.resize(problem.blocks.len(), false);
        rows.velocities(lambda, &mut self.z);
        let by_impulses = self.cost(problem, rows);
        std::mem::swap(&mut self.z, &mut self.dz);
        self.z.copy_from_slice(kept.as_chunks::<1>().0);
        if self.cost(problem, rows) > by_impulses {
            std::mem::swap(&mut self.z, &mut self.dz);
        }
    }

    /// ½‖z‖² + ½‖γ‖²_R.
    fn cost(&mut self, problem: &Problem, rows: &TreeRows) -> f64 {
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        let mut sum: f64 = self.z.iter().map(|[z]| z * z).sum();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            sum += energy(*block, *r, &self.sigma[rows.range(i)]);
        }
        0.5 * sum
    }

    /// Impulses and gradient at z; the gradient's norm in units of the larger of its parts.
    fn residual(&mut self, problem: &Problem, rows: &TreeRows) -> f64 {
        self.sigma.copy_from_slice(problem.g);
        rows.add_times(&self.z, &mut self.sigma);
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let gamma = impulse(*block, *r, &self.sigma[range.clone()]);
            let count = range.len();
            self.lambda[range].copy_from_slice(&gamma[..count]);
        }
        rows.velocities(&self.lambda, &mut self.gradient);
        let mut sums = [0.0; 3];
        for ([g], [z]) in self.gradient.iter_mut().zip(&self.z) {
            let by_impulses = *g;
            *g = z - by_impulses;
            for (sum, x) in sums.iter_mut().zip([*g, *z, by_impulses]) {
                *sum += x * x;
            }
        }
        let [gradient, z, impulses] = sums;
        if gradient == 0.0 {
            return 0.0;
        }
        (gradient / z.max(impulses)).sqrt()
    }

    /// The slopes at σ.
    fn answer_all(&mut self, problem: &Problem, rows: &TreeRows) {
        self.answers.clear();
        let blocks = problem.blocks.iter().zip(&self.regularization);
        self.answers.extend(
            blocks
                .enumerate()
                .map(|(i, (block, r))| answer(*block, *r, &self.sigma[rows.range(i)])),
        );
    }

    /// Factors 1 + Hᵀ𝒢H at z.
    fn factor(&mut self, problem: &Problem, rows: &TreeRows) -> bool {
        self.answer_all(problem, rows);
        self.factor_answers(problem, rows)
    }

    /// The same from the slopes that are there.
    fn factor_answers(&mut self, problem: &Problem, rows: &TreeRows) -> bool {
        self.system.clear_weights(problem.blocks.len());
        let mut surprise = false;
        let parts = self.answers.iter().zip(&mut self.system.weights);
        for ((a, w), planned) in parts.zip(&self.planned) {
            *w = if self.cautious { a.cautious() } else { a.slope };
            surprise |= !planned && a.slope != Small::default();
        }
        if surprise {
            for (planned, a) in self.planned.iter_mut().zip(&self.answers) {
                *planned |= a.slope != Small::default() || a.margin < SOON;
            }
            let planned = &self.planned;
            self.system.analyze_some(rows, |i| planned[i]);
        }
        self.system.factor(rows)
    }

    /// dz ← −(1 + Hᵀ𝒢H)⁻¹ (z − Hᵀγ).
    fn direction(&mut self) {
        for ([d], [g]) in self.dz.iter_mut().zip(&self.gradient) {
            *d = -g;
        }
        self.system.solve(&mut self.dz);
    }

    /// Returns the step's length.
    fn newton_step(&mut self, problem: &Problem, rows: &TreeRows) -> f64 {
        self.direction();
        self.d_sigma.fill(0.0);
        rows.add_times(&self.dz, &mut self.d_sigma);
        let step = self.line_search(problem, rows);
        self.advance(step);
        step
    }

    /// The trees on which the blocks act that have bent the last step.
    fn find_disturbed(&mut self, rows: &TreeRows) {
        self.disturbed.clear();
        self.disturbed.resize(rows.trees(), false);
        for &b in &self.bent {
            for tree in rows.trees_of(b).into_iter().flatten() {
                self.disturbed[tree] = true;
            }
        }
    }

    /// Lowers the cost body by body on the disturbed trees.
    fn relax(&mut self, problem: &Problem, rows: &TreeRows) {
        let mut local = Local {
            problem,
            rows,
            regularization: &self.regularization,
            z: &mut self.z,
            sigma: &mut self.sigma,
            d_sigma: &mut self.d_sigma,
        };
        relax(&mut local, &self.disturbed);
    }

    fn advance(&mut self, step: f64) {
        for ([z], [d]) in self.z.iter_mut().zip(&self.dz) {
            *z += step * d;
        }
    }

    /// Steps with the factorization that is there, while each leaves little of the residual, which is returned.
    fn chords(
        &mut self,
        problem: &Problem,
        rows: &TreeRows,
        mut residual: f64,
        enough: f64,
        most: usize,
    ) -> f64 {
        let mut count = 0;
        while residual > enough && count < most {
            self.direction();
            self.advance(1.0);
            let new = self.residual(problem, rows);
            if new >= GOOD_CHORD * residual {
                // What lowers it a little still does.
                if new >= residual {
                    self.advance(-1.0);
                    return self.residual(problem, rows);
                }
                return new;
            }
            residual = new;
            count += 1;
        }
        residual
    }

    /// The minimum along dz, by Newton's method within a bracket that bisection closes.
    fn line_search(&mut self, problem: &Problem, rows: &TreeRows) -> f64 {
        let [mut along, mut square] = [0.0; 2];
        for ([z], [d]) in self.z.iter().zip(&self.dz) {
            along += z * d;
            square += d * d;
        }
        // Modes are left along a line once at most where what is open or sticks is convex: what does so at both ends
        // adds a line to the slope, of which that at the beginning and at the end is all there is to know.
        self.bent.clear();
        for (i, (block, r)) in problem.blocks.iter().zip(&self.regularization).enumerate() {
            let range = rows.range(i);
            let (d, sigma) = (&self.d_sigma[range.clone()], &self.sigma[range.clone()]);
            let end = moved(sigma, d, LONGEST);
            if !is_line(*block, *r, sigma, &end[..d.len()]) {
                self.bent.push(i);
                continue;
            }
            let gamma = impulse(*block, *r, sigma);
            let change = impulse(*block, *r, &end[..d.len()]);
            for ((d, from), to) in d.iter().zip(gamma).zip(change) {
                along -= d * from;
                square -= d * (to - from) / LONGEST;
            }
        }
        // The slope, and its own.
        let slope = |step: f64, curvature: bool| {
            let (mut first, mut second) = (along + step * square, square);
            for &i in &self.bent {
                let (block, r, range) = (problem.blocks[i], self.regularization[i], rows.range(i));
                let d = &self.d_sigma[range.clone()];
                let sigma = moved(&self.sigma[range], d, step);
                let sigma = &sigma[..d.len()];
                let gamma = impulse(block, r, sigma);
                first -= d.iter().zip(gamma).map(|(d, g)| d * g).sum::<f64>();
                if curvature && gamma != [0.0; 3] {
                    let a = answer(block, r, sigma);
                    for (row, x) in a.slope.iter().zip(d) {
                        second += x * row.iter().zip(d).map(|(s, d)| s * d).sum::<f64>();
                    }
                }
            }
            [first, second]
        };
        let [start, _] = slope(0.0, false);
        let enough = EXACT * start.abs();
        let [end, _] = slope(1.0, false);
        if end.abs() <= enough {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        if end < 0.0 {
            let [end, _] = slope(LONGEST, false);
            if end <= enough {
                return LONGEST;
            }
            (low, high) = (1.0, LONGEST);
        }
        let mut step = 0.5 * (low + high);
        for _ in 0..60 {
            let [first, second] = slope(step, true);
            if first.abs() <= enough {
                break;
            }
            if first < 0.0 {
                low = step;
            } else {
                high = step;
            }
            step -= first / second;
            if !(step > low && step < high) {
                step = 0.5 * (low + high);
            }
        }
        step
    }
}

/// σ + step dσ.
#[inline(always)]
fn moved(sigma: &[f64], d: &[f64], step: f64) -> [f64; 3] {
    let mut out = [0.0; 3];
    for ((x, s), d) in out.iter_mut().zip(sigma).zip(d) {
        *x = s + step * d;
    }
    out
}

/// Convex problems are always held by trees.
fn trees<'a>(problem: &Problem<'a>) -> Result<&'a TreeRows> {
    match problem.delassus {
        Delassus::Trees(rows) => Ok(rows),
        Delassus::Dense(_) => Err(Error::invalid(
            "a convex problem needs the Delassus operator by trees",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::problem::Block;

    /// A unit mass that a spring of compliance R pushes: z = −g/(1 + R), and what is refused.
    #[test]
    fn one_row_by_hand_and_wrong_sizes() {
        let capacity = Capacity {
            rows: 1,
            blocks: 1,
            trees: 1,
            coordinates: 1,
            largest_tree: 1,
        };
        let mut rows = TreeRows::with_capacity(1, 1, 1);
        rows.clear(std::iter::once(1));
        rows.push(1, [Some(0), None]);
        rows.panel_mut(0, 0)[0] = 1.0;
        rows.finish();
        let problem = Problem {
            blocks: &[Block::Unilateral],
            delassus: Delassus::Trees(&rows),
            g: &[-2.0],
        };
        let r = Regularization {
            tangential: 1e-3,
            normal: 0.25,
        };
        let mut solver = ConvexSolver::new(&capacity);
        let mut solve = |r: &[Regularization], kept: &[f64], n: usize, blocks: usize| {
            let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; blocks]);
            let options = ConvexOptions {
                tolerance: 1e-9,
                max_iterations: 10,
            };
            let done = solver.solve(&problem, r, kept, &mut lambda, &mut modes, &options);
            done.map(|c| (c.converged, modes, lambda))
        };
        let (converged, modes, lambda) = solve(&[r], &[0.0], 1, 1).unwrap();
        assert!(converged && modes == [Mode::Sticking]);
        assert!((lambda[0] - 2.0 / 1.25).abs() < 1e-15, "{lambda:?}");
        let flat = Regularization { normal: 0.0, ..r };
        for (r, kept, n, blocks, said) in [
            (&[r, r][..], &[0.0][..], 1, 1, "2 regularizations"),
            (&[r], &[0.0; 2], 1, 1, "2 coordinates"),
            (&[r], &[0.0], 2, 1, "2 impulses"),
            (&[r], &[0.0], 1, 0, "0 modes"),
            (&[flat], &[0.0], 1, 1, "block 0: regularization"),
        ] {
            let error = solve(r, kept, n, blocks).unwrap_err();
            assert!(error.message.contains(said), "{error}");
        }
    }
}
