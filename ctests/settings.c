/* Time step and integrator of a model's file, inertias that no body has and their coordinates, contacts that
 * are too deep. */
#include <math.h>
#include <string.h>

#include "check.h"

static ds_model *load(const char *option) {
    static char text[1024];
    snprintf(text, sizeof text,
             "<mujoco>%s<worldbody><geom type='plane' size='1 1 1'/><body name='b' pos='0 0 .2'><freejoint/>"
             "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>",
             option);
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &model));
    return model;
}

static void of_the_file(void) {
    static const struct {
        const char *option;
        double time_step;
        int32_t integrator;
    } cases[] = {
        {"", 0.002, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD},
        {"<option timestep='.004'/>", 0.004, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD},
        {"<option integrator='Euler'/>", 0.002, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD},
        {"<option integrator='implicitfast'/>", 0.002, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD},
        {"<option integrator='implicit'/>", 0.002, DS_INTEGRATOR_IMPLICIT_EULER},
        {"<option integrator='RK4' timestep='.01'/>", 0.01, DS_INTEGRATOR_MIDPOINT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ds_model *model = load(cases[i].option);
        ds_sim *sim = NULL;
        ds_rollout *rollout = NULL;
        ds_batch *batch = NULL;
        CHECK(ds_model_time_step(model) == cases[i].time_step);
        CHECK_OK(ds_sim_create(model, NULL, &sim));
        CHECK_OK(ds_rollout_create(model, NULL, 3, &rollout));
        CHECK_OK(ds_batch_create(model, NULL, 2, 1, &batch));
        CHECK(ds_sim_time_step(sim) == cases[i].time_step && ds_sim_integrator(sim) == cases[i].integrator);
        CHECK(ds_rollout_time_step(rollout) == cases[i].time_step && ds_rollout_integrator(rollout) == cases[i].integrator);
        CHECK(ds_batch_time_step(batch) == cases[i].time_step && ds_batch_integrator(batch) == cases[i].integrator);
        double q[7], v[6] = {0}, q2[7], v2[6];
        CHECK_OK(ds_model_neutral(model, q));
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q2, v2));
        CHECK_NEAR(v2[2], -9.81 * cases[i].time_step, 1e-12);
        ds_sim_free(sim);
        ds_rollout_free(rollout);
        ds_batch_free(batch);
        /* What the caller says wins. */
        ds_options options;
        ds_options_init(&options);
        CHECK(options.time_step == 0.0 && options.integrator == DS_INTEGRATOR_FROM_MODEL);
        options.time_step = 0.0015;
        options.integrator = DS_INTEGRATOR_SYMPLECTIC_EULER;
        CHECK_OK(ds_sim_create(model, &options, &sim));
        CHECK(ds_sim_time_step(sim) == 0.0015 && ds_sim_integrator(sim) == DS_INTEGRATOR_SYMPLECTIC_EULER);
        ds_sim_free(sim);
        ds_model_free(model);
    }
    CHECK(ds_sim_time_step(NULL) == 0.0 && ds_sim_integrator(NULL) == -1);
    CHECK(ds_rollout_time_step(NULL) == 0.0 && ds_rollout_integrator(NULL) == -1);
    CHECK(ds_batch_time_step(NULL) == 0.0 && ds_batch_integrator(NULL) == -1);
}

static void of_no_body(void) {
    ds_model *model = load("");
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    ds_param params[10];
    const int32_t body = ds_model_body_id(model, "b");
    for (int32_t i = 0; i < 10; i++) {
        params[i].kind = DS_PARAM_BODY_INERTIA;
        params[i].index = body;
        params[i].component = i;
    }
    CHECK_OK(ds_sim_select_params(sim, params, 10));
    double before[10], after[10];
    CHECK_OK(ds_sim_get_params(sim, before));
    static const struct {
        double p[10];
        const char *why;
    } bad[] = {
        {{1, 0, 0, 0, .01, 0, .01, 0, 0, .1}, "must not exceed the sum"},
        {{1, 0, 0, 0, -.01, 0, .1, 0, 0, .1}, "none may be negative"},
        {{1, .5, 0, 0, .1, 0, .1, 0, 0, .1}, "none may be negative"},
        {{1, 0, 0, 0, .1, .2, .1, 0, 0, .1}, "none may be negative"},
        {{0, .1, 0, 0, .1, 0, .1, 0, 0, .1}, "no first moment"},
        {{-1, 0, 0, 0, .1, 0, .1, 0, 0, .1}, "must not be negative"},
        {{1, 0, 0, 0, 1e308, 1e308, 1e308, 1e308, 1e308, 1e308}, "DS_PARAM_BODY_INERTIA"},
    };
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double theta[10] = {7};
        CHECK_INVALID(ds_sim_set_params(sim, bad[i].p), bad[i].why);
        CHECK(strstr(ds_last_error(), "p[0]: DS_PARAM_BODY_INERTIA") != NULL);
        CHECK_OK(ds_sim_get_params(sim, after));
        CHECK(memcmp(before, after, sizeof before) == 0);
        CHECK_INVALID(ds_inertia_to_log_cholesky(bad[i].p, theta), "p: ");
        CHECK(theta[0] == 7);
        CHECK(ds_builder_add_body(builder, 0, NULL, NULL, bad[i].p, NULL) != DS_OK);
    }
    ds_builder_free(builder);
    /* On the boundary, and a massless body. */
    static const double good[][10] = {
        {1, 0, 0, 0, .01, 0, .01, 0, 0, .02}, {1, .5, 0, 0, 0, 0, .25, 0, 0, .25}, {0}, {1, 0, 0, 0, .1, 0, .1, 0, 0, .1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) CHECK_OK(ds_sim_set_params(sim, good[i]));
    ds_sim_free(sim);
    ds_model_free(model);
}

static void coordinates(void) {
    const double p[10] = {2, .6, -.2, 1.4, 1.3, .05, 1.6, -.4, .1, .9};
    double theta[10], back[10], J[100];
    CHECK_OK(ds_inertia_to_log_cholesky(p, theta));
    CHECK_NEAR(theta[0], 0.5 * log(2.0), 1e-15);
    CHECK_NEAR(theta[7], 0.3, 1e-15);
    CHECK_OK(ds_inertia_from_log_cholesky(theta, back, J));
    for (int i = 0; i < 10; i++) CHECK_NEAR(back[i], p[i], 1e-14);
    for (int k = 0; k < 10; k++) {
        double above[10], below[10], x[10];
        memcpy(x, theta, sizeof x);
        x[k] = theta[k] + 1e-5;
        CHECK_OK(ds_inertia_from_log_cholesky(x, above, NULL));
        x[k] = theta[k] - 1e-5;
        CHECK_OK(ds_inertia_from_log_cholesky(x, below, NULL));
        for (int i = 0; i < 10; i++) CHECK_NEAR(J[i + 10 * k], (above[i] - below[i]) / 2e-5, 1e-8);
    }
    /* In place. */
    memcpy(back, p, sizeof back);
    CHECK_OK(ds_inertia_to_log_cholesky(back, back));
    CHECK(memcmp(back, theta, sizeof back) == 0);
    CHECK_OK(ds_inertia_from_log_cholesky(back, back, NULL));
    CHECK_INVALID(ds_inertia_to_log_cholesky(NULL, theta), "p");
    CHECK_INVALID(ds_inertia_to_log_cholesky(p, NULL), "theta");
    CHECK_INVALID(ds_inertia_from_log_cholesky(NULL, back, J), "theta");
    CHECK_INVALID(ds_inertia_from_log_cholesky(theta, NULL, J), "p");
    const double great[10] = {800}, small[10] = {-800}, none[10] = {NAN};
    CHECK_WRONG(ds_inertia_from_log_cholesky(great, back, J), DS_ERR_NUMERICAL, "p");
    CHECK_WRONG(ds_inertia_from_log_cholesky(small, back, J), DS_ERR_NUMERICAL, "theta[0]");
    CHECK_WRONG(ds_inertia_from_log_cholesky(none, back, J), DS_ERR_NUMERICAL, "theta[0]");
}

static void depths(void) {
    ds_model *model = load("");
    for (int what = 0; what < 3; what++) {
        static const double bounds[3] = {0.0, 0.05, INFINITY};
        ds_options options;
        ds_options_init(&options);
        options.max_depth = bounds[what];
        options.contact = DS_CONTACT_CONVEX;
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(model, &options, &sim));
        double q[7], v[6] = {0};
        CHECK_OK(ds_model_neutral(model, q));
        /* The half extent is 0.1: of it a quarter may be in the ground. */
        static const double depth[3] = {0.02, 0.03, 0.06};
        static const uint64_t expected[3][3] = {{0, 4, 4}, {0, 0, 4}, {0, 0, 0}};
        for (int i = 0; i < 3; i++) {
            double q2[7], v2[6];
            ds_step_info info;
            q[2] = 0.1 - depth[i];
            CHECK_OK(ds_sim_step(sim, q, v, NULL, q2, v2));
            CHECK_OK(ds_sim_step_info(sim, &info));
            CHECK_NEAR(info.deepest, depth[i], 1e-12);
            CHECK(info.contacts == 4 && info.too_deep == expected[what][i]);
        }
        ds_sim_free(sim);
        options.max_depth = -1.0;
        CHECK_INVALID(ds_sim_create(model, &options, &sim), "max_depth");
    }
    ds_model_free(model);
}

int main(void) {
    of_the_file();
    of_no_body();
    coordinates();
    depths();
    return report();
}
