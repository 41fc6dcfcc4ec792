/* Shared code of the benchmarks beside Pinocchio: the states of a file, and tasks that take turns over them.
 * The same file format, passes and output as pinocchio_bench.h; the order of q and v is ours. */
#ifndef SMOOTH_H
#define SMOOTH_H

#include "ours.h"

typedef struct {
    double *q, *v, *a, *tau;
} State;

/* The sim, and the outputs of every task. */
typedef struct Bench Bench;

typedef struct {
    const char *name;
    ds_status (*call)(Bench *, const State *);
    double (*squared_norm)(const Bench *); /* of the last call's result */
} Task;

static inline double sum_of_squares(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static inline State *read_states(const char *path, size_t nq, size_t nv, size_t *count) {
    FILE *file = fopen(path, "r");
    size_t file_nq = 0, file_nv = 0;
    if (!file || fscanf(file, "%zu %zu %zu", count, &file_nq, &file_nv) != 3 || file_nq != nq || file_nv != nv) {
        fprintf(stderr, "%s: expected states with nq %zu and nv %zu\n", path, nq, nv);
        exit(1);
    }
    State *states = zeros(*count, sizeof *states);
    for (size_t k = 0; k < *count; k++) {
        const size_t sizes[4] = {nq, nv, nv, nv};
        double **fields[4] = {&states[k].q, &states[k].v, &states[k].a, &states[k].tau};
        for (int f = 0; f < 4; f++) {
            *fields[f] = numbers(sizes[f]);
            for (size_t i = 0; i < sizes[f]; i++)
                if (fscanf(file, "%lf", &(*fields[f])[i]) != 1) {
                    fprintf(stderr, "%s: ends before its last state\n", path);
                    exit(1);
                }
        }
    }
    fclose(file);
    return states;
}

/* Of so many tasks over the states, which the sim of the bench is asked. */
static inline void run_tasks(Bench *b, const Task *tasks, size_t ntask, const State *states, size_t count, size_t passes) {
    double *norms = numbers(ntask);
    Samples *times = zeros(ntask, sizeof *times);
    for (size_t i = 0; i < ntask; i++) {
        times[i] = samples(passes);
        for (size_t k = 0; k < count; k++) {
            check(tasks[i].call(b, &states[k]), tasks[i].name);
            norms[i] += tasks[i].squared_norm(b);
        }
    }
    for (size_t pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < ntask; i++) {
            ds_status status = DS_OK;
            const double start = now_us();
            for (size_t k = 0; k < count; k++) status |= tasks[i].call(b, &states[k]);
            record(&times[i], (now_us() - start) / (double)count);
            check(status, tasks[i].name);
        }
    for (size_t i = 0; i < ntask; i++) {
        sort_samples(&times[i]);
        printf("{\"what\": \"%s\", \"median_us\": %.4f, \"norm\": %.17g}\n", tasks[i].name, quantile(&times[i], 0.5),
               sqrt(norms[i]));
    }
}

#endif
