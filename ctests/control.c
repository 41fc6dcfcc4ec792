/* A regulator of the cart-pole, a plan of the quadruped within bounds, and refusals. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "diffsim_control.h"

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

/* A hinge whose motor has a state: plans that carry it, and derivatives by it. */
static void activated(void) {
    const char *text =
        "<mujoco><worldbody><body><joint name='j' damping='.1'/><geom size='.1' pos='.3 0 0' mass='1'/></body></worldbody>"
        "<actuator><general name='m' joint='j' dyntype='filter' dynprm='.1' gainprm='2'/></actuator>"
        "<sensor><actuatorfrc actuator='m'/></sensor></mujoco>";
    ds_load_options load;
    ds_load_options_init(&load);
    ds_model *model = NULL;
    CHECK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &load, &model) == DS_OK && ds_model_na(model) == 1);
    ds_sim *sim = NULL;
    CHECK(ds_sim_create(model, NULL, &sim) == DS_OK);
    const double zero = 0.0, one = 1.0, act = 0.25, bad = NAN;
    double a = 0.0, by_act = 7.0, bar = 7.0, q_bar = 7.0;
    ds_gradient gradient;
    CHECK(ds_sim_acceleration_act_jacobian(sim, &by_act) == DS_ERR_NO_STEP && by_act == 7.0);
    CHECK(ds_sim_set_act(sim, &act) == DS_OK);
    CHECK(ds_sim_sensor_act_jacobian(sim, &zero, &zero, &zero, &by_act, &gradient) == DS_OK && fabs(by_act - 2.0) < 1e-12);
    CHECK(ds_sim_sensor_vjp_act(sim, &zero, &zero, &zero, &one, &q_bar, NULL, &bar, NULL, &gradient) == DS_OK);
    CHECK(fabs(bar - 2.0) < 1e-12 && q_bar == 0.0);
    bar = 7.0;
    CHECK(ds_sim_sensor_vjp_act(sim, &zero, &zero, &zero, &bad, NULL, NULL, &bar, NULL, &gradient) == DS_ERR_NUMERICAL && bar == 7.0);
    CHECK(ds_sim_sensor_act_jacobian(sim, NULL, &zero, &zero, &bar, &gradient) == DS_ERR_INVALID_ARGUMENT && bar == 7.0);
    CHECK(ds_sim_forward(sim, &zero, &zero, &zero, &a) == DS_OK);
    CHECK(ds_sim_acceleration_act_jacobian(sim, &by_act) == DS_OK && by_act > 0.0);
    CHECK(ds_sim_acceleration_vjp_act(sim, &one, NULL, NULL, &bar, NULL, NULL) == DS_OK && fabs(bar - by_act) < 1e-10 * by_act);
    bar = 7.0;
    CHECK(ds_sim_acceleration_vjp_act(sim, &bad, NULL, NULL, &bar, NULL, NULL) == DS_ERR_NUMERICAL && bar == 7.0);
    CHECK(ds_sim_acceleration_act_jacobian(sim, NULL) == DS_ERR_INVALID_ARGUMENT);
    ds_sim_free(sim);

    ds_options step;
    ds_options_init(&step);
    step.time_step = 0.01;
    ds_ilqr_options options;
    ds_ilqr_options_init(&options);
    ds_ilqr *ilqr = NULL;
    CHECK(ds_ilqr_create(model, &step, 20, &options, &ilqr) == DS_OK);
    const double weights[3] = {1.0, 0.1, 0.01}, wrench[6] = {0}, wrong[6] = {NAN};
    CHECK(ds_ilqr_set_weights(ilqr, weights, weights, &one) == DS_OK);
    CHECK(ds_ilqr_set_act_reference(ilqr, -1, &act) == DS_OK);
    CHECK(ds_ilqr_set_act_reference(ilqr, -2, &act) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "node"));
    CHECK(ds_ilqr_set_act_reference(ilqr, -1, NULL) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "act"));
    CHECK(ds_ilqr_set_act_reference(ilqr, -1, &bad) != DS_OK);
    CHECK(ds_ilqr_set_external_wrench(ilqr, 1, wrench) == DS_OK);
    CHECK(ds_ilqr_set_external_wrench(ilqr, 9, wrench) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "body"));
    CHECK(ds_ilqr_set_external_wrench(ilqr, 1, wrong) != DS_OK);
    CHECK(ds_ilqr_prescribe(ilqr, 3, 0.0) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "dof"));
    CHECK(ds_ilqr_prescribe(ilqr, 0, NAN) == DS_OK);
    double u[20] = {0}, states[21] = {7.0};
    CHECK(ds_ilqr_states_act(ilqr, NULL, NULL, states) == DS_ERR_NO_STEP && states[0] == 7.0);
    ds_ilqr_info info;
    CHECK(ds_ilqr_solve_act(ilqr, &zero, &zero, &bad, u, &info) != DS_OK && u[0] == 0.0);
    CHECK(ds_ilqr_solve_act(ilqr, &zero, &zero, &act, u, &info) == DS_OK);
    CHECK(ds_ilqr_states_act(ilqr, NULL, NULL, states) == DS_OK && states[0] == act);
    /* The filter by itself: act + h (u - act)/0.1. */
    CHECK(fabs(states[1] - (act + 0.1 * (u[0] - act))) < 1e-12);
    ds_ilqr_free(ilqr);
    ds_model_free(model);
}

enum { NQ = 19, NV = 18, NU = 12, N = 8 };

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    regulator();
    activated();
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
