/* Inverse kinematics of the seven-joint arm: reached targets, derivatives against differences and each other,
 * and refusals. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "diffsim_ik.h"

enum { NV = 7 };

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    ds_model *model = NULL;
    CHECK(ds_model_load(model_path(argv, "arm7.urdf"), NULL, &model) == DS_OK);
    CHECK(ds_model_nv(model) == NV);
    ds_sim *sim = NULL;
    CHECK(ds_sim_create(model, NULL, &sim) == DS_OK);
    ds_ik_options options;
    ds_ik_options_init(&options);
    options.max_restarts = 10;
    ds_ik *ik = NULL;
    CHECK(ds_ik_create(model, &options, &ik) == DS_OK);
    const int32_t body = (int32_t)ds_model_nbody(model) - 1;
    int32_t hand = -1, posture = -1;
    ds_ik_task task;
    ds_ik_task_init(&task);
    CHECK(ds_ik_add_task(ik, NULL, &hand) == DS_ERR_INVALID_ARGUMENT);
    task.body = 99;
    CHECK(ds_ik_add_task(ik, &task, &hand) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "task.body"));
    task.body = body;
    task.weight = -1.0;
    CHECK(ds_ik_add_task(ik, &task, &hand) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "task.weight"));
    task.weight = 1.0;
    CHECK(ds_ik_add_task(ik, &task, &hand) == DS_OK && hand == 0);
    ds_ik_task_init(&task);
    task.kind = DS_IK_POSTURE;
    task.weight = 0.1;
    CHECK(ds_ik_add_task(ik, &task, &posture) == DS_OK && posture == 1 && ds_ik_ntask(ik) == 2);
    CHECK(ds_ik_target_size(ik, hand) == 16 && ds_ik_target_size(ik, posture) == NV && ds_ik_target_size(ik, 5) == 0);
    CHECK(ds_ik_residual_size(ik, hand) == 6 && ds_ik_variation_size(ik) == 6 + NV);

    double at[NV], q[NV], start[NV] = {0}, rest[NV] = {0};
    for (int k = 0; k < NV; k++) at[k] = 0.3 + 0.1 * k, rest[k] = 0.05 * k;
    double *places = malloc(sizeof(double) * 16 * ds_model_nbody(model));
    CHECK(places != NULL && ds_forward_kinematics(sim, at, places) == DS_OK);
    const double *target = places + 16 * body;
    CHECK(ds_ik_solve(ik, start, q, NULL) == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), "no target"));
    CHECK(ds_ik_set_target(ik, hand, target) == DS_OK);
    CHECK(ds_ik_set_target(ik, 7, target) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_ik_set_target(ik, posture, rest) == DS_OK);
    ds_ik_info info;
    CHECK(ds_ik_gradient(ik, NULL, NULL) == DS_ERR_NO_STEP);

    /* The posture weighed against the hand: the only least near by, whose derivative is that of differences.
     * */
    CHECK(ds_ik_solve(ik, at, q, &info) == DS_OK && info.outcome != DS_IK_ITERATIONS && info.slope < 1e-10);
    ds_gradient gradient;
    int32_t unique = -1;
    CHECK(ds_ik_gradient(ik, &gradient, &unique) == DS_OK && gradient == DS_GRADIENT_EXACT && unique == 1);
    double jacobian[NV * (6 + NV)], dq[NV], bar[6 + NV], unit[6 + NV] = {0}, moved[16], ends[2][NV];
    CHECK(ds_ik_jacobian(ik, jacobian) == DS_OK);
    unit[1] = 1.0;
    CHECK(ds_ik_jvp(ik, unit, dq) == DS_OK && ds_ik_vjp(ik, dq, bar) == DS_OK);
    double forward = 0.0;
    for (int k = 0; k < NV; k++) forward += dq[k] * dq[k];
    CHECK(fabs(bar[1] - forward) < 1e-10 * (1.0 + forward));
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        memcpy(moved, target, sizeof moved);
        moved[13] += side ? -h : h;
        CHECK(ds_ik_set_target(ik, hand, moved) == DS_OK && ds_ik_solve(ik, q, ends[side], &info) == DS_OK);
    }
    for (int k = 0; k < NV; k++) {
        CHECK(fabs(dq[k] - jacobian[NV + k]) < 1e-12);
        CHECK(fabs((ends[0][k] - ends[1][k]) / (2.0 * h) - dq[k]) < 1e-5);
    }

    /* The hand alone: reached, by one of many configurations. */
    CHECK(ds_ik_set_target(ik, hand, target) == DS_OK && ds_ik_set_weight(ik, posture, 0.0) == DS_OK);
    CHECK(ds_ik_solve(ik, start, q, &info) == DS_OK && info.outcome == DS_IK_SOLVED && info.residual <= 1e-10);
    double residual[6];
    CHECK(ds_ik_residual(ik, hand, residual) == DS_OK);
    for (int k = 0; k < 6; k++) CHECK(fabs(residual[k]) <= 1e-10);
    CHECK(ds_ik_gradient(ik, NULL, &unique) == DS_OK && unique == 0);
    start[2] = NAN;
    CHECK(ds_ik_solve(ik, start, q, &info) == DS_ERR_NUMERICAL && strstr(ds_last_error(), "q0[2]"));
    options.tolerance = -1.0;
    ds_ik *none = NULL;
    CHECK(ds_ik_create(model, &options, &none) == DS_ERR_INVALID_ARGUMENT && none == NULL);

    free(places);
    ds_ik_free(ik);
    ds_ik_free(NULL);
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
