/* Implicit Euler and midpoint: steps and derivatives against formulas, with every contact law, and refusals.
 * */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static const int32_t SCHEMES[2] = {DS_INTEGRATOR_IMPLICIT_EULER, DS_INTEGRATOR_MIDPOINT};
static const int32_t LAWS[4] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX, DS_CONTACT_NONE};

/* 2 kg on a slide with 300 N/m and 4 N s/m, without weight. */
static const char SLIDER[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0' stiffness='300' damping='4'/>"
    "<geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>";

/* A ball of 2 kg and 10 cm on the ground. */
static const char BALL[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1'/><body pos='0 0 0.1'><freejoint/>"
    "<geom name='ball' type='sphere' size='0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>";

static ds_model *load(const char *text) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &model));
    if (model == NULL) exit(report());
    return model;
}

static ds_options with(int32_t scheme, int32_t law, double h) {
    ds_options options;
    ds_options_init(&options);
    options.integrator = scheme;
    options.contact = law;
    options.time_step = h;
    return options;
}

static void oscillator(void) {
    ds_model *model = load(SLIDER);
    const double m = 2.0, k = 300.0, d = 4.0, h = 0.02;
    for (int s = 0; s < 2; s++) {
        for (int l = 0; l < 4; l++) {
            const double theta = s == 0 ? 1.0 : 0.5;
            const ds_options options = with(SCHEMES[s], LAWS[l], h);
            ds_sim *sim = NULL;
            CHECK_OK(ds_sim_create(model, &options, &sim));
            const ds_param list[] = {{DS_PARAM_JOINT_STIFFNESS, 0, 0}, {DS_PARAM_JOINT_DAMPING, 0, 0}};
            CHECK_OK(ds_sim_select_params(sim, list, 2));
            double q = 0.3, v = -0.5, worst = 0.0, slope = 0.0;
            for (int i = 0; i < 100; i++) {
                const double a = m + theta * h * d + theta * theta * h * h * k, x = q, w = v;
                const double w_next =
                    (m * w - h * k * (x + theta * (1.0 - theta) * h * w) - h * d * (1.0 - theta) * w) / a;
                const double rate = theta * w_next + (1.0 - theta) * w;
                CHECK_OK(ds_sim_step(sim, &q, &v, NULL, &q, &v));
                worst = fmax(worst, fmax(fabs(v - w_next), fabs(q - x - h * rate)));
                double dq_dq, dq_dv, dv_dq, dv_dv, dv_dp[2];
                const ds_step_jacobians out = {
                    .dq_dq = &dq_dq, .dq_dv = &dq_dv, .dv_dq = &dv_dq, .dv_dv = &dv_dv, .dv_dp = dv_dp};
                CHECK_OK(ds_sim_step_jacobians(sim, &out));
                const double by_q = -h * k / a;
                const double by_v = (m - h * k * theta * (1.0 - theta) * h - h * d * (1.0 - theta)) / a;
                const double by_k = -h * (x + h * theta * rate) / a, by_d = -h * rate / a;
                slope = fmax(slope, fmax(fabs(dv_dq - by_q), fabs(dv_dv - by_v)));
                slope = fmax(slope, fmax(fabs(dq_dq - 1.0 - h * theta * by_q),
                                         fabs(dq_dv - h * (theta * by_v + 1.0 - theta))));
                slope = fmax(slope, fmax(fabs(dv_dp[0] - by_k), fabs(dv_dp[1] - by_d)));
            }
            CHECK(worst < 1e-14 && slope < 1e-12);
            ds_sim_free(sim);
        }
    }
    ds_model_free(model);
}

/* It comes to rest on the ground, whose impulse is its weight. */
static void rest(void) {
    ds_model *model = load(BALL);
    for (int s = 0; s < 2; s++) {
        for (int l = 0; l < 3; l++) {
            const ds_options options = with(SCHEMES[s], LAWS[l], 2e-3);
            ds_sim *sim = NULL;
            CHECK_OK(ds_sim_create(model, &options, &sim));
            double q[7], v[6] = {0};
            CHECK_OK(ds_model_neutral(model, q));
            q[2] += 1e-3;
            for (int i = 0; i < 1000; i++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
            const ds_contact *contacts;
            size_t count;
            CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
            CHECK(count == 1);
            if (count == 1) CHECK_NEAR(contacts[0].impulse[2], 2.0 * 9.81 * 2e-3, 1e-6);
            ds_step_info info;
            CHECK_OK(ds_sim_step_info(sim, &info));
            CHECK(info.converged && info.gradient == DS_GRADIENT_EXACT);
            const double one[6] = {0, 0, 1, 0, 0, 0};
            double q_bar[6], v_bar[6];
            CHECK_OK(ds_sim_step_vjp(sim, one, one, q_bar, v_bar, NULL, NULL));
            ds_sim_free(sim);
        }
    }
    ds_model_free(model);
}

static void bad_input(void) {
    ds_model *model = load(BALL);
    ds_sim *sim = NULL;
    for (int s = 0; s < 2; s++) {
        ds_options options = with(SCHEMES[s], DS_CONTACT_NCP, 2e-3);
        options.newton_tolerance = -1.0;
        CHECK_INVALID(ds_sim_create(model, &options, &sim), "newton_tolerance");
        options = with(SCHEMES[s], DS_CONTACT_NCP, 2e-3);
        options.max_newton = 0;
        CHECK_INVALID(ds_sim_create(model, &options, &sim), "max_newton");
        CHECK(sim == NULL);
        options = with(SCHEMES[s], DS_CONTACT_NCP, 2e-3);
        CHECK_OK(ds_sim_create(model, &options, &sim));
        double q[7], v[6] = {NAN}, q_next[7] = {7.0}, v_next[6] = {7.0}, J[36];
        const ds_step_jacobians out = {.dv_dv = J};
        CHECK_OK(ds_model_neutral(model, q));
        CHECK_WRONG(ds_sim_step_jacobians(sim, &out), DS_ERR_NO_STEP, "step");
        CHECK_WRONG(ds_sim_step(sim, q, v, NULL, q_next, v_next), DS_ERR_NUMERICAL, "v[0]");
        for (int i = 0; i < 6; i++) v[i] = 1e170;
        CHECK_WRONG(ds_sim_step(sim, q, v, NULL, q_next, v_next), DS_ERR_NUMERICAL, "");
        CHECK(q_next[0] == 7.0 && v_next[0] == 7.0);
        memset(v, 0, sizeof v);
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        ds_sim_free(sim);
        sim = NULL;
    }
    ds_model_free(model);
}

int main(void) {
    oscillator();
    rest();
    bad_input();
    return report();
}
