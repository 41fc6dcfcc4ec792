/* Impacts that rebound, from C: steps and reports, derivatives in all forms, rollouts and batches, and
 * refusals. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 7, NV = 6, Z = 2, STEPS = 60, COUNT = 2 };

static const double E = 0.6, RADIUS = 0.1, H = 1e-3;

/* A ball above the ground, whose restitution is that of the pair. */
static ds_status ball(double restitution, ds_model **model) {
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    CHECK(geom.restitution == 0.0);
    geom.name = "ground";
    geom.kind = DS_GEOM_PLANE;
    CHECK_OK(ds_builder_add_geom(builder, 0, &geom, NULL));
    const double inertia[10] = {0.5, 0, 0, 0, 2e-3, 0, 2e-3, 0, 0, 2e-3};
    int32_t body = -1;
    CHECK_OK(ds_builder_add_body(builder, 0, "ball", NULL, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.kind = DS_JOINT_FREE;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    ds_geom_desc_init(&geom);
    geom.name = "ball";
    geom.size[0] = RADIUS;
    geom.restitution = restitution;
    const ds_status status = ds_builder_add_geom(builder, body, &geom, NULL);
    if (status == DS_OK) CHECK_OK(ds_builder_build(builder, model));
    ds_builder_free(builder);
    return status;
}

static ds_sim *create(const ds_model *model, int32_t contact) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    CHECK(options.restitution_threshold == 0.01);
    options.contact = contact;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

static void start(double *q, double *v) {
    const double at[NQ] = {0, 0, RADIUS + 5e-4, 0, 0, 0, 1}, fast[NV] = {0, 0, -2, 0, 0, 0};
    memcpy(q, at, sizeof at);
    memcpy(v, fast, sizeof fast);
}

/* One step that rebounds, and its derivatives by z, its speed and e. */
static void rebound(const ds_model *model, int32_t contact) {
    ds_sim *sim = create(model, contact);
    const ds_param list[] = {{DS_PARAM_GEOM_RESTITUTION, ds_model_geom_id(model, "ball"), 0}};
    CHECK_OK(ds_sim_select_params(sim, list, 1));
    double q[NQ], v[NV], p = NAN;
    CHECK_OK(ds_sim_get_params(sim, &p));
    CHECK(p == E);
    start(q, v);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.contacts == 1 && info.impacts == 1 && info.gradient == DS_GRADIENT_EXACT);
    CHECK_NEAR(v[Z], 2.0 * E, 1e-12);
    CHECK_NEAR(q[Z], RADIUS + 5e-4 + H * 2.0 * E, 1e-12);
    static double qq[NV * NV], qv[NV * NV], vq[NV * NV], vv[NV * NV], qp[NV], vp[NV];
    const ds_step_jacobians out = {
        .dq_dq = qq, .dq_dv = qv, .dv_dq = vq, .dv_dv = vv, .dq_dp = qp, .dv_dp = vp};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    const size_t zz = Z * NV + Z;
    CHECK_NEAR(qq[zz], -E, 1e-12);
    CHECK_NEAR(qv[zz], -E * H, 1e-12);
    CHECK_NEAR(vq[zz], 0.0, 1e-9);
    CHECK_NEAR(vv[zz], -E, 1e-12);
    CHECK_NEAR(qp[Z], 2.0 * H, 1e-12);
    CHECK_NEAR(vp[Z], 2.0, 1e-12);
    /* Directions and adjoints are those of the Jacobians. */
    double one[NV] = {0}, dq[NV], dv[NV], q_bar[NV], v_bar[NV], p_bar;
    one[Z] = 1.0;
    CHECK_OK(ds_sim_step_jvp(sim, one, NULL, NULL, NULL, dq, dv));
    CHECK_OK(ds_sim_step_vjp(sim, one, one, q_bar, v_bar, NULL, &p_bar));
    for (size_t i = 0; i < NV; i++) {
        CHECK_NEAR(dq[i], qq[Z * NV + i], 1e-12);
        CHECK_NEAR(dv[i], vq[Z * NV + i], 1e-12);
        CHECK_NEAR(q_bar[i], qq[i * NV + Z] + vq[i * NV + Z], 1e-12);
        CHECK_NEAR(v_bar[i], qv[i * NV + Z] + vv[i * NV + Z], 1e-12);
    }
    CHECK_NEAR(p_bar, qp[Z] + vp[Z], 1e-12);
    /* Another e at once. */
    const double half = 0.5;
    CHECK_OK(ds_sim_set_params(sim, &half));
    start(q, v);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_NEAR(v[Z], 1.0, 1e-12);
    const double wrong[] = {-0.1, 1.5};
    for (int i = 0; i < 2; i++)
        CHECK_INVALID(ds_sim_set_params(sim, &wrong[i]), "DS_PARAM_GEOM_RESTITUTION must be in [0, 1]");
    CHECK_OK(ds_sim_get_params(sim, &p));
    CHECK(p == half);
    ds_sim_free(sim);
}

/* Rollouts and batches do the same steps, and adjoints of both are products of the steps' Jacobians. */
static void runs(const ds_model *model) {
    double q0[COUNT * NQ], v0[COUNT * NV], q[NQ], v[NV], by_q[NV] = {0}, next[NV], dv[NV] = {0}, dv_next[NV];
    for (size_t i = 0; i < COUNT; i++) start(q0 + i * NQ, v0 + i * NV);
    v0[NV + Z] = -1.0;
    ds_sim *sim = create(model, DS_CONTACT_NCP);
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_rollout_create(model, NULL, STEPS, &rollout));
    static double qs[NQ * (STEPS + 1)], q_bar[NV * (STEPS + 1)], v_bar[NV * (STEPS + 1)];
    CHECK_OK(ds_rollout_run(rollout, q0, v0, NULL, STEPS, qs, NULL));
    q_bar[NV * STEPS + Z] = 1.0;
    double q0_bar[NV];
    CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, q0_bar, NULL, NULL, NULL));
    memcpy(q, q0, sizeof q);
    memcpy(v, v0, sizeof v);
    by_q[Z] = 1.0;
    uint64_t impacts = 0;
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        ds_step_info info;
        CHECK_OK(ds_sim_step_info(sim, &info));
        impacts += info.impacts;
        CHECK_OK(ds_sim_step_jvp(sim, by_q, dv, NULL, NULL, next, dv_next));
        memcpy(by_q, next, sizeof by_q);
        memcpy(dv, dv_next, sizeof dv);
    }
    CHECK(impacts > 0 && memcmp(q, qs + NQ * STEPS, sizeof q) == 0);
    CHECK_NEAR(q0_bar[Z], by_q[Z], 1e-12);
    ds_rollout_free(rollout);
    ds_sim_free(sim);

    ds_batch *batch = NULL;
    CHECK_OK(ds_batch_create(model, NULL, COUNT, 2, &batch));
    double q1[COUNT * NQ], v1[COUNT * NV];
    ds_status each[COUNT];
    CHECK_OK(ds_batch_step(batch, q0, v0, NULL, q1, v1, each));
    for (size_t i = 0; i < COUNT; i++) {
        ds_step_info info;
        CHECK_OK(ds_batch_step_info(batch, i, &info));
        CHECK(info.impacts == 1);
        CHECK_NEAR(v1[i * NV + Z], -E * v0[i * NV + Z], 1e-12);
    }
    ds_batch_free(batch);
}

static void refused(const ds_model *model) {
    ds_model *none = NULL;
    const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) CHECK_INVALID(ball(wrong[i], &none), "restitution");
    CHECK(none == NULL);
    ds_options options;
    ds_sim *sim = NULL;
    const double thresholds[] = {-1.0, NAN};
    for (int i = 0; i < 2; i++) {
        ds_options_init(&options);
        options.time_step = 1e-3;
        options.restitution_threshold = thresholds[i];
        CHECK_INVALID(ds_sim_create(model, &options, &sim), "restitution_threshold");
    }
    /* A program that was compiled before it was there has its default. */
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.restitution_threshold = -1.0;
    options.struct_size = offsetof(ds_options, restitution_threshold);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    ds_sim_free(sim);
    /* Compliant contacts have dissipation instead: the parameter is refused, the model is not. */
    sim = create(model, DS_CONTACT_CONVEX);
    const ds_param list[] = {{DS_PARAM_GEOM_RESTITUTION, ds_model_geom_id(model, "ball"), 0}};
    CHECK_WRONG(ds_sim_select_params(sim, list, 1), DS_ERR_UNSUPPORTED, "DS_PARAM_CONTACT_DISSIPATION");
    double q[NQ], v[NV];
    start(q, v);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.impacts == 0 && v[Z] < 0.1);
    ds_sim_free(sim);
}

int main(void) {
    ds_model *model = NULL;
    CHECK_OK(ball(E, &model));
    if (model == NULL) return report();
    double e = NAN;
    CHECK_OK(ds_model_geom_restitution(model, ds_model_geom_id(model, "ball"), &e));
    CHECK(e == E);
    rebound(model, DS_CONTACT_NCP);
    rebound(model, DS_CONTACT_LCP);
    runs(model);
    refused(model);
    ds_model_free(model);
    return report();
}
