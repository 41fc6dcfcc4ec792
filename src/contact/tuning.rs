//! The tuned numbers of the contact solvers: values that were found by measuring, ordered by method. Each has
//! its unit, its meaning, and the measured consequence of another value; *not measured* says that there is
//! none. Numbers that follow from double precision are in [`digits`](super::digits), the order of the methods
//! and their budgets in `ncp/ladder.rs`.

// The budget of a step.

/// [multiplications] A factorization of at most this size counts as one; a larger one in proportion. 250
/// contacts on a quadruped take a quarter of it. Other values: not measured.
pub(super) const LARGE_FACTORIZATION: f64 = 1e6;

/// [rows a coordinate] A factorization with at most this many counts as one: in a pile, four contacts for
/// each body. With more the bodies are jammed and many rows are redundant. Other values: not measured.
pub(super) const JAMMED_ROWS: f64 = 2.0;

// The level of stabilization of a region.

/// [m/s or rad/s] Stabilization velocities up to this are dropped if Newton's method fails with them. Other
/// values: not measured.
pub(super) const SMALL_BIASES: f64 = 1e-9;

/// [residual] Above this the failure is not due to such velocities: no retry without them. Other values: not
/// measured.
pub(super) const NEARLY: f64 = 1e-6;

/// [steps] In a jam, the first of these steps try rigid rows with the usual effort, and one in `JAM_USUAL`
/// later. Each step whose number is a power of two, and one in `JAM_BRIEF`, tries them briefly. The other
/// steps begin with the level of the last step. Other values: not measured.
pub(super) const JAM_FIRST: u8 = 2;
pub(super) const JAM_BRIEF: u8 = 8;
pub(super) const JAM_USUAL: u8 = 128;

// Blocks that stay open are left out of the problem.

/// [scaled velocity] A block is left out only if it separates at least at this speed, scaled as margins are:
/// blocks that may be at a switch are included. Other values: not measured.
pub(super) const LEFT_OUT_OPENING: f64 = 1e-6;

/// [extensions] After so many extensions by violated blocks, all blocks are included. Other values: not
/// measured.
pub(super) const LEFT_OUT_EXTENSIONS: usize = 8;

// Newton's method with fixed modes.

/// [share of the velocity without impulses] If the impulses of the last step leave more, the modes of the
/// last step are not tried by themselves. Without this bound, steps of a humanoid that falls take 6 % more
/// instructions; with a fifth of it, one that stands takes 2 % more factorizations.
pub(super) const WARM_NEAR: f64 = 0.1;

/// [rows] With at most this many active rows, the first factorization already finds their rank, before the
/// modes are verified. With half of it warm starts take 44 % more factorizations; with twice as many hard
/// problems take 6 % longer.
pub(super) const FEW_HELD: usize = 12;

/// [blocks] If more change their mode at once, the guessed modes are probably wrong. With two, two of 5,800
/// problems are lost for as many factorizations; with eight they take 2 % more.
pub(super) const NEWTON_FEW: usize = 4;

/// [solves] Corrections with the present matrix that bring a verified solution to round-off. With four one
/// of 5,730 problems is lost; with 16 none becomes more exact.
pub(super) const NEWTON_CORRECTIONS: usize = 8;

/// [share of the mean response] ε of systems held as a matrix. With a tenth 8 of 3,358 problems change by up
/// to 1e-6.
pub(super) const NEWTON_PROXIMAL: f64 = 1e-7;

/// [share of x] If the correction exceeds this, check whether it only answers inconsistent rows. Other
/// values: not measured.
pub(super) const NEWTON_CONTRADICTED: f64 = 0.1;

/// [share of the response] ε of systems by trees. With a tenth one of 640 problems is lost, and three have
/// other solutions.
pub(super) const TREES_PROXIMAL: f64 = 1e-6;

/// [solves] Largest number of corrections of ε. Steps rarely need two.
pub(super) const TREES_REPETITIONS: usize = 4;

/// [share of the remainder] A step ends if a correction leaves more: the remainder then comes from
/// inconsistent rows. Without this rule solutions take 7 % longer.
pub(super) const TREES_STALLED: f64 = 0.3;

// The impulse of least norm.

/// [factorizations] Budget for the least-norm impulse of one set of modes and the sets that follow from it.
/// If it is spent, the nearest impulse is returned. With 24 a robot that creeps on dry friction has 45 % of
/// its steps one-sided instead of 41 %.
pub(super) const LEAST_NORM: f64 = 60.0;

/// [Newton steps] If so many find no solution, the set counts as empty. Of 240 problems of robots at rest 200
/// end within 12 steps, and 239 within 40.
pub(super) const LEAST_NORM_STEPS: usize = 40;

/// [Newton steps] Without progress before the search ends. If the equations contradict the set by round-off,
/// as for two fingers that a coupling and both limits hold, the error neither falls nor grows. Without this
/// bound a Panda whose fingers are closed takes 31 factorizations a step instead of 11; with ten instead of
/// six 14.
pub(super) const LEAST_NORM_PATIENCE: usize = 6;

/// [share of the mean diagonal of F Fᵀ] Damping of the Newton step: at the first step, its least value, and
/// [1] its factor of decrease. It grows if the search takes less than the share `LEAST_NORM_SHORT` of a step,
/// and by 100 if the search fails. Other values: not measured.
pub(super) const LEAST_NORM_DAMPING: f64 = 1e-10;
pub(super) const LEAST_NORM_LEAST_DAMPING: f64 = 1e-13;
pub(super) const LEAST_NORM_LESS: f64 = 0.03;
pub(super) const LEAST_NORM_SHORT: f64 = 0.1;

/// [relative error] At the first the iteration ends; the second is accepted if no step lowers it further.
/// Other values: not measured.
pub(super) const LEAST_NORM_SOLVED: f64 = 4e-15;
pub(super) const LEAST_NORM_STALLED: f64 = 1e-13;

/// [evaluations] Steps of the line search, and how many of them may lengthen a step. Lengthening finds empty
/// sets early, because their dual is unbounded. Other values: not measured.
pub(super) const LEAST_NORM_TRIALS: usize = 12;
pub(super) const LEAST_NORM_LENGTHENED: usize = 8;

// Sweeps.

/// [sweeps] Sweeps that guess modes. With three 8 of 1,355 problems that need them are lost.
pub(super) const SWEEPS: usize = 6;

/// [factorizations] Work of a sweep. By trees a sweep reads the data from which the matrix is filled. Filling
/// takes longer by the number of entries in a row, six for a free body. The solutions of the blocks cost a
/// part of this.
pub(super) const SWEEP: f64 = 0.25;

// Alternating directions.

/// [iterations] Largest number of them. Other values: not measured.
pub(super) const ALTERNATIONS: usize = 400;

/// [iterations] The same for rigid contacts with torsional and rolling friction. 320 bodies that stand on
/// many such contacts take 4,601 factorizations with it, 4,347 with half of it and 7,338 with four times as
/// much; four, five and three of them are unsolved.
pub(super) const RIGID_ALTERNATIONS: usize = 100;

/// [iterations a factorization] As many iterations, each a solve, take about the time of one factorization,
/// and count as one. Whenever the modes stay the same for as many, Newton's method tries these modes.
pub(super) const CHUNK: usize = 10;

/// [1] Over-relaxation. Piles of 80 bodies take half as many iterations as without it (1), and 40 % fewer
/// than with 1.8.
pub(super) const ADMM_RELAX: f64 = 1.6;

/// [units of `penalty`] ρ at the start. With ten times as much or a tenth, piles of 80 bodies take twice as
/// much work.
pub(super) const ADMM_RHO: f64 = 0.1;

/// [units of `penalty`] The proximal weight η. Other values: not measured.
pub(super) const ADMM_PROXIMAL: f64 = 1e-6;

// Pivots.

/// [Newton steps] Pivoting ends after so many that neither change a mode nor reduce the residual. With two,
/// one of 404 problems is lost.
pub(super) const PIVOT_MISSES: usize = 5;

/// [share of the largest violation] Initial distance of violated rows from their bounds in parametric pivots.
/// Each row starts a little further away than the one before, so that few reach their bound at once. Other
/// values: not measured.
pub(super) const PARAMETRIC_APART: f64 = 0.1;

// The interior point.

/// [share of the way] Bound of a step on its way to the boundary of the cones. With a tenth few problems are
/// solved; with all of the way hardly more than with this.
pub(super) const INTERIOR_REACH: f64 = 0.99;

/// [share of the way into the cones] The second start of the interior point. Without it five of 320 problems
/// of bodies that stand on many contacts with torsional and rolling friction are lost.
pub(super) const INTERIOR_NEAR: f64 = 0.1;

/// [steps] The interior point ends after so many successive short steps. With one, 59 of the 148 problems
/// that reach it are lost; with six, two more are solved, for 4 % more work.
pub(super) const INTERIOR_PATIENCE: usize = 3;

// Continuation.

/// [Newton steps] Largest number that returns to the path before a shorter step along it is tried; and the
/// number after which the next step may be longer. With four instead of eight the path takes 11 % more
/// factorizations; with 16 no fewer.
pub(super) const PATH_CORRECTIONS: usize = 8;
pub(super) const PATH_FEW_CORRECTIONS: usize = 3;

/// [share of κ] Distance from the path that the accuracy of the linear systems allows. With a tenth, and with
/// ten times as much, one of 27 problems is lost.
pub(super) const PATH_LINEAR: f64 = 5e-10;

/// [ln κ] The longest step, and [1] the factors by which steps grow and shrink. A longest step of twice this
/// loses one of 27 problems. Factors of 2 and ½ take as long.
pub(super) const PATH_LONGEST: f64 = 8.0;
pub(super) const PATH_GROW: f64 = 1.7;
pub(super) const PATH_SHRINK: f64 = 0.4;

/// [cosine] Least one of the angle by which the path may turn in one step. A larger value, or a tenth,
/// changes the work by 2 % or less.
pub(super) const PATH_TURN: f64 = 0.3;

/// [1] If impulses grow by this factor, the problem counts as one without a solution. With a factor a
/// thousand times as large such problems take twice as long, and no further problem is solved.
pub(super) const PATH_BOUNDLESS: f64 = 1e6;

/// [share of the diagonal] Added by trees. It bounds the condition of the system; repetition corrects its
/// effect. With a tenth 9 of 64 problems are lost, with ten times as much one.
pub(super) const PATH_PROXIMAL: f64 = 1e-8;

/// [solves] Largest number of corrections of a direction. With one, three of 64 problems have
/// another solution.
pub(super) const PATH_REPETITIONS: usize = 2;

// Problems that no method solved.

/// [residual] An iterate with at least this one is improved by descent before it is returned. Other values:
/// not measured.
pub(super) const USELESS: f64 = 1e-3;

/// [sweeps] Of descent: as much work as six factorizations. Other values: not measured.
pub(super) const USELESS_SWEEPS: usize = 24;

// Labels of derivatives.

/// [relative velocity] Two one-sided derivatives within this are equal: for the velocities of active rows
/// that the response leaves, and for differences of velocities. A robot that creeps on dry friction has 41 %
/// one-sided steps with this value and 60 % with half of it; a third of the latter have a derivative that is
/// right to 1e-7.
pub(super) const AGREED: f64 = 2e-6;

/// [share of the variation] A contradiction between active rows up to this is round-off. Other values: not
/// measured.
pub(super) const SIDES_FELT: f64 = 1e-9;

/// [rows] Largest number of dry friction rows that are released at once. Other values: not measured.
pub(super) const SIDES_RELEASED: usize = 32;

/// [relative] Largest difference of forward and reverse products of a derivative. Other values: not measured.
pub(super) const DETERMINED: f64 = 1e-6;

/// [share of the distance to the nearest switch] Largest error of a solution whose modes are certain. Other
/// values: not measured.
pub(super) const CERTAIN_OFF: f64 = 0.1;

/// [residual] Below this Newton's method ended at round-off. Other values: not measured.
pub(super) const CERTAIN_FINISHED: f64 = 1e-13;

// Compliant contact.

/// [share of the residual] A step with an old factorization is accepted while it leaves at most this. With
/// ten times as much, steps that make little progress take 70 times as long in all.
pub(super) const CONVEX_CHORD: f64 = 0.2;

/// [share of the initial slope] That a line search may leave at its end. Ten times as much takes 7 % more
/// factorizations; a tenth saves none.
pub(super) const CONVEX_EXACT: f64 = 0.05;

/// [step] After a shorter one, the slopes of sliding contacts are those of `Answer::cautious`. This halves
/// the factorizations of piles.
pub(super) const CONVEX_CAUTIOUS: f64 = 0.6;

/// [share] Of `Answer::along` in the slope of `Answer::cautious`. Other values: not measured.
pub(super) const CONVEX_CAUTION: f64 = 0.1;

/// [Newton steps] Without progress before the method gives up. Half or twice as many change nothing. Once the
/// residual is within the tolerance, it gives up after one.
pub(super) const CONVEX_PATIENCE: usize = 100;

/// [R of friction] ρ of the pairs: about as large as the effect of an impulse on the velocity; R is a
/// thousandth of it. In piles of 15 to 60 bodies a tenth takes 25 % more factorizations, and ten times as
/// much 17 %.
pub(super) const CONVEX_SOFTER: f64 = 1000.0;

/// [Newton steps] Of a body alone. With one a pile takes 3 % more factorizations.
pub(super) const BODY_STEPS: usize = 2;

/// [evaluations] Of its line search. Other values: not measured.
pub(super) const BODY_EVALUATIONS: usize = 8;

// Compliant torsional and rolling friction.

/// [share of the initial slope] That a line search may leave at its end, and its number of evaluations. Other
/// values: not measured.
pub(super) const ELLIPTIC_EXACT: f64 = 0.05;
pub(super) const ELLIPTIC_EVALUATIONS: usize = 40;

/// [Newton steps] Without progress before the method gives up: above the acceptable residual, and below it.
/// Other values: not measured.
pub(super) const ELLIPTIC_PATIENCE: usize = 40;
pub(super) const ELLIPTIC_PATIENCE_BELOW: usize = 1;

/// [relative velocity] That a random variation may leave in held rows that agree. Other values: not measured.
pub(super) const ELLIPTIC_AGREED: f64 = 1e-7;

// The central path of smoothed gradients.

/// [Newton steps] At one κ. Half as many leave 16 of 131 problems unsolved.
pub(super) const RELAXED_STEPS: usize = 100;

/// [share of the way] Bound of a step on its way to the boundary of the cones. With a tenth of the way 29 of
/// the 57 problems that reach the boundary are unsolved.
pub(super) const RELAXED_REACH: f64 = 0.95;

/// [residual] Of a solved problem. Newton's method ends at round-off, far below; a factor of ten changes
/// nothing.
pub(super) const RELAXED_SOLVED: f64 = 1e-8;

/// [1] Factor from one κ to the next on the way down. Other values: not measured.
pub(super) const RELAXED_DESCENT: f64 = 0.2;
