/* Derivatives in contact: which kind they are. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { MAX = 64 };

static ds_model *model;
static double q[MAX], v[MAX], u[MAX], q_next[MAX], v_next[MAX], J[MAX * MAX];

static ds_sim *standing(double tolerance) {
    ds_options options;
    ds_options_init(&options);
    options.tolerance = tolerance;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    CHECK_OK(ds_model_keyframe(model, "standing", q, v, NULL));
    return sim;
}

/* A tolerance that no solver meets: the step is taken, says so, and has no derivative. */
static void refused(void) {
    ds_sim *sim = standing(1e-300);
    for (int k = 0; k < 3; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.contacts >= 4 && info.residual > 0.0);
    CHECK(info.converged == 0 && info.gradient == DS_GRADIENT_REFUSED);
    const ds_step_jacobians out = {.dv_dv = J};
    CHECK_WRONG(ds_sim_step_jacobians(sim, &out), DS_ERR_NOT_CONVERGED, "residual");
    CHECK_WRONG(ds_sim_step_jvp(sim, v, NULL, NULL, NULL, q_next, v_next), DS_ERR_NOT_CONVERGED, "residual");
    CHECK_WRONG(ds_sim_step_vjp(sim, v, v, q_next, NULL, NULL, NULL), DS_ERR_NOT_CONVERGED, "residual");
    ds_sim_free(sim);
    sim = standing(1e-9);
    for (int k = 0; k < 3; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.converged == 1 && info.gradient == DS_GRADIENT_EXACT);
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    ds_sim_free(sim);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    if (model == NULL) return report();
    refused();
    ds_model_free(model);
    return report();
}
