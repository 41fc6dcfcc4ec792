//! The matrix A through which impulses change velocities in a θ-step, and the variation of A Δ.
//!
//! A = Tᵀ M(q') T + diag(armature + θ h D̃ + (θ h)² K̃). M is without armature. T maps velocities along the
//! axes at the start of the step to those along the axes at the stage's q' ([`Motion`]). With fixed
//! Δ = v̂ − v*, a = T Δ and f = M a,
//!
//!   δ(A Δ) = Tᵀ (∂(M a)/∂q' δq' + M δT Δ − N δξ) + δdiag Δ,   δTᵀ f = −Tᵀ N δξ,
//!
//! where N is ∂(T Δ)/∂ξ with Tᵀ f instead of Δ.

use crate::dynamics::Dynamics;
use crate::error::{Error, Result};
use crate::integrator::implicit::{Motion, Slope, Tangents};
use crate::linalg::{LANES, axpy};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::Topology;
use crate::spatial::{Twist, Vec3, so3_exp};
use crate::step::implicit::{Balance, Of, StageState};

/// The matrix and its variation; sized at creation.
#[derive(Debug)]
pub(super) struct Matrix {
    balance: Balance,
    /// For the rate Δ, and for Tᵀ f instead of it.
    motion: [Motion; 2],
    /// Δ, and T Δ.
    pub change: Vec<f64>,
    pub seen: Vec<f64>,
    armature: Vec<f64>,
    zero: Vec<f64>,
    /// Scratch for q', T Δ and forces, with capacity for [`LANES`] columns.
    work: [Vec<f64>; 3],
}

/// Factors A into `dynamics.mass`, and leaves the placements at the stage.
///
/// # Errors
/// `Numerical` naming the joint at which A is singular.
pub(super) fn factor(
    model: &Model,
    params: &Params,
    dynamics: &mut Dynamics,
    diagonal: &[f64],
    at: &StageState,
) -> Result<()> {
    dynamics.update_positions(model, params, &at.q);
    // Linear dofs of a free joint are along the axes at the start of the step: S Tᵀ instead of S.
    for l in model.free_links() {
        let turn = so3_exp(Vec3::from_slice(&at.xi[l.iv + 3..]));
        let own = &mut dynamics.kin.s[l.iv..l.iv + 3];
        let s = [own[0], own[1], own[2]];
        for (k, to) in own.iter_mut().enumerate() {
            let mut sum = Twist::ZERO;
            for (j, s) in s.iter().enumerate() {
                sum += *s * turn.at(k, j);
            }
            *to = sum;
        }
    }
    dynamics.factor_mass(model, diagonal);
    match dynamics.mass.singular_at(diagonal) {
        None => Ok(()),
        Some(k) => Err(Error::numerical(format!(
            "the mass matrix where impulses act is singular at {}",
            model.said_of_dof(k)
        ))),
    }
}

impl Matrix {
    pub fn new(model: &Model) -> Matrix {
        let zeros = || vec![0.0; model.nv()];
        Matrix {
            balance: Balance::new(model.topology(), None),
            motion: [Motion::new(model), Motion::new(model)],
            change: zeros(),
            seen: zeros(),
            armature: zeros(),
            zero: zeros(),
            work: [(); 3].map(|()| vec![0.0; LANES * model.nv()]),
        }
    }

    /// Computes the slopes at a stage for [`Matrix::change`]. `params` is without gravity. Leaves
    /// `dynamics` at rest at the stage with the acceleration [`Matrix::seen`]; its loads are overwritten.
    pub fn linearize(
        &mut self,
        model: &Model,
        params: &Params,
        dynamics: &mut Dynamics,
        at: &StageState,
    ) -> Result<()> {
        let t = model.topology();
        let Matrix {
            balance,
            motion,
            change,
            seen,
            armature,
            zero,
            work: [_, turned, force],
        } = self;
        let [turned, force] = [turned, force].map(|x| &mut x[..change.len()]);
        let at_rest = |rate| Tangents {
            xi: &at.xi,
            x: &*zero,
            rate,
        };
        armature.copy_from_slice(&params.armature);
        motion[0].linearize(t, at_rest(change), zero);
        seen.fill(0.0);
        motion[0].add(t, Slope::Velocity, 1.0, change, seen);
        dynamics.update(model, params, &at.q, zero);
        dynamics.external.clear();
        dynamics.inverse(model, params, seen, force);
        let torsion = force.as_chunks_mut::<1>().0;
        without(armature, seen.as_chunks().0, torsion);
        turned.fill(0.0);
        motion[0].add_transposed(t, Slope::Velocity, 1.0, force, turned);
        motion[1].linearize(t, at_rest(turned), zero);
        balance.take(model, params, dynamics, None, false)
    }

    /// `out` −= δ(A Δ) along δq and δξ of the stage; an empty δq is zero.
    pub fn subtract_direction(&mut self, t: &Topology, q: &[f64], xi: &[f64], out: &mut [f64]) {
        let [q, xi] = [q, xi].map(|x| x.as_chunks().0);
        self.subtract_columns::<1>(t, q, xi, out.as_chunks_mut().0);
    }

    /// [`Matrix::subtract_direction`] for up to [`LANES`] columns, row by row; for deep trees, for one
    /// column.
    #[inline(always)]
    pub fn subtract_columns<const W: usize>(
        &mut self,
        t: &Topology,
        q: &[[f64; W]],
        xi: &[[f64; W]],
        out: &mut [[f64; W]],
    ) {
        let work = self.work.each_mut();
        let [position, acceleration, force] = work.map(|x| &mut x.as_chunks_mut().0[..xi.len()]);
        for x in [&mut *position, acceleration, force] {
            x.fill([0.0; W]);
        }
        let [of_change, of_force] = &self.motion;
        if !q.is_empty() {
            of_change.add_columns(t, Slope::PositionByStart, 1.0, q, position);
        }
        of_change.add_columns(t, Slope::Position, 1.0, xi, position);
        of_change.add_columns(t, Slope::AccelerationByPosition, 1.0, xi, acceleration);
        (self.balance).add_columns(t, Of::Position, position, force);
        (self.balance).add_columns(t, Of::Acceleration, acceleration, force);
        without(&self.armature, acceleration, force);
        of_force.add_columns(t, Slope::AccelerationByPosition, -1.0, xi, force);
        of_change.add_transposed_columns(t, Slope::Velocity, -1.0, force, out);
    }

    /// Adjoint of [`Matrix::subtract_direction`]: from the adjoint of forces, adds the adjoint of q and
    /// writes that of ξ.
    pub fn subtract_adjoint(
        &mut self,
        t: &Topology,
        weights: &[f64],
        q_bar: &mut [f64],
        xi_bar: &mut [f64],
    ) {
        let nv = weights.len();
        let [position, acceleration, force] = self.work.each_mut().map(|x| &mut x[..nv]);
        for x in [&mut *position, acceleration, force, &mut *xi_bar] {
            x.fill(0.0);
        }
        let [of_change, of_force] = &self.motion;
        of_change.add(t, Slope::Velocity, -1.0, weights, force);
        let balance = &mut self.balance;
        balance.add_transposed(t, Of::Position, force, position);
        balance.add_transposed(t, Of::Acceleration, force, acceleration);
        let changed = acceleration.as_chunks_mut::<1>().0;
        without(&self.armature, force.as_chunks().0, changed);
        of_change.add_transposed(t, Slope::PositionByStart, 1.0, position, q_bar);
        of_change.add_transposed(t, Slope::Position, 1.0, position, xi_bar);
        let by_position = Slope::AccelerationByPosition;
        of_change.add_transposed(t, by_position, 1.0, acceleration, xi_bar);
        of_force.add_transposed(t, by_position, -1.0, force, xi_bar);
    }

    /// `out` ← A x, with the diagonal of A beyond M.
    pub fn times(&mut self, t: &Topology, diagonal: &[f64], x: &[f64], out: &mut [f64]) {
        let [_, seen, force] = self.work.each_mut().map(|w| &mut w[..x.len()]);
        for x in [&mut *seen, force] {
            x.fill(0.0);
        }
        self.motion[0].add(t, Slope::Velocity, 1.0, x, seen);
        let (a, f) = (seen.as_chunks().0, force.as_chunks_mut().0);
        self.balance.add_columns::<1>(t, Of::Acceleration, a, f);
        without(&self.armature, a, f);
        for ((out, diagonal), x) in out.iter_mut().zip(diagonal).zip(x) {
            *out = diagonal * x;
        }
        self.motion[0].add_transposed(t, Slope::Velocity, 1.0, force, out);
    }

    /// Applies Tᵀ: converts forces at the stage to the axes at the start of the step.
    pub fn turn_back(&mut self, t: &Topology, force: &mut [f64]) {
        let own = &mut self.work[2][..force.len()];
        own.copy_from_slice(force);
        force.fill(0.0);
        self.motion[0].add_transposed(t, Slope::Velocity, 1.0, own, force);
    }
}

/// Subtracts the armature's part.
#[inline(always)]
fn without<const W: usize>(armature: &[f64], rate: &[[f64; W]], force: &mut [[f64; W]]) {
    for ((force, armature), rate) in force.iter_mut().zip(armature).zip(rate) {
        axpy(-armature, rate, force);
    }
}
