//! The contact laws behind one face: solve the problem of a step, linearize its solution.

use super::convex::ConvexSolver;
use super::island_solver::IslandSolver;
use super::ncp::Split;
use super::panels::Columns;
use super::problem::Problem;
use crate::error::Result;

/// A law with its solver and its memory.
#[derive(Debug)]
pub enum Law {
    Ncp(Box<IslandSolver>),
    Convex(Box<ConvexSolver>),
}

impl Law {
    /// Prepares the derivative at the last solution.
    ///
    /// Errors: `NoStep` before a solve, `NotConverged` where it was not solved.
    pub fn linearize(&mut self, problem: &Problem) -> Result<()> {
        match self {
            Law::Ncp(solver) => solver.linearize(problem),
            Law::Convex(solver) => solver.linearize(problem),
        }
    }

    /// Whether the rows that hold are known not to depend on each other, so that impulses are unique.
    pub fn independent(&mut self, problem: &Problem) -> Result<bool> {
        match self {
            Law::Ncp(solver) => solver.independent(problem),
            Law::Convex(_) => Ok(true),
        }
    }

    /// Whether held rows may depend on each other, as far as can be told cheaply.
    pub fn may_be_deficient(&self, problem: &Problem) -> bool {
        match self {
            Law::Ncp(solver) => solver.may_be_deficient(problem),
            Law::Convex(_) => false,
        }
    }

    /// As [`IslandSolver::left_over`]; compliant rows leave nothing over.
    pub fn left_over(
        &mut self,
        problem: &Problem,
        w: &[f64],
        dlambda: &mut [f64],
    ) -> Result<[f64; 2]> {
        match self {
            Law::Ncp(solver) => solver.left_over(problem, w, dlambda),
            Law::Convex(_) => Ok([0.0; 2]),
        }
    }

    /// As [`IslandSolver::is_certain`].
    pub fn is_certain(&mut self, problem: &Problem, scratch: [&mut [f64]; 2]) -> Result<bool> {
        match self {
            Law::Ncp(solver) => solver.is_certain(problem, scratch),
            Law::Convex(_) => Ok(true),
        }
    }

    /// As [`IslandSolver::sides_agree`]; a compliant law's differ wherever it is at a switch, which is all it is asked at.
    pub fn sides_agree(
        &mut self,
        problem: &Problem,
        w: &[f64],
        scratch: [&mut [f64]; 2],
    ) -> Result<bool> {
        match self {
            Law::Ncp(solver) => solver.sides_agree(problem, w, scratch),
            Law::Convex(_) => Ok(false),
        }
    }

    /// Rank of what [`Law::split`] gives of a dense problem.
    pub fn rank(&self) -> usize {
        match self {
            Law::Ncp(solver) => solver.rank(),
            Law::Convex(_) => 0,
        }
    }

    /// The derivative dλ = −CᵀXB w, columns of B and C a row at every multiple of `stride`; after [`Law::linearize`].
    /// Problems by trees ([`Split::Adjoint`]) need no room for them.
    pub fn split(
        &mut self,
        problem: &Problem,
        stride: usize,
        left: &mut [f64],
        right: &mut [f64],
    ) -> Result<Split> {
        match self {
            Law::Ncp(solver) => solver.split(problem, stride, left, right),
            Law::Convex(_) => Ok(Split::Adjoint),
        }
    }

    /// Products of the C of [`Split::Adjoint`] with columns.
    pub fn times_right(&mut self, problem: &Problem, columns: &mut dyn Columns) -> Result<()> {
        match self {
            Law::Ncp(solver) => solver.times_right(problem, columns),
            Law::Convex(solver) => solver.times_right(problem, columns),
        }
    }

    /// X of [`Split::Middle`] times columns.
    pub fn solve_middle(&mut self, stride: usize, columns: &mut [f64]) {
        if let Law::Ncp(solver) = self {
            solver.solve_middle(stride, columns);
        }
    }

    /// dλ for `columns` directions: `w` (n × columns) is the variation of σ at fixed λ, `limits` (blocks × columns) that
    /// of friction coefficients and bounds.
    pub fn apply(
        &mut self,
        problem: &Problem,
        w: &[f64],
        limits: Option<&[f64]>,
        columns: usize,
        dlambda: &mut [f64],
    ) -> Result<()> {
        match self {
            Law::Ncp(solver) => solver.apply(problem, w, limits, columns, dlambda),
            Law::Convex(solver) => solver.apply(problem, w, limits, columns, dlambda),
        }
    }

    /// Adjoint of [`Law::apply`], for one column.
    pub fn apply_transpose(
        &mut self,
        problem: &Problem,
        lambda_bar: &[f64],
        w_bar: &mut [f64],
        limits_bar: Option<&mut [f64]>,
    ) -> Result<()> {
        match self {
            Law::Ncp(solver) => solver.apply_transpose(problem, lambda_bar, w_bar, limits_bar),
            Law::Convex(solver) => solver.apply_transpose(problem, lambda_bar, w_bar, limits_bar),
        }
    }
}
