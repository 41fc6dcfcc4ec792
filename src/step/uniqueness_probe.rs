//! Whether constraints leave the velocity one derivative: redundant ones must agree on how it varies.
//!
//! Where held rows depend on each other, a small change of the state may ask of them what no motion can do: all four
//! corners of a rocking box stick at once only while it is level. The modes then differ on all sides of the step, and a
//! solution of least error has no meaning as a derivative. This is one linear condition on every direction of the
//! state, so one direction in general position shows whether any violates it.
//!
//! At a switch the same direction shows whether the modes on its sides answer alike, see [`NcpSolver::sides_agree`].
//!
//! And the solver's linear system must be that of its solution, see [`NcpSolver::is_certain`]. Where it is not, or rows
//! contradict each other, they may be so nearly dependent that what directions and adjoints get from the factorization is
//! round-off: the two are then compared on a pair of vectors in general position.
//!
//! [`NcpSolver::is_certain`]: crate::contact::ncp::NcpSolver::is_certain
//! [`NcpSolver::sides_agree`]: crate::contact::ncp::NcpSolver::sides_agree

use super::linearization::dot;
use crate::constraint::{ConstraintDerivative, Constraints, Stabilization};
use crate::contact::law::Law;
use crate::contact::ncp::AGREED;
use crate::dynamics::kinematics::Kinematics;
use crate::error::Result;
use crate::linalg::{F4, scattered};
use crate::model::topology::Topology;

/// Relative difference of directions and adjoints from which on neither can be trusted.
const DETERMINED: f64 = 1e-6;

/// What constraints leave of the velocity's derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the derivative, as far as constraints tell.
    Unique,
    /// It is that of one side.
    OneSided,
    /// Round-off: the linear system is too nearly singular.
    Undetermined,
}

/// Directions in general position and their variation of σ. Sized at creation.
#[derive(Debug)]
pub(super) struct UniquenessProbe {
    /// Numbers between ±1 for displacements, kept velocities and forces.
    general: [Vec<f64>; 3],
    direction: Vec<f64>,
    sigma: Vec<f64>,
    dlambda: Vec<f64>,
    weights: Vec<f64>,
}

impl UniquenessProbe {
    pub fn new(nv: usize, max_rows: usize) -> Self {
        UniquenessProbe {
            general: [1, 2, 3].map(|seed| (0..nv).map(|k| scattered(k, seed)).collect()),
            direction: vec![0.0; nv],
            sigma: vec![0.0; max_rows],
            dlambda: vec![0.0; max_rows],
            weights: vec![0.0; max_rows],
        }
    }

    /// Whether impulses can answer every variation of the state, and in one way, from all sides where the solution is
    /// `at_switch`; after the solver's linearization, and before any use of it: it may become that of other modes.
    pub fn judge(
        &mut self,
        c: &Constraints,
        law: &mut Law,
        at_switch: bool,
        variation: &mut ConstraintDerivative,
        s: &Stabilization,
        t: &Topology,
        kin: &Kinematics,
    ) -> Result<Verdict> {
        let rows = c.g.len();
        if rows == 0 {
            return Ok(Verdict::Unique);
        }
        let scratch = [&mut self.sigma[..rows], &mut self.dlambda[..rows]];
        let certain = law.is_certain(&c.problem(), scratch)?;
        let deficient = law.may_be_deficient(&c.problem());
        if certain && !deficient && !at_switch {
            return Ok(Verdict::Unique);
        }
        let sigma = &mut self.sigma[..rows];
        sigma.fill(0.0);
        // A displacement that is covered within a step: all parts are velocities.
        for (x, g) in self.direction.iter_mut().zip(&self.general[0]) {
            *x = s.h * g;
        }
        variation.direction(t, kin, &self.direction, sigma);
        if s.kd != 0.0 {
            for b in 0..c.groups() {
                if let Some(row) = c.normal_row(b) {
                    let n = c.range(b).len() - 1;
                    sigma[row] -= s.kd * c.rows.times(b, &self.general[1]).0[n];
                }
            }
        }
        // Any force at all.
        add_velocity(c, &self.general[2], sigma);
        let scratch = [&mut self.dlambda[..rows], &mut self.weights[..rows]];
        if certain && law.sides_agree(&c.problem(), sigma, scratch)? {
            return Ok(Verdict::Unique);
        }
        let may_be_open = !certain || deficient;
        Ok(match !may_be_open || self.is_determined(c, law)? {
            true => Verdict::OneSided,
            false => Verdict::Undetermined,
        })
    }

    /// Of a linear system that its solution may not belong to, or that contradicts itself: with a direction's w and
    /// weights z = J y, ⟨z, dλ(w)⟩ = ⟨w̄(z), w⟩ unless round-off decides. Impulses that cancel each other count for
    /// nothing in it. Two directions: the one in general position, and a force, which it may drown.
    fn is_determined(&mut self, c: &Constraints, law: &mut Law) -> Result<bool> {
        let rows = c.g.len();
        let [w, z, answer] =
            [&mut self.sigma, &mut self.weights, &mut self.dlambda].map(|x| &mut x[..rows]);
        z.fill(0.0);
        add_velocity(c, &self.general[0], z);
        let problem = c.problem();
        law.apply(&problem, w, None, 1, answer)?;
        let general = dot(z, answer);
        law.apply_transpose(&problem, z, answer, None)?;
        let mut forward_and_reverse = [[general, dot(answer, w)], [0.0; 2]];
        w.fill(0.0);
        add_velocity(c, &self.general[2], w);
        forward_and_reverse[1][1] = dot(answer, w);
        law.apply(&problem, w, None, 1, answer)?;
        forward_and_reverse[1][0] = dot(z, answer);
        // NaN is not determined either.
        let agree = |[a, b]: [f64; 2]| (a - b).abs() <= DETERMINED * a.abs().max(b.abs());
        Ok(forward_and_reverse.into_iter().all(agree))
    }

    /// Whether impulses can answer the variation `sigma` of a parameter; after the solver's linearization.
    pub fn answers(&mut self, c: &Constraints, law: &mut Law, sigma: &[f64]) -> Result<bool> {
        let rows = c.g.len();
        if rows == 0 || !law.may_be_deficient(&c.problem()) {
            return Ok(true);
        }
        let dlambda = &mut self.dlambda[..rows];
        let [left, asked] = law.left_over(&c.problem(), &sigma[..rows], dlambda)?;
        Ok(left <= AGREED * asked)
    }
}

/// σ += J x.
fn add_velocity(c: &Constraints, x: &[f64], sigma: &mut [f64]) {
    for b in 0..c.groups() {
        let F4(velocity) = c.rows.times(b, x);
        for (sigma, v) in sigma[c.range(b)].iter_mut().zip(velocity) {
            *sigma += v;
        }
    }
}
