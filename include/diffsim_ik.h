/*
 * diffsim, Inverse kinematics. The rules of diffsim.h hold here, too. Licence: Apache-2.0 OR MIT. Generated
 * by scripts/header.py; do not edit.
 */

#ifndef DIFFSIM_IK_H
#define DIFFSIM_IK_H

#include "diffsim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------ Inverse kinematics ------------------------------------------ */

/** Outcome of a search of a ds_ik. */
DS_ENUM(ds_ik_outcome) {
  /** Every task and the model's equalities are within their tolerances, and preferences are at their best. */
  DS_IK_SOLVED = 0,
  /** A local minimum with a residual above its tolerance: the target is out of reach, or the search needs
   * another start. */
  DS_IK_STATIONARY = 1,
  DS_IK_ITERATIONS = 2, /**< Neither of these within options.max_iterations. */
};

/** Options of a ds_ik, fixed at its creation. Fill with ds_ik_options_init, then change fields. */
typedef struct ds_ik_options {
  size_t struct_size;     /**< Size of this struct in bytes; set by ds_ik_options_init. */
  double tolerance;       /**< Largest residual of a task that counts as solved [m, rad]. Default 1e-10. */
  size_t max_iterations;  /**< Of each start, at least 1. Default 100. */
  /** Number of further starts, at random configurations, if the first start does not solve the tasks.
   * Joints with bounds at most 13 rad or 10 km apart start within them; other rotating joints start
   * within half a turn of q0; free joints start as in q0. Default 0. */
  size_t max_restarts;
  /** Seed of the random starts: the same inputs and seed give the same bits. Default 0. */
  uint64_t seed;
  double equality_weight; /**< Weight of the model's equalities [1/m, 1/rad]; 0 ignores them. Default 1. */
  int32_t limits;         /**< 1: joints stay within their bounds. 0: bounds are ignored. Default 1. */
  int32_t reserved;       /**< Must be 0. */
} ds_ik_options;

/** Fills the struct with the defaults. NULL is ignored. */
void ds_ik_options_init(struct ds_ik_options *options);

/** The quantity that a task of a ds_ik prescribes. */
DS_ENUM(ds_ik_kind) {
  /** A frame on a body. Target: its placement in the world, 16 numbers of a column-major 4×4 matrix.
   * Residual: the position along the world's axes, then the rotation vector from the target's
   * orientation, along the target's axes. Variation of the target: 6 numbers (linear; angular) along the
   * world's axes. */
  DS_IK_FRAME = 0,
  /** The centre of mass of all that moves. Target, residual and variation: 3 numbers. */
  DS_IK_CENTER_OF_MASS = 1,
  /** The configuration. Target: nq numbers. Residual: nv numbers, q minus the target. For spherical joints
   * it is the rotation vector along the target's axes; for free joints, the position in the joint's frame
   * and then this rotation vector. Variation of the target: nv numbers, its tangent. */
  DS_IK_POSTURE = 2,
};

/** A task of a ds_ik. Fill with ds_ik_task_init, then change fields. */
typedef struct ds_ik_task {
  size_t struct_size; /**< Size of this struct in bytes; set by ds_ik_task_init. */
  int32_t kind;       /**< A ds_ik_kind. Default DS_IK_FRAME. */
  int32_t body;       /**< Body of the frame, an id. Default 0, the world. */
  /** Pose of the frame in its body's frame, a column-major 4×4 matrix; for a site, use
   * ds_model_site_placement. Default the identity. */
  double placement[16];
  double weight;      /**< Weight of all rows [1/m, 1/rad], at least 0; 0 disables the task. Default 1. */
  /** Factors of the weight, at least 0, in the order of the residual. A frame uses all six, the centre of
   * mass the first three. A factor of 0 leaves its row free: with three zeros at the end, a frame task
   * prescribes a position only. Default 1 each. */
  double axes[6];
  /** For a posture: factors of the weight, nv numbers, read during the call; NULL: 1 each. Must be NULL
   * for other kinds. Default NULL. */
  const double *dofs;
  /** Largest residual that counts as solved, instead of options.tolerance. INFINITY makes the task a
   * preference, which counts as solved with any residual. Default 0: options.tolerance; INFINITY for a
   * posture. */
  double tolerance;
} ds_ik_task;

/** Fills the struct with the defaults. NULL is ignored. */
void ds_ik_task_init(struct ds_ik_task *task);

/** Solves inverse kinematics of one model. Add the tasks once; set their targets as often as you want.
 * ds_ik_solve, ds_ik_residual, ds_ik_gradient and the derivatives do not allocate. ds_ik_set_target
 * allocates only for the first target of a posture. One thread at a time.
 *
 * A solution is a local minimum of the sum of (weight residual)²/2 over the rows of all tasks, with
 * joints within their bounds. If no configuration satisfies all tasks, their weights decide. The model's
 * equalities (loops, joints that follow others) count as tasks. */
typedef struct ds_ik ds_ik;

/** Makes a solver without tasks and keeps the model alive. options: NULL for the defaults. Release *out
 * with ds_ik_free.
 *
 * Errors: DS_ERR_INVALID_ARGUMENT naming the option; DS_ERR_UNSUPPORTED naming a joint whose bounds are
 * not bounds of one coordinate (set options.limits = 0 to ignore bounds). */
ds_status ds_ik_create(const struct ds_model *model, const struct ds_ik_options *options, struct ds_ik **out);

/** Releases a solver. NULL is ignored. */
void ds_ik_free(struct ds_ik *ik);

/** Adds a task. *number: its number, counted from 0. Set its target with ds_ik_set_target. The last
 * solution is forgotten.
 *
 * Errors: DS_ERR_INVALID_ARGUMENT naming the field. */
ds_status ds_ik_add_task(struct ds_ik *ik, const struct ds_ik_task *task, int32_t *number);

/** Number of tasks. 0 for NULL. */
size_t ds_ik_ntask(const struct ds_ik *ik);

/** Length of a task's target (see ds_ik_kind). 0 if there is no such task. */
size_t ds_ik_target_size(const struct ds_ik *ik, int32_t task);

/** Length of a task's residual and of a variation of its target (see ds_ik_kind). 0 if there is no such
 * task. */
size_t ds_ik_residual_size(const struct ds_ik *ik, int32_t task);

/** Length of a variation of all targets: the sum of ds_ik_residual_size over all tasks. 0 for NULL. */
size_t ds_ik_variation_size(const struct ds_ik *ik);

/** Sets the target of a task: ds_ik_target_size numbers. The last solution is forgotten. */
ds_status ds_ik_set_target(struct ds_ik *ik, int32_t task, const double *target);

/** Sets the weight of a task, as ds_ik_task.weight. The last solution is forgotten. */
ds_status ds_ik_set_weight(struct ds_ik *ik, int32_t task, double weight);

/** Facts about a search of a ds_ik. */
typedef struct ds_ik_info {
  int32_t outcome;          /**< A ds_ik_outcome. */
  int32_t padding;          /**< 0. */
  size_t iterations;        /**< Iterations, summed over all starts. */
  size_t restarts;          /**< Number of starts after the first. */
  double residual;          /**< Largest unweighted residual of the tasks that have a tolerance [m, rad]. */
  double objective;         /**< Sum of (weight residual)²/2. */
  /** Largest entry of the gradient of the objective along joints that no bound holds. */
  double slope;
  double equality_residual; /**< Largest violation of the model's equalities. */
  uint64_t reserved[8];     /**< Reserved; 0. */
} ds_ik_info;

/** Solves the tasks from q0 and writes the configuration to q: nq numbers each; q may be q0. q0 is first
 * moved into the bounds. info: facts about the search; may be NULL. Unsolved tasks are not an error:
 * info->outcome reports them, and q is the best result of all starts.
 *
 * Errors: DS_ERR_INVALID_ARGUMENT if a task has no target; DS_ERR_NUMERICAL for numbers that are not
 * finite or whose squares are not finite. */
ds_status ds_ik_solve(struct ds_ik *ik, const double *q0, double *q, struct ds_ik_info *info);

/** Residual of a task at the last solution, unweighted: ds_ik_residual_size numbers.
 *
 * Errors: DS_ERR_NO_STEP before a solution. */
ds_status ds_ik_residual(struct ds_ik *ik, int32_t task, double *residual);

/** Label of the derivative of the last solution by the targets. *gradient: DS_GRADIENT_EXACT, or
 * DS_GRADIENT_ONE_SIDED if a joint is at a bound that holds it with no force; then the derivative is that
 * of the side on which the joint leaves the bound. *unique: 1 if the solution is isolated. 0 if it
 * belongs to a family of solutions (an arm with more joints than the task needs); then the derivative is
 * the least-norm motion that follows the targets, and a search from another start may end elsewhere.
 * Either pointer may be NULL.
 *
 * Errors: DS_ERR_NO_STEP before a solution; DS_ERR_NOT_CONVERGED after DS_IK_ITERATIONS, or if the result
 * is not yet a minimum; DS_ERR_NUMERICAL if the solution is singular; DS_ERR_UNSUPPORTED if residuals
 * remain and the model has violated equalities or joints whose axes vary. */
ds_status ds_ik_gradient(struct ds_ik *ik, ds_gradient *gradient, int32_t *unique);

/** Derivative of the last solution (tangent) by the variations of all targets, task after task: nv ×
 * ds_ik_variation_size numbers, column-major.
 *
 * Errors: those of ds_ik_gradient. */
ds_status ds_ik_jacobian(struct ds_ik *ik, double *dq_dtarget);

/** Forward mode: the variation dq (tangent, nv numbers) of the last solution for variations dtarget
 * (ds_ik_variation_size numbers) of all targets.
 *
 * Errors: those of ds_ik_gradient. */
ds_status ds_ik_jvp(struct ds_ik *ik, const double *dtarget, double *dq);

/** Reverse mode: given the gradient q_bar (tangent, nv numbers) of a function by the last solution,
 * computes its gradient by all targets: target_bar, ds_ik_variation_size numbers.
 *
 * Errors: those of ds_ik_gradient. */
ds_status ds_ik_vjp(struct ds_ik *ik, const double *q_bar, double *target_bar);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DIFFSIM_IK_H */
