//! Accuracy thresholds for impulses and velocities, used by all laws.

/// A number below this share of the largest of its kind is round-off of a solution. Of 5,811 problems
/// that take more than two factorizations, six change by up to 9e-9 with ten times as much, and two by
/// 2e-9 with a tenth.
pub(in crate::contact) const ROUND_OFF: f64 = 1e-12;

/// Bound on the round-off of a sum that cancels, in units in the last place. At most one unit was found,
/// for bodies between walls and for spinning bodies that graze the ground.
pub(in crate::contact) const ROUNDINGS: f64 = 8.0;

/// Relative accuracy of the solution of a linear system whose rows are nearly dependent. Entries below this
/// share of the largest one are round-off. A factor of ten changes no problem in pivots and sliding rows;
/// elsewhere it is not measured.
pub(in crate::contact) const NEGLIGIBLE: f64 = 1e-8;

/// Relative error of an iterate below which the modes of the solution can be read from it. A factor of ten
/// does not affect the interior point; compliant contact takes 4 % more factorizations with a tenth.
pub(in crate::contact) const READABLE: f64 = 1e-6;

/// Bound on the velocities of active rows, as a share of the tolerance. At rest, the gaps of redundant
/// contacts are inconsistent by the round-off of positions, so active rows cannot all have velocity zero.
/// Without this allowance Newton's method fails at rest, and the errors of the other methods keep the gaps
/// inconsistent. With a tenth of the bound two of twelve falls of a Go1 end at 83 and 114 factorizations a
/// step; with this bound all end at two.
pub(in crate::contact) const HELD: f64 = 0.5;

/// A row whose pivot is at most this share of the largest pivot counts as linearly dependent. A factor of
/// ten changes no velocity by more than a hundredth of the tolerance.
pub(in crate::contact) const DEPENDENT: f64 = 1e-11;

/// Elimination without exchanges of rows finds dependent rows only if no pivot before them is small: the noise
/// that it leaves of a dependent row grows by the inverse of the pivot. With a pivot of at most this share of
/// its row the rank needs complete pivoting. With 1e-8 instead, a robot that stands with locked joints on
/// points of a foot that stick and slide takes 24 factorizations a step.
pub(in crate::contact) const SMALL_PIVOT: f64 = 1e-5;

/// An impulse is in the null space of G by itself if its entry on the diagonal of G is at most this share
/// of the mean entry. Entries of G are squares of motions.
pub(in crate::contact) const IDLE: f64 = DEPENDENT * DEPENDENT;

/// A solution within this distance of a mode switch, relative to the largest velocity, counts as at the
/// switch: closer, the error of the solution would decide. All laws use it.
pub(crate) const AT_SWITCH: f64 = 1e-9;

/// Least unit of velocity for distances to switches [m/s]. Residuals have a unit of at least 1 m/s; in
/// slower problems the error of a solution may hide the modes.
pub(crate) const SLOWEST: f64 = 1e-3;

/// Least unit of impulse for distances to switches: the impulse that causes this share of the largest
/// velocity. A smaller impulse is round-off of zero; in a unit of its own size it would look like a load.
const LEAST: f64 = 1e-3;

/// The units of distances to switches, [velocity, impulse], from the largest entries of g, λ and the
/// diagonal of G.
pub(crate) fn switch_units([g, lambda, response]: [f64; 3]) -> [f64; 2] {
    let velocity = g.max(SLOWEST);
    let least = match response > 0.0 {
        true => LEAST * velocity / response,
        false => 0.0,
    };
    let impulse = match lambda.max(least) {
        0.0 => 1.0,
        size => size,
    };
    [velocity, impulse]
}
