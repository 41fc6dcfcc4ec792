/* Prints a line for each of many simulations: hashes of the bits of everything that the library says about it. Two
 * libraries of which all lines are equal agree to the bit in what these cases see: bits.sh compares them, and so shows
 * that a change of the code is no change of behaviour.
 *
 * usage: bits [--list] [--times] [FILTER] [-- MODEL ...]
 *
 * FILTER: only cases whose name contains it. MODEL: .xml or .urdf files that join the cases.
 * --times: the seconds of each case, to stderr.
 *
 * A case is a model, a contact law, an integrator, a time step, and how it starts and with which options:
 *   start      from the first keyframe, else from ds_model_home
 *   neutral    at rest
 *   moving     with random velocities
 *   driven     so, with parameters that are not those of the model, an external wrench, and kp and kd (NCP)
 *   tight, bounded, push, lean, must: other options of the step, as made in `options_of`
 *
 * A column is a hash (FNV-1a, 64 bits) of all results of one kind. A call that fails adds its status and message instead.
 *   step       states, ds_step_info, contacts, work        rollout    trajectory and adjoint
 *   params     which can be selected, and their values     impulse    Jacobians, JVP and VJP of impulses
 *   dense      Jacobians                                   smooth     the three smoothed Jacobians, relaxed step
 *   sparse     sparse Jacobians with their pattern         dynamics   queries at the first and last state
 *   jvp, vjp   with parameters                             geometry   contact derivatives, collide, distances
 *   replay     steps from a memory restored                batch      three simulations on two threads
 * Then come counts: steps, contacts of all steps, labels of the steps once derivatives have been asked for, steps that
 * gave up pushing out, calls that failed. A line NAME/model has the hash of the model's own numbers instead. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diffsim.h"
#include "diffsim_record.h"
#include "scenes.h"

enum column {
    STEP, PARAMS, DENSE, SPARSE, JVP, VJP, ROLLOUT, IMPULSE, SMOOTH, DYNAMICS, GEOMETRY, REPLAY, BATCH, MODEL, COLUMNS
};

static const char *const COLUMN_NAMES[COLUMNS] = {"step",    "params",  "dense",  "sparse",   "jvp",      "vjp",    "rollout",
                                                  "impulse", "smooth",  "dynamics", "geometry", "replay", "batch",  "model"};

/* What is known of the case so far. */
static struct {
    uint64_t hash[COLUMNS];
    int used[COLUMNS];
    size_t steps, contacts, labels[4], given_up, unsolved, errors;
} now;

static void clear(void) {
    memset(&now, 0, sizeof now);
    for (int c = 0; c < COLUMNS; c++) now.hash[c] = 14695981039346656037u;
}

static void bytes(enum column c, const void *data, size_t n) {
    const unsigned char *x = data;
    uint64_t hash = now.hash[c];
    for (size_t i = 0; i < n; i++) hash = (hash ^ x[i]) * 1099511628211u;
    now.hash[c] = hash;
    now.used[c] = 1;
}

static void numbers(enum column c, const double *x, size_t n) { bytes(c, x, n * sizeof *x); }

static void integer(enum column c, int64_t x) { bytes(c, &x, sizeof x); }

static void text(enum column c, const char *x) { bytes(c, x ? x : "(none)", x ? strlen(x) + 1 : 7); }

/* Whether a call succeeded. */
static int ok(enum column c, ds_status status) {
    integer(c, status);
    if (status == DS_OK) return 1;
    text(c, ds_last_error());
    now.errors++;
    return 0;
}

static int model_ok(ds_status status) { return ok(MODEL, status); }

/* Zeroed numbers until the end of the case. */
static void **taken;
static size_t taken_count, taken_room;

static void *room(size_t count, size_t size) {
    void *x = calloc(count ? count : 1, size);
    if (taken_count == taken_room) taken = realloc(taken, (taken_room = 2 * taken_room + 64) * sizeof *taken);
    if (!x || !taken) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return taken[taken_count++] = x;
}

static double *zeros(size_t n) { return room(n, sizeof(double)); }

static void release(size_t from) {
    while (taken_count > from) free(taken[--taken_count]);
}

static double *random_numbers(size_t n, double scale) {
    double *x = zeros(n);
    for (size_t i = 0; i < n; i++) x[i] = scale * noise();
    return x;
}

enum start { START, NEUTRAL, MOVING, DRIVEN, TIGHT, BOUNDED, PUSH, LEAN, MUST, STARTS };

static const char *const START_NAMES[STARTS] = {"start",   "neutral", "moving", "driven", "tight",
                                                "bounded", "push",    "lean",   "must"};

typedef struct variant {
    int32_t law, integrator;
    double time_step;
    enum start start;
} variant;

enum { MOST_PARAMS = 40 };

/* A simulation of a case and all that it is fed with. */
typedef struct run {
    const scene *scene;
    const ds_model *model;
    variant variant;
    ds_options options;
    ds_sim *sim;
    size_t nq, nv, nu, np, steps;
    ds_param params[MOST_PARAMS];
    double *values;
    double *q0, *v0, *u, *q, *v;
    double wrench[6];
    int32_t pushed;
} run;

static ds_options options_of(const scene *s, const variant *v) {
    ds_options o;
    ds_options_init(&o);
    o.contact = v->law;
    o.integrator = v->integrator;
    o.time_step = v->time_step;
    o.max_contacts = s->max_contacts;
    o.checkpoint_interval = v->time_step > 2e-3 ? 3 : 1;
    switch (v->start) {
    case DRIVEN:
        if (v->law == DS_CONTACT_NCP) o.kp = 0.3, o.kd = 0.2;
        break;
    case TIGHT: o.tolerance = 1e-13; break;
    case BOUNDED: o.max_work = 4.0; return o;
    case PUSH: o.max_push_out = INFINITY, o.max_push_out_angle = 0.1; break;
    case LEAN: o.derivatives = 0; break;
    case MUST: o.max_iterations = 100, o.require_convergence = 1; break;
    default: break;
    }
    /* What of it is not solved is seen, too. */
    if (s->flags & DEAR) o.max_work = s->flags & LIMITED ? 10.0 : 60.0;
    return o;
}

/* Where the scan of indices of a kind ends: enough to meet one of every sort in these models. */
enum { LOOKED_AT = 6 };

/* Of each kind of parameter the first component of a late index and the last one of an early index that a
 * step depends on. */
static void choose_params(run *r) {
    const size_t counts[] = {ds_model_nbody(r->model), ds_model_njoint(r->model), ds_model_ngeom(r->model)};
    size_t most = 1;
    for (int i = 0; i < 3; i++)
        if (counts[i] > most) most = counts[i];
    for (int32_t kind = 0; kind <= DS_PARAM_STABILIZATION; kind++) {
        int32_t last_index = -1, last_component = -1;
        for (int late = 1; late >= 0; late--) {
            int found = 0;
            for (size_t k = 0; k < most && !found; k++) {
                const int by_geom = (kind >= DS_PARAM_GEOM_FRICTION && kind <= DS_PARAM_CONTACT_DISSIPATION) ||
                                    kind == DS_PARAM_GEOM_SIZE;
                const int by_body = kind == DS_PARAM_BODY_INERTIA || kind == DS_PARAM_EXTERNAL_WRENCH;
                const size_t n = by_body ? counts[0] : by_geom ? counts[2] : counts[1];
                if (k >= n && k > 0) break;
                if (k >= LOOKED_AT) break;
                const int32_t index = (int32_t)(late && n ? n - 1 - k : k);
                for (int32_t i = 0; i < 10 && !found; i++) {
                    const ds_param p = {kind, index, late ? i : 9 - i};
                    if (ds_sim_select_params(r->sim, &p, 1) != DS_OK) {
                        text(PARAMS, ds_last_error());
                        continue;
                    }
                    found = 1;
                    if (p.index == last_index && p.component == last_component) break;
                    last_index = p.index, last_component = p.component;
                    r->params[r->np++] = p;
                }
            }
        }
    }
    for (size_t i = 0; i < r->np; i++) {
        integer(PARAMS, r->params[i].kind);
        integer(PARAMS, r->params[i].index);
        integer(PARAMS, r->params[i].component);
    }
    ok(PARAMS, ds_sim_select_params(r->sim, r->params, r->np));
    r->values = zeros(r->np);
    if (ok(PARAMS, ds_sim_get_params(r->sim, r->values))) numbers(PARAMS, r->values, r->np);
    if (r->variant.start != DRIVEN) return;
    for (size_t i = 0; i < r->np; i++) {
        double *x = &r->values[i];
        const int32_t kind = r->params[i].kind;
        if (isinf(*x)) *x = 2e4 * (double)(i + 1);
        else if (*x != 0.0) *x *= kind == DS_PARAM_STABILIZATION ? 0.9 : 1.02;
        else if (kind != DS_PARAM_BODY_INERTIA) *x = 0.003;
    }
    if (ok(PARAMS, ds_sim_set_params(r->sim, r->values))) numbers(PARAMS, r->values, r->np);
}

static void hash_contacts(enum column c, const ds_sim *sim) {
    const ds_contact *list = NULL;
    size_t count = 0;
    if (!ok(c, ds_sim_contacts(sim, &list, &count))) return;
    integer(c, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const ds_contact *x = &list[i];
        const int64_t ids[] = {x->geom_a, x->geom_b, x->body_a, x->body_b, x->mode, (int64_t)x->feature};
        bytes(c, ids, sizeof ids);
        numbers(c, x->point, 3);
        numbers(c, x->normal, 3);
        numbers(c, &x->gap, 1);
        numbers(c, x->impulse, 3);
        numbers(c, x->velocity, 3);
        numbers(c, x->tangents, 6);
    }
}

static void hash_info(enum column c, const ds_step_info *info) {
    const int64_t counts[] = {(int64_t)info->contacts, (int64_t)info->iterations, info->gradient, info->converged};
    bytes(c, counts, sizeof counts);
    numbers(c, &info->residual, 1);
    numbers(c, &info->switch_distance, 1);
}

/* One step in place; 0 where it failed. */
static int step(enum column c, const run *r, const double *u, double *q, double *v) {
    ds_step_info info;
    if (!ok(c, ds_sim_step(r->sim, q, v, u, q, v))) return 0;
    numbers(c, q, r->nq);
    numbers(c, v, r->nv);
    if (ok(c, ds_sim_step_info(r->sim, &info))) hash_info(c, &info);
    hash_contacts(c, r->sim);
    if (c != STEP) return 1;
    now.steps++;
    now.contacts += info.contacts;
    now.given_up += (size_t)info.push_out_given_up;
    now.unsolved += !info.converged;
    return 1;
}

/* Room for Jacobians: by q and v `state` numbers each, by u `input`. */
static ds_step_jacobians jacobians_of(const run *r, size_t state, size_t input, int by_params) {
    const size_t n = by_params ? r->nv * r->np : 0;
    ds_step_jacobians j = {.dq_dq = zeros(state), .dq_dv = zeros(state), .dq_du = zeros(input),
                           .dv_dq = zeros(state), .dv_dv = zeros(state), .dv_du = zeros(input)};
    if (by_params) j.dq_dp = zeros(n), j.dv_dp = zeros(n);
    return j;
}

static void hash_jacobians(enum column c, const run *r, const ds_step_jacobians *j, size_t state, size_t input, size_t times) {
    const double *const x[] = {j->dq_dq, j->dq_dv, j->dv_dq, j->dv_dv, j->dq_du, j->dv_du, j->dq_dp, j->dv_dp};
    for (int i = 0; i < 8; i++)
        if (x[i]) numbers(c, x[i], times * (i < 4 ? state : i < 6 ? input : r->nv * r->np));
}

static void dense(run *r) {
    const size_t state = r->nv * r->nv, input = r->nv * r->nu;
    const ds_step_jacobians all = jacobians_of(r, state, input, 1);
    if (ok(DENSE, ds_sim_step_jacobians(r->sim, &all))) hash_jacobians(DENSE, r, &all, state, input, 1);
    const ds_step_jacobians some = {.dv_du = zeros(input), .dq_dq = zeros(state)};
    if (ok(DENSE, ds_sim_step_jacobians(r->sim, &some))) hash_jacobians(DENSE, r, &some, state, input, 1);
}

static void sparse(run *r) {
    ds_jacobian_entries e;
    if (!ok(SPARSE, ds_sim_jacobian_entries(r->sim, &e))) return;
    const int64_t counts[] = {(int64_t)e.by_state, (int64_t)e.by_input, (int64_t)e.pattern};
    bytes(SPARSE, counts, sizeof counts);
    int32_t *starts[] = {room(r->nv + 1, 4), room(r->nu + 1, 4)}, *rows[] = {room(e.by_state, 4), room(e.by_input, 4)};
    if (ok(SPARSE, ds_sim_jacobian_pattern(r->sim, &e, starts[0], rows[0], starts[1], rows[1]))) {
        bytes(SPARSE, starts[0], 4 * (r->nv + 1));
        bytes(SPARSE, starts[1], 4 * (r->nu + 1));
        bytes(SPARSE, rows[0], 4 * e.by_state);
        bytes(SPARSE, rows[1], 4 * e.by_input);
    }
    const ds_step_jacobians all = jacobians_of(r, e.by_state, e.by_input, 1);
    if (ok(SPARSE, ds_sim_step_jacobians_sparse(r->sim, &e, &all))) hash_jacobians(SPARSE, r, &all, e.by_state, e.by_input, 1);
}

static void jvp(run *r) {
    double *dq = random_numbers(r->nv, 1), *dv = random_numbers(r->nv, 1), *du = random_numbers(r->nu, 1);
    double *dp = random_numbers(r->np, 1), *a = zeros(r->nv), *b = zeros(r->nv);
    if (ok(JVP, ds_sim_step_jvp(r->sim, dq, dv, du, dp, a, b))) numbers(JVP, a, r->nv), numbers(JVP, b, r->nv);
    if (ok(JVP, ds_sim_step_jvp(r->sim, NULL, dv, NULL, NULL, NULL, b))) numbers(JVP, b, r->nv);
    if (ok(JVP, ds_sim_step_jvp(r->sim, NULL, NULL, NULL, dp, a, NULL))) numbers(JVP, a, r->nv);
}

static void hash_bars(enum column c, const run *r, double *const x[4]) {
    numbers(c, x[0], r->nv);
    numbers(c, x[1], r->nv);
    numbers(c, x[2], r->nu);
    numbers(c, x[3], r->np);
}

static void vjp(run *r) {
    double *a = random_numbers(r->nv, 1), *b = random_numbers(r->nv, 1);
    double *x[] = {zeros(r->nv), zeros(r->nv), zeros(r->nu), zeros(r->np)};
    if (ok(VJP, ds_sim_step_vjp(r->sim, a, b, x[0], x[1], x[2], x[3]))) hash_bars(VJP, r, x);
    if (ok(VJP, ds_sim_step_vjp(r->sim, a, b, NULL, NULL, x[2], NULL))) numbers(VJP, x[2], r->nu);
    if (ok(VJP, ds_sim_step_vjp(r->sim, a, b, NULL, NULL, NULL, x[3]))) numbers(VJP, x[3], r->np);
}

static void impulses(run *r) {
    const ds_contact *list = NULL;
    size_t count = 0;
    int32_t unique = -1;
    if (!ok(IMPULSE, ds_sim_contacts(r->sim, &list, &count))) return;
    const size_t rows = 3 * count;
    double *bar = random_numbers(rows, 1), *dq = random_numbers(r->nv, 1), *dp = random_numbers(r->np, 1), *df = zeros(rows);
    double *x[] = {zeros(r->nv), zeros(r->nv), zeros(r->nu), zeros(r->np)};
    if (ok(IMPULSE, ds_sim_impulse_vjp(r->sim, bar, x[0], x[1], x[2], x[3], &unique))) {
        hash_bars(IMPULSE, r, x);
        integer(IMPULSE, unique);
    }
    if (ok(IMPULSE, ds_sim_impulse_jvp(r->sim, dq, dq, NULL, dp, df, &unique))) {
        numbers(IMPULSE, df, rows);
        integer(IMPULSE, unique);
    }
    double *by[] = {zeros(rows * r->nv), zeros(rows * r->nv), zeros(rows * r->nu), zeros(rows * r->np)};
    if (ok(IMPULSE, ds_sim_impulse_jacobians(r->sim, by[0], by[1], by[2], by[3], &unique))) {
        numbers(IMPULSE, by[0], rows * r->nv);
        numbers(IMPULSE, by[1], rows * r->nv);
        numbers(IMPULSE, by[2], rows * r->nu);
        numbers(IMPULSE, by[3], rows * r->np);
        integer(IMPULSE, unique);
    }
}

static void smoothed(run *r) {
    const size_t state = r->nv * r->nv, input = r->nv * r->nu;
    /* No max_work bounds the relaxed problem. */
    const int relaxed = !(r->scene->flags & LIMITED) && !(r->scene->flags & DEAR && r->variant.start == BOUNDED);
    for (int32_t method = 0; method < DS_SMOOTHING_CENTRAL_PATH + relaxed; method++) {
        ds_smoothing s;
        ds_smoothing_info info;
        ds_smoothing_init(&s);
        s.method = method;
        s.pairs = r->scene->flags & DEAR ? 1 : 2;
        s.seed = 7;
        s.width_q = s.width_v = s.width_u = 1e-3;
        s.max_failures = 1;
        const ds_step_jacobians all = jacobians_of(r, state, input, method != DS_SMOOTHING_ZEROTH_ORDER);
        if (ok(SMOOTH, ds_sim_smoothed_jacobians(r->sim, &s, &all, &info))) {
            hash_jacobians(SMOOTH, r, &all, state, input, 1);
            const int64_t of[] = {info.gradient, (int64_t)info.pairs, (int64_t)info.failures};
            bytes(SMOOTH, of, sizeof of);
        }
        if (method != DS_SMOOTHING_CENTRAL_PATH) continue;
        double *q = zeros(r->nq), *v = zeros(r->nv);
        if (ok(SMOOTH, ds_sim_relaxed_step(r->sim, &s, q, v))) numbers(SMOOTH, q, r->nq), numbers(SMOOTH, v, r->nv);
    }
}

static void contact_derivatives(run *r) {
    const ds_contact *list = NULL;
    size_t count = 0;
    ds_gradient gradient = -1;
    if (!ok(GEOMETRY, ds_sim_contacts(r->sim, &list, &count))) return;
    const size_t n = count * r->nv;
    double *x[] = {zeros(3 * n), zeros(3 * n), zeros(6 * n), zeros(n)};
    if (!ok(GEOMETRY, ds_sim_contact_derivatives(r->sim, x[0], x[1], x[2], x[3], &gradient))) return;
    numbers(GEOMETRY, x[0], 3 * n);
    numbers(GEOMETRY, x[1], 3 * n);
    numbers(GEOMETRY, x[2], 6 * n);
    numbers(GEOMETRY, x[3], n);
    integer(GEOMETRY, gradient);
}

/* All derivatives of the last step, in an order that differs from turn to turn: no request may change the
 * results of the others. */
static void derivatives(run *r, int turn) {
    static void (*const kinds[])(run *) = {dense, vjp, impulses, jvp, sparse};
    const size_t mark = taken_count;
    for (int i = 0; i < 5; i++) kinds[(turn + i) % 5](r);
    if (turn % 3 == 0) smoothed(r);
    contact_derivatives(r);
    ds_step_info info;
    if (ok(DENSE, ds_sim_step_info(r->sim, &info))) hash_info(DENSE, &info);
    release(mark);
}

static void rollout(run *r) {
    const size_t mark = taken_count, n = r->steps < 9 ? r->steps : 9;
    ds_rollout *rollout = NULL;
    if (!ok(ROLLOUT, ds_rollout_create(r->model, &r->options, n, &rollout))) return;
    ok(ROLLOUT, ds_rollout_select_params(rollout, r->params, r->np));
    if (r->variant.start == DRIVEN) {
        ok(ROLLOUT, ds_rollout_set_params(rollout, r->values));
        ok(ROLLOUT, ds_rollout_set_external_wrench(rollout, r->pushed, r->wrench));
    }
    double *q = zeros(r->nq * (n + 1)), *v = zeros(r->nv * (n + 1));
    double *q_bar = random_numbers(r->nv * (n + 1), 1), *v_bar = random_numbers(r->nv * (n + 1), 1);
    double *x[] = {zeros(r->nv), zeros(r->nv), zeros(r->nu * n), zeros(r->np)};
    if (ok(ROLLOUT, ds_rollout_run(rollout, r->q0, r->v0, r->u, n, q, v))) {
        numbers(ROLLOUT, q, r->nq * (n + 1));
        numbers(ROLLOUT, v, r->nv * (n + 1));
    }
    if (ok(ROLLOUT, ds_rollout_adjoint(rollout, q_bar, v_bar, x[0], x[1], x[2], x[3]))) {
        ds_gradient gradient = -1;
        hash_bars(ROLLOUT, r, x);
        numbers(ROLLOUT, x[2], r->nu * n);
        if (ok(ROLLOUT, ds_rollout_gradient(rollout, &gradient))) integer(ROLLOUT, gradient);
    }
    ds_rollout_free(rollout);
    release(mark);
}

static void batch(run *r) {
    enum { ELEMENTS = 3 };
    const size_t mark = taken_count, state = r->nv * r->nv, input = r->nv * r->nu;
    ds_batch *batch = NULL;
    ds_status each[ELEMENTS] = {0};
    if (!ok(BATCH, ds_batch_create(r->model, &r->options, ELEMENTS, 2, &batch))) return;
    ok(BATCH, ds_batch_select_params(batch, r->params, r->np));
    if (r->variant.start == DRIVEN) {
        ok(BATCH, ds_batch_set_params(batch, 1, r->values));
        ok(BATCH, ds_batch_set_external_wrench(batch, 2, r->pushed, r->wrench));
    }
    double *q = zeros(ELEMENTS * r->nq), *v = zeros(ELEMENTS * r->nv), *u = random_numbers(ELEMENTS * r->nu, 0.1);
    for (size_t i = 0; i < ELEMENTS; i++) {
        memcpy(q + i * r->nq, r->q0, r->nq * sizeof *q);
        for (size_t k = 0; k < r->nv; k++) v[i * r->nv + k] = r->v0[k] * (1.0 - 0.5 * (double)i);
    }
    for (int k = 0; k < 3; k++) {
        ok(BATCH, ds_batch_step(batch, q, v, u, q, v, each));
        bytes(BATCH, each, sizeof each);
        numbers(BATCH, q, ELEMENTS * r->nq);
        numbers(BATCH, v, ELEMENTS * r->nv);
        if (k == 1) ok(BATCH, ds_batch_reset_element(batch, 2));
    }
    run three = *r;
    three.np *= ELEMENTS;
    const ds_step_jacobians all = jacobians_of(&three, ELEMENTS * state, ELEMENTS * input, 1);
    ok(BATCH, ds_batch_step_jacobians(batch, &all, each));
    bytes(BATCH, each, sizeof each);
    hash_jacobians(BATCH, r, &all, state, input, ELEMENTS);
    double *a = random_numbers(ELEMENTS * r->nv, 1), *p = zeros(ELEMENTS * r->np), *w = zeros(ELEMENTS * r->nu);
    ok(BATCH, ds_batch_step_vjp(batch, a, a, q, v, w, p, each));
    bytes(BATCH, each, sizeof each);
    numbers(BATCH, q, ELEMENTS * r->nv);
    numbers(BATCH, v, ELEMENTS * r->nv);
    numbers(BATCH, w, ELEMENTS * r->nu);
    numbers(BATCH, p, ELEMENTS * r->np);
    for (size_t i = 0; i < ELEMENTS; i++) {
        ds_step_info info;
        if (ok(BATCH, ds_batch_step_info(batch, i, &info))) hash_info(BATCH, &info);
    }
    ds_batch_free(batch);
    release(mark);
}

static void dynamics(run *r, const double *q, const double *v) {
    const size_t mark = taken_count, n = r->nv, square = n * n, bodies = ds_model_nbody(r->model);
    double *a = random_numbers(n, 1), *tau = zeros(n), *x[3], *J = zeros(6 * n), *poses = zeros(16 * bodies);
    for (int i = 0; i < 3; i++) x[i] = zeros(square);
    if (ok(DYNAMICS, ds_forward_kinematics(r->sim, q, poses))) numbers(DYNAMICS, poses, 16 * bodies);
    if (ok(DYNAMICS, ds_inverse_dynamics(r->sim, q, v, a, tau))) numbers(DYNAMICS, tau, n);
    if (ok(DYNAMICS, ds_inverse_dynamics_derivatives(r->sim, q, v, a, x[0], x[1])))
        numbers(DYNAMICS, x[0], square), numbers(DYNAMICS, x[1], square);
    if (ok(DYNAMICS, ds_mass_matrix(r->sim, q, x[0]))) numbers(DYNAMICS, x[0], square);
    if (ok(DYNAMICS, ds_forward_dynamics(r->sim, q, v, tau, a))) numbers(DYNAMICS, a, n);
    if (ok(DYNAMICS, ds_forward_dynamics_derivatives(r->sim, q, v, tau, x[0], x[1], x[2])))
        for (int i = 0; i < 3; i++) numbers(DYNAMICS, x[i], square);
    int32_t *prescribed = room(n, sizeof *prescribed);
    for (size_t i = 0; i < n; i++) prescribed[i] = noise() > 0.3;
    if (ok(DYNAMICS, ds_hybrid_dynamics(r->sim, q, v, prescribed, tau, a))) numbers(DYNAMICS, tau, n), numbers(DYNAMICS, a, n);
    for (size_t k = 0; k < 3; k++) {
        const double point[3] = {0.1, -0.2, 0.3};
        if (ok(DYNAMICS, ds_body_jacobian(r->sim, q, (int32_t)(bodies - 1 - k * (bodies - 1) / 3), point, J)))
            numbers(DYNAMICS, J, 6 * n);
    }
    double few[8] = {0};
    const double about[3] = {0.1, 0.2, -0.3};
    if (ok(DYNAMICS, ds_energy(r->sim, q, v, few, few + 1))) numbers(DYNAMICS, few, 2);
    if (ok(DYNAMICS, ds_center_of_mass(r->sim, q, few, few + 1, J))) numbers(DYNAMICS, few, 4), numbers(DYNAMICS, J, 3 * n);
    if (ok(DYNAMICS, ds_momentum(r->sim, q, v, about, few))) numbers(DYNAMICS, few, 6);
    release(mark);
}

static void geometry(run *r, const double *q) {
    const size_t mark = taken_count;
    const int32_t geoms = (int32_t)ds_model_ngeom(r->model);
    if (ok(GEOMETRY, ds_sim_collide(r->sim, q))) {
        hash_contacts(GEOMETRY, r->sim);
        contact_derivatives(r);
    }
    double *by_q = zeros(r->nv), *by_point = zeros(3 * r->nv), *by_normal = zeros(3 * r->nv);
    for (int k = 0; k < 6 && geoms > 1; k++) {
        const int32_t a = (int32_t)(0.5 * (noise() + 1.0) * geoms), b = (a + 1 + k % (geoms - 1)) % geoms;
        ds_distance d;
        if (ok(GEOMETRY, ds_sim_distance(r->sim, a, b, q, &d, by_q))) {
            numbers(GEOMETRY, &d.distance, 1);
            numbers(GEOMETRY, d.point_a, 3);
            numbers(GEOMETRY, d.point_b, 3);
            numbers(GEOMETRY, d.normal, 3);
            integer(GEOMETRY, d.gradient);
            numbers(GEOMETRY, by_q, r->nv);
        }
        if (k > 1) continue;
        ds_distance_smoothing s;
        ds_smoothed_distance mean;
        ds_distance_smoothing_init(&s);
        s.method = k;
        s.pairs = 4;
        if (!ok(GEOMETRY, ds_sim_smoothed_distance(r->sim, a, b, q, &s, &mean, by_q, by_point, by_normal))) continue;
        numbers(GEOMETRY, &mean.distance, 1);
        numbers(GEOMETRY, mean.point, 3);
        numbers(GEOMETRY, mean.normal, 3);
        numbers(GEOMETRY, by_q, r->nv);
        numbers(GEOMETRY, by_point, 3 * r->nv);
        numbers(GEOMETRY, by_normal, 3 * r->nv);
    }
    release(mark);
}

/* The state and inputs of the case, from its model. */
static void prepare(run *r) {
    const enum start start = r->variant.start;
    double *u0 = zeros(r->nu);
    r->q0 = zeros(r->nq), r->v0 = zeros(r->nv), r->q = zeros(r->nq), r->v = zeros(r->nv);
    r->u = zeros(r->nu * r->steps);
    ok(STEP, ds_model_neutral(r->model, r->q0));
    if (start == START) {
        if (ds_model_nkeyframe(r->model))
            ok(STEP, ds_model_keyframe(r->model, ds_model_keyframe_name(r->model, 0), r->q0, r->v0, u0));
        else
            ok(STEP, ds_model_home(r->model, r->q0));
    } else if (start != NEUTRAL) {
        for (size_t i = 0; i < r->nv; i++) r->v0[i] = (r->scene->flags & DEAR ? 0.2 : 1.0) * noise();
    }
    for (size_t i = 0; i < r->nu * r->steps; i++) r->u[i] = u0[i % r->nu] + 0.1 * noise();
    memcpy(r->q, r->q0, r->nq * sizeof *r->q);
    memcpy(r->v, r->v0, r->nv * sizeof *r->v);
}

static void run_case(const scene *s, const ds_model *model, const variant *variant) {
    run r = {.scene = s, .model = model, .variant = *variant, .options = options_of(s, variant)};
    r.nq = ds_model_nq(model), r.nv = ds_model_nv(model), r.nu = ds_model_nu(model);
    r.steps = (size_t)s->steps;
    noise_from(17);
    prepare(&r);
    if (!ok(STEP, ds_sim_create(model, &r.options, &r.sim))) return;
    choose_params(&r);
    if (variant->start == DRIVEN) {
        const double wrench[6] = {1.0, -2.0, 3.0, 0.1, 0.2, -0.3};
        memcpy(r.wrench, wrench, sizeof wrench);
        r.pushed = (int32_t)ds_model_nbody(model) - 1;
        ok(PARAMS, ds_sim_set_external_wrench(r.sim, r.pushed, r.wrench));
    }
    dynamics(&r, r.q0, r.v0);
    const size_t half = r.steps / 2, remembered = ds_sim_memory_size(r.sim);
    double *memory = zeros(remembered), *q = zeros(r.nq), *v = zeros(r.nv);
    for (size_t k = 0; k < r.steps; k++) {
        if (k == half) {
            memcpy(q, r.q, r.nq * sizeof *q);
            memcpy(v, r.v, r.nv * sizeof *v);
            if (ok(REPLAY, ds_sim_get_memory(r.sim, memory))) numbers(REPLAY, memory, remembered);
        }
        if (!step(STEP, &r, r.u + r.nu * k, r.q, r.v)) continue;
        if (k % (size_t)s->every == (size_t)s->every - 1 || k == 0) derivatives(&r, (int)(k / (size_t)s->every) + (k > 0));
        ds_step_info info;
        if (ok(STEP, ds_sim_step_info(r.sim, &info))) now.labels[info.gradient]++;
    }
    dynamics(&r, r.q, r.v);
    geometry(&r, r.q);
    if (ok(REPLAY, ds_sim_set_memory(r.sim, memory)))
        for (size_t k = half; k < r.steps && k < half + 3; k++) step(REPLAY, &r, r.u + r.nu * k, q, v);
    rollout(&r);
    if (variant->start == MOVING || variant->start == DRIVEN) batch(&r);
    ds_sim_free(r.sim);
}

/* The numbers of a model itself: those of its bodies, joints and geoms, conversions of states, and its
 * recording. */
static void describe(const ds_model *model) {
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    const size_t sizes[] = {nq, nv, nu, ds_model_nbody(model), ds_model_njoint(model), ds_model_ngeom(model)};
    double x[16];
    bytes(MODEL, sizes, sizeof sizes);
    for (int32_t i = 0; i < (int32_t)sizes[3]; i++) {
        text(MODEL, ds_model_body_name(model, i));
        integer(MODEL, ds_model_body_parent(model, i));
        if (model_ok(ds_model_body_placement(model, i, x))) numbers(MODEL, x, 16);
        if (model_ok(ds_model_body_inertia(model, i, x))) numbers(MODEL, x, 10);
    }
    for (int32_t i = 0; i < (int32_t)sizes[4]; i++) {
        const int32_t of[] = {ds_model_joint_type(model, i), ds_model_joint_body(model, i), ds_model_joint_q_index(model, i),
                              ds_model_joint_v_index(model, i)};
        text(MODEL, ds_model_joint_name(model, i));
        bytes(MODEL, of, sizeof of);
        if (model_ok(ds_model_joint_limits(model, i, x))) numbers(MODEL, x, 2);
        if (model_ok(ds_model_joint_effort_velocity(model, i, x))) numbers(MODEL, x, 2);
    }
    for (int32_t i = 0; i < (int32_t)sizes[5]; i++) {
        text(MODEL, ds_model_geom_name(model, i));
        integer(MODEL, ds_model_geom_body(model, i));
        integer(MODEL, ds_model_geom_type(model, i));
        if (model_ok(ds_model_geom_size(model, i, x))) numbers(MODEL, x, 3);
        if (model_ok(ds_model_geom_placement(model, i, x))) numbers(MODEL, x, 16);
        if (model_ok(ds_model_geom_friction(model, i, x))) numbers(MODEL, x, 3);
        for (int32_t k = 0; k < i; k++) integer(MODEL, ds_model_pair_enabled(model, k, i));
    }
    for (int32_t i = 0; i < (int32_t)nu; i++) text(MODEL, ds_model_actuator_name(model, i));
    for (size_t i = 0; i < ds_model_warning_count(model); i++) text(MODEL, ds_model_warning(model, i));
    double *q = zeros(nq), *v = random_numbers(nv, 0.7), *u = zeros(nu), *other = zeros(nq), *w = zeros(nv);
    for (int32_t i = 0; i < (int32_t)ds_model_nkeyframe(model); i++) {
        text(MODEL, ds_model_keyframe_name(model, i));
        if (model_ok(ds_model_keyframe(model, ds_model_keyframe_name(model, i), q, w, u)))
            numbers(MODEL, q, nq), numbers(MODEL, w, nv), numbers(MODEL, u, nu);
    }
    if (model_ok(ds_model_neutral(model, q))) numbers(MODEL, q, nq);
    if (model_ok(ds_model_integrate(model, q, v, other))) numbers(MODEL, other, nq);
    if (model_ok(ds_model_difference(model, q, other, w))) numbers(MODEL, w, nv);
    if (model_ok(ds_model_v_to_mujoco(model, other, v, w))) numbers(MODEL, w, nv);
    if (model_ok(ds_model_v_from_mujoco(model, other, v, w))) numbers(MODEL, w, nv);
    if (model_ok(ds_model_q_to_mujoco(model, other, q))) numbers(MODEL, q, nq);
    if (model_ok(ds_model_q_from_mujoco(model, q, other))) numbers(MODEL, other, nq);
    ds_recorder *recorder = NULL;
    const uint8_t *recording = NULL;
    size_t size = 0;
    if (model_ok(ds_recorder_create(model, NULL, &recorder))) {
        model_ok(ds_recorder_state(recorder, 0.0, other, v));
        model_ok(ds_recorder_state(recorder, 0.1, other, w));
        if (model_ok(ds_recorder_bytes(recorder, &recording, &size))) bytes(MODEL, recording, size);
        ds_recorder_free(recorder);
    }
    ds_model *apart = NULL;
    if (model_ok(ds_model_exclude_overlapping(model, NULL, &apart))) {
        for (size_t i = 0; i < ds_model_warning_count(apart); i++) text(MODEL, ds_model_warning(apart, i));
        ds_model_free(apart);
    }
}

/* Models where home is found quickly. */
static void describe_home(const ds_model *model) {
    double *q = zeros(ds_model_nq(model));
    if (model_ok(ds_model_home(model, q))) numbers(MODEL, q, ds_model_nq(model));
}

static void print_line(const char *name) {
    printf("%s", name);
    for (int c = 0; c < COLUMNS; c++)
        if (now.used[c]) printf(" %s=%016llx", COLUMN_NAMES[c], (unsigned long long)now.hash[c]);
    if (!now.used[MODEL])
        printf(" steps=%zu contacts=%zu exact=%zu one_sided=%zu refused=%zu unsolved=%zu given_up=%zu", now.steps, now.contacts,
               now.labels[DS_GRADIENT_EXACT], now.labels[DS_GRADIENT_ONE_SIDED], now.labels[DS_GRADIENT_REFUSED], now.unsolved,
               now.given_up);
    printf(" errors=%zu\n", now.errors);
    fflush(stdout);
}

static double seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the command line asks for, and how many cases there were. */
static int listing, timing;
static const char *filter = "";
static size_t cases;

static int wanted(const char *name) {
    if (!strstr(name, filter)) return 0;
    cases++;
    if (listing) puts(name);
    return !listing;
}

static const struct {
    int32_t law;
    const char *name;
} LAWS[] = {{DS_CONTACT_NONE, "none"}, {DS_CONTACT_NCP, "ncp"}, {DS_CONTACT_CONVEX, "convex"}};
static const double TIME_STEPS[] = {1e-3, 5e-3};

/* Whether a scene has a case with this law, in world axes (1) or not, with the long step (1) or not, and
 * start. */
static int has(const scene *s, int law, int world, int is_long, enum start start) {
    const int few = s->flags & FEW;
    if (s->flags & DEAR) {
        const int neutral = start == NEUTRAL && world == is_long, bounded = start == BOUNDED && world && is_long;
        if (law == 0) return start == MOVING && world && !is_long;
        if (law == 1) return (world && !is_long && (start == MOVING || start == DRIVEN)) || neutral || bounded;
        return (start == DRIVEN && !world && !is_long) || (start == MOVING && world && is_long);
    }
    if (start == START) return (s->flags & HOMES) != 0;
    if (start >= TIGHT) {
        /* Options of solvers: of both laws with contact, in one way each. */
        if (law == 0 || !world || !is_long) return 0;
        return law == 1 || start == BOUNDED || start == LEAN;
    }
    if (start == DRIVEN) return few ? world == is_long : world != is_long || !s->flags;
    if (few && start == NEUTRAL) return world && is_long;
    if (few && start == MOVING) return law ? world || is_long : world != is_long;
    return 1;
}

static void run_scene(const scene *s) {
    char name[512];
    ds_model *model = NULL;
    int made = 0;
    /* The first is that of the model itself. */
    for (int index = -1; index < 3 * 2 * 2 * STARTS; index++) {
        const enum start start = (enum start)(index < 0 ? 0 : index % STARTS);
        const int is_long = index / STARTS % 2, world = index / STARTS / 2 % 2, law = index / STARTS / 4 % 3;
        if (index < 0)
            snprintf(name, sizeof name, "%s/model", s->name);
        else {
            if (!has(s, law, world, is_long, start)) continue;
            snprintf(name, sizeof name, "%s/%s/%s/%dms/%s", s->name, LAWS[law].name, world ? "world" : "body", is_long ? 5 : 1,
                     START_NAMES[start]);
        }
        if (!wanted(name)) continue;
        const double start_time = seconds();
        clear();
        if (!made) s->make(s, &model);
        made = 1;
        /* Its line says why there is none. */
        if (index >= 0 && !model) break;
        if (index < 0) {
            noise_from(1);
            if (model) describe(model);
            if (model && s->flags & HOMES) describe_home(model);
        } else {
            const variant v = {LAWS[law].law, world ? DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD : DS_INTEGRATOR_SYMPLECTIC_EULER,
                               TIME_STEPS[is_long], start};
            /* The model's own line says how its making went. */
            clear();
            run_case(s, model, &v);
        }
        print_line(name);
        release(0);
        if (timing) fprintf(stderr, "%8.3f s %s\n", seconds() - start_time, name);
    }
    ds_model_free(model);
}

/* Messages: what the library says to what it cannot do. */
static void run_refusals(void) {
    static const char *const texts[] = {"<mujoco><worldbody><body><composite/></body></worldbody></mujoco>", "<mujoco>", "<robot/>",
                                        "<mujoco><worldbody><body><joint type='hinge'/></body></worldbody></mujoco>",
                                        "<mujoco><worldbody><geom type='sphere' size='nan'/></worldbody></mujoco>"};
    if (!wanted("refusals")) return;
    clear();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ds_model *model = NULL;
        for (int32_t format = 0; format < 2; format++) {
            model_ok(ds_model_load_string(texts[i], strlen(texts[i]), format, NULL, &model));
            ds_model_free(model);
            model = NULL;
        }
    }
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    begin();
    ground(1.0);
    thing(0, 0, 0, 0.09, 0, 1);
    finish(DS_ACTUATION_FULL, &model);
    ds_options options;
    for (int32_t law = -1; law < 6; law++)
        for (int32_t integrator = -1; integrator < 7; integrator++) {
            ds_options_init(&options);
            options.contact = law;
            options.integrator = integrator;
            model_ok(ds_sim_create(model, &options, &sim));
            ds_sim_free(sim);
            sim = NULL;
        }
    ds_options_init(&options);
    options.max_contacts = 2;
    double q[7], v[6] = {0}, u[6] = {0}, J[36];
    ds_step_info info;
    const ds_step_jacobians some = {.dv_dv = J};
    model_ok(ds_model_neutral(model, q));
    model_ok(ds_sim_create(model, &options, &sim));
    model_ok(ds_sim_step_info(sim, &info));
    model_ok(ds_sim_step_jacobians(sim, &some));
    model_ok(ds_sim_step(sim, q, v, u, q, v));
    v[2] = (double)NAN;
    model_ok(ds_sim_step(sim, q, v, u, q, v));
    v[2] = 1e200;
    model_ok(ds_sim_step(sim, q, v, u, q, v));
    v[2] = 0;
    q[6] = 3.0;
    model_ok(ds_sim_step(sim, q, v, u, q, v));
    q[6] = 1.0;
    q[2] = 1.0;
    if (model_ok(ds_sim_step(sim, q, v, u, q, v))) numbers(MODEL, q, 7);
    ds_sim_free(sim);
    ds_model_free(model);
    /* Bounds that no step enforces. */
    model = NULL;
    sim = NULL;
    begin();
    const int32_t id = body(0, "swinging", NULL, 1.0, 0.1, 0.1, 0.1, 0.1);
    ds_joint_desc ball = joint("ball", DS_JOINT_SPHERICAL, 0, 0, 1);
    ball.upper = 0.1;
    model_ok(ds_builder_add_joint(builder, id, &ball));
    finish(DS_ACTUATION_FULL, &model);
    model_ok(ds_sim_create(model, NULL, &sim));
    ds_sim_free(sim);
    ds_model_free(model);
    print_line("refusals");
    release(0);
}

int main(int argc, char **argv) {
    int first_file = argc;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            first_file = i + 1;
            break;
        }
        if (strcmp(argv[i], "--list") == 0)
            listing = 1;
        else if (strcmp(argv[i], "--times") == 0)
            timing = 1;
        else if (argv[i][0] == '-' || *filter) {
            fprintf(stderr, "usage: bits [--list] [--times] [FILTER] [-- MODEL ...]\n");
            return 2;
        } else
            filter = argv[i];
    }
    for (int i = first_file; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        fclose(file);
    }
    const double began = seconds();
    for (size_t i = 0; i < sizeof SCENES / sizeof *SCENES; i++) run_scene(&SCENES[i]);
    run_refusals();
    for (int i = first_file; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        const scene file = {slash ? slash + 1 : argv[i], load_file, 2, 12, 4, 512, FEW | HOMES, argv[i]};
        run_scene(&file);
    }
    free(taken);
    if (!listing) fprintf(stderr, "%zu cases in %.1f s\n", cases, seconds() - began);
    return 0;
}
