/* Contact by penalty forces: results against formulas, derivatives, reports and refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static const double GRAVITY = 9.81;

/* A ball of 2 kg and 10 cm on the ground. */
static const char BALL[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1'/><body pos='0 0 0.1'><freejoint/>"
    "<geom name='ball' type='sphere' size='0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>";

static ds_options penalty(void) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.contact = DS_CONTACT_PENALTY;
    return options;
}

static ds_model *load(const char *text) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &model));
    if (model == NULL) exit(report());
    return model;
}

/* The numbers of a geom come from its description, those of the law where it says nothing. */
static void numbers_of_geoms(void) {
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    CHECK(isinf(geom.stiffness) && isinf(geom.tangential) && geom.dissipation == 0.01);
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const double mass[10] = {3.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.01};
    int32_t body = -1, said = -1, silent = -1;
    CHECK_OK(ds_builder_add_body(builder, 0, "body", NULL, mass, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.kind = DS_JOINT_FREE;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    geom.kind = DS_GEOM_SPHERE;
    geom.size[0] = 0.1;
    CHECK_OK(ds_builder_add_geom(builder, body, &geom, &silent));
    geom.stiffness = 5e3, geom.dissipation = 0.03, geom.tangential = 70.0;
    CHECK_OK(ds_builder_add_geom(builder, body, &geom, &said));
    struct {
        double *field;
        double value;
        const char *name;
    } bad[] = {{&geom.stiffness, 0.0, "stiffness"},
               {&geom.stiffness, NAN, "stiffness"},
               {&geom.dissipation, -0.1, "dissipation"},
               {&geom.dissipation, INFINITY, "dissipation"},
               {&geom.tangential, -1.0, "tangential"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double before = *bad[i].field;
        int32_t out = -7;
        ds_builder *other = NULL;
        *bad[i].field = bad[i].value;
        CHECK_OK(ds_builder_create(&other));
        ds_status status = ds_builder_add_geom(other, 0, &geom, &out);
        ds_model *none = NULL;
        if (status == DS_OK) status = ds_builder_build(other, &none);
        CHECK(status == DS_ERR_INVALID_ARGUMENT && strstr(ds_last_error(), bad[i].name) != NULL && none == NULL);
        ds_builder_free(other);
        *bad[i].field = before;
    }
    ds_model *model = NULL;
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    const ds_options options = penalty();
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const int32_t kinds[] = {DS_PARAM_CONTACT_STIFFNESS, DS_PARAM_CONTACT_DISSIPATION, DS_PARAM_CONTACT_TANGENTIAL};
    ds_param list[6];
    for (int i = 0; i < 6; i++) list[i] = (ds_param){kinds[i / 2], i % 2 ? said : silent, 0};
    double p[6];
    CHECK_OK(ds_sim_select_params(sim, list, 6));
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[1] == 5e3 && p[2] == 0.01 && p[3] == 0.03 && p[5] == 70.0);
    /* Four points of the ball move as a quarter of 1/(1/m + 2/3 r²/I): the stiffness that is stable on these
     * in a step of 1 ms. */
    const double h = options.time_step, moved = 0.25 / (1.0 / 3.0 + 2.0 / 3.0 * 0.01 / 0.01);
    CHECK_NEAR(p[0], 3.0 * moved / (h * (h + 0.04)), 1e-6);
    CHECK_NEAR(p[4], moved / h, 1e-9);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* A ball that comes down on its spring and damper: each step by the formula, with its derivatives. */
static void spring(void) {
    ds_model *model = load(BALL);
    const ds_options options = penalty();
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const int32_t ground = ds_model_geom_id(model, "ground"), ball = ds_model_geom_id(model, "ball");
    const ds_param list[] = {{DS_PARAM_CONTACT_STIFFNESS, ball, 0},
                             {DS_PARAM_CONTACT_STIFFNESS, ground, 0},
                             {DS_PARAM_CONTACT_DISSIPATION, ball, 0}};
    CHECK_OK(ds_sim_select_params(sim, list, 3));
    double p[3];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[0] > 1e3 && p[0] <= 2e4 && isinf(p[1]) && p[2] == 0.01);
    const double some[3] = {3000.0, 1500.0, 0.03}, m = 2.0, h = options.time_step, touch = 0.01, k = 1000.0, tau = 0.04;
    CHECK_OK(ds_sim_set_params(sim, some));
    double q[7], v[6] = {0}, J[3 * 6], height = 0.001, speed = -0.3, worst = 0.0, worst_slope = 0.0;
    const ds_step_jacobians out = {.dv_dp = J};
    CHECK_OK(ds_model_neutral(model, q));
    q[2] += height, v[2] = speed;
    ds_step_info info;
    const ds_contact *contacts;
    size_t count;
    for (int i = 0; i < 4000; i++) {
        const double x = -height, fade = x + tau * touch;
        const int holds = x > 0.0 && x - tau * x / fade * speed > 0.0;
        const double force = holds ? k * (x - tau * x / fade * speed) : 0.0;
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(count == (size_t)(x >= 0.0) && info.contacts == count && info.gradient == DS_GRADIENT_EXACT);
        if (count == 1) {
            CHECK_NEAR(contacts[0].impulse[2], h * force, 1e-12);
            CHECK(contacts[0].mode == (holds ? DS_MODE_STICKING : DS_MODE_BREAKING));
        }
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        const double by_k = holds ? h / m * force / k : 0.0;
        const double by_tau = holds ? -h / m * k * x * x / (fade * fade) * speed : 0.0;
        const double expected[3] = {by_k * pow(k / some[0], 2), by_k * pow(k / some[1], 2), by_tau};
        for (int j = 0; j < 3; j++) worst_slope = fmax(worst_slope, fabs(J[6 * j + 2] - expected[j]));
        speed += h * (force / m - GRAVITY), height += h * speed;
        worst = fmax(worst, fmax(fabs(v[2] - speed), fabs(q[2] - 0.1 - height)));
    }
    printf("spring: path %.1e, derivatives %.1e, at rest %.6f m\n", worst, worst_slope, height);
    CHECK(worst < 1e-10 && worst_slope < 1e-10);
    CHECK_NEAR(q[2] - 0.1, -m * GRAVITY / k, 1e-9);

    const double refused[][3] = {
        {INFINITY, 1500.0, 0.03}, {0.0, 1500.0, 0.03}, {3000.0, -1.0, 0.03}, {3000.0, 1500.0, -1.0}};
    for (int i = 0; i < 4; i++) {
        CHECK(ds_sim_set_params(sim, refused[i]) != DS_OK && strstr(ds_last_error(), "p[") != NULL);
        CHECK_OK(ds_sim_get_params(sim, p));
        CHECK(memcmp(p, some, sizeof p) == 0);
    }
    ds_sim_free(sim);
    ds_model_free(model);
}

/* A ball that slips: forward against reverse mode, and friction against the slip at its bound. */
static void slip(void) {
    ds_model *model = load(BALL);
    const ds_options options = penalty();
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const ds_param list[] = {{DS_PARAM_CONTACT_TANGENTIAL, ds_model_geom_id(model, "ball"), 0},
                             {DS_PARAM_GEOM_SIZE, ds_model_geom_id(model, "ball"), 0}};
    CHECK_OK(ds_sim_select_params(sim, list, 2));
    double q[7], v[6] = {0.1, 0.0, 0.0, 0.3, -0.2, 0.1}, qn[7], vn[6];
    CHECK_OK(ds_model_neutral(model, q));
    q[2] -= 1e-3;
    for (int fast = 0; fast < 2; fast++) {
        v[0] = fast ? 2.0 : 0.01;
        CHECK_OK(ds_sim_step(sim, q, v, NULL, qn, vn));
        const ds_contact *contacts;
        size_t count;
        CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
        CHECK(count == 1 && contacts[0].mode == (fast ? DS_MODE_SLIDING : DS_MODE_STICKING));
        const double *f = contacts[0].impulse, along = hypot(f[0], f[1]);
        if (fast) CHECK_NEAR(along, 1.0 * f[2], 1e-14);
        CHECK(fast || along < f[2]);
        const double dq[6] = {0.3, -0.1, 0.2, 0.4, 0.5, -0.6}, dv[6] = {0.2, 0.1, -0.3, 0.5, -0.4, 0.6};
        const double dp[2] = {30.0, 0.01};
        const double qb[6] = {1.0, -2.0, 0.5, 0.3, 0.7, -0.2}, vb[6] = {0.6, 0.4, -1.0, 0.2, 0.1, 0.9};
        double dqn[6], dvn[6], q_bar[6], v_bar[6], p_bar[2], forward = 0.0, reverse = 0.0;
        CHECK_OK(ds_sim_step_jvp(sim, dq, dv, NULL, dp, dqn, dvn));
        CHECK_OK(ds_sim_step_vjp(sim, qb, vb, q_bar, v_bar, NULL, p_bar));
        for (int i = 0; i < 6; i++) {
            forward += qb[i] * dqn[i] + vb[i] * dvn[i];
            reverse += q_bar[i] * dq[i] + v_bar[i] * dv[i];
        }
        for (int i = 0; i < 2; i++) reverse += p_bar[i] * dp[i];
        CHECK_NEAR(forward, reverse, 1e-12 * fmax(1.0, fabs(forward)));
        double impulses[3] = {7.0, 7.0, 7.0};
        int32_t unique = -7;
        CHECK_WRONG(ds_sim_impulse_jvp(sim, dq, dv, NULL, dp, impulses, &unique), DS_ERR_UNSUPPORTED, "DS_CONTACT_PENALTY");
        CHECK(impulses[0] == 7.0 && unique == -7);
    }
    ds_sim_free(sim);
    ds_model_free(model);
}

static void refused(void) {
    static const char *texts[][2] = {
        {"<mujoco><worldbody><body><joint name='dry' frictionloss='0.1'/><geom size='0.1' mass='1'/></body></worldbody>"
         "</mujoco>",
         "\"dry\""},
        {"<mujoco><worldbody><body name='a'><joint/><geom size='0.1' mass='1'/></body></worldbody><equality>"
         "<connect name='tie' body1='a' anchor='0 0 0.1'/></equality></mujoco>",
         "\"tie\""},
    };
    const ds_options options = penalty();
    ds_sim *sim = NULL;
    for (int i = 0; i < 2; i++) {
        ds_model *model = load(texts[i][0]);
        CHECK_WRONG(ds_sim_create(model, &options, &sim), DS_ERR_UNSUPPORTED, texts[i][1]);
        ds_model_free(model);
    }
    ds_model *model = load(BALL);
    ds_options wrong = penalty();
    wrong.kd = 0.5;
    CHECK_INVALID(ds_sim_create(model, &wrong, &sim), "options.kd must be 0");
    CHECK(sim == NULL);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const ds_param none[] = {{DS_PARAM_CONTACT_TANGENTIAL, 99, 0},
                             {DS_PARAM_CONTACT_TANGENTIAL, 0, 1},
                             {DS_PARAM_STABILIZATION, 0, 0},
                             {DS_PARAM_GEOM_RESTITUTION, 0, 0}};
    for (int i = 0; i < 4; i++) {
        const ds_status expected = i < 2 ? DS_ERR_INVALID_ARGUMENT : DS_ERR_UNSUPPORTED;
        CHECK_WRONG(ds_sim_select_params(sim, &none[i], 1), expected, "params[0]");
    }
    ds_sim_free(sim);
    ds_options rigid;
    ds_options_init(&rigid);
    rigid.time_step = 1e-3;
    CHECK_OK(ds_sim_create(model, &rigid, &sim));
    const ds_param tangential = {DS_PARAM_CONTACT_TANGENTIAL, 0, 0};
    CHECK_WRONG(ds_sim_select_params(sim, &tangential, 1), DS_ERR_UNSUPPORTED, "DS_PARAM_CONTACT_TANGENTIAL");
    ds_sim_free(sim);
    ds_model_free(model);
}

int main(void) {
    numbers_of_geoms();
    spring();
    slip();
    refused();
    return report();
}
