//! Time stepping and the derivatives of a step.
//!
//! A step with a symplectic scheme is `explicit`, a stage a line. A step of the θ-method is `implicit_stage`.
//! Implicit formulas solve one or two stages and have no impulses (`implicit/`). The derivative of a step is
//! a chain of links (`chain.rs`).

mod act;
mod adjoints;
mod asking;
mod aware;
mod ball_friction;
mod centres;
mod chain;
mod column_labels;
mod constrained_inverse;
mod contact;
mod contact_kernels;
mod derivatives;
pub(crate) mod drives;
mod forward;
mod free_motion;
mod geometry;
mod impacts;
mod implicit;
mod impulse_workspace;
mod impulses;
pub(crate) mod info;
mod inputs;
mod inverse;
mod jacobian_pattern;
mod jacobians;
mod linearization;
mod link;
mod load_friction;
mod loads;
mod memory;
mod observe;
mod options;
mod parameters;
mod parts;
mod penalty;
mod prescribe;
mod prescribed;
mod reduced;
mod selection;
mod side_by_side;
mod sim;
mod split;
mod stages;
pub(crate) mod state;
mod taken;
mod theta;
mod tree_inverse;
mod workspace;

pub use act::ActJacobians;
pub use adjoints::StepAdjoint;
pub(crate) use asking::Query;
pub use column_labels::ColumnLabels;
pub use contact::ContactReport;
pub(crate) use contact::ImpulseBar;
pub use forward::AccelerationJacobians;
pub use impulses::{ImpulseGradient, ImpulseJacobians};
pub(crate) use info::deliver;
pub use info::{Aware, Gradient, StepInfo};
pub use inverse::InverseJacobians;
pub use jacobian_pattern::{JacobianEntries, JacobianPattern};
pub use jacobians::StepJacobians;
pub(crate) use link::Seed;
pub use memory::Bytes;
pub(crate) use memory::is_there;
pub use observe::LastStep;
pub use options::{Advance, Contact, ConvexVariant, Integrator, Options, STICTION};
pub use parts::Parts;
pub(crate) use parts::law_of;
pub(crate) use side_by_side::{SideBySide, Stepped, step_side_by_side};
pub use sim::Sim;

use crate::error::Result;
use implicit::Implicit;
use stages::Stepping;
use theta::ThetaWorkspace;

/// A step from (q, v, u) to (q⁺, v⁺) in which forces act at its start and impulses at its end.
fn explicit(at: &mut Stepping<'_>) -> Result<()> {
    // Kinematics.
    at.place()?;
    // v̂₀, the velocity without any force.
    at.start();
    // τ(q, v, u), and its implicit terms in A.
    let margin = at.push()?;
    // Free motion: A a = τ − b.
    at.fall()?;
    // Collision, rows, law: v̂ = v̂₀ + h a + A⁻¹ Jᵀ λ.
    at.respond(margin)?;
    // (q⁺, v⁺) = Φ(q, v, v̂).
    at.advance(margin)
}

/// A step of the θ-method: a stage within the step gives the velocity without impulses, and A.
fn implicit_stage(
    at: &mut Stepping<'_>,
    implicit: &mut Implicit,
    theta: &ThetaWorkspace,
) -> Result<()> {
    // v̂₀ + h a, with forces at the stage and A at its placements.
    let found = theta::fall(at, implicit, theta)?;
    // Kinematics at the start of the step.
    (at.dynamics).update(at.model, at.params, &at.s.q, &at.s.v);
    // Collision, rows, law.
    theta::respond(at, &found)?;
    at.advance(found.margin)
}
