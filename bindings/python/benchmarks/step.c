/* Steps a model from its first keyframe: step MODEL STEPS REPETITIONS. Prints the seconds a step of the
 * fastest repetition. */
#define _POSIX_C_SOURCE 200809L
#include <diffsim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX = 256 };

static double q0[MAX], v0[MAX], u[MAX], q[MAX], v[MAX];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.derivatives = 0;
    if (argc != 4 || ds_model_load(argv[1], NULL, &model) != DS_OK || ds_model_nq(model) > MAX ||
        ds_model_keyframe(model, ds_model_keyframe_name(model, 0), q0, v0, u) != DS_OK ||
        ds_sim_create(model, &options, &sim) != DS_OK) {
        fprintf(stderr, "%s\n", ds_last_error());
        return 1;
    }
    const int steps = atoi(argv[2]), repetitions = atoi(argv[3]);
    double fastest = 1e9;
    for (int r = 0; r < repetitions; r++) {
        memcpy(q, q0, sizeof q);
        memcpy(v, v0, sizeof v);
        ds_sim_reset(sim);
        const double start = now();
        for (int t = 0; t < steps; t++)
            if (ds_sim_step(sim, q, v, u, q, v) != DS_OK) return 1;
        const double taken = (now() - start) / steps;
        if (taken < fastest) fastest = taken;
    }
    printf("%.9e\n", fastest);
    ds_sim_free(sim);
    ds_model_free(model);
    return 0;
}
