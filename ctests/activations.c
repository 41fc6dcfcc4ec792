/* Actuators with a state: from files and from a builder, steps, derivatives, rollouts, batches, wrong calls.
 * */
#include <math.h>
#include <stddef.h>

#include "check.h"

/* Two hinges with one actuator of each kind; the second and the last have no state. */
static const char arm[] =
    "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0' range='-2 2'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/><body pos='.4 0 0'>"
    "<joint name='b' axis='0 1 0' range='-2 2'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/>"
    "</body></body></worldbody><tendon><fixed name='t'><joint joint='a' coef='.3'/><joint joint='b' coef='-.5'/>"
    "</fixed></tendon><actuator><muscle name='m' tendon='t' lengthrange='-2 2' force='30' tausmooth='.2'/>"
    "<motor name='n' joint='b'/><position name='p' joint='a' kp='20' timeconst='.05'/>"
    "<general name='e' joint='b' dyntype='integrator' actearly='true' actrange='-.5 .5'/>"
    "<damper name='d' joint='a' kv='.3' ctrlrange='0 1'/></actuator>"
    "<keyframe><key name='k' act='.1 .2 .3'/></keyframe></mujoco>";

enum { NV = 2, NU = 5, NA = 3, SIZE = 2 * NV + NA, IN = SIZE + NU, STEPS = 30 };

static const double start[IN] = {0.3, -0.4, 0.5, 0.6, 0.4, 0.2, 0.1, 0.7, 0.3, -0.2, 0.4, 0.6};

static ds_model *load(void) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(arm, strlen(arm), DS_FORMAT_MJCF, NULL, &model));
    return model;
}

static void defaults(ds_options *options) {
    ds_options_init(options);
    options->contact = DS_CONTACT_NONE;
    options->time_step = 0.01;
}

/* x = (q, v, act, u) to (q, v, act) */
static void step(ds_sim *sim, const double *x, double *y) {
    CHECK_OK(ds_sim_set_act(sim, x + 2 * NV));
    CHECK_OK(ds_sim_step(sim, x, x + NV, x + SIZE, y, y + NV));
    CHECK_OK(ds_sim_get_act(sim, y + 2 * NV));
}

static void models(const ds_model *model) {
    double act[NA];
    CHECK(ds_model_nu(model) == NU && ds_model_na(model) == NA && ds_model_na(NULL) == 0);
    CHECK(ds_model_act_actuator(model, 0) == 0 && ds_model_act_actuator(model, 1) == 2);
    CHECK(ds_model_act_actuator(model, 2) == 3 && ds_model_act_actuator(model, 3) == -1);
    CHECK(ds_model_act_actuator(model, -1) == -1 && ds_model_act_actuator(NULL, 0) == -1);
    CHECK_OK(ds_model_keyframe_act(model, "k", act));
    CHECK(act[0] == 0.1 && act[1] == 0.2 && act[2] == 0.3);
    CHECK_INVALID(ds_model_keyframe_act(model, "other", act), "other");
    CHECK_INVALID(ds_model_keyframe_act(model, "k", NULL), "act");
}

static void derivatives(const ds_model *model) {
    ds_options options;
    ds_sim *sim = NULL;
    double y[SIZE], plus[SIZE], minus[SIZE], x[IN], J[SIZE * IN];
    defaults(&options);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    step(sim, start, y);
    double dq_dq[4], dq_dv[4], dq_du[NV * NU], dv_dq[4], dv_dv[4], dv_du[NV * NU];
    double dq_dact[NV * NA], dv_dact[NV * NA], dact_dq[NA * NV], dact_dv[NA * NV], dact_dact[NA * NA], dact_du[NA * NU];
    const ds_step_jacobians state = {dq_dq, dq_dv, dq_du, NULL, dv_dq, dv_dv, dv_du, NULL};
    const ds_act_jacobians acts = {dq_dact, dv_dact, dact_dq, dact_dv, dact_dact, dact_du};
    CHECK_OK(ds_sim_step_jacobians(sim, &state));
    CHECK_OK(ds_sim_step_act_jacobians(sim, &acts));
    const double *const blocks[3][4] = {
        {dq_dq, dq_dv, dq_dact, dq_du}, {dv_dq, dv_dv, dv_dact, dv_du}, {dact_dq, dact_dv, dact_dact, dact_du}};
    const size_t rows[3] = {NV, NV, NA}, columns[4] = {NV, NV, NA, NU};
    for (size_t r = 0, row = 0; r < 3; row += rows[r], r++)
        for (size_t c = 0, column = 0; c < 4; column += columns[c], c++)
            for (size_t j = 0; j < columns[c]; j++)
                for (size_t i = 0; i < rows[r]; i++)
                    J[(column + j) * SIZE + row + i] = blocks[r][c][j * rows[r] + i];

    /* Forward and reverse mode against the columns. */
    double d[IN], dy[SIZE], w[SIZE], bar[IN];
    for (size_t k = 0; k < IN; k++) d[k] = sin(1.0 + (double)k);
    for (size_t k = 0; k < SIZE; k++) w[k] = cos(2.0 + (double)k);
    CHECK_OK(ds_sim_step_jvp_act(sim, d, d + NV, d + 2 * NV, d + SIZE, NULL, dy, dy + NV, dy + 2 * NV));
    CHECK_OK(ds_sim_step_vjp_act(sim, w, w + NV, w + 2 * NV, bar, bar + NV, bar + 2 * NV, bar + SIZE, NULL));
    for (size_t i = 0; i < SIZE; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < IN; k++) sum += J[k * SIZE + i] * d[k];
        CHECK_NEAR(sum, dy[i], 1e-11 * fmax(1.0, fabs(sum)));
    }
    for (size_t k = 0; k < IN; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < SIZE; i++) sum += J[k * SIZE + i] * w[i];
        CHECK_NEAR(sum, bar[k], 1e-11 * fmax(1.0, fabs(sum)));
    }
    /* Without activations: at fixed ones. Results may be arguments. */
    double u_bar[NU], moved[IN];
    CHECK_OK(ds_sim_step_vjp(sim, w, w + NV, NULL, NULL, u_bar, NULL));
    CHECK(u_bar[0] == 0.0 && u_bar[2] == 0.0 && u_bar[1] != 0.0 && u_bar[3] != 0.0 && u_bar[4] != 0.0);
    memcpy(moved, d, sizeof d);
    CHECK_OK(ds_sim_step_jvp_act(sim, moved, moved + NV, moved + 2 * NV, moved + SIZE, NULL, moved, moved + NV,
                                 moved + 2 * NV));
    for (size_t i = 0; i < SIZE; i++) CHECK(moved[i] == dy[i]);

    const double e = 1e-6;
    for (size_t k = 0; k < IN; k++) {
        memcpy(x, start, sizeof x);
        x[k] = start[k] + e;
        step(sim, x, plus);
        x[k] = start[k] - e;
        step(sim, x, minus);
        for (size_t i = 0; i < SIZE; i++) {
            const double slope = (plus[i] - minus[i]) / (2.0 * e);
            CHECK_NEAR(J[k * SIZE + i], slope, 1e-7 * fmax(1.0, fabs(slope)));
        }
    }
    ds_sim_free(sim);
}

static void rollouts(const ds_model *model) {
    ds_options options;
    ds_rollout *rollout = NULL;
    ds_sim *sim = NULL;
    static double u[NU * STEPS], q[NV * (STEPS + 1)], v[NV * (STEPS + 1)], act[NA * (STEPS + 1)], bars[SIZE], u_bar[NU * STEPS];
    static double zero[NV * (STEPS + 1)], w[NA * (STEPS + 1)], y[SIZE], plain[NV * (STEPS + 1)];
    defaults(&options);
    options.checkpoint_interval = 4;
    CHECK_OK(ds_rollout_create(model, &options, STEPS, &rollout));
    CHECK_OK(ds_sim_create(model, &options, &sim));
    for (size_t k = 0; k < NU * STEPS; k++) u[k] = 0.5 + 0.3 * sin((double)k);
    for (size_t k = 0; k < NA * (STEPS + 1); k++) w[k] = cos((double)k);
    CHECK(ds_rollout_adjoint_act(rollout, zero, zero, w, NULL, NULL, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    CHECK_OK(ds_rollout_run_act(rollout, start, start + NV, start + 2 * NV, u, STEPS, q, v, act));
    CHECK(memcmp(act, start + 2 * NV, sizeof(double) * NA) == 0);
    /* Step by step. */
    double x[IN];
    memcpy(x, start, sizeof x);
    for (size_t k = 0; k < STEPS; k++) {
        memcpy(x + SIZE, u + NU * k, sizeof(double) * NU);
        step(sim, x, y);
        memcpy(x, y, sizeof y);
        CHECK(memcmp(y, q + NV * (k + 1), sizeof(double) * NV) == 0);
        CHECK(memcmp(y + 2 * NV, act + NA * (k + 1), sizeof(double) * NA) == 0);
    }
    CHECK_OK(ds_rollout_adjoint_act(rollout, zero, zero, w, bars, bars + NV, bars + 2 * NV, u_bar, NULL));
    double slopes[2] = {0.0, 0.0};
    const double e = 1e-6;
    for (int sign = -1; sign <= 1; sign += 2) {
        double a0[NA] = {start[4] + sign * e, start[5], start[6]};
        CHECK_OK(ds_rollout_run_act(rollout, start, start + NV, a0, u, STEPS, NULL, NULL, act));
        for (size_t k = 0; k < NA * (STEPS + 1); k++) slopes[0] += sign * w[k] * act[k] / (2.0 * e);
        const double kept = u[7 * NU + 2];
        u[7 * NU + 2] = kept + sign * e;
        CHECK_OK(ds_rollout_run_act(rollout, start, start + NV, start + 2 * NV, u, STEPS, NULL, NULL, act));
        for (size_t k = 0; k < NA * (STEPS + 1); k++) slopes[1] += sign * w[k] * act[k] / (2.0 * e);
        u[7 * NU + 2] = kept;
    }
    CHECK_NEAR(bars[4], slopes[0], 1e-6);
    CHECK_NEAR(u_bar[7 * NU + 2], slopes[1], 1e-6);
    CHECK(fabs(slopes[0]) > 0.01 && fabs(slopes[1]) > 0.01);
    /* Without activations they begin at zero. */
    const double none[NA] = {0.0, 0.0, 0.0};
    CHECK_OK(ds_rollout_run(rollout, start, start + NV, u, STEPS, plain, NULL));
    CHECK_OK(ds_rollout_run_act(rollout, start, start + NV, none, u, STEPS, q, NULL, NULL));
    CHECK(memcmp(q, plain, sizeof plain) == 0);
    CHECK_OK(ds_rollout_run_act(rollout, start, start + NV, NULL, u, STEPS, q, NULL, NULL));
    CHECK(memcmp(q, plain, sizeof plain) == 0);
    const double bad[NA] = {0.0, NAN, 0.0};
    CHECK_WRONG(ds_rollout_run_act(rollout, start, start + NV, bad, u, STEPS, q, NULL, NULL), DS_ERR_NUMERICAL, "act0[1]");
    CHECK_INVALID(ds_rollout_run_act(rollout, start, start + NV, none, u, STEPS + 1, q, NULL, NULL), "steps");
    CHECK_INVALID(ds_rollout_run_act(rollout, start, start + NV, none, u, STEPS, q, q, NULL), "q");
    ds_rollout_free(rollout);
    ds_sim_free(sim);
}

static void batches(const ds_model *model) {
    ds_batch *batch = NULL;
    ds_options options;
    defaults(&options);
    double q[2 * NV], v[2 * NV], u[2 * NU], act[2 * NA], y[SIZE], again[2 * NA];
    CHECK_OK(ds_batch_create(model, &options, 2, 1, &batch));
    for (size_t i = 0; i < 2; i++) {
        memcpy(q + NV * i, start, sizeof(double) * NV);
        memcpy(v + NV * i, start + NV, sizeof(double) * NV);
        memcpy(u + NU * i, start + SIZE, sizeof(double) * NU);
        memcpy(act + NA * i, start + 2 * NV, sizeof(double) * NA);
    }
    act[NA] = 0.9;
    CHECK_OK(ds_batch_set_act(batch, act));
    CHECK_OK(ds_batch_get_act(batch, again));
    CHECK(memcmp(act, again, sizeof act) == 0);
    CHECK_OK(ds_batch_step(batch, q, v, u, q, v, NULL));
    CHECK_OK(ds_batch_get_act(batch, again));
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    step(sim, start, y);
    CHECK(memcmp(y, q, sizeof(double) * NV) == 0 && memcmp(y + 2 * NV, again, sizeof(double) * NA) == 0);
    CHECK(again[NA] != again[0] && v[NV] != v[0]);
    act[4] = INFINITY;
    CHECK_WRONG(ds_batch_set_act(batch, act), DS_ERR_NUMERICAL, "act[4]");
    CHECK_OK(ds_batch_reset(batch));
    CHECK_OK(ds_batch_get_act(batch, again));
    for (size_t k = 0; k < 2 * NA; k++) CHECK(again[k] == 0.0);
    ds_sim_free(sim);
    ds_batch_free(batch);
}

/* The same arm's actuators from structs. */
static void built(const ds_model *model) {
    ds_load_options load;
    ds_load_options_init(&load);
    ds_model *bare = NULL, *made = NULL;
    char text[sizeof arm];
    memcpy(text, arm, sizeof arm);
    const char *const from = strstr(text, "<actuator>"), *const rest = strstr(text, "</mujoco>");
    memmove(text + (from - text), rest, strlen(rest) + 1);
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &bare));
    ds_actuator_desc list[NU];
    for (int i = 0; i < NU; i++) ds_actuator_desc_init(&list[i]);
    CHECK(list[0].activation == DS_ACTIVATION_NONE && list[0].muscle_range[1] == 1.05 && list[0].muscle_fvmax == 1.2);
    list[0].tendon = "t";
    list[0].activation = DS_ACTIVATION_MUSCLE;
    list[0].activation_time[0] = 0.01;
    list[0].activation_time[1] = 0.04;
    list[0].activation_smoothing = 0.2;
    list[0].muscle_active = list[0].muscle_passive = 1;
    list[0].muscle_length_range[0] = -2.0;
    list[0].muscle_length_range[1] = 2.0;
    list[0].muscle_force = 30.0;
    list[1].joint = list[3].joint = "b";
    list[2].joint = list[4].joint = "a";
    CHECK_OK(ds_actuator_desc_set_servo(&list[2], 20.0, 0.0));
    list[2].activation = DS_ACTIVATION_FILTER_EXACT;
    list[2].activation_time[0] = 0.05;
    list[3].activation = DS_ACTIVATION_INTEGRATOR;
    list[3].act_early = 1;
    list[3].act_lower = -0.5;
    list[3].act_upper = 0.5;
    list[4].gain = 0.0;
    list[4].gain_slopes[1] = -0.3;
    list[4].control_lower = 0.0;
    list[4].control_upper = 1.0;
    CHECK_OK(ds_model_with_actuators(bare, list, NU, &made));
    CHECK(ds_model_na(bare) == 0 && ds_model_na(made) == NA);
    const ds_model *const both[2] = {model, made};
    double y[2][SIZE];
    ds_options options;
    defaults(&options);
    for (int i = 0; i < 2; i++) {
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(both[i], &options, &sim));
        step(sim, start, y[i]);
        ds_sim_free(sim);
    }
    CHECK(memcmp(y[0], y[1], sizeof y[0]) == 0);

    ds_model *none = NULL;
    ds_actuator_desc wrong = list[0];
    wrong.activation = 9;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "actuators[0].activation");
    wrong = list[0];
    wrong.act_early = 2;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "actuators[0].act_early");
    wrong = list[0];
    wrong.muscle_active = -1;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "actuators[0].muscle_active");
    wrong = list[0];
    wrong.activation_time[1] = 0.0;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "falling time constant");
    wrong = list[0];
    wrong.muscle_length_range[1] = -3.0;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "length range");
    wrong = list[3];
    wrong.act_lower = 1.0;
    CHECK_INVALID(ds_model_with_actuators(bare, &wrong, 1, &none), "activation range");
    wrong = list[0];
    wrong.struct_size = offsetof(ds_actuator_desc, gain_slopes);
    CHECK_OK(ds_model_with_actuators(bare, &wrong, 1, &none));
    CHECK(ds_model_na(none) == 0);
    ds_model_free(none);
    ds_model_free(made);
    ds_model_free(bare);
}

static void wrong_calls(const ds_model *model) {
    ds_sim *sim = NULL;
    ds_options options;
    defaults(&options);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    double x[IN] = {0.0}, y[SIZE], J[NV * NA];
    const ds_act_jacobians out = {.dv_dact = J};
    CHECK(ds_sim_step_act_jacobians(sim, &out) == DS_ERR_NO_STEP);
    CHECK(ds_sim_step_vjp_act(sim, x, x, NULL, x, NULL, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    CHECK_INVALID(ds_sim_set_act(sim, NULL), "act");
    CHECK_INVALID(ds_sim_get_act(sim, NULL), "act");
    CHECK_INVALID(ds_sim_set_act(NULL, x), "sim");
    x[1] = NAN;
    CHECK_WRONG(ds_sim_set_act(sim, x), DS_ERR_NUMERICAL, "act[1]");
    step(sim, start, y);
    CHECK_INVALID(ds_sim_step_act_jacobians(sim, NULL), "out");
    const ds_act_jacobians same = {.dq_dact = J, .dv_dact = J};
    CHECK_INVALID(ds_sim_step_act_jacobians(sim, &same), "dv_dact");
    CHECK_WRONG(ds_sim_step_jvp_act(sim, NULL, NULL, x, NULL, NULL, NULL, NULL, NULL), DS_ERR_NUMERICAL, "dact[1]");
    CHECK_WRONG(ds_sim_step_vjp_act(sim, start, start, x, NULL, NULL, y, NULL, NULL), DS_ERR_NUMERICAL, "act_next_bar[1]");
    CHECK_INVALID(ds_batch_set_act(NULL, x), "batch");
    CHECK_INVALID(ds_batch_get_act(NULL, x), "batch");
    /* A state too large for the next one. */
    const double far[NU] = {0.0, 0.0, 1e308, 1e308, 0.0};
    double huge[NA] = {0.0, -1e308, 1e308};
    CHECK_OK(ds_sim_set_act(sim, huge));
    CHECK_WRONG(ds_sim_step(sim, start, start + NV, far, y, y + NV), DS_ERR_NUMERICAL, "act[1]");
    CHECK_OK(ds_sim_get_act(sim, y));
    CHECK(y[1] == -1e308);
    ds_sim_free(sim);
    options.derivatives = 0;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    step(sim, start, y);
    CHECK_INVALID(ds_sim_step_act_jacobians(sim, &out), "derivatives");
    ds_sim_free(sim);
}

int main(void) {
    ds_model *model = load();
    models(model);
    derivatives(model);
    rollouts(model);
    batches(model);
    built(model);
    wrong_calls(model);
    ds_model_free(model);
    return report();
}
