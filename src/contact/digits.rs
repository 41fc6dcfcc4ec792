//! Accuracy thresholds for impulses and velocities. All laws use these.

/// A number below this share of the largest of its kind is round-off of a solution. Of 5,811 problems
/// that take more than two factorizations, six change by up to 9e-9 with ten times as much, and two by
/// 2e-9 with a tenth.
pub(in crate::contact) const ROUND_OFF: f64 = 1e-12;

/// Round-off of a sum that cancels, in units in the last place. At most one was found, in bodies between
/// walls and in spinning bodies that graze the ground.
pub(in crate::contact) const ROUNDINGS: f64 = 8.0;

/// Threshold for linear systems whose rows are nearly dependent, relative to the largest number of its
/// kind: the accuracy that their condition leaves. Smaller numbers carry no information. A factor of ten
/// changes no such problem in pivots and sliding rows; elsewhere it is not measured.
pub(in crate::contact) const UNFELT: f64 = 1e-8;

/// Relative error of a solution below which its modes can be read off. A factor of ten does not affect
/// the interior point; compliant contact takes 4 % more factorizations with a tenth.
pub(in crate::contact) const TOLD: f64 = 1e-6;

/// Share of the tolerance that velocities of held rows may have. At rest, gaps contradict each other by
/// the round-off of positions and require such velocities. If every step then needs other methods, their
/// errors keep the gaps inconsistent. With a tenth two of twelve falls of a Go1 end at 83 and 114
/// factorizations a step; with half as much all end at two.
pub(in crate::contact) const HELD: f64 = 0.5;

/// A pivot of at most this relative size counts as that of a dependent row. A factor of ten changes no
/// velocity by more than a hundredth of the tolerance.
pub(in crate::contact) const DEPENDENT: f64 = 1e-11;

/// An impulse whose response is at most this share of a mean response moves nothing. Responses are
/// squares of motions.
pub(in crate::contact) const IDLE: f64 = DEPENDENT * DEPENDENT;

/// A mode switch within this share of the largest velocity counts as reached: at a shorter distance the
/// tolerance of the solution decides. All laws use it.
pub(crate) const AT_SWITCH: f64 = 1e-9;

/// Least velocity that distances to switches are scaled by [m/s]. Residuals are scaled by at least
/// 1 m/s, so that the error of a solution may hide the modes of slower problems.
pub(crate) const SLOWEST: f64 = 1e-3;

/// Least impulse that distances to switches are scaled by, as the share of the largest velocity that it
/// causes. A smaller impulse is round-off of zero; scaled by itself it would look like a load.
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
