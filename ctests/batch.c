/* Batches: the bits of single sims for one thread and two, failures that stay with their element,
 * and wrong calls. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { COUNT = 5, STEPS = 30, MAX = 24, NP = 3, SQUARE = MAX * MAX };

/* All that steps give, element after element. */
struct results {
    double q[COUNT * MAX], v[COUNT * MAX], dv_dq[COUNT * SQUARE], dv_du[COUNT * SQUARE],
        dv_dp[COUNT * MAX * NP];
    double q_bar[COUNT * MAX], u_bar[COUNT * MAX], p_bar[COUNT * NP];
    ds_step_info info[COUNT];
};

static struct results alone, together, kept;
static double q0[COUNT * MAX], v0[COUNT * MAX], u[COUNT * MAX], p[COUNT * NP], ones[COUNT * MAX];
static ds_param list[NP];
static ds_status each[COUNT];
static ds_options options;
static size_t nq, nv, nu;

static void prepare(const ds_model *model) {
    nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    CHECK(nq <= MAX && nv > 6 && nu == nv);
    ds_options_init(&options);
    options.time_step = 0.005;
    const int32_t trunk = ds_model_joint_body(model, 0), floor_geom = ds_model_geom_id(model, "floor");
    list[0] = (ds_param){DS_PARAM_BODY_INERTIA, trunk, 0};
    list[1] = (ds_param){DS_PARAM_EXTERNAL_WRENCH, trunk, 1};
    list[2] = (ds_param){DS_PARAM_GEOM_FRICTION, floor_geom, 0};
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_OK(ds_model_keyframe(model, "standing", q0 + i * nq, NULL, NULL));
        q0[i * nq + 2] += 0.01 * (double)i;
        for (size_t k = 0; k < nv; k++) v0[i * nv + k] = 0.1 * sin((double)(3 * k + i));
        /* It still slides at the end. */
        v0[i * nv] += 3.0;
        p[i * NP] = 5.0 + (double)i;
        p[i * NP + 1] = 3.0 * (double)i;
        /* Above the feet's, so that it counts. */
        p[i * NP + 2] = 0.9 + 0.1 * (double)i;
    }
    for (size_t k = 0; k < COUNT * MAX; k++) ones[k] = 1.0;
}

static void step_alone(const ds_model *model, struct results *r) {
    for (size_t i = 0; i < COUNT; i++) {
        double *q = r->q + i * nq, *v = r->v + i * nv;
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(model, &options, &sim));
        CHECK_OK(ds_sim_select_params(sim, list, NP));
        CHECK_OK(ds_sim_set_params(sim, p + i * NP));
        memcpy(q, q0 + i * nq, nq * sizeof *q);
        memcpy(v, v0 + i * nv, nv * sizeof *v);
        for (int k = 0; k < STEPS; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
        ds_step_jacobians out = {.dv_dq = r->dv_dq + i * nv * nv,
                                 .dv_du = r->dv_du + i * nv * nu,
                                 .dv_dp = r->dv_dp + i * nv * NP};
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        CHECK_OK(ds_sim_step_vjp(sim, ones, ones, r->q_bar + i * nv, NULL, r->u_bar + i * nu,
                                 r->p_bar + i * NP));
        CHECK_OK(ds_sim_step_info(sim, &r->info[i]));
        ds_sim_free(sim);
    }
}

static void step_together(ds_batch *batch, struct results *r) {
    memcpy(r->q, q0, COUNT * nq * sizeof *q0);
    memcpy(r->v, v0, COUNT * nv * sizeof *v0);
    for (int k = 0; k < STEPS; k++) {
        memset(each, 0x55, sizeof each);
        CHECK_OK(ds_batch_step(batch, r->q, r->v, u, r->q, r->v, k % 2 ? each : NULL));
        for (size_t i = 0; k % 2 && i < COUNT; i++) CHECK(each[i] == DS_OK);
    }
    ds_step_jacobians out = {.dv_dq = r->dv_dq, .dv_du = r->dv_du, .dv_dp = r->dv_dp};
    CHECK_OK(ds_batch_step_jacobians(batch, &out, each));
    /* Over an argument. */
    memcpy(r->q_bar, ones, COUNT * nv * sizeof *ones);
    CHECK_OK(ds_batch_step_vjp(batch, r->q_bar, ones, r->q_bar, NULL, r->u_bar, r->p_bar, each));
    for (size_t i = 0; i < COUNT; i++) CHECK_OK(ds_batch_step_info(batch, i, &r->info[i]));
}

static void same_bits(const struct results *a, const struct results *b) {
    CHECK(memcmp(a->q, b->q, sizeof a->q) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0);
    CHECK(memcmp(a->dv_dq, b->dv_dq, sizeof a->dv_dq) == 0);
    CHECK(memcmp(a->dv_du, b->dv_du, sizeof a->dv_du) == 0);
    CHECK(memcmp(a->dv_dp, b->dv_dp, sizeof a->dv_dp) == 0);
    CHECK(memcmp(a->q_bar, b->q_bar, sizeof a->q_bar) == 0);
    CHECK(memcmp(a->u_bar, b->u_bar, sizeof a->u_bar) == 0);
    CHECK(memcmp(a->p_bar, b->p_bar, sizeof a->p_bar) == 0);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(a->info[i].contacts == b->info[i].contacts);
        CHECK(a->info[i].residual == b->info[i].residual);
    }
}

static ds_batch *create(const ds_model *model, size_t threads) {
    ds_batch *batch = NULL;
    CHECK_OK(ds_batch_create(model, &options, COUNT, threads, &batch));
    if (batch == NULL) exit(report());
    CHECK(ds_batch_count(batch) == COUNT && ds_batch_threads(batch) == threads);
    CHECK(ds_batch_np(batch) == 0);
    CHECK_OK(ds_batch_select_params(batch, list, NP));
    CHECK(ds_batch_np(batch) == NP);
    for (size_t i = 0; i < COUNT; i++) {
        double got[NP];
        CHECK_OK(ds_batch_set_params(batch, i, p + i * NP));
        CHECK_OK(ds_batch_get_params(batch, i, got));
        CHECK(memcmp(got, p + i * NP, sizeof got) == 0);
    }
    return batch;
}

/* Element 3 has a state that is none: its columns stay, the others are those of before. */
static void one_fails(ds_batch *batch) {
    CHECK_OK(ds_batch_reset(batch));
    CHECK_OK(ds_batch_step(batch, q0, v0, u, together.q, together.v, NULL));
    CHECK_OK(ds_batch_reset(batch));
    memset(&kept, 0x5A, sizeof kept);
    const struct results before = kept;
    const double good = v0[3 * nv + 1];
    v0[3 * nv + 1] = NAN;
    CHECK(ds_batch_step(batch, q0, v0, u, kept.q, kept.v, each) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "element 3: v[1]") != NULL);
    v0[3 * nv + 1] = good;
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(each[i] == (i == 3 ? DS_ERR_NUMERICAL : DS_OK));
        const struct results *expected = i == 3 ? &before : &together;
        CHECK(memcmp(kept.q + i * nq, expected->q + i * nq, nq * sizeof *kept.q) == 0);
        CHECK(memcmp(kept.v + i * nv, expected->v + i * nv, nv * sizeof *kept.v) == 0);
    }
    /* It has no step after a reset, and says so. */
    CHECK_OK(ds_batch_reset_element(batch, 3));
    ds_step_jacobians out = {.dv_dq = kept.dv_dq};
    CHECK(ds_batch_step_jacobians(batch, &out, each) == DS_ERR_NO_STEP);
    CHECK(each[3] == DS_ERR_NO_STEP && each[4] == DS_OK);
    CHECK(memcmp(kept.dv_dq + 3 * nv * nv, before.dv_dq, nv * nv * sizeof *kept.dv_dq) == 0);
    CHECK(memcmp(kept.dv_dq + 4 * nv * nv, before.dv_dq, nv * nv * sizeof *kept.dv_dq) != 0);
    CHECK(ds_batch_step_info(batch, 3, &kept.info[0]) == DS_ERR_NO_STEP);
    /* A wrench acts on its element alone. */
    const double push[6] = {0, 0, 50.0, 0, 0, 0};
    CHECK_OK(ds_batch_set_external_wrench(batch, 1, list[0].index, push));
    CHECK_OK(ds_batch_reset(batch));
    CHECK_OK(ds_batch_step(batch, q0, v0, u, kept.q, kept.v, NULL));
    for (size_t i = 0; i < COUNT; i++) {
        const int same = memcmp(kept.v + i * nv, together.v + i * nv, nv * sizeof *kept.v) == 0;
        CHECK(same == (i != 1));
    }
}

#define WRONG(call, want, culprit) \
    CHECK((call) == (want) && strstr(ds_last_error(), (culprit)) != NULL)
#define INVALID(call, culprit) WRONG(call, DS_ERR_INVALID_ARGUMENT, culprit)

static void wrong_calls(const ds_model *model, ds_batch *batch) {
    struct results *r = &kept;
    memset(r, 0x5A, sizeof *r);
    memset(each, 0x5A, sizeof each);
    together = kept;
    ds_batch *none = NULL;
    INVALID(ds_batch_create(NULL, NULL, 1, 1, &none), "model");
    INVALID(ds_batch_create(model, NULL, 1, 1, NULL), "out");
    INVALID(ds_batch_create(model, NULL, 0, 1, &none), "count");
    WRONG(ds_batch_create(model, NULL, SIZE_MAX / 2, 1, &none), DS_ERR_CAPACITY, "count");
    CHECK(none == NULL);
    INVALID(ds_batch_step(NULL, q0, v0, u, r->q, r->v, each), "batch");
    INVALID(ds_batch_step(batch, NULL, v0, u, r->q, r->v, each), "q");
    INVALID(ds_batch_step(batch, q0, v0, NULL, r->q, r->v, each), "u");
    INVALID(ds_batch_step(batch, q0, v0, u, r->q, NULL, each), "v_next");
    INVALID(ds_batch_step(batch, q0, v0, u, r->q, r->v, (ds_status *)((char *)each + 1)), "each");
    INVALID(ds_batch_step_jacobians(batch, NULL, each), "out");
    /* Fit for one matrix, not for a batch of them. */
    ds_step_jacobians close = {.dv_dq = r->dv_dq, .dv_dv = r->dv_dq + nv * nv};
    INVALID(ds_batch_step_jacobians(batch, &close, each), "dv_dv: must not overlap dv_dq");
    INVALID(ds_batch_step_vjp(batch, NULL, ones, r->q_bar, NULL, NULL, NULL, each), "q_next_bar");
    INVALID(ds_batch_step_info(batch, COUNT, &r->info[0]), "element");
    INVALID(ds_batch_step_info(batch, 0, NULL), "out");
    INVALID(ds_batch_get_params(batch, SIZE_MAX, r->q), "element");
    INVALID(ds_batch_get_params(batch, 0, NULL), "p");
    INVALID(ds_batch_set_params(batch, COUNT, p), "element");
    const double negative[NP] = {-1.0, 0.0, 1.0};
    INVALID(ds_batch_set_params(batch, 1, negative), "p[0]");
    const ds_param unknown = {99, 0, 0};
    INVALID(ds_batch_select_params(batch, &unknown, 1), "kind");
    CHECK(ds_batch_np(batch) == NP);
    INVALID(ds_batch_set_external_wrench(batch, COUNT, 0, q0), "element");
    INVALID(ds_batch_set_external_wrench(batch, 0, 99, q0), "body");
    INVALID(ds_batch_reset(NULL), "batch");
    INVALID(ds_batch_reset_element(batch, COUNT), "element");
    CHECK(ds_batch_count(NULL) == 0 && ds_batch_threads(NULL) == 0 && ds_batch_np(NULL) == 0);
    CHECK(memcmp(&kept, &together, sizeof kept) == 0);
    for (size_t i = 0; i < COUNT; i++) CHECK((int32_t)each[i] == 0x5A5A5A5A);
    ds_batch_free(NULL);
}

enum { LONG = 12 };

static double path_q[2][COUNT * MAX * (LONG + 1)], path_v[2][COUNT * MAX * (LONG + 1)],
    long_u[COUNT * MAX * LONG], path_bar[COUNT * MAX * (LONG + 1)], u_bars[2][COUNT * MAX * LONG];

/* Rollouts of all elements are single rollouts; one that fails leaves its trajectory alone. */
static void rollouts(const ds_model *model, ds_batch *batch) {
    const size_t states = LONG + 1;
    ds_gradient labels[COUNT * LONG];
    double q0_bar[COUNT * MAX], v0_bar[COUNT * MAX], p_bar[2][COUNT * NP];
    for (size_t k = 0; k < nu * LONG * COUNT; k++) long_u[k] = sin((double)k);
    for (size_t k = 0; k < nv * states * COUNT; k++) path_bar[k] = cos((double)k);
    CHECK_OK(ds_batch_rollout(batch, LONG, q0, v0, long_u, path_q[0], path_v[0], each));
    CHECK_OK(ds_batch_rollout_adjoint(batch, path_bar, path_bar, q0_bar, v0_bar, u_bars[0], p_bar[0], NULL));
    CHECK_OK(ds_batch_rollout_gradient(batch, labels));
    for (size_t i = 0; i < COUNT; i++) {
        ds_rollout *one = NULL;
        double *q = path_q[1] + i * nq * states, *v = path_v[1] + i * nv * states;
        const double *bar = path_bar + i * nv * states;
        CHECK_OK(ds_rollout_create(model, &options, LONG, &one));
        CHECK_OK(ds_rollout_select_params(one, list, NP));
        CHECK_OK(ds_rollout_set_params(one, p + i * NP));
        if (i == 1) {
            const double push[6] = {0, 0, 50.0, 0, 0, 0};
            CHECK_OK(ds_rollout_set_external_wrench(one, list[0].index, push));
        }
        CHECK_OK(ds_rollout_run(one, q0 + i * nq, v0 + i * nv, long_u + i * nu * LONG, LONG, q, v));
        CHECK_OK(ds_rollout_adjoint(one, bar, bar, NULL, NULL, u_bars[1] + i * nu * LONG, p_bar[1] + i * NP));
        CHECK(labels[i * LONG] <= DS_GRADIENT_ONE_SIDED);
        ds_rollout_free(one);
    }
    CHECK(memcmp(path_q[0], path_q[1], sizeof path_q[0]) == 0);
    CHECK(memcmp(path_v[0], path_v[1], sizeof path_v[0]) == 0);
    CHECK(memcmp(u_bars[0], u_bars[1], sizeof u_bars[0]) == 0);
    CHECK(memcmp(p_bar[0], p_bar[1], sizeof p_bar[0]) == 0);
    const double good = long_u[(2 * LONG + 5) * nu];
    long_u[(2 * LONG + 5) * nu] = NAN;
    memset(path_q[1], 0, sizeof path_q[1]);
    CHECK(ds_batch_rollout(batch, LONG, q0, v0, long_u, path_q[1], NULL, each) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "element 2: step 5: u[0]") != NULL);
    long_u[(2 * LONG + 5) * nu] = good;
    CHECK(each[2] == DS_ERR_NUMERICAL && each[3] == DS_OK);
    memset(path_q[0] + 2 * nq * states, 0, nq * states * sizeof *path_q[0]);
    CHECK(memcmp(path_q[0], path_q[1], sizeof path_q[0]) == 0);
    CHECK(ds_batch_rollout_adjoint(batch, path_bar, path_bar, q0_bar, NULL, NULL, NULL, each) == DS_ERR_NO_STEP);
    CHECK(each[2] == DS_ERR_NO_STEP && each[3] == DS_OK);
    CHECK_OK(ds_batch_rollout_gradient(batch, labels));
    CHECK(labels[2 * LONG] == DS_GRADIENT_REFUSED && labels[3 * LONG] <= DS_GRADIENT_ONE_SIDED);
    INVALID(ds_batch_rollout(batch, 0, q0, v0, long_u, NULL, NULL, NULL), "steps");
    INVALID(ds_batch_rollout(batch, LONG, NULL, v0, long_u, NULL, NULL, NULL), "q0");
    INVALID(ds_batch_rollout(batch, LONG, q0, v0, NULL, NULL, NULL, NULL), "u");
    INVALID(ds_batch_rollout(batch, LONG, q0, v0, long_u, q0, NULL, NULL), "q: must not overlap q0");
    INVALID(ds_batch_rollout(NULL, LONG, q0, v0, long_u, NULL, NULL, NULL), "batch");
    WRONG(ds_batch_rollout(batch, SIZE_MAX, q0, v0, long_u, NULL, NULL, NULL), DS_ERR_CAPACITY, "steps");
    INVALID(ds_batch_rollout_adjoint(batch, NULL, path_bar, NULL, NULL, NULL, NULL, NULL), "q_bar");
    INVALID(ds_batch_rollout_gradient(batch, NULL), "labels");
    WRONG(ds_batch_reserve(batch, SIZE_MAX / 8), DS_ERR_CAPACITY, "steps");
    CHECK(ds_batch_rollout_steps(batch) == LONG && ds_batch_rollout_steps(NULL) == 0);
    CHECK_OK(ds_batch_reset(batch));
    CHECK(ds_batch_rollout_steps(batch) == 0);
    WRONG(ds_batch_rollout_gradient(batch, labels), DS_ERR_NO_STEP, "rollout");
    CHECK_OK(ds_batch_step(batch, q0, v0, u, kept.q, kept.v, NULL));
}

/* Elements that end early have the bits of those that do not, up to their end. */
static void episodes(ds_batch *batch) {
    const size_t states = LONG + 1, lengths[COUNT] = {LONG, 4, LONG, 0, LONG};
    size_t taken[COUNT];
    ds_gradient labels[COUNT * LONG];
    double lower[2 * MAX], v0_bar[COUNT * MAX];
    for (size_t k = 0; k < nq + nv; k++) lower[k] = -INFINITY;
    for (size_t i = 0; i < COUNT; i++) CHECK_OK(ds_batch_set_params(batch, i, p + i * NP));
    CHECK_OK(ds_batch_rollout(batch, LONG, q0, v0, long_u, path_q[0], path_v[0], each));
    /* Only element 2 falls below its bound after the fifth step. */
    const double *z = path_q[0] + 2 * nq * states + 2;
    lower[2] = 0.5 * (z[5 * nq] + z[6 * nq]);
    ds_episodes e;
    ds_episodes_init(&e);
    CHECK(e.struct_size == sizeof e && e.q0 == NULL && e.labels == NULL);
    e.q0 = q0, e.v0 = v0, e.u = long_u, e.p = p, e.lengths = lengths, e.lower = lower;
    e.q = path_q[1], e.v = path_v[1], e.taken = taken, e.labels = labels;
    CHECK_OK(ds_batch_run_episodes(batch, LONG, &e, each));
    for (size_t i = 0; i < COUNT; i++) {
        const double *one = path_q[0] + i * nq * states, *two = path_q[1] + i * nq * states;
        const size_t n = taken[i];
        CHECK(each[i] == DS_OK && n <= lengths[i]);
        CHECK(memcmp(one, two, nq * (n + 1) * sizeof *one) == 0);
        for (size_t k = n; k <= LONG; k++) CHECK(memcmp(two + n * nq, two + k * nq, nq * sizeof *two) == 0);
        for (size_t k = 0; k + 1 < n; k++) CHECK(two[(k + 1) * nq + 2] >= lower[2]);
    }
    CHECK(taken[2] <= 6 && taken[3] == 0 && labels[3 * LONG] == DS_GRADIENT_EXACT);
    ds_episodes_bars bars;
    ds_episodes_bars_init(&bars);
    bars.v_bar = path_bar, bars.u_bar = u_bars[0], bars.v0_bar = v0_bar;
    CHECK_OK(ds_batch_episodes_adjoint(batch, &bars, each));
    CHECK(u_bars[0][nu * LONG * 2 + nu * (LONG - 1)] == 0.0 && u_bars[0][nu * LONG * 2] != 0.0);
    double sum = 0.0;
    for (size_t k = 0; k <= LONG; k++) sum += path_bar[nv * (states * 3 + k)];
    CHECK(fabs(v0_bar[3 * nv] - sum) < 1e-12);
    CHECK_OK(ds_batch_rollout_gradient(batch, labels));
    CHECK(ds_batch_rollout_steps(batch) == LONG);
    /* A failing step: the others, and its own steps before, stay. */
    const double good = long_u[(4 * LONG + 1) * nu];
    long_u[(4 * LONG + 1) * nu] = NAN;
    WRONG(ds_batch_run_episodes(batch, LONG, &e, each), DS_ERR_NUMERICAL, "element 4: step 1: u[0]");
    long_u[(4 * LONG + 1) * nu] = good;
    CHECK(each[4] == DS_ERR_NUMERICAL && each[0] == DS_OK && taken[4] == 1);
    CHECK(labels[4 * LONG + 1] == DS_GRADIENT_REFUSED);
    CHECK_OK(ds_batch_episodes_adjoint(batch, &bars, each));
    INVALID(ds_batch_run_episodes(NULL, LONG, &e, NULL), "batch");
    INVALID(ds_batch_run_episodes(batch, LONG, NULL, NULL), "episodes");
    INVALID(ds_batch_run_episodes(batch, 0, &e, NULL), "steps");
    WRONG(ds_batch_run_episodes(batch, SIZE_MAX / 4, &e, NULL), DS_ERR_CAPACITY, "steps");
    INVALID(ds_batch_episodes_adjoint(batch, NULL, NULL), "bars");
    e.q = e.v;
    INVALID(ds_batch_run_episodes(batch, LONG, &e, NULL), "must not overlap");
    e.q = NULL, lower[3] = NAN;
    INVALID(ds_batch_run_episodes(batch, LONG, &e, NULL), "lower[3]");
    e.lower = NULL, e.q0 = NULL;
    INVALID(ds_batch_run_episodes(batch, LONG, &e, NULL), "q0");
    ds_episodes none = {0};
    INVALID(ds_batch_run_episodes(batch, LONG, &none, NULL), "struct_size");
    CHECK_OK(ds_batch_reset(batch));
    WRONG(ds_batch_episodes_adjoint(batch, &bars, each), DS_ERR_NO_STEP, "rollout");
    CHECK_OK(ds_batch_step(batch, q0, v0, u, kept.q, kept.v, NULL));
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL;
    ds_model *model = NULL;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), &load, &model));
    if (model == NULL) return report();
    prepare(model);
    step_alone(model, &alone);
    size_t contacts = 0;
    for (size_t i = 0; i < COUNT; i++) contacts += alone.info[i].contacts;
    CHECK(contacts >= COUNT && alone.p_bar[1] != 0.0 && alone.p_bar[2] != 0.0);
    for (size_t threads = 1; threads <= 2; threads++) {
        ds_batch *batch = create(model, threads);
        memset(&together, 0, sizeof together);
        step_together(batch, &together);
        same_bits(&alone, &together);
        one_fails(batch);
        rollouts(model, batch);
        episodes(batch);
        wrong_calls(model, batch);
        CHECK_OK(ds_batch_step(batch, q0, v0, u, kept.q, kept.v, NULL));
        ds_batch_free(batch);
    }
    ds_model_free(model);
    return report();
}
