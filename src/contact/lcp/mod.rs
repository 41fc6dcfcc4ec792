//! Contact as a boxed linear complementarity problem: friction lies in a pyramid along the two tangents
//! of each contact.
//!
//! After nimble-differentiable-lcp, made exact: rows clamp (C), separate (S) or slide at a bound (U,
//! f_U = E f_C). For given index sets the problem is one linear system, Q f_C = −b_C with Q = A_CC +
//! A_CU E. Guess-and-check takes the sets of the last step. If these fail, some sweeps of Gauss–Seidel
//! guess others. Then rows change their sets one at a time, along a line from a problem that the sweeps'
//! impulses solve (principal pivoting). The interior point and continuation solve the rest. A solution
//! counts only with its certificate, which is the one of rigid contact with a round cone.
//!
//! Closed rows without impulse are also clamped before impulses are chosen, so that the result does not
//! depend on the pivots. It is the impulse of least norm, −Q⁺ b_C, if this obeys the law; otherwise see
//! redundant contacts in [`ncp`](super::ncp). Velocities do not depend on this choice, unless points slide
//! in different directions. In this case the impulse in the range of Q is taken, which also gives the
//! derivative.
//!
//! Rows at a bound without velocity, and rows without impulse that do not open, are at a switch. They count
//! as active, as in all laws. The derivative with these rows active is compared with the derivatives on the
//! other sides; it is one-sided if they differ.
//!
//! Index sets are faces of a law, like those of the round cone. Therefore the solver, its islands, the
//! systems by trees and the derivatives are those of [`ncp`](super::ncp).

mod law;

pub use law::Lcp;
