/* Shared code of the C benchmarks: a clock, samples of times, and scenarios. */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double read_us(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* The clock for calls of microseconds. */
static inline double now_us(void) { return read_us(CLOCK_MONOTONIC); }

/* The clock for calls of a hundred microseconds and more: it stands still while another process has
 * the core, but costs half a microsecond to read. */
static inline double busy_us(void) { return read_us(CLOCK_THREAD_CPUTIME_ID); }

typedef double (*Clock)(void);

/* By the first letter of an argument "now" or "busy". */
static inline Clock clock_named(const char *name) { return *name == 'b' ? busy_us : now_us; }

static inline void *zeros(size_t count, size_t size) {
    void *x = calloc(count ? count : 1, size);
    if (!x) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return x;
}

static inline double *numbers(size_t n) { return zeros(n, sizeof(double)); }

static inline int all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* Times of one kind of call, in microseconds. */
typedef struct {
    double *us;
    size_t n, room;
} Samples;

static inline Samples samples(size_t room) { return (Samples){numbers(room), 0, room}; }

static inline void record(Samples *s, double us) {
    if (s->n < s->room) s->us[s->n++] = us;
}

static inline int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void sort_samples(Samples *s) { qsort(s->us, s->n, sizeof *s->us, ascending); }

/* Of sorted samples. */
static inline double quantile(const Samples *s, double p) { return s->us[(size_t)(p * (double)(s->n - 1) + 0.5)]; }

/* One JSON line; sorts. Nothing where there are no samples. */
static inline void print_samples(const char *what, Samples *s) {
    if (!s->n) return;
    sort_samples(s);
    printf("{\"what\": \"%s\", \"median_us\": %.4f, \"p10_us\": %.4f, \"p90_us\": %.4f, \"n\": %zu}\n", what,
           quantile(s, 0.5), quantile(s, 0.1), quantile(s, 0.9), s->n);
}

/* Start and controls of a run: the same file for every engine. */
typedef struct {
    size_t nq, nu, steps;
    double time_step;
    double *qpos;     /* MuJoCo's order */
    double *controls; /* nu×steps */
} Scenario;

static inline const double *control(const Scenario *s, size_t step) { return s->controls + s->nu * (step % s->steps); }

/* Three int64 nq, nu, steps, then the doubles of the time step, qpos and controls. */
static inline Scenario read_scenario(const char *path, size_t nq, size_t nu) {
    FILE *file = fopen(path, "rb");
    int64_t sizes[3];
    if (!file || fread(sizes, sizeof *sizes, 3, file) != 3 || sizes[0] != (int64_t)nq || sizes[1] != (int64_t)nu) {
        fprintf(stderr, "%s: expected a scenario with nq %zu and nu %zu\n", path, nq, nu);
        exit(1);
    }
    Scenario s = {nq, nu, (size_t)sizes[2], 0, numbers(nq), numbers(nu * (size_t)sizes[2])};
    if (fread(&s.time_step, sizeof(double), 1, file) != 1 || fread(s.qpos, sizeof(double), nq, file) != nq ||
        fread(s.controls, sizeof(double), nu * s.steps, file) != nu * s.steps) {
        fprintf(stderr, "%s: ends too early\n", path);
        exit(1);
    }
    fclose(file);
    return s;
}

#endif
