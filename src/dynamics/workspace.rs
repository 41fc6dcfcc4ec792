//! The memory of all recursions, allocated once.

use super::aba::{Aba, aba};
use super::aba_derivatives::{ColumnSupport, inverse_times};
use super::articulated::articulate;
use super::coupling::Coupling;
use super::external::{External, LinkStiffness};
use super::factors::Factors;
use super::four::Four;
use super::jacobian::unpack_symmetric;
use super::kinematics::{Kinematics, inertias, positions, velocities};
use super::mass::{BranchMatrix, Crba, DenseInverse, crba, crba_dense, factor, inverse};
use super::mass_times::MassTimes;
use super::rnea::{Rnea, accelerate, rnea};
use super::rnea_adjoint::{RneaAdjoint, rnea_adjoint, subtree_adjoint};
use super::rnea_derivatives::{FreeAxes, RneaDerivatives, rnea_derivatives, subtrees};
use super::rnea_direction::{RneaDirection, rnea_direction};
use super::system::System;
use crate::linalg::{F4, within};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::topology::Topology;
use crate::spatial::{Inertia, Twist, Vec3};

/// Workspace of the derivatives. Only allocated if requested.
#[derive(Clone, Debug)]
pub struct Derivatives {
    pub id: RneaDerivatives,
    /// For shallow trees: M plus a diagonal, then its factors, of [`Dynamics::differentiate_forward`].
    pub mass: BranchMatrix,
    pub inverse: DenseInverse,
    support: ColumnSupport,
    /// Islands with each tree by itself.
    trees: Coupling,
    adjoint: RneaAdjoint,
    /// For deep trees: derivatives along directions, and the stiffness of the loads on each link alone.
    direction: RneaDirection,
    loads: LinkStiffness,
}

/// Workspace of all algorithms for one model. The caller ensures the lengths of slices: nq for q, nv for
/// the others.
#[derive(Clone, Debug)]
pub struct Dynamics {
    pub kin: Kinematics,
    pub rnea: Rnea,
    pub external: External,
    pub mass: Factors,
    /// The matrix of a step, around `mass`.
    pub system: System,
    pub derivatives: Option<Box<Derivatives>>,
    aba: Aba,
    crba: Crba,
    pub(crate) subtree: Vec<(f64, Vec3)>,
    pub(super) mass_times: MassTimes,
    pub(super) scratch: Vec<f64>,
    /// Zero between calls.
    pub(super) unit: Vec<f64>,
    zero: Vec<f64>,
    /// True if `rnea` holds the recursion of `kin` at zero joint acceleration.
    biased: bool,
}

impl Dynamics {
    pub fn new(model: &Model, derivatives: bool) -> Self {
        let t = model.topology();
        Dynamics {
            kin: Kinematics::new(model),
            rnea: Rnea::new(model),
            external: External::new(model),
            mass: Factors::new(model),
            system: System::Definite,
            derivatives: derivatives.then(|| {
                Box::new(Derivatives {
                    id: RneaDerivatives::new(model),
                    mass: BranchMatrix::new(t),
                    inverse: DenseInverse::new(if t.is_deep() { 0 } else { t.nv() }),
                    support: ColumnSupport::new(t.nv()),
                    trees: Coupling::separate(t),
                    adjoint: RneaAdjoint::new(model),
                    direction: RneaDirection::new(model),
                    loads: LinkStiffness::new(t.links.len()),
                })
            }),
            aba: Aba::new(model),
            crba: Crba::new(model),
            subtree: vec![(0.0, Vec3::ZERO); t.links.len()],
            mass_times: MassTimes::new(model),
            scratch: vec![0.0; t.nv()],
            unit: vec![0.0; t.nv()],
            zero: vec![0.0; t.nv()],
            biased: false,
        }
    }

    /// Positions, velocities and inertias at (q, v).
    pub fn update(&mut self, model: &Model, params: &Params, q: &[f64], v: &[f64]) {
        self.biased = false;
        positions(&mut self.kin, model, params, q);
        velocities(&mut self.kin, model, v);
        inertias(&mut self.kin, params);
    }

    /// Positions, and velocities if given, for queries without masses.
    pub fn update_motion(&mut self, model: &Model, params: &Params, q: &[f64], v: Option<&[f64]>) {
        self.biased = false;
        positions(&mut self.kin, model, params, q);
        v.inspect(|v| velocities(&mut self.kin, model, v));
    }

    /// Positions and inertias at q.
    pub fn update_positions(&mut self, model: &Model, params: &Params, q: &[f64]) {
        self.biased = false;
        positions(&mut self.kin, model, params, q);
        inertias(&mut self.kin, params);
    }

    /// τ = M a + b − Jᵀ(external); after [`Dynamics::update`].
    pub fn inverse(&mut self, model: &Model, params: &Params, a: &[f64], tau: &mut [f64]) {
        self.biased = false;
        rnea(
            &mut self.rnea,
            &self.kin,
            model,
            params,
            &self.external,
            a,
            tau,
        );
    }

    /// a with (M − armature + diag) a = τ − b + Jᵀ(external); after [`Dynamics::update`].
    pub fn forward(
        &mut self,
        model: &Model,
        params: &Params,
        diagonal: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) {
        if let Factors::Reduced(_) = self.mass {
            return self.forward_factored(model, params, diagonal, tau, a);
        }
        aba(
            &mut self.aba,
            &self.kin,
            model,
            params,
            &self.external,
            diagonal,
            tau,
            a,
        );
    }

    /// The same for the system matrix, including the terms of its [`System`].
    pub fn forward_system(
        &mut self,
        model: &Model,
        params: &Params,
        diagonal: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) {
        if self.system.is_definite() {
            return self.forward(model, params, diagonal, tau, a);
        }
        self.factor_system(model, diagonal);
        self.bias(model, params, a);
        for (a, tau) in a.iter_mut().zip(tau) {
            *a = tau - *a;
        }
        self.system.solve(&mut self.mass, model.topology(), a);
        if self.mass.singular_at(diagonal).is_some() {
            a.fill(f64::NAN);
        }
    }

    /// The same through the factorization of M − armature + diag, which is kept in `mass`. A matrix that
    /// is not positive definite gives numbers that are not finite.
    pub fn forward_factored(
        &mut self,
        model: &Model,
        params: &Params,
        diagonal: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) {
        if let Factors::Swept(factors) = &mut self.mass {
            let (aba_work, kin) = (&mut self.aba, &self.kin);
            aba(
                aba_work,
                kin,
                model,
                params,
                &self.external,
                diagonal,
                tau,
                a,
            );
            std::mem::swap(&mut aba_work.factors, factors);
            factors.adopt(&kin.s);
        } else {
            self.factor_mass(model, diagonal);
            self.bias(model, params, a);
            for (a, tau) in a.iter_mut().zip(tau) {
                *a = tau - *a;
            }
            self.mass.solve(model.topology(), a);
        }
        match &self.mass {
            Factors::Reduced(r) if r.singular_at(diagonal).is_some() => a.fill(f64::NAN),
            Factors::Reduced(_) => {}
            Factors::Packed(_) | Factors::Swept(_) => self.refuse_singular(a),
        }
    }

    /// Takes placements, velocities and inertias of a lane, as [`Dynamics::update`].
    pub fn take_kinematics(&mut self, four: &Four, lane: usize) {
        self.biased = false;
        four.write_kinematics(lane, &mut self.kin);
    }

    /// Takes the factors of a lane, and finds a from τ − b, as [`Dynamics::forward_factored`]. Packed factors
    /// only.
    pub fn take_factors(&mut self, four: &Four, lane: usize, t: &Topology, a: &mut [f64]) {
        if let Factors::Packed(mass) = &mut self.mass {
            four.write_factors(lane, mass);
        }
        self.mass.solve(t, a);
        self.refuse_singular(a);
    }

    fn refuse_singular(&self, a: &mut [f64]) {
        if self.mass.dinv().iter().any(|d| d.is_nan() || *d <= 0.0) {
            a.fill(f64::NAN);
        }
    }

    /// b − Jᵀ(external) into `tau`; after [`Dynamics::update`].
    pub fn bias(&mut self, model: &Model, params: &Params, tau: &mut [f64]) {
        let (kin, external) = (&self.kin, &self.external);
        rnea(
            &mut self.rnea,
            kin,
            model,
            params,
            external,
            &self.zero,
            tau,
        );
        self.biased = true;
    }

    /// The recursion of [`Dynamics::inverse`] without its τ, from the recursion of
    /// [`Dynamics::forward_factored`], which is repeated if it is not available.
    pub fn accelerate(&mut self, model: &Model, params: &Params, a: &[f64]) {
        if !self.biased {
            let mut scratch = std::mem::take(&mut self.scratch);
            self.bias(model, params, &mut scratch);
            self.scratch = scratch;
        }
        let t = model.topology();
        accelerate(&mut self.rnea, &self.kin, t, &self.external, a);
        self.biased = false;
    }

    /// Dense M with armature, column-major. Call it after [`Dynamics::update_positions`]. Returns
    /// whether it is finite; if not, nothing is written.
    pub fn mass_matrix(&mut self, model: &Model, params: &Params, out: &mut [f64]) -> bool {
        if !self.mass_is_finite(params) {
            return false;
        }
        match &mut self.mass {
            Factors::Packed(mass) => {
                crba(&mut self.crba, &self.kin, model, mass);
                unpack_symmetric(model, &mass.rows, out);
            }
            Factors::Reduced(r) => {
                crba(&mut self.crba, &self.kin, model, &mut r.whole);
                unpack_symmetric(model, &r.whole.rows, out);
            }
            Factors::Swept(_) => crba_dense(&mut self.crba, &self.kin, model, out),
        }
        let n = model.nv();
        for (k, rotor) in params.armature.iter().enumerate() {
            out[k * n + k] += rotor;
        }
        true
    }

    /// Whether no product of inertias with two joint axes can overflow.
    fn mass_is_finite(&self, params: &Params) -> bool {
        let size = |i: &Inertia| i.to_params().iter().map(|x| x.abs()).sum::<f64>();
        let all = self.kin.inertia.iter().map(size).sum::<f64>();
        let axis = |s: &Twist| s.lin.max_abs() + s.ang.max_abs();
        let longest = self.kin.s.iter().map(axis).fold(0.0, f64::max);
        let bound = 0.5 * f64::MAX;
        within(bound, &params.armature) && within(bound, &[10.0 * all * longest * longest])
    }

    /// M − armature + diag factored in `mass`; after [`Dynamics::update_positions`].
    pub fn factor_mass(&mut self, model: &Model, diagonal: &[f64]) {
        match &mut self.mass {
            Factors::Packed(mass) => {
                crba(&mut self.crba, &self.kin, model, mass);
                factor(mass, model.topology(), diagonal);
            }
            Factors::Swept(a) => articulate(a, &self.kin, model, diagonal),
            Factors::Reduced(r) => {
                crba(&mut self.crba, &self.kin, model, &mut r.whole);
                r.factor(model.topology(), diagonal);
            }
        }
    }

    /// [`Dynamics::factor_mass`], and the further terms of the system matrix.
    pub fn factor_system(&mut self, model: &Model, diagonal: &[f64]) {
        self.factor_mass(model, diagonal);
        self.system.factor(&mut self.mass, model.topology());
    }

    /// Derivatives of inverse dynamics at (q, v, a), branch-packed in `derivatives.id`; for a deep tree
    /// the data for [`Dynamics::inverse_direction`]. Call it after [`Dynamics::inverse`].
    pub fn differentiate_inverse(&mut self, model: &Model, params: &Params) {
        if let Some(d) = &mut self.derivatives {
            d.id.stiffness.set(&self.external);
        }
        self.differentiate_loaded(model, params, FreeAxes::Body);
    }

    /// The same, and for shallow trees M without armature in `derivatives.mass`.
    pub fn differentiate_inverse_with_mass(&mut self, model: &Model, params: &Params) {
        match &mut self.derivatives {
            Some(d) if !model.topology().is_deep() => {
                d.id.stiffness.set(&self.external);
                let (kin, rnea, m) = (&self.kin, &self.rnea, Some(&mut d.mass));
                rnea_derivatives(&mut d.id, kin, rnea, model, params, FreeAxes::Body, m);
            }
            _ => self.differentiate_inverse(model, params),
        }
    }

    /// Derivatives with these `axes`. `derivatives.id` must hold the stiffness of all loads on the
    /// links.
    pub fn differentiate_loaded(&mut self, model: &Model, params: &Params, axes: FreeAxes) {
        if let Some(d) = &mut self.derivatives {
            let t = model.topology();
            if t.is_deep() {
                d.loads.copy_from(&d.id.stiffness);
                subtrees(&mut d.id, &self.kin, t);
            } else {
                rnea_derivatives(&mut d.id, &self.kin, &self.rnea, model, params, axes, None);
            }
        }
    }

    /// Adds ∂τ/∂q dq + ∂τ/∂v dv at (q, v, a) to `tau` for a deep tree. An empty slice stands for zero.
    /// Call it after [`Dynamics::differentiate_inverse`].
    pub fn inverse_direction(
        &mut self,
        model: &Model,
        params: &Params,
        dq: &[f64],
        dv: &[f64],
        tau: &mut [f64],
    ) {
        if let Some(d) = &mut self.derivatives {
            let (kin, rnea) = (&self.kin, &self.rnea);
            let direction = &mut d.direction;
            rnea_direction(direction, kin, rnea, model, params, &d.loads, dq, dv, tau);
        }
    }

    /// Derivatives of inverse dynamics of a deep tree by q and v, dense column-major nv×nv. Call it
    /// after [`Dynamics::differentiate_inverse`].
    pub fn inverse_columns(
        &mut self,
        model: &Model,
        params: &Params,
        by_q: &mut [f64],
        by_v: &mut [f64],
    ) {
        let mut unit = std::mem::take(&mut self.unit);
        let columns = by_q.chunks_exact_mut(model.nv());
        for (k, (by_q, by_v)) in columns.zip(by_v.chunks_exact_mut(model.nv())).enumerate() {
            by_q.fill(0.0);
            by_v.fill(0.0);
            unit[k] = 1.0;
            self.inverse_direction(model, params, &unit, &[], by_q);
            self.inverse_direction(model, params, &[], &unit, by_v);
            unit[k] = 0.0;
        }
        self.unit = unit;
    }

    /// Adds the slopes of the power of a twist on the force that the subtree of a link needs, by the tangent
    /// of q, by v and by the acceleration. The twist moves with the link. Call it after
    /// [`Dynamics::inverse`].
    pub fn subtree_adjoint(
        &mut self,
        (model, params): (&Model, &Params),
        of: (usize, Twist),
        [q_bar, v_bar, a_bar]: [&mut [f64]; 3],
    ) {
        if let Some(d) = &mut self.derivatives {
            let (kin, rnea, external) = (&self.kin, &self.rnea, &self.external);
            let x = &mut d.adjoint;
            subtree_adjoint(
                x, kin, rnea, model, params, external, of, q_bar, v_bar, a_bar,
            );
        }
    }

    /// Adds wᵀ∂τ/∂q and wᵀ∂τ/∂v at (q, v, a) to `q_bar` and `v_bar`. Call it after
    /// [`Dynamics::inverse`].
    pub fn inverse_adjoint(
        &mut self,
        model: &Model,
        params: &Params,
        w: &[f64],
        q_bar: &mut [f64],
        v_bar: &mut [f64],
    ) {
        if let Some(d) = &mut self.derivatives {
            let (kin, rnea, external) = (&self.kin, &self.rnea, &self.external);
            rnea_adjoint(
                &mut d.adjoint,
                kin,
                rnea,
                model,
                params,
                external,
                w,
                q_bar,
                v_bar,
            );
        }
    }

    /// Dense derivatives of forward dynamics at (q, v, τ) for the matrix M − armature + diag: by q and v
    /// in `by_q`, `by_v` (column-major nv×nv). The derivative by τ is [`Dynamics::mass_inverse`]. `a`
    /// receives the acceleration. Returns the dof at which the matrix is singular, if any. Call it after
    /// [`Dynamics::update`].
    pub fn differentiate_forward(
        &mut self,
        model: &Model,
        params: &Params,
        diagonal: &[f64],
        tau: &[f64],
        a: &mut [f64],
        by_q: &mut [f64],
        by_v: &mut [f64],
    ) -> Option<usize> {
        self.forward(model, params, diagonal, tau, a);
        let mut scratch = std::mem::take(&mut self.scratch);
        self.inverse(model, params, a, &mut scratch);
        self.scratch = scratch;
        let t = model.topology();
        if t.is_deep() {
            self.factor_mass(model, diagonal);
            self.differentiate_inverse(model, params);
            self.inverse_columns(model, params, by_q, by_v);
            for column in [by_q, by_v]
                .into_iter()
                .flat_map(|x| x.chunks_exact_mut(t.nv()))
            {
                self.mass.solve(t, column);
                column.iter_mut().for_each(|x| *x = -*x);
            }
            return self.mass.singular_at(diagonal);
        }
        let d = self.derivatives.as_mut()?;
        d.id.stiffness.set(&self.external);
        let (m, axes) = (Some(&mut d.mass), FreeAxes::Body);
        rnea_derivatives(&mut d.id, &self.kin, &self.rnea, model, params, axes, m);
        // The acceleration has left the factors in reduced coordinates.
        let singular = match &self.mass {
            Factors::Reduced(r) => {
                r.inverse(t, &mut d.inverse);
                r.singular_at(diagonal)
            }
            _ => {
                factor(&mut d.mass, t, diagonal);
                inverse(&mut d.inverse, &d.mass, t);
                d.mass.singular_at()
            }
        };
        let trees = &d.trees;
        inverse_times(
            &mut d.support,
            &d.inverse,
            &d.id,
            t,
            trees,
            -1.0,
            None,
            by_q,
            by_v,
        );
        singular
    }

    /// The inverse of the matrix of [`Dynamics::differentiate_forward`], dense column-major nv×nv.
    pub fn mass_inverse(&mut self, t: &Topology, out: &mut [f64]) {
        let nv = t.nv().max(1);
        let dense = self.derivatives.as_ref().map(|d| &d.inverse);
        for (i, column) in out.chunks_exact_mut(nv).enumerate() {
            match dense {
                Some(dense) if !t.is_deep() => {
                    column.copy_from_slice(&F4::flat(dense.row(i))[..nv])
                }
                _ => {
                    column.fill(0.0);
                    column[i] = 1.0;
                    self.mass.solve(t, column);
                }
            }
        }
    }
}
