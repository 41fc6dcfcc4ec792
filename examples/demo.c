/* Loads a robot, rolls it out, and shows its derivatives beside finite differences.
 *
 *     demo [FOLDER OF THE MODELS [FOLDER]]       writes demo.dsrec there (default: target)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diffsim.h"
#include "diffsim_record.h"

#define MUST(call)                                                                            \
    do {                                                                                      \
        ds_status status_ = (call);                                                           \
        if (status_ != DS_OK) {                                                               \
            fprintf(stderr, "%s: %s: %s\n", #call, ds_status_name(status_), ds_last_error()); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

static double *numbers(size_t n) {
    double *x = calloc(n, sizeof *x);
    if (x == NULL) exit(1);
    return x;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    char path[4096];
    snprintf(path, sizeof path, "%s/arm7.urdf", argc > 1 ? argv[1] : "examples/models");

    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL;
    ds_model *model = NULL;
    MUST(ds_model_load(path, &load, &model));
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    printf("diffsim %s: %s has %zu bodies, %zu degrees of freedom, %zu inputs\n\n",
           ds_version_string(), path, ds_model_nbody(model) - 1, nv, nu);

    ds_options options;
    ds_options_init(&options);
    options.time_step = 0.002;
    ds_sim *sim = NULL;
    MUST(ds_sim_create(model, &options, &sim));

    /* The arm falls for half a second under a torque on each joint. */
    enum { STEPS = 250 };
    ds_rollout *rollout = NULL;
    MUST(ds_rollout_create(model, &options, STEPS, &rollout));
    double *u = numbers(nu * STEPS), *q = numbers(nq * (STEPS + 1)), *v = numbers(nv * (STEPS + 1));
    double *q0 = numbers(nq), *v0 = numbers(nv);
    MUST(ds_model_neutral(model, q0));
    for (size_t i = 0; i < nu * STEPS; i++) u[i] = sin(0.01 * (double)i);
    MUST(ds_rollout_run(rollout, q0, v0, u, STEPS, q, v));
    printf("after %d steps of %g s:\n  joint              angle [rad]   velocity [rad/s]\n", STEPS,
           options.time_step);
    for (int32_t j = 0; j < (int32_t)ds_model_njoint(model); j++) {
        if (ds_model_joint_nv(model, j) != 1) continue;
        printf("  %-16s  %12.6f   %12.6f\n", ds_model_joint_name(model, j),
               q[nq * STEPS + (size_t)ds_model_joint_q_index(model, j)],
               v[nv * STEPS + (size_t)ds_model_joint_v_index(model, j)]);
    }

    /* Record the motion. */
    ds_recorder *recorder = NULL;
    snprintf(path, sizeof path, "%s/demo.dsrec", argc > 2 ? argv[2] : "target");
    MUST(ds_recorder_create(model, NULL, &recorder));
    MUST(ds_recorder_rollout(recorder, rollout, NULL, NULL, NULL));
    MUST(ds_recorder_save(recorder, path));
    ds_recorder_free(recorder);

    /* Jacobians of one more step, against central differences. */
    double *at = q + nq * STEPS, *speed = v + nv * STEPS, *inputs = u;
    double *q_next = numbers(nq), *v_next = numbers(nv), *moved = numbers(nq), *tangent = numbers(nv);
    double *plus = numbers(nv), *minus = numbers(nv);
    double *dv_dq = numbers(nv * nv), *dv_dv = numbers(nv * nv), *dv_du = numbers(nv * nu);
    const ds_step_jacobians jacobians = {.dv_dq = dv_dq, .dv_dv = dv_dv, .dv_du = dv_du};
    MUST(ds_sim_step(sim, at, speed, inputs, q_next, v_next));
    MUST(ds_sim_step_jacobians(sim, &jacobians));
    const double h = 1e-6;
    double worst = 0.0, largest = 0.0, shown = 0.0;
    for (size_t j = 0; j < 2 * nv + nu; j++) {
        for (int side = 0; side < 2; side++) {
            const double s = side ? -h : h;
            memset(tangent, 0, nv * sizeof *tangent);
            if (j < nv) tangent[j] = s;
            MUST(ds_model_integrate(model, at, tangent, moved));
            double *x = j < nv ? NULL : j < 2 * nv ? &speed[j - nv] : &inputs[j - 2 * nv];
            const double before = x ? *x : 0.0;
            if (x) *x += s;
            MUST(ds_sim_step(sim, moved, speed, inputs, q_next, side ? minus : plus));
            if (x) *x = before;
        }
        const double *column = j < nv ? dv_dq + nv * j : j < 2 * nv ? dv_dv + nv * (j - nv)
                                                                  : dv_du + nv * (j - 2 * nv);
        for (size_t i = 0; i < nv; i++) {
            const double difference = (plus[i] - minus[i]) / (2 * h);
            if (i == 1 && j == 3) shown = difference;
            worst = fmax(worst, fabs(difference - column[i]));
            largest = fmax(largest, fabs(column[i]));
        }
    }
    printf("\nd v_next[1] / d q[3]:       exact %.12f   by differences %.12f\n", dv_dq[1 + nv * 3],
           shown);
    printf("largest disagreement:       %.1e in %zu entries, the largest of which is %.2g\n", worst,
           nv * (2 * nv + nu), largest);

    /* The best of many repetitions. */
    double step = 1e9, derivative = 1e9;
    for (int repeat = 0; repeat < 2000; repeat++) {
        const double start = now();
        MUST(ds_sim_step(sim, at, speed, inputs, q_next, v_next));
        const double middle = now();
        MUST(ds_sim_step_jacobians(sim, &jacobians));
        const double end = now();
        step = fmin(step, middle - start);
        derivative = fmin(derivative, end - middle);
    }
    printf("time:                       %.2f us a step, %.2f us for its three Jacobians\n",
           1e6 * step, 1e6 * derivative);

    double *freed[] = {u, q, v, q0, v0, q_next, v_next, moved, tangent, plus, minus, dv_dq, dv_dv, dv_du};
    for (size_t i = 0; i < sizeof freed / sizeof *freed; i++) free(freed[i]);
    ds_rollout_free(rollout);
    ds_sim_free(sim);
    ds_model_free(model);
    return worst < 1e-6 * (1.0 + largest) ? 0 : 1;
}
