/* Implicit integrators from C: the order of each on a pendulum, a derivative against a difference, a
 * trajectory's gradient, and refusals. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

static const double G = 9.81, LENGTH = 0.7, TIME = 0.5;

/* A point mass on a hinge. */
static ds_model *pendulum(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const double inertia[10] = {1, 0, 0, -LENGTH, LENGTH * LENGTH, 0, LENGTH * LENGTH, 0, 0, 0};
    int32_t body = -1;
    CHECK_OK(ds_builder_add_body(builder, 0, "bob", NULL, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.kind = DS_JOINT_REVOLUTE;
    joint.axis[0] = 0.0;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    if (model == NULL) exit(report());
    return model;
}

static ds_options chosen(int32_t integrator, double h) {
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    options.integrator = integrator;
    options.time_step = h;
    return options;
}

/* Where the pendulum is after TIME, by classical Runge-Kutta in small steps. */
static double exact(void) {
    const int steps = 20000;
    const double h = TIME / steps, k = G / LENGTH;
    double q = 1.0, v = 0.0;
    for (int i = 0; i < steps; i++) {
        const double a1 = -k * sin(q), v2 = v + h / 2 * a1, a2 = -k * sin(q + h / 2 * v);
        const double v3 = v + h / 2 * a2, a3 = -k * sin(q + h / 2 * v2);
        const double v4 = v + h * a3, a4 = -k * sin(q + h * v3);
        q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
}

static double run(ds_rollout *rollout, size_t steps, double q0) {
    double *q = malloc((steps + 1) * sizeof *q);
    const double v0 = 0.0;
    if (q == NULL) exit(report());
    CHECK_OK(ds_rollout_run(rollout, &q0, &v0, NULL, steps, q, NULL));
    const double end = q[steps];
    free(q);
    return end;
}

static double error_of(const ds_model *model, int32_t integrator, size_t steps) {
    const ds_options options = chosen(integrator, TIME / (double)steps);
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_rollout_create(model, &options, steps, &rollout));
    if (rollout == NULL) exit(report());
    const double end = run(rollout, steps, 1.0);
    ds_rollout_free(rollout);
    return fabs(end - exact());
}

static void orders(const ds_model *model) {
    const int32_t integrators[] = {DS_INTEGRATOR_BDF1, DS_INTEGRATOR_SDIRK2, DS_INTEGRATOR_BDF2};
    for (int k = 0; k < 3; k++) {
        const double ratio = error_of(model, integrators[k], 100) / error_of(model, integrators[k], 200);
        const double order = k == 0 ? 1.0 : 2.0;
        CHECK_NEAR(log2(ratio), order, 0.1);
    }
}

static void derivatives(const ds_model *model) {
    const ds_options options = chosen(DS_INTEGRATOR_SDIRK2, 0.02);
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    const double eps = 1e-5, v = 0.4;
    double ends[2], speeds[2], dq, dv;
    for (int side = 0; side < 2; side++) {
        const double q = 1.0 + (side == 0 ? eps : -eps);
        CHECK_OK(ds_sim_step(sim, &q, &v, NULL, &ends[side], &speeds[side]));
    }
    const double q = 1.0;
    double next, speed;
    CHECK_OK(ds_sim_step(sim, &q, &v, NULL, &next, &speed));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.iterations > 0 && info.residual < 1e-12 && info.gradient == DS_GRADIENT_EXACT);
    const ds_step_jacobians jacobians = {.dq_dq = &dq, .dv_dq = &dv};
    CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
    CHECK_NEAR(dq, (ends[0] - ends[1]) / (2 * eps), 1e-8);
    CHECK_NEAR(dv, (speeds[0] - speeds[1]) / (2 * eps), 1e-8);
    ds_sim_free(sim);
}

static void trajectory(const ds_model *model) {
    enum { STEPS = 50 };
    ds_options options = chosen(DS_INTEGRATOR_BDF2, 0.01);
    options.checkpoint_interval = 7;
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_rollout_create(model, &options, STEPS, &rollout));
    if (rollout == NULL) exit(report());
    const double eps = 1e-5;
    const double slope = (run(rollout, STEPS, 1.0 + eps) - run(rollout, STEPS, 1.0 - eps)) / (2 * eps);
    run(rollout, STEPS, 1.0);
    double q_bar[STEPS + 1] = {0}, v_bar[STEPS + 1] = {0}, q0_bar = 0.0;
    q_bar[STEPS] = 1.0;
    CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, &q0_bar, NULL, NULL, NULL));
    CHECK_NEAR(q0_bar, slope, 1e-8);
    ds_rollout_free(rollout);
}

static void refused(const ds_model *model) {
    ds_sim *sim = NULL;
    ds_options options = chosen(DS_INTEGRATOR_BDF1, 0.01);
    options.contact = DS_CONTACT_NCP;
    CHECK_WRONG(ds_sim_create(model, &options, &sim), DS_ERR_UNSUPPORTED, "options.contact");
    options = chosen(DS_INTEGRATOR_BDF1, 0.01);
    options.newton_tolerance = -1.0;
    CHECK_INVALID(ds_sim_create(model, &options, &sim), "newton_tolerance");
    options = chosen(DS_INTEGRATOR_BDF1, 0.01);
    options.max_newton = 0;
    CHECK_INVALID(ds_sim_create(model, &options, &sim), "max_newton");
    CHECK(sim == NULL);

    const double q = 1.0, v = 0.0;
    double next = 7.0, speed = 7.0;
    options = chosen(DS_INTEGRATOR_BDF2, 0.01);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK_WRONG(ds_sim_step(sim, &q, &v, NULL, &next, &speed), DS_ERR_UNSUPPORTED, "rollout");
    CHECK(next == 7.0 && speed == 7.0);
    ds_sim_free(sim);

    /* One iteration is not enough. */
    options = chosen(DS_INTEGRATOR_BDF1, 0.05);
    options.max_newton = 1;
    options.require_convergence = 1;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK_WRONG(ds_sim_step(sim, &q, &v, NULL, &next, &speed), DS_ERR_NOT_CONVERGED, "newton_tolerance");
    CHECK(next == 7.0 && speed == 7.0);
    ds_sim_free(sim);
}

int main(void) {
    ds_model *model = pendulum();
    orders(model);
    derivatives(model);
    trajectory(model);
    refused(model);
    ds_model_free(model);
    return report();
}
