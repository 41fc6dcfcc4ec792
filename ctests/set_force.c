/* A generalized force with its slopes from C: a stiff feedback that a caller computes, Jacobians, and refused
 * inputs. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

static const double H = 2e-3, KP = 100.0, KD = 50.0, INERTIA = 2.0 / 300.0;

static const char HINGE[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 0 1'/>"
    "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>";

static const char TWO[] =
    "<mujoco><worldbody><body><joint axis='0 1 0'/><inertial pos='0 0 -.5' mass='2' diaginertia='.1 .1 .1'/>"
    "<body pos='0 0 -1'><joint axis='0 1 0'/><inertial pos='0 0 -.2' mass='.5' diaginertia='.01 .01 .01'/></body></body>"
    "</worldbody></mujoco>";

static ds_model *load(const char *text) {
    ds_load_options options;
    ds_load_options_init(&options);
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model));
    if (model == NULL) exit(report());
    return model;
}

static ds_sim *create(const ds_model *model, int32_t contact, int32_t integrator) {
    ds_options options;
    ds_options_init(&options);
    options.contact = contact;
    options.integrator = integrator;
    options.time_step = H;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

/* h KD is 15 times the inertia. */
static void stiff_feedback(int32_t contact) {
    ds_model *model = load(HINGE);
    ds_sim *sim = create(model, contact, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    double q = 0.0, v = 0.0;
    const double K = -KP, D = -KD;
    for (int k = 0; k < 500; ++k) {
        const double tau = KP * (0.5 - q) - KD * v, w = v;
        CHECK_OK(ds_sim_set_force(sim, &tau, &K, &D));
        CHECK_OK(ds_sim_step(sim, &q, &v, NULL, &q, &v));
        CHECK(fabs(v - w - H * (tau - H * KP * w) / (INERTIA + H * KD + H * H * KP)) < 1e-12);
    }
    CHECK(fabs(q - 0.432) < 0.02);
    /* Held fixed: dv⁺/dv = 1 − h² KP / A, and nothing by q. */
    double by_q = NAN, by_v = NAN;
    ds_step_jacobians out = {.dv_dq = &by_q, .dv_dv = &by_v};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    CHECK(by_q == 0.0);
    CHECK(fabs(by_v - 1.0 + H * H * KP / (INERTIA + H * KD + H * H * KP)) < 1e-12);
    /* Without slopes it is a force, and NULL ends it. */
    const double tau = 3.0, still = 0.0;
    CHECK_OK(ds_sim_set_force(sim, &tau, NULL, NULL));
    CHECK(ds_sim_step_jacobians(sim, &out) == DS_ERR_NO_STEP);
    CHECK_OK(ds_sim_step(sim, &q, &still, NULL, &q, &v));
    CHECK(fabs(v - H * tau / INERTIA) < 1e-12);
    CHECK_OK(ds_sim_reset(sim));
    CHECK_OK(ds_sim_step(sim, &q, &still, NULL, &q, &v));
    CHECK(fabs(v - H * tau / INERTIA) < 1e-12);
    CHECK_OK(ds_sim_set_force(sim, NULL, NULL, NULL));
    CHECK_OK(ds_sim_step(sim, &q, &still, NULL, &q, &v));
    CHECK(v == 0.0);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* Entries between dofs: the acceleration solves (M + h D̃ + h² K̃) a = τ + h K v − b. */
static void between_dofs(int32_t contact) {
    ds_model *model = load(TWO);
    ds_sim *sim = create(model, contact, DS_INTEGRATOR_SYMPLECTIC_EULER);
    const double q[2] = {0.3, -0.4}, v[2] = {0.5, 0.2}, tau[2] = {1.0, -2.0};
    const double K[4] = {-80.0, 25.0, -10.0, -60.0}, D[4] = {-9.0, 3.0, 1.0, -4.0};
    double next[2], end[2], a[2], balance[2];
    CHECK_OK(ds_sim_set_force(sim, tau, K, D));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, next, end));
    for (int i = 0; i < 2; ++i) a[i] = (end[i] - v[i]) / H;
    CHECK_OK(ds_inverse_dynamics(sim, q, v, a, balance));
    for (int i = 0; i < 2; ++i) {
        double force = tau[i];
        for (int j = 0; j < 2; ++j) {
            force += H * K[2 * j + i] * v[j] + H * (D[2 * j + i] + H * K[2 * j + i]) * a[j];
        }
        CHECK(fabs(force - balance[i]) < 1e-9);
    }
    ds_sim_free(sim);
    ds_model_free(model);
}

static void refused(void) {
    ds_model *model = load(TWO);
    ds_sim *sim = create(model, DS_CONTACT_NCP, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    const double q[2] = {0.3, -0.4}, v[2] = {0.5, 0.2}, tau[2] = {1.0, -2.0}, bad[4] = {0.0, 0.0, NAN, 0.0};
    double next[2], want[2], end[2];
    CHECK_OK(ds_sim_set_force(sim, tau, NULL, NULL));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, next, want));
    CHECK(ds_sim_set_force(NULL, tau, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "sim") != NULL);
    CHECK(ds_sim_set_force(sim, bad + 1, NULL, NULL) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "tau") != NULL);
    CHECK(ds_sim_set_force(sim, tau, bad, NULL) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "K") != NULL);
    CHECK(ds_sim_set_force(sim, tau, NULL, bad) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "D") != NULL);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, next, end));
    CHECK(end[0] == want[0] && end[1] == want[1]);
    ds_sim_free(sim);
    const int32_t integrators[] = {DS_INTEGRATOR_IMPLICIT_EULER, DS_INTEGRATOR_MIDPOINT, DS_INTEGRATOR_BDF1};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        sim = create(model, DS_CONTACT_NONE, integrators[i]);
        CHECK(ds_sim_set_force(sim, tau, NULL, NULL) == DS_ERR_UNSUPPORTED);
        CHECK_OK(ds_sim_set_force(sim, NULL, NULL, NULL));
        CHECK_OK(ds_sim_step(sim, q, v, NULL, next, end));
        ds_sim_free(sim);
    }
    ds_model_free(model);
}

int main(void) {
    const int32_t laws[] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX, DS_CONTACT_PENALTY, DS_CONTACT_NONE};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i) {
        stiff_feedback(laws[i]);
        between_dofs(laws[i]);
    }
    refused();
    return report();
}
