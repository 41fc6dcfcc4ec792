//! Convex compliant contact: the velocity that minimizes the kinetic energy plus the energy of compliant
//! constraints.
//!
//! After Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact". Let z be
//! the change of the trees' velocities by impulses, in coordinates in which the kinetic energy is half
//! the square ([`WhitenedJacobian`]). The problem is
//!
//!   min ½‖z‖² + ½‖γ(σ)‖²_R,   σ = H z + g,   γ(σ) = P(−R⁻¹σ),
//!
//! stage 2 of the paper. It is strictly convex and has one solution for any contacts. Its gradient is
//! z − Hᵀγ and its Hessian 1 + Hᵀ𝒢H with 𝒢 = −∂γ/∂σ. From nearby impulses Newton's method on pairs of σ
//! and γ finds the solution in a few steps. If it fails, Newton's method with an exact line search finds
//! it from any start. The matrix at the solution also gives the derivative,
//!
//!   dγ = (1 − 𝒢K)(−𝒢 w + ∂γ/∂μ dμ),   K = H (1 + Hᵀ𝒢H)⁻¹ Hᵀ,
//!
//! where w is the variation of σ at fixed γ. A variation of R acts like a variation of σ: w = δR γ.
//!
//! Sliding contacts separate at μ‖σ_T‖, as in every convex approximation of Coulomb friction.

mod body_sweep;
mod descent;
mod impulse;
mod law;
mod linearize;
mod primal_dual;
mod residual;

use super::capacity::Capacity;
use super::problem::{Delassus, Problem, Regularization, Small};
use super::tree_system::TreeSystem;
use super::whitened_jacobian::WhitenedJacobian;
use crate::contact::certificate::{Certificate, Effort, Path};
use crate::contact::digits::{AT_SWITCH, ROUND_OFF, SLOWEST};
use crate::contact::mode::Mode;
use crate::contact::tuning::CONVEX_CHORD;
use crate::error::{Error, Result};
use crate::linalg::LANES;
use impulse::{Answer, answer};
pub use law::Convex;

/// Options of a solve.
#[derive(Clone, Copy, Debug)]
pub struct ConvexOptions {
    /// Largest ‖z − Hᵀγ‖, relative to the larger of the two terms.
    pub tolerance: f64,
    /// Number of Newton steps.
    pub max_iterations: usize,
}

impl ConvexOptions {
    /// Residual at which a solve ends: at most [`ROUND_OFF`], even if the tolerance is larger, so that
    /// finite differences of steps show derivatives.
    fn enough(&self) -> f64 {
        ROUND_OFF.min(self.tolerance)
    }
}

/// Memory for problems up to a capacity. Nothing is allocated after creation.
#[derive(Debug)]
pub struct ConvexSolver {
    system: TreeSystem,
    /// True for blocks that were active when the elimination order was chosen.
    planned: Vec<bool>,
    regularization: Vec<Regularization>,
    answers: Vec<Answer>,
    lambda: Vec<f64>,
    sigma: Vec<f64>,
    d_sigma: Vec<f64>,
    z: Vec<[f64; 1]>,
    dz: Vec<[f64; 1]>,
    /// Blocks whose impulse is not linear along dz.
    bent: Vec<usize>,
    /// Trees on which the cost is minimized body by body.
    disturbed: Vec<bool>,
    /// The gradient of the cost, z − Hᵀγ.
    gradient: Vec<[f64; 1]>,
    /// Blocks with a nonzero slope, and panels over all rows.
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
            held: Vec::with_capacity(blocks),
            panel: vec![0.0; rows * LANES],
            input: vec![0.0; rows * LANES],
            last: None,
            factored: false,
            cautious: false,
        }
    }

    /// Solves the problem with one regularization a block. `lambda` holds the impulses to start from,
    /// and receives the solution. `kept` is z of a nearby velocity, such as the velocity before the
    /// step. `modes` receives the modes.
    ///
    /// A solution above the tolerance is returned, too: the certificate says so, and its `dual` is the
    /// residual. Errors leave both outputs untouched: `Capacity`, `InvalidArgument` for sizes and signs,
    /// `Numerical` for NaN or ∞ in the input or output.
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
        problem.refuse_torsion()?;
        let rows = trees(problem)?;
        self.check(problem, rows, regularization, kept, lambda, modes)?;
        self.regularization.clear();
        self.regularization.extend_from_slice(regularization);
        self.start(problem, rows, lambda);
        let mut certificate = Certificate::new(Path::Newton);
        certificate.effort = Effort::Brief;
        let mut residual = self.residual(problem, rows);
        if residual > f64::EPSILON {
            let found = self.follow_pairs(problem, rows, kept, lambda, options, &mut certificate);
            residual = self.residual(problem, rows);
            if found {
                residual = self.chords(problem, rows, residual, options.enough(), usize::MAX);
            } else {
                residual = self.relax_all(problem, rows);
            }
            residual = self.descend(problem, rows, residual, options, &mut certificate);
            if certificate.newton > 0 && residual <= options.enough() {
                // One more step with the present factorization.
                residual = self.chords(problem, rows, residual, f64::EPSILON, 1);
            }
        }
        if problem.blocks.is_empty() {
            certificate.path = Path::Empty;
        }
        let numbers = self.lambda.iter().chain(&self.sigma);
        if !numbers.chain([&residual]).all(|x| x.is_finite()) {
            return Err(Error::numerical(
                "the contact solver gave a number that is not finite",
            ));
        }
        if residual > options.enough() {
            residual = self.certified(problem, rows, residual);
        }
        certificate.dual = residual;
        certificate.converged = residual <= options.tolerance;
        self.answer_all(problem, rows);
        self.factored = false;
        self.cautious = false;
        let largest = problem.g.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let margins = self.answers.iter().map(|a| a.margin);
        certificate.margin = margins.fold(f64::INFINITY, f64::min) / largest.max(SLOWEST);
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
        rows: &WhitenedJacobian,
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

    /// Starts from the velocity z of the given impulses.
    fn start(&mut self, problem: &Problem, rows: &WhitenedJacobian, lambda: &[f64]) {
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
    }

    /// Computes the slopes at σ.
    fn answer_all(&mut self, problem: &Problem, rows: &WhitenedJacobian) {
        self.answers.clear();
        let blocks = problem.blocks.iter().zip(&self.regularization);
        self.answers.extend(
            blocks
                .enumerate()
                .map(|(i, (block, r))| answer(*block, *r, &self.sigma[rows.range(i)])),
        );
    }

    /// Factors 1 + Hᵀ𝒢H at σ.
    fn factor(&mut self, problem: &Problem, rows: &WhitenedJacobian) -> bool {
        self.answer_all(problem, rows);
        self.factor_answers(rows)
    }

    /// Factors 1 + Hᵀ𝒢H with the present slopes.
    fn factor_answers(&mut self, rows: &WhitenedJacobian) -> bool {
        self.system.clear_weights(self.answers.len());
        let mut surprise = !self.system.is_for(rows);
        let parts = self.answers.iter().zip(&mut self.system.weights);
        for ((a, w), planned) in parts.zip(&self.planned) {
            *w = if self.cautious { a.cautious() } else { a.slope };
            surprise |= !planned && a.slope != Small::default();
        }
        if surprise {
            for (planned, a) in self.planned.iter_mut().zip(&self.answers) {
                *planned |= a.slope != Small::default();
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

    fn advance(&mut self, step: f64) {
        for ([z], [d]) in self.z.iter_mut().zip(&self.dz) {
            *z += step * d;
        }
    }

    /// Takes steps with the present factorization (a chord method) while each step reduces the residual by
    /// a large factor. Returns the residual.
    fn chords(
        &mut self,
        problem: &Problem,
        rows: &WhitenedJacobian,
        mut residual: f64,
        enough: f64,
        most: usize,
    ) -> f64 {
        let mut count = 0;
        // The loop also ends at NaN.
        while residual > enough && count < most {
            count += 1;
            self.direction();
            self.advance(1.0);
            let new = self.residual(problem, rows);
            if new >= CONVEX_CHORD * residual {
                // A step that lowers the residual a little is kept.
                if new >= residual {
                    self.advance(-1.0);
                    return self.residual(problem, rows);
                }
                return new;
            }
            residual = new;
        }
        residual
    }
}

/// Convex problems are always stored by trees.
fn trees<'a>(problem: &Problem<'a>) -> Result<&'a WhitenedJacobian> {
    match problem.delassus {
        Delassus::Trees(rows) => Ok(rows),
        Delassus::Dense(_) => Err(Error::invalid(
            "a convex problem needs the Delassus operator by trees",
        )),
    }
}

#[cfg(test)]
mod tests;
