/* The program under callgrind: steps of a model, their Jacobians and VJPs.
 *
 * usage: count MODEL CONTACT(0|1|2) STEPS STRIDE [RATE]
 *
 * CONTACT: none, with exact cones, or with friction pyramids.
 *
 * From the keyframe "start", else from rest at the neutral configuration, under inputs that differ
 * from step to step. Every STRIDE-th step has its Jacobians computed, and the one after it its VJP. A RATE is
 * that of a recorder [Hz]. */
#include "diffsim.h"
#include "diffsim_record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void check(ds_status status, const char *what) {
    if (status == DS_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, ds_status_name(status), ds_last_error());
    exit(1);
}

static double *numbers(size_t n) {
    double *x = calloc(n ? n : 1, sizeof *x);
    if (!x) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return x;
}

int main(int argc, char **argv) {
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: count MODEL CONTACT STEPS STRIDE [RATE]\n");
        return 1;
    }
    ds_load_options load;
    ds_load_options_init(&load);
    ds_model *model = NULL;
    check(ds_model_load(argv[1], &load, &model), argv[1]);
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.integrator = DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD;
    if (argv[2][0] == '0') options.contact = DS_CONTACT_NONE;
    if (argv[2][0] == '2') options.contact = DS_CONTACT_LCP;
    ds_sim *sim = NULL;
    check(ds_sim_create(model, &options, &sim), "ds_sim_create");
    ds_recorder *recorder = NULL;
    if (argc == 6) {
        ds_recorder_options recording;
        ds_recorder_options_init(&recording);
        recording.rate = strtod(argv[5], NULL);
        check(ds_recorder_create(model, &recording, &recorder), "ds_recorder_create");
    }
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    const size_t steps = strtoul(argv[3], NULL, 10), stride = strtoul(argv[4], NULL, 10);
    double *q = numbers(nq), *v = numbers(nv), *u = numbers(nu), *start = numbers(nu);
    double *q_bar = numbers(nv), *v_bar = numbers(nv), *u_bar = numbers(nu);
    const ds_step_jacobians jacobians = {.dq_dq = numbers(nv * nv), .dq_dv = numbers(nv * nv), .dv_dq = numbers(nv * nv),
                                         .dv_dv = numbers(nv * nv), .dq_du = numbers(nv * nu), .dv_du = numbers(nv * nu)};
    if (ds_model_nkeyframe(model))
        check(ds_model_keyframe(model, ds_model_keyframe_name(model, 0), q, v, start), "ds_model_keyframe");
    else
        check(ds_model_neutral(model, q), "ds_model_neutral");
    size_t contacts = 0, counted[3] = {0};
    uint64_t noise = 1;
    for (size_t k = 0; k < steps; k++) {
        for (size_t i = 0; i < nu; i++) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            u[i] = start[i] + 0.1 * ((double)(noise >> 11) / 4503599627370496.0 - 1);
        }
        check(ds_sim_step(sim, q, v, u, q, v), "ds_sim_step");
        counted[0]++;
        if (recorder) check(ds_recorder_step(recorder, sim), "ds_recorder_step");
        ds_step_info info;
        check(ds_sim_step_info(sim, &info), "ds_sim_step_info");
        contacts += info.contacts;
        if (k % stride == 0) {
            check(ds_sim_step_jacobians(sim, &jacobians), "ds_sim_step_jacobians");
            counted[1]++;
        } else if (k % stride == 1) {
            check(ds_sim_step_vjp(sim, v, v, q_bar, v_bar, u_bar, NULL), "ds_sim_step_vjp");
            counted[2]++;
        }
    }
    printf("{\"ds_sim_step\": %zu, \"ds_sim_step_jacobians\": %zu, \"ds_sim_step_vjp\": %zu, \"contacts\": %zu}\n", counted[0],
           counted[1], counted[2], contacts);
    ds_recorder_free(recorder);
    ds_sim_free(sim);
    ds_model_free(model);
    return 0;
}
