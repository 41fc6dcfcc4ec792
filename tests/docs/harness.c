/* The surroundings of a page's statements in docs/: the quadruped, standing, after a step of 1 ms. */
#include <diffsim.h>
#include <diffsim_control.h>
#include <diffsim_ik.h>
#include <diffsim_record.h>
#include <diffsim_save.h>
#include <diffsim_visuals.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program, and with it the test, at the first call that fails. */
#define CHECK(call)                                                                          \
    do {                                                                                     \
        if ((call) != DS_OK) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ds_last_error());             \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

enum { MAX = 64 };

int main(void) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK(ds_model_load("examples/models/quadruped.xml", NULL, &model));
    ds_options settings;
    ds_options_init(&settings);
    settings.time_step = 0.001;
    CHECK(ds_sim_create(model, &settings, &sim));
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    double q[MAX], v[MAX] = {0}, u[MAX] = {0};
    CHECK(ds_model_keyframe(model, "standing", q, v, u));
    CHECK(ds_sim_step(sim, q, v, u, q, v));

    /* the page's statements */
    (void)nq, (void)nv, (void)nu;
    ds_sim_free(sim);
    ds_model_free(model);
    return 0;
}
