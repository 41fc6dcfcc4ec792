//! Time stepping: from a state to the velocity that forces and impulses act on, and from the resulting
//! velocity to the next state.
//!
//! A step is v̂ = v̂₀(v) + h a + A⁻¹Jᵀλ, then (q⁺, v⁺) = Φ(q, v, v̂). A scheme owns v̂₀, Φ and their
//! derivatives: for columns, along one direction, and transposed. Everything else is the same for all
//! schemes.

mod end_map;
mod euler;
mod euler_world;
pub mod implicit;
mod theta;

pub use end_map::EndMap;
pub use euler::SymplecticEuler;
pub use euler_world::SymplecticEulerWorld;
pub use theta::Theta;

use crate::dynamics::coupling::Columns;
use crate::dynamics::rnea_derivatives::FreeAxes;
use crate::model::Model;
use crate::spatial::{Mat3, Vec3};
use implicit::Stage;
use std::fmt::{Debug, Formatter};

/// The start of a step.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub model: &'a Model,
    /// Time step [s].
    pub h: f64,
    /// nq and nv entries.
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// History, [`Scheme::carried`] entries.
    pub carried: &'a [f64],
    /// For each free joint: the point around which the step moves its frame, along its axes. Only used
    /// by schemes that propagate centres of mass.
    pub centres: &'a [Vec3],
}

/// The memory for a state at the end of a step, or for its tangents or adjoints: positions (nq, or nv
/// for tangents), velocities (nv), and history.
pub struct End<'a> {
    pub q: &'a mut [f64],
    pub v: &'a mut [f64],
    pub carried: &'a mut [f64],
}

/// The same, read-only.
#[derive(Clone, Copy)]
pub struct Tangent<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub carried: &'a [f64],
}

/// The variables of a panel of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Positions,
    Velocities,
    Other,
}

/// A time-stepping scheme. Its derivatives are those at the velocity of the last [`Scheme::linearize`].
/// It does not allocate after creation.
pub trait Scheme: Send {
    /// A scheme of the same kind, with memory for its derivative if requested.
    fn duplicate(&self, model: &Model, derivatives: bool) -> Box<dyn Scheme>;

    /// Count of numbers carried from step to step in addition to (q, v), zero at first: the history of
    /// multistep schemes.
    fn carried(&self, _model: &Model) -> usize {
        0
    }

    /// The implicit stage whose velocity the impulses are added to, for schemes with such a stage. These
    /// schemes have no v̂₀, and keep the defaults of the methods about it.
    fn stage(&self) -> Option<Stage> {
        None
    }

    /// v̂₀, in the axes of the start: the velocity of a motion without forces.
    fn start(&self, at: &Start<'_>, v_start: &mut [f64]) {
        v_start.copy_from_slice(at.v);
    }

    /// `out` += δv̂₀ along δv.
    fn start_direction(&self, _at: &Start<'_>, dv: &[f64], out: &mut [f64]) {
        for (out, dv) in out.iter_mut().zip(dv) {
            *out += dv;
        }
    }

    /// `v_bar` += the adjoint by v, from the adjoint `z` by v̂₀.
    fn start_adjoint(&self, _at: &Start<'_>, z: &[f64], v_bar: &mut [f64]) {
        for (v_bar, z) in v_bar.iter_mut().zip(z) {
            *v_bar += z;
        }
    }

    /// Axes in which a free joint's velocity is constant without forces. Together with
    /// [`Scheme::for_start_terms`] this gives ∂v̂₀/∂v minus the identity for columns by v.
    fn axes(&self) -> FreeAxes {
        FreeAxes::Body
    }

    /// Visits the entries of −(A − M) (∂v̂₀/∂v − 1)/h: (row, column, value). A − M is diagonal and
    /// given.
    fn for_start_terms(
        &self,
        _at: &Start<'_>,
        _diagonal: &[f64],
        _visit: &mut dyn FnMut(usize, usize, f64),
    ) {
    }

    /// v ← v̂ of a free joint for which v⁺ = v is prescribed for all dofs, if v̂ does not depend on the
    /// state. By default v̂ = v.
    fn reach(&self, _h: f64, _v: &mut [f64]) {}

    /// The derivative of [`Scheme::reach`] at v along `d`, in place.
    fn reach_direction(&self, _h: f64, _v: &[f64], _d: &mut [f64]) {}

    /// Its transpose.
    fn reach_adjoint(&self, _h: f64, _v: &[f64], _bar: &mut [f64]) {}

    /// Whether bodies that turn freely do so by the discrete Euler equations, and free joints move
    /// around [`Start::centres`].
    fn keeps_momentum(&self) -> bool {
        false
    }

    /// Derivative of the linear part of v̂₀ of a free joint by its centre, at the six numbers of v.
    fn start_by_centre(&self, _h: f64, _v: &[f64]) -> Mat3 {
        Mat3::ZERO
    }

    /// Derivatives of the linear parts of q⁺ and v⁺ of a free joint by its centre, at the six numbers of
    /// v̂.
    fn by_centre(&self, _h: f64, _v_end: &[f64]) -> [Mat3; 2] {
        [Mat3::ZERO; 2]
    }

    /// Φ: the next state from v̂.
    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>);

    /// Prepares the derivative of Φ at v̂.
    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]);

    /// This derivative, for schemes whose Φ has the form of [`EndMap`]. Other schemes override the
    /// following methods.
    fn map(&self) -> &EndMap;

    /// Whether all factors of this derivative are below `bound`.
    fn is_within(&self, bound: f64) -> bool {
        self.map().is_within(bound)
    }

    /// Columns of q⁺ and v⁺ from those of v̂, nv rows each.
    fn end_columns(
        &self,
        at: &Start<'_>,
        by: By,
        which: Columns<'_>,
        v_end: &[f64],
        q_next: Option<&mut [f64]>,
        v_next: Option<&mut [f64]>,
    ) {
        self.map().columns(at, by, which, v_end, q_next, v_next);
    }

    /// Φ's derivative along a direction of the state (an empty part is zero) and of v̂.
    fn end_direction(&self, at: &Start<'_>, state: Tangent<'_>, dv_end: &[f64], next: End<'_>) {
        self.map().direction(at, state.q, dv_end, next);
    }

    /// z = the adjoint by v̂.
    fn end_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        self.map().adjoint(at, next, z);
    }

    /// x ← the tangent of q⁺ if bodies move by x in addition to h v̂; and the transpose of this map.
    fn displace(&self, at: &Start<'_>, x: &mut [f64]) {
        self.map().displace(at.model.topology(), x);
    }

    fn displace_transposed(&self, at: &Start<'_>, x: &mut [f64]) {
        self.map().displace_transposed(at.model.topology(), x);
    }

    /// The adjoint by the state at fixed v̂. The parts of q and of the history are written; the part of
    /// v is added.
    fn state_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, state: End<'_>) {
        self.map().position_adjoint(at, next.q, state.q);
    }
}

// A supertrait would keep the texts of all types behind this one in the library.
impl Debug for dyn Scheme {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time-stepping scheme")
    }
}
