/* A regulator of the cart-pole, a plan of the quadruped within bounds, and what is refused. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

static void regulator(void) {
    /* p = q + a² p r/(r + b² p) of numbers. */
    const double a = 1.5, b = 0.5, q = 2.0, r = 0.3;
    double k = 7.0, p = 7.0;
    CHECK(ds_lqr(1, 1, &a, &b, &q, &r, &k, &p) == DS_OK);
    CHECK_NEAR(p, q + a * a * p * r / (r + b * b * p), 1e-12 * p);
    CHECK_NEAR(k, a * b * p / (r + b * b * p), 1e-12);
    const double none = 0.0, lost = NAN, kept = k;
    CHECK(ds_lqr(1, 1, &a, &none, &q, &r, &k, NULL) == DS_ERR_NOT_CONVERGED && k == kept);
    CHECK(ds_lqr(1, 1, &a, &b, &q, &none, &k, NULL) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "R"));
    CHECK(ds_lqr(1, 1, &lost, &b, &q, &r, &k, NULL) == DS_ERR_NUMERICAL && strstr(ds_last_error(), "A[0]"));
    CHECK(ds_lqr(1, 1, NULL, &b, &q, &r, &k, NULL) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "A"));
    CHECK(ds_lqr(0, 1, &a, &b, &q, &r, &k, NULL) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "nx"));
    CHECK(ds_lqr(SIZE_MAX, 2, &a, &b, &q, &r, &k, NULL) == DS_ERR_INVALID_ARGUMENT && k == kept);
}

enum { NQ = 19, NV = 18, NU = 12, N = 8 };

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    regulator();
    ds_model *model = NULL;
    CHECK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model) == DS_OK);
    CHECK(ds_model_nq(model) == NQ && ds_model_nu(model) == NU);
    ds_options step;
    ds_options_init(&step);
    step.time_step = 0.01;
    ds_ilqr_options options;
    ds_ilqr_options_init(&options);
    ds_ilqr_options_init(NULL);
    ds_ilqr *ilqr = NULL;
    CHECK(ds_ilqr_create(NULL, &step, N, &options, &ilqr) == DS_ERR_INVALID_ARGUMENT && ilqr == NULL);
    CHECK(ds_ilqr_create(model, &step, 0, &options, &ilqr) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "steps"));
    CHECK(ds_ilqr_create(model, &step, SIZE_MAX / 64, &options, &ilqr) == DS_ERR_CAPACITY && ilqr == NULL);
    options.tolerance = -1.0;
    CHECK(ds_ilqr_create(model, &step, N, &options, &ilqr) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "tolerance"));
    options.tolerance = 1e-9;
    options.max_iterations = 6;
    CHECK(ds_ilqr_create(model, &step, N, &options, &ilqr) == DS_OK);
    CHECK(ds_ilqr_steps(ilqr) == N && ds_ilqr_steps(NULL) == 0);

    double q[NQ], v[NV] = {0}, u0[NU], u[NU * N], lower[NU], upper[NU], state[2 * NV], input[NU];
    CHECK(ds_model_keyframe(model, "standing", q, v, u0) == DS_OK);
    for (int k = 0; k < 2 * NV; k++) state[k] = 10.0;
    for (int k = 0; k < NU; k++) input[k] = 0.1, lower[k] = u0[k] - 0.05, upper[k] = u0[k] + 0.05;
    for (int k = 0; k < NU * N; k++) u[k] = u0[k % NU];
    double gains[NU * 2 * NV] = {3.0}, places[NQ * (N + 1)] = {3.0};
    CHECK(ds_ilqr_gains(ilqr, 0, gains) == DS_ERR_NO_STEP && gains[0] == 3.0);
    CHECK(ds_ilqr_states(ilqr, places, NULL) == DS_ERR_NO_STEP && places[0] == 3.0);
    CHECK(ds_ilqr_set_weights(ilqr, state, state, input) == DS_OK);
    CHECK(ds_ilqr_set_weights(ilqr, state, NULL, input) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "end"));
    CHECK(ds_ilqr_set_reference(ilqr, -1, q, v, u0) == DS_OK);
    CHECK(ds_ilqr_set_reference(ilqr, -2, q, v, u0) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "node"));
    CHECK(ds_ilqr_set_reference(ilqr, N + 1, q, v, u0) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "node"));
    CHECK(ds_ilqr_set_input_bounds(ilqr, upper, lower) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "lower[0]"));
    CHECK(ds_ilqr_set_input_bounds(ilqr, lower, upper) == DS_OK);
    v[1] = 0.3;
    ds_ilqr_info info;
    u[3] = NAN;
    CHECK(ds_ilqr_solve(ilqr, q, v, u, &info) == DS_ERR_NUMERICAL && strstr(ds_last_error(), "u[3]"));
    u[3] = u0[3];
    CHECK(ds_ilqr_solve(ilqr, q, NULL, u, &info) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "v0"));
    CHECK(ds_ilqr_solve(ilqr, q, v, u, &info) == DS_OK);
    CHECK(info.cost < info.first_cost && info.iterations > 0 && info.iterations <= 6 && info.slope >= 0.0);
    for (int k = 0; k < NU * N; k++) CHECK(u[k] >= lower[k % NU] && u[k] <= upper[k % NU]);

    /* What it says is what the steps do. */
    ds_rollout *rollout = NULL;
    double run[NQ * (N + 1)];
    CHECK(ds_rollout_create(model, &step, N, &rollout) == DS_OK);
    CHECK(ds_rollout_run(rollout, q, v, u, N, run, NULL) == DS_OK);
    CHECK(ds_ilqr_states(ilqr, places, NULL) == DS_OK);
    for (int k = 0; k < NQ * (N + 1); k++) CHECK_NEAR(places[k], run[k], 1e-9);
    CHECK(ds_ilqr_gains(ilqr, N - 1, gains) == DS_OK && ds_ilqr_gains(ilqr, N, gains) == DS_ERR_INVALID_ARGUMENT);
    ds_rollout_free(rollout);
    ds_ilqr_free(ilqr);
    ds_ilqr_free(NULL);
    ds_model_free(model);
    return report();
}
