/* The friction pyramid from C: friction and reports of a sliding block, beside the cone, its derivatives in
 * all forms, refusals; and the complementarity-aware gradient with both rigid laws. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 7, NV = 6, MASS = 2 };

static const double MU = 0.4, H = 1e-3, G = 9.81, HALF = 0.1;

/* A cube that touches the ground. */
static ds_model *cube(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    CHECK_OK(ds_builder_create(&builder));
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.name = "ground";
    geom.kind = DS_GEOM_PLANE;
    geom.friction[0] = MU;
    CHECK_OK(ds_builder_add_geom(builder, 0, &geom, NULL));
    const double inertia[10] = {MASS, 0, 0, 0, 0.01, 0, 0.01, 0, 0, 0.01};
    int32_t body = -1;
    CHECK_OK(ds_builder_add_body(builder, 0, "cube", NULL, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.kind = DS_JOINT_FREE;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    ds_geom_desc_init(&geom);
    geom.name = "cube";
    geom.kind = DS_GEOM_BOX;
    geom.friction[0] = 0.1;
    for (int k = 0; k < 3; k++) geom.size[k] = HALF;
    CHECK_OK(ds_builder_add_geom(builder, body, &geom, NULL));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    if (model == NULL) exit(report());
    return model;
}

static ds_sim *create(const ds_model *model, int32_t contact) {
    ds_options options;
    ds_options_init(&options);
    options.contact = contact;
    options.time_step = H;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

/* A step with a horizontal velocity; the contacts agree in mode and bound. */
static void slide(ds_sim *sim, double vx, double vy, double *v, ds_contact_mode mode, int32_t at_bound) {
    const double q[NQ] = {0, 0, HALF, 0, 0, 0, 1}, start[NV] = {vx, vy};
    double next[NQ];
    CHECK_OK(ds_sim_reset(sim));
    CHECK_OK(ds_sim_step(sim, q, start, NULL, next, v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.converged && info.residual < 1e-12 && info.contacts == 4);
    const ds_contact *contacts = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    double weight = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(contacts[i].mode == mode && contacts[i].at_bound == at_bound);
        weight += contacts[i].impulse[2];
        for (int k = 0; k < 2; k++) {
            const double bound = MU * contacts[i].impulse[2], along = fabs(contacts[i].impulse[k]);
            if (at_bound & (1 << k))
                CHECK_NEAR(along, bound, 1e-14);
            else if (at_bound)
                CHECK(along < bound);
        }
    }
    CHECK_NEAR(weight, MASS * G * H, 1e-12);
}

static void directions(const ds_model *model) {
    ds_sim *cone = create(model, DS_CONTACT_NCP), *pyramid = create(model, DS_CONTACT_LCP);
    const double brake = MU * G * H;
    double v[NV];
    slide(cone, 1, 0, v, DS_MODE_SLIDING, 0);
    CHECK_NEAR(v[0], 1 - brake, 1e-12);
    /* The tangents of a level floor lie along x and y. */
    const ds_contact *contacts = NULL;
    size_t count = 0;
    slide(pyramid, 0, 0, v, DS_MODE_STICKING, 0);
    CHECK_OK(ds_sim_contacts(pyramid, &contacts, &count));
    const int first_is_x = fabs(contacts[0].tangents[0]) > 0.5;
    slide(pyramid, 1, 0, v, DS_MODE_SLIDING, first_is_x ? 1 : 2);
    CHECK_NEAR(v[0], 1 - brake, 1e-12);
    slide(pyramid, 0, -1, v, DS_MODE_SLIDING, first_is_x ? 2 : 1);
    CHECK_NEAR(v[1], -1 + brake, 1e-12);
    /* Between them a pyramid brakes by more, and turns what is nearer to one of them towards it. */
    slide(pyramid, 1, 0.5, v, DS_MODE_SLIDING, 3);
    CHECK_NEAR(v[0], 1 - brake, 1e-12);
    CHECK_NEAR(v[1], 0.5 - brake, 1e-12);
    slide(cone, 1, 0.5, v, DS_MODE_SLIDING, 0);
    CHECK_NEAR(v[1], 0.5 * v[0], 1e-12);
    CHECK_NEAR(hypot(v[0], v[1]), hypot(1, 0.5) - brake, 1e-12);
    slide(pyramid, 0.5 * brake, 0.5 * brake, v, DS_MODE_STICKING, 0);
    CHECK_NEAR(hypot(v[0], v[1]), 0, 1e-12);
    ds_sim_free(cone);
    ds_sim_free(pyramid);
}

/* Columns of the Jacobians by the velocity and the friction against differences, and the same numbers from
 * both modes. */
static void derivatives(const ds_model *model) {
    ds_sim *sim = create(model, DS_CONTACT_LCP);
    const ds_param list[] = {{DS_PARAM_GEOM_FRICTION, ds_model_geom_id(model, "ground"), 0}};
    CHECK_OK(ds_sim_select_params(sim, list, 1));
    const double q[NQ] = {0, 0, HALF, 0, 0, 0, 1}, v[NV] = {1, 0.3, 0, 0, 0, 0.05}, bar[NV] = {1, -2, 3, 0.5, -1, 0.7};
    double next[NQ], ends[2][NV], p = NAN;
    static double vv[NV * NV], vp[NV];
    const ds_step_jacobians out = {.dv_dv = vv, .dv_dp = vp};
    CHECK_OK(ds_sim_step(sim, q, v, NULL, next, ends[0]));
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.gradient == DS_GRADIENT_EXACT);
    const double zero[NV] = {0};
    double v_bar[NV], p_bar = NAN;
    CHECK_OK(ds_sim_step_vjp(sim, zero, bar, NULL, v_bar, NULL, &p_bar));
    double sum = 0;
    for (int k = 0; k < NV; k++) sum += bar[k] * vp[k];
    CHECK_NEAR(sum, p_bar, 1e-12);
    const double eps = 1e-6;
    for (int k = 0; k < NV; k++) {
        double dq_next[NV], dv_next[NV], unit[NV] = {0};
        unit[k] = 1;
        CHECK_OK(ds_sim_step_jvp(sim, NULL, unit, NULL, NULL, dq_next, dv_next));
        sum = 0;
        for (int r = 0; r < NV; r++) {
            CHECK_NEAR(dv_next[r], vv[k * NV + r], 1e-12);
            sum += bar[r] * dv_next[r];
        }
        CHECK_NEAR(sum, v_bar[k], 1e-12);
    }
    for (int k = 0; k <= NV; k++) {
        CHECK_OK(ds_sim_get_params(sim, &p));
        for (int side = 0; side < 2; side++) {
            const double by = side ? -eps : eps, moved = p + by;
            double from[NV];
            memcpy(from, v, sizeof from);
            if (k < NV) from[k] += by;
            if (k == NV) CHECK_OK(ds_sim_set_params(sim, &moved));
            CHECK_OK(ds_sim_step(sim, q, from, NULL, next, ends[side]));
        }
        CHECK_OK(ds_sim_set_params(sim, &p));
        const double *exact = k < NV ? vv + k * NV : vp;
        for (int r = 0; r < NV; r++) CHECK_NEAR((ends[0][r] - ends[1][r]) / (2 * eps), exact[r], 1e-7);
    }
    ds_sim_free(sim);
}

static void refused(const ds_model *model) {
    ds_sim *sim = create(model, DS_CONTACT_LCP);
    const ds_param stiffness = {DS_PARAM_CONTACT_STIFFNESS, 0, 0};
    CHECK_WRONG(ds_sim_select_params(sim, &stiffness, 1), DS_ERR_UNSUPPORTED, "params[0]");
    double v[NV], jacobian[NV * NV];
    slide(sim, 0, 0, v, DS_MODE_STICKING, 0);
    ds_smoothing smoothing;
    ds_smoothing_init(&smoothing);
    smoothing.method = DS_SMOOTHING_CENTRAL_PATH;
    jacobian[0] = 7;
    const ds_step_jacobians out = {.dv_dv = jacobian};
    CHECK_WRONG(ds_sim_smoothed_jacobians(sim, &smoothing, &out, NULL), DS_ERR_UNSUPPORTED, "smoothing.method");
    CHECK(jacobian[0] == 7);
    ds_sim_free(sim);
}

/* A cube at rest that is to rise, or to sink: the exact gradient by its velocity is zero. */
static void aware(const ds_model *model, int32_t contact) {
    ds_sim *sim = create(model, contact);
    double v[NV], v_bar[NV], q_bar[NV];
    slide(sim, 0, 0, v, DS_MODE_STICKING, 0);
    for (int up = 0; up < 2; up++) {
        const double zero[NV] = {0}, next_bar[NV] = {0, 0, up ? -1 : 1};
        int32_t which = -1;
        size_t contacts = 99;
        CHECK_OK(ds_sim_step_vjp(sim, zero, next_bar, NULL, v_bar, NULL, NULL));
        CHECK_NEAR(v_bar[2], 0, 1e-9);
        CHECK_OK(ds_sim_step_vjp_aware(sim, zero, next_bar, q_bar, v_bar, NULL, NULL, &which));
        CHECK_OK(ds_sim_aware_contacts(sim, &contacts));
        CHECK(which == up && contacts == (up ? 4u : 0u));
        CHECK_NEAR(v_bar[2], up ? -1 : 0, 1e-9);
        CHECK_OK(ds_sim_step_vjp(sim, zero, next_bar, NULL, v_bar, NULL, NULL));
        CHECK_NEAR(v_bar[2], 0, 1e-9);
    }
    ds_sim_free(sim);
}

/* The same in every step of a rollout. */
static void aware_rollout(const ds_model *model, int32_t contact) {
    enum { STEPS = 5 };
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    CHECK(options.aware_gradient == 0);
    options.contact = contact;
    for (int on = 0; on < 2; on++) {
        options.aware_gradient = on;
        ds_rollout *rollout = NULL;
        CHECK_OK(ds_rollout_create(model, &options, STEPS, &rollout));
        const double q[NQ] = {0, 0, HALF, 0, 0, 0, 1}, v[NV] = {0};
        CHECK_OK(ds_rollout_run(rollout, q, v, NULL, STEPS, NULL, NULL));
        double q_bar[NV * (STEPS + 1)] = {0}, v_bar[NV * (STEPS + 1)] = {0}, v0[NV];
        v_bar[STEPS * NV + 2] = -1;
        size_t steps = 99, contacts = 99;
        CHECK_WRONG(ds_rollout_aware_report(rollout, &steps, &contacts), DS_ERR_NO_STEP, "adjoint");
        CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, NULL, v0, NULL, NULL));
        CHECK_OK(ds_rollout_aware_report(rollout, &steps, &contacts));
        CHECK(steps == (on ? STEPS : 0u) && contacts == (on ? 4u * STEPS : 0u));
        CHECK_NEAR(v0[2], on ? -1 : 0, 1e-9);
        ds_rollout_free(rollout);
    }
}

int main(void) {
    ds_model *model = cube();
    directions(model);
    derivatives(model);
    refused(model);
    static const int32_t rigid[] = {DS_CONTACT_NCP, DS_CONTACT_LCP};
    for (int i = 0; i < 2; i++) {
        aware(model, rigid[i]);
        aware_rollout(model, rigid[i]);
    }
    ds_model_free(model);
    return report();
}
