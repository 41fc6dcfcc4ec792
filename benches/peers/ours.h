/* Shared code of the library's benchmarks: loading a model and running a scenario. */
#ifndef OURS_H
#define OURS_H

#include "bench.h"
#include "diffsim.h"

static inline void check(ds_status status, const char *what) {
    if (status == DS_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, ds_status_name(status), ds_last_error());
    exit(1);
}

static inline ds_model *load(const char *path) {
    ds_load_options options;
    ds_load_options_init(&options);
    ds_model *model = NULL;
    check(ds_model_load(path, &options, &model), path);
    return model;
}

/* The defaults but for the room for contacts. */
static inline ds_options sim_options(double time_step, size_t max_contacts) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = time_step;
    options.max_contacts = max_contacts;
    return options;
}

static inline ds_sim *simulation(const ds_model *model, const ds_options *options) {
    ds_sim *sim = NULL;
    check(ds_sim_create(model, options, &sim), "ds_sim_create");
    return sim;
}

/* Figures of the steps of a run. */
typedef struct {
    size_t steps, contacts, most_contacts, most_iterations, unsolved;
    double residual;
} Run;

static inline void count_step(Run *run, const ds_sim *sim) {
    ds_step_info info;
    check(ds_sim_step_info(sim, &info), "ds_sim_step_info");
    run->steps++;
    run->contacts += info.contacts;
    if (info.contacts > run->most_contacts) run->most_contacts = info.contacts;
    if (info.iterations > run->most_iterations) run->most_iterations = info.iterations;
    if (info.residual > run->residual) run->residual = info.residual;
    if (!info.converged) run->unsolved++;
}

/* One JSON line; `more` is further members with a leading comma, or "". */
static inline void print_run(const char *name, const Run *run, const char *more) {
    printf("{\"%s\": {\"finite\": 1, \"steps\": %zu, \"contacts\": %.2f, \"most_contacts\": %zu, \"residual\": %.3g, "
           "\"most_iterations\": %zu, \"unsolved\": %zu%s}}\n",
           name, run->steps, run->steps ? (double)run->contacts / (double)run->steps : 0.0, run->most_contacts, run->residual,
           run->most_iterations, run->unsolved, more);
}

#endif
