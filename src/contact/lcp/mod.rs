//! Contact as a boxed linear complementarity problem: friction in a pyramid along the two tangents of each contact.
//!
//! After nimble-differentiable-lcp, made exact: rows clamp (C), separate (S) or slide at a bound (U, f_U = E f_C), and
//! on its index sets the problem is one linear system, Q f_C = −b_C with Q = A_CC + A_CU E. Guess-and-check takes the sets
//! of the last step; where they fail some sweeps of Gauss–Seidel guess others, and then rows change their sets one at a time
//! along a line from a problem that the sweeps' impulses solve (principal pivoting). The interior point and continuation
//! are there for what that does not solve. Nothing counts as solved that its certificate, the same as that of rigid contact
//! with a circular cone, does not tell.
//!
//! Rows without impulse that stay closed are clamped, too, before impulses are chosen, so that what is returned does not depend
//! on the pivots: the impulse of least norm, −Q⁺ b_C, where that obeys the law; else what [`ncp`](super::ncp) says of
//! redundant contacts. Velocities do not depend on the choice; where points slide to different sides and they would, it is
//! the one in the range of Q, whose derivative is that of the solution.
//!
//! Ties are rows at a bound without velocity, and those without impulse that do not open. They count as held, as in all laws; the
//! derivative there is compared with that of other sides, and called one-sided where they differ.
//!
//! Index sets are faces of a law as those of the circular cone are, so that the solver, its islands, systems by trees and
//! derivatives are the same: [`ncp`](super::ncp) has them.

mod law;

pub use law::Lcp;
