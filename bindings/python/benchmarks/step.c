/* Steps a model from its first keyframe, as a library that the benchmark calls between its own runs. */
#define _POSIX_C_SOURCE 200809L
#include <diffsim.h>
#include <string.h>
#include <time.h>

enum { MAX = 256 };

static ds_model *model;
static ds_sim *sim;
static double q0[MAX], v0[MAX], u[MAX], q[MAX], v[MAX];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* NULL, or what failed. */
const char *prepare(const char *path) {
    ds_options options;
    ds_options_init(&options);
    options.derivatives = 0;
    if (ds_model_load(path, NULL, &model) != DS_OK) return ds_last_error();
    if (ds_model_nq(model) > MAX) return "the model is too large";
    if (ds_model_keyframe(model, ds_model_keyframe_name(model, 0), q0, v0, u) != DS_OK ||
        ds_sim_create(model, &options, &sim) != DS_OK)
        return ds_last_error();
    return NULL;
}

/* Seconds a step of one run, negative where a step failed. */
double run(int steps) {
    memcpy(q, q0, sizeof q);
    memcpy(v, v0, sizeof v);
    ds_sim_reset(sim);
    const double start = now();
    for (int t = 0; t < steps; t++)
        if (ds_sim_step(sim, q, v, u, q, v) != DS_OK) return -1.0;
    return (now() - start) / steps;
}

/* Seconds of a step from the keyframe without a warm start, as a compiled program of JAX takes it. */
double begin(int steps) {
    const double start = now();
    for (int t = 0; t < steps; t++)
        if (ds_sim_reset(sim) != DS_OK || ds_sim_step(sim, q0, v0, u, q, v) != DS_OK) return -1.0;
    return (now() - start) / steps;
}
