/* Chains of links, light and heavy, that slide on points a nanometre apart: their rows depend on each other
   but for the last digits. Most steps have a derivative; where round-off decides, it is refused, and the step stays good. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { LINKS = 6, NV = 6 + LINKS - 1, SCENES = 1000, STEPS = 3 };

/* SplitMix64, in [-s, s). */
static double number(uint64_t *state, double s) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return s * ((double)(z >> 11) / 4503599627370496.0 - 1.0);
}

static ds_model *chain(uint64_t *rng) {
    char text[8192];
    const size_t room = sizeof text;
    size_t n = (size_t)snprintf(text, room, "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>");
    for (int i = 0; i < LINKS; i++) {
        const double m = pow(10.0, number(rng, 4.0)), x = number(rng, 1e-9), y = number(rng, 1e-9);
        n += (size_t)snprintf(text + n, room - n, "<body>");
        if (i == 0)
            n += (size_t)snprintf(text + n, room - n, "<freejoint/>");
        else
            n += (size_t)snprintf(text + n, room - n, "<joint type='hinge' axis='%g %g %g' pos='%g %g 0.3'/>", number(rng, 1.0),
                                  number(rng, 1.0), number(rng, 1.0), number(rng, 0.3), number(rng, 0.3));
        n += (size_t)snprintf(text + n, room - n,
                              "<geom type='sphere' size='0.05' pos='%.17g %.17g 0.05' contype='0' conaffinity='1'/>"
                              "<inertial pos='%g %g 0.3' mass='%g' diaginertia='%g %g %g'/>",
                              x, y, number(rng, 0.2), number(rng, 0.2), m, 0.01 * m, 0.012 * m, 0.013 * m);
    }
    for (int i = 0; i < LINKS; i++) n += (size_t)snprintf(text + n, room - n, "</body>");
    n += (size_t)snprintf(text + n, room - n, "</worldbody></mujoco>");
    ds_model *model = NULL;
    CHECK(n < room);
    CHECK_OK(ds_model_load_string(text, n, DS_FORMAT_MJCF, NULL, &model));
    return model;
}

/* Every way to ask is refused with the same message, and writes nothing. */
static void check_refused(ds_sim *sim) {
    double J[NV * NV], along[NV] = {1.0}, dq[NV] = {7.0}, dv[NV] = {7.0}, bar[NV] = {7.0};
    J[0] = 7.0;
    const ds_step_jacobians out = {.dv_dv = J};
    CHECK_WRONG(ds_sim_step_jacobians(sim, &out), DS_ERR_NUMERICAL, "not determined");
    CHECK_WRONG(ds_sim_step_jvp(sim, NULL, along, NULL, NULL, dq, dv), DS_ERR_NUMERICAL, "not determined");
    CHECK_WRONG(ds_sim_step_vjp(sim, along, along, NULL, bar, NULL, NULL), DS_ERR_NUMERICAL, "not determined");
    CHECK(J[0] == 7.0 && dq[0] == 7.0 && dv[0] == 7.0 && bar[0] == 7.0);
}

int main(void) {
    uint64_t rng = 5;
    int given = 0, refused = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        ds_model *model = chain(&rng);
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(model, NULL, &sim));
        if (sim == NULL || ds_model_nv(model) != NV) return report();
        double q[NV + 1], v[NV], J[NV * NV];
        CHECK_OK(ds_model_neutral(model, q));
        for (int k = 0; k < NV; k++) v[k] = number(&rng, 1.0);
        v[2] = -0.5;
        for (int step = 0; step < STEPS; step++) {
            CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
            ds_step_info info;
            CHECK_OK(ds_sim_step_info(sim, &info));
            if (!info.converged) continue;
            CHECK(info.gradient != DS_GRADIENT_REFUSED);
            const ds_step_jacobians out = {.dv_dv = J};
            const ds_status status = ds_sim_step_jacobians(sim, &out);
            CHECK_OK(ds_sim_step_info(sim, &info));
            CHECK(info.converged == 1);
            CHECK((status != DS_OK) == (info.gradient == DS_GRADIENT_REFUSED));
            if (status != DS_OK) check_refused(sim);
            *(status == DS_OK ? &given : &refused) += 1;
        }
        ds_sim_free(sim);
        ds_model_free(model);
    }
    printf("%d derivatives, %d refused\n", given, refused);
    CHECK(refused > 0 && given > 20 * refused);
    return report();
}
