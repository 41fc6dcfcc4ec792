//! How many digits of impulses and velocities count. Every law measures with these.

/// Share of the largest of its kind below which a number is what round-off leaves of a solution. Of 5,811 problems that
/// take more than two factorizations six come out by 9e-9 different with ten times as much, and two by 2e-9 with a tenth.
pub(in crate::contact) const ROUND_OFF: f64 = 1e-12;

/// Units in the last place of what cancels that round-off may leave: no more than one was found, in bodies between walls and
/// in spinning ones that graze the ground.
pub(in crate::contact) const ROUNDINGS: f64 = 8.0;

/// Share of the largest of its kind below which a linear system whose rows nearly depend on each other says nothing: the
/// digits that its condition leaves. Ten times as much or a tenth changes no such problem in pivots and sliding rows; elsewhere
/// it is not measured.
pub(in crate::contact) const UNFELT: f64 = 1e-8;

/// Share of the largest of its kind at which what a solution lacks no longer hides which modes hold. An interior point does not
/// feel a factor of ten; compliant contact takes 4 % more factorizations with a tenth.
pub(in crate::contact) const TOLD: f64 = 1e-6;

/// Relative size below which a remaining pivot counts as that of a dependent row. A factor of ten changes no velocity by more
/// than a hundredth of the tolerance.
pub(in crate::contact) const DEPENDENT: f64 = 1e-11;

/// Share of a mean response below which an impulse moves nothing: responses are squares of motions.
pub(in crate::contact) const IDLE: f64 = DEPENDENT * DEPENDENT;

/// Share of the largest velocity within which a switch of modes counts as reached: what is nearer is decided by the tolerance of the
/// solution. With any law.
pub(crate) const AT_SWITCH: f64 = 1e-9;

/// Velocity that counts as the largest at least [m/s], where switches are measured. Residuals are measured in 1 m/s and more: which
/// modes a problem of slower ones has is left open by what its solution may lack.
pub(crate) const SLOWEST: f64 = 1e-3;

/// Share of the largest velocity that impulses bring about where they count as one, at least: less is what round-off leaves of none,
/// and measured by itself it would look like a load.
const LEAST: f64 = 1e-3;

/// In which distances to switches are measured, of the largest entries of g, λ and the diagonal of G: velocities and impulses.
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
