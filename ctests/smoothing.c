/* Smoothed derivatives: their values and labels, and that they change no step. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 7, NV = 6 };

/* A ball 5 mm above the floor that will not reach it within the step. */
static const char ball[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
    "<body pos='0 0 0.105'><freejoint/><geom size='0.1' mass='1'/></body></worldbody></mujoco>";

static ds_model *model;
static ds_sim *sim;
static double q[NQ], v[NV] = {0.3, -0.1, -1.0, 0.2, 0.1, 0.4}, q_next[NQ], v_next[NV];

static void prepare(void) {
    CHECK_OK(ds_model_load_string(ball, strlen(ball), DS_FORMAT_MJCF, NULL, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    CHECK_OK(ds_model_neutral(model, q));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
}

static void randomized(void) {
    double exact[NV * NV], smooth[NV * NV], again[NV * NV], zeroth[NV * NV];
    const ds_step_jacobians exact_out = {.dv_dv = exact}, out = {.dv_dv = smooth},
                            again_out = {.dv_dv = again}, zeroth_out = {.dv_dv = zeroth};
    CHECK_OK(ds_sim_step_jacobians(sim, &exact_out));
    CHECK(fabs(exact[2 + NV * 2] - 1.0) < 1e-6);
    ds_smoothing s;
    ds_smoothing_init(&s);
    CHECK(s.struct_size == sizeof s && s.pairs == 64 && s.method == DS_SMOOTHING_FIRST_ORDER);
    s.width_q = 5e-3;
    s.pairs = 200;
    ds_smoothing_info info = {0};
    CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &out, &info));
    CHECK(info.gradient == DS_GRADIENT_SMOOTHED && info.pairs == 200 && info.failures == 0);
    /* Some of the displaced balls touch, and lose their velocity. */
    CHECK(smooth[2 + NV * 2] > 0.5 && smooth[2 + NV * 2] < 0.95);

    CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &again_out, NULL));
    CHECK(memcmp(again, smooth, sizeof smooth) == 0);
    s.seed = 1;
    CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &again_out, NULL));
    CHECK(memcmp(again, smooth, sizeof smooth) != 0);

    /* The same number without a derivative of the step. */
    s.method = DS_SMOOTHING_ZEROTH_ORDER;
    s.width_v = 0.1;
    s.pairs = 4000;
    ds_options options;
    ds_options_init(&options);
    options.derivatives = 0;
    ds_sim *plain = NULL;
    CHECK_OK(ds_sim_create(model, &options, &plain));
    double x[NQ], y[NV];
    CHECK_OK(ds_sim_step(plain, q, v, NULL, x, y));
    CHECK_OK(ds_sim_smoothed_jacobians(plain, &s, &zeroth_out, &info));
    CHECK(info.gradient == DS_GRADIENT_SMOOTHED && info.pairs == 4000);
    printf("dv+/dv down: exact %g, first order %.3f, zeroth order %.3f\n", exact[2 + NV * 2],
           smooth[2 + NV * 2], zeroth[2 + NV * 2]);
    CHECK_NEAR(zeroth[2 + NV * 2], smooth[2 + NV * 2], 0.1);
    s.method = DS_SMOOTHING_FIRST_ORDER;
    CHECK_INVALID(ds_sim_smoothed_jacobians(plain, &s, &out, NULL), "derivatives");
    ds_sim_free(plain);
}

/* The relaxed step from a state near (q, v). */
static void relaxed_at(const ds_smoothing *s, int by_v, size_t k, double h, double *qr, double *vr) {
    double d[NV] = {0}, from_q[NQ], from_v[NV], x[NQ], y[NV];
    memcpy(from_v, v, sizeof v);
    (by_v ? from_v : d)[k] += h;
    CHECK_OK(ds_model_integrate(model, q, d, from_q));
    CHECK_OK(ds_sim_step(sim, from_q, from_v, NULL, x, y));
    CHECK_OK(ds_sim_relaxed_step(sim, s, qr, vr));
}

static void central_path(void) {
    double J[4][NV * NV], base_q[NQ], base_v[NV], worst = 0.0;
    const ds_step_jacobians out = {.dq_dq = J[0], .dv_dq = J[1], .dq_dv = J[2], .dv_dv = J[3]};
    ds_smoothing s;
    ds_smoothing_init(&s);
    s.method = DS_SMOOTHING_CENTRAL_PATH;
    ds_smoothing_info info;
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    CHECK_OK(ds_sim_relaxed_step(sim, &s, base_q, base_v));
    CHECK(base_v[2] > v_next[2] + 1e-5);
    CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &out, &info));
    CHECK(info.gradient == DS_GRADIENT_SMOOTHED && info.pairs == 0 && info.failures == 0);
    /* The floor is felt before it is touched. */
    CHECK(J[1][2 + NV * 2] < -1e-3);
    const double h = 1e-6;
    for (int by_v = 0; by_v < 2; by_v++)
        for (size_t k = 0; k < NV; k++) {
            double qs[2][NQ], vs[2][NV], dq[NV];
            for (int side = 0; side < 2; side++) relaxed_at(&s, by_v, k, side ? -h : h, qs[side], vs[side]);
            CHECK_OK(ds_model_difference(model, qs[1], qs[0], dq));
            for (size_t i = 0; i < NV; i++) {
                worst = fmax(worst, fabs(dq[i] / (2 * h) - J[2 * by_v][i + NV * k]));
                worst = fmax(worst, fabs((vs[0][i] - vs[1][i]) / (2 * h) - J[2 * by_v + 1][i + NV * k]));
            }
        }
    printf("central path: largest error against differences %.1e\n", worst);
    CHECK(worst < 1e-6);
}

/* The last step, its derivatives and the steps that follow have the same bits. */
static void nothing_changes(void) {
    double after[2][NQ], J[2][NV * NV], fall_q[NQ], fall_v[NV];
    for (int with = 0; with < 2; with++) {
        const ds_step_jacobians out = {.dv_dq = J[with]};
        double unused[NV * NV];
        const ds_step_jacobians smoothed = {.dv_dq = unused};
        CHECK_OK(ds_sim_reset(sim));
        memcpy(fall_q, q, sizeof q);
        memcpy(fall_v, v, sizeof v);
        for (int k = 0; k < 20; k++) {
            CHECK_OK(ds_sim_step(sim, fall_q, fall_v, NULL, fall_q, fall_v));
            for (int method = 0; with && method < 3; method++) {
                ds_smoothing s;
                ds_smoothing_init(&s);
                s.method = method;
                s.pairs = 2;
                CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &smoothed, NULL));
            }
        }
        ds_step_info info;
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(info.contacts == 1 && info.gradient == DS_GRADIENT_EXACT);
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        memcpy(after[with], fall_q, sizeof fall_q);
    }
    CHECK(memcmp(after[0], after[1], sizeof *after) == 0);
    CHECK(memcmp(J[0], J[1], sizeof *J) == 0);
}

static void wrong(void) {
    double J[NV * NV], x[NQ], y[NV];
    memset(J, 0x5A, sizeof J);
    double untouched[NV * NV];
    memcpy(untouched, J, sizeof J);
    const ds_step_jacobians out = {.dv_dv = J}, by_u = {.dv_dq = J, .dv_dv = J + 1};
    ds_smoothing good, s;
    ds_smoothing_init(&good);
#define WRONG_OPTION(field, value, culprit)                                     \
    do {                                                                        \
        s = good;                                                               \
        s.field = value;                                                        \
        CHECK_INVALID(ds_sim_smoothed_jacobians(sim, &s, &out, NULL), culprit); \
    } while (0)
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    WRONG_OPTION(struct_size, 0, "ds_smoothing_init");
    WRONG_OPTION(method, 3, "DS_SMOOTHING_CENTRAL_PATH");
    WRONG_OPTION(reserved, 1, "reserved");
    WRONG_OPTION(pairs, 0, "pairs");
    WRONG_OPTION(width_q, -1.0, "width_q");
    WRONG_OPTION(width_v, NAN, "width_v");
    WRONG_OPTION(width_u, INFINITY, "width_u");
    good.method = DS_SMOOTHING_ZEROTH_ORDER;
    WRONG_OPTION(width_v, 0.0, "width_v");
    good.method = DS_SMOOTHING_CENTRAL_PATH;
    WRONG_OPTION(kappa, 0.0, "kappa");
    WRONG_OPTION(reach, -1.0, "reach");
    CHECK_INVALID(ds_sim_smoothed_jacobians(sim, &good, NULL, NULL), "out");
    CHECK_INVALID(ds_sim_smoothed_jacobians(sim, &good, &by_u, NULL), "must not overlap");
    CHECK_INVALID(ds_sim_smoothed_jacobians(NULL, &good, &out, NULL), "sim");
    CHECK_INVALID(ds_sim_relaxed_step(sim, NULL, x, y), "DS_SMOOTHING_CENTRAL_PATH");
    CHECK_INVALID(ds_sim_relaxed_step(sim, &good, NULL, y), "q_next");
    CHECK_OK(ds_sim_reset(sim));
    CHECK_WRONG(ds_sim_smoothed_jacobians(sim, &good, &out, NULL), DS_ERR_NO_STEP, "step");
    CHECK_WRONG(ds_sim_relaxed_step(sim, &good, x, y), DS_ERR_NO_STEP, "step");
    CHECK(memcmp(J, untouched, sizeof J) == 0);
    ds_smoothing_init(NULL);
}

int main(void) {
    prepare();
    randomized();
    central_path();
    nothing_changes();
    wrong();
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
