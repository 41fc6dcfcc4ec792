//! The tuned numbers of constraints: values that were found by measuring or chosen, ordered by use. Each has
//! its unit, its meaning, and the measured consequence of another value; *not measured* says that there is
//! none.

// Bounds of single dofs.

/// [exchanges] Exchanges of all dofs without progress before the method changes. Other values: not measured.
pub(super) const PIVOT_PATIENCE: usize = 5;

/// [rad/s or m/s] A dof up to this speed is at rest: rows hold a dof up to round-off.
pub(super) const AT_REST: f64 = 1e-12;

/// [share of its bound] Up to this, friction that held a dof in the last step is sure to hold it; above, it
/// gets a row. Other values: not measured.
pub(super) const SURE: f64 = 0.4;

/// [dofs] In a tree with more, few rows get reduced coordinates: a basis of the rows. Other values: not
/// measured.
pub(super) const LARGE_TREE: usize = 64;

// Stabilization.

/// [m/s or rad/s] Speed of [`PushOut::Slow`](crate::contact::push_out::PushOut). Slower push-out is never
/// checked for overshoot. Other values: not measured.
pub(super) const SLOW_PUSH_OUT: f64 = 1e-2;

/// [steps] A joint that is led back to its limit slows down near it: within the distance of so many steps at
/// the largest speed, its speed is proportional to the remaining distance. Otherwise it would keep its speed
/// and reach the other limit. Other values: not measured.
pub(super) const APPROACH: f64 = 8.0;

/// [share of that distance] Below it a led joint counts as at its limit. Other values: not measured.
pub(super) const ARRIVED: f64 = 1e-4;

/// [share of its bound] A dof is thrown if its speed exceeds this multiple of its bound, and if it also gains
/// the share `GAINED` of its bound in the step. Several contacts that pinch a body can do this although each
/// pushes slowly. Other values: not measured.
pub(super) const THROWN: f64 = 5.0;

/// [share of its bound] That a thrown dof gains in a step: with rigid rows; and with compliant rows, which
/// push over many steps. Other values: not measured.
pub(super) const GAINED: [f64; 2] = [1.0, 0.1];

// Compliant contact.

/// [μ h‖v_T‖] An open contact has friction up to this multiple of the gap at which a sliding contact glides.
/// Without friction at the gap, sliding bodies would hop. With friction at larger gaps, it would act on
/// bodies that only pass by.
pub(super) const GLIDE: f64 = 2.0;

/// [share of the smaller geom's size] Bound on the reach of friction at a gap, at high speeds. Other values:
/// not measured.
pub(super) const GLIDE_SMALL: f64 = 0.1;

/// [configurations] At which tendons are weighed, including the neutral one. Other values: not measured.
pub(super) const CONFIGURATIONS: usize = 4;

// The search for a configuration without overlap (home). Other values: not measured.

/// [share of the range; rad or m] Distance that joints keep to their limits: a share, and at most so much.
pub(super) const HOME_ROOM: (f64, f64) = (0.02, 0.02);

/// [m] Distance between parts that the search aims at.
pub(super) const HOME_CLEARANCE: f64 = 1e-4;

/// [m] A smaller overlap counts as none.
pub(super) const HOME_OVERLAP: f64 = 1e-6;

/// [points] Largest number of contact points at one configuration. With more, the search leaves it.
pub(super) const HOME_POINTS: usize = 2048;

/// [starts] Number of them. The search ends after `HOME_PATIENCE` successive starts whose overlap is more
/// than the share `HOME_MUCH` of the least one.
pub(super) const HOME_STARTS: usize = 12;
pub(super) const HOME_PATIENCE: usize = 3;
pub(super) const HOME_MUCH: f64 = 0.9;

/// [steps] From each start.
pub(super) const HOME_STEPS: usize = 40;

/// [rounds] Of projection in each step.
pub(super) const HOME_ROUNDS: usize = 60;

/// [m or rad] Longest step of a dof.
pub(super) const HOME_LONGEST: f64 = 0.2;
