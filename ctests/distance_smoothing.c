/* Smoothed distances: a ball under a box's edge feels both faces, and wrong options are refused. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 7, NV = 6 };

static const char scene[] =
    "<mujoco><worldbody><geom name='box' type='box' size='0.3 0.3 0.3'/>"
    "<body><freejoint/><geom name='ball' size='0.05' mass='1'/></body></worldbody></mujoco>";

static ds_model *model;
static ds_sim *sim;
static int32_t box, ball;
/* As deep below the face x as below the face y. */
static const double q[NQ] = {0.25, 0.25, 0, 0, 0, 0, 1};

static void prepare(void) {
    CHECK_OK(ds_model_load_string(scene, strlen(scene), DS_FORMAT_MJCF, NULL, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    box = ds_model_geom_id(model, "box");
    ball = ds_model_geom_id(model, "ball");
}

static void orders(void) {
    ds_distance_smoothing s;
    ds_distance_smoothing_init(&s);
    CHECK(s.struct_size == sizeof s && s.pairs == 64 && s.method == DS_SMOOTHING_FIRST_ORDER);
    ds_smoothed_distance mean;
    double dd[NV], dp[3 * NV], dn[3 * NV], again[3 * NV];
    CHECK_OK(ds_sim_smoothed_distance(sim, box, ball, q, NULL, &mean, dd, dp, dn));
    /* The exact normals do not move. */
    for (int k = 0; k < 3 * NV; k++) CHECK(fabs(dn[k]) < 1e-12);

    s.method = DS_SMOOTHING_ZEROTH_ORDER;
    s.width_linear = 0.01;
    s.pairs = 20000;
    CHECK_OK(ds_sim_smoothed_distance(sim, box, ball, q, &s, &mean, dd, dp, dn));
    /* The density at 0 of a difference of two coordinates. */
    const double rate = 1.0 / (s.width_linear * 2.0 * sqrt(acos(-1.0)));
    CHECK_NEAR(dn[0] / rate, 1.0, 0.05);
    CHECK_NEAR(dn[1] / rate, -1.0, 0.05);
    CHECK_NEAR(mean.normal[0], 0.5, 0.02);
    CHECK(mean.distance > -0.1 && mean.distance < -0.09);
    CHECK_OK(ds_sim_smoothed_distance(sim, box, ball, q, &s, &mean, NULL, NULL, again));
    CHECK(memcmp(again, dn, sizeof dn) == 0);
    s.seed = 1;
    CHECK_OK(ds_sim_smoothed_distance(sim, box, ball, q, &s, &mean, NULL, NULL, again));
    CHECK(memcmp(again, dn, sizeof dn) != 0);
}

static void refused(void) {
    ds_smoothed_distance mean = {.distance = 7.0};
    ds_distance_smoothing s;
    ds_distance_smoothing_init(NULL);
#define REFUSED(change, culprit)                                                                  \
    do {                                                                                          \
        ds_distance_smoothing_init(&s);                                                           \
        change;                                                                                   \
        CHECK_INVALID(ds_sim_smoothed_distance(sim, box, ball, q, &s, &mean, NULL, NULL, NULL),   \
                      culprit);                                                                   \
    } while (0)
    REFUSED(s.method = 7, "smoothing.method");
    REFUSED(s.method = DS_SMOOTHING_CENTRAL_PATH, "smoothing.method");
    REFUSED(s.reserved = 1, "smoothing.reserved");
    REFUSED(s.pairs = 0, "smoothing.pairs");
    REFUSED(s.width_linear = -1, "smoothing.width_linear");
    REFUSED(s.width_angular = NAN, "smoothing.width_angular");
    REFUSED(s.width_angular = 1, "smoothing.width_angular");
    REFUSED(s.method = DS_SMOOTHING_ZEROTH_ORDER; s.width_linear = 0, "smoothing.width_linear");
    REFUSED(s.struct_size = 3, "struct_size");
#undef REFUSED
    double bad[NQ] = {NAN};
    CHECK_INVALID(ds_sim_smoothed_distance(NULL, box, ball, q, NULL, &mean, NULL, NULL, NULL), "sim");
    CHECK_INVALID(ds_sim_smoothed_distance(sim, -1, ball, q, NULL, &mean, NULL, NULL, NULL), "geom_a");
    CHECK_INVALID(ds_sim_smoothed_distance(sim, box, 2, q, NULL, &mean, NULL, NULL, NULL), "geom_b");
    CHECK_INVALID(ds_sim_smoothed_distance(sim, box, box, q, NULL, &mean, NULL, NULL, NULL), "geoms");
    CHECK_INVALID(ds_sim_smoothed_distance(sim, box, ball, NULL, NULL, &mean, NULL, NULL, NULL), "q");
    CHECK_INVALID(ds_sim_smoothed_distance(sim, box, ball, q, NULL, NULL, NULL, NULL, NULL), "out");
    CHECK(ds_sim_smoothed_distance(sim, box, ball, bad, NULL, &mean, NULL, NULL, NULL) != DS_OK);
    CHECK(mean.distance == 7.0);
}

int main(void) {
    prepare();
    orders();
    refused();
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
