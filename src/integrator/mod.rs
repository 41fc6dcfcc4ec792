//! Time stepping: from a state to the velocity that a step's forces and impulses act on, and from its outcome to the next
//! state.
//!
//! A step is v̂ = v̂₀(v) + h a + A⁻¹Jᵀλ, then (q⁺, v⁺) = Φ(q, v, v̂). A scheme owns v̂₀, Φ and their derivatives: of
//! columns, along one direction, and transposed. Everything else of a step is the same for all of them.

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
use std::fmt::Debug;

/// Where a step begins.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub model: &'a Model,
    /// Time step [s].
    pub h: f64,
    /// nq and nv entries.
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// As many entries as [`Scheme::carried`] says.
    pub carried: &'a [f64],
    /// Of each free joint the point that the step takes its frame around, along its axes; schemes that do not keep centres of
    /// mass on their way have no use for it.
    pub centres: &'a [Vec3],
}

/// A state at the end of a step, or tangents or adjoints of it: of positions (nq, or nv tangents), velocities (nv), and
/// what is carried.
pub struct End<'a> {
    pub q: &'a mut [f64],
    pub v: &'a mut [f64],
    pub carried: &'a mut [f64],
}

/// The same at hand.
#[derive(Clone, Copy)]
pub struct Tangent<'a> {
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub carried: &'a [f64],
}

/// By what a panel of columns differentiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Positions,
    Velocities,
    Other,
}

/// A time-stepping scheme. Its derivatives are those at the velocity of the last [`Scheme::linearize`]; after it has been
/// made it does not allocate.
pub trait Scheme: Debug + Send {
    /// Another one like it, with room for its derivative if that is wanted.
    fn duplicate(&self, model: &Model, derivatives: bool) -> Box<dyn Scheme>;

    /// How many numbers it carries from step to step beside (q, v), zero at first: the history of multistep schemes.
    fn carried(&self, _model: &Model) -> usize {
        0
    }

    /// The implicit stage whose velocity impulses are added to, of schemes that find it by one. They have neither v̂₀ nor
    /// what comes with it: of these methods the defaults do.
    fn stage(&self) -> Option<Stage> {
        None
    }

    /// v̂₀, in the axes of the beginning: what no force changes.
    fn start(&self, at: &Start<'_>, v_start: &mut [f64]) {
        v_start.copy_from_slice(at.v);
    }

    /// `out` += δv̂₀ along δv.
    fn start_direction(&self, _at: &Start<'_>, dv: &[f64], out: &mut [f64]) {
        for (out, dv) in out.iter_mut().zip(dv) {
            *out += dv;
        }
    }

    /// `v_bar` += the adjoint by v from that by v̂₀.
    fn start_adjoint(&self, _at: &Start<'_>, z: &[f64], v_bar: &mut [f64]) {
        for (v_bar, z) in v_bar.iter_mut().zip(z) {
            *v_bar += z;
        }
    }

    /// Axes in which a free joint's velocity stays without forces; with [`Scheme::for_start_terms`] what columns by v hold
    /// of ∂v̂₀/∂v beyond the identity.
    fn axes(&self) -> FreeAxes {
        FreeAxes::Body
    }

    /// Visits the entries of −(A − M) (∂v̂₀/∂v − 1)/h, whose diagonal A − M is given: (row, column, value).
    fn for_start_terms(
        &self,
        _at: &Start<'_>,
        _diagonal: &[f64],
        _visit: &mut dyn FnMut(usize, usize, f64),
    ) {
    }

    /// v ← v̂ of a free joint of which all dofs are to end with v, where that does not depend on the state; else v̂ = v.
    fn reach(&self, _h: f64, _v: &mut [f64]) {}

    /// The derivative of [`Scheme::reach`] at v along `d`, in its place.
    fn reach_direction(&self, _h: f64, _v: &[f64], _d: &mut [f64]) {}

    /// Its transpose.
    fn reach_adjoint(&self, _h: f64, _v: &[f64], _bar: &mut [f64]) {}

    /// Whether bodies that turn freely do so by the discrete Euler equations, and free joints go around [`Start::centres`].
    fn keeps_momentum(&self) -> bool {
        false
    }

    /// How the linear part of v̂₀ of a free joint varies with its centre, at its six numbers of v.
    fn start_by_centre(&self, _h: f64, _v: &[f64]) -> Mat3 {
        Mat3::ZERO
    }

    /// How the linear part of q⁺ and v⁺ of a free joint vary with its centre, at the six numbers of v̂.
    fn by_centre(&self, _h: f64, _v_end: &[f64]) -> [Mat3; 2] {
        [Mat3::ZERO; 2]
    }

    /// Φ: the next state from v̂.
    fn end(&self, at: &Start<'_>, v_end: &[f64], next: End<'_>);

    /// Prepares the derivative of Φ at v̂.
    fn linearize(&mut self, at: &Start<'_>, v_end: &[f64]);

    /// That derivative, for schemes whose Φ is as [`EndMap`] says; others have the following methods instead.
    fn map(&self) -> &EndMap;

    /// Whether all factors of that derivative are below `bound`.
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

    /// Φ's derivative along a direction of the state, of which an empty part is zero, and of v̂.
    fn end_direction(&self, at: &Start<'_>, state: Tangent<'_>, dv_end: &[f64], next: End<'_>) {
        self.map().direction(at, state.q, dv_end, next);
    }

    /// z = the adjoint by v̂.
    fn end_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, z: &mut [f64]) {
        self.map().adjoint(at, next, z);
    }

    /// x ← the tangent of q⁺ where bodies go by x farther than h v̂ takes them, and the transpose of that.
    fn displace(&self, at: &Start<'_>, x: &mut [f64]) {
        self.map().displace(at.model.topology(), x);
    }

    fn displace_transposed(&self, at: &Start<'_>, x: &mut [f64]) {
        self.map().displace_transposed(at.model.topology(), x);
    }

    /// What comes to the state not through v̂: that of q and of what is carried is written, that of v added.
    fn state_adjoint(&self, at: &Start<'_>, next: Tangent<'_>, state: End<'_>) {
        self.map().position_adjoint(at, next.q, state.q);
    }
}
